/* fuzz_index.c - the input is what stands in a file between the checksums (chunks.h). A forged
 * index in it must do no harm. With an index that is made for the file, a reader finds what it
 * finds without one. */
#include "chunks.h"

#include "../../compress/index.h"

#include <string.h>
#include <unistd.h>

enum { N_SPANS = 4, MAX_SECTIONS = 50 };

/* Span i of a trace. False: it has none. */
static bool find_span(tl_reader *r, int i, size_t n_sections, tl_span *out)
{
    tl_error err;
    const size_t middle = n_sections / 2;
    *out = (tl_span){0};
    switch (i) {
    case 0: return !tl_span_of_sections(r, middle, n_sections - 1, out, &err);
    case 1: return !tl_span_of_sections(r, middle, middle, out, &err);
    case 2: return !tl_span_of_region(r, 1, 0, out, &err);
    default: return !tl_span_of_events(r, 9, 20, out, &err);
    }
}

/* The part as text; NULL if it cannot be cut. */
static char *part(const char *path, int i, size_t n_sections)
{
    tl_reader *r;
    tl_span span;
    tl_error err;
    char *text = NULL;
    tl_status status;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err));
    if (find_span(r, i, n_sections, &span) && !tl_cut(r, &span, "", fuzz_path(3), &err)) {
        text = fuzz_dump(fuzz_path(3), &status);
        unlink(fuzz_path(3));
    }
    tl_span_free(&span);
    tl_reader_close(r);
    return text;
}

/* Whether the counts of a rank are known; they are those of its events. */
static bool check_counts(tl_reader *r, uint32_t rank)
{
    static tl_call_counts counts;
    uint64_t n[TL_CALL_LIMIT] = {0};
    tl_cursor *c;
    tl_event e;
    tl_error err;
    tl_status status;
    if (!tl_reader_counts(r, rank, &counts))
        return false;
    FUZZ_CHECK(!tl_cursor_open(r, rank, &c, &err));
    while (!(status = tl_cursor_next(c, &e)))
        n[e.call]++;
    FUZZ_CHECK(status != TL_END || !memcmp(n, counts.calls, sizeof n));
    tl_cursor_close(c);
    tl_call_counts_free(&counts);
    return true;
}

/* The number of sections; 0 if the trace cannot be read to its end. */
static size_t read_all(const char *path, bool is_honest)
{
    static tl_call_counts counts;
    tl_reader *r;
    tl_error err;
    size_t n = 0;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err));
    if (tl_sections_count(r, &n, &err))
        n = 0;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        if (is_honest) {
            check_counts(r, rank);
        } else if (tl_reader_counts(r, rank, &counts)) {
            for (unsigned code = 0; code < TL_CALL_LIMIT; code++)
                FUZZ_CHECK(!counts.calls[code] || tl_call_by_code(code));
            tl_call_counts_free(&counts);
        }
    }
    tl_reader_close(r);
    return n;
}

static bool pack(const char *from, const char *to, uint64_t many_events)
{
    tl_reader *r;
    tl_error err;
    FUZZ_CHECK(!tl_reader_open(from, &r, &err));
    const tl_status status = tl_pack_indexed(r, NULL, many_events, 3, to, &err);
    tl_reader_close(r);
    return !status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_reader *r;
    fuzz_write_chunks(data, size, fuzz_path(0));
    if (tl_reader_open(fuzz_path(0), &r, NULL))
        return 0;
    tl_reader_close(r);
    size_t n = read_all(fuzz_path(0), false);
    for (int i = 0; n && i < N_SPANS; i++)
        free(part(fuzz_path(0), i, n < MAX_SECTIONS ? n : MAX_SECTIONS));
    if (!pack(fuzz_path(0), fuzz_path(1), UINT64_MAX) || !pack(fuzz_path(0), fuzz_path(2), 0))
        return 0;
    n = read_all(fuzz_path(1), true);
    FUZZ_CHECK(n == read_all(fuzz_path(2), true));
    for (int i = 0; n && i < N_SPANS; i++) {
        char *plain = part(fuzz_path(1), i, n), *indexed = part(fuzz_path(2), i, n);
        FUZZ_CHECK(!plain == !indexed && (!plain || !strcmp(plain, indexed)));
        free(plain);
        free(indexed);
    }
    return 0;
}
