/* paraver.c - a timeline for Paraver: .prv with states, calls and messages; .pcf and .row with the
 * names. The format is that of Paraver's page "Trace generation": numbers count from 1, times are
 * nanoseconds, records are in the order of time. */
#include "config.h"

#include "paraver.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* The event type of the calls. Its values are the codes of timeless.h, 0 for computation. */
enum { CALL_TYPE = 50100001 };
/* Paraver's own states. */
enum {
    PRV_RUNNING = 1,
    PRV_RECEIVE = 3,
    PRV_SEND = 4,
    PRV_WAIT = 8,
    PRV_IO = 12,
    PRV_COLLECTIVE = 13,
    PRV_OTHER = 15
};

typedef struct host {
    const char *name;
    uint32_t n_ranks, next_cpu;
} host;

/* The ranks of all jobs, numbered one after the other, and their hosts. Each rank has a CPU of its
 * own; the CPUs of a host follow each other. */
typedef struct places {
    uint32_t n_ranks, n_hosts;
    host *hosts;
    struct {
        uint32_t host, cpu; /* cpu: from 1 */
    } * ranks;
    uint32_t *first_of; /* rank of each job */
} places;

typedef struct record {
    int64_t at_ns;
    size_t state;
    bool is_message;
} record;

static void places_free(places *p)
{
    free(p->hosts);
    free(p->ranks);
    free(p->first_of);
}

/* The host of that name, a new one if there is none; NULL: a new one in any case. */
static uint32_t find_host(places *p, const char *name, uint32_t near)
{
    if (name && p->n_hosts && p->hosts[near].name && !strcmp(p->hosts[near].name, name))
        return near;
    for (uint32_t h = 0; name && h < p->n_hosts; h++)
        if (p->hosts[h].name && !strcmp(p->hosts[h].name, name))
            return h;
    p->hosts[p->n_hosts].name = name;
    return p->n_hosts++;
}

static tl_status find_places(tlr_prediction *const *predictions, size_t n_jobs, places *p,
                             tl_error *err)
{
    *p = (places){.first_of = calloc(n_jobs + 1, sizeof *p->first_of)};
    for (size_t j = 0; j < n_jobs && p->first_of; j++) {
        p->first_of[j] = p->n_ranks;
        p->n_ranks += predictions[j]->n_ranks;
    }
    p->hosts = calloc(p->n_ranks + 1u, sizeof *p->hosts);
    p->ranks = calloc(p->n_ranks + 1u, sizeof *p->ranks);
    if (!p->first_of || !p->hosts || !p->ranks)
        return tl_no_memory(err, "timeline");
    uint32_t rank = 0, cpu = 1;
    for (size_t j = 0; j < n_jobs; j++)
        for (uint32_t r = 0; r < predictions[j]->n_ranks; r++, rank++) {
            p->ranks[rank].host =
                find_host(p, predictions[j]->ranks[r].host, rank ? p->ranks[rank - 1].host : 0);
            p->hosts[p->ranks[rank].host].n_ranks++;
        }
    for (uint32_t h = 0; h < p->n_hosts; cpu += p->hosts[h++].n_ranks)
        p->hosts[h].next_cpu = cpu;
    for (rank = 0; rank < p->n_ranks; rank++)
        p->ranks[rank].cpu = p->hosts[p->ranks[rank].host].next_cpu++;
    return TL_OK;
}

/* ---- .prv ---- */

static int64_t to_ns(double seconds)
{
    return (int64_t)llround(1e9 * seconds);
}

static int prv_state(const tlr_state *s)
{
    switch (s->kind) {
    case TLR_STATE_COMPUTE:
    case TLR_STATE_KERNEL: return PRV_RUNNING;
    case TLR_STATE_SEND: return PRV_SEND;
    case TLR_STATE_RECEIVE: return PRV_RECEIVE;
    case TLR_STATE_WAIT: return PRV_WAIT;
    case TLR_STATE_COLLECTIVE: return PRV_COLLECTIVE;
    case TLR_STATE_IO: return PRV_IO;
    default: return PRV_OTHER;
    }
}

