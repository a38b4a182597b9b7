/* engine.c - replays in the LogGOPS model: latency, overheads and gaps, and contention at the
 * adapters of nodes only. */
#include "config.h"

#include "demand.h"
#include "goal.h"
#include "links.h"
#include "machine/noise.h"
#include "machine/rank_model.h"
#include "program.h"
#include "recorder.h"
#include "results/marks.h"
#include "results/usage.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double s_per_ps = 1e-12;
/* One hour: the sum of a moment and a timeout cannot wrap. */
static const double most_timeout_s = 3600;

/* "L=5.3us o=2.3us g=2us G=2.5ns O=1ns", and the further parameters of messages between adapters.
 */
static void describe_costs(const loggops_costs *c, int move_bytes, FILE *out)
{
    fprintf(out, "L=%.9gus o=%.9gus g=%.9gus G=%.9gns O=%.9gns",
            (double)(c->L_ps + c->late_ps) * 1e-6, (double)c->o_ps * 1e-6, (double)c->g_ps * 1e-6,
            c->G_ps_byte * 1e-3, c->O_ps_byte * 1e-3);
    if (move_bytes)
        fprintf(out, " B=%.9gns oi=%.9gus or=%.9gus Or=%.9gns", c->B_ps_byte * 1e-3,
                (double)c->o_start_ps * 1e-6, (double)c->o_receive_ps * 1e-6,
                c->O_receive_ps_byte * 1e-3);
}

static void describe_path(const char *where, const loggops_path *path, int move_bytes, FILE *out)
{
    fprintf(out, "; %s ", where);
    describe_costs(&path->sizes[0], move_bytes, out);
    if (path->n > 1)
        fprintf(out, " (first of %u ranges of sizes)", path->n);
}

static void describe_retransmission(const loggops_retransmission *t, uint64_t n, FILE *out)
{
    fprintf(out,
            "; %llu messages waited for a retransmission: loss=%.9g timeout=%.9gs flows=%u "
            "seed=%llu",
            (unsigned long long)n, t->loss, (double)t->timeout_ps * s_per_ps, t->first_flows,
            (unsigned long long)t->seed);
}

/* "LogGOPS L=5.3us o=2.3us g=2us G=2.5ns O=1ns S=65536", with R if it is given; then the costs of
 * the nodes, the messages that waited for a retransmission, and the size of a graph. */
static char *describe_network(const loggops_params *p, const loggops_nodes *nodes, bool is_derived,
                              uint64_t n_retransmitted, const goal_run *graph)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs("LogGOPS ", out);
    if (is_derived)
        fputs("derived from the platform's links and options, ", out);
    if (!nodes) {
        const loggops_costs costs = {.L_ps = p->L_ps,
                                     .o_ps = p->o_ps,
                                     .g_ps = p->g_ps,
                                     .G_ps_byte = p->G_ps_byte,
                                     .O_ps_byte = p->O_ps_byte};
        describe_costs(&costs, 0, out);
        fputc(' ', out);
    }
    fputs("S=", out);
    if (p->S_bytes != UINT64_MAX)
        fprintf(out, "%llu", (unsigned long long)p->S_bytes);
    else
        fputs("none", out);
    if (p->R_ps_byte > 0)
        fprintf(out, " R=%.9gns", p->R_ps_byte * 1e-3);
    if (nodes) {
        describe_path("between nodes", &nodes->between, nodes->move_bytes, out);
        describe_path("within a node", &nodes->within, nodes->move_bytes, out);
        if (nodes->send_buffer_bytes)
            fprintf(out, "; a buffer of %llu bytes for long messages that are sent",
                    (unsigned long long)nodes->send_buffer_bytes);
        if (nodes->turns_bytes && nodes->turns_bytes < p->S_bytes)
            fprintf(out, "; messages of %llu bytes and more share the adapter of a node",
                    (unsigned long long)nodes->turns_bytes);
        if (nodes->limiter > 0)
            fprintf(out,
                    "; both directions of a node have %.4g bandwidths for messages of %llu bytes",
                    nodes->limiter, (unsigned long long)loggops_limited_from(nodes, p->S_bytes));
        loggops_ways_describe(nodes->ways, out);
        if (nodes->answers_in_calls)
            fputs("; long messages begin in calls of MPI", out);
        if (nodes->retransmission.loss > 0)
            describe_retransmission(&nodes->retransmission, n_retransmitted, out);
    }
    if (graph->n_ranks)
        fprintf(out, ", %u CPUs and %u NICs", graph->n_streams, graph->n_sides / 2);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* "ompi (bcast scatter_LR_allgather for scatter_allgather)": what replaces a missing one. */
