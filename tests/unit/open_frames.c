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
#include "timeless_convert.h"

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
    tl_writer_keep_times(w);
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
            expected.took_ns = (float)(i % 3 * i);
            assert_true(test_same_event(&e, &expected));
        }
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        tl_cursor_close(c);
        tl_reader_close(r);
        e = test_regular_event(1, n, list);
        e.took_ns = (float)(n % 3 * n);
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
        if (n % 97 == 0)
            assert_int_equal(tl_writer_flush(w), TL_OK);
    }
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 1), TL_OK);
    assert_int_not_equal(access(open_path, F_OK), 0);
    unlink(path);
}

/* A rank that is killed while it writes to the file leaves the first bytes of its chunks there.
 * `kept`: TRACE.open as it was before. Every event is read, and no damage is reported. */
static void check_torn(const char *path, uint64_t n_events, const test_file *kept)
{
    static int64_t list[TEST_MAX_LIST];
    char open_path[280];
    tl_reader *r;
    tl_cursor *c;
    tl_event e;
    tl_error err;
    tl_rank_summary summary;
    snprintf(open_path, sizeof open_path, "%s.open", path);
    test_store(open_path, kept->data, kept->size);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
    assert_int_equal(tl_reader_n_damages(r), 0);
    assert_false(tl_reader_complete(r));
    assert_int_equal(tl_reader_rank(r, 0, &summary), TL_OK);
    assert_int_equal(summary.n_events, n_events);
    assert_true(summary.kept_open);
    assert_int_equal(tl_cursor_open(r, 0, &c, &err), TL_OK);
    for (uint64_t n = 0; n < n_events; n++) {
        tl_event expected = test_regular_event(0, n, list);
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        assert_true(test_same_event(&e, &expected));
    }
    assert_int_equal(tl_cursor_next(c, &e), TL_END);
    tl_cursor_close(c);
    tl_reader_close(r);
}

/* The part of a host is joined without the incomplete chunk. */
static void check_joined(const char *path, uint64_t n_events)
{
    tl_reader *r;
    tl_error err;
    tl_rank_summary summary;
    char missing[64], joined[280];
    uint32_t n_losers = 9;
    snprintf(joined, sizeof joined, "%s.joined", path);
    assert_int_equal(tl_join_left(&path, 1, joined, missing, sizeof missing, &n_losers, &err),
                     TL_OK);
    assert_string_equal(missing, "k");
    assert_int_equal(n_losers, 0);
    assert_int_equal(tl_reader_open(joined, &r, &err), TL_OK);
    assert_int_equal(tl_reader_n_damages(r), 0);
    assert_int_equal(tl_reader_rank(r, 0, &summary), TL_OK);
    assert_int_equal(summary.n_events, n_events);
    assert_int_equal(summary.end, TL_END_NONE);
    tl_reader_close(r);
    unlink(joined);
}

/* Puts and writes `n` events of a rank after `from`, with a definition. */
static void write_some(tl_writer *w, uint32_t rank, uint64_t from, uint64_t n)
{
    static int64_t list[TEST_MAX_LIST];
    const tl_site site = {.id = (uint32_t)(from + 10), .object = "a.out", .offset = 16};
    assert_int_equal(tl_writer_define_site(w, &site), TL_OK);
    for (uint64_t i = from; i < from + n; i++) {
        tl_event e = test_regular_event(rank, i, list);
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
    }
}

/* `run`: of two ranks here, and of others on another host if it has parts. */
static void check_killed_while_it_writes(const tl_run *run)
{
    enum { SOME = 40, FIRST = 2 * SOME };
    char path[256], open_path[280];
    snprintf(path, sizeof path, "%s", test_scratch("torn"));
    snprintf(open_path, sizeof open_path, "%s.open", path);
    tl_error err;
    tl_writer *torn, *other;
    assert_int_equal(tl_trace_create(path, run, &err), TL_OK);
    assert_int_equal(tl_trace_keep_open(path, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 0, "h", &torn, &err), TL_OK);
    assert_int_equal(tl_writer_keep_open(torn, &err), TL_OK);
    write_some(torn, 0, 0, FIRST);
    assert_int_equal(tl_writer_flush(torn), TL_OK);
    write_some(torn, 0, FIRST, SOME);
    test_file kept = test_load(open_path), before = test_load(path);
    assert_int_equal(tl_writer_flush(torn), TL_OK);
    test_file all = test_load(path);
    assert_int_equal(tl_writer_open(path, 1, "h", &other, &err), TL_OK);
    write_some(other, 1, 0, SOME);
    assert_int_equal(tl_writer_close(other, TL_END_FINALIZED, 1), TL_OK);
    tl_writer_abandon(torn);
    test_file both = test_load(path);
    uint8_t *mixed = malloc(both.size);
    assert_non_null(mixed);
    const size_t size_of_other = both.size - all.size;
    for (size_t size = before.size; size <= all.size; size++) {
        /* Another rank has written after the incomplete chunk, or before it. */
        memcpy(mixed, all.data, size);
        memcpy(mixed + size, both.data + all.size, size_of_other);
        test_store(path, mixed, size + size_of_other);
        check_torn(path, FIRST + SOME, &kept);
        memcpy(mixed, all.data, before.size);
        memcpy(mixed + before.size, both.data + all.size, size_of_other);
        memcpy(mixed + before.size + size_of_other, all.data + before.size, size - before.size);
        test_store(path, mixed, size + size_of_other);
        check_torn(path, FIRST + SOME, &kept);
        if (run->parts && size % 16 == 0)
            check_joined(path, FIRST + SOME);
    }
    free(mixed);
    free(kept.data);
    free(before.data);
    free(all.data);
    free(both.data);
    tl_trace_remove(path);
}

