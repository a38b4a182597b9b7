/* cpu.c - timeless calibrate cpu: rates of bursts, from a run that measures their
 * time and a run that counts their volume. */
#include "config.h"

#include "calibrate/beside.h"
#include "cli.h"
#include "progress.h"

#include <calibrate/archive.h>
#include <calibrate/cpu.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <timeless_files.h>
#include <unistd.h>

typedef struct arguments {
    const char *output, *base, *from, *archive_path, *counted;
    const char *traces[2]; /* timed, counted */
    int n_traces;
    char **command; /* NULL: the traces are there */
    int interferes;
    interference_arguments beside;
} arguments;

enum {
    KEY_MODEL = 256,
    KEY_FROM,
    KEY_ARCHIVE,
    KEY_FOR,
    KEY_INTERFERE,
    KEY_REPETITIONS,
    KEY_SEED,
    KEY_BYTES
};

static const struct argp_option options[] = {
    {"output", 'o', "PATH", 0,
     "platform folder, whose model.conf gets the rates, or FILE.conf (default: cpu.conf)", 0},
    {"model", KEY_MODEL, "FILE", 0,
     "the model that gets the rates in FILE.conf (default: FILE.conf, or that of the platform "
     "local)",
     0},
    {"for", KEY_FOR, "TRACE", 0, "run the command once, for its time: TRACE has counted its volume",
     0},
    {"interfere", KEY_INTERFERE, NULL, 0,
     "measure how much longer the bursts of the command take beside busy cores, and what they do "
     "to "
     "those",
     0},
    {"repetitions", KEY_REPETITIONS, "N", 0,
     "with --interfere: repeat all runs N times (default: 3)", 0},
    {"seed", KEY_SEED, "N", 0, "with --interfere: draw the order from this seed (default: 1)", 0},
    {"max-bytes", KEY_BYTES, "N", 0,
     "with --interfere: largest working set on the busy cores (default: four times the largest "
     "cache)",
     0},
    {"from", KEY_FROM, "FILE", 0, "measure nothing; take the traces or runs of this archive", 0},
    {"archive", KEY_ARCHIVE, "FILE", 0,
     "zip with the measurements, or none (default: cpu-MOMENT.zip beside the result, if a command "
     "is run)",
     0},
    {0}};

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case 'o': a->output = value; break;
    case KEY_MODEL: a->base = value; break;
    case KEY_FROM: a->from = value; break;
    case KEY_FOR: a->counted = value; break;
    case KEY_ARCHIVE: a->archive_path = value; break;
    case KEY_INTERFERE: a->interferes = 1; break;
    case KEY_REPETITIONS:
        a->beside.n_repetitions =
            (unsigned)cli_parse_number_from(state, "--repetitions", value, 1, 1000);
        break;
    case KEY_SEED: a->beside.seed = cli_parse_number(state, "--seed", value, UINT32_MAX); break;
    case KEY_BYTES:
        a->beside.max_bytes = cli_parse_number_from(state, "--max-bytes", value, 65536, 1UL << 40);
        break;
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
        if (a->interferes && (a->counted || a->n_traces || !a->command == !a->from))
            argp_error(state, "--interfere: give a command behind --, or --from alone");
        if (a->interferes)
            break;
        if (a->command || a->from ? a->n_traces != 0 || (a->command && a->from) : a->n_traces != 2)
            argp_error(state, "give a command behind --, or two traces: one in cpu-ns, one that "
                              "counts, or --from");
        break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

/* ---- recording ---- */

/* Waits like system(): the program gets what the terminal interrupts, and this process goes on to
 * remove its temporary files. */
static int run(const char *const *argv, int processor, int *result)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    const pid_t child = fork();
    if (child == 0) {
        sigaction(SIGINT, &interrupt, NULL);
        sigaction(SIGQUIT, &quit, NULL);
        cpu_set_t one;
        CPU_ZERO(&one);
        if (processor >= 0) {
            CPU_SET(processor, &one);
            sched_setaffinity(0, sizeof one, &one);
            /* What the program prints many times is of no interest. */
            const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
            if (nowhere >= 0)
                dup2(nowhere, STDOUT_FILENO);
        }
        execv("/proc/self/exe", (char *const *)argv);
        _exit(127);
    }
    const int done = child > 0 && waitpid(child, result, 0) == child;
    const int number = errno;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    errno = number;
    return done;
}

