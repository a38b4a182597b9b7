/* sweep.c - the grid of a sweep: its axes, and their values at a point. */
#include "config.h"

#include "sweep.h"

#include "machine/duration.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int add_value(tlr_axis *axis, char *value)
{
    char **more = value ? realloc(axis->values, (axis->n + 1) * sizeof *more) : NULL;
    if (!more) {
        free(value);
        return 0;
    }
    axis->values = more;
    axis->values[axis->n++] = value;
    return 1;
}

/* Reads "1:10" or "0:100:25"; returns whether the text has this form. */
static int parse_range(const char *text, int64_t range[3])
{
    range[2] = 1;
    for (int i = 0; i < 3; i++) {
        char *rest;
        errno = 0;
        range[i] = strtoll(text, &rest, 10);
        if (rest == text || errno || (*rest && *rest != ':'))
            return 0;
        if (!*rest)
            return i > 0;
        text = rest + 1;
    }
    return 0;
}

static tl_status add_range(tlr_axis *axis, const int64_t range[3], const char *text, tl_error *err)
{
    enum { MOST = 1000000 };
    if (range[2] < 1 || range[1] < range[0] ||
        ((uint64_t)range[1] - (uint64_t)range[0]) / (uint64_t)range[2] >= MOST)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: '%s' is not a range; write FIRST:LAST or FIRST:LAST:STEP", axis->name,
                       text);
    for (int64_t v = range[0];; v += range[2]) {
        char *value;
        if (!add_value(axis, asprintf(&value, "%" PRId64, v) < 0 ? NULL : value))
            return tl_no_memory(err, "points of the sweep");
        if (range[1] - v < range[2])
            return TL_OK;
    }
}

tl_status tlr_axis_parse(const char *text, tlr_axis *out, tl_error *err)
{
    const char *equals = strchr(text, '=');
    const char *separator = equals && strchr(equals, ';') ? ";" : ",";
    /* The part of "set.link.latency" for all links may contain no '='. */
    if (!equals || equals == text || !equals[1])
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not an axis; write NAME=VALUE,VALUE", text);
    tlr_axis axis = {.name = strndup(text, (size_t)(equals - text))};
    tl_status status = axis.name ? TL_OK : tl_no_memory(err, "points of the sweep");
    for (const char *at = equals + 1; status == TL_OK; at++) {
        const size_t length = strcspn(at, separator);
        int64_t range[3];
        char *value = strndup(at, length);
        if (!value) {
            status = tl_no_memory(err, "points of the sweep");
        } else if (!length) {
            status = tl_fail(err, TL_ERR_USAGE, "'%s': a value is empty", text);
        } else if (parse_range(value, range)) {
            status = add_range(&axis, range, value, err);
        } else {
            status = add_value(&axis, value) ? TL_OK : tl_no_memory(err, "points of the sweep");
            value = NULL;
        }
        free(value);
        at += length;
        if (!*at)
            break;
    }
    if (status == TL_OK)
        *out = axis;
    else
        tlr_axis_free(&axis);
    return status;
}

tl_status tlr_axis_of(const char *name, const char *const *values, size_t n, tlr_axis *out,
                      tl_error *err)
{
    tlr_axis axis = {.name = strdup(name)};
    int good = axis.name != NULL;
    for (size_t i = 0; i < n && good; i++)
        good = add_value(&axis, strdup(values[i]));
    if (good) {
        *out = axis;
        return TL_OK;
    }
    tlr_axis_free(&axis);
    return tl_no_memory(err, "points of the sweep");
}

static bool has_value(const tlr_axis *axis, const char *value)
{
    for (size_t i = 0; i < axis->n; i++)
        if (!strcmp(axis->values[i], value))
            return 1;
    return 0;
}

tl_status tlr_axis_append(tlr_axis *axis, const char *value, tl_error *err)
{
    return add_value(axis, strdup(value)) ? TL_OK : tl_no_memory(err, "points of the sweep");
}

tl_status tlr_axis_add(tlr_axis *axis, const char *value, tl_error *err)
{
    return has_value(axis, value) ? TL_OK : tlr_axis_append(axis, value, err);
}

