/* report_flame.c - writes predicted time by call path: a flame graph, and folded stacks. */
#include "config.h"

#include "report_flame.h"

#include <errno.h>
#include <report/report.h>
#include <stdio.h>
#include <string.h>
#include <timeless_files.h>

static tl_status put_folded(const tlr_flame *flame, const tlr_prediction *prediction, FILE *out,
                            tl_error *err)
{
    (void)prediction;
    return tlr_flame_write_folded(flame, out)
               ? TL_OK
               : tl_fail(err, TL_ERR_SYSTEM, "the folded stacks cannot be written: %s",
                         strerror(errno));
}

/* Nothing if there is no path. */
static tl_status
write_file(const char *path, const tlr_flame *flame, const tlr_prediction *prediction,
           tl_status (*put)(const tlr_flame *, const tlr_prediction *, FILE *, tl_error *),
           tl_error *err)
{
    tl_output out;
    if (!path)
        return TL_OK;
    TL_TRY(tl_output_open(path, &out, err));
    return tl_output_close(&out, path, put(flame, prediction, out.file, err), err);
}

tl_status flame_write_files(const flame_files *files, const replay_arguments *replay,
                            const tlr_prediction *prediction, tl_error *err)
{
    tlr_flame flame = {0};
    if (!files->flame && !files->folded)
        return TL_OK;
    tl_status status =
        tlr_flame_make(replay->stage.options.timeline, replay->stage.jobs[0].trace, 0, &flame, err);
    if (!status)
        status = write_file(files->flame, &flame, prediction, tlr_flame_write, err);
    if (!status)
        status = write_file(files->folded, &flame, prediction, put_folded, err);
    tlr_flame_free(&flame);
    return status;
}
