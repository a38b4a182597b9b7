/* family.c - what the rest of the tracer needs of one family of MPI (interface.h). */
#include "config.h"

#include "pmpi.h" /* first: it names what follows */

#include <stdio.h>
#include <string.h>

#include "comms.h"
#include "counters.h"
#include "mpi/interface.h"

static void find_world(int *rank, int *n_ranks)
{
    tlt_pmpi.Comm_rank(tlt_pmpi.comm_world, rank);
    tlt_pmpi.Comm_size(tlt_pmpi.comm_world, n_ranks);
}

static void find_least(const int *mine, int *least, int n)
{
    tlt_pmpi.Allreduce(mine, least, n, tlt_pmpi.integer, tlt_pmpi.min, tlt_pmpi.comm_world);
}

static void gather(const void *mine, void *all, size_t n_bytes)
{
    tlt_pmpi.Allgather(mine, (int)n_bytes, tlt_pmpi.byte, all, (int)n_bytes, tlt_pmpi.byte,
                       tlt_pmpi.comm_world);
}

static void share(void *data, size_t n_bytes, int root)
{
    tlt_pmpi.Bcast(data, (int)n_bytes, tlt_pmpi.byte, root, tlt_pmpi.comm_world);
}

static void barrier(void)
{
    tlt_pmpi.Barrier(tlt_pmpi.comm_world);
}

static bool is_spawned(void)
{
    MPI_Comm parent = tlt_pmpi.comm_null;
    tlt_pmpi.Comm_get_parent(&parent);
    return parent != tlt_pmpi.comm_null;
}

static bool permits_threads(void)
{
    int level = MPI_THREAD_SINGLE;
    if (tlt_pmpi.Query_thread)
        tlt_pmpi.Query_thread(&level);
    return level >= MPI_THREAD_SERIALIZED;
}

static void describe_library(char *text, size_t size)
{
    static char whole[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    tlt_pmpi.Get_library_version(whole, &length);
    whole[strcspn(whole, "\n")] = '\0';
    for (char *p = whole; *p; p++)
        if (*p == '\t')
            *p = ' ';
    snprintf(text, size, "%.*s", (int)size - 1, whole);
}

const tlt_family TLT_FAMILY(family) = {
    .name = TLT_FAMILY_NAME,
    .wrappers =
        {
#define TL_CALL(code, name, ...) [TLT_FN_##name] = (tlt_function_pointer)TLT_WRAPPER(name),
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE TL_CALL
#include "mpi_calls.def"
#define TL_CALL(code, name, ...)                                                                   \
    LARGE_##name([TLT_FN_##name##_c] = (tlt_function_pointer)TLT_WRAPPER(name##_c), )
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
        },
    .resolve = tlt_pmpi_resolve,
    .world = find_world,
    .least = find_least,
    .gather = gather,
    .share = share,
    .barrier = barrier,
    .is_spawned = is_spawned,
    .permits_threads = permits_threads,
    .library = describe_library,
    .has_all_ranks = TLT_HAS_ALL_RANKS,
    .comms_reset = tlt_comms_reset,
    .completion_free = tlt_completion_free,
    .counters_read_list = tlt_counters_read_list,
    .counters_start_papi = tlt_counters_start_papi,
    .counters_start = tlt_counters_start,
    .counters_mark = tlt_counters_mark,
    .counters_write = tlt_counters_write,
};
