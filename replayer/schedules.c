/* schedules.c - replaces collectives by schedules in the traces that are replayed. */
#include "config.h"

#include "schedules.h"

#include "text_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_convert.h>
#include <timeless_files.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

const char *tlr_collective_name(const char *text, size_t length)
{
    static const char *const names[] = {"allgather", "allgatherv",     "allreduce", "alltoall",
                                        "alltoallv", "barrier",        "bcast",     "gather",
                                        "reduce",    "reduce_scatter", "scatter"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && !strncmp(names[i], text, length))
            return names[i];
    return NULL;
}

/* The names of algorithms have neither a point nor a slash: "smpi/alltoall:ring.sched". */
static const char *schedule_in(const char *option)
{
    static const char prefix[] = "smpi/";
    if (strncmp(option, prefix, sizeof prefix - 1) != 0)
        return NULL;
    const char *choice = option + sizeof prefix - 1, *file = strchr(choice, ':');
    return file && file[strcspn(file, "./")] && tlr_collective_name(choice, (size_t)(file - choice))
               ? choice
               : NULL;
}

/* "smpi/alltoall:ring.sched (xxh64 0123456789abcdef)" of all schedules. */
static tl_status describe(tlr_schedules *s, tl_error *err)
{
    size_t size = 0;
    FILE *out = open_memstream(&s->text, &size);
    tl_status status = out ? TL_OK : tl_no_memory(err, "schedules");
    for (size_t i = 0; i < s->n_choices && status == TL_OK; i++) {
        char *text = NULL;
        size_t bytes = 0;
        status = tlr_read_text(strchr(s->choices[i], ':') + 1, &text, &bytes, err);
        if (status == TL_OK)
            fprintf(out, "%ssmpi/%s (xxh64 %016" PRIx64 ")", i ? " " : "", s->choices[i],
                    (uint64_t)XXH64(text, bytes, 0));
        free(text);
    }
    if (out && fclose(out) != 0 && status == TL_OK)
        status = tl_no_memory(err, "schedules");
    return status;
}

/* Opens the trace with schedules, or without choices a text of SimGrid without its computation, in
 * a file that is removed when it has been opened. `owner` has the trace that stays open. */
static tl_status rewrite(const char *const *choices, size_t n_choices, const tlr_job *owner,
                         tlr_job *job, tl_error *err)
{
    char *path;
    int fd;
    tl_reader *made = NULL;
    tl_status status = tl_temporary_file("schedule", &path, &fd, err);
    if (status != TL_OK)
        return status;
    close(fd);
    status = n_choices ? tl_schedule_write(job->trace, choices, n_choices, path, err)
                       : tl_import_simgrid_reductions(tl_reader_path(job->trace), path, err);
    if (status == TL_OK)
        status = tl_reader_open(path, &made, err);
    unlink(path);
    free(path);
    if (status == TL_OK) {
        if (job->trace != owner->trace)
            tl_reader_close(job->trace);
        job->trace = made;
    }
    return status;
}

static tl_status separate(tlr_schedules *s, tlr_options *options, tl_error *err)
{
    size_t n = 0;
    s->cfg = calloc(options->n_cfg + 1, sizeof *s->cfg);
    s->choices = calloc(options->n_cfg + 1, sizeof *s->choices);
    if (!s->cfg || !s->choices)
        return tl_no_memory(err, "schedules");
    for (size_t i = 0; i < options->n_cfg; i++) {
        const char *choice = schedule_in(options->cfg[i]);
        if (choice)
            s->choices[s->n_choices++] = choice;
        else
            s->cfg[n++] = options->cfg[i];
    }
    options->cfg = s->cfg;
    options->n_cfg = n;
    return TL_OK;
}

static tl_status check(const tlr_options *options, tl_error *err)
{
    const char *what = options->wildcards_first ? "--wildcards first"
                       : options->sampled       ? "--sample"
                                                : NULL;
    if (!what)
        return TL_OK;
    return tl_fail(err, TL_ERR_USAGE, "a schedule cannot be replayed with %s; give one of them",
                   what);
}

tl_status tlr_schedules_begin(tlr_schedules *s, const tlr_job *jobs, size_t n_jobs,
                              int without_compute, tlr_options *options, tl_error *err)
{
    *s = (tlr_schedules){.n_jobs = n_jobs};
    tl_status status = separate(s, options, err);
    without_compute &= !options->no_compute;
    if (status != TL_OK || (!s->n_choices && !without_compute))
        return status;
    if (s->n_choices &&
        ((status = check(options, err)) != TL_OK || (status = describe(s, err)) != TL_OK))
        return status;
    options->schedules = s->text;
    s->jobs = calloc(n_jobs, sizeof *s->jobs);
    if (!s->jobs)
        return tl_no_memory(err, "schedules");
    memcpy(s->jobs, jobs, n_jobs * sizeof *jobs);
    for (size_t j = 0; j < n_jobs && without_compute && status == TL_OK; j++)
        status = rewrite(NULL, 0, &jobs[j], &s->jobs[j], err);
    if (status == TL_ERR_NOT_A_TRACE) { /* no text: its volumes do not say what they are of */
        options->no_compute = 1;
        status = TL_OK;
    }
    for (size_t j = 0; j < n_jobs && s->n_choices && status == TL_OK; j++)
        status = rewrite(s->choices, s->n_choices, &jobs[j], &s->jobs[j], err);
    return status;
}

/* Puts the caller's trace into the place of the temporary one. */
static tl_status restore(tlr_prediction *p, tl_reader *trace, tl_error *err)
{
    char reason[640];
    tl_reader_clock(trace, reason, sizeof reason);
    char *path = strdup(tl_reader_path(trace)), *clock = strdup(reason);
    if (!path || !clock) {
        free(path);
        free(clock);
        return tl_no_memory(err, "schedules");
    }
    free(p->trace_path);
    free(p->clock);
    p->trace_path = path;
    p->clock = clock;
    return tl_reader_hash(trace, &p->trace_hash, err);
}

static void rename_in(tl_error *err, const char *made, const char *given)
{
    char text[sizeof err->text];
    const char *at = strstr(err->text, made);
    if (!at)
        return;
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - err->text), err->text, given,
             at + strlen(made));
    memcpy(err->text, text, sizeof text);
}

tl_status tlr_schedules_end(tlr_schedules *s, const tlr_job *jobs, tlr_prediction **predictions,
                            tl_status status, tl_error *err)
{
    for (size_t j = 0; s->jobs && j < s->n_jobs; j++) {
        if (s->jobs[j].trace == jobs[j].trace)
            continue;
        if (status != TL_OK && err)
            rename_in(err, tl_reader_path(s->jobs[j].trace), tl_reader_path(jobs[j].trace));
        else if (predictions && predictions[j])
            status = restore(predictions[j], jobs[j].trace, err);
        tl_reader_close(s->jobs[j].trace);
    }
    free(s->jobs);
    free(s->cfg);
    free(s->choices);
    free(s->text);
    *s = (tlr_schedules){0};
    return status;
}