static char *describe_choice(const char *selector, const loggops_choice *choice)
{
    char *text = NULL;
    selector = selector ? selector : "default";
    if (!choice->stand_ins)
        return strdup(selector);
    const int length = (int)strlen(choice->stand_ins) - 1; /* it ends with a ';' */
    return asprintf(&text, "%s (%.*s)", selector, length, choice->stand_ins) < 0 ? NULL : text;
}

/* The inputs and results of the simulation. */
typedef struct loggops_replay {
    loggops_network network;
    bool is_derived; /* the network, from links and options */
    bool has_places; /* the ranks are on the platform's hosts */
    loggops_places places;
    loggops_demand *demand; /* of the messages between them; NULL: none */
    loggops_links *links;   /* that several nodes use; NULL: none */
    loggops_choice choice;
    loggops_load load;  /* of the hosts, if the model has interference */
    double load_change; /* of the ends of ranks by the last simulation for it; 0: so little that it
                           is known */
    tlr_noise *noise;   /* NULL: none */
    tlr_plan *plan;
    loggops_streams *streams; /* NULL: the run has been read */
    goal_run graph;           /* if there is no plan */
    loggops_run *run;
    loggops_recorder *recorder; /* NULL: none */
    loggops_result result;
    double *measured_s, *predicted_s; /* [mark][rank] */
} loggops_replay;

/* A limiter of nearly twice the bandwidth changes a replay by 5 % at most: calibrations of Ethernet
 * find 1.91 to 1.96. */
static const double little_limit = 1.9;

/* The messages that pass the limiter in SimGrid and not here, as in tlr_prediction. */
static uint64_t ignored_below(const loggops_nodes *nodes, const loggops_params *params)
{
    if (!nodes->move_bytes || nodes->limiter <= 0)
        return UINT64_MAX;
    const uint64_t from_bytes = loggops_limited_from(nodes, params->S_bytes);
    return nodes->limiter_bytes < from_bytes ? from_bytes : 0;
}

static tl_status take_hosts(const loggops_replay *r, tlr_prediction *out)
{
    const tlr_crowd crowd = r->has_places ? r->places.crowd : (tlr_crowd){0};
    out->n_crowded = crowd.n_ranks;
    out->n_crowded_cores = crowd.n_cores;
    out->fullest = crowd.fullest;
    for (uint32_t i = 0; crowd.n_ranks && i < out->n_ranks; i++) {
        const uint32_t host = r->places.host_of[i];
        out->ignores_crowd |= r->places.n_on[host] > r->places.cluster.hosts[host].n_cores &&
                              out->ranks[i].compute_s > 0;
    }
    out->load_change = r->load_change;
    const loggops_nodes *nodes = &r->places.nodes;
    if (nodes->n_nodes > 1 && nodes->limiter > 0 && nodes->limiter < little_limit)
        out->ignores_limiter = ignored_below(nodes, &r->network.params);
    for (uint32_t i = 0; r->has_places && i < out->n_ranks; i++) {
        out->ranks[i].host = strdup(r->places.cluster.hosts[r->places.host_of[i]].name);
        if (!out->ranks[i].host)
            return TL_ERR_MEMORY;
    }
    return TL_OK;
}

/* What the cores of a host do. */
typedef struct host_load {
    double busy_s; /* of the rank that is busy longest */
    double core_s; /* of all cores */
    unsigned n;    /* ranks that are busy at some time */
    bool has_gaps; /* one of them is idle at some time before its end */
} host_load;

/* Adds a rank to the load of its host. */
static void add_rank(const tlr_rank_prediction *rank, const loggops_sums *sums, tlr_waiting waiting,
                     host_load *load)
{
    const double busy_s =
        (waiting == TLR_WAITING_IDLE ? rank->compute_s : rank->end_s - rank->io_s) - sums->slept_s;
    load->busy_s = fmax(load->busy_s, busy_s);
    load->core_s += busy_s + sums->of_model.more_s;
    load->n += busy_s > 0;
    load->has_gaps |= busy_s > 0 && busy_s < rank->end_s * (1 - 1e-9);
}

