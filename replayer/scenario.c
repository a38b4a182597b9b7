/* scenario.c - one replay as a value: its settings by name, its sources, its replay. */
#include "config.h"

#include "scenario.h"

#include "machine/duration.h"
#include "machine/noise.h"
#include "results/timeline.h"
#include "results/usage.h"
#include "schedules.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <unistd.h>

/* ---- values ---- */

/* The copy of an array with room for one more; NULL without memory. */
static void *copy_array(const void *from, size_t n, size_t size)
{
    void *copy = calloc(n + 1, size);
    if (copy && n)
        memcpy(copy, from, n * size);
    return copy;
}

static void point_at_arrays(tlr_scenario *s)
{
    s->options.cfg = (const char *const *)s->cfg;
    s->options.changes = s->changes;
    s->options.params_changes = s->params_changes;
}

tl_status tlr_scenario_begin(tlr_scenario *out, tl_error *err)
{
    static const tlr_scenario nothing = {.options.seed = 1};
    return tlr_scenario_copy(&nothing, out, err);
}

tl_status tlr_scenario_copy(const tlr_scenario *from, tlr_scenario *out, tl_error *err)
{
    tlr_scenario s = *from;
    int good = 1;
    s.sources = copy_array(from->sources, from->n_sources, sizeof *s.sources);
    s.hostfiles = copy_array(from->hostfiles, from->n_hostfiles, sizeof *s.hostfiles);
    s.cfg = copy_array(from->cfg, from->options.n_cfg, sizeof *s.cfg);
    s.changes = copy_array(from->changes, from->options.n_changes, sizeof *s.changes);
    s.params_changes =
        copy_array(from->params_changes, from->options.n_params_changes, sizeof *s.params_changes);
    s.parameters = from->parameters ? strdup(from->parameters) : NULL;
    s.text = strdup(from->text ? from->text : "");
    for (size_t i = 0; s.sources && i < s.n_sources; i++)
        good &= (s.sources[i].path = strdup(from->sources[i].path)) != NULL;
    for (size_t i = 0; s.cfg && i < s.options.n_cfg; i++)
        good &= (s.cfg[i] = strdup(from->cfg[i])) != NULL;
    point_at_arrays(&s);
    *out = s;
    if (good && s.sources && s.hostfiles && s.cfg && s.changes && s.params_changes && s.text &&
        (s.parameters || !from->parameters))
        return TL_OK;
    tlr_scenario_free(out);
    return tl_no_memory(err, "options of a replay");
}

void tlr_scenario_free(tlr_scenario *s)
{
    for (size_t i = 0; s->sources && i < s->n_sources; i++)
        free(s->sources[i].path);
    for (size_t i = 0; s->cfg && i < s->options.n_cfg; i++)
        free(s->cfg[i]);
    free(s->sources);
    free(s->hostfiles);
    free(s->cfg);
    free(s->changes);
    free(s->params_changes);
    free(s->parameters);
    free(s->text);
    *s = (tlr_scenario){0};
}

/* Makes room for another element behind n; 0 without memory. */
static int make_room(void *array, size_t n, size_t size)
{
    void **old = array, *more = reallocarray(*old, n + 2, size);
    if (more)
        *old = more;
    return more != NULL;
}

/* Appends the text; frees it, too, which is NULL without memory. */
static tl_status append(char **to, char *text, tl_error *err)
{
    char *longer = NULL;
    if (!text || asprintf(&longer, "%s%s", *to ? *to : "", text) < 0)
        longer = NULL;
    free(text);
    if (!longer)
        return tl_no_memory(err, "options of a replay");
    free(*to);
    *to = longer;
    return TL_OK;
}

tl_status tlr_scenario_add_parameter(tlr_scenario *s, const char *text, tl_error *err)
{
    char *parameter = NULL;
    if (asprintf(&parameter, ",%s", text) < 0)
        parameter = NULL;
    return append(&s->parameters, parameter, err);
}

