/* simgrid_options.c - which options there are, and which have an effect on a prediction. */
#include "config.h"

#include "machine/simgrid_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum kind { BOOL, NUMBER, WHOLE, TEXT } kind;
typedef enum effect { NONE, APPLIED, FIXED, NETWORK, CHOICE } effect;

typedef struct row {
    const char *name;
    kind kind;
    effect smpi, loggops;
    const char *others;
} row;

static const row rows[] = {
#define TLR_OPTION(name, kind, smpi, loggops, others) {name, kind, smpi, loggops, others},
#include "machine/simgrid_options.def"
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static bool is_of(const row *r, const char *key, size_t length)
{
    const size_t own = strlen(r->name);
    return r->name[own - 1] == '/' ? length > own && !strncmp(key, r->name, own)
                                   : length == own && !strncmp(key, r->name, own);
}

/* Whether the words have the key, behind a sign unless that is 0. */
static bool is_in(const char *words, char sign, const char *key, size_t length)
{
    for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ') {
        const char *word = sign ? at + 1 : at;
        if ((!sign || *at == sign) && strcspn(word, " ") == length && !strncmp(word, key, length))
            return 1;
    }
    return 0;
}

static bool has_other(const row *r, char sign, const char *key, size_t length)
{
    return is_in(r->others, sign, key, length);
}

static const row *find_row(const char *option)
{
    const size_t length = strcspn(option, ":");
    for (size_t i = 0; i < N_ROWS; i++)
        if (is_of(&rows[i], option, length) || has_other(&rows[i], '+', option, length))
            return &rows[i];
    return NULL;
}

/* How many characters change from one name into the other. */
static size_t distance(const char *a, size_t length, const char *b)
{
    enum { MOST = 64 };
    const size_t other = strlen(b);
    size_t costs[MOST + 1];
    if (length > MOST || other > MOST)
        return MOST;
    for (size_t j = 0; j <= other; j++)
        costs[j] = j;
    for (size_t i = 1; i <= length; i++) {
        size_t before = costs[0]++;
        for (size_t j = 1; j <= other; j++) {
            const size_t changed = before + (a[i - 1] != b[j - 1]);
            before = costs[j];
            costs[j] = 1 + (costs[j] < costs[j - 1] ? costs[j] : costs[j - 1]);
            if (changed < costs[j])
                costs[j] = changed;
        }
    }
    return costs[other];
}

/* The name that is meant: a key without "smpi/" may lack it. NULL: none is near. */
static const char *nearest(const char *key, size_t length)
{
    const char *found = NULL;
    const char *last = memrchr(key, '/', length);
    size_t least = (last ? length - (size_t)(last + 1 - key) : length) / 2 + 1;
    for (size_t i = 0; i < N_ROWS; i++) {
        const char *slash = strchr(rows[i].name, '/');
        size_t d = distance(key, length, rows[i].name);
        if (has_other(&rows[i], '-', key, length))
            return rows[i].name;
        if (slash && !memchr(key, '/', length) && distance(key, length, slash + 1) < d)
            d = distance(key, length, slash + 1);
        if (d < least) {
            least = d;
            found = rows[i].name;
        }
    }
    return found;
}

static const char *const nos[] = {"no", "off", "false", "0"};
static const char *const yesses[] = {"yes", "on", "true", "1"};
enum { N_WORDS = sizeof nos / sizeof *nos };

bool tlr_option_is_no(const char *value)
{
    for (size_t i = 0; value && i < N_WORDS; i++)
        if (!strcmp(value, nos[i]))
            return 1;
    return 0;
}

static bool is_yes_or_no(const char *value)
{
    for (size_t i = 0; i < N_WORDS; i++)
        if (!strcmp(value, yesses[i]))
            return 1;
    return tlr_option_is_no(value);
}

/* NULL: the value is of that kind. Otherwise what it has to be. */
static const char *lacks(kind of, const char *value)
{
    char *end = NULL;
    if (of == BOOL)
        return is_yes_or_no(value) ? NULL : "yes or no";
    if (of == TEXT)
        return NULL;
    if (of == WHOLE)
        (void)strtoll(value, &end, 0);
    else
        (void)strtod(value, &end);
    return end != value && !*end ? NULL : of == WHOLE ? "a whole number" : "a number";
}

/* Where option i stands, of the platform's and those of the command line. */
static const char *option_at(const tlr_platform *platform, const tlr_options *options, size_t i)
{
    const size_t n = platform ? platform->n_options : 0;
    return i < n ? platform->options[i] : options->cfg[i - n];
}

