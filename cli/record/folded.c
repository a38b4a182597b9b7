/* folded.c - more ranks than cores. */
#include "config.h"

#include "cli.h"
#include "record.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- how many cores mpirun would use ---- */

/* The number of the first hardware thread of the core of `cpu`. */
static int first_thread(int cpu)
{
    char path[80], line[32] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
    FILE *in = fopen(path, "r");
    if (!in)
        return cpu;
    char *end = line;
    const long first = fgets(line, sizeof line, in) ? strtol(line, &end, 10) : cpu;
    fclose(in);
    return end > line && first >= 0 && first < CPU_SETSIZE ? (int)first : cpu;
}

/* Open MPI starts one rank on each core, independently of its number of hardware threads. */
static unsigned n_cores(void)
{
    cpu_set_t allowed, cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(first_thread(cpu), &cores);
    return (unsigned)CPU_COUNT(&cores);
}

/* Whether the file names a host: a line that is neither empty nor a comment. */
static bool names_a_host(const char *path)
{
    char line[256];
    bool found = false;
    FILE *in = fopen(path, "r");
    while (in && !found && fgets(line, sizeof line, in))
        found = !strchr("#\n", line[strspn(line, " \t")]);
    if (in)
        fclose(in);
    return found;
}

/* A batch system or a list of hosts decides where the ranks run, or the user allows more ranks than
 * cores without folding. The cores of this host then do not limit the run. */
static bool cores_do_not_limit(void)
{
    static const char *const variables[] = {"SLURM_JOB_ID",
                                            "PBS_JOBID",
                                            "LSB_JOBID",
                                            "PE_HOSTFILE",
                                            "OMPI_MCA_orte_default_hostfile",
                                            "PRTE_MCA_prte_default_hostfile",
                                            "OMPI_MCA_rmaps_base_oversubscribe",
                                            "PRTE_MCA_rmaps_default_mapping_policy"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (getenv(variables[i]))
            return true;
    return names_a_host("/etc/openmpi/openmpi-default-hostfile");
}

bool record_needs_folding(const char *n_ranks, unsigned *cores)
{
    *cores = n_cores();
    return !cores_do_not_limit() && strtoul(n_ranks, NULL, 10) > *cores;
}

const char *record_ranks_of(char **launcher)
{
    static const char *const options[] = {"-n", "-np", "--n", "--np", "-c"};
    for (char **word = launcher; *word && word[1]; word++)
        for (size_t i = 0; i < sizeof options / sizeof *options; i++)
            if (!strcmp(*word, options[i]))
                return word[1];
    return "0";
}

/* ---- settings ---- */

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
