/* cluster.c - hosts, links and settings of a platform.xml.
 *
 * SimGrid reads these files itself. An engine without routes needs little of them: the hosts, and
 * the links between two hosts that are far apart. */
#include "config.h"

#include "machine/cluster.h"

#include "text_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* An element's name and attributes, in the text. */
typedef struct element {
    const char *name, *end;
} element;

typedef struct xml_link {
    char *name;
    double latency_s, bandwidth_Bps;
    int is_shared; /* by both directions */
} xml_link;

typedef struct xml_reading {
    const char *path;
    tlr_cluster *c;
    xml_link *links;
    size_t n_links, hosts_room, links_room;
    size_t first_host;         /* of the last element with hosts */
    int in_hosts;              /* the element at hand is in it */
    int in_route, knows_route; /* the first one between zones or hosts */
    double route_s;            /* of its links */
    int is_loop;               /* the route at hand is from a host to itself */
    tl_error *err;
} xml_reading;

static tl_status no_memory(const xml_reading *x)
{
    return tl_fail(x->err, TL_ERR_MEMORY, "%s: out of memory", x->path);
}

/* ---- elements ---- */

/* The next element that begins or is empty. Comments and declarations are skipped. */
static int next_element(const char **at, element *out)
{
    while ((*at = strchr(*at, '<'))) {
        if (!strncmp(*at, "<!--", 4)) {
            const char *end = strstr(*at, "-->");
            *at = end ? end + 3 : *at + strlen(*at);
            continue;
        }
        const char *name = *at + 1, *end = strchr(name, '>');
        if (!end)
            return 0;
        *at = end + 1;
        if (strchr("!?", *name))
            continue;
        *out = (element){name, end};
        return 1;
    }
    return 0;
}

static int is_named(const element *e, const char *name)
{
    const size_t length = strlen(name);
    return !strncmp(e->name, name, length) && strchr(" \t\r\n/>", e->name[length]);
}

/* Copies the value of an attribute. Returns 0 if there is no such attribute, or if the value is
 * longer than the buffer. */
static int attribute(const element *e, const char *name, char *out, size_t size)
{
    const size_t length = strlen(name);
    for (const char *at = e->name; (at = strstr(at, name)) && at < e->end; at++) {
        const char quote = at[length] == '=' ? at[length + 1] : '\0';
        if (!strchr(" \t\r\n", at[-1]) || (quote != '"' && quote != '\''))
            continue;
        const char *value = at + length + 2, *end = strchr(value, quote);
        if (!end || end > e->end || (size_t)(end - value) >= size)
            return 0;
        memcpy(out, value, (size_t)(end - value));
        out[end - value] = '\0';
        return 1;
    }
    return 0;
}

/* A quantity with SimGrid's units; a number without a unit is in s, B/s or flop/s, as in SimGrid.
 * `fallback` if the element does not have it; NAN if its value cannot be read. */
static double quantity(const element *e, const char *name, const char *what, double fallback)
{
    char value[64], change[128], *rest;
    tlr_change parsed;
    if (!attribute(e, name, value, sizeof value))
        return fallback;
    const double number = strtod(value, &rest);
    if (rest != value && !*rest)
        return number >= 0 ? number : NAN;
    snprintf(change, sizeof change, "%s=%s", what, value);
    return tlr_change_parse(change, &parsed, NULL) == TL_OK ? parsed.value : NAN;
}

static tl_status refuse_quantity(const xml_reading *x, const char *of)
{
    return tl_fail(x->err, TL_ERR_UNSUPPORTED,
                   "%s: a bandwidth or latency of %s cannot be read; write numbers with units, as "
                   "10Gbps and 5us",
                   x->path, of);
}

static long whole(const element *e, const char *name, long fallback)
{
    char value[32];
    return attribute(e, name, value, sizeof value) ? strtol(value, NULL, 10) : fallback;
}

/* ---- settings ---- */

tl_status tlr_cluster_settings(const char *text, const char *path,
                               tl_status (*add)(void *arg, const char *option, tl_error *err),
                               void *arg, tl_error *err)
{
    char option[4096], value[sizeof option / 2];
    int is_inside = 0;
    tl_status status = TL_OK;
    element e;
    while (status == TL_OK && next_element(&text, &e)) {
        is_inside = (is_inside && !is_named(&e, "/config")) || is_named(&e, "config");
        if (!is_inside || !is_named(&e, "prop"))
            continue;
        const int has_id = attribute(&e, "id", option, sizeof value);
        if (!has_id || !attribute(&e, "value", value, sizeof value))
            return tl_fail(
                err, TL_ERR_INPUT,
                "%s: a <prop> of <config> without id and value, or longer than %zu bytes", path,
                sizeof value - 1);
        const size_t used = strlen(option);
        snprintf(option + used, sizeof option - used, ":%s", value);
        status = add(arg, option, err);
    }
    return status;
}

