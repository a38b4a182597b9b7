/* windows.c - the windows that a barrier of their communicator asks.
 *
 * MPI_Barrier of SMPI locks every window of the communicator, to complete its accesses. This takes
 * no simulated time, but decides which of two ranks comes first at one date. The windows of a
 * replay are made before the trace begins. Until the event that makes such a window, its
 * communicator must not know it. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <dlfcn.h>

typedef void change_function(MPI_Comm, MPI_Win);
typedef int barrier_function(MPI_Comm);

static void change(MPI_Comm comm, MPI_Win window, const char *symbol)
{
    change_function *function;
    if (!smpi_shim_holds(SMPI_SHIM_WINDOWS))
        return;
    *(void **)&function = dlsym(RTLD_DEFAULT, symbol);
    function(comm, window);
}

void smpi_windows_hide(MPI_Comm comm, MPI_Win window)
{
    change(comm, window, SG_REMOVE_WINDOW);
}

void smpi_windows_show(MPI_Comm comm, MPI_Win window)
{
    change(comm, window, SG_ADD_WINDOW);
}

/* SMPI's collectives are pointers to functions. */
int smpi_windows_barrier(MPI_Comm comm)
{
    barrier_function **place;
    if (!smpi_shim_holds(SMPI_SHIM_WINDOWS))
        return MPI_Barrier(comm);
    *(void **)&place = dlsym(RTLD_DEFAULT, SG_BARRIER);
    return (*place)(comm);
}
