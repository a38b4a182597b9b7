/* environment.c - the environment variables and the command of a measurement, without secrets. */
#include "config.h"

#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static bool begins_with_any(const char *text, const char *const *begins)
{
    while (*begins && strncmp(text, *begins, strlen(*begins)) != 0)
        begins++;
    return *begins != NULL;
}

/* Variables that MPI, threads, BLAS and batch systems read. */
static const char *const told[] = {
    "OMPI_",       "UCX_",  "OMP_",      "GOMP_",  "OPENBLAS_",
    "GOTO_",       "MKL_",  "BLIS_",     "SLURM_", "FI_",
    "PSM2_",       "NCCL_", "TIMELESS_", "KMP_",   "LD_LIBRARY_PATH=",
    "LD_PRELOAD=", NULL};
/* Variables of batch systems and parameters of MPI may contain anything. Only the values that
 * explain a measurement are kept; all others are withheld. */
static const char *const open[] = {"SLURM_", "OMPI_MCA_", NULL};
static const char *const known[] = {
    "SLURM_JOB_ID=",  "SLURM_JOBID=",       "SLURM_JOB_NUM_NODES=", "SLURM_NNODES=",
    "SLURM_NTASKS",   "SLURM_NPROCS=",      "SLURM_NODELIST=",      "SLURM_JOB_NODELIST=",
    "SLURM_CPU",      "SLURM_JOB_CPUS",     "SLURM_TASKS_PER",      "SLURM_MEM",
    "SLURM_THREADS",  "SLURM_DISTRIBUTION", "SLURM_HINT=",          "SLURM_JOB_PARTITION=",
    "SLURM_STEP_ID=", "SLURM_PROCID=",      "SLURM_LOCALID=",       "SLURM_NODEID=",
    "OMPI_MCA_btl",   "OMPI_MCA_pml",       "OMPI_MCA_mtl",         "OMPI_MCA_coll",
    "OMPI_MCA_osc",   "OMPI_MCA_io",        "OMPI_MCA_op",          "OMPI_MCA_rmaps",
    "OMPI_MCA_hwloc", "OMPI_MCA_mpi_",      "OMPI_MCA_rcache",      "OMPI_MCA_mpool",
    "OMPI_MCA_topo",  "OMPI_MCA_opal_",     "OMPI_MCA_orte_tmpdir", NULL};

static bool is_value_told(const char *variable)
{
    return !tl_is_secret(variable) &&
           (begins_with_any(variable, known) || !begins_with_any(variable, open));
}

static void put_printable(const char *text, size_t length, FILE *out)
{
    for (size_t i = 0; i < length; i++)
        fputc((unsigned char)text[i] < ' ' ? '?' : text[i], out);
}

static int compare_variables(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void tlp_describe_environment(char *const *environment, FILE *out)
{
    size_t n = 0, n_told = 0;
    while (environment[n])
        n++;
    const char **variables = calloc(n + 1, sizeof *variables);
    if (!variables)
        return;
    for (size_t i = 0; i < n; i++)
        if (begins_with_any(environment[i], told))
            variables[n_told++] = environment[i];
    qsort(variables, n_told, sizeof *variables, compare_variables);
    for (size_t i = 0; i < n_told; i++) {
        const size_t name = strcspn(variables[i], "=");
        put_printable(variables[i], name, out);
        if (!is_value_told(variables[i]))
            fputs(" is set, its value withheld", out);
        else
            put_printable(variables[i] + name, strlen(variables[i] + name), out);
        fputc('\n', out);
    }
    free(variables);
}

void tlp_describe_command(int argc, char *const *argv, FILE *out)
{
    int next = 0;
    char word[4096];
    for (int i = 0; i < argc; i++) {
        tl_public_word(argv[i], &next, word, sizeof word);
        put_printable(word, strlen(word), out);
        fputc('\n', out);
    }
}
