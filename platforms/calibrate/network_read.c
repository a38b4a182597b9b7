/* network_read.c - reads the measurements of timeless-network-probe.
 *
 * Lines that begin with '#' describe the hosts and the run. Each other line is one operation, in
 * the order of time: n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds. The last line
 * is '# end' and the number of operations. */
#include "config.h"

#include "network.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_names[] = {
#define KIND(name, share) #name,
    NETWORK_KINDS
#undef KIND
};

static int kind_of(const char *name)
{
    for (int i = 0; i < N_NETWORK_KINDS; i++)
        if (!strcmp(name, kind_names[i]))
            return i;
    return -1;
}

/* Parses a number that ends where the text ends; 0 if it does not. */
static int parse_number(const char *text, double *out)
{
    char *end;
    *out = strtod(text, &end);
    return end != text && (*end == '\0' || *end == '\n');
}

/* 0 if the line is no operation. Changes the line. */
static int parse_row(char *line, tlp_probe_row *row)
{
    enum { N_FIELDS = 11, KIND = 2 };
    char *fields[N_FIELDS];
    double values[N_FIELDS] = {0};
    int n = 0;
    for (char *rest = line, *field; n < N_FIELDS && (field = strsep(&rest, ",")); n++)
        fields[n] = field;
    if (n != N_FIELDS)
        return 0;
    for (int i = 0; i < N_FIELDS; i++)
        if (i != KIND && (!parse_number(fields[i], &values[i]) || fabs(values[i]) > 1e12))
            return 0;
    *row = (tlp_probe_row){.kind = kind_of(fields[KIND]),
                           .is_warm = values[1] != 0,
                           .same_host = values[5] != 0,
                           .apart = values[6] != 0,
                           .bytes = values[7],
                           .count = (int)fmin(1e9, values[8]),
                           .delay_s = values[9],
                           .seconds = values[10]};
    return row->kind >= 0 && row->bytes >= 0 && row->seconds >= 0 && row->seconds < 1e9;
}

/* The number after `key` in the line, or 0. */
static double number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? fmax(0, fmin(1e15, strtod(at + strlen(key), NULL))) : 0;
}

/* Each launch of the probe states when it began. */
static void parse_moment(const char *text, tlp_probe_data *data)
{
    snprintf(data->moment, sizeof data->moment, "%.*s", (int)strcspn(text, "\n"), text);
    data->n_launches++;
}

static void parse_head(const char *line, tlp_probe_data *data)
{
    if (!strncmp(line, "# mpi ", 6))
        snprintf(data->mpi, sizeof data->mpi, "%.*s", (int)strcspn(line + 6, ",\n"), line + 6);
    else if (!strncmp(line, "# moment ", 9))
        parse_moment(line + 9, data);
    else if (!strncmp(line, "# rank ", 7) && data->n_ranks++ == 0)
        data->n_cores = (int)fmin(1 << 20, number_after(line, " cores "));
    else if (!strncmp(line, "# hosts ", 8))
        data->n_hosts = (int)fmin(1 << 22, number_after(line, "# hosts "));
    else if (!strncmp(line, "# per_host ", 11))
        data->per_host = (int)fmin(1 << 20, number_after(line, "# per_host "));
    else if (!strncmp(line, "# seed ", 7))
        data->seed = (unsigned long long)number_after(line, "# seed ");
    else if (!strncmp(line, "# seconds ", 10))
        data->max_seconds += number_after(line, "# seconds ");
    else if (!strncmp(line, "# max_bytes ", 12))
        data->max_bytes = (long long)number_after(line, "# max_bytes ");
}

static tl_status add_row(tlp_probe_data *data, size_t *room, const tlp_probe_row *row)
{
    if (data->n_rows == *room) {
        *room = *room ? 2 * *room : 4096;
        tlp_probe_row *more = realloc(data->rows, *room * sizeof *more);
        if (!more)
            return TL_ERR_MEMORY;
        data->rows = more;
    }
    data->rows[data->n_rows] = *row;
    data->rows[data->n_rows++].launch = data->n_launches ? data->n_launches - 1 : 0;
    return TL_OK;
}

tl_status tlp_probe_read(FILE *in, const char *path, tlp_probe_data *out, tl_error *err)
{
    char line[512];
    size_t number = 0, room = 0;
    double announced = 0;
    int is_probe = 0, has_end = 0;
    tl_status status = TL_OK;
    *out = (tlp_probe_data){.per_host = 1};
    while (status == TL_OK && !has_end && fgets(line, sizeof line, in)) {
        tlp_probe_row row;
        number++;
        if (!strncmp(line, "# error ", 8))
            status = tl_fail(err, TL_ERR_INPUT, "the measuring program %.*s",
                             (int)strcspn(line + 8, "\n"), line + 8);
        else if (!strcmp(line, "# timeless-network-probe 1\n"))
            is_probe = 1;
        else if (!strncmp(line, "# end ", 6))
            has_end = parse_number(line + 6, &announced);
        else if (line[0] == '#')
            parse_head(line, out);
        else if (line[0] == 'n' || !is_probe)
            continue; /* the header; what mpirun may say before */
        else if (parse_row(line, &row))
            status = add_row(out, &room, &row) == TL_OK
                         ? TL_OK
                         : tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
        else
            status =
                tl_fail(err, TL_ERR_INPUT,
                        "%s:%zu: is not a measurement of timeless-network-probe; measure again",
                        path, number);
    }
    if (status == TL_OK && (!is_probe || !has_end || announced != (double)out->n_rows))
        status = tl_fail(err, TL_ERR_INPUT, "%s: %s; measure again", path,
                         is_probe ? "the measurements break off"
                                  : "holds no measurements of timeless-network-probe");
    if (status != TL_OK)
        tlp_probe_clear(out);
    return status;
}

void tlp_probe_clear(tlp_probe_data *data)
{
    free(data->rows);
    *data = (tlp_probe_data){0};
}
