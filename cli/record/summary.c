/* summary.c - reports the result of a recording. */
#include "config.h"

#include "cli.h"
#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <timeless_files.h>
#include <unistd.h>

static void say_first_broken(const tl_reader *r, const tl_rank_summary *broken, uint32_t first,
                             uint32_t n_broken)
{
    fprintf(stderr, "timeless: %s: incomplete: rank %" PRIu32 " %s%s%s", tl_reader_path(r), first,
            record_end_text(broken->end), *broken->remark ? ": " : "",
            tl_printable(broken->remark));
    if (n_broken > 1)
        fprintf(stderr, "; %" PRIu32 " of %" PRIu32 " ranks have no proper end", n_broken,
                tl_reader_run(r)->n_ranks);
}

/* The first rank without a normal end, the reason, and the number of other such ranks; if the run
 * used several hosts, the ranks of each. */
static void say_what_is_missing(const tl_reader *r, uint32_t n_losers)
{
    const bool is_joined = *tl_reader_run(r)->parts;
    uint32_t n_ranks = tl_reader_run(r)->n_ranks, n_broken = 0, n_kept = 0, first = 0;
    uint32_t n_lost = is_joined ? n_losers : record_count_losers(r);
    tl_rank_summary summary, broken = {.remark = ""};
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        if (tl_reader_rank(r, rank, &summary) == TL_OK && summary.end == TL_END_FINALIZED)
            continue;
        n_kept += summary.kept_open != 0;
        if (!n_broken++ || (!*broken.remark && *summary.remark)) {
            first = rank;
            broken = summary;
        }
    }
    if (tl_reader_n_damages(r))
        fprintf(stderr, "timeless: %s\n", tl_printable(tl_reader_damage(r, 0)->text));
    if (!n_broken)
        return;
    if (!is_joined)
        say_first_broken(r, &broken, first, n_broken);
    else if (!record_print_ends(r))
        return;
    if (n_lost)
        fprintf(stderr, "; %" PRIu32 " killed rank%s lost the last events, 64 KiB at most", n_lost,
                n_lost == 1 ? "" : "s");
    fputc('\n', stderr);
    if (n_kept)
        fprintf(stderr,
                "timeless: %s.open holds the last events of %" PRIu32
                " killed rank%s: keep it beside the trace, or run 'timeless pack %s -o FILE'\n",
                tl_reader_path(r), n_kept, n_kept == 1 ? "" : "s", tl_reader_path(r));
}

void record_say_incomplete(const char *path, uint32_t n_losers)
{
    tl_reader *r = NULL;
    if (tl_reader_open(path, &r, NULL) != TL_OK)
        return;
    if (!tl_reader_complete(r))
        say_what_is_missing(r, n_losers);
    tl_reader_close(r);
}

int record_no_trace(const char *path, int code)
{
    fprintf(stderr, "timeless: no trace was written: %s\n",
            code ? "the command failed before MPI_Init, or the trace was removed"
                 : "no process called MPI_Init of a shared Open MPI or MPICH (programs that are "
                   "linked statically, or that use MPI_Session_init alone, are not traced), or the "
                   "trace was removed");
    if (access(path, F_OK) == 0)
        fprintf(stderr, "timeless: %s: is unchanged since before the run\n", path);
    return code ? code : CLI_BAD_INPUT;
}

int record_summarise(const char *path, int code, bool quiet, uint32_t n_losers)
{
    tl_reader *r = NULL;
    tl_error err;
    if (tl_reader_open(path, &r, &err) != TL_OK) {
        int failed = cli_fail(&err);
        return code ? code : failed;
    }
    uint64_t n_events = 0;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_rank_summary summary;
        if (tl_reader_rank(r, rank, &summary) == TL_OK)
            n_events += summary.n_events;
    }
    bool complete = tl_reader_complete(r);
    if (!quiet)
        fprintf(stderr,
                "timeless: %s: %" PRIu32 " rank%s, %" PRIu64 " events, %" PRIu64 " bytes, %s\n",
                path, tl_reader_run(r)->n_ranks, tl_reader_run(r)->n_ranks == 1 ? "" : "s",
                n_events, tl_reader_file_bytes(r), complete ? "complete" : "incomplete");
    char reason[640];
    if (!quiet && !*tl_reader_run(r)->folding && tl_reader_clock(r, reason, sizeof reason))
        fprintf(stderr, "timeless: %s: the clock is not comparable with a prediction: %s\n", path,
                tl_printable(reason));
    if (!complete)
        say_what_is_missing(r, n_losers);
    if (tl_reader_uncounted(r, reason, sizeof reason))
        fprintf(stderr, "timeless: warning: %s: the trace has the computation of %s\n", path,
                tl_printable(reason));
    tl_reader_close(r);
    return code;
}
