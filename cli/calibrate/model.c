/* model.c - the model that calibrate cpu and calibrate memory change. */
#include "calibrate/model.h"

#include "installed.h"
#include "replayer.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>

static tl_status check_model(const char *path, tl_error *err)
{
    tlr_model *model = NULL;
    const tl_status status = tlr_model_load(path, &model, err);
    tlr_model_free(model);
    return status;
}

/* Makes the file that a result would replace the path with, and removes it. */
static tl_status check_writable(const char *path, tl_error *err)
{
    tl_replacement file;
    const tl_status status = tl_replace_begin(path, &file, err);
    if (status == TL_OK)
        tl_replace_end(&file, TL_ERR_SYSTEM, NULL);
    return status;
}

tl_status calibrate_choose_model(const char *output, const char *base, calibrated_model *out,
                                 tl_error *err)
{
    const size_t length = strlen(output);
    struct stat entry;
    tl_error reason;
    char platforms[PATH_MAX];
    const int exists = stat(output, &entry) == 0, is_folder = exists && S_ISDIR(entry.st_mode);
    const int is_file = exists && S_ISREG(entry.st_mode) && entry.st_size;
    if (!is_folder && (length <= 5 || strcmp(output + length - 5, ".conf") != 0))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "'%s': is no folder; make one with 'timeless calibrate kernels', or give a "
                       "FILE.conf",
                       output);
    snprintf(out->path, sizeof out->path, is_folder ? "%s/model.conf" : "%s", output);
    tlr_platforms_folder(platforms, sizeof platforms);
    if (base || is_folder || is_file)
        snprintf(out->base, sizeof out->base, "%s", base ? base : out->path);
    else
        snprintf(out->base, sizeof out->base, "%s/local/model.conf", platforms);
    if (is_file && check_model(output, &reason) != TL_OK)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: exists and is not a compute model, so it is not overwritten; give "
                       "another --output, or remove it",
                       output);
    const tl_status status = check_model(out->base, err);
    return status == TL_OK ? check_writable(out->path, err) : status;
}
