/* usage.c - use of links (shims/links.c) and energy of the simulated platform. The energy of links
 * is computed from their use, by the formula of SimGrid's plugin. (In SimGrid 4.0 that plugin
 * leaves out the additional power of a link in use.) */
#include "config.h"

#include "smpi/shims/shims.h"
#include "hosts.h"
#include "results/usage.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <simgrid/link.h>

/* The property wattage_range of a link; 0 without it. */
typedef struct watts {
    double idle, more; /* and so much more in full use */
} watts;

static struct {
    bool is_open;
    size_t n_links, n_hosts;
    sg_link_t *links;
    watts *watts;            /* of links */
    sg_host_t *hosts;        /* with watts */
    tlr_resource *resources; /* links, then hosts */
} usage;

static void list_hosts(void)
{
    const size_t n = sg_host_count();
    usage.hosts = sg_host_list();
    for (size_t i = 0; i < n; i++)
        if (sg_host_get_property_value(usage.hosts[i], "wattage_per_state"))
            usage.hosts[usage.n_hosts++] = usage.hosts[i];
    if (!usage.n_hosts)
        smpi_give_up(TL_ERR_INPUT,
                     "%s: gives the power of no host; --energy needs the property "
                     "wattage_per_state (timeless-replay(1))",
                     replay.platform->xml_path);
}

static void count_links(double took_s)
{
    for (size_t i = 0; i < usage.n_links; i++) {
        const double in_use = smpi_link_use(usage.links[i]);
        tlr_resource *link = &usage.resources[i];
        if (in_use <= 0)
            continue;
        link->bytes += in_use * took_s;
        if (in_use >= TLR_SATURATED * link->bandwidth)
            link->saturated_s += took_s;
        link->energy_j += usage.watts[i].more * fmin(in_use / link->bandwidth, 1) * took_s;
    }
}

static watts watts_of(sg_link_t link)
{
    const char *text = smpi_link_property(link, "wattage_range");
    if (!text)
        return (watts){0};
    char *after_idle, *end = NULL;
    const double idle = strtod(text, &after_idle);
    const double busy = *after_idle == ':' ? strtod(after_idle + 1, &end) : 0;
    if (after_idle == text || !end || end == after_idle + 1 || *end || !(idle >= 0) ||
        !(busy >= idle) || !isfinite(busy))
        smpi_give_up(TL_ERR_INPUT,
                     "%s: link \"%s\": wattage_range \"%s\" is not IDLE:BUSY in watts; correct it",
                     replay.platform->xml_path, sg_link_get_name(link), text);
    return (watts){idle, busy - idle};
}

void smpi_usage_open(void)
{
    const tlr_usage *asked = replay.options->usage;
    bool has_power = 0;
    if (!asked)
        return;
    if (asked->has_energy)
        list_hosts();
    usage.n_links = sg_link_count();
    usage.links = sg_link_list();
    usage.resources = smpi_alloc(usage.n_links + usage.n_hosts, sizeof *usage.resources);
    usage.watts = smpi_alloc(usage.n_links, sizeof *usage.watts);
    for (size_t i = 0; i < usage.n_links; i++) {
        tlr_resource *link = &usage.resources[i];
        snprintf(link->name, sizeof link->name, "%s", sg_link_get_name(usage.links[i]));
        link->bandwidth = sg_link_get_bandwidth(usage.links[i]);
        link->is_link = 1;
        link->id = TLR_NO_LINK;
        if (asked->has_energy)
            usage.watts[i] = watts_of(usage.links[i]);
        has_power |= usage.watts[i].more > 0;
    }
    for (size_t i = 0; i < usage.n_hosts; i++)
        snprintf(usage.resources[usage.n_links + i].name, sizeof usage.resources->name, "%s",
                 sg_host_get_name(usage.hosts[i]));
    usage.is_open = 1;
    /* To read all links at each step of the clock takes most of the time of a replay. */
    if (!asked->has_links && !has_power)
        return;
    if (!smpi_shim_holds(SMPI_SHIM_LINKS))
        smpi_give_up(TL_ERR_UNSUPPORTED, "the use of the links cannot be counted: %s; leave out %s",
                     smpi_shim_reason(SMPI_SHIM_LINKS), asked->has_links ? "--links" : "--energy");
    smpi_clock_watcher = count_links;
}

static void take_energy(void)
{
    if (!replay.options->usage->has_energy)
        return;
    for (size_t i = 0; i < usage.n_hosts; i++)
        usage.resources[usage.n_links + i].energy_j = smpi_energy_j(usage.hosts[i]);
    for (size_t i = 0; i < usage.n_links; i++)
        usage.resources[i].energy_j += usage.watts[i].idle * simgrid_get_clock();
}

void smpi_usage_close(void)
{
    tl_error err;
    if (!usage.is_open)
        return;
    take_energy();
    if (replay.options->usage->has_links)
        smpi_payload_take(usage.links, usage.n_links, usage.resources);
    if (tlr_usage_put(replay.options->usage, simgrid_get_clock(), usage.resources,
                      usage.n_links + usage.n_hosts, &err) != TL_OK)
        smpi_give_up(err.status, "%s", err.text);
}
