/* fit_owners.c - candidates: who owns element i of n, and how many elements a rank has, in the ways
 * in which programs deal them out. */
#include "config.h"

#include "fit.h"

#include <stdio.h>
#include <string.h>

/* ---- owners: roots of broadcasts, partners ---- */

/* I: an element, N: how many there are, P: ranks. */
static const char *const owners[] = {
    /* Cyclic. */
    "I % P",
    /* Blocks of equal size; the last rank has what remains, too. */
    "(I) / (N / P)", "min((I) / (N / P), P - 1)",
    /* Blocks of the size that is rounded up. */
    "(I) / ((N + P - 1) / P)",
    /* From rank * N / P on: Quinn 2004, Parallel Programming in C, macro BLOCK_OWNER. */
    "(P * (I + 1) - 1) / N",
    /* The first ranks have one more. */
    "I < N % P * (N / P + 1) ? (I) / (N / P + 1) : (I - N % P) / (N / P)"};

/* The text with texts in place of I, N, P, and W. fit_add refuses one that fills the room. */
static void replace(const char *pattern, const char *element, const char *n, const char *size,
                    const char *other, char text[FIT_MAX_CANDIDATE])
{
    size_t used = 0;
    *text = '\0';
    for (; *pattern && used < FIT_MAX_CANDIDATE; pattern++) {
        const char one[2] = {*pattern, '\0'};
        const char *with = one;
        switch (*pattern) {
        case 'I': with = element; break;
        case 'N': with = n; break;
        case 'P': with = size; break;
        case 'W': with = other; break;
        default: break;
        }
        used += (size_t)snprintf(text + used, FIT_MAX_CANDIDATE - used, "%s", with);
    }
}

static void add_owners_of(fitting *f, unsigned depth, const char *element, const char *n,
                          const char *size, bool is_cyclic)
{
    char text[FIT_MAX_CANDIDATE], i[120];
    snprintf(i, sizeof i, strchr(element, ' ') && is_cyclic ? "(%s)" : "%s", element);
    for (size_t k = is_cyclic ? 0 : 1; k < (is_cyclic ? 1 : sizeof owners / sizeof *owners); k++) {
        replace(owners[k], i, n, size, "", text);
        fit_add(f, FIT_PEER, 1U << depth, "%s", text);
    }
}

void fit_add_owners(fitting *f, const char *size)
{
    char element[120];
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        snprintf(element, sizeof element, "i%u", d);
        add_owners_of(f, d, element, "", size, true);
        snprintf(element, sizeof element, "i%u + 1", d);
        add_owners_of(f, d, element, "", size, true);
        for (size_t i = 0; i < f->n_names; i++) {
            const char *n = f->names[i];
            snprintf(element, sizeof element, "i%u", d);
            add_owners_of(f, d, element, n, size, false);
            snprintf(element, sizeof element, "%.90s - 1 - i%u", n, d);
            add_owners_of(f, d, element, n, size, true);
            add_owners_of(f, d, element, n, size, false);
            for (size_t k = 0; k < f->n_names; k++) {
                if (k == i)
                    continue;
                snprintf(element, sizeof element, "i%u * %.90s", d, f->names[k]);
                add_owners_of(f, d, element, n, size, false);
            }
        }
    }
}

/* ---- shares ---- */

/* I: a rank, N: how many elements there are, P: ranks, W: another size. */
static const char *const shares[] = {"N / P + (I == P - 1 ? N % P : 0)",
                                     "(I + 1) * N / P - I * N / P",
                                     "max(0, min((N + P - 1) / P, N - (I) * ((N + P - 1) / P)))"};

void fit_add_shares_of(fitting *f, unsigned variables, const char *owner, const char *size)
{
    char text[FIT_MAX_CANDIDATE], i[40];
    snprintf(i, sizeof i, strchr(owner, ' ') ? "(%s)" : "%s", owner);
    for (size_t n = 0; n < f->n_names; n++)
        for (size_t k = 0; k < sizeof shares / sizeof *shares; k++) {
            replace(shares[k], i, f->names[n], size, "", text);
            fit_add(f, FIT_NUMBER, variables, "%s", text);
            for (size_t m = 0; m < f->n_names; m++)
                fit_add(f, FIT_NUMBER, variables, "%s * (%s)", f->names[m], text);
        }
}

