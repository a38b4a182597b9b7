/* schedule_read.c - parses the statements that a schedule has and a skeleton has not. */
#include "config.h"

#include "schedule.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const sched_operations[SCHED_N_OPERATIONS] = {"allgather", "allreduce",      "alltoall",
                                                          "barrier",   "bcast",          "gather",
                                                          "reduce",    "reduce_scatter", "scatter"};

enum { N_CONSTANTS = 4 }; /* rank, ranks, root_rank, bytes */

typedef struct reading {
    skel_parser p; /* the first member: a language gets its address */
    schedule *s;
    bool has_steps;
    bool in_send; /* in the blocks of a send */
} reading;

/* ---- the head ---- */

/* require CONDITION, "a power of two of ranks" */
static void read_require(reading *r)
{
    const int64_t holds = skel_constant(&r->p);
    skel_expect(&r->p, ",", "require CONDITION, \"what the algorithm needs\"");
    if (r->p.token.kind != SKEL_T_TEXT)
        skel_wrong(&r->p, r->p.token.line,
                   "require has no text; write require CONDITION, \"what the algorithm needs\"");
    if (!holds && r->p.status == TL_OK) {
        r->p.status = tl_fail(r->p.err, TL_ERR_USAGE,
                              "not possible: the schedule %s of %s needs %.*s, but the trace calls "
                              "it on %" PRIu32 " ranks; choose another one",
                              r->s->s.path, sched_operations[r->s->operation],
                              r->p.token.size < 200 ? (int)r->p.token.size : 200, r->p.token.start,
                              r->s->n_ranks);
        r->p.token.kind = SKEL_T_END;
        return;
    }
    skel_advance(&r->p);
}

/* parts NUMBER: of the buffer, in operations on one buffer */
static void read_parts(reading *r)
{
    enum { MOST_PARTS = 1 << 16 };
    const uint32_t line = r->p.token.line;
    const int64_t n = skel_constant(&r->p);
    const sched_operation o = r->s->operation;
    if (o != SCHED_BCAST && o != SCHED_REDUCE && o != SCHED_ALLREDUCE)
        skel_wrong(&r->p, line, "the blocks of %s are those of its ranks; remove parts",
                   sched_operations[o]);
    else if (r->has_steps)
        skel_wrong(&r->p, line, "parts stands behind a send or receive; write it before");
    else if (n < 1 || n > MOST_PARTS)
        skel_wrong(&r->p, line, "%" PRId64 " parts; give a number from 1 to %d", n, MOST_PARTS);
    else
        r->s->n_parts = (uint32_t)n;
}

/* ---- steps ---- */

/* block NUMBER; of alltoall: block SOURCE, DESTINATION */
static uint32_t read_one_block(reading *r)
{
    const uint32_t number = skel_add(&r->p, SCHED_BLOCK, r->p.token.line);
    const bool is_pair = r->s->operation == SCHED_ALLTOALL;
    const uint32_t first = skel_expression(&r->p);
    uint32_t second = 0;
    if (is_pair) {
        skel_expect(&r->p, ",", "block SOURCE, DESTINATION");
        second = skel_expression(&r->p);
    }
    if (r->p.status != TL_OK)
        return 0;
    skel_statement_at(&r->p, number)->expressions[0] = first;
    skel_statement_at(&r->p, number)->expressions[1] = second;
    return number;
}

/* send to RANK [all | block ... | { blocks }] */
static uint32_t read_send(reading *r, uint32_t depth)
{
    const uint32_t number = skel_add(&r->p, SCHED_SEND, r->p.token.line);
    char text[64];
    skel_expect(&r->p, "to", "send to RANK block NUMBER");
    const uint32_t peer = skel_expression(&r->p);
    uint32_t body = 0;
    const bool is_barrier = r->s->operation == SCHED_BARRIER;
    const bool all = is_barrier || skel_accept(&r->p, "all");
    if (!all && skel_accept(&r->p, "block"))
        body = read_one_block(r);
    else if (!all && (r->in_send = skel_is(&r->p, "{")))
        body = skel_read_braces(&r->p, depth);
    else if (!all)
        skel_wrong(&r->p, r->p.token.line,
                   "%s behind send to; write what is sent: all, block NUMBER, or { block ... }",
                   skel_found(&r->p, text));
    r->in_send = false;
    if (r->p.status != TL_OK)
        return 0;
    skel_statement *made = skel_statement_at(&r->p, number);
    made->kind = all ? SCHED_SEND_ALL : SCHED_SEND;
    made->expressions[0] = peer;
    made->body = body;
    r->has_steps = true;
    return number;
}

