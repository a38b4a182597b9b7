/* instances.c - SimGrid's description of several instances (its example replay_multiple): a line
 * for each, "ID TRACE RANKS [DELAY]". Each rank computes DELAY flops on its host before it begins.
 */
#include "config.h"

#include "instances.h"

#include "machine/cluster.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ID, TRACE, RANKS, DELAY, N_WORDS };

/* Splits a line; returns the number of its words, N_WORDS + 1 if there are more. */
static int split(char *line, char *words[N_WORDS])
{
    int n = 0;
    char *rest;
    line[strcspn(line, "#")] = '\0';
    for (char *w = strtok_r(line, " \t\r\n", &rest); w; w = strtok_r(NULL, " \t\r\n", &rest)) {
        if (n == N_WORDS)
            return N_WORDS + 1;
        words[n++] = w;
    }
    return n;
}

/* The trace in the folder of the description if it is there, and not where it is named. */
static char *find_trace(const char *description, const char *name)
{
    char *path = NULL;
    const char *slash = strrchr(description, '/');
    if (access(name, R_OK) == 0 || !slash || name[0] == '/' ||
        asprintf(&path, "%.*s/%s", (int)(slash - description), description, name) < 0)
        return strdup(name);
    if (access(path, R_OK) == 0)
        return path;
    free(path);
    return strdup(name);
}

static int is_count(const char *word, unsigned long *out)
{
    char *end;
    errno = 0;
    *out = strtoul(word, &end, 10);
    return isdigit((unsigned char)*word) && !*end && !errno && *out > 0 && *out <= UINT32_MAX;
}

/* Reads a line of a description. 0: it is none. */
static int read_line(const char *path, char *line, tlr_source *out, int *is_empty)
{
    char *words[N_WORDS], *end = NULL;
    unsigned long n_ranks;
    const int n = split(line, words);
    *is_empty = n == 0;
    if (n < DELAY || n > N_WORDS || !is_count(words[RANKS], &n_ranks))
        return 0;
    *out = (tlr_source){.n_ranks = (uint32_t)n_ranks};
    if (n == N_WORDS)
        out->delay_flops = strtod(words[DELAY], &end);
    if ((end && (end == words[DELAY] || *end)) || !(out->delay_flops >= 0) ||
        !isfinite(out->delay_flops))
        return 0;
    out->path = find_trace(path, words[TRACE]);
    return out->path != NULL;
}

size_t tlr_instances_read(const char *path, tlr_source **out)
{
    FILE *in = fopen(path, "r");
    char *line = NULL;
    size_t room = 0, n = 0;
    int is_good = in != NULL, is_empty = 0;
    *out = NULL;
    while (is_good && getline(&line, &room, in) > 0) {
        tlr_source *more = realloc(*out, (n + 1) * sizeof *more);
        if (more)
            *out = more;
        is_good = more && strlen(line) < 4096 && read_line(path, line, &more[n], &is_empty);
        n += (size_t)is_good;
        is_good |= is_empty;
    }
    free(line);
    if (in)
        fclose(in);
    if (is_good && n)
        return n;
    while (n)
        free((*out)[--n].path);
    free(*out);
    *out = NULL;
    return 0;
}

/* The speed of all hosts, after the changes. */
static tl_status find_speed(const tlr_platform *platform, const tlr_options *options, double *out,
                            tl_error *err)
{
    tlr_cluster cluster = {0};
    const tl_status status = tlr_cluster_read(platform->xml_path, &cluster, err);
    if (status != TL_OK)
        return status;
    int differ = 0;
    *out = cluster.speeds[0];
    for (size_t i = 1; i < cluster.n_hosts; i++)
        differ |= cluster.speeds[i] != *out;
    tlr_cluster_free(&cluster);
    for (size_t i = 0; i < options->n_changes; i++)
        differ |= options->changes[i].quantity == TLR_HOST_SPEED;
    return differ ? tl_fail(err, TL_ERR_UNSUPPORTED,
                            "%s: the hosts differ in speed, or their speed was changed, so that a "
                            "delay in flops is no moment; give the start in seconds, as TRACE@10",
                            platform->xml_path)
                  : TL_OK;
}

tl_status tlr_instances_start(const tlr_source *sources, size_t n, const tlr_platform *platform,
                              const tlr_options *options, tlr_job *jobs, tl_error *err)
{
    double speed = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t n_ranks = tl_reader_run(jobs[i].trace)->n_ranks;
        if (sources[i].n_ranks && n_ranks != sources[i].n_ranks)
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: has %u ranks, and the description of the instances states %u; "
                           "correct the description",
                           sources[i].path, n_ranks, sources[i].n_ranks);
        if (!(sources[i].delay_flops > 0))
            continue;
        if (!platform)
            return tl_fail(err, TL_ERR_USAGE, "a delay in flops needs --platform");
        const tl_status status = speed > 0 ? TL_OK : find_speed(platform, options, &speed, err);
        if (status != TL_OK)
            return status;
        jobs[i].start_s = sources[i].delay_flops / speed;
    }
    return TL_OK;
}
