/* network_needs.c - the sizes of the messages that a trace has. */
#include "network.h"

#include <actions.h>

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct sizes {
    double n[TLP_MOST_SIZES], logs[TLP_MOST_SIZES]; /* by octave */
    double largest;
} sizes;

static void add(sizes *s, double bytes)
{
    if (!(bytes >= 1) || bytes > INT_MAX)
        return;
    const int octave = (int)log2(bytes);
    s->n[octave]++;
    s->logs[octave] += log(bytes);
    s->largest = fmax(s->largest, bytes);
}

/* A collective's block, its parts, and several blocks together: as algorithms send them. */
static void add_block(sizes *s, double bytes, bool is_joined, uint32_t n_ranks)
{
    add(s, bytes);
    for (uint32_t k = 2; k <= n_ranks; k *= 2) {
        add(s, bytes / k);
        if (is_joined)
            add(s, bytes * (k / 2.0));
    }
}

static void add_event(sizes *s, const tl_event *e, const tl_meaning *m, uint32_t n_ranks)
{
    double bytes = (double)e->count * (double)e->type_bytes;
    if (bytes <= 0) /* MPI_IN_PLACE */
        bytes = (double)e->recv_count * (double)e->recv_type_bytes;
    switch ((tl_kind)m->kind) {
    case TL_KIND_SEND:
    case TL_KIND_SENDRECV:
    case TL_KIND_ACCESS: add(s, bytes); break;
    case TL_KIND_COLLECTIVE:
    case TL_KIND_NEIGHBORHOOD:
        if (m->sent == TL_SIZE_LIST || m->sent == TL_SIZE_BYTES)
            for (uint32_t i = 0; i < e->list_len; i++)
                add(s, (double)e->list[i] * (m->sent == TL_SIZE_BYTES ? 1 : (double)e->type_bytes));
        else if (m->sent != TL_SIZE_NONE)
            add_block(s, bytes, m->sent == TL_SIZE_EACH || m->received == TL_SIZE_EACH, n_ranks);
        break;
    default: break;
    }
}

static tl_status read_rank(tl_reader *trace, uint32_t rank, sizes *s, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    const uint32_t n_ranks = tl_reader_run(trace)->n_ranks;
    tl_status status = tl_cursor_open(trace, rank, &cursor, err);
    if (status != TL_OK)
        return status;
    while ((status = tl_cursor_next(cursor, &e)) == TL_OK) {
        const tl_call_info *info = tl_call_by_code(e.call);
        if (info)
            add_event(s, &e, tl_meaning_of(info->action), n_ranks);
    }
    if (status != TL_END)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

tl_status tlp_network_needs_read(const char *path, tlp_network_needs *out, tl_error *err)
{
    tl_reader *trace = NULL;
    sizes s = {.largest = 0};
    *out = (tlp_network_needs){0};
    tl_status status = tl_reader_open(path, &trace, err);
    for (uint32_t r = 0; status == TL_OK && r < tl_reader_run(trace)->n_ranks; r++)
        status = read_rank(trace, r, &s, err);
    tl_reader_close(trace);
    for (int i = 0; i < TLP_MOST_SIZES; i++)
        if (s.n[i] > 0)
            out->bytes[out->n++] = lround(exp(s.logs[i] / s.n[i]));
    out->largest = (long)s.largest;
    if (status == TL_OK && !out->n)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: sends no messages, so there is nothing to measure for it; "
                         "'timeless budget' names what its prediction needs",
                         path);
    return status;
}
