/* mapping.c - which host each rank runs on. */
#include "mapping.h"

#include "core/room.h"
#include "text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Places for ranks on a host: from a line of the host file, or from a host of the platform. */
typedef struct place {
    size_t host;
    uint64_t slots;
} place;

/* The part of a host file that has been read. */
typedef struct layout {
    size_t n_places, room;
    place *places;
    uint32_t n_named; /* ranks that have a line "rank N=name" */
    size_t last;      /* host of the line before: the next one is often near */
} layout;

static const uint32_t NOWHERE = UINT32_MAX;

/* Assigns places to the ranks; returns the number of ranks that have one. */
static uint32_t fill(const place *places, size_t n_places, uint32_t n_ranks, uint32_t *host_of)
{
    uint32_t done = 0;
    for (size_t i = 0; i < n_places; i++)
        for (uint64_t k = 0; k < places[i].slots && done < n_ranks; k++)
            host_of[done++] = (uint32_t)places[i].host;
    return done;
}

static uint32_t go_round(const place *places, size_t n_places, uint32_t n_ranks, uint32_t *host_of)
{
    uint32_t done = 0, before = 1;
    for (uint64_t round = 0; done < n_ranks && done != before; round++) {
        before = done;
        for (size_t i = 0; i < n_places && done < n_ranks; i++)
            if (places[i].slots > round)
                host_of[done++] = (uint32_t)places[i].host;
    }
    return done;
}

/* Splits "name", "name:slots" or "name slots=N". Returns the slots, or 0 if the line is wrong. */
static unsigned long parse_line(char *line, unsigned long fallback)
{
    char *rest = line + strcspn(line, ": \t");
    if (!*rest)
        return fallback;
    const char separator = *rest;
    *rest++ = '\0';
    rest += strspn(rest, " \t");
    if (separator != ':') {
        if (!*rest)
            return fallback;
        if (strncmp(rest, "slots=", 6) != 0)
            return 0;
        rest += 6;
    }
    char *end;
    unsigned long slots = strtoul(rest, &end, 10);
    return isdigit((unsigned char)*rest) && !*end && slots <= UINT32_MAX ? slots : 0;
}

/* Reduces "rank 3=name slot=..." to its name and returns the rank; -1 if the line has another form.
 */
static int64_t parse_rank(char **line)
{
    char *text = *line, *end;
    if (strncmp(text, "rank", 4) != 0 || !isspace((unsigned char)text[4]))
        return -1;
    text += 4 + strspn(text + 4, " \t");
    const unsigned long rank = strtoul(text, &end, 10);
    end += strspn(end, " \t");
    if (!isdigit((unsigned char)*text) || *end != '=' || rank > INT32_MAX)
        return -1;
    end += 1 + strspn(end + 1, " \t");
    end[strcspn(end, " \t")] = '\0';
    *line = end;
    return (int64_t)rank;
}

static tl_status add_place(layout *l, size_t host, uint64_t slots, tl_error *err)
{
    if (!tl_make_room(&l->places, l->n_places, &l->room, sizeof *l->places))
        return tl_no_memory(err, "host file");
    l->places[l->n_places++] = (place){host, slots};
    return TL_OK;
}

/* Searches for a host by its name, beginning at `start`; n_hosts if there is none. */
static size_t find_host(const tlr_host *hosts, size_t n_hosts, const char *name, size_t start)
{
    for (size_t i = 0; i < n_hosts; i++) {
        const size_t host = start + i < n_hosts ? start + i : start + i - n_hosts;
        if (!strcmp(hosts[host].name, name))
            return host;
    }
    return n_hosts;
}

