/* inputs.c - the inputs of a prediction, and the options of a replay with other values. */
#include "config.h"

#include "budget/inputs.h"

#include <inttypes.h>
#include <machine/rank_model.h>
#include <math.h>
#include <replayer.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* Assumed where nobody states an uncertainty: halves of 90 % intervals, of kernels and counted
 * bursts, of bursts in CPU time, and of the parameters of the network. The CPU time of five runs of
 * one program on a machine with two virtual cores differed by 17 % from their mean. The user states
 * others by --uncertain. */
static const double ASSUMED_COMPUTE = 0.05, ASSUMED_CPU_TIME = 0.2, ASSUMED_NETWORK = 0.1;
/* Of a kernel without a line in the model: the recording or a roofline tells its time. */
static const double ASSUMED_ESTIMATE = 0.5;

static const tlr_scenario *scenario_of(const budget_inputs *b)
{
    return &b->sides[b->side];
}

tlr_budget_input *budget_add(budget_inputs *b, const char *name, tlr_budget_source source,
                             const input_change *change, double uncertainty, const char *remedy)
{
    for (size_t i = 0; i < b->n; i++)
        if (!strcmp(b->inputs[i].name, name)) {
            b->changes[i].sides |= 1U << b->side;
            return &b->inputs[i];
        }
    tlr_budget_input *input = &b->inputs[b->n];
    b->changes[b->n] = *change;
    b->changes[b->n++].sides = 1U << b->side;
    *input = (tlr_budget_input){
        .source = source, .uncertainty = uncertainty, .remedy = remedy, .low = -1, .high = -1};
    snprintf(input->name, sizeof input->name, "%s", name);
    return input;
}

void budget_note(budget_inputs *b, const char *format, ...)
{
    va_list args;
    if (b->n_notes == BUDGET_MOST_NOTES)
        return;
    va_start(args, format);
    vsnprintf(b->notes[b->n_notes].text, sizeof b->notes->text, format, args);
    va_end(args);
    for (size_t i = 0; i < b->n_notes; i++) /* both sides have it */
        if (!strcmp(b->notes[i].text, b->notes[b->n_notes].text))
            return;
    b->n_notes++;
}

const char *budget_name(const budget_inputs *b, const char *name, bool is_shared, char *text,
                        size_t size)
{
    if (is_shared || b->n_sides < 2)
        return name;
    snprintf(text, size, "%c:%s", b->side ? 'B' : 'A', name);
    return text;
}

/* How exactly the user means this input: 3 "B:bandwidth", 2 "bandwidth", 1 "network"; 0: not. */
static int match(const char *given, const char *name, const char *group)
{
    const char *plain = *name && name[1] == ':' ? name + 2 : name;
    return !strcmp(given, name) ? 3 : !strcmp(given, plain) ? 2 : !strcmp(given, group);
}

int budget_find_given(budget_inputs *b, const char *name, const char *group, double *uncertainty)
{
    int found = 0;
    for (size_t i = 0; i < b->n_given; i++) {
        const int matched = match(b->given[i].name, name, group);
        if (matched && matched >= found)
            *uncertainty = b->given[i].uncertainty;
        b->given[i].is_used |= matched != 0;
        found = matched > found ? matched : found;
    }
    return found != 0;
}

/* An input that a factor makes wrong. `stated` 0: nobody states its uncertainty. */
static tlr_budget_input *add_factor(budget_inputs *b, const char *name, const char *group,
                                    const input_change *change, double stated, double assumed,
                                    const char *remedy)
{
    double u = stated > 0 ? stated : assumed;
    tlr_budget_source source = stated > 0 ? TLR_BUDGET_STATED : TLR_BUDGET_ASSUMED;
    if (budget_find_given(b, name, group, &u))
        source = TLR_BUDGET_GIVEN;
    return budget_add(b, name, source, change, fmin(u, BUDGET_MOST_UNCERTAIN), remedy);
}

static tlr_budget_input *add_scaled(budget_inputs *b, const char *name, bool is_shared,
                                    const char *group, tlr_quantity quantity, const char *pattern,
                                    double assumed, const char *remedy)
{
    char text[160];
    input_change change = {.kind = INPUT_FACTOR, .change = {quantity, "", 1, 1}};
    snprintf(change.change.pattern, sizeof change.change.pattern, "%s", pattern);
    return add_factor(b, budget_name(b, name, is_shared, text, sizeof text), group, &change, 0,
                      assumed, remedy);
}

/* ---- computation ---- */

