/* engine.c - replay through SimGrid's SMPI, in process: each rank of the trace is a simulated
 * process that issues the program's MPI calls.
 *
 * The simulation runs in a child process (sandbox.h).  There, in order: SimGrid is configured as
 * smpirun does it; the platform is loaded and the ranks are placed; all ranks build the
 * communicators that the trace needs, while collectives take no simulated time; then they replay
 * their events from second 0, as the program runs under smpirun. */
#include "config.h"

#include "smpi/algorithms.h"
#include "smpi/shims/shims.h"
#include "calls.h"
#include "hosts.h"
#include "notes.h"

#include "diagnosis.h"
#include "machine/simgrid_options.h"
#include "results/marks.h"
#include "module.h"
#include "ompi.h"
#include "sandbox.h"
#include "results/timeline.h"

#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <simgrid/engine.h>
#include <simgrid/version.h>
#include <xbt/config.h>

smpi_replay replay;

/* ---- giving up ---- */

void smpi_give_up(tl_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    replay.result->err.status = status;
    vsnprintf(replay.result->err.text, sizeof replay.result->err.text, format, args);
    va_end(args);
    _exit(0);
}

/* "rank 3, event 17 (MPI_Send, app+0x12)" */
static size_t describe_event(const smpi_rank *r, char *text, size_t size)
{
    char site[128];
    tl_site_name(r->job->trace, r->rank, r->event.site, site, sizeof site);
    const int length = snprintf(text, size, "rank %u, event %" PRIu64 " (%s, %s)", r->rank,
                                r->index, r->info->name, site);
    return length > 0 ? (size_t)length : 0;
}

void smpi_give_up_at(const smpi_rank *r, tl_status status, const char *format, ...)
{
    char where[256], what[256];
    describe_event(r, where, sizeof where);
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    smpi_give_up(status, "%s: %s: %s", tl_reader_path(r->job->trace), where, what);
}

void *smpi_alloc(size_t n, size_t size)
{
    void *memory = calloc(n ? n : 1, size);
    if (!memory)
        smpi_give_up(TL_ERR_MEMORY, "out of memory in the replay");
    return memory;
}

/* ---- options ---- */

void smpi_read_segments(const char *option, const char *text, tlr_segment_values values,
                        tlr_segments *out)
{
    tl_error err;
    if (tlr_segments_read(option, text, values, out, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
}

/* The options in the order in which they take effect, "key:value" each. */
typedef struct option_list {
    size_t n;
    const char **items;
} option_list;

/* As smpirun sets them; messages must not pay for the time that the replay itself takes. */
static const char *const fixed_options[] = {
    "surf/precision:1e-9", "network/model:SMPI",           "smpi/privatization:no",
    "smpi/host-speed:1Gf", "smpi/simulate-computation:no", "smpi/errors-are-fatal:no"};
enum { N_FIXED = sizeof fixed_options / sizeof *fixed_options };

/* Each rank has a stack, and a page before it that nobody may touch makes two mappings of each; the
 * kernel limits their number. */
static bool has_room_for_guards(void)
{
    enum { OTHER_MAPPINGS = 2000 };
    char line[32] = "";
    FILE *in = fopen("/proc/sys/vm/max_map_count", "r");
    if (!in)
        return 1;
    const bool is_known = fgets(line, sizeof line, in) != NULL;
    fclose(in);
    return !is_known || 2 * (uint64_t)replay.n_ranks + OTHER_MAPPINGS <= strtoull(line, NULL, 10);
}

/* Without those pages SimGrid takes stacks from calloc.  Each has to be a mapping, which the kernel
 * joins with its neighbours and which is not written before it is used. */
static void make_stacks_mappings(void)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 20);
    mallopt(M_MMAP_MAX, INT_MAX);
}

static double read_bytes(const char *option, const char *value)
{
    char *end;
    const double bytes = strtod(value, &end);
    if (end == value || *end || !(bytes >= 0) || bytes > 1e18)
        smpi_give_up(TL_ERR_INPUT, "option %s: not a number of bytes; correct the value", option);
    return bytes;
}

smpi_own_options smpi_own = {.local_overheads = 1, .overheads_factor = 1};

