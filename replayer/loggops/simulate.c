/* simulate.c - run the programs of all ranks in the LogGOPS model (loggops.h).
 *
 * A message reaches its receiver o + L after its send started, and so does a rendezvous' reply.  So
 * time goes on in windows of o + L, or less (quiet_window_of): all that arrives in a window was
 * sent before it, and within the window each rank goes its own way, whatever the order.  There is
 * no queue of events: messages for a block of ranks, small enough for the cache, lie in lists until
 * the next window, and a timing wheel keeps the ranks that have something to do later.
 *
 * Adapters that the ranks of a node share come before and after the ranks of a window: nodes.c.
 *
 * Several threads share the blocks of a window.  What they find in their lists comes in another
 * order then, but a rank sorts its messages by time and sender, and those of one sender keep the
 * order in which they were sent.
 */
#include "goal.h"
#include "nodes.h"

#include "replayer.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one window ---- */

/* Of many ranks the cache has forgotten what they do next. */
static inline void activate(const simulation *s, block *b, const sim_rank *rank, uint32_t in_block)
{
    const loggops_feed *feed = s->run->feed;
    if (!feed || !feed->expect)
        __builtin_prefetch(s->run->programs[rank->program].ops + rank->position);
    else
        feed->expect(feed->context, (uint32_t)(rank - s->ranks), rank->position);

    const uint32_t word = in_block / 64;
    b->active[word] |= UINT64_C(1) << in_block % 64;
    b->active_words[word / 64] |= UINT64_C(1) << word % 64;
}

/* A rank that has nothing to do before that moment is to look then; it may do so earlier. */
static void wake_later(simulation *s, block *b, uint32_t r, uint32_t in_block, uint64_t at_ps)
{
    const uint64_t window =
        at_ps < (s->window + 2) * s->window_ps ? s->window + 1 : at_ps / s->window_ps;
    const sim_rank *rank = &s->ranks[r];
    if (b->active[in_block / 64] >> in_block % 64 & 1)
        return;
    if (rank->is_asleep && rank->wake_window <= window)
        return;
    if (rank->is_asleep)
        loggops_wheel_remove(s, b, r);
    loggops_wheel_insert(s, b, r, window);
}

/* Whether a message may be what the next poll of a rank that passes polls asks for. */
static bool is_polled(const simulation *s, const sim_rank *rank, const message *m)
{
    const loggops_op *op = &s->run->programs[rank->program].ops[rank->position];
    return m->context == 2 * op->comm && (m->tag == op->tag || op->tag == LOGGOPS_ANY);
}

/* A rank that waits goes on at the earliest with the message; one that computes does not need to
 * know of it before, unless it has to answer. */
static inline void give_message(simulation *s, block *b, uint32_t i)
{
    message *m = &s->messages[i];
    const uint32_t to = (uint32_t)m->to,
                   in_block = to - ((uint32_t)(b - s->blocks) << s->block_bits);
    sim_rank *rank = &s->ranks[to];
    m->next = rank->fresh;
    rank->fresh = i;
    if (loggops_can_lie(s, m) && rank->fibers == NONE) {
        if (rank->is_asleep && rank->state == RUNNING) {
            if (rank->passes_polls && is_polled(s, rank, m))
                wake_later(s, b, to, in_block, m->time_ps);
            return;
        }
        if (m->time_ps >= (s->window + 1) * s->window_ps) {
            wake_later(s, b, to, in_block, m->time_ps);
            return;
        }
    }
    if (rank->is_asleep)
        loggops_wheel_remove(s, b, to);
    activate(s, b, rank, in_block);
}

void loggops_give(simulation *s, block *b, uint32_t i)
{
    if (s->orders)
        loggops_order_arrival(s, &s->messages[i]);
    give_message(s, b, i);
}

/* Gives the ranks their messages. */
static void deliver(simulation *s, block *b, queue *in)
{
    for (uint32_t i = in->first, next; i != NONE; i = next) {
        next = s->messages[i].next;
        if (!s->nodes)
            give_message(s, b, i);
        else if (!loggops_adapter_takes(s, b, i))
            loggops_give(s, b, i);
    }
    *in = (queue){NONE, NONE};
}

