/* timeline_picture.c - a timeline as a picture: a row for each rank, a colour for each kind of
 * state.
 *
 * A picture has room for so many columns of time and rows of ranks. Each field has the colour of
 * the kind on which its ranks spend most of its time; fields of one colour that follow each other
 * are one block. */
#include "config.h"

#include "text_file.h"
#include "timeline.h"

#include <inttypes.h>
#include <math.h>
#include <plot.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

enum {
    N_COLUMNS = 800,
    MOST_ROWS = 64,
    NAME_BYTES = 48,
    MOST_LETTERS = 60,      /* of a command in the title */
    LEAST_LETTER_ROWS = 32, /* of more rows, some have no name */
    WIDTH = 920,
    EDGES = 76, /* of a panel, below and above its rows */
    TALLEST_ROW = 24,
    ALL_ROWS = 640
};

/* What no state fills: before a job starts, and after a rank's end. */
enum { BLANK = TLR_N_STATES, N_KINDS };

typedef struct field {
    double spent_s[TLR_N_STATES];
} field;

typedef struct blocks {
    size_t n;
    double *x, *y, *low, *high;
} blocks;

typedef struct drawing {
    const tlr_job *jobs;
    tlr_prediction *const *predictions;
    size_t n_jobs;
    double end_s;           /* of all jobs */
    uint32_t ranks_per_row; /* of one job */
    size_t n_rows;
    field *fields; /* [row][column] */
    size_t *first_row;
    blocks kinds[TLR_N_STATES];
} drawing;

/* ---- the fields ---- */

static size_t rows_of(const drawing *d, size_t job)
{
    return (d->predictions[job]->n_ranks + d->ranks_per_row - 1) / d->ranks_per_row;
}

/* Each job begins a row. */
static void lay_out(drawing *d)
{
    size_t n_ranks = 0;
    for (size_t j = 0; j < d->n_jobs; j++)
        n_ranks += d->predictions[j]->n_ranks;
    d->ranks_per_row = (uint32_t)((n_ranks + MOST_ROWS - 1) / MOST_ROWS);
    if (!d->ranks_per_row)
        d->ranks_per_row = 1;
    for (size_t j = 0; j < d->n_jobs; j++) {
        d->first_row[j] = d->n_rows;
        d->n_rows += rows_of(d, j);
        d->end_s = fmax(d->end_s, d->jobs[j].start_s + d->predictions[j]->makespan_s);
    }
}

static void add_state(drawing *d, const tlr_state *s)
{
    const double start_s = d->jobs[s->job].start_s, column_s = d->end_s / N_COLUMNS;
    const double begin_s = start_s + s->begin_s, end_s = start_s + s->end_s;
    field *row =
        &d->fields[(d->first_row[s->job] + s->rank / d->ranks_per_row) * (size_t)N_COLUMNS];
    if (!(end_s > begin_s))
        return;
    size_t last = (size_t)fmin(N_COLUMNS - 1, end_s / column_s);
    for (size_t c = (size_t)fmin(N_COLUMNS - 1, begin_s / column_s); c <= last; c++) {
        const double from_s = fmax(begin_s, (double)c * column_s),
                     to_s = c + 1 < N_COLUMNS ? fmin(end_s, (double)(c + 1) * column_s) : end_s;
        row[c].spent_s[s->kind] += fmax(0, to_s - from_s);
    }
}

/* ---- the blocks ---- */

static unsigned kind_of(const field *f, double column_s)
{
    double blank_s = column_s;
    unsigned most = 0;
    for (unsigned k = 0; k < TLR_N_STATES; k++) {
        blank_s -= f->spent_s[k];
        most = f->spent_s[k] > f->spent_s[most] ? k : most;
    }
    return blank_s > f->spent_s[most] ? BLANK : most;
}

/* Room for a block in each field, which few pictures need: memory that is not used is not touched.
 */
static int make_room(blocks *b, size_t n_fields)
{
    double *room = malloc((4 * n_fields + 1) * sizeof *room);
    if (!room)
        return 0;
    *b = (blocks){0, room, room + n_fields, room + 2 * n_fields, room + 3 * n_fields};
    return 1;
}

static void add_block(blocks *b, double row, double low, double high)
{
    b->x[b->n] = (low + high) / 2;
    b->y[b->n] = row;
    b->low[b->n] = low;
    b->high[b->n++] = high;
}

static int make_blocks(drawing *d)
{
    const double column_s = d->end_s / N_COLUMNS;
    for (int k = 0; k < TLR_N_STATES; k++)
        if (!make_room(&d->kinds[k], d->n_rows * N_COLUMNS))
            return 0;
    for (size_t r = 0; r < d->n_rows; r++) {
        const field *row = &d->fields[r * (size_t)N_COLUMNS];
        for (size_t c = 0, next; c < N_COLUMNS; c = next) {
            const unsigned kind = kind_of(&row[c], column_s * d->ranks_per_row);
            for (next = c + 1;
                 next < N_COLUMNS && kind_of(&row[next], column_s * d->ranks_per_row) == kind;)
                next++;
            if (kind != BLANK)
                add_block(&d->kinds[kind], (double)r, (double)c * column_s,
                          (double)next * column_s);
        }
    }
    return 1;
}

