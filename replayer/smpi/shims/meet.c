/* meet.c - collectives that take no simulated time, while the communicators are built.
 *
 * SMPI broadcasts the number of a new communicator, and exchanges the addresses of a new window by
 * an allgather. These messages would take simulated time. The trace could then not begin at second
 * 0, as the program does under smpirun: SimGrid's rounding depends on its clock, and on the earlier
 * traffic of the links. Until smpi_meet_end, the ranks therefore pass the data to each other in
 * memory, because they share one address space.
 *
 * SMPI's collectives are pointers to functions, in variables of libsimgrid that SMPI_init sets. */
#include "config.h"

#include "shims.h"
#include "smpi/hash.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The place where the members of a group, or some of them, meet. Communicators of one group are
 * built one after the other. */
typedef struct place {
    struct place *next; /* of all */
    smpi_entry entry;
    sg_bar_t barrier;
    char *data; /* of all members */
    size_t room;
} place;

typedef int bcast_function(void *, int, MPI_Datatype, int, MPI_Comm);
typedef int barrier_function(MPI_Comm);
typedef int allgather_function(const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
                               MPI_Comm);
typedef int allreduce_function(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);

static smpi_table places; /* by group and part_of */
static place *first;
/* Which functions SMPI calls. */
extern bcast_function *bcast SMPI_THEIRS(SG_BCAST);
extern barrier_function *barrier SMPI_THEIRS(SG_BARRIER);
extern allgather_function *allgather SMPI_THEIRS(SG_ALLGATHER);
static bcast_function *their_bcast;
static barrier_function *their_barrier;
static allgather_function *their_allgather;

/* Ranks that look for their neighbours on hosts (contents.c) make communicators of their own for
 * the first ranks of all hosts and for the ranks of one host; it is one of the latter if
 * `is_of_host`.  The part of the group that meets: NULL for all, this table for the first ranks,
 * the host for its ranks. */
static const void *part_of(MPI_Comm comm, bool is_of_host)
{
    const MPI_Comm whole = smpi_looks_in();
    if (whole == MPI_COMM_NULL || whole == comm)
        return NULL;
    return is_of_host ? (const void *)sg_host_self() : &places;
}

static place *find_place(MPI_Comm comm, size_t bytes, bool is_of_host)
{
    const MPI_Comm whole = smpi_looks_in();
    const void *part = part_of(comm, is_of_host);
    MPI_Group group;
    MPI_Comm_group(whole == MPI_COMM_NULL ? comm : whole, &group);
    place *p = smpi_find(&places, (uintptr_t)group, (uintptr_t)part);
    if (!p) {
        int n_members;
        p = smpi_alloc(1, sizeof *p);
        smpi_add(&places, &p->entry, (uintptr_t)group, (uintptr_t)part, p);
        p->next = first;
        first = p;
        MPI_Comm_size(comm, &n_members);
        p->barrier = sg_barrier_init((unsigned)n_members);
    }
    if (p->room < bytes) {
        free(p->data);
        p->data = smpi_alloc(1, bytes);
        p->room = bytes;
    }
    return p;
}

static size_t bytes_of(int count, MPI_Datatype type)
{
    int size;
    MPI_Type_size(type, &size);
    return (size_t)count * (size_t)size;
}

static int meet_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    const size_t bytes = bytes_of(count, type);
    int rank;
    place *p = find_place(comm, bytes, 1);
    MPI_Comm_rank(comm, &rank);
    if (rank == root)
        memcpy(p->data, buffer, bytes);
    sg_barrier_wait(p->barrier);
    if (rank != root)
        memcpy(buffer, p->data, bytes);
    sg_barrier_wait(p->barrier);
    return MPI_SUCCESS;
}

static int meet_barrier(MPI_Comm comm)
{
    sg_barrier_wait(find_place(comm, 0, 0)->barrier);
    return MPI_SUCCESS;
}

static int meet_allgather(const void *send, int count, MPI_Datatype type, void *receive,
                          int receive_count, MPI_Datatype receive_type, MPI_Comm comm)
{
    (void)receive_count, (void)receive_type;
    const size_t bytes = bytes_of(count, type);
    int rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &n);
    place *p = find_place(comm, (size_t)n * bytes, 0);
    memcpy(p->data + (size_t)rank * bytes, send, bytes);
    sg_barrier_wait(p->barrier);
    memcpy(receive, p->data, (size_t)n * bytes);
    sg_barrier_wait(p->barrier);
    return MPI_SUCCESS;
}

static int meet_allreduce(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                          MPI_Comm comm)
{
    const size_t bytes = bytes_of(count, type);
    int n;
    MPI_Comm_size(comm, &n);
    char *all = smpi_alloc((size_t)n, bytes);
    meet_allgather(send, count, type, all, count, type, comm);
    memcpy(receive, all, bytes);
    for (int i = 1; i < n; i++)
        MPI_Reduce_local(all + (size_t)i * bytes, receive, count, type, op);
    free(all);
    return MPI_SUCCESS;
}

/* ---- the algorithms that smpi_find_neighbours uses ---- */

allgather_function allgather_ring SMPI_REPLACES(SG_ALLGATHER_RING);
bcast_function bcast_scatter SMPI_REPLACES(SG_BCAST_SCATTER);
allreduce_function allreduce_default SMPI_REPLACES(SG_ALLREDUCE_DEFAULT);

int allgather_ring(const void *send, int count, MPI_Datatype type, void *receive, int receive_count,
                   MPI_Datatype receive_type, MPI_Comm comm)
{
    static allgather_function *theirs;
    SMPI_BEHIND(theirs, SG_ALLGATHER_RING);
    allgather_function *function = replay.has_begun ? theirs : meet_allgather;
    return function(send, count, type, receive, receive_count, receive_type, comm);
}

int bcast_scatter(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
    static bcast_function *theirs;
    SMPI_BEHIND(theirs, SG_BCAST_SCATTER);
    return (replay.has_begun ? theirs : meet_bcast)(buffer, count, type, root, comm);
}

int allreduce_default(const void *send, void *receive, int count, MPI_Datatype type, MPI_Op op,
                      MPI_Comm comm)
{
    static allreduce_function *theirs;
    SMPI_BEHIND(theirs, SG_ALLREDUCE_DEFAULT);
    return (replay.has_begun ? theirs : meet_allreduce)(send, receive, count, type, op, comm);
}

/* ---- */

void smpi_meet_begin(void)
{
    if (!smpi_shim_holds(SMPI_SHIM_MEET))
        smpi_give_up(TL_ERR_UNSUPPORTED, "a replay cannot begin at second 0: %s; use SimGrid 3.32",
                     smpi_shim_reason(SMPI_SHIM_MEET));
    their_bcast = bcast;
    their_barrier = barrier;
    their_allgather = allgather;
    bcast = meet_bcast;
    barrier = meet_barrier;
    allgather = meet_allgather;
}

void smpi_meet_end(void)
{
    bcast = their_bcast;
    barrier = their_barrier;
    allgather = their_allgather;
    while (first) {
        place *p = first;
        first = p->next;
        sg_barrier_destroy(p->barrier);
        free(p->data);
        free(p);
    }
    free(places.chains);
    places = (smpi_table){0};
}