tl_status tlr_scenario_change(tlr_scenario *s, const tlr_change *change, tl_error *err)
{
    if (!make_room(&s->changes, s->options.n_changes, sizeof *change))
        return tl_no_memory(err, "options of a replay");
    s->changes[s->options.n_changes++] = *change;
    point_at_arrays(s);
    return TL_OK;
}

tl_status tlr_scenario_change_params(tlr_scenario *s, tlr_params_change change, tl_error *err)
{
    if (!make_room(&s->params_changes, s->options.n_params_changes, sizeof change))
        return tl_no_memory(err, "options of a replay");
    s->params_changes[s->options.n_params_changes++] = change;
    point_at_arrays(s);
    return TL_OK;
}

/* Takes over the option, which is NULL without memory. */
static tl_status add_cfg(tlr_scenario *s, char *option, tl_error *err)
{
    if (!option || !make_room(&s->cfg, s->options.n_cfg, sizeof *s->cfg)) {
        free(option);
        return tl_no_memory(err, "options of a replay");
    }
    s->cfg[s->options.n_cfg++] = option;
    point_at_arrays(s);
    return TL_OK;
}

/* ---- settings ---- */

static tl_status number(const char *option, const char *text, uint64_t min, uint64_t max,
                        uint64_t *out, tl_error *err)
{
    char *end;
    errno = 0;
    *out = strtoull(text, &end, 10);
    return end == text || *end || text[0] == '-' || errno || *out < min || *out > max
               ? tl_fail(err, TL_ERR_USAGE,
                         "--%s '%s': give a whole number from %" PRIu64 " to %" PRIu64, option,
                         text, min, max)
               : TL_OK;
}

static tl_status add_change(tlr_scenario *s, const char *option, const char *quantity,
                            const char *value, tl_error *err)
{
    char text[512];
    tl_error wrong;
    tlr_change change;
    snprintf(text, sizeof text, "%s%s", quantity, value);
    return tlr_change_parse(text, &change, &wrong) == TL_OK
               ? tlr_scenario_change(s, &change, err)
               : tl_fail(err, TL_ERR_USAGE, "--%s: %s", option, wrong.text);
}

static tl_status set_ranks(tlr_scenario *s, const char *value, tl_error *err)
{
    char text[64];
    uint64_t n = 0;
    const tl_status status = number("ranks", value, 1, INT32_MAX, &n, err);
    snprintf(text, sizeof text, "ranks=%" PRIu64, n);
    return status == TL_OK ? tlr_scenario_add_parameter(s, text, err) : status;
}

static tl_status set_hostfile(tlr_scenario *s, const char *value, tl_error *err)
{
    if (!make_room(&s->hostfiles, s->n_hostfiles, sizeof *s->hostfiles))
        return tl_no_memory(err, "options of a replay");
    s->hostfiles[s->n_hostfiles++] = value;
    return TL_OK;
}

/* Quantities of a platform have a point in their names, parameters of a program do not. */
static tl_status set_change(tlr_scenario *s, const char *text, tl_error *err)
{
    const size_t name = strcspn(text, "=");
    const bool is_parameter = text[name] && name && !memchr(text, '.', name) &&
                              !memchr(text, ':', name) && !strchr(text, ',');
    return is_parameter ? tlr_scenario_add_parameter(s, text, err)
                        : add_change(s, "set", "", text, err);
}

/* "network=0.1", "network 0.1" */
static tl_status set_scale(tlr_scenario *s, const char *text, tl_error *err)
{
    tl_error wrong;
    tlr_change changes[2];
    char what[128];
    size_t n = 0;
    const size_t length = strcspn(text, "= ");
    snprintf(what, sizeof what, "%.*s", (int)length, text);
    if (tlr_change_scale(what, text[length] ? text + length + 1 : "", changes, &n, &wrong) != TL_OK)
        return tl_fail(err, TL_ERR_USAGE, "--scale: %s", wrong.text);
    for (size_t i = 0; i < n; i++)
        TL_TRY(tlr_scenario_change(s, &changes[i], err));
    return TL_OK;
}

