/* select.c - chooses the algorithm of a collective. */
#include "config.h"

#include "ompi.h"
#include "machine/simgrid_options.h"
#include "program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct row {
    tl_action action;
    uint8_t id;
    const char *name;
} row;

static const row algorithms[] = {
#define TLR_ALGORITHM(id, action, name) {TL_ACTION_##action, TLR_##id, name},
#include "collectives/algorithms.def"
};
enum { N_ALGORITHMS = sizeof algorithms / sizeof *algorithms };

static const struct {
    const char *name;
    tl_action action;
} collectives[] = {{"barrier", TL_ACTION_BARRIER},
                   {"bcast", TL_ACTION_BCAST},
                   {"reduce", TL_ACTION_REDUCE},
                   {"allreduce", TL_ACTION_ALLREDUCE},
                   {"gather", TL_ACTION_GATHER},
                   {"scatter", TL_ACTION_SCATTER},
                   {"allgather", TL_ACTION_ALLGATHER},
                   {"alltoall", TL_ACTION_ALLTOALL},
                   {"reduce_scatter", TL_ACTION_REDUCE_SCATTER}};
enum { N_COLLECTIVES = sizeof collectives / sizeof *collectives, NAMES_BYTES = 400 };

/* The names of the algorithms of a collective. */
static void list_algorithms(tl_action action, const char *separator, char *names, size_t size)
{
    size_t used = 0;
    names[0] = '\0';
    for (size_t i = 0; i < N_ALGORITHMS && used < size; i++)
        if (algorithms[i].action == action)
            used += (size_t)snprintf(names + used, size - used, "%s%s", used ? separator : "",
                                     algorithms[i].name);
}

tl_status loggops_algorithms(const char *collective, char **out, tl_error *err)
{
    char names[NAMES_BYTES];
    size_t i = 0;
    while (i < N_COLLECTIVES && strcmp(collectives[i].name, collective) != 0)
        i++;
    if (i == N_COLLECTIVES)
        return tl_fail(err, TL_ERR_USAGE, "the loggops engine has no choice of algorithms for %s",
                       collective);
    list_algorithms(collectives[i].action, ",", names, sizeof names);
    *out = strdup(names);
    return *out ? TL_OK : tl_no_memory(err, "list of algorithms");
}

static tl_status wrong_algorithm(const char *collective, const char *algorithm, tl_action action,
                                 tl_error *err)
{
    char names[NAMES_BYTES];
    list_algorithms(action, ", ", names, sizeof names);
    return tl_fail(
        err, TL_ERR_USAGE,
        "--coll '%s:%s': the loggops engine does not have this algorithm; choose one of: %s",
        collective, algorithm, names);
}

static tl_status choose(const char *collective, const char *algorithm, loggops_choice *out,
                        tl_error *err)
{
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++) {
        if (strcmp(collectives[i].name, collective) != 0)
            continue;
        for (size_t j = 0; j < N_ALGORITHMS; j++)
            if (algorithms[j].action == collectives[i].action &&
                !strcmp(algorithms[j].name, algorithm)) {
                out->chosen[collectives[i].action] = algorithms[j].id;
                return TL_OK;
            }
        return wrong_algorithm(collective, algorithm, collectives[i].action, err);
    }
    return tl_fail(err, TL_ERR_USAGE,
                   "the loggops engine cannot take smpi/%s:%s; it has a choice (--coll) for "
                   "barrier, bcast, reduce, allreduce, gather, scatter, allgather, alltoall, "
                   "reduce_scatter",
                   collective, algorithm);
}

tl_status loggops_read_choice(const tlr_platform *platform, const tlr_options *options,
                              loggops_choice *out, tl_error *err)
{
    static const struct {
        const char *name;
        loggops_selector selector;
        const char *stand_ins;
    } selectors[] = {{"default", LOGGOPS_DEFAULT, "own algorithms for SMPI's;"},
                     {"ompi", LOGGOPS_OMPI, "ompi-4.1 for SMPI's ompi;"},
                     {"ompi-4.1", LOGGOPS_OMPI, NULL},
                     {"ompi-5.0", LOGGOPS_OMPI, NULL},
                     {"mpich", LOGGOPS_MPICH, NULL},
                     {"mvapich2", LOGGOPS_MPICH, "all mpich for mvapich2;"},
                     {"impi", LOGGOPS_MPICH, "all mpich for impi;"}};
    enum { N_SELECTORS = sizeof selectors / sizeof *selectors };
    /* The last two have no choice here. */
    static const char *const names[] = {"smpi/barrier",    "smpi/bcast",    "smpi/reduce",
                                        "smpi/allreduce",  "smpi/gather",   "smpi/scatter",
                                        "smpi/allgather",  "smpi/alltoall", "smpi/reduce_scatter",
                                        "smpi/allgatherv", "smpi/alltoallv"};
    *out = (loggops_choice){0};
    const char *wanted = options->coll_selector ? options->coll_selector : "default";
    size_t k = 0;
    while (k < N_SELECTORS && strcmp(selectors[k].name, wanted) != 0)
        k++;
    if (k == N_SELECTORS)
        return tl_fail(err, TL_ERR_USAGE, "the loggops engine does not have the selector '%s'",
                       wanted);
    out->selector = selectors[k].selector;
    out->is_ompi = tlr_ompi_has(wanted);
    if (selectors[k].stand_ins && !(out->stand_ins = strdup(selectors[k].stand_ins)))
        return tl_no_memory(err, "selector");
    tl_status status = TL_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == TL_OK; i++) {
        const char *algorithm = tlr_option_value(platform, options, names[i]);
        if (algorithm)
            status = choose(names[i] + strlen("smpi/"), algorithm, out, err);
    }
    return status;
}

