/* otf2_calls.c - the calls of a rank in an OTF2 archive become events.
 *
 * A call is a region of MPI with the records inside it. A nonblocking receive has its message in
 * the record of its completion, so the first pass over the rank collects these. */
#include "config.h"

#include "otf2_read.h"

#include "actions.h"
#include "import.h"

#include <inttypes.h>

static tl_status no_memory(otf2_rank *m)
{
    return tl_no_memory(m->s->err, m->s->path);
}

static tl_status refuse(otf2_rank *m, const char *call, const char *why)
{
    return tl_refusals_add(&m->s->refusals, call, why, m->rank, 0) ? TL_OK : no_memory(m);
}

static tl_status put(otf2_rank *m, tl_event *e)
{
    e->volume = (uint64_t)m->volume;
    m->volume -= (double)e->volume; /* the fraction goes to the next one */
    e->polls = m->polls;
    m->polls = 0;
    if (e->call >= TL_MPI_Init) { /* not that of a message before it */
        e->took_ns = (float)m->took_ns;
        m->took_ns = 0;
    }
    if (m->list.size)
        tl_import_list(e, &m->list);
    const tl_status status = m->w ? tl_writer_put(m->w, e) : TL_OK;
    m->list.size = 0;
    return status ? otf2_fail(m, status, "the trace cannot be written: %s", tl_status_text(status))
                  : TL_OK;
}

/* ---- communicators ---- */

/* 1 + the own rank; 0: not a member. */
static uint32_t place_in(otf2_rank *m, OTF2_CommRef ref)
{
    const otf2_comm *c = &m->s->comms[ref];
    if (c->kind == OTF2_WORLD)
        return m->rank + 1;
    if (c->kind == OTF2_SELF)
        return 1;
    if (!m->places[ref])
        for (uint32_t i = 0; i < c->n; i++)
            if (c->members[i] == (int32_t)m->rank)
                m->places[ref] = i + 1;
    if (!m->places[ref])
        m->places[ref] = UINT32_MAX;
    return m->places[ref] == UINT32_MAX ? 0 : m->places[ref];
}

static bool is_known(const otf2_rank *m, OTF2_CommRef ref)
{
    return ref < m->s->n_comms && m->s->comms[ref].kind != OTF2_NO_COMM;
}

/* The id of a communicator; 0: it is not made yet. */
static uint32_t id_of(const otf2_rank *m, OTF2_CommRef ref)
{
    const int kind = m->s->comms[ref].kind;
    return kind == OTF2_WORLD ? TL_COMM_WORLD : kind == OTF2_SELF ? TL_COMM_SELF : m->ids[ref];
}

/* Defines a communicator, after those from which it was made. `parent` is used if the archive does
 * not say which one that is. */
static tl_status define(otf2_rank *m, OTF2_CommRef ref, uint32_t parent, unsigned call,
                        unsigned depth)
{
    const otf2_comm *c = &m->s->comms[ref];
    const bool has_parent = is_known(m, c->parent) && place_in(m, c->parent) && depth < 64;
    if (has_parent && !id_of(m, c->parent))
        TL_TRY(define(m, c->parent, TL_COMM_WORLD, TL_MPI_Comm_create, depth + 1));
    if (m->ids[ref])
        return TL_OK; /* a damaged archive: made from itself */
    m->ids[ref] = TL_COMM_FIRST + m->n_made++;
    const tl_comm comm = {.id = m->ids[ref],
                          .parent = has_parent ? id_of(m, c->parent) : parent,
                          .call = (uint16_t)call,
                          .n_members = c->n,
                          .members = c->members};
    return m->w && tl_writer_define_comm(m->w, &comm) ? no_memory(m) : TL_OK;
}

