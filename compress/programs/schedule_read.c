/* schedule_read.c - parses the statements of a schedule. */
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
    skel_parser p;
    schedule *s;
    bool has_steps;
} reading;

static sched_statement *statement_at(const reading *r, uint32_t number)
{
    return (sched_statement *)r->s->statements.items + number;
}

/* A new statement; its number, 0 after a failure. */
static uint32_t add(reading *r, sched_kind kind, uint32_t line)
{
    sched_statement *made =
        r->p.status == TL_OK ? skel_push(&r->s->statements, sizeof *made) : NULL;
    if (!made) {
        skel_out_of_memory(&r->p);
        return 0;
    }
    made->kind = kind;
    made->line = line;
    return (uint32_t)(r->s->statements.n - 1);
}

/* ---- names and constants ---- */

static void define(reading *r, const skel_token *token, uint32_t slot, bool is_constant)
{
    skel_name *name = r->p.status == TL_OK ? skel_push(&r->p.names, sizeof *name) : NULL;
    if (!name) {
        skel_out_of_memory(&r->p);
        return;
    }
    name->start = token->start;
    name->size = token->size;
    name->slot = slot;
    name->is_constant = is_constant;
}

static void define_constant(reading *r, const skel_token *token, int64_t value)
{
    int64_t *slot = r->p.status == TL_OK ? skel_push(&r->s->s.values, sizeof *slot) : NULL;
    if (!slot) {
        skel_out_of_memory(&r->p);
        return;
    }
    *slot = value;
    define(r, token, r->s->s.n_slots++, true);
}

static skel_token new_name(reading *r)
{
    const skel_token token = r->p.token;
    char text[64];
    if (token.kind != SKEL_T_NAME)
        skel_wrong(&r->p, token.line,
                   "%s instead of a name; names consist of letters, digits and _",
                   skel_found(&r->p, text));
    else if (skel_is_reserved(&token) || skel_find_name(&r->p, &token))
        skel_wrong(&r->p, token.line,
                   "%s is a word of the language or defined already; choose "
                   "another name",
                   skel_found(&r->p, text));
    skel_advance(&r->p);
    return token;
}

static int64_t evaluate_now(reading *r, uint32_t line, uint32_t node)
{
    int64_t value = 0;
    if (r->p.status != TL_OK)
        return 0;
    r->p.status = skel_evaluate(&r->s->s, r->s->s.values.items, node, -1, &value, r->p.err);
    if (r->p.status != TL_OK)
        r->p.token.kind = SKEL_T_END;
    else if (value == SKEL_NULL)
        skel_wrong(&r->p, line, "null is not a number; write a number");
    return value;
}

/* The value of an expression that is the same for all ranks. */
static int64_t constant(reading *r)
{
    r->p.is_constant = true;
    const uint32_t line = r->p.token.line, node = skel_expression(&r->p);
    r->p.is_constant = false;
    return evaluate_now(r, line, node);
}

/* ---- the head ---- */

