/* extrapolation.c - the uncertainty of a fitted skeleton at another size. */
#include "config.h"

#include "extrapolation.h"

#include <ctype.h>
#include <errno.h>
#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

enum { MOST_CAPTURES = 64, MOST_NAMES = 17, NAME_SIZE = 64 };
enum { NEXT_STEP = 4 }; /* a choice: the next capture is at most four times as large */

typedef struct name {
    char text[NAME_SIZE];
    int64_t wanted;     /* its value in the prediction */
    bool is_in_law;     /* of computation */
    bool is_iterations; /* the number of iterations of a loop depends on it */
} name;

typedef struct capture {
    int64_t values[MOST_NAMES];
    bool has_error;
    double error; /* of its computation, by the laws of the others */
} capture;

/* What the file states. */
typedef struct statement {
    size_t n_names, n;
    name names[MOST_NAMES]; /* the first one is that of the ranks */
    capture captures[MOST_CAPTURES];
    tlr_extrapolation *out;
} statement;

/* ---- the file ---- */

/* "ranks=64,N=1000": the value of a name; 0 if it has none. */
static int find_value(const char *text, const char *wanted, int64_t *value)
{
    const size_t length = strlen(wanted);
    for (; *text; text += strcspn(text, ","), text += strspn(text, ", "))
        if (!strncmp(text, wanted, length) && text[length] == '=') {
            *value = strtoll(text + length + 1, NULL, 10);
            return 1;
        }
    return 0;
}

/* Takes "ranks=4, N=100" of the first capture as the names. */
static void take_names(statement *s, const char *text)
{
    while (s->n_names < MOST_NAMES && *text) {
        const size_t length = strcspn(text, "=");
        if (text[length] != '=' || length >= NAME_SIZE)
            return;
        snprintf(s->names[s->n_names++].text, NAME_SIZE, "%.*s", (int)length, text);
        text += strcspn(text, ",");
        text += strspn(text, ", ");
    }
}

/* "(ranks=4, N=100): has all of its 60 calls; computation +1.2 %" */
static void take_capture(statement *s, char *line)
{
    static const char computation[] = "; computation ";
    char *values = strchr(line, '('), *end = values ? strchr(values, ')') : NULL;
    if (!end || s->n == MOST_CAPTURES)
        return;
    *end++ = '\0';
    if (!s->n)
        take_names(s, values + 1);
    capture *c = &s->captures[s->n];
    for (size_t k = 0; k < s->n_names; k++)
        if (!find_value(values + 1, s->names[k].text, &c->values[k]))
            return;
    s->n++;
    const char *error = strstr(end, computation);
    if (strncmp(end, ": has all of its ", 17) != 0) {
        s->out->n_differ++;
    } else if (error) {
        c->error = log1p(strtod(error + strlen(computation), NULL) / 100);
        c->has_error = isfinite(c->error);
    }
    s->out->has_draws |= strstr(end, "except for drawn sizes") != NULL;
}

static bool is_of_name(int c)
{
    return isalnum(c) || c == '_';
}

static int contains(const char *line, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = line; (at = strstr(at, word)); at += length)
        if ((at == line || !is_of_name((unsigned char)at[-1])) &&
            !is_of_name((unsigned char)at[length]))
            return 1;
    return 0;
}

static void take_statement(statement *s, const char *line)
{
    line += strspn(line, " \t");
    const bool is_law = !strncmp(line, "compute ", 8),
               is_loop = !strncmp(line, "for ", 4) || !strncmp(line, "repeat ", 7);
    for (size_t k = 0; k < s->n_names && (is_law || is_loop); k++)
        if (contains(line, s->names[k].text)) {
            s->names[k].is_in_law |= is_law;
            s->names[k].is_iterations |= is_loop;
        }
}

static tl_status read_file(statement *s, const char *path, tl_error *err)
{
    static const char left_out[] = "# fitted without capture ";
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t room = 0;
    if (!file)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s", tl_printable(path),
                       strerror(errno));
    while (getline(&line, &room, file) > 0)
        if (!strncmp(line, left_out, strlen(left_out)))
            take_capture(s, line + strlen(left_out));
        else
            take_statement(s, line);
    const int failed = ferror(file) ? errno : 0;
    free(line);
    fclose(file);
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s", tl_printable(path),
                            strerror(failed))
                  : TL_OK;
}

/* ---- distances ---- */

typedef struct range {
    int64_t least, most;
} range;

/* Of a name in all captures but one. */
static range range_of(const statement *s, size_t k, size_t left_out)
{
    range r = {INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < s->n; i++)
        if (i != left_out) {
            const int64_t value = s->captures[i].values[k];
            r.least = value < r.least ? value : r.least;
            r.most = value > r.most ? value : r.most;
        }
    return r;
}

/* Whether computation may depend on it otherwise than by the number of its bursts. */
static int counts(const statement *s, size_t k)
{
    return !k || s->names[k].is_in_law || !s->names[k].is_iterations;
}

/* How far a value is beyond the others; 0 also if it has no logarithm. */
static double beyond(range others, int64_t value)
{
    if (value > others.most && others.most > 0)
        return log((double)value / (double)others.most);
    if (value < others.least && value > 0)
        return log((double)others.least / (double)value);
    return 0;
}

