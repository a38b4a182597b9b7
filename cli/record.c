/* record.c - runs a command with the tracer preloaded into every process that it starts. */
#include "config.h"

#include "cli.h"
#include "clock.h"
#include "installed.h"
#include "record/emulator.h"
#include "record/record.h"
#include "timeless_files.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    OPTION_LIST_VOLUMES = 256,
    OPTION_KERNELS,
    OPTION_CLOCKS,
    OPTION_VOLUME,
    OPTION_COUNTERS,
    OPTION_CALL_PATHS,
    OPTION_CALL_TIMES,
    OPTION_SAMPLE_STACKS,
    OPTION_FOLDED,
    OPTION_NO_PACK,
    OPTION_PACK_SECONDS,
    OPTION_PRECISION,
    OPTION_PARAMETER,
    OPTION_REPEAT
};

/* The depth of call paths if samples are taken, and no depth is given. */
#define CALL_PATHS_OF_SAMPLES "8"

typedef struct settings {
    const char *output;
    const char *volume;
    const char *kernels;
    const char *clocks;
    const char *counters;
    const char *call_paths;
    const char *samples_hz; /* NULL: no samples of the stack */
    const char *n_ranks;    /* NULL: the command says it */
    char **launched;        /* the command behind a launcher of ours */
    unsigned n_runs;        /* 0: one, whose trace is `output` itself */
    bool quiet, list_volumes, folded, no_pack, call_times;
    record_packing packing; /* max_s 0: as long as `limit_packing` says */
    char **command;
    int n_command;
    record_launcher launcher;
    const cli_emulator *emulator; /* NULL: the command runs as it is */
} settings;

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "write the trace to FILE (default: trace.tl)", 0},
    {"np", 'n', "N", 0, "start N ranks of COMMAND with mpirun", 0},
    {"folded", OPTION_FOLDED, NULL, 0, "run more ranks than there are cores", 0},
    {"repeat", OPTION_REPEAT, "N", 0, "record N runs, into FILE.1.tl to FILE.N.tl", 0},
    {"parameter", OPTION_PARAMETER, "NAME=VALUE", 0, "a size of the problem, for timeless fit", 0},
    {"quiet", 'q', NULL, 0, "print nothing unless something is wrong", 0},

    {0, 0, 0, 0, "What is measured:", 1},
    {"volume", OPTION_VOLUME, "SOURCE", 0,
     "how to measure computation: papi[:EVENT], rseq, cputime, process, none, exact (default: "
     "auto)",
     0},
    {"list-volumes", OPTION_LIST_VOLUMES, NULL, 0, "list the sources that work here, and exit", 0},
    {"kernels", OPTION_KERNELS, "WHICH", 0, "numerical routines: none, large (default), or all", 0},
    {"clocks", OPTION_CLOCKS, "WHICH", 0, "MPI_Wtime in a row: the first (default), or all", 0},
    {"call-times", OPTION_CALL_TIMES, NULL, 0, "how long each MPI call takes, by the clock", 0},
    {"counters", OPTION_COUNTERS, "LIST", 0, "also count PAPI events, or mpit:NAME (mpit:NAME*)",
     0},
    {"call-paths", OPTION_CALL_PATHS, "DEPTH", 0, "callers of each call to record (default: 0)", 0},
    {"sample-stacks", OPTION_SAMPLE_STACKS, "HZ", 0,
     "sample the stack so often in each second of computation, as 100Hz", 0},

    {0, 0, 0, 0, "Size of the trace:", 4},
    {"volume-precision", OPTION_PRECISION, "HOW", 0,
     "lossless (default); a fraction by which packing may change volumes and clocks; or "
     "statistical",
     0},
    {"no-pack", OPTION_NO_PACK, NULL, 0, "leave the trace as the ranks wrote it", 0},
    {"pack-seconds", OPTION_PACK_SECONDS, "N", 0,
     "seconds of packing (default: 60, or a tenth of the run if that is more)", 0},
    {0}};

