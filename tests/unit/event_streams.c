/* event_streams.c - what ranks that do the same read once is what each of them would read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "event_streams.h"
#include "events.h"

enum { RANKS = 36, STEPS = 700 };

static char path[512];
static tl_reader *trace;
static tlr_plan *plan;

static int make_trace(void **state)
{
    (void)state;
    tl_error err;
    const tlr_options options = {.allow_opaque = 0};
    char program[64];
    tl_reader *made = NULL;
    snprintf(program, sizeof program, "pattern:stencil2d,ranks=%d,iterations=%d", RANKS, STEPS);
    snprintf(path, sizeof path, "%s", test_scratch("streams.tl"));
    if (tl_reader_open(program, &made, &err) || tl_program_write(made, path, &err) ||
        tl_reader_open(path, &trace, &err) || tlr_plan_make(trace, NULL, &options, &plan, &err)) {
        print_error("%s\n", err.text);
        return -1;
    }
    tl_reader_close(made);
    return 0;
}

static int remove_trace(void **state)
{
    (void)state;
    tlr_plan_free(plan);
    tl_reader_close(trace);
    return unlink(path);
}

typedef struct readers {
    tlr_streams *streams;
    tl_cursor *expected[RANKS];
    int has_ended[RANKS];
} readers;

static void open_readers(readers *r)
{
    *r = (readers){0};
    assert_int_equal(tlr_streams_open(trace, plan, &r->streams, NULL), TL_OK);
    for (uint32_t i = 0; i < RANKS; i++)
        assert_int_equal(tl_cursor_open(trace, i, &r->expected[i], NULL), TL_OK);
}

static void close_readers(readers *r)
{
    tlr_streams_close(r->streams);
    for (uint32_t i = 0; i < RANKS; i++)
        tl_cursor_close(r->expected[i]);
}

/* Reads so many events of a rank, or to its end. */
static void read_events(readers *r, uint32_t rank, uint64_t n)
{
    for (; n > 0 && !r->has_ended[rank]; n--) {
        tl_event event, expected;
        const tl_status status = tl_cursor_next(r->expected[rank], &expected);
        assert_int_equal(tlr_streams_next(r->streams, rank, &event), status);
        assert_int_equal(tlr_streams_position(r->streams, rank),
                         tl_cursor_position(r->expected[rank]));
        r->has_ended[rank] = status != TL_OK;
        if (status == TL_OK)
            assert_true(test_same_event(&event, &expected));
    }
}

static void test_in_turn(void **state)
{
    (void)state;
    readers r;
    open_readers(&r);
    for (uint64_t i = 0; i < plan->ranks[0]->n_events + 2; i++)
        for (uint32_t rank = 0; rank < RANKS; rank++)
            read_events(&r, rank, 1);
    for (uint32_t rank = 0; rank < RANKS; rank++)
        assert_true(r.has_ended[rank]);
    close_readers(&r);
}

/* The first ranks run so far ahead that they read for themselves. */
static void test_one_after_the_other(void **state)
{
    (void)state;
    readers r;
    open_readers(&r);
    for (uint32_t rank = RANKS; rank-- > 0;)
        read_events(&r, rank, UINT64_MAX);
    close_readers(&r);
}

static void test_at_random(void **state)
{
    (void)state;
    test_random random = {.state = 7};
    readers r;
    open_readers(&r);
    for (int i = 0; i < 3000; i++)
        read_events(&r, (uint32_t)test_below(&random, RANKS), test_below(&random, 500));
    close_readers(&r);
}

/* Ranks that leave hold nobody up. */
static void test_leaving(void **state)
{
    (void)state;
    readers r;
    open_readers(&r);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        read_events(&r, rank, rank);
        if (rank % 3)
            tlr_streams_leave(r.streams, rank);
    }
    for (uint32_t rank = 0; rank < RANKS; rank += 3)
        read_events(&r, rank, UINT64_MAX);
    close_readers(&r);
}

static void test_groups(void **state)
{
    (void)state;
    uint32_t n_groups = 0;
    for (uint32_t r = 0; r < RANKS; r++)
        n_groups += plan->ranks[r]->first == r;
    assert_in_range(n_groups, 1, RANKS / 2); /* otherwise the tests here show little */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups),    cmocka_unit_test(test_in_turn),
        cmocka_unit_test(test_at_random), cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_leaving),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
