/* model.h - the model that calibrate cpu and calibrate memory change. */
#ifndef CLI_CALIBRATE_MODEL_H
#define CLI_CALIBRATE_MODEL_H

#include <limits.h>
#include <timeless.h>

typedef struct calibrated_model {
    char path[PATH_MAX];     /* gets the result */
    char base[2 * PATH_MAX]; /* has all else */
} calibrated_model;

/* To be called before anything is measured, so that a wrong path is reported at once. `output` is a
 * platform folder or a FILE.conf. `base` is the model of --model; NULL: that of the folder, or
 * FILE.conf if it exists, or that of the platform local. Fails if the base is not a model, or if a
 * file at the path cannot be written or is not a model: a file of the user is not overwritten. */
tl_status calibrate_choose_model(const char *output, const char *base, calibrated_model *out,
                                 tl_error *err);

#endif
