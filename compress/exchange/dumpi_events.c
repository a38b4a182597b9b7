/* dumpi_events.c - converts the calls of a rank that DUMPI recorded to events. */
#include "config.h"

#include "dumpi_convert.h"

#include "core/error.h"
#include "import.h"

/* ---- communicators ---- */

static tl_dumpi_list *list_of(tl_dumpi_convert *m)
{
    return &m->comms->ranks[m->rank];
}

/* The position of a communicator in the list of those that the rank has made; UINT32_MAX for none.
 */
static uint32_t position_of(const tl_dumpi_convert *m, int64_t number)
{
    const uint64_t *made = tl_map_find(&m->by_comm, (uint64_t)number);
    return number == TL_DUMPI_COMM_WORLD  ? TL_DUMPI_MADE_WORLD
           : number == TL_DUMPI_COMM_SELF ? TL_DUMPI_MADE_SELF
           : made && *made                ? (uint32_t)*made - 1
                                          : UINT32_MAX;
}

static tl_status find_comm(tl_dumpi_convert *m, int64_t number, uint32_t *position)
{
    *position = position_of(m, number);
    return *position < UINT32_MAX
               ? TL_OK
               : tl_dumpi_refuse(
                     m, "its communicator was made by no call that is known; record the program "
                        "with 'timeless record'");
}

/* Ids follow from positions: 1 MPI_COMM_WORLD, 2 MPI_COMM_SELF, 3 the first one that was made. */
static uint32_t id_of(uint32_t position)
{
    return position + TL_COMM_WORLD;
}

/* Takes ranks of a group, or leaves them out. The group stays unknown if it does not have them. */
static void choose(const tl_dumpi_record *r, const tl_dumpi_chosen *from, bool *picked,
                   tl_dumpi_chosen *made)
{
    const bool leaves_out = r->function == TL_DUMPI_Group_excl;
    made->is_rest = leaves_out && from->is_rest;
    made->position = from->position;
    for (size_t i = 0; i < r->indices.n; i++) {
        const int64_t rank = tl_dumpi_element(&r->indices, i);
        if (rank < 0 || rank >= from->n || picked[rank])
            return;
        picked[rank] = true;
        if (!leaves_out)
            made->ranks[made->n++] = from->ranks[rank];
    }
    for (uint32_t i = 0; i < from->n && leaves_out; i++)
        if (!picked[i])
            made->ranks[made->n++] = from->ranks[i];
    made->is_known = true;
}

/* Follows the making of a group. A number may be used again. */
static tl_status make_group(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    const size_t from = (size_t)r->value['u'], number = (size_t)r->value['U'];
    while (m->n_groups <= from || m->n_groups <= number) {
        if (!tl_make_room(&m->groups, m->n_groups, &m->groups_capacity, sizeof *m->groups))
            return tl_dumpi_out_of_memory(m);
        m->groups[m->n_groups++] = (tl_dumpi_chosen){0};
    }
    tl_dumpi_chosen made = {.ranks = calloc(m->n_ranks, sizeof *made.ranks)};
    bool *picked = calloc(m->n_ranks, sizeof *picked);
    if (!made.ranks || !picked) {
        free(made.ranks);
        free(picked);
        return tl_dumpi_out_of_memory(m);
    }
    if (r->function == TL_DUMPI_Comm_group) {
        made.position = position_of(m, r->value['c']);
        made.is_known = made.position < UINT32_MAX;
        for (made.is_rest = true; made.n < m->n_ranks; made.n++)
            made.ranks[made.n] = (int32_t)made.n;
    } else if (strchr(tl_dumpi_rows[r->function].fields, 'u') && m->groups[from].is_known) {
        choose(r, &m->groups[from], picked, &made);
    }
    free(picked);
    free(m->groups[number].ranks);
    m->groups[number] = made;
    return TL_OK;
}

