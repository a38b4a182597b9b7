/* mutate.c - mutate TRACE PACKED FIRST N OUT: traces with valid checksums and hostile content,
 * OUT.SEED.tl for N seeds from FIRST on, of a trace and of the same one packed, which has other
 * chunks. mutate TRACE chunks OUT: the trace as input of fuzz_chunks.c and fuzz_replay_chunks.c
 * (chunks.h).
 *
 * An odd seed changes bytes of the payloads, which are compressed and checked again; an even one
 * changes events and definitions and writes them anew, so that every part behind the decoder is
 * reached.  The same seed makes the same mutant.  Prints how many of them can be replayed as far as
 * the reader can tell. */
#include "fuzz.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "../../compress/core/frame.h"
#include "../../compress/core/run.h"
#include "../unit/events.h"

static test_random dice;

static size_t below(size_t n)
{
    return (size_t)test_below(&dice, n);
}

/* Values at which programs go wrong, and small ones. */
static int64_t draw_value(void)
{
    static const int64_t edges[] = {0,         1,         -1,           -2,         -3,
                                    4,         INT32_MAX, INT32_MIN,    UINT32_MAX, INT64_MAX,
                                    INT64_MIN, 1LL << 62, -(1LL << 62), 1LL << 31,  1LL << 40,
                                    100000000, 1LL << 24};
    const size_t n = sizeof edges / sizeof *edges;
    switch (below(4)) {
    case 0: return (int64_t)below(12) - 3;
    case 1: return (int64_t)test_next(&dice) >> below(64);
    default: return edges[below(n)];
    }
}

/* ---- payloads ---- */

static void change_bytes(tl_buffer *raw)
{
    FUZZ_CHECK(raw->data);
    for (size_t n = 1 + below(4); n > 0 && raw->size; n--) {
        const size_t at = below(raw->size), length = 1 + below(8);
        switch (below(4)) {
        case 0: raw->data[at] ^= (uint8_t)(1 << below(8)); break;
        case 1: raw->data[at] = (uint8_t)draw_value(); break;
        case 2: /* a piece of it over another */
            for (size_t i = 0, from = below(raw->size); i < length; i++)
                raw->data[(at + i) % raw->size] = raw->data[(from + i) % raw->size];
            break;
        default: /* a piece is gone */
            if (at + length < raw->size) {
                memmove(raw->data + at, raw->data + at + length, raw->size - at - length);
                raw->size -= length;
            }
        }
    }
}

static void mutate_payloads(const char *path, const char *out)
{
    tl_error err;
    tl_run_header header;
    int fd = open(path, O_RDONLY);
    FUZZ_CHECK(fd >= 0 && !tl_run_read(fd, path, &header, &err));
    const test_file in = test_load(path);
    tl_buffer file = {0};
    tl_packer *packer = tl_packer_new();
    FUZZ_CHECK(packer && tl_buffer_reserve(&file, in.size) && file.data);
    memcpy(file.data, in.data, file.size = header.bytes);
    size_t n_chunks = 0;
    tl_chunk chunk;
    for (size_t at = header.bytes; at < in.size; at += TL_CHUNK_HEADER_BYTES + chunk.stored_bytes) {
        FUZZ_CHECK(tl_chunk_parse(in.data + at, header.seed, &chunk));
        n_chunks++;
    }
    size_t victim = below(n_chunks);
    for (size_t at = header.bytes; at < in.size;) {
        tl_buffer raw = {0};
        tl_chunk_parse(in.data + at, header.seed, &chunk);
        at += TL_CHUNK_HEADER_BYTES;
        FUZZ_CHECK(tl_buffer_reserve(&raw, chunk.raw_bytes + 1));
        raw.size = chunk.raw_bytes;
        FUZZ_CHECK(tl_chunk_unpack(&chunk, in.data + at, raw.data));
        at += chunk.stored_bytes;
        if (!victim-- || !below(8))
            change_bytes(&raw);
        FUZZ_CHECK(!tl_chunk_append(packer, &chunk, raw.data, raw.size, header.seed, &file));
        tl_buffer_free(&raw);
    }
    fuzz_write_file(out, file.data, file.size);
    tl_packer_free(packer);
    tl_buffer_free(&file);
    tl_run_free(&header);
    free(in.data);
    close(fd);
}

/* ---- seeds of harnesses ---- */