/* Finds the communicator of a record. If no call has made it yet, it is defined here. */
static tl_status use(otf2_rank *m, const char *call, OTF2_CommRef ref, uint32_t *id)
{
    *id = 0;
    if (!is_known(m, ref))
        return refuse(m, call, "on a communicator that the archive does not define");
    if (!place_in(m, ref))
        return otf2_fail(m, TL_ERR_INPUT,
                         "%s on a communicator of other ranks; the archive is "
                         "damaged",
                         call);
    if (!id_of(m, ref)) {
        m->s->n_unmade += !m->w;
        TL_TRY(define(m, ref, TL_COMM_WORLD, TL_MPI_Comm_create, 0));
    }
    *id = id_of(m, ref);
    return TL_OK;
}

/* The next communicator that this rank has from `parent`: by MPI_Comm_dup one of the same size, by
 * a split a smaller one, if there is one. */
static OTF2_CommRef next_child(otf2_rank *m, const tl_call_info *row, OTF2_CommRef parent)
{
    OTF2_CommRef other = OTF2_UNDEFINED_COMM;
    for (OTF2_CommRef i = 0; i < m->s->n_comms; i++) {
        const otf2_comm *c = &m->s->comms[i];
        if (c->kind != OTF2_OTHER || m->ids[i] || !place_in(m, i) ||
            (c->parent != parent && is_known(m, c->parent) && is_known(m, parent)))
            continue;
        const OTF2_CommRef from = is_known(m, parent) ? parent : c->parent;
        const bool is_smaller = !is_known(m, from) || c->n < m->s->comms[from].n;
        if (row->action == TL_ACTION_COMM_CREATE ||
            is_smaller == (row->action == TL_ACTION_COMM_SPLIT))
            return i;
        if (other == OTF2_UNDEFINED_COMM && row->action == TL_ACTION_COMM_SPLIT)
            other = i;
    }
    return other;
}

static tl_status make_comm(otf2_rank *m, const tl_call_info *row, const otf2_record *r,
                           OTF2_CommRef made)
{
    tl_event e = {.call = row->code, .comm = TL_COMM_WORLD};
    if (!is_known(m, made) && r && is_known(m, r->comm) && !id_of(m, r->comm)) {
        made = r->comm; /* some tools record the new one */
        r = NULL;
    }
    if (!is_known(m, made))
        made = next_child(m, row, r ? r->comm : OTF2_UNDEFINED_COMM);
    OTF2_CommRef parent = r ? r->comm : is_known(m, made) ? m->s->comms[made].parent : made;
    tl_status status = TL_OK;
    if (is_known(m, parent) && parent != made)
        status = use(m, row->name, parent, &e.comm);
    if (status || !e.comm)
        return status;
    if (is_known(m, made) && m->s->comms[made].kind == OTF2_OTHER && place_in(m, made)) {
        if (!m->ids[made])
            status =
                define(m, made, e.comm,
                       row->code == TL_MPI_Comm_create_group ? TL_MPI_Comm_create : row->code, 0);
        e.new_comm = m->ids[made];
    }
    return status ? status : put(m, &e);
}

/* ---- requests ---- */

static tl_status begin_request(otf2_rank *m, uint64_t request, uint32_t *id)
{
    uint64_t *slot = tl_map_at(&m->requests, request);
    if (!slot)
        return no_memory(m);
    *id = m->n_free ? m->free_ids[--m->n_free] : ++m->n_ids;
    *slot = *id;
    return TL_OK;
}

/* Adds the request to those that the call completes. */
static tl_status complete(otf2_rank *m, const otf2_record *r)
{
    uint64_t *slot = tl_map_find(&m->requests, r->request);
    if (r->kind == OTF2_CANCELLED)
        return TL_OK; /* it was not begun */
    if (!slot || !*slot)
        return otf2_fail(m, TL_ERR_INPUT,
                         "request %" PRIu64 " is completed, but no call began it; "
                         "the archive is not complete",
                         r->request);
    const int64_t id = (int64_t)*slot;
    *slot = 0;
    if (!tl_make_room(&m->free_ids, m->n_free, &m->free_room, sizeof *m->free_ids) ||
        !tl_buffer_put(&m->list, &id, sizeof id))
        return no_memory(m);
    m->free_ids[m->n_free++] = (uint32_t)id;
    return TL_OK;
}

