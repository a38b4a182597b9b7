/* generate_read.c - reads a description of a platform and checks it. */
#include "config.h"

#include "generate.h"

#include <ctype.h>
#include <errno.h>
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* The file that is being read, for messages. */
typedef struct reading {
    const char *path;
    tl_error *err;
} reading;

/* Settings that every topology has. */
static const char *const common_names[] = {"title",   "topology", "prefix", "suffix",
                                           "first",   "nodes",    "node",   "link",
                                           "options", "loopback", "model",  NULL};
static const char *const node_names[] = {"cores", "speed", "speed_flops", "watts", NULL};
/* The loopback and the inside of a switch have no limit except their bandwidth. */
static const char *const plain_wire_names[] = {"bandwidth", "bandwidth_Bps", "latency", "latency_s",
                                               NULL};
static const char *const limiter_names[] = {"limiter", "limiter_Bps", NULL};

/* The line of a setting. For a setting that is missing in the file, the first line. */
static unsigned line_of(const config_setting_t *setting)
{
    const unsigned line = config_setting_source_line(setting);
    return line ? line : 1;
}

/* Refuses the setting in a line of the file. */
#define refuse(in, setting, format, ...)                                                           \
    tl_fail((in)->err, TL_ERR_INPUT, "%s:%u: " format, (in)->path, line_of(setting), ##__VA_ARGS__)

static bool is_among(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

/* Refuses settings that nobody reads, so that a misspelt name is not ignored. */
static tl_status check_names(const reading *in, const config_setting_t *group,
                             const char *const *known, const char *const *more)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (!is_among(name, known) && !(more && is_among(name, more)))
            return refuse(in, setting,
                          "unknown setting '%s' here; timeless-platform(5) lists the settings",
                          name);
    }
    return TL_OK;
}

/* A quantity with its unit, `name = "10Gbps";`, or a number in the unit that `number_name`
 * contains. */
static tl_status get_quantity(const reading *in, const config_setting_t *group, const char *name,
                              const char *number_name, tl_quantity kind, double min, double *out)
{
    static const char *const examples[] = {[TL_BANDWIDTH] = "10Gbps",
                                           [TL_DURATION] = "5us",
                                           [TL_SPEED] = "3Gf",
                                           [TL_FREQUENCY] = "1kHz"};
    const config_setting_t *setting = config_setting_get_member(group, name);
    const config_setting_t *number = config_setting_get_member(group, number_name);
    if (!setting && !number)
        return refuse(in, group, "'%s' is missing; add '%s = \"%s\";'", name, name, examples[kind]);
    if (setting && number)
        return refuse(in, setting, "'%s' and '%s' are the same; give one", name, number_name);
    if (number && !config_setting_is_number(number))
        return refuse(in, number, "'%s' is not a number; give one", number_name);
    if (number) {
        *out = config_setting_get_float(number);
        return isfinite(*out) && *out >= min
                   ? TL_OK
                   : refuse(in, number, "'%s' is %g; give a finite number %s", number_name, *out,
                            min > 0 ? "above 0" : "that is not negative");
    }
    const char *text = config_setting_get_string(setting);
    if (!text || !tl_quantity_parse(text, kind, out))
        return refuse(in, setting, "'%s' is not a number with a unit; write '%s = \"%s\";'", name,
                      name, examples[kind]);
    if (*out < min)
        return refuse(in, setting, "'%s' is %s; give a value %s", name, text,
                      min > 0 ? "above 0" : "that is not negative");
    return TL_OK;
}

static tl_status check_count(const reading *in, const config_setting_t *setting, const char *name,
                             int64_t min, int32_t *out)
{
    const int type = config_setting_type(setting);
    const int64_t value = config_setting_get_int64(setting);
    if (type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64)
        return refuse(in, setting, "'%s' is not a whole number; give one", name);
    if (value < min || value > TLP_MAX_NODES)
        return refuse(in, setting, "'%s' is %lld; give a number from %lld to %d", name,
                      (long long)value, (long long)min, TLP_MAX_NODES);
    *out = (int32_t)value;
    return TL_OK;
}

