/* sums.c - rows by key, in a hash table. */
#include "config.h"

#include "sums.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static size_t find_slot(const tlr_table *t, const char *key)
{
    size_t i = XXH64(key, strlen(key), 0) & (t->room - 1);
    while (t->slots[i] && strcmp(t->rows[t->slots[i] - 1].name, key) != 0)
        i = (i + 1) & (t->room - 1);
    return i;
}

static int grow(tlr_table *t)
{
    const size_t room = t->room ? 2 * t->room : 64;
    size_t *slots = calloc(room, sizeof *slots);
    tlr_sum *rows = realloc(t->rows, room * sizeof *rows);
    if (rows)
        t->rows = rows;
    if (!slots || !rows) {
        free(slots);
        return 0;
    }
    free(t->slots);
    t->slots = slots;
    t->room = room;
    for (size_t r = 0; r < t->n; r++)
        t->slots[find_slot(t, t->rows[r].name)] = r + 1;
    return 1;
}

tlr_sum *tlr_table_at(tlr_table *t, const char *key)
{
    if (t->failed || ((t->n + 1) * 2 > t->room && !grow(t))) {
        t->failed = 1;
        return NULL;
    }
    const size_t slot = find_slot(t, key);
    if (!t->slots[slot]) {
        char *name = strdup(key);
        if (!name) {
            t->failed = 1;
            return NULL;
        }
        t->rows[t->n] = (tlr_sum){.name = name};
        t->slots[slot] = ++t->n;
    }
    return &t->rows[t->slots[slot] - 1];
}

void tlr_region_name(int64_t level, char *text, size_t size)
{
    if (level == TLR_NO_LEVEL)
        snprintf(text, size, "before MPI_Pcontrol");
    else
        snprintf(text, size, "MPI_Pcontrol(%" PRId64 ")", level);
}

void tlr_sums_free(tlr_sum *rows, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(rows[i].name);
    free(rows);
}

void tlr_table_close(tlr_table *t)
{
    tlr_sums_free(t->rows, t->n);
    free(t->slots);
}

static int compare_sums(const void *a, const void *b)
{
    const tlr_sum *x = a, *y = b;
    if (x->time_s != y->time_s)
        return x->time_s > y->time_s ? -1 : 1;
    return strcmp(x->name, y->name);
}

void tlr_table_take(tlr_table *t, tlr_sums *out)
{
    if (t->n)
        qsort(t->rows, t->n, sizeof *t->rows, compare_sums);
    out->n = t->n;
    out->rows = t->rows;
    t->n = 0;
    t->rows = NULL;
}
