/* timeline_write.c - a timeline as CSV, as Chrome's trace events, and as a Paje trace. */
#include "config.h"

#include "json_text.h"
#include "paraver.h"
#include "timeline.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

typedef struct writing {
    const tlr_job *jobs;
    tlr_prediction *const *predictions;
    size_t n_jobs;
    const tlr_state *states;
    size_t n;
    FILE *out;
} writing;

tl_status tlr_timeline_format_of(const char *path, tlr_timeline_format *out, tl_error *err)
{
    static const struct {
        const char *end;
        tlr_timeline_format format;
    } formats[] = {{".csv", TLR_TIMELINE_CSV},     {".json", TLR_TIMELINE_CHROME},
                   {".paje", TLR_TIMELINE_PAJE},   {".pdf", TLR_TIMELINE_PICTURE},
                   {".png", TLR_TIMELINE_PICTURE}, {".prv", TLR_TIMELINE_PARAVER},
                   {".svg", TLR_TIMELINE_PICTURE}, {".trace", TLR_TIMELINE_PAJE}};
    const char *end = strrchr(path, '.');
    for (size_t i = 0; end && i < sizeof formats / sizeof *formats; i++)
        if (!strcmp(end, formats[i].end)) {
            *out = formats[i].format;
            return TL_OK;
        }
    return tl_fail(err, TL_ERR_USAGE,
                   "'%s': a timeline ends in .csv, .json (Perfetto, Chrome), .paje (ViTE, "
                   "pajeng), .prv (Paraver), or .svg, .pdf or .png (a picture)",
                   path);
}

static const char *name_of(const writing *w, const tlr_state *s)
{
    return tlr_state_name(s, w->jobs[s->job].trace);
}

static void site_of(const writing *w, const tlr_state *s, char *text, size_t size)
{
    text[0] = '\0';
    if (s->site)
        tl_site_name(w->jobs[s->job].trace, s->rank, s->site, text, size);
}

static void write_csv(const writing *w)
{
    char site[TLR_SITE_BYTES];
    fputs("job,rank,begin_s,end_s,state,call,site,bytes,peer,communicator,wait,wait_s\n", w->out);
    for (size_t i = 0; i < w->n; i++) {
        const tlr_state *s = &w->states[i];
        fprintf(w->out, "%" PRIu32 ",%" PRIu32 ",%.17g,%.17g,%s,", s->job, s->rank, s->begin_s,
                s->end_s, tlr_state_kind_name(s->kind));
        tl_put_csv(w->out, name_of(w, s), 1);
        fputc(',', w->out);
        site_of(w, s, site, sizeof site);
        tl_put_csv(w->out, site, 1);
        fprintf(w->out, ",%" PRId64 ",", s->bytes);
        if (s->peer >= 0)
            fprintf(w->out, "%" PRId32, s->peer);
        fputc(',', w->out);
        if (s->comm)
            fprintf(w->out, "%" PRIu32, s->comm - 1);
        fprintf(w->out, ",%s,%.17g\n", s->wait_s > 0 ? tlr_wait_name(s->wait) : "", s->wait_s);
    }
}

/* ---- Chrome ---- */

/* Writes one event of the list. Its numbers are microseconds. */
static int dump_event(const writing *w, json_t *event, bool is_first)
{
    fputs(is_first ? "\n" : ",\n", w->out);
    const int failed =
        !event || json_dumpf(event, w->out, JSON_COMPACT | JSON_REAL_PRECISION(17)) != 0;
    json_decref(event);
    return failed;
}

static json_t *chrome_state(const writing *w, const tlr_state *s)
{
    char site[TLR_SITE_BYTES];
    site_of(w, s, site, sizeof site);
    const double start_s = w->jobs[s->job].start_s;
    json_t *args = json_object();
    if (site[0])
        json_object_set_new(args, "site", tlr_json_text(site));
    if (s->bytes)
        json_object_set_new(args, "bytes", json_integer(s->bytes));
    if (s->peer >= 0)
        json_object_set_new(args, "peer", json_integer(s->peer));
    if (s->comm)
        json_object_set_new(args, "communicator", json_integer((json_int_t)s->comm - 1));
    if (s->wait_s > 0)
        json_object_set_new(args, tlr_wait_name(s->wait), json_real(s->wait_s));
    return json_pack(
        "{s:s, s:o, s:s, s:I, s:I, s:f, s:f, s:o}", "ph", "X", "name", tlr_json_text(name_of(w, s)),
        "cat", tlr_state_kind_name(s->kind), "pid", (json_int_t)s->job, "tid", (json_int_t)s->rank,
        "ts", 1e6 * (start_s + s->begin_s), "dur", 1e6 * (s->end_s - s->begin_s), "args", args);
}

bool tlr_state_has_arrow(const tlr_state *s)
{
    return s->cause_rank >= 0 && (uint32_t)s->cause_rank != s->rank && s->end_s > s->begin_s &&
           s->cause_s <= s->end_s &&
           (s->kind == TLR_STATE_RECEIVE || s->kind == TLR_STATE_WAIT || s->kind == TLR_STATE_SEND);
}

