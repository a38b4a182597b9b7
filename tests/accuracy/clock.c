/* clock.c - loaded before MPI: prints the seconds from the end of MPI_Init to the begin of
 * MPI_Finalize, of each rank, which are what a replay predicts.  The ranks leave MPI_Init together.
 */
#include <mpi.h>
#include <stdio.h>

static double begin_s;

int MPI_Init(int *argc, char ***argv)
{
    const int code = PMPI_Init(argc, argv);
    PMPI_Barrier(MPI_COMM_WORLD);
    begin_s = PMPI_Wtime();
    return code;
}

int MPI_Finalize(void)
{
    printf("rank_seconds %.9f\n", PMPI_Wtime() - begin_s);
    fflush(stdout);
    return PMPI_Finalize();
}
