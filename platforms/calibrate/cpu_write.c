/* cpu_write.c - writes rates of bursts into a model file. */
#include "config.h"

#include "cpu.h"

#include <errno.h>
#include <libconfig.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Removes the entry of this unit from the list. */
static void remove_unit(config_setting_t *units, const char *unit)
{
    for (int i = config_setting_length(units); i-- > 0;) {
        const char *name = NULL;
        config_setting_t *group = config_setting_get_elem(units, (unsigned)i);
        if (config_setting_lookup_string(group, "unit", &name) == CONFIG_TRUE &&
            !strcmp(name, unit))
            config_setting_remove_elem(units, (unsigned)i);
    }
}

static int set_string(config_setting_t *group, const char *name, const char *value)
{
    config_setting_t *setting = config_setting_add(group, name, CONFIG_TYPE_STRING);
    return setting && config_setting_set_string(setting, value) == CONFIG_TRUE;
}

static int set_number(config_setting_t *group, const char *name, double value)
{
    config_setting_t *setting = config_setting_add(group, name, CONFIG_TYPE_FLOAT);
    return setting && config_setting_set_float(setting, value) == CONFIG_TRUE;
}

static int add_unit(config_setting_t *units, const tlp_burst_rates *rates)
{
    config_setting_t *unit = config_setting_add(units, NULL, CONFIG_TYPE_GROUP);
    config_setting_t *classes =
        unit && set_string(unit, "unit", rates->unit) &&
                set_number(unit, "seconds_per_unit", rates->seconds / rates->volume)
            ? config_setting_add(unit, "classes", CONFIG_TYPE_LIST)
            : NULL;
    for (size_t i = 0; classes && i < rates->n; i++) {
        const tlp_burst_class *c = &rates->classes[i];
        config_setting_t *group = config_setting_add(classes, NULL, CONFIG_TYPE_GROUP);
        if (!group || !set_string(group, "from", c->from) || !set_string(group, "to", c->to) ||
            !set_number(group, "seconds_per_unit", c->seconds / c->volume))
            return 0;
    }
    return classes != NULL;
}

/* Files of version 1 become files of version 2, which has the same settings and more. */
static int change(config_t *config, const tlp_burst_rates *rates)
{
    config_setting_t *root = config_root_setting(config);
    config_setting_t *units = config_setting_get_member(root, "units");
    config_setting_t *version = config_setting_get_member(root, "version");
    if (!units)
        units = config_setting_add(root, "units", CONFIG_TYPE_LIST);
    if (!version)
        version = config_setting_add(root, "version", CONFIG_TYPE_INT);
    if (!units || !config_setting_is_list(units) || !version ||
        config_setting_set_int(version, 2) != CONFIG_TRUE)
        return 0;
    remove_unit(units, rates->unit);
    return add_unit(units, rates);
}

/* ---- writing: libconfig 1.5 writes six digits behind the point, too few for nanoseconds ---- */

static void write_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
    fputc('"', out);
}

static void write_setting(FILE *out, const config_setting_t *setting, int depth);

static void write_members(FILE *out, const config_setting_t *parent, const char *behind, int depth)
{
    const int n = config_setting_length(parent);
    for (int i = 0; i < n; i++) {
        const config_setting_t *setting = config_setting_get_elem(parent, (unsigned)i);
        fprintf(out, "%*s", 2 * depth, "");
        if (config_setting_name(setting))
            fprintf(out, "%s = ", config_setting_name(setting));
        write_setting(out, setting, depth);
        fputs(i + 1 < n || *behind == ';' ? behind : "", out);
        fputc('\n', out);
    }
}

static void write_setting(FILE *out, const config_setting_t *setting, int depth)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64: fprintf(out, "%lld", config_setting_get_int64(setting)); break;
    case CONFIG_TYPE_FLOAT: fprintf(out, "%.9e", config_setting_get_float(setting)); break;
    case CONFIG_TYPE_BOOL: fputs(config_setting_get_bool(setting) ? "true" : "false", out); break;
    case CONFIG_TYPE_STRING: write_string(out, config_setting_get_string(setting)); break;
    case CONFIG_TYPE_GROUP:
        fputs("{\n", out);
        write_members(out, setting, ";", depth + 1);
        fprintf(out, "%*s}", 2 * depth, "");
        break;
    default:
        fputs(config_setting_is_array(setting) ? "[\n" : "(\n", out);
        write_members(out, setting, ",", depth + 1);
        fprintf(out, "%*s%s", 2 * depth, "", config_setting_is_array(setting) ? "]" : ")");
        break;
    }
}

/* The comment at the beginning of the file gives the origin of its numbers. */
static char *read_head(const char *path)
{
    char line[1024], *head = NULL;
    size_t size = 0;
    FILE *in = fopen(path, "r"), *out = in ? open_memstream(&head, &size) : NULL;
    while (out && fgets(line, sizeof line, in) && *line == '#')
        if (!strstr(line, "calibrate cpu'"))
            fputs(line, out);
    if (out)
        fclose(out);
    if (in)
        fclose(in);
    return head;
}

static tl_status write_file(const config_t *config, const tlp_burst_rates *rates, const char *head,
                            const char *path, tl_error *err)
{
    FILE *out = fopen(path, "w");
    int failed = !out;
    if (out) {
        fprintf(out, "%s# Rates of '%s' by call sites: 'timeless calibrate cpu' %s.\n", head,
                rates->unit, tl_version());
        write_members(out, config_root_setting(config), ";", 0);
        failed = ferror(out);
        failed |= fclose(out) != 0;
    }
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                            strerror(errno))
                  : TL_OK;
}

tl_status tlp_burst_rates_write(const tlp_burst_rates *rates, const char *base, const char *path,
                                tl_error *err)
{
    config_t config;
    config_init(&config);
    tl_status status = TL_OK;
    if (config_read_file(&config, base) != CONFIG_TRUE)
        status = config_error_type(&config) == CONFIG_ERR_FILE_IO
                     ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check the path", base,
                               strerror(errno))
                     : tl_fail(err, TL_ERR_INPUT, "%s:%d: %s; timeless-model(5) shows the form",
                               base, config_error_line(&config), config_error_text(&config));
    else if (!change(&config, rates))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: 'units' or 'version' is not what it should be; timeless-model(5) "
                         "shows the form",
                         base);
    char *head = status == TL_OK ? read_head(base) : NULL;
    if (status == TL_OK)
        status = write_file(&config, rates, head ? head : "", path, err);
    free(head);
    config_destroy(&config);
    return status;
}
