/* fit.c - from captures to the text of a skeleton. */
#include "config.h"

#include "fit.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fit_out_of_memory(fitting *f)
{
    if (f->status == TL_OK)
        f->status = tl_fail(f->err, TL_ERR_MEMORY, "fit: out of memory");
}

void fit_print(fitting *f, fit_text *text, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0 && text->size + (size_t)n + 1 > text->room) {
        const size_t room = 2 * (text->size + (size_t)n + 1);
        char *grown = realloc(text->text, room);
        if (!grown) {
            fit_out_of_memory(f);
            va_end(again);
            return;
        }
        text->text = grown;
        text->room = room;
    }
    if (n >= 0) {
        vsnprintf(text->text + text->size, (size_t)n + 1, format, again);
        text->size += (size_t)n;
    }
    va_end(again);
}

/* ---- one fit ---- */

/* A communicator that only the capture left out makes has no constructor in this text. The language
 * requires one, so one is written that never runs. */
static void write_unmade(const fitting *f, FILE *out)
{
    for (size_t i = 0; i < f->comms.n; i++) {
        char line[60];
        snprintf(line, sizeof line, " new_comm=comm%zu\n", i);
        const char *made = strstr(f->out.text, line);
        snprintf(line, sizeof line, " new_comm=comm%zu ", i);
        if (!made && !strstr(f->out.text, line))
            fprintf(out, "if 0 {\n    MPI_Comm_split new_comm=comm%zu\n}\n", i);
    }
}

/* The head, and what the statements are. NULL without memory. */
char *fit_whole_text(fitting *f)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    const fit_capture *c = &f->captures[0];
    if (out) {
        fit_head(f, out, c, f->out.text);
        fit_draw_statements(f, out);
        fit_copy_statements(f, out);
        if (f->has_volumes)
            fprintf(out, "unit \"%s\"\n", f->unit);
        if (*f->mpi)
            fprintf(out, "mpi \"%s\"\n", f->mpi);
        fwrite(f->out.text, 1, f->out.size, out);
        write_unmade(f, out);
    }
    if (out && fclose(out) == 0)
        return text;
    free(text);
    fit_out_of_memory(f);
    return NULL;
}

/* The text without its first line; NULL if it does not make the events of all captures. */
static char *checked_text(fitting *f)
{
    char *text = fit_whole_text(f), *all = NULL, why[400] = "";
    if (text && asprintf(&all, "skeleton 1\n%s", text) < 0)
        all = NULL;
    for (size_t i = 0; all && !*why && i < f->n_captures; i++)
        if (fit_uses(f, i))
            fit_verify(f, all, i, why);
    free(all);
    if (!all)
        fit_out_of_memory(f);
    if (!*why && f->status == TL_OK)
        return text;
    if (!*f->why)
        snprintf(f->why, sizeof f->why, "%s", why);
    free(text);
    return NULL;
}

static void use_all_iterations(fitting *f)
{
    for (int d = 0; d < FIT_MAX_DEPTH; d++) {
        f->fixed[d] = -1;
        f->period[d] = 1;
        f->phase[d] = 0;
    }
}

static void sum_volume(fitting *f)
{
    f->volume = 0;
    for (size_t c = 0; c < f->n_captures; c++)
        for (size_t i = 0; fit_uses(f, c) && i < f->captures[c].n_events; i++)
            f->volume += (double)f->captures[c].events[i].e.volume;
}

bool fit_arrange(fitting *f, int i)
{
    f->behind_last = i >= FIT_N_SHAPES;
    *f->why = '\0';
    f->lack = (fit_lack){0};
    f->reached = f->out.size = 0;
    tl_map_free(&f->failed);
    fit_print(f, &f->out, "%s", "");
    use_all_iterations(f);
    return !(f->skipped & 1U << i) && fit_loops(f, (fit_shape)(i % FIT_N_SHAPES)) &&
           fit_explain(f, f->top, 0);
}

/* The same for the first arrangement of loops that explains everything. `why`: of the one that
 * explains most. */
static char *fit_with(fitting *f, char why[400])
{
    char *text = NULL;
    size_t most = 0;
    *why = *f->why = '\0';
    f->first_lack = (fit_lack){0};
    f->skipped = 0;
    use_all_iterations(f);
    sum_volume(f);
    fit_draw_prepare(f);
    if (!fit_comms(f)) {
        snprintf(why, 400, "%s", f->why);
        return NULL;
    }
    if (f->may_copy) {
        text = fit_with_holes(f) ? checked_text(f) : NULL;
        snprintf(why, 400, "%s", f->why);
        return text;
    }
    fit_limit_samples(f);
    for (int i = 0; i < 2 * FIT_N_SHAPES && !text && f->status == TL_OK; i++) {
        if (fit_arrange(f, i))
            text = checked_text(f);
        fit_loops_free(f);
        if (!*why || f->reached > most) {
            snprintf(why, 400, "%s", f->why);
            most = f->reached;
            f->first_lack = f->lack;
        }
    }
    return text;
}