/* recv from RANK, combine from RANK */
static uint32_t read_receive(reading *r, skel_kind kind)
{
    const uint32_t number = skel_add(&r->p, kind, r->p.token.line);
    if (kind == SCHED_COMBINE &&
        (!sched_is_combined(r->s->operation) || r->s->operation == SCHED_BARRIER))
        skel_wrong(&r->p, r->p.token.line, "%s combines nothing; write recv from RANK",
                   sched_operations[r->s->operation]);
    skel_expect(&r->p, "from", "recv from RANK");
    const uint32_t peer = skel_expression(&r->p);
    if (r->p.status != TL_OK)
        return 0;
    skel_statement_at(&r->p, number)->expressions[0] = peer;
    r->has_steps = true;
    return number;
}

static uint32_t read_statement(skel_parser *p, uint32_t depth)
{
    reading *r = (reading *)p;
    char text[64];
    const bool is_require = skel_is(p, "require");
    if (is_require || skel_is(p, "parts")) {
        skel_advance(p);
        if (depth)
            skel_wrong(p, p->token.line, "%s is in a block; write it before all blocks",
                       is_require ? "require" : "parts");
        else if (is_require)
            read_require(r);
        else
            read_parts(r);
        return 0;
    }
    if (r->in_send && skel_accept(p, "block"))
        return read_one_block(r);
    if (!r->in_send && skel_accept(p, "send"))
        return read_send(r, depth);
    if (!r->in_send && skel_accept(p, "recv"))
        return read_receive(r, SCHED_RECV);
    if (!r->in_send && skel_accept(p, "combine"))
        return read_receive(r, SCHED_COMBINE);
    if (!r->in_send && skel_accept(p, "wait"))
        return skel_add(p, SCHED_WAIT, p->token.line);
    skel_wrong(p, p->token.line,
               r->in_send
                   ? "%s among the blocks of a send; write let, for, if or block"
                   : "%s instead of a statement; write let, for, if, send, recv, combine or wait",
               skel_found(p, text));
    return 0;
}

static void read_operation(reading *r)
{
    char text[64];
    const char *wanted = sched_operations[r->s->operation];
    skel_expect(&r->p, "operation", "'operation NAME' in the line after 'schedule 1'");
    if (r->p.status == TL_OK && !skel_is(&r->p, wanted))
        skel_wrong(&r->p, r->p.token.line, "the schedule is for %s, not for %s; give one for %s",
                   skel_found(&r->p, text), wanted, wanted);
    skel_advance(&r->p);
}

static void read_head(skel_parser *p)
{
    static const char *const names[N_CONSTANTS] = {"rank", "ranks", "root_rank", "bytes"};
    reading *r = (reading *)p;
    const int64_t values[N_CONSTANTS] = {0, r->s->n_ranks, r->s->root, r->s->bytes};
    skel_skip_lines(p);
    skel_read_version(p, "schedule", "'schedule 1' before the first statement");
    read_operation(r);
    for (int i = 0; i < N_CONSTANTS; i++) {
        const skel_token name = {.start = names[i], .size = strlen(names[i])};
        skel_define_constant(p, &name, values[i]);
    }
    if (p->status == TL_OK)
        ((skel_name *)p->names.items)[0].is_constant = false;
}

tl_status sched_read(schedule *s, const char *source, tl_error *err)
{
    static const skel_language language = {.names_size = true,
                                           .endless =
                                               "the schedule does not end; correct its loops",
                                           .read_head = read_head,
                                           .read_statement = read_statement};
    reading r = {.p = {.s = &s->s, .at = source, .line = 1, .err = err}, .s = s};
    s->n_parts = 1;
    s->s.language = &language;
    s->s.n_ranks = s->n_ranks;
    return skel_parse(&r.p);
}
