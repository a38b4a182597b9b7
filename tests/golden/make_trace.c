/* make_trace.c - make_trace PATH: a trace of random events of every call, extremes included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../unit/events.h"

int main(int argc, char **argv)
{
    enum { RANKS = 2, EVENTS = 4000 };
    static int64_t list[TEST_MAX_LIST];
    tl_error err;
    tl_run run = {.n_ranks = RANKS, .volume_unit = "none"};
    if (argc != 2 || tl_trace_create(argv[1], &run, &err))
        return 1;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        tl_writer *w;
        if (tl_writer_open(argv[1], rank, "h", &w, &err))
            return 1;
        test_random random = {.state = rank + 17};
        unsigned call = 0;
        for (int i = 0; i < EVENTS; i++) {
            call = test_next_call(call);
            tl_event e = i % 3 ? test_random_event(&random, call, list)
                               : test_regular_event(rank, (uint64_t)i / 3, list);
            tl_writer_put(w, &e);
        }
        if (tl_writer_close(w, TL_END_FINALIZED, 1))
            return 1;
    }
    return 0;
}
