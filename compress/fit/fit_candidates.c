/* fit_candidates.c - the expressions that may explain a value: texts in the language of skeletons,
 * the simple ones first. */
#include "config.h"

#include "fit.h"

#include "error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Ranks as a grid of n dimensions: the sizes of MPI_Dims_create, the largest or smallest first. */
typedef struct grid_kind {
    const char *name;
    int n_dimensions;
    bool periodic, smallest_first;
} grid_kind;

static const grid_kind grids[] = {
    {"line", 1, false, false},      {"square", 2, false, false}, {"torus", 2, true, false},
    {"square_t", 2, false, true},   {"torus_t", 2, true, true},  {"cube", 3, false, false},
    {"cube_torus", 3, true, false}, {"cube_t", 3, false, true},  {"cube_torus_t", 3, true, true}};
enum { N_GRIDS = sizeof grids / sizeof *grids };

static void size_text(const grid_kind *g, int d, char text[40])
{
    const int from = g->smallest_first ? g->n_dimensions - 1 - d : d;
    snprintf(text, 40, "dims(ranks, %d, %d)", g->n_dimensions, from);
}

static bool mentions(const char *body, const char *name)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "(%s,", name);
    return !body || strstr(body, wanted);
}

void fit_head(const fitting *f, FILE *out, int64_t n_ranks, const int64_t *values, const char *body)
{
    fprintf(out, "ranks %" PRId64 "\n", n_ranks);
    for (size_t i = 0; i < f->n_names; i++)
        fprintf(out, "param %s = %" PRId64 "\n", f->names[i], values[i]);
    for (size_t i = 0; i < N_GRIDS; i++) {
        if (!mentions(body, grids[i].name))
            continue;
        fprintf(out, "grid %s = ", grids[i].name);
        for (int d = 0; d < grids[i].n_dimensions; d++) {
            char size[40];
            size_text(&grids[i], d, size);
            fprintf(out, "%s%s%s", d ? ", " : "", size, grids[i].periodic ? " periodic" : "");
        }
        fputc('\n', out);
    }
}

/* ---- the list ---- */

static size_t add(fitting *f, unsigned use, unsigned variables, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static size_t add(fitting *f, unsigned use, unsigned variables, const char *format, ...)
{
    char text[300];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fit_candidate *made = skel_push(&f->candidates, sizeof *made);
    if (!made || !(made->text = strdup(text)))
        fit_out_of_memory(f);
    if (made) {
        made->use = use;
        made->variables = variables;
    }
    return f->candidates.n - 1;
}

static void add_sizes(fitting *f)
{
    enum { NUMBER = FIT_NUMBER | FIT_LAW };
    for (size_t i = 0; i < f->n_names; i++)
        add(f, NUMBER, 0, "%s", f->names[i]);
    add(f, NUMBER, 0, "ranks");
    add(f, FIT_NUMBER, 0, "rank");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++)
        add(f, FIT_NUMBER, 1U << d, "i%u", d);
    add(f, NUMBER, 0, "bits(ranks - 1)");
    add(f, NUMBER, 0, "root(ranks, 2)");
    add(f, NUMBER, 0, "root(ranks, 3)");
    add(f, FIT_NUMBER, 0, "bits(rank)");
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i];
        add(f, NUMBER, 0, "%s / ranks", n);
        add(f, FIT_NUMBER, 0, "(%s + ranks - 1) / ranks", n);
        add(f, NUMBER, 0, "local(%s, 1, rank, ranks)", n);
        add(f, FIT_NUMBER, 0, "(rank + 1) * %s / ranks - rank * %s / ranks", n, n);
        add(f, NUMBER, 0, "%s * bits(%s)", n, n);
        add(f, NUMBER, 0, "bits(%s)", n);
    }
    for (int k = 2; k <= 3; k++)
        for (int d = 0; d < k; d++)
            add(f, NUMBER, 0, "dims(ranks, %d, %d)", k, d);
}

