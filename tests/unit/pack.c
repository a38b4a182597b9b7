/* pack.c - a packed trace holds the same, damaged or not; a cursor finds any event and reads no
 * more than it needs. */
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

#include "../../compress/reader.h"

enum { RANKS = 16, EVENTS = 2000, FLUSH = 100 };

static char plain[512], packed[512];

static void pack(const char *from, const char *to)
{
    tl_error err;
    tl_reader *r;
    if (tl_reader_open(from, &r, &err) || tl_pack(r, NULL, to, &err))
        fail_msg("%s", err.text);
    tl_reader_close(r);
}

static int make_traces(void **state)
{
    (void)state;
    snprintf(plain, sizeof plain, "%s", test_scratch("plain.tl"));
    snprintf(packed, sizeof packed, "%s", test_scratch("packed.tl"));
    test_write_trace(plain, RANKS, EVENTS, FLUSH);
    pack(plain, packed);
    return 0;
}

static int remove_traces(void **state)
{
    (void)state;
    unlink(plain);
    unlink(packed);
    return 0;
}

static void check_rank(tl_reader *r, uint32_t rank)
{
    static int64_t list[TEST_MAX_LIST];
    tl_cursor *c;
    tl_event e;
    assert_int_equal(tl_cursor_open(r, rank, &c, NULL), TL_OK);
    for (uint64_t i = 0; i < EVENTS; i++) {
        tl_event expected = test_regular_event(rank, i, list);
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        assert_true(test_same_event(&e, &expected));
    }
    assert_int_equal(tl_cursor_next(c, &e), TL_END);
    tl_cursor_close(c);
}

static void the_same(void **state)
{
    (void)state;
    tl_reader *a = test_open_trace(plain), *b = test_open_trace(packed);
    assert_true(tl_reader_complete(b));
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        tl_rank_summary x, y;
        tl_reader_rank(a, rank, &x);
        tl_reader_rank(b, rank, &y);
        assert_int_equal(x.n_events, y.n_events);
        assert_int_equal(x.volume, y.volume);
        assert_int_equal(x.clock_ns, y.clock_ns);
        assert_int_equal(x.end, y.end);
        assert_string_equal(x.host, y.host);
        const tl_comm *c, *d;
        assert_int_equal(tl_reader_comms(a, rank, &c), tl_reader_comms(b, rank, &d));
        assert_memory_equal(c->members, d->members, RANKS * sizeof *c->members);
        const tl_site *s, *t;
        assert_int_equal(tl_reader_sites(a, rank, &s), tl_reader_sites(b, rank, &t));
        check_rank(b, rank);
    }
    assert_true(tl_reader_file_bytes(b) * 20 < tl_reader_file_bytes(a));
    tl_reader_close(a);
    tl_reader_close(b);
}

/* Every event of a rank, moved from its leader's. */
static void check_leader(tl_reader *r, uint32_t rank, uint32_t leader, bool with_volumes)
{
    tl_cursor *a, *b;
    tl_event e, led;
    tl_status status;
    assert_int_equal(tl_cursor_open(r, leader, &a, NULL), TL_OK);
    assert_int_equal(tl_cursor_open(r, rank, &b, NULL), TL_OK);
    do {
        status = tl_cursor_next(b, &e);
        assert_int_equal(tl_cursor_next(a, &led), status);
        if (status)
            break;
        tl_event_move(&led, leader, rank);
        led.clock_ns = e.clock_ns;
        if (!with_volumes)
            led.volume = e.volume;
        assert_true(test_same_event(&led, &e));
    } while (true);
    tl_cursor_close(a);
    tl_cursor_close(b);
}

