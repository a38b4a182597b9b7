/* mapping.c - which host each rank runs on. */
#include "mapping.h"

#include "text_file.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Gives the next ranks to a host; returns how many have one by now. */
static uint32_t place(uint32_t *host_of, uint32_t done, uint32_t n_ranks, size_t host,
                      uint64_t slots)
{
    while (slots-- && done < n_ranks)
        host_of[done++] = (uint32_t)host;
    return done;
}

/* Splits "name", "name:slots" or "name slots=N" and returns the slots, 0 when the line is wrong. */
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

static tl_status map_by_file(const tlr_host *hosts, size_t n_hosts, const char *path,
                             unsigned ranks_per_host, uint32_t n_ranks, uint32_t *host_of,
                             tl_error *err)
{
    char *text = NULL;
    tl_status status = tlr_read_text(path, &text, NULL, err);
    uint32_t done = 0;
    size_t line_number = 0;
    for (char *line = text, *next; status == TL_OK && line && *line; line = next) {
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        line_number++;
        line[strcspn(line, "#\r")] = '\0';
        line += strspn(line, " \t");
        for (size_t n = strlen(line); n && isspace((unsigned char)line[n - 1]); n--)
            line[n - 1] = '\0';
        if (!*line)
            continue;
        unsigned long slots = parse_line(line, ranks_per_host ? ranks_per_host : 1);
        size_t host = 0;
        while (host < n_hosts && strcmp(hosts[host].name, line) != 0)
            host++;
        if (!slots)
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:%zu: not a host and its slots; write 'name', 'name:4' or 'name "
                             "slots=4'",
                             path, line_number);
        else if (host == n_hosts)
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:%zu: the platform has no host '%s'; its first one is called '%s'",
                             path, line_number, line, n_hosts ? hosts[0].name : "");
        else
            done = place(host_of, done, n_ranks, host, slots);
    }
    free(text);
    if (status == TL_OK && done < n_ranks)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: has room for %u ranks, the trace has %u; add hosts or slots, or give "
                         "--ranks-per-host",
                         path, done, n_ranks);
    return status;
}

tl_status tlr_map_ranks(const tlr_host *hosts, size_t n_hosts, const char *hostfile,
                        unsigned ranks_per_host, uint32_t n_ranks, uint32_t *host_of, tl_error *err)
{
    if (hostfile)
        return map_by_file(hosts, n_hosts, hostfile, ranks_per_host, n_ranks, host_of, err);
    uint32_t done = 0;
    for (size_t h = 0; h < n_hosts; h++)
        done = place(host_of, done, n_ranks, h,
                     ranks_per_host ? ranks_per_host
                     : n_hosts == 1 ? n_ranks
                                    : hosts[h].n_cores);
    if (done < n_ranks)
        return tl_fail(err, TL_ERR_INPUT,
                       "the platform's %zu hosts have room for %u ranks, the trace has %u; give "
                       "a larger --ranks-per-host or a larger platform",
                       n_hosts, done, n_ranks);
    return TL_OK;
}