/* What a rank has of a parameter's elements along a dimension of a grid. */
static void add_local(fitting *f, const grid_kind *g)
{
    char size[3][40];
    for (int d = 0; d < g->n_dimensions; d++)
        size_text(g, d, size[d]);
    for (size_t i = 0; i < f->n_names; i++) {
        const char *n = f->names[i], *name = g->name;
        for (int d = 0; d < g->n_dimensions; d++) {
            add(f, FIT_NUMBER | FIT_LAW, 0, "local(%s, 1, coord(%s, %d), %s)", n, name, d, size[d]);
            add(f, FIT_NUMBER, 0, "(coord(%s, %d) + 1) * %s / %s - coord(%s, %d) * %s / %s", name,
                d, n, size[d], name, d, n, size[d]);
        }
        for (int d = 0; d < g->n_dimensions; d++)
            for (int e = d + 1; e < g->n_dimensions; e++)
                add(f, FIT_NUMBER | FIT_LAW, 0,
                    "local(%s, 1, coord(%s, %d), %s) * local(%s, 1, coord(%s, %d), %s)", n, name, d,
                    size[d], n, name, e, size[e]);
    }
}

static void add_products(fitting *f)
{
    enum { NUMBER = FIT_NUMBER | FIT_LAW };
    for (size_t i = 0; i < f->n_names; i++)
        for (size_t k = i; k < f->n_names; k++) {
            const char *a = f->names[i], *b = f->names[k];
            add(f, NUMBER, 0, "%s * %s", a, b);
            add(f, NUMBER, 0, "%s * %s / ranks", a, b);
            add(f, NUMBER, 0, "%s * local(%s, 1, rank, ranks)", a, b);
            if (i != k)
                add(f, NUMBER, 0, "%s * local(%s, 1, rank, ranks)", b, a);
            if (i == k) {
                add(f, NUMBER, 0, "%s * %s * %s", a, a, a);
                add(f, NUMBER, 0, "%s * %s * %s / ranks", a, a, a);
                add(f, NUMBER, 0, "%s / ranks * (%s / ranks)", a, a);
                add(f, FIT_NUMBER, 0, "%s * %s / (ranks * ranks)", a, a);
            }
        }
}

/* What the rank `owner` has of a parameter's elements, or of rows of them: sizes of messages from
 * or to each of the other ranks in turn. */
static void add_shares_of(fitting *f, unsigned variables, const char *owner)
{
    for (size_t i = 0; i < f->n_names; i++)
        add(f, FIT_NUMBER, variables, "local(%s, 1, %s, ranks)", f->names[i], owner);
    for (size_t i = 0; i < f->n_names; i++)
        for (size_t k = 0; k < f->n_names; k++)
            add(f, FIT_NUMBER, variables, "%s * local(%s, 1, %s, ranks)", f->names[i], f->names[k],
                owner);
}

static void add_shares(fitting *f)
{
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        char owner[16];
        snprintf(owner, sizeof owner, "i%u", d);
        add_shares_of(f, 1U << d, owner);
        snprintf(owner, sizeof owner, "i%u + 1", d);
        add_shares_of(f, 1U << d, owner);
    }
}

static void add_neighbours(fitting *f, const grid_kind *g)
{
    for (int d = g->n_dimensions - 1; d >= 0; d--) {
        for (int step = -1; step <= 1; step += 2) {
            add(f, FIT_PEER, 0, "neighbour(%s, %d, %d)", g->name, d, step);
            if (!g->periodic)
                add(f, FIT_CONDITION, 0, "neighbour(%s, %d, %d) != null", g->name, d, step);
            if (!g->periodic)
                add(f, FIT_CONDITION, 0, "neighbour(%s, %d, %d) == null", g->name, d, step);
        }
        if (g->n_dimensions > 1 && !g->periodic)
            add(f, FIT_NUMBER, 0, "coord(%s, %d)", g->name, d);
    }
    if (g->n_dimensions != 2 || g->periodic)
        return;
    char size[2][40];
    for (int d = 0; d < 2; d++)
        size_text(g, d, size[d]);
    add(f, FIT_PEER, 0, "coord(%s, 1) * %s + coord(%s, 0)", g->name, size[0], g->name);
    for (int y = -1; y <= 1; y += 2)
        for (int x = -1; x <= 1; x += 2)
            add(f, FIT_PEER, 0,
                "neighbour(%s, 0, %d) == null || neighbour(%s, 1, %d) == null ? null : "
                "neighbour(%s, 0, %d) %c 1",
                g->name, y, g->name, x, g->name, y, x < 0 ? '-' : '+');
}

