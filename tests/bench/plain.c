/* plain.c - the plain encoding of a trace's events, against which its size is held:  plain TRACE
 * fixed|varint
 *
 * Rank after rank, one record per event: call, site, volume, polls, and the slots that the row of
 * the call has, in the order of tl_event, the length of its list and the elements.  `fixed` writes
 * each in the width that tl_event gives it, little-endian; `varint` in 7 bits a byte, signed ones
 * by zigzag. Standard error tells the number of MPI calls: events but for kernels and notes of the
 * tracer. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <timeless.h>

static bool fixed;

static void put(uint64_t v, int bytes)
{
    if (fixed) {
        for (int i = 0; i < bytes; i++)
            putchar((int)(v >> 8 * i & 0xff));
        return;
    }
    for (; v >= 0x80; v >>= 7)
        putchar((int)(v & 0x7f) | 0x80);
    putchar((int)v);
}

static void put_signed(int64_t v, int bytes)
{
    uint64_t u = (uint64_t)v;
    put(fixed ? u : u << 1 ^ (v < 0 ? UINT64_MAX : 0), bytes);
}

static void put_event(const tl_event *e, uint32_t slots)
{
    put(e->call, 2);
    put(e->site, 4);
    put(e->volume, 8);
    put(e->polls, 4);
    if (slots & TL_SLOT_COMM)
        put(e->comm, 4);
    if (slots & TL_SLOT_NEW_COMM)
        put(e->new_comm, 4);
    if (slots & TL_SLOT_REQUEST)
        put(e->request, 4);
    if (slots & TL_SLOT_FLAGS)
        put(e->flags, 2);
    if (slots & TL_SLOT_PEER)
        put_signed(e->peer, 4);
    if (slots & TL_SLOT_TAG)
        put_signed(e->tag, 4);
    if (slots & TL_SLOT_RECV_PEER)
        put_signed(e->recv_peer, 4);
    if (slots & TL_SLOT_RECV_TAG)
        put_signed(e->recv_tag, 4);
    if (slots & TL_SLOT_COUNT)
        put_signed(e->count, 8);
    if (slots & TL_SLOT_TYPE)
        put_signed(e->type_bytes, 8);
    if (slots & TL_SLOT_RECV_COUNT)
        put_signed(e->recv_count, 8);
    if (slots & TL_SLOT_RECV_TYPE)
        put_signed(e->recv_type_bytes, 8);
    if (slots & TL_SLOT_CLOCK)
        put(e->clock_ns, 8);
    if (slots & TL_SLOT_LIST)
        put(e->list_len, 4);
    for (uint32_t i = 0; i < e->list_len; i++)
        put_signed(e->list[i], 8);
}

int main(int argc, char **argv)
{
    tl_reader *r;
    tl_cursor *c;
    tl_error err;
    uint64_t n_calls = 0;
    if (argc != 3)
        return 2;
    fixed = !strcmp(argv[2], "fixed");
    if (tl_reader_open(argv[1], &r, &err)) {
        fprintf(stderr, "%s\n", err.text);
        return 3;
    }
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_event e;
        if (tl_cursor_open(r, rank, &c, &err))
            return 4;
        while (tl_cursor_next(c, &e) == TL_OK) {
            const tl_call_info *row = tl_call_by_code(e.call);
            put_event(&e, row->slots);
            n_calls += !strncmp(row->name, "MPI_", 4);
        }
        tl_cursor_close(c);
    }
    tl_reader_close(r);
    fprintf(stderr, "%" PRIu64 "\n", n_calls);
    return 0;
}
