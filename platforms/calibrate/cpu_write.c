/* cpu_write.c - writes rates of bursts into a model file. */
#include "config.h"

#include "cpu.h"
#include "model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

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

/* Adds the rates in place of those that the model has of this unit. */
static int change(config_t *config, const tlp_burst_rates *rates)
{
    config_setting_t *root = config_root_setting(config);
    config_setting_t *units = config_setting_get_member(root, "units");
    if (!units)
        units = config_setting_add(root, "units", CONFIG_TYPE_LIST);
    if (!units || !config_setting_is_list(units))
        return 0;
    remove_unit(units, rates->unit);
    return add_unit(units, rates);
}

/* Puts a line on the measurement behind the head of the model, in place of that of this unit.
 * tl_printable has one buffer for the next text. NULL without memory. */
static char *write_head(const tlp_burst_rates *rates, const char *base)
{
    enum { MOST_SHOWN = 200 }; /* the reader of heads takes lines of 1,000 bytes */
    char ours[128], *kept, *head = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&head, &size);
    if (!out)
        return NULL;
    snprintf(ours, sizeof ours, TLP_RATES_ORIGIN "%.64s' by call sites: ", rates->unit);
    kept = tlp_model_head(base, ours);
    fprintf(out, "%s%s'timeless calibrate cpu' %s, ", kept ? kept : "", ours, tl_version());
    fprintf(out, "%.*s on %u rank%s, ", MOST_SHOWN, tl_printable(rates->program), rates->n_ranks,
            rates->n_ranks == 1 ? "" : "s");
    fprintf(out,
            "counted by %.*s: %zu classes with %.1f%% of the CPU time of one run; of others, the "
            "mean rate. Not repeated, so no error is known.\n",
            MOST_SHOWN, tl_printable(rates->source), rates->n,
            100 * rates->matched_s / rates->seconds);
    free(kept);
    if (fclose(out) == 0)
        return head;
    free(head);
    return NULL;
}

tl_status tlp_burst_rates_write(const tlp_burst_rates *rates, const char *base, const char *path,
                                tl_error *err)
{
    config_t config;
    char *head = NULL;
    tl_status status = tlp_model_read(base, &config, err);
    if (status == TL_OK && !change(&config, rates))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: 'units' is not a list; timeless-model(5) shows the form", base);
    if (status == TL_OK && !(head = write_head(rates, base)))
        status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
    if (status == TL_OK)
        status = tlp_model_write(&config, head, NULL, path, err);
    free(head);
    config_destroy(&config);
    return status;
}
