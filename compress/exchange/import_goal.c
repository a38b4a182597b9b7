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

#include "core/error.h"
#include "core/format.h"
#include "import.h"

#include <inttypes.h>

/* An operation until it has ended. */
typedef struct progress {
    uint32_t n_unstarted, n_unfinished; /* of what it requires and irequires */
    uint32_t request;                   /* while it is under way */
    bool finished, in_wait;
} progress;

typedef struct list {
    uint32_t *items;
    size_t n, capacity, first;
} list;

typedef struct importer {
    tl_goal g;
    tl_error *err;
    tl_writer *w;
    progress *progress;      /* by operation */
    size_t *predecessors_of; /* first edge to an operation; the edges are in that order */
    size_t *successors_of, *successors; /* the same for those from it, by their index */
    list transfers, calcs, blocked, under_way;
    size_t n_placed;
    uint64_t volume;
    uint32_t held; /* a transfer that has been begun last, not yet put: index + 1 */
    tl_buffer requests;
    list free_requests;
    uint32_t n_requests;
} importer;

static bool push(list *l, uint32_t item)
{
    if (!tl_make_room(&l->items, l->n, &l->capacity, sizeof *l->items))
        return false;
    l->items[l->n++] = item;
    return true;
}

/* ---- the calls ---- */

static tl_status write_event(importer *m, tl_event e)
{
    e.volume = m->volume;
    m->volume = 0;
    tl_status status = tl_writer_put(m->w, &e);
    return status ? tl_fail(m->err, status, "%s: the trace cannot be written: %s", m->g.name,
                            tl_status_text(status))
                  : TL_OK;
}

/* Writes the transfer that began last. It is blocking if the next wait is for this transfer only.
 */
static tl_status put_held(importer *m, bool blocking)
{
    if (!m->held)
        return TL_OK;
    const uint32_t i = m->held - 1;
    const tl_goal_operation *o = &m->g.operations[i];
    m->held = 0;
    tl_event e = {.call = o->call,
                  .count = (int64_t)o->amount,
                  .type_bytes = 1,
                  .peer = o->peer,
                  .tag = o->tag == UINT64_MAX ? TL_ANY_TAG : (int32_t)o->tag,
                  .comm = TL_COMM_WORLD};
    if (!blocking) {
        e.call = o->call == TL_MPI_Send ? TL_MPI_Isend : TL_MPI_Irecv;
        m->progress[i].request =
            m->free_requests.n ? m->free_requests.items[--m->free_requests.n] : ++m->n_requests;
        e.request = m->progress[i].request;
        if (!push(&m->under_way, i))
            return tl_goal_out_of_memory(&m->g);
    }
    return write_event(m, e);
}

