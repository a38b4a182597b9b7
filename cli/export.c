/* export.c - timeless export: a trace in another format. */
#include "config.h"

#include "cli.h"
#include "progress.h"
#include "schedules.h"

#include <loggops/messages.h>
#include <replayer.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

struct export_options {
    const char *path, *out, *to;
    bool has_rate;
    tl_rates rates;
    tl_kernel_rate *kernels; /* of rates */
    char **schedules;        /* as options of a replay: smpi/OPERATION:FILE */
    size_t n_schedules;
};

enum { OPT_RATE = 256, OPT_NO_COMPUTE, OPT_COLL };

static const struct argp_option option_table[] = {
    {"to", 't', "FORMAT", 0, "simgrid, otf2 (folders of files) or goal", 0},
    {"output", 'o', "PATH", 0, "folder or file to write", 0},
    {"rate", OPT_RATE, "X", 0,
     "flops (simgrid) or nanoseconds (goal, otf2) of a unit of volume (default: 1)", 0},
    {"kernel", 'k', "NAME=X", 0, "the same for a unit of work of a kernel: dgemm=2", 0},
    {"no-compute", OPT_NO_COMPUTE, NULL, 0, "leave out computation", 0},
    {"coll", OPT_COLL, "CALL=FILE", 0,
     "goal: a collective as the messages of this schedule, not of its algorithm", 0},
    {0}};

static void add_kernel(struct argp_state *state, uint16_t call, double per_work)
{
    struct export_options *o = state->input;
    tl_kernel_rate *more = realloc(o->kernels, (o->rates.n_kernels + 1) * sizeof *more);
    if (!more)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    else {
        more[o->rates.n_kernels++] = (tl_kernel_rate){call, per_work};
        o->rates.kernels = o->kernels = more;
    }
}

static void parse_kernel(struct argp_state *state, char *arg)
{
    char *equals = strchr(arg, '=');
    if (equals)
        *equals = 0;
    const tl_call_info *row = tl_call_by_name(arg);
    if (!equals || !row || row->action != TL_ACTION_KERNEL)
        argp_error(state, "kernel '%s': give NAME=X, as in dgemm=2", arg);
    else
        add_kernel(state, row->code, cli_parse_rate(state, equals + 1));
}

static void add_schedule(struct argp_state *state, const char *choice)
{
    struct export_options *o = state->input;
    const char *file = strchr(choice, '=');
    if (!file || file == choice || !file[1 + strcspn(file + 1, "./")])
        argp_error(state, "--coll '%s': give CALL=FILE with a schedule, as in allreduce=ring.sched",
                   choice);
    char **more = realloc(o->schedules, (o->n_schedules + 1) * sizeof *more);
    if (more)
        o->schedules = more;
    if (!more ||
        asprintf(&more[o->n_schedules], "smpi/%.*s:%s", (int)(file - choice), choice, file + 1) < 0)
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
    o->n_schedules++;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct export_options *o = state->input;
    switch (key) {
    case 't':
        if (strcmp(arg, "simgrid") != 0 && strcmp(arg, "goal") != 0 && strcmp(arg, "otf2") != 0)
            argp_error(state,
                       "format '%s': give simgrid, goal or otf2; Paraver, Paje and Perfetto show a "
                       "prediction: timeless replay --timeline",
                       arg);
        o->to = arg;
        return 0;
    case 'o': o->out = arg; return 0;
    case OPT_RATE:
        o->has_rate = 1;
        o->rates.per_unit = cli_parse_rate(state, arg);
        return 0;
    case 'k': parse_kernel(state, arg); return 0;
    case OPT_NO_COMPUTE: o->rates.no_compute = 1; return 0;
    case OPT_COLL: add_schedule(state, arg); return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || !o->to)
            argp_error(state, "give --to FORMAT and -o PATH");
        else if (o->n_schedules && strcmp(o->to, "goal") != 0)
            argp_error(state, "--coll needs --to goal");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

static tl_status write_otf2(tl_reader *r, const struct export_options *o, tl_error *err)
{
#ifdef HAVE_OTF2
    return tlr_export_otf2(r, &o->rates, o->out, err);
#else
    (void)o;
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: this program was built without OTF2; install libopen-trace-format2-dev and "
                   "build it again",
                   tl_reader_path(r));
#endif
}