/* "key:value" of Timeless, which is not for SimGrid. */
static bool is_ours(const char *option)
{
    static const struct {
        const char *key, *none; /* none: the value that changes nothing; NULL: all do */
        smpi_shim shim;
        enum { YES_OR_NO, BYTES, OVERHEADS, BANDWIDTHS, LATENCIES } kind;
        void *place; /* a bool, a double, or segments */
    } ours[] = {
        {"timeless/local-overheads:", "yes", SMPI_SHIM_OVERHEADS, YES_OR_NO,
         &smpi_own.local_overheads},
        {"timeless/loopback-os:", "", SMPI_SHIM_OVERHEADS, OVERHEADS, &smpi_own.loopback_os},
        {"timeless/loopback-ois:", "", SMPI_SHIM_OVERHEADS, OVERHEADS, &smpi_own.loopback_ois},
        {"timeless/loopback-or:", "", SMPI_SHIM_OVERHEADS, OVERHEADS, &smpi_own.loopback_or},
        {"timeless/host-messages:", NULL, SMPI_SHIM_NEIGHBOURS, YES_OR_NO, &smpi_own.host_messages},
        {"timeless/eager-order:", "no", SMPI_SHIM_ORDER, YES_OR_NO, &smpi_own.eager_order},
        {"timeless/adapter-order:", "0", SMPI_SHIM_ORDER, BYTES, &smpi_own.adapter_order},
        {"timeless/send-buffer:", "0", SMPI_SHIM_BUFFER, BYTES, &smpi_own.send_buffer},
        {"timeless/limiter-from:", "0", SMPI_SHIM_LIMITER, BYTES, &smpi_own.limiter_from},
        {"timeless/memory-bandwidth:", "0", SMPI_SHIM_COPIES, BYTES, &smpi_own.memory_bandwidth},
        /* In SimGrid, all messages share a link. */
        {"timeless/turns-from:", NULL, SMPI_SHIM_ORDER, BYTES, NULL},
        {"timeless/bw-factor-bound:", "no", SMPI_SHIM_LOOPBACK, YES_OR_NO,
         &smpi_own.bw_factor_bound},
        {"timeless/loopback-bw-factor:", "", SMPI_SHIM_LOOPBACK, BANDWIDTHS,
         &smpi_own.loopback_bw_factor},
        {"timeless/loopback-lat-factor:", "", SMPI_SHIM_LOOPBACK, LATENCIES,
         &smpi_own.loopback_lat_factor}};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        const size_t length = strlen(ours[i].key);
        const char *value = option + length;
        double bytes = 0;
        if (strncmp(option, ours[i].key, length) != 0)
            continue;
        switch (ours[i].kind) {
        case YES_OR_NO: *(bool *)ours[i].place = !tlr_option_is_no(value); break;
        case BYTES:
            bytes = read_bytes(option, value);
            if (ours[i].place)
                *(double *)ours[i].place = bytes;
            break;
        case OVERHEADS: smpi_read_segments(option, value, TLR_OVERHEADS, ours[i].place); break;
        default: smpi_read_factors(option, value, ours[i].kind == BANDWIDTHS, ours[i].place);
        }
        if (ours[i].none && strcmp(value, ours[i].none) != 0 && !smpi_shim_holds(ours[i].shim))
            smpi_give_up(TL_ERR_UNSUPPORTED, "option %s has no effect: %s; leave it out", option,
                         smpi_shim_reason(ours[i].shim));
        return 1;
    }
    return 0;
}

static bool is_any_a_program(void)
{
    size_t n_calls = 0;
    for (size_t j = 0; j < replay.n_jobs; j++)
        if (tl_reader_calls(replay.jobs[j].trace, &n_calls))
            return 1;
    return 0;
}

/* By the name that all versions of SimGrid know. The replay does itself what is left out. */
static void add_option(option_list *list, const char *option)
{
    const char *name = tlr_option_renamed(option);
    if (is_ours(option) || tlr_option_is_idle(option) || !strncmp(option, "timeless/", 9) ||
        !strncmp(option, "smpi/simulate-computation:", strlen("smpi/simulate-computation:")))
        return;
    if (name) {
        char *renamed = smpi_alloc(strlen(name) + strlen(option) + 1, 1);
        sprintf(renamed, "%s%s", name, strchr(option, ':'));
        option = renamed;
    }
    list->items[list->n++] = option;
}