static void put_place(FILE *out, const places *p, uint32_t job, uint32_t rank)
{
    fprintf(out, ":%" PRIu32 ":%" PRIu32 ":%" PRIu32 ":1", p->ranks[p->first_of[job] + rank].cpu,
            job + 1, rank + 1);
}

static void put_header(FILE *out, tlr_prediction *const *predictions, size_t n_jobs,
                       const places *p, int64_t end_ns)
{
    /* The date is always the same, as are the bytes of the file for the same replay. */
    fprintf(out, "#Paraver (01/01/2000 at 00:00):%" PRId64 "_ns:%" PRIu32 "(", end_ns, p->n_hosts);
    for (uint32_t h = 0; h < p->n_hosts; h++)
        fprintf(out, "%s%" PRIu32, h ? "," : "", p->hosts[h].n_ranks);
    fprintf(out, "):%zu", n_jobs);
    for (size_t j = 0; j < n_jobs; j++) {
        fprintf(out, ":%" PRIu32 "(", predictions[j]->n_ranks);
        for (uint32_t r = 0; r < predictions[j]->n_ranks; r++)
            fprintf(out, "%s1:%" PRIu32, r ? "," : "", p->ranks[p->first_of[j] + r].host + 1);
        fputc(')', out);
    }
    fputc('\n', out);
}

static int compare_records(const void *a, const void *b)
{
    const record *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    if (x->state != y->state)
        return x->state < y->state ? -1 : 1;
    return x->is_message - y->is_message;
}

static void put_record(FILE *out, const places *p, const tlr_job *jobs, const tlr_state *s,
                       const record *r)
{
    const double start_s = jobs[s->job].start_s;
    const int64_t begin_ns = to_ns(start_s + s->begin_s), end_ns = to_ns(start_s + s->end_s);
    if (r->is_message) {
        fputc('3', out);
        put_place(out, p, s->job, (uint32_t)s->cause_rank);
        fprintf(out, ":%" PRId64 ":%" PRId64, r->at_ns, r->at_ns);
        put_place(out, p, s->job, s->rank);
        fprintf(out, ":%" PRId64 ":%" PRId64 ":%" PRId64 ":%" PRId32 "\n", begin_ns, end_ns,
                s->bytes, s->tag > 0 ? s->tag : 0);
        return;
    }
    fputc('1', out);
    put_place(out, p, s->job, s->rank);
    fprintf(out, ":%" PRId64 ":%" PRId64 ":%d\n2", begin_ns, end_ns, prv_state(s));
    put_place(out, p, s->job, s->rank);
    fprintf(out, ":%" PRId64 ":%d:%u\n", begin_ns, CALL_TYPE, (unsigned)s->call);
}

tl_status tlr_paraver_write(const tlr_state *states, size_t n, const tlr_job *jobs,
                            tlr_prediction *const *predictions, size_t n_jobs, FILE *out,
                            tl_error *err)
{
    places p;
    record *records = calloc(2 * n + 1, sizeof *records);
    size_t n_records = 0;
    int64_t end_ns = 0;
    tl_status status = find_places(predictions, n_jobs, &p, err);
    if (status == TL_OK && !records)
        status = tl_no_memory(err, "timeline");
    if (status != TL_OK)
        goto cleanup;
    for (size_t i = 0; i < n; i++) {
        const tlr_state *s = &states[i];
        const double start_s = jobs[s->job].start_s;
        const int64_t begins_ns = to_ns(start_s + s->begin_s), ends_ns = to_ns(start_s + s->end_s);
        end_ns = ends_ns > end_ns ? ends_ns : end_ns;
        if (ends_ns > begins_ns)
            records[n_records++] = (record){begins_ns, i, 0};
        if (tlr_state_has_arrow(s))
            records[n_records++] = (record){to_ns(start_s + s->cause_s), i, 1};
    }
    qsort(records, n_records, sizeof *records, compare_records);
    put_header(out, predictions, n_jobs, &p, end_ns);
    for (size_t i = 0; i < n_records; i++)
        put_record(out, &p, jobs, &states[records[i].state], &records[i]);
cleanup:
    free(records);
    places_free(&p);
    return status;
}