/* Copies the group of MPI_Comm_create. */
static tl_status take_group(tl_dumpi_convert *m, tl_dumpi_chosen *to)
{
    const size_t number = (size_t)m->f->record.value['u'];
    if (number >= m->n_groups || !m->groups[number].is_known)
        return tl_dumpi_refuse(m, "its group does not come from MPI_Comm_group by MPI_Group_incl "
                                  "and MPI_Group_excl with ranks that exist; record the program "
                                  "with 'timeless record'");
    *to = m->groups[number];
    to->ranks = malloc(to->n * sizeof *to->ranks + 1);
    if (!to->ranks)
        return tl_dumpi_out_of_memory(m);
    if (to->n)
        memcpy(to->ranks, m->groups[number].ranks, to->n * sizeof *to->ranks);
    return TL_OK;
}

static tl_status make_comm(tl_dumpi_convert *m, tl_event *e)
{
    const tl_dumpi_record *r = &m->f->record;
    uint32_t parent = 0, position = TL_DUMPI_MADE_FIRST + m->n_made++;
    TL_TRY(find_comm(m, r->value['c'], &parent));
    tl_status status = TL_OK;
    tl_dumpi_made made = {.function = r->function,
                          .is_null = r->value['w'] == TL_DUMPI_COMM_NULL,
                          .colour = r->value['K'],
                          .key = r->value['y'],
                          .offset = r->offset};
    if (r->function == TL_DUMPI_Cart_create) {
        if (r->value['f'])
            return tl_dumpi_wrong(m->f, TL_ERR_UNSUPPORTED,
                                  "MPI_Cart_create that may reorder: the file does not say how; "
                                  "record the program with 'timeless record'");
        made.colour = made.key = 0;
    }
    uint64_t *number = made.is_null ? NULL : tl_map_at(&m->by_comm, (uint64_t)r->value['w']);
    if (!made.is_null && !number)
        return tl_dumpi_out_of_memory(m);
    if (number)
        *number = position + 1;
    if (!m->w) {
        if (r->function == TL_DUMPI_Comm_create && !made.is_null)
            status = take_group(m, &made.chosen);
        if (status || tl_dumpi_comms_note(list_of(m), parent, made))
            return status;
        free(made.chosen.ranks);
        return tl_dumpi_out_of_memory(m);
    }
    e->comm = id_of(parent);
    if (made.is_null)
        return TL_OK;
    const tl_dumpi_group *group = list_of(m)->made[position].group;
    e->new_comm = id_of(position);
    tl_comm comm = {.id = e->new_comm,
                    .parent = e->comm,
                    .call = e->call,
                    .n_members = group->n,
                    .members = group->members};
    return tl_writer_define_comm(m->w, &comm) ? tl_dumpi_out_of_memory(m) : TL_OK;
}

/* ---- events ---- */

/* Failed tests and probes are counted; they are no events. */
static bool has_failed(const tl_dumpi_record *r)
{
    switch (r->function) {
    case TL_DUMPI_Test:
    case TL_DUMPI_Testall:
    case TL_DUMPI_Testany:
    case TL_DUMPI_Iprobe: return !r->value['f'];
    case TL_DUMPI_Testsome: return r->value['q'] == 0;
    default: return false;
    }
}

static int32_t as_source(int64_t source)
{
    return source == -1 ? TL_ANY_SOURCE : source < 0 ? TL_PROC_NULL : (int32_t)source;
}

static int32_t as_tag(int64_t tag)
{
    return tag < 0 ? TL_ANY_TAG : (int32_t)tag;
}

