/* cpu.c - timeless calibrate cpu: rates of bursts, from a run that measures their
 * time and a run that counts their volume. */
#include "config.h"

#include "calibrate/campaign.h"
#include "cli.h"
#include "progress.h"
#include "record/record.h"

#include <calibrate/cpu.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <timeless_files.h>
#include <unistd.h>

enum { KEY_FOR = KEY_OWN };

typedef struct cpu_arguments {
    campaign c;
    const char *counted;   /* --for */
    const char *traces[2]; /* timed, counted */
    int n_traces;
    char **command;            /* NULL: the traces are there */
    char folder[PATH_MAX / 2]; /* for temporary files; "": none */
    tlp_burst_rates *rates;
} cpu_arguments;

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, whose model.conf gets the rates, or FILE.conf (default: cpu.conf)", 0},
    {"model", KEY_MODEL, "FILE", 0,
     "the model that gets the rates in FILE.conf (default: FILE.conf, or that of the platform "
     "local)",
     0},
    {"for", KEY_FOR, "TRACE", 0, "run the command once, for its time: TRACE has counted its volume",
     0},
    {"reuse", KEY_REUSE, "PATH", 0, "measure nothing; take the traces of this archive", 0},
    {"archive", KEY_ARCHIVE, "FOLDER", 0,
     "folder with the measurements, or none (default: cpu-MOMENT beside the result, if a command "
     "is run)",
     0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    cpu_arguments *a = state->input;
    campaign *c = &a->c;
    switch (key) {
    case KEY_FOR: a->counted = value; break;
    case ARGP_KEY_ARG:
        /* The words after "--" are a command. */
        if (state->quoted && state->next > state->quoted) {
            a->command = &state->argv[state->next - 1];
            state->next = state->argc;
            break;
        }
        if (a->n_traces == 2)
            argp_error(state, "'%s': give only two traces", value);
        a->traces[a->n_traces++] = value;
        break;
    case ARGP_KEY_SUCCESS:
        if (a->counted && !a->command)
            argp_error(state, "--for: give the command that was recorded behind --");
        if (a->command || c->from ? a->n_traces != 0 || (a->command && c->from) : a->n_traces != 2)
            argp_error(state, "give a command behind --, or two traces: one in cpu-ns, one that "
                              "counts, or --reuse");
        if (!a->command && !c->archive_path)
            c->archive_path = "none";
        break;
    default: return campaign_parse(key, value, state);
    }
    return 0;
}

/* ---- recording ---- */

static int start(void *argv)
{
    execv("/proc/self/exe", argv);
    return 127;
}

/* timeless record -q --volume VOLUME -o PATH -- COMMAND */
static tl_status record(char **command, const char *volume, const char *path, tl_error *err)
{
    size_t n = 0;
    while (command[n])
        n++;
    const char **argv = calloc(n + 9, sizeof *argv);
    if (!argv)
        return tl_no_memory(err, "the command");
    const char *const begin[] = {"timeless", "record", "-q", "--volume", volume, "-o", path, "--"};
    memcpy(argv, begin, sizeof begin);
    memcpy(argv + sizeof begin / sizeof *begin, command, n * sizeof *command);
    const int result = record_fork(start, argv);
    record_restore_signals();
    free(argv);
    if (result < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "the program cannot be started: %s", strerror(errno));
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "'timeless record --volume %s' of the program failed; see above", volume);
    return TL_OK;
}

/* ---- the whole ---- */

static tl_status begin(campaign *c, tl_error *err)
{
    cpu_arguments *a = (cpu_arguments *)c;
    if (!a->command) /* which writes to the terminal itself */
        cli_progress_watch("calibrate cpu");
    if (c->from && access(c->from, R_OK) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", c->from,
                       strerror(errno));
    if (c->from && !tlp_is_archive(c->from))
        return tl_fail(err, TL_ERR_INPUT, "%s: is not an archive of a calibration; give its folder",
                       c->from);
    if (a->n_traces || c->from)
        return TL_OK;
    snprintf(a->folder, sizeof a->folder, "%.1000s/timeless-cpu.XXXXXX", tl_temporary_folder());
    if (mkdtemp(a->folder))
        return TL_OK;
    *a->folder = '\0';
    return tl_fail(err, TL_ERR_SYSTEM, "%s: no folder can be made there: %s; check TMPDIR",
                   tl_temporary_folder(), strerror(errno));
}

