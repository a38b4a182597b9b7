/* marks.c - the marks of a prediction. */
#include "marks.h"

#include <stdlib.h>
#include <string.h>

static int compare_marks(const void *a, const void *b)
{
    const tlr_mark *x = a, *y = b;
    if (x->measured_s[0] != y->measured_s[0])
        return x->measured_s[0] < y->measured_s[0] ? -1 : 1;
    if (x->call != y->call)
        return x->call < y->call ? -1 : 1;
    const int order = strcmp(x->site, y->site);
    return order ? order : x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

tl_status tlr_take_marks(const tlr_plan *plan, const double *measured_s, const double *predicted_s,
                         tlr_prediction *out)
{
    const size_t bytes = plan->n_ranks * sizeof(double);
    if (!plan->n_marks)
        return TL_OK;
    out->marks = calloc(plan->n_marks, sizeof *out->marks);
    if (!out->marks)
        return TL_ERR_MEMORY;
    for (size_t i = 0; i < plan->n_mark_sites; i++) {
        const tlr_plan_marks *site = &plan->mark_sites[i];
        for (uint64_t k = 0; k < site->count; k++) {
            const size_t from = (site->first + k) * plan->n_ranks;
            tlr_mark *mark = &out->marks[out->n_marks++];
            *mark = (tlr_mark){site->call, strdup(site->site), (uint32_t)k, malloc(bytes),
                               malloc(bytes)};
            if (!mark->site || !mark->measured_s || !mark->predicted_s)
                return TL_ERR_MEMORY;
            memcpy(mark->measured_s, measured_s + from, bytes);
            memcpy(mark->predicted_s, predicted_s + from, bytes);
        }
    }
    qsort(out->marks, out->n_marks, sizeof *out->marks, compare_marks);
    return TL_OK;
}
