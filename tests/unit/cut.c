/* cut.c - sections, regions, and parts of a run as traces of their own. */
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

enum { RANKS = 2, INTER = TL_COMM_FIRST + 1, WINDOW };

/* A trace of two ranks from lists of events; rank 1's peers are mirrored. */
static char in_path[600], out_path[600];

static void write_run(const tl_event *rank0, size_t n0, const tl_event *rank1, size_t n1)
{
    snprintf(in_path, sizeof in_path, "%s", test_scratch("run.tl"));
    snprintf(out_path, sizeof out_path, "%s", test_scratch("part.tl"));
    tl_error err;
    tl_run run = {.n_ranks = RANKS, .volume_unit = "instructions", .program = "a.out"};
    assert_int_equal(tl_trace_create(in_path, &run, &err), TL_OK);
    for (uint32_t r = 0; r < RANKS; r++) {
        tl_writer *w;
        assert_int_equal(tl_writer_open(in_path, r, "host", &w, &err), TL_OK);
        int32_t members[] = {1, 0};
        tl_comm comm = {.id = TL_COMM_FIRST,
                        .parent = 1,
                        .call = TL_MPI_Comm_dup,
                        .n_members = RANKS,
                        .members = members};
        tl_site site = {.id = 1, .object = "a.out", .offset = 16};
        assert_int_equal(tl_writer_define_comm(w, &comm), TL_OK);
        /* Each rank alone on its side. */
        int32_t own = (int32_t)r, other = 1 - own;
        tl_comm inter = {.id = INTER,
                         .parent = 1,
                         .call = TL_MPI_Intercomm_create,
                         .n_members = 1,
                         .members = &own,
                         .n_remote = 1,
                         .remote = &other};
        assert_int_equal(tl_writer_define_comm(w, &inter), TL_OK);
        comm.id = WINDOW;
        comm.call = TL_MPI_Win_create;
        assert_int_equal(tl_writer_define_comm(w, &comm), TL_OK);
        assert_int_equal(tl_writer_define_site(w, &site), TL_OK);
        const tl_event *events = r ? rank1 : rank0;
        for (size_t i = 0; i < (r ? n1 : n0); i++)
            assert_int_equal(tl_writer_put(w, &events[i]), TL_OK);
        assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 1000000), TL_OK);
    }
}

/* Cuts and compares rank's part, as text, with the lines expected. */
static void check_part(uint32_t rank, const char *const *expected)
{
    tl_reader *r = test_open_trace(out_path);
    assert_true(tl_reader_complete(r));
    assert_string_equal(tl_reader_run(r)->origin, "test");
    assert_string_equal(tl_reader_run(r)->program, "a.out");
    const tl_comm *comms;
    assert_int_equal(tl_reader_comms(r, rank, &comms), 3);
    tl_rank_summary summary;
    assert_int_equal(tl_reader_rank(r, rank, &summary), TL_OK);
    assert_int_equal(summary.end, TL_END_CUT);
    assert_string_equal(summary.host, "host");
    tl_cursor *c;
    assert_int_equal(tl_cursor_open(r, rank, &c, NULL), TL_OK);
    tl_event e;
    char text[256];
    for (; *expected; expected++) {
        assert_int_equal(tl_cursor_next(c, &e), TL_OK);
        tl_event_text(&e, text, sizeof text);
        assert_string_equal(text, *expected);
    }
    assert_int_equal(tl_cursor_next(c, &e), TL_END);
    tl_cursor_close(c);
    tl_reader_close(r);
}

static tl_status cut(tl_span *span, tl_error *err)
{
    tl_reader *r = test_open_trace(in_path);
    tl_status status = tl_cut(r, span, "test", out_path, err);
    tl_span_free(span);
    tl_reader_close(r);
    return status;
}

static void cut_section(size_t a, size_t b)
{
    tl_error err;
    tl_span span;
    tl_reader *r = test_open_trace(in_path);
    if (tl_span_of_sections(r, a, b, &span, &err))
        fail_msg("%s", err.text);
    tl_reader_close(r);
    if (cut(&span, &err))
        fail_msg("%s", err.text);
}