/* ---- files ---- */

tl_status tlr_cluster_files(const char *text, tl_status (*add)(void *arg, const char *name),
                            void *arg)
{
    static const char *const names[] = {"speed_file",   "availability_file", "state_file",
                                        "latency_file", "bandwidth_file",    "file"};
    char file[4096];
    tl_status status = TL_OK;
    element e;
    while (status == TL_OK && next_element(&text, &e))
        for (size_t i = 0; i < sizeof names / sizeof *names && status == TL_OK; i++)
            if (attribute(&e, names[i], file, sizeof file))
                status = add(arg, file);
    return status;
}

/* ---- hosts ---- */

static tl_status add_host(xml_reading *x, const char *name, const element *e)
{
    tlr_cluster *c = x->c;
    if (c->n_hosts == x->hosts_room) {
        x->hosts_room = x->hosts_room ? 2 * x->hosts_room : 64;
        tlr_host *hosts = realloc(c->hosts, x->hosts_room * sizeof *hosts);
        if (hosts)
            c->hosts = hosts;
        double *speeds = realloc(c->speeds, x->hosts_room * sizeof *speeds);
        if (speeds)
            c->speeds = speeds;
        tlr_watts *watts = realloc(c->watts, x->hosts_room * sizeof *watts);
        if (watts)
            c->watts = watts;
        if (!hosts || !speeds || !watts)
            return no_memory(x);
    }
    const long n_cores = whole(e, "core", 1);
    const char *copy = strdup(name);
    if (!copy)
        return no_memory(x);
    c->hosts[c->n_hosts] = (tlr_host){copy, n_cores > 0 ? (unsigned)n_cores : 1};
    c->watts[c->n_hosts] = (tlr_watts){0};
    c->speeds[c->n_hosts++] = quantity(e, "speed", "host.speed", 0);
    return TL_OK;
}