void fit_add_blocks(fitting *f)
{
    static const char *const of_two[] = {"N / W", "(N + W - 1) / W", "N / P / W",
                                         "(N / P + W - 1) / W", "W * (N / P)"};
    char text[FIT_MAX_CANDIDATE], variable[8];
    for (size_t i = 0; i < f->n_names; i++) {
        fit_add(f, FIT_NUMBER, 0, "bits(%s) - 1", f->names[i]);
        fit_add(f, FIT_NUMBER, 0, "bits(%s / ranks) - 1", f->names[i]);
        for (size_t k = 0; k < f->n_names; k++) {
            if (k == i)
                continue;
            for (size_t j = 0; j < sizeof of_two / sizeof *of_two; j++) {
                replace(of_two[j], "", f->names[i], "ranks", f->names[k], text);
                fit_add(f, FIT_NUMBER, 0, "%s", text);
            }
            /* The last block may be smaller. */
            for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
                snprintf(variable, sizeof variable, "i%u", d);
                replace("min(W, N - I * W)", variable, f->names[i], "ranks", f->names[k], text);
                fit_add(f, FIT_NUMBER, 1U << d, "%s", text);
                replace("min(W, N / P - I * W)", variable, f->names[i], "ranks", f->names[k], text);
                fit_add(f, FIT_NUMBER, 1U << d, "%s", text);
            }
        }
    }
}

/* Blocks of a grid of two dimensions. */
void fit_add_grid_blocks(fitting *f, const fit_grid *g)
{
    static const char *const of_cells[] = {"(I + 1) * N / P - I * N / P", "local(N, 1, I, P)"};
    char size[2][40], coord[2][40], cell[2][FIT_MAX_CANDIDATE];
    for (int d = 0; d < 2; d++) {
        fit_grid_size(g, d, size[d]);
        snprintf(coord[d], sizeof coord[d], "coord(%s, %d)", g->name, d);
    }
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        if (!g->periodic) {
            fit_add(f, FIT_NUMBER, 0, "%s / %s", n, size[0]);
            fit_add(f, FIT_NUMBER, 0, "%s / %s * (%s / %s)", n, size[0], n, size[1]);
            fit_add(f, FIT_NUMBER, 0, "%s / %s * (%s / %s) * %s / %s", n, size[0], n, size[1], n,
                    size[0]);
            for (size_t k = 0; k < f->n_names; k++)
                if (k != i)
                    fit_add(f, FIT_NUMBER, 0, "%s * (%s / %s)", f->names[k], n, size[0]);
        }
        /* What a block has in common with the block at an offset. */
        for (size_t c = 0; c < sizeof of_cells / sizeof *of_cells; c++) {
            for (int d = 0; d < 2; d++)
                replace(of_cells[c], coord[d], n, size[d], "", cell[d]);
            for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
                fit_add(f, FIT_NUMBER, 1U << d,
                        "(i%u / 3 == 1 ? %s : 1) * (i%u %% 3 == 1 ? %s : 1)", d, cell[0], d,
                        cell[1]);
        }
    }
}

/* ---- partners ---- */

/* A round of a tournament in which each rank meets each other one once: an even number of ranks by
 * the circle method, an odd one without the round in which the rank would meet itself. Tags are the
 * number of the pair. */
static void add_tournament(fitting *f, unsigned d)
{
    char round[40], other[200];
    snprintf(round, sizeof round, "(2 * i%u - rank) %% (ranks - 1)", d);
    snprintf(other, sizeof other,
             "(ranks %% 2 == 1 ? (2 * (i%u + (i%u >= rank)) - rank) %% ranks : "
             "rank == ranks - 1 ? i%u : %s == rank ? ranks - 1 : %s)",
             d, d, d, round, round);
    fit_add(f, FIT_PEER, 1U << d, "%s", other);
    fit_add(f, FIT_NUMBER, 1U << d, "%s * ranks + rank", other);
    fit_add(f, FIT_NUMBER, 1U << d, "rank * ranks + %s", other);
}

void fit_add_partners(fitting *f)
{
    /* Along rows and columns by the rank's own coordinate: Cannon 1969. */
    for (size_t g = 0; g < FIT_N_PLAIN_GRIDS; g++) {
        const char *name = fit_grids[g].name;
        for (int d = 0; d < 2 && fit_grids[g].n_dimensions == 2 && fit_grids[g].periodic; d++) {
            fit_add(f, FIT_PEER, 0, "neighbour(%s, %d, -coord(%s, %d))", name, d, name, !d);
            fit_add(f, FIT_PEER, 0, "neighbour(%s, %d, coord(%s, %d))", name, d, name, !d);
        }
    }
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        add_tournament(f, d);
    /* Pairs of neighbours that alternate: odd-even transposition. */
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        for (int odd = 0; odd < 2; odd++) {
            fit_add(f, FIT_PEER, 1U << d, "(rank + i%u) %% 2 == %d ? rank + 1 : rank - 1", d, odd);
            fit_add(f, FIT_PEER, 1U << d,
                    "(rank + i%u) %% 2 == %d ? (rank + 1 < ranks ? rank + 1 : null) : rank > 0 ? "
                    "rank - 1 : null",
                    d, odd);
        }
}
