/* messages.c - the steps of an algorithm, for an event that is a collective: messages.h. */
#include "config.h"

#include "messages.h"

#include "actions.h"
#include "collectives/message.h"
#include "ompi.h"
#include "reading.h"

#include <stdlib.h>

struct tlr_messages {
    tlr_job job;
    tlr_options options;
    loggops_choice choice;
    tlr_plan *plan;
    loggops_reading reading;
    tl_collective_step *steps;
    size_t n, room;
};

tl_status tlr_messages_open(tl_reader *trace, tlr_messages **out, tl_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out)
        return tl_no_memory(err, tl_reader_path(trace));
    (*out)->job.trace = trace;
    return TL_OK;
}

/* Only a trace with collectives needs a plan. */
static tl_status prepare(tlr_messages *m, tl_error *err)
{
    tl_reader *trace = m->job.trace;
    if (m->plan)
        return TL_OK;
    m->options.no_compute = 1; /* the export has its own rates */
    tl_status status = tlr_ompi_select(&m->job, 1, NULL, &m->options, err);
    status = status ? status : loggops_read_choice(NULL, &m->options, &m->choice, err);
    status = status ? status : tlr_plan_make(trace, NULL, &m->options, &m->plan, err);
    if (status != TL_OK)
        return status;
    m->choice.S_bytes = UINT64_MAX;
    m->reading = (loggops_reading){.trace = trace,
                                   .plan = m->plan,
                                   .options = &m->options,
                                   .choice = &m->choice,
                                   .run = loggops_run_begin(m->plan, NULL)};
    return m->reading.run ? TL_OK : tl_no_memory(err, tl_reader_path(trace));
}

void tlr_messages_close(tlr_messages *m)
{
    if (!m)
        return;
    loggops_reading_free(&m->reading);
    if (m->reading.run)
        loggops_run_free(m->reading.run);
    tlr_plan_free(m->plan);
    free(m->choice.stand_ins);
    free(m->steps);
    free(m);
}

/* The bytes of the next message from `peer` to rank `me`: those that its sender sends. Messages
 * between two ranks come in their order; *next is the step of the sender after the last one. Where
 * each rank has a message of one size from each other, a search for it would take as many steps as
 * there are ranks. */
static uint64_t bytes_that_come(const tlr_collective *call, const int64_t *list, uint32_t me,
                                uint32_t size, uint32_t peer, uint32_t *next)
{
    tlr_message sent;
    if (call->algorithm == TLR_REDUCE_SCATTER_PAIRWISE)
        return block_of(call, list, me);
    if (call->algorithm == TLR_SCAN_AT_ONCE)
        return call->amount;
    do
        sent = tlr_collective_step(call, list, peer, size, (*next)++);
    while (sent.kind != TLR_MESSAGE_END &&
           (sent.kind != TLR_MESSAGE_SEND || sent.peer != (int32_t)me));
    return sent.bytes;
}

static bool add_step(tlr_messages *m, const loggops_comm *comm, const tlr_message *part,
                     uint64_t bytes)
{
    if (part->kind != TLR_MESSAGE_WAIT && part->peer < 0)
        return 1;
    if (!loggops_grow(&m->steps, m->n + 1, &m->room, sizeof *m->steps))
        return 0;
    m->steps[m->n++] = (tl_collective_step){
        .action = part->kind == TLR_MESSAGE_WAIT   ? TL_ACTION_WAIT
                  : part->kind == TLR_MESSAGE_SEND ? TL_ACTION_ISEND
                                                   : TL_ACTION_IRECV,
        .peer = part->peer >= 0 && comm->members ? comm->members[part->peer] : part->peer,
        .bytes = (int64_t)bytes};
    return 1;
}

/* `received` has the blocks that come from each rank; NULL: the algorithm sends others. */
static bool add_steps(tlr_messages *m, const loggops_op *op, const tl_side *received)
{
    const loggops_comm *comm = &m->reading.run->comms[op->comm];
    const tlr_collective call = {op->algorithm, op->is_blocking, op->peer, op->amount};
    const int64_t *list = op->list ? m->reading.list + op->list : NULL;
    const uint32_t me = loggops_rank_in(comm, m->reading.rank), size = comm->n_members;
    uint32_t *next = calloc(size + 1u, sizeof *next);
    bool fits = next != NULL;
    for (uint32_t i = 0; fits; i++) {
        const tlr_message part = tlr_collective_step(&call, list, me, size, i);
        if (part.kind == TLR_MESSAGE_END)
            break;
        uint64_t bytes = part.bytes;
        if (part.kind == TLR_MESSAGE_RECEIVE && part.peer >= 0) {
            const uint32_t peer = (uint32_t)part.peer;
            bytes = received ? (uint64_t)(tl_count_at(received, peer) * received->type_bytes)
                             : bytes_that_come(&call, list, me, size, peer, &next[peer]);
        }
        fits = add_step(m, comm, &part, bytes);
    }
    free(next);
    return fits;
}

/* Whether each rank sends its block itself. */
static bool sends_blocks(const loggops_op *op)
{
    switch (op->algorithm) {
    case TLR_GATHER_LINEAR:
    case TLR_ALLTOALL_LINEAR:
    case TLR_ALLTOALL_RING:
    case TLR_ALLTOALL_PAIR:
    case TLR_ALLTOALL_SCATTERED: return 1;
    case TLR_ALLTOALL_BRUCK: return op->list != 0;
    default: return 0;
    }
}

tl_status tlr_messages_of(void *context, uint32_t rank, const tl_event *event,
                          const tl_collective_step **out, size_t *n, tl_error *err)
{
    tlr_messages *m = context;
    loggops_reading *t = &m->reading;
    TL_TRY(prepare(m, err));
    t->rank = rank;
    t->walk = (tlr_walk){.plan = m->plan, .trace = t->trace, .rank = rank};
    t->err = err;
    t->n_ops = 0;
    t->n_list = 1; /* offset 0 is no list */
    m->n = 0;
    const tl_call_info *call = tl_call_by_code(event->call);
    t->status = TL_OK;
    loggops_add_collective(t, event, call);
    tl_status status = t->status;
    tl_side sent, received;
    loggops_take_sides(t, event, tl_meaning_of(call->action), &sent, &received);
    for (size_t i = 0; i < t->n_ops && status == TL_OK; i++)
        if (!add_steps(m, &t->ops[i], sends_blocks(&t->ops[i]) ? &received : NULL))
            status = tl_no_memory(err, tl_reader_path(t->trace));
    *out = m->steps;
    *n = m->n;
    return status;
}
