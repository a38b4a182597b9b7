/* otf2_archive.c - an OTF2 archive: its files, and the definitions that its events use. */
#include "config.h"

#include "actions.h"
#include "otf2.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ARCHIVE "trace"
enum { EVENT_CHUNK_BYTES = 1 << 20, DEFINITION_CHUNK_BYTES = 4 << 20, TICKS_PER_S = 1000000000 };
enum { GROUP_LOCATIONS, GROUP_SELF, GROUP_FIRST };

/* ---- files ---- */

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}

/* Prevents OTF2 from printing its errors. */
static OTF2_ErrorCode be_silent(void *data, const char *file, uint64_t line, const char *function,
                                OTF2_ErrorCode code, const char *format, va_list arguments)
{
    (void)data, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

/* All that has been written. */
static void remove_archive(const char *folder, uint32_t n_ranks)
{
    char path[PATH_MAX];
    for (uint32_t r = 0; r < n_ranks; r++) {
        snprintf(path, sizeof path, "%s/" ARCHIVE "/%" PRIu32 ".evt", folder, r);
        unlink(path);
        snprintf(path, sizeof path, "%s/" ARCHIVE "/%" PRIu32 ".def", folder, r);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/" ARCHIVE, folder);
    rmdir(path);
    snprintf(path, sizeof path, "%s/" ARCHIVE ".def", folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/" ARCHIVE ".otf2", folder);
    unlink(path);
    rmdir(folder);
}

/* ---- definitions ---- */

/* The current definition, and the number of strings so far. */
typedef struct definer {
    const otf2_export *x;
    OTF2_GlobalDefWriter *writer;
    OTF2_ErrorCode code;
    OTF2_StringRef n_strings;
} definer;

#define DEFINE(d, ...)                                                                             \
    do {                                                                                           \
        if ((d)->code == OTF2_SUCCESS)                                                             \
            (d)->code = (__VA_ARGS__);                                                             \
    } while (0)

static OTF2_StringRef string(definer *d, const char *text)
{
    DEFINE(d, OTF2_GlobalDefWriter_WriteString(d->writer, d->n_strings, text));
    return d->n_strings++;
}

static OTF2_RegionRole role_of(const tl_call_info *row)
{
    if (!row)
        return OTF2_REGION_ROLE_FUNCTION;
    const tl_meaning *m = tl_meaning_of(row->action);
    if (tl_is_message(row->action) || m->kind == TL_KIND_REQUEST)
        return OTF2_REGION_ROLE_POINT2POINT;
    if (m->kind != TL_KIND_COLLECTIVE || tl_is_nonblocking(row->action))
        return OTF2_REGION_ROLE_FUNCTION;
    switch (m->needs) {
    case TL_NEEDS_ROOT: return OTF2_REGION_ROLE_COLL_ONE2ALL;
    case TL_NEEDS_ALL_AT_ROOT: return OTF2_REGION_ROLE_COLL_ALL2ONE;
    case TL_NEEDS_LOWER: return OTF2_REGION_ROLE_COLL_OTHER;
    default:
        return tl_moves_data(row->action) ? OTF2_REGION_ROLE_COLL_ALL2ALL
                                          : OTF2_REGION_ROLE_BARRIER;
    }
}

static void define_regions(definer *d, OTF2_StringRef empty)
{
    for (size_t i = 0; i < d->x->n_regions; i++) {
        const otf2_region *region = &d->x->regions[i];
        const bool is_mpi = region->row && region->row->action != TL_ACTION_KERNEL;
        const OTF2_StringRef name = string(d, region->name);
        DEFINE(d, OTF2_GlobalDefWriter_WriteRegion(d->writer, (OTF2_RegionRef)i, name, name, empty,
                                                   role_of(region->row),
                                                   is_mpi ? OTF2_PARADIGM_MPI : OTF2_PARADIGM_USER,
                                                   OTF2_REGION_FLAG_NONE, empty, 0, 0));
    }
}

static const char *host_of(const otf2_export *x, uint32_t rank)
{
    tl_rank_summary summary;
    return tl_reader_rank(x->trace, rank, &summary) == TL_OK ? summary.host : "";
}

/* Defines the machine, its hosts, and the ranks on them. Consecutive ranks on one host share its
 * node. */
static void define_places(definer *d, const uint64_t *n_events)
{
    const otf2_export *x = d->x;
    const OTF2_StringRef machine = string(d, "machine"), node = string(d, "node");
    OTF2_SystemTreeNodeRef host = 0;
    DEFINE(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, host, machine, machine,
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    for (uint32_t r = 0; r < x->plan->n_ranks; r++) {
        const char *name = host_of(x, r);
        if (!r || strcmp(name, host_of(x, r - 1)) != 0)
            DEFINE(d, OTF2_GlobalDefWriter_WriteSystemTreeNode(d->writer, ++host, string(d, name),
                                                               node, 0));
        char text[32];
        snprintf(text, sizeof text, "rank %" PRIu32, r);
        const OTF2_StringRef rank = string(d, text);
        DEFINE(d, OTF2_GlobalDefWriter_WriteLocationGroup(d->writer, r, rank,
                                                          OTF2_LOCATION_GROUP_TYPE_PROCESS, host,
                                                          OTF2_UNDEFINED_LOCATION_GROUP));
        DEFINE(d, OTF2_GlobalDefWriter_WriteLocation(
                      d->writer, r, rank, OTF2_LOCATION_TYPE_CPU_THREAD, n_events[r], r));
    }
}

static void define_group(definer *d, OTF2_GroupRef group, OTF2_GroupType type, OTF2_StringRef name,
                         uint32_t n, const int32_t *members)
{
    uint64_t *all = malloc(((size_t)n + 1) * sizeof *all);
    if (!all) {
        d->code = OTF2_ERROR_MEM_ALLOC_FAILED;
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        all[i] = (uint64_t)members[i];
    DEFINE(d, OTF2_GlobalDefWriter_WriteGroup(d->writer, group, name, type, OTF2_PARADIGM_MPI,
                                              OTF2_GROUP_FLAG_NONE, n, all));
    free(all);
}

/* The communicator from which it was made, if the archive defines it first. */
static OTF2_CommRef parent_of(const otf2_export *x, size_t comm)
{
    const int32_t parent = x->plan->comms[comm].parent;
    return comm && parent >= 0 && x->comm_use[parent] ? (OTF2_CommRef)parent : OTF2_UNDEFINED_COMM;
}

/* Defines only those that an event uses. */
static void define_comms(definer *d, OTF2_StringRef empty)
{
    const tlr_plan *plan = d->x->plan;
    define_group(d, GROUP_LOCATIONS, OTF2_GROUP_TYPE_COMM_LOCATIONS, empty, plan->n_ranks,
                 plan->world);
    define_group(d, GROUP_SELF, OTF2_GROUP_TYPE_COMM_SELF, empty, 0, NULL);
    for (size_t i = 0; i < plan->n_comms; i++) {
        const tlr_plan_comm *comm = &plan->comms[i];
        const OTF2_GroupRef group = GROUP_FIRST + (OTF2_GroupRef)i;
        char name[48];
        if (!d->x->comm_use[i])
            continue;
        snprintf(name, sizeof name, "communicator %zu", i);
        define_group(d, group, OTF2_GROUP_TYPE_COMM_GROUP, empty, comm->n_members, comm->members);
        DEFINE(d, OTF2_GlobalDefWriter_WriteComm(
                      d->writer, (OTF2_CommRef)i, string(d, i ? name : "MPI_COMM_WORLD"), group,
                      parent_of(d->x, i),
                      d->x->comm_use[i] == OTF2_IS_MADE ? OTF2_COMM_FLAG_CREATE_DESTROY_EVENTS
                                                        : OTF2_COMM_FLAG_NONE));
    }
    if (d->x->comm_use[plan->n_comms])
        DEFINE(d, OTF2_GlobalDefWriter_WriteComm(d->writer, (OTF2_CommRef)plan->n_comms,
                                                 string(d, "MPI_COMM_SELF"), GROUP_SELF,
                                                 OTF2_UNDEFINED_COMM, OTF2_COMM_FLAG_NONE));
}

static OTF2_ErrorCode define_all(const otf2_export *x, OTF2_Archive *archive,
                                 const uint64_t *n_events)
{
    definer d = {.x = x, .writer = OTF2_Archive_GetGlobalDefWriter(archive)};
    if (!d.writer)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    d.code = OTF2_GlobalDefWriter_WriteClockProperties(d.writer, TICKS_PER_S, 0, x->longest_ns,
                                                       OTF2_UNDEFINED_TIMESTAMP);
    const OTF2_StringRef empty = string(&d, ""), mpi = string(&d, "MPI");
    DEFINE(&d, OTF2_GlobalDefWriter_WriteParadigm(d.writer, OTF2_PARADIGM_MPI, mpi,
                                                  OTF2_PARADIGM_CLASS_PROCESS));
    define_places(&d, n_events);
    define_regions(&d, empty);
    define_comms(&d, empty);
    return d.code;
}

/* ---- the archive ---- */

static tl_status write_events(otf2_export *x, OTF2_Archive *archive, uint64_t *n_events,
                              OTF2_ErrorCode *code, tl_error *err)
{
    tl_status status = TL_OK;
    for (uint32_t r = 0; r < x->plan->n_ranks && status == TL_OK && *code == OTF2_SUCCESS; r++) {
        x->writer = OTF2_Archive_GetEvtWriter(archive, r);
        if (!x->writer) {
            *code = OTF2_ERROR_MEM_ALLOC_FAILED;
            break;
        }
        status = otf2_play_rank(x, r, err);
        *code = x->code;
        OTF2_EvtWriter_GetNumberOfEvents(x->writer, &n_events[r]);
        const OTF2_ErrorCode closed = OTF2_Archive_CloseEvtWriter(archive, x->writer);
        if (*code == OTF2_SUCCESS)
            *code = closed;
    }
    return status;
}

/* Readers require a file of definitions for each rank, even an empty one. */
static OTF2_ErrorCode write_local_definitions(OTF2_Archive *archive, uint32_t n_ranks)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive);
    for (uint32_t r = 0; r < n_ranks && code == OTF2_SUCCESS; r++) {
        OTF2_DefWriter *writer = OTF2_Archive_GetDefWriter(archive, r);
        code = writer ? OTF2_Archive_CloseDefWriter(archive, writer) : OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseDefFiles(archive) : code;
}

static tl_status write_archive(otf2_export *x, const char *folder, tl_error *err)
{
    static const OTF2_FlushCallbacks flushes = {.otf2_pre_flush = flush};
    uint64_t *n_events = calloc(x->plan->n_ranks, sizeof *n_events);
    if (!n_events)
        return tl_no_memory(err, "the command");
    if (mkdir(folder, 0777)) {
        free(n_events);
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be created: %s; give a new folder", folder,
                       strerror(errno));
    }
    OTF2_Error_RegisterCallback(be_silent, NULL);
    tl_status status = TL_OK;
    OTF2_ErrorCode code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    OTF2_Archive *archive =
        OTF2_Archive_Open(folder, ARCHIVE, OTF2_FILEMODE_WRITE, EVENT_CHUNK_BYTES,
                          DEFINITION_CHUNK_BYTES, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive) {
        OTF2_Archive_SetFlushCallbacks(archive, &flushes, NULL);
        OTF2_Archive_SetSerialCollectiveCallbacks(archive);
        OTF2_Archive_SetCreator(archive, tl_reader_run(x->trace)->writer);
        OTF2_Archive_SetDescription(archive, tl_reader_run(x->trace)->program);
        const char *library = tl_reader_run(x->trace)->mpi_library;
        if (library && *library)
            OTF2_Archive_SetProperty(archive, "TIMELESS::MPI_LIBRARY", library, true);
        code = OTF2_Archive_OpenEvtFiles(archive);
        if (code == OTF2_SUCCESS)
            status = write_events(x, archive, n_events, &code, err);
        if (status == TL_OK && code == OTF2_SUCCESS)
            code = OTF2_Archive_CloseEvtFiles(archive);
        if (status == TL_OK && code == OTF2_SUCCESS)
            code = write_local_definitions(archive, x->plan->n_ranks);
        if (status == TL_OK && code == OTF2_SUCCESS)
            code = define_all(x, archive, n_events);
        const OTF2_ErrorCode closed = OTF2_Archive_Close(archive);
        if (code == OTF2_SUCCESS)
            code = closed;
    }
    if (status == TL_OK && code != OTF2_SUCCESS)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: OTF2: %s", folder,
                         OTF2_Error_GetDescription(code));
    if (status != TL_OK)
        remove_archive(folder, x->plan->n_ranks);
    free(n_events);
    return status;
}

/* ---- the export ---- */

static tl_status look(otf2_export *x, tl_error *err)
{
    if (!tl_reader_complete(x->trace))
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: is not complete, and OTF2 cannot express this; record the run again",
                       tl_reader_path(x->trace));
    for (uint32_t r = 0; r < x->plan->n_ranks; r++)
        TL_TRY(otf2_play_rank(x, r, err));
    return tl_refusals_report(&x->refusals, tl_reader_path(x->trace), "the export to OTF2", err);
}

tl_status tlr_export_otf2(tl_reader *trace, const tl_rates *rates, const char *folder,
                          tl_error *err)
{
    otf2_export x = {.trace = trace, .rates = rates};
    TL_TRY(tlr_plan_make_comms(trace, &x.plan, err));
    tl_status status = TL_OK;
    x.comm_use = calloc(x.plan->n_comms + 1, sizeof *x.comm_use);
    x.regions = malloc(sizeof *x.regions);
    if (!x.comm_use || !x.regions) {
        status = tl_no_memory(err, "the command");
        goto cleanup;
    }
    const char *program = tl_reader_run(trace)->program;
    x.regions[0] = (otf2_region){*program ? program : "program", NULL};
    x.n_regions = x.regions_room = 1;
    x.comm_use[TLR_PLAN_WORLD] = OTF2_IS_USED;
    status = look(&x, err);
    if (status == TL_OK)
        status = write_archive(&x, folder, err);
cleanup:
    free(x.comm_use);
    free(x.regions);
    free(x.refusals.list);
    free(x.requests);
    tlr_plan_free(x.plan);
    return status;
}
