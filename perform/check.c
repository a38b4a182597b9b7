/* check.c - which events can be performed, and the memory that they need. */
#include "config.h"

#include "check.h"

#include <actions.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

/* Of MPI_Buffer_attach; what MPI adds to a message there is less. */
enum { BUFFERED_OVERHEAD = 1024 };

static int fits_int(int64_t n)
{
    return n >= 0 && n <= INT_MAX;
}

/* Counts are ints in the calls that are made, and so is the size of a type. */
static bool has_int_sizes(const tl_event *e, const tl_call_info *info)
{
    const bool has_counts = (info->slots & TL_SLOT_LIST) && tl_is_collective(info->action);
    for (uint32_t i = 0; has_counts && i < e->list_len; i++)
        if (!fits_int(e->list[i]))
            return 0;
    return fits_int(e->count) && fits_int(e->type_bytes) && fits_int(e->recv_count) &&
           fits_int(e->recv_type_bytes);
}

static bool can_perform(const tl_event *e, const tl_call_info *info)
{
    const bool needs_comm = (info->slots & TL_SLOT_COMM) && info->action != TL_ACTION_COMM_FREE;
    switch (info->action) {
    case TL_ACTION_OPAQUE:
    case TL_ACTION_ABORT:
    case TL_ACTION_ENTER: return 0;
    case TL_ACTION_THREAD: return e->tag == 0;
    case TL_ACTION_SLEEP:
    case TL_ACTION_KERNEL: return 1;
    default: break;
    }
    if (tl_is_on_file(info->action) || (needs_comm && e->comm == TL_COMM_NULL) ||
        !has_int_sizes(e, info))
        return 0;
    return e->call != TL_MPI_Win_create_dynamic; /* its accesses are to addresses */
}

static const tl_comm *definition_of(const tl_reader *trace, uint32_t rank, uint32_t comm)
{
    const tl_comm *comms;
    const size_t n = tl_reader_comms(trace, rank, &comms);
    for (size_t i = 0; i < n; i++)
        if (comms[i].id == comm)
            return &comms[i];
    return NULL;
}

/* A communicator from before a cut is made anew, as a group of ranks: without a topology. */
static bool is_lost(const tl_reader *trace, uint32_t rank, const tl_event *e,
                    const tl_call_info *info, const perform_needs *needs)
{
    if (!(info->slots & TL_SLOT_COMM) || e->comm < TL_COMM_FIRST || needs->is_made[e->comm])
        return 0;
    const tl_comm *d = definition_of(trace, rank, e->comm);
    return tl_is_on_window(info->action) || !d || d->n_remote ||
           tl_meaning_of(info->action)->kind == TL_KIND_NEIGHBORHOOD || e->call == TL_MPI_Cart_sub;
}

static uint32_t n_partners(const tl_reader *trace, uint32_t rank, uint32_t comm)
{
    const tl_comm *d = definition_of(trace, rank, comm);
    if (!d)
        return comm == TL_COMM_SELF ? 1 : tl_reader_run(trace)->n_ranks;
    const uint32_t members = d->n_members + d->n_remote;
    const uint32_t neighbours = d->n_sources + d->n_destinations;
    return members > neighbours ? members : neighbours;
}

/* No buffer of the call is larger. */
static int64_t bytes_of(const tl_reader *trace, uint32_t rank, const tl_event *e,
                        const tl_call_info *info)
{
    const tl_meaning *m = tl_meaning_of(info->action);
    const int64_t sent = e->count * e->type_bytes, received = e->recv_count * e->recv_type_bytes;
    int64_t bytes = sent > received ? sent : received, elements = 0;
    if (!tl_is_collective(info->action))
        return bytes;
    if (m->sent == TL_SIZE_EACH || m->received == TL_SIZE_EACH)
        bytes *= n_partners(trace, rank, e->comm);
    for (uint32_t i = 0; i < e->list_len; i++)
        elements += e->list[i];
    int64_t each = e->type_bytes > e->recv_type_bytes ? e->type_bytes : e->recv_type_bytes;
    if (m->sent == TL_SIZE_BYTES)
        each = 1;
    return bytes > elements * each ? bytes : elements * each;
}

static void raise_to(int64_t *most, int64_t bytes)
{
    if (bytes > *most)
        *most = bytes;
}

/* Zero: out of memory. */
static int add_uncalled(const tl_reader *trace, uint32_t rank, const tl_event *e,
                        perform_needs *needs)
{
    const char *user = e->call == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, e) : NULL;
    for (size_t i = 0; i < needs->n_uncalled; i++) {
        perform_uncalled *u = &needs->uncalled[i];
        if (u->event.call == e->call && u->user == user) {
            u->count++;
            return 1;
        }
    }
    perform_uncalled *more = realloc(needs->uncalled, (needs->n_uncalled + 1) * sizeof *more);
    if (!more)
        return 0;
    needs->uncalled = more;
    more[needs->n_uncalled++] = (perform_uncalled){
        .user = user, .event = {.call = e->call, .tag = e->tag}, .rank = rank, .count = 1};
    return 1;
}

