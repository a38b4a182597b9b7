/* memory_fit.c - measurements of busy cores: their medians, and CSV. */
#include "config.h"

#include "memory.h"

#include "core/room.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* A repetition counts if no core lost more of its time; a machine is quiet if nobody else took more
 * of the time of all cores. */
#define MOST_LOST 0.05
#define MOST_OTHER 0.05
enum { LEAST_REPETITIONS = 3 };

static const char *const names[TLP_N_LOOPS] = {"arithmetic", "triad", "chase", "region",
                                               "shared-region"},
                         *const units[TLP_N_LOOPS] = {"operations/s", "bytes/s", "s", "s", "s"};

tl_status tlp_memory_add(tlp_memory_result *result, const tlp_memory_sample *sample)
{
    if (!tl_make_room(&result->samples, result->n, &result->room, sizeof *result->samples))
        return TL_ERR_MEMORY;
    result->samples[result->n++] = *sample;
    return TL_OK;
}

static bool is_of(const tlp_memory_sample *s, tlp_loop loop, unsigned cores, size_t bytes)
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
    if (n >= LEAST_REPETITIONS)
        median = tlp_median(values, n);
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

static size_t list_notes(void *all, tlp_note notes[TLP_MOST_NOTES])
{
    tlp_memory_result *r = all;
    const tlp_note list[] = {{"seed", 'l', &r->seed, 0},
                             {"processor", 's', r->processor, sizeof r->processor},
                             {"nodes", 's', r->nodes, sizeof r->nodes},
                             {"runtime", 's', r->runtime, sizeof r->runtime},
                             {"caches", 's', r->caches_from, sizeof r->caches_from},
                             {"cores", 'u', &r->n_cores, 0},
                             {"moment", 'w', r->moment, sizeof r->moment},
                             {"other", 'd', &r->other, 0},
                             {"stolen", 'd', &r->stolen, 0}};
    memcpy(notes, list, sizeof list);
    return sizeof list / sizeof *list;
}

static void write_caches(const void *all, FILE *out)
{
    const tlp_memory_result *result = all;
    for (size_t i = 0; i < result->n_caches; i++)
        fprintf(out, "# cache %u %zu %u\n", result->caches[i].level, result->caches[i].bytes,
                result->caches[i].cores);
}

static tl_status take_cache(void *all, const char *line, tl_error *err)
{
    (void)err;
    tlp_memory_result *result = all;
    static const char name[] = "# cache ";
    if (strncmp(line, name, sizeof name - 1) != 0 || result->n_caches == TLP_MAX_CACHES)
        return TL_OK;
    char *rest;
    tlp_cache *cache = &result->caches[result->n_caches];
    cache->level = (unsigned)strtoul(line + sizeof name - 1, &rest, 10);
    cache->bytes = strtoul(rest, &rest, 10);
    cache->cores = (unsigned)strtoul(rest, &rest, 10);
    result->n_caches += cache->cores && cache->bytes;
    return TL_OK;
}

static void write_rows(const void *all, FILE *out)
{
    const tlp_memory_result *result = all;
    for (size_t i = 0; i < result->n; i++) {
        const tlp_memory_sample *s = &result->samples[i];
        fprintf(out, "%s,%u,%zu,%.9g,%.4f\n", names[s->loop], s->cores, s->bytes, s->value,
                s->lost);
    }
}

static tl_status take_row(void *all, char **cells)
{
    double cores, bytes;
    tlp_memory_sample s = {.loop = TLP_ARITHMETIC};
    while (s.loop < TLP_N_LOOPS && strcmp(names[s.loop], cells[0]) != 0)
        s.loop++;
    if (s.loop == TLP_N_LOOPS || !tlp_cell_number(cells[1], 1, UINT_MAX, &cores) ||
        !tlp_cell_number(cells[2], 0, 0x1p52, &bytes) ||
        !tlp_cell_number(cells[3], DBL_MIN, DBL_MAX, &s.value) ||
        !tlp_cell_number(cells[4], -DBL_MAX, 1, &s.lost))
        return TL_ERR_INPUT;
    s.cores = (unsigned)cores;
    s.bytes = (size_t)bytes;
    return tlp_memory_add(all, &s);
}

static const char *finish(void *all)
{
    const tlp_memory_result *result = all;
    return result->n && result->n_cores ? NULL
                                        : "has no measurements of cores; give an archive of "
                                          "'timeless calibrate memory'";
}

const tlp_raw tlp_raw_memory = {.bytes = sizeof(tlp_memory_result),
                                .entry = "raw/memory.csv",
                                .header = "loop,cores,bytes,value,lost",
                                .behind_notes = "\n",
                                .notes = list_notes,
                                .write_more = write_caches,
                                .write_rows = write_rows,
                                .take_line = take_cache,
                                .take_row = take_row,
                                .finish = finish,
                                .free = tlp_memory_free};

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
        snprintf(name, sizeof name, "%s, %u cores, %zu bytes", names[s->loop], s->cores, s->bytes);
        tlp_repetitions *repetitions = tlp_begin_repetitions(list, name, units[s->loop]);
        if (!repetitions)
            return TL_ERR_MEMORY;
        for (; i < result->n; i++)
            if (is_of(&result->samples[i], s->loop, s->cores, s->bytes) &&
                tlp_add_repetition(repetitions, 0, result->samples[i].value) != TL_OK)
                return TL_ERR_MEMORY;
    }
    return TL_OK;
}