/* ---- rules ---- */

static uint8_t as_ompi(const loggops_call *call, const char **instead_of)
{
    static const struct {
        tlr_ompi algorithm;
        uint8_t id, is_same;
    } ours[] = {
#define TLR_AS_OMPI(action, name, id, is_same) {OMPI_##action##_##name, TLR_##id, is_same},
#include "ompi_algorithms.def"
    };
    const tlr_ompi algorithm = tlr_ompi_choose(call->action, call->size, call->count, call->bytes);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i].algorithm == algorithm) {
            *instead_of = ours[i].is_same ? NULL : tlr_ompi_name(algorithm);
            return ours[i].id;
        }
    return tlr_algorithm_for(call->action);
}

/* The rules of SMPI's mpich (smpi_mpich_selector.cpp), which differ from those of MPICH 3.3 that
 * they were made from: doc/simgrid-findings.md. */
static uint8_t as_mpich(const loggops_call *call, const char **instead_of)
{
    const uint64_t KIB = 1024, bytes = call->bytes, all = bytes * call->size;
    const uint32_t size = call->size;
    const bool is_power = !(size & (size - 1)),
               has_few = !(call->count >> (31 - __builtin_clz(size)));
    switch (call->action) {
    case TL_ACTION_BCAST:
        if (bytes < 12 * KIB || size <= 8)
            return TLR_BCAST_BINOMIAL;
        return bytes < 512 * KIB && size % 2 == 0 ? TLR_BCAST_SCATTER_DOUBLING
                                                  : TLR_BCAST_SCATTER_RING;
    case TL_ACTION_REDUCE:
        if (call->is_noncommutative && call->root)
            *instead_of = "binomial to rank 0 and from there to the root";
        return has_few || bytes < 2 * KIB || call->is_noncommutative ? TLR_REDUCE_BINOMIAL
                                                                     : TLR_REDUCE_SCATTER_GATHER;
    case TL_ACTION_ALLREDUCE:
        return has_few || bytes <= 2 * KIB || call->is_noncommutative ? TLR_ALLREDUCE_DOUBLING
                                                                      : TLR_ALLREDUCE_RABENSEIFNER;
    case TL_ACTION_ALLGATHER: {
        const uint64_t limited =
            call->has_sizes ? call->count : all; /* elements of different blocks */
        if (limited < 512 * KIB && is_power)
            return TLR_ALLGATHER_DOUBLING;
        return limited <= 80 * KIB ? TLR_ALLGATHER_BRUCK : TLR_ALLGATHER_RING;
    }
    case TL_ACTION_ALLTOALL:
        if (bytes < 256 && size >= 8 && !call->has_sizes)
            return TLR_ALLTOALL_BRUCK;
        return bytes < 32 * KIB || call->has_sizes ? TLR_ALLTOALL_SCATTERED : TLR_ALLTOALL_RING;
    case TL_ACTION_REDUCE_SCATTER:
        if (call->is_noncommutative && is_power && call->is_even)
            *instead_of = "mpich_noncomm";
        return call->count > 512 * KIB && !call->is_noncommutative ? TLR_REDUCE_SCATTER_PAIRWISE
                                                                   : TLR_REDUCE_SCATTER_DOUBLING;
    case TL_ACTION_GATHER: return TLR_GATHER_BINOMIAL;
    case TL_ACTION_SCATTER: return TLR_SCATTER_BINOMIAL;
    case TL_ACTION_SCAN: return TLR_SCAN_AT_ONCE;
    default: return tlr_algorithm_for(call->action);
    }
}

/* Where several ranks share a host, SMPI's mpich broadcasts and reduces on hosts and among their
 * first ranks; TLR_NO_ALGORITHM: as if they did not. */