/* Lets the block's active ranks run, in order: memory is read ahead then. */
static void run_active(simulation *s, block *b, uint32_t first_rank)
{
    const uint64_t end_ps = (s->window + 1) * s->window_ps;
    const uint32_t n_ranks = s->run->n_ranks - first_rank < s->block_ranks
                                 ? s->run->n_ranks - first_rank
                                 : s->block_ranks;
    void (*const run)(simulation *, block *, uint32_t, uint64_t) =
        s->run->graph ? loggops_run_graph : loggops_run_rank;
    for (uint32_t i = 0; i < n_ranks; i += 64 * 64) {
        uint64_t *words = &b->active_words[i / 64 / 64];
        for (; *words; *words &= *words - 1) {
            const uint32_t word = i / 64 + (uint32_t)__builtin_ctzll(*words);
            for (uint64_t *bits = &b->active[word]; *bits; *bits &= *bits - 1)
                run(s, b, first_rank + 64 * word + (uint32_t)__builtin_ctzll(*bits), end_ps);
        }
    }
}

/* Gives the block's ranks their messages and lets all that have something to do run. */
static void run_block(simulation *s, block *b)
{
    const uint32_t first_rank = (uint32_t)(b - s->blocks) << s->block_bits;
    for (uint32_t r = loggops_wheel_turn(s, b, s->window); r != NONE; r = s->ranks[r].wake_next) {
        s->ranks[r].is_asleep = 0;
        activate(s, b, &s->ranks[r], r - first_rank);
    }
    for (unsigned w = 0; w < s->n_threads; w++)
        deliver(s, b, &s->workers[w].boxes[1][b - s->blocks]);
    if (s->nodes) {
        if (b->ahead_filled)
            loggops_adapters_queue_ahead(s, b);
        loggops_adapters_receive(s, b, (s->window + 1) * s->window_ps);
    }
    run_active(s, b, first_rank);
    if (s->nodes)
        loggops_adapters_send(s, b, (s->window + 1) * s->window_ps);
}

/* The earliest window in which something happens without a further message. */
static uint64_t wakes_in(const simulation *s, block *b)
{
    uint64_t of_ranks = loggops_wheel_next(s, &b->wheel);
    if (!s->nodes)
        return of_ranks;
    of_ranks = sooner(of_ranks, loggops_adapters_next_ahead(s, b));
    const uint64_t at_ps = sooner(b->adapters_at_ps, b->shared_at_ps);
    return at_ps == NEVER ? of_ranks : sooner(of_ranks, at_ps / s->window_ps);
}

/* Runs blocks on behalf of a worker: those of its own share first, then what others have left.
 * Returns 0 when it leaves some to others, having done more than `most_work`. */
static int run_blocks(simulation *s, unsigned number, uint64_t most_work)
{
    worker *w = &s->workers[number];
    const uint32_t first = (uint32_t)((uint64_t)s->n_blocks * number / s->n_threads);
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        block *b = &s->blocks[first + i < s->n_blocks ? first + i : first + i - s->n_blocks];
        if (s->n_threads > 1 &&
            __atomic_exchange_n(&b->taken_in, s->window + 1, __ATOMIC_RELAXED) == s->window + 1)
            continue;
        const uint64_t n_operations = b->n_operations;
        b->worker = w;
        b->n_letters = 0;
        run_block(s, b);
        w->n_letters += b->n_letters;
        w->n_steps += b->n_operations - n_operations;
        w->wakes_at = sooner(w->wakes_at, wakes_in(s, b));
        if (w->n_letters + w->n_steps > most_work && i + 1 < s->n_blocks)
            return 0;
    }
    return 1;
}

static void take_share(void *context, unsigned number)
{
    run_blocks(context, number, UINT64_MAX);
}

/* Ends a window: the messages sent become those to deliver.  Returns the earliest window in which
 * something can happen; *work is about what there was to do. */
static uint64_t next_window(simulation *s, uint64_t *work)
{
    uint64_t n_letters = 0, next = NEVER;
    *work = 0;
    for (unsigned i = 0; i < s->n_threads; i++) {
        worker *w = &s->workers[i];
        queue *const read = w->boxes[1];
        w->boxes[1] = w->boxes[0];
        w->boxes[0] = read;
        n_letters += w->n_letters;
        *work += w->n_letters + w->n_steps;
        next = sooner(next, w->wakes_at);
        w->n_letters = w->n_steps = 0;
        w->wakes_at = NEVER;
    }
    return n_letters ? s->window + 1 : next;
}

