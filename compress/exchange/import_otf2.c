/* import_otf2.c - makes a trace from an OTF2 archive: its definitions, and the passes over its
 * ranks. */
#include "config.h"

#include "import_otf2.h"

#include "core/format.h"
#include "core/room.h"
#include "import.h"
#include "otf2_read.h"

#include <inttypes.h>
#include <signal.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_REFERENCE = 1 << 24 };

/* Prevents OTF2 from printing its errors. */
static OTF2_ErrorCode be_silent(void *data, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static tl_status damaged(otf2_source *s, const char *what)
{
    return s->status = tl_fail(s->err, TL_ERR_INPUT,
                               "%s: %s; give the anchor file (traces.otf2) of a complete archive",
                               s->path, what);
}

/* ---- definitions ---- */

/* The element of a reference, which is new and zero if the array was shorter. NULL after a failure,
 * which is stored. */
static void *at(otf2_source *s, void *array, size_t *n, size_t *room, size_t bytes, uint64_t ref)
{
    void *items;
    if (ref >= MAX_REFERENCE) {
        damaged(s, "a definition has a number beyond 16,777,215");
        return NULL;
    }
    if (!tl_make_room(array, ref, room, bytes)) {
        s->status = tl_no_memory(s->err, s->path);
        return NULL;
    }
    memcpy(&items, array, sizeof items);
    if (ref >= *n) {
        memset((char *)items + *n * bytes, 0, (ref + 1 - *n) * bytes);
        *n = ref + 1;
    }
    return (char *)items + ref * bytes;
}
#define AT(s, array, ref)                                                                          \
    at(s, &(s)->array, &(s)->n_##array, &(s)->array##_room, sizeof *(s)->array, ref)

static OTF2_CallbackCode result(const otf2_source *s)
{
    return s->status ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

static const char *string(const otf2_source *s, OTF2_StringRef ref)
{
    return ref < s->n_strings && s->strings[ref] ? s->strings[ref] : "";
}

static OTF2_CallbackCode on_clock(void *data, uint64_t resolution, uint64_t offset, uint64_t length,
                                  uint64_t realtime)
{
    otf2_source *s = data;
    (void)offset, (void)length, (void)realtime;
    s->ns_per_tick = resolution ? 1e9 / (double)resolution : 0;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_string(void *data, OTF2_StringRef self, const char *text)
{
    otf2_source *s = data;
    char **slot = AT(s, strings, self);
    if (!slot)
        return OTF2_CALLBACK_INTERRUPT;
    free(*slot);
    if (!(*slot = strdup(text)))
        s->status = tl_no_memory(s->err, s->path);
    return result(s);
}

static OTF2_CallbackCode on_node(void *data, OTF2_SystemTreeNodeRef self, OTF2_StringRef name,
                                 OTF2_StringRef class, OTF2_SystemTreeNodeRef parent)
{
    otf2_source *s = data;
    (void)class, (void)parent;
    OTF2_StringRef *slot = AT(s, nodes, self);
    if (slot)
        *slot = name;
    return result(s);
}

static OTF2_CallbackCode on_process(void *data, OTF2_LocationGroupRef self, OTF2_StringRef name,
                                    OTF2_LocationGroupType type, OTF2_SystemTreeNodeRef parent,
                                    OTF2_LocationGroupRef creator)
{
    otf2_source *s = data;
    (void)name, (void)type, (void)creator;
    OTF2_SystemTreeNodeRef *slot = AT(s, processes, self);
    if (slot)
        *slot = parent;
    return result(s);
}

static OTF2_CallbackCode on_location(void *data, OTF2_LocationRef self, OTF2_StringRef name,
                                     OTF2_LocationType type, uint64_t n_events,
                                     OTF2_LocationGroupRef process)
{
    otf2_source *s = data;
    (void)name, (void)n_events;
    uint64_t *index = tl_map_at(&s->location_at, self);
    if (!index ||
        !tl_make_room(&s->locations, s->n_locations, &s->locations_room, sizeof *s->locations)) {
        s->status = tl_no_memory(s->err, s->path);
        return OTF2_CALLBACK_INTERRUPT;
    }
    s->locations[s->n_locations++] =
        (otf2_location){self, process, type == OTF2_LOCATION_TYPE_CPU_THREAD, false};
    *index = s->n_locations;
    return OTF2_CALLBACK_SUCCESS;
}

/* The row of a name such as MPI_Send, MPI_SEND or mpi_send_. */
static const tl_call_info *row_of(const char *name)
{
    size_t length = strlen(name);
    while (length && name[length - 1] == '_')
        length--;
    for (unsigned code = 1; code < TL_CALL_LIMIT && !strncasecmp(name, "MPI_", 4); code++) {
        const tl_call_info *row = tl_call_by_code(code);
        if (row && strlen(row->name) == length && !strncasecmp(row->name, name, length))
            return row;
    }
    return NULL;
}

static OTF2_CallbackCode on_region(void *data, OTF2_RegionRef self, OTF2_StringRef name,
                                   OTF2_StringRef canonical, OTF2_StringRef description,
                                   OTF2_RegionRole role, OTF2_Paradigm paradigm,
                                   OTF2_RegionFlag flags, OTF2_StringRef file, uint32_t first,
                                   uint32_t last)
{
    otf2_source *s = data;
    (void)description, (void)role, (void)paradigm, (void)flags, (void)file, (void)first, (void)last;
    const tl_call_info **slot = AT(s, regions, self);
    if (slot && !(*slot = row_of(string(s, name))))
        *slot = row_of(string(s, canonical));
    if (slot && *slot && (*slot)->code == TL_MPI_Pcontrol)
        *slot = NULL;
    return result(s);
}

static OTF2_CallbackCode on_member(void *data, OTF2_MetricMemberRef self, OTF2_StringRef name,
                                   OTF2_StringRef description, OTF2_MetricType type,
                                   OTF2_MetricMode mode, OTF2_Type value, OTF2_Base base,
                                   int64_t exponent, OTF2_StringRef unit)
{
    otf2_source *s = data;
    (void)description, (void)type, (void)value, (void)base, (void)exponent, (void)unit;
    uint8_t *slot = AT(s, is_member, self);
    if (slot)
        *slot = s->volume && !strcmp(s->volume, string(s, name)) &&
                (mode & OTF2_METRIC_VALUE_MASK) == OTF2_METRIC_VALUE_ACCUMULATED;
    return result(s);
}

static OTF2_CallbackCode on_class(void *data, OTF2_MetricRef self, uint8_t n,
                                  const OTF2_MetricMemberRef *members,
                                  OTF2_MetricOccurrence occurrence, OTF2_RecorderKind recorder)
{
    otf2_source *s = data;
    (void)occurrence, (void)recorder;
    uint8_t *slot = AT(s, position, self);
    for (unsigned i = 0; slot && i < n; i++)
        if (members[i] < s->n_is_member && s->is_member[members[i]]) {
            *slot = (uint8_t)(i + 1);
            s->counts = true;
        }
    return result(s);
}

static OTF2_CallbackCode on_instance(void *data, OTF2_MetricRef self, OTF2_MetricRef class,
                                     OTF2_LocationRef recorder, OTF2_MetricScope scope,
                                     uint64_t scope_ref)
{
    otf2_source *s = data;
    (void)recorder, (void)scope, (void)scope_ref;
    uint8_t *slot = AT(s, position, self);
    if (slot && class < s->n_position)
        *slot = s->position[class];
    return result(s);
}

static OTF2_CallbackCode on_group(void *data, OTF2_GroupRef self, OTF2_StringRef name,
                                  OTF2_GroupType type, OTF2_Paradigm paradigm, OTF2_GroupFlag flags,
                                  uint32_t n, const uint64_t *members)
{
    otf2_source *s = data;
    (void)name;
    otf2_group *g = AT(s, groups, self);
    if (!g || paradigm != OTF2_PARADIGM_MPI || g->members)
        return result(s);
    *g = (otf2_group){.type = type,
                      .has_locations = flags & OTF2_GROUP_FLAG_GLOBAL_MEMBERS,
                      .n = n,
                      .members = malloc(n * sizeof *members + 1)};
    if (!g->members)
        s->status = tl_no_memory(s->err, s->path);
    else if (n)
        memcpy(g->members, members, n * sizeof *members);
    return result(s);
}

static OTF2_CallbackCode on_comm(void *data, OTF2_CommRef self, OTF2_StringRef name,
                                 OTF2_GroupRef group, OTF2_CommRef parent, OTF2_CommFlag flags)
{
    otf2_source *s = data;
    (void)flags;
    otf2_comm *c = AT(s, comms, self);
    if (c)
        *c = (otf2_comm){.is_defined = true,
                         .is_named_world = !strcmp(string(s, name), "MPI_COMM_WORLD"),
                         .group = group,
                         .parent = parent};
    return result(s);
}

static tl_status read_definitions(otf2_source *s)
{
    OTF2_GlobalDefReader *reader = OTF2_Reader_GetGlobalDefReader(s->reader);
    OTF2_GlobalDefReaderCallbacks *on = OTF2_GlobalDefReaderCallbacks_New();
    uint64_t n = 0;
    OTF2_ErrorCode code = OTF2_ERROR_MEM_ALLOC_FAILED;
    if (reader && on) {
        OTF2_GlobalDefReaderCallbacks_SetClockPropertiesCallback(on, on_clock);
        OTF2_GlobalDefReaderCallbacks_SetStringCallback(on, on_string);
        OTF2_GlobalDefReaderCallbacks_SetSystemTreeNodeCallback(on, on_node);
        OTF2_GlobalDefReaderCallbacks_SetLocationGroupCallback(on, on_process);
        OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on, on_location);
        OTF2_GlobalDefReaderCallbacks_SetRegionCallback(on, on_region);
        OTF2_GlobalDefReaderCallbacks_SetMetricMemberCallback(on, on_member);
        OTF2_GlobalDefReaderCallbacks_SetMetricClassCallback(on, on_class);
        OTF2_GlobalDefReaderCallbacks_SetMetricInstanceCallback(on, on_instance);
        OTF2_GlobalDefReaderCallbacks_SetGroupCallback(on, on_group);
        OTF2_GlobalDefReaderCallbacks_SetCommCallback(on, on_comm);
        OTF2_Reader_RegisterGlobalDefCallbacks(s->reader, reader, on, s);
        code = OTF2_Reader_ReadAllGlobalDefinitions(s->reader, reader, &n);
    }
    OTF2_GlobalDefReaderCallbacks_Delete(on);
    if (reader)
        OTF2_Reader_CloseGlobalDefReader(s->reader, reader);
    if (!s->status && code != OTF2_SUCCESS)
        return damaged(s, OTF2_Error_GetDescription(code));
    return s->status;
}

/* ---- ranks and communicators ---- */

/* The index of a location among the ranks; UINT32_MAX for none. */
static uint32_t rank_of(const otf2_source *s, uint64_t location)
{
    for (uint32_t i = 0; i < s->n_ranks; i++)
        if (s->ranks->members[i] == location)
            return i;
    return UINT32_MAX;
}

static tl_status take_ranks(otf2_source *s)
{
    for (size_t i = 0; i < s->n_groups; i++)
        if (s->groups[i].type == OTF2_GROUP_TYPE_COMM_LOCATIONS)
            s->ranks = &s->groups[i];
    s->n_ranks = s->ranks ? s->ranks->n : 0;
    if (!s->n_ranks || s->n_ranks > TL_MAX_RANKS || !(s->ns_per_tick > 0))
        return damaged(s, s->n_ranks ? "has no clock, or too many ranks" : "has no ranks of MPI");
    for (uint32_t i = 0; i < s->n_ranks; i++) {
        const uint64_t *index = tl_map_find(&s->location_at, s->ranks->members[i]);
        if (!index || s->locations[*index - 1].is_rank)
            return damaged(s, "its ranks have no locations of their own");
        s->locations[*index - 1].is_rank = true;
    }
    return TL_OK;
}

/* The members of a communicator, as ranks. It stays unknown if its group is not one of MPI. */
static tl_status take_members(otf2_source *s, otf2_comm *c)
{
    const otf2_group *g = c->group < s->n_groups ? &s->groups[c->group] : NULL;
    if (!c->is_defined || !g)
        return TL_OK;
    if (g->type == OTF2_GROUP_TYPE_COMM_SELF) {
        c->kind = OTF2_SELF;
        c->n = 1;
    }
    if (g->type != OTF2_GROUP_TYPE_COMM_GROUP || !g->n)
        return TL_OK;
    uint8_t *seen = calloc(s->n_ranks, 1);
    c->members = malloc(g->n * sizeof *c->members);
    if (!c->members || !seen) {
        free(seen);
        return s->status = tl_no_memory(s->err, s->path);
    }
    bool ok = true;
    for (c->n = 0; c->n < g->n && ok; c->n++) {
        const uint64_t member = g->has_locations ? rank_of(s, g->members[c->n]) : g->members[c->n];
        ok = member < s->n_ranks && !seen[member]++;
        c->members[c->n] = (int32_t)member;
    }
    free(seen);
    c->kind = OTF2_OTHER;
    return ok ? TL_OK : damaged(s, "a communicator has members that are no ranks");
}

/* MPI_COMM_WORLD has this name, or is the first one of all ranks. */
static tl_status take_comms(otf2_source *s)
{
    otf2_comm *world = NULL;
    for (size_t i = 0; i < s->n_comms; i++) {
        otf2_comm *c = &s->comms[i];
        TL_TRY(take_members(s, c));
        bool is_world = c->kind == OTF2_OTHER && c->n == s->n_ranks;
        for (uint32_t k = 0; k < c->n && is_world; k++)
            is_world = c->members[k] == (int32_t)k;
        if (is_world && (!world || (c->is_named_world && !world->is_named_world)))
            world = c;
    }
    if (world)
        world->kind = OTF2_WORLD;
    return TL_OK;
}

/* ---- events ---- */

static OTF2_CallbackCode add(otf2_rank *m, OTF2_TimeStamp time, const otf2_record *r)
{
    if (!m->has_begun) {
        m->has_begun = true;
        m->leave = time;
    }
    if (otf2_add(m, r) && !m->s->status)
        m->s->status = m->s->err->status;
    return result(m->s);
}

#define COMMON                                                                                     \
    OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *data,                 \
        OTF2_AttributeList *attributes
#define ADD(...)                                                                                   \
    ((void)location, (void)position, (void)attributes, add(data, time, &(otf2_record){__VA_ARGS__}))

static OTF2_CallbackCode on_send(COMMON, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    return ADD(.kind = OTF2_SEND, .peer = peer, .comm = comm, .tag = tag, .bytes = bytes);
}

static OTF2_CallbackCode on_recv(COMMON, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes)
{
    return ADD(.kind = OTF2_RECV, .peer = peer, .comm = comm, .tag = tag, .bytes = bytes);
}

static OTF2_CallbackCode on_isend(COMMON, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                  uint64_t bytes, uint64_t request)
{
    return ADD(.kind = OTF2_ISEND, .peer = peer, .comm = comm, .tag = tag, .bytes = bytes,
               .request = request);
}

static OTF2_CallbackCode on_received(COMMON, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                     uint64_t bytes, uint64_t request)
{
    return ADD(.kind = OTF2_RECEIVED, .peer = peer, .comm = comm, .tag = tag, .bytes = bytes,
               .request = request);
}

static OTF2_CallbackCode on_collected(COMMON, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                      uint32_t root, uint64_t sent, uint64_t received,
                                      uint64_t request)
{
    return ADD(.kind = OTF2_COLLECTED, .op = op, .comm = comm, .peer = root, .bytes = sent,
               .received_bytes = received, .request = request);
}

static OTF2_CallbackCode on_collective(COMMON, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                       uint32_t root, uint64_t sent, uint64_t received)
{
    return ADD(.kind = OTF2_COLLECTIVE, .op = op, .comm = comm, .peer = root, .bytes = sent,
               .received_bytes = received);
}

static OTF2_CallbackCode on_created(COMMON, OTF2_CommRef comm)
{
    return ADD(.kind = OTF2_CREATED, .comm = comm);
}

#define ON_REQUEST(name, record)                                                                   \
    static OTF2_CallbackCode name(COMMON, uint64_t request)                                        \
    {                                                                                              \
        return ADD(.kind = (record), .request = request);                                          \
    }
ON_REQUEST(on_irecv, OTF2_IRECV)
ON_REQUEST(on_icollective, OTF2_ICOLLECTIVE)
ON_REQUEST(on_sent, OTF2_SENT)
ON_REQUEST(on_cancelled, OTF2_CANCELLED)
ON_REQUEST(on_tested, OTF2_TESTED)

/* Score-P writes the values of counters before each enter and leave. */
static OTF2_CallbackCode on_metric(COMMON, OTF2_MetricRef metric, uint8_t n, const OTF2_Type *types,
                                   const OTF2_MetricValue *values)
{
    otf2_rank *m = data;
    (void)location, (void)time, (void)position, (void)attributes;
    const unsigned place = metric < m->s->n_position ? m->s->position[metric] : 0;
    if (!place || place > n || m->collects)
        return OTF2_CALLBACK_SUCCESS;
    const OTF2_MetricValue *value = &values[place - 1];
    m->counter = types[place - 1] == OTF2_TYPE_DOUBLE  ? value->floating_point
                 : types[place - 1] == OTF2_TYPE_INT64 ? (double)value->signed_int
                                                       : (double)value->unsigned_int;
    if (!m->has_counted)
        m->counter_leave = m->counter;
    m->has_counted = true;
    return OTF2_CALLBACK_SUCCESS;
}

static const tl_call_info *call_at(otf2_rank *m, OTF2_TimeStamp time, OTF2_RegionRef region)
{
    if (!m->has_begun)
        m->leave = time;
    m->has_begun = true;
    return region < m->s->n_regions && !m->collects && !m->is_thread ? m->s->regions[region] : NULL;
}

static OTF2_CallbackCode on_enter(COMMON, OTF2_RegionRef region)
{
    otf2_rank *m = data;
    (void)location, (void)position, (void)attributes;
    const tl_call_info *row = call_at(m, time, region);
    if (!row || m->depth++)
        return OTF2_CALLBACK_SUCCESS;
    const double more = m->s->counts      ? m->counter - m->counter_leave
                        : m->s->volume    ? 0
                        : time > m->leave ? (double)(time - m->leave) * m->s->ns_per_tick
                                          : 0;
    m->row = row;
    m->enter = time;
    if (more > 0)
        m->volume += more * m->s->rate;
    if (m->volume < 1e19)
        return OTF2_CALLBACK_SUCCESS;
    otf2_fail(m, TL_ERR_INPUT, "%s follows on more than 1e19 units of volume", row->name);
    return OTF2_CALLBACK_INTERRUPT;
}

static OTF2_CallbackCode on_leave(COMMON, OTF2_RegionRef region)
{
    otf2_rank *m = data;
    (void)location, (void)position, (void)attributes;
    if (!call_at(m, time, region) || !m->depth || --m->depth)
        return OTF2_CALLBACK_SUCCESS;
    const tl_action action = m->row->action;
    if (action == TL_ACTION_INIT && !m->has_initialised) {
        m->has_initialised = true;
        m->init = time;
    }
    const bool on_entry = action == TL_ACTION_FINALIZE || action == TL_ACTION_ABORT;
    const double tested_ns = m->took_ns;
    const uint64_t now = on_entry ? m->enter : time;
    if (m->has_initialised && now > m->init)
        m->clock_ns = (uint64_t)((double)(now - m->init) * m->s->ns_per_tick);
    if (on_entry)
        m->end = action == TL_ACTION_FINALIZE ? TL_END_FINALIZED : TL_END_ABORTED;
    if (action != TL_ACTION_INIT && !on_entry && time > m->enter)
        m->took_ns += (double)(time - m->enter) * m->s->ns_per_tick;
    if (otf2_make_events(m, m->row) && !m->s->status)
        m->s->status = m->s->err->status;
    if (m->took_ns > tested_ns && action != TL_ACTION_WAIT)
        m->took_ns = tested_ns; /* neither an event nor a failed test: no call has this time */
    m->records.n = 0;
    m->row = NULL;
    m->leave = time;
    m->counter_leave = m->counter;
    return result(m->s);
}

static bool make_callbacks(otf2_source *s)
{
    OTF2_EvtReaderCallbacks *on = s->callbacks = OTF2_EvtReaderCallbacks_New();
    if (!on)
        return false;
    OTF2_EvtReaderCallbacks_SetEnterCallback(on, on_enter);
    OTF2_EvtReaderCallbacks_SetLeaveCallback(on, on_leave);
    OTF2_EvtReaderCallbacks_SetMetricCallback(on, on_metric);
    OTF2_EvtReaderCallbacks_SetMpiSendCallback(on, on_send);
    OTF2_EvtReaderCallbacks_SetMpiRecvCallback(on, on_recv);
    OTF2_EvtReaderCallbacks_SetMpiIsendCallback(on, on_isend);
    OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(on, on_sent);
    OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(on, on_irecv);
    OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(on, on_received);
    OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(on, on_tested);
    OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(on, on_cancelled);
    OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(on, on_collective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(on, on_icollective);
    OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(on, on_collected);
    OTF2_EvtReaderCallbacks_SetCommCreateCallback(on, on_created);
    return true;
}

/* ---- passes ---- */

static tl_status pass(otf2_rank *m, OTF2_LocationRef location)
{
    otf2_source *s = m->s;
    uint64_t n = 0;
    OTF2_EvtReader *reader = OTF2_Reader_GetEvtReader(s->reader, location);
    if (!reader)
        return damaged(s, "the events of a rank cannot be opened");
    OTF2_Reader_RegisterEvtCallbacks(s->reader, reader, s->callbacks, m);
    const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(s->reader, reader, &n);
    OTF2_Reader_CloseEvtReader(s->reader, reader);
    if (!s->status && code != OTF2_SUCCESS)
        return otf2_fail(m, TL_ERR_INPUT, "its events cannot be read: %s; record the run again",
                         OTF2_Error_GetDescription(code));
    return s->status || m->is_thread ? s->status : otf2_end_pass(m);
}

/* Reads a rank twice. Without a writer nothing is written. */
static tl_status read_rank(otf2_source *s, uint32_t rank, tl_writer *w, tl_end_reason *end,
                           uint64_t *clock_ns)
{
    otf2_rank m = {.s = s,
                   .rank = rank,
                   .collects = true,
                   .ids = calloc(s->n_comms + 1, sizeof *m.ids),
                   .places = calloc(s->n_comms + 1, sizeof *m.places),
                   .n_varying = calloc(s->n_comms + 1, sizeof *m.n_varying)};
    tl_status status = m.ids && m.places && m.n_varying ? TL_OK : tl_no_memory(s->err, s->path);
    if (!status)
        status = pass(&m, s->ranks->members[rank]);
    tl_map_free(&m.requests);
    m.requests = (tl_map){0};
    m.collects = m.has_begun = false;
    m.w = w;
    m.end = TL_END_EXITED;
    if (!status)
        status = pass(&m, s->ranks->members[rank]);
    *end = m.end;
    *clock_ns = m.clock_ns;
    tl_map_free(&m.requests);
    tl_buffer_free(&m.list);
    free(m.outcomes.list);
    free(m.records.list);
    free(m.free_ids);
    free(m.ids);
    free(m.places);
    free(m.n_varying);
    return status;
}

/* Other threads may compute, and may not call MPI. */
static tl_status look_at_threads(otf2_source *s)
{
    tl_status status = TL_OK;
    for (size_t i = 0; i < s->n_locations && !status; i++) {
        if (s->locations[i].is_rank || !s->locations[i].is_thread)
            continue;
        otf2_rank m = {.s = s, .is_thread = true};
        for (uint32_t r = 0; r < s->n_ranks; r++) {
            const uint64_t at = *tl_map_find(&s->location_at, s->ranks->members[r]) - 1;
            if (s->locations[at].process == s->locations[i].process)
                m.rank = r;
        }
        s->n_threads++;
        status = pass(&m, s->locations[i].ref);
    }
    return status;
}

static tl_status look(otf2_source *s)
{
    tl_end_reason end;
    uint64_t clock_ns;
    tl_status status = look_at_threads(s);
    for (uint32_t r = 0; r < s->n_ranks && !status; r++)
        status = read_rank(s, r, NULL, &end, &clock_ns);
    if (status || !s->refusals.n)
        return status;
    char text[400] = "";
    size_t length = 0;
    for (size_t i = 0; i < s->refusals.n && length < sizeof text; i++) {
        const tl_refusal *f = &s->refusals.list[i];
        length +=
            (size_t)snprintf(text + length, sizeof text - length,
                             "%s%s%s%s (%" PRIu64 " calls, first by rank %" PRIu32 ")",
                             i ? ", " : "", f->call, *f->why ? " " : "", f->why, f->n, f->rank);
    }
    return tl_fail(
        s->err, TL_ERR_UNSUPPORTED,
        "%s: a trace cannot be made of %.300s; record the program with 'timeless record'", s->path,
        text);
}

static void put_facts(const otf2_source *s, char facts[TL_OTF2_FACTS])
{
    const struct {
        uint64_t n;
        const char *text;
    } all[] = {
        {s->n_shared,
         "calls of MPI_Alltoallv and MPI_Alltoallw have sums only, which were divided in "
         "the proportion in which the ranks receive"},
        {s->n_probes, "probes name no message and were left out"},
        {s->n_lost, "requests never complete and were left out"},
        {s->n_unmade, "communicators are used before a call makes them"},
        {s->n_threads, "other threads compute while the first thread of their rank is not in MPI"},
    };
    *facts = 0;
    for (size_t i = 0, length = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].n && length < TL_OTF2_FACTS)
            length += (size_t)snprintf(facts + length, TL_OTF2_FACTS - length, "%s%s: %" PRIu64,
                                       length ? "; " : "", all[i].text, all[i].n);
}

static const char *host_of(const otf2_source *s, uint32_t rank)
{
    const uint64_t at = *tl_map_find(&s->location_at, s->ranks->members[rank]) - 1;
    const OTF2_LocationGroupRef process = s->locations[at].process;
    const OTF2_SystemTreeNodeRef node =
        process < s->n_processes ? s->processes[process] : UINT32_MAX;
    return node < s->n_nodes ? string(s, s->nodes[node]) : "";
}

static tl_status put_rank(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    otf2_source *s = arg;
    tl_writer *w;
    tl_end_reason end = TL_END_EXITED;
    uint64_t clock_ns = 0;
    TL_TRY(tl_writer_open(out_path, rank, host_of(s, rank), &w, err));
    if (s->call_times)
        tl_writer_keep_times(w);
    tl_status status = read_rank(s, rank, w, &end, &clock_ns);
    return tl_import_close(w, out_path, status, end, clock_ns, err);
}

static tl_status write_trace(otf2_source *s, const char *out_path, const char *facts)
{
    char origin[TL_OTF2_FACTS + 64], source[160];
    snprintf(origin, sizeof origin, "timeless import --from otf2%s%s", *facts ? ": " : "", facts);
    snprintf(source, sizeof source, "import:otf2:%.80s",
             s->counts   ? s->volume
             : s->volume ? "none"
                         : "clock-wall");
    if (s->rate != 1)
        snprintf(source + strlen(source), sizeof source - strlen(source), ", rate %g", s->rate);
    tl_run run = {.n_ranks = s->n_ranks,
                  .volume_unit = !s->volume                           ? "cpu-ns"
                                 : !strcmp(s->volume, "PAPI_TOT_INS") ? "instructions"
                                                                      : s->volume,
                  .volume_source = source,
                  .origin = origin};
    char *program = NULL, *library = NULL; /* a replay takes its collectives */
    if (OTF2_Reader_GetDescription(s->reader, &program) == OTF2_SUCCESS && program)
        run.program = program;
    if (OTF2_Reader_GetProperty(s->reader, "TIMELESS::MPI_LIBRARY", &library) == OTF2_SUCCESS)
        run.mpi_library = library;
    const tl_status status = tl_import_write(out_path, &run, put_rank, s, s->err);
    free(program);
    free(library);
    return status;
}

/* ---- the archive ---- */

/* Reads the tables that translate references of the events to those of the global definitions. */
static tl_status open_ranks(otf2_source *s)
{
    for (size_t i = 0; i < s->n_locations; i++)
        if (s->locations[i].is_thread)
            OTF2_Reader_SelectLocation(s->reader, s->locations[i].ref);
    const bool has_tables = OTF2_Reader_OpenDefFiles(s->reader) == OTF2_SUCCESS;
    if (OTF2_Reader_OpenEvtFiles(s->reader) != OTF2_SUCCESS)
        return damaged(s, "its files of events cannot be opened");
    for (size_t i = 0; i < s->n_locations && has_tables; i++) {
        uint64_t n;
        OTF2_DefReader *reader = s->locations[i].is_thread
                                     ? OTF2_Reader_GetDefReader(s->reader, s->locations[i].ref)
                                     : NULL;
        if (!reader)
            continue;
        const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalDefinitions(s->reader, reader, &n);
        OTF2_Reader_CloseDefReader(s->reader, reader);
        if (code != OTF2_SUCCESS)
            return damaged(s, OTF2_Error_GetDescription(code));
    }
    if (has_tables)
        OTF2_Reader_CloseDefFiles(s->reader);
    return TL_OK;
}

static void free_all(otf2_source *s)
{
    for (size_t i = 0; i < s->n_strings; i++)
        free(s->strings[i]);
    for (size_t i = 0; i < s->n_groups; i++)
        free(s->groups[i].members);
    for (size_t i = 0; i < s->n_comms; i++) {
        free(s->comms[i].members);
        free(s->comms[i].sums);
    }
    free(s->strings);
    free(s->regions);
    free(s->groups);
    free(s->comms);
    free(s->nodes);
    free(s->processes);
    free(s->is_member);
    free(s->position);
    free(s->locations);
    free(s->refusals.list);
    tl_map_free(&s->location_at);
    OTF2_EvtReaderCallbacks_Delete(s->callbacks);
    OTF2_Reader_Close(s->reader);
}

/* OTF2 reads some damaged anchor files without end. A child tries it first, for five seconds. */
static bool is_readable(const char *path)
{
    int end;
    const pid_t child = fork();
    if (child == 0) {
        signal(SIGALRM, SIG_DFL);
        alarm(5);
        _exit(OTF2_Reader_Open(path) ? 0 : 1);
    }
    return child < 0 || (waitpid(child, &end, 0) == child && WIFEXITED(end) && !WEXITSTATUS(end));
}

static tl_status read_all(otf2_source *s)
{
    const bool is_other = s->volume && strcmp(s->volume, "none") != 0;
    s->reader = is_readable(s->path) ? OTF2_Reader_Open(s->path) : NULL;
    if (!s->reader || OTF2_Reader_SetSerialCollectiveCallbacks(s->reader) != OTF2_SUCCESS)
        return damaged(s, "is no OTF2 archive, or damaged");
    if (!make_callbacks(s))
        return tl_no_memory(s->err, s->path);
    TL_TRY(read_definitions(s));
    if (is_other && !s->counts)
        return tl_fail(s->err, TL_ERR_INPUT, "%s: has no counter '%.40s'; choose another --volume",
                       s->path, s->volume);
    TL_TRY(take_ranks(s));
    TL_TRY(take_comms(s));
    TL_TRY(open_ranks(s));
    return look(s);
}

tl_status tl_import_otf2(const char *path, const tl_dumpi_options *options, const char *out_path,
                         char facts[TL_OTF2_FACTS], tl_error *err)
{
    FILE *anchor;
    const char *volume = options->volume;
    otf2_source s = {.path = path,
                     .volume = volume && strcmp(volume, "wall") != 0 ? volume : NULL,
                     .rate = options->rate,
                     .call_times = options->call_times != 0,
                     .err = err};
    *facts = 0;
    TL_TRY(tl_import_open(path, &anchor, err));
    fclose(anchor);
    OTF2_Error_RegisterCallback(be_silent, NULL);
    tl_status status = read_all(&s);
    if (!status) {
        put_facts(&s, facts);
        status = write_trace(&s, out_path, facts);
    }
    free_all(&s);
    return status;
}
