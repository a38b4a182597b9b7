/* split.c - detects ranks that were started together, although each of them runs alone: the
 * launcher and the MPI library have no process manager interface (PMI) in common. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hosts.h"
#include "runtime.h"

/* The value of the variable is a number above 1. */
static bool is_many(const char *variable)
{
    const char *value = getenv(variable);
    return value && strtol(value, NULL, 10) > 1;
}

static bool is_zero(const char *variable)
{
    const char *value = getenv(variable);
    return value && !strcmp(value, "0");
}

static bool is_split_by_srun(void)
{
    /* mpirun and mpiexec.hydra start their own daemons by srun; their ranks inherit the variables
     * of srun, and have these. */
    if (!is_many("SLURM_STEP_NUM_TASKS") || getenv("OMPI_COMM_WORLD_SIZE") ||
        getenv("PRTE_LAUNCHED") || (getenv("PMI_SIZE") && !is_many("PMI_SIZE")))
        return false;
    if (is_zero("SLURM_PROCID"))
        tlt_say("no trace: srun started %s tasks, but MPI runs each of them alone; choose the "
                "interface of the MPI library by 'srun --mpi=NAME' ('srun --mpi=list' prints the "
                "names), or start the ranks by mpirun or mpiexec",
                getenv("SLURM_STEP_NUM_TASKS"));
    return true;
}

/* The launcher of another MPI, which sets these variables. A rank of the inner launcher has both
 * pairs if one launcher starts another. */
static bool is_split_by(const char *size, const char *rank, const char *inner, const char *owner,
                        const char *remedy)
{
    if (!is_many(size) || getenv(inner))
        return false;
    if (is_zero(rank))
        tlt_say("no trace: the launcher of %s started %s processes, but the program's MPI is "
                "another and runs each of them alone; start them by its own launcher, such as %s",
                owner, getenv(size), remedy);
    return true;
}

bool tlt_is_split(int n_ranks)
{
    return n_ranks == 1 &&
           (is_split_by_srun() ||
            is_split_by("OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_SIZE", "Open MPI",
                        "mpiexec.hydra or mpirun.mpich") ||
            is_split_by("PMI_SIZE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE", "MPICH", "mpirun.openmpi"));
}

bool tlt_all_are_present(long n_ranks, long own, const char *of_what,
                         bool (*is_missing)(void *of, long rank), void *of)
{
    char missing[256] = "";
    long n_missing = 0, first_present = -1;
    for (long i = 0; i < n_ranks; i++) {
        const size_t used = strlen(missing);
        if (!is_missing(of, i))
            first_present = first_present < 0 ? i : first_present;
        else if (!n_missing++ || used < sizeof missing - 16)
            snprintf(missing + used, sizeof missing - used, "%s%ld", used ? ", " : "", i);
        else if (missing[used - 1] != '.')
            strcat(missing, ", ...");
    }
    if (n_missing && (first_present < 0 || first_present == own))
        tlt_say("no trace: rank%s %s%s run%s without the tracer; 'timeless record' loads it into "
                "all",
                n_missing > 1 ? "s" : "", missing, of_what, n_missing > 1 ? "" : "s");
    return !n_missing;
}
