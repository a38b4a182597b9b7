/* memory_fit.c - measurements of busy cores: their medians, and CSV. */
#include "config.h"

#include "archive.h"
#include "memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A repetition counts if no core lost more of its time; a machine is quiet if nobody else took more
 * of the time of all cores. */
#define MOST_LOST 0.05
#define MOST_OTHER 0.05
enum { LEAST_REPETITIONS = 3 };
#define HEADER "loop,cores,bytes,value,lost"

static const char *const names[TLP_N_LOOPS] = {"arithmetic", "triad", "chase", "region",
                                               "shared-region"};

const char *tlp_loop_name(tlp_loop loop)
{
    return names[loop];
}

tl_status tlp_memory_add(tlp_memory_result *result, const tlp_memory_sample *sample)
{
    if (result->n == result->room) {
        const size_t room = 2 * result->room + 256;
        tlp_memory_sample *more = realloc(result->samples, room * sizeof *more);
        if (!more)
            return TL_ERR_MEMORY;
        result->samples = more;
        result->room = room;
    }
    result->samples[result->n++] = *sample;
    return TL_OK;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int is_of(const tlp_memory_sample *s, tlp_loop loop, unsigned cores, size_t bytes)
{
    return s->loop == loop && s->cores == cores && s->bytes == bytes;
}

double tlp_memory_median(const tlp_memory_result *result, tlp_loop loop, unsigned cores,
                         size_t bytes, int all)
{
    double *values = malloc((result->n + 1) * sizeof *values), median = -1;
    size_t n = 0;
    for (size_t i = 0; values && i < result->n; i++)
        if (is_of(&result->samples[i], loop, cores, bytes) &&
            (all || result->samples[i].lost <= MOST_LOST))
            values[n++] = result->samples[i].value;
    if (n >= LEAST_REPETITIONS) {
        qsort(values, n, sizeof *values, compare);
        median = (values[(n - 1) / 2] + values[n / 2]) / 2;
    }
    free(values);
    return median;
}

tl_status tlp_memory_check(const tlp_memory_result *result, tl_error *err)
{
    size_t n_lost = 0;
    int too_few = 0;
    for (size_t i = 0; i < result->n; i++) {
        const tlp_memory_sample *s = &result->samples[i];
        n_lost += s->lost > MOST_LOST;
        too_few |=
            s->lost > MOST_LOST && tlp_memory_median(result, s->loop, s->cores, s->bytes, 0) < 0;
    }
    if (result->stolen <= MOST_OTHER && result->other <= MOST_OTHER && !too_few)
        return TL_OK;
    return tl_fail(
        err, TL_ERR_SYSTEM,
        "the machine was busy: other programs took %.0f%% of the time of all cores, other "
        "machines %.0f%%, and a core was interrupted in %zu of %zu repetitions; stop "
        "other programs, or give --allow-busy for a rough result",
        100 * result->other, 100 * result->stolen, n_lost, result->n);
}

/* ---- CSV ---- */

tl_status tlp_memory_write_raw(const tlp_memory_result *result, FILE *out, tl_error *err)
{
    fprintf(out, "# seed %lu\n# processor %s\n# nodes %s\n# runtime %s\n# caches %s\n# cores %u\n",
            result->seed, result->processor, result->nodes, result->runtime, result->caches_from,
            result->n_cores);
    if (*result->moment)
        fprintf(out, "# moment %s\n", result->moment);
    fprintf(out, "# other %.17g\n# stolen %.17g\n", result->other, result->stolen);
    for (size_t i = 0; i < result->n_caches; i++)
        fprintf(out, "# cache %u %zu %u\n", result->caches[i].level, result->caches[i].bytes,
                result->caches[i].cores);
    fputs(HEADER "\n", out);
    for (size_t i = 0; i < result->n; i++) {
        const tlp_memory_sample *s = &result->samples[i];
        fprintf(out, "%s,%u,%zu,%.9g,%.4f\n", tlp_loop_name(s->loop), s->cores, s->bytes, s->value,
                s->lost);
    }
    if (fflush(out) == 0 && !ferror(out))
        return TL_OK;
    return tl_fail(err, TL_ERR_SYSTEM, "the measurements cannot be written: %s; check the disk",
                   strerror(errno));
}

/* What follows the name of a line "# name value"; NULL if it is another line. */
static const char *value_of(const char *text, const char *name)
{
    const size_t n = strlen(name);
    return !strncmp(text, "# ", 2) && !strncmp(text + 2, name, n) && text[2 + n] == ' '
               ? text + 3 + n
               : NULL;
}

static void read_head(const char *text, tlp_memory_result *result)
{
    const char *value;
    if ((value = value_of(text, "seed")))
        result->seed = strtoul(value, NULL, 10);
    if ((value = value_of(text, "moment")))
        snprintf(result->moment, sizeof result->moment, "%s", value);
    if ((value = value_of(text, "processor")))
        snprintf(result->processor, sizeof result->processor, "%s", value);
    if ((value = value_of(text, "nodes")))
        snprintf(result->nodes, sizeof result->nodes, "%s", value);
    if ((value = value_of(text, "runtime")))
        snprintf(result->runtime, sizeof result->runtime, "%s", value);
    if ((value = value_of(text, "caches")))
        snprintf(result->caches_from, sizeof result->caches_from, "%s", value);
    if ((value = value_of(text, "cores")))
        result->n_cores = (unsigned)strtoul(value, NULL, 10);
    if ((value = value_of(text, "other")))
        result->other = strtod(value, NULL);
    if ((value = value_of(text, "stolen")))
        result->stolen = strtod(value, NULL);
    if ((value = value_of(text, "cache")) && result->n_caches < TLP_MAX_CACHES) {
        char *rest;
        tlp_cache *cache = &result->caches[result->n_caches++];
        cache->level = (unsigned)strtoul(value, &rest, 10);
        cache->bytes = strtoul(rest, &rest, 10);
        cache->cores = (unsigned)strtoul(rest, &rest, 10);
        if (!cache->cores || !cache->bytes)
            result->n_caches--;
    }
}

static int parse_line(char *text, tlp_memory_sample *out)
{
    char *rest = text, *end;
    const char *name = strsep(&rest, ",");
    *out = (tlp_memory_sample){.loop = TLP_N_LOOPS};
    for (int i = 0; i < TLP_N_LOOPS; i++)
        if (!strcmp(names[i], name))
            out->loop = (tlp_loop)i;
    if (out->loop == TLP_N_LOOPS || !rest)
        return 0;
    out->cores = (unsigned)strtoul(rest, &end, 10);
    if (*end != ',')
        return 0;
    out->bytes = strtoul(end + 1, &end, 10);
    if (*end != ',')
        return 0;
    out->value = strtod(end + 1, &end);
    if (*end != ',')
        return 0;
    out->lost = strtod(end + 1, &end);
    return !*end && out->cores && out->value > 0 && out->lost <= 1;
}

tl_status tlp_memory_read_raw(const char *path, tlp_memory_result **out, tl_error *err)
{
    char text[256];
    FILE *in = NULL;
    tlp_memory_result *result = calloc(1, sizeof *result);
    tl_status status = result ? tlp_open_raw(path, TLP_RAW_MEMORY, &in, err)
                              : tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    for (unsigned line = 1; status == TL_OK && fgets(text, sizeof text, in); line++) {
        tlp_memory_sample sample;
        text[strcspn(text, "\r\n")] = '\0';
        read_head(text, result);
        if (*text == '#' || !*text || !strcmp(text, HEADER))
            continue;
        if (!parse_line(text, &sample))
            status = tl_fail(err, TL_ERR_INPUT, "%s:%u: not a line of " HEADER "; correct it", path,
                             line);
        else if (tlp_memory_add(result, &sample) != TL_OK)
            status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    }
    if (in)
        fclose(in);
    if (status == TL_OK && (!result->n || !result->n_cores))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: has no measurements of cores; give an archive of 'timeless calibrate "
                         "memory'",
                         path);
    if (status == TL_OK)
        *out = result;
    else
        tlp_memory_free(result);
    return status;
}

static const char *unit_of(tlp_loop loop)
{
    return loop == TLP_TRIAD ? "bytes/s" : loop == TLP_ARITHMETIC ? "operations/s" : "s";
}

tl_status tlp_memory_repetitions(const tlp_memory_result *result, tlp_repetition_list *list)
{
    for (size_t first = 0; first < result->n; first++) {
        const tlp_memory_sample *s = &result->samples[first];
        char name[96];
        size_t i = 0;
        while (!is_of(&result->samples[i], s->loop, s->cores, s->bytes))
            i++;
        if (i < first) /* it is in the list */
            continue;
        snprintf(name, sizeof name, "%s, %u cores, %zu bytes", tlp_loop_name(s->loop), s->cores,
                 s->bytes);
        tlp_repetitions *repetitions = tlp_begin_repetitions(list, name, unit_of(s->loop));
        if (!repetitions)
            return TL_ERR_MEMORY;
        for (; i < result->n; i++)
            if (is_of(&result->samples[i], s->loop, s->cores, s->bytes) &&
                tlp_add_repetition(repetitions, 0, result->samples[i].value) != TL_OK)
                return TL_ERR_MEMORY;
    }
    return TL_OK;
}