static void add_parameter(struct argp_state *state, const char *word)
{
    static char all[1024]; /* the tracer accepts this number of bytes (tracer/output.c) */
    const size_t used = strlen(all), room = sizeof all - used;
    int64_t value;
    if (!cli_read_parameter(word, &value))
        argp_error(
            state,
            "--parameter %s: give NAME=VALUE: a name of letters, digits and '_', and a whole "
            "number from 0 on, as in N=1000",
            word);
    if ((size_t)snprintf(all + used, room, "%s%s", used ? " " : "", word) >= room)
        exit(cli_fail_text(TL_ERR_USAGE, "the list of parameters has more than %zu bytes",
                           sizeof all - 1));
    setenv("TIMELESS_PARAMETERS", all, 1);
}

/* "100" or "100Hz" */
static const char *read_rate(struct argp_state *state, char *text)
{
    char *unit = text + strspn(text, "0123456789");
    if (!strcmp(unit, "Hz"))
        *unit = '\0';
    cli_parse_number_from(state, "samples in a second", text, 1, 1000);
    return text;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    settings *s = state->input;
    switch (key) {
    case 'o': s->output = arg; return 0;
    case OPTION_VOLUME: s->volume = arg; return 0;
    case OPTION_LIST_VOLUMES: s->list_volumes = true; return 0;
    case OPTION_KERNELS:
        if (strcmp(arg, "none") != 0 && strcmp(arg, "large") != 0 && strcmp(arg, "all") != 0)
            argp_error(state, "--kernels %s: give none, large or all", arg);
        s->kernels = arg;
        return 0;
    case OPTION_CLOCKS:
        if (strcmp(arg, "first") != 0 && strcmp(arg, "all") != 0)
            argp_error(state, "--clocks %s: give first or all", arg);
        s->clocks = arg;
        return 0;
    case OPTION_COUNTERS: s->counters = arg; return 0;
    case OPTION_CALL_PATHS:
        cli_parse_number_from(state, "depth of call paths", arg, 0, 64);
        s->call_paths = arg;
        return 0;
    case OPTION_CALL_TIMES: s->call_times = true; return 0;
    case OPTION_SAMPLE_STACKS: s->samples_hz = read_rate(state, arg); return 0;
    case OPTION_FOLDED: s->folded = true; return 0;
    case OPTION_NO_PACK: s->no_pack = true; return 0;
    case OPTION_PACK_SECONDS:
        s->packing.max_s =
            (unsigned)cli_parse_number_from(state, "seconds of packing", arg, 1, INT_MAX);
        return 0;
    case OPTION_PARAMETER: add_parameter(state, arg); return 0;
    case OPTION_REPEAT:
        s->n_runs =
            (unsigned)cli_parse_number_from(state, "number of runs", arg, 2, RECORD_MAX_RUNS);
        return 0;
    case OPTION_PRECISION:
        s->packing.volume_precision = cli_parse_precision(state, arg, &s->packing.statistical);
        return 0;
    case 'n':
        if (!strcmp(arg, "p"))
            argp_error(
                state,
                "-np is an option of mpirun; write -n N PROGRAM, or -- mpirun -np N PROGRAM");
        cli_parse_number_from(state, "number of ranks", arg, 1, INT_MAX);
        s->n_ranks = arg;
        return 0;
    case 'q': s->quiet = s->packing.quiet = true; return 0;
    case ARGP_KEY_ARG:
        s->command = &state->argv[state->next - 1];
        s->n_command = state->argc - state->next + 1;
        state->next = state->argc;
        return 0;
    case ARGP_KEY_END:
        if (!s->command && !s->list_volumes)
            argp_error(state, "give the command to run: timeless record -- mpirun -np 4 PROGRAM");
        if (s->n_ranks && s->command && record_has_name_of_launcher(s->command[0]))
            argp_error(state,
                       "-n %s starts the program by mpirun itself, and %s would be started %s "
                       "times; write 'timeless record -n %s PROGRAM', or leave out -n %s",
                       s->n_ranks, s->command[0], s->n_ranks, s->n_ranks, s->n_ranks);
        if (s->no_pack && (s->packing.volume_precision > 0 || s->packing.statistical))
            argp_error(state, "--volume-precision needs packing; leave out --no-pack");
        if (s->samples_hz && s->volume && !strncmp(s->volume, "exact", strlen("exact")))
            argp_error(state, "--sample-stacks needs the time of the program, and --volume exact "
                              "runs it in an emulator; leave out one of them");
        if (record_skips_kernels() && s->kernels && !strcmp(s->kernels, "none"))
            argp_error(state,
                       "--skip-kernels needs the sizes of kernels; leave out --kernels none");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&cli_skip, 0, "A run without computing:", 2}, {0}};