static unsigned find_failures(const simulation *s)
{
    unsigned found = 0;
    for (uint32_t i = 0; i < s->n_blocks; i++)
        found |= s->blocks[i].failures;
    return found;
}

/* In which the demand of messages is summed up. */
enum { SLOT_WINDOWS = 8 };

/* To wake the other threads takes as long as this many messages and operations. */
enum { WORK_TO_SHARE = 1024 };

/* A window is shared at once where the one before had much to do, and otherwise once there turns
 * out to be: ranks in step do everything in some windows and nothing in those between. */
static void run_windows(simulation *s, team *threads)
{
    uint64_t work = s->run->n_ranks;
    loggops_demand *demand = s->run->nodes ? s->run->nodes->demand : NULL;
    while (s->window != NEVER && !(find_failures(s) & (NO_MEMORY | NO_FEED))) {
        if (!threads)
            run_blocks(s, 0, UINT64_MAX);
        else if (work >= WORK_TO_SHARE || !run_blocks(s, 0, WORK_TO_SHARE))
            loggops_team_run(threads);
        if (s->run->nodes && s->run->nodes->links && !loggops_links_pass(s))
            s->blocks[0].failures |= NO_MEMORY;
        const uint64_t next = next_window(s, &work);
        if (demand && next / SLOT_WINDOWS != s->window / SLOT_WINDOWS)
            loggops_demand_end_slot(demand, s->window / SLOT_WINDOWS);
        s->window = next;
    }
}

/* ---- start and end ---- */

/* Blocks that fit into a core's cache, and several for each thread; a node's ranks are in one. */
static unsigned block_bits(const loggops_run *run, unsigned n_threads)
{
    const uint32_t n_ranks = run->n_ranks;
    enum { MOST = 12, LEAST = 8, FOR_EACH_THREAD = 4 };
    unsigned bits = MOST;
    while (n_threads > 1 && bits > LEAST && n_ranks >> bits < FOR_EACH_THREAD * n_threads)
        bits--;
    while (bits < 31 && n_ranks >> bits && !loggops_nodes_fit(run, bits))
        bits++;
    return bits;
}

/* Memory that no line of a cache shares with another thread's. */
static void *allocate_apart(size_t bytes)
{
    return aligned_alloc(APART_BYTES, (bytes + APART_BYTES - 1) / APART_BYTES * APART_BYTES);
}

static int prepare_workers(simulation *s)
{
    s->workers = allocate_apart(s->n_threads * sizeof *s->workers);
    if (!s->workers)
        return 0;
    memset(s->workers, 0, s->n_threads * sizeof *s->workers);
    for (unsigned i = 0; i < s->n_threads; i++) {
        worker *w = &s->workers[i];
        w->wakes_at = NEVER;
        memset(w->works, 0xff, sizeof w->works); /* no message has so many bytes */
        w->messages = w->receives = (stock){.unused = NONE, .batch = NONE};
        for (unsigned j = 0; j < 2; j++) {
            if (!(w->boxes[j] = allocate_apart(s->n_blocks * sizeof(queue))))
                return 0;
            memset(w->boxes[j], 0xff, s->n_blocks * sizeof(queue)); /* NONE */
        }
    }
    return 1;
}