static void add_peers(fitting *f)
{
    for (int step = 1; step <= 3; step++) {
        add(f, FIT_PEER, 0, "(rank + %d) %% ranks", step);
        add(f, FIT_PEER, 0, "(rank - %d) %% ranks", step);
    }
    for (int bit = 1; bit <= 32; bit *= 2)
        add(f, FIT_PEER, 0, "rank ^ %d", bit);
    add(f, FIT_PEER, 0, "(rank + ranks / 2) %% ranks");
    add(f, FIT_PEER, 0, "rank - (1 << bits(rank) - 1)");
    add(f, FIT_PEER, 0, "rank & rank - 1");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        const unsigned v = 1U << d;
        static const char *const with[] = {"(rank + i%u) %% ranks",
                                           "(rank - i%u) %% ranks",
                                           "(rank + i%u + 1) %% ranks",
                                           "(rank - i%u - 1) %% ranks",
                                           "i%u + 1",
                                           "rank ^ i%u",
                                           "rank ^ i%u + 1",
                                           "(rank + (1 << i%u)) %% ranks",
                                           "(rank - (1 << i%u)) %% ranks",
                                           "rank + (1 << i%u)",
                                           "rank - (1 << i%u)",
                                           "rank ^ (1 << i%u)",
                                           "rank ^ ranks >> 1 + i%u"};
        for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
            char text[80];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
            snprintf(text, sizeof text, with[i], d);
#pragma GCC diagnostic pop
            add(f, FIT_PEER, v, "%s", text);
        }
        add(f, FIT_PEER, v, "i%u + (i%u >= rank ? 1 : 0)", d, d);
    }
}

static void add_conditions(fitting *f)
{
    static const char *const simple[] = {
        "rank == 0",        "rank > 0",         "rank < ranks - 1", "rank == ranks - 1",
        "rank % 2 == 0",    "rank % 2 == 1",    "ranks > 1",        "rank + 1 < ranks / 2 * 2",
        "rank < ranks / 2", "rank >= ranks / 2"};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; i++)
        add(f, FIT_CONDITION, 0, "%s", simple[i]);
    for (size_t i = 0; i < f->n_names; i++)
        for (unsigned m = 2; m <= 16; m++)
            for (int k = 0; k < 2; k++)
                add(f, FIT_CONDITION, 0, "%s %% %u %s 0", f->names[i], m, k ? "==" : "!=");
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        add(f, FIT_CONDITION, 1U << d, "i%u == 0", d);
        add(f, FIT_CONDITION, 1U << d, "i%u > 0", d);
        for (unsigned m = 2; m <= 32; m++)
            add(f, FIT_CONDITION, 1U << d, "i%u %% %u != 0", d, m);
        for (unsigned m = 2; m <= 32; m++)
            for (unsigned r = 0; r < m; r += r ? m - r > 1 ? m - r - 1 : 1 : 1)
                add(f, FIT_CONDITION, 1U << d, "i%u %% %u == %u", d, m, r);
    }
}

static void add_range(fitting *f, unsigned depth, const char *first, const char *last, int step,
                      const char *guard)
{
    char text[200] = "";
    size_t used = 0;
    for (const char *at = guard; *at && used + 8 < sizeof text; at++)
        used += *at == 'K' ? (size_t)snprintf(text + used, 8, "i%u", depth)
                           : (size_t)snprintf(text + used, 2, "%c", *at);
    fit_range *made = skel_push(&f->ranges, sizeof *made);
    if (!made) {
        fit_out_of_memory(f);
        return;
    }
    *made = (fit_range){.step = step,
                        .depth = depth,
                        .first = add(f, FIT_OTHER, 0, "%s", first),
                        .last = add(f, FIT_OTHER, 0, "%s", last),
                        .guard = add(f, FIT_OTHER, 1U << depth, "%s", text)};
}

