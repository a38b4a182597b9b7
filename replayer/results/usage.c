/* usage.c - links and energy of a replay, from the engine to tables and JSON. */
#include "config.h"

#include "usage.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <timeless_files.h>

enum { N_SHOWN = 10 };

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
        return tl_fail(err, TL_ERR_MEMORY, "out of memory for the use of the links");
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

tl_status tlr_usage_read(tlr_usage *usage, tl_error *err)
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
            return tl_fail(err, TL_ERR_MEMORY, "out of memory for the use of the links");
        more[(*n)++] = resource;
        *list = more;
    }
    if (usage->n_links)
        qsort(usage->links, usage->n_links, sizeof *usage->links, compare_links);
    if (usage->n_hosts)
        qsort(usage->hosts, usage->n_hosts, sizeof *usage->hosts, compare_hosts);
    return TL_OK;
}

/* ---- showing ---- */

static double mean_use(const tlr_usage *usage, const tlr_resource *link)
{
    return usage->took_s > 0 ? use_of(link) / usage->took_s : 0;
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
            fprintf(out, "%14.9g", link->sent_bytes);
        else
            fprintf(out, "%14s", "unknown");
        fprintf(out, " %14.9g %9.3g%% %14.6g\n", link->bytes, 100 * mean_use(usage, link),
                link->saturated_s);
    }
    if (usage->has_links && usage->n_links > N_SHOWN)
        fprintf(out, "and %zu more\n", usage->n_links - N_SHOWN);
    if (usage->has_energy)
        fprintf(out, "\nenergy            %.9g J of %zu hosts, %.9g J of links\n", usage->hosts_j,
                usage->n_hosts, usage->links_j);
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

void tlr_usage_json(const tlr_usage *usage, json_t *prediction)
{
    json_t *hosts = json_array();
    if (usage->has_links)
        json_object_set_new(prediction, "links", links_json(usage));
    for (size_t i = 0; i < usage->n_hosts; i++)
        json_array_append_new(hosts, json_pack("{s:s, s:f}", "name", usage->hosts[i].name,
                                               "energy_j", usage->hosts[i].energy_j));
    if (usage->has_energy)
        json_object_set_new(prediction, "energy",
                            json_pack("{s:f, s:f, s:O}", "hosts_j", usage->hosts_j, "links_j",
                                      usage->links_j, "hosts", hosts));
    json_decref(hosts);
}
