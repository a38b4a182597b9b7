/* cpu_write.c - writes rates of bursts into a model file. */
#include "config.h"

#include "cpu.h"
#include "model_text.h"

#include <stdio.h>
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

static int add_unit(config_setting_t *units, const tlp_burst_rates *rates)
{
    config_setting_t *unit = config_setting_add(units, NULL, CONFIG_TYPE_GROUP);
    config_setting_t *classes =
        unit && tlp_set_string(unit, "unit", rates->unit) &&
                tlp_set_number(unit, "seconds_per_unit", rates->seconds / rates->volume)
            ? config_setting_add(unit, "classes", CONFIG_TYPE_LIST)
            : NULL;
    for (size_t i = 0; classes && i < rates->n; i++) {
        const tlp_burst_class *c = &rates->classes[i];
        config_setting_t *group = config_setting_add(classes, NULL, CONFIG_TYPE_GROUP);
        if (!group || !tlp_set_string(group, "from", c->from) ||
            !tlp_set_string(group, "to", c->to) ||
            !tlp_set_number(group, "seconds_per_unit", c->seconds / c->volume))
            return 0;
    }
    return classes != NULL;
}

/* Adds the rates in place of those that the model has of this unit. */
static int change(config_t *config, const void *what)
{
    const tlp_burst_rates *rates = what;
    config_setting_t *root = config_root_setting(config);
    config_setting_t *units = config_setting_get_member(root, "units");
    if (!units)
        units = config_setting_add(root, "units", CONFIG_TYPE_LIST);
    if (!units || !config_setting_is_list(units))
        return 0;
    remove_unit(units, rates->unit);
    return add_unit(units, rates);
}

/* tl_printable has one buffer for the next text. */
static void write_origin(const void *what, FILE *out)
{
    enum { MOST_SHOWN = 200 }; /* the reader of heads takes lines of 1,000 bytes */
    const tlp_burst_rates *rates = what;
    fprintf(out, "'timeless calibrate cpu' %s, ", tl_version());
    fprintf(out, "%.*s on %u rank%s, ", MOST_SHOWN, tl_printable(rates->program), rates->n_ranks,
            rates->n_ranks == 1 ? "" : "s");
    fprintf(out,
            "counted by %.*s: %zu classes with %.1f%% of the CPU time of one run; of others, the "
            "mean rate. Not repeated, so no error is known.\n",
            MOST_SHOWN, tl_printable(rates->source), rates->n,
            100 * rates->matched_s / rates->seconds);
}

tl_status tlp_burst_rates_write(const tlp_burst_rates *rates, const char *base, const char *path,
                                tl_error *err)
{
    char origin[128];
    snprintf(origin, sizeof origin, TLP_RATES_ORIGIN "%.64s' by call sites: ", rates->unit);
    const tlp_model_change rate_change = {
        .what = rates,
        .change = change,
        .wrong = "'units' is not a list; timeless-model(5) shows the form",
        .origin = origin,
        .write_origin = write_origin};
    return tlp_model_write(&rate_change, base, path, err);
}