static void write_input(const char *path, const char *out)
{
    tl_error err;
    tl_run_header header;
    int fd = open(path, O_RDONLY);
    FUZZ_CHECK(fd >= 0 && !tl_run_read(fd, path, &header, &err));
    const test_file in = test_load(path);
    tl_buffer input = {0};
    tl_chunk chunk;
    FUZZ_CHECK(tl_buffer_reserve(&input, 1) && input.data);
    input.data[input.size++] = (uint8_t)(header.run.n_ranks - 1);
    for (size_t at = header.bytes; at < in.size; at += TL_CHUNK_HEADER_BYTES + chunk.stored_bytes) {
        FUZZ_CHECK(tl_chunk_parse(in.data + at, header.seed, &chunk));
        const int is_block = chunk.type == TL_CHUNK_BLOCK;
        FUZZ_CHECK(chunk.raw_bytes <= UINT16_MAX && chunk.n_events <= UINT8_MAX && chunk.rank < 8);
        FUZZ_CHECK(tl_buffer_reserve(&input, chunk.raw_bytes + 8) && input.data);
        input.data[input.size++] = (uint8_t)(is_block ? 0x20 : chunk.type | chunk.rank << 2);
        input.data[input.size++] = (uint8_t)chunk.n_events;
        input.data[input.size++] = (uint8_t)chunk.raw_bytes;
        input.data[input.size++] = (uint8_t)(chunk.raw_bytes >> 8);
        FUZZ_CHECK(
            tl_chunk_unpack(&chunk, in.data + at + TL_CHUNK_HEADER_BYTES, input.data + input.size));
        input.size += chunk.raw_bytes;
    }
    fuzz_write_file(out, input.data, input.size);
    tl_buffer_free(&input);
    tl_run_free(&header);
    free(in.data);
    close(fd);
}

/* ---- events ---- */

enum { MAX_EVENTS = 4096, MAX_RANKS = 16, MAX_DEFINITIONS = 64, ROOM = 8 };

typedef struct part {
    size_t n;
    tl_event *events; /* with lists of their own */
    size_t n_comms;
    tl_comm comms[MAX_DEFINITIONS];
} part;

static int64_t *copy_list(const int64_t *list, size_t n)
{
    int64_t *copy = calloc(n + ROOM, sizeof *copy);
    FUZZ_CHECK(copy);
    if (n)
        memcpy(copy, list, n * sizeof *copy);
    return copy;
}

static void read_part(tl_reader *r, uint32_t rank, part *p)
{
    tl_cursor *c;
    tl_event e;
    const tl_comm *comms;
    p->events = calloc(MAX_EVENTS, sizeof *p->events);
    FUZZ_CHECK(p->events && !tl_cursor_open(r, rank, &c, NULL));
    while (p->n < MAX_EVENTS / 2 && !tl_cursor_next(c, &e)) {
        e.list = copy_list(e.list, e.list_len);
        p->events[p->n++] = e;
    }
    tl_cursor_close(c);
    p->n_comms = tl_reader_comms(r, rank, &comms);
    FUZZ_CHECK(p->n_comms < MAX_DEFINITIONS - 1);
    if (p->n_comms)
        memcpy(p->comms, comms, p->n_comms * sizeof *comms);
}

static void change_list(tl_event *e)
{
    int64_t *list = (int64_t *)(uintptr_t)e->list;
    const size_t n = e->list_len;
    switch (below(4)) {
    case 0:
        if (n)
            e->list_len--;
        break;
    case 1:
        e->list = copy_list(list, n + 1);
        ((int64_t *)(uintptr_t)e->list)[n] = n && below(2) ? list[below(n)] : draw_value();
        free(list);
        e->list_len++;
        break;
    default:
        if (n)
            list[below(n)] = draw_value();
    }
}

/* A slot that the row has. */
static void change_slot(tl_event *e)
{
    const uint32_t slots = tl_call_by_code(e->call)->slots;
    const int64_t value = draw_value();
    for (size_t tries = 0; tries < 64; tries++) {
        const uint32_t slot = 1u << below(14);
        if (!(slots & slot))
            continue;
        switch (slot) {
        case TL_SLOT_COUNT: e->count = value; return;
        case TL_SLOT_TYPE: e->type_bytes = value; return;
        case TL_SLOT_PEER: e->peer = (int32_t)value; return;
        case TL_SLOT_TAG: e->tag = (int32_t)value; return;
        case TL_SLOT_RECV_COUNT: e->recv_count = value; return;
        case TL_SLOT_RECV_TYPE: e->recv_type_bytes = value; return;
        case TL_SLOT_RECV_PEER: e->recv_peer = (int32_t)value; return;
        case TL_SLOT_RECV_TAG: e->recv_tag = (int32_t)value; return;
        case TL_SLOT_COMM: e->comm = (uint32_t)value; return;
        case TL_SLOT_REQUEST: e->request = (uint32_t)value; return;
        case TL_SLOT_NEW_COMM: e->new_comm = (uint32_t)value; return;
        case TL_SLOT_FLAGS: e->flags = (uint16_t)value; return;
        case TL_SLOT_CLOCK: e->clock_ns = (uint64_t)value; return;
        default: change_list(e); return;
        }
    }
}

static void change_definition(part *p)
{
    if (!p->n_comms)
        return;
    tl_comm *c = &p->comms[below(p->n_comms)];
    static int32_t ranks[4];
    switch (below(6)) {
    case 0: c->parent = (uint32_t)draw_value(); break;
    case 1: c->call = p->comms[below(p->n_comms)].call; break;
    case 2:
        for (size_t i = 0; i < 4; i++)
            ranks[i] = (int32_t)below(4);
        c->members = ranks;
        c->n_members = (uint32_t)below(5);
        break;
    case 3: c->n_sources = c->n_sources ? c->n_sources - 1 : 0; break;
    case 4: c->n_remote = 0; break;
    default: c->id = (uint32_t)(TL_COMM_FIRST + below(5000)); break;
    }
}

