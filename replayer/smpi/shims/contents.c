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
 * not.
 *
 * The functions below replace functions of libsimgrid, and call them: symbols are looked up in the
 * module first (replayer/module.c). */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>

static int n_looking;       /* ranks that look for their neighbours on hosts */
static uint8_t *is_looking; /* by process */
static size_t n_processes;

static size_t place_of_rank(void)
{
    const size_t process = (size_t)sg_actor_self_get_pid();
    if (process >= n_processes) {
        const size_t n = 2 * process + 64;
        is_looking = realloc(is_looking, n);
        if (!is_looking)
            smpi_give_up(TL_ERR_MEMORY, "out of memory for the ranks");
        memset(is_looking + n_processes, 0, n - n_processes);
        n_processes = n;
    }
    return process;
}

static int looks(void)
{
    if (!n_looking)
        return 0;
    const size_t me = place_of_rank(); /* may move the array */
    return is_looking[me];
}

bool replays(const void *process) SMPI_REPLACES(SG_REPLAYS);
void find_neighbours(MPI_Comm comm) SMPI_REPLACES(SG_INIT_SMP);
int copy_data(const void *from, int n_from, MPI_Datatype from_type, void *to, int n_to,
              MPI_Datatype to_type) SMPI_REPLACES(SG_COPY_DATA);

bool replays(const void *process)
{
    static bool (*theirs)(const void *);
    SMPI_BEHIND(theirs, SG_REPLAYS);
    return theirs(process) && !looks();
}

void find_neighbours(MPI_Comm comm)
{
    static void (*theirs)(MPI_Comm);
    SMPI_BEHIND(theirs, SG_INIT_SMP);
    const size_t me = place_of_rank();
    const uint8_t before = is_looking[me];
    n_looking += !before;
    is_looking[me] = 1;
    theirs(comm);
    is_looking[me] = before;
    n_looking -= !before;
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