static void add_kernel(budget_inputs *b, const tlr_model *model, uint16_t call, const char *user)
{
    char plain[150], text[160];
    input_change change = {.kind = INPUT_FACTOR, .change = {TLR_KERNEL_TIME, "", 1, 1}};
    snprintf(plain, sizeof plain, user ? "kernel:user:%s" : "kernel:%s",
             user ? user : tl_call_by_code(call)->name);
    const char *name = budget_name(b, plain, b->shares_model, text, sizeof text);
    const tlr_kernel_model *kernel = model ? tlr_rates_kernel(&model->pool, call, user) : NULL;
    snprintf(change.change.pattern, sizeof change.change.pattern, "%s", strchr(plain, ':') + 1);
    add_factor(b, name, "kernels", &change, kernel ? TLR_MEDIANS_90 * kernel->median_error : 0,
               kernel || !model ? ASSUMED_COMPUTE : ASSUMED_ESTIMATE,
               kernel || user ? "timeless calibrate kernels --max-seconds 60" : b->next_kernels);
}

enum { KNOWN_USER_KERNELS = 1024 };

/* The kernels that were seen: by their codes, and those of the program by their numbers in a rank.
 */
typedef struct seen_kernels {
    unsigned char codes[TL_CALL_LIMIT], user[KNOWN_USER_KERNELS];
} seen_kernels;

static bool is_new_kernel(seen_kernels *seen, const tl_event *e)
{
    unsigned char *place = NULL, none = 0;
    if (e->call == TL_KERNEL_user) {
        const bool is_known = e->tag >= 0 && e->tag < KNOWN_USER_KERNELS;
        place = is_known ? &seen->user[e->tag] : &none;
    } else {
        const tl_call_info *info = tl_call_by_code(e->call);
        if (!info || !info->dimensions || e->call >= TL_CALL_LIMIT)
            return 0;
        place = &seen->codes[e->call];
    }
    const bool is_new = !*place;
    *place = 1;
    return is_new;
}

static tl_status add_kernels_of(budget_inputs *b, const tlr_model *model, tl_reader *trace,
                                uint32_t rank, seen_kernels *seen, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    TL_TRY(tl_cursor_open(trace, rank, &cursor, err));
    tl_status status;
    memset(seen->user, 0, sizeof seen->user);
    while ((status = tl_cursor_next(cursor, &e)) == TL_OK && b->n < BUDGET_MOST_KERNELS)
        if (is_new_kernel(seen, &e))
            add_kernel(b, model, e.call,
                       e.call == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, &e) : NULL);
    if (status == TL_OK)
        status = tl_fail(err, TL_ERR_UNSUPPORTED,
                         "%s: calls more than %d kernels, which is too much for a budget",
                         tl_printable(b->trace), BUDGET_MOST_KERNELS);
    else if (status == TL_END)
        status = TL_OK;
    else
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status;
}

/* The kernels that the ranks call. */
static tl_status add_kernels(budget_inputs *b, const tlr_model *model, tl_reader *trace,
                             tl_error *err)
{
    tl_status status = TL_OK;
    seen_kernels seen = {{0}, {0}};
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks && status == TL_OK; r++)
        status = add_kernels_of(b, model, trace, r, &seen, err);
    return status;
}

/* "app.tl" -> "app" */
static int stem(const char *path)
{
    const size_t length = strlen(path);
    return (int)(length > 3 && !strcmp(path + length - 3, ".tl") ? length - 3 : length);
}

/* Libraries of MPICH's family are started by Hydra, which has this name beside other MPIs, too. */
static bool is_started_by_hydra(const char *library)
{
    static const char *const names[] = {"MPICH ", "MVAPICH", "Intel(R) MPI "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(library, names[i], strlen(names[i])))
            return true;
    return false;
}

