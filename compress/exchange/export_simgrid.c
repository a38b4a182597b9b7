/* export_simgrid.c - SimGrid's time-independent text traces, as SMPI 3.32 replays them: a file for
 * each rank, and their list.
 *
 * Sizes of messages are in bytes (`init` without a second word). SMPI finds the request of a wait
 * by source, destination and tag, the oldest first. It knows MPI_COMM_WORLD only: partners in other
 * communicators become ranks in it, neighbourhood collectives their messages. Collectives on
 * another communicator are refused, unless its ranks are those of MPI_COMM_WORLD in their order. */
#include "config.h"

#include "actions.h"
#include "core/error.h"
#include "export.h"
#include "timeless_files.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void put_line(tl_export *x, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes nothing in the first pass. */
static void put_line(tl_export *x, const char *format, ...)
{
    if (!x->out)
        return;
    va_list args;
    va_start(args, format);
    vfprintf(x->out, format, args);
    va_end(args);
}

/* Writes a whole line. */
#define put(x, format, ...) put_line(x, "%" PRIu32 " " format "\n", (x)->rank, ##__VA_ARGS__)

static void begin_rank(tl_export *x)
{
    put(x, "init");
}

static void end_rank(tl_export *x)
{
    put(x, "finalize");
}

static void compute(tl_export *x, double amount)
{
    put(x, "compute %.17g", amount);
}

static void say_sleep(tl_export *x, int64_t ns)
{
    put(x, "sleep %.17g", (double)ns * 1e-9);
}

static void put_transfer(tl_export *x, const tl_transfer *t, const char *prefix)
{
    put(x, "%s%s %" PRId32 " %" PRId32 " %" PRId64, prefix, t->is_recv ? "recv" : "send", t->peer,
        t->tag, t->bytes);
}

static void transfer(tl_export *x, const tl_transfer *t)
{
    put_transfer(x, t, "");
}

static void put_begin(tl_export *x, tl_transfer *t)
{
    put_transfer(x, t, "i");
}

static int32_t source(const tl_export *x, const tl_transfer *t)
{
    return t->is_recv ? t->peer : (int32_t)x->rank;
}

static int32_t destination(const tl_export *x, const tl_transfer *t)
{
    return t->is_recv ? (int32_t)x->rank : t->peer;
}

static bool look_alike(const tl_export *x, const tl_transfer *a, const tl_transfer *b)
{
    return a->tag == b->tag && source(x, a) == source(x, b) &&
           destination(x, a) == destination(x, b);
}

static void wait_one(tl_export *x, tl_transfer *t)
{
    for (size_t i = 0; i < x->n_transfers; i++) {
        const tl_transfer *other = &x->transfers[i];
        if (other->active && !other->is_null && other->serial < t->serial &&
            look_alike(x, other, t)) {
            tl_export_refuse(x,
                             "for a request ahead of an older one with the same partner and tag");
            return;
        }
    }
    put(x, "wait %" PRId32 " %" PRId32 " %" PRId32, source(x, t), destination(x, t), t->tag);
    t->active = false;
}

static int by_serial(const void *a, const void *b)
{
    const tl_transfer *x = *(tl_transfer *const *)a, *y = *(tl_transfer *const *)b;
    return (x->serial > y->serial) - (x->serial < y->serial);
}

/* SMPI's waitall waits for all requests that are under way. */
static void wait_all(tl_export *x, tl_transfer *const *all, uint32_t n)
{
    size_t n_active = 0, n_kept = 0;
    for (size_t i = 0; i < x->n_transfers; i++)
        n_active += x->transfers[i].active && !x->transfers[i].is_null;
    for (uint32_t i = 0; i < n; i++)
        n_kept += all[i] >= x->transfers && all[i] < x->transfers + x->n_transfers;
    if (n > 1 && n_kept == n_active) {
        put(x, "waitall");
        return;
    }
    tl_transfer **sorted = malloc((n + 1) * sizeof(tl_transfer *));
    if (!sorted) {
        x->status = TL_ERR_MEMORY;
        return;
    }
    memcpy(sorted, all, n * sizeof(tl_transfer *));
    qsort(sorted, n, sizeof(tl_transfer *), by_serial);
    for (uint32_t i = 0; i < n; i++)
        wait_one(x, sorted[i]);
    free(sorted);
}

