/* usage.c - links and energy of a replay, from the engine to tables and JSON. */
#include "config.h"

#include "machine/cluster.h"
#include "usage.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <timeless_files.h>

enum { N_SHOWN = 10, MOST_DRAWN = 50000, J_PER_KWH = 3600000 };

tl_status tlr_usage_create(int links, int energy, tlr_usage **out, tl_error *err)
{
    tlr_usage *usage = calloc(1, sizeof *usage);
    const int fd = memfd_create("timeless-usage", MFD_CLOEXEC);
    if (usage && fd >= 0)
        usage->file = fdopen(fd, "w+b");
    if (!usage || !usage->file) {
        if (fd >= 0)
            close(fd);
        free(usage);
        return tl_no_memory(err, "use of the links");
    }
    usage->has_links = links;
    usage->has_energy = energy;
    *out = usage;
    return TL_OK;
}

void tlr_usage_free(tlr_usage *usage)
{
    if (!usage)
        return;
    fclose(usage->file);
    free(usage->links);
    free(usage->hosts);
    free(usage);
}

tl_status tlr_usage_put(tlr_usage *usage, double took_s, const tlr_resource *resources, size_t n,
                        tl_error *err)
{
    if (fwrite(&took_s, sizeof took_s, 1, usage->file) != 1 ||
        fwrite(resources, sizeof *resources, n, usage->file) != n || fflush(usage->file) == EOF)
        return tl_fail(err, TL_ERR_SYSTEM, "the use of the links cannot be kept: %s",
                       strerror(errno));
    return TL_OK;
}

tl_status tlr_usage_add(tlr_usage *part, double times, tlr_resource **sum, size_t *n, tl_error *err)
{
    double took_s;
    tlr_resource resource;
    rewind(part->file);
    if (fread(&took_s, sizeof took_s, 1, part->file) != 1)
        return tl_fail(err, TL_ERR_SYSTEM, "the energy was not kept");
    for (size_t i = 0; fread(&resource, sizeof resource, 1, part->file) == 1; i++) {
        if (i == *n) {
            tlr_resource *more = realloc(*sum, (*n + 1) * sizeof *more);
            if (!more)
                return tl_no_memory(err, "energy");
            *sum = more;
            more[(*n)++] = resource;
            more[i].energy_j = 0;
        }
        (*sum)[i].energy_j += times * resource.energy_j;
        (*sum)[i].is_at_least |= resource.is_at_least;
    }
    return TL_OK;
}

static double use_of(const tlr_resource *link)
{
    return link->bytes / link->bandwidth;
}

static int compare_links(const void *a, const void *b)
{
    const tlr_resource *x = a, *y = b;
    if (x->saturated_s != y->saturated_s)
        return x->saturated_s > y->saturated_s ? -1 : 1;
    if (use_of(x) != use_of(y))
        return use_of(x) > use_of(y) ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_hosts(const void *a, const void *b)
{
    const tlr_resource *x = a, *y = b;
    if (x->energy_j != y->energy_j)
        return x->energy_j > y->energy_j ? -1 : 1;
    return strcmp(x->name, y->name);
}

int tlr_usage_set_price(tlr_usage *usage, const char *text)
{
    do {
        char *unit;
        const double price = strtod(text, &unit);
        const size_t length = strcspn(unit, ",");
        if (unit == text || !(price >= 0) || !isfinite(price))
            return 0;
        if (length == 4 && !strncmp(unit, "/kWh", length))
            usage->per_kwh = price;
        else if (length == 10 && !strncmp(unit, "/host-hour", length))
            usage->per_host_hour = price;
        else
            return 0;
        text = unit + length + (unit[length] == ',');
        usage->has_price = 1;
        if (unit[length] == ',' && !*text)
            return 0;
    } while (*text);
    return 1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const tlr_resource *)a)->name, ((const tlr_resource *)b)->name);
}

