/* large.c - counts that need more than an int, of a datatype without bytes, which has a large
 * count, too. */
#include <mpi.h>

int main(int argc, char **argv)
{
    const MPI_Count many = 3000000000, counts[] = {many, 1};
    const MPI_Aint displacements[] = {0, 0};
    MPI_Datatype nothing;
    char buffer[2];
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_contiguous_c(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Sendrecv_c(&buffer[0], many, nothing, 1 - rank, 1, &buffer[1], many, nothing, 1 - rank, 1,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Alltoallv_c(&buffer[0], counts, displacements, nothing, &buffer[1], counts, displacements,
                    nothing, MPI_COMM_WORLD);
    MPI_Type_free(&nothing);
    return MPI_Finalize();
}