static size_t n_options(const tlr_platform *platform, const tlr_options *options)
{
    return (platform ? platform->n_options : 0) + (options ? options->n_cfg : 0);
}

const char *tlr_option_value(const tlr_platform *platform, const tlr_options *options,
                             const char *name)
{
    for (size_t i = n_options(platform, options); i-- > 0;) {
        const char *option = option_at(platform, options, i);
        const row *r = find_row(option);
        if (r && !strcmp(r->name, name) && strchr(option, ':'))
            return strchr(option, ':') + 1;
    }
    return NULL;
}

const char *tlr_option_renamed(const char *option)
{
    const row *r = find_row(option);
    return r && has_other(r, '+', option, strcspn(option, ":")) ? r->name : NULL;
}

bool tlr_option_is_choice(const char *option)
{
    const row *r = find_row(option);
    return r && r->loggops == CHOICE;
}

bool tlr_option_is_idle(const char *option)
{
    const row *r = find_row(option);
    return r && r->smpi == NONE;
}

/* `r`: the option that has a wrong value; NULL: there is none of this name. */
static tl_status refuse(const tlr_platform *platform, size_t i, const char *option, const row *r,
                        tl_error *err)
{
    const size_t length = strcspn(option, ":");
    const bool is_own = !platform || i >= platform->n_options;
    const char *folder = is_own ? "" : platform->folder, *where = is_own ? "--cfg "
                                                                  : i < platform->n_settings
                                                                      ? ": <config>: "
                                                                      : ": options.conf: ";
    if (r)
        return tl_fail(err, TL_ERR_INPUT, "%s%s%.200s: the value is not %s; correct it", folder,
                       where, option, lacks(r->kind, option[length] ? option + length + 1 : ""));
    const char *meant = nearest(option, length);
    return tl_fail(err, TL_ERR_INPUT, "%s%s%.200s: there is no such option; %s%s", folder, where,
                   option, meant ? "the nearest one is " : "remove it", meant ? meant : "");
}

double tlr_option_number(const tlr_platform *platform, const tlr_options *options, const char *name,
                         double other)
{
    const char *value = tlr_option_value(platform, options, name);
    return value ? strtod(value, NULL) : other;
}

/* Whether option i has an effect on predictions of the engine. */
static bool has_effect(const tlr_platform *platform, const tlr_options *options, const char *engine,
                       size_t i, const row *r)
{
    const effect e = strcmp(engine, "loggops") != 0 ? r->smpi : r->loggops;
    if (e == FIXED) /* the second stands under smpirun's own option */
        return !platform || i >= platform->n_settings;
    if (!strcmp(r->name, "smpi/async-small-thresh") && e == NETWORK &&
        tlr_option_number(platform, options, r->name, 0) <
            tlr_option_number(platform, options, "smpi/send-is-detached-thresh", 65536))
        return 0; /* what is sent at once arrives without waiting for its receive */
    /* With --params, nothing of the network follows from options. */
    return e == NETWORK ? platform && !options->loggops_params : e != NONE;
}

tl_status tlr_options_check(const tlr_platform *platform, const tlr_options *options,
                            const char *engine, char **idle, tl_error *err)
{
    const size_t n = n_options(platform, options);
    size_t size = 1;
    for (size_t i = 0; i < n; i++) {
        const char *option = option_at(platform, options, i), *value = strchr(option, ':');
        const row *r = find_row(option);
        if (!r || lacks(r->kind, value ? value + 1 : ""))
            return refuse(platform, i, option, r, err);
        size += strlen(option) + 1;
    }
    const double eager = tlr_option_number(platform, options, "smpi/async-small-thresh", 0),
                 detached =
                     tlr_option_number(platform, options, "smpi/send-is-detached-thresh", 65536);
    if (eager > detached)
        return tl_fail(
            err, TL_ERR_INPUT,
            "%s: smpi/async-small-thresh:%.0f is more than "
            "smpi/send-is-detached-thresh:%.0f, so some messages would leave at once and "
            "their sends would wait; correct one of them",
            platform ? platform->folder : "--cfg", eager, detached);
    if (!engine)
        return TL_OK;
    char *end = *idle = calloc(size, 1);
    if (!end)
        return tl_no_memory(err, "options");
    for (size_t i = 0; i < n; i++) {
        const char *option = option_at(platform, options, i);
        const row *r = find_row(option);
        const size_t length = strcspn(option, ":");
        if (!has_effect(platform, options, engine, i, r) && !is_in(*idle, 0, option, length))
            end += sprintf(end, "%s%.*s", end == *idle ? "" : " ", (int)length, option);
    }
    return TL_OK;
}
