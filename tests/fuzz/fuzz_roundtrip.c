/* fuzz_roundtrip.c - the input is a sequence of events: what is read is what was written. */
#include "fuzz.h"

#include <string.h>

#include "../unit/same_event.h"

enum { MAX_EVENTS = 4096, MAX_LIST = 300 };

/* 0: the input is used up. */
static int next_event(fuzz_input *in, tl_event *e, int64_t *list)
{
    const tl_call_info *row = NULL;
    while (!row) {
        if (in->p == in->end)
            return 0;
        unsigned code = fuzz_byte(in);
        code |= (fuzz_byte(in) & 7u) << 8;
        row = tl_call_by_code(code);
    }
    uint32_t slots = row->slots;
    *e = (tl_event){.call = row->code, .site = fuzz_byte(in), .volume = fuzz_number(in)};
    e->took_ns = e->site & 8 ? (float)(e->volume >> 1) : 0;
    e->polls = slots & 1 ? (uint32_t)fuzz_number(in) : 0;
    e->count = slots & TL_SLOT_COUNT ? (int64_t)fuzz_number(in) : 0;
    e->type_bytes = slots & TL_SLOT_TYPE ? (int64_t)fuzz_number(in) : 0;
    e->peer = slots & TL_SLOT_PEER ? (int32_t)fuzz_number(in) : 0;
    e->tag = slots & TL_SLOT_TAG ? (int32_t)fuzz_number(in) : 0;
    e->recv_count = slots & TL_SLOT_RECV_COUNT ? (int64_t)fuzz_number(in) : 0;
    e->recv_type_bytes = slots & TL_SLOT_RECV_TYPE ? (int64_t)fuzz_number(in) : 0;
    e->recv_peer = slots & TL_SLOT_RECV_PEER ? (int32_t)fuzz_number(in) : 0;
    e->recv_tag = slots & TL_SLOT_RECV_TAG ? (int32_t)fuzz_number(in) : 0;
    e->comm = slots & TL_SLOT_COMM ? (uint32_t)fuzz_number(in) : 0;
    e->request = slots & TL_SLOT_REQUEST ? (uint32_t)fuzz_number(in) : 0;
    e->new_comm = slots & TL_SLOT_NEW_COMM ? (uint32_t)fuzz_number(in) : 0;
    e->flags = slots & TL_SLOT_FLAGS ? (uint16_t)fuzz_number(in) : 0;
    e->clock_ns = slots & TL_SLOT_CLOCK ? fuzz_number(in) : 0;
    if (slots & TL_SLOT_LIST) {
        e->list_len = (uint32_t)(fuzz_number(in) % MAX_LIST);
        for (uint32_t i = 0; i < e->list_len; i++)
            list[i] = (int64_t)fuzz_number(in);
        e->list = list;
    }
    return 1;
}

static uint64_t write_events(const uint8_t *data, size_t size, const char *path)
{
    static int64_t list[MAX_LIST];
    fuzz_input in = {.p = data, .end = data + size};
    tl_error err;
    tl_run run = {.n_ranks = 2, .volume_unit = "none"};
    tl_writer *w;
    FUZZ_CHECK(!tl_trace_create(path, &run, &err) && !tl_writer_open(path, 1, "h", &w, &err));
    tl_writer_keep_times(w);
    uint64_t n = 0;
    tl_event e;
    for (; n < MAX_EVENTS && next_event(&in, &e, list); n++) {
        FUZZ_CHECK(!tl_writer_put(w, &e));
        if (e.site == 0xff)
            FUZZ_CHECK(!tl_writer_flush(w));
    }
    FUZZ_CHECK(!tl_writer_close(w, TL_END_FINALIZED, n));
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int64_t list[MAX_LIST];
    const char *path = fuzz_path(0);
    uint64_t n = write_events(data, size, path);
    tl_error err;
    tl_reader *r;
    tl_cursor *c;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err) && !tl_reader_n_damages(r));
    FUZZ_CHECK(!tl_cursor_open(r, 1, &c, &err));
    fuzz_input in = {.p = data, .end = data + size};
    tl_event written, got;
    for (uint64_t i = 0; i < n; i++) {
        next_event(&in, &written, list);
        FUZZ_CHECK(!tl_cursor_next(c, &got) && test_same_event(&written, &got));
    }
    FUZZ_CHECK(tl_cursor_next(c, &got) == TL_END);
    tl_cursor_close(c);
    tl_reader_close(r);
    tl_status status;
    char *text = fuzz_dump(path, &status);
    FUZZ_CHECK(!status && !fuzz_undump(text, strlen(text), fuzz_path(2)));
    free(text);
    fuzz_check_text(path);
    fuzz_read_trace(path);
    return 0;
}