tl_status calibrate_record(char **command, const char *volume, const char *path, int processor,
                           tl_error *err)
{
    size_t n = 0;
    while (command[n])
        n++;
    const char **argv = calloc(n + 10, sizeof *argv);
    if (!argv)
        return tl_fail(err, TL_ERR_MEMORY, "out of memory");
    const char *const begin[] = {"timeless", "record", "-q", "--volume", volume, "-o", path};
    size_t n_words = sizeof begin / sizeof *begin;
    memcpy(argv, begin, sizeof begin);
    if (processor >= 0)
        argv[n_words++] = "--folded";
    argv[n_words++] = "--";
    memcpy(argv + n_words, command, n * sizeof *command);
    int result = -1;
    const int done = run(argv, processor, &result);
    free(argv);
    if (!done)
        return tl_fail(err, TL_ERR_SYSTEM, "the program cannot be started: %s", strerror(errno));
    if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "'timeless record --volume %s' of the program failed; see above", volume);
    return TL_OK;
}

/* A wrong name is reported before the program runs, which may take long. */
static tl_status check_counted(const char *path, tl_error *err)
{
    tl_reader *trace = NULL;
    const tl_status status = tl_reader_open(path, &trace, err);
    tl_reader_close(trace);
    return status;
}

/* Records the program twice, into files of a temporary folder; once if its volume is known. */
static tl_status record_both(const arguments *a, const char *folder, char paths[2][PATH_MAX],
                             tl_error *err)
{
    snprintf(paths[0], PATH_MAX, "%s/timed.tl", folder);
    snprintf(paths[1], PATH_MAX, "%s/counted.tl", folder);
    tl_status status = a->counted ? check_counted(a->counted, err) : TL_OK;
    if (status == TL_OK)
        status = calibrate_record(a->command, "cputime", paths[0], -1, err);
    return status == TL_OK && !a->counted ? calibrate_record(a->command, "exact", paths[1], -1, err)
                                          : status;
}

/* ---- the whole ---- */

/* Extracts a trace from an archive. */
static tl_status unpack(const char *archive, const char *entry, const char *path, tl_error *err)
{
    char bytes[1 << 14];
    FILE *in = NULL, *out;
    tl_status status = TL_OK;
    if (access(archive, R_OK) != 0)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", archive,
                         strerror(errno));
    else if (!tlp_is_archive(archive))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: is not an archive of a calibration; give a zip file", archive);
    else
        status = tlp_open_raw(archive, entry, &in, err);
    if (status != TL_OK)
        return status;
    int failed = !(out = fopen(path, "w"));
    for (size_t n; !failed && (n = fread(bytes, 1, sizeof bytes, in));)
        failed = fwrite(bytes, 1, n, out) != n;
    if (out)
        failed |= fclose(out) != 0;
    fclose(in);
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the disk", path,
                            strerror(errno))
                  : TL_OK;
}

static tl_status unpack_both(const arguments *a, const char *folder, char paths[2][PATH_MAX],
                             tl_error *err)
{
    snprintf(paths[0], PATH_MAX, "%s/timed.tl", folder);
    snprintf(paths[1], PATH_MAX, "%s/counted.tl", folder);
    tl_status status = unpack(a->from, TLP_RAW_TIMED, paths[0], err);
    return status == TL_OK ? unpack(a->from, TLP_RAW_COUNTED, paths[1], err) : status;
}