static uint8_t as_mpich_on_hosts(const loggops_call *call, int64_t parts[LOGGOPS_PARTS],
                                 const char **instead_of)
{
    const uint32_t n = call->n_on_host, n_hosts = n ? call->size / n : 0;
    const bool is_bcast = call->action == TL_ACTION_BCAST,
               is_all = call->action == TL_ACTION_ALLREDUCE;
    if ((!is_bcast && !is_all && call->action != TL_ACTION_REDUCE) || n == 1 ||
        (is_bcast ? call->is_uneven : call->is_noncommutative))
        return TLR_NO_ALGORITHM;
    if (!n) {
        *instead_of = is_bcast ? "SMP_binomial" : "mvapich2_two_level";
        return TLR_NO_ALGORITHM;
    }
    if (call->action == TL_ACTION_REDUCE && n_hosts == 1 && call->bytes > 2048) {
        *instead_of = "mvapich2_knomial";
        return TLR_REDUCE_BINOMIAL;
    }
    const char *ignored = NULL;
    loggops_call part = *call;
    part.size = n;
    parts[0] = n;
    parts[1] = is_bcast                ? TLR_NO_ALGORITHM
               : is_all || n_hosts > 1 ? as_mpich(&part, &ignored)
                                       : TLR_REDUCE_LINEAR;
    part.size = n_hosts;
    parts[2] = n_hosts == 1 ? TLR_NO_ALGORITHM
               : is_bcast   ? TLR_BCAST_BINOMIAL
               : is_all     ? TLR_ALLREDUCE_DOUBLING
                            : as_mpich(&part, &ignored);
    part.size = n;
    part.action = TL_ACTION_BCAST;
    parts[3] = is_bcast ? TLR_BCAST_BINOMIAL
               : is_all ? as_mpich(&part, &ignored)
                        : TLR_NO_ALGORITHM;
    return TLR_ON_HOSTS;
}

static const char *algorithm_name(uint8_t id)
{
    for (size_t i = 0; i < N_ALGORITHMS; i++)
        if (algorithms[i].id == id)
            return algorithms[i].name;
    return "";
}

/* Records once that one algorithm replaces another one; 0 without memory. */
static int note_stand_in(loggops_choice *choice, tl_action action, uint8_t id,
                         const char *instead_of)
{
    if (choice->noted[action] == instead_of)
        return 1;
    const char *collective = "", *before = choice->stand_ins ? choice->stand_ins : "";
    for (size_t i = 0; i < sizeof collectives / sizeof *collectives; i++)
        if (collectives[i].action == action)
            collective = collectives[i].name;
    char *note = NULL, *all = NULL;
    if (asprintf(&note, "%s %s for %s;", collective, algorithm_name(id), instead_of) < 0)
        return 0;
    const bool is_known = strstr(before, note) != NULL;
    if (!is_known && asprintf(&all, "%s%s%s", before, *before ? " " : "", note) < 0)
        all = NULL;
    free(note);
    if (!is_known && !all)
        return 0;
    if (all) {
        free(choice->stand_ins);
        choice->stand_ins = all;
    }
    choice->noted[action] = instead_of;
    return 1;
}

/* SMPI's reduce-ompi.cpp: whether it sends this reduction in segments of 1 KiB. */
static bool is_segmented(uint32_t size, uint64_t count, uint64_t bytes)
{
    const bool is_whole = (size < 8 && bytes < 20480) || bytes < 2048 || count <= 1;
    return !is_whole && size > 0.6016 / 1024 * (double)bytes + 1.3496;
}

/* The chosen algorithm, or what this engine has instead of it for this call. */
static uint8_t as_chosen(uint8_t id, const loggops_call *call, const char **instead_of)
{
    const bool is_power = !(call->size & (call->size - 1));
    if (id == TLR_REDUCE_IN_ORDER && is_segmented(call->size, call->count, call->bytes))
        *instead_of = "ompi_binomial in segments";
    if (is_power || (id != TLR_ALLGATHER_DOUBLING && id != TLR_ALLTOALL_PAIR))
        return id;
    *instead_of = algorithm_name(id);
    return id == TLR_ALLTOALL_PAIR ? TLR_ALLTOALL_RING : TLR_ALLGATHER_BRUCK;
}

uint8_t loggops_choose(loggops_choice *choice, const loggops_call *call,
                       int64_t parts[LOGGOPS_PARTS])
{
    const tl_action action = call->action;
    const bool has_rules = !call->has_sizes || action == TL_ACTION_REDUCE_SCATTER;
    if (call->size < 2 ||
        (call->has_sizes && (action == TL_ACTION_GATHER || action == TL_ACTION_SCATTER)))
        return tlr_algorithm_for(action);
    const char *instead_of = NULL;
    uint8_t id = tlr_algorithm_for(action);
    if (choice->chosen[action])
        id = as_chosen(choice->chosen[action], call, &instead_of);
    else if (choice->selector == LOGGOPS_OMPI && !choice->is_ompi && action == TL_ACTION_SCAN)
        id = TLR_SCAN_AT_ONCE; /* SMPI's; Open MPI's is a chain */
    else if (choice->selector == LOGGOPS_OMPI && has_rules)
        id = as_ompi(call, &instead_of);
    else if (choice->selector == LOGGOPS_MPICH &&
             !(id = as_mpich_on_hosts(call, parts, &instead_of))) {
        const char *before = instead_of;
        id = as_mpich(call, &instead_of);
        instead_of = before ? before : instead_of;
    }
    /* SMPI sends an element for each rank then. */
    if (id == TLR_REDUCE_SCATTER_GATHER && call->count < call->size)
        instead_of = "scatter_gather of fewer elements than ranks";
    return !instead_of || note_stand_in(choice, action, id, instead_of) ? id : TLR_NO_ALGORITHM;
}