/* ---- the picture ---- */

static void name_rows(const drawing *d, char (*texts)[NAME_BYTES], const char **names)
{
    const size_t step = d->n_rows / LEAST_LETTER_ROWS + 1;
    for (size_t j = 0; j < d->n_jobs; j++)
        for (size_t i = 0; i < rows_of(d, j); i++) {
            const size_t row = d->first_row[j] + i;
            const uint32_t first = (uint32_t)i * d->ranks_per_row, n = d->predictions[j]->n_ranks;
            const uint32_t last =
                n - first < d->ranks_per_row ? n - 1 : first + d->ranks_per_row - 1;
            char *text = texts[row];
            size_t used = 0;
            names[row] = i % step ? "" : text;
            if (d->n_jobs > 1)
                used = (size_t)snprintf(text, NAME_BYTES, "job %zu, ", j + 1);
            if (last > first)
                snprintf(text + used, NAME_BYTES - used, "ranks %" PRIu32 " to %" PRIu32, first,
                         last);
            else
                snprintf(text + used, NAME_BYTES - used, "rank %" PRIu32, first);
        }
}

static char *make_title(const drawing *d)
{
    char *title = NULL;
    size_t size;
    FILE *out = open_memstream(&title, &size);
    if (!out)
        return NULL;
    for (size_t j = 0; j < d->n_jobs; j++) {
        const tlr_prediction *p = d->predictions[j];
        fprintf(out, "%s%s, %" PRIu32 " rank%s, ", j ? "; " : "", tl_printable(p->command),
                p->n_ranks, p->n_ranks == 1 ? "" : "s");
        tlg_put_seconds(out, p->makespan_s);
    }
    const char *platform = d->predictions[0]->platform_name;
    if (platform && *platform)
        fprintf(out, ", %s", tl_printable(tlr_base_name(platform)));
    if (fclose(out) == 0)
        return title;
    free(title);
    return NULL;
}

static tl_status draw(const drawing *d, const char *path, tl_error *err)
{
    tlg_series series[TLR_N_STATES];
    char(*texts)[NAME_BYTES] = calloc(d->n_rows + 1, sizeof *texts);
    const char **names = calloc(d->n_rows + 1, sizeof *names);
    char *title = make_title(d);
    tl_status status = TL_ERR_MEMORY;
    if (texts && names && title) {
        tlg_panel panel = {.x = {.label = "time", .unit = "s", .high = d->end_s},
                           .y = {.label = "", .unit = "", .n_names = d->n_rows, .names = names},
                           .series = series};
        name_rows(d, texts, names);
        for (int k = 0; k < TLR_N_STATES; k++)
            if (d->kinds[k].n)
                series[panel.n_series++] = (tlg_series){.name = tlr_state_label((unsigned)k),
                                                        .colour = tlr_state_colour((unsigned)k),
                                                        .look = TLG_BLOCKS,
                                                        .number = k,
                                                        .n = d->kinds[k].n,
                                                        .x = d->kinds[k].x,
                                                        .y = d->kinds[k].y,
                                                        .low = d->kinds[k].low,
                                                        .high = d->kinds[k].high};
        const double row = fmin(TALLEST_ROW, ALL_ROWS / (double)d->n_rows);
        const tlg_picture picture = {.title = title,
                                     .n_panels = 1,
                                     .panels = &panel,
                                     .width = WIDTH,
                                     .height = (unsigned)(EDGES + row * (double)d->n_rows)};
        status = tlg_draw(&picture, path, err);
    }
    free(title);
    free(names);
    free(texts);
    return status;
}

tl_status tlr_timeline_draw(tlr_timeline *timeline, const tlr_job *jobs,
                            tlr_prediction *const *predictions, size_t n_jobs, const char *path,
                            tl_error *err)
{
    drawing d = {.jobs = jobs, .predictions = predictions, .n_jobs = n_jobs};
    const tlr_state *states;
    size_t n;
    TL_TRY(tlr_timeline_read(timeline, &states, &n, err));
    d.first_row = calloc(n_jobs, sizeof *d.first_row);
    if (d.first_row) {
        lay_out(&d);
        d.fields = calloc(d.n_rows * N_COLUMNS + 1, sizeof *d.fields);
    }
    for (size_t i = 0; i < n && d.fields; i++)
        add_state(&d, &states[i]);
    tl_status status = d.fields && make_blocks(&d) ? draw(&d, path, err) : TL_ERR_MEMORY;
    if (status == TL_ERR_MEMORY)
        status = tl_no_memory(err, "picture of the timeline");
    for (int k = 0; k < TLR_N_STATES; k++)
        free(d.kinds[k].x);
    free(d.fields);
    free(d.first_row);
    return status;
}
