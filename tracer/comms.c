/* comms.c - communicators, windows and open files of this process, by handle. */
#include "config.h"

#include "comms.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static tlt_comm *table; /* open addressing; empty where handle is NULL */
static size_t table_size;
static size_t n_comms;
static uint32_t next_id;
static MPI_Group world_group;
static tlt_comm *latest; /* nearly always the one asked for */

static size_t slot_of(const void *handle)
{
    uint64_t hash = (uint64_t)(uintptr_t)handle * 0x9e3779b97f4a7c15U >> 32;
    size_t i = (size_t)hash & (table_size - 1);
    while (table[i].handle && table[i].handle != handle)
        i = (i + 1) & (table_size - 1);
    return i;
}

static bool resize(size_t size)
{
    tlt_comm *old = table;
    size_t old_size = table_size;
    tlt_comm *larger = calloc(size, sizeof *larger);
    if (!larger)
        return false;
    table = larger;
    table_size = size;
    latest = NULL;
    for (size_t i = 0; i < old_size; i++)
        if (old[i].handle)
            table[slot_of(old[i].handle)] = old[i];
    free(old);
    return true;
}

/* NULL when memory is short. */
static tlt_comm *insert(const void *handle, uint32_t id)
{
    if (n_comms * 2 >= table_size && !resize(table_size ? table_size * 2 : 64))
        return NULL;
    tlt_comm *c = &table[slot_of(handle)];
    *c = (tlt_comm){.handle = handle, .id = id};
    n_comms++;
    latest = NULL;
    return c;
}

static bool insert_predefined(MPI_Comm handle, uint32_t id)
{
    tlt_comm *c = insert(TLT_HANDLE(handle), id);
    if (!c)
        return false;
    tlt_pmpi.Comm_size(handle, &c->size);
    tlt_pmpi.Comm_rank(handle, &c->rank);
    c->n_peers = c->size;
    return true;
}

bool tlt_comms_reset(void)
{
    tlt_comms_free();
    next_id = TL_COMM_FIRST;
    tlt_pmpi.Comm_group(tlt_pmpi.comm_world, &world_group);
    return insert_predefined(tlt_pmpi.comm_world, TL_COMM_WORLD) &&
           insert_predefined(tlt_pmpi.comm_self, TL_COMM_SELF);
}

void tlt_comms_free(void)
{
    free(table);
    table = NULL;
    latest = NULL;
    table_size = n_comms = 0;
}

const tlt_comm *tlt_comm_find(const void *handle)
{
    if (__builtin_expect(latest && latest->handle == handle, 1))
        return latest;
    tlt_comm *c = &table[slot_of(handle)];
    if (!c->handle)
        return NULL;
    latest = c;
    return c;
}

/* ---- definitions ---- */

/* The ranks that `group` has in `numbering`, in order; NULL when memory is short.  Releases group.
 */
static int32_t *ranks_of(MPI_Group group, MPI_Group numbering, int *size)
{
    tlt_pmpi.Group_size(group, size);
    int *own = malloc((2 * (size_t)*size + 1) * sizeof *own);
    if (own) {
        for (int i = 0; i < *size; i++)
            own[*size + i] = i;
        tlt_pmpi.Group_translate_ranks(group, *size, own + *size, numbering, own);
    }
    tlt_pmpi.Group_free(&group);
    return own;
}

static bool all_in_world(const int32_t *members, int n)
{
    for (int i = 0; i < n; i++)
        if (members[i] < 0)
            return false;
    return true;
}

/* Writes the definition and makes the handle known by `found`.  Returns the id, TL_COMM_NULL when
 * recording has ended. */
static uint32_t define(tl_comm *definition, const tlt_comm *found)
{
    bool complete = definition->members && all_in_world(definition->members, found->size) &&
                    (!found->is_inter ||
                     (definition->remote && all_in_world(definition->remote, found->n_peers)));
    tlt_comm *c = complete ? insert(found->handle, next_id) : NULL;
    if (!c) {
        tlt_fail(complete ? "out of memory for communicators"
                          : "cannot find the members of a communicator");
        return TL_COMM_NULL;
    }
    *c = *found;
    c->id = next_id;
    definition->id = next_id;
    definition->n_members = (uint32_t)c->size;
    definition->n_remote = c->is_inter ? (uint32_t)c->n_peers : 0;
    definition->n_sources = (uint32_t)c->n_sources;
    definition->n_destinations = (uint32_t)c->n_destinations;
    tl_writer_define_comm(tlt.writer, definition); /* a failure returns with the next event */
    return next_id++;
}

static void cart_neighbours(MPI_Comm comm, int32_t *ranks, int n_dims)
{
    for (int d = 0; d < n_dims; d++, ranks += 2) {
        tlt_pmpi.Cart_shift(comm, d, 1, &ranks[0], &ranks[1]);
        for (int side = 0; side < 2; side++)
            if (ranks[side] == MPI_PROC_NULL)
                ranks[side] = TL_PROC_NULL;
    }
}

