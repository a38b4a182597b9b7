/* setting.c - read settings of a libconfig file. */
#include "setting.h"

#include "text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_among(const char *name, const char *const *known)
{
    for (; known && *known; known++)
        if (name && !strcmp(*known, name))
            return 1;
    return 0;
}

tl_status tlr_setting_check(const tlr_reading *in, const config_setting_t *group,
                            const char *const *known, const char *const *later)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (is_among(name, known))
            continue;
        if (is_among(name, later))
            return tlr_refuse(in, config_setting_source_line(setting),
                              "'%s' requires version 2; begin the file with 'version = 2;'", name);
        return tlr_refuse(in, config_setting_source_line(setting),
                          "unknown setting '%s'; %s lists the settings", name ? name : "",
                          in->manual);
    }
    return TL_OK;
}

tl_status tlr_setting_optional(const tlr_reading *in, const config_setting_t *group,
                               const char *name, double min, double *out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    if (!setting)
        return TL_OK;
    if (!config_setting_is_number(setting))
        return tlr_refuse(in, config_setting_source_line(setting), "'%s' is not a number; give one",
                          name);
    double value = config_setting_type(setting) == CONFIG_TYPE_FLOAT
                       ? config_setting_get_float(setting)
                       : (double)config_setting_get_int64(setting);
    if (!isfinite(value) || value < min)
        return tlr_refuse(in, config_setting_source_line(setting),
                          "'%s' is %g; give a finite number%s", name, value,
                          min == 0 ? " that is not negative" : "");
    *out = value;
    return TL_OK;
}

tl_status tlr_setting_number(const tlr_reading *in, const config_setting_t *group, const char *name,
                             double min, double *out)
{
    if (!config_setting_get_member(group, name))
        return tlr_refuse(in, config_setting_source_line(group),
                          "'%s' is missing; add '%s = NUMBER;'", name, name);
    return tlr_setting_optional(in, group, name, min, out);
}

tl_status tlr_setting_string(const tlr_reading *in, const config_setting_t *group, const char *name,
                             const char **out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    const char *value = setting ? config_setting_get_string(setting) : NULL;
    if (!value || !*value)
        return tlr_refuse(in, config_setting_source_line(setting ? setting : group),
                          "'%s' is missing or not a string; add '%s = \"...\";'", name, name);
    *out = value;
    return TL_OK;
}

tl_status tlr_setting_list(const tlr_reading *in, const config_setting_t *group, const char *name,
                           const config_setting_t **out)
{
    const config_setting_t *list = config_setting_get_member(group, name);
    *out = list;
    if (!list)
        return TL_OK;
    if (!config_setting_is_list(list))
        return tlr_refuse(in, config_setting_source_line(list),
                          "'%s' is not a list; write '%s = ( { ... }, ... );'", name, name);
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *item = config_setting_get_elem(list, (unsigned)i);
        if (!config_setting_is_group(item))
            return tlr_refuse(in, config_setting_source_line(item),
                              "an entry of '%s' is not in braces; write '{ name = value; ... }'",
                              name);
    }
    return TL_OK;
}

tl_status tlr_setting_items(const tlr_reading *in, const config_setting_t *group, const char *name,
                            tlr_item_reader *read, const void *arg, size_t size, void *array,
                            size_t *n)
{
    const config_setting_t *list = NULL;
    tl_status status = tlr_setting_list(in, group, name, &list);
    const size_t length = list ? (size_t)config_setting_length(list) : 0;
    char *elements = calloc(length + 1, size);
    if (!elements)
        return tl_no_memory(in->err, in->path);
    memcpy(array, &elements, sizeof elements);
    for (*n = 0; *n < length && status == TL_OK; ++*n)
        status = read(arg, config_setting_get_elem(list, (unsigned)*n), elements + *n * size, *n);
    return status;
}

tl_status tlr_setting_group(const tlr_reading *in, const config_setting_t *group, const char *name,
                            const config_setting_t **out)
{
    const config_setting_t *found = config_setting_get_member(group, name);
    *out = found;
    if (found && !config_setting_is_group(found))
        return tlr_refuse(in, config_setting_source_line(found),
                          "'%s' is not in braces; write '%s = { name = value; ... };'", name, name);
    return TL_OK;
}

tl_status tlr_setting_load(const tlr_reading *in,
                           tl_status (*read)(const tlr_reading *in, const config_setting_t *root,
                                             void *arg),
                           void *arg)
{
    char *text = NULL;
    config_t config;
    TL_TRY(tlr_read_text(in->path, &text, NULL, in->err));
    config_init(&config);
    const tl_status status =
        config_read_string(&config, text) == CONFIG_TRUE
            ? read(in, config_root_setting(&config), arg)
            : tlr_refuse(in, config_error_line(&config), "%s; %s shows the form",
                         config_error_text(&config), in->manual);
    config_destroy(&config);
    free(text);
    return status;
}
