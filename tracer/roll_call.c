/* roll_call.c - checks that the tracer is loaded into every rank. Otherwise its operations on
 * MPI_COMM_WORLD would wait forever for a rank without it. Such a rank can be on another host, if
 * the launcher has not passed on LD_PRELOAD. Or a wrapper script loads the tracer into some ranks
 * only.
 *
 * Ranks get each other's addresses by PMIx, with any launcher that supports it: MPI_Init puts the
 * data for the others, commits it and waits until all ranks have done so. The tracer adds a mark of
 * its own to this data. Afterwards, a rank without the mark has no tracer. The check is impossible,
 * and all ranks are assumed to have the tracer, in four cases: Open MPI was built with its own
 * PMIx; Open MPI was told not to wait (pmix_base_async_modex); it was told not to collect the data
 * (pmix_base_collect_data 0); or it was started in another way. */
#include "config.h"

#include "hosts.h"
#include "mpi/interface.h"

#include <dlfcn.h>
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static const char mark[] = "timeless.tracer";
static bool starting, answered;

/* In the global scope, or in a library that was loaded locally: by a component of Open MPI, or by
 * Python. */
static void *find_symbol(const char *name, const char *in_library)
{
    void *address = dlsym(RTLD_NEXT, name);
    void *library = address ? NULL : dlopen(in_library, RTLD_LAZY | RTLD_NOLOAD);
    if (library) {
        address = dlsym(library, name);
        dlclose(library);
    }
    return address;
}

#define FIND_PMIX(name) ((__typeof__(&name))find_symbol(#name, "libpmix.so.2"))

TLT_API pmix_status_t PMIx_Commit(void)
{
    __typeof__(&PMIx_Commit) commit = FIND_PMIX(PMIx_Commit);
    __typeof__(&PMIx_Put) put = FIND_PMIX(PMIx_Put);
    if (starting && put) {
        pmix_value_t yes = {.type = PMIX_BOOL, .data.flag = true};
        answered = true;
        put(PMIX_GLOBAL, mark, &yes); /* where it fails the rank is missing to all, itself too */
    }
    return commit ? commit() : PMIX_ERR_NOT_SUPPORTED;
}

void tlt_roll_call_answer(void)
{
    starting = true;
}

static bool is_set(const char *flag, bool otherwise)
{
    const bool *value = find_symbol(flag, "libmpi.so.40");
    return value ? *value : otherwise;
}

static const pmix_info_t at_once = {.key = PMIX_IMMEDIATE,
                                    .value = {.type = PMIX_BOOL, .data.flag = true}};
/* In seconds, for a host that does not answer. */
static const pmix_info_t patient = {.key = PMIX_TIMEOUT,
                                    .value = {.type = PMIX_INT, .data.integer = 30}};

static pmix_status_t look_up(__typeof__(&PMIx_Get) get, int rank, const char *key,
                             const pmix_info_t *how, pmix_value_t **value)
{
    pmix_proc_t who = {.rank = (pmix_rank_t)rank};
    *value = NULL;
    snprintf(who.nspace, sizeof who.nspace, "%s", getenv("PMIX_NAMESPACE"));
    return get(&who, key, how, 1, value);
}

static pmix_status_t look_for_mark(__typeof__(&PMIx_Get) get, int rank, const pmix_info_t *how)
{
    pmix_value_t *value;
    const pmix_status_t status = look_up(get, rank, mark, how, &value);
    free(value);
    return status;
}

static bool is_elsewhere(__typeof__(&PMIx_Get) get, int rank)
{
    pmix_value_t *own, *others;
    const bool known = look_up(get, tlt.rank, PMIX_HOSTNAME, &at_once, &own) == PMIX_SUCCESS;
    bool elsewhere = look_up(get, rank, PMIX_HOSTNAME, &at_once, &others) == PMIX_SUCCESS && known;
    elsewhere = elsewhere && own->type == PMIX_STRING && others->type == PMIX_STRING &&
                strcmp(own->data.string, others->data.string) != 0;
    for (int i = 0; i < 2; i++) {
        pmix_value_t *value = i ? others : own;
        if (value && value->type == PMIX_STRING)
            free(value->data.string);
        free(value);
    }
    return elsewhere;
}

/* The servers of Open MPI 5 have no data of other hosts until a rank has asked for it. The first
 * question brings all data of the host. */
static bool must_ask_hosts(void)
{
    static const char name[] = "Open MPI v";
    char text[256];
    tlt_mpi->library(text, sizeof text);
    return !strncmp(text, name, strlen(name)) && strtoul(text + strlen(name), NULL, 10) >= 5;
}

typedef struct roll_call {
    __typeof__(&PMIx_Get) get;
    bool may_ask; /* a rank's host, if there is no data */
} roll_call;

/* After a question without an answer no other host is asked, and its ranks count as missing, too.
 */
static bool is_missing(void *of, long rank)
{
    roll_call *call = of;
    if (look_for_mark(call->get, (int)rank, &at_once) != PMIX_ERR_NOT_FOUND)
        return false;
    if (!call->may_ask || !is_elsewhere(call->get, (int)rank))
        return true;
    call->may_ask = look_for_mark(call->get, (int)rank, &patient) == PMIX_SUCCESS;
    return !call->may_ask;
}

bool tlt_roll_call(void)
{
    roll_call call = {FIND_PMIX(PMIx_Get), must_ask_hosts()};
    starting = false;
    return !answered || !call.get || !getenv("PMIX_NAMESPACE") ||
           is_set("opal_pmix_base_async_modex", true) ||
           !is_set("opal_pmix_collect_all_data", false) ||
           tlt_all_are_present(tlt.n_ranks, tlt.rank, "", is_missing, &call);
}