static tl_event copy_event(const tl_event *e)
{
    tl_event copy = *e;
    copy.list = copy_list(e->list, e->list_len);
    return copy;
}

static void insert(part *p, size_t at, tl_event e)
{
    memmove(p->events + at + 1, p->events + at, (p->n - at) * sizeof e);
    p->events[at] = e;
    p->n++;
}

static void drop(part *p, size_t at)
{
    free((void *)(uintptr_t)p->events[at].list);
    memmove(p->events + at, p->events + at + 1, (p->n - at - 1) * sizeof *p->events);
    p->n--;
}

static void change_part(part *parts, uint32_t n_ranks, uint32_t rank)
{
    static int64_t list[TEST_MAX_LIST];
    part *p = &parts[rank];
    const part *other = &parts[below(n_ranks)];
    if (p->n < 3 || p->n + 1 >= MAX_EVENTS)
        return;
    const size_t at = below(p->n), to = below(p->n);
    tl_event e;
    switch (below(12)) {
    case 0: drop(p, at); break;
    case 1: insert(p, to, copy_event(&p->events[at])); break;
    case 2: insert(p, to, copy_event(&other->events[below(other->n)])); break;
    case 3:
        e = p->events[at];
        p->events[at] = p->events[to];
        p->events[to] = e;
        break;
    case 4: p->events[at].call = p->events[to].call; break;
    case 5: {
        unsigned call = test_next_call((unsigned)below(TL_CALL_LIMIT - 1));
        e = test_random_event(&dice, call, list);
        e.list_len = e.list_len < 8 ? e.list_len : 8;
        e.list = list;
        insert(p, to, copy_event(&e));
        break;
    }
    case 6: p->events[at].volume = (uint64_t)draw_value(); break;
    case 7: change_definition(p); break;
    default: change_slot(&p->events[at]); break;
    }
}

static void write_part(const char *path, tl_reader *r, uint32_t rank, const part *p)
{
    tl_writer *w;
    tl_error err;
    const tl_site *sites;
    const tl_user_kernel *kernels;
    FUZZ_CHECK(!tl_writer_open(path, rank, "h", &w, &err));
    tl_writer_keep_times(w);
    for (size_t i = 0; i < p->n_comms; i++)
        tl_writer_define_comm(w, &p->comms[i]);
    for (size_t i = 0, n = tl_reader_sites(r, rank, &sites); i < n; i++)
        tl_writer_define_site(w, &sites[i]);
    for (size_t i = 0, n = tl_reader_kernels(r, rank, &kernels); i < n; i++)
        tl_writer_define_kernel(w, &kernels[i]);
    for (size_t i = 0; i < p->n; i++)
        tl_writer_put(w, &p->events[i]);
    tl_writer_close(w, TL_END_FINALIZED, 1000 * p->n);
}

static void mutate_events(const char *path, const char *out)
{
    static part parts[MAX_RANKS];
    tl_reader *r;
    tl_error err;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err));
    const uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    FUZZ_CHECK(n_ranks <= MAX_RANKS && !tl_trace_create(out, tl_reader_run(r), &err));
    for (uint32_t rank = 0; rank < n_ranks; rank++)
        read_part(r, rank, &parts[rank]);
    for (size_t n = 1 + below(3); n > 0; n--)
        change_part(parts, n_ranks, (uint32_t)below(n_ranks));
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        write_part(out, r, rank, &parts[rank]);
        while (parts[rank].n)
            drop(&parts[rank], parts[rank].n - 1);
        free(parts[rank].events);
        parts[rank] = (part){0};
    }
    tl_reader_close(r);
}

static int is_whole(const char *path)
{
    tl_reader *r;
    if (tl_reader_open(path, &r, NULL))
        return 0;
    const int whole = tl_reader_complete(r);
    tl_reader_close(r);
    return whole;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[2], "chunks")) {
        write_input(argv[1], argv[3]);
        return 0;
    }
    FUZZ_CHECK(argc == 6);
    const uint64_t first = strtoull(argv[3], NULL, 10), n = strtoull(argv[4], NULL, 10);
    uint64_t n_whole = 0;
    for (uint64_t seed = first; seed < first + n; seed++) {
        char out[4096];
        snprintf(out, sizeof out, "%s.%llu.tl", argv[5], (unsigned long long)seed);
        dice.state = seed * 0x9e3779b97f4a7c15U + 1;
        (seed & 1 ? mutate_payloads : mutate_events)(argv[seed % 4 == 3 ? 2 : 1], out);
        n_whole += (uint64_t)is_whole(out);
    }
    printf("%llu\n", (unsigned long long)n_whole);
    return 0;
}