/* Without the block after `offset`, what refers to it is lost, and said to be. */
static void check_lost_base(const char *path, uint64_t offset, uint32_t n_ranks)
{
    test_file file = test_load(path);
    file.data[offset] ^= 1;
    test_store(path, file.data, file.size);
    free(file.data);
    tl_reader *r = test_open_trace(path);
    assert_false(tl_reader_complete(r));
    for (uint32_t rank = 1; rank < n_ranks - 1; rank++) {
        tl_cursor *c;
        tl_event e;
        assert_int_equal(tl_cursor_open(r, rank, &c, NULL), TL_OK);
        assert_int_equal(tl_cursor_next(c, &e), TL_ERR_CORRUPT);
        assert_int_equal(tl_reader_leader(r, rank, 0), rank);
        tl_cursor_close(c);
    }
    tl_reader_close(r);
}

/* A ring in which every third rank computes more. */
static void leaders(void **state)
{
    (void)state;
    enum { RING = 800, HUGE = 100 * 1000 }; /* more than a block holds */
    char path[512];
    snprintf(path, sizeof path, "%s", test_scratch("ring.tl"));
    tl_run run = {.n_ranks = RING, .volume_unit = "none"};
    assert_int_equal(tl_trace_create(path, &run, NULL), TL_OK);
    for (uint32_t rank = 0; rank < RING; rank++) {
        tl_writer *w;
        assert_int_equal(tl_writer_open(path, rank, "host", &w, NULL), TL_OK);
        if (rank == 0) { /* a frame that is too large for a block */
            int64_t *list = calloc(HUGE, sizeof *list);
            for (int i = 0; i < HUGE; i++)
                list[i] = (int64_t)i * i * i;
            tl_event e = {.call = TL_MPI_Alltoallv, .list = list, .list_len = HUGE};
            assert_int_equal(tl_writer_put(w, &e), TL_OK);
            free(list);
        }
        for (int i = 0; i < 20; i++) {
            int32_t peer = (int32_t)(i % 2 ? rank + 1 : rank + RING - 1) % RING;
            tl_event e = {.call = i % 2 ? TL_MPI_Send : TL_MPI_Recv,
                          .comm = TL_COMM_WORLD,
                          .count = 8,
                          .type_bytes = 8,
                          .peer = peer,
                          .volume = rank % 3 ? 10 : 11};
            tl_event root = {.call = TL_MPI_Bcast, .comm = TL_COMM_WORLD, .peer = 7};
            assert_int_equal(tl_writer_put(w, &e), TL_OK);
            assert_int_equal(tl_writer_put(w, &root), TL_OK);
        }
        assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 1000 + rank), TL_OK);
    }
    pack(path, path);
    tl_reader *r = test_open_trace(path);
    assert_true(tl_reader_complete(r));
    for (uint32_t rank = 0; rank < RING; rank++) {
        bool inner = rank > 0 && rank < RING - 1;
        uint32_t leader = tl_reader_leader(r, rank, 1);
        assert_int_equal(leader, !inner ? rank : rank % 3 ? 1 : 3);
        check_leader(r, rank, leader, true);
        check_leader(r, rank, tl_reader_leader(r, rank, 0), false);
    }
    assert_int_equal(tl_reader_leader(r, RING + 1, 0), RING + 1);
    uint64_t first = r->frames[tl_reader_part(r, 1)->first_frame].payload.offset;
    tl_reader_close(r);
    check_lost_base(path, first + 100, RING);
    unlink(path);
}

static void in_place_and_again(void **state)
{
    (void)state;
    char again[512];
    snprintf(again, sizeof again, "%s", test_scratch("again.tl"));
    test_write_trace(again, RANKS, EVENTS, FLUSH);
    pack(again, again);
    tl_reader *r = test_open_trace(again), *once = test_open_trace(packed);
    uint64_t a, b;
    assert_int_equal(tl_reader_hash(r, &a, NULL), TL_OK);
    assert_int_equal(tl_reader_hash(once, &b, NULL), TL_OK);
    assert_true(a == b);
    check_rank(r, RANKS - 1);
    tl_reader_close(r);
    tl_reader_close(once);
    unlink(again);
}