static const struct argp argp = {.options = options,
                                 .parser = parse_option,
                                 .children = children,
                                 .args_doc = "-- COMMAND...",
                                 .doc = "Run an MPI program and write its trace.\vThe exit code is "
                                        "that of COMMAND.  If COMMAND succeeds, but there is no "
                                        "trace, it is 3."};

/* ---- where the tracer is ---- */

static bool find_tracer(char *path, size_t size)
{
    const char *given = getenv("TIMELESS_TRACER");
    if (!given || !*given)
        return tlr_installed(TLR_PLACE_LIBRARIES, "libtimeless-tracer.so", "tracer/.libs", path,
                             size) != 0;
    snprintf(path, size, "%s", given);
    return access(path, R_OK) == 0;
}

/* ---- environment of the command ---- */

static const char *const forwarded[] = {
    "LD_PRELOAD", "TIMELESS_OUTPUT", "TIMELESS_VOLUME", "TIMELESS_QUIET", "TIMELESS_KERNELS",
    "TIMELESS_COUNTERS", "TIMELESS_RUN_ID", "TIMELESS_FOLDED", "TIMELESS_SKIP",
    "TIMELESS_CALL_PATHS", "TIMELESS_PARAMETERS", "TIMELESS_CLOCKS", "TIMELESS_CALL_TIMES",
    "TIMELESS_SAMPLE_STACKS",
    /* for --folded */
    "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "OMP_WAIT_POLICY", "OPENBLAS_THREAD_TIMEOUT"};
enum { N_FORWARDED = sizeof forwarded / sizeof *forwarded, N_FORWARDED_UNFOLDED = N_FORWARDED - 4 };

/* The value to forward for the i-th variable; NULL if there is none. Without --folded the user
 * decides about the limits of threads, and whether to forward them. */
static const char *forwarded_value(const settings *s, int i)
{
    return i < N_FORWARDED_UNFOLDED || s->folded ? getenv(forwarded[i]) : NULL;
}

/* The tracer comes first, then the libraries that the user preloads. */
static void set_preload(const char *tracer)
{
    const char *already = getenv("LD_PRELOAD");
    char value[4 * PATH_MAX];
    snprintf(value, sizeof value, "%s%s%s", tracer, already && *already ? ":" : "",
             already && *already ? already : "");
    setenv("LD_PRELOAD", value, 1);
}

static void set_environment(const settings *s, const char *output)
{
    setenv("TIMELESS_OUTPUT", output, 1);
    setenv("TIMELESS_RUN_ID", record_new_run_id(), 1);
    if (s->folded)
        record_set_folded();
    if (s->volume)
        setenv("TIMELESS_VOLUME", s->volume, 1);
    if (s->kernels)
        setenv("TIMELESS_KERNELS", s->kernels, 1);
    if (s->clocks)
        setenv("TIMELESS_CLOCKS", s->clocks, 1);
    if (s->call_times)
        setenv("TIMELESS_CALL_TIMES", "1", 1);
    if (s->samples_hz)
        setenv("TIMELESS_SAMPLE_STACKS", s->samples_hz, 1);
    if (s->call_paths || s->samples_hz)
        setenv("TIMELESS_CALL_PATHS", s->call_paths ? s->call_paths : CALL_PATHS_OF_SAMPLES,
               s->call_paths != NULL);
    /* Open MPI's own counting is off unless requested. */
    if (s->counters && strstr(s->counters, "mpit:runtime_spc"))
        setenv("OMPI_MCA_mpi_spc_attach", "all", 0);
    if (s->counters && strstr(s->counters, "_monitoring_"))
        setenv("OMPI_MCA_pml_monitoring_enable", "1", 0);
    if (s->quiet)
        setenv("TIMELESS_QUIET", "1", 1);
}

/* "COMMAND..." -> "mpirun -np N COMMAND..." */
enum { N_LAUNCHER = 3 };
static bool add_launcher(settings *s)
{
    char **command = calloc((size_t)s->n_command + N_LAUNCHER + 1, sizeof *command);
    s->launched = command;
    if (!command)
        return false;
    command[0] = (char *)"mpirun";
    command[1] = (char *)"-np";
    command[2] = (char *)s->n_ranks;
    memcpy(command + N_LAUNCHER, s->command, (size_t)s->n_command * sizeof *command);
    s->command = command;
    s->n_command += N_LAUNCHER;
    return true;
}

/* "A=1;B=2" of the variables that are set, after the user's list. */
static char *list_of_variables(const settings *s, const char *users)
{
    char *list = NULL;
    size_t size;
    FILE *out = open_memstream(&list, &size);
    if (!out)
        return NULL;
    fputs(users, out);
    for (int i = 0; i < N_FORWARDED; i++) {
        const char *value = forwarded_value(s, i);
        if (!value)
            continue;
        fprintf(out, "%s%s", *users || i ? ";" : "", forwarded[i]);
        if (!strchr(value, ';')) /* a name alone stands for the value in the environment */
            fprintf(out, "=%s", value);
    }
    return fclose(out) ? NULL : list;
}

static int add_emulator(const settings *s, char **argv, int n)
{
    for (int i = 0; s->emulator && s->emulator->words[i]; i++)
        argv[n++] = (char *)s->emulator->words[i];
    return n;
}

/* Ranks on this host inherit the environment. MPICH's launchers pass it on to other hosts, too.
 * Ranks that Open MPI starts on other hosts get the variables that it forwards, by -x or by the
 * parameter mca_base_env_list, but never by both. -x is added to every program of the command line,
 * unless there is a list of the user that can be extended. */
static char **forward_variables(const settings *s)
{
    char **argv =
        calloc((size_t)s->n_command * (2 * N_FORWARDED + 1) + EMULATOR_WORDS + 1, sizeof *argv);
    const char *users = getenv("OMPI_MCA_mca_base_env_list");
    int n = 0, in_argument = 0;
    assert(s->n_command > 0); /* argp has refused an empty one */
    if (!argv)
        return NULL;
    bool launcher = s->launcher == RECORD_OPEN_MPI;
    for (int i = 1; launcher && i + 1 < s->n_command; i++)
        if (!strcmp(s->command[i], "mca_base_env_list"))
            in_argument = i + 1;
    bool add = launcher && !users && !in_argument;
    if (s->launcher == RECORD_NO_LAUNCHER)
        n = add_emulator(s, argv, n);
    if (launcher && users && !in_argument) {
        char *list = list_of_variables(s, users);
        if (list)
            setenv("OMPI_MCA_mca_base_env_list", list, 1);
        free(list);
    }
    for (int i = 0; i < s->n_command; i++) {
        char *arg = s->command[i];
        if (in_argument && i == in_argument)
            arg = list_of_variables(s, arg); /* lives as long as the process */
        if (s->launcher == RECORD_OTHER_LAUNCHER && s->launched && i == N_LAUNCHER)
            n = add_emulator(s, argv, n);
        argv[n++] = arg ? arg : s->command[i];
        if (!add || (i > 0 && strcmp(s->command[i], ":") != 0))
            continue;
        for (int v = 0; v < N_FORWARDED; v++) {
            if (!forwarded_value(s, v))
                continue;
            argv[n++] = (char *)"-x";
            argv[n++] = (char *)forwarded[v];
        }
    }
    return argv;
}

/* ---- before it ---- */

static bool absolute_path(const char *name, char *path, size_t size)
{
    char folder[PATH_MAX];
    if (name[0] == '/')
        return snprintf(path, size, "%s", name) < (int)size;
    return getcwd(folder, sizeof folder) && snprintf(path, size, "%s/%s", folder, name) < (int)size;
}

/* Checks that the trace can be written before hours are computed. A free name is tried; an existing
 * trace stays until the tracer begins the new one. */
static const char *why_not_created(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        if (!S_ISREG(st.st_mode))
            return S_ISDIR(st.st_mode) ? "Is a directory"
                                       : "Is no regular file, to which ranks can append";
        return access(path, W_OK) == 0 ? NULL : strerror(errno);
    }
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno == EEXIST ? NULL : strerror(errno); /* another `timeless record` tries too */
    close(fd);
    return unlink(path) == 0 || errno == ENOENT ? NULL : strerror(errno);
}

