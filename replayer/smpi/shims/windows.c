/* windows.c - the windows that a barrier of their communicator asks.
 *
 * MPI_Barrier of SMPI locks every window of the communicator, to complete its accesses. This takes
 * no simulated time, but decides which of two ranks comes first at one date. The windows of a
 * replay are made before the trace begins. Until the event that makes such a window, its
 * communicator must not know it. */
#include "config.h"

#include "shims.h"

void add_window(MPI_Comm comm, MPI_Win window) SMPI_THEIRS(SG_ADD_WINDOW);
void remove_window(MPI_Comm comm, MPI_Win window) SMPI_THEIRS(SG_REMOVE_WINDOW);
/* SMPI's collectives are pointers to functions. */
extern int (*barrier)(MPI_Comm comm) SMPI_THEIRS(SG_BARRIER);

void smpi_windows_hide(MPI_Comm comm, MPI_Win window)
{
    if (smpi_shim_holds(SMPI_SHIM_WINDOWS))
        remove_window(comm, window);
}

void smpi_windows_show(MPI_Comm comm, MPI_Win window)
{
    if (smpi_shim_holds(SMPI_SHIM_WINDOWS))
        add_window(comm, window);
}

int smpi_windows_barrier(MPI_Comm comm)
{
    return smpi_shim_holds(SMPI_SHIM_WINDOWS) ? barrier(comm) : MPI_Barrier(comm);
}
