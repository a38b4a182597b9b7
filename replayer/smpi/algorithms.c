/* algorithms.c - the algorithms that SimGrid has for a collective, and what they need. */
#include "config.h"

#include "smpi/algorithms.h"

#include "actions.h"
#include "sandbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <simgrid/engine.h>
#include <smpi/smpi.h>

static const struct {
    const char *name;
    tl_action action;
} collectives[] = {{"allgather", TL_ACTION_ALLGATHER}, {"allgatherv", TL_ACTION_ALLGATHERV},
                   {"allreduce", TL_ACTION_ALLREDUCE}, {"alltoall", TL_ACTION_ALLTOALL},
                   {"alltoallv", TL_ACTION_ALLTOALLV}, {"barrier", TL_ACTION_BARRIER},
                   {"bcast", TL_ACTION_BCAST},         {"gather", TL_ACTION_GATHER},
                   {"reduce", TL_ACTION_REDUCE},       {"reduce_scatter", TL_ACTION_REDUCE_SCATTER},
                   {"scatter", TL_ACTION_SCATTER}};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives };

/* ---- the list ---- */

typedef struct question {
    const char *collective;
    int output;
} question;

/* SimGrid has no call that lists its algorithms. It prints the list when it refuses one, and then
 * aborts. */
static void ask(void *arg, int terminal)
{
    const question *q = arg;
    char option[64];
    (void)terminal;
    if (dup2(q->output, STDERR_FILENO) < 0)
        return;
    snprintf(option, sizeof option, "--cfg=smpi/%s:?", q->collective);
    char *argv[] = {(char *)"timeless", option, NULL};
    int argc = 2;
    smpi_init_options();
    simgrid_init(&argc, argv);
    SMPI_init();
}

/* These choose among the others. */
static int is_selector(const char *name, size_t length)
{
    static const char *const selectors[] = {"default",  "ompi", "mpich",
                                            "mvapich2", "impi", "automatic"};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++)
        if (strlen(selectors[i]) == length && !strncmp(selectors[i], name, length))
            return 1;
    return 0;
}

/* "Valid algorithms: default, ring (comment), ompi." becomes "ring"; 0 if there is no list. */
static int take_list(const char *text, char *out)
{
    static const char head[] = "Valid algorithms: ", separators[] = ", .;\n";
    char *const first = out;
    const char *at = strstr(text, head);
    for (at = at ? at + sizeof head - 1 : ""; *at && *at != '\n' && *at != '.' && *at != ';';) {
        const size_t length = strcspn(at, separators);
        if (at[0] != '(' && length && !is_selector(at, length)) {
            if (out > first)
                *out++ = ',';
            memcpy(out, at, length);
            out += length;
        }
        at += length;
        at += strspn(at, ", ");
    }
    *out = '\0';
    return out > first;
}

tl_status smpi_algorithms(const char *collective, char **out, tl_error *err)
{
    enum { ROOM = 16384 };
    tl_error ignored;
    size_t i = 0;
    while (i < N_COLLECTIVES && strcmp(collectives[i].name, collective) != 0)
        i++;
    if (i == N_COLLECTIVES)
        return tl_fail(err, TL_ERR_USAGE, "the smpi engine has no choice of algorithms for %s",
                       collective);
    const question q = {collective, memfd_create("timeless-algorithms", MFD_CLOEXEC)};
    char *text = calloc(2, ROOM);
    tl_status status = TL_OK;
    if (q.output < 0 || !text) {
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory for the list of algorithms");
    } else {
        tlr_sandbox_run(ask, (void *)&q, collective, &ignored);
        if (pread(q.output, text + ROOM, ROOM - 1, 0) < 0 || !take_list(text + ROOM, text))
            status = tl_fail(err, TL_ERR_UNSUPPORTED,
                             "this SimGrid does not list its algorithms of %s; name those that you "
                             "want",
                             collective);
    }
    if (q.output >= 0)
        close(q.output);
    if (status == TL_OK)
        *out = text;
    else
        free(text);
    return status;
}

/* ---- needs ---- */

static int is_power_of_two(uint32_t n)
{
    return n && !(n & (n - 1));
}

static int is_two(uint32_t n)
{
    return n == 2;
}

/* SimGrid's search for the sides of a mesh: from the square root, or the cube root, up to a half,
 * or a third, of the ranks. */
