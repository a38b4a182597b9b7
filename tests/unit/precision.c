/* precision.c - what packing with a precision does to clocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "events.h"

static void pack(const char *from, const char *to, const tl_pack_options *options)
{
    tl_error err;
    tl_reader *r = test_open_trace(from);
    if (tl_pack(r, options, to, &err))
        fail_msg("%s", err.text);
    tl_reader_close(r);
}

/* ---- clocks ---- */

enum { CLOCKS = 5000 };

/* Looks at the clock, which mostly are equally far from each other; some are close, or at once. */
static uint64_t look(test_random *random, uint64_t i, uint64_t before)
{
    const uint64_t noise = test_below(random, 2000);
    return before + (i % 11 == 0 ? 0 : i % 7 == 0 ? noise : 1000000 + noise);
}

static void write_looks(const char *path)
{
    tl_error err;
    tl_run run = {.n_ranks = 1, .volume_unit = "instructions"};
    tl_writer *w;
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    test_random random = {.state = 5};
    tl_event e = {.call = TL_MPI_Wtime, .site = 1, .clock_ns = 12345};
    for (uint64_t i = 0; i < CLOCKS; i++) {
        e.clock_ns = look(&random, i, e.clock_ns);
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
    }
    assert_int_equal(tl_writer_close(w, TL_END_EXITED, e.clock_ns), TL_OK);
}

static long file_bytes(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    assert_int_equal(fseek(in, 0, SEEK_END), 0);
    const long n = ftell(in);
    fclose(in);
    return n;
}

/* No clock is later than it was, nor earlier by more than its precision of the interval. The first
 * and the last one are exact. */
static void check_looks(const char *path, double precision)
{
    tl_reader *r = test_open_trace(path);
    tl_cursor *c;
    tl_event e;
    test_random random = {.state = 5};
    uint64_t exact = 12345, written = 0;
    assert_int_equal(tl_cursor_open(r, 0, &c, NULL), TL_OK);
    for (uint64_t i = 0; i < CLOCKS; i++) {
        const uint64_t before = exact;
        exact = look(&random, i, before);
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        assert_true(e.clock_ns >= written && e.clock_ns <= exact);
        assert_true((double)(exact - e.clock_ns) <= precision * (double)(exact - before));
        if (i == 0 || i + 1 == CLOCKS)
            assert_true(e.clock_ns == exact);
        written = e.clock_ns;
    }
    tl_cursor_close(c);
    tl_reader_close(r);
}

static void clocks(void **state)
{
    (void)state;
    char path[512], rounded[512];
    snprintf(path, sizeof path, "%s", test_scratch("looks.tl"));
    snprintf(rounded, sizeof rounded, "%s", test_scratch("rounded.tl"));
    write_looks(path);
    pack(path, path, NULL);
    static const double precisions[] = {0.5, 1e-1, 1e-2, 1e-3, 1e-6};
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        tl_pack_options options = {.volume_precision = precisions[i]};
        pack(path, rounded, &options);
        check_looks(rounded, precisions[i]);
        if (precisions[i] >= 1e-2)
            assert_true(file_bytes(rounded) < file_bytes(path) / 2);
    }
    unlink(path);
    unlink(rounded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
