/* folder.c - the platform folder of the measured machine. */
#include "config.h"

#include "calibrate.h"

#include <stdlib.h>
#include <string.h>

/* The first lines of the README in a folder for this machine only, and for several hosts. */
#define TITLE "# This machine, one host\n"
#define HOSTS_TITLE "# Measured hosts, without their network\n"

/* A file of the shipped folder. */
typedef struct shipped_file {
    FILE *in;
    unsigned cores;
    size_t n_hosts; /* 0: as they are */
} shipped_file;

/* Replaces the value of an attribute (ATTRIBUTE=") of a line, if the line has it. */
static void set_value(char *line, size_t size, const char *attribute, const char *value)
{
    char *at = strstr(line, attribute), rest[1024];
    const char *end = at ? strchr(at += strlen(attribute), '"') : NULL;
    if (!end)
        return;
    snprintf(rest, sizeof rest, "%s", end);
    snprintf(at, size - (size_t)(at - line), "%s%s", value, rest);
}

/* The first core="N" of each line becomes core="cores", and radical="0-N" has n_hosts hosts. Lines
 * with watts are left out: they are those of another machine. So is the line that counts hosts. */
static tl_status copy_lines(const void *arg, FILE *out, tl_error *err)
{
    const shipped_file *f = arg;
    char line[1024], value[32];
    (void)err;
    while (fgets(line, sizeof line, f->in)) {
        if (strstr(line, "wattage_per_state") || (f->n_hosts && strstr(line, "<!--")))
            continue;
        snprintf(value, sizeof value, "%u", f->cores);
        set_value(line, sizeof line, "core=\"", value);
        snprintf(value, sizeof value, "0-%zu", f->n_hosts - 1);
        if (f->n_hosts)
            set_value(line, sizeof line, "radical=\"", value);
        fputs(line, out);
    }
    return TL_OK;
}

static tl_status copy_file(const char *shipped, const char *folder, const char *name,
                           unsigned cores, size_t n_hosts, tl_error *err)
{
    shipped_file file = {tlp_open_in(shipped, name, err), cores, n_hosts};
    if (!file.in)
        return TL_ERR_SYSTEM;
    const tl_status status = tlp_write_in(folder, name, copy_lines, &file, err);
    fclose(file.in);
    return status;
}

static tl_status write_readme(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    (void)err;
    const unsigned n_cores = result->cores * result->threads;
    fprintf(
        out,
        TITLE
        "\n"
        "Written by `timeless calibrate kernels -o` %s.\n\n"
        "- `platform.xml`: one host of %u cores, copied from the shipped `local`. Its speed is a\n"
        "  reference speed, not measured; bandwidth and latency were measured on another machine.\n"
        "- `model.conf`: measured here, on %u core%s at once; its first lines say how.\n"
        "- `options.conf`: copied from the shipped `local`; its network figures were measured "
        "on another\n"
        "  machine (see the README there). Ranks of one host talk through shared memory.\n",
        tl_version(), tlp_n_cores(), n_cores, n_cores == 1 ? "" : "s");
    return TL_OK;
}

static tl_status write_hosts_readme(const void *arg, FILE *out, tl_error *err)
{
    const tlp_result *result = arg;
    (void)err;
    fprintf(out,
            HOSTS_TITLE
            "\n"
            "Written by `timeless calibrate kernels -o` %s.\n\n"
            "- `platform.xml`, `options.conf`: %zu hosts, copied from the shipped `star-1g`. Its "
            "network\n"
            "  was measured on another machine: measure yours by `timeless calibrate network -o`.\n"
            "- `model.conf`: measured on these hosts at the same time, on %u cores of each; its "
            "first lines\n"
            "  say how. Its groups `hosts` name the host and socket that each was measured on.\n"
            "- `kernels.html`: how the hosts differ.\n",
            tl_version(), result->n_hosts, result->cores * result->threads);
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

tl_status tlp_begin_folder(const char *shipped, const char *folder, unsigned cores, size_t n_hosts,
                           int *describes_other, tl_error *err)
{
    *describes_other = is_described(folder);
    if (*describes_other)
        return TL_OK;
    tl_status status = copy_file(shipped, folder, "platform.xml", cores, n_hosts, err);
    if (status == TL_OK)
        status = copy_file(shipped, folder, "options.conf", 0, n_hosts, err);
    return status;
}

/* Kernels bound by computation and kernels bound by memory, which dominate HPL and solvers. */
static tl_status add_to_history(const tlp_result *result, const char *folder, tl_error *err)
{
    static const struct {
        unsigned kernel;
        const char *name;
    } kernels[] = {{TL_KERNEL_dgemm, "dgemm s per unit of work"},
                   {TL_KERNEL_dtrsm, "dtrsm s per unit of work"},
                   {TL_KERNEL_dgemv, "dgemv s per unit of work"},
                   {TL_KERNEL_daxpy, "daxpy s per unit of work"}};
    enum { N_KERNELS = sizeof kernels / sizeof *kernels };
    tlp_quantity *list = calloc(N_KERNELS + TLP_UNIT_QUANTITIES * result->n_units, sizeof *list);
    size_t n = 0;
    if (!list)
        return tl_no_memory(err, folder);
    for (int i = 0; i < N_KERNELS; i++)
        if (tlp_result_fit(result, kernels[i].kernel)->n)
            list[n++] =
                (tlp_quantity){kernels[i].name, tlp_result_fit(result, kernels[i].kernel)->slope_s};
    const size_t n_of_all = n;
    n += tlp_unit_quantities(result, list + n);
    bool has_names = 1;
    for (size_t i = 0; i < n; i++)
        has_names &= list[i].name != NULL;
    const tl_status status =
        has_names ? tlp_add_to_history(folder, "kernels", list, n, err) : tl_no_memory(err, folder);
    for (size_t i = n_of_all; i < n; i++)
        free((char *)list[i].name);
    free(list);
    return status;
}

tl_status tlp_finish_folder(const tlp_result *result, const char *folder, int describes_other,
                            tl_error *err)
{
    tl_status status = tlp_write_in(folder, "model.conf", tlp_write_model, result, err);
    if (status == TL_OK && !describes_other)
        status = tlp_write_in(folder, "README.md",
                              result->n_hosts ? write_hosts_readme : write_readme, result, err);
    if (status == TL_OK && result->n_hosts)
        status = tlp_write_in(folder, "kernels.html", tlp_write_units_page, result, err);
    if (status == TL_OK)
        status = add_to_history(result, folder, err);
    return status;
}