/* The engine does not record when a rank is busy. A host is taken to be at work as long as its rank
 * that is busy longest. */
static tlr_resource host_energy(const tlr_host *host, const tlr_watts *watts, const host_load *load,
                                double took_s)
{
    tlr_resource out = {.is_at_least = watts->least > watts->idle * (1 + 1e-9) && load->n > 1 &&
                                       load->has_gaps};
    snprintf(out.name, sizeof out.name, "%s", host->name);
    out.energy_j = tlr_watts_energy_j(watts, took_s, fmin(load->busy_s, took_s),
                                      fmin(load->core_s / host->n_cores, took_s));
    return out;
}

/* Writes the energy of the hosts and the use of the links. */
static tl_status take_usage(const loggops_replay *r, const tlr_platform *platform,
                            const tlr_prediction *p, const tlr_options *options, tl_error *err)
{
    tlr_usage *usage = options->usage;
    const tlr_cluster *c = &r->places.cluster;
    host_load *loads = calloc(c->n_hosts + 1, sizeof *loads);
    const size_t n_links = usage->has_links ? loggops_links_count(r->links) : 0;
    tlr_resource *hosts = calloc(c->n_hosts + n_links + 1, sizeof *hosts);
    size_t n = 0;
    tl_status status = TL_OK;
    if (!loads || !hosts) {
        status = tl_no_memory(err, "energy");
        goto cleanup;
    }
    for (uint32_t i = 0; i < p->n_ranks; i++)
        add_rank(&p->ranks[i], &r->run->sums[i], options->waiting, &loads[r->places.host_of[i]]);
    for (size_t i = 0; usage->has_energy && i < c->n_hosts; i++)
        if (c->watts[i].is_known)
            hosts[n++] = host_energy(&c->hosts[i], &c->watts[i], &loads[i], p->makespan_s);
    if (n_links)
        loggops_links_take(r->links, hosts + n);
    if (n || !usage->has_energy)
        status = tlr_usage_put(usage, p->makespan_s, hosts, n + n_links, err);
    else
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: gives the power of no host; --energy needs the property "
                         "wattage_per_state (timeless-replay(1))",
                         platform->xml_path);
cleanup:
    free(loads);
    free(hosts);
    return status;
}

static tl_status take_results(const loggops_replay *replay, const char *selector,
                              tlr_prediction *out)
{
    const tlr_plan *plan = replay->plan; /* NULL: a graph */
    const loggops_run *run = replay->run;
    const loggops_result *result = &replay->result;
    out->engine_version = strdup(tl_version());
    out->network_model = describe_network(&replay->network.params, run->nodes, replay->is_derived,
                                          result->n_retransmitted, &replay->graph);
    out->coll_selector = describe_choice(plan ? selector : "none", &replay->choice);
    out->ranks = calloc(run->n_ranks + 1u, sizeof *out->ranks);
    if (!out->engine_version || !out->network_model || !out->coll_selector || !out->ranks ||
        (plan && tlr_plan_describe(plan, out) != TL_OK))
        return TL_ERR_MEMORY;
    out->n_ranks = run->n_ranks;
    out->n_events = plan ? plan->n_events : replay->graph.n_ops;
    out->makespan_s = (double)result->makespan_ps * s_per_ps;
    for (uint32_t r = 0; r < run->n_ranks; r++) {
        const uint32_t *first_op = replay->graph.first_op;
        const loggops_rank_result *from = &result->ranks[r];
        out->ranks[r] = (tlr_rank_prediction){
            .end_s = (double)from->end_ps * s_per_ps,
            .compute_s = (double)from->compute_ps * s_per_ps,
            .kernel_s = run->sums[r].kernel_s,
            .p2p_s = (double)from->p2p_ps * s_per_ps,
            .wait_s = (double)from->wait_ps * s_per_ps,
            .collective_s = (double)from->collective_ps * s_per_ps,
            .io_s = (double)from->io_ps * s_per_ps,
            .n_events = plan ? plan->ranks[r]->n_events : first_op[r + 1] - first_op[r]};
        memcpy(out->ranks[r].estimated_s, run->sums[r].of_model.estimated_s,
               sizeof out->ranks[r].estimated_s);
    }
    return take_hosts(replay, out);
}

