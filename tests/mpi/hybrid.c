/* hybrid.c - a program of MPI and OpenMP.  Each part does the same amount of work with any number
 * of threads, shared out in another way.  The first thread alone does as much before each part and
 * after the last one.  A barrier of MPI ends each of these; rank 0 prints the names of the parts.
 *
 *     hybrid ROUNDS THOUSANDS    all parts ROUNDS times, each of so many steps of about 1 ns
 *
 * With -DBLAS a step is 4 multiplications of dgemm, else 2 instructions.
 */
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 16 };

static long piece; /* thousands of steps of one piece of a part */
static int rank;

#ifdef BLAS
void dgemm_(const char *, const char *, const int *, const int *, const int *, const double *,
            const double *, const int *, const double *, const int *, const double *, double *,
            const int *);

/* thousands x 64 x 64: in the second-level cache */
__attribute__((noinline)) static void work(long thousands)
{
    enum { N = 64, MOST = 1024 };
    static const double a[MOST * N], b[N * N], one = 1;
    static __thread double c[MOST * N];
    const int m = (int)thousands, n = N;
    dgemm_("N", "N", &m, &n, &n, &one, a, &m, b, &n, &one, c, &m);
}
#else
/* A chain of multiplications: as fast on each of two threads of a core as alone.  One copy of it,
 * since the speed of a loop depends on where it lies. */
__attribute__((noinline)) static void work(long thousands)
{
    long n = thousands * 1000, x = 3;
    __asm__ volatile("1: imul %1, %1\n\tdec %0\n\tjnz 1b" : "+r"(n), "+r"(x)::"cc");
}
#endif

static void pieces(int n)
{
    for (int i = 0; i < n; i++)
        work(piece);
}

static void serial(void)
{
    pieces(PIECES);
}

static void even(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < PIECES; i++)
        work(piece);
}

/* The last of two threads has three quarters of it. */
static void uneven(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < PIECES; i++)
        work(i < PIECES / 2 ? piece / 2 : piece + piece / 2);
}

static void dynamic(void)
{
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i < PIECES; i++)
        work(piece);
}

static void regions(void)
{
    for (int i = 0; i < PIECES / 2; i++) {
#pragma omp parallel for schedule(static)
        for (int j = 0; j < 2; j++)
            work(piece);
    }
}

/* One works while the others wait at a barrier. */
static void barriers(void)
{
#pragma omp parallel
    for (int i = 0; i < PIECES; i++) {
        if (i % omp_get_num_threads() == omp_get_thread_num())
            work(piece);
#pragma omp barrier
    }
}

static void single(void)
{
#pragma omp parallel
#pragma omp single
    serial();
}

static void sections(void)
{
#pragma omp parallel sections
    {
#pragma omp section
        pieces(PIECES / 4);
#pragma omp section
        pieces(PIECES / 2);
#pragma omp section
        pieces(PIECES / 4);
    }
}

static void loops(void)
{
#pragma omp parallel
    for (int i = 0; i < 4; i++) {
#pragma omp for schedule(dynamic, 1)
        for (int j = 0; j < PIECES / 4; j++)
            work(piece);
    }
}

static void critical(void)
{
#pragma omp parallel for schedule(static)
    for (int i = 0; i < PIECES; i++) {
        if (i % 2) {
#pragma omp critical(one)
            work(piece);
        } else {
#pragma omp critical
            work(piece);
        }
    }
}

static void locks(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp parallel for schedule(static)
    for (int i = 0; i < PIECES; i++) {
        omp_set_lock(&lock);
        work(piece);
        omp_unset_lock(&lock);
    }
    omp_destroy_lock(&lock);
}

static void ordered(void)
{
#pragma omp parallel for schedule(static, 1) ordered
    for (int i = 0; i < PIECES / 4; i++) {
#pragma omp ordered
        pieces(4);
    }
}

/* Of a tree: those in the middle wait for their children. */
static void branch(int n)
{
    if (n == 1) {
        work(piece);
        return;
    }
#pragma omp task
    branch(n / 2);
#pragma omp task
    branch(n / 2);
#pragma omp taskwait
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
    branch(PIECES);
}

/* Without waiting: they are done in the barrier at the end.  Their data are larger than a word. */
static void late_tasks(void)
{
    struct {
        char room[100];
        long thousands;
    } given = {.thousands = piece};
#pragma omp parallel
#pragma omp single nowait
    for (int i = 0; i < PIECES; i++) {
#pragma omp task firstprivate(given) if (i % 4)
        work(given.thousands);
    }
}

static void taskloop(void)
{
    long sum = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) reduction(+ : sum)
    for (int i = 0; i < PIECES; i++) {
        work(piece);
        sum += i;
    }
    if (sum != PIECES * (PIECES - 1) / 2)
        abort();
}

static void nested(void)
{
    omp_set_max_active_levels(2);
#pragma omp parallel for schedule(static) num_threads(2)
    for (int i = 0; i < 2; i++) {
#pragma omp parallel for schedule(static) num_threads(2)
        for (int j = 0; j < PIECES / 2; j++)
            work(piece);
    }
    omp_set_max_active_levels(1);
}

/* The master calls MPI in the region; the helpers have worked before that. */
static void funnelled(void)
{
#pragma omp parallel
    for (int i = 0; i < 4; i++) {
#pragma omp for schedule(static)
        for (int j = 0; j < PIECES / 4; j++)
            work(piece);
#pragma omp master
        MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
#pragma omp barrier
    }
}

#define PART(name)                                                                                 \
    {                                                                                              \
#name, name                                                                                \
    }
static const struct {
    const char *name;
    void (*function)(void);
} parts[] = {PART(even),       PART(uneven),   PART(dynamic), PART(regions),
             PART(loops),      PART(barriers), PART(single),  PART(sections),
             PART(critical),   PART(locks),    PART(ordered), PART(tasks),
             PART(late_tasks), PART(taskloop), PART(nested),  PART(funnelled)};

int main(int argc, char **argv)
{
    int level;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long rounds = argc > 2 ? strtol(argv[1], NULL, 10) : 0;
    piece = argc > 2 ? strtol(argv[2], NULL, 10) / PIECES : 0;
    piece -= piece % 2;
#pragma omp parallel /* the runtime starts, the processor wakes up */
    pieces(PIECES);
    MPI_Barrier(MPI_COMM_WORLD);
    for (long round = 0; round < rounds; round++) {
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            serial();
            MPI_Barrier(MPI_COMM_WORLD);
            parts[i].function();
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0)
                puts(parts[i].name);
        }
    }
    serial();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