static void take_peers(const tl_dumpi_record *r, tl_event *e, const tl_call_info *row)
{
    const char *fields = tl_dumpi_rows[r->function].fields;
    const bool is_receive = row->action == TL_ACTION_RECV || row->action == TL_ACTION_IRECV ||
                            row->action == TL_ACTION_RECV_INIT || row->action == TL_ACTION_PROBE;
    if (strchr(fields, 'x'))
        e->peer = (int32_t)r->value['x'];
    else if (is_receive)
        e->peer = as_source(r->value['p']);
    else if (strchr(fields, 'p'))
        e->peer = r->value['p'] < 0 ? TL_PROC_NULL : (int32_t)r->value['p'];
    e->recv_peer = strchr(fields, 'P') ? as_source(r->value['P']) : 0;
    e->tag = as_tag(r->value['g']);
    e->recv_tag = as_tag(r->value['G']);
}

static bool at_root(const tl_dumpi_record *r)
{
    return r->value['k'] == r->value['x'];
}

/* The counts of all ranks; for MPI_Alltoallw in bytes. */
static tl_status take_counts(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    for (size_t i = 0; i < r->counts.n; i++) {
        int64_t value = tl_dumpi_element(&r->counts, i), bytes = 0;
        if (r->function == TL_DUMPI_Alltoallw) {
            int64_t type = i < r->types.n ? tl_dumpi_element(&r->types, i) : 0;
            TL_TRY(tl_dumpi_take_type(m, type, value != 0, &bytes));
            value *= bytes;
        }
        if (!tl_buffer_put(&m->list, &value, sizeof value))
            return tl_dumpi_out_of_memory(m);
    }
    return TL_OK;
}

static tl_status take_sizes(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row)
{
    const tl_dumpi_record *r = &m->f->record;
    const bool lists = r->counts.n > 0;
    bool sends = true, receives = true;
    if (r->function == TL_DUMPI_Gather || r->function == TL_DUMPI_Gatherv)
        receives = at_root(r);
    if (r->function == TL_DUMPI_Scatter || r->function == TL_DUMPI_Scatterv)
        sends = at_root(r);
    if (sends) {
        e->count = row->slots & TL_SLOT_COUNT ? r->value['n'] : 0;
        if (row->slots & TL_SLOT_TYPE)
            TL_TRY(tl_dumpi_take_type(m, r->value['t'], e->count || lists, &e->type_bytes));
    }
    if (receives) {
        e->recv_count = row->slots & TL_SLOT_RECV_COUNT ? r->value['N'] : 0;
        if (row->slots & TL_SLOT_RECV_TYPE)
            TL_TRY(
                tl_dumpi_take_type(m, r->value['T'], e->recv_count || lists, &e->recv_type_bytes));
    }
    return take_counts(m);
}

/* The outcome of a blocking receive. */
static tl_status take_match(tl_dumpi_convert *m, const tl_event *e, const tl_call_info *row)
{
    const bool second = row->action == TL_ACTION_SENDRECV;
    if (row->action != TL_ACTION_RECV && !second)
        return TL_OK;
    tl_dumpi_status s;
    const int32_t peer = second ? e->recv_peer : e->peer, tag = second ? e->recv_tag : e->tag;
    if ((peer != TL_ANY_SOURCE && (peer == TL_PROC_NULL || tag != TL_ANY_TAG)) ||
        !tl_dumpi_status_at(m, 0, &s))
        return TL_OK;
    return tl_dumpi_put_match(m, 0, &s);
}

static void finish(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row)
{
    if (row->action == TL_ACTION_INIT) {
        m->initialised = true;
        m->volume = 0; /* libdumpi's clock begins when MPI_Init returns */
    }
    const bool on_entry = row->action == TL_ACTION_FINALIZE || row->action == TL_ACTION_ABORT;
    if (row->slots & TL_SLOT_CLOCK)
        e->clock_ns = m->clock_ns - (on_entry ? m->call_ns : 0);
    if (on_entry)
        m->clock_ns = e->clock_ns;
    if (row->action == TL_ACTION_FINALIZE)
        m->end = TL_END_FINALIZED;
    if (row->action == TL_ACTION_ABORT)
        m->end = TL_END_ABORTED;
    e->volume = (uint64_t)m->volume;
    m->volume -= (double)e->volume; /* the fraction goes to the next one */
    e->polls = m->polls;
    m->polls = 0;
    if (!on_entry && row->action != TL_ACTION_INIT)
        e->took_ns = (float)(m->polled_ns + m->call_ns);
    m->polled_ns = 0;
}

