/* open_frames.c - the file beside a trace that keeps the events of ranks that are killed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "events.h"

enum { RANKS = 3 };

/* What a rank that is killed after each event leaves. */
static void killed_anywhere(void **state)
{
    (void)state;
    enum { SOME = 400 };
    static int64_t list[TEST_MAX_LIST];
    char path[256], open_path[280];
    snprintf(path, sizeof path, "%s", test_scratch("killed"));
    snprintf(open_path, sizeof open_path, "%s.open", path);
    const tl_run run = {.n_ranks = RANKS, .volume_unit = "none"};
    tl_error err;
    tl_writer *w;
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    assert_int_equal(tl_trace_keep_open(path, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 1, "h", &w, &err), TL_OK);
    assert_int_equal(tl_writer_keep_open(w, &err), TL_OK);
    for (uint64_t n = 0; n < SOME; n++) {
        tl_reader *r;
        tl_rank_summary summary;
        assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
        assert_int_equal(tl_reader_rank(r, 1, &summary), TL_OK);
        assert_int_equal(summary.n_events, n);
        assert_int_equal(summary.end, TL_END_NONE);
        assert_true(summary.kept_open);
        assert_int_equal(tl_reader_n_damages(r), 0);
        tl_cursor *c;
        tl_event e;
        assert_int_equal(tl_cursor_open(r, 1, &c, &err), TL_OK);
        for (uint64_t i = 0; i < n; i++) {
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            tl_event expected = test_regular_event(1, i, list);
            assert_true(test_same_event(&e, &expected));
        }
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        tl_cursor_close(c);
        tl_reader_close(r);
        e = test_regular_event(1, n, list);
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
        if (n % 97 == 0)
            assert_int_equal(tl_writer_flush(w), TL_OK);
    }
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 1), TL_OK);
    assert_int_not_equal(access(open_path, F_OK), 0);
    unlink(path);
}

/* Whatever that file holds, what the trace holds is right, and no event is added to a rank that has
 * an end. */
static void hostile_open_file(void **state)
{
    (void)state;
    enum { SOME = 300, TRIES = 3000 };
    static int64_t list[TEST_MAX_LIST];
    char path[256], open_path[280];
    test_random random = {.state = 11};
    tl_error err;
    tl_writer *w;
    const tl_run run = {.n_ranks = RANKS, .volume_unit = "none"};
    snprintf(path, sizeof path, "%s", test_scratch("hostile"));
    snprintf(open_path, sizeof open_path, "%s.open", path);
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    assert_int_equal(tl_trace_keep_open(path, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    assert_int_equal(tl_writer_keep_open(w, &err), TL_OK);
    for (uint64_t n = 0; n < SOME; n++) {
        tl_event e = test_regular_event(0, n, list);
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
        if (n == 100)
            assert_int_equal(tl_writer_flush(w), TL_OK);
    }
    tl_writer_abandon(w);
    FILE *f = fopen(open_path, "r+b");
    assert_non_null(f);
    for (int i = 0; i < TRIES; i++) {
        /* Numbers of the header and of the state, or bytes of an area. */
        const long area = (long)(test_next(&random) % 13);
        const long at = i % 3 == 0 ? (long)(test_next(&random) % 32)
                                   : (1L << 20) + (area << 16) + (long)(test_next(&random) % 200);
        uint8_t before[4] = {0}, now[4];
        const uint64_t bits = test_next(&random);
        memcpy(now, &bits, sizeof now);
        assert_int_equal(fseek(f, at, SEEK_SET), 0);
        const size_t size = fread(before, 1, i % 2 ? 1 : 4, f);
        assert_int_equal(fseek(f, at, SEEK_SET), 0);
        assert_int_equal(fwrite(now, 1, size, f), size);
        assert_int_equal(fflush(f), 0);
        tl_reader *r;
        tl_cursor *c;
        tl_event e;
        assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
        assert_false(tl_reader_complete(r));
        assert_int_equal(tl_cursor_open(r, 0, &c, &err), TL_OK);
        for (uint64_t n = 0; n <= 100; n++) {
            tl_event expected = test_regular_event(0, n, list);
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            assert_true(test_same_event(&e, &expected));
        }
        while (tl_cursor_next(c, &e) == TL_OK)
            ;
        tl_cursor_close(c);
        tl_reader_close(r);
        assert_int_equal(fseek(f, at, SEEK_SET), 0);
        assert_int_equal(fwrite(before, 1, size, f), size);
        assert_int_equal(fflush(f), 0);
    }
    fclose(f);
    tl_trace_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_anywhere),
        cmocka_unit_test(hostile_open_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
