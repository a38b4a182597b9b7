/* unstructured.c - conjugate gradients with a sparse matrix whose unknowns have neighbours at
 * random: an irregular exchange with as many ranks as share an edge, and two sums over all ranks,
 * in each step.
 *
 *     unstructured UNKNOWNS STEPS
 *
 * UNKNOWNS for each rank. An unknown has edges to the two beside it and to three others, most of
 * them within a few hundred; every 16th edge goes anywhere. The edges follow from the numbers of
 * the unknowns, so each rank knows those of its neighbours. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EDGES = 3 };

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 31)) * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return x ^ (x >> 32);
}

/* The e-th other unknown that unknown i names. */
static int64_t named(int64_t i, int e, int64_t n)
{
    const uint64_t drawn = mixed((uint64_t)i * EDGES + (uint64_t)e);
    if (drawn % 16 == 0)
        return (int64_t)((drawn >> 8) % (uint64_t)n);
    return (i + 1 + (int64_t)((drawn >> 8) % 400)) % n;
}

typedef struct {
    int32_t at;    /* one of ours */
    int32_t other; /* ours, or behind them what was received */
} edge;

typedef struct {
    edge *edges;
    int32_t *give;        /* ours that others need, by rank */
    int *n_give, *n_take; /* for each rank */
    int64_t n_edges, n_received;
} matrix;

static void *allocated(size_t n, size_t size)
{
    void *p = calloc(n ? n : 1, size);
    if (!p)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return p;
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Every edge has two ends; a rank keeps those that begin at its own unknowns. Pairs (own, other) of
 * global numbers. */
static int64_t own_edges(int64_t (*pairs)[2], int64_t n, int64_t first, int64_t past)
{
    int64_t n_pairs = 0;
    for (int64_t i = 0; i < n; i++)
        for (int e = 0; e <= EDGES; e++) {
            const int64_t j = e == EDGES ? (i + 1) % n : named(i, e, n);
            if (i >= first && i < past) {
                if (pairs)
                    pairs[n_pairs][0] = i, pairs[n_pairs][1] = j;
                n_pairs++;
            }
            if (j >= first && j < past) {
                if (pairs)
                    pairs[n_pairs][0] = j, pairs[n_pairs][1] = i;
                n_pairs++;
            }
        }
    return n_pairs;
}

static matrix assembled(int64_t each, int rank, int size)
{
    const int64_t n = each * size, first = each * rank, past = first + each;
    matrix a = {.n_edges = own_edges(NULL, n, first, past)};
    int64_t(*pairs)[2] = allocated((size_t)a.n_edges, sizeof *pairs);
    own_edges(pairs, n, first, past);
    int64_t *outside = allocated((size_t)a.n_edges, sizeof *outside), n_outside = 0;
    for (int64_t k = 0; k < a.n_edges; k++)
        if (pairs[k][1] < first || pairs[k][1] >= past)
            outside[n_outside++] = pairs[k][1];
    qsort(outside, (size_t)n_outside, sizeof *outside, by_number);
    for (int64_t k = 0; k < n_outside; k++)
        if (!k || outside[k] != outside[k - 1])
            outside[a.n_received++] = outside[k];
    a.n_take = allocated((size_t)size, sizeof *a.n_take);
    a.n_give = allocated((size_t)size, sizeof *a.n_give);
    for (int64_t k = 0; k < a.n_received; k++)
        a.n_take[outside[k] / each]++;
    a.edges = allocated((size_t)a.n_edges, sizeof *a.edges);
    for (int64_t k = 0; k < a.n_edges; k++) {
        a.edges[k].at = (int32_t)(pairs[k][0] - first);
        const int64_t other = pairs[k][1];
        const int64_t *found =
            other >= first && other < past
                ? NULL
                : bsearch(&other, outside, (size_t)a.n_received, sizeof other, by_number);
        a.edges[k].other = (int32_t)(found ? each + (found - outside) : other - first);
    }
    /* Who needs what of whom. */
    MPI_Alltoall(a.n_take, 1, MPI_INT, a.n_give, 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0, *from = allocated((size_t)size, sizeof *from),
        *to = allocated((size_t)size, sizeof *to);
    for (int r = 0, taken = 0; r < size; r++) {
        from[r] = total, to[r] = taken;
        total += a.n_give[r], taken += a.n_take[r];
    }
    int64_t *wanted = allocated((size_t)total, sizeof *wanted);
    MPI_Alltoallv(outside, a.n_take, to, MPI_INT64_T, wanted, a.n_give, from, MPI_INT64_T,
                  MPI_COMM_WORLD);
    a.give = allocated((size_t)total, sizeof *a.give);
    for (int k = 0; k < total; k++)
        a.give[k] = (int32_t)(wanted[k] - first);
    free(pairs), free(outside), free(from), free(to), free(wanted);
    return a;
}

/* x has `each` numbers of ours and, behind them, those of others. */
static void exchange(const matrix *a, double *x, int64_t each, double *buffer, int size)
{
    MPI_Request *requests = allocated(2 * (size_t)size, sizeof(MPI_Request));
    int n_requests = 0;
    double *next = x + each;
    for (int r = 0; r < size; r++)
        if (a->n_take[r]) {
            MPI_Irecv(next, a->n_take[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                      &requests[n_requests++]);
            next += a->n_take[r];
        }
    const int32_t *give = a->give;
    for (int r = 0; r < size; r++)
        if (a->n_give[r]) {
            double *first = buffer;
            for (int k = 0; k < a->n_give[r]; k++)
                *buffer++ = x[*give++];
            MPI_Isend(first, a->n_give[r], MPI_DOUBLE, r, 0, MPI_COMM_WORLD,
                      &requests[n_requests++]);
        }
    MPI_Waitall(n_requests, requests, MPI_STATUSES_IGNORE);
    free(requests);
}

static double sum(const double *x, const double *y, int64_t n)
{
    double mine = 0, all = 0;
    for (int64_t i = 0; i < n; i++)
        mine += x[i] * y[i];
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int64_t each = argc > 1 ? strtol(argv[1], NULL, 10) : 1000;
    const int steps = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 10;
    matrix a = assembled(each, rank, size);
    int64_t n_give = 0;
    for (int r = 0; r < size; r++)
        n_give += a.n_give[r];
    double *buffer = allocated((size_t)n_give, sizeof *buffer),
           *x = allocated((size_t)each, sizeof *x);
    double *p = allocated((size_t)(each + a.n_received), sizeof *p),
           *r = allocated((size_t)each, sizeof *r);
    double *ap = allocated((size_t)each, sizeof *ap);
    for (int64_t i = 0; i < each; i++)
        r[i] = p[i] = 1 + (double)(mixed((uint64_t)(each * rank + i)) % 1000) / 1000;
    double rr = sum(r, r, each);
    for (int step = 0; step < steps; step++) {
        exchange(&a, p, each, buffer, size);
        for (int64_t i = 0; i < each; i++)
            ap[i] = 0.5 * p[i];
        for (int64_t k = 0; k < a.n_edges;
             k++) /* the Laplacian of the graph, and half of the identity */
            ap[a.edges[k].at] += p[a.edges[k].at] - p[a.edges[k].other];
        const double alpha = rr / sum(p, ap, each);
        for (int64_t i = 0; i < each; i++)
            x[i] += alpha * p[i], r[i] -= alpha * ap[i];
        const double after = sum(r, r, each), beta = after / rr;
        rr = after;
        for (int64_t i = 0; i < each; i++)
            p[i] = r[i] + beta * p[i];
    }
    if (rank == 0)
        printf("%g\n", rr);
    MPI_Finalize();
    return 0;
}
