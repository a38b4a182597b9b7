/* report.c - timeless report: a replay, and the page that shows it; several, and the page that
 * shows by what they differ. */
#include "config.h"

#include "progress.h"
#include "replay.h"

#include <report/report.h>
#include <results/prediction_json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

enum { OPT_VERSUS = 512, OPT_FLAME, OPT_FOLDED };

/* A replay: that of the words before the first --versus, or a copy of it with other settings. The
 * first one may have files of predictions instead. */
typedef struct variant {
    replay_arguments replay;
    struct report *report;
    size_t n_platforms;
    const char *platforms[TLR_VERSUS_MOST];
} variant;

typedef struct report {
    size_t n_groups; /* of words: one more than --versus occurs */
    size_t n_variants, n;
    const char *page_path, *flame_path, *folded_path; /* NULL: not wanted */
    size_t n_files;
    const char *files[TLR_VERSUS_MOST];
    bool has_page; /* written */
    variant variants[TLR_VERSUS_MOST];
    json_t *predictions[TLR_VERSUS_MOST], *states[TLR_VERSUS_MOST]; /* [n] */
    const char *sources[TLR_VERSUS_MOST];
} report;

/* ---- words ---- */

/* A file of `timeless replay --json` begins with a brace, a trace does not. */
static bool is_json(const char *path)
{
    FILE *file = fopen(path, "r");
    int byte = EOF;
    while (file && (byte = fgetc(file)) != EOF && strchr(" \t\r\n", byte))
        continue;
    if (file)
        fclose(file);
    return byte == '{';
}

static void add_text(struct argp_state *state, const char **list, size_t *n, const char *text)
{
    if (*n == TLR_VERSUS_MOST)
        argp_error(state, "'%s': a report compares at most %d predictions", text, TLR_VERSUS_MOST);
    list[(*n)++] = text;
}

static void check(struct argp_state *state, const variant *v)
{
    const report *r = v->report;
    const variant *first = &r->variants[0];
    const bool is_versus = r->n_groups > 1 || first->n_platforms > 1 || r->n_files;
    if (r->n_files && first->replay.scenario.n_sources)
        argp_error(state, "'%s' is a prediction, '%s' is not; give one trace, or predictions",
                   r->files[0], first->replay.scenario.sources[0].path);
    if (r->n_files == 1)
        argp_error(state, "'%s': give a second prediction to compare it with", r->files[0]);
    if (r->n_files && (first->n_platforms || r->n_groups > 1))
        argp_error(state,
                   "'%s' is a prediction, which is not replayed; leave out --platform and "
                   "--versus",
                   r->files[0]);
    if (first->n_platforms > 1 && r->n_groups > 1)
        argp_error(state, "give either several --platform, or --versus");
    if (is_versus && (r->flame_path || r->folded_path))
        argp_error(state, "--flame and --folded-stacks show a single replay; leave them out");
    if (is_versus && v->replay.timeline_path)
        argp_error(state, "--timeline shows a single replay; give it to timeless replay");
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    variant *v = state->input;
    report *r = v->report;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &v->replay; break;
    case 'o': r->page_path = value; break;
    case OPT_FLAME: r->flame_path = value; break;
    case OPT_FOLDED: r->folded_path = value; break;
    case OPT_VERSUS: argp_error(state, "write --versus in full, as a word of its own"); break;
    case ARGP_KEY_ARG:
        if (!is_json(value))
            return ARGP_ERR_UNKNOWN; /* a trace */
        add_text(state, r->files, &r->n_files, value);
        break;
    case ARGP_KEY_SUCCESS: check(state, v); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_replay(int key, char *value, struct argp_state *state)
{
    const replay_arguments *replay = state->input;
    variant *v = replay->keep_arg;
    if (key == 'p')
        add_text(state, v->platforms, &v->n_platforms, value);
    if (key == ARGP_KEY_NO_ARGS && (v->report->n_files || v != v->report->variants))
        return 0;
    return replay_argp.parser(key, value, state);
}

/* The options of a replay without --details, which a report always has, --quiet, and
 * --rank-threads, which --set includes. */
static void show_options(struct argp_option *out, size_t room)
{
    for (size_t i = 0; i + 1 < room; i++) {
        out[i] = replay_argp.options[i];
        if (!out[i].name && !out[i].key && !out[i].doc)
            return;
        if (out[i].name && (!strcmp(out[i].name, "details") || !strcmp(out[i].name, "quiet") ||
                            !strcmp(out[i].name, "rank-threads")))
            out[i].flags |= OPTION_HIDDEN;
    }
}

static void parse_words(variant *v, int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"output", 'o', "FILE", 0, "the page to write (default: report.html)", 0},
        {"flame", OPT_FLAME, "FILE", 0, "an HTML page of time by call path", 0},
        {"folded-stacks", OPT_FOLDED, "FILE", 0, "the same for other tools: a;b;c NANOSECONDS", 0},
        {"versus", OPT_VERSUS, NULL, 0, "compare with the options after it, too", 0},
        {0}};
    static struct argp_option shown[64];
    show_options(shown, sizeof shown / sizeof *shown);
    const struct argp one = {shown, parse_replay, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child replay_options[] = {{&one, 0, "As for replay:", 1}, {0}};
    const struct argp parser = {own,
                                parse_option,
                                "TRACE --platform NAME [--versus OPTION...]\n"
                                "PREDICTION.json PREDICTION.json...",
                                "Show on an HTML page where time goes, or by what replays differ.",
                                replay_options,
                                NULL,
                                NULL};
    argp_parse(&parser, argc, argv, 0, NULL, v);
}

