/* fuzz.c - what the fuzzing harnesses share. */
#include "fuzz.h"

#include "../unit/same_event.h"

#include <string.h>
#include <unistd.h>

uint8_t fuzz_byte(fuzz_input *in)
{
    return in->p < in->end ? *in->p++ : 0;
}

uint64_t fuzz_number(fuzz_input *in)
{
    uint8_t first = fuzz_byte(in);
    if (first < 0xf0)
        return (uint64_t)(int64_t)(int8_t)(first - 0x10);
    uint64_t value = 0;
    for (unsigned i = 0; i <= (first & 7); i++)
        value = value << 8 | fuzz_byte(in);
    return first & 8 ? 0 - value : value;
}

static char folder[64];

static void remove_folder(void)
{
    for (unsigned i = 0; i < 4; i++)
        unlink(fuzz_path(i));
    rmdir(folder);
}

const char *fuzz_path(unsigned i)
{
    static char paths[4][80];
    if (!*folder) {
        /* In memory where there is such a folder. */
        snprintf(folder, sizeof folder, "%s/fuzz.XXXXXX",
                 access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
        FUZZ_CHECK(mkdtemp(folder));
        atexit(remove_folder);
    }
    snprintf(paths[i], sizeof paths[i], "%s/%u", folder, i);
    return paths[i];
}

void fuzz_write_file(const char *path, const void *data, size_t size)
{
    FILE *f = fopen(path, "wb");
    FUZZ_CHECK(f && fwrite(data, 1, size, f) == size);
    FUZZ_CHECK(!fclose(f));
}

/* ---- reading ---- */

enum { MAX_RANKS_READ = 16, MAX_EVENTS_FOLLOWED = 10000 };

static void read_cursor(tl_reader *r, uint32_t rank)
{
    tl_cursor *c;
    tl_event e;
    tl_error err;
    if (tl_cursor_open(r, rank, &c, &err))
        return;
    tl_status status;
    while (!(status = tl_cursor_next(c, &e))) {
        FUZZ_CHECK(tl_call_by_code(e.call));
        volatile int64_t last = e.list_len ? e.list[e.list_len - 1] : 0;
        (void)last;
    }
    FUZZ_CHECK(tl_cursor_next(c, &e) == status);
    FUZZ_CHECK(status == TL_END || tl_cursor_error(c)->status == status);
    tl_rank_summary summary;
    FUZZ_CHECK(!tl_reader_rank(r, rank, &summary));
    FUZZ_CHECK(tl_cursor_position(c) <= summary.n_events);
    FUZZ_CHECK(status != TL_END || tl_cursor_position(c) == summary.n_events);
    tl_cursor_close(c);
}

/* From anywhere a cursor goes on as it does from the start. */
static void seek(tl_reader *r, uint32_t rank)
{
    tl_cursor *c;
    tl_event e;
    tl_error err;
    tl_rank_summary summary;
    FUZZ_CHECK(!tl_reader_rank(r, rank, &summary));
    if (tl_cursor_open(r, rank, &c, &err))
        return;
    const uint64_t at = summary.n_events / 2;
    if (!tl_cursor_seek(c, at)) {
        FUZZ_CHECK(tl_cursor_position(c) == at);
        while (!tl_cursor_next(c, &e))
            FUZZ_CHECK(tl_call_by_code(e.call));
        FUZZ_CHECK(tl_cursor_position(c) <= summary.n_events);
    }
    tl_cursor_close(c);
}

/* A packed trace has the same text. */
static void pack(const char *path, tl_reader *r)
{
    tl_error err;
    if (tl_pack(r, NULL, fuzz_path(3), &err))
        return;
    tl_status here, there;
    char *text = fuzz_dump(path, &here), *packed = fuzz_dump(fuzz_path(3), &there);
    FUZZ_CHECK(here || (!there && !strcmp(text, packed)));
    free(text);
    free(packed);
    FUZZ_CHECK(!tl_reader_open(fuzz_path(3), &r, &err));
    const uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    for (uint32_t rank = 0; rank < n_ranks && rank < MAX_RANKS_READ; rank++)
        seek(r, rank);
    tl_reader_close(r);
    unlink(fuzz_path(3));
}

static void cut(tl_reader *r)
{
    tl_error err;
    tl_section *sections;
    size_t n;
    if (tl_sections_list(r, &sections, &n, &err))
        return;
    FUZZ_CHECK(n);
    free(sections);
    tl_span span = {0};
    if (!tl_span_of_sections(r, 0, n - 1, &span, &err) && !tl_cut(r, &span, "", fuzz_path(3), &err))
        unlink(fuzz_path(3));
    tl_span_free(&span);
    if (!tl_span_of_events(r, 1, 3, &span, &err) && !tl_cut(r, &span, "", fuzz_path(3), &err))
        unlink(fuzz_path(3));
    tl_span_free(&span);
    if (!tl_span_of_region(r, 1, 0, &span, &err) && !tl_cut(r, &span, "", fuzz_path(3), &err))
        unlink(fuzz_path(3));
    tl_span_free(&span);
}

/* Ranks with one leader have the same events, as far as both can be read. */
static void follow(tl_reader *r, uint32_t rank, int with_volumes)
{
    uint32_t leader = tl_reader_leader(r, rank, with_volumes);
    tl_cursor *a = NULL, *b = NULL;
    tl_event e, led;
    FUZZ_CHECK(leader <= rank);
    if (leader == rank || tl_cursor_open(r, leader, &a, NULL) ||
        tl_cursor_open(r, rank, &b, NULL)) {
        tl_cursor_close(a);
        return;
    }
    for (int n = 0; n < MAX_EVENTS_FOLLOWED && !tl_cursor_next(a, &led) && !tl_cursor_next(b, &e);
         n++) {
        tl_event_move(&led, leader, rank);
        led.clock_ns = e.clock_ns;
        if (!with_volumes)
            led.volume = e.volume;
        FUZZ_CHECK(test_same_event(&led, &e));
    }
    tl_cursor_close(a);
    tl_cursor_close(b);
}

int fuzz_read_trace(const char *path)
{
    tl_reader *r;
    tl_error err;
    if (tl_reader_open(path, &r, &err)) {
        FUZZ_CHECK(err.status && *err.text);
        return 0;
    }
    uint64_t hash;
    FUZZ_CHECK(!tl_reader_hash(r, &hash, &err));
    for (size_t i = 0; i < tl_reader_n_damages(r); i++)
        FUZZ_CHECK(tl_reader_damage(r, i)->status);
    uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    for (uint32_t rank = 0; rank < n_ranks && rank < MAX_RANKS_READ; rank++) {
        read_cursor(r, rank);
        seek(r, rank);
        follow(r, rank, 0);
        follow(r, rank, 1);
    }
    if (n_ranks <= MAX_RANKS_READ) {
        cut(r);
        pack(path, r);
    }
    tl_reader_close(r);
    return 1;
}

/* ---- text ---- */

char *fuzz_dump(const char *path, tl_status *status)
{
    tl_reader *r;
    tl_error err;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err));
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    FUZZ_CHECK(out);
    *status = tl_text_write(r, out, &err);
    FUZZ_CHECK(!fclose(out));
    tl_reader_close(r);
    return text;
}

tl_status fuzz_undump(const char *text, size_t size, const char *path)
{
    tl_error err = {0};
    /* fmemopen refuses a size of 0. */
    FILE *in = size ? fmemopen((char *)(uintptr_t)text, size, "r") : fopen("/dev/null", "r");
    FUZZ_CHECK(in);
    tl_status status = tl_text_read(in, "text", path, &err);
    fclose(in);
    FUZZ_CHECK(err.status == status);
    if (status)
        FUZZ_CHECK(*err.text && access(path, F_OK));
    return status;
}

void fuzz_check_text(const char *path)
{
    tl_status status;
    char *there = fuzz_dump(path, &status);
    tl_status undumped = fuzz_undump(there, strlen(there), fuzz_path(2));
    /* Slots that a row does not have cannot be written. */
    FUZZ_CHECK(!undumped || undumped == TL_ERR_INPUT);
    if (!undumped) {
        char *back = fuzz_dump(fuzz_path(2), &status);
        if (strcmp(there, back) != 0) {
            fprintf(stderr, "--- there\n%s--- back\n%s", there, back);
            FUZZ_CHECK(!strcmp(there, back));
        }
        free(back);
        unlink(fuzz_path(2));
    }
    free(there);
}
