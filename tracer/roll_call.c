/* roll_call.c - is the tracer loaded into every rank?  What it does on MPI_COMM_WORLD would wait
 * forever for a rank without it.
 *
 * Each rank leaves a mark in the launcher's folder before MPI_Init, which no rank leaves before all
 * have entered it: afterwards a rank of this host that has left no mark has no tracer.  Open MPI's
 * mpirun says where the folder is and how many ranks are here.  Under other launchers all ranks are
 * taken to have it.  So are those of other hosts, unless the command line names several programs,
 * and it was not `timeless record` that loaded the tracer into all of them.
 */
#include "config.h"

#include "hosts.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"

static int number_in(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? (int)strtol(text, NULL, 10) : -1;
}

/* The mark of one of the ranks of this host; false if the launcher does not say where they are. */
static bool name_mark(char *path, size_t size, int local_rank)
{
    const char *folder = getenv("PMIX_SERVER_TMPDIR"), *job = getenv("PMIX_NAMESPACE");
    if (!folder || !*folder || !job || strchr(job, '/') || local_rank < 0)
        return false;
    int n = snprintf(path, size, "%s/timeless.%s.%d", folder, job, local_rank);
    return n > 0 && (size_t)n < size;
}

void tlt_roll_call_answer(void)
{
    char path[PATH_MAX];
    if (!name_mark(path, sizeof path, number_in("OMPI_COMM_WORLD_LOCAL_RANK")))
        return;
    /* No descriptor is needed for that.  If it fails the rank is missing to all, itself included.
     */
    int ignored = mknod(path, S_IFREG | S_IRUSR | S_IWUSR, 0);
    (void)ignored;
}

/* Programs that begin MPI without a common end of MPI_Init (ompi_async_mpi_init) get some time. */
static bool has_answered(int local_rank)
{
    enum { TRIES = 50, TRY_MS = 20 };
    char path[PATH_MAX];
    static bool patient = true;
    if (!name_mark(path, sizeof path, local_rank))
        return true;
    for (int i = 0; access(path, F_OK) != 0; i++) {
        if (i == TRIES || !patient || errno != ENOENT) {
            patient = false;
            return false;
        }
        nanosleep(&(struct timespec){.tv_nsec = TRY_MS * 1000000L}, NULL);
    }
    return true;
}

/* The same on every rank: environment of the whole job. */
static bool can_be_trusted(int n_here)
{
    const char *recorded = getenv("TIMELESS_RUN_ID");
    if (n_here < 0 || n_here >= tlt.n_ranks || (recorded && *recorded) ||
        number_in("OMPI_NUM_APP_CTX") <= 1)
        return true;
    if (tlt.rank == 0)
        tlt_say("no trace: several programs on several hosts need 'timeless record', which loads "
                "the tracer into all of them");
    return false;
}

bool tlt_roll_call(void)
{
    int n_here = number_in("OMPI_COMM_WORLD_LOCAL_SIZE"), n_missing = 0, first_present = -1;
    if (!can_be_trusted(n_here))
        return false;
    char missing[256] = "";
    for (int i = 0; i < n_here; i++) {
        size_t used = strlen(missing);
        if (has_answered(i))
            first_present = first_present < 0 ? i : first_present;
        else if (!n_missing++ || used < sizeof missing - 16)
            snprintf(missing + used, sizeof missing - used, "%s%d", used ? ", " : "", i);
        else if (missing[used - 1] != '.')
            strcat(missing, ", ...");
    }
    if (!n_missing)
        return true;
    if (first_present < 0 || first_present == number_in("OMPI_COMM_WORLD_LOCAL_RANK"))
        tlt_say(
            "no trace: rank%s %s%s run%s without the tracer; 'timeless record' loads it into all",
            n_missing > 1 ? "s" : "", missing, n_here < tlt.n_ranks ? " of this host" : "",
            n_missing > 1 ? "" : "s");
    return false;
}

void tlt_roll_call_end(void)
{
    char path[PATH_MAX];
    if (name_mark(path, sizeof path, number_in("OMPI_COMM_WORLD_LOCAL_RANK")))
        unlink(path);
}