/* Asks the tracer itself, in a process that does nothing else, in the emulator if there is one. It
 * lists sources of volumes, or its exit code is whether `volume` works, after it has printed the
 * reason. */
static int ask_tracer(const char *variable, const char *volume, const cli_emulator *emulator)
{
    char *command[EMULATOR_WORDS + 2] = {NULL};
    char program[] = "/bin/true", assignment[128];
    const char *set = emulator ? EMULATOR_SET_VARIABLE : variable;
    int n = 0;
    for (; emulator && emulator->words[n]; n++)
        command[n] = (char *)emulator->words[n];
    command[n] = program;
    snprintf(assignment, sizeof assignment, "%s=%s", variable, volume);
    setenv(set, emulator ? assignment : volume, 1);
    int code = record_run(command);
    unsetenv(set);
    return code;
}

static int list_volumes(const char *tracer)
{
    int code = ask_tracer("TIMELESS_LIST_VOLUMES", "all", NULL);
    static cli_emulator emulator;
    const char *reason = emulator_find(EMULATOR_VOLUME, tracer, &emulator);
    if (!reason)
        emulator_prepare(&emulator);
    if (!reason && ask_tracer("TIMELESS_LIST_VOLUMES", EMULATOR_VOLUME, &emulator) != 0)
        reason = "the emulator does not run here";
    if (reason)
        printf("%-14s %-24s %-13s no: %s\n", EMULATOR_VOLUME, EMULATOR_VOLUME, "instructions",
               reason);
    fflush(stdout);
    return code;
}

