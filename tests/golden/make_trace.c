/* make_trace.c - make_trace all PATH: a trace of random events of every call, extremes included.
 * make_trace ring PATH: 100 messages around a ring of three ranks, a barrier after every 50. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../unit/events.h"

static bool write_random(tl_writer *w, uint32_t rank)
{
    static int64_t list[TEST_MAX_LIST];
    test_random random = {.state = rank + 17};
    unsigned call = 0;
    for (uint64_t i = 0; i < 4000; i++) {
        call = test_next_call(call);
        tl_event e =
            i % 3 ? test_random_event(&random, call, list) : test_regular_event(rank, i / 3, list);
        if (tl_writer_put(w, &e))
            return false;
    }
    return true;
}

enum { RING = 3 };

static bool write_ring(tl_writer *w, uint32_t rank)
{
    int32_t from = (int32_t)(rank + RING - 1) % RING, to = (int32_t)(rank + 1) % RING;
    tl_event init = {.call = TL_MPI_Init}, end = {.call = TL_MPI_Finalize, .clock_ns = 5000};
    bool ok = !tl_writer_put(w, &init);
    for (uint32_t site = 1; site <= 4; site++) {
        tl_site s = {.id = site, .object = "ring", .offset = 0x100 + site};
        ok = ok && !tl_writer_define_site(w, &s);
    }
    for (uint64_t i = 0; ok && i < 100; i++) {
        tl_event events[] = {
            {.call = TL_MPI_Irecv, .site = 1, .peer = from, .request = 1},
            {.call = TL_MPI_Send, .site = 2, .peer = to, .volume = 100 + i},
            {.call = TL_MPI_Wait, .site = 3, .request = 1},
            {.call = TL_MPI_Barrier, .site = 4, .comm = TL_COMM_WORLD, .clock_ns = 40 * i}};
        for (int k = 0; k < 2; k++) {
            events[k].count = 1;
            events[k].type_bytes = 4;
            events[k].tag = 5;
            events[k].comm = TL_COMM_WORLD;
        }
        for (int k = 0; k < (i % 50 == 49 ? 4 : 3); k++)
            ok = ok && !tl_writer_put(w, &events[k]);
    }
    return ok && !tl_writer_put(w, &end);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    bool ring = !strcmp(argv[1], "ring");
    tl_error err;
    tl_run run = {.n_ranks = RING, .volume_unit = "none", .program = argv[1]};
    if (tl_trace_create(argv[2], &run, &err))
        return 1;
    for (uint32_t rank = 0; rank < RING; rank++) {
        tl_writer *w;
        if (tl_writer_open(argv[2], rank, "h", &w, &err))
            return 1;
        bool ok = ring ? write_ring(w, rank) : write_random(w, rank);
        if (tl_writer_close(w, TL_END_FINALIZED, 5000) || !ok)
            return 1;
    }
    return 0;
}
