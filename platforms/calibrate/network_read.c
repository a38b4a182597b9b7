/* network_read.c - reads the measurements of timeless-network-probe.
 *
 * Lines that begin with '#' describe the hosts and the run. Each other line is one operation, in
 * the order of time: n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds. The last line
 * is '# end' and the number of operations. */
#include "config.h"

#include "network.h"

#include "core/room.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of hosts, and of cores or ranks of one. */
enum { MOST = 1 << 22 };

#define MAGIC "# timeless-network-probe 1"

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

static tl_status take_row(void *all, char **cells)
{
    tlp_probe_data *data = all;
    enum { N_CELLS = 11, KIND = 2 };
    double v[N_CELLS] = {0};
    for (int i = 0; i < N_CELLS; i++)
        if (i != KIND && !tlp_cell_number(cells[i], -1e12, 1e12, &v[i]))
            return TL_ERR_INPUT;
    const tlp_probe_row row = {.kind = kind_of(cells[KIND]),
                               .is_warm = v[1] != 0,
                               .same_host = v[5] != 0,
                               .apart = v[6] != 0,
                               .bytes = v[7],
                               .count = (int)fmax(-1, fmin(1e9, v[8])),
                               .delay_s = v[9],
                               .seconds = v[10],
                               .launch = data->n_launches ? data->n_launches - 1 : 0};
    if (row.kind < 0 || row.bytes < 0 || row.seconds < 0 || row.seconds >= 1e9)
        return TL_ERR_INPUT;
    if (!tl_make_room(&data->rows, data->n_rows, &data->room, sizeof row))
        return TL_ERR_MEMORY;
    data->rows[data->n_rows++] = row;
    return TL_OK;
}

static size_t list_notes(void *all, tlp_note notes[TLP_MOST_NOTES])
{
    tlp_probe_data *d = all;
    const tlp_note list[] = {
        {"mpi", 's', d->mpi, sizeof d->mpi}, {"moment", 'w', d->moment, sizeof d->moment},
        {"hosts", 'u', &d->n_hosts, 0},      {"per_host", 'u', &d->per_host, 0},
        {"seed", 'l', &d->seed, 0},          {"max_bytes", 'l', &d->max_bytes, 0}};
    memcpy(notes, list, sizeof list);
    return sizeof list / sizeof *list;
}

/* The number after `key`, or 0. */
static double number_after(const char *line, const char *key)
{
    const char *at = strstr(line, key);
    return at ? fmax(0, fmin(1e15, strtod(at + strlen(key), NULL))) : 0;
}

/* Of each launch of the probe, and of each rank. */
static tl_status take_line(void *all, const char *line, tl_error *err)
{
    tlp_probe_data *data = all;
    if (!strncmp(line, "# error ", 8))
        return tl_fail(err, TL_ERR_INPUT, "the measuring program %s", line + 8);
    data->is_probe |= !strcmp(line, MAGIC);
    data->n_launches += !strncmp(line, "# moment ", 9);
    data->max_seconds += number_after(line, "# seconds ");
    if (!strncmp(line, "# rank ", 7) && data->n_ranks++ == 0)
        data->n_cores = (int)fmin(MOST, number_after(line, " cores "));
    if (strncmp(line, "# end ", 6) != 0)
        return TL_OK;
    data->has_end = 1;
    data->n_announced = (size_t)number_after(line, "# end ");
    return TL_END;
}

static const char *finish(void *all)
{
    tlp_probe_data *data = all;
    data->mpi[strcspn(data->mpi, ",")] = '\0';
    if (!data->per_host)
        data->per_host = 1;
    if ((unsigned)data->n_hosts > MOST || (unsigned)data->per_host > MOST ||
        (unsigned)data->n_cores > MOST)
        return "states too many hosts or cores; measure again";
    if (data->has_end && data->n_announced == data->n_rows)
        return NULL;
    return data->is_probe ? "the measurements break off; measure again"
                          : "holds no measurements of timeless-network-probe; measure again";
}

const tlp_raw tlp_raw_network = {
    .bytes = sizeof(tlp_probe_data),
    .entry = "raw/network.csv",
    .magic = MAGIC,
    .header = "n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds",
    .notes = list_notes,
    .take_line = take_line,
    .take_row = take_row,
    .finish = finish,
    .free = tlp_probe_free};

void tlp_probe_free(void *all)
{
    tlp_probe_data *data = all;
    if (data)
        free(data->rows);
    free(data);
}
