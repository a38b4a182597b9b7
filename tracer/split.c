/* split.c - detects ranks that Slurm started together, although each of them runs alone: srun and
 * the MPI library have no process manager interface (PMI) in common. */
#include "config.h"

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

bool tlt_slurm_is_split(int n_ranks)
{
    /* mpirun and mpiexec.hydra start their own daemons by srun; their ranks inherit the variables
     * of srun, and have these. */
    const char *hydra = getenv("PMI_SIZE"), *task = getenv("SLURM_PROCID");
    if (n_ranks > 1 || !is_many("SLURM_STEP_NUM_TASKS") || getenv("OMPI_COMM_WORLD_SIZE") ||
        getenv("PRTE_LAUNCHED") || (hydra && !is_many("PMI_SIZE")))
        return false;
    if (task && !strcmp(task, "0"))
        tlt_say("no trace: srun started %s tasks, but MPI runs each of them alone; choose the "
                "interface of the MPI library by 'srun --mpi=NAME' ('srun --mpi=list' prints the "
                "names), or start the ranks by mpirun or mpiexec",
                getenv("SLURM_STEP_NUM_TASKS"));
    return true;
}