static int prepare(simulation *s)
{
    const loggops_run *run = s->run;
    s->block_bits = block_bits(run, s->n_threads);
    s->block_ranks = UINT32_C(1) << s->block_bits;
    s->n_blocks = ((run->n_ranks - 1) >> s->block_bits) + 1;
    s->blocks = calloc(s->n_blocks, sizeof *s->blocks);
    s->ranks = allocate_apart(run->n_ranks * sizeof *s->ranks);
    if (!s->blocks || !s->ranks || !prepare_workers(s) ||
        !loggops_pool_open(&s->message_pool, sizeof *s->messages, run->n_ranks) ||
        !loggops_pool_open(&s->receive_pool, sizeof *s->receives, run->n_ranks) ||
        (s->moves_bytes && !loggops_pool_open(&s->posted_pool, sizeof *s->posted_ps, run->n_ranks)))
        return 0;
    s->messages = (message *)(void *)s->message_pool.memory;
    s->receives = (receive *)(void *)s->receive_pool.memory;
    s->posted_ps = (uint64_t *)(void *)s->posted_pool.memory;
    for (uint32_t i = 0; i < s->n_blocks; i++) {
        memset(s->blocks[i].wheel.heads, 0xff, sizeof s->blocks[i].wheel.heads);
        s->blocks[i].free_fiber = NONE;
        s->blocks[i].active = calloc(s->block_ranks / 64, sizeof(uint64_t));
        s->blocks[i].active_words = calloc(s->block_ranks / 64 / 64 + 1, sizeof(uint64_t));
        if (!s->blocks[i].active || !s->blocks[i].active_words)
            return 0;
    }
    uint64_t n_requests = 0;
    for (uint32_t r = run->n_ranks; r-- > 0;) {
        sim_rank *rank = &s->ranks[r];
        *rank = (sim_rank){.program = run->program_of[r],
                           .requests = n_requests,
                           .arrivals = NONE,
                           .fresh = NONE,
                           .fibers = NONE,
                           .posted = {NONE, NONE},
                           .unexpected = {NONE, NONE}};
        n_requests += run->programs[rank->program].n_requests;
        loggops_wheel_insert(s, &s->blocks[r >> s->block_bits], r, 0);
    }
    if (run->graph)
        n_requests = run->graph->n_ops;
    s->requests = calloc(n_requests + 1, 1);
    if (s->moves_bytes && !(s->owed_ps = calloc(n_requests + 1, sizeof *s->owed_ps)))
        return 0;
    if (run->nodes && run->nodes->messages.noise &&
        !(s->n_sent = calloc(run->n_ranks + 1u, sizeof *s->n_sent)))
        return 0;
    if (run->nodes && run->nodes->links &&
        !loggops_links_begin(run->nodes->links, run->n_ranks, s->n_threads))
        return 0;
    return s->requests != NULL && (!run->nodes || (loggops_nodes_open(s) && loggops_order_open(s)));
}

/* All but the ranks themselves. */
static void release_messages(simulation *s)
{
    loggops_pool_close(&s->message_pool);
    loggops_pool_close(&s->receive_pool);
    loggops_pool_close(&s->posted_pool);
    free(s->requests);
    free(s->owed_ps);
    s->requests = NULL;
    s->owed_ps = NULL;
}

static void release(simulation *s)
{
    release_messages(s);
    for (uint32_t i = 0; s->blocks && i < s->n_blocks; i++) {
        free(s->blocks[i].active);
        free(s->blocks[i].active_words);
        free(s->blocks[i].sending);
        free(s->blocks[i].arrives_ps);
        for (uint32_t k = 0; k < s->blocks[i].n_fibers; k++)
            free(s->blocks[i].fibers[k].own_list);
        free(s->blocks[i].fibers);
    }
    for (unsigned i = 0; s->workers && i < s->n_threads; i++)
        for (unsigned j = 0; j < 2; j++)
            free(s->workers[i].boxes[j]);
    free(s->workers);
    free(s->nodes);
    free(s->orders);
    free(s->debts);
    free(s->copied_ps);
    free(s->n_sent);
    free(s->blocks);
    free(s->ranks);
}

static tl_status report_deadlock(const simulation *s, uint32_t n_waiting, tl_error *err)
{
    char text[400] = "";
    size_t used = 0;
    for (uint32_t r = 0; r < s->run->n_ranks && used < sizeof text - 80; r++) {
        static const char *const states[] = {"runs", "is in a send or receive",
                                             "waits for requests", "is in a collective"};
        if (s->ranks[r].state != FINISHED)
            used += (size_t)snprintf(text + used, sizeof text - used, "%srank %" PRIu32 " %s",
                                     used ? "; " : "", r, states[s->ranks[r].state]);
    }
    return tl_fail(err, TLR_ERR_DEADLOCK,
                   "the replay cannot continue, %" PRIu32 " ranks wait forever: %s", n_waiting,
                   text);
}