/* Random places, back and forth. */
static void seek_in(const char *path, uint64_t n, uint64_t max_read)
{
    static int64_t list[TEST_MAX_LIST];
    tl_reader *r = test_open_trace(path);
    tl_cursor *c;
    tl_event e;
    test_random random = {.state = 5};
    for (uint32_t rank = 0; rank < RANKS; rank += 5) {
        assert_int_equal(tl_cursor_open(r, rank, &c, NULL), TL_OK);
        for (int i = 0; i < 50; i++) {
            uint64_t event = test_below(&random, n), before = tl_cursor_bytes_read(c);
            assert_int_equal(tl_cursor_seek(c, event), TL_OK);
            assert_int_equal(tl_cursor_position(c), event);
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            tl_event expected = test_regular_event(rank, event, list);
            assert_true(test_same_event(&e, &expected));
            assert_true(tl_cursor_bytes_read(c) - before <= max_read);
        }
        assert_int_equal(tl_cursor_seek(c, n + 1), TL_END);
        assert_int_equal(tl_cursor_seek(c, n), TL_OK);
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        assert_int_equal(tl_cursor_seek(c, 0), TL_OK);
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        tl_cursor_close(c);
    }
    tl_reader_close(r);
}

static void seek(void **state)
{
    (void)state;
    tl_reader *r = test_open_trace(packed);
    uint64_t packed_bytes = tl_reader_file_bytes(r);
    tl_reader_close(r);
    seek_in(plain, EVENTS, 1024); /* one of EVENTS / FLUSH frames of a rank */
    seek_in(packed, EVENTS, packed_bytes);
}

/* ---- generated streams ---- */

typedef struct loop {
    test_random random;
    uint64_t period, surprise; /* one event in so many is of its own */
    unsigned calls[40];
    uint64_t seeds[40];
} loop;

static loop make_loop(uint64_t stream)
{
    loop l = {.random = {.state = stream}};
    l.period = 1 + test_below(&l.random, 40);
    l.surprise = 1 + test_below(&l.random, 50);
    for (uint64_t i = 0; i < l.period; i++) {
        for (uint64_t n = test_below(&l.random, 300); n > 0 || !l.calls[i]; n -= n > 0)
            l.calls[i] = test_next_call(l.calls[i]);
        l.seeds[i] = test_next(&l.random);
    }
    return l;
}

/* Event i: as one period before but for a moving count, or unlike any other. */
static tl_event next_of_loop(loop *l, uint64_t i, int64_t *list)
{
    uint64_t place = i % l->period;
    bool alone = test_below(&l->random, l->surprise) == 0;
    test_random r = {.state = alone ? test_next(&l->random) : l->seeds[place]};
    tl_event e = test_random_event(&r, l->calls[place], list);
    if (tl_call_by_code(e.call)->slots & TL_SLOT_COUNT)
        e.count += (int64_t)(i / l->period);
    return e;
}

static void check_stream(const char *path, uint64_t stream, uint64_t n)
{
    static int64_t list[TEST_MAX_LIST];
    tl_reader *r = test_open_trace(path);
    for (uint32_t rank = 0; rank < 2; rank++) {
        loop l = make_loop(stream + rank);
        tl_cursor *c;
        tl_event e;
        assert_int_equal(tl_cursor_open(r, rank, &c, NULL), TL_OK);
        for (uint64_t i = 0; i < n; i++) {
            tl_event expected = next_of_loop(&l, i, list);
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            if (!test_same_event(&e, &expected))
                fail_msg("stream %llu, event %llu", (unsigned long long)stream,
                         (unsigned long long)i);
        }
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        tl_cursor_close(c);
    }
    tl_reader_close(r);
}

