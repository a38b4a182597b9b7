/* generate_topology.c - the networks that can be generated. A cluster tag of SimGrid describes all
 * nodes of a kind, so thousands of them need no more room than a few. */
#include "config.h"

#include "generate.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Zero, as `check` of a topology returns it. */
#define refuse(why, name, ...)                                                                     \
    ((why)->setting = (name), (void)snprintf((why)->text, sizeof(why)->text, __VA_ARGS__), 0)

/* One cluster tag; node `from` counts from 0. */
static void write_cluster(const tlp_description *d, FILE *out, const char *id, int64_t from,
                          int64_t n, const char *topology)
{
    fprintf(out,
            "    <cluster id=\"%s\" prefix=\"%s\" suffix=\"%s\" radical=\"%" PRId64 "-%" PRId64
            "\"\n"
            "             speed=\"%.15gf\" core=\"%d\" bw=\"%.15gBps\" lat=\"%.15gs\"\n"
            "             sharing_policy=\"SPLITDUPLEX\"",
            id, d->prefix, d->suffix, d->first + from, d->first + from + n - 1, d->speed_flops,
            d->cores, d->link.bandwidth_Bps, d->link.latency_s);
    if (d->link.limiter_Bps > 0)
        fprintf(out, " limiter_link=\"%.15gBps\"", d->link.limiter_Bps);
    if (d->backbone.is_set)
        fprintf(out, "\n             bb_bw=\"%.15gBps\" bb_lat=\"%.15gs\"",
                d->backbone.bandwidth_Bps, d->backbone.latency_s);
    if (d->loopback.is_set)
        fprintf(out, "\n             loopback_bw=\"%.15gBps\" loopback_lat=\"%.15gs\"",
                d->loopback.bandwidth_Bps, d->loopback.latency_s);
    fputs(topology, out);
    if (!d->n_watts) {
        fputs("/>\n", out);
        return;
    }
    /* SimGrid's power grows linearly with the cores at work, from its second number: that of the
     * least load, which follows from the power of one core. */
    const double idle = d->watts[0], all = d->watts[d->n_watts - 1];
    double least = idle;
    if (d->n_watts == 3 && d->cores > 1)
        least = fmax(0, d->watts[1] - (all - d->watts[1]) / (d->cores - 1));
    fprintf(out,
            ">\n      <prop id=\"wattage_per_state\" value=\"%.15g:%.15g:%.15g\"/>\n    "
            "</cluster>\n",
            idle, least, all);
}

/* SimGrid gives the limiter of a node to every switch of these networks, too. */
static int refuse_limiter(const tlp_description *d, tlp_refusal *why)
{
    return refuse(why, "link",
                  "SimGrid cannot limit the nodes of a %s without its switches; leave out "
                  "limiter_Bps",
                  d->topology->name);
}

/* ---- star ---- */

static int check_star(tlp_description *d, tlp_refusal *why)
{
    if (d->n_nodes < 1)
        return refuse(why, "topology", "a star needs 'nodes'; add 'nodes = NUMBER;'");
    return 1;
}

static void write_star(const tlp_description *d, FILE *out)
{
    write_cluster(d, out, "cluster", 0, d->n_nodes, "");
}

/* ---- cabinets: stars whose switches meet in one ---- */

static int check_cabinets(tlp_description *d, tlp_refusal *why)
{
    (void)why;
    d->n_nodes = 0;
    for (int i = 0; i < d->cabinets.n; i++)
        d->n_nodes += d->cabinets.at[i];
    return 1;
}

/* Each cabinet has an uplink with two directions, and a limiter if both directions together get
 * less: the three links of smpi-approach, section 3.2 and Figure 5. */