static int places_ranks(const tlr_options *options)
{
    return options->hostfile || options->ranks_per_host || options->round_robin;
}

/* Of a network of links, the whole can change. */
static bool can_change(const tlr_change *change, const tlr_platform *platform,
                       const tlr_options *options)
{
    const bool has_links = platform && !options->loggops_params;
    switch (change->quantity) {
    case TLR_HOST_SPEED:
    case TLR_MESSAGE_OVERHEAD: return has_links;
    case TLR_LINK_BANDWIDTH:
    case TLR_LINK_LATENCY:
        return has_links && change->is_factor &&
               (!strcmp(change->pattern, "*") || !strcmp(change->pattern, "*loopback*"));
    default: return 1;
    }
}

static tl_status refuse_change(const tlr_change *change, const tlr_platform *platform,
                               const tlr_options *options, tl_error *err)
{
    char text[512];
    tlr_change_text(change, text, sizeof text);
    if (!platform || options->loggops_params)
        return tl_fail(err, TL_ERR_USAGE,
                       "--set %s: changes a platform, but the network is that of --params; leave "
                       "one of them out",
                       text);
    return tl_fail(err, TL_ERR_USAGE,
                   "--set %s: the loggops engine changes all links of a platform, or all of its "
                   "loopbacks (link:*loopback*), by a factor, as 2x; give one, or --engine smpi",
                   text);
}

/* Options for SimGrid, or for hosts if there are none, have no meaning here. */
static tl_status check_options(size_t n_jobs, const tlr_platform *platform,
                               const tlr_options *options, tl_error *err)
{
    if (n_jobs != 1)
        return tl_fail(err, TL_ERR_USAGE, "the loggops engine replays one trace at a time");
    if (!options->loggops_params && !platform)
        return tl_fail(err, TL_ERR_USAGE,
                       "the loggops engine needs the network's parameters: --params "
                       "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536, or a --platform");
    for (size_t i = 0; i < options->n_changes; i++)
        if (!can_change(&options->changes[i], platform, options))
            return refuse_change(&options->changes[i], platform, options, err);
    if (options->wildcards_first)
        return tl_fail(err, TL_ERR_USAGE,
                       "the loggops engine replays wildcards as they were recorded; leave out "
                       "--wildcards first, or give --engine smpi");
    if (places_ranks(options) && !platform)
        return tl_fail(err, TL_ERR_USAGE,
                       "the loggops engine has hosts only with --platform; give one, or leave out "
                       "--hostfile, --round-robin and --ranks-per-host");
    return TL_OK;
}

/* Network and places. If the parameters are those of one network for all messages, there need not
 * be a platform. Hosts are only needed if ranks are to be placed on some. */
static tl_status find_network(loggops_replay *r, const tlr_platform *platform,
                              const tlr_options *options, uint32_t n_ranks, tl_error *err)
{
    tl_status status = TL_OK;
    tlr_cluster cluster = {0};
    if (options->loggops_params &&
        (status = loggops_read_params(options, &r->network, err)) != TL_OK)
        return status;
    if (options->loggops_params && !r->network.has_within && !places_ranks(options) &&
        !options->network_noise && r->network.between.n == 1 && !r->network.move_bytes &&
        !options->usage)
        return TL_OK;
    if (!platform && options->usage)
        return tl_fail(err, TL_ERR_USAGE,
                       "--energy and --links need --platform, whose hosts state watts and links");
    if (!platform)
        return tl_fail(err, TL_ERR_USAGE,
                       "--params '%s' distinguishes messages by nodes or sizes, which needs "
                       "--platform",
                       options->loggops_params);
    if ((status = tlr_cluster_read(platform->xml_path, &cluster, err)) != TL_OK)
        return status;
    for (size_t i = 0; i < options->n_changes; i++)
        if (options->changes[i].quantity == TLR_HOST_SPEED)
            tlr_cluster_change(&cluster, &options->changes[i]);
    if (!options->loggops_params && cluster.has_profiles) {
        status = tl_fail(err, TL_ERR_UNSUPPORTED,
                         "%s: names profiles, by which links or hosts change with time; the "
                         "loggops engine has none: give --engine smpi, or the network by --params",
                         platform->xml_path);
    } else if (!options->loggops_params) {
        r->is_derived = 1;
        status = loggops_read_network(platform, &cluster, options, &r->network, err);
    }
    if (status == TL_OK && !r->is_derived && options->usage && options->usage->has_links)
        status = tl_fail(err, TL_ERR_USAGE,
                         "--links: the network of --params has no links; give the platform only");
    if (status != TL_OK) {
        tlr_cluster_free(&cluster);
        return status;
    }
    r->has_places = 1;
    status = loggops_place_ranks(&cluster, &r->network, options, n_ranks, &r->places, err);
    r->places.nodes.messages = tlr_message_noise_begin(platform, options);
    return status;
}

