/* damage.c - a truncated, flipped or hostile file: what is intact is read, the rest is reported,
 * and nothing crashes, hangs or takes memory without cause. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/codec.h"
#include "core/definitions.h"
#include "core/append.h"
#include "events.h"
#include "core/frame.h"
#include "core/run.h"
#include "timeless_convert.h"
#include "timeless_files.h"

enum { RANKS = 3, EVENTS = 600, FLUSH = 50 };

static void check_message(const tl_error *err, tl_status status, const char *path)
{
    assert_int_equal(err->status, status);
    assert_memory_equal(err->text, path, strlen(path));
    assert_null(strchr(err->text, '\n'));
}

/* Reads everything.  Every event that comes must be the right one; a rank that lacks some must say
 * so, and the trace must not be called complete.  Returns the number of ranks read to their end. */
static int check_damaged(const char *path, const test_file *whole, const test_file *now)
{
    tl_error err = {0};
    tl_reader *r;
    tl_status status = tl_reader_open(path, &r, &err);
    if (status) {
        assert_null(r);
        check_message(&err, status, path);
        return 0;
    }
    bool same = whole->size == now->size && !memcmp(whole->data, now->data, now->size);
    assert_int_equal(tl_reader_complete(r), same);
    for (size_t i = 0; i < tl_reader_n_damages(r); i++)
        check_message(tl_reader_damage(r, i), tl_reader_damage(r, i)->status, path);
    int n_whole = 0;
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        tl_cursor *c;
        assert_int_equal(tl_cursor_open(r, rank, &c, &err), TL_OK);
        int64_t list[TEST_MAX_LIST];
        tl_event e;
        uint64_t n = 0;
        while ((status = tl_cursor_next(c, &e)) == TL_OK) {
            tl_event expected = test_regular_event(rank, n++, list);
            assert_true(test_same_event(&e, &expected));
        }
        tl_rank_summary summary;
        assert_int_equal(tl_reader_rank(r, rank, &summary), TL_OK);
        assert_int_equal(summary.n_events, n);
        if (summary.end == TL_END_FINALIZED) {
            assert_int_equal(status, TL_END);
            assert_int_equal(n, EVENTS);
            n_whole++;
        } else if (status == TL_END) {
            /* Only a file that ends between two chunks looks like a killed run. */
            assert_int_equal(tl_reader_n_damages(r), 0);
            assert_true(now->size < whole->size);
        } else {
            assert_true(status == TL_ERR_CORRUPT || status == TL_ERR_TRUNCATED);
            check_message(tl_cursor_error(c), status, path);
            assert_int_equal(tl_cursor_next(c, &e), status);
        }
        tl_cursor_close(c);
    }
    tl_reader_close(r);
    return n_whole;
}

static void truncations(void **state)
{
    (void)state;
    char path[600], cut[600];
    snprintf(path, sizeof path, "%s", test_scratch("whole.tl"));
    snprintf(cut, sizeof cut, "%s", test_scratch("cut.tl"));
    test_write_trace(path, RANKS, EVENTS, FLUSH);
    test_file whole = test_load(path);
    assert_int_equal(check_damaged(path, &whole, &whole), RANKS);
    for (size_t size = 0; size < whole.size; size += 64) {
        test_file now = {.data = whole.data, .size = size};
        test_store(cut, now.data, now.size);
        assert_true(check_damaged(cut, &whole, &now) < RANKS);
    }
    free(whole.data);
    unlink(path);
    unlink(cut);
}

static void bit_flips(void **state)
{
    (void)state;
    char path[600];
    snprintf(path, sizeof path, "%s", test_scratch("flip.tl"));
    test_write_trace(path, RANKS, EVENTS, FLUSH);
    test_file whole = test_load(path);
    test_file now = {.data = malloc(whole.size), .size = whole.size};
    assert_non_null(now.data);
    test_random random = {.state = 4};
    int n_opened = 0;
    for (int i = 0; i < 200; i++) {
        memcpy(now.data, whole.data, whole.size);
        now.data[test_below(&random, whole.size)] ^= (uint8_t)(1 << test_below(&random, 8));
        test_store(path, now.data, now.size);
        int n_whole = check_damaged(path, &whole, &now);
        /* One flipped bit is in one chunk: of one rank. */
        assert_true(n_whole == 0 || n_whole == RANKS - 1);
        n_opened += n_whole > 0;
    }
    assert_true(n_opened > 150);
    free(now.data);
    free(whole.data);
    unlink(path);
}