/* ---- events ---- */

static tl_status take_message(otf2_rank *m, const char *call, const otf2_record *r, tl_event *e)
{
    tl_status status = use(m, call, r->comm, &e->comm);
    if (status || !e->comm)
        return status;
    const otf2_comm *c = &m->s->comms[r->comm];
    if (r->peer >= c->n || r->tag > INT32_MAX || r->bytes > INT64_MAX)
        return otf2_fail(m, TL_ERR_INPUT,
                         "%s with rank %" PRIu32 " of %" PRIu32 ", tag %" PRIu32 " and %" PRIu64
                         " bytes; the archive is damaged",
                         call, r->peer, c->n, r->tag, r->bytes);
    e->peer = (int32_t)r->peer;
    e->tag = (int32_t)r->tag;
    e->count = (int64_t)r->bytes;
    e->type_bytes = 1;
    return TL_OK;
}

static tl_status put_message(otf2_rank *m, const tl_call_info *row, tl_action action,
                             unsigned generic, const otf2_record *r)
{
    tl_event e = {.call = row && row->action == action ? row->code : (uint16_t)generic};
    if (e.call == TL_MPI_Mrecv || e.call == TL_MPI_Imrecv)
        e.call = (uint16_t)generic; /* its probe has no message */
    const char *call = tl_call_by_code(e.call)->name;
    if (row && row->action != action && (action == TL_ACTION_SEND || action == TL_ACTION_RECV) &&
        tl_meaning_of(row->action)->kind != TL_KIND_SENDRECV)
        return refuse(m, row->name,
                      "without its request (Score-P: SCOREP_MPI_ENABLE_GROUPS needs "
                      "xnonblock)");
    tl_status status = take_message(m, call, r, &e);
    if (!status && e.comm && (action == TL_ACTION_ISEND || action == TL_ACTION_IRECV))
        status = begin_request(m, r->request, &e.request);
    return status || !e.comm ? status : put(m, &e);
}

static tl_status put_sendrecv(otf2_rank *m, const tl_call_info *row)
{
    tl_event e = {
        .call = row->code, .comm = TL_COMM_WORLD, .peer = TL_PROC_NULL, .recv_peer = TL_PROC_NULL};
    tl_status status = TL_OK;
    for (size_t i = 0; i < m->records.n && !status; i++) {
        const otf2_record *r = &m->records.list[i];
        tl_event half = {.comm = TL_COMM_WORLD};
        if (r->kind != OTF2_SEND && r->kind != OTF2_RECV)
            continue;
        status = take_message(m, row->name, r, &half);
        if (status || !half.comm)
            return status;
        e.comm = half.comm;
        if (r->kind == OTF2_SEND || row->code == TL_MPI_Sendrecv_replace) {
            e.count = half.count;
            e.type_bytes = 1;
        }
        if (r->kind == OTF2_SEND) {
            e.peer = half.peer;
            e.tag = half.tag;
            continue;
        }
        e.recv_peer = half.peer;
        e.recv_tag = half.tag;
        e.recv_count = row->code == TL_MPI_Sendrecv ? half.count : 0;
        e.recv_type_bytes = row->code == TL_MPI_Sendrecv;
    }
    return status ? status : put(m, &e);
}

/* The call with this action. */
static uint16_t call_of(tl_action action, bool blocks)
{
    for (unsigned code = 1; code < TL_CALL_LIMIT; code++) {
        const tl_call_info *row = tl_call_by_code(code);
        if (row && tl_meaning_of(row->action)->blocking == action &&
            (row->action == action) == blocks && !(row->traits & TL_TRAIT_PERSISTENT))
            return row->code;
    }
    return 0;
}

