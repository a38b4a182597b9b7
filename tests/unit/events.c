/* events.c - synthetic events and traces for the tests of the trace file. */
#include "events.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

uint64_t test_next(test_random *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15U; /* splitmix64 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9U;
    z = (z ^ z >> 27) * 0x94d049bb133111ebU;
    return z ^ z >> 31;
}

uint64_t test_below(test_random *r, uint64_t n)
{
    return test_next(r) % n;
}

/* Small numbers, large ones, and the ends of the range. */
static uint64_t draw(test_random *r)
{
    static const uint64_t extremes[] = {
        0,          1,         UINT64_MAX, (uint64_t)INT64_MAX, (uint64_t)INT64_MIN,
        UINT32_MAX, INT32_MAX, 1U << 31,   UINT16_MAX};
    switch (test_below(r, 4)) {
    case 0: return extremes[test_below(r, sizeof extremes / sizeof *extremes)];
    case 1: return test_next(r) >> test_below(r, 64);
    default: return test_below(r, 10);
    }
}

tl_event test_random_event(test_random *r, unsigned call, int64_t *list)
{
    uint32_t slots = tl_call_by_code(call)->slots;
    tl_event e = {.call = (uint16_t)call,
                  .site = test_below(r, 3) ? (uint32_t)test_below(r, 5) : (uint32_t)draw(r),
                  .volume = draw(r),
                  .polls = (uint32_t)draw(r)};
    e.took_ns = test_below(r, 3) ? (float)(draw(r) >> 1) : 0;
    if (slots & TL_SLOT_COUNT)
        e.count = (int64_t)draw(r);
    if (slots & TL_SLOT_TYPE)
        e.type_bytes = (int64_t)draw(r);
    if (slots & TL_SLOT_PEER)
        e.peer = (int32_t)draw(r);
    if (slots & TL_SLOT_TAG)
        e.tag = (int32_t)draw(r);
    if (slots & TL_SLOT_RECV_COUNT)
        e.recv_count = (int64_t)draw(r);
    if (slots & TL_SLOT_RECV_TYPE)
        e.recv_type_bytes = (int64_t)draw(r);
    if (slots & TL_SLOT_RECV_PEER)
        e.recv_peer = (int32_t)draw(r);
    if (slots & TL_SLOT_RECV_TAG)
        e.recv_tag = (int32_t)draw(r);
    if (slots & TL_SLOT_COMM)
        e.comm = (uint32_t)draw(r);
    if (slots & TL_SLOT_REQUEST)
        e.request = (uint32_t)draw(r);
    if (slots & TL_SLOT_NEW_COMM)
        e.new_comm = (uint32_t)draw(r);
    if (slots & TL_SLOT_FLAGS)
        e.flags = (uint16_t)draw(r);
    if (slots & TL_SLOT_CLOCK)
        e.clock_ns = draw(r);
    if (slots & TL_SLOT_LIST) {
        e.list_len = (uint32_t)test_below(r, test_below(r, 50) ? 8 : TEST_MAX_LIST);
        for (uint32_t i = 0; i < e.list_len; i++)
            list[i] = (int64_t)draw(r);
        e.list = list;
    }
    return e;
}

unsigned test_next_call(unsigned call)
{
    do
        call = (call + 1) % TL_CALL_LIMIT;
    while (!tl_call_by_code(call) || tl_call_by_code(call)->code != call);
    return call;
}

tl_event test_regular_event(uint32_t rank, uint64_t i, int64_t *list)
{
    int64_t step = (int64_t)(i / 6);
    int32_t other = (int32_t)(rank ^ 1);
    tl_event e = {.volume = 1000 + i % 6, .comm = TL_COMM_WORLD, .type_bytes = 8};
    switch (i % 6) {
    case 0:
        list[0] = 100000 - step;
        list[1] = 128;
        list[2] = 64;
        return (tl_event){
            .call = TL_KERNEL_dgemm, .site = 1, .volume = 500, .list_len = 3, .list = list};
    case 1:
        e.call = TL_MPI_Irecv;
        e.count = 5000 - step;
        e.peer = other;
        e.tag = 7;
        e.request = 1;
        break;
    case 2:
        e.call = TL_MPI_Send;
        e.count = 5000 - step;
        e.peer = other;
        e.tag = 7;
        break;
    case 3: return (tl_event){.call = TL_MPI_Wait, .site = 4, .volume = 20, .request = 1};
    case 4:
        return (tl_event){.call = TL_MPI_Allreduce,
                          .site = 5,
                          .volume = 77,
                          .comm = TL_COMM_FIRST,
                          .count = 1,
                          .type_bytes = 8};
    default:
        return (tl_event){.call = TL_MPI_Barrier,
                          .site = 6,
                          .volume = 3,
                          .comm = TL_COMM_WORLD,
                          .clock_ns = i * 1000 + rank};
    }
    e.site = (uint32_t)(i % 6) + 1;
    return e;
}

void test_write_trace(const char *path, uint32_t n_ranks, uint64_t n, uint64_t flush)
{
    tl_error err = {0};
    tl_run run = {.n_ranks = n_ranks,
                  .volume_unit = "instructions",
                  .volume_source = "test",
                  .program = "./a.out",
                  .mpi_library = "none",
                  .writer = "test"};
    if (tl_trace_create(path, &run, &err))
        fail_msg("%s", err.text);
    tl_writer **writers = calloc(n_ranks, sizeof(tl_writer *));
    int32_t *members = calloc(n_ranks, sizeof *members);
    assert_non_null(writers);
    assert_non_null(members);
    for (uint32_t r = 0; r < n_ranks; r++) {
        char host[16];
        snprintf(host, sizeof host, "node%u", r);
        members[r] = (int32_t)(n_ranks - 1 - r);
        if (tl_writer_open(path, r, host, &writers[r], &err))
            fail_msg("%s", err.text);
    }
    for (uint32_t r = 0; r < n_ranks; r++) {
        tl_comm comm = {.id = TL_COMM_FIRST,
                        .parent = TL_COMM_WORLD,
                        .call = TL_MPI_Comm_split,
                        .n_members = n_ranks,
                        .members = members};
        assert_int_equal(tl_writer_define_comm(writers[r], &comm), TL_OK);
        for (uint32_t s = 1; s <= 6; s++) {
            tl_site site = {.id = s, .object = "a.out", .offset = 0x1000 + 16 * s};
            assert_int_equal(tl_writer_define_site(writers[r], &site), TL_OK);
        }
    }
    int64_t list[TEST_MAX_LIST];
    for (uint64_t i = 0; i < n; i++) {
        for (uint32_t r = 0; r < n_ranks; r++) {
            tl_event e = test_regular_event(r, i, list);
            assert_int_equal(tl_writer_put(writers[r], &e), TL_OK);
            if (flush && i % flush == flush - 1)
                assert_int_equal(tl_writer_flush(writers[r]), TL_OK);
        }
    }
    for (uint32_t r = 0; r < n_ranks; r++)
        assert_int_equal(tl_writer_close(writers[r], TL_END_FINALIZED, n * 1000 + r), TL_OK);
    free(members);
    free(writers);
}

const char *test_scratch(const char *name)
{
    static char path[512];
    const char *folder = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/timeless-%ld-%s", folder ? folder : "/tmp", (long)getpid(),
             name);
    return path;
}

test_file test_load(const char *path)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    test_file out = {.size = (size_t)ftell(f)};
    rewind(f);
    out.data = malloc(out.size);
    assert_non_null(out.data);
    assert_int_equal(fread(out.data, 1, out.size, f), out.size);
    fclose(f);
    return out;
}

void test_store(const char *path, const uint8_t *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, size, f), size);
    fclose(f);
}

tl_reader *test_open_trace(const char *path)
{
    tl_error err;
    tl_reader *r;
    if (tl_reader_open(path, &r, &err))
        fail_msg("%s", err.text);
    return r;
}
