/* repeat.c - several recordings of one program, and how much they differ. */
#include "config.h"

#include "cli.h"
#include "record.h"

#include <calibrate/cpu.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <timeless_files.h>

typedef struct repetition {
    int (*once)(void *arg, const char *path);
    void *arg;
    const char *path;
} repetition;

/* The traces of the runs that succeeded. */
typedef struct recordings {
    size_t n;
    tl_reader *traces[RECORD_MAX_RUNS];
} recordings;

/* "app.tl" -> "app.3.tl" */
static int name_run(const char *output, unsigned run, char *path, size_t size)
{
    static const char ending[] = ".tl";
    const size_t length = strlen(output), tail = sizeof ending - 1;
    const bool has_ending = length > tail && !strcmp(output + length - tail, ending);
    return snprintf(path, size, "%.*s.%u%s", (int)(has_ending ? length - tail : length), output,
                    run, has_ending ? ending : "") < (int)size
               ? CLI_OK
               : cli_fail_text(TL_ERR_USAGE, "%s: the path is too long", output);
}

static int run_once(void *argument)
{
    const repetition *r = argument;
    return r->once(r->arg, r->path);
}

static int exit_code(int status)
{
    return status < 0            ? CLI_SYSTEM
           : WIFSIGNALED(status) ? 128 + WTERMSIG(status)
                                 : WEXITSTATUS(status);
}

static void keep(recordings *all, const char *path)
{
    tl_reader *trace = NULL;
    if (tl_reader_open(path, &trace, NULL) == TL_OK && tl_reader_complete(trace))
        all->traces[all->n++] = trace;
    else
        tl_reader_close(trace);
}

static void print_spread(const recordings *all, const tlp_spread *s)
{
    fprintf(stderr,
            "timeless: %zu runs: the computation of another one differs by at most %.3g %% (90 %% "
            "of them, %s)\n",
            all->n, 100 * s->all.uncertainty, tl_reader_run(all->traces[0])->volume_unit);
    if (s->other)
        fprintf(stderr,
                "timeless: the program does not do the same in each run: %s and %s have other "
                "numbers of calls\n",
                tl_reader_path(all->traces[0]), tl_reader_path(all->traces[s->other]));
    fputs("timeless: for a prediction with this uncertainty, type: timeless budget", stderr);
    for (size_t i = 0; i < all->n; i++)
        fprintf(stderr, " %s", tl_reader_path(all->traces[i]));
    fputs(" --platform NAME\n", stderr);
}

static void report(const recordings *all, unsigned n_runs, bool quiet)
{
    tlp_spread *spread = NULL;
    tl_error err;
    if (all->n < n_runs)
        fprintf(stderr, "timeless: %zu of %u runs are complete%s\n", all->n, n_runs,
                all->n < 2 ? "; how much they differ is not known" : "");
    if (quiet || all->n < 2)
        return;
    if (tlp_spread_make(all->traces, all->n, &spread, &err) == TL_OK)
        print_spread(all, spread);
    else
        cli_fail(&err);
    tlp_spread_free(spread);
}

/* All names are checked before hours are computed. */
static int check_names(unsigned n, const char *output)
{
    char path[PATH_MAX];
    int code = CLI_OK;
    for (unsigned i = 1; i <= n && code == CLI_OK; i++) {
        code = name_run(output, i, path, sizeof path);
        if (code == CLI_OK)
            code = cli_check_output(path);
    }
    return code;
}

int record_repeat(unsigned n, const char *output, bool quiet,
                  int (*once)(void *arg, const char *path), void *arg)
{
    recordings all = {0};
    int failed = check_names(n, output);
    for (unsigned i = 1; i <= n && (failed == CLI_OK || all.n); i++) {
        char path[PATH_MAX];
        repetition r = {once, arg, path};
        name_run(output, i, path, sizeof path);
        const int code = exit_code(record_fork(run_once, &r));
        if (code == CLI_OK)
            keep(&all, path);
        else if (failed == CLI_OK)
            failed = code;
        if (code)
            fprintf(stderr, "timeless: run %u of %u has failed with exit code %d\n", i, n, code);
        if (code == 128 + SIGINT || code == 128 + SIGTERM)
            break;
    }
    if (all.n)
        report(&all, n, quiet);
    for (size_t i = 0; i < all.n; i++)
        tl_reader_close(all.traces[i]);
    return failed;
}
