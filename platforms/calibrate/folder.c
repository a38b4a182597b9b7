/* folder.c - the platform folder of the measured machine. */
#include "config.h"

#include "calibrate.h"

#include <string.h>

/* The first line of the README in a folder for this machine only. */
#define TITLE "# This machine, one host\n"

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

/* 1 if the folder describes a platform that this file did not write: a measured network, or the
 * user's own platform. */
static bool is_described(const char *folder)
{
    char line[128] = "";
    FILE *platform = tlp_open_in(folder, "platform.xml", NULL);
    FILE *readme = tlp_open_in(folder, "README.md", NULL);
    const bool is_ours = readme && fgets(line, sizeof line, readme) && !strcmp(line, TITLE);
    const bool is_there = platform != NULL;
    if (platform)
        fclose(platform);
    if (readme)
        fclose(readme);
    return is_there && !is_ours;
}

tl_status tlp_begin_folder(const char *shipped, const char *folder, int *describes_other,
                           tl_error *err)
{
    *describes_other = is_described(folder);
    if (*describes_other)
        return TL_OK;
    tl_status status = copy_file(shipped, folder, "platform.xml", tlp_n_cores(), err);
    if (status == TL_OK)
        status = copy_file(shipped, folder, "options.conf", 0, err);
    return status;
}

/* Kernels bound by computation and kernels bound by memory, which dominate HPL and solvers. */
static tl_status add_to_history(const tlp_result *result, const char *folder, tl_error *err)
{
    const tlp_quantity quantities[] = {
        {"dgemm s per unit of work", tlp_result_fit(result, TL_KERNEL_dgemm)->slope_s},
        {"dtrsm s per unit of work", tlp_result_fit(result, TL_KERNEL_dtrsm)->slope_s},
        {"dgemv s per unit of work", tlp_result_fit(result, TL_KERNEL_dgemv)->slope_s},
        {"daxpy s per unit of work", tlp_result_fit(result, TL_KERNEL_daxpy)->slope_s}};
    return tlp_add_to_history(folder, "kernels", quantities, sizeof quantities / sizeof *quantities,
                              err);
}

tl_status tlp_finish_folder(const tlp_result *result, const char *folder, int describes_other,
                            tl_error *err)
{
    tl_status status = tlp_write_in(folder, "model.conf", tlp_write_model, result, err);
    if (status == TL_OK && !describes_other)
        status = tlp_write_in(folder, "README.md", write_readme, result, err);
    if (status == TL_OK)
        status = add_to_history(result, folder, err);
    return status;
}