/* --set retransmission.loss, ... */
static tl_status set_retransmission(loggops_replay *r, const tlr_options *options, tl_error *err)
{
    double timeout_s = 0.2; /* the least one of Linux, TCP_RTO_MIN of its include/net/tcp.h */
    bool is_given = 0, has_loss = 0;
    /* Assumed: a flow that is alone loses nothing. */
    loggops_retransmission t = {.first_flows = 2, .seed = options->seed};
    for (size_t i = 0; i < options->n_changes; i++) {
        const tlr_change *change = &options->changes[i];
        is_given |= tlr_change_is_of_retransmission(change);
        has_loss |= change->quantity == TLR_RETRANSMISSION_LOSS;
        if (change->quantity == TLR_RETRANSMISSION_LOSS)
            t.loss = change->value;
        else if (change->quantity == TLR_RETRANSMISSION_TIMEOUT)
            timeout_s = tlr_change_apply(change, timeout_s);
        else if (change->quantity == TLR_RETRANSMISSION_FLOWS)
            t.first_flows = (uint32_t)change->value;
    }
    if (is_given && !(r->has_places && r->network.move_bytes))
        return tl_fail(err, TL_ERR_USAGE,
                       "--set retransmission: packets are lost where messages arrive at a node; "
                       "give --platform, and leave out --params without or=TIME");
    if (timeout_s > most_timeout_s)
        return tl_fail(err, TL_ERR_USAGE,
                       "--set retransmission.timeout: %g s is too long; give at most %g s",
                       timeout_s, most_timeout_s);
    if (is_given && !has_loss)
        return tl_fail(err, TL_ERR_USAGE,
                       "--set retransmission: without a loss no message waits; give "
                       "retransmission.loss=PROBABILITY, too");
    t.timeout_ps = (uint64_t)llrint(timeout_s / s_per_ps);
    r->places.nodes.retransmission = t;
    return TL_OK;
}

/* --set rendezvous.progress */
static tl_status set_progress(loggops_replay *r, const tlr_options *options, tl_error *err)
{
    const int in_calls =
        tlr_change_progress(options->changes, options->n_changes) == TLR_PROGRESS_CALLS;
    if (in_calls && !(r->has_places && r->network.move_bytes))
        return tl_fail(
            err, TL_ERR_USAGE,
            "--set rendezvous.progress=calls: with these parameters, a CPU receives a long "
            "message whenever it is free; give --platform, and leave out --params without "
            "or=TIME");
    r->places.nodes.answers_in_calls = in_calls;
    return TL_OK;
}

static void release(loggops_replay *r)
{
    tlr_noise_free(r->noise);
    loggops_recorder_close(r->recorder);
    loggops_demand_close(r->demand);
    loggops_links_close(r->links);
    loggops_places_free(&r->places);
    loggops_ways_close(r->network.ways);
    loggops_load_free(&r->load);
    free(r->choice.stand_ins);
    loggops_run_free(r->run);
    loggops_streams_close(r->streams);
    free(r->result.ranks);
    free(r->result.marks_ps);
    free(r->measured_s);
    free(r->predicted_s);
    tlr_plan_free(r->plan);
    goal_free(&r->graph);
}