/* The value that an option ends up with. */
static const char *option_value(const option_list *list, const char *key, const char *fallback)
{
    const size_t length = strlen(key);
    for (size_t i = list->n; i > 0; i--)
        if (!strncmp(list->items[i - 1], key, length) && list->items[i - 1][length] == ':')
            return list->items[i - 1] + length + 1;
    return fallback;
}

/* "smpi/os:0:1e-6:2e-10;8000:..." with the times multiplied by the factor. */
static const char *scaled_overheads(const char *option, double factor)
{
    size_t size;
    char *text = NULL;
    tlr_segments all;
    const char *at = strchr(option, ':') + 1;
    smpi_read_segments(option, at, TLR_OVERHEADS, &all);
    FILE *out = open_memstream(&text, &size);
    if (!out)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the options");
    fprintf(out, "%.*s", (int)(at - option), option);
    for (unsigned i = 0; i < all.n; i++)
        fprintf(out, "%s%.17g:%.17g:%.17g", i ? ";" : "", all.from_bytes[i], all.value[i] * factor,
                all.per_byte[i] * factor);
    if (fclose(out) != 0)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the options");
    return text;
}

/* What sends and receives cost, times a factor of the user. */
static void scale_overheads(const option_list *list, const tlr_options *options)
{
    static const char *const keys[] = {"smpi/os:", "smpi/ois:", "smpi/or:"};
    const double factor =
        tlr_change_factor(options->changes, options->n_changes, TLR_MESSAGE_OVERHEAD, NULL);
    smpi_own.overheads_factor = factor;
    for (size_t i = 0; i < list->n && factor != 1; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (!strncmp(list->items[i], keys[k], strlen(keys[k])))
                list->items[i] = scaled_overheads(list->items[i], factor);
}

static option_list collect_options(const tlr_platform *platform, const tlr_options *options)
{
    option_list list = {
        0, smpi_alloc(N_FIXED + platform->n_options + options->n_cfg + 4 + SMPI_N_COLLECTIVES,
                      sizeof *list.items)};
    /* As under smpirun, whose own options precede those of the XML file. */
    for (size_t i = 0; i < platform->n_settings; i++)
        list.items[list.n++] = platform->options[i];
    for (size_t i = 0; i < N_FIXED; i++)
        list.items[list.n++] = fixed_options[i];
    if (!has_room_for_guards()) {
        list.items[list.n++] = "contexts/guard-size:0";
        make_stacks_mappings();
    }
    /* A probe takes no time where the replay decides when there is one.  SMPI lets those without
     * success take longer and longer, over all ranks. */
    if (is_any_a_program()) {
        list.items[list.n++] = "smpi/iprobe:0";
        list.items[list.n++] = "smpi/grow-injected-times:no";
    }
    for (size_t i = platform->n_settings; i < platform->n_options; i++)
        add_option(&list, platform->options[i]);
    for (size_t i = 0; i < options->n_cfg; i++)
        add_option(&list, options->cfg[i]);
    if (options->coll_selector) {
        char *selector = smpi_alloc(strlen(options->coll_selector) + 32, 1);
        replay.ompi = tlr_ompi_has(options->coll_selector) ? options->coll_selector : NULL;
        sprintf(selector, "smpi/coll-selector:%s", replay.ompi ? "ompi" : options->coll_selector);
        list.items[list.n++] = selector;
    }
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++)
        if (!smpi_loopback_takes(list.items[i]))
            list.items[n++] = list.items[i];
    list.n = n + smpi_replacements(list.items + n);
    if (smpi_own.memory_bandwidth > 0 && !smpi_own.loopback_bw_factor.n &&
        !smpi_own.loopback_lat_factor.n)
        smpi_overheads_continue(option_value(&list, "smpi/os", ""),
                                option_value(&list, "smpi/ois", ""),
                                option_value(&list, "smpi/or", ""));
    scale_overheads(&list, options);
    return list;
}

/* These algorithms decide by the contents of their messages, or crash without. */
static int reads_contents(const char *algorithm)
{
    return strstr(algorithm, "arrival") || !strcmp(algorithm, "automatic") ||
           !strcmp(algorithm, "pair_rma");
}