static tl_status finish_archive(tlp_archive *archive, tl_reader *const traces[2], const char *model,
                                const tlp_burst_rates *rates, tl_error *err)
{
    static const char *const entries[2] = {TLP_RAW_TIMED, TLP_RAW_COUNTED};
    tlp_repetition_list list = {0};
    tl_status status = TL_OK;
    tlp_archive_note(archive, "classes of bursts", "%zu", rates->n);
    for (int i = 0; i < 2 && status == TL_OK; i++)
        status = tlp_archive_add_file(archive, entries[i], tl_reader_path(traces[i]), err);
    if (status == TL_OK)
        status = tlp_archive_add_file(archive, "result/model.conf", model, err);
    if (status == TL_OK)
        status = tlp_burst_repetitions(traces[0], rates, &list, err);
    if (status == TL_OK)
        status = tlp_archive_finish(archive, &list, err);
    tlp_clear_repetitions(&list);
    return status;
}

static tl_status calibrate(const calibrated_model *model, const char *timed, const char *counted,
                           tlp_archive *archive, tl_error *err)
{
    tl_reader *traces[2] = {NULL, NULL};
    tlp_burst_rates *rates = NULL;
    tl_status status = tl_reader_open(timed, &traces[0], err);
    if (status == TL_OK)
        status = tl_reader_open(counted, &traces[1], err);
    if (status == TL_OK)
        status = tlp_burst_rates_make(traces[0], traces[1], &rates, err);
    if (status == TL_OK)
        status = tlp_burst_rates_write(rates, model->base, model->path, err);
    if (status == TL_OK && archive)
        status = finish_archive(archive, traces, model->path, rates, err);
    if (status == TL_OK)
        fprintf(stderr,
                "timeless: %zu classes of bursts with %.1f%% of the time; %.4g s per unit of %s in "
                "the mean\n",
                rates->n, 100 * rates->matched_s / rates->seconds, rates->seconds / rates->volume,
                rates->unit);
    tlp_burst_rates_free(rates);
    tl_reader_close(traces[0]);
    tl_reader_close(traces[1]);
    return status;
}

int calibrate_cpu(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "-- COMMAND...\nTIMED COUNTED\n--from=FILE\n--interfere -- COMMAND...",
        "Measure how long a unit of counted volume takes between each two call sites.\vA command "
        "is "
        "recorded twice, once for its time and once with --volume exact; or give two such traces. "
        "With "
        "--interfere, the command runs on one core, alone and beside loops on the other cores.",
        NULL,
        NULL,
        NULL};
    arguments a = {.output = "cpu.conf", .beside = {.n_repetitions = 3, .seed = 1}};
    cli_parse(&argp, argc, argv, ARGP_IN_ORDER, &a);
    tl_error err;
    if (!a.command) /* which writes to the terminal itself */
        cli_progress_watch("calibrate cpu");
    char folder[PATH_MAX / 2], paths[2][PATH_MAX];
    calibrated_model model;
    tlp_archive *archive = NULL;
    char archive_path[PATH_MAX];
    tl_status status = calibrate_choose_model(a.output, a.base, &model, &err);
    cli_archive_path(a.archive_path, a.output, archive_path, sizeof archive_path);
    if (status == TL_OK && *archive_path && (a.command || a.archive_path))
        status = tlp_archive_begin(archive_path, "cpu", argc, argv, &archive, &err);
    if (status != TL_OK)
        return cli_fail(&err);
    if (a.command || a.from) {
        snprintf(folder, sizeof folder, "%.1000s/timeless-cpu.XXXXXX", tl_temporary_folder());
        if (!mkdtemp(folder)) {
            tlp_archive_free(archive);
            return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be made: %s; check TMPDIR", folder,
                                 strerror(errno));
        }
        a.beside.command = a.command;
        a.beside.from = a.from;
        if (a.interferes)
            status = calibrate_interference(&a.beside, &model, folder, archive, &err);
        else
            status = a.from ? unpack_both(&a, folder, paths, &err)
                            : record_both(&a, folder, paths, &err);
        if (status == TL_OK && !a.interferes)
            status = calibrate(&model, paths[0], a.counted ? a.counted : paths[1], archive, &err);
        unlink(paths[0]);
        unlink(paths[1]);
        rmdir(folder);
    } else {
        status = calibrate(&model, a.traces[0], a.traces[1], archive, &err);
    }
    tlp_archive_free(archive);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
