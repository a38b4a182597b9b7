/* stream.c - programs that make their events, and long traces, are simulated while they are read.
 *
 * Each rank has a cursor and the next few operations: memory does not grow with the length.  Where
 * the program asks whether a message is there, its cursor returns the probe as an event: the
 * simulation answers at that moment, and only then is the next event made. */
#include "config.h"

#include "reading.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Operations that are read at a time, and the requests that a rank may have. */
enum { SOME_OPS = 32, MOST_REQUESTS = 64 };
enum { UNKNOWN = -1 };

typedef struct rank_stream {
    tl_cursor *cursor;
    uint32_t n_no; /* answers that the program has not taken: so often no, then yes */
    bool is_there;
    tl_status status;
    tlr_kernel_memo *own_memos; /* NULL: those of a rank before */
    loggops_reading t;
    tl_error err;
} rank_stream;

struct loggops_streams {
    loggops_reading common;
    rank_stream *ranks;
    const tl_cursor **cursors; /* those of the ranks, side by side, and their operations */
    loggops_op **ops;
    loggops_feed feed;
};

static int answer_program(void *arg, const tl_event *probe)
{
    rank_stream *r = arg;
    (void)probe;
    if (r->n_no) {
        r->n_no--;
        return 0;
    }
    const int answer = r->is_there ? 1 : UNKNOWN;
    r->is_there = 0;
    return answer;
}

static void take_answer(void *context, uint32_t rank, bool is_there)
{
    const loggops_streams *s = context;
    rank_stream *r = &s->ranks[rank];
    r->is_there = is_there;
    r->n_no += !is_there;
}

/* What was read behind a probe whose message is there does not happen. */
static void return_to_answer(rank_stream *r)
{
    loggops_reading *t = &r->t;
    if (r->is_there && r->n_no < t->n_probes) {
        const loggops_read_point *at = &t->at_probes[r->n_no];
        t->n_read = at->n_read;
        t->n_regions = at->n_regions;
        t->sums = at->sums;
        t->rates.sums = at->of_rates;
        t->compute_ps = at->compute_ps;
        t->n_labels = 0;
    }
    t->n_probes = 0;
}

/* Counts the events, which nobody has done before. */
static void end_rank(rank_stream *r)
{
    tlr_plan *plan = r->t.plan;
    tl_cursor_close(r->cursor);
    r->cursor = NULL;
    if (r->t.is_made)
        plan->ranks[r->t.rank]->n_events = r->t.n_read;
    tlr_rank_model_close(&r->t.rates);
}

static tl_status translate_recorded(rank_stream *r)
{
    tl_event event;
    loggops_reading *t = &r->t;
    const tl_status status = tl_cursor_next(r->cursor, &event);
    return status == TL_OK ? loggops_translate(t, &event) : status;
}

static tl_status read_some(rank_stream *r)
{
    static const tl_event start = {.call = TL_MPI_Irecv};
    loggops_reading *t = &r->t;
    tl_status status = TL_OK;
    while (status == TL_OK && t->n_ops < SOME_OPS &&
           (!t->n_ops || t->ops[t->n_ops - 1].kind != LOGGOPS_POLL))
        status = t->is_made ? loggops_translate_made(t, r->cursor) : translate_recorded(r);
    if (t->n_requests > t->run->programs[t->rank].n_requests) {
        loggops_refuse(t, &start);
        return t->status;
    }
    if (status == TL_OK) {
        loggops_add(t, (loggops_op){.kind = LOGGOPS_MORE});
        return t->status;
    }
    if (status != TL_END) {
        if (tl_cursor_error(r->cursor)->status != TL_OK)
            r->err = *tl_cursor_error(r->cursor);
        return status;
    }
    end_rank(r);
    loggops_add_compute(t);
    loggops_note_kernels(t);
    t->run->compute_ps[t->rank] = t->compute_ps;
    t->run->io_ps[t->rank] = t->io_ps;
    loggops_add(t, (loggops_op){.kind = LOGGOPS_END});
    return t->status;
}

