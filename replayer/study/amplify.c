/* amplify.c - a study of noise, as text, JSON and a picture. */
#include "config.h"

#include "amplify.h"

#include "results/json_text.h"
#include "text_file.h"

#include <jansson.h>
#include <math.h>
#include <plot.h>
#include <stdlib.h>
#include <string.h>

static tlr_amplified amplify_case(const tlr_amplify *study, size_t noise, size_t program,
                                  size_t ranks)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n_seeds = axes[TLR_AMPLIFY_SEED].n;
    const size_t first =
        ((noise * axes[TLR_AMPLIFY_PROGRAM].n + program) * axes[TLR_AMPLIFY_RANKS].n + ranks) *
        n_seeds;
    tlr_amplified out = {0};
    for (size_t s = 0; s < n_seeds; s++) {
        const tlr_point *point = &study->sweep->points[first + s];
        if (!tlr_point_has_time(point))
            continue;
        out.n_seeds++;
        out.makespan_s += point->makespan_s;
        out.without_s += point->quiet_s;
        out.taken_s += point->noise_s;
    }
    const double n = (double)out.n_seeds;
    if (!out.n_seeds)
        return out;
    out.makespan_s /= n;
    out.without_s /= n;
    out.taken_s /= n;
    out.growth = out.without_s > 0 ? out.makespan_s / out.without_s - 1 : NAN;
    out.amplification = out.taken_s > 0 ? (out.makespan_s - out.without_s) / out.taken_s : NAN;
    return out;
}

/* A trace without its folders, a program such as hpl:N=1000 as it is. */
static const char *program_name(const tlr_amplify *study, size_t program)
{
    const char *text = study->sweep->axes[TLR_AMPLIFY_PROGRAM].values[program];
    return strchr(text, ':') ? text : tlr_base_name(text);
}

static const char *ranks_name(const tlr_amplify *study, size_t ranks)
{
    const char *text = study->sweep->axes[TLR_AMPLIFY_RANKS].values[ranks];
    return strcmp(text, "none") != 0 ? text : "recorded";
}

/* ---- text ---- */

static void print_case(const tlr_amplified *c, FILE *out)
{
    if (!c->n_seeds) {
        fputs("  failed\n", out);
        return;
    }
    if (c->without_s <= 0) {
        fputs("  takes no time\n", out);
        return;
    }
    fprintf(out, " %12.4g %12.4g %10.4g %%", c->without_s, c->makespan_s, 100 * c->growth);
    if (isnan(c->amplification))
        fputs("          0              -\n", out);
    else
        fprintf(out, " %10.3g %14.4g%s\n", c->taken_s, c->amplification,
                c->makespan_s > 2 * c->without_s ? "  more than twice as long" : "");
}

void tlr_amplify_print(const tlr_amplify *study, FILE *out)
{
    const tlr_axis *axes = study->sweep->axes;
    int width = (int)strlen("program");
    for (size_t p = 0; p < axes[TLR_AMPLIFY_PROGRAM].n; p++)
        if ((int)strlen(program_name(study, p)) > width)
            width = (int)strlen(program_name(study, p));
    fprintf(out, "amplification: what the makespan grows by / what detours take from a rank\n");
    fprintf(out, "%s, seeds: %zu\n", study->place, axes[TLR_AMPLIFY_SEED].n);
    for (size_t n = 0; n < axes[TLR_AMPLIFY_NOISE].n; n++) {
        fprintf(out, "\nnoise %s\n  %-*s %8s %12s %12s %12s %10s %14s\n",
                axes[TLR_AMPLIFY_NOISE].values[n], width, "program", "ranks", "without [s]",
                "with [s]", "growth", "taken [s]", "amplification");
        for (size_t p = 0; p < axes[TLR_AMPLIFY_PROGRAM].n; p++)
            for (size_t r = 0; r < axes[TLR_AMPLIFY_RANKS].n; r++) {
                const tlr_amplified c = amplify_case(study, n, p, r);
                fprintf(out, "  %-*s %8s", width, program_name(study, p), ranks_name(study, r));
                print_case(&c, out);
            }
    }
}

/* ---- files ---- */