/* How many: TIMELESS_STREAMS, 100 without it. */
static void streams(void **state)
{
    (void)state;
    static int64_t list[TEST_MAX_LIST];
    const char *wanted = getenv("TIMELESS_STREAMS");
    char path[512], small[512];
    snprintf(path, sizeof path, "%s", test_scratch("stream.tl"));
    snprintf(small, sizeof small, "%s", test_scratch("small.tl"));
    for (uint64_t stream = 0; stream < (wanted ? strtoull(wanted, NULL, 10) : 100); stream++) {
        tl_error err;
        tl_run run = {.n_ranks = 2, .volume_unit = "none"};
        assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
        test_random size = {.state = ~stream};
        uint64_t n = test_below(&size, 2000);
        for (uint32_t rank = 0; rank < 2; rank++) {
            tl_writer *w;
            assert_int_equal(tl_writer_open(path, rank, "h", &w, &err), TL_OK);
            tl_writer_keep_times(w);
            loop l = make_loop(stream + rank);
            for (uint64_t i = 0; i < n; i++) {
                tl_event e = next_of_loop(&l, i, list);
                assert_int_equal(tl_writer_put(w, &e), TL_OK);
            }
            assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, n), TL_OK);
        }
        check_stream(path, stream, n);
        pack(path, small);
        check_stream(small, stream, n);
    }
    unlink(path);
    unlink(small);
}

/* ---- precision ---- */

enum { BURSTS = 3000 };

static tl_event burst(test_random *random, uint64_t i)
{
    uint64_t noise = test_below(random, 1 + (UINT64_C(1) << i % 40));
    return (tl_event){.call = TL_MPI_Barrier,
                      .comm = TL_COMM_WORLD,
                      .site = 1 + (uint32_t)(i % 3),
                      .volume = noise};
}

/* Each burst keeps its precision, but for the last one, and the total is exact. */
static void check_bursts(const char *path, double precision, uint64_t total)
{
    tl_reader *r = test_open_trace(path);
    tl_rank_summary summary;
    tl_reader_rank(r, 0, &summary);
    assert_true(summary.volume == total);
    assert_int_equal(summary.n_events, BURSTS);
    tl_cursor *c;
    tl_event e;
    test_random random = {.state = 9};
    assert_int_equal(tl_cursor_open(r, 0, &c, NULL), TL_OK);
    for (uint64_t i = 0; i + 1 < BURSTS; i++) {
        double was = (double)burst(&random, i).volume;
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        assert_true((double)e.volume >= was * (1 - precision) * (1 - 1e-12));
        assert_true((double)e.volume <= was * (1 + precision) * (1 + 1e-12));
    }
    tl_cursor_close(c);
    tl_reader_close(r);
}

static uint64_t write_bursts(const char *path)
{
    tl_error err;
    tl_run run = {.n_ranks = 1, .volume_unit = "instructions"};
    tl_writer *w;
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    test_random random = {.state = 9};
    uint64_t total = 0;
    for (uint64_t i = 0; i < BURSTS; i++) {
        tl_event e = burst(&random, i);
        total += e.volume;
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
    }
    assert_int_equal(tl_writer_close(w, TL_END_EXITED, 0), TL_OK);
    return total;
}

static void precision(void **state)
{
    (void)state;
    static const double precisions[] = {0.5, 1e-1, 1e-3, 1e-6};
    char path[512], rounded[512];
    snprintf(path, sizeof path, "%s", test_scratch("bursts.tl"));
    snprintf(rounded, sizeof rounded, "%s", test_scratch("rounded.tl"));
    uint64_t total = write_bursts(path);
    tl_error err;
    tl_reader *r = test_open_trace(path);
    for (size_t i = 0; i < sizeof precisions / sizeof *precisions; i++) {
        tl_pack_options options = {.volume_precision = precisions[i], .origin = "rounded"};
        assert_int_equal(tl_pack(r, &options, rounded, &err), TL_OK);
        check_bursts(rounded, precisions[i], total);
    }
    tl_reader *last = test_open_trace(rounded);
    assert_string_equal(tl_reader_run(last)->origin, "rounded");
    tl_reader_close(last);
    tl_pack_options wrong = {.volume_precision = -1};
    assert_int_equal(tl_pack(r, &wrong, rounded, &err), TL_ERR_USAGE);
    tl_reader_close(r);
    unlink(path);
    unlink(rounded);
}

