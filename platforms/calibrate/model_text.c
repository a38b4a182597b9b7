/* model_text.c - changes a model file and keeps its other settings. */
#include "config.h"

#include "model_text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* libconfig 1.5 writes six digits behind the point, too few for nanoseconds. Whole numbers are the
 * bounds of pieces, which calls at a bound must meet to the last digit. */
static void write_float(FILE *out, double number)
{
    const bool is_whole = number == rint(number) && fabs(number) < 1e15;
    fprintf(out, is_whole && number != 0 ? "%.1f" : "%.9e", number);
}

void tlp_string_write(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', out);
        fputc(*text, out);
    }
}

static void write_members(FILE *out, const config_setting_t *parent, const char *behind, int depth)
{
    const int n = config_setting_length(parent);
    for (int i = 0; i < n; i++) {
        const config_setting_t *setting = config_setting_get_elem(parent, (unsigned)i);
        fprintf(out, "%*s", 2 * depth, "");
        if (config_setting_name(setting))
            fprintf(out, "%s = ", config_setting_name(setting));
        tlp_setting_write(out, setting, depth);
        fputs(i + 1 < n || *behind == ';' ? behind : "", out);
        fputc('\n', out);
    }
}

void tlp_setting_write(FILE *out, const config_setting_t *setting, int depth)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64: fprintf(out, "%lld", config_setting_get_int64(setting)); break;
    case CONFIG_TYPE_FLOAT: write_float(out, config_setting_get_float(setting)); break;
    case CONFIG_TYPE_BOOL: fputs(config_setting_get_bool(setting) ? "true" : "false", out); break;
    case CONFIG_TYPE_STRING:
        fputc('"', out);
        tlp_string_write(out, config_setting_get_string(setting));
        fputc('"', out);
        break;
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
void tlp_model_head(const char *path, bool (*is_kept)(const char *line, const void *arg),
                    const void *arg, FILE *out)
{
    char line[1024];
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in) && *line == '#')
        if (is_kept(line, arg))
            fputs(line, out);
    if (in)
        fclose(in);
}

int tlp_set_string(config_setting_t *group, const char *name, const char *value)
{
    config_setting_t *setting = config_setting_add(group, name, CONFIG_TYPE_STRING);
    return setting && config_setting_set_string(setting, value) == CONFIG_TRUE;
}

int tlp_set_number(config_setting_t *group, const char *name, double value)
{
    config_setting_t *setting = config_setting_add(group, name, CONFIG_TYPE_FLOAT);
    return setting && config_setting_set_float(setting, value) == CONFIG_TRUE;
}

tl_status tlp_model_read(const char *path, config_t *config, tl_error *err)
{
    config_init(config);
    config_set_auto_convert(config, CONFIG_TRUE); /* whole numbers are numbers, too */
    if (config_read_file(config, path) != CONFIG_TRUE)
        return config_error_type(config) == CONFIG_ERR_FILE_IO
                   ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read: %s; check the path", path,
                             strerror(errno))
                   : tl_fail(err, TL_ERR_INPUT, "%s:%d: %s; timeless-model(5) shows the form", path,
                             config_error_line(config), config_error_text(config));
    config_setting_t *root = config_root_setting(config);
    config_setting_t *version = config_setting_get_member(root, "version");
    if (!version)
        version = config_setting_add(root, "version", CONFIG_TYPE_INT);
    return version && config_setting_set_int(version, 2) == CONFIG_TRUE
               ? TL_OK
               : tl_fail(err, TL_ERR_INPUT,
                         "%s: 'version' is not a number; timeless-model(5) shows the form", path);
}

void tlp_settings_write(FILE *out, const config_t *config,
                        bool (*is_left_out)(const char *name, const void *arg), const void *arg)
{
    const config_setting_t *root = config_root_setting(config);
    const int n = config_setting_length(root);
    for (int i = 0; i < n; i++) {
        const config_setting_t *setting = config_setting_get_elem(root, (unsigned)i);
        if (is_left_out(config_setting_name(setting), arg))
            continue;
        fprintf(out, "%s = ", config_setting_name(setting));
        tlp_setting_write(out, setting, 0);
        fputs(";\n", out);
    }
}

static bool is_same(const char *name, const void *left_out)
{
    return left_out && !strcmp(name, left_out);
}

static bool is_of_another(const char *line, const void *origin)
{
    return strncmp(line, origin, strlen(origin)) != 0;
}

tl_status tlp_model_write(const tlp_model_change *c, const char *base, const char *path,
                          tl_error *err)
{
    config_t config;
    tl_output out = {0};
    tl_status status = tlp_model_read(base, &config, err);
    if (status == TL_OK && c->change && !c->change(&config, c->what))
        status = tl_fail(err, TL_ERR_INPUT, "%s: %s", base, c->wrong);
    if (status == TL_OK)
        status = tl_output_open(path, &out, err);
    if (status == TL_OK) {
        tlp_model_head(base, is_of_another, c->origin, out.file);
        fputs(c->origin, out.file);
        c->write_origin(c->what, out.file);
        tlp_settings_write(out.file, &config, is_same, c->left_out);
        if (c->write_tail)
            c->write_tail(&config, c->what, out.file);
        status = tl_output_close(&out, path, TL_OK, err);
    }
    config_destroy(&config);
    return status;
}
