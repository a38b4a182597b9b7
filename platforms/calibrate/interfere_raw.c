/* interfere_raw.c - the measurements of interference as CSV. */
#include "config.h"

#include "archive.h"
#include "interfere.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const probes[] = {"hog", "timed", "pressed"};
enum { N_PROBES = sizeof probes / sizeof *probes, N_FIELDS = 9, LINE_BYTES = 4096 };
static const char header[] = "probe,hog,cores,repetition,from,to,seconds,work,stolen";

tl_status tlp_interfere_add(tlp_interfere_result *result, const tlp_interfere_sample *sample)
{
    if (result->n == result->room) {
        const size_t room = 2 * result->room + 256;
        tlp_interfere_sample *more = realloc(result->samples, room * sizeof *more);
        if (!more)
            return TL_ERR_MEMORY;
        result->samples = more;
        result->room = room;
    }
    tlp_interfere_sample *next = &result->samples[result->n];
    *next = *sample;
    next->from = strdup(sample->from);
    next->to = strdup(sample->to);
    if (!next->from || !next->to) {
        free(next->from);
        free(next->to);
        return TL_ERR_MEMORY;
    }
    result->n++;
    return TL_OK;
}

void tlp_interfere_free(tlp_interfere_result *result)
{
    if (!result)
        return;
    for (size_t i = 0; i < result->n; i++) {
        free(result->samples[i].from);
        free(result->samples[i].to);
    }
    free(result->samples);
    free(result);
}

/* Names of programs may contain anything; commas and quotes would end a field. */
static void put_field(FILE *out, const char *text)
{
    for (; *text; text++)
        fputc(*text == ',' || *text == '"' || (unsigned char)*text < ' ' ? '?' : *text, out);
}

tl_status tlp_interfere_write_raw(const tlp_interfere_result *r, FILE *out, tl_error *err)
{
    fprintf(out,
            "# seed %lu\n# processor %s\n# ranks %u\n# repetitions %u\n# cache_bytes %zu\n"
            "# memory_bytes %zu\n# other %.6g\n# stolen %.6g\n# program ",
            r->seed, r->processor, r->n_ranks, r->n_repetitions, r->cache_bytes, r->memory_bytes,
            r->other, r->stolen);
    put_field(out, r->program);
    fprintf(out, "\n%s\n", header);
    for (size_t i = 0; i < r->n; i++) {
        const tlp_interfere_sample *s = &r->samples[i];
        fprintf(out, "%s,%s,%u,%u,", probes[s->probe], tlp_hog_name(s->hog), s->cores,
                s->repetition);
        put_field(out, s->from);
        fputc(',', out);
        put_field(out, s->to);
        fprintf(out, ",%.9e,%.9g,%.4g\n", s->seconds, s->work, s->stolen);
    }
    return ferror(out) ? tl_fail(err, TL_ERR_SYSTEM, "the measurements cannot be written: %s",
                                 strerror(errno))
                       : TL_OK;
}

static void read_note(const char *line, tlp_interfere_result *r)
{
    char word[32];
    int at = 0;
    if (sscanf(line, "# %31s %n", word, &at) != 1 || !at)
        return;
    const char *value = line + at;
    if (!strcmp(word, "seed"))
        r->seed = strtoul(value, NULL, 10);
    else if (!strcmp(word, "ranks"))
        r->n_ranks = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(word, "repetitions"))
        r->n_repetitions = (unsigned)strtoul(value, NULL, 10);
    else if (!strcmp(word, "cache_bytes"))
        r->cache_bytes = strtoul(value, NULL, 10);
    else if (!strcmp(word, "memory_bytes"))
        r->memory_bytes = strtoul(value, NULL, 10);
    else if (!strcmp(word, "other"))
        r->other = strtod(value, NULL);
    else if (!strcmp(word, "stolen"))
        r->stolen = strtod(value, NULL);
    else if (!strcmp(word, "processor"))
        snprintf(r->processor, sizeof r->processor, "%.*s", (int)strcspn(value, "\n"), value);
    else if (!strcmp(word, "program"))
        snprintf(r->program, sizeof r->program, "%.*s", (int)strcspn(value, "\n"), value);
}

static int find(const char *word, const char *const *names, int n)
{
    for (int i = 0; i < n; i++)
        if (!strcmp(word, names[i]))
            return i;
    return -1;
}

/* A whole field that is a number of at least 0. */
static int read_number(const char *field, double most, double *out)
{
    char *rest;
    *out = strtod(field, &rest);
    return rest != field && !*rest && *out >= 0 && *out <= most;
}

static int read_sample(char *line, tlp_interfere_sample *s)
{
    char *fields[N_FIELDS];
    int n = 0;
    line[strcspn(line, "\n")] = '\0';
    for (char *rest = line; rest && n < N_FIELDS; n++) {
        fields[n] = rest;
        rest = strchr(rest, ',');
        if (rest)
            *rest++ = '\0';
        if (n + 1 == N_FIELDS && rest)
            return 0;
    }
    double cores = 0, repetition = 0;
    int hog = 0;
    if (n < N_FIELDS)
        return 0;
    const int probe = find(fields[0], probes, N_PROBES);
    while (hog <= TLP_N_HOGS && strcmp(fields[1], tlp_hog_name((tlp_hog)hog)) != 0)
        hog++;
    if (probe < 0 || hog > TLP_N_HOGS || !read_number(fields[2], 1e6, &cores) ||
        !read_number(fields[3], 1e6, &repetition) || !read_number(fields[6], 1e9, &s->seconds) ||
        !read_number(fields[7], 1e15, &s->work) || !read_number(fields[8], 1, &s->stolen))
        return 0;
    s->probe = (tlp_probe)probe;
    s->hog = (tlp_hog)hog;
    s->cores = (unsigned)cores;
    s->repetition = (unsigned)repetition;
    s->from = fields[4];
    s->to = fields[5];
    return (s->hog == TLP_NO_HOG) == (s->cores == 0);
}

static tl_status read_lines(const char *path, FILE *in, tlp_interfere_result *r, tl_error *err)
{
    char line[LINE_BYTES];
    for (unsigned number = 1; fgets(line, sizeof line, in); number++) {
        tlp_interfere_sample s = {0};
        if (*line == '#')
            read_note(line, r);
        else if (strncmp(line, header, sizeof header - 1) != 0) {
            if (!read_sample(line, &s))
                return tl_fail(err, TL_ERR_INPUT,
                               "%s:%u: is no measurement of interference; a line has the form '%s'",
                               path, number, header);
            if (tlp_interfere_add(r, &s) != TL_OK)
                return tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
        }
    }
    return TL_OK;
}

tl_status tlp_interfere_read_raw(const char *path, tlp_interfere_result **out, tl_error *err)
{
    FILE *in = NULL;
    tl_status status = tlp_open_raw(path, TLP_RAW_INTERFERE, &in, err);
    if (status != TL_OK)
        return status;
    tlp_interfere_result *r = calloc(1, sizeof *r);
    status = r ? read_lines(path, in, r, err) : tl_fail(err, TL_ERR_MEMORY, "out of memory");
    fclose(in);
    if (status == TL_OK)
        *out = r;
    else
        tlp_interfere_free(r);
    return status;
}
