/* skip.c - calls routines that `timeless record` can skip, and prints what ran.
 *
 *     skip
 *
 * Each rank prints "RANK NAME computed" or "RANK NAME skipped" for each of them.
 *
 *     skip wait
 *
 * All ranks wait 2 s for rank 0. Ranks 1 and 2 print the CPU time that they needed, in ms; rank 2
 * polls. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { N = 8 };
static int rank;

void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);
void cblas_dger(int, int, int, double, const double *, int, const double *, int, double *, int);
void dscal_(const int *, const double *, double *, const int *);
int idamax_(const int *, const double *, const int *);
void dgetrf_(const int *, const int *, double *, const int *, int *, int *);

static void print(const char *name, int computed)
{
    printf("%d %s %s\n", rank, name, computed ? "computed" : "skipped");
}

static void call_blas(void)
{
    const double one = 1, two = 2;
    const int n = N, m = 1024 + rank, step = 1;
    double a[N * N], c[N * N] = {0}, *x = malloc(sizeof *x * (size_t)m);
    int pivots[N] = {0}, info = -1;
    for (int i = 0; i < N * N; i++)
        a[i] = i % N == (i / N + 1) % N; /* a permutation: no pivot is on the diagonal */
    for (int i = 0; i < m; i++)
        x[i] = i == 5 ? 3 : 1;
    dgemm_("N", "N", &n, &n, &n, &one, a, &n, a, &n, &one, c, &n);
    double sum = 0;
    for (int i = 0; i < N * N; i++)
        sum += c[i];
    print("dgemm", sum == N);
    cblas_dger(101, N - 1, N, 1, x, 1, x, 1, c, N);
    print("dger", c[0] == 1);
    dscal_(&m, &two, x, &step);
    print("dscal", x[5] == 6);
    print("idamax", idamax_(&m, x, &step) == 6);
    dgetrf_(&n, &n, a, &n, pivots, &info);
    print("dgetrf", pivots[0] != 1);
    if (info != 0 || pivots[N - 1] != N)
        printf("%d dgetrf left info %d, pivot %d\n", rank, info, pivots[N - 1]);
    free(x);
}

static void wait_for_rank_0(void)
{
    int flag = 0;
    const clock_t start = clock();
    if (rank == 0)
        sleep(2);
    if (rank == 0)
        for (int other = 1; other < 4; other++)
            MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    while (rank == 2 && !flag) /* rank 2 polls */
        MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    if (rank != 0)
        MPI_Recv(NULL, 0, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1 || rank == 2)
        printf("%d %ld\n", rank, (long)((clock() - start) * 1000 / CLOCKS_PER_SEC));
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && !strcmp(argv[1], "wait")) {
        wait_for_rank_0();
        return 0;
    }
    call_blas();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
