/* hpl.c - timeless hpl: prints the table that HPL would print on a platform. */
#include "config.h"

#include "cli.h"
#include "progress.h"
#include "replay.h"

#include <calibrate/calibrate.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <study/batch.h>

enum { OPT_JSON = 1000, ROOM = 1024 };

typedef struct arguments {
    tlr_scenario base; /* of the replays */
    const char *path;
    cli_json json;
    unsigned n_jobs;
    size_t n;
    tl_hpl *runs;
    tlr_point *points; /* [n] */
    size_t next;       /* of the rows that have been printed */
    bool has_warned;
} arguments;

static const struct argp_option options[] = {
    {"jobs", 'j', "N", 0, "replay N runs at a time (default: one a core)", 0},
    CLI_JSON_OPTION(OPT_JSON),
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->base; return 0;
    case 'j': a->n_jobs = cli_parse_jobs(state, value); return 0;
    case OPT_JSON: a->json = (cli_json){1, value}; return 0;
    default: return cli_argument(key, value, state, "HPL.dat", &a->path);
    }
}

/* ---- a run ---- */

static const tlr_mark *mark_of(const tlr_prediction *p, uint16_t call)
{
    for (size_t i = 0; i < p->n_marks; i++)
        if (p->marks[i].call == call)
            return &p->marks[i];
    return NULL;
}

/* The interval that HPL times: from the barrier to the end of the solution, on the slowest rank. */
static void take(const tlr_prediction *p, tlr_point *point)
{
    const tlr_mark *from = mark_of(p, TL_MPI_Barrier), *to = mark_of(p, TL_MPI_Finalize);
    point->makespan_s = 0;
    for (uint32_t r = 0; from && to && r < p->n_ranks; r++)
        point->makespan_s = fmax(point->makespan_s, to->predicted_s[r] - from->predicted_s[r]);
}

static tl_status make(const void *arg, size_t i, tlr_scenario *out, tl_error *err)
{
    const arguments *a = arg;
    char text[ROOM];
    const tl_status status = tlr_scenario_copy(&a->base, out, err);
    tl_hpl_text(&a->runs[i], text, sizeof text);
    return status == TL_OK ? tlr_scenario_set_source(out, text, err) : status;
}

/* ---- the table ---- */

/* The number of operations as HPL_pdtest counts them. */
static double gflops(const tl_hpl *o, double seconds)
{
    const double n = (double)o->n;
    return n / 1e9 * (n / seconds) * (2.0 / 3.0 * n + 3.0 / 2.0);
}

static void variant_text(const tl_hpl *o, char text[32])
{
    static const char facts[] = "LCR";
    snprintf(text, 32, "W%c%d%d%c%d%c%d", o->column_major ? 'C' : 'R', o->depth, o->bcast,
             facts[o->rfact], o->ndiv, facts[o->pfact], o->nbmin);
}

static void print_row(const tl_hpl *o, const tlr_point *point)
{
    char variant[32];
    variant_text(o, variant);
    if (point->error[0])
        printf("%-8s%12lld %5d %5d %5d  failed: %s\n", variant, (long long)o->n, o->nb, o->p, o->q,
               point->error);
    else
        printf("%-8s%12lld %5d %5d %5d %18.2f     %18.3e", variant, (long long)o->n, o->nb, o->p,
               o->q, point->makespan_s, gflops(o, point->makespan_s));
    if (!point->error[0] && point->share >= 1) /* too short to be sampled: it has no interval */
        fputs("  all replayed", stdout);
    else if (!point->error[0] && point->share > 0)
        printf("  +-%.2g %%", 100 * point->half_s / point->makespan_s);
    if (!point->error[0])
        putchar('\n');
    fflush(stdout);
}

static void print_head(void)
{
    static const char line[] =
        "===================================================================="
        "============";
    printf("%s\nT/V                N    NB     P     Q               Time                 Gflops\n",
           line);
    for (const char *c = line; *c; c++)
        putchar('-');
    putchar('\n');
}

