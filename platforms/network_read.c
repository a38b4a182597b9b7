/* network_read.c - read the measurements of timeless-network-probe.
 *
 * Lines of '#' say what was measured where; then one line an operation, in the order in which they
 * were done: n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds.  The last line is
 * '# end' and the number of operations. */
#include "config.h"

#include "network.h"

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

/* 0: not an operation. */
static int parse_row(const char *line, tlp_probe_row *row)
{
    char kind[16];
    int used = 0;
    *row = (tlp_probe_row){0};
    int n = sscanf(line, "%*d,%d,%15[a-z],%*d,%*d,%d,%d,%lf,%d,%lf,%lf%n", &row->is_warm, kind,
                   &row->same_host, &row->apart, &row->bytes, &row->count, &row->delay_s,
                   &row->seconds, &used);
    if (n != 8 || line[used] != '\n' || !(row->seconds >= 0 && row->seconds < 1e9) ||
        !(row->bytes >= 0 && row->bytes < 1e12))
        return 0;
    return (row->kind = kind_of(kind)) >= 0;
}

static void parse_head(const char *line, tlp_probe_data *data)
{
    char text[sizeof data->mpi];
    int cores;
    if (sscanf(line, "# mpi %127[^,\n]", text) == 1)
        snprintf(data->mpi, sizeof data->mpi, "%s", text);
    else if (sscanf(line, "# rank %*d host %*d cores %d", &cores) == 1) {
        data->n_ranks++;
        data->n_cores = data->n_cores ? data->n_cores : cores;
    }
    sscanf(line, "# hosts %d", &data->n_hosts);
    sscanf(line, "# seed %llu", &data->seed);
    sscanf(line, "# seconds %lf", &data->max_seconds);
    sscanf(line, "# max_bytes %lld", &data->max_bytes);
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
    data->rows[data->n_rows++] = *row;
    return TL_OK;
}

tl_status tlp_probe_read(FILE *in, const char *path, tlp_probe_data *out, tl_error *err)
{
    char line[512];
    size_t number = 0, room = 0, announced = 0;
    int is_probe = 0, has_end = 0;
    tl_status status = TL_OK;
    *out = (tlp_probe_data){0};
    while (status == TL_OK && !has_end && fgets(line, sizeof line, in)) {
        tlp_probe_row row;
        number++;
        if (!strncmp(line, "# error ", 8))
            status = tl_fail(err, TL_ERR_INPUT, "the measuring program %.*s",
                             (int)strcspn(line + 8, "\n"), line + 8);
        else if (!strcmp(line, "# timeless-network-probe 1\n"))
            is_probe = 1;
        else if (sscanf(line, "# end %zu", &announced) == 1)
            has_end = 1;
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
    if (status == TL_OK && (!is_probe || !has_end || announced != out->n_rows))
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