/* ---- damage ---- */

/* What comes is right; what is missing is said, by rank and place in the file, unless the file ends
 * between two chunks, as that of a killed run does. */
static void check_damaged(const char *path, bool is_truncated)
{
    static int64_t list[TEST_MAX_LIST];
    tl_error err;
    tl_reader *r;
    if (tl_reader_open(path, &r, &err)) {
        assert_memory_equal(err.text, path, strlen(path)); /* the header of the file */
        return;
    }
    bool whole = true;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        tl_cursor *c;
        tl_event e;
        uint64_t n = 0;
        tl_status status;
        assert_int_equal(tl_cursor_open(r, rank, &c, &err), TL_OK);
        while ((status = tl_cursor_next(c, &e)) == TL_OK) {
            tl_event expected = test_regular_event(rank, n++, list);
            assert_true(test_same_event(&e, &expected));
        }
        tl_rank_summary summary;
        tl_reader_rank(r, rank, &summary);
        bool complete = n == EVENTS && summary.end == TL_END_FINALIZED;
        whole = whole && complete;
        if (status != TL_END)
            assert_memory_equal(tl_cursor_error(c)->text, path, strlen(path));
        else if (!complete)
            assert_true(is_truncated && summary.end == TL_END_NONE);
        tl_cursor_close(c);
    }
    assert_int_equal(tl_reader_complete(r), whole && !tl_reader_n_damages(r));
    assert_true(!whole || tl_reader_n_damages(r) || !is_truncated);
    tl_reader_close(r);
}

/* How many of each: TIMELESS_DAMAGES, 200 without it. */
static int n_damages(void)
{
    const char *wanted = getenv("TIMELESS_DAMAGES");
    return wanted ? (int)strtol(wanted, NULL, 10) : 200;
}

static void damage(const char *path)
{
    char bad[512];
    snprintf(bad, sizeof bad, "%s", test_scratch("bad.tl"));
    test_file whole = test_load(path);
    test_random random = {.state = 7};
    for (int i = 0; i < n_damages(); i++) {
        uint64_t bit = test_below(&random, 8 * whole.size);
        whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        test_store(bad, whole.data, whole.size);
        whole.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        check_damaged(bad, false);
        test_store(bad, whole.data, test_below(&random, whole.size));
        check_damaged(bad, true);
    }
    free(whole.data);
    unlink(bad);
}

static void damage_of_plain(void **state)
{
    (void)state;
    damage(plain);
}

static void damage_of_packed(void **state)
{
    (void)state;
    damage(packed);
}

static void damaged_is_refused(void **state)
{
    (void)state;
    char bad[512];
    snprintf(bad, sizeof bad, "%s", test_scratch("bad.tl"));
    test_file whole = test_load(plain);
    test_store(bad, whole.data, whole.size - 20);
    tl_reader *r = test_open_trace(bad);
    tl_error err;
    assert_int_equal(tl_pack(r, NULL, packed, &err), TL_ERR_TRUNCATED);
    assert_memory_equal(err.text, bad, strlen(bad));
    tl_reader_close(r);
    unlink(bad);
    free(whole.data);
    seek(NULL); /* the packed one still stands */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same),           cmocka_unit_test(leaders),
        cmocka_unit_test(in_place_and_again), cmocka_unit_test(seek),
        cmocka_unit_test(precision),          cmocka_unit_test(streams),
        cmocka_unit_test(damage_of_plain),    cmocka_unit_test(damage_of_packed),
        cmocka_unit_test(damaged_is_refused),
    };
    return cmocka_run_group_tests(tests, make_traces, remove_traces);
}