/* Finds the hosts with ranks. */
static void find_job(tlr_usage *usage, const tlr_prediction *prediction)
{
    if (usage->n_hosts)
        qsort(usage->hosts, usage->n_hosts, sizeof *usage->hosts, compare_names);
    for (uint32_t r = 0; r < prediction->n_ranks && usage->n_hosts; r++) {
        if (!prediction->ranks[r].host)
            continue;
        tlr_resource key;
        snprintf(key.name, sizeof key.name, "%s", prediction->ranks[r].host);
        tlr_resource *host =
            bsearch(&key, usage->hosts, usage->n_hosts, sizeof *usage->hosts, compare_names);
        if (!host || host->has_ranks)
            continue;
        host->has_ranks = 1;
        usage->n_of_job++;
    }
}

tl_status tlr_usage_read(tlr_usage *usage, const tlr_prediction *prediction, tl_error *err)
{
    tlr_resource resource;
    rewind(usage->file);
    if (fread(&usage->took_s, sizeof usage->took_s, 1, usage->file) != 1)
        return tl_fail(err, TL_ERR_SYSTEM, "the use of the links was not kept");
    while (fread(&resource, sizeof resource, 1, usage->file) == 1) {
        tlr_resource **list = resource.is_link ? &usage->links : &usage->hosts;
        size_t *n = resource.is_link ? &usage->n_links : &usage->n_hosts;
        *(resource.is_link ? &usage->links_j : &usage->hosts_j) += resource.energy_j;
        if (resource.is_link && resource.bytes <= 0 && resource.sent_bytes <= 0)
            continue;
        tlr_resource *more = realloc(*list, (*n + 1) * sizeof *more);
        if (!more)
            return tl_no_memory(err, "use of the links");
        more[(*n)++] = resource;
        *list = more;
    }
    if (usage->n_links)
        qsort(usage->links, usage->n_links, sizeof *usage->links, compare_links);
    find_job(usage, prediction);
    if (usage->n_hosts)
        qsort(usage->hosts, usage->n_hosts, sizeof *usage->hosts, compare_hosts);
    for (size_t i = 0; i < usage->n_hosts; i++) {
        usage->is_at_least |= usage->hosts[i].is_at_least;
        usage->job_j += usage->hosts[i].has_ranks ? usage->hosts[i].energy_j : 0;
    }
    return TL_OK;
}

/* ---- showing ---- */

static double mean_use(const tlr_usage *usage, const tlr_resource *link)
{
    return usage->took_s > 0 ? use_of(link) / usage->took_s : 0;
}

static double energy_cost(const tlr_usage *usage)
{
    return usage->job_j / J_PER_KWH * usage->per_kwh;
}

static double hosts_cost(const tlr_usage *usage)
{
    return (double)usage->n_of_job * usage->took_s / 3600 * usage->per_host_hour;
}

double tlr_usage_cost(const tlr_usage *usage)
{
    return energy_cost(usage) + hosts_cost(usage);
}

void tlr_usage_print(const tlr_usage *usage, FILE *out)
{
    if (usage->has_links)
        fprintf(out, "\n%-32s %14s %14s %10s %14s\n", "link", "bytes sent", "in the model",
                "mean use", "saturated, s");
    for (size_t i = 0; usage->has_links && i < usage->n_links && i < N_SHOWN; i++) {
        const tlr_resource *link = &usage->links[i];
        fprintf(out, "%-32s ", tl_printable(link->name));
        if (link->sent_bytes >= 0)
            fprintf(out, "%14.0f", link->sent_bytes);
        else
            fprintf(out, "%14s", "unknown");
        fprintf(out, " %14.0f %9.4g%% %14.4g\n", link->bytes, 100 * mean_use(usage, link),
                link->saturated_s);
    }
    if (usage->has_links && usage->n_links > N_SHOWN)
        fprintf(out, "and %zu more\n", usage->n_links - N_SHOWN);
    if (!usage->has_energy)
        return;
    const char *at_least = usage->is_at_least ? "at least " : "";
    fprintf(out, "\nenergy            %s%.4g J of %zu hosts, %.4g J of links\n", at_least,
            usage->hosts_j, usage->n_hosts, usage->links_j);
    fprintf(out, "of the job        %s%.4g J of the %zu hosts with ranks, %.4g kWh\n", at_least,
            usage->job_j, usage->n_of_job, usage->job_j / J_PER_KWH);
    if (usage->has_price)
        fprintf(out, "cost of the job   %s%.4g: energy %.4g, hosts %.4g\n", at_least,
                tlr_usage_cost(usage), energy_cost(usage), hosts_cost(usage));
}