static int has_side(uint32_t n, unsigned n_axes)
{
    uint64_t side = 1;
    while ((n_axes == 3 ? (side + 1) * (side + 1) * (side + 1) : (side + 1) * (side + 1)) <= n)
        side++;
    for (; side <= n / n_axes; side++)
        if (n % (n_axes == 3 ? side * side : side) == 0)
            return 1;
    return 0;
}

static int is_mesh_2d(uint32_t n)
{
    return has_side(n, 2);
}

static int is_mesh_3d(uint32_t n)
{
    return has_side(n, 3);
}

static const struct {
    const char *collective, *algorithm, *text;
    int (*is_served)(uint32_t n_ranks);
} needs[] = {
#define SMPI_NEEDS(collective, algorithm, test, text) {#collective, #algorithm, text, test},
#include "smpi/algorithms.def"
};

static const char *lacks(const char *collective, size_t length, const char *algorithm, uint32_t n)
{
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strlen(needs[i].collective) == length &&
            !strncmp(needs[i].collective, collective, length) &&
            !strcmp(needs[i].algorithm, algorithm) && !needs[i].is_served(n))
            return needs[i].text;
    return NULL;
}

/* The size of the first communicator on which the trace makes this blocking call and that the
 * algorithm does not serve; 0: there is none. */
static uint32_t find_lack(const tlr_plan *plan, const char *choice, tl_action action,
                          const char **what)
{
    const size_t length = strcspn(choice, ":");
    for (size_t c = 0; c < plan->n_comms; c++) {
        const tlr_plan_comm *comm = &plan->comms[c];
        if (comm->n_members > 1 && (comm->calls & UINT64_C(1) << action) &&
            (*what = lacks(choice, length, choice + length + 1, comm->n_members)) != NULL)
            return comm->n_members;
    }
    return 0;
}

/* The collective that the option "smpi/alltoall:pair" is about, and "alltoall:pair"; NULL: another
 * option. */
static const char *choice_of(const char *option, size_t *collective)
{
    static const char prefix[] = "smpi/";
    const char *choice = option + sizeof prefix - 1;
    if (strncmp(option, prefix, sizeof prefix - 1) != 0 || !strchr(choice, ':'))
        return NULL;
    const size_t length = strcspn(choice, ":");
    for (size_t k = 0; k < N_COLLECTIVES; k++)
        if (strlen(collectives[k].name) == length &&
            !strncmp(collectives[k].name, choice, length)) {
            *collective = k;
            return choice;
        }
    return NULL;
}

tl_status smpi_check_algorithms(const tlr_plan *plan, const tlr_options *options, tl_error *err)
{
    for (size_t i = 0; i < options->n_cfg; i++) {
        size_t k = 0;
        const char *what = NULL, *choice = choice_of(options->cfg[i], &k);
        const uint32_t n = choice ? find_lack(plan, choice, collectives[k].action, &what) : 0;
        if (n)
            return tl_fail(err, TL_ERR_USAGE,
                           TLR_NOT_POSSIBLE "the algorithm %s of %s needs %s, but the trace calls "
                                            "it on %u ranks; choose another one",
                           strchr(choice, ':') + 1, collectives[k].name, what, n);
    }
    return TL_OK;
}

tl_status smpi_blame_algorithm(tl_action action, const tlr_options *options, tl_error *err)
{
    const tl_error before = *err;
    const char *reason = before.status == TLR_ERR_DEADLOCK        ? "its ranks wait forever"
                         : strstr(before.text, "SimGrid crashed") ? "this SimGrid crashes in it"
                         : strstr(before.text, "SimGrid")         ? "this SimGrid stops in it"
                                                                  : NULL;
    if (action == TL_ACTION_REDUCE_SCATTER_BLOCK)
        action = TL_ACTION_REDUCE_SCATTER;
    for (size_t i = options->n_cfg; i-- > 0 && reason;) {
        size_t k = 0;
        const char *choice = choice_of(options->cfg[i], &k);
        if (!choice || collectives[k].action != action)
            continue;
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       TLR_NOT_POSSIBLE "SimGrid's algorithm %s of %s fails on this call: %s; "
                                        "choose another one",
                       strchr(choice, ':') + 1, collectives[k].name, reason);
    }
    return before.status;
}
