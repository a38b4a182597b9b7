/* replays.c - replays in a harness. */
#include "fuzz.h"
#include "replays.h"

#include "replayer.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* A text of few bytes can have millions of ranks, or simulate them for hours. */
enum { MAX_RANKS = 16, MAX_EVENTS = 20000 };

static char folder[64];

static void write_text(const char *name, const char *text)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    fuzz_write_file(path, text, strlen(text));
}

static void remove_folder(void)
{
    static const char *const names[] = {"platform.xml", "model.conf"};
    char path[128];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

/* What a campaign had of each engine. */
static struct tally {
    const char *engine;
    uint64_t n_replays, n_ended;
    double cpu_s, child_s; /* in tlr_replay: the plan, and the engine; the part in children */
} tallies[] = {{.engine = "loggops"}, {.engine = "smpi"}};

static double cpu_of(int who)
{
    struct rusage used;
    getrusage(who, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static void print_tallies(void)
{
    for (const struct tally *t = tallies; t < tallies + sizeof tallies / sizeof *tallies; t++)
        if (t->n_replays > 0)
            fprintf(stderr,
                    "engine %s: %llu replays, %llu to the end, %.1f CPU s, %.1f in children\n",
                    t->engine, (unsigned long long)t->n_replays, (unsigned long long)t->n_ended,
                    t->cpu_s, t->child_s);
}

static const tlr_platform *platform_of_harness(void)
{
    static tlr_platform *platform;
    tl_error err;
    if (platform)
        return platform;
    snprintf(folder, sizeof folder, "%s/replay.XXXXXX",
             access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm");
    FUZZ_CHECK(mkdtemp(folder));
    atexit(remove_folder);
    atexit(print_tallies);
    write_text("platform.xml",
               "<?xml version='1.0'?>\n"
               "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
               "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
               "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-15\" speed=\"1Gf\" "
               "bw=\"1GBps\" lat=\"10us\"/></zone></platform>\n");
    write_text("model.conf", "reference_flops = 1e9; seconds_per_flop = 1e-9;\n"
                             "units = ({unit = \"none\"; seconds_per_unit = 1e-9;},"
                             "{unit = \"cpu-ns\"; seconds_per_unit = 1e-9;});\n");
    FUZZ_CHECK(!tlr_platform_load(folder, &platform, &err));
    return platform;
}

static int is_small(const tl_reader *r)
{
    uint64_t n = 0;
    const uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    for (uint32_t rank = 0; rank < n_ranks && n_ranks <= MAX_RANKS; rank++) {
        tl_rank_summary summary;
        if (!tl_reader_rank(r, rank, &summary))
            n += summary.n_events;
    }
    return n_ranks <= MAX_RANKS && n <= MAX_EVENTS;
}

static void replay(tl_reader *r, const char *engine, int allow_opaque)
{
    static const tlr_options of_loggops = {.loggops_params =
                                               "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=100"};
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    enum { N_SIGNALS = sizeof signals / sizeof *signals };
    struct sigaction before[N_SIGNALS];
    const struct sigaction none = {.sa_handler = SIG_DFL};
    const int is_smpi = !strcmp(engine, "smpi");
    tlr_options options = is_smpi ? (tlr_options){.io_bandwidth = 1e9} : of_loggops;
    tlr_prediction *p = NULL;
    tl_error err = {0};
    options.allow_opaque = allow_opaque;
    /* The child tells its crashes itself. */
    for (size_t i = 0; i < N_SIGNALS && is_smpi; i++)
        sigaction(signals[i], &none, &before[i]);
    const tlr_platform *platform = platform_of_harness();
    struct tally *tally = &tallies[is_smpi];
    const double own_s = cpu_of(RUSAGE_SELF), child_s = cpu_of(RUSAGE_CHILDREN);
    const tl_status status = tlr_replay(r, platform, engine, &options, &p, &err);
    tally->n_replays++;
    tally->n_ended += !status;
    tally->child_s += cpu_of(RUSAGE_CHILDREN) - child_s;
    tally->cpu_s += cpu_of(RUSAGE_SELF) - own_s + cpu_of(RUSAGE_CHILDREN) - child_s;
    for (size_t i = 0; i < N_SIGNALS && is_smpi; i++)
        sigaction(signals[i], &before[i], NULL);
    if (status) {
        FUZZ_CHECK(err.status == status && *err.text);
        /* Behind the path; a call site of the input may hold these words, too. */
        const char *const said = strstr(err.text, ": ");
        if (said && !strncmp(said, ": timeless crashed (", 20)) {
            fprintf(stderr, "%s\n", err.text);
            abort();
        }
        return;
    }
    FUZZ_CHECK(isfinite(p->makespan_s) && p->makespan_s >= 0);
    for (uint32_t rank = 0; rank < p->n_ranks; rank++)
        FUZZ_CHECK(p->ranks[rank].end_s <= p->makespan_s);
    tlr_prediction_free(p);
}

void fuzz_replay_trace(const char *path)
{
    const char *engine = getenv("FUZZ_ENGINE");
    tl_reader *r;
    if (tl_reader_open(path, &r, NULL))
        return;
    if (is_small(r) && tl_reader_complete(r)) {
        if (!engine || !strcmp(engine, "loggops")) {
            replay(r, "loggops", 0);
            replay(r, "loggops", 1);
        }
        if (!engine || !strcmp(engine, "smpi"))
            replay(r, "smpi", 1);
    }
    tl_reader_close(r);
}
