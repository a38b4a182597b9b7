/* index.c - the index of a packed trace: readers find the same with it as without; one that is
 * forged or stale does no harm. */
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

#include "../../compress/core/format.h"
#include "../../compress/index.h"
#include "../../compress/core/run.h"
#include "../../compress/core/writer.h"

enum { EVENTS = 606, SECTIONS = 202, SPACING = 50 };

/* The file that the current test writes, and parts of it. */
static char traced[512], packed[512], cut_of[512];

static int name_files(void **state)
{
    (void)state;
    snprintf(traced, sizeof traced, "%s", test_scratch("traced.tl"));
    snprintf(packed, sizeof packed, "%s", test_scratch("packed.tl"));
    snprintf(cut_of, sizeof cut_of, "%s", test_scratch("cut.tl"));
    return 0;
}

static int remove_files(void **state)
{
    (void)state;
    unlink(traced);
    unlink(packed);
    unlink(cut_of);
    return 0;
}

static void pack(const char *from, const char *to, uint64_t spacing)
{
    tl_error err;
    tl_reader *r = test_open_trace(from);
    if (tl_pack_indexed(r, NULL, 0, spacing, to, &err))
        fail_msg("%s", err.text);
    tl_reader_close(r);
}

/* The text of some sections of a trace; to be freed. */
static char *text_of_part(const char *path, size_t first, size_t last)
{
    tl_reader *r = test_open_trace(path);
    tl_span span;
    tl_error err;
    if (tl_span_of_sections(r, first, last, &span, &err) || tl_cut(r, &span, "", cut_of, &err))
        fail_msg("%s", err.text);
    tl_span_free(&span);
    tl_reader_close(r);
    r = test_open_trace(cut_of);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_int_equal(tl_text_write(r, out, &err), TL_OK);
    assert_int_equal(fclose(out), 0);
    tl_reader_close(r);
    return text;
}

static size_t count_sections(const char *path)
{
    tl_reader *r = test_open_trace(path);
    size_t n;
    assert_int_equal(tl_sections_count(r, &n, NULL), TL_OK);
    tl_reader_close(r);
    return n;
}

static void check_same_parts(const char *a, const char *b)
{
    static const size_t sections[][2] = {{0, 3}, {9, 9}, {100, 120}, {150, SECTIONS}, {201, 201}};
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        char *one = text_of_part(a, sections[i][0], sections[i][1]);
        char *other = text_of_part(b, sections[i][0], sections[i][1]);
        assert_string_equal(one, other);
        free(one);
        free(other);
    }
    assert_int_equal(count_sections(a), count_sections(b));
}

static void the_same_with_an_index(void **state)
{
    (void)state;
    tl_call_counts counts;
    test_write_trace(traced, 4, EVENTS, 100);
    pack(traced, packed, SPACING);
    tl_reader *r = test_open_trace(packed);
    for (uint32_t rank = 0; rank < 4; rank++) {
        tl_index index;
        assert_int_equal(tl_index_open(r, rank, &index), TL_OK);
        assert_in_range(index.n_places, 5, EVENTS / SPACING);
        tl_index_close(&index);
        assert_true(tl_reader_counts(r, rank, &counts));
        assert_int_equal(counts.n_events, EVENTS);
        assert_int_equal(counts.calls[TL_MPI_Irecv], EVENTS / 6);
        tl_call_counts_free(&counts);
    }
    tl_reader_close(r);
    check_same_parts(traced, packed);
}

/* ---- forged ---- */

/* What is different in a forged index; 0: nothing. */
typedef struct forgery {
    const char *name;
    uint64_t seed;                                     /* added to the right one */
    uint64_t more_irecv, more_send, unknown, repeated; /* counts */
    uint64_t users, user_events;
    uint64_t sections, n_places, distance, place_sections; /* added to the right ones */
    uint64_t n_requests, n_levels, open;
    int copies; /* of all events, behind it */
    bool is_short;
} forgery;

static void put(tl_buffer *out, uint64_t value)
{
    assert_true(tl_buffer_reserve(out, TL_VARINT_MAX_BYTES));
    tl_buffer_put_varint(out, value);
}

static void put_zeros(tl_buffer *out, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put(out, 0);
}

static void put_place(tl_buffer *out, const forgery *f, uint64_t number)
{
    tl_buffer place = {0};
    put(&place, number);
    put(&place, number / 6 * 2 + f->place_sections);
    put_zeros(&place, 2);
    put(&place, f->n_levels);
    for (uint64_t i = 0; i < f->n_levels && i < 1000000; i++) {
        put(&place, i);
        put(&place, 1);
    }
    put(&place, 0);
    put(&place, f->open);
    put(&place, 0);
    put_zeros(&place, 16 + 1); /* every message has both sides there */
    put_zeros(&place, 1);
    put(&place, f->n_requests);
    for (uint64_t i = 0; i < f->n_requests && i < 1000000; i++)
        put_zeros(&place, 2);
    put(out, place.size);
    assert_true(tl_buffer_reserve(out, place.size));
    memcpy(out->data + out->size, place.data, place.size);
    out->size += place.size;
    tl_buffer_free(&place);
}

