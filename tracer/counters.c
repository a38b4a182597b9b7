/* counters.c - what a rank counts beside its volumes, from the end of MPI_Init to MPI_Finalize. */
#include "config.h"

#include "pmpi.h" /* first: names */

#include "counters.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "papi_set.h"
#include "runtime.h"

enum { MAX_VARIABLES = 256, NAME_BYTES = 256 };
static const char mpi_prefix[] = "mpit:";

static char *list; /* the words below lie in it */
static const char *patterns[TLT_PAPI_MAX_EVENTS];
static int n_patterns;
static long long papi_base[TLT_PAPI_MAX_EVENTS + 1];

typedef struct variable {
    char name[NAME_BYTES];
    MPI_T_pvar_handle handle;
    int n_elements;
    bool is_wide;   /* 8 bytes each, else 4 */
    void *elements; /* room to read them */
    uint64_t base;
} variable;

static variable *variables;
static int n_variables;
static MPI_T_pvar_session session;

static struct {
    __typeof__(&MPI_T_init_thread) init_thread;
    __typeof__(&MPI_T_pvar_get_num) pvar_get_num;
    __typeof__(&MPI_T_pvar_get_info) pvar_get_info;
    __typeof__(&MPI_T_pvar_session_create) pvar_session_create;
    __typeof__(&MPI_T_pvar_handle_alloc) pvar_handle_alloc;
    __typeof__(&MPI_T_pvar_start) pvar_start;
    __typeof__(&MPI_T_pvar_read) pvar_read;
} mpi_t;

