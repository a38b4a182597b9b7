/* share.c - stores equal programs of several ranks once. */
#include "program.h"

#include "core/room.h"

#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

int loggops_grow_more(void *array, size_t n, size_t *room, size_t size)
{
    const size_t old = *room;
    char *items;
    if (!tl_make_room(array, n - 1, room, size))
        return 0;
    memcpy(&items, array, sizeof items);
    memset(items + old * size, 0, (*room - old) * size);
    return 1;
}

static uint64_t hash_of(const loggops_program *p)
{
    const uint64_t of_lists = p->n_list ? XXH64(p->lists, p->n_list * sizeof *p->lists, 0) : 0;
    return XXH64(p->ops, p->n_ops * sizeof *p->ops, of_lists);
}

static bool have_same_labels(const loggops_labels *a, const loggops_labels *b)
{
    return a->n == b->n && (!a->n || !memcmp(a->of, b->of, a->n * sizeof *a->of));
}

static bool is_same(const loggops_program *a, const loggops_program *b)
{
    return a->n_ops == b->n_ops && a->n_list == b->n_list && a->n_requests == b->n_requests &&
           !memcmp(a->ops, b->ops, a->n_ops * sizeof *a->ops) &&
           (!a->n_list || !memcmp(a->lists, b->lists, a->n_list * sizeof *a->lists));
}

static int grow_slots(loggops_table *table, uint32_t n_programs)
{
    const size_t n_slots = table->n_slots ? 2 * table->n_slots : 64;
    uint32_t *slots = calloc(n_slots, sizeof *slots);
    if (!slots)
        return 0;
    for (uint32_t i = 0; i < n_programs; i++) {
        size_t s = table->hashes[i] & (n_slots - 1);
        while (slots[s])
            s = (s + 1) & (n_slots - 1);
        slots[s] = i + 1;
    }
    free(table->slots);
    table->slots = slots;
    table->n_slots = n_slots;
    return 1;
}

static int add_copy(loggops_table *table, loggops_run *run, const loggops_program *read,
                    uint64_t hash)
{
    const size_t n = (size_t)run->n_programs + 1;
    if (!loggops_grow(&run->programs, n, &table->programs_room, sizeof *run->programs) ||
        !loggops_grow(&table->hashes, n, &table->hashes_room, sizeof *table->hashes))
        return 0;
    loggops_program *p = &run->programs[run->n_programs];
    *p = *read;
    p->ops = malloc((read->n_ops + 1) * sizeof *p->ops);
    p->lists = malloc((read->n_list + 1) * sizeof *p->lists);
    table->hashes[run->n_programs++] = hash;
    if (!p->ops || !p->lists)
        return 0;
    memcpy(p->ops, read->ops, read->n_ops * sizeof *p->ops);
    if (read->n_list)
        memcpy(p->lists, read->lists, read->n_list * sizeof *p->lists);
    return 1;
}

/* Of the program that was added last. */
static int copy_labels(loggops_table *table, loggops_run *run, const loggops_labels *read)
{
    if (!loggops_grow(&run->labels, run->n_programs, &table->labels_room, sizeof *run->labels))
        return 0;
    loggops_labels *to = &run->labels[run->n_programs - 1];
    *to = (loggops_labels){malloc((read->n + 1) * sizeof *to->of), read->n};
    if (!to->of)
        return 0;
    if (read->n)
        memcpy(to->of, read->of, read->n * sizeof *to->of);
    return 1;
}

int loggops_share_program(loggops_table *table, loggops_run *run, uint32_t rank,
                          const loggops_program *read, const loggops_labels *labels)
{
    if (2 * (size_t)run->n_programs >= table->n_slots && !grow_slots(table, run->n_programs))
        return 0;
    const uint64_t hash = hash_of(read);
    size_t s = hash & (table->n_slots - 1);
    for (; table->slots[s]; s = (s + 1) & (table->n_slots - 1)) {
        const uint32_t i = table->slots[s] - 1;
        if (table->hashes[i] == hash && is_same(&run->programs[i], read) &&
            (!labels || have_same_labels(&run->labels[i], labels))) {
            run->program_of[rank] = i;
            return 1;
        }
    }
    if (!add_copy(table, run, read, hash) || (labels && !copy_labels(table, run, labels)))
        return 0;
    table->slots[s] = run->n_programs;
    run->program_of[rank] = run->n_programs - 1;
    return 1;
}

void loggops_table_free(loggops_table *table)
{
    free(table->slots);
    free(table->hashes);
}

void loggops_run_free(loggops_run *run)
{
    if (!run)
        return;
    for (uint32_t i = 0; !run->feed && i < run->n_programs; i++) { /* a feed has its own */
        free(run->programs[i].ops);
        free(run->programs[i].lists);
    }
    for (uint32_t i = 0; run->labels && !run->feed && i < run->n_programs; i++)
        free(run->labels[i].of);
    free(run->labels);
    for (uint32_t i = 0; run->comms && i < run->n_comms; i++)
        free(run->comms[i].order);
    free(run->programs);
    free(run->program_of);
    free(run->sums);
    free(run->compute_ps);
    free(run->io_ps);
    free(run->comms);
    free(run);
}
