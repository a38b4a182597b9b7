/* pattern.c - writes traces of communication patterns without a run. */
#include "config.h"

#include "actions.h"
#include "core/error.h"
#include "core/writer.h"
#include "timeless_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The state of one rank's part while it is written. */
typedef struct part {
    const tl_pattern *pattern;
    tl_writer *writer;
    int64_t rank, n_ranks;
    int64_t side; /* of the grid of stencils and sweeps */
    int64_t tag;
    tl_status status; /* the first failure */
} part;

/* ---- events ---- */

static void put(part *p, const tl_event *event)
{
    if (p->status == TL_OK)
        p->status = tl_writer_put(p->writer, event);
}

static tl_event message(const part *p, uint16_t call, int64_t peer, int64_t bytes)
{
    return (tl_event){.call = call,
                      .site = 1,
                      .comm = TL_COMM_WORLD,
                      .peer = (int32_t)peer,
                      .tag = (int32_t)p->tag,
                      .count = bytes,
                      .type_bytes = 1};
}

static void send_to(part *p, int64_t peer, int64_t bytes)
{
    const tl_event e = message(p, TL_MPI_Send, peer, bytes);
    put(p, &e);
}

static void receive_from(part *p, int64_t peer, int64_t bytes)
{
    const tl_event e = message(p, TL_MPI_Recv, peer, bytes);
    put(p, &e);
}

static void exchange(part *p, int64_t to, int64_t from, int64_t bytes)
{
    tl_event e = message(p, TL_MPI_Sendrecv, to, bytes);
    e.recv_count = bytes;
    e.recv_type_bytes = 1;
    e.recv_peer = (int32_t)from;
    e.recv_tag = e.tag;
    put(p, &e);
}

static void start(part *p, uint16_t call, int64_t peer, int64_t bytes, int64_t request)
{
    tl_event e = message(p, call, peer, bytes);
    e.request = (uint32_t)request;
    put(p, &e);
}

/* Receives from all ranks, sends to all, waits for all. */
static void exchange_with_all(part *p, const int64_t *peers, int64_t n, int64_t bytes)
{
    int64_t *requests = malloc((size_t)(2 * n + 1) * sizeof *requests);
    if (!requests) {
        p->status = TL_ERR_MEMORY;
        return;
    }
    for (int64_t i = 0; i < n; i++)
        start(p, TL_MPI_Irecv, peers[i], bytes, requests[i] = i + 1);
    for (int64_t i = 0; i < n; i++)
        start(p, TL_MPI_Isend, peers[i], bytes, requests[n + i] = n + i + 1);
    const tl_event wait = {
        .call = TL_MPI_Waitall, .site = 1, .list = requests, .list_len = (uint32_t)(2 * n)};
    put(p, &wait);
    free(requests);
}

/* The rank at distance d on the ring of all ranks. */
static int64_t further(const part *p, int64_t d)
{
    return ((p->rank + d) % p->n_ranks + p->n_ranks) % p->n_ranks;
}

static int64_t highest_bit(int64_t v)
{
    int64_t bit = 1;
    while (2 * bit <= v)
        bit *= 2;
    return bit;
}

/* ---- patterns ---- */

static void pattern_dissemination(part *p)
{
    for (int64_t d = 1; d < p->n_ranks; d *= 2)
        exchange(p, further(p, d), further(p, -d), p->pattern->bytes);
}

static void pattern_binomial(part *p)
{
    const int64_t top = p->rank ? highest_bit(p->rank) : 0;
    if (p->rank)
        receive_from(p, p->rank - top, p->pattern->bytes);
    for (int64_t d = p->rank ? 2 * top : 1; p->rank + d < p->n_ranks; d *= 2)
        send_to(p, p->rank + d, p->pattern->bytes);
}

static void pattern_binomial_reduce(part *p)
{
    const int64_t top = p->rank ? highest_bit(p->rank) : 0, lowest = p->rank ? 2 * top : 1;
    int64_t d = lowest;
    while (p->rank + 2 * d < p->n_ranks)
        d *= 2;
    for (; d >= lowest; d /= 2)
        if (p->rank + d < p->n_ranks)
            receive_from(p, p->rank + d, p->pattern->bytes);
    if (p->rank)
        send_to(p, p->rank - top, p->pattern->bytes);
}