static const char *const entries[2] = {TLP_RAW_TIMED, TLP_RAW_COUNTED};

/* Records the program twice, or once if its volume is known; or takes both traces of the archive.
 */
static tl_status provide(const cpu_arguments *a, char paths[2][PATH_MAX], tl_error *err)
{
    static const char *const volumes[2] = {"cputime", "exact"};
    tl_reader *counted = NULL;
    tl_status status = TL_OK;
    if (a->counted) /* a wrong name is reported before the program runs, which may take long */
        status = tl_reader_open(a->counted, &counted, err);
    tl_reader_close(counted);
    for (int i = 0; i < 2 && status == TL_OK; i++) {
        snprintf(paths[i], PATH_MAX, "%s/%s", a->folder, strchr(entries[i], '/') + 1);
        if (a->n_traces || (i && a->counted))
            snprintf(paths[i], PATH_MAX, "%s", a->n_traces ? a->traces[i] : a->counted);
        else if (a->c.from)
            snprintf(paths[i], PATH_MAX, "%s/%s", a->c.from, entries[i]);
        else
            status = record(a->command, volumes[i], paths[i], err);
    }
    return status;
}

static tl_status measure(campaign *c, tl_error *err)
{
    cpu_arguments *a = (cpu_arguments *)c;
    char paths[2][PATH_MAX] = {"", ""};
    tl_reader *traces[2] = {NULL, NULL};
    tl_status status = provide(a, paths, err);
    for (int i = 0; i < 2 && status == TL_OK; i++)
        status = tl_reader_open(paths[i], &traces[i], err);
    if (status == TL_OK)
        status = tlp_burst_rates_make(traces[0], traces[1], &a->rates, err);
    if (status == TL_OK && c->archive)
        tlp_archive_note(c->archive, "classes of bursts", "%zu", a->rates->n);
    for (int i = 0; i < 2 && status == TL_OK && c->archive; i++)
        status = tlp_archive_add_file(c->archive, entries[i], paths[i], err);
    tl_reader_close(traces[0]);
    tl_reader_close(traces[1]);
    return status;
}

static tl_status write_result(campaign *c, tl_error *err)
{
    return tlp_burst_rates_write(((cpu_arguments *)c)->rates, c->old, c->model, err);
}

static void report(campaign *c)
{
    const tlp_burst_rates *rates = ((cpu_arguments *)c)->rates;
    fprintf(stderr,
            "timeless: %zu classes of bursts with %.1f%% of the time; %.4g s per unit of %s in the "
            "mean\n",
            rates->n, 100 * rates->matched_s / rates->seconds, rates->seconds / rates->volume,
            rates->unit);
}

static void end(campaign *c)
{
    cpu_arguments *a = (cpu_arguments *)c;
    char path[PATH_MAX];
    tlp_burst_rates_free(a->rates);
    if (!*a->folder)
        return;
    snprintf(path, sizeof path, "%s/timed.tl", a->folder);
    unlink(path);
    snprintf(path, sizeof path, "%s/counted.tl", a->folder);
    unlink(path);
    rmdir(a->folder);
}

int calibrate_cpu(int argc, char **argv)
{
    static const campaign_kind kind = {
        .what = "cpu",
        .options = options,
        .parse = parse_option,
        .words = "-- COMMAND...\nTIMED COUNTED\n--reuse=PATH",
        .doc = "Measure how long a unit of counted volume takes between each two call sites.\vA "
               "command is recorded twice, once for its time and once with --volume exact; or give "
               "two such traces.",
        .changes_model = 1,
        .begin = begin,
        .measure = measure,
        .write = write_result,
        .report = report,
        .end = end};
    cpu_arguments a = {.c = {.output = "cpu.conf"}};
    return campaign_run(&a.c, &kind, argc, argv);
}