static void killed_while_it_writes(void **state)
{
    (void)state;
    check_killed_while_it_writes(&(tl_run){.n_ranks = 2, .volume_unit = "none"});
    check_killed_while_it_writes(
        &(tl_run){.n_ranks = 3, .volume_unit = "none", .run_id = "a", .parts = "h k"});
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

/* If the node of a rank dies and the file is on another one, pages of the file may be lost, or
 * older than the others: no event is wrong. */
static void pages_are_lost(void **state)
{
    (void)state;
    enum { SOME = 3000, FIRST = 2 * SOME, PAGE = 4096, WORDS = 50 };
    static int64_t list[TEST_MAX_LIST];
    char path[256], open_path[280], word[16];
    uint32_t n_lost = 0;
    tl_error err;
    tl_writer *w;
    const tl_run run = {.n_ranks = RANKS, .volume_unit = "none"};
    snprintf(path, sizeof path, "%s", test_scratch("pages"));
    snprintf(open_path, sizeof open_path, "%s.open", path);
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    assert_int_equal(tl_trace_keep_open(path, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    assert_int_equal(tl_writer_keep_open(w, &err), TL_OK);
    write_some(w, 0, 0, FIRST);
    test_file older = test_load(open_path);
    assert_int_equal(tl_writer_flush(w), TL_OK);
    write_some(w, 0, FIRST, SOME);
    for (uint32_t id = 1; id < WORDS; id++) {
        snprintf(word, sizeof word, "word%u", id);
        const tl_user_kernel kernel = {.id = id, .name = word};
        assert_int_equal(tl_writer_define_kernel(w, &kernel), TL_OK);
    }
    test_file now = test_load(open_path);
    tl_writer_abandon(w);
    /* Page 0 is the header of the file, without which the file is ignored. */
    for (size_t at = 0; at < 2 * (now.size / PAGE); at++) {
        const size_t page = at / 2 * PAGE;
        uint8_t kept[PAGE];
        memcpy(kept, now.data + page, PAGE);
        if (at % 2)
            memset(now.data + page, 0, PAGE);
        else if (page + PAGE <= older.size)
            memcpy(now.data + page, older.data + page, PAGE);
        test_store(open_path, now.data, now.size);
        memcpy(now.data + page, kept, PAGE);
        tl_reader *r;
        tl_cursor *c;
        tl_event e;
        const tl_user_kernel *kernels;
        tl_rank_summary summary;
        assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
        assert_int_equal(tl_reader_rank(r, 0, &summary), TL_OK);
        assert_int_equal(tl_reader_n_damages(r), 0);
        const bool is_whole = summary.n_events == FIRST + SOME;
        n_lost += !is_whole;
        assert_true(is_whole || summary.n_events == FIRST);
        assert_int_equal(tl_cursor_open(r, 0, &c, &err), TL_OK);
        for (uint64_t n = 0; n < summary.n_events; n++) {
            tl_event expected = test_regular_event(0, n, list);
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            assert_true(test_same_event(&e, &expected));
        }
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        const size_t n_kernels = tl_reader_kernels(r, 0, &kernels);
        assert_int_equal(n_kernels, is_whole ? WORDS - 1 : 0);
        for (size_t i = 0; i < n_kernels; i++) {
            snprintf(word, sizeof word, "word%u", (unsigned)i + 1);
            assert_string_equal(kernels[i].name, word);
        }
        tl_cursor_close(c);
        tl_reader_close(r);
    }
    assert_in_range(n_lost, 10, now.size / PAGE);
    free(older.data);
    free(now.data);
    tl_trace_remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_anywhere),
        cmocka_unit_test(killed_while_it_writes),
        cmocka_unit_test(hostile_open_file),
        cmocka_unit_test(pages_are_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
