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
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The place where the members of a group meet. Communicators of one group are built one after the
 * other. */
typedef struct place {
    struct place *next;
    MPI_Group group;
    sg_bar_t barrier;
    int n_members;
    char *data; /* of all members */
    size_t room;
} place;

typedef int bcast_function(void *, int, MPI_Datatype, int, MPI_Comm);
typedef int barrier_function(MPI_Comm);
typedef int allgather_function(const void *, int, MPI_Datatype, void *, int, MPI_Datatype,
                               MPI_Comm);

enum { TABLE_BITS = 10 };
static place *places[1 << TABLE_BITS];
static struct {
    bcast_function **place, *theirs;
} bcast;
static struct {
    barrier_function **place, *theirs;
} barrier;
static struct {
    allgather_function **place, *theirs;
} allgather;

static place *find_place(MPI_Comm comm, size_t bytes)
{
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    place **at = &places[(uintptr_t)group * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS)];
    while (*at && (*at)->group != group)
        at = &(*at)->next;
    if (!*at) {
        *at = smpi_alloc(1, sizeof **at);
        (*at)->group = group;
        MPI_Comm_size(comm, &(*at)->n_members);
        (*at)->barrier = sg_barrier_init((unsigned)(*at)->n_members);
    }
    if ((*at)->room < bytes) {
        free((*at)->data);
        (*at)->data = smpi_alloc(1, bytes);
        (*at)->room = bytes;
    }
    return *at;
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
    place *p = find_place(comm, bytes);
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
    sg_barrier_wait(find_place(comm, 0)->barrier);
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
    place *p = find_place(comm, (size_t)n * bytes);
    memcpy(p->data + (size_t)rank * bytes, send, bytes);
    sg_barrier_wait(p->barrier);
    memcpy(receive, p->data, (size_t)n * bytes);
    sg_barrier_wait(p->barrier);
    return MPI_SUCCESS;
}

void smpi_meet_begin(void)
{
    if (!smpi_shim_holds(SMPI_SHIM_MEET))
        smpi_give_up(TL_ERR_UNSUPPORTED, "a replay cannot begin at second 0: %s; use SimGrid 3.32",
                     smpi_shim_reason(SMPI_SHIM_MEET));
    *(void **)&bcast.place = dlsym(RTLD_DEFAULT, SG_BCAST);
    *(void **)&barrier.place = dlsym(RTLD_DEFAULT, SG_BARRIER);
    *(void **)&allgather.place = dlsym(RTLD_DEFAULT, SG_ALLGATHER);
    bcast.theirs = *bcast.place;
    barrier.theirs = *barrier.place;
    allgather.theirs = *allgather.place;
    *bcast.place = meet_bcast;
    *barrier.place = meet_barrier;
    *allgather.place = meet_allgather;
}

void smpi_meet_end(void)
{
    *bcast.place = bcast.theirs;
    *barrier.place = barrier.theirs;
    *allgather.place = allgather.theirs;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        while (places[i]) {
            place *p = places[i];
            places[i] = p->next;
            sg_barrier_destroy(p->barrier);
            free(p->data);
            free(p);
        }
}
