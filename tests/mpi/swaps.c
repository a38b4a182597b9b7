/* swaps.c - MPI_Compare_and_swap in each kind of epoch, with results in both ways.  Rank 0 swaps in
 * the window of rank 1, which nobody else accesses; it prints 1 for each swap that took place. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MPI_Win window;
static long *memory;
static int rank;

/* One access to place `i`; the result is there once the access is complete. */
static void swap(int i, long expected, long new, long *result)
{
    MPI_Compare_and_swap(&new, &expected, result, MPI_LONG, 1, (MPI_Aint)i * (MPI_Aint)sizeof(long),
                         window);
}

static void report(const char *epoch, long expected, long result)
{
    printf("%s %d\n", epoch, expected == result);
}

static void in_fence(void)
{
    /* Elsewhere than in the window, and unlike what is expected, until MPI writes them. */
    static long results[3], new[3] = {1, 2, 3}, expected[3] = {0, 0, 7};
    MPI_Win_fence(0, window);
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            results[i] = -1;
            MPI_Compare_and_swap(&new[i], &expected[i], &results[i], MPI_LONG, 1,
                                 (MPI_Aint)i * (MPI_Aint)sizeof(long), window);
        }
        MPI_Put(&rank, 1, MPI_INT, 1, 512, 1, MPI_INT, window);
    }
    MPI_Win_fence(0, window);
    for (int i = 0; rank == 0 && i < 3; i++)
        report("fence", expected[i], results[i]);
}

static void in_lock(void)
{
    long first = -1, second = -1;
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window);
        swap(0, 1, 10, &first); /* the fence wrote 1 */
        MPI_Win_flush(1, window);
        report("flush", 1, first);
        swap(0, 1, 11, &second);
        MPI_Win_unlock(1, window);
        report("unlock", 1, second);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_lock_all(void)
{
    long results[2] = {-1, -1};
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        swap(8, 0, 5, &results[0]);
        MPI_Win_flush_local(1, window);
        report("flush_local", 0, results[0]);
        swap(8, 0, 6, &results[1]);
        MPI_Win_flush_all(window);
        report("flush_all", 0, results[1]);
        /* As a lock is taken: again and again until it is free. */
        for (long lock = 5, result = -1; result != lock; lock = 5) {
            swap(8, lock, 4, &result);
            MPI_Win_flush_local_all(window);
            report("flush_local_all", 5, result);
        }
        MPI_Win_unlock_all(window);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void in_exposure(void)
{
    MPI_Group all, other;
    const int partner = 1 - rank;
    long result = -1;
    MPI_Win_get_group(window, &all);
    MPI_Group_incl(all, 1, &partner, &other);
    if (rank == 0) {
        MPI_Win_start(other, 0, window);
        swap(8, 0, 1, &result);
        MPI_Win_complete(window);
        report("complete", 0, result);
    } else {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&other);
}

/* More accesses in an epoch than the tracer holds back: the first ones have no outcome. */
static void many(int n)
{
    long *results = calloc((size_t)n, sizeof *results);
    static long zero, one = 1;
    if (rank == 0) {
        MPI_Win_lock_all(0, window);
        for (int i = 0; i < n; i++)
            MPI_Compare_and_swap(&one, &zero, &results[i], MPI_LONG, 1, 256, window);
        MPI_Win_unlock_all(window);
    }
    free(results);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(1024, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    memset(memory, 0, 1024);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1) {
        many((int)strtol(argv[1], NULL, 10));
    } else {
        in_fence();
        in_lock();
        in_lock_all();
        in_exposure();
    }
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
