/* study.c - timeless study: the studies, and what they have in common. */
#include "config.h"

#include "study/study.h"

#include "targets.h"

#include <calibrate/calibrate.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const cli_target targets[] = {
    {"collectives", "compare all algorithms of a collective on a platform", study_collectives},
    {"hosts", "predict HPL without the slowest hosts of a platform", study_hosts},
    {"noise", "print how much programs amplify the noise of the system", study_noise},
};
static const cli_targets studies = {"study",   "studied",
                                    "studies", "'man timeless-study' describes them.",
                                    targets,   sizeof targets / sizeof *targets};

const char *cli_study_target(int i)
{
    return (size_t)i < studies.n ? targets[i].name : NULL;
}

int cmd_study(int argc, char **argv)
{
    return cli_run_target(&studies, argc, argv);
}

/* ---- the command line ---- */

study_common study_begin(void)
{
    return (study_common){.grid = {.n_jobs = tlp_n_cores(), .n_processes = 1}};
}

error_t study_parse(int key, char *value, struct argp_state *state, study_common *s)
{
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &s->grid.options; return 0;
    case STUDY_JSON: s->json = (cli_json){1, value}; return 0;
    case STUDY_PLOT: s->plot = cli_picture(state, value); return 0;
    case 'j':
        s->grid.n_jobs = (unsigned)cli_parse_number_from(state, "--jobs", value, 1, 4096);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

void study_add_word(struct argp_state *state, word_list *list, const char *word)
{
    if (!word_list_add(list, strdup(word)))
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
}

/* "64", "4K", "1M": K, M and G are powers of 1024. Moves *text behind it; 0: it is no number. */
static int read_number(const char **text, uint64_t *out)
{
    static const char units[] = "KMG";
    char *rest;
    errno = 0;
    *out = strtoull(*text, &rest, 10);
    if (!isdigit((unsigned char)**text) || errno)
        return 0;
    const char *unit = *rest ? strchr(units, toupper((unsigned char)*rest)) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *text = rest + (unit != NULL);
    if (*out > UINT64_C(0x7fffffff) >> shift)
        return 0;
    *out <<= shift;
    return 1;
}

static int add_number(word_list *list, uint64_t number)
{
    char *text = NULL;
    if (asprintf(&text, "%llu", (unsigned long long)number) < 0)
        text = NULL;
    for (size_t i = 0; text && i < list->n; i++)
        if (!strcmp(list->words[i], text)) {
            free(text);
            return 1;
        }
    return word_list_add(list, text);
}

/* "A", "A..B" or "A..B:F": A, A F, A F F, ..., and B. */
static int add_item(const char *item, word_list *list)
{
    uint64_t first, last, factor = 4;
    if (!read_number(&item, &first))
        return 0;
    last = first;
    if (!strncmp(item, "..", 2)) {
        item += 2;
        if (!read_number(&item, &last) || last < first)
            return 0;
        if (*item == ':') {
            item++;
            if (!read_number(&item, &factor) || factor < 2)
                return 0;
        }
    }
    if (*item)
        return 0;
    for (uint64_t at = first; at < last; at = at ? at * factor : 1)
        if (!add_number(list, at))
            return 0;
    return add_number(list, last);
}

tl_status study_numbers(const char *axis, const char *option, const char *text, tlr_axis *out,
                        tl_error *err)
{
    word_list list = {0};
    char *copy = strdup(text), *save = NULL;
    tl_status status = copy ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    for (char *item = copy ? strtok_r(copy, ",", &save) : NULL; item && status == TL_OK;
         item = strtok_r(NULL, ",", &save))
        if (!add_item(item, &list))
            status = tl_fail(err, TL_ERR_USAGE,
                             "%s '%s': '%s' is neither a number, as 64 or 4K, nor a range, as "
                             "1..1M or 1..1M:2",
                             option, text, item);
    if (status == TL_OK && !list.n)
        status = tl_fail(err, TL_ERR_USAGE, "%s: give at least one number", option);
    if (status == TL_OK)
        status = tlr_axis_of(axis, (const char *const *)list.words, list.n, out, err);
    free(copy);
    word_list_free(&list);
    return status;
}

/* ---- the grid ---- */

void study_refuse(struct argp_state *state, const grid *g, const char *option, const char *reason)
{
    if (word_list_value(&g->options, option))
        argp_error(state, "%.*s: %s", (int)strcspn(option, "="), option, reason);
}

tl_status study_make_sweep(grid *g, tl_status status, tlr_axis *axes, size_t n_axes, tl_error *err)
{
    if (status == TL_OK)
        status = tlr_sweep_create(axes, n_axes, &g->sweep, err);
    if (status == TL_OK)
        return TL_OK;
    for (size_t i = 0; axes && i < n_axes; i++)
        tlr_axis_free(&axes[i]);
    free(axes);
    return status;
}

void study_place(const grid *g, char *text, size_t size)
{
    static const struct {
        const char *option, *before;
    } parts[] = {{"--platform=", ""},
                 {"--ranks-per-host=", "ranks per host: "},
                 {"--engine=", "engine "},
                 {"--params=", ""}};
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts && used < size; i++) {
        const char *value = word_list_value(&g->options, parts[i].option);
        if (value)
            used += (size_t)snprintf(text + used, size - used, "%s%s%s", used ? ", " : "",
                                     parts[i].before, value);
    }
}

/* Without a single result, the failures say more than an empty table. */
static int has_any(const grid *g)
{
    for (size_t i = 0; i < g->sweep.n_points; i++)
        if (g->sweep.points[i].known && !g->sweep.points[i].error[0])
            return 1;
    return 0;
}

int study_run(study_common *s, tl_status status, tl_status (*write)(const void *arg, tl_error *err),
              const void *arg, tl_error *err)
{
    if (status == TL_OK)
        status = grid_run(&s->grid, err);
    if (status == TL_OK && has_any(&s->grid))
        status = write(arg, err);
    return status == TL_OK ? grid_tell_failures(&s->grid) : cli_fail(err);
}
