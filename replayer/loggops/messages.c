/* messages.c - the steps of an algorithm, for an event that is a collective: messages.h. */
#include "config.h"

#include "messages.h"

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

static bool add_step(tlr_messages *m, const loggops_comm *comm, const tlr_message *part)
{
    if (part->kind != TLR_MESSAGE_WAIT && part->peer < 0)
        return 1;
    if (!loggops_grow((void **)&m->steps, m->n + 1, &m->room, sizeof *m->steps))
        return 0;
    const bool is_send = part->kind == TLR_MESSAGE_SEND;
    m->steps[m->n++] = (tl_collective_step){
        .action = part->kind == TLR_MESSAGE_WAIT ? TL_ACTION_WAIT
                  : is_send                      ? TL_ACTION_ISEND
                                                 : TL_ACTION_IRECV,
        .peer = part->peer >= 0 && comm->members ? comm->members[part->peer] : part->peer,
        .bytes = (int64_t)(is_send ? part->bytes : part->room)};
    return 1;
}

static bool add_steps(tlr_messages *m, const loggops_op *op)
{
    const loggops_comm *comm = &m->reading.run->comms[op->comm];
    const tlr_collective call = {op->algorithm, op->is_blocking, op->peer, op->amount};
    const int64_t *list = op->list ? m->reading.list + op->list : NULL;
    for (uint32_t i = 0;; i++) {
        const tlr_message part = tlr_collective_step(
            &call, list, loggops_rank_in(comm, m->reading.rank), comm->n_members, i);
        if (part.kind == TLR_MESSAGE_END)
            return 1;
        if (!add_step(m, comm, &part))
            return 0;
    }
}

tl_status tlr_messages_of(void *context, uint32_t rank, const tl_event *event,
                          const tl_collective_step **out, size_t *n, tl_error *err)
{
    tlr_messages *m = context;
    loggops_reading *t = &m->reading;
    tl_status status = prepare(m, err);
    if (status != TL_OK)
        return status;
    t->rank = rank;
    t->walk = (tlr_walk){.plan = m->plan, .trace = t->trace, .rank = rank};
    t->err = err;
    t->n_ops = 0;
    t->n_list = 1; /* offset 0 is no list */
    m->n = 0;
    status = loggops_add_collective(t, event, tl_call_by_code(event->call));
    for (size_t i = 0; i < t->n_ops && status == TL_OK; i++)
        if (!add_steps(m, &t->ops[i]))
            status = tl_no_memory(err, tl_reader_path(t->trace));
    *out = m->steps;
    *n = m->n;
    return status;
}
