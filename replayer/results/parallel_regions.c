/* parallel_regions.c - how long the slowest thread takes, and all threads if their work were equal.
 */
#include "config.h"

#include "parallel_regions.h"

#include <math.h>
#include <parallel.h>
#include <stdlib.h>

static int by_rank(const void *a, const void *b)
{
    const tlr_region_time *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* The predicted time belongs to the volume that counts as time: that before the region, that of one
 * thread alone, and that of the slowest thread. */
static void add_region(tlr_sum *row, const tl_event *e, unsigned n_threads, double seconds)
{
    const int64_t *list = e->list, *work = list + TL_PARALLEL_THREADS;
    const uint32_t n = e->list_len - TL_PARALLEL_THREADS, used = n_threads ? n_threads : n;
    const double alone = (double)list[TL_PARALLEL_BEFORE] + (double)list[TL_PARALLEL_ALONE];
    const double one = (double)list[TL_PARALLEL_ONE_AT_A_TIME];
    const double longest = fmax(one, tl_longest_of(work, n, used));
    const double mean = fmax(one, tl_work_before(work, n, n) / used);
    const double rate = alone + longest > 0 ? seconds / (alone + longest) : 0;
    row->count++;
    row->time_s += longest * rate;
    row->balanced_s += mean * rate;
    row->n_threads = used > row->n_threads ? used : row->n_threads;
}

static tl_status add_regions_of_rank(tl_reader *trace, const tlr_region_time *regions, size_t n,
                                     unsigned n_threads, tlr_table *table, tl_error *err)
{
    char key[TLR_PLACE_BYTES];
    tl_cursor *cursor;
    tl_event e;
    tl_status status = tl_cursor_open(trace, regions->rank, &cursor, err);
    uint32_t number = 0;
    for (size_t i = 0; i < n && status == TL_OK;) {
        if ((status = tl_cursor_next(cursor, &e)) != TL_OK || e.call != TL_MPI_Parallel ||
            ++number != regions[i].number)
            continue;
        const tlr_state state = {.rank = regions->rank, .call = e.call, .site = e.site};
        tlr_state_place(&state, trace, key, sizeof key);
        tlr_sum *row = e.list_len > TL_PARALLEL_THREADS ? tlr_table_at(table, key) : NULL;
        if (row)
            add_region(row, &e, n_threads, regions[i].seconds);
        i++;
    }
    if (cursor && status != TL_OK && status != TL_END && err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

tl_status tlr_sum_regions(tl_reader *trace, tlr_region_time *regions, size_t n, unsigned n_threads,
                          tlr_sums *out, tl_error *err)
{
    tlr_table table = {0};
    tl_status status = TL_OK;
    if (n)
        qsort(regions, n, sizeof *regions, by_rank);
    for (size_t i = 0, end; i < n && status == TL_OK; i = end) {
        for (end = i; end < n && regions[end].rank == regions[i].rank;)
            end++;
        status = add_regions_of_rank(trace, regions + i, end - i, n_threads, &table, err);
    }
    if (table.failed)
        status = tl_no_memory(err, "parallel regions");
    if (status == TL_OK)
        tlr_table_take(&table, out);
    tlr_table_close(&table);
    return status;
}
