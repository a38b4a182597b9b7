/* measured.c - measured runs, and which input of the prediction they make suspect. */
#include "config.h"

#include "budget/measured.h"

#include "budget/batch.h"
#include "replay.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <study/suspects.h>
#include <timeless_files.h>

/* ---- the file ---- */

/* A line while it is parsed. */
typedef struct parsing {
    budget_run *run;
    tl_error reason; /* why a word is wrong; without a text, if it belongs nowhere */
} parsing;

static error_t parse_word(int key, char *value, struct argp_state *state)
{
    parsing *p = state->input;
    if (key != ARGP_KEY_ARG)
        return replay_take_setting(key, value, state, &p->run->scenario, &p->reason);
    if (p->run->trace)
        return EINVAL;
    p->run->trace = value;
    return 0;
}

/* They would make another machine of the one whose inputs are judged. */
static tl_status refuse_machine(const tlr_scenario *s, tl_error *err)
{
    const char *const settings[][2] = {{"platform", s->platform},
                                       {"model", s->options.model_path},
                                       {"engine", s->engine},
                                       {"params", s->options.loggops_params}};
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (tlr_scenario_has(s, settings[i][0]))
            return tl_fail(err, TL_ERR_INPUT,
                           "--%s=%s: all runs are of the same machine; give it on the command line",
                           settings[i][0], tl_printable(settings[i][1]));
    return TL_OK;
}

/* "[TRACE] [OPTION...]" behind the first word, as on the command line of the budget. */
static tl_status parse_words(int n, char **words, budget_run *run, tl_error *err)
{
    const struct argp argp = {replay_settings()->options, parse_word, NULL, NULL, NULL, NULL, NULL};
    parsing p = {.run = run};
    run->scenario.given = 0;
    if (argp_parse(&argp, n, words, ARGP_SILENT, NULL, &p) != 0)
        return tl_fail(err, p.reason.status == TL_ERR_MEMORY ? TL_ERR_MEMORY : TL_ERR_INPUT, "%s",
                       p.reason.text[0]
                           ? p.reason.text
                           : "has more than one trace, or an option that replay lacks; write "
                             "SECONDS [TRACE] [OPTION...]");
    const tl_status status = refuse_machine(&run->scenario, err);
    return status == TL_OK && run->trace ? tlr_scenario_set_source(&run->scenario, run->trace, err)
                                         : status;
}

/* "SECONDS [TRACE] [OPTION...]" */
static tl_status read_run(const char *line, const tlr_scenario *base, budget_run *run,
                          tl_error *err)
{
    static const char blanks[] = " \t\r\n";
    char *save = NULL, *rest;
    int n = 0;
    run->words = strdup(line);
    char **words = calloc(strlen(line) / 2 + 2, sizeof *words);
    if (!run->words || !words) {
        free(words);
        return tl_no_memory(err, "measured runs");
    }
    char *word = strtok_r(run->words, blanks, &save);
    run->measured_s = strtod(word, &rest);
    tl_status status = tlr_scenario_copy(base, &run->scenario, err);
    if (rest == word || *rest || !isfinite(run->measured_s) || run->measured_s <= 0)
        status = tl_fail(err, TL_ERR_INPUT,
                         "'%s' is not a measured time; write SECONDS [TRACE] [OPTION...]",
                         tl_printable(word));
    for (; word; word = strtok_r(NULL, blanks, &save))
        words[n++] = word;
    if (status == TL_OK)
        status = parse_words(n, words, run, err);
    free(words);
    return status;
}