static tl_status put_collective(otf2_rank *m, const tl_call_info *row, const otf2_record *r,
                                uint64_t request, bool blocks)
{
    const tl_action action = otf2_action_of(r->op);
    const bool fits = row && tl_meaning_of(row->action)->blocking == action &&
                      (row->action == action) == blocks && !(row->traits & TL_TRAIT_PERSISTENT);
    tl_event e = {.call = fits ? row->code : call_of(action, blocks)};
    if (action == TL_ACTION_NONE || !e.call)
        return refuse(m, row ? row->name : "a collective", "");
    tl_status status = use(m, tl_call_by_code(e.call)->name, r->comm, &e.comm);
    if (status || !e.comm)
        return status;
    otf2_comm *c = &m->s->comms[r->comm];
    otf2_record at_root = *r;
    if (tl_is_rooted(action)) {
        if (r->peer >= c->n && r->peer != OTF2_COLLECTIVE_ROOT_SELF)
            return otf2_fail(m, TL_ERR_INPUT,
                             "a collective of %" PRIu32 " ranks has the root %" PRIu32
                             "; the archive is damaged",
                             c->n, r->peer);
        e.peer = r->peer < c->n ? (int32_t)r->peer : 0;
        at_root.peer = (uint32_t)e.peer;
    }
    const otf2_sums own = {r->bytes, r->received_bytes}, *sums = &own;
    if (otf2_varies(r->op) && c->kind != OTF2_SELF)
        sums = c->sums + (size_t)m->n_varying[r->comm]++ * c->n;
    m->s->n_shared +=
        !m->w && c->n > 1 &&
        (r->op == OTF2_COLLECTIVE_OP_ALLTOALLV || r->op == OTF2_COLLECTIVE_OP_ALLTOALLW);
    if (!otf2_take_sizes(&e, &at_root, c->n, place_in(m, r->comm) - 1, sums, &m->list))
        return no_memory(m);
    if (!blocks)
        status = begin_request(m, request, &e.request);
    if (tl_call_by_code(e.call)->traits & TL_TRAIT_MARK)
        e.clock_ns = m->clock_ns;
    return status ? status : put(m, &e);
}

static bool makes_comm(const tl_call_info *row)
{
    return row && tl_meaning_of(row->action)->kind == TL_KIND_CONSTRUCTOR;
}

/* A collective on a handle, or one that moves data. */
static tl_status put_blocking(otf2_rank *m, const tl_call_info *row, const otf2_record *r,
                              OTF2_CommRef made)
{
    if (r->op < OTF2_COLLECTIVE_OP_CREATE_HANDLE)
        return put_collective(m, row, r, 0, true);
    if (makes_comm(row))
        return make_comm(m, row, r, made);
    tl_event e = {.call = TL_MPI_Comm_free};
    if (!row || row->action != TL_ACTION_COMM_FREE)
        return TL_OK;
    e.call = row->code;
    tl_status status = use(m, row->name, r->comm, &e.comm);
    return status || !e.comm ? status : put(m, &e);
}

/* The request that a call begins, with its later outcome. */
static tl_status put_begun(otf2_rank *m, const tl_call_info *row, const otf2_record *r)
{
    const otf2_record *outcome = &m->outcomes.list[m->next_outcome++];
    if (outcome->kind == OTF2_CANCELLED)
        return TL_OK; /* no message */
    if (r->kind == OTF2_ISEND)
        return put_message(m, row, TL_ACTION_ISEND, TL_MPI_Isend, r);
    if (outcome->kind == OTF2_RECEIVED)
        return put_message(m, row, TL_ACTION_IRECV, TL_MPI_Irecv, outcome);
    if (outcome->kind == OTF2_COLLECTED)
        return put_collective(m, row, outcome, r->request, false);
    m->s->n_lost += !m->w;
    return TL_OK;
}

static tl_status put_record(otf2_rank *m, const tl_call_info *row, const otf2_record *r,
                            OTF2_CommRef *made)
{
    switch (r->kind) {
    case OTF2_SEND: return put_message(m, row, TL_ACTION_SEND, TL_MPI_Send, r);
    case OTF2_RECV: return put_message(m, row, TL_ACTION_RECV, TL_MPI_Recv, r);
    case OTF2_ISEND:
    case OTF2_IRECV:
    case OTF2_ICOLLECTIVE: return put_begun(m, row, r);
    case OTF2_COLLECTIVE: {
        if (otf2_varies(r->op))
            m->next_outcome++;
        return put_blocking(m, row, r, *made);
    }
    case OTF2_CREATED: *made = r->comm; return TL_OK;
    case OTF2_TESTED: m->polls++; return TL_OK;
    default: return TL_OK;
    }
}

