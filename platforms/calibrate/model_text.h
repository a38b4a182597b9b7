/* model_text.h - changes a model file and keeps its other settings. */
#ifndef TLP_MODEL_TEXT_H
#define TLP_MODEL_TEXT_H

#include <libconfig.h>
#include <stdio.h>

#include <timeless.h>

/* Comments at the beginning of a model state how it was measured, a line for each calibration. With
 * these words begin those of 'calibrate cpu' and 'calibrate memory'. */
#define TLP_RATES_ORIGIN "# Rates of '"
#define TLP_PARALLEL_ORIGIN "# Group parallel: "
#define TLP_INTERFERENCE_ORIGIN "# Interference of "

/* Reads the model at `path` and makes it one of version 2, which has the settings of version 1 and
 * more. Clear the config by config_destroy, also after an error. */
tl_status tlp_model_read(const char *path, config_t *config, tl_error *err);
/* The comments at the beginning of the file, without lines that begin with `without`; to be freed.
 * NULL: none can be read. */
char *tlp_model_head(const char *path, const char *without);
/* Writes the value of a setting; its lines are indented by `depth` steps. */
void tlp_setting_write(FILE *out, const config_setting_t *setting, int depth);
/* Writes comments, settings, and `tail` behind them, if not NULL. Of comments, only those in `head`
 * and `tail` are in the file. After a failure, the old file is there. */
tl_status tlp_model_write(const config_t *config, const char *head, const char *tail,
                          const char *path, tl_error *err);

#endif