static tl_status cut_events(uint64_t first, uint64_t past, tl_error *err)
{
    tl_span span;
    tl_reader *r = test_open_trace(in_path);
    assert_int_equal(tl_span_of_events(r, first, past, &span, err), TL_OK);
    tl_reader_close(r);
    return cut(&span, err);
}

static void remove_files(void)
{
    unlink(in_path);
    unlink(out_path);
}

#define INIT                                                                                       \
    {                                                                                              \
        .call = TL_MPI_Init, .clock_ns = 0                                                         \
    }
#define FINALIZE                                                                                   \
    {                                                                                              \
        .call = TL_MPI_Finalize, .clock_ns = 900, .volume = 9                                      \
    }
#define BARRIER(ns)                                                                                \
    {                                                                                              \
        .call = TL_MPI_Barrier, .comm = 1, .clock_ns = (ns), .volume = 5                           \
    }
#define SEND(to, t)                                                                                \
    {                                                                                              \
        .call = TL_MPI_Send, .comm = 1, .peer = (to), .tag = (t), .count = 1, .type_bytes = 8,     \
        .volume = 2                                                                                \
    }
#define RECV(from, t)                                                                              \
    {                                                                                              \
        .call = TL_MPI_Recv, .comm = 1, .peer = (from), .tag = (t), .count = 1, .type_bytes = 8,   \
        .volume = 2                                                                                \
    }
#define ISEND(to, t, id)                                                                           \
    {                                                                                              \
        .call = TL_MPI_Isend, .comm = 1, .peer = (to), .tag = (t), .count = 1, .type_bytes = 8,    \
        .request = (id), .volume = 2                                                               \
    }
#define IRECV(from, t, id)                                                                         \
    {                                                                                              \
        .call = TL_MPI_Irecv, .comm = 1, .peer = (from), .tag = (t), .count = 1, .type_bytes = 8,  \
        .request = (id), .volume = 2                                                               \
    }
#define WAIT(id)                                                                                   \
    {                                                                                              \
        .call = TL_MPI_Wait, .request = (id), .volume = 3                                          \
    }
#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

static void sections(void **state)
{
    (void)state;
    /* The second barrier is on a communicator of all ranks, the Allreduce on SELF is none. */
    const tl_event rank0[] = {
        INIT,
        SEND(1, 1),
        BARRIER(100),
        SEND(1, 2),
        {.call = TL_MPI_Allreduce, .comm = 2, .count = 1},
        {.call = TL_MPI_Barrier, .comm = 3, .clock_ns = 250, .site = 1, .volume = 4},
        FINALIZE};
    const tl_event rank1[] = {INIT,
                              RECV(0, 1),
                              BARRIER(110),
                              RECV(0, 2),
                              {.call = TL_MPI_Barrier, .comm = 3, .clock_ns = 280},
                              FINALIZE};
    write_run(rank0, COUNT_OF(rank0), rank1, COUNT_OF(rank1));
    tl_reader *r = test_open_trace(in_path);
    tl_section *list;
    size_t n;
    assert_int_equal(tl_sections_list(r, &list, &n, NULL), TL_OK);
    assert_int_equal(n, 3);
    assert_int_equal(list[0].call, 0);
    assert_int_equal(list[0].n_events, 4);
    assert_int_equal(list[0].clock_ns, 110);
    assert_int_equal(list[1].call, TL_MPI_Barrier);
    assert_int_equal(list[1].n_events, 5);
    assert_int_equal(list[1].clock_ns, 170);
    assert_int_equal(list[1].first_event, 2);
    assert_int_equal(list[2].site, 1);
    assert_int_equal(list[2].n_events, 4);
    free(list);
    tl_span span;
    tl_error err;
    assert_int_equal(tl_span_of_sections(r, 1, 3, &span, &err), TL_OK); /* to the end */
    tl_span_free(&span);
    assert_int_equal(tl_span_of_sections(r, 3, 3, &span, &err), TL_ERR_USAGE);
    assert_int_equal(tl_span_of_sections(r, 2, 1, &span, &err), TL_ERR_USAGE);
    tl_reader_close(r);

    cut_section(1, 1);
    check_part(0, (const char *const[]){
                      "MPI_Barrier comm=1 clock_ns=0 volume=0 site=0",
                      "MPI_Send count=1 type_bytes=8 peer=1 tag=2 comm=1 volume=2 site=0",
                      "MPI_Allreduce count=1 type_bytes=0 comm=2 volume=0 site=0",
                      "MPI_Barrier comm=3 clock_ns=150 volume=4 site=1", NULL});
    check_part(1, (const char *const[]){
                      "MPI_Barrier comm=1 clock_ns=0 volume=0 site=0",
                      "MPI_Recv count=1 type_bytes=8 peer=0 tag=2 comm=1 volume=2 site=0",
                      "MPI_Barrier comm=3 clock_ns=170 volume=0 site=0", NULL});
    cut_section(2, 2);
    check_part(0, (const char *const[]){"MPI_Barrier comm=3 clock_ns=0 volume=0 site=1",
                                        "MPI_Finalize clock_ns=650 volume=9 site=0", NULL});
    cut_section(0, 0);
    check_part(0, (const char *const[]){
                      "MPI_Init clock_ns=0 volume=0 site=0",
                      "MPI_Send count=1 type_bytes=8 peer=1 tag=1 comm=1 volume=2 site=0",
                      "MPI_Barrier comm=1 clock_ns=100 volume=5 site=0", NULL});
    remove_files();
}