/* A call without records. */
static tl_status put_bare(otf2_rank *m, const tl_call_info *row)
{
    tl_event e = {.call = row->code};
    switch (row->action) {
    case TL_ACTION_ABORT:
    case TL_ACTION_INIT:
    case TL_ACTION_FINALIZE:
    case TL_ACTION_CLOCK:
        e.clock_ns = m->clock_ns;
        e.comm = row->action == TL_ACTION_ABORT ? TL_COMM_WORLD : 0;
        return put(m, &e);
    case TL_ACTION_SEND:
    case TL_ACTION_RECV:
        e.comm = TL_COMM_WORLD;
        e.peer = TL_PROC_NULL;
        return row->code == TL_MPI_Mrecv ? TL_OK : put(m, &e);
    case TL_ACTION_WAIT: /* a test without success, or requests without messages */
        m->polls += row->name[4] == 'T' && !m->polls;
        return row->name[4] == 'T' ? TL_OK : put(m, &e);
    case TL_ACTION_PROBE:
        m->s->n_probes += !m->w && (row->code == TL_MPI_Probe || row->code == TL_MPI_Mprobe);
        return TL_OK;
    default: break;
    }
    if (makes_comm(row))
        return make_comm(m, row, NULL,
                         m->records.n ? m->records.list[0].comm : OTF2_UNDEFINED_COMM);
    return tl_meaning_of(row->action)->kind == TL_KIND_COLLECTIVE && !tl_is_nonblocking(row->action)
               ? refuse(m, row->name, "without its record")
               : TL_OK;
}

static bool is_refused(const tl_call_info *row)
{
    switch (tl_meaning_of(row->action)->kind) {
    case TL_KIND_NEIGHBORHOOD:
    case TL_KIND_WINDOW:
    case TL_KIND_FILE:
    case TL_KIND_FILE_ALONE:
    case TL_KIND_ACCESS:
    case TL_KIND_EPOCH: return true;
    default:
        return row->action == TL_ACTION_OPAQUE || row->action == TL_ACTION_INTERCOMM_CREATE ||
               row->action == TL_ACTION_INTERCOMM_MERGE || row->code == TL_MPI_Comm_idup ||
               row->code == TL_MPI_Comm_idup_with_info;
    }
}

static tl_status put_completions(otf2_rank *m, const tl_call_info *row, bool *has_completed)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < m->records.n && !status; i++) {
        const otf2_record *r = &m->records.list[i];
        if (r->kind >= OTF2_SENT && r->kind <= OTF2_CANCELLED)
            status = complete(m, r);
    }
    *has_completed = m->list.size > 0;
    if (status || !*has_completed)
        return status;
    const bool has_list = row && !(row->slots & TL_SLOT_REQUEST);
    const bool fits =
        row && row->action == TL_ACTION_WAIT && (has_list || m->list.size == sizeof(int64_t));
    tl_event e = {.call = fits ? row->code : TL_MPI_Waitall};
    if (fits && !has_list) {
        e.request = (uint32_t)tl_load64(m->list.data);
        m->list.size = 0;
    }
    return put(m, &e);
}

tl_status otf2_make_events(otf2_rank *m, const tl_call_info *row)
{
    if (row && is_refused(row))
        return refuse(m, row->name, "");
    if (row && row->action == TL_ACTION_SENDRECV)
        return put_sendrecv(m, row);
    OTF2_CommRef made = OTF2_UNDEFINED_COMM;
    tl_status status = TL_OK;
    bool has_event = false, has_completed = false;
    for (size_t i = 0; i < m->records.n && !status; i++) {
        const otf2_record *r = &m->records.list[i];
        status = put_record(m, row, r, &made);
        has_event |= r->kind != OTF2_TESTED && r->kind != OTF2_CREATED && r->kind != OTF2_CANCELLED;
    }
    if (!status)
        status = put_completions(m, row, &has_completed);
    return status || has_event || !row ? status : put_bare(m, row);
}

