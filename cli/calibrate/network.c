/* network.c - timeless calibrate network: measures the time of messages between hosts. */
#include "config.h"

#include "calibrate/campaign.h"
#include "cli.h"
#include "installed.h"
#include "launch.h"

#include <errno.h>
#include <calibrate/network.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { KEY_NODES = KEY_OWN, KEY_PROBE, KEY_FOR, KEY_PER_HOST, KEY_LAUNCHES };
enum { MAX_ARGS = CLI_LAUNCH_WORDS, MAX_PER_HOST = 64 };
/* By default, each launch of the probe measures so long, or longer. */
enum { LAUNCH_SECONDS = 18, DEFAULT_LAUNCHES = 5, MAX_LAUNCHES = 1000 };

typedef struct arguments {
    campaign c;
    const char *probe, *trace;
    char raw[PATH_MAX];              /* the measurements */
    int nodes, per_host, n_launches; /* n_launches 0: not given */
    tlp_network_needs needs;         /* of the trace */
    tlp_network net;
} arguments;

static const struct argp_option options[] = {
    {"output", 'o', "FOLDER", 0, "the platform folder to write", 0},

    {0, 0, 0, 0, "What is measured:", 1},
    {"hosts", KEY_HOSTS, "HOST,HOST...", 0,
     "measure between these hosts, with two ranks on each (default: two ranks on this host)", 0},
    {"per-host", KEY_PER_HOST, "N", 0,
     "measure what N ranks on each host share: messages within a host, and their adapter (default: "
     "1, as if each rank had an adapter)",
     0},
    {"for", KEY_FOR, "TRACE", 0,
     "mostly sizes that messages of the trace have, in addition to what the folder has measured",
     0},
    {"max-seconds", KEY_SECONDS, "S", 0, "measure for S seconds (default: 90; with --for: 60)", 0},
    {"launches", KEY_LAUNCHES, "N", 0,
     "start the measuring program N times, for a part of the time each: runs differ from launch to "
     "launch (default: one for every 18 s, at most 5)",
     0},
    {"max-bytes", KEY_BYTES, "N", 0, "size of the largest message (default: 1000000000)", 0},
    {"seed", KEY_SEED, "N", 0, "draw operations and sizes from this seed (default: 1)", 0},
    {"probe", KEY_PROBE, "FILE", 0, "the measuring program, if the hosts have it elsewhere", 0},

    {0, 0, 0, 0, "The platform:", 2},
    {"nodes", KEY_NODES, "N", 0, "number of nodes (default: as many as hosts)", 0},
    {"reuse", KEY_REUSE, "PATH", 0,
     "measure nothing, and fit the measurements of PATH, network.csv or an archive", 0},
    {"archive", KEY_ARCHIVE, "FOLDER", 0,
     "folder with the measurements, or none (default: network-MOMENT in the folder)", 0},
    {0}};

static void check_arguments(struct argp_state *state, arguments *a)
{
    campaign *c = &a->c;
    if (!c->output)
        argp_error(state, "where to? give -o FOLDER");
    if (a->trace && c->from)
        argp_error(state, "give only one of --for and --reuse");
    if (!c->seconds)
        c->seconds = a->trace ? 60 : 90;
    if (!a->n_launches)
        a->n_launches = c->seconds / LAUNCH_SECONDS < 1 ? 1
                        : c->seconds / LAUNCH_SECONDS < DEFAULT_LAUNCHES
                            ? (int)(c->seconds / LAUNCH_SECONDS)
                            : DEFAULT_LAUNCHES;
    if ((uint64_t)a->n_launches > c->seconds)
        argp_error(state, "--launches %d needs a second for each: give more --max-seconds",
                   a->n_launches);
    const bool has_hosts = campaign_has_hosts(state, c);
    if (a->per_host > 1 && !has_hosts && !c->from)
        argp_error(state,
                   "--per-host %d needs several hosts: give --hosts, or '-- mpirun ARGUMENTS'",
                   a->per_host);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case KEY_LAUNCHES:
        a->n_launches = (int)cli_parse_number_from(state, "--launches", value, 1, MAX_LAUNCHES);
        return 0;
    case KEY_NODES:
        a->nodes = (int)cli_parse_number_from(state, "--nodes", value, 1, 1 << 22);
        return 0;
    case KEY_PER_HOST:
        a->per_host = (int)cli_parse_number_from(state, "--per-host", value, 1, MAX_PER_HOST);
        return 0;
    case KEY_PROBE: a->probe = value; return 0;
    case KEY_FOR: a->trace = value; return 0;
    case ARGP_KEY_END: check_arguments(state, a); return 0;
    default: return campaign_parse(key, value, state);
    }
}

/* "18/90": the seconds of a launch, the first of which has what is left over, and of all. */
static void write_seconds(const arguments *a, int launch, char *out, size_t size)
{
    const uint64_t n = (uint64_t)a->n_launches,
                   seconds = a->c.seconds / n + (launch ? 0 : a->c.seconds % n);
    snprintf(out, size, n > 1 ? "%llu/%llu" : "%llu", (unsigned long long)seconds,
             (unsigned long long)a->c.seconds);
}

