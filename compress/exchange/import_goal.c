/* import_goal.c - makes traces from GOAL, the schedules of LogGOPSim.
 *
 * A schedule is a graph of operations. An operation starts when those that it requires have ended
 * and those that it irequires have started. A rank of a trace is a sequence of calls: sends and
 * receives that are begun, computation, and waits. Sends and receives come as early as possible. A
 * wait is exact only if all operations that have not started require the operations for which it
 * waits. A schedule that needs any other wait is refused. Computations whose order is free are put
 * one after the other, because the one CPU of a rank runs them in this way. */
#include "config.h"

#include "goal.h"

#include "error.h"
#include "format.h"
#include "import.h"

#include <inttypes.h>

static bool push(tl_goal_list *l, uint32_t item)
{
    if (!tl_make_room(&l->items, l->n, &l->capacity, sizeof *l->items))
        return false;
    l->items[l->n++] = item;
    return true;
}

/* ---- the calls ---- */

static tl_status put(tl_goal *m, tl_event e)
{
    e.volume = m->volume;
    m->volume = 0;
    tl_status status = tl_writer_put(m->w, &e);
    return status ? tl_fail(m->err, status, "%s: the trace cannot be written: %s", m->name,
                            tl_status_text(status))
                  : TL_OK;
}

/* Writes the transfer that began last. It is blocking if the next wait is for this transfer only.
 */
static tl_status put_held(tl_goal *m, bool blocking)
{
    if (!m->held)
        return TL_OK;
    tl_goal_operation *o = &m->operations[m->held - 1];
    m->held = 0;
    tl_event e = {.call = o->kind == TL_GOAL_SEND ? TL_MPI_Send : TL_MPI_Recv,
                  .count = o->amount,
                  .type_bytes = 1,
                  .peer = o->peer,
                  .tag = o->tag,
                  .comm = TL_COMM_WORLD};
    if (!blocking) {
        e.call = o->kind == TL_GOAL_SEND ? TL_MPI_Isend : TL_MPI_Irecv;
        o->request =
            m->free_requests.n ? m->free_requests.items[--m->free_requests.n] : ++m->n_requests;
        e.request = o->request;
        if (!push(&m->under_way, (uint32_t)(o - m->operations)))
            return tl_goal_out_of_memory(m);
    }
    return put(m, e);
}

/* Waits for the marked operations. */
static tl_status put_wait(tl_goal *m, size_t n)
{
    if (m->held && n == 1 && m->operations[m->held - 1].in_wait) {
        m->operations[m->held - 1].in_wait = false;
        return put_held(m, true);
    }
    tl_status status = put_held(m, false);
    size_t kept = 0;
    m->requests.size = 0;
    for (size_t i = 0; i < m->under_way.n && !status; i++) {
        tl_goal_operation *o = &m->operations[m->under_way.items[i]];
        if (!o->in_wait) {
            m->under_way.items[kept++] = m->under_way.items[i];
            continue;
        }
        int64_t request = o->request;
        o->in_wait = false;
        if (!tl_buffer_reserve(&m->requests, sizeof request) ||
            !push(&m->free_requests, o->request))
            return tl_goal_out_of_memory(m);
        memcpy(m->requests.data + m->requests.size, &request, sizeof request);
        m->requests.size += sizeof request;
    }
    if (status)
        return status;
    m->under_way.n = kept;
    int64_t first;
    memcpy(&first, m->requests.data, sizeof first);
    if (n == 1)
        return put(m, (tl_event){.call = TL_MPI_Wait, .request = (uint32_t)first});
    return put(m, (tl_event){.call = TL_MPI_Waitall,
                             .list = (const int64_t *)(const void *)m->requests.data,
                             .list_len = (uint32_t)n});
}

/* ---- the order ---- */

static int by_target(const void *a, const void *b)
{
    const tl_goal_edge *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return y->ends - x->ends;
}

/* Edges by target, each pair once, with the stronger kind; and the edges from and to each
 * operation. */