/* Algorithms, and rules that choose such ones, which ask SimGrid which ranks share a host. */
static bool asks_for_hosts(const char *algorithm)
{
    static const char *const parts[] = {"smp", "SMP", "mpich", "mvapich2", "impi", "loosely_lr"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(algorithm, parts[i]))
            return 1;
    return !strcmp(algorithm, "ompi") && !replay.ompi;
}

/* The collectives of which the user has chosen the algorithm are SMPI's. Sets *needs_payload if
 * messages must have their contents. */
static void leave_chosen(const option_list *list, bool *needs_payload)
{
    for (size_t k = 0; k <= SMPI_N_COLLECTIVES; k++) {
        char key[48] = "smpi/coll-selector";
        if (k < SMPI_N_COLLECTIVES)
            snprintf(key, sizeof key, "smpi/%s", smpi_choices[k].name);
        const char *algorithm = option_value(list, key, "default");
        if (!strcmp(algorithm, "default"))
            continue;
        if (k < SMPI_N_COLLECTIVES)
            smpi_ompi_leave(smpi_choices[k].action);
        replay.knows_hosts |= !smpi_own.host_messages && smpi_shim_holds(SMPI_SHIM_NEIGHBOURS) &&
                              asks_for_hosts(algorithm);
        *needs_payload |= !smpi_shim_holds(SMPI_SHIM_CONTENTS) || reads_contents(algorithm);
    }
}

