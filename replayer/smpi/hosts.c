/* hosts.c - applies the user's changes to the platform, and finds the host of each rank. */
#include "config.h"

#include "calls.h"
#include "hosts.h"

#include "machine/mapping.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>

/* ---- what if ---- */

static const char of_host[] = "_limiter", of_cabinet[] = "limiter-";

/* A limiter is no link: it stands for the bandwidth of both directions of a link together. SimGrid
 * calls that of a host "c_link_0_limiter", and 'timeless platform' that of a cabinet "limiter-0".
 */
static bool is_limiter(const char *name)
{
    const size_t n = strlen(name), suffix = sizeof of_host - 1;
    return (n > suffix && !strcmp(name + n - suffix, of_host)) ||
           !strncmp(name, of_cabinet, sizeof of_cabinet - 1);
}

/* Links within a host are its memory. They and limiters match only patterns that name them. */
static bool is_meant(const tlr_change *change, const char *name)
{
    if (strstr(name, "loopback") && !strstr(change->pattern, "loopback"))
        return 0;
    if (is_limiter(name) && !strstr(change->pattern, "limiter"))
        return 0;
    return fnmatch(change->pattern, name, 0) == 0;
}

static sg_link_t link_named(sg_link_t *links, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (!strcmp(sg_link_get_name(links[i]), name))
            return links[i];
    return NULL;
}

/* The link that a limiter belongs to, or one direction of it. In a torus, fat tree or dragonfly no
 * link has such a name, and all links of hosts are alike: the first one that the change means. */
static sg_link_t link_of(const tlr_change *change, sg_link_t *links, size_t n, const char *limiter)
{
    char name[256];
    if (!strncmp(limiter, of_cabinet, sizeof of_cabinet - 1))
        snprintf(name, sizeof name, "uplink-%s_UP", limiter + sizeof of_cabinet - 1);
    else
        snprintf(name, sizeof name, "%.*s_UP", (int)(strlen(limiter) - (sizeof of_host - 1)),
                 limiter);
    sg_link_t link = link_named(links, n, name);
    if (link)
        return link;
    name[strlen(name) - 3] = '\0'; /* a link of one direction, or of both in one */
    link = link_named(links, n, name);
    for (size_t i = 0; i < n && !link; i++)
        if (strstr(sg_link_get_name(links[i]), "link_from_") &&
            is_meant(change, sg_link_get_name(links[i])))
            link = links[i];
    return link;
}

/* A limiter keeps its ratio to the bandwidth of its link. To be called before the links change. */
static void change_limiters(const tlr_change *change, sg_link_t *links, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *name = sg_link_get_name(links[i]);
        if (!is_limiter(name) || is_meant(change, name))
            continue;
        const sg_link_t link = link_of(change, links, n, name);
        if (!link || !is_meant(change, sg_link_get_name(link)))
            continue;
        const double before_Bps = sg_link_get_bandwidth(link),
                     ratio = tlr_change_apply(change, before_Bps) / before_Bps;
        sg_link_set_bandwidth(links[i], ratio * sg_link_get_bandwidth(links[i]));
    }
}

static size_t change_links(const tlr_change *change)
{
    size_t n_changed = 0;
    const size_t n = sg_link_count();
    sg_link_t *links = sg_link_list();
    if (change->quantity == TLR_LINK_BANDWIDTH)
        change_limiters(change, links, n);
    for (size_t i = 0; i < n; i++) {
        if (!is_meant(change, sg_link_get_name(links[i])))
            continue;
        n_changed++;
        if (change->quantity == TLR_LINK_BANDWIDTH)
            sg_link_set_bandwidth(links[i],
                                  tlr_change_apply(change, sg_link_get_bandwidth(links[i])));
        else
            sg_link_set_latency(links[i], tlr_change_apply(change, sg_link_get_latency(links[i])));
    }
    free(links);
    return n_changed;
}

/* The speed of a host cannot be changed after SimGrid has read it. A rank there gets more or less
 * computation instead. */
static size_t change_hosts(const tlr_change *change, const tlr_host *hosts, size_t n_hosts,
                           double *speeds)
{
    size_t n_changed = 0;
    for (size_t h = 0; h < n_hosts; h++)
        if (is_meant(change, hosts[h].name)) {
            speeds[h] = tlr_change_apply(change, speeds[h]);
            n_changed++;
        }
    return n_changed;
}

static void refuse_pattern(const tlr_change *change, const tlr_host *hosts)
{
    const bool is_host = change->quantity == TLR_HOST_SPEED;
    sg_link_t *links = sg_link_list();
    smpi_give_up(TL_ERR_INPUT,
                 "%s: has no %s that '%s' names; the first is called '%s', and patterns are those "
                 "of fnmatch(3)",
                 replay.platform->xml_path, is_host ? "host" : "link", change->pattern,
                 is_host ? hosts[0].name : sg_link_get_name(links[0]));
}

