/* folded.c - more ranks than cores. */
#include "record.h"

#include <stdlib.h>
#include <unistd.h>

void record_set_folded(void)
{
    static const char *const settings[][2] = {
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},     /* start them at all */
        {"OMPI_MCA_mpi_yield_when_idle", "1"},          /* who waits gives its core away */
        {"OMPI_MCA_hwloc_base_binding_policy", "none"}, /* cores are shared by all */
        /* The same for PRRTE, the launcher of Open MPI 5. */
        {"PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"},
        {"PRTE_MCA_hwloc_default_binding_policy", "none"},
        {"OPENBLAS_NUM_THREADS", "1"}, /* a rank is one thread */
        {"OMP_NUM_THREADS", "1"},
        {"OMP_WAIT_POLICY", "passive"},   /* threads that wait do likewise */
        {"OPENBLAS_THREAD_TIMEOUT", "4"}, /* the least that it takes: 2^4 cycles */
        {"TIMELESS_FOLDED", "1"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 0);
    if (geteuid() == 0) {
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
        setenv("PRTE_ALLOW_RUN_AS_ROOT", "1", 0);
        setenv("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 0);
    }
}
