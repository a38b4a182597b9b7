/* fit_evaluate.c - the values of the expressions: in a skeleton of their own for each capture. */
#include "config.h"

#include "fit.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const fit_grid fit_grids[FIT_N_GRIDS] = {{"line", 1, false, false, 0},
                                         {"square", 2, false, false, 0},
                                         {"torus", 2, true, false, 0},
                                         {"square_t", 2, false, true, 0},
                                         {"torus_t", 2, true, true, 0},
                                         {"cube", 3, false, false, 0},
                                         {"cube_torus", 3, true, false, 0},
                                         {"cube_t", 3, false, true, 0},
                                         {"cube_torus_t", 3, true, true, 0},
                                         /* With the periodic dimensions in the name. */
                                         {"cylinder_0", 2, false, false, 1U},
                                         {"cylinder_1", 2, false, false, 2U},
                                         {"cylinder_0_t", 2, false, true, 1U},
                                         {"cylinder_1_t", 2, false, true, 2U},
                                         {"duct_0", 3, false, false, 1U},
                                         {"duct_1", 3, false, false, 2U},
                                         {"duct_01", 3, false, false, 3U},
                                         {"duct_2", 3, false, false, 4U},
                                         {"duct_02", 3, false, false, 5U},
                                         {"duct_12", 3, false, false, 6U},
                                         {"duct_0_t", 3, false, true, 1U},
                                         {"duct_1_t", 3, false, true, 2U},
                                         {"duct_01_t", 3, false, true, 3U},
                                         {"duct_2_t", 3, false, true, 4U},
                                         {"duct_02_t", 3, false, true, 5U},
                                         {"duct_12_t", 3, false, true, 6U}};

void fit_grid_size(const fit_grid *g, int d, char text[40])
{
    const int from = g->smallest_first ? g->n_dimensions - 1 - d : d;
    snprintf(text, 40, "dims(ranks, %d, %d)", g->n_dimensions, from);
}

static bool grid_is_periodic(const fit_grid *g, int d)
{
    return g->periodic || g->dimensions & 1U << d;
}

unsigned fit_grid_uses(const char *text, const fit_grid *g)
{
    char wanted[32];
    unsigned n = 0;
    snprintf(wanted, sizeof wanted, "(%s,", g->name);
    while ((text = strstr(text, wanted))) {
        text++;
        n++;
    }
    return n;
}

void fit_head(const fitting *f, FILE *out, const fit_capture *c, const char *body)
{
    const fit_iterations *iterations = f->iterations.items;
    const fit_comm *comms = f->comms.items;
    fprintf(out, "ranks %" PRIu32 "\n", c->n_ranks);
    for (size_t i = 0; i < f->n_names; i++)
        fprintf(out, "param %s = %" PRId64 "\n", f->names[i], c->values[i]);
    for (size_t i = 0; i < f->iterations.n; i++) {
        if (body && !fit_word_uses(body, iterations[i].name))
            continue;
        if (body && (f->copies.n || fit_copies_comms(f)))
            fprintf(out, "param %s = captured\n", iterations[i].name);
        else
            fprintf(out, "param %s = %" PRId64 "\n", iterations[i].name,
                    iterations[i].lack.trips[c - f->captures]);
    }
    if (body ? f->draws.n > 0 : f->may_draw)
        fputs("param draw_seed = 1\n", out);
    for (size_t i = 0; i < FIT_N_GRIDS; i++) {
        bool is_used = !body || fit_grid_uses(body, &fit_grids[i]);
        for (size_t k = 0; body && k < f->n_symbols; k++)
            is_used |= f->symbols[k].places.grid == &fit_grids[i];
        for (size_t k = 0; k < f->comms.n; k++)
            is_used |= fit_grid_uses(comms[k].text, &fit_grids[i]) > 0;
        if (!is_used)
            continue;
        fprintf(out, "grid %s = ", fit_grids[i].name);
        for (int d = 0; d < fit_grids[i].n_dimensions; d++) {
            char size[40];
            fit_grid_size(&fit_grids[i], d, size);
            fprintf(out, "%s%s%s", d ? ", " : "", size,
                    grid_is_periodic(&fit_grids[i], d) ? " periodic" : "");
        }
        fputc('\n', out);
    }
    if (fit_copies_comms(f))
        fit_capture_statements(f, out);
    fit_comm_statements(f, out);
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
    fit_head(f, out, c, NULL);
    for (int d = 0; d < FIT_MAX_DEPTH; d++)
        fprintf(out, "let i%d = rank\n", d);
    fputs("let each = rank\n", out);
    for (size_t i = 0; i < f->candidates.n; i++)
        fprintf(out, "if %s {\n}\n", all[i].text); /* without thousands of names to look up */
    for (size_t i = 0; i < f->comms.n; i++)
        fprintf(out, "MPI_Comm_split new_comm=comm%zu\n", i);
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
    for (size_t i = 0; i < FIT_N_VARIABLES + f->candidates.n; number = st[number].next, i++)
        if (i >= FIT_N_VARIABLES)
            ((fit_candidate *)f->candidates.items)[i - FIT_N_VARIABLES].node =
                st[number].expressions[0];
}

void fit_candidates_prepare(fitting *f)
{
    for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++)
        prepare(f, &f->captures[i]);
}

/* The results of searches hold for these candidates. */
static void release(fitting *f)
{
    for (size_t i = 0; i < f->results.n; i++)
        free(((char **)f->results.items)[i]);
    f->results.n = 0;
    tl_map_free(&f->searched);
    for (size_t i = 0; f->captures && i < f->n_captures; i++) {
        fit_capture *c = &f->captures[i];
        c->s.path = NULL;
        skel_clear(&c->s);
        c->s = (skeleton){0};
        free(c->slots);
        c->slots = NULL;
    }
}

void fit_candidates_again(fitting *f)
{
    release(f);
    fit_candidates_prepare(f);
}

void fit_candidates_free(fitting *f)
{
    fit_candidate *all = f->candidates.items;
    for (size_t i = 0; i < f->candidates.n; i++)
        free(all[i].text);
    free(all);
    free(f->ranges.items);
    release(f);
    free(f->results.items);
}

static bool evaluate(const fitting *f, uint32_t node, const fit_sample *sample, int64_t *out)
{
    const fit_capture *c = &f->captures[sample->capture];
    const size_t n = c->s.values.n;
    c->slots[0] = sample->rank;
    for (size_t d = 0; d < FIT_N_VARIABLES; d++)
        c->slots[n + d] = d < FIT_MAX_DEPTH ? sample->index[d] / f->period[d] : sample->index[d];
    return skel_evaluate(&c->s, c->slots, node, -1, out, NULL) == TL_OK;
}

bool fit_value(const fitting *f, size_t candidate, const fit_sample *sample, int64_t *out)
{
    const fit_candidate *all = f->candidates.items;
    return evaluate(f, all[candidate].node, sample, out);
}

bool fit_quotient(const fitting *f, size_t candidate, const fit_sample *sample, int64_t *dividend,
                  int64_t *divisor)
{
    const fit_candidate *all = f->candidates.items;
    const skel_node *nodes = f->captures[sample->capture].s.nodes.items;
    const skel_node *root = &nodes[all[candidate].node];
    return root->op == SKEL_DIVIDE && evaluate(f, root->operand[0], sample, dividend) &&
           evaluate(f, root->operand[1], sample, divisor) && *divisor > 0;
}