/* The command that measures. Its texts are in the caller's buffers. */
static int build_command(const arguments *a, int launch, char *probe,
                         char (*texts)[CLI_LAUNCH_TEXT], char **argv, tl_error *err)
{
    cli_launcher launcher = a->c.launcher;
    launcher.n_each = a->per_host > 1 ? a->per_host : 2;
    int n = cli_launcher_words(&launcher, texts, argv, err);
    if (!n)
        return 0;
    argv[n++] = probe;
    write_seconds(a, launch, texts[2], sizeof texts[2]);
    snprintf(texts[3], sizeof texts[3], "%llu", (unsigned long long)a->c.seed + (unsigned)launch);
    snprintf(texts[4], sizeof texts[4], "%llu", (unsigned long long)a->c.max_bytes);
    for (int i = 2; i < 5; i++)
        argv[n++] = texts[i];
    if (a->needs.n || a->per_host > 1)
        argv[n++] = texts[5];
    snprintf(texts[5], sizeof texts[5], "-"); /* no size, and not empty: launchers may drop that */
    if (a->per_host > 1) {
        argv[n++] = texts[6];
        snprintf(texts[6], sizeof texts[6], "%d", a->per_host);
    }
    size_t used = 0;
    for (int i = 0; i < a->needs.n; i++)
        used += (size_t)snprintf(texts[5] + used, sizeof texts[5] - used, "%s%ld", i ? "," : "",
                                 a->needs.bytes[i]);
    argv[n] = NULL;
    return n;
}

/* Copies the output of the probe to the file, up to the probe's last line. */
static bool copy_line(void *out, const char *line)
{
    fputs(line, out);
    return !strncmp(line, "# end ", 6) || !strncmp(line, "# error ", 8);
}

/* Runs the probe; its measurements go to `path`. */
static tl_status measure_launch(const arguments *a, int launch, const char *path, tl_error *err)
{
    char probe[PATH_MAX], texts[7][CLI_LAUNCH_TEXT], *argv[MAX_ARGS];
    tl_status status = TL_OK;
    TL_TRY(cli_launch_program(a->probe, "timeless-network-probe", "platforms",
                              "the measuring program", "--probe", probe, err));
    if (!build_command(a, launch, probe, texts, argv, err))
        return err->status;
    FILE *out = fopen(path, "w");
    if (!out)
        return tl_fail(err, TL_ERR_SYSTEM, "%.200s: cannot be written: %s; check the path", path,
                       strerror(errno));
    status = cli_launch_run(argv, 0, copy_line, out, err);
    if (fclose(out) != 0 && status == TL_OK)
        status = tl_fail(err, TL_ERR_SYSTEM, "%.200s: cannot be written: %s; check the disk", path,
                         strerror(errno));
    return status;
}

/* MPI libraries change to their protocol for long messages below that. */
enum { LONG_BYTES = 512 << 10 };

/* On a slow network, the time may not suffice for long messages. */
static void warn_of_short(const tlp_probe_data *data)
{
    double longest = 0;
    for (size_t i = 0; i < data->n_rows; i++)
        if (data->rows[i].kind == KIND_pingpong && data->rows[i].bytes > longest)
            longest = data->rows[i].bytes;
    if (longest < LONG_BYTES)
        fprintf(stderr,
                "timeless: warning: the longest message measured has %.0f B, and the times of "
                "longer ones are guessed from it; measure with more --max-seconds or --max-bytes\n",
                longest);
}

static tl_status add(campaign *c, tl_error *err)
{
    static const char *const results[] = {"platform.conf", "platform.xml", "options.conf",
                                          "network.conf",  "model.conf",   "README.md"};
    const arguments *a = (arguments *)c;
    const tlp_probe_data *data = c->all;
    char entry[64], file[PATH_MAX];
    tlp_archive_note(c->archive, "MPI", "%s", data->mpi);
    tlp_archive_note(c->archive, "seed", "%lu", data->seed);
    tlp_archive_note(c->archive, "seconds", "%g", data->max_seconds);
    tlp_archive_note(c->archive, "ranks", "%d on %d host%s; raw/network.csv describes each host",
                     data->n_ranks, data->n_hosts, data->n_hosts == 1 ? "" : "s");
    tlp_archive_note(c->archive, "operations", "%zu, of which %zu were taken as warm-up",
                     data->n_rows, a->net.n_warm);
    if (c->from)
        tlp_archive_note(c->archive, "measurements from", "%s", c->from);
    TL_TRY(tlp_archive_add_raw(c->archive, tlp_raw_network.entry, c->from ? c->from : a->raw, err));
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        snprintf(entry, sizeof entry, "result/%s", results[i]);
        snprintf(file, sizeof file, "%s/%s", c->output, results[i]);
        TL_TRY(tlp_archive_add_file(c->archive, entry, file, err));
    }
    return tlp_network_repetitions(&a->net, data, &c->repetitions) == TL_OK
               ? TL_OK
               : tl_no_memory(err, "archiving");
}