/* What to type next: with the program and its ranks, if the trace is a recording. */
static void name_commands(budget_inputs *b, const tl_run *run, bool is_timed)
{
    const bool is_recorded = *run->run_id && *run->program;
    const char *program = is_recorded ? run->program : "PROGRAM";
    const char *trace = is_recorded ? b->trace : "TRACE";
    const bool hydra = is_recorded && is_started_by_hydra(run->mpi_library);
    const char *record = hydra ? "-- mpiexec.hydra -n" : "-n";
    const char *launcher = hydra ? "mpiexec.hydra -n" : "mpirun -np";
    char ranks[16] = "N", exact[300] = "TRACE";
    if (is_recorded) {
        snprintf(ranks, sizeof ranks, "%" PRIu32, run->n_ranks);
        snprintf(exact, sizeof exact, "%.*s.exact.tl", stem(trace), trace);
    }
    snprintf(b->next_kernels, sizeof b->next_kernels,
             "timeless calibrate kernels --for %.200s -o FOLDER", trace);
    if (is_timed && is_recorded && !b->spread)
        snprintf(b->next_bursts, sizeof b->next_bursts, "timeless record --repeat 5 -o %s %s %s %s",
                 trace, record, ranks, program);
    else if (is_timed)
        snprintf(b->next_bursts, sizeof b->next_bursts,
                 "timeless record --volume exact -o %s %s %s %s && timeless calibrate cpu --for %s "
                 "-o cpu.conf -- %s %s %s",
                 exact, record, ranks, program, exact, launcher, ranks, program);
    else if (is_recorded)
        snprintf(b->next_bursts, sizeof b->next_bursts,
                 "timeless calibrate cpu --for %s -o cpu.conf -- %s %s %s", trace, launcher, ranks,
                 program);
    else
        snprintf(b->next_bursts, sizeof b->next_bursts,
                 "timeless calibrate cpu -o FOLDER -- mpirun -np N PROGRAM");
}

/* *is_timed: the volumes of the trace are CPU time. */
static tl_status add_kernels_of_trace(budget_inputs *b, const tlr_model *model, bool *is_timed,
                                      tl_error *err)
{
    tl_reader *trace = NULL;
    tl_status status = tlr_source_open(b->trace, &trace, err);
    if (status == TL_OK) {
        const bool is_goal = tl_reader_is_goal(trace);
        *is_timed = is_goal || !strcmp(tl_reader_run(trace)->volume_unit, "cpu-ns");
        name_commands(b, tl_reader_run(trace), *is_timed);
        status = is_goal ? TL_OK : add_kernels(b, model, trace, err);
    }
    tl_reader_close(trace);
    return status;
}

static tl_status add_computation(budget_inputs *b, const tlr_model *model, tl_error *err)
{
    bool is_timed = 0;
    TL_TRY(add_kernels_of_trace(b, model, &is_timed, err));
    /* CPU time is that of the recording, on both sides, unless they are of different CPUs. */
    tlr_budget_input *bursts = add_scaled(
        b, "bursts", b->shares_model || (is_timed && b->shares_cpu), "bursts", TLR_BURST_TIME, "*",
        is_timed ? ASSUMED_CPU_TIME : ASSUMED_COMPUTE, b->next_bursts);
    budget_use_recordings(b, bursts, is_timed);
    return TL_OK;
}

/* ---- the network ---- */

static const char measure_network[] = "timeless calibrate network --max-seconds 60 -o FOLDER"
                                      "  # this host; for a cluster add --hosts NODE1,NODE2";

static bool has_any(const char *const *options, size_t n, const char *start)
{
    for (size_t i = 0; i < n; i++)
        if (!strncmp(options[i], start, strlen(start)))
            return 1;
    return 0;
}

/* Of the platform, or of the user's --cfg. */
static bool has_overheads(const budget_inputs *b, const tlr_platform *platform)
{
    static const char *const keys[] = {"smpi/os:", "smpi/ois:", "smpi/or:"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
        if (has_any(scenario_of(b)->options.cfg, scenario_of(b)->options.n_cfg, keys[k]) ||
            has_any((const char *const *)platform->options, platform->n_options, keys[k]))
            return 1;
    return 0;
}

static void add_links(budget_inputs *b, const tlr_platform *platform)
{
    static const struct {
        const char *name, *pattern;
        tlr_quantity quantity;
    } parts[] = {{"bandwidth", "*", TLR_LINK_BANDWIDTH},
                 {"latency", "*", TLR_LINK_LATENCY},
                 {"loopback", "*loopback*", TLR_LINK_BANDWIDTH},
                 {"overheads", "*", TLR_MESSAGE_OVERHEAD}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, "overheads") != 0 || has_overheads(b, platform))
            add_scaled(b, parts[i].name, b->shares_network, "network", parts[i].quantity,
                       parts[i].pattern, ASSUMED_NETWORK, measure_network);
}

static void add_parameters(budget_inputs *b)
{
    for (const char *at = "LogGO"; *at; at++) {
        const char name[] = {*at, '\0'};
        char text[160];
        add_factor(b, budget_name(b, name, b->shares_network, text, sizeof text), "network",
                   &(input_change){.kind = INPUT_PARAMETER, .parameter = *at}, 0, ASSUMED_NETWORK,
                   measure_network);
    }
}

/* ---- what replays tell ---- */