static void regions(void **state)
{
    (void)state;
#define LEVEL(l, ns)                                                                               \
    {                                                                                              \
        .call = TL_MPI_Pcontrol, .tag = (l), .clock_ns = (ns), .volume = 1                         \
    }
    const tl_event rank[] = {INIT,         LEVEL(2, 10), LEVEL(0, 20), LEVEL(2, 30),
                             LEVEL(2, 40), BARRIER(50),  LEVEL(1, 60), FINALIZE};
    write_run(rank, COUNT_OF(rank), rank, COUNT_OF(rank));
    tl_reader *r = test_open_trace(in_path);
    tl_span span;
    tl_error err;
    assert_int_equal(tl_span_of_region(r, 2, 2, &span, &err), TL_ERR_USAGE);
    assert_int_equal(tl_span_of_region(r, 2, 1, &span, &err), TL_OK);
    tl_reader_close(r);
    assert_int_equal(cut(&span, &err), TL_OK);
    check_part(1, (const char *const[]){"MPI_Pcontrol level=2 clock_ns=0 volume=0 site=0",
                                        "MPI_Pcontrol level=2 clock_ns=10 volume=1 site=0",
                                        "MPI_Barrier comm=1 clock_ns=20 volume=5 site=0",
                                        "MPI_Pcontrol level=1 clock_ns=30 volume=1 site=0", NULL});
    remove_files();
}