static int read_more(void *context, uint32_t rank, loggops_program *program)
{
    loggops_streams *s = context;
    rank_stream *r = &s->ranks[rank];
    return_to_answer(r);
    if (r->t.is_labelled)
        loggops_keep_labels(&r->t, r->t.n_ops ? r->t.n_ops - 1 : 0);
    r->t.n_ops = 0;
    r->t.n_list = 1;
    r->status = read_some(r);
    program->ops = s->ops[rank] = r->t.ops;
    program->lists = r->t.list;
    if (r->t.is_labelled)
        r->t.run->labels[rank] = (loggops_labels){r->t.labels, r->t.n_labels};
    return r->status == TL_OK;
}

/* The processor fetches what is read of a rank first, in the meantime. */
static void fetch(void *context, uint32_t rank, uint32_t position)
{
    enum { LINE_BYTES = 64, READ_BYTES = offsetof(rank_stream, t.requests) };
    const loggops_streams *s = context;
    const char *memory = (const char *)&s->ranks[rank];
    const loggops_op *op = s->ops[rank] + position;
    __builtin_prefetch(op);
    __builtin_prefetch(op + 1);
    __builtin_prefetch(s->cursors[rank]);
    for (size_t i = 0; i < READ_BYTES; i += LINE_BYTES)
        __builtin_prefetch(memory + i);
}

static tl_status why(void *context, tl_error *err)
{
    const loggops_streams *s = context;
    for (uint32_t i = 0; i < s->common.plan->n_ranks; i++)
        if (s->ranks[i].status != TL_OK) {
            if (err)
                *err = s->ranks[i].err;
            return s->ranks[i].status;
        }
    return TL_OK;
}

static void close_ranks(loggops_streams *s)
{
    for (uint32_t i = 0; s->ranks && i < s->common.plan->n_ranks; i++) {
        tl_cursor_close(s->ranks[i].cursor);
        tlr_rank_model_close(&s->ranks[i].t.rates);
        free(s->ranks[i].own_memos);
        loggops_reading_free(&s->ranks[i].t);
    }
    free(s->ranks);
    free(s->cursors);
    free(s->ops);
    s->ranks = NULL;
    s->cursors = NULL;
    s->ops = NULL;
}

/* Ranks that are alike and run on one host, and by one thread, have the memos of kernels in common:
 * so many ranks take turns that each finds its own gone from the cache. */
static tl_status share_memos(const loggops_streams *s, uint32_t rank)
{
    enum { ONE_THREAD_BITS = 8 }; /* simulate.c's blocks have so many ranks or more */
    rank_stream *r = &s->ranks[rank];
    const uint32_t *host_of = s->common.places ? s->common.places->host_of : NULL;
    if (!s->common.model || !host_of)
        return TL_OK;
    for (uint32_t i = rank; i-- > rank >> ONE_THREAD_BITS << ONE_THREAD_BITS;)
        if (host_of[i] == host_of[rank] &&
            tlr_rank_models_agree(&s->ranks[i].t.rates, &r->t.rates)) {
            tlr_rank_model_lend(&r->t.rates, s->ranks[i].t.rates.memos);
            return TL_OK;
        }
    r->own_memos = calloc(TLR_KERNEL_MEMOS, sizeof *r->own_memos);
    if (!r->own_memos)
        return loggops_out_of_memory(&r->t);
    tlr_rank_model_lend(&r->t.rates, r->own_memos);
    return TL_OK;
}

/* A program may have so many requests, a trace those that it has, and our own. */
static uint32_t most_requests(const loggops_reading *t)
{
    const tlr_plan_rank *r = t->plan->ranks[t->rank];
    uint32_t n_own = 0;
    if (t->is_made)
        return MOST_REQUESTS;
    for (uint32_t id = 0; id < r->n_comms; id++) {
        const tl_comm *c = r->definitions[id];
        const tl_action action = c ? tl_call_by_code(c->call)->action : TL_ACTION_NONE;
        if (action == TL_ACTION_WIN_CREATE)
            n_own += LOGGOPS_MOST_ACCESSES + (n_own ? 0 : t->plan->n_ranks);
        n_own += action == TL_ACTION_FILE_OPEN;
    }
    const uint32_t most_own = 2 * LOGGOPS_MOST_ACCESSES + t->plan->n_ranks + r->n_comms;
    return r->n_requests + FIRST_OF_TRACE + 2 + (n_own < most_own ? n_own : most_own);
}

