/* commands.c - commands FOLDER TRACE...: runs every command that takes a trace on each of them,
 * with files in FOLDER (which holds the platform p).  One process runs all commands on a trace,
 * since a process takes longer to make than most commands run; if that has a finding, each command
 * runs again in a process of its own.
 *
 * A finding is a crash, a report of a sanitizer, an exit code that is none of the documented ones,
 * more than 10 s of CPU time, or more than 4 GB of memory.  Exit code 1 if there is any.  The last
 * line has the number of traces, of runs, and the most that one took. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <timeless.h>

#include "replayer.h"

/* The build gives another name to the main of cli/main.c. */
int timeless_main(int argc, char **argv);
#undef main

enum { MAX_WORDS = 16, CPU_SECONDS = 10, WALL_SECONDS = 120, MAX_KILOBYTES = 4 << 20 };
enum { MAX_EXIT_CODE = 5 };
#define NET "--params", "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=1000"
#define SMPI "-p", "./p"
#define LOGGOPS "--engine", "loggops", NET, "--model", "p/model.conf"

/* @ is the trace. */
static const char *const commands[][MAX_WORDS] = {
    {"info", "@"},
    {"info", "@", "--sections"},
    {"dump", "@"},
    {"cut", "@", "--events", "2:20", "-o", "part.tl"},
    {"cut", "@", "--region", "1", "-o", "part.tl"},
    {"pack", "@", "-o", "packed.tl"},
    {"export", "@", "--to", "simgrid", "-o", "simgrid"},
    {"export", "@", "--to", "goal", "-o", "goal"},
    {"export", "@", "--to", "otf2", "-o", "otf2"},
    {"extrapolate", "@", "--ranks", "16", "-o", "more.tl"},
    {"replay", "@", SMPI, "-q"},
    {"replay", "@", SMPI, "-q", "--allow-opaque", "--wildcards", "first"},
    {"replay", "@", LOGGOPS, "-q"},
    {"replay", "@", LOGGOPS, "-q", "--allow-opaque", "--coll-selector", "ompi"},
    {"replay", "@", SMPI, "--details", "--coll-selector", "mpich"},
    {"report", "@", SMPI, "-o", "page.html"},
    {"sweep", "@", LOGGOPS, "--grid", "params.L=1us,2us", "-j", "1", "-o", "grid.csv"},
    /* Each replay of a search forks, and is the same but for the latency: a few are enough. */
    {"tolerance", "@", LOGGOPS, "--growth", "5", "--precision", "0.2"},
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* In memory that all processes share. */
typedef struct tally {
    long n_runs, n_replayed;
} tally;
static tally *counted;
static long most_kb;
static double most_s;

static int run_command(const char *const *words, const char *trace)
{
    char *argv[MAX_WORDS + 2] = {(char *)(uintptr_t) "timeless"};
    int argc = 1;
    unlink("grid.csv"); /* points that it has would not be run again */
    const int replays = !strcmp(*words, "replay");
    for (; *words; words++)
        argv[argc++] = (char *)(uintptr_t)(strcmp(*words, "@") ? *words : trace);
    const int code = timeless_main(argc, argv);
    counted->n_runs++;
    counted->n_replayed += replays && !code;
    return code;
}

/* Commands [from, past). */
static void __attribute__((noreturn)) run_child(size_t from, size_t past, const char *trace)
{
    const struct rlimit cpu = {CPU_SECONDS, CPU_SECONDS + 1};
    const int nowhere = open("/dev/null", O_RDWR),
              said = open("said", O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (nowhere < 0 || said < 0)
        _exit(98);
    dup2(nowhere, STDIN_FILENO);
    dup2(nowhere, STDOUT_FILENO);
    dup2(said, STDERR_FILENO);
    setrlimit(RLIMIT_CPU, &cpu);
    setpgid(0, 0);
    alarm(WALL_SECONDS);
    for (size_t c = from; c < past; c++) {
        const int code = run_command(commands[c], trace);
        if (code < 0 || code > MAX_EXIT_CODE)
            _exit(97);
    }
    _exit(0);
}

static void read_said(char *text, size_t size)
{
    FILE *f = fopen("said", "r");
    const size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    if (f)
        fclose(f);
}

/* NULL, or what is wrong with the way that the run ended. */
static const char *find_fault(int end, const struct rusage *used, const char *said)
{
    if (WIFSIGNALED(end))
        return WTERMSIG(end) == SIGXCPU || WTERMSIG(end) == SIGKILL || WTERMSIG(end) == SIGALRM
                   ? "took too long"
                   : strsignal(WTERMSIG(end));
    if (strstr(said, "Sanitizer") || strstr(said, "runtime error:"))
        return "sanitizer";
    if (strstr(said, "timeless crashed"))
        return "crash of ours";
    if (strstr(said, "SimGrid crashed") || strstr(said, "was killed"))
        return "crash of SimGrid";
    if (WEXITSTATUS(end) != 0)
        return "exit code";
    return used->ru_maxrss > MAX_KILOBYTES ? "too much memory" : NULL;
}

/* Whether there was no finding; with a report, it is printed. */
static int run(size_t from, size_t past, const char *trace, int reports)
{
    static char said[1 << 16];
    int end = 0;
    struct rusage used;
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
        run_child(from, past, trace);
    while (wait4(child, &end, 0, &used) < 0 && errno == EINTR)
        ;
    kill(-child, SIGKILL); /* what it left behind */
    read_said(said, sizeof said);
    const double s = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                     1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    const char *fault = find_fault(end, &used, said);
    most_kb = used.ru_maxrss > most_kb ? used.ru_maxrss : most_kb;
    most_s = s > most_s ? s : most_s;
    if (!fault || !reports)
        return !fault;
    printf("%s:", trace);
    for (const char *const *word = commands[from]; *word; word++)
        printf(" %s", *word);
    printf("%s: %s (status %d, %.1f s, %ld kB)\n%s\n", past - from > 1 ? " and more" : "", fault,
           end, s, used.ru_maxrss, said);
    return 0;
}

/* Returns the number of findings. */
static int run_all(const char *trace)
{
    int n_found = 0;
    const tally before = *counted;
    if (run(0, N_COMMANDS, trace, 0))
        return 0;
    *counted = before;
    for (size_t c = 0; c < N_COMMANDS; c++)
        n_found += !run(c, c + 1, trace, 1);
    /* All together took too long, perhaps, and none by itself. */
    return n_found;
}

int main(int argc, char **argv)
{
    tl_error err;
    int n_found = 0;
    if (argc < 3 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: commands FOLDER TRACE...\n");
        return 2;
    }
    /* Once for all of them. */
    if (tlr_engine_load("smpi", &err) != TL_OK) {
        fprintf(stderr, "commands: %s\n", err.text);
        return 4;
    }
    counted =
        mmap(NULL, sizeof *counted, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (counted == MAP_FAILED)
        return 4;
    for (int i = 2; i < argc; i++)
        n_found += run_all(argv[i]);
    printf("%d traces, %ld runs, %ld replays to the end, at most %.1f s and %ld MB; %d findings\n",
           argc - 2, counted->n_runs, counted->n_replayed, most_s, most_kb >> 10, n_found);
    return n_found != 0;
}