static tl_status set_io_bandwidth(tlr_scenario *s, const char *value, tl_error *err)
{
    char text[128];
    tl_error wrong;
    tlr_change change;
    snprintf(text, sizeof text, "link.bandwidth=%s", value);
    if (tlr_change_parse(text, &change, &wrong) != TL_OK || change.is_factor)
        return tl_fail(err, TL_ERR_USAGE, "--io-bandwidth '%s': give a bandwidth, as 500MBps",
                       value);
    s->options.io_bandwidth = change.value;
    return TL_OK;
}

static tl_status set_cfg(tlr_scenario *s, const char *value, tl_error *err)
{
    return !strchr(value, ':') || value[0] == ':'
               ? tl_fail(err, TL_ERR_USAGE, "--cfg '%s': write KEY:VALUE", value)
               : add_cfg(s, strdup(value), err);
}

static tl_status set_selector(tlr_scenario *s, const char *value, tl_error *err)
{
    static const char *const names[] = {"default", "ompi",     "ompi-4.1", "ompi-5.0",
                                        "mpich",   "mvapich2", "impi",     "recorded"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(value, names[i])) {
            s->options.coll_selector = names[i];
            return TL_OK;
        }
    return tl_fail(err, TL_ERR_USAGE,
                   "--coll-selector '%s': give default, ompi, ompi-4.1, ompi-5.0, mpich, mvapich2, "
                   "impi or recorded",
                   value);
}

/* SimGrid lists the algorithms, but not the collectives. */
static tl_status set_algorithm(tlr_scenario *s, const char *choice, tl_error *err)
{
    const size_t length = strcspn(choice, "=");
    const char *name =
        choice[length] && choice[length + 1] ? tlr_collective_name(choice, length) : NULL;
    if (name) {
        char *option = NULL;
        if (asprintf(&option, "smpi/%s:%s", name, choice + length + 1) < 0)
            option = NULL;
        return add_cfg(s, option, err);
    }
    return tl_fail(err, TL_ERR_USAGE,
                   "--coll '%s': write COLLECTIVE=ALGORITHM; the collectives are allgather, "
                   "allgatherv, allreduce, alltoall, alltoallv, barrier, bcast, gather, reduce, "
                   "reduce_scatter, scatter",
                   choice);
}

/* Detours, the noise of messages ("network"), or both ("1kHz:100us,network"). */
static tl_status set_noise(tlr_scenario *s, const char *value, tl_error *err)
{
    (void)err;
    s->options.noise = strcmp(value, TLR_NETWORK_NOISE) != 0 ? value : NULL;
    s->options.network_noise = !s->options.noise || tlr_noise_has_network(value);
    return TL_OK;
}

/* "1%" */
static tl_status set_sample(tlr_scenario *s, const char *value, tl_error *err)
{
    char *rest;
    s->options.sampled = 1;
    s->options.sample_error = 0;
    if (!value)
        return TL_OK;
    const double percent = strtod(value, &rest);
    s->options.sample_error = percent / 100;
    return rest != value && !strcmp(rest, "%") && percent > 0 && percent < 100
               ? TL_OK
               : tl_fail(err, TL_ERR_USAGE, "--sample '%s': give the error in per cent, as 1%%",
                         value);
}

static tl_status set_energy(tlr_scenario *s, const char *value, tl_error *err)
{
    tlr_usage *usage = NULL;
    s->energy = TLR_WANTED;
    if (!value)
        return TL_OK;
    tl_status status = tlr_usage_create(0, 1, &usage, err);
    if (status == TL_OK && !tlr_usage_set_price(usage, value))
        status = tl_fail(err, TL_ERR_USAGE,
                         "'%s' is not a price; write it as --energy=0.30/kWh,2/host-hour", value);
    tlr_usage_free(usage);
    s->price = value;
    return status;
}

typedef enum value_kind {
    FLAG,   /* an int that becomes 1 */
    TEXT,   /* kept as it is */
    NUMBER, /* unsigned */
    SEED,   /* uint64_t */
    CHOICE, /* an int: whether it is the second of two words */
    CHANGE, /* of a quantity of the platform */
    OTHER,
    OPTIONAL /* likewise, and the value may be missing */
} value_kind;

#define PLACE(member) .place = offsetof(tlr_scenario, member)