/* A whole number, at least min. `fallback` if it is absent, unless that is below min. */
static tl_status get_count(const reading *in, const config_setting_t *group, const char *name,
                           int64_t min, int32_t fallback, int32_t *out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    *out = fallback;
    if (setting)
        return check_count(in, setting, name, min, out);
    if (fallback < min)
        return refuse(in, group, "'%s' is missing; add '%s = NUMBER;'", name, name);
    return TL_OK;
}

/* "name = [ 1, 2 ];"; empty if it is absent. */
static tl_status get_counts(const reading *in, const config_setting_t *group, const char *name,
                            tlp_counts *out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    if (!setting)
        return TL_OK;
    const int n = config_setting_length(setting);
    if (!config_setting_is_array(setting) || n == 0 || n > TLP_MAX_CABINETS)
        return refuse(in, setting,
                      "'%s' is not an array of 1 to %d numbers; write '%s = [ 4, 4 ];'", name,
                      TLP_MAX_CABINETS, name);
    for (int i = 0; i < n; i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);
        TL_TRY(check_count(in, item, name, 1, &out->at[i]));
    }
    out->n = n;
    return TL_OK;
}

/* The title becomes a comment, where XML takes more characters. */
static tl_status get_string(const reading *in, const config_setting_t *group, const char *name,
                            const char **out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    if (!setting)
        return TL_OK;
    const char *value = config_setting_get_string(setting);
    if (!value)
        return refuse(in, setting, "'%s' is not a string; write '%s = \"...\";'", name, name);
    for (const char *c = value; *c; c++)
        if (iscntrl((unsigned char)*c) || (strchr("<>&\"'", *c) && strcmp(name, "title") != 0))
            return refuse(in, setting,
                          "'%s' has a character that XML does not take; leave out <>&\"'", name);
    if (strstr(value, "--"))
        return refuse(in, setting, "'%s' has '--', which ends a comment in XML; write it otherwise",
                      name);
    *out = value;
    return TL_OK;
}

static tl_status get_wire(const reading *in, const config_setting_t *root, const char *name,
                          const char *const *more_names, bool is_required, tlp_wire *out)
{
    const config_setting_t *group = config_setting_get_member(root, name);
    if (!group && is_required)
        return refuse(in, root,
                      "'%s' is missing; add '%s = { bandwidth = \"10Gbps\"; latency = \"5us\"; };'",
                      name, name);
    if (!group)
        return TL_OK;
    if (!config_setting_is_group(group))
        return refuse(in, group, "'%s' is not in braces; write '%s = { ... };'", name, name);
    out->is_set = 1;
    TL_TRY(check_names(in, group, plain_wire_names, more_names));
    TL_TRY(get_quantity(in, group, "bandwidth", "bandwidth_Bps", TL_BANDWIDTH, 1e-9,
                        &out->bandwidth_Bps));
    TL_TRY(get_quantity(in, group, "latency", "latency_s", TL_DURATION, 0, &out->latency_s));
    return config_setting_get_member(group, "limiter") ||
                   config_setting_get_member(group, "limiter_Bps")
               ? get_quantity(in, group, "limiter", "limiter_Bps", TL_BANDWIDTH, 1e-9,
                              &out->limiter_Bps)
               : TL_OK;
}

/* "watts = [ 95, 120, 200 ];": none that is below the one before. */
static tl_status get_watts(const reading *in, const config_setting_t *group, tlp_description *d)
{
    const config_setting_t *setting = config_setting_get_member(group, "watts");
    const int n = setting ? config_setting_length(setting) : 0;
    if (!setting)
        return TL_OK;
    bool is_good = config_setting_is_array(setting) && (n == 2 || n == 3);
    for (int i = 0; i < n && is_good; i++) {
        const config_setting_t *item = config_setting_get_elem(setting, (unsigned)i);
        d->watts[i] = config_setting_get_float(item);
        is_good = config_setting_is_number(item) && isfinite(d->watts[i]) &&
                  d->watts[i] >= (i ? d->watts[i - 1] : 0);
    }
    if (!is_good)
        return refuse(
            in, setting,
            "'watts' is not the power of a node when idle, with one core at work and with "
            "all of them, in rising order; write 'watts = [ 95, 120, 200 ];'");
    d->n_watts = n;
    return TL_OK;
}