/* What the programs compute is what they have in common. */
static tl_status take_results(simulation *s, tl_error *err)
{
    const loggops_run *run = s->run;
    uint64_t *compute_ps = calloc(2 * (run->n_programs + (size_t)1), sizeof *compute_ps),
             *io_ps = compute_ps + run->n_programs;
    if (!compute_ps)
        return tl_no_memory(err, "simulation");
    for (uint32_t i = 0; !run->feed && i < run->n_programs; i++)
        for (const loggops_op *op = run->programs[i].ops; op->kind != LOGGOPS_END; op++)
            (op->is_on_file ? io_ps : compute_ps)[i] +=
                op->kind == LOGGOPS_COMPUTE ? op->amount : 0;
    release_messages(s);
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        const sim_rank *rank = &s->ranks[r];
        loggops_rank_result *out = &s->result->ranks[r];
        *out = (loggops_rank_result){.end_ps = rank->ready_ps,
                                     .compute_ps = run->compute_ps ? run->compute_ps[r]
                                                                   : compute_ps[rank->program],
                                     .io_ps = !run->feed   ? io_ps[rank->program]
                                              : run->io_ps ? run->io_ps[r]
                                                           : 0,
                                     .p2p_ps = rank->p2p_ps,
                                     .wait_ps = rank->wait_ps,
                                     .collective_ps = rank->collective_ps,
                                     .noise_ps = s->noise ? out->noise_ps : 0};
        if (s->result->makespan_ps < out->end_ps)
            s->result->makespan_ps = out->end_ps;
    }
    free(compute_ps);
    return TL_OK;
}

/* ---- windows ---- */

/* An upper bound of the bytes of the operation's messages. */
static double most_bytes(const loggops_run *run, const loggops_program *program,
                         const loggops_op *op)
{
    if (op->kind == LOGGOPS_SEND || op->kind == LOGGOPS_EXCHANGE)
        return (double)op->amount;
    if (op->kind != LOGGOPS_COLLECTIVE)
        return 0;
    if (!op->list || op->algorithm == TLR_ON_HOSTS)
        return (double)op->amount * run->comms[op->comm].n_members;
    double sum = 0;
    for (int64_t i = 1; i <= program->lists[op->list]; i++)
        sum += (double)program->lists[op->list + i];
    return sum;
}

/* The least size of the messages that may be sent by rendezvous; UINT64_MAX if none is. */
static uint64_t least_rendezvous_bytes(const loggops_run *run, uint64_t S_bytes)
{
    uint64_t least = run->feed && !run->is_short ? S_bytes : UINT64_MAX;
    if (run->is_synchronous)
        return 0;
    for (uint32_t i = 0; run->graph && i < run->graph->n_ops; i++)
        if (run->graph->ops[i].kind == GOAL_SEND && run->graph->ops[i].amount >= S_bytes)
            least = S_bytes;
    for (uint32_t i = 0; !run->feed && i < run->n_programs; i++)
        for (const loggops_op *op = run->programs[i].ops; op->kind != LOGGOPS_END; op++) {
            if (op->is_synchronous || op->kind == LOGGOPS_PUT || op->kind == LOGGOPS_GET)
                return 0;
            if (most_bytes(run, &run->programs[i], op) >= (double)S_bytes)
                least = S_bytes;
        }
    return least;
}

/* Of the latency of a rendezvous, the question, the answer and the rest take a window each; within
 * a node, the question and all the rest do.  With noise, the latency shrinks to its least factor at
 * times, and so do the windows, but not the question. */
static uint64_t window_of_rendezvous(const loggops_nodes *nodes, uint64_t least_bytes,
                                     bool is_within)
{
    const loggops_path *path = is_within ? &nodes->within : &nodes->between;
    /* Smaller factors are rare, and would cost many windows. */
    const double least_factor =
        nodes->messages.noise ? fmax(0.25, tlr_message_least_factor(&nodes->messages)) : 1;
    const double n_windows = 1 + (is_within ? 1 : 2) / least_factor;
    const uint64_t least_ps = 10000; /* shorter latencies cost many windows for nothing */
    uint64_t window_ps = UINT64_MAX;
    for (unsigned i = 0; i < path->n; i++) {
        const loggops_costs *c = &path->sizes[i];
        if (i + 1 < path->n && path->sizes[i + 1].from_bytes <= least_bytes)
            continue;
        const uint64_t bytes = c->from_bytes > least_bytes ? c->from_bytes : least_bytes;
        uint64_t ps = c->L_ps + (is_within ? loggops_per_bytes(c->B_ps_byte, bytes) : 0);
        ps = ps > least_ps ? ps : least_ps;
        window_ps = sooner(window_ps, (uint64_t)((double)ps / n_windows));
    }
    return window_ps;
}

