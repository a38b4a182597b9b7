/* sweep_words.c - the command line of a replay at a point of a sweep. */
#include "config.h"

#include "sweep_words.h"

#include "cli.h"
#include "replay.h"

#include <assert.h>
#include <results/usage.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int word_list_add(word_list *list, char *word)
{
    char **more = word ? realloc(list->words, (list->n + 2) * sizeof *more) : NULL;
    if (!more) {
        free(word);
        return 0;
    }
    list->words = more;
    more[list->n++] = word;
    more[list->n] = NULL;
    return 1;
}

void word_list_free(word_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        free(list->words[i]);
    free(list->words);
    *list = (word_list){0};
}

const char *word_list_value(const word_list *list, const char *start)
{
    const size_t length = strlen(start);
    for (size_t i = list->n; i > 0; i--)
        if (!strncmp(list->words[i - 1], start, length))
            return list->words[i - 1] + length;
    return NULL;
}

int word_list_format(word_list *list, const char *format, ...)
{
    char *word = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&word, format, args) < 0)
        word = NULL;
    va_end(args);
    return word_list_add(list, word);
}

/* ---- the options of a replay ---- */

/* Options that show a single replay. */
static int is_for_one(const char *name)
{
    static const char *const names[] = {"json",   "timeline", "details", "links",
                                        "energy", "progress", "quiet",   "regions-at"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

/* Headings between the options have a text and no name. The last element has neither. */
static int is_end(const struct argp_option *option)
{
    return !option->name && !option->doc;
}

/* Whether an option is not in the help: it shows a single replay, or it is the heading of such
 * options only. */
static int is_hidden(const struct argp_option *option)
{
    if (option->name)
        return is_for_one(option->name);
    do
        option++;
    while (option->name && is_for_one(option->name));
    return !option->name;
}

const struct argp_option *words_options(void)
{
    static struct argp_option table[64];
    size_t n = 0;
    for (const struct argp_option *o = replay_argp.options; !is_end(o); o++) {
        assert(n + 1 < sizeof table / sizeof *table);
        if (!o->name && is_hidden(o))
            continue;
        table[n] = *o;
        table[n++].flags |= is_hidden(o) ? OPTION_HIDDEN : 0;
    }
    return table;
}

error_t words_parse(int key, char *value, struct argp_state *state)
{
    word_list *list = state->input;
    const struct argp_option *option = replay_argp.options;
    while (!is_end(option) && !(option->name && option->key == key))
        option++;
    if (is_end(option))
        return ARGP_ERR_UNKNOWN;
    if (is_for_one(option->name)) {
        argp_error(state, "--%s shows a single replay; give it to timeless replay", option->name);
        return EINVAL; /* if errors do not end the process */
    }
    int good;
    if (!strcmp(option->name, "scale") && !strpbrk(value, "= ") && state->next < state->argc)
        good = word_list_format(list, "--scale=%s=%s", value, state->argv[state->next++]);
    else if (!value && !strcmp(option->name, "sample") && state->next < state->argc &&
             strchr(state->argv[state->next], '%'))
        good = word_list_format(list, "--sample=%s", state->argv[state->next++]);
    else if (value)
        good = word_list_format(list, "--%s=%s", option->name, value);
    else
        good = word_list_format(list, "--%s", option->name);
    if (!good)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    return 0;
}

/* ---- axes ---- */

static const char *const families[] = {"scale.", "set.", "coll.", "cfg.", "hpl."};
enum { N_FAMILIES = sizeof families / sizeof *families };

static const char *const made[] = {"make.ranks", "make.bytes", "make.iterations", "make.seed"};
enum { N_MADE = sizeof made / sizeof *made };

tl_status words_check_axis(const char *name, tl_error *err)
{
    for (int i = 0; i < N_FAMILIES; i++)
        if (!strncmp(name, families[i], strlen(families[i])) && name[strlen(families[i])])
            return TL_OK;
    for (int i = 0; i < N_MADE; i++)
        if (!strcmp(name, made[i]))
            return TL_OK;
    if (!strcmp(name, "make") || (!strncmp(name, "params.", 7) && name[7] && !name[8]))
        return TL_OK;
    for (const struct argp_option *o = replay_argp.options; !is_end(o); o++)
        if (o->name && !strcmp(name, o->name) && o->arg && !is_for_one(name))
            return TL_OK;
    return tl_fail(err, TL_ERR_USAGE,
                   "'%s' is not an axis; give an option of timeless replay, as seed, or "
                   "scale.network, set.link.bandwidth, coll.bcast, cfg.KEY, params.L, make, "
                   "make.ranks, hpl.NB",
                   name);
}

static tl_status out_of_memory(tl_error *err)
{
    return tl_fail(err, TL_ERR_MEMORY, "out of memory for the words of a replay");
}

/* Replaces the value of L in the last --params by "L=5us". */
static tl_status set_parameter(word_list *list, const char *name, const char *value, tl_error *err)
{
    static const char option[] = "--params=";
    size_t i = list->n;
    while (i > 0 && strncmp(list->words[i - 1], option, sizeof option - 1) != 0)
        i--;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return out_of_memory(err);
    fprintf(out, "%s%s=%s", option, name, value);
    for (const char *at = i ? list->words[i - 1] + sizeof option - 1 : ""; *at;) {
        const size_t length = strcspn(at, ",");
        if (strncmp(at, name, 1) != 0 || at[1] != '=')
            fprintf(out, ",%.*s", (int)length, at);
        at += length + (at[length] == ',');
    }
    if (fclose(out) != 0)
        return out_of_memory(err);
    if (!i)
        return word_list_add(list, text) ? TL_OK : out_of_memory(err);
    free(list->words[i - 1]);
    list->words[i - 1] = text;
    return TL_OK;
}

/* Adds a parameter of the trace, "hpl:N=1000,...". If a name appears twice, the last value is
 * valid. */
static tl_status set_hpl(word_list *list, const char *name, const char *value, tl_error *err)
{
    char *trace = NULL;
    if (strncmp(list->words[0], "hpl:", 4) != 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: the axis hpl.%s applies to HPL only; give hpl:N=...,P=...,Q=...",
                       list->words[0], name);
    if (asprintf(&trace, "%s,%s=%s", list->words[0], name, value) < 0)
        return out_of_memory(err);
    free(list->words[0]);
    list->words[0] = trace;
    return TL_OK;
}

static tl_status add_axis(word_list *list, const char *name, const char *value, tl_error *err)
{
    const char *rest = strchr(name, '.');
    if (!strcmp(name, "trace") || !strncmp(name, "make", 4))
        return TL_OK;
    if (!strncmp(name, "hpl.", 4))
        return set_hpl(list, rest + 1, value, err);
    if (!strncmp(name, "params.", 7))
        return set_parameter(list, rest + 1, value, err);
    if (!strcmp(value, "none"))
        return TL_OK;
    /* With the ranks in its text, HPL can be opened before the options are read. */
    if (!strcmp(name, "ranks") && !strncmp(list->words[0], "hpl:", 4))
        return set_hpl(list, "RANKS", value, err);
    const int good = !rest
                         ? word_list_format(list, "--%s=%s", name, value)
                         : word_list_format(list, "--%.*s=%s%c%s", (int)(rest - name), name,
                                            rest + 1, !strncmp(name, "cfg.", 4) ? ':' : '=', value);
    return good ? TL_OK : out_of_memory(err);
}

/* The value of an axis at this point; NULL: the sweep has no such axis. */
static const char *value_of(const tlr_sweep *sweep, size_t point, const char *axis)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        if (!strcmp(sweep->axes[a].name, axis))
            return tlr_sweep_value(sweep, point, a);
    return NULL;
}

/* "pattern:stencil2d,ranks=16,bytes=8" */
static tl_status describe_made(const tlr_sweep *sweep, size_t point, word_list *list, tl_error *err)
{
    char *text = NULL;
    size_t size;
    const char *name = value_of(sweep, point, "make");
    if (!name)
        return tl_fail(err, TL_ERR_USAGE, "which pattern?  give --grid make=PATTERN");
    if (!value_of(sweep, point, "make.ranks"))
        return tl_fail(err, TL_ERR_USAGE, "how many ranks?  give --grid make.ranks=N");
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return out_of_memory(err);
    fprintf(out, "pattern:%s", name);
    for (int i = 0; i < N_MADE; i++)
        if (value_of(sweep, point, made[i]))
            fprintf(out, ",%s=%s", made[i] + strlen("make."), value_of(sweep, point, made[i]));
    if (fclose(out) != 0)
        return out_of_memory(err);
    return word_list_add(list, text) ? TL_OK : out_of_memory(err);
}

tl_status words_at(const tlr_sweep *sweep, size_t point, const char *trace,
                   const word_list *options, word_list *out, tl_error *err)
{
    tl_status status;
    const char *other = value_of(sweep, point, "trace");
    if (other)
        trace = other;
    if (trace)
        status = word_list_add(out, strdup(trace)) ? TL_OK : out_of_memory(err);
    else
        status = describe_made(sweep, point, out, err);
    for (size_t i = 0; i < options->n && status == TL_OK; i++)
        status = word_list_add(out, strdup(options->words[i])) ? TL_OK : out_of_memory(err);
    for (size_t a = 0; a < sweep->n_axes && status == TL_OK; a++)
        status = add_axis(out, sweep->axes[a].name, tlr_sweep_value(sweep, point, a), err);
    return status;
}

/* ---- running ---- */

void words_prepare(const word_list *words)
{
    tl_error err;
    tlr_engine_load(word_list_value(words, "--engine="), &err);
}

static void take(void *arg, const tlr_prediction *prediction)
{
    tlr_point *point = arg;
    point->makespan_s = prediction->makespan_s;
    point->quiet_s = prediction->noise ? prediction->quiet_s : 0;
    point->n_events = prediction->n_events;
    if (prediction->sampled)
        point->half_s = prediction->sampled->high_s - prediction->makespan_s;
    for (uint32_t r = 0; r < prediction->n_ranks; r++) {
        point->compute_s += prediction->ranks[r].compute_s / prediction->n_ranks;
        point->noise_s += prediction->ranks[r].noise_s / prediction->n_ranks;
    }
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        point->estimated[by] = tlr_estimated_share(prediction, by);
}

static void take_with_energy(void *arg, const tlr_prediction *prediction)
{
    tlr_point *point = arg;
    const tlr_usage *usage = prediction->usage;
    take(arg, prediction);
    if (!usage)
        return;
    point->has_energy = 1;
    point->job_j = usage->job_j;
    point->is_at_least = usage->is_at_least;
    point->has_cost = usage->has_price;
    point->cost = usage->has_price ? tlr_usage_cost(usage) : 0;
}

int words_run(word_list *words, int with_energy, tlr_point *point)
{
    char **argv = calloc(words->n + 2, sizeof *argv);
    if (!argv)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    argv[0] = (char *)"timeless replay";
    memcpy(argv + 1, words->words, words->n * sizeof *argv);
    replay_taker *const taker = with_energy ? take_with_energy : take;
    const int code = replay_and_take((int)words->n + 1, argv, with_energy, taker, point);
    free(argv);
    return code;
}
