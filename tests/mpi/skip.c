/* skip.c - calls routines and a function that `timeless record` can skip, and prints what ran.
 *
 *     skip
 *
 * Each rank prints "RANK NAME computed" or "RANK NAME skipped" for each of them.
 *
 *     skip wait
 *
 * All ranks wait 2 s for rank 0. Ranks 1 and 2 print the CPU time that they needed, in ms; rank 2
 * polls.
 *
 *     skip memory BYTES
 *
 * Rank 0 prints which of several blocks of so many bytes are folded. */
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

/* A function of the program. The sum keeps the compiler from knowing its result. */
__attribute__((noipa)) static long scale(int m, double by, double *a, int n)
{
    long sum = 1;
    for (int i = 0; i < m * n; i++) {
        a[i] *= by;
        sum += (long)a[i];
    }
    return sum;
}

__attribute__((noipa)) int twice(int n)
{
    volatile int result = n;
    for (int i = 0; i < 1; i++)
        result += n;
    return result;
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

/* Whether bytes of the block, far from each other, are the same byte; and not those at its ends. */
static void print_block(const char *name, volatile char *block, size_t size)
{
    enum { NEAR = 1 << 17, REGION = 1 << 20 };
    block[NEAR] = 1;
    block[NEAR + REGION] = 2;
    const int is_folded = block[NEAR] == 2;
    int is_intact = 1;
    for (size_t i = 0; i < 1 << 16; i++) {
        block[i] = (char)i;
        block[size - 1 - i] = (char)~i;
    }
    for (size_t i = 0; i < size; i += 4096) /* all of it can be written */
        if (i >= 1 << 16 && i < size - (1 << 16))
            block[i] = 3;
    for (size_t i = 0; i < 1 << 16; i++)
        is_intact = is_intact && block[i] == (char)i && block[size - 1 - i] == (char)~i;
    if (rank == 0)
        printf("%s %s%s\n", name, is_folded ? "folded" : "whole", is_intact ? "" : ", damaged");
}

static void allocate(size_t size)
{
    void *block = malloc(size), *aligned = NULL, *of_mpi = NULL;
    print_block("malloc", block, size);
    ((char *)block)[0] = 7;
    char *grown = realloc(block, 2 * size);
    print_block(grown[0] == 7 ? "realloc" : "lost by realloc", grown, 2 * size);
    if (posix_memalign(&aligned, 4096, size) == 0)
        print_block("posix_memalign", aligned, size);
    char *zeros = calloc(size, 1), sum = 0;
    for (size_t i = 0; i < size; i++)
        sum |= zeros[i];
    print_block(sum ? "calloc without zeros" : "calloc", zeros, size);
    MPI_Alloc_mem((MPI_Aint)size, MPI_INFO_NULL, &of_mpi);
    print_block("MPI_Alloc_mem", of_mpi, size);
    MPI_Free_mem(of_mpi);
    free(grown);
    free(aligned);
    free(zeros);
    for (int i = 0; i < 100; i++) { /* what was freed is gone */
        block = malloc(size);
        memset(block, i, size);
        free(block);
    }
    MPI_Finalize();
}

int main(int argc, char **argv)
{
    double a[12];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 1 && !strcmp(argv[1], "wait")) {
        wait_for_rank_0();
        return 0;
    }
    if (argc > 2 && !strcmp(argv[1], "memory")) {
        allocate(strtoul(argv[2], NULL, 10));
        return 0;
    }
    for (int i = 0; i < 12; i++)
        a[i] = 1;
    call_blas();
    print("scale", scale(3, 2, a, 4) == 25);
    print("twice", twice(argc) == 2);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
