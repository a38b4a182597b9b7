/* file.c - calls on files, as the SimGrid engine times them where hosts have no disk.
 *
 * The bytes take bytes / bandwidth, that of --io-bandwidth or TLR_IO_BANDWIDTH. A collective call
 * is a barrier, the rank's own data, and another barrier. Calls that only describe a file take no
 * time except their barrier. */
#include "actions.h"
#include "reading.h"

#include <inttypes.h>
#include <math.h>

static void barrier(loggops_reading *t, const tl_event *e)
{
    loggops_add_small(t, TL_ACTION_BARRIER, loggops_comm_of(t, e), 0, 1);
}

static uint64_t takes_ps(const loggops_reading *t, const tl_event *e)
{
    const double ps_per_s = 1e12, bytes = (double)e->count * (double)e->type_bytes,
                 given = t->options->io_bandwidth,
                 bandwidth = given > 0                  ? given
                             : t->options->allow_opaque ? INFINITY
                                                        : TLR_IO_BANDWIDTH,
                 ps = bytes / bandwidth * ps_per_s;
    return ps < (double)LOGGOPS_MOST_PS ? (uint64_t)(ps + 0.5) : LOGGOPS_MOST_PS;
}

static void move(loggops_reading *t, const tl_event *e)
{
    const uint64_t amount = takes_ps(t, e);
    if (t->is_stream)
        t->io_ps += amount;
    if (amount)
        loggops_add(t, (loggops_op){.kind = LOGGOPS_COMPUTE, .is_on_file = 1, .amount = amount});
}

static loggops_op beside(const loggops_reading *t, const tl_event *e)
{
    return (loggops_op){.kind = LOGGOPS_TIMER, .amount = takes_ps(t, e)};
}

/* One at a time for each file. */
static void begin_split(loggops_reading *t, const tl_event *e)
{
    loggops_op op = beside(t, e);
    if (!loggops_has_room(t, &t->split, (size_t)e->comm + 1, &t->split_room, sizeof *t->split))
        return;
    if (!t->split[e->comm])
        t->split[e->comm] = loggops_own_request(t);
    op.request = t->split[e->comm];
    loggops_add(t, op);
}

static void end_split(loggops_reading *t, const tl_event *e)
{
    const int64_t request = e->comm < t->split_room ? t->split[e->comm] : 0;
    if (request)
        loggops_add_wait(t, &request, 1);
    barrier(t, e);
}

/* A call that returns when its data are moved. */
static void move_now(loggops_reading *t, const tl_event *e, bool is_collective)
{
    if (is_collective)
        barrier(t, e);
    move(t, e);
    if (is_collective)
        barrier(t, e);
}

void loggops_add_file(loggops_reading *t, const tl_event *e, const tl_call_info *info)
{
    tl_event on_new = *e;
    on_new.comm = e->new_comm;
    if (tl_moves_data(info->action) && t->options->io_bandwidth <= 0 && t->options->model_strict &&
        !t->options->allow_opaque)
        t->status =
            tl_fail(t->err, TL_ERR_UNSUPPORTED,
                    "%s: has %" PRIu64 " calls that read or write files, and the loggops engine "
                    "knows no disk; give --io-bandwidth, or --allow-opaque for file accesses "
                    "that take no time",
                    tl_reader_path(t->trace), t->plan->n_transfers);
    switch (info->action) {
    case TL_ACTION_FILE_OPEN: barrier(t, &on_new); break;
    case TL_ACTION_FILE_CLOSE:
    case TL_ACTION_FILE_SETUP:
    case TL_ACTION_FILE_PREALLOCATE:
    case TL_ACTION_FILE_SYNC: barrier(t, e); break;
    case TL_ACTION_FILE_READ_BEGIN:
    case TL_ACTION_FILE_WRITE_BEGIN: begin_split(t, e); break;
    case TL_ACTION_FILE_READ_END:
    case TL_ACTION_FILE_WRITE_END: end_split(t, e); break;
    case TL_ACTION_FILE_DELETE: break;
    default:
        if (info->traits & TL_TRAIT_NB)
            loggops_add_started(t, beside(t, e), e->request);
        else
            move_now(t, e, tl_meaning_of(info->action)->kind == TL_KIND_FILE);
    }
}
