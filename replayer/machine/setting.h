/* setting.h - read settings of a libconfig file. Messages contain the line of a wrong setting. */
#ifndef TLR_SETTING_H
#define TLR_SETTING_H

#include <libconfig.h>

#include "replayer.h"

/* The file that is being read, for messages. */
typedef struct tlr_reading {
    const char *path;
    const char *manual; /* "timeless-model(5)" */
    tl_error *err;
} tlr_reading;

/* Refuses the setting in a line of the file. */
#define tlr_refuse(in, line, format, ...)                                                          \
    tl_fail((in)->err, TL_ERR_INPUT, "%s:%d: " format, (in)->path, line, ##__VA_ARGS__)

/* Reads in->path; `read` gets its root. */
tl_status tlr_setting_load(const tlr_reading *in,
                           tl_status (*read)(const tlr_reading *in, const config_setting_t *root,
                                             void *arg),
                           void *arg);
/* Refuses settings that nobody reads, so that a misspelt name is not ignored. Both lists end with
 * NULL. `later`, if not NULL, lists settings of version 2 of the file. */
tl_status tlr_setting_check(const tlr_reading *in, const config_setting_t *group,
                            const char *const *known, const char *const *later);
/* A required finite number, at least min. */
tl_status tlr_setting_number(const tlr_reading *in, const config_setting_t *group, const char *name,
                             double min, double *out);
/* Does not change *out if the group has no such number. */
tl_status tlr_setting_optional(const tlr_reading *in, const config_setting_t *group,
                               const char *name, double min, double *out);
/* A required string. */
tl_status tlr_setting_string(const tlr_reading *in, const config_setting_t *group, const char *name,
                             const char **out);
/* The list `name` of groups; *out is NULL if there is none. */
tl_status tlr_setting_list(const tlr_reading *in, const config_setting_t *group, const char *name,
                           const config_setting_t **out);
/* Reads each group of the list `name` into an array that is made here; without a list it has no
 * elements. `read` gets the group, its element, which is 0 at first, and its index; *n counts also
 * the element that it refuses. */
typedef tl_status tlr_item_reader(const void *arg, const config_setting_t *item, void *element,
                                  size_t i);
tl_status tlr_setting_items(const tlr_reading *in, const config_setting_t *group, const char *name,
                            tlr_item_reader *read, const void *arg, size_t size, void *array,
                            size_t *n);
/* The group `name`; *out is NULL if there is none. */
tl_status tlr_setting_group(const tlr_reading *in, const config_setting_t *group, const char *name,
                            const config_setting_t **out);

/* ---- groups of a model file: root of the file; without the group, the result remains as it is.
 * What was read belongs to the model, also after an error ---- */

/* `parallel` (parallel_read.c) and `interference` (interference_read.c). */
tl_status tlr_parallel_read(const tlr_reading *in, const config_setting_t *root, tlr_parallel *p);
tl_status tlr_interference_read(const tlr_reading *in, const config_setting_t *root,
                                tlr_interference *out);

#endif