static const struct setting {
    const char *name;
    value_kind kind;
    size_t place;
    uint64_t min, max;
    const char *words[2]; /* of a choice; the quantity of a change */
    tl_status (*set)(tlr_scenario *s, const char *value, tl_error *err);
} settings[] = {
    {"ranks", OTHER, .set = set_ranks},
    {"platform", TEXT, PLACE(platform)},
    {"ranks-per-host", NUMBER, PLACE(options.ranks_per_host), 1, 1000000},
    {"hostfile", OTHER, .set = set_hostfile},
    {"rank-threads", CHANGE, .words = {"rank.threads="}},
    {"round-robin", FLAG, PLACE(options.round_robin)},
    {"set", OTHER, .set = set_change},
    {"scale", OTHER, .set = set_scale},
    {"host-speed", CHANGE, .words = {"host.speed="}},
    {"model", TEXT, PLACE(options.model_path)},
    {"io-bandwidth", OTHER, .set = set_io_bandwidth},
    {"cfg", OTHER, .set = set_cfg},
    {"coll-selector", OTHER, .set = set_selector},
    {"coll", OTHER, .set = set_algorithm},
    {"wildcards", CHOICE, PLACE(options.wildcards_first), .words = {"recorded", "first"}},
    {"no-compute", FLAG, PLACE(options.no_compute)},
    {"model-strict", FLAG, PLACE(options.model_strict)},
    {"allow-opaque", FLAG, PLACE(options.allow_opaque)},
    {"noise", OTHER, .set = set_noise},
    {"seed", SEED, PLACE(options.seed), 0, INT64_MAX},
    {"seeds", NUMBER, PLACE(options.n_seeds), 1, 1000000},
    {"sample", OPTIONAL, .set = set_sample},
    {"cluster-seed", SEED, PLACE(options.cluster_seed), 1, INT64_MAX},
    {"engine", TEXT, PLACE(engine)},
    {"params", TEXT, PLACE(options.loggops_params)},
    {"threads", NUMBER, PLACE(options.n_threads), 1, 1024},
    {"links", FLAG, PLACE(links)},
    {"energy", OPTIONAL, .set = set_energy},
    {"progress", FLAG, PLACE(options.progress)}};
enum { N_SETTINGS = sizeof settings / sizeof *settings };

static tl_status set_number(const struct setting *setting, const char *value, void *place,
                            tl_error *err)
{
    uint64_t n = 0;
    const tl_status status = number(setting->name, value, setting->min, setting->max, &n, err);
    if (status == TL_OK && setting->kind == SEED)
        *(uint64_t *)place = n;
    else if (status == TL_OK)
        *(unsigned *)place = (unsigned)n;
    return status;
}

static tl_status set_choice(const struct setting *setting, const char *value, int *place,
                            tl_error *err)
{
    *place = !strcmp(value, setting->words[1]);
    return *place || !strcmp(value, setting->words[0])
               ? TL_OK
               : tl_fail(err, TL_ERR_USAGE, "--%s '%s': give %s or %s", setting->name, value,
                         setting->words[0], setting->words[1]);
}

static size_t find_setting(const char *name)
{
    size_t i = 0;
    while (i < N_SETTINGS && strcmp(settings[i].name, name) != 0)
        i++;
    return i;
}

int tlr_setting_kind(const char *name)
{
    const size_t i = find_setting(name);
    return i == N_SETTINGS                                             ? TLR_NO_SETTING
           : settings[i].kind == FLAG || settings[i].set == set_energy ? TLR_FLAG
                                                                       : TLR_VALUE;
}