static tl_status connect(tl_goal *m)
{
    for (size_t i = 0; i < m->n_edges; i++) {
        tl_status status =
            tl_goal_find_label(m, m->edges[i].line, m->edges[i].from_label, &m->edges[i].from);
        free(m->edges[i].from_label);
        m->edges[i].from_label = NULL;
        if (status)
            return status;
    }
    if (m->n_edges)
        qsort(m->edges, m->n_edges, sizeof *m->edges, by_target);
    size_t n = 0;
    for (size_t i = 0; i < m->n_edges; i++)
        if (!n || m->edges[n - 1].to != m->edges[i].to || m->edges[n - 1].from != m->edges[i].from)
            m->edges[n++] = m->edges[i];
    m->n_edges = n;
    m->predecessors_of = calloc(m->n + 2, sizeof *m->predecessors_of);
    m->successors_of = calloc(m->n + 2, sizeof *m->successors_of);
    m->successors = malloc((n + 1) * sizeof *m->successors);
    if (!m->predecessors_of || !m->successors_of || !m->successors)
        return tl_goal_out_of_memory(m);
    for (size_t i = 0; i < n; i++) {
        const tl_goal_edge *e = &m->edges[i];
        m->operations[e->to].n_unstarted++;
        m->operations[e->to].n_unfinished += e->ends;
        m->predecessors_of[e->to + 1]++;
        m->successors_of[e->from + 2]++;
    }
    for (size_t i = 1; i < m->n + 2; i++) {
        m->predecessors_of[i] += m->predecessors_of[i - 1];
        m->successors_of[i] += m->successors_of[i - 1];
    }
    for (size_t i = 0; i < n; i++)
        m->successors[m->successors_of[m->edges[i].from + 1]++] = i;
    return TL_OK;
}

/* Handles an operation whose requirements have all started. */
static bool enqueue(tl_goal *m, uint32_t i)
{
    const tl_goal_operation *o = &m->operations[i];
    return push(o->n_unfinished           ? &m->blocked
                : o->kind == TL_GOAL_CALC ? &m->calcs
                                          : &m->transfers,
                i);
}

static tl_status tell_of_start(tl_goal *m, uint32_t i)
{
    for (size_t k = m->successors_of[i]; k < m->successors_of[i + 1]; k++) {
        const uint32_t to = m->edges[m->successors[k]].to;
        if (!--m->operations[to].n_unstarted && !enqueue(m, to))
            return tl_goal_out_of_memory(m);
    }
    return TL_OK;
}

static void tell_of_end(tl_goal *m, uint32_t i)
{
    m->operations[i].finished = true;
    for (size_t k = m->successors_of[i]; k < m->successors_of[i + 1]; k++) {
        const tl_goal_edge *e = &m->edges[m->successors[k]];
        m->operations[e->to].n_unfinished -= e->ends;
    }
}

static tl_status place(tl_goal *m, uint32_t i)
{
    tl_goal_operation *o = &m->operations[i];
    tl_status status = put_held(m, false);
    if (status)
        return status;
    m->n_placed++;
    if (o->kind != TL_GOAL_CALC) {
        m->held = i + 1;
    } else {
        if (__builtin_add_overflow(m->volume, (uint64_t)o->amount, &m->volume))
            return tl_goal_wrong(m, o->line, "too much computation before",
                                 o->label ? o->label : "calc");
        tell_of_end(m, i); /* nothing else runs before it has ended */
    }
    return tell_of_start(m, i);
}

/* The operations for which an operation still has to wait: marks them, or counts the marked ones.
 */
static size_t unfinished(tl_goal *m, uint32_t to, bool mark)
{
    size_t n = 0;
    for (size_t k = m->predecessors_of[to]; k < m->predecessors_of[to + 1]; k++) {
        tl_goal_operation *from = &m->operations[m->edges[k].from];
        if (!m->edges[k].ends || from->finished)
            continue;
        if (mark)
            from->in_wait = true;
        n += from->in_wait;
    }
    return n;
}

/* Waits for the requirements of the operation with the fewest. All other operations must require
 * these, too. */
static tl_status wait_for_some(tl_goal *m)
{
    uint32_t least = m->blocked.items[0];
    for (size_t i = 1; i < m->blocked.n; i++)
        if (m->operations[m->blocked.items[i]].n_unfinished < m->operations[least].n_unfinished)
            least = m->blocked.items[i];
    const size_t n = unfinished(m, least, true);
    for (size_t i = 0; i < m->blocked.n; i++) {
        const tl_goal_operation *o = &m->operations[m->blocked.items[i]];
        if (unfinished(m, m->blocked.items[i], false) < n)
            return tl_fail(m->err, TL_ERR_UNSUPPORTED,
                           "%s:%" PRIu64 ": '%.40s' does not require what '%.40s' (line %" PRIu64
                           ") waits for: no sequence of calls does both; add the dependency if the "
                           "program has it",
                           m->name, o->line, o->label, m->operations[least].label,
                           m->operations[least].line);
    }
    for (size_t k = m->predecessors_of[least]; k < m->predecessors_of[least + 1]; k++)
        if (m->operations[m->edges[k].from].in_wait)
            tell_of_end(m, m->edges[k].from);
    size_t kept = 0;
    for (size_t i = 0; i < m->blocked.n; i++) {
        const uint32_t o = m->blocked.items[i];
        if (m->operations[o].n_unfinished)
            m->blocked.items[kept++] = o;
        else if (!push(m->operations[o].kind == TL_GOAL_CALC ? &m->calcs : &m->transfers, o))
            return tl_goal_out_of_memory(m);
    }
    m->blocked.n = kept;
    return put_wait(m, n);
}

