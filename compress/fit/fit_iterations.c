/* fit_iterations.c - numbers of iterations that depend on data, as until convergence: if they are
 * the same for all ranks of a capture, and no expression has those of all captures, they become a
 * parameter. */
#include "config.h"

#include "fit.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MAX_ITERATIONS = 4 };

size_t fit_word_uses(const char *text, const char *word)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const size_t size = strlen(word);
    size_t n = 0;
    while (*text) {
        const size_t length = strspn(text, letters);
        n += length == size && !memcmp(text, word, size);
        text += length ? length : 1;
    }
    return n;
}

void fit_note_iterations(fitting *f, const fit_node *node, fit_lack *found)
{
    const fit_sample *samples = node->samples.items;
    fit_lack lack = {.symbol = f->order[node->low], .last = f->order[node->high], .is_trips = true};
    bool seen[FIT_MAX_CAPTURES] = {0}, varies = false;
    if (f->left_out < f->n_captures || f->n_captures > FIT_MAX_CAPTURES || found->is_trips)
        return;
    for (size_t i = 0; i < node->samples.n; i++) {
        const uint32_t c = samples[i].capture;
        if (!fit_is_used(f, node, &samples[i]))
            continue;
        if (!samples[i].trips || (seen[c] && lack.trips[c] != samples[i].trips))
            return;
        seen[c] = true;
        lack.trips[c] = samples[i].trips;
    }
    for (size_t c = 0; c < f->n_captures; c++) {
        if (!seen[c])
            return;
        varies |= lack.trips[c] != lack.trips[0];
    }
    if (varies)
        *found = lack;
}

bool fit_add_iterations(fitting *f, const fit_lack *lack)
{
    const size_t n = f->iterations.n;
    fit_iterations *made = lack->is_trips && n < MAX_ITERATIONS && f->left_out == f->n_captures
                               ? skel_push(&f->iterations, sizeof *made)
                               : NULL;
    if (!made)
        return false;
    made->lack = *lack;
    snprintf(made->name, sizeof made->name, n ? "ITERATIONS%zu" : "ITERATIONS", n + 1);
    fit_add(f, FIT_NUMBER, 0, "%s", made->name);
    for (unsigned d = 0; d < FIT_MAX_DEPTH; d++) {
        fit_add(f, FIT_CONDITION, 1U << d, "i%u == %s - 1", d, made->name);
        fit_add(f, FIT_CONDITION, 1U << d, "i%u < %s - 1", d, made->name);
    }
    fit_candidates_again(f);
    return f->status == TL_OK;
}

void fit_iterations_report(const fitting *f, FILE *out)
{
    const fit_iterations *all = f->iterations.items;
    char from[300], to[300];
    for (size_t i = 0; i < f->iterations.n; i++) {
        if (f->out.text && !fit_word_uses(f->out.text, all[i].name))
            continue;
        const fit_lack *l = &all[i].lack;
        fprintf(out, "# %s: iterations of the loop from %s to %s depend on data:", all[i].name,
                fit_call_text(f, l->symbol, from), fit_call_text(f, l->last, to));
        for (size_t c = 0; c < f->n_captures; c++)
            fprintf(out, "%s%" PRId64, c ? ", " : " ", l->trips[c]);
        fprintf(out, " in the captures; set %s for other sizes\n", all[i].name);
    }
}
