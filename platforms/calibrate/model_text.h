/* model_text.h - changes a model file and keeps its other settings. */
#ifndef TLP_MODEL_TEXT_H
#define TLP_MODEL_TEXT_H

#include <libconfig.h>
#include <stdbool.h>
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
/* Copies comments at the beginning of the file: the lines that are kept. */
void tlp_model_head(const char *path, bool (*is_kept)(const char *line, const void *arg),
                    const void *arg, FILE *out);
/* Add a setting to a group; 0: it cannot be added. */
int tlp_set_string(config_setting_t *group, const char *name, const char *value);
int tlp_set_number(config_setting_t *group, const char *name, double value);
/* Writes the text of a string, between its quotation marks. */
void tlp_string_write(FILE *out, const char *text);
/* Writes the value of a setting; its lines are indented by `depth` steps. */
void tlp_setting_write(FILE *out, const config_setting_t *setting, int depth);
/* Writes the settings of the model, except those that are left out. */
void tlp_settings_write(FILE *out, const config_t *config,
                        bool (*is_left_out)(const char *name, const void *arg), const void *arg);
/* A change of a model. The functions get `what`. */
typedef struct tlp_model_change {
    const void *what;
    /* Changes the settings; 0: they do not have the form, as `wrong` says. NULL: nothing changes.
     */
    int (*change)(config_t *config, const void *what);
    const char *wrong;
    /* The line of the measurement in the head begins so, and goes on as it is written. It replaces
     * the lines that begin alike. */
    const char *origin;
    void (*write_origin)(const void *what, FILE *out);
    const char *left_out; /* a setting that is not written; NULL: none */
    /* What follows the settings; NULL: nothing. */
    void (*write_tail)(const config_t *config, const void *what, FILE *out);
} tlp_model_change;
/* Writes the model `base` with the change to `path`, which may be the same. Of comments, only those
 * of the head are kept. After a failure, the old file is there. */
tl_status tlp_model_write(const tlp_model_change *change, const char *base, const char *path,
                          tl_error *err);

#endif