/* sendRecv has no tags: it uses 0. */
static bool exchange(tl_export *x, const tl_transfer *send, const tl_transfer *recv)
{
    if (send->tag || recv->tag || send->bytes > INT_MAX || recv->bytes > INT_MAX)
        return false;
    put(x, "sendRecv %" PRId64 " %" PRId32 " %" PRId64 " %" PRId32 " 6 6", send->bytes, send->peer,
        recv->bytes, recv->peer);
    return true;
}

/* ---- collectives ---- */

/* The number of SMPI's datatype of this size; -1 if there is none. */
static int type_of(int64_t bytes)
{
    switch (bytes) {
    case 0:
    case 1: return 6;   /* MPI_BYTE */
    case 2: return 3;   /* MPI_SHORT */
    case 4: return 1;   /* MPI_INT */
    case 8: return 0;   /* MPI_DOUBLE */
    case 16: return 26; /* MPI_C_DOUBLE_COMPLEX */
    default: return -1;
    }
}

static int64_t checked(tl_export *x, int64_t count)
{
    if (count < 0 || count > INT_MAX) {
        tl_export_refuse(x, "with a count beyond 2^31 - 1");
        return 0;
    }
    return count;
}

/* Collectives divide their data between elements. Larger elements must therefore not be written as
 * bytes. */
static int type_for(tl_export *x, const tl_side *side)
{
    const int type = type_of(side->type_bytes);
    if (type < 0)
        tl_export_refuse(x, "with elements of a size that no datatype of SMPI has");
    return type;
}

static int64_t count_for(tl_export *x, const tl_side *side)
{
    return checked(x, side->type_bytes ? side->count : 0);
}

/* The counts of every rank, each followed by a blank; zeros if there are no counts. */
static void put_counts(tl_export *x, const tl_side *all)
{
    for (uint32_t i = 0; i < x->n_ranks; i++)
        put_line(x, "%" PRId64 " ", checked(x, tl_count_at(all, i)));
}

/* Their sum, then the counts. */
static void put_sum_and_counts(tl_export *x, const tl_side *all)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < x->n_ranks; i++)
        sum += checked(x, tl_count_at(all, i));
    put_line(x, "%" PRId64 " ", sum);
    put_counts(x, all);
}

/* Collectives whose counts differ from rank to rank. */
static void sized_collective(tl_export *x, const tl_event *e, const tl_call_info *row,
                             const tl_side *sent, const tl_side *received)
{
    const int s_type = type_for(x, sent), r_type = type_for(x, received);
    switch (row->action) {
    case TL_ACTION_GATHERV:
    case TL_ACTION_ALLGATHERV:
        put_line(x, "%" PRIu32 " %s %" PRId64 " ", x->rank,
                 row->action == TL_ACTION_GATHERV ? "gatherv" : "allgatherv", count_for(x, sent));
        put_counts(x, received);
        if (row->action == TL_ACTION_GATHERV)
            put_line(x, "%" PRId32 " ", e->peer);
        break;
    case TL_ACTION_SCATTERV:
        put_line(x, "%" PRIu32 " scatterv ", x->rank);
        put_counts(x, sent);
        put_line(x, "%" PRId64 " %" PRId32 " ", count_for(x, received), e->peer);
        break;
    case TL_ACTION_REDUCE_SCATTER:
        put_line(x, "%" PRIu32 " reducescatter ", x->rank);
        put_counts(x, sent);
        put_line(x, "0 %d\n", s_type);
        return;
    default: /* alltoallv */
        put_line(x, "%" PRIu32 " alltoallv ", x->rank);
        put_sum_and_counts(x, sent);
        put_sum_and_counts(x, received);
    }
    put_line(x, "%d %d\n", s_type, r_type);
}

static bool is_as_world(const tl_export *x, uint32_t comm)
{
    if (comm == TL_COMM_WORLD)
        return true;
    const tl_comm *c = tl_export_find_comm(x, comm);
    bool same = c && !c->n_remote && c->n_members == x->n_ranks;
    for (uint32_t i = 0; same && i < x->n_ranks; i++)
        same = c->members[i] == (int32_t)i;
    return same;
}