/* ---- one replay ---- */

static const char *page_path(const report *r)
{
    return r->page_path ? r->page_path : "report.html";
}

typedef struct replayed {
    const replay_arguments *replay;
    const tlr_prediction *prediction;
} replayed;

static tl_status write_one(const void *what, FILE *out, tl_error *err)
{
    const replayed *r = what;
    const tlr_stage *stage = &r->replay->stage;
    return tlr_report_write(stage->options.timeline, stage->jobs, r->prediction,
                            stage->platform ? stage->platform->xml_path : NULL, out, err);
}

/* Predicted time by call path. */
static tl_status write_flame(const report *r, const replayed *of, tl_error *err)
{
    tlr_flame flame = {0};
    tl_output out;
    if (!r->flame_path && !r->folded_path)
        return TL_OK;
    const tlr_stage *stage = &of->replay->stage;
    tl_status status =
        tlr_flame_make(stage->options.timeline, stage->jobs[0].trace, 0, &flame, err);
    if (status == TL_OK && r->flame_path &&
        (status = tl_output_open(r->flame_path, &out, err)) == TL_OK)
        status = tl_output_close(&out, r->flame_path,
                                 tlr_flame_write(&flame, of->prediction, out.file, err), err);
    if (status == TL_OK && r->folded_path &&
        (status = tl_output_open(r->folded_path, &out, err)) == TL_OK) {
        tlr_flame_write_folded(&flame, out.file);
        status = tl_output_close(&out, r->folded_path, TL_OK, err);
    }
    tlr_flame_free(&flame);
    return status;
}

static tl_status keep_page(const replay_arguments *replay, const tlr_prediction *prediction,
                           tl_error *err)
{
    const replayed what = {replay, prediction};
    const variant *v = replay->keep_arg;
    tl_status status = TL_OK;
    report *r = v->report;
    r->has_page = r->page_path || (!r->flame_path && !r->folded_path);
    if (r->has_page)
        status = tl_output_write(page_path(r), write_one, &what, err);
    return status ? status : write_flame(r, &what, err);
}

/* ---- several replays ---- */

static tl_status keep_states(const replay_arguments *replay, const tlr_prediction *prediction,
                             tl_error *err)
{
    const variant *v = replay->keep_arg;
    report *r = v->report;
    r->sources[r->n] = replay->scenario.sources[0].path;
    r->predictions[r->n] = tlr_prediction_json(prediction);
    if (!r->predictions[r->n])
        return tl_no_memory(err, "report");
    return tlr_report_states(replay->stage.options.timeline, replay->stage.jobs, prediction,
                             &r->states[r->n++], err);
}

static void warn_only(void *arg, const tlr_prediction *prediction)
{
    (void)arg;
    replay_warn(prediction->free_kernels);
}

/* A copy of the first replay. */
static int add_variant(report *r, int argc, variant **out)
{
    tl_error err;
    variant *first = &r->variants[0], *v = *out = &r->variants[r->n_variants++];
    *v = (variant){.report = r, .replay = first->replay};
    v->replay.keep_arg = v;
    v->replay.scenario = (tlr_scenario){0};
    v->replay.regions_at = calloc((size_t)argc + 1, sizeof *v->replay.regions_at);
    if (!v->replay.regions_at)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    for (size_t i = 0; i < v->replay.n_regions_at; i++)
        v->replay.regions_at[i] = first->replay.regions_at[i];
    return tlr_scenario_copy(&first->replay.scenario, &v->replay.scenario, &err) == TL_OK
               ? CLI_OK
               : cli_fail(&err);
}

/* The number of words up to the next --versus. */
static int count_words(int argc, char **argv)
{
    int n = 1;
    while (n < argc && strcmp(argv[n], "--versus") != 0)
        n++;
    return n;
}