static void pattern_scatter(part *p)
{
    if (p->rank)
        receive_from(p, 0, p->pattern->bytes);
    for (int64_t r = 1; !p->rank && r < p->n_ranks; r++)
        send_to(p, r, p->pattern->bytes);
}

static void pattern_gather(part *p)
{
    if (p->rank)
        send_to(p, 0, p->pattern->bytes);
    for (int64_t r = 1; !p->rank && r < p->n_ranks; r++)
        receive_from(p, r, p->pattern->bytes);
}

static void pattern_doubling(part *p)
{
    for (int64_t d = 1; d < p->n_ranks; d *= 2)
        exchange(p, p->rank ^ d, p->rank ^ d, p->pattern->bytes);
}

static void pattern_ring(part *p)
{
    const int64_t bytes = (p->pattern->bytes + p->n_ranks - 1) / p->n_ranks;
    for (int64_t round = 0; round < 2 * (p->n_ranks - 1); round++)
        exchange(p, further(p, 1), further(p, -1), bytes);
}

/* The neighbour one step along an axis of a periodic grid. Neighbours are `stride` ranks apart. */
static int64_t neighbour(const part *p, int64_t stride, int64_t step)
{
    const int64_t at = p->rank / stride % p->side;
    return p->rank + ((at + step + p->side) % p->side - at) * stride;
}

static void stencil(part *p, int n_axes)
{
    int64_t peers[6], n = 0, stride = 1;
    for (int axis = 0; axis < n_axes; axis++, stride *= p->side) {
        peers[n++] = neighbour(p, stride, -1);
        peers[n++] = neighbour(p, stride, 1);
    }
    exchange_with_all(p, peers, n, p->pattern->bytes);
}

static void pattern_stencil2d(part *p)
{
    stencil(p, 2);
}

static void pattern_stencil3d(part *p)
{
    stencil(p, 3);
}

static void sweep_once(part *p, int64_t direction)
{
    const int64_t x = p->rank % p->side, y = p->rank / p->side, last = p->side - 1;
    const int64_t first = direction > 0 ? 0 : last;
    if (x != first)
        receive_from(p, p->rank - direction, p->pattern->bytes);
    if (y != first)
        receive_from(p, p->rank - direction * p->side, p->pattern->bytes);
    if (x != last - first)
        send_to(p, p->rank + direction, p->pattern->bytes);
    if (y != last - first)
        send_to(p, p->rank + direction * p->side, p->pattern->bytes);
}

static void pattern_sweep(part *p)
{
    sweep_once(p, 1);
    sweep_once(p, -1);
}

static void pattern_token(part *p)
{
    if (p->n_ranks == 1)
        return;
    if (p->rank)
        receive_from(p, p->rank - 1, p->pattern->bytes);
    send_to(p, further(p, 1), p->pattern->bytes);
    if (!p->rank)
        receive_from(p, p->n_ranks - 1, p->pattern->bytes);
}

static void pattern_alltoall(part *p)
{
    int64_t *peers = malloc((size_t)p->n_ranks * sizeof *peers);
    if (!peers) {
        p->status = TL_ERR_MEMORY;
        return;
    }
    for (int64_t d = 1; d < p->n_ranks; d++)
        peers[d - 1] = further(p, d);
    exchange_with_all(p, peers, p->n_ranks - 1, p->pattern->bytes);
    free(peers);
}

/* A permutation of 0 .. n-1 that every rank computes for itself: a Feistel network over the next
 * even power of two, applied until the number is in range (Black and Rogaway, "Ciphers with
 * Arbitrary Finite Domains", 2002). */
static uint32_t mix(uint64_t key, uint32_t half)
{
    uint64_t x = key + half * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 32);
}

