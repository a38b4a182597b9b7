/* raw_file.c - the measurements of kernels as CSV. */
#include "config.h"

#include "calibrate.h"

#include "core/room.h"

#include <float.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t list_notes(void *all, tlp_note notes[TLP_MOST_NOTES])
{
    tlp_result *r = all;
    const tlp_note list[] = {{"seed", 'l', &r->seed, 0},
                             {"instruction_s", 'd', &r->instruction_s, 0},
                             {"threads", 'u', &r->threads, 0},
                             {"warm_s", 'd', &r->warm_s, 0},
                             {"operands", 'w', r->operands, sizeof r->operands},
                             {"moment", 'w', r->moment, sizeof r->moment},
                             {"host", 'w', r->reading.name, sizeof r->reading.name},
                             {"sockets", 'w', r->reading.sockets, sizeof r->reading.sockets},
                             {"processor", 's', r->processor, sizeof r->processor}};
    memcpy(notes, list, sizeof list);
    return sizeof list / sizeof *list;
}

static void write_rows(const void *all, FILE *out)
{
    const tlp_result *result = all;
    for (size_t i = 0; i < result->n_samples; i++) {
        const tlp_sample *s = &result->samples[i];
        const tlp_kernel_host *host = result->n_hosts ? &result->hosts[s->host] : NULL;
        if (host && (!i || s->host != s[-1].host))
            fprintf(out, "# host %s sockets %s instruction_s %.17g processor %s\n", host->name,
                    host->sockets, host->instruction_s, tl_printable(host->processor));
        fprintf(out, "%s,%d,%d,%d,%.0f,%u,%u,%.17g,%.6f,%.0f,%.1f,%.2f\n",
                tl_call_by_code(s->call.kernel)->name, s->call.sizes[0], s->call.sizes[1],
                s->call.sizes[2], s->work, s->core, s->repeats, s->seconds, s->at_s,
                s->state.clock_Hz, s->state.celsius, s->state.watts);
    }
}

/* The rows behind such a line are of this host: files of several hosts can be put together. */
static tl_status take_line(void *all, const char *line, tl_error *err)
{
    tlp_result *result = all;
    if (strncmp(line, "# host ", 7) != 0)
        return TL_OK;
    size_t h = 0;
    while (h < result->n_hosts && strcmp(result->hosts[h].name, result->reading.name) != 0)
        h++;
    if (h == result->n_hosts) {
        tlp_kernel_host *more = reallocarray(result->hosts, h + 1, sizeof *more);
        if (!more || h > UINT16_MAX)
            return tl_no_memory(err, "reading measurements");
        result->hosts = more;
        more[h] = result->reading;
        more[h].instruction_s = result->instruction_s;
        snprintf(more[h].processor, sizeof more[h].processor, "%s", result->processor);
        result->n_hosts++;
    }
    result->host = (uint16_t)h;
    return TL_OK;
}

static tl_status take_row(void *all, char **cells)
{
    enum { D0 = 1, D1, D2, WORK, CORE, REPEATS, SECONDS, AT_S, CLOCK_HZ, CELSIUS, WATTS, N_CELLS };
    static const double most[N_CELLS] = {
        [D0] = INT32_MAX,     [D1] = INT32_MAX,      [D2] = INT32_MAX,    [WORK] = DBL_MAX,
        [CORE] = UINT16_MAX,  [REPEATS] = INT32_MAX, [SECONDS] = DBL_MAX, [AT_S] = DBL_MAX,
        [CLOCK_HZ] = DBL_MAX, [CELSIUS] = DBL_MAX,   [WATTS] = DBL_MAX};
    tlp_result *result = all;
    double v[N_CELLS];
    const tl_call_info *info = tl_call_by_name(cells[0]);
    if (!info || info->action != TL_ACTION_KERNEL || info->code >= TL_KERNEL_user)
        return TL_ERR_INPUT;
    for (int i = D0; i < N_CELLS; i++)
        if (!tlp_cell_number(cells[i], i == SECONDS ? DBL_MIN : 0, most[i], &v[i]))
            return TL_ERR_INPUT;
    if (!tl_make_room(&result->samples, result->n_samples, &result->room, sizeof *result->samples))
        return TL_ERR_MEMORY;
    tlp_sample *s = &result->samples[result->n_samples++];
    *s = (tlp_sample){.call = {.kernel = info->code,
                               .right = v[D2] > 0 && v[D2] == v[D1] && v[D2] != v[D0],
                               .sizes = {(int32_t)v[D0], (int32_t)v[D1], (int32_t)v[D2]}},
                      .core = (uint16_t)v[CORE],
                      .host = result->host,
                      .repeats = (uint32_t)v[REPEATS],
                      .seconds = v[SECONDS],
                      .at_s = v[AT_S],
                      .state = {v[CLOCK_HZ], v[CELSIUS], v[WATTS]}};
    /* The sizes of some other kernels are more than three. */
    s->work = tlp_is_measured(info->code) ? tlp_call_work(&s->call) : v[WORK];
    if (s->core >= result->cores)
        result->cores = s->core + 1U;
    return TL_OK;
}

static const char *finish(void *all)
{
    tlp_result *result = all;
    if (!result->threads || result->threads > TLP_MAX_THREADS)
        result->threads = 1;
    if (result->instruction_s == 0)
        result->instruction_s = -1;
    if (!*result->processor)
        tlp_cpu_name(result->processor, sizeof result->processor);
    result->reading = (tlp_kernel_host){.name = ""};
    return result->n_samples ? NULL : "has no measurements; give what --raw wrote";
}

const tlp_raw tlp_raw_kernels = {.bytes = sizeof(tlp_result),
                                 .entry = "raw/kernels.csv",
                                 .header = "kernel,d0,d1,d2,work,core,repeats,seconds,"
                                           "at_s,clock_Hz,celsius,watts",
                                 .least_cells = 8,
                                 .behind_notes = " ",
                                 .notes = list_notes,
                                 .write_rows = write_rows,
                                 .take_line = take_line,
                                 .take_row = take_row,
                                 .finish = finish,
                                 .free = tlp_result_free};