/* require CONDITION, "a power of two of ranks" */
static void read_require(reading *r)
{
    const int64_t holds = constant(r);
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
    const int64_t n = constant(r);
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

/* ---- blocks ---- */

static uint32_t read_block(reading *r, uint32_t depth, bool in_send);

static uint32_t read_braces(reading *r, uint32_t depth, bool in_send)
{
    const size_t n_names = r->p.names.n;
    skel_expect(&r->p, "{", "{ before the statements of a block, and } behind them");
    if (depth == SKEL_MAX_BLOCKS)
        skel_wrong(&r->p, r->p.token.line, "blocks are nested more than %d deep; join some",
                   SKEL_MAX_BLOCKS);
    const uint32_t first = r->p.status == TL_OK ? read_block(r, depth + 1, in_send) : 0;
    skel_expect(&r->p, "}", "a } for each {");
    r->p.names.n = n_names;
    return first;
}

static uint32_t read_let(reading *r, uint32_t depth)
{
    const uint32_t line = r->p.token.line;
    const skel_token token = new_name(r);
    skel_expect(&r->p, "=", "let NAME = EXPRESSION");
    const uint32_t value = skel_expression(&r->p);
    if (!depth && !r->p.varies && r->s->s.values.n == r->s->s.n_slots) {
        define_constant(r, &token, evaluate_now(r, line, value));
        return 0;
    }
    const uint32_t number = add(r, SCHED_LET, line);
    if (!number)
        return 0;
    statement_at(r, number)->expressions[0] = value;
    statement_at(r, number)->slot = r->s->s.n_slots;
    define(r, &token, r->s->s.n_slots++, false);
    return number;
}

/* for NAME = FIRST to LAST [by STEP] { ... } */
static uint32_t read_for(reading *r, uint32_t depth, bool in_send)
{
    static const char how[] = "for NAME = FIRST to LAST [by STEP] {";
    const uint32_t number = add(r, SCHED_FOR, r->p.token.line);
    const size_t n_names = r->p.names.n;
    uint32_t expressions[3] = {0};
    const skel_token token = new_name(r);
    skel_expect(&r->p, "=", how);
    expressions[0] = skel_expression(&r->p);
    skel_expect(&r->p, "to", how);
    expressions[1] = skel_expression(&r->p);
    if (skel_accept(&r->p, "by"))
        expressions[2] = skel_expression(&r->p);
    if (r->p.status != TL_OK)
        return 0;
    memcpy(statement_at(r, number)->expressions, expressions, sizeof expressions);
    statement_at(r, number)->slot = r->s->s.n_slots;
    define(r, &token, r->s->s.n_slots++, false);
    const uint32_t body = read_braces(r, depth, in_send);
    statement_at(r, number)->body = body;
    r->p.names.n = n_names;
    return number;
}

static uint32_t read_if(reading *r, uint32_t depth, bool in_send)
{
    const uint32_t number = add(r, SCHED_IF, r->p.token.line), test = skel_expression(&r->p);
    const uint32_t body = read_braces(r, depth, in_send);
    uint32_t other = 0;
    if (skel_accept(&r->p, "else")) {
        if (depth == SKEL_MAX_BLOCKS)
            skel_wrong(&r->p, r->p.token.line, "more than %d times else if; join some",
                       SKEL_MAX_BLOCKS);
        else
            other = skel_accept(&r->p, "if") ? read_if(r, depth + 1, in_send)
                                             : read_braces(r, depth, in_send);
    }
    if (r->p.status != TL_OK)
        return 0;
    statement_at(r, number)->expressions[0] = test;
    statement_at(r, number)->body = body;
    statement_at(r, number)->other = other;
    return number;
}

/* block NUMBER; of alltoall: block SOURCE, DESTINATION */
static uint32_t read_one_block(reading *r)
{
    const uint32_t number = add(r, SCHED_BLOCK, r->p.token.line);
    const bool is_pair = r->s->operation == SCHED_ALLTOALL;
    const uint32_t first = skel_expression(&r->p);
    uint32_t second = 0;
    if (is_pair) {
        skel_expect(&r->p, ",", "block SOURCE, DESTINATION");
        second = skel_expression(&r->p);
    }
    if (r->p.status != TL_OK)
        return 0;
    statement_at(r, number)->expressions[0] = first;
    statement_at(r, number)->expressions[1] = second;
    return number;
}

/* send to RANK [all | block ... | { blocks }] */
static uint32_t read_send(reading *r, uint32_t depth)
{
    const uint32_t number = add(r, SCHED_SEND, r->p.token.line);
    char text[64];
    skel_expect(&r->p, "to", "send to RANK block NUMBER");
    const uint32_t peer = skel_expression(&r->p);
    uint32_t body = 0;
    const bool is_barrier = r->s->operation == SCHED_BARRIER;
    const bool all = is_barrier || skel_accept(&r->p, "all");
    if (!all && skel_accept(&r->p, "block"))
        body = read_one_block(r);
    else if (!all && skel_is(&r->p, "{"))
        body = read_braces(r, depth, true);
    else if (!all)
        skel_wrong(&r->p, r->p.token.line,
                   "%s behind send to; write what is sent: all, block NUMBER, or { block ... }",
                   skel_found(&r->p, text));
    if (r->p.status != TL_OK)
        return 0;
    statement_at(r, number)->expressions[0] = peer;
    statement_at(r, number)->body = body;
    statement_at(r, number)->all = all;
    r->has_steps = true;
    return number;
}

/* recv from RANK, combine from RANK */
static uint32_t read_receive(reading *r, sched_kind kind)
{
    const uint32_t number = add(r, kind, r->p.token.line);
    if (kind == SCHED_COMBINE &&
        (!sched_is_combined(r->s->operation) || r->s->operation == SCHED_BARRIER))
        skel_wrong(&r->p, r->p.token.line, "%s combines nothing; write recv from RANK",
                   sched_operations[r->s->operation]);
    skel_expect(&r->p, "from", "recv from RANK");
    const uint32_t peer = skel_expression(&r->p);
    if (r->p.status != TL_OK)
        return 0;
    statement_at(r, number)->expressions[0] = peer;
    r->has_steps = true;
    return number;
}

static uint32_t read_step(reading *r, uint32_t depth)
{
    char text[64];
    if (skel_accept(&r->p, "send"))
        return read_send(r, depth);
    if (skel_accept(&r->p, "recv"))
        return read_receive(r, SCHED_RECV);
    if (skel_accept(&r->p, "combine"))
        return read_receive(r, SCHED_COMBINE);
    if (skel_accept(&r->p, "wait"))
        return add(r, SCHED_WAIT, r->p.token.line);
    skel_wrong(&r->p, r->p.token.line,
               "%s instead of a statement; write let, for, if, send, recv, combine or wait",
               skel_found(&r->p, text));
    return 0;
}

static uint32_t read_statement(reading *r, uint32_t depth, bool in_send)
{
    char text[64];
    const bool is_require = skel_is(&r->p, "require");
    if (is_require || skel_is(&r->p, "parts")) {
        skel_advance(&r->p);
        if (depth)
            skel_wrong(&r->p, r->p.token.line, "%s is in a block; write it before all blocks",
                       is_require ? "require" : "parts");
        else if (is_require)
            read_require(r);
        else
            read_parts(r);
        return 0;
    }
    if (skel_accept(&r->p, "let"))
        return read_let(r, depth);
    if (skel_accept(&r->p, "for"))
        return read_for(r, depth, in_send);
    if (skel_accept(&r->p, "if"))
        return read_if(r, depth, in_send);
    if (!in_send)
        return read_step(r, depth);
    if (skel_accept(&r->p, "block"))
        return read_one_block(r);
    skel_wrong(&r->p, r->p.token.line, "%s among the blocks of a send; write let, for, if or block",
               skel_found(&r->p, text));
    return 0;
}

/* Statements up to a } or the end; the first one. */
static uint32_t read_block(reading *r, uint32_t depth, bool in_send)
{
    uint32_t first = 0, last = 0;
    char text[64];
    while (r->p.status == TL_OK && r->p.token.kind != SKEL_T_END && !skel_is(&r->p, "}")) {
        if (r->p.token.kind == SKEL_T_LINE) {
            skel_advance(&r->p);
            continue;
        }
        const uint32_t number = read_statement(r, depth, in_send);
        if (number && last)
            statement_at(r, last)->next = number;
        first = first ? first : number;
        last = number ? number : last;
        if (r->p.token.kind != SKEL_T_LINE && r->p.token.kind != SKEL_T_END && !skel_is(&r->p, "}"))
            skel_wrong(&r->p, r->p.token.line, "%s behind a statement; begin a new line",
                       skel_found(&r->p, text));
    }
    return first;
}

/* Goes past empty lines and comments. */
static void skip_lines(reading *r)
{
    while (r->p.token.kind == SKEL_T_LINE)
        skel_advance(&r->p);
}

static void read_operation(reading *r)
{
    char text[64];
    const char *wanted = sched_operations[r->s->operation];
    skip_lines(r);
    skel_expect(&r->p, "operation", "'operation NAME' in the line after 'schedule 1'");
    if (r->p.status == TL_OK && !skel_is(&r->p, wanted))
        skel_wrong(&r->p, r->p.token.line, "the schedule is for %s, not for %s; give one for %s",
                   skel_found(&r->p, text), wanted, wanted);
    skel_advance(&r->p);
}

static void read_all(reading *r)
{
    static const char *const names[N_CONSTANTS] = {"rank", "ranks", "root_rank", "bytes"};
    const int64_t values[N_CONSTANTS] = {0, r->s->n_ranks, r->s->root, r->s->bytes};
    skel_advance(&r->p);
    skip_lines(r);
    skel_expect(&r->p, "schedule", "'schedule 1' before the first statement");
    if (r->p.status == TL_OK && (r->p.token.kind != SKEL_T_NUMBER || r->p.token.number != 1))
        skel_wrong(&r->p, r->p.token.line,
                   "the version of the language is not 1; write 'schedule 1', or use the timeless "
                   "that knows it");
    skel_advance(&r->p);
    read_operation(r);
    for (int i = 0; i < N_CONSTANTS; i++) {
        const skel_token name = {.start = names[i], .size = strlen(names[i])};
        define_constant(r, &name, values[i]);
    }
    if (r->p.status != TL_OK)
        return;
    ((skel_name *)r->p.names.items)[0].is_constant = false;
    r->s->first = read_block(r, 0, false);
    if (skel_is(&r->p, "}"))
        skel_wrong(&r->p, r->p.token.line, "a } without a {; remove it");
}

tl_status sched_read(schedule *s, const char *source, tl_error *err)
{
    reading r = {.p = {.s = &s->s, .at = source, .line = 1, .err = err}, .s = s};
    s->n_parts = 1;
    s->s.n_ranks = s->n_ranks;
    if (!skel_push(&s->s.nodes, sizeof(skel_node)) ||
        !skel_push(&s->statements, sizeof(sched_statement)))
        skel_out_of_memory(&r.p);
    if (r.p.status == TL_OK)
        read_all(&r);
    free(r.p.names.items);
    return r.p.status;
}