static int64_t permute(uint64_t key, int64_t n, int64_t value, int inverse)
{
    unsigned bits = 1;
    while ((INT64_C(1) << (2 * bits)) < n)
        bits++;
    const uint32_t mask = (UINT32_C(1) << bits) - 1;
    do {
        uint32_t left = (uint32_t)(value >> bits), right = (uint32_t)value & mask;
        for (int i = 0; i < 4; i++) {
            const uint64_t round = key + (uint64_t)(inverse ? 3 - i : i);
            const uint32_t other =
                inverse ? right ^ (mix(round, left) & mask) : left ^ (mix(round, right) & mask);
            if (inverse) {
                right = left;
                left = other;
            } else {
                left = right;
                right = other;
            }
        }
        value = (int64_t)left << bits | right;
    } while (value >= n);
    return value;
}

static void pattern_random(part *p)
{
    const uint64_t key = p->pattern->seed + ((uint64_t)p->tag << 32);
    exchange(p, permute(key, p->n_ranks, p->rank, 0), permute(key, p->n_ranks, p->rank, 1),
             p->pattern->bytes);
}

/* A collective call with rank 0 as its root, if it has one. */
static void call(part *p, uint16_t code)
{
    tl_event e = message(p, code, 0, p->pattern->bytes);
    e.tag = 0;
    put(p, &e);
}

/* A call whose event also has the size of what a rank receives from another one. As in a recorded
 * trace, a size that MPI ignores on this rank is 0: what the root alone sends or receives. */
static void call_both_ways(part *p, uint16_t code)
{
    const tl_meaning *m = tl_meaning_of(tl_call_by_code(code)->action);
    const tl_role role = tl_role_within(0, (int32_t)p->rank);
    const int sends = tl_fills_sent(m, 0, role), receives = tl_fills_received(m, 0, role);
    tl_event e = message(p, code, 0, sends ? p->pattern->bytes : 0);
    e.tag = 0;
    e.type_bytes = sends;
    e.recv_count = receives ? p->pattern->bytes : 0;
    e.recv_type_bytes = receives;
    put(p, &e);
}

static void pattern_call_barrier(part *p)
{
    const tl_event e = {.call = TL_MPI_Barrier, .site = 1, .comm = TL_COMM_WORLD};
    put(p, &e);
}

static void pattern_call_bcast(part *p)
{
    call(p, TL_MPI_Bcast);
}

static void pattern_call_reduce(part *p)
{
    call(p, TL_MPI_Reduce);
}

static void pattern_call_allreduce(part *p)
{
    call(p, TL_MPI_Allreduce);
}

static void pattern_call_gather(part *p)
{
    call_both_ways(p, TL_MPI_Gather);
}

static void pattern_call_scatter(part *p)
{
    call_both_ways(p, TL_MPI_Scatter);
}

static void pattern_call_allgather(part *p)
{
    call_both_ways(p, TL_MPI_Allgather);
}

static void pattern_call_alltoall(part *p)
{
    call_both_ways(p, TL_MPI_Alltoall);
}

static void pattern_call_reduce_scatter(part *p)
{
    call(p, TL_MPI_Reduce_scatter_block);
}

static void pattern_call_scan(part *p)
{
    call(p, TL_MPI_Scan);
}

/* ---- traces ---- */

static const struct {
    const char *name, *summary;
    void (*write)(part *);
} patterns[] = {
#define TL_PATTERN(name, summary) {#name, summary, pattern_##name},
#include "patterns.def"
};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

size_t tl_pattern_list(size_t i, const char **name, const char **summary)
{
    if (i < N_PATTERNS) {
        *name = patterns[i].name;
        *summary = patterns[i].summary;
    }
    return N_PATTERNS;
}

/* The side of a grid with this number of ranks; 0 if there is none. */
static int64_t side_of(int64_t n_ranks, int n_axes)
{
    int64_t side = 1;
    while ((n_axes == 3 ? side * side * side : side * side) < n_ranks)
        side++;
    return (n_axes == 3 ? side * side * side : side * side) == n_ranks ? side : 0;
}