/* Grids of captures may have some neighbours in common, as 2 x 2 and 2 x 2 x 1 ranks. The program
 * has one of them, as a rule: the fit is repeated without those that are used least. */
static char *fit_once(fitting *f, char why[400])
{
    char ignored[400];
    const unsigned base = f->is_wide ? 0 : FIT_MIXED_GRIDS;
    f->without = base;
    char *text = fit_with(f, why);
    for (unsigned done = 0; text && !f->may_copy && f->status == TL_OK;) {
        unsigned least = 0, n_used = 0;
        size_t which = 0;
        for (size_t i = 0; i < FIT_N_GRIDS; i++) {
            const unsigned uses = fit_grid_uses(text, &fit_grids[i]);
            n_used += uses > 0;
            if (uses && !(done & 1U << i) && (!least || uses < least)) {
                least = uses;
                which = i;
            }
        }
        if (n_used < 2 || !least)
            break;
        done |= 1U << which;
        f->without |= 1U << which;
        char *other = fit_with(f, ignored);
        if (other) {
            free(text);
            text = other;
        } else {
            f->without &= ~(1U << which);
        }
    }
    f->without = base;
    return text;
}

/* ---- the report, as comments ---- */

static void print_capture(const fitting *f, size_t i, FILE *out)
{
    fprintf(out, "capture %zu (ranks=%" PRIu32, i + 1, f->captures[i].n_ranks);
    for (size_t k = 0; k < f->n_names; k++)
        fprintf(out, ", %s=%" PRId64, f->names[k], f->captures[i].values[k]);
    fputc(')', out);
}

static const char *but_sizes(const fitting *f)
{
    return f->draws.n ? ", except for drawn sizes" : "";
}

/* The error of the laws: of all computation of the capture. `timeless budget` reads it. */
static void print_computation(const fitting *f, FILE *out)
{
    if (f->captured > 0)
        fprintf(out, "; computation %+.3g %%", 100 * (f->made / f->captured - 1));
}

/* How much of the capture the skeleton has nevertheless. */
static void print_match(const fitting *f, FILE *out)
{
    const fit_match *m = &f->match;
    const uint64_t n = m->made > m->recorded ? m->made : m->recorded;
    if (n)
        fprintf(out, "; %.2f %% of its calls are exact", 100 * (double)m->exact / (double)n);
    if (n && m->recorded_bytes > 0)
        fprintf(out, ", bytes %+.2f %%", 100 * (m->made_bytes / m->recorded_bytes - 1));
    fputc('\n', out);
}

static size_t largest_used(const fitting *f)
{
    size_t largest = !fit_uses(f, 0);
    for (size_t i = 1; i < f->n_captures; i++)
        if (fit_uses(f, i) && f->captures[i].n_ranks > f->captures[largest].n_ranks)
            largest = i;
    return largest;
}

/* A fit with copied values. They belong to places in a grid if this predicts the capture with the
 * most ranks better than blocks of ranks do. `left_out`: a capture that is not used. */
static char *fit_by_places(fitting *f, size_t left_out, char why[400])
{
    f->hidden = left_out;
    fit_copy_in_order(f);
    f->left_out = largest_used(f);
    char *fewer = fit_once(f, why), *text;
    if (fewer)
        fit_copy_places(f, f->left_out);
    free(fewer);
    f->hidden = f->n_captures;
    f->left_out = left_out;
    bool again = true;
    for (text = NULL; again && f->status == TL_OK;) {
        free(text);
        text = fit_once(f, why);
        again = text ? fit_copy_places(f, largest_used(f)) : fit_keep_open(f);
    }
    if (!text)
        return NULL;
    free(text);
    return fit_whole_text(f);
}

/* Fits the other captures and compares. The grids of copied rows are chosen again, without this
 * capture. */