/* The index of rank 0 as tl_indexer makes it, but for the forgery. */
static tl_buffer forge(const forgery *f, uint64_t seed)
{
    const struct count {
        unsigned code;
        uint64_t n;
    } calls[] = {{TL_MPI_Send, EVENTS / 6 + f->more_send},
                 {TL_MPI_Irecv, EVENTS / 6 + f->more_irecv},
                 {TL_MPI_Wait, EVENTS / 6},
                 {TL_MPI_Barrier, EVENTS / 6},
                 {TL_MPI_Allreduce, EVENTS / 6},
                 {TL_KERNEL_dgemm, EVENTS / 6 - f->unknown - f->repeated}};
    tl_buffer out = {0};
    put(&out, 1);
    assert_true(tl_buffer_reserve(&out, 8));
    tl_store64(out.data + out.size, seed + f->seed);
    out.size += 8;
    put(&out, 6 + (f->unknown > 0) + (f->repeated > 0));
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++)
        for (int i = 0; i < 6; i++)
            if (calls[i].code == code) {
                put(&out, code);
                put(&out, calls[i].n);
            }
    if (f->unknown) {
        put(&out, TL_CALL_LIMIT);
        put(&out, f->unknown);
    }
    if (f->repeated) {
        put(&out, TL_MPI_Wait);
        put(&out, f->repeated);
    }
    put(&out, f->users);
    for (uint64_t i = 0; i < f->users && i < 3; i++) {
        put(&out, i);
        put(&out, f->user_events);
    }
    put(&out, 0);
    put(&out, SECTIONS + f->sections);
    put(&out, 3 + f->n_places);
    for (uint64_t i = 1; i <= 3; i++)
        put_place(&out, f, i * (120 + f->distance));
    out.size -= f->is_short;
    return out;
}

static void write_rank(uint32_t rank, const forgery *f, uint64_t seed)
{
    tl_error err;
    tl_writer *w;
    int64_t list[TEST_MAX_LIST];
    const int32_t members[] = {0, 1};
    const tl_comm comm = {.id = TL_COMM_FIRST,
                          .parent = TL_COMM_WORLD,
                          .n_members = 2,
                          .members = (int32_t *)(uintptr_t)members};
    assert_int_equal(tl_writer_open(traced, rank, "h", &w, &err), TL_OK);
    assert_int_equal(tl_writer_define_comm(w, &comm), TL_OK);
    for (int copy = 0; copy <= (f ? f->copies : 0); copy++) {
        for (uint64_t i = 0; i < EVENTS; i++) {
            const tl_event e = test_regular_event(rank, i, list);
            assert_int_equal(tl_writer_put(w, &e), TL_OK);
        }
        assert_int_equal(tl_writer_flush(w), TL_OK);
        if (f && !copy) {
            tl_buffer payload = forge(f, seed);
            assert_int_equal(tl_writer_pass(w, TL_CHUNK_INDEX, payload.data, payload.size), TL_OK);
            tl_buffer_free(&payload);
        }
    }
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, UINT64_C(1000) * EVENTS), TL_OK);
}

/* Both ranks have a forged index, or none. */
static void write_forged(const forgery *f)
{
    tl_error err;
    const tl_run run = {.n_ranks = 2, .volume_unit = "instructions"};
    assert_int_equal(tl_trace_create(traced, &run, &err), TL_OK);
    tl_reader *r = test_open_trace(traced);
    const uint64_t seed = r->header.seed;
    tl_reader_close(r);
    for (uint32_t rank = 0; rank < 2; rank++)
        write_rank(rank, f, seed);
}

static bool counts_are_known(void)
{
    tl_call_counts counts;
    tl_reader *r = test_open_trace(traced);
    const bool known = tl_reader_counts(r, 0, &counts);
    if (known)
        tl_call_counts_free(&counts);
    tl_reader_close(r);
    return known;
}

/* The generator of this test makes an index that is used; otherwise the others would say nothing.
 */
static void one_that_is_right_is_used(void **state)
{
    (void)state;
    const forgery none = {.name = "none"};
    write_forged(&none);
    assert_true(counts_are_known());
    assert_int_equal(count_sections(traced), SECTIONS + 1);
}

