/* waitall.c - a faster wait for thousands of requests.
 *
 * For each request that completes, SimGrid 3.32 goes through all remaining ones, so the time grows
 * with the square of their number: 10,000 MPI_Get of one epoch took 18 s of CPU time. Here SimGrid
 * gets a few hundred requests at a time. The wait is over when the last request has completed, so
 * it ends at the same time. There is one exception: if receiving takes CPU time (smpi/or), early
 * messages of a later group take this time later. */
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
        /* SMPI waits for an empty list of requests, too. */
        const int failed = wait_all(some, first ? requests + first : requests,
                                    statuses == MPI_STATUSES_IGNORE ? statuses : statuses + first);
        if (failed != MPI_SUCCESS)
            rc = failed;
    }
    return rc;
}