/* One end of an arrow. It belongs to the state of the rank at this time. */
static json_t *chrome_arrow(const writing *w, const tlr_state *s, size_t id, bool is_begin)
{
    const double start_s = w->jobs[s->job].start_s;
    /* The end of the call is the beginning of the next state. */
    const double end_s = fmax(s->begin_s, s->end_s - 1e-3 * (s->end_s - s->begin_s));
    json_t *event =
        json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:f}", "ph", is_begin ? "s" : "f", "name",
                  "message", "cat", "message", "id", (json_int_t)id, "pid", (json_int_t)s->job,
                  "tid", (json_int_t)(is_begin ? (uint32_t)s->cause_rank : s->rank), "ts",
                  1e6 * (start_s + (is_begin ? s->cause_s : end_s)));
    if (!is_begin)
        json_object_set_new(event, "bp", json_string("e"));
    return event;
}

static int write_chrome(const writing *w)
{
    int failed = 0, is_first = 1;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", w->out);
    for (size_t j = 0; j < w->n_jobs; j++) {
        const tlr_prediction *p = w->predictions[j];
        failed |=
            dump_event(w,
                       json_pack("{s:s, s:s, s:I, s:{s:o}}", "ph", "M", "name", "process_name",
                                 "pid", (json_int_t)j, "args", "name", tlr_json_text(p->command)),
                       is_first);
        is_first = 0;
        for (uint32_t r = 0; r < p->n_ranks; r++) {
            char name[300];
            if (p->ranks[r].host)
                snprintf(name, sizeof name, "rank %" PRIu32 " (%s)", r, p->ranks[r].host);
            else
                snprintf(name, sizeof name, "rank %" PRIu32, r);
            failed |= dump_event(w,
                                 json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name",
                                           "thread_name", "pid", (json_int_t)j, "tid",
                                           (json_int_t)r, "args", "name", tlr_json_text(name)),
                                 0);
        }
    }
    for (size_t i = 0; i < w->n; i++)
        failed |= dump_event(w, chrome_state(w, &w->states[i]), 0);
    for (size_t i = 0; i < w->n; i++)
        for (int is_begin = 1; is_begin >= 0 && tlr_state_has_arrow(&w->states[i]); is_begin--)
            failed |= dump_event(w, chrome_arrow(w, &w->states[i], i, is_begin), 0);
    fputs("\n]}\n", w->out);
    return failed;
}

/* ---- Paje ---- */

static const char paje_header[] =
    "%EventDef PajeDefineContainerType 0\n"
    "%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n"
    "%  Alias string\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 2\n"
    "%  Alias string\n%  Type string\n%  Name string\n%  Color color\n"
    "%EndEventDef\n"
    "%EventDef PajeCreateContainer 3\n"
    "%  Time date\n%  Alias string\n%  Type string\n"
    "%  Container string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 4\n"
    "%  Time date\n%  Type string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeSetState 5\n"
    "%  Time date\n%  Type string\n%  Container string\n"
    "%  Value string\n%  Call string\n"
    "%EndEventDef\n"
    "%EventDef PajeDefineLinkType 6\n"
    "%  Alias string\n%  Type string\n%  StartContainerType string\n"
    "%  EndContainerType string\n%  Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeStartLink 7\n"
    "%  Time date\n%  Type string\n%  Container string\n"
    "%  StartContainer string\n%  Value string\n%  Key string\n%  Bytes int\n"
    "%EndEventDef\n"
    "%EventDef PajeEndLink 8\n"
    "%  Time date\n%  Type string\n%  Container string\n"
    "%  EndContainer string\n%  Value string\n%  Key string\n%  Bytes int\n"
    "%EndEventDef\n"
    "0 JOB 0 \"job\"\n"
    "0 RANK JOB \"rank\"\n"
    "1 STATE RANK \"state\"\n"
    "6 LINK JOB RANK RANK \"message\"\n";

/* What happens at a moment, in this order. */
typedef enum paje_kind { PAJE_STATE, PAJE_LINK_BEGIN, PAJE_LINK_END, PAJE_RANK_END } paje_kind;

typedef struct paje_event {
    double at_s;
    size_t index; /* of the state */
    uint32_t job, rank;
    paje_kind kind;
} paje_event;

static int compare_events(const void *a, const void *b)
{
    const paje_event *x = a, *y = b;
    if (x->at_s != y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->index != y->index)
        return x->index < y->index ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return x->rank < y->rank ? -1 : x->rank > y->rank;
}