static void leave_out(fitting *f, size_t i, FILE *out)
{
    char why[400], differs[400] = "", *all = NULL;
    f->left_out = i;
    char *text = f->may_copy ? fit_by_places(f, i, why) : fit_once(f, why);
    f->left_out = f->n_captures;
    f->counts = true;
    fputs("# fitted without ", out);
    print_capture(f, i, out);
    if (!text) {
        fprintf(out, ": not possible: %s\n", why);
    } else if (asprintf(&all, "skeleton 1\n%s", text) < 0) {
        fit_out_of_memory(f);
    } else if (*fit_verify(f, all, i, differs)) {
        fprintf(out, ": differs from it: %s", differs);
        print_match(f, out);
    } else {
        fprintf(out, ": has all of its %zu calls%s", f->captures[i].n_events, but_sizes(f));
        print_computation(f, out);
        fputc('\n', out);
    }
    if (text && f->draws.n && !*differs)
        fit_draw_compare(f, i, out);
    if (all && *differs && f->may_copy && i == largest_used(f))
        fit_report_inexact(f, all, i, out);
    f->counts = false;
    free(all);
    free(text);
}

/* What the captures leave open: a parameter with one value explains nothing; a parameter that the
 * ranks divide evenly does not tell which rank has more. */
static void print_undecided(const fitting *f, const char *text, FILE *out)
{
    for (size_t k = 0; k < f->n_names; k++) {
        bool varies = false, has_remainder = false;
        for (size_t i = 0; i < f->n_captures; i++) {
            const fit_capture *c = &f->captures[i];
            varies |= c->values[k] != f->captures[0].values[k];
            has_remainder |= c->values[k] % c->n_ranks != 0;
        }
        if (!varies)
            fprintf(out, "# %s is the same in all captures: %s\n", f->names[k],
                    fit_word_uses(text, f->names[k]) > 1 /* of `param` */
                        ? "values that depend on it may be wrong for other values"
                        : "no value depends on it");
        else if (!has_remainder)
            fprintf(out,
                    "# %s is a multiple of the ranks in all captures: its share of a rank may be "
                    "wrong for other values\n",
                    f->names[k]);
    }
}

static void print_counts(const skel_array *counts, const char *before, const char *behind,
                         FILE *out)
{
    const fit_count *all = counts->items;
    for (size_t i = 0; i < counts->n; i++)
        fprintf(out, "%s%" PRIu64 " %s", i ? ", " : before, all[i].n, all[i].name);
    if (counts->n)
        fprintf(out, "%s\n", behind);
}

/* How the skeleton differs from the captures. */
static void print_changes(const fitting *f, FILE *out)
{
    print_counts(&f->dropped, "# dropped, in all captures: ",
                 "; what was computed before is computed before the next call", out);
    print_counts(&f->reordered, "# order assumed, in all captures: ",
                 "; requests complete in the order of their start, messages arrive in the order of "
                 "their ranks",
                 out);
}

static void print_left_out(const fitting *f, FILE *out)
{
    double bytes = f->lacking_bytes;
    for (size_t c = 0; c < f->n_captures; c++)
        for (size_t i = 0; i < f->captures[c].n_events; i++)
            bytes += fit_bytes(&f->captures[c].events[i].e);
    char behind[300];
    snprintf(
        behind, sizeof behind,
        ": fit writes no windows, files or neighbourhood collectives; these calls have %.1f %% "
        "of the captures' bytes, and a prediction does not contain their time",
        bytes > 0 ? 100 * f->lacking_bytes / bytes : 0);
    print_counts(&f->lacking, "# warning: left out, in all captures: ", behind, out);
}

static void print_threads(const fitting *f, FILE *out)
{
    if (f->n_threads > 1)
        fprintf(out,
                "# warning: a skeleton has no parallel regions: the computation of up to %" PRIu32
                " threads became that of one, so its time is up to %" PRIu32
                " times too long; predict without computation, or replay traces\n",
                f->n_threads, f->n_threads);
}

static void print_library(const fitting *f, FILE *out)
{
    bool is_named = false;
    for (size_t i = 0; i < f->n_captures; i++)
        is_named |= *tl_reader_run(f->captures[i].reader)->mpi_library != '\0';
    if (is_named && !*f->mpi)
        fputs("# the captures do not name one MPI library: replay chooses the algorithms of "
              "collectives as for a program of an unknown one\n",
              out);
}

static double worst_residual(const char *text)
{
    double worst = 0;
    while ((text = strstr(text, FIT_RESIDUAL))) {
        text += strlen(FIT_RESIDUAL);
        const double own = strtod(text, NULL);
        worst = own > worst ? own : worst;
    }
    return worst;
}