/* One line of the file, without its comment and without surrounding blanks. */
static tl_status read_line(layout *l, char *line, const char *where, const tlr_host *hosts,
                           size_t n_hosts, unsigned ranks_per_host, uint32_t n_ranks,
                           uint32_t *host_of, tl_error *err)
{
    const int64_t rank = parse_rank(&line);
    const unsigned long slots =
        rank < 0 ? parse_line(line, ranks_per_host ? ranks_per_host : 1) : 1;
    const size_t host = find_host(hosts, n_hosts, line, l->last);
    if (!slots)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: not a host and its slots; write 'name', 'name:4', 'name slots=4' or "
                       "'rank 3=name'",
                       where);
    if (host == n_hosts)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: the platform has no host '%s'; its first one is called '%s'", where,
                       line, n_hosts ? hosts[0].name : "");
    l->last = host;
    if (rank < 0)
        return add_place(l, host, slots, err);
    if (rank >= n_ranks || host_of[rank] != NOWHERE)
        return tl_fail(err, TL_ERR_INPUT, "%s: rank %d %s", where, (int)rank,
                       rank >= n_ranks ? "is not in the trace" : "has a host already");
    host_of[rank] = (uint32_t)host;
    l->n_named++;
    return TL_OK;
}

static tl_status read_hostfile(layout *l, const char *path, const tlr_host *hosts, size_t n_hosts,
                               unsigned ranks_per_host, uint32_t n_ranks, uint32_t *host_of,
                               tl_error *err)
{
    char *text = NULL;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    size_t line_number = 0;
    for (uint32_t r = 0; r < n_ranks; r++)
        host_of[r] = NOWHERE;
    for (char *line, *rest = text;
         status == TL_OK && (line = tlr_next_line(&rest, &line_number));) {
        char where[300];
        snprintf(where, sizeof where, "%s:%zu", path, line_number);
        status = read_line(l, line, where, hosts, n_hosts, ranks_per_host, n_ranks, host_of, err);
    }
    free(text);
    if (status == TL_OK && l->n_named && (l->n_places || l->n_named < n_ranks))
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: names the hosts of %u ranks, but the trace has %u; give each rank a line "
                    "'rank N=name', or none",
                    path, l->n_named, n_ranks);
    return status;
}

tl_status tlr_map_ranks(const tlr_host *hosts, size_t n_hosts, const char *hostfile,
                        const tlr_options *options, uint32_t n_ranks, uint32_t *host_of,
                        tl_error *err)
{
    layout l = {0};
    const unsigned per_host = options->ranks_per_host;
    tl_status status = TL_OK;
    if (hostfile)
        status = read_hostfile(&l, hostfile, hosts, n_hosts, per_host, n_ranks, host_of, err);
    for (size_t h = 0; !hostfile && h < n_hosts && status == TL_OK; h++)
        status = add_place(&l, h,
                           per_host       ? per_host
                           : n_hosts == 1 ? n_ranks
                                          : hosts[h].n_cores,
                           err);
    if (status != TL_OK || l.n_named)
        goto cleanup;
    const uint32_t done = options->round_robin ? go_round(l.places, l.n_places, n_ranks, host_of)
                                               : fill(l.places, l.n_places, n_ranks, host_of);
    if (done < n_ranks && hostfile)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: has room for %u ranks, but the trace has %u; add hosts or slots, or give "
                    "--ranks-per-host",
                    hostfile, done, n_ranks);
    else if (done < n_ranks)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "the platform's %zu hosts have room for %u ranks, but the trace has %u; give "
                    "a larger --ranks-per-host or a larger platform",
                    n_hosts, done, n_ranks);
cleanup:
    free(l.places);
    return status;
}

tlr_crowd tlr_find_crowd(const tlr_host *hosts, size_t n_hosts, const uint32_t *n_on)
{
    tlr_crowd crowd = {0};
    for (size_t h = 0; h < n_hosts; h++) {
        if ((uint64_t)n_on[h] * crowd.fullest.n_cores >=
            (uint64_t)crowd.fullest.n_ranks * hosts[h].n_cores)
            crowd.fullest = (tlr_fullest_host){n_on[h], hosts[h].n_cores};
        if (n_on[h] > hosts[h].n_cores) {
            crowd.n_ranks += n_on[h];
            crowd.n_cores += hosts[h].n_cores;
        }
    }
    return crowd;
}