/* Waits for the marked operations. */
static tl_status put_wait(importer *m, size_t n)
{
    if (m->held && n == 1 && m->progress[m->held - 1].in_wait) {
        m->progress[m->held - 1].in_wait = false;
        return put_held(m, true);
    }
    TL_TRY(put_held(m, false));
    size_t kept = 0;
    m->requests.size = 0;
    for (size_t i = 0; i < m->under_way.n; i++) {
        progress *o = &m->progress[m->under_way.items[i]];
        if (!o->in_wait) {
            m->under_way.items[kept++] = m->under_way.items[i];
            continue;
        }
        int64_t request = o->request;
        o->in_wait = false;
        if (!tl_buffer_put(&m->requests, &request, sizeof request) ||
            !push(&m->free_requests, o->request))
            return tl_goal_out_of_memory(&m->g);
    }
    m->under_way.n = kept;
    tl_event e = {.call = TL_MPI_Waitall};
    tl_import_list(&e, &m->requests);
    if (n == 1)
        e = (tl_event){.call = TL_MPI_Wait, .request = (uint32_t)*e.list};
    return write_event(m, e);
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
static tl_status connect(importer *m)
{
    if (m->g.n_edges)
        qsort(m->g.edges, m->g.n_edges, sizeof *m->g.edges, by_target);
    size_t n = 0;
    for (size_t i = 0; i < m->g.n_edges; i++)
        if (!n || m->g.edges[n - 1].to != m->g.edges[i].to ||
            m->g.edges[n - 1].from != m->g.edges[i].from)
            m->g.edges[n++] = m->g.edges[i];
    m->g.n_edges = n;
    m->predecessors_of = calloc(m->g.n + 2, sizeof *m->predecessors_of);
    m->successors_of = calloc(m->g.n + 2, sizeof *m->successors_of);
    m->successors = malloc((n + 1) * sizeof *m->successors);
    m->progress = calloc(m->g.n + 1, sizeof *m->progress);
    if (!m->progress || !m->predecessors_of || !m->successors_of || !m->successors)
        return tl_goal_out_of_memory(&m->g);
    for (size_t i = 0; i < n; i++) {
        const tl_goal_edge *e = &m->g.edges[i];
        m->progress[e->to].n_unstarted++;
        m->progress[e->to].n_unfinished += (uint32_t)e->ends;
        m->predecessors_of[e->to + 1]++;
        m->successors_of[e->from + 2]++;
    }
    for (size_t i = 1; i < m->g.n + 2; i++) {
        m->predecessors_of[i] += m->predecessors_of[i - 1];
        m->successors_of[i] += m->successors_of[i - 1];
    }
    for (size_t i = 0; i < n; i++)
        m->successors[m->successors_of[m->g.edges[i].from + 1]++] = i;
    return TL_OK;
}

/* Handles an operation whose requirements have all started. */
static bool enqueue(importer *m, uint32_t i)
{
    return push(m->progress[i].n_unfinished ? &m->blocked
                : m->g.operations[i].call   ? &m->transfers
                                            : &m->calcs,
                i);
}

static tl_status tell_of_start(importer *m, uint32_t i)
{
    for (size_t k = m->successors_of[i]; k < m->successors_of[i + 1]; k++) {
        const uint32_t to = m->g.edges[m->successors[k]].to;
        if (!--m->progress[to].n_unstarted && !enqueue(m, to))
            return tl_goal_out_of_memory(&m->g);
    }
    return TL_OK;
}

static void tell_of_end(importer *m, uint32_t i)
{
    m->progress[i].finished = true;
    for (size_t k = m->successors_of[i]; k < m->successors_of[i + 1]; k++) {
        const tl_goal_edge *e = &m->g.edges[m->successors[k]];
        m->progress[e->to].n_unfinished -= (uint32_t)e->ends;
    }
}

static tl_status place(importer *m, uint32_t i)
{
    const tl_goal_operation *o = &m->g.operations[i];
    TL_TRY(put_held(m, false));
    m->n_placed++;
    if (o->call) {
        m->held = i + 1;
    } else {
        if (__builtin_add_overflow(m->volume, o->amount, &m->volume))
            return tl_goal_wrong(&m->g, o->place, "too much computation before",
                                 tl_goal_label(&m->g, i));
        tell_of_end(m, i); /* nothing else runs before it has ended */
    }
    return tell_of_start(m, i);
}

/* The operations for which an operation still has to wait: marks them, or counts the marked ones.
 */
static size_t unfinished(importer *m, uint32_t to, bool mark)
{
    size_t n = 0;
    for (size_t k = m->predecessors_of[to]; k < m->predecessors_of[to + 1]; k++) {
        progress *from = &m->progress[m->g.edges[k].from];
        if (!m->g.edges[k].ends || from->finished)
            continue;
        if (mark)
            from->in_wait = true;
        n += from->in_wait;
    }
    return n;
}

static tl_status no_sequence(const importer *m, uint32_t one, uint32_t other)
{
    const tl_goal_operation *o = &m->g.operations[one], *p = &m->g.operations[other];
    return tl_fail(m->err, TL_ERR_UNSUPPORTED,
                   "%s:%" PRIu64 ": '%.40s' does not require what '%.40s' (%s %" PRIu64
                   ") waits for: no sequence of calls does both; replay the file itself (timeless "
                   "replay --engine loggops), or add the dependency if the program has it",
                   m->g.name, o->place, tl_goal_label(&m->g, one), tl_goal_label(&m->g, other),
                   m->g.is_binary ? "byte" : "line", p->place);
}

/* Waits for the requirements of the operation with the fewest. All other operations must require
 * these, too. */
static tl_status wait_for_some(importer *m)
{
    uint32_t least = m->blocked.items[0];
    for (size_t i = 1; i < m->blocked.n; i++)
        if (m->progress[m->blocked.items[i]].n_unfinished < m->progress[least].n_unfinished)
            least = m->blocked.items[i];
    const size_t n = unfinished(m, least, true);
    for (size_t i = 0; i < m->blocked.n; i++)
        if (unfinished(m, m->blocked.items[i], false) < n)
            return no_sequence(m, m->blocked.items[i], least);
    for (size_t k = m->predecessors_of[least]; k < m->predecessors_of[least + 1]; k++)
        if (m->progress[m->g.edges[k].from].in_wait)
            tell_of_end(m, m->g.edges[k].from);
    size_t kept = 0;
    for (size_t i = 0; i < m->blocked.n; i++) {
        const uint32_t o = m->blocked.items[i];
        if (m->progress[o].n_unfinished)
            m->blocked.items[kept++] = o;
        else if (!push(m->g.operations[o].call ? &m->transfers : &m->calcs, o))
            return tl_goal_out_of_memory(&m->g);
    }
    m->blocked.n = kept;
    return put_wait(m, n);
}

static tl_status put_calls(importer *m)
{
    tl_status status = write_event(m, (tl_event){.call = TL_MPI_Init});
    for (uint32_t i = 0; i < m->g.n && !status; i++)
        if (!m->progress[i].n_unstarted && !enqueue(m, i))
            status = tl_goal_out_of_memory(&m->g);
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
    for (size_t i = 0; m->n_placed < m->g.n && !status; i++)
        if (m->progress[i].n_unstarted)
            status = tl_goal_wrong(&m->g, m->g.operations[i].place,
                                   "requires itself, by way of others:", tl_goal_label(&m->g, i));
    if (!status)
        status = put_held(m, !m->under_way.n);
    for (size_t i = 0; i < m->under_way.n; i++)
        m->progress[m->under_way.items[i]].in_wait = true;
    if (!status && m->under_way.n)
        status = put_wait(m, m->under_way.n);
    return status ? status : write_event(m, (tl_event){.call = TL_MPI_Finalize});
}

/* ---- files ---- */

static void forget_schedule(importer *m)
{
    free(m->progress);
    free(m->predecessors_of);
    free(m->successors_of);
    free(m->successors);
    m->progress = NULL;
    m->predecessors_of = m->successors_of = m->successors = NULL;
    m->n_placed = m->n_requests = m->held = 0;
    m->transfers.n = m->transfers.first = m->calcs.n = m->calcs.first = 0;
    m->blocked.n = m->under_way.n = m->free_requests.n = 0;
    m->volume = 0;
}

static void free_importer(importer *m)
{
    forget_schedule(m);
    tl_goal_end(&m->g);
    free(m->transfers.items);
    free(m->calcs.items);
    free(m->blocked.items);
    free(m->under_way.items);
    free(m->free_requests.items);
    tl_buffer_free(&m->requests);
}

/* A rank of a trace has one CPU and one network interface, and tags are those of MPI. */
static tl_status check_operations(importer *m)
{
    for (size_t i = 0; i < m->g.n; i++) {
        const tl_goal_operation *o = &m->g.operations[i];
        const bool is_tag = o->tag <= INT32_MAX || o->tag == UINT64_MAX;
        const char *what = o->cpu || o->nic ? "a rank of a trace has one CPU and one NIC"
                           : is_tag         ? NULL
                                            : "MPI has no tag of this size";
        if (what)
            return tl_fail(m->err, TL_ERR_UNSUPPORTED,
                           "%s:%" PRIu64 ": '%.40s': %s; replay the file itself (timeless replay "
                           "--engine loggops)",
                           m->g.name, o->place, tl_goal_label(&m->g, i), what);
    }
    return TL_OK;
}

static tl_status import_rank(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    importer *m = arg;
    tl_status status = tl_goal_read_rank(&m->g);
    if (!status)
        status = check_operations(m);
    if (!status)
        status = connect(m);
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
    importer m = {.g = {.in = in, .name = name, .err = err}, .err = err};
    tl_status status = tl_goal_begin(&m.g);
    tl_run run = {.n_ranks = m.g.n_ranks,
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