/* speeds[host]: in flop/s, after the changes. */
static void change_platform(const tlr_host *hosts, size_t n_hosts, double *speeds)
{
    replay.waiting_cores = replay.options->waiting == TLR_WAITING_BUSY;
    if (tlr_change_progress(replay.options->changes, replay.options->n_changes) ==
        TLR_PROGRESS_CALLS)
        smpi_give_up(TL_ERR_USAGE,
                     "--set rendezvous.progress=calls: SimGrid moves a long message whatever its "
                     "ranks compute; give --engine loggops");
    for (size_t i = 0; i < replay.options->n_changes; i++) {
        const tlr_change *change = &replay.options->changes[i];
        if (tlr_change_is_of_model(change) || change->quantity == TLR_MESSAGE_OVERHEAD)
            continue;
        if (change->quantity == TLR_RENDEZVOUS_PROGRESS || change->quantity == TLR_ENERGY_WAIT)
            continue;
        if (tlr_change_is_of_retransmission(change))
            smpi_give_up(TL_ERR_USAGE, "the engine 'smpi' loses no packets; give --engine loggops "
                                       "with --set retransmission.loss");
        const size_t n = change->quantity == TLR_HOST_SPEED
                             ? change_hosts(change, hosts, n_hosts, speeds)
                             : change_links(change);
        if (!n)
            refuse_pattern(change, hosts);
    }
}

/* SimGrid accepts impossible numbers and continues, so they are refused here. */
static void check_numbers(const tlr_host *hosts, size_t n_hosts)
{
    const char *path = replay.platform->xml_path;
    for (size_t h = 0; h < n_hosts; h++) {
        const double speed = sg_host_get_speed(sg_host_by_name(hosts[h].name));
        if (!isfinite(speed) || speed <= 0)
            smpi_give_up(TL_ERR_INPUT,
                         "%s: the host '%s' has a speed of %g flop/s; give it a positive one", path,
                         hosts[h].name, speed);
    }
    const size_t n = sg_link_count();
    sg_link_t *links = sg_link_list();
    for (size_t i = 0; i < n; i++) {
        const double bandwidth = sg_link_get_bandwidth(links[i]),
                     latency = sg_link_get_latency(links[i]);
        if (!isfinite(bandwidth) || bandwidth <= 0)
            smpi_give_up(TL_ERR_INPUT,
                         "%s: the link '%s' has a bandwidth of %g B/s; give it a positive one",
                         path, sg_link_get_name(links[i]), bandwidth);
        if (!isfinite(latency) || latency < 0)
            smpi_give_up(
                TL_ERR_INPUT,
                "%s: the link '%s' has a latency of %g s; give it one that is not negative", path,
                sg_link_get_name(links[i]), latency);
    }
    free(links);
}

/* ---- placement ---- */

static int compare_hosts(const void *a, const void *b)
{
    const tlr_host *x = a, *y = b;
    return strverscmp(x->name, y->name);
}

static tlr_host *list_hosts(size_t *n)
{
    *n = sg_host_count();
    sg_host_t *all = sg_host_list();
    tlr_host *hosts = smpi_alloc(*n, sizeof *hosts);
    for (size_t i = 0; i < *n; i++) {
        const int cores = sg_host_core_count(all[i]);
        hosts[i] = (tlr_host){sg_host_get_name(all[i]), cores > 0 ? (unsigned)cores : 1};
    }
    free(all);
    qsort(hosts, *n, sizeof *hosts, compare_hosts);
    return hosts;
}

