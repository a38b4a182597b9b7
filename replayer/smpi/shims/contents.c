/* contents.c - collectives move no contents, whatever their algorithm.
 *
 * In replay mode SMPI sends messages without their contents, and all ranks share the buffers of
 * collectives. But algorithms that use which ranks share a host find it out by messages when a
 * communicator first meets them (init_smp). SimGrid 3.32 then ends the replay mode of the rank that
 * looks. It asks the receiver of a message for the mode, and receivers may still be in replay mode:
 * their contents are lost, or memory is freed that is not on the heap. Here the rank that asks
 * decides. Ranks that look only talk to others that look, too.
 *
 * Datatype::copy copies data of types that are not predefined in replay mode, too. Here it does
 * not. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include "core/room.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>

static int n_looking;      /* ranks that look for their neighbours on hosts */
static MPI_Comm *looks_in; /* by process */
static size_t n_processes;

static size_t place_of_rank(void)
{
    const size_t process = (size_t)sg_actor_self_get_pid();
    if (!tl_reach(&looks_in, &n_processes, process, sizeof(MPI_Comm)))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the ranks");
    return process;
}

MPI_Comm smpi_looks_in(void)
{
    if (!n_looking)
        return MPI_COMM_NULL;
    const size_t me = place_of_rank(); /* may move the array */
    return looks_in[me];
}

static bool looks(void)
{
    return smpi_looks_in() != MPI_COMM_NULL;
}

bool replays(const void *process) SMPI_REPLACES(SG_REPLAYS);
int copy_data(const void *from, int n_from, MPI_Datatype from_type, void *to, int n_to,
              MPI_Datatype to_type) SMPI_REPLACES(SG_COPY_DATA);
bool has_no_neighbours(MPI_Comm comm) SMPI_REPLACES(SG_IS_SMP_COMM);
MPI_Comm leaders_of(MPI_Comm comm) SMPI_THEIRS(SG_LEADERS);

bool replays(const void *process)
{
    static bool (*theirs)(const void *);
    SMPI_BEHIND(theirs, SG_REPLAYS);
    return theirs(process) && !looks();
}

void smpi_find_neighbours(MPI_Comm comm)
{
    static void (*theirs)(MPI_Comm);
    SMPI_BEHIND(theirs, SG_INIT_SMP);
    const size_t me = place_of_rank();
    const MPI_Comm before = looks_in[me];
    n_looking++;
    looks_in[me] = comm;
    theirs(comm);
    looks_in[me] = before;
    n_looking--;
}

/* SMPI's rules of MPICH choose an algorithm with a step for the ranks of a host, except within such
 * a step. With one rank on each host this step has no messages, and MPICH chooses by its rule for
 * hosts, as if there were none; so does SMPI where this is true. */
bool has_no_neighbours(MPI_Comm comm)
{
    static bool (*theirs)(MPI_Comm);
    int n, n_hosts;
    SMPI_BEHIND(theirs, SG_IS_SMP_COMM);
    if (!replay.knows_hosts || theirs(comm) || sg_actor_self_get_pid() == 0)
        return theirs(comm); /* SimGrid's core asks whether messages of `comm` are numbered */
    const MPI_Comm leaders = leaders_of(comm);
    if (leaders == MPI_COMM_NULL)
        return 0;
    MPI_Comm_size(comm, &n);
    MPI_Comm_size(leaders, &n_hosts);
    return n == n_hosts;
}

int copy_data(const void *from, int n_from, MPI_Datatype from_type, void *to, int n_to,
              MPI_Datatype to_type)
{
    static int (*theirs)(const void *, int, MPI_Datatype, void *, int, MPI_Datatype);
    SMPI_BEHIND(theirs, SG_COPY_DATA);
    if (!replay.has_begun || replay.moves_payload || looks())
        return theirs(from, n_from, from_type, to, n_to, to_type);
    int from_bytes, to_bytes;
    MPI_Type_size(from_type, &from_bytes);
    MPI_Type_size(to_type, &to_bytes);
    return (int64_t)n_from * from_bytes > (int64_t)n_to * to_bytes ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}