/* Laws that are wrong where it matters. */
static void print_wrong_laws(const fitting *f, const char *text, FILE *out)
{
    double share = 0;
    int n = 0;
    while ((text = strstr(text, FIT_RESIDUAL))) {
        text += strcspn(text, ",\n");
        if (strncmp(text, FIT_WRONG_SHARE, strlen(FIT_WRONG_SHARE)) != 0)
            continue;
        share += strtod(text + strlen(FIT_WRONG_SHARE), NULL);
        n++;
    }
    if (n)
        fprintf(out,
                "# warning: no law fits %.1f %% of the computation: %d with a relative residual "
                "above %.1f; predict without computation, %sor capture other sizes\n",
                share, n, FIT_LARGE_RESIDUAL,
                strcmp(f->unit, "cpu-ns") != 0
                    ? ""
                    : "record without the noise of CPU time (record --volume exact), ");
}

/* What the user can do. */
static const char *advice(const fitting *f, const char *why)
{
    if (f->may_copy)
        return "or write the skeleton";
    if (f->may_draw)
        return "or copy what is no size of a message from them (--holes nearest)";
    if (f->first_lack.is_size)
        return "write the skeleton, or draw these sizes (--holes draw)";
    if (!f->has_callers &&
        (strstr(why, "numbers of iterations") || strstr(why, "not in the order")))
        return "record with --call-paths 2 if a function that calls MPI has several callers, or "
               "write the skeleton";
    return "or copy such values from them (--holes nearest)";
}

static tl_status make_result(fitting *f, char **result)
{
    char why[400];
    size_t size;
    char *text = fit_once(f, why);
    while (!text && f->status == TL_OK &&
           (fit_add_iterations(f, &f->first_lack) || fit_draw_lack(f)))
        text = fit_once(f, why);
    if (text && (f->copies.n || fit_copies_comms(f))) {
        free(text);
        text = fit_by_places(f, f->n_captures, why);
    }
    const double worst = text ? worst_residual(text) : 0;
    if (!text)
        return f->status != TL_OK
                   ? f->status
                   : tl_fail(f->err, TL_ERR_UNSUPPORTED,
                             "%s; the captures have no skeleton: capture other sizes, %s", why,
                             advice(f, why));
    FILE *out = open_memstream(result, &size);
    if (out) {
        fputs("skeleton 1\n", out);
        for (size_t i = 0; i < f->n_captures; i++) {
            fputs("# has all calls of ", out);
            print_capture(f, i, out);
            fprintf(out, ": %zu%s\n", f->captures[i].n_events, but_sizes(f));
        }
        fit_iterations_report(f, out);
        fit_draw_report(f, out);
        fit_comm_report(f, out);
        fit_copy_report(f, out);
        print_changes(f, out);
        print_left_out(f, out);
        print_threads(f, out);
        print_library(f, out);
        if (f->has_volumes)
            fprintf(out, "# computation: largest relative residual of a law: %.3f\n", worst);
        print_wrong_laws(f, text, out);
        print_undecided(f, text, out);
        for (size_t i = 0; i < f->n_captures && f->status == TL_OK; i++)
            leave_out(f, i, out);
        fputs(text, out);
    }
    free(text);
    if (!out || fclose(out) != 0)
        fit_out_of_memory(f);
    return f->status;
}

/* ---- the call ---- */

static tl_status check_captures(fitting *f, const tl_fit_capture *captures)
{
    f->unit = tl_reader_run(captures[0].reader)->volume_unit;
    f->mpi = tl_reader_run(captures[0].reader)->mpi_library;
    if (strpbrk(f->mpi, "\"\n")) /* a text of the language has neither */
        f->mpi = "";
    for (size_t i = 0; i < f->n_captures; i++) {
        const tl_run *run = tl_reader_run(captures[i].reader);
        const char *path = tl_reader_path(captures[i].reader);
        if (!tl_reader_complete(captures[i].reader))
            return tl_fail(f->err, TL_ERR_UNSUPPORTED, "%s: is not complete; capture the run again",
                           path);
        if (strcmp(run->volume_unit, f->unit) != 0)
            return tl_fail(f->err, TL_ERR_UNSUPPORTED,
                           "%s: computation is in %s, that of %s in %s; capture all runs with the "
                           "same unit",
                           path, run->volume_unit, tl_reader_path(captures[0].reader), f->unit);
        if (strcmp(run->mpi_library, f->mpi) != 0)
            f->mpi = "";
        f->captures[i] = (fit_capture){
            .reader = captures[i].reader, .values = captures[i].values, .n_ranks = run->n_ranks};
    }
    return TL_OK;
}

typedef struct ways {
    bool by_line, is_wide, may_draw, may_copy, ends_late;
} ways;

