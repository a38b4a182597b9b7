/* setting.h - take settings out of a libconfig file; what is wrong is told with its line. */
#ifndef TLR_SETTING_H
#define TLR_SETTING_H

#include <libconfig.h>

#include <timeless.h>

/* The file that is read, for messages. */
typedef struct tlr_reading {
    const char *path;
    const char *manual; /* "timeless-model(5)" */
    tl_error *err;
} tlr_reading;

/* Refuses what stands in a line of the file. */
#define tlr_refuse(in, line, format, ...)                                                          \
    tl_fail((in)->err, TL_ERR_INPUT, "%s:%d: " format, (in)->path, line, ##__VA_ARGS__)

/* Refuses settings that nobody reads: a misspelt name must not be lost.  Both lists end with NULL;
 * `later`, or NULL, has what files of the second version may say. */
tl_status tlr_setting_check(const tlr_reading *in, const config_setting_t *group,
                            const char *const *known, const char *const *later);
/* A required number from min on, finite. */
tl_status tlr_setting_number(const tlr_reading *in, const config_setting_t *group, const char *name,
                             double min, double *out);
/* Leaves *out alone when the group has no such number. */
tl_status tlr_setting_optional(const tlr_reading *in, const config_setting_t *group,
                               const char *name, double min, double *out);
/* A required string. */
tl_status tlr_setting_string(const tlr_reading *in, const config_setting_t *group, const char *name,
                             const char **out);
/* The list `name` of groups; *out is NULL when there is none. */
tl_status tlr_setting_list(const tlr_reading *in, const config_setting_t *group, const char *name,
                           const config_setting_t **out);
/* The group `name`; *out is NULL when there is none. */
tl_status tlr_setting_group(const tlr_reading *in, const config_setting_t *group, const char *name,
                            const config_setting_t **out);

#endif
