/* ompi.c - the algorithm that Open MPI 4.1 or 5.0 chooses for a collective. */
#include "config.h"

#include "ompi.h"

#include "machine/simgrid_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint32_t power_of_two_in(uint32_t n)
{
    return n ? UINT32_C(1) << (31 - (unsigned)__builtin_clz(n)) : 0;
}

/* The decision that an algorithm of coll_base makes before it begins. */
static tlr_ompi left_to(tlr_ompi algorithm, uint32_t n_ranks, uint64_t count)
{
    const uint32_t core = power_of_two_in(n_ranks);
    switch (algorithm) {
    case OMPI_ALLREDUCE_RING:
        return count < n_ranks ? OMPI_ALLREDUCE_RECURSIVE_DOUBLING : algorithm;
    case OMPI_ALLREDUCE_RABENSEIFNER: return count < core ? OMPI_ALLREDUCE_LINEAR : algorithm;
    case OMPI_REDUCE_RABENSEIFNER: return count < core ? OMPI_REDUCE_LINEAR : algorithm;
    case OMPI_BCAST_SPLIT_BINARY_TREE: return count < 2 ? OMPI_BCAST_CHAIN : algorithm;
    case OMPI_ALLGATHER_RECURSIVE_DOUBLING:
        return n_ranks != core ? OMPI_ALLGATHER_BRUCK : algorithm;
    case OMPI_ALLGATHER_NEIGHBOR: return n_ranks % 2 ? OMPI_ALLGATHER_RING : algorithm;
    default: return algorithm;
    }
}

tlr_ompi tlr_ompi_choose(tl_action family, uint32_t n_ranks, uint64_t count, uint64_t bytes)
{
    static const struct {
        tl_action family;
        uint32_t ranks, bytes;
        tlr_ompi algorithm;
    } rules[] = {
#define OMPI_RULE(action, ranks, bytes, id)                                                        \
    {TL_ACTION_##action, ranks, bytes, OMPI_##action##_##id},
#include "ompi_rules.def"
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].family == family && (!rules[i].ranks || n_ranks < rules[i].ranks) &&
            (!rules[i].bytes || bytes < rules[i].bytes))
            return left_to(rules[i].algorithm, n_ranks, count);
    return OMPI_NONE;
}

const char *tlr_ompi_name(tlr_ompi algorithm)
{
    static const char *const names[] = {
        [OMPI_NONE] = "",
#define OMPI_ALGORITHM(action, id, name) [OMPI_##action##_##id] = (name),
#include "ompi_rules.def"
    };
    return names[algorithm];
}

tlr_ompi_making tlr_ompi_making_of(unsigned call)
{
    switch (call) {
    case TL_MPI_Comm_split:
    case TL_MPI_Cart_sub: return (tlr_ompi_making){.gathers = 1, .n_agreements = 3};
    case TL_MPI_Comm_split_type: return (tlr_ompi_making){.compares = 1, .n_agreements = 3};
    case TL_MPI_Comm_dup:
    case TL_MPI_Comm_dup_with_info:
    case TL_MPI_Comm_create:
    case TL_MPI_Cart_create:
    case TL_MPI_Graph_create:
    case TL_MPI_Dist_graph_create_adjacent: return (tlr_ompi_making){.n_agreements = 3};
    default: return (tlr_ompi_making){0};
    }
}

int tlr_ompi_has(const char *selector)
{
    return selector && (!strcmp(selector, "ompi-4.1") || !strcmp(selector, "ompi-5.0"));
}

static const char *selector_of(const char *library)
{
    static const struct {
        const char *library, *selector;
    } known[] = {{"Open MPI v4.1.", "ompi-4.1"},
                 {"Open MPI v5.0.", "ompi-5.0"},
                 {"MPICH Version:", "mpich"},
                 {"MVAPICH2 ", "mvapich2"},
                 {"Intel(R) MPI ", "impi"}};
    for (size_t i = 0; library && i < sizeof known / sizeof *known; i++)
        if (!strncmp(known[i].library, library, strlen(known[i].library)))
            return known[i].selector;
    return NULL;
}

static const char *library_of(const tlr_job *job)
{
    const char *library = tl_reader_run(job->trace)->mpi_library;
    return library ? library : "";
}

static tl_status recorded(const tlr_job *jobs, size_t n_jobs, const char **out, tl_error *err)
{
    const char *selector = NULL;
    for (size_t j = 0; j < n_jobs; j++) {
        const char *library = library_of(&jobs[j]), *next = selector_of(library);
        if (!*library) /* as of most skeletons: nothing was recorded */
            continue;
        if (!next)
            return tl_fail(err, TL_ERR_USAGE,
                           "%s: --coll-selector recorded: there is no selector for the MPI library "
                           "of the trace (%s); name a selector",
                           tl_reader_path(jobs[j].trace), library);
        if (selector && strcmp(selector, next) != 0)
            return tl_fail(err, TL_ERR_USAGE,
                           "%s: --coll-selector recorded: this trace needs %s, but another trace "
                           "needs %s; name a selector for all",
                           tl_reader_path(jobs[j].trace), next, selector);
        selector = next;
    }
    *out = selector;
    return TL_OK;
}

tl_status tlr_ompi_select(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                          tlr_options *options, tl_error *err)
{
    tl_error ignored;
    const char **selector = &options->coll_selector;
    const bool is_named = *selector != NULL;
    if (is_named && strcmp(*selector, "recorded") != 0)
        return TL_OK;
    if (is_named) {
        const tl_status status = recorded(jobs, n_jobs, selector, err);
        if (status != TL_OK || *selector)
            return status;
    }
    *selector = tlr_option_value(platform, options, "smpi/coll-selector");
    if (!*selector)
        (void)recorded(jobs, n_jobs, selector, &ignored);
    return TL_OK;
}

/* Ranks without hosts (LogGOPS) are on as many nodes. */
static bool is_on_several_hosts(const tlr_prediction *p)
{
    for (uint32_t r = 1; r < p->n_ranks; r++)
        if (!p->ranks[r].host || strcmp(p->ranks[r].host, p->ranks[0].host) != 0)
            return 1;
    return 0;
}

/* Adds a note in the brackets behind the name of the selector. */
static int add_note(tlr_prediction *p, const char *note)
{
    char *text = NULL;
    const bool is_first = !strchr(p->coll_selector, '(');
    const int n = (int)strlen(p->coll_selector) - (is_first ? 0 : 1);
    if (asprintf(&text, "%.*s%s%s)", n, p->coll_selector, is_first ? " (" : "; ", note) < 0)
        return 0;
    free(p->coll_selector);
    p->coll_selector = text;
    return 1;
}

int tlr_ompi_note(const tlr_job *job, const tlr_options *options, tlr_prediction *p)
{
    static const char ompi_5[] = "ompi-5.0";
    const char *library = library_of(job);
    char note[160];
    /* Across hosts, Open MPI 5.0 prefers its component han to tuned, whose rules these are. */
    if (!strncmp(p->coll_selector, ompi_5, sizeof ompi_5 - 1) && is_on_several_hosts(p))
        return add_note(p, "tuned for han");
    if (options->coll_selector || !*library)
        return 1;
    if (selector_of(library))
        return add_note(p, "the libraries of the traces differ; see --coll-selector");
    snprintf(note, sizeof note, "no rules for %.*s; see --coll-selector",
             (int)strcspn(library, ","), library);
    return add_note(p, note);
}
