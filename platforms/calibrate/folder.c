/* folder.c - the platform folder of the measured machine. */
#include "config.h"

#include "calibrate.h"

#include <generate/generate.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The first lines of the README in a folder for this machine only, and for several hosts. */
#define TITLE "# This machine, one host\n"
#define HOSTS_TITLE "# Measured hosts, without their network\n"

/* A file of the shipped folder. */
typedef struct shipped_file {
    FILE *in;
    unsigned cores;
} shipped_file;

/* The first core="N" of each line becomes core="cores". Lines with watts are left out: they are
 * those of another machine. */
static tl_status copy_lines(const void *arg, FILE *out, tl_error *err)
{
    const shipped_file *f = arg;
    char line[1024];
    (void)err;
    while (fgets(line, sizeof line, f->in)) {
        if (strstr(line, "wattage_per_state"))
            continue;
        char *attribute = strstr(line, "core=\"");
        char *quote = attribute ? strchr(attribute + 6, '"') : NULL;
        if (quote)
            fprintf(out, "%.*s%u%s", (int)(attribute + 6 - line), line, f->cores, quote);
        else
            fputs(line, out);
    }
    return TL_OK;
}

static tl_status copy_file(const char *shipped, const char *folder, const char *name,
                           unsigned cores, tl_error *err)
{
    shipped_file file = {tlp_open_in(shipped, name, err), cores};
    if (!file.in)
        return TL_ERR_SYSTEM;
    const tl_status status = tlp_write_in(folder, name, copy_lines, &file, err);
    fclose(file.in);
    return status;
}

static tl_status write_readme(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    const unsigned n_cores = result->cores * result->threads;
    (void)err;
    if (result->n_hosts)
        fprintf(
            out,
            HOSTS_TITLE
            "\n"
            "Written by `timeless calibrate kernels -o` %s.\n\n"
            "- `platform.xml`, `options.conf`: %zu hosts, with the network of the shipped "
            "`star-1g`. "
            "It\n"
            "  was measured on another machine: measure yours by `timeless calibrate network -o`.\n"
            "- `model.conf`: measured on these hosts at the same time, on %u cores of each; its "
            "first lines\n"
            "  say how. Its groups `hosts` name the host and socket that each was measured on.\n"
            "- `kernels.html`: how the hosts differ, and how the model fits.\n",
            tl_version(), result->n_hosts, n_cores);
    else
        fprintf(
            out,
            TITLE
            "\n"
            "Written by `timeless calibrate kernels -o` %s.\n\n"
            "- `platform.xml`: one host of %u cores, copied from the shipped `local`. Its speed is "
            "a\n"
            "  reference speed, not measured; bandwidth and latency were measured on another "
            "machine.\n"
            "- `model.conf`: measured here, on %u core%s at once; its first lines say how.\n"
            "- `kernels.html`: how the model fits, by work and over time.\n"
            "- `options.conf`: copied from the shipped `local`; its network figures were measured "
            "on another\n"
            "  machine (see the README there). Ranks of one host talk through shared memory.\n",
            tl_version(), tlp_n_cores(), n_cores, n_cores == 1 ? "" : "s");
    return TL_OK;
}

/* 1 if the folder describes a platform that this file did not write: a measured network, or the
 * user's own platform. */
static bool is_described(const char *folder)
{
    char line[128] = "";
    FILE *platform = tlp_open_in(folder, "platform.xml", NULL);
    FILE *readme = tlp_open_in(folder, "README.md", NULL);
    const bool is_ours = readme && fgets(line, sizeof line, readme) &&
                         (!strcmp(line, TITLE) || !strcmp(line, HOSTS_TITLE));
    const bool is_there = platform != NULL;
    if (platform)
        fclose(platform);
    if (readme)
        fclose(readme);
    return is_there && !is_ours;
}

/* The hosts, as many as were measured, with the network of star-1g. */
static tl_status generate_hosts(const tlp_result *result, const char *folder, tl_error *err)
{
    unsigned cores = 1;
    for (size_t h = 0; h < result->n_hosts; h++)
        if (tlp_host_cores(&result->hosts[h]) > cores)
            cores = tlp_host_cores(&result->hosts[h]);
    const tlp_description d = {.topology = tlp_topology_find("star"),
                               .title = "measured hosts with the network of star-1g, README.md",
                               .prefix = "node-",
                               .suffix = "",
                               .n_nodes = (int64_t)result->n_hosts,
                               .cores = (int32_t)cores,
                               .speed_flops = TLP_REFERENCE_FLOPS,
                               .link = {1, 125e6, 8e-6, 0},
                               .loopback = {1, 5e9, 2e-7, 0}};
    return tlp_generate_folder(&d, folder, err);
}

tl_status tlp_begin_folder(const tlp_result *result, const char *platforms, const char *folder,
                           int *describes_other, tl_error *err)
{
    char shipped[PATH_MAX];
    const bool has_hosts = result && result->n_hosts;
    snprintf(shipped, sizeof shipped, "%s/%s", platforms, has_hosts ? "star-1g" : "local");
    *describes_other = is_described(folder);
    if (*describes_other)
        return TL_OK;
    TL_TRY(has_hosts ? generate_hosts(result, folder, err)
                     : copy_file(shipped, folder, "platform.xml", tlp_n_cores(), err));
    return copy_file(shipped, folder, "options.conf", 0, err);
}

const uint16_t tlp_compared_kernels[] = {TL_KERNEL_dgemm, TL_KERNEL_dtrsm, TL_KERNEL_dgemv,
                                         TL_KERNEL_daxpy};

static tl_status add_to_history(const tlp_result *result, const char *folder, tl_error *err)
{
    size_t n = 0;
    tlp_quantity *list =
        calloc(TLP_COMPARED_KERNELS + TLP_UNIT_QUANTITIES * result->n_units, sizeof *list);
    if (!list)
        return tl_no_memory(err, folder);
    for (int i = 0; i < TLP_COMPARED_KERNELS; i++) {
        const uint16_t kernel = tlp_compared_kernels[i];
        const tlp_fit *fit = tlp_result_fit(result, kernel);
        snprintf(list[n].name, sizeof list->name, "%s s per unit of work",
                 tl_call_by_code(kernel)->name);
        list[n].value = fit->slope_s;
        n += fit->n != 0;
    }
    n += tlp_unit_quantities(result, list + n);
    const tl_status status = tlp_add_to_history(folder, "kernels", result->moment, list, n, err);
    free(list);
    return status;
}

tl_status tlp_finish_folder(const tlp_result *result, const char *folder, int describes_other,
                            tl_error *err)
{
    TL_TRY(tlp_write_in(folder, "model.conf", tlp_write_model, result, err));
    if (!describes_other)
        TL_TRY(tlp_write_in(folder, "README.md", write_readme, result, err));
    TL_TRY(tlp_write_in(folder, "kernels.html", tlp_write_kernels_page, result, err));
    return add_to_history(result, folder, err);
}
