/* extrapolate_comms.c - communicators that are slices of a grid: all ranks, rows, planes, one rank.
 */
#include "extrapolate.h"

#include <inttypes.h>
#include <stdio.h>

static unsigned all_dims(const tl_grid *g)
{
    return (1U << g->n_dims) - 1;
}

static bool is_slice(const tl_grid *g, uint32_t rank, const tl_comm *comm, unsigned dims,
                     int32_t *members)
{
    if (comm->n_members != tl_slice_size(g, dims))
        return false;
    tl_slice_members(g, rank, dims, members);
    return !memcmp(members, comm->members, comm->n_members * sizeof *members);
}

/* The dimensions along which the members lie. A dimension with one rank counts only if the slice
 * has all ranks. False if the members are no slice. */
static bool find_dims(const tl_grid *g, uint32_t rank, const tl_comm *comm, unsigned *dims,
                      int32_t *members)
{
    *dims = all_dims(g);
    if (is_slice(g, rank, comm, *dims, members) && comm->n_members > 1)
        return true;
    for (*dims = 0; *dims < all_dims(g); ++*dims)
        if (is_slice(g, rank, comm, *dims, members))
            return true;
    return false;
}

/* The neighbours along each dimension, in the order of MPI_Cart_create, and their number. */
static uint32_t cart_neighbours(const tl_grid *g, uint32_t rank, unsigned dims,
                                int32_t out[2 * TL_MAX_DIMS])
{
    uint32_t n = 0;
    for (int d = 0; d < g->n_dims; d++)
        for (int side = -1; side <= 1 && (dims & 1U << d); side += 2) {
            tl_way way = {{0}};
            way.step[d] = (int8_t)side;
            const int64_t to = tl_grid_go(g, rank, way);
            out[n++] = to < 0 ? TL_PROC_NULL : (int32_t)tl_slice_index(g, (uint32_t)to, dims);
        }
    return n;
}

/* Whether the neighbours of a communicator are those of a Cartesian communicator of its slice. */
static bool is_cart(const tl_grid *g, uint32_t rank, const tl_comm *comm, unsigned dims)
{
    int32_t expected[2 * TL_MAX_DIMS];
    const uint32_t n = cart_neighbours(g, rank, dims, expected);
    return comm->n_sources == n && comm->n_destinations == n &&
           !memcmp(comm->sources, expected, n * sizeof *expected) &&
           !memcmp(comm->destinations, expected, n * sizeof *expected);
}

static tl_status find_kind(const tl_extrapolating *x, uint32_t rank, const tl_comm *comm,
                           int32_t *members, tl_comm_kind *kind)
{
    char grid[TL_GRID_TEXT_BYTES];
    tl_grid_text(&x->from, grid);
    kind->id = comm->id;
    if (comm->n_remote)
        return tl_refuse(x,
                         "rank %" PRIu32 " makes an intercommunicator (%" PRIu32
                         "), which is not extrapolated",
                         rank, comm->id);
    if (!find_dims(&x->from, rank, comm, &kind->dims, members))
        return tl_refuse(x,
                         "communicator %" PRIu32 " of rank %" PRIu32 " (%s, %" PRIu32
                         " members) does not consist of all ranks, a row or a plane of a %s grid "
                         "in the order of the ranks; no others are extrapolated",
                         comm->id, rank, tl_call_by_code(comm->call)->name, comm->n_members, grid);
    for (int d = 0; d < x->from.n_dims && comm->n_members < x->n_ranks; d++)
        if (x->from.size[d] == 1 && x->to.size[d] > 1 && comm->n_members > 1)
            return tl_refuse(x,
                             "communicator %" PRIu32 " of rank %" PRIu32
                             ": the trace does not show whether it lies along dimension %d, where "
                             "the %s grid has one rank; record with more ranks",
                             comm->id, rank, d + 1, grid);
    if ((comm->n_sources || comm->n_destinations) && !is_cart(&x->from, rank, comm, kind->dims))
        return tl_refuse(x,
                         "communicator %" PRIu32 " of rank %" PRIu32
                         " (%s) has other neighbours than a %s grid; only Cartesian topologies "
                         "are extrapolated",
                         comm->id, rank, tl_call_by_code(comm->call)->name, grid);
    return TL_OK;
}

/* Reads the communicators of a rank. Those of rank 0 are kept, and those of other ranks are
 * compared with them. */
static tl_status find_kinds_of(tl_extrapolating *x, uint32_t rank, int32_t *members)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(x->r, rank, &comms);
    for (size_t i = 0; i < n; i++) {
        tl_comm_kind kind;
        tl_status status = find_kind(x, rank, &comms[i], members, &kind);
        if (status)
            return status;
        if (!rank)
            x->kinds[x->n_kinds++] = kind;
        else if (i >= x->n_kinds || x->kinds[i].id != kind.id || x->kinds[i].dims != kind.dims)
            return tl_refuse(x,
                             "communicator %" PRIu32 " of rank %" PRIu32
                             " has no like on rank 0; only what all ranks make is extrapolated",
                             kind.id, rank);
    }
    if (n < x->n_kinds)
        return tl_refuse(x,
                         "communicator %" PRIu32 " of rank 0 has no like on rank %" PRIu32
                         "; only what all ranks make is extrapolated",
                         x->kinds[n].id, rank);
    return TL_OK;
}

tl_status tl_comm_kinds_find(tl_extrapolating *x)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(x->r, 0, &comms);
    free(x->kinds);
    x->n_kinds = 0;
    x->kinds = calloc(n + 1, sizeof *x->kinds);
    int32_t *members = malloc((size_t)x->n_ranks * sizeof *members);
    tl_status status = TL_OK;
    if (!x->kinds || !members)
        status = tl_no_memory(x->err, tl_reader_path(x->r));
    for (uint32_t rank = 0; rank < x->n_ranks && !status; rank++)
        status = find_kinds_of(x, rank, members);
    free(members);
    return status;
}

unsigned tl_comm_dims(const tl_extrapolating *x, uint32_t comm)
{
    if (comm == TL_COMM_WORLD)
        return all_dims(&x->from);
    for (size_t i = 0; i < x->n_kinds; i++)
        if (x->kinds[i].id == comm)
            return x->kinds[i].dims;
    return 0; /* TL_COMM_SELF */
}

tl_status tl_comm_kinds_define(const tl_extrapolating *x, uint32_t like, uint32_t rank,
                               tl_writer *w)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(x->r, like, &comms);
    if (!n)
        return TL_OK;
    int32_t *members = malloc((size_t)tl_grid_n_ranks(&x->to) * sizeof *members);
    tl_status status = members ? TL_OK : TL_ERR_MEMORY;
    for (size_t i = 0; i < n && !status; i++) {
        int32_t neighbours[2 * TL_MAX_DIMS];
        tl_comm comm = comms[i];
        comm.n_members = tl_slice_size(&x->to, x->kinds[i].dims);
        tl_slice_members(&x->to, rank, x->kinds[i].dims, members);
        comm.members = members;
        if (comm.n_sources || comm.n_destinations) {
            cart_neighbours(&x->to, rank, x->kinds[i].dims, neighbours);
            comm.sources = comm.destinations = neighbours;
        }
        status = tl_writer_define_comm(w, &comm);
    }
    free(members);
    return status;
}