static int make_room(loggops_replay *r, const tlr_options *options, uint32_t n_ranks,
                     size_t n_marks)
{
    if (r->is_derived)
        r->demand = loggops_demand_open(&r->places, &r->network.factors, options->n_threads);
    if (r->is_derived && !r->demand)
        return 0;
    r->places.nodes.demand = r->demand;
    const int wants_links = options->usage && options->usage->has_links;
    if (r->is_derived && (wants_links || tlr_links_are_shared(&r->places.cluster)) &&
        !(r->links = loggops_links_open(&r->places)))
        return 0;
    r->places.nodes.links = r->links;
    r->result.ranks = calloc(n_ranks, sizeof *r->result.ranks);
    r->result.marks_ps = calloc(n_marks + 1, sizeof *r->result.marks_ps);
    r->measured_s = calloc(n_marks + 1, sizeof *r->measured_s);
    r->predicted_s = calloc(n_marks + 1, sizeof *r->predicted_s);
    return r->result.ranks && r->result.marks_ps && r->measured_s && r->predicted_s;
}

/* Changes the computation of a graph by the options. */
static tl_status change_computation(const loggops_replay *r, const tlr_options *o, tl_error *err)
{
    const double most_ps = 1e18;
    const goal_run *graph = &r->graph;
    for (uint32_t rank = 0; rank < graph->n_ranks; rank++) {
        const char *host =
            r->has_places ? r->places.cluster.hosts[r->places.host_of[rank]].name : "";
        const double bursts = tlr_change_factor(o->changes, o->n_changes, TLR_BURST_TIME, NULL),
                     speed = tlr_change_factor(o->changes, o->n_changes, TLR_HOST_SPEED, host);
        const double factor = o->no_compute ? 0 : bursts / speed;
        for (uint32_t i = graph->first_op[rank]; i < graph->first_op[rank + 1] && factor != 1;
             i++) {
            const double ps = (double)graph->ops[i].amount * factor;
            if (graph->ops[i].kind != GOAL_CALC)
                continue;
            if (ps > most_ps)
                return tl_fail(err, TL_ERR_USAGE,
                               "%s: a computation would take %.3g s; give a smaller factor",
                               graph->path, ps * s_per_ps);
            graph->ops[i].amount = (uint64_t)llrint(ps);
        }
    }
    return TL_OK;
}

/* Loads a graph, for a simulation from the beginning. */
static tl_status load_graph(loggops_replay *r, const char *path, const tlr_options *options,
                            tl_error *err)
{
    loggops_run_free(r->run);
    goal_free(&r->graph);
    r->run = NULL;
    TL_TRY(goal_load(path, &r->graph, err));
    TL_TRY(change_computation(r, options, err));
    r->run = goal_make_run(&r->graph);
    return r->run ? TL_OK : tl_no_memory(err, path);
}

/* Reads the programs or the graph, or begins to read them. */
static tl_status read_programs(loggops_replay *r, tl_reader *trace, const tlr_model *model,
                               const tlr_options *options, tl_error *err)
{
    const loggops_places *places = r->has_places ? &r->places : NULL;
    const loggops_source source = {trace,   r->plan,    model,        places,
                                   options, &r->choice, r->measured_s};
    if (tl_reader_is_goal(trace))
        return load_graph(r, tl_reader_path(trace), options, err);
    if (!loggops_is_streamed(trace, r->plan, options))
        return loggops_read_trace(&source, &r->run, err);
    if (!r->streams)
        TL_TRY(loggops_streams_open(&source, &r->streams, err));
    return loggops_streams_run(r->streams, &r->run, err);
}

static tl_status simulate(loggops_replay *r, const tlr_noise *noise, unsigned n_threads,
                          loggops_result *result, tl_error *err)
{
    r->run->nodes = r->has_places ? &r->places.nodes : NULL;
    const loggops_params *params = &r->network.params;
    const tl_status status = loggops_simulate(r->run, params, noise, n_threads, result, err);
    if (status == TLR_ERR_DEADLOCK && r->run->graph)
        return goal_check_end(&r->graph, err);
    return status == TL_OK ? loggops_ways_status(r->network.ways, err) : status;
}

/* The greatest change of the end of a rank, of the makespan. `ends_ps` gets the new ends. */
static double change_of_ends(const loggops_result *result, uint32_t n_ranks, uint64_t *ends_ps)
{
    double change_ps = 0;
    for (uint32_t i = 0; i < n_ranks; i++) {
        change_ps = fmax(change_ps, fabs((double)result->ranks[i].end_ps - (double)ends_ps[i]));
        ends_ps[i] = result->ranks[i].end_ps;
    }
    return result->makespan_ps ? change_ps / (double)result->makespan_ps : 0;
}

/* Finds the load of the hosts, by simulations without noise that each have the load of the one
 * before. The changes fall by about the share of the slowdown in the time, to the power of their
 * number. */
