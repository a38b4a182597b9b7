/* roundtrip.c - what is written is what is read: events, definitions, text. */
#include <math.h>
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

static tl_reader *open_trace(const char *path)
{
    tl_error err = {0};
    tl_reader *r;
    if (tl_reader_open(path, &r, &err))
        fail_msg("%s", err.text);
    return r;
}

static void random_events(void **state)
{
    (void)state;
    enum { RANKS = 3, EVENTS = 40000 };
    const char *path = test_scratch("random.tl");
    tl_error err = {0};
    tl_run run = {.n_ranks = RANKS, .volume_unit = "none"};
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    tl_writer *writers[RANKS];
    test_random random[RANKS];
    unsigned call[RANKS] = {0};
    static int64_t list[TEST_MAX_LIST];
    for (uint32_t r = 0; r < RANKS; r++) {
        assert_int_equal(tl_writer_open(path, r, "", &writers[r], &err), TL_OK);
        tl_writer_keep_times(writers[r]);
        random[r].state = r;
    }
    for (int i = 0; i < EVENTS; i++) {
        for (uint32_t r = 0; r < RANKS; r++) {
            call[r] = test_next_call(call[r]);
            tl_event e = test_random_event(&random[r], call[r], list);
            assert_int_equal(tl_writer_put(writers[r], &e), TL_OK);
        }
    }
    for (uint32_t r = 0; r < RANKS; r++)
        assert_int_equal(tl_writer_close(writers[r], TL_END_FINALIZED, r), TL_OK);

    tl_reader *reader = open_trace(path);
    assert_true(tl_reader_complete(reader));
    assert_int_equal(tl_reader_n_damages(reader), 0);
    for (uint32_t r = 0; r < RANKS; r++) {
        tl_cursor *c;
        assert_int_equal(tl_cursor_open(reader, r, &c, &err), TL_OK);
        random[r].state = r;
        uint64_t volume = 0;
        unsigned code = 0;
        tl_event e;
        for (int i = 0; i < EVENTS; i++) {
            code = test_next_call(code);
            tl_event expected = test_random_event(&random[r], code, list);
            volume += expected.volume;
            if (tl_cursor_next(c, &e))
                fail_msg("event %d: %s", i, tl_cursor_error(c)->text);
            assert_true(test_same_event(&e, &expected));
        }
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        assert_int_equal(tl_cursor_next(c, &e), TL_END);
        assert_int_equal(tl_cursor_position(c), EVENTS);
        tl_rank_summary summary;
        assert_int_equal(tl_reader_rank(reader, r, &summary), TL_OK);
        assert_int_equal(summary.n_events, EVENTS);
        assert_true(summary.volume == volume);
        assert_int_equal(summary.end, TL_END_FINALIZED);
        assert_int_equal(summary.clock_ns, r);
        tl_cursor_close(c);
    }
    tl_reader_close(reader);
    unlink(path);
}

static void assert_same_ranks(const int32_t *a, uint32_t n_a, const int32_t *b, uint32_t n_b)
{
    assert_int_equal(n_a, n_b);
    if (n_a)
        assert_memory_equal(a, b, n_a * sizeof *a);
}

