/* Master and workers: rank 0 hands out tasks to whoever asks. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int tasks = argc > 1 ? atoi(argv[1]) : 50;
    double result, sum = 0;
    if (rank == 0) {
        int next = 0, busy = 0;
        for (int r = 1; r < size; r++) {
            int task = next < tasks ? next++ : -1;
            MPI_Send(&task, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
            busy += task >= 0;
        }
        while (busy > 0) {
            MPI_Status st;
            MPI_Recv(&result, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &st);
            sum += result;
            int task = next < tasks ? next++ : -1;
            if (task < 0)
                busy--;
            MPI_Send(&task, 1, MPI_INT, st.MPI_SOURCE, 1, MPI_COMM_WORLD);
        }
    } else {
        for (;;) {
            int task;
            MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (task < 0)
                break;
            result = 0;
            for (int i = 0; i < 1000 * (1 + task * 7919 % 50); i++)
                result += 1.0 / (1 + i);
            MPI_Send(&result, 1, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