/* Of the capture left out from the others; left_out = s->n: of the prediction. */
static double distance_of(const statement *s, size_t left_out)
{
    double sum = 0;
    for (size_t k = 0; k < s->n_names; k++) {
        const int64_t value =
            left_out < s->n ? s->captures[left_out].values[k] : s->names[k].wanted;
        const double d = counts(s, k) ? beyond(range_of(s, k, left_out), value) : 0;
        sum += d * d;
    }
    return sqrt(sum);
}

/* ---- what follows ---- */

/* Parameters whose effect no capture shows: one value in all of them, or no logarithm. */
static void find_unknown(statement *s)
{
    size_t used = 0;
    char *text = s->out->unknown;
    for (size_t k = 0; k < s->n_names && used < sizeof s->out->unknown; k++) {
        const range r = range_of(s, k, s->n);
        const int64_t wanted = s->names[k].wanted;
        const bool is_inside = wanted >= r.least && wanted <= r.most;
        if (is_inside || !counts(s, k) || (r.least != r.most && beyond(r, wanted) > 0))
            continue;
        used += (size_t)snprintf(
            text + used, sizeof s->out->unknown - used,
            r.least == r.most ? "%s%s=%" PRId64 " (%" PRId64 " in all captures)"
                              : "%s%s=%" PRId64 " (%" PRId64 " to %" PRId64 " in the captures)",
            used ? ", " : "", s->names[k].text, wanted, r.least, r.most);
    }
}

/* Nearer to the prediction than the captures, but not much larger than they are. */
static int64_t next_value(range r, int64_t wanted)
{
    if (wanted > r.most && r.most > 0 && wanted / NEXT_STEP >= r.most)
        return r.most * NEXT_STEP;
    if (wanted < r.least && wanted > 0 && r.least / NEXT_STEP >= wanted)
        return r.least / NEXT_STEP;
    return wanted;
}

static bool is_captured(const statement *s)
{
    for (size_t i = 0; i < s->n; i++) {
        size_t n_equal = 0;
        for (size_t k = 0; k < s->n_names; k++)
            n_equal += s->captures[i].values[k] == s->names[k].wanted;
        if (n_equal == s->n_names)
            return 1;
    }
    return 0;
}

static void write_next(statement *s)
{
    size_t used = 0;
    char *text = s->out->record;
    for (size_t k = 0; k < s->n_names && used < sizeof s->out->record; k++) {
        const int64_t value = next_value(range_of(s, k, s->n), s->names[k].wanted);
        if (k)
            used += (size_t)snprintf(text + used, sizeof s->out->record - used,
                                     " --parameter %s=%" PRId64, s->names[k].text, value);
        else
            used += (size_t)snprintf(text, sizeof s->out->record, "-n %" PRId64, value);
    }
}

static double quantile(size_t n)
{
    return gsl_cdf_tdist_Pinv(0.95, (double)n);
}

static void find_uncertainty(statement *s)
{
    tlr_extrapolation *out = s->out;
    double sum = 0, slopes = 0;
    size_t m = 0;
    out->distance = distance_of(s, s->n);
    for (size_t i = 0; i < s->n; i++) {
        const double e = s->captures[i].error, d = distance_of(s, i), error = expm1(e);
        out->tried = fmax(out->tried, d);
        if (!s->captures[i].has_error)
            continue;
        out->least_error = out->n_errors ? fmin(out->least_error, error) : error;
        out->most_error = out->n_errors ? fmax(out->most_error, error) : error;
        out->n_errors++;
        sum += e * e;
        if (d > 0) {
            m++;
            slopes += e / d * (e / d);
        }
    }
    if (!out->n_errors || (out->distance > 0 && !m))
        return;
    out->uncertainty = quantile(out->n_errors) * sqrt(sum / (double)out->n_errors);
    if (m)
        out->uncertainty =
            fmax(out->uncertainty, quantile(m) * sqrt(slopes / (double)m) * out->distance);
}

/* Where the parameters begin in "skel:FILE,ranks=64,N=1000"; FILE may have commas. */
static const char *parameters_of(const char *program)
{
    const char *found = NULL;
    for (const char *at = program; (at = strstr(at, ",ranks=")); at++)
        found = at;
    return found;
}

tl_status tlr_extrapolation_find(const char *program, tlr_extrapolation *out, tl_error *err)
{
    const char *parameters = parameters_of(program), *colon = strchr(program, ':');
    *out = (tlr_extrapolation){.uncertainty = -1};
    if (!parameters || !colon || colon > parameters)
        return tl_fail(err, TL_ERR_INPUT, "%s: is not an opened skeleton", tl_printable(program));
    statement *s = calloc(1, sizeof *s);
    char *path = strndup(colon + 1, (size_t)(parameters - colon - 1));
    tl_status status = s && path ? TL_OK : tl_no_memory(err, "the command");
    if (status == TL_OK) {
        s->out = out;
        status = read_file(s, path, err);
    }
    if (status == TL_OK && s->n) {
        for (size_t k = 0; k < s->n_names; k++)
            find_value(parameters + 1, s->names[k].text, &s->names[k].wanted);
        find_unknown(s);
        write_next(s);
        out->is_captured = is_captured(s);
        find_uncertainty(s);
    }
    free(path);
    free(s);
    return status;
}