static void definitions(void **state)
{
    (void)state;
    enum { RANKS = 100 };
    const char *path = test_scratch("definitions.tl");
    tl_error err = {0};
    tl_run run = {.n_ranks = RANKS,
                  .volume_unit = "cpu-ns",
                  .volume_source = "clock",
                  .program = "a b",
                  .mpi_library = "m",
                  .writer = "w",
                  .origin = "o"};
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    tl_writer *w;
    assert_int_equal(tl_writer_open(path, RANKS, "x", &w, &err), TL_ERR_NO_RANK);
    assert_int_equal(tl_writer_open(path, 99, "host99", &w, &err), TL_OK);
    int32_t strided[50], mixed[] = {3, 2, 99, 0, 1, 2, 50, 60, 70, 4}, one[] = {42};
    const int32_t neighbours[] = {TL_PROC_NULL, 9, 0};
    for (int i = 0; i < 50; i++)
        strided[i] = 98 - 2 * i;
    const tl_comm comms[] = {
        {.id = 3, .parent = 1, .call = TL_MPI_Comm_split, .n_members = 50, .members = strided},
        {.id = 4, .parent = 3, .call = TL_MPI_Comm_dup, .n_members = 10, .members = mixed},
        {.id = 7, .parent = 4, .call = TL_MPI_Cart_create, .n_members = 1, .members = one},
        {.id = 8, .parent = 1, .call = TL_MPI_Comm_dup, .n_members = 0, .members = one},
        {.id = 9,
         .parent = 1,
         .call = TL_MPI_Intercomm_create,
         .has_tag = 1,
         .tag = INT32_MIN,
         .n_members = 1,
         .members = one,
         .n_remote = 10,
         .remote = mixed},
        {.id = 10,
         .parent = 1,
         .call = TL_MPI_Cart_create,
         .n_members = 10,
         .members = mixed,
         .n_sources = 3,
         .sources = neighbours,
         .n_destinations = 2,
         .destinations = neighbours},
        {.id = 11,
         .parent = 1,
         .call = TL_MPI_File_open,
         .n_members = 1,
         .members = one,
         .name = "a \"file\""},
        {.id = 12,
         .parent = 1,
         .call = TL_MPI_Comm_create_group,
         .has_tag = 1,
         .n_members = 1,
         .members = one}};
    for (int i = 7; i >= 0; i--)
        assert_int_equal(tl_writer_define_comm(w, &comms[i]), TL_OK);
    tl_site site = {.id = 5, .object = "lib/x.so", .offset = UINT64_MAX};
    assert_int_equal(tl_writer_define_site(w, &site), TL_OK);
    const tl_user_kernel kernel = {.id = INT32_MAX, .name = "a \"kernel\""};
    assert_int_equal(tl_writer_define_kernel(w, &kernel), TL_OK);
    assert_int_equal(tl_writer_close(w, TL_END_EXITED, 0), TL_OK);

    tl_reader *r = open_trace(path);
    assert_string_equal(tl_reader_run(r)->volume_unit, "cpu-ns");
    assert_string_equal(tl_reader_run(r)->volume_source, "clock");
    assert_string_equal(tl_reader_run(r)->program, "a b");
    assert_string_equal(tl_reader_run(r)->mpi_library, "m");
    assert_string_equal(tl_reader_run(r)->writer, "w");
    assert_string_equal(tl_reader_run(r)->origin, "o");
    const tl_comm *read;
    assert_int_equal(tl_reader_comms(r, 99, &read), 8);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(read[i].id, comms[i].id);
        assert_int_equal(read[i].parent, comms[i].parent);
        assert_int_equal(read[i].call, comms[i].call);
        assert_int_equal(read[i].has_tag, comms[i].has_tag);
        assert_int_equal(read[i].tag, comms[i].tag);
        assert_int_equal(read[i].n_members, comms[i].n_members);
        assert_memory_equal(read[i].members, comms[i].members,
                            comms[i].n_members * sizeof *comms[i].members);
        assert_same_ranks(read[i].remote, read[i].n_remote, comms[i].remote, comms[i].n_remote);
        assert_same_ranks(read[i].sources, read[i].n_sources, comms[i].sources, comms[i].n_sources);
        assert_same_ranks(read[i].destinations, read[i].n_destinations, comms[i].destinations,
                          comms[i].n_destinations);
        assert_string_equal(read[i].name, comms[i].name ? comms[i].name : "");
    }
    char text[64];
    tl_site_text(r, 99, 5, text, sizeof text);
    assert_string_equal(text, "lib/x.so+0xffffffffffffffff");
    tl_site_text(r, 99, 6, text, sizeof text);
    assert_string_equal(text, "?");
    const tl_user_kernel *kernels;
    assert_int_equal(tl_reader_kernels(r, 99, &kernels), 1);
    assert_string_equal(kernels[0].name, "a \"kernel\"");
    tl_event event = {.call = TL_KERNEL_user, .tag = INT32_MAX};
    assert_ptr_equal(tl_reader_kernel_name(r, 99, &event), kernels[0].name);
    event.tag = 1;
    assert_null(tl_reader_kernel_name(r, 99, &event));
    tl_rank_summary summary;
    assert_int_equal(tl_reader_rank(r, 99, &summary), TL_OK);
    assert_string_equal(summary.host, "host99");
    assert_int_equal(tl_reader_rank(r, 5, &summary), TL_OK);
    assert_int_equal(summary.end, TL_END_NONE);
    assert_int_equal(tl_reader_rank(r, RANKS, &summary), TL_ERR_NO_RANK);
    assert_false(tl_reader_complete(r));
    tl_reader_close(r);
    unlink(path);
}

/* A rank that was killed has no end, and nothing is damaged. */
static void killed_rank(void **state)
{
    (void)state;
    const char *path = test_scratch("killed.tl");
    tl_error err = {0};
    tl_run run = {.n_ranks = 1};
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    tl_writer *w;
    assert_int_equal(tl_writer_open(path, 0, "h", &w, &err), TL_OK);
    tl_event e = {.call = TL_MPI_Wait, .request = 3};
    for (int i = 0; i < 10; i++) {
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
        if (i == 6)
            assert_int_equal(tl_writer_flush(w), TL_OK);
    }
    tl_writer_abandon(w);
    tl_reader *r = open_trace(path);
    assert_int_equal(tl_reader_n_damages(r), 0);
    assert_false(tl_reader_complete(r));
    tl_rank_summary summary;
    assert_int_equal(tl_reader_rank(r, 0, &summary), TL_OK);
    assert_int_equal(summary.n_events, 7);
    assert_int_equal(summary.end, TL_END_NONE);
    tl_cursor *c;
    assert_int_equal(tl_cursor_open(r, 0, &c, &err), TL_OK);
    for (int i = 0; i < 7; i++)
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
    assert_int_equal(tl_cursor_next(c, &e), TL_END);
    tl_cursor_close(c);
    tl_reader_close(r);
    unlink(path);
}

