/* replay_warn.c - what a prediction leaves out, on standard error. */
#include "config.h"

#include "progress.h"
#include "replay.h"

#include <inttypes.h>
#include <stdarg.h>
#include <results/details.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_convert.h>
#include <timeless_files.h>

void replay_warn(const char *free_kernels)
{
    cli_progress_clear();
    if (free_kernels && free_kernels[0])
        fprintf(stderr,
                "timeless: warning: the compute model has no line for %s, which take no time; add "
                "lines to model.conf (timeless-model(5)), or leave these kernels out by MOVES=0\n",
                tl_printable(free_kernels));
}

static void warn(const char *of, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void warn(const char *of, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "timeless: warning: %s: ", tl_printable(of));
    vfprintf(stderr, format, args);
    va_end(args);
}

/* Warns about functions on no path, which are probably misspelt. */
static void warn_regions(const replay_arguments *a, const tlr_prediction *p)
{
    for (size_t i = 0; p->details && i < a->n_regions_at; i++) {
        bool is_found = 0;
        for (size_t k = 0; k < p->details->regions.n; k++)
            is_found |= !strcmp(p->details->regions.rows[k].name, a->regions_at[i]);
        if (!is_found)
            fprintf(
                stderr,
                "timeless: warning: --regions-at %s: %s has no call path through this function; "
                "give a name as 'timeless report --folded-stacks' prints it, and record with "
                "--call-paths\n",
                tl_printable(a->regions_at[i]), tl_printable(p->trace_path));
    }
}

/* What the trace lacks. */
static void warn_trace(const tlr_prediction *p)
{
    if (p->untraced && p->untraced[0])
        warn(p->trace_path,
             "the trace lacks the calls of %s, which the tracer did not know; their time is not in "
             "the prediction\n",
             tl_printable(p->untraced));
    if (p->uncounted && p->uncounted[0])
        warn(p->trace_path,
             "the trace has the computation of %s; the rest takes no time in the prediction\n",
             tl_printable(p->uncounted));
}

static void warn_threads(const replay_arguments *a, const tlr_prediction *p)
{
    const tlr_fullest_host *host = &p->fullest;
    char remedy[160] = "", threads[40] = "";
    if (!tlr_threads_share_cores(p))
        return;
    uint32_t per_host = host->n_cores / p->n_threads;
    if (!per_host) {
        per_host = 1;
        snprintf(threads, sizeof threads, " --rank-threads %" PRIu32, host->n_cores);
    }
    const uint32_t n_hosts = (p->n_ranks - 1) / per_host + 1;
    if (!a->scenario.n_hostfiles) /* which may state slots, that --ranks-per-host does not change */
        snprintf(remedy, sizeof remedy,
                 "; to give each thread a core: --ranks-per-host %" PRIu32
                 "%s, on at least %" PRIu32 " host%s",
                 per_host, threads, n_hosts, n_hosts == 1 ? "" : "s");
    warn(p->platform_name,
         "%" PRIu32 " rank%s of up to %" PRIu32 " threads share%s the %" PRIu32
         " core%s of a host, and their parallel regions take longer%s\n",
         host->n_ranks, host->n_ranks == 1 ? "" : "s", p->n_threads, host->n_ranks == 1 ? "s" : "",
         host->n_cores, host->n_cores == 1 ? "" : "s", remedy);
}

static void warn_engine(const tlr_prediction *p)
{
    char below[64], overload[256];
    if (p->ignores_crowd)
        warn(p->platform_name,
             "the engine loggops lets each of the %" PRIu32 " ranks that share %" PRIu64
             " core%s compute as if it had a core to itself: they are predicted too fast; use "
             "--engine smpi, or place fewer ranks on a host\n",
             p->n_crowded, p->n_crowded_cores, p->n_crowded_cores == 1 ? "" : "s");
    if (p->ignores_limiter)
        warn(p->platform_name,
             "the engine loggops ignores the limiter of both directions (limiter_link)%s: hosts "
             "that send and receive at the same time are predicted too fast; use --engine smpi for "
             "such programs\n",
             tlr_limiter_text(p, below, sizeof below));
    if (p->links.n)
        warn(p->platform_name,
             "short messages do not share links between switches in the engine loggops: %s; use "
             "--engine smpi\n",
             tlr_overload_text(p, &p->links, overload, sizeof overload));
    if (p->memories.n)
        warn(p->platform_name,
             "messages within a node do not share its memory: %s; place fewer ranks on a host, or "
             "take the prediction as too fast\n",
             tlr_overload_text(p, &p->memories, overload, sizeof overload));
    if (p->load_change > 0)
        warn(p->trace_path,
             "the engine loggops did not find the mean load of the hosts (interference): ends of "
             "ranks still change by %.3g %% of the makespan; use --engine smpi\n",
             100 * p->load_change);
}

/* What limits parallel regions. */
static void warn_regions_bound(const tlr_prediction *p)
{
    const tlr_region_memory *memory = &p->region_memory;
    if (memory->core_Bps > 0)
        warn(p->trace_path,
             "the compute model does not state what several cores get that are bound by memory; "
             "assumed %.4g GB/s of a core, and %.4g GB/s of a node%s: measure it with 'timeless "
             "calibrate memory'\n",
             memory->core_Bps / 1e9, memory->node_Bps / 1e9,
             memory->is_assumed ? ", because the platform does not state timeless/memory-bandwidth"
                                : " as the platform states");
    if (memory->is_ignored)
        warn(p->trace_path,
             "does not tell what limits its parallel regions; predicted as if arithmetic does: add "
             "--set region.bound=memory for those that wait for memory, or --set "
             "region.bound=arithmetic\n");
}

/* Equal makespans of all seeds do not mean that the prediction is certain. */
static void warn_equal_seeds(const tlr_prediction *p)
{
    if (p->spread && !p->is_random)
        fprintf(stderr,
                "timeless: warning: --seeds: nothing in this replay is random, so all seeds give "
                "the same result; add --noise, or see 'timeless budget' for how wrong the "
                "prediction may be\n");
}

/* The file of "FILE,NAME=NUMBER,..."; FILE may have commas. NULL: the program is in no file. */
static FILE *open_skeleton(const char *program)
{
    static const char kind[] = "skel:";
    const size_t skipped = strncmp(program, kind, sizeof kind - 1) != 0 ? 0 : sizeof kind - 1;
    char *path = tl_is_program(program) ? strdup(program + skipped) : NULL, *comma;
    FILE *file = NULL;
    while (path && !(file = fopen(path, "r")) && (comma = strrchr(path, ',')))
        *comma = '\0';
    free(path);
    return file;
}

void replay_warn_of_laws(const char *program)
{
    static const char mark[] = "# warning: ";
    FILE *file = open_skeleton(program);
    char *line = NULL;
    size_t room = 0;
    while (file && getline(&line, &room, file) > 0)
        if (!strncmp(line, mark, sizeof mark - 1)) {
            line[strcspn(line, "\n")] = '\0';
            warn(program, "%s\n", tl_printable(line + sizeof mark - 1));
        }
    free(line);
    if (file)
        fclose(file);
}

void replay_warn_of(const replay_arguments *a, const tlr_prediction *p)
{
    warn_trace(p);
    warn_threads(a, p);
    warn_engine(p);
    warn_regions_bound(p);
    warn_equal_seeds(p);
    warn_regions(a, p);
    replay_warn(p->free_kernels);
    if (!a->scenario.options.no_compute)
        replay_warn_of_laws(p->trace_path);
}