/* ---- records ---- */

static otf2_record *append(otf2_rank *m, otf2_records *to, const otf2_record *r)
{
    if (!tl_make_room(&to->list, to->n, &to->room, sizeof *to->list)) {
        no_memory(m);
        return NULL;
    }
    to->list[to->n] = *r;
    return &to->list[to->n++];
}

/* The first pass: requests in the order in which they begin, with their outcomes. */
static tl_status collect(otf2_rank *m, const otf2_record *r)
{
    uint64_t *slot;
    switch (r->kind) {
    case OTF2_ISEND:
    case OTF2_IRECV:
    case OTF2_ICOLLECTIVE:
        slot = tl_map_at(&m->requests, r->request);
        if (!slot || !append(m, &m->outcomes, &(otf2_record){.kind = OTF2_NOTHING}))
            return no_memory(m);
        *slot = m->outcomes.n;
        return TL_OK;
    case OTF2_RECEIVED:
    case OTF2_COLLECTED:
    case OTF2_CANCELLED:
        slot = tl_map_find(&m->requests, r->request);
        if (slot && *slot)
            m->outcomes.list[*slot - 1] = *r;
        return TL_OK;
    case OTF2_COLLECTIVE:
        return !otf2_varies(r->op) || append(m, &m->outcomes, r) ? TL_OK : TL_ERR_MEMORY;
    default: return TL_OK;
    }
}

tl_status otf2_add(otf2_rank *m, const otf2_record *r)
{
    if (m->is_thread)
        return otf2_fail(m, TL_ERR_UNSUPPORTED,
                         "a call of MPI by another thread than the first "
                         "one: OTF2 does not tell its order; record the program with 'timeless "
                         "record'");
    if (m->collects)
        return collect(m, r);
    if (!append(m, &m->records, r))
        return TL_ERR_MEMORY;
    if (m->row)
        return TL_OK;
    tl_status status = otf2_make_events(m, NULL);
    m->records.n = 0;
    return status;
}

/* Notes what the rank sent and received in collectives whose blocks differ. */
static tl_status note_sums(otf2_rank *m)
{
    for (size_t i = 0; i < m->outcomes.n; i++) {
        const otf2_record *r = &m->outcomes.list[i];
        if ((r->kind != OTF2_COLLECTED && r->kind != OTF2_COLLECTIVE) || !otf2_varies(r->op) ||
            !is_known(m, r->comm) || m->s->comms[r->comm].kind == OTF2_SELF ||
            !place_in(m, r->comm))
            continue;
        otf2_comm *c = &m->s->comms[r->comm];
        const size_t at = m->n_varying[r->comm]++;
        if (!tl_make_room(&c->sums, at, &c->sums_room, c->n * sizeof *c->sums))
            return no_memory(m);
        if (at >= c->n_sums)
            memset(c->sums + c->n_sums++ * c->n, 0, c->n * sizeof *c->sums);
        c->sums[at * c->n + place_in(m, r->comm) - 1] = (otf2_sums){r->bytes, r->received_bytes};
    }
    return TL_OK;
}

tl_status otf2_end_pass(otf2_rank *m)
{
    const size_t bytes = m->s->n_comms * sizeof *m->n_varying;
    if (m->collects) {
        tl_status status = note_sums(m);
        if (bytes)
            memset(m->n_varying, 0, bytes);
        return status;
    }
    /* The other members may use the rest. */
    tl_status status = TL_OK;
    for (OTF2_CommRef i = 0; i < m->s->n_comms && !status; i++)
        if (m->s->comms[i].kind == OTF2_OTHER && !m->ids[i] && place_in(m, i))
            status = define(m, i, TL_COMM_WORLD, TL_MPI_Comm_create, 0);
    return status;
}