/* The bytes of one rank's chunk in the middle are zeroed: everything before and the others stay. */
static void lost_chunk(void **state)
{
    (void)state;
    const char *path = test_scratch("lost.tl");
    test_write_trace(path, RANKS, EVENTS, FLUSH);
    test_file whole = test_load(path);
    tl_run_header header;
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    assert_int_equal(tl_run_read(fileno(f), path, &header, NULL), TL_OK);
    fclose(f);
    size_t at = header.bytes;
    for (;;) {
        tl_chunk chunk;
        assert_true(tl_chunk_parse(whole.data + at, header.seed, &chunk));
        if (chunk.rank == 1 && chunk.first_event == 5UL * FLUSH) {
            memset(whole.data + at, 0, TL_CHUNK_HEADER_BYTES + chunk.stored_bytes);
            break;
        }
        at += TL_CHUNK_HEADER_BYTES + chunk.stored_bytes;
    }
    tl_run_free(&header);
    test_store(path, whole.data, whole.size);
    tl_error err;
    tl_reader *r;
    assert_int_equal(tl_reader_open(path, &r, &err), TL_OK);
    for (uint32_t rank = 0; rank < RANKS; rank++) {
        tl_rank_summary summary;
        assert_int_equal(tl_reader_rank(r, rank, &summary), TL_OK);
        assert_int_equal(summary.n_events, rank == 1 ? 5 * FLUSH : EVENTS);
        assert_int_equal(summary.end, rank == 1 ? TL_END_NONE : TL_END_FINALIZED);
    }
    assert_true(tl_reader_n_damages(r) > 0);
    char where[700];
    snprintf(where, sizeof where, "%s:%zu:", path, at);
    assert_memory_equal(tl_reader_damage(r, 0)->text, where, strlen(where));
    tl_reader_close(r);
    free(whole.data);
    unlink(path);
}

/* ---- hostile files: every checksum is right ---- */

static uint64_t start_file(tl_buffer *out, uint32_t n_ranks)
{
    tl_run run = {.n_ranks = n_ranks};
    assert_int_equal(tl_run_encode(&run, out, NULL), TL_OK);
    return tl_load64(out->data + out->size - 8);
}

static void put_chunk(tl_buffer *out, tl_chunk chunk, const void *raw, size_t size, uint64_t seed)
{
    tl_packer *packer = tl_packer_new();
    assert_non_null(packer);
    assert_int_equal(tl_chunk_append(packer, &chunk, raw, size, seed, out), TL_OK);
    tl_packer_free(packer);
}

/* Signs a chunk header at `at` again after it has been changed. */
static void sign(tl_buffer *out, size_t at, uint64_t seed)
{
    uint8_t *h = out->data + at;
    tl_store32(h + 44, (uint32_t)tl_hash_of(h, 44, seed));
    tl_hash *hash = tl_hash_new();
    assert_non_null(hash);
    tl_hash_reset(hash, seed);
    tl_hash_update(hash, h, TL_CHUNK_HASHED_BYTES);
    tl_hash_update(hash, h + TL_CHUNK_HEADER_BYTES, out->size - at - TL_CHUNK_HEADER_BYTES);
    tl_store64(h + TL_CHUNK_HASHED_BYTES, tl_hash_digest(hash));
    tl_hash_free(hash);
}

/* Opens and reads every rank; the file must be refused or its damage reported. */
static tl_status read_hostile(const tl_buffer *out)
{
    const char *path = test_scratch("hostile.tl");
    test_store(path, out->data, out->size);
    tl_error err = {0};
    tl_reader *r;
    tl_status status = tl_reader_open(path, &r, &err);
    if (status) {
        check_message(&err, status, path);
    } else {
        assert_false(tl_reader_complete(r));
        tl_cursor *c;
        status = tl_cursor_open(r, 0, &c, &err);
        assert_int_equal(status, TL_OK);
        tl_event e;
        while ((status = tl_cursor_next(c, &e)) == TL_OK)
            continue;
        tl_cursor_close(c);
        tl_reader_close(r);
    }
    unlink(path);
    return status;
}