static tl_status find_load(loggops_replay *r, tl_reader *trace, const tlr_model *model,
                           const tlr_options *options, tl_error *err)
{
    enum { LEAST_SIMULATIONS = 6, MOST_SIMULATIONS = 40 };
    const double enough = 1e-3;
    double change = 1;
    size_t n_calls;
    if (!r->has_places || !tlr_interferes(model))
        return TL_OK;
    if (tl_reader_calls(trace, &n_calls))
        return tl_fail(err, TL_ERR_UNSUPPORTED,
                       "%s: has the group 'interference', which the engine 'loggops' does not "
                       "apply to programs that make their events; give --engine smpi, or remove "
                       "the group",
                       model->path);
    tl_status status = loggops_load_open(r->plan->n_ranks, &r->places, &r->load, err);
    r->places.load = &r->load;
    uint64_t *ends_ps = calloc(r->plan->n_ranks + 1U, sizeof *ends_ps);
    if (status == TL_OK && !ends_ps)
        status = tl_no_memory(err, "load of the nodes");
    for (int i = 0; i < MOST_SIMULATIONS && status == TL_OK; i++) {
        if (i >= LEAST_SIMULATIONS && change <= enough)
            break;
        loggops_result quiet = {
            .ranks = calloc(r->plan->n_ranks + 1U, sizeof *quiet.ranks),
            .marks_ps = calloc(r->plan->n_marks * r->plan->n_ranks + 1, sizeof *quiet.marks_ps)};
        if (!quiet.ranks || !quiet.marks_ps)
            status = tl_no_memory(err, "load of the nodes");
        if (status == TL_OK)
            status = read_programs(r, trace, model, options, err);
        if (status == TL_OK && r->run)
            status = simulate(r, NULL, options->n_threads, &quiet, err);
        if (status == TL_OK) {
            loggops_load_settle(&r->load, &r->places, quiet.ranks);
            change = change_of_ends(&quiet, r->plan->n_ranks, ends_ps);
        }
        loggops_run_free(r->run);
        r->run = NULL;
        free(quiet.ranks);
        free(quiet.marks_ps);
    }
    free(ends_ps);
    r->load_change = change > enough ? change : 0;
    return status;
}

static tl_status simulate_and_record(loggops_replay *r, const tlr_options *options, tl_error *err)
{
    tl_status status = TL_OK;
    if (options->timeline)
        status = loggops_recorder_open(r->run, r->plan, options->timeline, &r->recorder, err);
    r->run->recorder = r->recorder;
    return status == TL_OK ? simulate(r, r->noise, options->n_threads, &r->result, err) : status;
}

static tl_status end_record(loggops_replay *r, tlr_prediction *out, tl_error *err)
{
    if (!r->recorder)
        return TL_OK;
    const tl_status status = loggops_recorder_finish(r->recorder, &out->what_if, err);
    loggops_recorder_close(r->recorder);
    r->recorder = r->run->recorder = NULL;
    return status;
}

/* Programs that are made during the simulation begin again. */
static tl_status begin_again(loggops_replay *r, const tlr_options *options, tl_error *err)
{
    if (r->run->graph)
        return load_graph(r, r->graph.path, options, err);
    if (!r->streams)
        return TL_OK;
    loggops_run_free(r->run);
    r->run = NULL;
    return loggops_streams_run(r->streams, &r->run, err);
}

/* Compares with the same run without noise. */
static tl_status weigh_noise(loggops_replay *r, const tlr_options *options, tlr_prediction *out,
                             tl_error *err)
{
    loggops_result quiet = {.ranks = calloc(out->n_ranks, sizeof *quiet.ranks)};
    out->noise = strdup(options->noise);
    tl_status status = TL_OK;
    if (!quiet.ranks || !out->noise)
        status = tl_no_memory(err, "prediction");
    else if ((status = begin_again(r, options, err)) == TL_OK)
        status = simulate(r, NULL, options->n_threads, &quiet, err);
    out->quiet_s = (double)quiet.makespan_ps * s_per_ps;
    for (uint32_t i = 0; i < out->n_ranks && status == TL_OK; i++) {
        out->ranks[i].noise_s = (double)r->result.ranks[i].noise_ps * s_per_ps;
        out->ranks[i].delay_s = out->ranks[i].end_s - (double)quiet.ranks[i].end_ps * s_per_ps;
    }
    free(quiet.ranks);
    return status;
}