static tl_status put_calls(tl_goal *m)
{
    tl_status status = put(m, (tl_event){.call = TL_MPI_Init});
    for (uint32_t i = 0; i < m->n && !status; i++)
        if (!m->operations[i].n_unstarted && !enqueue(m, i))
            status = tl_goal_out_of_memory(m);
    while (!status) {
        if (m->transfers.first < m->transfers.n)
            status = place(m, m->transfers.items[m->transfers.first++]);
        else if (m->calcs.first < m->calcs.n)
            status = place(m, m->calcs.items[m->calcs.first++]);
        else if (m->blocked.n)
            status = wait_for_some(m);
        else
            break;
    }
    for (size_t i = 0; m->n_placed < m->n && !status; i++)
        if (m->operations[i].n_unstarted)
            status = tl_goal_wrong(m, m->operations[i].line,
                                   "requires itself, by way of others:", m->operations[i].label);
    if (!status)
        status = put_held(m, !m->under_way.n);
    for (size_t i = 0; i < m->under_way.n; i++)
        m->operations[m->under_way.items[i]].in_wait = true;
    if (!status && m->under_way.n)
        status = put_wait(m, m->under_way.n);
    return status ? status : put(m, (tl_event){.call = TL_MPI_Finalize});
}

/* ---- files ---- */

static void forget_schedule(tl_goal *m)
{
    for (size_t i = 0; i < m->n; i++)
        free(m->operations[i].label);
    for (size_t i = 0; i < m->n_edges; i++)
        free(m->edges[i].from_label);
    tl_map_free(&m->by_label);
    free(m->predecessors_of);
    free(m->successors_of);
    free(m->successors);
    m->predecessors_of = m->successors_of = m->successors = NULL;
    m->n = m->n_edges = m->n_placed = 0;
    m->n_requests = m->held = 0;
    m->transfers.n = m->transfers.first = m->calcs.n = m->calcs.first = 0;
    m->blocked.n = m->under_way.n = m->free_requests.n = 0;
    m->volume = 0;
}

static void free_importer(tl_goal *m)
{
    forget_schedule(m);
    free(m->operations);
    free(m->edges);
    free(m->transfers.items);
    free(m->calcs.items);
    free(m->blocked.items);
    free(m->under_way.items);
    free(m->free_requests.items);
    tl_buffer_free(&m->requests);
}

static tl_status import_rank(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    tl_goal *m = arg;
    int64_t number = 0;
    tl_status status = tl_goal_take_keyword(m, "rank");
    status = status ? status : tl_goal_take_number(m, "no rank in its order:", "", rank, &number);
    if (!status && number != rank)
        status = tl_goal_wrong(m, m->line, "this rank has been there:", m->word);
    status = status ? status : tl_goal_take_keyword(m, "{");
    status = status ? status : tl_goal_read_schedule(m);
    status = status ? status : connect(m);
    if (!status)
        status = tl_writer_open(out_path, rank, "", &m->w, err);
    if (!status) {
        status = put_calls(m);
        status = tl_import_close(m->w, out_path, status, TL_END_FINALIZED, 0, err);
    }
    forget_schedule(m);
    return status;
}

tl_status tl_import_goal_file(FILE *in, const char *name, const char *out_path, tl_error *err)
{
    tl_goal m = {.in = in, .name = name, .err = err, .line = 1};
    int64_t n = 0;
    tl_status status = tl_goal_take_keyword(&m, "num_ranks");
    if (!status)
        status = tl_goal_take_number(&m, "no number of ranks:", "", TL_MAX_RANKS, &n);
    if (!status && !n)
        status = tl_goal_wrong(&m, m.line, "no number of ranks:", "0");
    m.n_ranks = (uint32_t)n;
    tl_run run = {.n_ranks = m.n_ranks,
                  .volume_unit = "cpu-ns",
                  .volume_source = "import:goal",
                  .origin = "timeless import --from goal"};
    if (!status)
        status = tl_import_write(out_path, &run, import_rank, &m, err);
    free_importer(&m);
    return status;
}

tl_status tl_import_goal(const char *path, const char *out_path, tl_error *err)
{
    FILE *in = fopen(path, "r");
    if (!in)
        return tl_fail_errno(err, "%s: cannot be opened", path);
    tl_status status = tl_import_goal_file(in, path, out_path, err);
    fclose(in);
    return status;
}