static tl_status read_file(FILE *in, const char *path, const tlr_scenario *base, budget_runs *out,
                           tl_error *err)
{
    char *line = NULL;
    size_t size = 0;
    tl_status status = TL_OK;
    for (unsigned n = 1; status == TL_OK && getline(&line, &size, in) >= 0; n++) {
        tl_error reason;
        line[strcspn(line, "#")] = '\0';
        if (!line[strspn(line, " \t\r\n")])
            continue;
        if (out->n == BUDGET_MOST_RUNS) {
            status = tl_fail(err, TL_ERR_INPUT, "%s:%u: give at most %d runs", tl_printable(path),
                             n, BUDGET_MOST_RUNS);
            break;
        }
        out->runs[out->n].line = n;
        if ((status = read_run(line, base, &out->runs[out->n++], &reason)) != TL_OK)
            status = tl_fail(err, status, "%s:%u: %s", tl_printable(path), n, reason.text);
    }
    free(line);
    if (status == TL_OK && ferror(in))
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: cannot be read: %s; give the seconds of a run, or a file of runs",
                         tl_printable(path), strerror(errno));
    if (status == TL_OK && !out->n)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: has no measured run; write SECONDS [TRACE] "
                         "[OPTION...] in each line",
                         tl_printable(path));
    return status;
}

tl_status budget_read_runs(const char *text, const tlr_scenario *base, budget_runs *out,
                           tl_error *err)
{
    char *rest;
    const double seconds = strtod(text, &rest);
    if (rest != text && (!*rest || !strcmp(rest, "s"))) {
        if (!isfinite(seconds) || seconds <= 0)
            return tl_fail(err, TL_ERR_USAGE, "--measured %s: give seconds, more than 0", text);
        out->runs[out->n].measured_s = seconds;
        return tlr_scenario_copy(base, &out->runs[out->n++].scenario, err);
    }
    if (!*text)
        return tl_fail(err, TL_ERR_USAGE,
                       "--measured: give the seconds of a run, or a file of runs");
    out->path = text;
    FILE *in = fopen(text, "r");
    if (!in)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: %s; give the seconds of a run, or a file of runs",
                       tl_printable(text), strerror(errno));
    const tl_status status = read_file(in, text, base, out, err);
    fclose(in);
    return status;
}

void budget_free_runs(budget_runs *runs)
{
    for (size_t i = 0; i < runs->n; i++) {
        free(runs->runs[i].words);
        tlr_scenario_free(&runs->runs[i].scenario);
    }
    runs->n = 0;
}

/* ---- the replays ---- */

typedef struct suspicion {
    budget_inputs *b;
    const budget_runs *runs;
    size_t n_inputs;
    size_t inputs[BUDGET_MOST_INPUTS]; /* those that a factor changes */
} suspicion;

/* Of a run: as asked for, then below and above for each input. */
static size_t replays_of_run(const suspicion *s)
{
    return 1 + 2 * s->n_inputs;
}

static void describe(const void *arg, size_t i, budget_variant *variant)
{
    const suspicion *s = arg;
    const budget_run *run = &s->runs->runs[i / replays_of_run(s)];
    const size_t k = i % replays_of_run(s);
    variant->base = &run->scenario;
    if (!k)
        return;
    const size_t input = s->inputs[(k - 1) / 2];
    const double u = s->b->inputs[input].uncertainty;
    variant->positions[input] = k % 2 ? 1 - u : 1 + u;
}

/* Names the line of the run. */
static tl_status refuse_run(const suspicion *s, size_t i, tl_status status, const char *text,
                            tl_error *err)
{
    const budget_run *run = &s->runs->runs[i / replays_of_run(s)];
    return run->line
               ? tl_fail(err, status, "%s:%u: %s", tl_printable(s->runs->path), run->line, text)
               : tl_fail(err, status, "%s", text);
}

/* A wrong option of a line is a wrong input, as is any other mistake in the file. */
static tl_status fail(const void *arg, size_t i, const tlr_point *point, tl_error *err)
{
    const suspicion *s = arg;
    const bool is_of_file = s->runs->runs[i / replays_of_run(s)].line != 0;
    const tl_status status =
        is_of_file && point->status == TL_ERR_USAGE ? TL_ERR_INPUT : point->status;
    return refuse_run(s, i, status, point->error, err);
}

/* A measured time cannot be compared with nothing. */
static tl_status check_runs(const suspicion *s, const tlr_point *points, tl_error *err)
{
    for (size_t r = 0; r < s->runs->n; r++)
        if (points[r * replays_of_run(s)].makespan_s <= 0)
            return refuse_run(
                s, r * replays_of_run(s), TL_ERR_INPUT,
                "the makespan of this run is 0; give a trace with computation or messages", err);
    return TL_OK;
}