/* The events of all ranks in the order of time, as the format requires. NULL without memory. */
static paje_event *collect_events(const writing *w, size_t *n)
{
    size_t n_ranks = 0;
    for (size_t j = 0; j < w->n_jobs; j++)
        n_ranks += w->predictions[j]->n_ranks;
    paje_event *events = calloc(3 * w->n + n_ranks + 1, sizeof *events), *at = events;
    if (!events)
        return NULL;
    for (size_t i = 0; i < w->n; i++) {
        const tlr_state *s = &w->states[i];
        const double start_s = w->jobs[s->job].start_s;
        if (s->end_s > s->begin_s)
            *at++ = (paje_event){start_s + s->begin_s, i, s->job, s->rank, PAJE_STATE};
        if (!tlr_state_has_arrow(s))
            continue;
        *at++ = (paje_event){start_s + fmax(s->cause_s, 0), i, s->job, (uint32_t)s->cause_rank,
                             PAJE_LINK_BEGIN};
        *at++ = (paje_event){start_s + s->end_s, i, s->job, s->rank, PAJE_LINK_END};
    }
    for (size_t j = 0; j < w->n_jobs; j++)
        for (uint32_t r = 0; r < w->predictions[j]->n_ranks; r++)
            *at++ = (paje_event){w->jobs[j].start_s + w->predictions[j]->ranks[r].end_s, 0,
                                 (uint32_t)j, r, PAJE_RANK_END};
    *n = (size_t)(at - events);
    qsort(events, *n, sizeof *events, compare_events);
    return events;
}

static void write_paje_text(FILE *out, const char *text)
{
    fputc('"', out);
    for (text = tl_printable(text); *text; text++)
        fputc(*text == '"' ? '\'' : *text, out);
    fputc('"', out);
}

static void declare_containers(const writing *w)
{
    fputs(paje_header, w->out);
    for (unsigned k = 0; k < TLR_N_STATES; k++) {
        const unsigned long rgb = strtoul(tlr_state_colour(k) + 1, NULL, 16);
        fprintf(w->out, "2 %s %s \"%s\" \"%.2f %.2f %.2f\"\n", tlr_state_kind_name(k),
                k == TLR_STATE_MESSAGE ? "LINK" : "STATE", tlr_state_label(k),
                (double)(rgb >> 16) / 255, (double)(rgb >> 8 & 255) / 255,
                (double)(rgb & 255) / 255);
    }
    for (size_t j = 0; j < w->n_jobs; j++) {
        fprintf(w->out, "3 0 job%zu JOB 0 ", j);
        write_paje_text(w->out, w->predictions[j]->trace_path);
        fputc('\n', w->out);
        for (uint32_t r = 0; r < w->predictions[j]->n_ranks; r++)
            fprintf(w->out, "3 0 job%zu.rank%" PRIu32 " RANK job%zu \"rank %" PRIu32 "\"\n", j, r,
                    j, r);
    }
}

static void write_paje_event(const writing *w, const paje_event *e)
{
    const tlr_state *s = &w->states[e->index];
    char rank[64];
    snprintf(rank, sizeof rank, "job%" PRIu32 ".rank%" PRIu32, e->job, e->rank);
    switch (e->kind) {
    case PAJE_STATE:
        fprintf(w->out, "5 %.12f STATE %s %s ", e->at_s, rank, tlr_state_kind_name(s->kind));
        write_paje_text(w->out, name_of(w, s));
        fputc('\n', w->out);
        break;
    case PAJE_LINK_BEGIN:
    case PAJE_LINK_END:
        fprintf(w->out, "%d %.12f LINK job%" PRIu32 " %s message %zu %" PRId64 "\n",
                e->kind == PAJE_LINK_BEGIN ? 7 : 8, e->at_s, e->job, rank, e->index, s->bytes);
        break;
    case PAJE_RANK_END: fprintf(w->out, "4 %.12f RANK %s\n", e->at_s, rank); break;
    }
}

static int write_paje(const writing *w)
{
    size_t n;
    paje_event *events = collect_events(w, &n);
    if (!events)
        return 1;
    declare_containers(w);
    for (size_t i = 0; i < n; i++)
        write_paje_event(w, &events[i]);
    free(events);
    return 0;
}

tl_status tlr_timeline_write(tlr_timeline *timeline, tlr_timeline_format format,
                             const tlr_job *jobs, tlr_prediction *const *predictions, size_t n_jobs,
                             FILE *out, tl_error *err)
{
    writing w = {.jobs = jobs, .predictions = predictions, .n_jobs = n_jobs, .out = out};
    TL_TRY(tlr_timeline_read(timeline, &w.states, &w.n, err));
    int failed = 0;
    switch (format) {
    case TLR_TIMELINE_CSV: write_csv(&w); break;
    case TLR_TIMELINE_CHROME: failed = write_chrome(&w); break;
    case TLR_TIMELINE_PAJE: failed = write_paje(&w); break;
    case TLR_TIMELINE_PICTURE: break; /* tlr_timeline_draw */
    case TLR_TIMELINE_PARAVER:
        TL_TRY(tlr_paraver_write(w.states, w.n, jobs, predictions, n_jobs, out, err));
        break;
    }
    if (failed)
        return tl_no_memory(err, "timeline");
    if (fflush(out) == EOF || ferror(out))
        return tl_fail(err, TL_ERR_SYSTEM, "the timeline cannot be written: %s", strerror(errno));
    return TL_OK;
}