static tl_status fit_by(const tl_fit_capture *captures, size_t n, const char *const *names,
                        size_t n_names, const ways *by, bool *has_joined, char **text,
                        tl_error *err)
{
    fitting f = {.n_captures = n,
                 .left_out = n,
                 .hidden = n,
                 .names = names,
                 .n_names = n_names,
                 .by_line = by->by_line,
                 .is_wide = by->is_wide,
                 .may_draw = by->may_draw,
                 .may_copy = by->may_copy,
                 .ends_late = by->ends_late,
                 .err = err};
    *text = NULL;
    *has_joined = false;
    if (n < 3)
        return tl_fail(err, TL_ERR_USAGE, "fit: %zu captures; give 3 or more of different sizes",
                       n);
    f.captures = calloc(n, sizeof *f.captures);
    if (!f.captures)
        return tl_fail(err, TL_ERR_MEMORY, "fit: out of memory");
    f.status = check_captures(&f, captures);
    if (f.status == TL_OK)
        fit_load(&f);
    if (f.status == TL_OK && f.may_draw)
        fit_draw_groups(&f);
    if (f.status == TL_OK)
        fit_candidates(&f);
    if (f.status == TL_OK)
        f.status = make_result(&f, text);
    if (f.status != TL_OK) {
        free(*text);
        *text = NULL;
    }
    fit_candidates_free(&f);
    fit_draws_free(&f);
    fit_copies_forget(&f, 0);
    free(f.copies.items);
    free(f.iterations.items);
    free(f.lines.items);
    free(f.sample_pool.items);
    free(f.call_pool.items);
    tl_map_free(&f.late);
    tl_map_free(&f.failed);
    free(f.out.text);
    *has_joined = f.has_joined;
    fit_unload(&f);
    return f.status;
}

/* A call site is a source line first, then a place in the object file: two calls in one line. */
static tl_status fit_sites(const tl_fit_capture *captures, size_t n, const char *const *names,
                           size_t n_names, ways by, char **text, tl_error *err)
{
    tl_error ignored;
    bool has_joined;
    by.by_line = true;
    const tl_status status = fit_by(captures, n, names, n_names, &by, &has_joined, text, err);
    if (status != TL_ERR_UNSUPPORTED || !has_joined)
        return status;
    by.by_line = false;
    return fit_by(captures, n, names, n_names, &by, &has_joined, text, &ignored) == TL_OK ? TL_OK
                                                                                          : status;
}

/* With more expressions only if there is no skeleton otherwise. The message is that of the first
 * fit. */
static tl_status fit_widening(const tl_fit_capture *captures, size_t n, const char *const *names,
                              size_t n_names, ways by, char **text, tl_error *err)
{
    tl_error ignored;
    const tl_status status = fit_sites(captures, n, names, n_names, by, text, err);
    if (status != TL_ERR_UNSUPPORTED)
        return status;
    by.is_wide = true;
    return fit_sites(captures, n, names, n_names, by, text, &ignored) == TL_OK ? TL_OK : status;
}

/* Nothing is drawn or copied that has an expression. */
static tl_status fit_with_or_without(const tl_fit_capture *captures, size_t n,
                                     const char *const *names, size_t n_names, tl_fit_holes holes,
                                     bool ends_late, char **text, tl_error *err)
{
    const ways copying = {.by_line = true,
                          .is_wide = true,
                          .may_draw = true,
                          .may_copy = true,
                          .ends_late = ends_late};
    const ways drawing = {.may_draw = true, .ends_late = ends_late},
               neither = {.ends_late = ends_late};
    bool ignored;
    const tl_status status = fit_widening(captures, n, names, n_names, neither, text, err);
    if (status != TL_ERR_UNSUPPORTED || holes == TL_FIT_REFUSE)
        return status;
    return holes == TL_FIT_DRAW
               ? fit_widening(captures, n, names, n_names, drawing, text, err)
               : fit_by(captures, n, names, n_names, &copying, &ignored, text, err);
}

/* The message is that of the first fit. */
tl_status tl_fit(const tl_fit_capture *captures, size_t n, const char *const *names, size_t n_names,
                 tl_fit_holes holes, char **text, tl_error *err)
{
    tl_error ignored;
    const tl_status status =
        fit_with_or_without(captures, n, names, n_names, holes, false, text, err);
    if (status != TL_ERR_UNSUPPORTED)
        return status;
    return fit_with_or_without(captures, n, names, n_names, holes, true, text, &ignored) == TL_OK
               ? TL_OK
               : status;
}