static tl_status get_node(const reading *in, const config_setting_t *root, tlp_description *d)
{
    const config_setting_t *group = config_setting_get_member(root, "node");
    if (!group || !config_setting_is_group(group))
        return refuse(in, group ? group : root,
                      "'node' is missing; add 'node = { cores = NUMBER; speed = \"3Gf\"; };'");
    TL_TRY(check_names(in, group, node_names, NULL));
    TL_TRY(get_count(in, group, "cores", 1, 1, &d->cores));
    TL_TRY(get_quantity(in, group, "speed", "speed_flops", TL_SPEED, 1e-9, &d->speed_flops));
    return get_watts(in, group, d);
}

static tl_status get_options(const reading *in, const config_setting_t *root, tlp_description *d)
{
    const config_setting_t *list = config_setting_get_member(root, "options");
    if (!list)
        return TL_OK;
    if (!config_setting_is_array(list))
        return refuse(in, list, "'options' is not an array; write 'options = [ \"key:value\" ];'");
    d->options = calloc((size_t)config_setting_length(list) + 1, sizeof *d->options);
    if (!d->options)
        return tl_no_memory(in->err, in->path);
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
        const char *text = config_setting_get_string(item);
        const char *colon = text ? strchr(text, ':') : NULL;
        if (!colon || colon == text || strpbrk(text, " \t\n#"))
            return refuse(in, item, "'%s' is not an option of SimGrid; write \"key:value\"",
                          text ? text : "");
        d->options[d->n_options++] = text;
    }
    return TL_OK;
}

