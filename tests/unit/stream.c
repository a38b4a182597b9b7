/* stream.c - five million events: memory stays where it was, and the rates are printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "events.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static long max_rss_kib(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_maxrss;
}

/* A loop of 64 regular events, or 4,096 random ones, over and over: making them costs nothing. */
enum { N_REGULAR = 384, N_RANDOM = 4096 };
static tl_event events[N_RANDOM];
static int64_t lists[N_RANDOM][3];

static void make_random(void)
{
    static const uint16_t calls[] = {TL_MPI_Send, TL_MPI_Recv,      TL_MPI_Isend,   TL_MPI_Irecv,
                                     TL_MPI_Wait, TL_MPI_Allreduce, TL_KERNEL_dgemm};
    test_random r = {.state = 1};
    for (int i = 0; i < N_RANDOM; i++) {
        uint16_t call = calls[test_below(&r, sizeof calls / sizeof *calls)];
        uint32_t slots = tl_call_by_code(call)->slots;
        tl_event e = {
            .call = call, .site = (uint32_t)test_below(&r, 50), .volume = test_below(&r, 1 << 20)};
        e.count = slots & TL_SLOT_COUNT ? (int64_t)test_below(&r, 100000) : 0;
        e.type_bytes = slots & TL_SLOT_TYPE ? 8 : 0;
        e.peer = slots & TL_SLOT_PEER ? (int32_t)test_below(&r, 256) : 0;
        e.tag = slots & TL_SLOT_TAG ? (int32_t)test_below(&r, 1000) : 0;
        e.comm = slots & TL_SLOT_COMM ? 1 : 0;
        e.request = slots & TL_SLOT_REQUEST ? (uint32_t)test_below(&r, 64) : 0;
        if (slots & TL_SLOT_LIST) {
            for (int k = 0; k < 3; k++)
                lists[i][k] = (int64_t)test_below(&r, 2000);
            e.list = lists[i];
            e.list_len = 3;
        }
        events[i] = e;
    }
}

static void run(const char *name, int period, uint64_t n)
{
    const char *path = test_scratch("stream.tl");
    tl_error err;
    tl_run header = {.n_ranks = 1};
    assert_int_equal(tl_trace_create(path, &header, &err), TL_OK);
    tl_writer *w;
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    long before_kib = max_rss_kib(), early_kib = 0;
    double start_s = now_s();
    for (uint64_t i = 0, k = 0; i < n; i++) {
        if (i == n / 50)
            early_kib = max_rss_kib();
        assert_int_equal(tl_writer_put(w, &events[k]), TL_OK);
        if (++k == (uint64_t)period)
            k = 0;
    }
    double encode_s = now_s() - start_s;
    long written_kib = max_rss_kib();
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 0), TL_OK);

    tl_reader *r;
    tl_cursor *c;
    assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
    assert_int_equal(tl_cursor_open(r, 0, &c, &err), TL_OK);
    tl_event e;
    start_s = now_s();
    for (uint64_t i = 0, k = 0; i < n; i++) {
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        if (!test_same_event(&e, &events[k]))
            fail_msg("event %llu differs", (unsigned long long)i);
        if (++k == (uint64_t)period)
            k = 0;
    }
    double decode_s = now_s() - start_s;
    assert_int_equal(tl_cursor_next(c, &e), TL_END);
    long read_kib = max_rss_kib();
    double bytes = (double)tl_reader_file_bytes(r);
    tl_cursor_close(c);
    tl_reader_close(r);
    unlink(path);
    print_message("# %s: %.4f bytes per event, %.1f M events/s written, %.1f M read (compared), "
                  "%ld KiB more to write, %ld to read\n",
                  name, bytes / (double)n, (double)n / encode_s * 1e-6, (double)n / decode_s * 1e-6,
                  written_kib - before_kib, read_kib - written_kib);
    if (TEST_SANITIZED)
        return;
    /* The kernel counts in batches of 64 pages. */
    assert_true(written_kib - early_kib <= 512);
    assert_true(written_kib - before_kib <= 1024);
    /* The index of the frames grows by 24 bytes each, about 60 KiB of them. */
    assert_true(read_kib - written_kib <= 512);
}

static void regular_stream(void **state)
{
    (void)state;
    for (int i = 0; i < N_REGULAR; i++)
        events[i] = test_regular_event(0, (uint64_t)i, lists[i]);
    run("regular", N_REGULAR, 5000000);
}

static void random_stream(void **state)
{
    (void)state;
    make_random();
    run("random", N_RANDOM, 500000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regular_stream),
        cmocka_unit_test(random_stream),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