/* The hosts of "0-15,20", with their prefix, number and suffix. */
static tl_status add_cluster_hosts(xml_reading *x, const element *e)
{
    char prefix[128] = "", suffix[128] = "", radical[512] = "";
    attribute(e, "prefix", prefix, sizeof prefix);
    attribute(e, "suffix", suffix, sizeof suffix);
    if (!attribute(e, "radical", radical, sizeof radical))
        return tl_fail(x->err, TL_ERR_INPUT, "%s: a cluster has no radical; add its hosts' numbers",
                       x->path);
    tl_status status = TL_OK;
    for (char *at = radical; *at && status == TL_OK; at += *at == ',') {
        char *end;
        long first = strtol(at, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        if (end == at || (*end && *end != ',') || last < first || last - first > 1 << 24)
            return tl_fail(
                x->err, TL_ERR_INPUT,
                "%s: the radical '%s' cannot be understood; write numbers, as in 0-15,20", x->path,
                radical);
        for (at = end; first <= last && status == TL_OK; first++) {
            char name[300];
            snprintf(name, sizeof name, "%s%ld%s", prefix, first, suffix);
            status = add_host(x, name, e);
        }
    }
    return status;
}

/* "IDLE:FULL" or "IDLE:LEAST:FULL", of the first state before a comma. */
static tl_status read_watts(xml_reading *x, const element *e)
{
    char name[64], text[256];
    double watts[3] = {0};
    int n = 0;
    if (!attribute(e, "id", name, sizeof name) || strcmp(name, "wattage_per_state") != 0)
        return TL_OK;
    char *at = attribute(e, "value", text, sizeof text) ? text : NULL, *end = at;
    for (; at && n < 3; at = end + 1) {
        watts[n] = strtod(at, &end);
        if (end == at || !(watts[n] >= 0))
            break;
        n++;
        if (*end != ':')
            break;
    }
    if (!at || n < 2 || end == at || (*end && *end != ',' && *end != ' '))
        return tl_fail(x->err, TL_ERR_INPUT,
                       "%s: wattage_per_state \"%s\" is not IDLE:FULL or IDLE:LEAST:FULL in watts; "
                       "correct it",
                       x->path, at ? text : "");
    for (size_t i = x->first_host; i < x->c->n_hosts; i++)
        x->c->watts[i] = (tlr_watts){1, watts[0], watts[n == 3], watts[n - 1]};
    return TL_OK;
}

/* ---- links ---- */

/* The links of a cluster between two of its hosts that are far apart. They follow from the
 * topology: in a fat tree up to the top and down, in a star up and down. */
static double links_between(const element *e)
{
    char topology[64] = "", sizes[256] = "";
    attribute(e, "topology", topology, sizeof topology);
    attribute(e, "topo_parameters", sizes, sizeof sizes);
    if (!strcmp(topology, "FAT_TREE"))
        return 2.0 * (double)strtol(sizes, NULL, 10);
    if (!strcmp(topology, "DRAGONFLY")) /* host, blade, chassis, group, chassis, blade, host */
        return 7;
    if (strcmp(topology, "TORUS") != 0)
        return 2;
    double links = 0; /* a quarter of each dimension: the mean distance on a ring */
    for (char *at = sizes; *at; at += *at == ',')
        links += 0.25 * (double)strtol(at, &at, 10);
    return links > 1 ? links : 1;
}

/* Whether both directions use the same link: sharing_policy, whose default is another one for
 * clusters than for links. */
static int is_shared(const element *e, const char *fallback)
{
    char policy[32] = "";
    if (!attribute(e, "sharing_policy", policy, sizeof policy))
        snprintf(policy, sizeof policy, "%s", fallback);
    return strcmp(policy, "SPLITDUPLEX") != 0 && strcmp(policy, "FULLDUPLEX") != 0;
}

static void take_shared(tlr_cluster *c, double Bps)
{
    if (Bps > 0 && (!(c->both_Bps > 0) || Bps < c->both_Bps))
        c->both_Bps = Bps;
}

static tl_status read_cluster(xml_reading *x, const element *e)
{
    tlr_cluster *c = x->c;
    if (!(c->bandwidth_Bps > 0)) {
        c->bandwidth_Bps = quantity(e, "bw", "link.bandwidth", 0);
        c->latency_s = links_between(e) * quantity(e, "lat", "link.latency", 0) +
                       quantity(e, "bb_lat", "link.latency", 0);
        c->home_latency_s = c->latency_s;
        if (is_shared(e, "SPLITDUPLEX")) { /* a message within a host uses its link once */
            take_shared(c, c->bandwidth_Bps);
            c->home_latency_s -= quantity(e, "lat", "link.latency", 0);
        }
        take_shared(c, quantity(e, "bb_bw", "link.bandwidth", 0));
        c->loopback_Bps = quantity(e, "loopback_bw", "link.bandwidth", 0);
        c->limiter_Bps = quantity(e, "limiter_link", "link.bandwidth", 0);
        c->loopback_latency_s = quantity(e, "loopback_lat", "link.latency", 0);
    }
    if (isnan(c->bandwidth_Bps + c->latency_s + c->loopback_Bps + c->limiter_Bps +
              c->loopback_latency_s))
        return refuse_quantity(x, "a cluster");
    return add_cluster_hosts(x, e);
}

static tl_status read_link(xml_reading *x, const element *e)
{
    char name[200] = "";
    attribute(e, "id", name, sizeof name);
    if (x->n_links == x->links_room) {
        x->links_room = x->links_room ? 2 * x->links_room : 16;
        xml_link *links = realloc(x->links, x->links_room * sizeof *links);
        if (!links)
            return no_memory(x);
        x->links = links;
    }
    x->links[x->n_links] =
        (xml_link){strdup(name), quantity(e, "latency", "link.latency", 0),
                   quantity(e, "bandwidth", "link.bandwidth", 0), is_shared(e, "SHARED")};
    return x->links[x->n_links++].name ? TL_OK : no_memory(x);
}

static void begin_route(xml_reading *x, const element *e)
{
    char from[300] = "", to[300] = "";
    attribute(e, "src", from, sizeof from);
    attribute(e, "dst", to, sizeof to);
    x->is_loop = !strcmp(from, to);
    x->in_route = x->is_loop ? !(x->c->loopback_Bps > 0) : !x->knows_route;
    if (!x->is_loop)
        x->knows_route = 1;
}

/* A link of the current route. */
static tl_status pass_link(xml_reading *x, const element *e)
{
    char name[200] = "";
    tlr_cluster *c = x->c;
    attribute(e, "id", name, sizeof name);
    for (size_t i = 0; i < x->n_links && x->in_route; i++) {
        const xml_link *link = &x->links[i];
        if (strcmp(link->name, name) != 0)
            continue;
        if (isnan(link->latency_s + link->bandwidth_Bps))
            return refuse_quantity(x, tl_printable(name));
        double *latency_s = x->is_loop ? &c->loopback_latency_s : &x->route_s;
        double *Bps = x->is_loop ? &c->loopback_Bps : &c->bandwidth_Bps;
        *latency_s += link->latency_s;
        if (link->bandwidth_Bps > 0 && (!(*Bps > 0) || link->bandwidth_Bps < *Bps))
            *Bps = link->bandwidth_Bps;
        if (link->is_shared && !x->is_loop)
            take_shared(c, link->bandwidth_Bps);
    }
    return TL_OK;
}

/* ---- the file ---- */

static tl_status read_element(xml_reading *x, const element *e)
{
    char name[300];
    const int is_host = is_named(e, "host") && attribute(e, "id", name, sizeof name);
    if (is_named(e, "prop"))
        return x->in_hosts ? read_watts(x, e) : TL_OK;
    x->in_hosts = is_host || is_named(e, "cluster");
    if (x->in_hosts)
        x->first_host = x->c->n_hosts;
    if (is_named(e, "cluster"))
        return read_cluster(x, e);
    if (is_host) {
        x->c->is_routed = 1;
        return add_host(x, name, e);
    }
    if (is_named(e, "link"))
        return read_link(x, e);
    if (is_named(e, "route") || is_named(e, "zoneRoute"))
        begin_route(x, e);
    return is_named(e, "link_ctn") ? pass_link(x, e) : TL_OK;
}

static tl_status note_file(void *cluster, const char *name)
{
    (void)name;
    ((tlr_cluster *)cluster)->has_profiles = 1;
    return TL_OK;
}

typedef struct named_speed {
    tlr_host host;
    double speed;
    tlr_watts watts;
} named_speed;

static int compare_hosts(const void *a, const void *b)
{
    const named_speed *x = a, *y = b;
    return strverscmp(x->host.name, y->host.name);
}

static tl_status sort_hosts(const xml_reading *x)
{
    tlr_cluster *c = x->c;
    named_speed *all = calloc(c->n_hosts + 1, sizeof *all);
    if (!all)
        return no_memory(x);
    for (size_t i = 0; i < c->n_hosts; i++)
        all[i] = (named_speed){c->hosts[i], c->speeds[i], c->watts[i]};
    qsort(all, c->n_hosts, sizeof *all, compare_hosts);
    for (size_t i = 0; i < c->n_hosts; i++) {
        c->hosts[i] = all[i].host;
        c->speeds[i] = all[i].speed;
        c->watts[i] = all[i].watts;
    }
    free(all);
    return TL_OK;
}

static tl_status check(const xml_reading *x)
{
    const tlr_cluster *c = x->c;
    if (!c->n_hosts)
        return tl_fail(x->err, TL_ERR_UNSUPPORTED,
                       "%s: the loggops engine finds no <cluster> and no <host> in it; give the "
                       "network by --params",
                       x->path);
    if (c->n_hosts > 1 && !(c->bandwidth_Bps > 0))
        return tl_fail(x->err, TL_ERR_UNSUPPORTED,
                       "%s: the loggops engine finds no link between its hosts; give the network "
                       "by --params",
                       x->path);
    for (size_t i = 0; i < c->n_hosts; i++)
        if (!(c->speeds[i] > 0))
            return tl_fail(x->err, TL_ERR_INPUT,
                           "%s: the loggops engine cannot read the speed of the host '%s'; write "
                           "it as in speed=\"1Gf\"",
                           x->path, c->hosts[i].name);
    return TL_OK;
}

tl_status tlr_cluster_read(const char *xml_path, tlr_cluster *out, tl_error *err)
{
    xml_reading x = {.path = xml_path, .c = out, .err = err};
    char *text = NULL;
    size_t size;
    *out = (tlr_cluster){0};
    tl_status status = tlr_read_text(xml_path, &text, &size, err);
    element e;
    for (const char *at = text; status == TL_OK && next_element(&at, &e);)
        status = read_element(&x, &e);
    if (status == TL_OK)
        status = tlr_cluster_files(text, note_file, out);
    out->latency_s += x.route_s;
    if (status == TL_OK && (status = check(&x)) == TL_OK)
        status = sort_hosts(&x);
    for (size_t i = 0; i < x.n_links; i++)
        free(x.links[i].name);
    free(x.links);
    free(text);
    if (status != TL_OK)
        tlr_cluster_free(out);
    return status;
}

void tlr_cluster_free(tlr_cluster *c)
{
    for (size_t i = 0; i < c->n_hosts; i++)
        free((char *)c->hosts[i].name);
    free(c->hosts);
    free(c->speeds);
    free(c->watts);
    *c = (tlr_cluster){0};
}