/* Requests that began before the part are not completed in it; their volume stays. */
static void requests(void **state)
{
    (void)state;
    static const int64_t both[] = {1, 2}, started[] = {4, 0};
    const tl_event rank0[] = {
        INIT,
        ISEND(1, 1, 1), /* complete on the other side before the barrier */
        {.call = TL_MPI_Send_init,
         .comm = 1,
         .peer = 1,
         .tag = 9,
         .count = 3,
         .type_bytes = 4,
         .request = 4,
         .volume = 7},
        {.call = TL_MPI_Start, .request = 4},
        WAIT(4),
        {.call = TL_MPI_Recv_init, .comm = 1, .peer = 1, .tag = 9, .request = 5},
        {.call = TL_MPI_Request_free, .request = 5},
        BARRIER(10),
        ISEND(1, 2, 2),
        {.call = TL_MPI_Waitall, .list = both, .list_len = 2, .volume = 3},
        WAIT(0),
        {.call = TL_MPI_Startall, .list = started, .list_len = 2},
        WAIT(4),
        BARRIER(20),
        FINALIZE};
    const tl_event rank1[] = {INIT,
                              RECV(0, 1),
                              RECV(0, 9),
                              IRECV(0, 3, 1),
                              {.call = TL_MPI_Cancel, .request = 1},
                              BARRIER(10),
                              WAIT(1),
                              /* any source: the match tells */
                              IRECV(TL_ANY_SOURCE, TL_ANY_TAG, 3),
                              {.call = TL_MPI_Match, .request = 3, .tag = 2},
                              WAIT(3),
                              {.call = TL_MPI_Match, .tag = 9},
                              {.call = TL_MPI_Recv, .comm = 1, .peer = TL_ANY_SOURCE, .tag = 9},
                              BARRIER(20),
                              FINALIZE};
    write_run(rank0, COUNT_OF(rank0), rank1, COUNT_OF(rank1));
    cut_section(1, 1);
    check_part(0,
               (const char *const[]){
                   ("MPI_Send_init count=3 type_bytes=4 peer=1 tag=9 comm=1 request=4 volume=0 "
                    "site=0"),
                   "MPI_Barrier comm=1 clock_ns=0 volume=0 site=0",
                   "MPI_Isend count=1 type_bytes=8 peer=1 tag=2 comm=1 request=2 volume=2 site=0",
                   "MPI_Waitall list=[2] volume=3 site=0", "MPI_Wait request=0 volume=3 site=0",
                   "MPI_Startall list=[4,0] volume=0 site=0", "MPI_Wait request=4 volume=3 site=0",
                   "MPI_Barrier comm=1 clock_ns=10 volume=5 site=0", NULL});
    check_part(1, (const char *const[]){
                      "MPI_Barrier comm=1 clock_ns=0 volume=0 site=0",
                      ("MPI_Irecv count=1 type_bytes=8 peer=any tag=any comm=1 request=3 volume=5 "
                       "site=0"),
                      "Match peer=0 tag=2 request=3 volume=0 site=0",
                      "MPI_Wait request=3 volume=3 site=0",
                      "Match peer=0 tag=9 request=0 volume=0 site=0",
                      "MPI_Recv count=0 type_bytes=0 peer=any tag=9 comm=1 volume=0 site=0",
                      "MPI_Barrier comm=1 clock_ns=10 volume=5 site=0", NULL});
    remove_files();
}

static void check_refused(uint64_t first, uint64_t past, const char *words)
{
    tl_error err = {0};
    assert_int_equal(cut_events(first, past, &err), TL_ERR_UNSUPPORTED);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
    assert_int_not_equal(access(out_path, F_OK), 0);
    char part[700];
    snprintf(part, sizeof part, "%s.%ld-0.part", out_path, (long)getpid());
    assert_int_not_equal(access(part, F_OK), 0);
}

static void refusals(void **state)
{
    (void)state;
    tl_error err;
    const tl_event rank0[] = {INIT, SEND(1, 1), BARRIER(1), SEND(1, 2), BARRIER(2)};
    const tl_event rank1[] = {INIT, BARRIER(1), RECV(0, 1), RECV(0, 2), BARRIER(2)};
    write_run(rank0, COUNT_OF(rank0), rank1, COUNT_OF(rank1));
    check_refused(0, 2, "collective calls");
    check_refused(2, 5, "collective calls");
    tl_span span;
    tl_reader *r = test_open_trace(in_path);
    /* The receive of the message stands behind the barrier: it is under way there. */
    assert_int_equal(tl_span_of_sections(r, 1, 1, &span, &err), TL_OK);
    assert_int_equal(tl_cut(r, &span, "test", out_path, &err), TL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "from rank 0 to rank 1 is under way"));
    /* Never the trace itself. */
    assert_int_equal(tl_cut(r, &span, "test", in_path, &err), TL_ERR_USAGE);
    tl_span_free(&span);
    assert_int_equal(tl_span_of_sections(r, 0, 0, &span, &err), TL_OK);
    assert_int_equal(tl_cut(r, &span, "test", out_path, &err), TL_ERR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "1 messages from rank 0 to rank 1 have only their send"));
    tl_span_free(&span);
    tl_reader_close(r);

    const tl_event tags0[] = {INIT, SEND(1, 1), BARRIER(1)};
    const tl_event tags1[] = {INIT, RECV(0, 2), BARRIER(1)};
    write_run(tags0, COUNT_OF(tags0), tags1, COUNT_OF(tags1));
    check_refused(0, 3, "from rank 0 to rank 1 in the part differ in their tags");

    const tl_event open0[] = {INIT, BARRIER(1)};
    const tl_event open1[] = {INIT, BARRIER(1), IRECV(TL_ANY_SOURCE, 1, 1)};
    write_run(open0, COUNT_OF(open0), open1, COUNT_OF(open1));
    check_refused(0, 3, "rank 1 from any rank is not finished");
    remove_files();
}