/* Makes the replays of all groups of words, or of all platforms. */
static int parse_all(report *r, int argc, char **argv)
{
    variant *v = &r->variants[r->n_variants++];
    *v = (variant){.report = r, .replay = {.details = 1, .keep = keep_page, .keep_arg = v}};
    int code = replay_begin(&v->replay, argc);
    if (code != CLI_OK)
        return code;
    v->replay.scenario.links = 1;
    int n = count_words(argc, argv);
    parse_words(v, n, argv);
    for (int at = n; at < argc && code == CLI_OK; at += n) {
        n = count_words(argc - at, argv + at);
        if (n == 1)
            return cli_fail_text(TL_ERR_USAGE,
                                 "--versus: the options to compare with are missing; write them "
                                 "after it, as --versus --scale network=4");
        code = add_variant(r, argc, &v);
        argv[at] = argv[0];
        if (code == CLI_OK)
            parse_words(v, n, argv + at);
    }
    const variant *first = &r->variants[0];
    for (size_t i = 1; i < first->n_platforms && r->n_groups == 1 && code == CLI_OK; i++) {
        code = add_variant(r, argc, &v);
        v->replay.scenario.platform = first->platforms[i];
    }
    if (first->n_platforms > 1 && r->n_groups == 1)
        r->variants[0].replay.scenario.platform = first->platforms[0];
    return code;
}

static int run_all(report *r)
{
    int code = CLI_OK;
    for (size_t i = 0; i < r->n_variants && code == CLI_OK; i++) {
        replay_arguments *replay = &r->variants[i].replay;
        if (replay->scenario.options.loggops_params)
            replay->scenario.links = 0; /* that network has none */
        if (r->n_variants > 1) {
            replay->keep = keep_states;
            replay->take = warn_only;
        }
        code = replay_run(replay);
    }
    return code;
}

typedef struct page {
    const tlr_versus *versus;
    json_t *const *states;
} page;

static tl_status write_versus(const void *what, FILE *out, tl_error *err)
{
    const page *p = what;
    return tlr_report_write_versus(p->versus, p->states, out, err);
}

static int show(report *r, const replay_arguments *options)
{
    tl_error err;
    tlr_versus *versus = NULL;
    const size_t n = r->n;
    r->n = 0; /* tlr_versus_make takes over the predictions */
    tl_status status = tlr_versus_make(r->predictions, r->sources, n, &versus, &err);
    const page what = {versus, r->states};
    if (status == TL_OK)
        status = tl_output_write(page_path(r), write_versus, &what, &err);
    r->has_page = status == TL_OK;
    if (status == TL_OK && options->json.is_wanted)
        status = cli_json_write(&options->json, tlr_versus_json(versus, 0), TLR_JSON_EXACT, &err);
    cli_progress_stop();
    for (size_t i = 0; status == TL_OK && options->quiet && i < n; i++)
        if (cli_json_leaves_text(&options->json))
            printf("%.17g\n", versus->sides[i].makespan_s);
    if (status == TL_OK && !options->quiet && cli_json_leaves_text(&options->json))
        tlr_versus_print(versus, stdout);
    for (size_t i = 0; i < n; i++)
        json_decref(r->states[i]);
    tlr_versus_free(versus);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}

static int read_files(report *r)
{
    tl_error err;
    for (; r->n < r->n_files; r->n++) {
        r->sources[r->n] = r->files[r->n];
        if (tlr_prediction_load_json(r->files[r->n], &r->predictions[r->n], &err) != TL_OK)
            return cli_fail(&err);
    }
    return CLI_OK;
}

static void say_file(const char *path)
{
    if (path)
        fprintf(stderr, "timeless: wrote %s\n", tl_printable(path));
}

/* After the results, so that the line is the last one on a terminal. */
static void say_files(const report *r)
{
    fflush(stdout);
    if (r->variants[r->n_variants - 1].replay.quiet)
        return;
    say_file(r->has_page ? page_path(r) : NULL);
    say_file(r->flame_path);
    say_file(r->folded_path);
}

static void free_report(report *r)
{
    for (size_t i = 0; i < r->n; i++) {
        json_decref(r->predictions[i]);
        json_decref(r->states[i]);
    }
    for (size_t i = 0; i < r->n_variants; i++)
        replay_end(&r->variants[i].replay);
    free(r);
}

int cmd_report(int argc, char **argv)
{
    size_t n_groups = 1;
    for (int i = 1; i < argc; i++)
        n_groups += !strcmp(argv[i], "--versus");
    if (n_groups > TLR_VERSUS_MOST)
        return cli_fail_text(TL_ERR_USAGE, "a report compares at most %d predictions",
                             TLR_VERSUS_MOST);
    report *r = calloc(1, sizeof *r);
    if (!r)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    r->n_groups = n_groups;
    int code = parse_all(r, argc, argv);
    if (code == CLI_OK)
        code = r->n_files ? read_files(r) : run_all(r);
    if (code == CLI_OK && r->n)
        code = show(r, &r->variants[r->n_variants - 1].replay);
    if (code == CLI_OK)
        say_files(r);
    free_report(r);
    return code;
}