static void add_order(budget_inputs *b)
{
    if (tlr_scenario_is_loggops(scenario_of(b))) /* it only has the recorded one */
        return;
    budget_add(b, "order of wildcards", TLR_BUDGET_REPLAYED, &(input_change){.kind = INPUT_ORDER},
               0, "timeless replay --wildcards first");
}

static bool is_changed(const budget_inputs *b, tlr_quantity quantity)
{
    for (size_t i = 0; i < scenario_of(b)->options.n_changes; i++)
        if (scenario_of(b)->changes[i].quantity == quantity)
            return 1;
    return 0;
}

/* The trace does not show what limits a parallel region. If nobody names it, and the number of
 * threads is not that of the run, it may be each limit that was measured. */
static void add_bound(budget_inputs *b, const tlr_model *model)
{
    if (!is_changed(b, TLR_RANK_THREADS) || is_changed(b, TLR_REGION_BOUND) || !model ||
        !model->parallel.n)
        return;
    input_change change = {.kind = INPUT_BOUND};
    for (unsigned i = 0; i < TLR_N_LIMITS; i++)
        if (model->parallel.rows[0].speedup[i] > 0 && i != (unsigned)model->parallel.bound)
            change.limits |= 1U << i;
    char text[32];
    if (change.limits)
        budget_add(b, budget_name(b, "bound of regions", b->shares_model, text, sizeof text),
                   TLR_BUDGET_REPLAYED, &change, 0, "timeless replay --set region.bound=NAME");
}

/* Whether another seed can give another makespan. */
static bool is_random(const budget_inputs *b, const tlr_model *model)
{
    return (model && model->is_random && !scenario_of(b)->options.no_compute) ||
           tlr_scenario_has(scenario_of(b), "noise") || is_changed(b, TLR_RETRANSMISSION_LOSS);
}

static void add_noise(budget_inputs *b)
{
    char text[16];
    budget_add(b, budget_name(b, "noise", 0, text, sizeof text), TLR_BUDGET_REPLAYED,
               &(input_change){.kind = INPUT_NOISE}, 0, "timeless calibrate noise");
}

/* ---- all ---- */

/* The names that --uncertain takes here. */
static void list_names(const budget_inputs *b, char *names, size_t size)
{
    size_t n = 0;
    bool has_kernels = 0;
    names[0] = '\0';
    for (size_t i = 0; i < b->n && n < size; i++) {
        if (b->changes[i].kind != INPUT_FACTOR && b->changes[i].kind != INPUT_PARAMETER)
            continue;
        has_kernels |= !strncmp(b->inputs[i].name, "kernel:", 7);
        n += (size_t)snprintf(names + n, size - n, "%s, ", tl_printable(b->inputs[i].name));
    }
    if (n < size)
        snprintf(names + n, size - n, has_kernels ? "kernels, network" : "network");
}

static tl_status refuse_unused(const budget_inputs *b, tl_error *err)
{
    char names[320];
    for (size_t i = 0; i < b->n_given; i++) {
        if (b->given[i].is_used)
            continue;
        list_names(b, names, sizeof names);
        return tl_fail(err, TL_ERR_USAGE,
                       "--uncertain %.60s: this prediction has no such input; its inputs are %s",
                       tl_printable(b->given[i].name), names);
    }
    return TL_OK;
}

/* The network of a replay: the parameters of LogGOPS, or the links of a platform. */
static tl_status add_network(budget_inputs *b, const tlr_platform *platform, tl_error *err)
{
    const char *engine = scenario_of(b)->engine, *params = scenario_of(b)->options.loggops_params;
    if (engine && strcmp(engine, "smpi") != 0 && strcmp(engine, "loggops") != 0)
        return tl_fail(err, TL_ERR_USAGE, "--engine '%s': a budget takes smpi or loggops",
                       tl_printable(engine));
    const bool is_loggops = engine && !strcmp(engine, "loggops");
    if (is_loggops && params)
        add_parameters(b);
    else if (platform)
        add_links(b, platform);
    else
        return tl_fail(err, TL_ERR_USAGE,
                       "a budget needs the links of a platform: give --platform NAME, or "
                       "--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns; network.conf of "
                       "a calibrated platform has them");
    return TL_OK;
}

/* The platform and the own model (NULL: none) of a side, which the caller frees; *model is one of
 * theirs, or NULL. */
static tl_status load_side(const tlr_scenario *s, tlr_platform **platform, tlr_model **own,
                           const tlr_model **model, tl_error *err)
{
    const char *path = s->options.model_path;
    tl_status status = s->platform ? tlr_platform_load(s->platform, platform, err) : TL_OK;
    if (status == TL_OK && path)
        status = tlr_model_load(path, own, err);
    *model = *own ? *own : *platform ? (*platform)->model : NULL;
    return status;
}