static void refuse_section(size_t section, const char *words)
{
    tl_error err;
    tl_span span;
    tl_reader *r = test_open_trace(in_path);
    assert_int_equal(tl_span_of_sections(r, section, section, &span, &err), TL_OK);
    tl_reader_close(r);
    assert_int_equal(cut(&span, &err), TL_ERR_UNSUPPORTED);
    if (!strstr(err.text, words))
        fail_msg("'%s' is not in: %s", words, err.text);
}

/* Messages to the other group, epochs, persistent collectives. */
static void other_objects(void **state)
{
    (void)state;
#define ON(name, object)                                                                           \
    {                                                                                              \
        .call = TL_MPI_##name, .comm = (object)                                                    \
    }
    const tl_event made = {.call = TL_MPI_Bcast_init, .comm = 1, .count = 2, .request = 1};
    const tl_event started = {.call = TL_MPI_Start, .request = 1};
    const tl_event rank0[] = {
        INIT,        {.call = TL_MPI_Send, .comm = INTER, .peer = 0, .tag = 1},
        BARRIER(10), ON(Win_lock_all, WINDOW),
        BARRIER(20), ON(Win_unlock_all, WINDOW),
        made,        started,
        WAIT(1),     BARRIER(30),
        started,     WAIT(1),
        BARRIER(40), FINALIZE};
    const tl_event rank1[] = {
        INIT,        {.call = TL_MPI_Recv, .comm = INTER, .peer = 0, .tag = 1},
        BARRIER(10), BARRIER(20),
        made,        started,
        WAIT(1),     BARRIER(30),
        started,     WAIT(1),
        BARRIER(40), FINALIZE};
    write_run(rank0, COUNT_OF(rank0), rank1, COUNT_OF(rank1));
    cut_section(0, 0);
    refuse_section(1, "rank 0 has a lock, an access or exposure epoch or a split file operation "
                      "open where the part ends");
    refuse_section(2, "open where the part begins");
    cut_section(3, 3);
    check_part(1, (const char *const[]){
                      "MPI_Bcast_init count=2 type_bytes=0 peer=0 comm=1 request=1 volume=0 site=0",
                      "MPI_Barrier comm=1 clock_ns=0 volume=0 site=0",
                      "MPI_Start request=1 volume=0 site=0", "MPI_Wait request=1 volume=3 site=0",
                      "MPI_Barrier comm=1 clock_ns=10 volume=5 site=0", NULL});
    /* Rank 1 does not start it again. */
    const tl_event lazy[] = {INIT,        {.call = TL_MPI_Recv, .comm = INTER, .peer = 0, .tag = 1},
                             BARRIER(10), BARRIER(20),
                             made,        started,
                             WAIT(1),     BARRIER(30),
                             BARRIER(40), FINALIZE};
    write_run(rank0, COUNT_OF(rank0), lazy, COUNT_OF(lazy));
    refuse_section(3, "collective calls");
    remove_files();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections), cmocka_unit_test(regions),       cmocka_unit_test(requests),
        cmocka_unit_test(refusals), cmocka_unit_test(other_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
