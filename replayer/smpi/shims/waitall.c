/* waitall.c - waits for thousands of requests, which take SimGrid the square of their number.
 *
 * For each request that completes, SimGrid 3.32 goes through all that are left: 10,000 MPI_Get of
 * one epoch took 18 s of CPU time.  Here it is given a few hundred at a time.  All have completed
 * when the last one has, so the wait ends at the same time; only where receiving takes CPU time
 * (smpi/or), messages of a later group that arrive early pay for it later. */
#include "config.h"

#include "shims.h"

#include <dlfcn.h>

#include <smpi/mpi.h>

int wait_for_all(int n, MPI_Request *requests, MPI_Status *statuses) SMPI_REPLACES(SG_WAITALL);

int wait_for_all(int n, MPI_Request *requests, MPI_Status *statuses)
{
    enum { AT_ONCE = 512 };
    static int (*wait_all)(int, MPI_Request *, MPI_Status *);
    int rc = MPI_SUCCESS;
    SMPI_BEHIND(wait_all, SG_WAITALL);
    if (!smpi_shim_holds(SMPI_SHIM_WAITALL))
        return wait_all(n, requests, statuses);
    for (int first = 0; first == 0 || first < n; first += AT_ONCE) {
        const int left = n - first, some = left < AT_ONCE ? left : AT_ONCE;
        /* SMPI waits for no requests with no list of them, too. */
        const int failed = wait_all(some, first ? requests + first : requests,
                                    statuses == MPI_STATUSES_IGNORE ? statuses : statuses + first);
        if (failed != MPI_SUCCESS)
            rc = failed;
    }
    return rc;
}