tl_status tlr_scenario_set(tlr_scenario *s, const char *name, const char *value, tl_error *err)
{
    char *text = NULL;
    const size_t i = find_setting(name);
    if (i == N_SETTINGS)
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a setting of a replay", name);
    const struct setting *setting = &settings[i];
    if (!value && setting->kind != FLAG && setting->kind != OPTIONAL)
        return tl_fail(err, TL_ERR_USAGE, "--%s: the value is missing", name);
    void *place = (char *)s + setting->place;
    if (asprintf(&text, value ? " --%s=%s" : " --%s", name, value) < 0)
        text = NULL;
    TL_TRY(append(&s->text, text, err));
    s->given |= UINT64_C(1) << i;
    switch (setting->kind) {
    case FLAG: *(int *)place = 1; return TL_OK;
    case TEXT: *(const char **)place = value; return TL_OK;
    case NUMBER:
    case SEED: return set_number(setting, value, place, err);
    case CHOICE: return set_choice(setting, value, place, err);
    case CHANGE: return add_change(s, name, setting->words[0], value, err);
    case OTHER:
    case OPTIONAL: break;
    }
    return setting->set(s, value, err);
}

int tlr_scenario_has(const tlr_scenario *s, const char *name)
{
    const size_t i = find_setting(name);
    return i < N_SETTINGS && s->given >> i & 1;
}

bool tlr_scenario_is_loggops(const tlr_scenario *s)
{
    return s->engine && !strcmp(s->engine, "loggops");
}

/* ---- sources ---- */

static tl_status add_source(tlr_scenario *s, tlr_source source, tl_error *err)
{
    if (!source.path || !make_room(&s->sources, s->n_sources, sizeof source)) {
        free(source.path);
        return tl_no_memory(err, "options of a replay");
    }
    s->sources[s->n_sources++] = source;
    return TL_OK;
}

tl_status tlr_scenario_set_source(tlr_scenario *s, const char *path, tl_error *err)
{
    while (s->n_sources)
        free(s->sources[--s->n_sources].path);
    return tlr_scenario_add_source(s, path, err);
}

tl_status tlr_scenario_add_source(tlr_scenario *s, const char *text, tl_error *err)
{
    tlr_source source = {.path = NULL};
    size_t length = strlen(text);
    const char *at = strrchr(text, '@');
    if (at && access(text, F_OK) != 0) {
        char *rest;
        source.start_s = strtod(at + 1, &rest);
        if (rest == at + 1 || (*rest && strcmp(rest, "s") != 0) || !(source.start_s >= 0) ||
            !isfinite(source.start_s))
            return tl_fail(err, TL_ERR_USAGE, "'%s': give the start in seconds, as TRACE@10", text);
        length = (size_t)(at - text);
    }
    source.path = strndup(text, length);
    return add_source(s, source, err);
}

/* Only a program has parameters. */
static tl_status add_parameters(tlr_scenario *s, tlr_source *source, tl_error *err)
{
    const bool is_program = tl_is_program(source->path);
    if (!is_program && access(source->path, F_OK) != 0)
        return TL_OK; /* opening it gives the reason */
    if (!is_program && !strncmp(s->parameters, ",ranks=", 7))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s is a trace with the ranks of its run; leave out --ranks, or give it to "
                       "a skeleton or hpl:N=...",
                       source->path);
    if (!is_program)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s is a trace, and '%s' is not a change of a platform; give parameters to "
                       "a skeleton, or write link.bandwidth=VALUE, link.latency=VALUE, "
                       "host.speed=VALUE, rank.threads=NUMBER or another change of "
                       "timeless-replay(1)",
                       source->path, s->parameters + 1);
    return append(&source->path, strdup(s->parameters), err);
}

tl_status tlr_scenario_finish(tlr_scenario *s, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < s->n_sources && s->parameters && status == TL_OK; i++)
        status = add_parameters(s, &s->sources[i], err);
    if (status != TL_OK)
        return status;
    free(s->parameters);
    s->parameters = NULL;
    if ((s->links || s->energy == TLR_WANTED) && s->n_sources > 1)
        return tl_fail(err, TL_ERR_USAGE, "--links and --energy need a single trace");
    if (s->n_hostfiles > 1 && s->n_hostfiles != s->n_sources)
        return tl_fail(err, TL_ERR_USAGE,
                       "%zu host files for %zu traces; give one for all, or one for each",
                       s->n_hostfiles, s->n_sources);
    return TL_OK;
}

/* ---- the replay ---- */