/* Zero: out of memory. */
static int check_event(const tl_reader *trace, uint32_t rank, const tl_event *e,
                       perform_needs *needs)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    if (e->new_comm)
        needs->is_made[e->new_comm] = 1;
    needs->n_bursts += e->volume != 0;
    if (info->action == TL_ACTION_KERNEL && needs->calls_kernels)
        return perform_need_kernel(&needs->kernels, e) || add_uncalled(trace, rank, e, needs);
    if (!can_perform(e, info) || is_lost(trace, rank, e, info, needs)) {
        needs->n_refused++;
        needs->refused[e->call]++;
        return 1;
    }
    if (!tl_moves_data(info->action))
        return 1;
    const int64_t bytes = bytes_of(trace, rank, e, info);
    raise_to(&needs->message_bytes, bytes);
    if (tl_is_on_window(info->action))
        raise_to(&needs->window_bytes, bytes);
    if (e->call == TL_MPI_Bsend || e->call == TL_MPI_Ibsend || e->call == TL_MPI_Bsend_init)
        needs->buffered_bytes += bytes + BUFFERED_OVERHEAD;
    return 1;
}

tl_status perform_check(tl_reader *trace, uint32_t rank, perform_needs *needs, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    const tl_comm *comms;
    const size_t n = tl_reader_comms(trace, rank, &comms);
    free(needs->is_made);
    needs->n_ids = (n ? comms[n - 1].id : TL_COMM_SELF) + 1;
    needs->is_made = calloc(needs->n_ids, 1);
    if (!needs->is_made)
        return tl_no_memory(err, "communicators");
    tl_status status = tl_cursor_open(trace, rank, &cursor, err);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        if (!check_event(trace, rank, &event, needs)) {
            tl_cursor_close(cursor);
            return tl_no_memory(err, "kernels of the trace");
        }
    if (status != TL_END && cursor)
        tl_error_set(err, status, "%s", tl_cursor_error(cursor)->text);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

void perform_forget(perform_needs *needs)
{
    free(needs->is_made);
    free(needs->uncalled);
    needs->is_made = NULL;
    needs->uncalled = NULL;
    needs->n_uncalled = 0;
}

tl_status perform_refuse(const tl_reader *trace, const perform_needs *needs, tl_error *err)
{
    char names[320] = "";
    size_t used = 0;
    for (unsigned code = 0; code < TL_CALL_LIMIT && used < sizeof names - 60; code++)
        if (needs->refused[code])
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s %" PRIu64 "x",
                                     used ? ", " : "", tl_call_by_code(code)->name,
                                     needs->refused[code]);
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: has calls that cannot be performed (%s); cut them off with 'timeless cut', "
                   "see timeless-perform(1)",
                   tl_reader_path(trace), names);
}

/* ---- kernels that are called ---- */

static bool is_modelled(const tl_reader *trace, const perform_uncalled *u, const tlr_model *model)
{
    const int64_t sizes[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    tl_event kernel = u->event;
    kernel.list = sizes;
    kernel.list_len = 3;
    return model && tlr_model_kernel_s(model, trace, u->rank, &kernel) >= 0;
}

size_t perform_list_uncalled(const tl_reader *trace, const perform_needs *needs,
                             const tlr_model *model, char *text, size_t size)
{
    size_t n = 0, used = 0;
    *text = '\0';
    for (size_t i = 0; i < needs->n_uncalled; i++) {
        const perform_uncalled *u = &needs->uncalled[i];
        if (is_modelled(trace, u, model))
            continue;
        if (used + 80 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s%.40s %" PRIu64 "x",
                                     n ? ", " : "", u->user ? "user:" : "",
                                     u->user ? u->user : tl_call_by_code(u->event.call)->name,
                                     u->count);
        n++;
    }
    return n;
}

tl_status perform_check_model(const tl_reader *trace, const perform_needs *needs,
                              const tlr_model *model, tl_error *err)
{
    char names[320];
    const char *path = tl_reader_path(trace), *unit = tl_reader_run(trace)->volume_unit;
    if (needs->n_bursts && !model)
        return tl_fail(
            err, TL_ERR_INPUT,
            "%s: contains computation in %s besides its kernels, but there is no compute "
            "model for its time; give --platform NAME or --model FILE",
            path, unit);
    if (needs->n_bursts && tlr_model_unit_s(model, unit) < 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "the compute model has no rate for the unit '%s' of %s; add one "
                       "(timeless-model(5)), or give another model",
                       unit, path);
    if (perform_list_uncalled(trace, needs, model, names, sizeof names))
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: has kernels that cannot be called (%s); give a compute model that has "
                       "their time, see timeless-perform(1)",
                       path, names);
    return TL_OK;
}
