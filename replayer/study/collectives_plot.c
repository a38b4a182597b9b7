/* collectives_plot.c - the picture of a study of collectives. */
#include "config.h"

#include "collectives.h"

#include "study_cases.h"

#include <math.h>
#include <plot.h>
#include <stdlib.h>

/* The series of a panel: the rule, the algorithms, and for each a series of what is missing. */
typedef struct panel_data {
    double *bytes, *values; /* values: n_bytes of each series */
    tlg_series *series;
} panel_data;

static void fill_panel(const tlr_study *study, size_t ranks, panel_data *data, char *rule)
{
    const size_t n_bytes = study->sweep->axes[TLR_STUDY_BYTES].n;
    const size_t n = study->sweep->axes[TLR_STUDY_ALGORITHM].n;
    for (size_t b = 0; b < n_bytes; b++)
        data->bytes[b] = study_number(study, TLR_STUDY_BYTES, b);
    for (size_t k = 0; k < n; k++) {
        double *times = data->values + k * n_bytes, *lost = data->values + (n + k) * n_bytes;
        for (size_t b = 0; b < n_bytes; b++) {
            const tlr_point *point = study_point(study, ranks, b, k);
            size_t n_below = 0;
            for (size_t i = 0; i < k; i++)
                n_below += !study_has_time(study_point(study, ranks, b, i));
            times[b] = study_has_time(point) ? point->makespan_s : NAN;
            lost[b] = study_has_time(point) ? NAN : (double)n_below;
        }
        const int number = k ? (int)k - 1 : TLG_BLACK;
        data->series[k] = (tlg_series){.name = k ? study_shown_algorithm(study, k) : rule,
                                       .look = TLG_LINE,
                                       .number = number,
                                       .n = n_bytes,
                                       .x = data->bytes,
                                       .y = times};
        data->series[n + k] = (tlg_series){
            .look = TLG_CROSSES, .number = number, .n = n_bytes, .x = data->bytes, .y = lost};
    }
}

static int any_is_lost(const tlr_study *study)
{
    for (size_t i = 0; i < study->sweep->n_points; i++)
        if (!study_has_time(&study->sweep->points[i]))
            return 1;
    return 0;
}

static tl_status draw_panels(const tlr_study *study, tlg_panel *panels, panel_data *data,
                             const char *path, tl_error *err)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n = axes[TLR_STUDY_ALGORITHM].n, n_ranks = axes[TLR_STUDY_RANKS].n;
    char title[300], rule[100], (*titles)[40] = calloc(n_ranks, sizeof *titles);
    if (!titles)
        return tl_no_memory(err, "plot");
    snprintf(rule, sizeof rule, "the rule %s", study->rule);
    snprintf(title, sizeof title, "%s, %zu algorithms, %s", study->operation, n - 1, study->place);
    for (size_t r = 0; r < n_ranks; r++) {
        fill_panel(study, r, &data[r], rule);
        data[r].series[2 * n] =
            (tlg_series){.name = any_is_lost(study) ? "not possible, or failed" : NULL,
                         .look = TLG_CROSSES,
                         .number = TLG_BLACK};
        snprintf(titles[r], sizeof titles[r], "%s ranks", axes[TLR_STUDY_RANKS].values[r]);
        panels[r] = (tlg_panel){
            .title = titles[r],
            .x = {.label = "bytes of the call", .unit = "B", .is_log = data[r].bytes[0] > 0},
            .y = {.label = "makespan", .unit = "s", .is_log = 1},
            .n_series = 2 * n + 1,
            .series = data[r].series};
    }
    const tlg_picture picture = {.title = title,
                                 .n_panels = n_ranks,
                                 .panels = panels,
                                 .n_columns = n_ranks > 1 ? 2 : 1,
                                 .height = 480};
    const tl_status status = tlg_draw(&picture, path, err);
    free(titles);
    return status;
}

tl_status tlr_study_draw(const tlr_study *study, const char *path, tl_error *err)
{
    const tlr_axis *axes = study->sweep->axes;
    const size_t n = axes[TLR_STUDY_ALGORITHM].n, n_ranks = axes[TLR_STUDY_RANKS].n;
    const size_t n_bytes = axes[TLR_STUDY_BYTES].n;
    tlg_panel *panels = calloc(n_ranks, sizeof *panels);
    panel_data *data = calloc(n_ranks, sizeof *data);
    int good = panels && data;
    for (size_t r = 0; r < n_ranks && good; r++) {
        data[r] = (panel_data){.bytes = calloc(n_bytes, sizeof(double)),
                               .values = calloc(2 * n * n_bytes, sizeof(double)),
                               .series = calloc(2 * n + 1, sizeof(tlg_series))};
        good = data[r].bytes && data[r].values && data[r].series;
    }
    const tl_status status =
        good ? draw_panels(study, panels, data, path, err) : tl_no_memory(err, "plot");
    for (size_t r = 0; data && r < n_ranks; r++) {
        free(data[r].bytes);
        free(data[r].values);
        free(data[r].series);
    }
    free(data);
    free(panels);
    return status;
}