static tl_status find_pattern(const tl_pattern *pattern, size_t *found, int64_t *side,
                              tl_error *err)
{
    char names[800] = "";
    size_t used = 0, i = 0;
    for (; i < N_PATTERNS && strcmp(patterns[i].name, pattern->name) != 0; i++)
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 patterns[i].name);
    if (i == N_PATTERNS)
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a pattern; choose one of: %s", pattern->name,
                       names);
    const int is_3d = !strcmp(pattern->name, "stencil3d");
    *side = 1;
    if (is_3d || !strcmp(pattern->name, "stencil2d") || !strcmp(pattern->name, "sweep"))
        *side = side_of(pattern->n_ranks, is_3d ? 3 : 2);
    if (!*side)
        return tl_fail(err, TL_ERR_USAGE, "%s needs a %s number of ranks, not %u", pattern->name,
                       is_3d ? "cubic" : "square", pattern->n_ranks);
    if (!strcmp(pattern->name, "doubling") && (pattern->n_ranks & (pattern->n_ranks - 1)))
        return tl_fail(err, TL_ERR_USAGE, "doubling needs a power of two of ranks, not %u",
                       pattern->n_ranks);
    *found = i;
    return TL_OK;
}

/* Writes one rank's part, except its end. */
static tl_status write_part(const tl_pattern *pattern, tl_writer *writer, uint32_t rank,
                            size_t which, int64_t side)
{
    const tl_site site = {.id = 1, .object = pattern->name};
    const tl_event init = {.call = TL_MPI_Init, .site = 1},
                   finalize = {.call = TL_MPI_Finalize, .site = 1};
    part p = {.pattern = pattern,
              .writer = writer,
              .rank = rank,
              .n_ranks = pattern->n_ranks,
              .side = side,
              .status = tl_writer_define_site(writer, &site)};
    put(&p, &init);
    for (uint64_t i = 0; i < pattern->n_iterations && p.status == TL_OK; i++) {
        p.tag = (int64_t)(i & 0x7fff);
        patterns[which].write(&p);
    }
    put(&p, &finalize);
    return p.status;
}

/* If frames share nothing, reading one unpacks its whole block. Blocks are therefore small. */
static tl_status keep_blocks_small(tl_blocks *blocks)
{
    enum { ENOUGH_BYTES = 8192 };
    size_t bytes = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        bytes += blocks->streams[i].size;
    return bytes < ENOUGH_BYTES ? TL_OK : tl_blocks_flush(blocks);
}

static tl_status write_parts(const tl_pattern *pattern, tl_blocks *blocks, size_t which,
                             int64_t side)
{
    tl_writer *writer = NULL;
    tl_status status = tl_writer_open_in_blocks(blocks, 0, pattern->n_ranks, &writer);
    for (uint32_t r = 0; r < pattern->n_ranks && status == TL_OK; r++) {
        if (r)
            status = tl_writer_move_on(writer, TL_END_FINALIZED, 0, r);
        if (status == TL_OK)
            status = keep_blocks_small(blocks);
        if (status == TL_OK)
            status = write_part(pattern, writer, r, which, side);
    }
    if (status == TL_OK)
        return tl_writer_close(writer, TL_END_FINALIZED, 0);
    tl_writer_abandon(writer);
    return status;
}

tl_status tl_pattern_write(const tl_pattern *pattern, const char *out_path, tl_error *err)
{
    size_t which = 0;
    int64_t side = 1;
    tl_status status = find_pattern(pattern, &which, &side, err);
    if (status != TL_OK)
        return status;
    char program[200];
    snprintf(program, sizeof program, "timeless make %s --ranks %u --bytes %lld --iterations %llu",
             pattern->name, pattern->n_ranks, (long long)pattern->bytes,
             (unsigned long long)pattern->n_iterations);
    const tl_run run = {.n_ranks = pattern->n_ranks,
                        .volume_unit = "none",
                        .volume_source = "none",
                        .program = program,
                        .writer = "timeless " PACKAGE_VERSION};
    tl_replacement file;
    tl_blocks blocks;
    status = tl_replace_begin(out_path, &file, err);
    if (status != TL_OK)
        return status;
    status = tl_blocks_create(&blocks, file.part, &run, err);
    if (status == TL_OK && (status = write_parts(pattern, &blocks, which, side)) != TL_OK)
        tl_fail_write(err, out_path, status);
    status = tl_blocks_close(&blocks, file.part, status, err);
    return tl_replace_end(&file, status, err);
}
