/* operators.c - reductions whose operator takes 3 ms of CPU time each time: a rank prints how often
 * MPI applied it.
 *
 *     operators           with one thread
 *     operators multiple  with MPI_THREAD_MULTIPLE
 *     operators many      ... and makes 40 operators
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static int n_applied;

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void add(int *in, int *in_out, int *n, MPI_Datatype *type)
{
    const double end = cpu_s() + 0.003;
    (void)type;
    while (cpu_s() < end)
        continue;
    for (int i = 0; i < *n; i++)
        in_out[i] += in[i];
    n_applied++;
}

/* clang-format off */
#define QUICK(n)                                                                                   \
    static void quick_##n(int *in, int *in_out, int *length, MPI_Datatype *type)                   \
    {                                                                                              \
        (void)length, (void)type;                                                                  \
        *in_out += *in + n;                                                                        \
    }
#define TEN(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
TEN(QUICK, 1) TEN(QUICK, 2) TEN(QUICK, 3) TEN(QUICK, 4)
#define NAME(n) (MPI_User_function *)quick_##n,
static MPI_User_function *const quick[] = {TEN(NAME, 1) TEN(NAME, 2) TEN(NAME, 3) TEN(NAME, 4)};
/* clang-format on */

static int is_wrong(const int *sum, int n_ranks)
{
    return sum[0] != n_ranks * (n_ranks - 1) / 2 || sum[1] != n_ranks;
}

int main(int argc, char **argv)
{
    int rank, n_ranks, level, wrong = 0;
    MPI_Op op;
    MPI_Request request;
    MPI_Init_thread(&argc, &argv, argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    const int mine[2] = {rank, 1};
    int sum[2];
    MPI_Op_create((MPI_User_function *)add, 1, &op);
    for (int i = 0; i < 3; i++) {
        MPI_Allreduce(mine, sum, 2, MPI_INT, op, MPI_COMM_WORLD);
        wrong += is_wrong(sum, n_ranks);
    }
    MPI_Iallreduce(mine, sum, 2, MPI_INT, op, MPI_COMM_WORLD, &request);
    MPI_Op_free(&op); /* MPI still needs it */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += is_wrong(sum, n_ranks);
    for (int i = 0; argc > 1 && !strcmp(argv[1], "many") && i < 40; i++) {
        int n = 0;
        MPI_Op_create(quick[i], 1, &op);
        MPI_Reduce(mine, &n, 1, MPI_INT, op, 0, MPI_COMM_WORLD);
        wrong += rank == 0 && n != n_ranks * (n_ranks - 1) / 2 + (n_ranks - 1) * (i + 10);
        MPI_Op_free(&op);
    }
    printf("%d %d %d\n", rank, n_applied, wrong);
    MPI_Finalize();
    return 0;
}