static void one_that_cannot_be_is_ignored(void **state)
{
    (void)state;
    static const forgery forgeries[] = {
        {.name = "of another trace", .seed = 1},
        {.name = "too many of a call", .more_irecv = 1},
        {.name = "sum goes round", .more_irecv = UINT64_C(1) << 63, .more_send = UINT64_C(1) << 63},
        {.name = "a call that is not known", .unknown = 1},
        {.name = "a call twice", .repeated = 1},
        {.name = "kernels that are not called", .users = 1, .user_events = 1},
        {.name = "very many kernels", .users = UINT64_MAX},
        {.name = "too many sections", .sections = UINT64_MAX - SECTIONS},
        {.name = "fewer sections than before a place", .sections = 0 - (uint64_t)SECTIONS},
        {.name = "very many places", .n_places = UINT64_MAX / 2},
        {.name = "a place more than there is", .n_places = 1},
        {.name = "a place behind the events", .distance = EVENTS},
        {.name = "a place very far behind", .distance = UINT64_MAX / 8},
        {.name = "more sections than events", .place_sections = EVENTS},
        {.name = "events were added", .copies = 1},
        {.name = "a byte is missing", .is_short = true},
    };
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        const forgery *f = &forgeries[i];
        write_forged(f);
        if (counts_are_known())
            fail_msg("used: %s", f->name);
        assert_int_equal(count_sections(traced), (size_t)SECTIONS * (size_t)(1 + f->copies) + 1);
    }
}

/* Counts and places fit, but the state at the places is not that of the events: the part is cut
 * from all events. The test ends soon only if nothing takes the square of a number. */
static void a_state_that_cannot_be_is_ignored(void **state)
{
    (void)state;
    static const forgery forgeries[] = {
        {.name = "the same request again and again", .n_requests = 200000},
        {.name = "very many requests", .n_requests = UINT64_MAX},
        {.name = "many levels, and a request", .n_levels = 200000, .n_requests = 1},
        {.name = "very many levels", .n_levels = UINT64_MAX},
        {.name = "epochs without end", .open = UINT64_MAX - 1},
    };
    write_forged(NULL);
    char *expected = text_of_part(traced, 150, SECTIONS);
    for (size_t i = 0; i < sizeof forgeries / sizeof *forgeries; i++) {
        write_forged(&forgeries[i]);
        char *text = text_of_part(traced, 150, SECTIONS);
        if (strcmp(text, expected) != 0)
            fail_msg("another part: %s", forgeries[i].name);
        free(text);
    }
    free(expected);
}

/* A program that numbers its steps by MPI_Pcontrol. */
static void many_levels_take_no_square(void **state)
{
    (void)state;
    enum { LEVELS = 200000 };
    tl_error err;
    tl_writer *w;
    const tl_run run = {.n_ranks = 1, .volume_unit = "instructions"};
    assert_int_equal(tl_trace_create(traced, &run, &err), TL_OK);
    assert_int_equal(tl_writer_open(traced, 0, "h", &w, &err), TL_OK);
    for (int i = 0; i < LEVELS; i++) {
        const tl_event e = {.call = TL_MPI_Pcontrol, .tag = i, .clock_ns = (uint64_t)i};
        assert_int_equal(tl_writer_put(w, &e), TL_OK);
    }
    assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, LEVELS), TL_OK);
    pack(traced, packed, LEVELS / 2);
    tl_reader *r = test_open_trace(packed);
    tl_index index;
    assert_int_equal(tl_index_open(r, 0, &index), TL_OK);
    assert_int_equal(index.n_places, 1);
    assert_int_equal(tl_place_regions(&index.places[0], LEVELS / 2 - 1), 1);
    tl_index_close(&index);
    tl_reader_close(r);
}

/* A trace whose index is the last chunk of a rank, in a file that was cut off before its end. */
static void one_of_a_damaged_rank_is_ignored(void **state)
{
    (void)state;
    const forgery none = {.name = "none"};
    write_forged(&none);
    test_file file = test_load(traced);
    file.data[file.size / 3] ^= 1;
    test_store(traced, file.data, file.size);
    free(file.data);
    tl_reader *r = test_open_trace(traced);
    tl_index index;
    assert_true(tl_reader_n_damages(r));
    assert_int_equal(tl_index_open(r, 0, &index), TL_OK);
    assert_null(index.raw.data);
    tl_reader_close(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_with_an_index),
        cmocka_unit_test(one_that_is_right_is_used),
        cmocka_unit_test(one_that_cannot_be_is_ignored),
        cmocka_unit_test(a_state_that_cannot_be_is_ignored),
        cmocka_unit_test(many_levels_take_no_square),
        cmocka_unit_test(one_of_a_damaged_rank_is_ignored),
    };
    return cmocka_run_group_tests_name("index", tests, name_files, remove_files);
}