/* CLI_OK if the requested source of volumes works. */
static int check_volume(settings *s, const char *tracer)
{
    static cli_emulator emulator;
    const char *volume = s->volume ? s->volume : "auto";
    if (!strncmp(volume, "exact", strlen("exact"))) {
        const char *reason = emulator_find(volume, tracer, &emulator);
        if (!reason)
            reason = emulator_prepare_launch(&emulator);
        if (reason)
            return cli_fail_text(TL_ERR_USAGE, "not %s: %s", volume, reason);
        emulator_prepare(&emulator);
        s->emulator = &emulator;
        volume = s->volume = EMULATOR_VOLUME;
    }
    return ask_tracer("TIMELESS_CHECK_VOLUME", volume, s->emulator) == 0 ? CLI_OK : CLI_USAGE;
}

/* A run that used its processors for long should not have to wait long for one processor that
 * packs. */
static void limit_packing(record_packing *packing, time_t run_s)
{
    enum { LEAST_S = 60, PART_OF_RUN = 10 };
    if (!packing->max_s)
        packing->max_s = run_s / PART_OF_RUN > LEAST_S ? (unsigned)(run_s / PART_OF_RUN) : LEAST_S;
}

/* mpirun would refuse to start the ranks. */
static void fold_if_needed(settings *s)
{
    unsigned n_cores;
    if (s->folded || !s->n_ranks || !record_needs_folding(s->n_ranks, &n_cores))
        return;
    s->folded = true;
    if (!s->quiet)
        fprintf(stderr,
                "timeless: %s ranks share %u core%s, as with --folded: the volumes are right, but "
                "the clock is not comparable with a prediction\n",
                s->n_ranks, n_cores, n_cores == 1 ? "" : "s");
}

/* The command failed before it began. mpirun explains root and slots, but not what to do about them
 * here. */
