/* beside.c - the programs of interference.sh: loops whose speed depends on what other cores do.
 *
 *     beside KIND[+KIND...] STEPS
 *
 * Rank r runs the kind r modulo their number, on data of its own. With one kind, the ranks meet
 * after each step; with several, each rank runs for itself. Each kind has call sites of its own.
 * Rank 0 prints the seconds from MPI_Init to the end of the slowest rank. */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KIND __attribute__((noinline)) static void
/* MPI_Abort does not return, but is not declared so. */
static _Noreturn void give_up(int code)
{
    MPI_Abort(MPI_COMM_WORLD, code);
    abort();
}

/* A macro, so that each kind has a call site of its own. */
#define MEET(comm) MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, comm)

static double *array(size_t n)
{
    double *a = malloc(n * sizeof *a);
    if (!a)
        give_up(4);
    for (size_t i = 0; i < n; i++)
        a[i] = (double)(i % 1000) * 1e-3;
    return a;
}

static unsigned next_random(unsigned *state)
{
    *state = *state * 1664525U + 1013904223U;
    return *state >> 8;
}

/* Triad in 96 MiB. */
KIND stream(MPI_Comm comm, int steps)
{
    const size_t n = 4U << 20;
    double *a = array(n), *b = array(n), *c = array(n), mine = 0, all;
    for (int s = 0; s < steps; s++) {
        for (size_t i = 0; i < n; i++)
            a[i] = b[i] + 3 * c[i];
        mine = a[s];
        MEET(comm);
    }
    free(a), free(b), free(c);
}

static void sweep(double *to, const double *from, int n)
{
    for (int y = 1; y < n - 1; y++)
        for (int x = 1; x < n - 1; x++)
            to[y * n + x] = 0.25 * (from[y * n + x - 1] + from[y * n + x + 1] +
                                    from[(y - 1) * n + x] + from[(y + 1) * n + x]);
}

/* Five points, n by n: several sweeps a step. */
static void stencil(double *a, double *b, int n, int sweeps)
{
    for (int i = 0; i < sweeps; i++) {
        sweep(b, a, n);
        sweep(a, b, n);
    }
}

KIND stencil_in(MPI_Comm comm, int steps) /* 256 KiB */
{
    double *a = array((size_t)128 * 128), *b = array((size_t)128 * 128), mine, all;
    for (int s = 0; s < steps; s++) {
        stencil(a, b, 128, 400);
        mine = a[200];
        MEET(comm);
    }
    free(a), free(b);
}

KIND stencil_out(MPI_Comm comm, int steps) /* 64 MiB */
{
    double *a = array((size_t)2048 * 2048), *b = array((size_t)2048 * 2048), mine, all;
    for (int s = 0; s < steps; s++) {
        stencil(a, b, 2048, 1);
        mine = a[3000];
        MEET(comm);
    }
    free(a), free(b);
}

/* Random columns, 8 a row: 48 MiB of matrix, 4 MiB of vector. */
KIND spmv(MPI_Comm comm, int steps)
{
    enum { ROWS = 1 << 19, EACH = 8 };
    int *column = malloc(sizeof *column * ROWS * EACH);
    double *value = array((size_t)ROWS * EACH), *x = array(ROWS), *y = array(ROWS), mine, all;
    unsigned state = 1;
    if (!column)
        give_up(4);
    for (size_t i = 0; i < (size_t)ROWS * EACH; i++)
        column[i] = (int)(next_random(&state) % ROWS);
    for (int s = 0; s < steps; s++) {
        for (int row = 0; row < ROWS; row++) {
            double sum = 0;
            for (int k = 0; k < EACH; k++)
                sum += value[row * EACH + k] * x[column[row * EACH + k]];
            y[row] = sum;
        }
        mine = y[s];
        MEET(comm);
    }
    free(column), free(value), free(x), free(y);
}

/* Radix 2 on 2^19 complex numbers, 8 MiB. */
KIND fft(MPI_Comm comm, int steps)
{
    const size_t n = 1U << 19;
    double *re = array(n), *im = array(n), mine, all;
    for (int s = 0; s < steps; s++) {
        for (size_t half = n / 2; half; half /= 2) {
            const double angle = -M_PI / (double)half, wr = cos(angle), wi = sin(angle);
            for (size_t block = 0; block < n; block += 2 * half) {
                double cr = 1, ci = 0;
                for (size_t i = block; i < block + half; i++) {
                    const double ar = re[i], ai = im[i], br = re[i + half], bi = im[i + half];
                    re[i] = 0.7 * (ar + br), im[i] = 0.7 * (ai + bi);
                    const double dr = 0.7 * (ar - br), di = 0.7 * (ai - bi);
                    re[i + half] = dr * cr - di * ci, im[i + half] = dr * ci + di * cr;
                    const double t = cr * wr - ci * wi;
                    ci = cr * wi + ci * wr, cr = t;
                }
            }
        }
        mine = re[s];
        MEET(comm);
    }
    free(re), free(im);
}

/* Radix sort of 2^21 keys, 16 MiB with the copy. */
KIND sort(MPI_Comm comm, int steps)
{
    const size_t n = 1U << 21;
    unsigned *keys = malloc(n * sizeof *keys), *copy = malloc(n * sizeof *copy), state = 7;
    double mine, all;
    if (!keys || !copy)
        give_up(4);
    for (int s = 0; s < steps; s++) {
        for (size_t i = 0; i < n; i++)
            keys[i] = next_random(&state);
        for (int shift = 0; shift < 24; shift += 8) {
            size_t first[257] = {0};
            for (size_t i = 0; i < n; i++)
                first[(keys[i] >> shift & 255) + 1]++;
            for (int d = 0; d < 256; d++)
                first[d + 1] += first[d];
            for (size_t i = 0; i < n; i++)
                copy[first[keys[i] >> shift & 255]++] = keys[i];
            unsigned *swap = keys;
            keys = copy, copy = swap;
        }
        mine = keys[s];
        MEET(comm);
    }
    free(keys), free(copy);
}

static const struct {
    const char *name;
    void (*run)(MPI_Comm comm, int steps);
    int each; /* steps that take about as long as one of the others */
} kinds[] = {{"stream", stream, 8},
             {"stencil-in", stencil_in, 8},
             {"stencil-out", stencil_out, 4},
             {"spmv", spmv, 6},
             {"fft", fft, 2},
             {"sort", sort, 3}};

int main(int argc, char **argv)
{
    int rank, n = 0, chosen[8];
    MPI_Init(&argc, &argv);
    const double begin_s = MPI_Wtime();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (char *word = argc == 3 ? strtok(argv[1], "+") : NULL; word && n < 8;
         word = strtok(NULL, "+"), n++) {
        chosen[n] = -1;
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
            if (!strcmp(word, kinds[k].name))
                chosen[n] = (int)k;
        if (chosen[n] < 0)
            give_up(2);
    }
    if (!n)
        give_up(2);
    const int k = chosen[rank % n], steps = kinds[k].each * (int)strtol(argv[2], NULL, 10);
    kinds[k].run(n > 1 ? MPI_COMM_SELF : MPI_COMM_WORLD, steps);
    const double mine_s = MPI_Wtime() - begin_s;
    double all_s;
    MPI_Reduce(&mine_s, &all_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (!rank)
        printf("seconds %.6f\n", all_s);
    MPI_Finalize();
    return 0;
}
