/* kept.c - what a model file keeps when its kernels are measured again. */
#include "config.h"

#include "calibrate.h"
#include "model_text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What 'calibrate kernels' measures itself. */
static int is_replaced(const char *name, const void *nothing)
{
    (void)nothing;
    static const char *const names[] = {"version", "reference_flops", "units",
                                        "kernels", "hosts",           "kernel_threads"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return 1;
    return 0;
}

/* Units with rates by call site: 'calibrate cpu' measured them on the program itself. */
static void keep_units(const config_setting_t *units, FILE *out, int *has_instructions)
{
    const int n = units ? config_setting_length(units) : 0;
    for (int i = 0; i < n; i++) {
        const config_setting_t *unit = config_setting_get_elem(units, (unsigned)i);
        const char *name = NULL;
        if (!config_setting_get_member(unit, "classes") ||
            config_setting_lookup_string(unit, "unit", &name) != CONFIG_TRUE ||
            !strcmp(name, "cpu-ns"))
            continue;
        *has_instructions |= !strcmp(name, "instructions");
        fputs(",\n  ", out);
        tlp_setting_write(out, unit, 1);
    }
}

static char *text_of(const config_t *config, int is_units, int *has_instructions)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    if (is_units)
        keep_units(config_lookup(config, "units"), out, has_instructions);
    else
        tlp_settings_write(out, config, is_replaced, NULL);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The lines of the head on what the other calibrations measured. */
static char *origins_of(const char *path)
{
    static const char *const others[] = {TLP_RATES_ORIGIN, TLP_PARALLEL_ORIGIN,
                                         TLP_INTERFERENCE_ORIGIN};
    char *head = NULL, *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&head, &size);
    if (!out)
        return NULL;
    tlp_model_head(path, "\n", out); /* no comment begins so */
    fclose(out);
    out = head ? open_memstream(&text, &size) : NULL;
    for (char *rest = head, *line; out && (line = strsep(&rest, "\n"));)
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            if (!strncmp(line, others[i], strlen(others[i])))
                fprintf(out, "%s\n", line);
    free(head);
    return out && fclose(out) == 0 ? text : NULL;
}

tl_status tlp_kept_read(const char *path, tlp_kept *out, tl_error *err)
{
    config_t config;
    *out = (tlp_kept){0};
    if (access(path, F_OK) != 0)
        return TL_OK;
    tl_status status = tlp_model_read(path, &config, err);
    if (status == TL_OK) {
        out->units = text_of(&config, 1, &out->has_instructions);
        out->settings = text_of(&config, 0, NULL);
        out->origins = origins_of(path);
        if (!out->units || !out->settings || !out->origins)
            status = tl_no_memory(err, path);
    }
    config_destroy(&config);
    return status;
}

void tlp_kept_clear(tlp_kept *kept)
{
    free(kept->units);
    free(kept->settings);
    free(kept->origins);
    *kept = (tlp_kept){0};
}
