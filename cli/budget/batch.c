/* batch.c - many replays of a prediction with other values of its inputs. */
#include "budget/batch.h"

#include "cli.h"

#include <calibrate/calibrate.h>
#include <stdlib.h>
#include <string.h>

static int add_copies(word_list *words, const word_list *from)
{
    int good = 1;
    for (size_t i = 0; good && i < from->n; i++)
        good = word_list_add(words, strdup(from->words[i]));
    return good;
}

/* The words of a replay; empty without memory. */
static word_list words_of(const budget_batch *batch, size_t i)
{
    const budget_inputs *b = batch->inputs;
    budget_variant variant = {.trace = b->trace};
    word_list words = {0};
    for (size_t k = 0; k < b->n; k++)
        variant.positions[k] = budget_usual(b, k);
    batch->describe(batch->arg, i, &variant);
    if (!word_list_add(&words, strdup(variant.trace)) || !add_copies(&words, &b->options) ||
        (variant.words && !add_copies(&words, variant.words)) ||
        !budget_add_words(b, variant.positions, &words))
        word_list_free(&words);
    return words;
}

static int run(void *arg, size_t i, tlr_point *point)
{
    word_list words = words_of(arg, i);
    const int code = words.n ? words_run(&words, 0, point)
                             : cli_fail_text(TL_ERR_MEMORY, "out of memory for a replay");
    word_list_free(&words);
    return code;
}

static tl_status done(void *arg, size_t i, tl_error *err)
{
    budget_batch *batch = arg;
    const tlr_point *point = &batch->sweep.points[i];
    cli_progress_step(&batch->progress);
    if (!point->error[0])
        return TL_OK;
    return batch->fail ? batch->fail(batch->arg, i, point, err)
                       : tl_fail(err, point->status, "%s", point->error);
}

/* The points have numbers as names. */
static tl_status create_points(budget_batch *batch, tl_error *err)
{
    enum { ROOM = 24 };
    char(*names)[ROOM] = calloc(batch->n, sizeof *names);
    const char **values = calloc(batch->n, sizeof *values);
    tlr_axis *axis = calloc(1, sizeof *axis);
    for (size_t i = 0; names && values && i < batch->n; i++) {
        snprintf(names[i], ROOM, "%zu", i);
        values[i] = names[i];
    }
    tl_status status = axis && names && values
                           ? tlr_axis_of("trace", values, batch->n, axis, err)
                           : tl_fail(err, TL_ERR_MEMORY, "out of memory for the replays");
    if (status == TL_OK)
        status = tlr_sweep_create(axis, 1, &batch->sweep, err);
    if (status != TL_OK && axis) {
        tlr_axis_free(axis);
        free(axis);
    }
    free(names);
    free(values);
    return status;
}

tl_status budget_batch_run(budget_batch *batch, tl_error *err)
{
    tl_status status = create_points(batch, err);
    if (status != TL_OK)
        return status;
    batch->progress = cli_progress_begin(batch->what, batch->n);
    status = tlr_sweep_run(&batch->sweep, 0, 1, tlp_n_cores(), run, done, batch, err);
    cli_progress_end(&batch->progress);
    return status;
}

void budget_batch_free(budget_batch *batch)
{
    tlr_sweep_free(&batch->sweep);
    batch->sweep = (tlr_sweep){0};
}