static void write_cabinets(const tlp_description *d, FILE *out)
{
    int64_t from = 0;
    char id[32];
    const int limited = d->uplink.limiter_Bps > 0;
    for (int i = 0; i < d->cabinets.n; i++) {
        snprintf(id, sizeof id, "cabinet-%d", i);
        write_cluster(d, out, id, from, d->cabinets.at[i], "");
        from += d->cabinets.at[i];
    }
    for (int i = 0; i < d->cabinets.n && d->cabinets.n > 1; i++) {
        fprintf(out,
                "    <link id=\"uplink-%d\" bandwidth=\"%.15gBps\" latency=\"%.15gs\" "
                "sharing_policy=\"SPLITDUPLEX\"/>\n",
                i, d->uplink.bandwidth_Bps, d->uplink.latency_s);
        if (limited)
            fprintf(out,
                    "    <link id=\"limiter-%d\" bandwidth=\"%.15gBps\" latency=\"0s\" "
                    "sharing_policy=\"SHARED\"/>\n",
                    i, d->uplink.limiter_Bps);
    }
    for (int i = 0; i < d->cabinets.n; i++)
        for (int j = i + 1; j < d->cabinets.n; j++) {
            fprintf(out,
                    "    <zoneRoute src=\"cabinet-%d\" dst=\"cabinet-%d\" "
                    "gw_src=\"%scabinet-%d_router%s\" gw_dst=\"%scabinet-%d_router%s\">\n      ",
                    i, j, d->prefix, i, d->suffix, d->prefix, j, d->suffix);
            if (limited)
                fprintf(out, "<link_ctn id=\"limiter-%d\"/>", i);
            fprintf(out,
                    "<link_ctn id=\"uplink-%d\" direction=\"UP\"/>"
                    "<link_ctn id=\"uplink-%d\" direction=\"DOWN\"/>",
                    i, j);
            if (limited)
                fprintf(out, "<link_ctn id=\"limiter-%d\"/>", j);
            fputs("\n    </zoneRoute>\n", out);
        }
}

/* ---- fat tree ---- */

/* The product of the numbers, or a number above TLP_MAX_NODES. */
static int64_t product(const int32_t *at, int n)
{
    int64_t result = 1;
    for (int i = 0; i < n && result <= TLP_MAX_NODES; i++)
        result *= at[i];
    return result <= TLP_MAX_NODES ? result : TLP_MAX_NODES + 1;
}

/* The number of switches on level l is the product of the parents of the lower levels and the
 * children of the upper levels. */
static int64_t switches_of(const tlp_description *d, int level)
{
    return product(d->parents.at, level + 1) *
           product(d->children.at + level + 1, d->children.n - level - 1);
}

static int check_fat_tree(tlp_description *d, tlp_refusal *why)
{
    const int levels = d->children.n;
    if (d->link.limiter_Bps > 0)
        return refuse_limiter(d, why);
    if (levels > TLP_MAX_LEVELS)
        return refuse(why, "children", "%d levels of switches; at most %d are possible", levels,
                      TLP_MAX_LEVELS);
    if (!d->parallel.n)
        for (d->parallel.n = 0; d->parallel.n < levels; d->parallel.n++)
            d->parallel.at[d->parallel.n] = 1;
    if (d->parents.n != levels || d->parallel.n != levels)
        return refuse(
            why, d->parents.n != levels ? "parents" : "parallel",
            "'children' has %d levels, 'parents' %d, 'parallel' %d; give one number for each "
            "level",
            levels, d->parents.n, d->parallel.n);
    if (d->ports.n && d->ports.n != levels)
        return refuse(why, "ports", "'ports' has %d numbers for %d levels; give one for each",
                      d->ports.n, levels);
    if (d->parents.at[0] != 1)
        return refuse(why, "parents",
                      "nodes of %d leaf switches are not supported; begin 'parents' with 1",
                      d->parents.at[0]);
    d->n_nodes = product(d->children.at, levels);
    if (d->n_nodes > TLP_MAX_NODES)
        return 1; /* refused for any topology */
    for (int i = 0; i < levels; i++) {
        const int64_t down = (int64_t)d->children.at[i] * d->parallel.at[i];
        const int64_t up =
            i + 1 < levels ? (int64_t)d->parents.at[i + 1] * d->parallel.at[i + 1] : 0;
        if (d->ports.n && down + up > d->ports.at[i])
            return refuse(why, "ports",
                          "a switch of level %d needs %" PRId64 " ports (%" PRId64 " down, %" PRId64
                          " up) and has %d; take fewer links or larger switches",
                          i + 1, down + up, down, up, d->ports.at[i]);
        if (switches_of(d, i) > TLP_MAX_NODES)
            return refuse(why, "parents",
                          "level %d would have more than %d switches; give fewer parents", i + 1,
                          TLP_MAX_NODES);
    }
    return 1;
}