static tl_status find_inputs(budget_inputs *b, tl_error *err)
{
    tlr_platform *platform = NULL;
    tlr_model *own = NULL;
    const tlr_model *model = NULL;
    tl_status status = load_side(scenario_of(b), &platform, &own, &model, err);
    if (status == TL_OK && !scenario_of(b)->options.no_compute)
        status = add_computation(b, model, err);
    if (status == TL_OK)
        status = budget_add_extrapolation(b, err);
    if (status == TL_OK)
        status = add_network(b, platform, err);
    if (status == TL_OK) {
        add_order(b);
        if (!scenario_of(b)->options.no_compute)
            add_bound(b, model);
        if (is_random(b, model))
            add_noise(b);
    }
    tlr_platform_free(platform);
    tlr_model_free(own);
    return status;
}

static bool are_same(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

/* Seconds of a unit of CPU time; below 0: the model has none. */
static tl_status find_cpu_rate(const tlr_scenario *s, double *out, tl_error *err)
{
    tlr_platform *platform = NULL;
    tlr_model *own = NULL;
    const tlr_model *model = NULL;
    const tl_status status = load_side(s, &platform, &own, &model, err);
    *out = model ? tlr_model_unit_s(model, "cpu-ns") : -1;
    tlr_platform_free(platform);
    tlr_model_free(own);
    return status;
}

/* Whether the sides have the same compute model, the same CPU, and the same network. */
static tl_status find_shared(budget_inputs *b, tl_error *err)
{
    double rates[2] = {0};
    const tlr_scenario *x = &b->sides[0], *y = &b->sides[1];
    const bool is_same = are_same(x->platform, y->platform);
    b->shares_model = are_same(x->options.model_path, y->options.model_path) &&
                      (is_same || x->options.model_path);
    b->shares_network = is_same && are_same(x->options.loggops_params, y->options.loggops_params);
    TL_TRY(find_cpu_rate(x, &rates[0], err));
    TL_TRY(find_cpu_rate(y, &rates[1], err));
    b->shares_cpu = rates[0] == rates[1];
    return TL_OK;
}

tl_status budget_find_inputs(budget_inputs *b, tl_error *err)
{
    tl_status status = TL_OK;
    if (b->n_sides > 1)
        status = find_shared(b, err);
    for (b->side = 0; b->side < b->n_sides && status == TL_OK; b->side++)
        status = find_inputs(b, err);
    return status == TL_OK ? refuse_unused(b, err) : status;
}

/* ---- replays ---- */

double budget_usual(const budget_inputs *b, size_t input)
{
    return b->changes[input].kind == INPUT_FACTOR || b->changes[input].kind == INPUT_PARAMETER;
}

double budget_other_bound(const input_change *change, unsigned k)
{
    for (unsigned i = 0; i < TLR_N_LIMITS; i++)
        if (change->limits & 1U << i && !k--)
            return i + 1;
    return 0;
}

tl_status budget_change(const budget_inputs *b, const double *positions, unsigned side,
                        tlr_scenario *s, tl_error *err)
{
    for (size_t i = 0; i < b->n; i++) {
        const input_change *input = &b->changes[i];
        tlr_change change = input->change;
        if (positions[i] == budget_usual(b, i) || !(input->sides & 1U << side))
            continue;
        switch (input->kind) {
        case INPUT_FACTOR:
            change.value = positions[i];
            TL_TRY(tlr_scenario_change(s, &change, err));
            break;
        case INPUT_PARAMETER:
            TL_TRY(tlr_scenario_change_params(
                s, (tlr_params_change){input->parameter, 1, positions[i]}, err));
            break;
        case INPUT_ORDER:
            s->options.wildcards_first = !b->sides[side].options.wildcards_first;
            break;
        case INPUT_BOUND:
            change = (tlr_change){TLR_REGION_BOUND, "*", positions[i] - 1, 0};
            TL_TRY(tlr_scenario_change(s, &change, err));
            break;
        case INPUT_NOISE:
            s->options.seed = b->sides[side].options.seed + (uint64_t)positions[i];
            break;
        case INPUT_FIXED: break;
        }
    }
    return TL_OK;
}

void budget_drop_unknown(budget_inputs *b)
{
    size_t n = 0;
    for (size_t i = 0; i < b->n; i++)
        if (b->inputs[i].low >= 0) {
            b->changes[n] = b->changes[i];
            b->inputs[n++] = b->inputs[i];
        }
    b->n = n;
}