static void hostile_headers(void **state)
{
    (void)state;
    static const uint8_t raw[64] = {0};
    /* Offset, bytes, value of a header field of a chunk of events, and the status that follows. */
    static const struct {
        unsigned offset, bytes;
        uint64_t value;
        tl_status status;
    } cases[] = {
        {4, 1, 77, TL_ERR_VERSION},                  /* unknown mandatory type */
        {4, 1, 0x80 | 77, TL_END},                   /* optional */
        {5, 1, 9, TL_ERR_CORRUPT},                   /* unknown packing */
        {6, 2, 1, TL_ERR_CORRUPT},                   /* reserved */
        {8, 4, 1, TL_ERR_CORRUPT},                   /* no such rank */
        {12, 4, 5, TL_ERR_CORRUPT},                  /* sequence with a gap */
        {16, 8, 7, TL_ERR_CORRUPT},                  /* events with a gap */
        {32, 4, 0, TL_ERR_CORRUPT},                  /* no events */
        {32, 4, UINT32_MAX, TL_ERR_CORRUPT},         /* more events than bytes */
        {36, 4, 63, TL_ERR_CORRUPT},                 /* raw is smaller than said */
        {36, 4, UINT32_C(64) << 20, TL_ERR_CORRUPT}, /* 64 MiB from a few bytes */
        {36, 4, UINT32_MAX, TL_ERR_CORRUPT},
        {40, 4, UINT32_MAX, TL_ERR_TRUNCATED}, /* beyond the file */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tl_buffer out = {0};
        uint64_t seed = start_file(&out, 1);
        size_t at = out.size;
        put_chunk(&out, (tl_chunk){.type = TL_CHUNK_EVENTS, .n_events = 5}, raw, sizeof raw, seed);
        uint8_t *field = out.data + at + cases[i].offset;
        for (unsigned k = 0; k < cases[i].bytes; k++)
            field[k] = (uint8_t)(cases[i].value >> 8 * k);
        sign(&out, at, seed);
        tl_status status = read_hostile(&out);
        if (status != cases[i].status)
            fail_msg("case %zu: %s", i, tl_status_text(status));
        tl_buffer_free(&out);
    }
}

/* Random bytes as frames and as definitions, with right checksums. */
static void hostile_payloads(void **state)
{
    (void)state;
    test_random random = {.state = 11};
    for (int i = 0; i < 3000; i++) {
        uint8_t raw[300];
        size_t size = 1 + test_below(&random, sizeof raw);
        for (size_t k = 0; k < size; k++)
            raw[k] =
                (uint8_t)(test_below(&random, 3) ? test_below(&random, 12) : test_next(&random));
        tl_buffer out = {0};
        uint64_t seed = start_file(&out, 1 + (uint32_t)test_below(&random, 100));
        if (i % 2) {
            /* Lengths of the streams that fit, so that the decoder gets to work. */
            size_t rest = size;
            for (int k = 0; k < TL_N_STREAMS && size > TL_N_STREAMS; k++) {
                bool last = k == TL_N_STREAMS - 1;
                raw[k] = (uint8_t)(last ? 0 : test_below(&random, (size - TL_N_STREAMS) / 8 + 1));
                rest = rest > raw[k] ? rest - raw[k] : 0;
            }
            if (size > TL_N_STREAMS && rest >= TL_N_STREAMS)
                raw[TL_N_STREAMS - 1] = (uint8_t)((rest - TL_N_STREAMS) & 0x7f);
        }
        tl_chunk chunk = {.type = i % 2 ? TL_CHUNK_EVENTS : TL_CHUNK_DEFINITIONS};
        if (i % 2)
            chunk.n_events = 1 + (uint32_t)test_below(&random, size);
        put_chunk(&out, chunk, raw, size, seed);
        read_hostile(&out);
        tl_buffer_free(&out);
    }
}

/* A communicator of all of 2^24 ranks, many times over, in a file of a few hundred bytes. */
static void hostile_members(void **state)
{
    (void)state;
    tl_buffer out = {0}, raw = {0};
    uint64_t seed = start_file(&out, TL_MAX_RANKS);
    static int32_t two[2] = {0, 1};
    tl_comm comm = {.id = 3, .n_members = 2, .members = two};
    assert_true(tl_define_comm(&raw, &comm));
    raw.size = 0;
    for (uint32_t id = 3; id < 20; id++) {
        assert_true(tl_buffer_reserve(&raw, 64));
        uint8_t *p = raw.data + raw.size, *length = p + 1;
        *p++ = TL_DEFINE_COMM;
        p++;
        p = tl_put_varint(p, id);
        p = tl_put_varint(p, 1);
        p = tl_put_varint(p, TL_MPI_Comm_dup);
        p = tl_put_varint(p, TL_MAX_RANKS - id);
        p = tl_put_varint(p, 0);
        p = tl_put_varint(p, 2);
        p = tl_put_varint(p, TL_MAX_RANKS - id);
        *length = (uint8_t)(p - length - 1);
        raw.size = (size_t)(p - raw.data);
    }
    put_chunk(&out, (tl_chunk){.type = TL_CHUNK_DEFINITIONS}, raw.data, raw.size, seed);
    assert_int_equal(read_hostile(&out), TL_ERR_LIMIT);
    tl_buffer_free(&raw);
    tl_buffer_free(&out);
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    assert_true(TEST_SANITIZED || usage.ru_maxrss < 64L * 1024);
}