static tl_status open_rank(loggops_streams *s, loggops_run *run, uint32_t rank, tl_error *err)
{
    static loggops_op at_first[] = {{.kind = LOGGOPS_MORE}};
    rank_stream *r = &s->ranks[rank];
    r->t = s->common;
    r->t.is_stream = 1;
    r->t.run = run;
    r->t.rank = rank;
    r->t.world = loggops_comm_of(&r->t, &(tl_event){.comm = TL_COMM_WORLD});
    r->t.err = err;
    run->program_of[rank] = rank;
    run->programs[rank] = (loggops_program){.ops = at_first, .n_requests = most_requests(&r->t)};
    tl_status status = loggops_begin_rank(&r->t, rank);
    if (status == TL_OK)
        status = share_memos(s, rank);
    if (status == TL_OK)
        status = tl_cursor_open(r->t.trace, rank, &r->cursor, err);
    if (status == TL_OK && r->t.is_made)
        tl_cursor_set_asker(r->cursor, answer_program, r);
    if (status == TL_OK && r->t.is_made)
        tl_cursor_look_ahead(r->cursor, LOGGOPS_PROBES_AHEAD);
    s->cursors[rank] = r->cursor;
    s->ops[rank] = at_first;
    r->t.err = &r->err;
    return status;
}

tl_status loggops_streams_run(loggops_streams *s, loggops_run **out, tl_error *err)
{
    const uint32_t n_ranks = s->common.plan->n_ranks;
    loggops_run *run = loggops_run_begin(s->common.plan, s->common.places);
    close_ranks(s);
    s->ranks = calloc(n_ranks, sizeof *s->ranks);
    s->cursors = calloc(n_ranks, sizeof *s->cursors);
    s->ops = calloc(n_ranks, sizeof *s->ops);
    if (run) {
        const tlr_plan *plan = s->common.plan;
        run->feed = &s->feed;
        run->is_short = !s->common.is_made && plan->most_bytes < (double)s->common.choice->S_bytes;
        run->is_synchronous = plan->has_synchronous;
        run->programs = calloc(n_ranks, sizeof *run->programs);
        run->compute_ps = calloc(n_ranks, sizeof *run->compute_ps);
        run->io_ps = calloc(n_ranks, sizeof *run->io_ps);
        if (s->common.is_labelled)
            run->labels = calloc(n_ranks, sizeof *run->labels);
    }
    if (!run || !s->ranks || !s->cursors || !s->ops || !run->programs || !run->compute_ps ||
        !run->io_ps || (s->common.is_labelled && !run->labels)) {
        loggops_run_free(run);
        return loggops_out_of_memory(&s->common);
    }
    tl_status status = TL_OK;
    for (uint32_t i = 0; i < n_ranks && status == TL_OK; i++)
        status = open_rank(s, run, i, err);
    if (status == TL_OK)
        *out = run;
    else
        loggops_run_free(run);
    return status;
}

bool loggops_is_streamed(tl_reader *trace, const tlr_plan *plan, const tlr_options *options)
{
    enum { LONG_EVENTS = 1 << 20, CURSOR_EVENTS = 1 << 11, ALIKE = 4 };
    size_t n_calls;
    uint64_t n_events = 0, n_first = 0;
    if (tl_reader_calls(trace, &n_calls))
        return 1;
    for (uint32_t r = 0; r < plan->n_ranks; r++)
        if (plan->ranks[r]->first == r) {
            n_events += plan->ranks[r]->n_events;
            n_first++;
        }
    /* Ranks that do the same are read once before the simulation, and each for itself during it. */
    const uint64_t many = n_first < plan->n_ranks ? ALIKE * LONG_EVENTS : LONG_EVENTS;
    return n_events >= many && n_events / CURSOR_EVENTS >= plan->n_ranks && !options->timeline &&
           !plan->n_loose;
}

tl_status loggops_streams_open(const loggops_source *source, loggops_streams **out, tl_error *err)
{
    size_t n_calls;
    loggops_streams *s = calloc(1, sizeof *s);
    if (!s)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the programs of %s",
                       tl_reader_path(source->trace));
    s->common = loggops_reading_of(source, err);
    s->common.is_made = tl_reader_calls(source->trace, &n_calls) != NULL;
    s->feed = (loggops_feed){
        .context = s, .more = read_more, .answer = take_answer, .status = why, .expect = fetch};
    *out = s;
    return TL_OK;
}

void loggops_streams_close(loggops_streams *s)
{
    if (!s)
        return;
    close_ranks(s);
    free(s);
}