/* What does not depend on what the ranks do. */
static tl_status begin(loggops_replay *r, const tlr_platform *platform, const tlr_options *options,
                       uint32_t n_ranks, tl_error *err)
{
    TL_TRY(find_network(r, platform, options, n_ranks, err));
    TL_TRY(set_retransmission(r, options, err));
    TL_TRY(set_progress(r, options, err));
    return options->noise ? tlr_noise_read(options->noise, options->seed, &r->noise, err) : TL_OK;
}

/* The results, and those without noise. */
static tl_status end(loggops_replay *r, const tlr_platform *platform, const tlr_options *options,
                     tlr_prediction *out, tl_error *err)
{
    tl_status status = take_results(r, options->coll_selector, out);
    if (status == TL_OK && r->demand)
        status = loggops_demand_judge(r->demand, out);
    if (status == TL_OK && r->links)
        loggops_links_judge(r->links, out);
    if (status == TL_OK && r->plan)
        status = tlr_take_marks(r->plan, r->measured_s, r->predicted_s, out);
    if (status != TL_OK)
        tl_error_set(err, status, "out of memory for the prediction");
    else if (options->noise)
        status = weigh_noise(r, options, out, err);
    return status == TL_OK && options->usage ? take_usage(r, platform, out, options, err) : status;
}

/* What does not depend on how the ranks are simulated: of a trace, the plan. */
static tl_status survey(loggops_replay *r, tl_reader *trace, const tlr_platform *platform,
                        const tlr_model *model, const tlr_options *options, tl_error *err)
{
    const uint32_t n_ranks = tl_reader_run(trace)->n_ranks;
    const bool is_goal = tl_reader_is_goal(trace);
    TL_TRY(begin(r, platform, options, n_ranks, err));
    if (is_goal && r->has_places && !r->network.move_bytes)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: is a schedule of GOAL, whose messages pass the adapters of nodes by "
                       "themselves: state or=TIME in the parameters of the network, or leave out "
                       "--platform",
                       tl_reader_path(trace));
    if (!is_goal) {
        TL_TRY(loggops_read_choice(platform, options, &r->choice, err));
        TL_TRY(tlr_plan_make(trace, model, options, &r->plan, err));
    }
    r->choice.S_bytes = r->network.params.S_bytes;
    return make_room(r, options, n_ranks, r->plan ? r->plan->n_marks * n_ranks : 0)
               ? TL_OK
               : tl_no_memory(err, "prediction");
}

static tl_status replay_loggops(const tlr_job *jobs, size_t n_jobs, const tlr_platform *platform,
                                const tlr_model *model, const tlr_options *options,
                                tlr_prediction *const *out, tl_error *err)
{
    tl_reader *trace = jobs[0].trace;
    size_t n_calls;
    loggops_replay r = {0};
    tl_status status = check_options(n_jobs, platform, options, err);
    if (status != TL_OK || (status = survey(&r, trace, platform, model, options, err)) != TL_OK ||
        (status = find_load(&r, trace, model, options, err)) != TL_OK ||
        (status = read_programs(&r, trace, model, options, err)) != TL_OK ||
        (status = simulate_and_record(&r, options, err)) != TL_OK ||
        (status = end_record(&r, out[0], err)) != TL_OK)
        goto cleanup;
    for (uint32_t i = 0; tl_reader_calls(trace, &n_calls) && i < r.plan->n_ranks; i++)
        r.plan->n_events += r.plan->ranks[i]->n_events;
    for (size_t i = 0; r.plan && i < r.plan->n_marks * r.plan->n_ranks; i++)
        r.predicted_s[i] = (double)r.result.marks_ps[i] * s_per_ps;
    if (r.plan && options->io_bandwidth <= 0 && !options->allow_opaque)
        out[0]->n_assumed_transfers = r.plan->n_transfers;
    status = end(&r, platform, options, out[0], err);
cleanup:
    release(&r);
    return status;
}

const tlr_engine tlr_engine_loggops = {.name = "loggops",
                                       .summary =
                                           "LogGOPS: links for long messages; a million ranks",
                                       .replay = replay_loggops,
                                       .algorithms = loggops_algorithms};