/* What is sent in a window arrives after it. */
static uint64_t quiet_window_of(const loggops_run *run, const loggops_params *params)
{
    const loggops_nodes *nodes = run->nodes;
    if (!nodes)
        return params->L_ps + params->o_ps;
    const uint64_t S_bytes = nodes->move_bytes ? params->S_bytes : UINT64_MAX;
    const uint64_t window_ps = sooner(loggops_least_latency_ps(&nodes->between, S_bytes),
                                      loggops_least_latency_ps(&nodes->within, S_bytes));
    const uint64_t least_bytes =
        nodes->move_bytes ? least_rendezvous_bytes(run, S_bytes) : UINT64_MAX;
    if (least_bytes == UINT64_MAX)
        return window_ps;
    return sooner(window_ps, sooner(window_of_rendezvous(nodes, least_bytes, 0),
                                    window_of_rendezvous(nodes, least_bytes, 1)));
}

/* Some messages take less than the least latency. */
static uint64_t window_with_noise(const loggops_run *run, uint64_t quiet_ps)
{
    if (!run->nodes || !run->nodes->messages.noise)
        return quiet_ps;
    const double ps = (double)quiet_ps * tlr_message_least_factor(&run->nodes->messages);
    return ps > 1 ? (uint64_t)ps : 1;
}

tl_status loggops_simulate(const loggops_run *run, const loggops_params *params,
                           const tlr_noise *noise, unsigned n_threads, loggops_result *result,
                           tl_error *err)
{
    tl_status status = TL_OK;
    simulation s = {.run = run,
                    .params = *params,
                    .noise = noise,
                    .recorder = run->recorder,
                    .costs = {.L_ps = params->L_ps,
                              .g_ps = params->g_ps,
                              .o_ps = params->o_ps,
                              .G_ps_byte = params->G_ps_byte,
                              .O_ps_byte = params->O_ps_byte},
                    .moves_bytes = run->nodes && run->nodes->move_bytes,
                    .answers_in_calls =
                        run->nodes && run->nodes->move_bytes && run->nodes->answers_in_calls,
                    .has_stretches = run->nodes && run->nodes->move_bytes && run->feed &&
                                     !run->nodes->answers_in_calls && !run->recorder && !noise &&
                                     !run->nodes->messages.noise,
                    .quiet_window_ps = quiet_window_of(run, params),
                    .n_threads = n_threads > 1 && !run->recorder ? n_threads : 1,
                    .result = result};
    s.window_ps = window_with_noise(run, s.quiet_window_ps);
    team *threads = s.n_threads > 1 ? loggops_team_start(s.n_threads, take_share, &s) : NULL;
    uint32_t n_waiting = run->n_ranks;
    result->n_operations = result->n_messages = result->makespan_ps = 0;
    if (run->nodes && run->nodes->demand)
        loggops_demand_begin(run->nodes->demand, (double)s.window_ps * SLOT_WINDOWS * 1e-12);
    if (noise) /* otherwise they need no memory until the end */
        memset(result->ranks, 0, run->n_ranks * sizeof *result->ranks);
    if ((s.n_threads > 1 && !threads) || !prepare(&s)) {
        status = tl_no_memory(err, "simulation");
        goto cleanup;
    }
    run_windows(&s, threads);
    for (uint32_t i = 0; i < s.n_blocks; i++) {
        result->n_operations += s.blocks[i].n_operations;
        result->n_messages += s.blocks[i].n_messages;
        n_waiting -= s.blocks[i].n_finished;
    }
    const unsigned failures = find_failures(&s);
    if (failures & NO_MEMORY)
        status = tl_fail(err, TL_ERR_MEMORY, "out of memory in the simulation");
    else if (failures & NO_FEED)
        status = run->feed->status(run->feed->context, err);
    else if (failures & TOO_LATE)
        status = tl_fail(err, TL_ERR_UNSUPPORTED,
                         "the replay takes more than 53 simulated days, which the loggops engine "
                         "cannot count; check the volumes, sizes and --params");
    else if (n_waiting)
        status = report_deadlock(&s, n_waiting, err);
    else
        status = take_results(&s, err);
cleanup:
    result->n_retransmitted = loggops_retransmissions_end(&s);
    loggops_team_end(threads);
    if (run->nodes && run->nodes->links)
        loggops_links_end(run->nodes->links);
    release(&s);
    return status;
}