/* Fits and writes. */
static tl_status write_platform(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    const tlp_probe_data *data = c->all;
    char shipped[PATH_MAX];
    tlr_platforms_folder(shipped, sizeof shipped);
    const tlp_network_folder to = {c->output, shipped, a->nodes};
    if (a->per_host && a->per_host != data->per_host)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: was measured with --per-host %d, and not with %d; measure again, or "
                       "leave out --per-host",
                       c->from ? c->from : a->raw, data->per_host, a->per_host);
    TL_TRY(tlp_network_fit(data, &a->net, err));
    return tlp_network_write(&a->net, data, &to, err);
}

static void report(campaign *c)
{
    const tlp_network *net = &((arguments *)c)->net;
    fprintf(stderr,
            "timeless: %s: %zu operations, %d segments; latency %.3g us, bandwidth %.4g MB/s, "
            "detached below %ld B\n",
            c->output, net->n_rows, net->pieces.n, 1e6 * net->latency_s, 1e-6 * net->bandwidth_Bps,
            net->detached_bytes);
    warn_of_short(c->all);
    if (net->has_no_latency && !net->one_host)
        fputs(
            "timeless: warning: no latency was found between the hosts; if the network limits the "
            "rate but lets bursts pass (cloud, traffic shaping), short messages are predicted too "
            "long\n",
            stderr);
}

static void end(campaign *c)
{
    tlp_network_clear(&((arguments *)c)->net);
}

/* Sizes of the trace, and no larger ones than thresholds and bandwidth need. */
static tl_status begin_needs(arguments *a, tl_error *err)
{
    enum { LEAST_LARGEST = 1 << 20 };
    TL_TRY(tlp_network_needs_read(a->trace, &a->needs, err));
    const uint64_t largest =
        (uint64_t)(a->needs.largest > LEAST_LARGEST ? a->needs.largest : LEAST_LARGEST);
    if (largest + largest / 4 < a->c.max_bytes)
        a->c.max_bytes = largest + largest / 4;
    return TL_OK;
}

/* New measurements cannot be added to a file without any. */
static tl_status check_old(const char *path, tl_error *err)
{
    tl_error reason;
    tlp_probe_data *data = tlp_raw_open(&tlp_raw_network, path, &reason);
    const tl_status status = data ? TL_OK
                                  : tl_fail(err, reason.status,
                                            "%s; --for adds to this file: remove it, or leave out "
                                            "--for",
                                            reason.text);
    tlp_probe_free(data);
    return status;
}

/* Measures into files beside a->raw, and replaces that one or adds to it. If measuring fails, the
 * folder stays as it was. */
static tl_status measure(campaign *c, tl_error *err)
{
    const arguments *a = (arguments *)c;
    const char *so_far = a->trace && access(a->raw, F_OK) == 0 ? a->raw : NULL;
    char all[PATH_MAX + 16], more[PATH_MAX + 16], launches[64];
    tl_status status = so_far ? check_old(a->raw, err) : TL_OK;
    snprintf(all, sizeof all, "%s.added", a->raw);
    snprintf(more, sizeof more, "%s.more", a->raw);
    snprintf(launches, sizeof launches, ", in %d launches", a->n_launches);
    if (status == TL_OK)
        fprintf(stderr, "timeless: measuring for %llu s%s, then fitting\n",
                (unsigned long long)c->seconds, a->n_launches > 1 ? launches : "");
    for (int i = 0; i < a->n_launches && status == TL_OK; i++) {
        status = measure_launch(a, i, more, err);
        if (status == TL_OK)
            status = tlp_probe_join(so_far, more, all, err);
        so_far = all;
    }
    if (status == TL_OK && rename(all, a->raw) != 0)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be replaced: %s; check the folder", a->raw,
                         strerror(errno));
    unlink(all);
    unlink(more);
    if (status == TL_OK && !(c->all = tlp_raw_open(&tlp_raw_network, a->raw, err)))
        status = err->status;
    return status;
}

static tl_status begin(campaign *c, tl_error *err)
{
    arguments *a = (arguments *)c;
    if (a->trace)
        TL_TRY(begin_needs(a, err));
    snprintf(a->raw, sizeof a->raw, "%s/network.csv", c->output);
    return campaign_make_folder(c->output, err);
}

int calibrate_network(int argc, char **argv)
{
    static const campaign_kind kind = {
        .what = "network",
        .options = options,
        .parse = parse_option,
        .words = "[-- mpirun ARGUMENTS...]",
        .doc = "Measure how long messages take between hosts, or between two ranks on this one, "
               "and write a platform folder for 'timeless replay'.",
        .least_seconds = 1,
        .least_bytes = 1024,
        .most_bytes = INT_MAX,
        .raw = &tlp_raw_network,
        .begin = begin,
        .measure = measure,
        .write = write_platform,
        .add = add,
        .report = report,
        .end = end};
    arguments a = {.c = {.max_bytes = 1000000000, .seed = 1}};
    return campaign_run(&a.c, &kind, argc, argv);
}
