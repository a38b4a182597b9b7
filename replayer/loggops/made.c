/* made.c - operations of the events that a program makes, without a detour by events in full: most
 * are kernels, messages on MPI_COMM_WORLD, and exchanges of two ranks. */
#include "reading.h"

#include <string.h>
#include <timeless_convert.h>

/* Relative to the rank, as in all programs. */
static int32_t relative(const loggops_reading *t, int32_t peer)
{
    const int32_t me = (int32_t)t->rank, n = (int32_t)t->n_ranks;
    return peer < me ? peer - me + n : peer - me;
}

static void add_kernel(loggops_reading *t, const tl_short_event *e)
{
    if (!t->model)
        return;
    const int64_t sizes[] = {e->peer, e->tag, e->kernel};
    const tl_event event = {
        .call = e->call, .tag = e->kernel, .list_len = e->n_sizes, .list = sizes};
    const double seconds = tlr_rank_kernel_s(&t->rates, &event, t->n_read) * t->s_per_s;
    t->compute_s += seconds;
    t->sums.kernel_s += seconds;
}

/* MPI_Irecv, MPI_Send and MPI_Wait with one partner. */
static bool is_exchange(const tl_short_event *e, size_t n_left)
{
    return n_left > 2 && e[0].call == TL_MPI_Irecv && e[1].call == TL_MPI_Send &&
           e[2].call == TL_MPI_Wait && e[0].peer == e[1].peer && e[0].tag == e[1].tag;
}

/* Appends a message, and the computation before it; there is room for both. */
static loggops_op *add_message(loggops_reading *t, const tl_short_event *e, uint8_t kind)
{
    if (t->compute_s > 0)
        loggops_add_compute(t);
    loggops_op *op = &t->ops[t->n_ops++];
    *op = (loggops_op){.kind = kind,
                       .comm = t->world,
                       .peer = relative(t, e->peer),
                       .tag = e->tag,
                       .amount =
                           kind == LOGGOPS_RECV || kind == LOGGOPS_POLL ? 0 : (uint64_t)e->bytes};
    return op;
}

/* What follows is for the answer that the message is not there. */
static void add_probe(loggops_reading *t, const tl_short_event *e)
{
    if (t->n_probes == LOGGOPS_PROBES_AHEAD) {
        loggops_refuse(t, &(tl_event){.call = TL_MPI_Iprobe});
        return;
    }
    add_message(t, e, LOGGOPS_POLL);
    t->n_read++;
    loggops_read_point *at = &t->at_probes[t->n_probes++];
    *at = (loggops_read_point){.n_read = t->n_read,
                               .n_regions = t->n_regions,
                               .sums = t->sums,
                               .compute_ps = t->compute_ps};
    at->of_rates = t->rates.sums;
}

static void add_other(loggops_reading *t, tl_cursor *cursor, const tl_short_event *e)
{
    tl_event event;
    tl_cursor_expand(cursor, e, &event);
    loggops_translate(t, &event);
}

tl_status loggops_translate_made(loggops_reading *t, tl_cursor *cursor)
{
    const tl_short_event *events = NULL;
    size_t n = 0;
    TL_TRY(tl_cursor_take(cursor, &events, &n));
    loggops_has_room(t, &t->ops, t->n_ops + 2 * n, &t->ops_room, sizeof *t->ops);
    for (size_t i = 0; i < n && t->status == TL_OK; i++) {
        const tl_short_event *e = &events[i];
        if (t->is_labelled && e->call != TL_MPI_Iprobe) {
            add_other(t, cursor, e);
        } else if (e->n_sizes) {
            add_kernel(t, e);
            t->n_read++;
        } else if (is_exchange(e, n - i)) {
            add_message(t, &e[1], LOGGOPS_EXCHANGE)->request = FIRST_OF_TRACE;
            t->n_read += 3;
            i += 2;
        } else if (e->call == TL_MPI_Send) {
            add_message(t, e, LOGGOPS_SEND);
            t->n_read++;
        } else if (e->call == TL_MPI_Recv) {
            add_message(t, e, LOGGOPS_RECV);
            t->n_read++;
        } else if (e->call == TL_MPI_Iprobe) {
            add_probe(t, e);
        } else {
            add_other(t, cursor, e);
        }
    }
    return t->status;
}