static void print_counts(char *text, size_t size, const tlp_counts *counts)
{
    size_t used = 0;
    for (int i = 0; i < counts->n && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, i ? ",%d" : "%d", counts->at[i]);
}

static void write_fat_tree(const tlp_description *d, FILE *out)
{
    char children[128], parents[128], parallel[128], topology[512];
    print_counts(children, sizeof children, &d->children);
    print_counts(parents, sizeof parents, &d->parents);
    print_counts(parallel, sizeof parallel, &d->parallel);
    snprintf(topology, sizeof topology,
             "\n             topology=\"FAT_TREE\" topo_parameters=\"%d;%s;%s;%s\"", d->children.n,
             children, parents, parallel);
    write_cluster(d, out, "cluster", 0, d->n_nodes, topology);
}

/* ---- torus ---- */

static int check_torus(tlp_description *d, tlp_refusal *why)
{
    if (d->dimensions.n > TLP_MAX_LEVELS)
        return refuse(why, "dimensions", "%d dimensions; at most %d are possible", d->dimensions.n,
                      TLP_MAX_LEVELS);
    for (int i = 0; i < d->dimensions.n; i++)
        if (d->dimensions.at[i] < 2)
            return refuse(why, "dimensions", "a dimension of 1 node has no links; leave it out");
    d->n_nodes = product(d->dimensions.at, d->dimensions.n);
    return 1;
}

static void write_torus(const tlp_description *d, FILE *out)
{
    char dimensions[128], topology[256];
    print_counts(dimensions, sizeof dimensions, &d->dimensions);
    snprintf(topology, sizeof topology, "\n             topology=\"TORUS\" topo_parameters=\"%s\"",
             dimensions);
    write_cluster(d, out, "cluster", 0, d->n_nodes, topology);
}

/* ---- dragonfly ---- */

/* SimGrid connects group i to group j at blade j of the first chassis, so each group needs a blade
 * there. */
static int check_dragonfly(tlp_description *d, tlp_refusal *why)
{
    const int32_t sizes[] = {d->groups, d->chassis, d->blades, d->blade_nodes};
    if (d->link.limiter_Bps > 0)
        return refuse_limiter(d, why);
    if (d->groups > 1 && d->groups > d->blades)
        return refuse(why, "groups",
                      "%d groups need as many blades in a chassis, which has %d; give at most %d "
                      "groups",
                      d->groups, d->blades, d->blades);
    d->n_nodes = product(sizes, 4);
    return 1;
}

static void write_dragonfly(const tlp_description *d, FILE *out)
{
    char topology[256];
    snprintf(topology, sizeof topology,
             "\n             topology=\"DRAGONFLY\" topo_parameters=\"%d,%d;%d,%d;%d,%d;%d\"",
             d->groups, d->group_links, d->chassis, d->chassis_links, d->blades, d->blade_links,
             d->blade_nodes);
    write_cluster(d, out, "cluster", 0, d->n_nodes, topology);
}

/* ---- the table ---- */

/* "!" marks settings without a default. */
static const char *const star_settings[] = {"backbone", NULL};
static const char *const cabinets_settings[] = {"!cabinets", "!uplink", NULL};
static const char *const fat_tree_settings[] = {"!children", "!parents", "parallel", "ports", NULL};
static const char *const torus_settings[] = {"!dimensions", NULL};
static const char *const dragonfly_settings[] = {
    "!groups",     "!chassis_per_group", "!blades_per_chassis", "!nodes_per_blade",
    "group_links", "chassis_links",      "blade_links",         NULL};

static const tlp_topology topologies[] = {
    {"star", star_settings, check_star, write_star},
    {"cabinets", cabinets_settings, check_cabinets, write_cabinets},
    {"fat-tree", fat_tree_settings, check_fat_tree, write_fat_tree},
    {"torus", torus_settings, check_torus, write_torus},
    {"dragonfly", dragonfly_settings, check_dragonfly, write_dragonfly},
};

const tlp_topology *tlp_topology_find(const char *name)
{
    for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
        if (!strcmp(topologies[i].name, name))
            return &topologies[i];
    return NULL;
}

const char *tlp_topology_names(void)
{
    return "star, cabinets, fat-tree, torus, dragonfly";
}