/* ---- the judgement ---- */

typedef struct numbers {
    double *log_ratios, *log_errors, *effects, *uncertainties;
    tlr_suspect *suspects;
} numbers;

static void free_numbers(numbers *n)
{
    free(n->log_ratios);
    free(n->log_errors);
    free(n->effects);
    free(n->uncertainties);
    free(n->suspects);
}

static int allocate_numbers(numbers *n, size_t n_runs, size_t n_inputs)
{
    *n = (numbers){calloc(n_runs, sizeof(double)), calloc(n_runs, sizeof(double)),
                   calloc(n_runs * n_inputs + 1, sizeof(double)),
                   calloc(n_inputs + 1, sizeof(double)), calloc(n_inputs + 1, sizeof *n->suspects)};
    return n->log_ratios && n->log_errors && n->effects && n->uncertainties && n->suspects;
}

static void fill_numbers(const suspicion *s, const tlr_point *points, double error, numbers *n,
                         tlr_budget *out)
{
    for (size_t r = 0; r < s->runs->n; r++) {
        const tlr_point *of_run = points + r * replays_of_run(s);
        const double ratio = s->runs->runs[r].measured_s / of_run->makespan_s;
        n->log_ratios[r] = log(ratio);
        n->log_errors[r] = error;
        out->least_ratio = r ? fmin(out->least_ratio, ratio) : ratio;
        out->most_ratio = r ? fmax(out->most_ratio, ratio) : ratio;
        for (size_t k = 0; k < s->n_inputs; k++) {
            const double u = s->b->inputs[s->inputs[k]].uncertainty;
            n->uncertainties[k] = u;
            n->effects[r * s->n_inputs + k] =
                log(of_run[2 + 2 * k].makespan_s / of_run[1 + 2 * k].makespan_s) /
                log((1 + u) / (1 - u));
        }
    }
    out->n_runs = s->runs->n;
}

static tl_status judge(const suspicion *s, const tlr_point *points, double error, tlr_budget *out,
                       tl_error *err)
{
    numbers n;
    tl_status status = TL_OK;
    if (!allocate_numbers(&n, s->runs->n, s->n_inputs))
        status = tl_no_memory(err, "measured runs");
    if (status == TL_OK) {
        fill_numbers(s, points, error, &n, out);
        status = tlr_suspects_find(&(tlr_suspects){s->runs->n, s->n_inputs, n.log_ratios,
                                                   n.log_errors, n.effects, n.uncertainties},
                                   n.suspects, &out->no_suspect, err);
    }
    for (size_t k = 0; k < s->n_inputs && status == TL_OK; k++) {
        s->b->inputs[s->inputs[k]].is_suspect = 1;
        s->b->inputs[s->inputs[k]].suspect = n.suspects[k];
    }
    free_numbers(&n);
    return status;
}

tl_status budget_suspect(budget_inputs *b, const budget_runs *runs, double noise, tlr_budget *out,
                         tl_error *err)
{
    suspicion s = {.b = b, .runs = runs};
    for (size_t i = 0; i < b->n; i++)
        if ((b->changes[i].kind == INPUT_FACTOR || b->changes[i].kind == INPUT_PARAMETER) &&
            b->inputs[i].uncertainty > 0)
            s.inputs[s.n_inputs++] = i;
    if (!s.n_inputs)
        return tl_fail(err, TL_ERR_USAGE,
                       "--measured: no input is uncertain; give --uncertain NAME=PERCENT");
    budget_batch batch = {.inputs = b,
                          .what = "measured runs",
                          .n = runs->n * replays_of_run(&s),
                          .arg = &s,
                          .describe = describe,
                          .fail = fail};
    tl_status status = budget_batch_run(&batch, err);
    if (status == TL_OK)
        status = check_runs(&s, batch.points, err);
    if (status == TL_OK)
        status = judge(&s, batch.points, hypot(b->measured_error, noise), out, err);
    budget_batch_free(&batch);
    return status;
}