static void text(void **state)
{
    (void)state;
    char buf[256];
    int64_t list[] = {10, -20, 30};
    tl_event e = {.call = TL_MPI_Recv,
                  .count = 5,
                  .type_bytes = 8,
                  .peer = TL_ANY_SOURCE,
                  .tag = TL_ANY_TAG,
                  .comm = 1,
                  .volume = 12,
                  .polls = 3,
                  .site = 4};
    size_t n = tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(
        buf, "MPI_Recv count=5 type_bytes=8 peer=any tag=any comm=1 volume=12 polls=3 site=4");
    assert_int_equal(n, strlen(buf));
    assert_int_equal(tl_event_text(&e, buf, 9), n);
    assert_string_equal(buf, "MPI_Recv");
    assert_int_equal(tl_event_text(&e, NULL, 0), n);
    e = (tl_event){.call = TL_KERNEL_dgemm, .list_len = 3, .list = list};
    tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(buf, "dgemm m=10 n=-20 k=30 volume=0 site=0");
    e = (tl_event){.call = TL_MPI_Waitall, .list_len = 2, .list = list};
    tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(buf, "MPI_Waitall list=[10,-20] volume=0 site=0");
    e = (tl_event){.call = TL_MPI_Allreduce, .flags = TL_IN_PLACE | TL_NONCOMMUTATIVE, .comm = 2};
    tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(buf, "MPI_Allreduce count=0 type_bytes=0 comm=2 in_place=1 "
                             "noncommutative=1 volume=0 site=0");
    e = (tl_event){.call = TL_MPI_Pcontrol, .tag = -1, .clock_ns = 99};
    tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(buf, "MPI_Pcontrol level=-1 clock_ns=99 volume=0 site=0");
    e.took_ns = 1500;
    tl_event_text(&e, buf, sizeof buf);
    assert_string_equal(buf, "MPI_Pcontrol level=-1 clock_ns=99 took_ns=1500 volume=0 site=0");
}

/* A writer of a program that knows no durations ignores what is in their place; of others, what is
 * no duration is none. */
static void durations(void **state)
{
    (void)state;
    const char *path = test_scratch("durations.tl");
    const tl_run run = {.n_ranks = 2};
    const float given[] = {0, 1, 16777215, 1e30F, -1, NAN},
                kept[] = {0, 1, 16777215, 0x1p63F, 0, 0};
    enum { N = sizeof given / sizeof *given };
    tl_error err;
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    for (uint32_t rank = 0; rank < 2; rank++) {
        tl_writer *w;
        assert_int_equal(tl_writer_open(path, rank, "", &w, &err), TL_OK);
        if (rank)
            tl_writer_keep_times(w);
        for (int i = 0; i < N; i++) {
            const tl_event e = {.call = TL_MPI_Wait, .took_ns = given[i]};
            assert_int_equal(tl_writer_put(w, &e), TL_OK);
        }
        assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 0), TL_OK);
    }
    tl_reader *reader = open_trace(path);
    for (uint32_t rank = 0; rank < 2; rank++) {
        tl_cursor *c;
        tl_event e;
        assert_int_equal(tl_cursor_open(reader, rank, &c, &err), TL_OK);
        for (int i = 0; i < N; i++) {
            assert_int_equal(tl_cursor_next(c, &e), TL_OK);
            assert_true(e.took_ns == (rank ? kept[i] : 0));
        }
        tl_cursor_close(c);
    }
    tl_reader_close(reader);
    unlink(path);
}

static void wrong_use(void **state)
{
    (void)state;
    const char *path = test_scratch("wrong.tl");
    tl_error err = {0};
    tl_run run = {.n_ranks = 2};
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    tl_writer *w;
    assert_int_equal(tl_writer_open(path, 0, "", &w, &err), TL_OK);
    tl_event e = {.call = TL_KERNEL_dgemm - 1};
    assert_int_equal(tl_writer_put(w, &e), TL_ERR_USAGE);
    e.call = TL_MPI_Wait;
    assert_int_equal(tl_writer_put(w, &e), TL_ERR_USAGE); /* the first failure stays */
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 0), TL_ERR_USAGE);
    assert_int_equal(tl_writer_open("/no/such/folder/x.tl", 0, "", &w, &err), TL_ERR_SYSTEM);
    assert_null(w);
    run.n_ranks = 0;
    assert_int_equal(tl_trace_create(path, &run, &err), TL_ERR_LIMIT);
    tl_writer_abandon(NULL);
    tl_reader_close(NULL);
    tl_cursor_close(NULL);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_events), cmocka_unit_test(definitions),
        cmocka_unit_test(killed_rank),   cmocka_unit_test(durations),
        cmocka_unit_test(text),          cmocka_unit_test(wrong_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
