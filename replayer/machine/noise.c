/* noise.c - detours of the operating system, which delay a rank's CPU.
 *
 * Hoefler, Schneider, Lumsdaine, "Characterizing the Influence of System Noise on Large-Scale
 * Applications by Simulation", SC10. Detours are measured or regular, and repeat with a period.
 * They begin at a different moment on each rank, unless they are co-scheduled. */
#include "config.h"

#include "noise.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <unistd.h>

#include "draw.h"
#include "duration.h"
#include "installed.h"
#include "text_file.h"

/* ---- delays ---- */

/* A number for each rank and seed, which is the same on every machine. */
static uint64_t draw(uint64_t seed, uint32_t rank)
{
    return tl_draw(rank * UINT64_C(0xd1342543de82ef95), seed);
}

static uint64_t offset_of(const tlr_noise *noise, uint32_t rank)
{
    const uint64_t at = draw(noise->seed, noise->is_coscheduled ? 0 : rank);
    return (uint64_t)(((unsigned __int128)at * noise->period_ps) >> 64);
}

/* The number of detours that begin before the program has had free_ps of a period. */
static size_t detours_within(const tlr_noise *noise, uint64_t free_ps)
{
    size_t low = 0, high = noise->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (noise->detours[middle].free_before_ps < free_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint64_t taken_by(const tlr_noise *noise, size_t n_detours)
{
    return n_detours == noise->n ? noise->total_ps : noise->detours[n_detours].taken_before_ps;
}

/* How much of the first at_ps of a period the program has. */
static uint64_t free_until(const tlr_noise *noise, uint64_t at_ps)
{
    size_t low = 0, high = noise->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (noise->detours[middle].start_ps <= at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low)
        return at_ps;
    const tlr_detour *last = &noise->detours[low - 1];
    const uint64_t end_ps = last->start_ps + last->duration_ps;
    return at_ps < end_ps ? last->free_before_ps : at_ps - taken_by(noise, low);
}

static int compare_rank(const void *key, const void *entry)
{
    const uint32_t rank = *(const uint32_t *)key;
    const tlr_rank_range *range = entry;
    return rank < range->first ? -1 : rank > range->last;
}

static bool has_noise(const tlr_noise *noise, uint32_t rank)
{
    return !noise->n_ranges ||
           bsearch(&rank, noise->ranges, noise->n_ranges, sizeof *noise->ranges, compare_rank);
}

uint64_t tlr_noise_end(const tlr_noise *noise, uint32_t rank, uint64_t start_ps, uint64_t busy_ps)
{
    if (!busy_ps || !has_noise(noise, rank))
        return start_ps + busy_ps;
    const uint64_t offset_ps = offset_of(noise, rank);
    const uint64_t free_ps = noise->period_ps - noise->total_ps;
    const uint64_t at_ps = (start_ps + offset_ps) % noise->period_ps;
    const uint64_t wanted_ps = free_until(noise, at_ps) + busy_ps;
    /* The rank leaves the last period only when this period is used up. */
    const uint64_t n_periods = (wanted_ps - 1) / free_ps, rest_ps = wanted_ps - n_periods * free_ps;
    const uint64_t end_ps =
        n_periods * noise->period_ps + rest_ps + taken_by(noise, detours_within(noise, rest_ps));
    return start_ps + (end_ps - at_ps);
}

/* ---- description ---- */

void tlr_noise_free(tlr_noise *noise)
{
    if (!noise)
        return;
    free(noise->detours);
    free(noise->ranges);
    free(noise);
}

static int add_detour(tlr_noise *noise, uint64_t start_ps, uint64_t duration_ps)
{
    tlr_detour *grown = realloc(noise->detours, (noise->n + 1) * sizeof *grown);
    if (!grown)
        return 0;
    noise->detours = grown;
    grown[noise->n++] =
        (tlr_detour){start_ps, duration_ps, start_ps - noise->total_ps, noise->total_ps};
    noise->total_ps += duration_ps;
    return 1;
}

/* "1000Hz:100us", "1kHz:100us" */
static tl_status read_regular(const char *text, tlr_noise *noise, tl_error *err)
{
    char frequency[64];
    double hertz = 0;
    const char *after = NULL, *colon = strchr(text, ':');
    snprintf(frequency, sizeof frequency, "%.*s", colon ? (int)(colon - text) : 0, text);
    const double duration_ps = colon && tl_quantity_parse(frequency, TL_FREQUENCY, &hertz)
                                   ? tlr_parse_ps(colon + 1, &after)
                                   : NAN;
    if (!(hertz > 0 && hertz < 1e12) || !(duration_ps >= 0) || (*after && *after != ','))
        return tl_fail(err, TL_ERR_USAGE,
                       "--noise '%s': give a frequency and a duration, 1000Hz:100us, or a file of "
                       "detours",
                       text);
    noise->period_ps = (uint64_t)llrint(1e12 / hertz);
    if (!add_detour(noise, 0, (uint64_t)llrint(duration_ps)))
        return tl_no_memory(err, "the command");
    return TL_OK;
}

/* One line of a profile: start and duration in nanoseconds. */
static tl_status read_line(const char *path, size_t number, const char *line, tlr_noise *noise,
                           tl_error *err)
{
    char *end;
    const double start_ns = strtod(line, &end);
    const bool has_start = end != line;
    const char *second = end;
    const double duration_ns = strtod(second, &end);
    const double last_end_ns = (double)noise->period_ps * 1e-3;
    if (!has_start || end == second || !(start_ns >= last_end_ns) || !(duration_ns >= 0) ||
        !(start_ns + duration_ns < 1e15))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s:%zu: not a detour's start and duration in nanoseconds, after the detour "
                       "before it",
                       path, number);
    if (!add_detour(noise, (uint64_t)llrint(start_ns * 1e3), (uint64_t)llrint(duration_ns * 1e3)))
        return tl_no_memory(err, "the command");
    noise->period_ps = (uint64_t)llrint((start_ns + duration_ns) * 1e3);
    return TL_OK;
}

/* Files of detours have names without a dot; the text and the script beside them have one. */
static bool is_noise_name(const char *name)
{
    return !strchr(name, '.');
}

void tlr_noise_find(const char *name, char *path, size_t size)
{
    char platforms[PATH_MAX];
    struct stat st;
    tlr_platforms_folder(platforms, sizeof platforms);
    const int length = snprintf(path, size, "%s/noise/%s", platforms, name);
    const int fits = length > 0 && (size_t)length < size;
    if (access(name, F_OK) == 0 || strchr(name, '/') || !is_noise_name(name) || !fits ||
        stat(path, &st) != 0 || !S_ISREG(st.st_mode))
        snprintf(path, size, "%s", name);
}

static int is_noise(const struct dirent *entry)
{
    return is_noise_name(entry->d_name);
}

static tl_status refuse_name(const char *name, tl_error *err)
{
    char platforms[PATH_MAX], folder[PATH_MAX + 8], names[200] = "";
    struct dirent **entries = NULL;
    if (!strcmp(name, TLR_NETWORK_NOISE))
        return tl_fail(err, TL_ERR_USAGE,
                       "--noise: no words come after 'network', which is for all messages; give "
                       "--noise network, or detours before it: 1kHz:100us,network");
    tlr_platforms_folder(platforms, sizeof platforms);
    snprintf(folder, sizeof folder, "%s/noise", platforms);
    const int n = scandir(folder, &entries, is_noise, alphasort);
    size_t used = 0;
    for (int i = 0; i < n; i++) {
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : " (",
                                     entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return tl_fail(err, TL_ERR_SYSTEM,
                   "--noise '%.60s': is no file, and no noise has this name in %.120s%s%s; give a "
                   "frequency and a duration, 1000Hz:100us, a file of detours, or such a name",
                   tl_printable(name), folder, names, used ? ")" : "");
}

static tl_status read_profile(const char *name, tlr_noise *noise, tl_error *err)
{
    char *text = NULL, path[2 * PATH_MAX];
    tlr_noise_find(name, path, sizeof path);
    if (access(path, F_OK) != 0)
        return refuse_name(name, err);
    tl_status status = tlr_read_text(path, &text, NULL, err);
    size_t number = 0;
    for (char *line, *rest = text; status == TL_OK && (line = tlr_next_line(&rest, &number));)
        status = read_line(path, number, line, noise, err);
    free(text);
    if (status == TL_OK && !noise->n)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: has no detour; write its start and its duration in nanoseconds", path);
    return status;
}

/* ---- options ---- */

/* "FIRST-LAST" or "RANK" */
static int read_ranks(const char *text, tlr_noise *noise)
{
    char *end;
    const unsigned long first = strtoul(text, &end, 10);
    unsigned long last = first;
    if (!isdigit((unsigned char)*text))
        return 0;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        last = strtoul(end + 1, &end, 10);
    if (*end || first > last || last > UINT32_MAX)
        return 0;
    tlr_rank_range *grown = realloc(noise->ranges, (noise->n_ranges + 1) * sizeof *grown);
    if (!grown)
        return 0;
    noise->ranges = grown;
    grown[noise->n_ranges++] = (tlr_rank_range){(uint32_t)first, (uint32_t)last};
    return 1;
}

static int read_option(const char *option, tlr_noise *noise)
{
    static const char *const kinds[] = {"application", "overheads", "reductions"};
    for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(option, kinds[i])) {
            noise->disturbs |= 1u << i;
            return 1;
        }
    if (!strcmp(option, TLR_NETWORK_NOISE))
        return 1;
    if (!strcmp(option, "coscheduled"))
        noise->is_coscheduled = 1;
    else if (!strcmp(option, "durations=exponential"))
        noise->has_random_durations = 1;
    else if (!strcmp(option, "intervals=exponential"))
        noise->has_random_intervals = 1;
    else
        return 0;
    return 1;
}

/* A part that begins with a digit continues the list of ranks before it. */
static tl_status read_options(const char *text, char *rest, tlr_noise *noise, tl_error *err)
{
    static const char ranks[] = "ranks=";
    const char *option;
    int in_ranks = 0;
    while ((option = strsep(&rest, ",")) != NULL) {
        const int begins = !strncmp(option, ranks, sizeof ranks - 1);
        in_ranks = begins || (in_ranks && isdigit((unsigned char)*option));
        if (in_ranks ? !read_ranks(begins ? option + sizeof ranks - 1 : option, noise)
                     : !read_option(option, noise))
            return tl_fail(err, TL_ERR_USAGE,
                           "--noise '%s': '%s' is unknown; there are: coscheduled, "
                           "ranks=0-3,8,12-15, application, overheads, reductions, "
                           "durations=exponential, intervals=exponential, network",
                           text, option);
    }
    return TL_OK;
}

bool tlr_noise_has_network(const char *text)
{
    static const char word[] = TLR_NETWORK_NOISE;
    const char *at = text;
    while ((at = strchr(at, ',')) != NULL)
        if (!strncmp(++at, word, sizeof word - 1) &&
            (!at[sizeof word - 1] || at[sizeof word - 1] == ','))
            return 1;
    return 0;
}

static int compare_ranges(const void *a, const void *b)
{
    const tlr_rank_range *x = a, *y = b;
    return x->first != y->first ? (x->first < y->first ? -1 : 1)
                                : (x->last > y->last) - (x->last < y->last);
}

/* Merges ranges that touch, so that each rank is in one range at most. */
static void sort_ranges(tlr_noise *noise)
{
    size_t n = 0;
    if (noise->n_ranges)
        qsort(noise->ranges, noise->n_ranges, sizeof *noise->ranges, compare_ranges);
    for (size_t i = 0; i < noise->n_ranges; i++) {
        const tlr_rank_range next = noise->ranges[i];
        if (!n || next.first > noise->ranges[n - 1].last)
            noise->ranges[n++] = next;
        else if (next.last > noise->ranges[n - 1].last)
            noise->ranges[n - 1].last = next.last;
    }
    noise->n_ranges = n;
}

/* An exponentially distributed number with this mean, independent of the numbers for the offsets.
 */
static uint64_t draw_time(uint64_t seed, uint32_t number, uint64_t mean_ps)
{
    const double uniform = (double)(draw(~seed, number) >> 11) * 0x1p-53;
    return (uint64_t)llrint(-log1p(-uniform) * (double)mean_ps);
}

/* Replaces the one detour of each period by many detours, which repeat after the last one. The time
 * between two detours and the duration of a detour are drawn independently. So no detours overlap,
 * and their share of the time is that of frequency and duration. */
static tl_status draw_detours(tlr_noise *noise, tl_error *err)
{
    /* Assumed: so many detours are few enough to be stored and many enough not to show that they
     * repeat. The numbers for the intervals begin behind those for the durations. */
    enum { N_DETOURS = 4096, FOR_INTERVALS = 1 << 16 };
    const uint64_t duration_ps = noise->total_ps, gap_ps = noise->period_ps - duration_ps;
    uint64_t at_ps = 0;
    noise->n = 0;
    noise->total_ps = 0;
    for (uint32_t i = 0; i < N_DETOURS; i++) {
        const uint64_t length_ps =
            noise->has_random_durations ? draw_time(noise->seed, i, duration_ps) : duration_ps;
        at_ps += noise->has_random_intervals ? draw_time(noise->seed, FOR_INTERVALS + i, gap_ps)
                                             : gap_ps;
        if (!add_detour(noise, at_ps, length_ps))
            return tl_no_memory(err, "the command");
        at_ps += length_ps;
    }
    noise->period_ps = at_ps;
    return TL_OK;
}

tl_status tlr_noise_read(const char *text, uint64_t seed, tlr_noise **out, tl_error *err)
{
    tlr_noise *noise = calloc(1, sizeof *noise);
    char *copy = strdup(text);
    if (!noise || !copy) {
        free(noise);
        free(copy);
        return tl_no_memory(err, "the command");
    }
    noise->seed = seed;
    char *rest = copy;
    const char *source = strsep(&rest, ",");
    const bool is_regular =
        isdigit((unsigned char)*source) && (strstr(source, "Hz:") || access(source, F_OK) != 0);
    tl_status status =
        is_regular ? read_regular(source, noise, err) : read_profile(source, noise, err);
    if (status == TL_OK)
        status = read_options(text, rest, noise, err);
    if (!noise->disturbs)
        noise->disturbs = TLR_WORK_ALL;
    sort_ranges(noise);
    const bool is_drawn = noise->has_random_durations || noise->has_random_intervals;
    if (status == TL_OK && is_drawn && !is_regular)
        status = tl_fail(
            err, TL_ERR_USAGE,
            "--noise '%s': the detours of a file are not drawn; leave out durations and intervals",
            text);
    if (status == TL_OK && noise->total_ps >= noise->period_ps)
        status = tl_fail(
            err, TL_ERR_INPUT,
            "--noise '%s': the detours leave no time for the program; give shorter or fewer ones",
            text);
    if (status == TL_OK && is_drawn)
        status = draw_detours(noise, err);
    free(copy);
    if (status == TL_OK)
        *out = noise;
    else
        tlr_noise_free(noise);
    return status;
}