/* The sizes of all topologies. The allowed ones were checked before. */
static tl_status get_sizes(const reading *in, const config_setting_t *root, tlp_description *d)
{
    const struct {
        const char *name;
        tlp_counts *out;
    } lists[] = {{"cabinets", &d->cabinets}, {"children", &d->children},
                 {"parents", &d->parents},   {"parallel", &d->parallel},
                 {"ports", &d->ports},       {"dimensions", &d->dimensions}};
    const struct {
        const char *name;
        int32_t *out;
    } counts[] = {{"groups", &d->groups},
                  {"chassis_per_group", &d->chassis},
                  {"blades_per_chassis", &d->blades},
                  {"nodes_per_blade", &d->blade_nodes},
                  {"group_links", &d->group_links},
                  {"chassis_links", &d->chassis_links},
                  {"blade_links", &d->blade_links}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        TL_TRY(get_counts(in, root, lists[i].name, lists[i].out));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        TL_TRY(get_count(in, root, counts[i].name, 1, 1, counts[i].out));
    return TL_OK;
}

static tl_status check_topology(const reading *in, const config_setting_t *root, tlp_description *d)
{
    const config_setting_t *nodes = config_setting_get_member(root, "nodes");
    tlp_refusal why = {.setting = "topology"};
    int32_t stated = 0;
    if (nodes)
        TL_TRY(check_count(in, nodes, "nodes", 1, &stated));
    d->n_nodes = stated;
    for (const char *const *name = d->topology->settings; *name; name++)
        if (**name == '!' && !config_setting_get_member(root, *name + 1))
            return refuse(in, config_setting_get_member(root, "topology"),
                          "a %s needs '%s'; add it, see timeless-platform(5)", d->topology->name,
                          *name + 1);
    if (!d->topology->check(d, &why)) {
        const config_setting_t *where = config_setting_get_member(root, why.setting);
        return refuse(in, where ? where : config_setting_get_member(root, "topology"), "%s",
                      why.text);
    }
    if (d->n_nodes + d->first > TLP_MAX_NODES)
        return refuse(in, config_setting_get_member(root, "topology"),
                      "the platform would have more than %d nodes, or node numbers above that; "
                      "give smaller sizes",
                      TLP_MAX_NODES);
    if (stated && d->n_nodes != stated)
        return refuse(in, nodes, "'nodes' is %d, but the sizes make %lld; change it or the sizes",
                      stated, (long long)d->n_nodes);
    return TL_OK;
}

/* The settings of this topology, without the mark of required ones. */
static tl_status check_top_names(const reading *in, const config_setting_t *root,
                                 const tlp_topology *topology)
{
    const char *own[16];
    int n = 0;
    for (const char *const *name = topology->settings; *name; name++)
        own[n++] = **name == '!' ? *name + 1 : *name;
    own[n] = NULL;
    return check_names(in, root, common_names, own);
}

static tl_status read_all(const reading *in, const config_setting_t *root, tlp_description *d)
{
    const char *topology = NULL;
    const struct {
        const char *name;
        const char **out;
    } strings[] = {
        {"title", &d->title}, {"prefix", &d->prefix}, {"suffix", &d->suffix}, {"model", &d->model}};
    const struct {
        const char *name, *const *more_names;
        tlp_wire *out;
    } wires[] = {{"link", limiter_names, &d->link},
                 {"loopback", NULL, &d->loopback},
                 {"backbone", NULL, &d->backbone},
                 {"uplink", limiter_names, &d->uplink}};
    TL_TRY(get_string(in, root, "topology", &topology));
    if (!topology || !(d->topology = tlp_topology_find(topology)))
        return refuse(in, topology ? config_setting_get_member(root, "topology") : root,
                      "'topology' is missing or unknown; choose one of: %s", tlp_topology_names());
    d->prefix = "node-";
    d->suffix = "";
    d->title = "";
    TL_TRY(check_top_names(in, root, d->topology));
    for (size_t i = 0; i < sizeof strings / sizeof *strings; i++)
        TL_TRY(get_string(in, root, strings[i].name, strings[i].out));
    TL_TRY(get_count(in, root, "first", 0, 0, &d->first));
    TL_TRY(get_node(in, root, d));
    for (size_t i = 0; i < sizeof wires / sizeof *wires; i++)
        TL_TRY(get_wire(in, root, wires[i].name, wires[i].more_names, i == 0, wires[i].out));
    TL_TRY(get_options(in, root, d));
    TL_TRY(get_sizes(in, root, d));
    return check_topology(in, root, d);
}

/* A description, and the settings that have its strings. */
typedef struct owner {
    tlp_description description;
    config_t config;
} owner;

tl_status tlp_description_read(const char *path, tlp_description **out, tl_error *err)
{
    const reading in = {path, err};
    owner *o = calloc(1, sizeof *o);
    if (!o)
        return tl_no_memory(err, path);
    config_init(&o->config);
    config_set_auto_convert(&o->config, CONFIG_TRUE); /* whole numbers are numbers, too */
    o->description.path = path;
    tl_input_note(path);
    FILE *file = fopen(path, "r");
    tl_status status = TL_OK;
    if (!file)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", path,
                         strerror(errno));
    else if (!config_read(&o->config, file))
        status = tl_fail(err, TL_ERR_INPUT, "%s:%d: %s; timeless-platform(5) shows the syntax",
                         path, config_error_line(&o->config), config_error_text(&o->config));
    else
        status = read_all(&in, config_root_setting(&o->config), &o->description);
    if (file)
        fclose(file);
    if (status == TL_OK)
        *out = &o->description;
    else
        tlp_description_free(&o->description);
    return status;
}

void tlp_description_free(tlp_description *d)
{
    owner *o = (owner *)d;
    if (!o)
        return;
    config_destroy(&o->config);
    free(d->options);
    free(o);
}