static void recommend_options(const settings *s)
{
    unsigned n_cores;
    if (s->launcher != RECORD_OPEN_MPI)
        return;
    if (record_refuses_root(s->command)) {
        fprintf(stderr,
                "timeless: %s refuses to start programs as root; become another user, or, in a "
                "container, type: timeless record -- %s --allow-run-as-root ...\n",
                s->command[0], s->command[0]);
        return;
    }
    if (s->folded || !record_needs_folding(record_ranks_of(s->command), &n_cores))
        return;
    fprintf(stderr,
            "timeless: %s was asked for %s ranks, and this host has %u core%s; if the ranks may "
            "share the cores, type: timeless record --folded -- %s ...\n",
            s->command[0], record_ranks_of(s->command), n_cores, n_cores == 1 ? "" : "s",
            s->command[0]);
}

/* Runs the command and prints the result. */
static int record(settings *s, const char *output)
{
    fold_if_needed(s);
    if (s->n_ranks && !add_launcher(s))
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    s->launcher = record_find_launcher(s->command[0]);
    if (s->emulator && s->launcher == RECORD_OTHER_LAUNCHER && !s->launched)
        return cli_fail_text(
            TL_ERR_USAGE,
            "%s: with this launcher, %s needs to know where the program begins; give "
            "-n N PROGRAM in place of its command line",
            s->command[0], s->volume);
    set_environment(s, output);
    char **command = forward_variables(s);
    if (!command)
        return cli_fail_text(TL_ERR_MEMORY, "out of memory");
    const double began_s = tl_now_s(CLOCK_MONOTONIC);
    int code = record_run(command);
    const double took_s = tl_now_s(CLOCK_MONOTONIC) - began_s;
    free(command);
    if (code < 0)
        return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be run: %s", s->command[0],
                             strerror(errno));
    const char *run_id = getenv("TIMELESS_RUN_ID");
    uint32_t n_losers = 0;
    size_t n_parts = record_join_parts(s->output, run_id, &n_losers);
    const bool is_new = record_is_of_run(s->output, run_id);
    if (n_parts && !is_new)
        return code ? code : CLI_BAD_INPUT;
    if (!is_new) {
        const int failed = record_no_trace(s->output, code);
        if (code)
            recommend_options(s); /* last, because it says what to do */
        return failed;
    }
    limit_packing(&s->packing, (time_t)took_s);
    if (!s->no_pack) {
        record_pack(s->output, &s->packing);
        const double packing_s = tl_now_s(CLOCK_MONOTONIC) - began_s - took_s;
        if (!s->quiet && packing_s >= 1)
            fprintf(stderr, "timeless: %s: the program took %.1f s, packing after it %.1f s\n",
                    tl_printable(s->output), took_s, packing_s);
    }
    return record_summarise(s->output, code, s->quiet, n_losers);
}

/* One run, into this file. */
static int record_to(void *settings_of, const char *path)
{
    settings *s = settings_of;
    char output[PATH_MAX];
    s->output = path;
    if (!absolute_path(path, output, sizeof output))
        return cli_fail_text(TL_ERR_USAGE, "%s: the path is too long", path);
    const char *why = why_not_created(output);
    if (why)
        return cli_fail_text(TL_ERR_SYSTEM, "%s: cannot be created: %s; give another --output",
                             path, why);
    const int code = record(s, output);
    free(s->launched);
    return code;
}

int cmd_record(int argc, char **argv)
{
    settings s = {.output = "trace.tl"};
    char tracer[PATH_MAX];
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &s);
    if (!find_tracer(tracer, sizeof tracer))
        return cli_fail_text(TL_ERR_SYSTEM,
                             "%s: the tracer " CLI_IS_MISSING ", or set TIMELESS_TRACER to a "
                             "libtimeless-tracer.so",
                             tracer);
    set_preload(tracer);
    if (s.list_volumes)
        return list_volumes(tracer);
    int code = s.n_runs ? CLI_OK : cli_check_output(s.output);
    if (code != CLI_OK)
        return code;
    if (s.counters)
        setenv("TIMELESS_COUNTERS", s.counters, 1);
    if ((s.volume || s.counters) && check_volume(&s, tracer) != CLI_OK)
        return CLI_USAGE;
    return s.n_runs ? record_repeat(s.n_runs, s.output, s.quiet, record_to, &s)
                    : record_to(&s, s.output);
}