/* The neighbours in a topology: sources, then destinations, in one block that the caller frees. */
static int32_t *neighbours_of(MPI_Comm comm, tlt_comm *c)
{
    int topology = MPI_UNDEFINED, weighted, n = 0;
    tlt_pmpi.Topo_test(comm, &topology);
    if (topology == MPI_CART)
        tlt_pmpi.Cartdim_get(comm, &n);
    if (topology == MPI_GRAPH)
        tlt_pmpi.Graph_neighbors_count(comm, c->rank, &n);
    c->n_sources = c->n_destinations = topology == MPI_CART ? 2 * n : n;
    if (topology == MPI_DIST_GRAPH)
        tlt_pmpi.Dist_graph_neighbors_count(comm, &c->n_sources, &c->n_destinations, &weighted);
    size_t n_all = (size_t)c->n_sources + (size_t)c->n_destinations;
    int32_t *ranks = n_all ? malloc(2 * n_all * sizeof *ranks) : NULL;
    if (!ranks) {
        if (n_all)
            tlt_fail("out of memory for communicators");
        c->n_sources = c->n_destinations = 0;
        return NULL;
    }
    int32_t *destinations = ranks + c->n_sources, *weights = ranks + n_all;
    if (topology == MPI_CART)
        cart_neighbours(comm, ranks, n);
    else if (topology == MPI_GRAPH)
        tlt_pmpi.Graph_neighbors(comm, c->rank, n, ranks);
    else
        tlt_pmpi.Dist_graph_neighbors(comm, c->n_sources, ranks, weights, c->n_destinations,
                                      destinations, weights + c->n_sources);
    if (topology != MPI_DIST_GRAPH)
        memcpy(destinations, ranks, (size_t)c->n_sources * sizeof *ranks);
    return ranks;
}

uint32_t tlt_comm_define(MPI_Comm handle, MPI_Comm like, uint32_t parent, uint16_t call,
                         const int *tag)
{
    if (handle == tlt_pmpi.comm_null || parent == TL_COMM_NULL || !tlt.writer)
        return TL_COMM_NULL;
    MPI_Group group;
    int is_inter = 0;
    tlt_comm c = {.handle = TLT_HANDLE(handle)};
    tlt_pmpi.Comm_test_inter(like, &is_inter);
    tlt_pmpi.Comm_rank(like, &c.rank);
    tlt_pmpi.Comm_group(like, &group);
    int32_t *members = ranks_of(group, world_group, &c.size), *remote = NULL;
    c.is_inter = is_inter;
    c.n_peers = c.size;
    if (is_inter) {
        tlt_pmpi.Comm_remote_group(like, &group);
        remote = ranks_of(group, world_group, &c.n_peers);
    }
    int32_t *neighbours = is_inter ? NULL : neighbours_of(like, &c);
    tl_comm definition = {.parent = parent,
                          .call = call,
                          .has_tag = tag != NULL,
                          .tag = tag ? *tag : 0,
                          .members = members,
                          .remote = remote,
                          .sources = neighbours,
                          .destinations = neighbours ? neighbours + c.n_sources : NULL};
    uint32_t id = define(&definition, &c);
    free(members);
    free(remote);
    free(neighbours);
    return id;
}

/* A window or a file: no topology, no other group. */
static uint32_t define_group(const void *handle, MPI_Group group, uint32_t parent, uint16_t call,
                             const char *name)
{
    tlt_comm c = {.handle = handle};
    tlt_pmpi.Group_rank(group, &c.rank);
    int32_t *members = ranks_of(group, world_group, &c.size);
    c.n_peers = c.size;
    char room[3 * PATH_MAX];
    tl_comm definition = {.parent = parent,
                          .call = call,
                          .members = members,
                          .name = name ? tlt_utf8(name, room, sizeof room) : NULL};
    uint32_t id = define(&definition, &c);
    free(members);
    return id;
}

uint32_t tlt_win_define(MPI_Win handle, uint32_t parent, uint16_t call)
{
    MPI_Group group;
    if (parent == TL_COMM_NULL || !tlt.writer)
        return TL_COMM_NULL;
    tlt_pmpi.Win_get_group(handle, &group);
    return define_group(TLT_HANDLE(handle), group, parent, call, NULL);
}

uint32_t tlt_file_define(MPI_File handle, uint32_t parent, uint16_t call, const char *name)
{
    MPI_Group group;
    if (parent == TL_COMM_NULL || !tlt.writer)
        return TL_COMM_NULL;
    tlt_pmpi.File_get_group(handle, &group);
    return define_group(TLT_HANDLE(handle), group, parent, call, name);
}

void tlt_list_group(tl_event *e, MPI_Group group, MPI_Win win)
{
    MPI_Group window_group;
    int size = 0;
    tlt_pmpi.Win_get_group(win, &window_group);
    tlt_pmpi.Group_size(group, &size);
    int *ranks = malloc((2 * (size_t)size + 1) * sizeof *ranks);
    if (!ranks || !tlt_reserve_list((size_t)size)) {
        tlt_fail("out of memory for a group");
    } else {
        for (int i = 0; i < size; i++)
            ranks[i] = i;
        tlt_pmpi.Group_translate_ranks(group, size, ranks, window_group, ranks + size);
        for (int i = 0; i < size; i++)
            tlt_self.list[i] = ranks[size + i];
        e->list = tlt_self.list;
        e->list_len = (uint32_t)size;
    }
    free(ranks);
    tlt_pmpi.Group_free(&window_group);
}

/* Open addressing: what stands behind in the same run of slots moves up. */
void tlt_comm_remove(const void *handle)
{
    size_t hole = slot_of(handle);
    if (!table[hole].handle)
        return;
    table[hole].handle = NULL;
    n_comms--;
    latest = NULL;
    for (size_t i = (hole + 1) & (table_size - 1); table[i].handle;
         i = (i + 1) & (table_size - 1)) {
        tlt_comm moved = table[i];
        table[i].handle = NULL;
        table[slot_of(moved.handle)] = moved;
    }
}