/* Puts the names into the place of the value i, except those that are values already. */
static tl_status replace_value(tlr_axis *axis, size_t i, const char *names, tl_error *err)
{
    tlr_axis wide = {0};
    int good = 1;
    for (size_t k = 0; k < axis->n && good; k++) {
        if (k != i) {
            good = add_value(&wide, strdup(axis->values[k]));
            continue;
        }
        for (const char *at = names; *at && good;) {
            const size_t length = strcspn(at, ",");
            char *name = strndup(at, length);
            if (name && has_value(axis, name))
                free(name);
            else
                good = add_value(&wide, name);
            at += length + (at[length] == ',');
        }
    }
    if (good) {
        wide.name = axis->name;
        axis->name = NULL;
    }
    tlr_axis_free(good ? axis : &wide);
    if (good)
        *axis = wide;
    return good ? TL_OK : tl_no_memory(err, "points of the sweep");
}

static const char family[] = "coll.";

bool tlr_axis_has_all(const tlr_axis *axis)
{
    return !strncmp(axis->name, family, sizeof family - 1) && has_value(axis, "all");
}

tl_status tlr_axis_expand(tlr_axis *axis, const char *engine, tl_error *err)
{
    char *names = NULL;
    size_t i = 0;
    while (strcmp(axis->values[i], "all") != 0)
        i++;
    tl_status status = tlr_engine_algorithms(engine, axis->name + sizeof family - 1, &names, err);
    if (status == TL_OK)
        status = replace_value(axis, i, names, err);
    free(names);
    return status;
}

void tlr_axis_free(tlr_axis *axis)
{
    for (size_t i = 0; i < axis->n; i++)
        free(axis->values[i]);
    free(axis->values);
    free(axis->name);
}

tl_status tlr_sweep_create(tlr_axis *axes, size_t n_axes, tlr_sweep *out, tl_error *err)
{
    enum { MOST = 100000000 };
    size_t n_points = 1;
    *out = (tlr_sweep){.n_axes = n_axes, .axes = axes};
    for (size_t a = 0; a < n_axes; a++) {
        for (size_t b = 0; b < a; b++)
            if (!strcmp(axes[a].name, axes[b].name))
                return tl_fail(err, TL_ERR_USAGE, "the axis %s is given twice", axes[a].name);
        if (axes[a].n > MOST / n_points)
            return tl_fail(err, TL_ERR_USAGE, "the grid has more than %d points", (int)MOST);
        n_points *= axes[a].n;
    }
    out->points = tlr_points_create(n_points, err);
    out->n_points = out->points ? n_points : 0;
    return out->points ? TL_OK : TL_ERR_MEMORY;
}

void tlr_sweep_free(tlr_sweep *sweep)
{
    tlr_points_free(sweep->points, sweep->n_points);
    for (size_t a = 0; a < sweep->n_axes; a++)
        tlr_axis_free(&sweep->axes[a]);
    free(sweep->axes);
}

const char *tlr_sweep_value(const tlr_sweep *sweep, size_t point, size_t axis)
{
    for (size_t a = sweep->n_axes; --a > axis;)
        point /= sweep->axes[a].n;
    return sweep->axes[axis].values[point % sweep->axes[axis].n];
}

/* The value of the axis of this name at a point; NULL: the sweep has no such axis. */
static const char *value_of(const tlr_sweep *sweep, size_t point, const char *axis)
{
    for (size_t a = 0; a < sweep->n_axes; a++)
        if (!strcmp(sweep->axes[a].name, axis))
            return tlr_sweep_value(sweep, point, a);
    return NULL;
}

/* ---- axes as changes of a scenario ---- */

/* "scale.network=4" is --scale=network=4, "cfg.KEY=VALUE" is --cfg=KEY:VALUE. */
static const char *const families[] = {"scale.", "set.", "coll.", "cfg."};
enum { N_FAMILIES = sizeof families / sizeof *families };

static const char *const made[] = {"make.ranks", "make.bytes", "make.iterations", "make.seed"};
enum { N_MADE = sizeof made / sizeof *made };

/* What follows `start`; NULL if the text does not begin with it, or if nothing follows. */
static const char *behind(const char *text, const char *start)
{
    const size_t length = strlen(start);
    return !strncmp(text, start, length) && text[length] ? text + length : NULL;
}

tl_status tlr_axis_check(const char *name, tl_error *err)
{
    const char *letter = behind(name, "params.");
    bool is_known = tlr_setting_kind(name) == TLR_VALUE || !strcmp(name, "make") ||
                    behind(name, "hpl.") || (letter && !letter[1]);
    for (int i = 0; i < N_FAMILIES; i++)
        is_known |= behind(name, families[i]) != NULL;
    for (int i = 0; i < N_MADE; i++)
        is_known |= !strcmp(name, made[i]);
    return is_known ? TL_OK
                    : tl_fail(err, TL_ERR_USAGE,
                              "'%s' is not an axis; give an option of timeless replay, as seed, or "
                              "scale.network, set.link.bandwidth, set.rank.threads, coll.bcast, "
                              "cfg.KEY, params.L, make, make.ranks, hpl.NB",
                              name);
}