/* Headers whose lengths overlap must not make the search for the next chunk quadratic. */
static void hostile_overlap(void **state)
{
    (void)state;
    tl_buffer out = {0};
    uint64_t seed = start_file(&out, 1);
    enum { N = 8000 };
    uint8_t h[TL_CHUNK_HEADER_BYTES] = TL_CHUNK_MAGIC;
    h[4] = TL_CHUNK_EVENTS;
    assert_true(tl_buffer_reserve(&out, N * sizeof h));
    for (uint32_t i = 0; i < N; i++) {
        tl_store32(h + 40, (N - i - 1) * (uint32_t)sizeof h);
        tl_store32(h + 44, (uint32_t)tl_hash_of(h, 44, seed));
        memcpy(out.data + out.size, h, sizeof h);
        out.size += sizeof h;
    }
    assert_int_equal(read_hostile(&out), TL_ERR_CORRUPT);
    tl_buffer_free(&out);
}

static void not_a_trace(void **state)
{
    (void)state;
    const char *path = test_scratch("other.txt");
    tl_error err;
    tl_reader *r;
    static const char text[] = "This is a text of more than twenty-four bytes.\n";
    test_store(path, (const uint8_t *)text, sizeof text);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_NOT_A_TRACE);
    check_message(&err, TL_ERR_NOT_A_TRACE, path);
    test_store(path, (const uint8_t *)text, 3);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_NOT_A_TRACE);
    test_store(path, (const uint8_t *)text, 0);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_NOT_A_TRACE);
    unlink(path);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_SYSTEM);
    check_message(&err, TL_ERR_SYSTEM, path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_NOT_A_TRACE);
    rmdir(path);
    /* A version to come. */
    test_write_trace(path, 1, 10, 0);
    test_file f = test_load(path);
    f.data[8] = 2;
    test_store(path, f.data, f.size);
    assert_int_equal(tl_reader_open(path, &r, &err), TL_ERR_VERSION);
    free(f.data);
    unlink(path);
}

/* Chunks that may be skipped are skipped. */
static void optional_chunk(void **state)
{
    (void)state;
    tl_buffer out = {0};
    uint64_t seed = start_file(&out, 1);
    put_chunk(&out, (tl_chunk){.type = TL_CHUNK_OPTIONAL | 9}, "hello", 5, seed);
    uint8_t end[TL_END_PAYLOAD_BYTES] = {TL_END_FINALIZED, 0, 0, 0, 42};
    put_chunk(&out, (tl_chunk){.type = TL_CHUNK_END, .sequence = 1}, end, sizeof end, seed);
    const char *path = test_scratch("optional.tl");
    test_store(path, out.data, out.size);
    tl_reader *r;
    assert_int_equal(tl_reader_open(path, &r, NULL), TL_OK);
    assert_true(tl_reader_complete(r));
    tl_reader_close(r);
    unlink(path);
    tl_buffer_free(&out);
}