/* Rows are printed in HPL's order, each as soon as the rows before it are known. */
static tl_status done(void *arg, size_t i, tl_error *err)
{
    arguments *a = arg;
    (void)err;
    if (!a->has_warned && a->points[i].free_kernels[0]) {
        replay_warn(a->points[i].free_kernels);
        a->has_warned = 1;
    }
    cli_progress_clear();
    while (a->next < a->n && a->points[a->next].known) {
        if (cli_json_leaves_text(&a->json))
            print_row(&a->runs[a->next], &a->points[a->next]);
        a->next++;
    }
    return TL_OK;
}

static json_t *row_json(const tl_hpl *o, const tlr_point *point)
{
    char variant[32], text[ROOM];
    variant_text(o, variant);
    tl_hpl_text(o, text, sizeof text);
    json_t *row = json_pack("{s:s, s:s, s:I, s:i, s:i, s:i}", "variant", variant, "program", text,
                            "N", (json_int_t)o->n, "NB", o->nb, "P", o->p, "Q", o->q);
    if (point->error[0]) {
        json_object_set_new(row, "error", json_string(point->error));
        return row;
    }
    json_object_set_new(row, "seconds", json_real(point->makespan_s));
    json_object_set_new(row, "gflops", json_real(gflops(o, point->makespan_s)));
    json_object_set_new(row, "events", json_integer((json_int_t)point->n_events));
    if (point->share > 0) {
        json_object_set_new(row, "interval_90_s",
                            json_pack("[f, f]", point->makespan_s - point->half_s,
                                      point->makespan_s + point->half_s));
        json_object_set_new(row, "share_of_events", json_real(point->share));
    }
    return row;
}

static json_t *make_json(const arguments *a)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < a->n; i++)
        json_array_append_new(rows, row_json(&a->runs[i], &a->points[i]));
    return rows;
}

static tl_status replay_all(arguments *a, tl_error *err)
{
    if (!(a->points = tlr_points_create(a->n, err)))
        return TL_ERR_MEMORY;
    const tlr_batch batch = {.n = a->n,
                             .points = a->points,
                             .make = make,
                             .take = take,
                             .done = done,
                             .arg = a,
                             .n_jobs = a->n_jobs};
    if (cli_json_leaves_text(&a->json))
        print_head();
    return tlr_batch_run(&batch, err);
}

static int find_failures(const arguments *a)
{
    size_t n = 0, first = 0;
    for (size_t i = 0; i < a->n; i++)
        if (a->points[i].error[0] && !n++)
            first = i;
    return n ? cli_fail_text(tlr_points_status(a->points, a->n),
                             "%zu of %zu runs failed; the first: %s", n, a->n,
                             a->points[first].error)
             : CLI_OK;
}

int cmd_hpl(int argc, char **argv)
{
    const struct argp_child children[] = {
        {replay_settings(), 0, "Of the replays, as for replay:", 1}, {0}};
    arguments a = {.base = replay_scenario(), .n_jobs = tlp_n_cores()};
    tl_error err;
    cli_parse(options, parse_option, children, "HPL.dat --platform NAME",
              "Predict the table that HPL would print for an HPL.dat.", argc, argv, &a);
    tl_status status = tl_hpl_read_dat(a.path, &a.runs, &a.n, &err);
    if (status == TL_OK && !a.base.platform && !a.base.options.loggops_params)
        status = tl_fail(&err, TL_ERR_USAGE, "the platform is missing; give --platform NAME");
    if (status == TL_OK && !a.n)
        status = tl_fail(&err, TL_ERR_INPUT, "%s: asks for no run; give an N above 0", a.path);
    if (status == TL_OK)
        status = replay_all(&a, &err);
    if (status == TL_OK && a.json.is_wanted)
        status = cli_json_write(&a.json, make_json(&a),
                                JSON_SORT_KEYS | JSON_INDENT(2) | JSON_REAL_PRECISION(17), &err);
    const int code = status == TL_OK ? find_failures(&a) : cli_fail(&err);
    tlr_points_free(a.points, a.n);
    tlr_scenario_free(&a.base);
    free(a.runs);
    return code;
}