static json_t *case_json(const tlr_amplify *study, size_t n, size_t p, size_t r)
{
    const tlr_axis *axes = study->sweep->axes;
    const tlr_amplified c = amplify_case(study, n, p, r);
    json_t *out = json_object();
    json_object_set_new(out, "noise", tlr_json_text(axes[TLR_AMPLIFY_NOISE].values[n]));
    json_object_set_new(out, "program", tlr_json_text(axes[TLR_AMPLIFY_PROGRAM].values[p]));
    if (strcmp(axes[TLR_AMPLIFY_RANKS].values[r], "none") != 0)
        json_object_set_new(
            out, "ranks",
            json_integer((json_int_t)strtoull(axes[TLR_AMPLIFY_RANKS].values[r], NULL, 10)));
    json_object_set_new(out, "seeds", json_integer((json_int_t)c.n_seeds));
    if (!c.n_seeds)
        return out;
    json_object_set_new(out, "makespan_s", json_real(c.makespan_s));
    json_object_set_new(out, "makespan_without_noise_s", json_real(c.without_s));
    json_object_set_new(out, "taken_s", json_real(c.taken_s));
    if (!isnan(c.amplification))
        json_object_set_new(out, "amplification", json_real(c.amplification));
    return out;
}

json_t *tlr_amplify_json(const tlr_amplify *study)
{
    const tlr_axis *axes = study->sweep->axes;
    json_t *root = json_object(), *cases = json_array();
    for (size_t n = 0; n < axes[TLR_AMPLIFY_NOISE].n; n++)
        for (size_t p = 0; p < axes[TLR_AMPLIFY_PROGRAM].n; p++)
            for (size_t r = 0; r < axes[TLR_AMPLIFY_RANKS].n; r++)
                json_array_append_new(cases, case_json(study, n, p, r));
    json_object_set_new(root, "format", json_string("timeless-study-noise-1"));
    json_object_set_new(root, "place", tlr_json_text(study->place));
    json_object_set_new(root, "cases", cases);
    return root;
}

/* ---- picture ---- */

/* x: 0, 1, ... of the ranks; y: n_ranks of each line. */
static void fill_panel(const tlr_amplify *study, size_t noise, const double *x, double *y,
                       tlg_series *lines)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n_ranks = axes[TLR_AMPLIFY_RANKS].n;
    for (size_t p = 0; p < axes[TLR_AMPLIFY_PROGRAM].n; p++) {
        for (size_t r = 0; r < n_ranks; r++) {
            const tlr_amplified c = amplify_case(study, noise, p, r);
            y[p * n_ranks + r] = c.n_seeds && c.amplification > 0 ? c.amplification : NAN;
        }
        lines[p] = (tlg_series){.name = program_name(study, p),
                                .look = TLG_LINE,
                                .number = (int)p,
                                .n = n_ranks,
                                .x = x,
                                .y = y + p * n_ranks};
    }
}

tl_status tlr_amplify_draw(const tlr_amplify *study, const char *path, tl_error *err)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n_ranks = axes[TLR_AMPLIFY_RANKS].n, n_programs = axes[TLR_AMPLIFY_PROGRAM].n;
    const size_t n = axes[TLR_AMPLIFY_NOISE].n;
    tlg_panel *panels = calloc(n, sizeof *panels);
    tlg_series *lines = calloc(n * n_programs, sizeof *lines);
    double *x = calloc(n_ranks, sizeof *x), *y = calloc(n * n_programs * n_ranks, sizeof *y);
    const char **names = calloc(n_ranks, sizeof *names);
    tl_status status = panels && lines && x && y && names ? TL_OK : tl_no_memory(err, "plot");
    for (size_t r = 0; status == TL_OK && r < n_ranks; r++) {
        x[r] = (double)r;
        names[r] = ranks_name(study, r);
    }
    for (size_t i = 0; status == TL_OK && i < n; i++) {
        fill_panel(study, i, x, y + i * n_programs * n_ranks, lines + i * n_programs);
        panels[i] =
            (tlg_panel){.title = axes[TLR_AMPLIFY_NOISE].values[i],
                        .x = {.label = "ranks", .unit = "", .n_names = n_ranks, .names = names},
                        .y = {.label = "amplification of the noise", .unit = "", .is_log = 1},
                        .n_series = n_programs,
                        .series = lines + i * n_programs};
    }
    const tlg_picture picture = {.title = study->place,
                                 .n_panels = n,
                                 .panels = panels,
                                 .n_columns = n > 1 ? 2 : 1,
                                 .shares_y = 1,
                                 .height = 400};
    if (status == TL_OK)
        status = tlg_draw(&picture, path, err);
    free(panels);
    free(lines);
    free(x);
    free(y);
    free((void *)names);
    return status;
}