static tl_status set_parameter(tlr_scenario *s, char letter, const char *value, tl_error *err)
{
    const char *end = value;
    tlr_params_change change = {.letter = letter};
    uint64_t bytes;
    if (letter != 'S')
        change.value = tlr_parse_ps(value, &end);
    else if (tlr_parse_bytes(value, &end, &bytes))
        change.value = (double)bytes;
    if (end == value || *end || !(change.value >= 0) || !strchr("LogGOBRS", letter))
        return tl_fail(err, TL_ERR_USAGE,
                       "params.%c=%s: is not valid; write L, o, g, G, O, B, R or S, and a time as "
                       "5us, or bytes for S",
                       letter, value);
    if (!s->options.loggops_params)
        s->options.loggops_params = "";
    return tlr_scenario_change_params(s, change, err);
}

static tl_status set_hpl(tlr_scenario *s, const char *name, const char *value, tl_error *err)
{
    char text[256];
    if (!behind(s->sources[0].path, "hpl:"))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: the axis hpl.%s applies to HPL only; give hpl:N=...,P=...,Q=...",
                       s->sources[0].path, name);
    snprintf(text, sizeof text, "%s=%s", name, value);
    return tlr_scenario_add_parameter(s, text, err);
}

static tl_status set_axis(tlr_scenario *s, const char *name, const char *value, tl_error *err)
{
    char setting[32], *text = NULL;
    const char *rest = strchr(name, '.');
    if (!strcmp(name, "trace") || !strncmp(name, "make", 4))
        return TL_OK;
    if (behind(name, "hpl."))
        return set_hpl(s, rest + 1, value, err);
    if (behind(name, "params."))
        return set_parameter(s, rest[1], value, err);
    if (!strcmp(value, "none"))
        return TL_OK;
    if (!rest)
        return tlr_scenario_set(s, name, value, err);
    snprintf(setting, sizeof setting, "%.*s", (int)(rest - name), name);
    if (asprintf(&text, "%s%c%s", rest + 1, strcmp(setting, "cfg") != 0 ? '=' : ':', value) < 0)
        return tl_no_memory(err, "points of the sweep");
    const tl_status status = tlr_scenario_set(s, setting, text, err);
    free(text);
    return status;
}

/* "pattern:stencil2d,ranks=16,bytes=8" */
static tl_status describe_made(const tlr_sweep *sweep, size_t point, tlr_scenario *s, tl_error *err)
{
    char text[512];
    const char *name = value_of(sweep, point, "make"), *value;
    if (!name)
        return tl_fail(err, TL_ERR_USAGE, "which pattern?  give --grid make=PATTERN");
    if (!value_of(sweep, point, "make.ranks"))
        return tl_fail(err, TL_ERR_USAGE, "how many ranks?  give --grid make.ranks=N");
    int length = snprintf(text, sizeof text, "pattern:%s", name);
    for (int i = 0; i < N_MADE && length < (int)sizeof text; i++)
        if ((value = value_of(sweep, point, made[i])))
            length += snprintf(text + length, sizeof text - (size_t)length, ",%s=%s",
                               behind(made[i], "make."), value);
    return tlr_scenario_set_source(s, text, err);
}

tl_status tlr_sweep_scenario(const tlr_sweep *sweep, size_t point, const tlr_scenario *base,
                             tlr_scenario *out, tl_error *err)
{
    const char *trace = value_of(sweep, point, "trace");
    tl_status status = tlr_scenario_copy(base, out, err);
    if (status == TL_OK && trace)
        status = tlr_scenario_set_source(out, trace, err);
    else if (status == TL_OK && !out->n_sources)
        status = describe_made(sweep, point, out, err);
    for (size_t a = 0; a < sweep->n_axes && status == TL_OK; a++)
        status = set_axis(out, sweep->axes[a].name, tlr_sweep_value(sweep, point, a), err);
    return status;
}

void tlr_sweep_point_text(const tlr_sweep *sweep, size_t point, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t a = 0; a < sweep->n_axes && used < size; a++)
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", a ? " " : "",
                                 sweep->axes[a].name, tlr_sweep_value(sweep, point, a));
}