static json_t *links_json(const tlr_usage *usage)
{
    json_t *links = json_array();
    for (size_t i = 0; i < usage->n_links; i++) {
        const tlr_resource *link = &usage->links[i];
        json_t *row =
            json_pack("{s:s, s:f, s:f, s:f, s:f}", "name", link->name, "bandwidth_bytes_per_s",
                      link->bandwidth, "bytes", link->bytes, "mean_use", mean_use(usage, link),
                      "saturated_s", link->saturated_s);
        if (link->sent_bytes >= 0)
            json_object_set_new(row, "sent_bytes", json_real(link->sent_bytes));
        json_array_append_new(links, row);
    }
    return links;
}

static json_t *sizes_json(const uint32_t *sizes, unsigned n)
{
    json_t *list = json_array();
    for (unsigned i = 0; sizes && i < n; i++)
        json_array_append_new(list, json_integer(sizes[i]));
    return list;
}

json_t *tlr_usage_map(const tlr_usage *usage, const char *xml_path)
{
    tlr_cluster c;
    tlr_topology t;
    tl_error ignored;
    json_t *map = NULL;
    if (!usage || !usage->n_links || tlr_cluster_read(xml_path, &c, &ignored) != TL_OK)
        return NULL;
    if (tlr_topology_of(&c, &t)) {
        json_t *links = json_array();
        for (size_t i = 0; i < usage->n_links && json_array_size(links) < MOST_DRAWN; i++) {
            uint64_t ends[2];
            if (tlr_link_ends(&c, usage->links[i].id, ends))
                json_array_append_new(links, json_pack("[I, I, f]", (json_int_t)ends[0],
                                                       (json_int_t)ends[1],
                                                       mean_use(usage, &usage->links[i])));
        }
        map =
            json_pack("{s:s, s:o, s:o, s:o}", "topology", t.name, "sizes", sizes_json(t.sizes, t.n),
                      "parents", sizes_json(t.parents, t.n), "links", links);
    }
    tlr_cluster_free(&c);
    return map;
}

static json_t *energy_json(const tlr_usage *usage)
{
    json_t *hosts = json_array();
    for (size_t i = 0; i < usage->n_hosts; i++)
        if (usage->hosts[i].has_ranks)
            json_array_append_new(hosts, json_pack("{s:s, s:f}", "name", usage->hosts[i].name,
                                                   "energy_j", usage->hosts[i].energy_j));
    json_t *energy = json_pack("{s:f, s:f, s:f, s:o}", "hosts_j", usage->hosts_j, "links_j",
                               usage->links_j, "job_j", usage->job_j, "hosts", hosts);
    if (usage->is_at_least)
        json_object_set_new(energy, "at_least", json_true());
    return energy;
}

void tlr_usage_json(const tlr_usage *usage, json_t *prediction)
{
    if (usage->has_links)
        json_object_set_new(prediction, "links", links_json(usage));
    if (usage->has_energy)
        json_object_set_new(prediction, "energy", energy_json(usage));
    if (usage->has_price)
        json_object_set_new(prediction, "cost",
                            json_pack("{s:f, s:f, s:f}", "total", tlr_usage_cost(usage), "energy",
                                      energy_cost(usage), "hosts", hosts_cost(usage)));
}