/* Jobs without a host file of their own share the places, one job after the other. */
static void map_jobs(const tlr_host *hosts, size_t n_hosts, uint32_t *host_of)
{
    tl_error err;
    uint32_t n_sharing = 0;
    uint32_t *shared = smpi_alloc(replay.n_ranks, sizeof *shared);
    for (size_t j = 0; j < replay.n_jobs; j++) {
        const smpi_job *job = &replay.jobs[j];
        if (!job->hostfile)
            n_sharing += job->plan->n_ranks;
        else if (tlr_map_ranks(hosts, n_hosts, job->hostfile, replay.options, job->plan->n_ranks,
                               host_of + job->first_rank, &err) != TL_OK)
            smpi_give_up(err.status, "%s", err.text);
    }
    if (n_sharing && tlr_map_ranks(hosts, n_hosts, replay.options->hostfile, replay.options,
                                   n_sharing, shared, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    uint32_t next = 0;
    for (size_t j = 0; j < replay.n_jobs; j++) {
        const smpi_job *job = &replay.jobs[j];
        for (uint32_t r = 0; r < job->plan->n_ranks && !job->hostfile; r++)
            host_of[job->first_rank + r] = shared[next++];
    }
    free(shared);
}

/* Data of files needs a disk, a given or assumed bandwidth, or the option by which it takes no
 * time.
 */
static void check_disks(void)
{
    if (replay.options->io_bandwidth > 0 || replay.options->allow_opaque)
        return;
    for (uint32_t r = 0; r < replay.n_ranks; r++) {
        const smpi_job *job = replay.ranks[r].job;
        if (!job->plan->n_transfers || smpi_has_disk(replay.result->ranks[r].host))
            continue;
        replay.result->lacks_disk = 1;
        if (replay.options->model_strict)
            smpi_give_up(
                TL_ERR_UNSUPPORTED,
                "%s: has %" PRIu64 " calls that read or write files, and the host '%s' has "
                "no disk; give --io-bandwidth, or --allow-opaque for file accesses that take no "
                "time",
                tl_reader_path(job->trace), job->plan->n_transfers, replay.result->ranks[r].host);
    }
}

/* The compute model of a rank, which takes the next core of its host. */
static void choose_model(smpi_rank *r, const tlr_host *host, uint32_t *n_before, uint32_t n_ranks)
{
    tl_error err;
    const tlr_place place = {host->name, (*n_before)++ % host->n_cores,
                             tlr_cores_for_rank(host->n_cores, n_ranks), host->n_cores, n_ranks};
    if (tlr_rank_model_open(&r->model, replay.model, r->job->trace,
                            (uint32_t)(r->job - replay.jobs), r->rank, &place, replay.options,
                            &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
    r->host = smpi_host_of(sg_host_by_name(host->name));
    r->host->n_ranks++;
    r->model.recorded = r->job->plan->kernels.recorded;
}

void smpi_place_ranks(void)
{
    size_t n_hosts;
    tlr_host *hosts = list_hosts(&n_hosts);
    check_numbers(hosts, n_hosts);
    uint32_t *host_of = smpi_alloc(replay.n_ranks, sizeof *host_of);
    double *speeds = smpi_alloc(n_hosts, sizeof *speeds);
    uint32_t *n_placed = smpi_alloc(n_hosts, sizeof *n_placed);
    uint32_t *n_on = smpi_alloc(n_hosts, sizeof *n_on);
    map_jobs(hosts, n_hosts, host_of);
    for (uint32_t r = 0; r < replay.n_ranks; r++)
        n_on[host_of[r]]++;
    for (size_t h = 0; h < n_hosts; h++)
        speeds[h] = sg_host_get_speed(sg_host_by_name(hosts[h].name));
    change_platform(hosts, n_hosts, speeds);
    for (uint32_t r = 0; r < replay.n_ranks; r++) {
        const tlr_host *host = &hosts[host_of[r]];
        snprintf(replay.result->ranks[r].host, HOST_NAME_BYTES, "%s", host->name);
        choose_model(&replay.ranks[r], host, &n_placed[host_of[r]], n_on[host_of[r]]);
        if (replay.model)
            replay.ranks[r].flops_per_s =
                replay.model->reference_flops *
                (sg_host_get_speed(sg_host_by_name(host->name)) / speeds[host_of[r]]);
    }
    replay.result->crowd = tlr_find_crowd(hosts, n_hosts, n_placed);
    check_disks();
    free(n_placed);
    free(speeds);
    free(host_of);
    free(hosts);
}

static void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (strchr("<>&\"'", *text))
            fprintf(out, "&#%d;", *text);
        else
            fputc(*text, out);
}

/* Starts the ranks from a deployment file. Only a deployment gives an actor the properties by which
 * SMPI knows its rank before it starts. */
void smpi_deploy(void)
{
    int fd = memfd_create("timeless-deployment", 0);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        smpi_give_up(TL_ERR_SYSTEM, "no memory for the deployment of the ranks");
    fputs("<?xml version='1.0'?>\n"
          "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
          "<platform version=\"4.1\">\n",
          out);
    for (uint32_t r = 0; r < replay.n_ranks; r++) {
        fputs("<actor host=\"", out);
        put_escaped(out, replay.result->ranks[r].host);
        fprintf(out,
                "\" function=\"rank\"><argument value=\"%u\"/><prop id=\"instance_id\" "
                "value=\"%s\"/><prop id=\"rank\" value=\"%u\"/></actor>\n",
                r, replay.ranks[r].job->instance, replay.ranks[r].rank);
    }
    fputs("</platform>\n", out);
    fflush(out);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    simgrid_register_function("rank", smpi_rank_main);
    for (size_t j = 0; j < replay.n_jobs; j++)
        SMPI_app_instance_register(replay.jobs[j].instance, NULL,
                                   (int)replay.jobs[j].plan->n_ranks);
    simgrid_load_deployment(path);
    fclose(out);
}