static void collective(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    if (!is_as_world(x, e->comm)) {
        tl_export_refuse(x, "on a communicator other than MPI_COMM_WORLD");
        return;
    }
    const uint32_t n = x->n_ranks;
    const tl_extent extent = {.n_own = n, .n_to = n, .n_from = n, .me = x->rank};
    const tl_meaning *m = tl_meaning_of(row->action);
    tl_side sent, received;
    if (e->flags & TL_NONCOMMUTATIVE) {
        tl_export_refuse(x, "with an operator that does not commute");
        return;
    }
    if (!tl_take_sides(e, m, &extent, tl_role_within(e->peer, (int32_t)x->rank), &sent,
                       &received)) {
        tl_export_refuse(x, "without the counts of all ranks");
        return;
    }
    tl_fill_ignored(m, &sent, &received);
    switch (row->action) {
    case TL_ACTION_BARRIER: put(x, "barrier"); return;
    case TL_ACTION_BCAST:
        put(x, "bcast %" PRId64 " %" PRId32 " %d", count_for(x, &received), e->peer,
            type_for(x, &received));
        return;
    case TL_ACTION_REDUCE:
        put(x, "reduce %" PRId64 " 0 %" PRId32 " %d", count_for(x, &sent), e->peer,
            type_for(x, &sent));
        return;
    case TL_ACTION_ALLREDUCE:
        put(x, "allreduce %" PRId64 " 0 %d", count_for(x, &sent), type_for(x, &sent));
        return;
    case TL_ACTION_SCAN:
        put(x, "scan %" PRId64 " 0 %d", count_for(x, &sent), type_for(x, &sent));
        return;
    case TL_ACTION_EXSCAN:
        put(x, "exscan %" PRId64 " 0 %d", count_for(x, &sent), type_for(x, &sent));
        return;
    case TL_ACTION_GATHER:
    case TL_ACTION_SCATTER:
        put(x, "%s %" PRId64 " %" PRId64 " %" PRId32 " %d %d",
            row->action == TL_ACTION_GATHER ? "gather" : "scatter", count_for(x, &sent),
            count_for(x, &received), e->peer, type_for(x, &sent), type_for(x, &received));
        return;
    case TL_ACTION_ALLGATHER:
    case TL_ACTION_ALLTOALL:
        put(x, "%s %" PRId64 " %" PRId64 " %d %d",
            row->action == TL_ACTION_ALLTOALL ? "alltoall" : "allgather", count_for(x, &sent),
            count_for(x, &received), type_for(x, &sent), type_for(x, &received));
        return;
    case TL_ACTION_GATHERV:
    case TL_ACTION_ALLGATHERV:
    case TL_ACTION_SCATTERV:
    case TL_ACTION_ALLTOALLV:
    case TL_ACTION_REDUCE_SCATTER: sized_collective(x, e, row, &sent, &received); return;
    default: tl_export_refuse(x, "");
    }
}

static const tl_export_target simgrid = {.name = "SimGrid's text",
                                         .begin_rank = begin_rank,
                                         .end_rank = end_rank,
                                         .compute = compute,
                                         .sleep = say_sleep,
                                         .transfer = transfer,
                                         .begin = put_begin,
                                         .wait = wait_all,
                                         .exchange = exchange,
                                         .collective = collective};

/* ---- files ---- */

static tl_status write_ranks(tl_export *x, const char *folder, char *path, size_t size,
                             tl_error *err)
{
    snprintf(path, size, "%s/list.txt", folder);
    tl_output list, out;
    TL_TRY(tl_output_open(path, &list, err));
    tl_status status = TL_OK;
    for (uint32_t rank = 0; rank < x->n_ranks && !status; rank++) {
        snprintf(path, size, "%s/rank-%" PRIu32 ".txt", folder, rank);
        fprintf(list.file, "%s\n", path);
        status = tl_output_open(path, &out, err);
        x->out = out.file;
        if (!status)
            status = tl_output_close(&out, path, tl_export_rank(x, rank, err), err);
    }
    snprintf(path, size, "%s/list.txt", folder);
    return tl_output_close(&list, path, status, err);
}

tl_status tl_export_simgrid(tl_reader *r, const tl_rates *rates, const char *folder, tl_error *err)
{
    tl_export x = {.r = r, .rates = rates, .target = &simgrid};
    size_t size = strlen(folder) + 32;
    char *path = malloc(size);
    tl_status status = path ? tl_export_look(&x, err) : tl_no_memory(err, "the command");
    if (!status && mkdir(folder, 0777) && errno != EEXIST)
        status = tl_fail_errno(err, "%s: cannot be created", folder);
    if (!status)
        status = write_ranks(&x, folder, path, size, err);
    tl_export_free(&x);
    free(path);
    return status;
}