/* Collectives become the messages of a schedule, or else of the algorithm of a replay. */
static tl_status write_goal(tl_reader *r, const struct export_options *o, tl_error *err)
{
    const tlr_job job = {.trace = r};
    tlr_options options = {.cfg = (const char *const *)o->schedules, .n_cfg = o->n_schedules};
    tlr_schedules schedules;
    tlr_messages *messages = NULL;
    tl_status status = tlr_schedules_begin(&schedules, &job, 1, 0, &options, err);
    if (status == TL_OK && options.n_cfg)
        status =
            tl_fail(err, TL_ERR_USAGE,
                    "--coll: there is no schedule for '%s'; give allgather, allreduce, alltoall, "
                    "barrier, bcast, gather, reduce, reduce_scatter or scatter",
                    options.cfg[0] + strlen("smpi/"));
    if (status == TL_OK && schedules.jobs)
        r = schedules.jobs[0].trace;
    if (status == TL_OK)
        status = tlr_messages_open(r, &messages, err);
    const tl_algorithms algorithms = {tlr_messages_of, messages};
    if (status == TL_OK)
        status = tl_export_goal(r, &o->rates, &algorithms, o->out, err);
    tlr_messages_close(messages);
    return tlr_schedules_end(&schedules, &job, NULL, status, err);
}

/* SimGrid's text has no comments. */
static void note_comms(tl_reader *r)
{
    size_t n = 0;
    const tl_comm *comms;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++)
        n += tl_reader_comms(r, rank, &comms);
    if (n)
        fputs("timeless: note: the text has MPI_COMM_WORLD only; the calls that make other "
              "communicators are left out, and their ranks are those in MPI_COMM_WORLD\n",
              stderr);
}

/* Without --rate, a unit of volume counts as one of the target, whatever it is. */
static void note_rate(const tl_reader *r, const struct export_options *o)
{
    const bool is_simgrid = !strcmp(o->to, "simgrid");
    const char *unit = tl_reader_run(r)->volume_unit;
    bool has_volumes = 0;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_rank_summary summary;
        has_volumes |= tl_reader_rank(r, rank, &summary) == TL_OK && summary.volume;
    }
    if (has_volumes && !o->has_rate && !o->rates.no_compute &&
        strcmp(unit, is_simgrid ? "flops" : "cpu-ns") != 0)
        fprintf(stderr,
                "timeless: note: each unit of volume (%s) counts as 1 %s; --rate changes it\n",
                *unit ? tl_printable(unit) : "unknown", is_simgrid ? "flop" : "ns");
}

/* As replay does. */
static void warn_of_parts(const tl_reader *r)
{
    char uncounted[640];
    const char *untraced = tl_reader_run(r)->untraced;
    if (*untraced)
        fprintf(stderr, "timeless: warning: %s: the trace lacks the calls of %s\n",
                tl_printable(tl_reader_path(r)), tl_printable(untraced));
    if (tl_reader_uncounted(r, uncounted, sizeof uncounted))
        fprintf(stderr,
                "timeless: warning: %s: the trace has the computation of %s; the rest is missing\n",
                tl_printable(tl_reader_path(r)), tl_printable(uncounted));
}

static void forget(struct export_options *o)
{
    for (size_t i = 0; i < o->n_schedules; i++)
        free(o->schedules[i]);
    free(o->schedules);
    free(o->kernels);
}

int cmd_export(int argc, char **argv)
{
    static struct export_options o = {.rates.per_unit = 1};
    cli_parse(option_table, parse_option, NULL, "TRACE", "Write a trace in another format.", argc,
              argv, &o);
    tl_reader *r;
    int code = cli_open_trace(o.path, &r);
    if (code) {
        forget(&o);
        return code;
    }
    tl_error err;
    cli_progress_expect(r, -1, 0, UINT64_MAX);
    tl_status status = !strcmp(o.to, "goal")   ? write_goal(r, &o, &err)
                       : !strcmp(o.to, "otf2") ? write_otf2(r, &o, &err)
                                               : tl_export_simgrid(r, &o.rates, o.out, &err);
    if (status)
        code = cli_fail(&err);
    else if (!strcmp(o.to, "simgrid"))
        note_comms(r);
    if (!status) {
        note_rate(r, &o);
        warn_of_parts(r);
    }
    tl_reader_close(r);
    forget(&o);
    return code;
}