static tl_status convert(tl_dumpi_convert *m, tl_event *e, const tl_call_info *row)
{
    const tl_dumpi_record *r = &m->f->record;
    const char *fields = tl_dumpi_rows[r->function].fields;
    uint32_t position = 0;
    m->list.size = 0;
    if (strchr(fields, 'c'))
        TL_TRY(find_comm(m, r->value['c'], &position));
    if (row->slots & TL_SLOT_COMM)
        e->comm = id_of(position);
    take_peers(r, e, row);
    if (strchr(fields, 'o') && m->ordered[r->value['o'] & 255])
        e->flags |= TL_NONCOMMUTATIVE;
    TL_TRY(take_sizes(m, e, row));
    if (row->slots & TL_SLOT_REQUEST)
        TL_TRY(tl_dumpi_take_request(m, e, row));
    else if (strchr(fields, 'R'))
        TL_TRY(tl_dumpi_complete_some(m));
    return take_match(m, e, row);
}

static tl_status put_call(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    const tl_call_info *row = tl_call_by_name(tl_dumpi_rows[r->function].name);
    if (has_failed(r)) {
        m->polls++;
        m->polled_ns += m->call_ns;
        return TL_OK;
    }
    tl_event e = {.call = row->code};
    TL_TRY(row->slots & TL_SLOT_NEW_COMM ? make_comm(m, &e) : convert(m, &e, row));
    if (m->list.size)
        tl_import_list(&e, &m->list);
    finish(m, &e, row);
    /* Slots that the call does not have are 0. */
    if (!(row->slots & TL_SLOT_TAG))
        e.tag = 0;
    if (!(row->slots & TL_SLOT_RECV_TAG))
        e.recv_tag = 0;
    return tl_dumpi_put(m, &e);
}

static tl_status follow(tl_dumpi_convert *m)
{
    const tl_dumpi_record *r = &m->f->record;
    if (m->begun && r->thread != m->thread)
        return tl_dumpi_wrong(m->f, TL_ERR_UNSUPPORTED,
                              "a call of thread %u behind calls of thread %u: a trace has one "
                              "sequence of calls for each rank",
                              r->thread, m->thread);
    m->thread = r->thread;
    tl_dumpi_follow_clock(m);
    TL_TRY(m->w ? tl_dumpi_count_volume(m) : TL_OK);
    m->begun = true;
    if (r->function > TL_DUMPI_N_CALLS)
        return TL_OK;
    const char *fields = tl_dumpi_rows[r->function].fields;
    if (strchr(fields, 'D'))
        return tl_dumpi_construct(m);
    if (r->function == TL_DUMPI_Op_create)
        m->ordered[r->value['o'] & 255] = !r->value['f'];
    if (strchr(fields, 'U') && !m->w)
        return make_group(m);
    if (strchr(fields, 'w') && !m->w)
        return make_comm(m, &(tl_event){0});
    return tl_dumpi_rows[r->function].kind == TL_DUMPI_IS_CALL && m->w ? put_call(m) : TL_OK;
}

/* Makes one pass over the calls of one rank. */
tl_status tl_dumpi_pass(tl_dumpi_convert *m)
{
    tl_dumpi_rewind(m->f);
    tl_status status;
    while (!(status = tl_dumpi_next(m->f)) && !(status = follow(m)))
        ;
    free(m->requests);
    for (size_t i = 0; i < m->n_groups; i++)
        free(m->groups[i].ranks);
    free(m->groups);
    tl_buffer_free(&m->list);
    tl_map_free(&m->by_comm);
    tl_map_free(&m->type_bytes);
    return status == TL_END ? TL_OK : status;
}