const char *tlt_counters_read_list(void)
{
    const char *wanted = getenv("TIMELESS_COUNTERS");
    char *rest;
    if (list || !wanted || !*wanted)
        return NULL;
    list = strdup(wanted);
    if (!list)
        return "out of memory";
    for (char *word = strtok_r(list, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        bool is_mpi = !strncmp(word, mpi_prefix, sizeof mpi_prefix - 1);
        if ((is_mpi ? n_patterns : tlt_beside.n) == TLT_PAPI_MAX_EVENTS)
            return "too many counters";
        if (is_mpi)
            patterns[n_patterns++] = word + sizeof mpi_prefix - 1;
        else
            tlt_beside.names[tlt_beside.n++] = word;
    }
    return NULL;
}

const char *tlt_counters_start_papi(void)
{
    return !tlt_beside.n || tlt_beside.set != PAPI_NULL
               ? NULL
               : tlt_papi_start(tlt_beside.names, tlt_beside.n, false, &tlt_beside.set);
}

/* ---- MPI_T ---- */

static bool find_mpi_t(void)
{
#define FIND(name)                                                                                 \
    ((mpi_t.name = (__typeof__(mpi_t.name))dlsym(RTLD_DEFAULT, "MPI_T_" #name)) != NULL)
    return FIND(init_thread) && FIND(pvar_get_num) && FIND(pvar_get_info) &&
           FIND(pvar_session_create) && FIND(pvar_handle_alloc) && FIND(pvar_start) &&
           FIND(pvar_read);
#undef FIND
}

/* "runtime_spc_*" stands for all that begin so. */
static bool matches(const char *pattern, const char *name)
{
    size_t n = strlen(pattern);
    return n && pattern[n - 1] == '*' ? !strncmp(pattern, name, n - 1) : !strcmp(pattern, name);
}

/* The sum of its elements. */
static bool read_variable(const variable *v, uint64_t *sum)
{
    if (mpi_t.pvar_read(session, v->handle, v->elements) != MPI_SUCCESS)
        return false;
    *sum = 0;
    for (int i = 0; i < v->n_elements; i++)
        *sum +=
            v->is_wide ? ((const uint64_t *)v->elements)[i] : ((const uint32_t *)v->elements)[i];
    return true;
}

/* Numbers that add up.  Those of a transport that is not in use crash when they are asked for. */
static bool is_counter(const char *name, int class, int bind, MPI_Datatype type)
{
    MPI_Count bytes = 0;
    tlt_pmpi.Type_size_x(type, &bytes);
    return (class == MPI_T_PVAR_CLASS_COUNTER || class == MPI_T_PVAR_CLASS_AGGREGATE ||
            class == MPI_T_PVAR_CLASS_SIZE) &&
           (bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM) && type != tlt_pmpi.real &&
           (bytes == 4 || bytes == 8) && strncmp(name, "mtl_", 4) != 0;
}

/* Adds variable `index` if it is wanted and can be read; one of communicators for MPI_COMM_WORLD.
 * Returns whether it is wanted. */
static bool add_variable(int index, const char *pattern)
{
    variable *v = &variables[n_variables];
    char description[NAME_BYTES];
    int name_bytes = NAME_BYTES, description_bytes = NAME_BYTES, verbosity, class, bind, read_only,
        continuous, atomic;
    MPI_Datatype type;
    MPI_T_enum names;
    if (mpi_t.pvar_get_info(index, v->name, &name_bytes, &verbosity, &class, &type, &names,
                            description, &description_bytes, &bind, &read_only, &continuous,
                            &atomic) != MPI_SUCCESS ||
        !matches(pattern, v->name))
        return false;
    if (!is_counter(v->name, class, bind, type))
        return true;
    MPI_Comm world = tlt_pmpi.comm_world;
    MPI_Count bytes = 0;
    tlt_pmpi.Type_size_x(type, &bytes);
    if (mpi_t.pvar_handle_alloc(session, index, bind == MPI_T_BIND_NO_OBJECT ? NULL : &world,
                                &v->handle, &v->n_elements) != MPI_SUCCESS ||
        v->n_elements < 1)
        return true;
    v->is_wide = bytes == 8;
    v->elements = calloc((size_t)v->n_elements, sizeof(uint64_t));
    if (!v->elements)
        return true;
    if (!continuous)
        mpi_t.pvar_start(session, v->handle);
    if (read_variable(v, &v->base))
        n_variables++;
    return true;
}

static const char *start_mpi(void)
{
    int level, n_all = 0;
    variables = calloc(MAX_VARIABLES, sizeof *variables);
    if (!variables)
        return "out of memory";
    if (!find_mpi_t() || mpi_t.init_thread(MPI_THREAD_SINGLE, &level) != MPI_SUCCESS ||
        mpi_t.pvar_session_create(&session) != MPI_SUCCESS ||
        mpi_t.pvar_get_num(&n_all) != MPI_SUCCESS)
        return "the MPI library has no MPI_T";
    for (int p = 0; p < n_patterns; p++) {
        int before = n_variables, n_wanted = 0;
        for (int i = 0; i < n_all && n_variables < MAX_VARIABLES; i++)
            n_wanted += add_variable(i, patterns[p]);
        if (n_variables == before && tlt.rank == 0 && n_wanted)
            tlt_say("counters: the MPI library has %d variables mpit:%s, and none of them is a "
                    "count that can be read; the trace does not contain them (does the library "
                    "need an option to count?)",
                    n_wanted, patterns[p]);
        else if (n_variables == before && tlt.rank == 0)
            tlt_say(
                "counters: the MPI library has no counter mpit:%s; the trace does not contain it",
                patterns[p]);
    }
    return NULL;
}

/* ---- all ---- */

void tlt_counters_start(void)
{
    const char *why = tlt_counters_start_papi();
    if (why && tlt.rank == 0)
        tlt_say("counters: %s; the trace does not contain them", why);
    if (why)
        tlt_beside.n = 0;
    why = n_patterns ? start_mpi() : NULL;
    if (why && tlt.rank == 0)
        tlt_say("counters: %s; the trace does not contain its counters", why);
}

void tlt_counters_mark(void)
{
    if (tlt_beside.n)
        tlt_papi_read(tlt_beside.set, papi_base);
    for (int i = 0; i < n_variables; i++)
        read_variable(&variables[i], &variables[i].base);
}

void tlt_counters_write(tl_writer *writer)
{
    long long values[TLT_PAPI_MAX_EVENTS + 1] = {0};
    char name[NAME_BYTES + 8];
    tl_counter counter = {.name = name};
    if (tlt_beside.n)
        tlt_papi_read(tlt_beside.set, values);
    for (int i = 0; i < tlt_beside.n; i++) {
        int place = tlt_beside.first + i;
        counter.id++;
        counter.value = (uint64_t)(values[place] - papi_base[place]);
        snprintf(name, sizeof name, "papi:%s", tlt_beside.names[i]);
        tl_writer_define_counter(writer, &counter);
    }
    for (int i = 0; i < n_variables; i++) {
        uint64_t value;
        if (!read_variable(&variables[i], &value)) {
            if (tlt.rank == 0)
                tlt_say("counters: mpit:%s can no longer be read at the end; the trace does not "
                        "contain it",
                        variables[i].name);
            continue;
        }
        counter.id++;
        counter.value = value - variables[i].base;
        snprintf(name, sizeof name, "%s%s", mpi_prefix, variables[i].name);
        tl_writer_define_counter(writer, &counter);
    }
}
