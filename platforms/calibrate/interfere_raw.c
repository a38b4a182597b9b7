/* interfere_raw.c - the measurements of interference as CSV. */
#include "config.h"

#include "interfere.h"

#include "core/room.h"

#include <stdlib.h>
#include <string.h>

static const char *const probes[] = {"hog", "timed", "pressed"};
static const size_t n_probes = sizeof probes / sizeof *probes;

tl_status tlp_interfere_add(tlp_interfere_result *result, const tlp_interfere_sample *sample)
{
    if (!tl_make_room(&result->samples, result->n, &result->room, sizeof *result->samples))
        return TL_ERR_MEMORY;
    tlp_interfere_sample *next = &result->samples[result->n];
    *next = *sample;
    next->from = strdup(sample->from);
    next->to = strdup(sample->to);
    if (!next->from || !next->to) {
        free(next->from);
        free(next->to);
        return TL_ERR_MEMORY;
    }
    result->n++;
    return TL_OK;
}

void tlp_interfere_free(void *all)
{
    tlp_interfere_result *result = all;
    if (!result)
        return;
    for (size_t i = 0; i < result->n; i++) {
        free(result->samples[i].from);
        free(result->samples[i].to);
    }
    free(result->samples);
    free(result);
}

static size_t list_notes(void *all, tlp_note notes[TLP_MOST_NOTES])
{
    tlp_interfere_result *r = all;
    const tlp_note list[] = {{"seed", 'l', &r->seed, 0},
                             {"processor", 's', r->processor, sizeof r->processor},
                             {"ranks", 'u', &r->n_ranks, 0},
                             {"repetitions", 'u', &r->n_repetitions, 0},
                             {"cache_bytes", 'l', &r->cache_bytes, 0},
                             {"memory_bytes", 'l', &r->memory_bytes, 0},
                             {"other", 'd', &r->other, 0},
                             {"stolen", 'd', &r->stolen, 0},
                             {"program", 's', r->program, sizeof r->program}};
    memcpy(notes, list, sizeof list);
    return sizeof list / sizeof *list;
}

static void write_rows(const void *all, FILE *out)
{
    const tlp_interfere_result *r = all;
    for (size_t i = 0; i < r->n; i++) {
        const tlp_interfere_sample *s = &r->samples[i];
        fprintf(out, "%s,%s,%u,%u,", probes[s->probe], tlp_hog_name(s->hog), s->cores,
                s->repetition);
        tlp_put_cell(out, s->from);
        fputc(',', out);
        tlp_put_cell(out, s->to);
        fprintf(out, ",%.9e,%.9g,%.4g\n", s->seconds, s->work, s->stolen);
    }
}

static tl_status take_row(void *all, char **cells)
{
    tlp_interfere_sample s = {.probe = TLP_PROBE_HOG, .from = cells[4], .to = cells[5]};
    double cores, repetition;
    while (s.probe < n_probes && strcmp(cells[0], probes[s.probe]) != 0)
        s.probe++;
    while (s.hog <= TLP_N_HOGS && strcmp(cells[1], tlp_hog_name(s.hog)) != 0)
        s.hog++;
    if (s.probe == n_probes || s.hog > TLP_N_HOGS || !tlp_cell_number(cells[2], 0, 1e6, &cores) ||
        !tlp_cell_number(cells[3], 0, 1e6, &repetition) ||
        !tlp_cell_number(cells[6], 0, 1e9, &s.seconds) ||
        !tlp_cell_number(cells[7], 0, 1e15, &s.work) || !tlp_cell_number(cells[8], 0, 1, &s.stolen))
        return TL_ERR_INPUT;
    s.cores = (unsigned)cores;
    s.repetition = (unsigned)repetition;
    return (s.hog == TLP_NO_HOG) == (s.cores == 0) ? tlp_interfere_add(all, &s) : TL_ERR_INPUT;
}

static const char *finish(void *all)
{
    (void)all; /* the fit names what is missing */
    return NULL;
}

const tlp_raw tlp_raw_interference = {.bytes = sizeof(tlp_interfere_result),
                                      .entry = "raw/interference.csv",
                                      .header =
                                          "probe,hog,cores,repetition,from,to,seconds,work,stolen",
                                      .behind_notes = "\n",
                                      .notes = list_notes,
                                      .write_rows = write_rows,
                                      .take_row = take_row,
                                      .finish = finish,
                                      .free = tlp_interfere_free};