static void add_ranges(fitting *f)
{
    static const char above[] = "rank + (1 << K) < ranks", top[] = "bits(ranks - 1) - 1";
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        add_range(f, d, "bits(rank)", top, 1, above);
        add_range(f, d, top, "bits(rank)", -1, above);
        add_range(f, d, "0", top, 1, above);
        add_range(f, d, top, "0", -1, above);
        add_range(f, d, "0", top, 1, "rank >= 1 << K");
        add_range(f, d, "0", top, 1, "(rank ^ 1 << K) < ranks");
        add_range(f, d, "0", top, 1, "rank % (2 << K) == 0 && rank + (1 << K) < ranks");
        add_range(f, d, top, "0", -1, "rank % (2 << K) == 0 && rank + (1 << K) < ranks");
        add_range(f, d, "0", "ranks - 1", 1, "K != rank");
        add_range(f, d, "rank + 1", "ranks - 1", 1, "1");
        add_range(f, d, "0", "rank - 1", 1, "1");
    }
}

/* ---- evaluation ---- */

static char *list_text(const fitting *f, const fit_capture *c)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const fit_candidate *all = f->candidates.items;
    if (!out)
        return NULL;
    fputs("skeleton 1\n", out);
    fit_head(f, out, c->n_ranks, c->values, NULL);
    for (int d = 0; d < FIT_MAX_DEPTH; d++)
        fprintf(out, "let i%d = rank\n", d);
    for (size_t i = 0; i < f->candidates.n; i++)
        fprintf(out, "let c_%zu = %s\n", i, all[i].text);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The nodes of the candidates are the same for all captures. */
static void prepare(fitting *f, fit_capture *c)
{
    static char path[] = "--parameter"; /* what can be wrong is the name of a parameter */
    char *text = list_text(f, c);
    if (!text) {
        fit_out_of_memory(f);
        return;
    }
    c->s = (skeleton){.path = path};
    f->status = skel_read(&c->s, text, NULL, 0, f->err);
    free(text);
    if (f->status != TL_OK)
        return;
    c->slots = calloc(c->s.n_slots + 1U, sizeof *c->slots);
    if (!c->slots || !c->s.values.items) {
        fit_out_of_memory(f);
        return;
    }
    memcpy(c->slots, c->s.values.items, c->s.values.n * sizeof *c->slots);
    const skel_statement *st = c->s.statements.items;
    uint32_t number = c->s.first;
    for (size_t i = 0; number; number = st[number].next, i++)
        if (i >= FIT_MAX_DEPTH)
            ((fit_candidate *)f->candidates.items)[i - FIT_MAX_DEPTH].node =
                st[number].expressions[0];
}

void fit_candidates(fitting *f)
{
    add_sizes(f);
    add_peers(f);
    add_conditions(f);
    for (size_t i = 0; i < N_GRIDS; i++) {
        add_neighbours(f, &grids[i]);
        if (!grids[i].periodic && grids[i].n_dimensions > 1)
            add_local(f, &grids[i]);
    }
    add_products(f);
    add_shares(f);
    add_ranges(f);
    for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++)
        prepare(f, &f->captures[i]);
}

void fit_candidates_free(fitting *f)
{
    fit_candidate *all = f->candidates.items;
    for (size_t i = 0; i < f->candidates.n; i++)
        free(all[i].text);
    free(all);
    free(f->ranges.items);
    for (size_t i = 0; f->captures && i < f->n_captures; i++) {
        fit_capture *c = &f->captures[i];
        c->s.path = NULL;
        skel_clear(&c->s);
        free(c->slots);
    }
}

bool fit_value(const fitting *f, size_t candidate, const fit_sample *sample, int64_t *out)
{
    const fit_capture *c = &f->captures[sample->capture];
    const fit_candidate *all = f->candidates.items;
    const size_t n = c->s.values.n;
    c->slots[0] = sample->rank;
    for (size_t d = 0; d < FIT_MAX_DEPTH; d++)
        c->slots[n + d] = sample->index[d];
    return skel_evaluate(&c->s, c->slots, all[candidate].node, -1, out, NULL) == TL_OK;
}
