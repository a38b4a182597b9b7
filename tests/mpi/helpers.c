/* helpers.c - two threads of OpenMP compute 100 ms each, then the first one touches 1000 pages, a
 * barrier after either. */
#include <mpi.h>
#include <sys/mman.h>
#include <time.h>

static void compute_ms(long ms)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    long end_ns = t.tv_sec * 1000000000 + t.tv_nsec + ms * 1000000;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    while (t.tv_sec * 1000000000 + t.tv_nsec < end_ns);
}

int main(int argc, char **argv)
{
    const size_t page_bytes = 4096, bytes = 1000 * page_bytes;
    MPI_Init(&argc, &argv);
#pragma omp parallel num_threads(2)
    compute_ms(100);
    MPI_Barrier(MPI_COMM_WORLD);
    char *pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    for (size_t i = 0; i < bytes; i += page_bytes)
        pages[i] = 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
