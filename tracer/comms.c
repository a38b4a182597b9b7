/* comms.c - communicators of this process, by handle. */
#include "config.h"

#include "comms.h"

#include <stdlib.h>
#include <string.h>

#include "runtime.h"

static tlt_comm *table; /* open addressing; empty where handle is NULL */
static size_t table_size;
static size_t n_comms;
static uint32_t next_id;
static MPI_Group world_group;
static tlt_comm *latest; /* nearly always the one asked for */

static size_t slot_of(MPI_Comm handle)
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

static bool insert(MPI_Comm handle, uint32_t id)
{
    if (n_comms * 2 >= table_size && !resize(table_size ? table_size * 2 : 64))
        return false;
    tlt_comm *c = &table[slot_of(handle)];
    *c = (tlt_comm){.handle = handle, .id = id};
    tlt_pmpi.Comm_size(handle, &c->size);
    tlt_pmpi.Comm_rank(handle, &c->rank);
    n_comms++;
    latest = NULL;
    return true;
}

bool tlt_comms_reset(void)
{
    tlt_comms_free();
    next_id = TL_COMM_FIRST;
    tlt_pmpi.Comm_group(tlt_pmpi.comm_world, &world_group);
    return insert(tlt_pmpi.comm_world, TL_COMM_WORLD) && insert(tlt_pmpi.comm_self, TL_COMM_SELF);
}

void tlt_comms_free(void)
{
    free(table);
    table = NULL;
    latest = NULL;
    table_size = n_comms = 0;
}

const tlt_comm *tlt_comm_find(MPI_Comm handle)
{
    if (__builtin_expect(latest && latest->handle == handle, 1))
        return latest;
    tlt_comm *c = &table[slot_of(handle)];
    if (!c->handle)
        return NULL;
    latest = c;
    return c;
}

/* Ranks in MPI_COMM_WORLD of the members, in order; NULL when memory is short or a member is not in
 * this world. */
static int32_t *members_of(MPI_Comm handle, int size)
{
    MPI_Group group;
    int *own = malloc(2 * sizeof(int) * (size_t)size);
    if (!own)
        return NULL;
    int *in_world = own + size;
    for (int i = 0; i < size; i++)
        own[i] = i;
    tlt_pmpi.Comm_group(handle, &group);
    tlt_pmpi.Group_translate_ranks(group, size, own, world_group, in_world);
    tlt_pmpi.Group_free(&group);
    for (int i = 0; i < size; i++) {
        if (in_world[i] < 0) {
            free(own);
            return NULL;
        }
        own[i] = in_world[i];
    }
    return own;
}

uint32_t tlt_comm_define(MPI_Comm handle, uint32_t parent, uint16_t call)
{
    int inter = 0;
    if (handle == tlt_pmpi.comm_null || parent == TL_COMM_NULL)
        return TL_COMM_NULL;
    tlt_pmpi.Comm_test_inter(handle, &inter);
    if (inter)
        return TL_COMM_NULL;
    if (!insert(handle, next_id)) {
        tlt_fail("out of memory for communicators");
        return TL_COMM_NULL;
    }
    const tlt_comm *c = tlt_comm_find(handle);
    int32_t *members = members_of(handle, c->size);
    if (!members) {
        tlt_fail("cannot tell the members of a communicator");
        return TL_COMM_NULL;
    }
    tl_comm definition = {.id = next_id,
                          .parent = parent,
                          .call = call,
                          .n_members = (uint32_t)c->size,
                          .members = members};
    tl_writer_define_comm(tlt.writer, &definition); /* a failure returns with the next event */
    free(members);
    return next_id++;
}

/* Open addressing: what stands behind in the same run of slots moves up. */
void tlt_comm_remove(MPI_Comm handle)
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