/* Two ranks may both find room below the limit before they write. */
static void a_write_that_a_limit_cuts_short_names_the_limit(void **state)
{
    (void)state;
    enum { LIMIT = 100 };
    static const char data[LIMIT - 1];
    FILE *file = tmpfile();
    struct rlimit before, limit;
    assert_non_null(file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    limit = (struct rlimit){LIMIT, before.rlim_max};
    assert_int_equal(tl_write_all(fileno(file), data, sizeof data), TL_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const tl_status status = tl_write_all(fileno(file), data, sizeof data);
    const int number = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(status, TL_ERR_SYSTEM);
    assert_int_equal(number, EFBIG);
    fclose(file);
}

static char called[4096];

/* The call fails. It has no place for the error: its last argument is NULL. */
#define FAILS(name, ...)                                                                           \
    do {                                                                                           \
        strcat(called, " " #name "(");                                                             \
        assert_int_not_equal(name(__VA_ARGS__, NULL), TL_OK);                                      \
    } while (0)

static tl_status write_nothing(const void *arg, FILE *out, tl_error *err)
{
    (void)arg, (void)out;
    return tl_fail(err, TL_ERR_INPUT, "no");
}

static void fail_to_open_and_make(const char *none, const char *bad, const char *good)
{
    const char *const nones[] = {none}, *const bads[] = {bad, bad};
    tl_reader *r;
    tl_writer *w;
    tl_goal *goal;
    tl_hpl hpl, *runs;
    tl_replacement file;
    tl_output out;
    size_t n;
    uint32_t losers;
    char missing[64];
    FILE *in = fopen(bad, "r");
    assert_non_null(in);
    FAILS(tl_reader_open, none, &r);
    FAILS(tl_reader_open, bad, &r);
    FAILS(tl_reader_open, "skel:/no/such/file", &r);
    FAILS(tl_reader_open, "hpl:N=1", &r);
    FAILS(tl_trace_create, good, &(tl_run){.n_ranks = 0});
    FAILS(tl_trace_keep_open, none);
    FAILS(tl_writer_open, none, 0, "", &w);
    FAILS(tl_text_read, in, "bad", good);
    FAILS(tl_import_simgrid, none, good);
    FAILS(tl_import_simgrid, bad, good);
    FAILS(tl_import_simgrid_reductions, none, good);
    FAILS(tl_import_simgrid_reductions, bad, good);
    FAILS(tl_import_dumpi, none, &(tl_dumpi_options){.rate = 1}, good);
    FAILS(tl_import_dumpi, bad, &(tl_dumpi_options){.rate = 1}, good);
    FAILS(tl_import_goal, none, good);
    FAILS(tl_import_goal, bad, good);
    FAILS(tl_import_liballprof, none, &(tl_dumpi_options){.rate = 1}, good);
    FAILS(tl_import_liballprof, bad, &(tl_dumpi_options){.rate = 1}, good);
    FAILS(tl_goal_open, none, &goal);
    FAILS(tl_goal_open, bad, &goal);
    FAILS(tl_reader_open_goal, none, &r);
    FAILS(tl_reader_open_goal, bad, &r);
    FAILS(tl_hpl_parse, "N=x", &hpl);
    FAILS(tl_program_number, "ranks +", 4, &(int64_t){0});
    FAILS(tl_hpl_read_dat, none, &runs, &n);
    FAILS(tl_hpl_read_dat, bad, &runs, &n);
    FAILS(tl_join, nones, 1, good);
    FAILS(tl_join, bads, 2, good);
    FAILS(tl_join_left, bads, 2, good, missing, sizeof missing, &losers);
    FAILS(tl_replace_begin, "/no/such/folder/file", &file);
    FAILS(tl_replace_end, &(tl_replacement){0}, TL_ERR_INPUT);
    FAILS(tl_output_open, "/no/such/folder/file", &out);
    FAILS(tl_output_close, &(tl_output){0}, "", TL_ERR_INPUT);
    FAILS(tl_output_write, "/no/such/folder/file", write_nothing, NULL);
    FAILS(tl_output_write, good, write_nothing, NULL);
    fclose(in);
}

/* A trace that is damaged after it was opened. */
static void fail_on_a_trace(tl_reader *r, const char *good)
{
    static const char none[] = "/no/such/folder/file";
    static const tl_rates rates = {.per_unit = 1};
    tl_fit_capture captures[3] = {{r, (int64_t[]){1}}, {r, (int64_t[]){2}}, {r, (int64_t[]){3}}};
    tl_extrapolation done;
    tl_cursor *c;
    tl_span span = {0};
    tl_section *sections;
    size_t n;
    char *text = NULL;
    uint64_t events[RANKS] = {0}, last[RANKS] = {EVENTS, EVENTS, EVENTS};
    const tl_span all = {RANKS, events, last};
    const char *choice = "allreduce=/no/such/file", *name = "N";
    FILE *out = tmpfile();
    assert_non_null(out);
    FAILS(tl_cursor_open, r, RANKS, &c);
    FAILS(tl_pack, r, NULL, none);
    FAILS(tl_pack, r, NULL, good);
    FAILS(tl_text_write, r, out);
    FAILS(tl_text_write_rank, r, RANKS, out);
    FAILS(tl_export_simgrid, r, &rates, none);
    FAILS(tl_export_goal, r, &rates, NULL, none);
    FAILS(tl_program_write, r, none);
    FAILS(tl_schedule_write, r, &choice, 1, good);
    FAILS(tl_fit, captures, 3, &name, 1, TL_FIT_REFUSE, &text);
    FAILS(tl_fit, captures, 3, &name, 1, TL_FIT_NEAREST, &text);
    FAILS(tl_extrapolate, r, &(tl_extrapolate_options){.n_ranks = 1}, good, &done);
    FAILS(tl_extrapolate, r, &(tl_extrapolate_options){.n_ranks = 64}, good, &done);
    FAILS(tl_sections_list, r, &sections, &n);
    FAILS(tl_sections_count, r, &n);
    FAILS(tl_span_of_sections, r, 1, 0, &span);
    FAILS(tl_span_of_region, r, 77, 0, &span);
    FAILS(tl_span_of_events, r, 2, 1, &span);
    FAILS(tl_cut, r, &all, "", none);
    FAILS(tl_cut, r, &all, "", good);
    FAILS(tl_cut_marked, r, &all, &(tl_cut_marks){0}, "", good);
    fclose(out);
}

/* Each function of the headers that has a place for an error was called, but for those that fail
 * only if a disk or the memory does. */
static void check_all_called(void)
{
    static const char *const headers[] = {"timeless.h", "timeless_convert.h", "timeless_files.h"};
    static const char others[] = " tl_reader_hash( tl_goal_next( tl_writer_keep_open( "
                                 "tl_temporary_file( tl_text_write_run( ";
    const char *top = getenv("top_srcdir");
    assert_non_null(top);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        char path[600], name[128];
        snprintf(path, sizeof path, "%s/compress/%s", top, headers[i]);
        test_file header = test_load(path);
        char *text = strndup((const char *)header.data, header.size);
        for (char *at = text; (at = strstr(at, "TL_API tl_status ")); at++) {
            const char *end = strchr(at, ';'), *err = strstr(at, "tl_error *err)");
            const char *begin = at + strlen("TL_API tl_status ");
            snprintf(name, sizeof name, " %.*s(", (int)strcspn(begin, "("), begin);
            if (err && err < end && !strstr(called, name) && !strstr(others, name))
                fail_msg("%s: is not called", name);
        }
        free(text);
        free(header.data);
    }
}

static void functions_without_a_place_for_the_error(void **state)
{
    (void)state;
    char bad[600], path[600], good[600];
    snprintf(bad, sizeof bad, "%s", test_scratch("bad.txt"));
    snprintf(path, sizeof path, "%s", test_scratch("damaged.tl"));
    snprintf(good, sizeof good, "%s", test_scratch("new.tl"));
    test_store(bad, (const uint8_t *)"0 init\n0 jump\n", 14);
    test_write_trace(path, RANKS, EVENTS, FLUSH);
    test_file file = test_load(path);
    tl_reader *r = NULL;
    assert_int_equal(tl_reader_open(path, &r, NULL), TL_OK);
    file.data[file.size / 2] ^= 1; /* damage that is known from the beginning ends lists in order */
    test_store(path, file.data, file.size);
    free(file.data);
    fail_to_open_and_make("/no/such/file", bad, good);
    fail_on_a_trace(r, good);
    check_all_called();
    tl_reader_close(r);
    tl_reader_close(NULL);
    tl_cursor_close(NULL);
    tl_writer_abandon(NULL);
    tl_goal_close(NULL);
    tl_hpl_free(NULL);
    tl_extrapolation_free(NULL);
    tl_span_free(NULL);
    tl_call_counts_free(NULL);
    assert_int_not_equal(access(good, F_OK), 0);
    unlink(bad);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_without_a_place_for_the_error),
        cmocka_unit_test(a_write_that_a_limit_cuts_short_names_the_limit),
        cmocka_unit_test(hostile_members),
        cmocka_unit_test(truncations),
        cmocka_unit_test(bit_flips),
        cmocka_unit_test(lost_chunk),
        cmocka_unit_test(hostile_headers),
        cmocka_unit_test(hostile_payloads),
        cmocka_unit_test(hostile_overlap),
        cmocka_unit_test(not_a_trace),
        cmocka_unit_test(optional_chunk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