/* Plugins and tracing follow executions. Profiles and limits of concurrency make them longer. */
static bool must_execute(const option_list *list)
{
    static const char *const keys[] = {"plugin", "tracing", "maxmin/concurrency-limit"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (*option_value(list, keys[i], ""))
            return 1;
    return replay.platform->has_profiles;
}

/* SMPI executes each MPI_Iprobe, which takes more CPU time than to sleep. Traces without a program
 * have no MPI_Iprobe, but some algorithms of collectives have. */
static void take_probes(void)
{
    replay.probe_cores = sg_cfg_get_double("smpi/iprobe-cpu-usage");
    replay.probe_s = sg_cfg_get_double("smpi/iprobe");
    if (is_any_a_program() && replay.probe_s > 0 && replay.probe_cores == 1)
        sg_cfg_set_double("smpi/iprobe", 0);
    else
        replay.probe_s = 0;
}

static void start_simgrid(const option_list *list)
{
    static char **argv; /* SimGrid may keep what it is given */
    int argc = 0;
    argv = smpi_alloc(list->n + 3, sizeof *argv);
    argv[argc++] = strdup("timeless");
    argv[argc++] = strdup("--log=root.thres:error");
    for (size_t i = 0; i < list->n; i++) {
        argv[argc] = smpi_alloc(strlen(list->items[i]) + 8, 1);
        sprintf(argv[argc++], "--cfg=%s", list->items[i]);
    }
    smpi_init_options();
    simgrid_init(&argc, argv);
    replay.result->is_configured = 1;
    sg_version_get(&replay.result->version[0], &replay.result->version[1],
                   &replay.result->version[2]);
    snprintf(replay.result->network_model, NAME_BYTES, "%s",
             option_value(list, "network/model", ""));
    smpi_waits_overheads(option_value(list, "smpi/or", ""), option_value(list, "smpi/os", ""));
    replay.coll_selector = option_value(list, "smpi/coll-selector", "default");
    snprintf(replay.result->coll_selector, SELECTOR_BYTES, "%s",
             replay.ompi ? replay.ompi : replay.coll_selector);
    smpi_note_replacements(replay.ompi ? replay.ompi : replay.coll_selector);
    /* A prediction counts from the end of MPI_Init, as the "Simulation time" of smpirun -replay. */
    sg_cfg_set_double("smpi/init", 0);
    replay.short_bytes = sg_cfg_get_int("smpi/async-small-thresh");
    replay.test_s = sg_cfg_get_double("smpi/test");
    replay.tests_grow = sg_cfg_get_boolean("smpi/grow-injected-times");
    replay.precision_s = sg_cfg_get_double("surf/precision");
    replay.must_execute = must_execute(list);
    take_probes();
    /* It belongs to the end of the trace, not to that of the preparations. */
    replay.finalize_barrier = sg_cfg_get_boolean("smpi/finalization-barrier");
    sg_cfg_set_boolean("smpi/finalization-barrier", "no");
    leave_chosen(list, &replay.moves_payload);
}

void smpi_begin_traces(void)
{
    smpi_meet_end();
    replay.has_begun = 1;
    /* SimGrid rounds by its clock, and smpirun's programs begin at second 0. */
    if (simgrid_get_clock() > 0)
        smpi_give_up(TL_ERR_SYSTEM, "%s: the preparations took simulated time",
                     replay.platform->folder);
}

/* ---- the run ---- */

/* Who waits for what, in the first job that cannot go on. */
static void __attribute__((noreturn)) report_deadlock(void)
{
    char text[440];
    const smpi_job *job = NULL;
    for (uint32_t r = 0; r < replay.n_ranks && !job; r++)
        if (replay.ranks[r].is_running)
            job = replay.ranks[r].job;
    if (!job)
        smpi_give_up(TLR_ERR_DEADLOCK, "%s: the replay cannot continue", replay.platform->folder);
    uint32_t n_waiting = 0;
    uint64_t first = UINT64_MAX; /* event that waits in a collective: others wait behind it */
    replay.result->collective = TL_ACTION_NONE;
    int64_t *waiting = smpi_alloc(job->plan->n_ranks, sizeof *waiting);
    for (uint32_t r = 0; r < job->plan->n_ranks; r++) {
        const smpi_rank *rank = &replay.ranks[job->first_rank + r];
        n_waiting += rank->is_running != 0;
        if (rank->is_running && rank->collective && rank->index < first) {
            first = rank->index;
            replay.result->collective = rank->collective;
        }
        waiting[r] = rank->is_running ? (int64_t)rank->index : TLR_NOT_WAITING;
    }
    tlr_diagnose(job->trace, job->plan, waiting, text, sizeof text);
    smpi_give_up(TLR_ERR_DEADLOCK, "%s: the replay cannot continue, %u ranks wait forever: %s",
                 tl_reader_path(job->trace), n_waiting, text);
}

/* The ranks of all jobs, and what they begin together with. */
static void make_ranks(void)
{
    replay.ranks = smpi_alloc(replay.n_ranks, sizeof *replay.ranks);
    replay.barrier = sg_barrier_init(replay.n_ranks);
    for (size_t j = 0; j < replay.n_jobs; j++) {
        smpi_job *job = &replay.jobs[j];
        const uint32_t n_ranks = job->plan->n_ranks;
        tl_error err;
        if (tlr_streams_open(job->trace, job->plan, &job->streams, &err) != TL_OK)
            smpi_give_up(err.status, "%s", err.text);
        job->barrier = sg_barrier_init(n_ranks);
        job->turn = smpi_alloc(n_ranks, sizeof *job->turn);
        for (uint32_t r = 0; r < n_ranks; r++) {
            job->turn[r] = sg_sem_init(r == 0);
            smpi_rank *rank = &replay.ranks[job->first_rank + r];
            rank->job = job;
            rank->rank = r;
            rank->walk = (tlr_walk){.plan = job->plan,
                                    .trace = job->trace,
                                    .rank = r,
                                    .is_free = replay.options->wildcards_first,
                                    .measured_s = job->measured_s};
            rank->result = &replay.result->ranks[job->first_rank + r];
        }
    }
}

static void run_simulation(void *arg, int terminal)
{
    (void)arg;
    replay.terminal = terminal;
    const option_list options = collect_options(replay.platform, replay.options);
    smpi_noise_prepare();
    start_simgrid(&options);
    smpi_copies_prepare();
    simgrid_load_platform(replay.platform->xml_path);
    smpi_loopback_apply();
    smpi_limiter_apply();
    smpi_usage_open();
    SMPI_init();
    smpi_meet_begin();

    make_ranks();
    smpi_detached_prepare(replay.n_ranks);
    smpi_numbers_prepare();
    smpi_routes_prepare(replay.n_ranks);
    smpi_order_prepare();
    smpi_buffer_prepare();
    smpi_place_ranks();
    smpi_reserve_buffers();
    smpi_deploy();
    simgrid_run();
    if (replay.result->n_finished < replay.n_ranks)
        report_deadlock();
    smpi_usage_close();
    tl_error err;
    if (replay.options->timeline && tlr_timeline_finish(replay.options->timeline, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    replay.result->is_complete = 1;
}

/* ---- what comes back ---- */

static void add_what_if(const smpi_rank_result *from, uint32_t n_ranks, tlr_what_if *to)
{
    to->ideal_network_s = fmax(to->ideal_network_s, from->on_ideal_network_s);
    to->mean_compute_s += from->alone_s / n_ranks;
    to->balanced_s = fmax(to->balanced_s, from->balanced_s);
    to->n_phases = from->n_phases;
    to->twice_the_cpu_s = fmax(to->twice_the_cpu_s, from->twice_the_cpu_s);
}

static tl_status take_results(const smpi_job *job, tlr_prediction *out, tl_error *err)
{
    const tlr_plan *plan = job->plan;
    const smpi_result *result = replay.result;
    if (asprintf(&out->engine_version, "SimGrid %d.%d.%d", result->version[0], result->version[1],
                 result->version[2]) < 0)
        out->engine_version = NULL;
    out->network_model = strdup(result->network_model);
    out->coll_selector = strdup(result->coll_selector);
    out->ranks = calloc(plan->n_ranks, sizeof *out->ranks);
    tl_status status = TL_OK;
    if (!out->engine_version || !out->network_model || !out->coll_selector || !out->ranks ||
        tlr_plan_describe(plan, out) != TL_OK)
        status = TL_ERR_MEMORY;
    out->n_ranks = out->ranks ? plan->n_ranks : 0;
    out->n_crowded = result->crowd.n_ranks;
    out->n_crowded_cores = result->crowd.n_cores;
    out->fullest = result->crowd.fullest;
    out->n_assumed_transfers = result->lacks_disk ? plan->n_transfers : 0;
    for (uint32_t r = 0; r < out->n_ranks; r++) {
        const smpi_rank_result *from = &result->ranks[job->first_rank + r];
        out->ranks[r] = from->times;
        out->ranks[r].host = strdup(from->host);
        if (!out->ranks[r].host)
            status = TL_ERR_MEMORY;
        out->n_events += from->times.n_events;
        out->makespan_s = fmax(out->makespan_s, from->times.end_s);
        add_what_if(from, plan->n_ranks, &out->what_if);
    }
    if (replay.options->noise && !(out->noise = strdup(replay.options->noise)))
        status = TL_ERR_MEMORY;
    if (status == TL_OK)
        status = tlr_take_marks(plan, job->measured_s, job->predicted_s, out);
    if (status != TL_OK)
        tl_error_set(err, status, "out of memory for the prediction");
    return status;
}

/* The command line's options come behind the platform's, which have been tried before: puts them in
 * the place of the first `prefix` bytes of the message. */
static void blame_options(const tlr_options *options, size_t prefix, tl_error *err)
{
    const tl_error before = *err;
    const char *named = options->cfg[0];
    for (size_t i = 0; i < options->n_cfg; i++) {
        char key[64];
        snprintf(key, sizeof key, ": %.*s;", (int)strcspn(options->cfg[i], ":"), options->cfg[i]);
        if (strstr(before.text, key))
            named = options->cfg[i];
    }
    tl_error_set(err, before.status, "--cfg %.100s%s%s", named,
                 named == options->cfg[0] && options->n_cfg > 1 ? " or one behind it" : "",
                 before.text + prefix);
}

/* ---- the engine ---- */

static tl_status prepare_job(const tlr_job *from, smpi_job *job, tl_error *err)
{
    tl_status status = tlr_plan_make(from->trace, replay.model, replay.options, &job->plan, err);
    if (status == TL_OK)
        status = smpi_check_algorithms(job->plan, replay.options, err);
    if (status != TL_OK)
        return status;
    job->trace = from->trace;
    job->hostfile = from->hostfile;
    job->pays_tests = !strcmp(tl_reader_run(from->trace)->volume_source, "import:simgrid");
    job->start_s = from->start_s;
    job->first_rank = replay.n_ranks;
    snprintf(job->instance, sizeof job->instance, "job-%u", (unsigned)(job - replay.jobs));
    replay.n_ranks += job->plan->n_ranks;
    replay.n_events += job->plan->n_events;
    job->marks_bytes = (job->plan->n_marks * job->plan->n_ranks + 1) * sizeof(double);
    job->predicted_s = tlr_shared_alloc(job->marks_bytes);
    job->measured_s = tlr_shared_alloc(job->marks_bytes);
    if (!job->predicted_s || !job->measured_s)
        return tl_no_memory(err, "prediction");
    return TL_OK;
}

static tl_status run_once(tl_error *err)
{
    const char *folder = replay.platform->folder;
    tl_status status = tlr_sandbox_run(run_simulation, NULL, folder, err);
    if (status != TL_OK && err && !replay.result->is_configured && replay.options->n_cfg)
        blame_options(replay.options, strlen(folder), err);
    else if (status == TL_ERR_INPUT && err)
        status = smpi_blame_choice(replay.options, err);
    if (status == TL_ERR_INPUT && replay.result->collective)
        status = smpi_blame_algorithm(replay.result->collective, replay.options, err);
    if (status == TL_OK && replay.result->err.status != TL_OK) {
        status = replay.result->err.status;
        tl_error_set(err, status, "%s", replay.result->err.text);
        if (status == TLR_ERR_DEADLOCK || status == TL_ERR_UNSUPPORTED)
            status = smpi_blame_algorithm(replay.result->collective, replay.options, err);
    } else if (status == TL_OK && !replay.result->is_complete) {
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: SimGrid ended before the simulation did; check the --cfg options", folder);
    }
    return status;
}

static tl_status run_jobs(tl_error *err)
{
    tl_status status = run_once(err);
    while (status != TL_OK && smpi_replace_algorithm(status))
        status = run_once(err);
    return status;
}

static tl_status replay_smpi(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                             const tlr_model *model, const tlr_options *options,
                             tlr_prediction *const *out, tl_error *err)
{
    tl_status status = TL_OK;
    size_t result_bytes = 0;
    if (options->loggops_params || options->n_threads)
        return tl_fail(err, TL_ERR_USAGE, "--params and --threads are for --engine loggops");
    replay = (smpi_replay){.options = options, .platform = platform, .model = model};
    if (options->noise &&
        (status = tlr_noise_read(options->noise, options->seed, &replay.noise, err)) != TL_OK)
        return status;
    if (replay.noise && replay.noise->disturbs != TLR_WORK_ALL &&
        replay.noise->disturbs != TLR_WORK_APPLICATION) {
        tlr_noise_free(replay.noise);
        return tl_fail(err, TL_ERR_USAGE,
                       "--noise '%s': the smpi engine has noise in application time only; leave "
                       "out overheads and reductions, or give --engine loggops",
                       options->noise);
    }
    replay.jobs = calloc(n_jobs, sizeof *replay.jobs);
    if (!replay.jobs) {
        tlr_noise_free(replay.noise);
        return tl_no_memory(err, "prediction");
    }
    for (; replay.n_jobs < n_jobs && status == TL_OK; replay.n_jobs++)
        status = prepare_job(&jobs[replay.n_jobs], &replay.jobs[replay.n_jobs], err);
    if (status != TL_OK)
        goto cleanup;
    result_bytes = sizeof(smpi_result) + replay.n_ranks * sizeof(smpi_rank_result);
    replay.result = tlr_shared_alloc(result_bytes);
    if (!replay.result) {
        status = tl_no_memory(err, "prediction");
        goto cleanup;
    }
    status = run_jobs(err);
    for (size_t j = 0; j < n_jobs && status == TL_OK; j++)
        status = take_results(&replay.jobs[j], out[j], err);
cleanup:
    for (size_t j = 0; j < replay.n_jobs; j++) {
        tlr_shared_free(replay.jobs[j].measured_s, replay.jobs[j].marks_bytes);
        tlr_shared_free(replay.jobs[j].predicted_s, replay.jobs[j].marks_bytes);
        tlr_plan_free(replay.jobs[j].plan);
    }
    tlr_shared_free(replay.result, result_bytes);
    tlr_noise_free(replay.noise);
    free(replay.jobs);
    replay = (smpi_replay){0};
    return status;
}

static const tlr_engine engine = {
    .name = "smpi", .replay = replay_smpi, .algorithms = smpi_algorithms, .needs_platform = 1};

extern const tlr_module timeless_module;
__attribute__((visibility("default"))) const tlr_module timeless_module = {
    PACKAGE_VERSION, sizeof(tlr_options), sizeof(tlr_prediction), &engine};