/* A platform may be in the place of the trace: a folder, or a name that is no file. */
tl_status tlr_source_open(const char *path, tl_reader **out, tl_error *err)
{
    struct stat st;
    tl_error ignored;
    tlr_platform *platform = NULL;
    const tl_status status = tl_reader_open(path, out, err);
    const bool is_there = status != TL_OK && stat(path, &st) == 0;
    if (status == TL_ERR_NOT_A_TRACE && is_there && S_ISREG(st.st_mode)) {
        const tl_status of_goal = tl_reader_open_goal(path, out, &ignored);
        if (of_goal == TL_ERR_NOT_A_TRACE)
            return status;
        if (of_goal != TL_OK && err)
            *err = ignored;
        return of_goal;
    }
    if (status == TL_OK || (is_there && !S_ISDIR(st.st_mode)) ||
        tlr_platform_load(path, &platform, &ignored) != TL_OK)
        return status;
    tlr_platform_free(platform);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: is a platform, not a trace; give it by --platform=%s, beside a trace", path,
                   path);
}

static tl_status open_traces(const tlr_scenario *s, tlr_stage *stage, tl_error *err)
{
    tl_status status = TL_OK;
    for (size_t j = 0; j < stage->n_jobs && status == TL_OK; j++) {
        status = tlr_source_open(s->sources[j].path, &stage->jobs[j].trace, err);
        stage->jobs[j].start_s = s->sources[j].start_s;
        if (s->n_hostfiles > 1)
            stage->jobs[j].hostfile = s->hostfiles[j];
    }
    return status;
}

/* Energy is stated without a request if the platform states watts and the ranks are on its hosts.
 */
static bool has_energy(const tlr_scenario *s, const tlr_platform *platform)
{
    const tlr_options *o = &s->options;
    return s->energy == TLR_WANTED ||
           (s->energy == TLR_WANTED_IF_STATED && platform && platform->has_watts &&
            s->n_sources == 1 && !o->sampled && o->n_seeds <= 1 && !o->loggops_params);
}

tl_status tlr_stage_open(const tlr_scenario *s, tlr_stage *out, tl_error *err)
{
    tl_status status = TL_OK;
    *out = (tlr_stage){.scenario = s, .options = s->options, .n_jobs = s->n_sources};
    out->jobs = calloc(out->n_jobs + 1, sizeof *out->jobs);
    out->predictions = calloc(out->n_jobs + 1, sizeof(tlr_prediction *));
    if (!out->jobs || !out->predictions)
        status = tl_no_memory(err, "options of a replay");
    if (s->n_hostfiles == 1)
        out->options.hostfile = s->hostfiles[0];
    if (status == TL_OK)
        status = open_traces(s, out, err);
    if (status == TL_OK && s->platform)
        status = tlr_platform_load(s->platform, &out->platform, err);
    if (status == TL_OK && (s->links || has_energy(s, out->platform)))
        status = tlr_usage_create(s->links, has_energy(s, out->platform), &out->options.usage, err);
    if (status == TL_OK && s->price)
        tlr_usage_set_price(out->options.usage, s->price);
    if (status != TL_OK)
        tlr_stage_close(out);
    return status;
}

tl_status tlr_stage_replay(tlr_stage *stage, tl_error *err)
{
    tlr_prediction **p = stage->predictions;
    TL_TRY(tlr_replay_jobs(stage->jobs, stage->n_jobs, stage->platform, stage->scenario->engine,
                           &stage->options, p, err));
    if (stage->options.usage)
        TL_TRY(tlr_usage_read(stage->options.usage, p[0], err));
    p[0]->usage = stage->options.usage;
    return TL_OK;
}

void tlr_stage_close(tlr_stage *stage)
{
    for (size_t j = 0; j < stage->n_jobs; j++) {
        if (stage->predictions)
            tlr_prediction_free(stage->predictions[j]);
        if (stage->jobs)
            tl_reader_close(stage->jobs[j].trace);
    }
    free(stage->predictions);
    free(stage->jobs);
    tlr_timeline_free(stage->options.timeline);
    tlr_usage_free(stage->options.usage);
    tlr_platform_free(stage->platform);
    *stage = (tlr_stage){0};
}