/* ---- .pcf, .row ---- */

static void put_pcf(FILE *out)
{
    static const char *const names[] = {"Idle",
                                        "Running",
                                        "Not created",
                                        "Waiting a message",
                                        "Blocked",
                                        "Synchronization",
                                        "Test/Probe",
                                        "Scheduling and Fork/Join",
                                        "Wait/WaitAll",
                                        "Blocked",
                                        "Immediate Send",
                                        "Immediate Receive",
                                        "I/O",
                                        "Group Communication",
                                        "Tracing Disabled",
                                        "Others"};
    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\n\n", out);
    fputs("STATES\n", out);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, "%zu    %s\n", i, i == PRV_SEND ? "Blocking Send" : names[i]);
    fprintf(out, "\n\nEVENT_TYPE\n0    %d    Call\nVALUES\n0      computation\n", CALL_TYPE);
    for (unsigned code = 1; code < TL_CALL_LIMIT; code++) {
        const tl_call_info *info = tl_call_by_code(code);
        if (info && info->code == code)
            fprintf(out, "%u      %s\n", code, info->name);
    }
    fputc('\n', out);
}

/* A rank without a host has a node to itself. */
static const char *host_name(const places *p, uint32_t h)
{
    return p->hosts[h].name ? tl_printable(p->hosts[h].name) : "node";
}

static void put_row(FILE *out, const places *p, tlr_prediction *const *predictions, size_t n_jobs)
{
    fprintf(out, "LEVEL CPU SIZE %" PRIu32 "\n", p->n_ranks);
    for (uint32_t h = 0; h < p->n_hosts; h++)
        for (uint32_t i = 1; i <= p->hosts[h].n_ranks; i++)
            fprintf(out, "%" PRIu32 ".%s\n", i, host_name(p, h));
    fprintf(out, "\nLEVEL NODE SIZE %" PRIu32 "\n", p->n_hosts);
    for (uint32_t h = 0; h < p->n_hosts; h++)
        fprintf(out, "%s\n", host_name(p, h));
    fprintf(out, "\nLEVEL THREAD SIZE %" PRIu32 "\n", p->n_ranks);
    for (size_t j = 0; j < n_jobs; j++)
        for (uint32_t r = 0; r < predictions[j]->n_ranks; r++)
            fprintf(out, "THREAD %zu.%" PRIu32 ".1\n", j + 1, r + 1);
}

tl_status tlr_paraver_write_names(const char *path, tlr_prediction *const *predictions,
                                  size_t n_jobs, tl_error *err)
{
    static const char *const ends[] = {"pcf", "row"};
    const char *dot = strrchr(path, '.');
    places p;
    tl_status status = find_places(predictions, n_jobs, &p, err);
    for (int i = 0; i < 2 && status == TL_OK; i++) {
        char *name = NULL;
        if (asprintf(&name, "%.*s.%s", (int)(dot ? dot - path : (ptrdiff_t)strlen(path)), path,
                     ends[i]) < 0) {
            status = tl_no_memory(err, "timeline");
            break;
        }
        tl_output out;
        status = tl_output_open(name, &out, err);
        if (status == TL_OK && i == 0)
            put_pcf(out.file);
        else if (status == TL_OK)
            put_row(out.file, &p, predictions, n_jobs);
        status = tl_output_close(&out, name, status, err);
        free(name);
    }
    places_free(&p);
    return status;
}
