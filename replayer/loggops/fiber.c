/* fiber.c - collectives that go on beside the program of a rank: their beginning and end. */
#include "simulate.h"

#include "core/room.h"

#include <stdlib.h>
#include <string.h>

/* Its list, and a copy of it if the program goes on without it. 0 without memory. */
static int keep_list(const simulation *s, const sim_rank *rank, fiber *f)
{
    f->list = f->op.list ? s->run->programs[rank->program].lists + f->op.list : NULL;
    if (!f->list || !s->run->feed)
        return 1;
    const size_t bytes = ((size_t)f->list[0] + 1) * sizeof *f->list;
    f->own_list = malloc(bytes);
    if (f->own_list)
        f->list = memcpy(f->own_list, f->list, bytes);
    return f->own_list != NULL;
}

void loggops_start_fiber(simulation *s, block *b, sim_rank *rank, const loggops_op *op,
                         uint64_t at_ps)
{
    uint32_t i = b->free_fiber;
    if (i != NONE) {
        b->free_fiber = b->fibers[i].next;
    } else if (tl_make_room(&b->fibers, b->n_fibers, &b->fibers_room, sizeof *b->fibers)) {
        i = b->n_fibers++;
    } else {
        b->failures |= NO_MEMORY;
        return;
    }
    b->fibers[i] = (fiber){.op = *op, .ready_ps = at_ps, .next = rank->fibers};
    b->failures |= keep_list(s, rank, &b->fibers[i]) ? 0 : NO_MEMORY;
    rank->fibers = i;
    s->requests[rank->requests + op->request] = REQUEST_PENDING;
}

void loggops_end_fiber(block *b, sim_rank *rank, uint32_t i)
{
    uint32_t *link = &rank->fibers;
    while (*link != i)
        link = &b->fibers[*link].next;
    *link = b->fibers[i].next;
    free(b->fibers[i].own_list);
    b->fibers[i].own_list = NULL;
    b->fibers[i].next = b->free_fiber;
    b->free_fiber = i;
}
