/* interfere_write.c - writes the classes of interference into a model file. */
#include "config.h"

#include "interfere.h"
#include "model_text.h"

#include <string.h>

#include <timeless_files.h>

static int add_class(config_setting_t *list, const tlp_interference *fit, const tlp_bent_class *c)
{
    config_setting_t *group = config_setting_add(list, NULL, CONFIG_TYPE_GROUP);
    if (!group || (c->from && (!tlp_set_string(group, "from", c->from) ||
                               !tlp_set_string(group, "to", c->to))))
        return 0;
    if (!tlp_set_number(group, "alone_s", c->alone_s))
        return 0;
    config_setting_t *rows = config_setting_add(group, "beside", CONFIG_TYPE_LIST);
    for (unsigned i = 0; rows && i < fit->n_rows; i++) {
        config_setting_t *row = config_setting_add(rows, NULL, CONFIG_TYPE_GROUP);
        if (!row || !tlp_set_number(row, "cores", fit->cores[i]))
            return 0;
        for (int h = 0; h < TLP_N_HOGS; h++)
            if (!tlp_set_number(row, tlp_hog_name((tlp_hog)h), c->slowdown[i][h]))
                return 0;
    }
    config_setting_t *pressure = config_setting_add(group, "acts_as", CONFIG_TYPE_GROUP);
    for (int h = 0; pressure && h < TLP_N_HOGS; h++)
        if (c->acts_as[h] > 0 && !tlp_set_number(pressure, tlp_hog_name((tlp_hog)h), c->acts_as[h]))
            return 0;
    return rows && pressure;
}

/* Whether an entry of the list is of this class. */
static int is_same(const config_setting_t *entry, const tlp_bent_class *c)
{
    const char *from = NULL, *to = NULL, *kernel = NULL;
    config_setting_lookup_string(entry, "from", &from);
    config_setting_lookup_string(entry, "to", &to);
    if (config_setting_lookup_string(entry, "kernel", &kernel) == CONFIG_TRUE)
        return 0;
    return c->from ? from && to && !strcmp(from, c->from) && !strcmp(to, c->to) : !from && !to;
}

typedef struct measured {
    const tlp_interfere_result *result;
    const tlp_interference *fit;
} measured;

static int change(config_t *config, const void *what)
{
    const tlp_interference *fit = ((const measured *)what)->fit;
    config_setting_t *root = config_root_setting(config);
    config_setting_t *group = config_setting_get_member(root, "interference");
    if (!group)
        group = config_setting_add(root, "interference", CONFIG_TYPE_GROUP);
    if (!group || !config_setting_is_group(group))
        return 0;
    config_setting_t *list = config_setting_get_member(group, "classes");
    if (!list)
        list = config_setting_add(group, "classes", CONFIG_TYPE_LIST);
    if (!list || !config_setting_is_list(list))
        return 0;
    for (int i = config_setting_length(list); i-- > 0;)
        for (size_t c = 0; c < fit->n; c++)
            if (is_same(config_setting_get_elem(list, (unsigned)i), &fit->classes[c])) {
                config_setting_remove_elem(list, (unsigned)i);
                break;
            }
    for (size_t c = 0; c < fit->n; c++)
        if (!add_class(list, fit, &fit->classes[c]))
            return 0;
    return 1;
}

static void write_origin(const void *what, FILE *out)
{
    const tlp_interfere_result *r = ((const measured *)what)->result;
    const tlp_interference *fit = ((const measured *)what)->fit;
    fprintf(out,
            "'timeless calibrate cpu --interfere' %s on %s, %u ranks on one core, seed %lu, %u "
            "repetitions in random order, medians; hogs of %zu bytes (cache) and %zu bytes "
            "(stream, chase). During it, other machines took %.1f%% of the time of all cores. Hogs "
            "beside each other are slower by (arithmetic, cache, stream, chase):",
            tl_version(), r->processor, r->n_ranks, r->seed, r->n_repetitions, r->cache_bytes,
            r->memory_bytes, 100 * r->stolen);
    for (int h = 0; h < TLP_N_HOGS; h++)
        fprintf(out, "%s %s %.3f %.3f %.3f %.3f", h ? ";" : "", tlp_hog_name((tlp_hog)h),
                fit->between[h][0], fit->between[h][1], fit->between[h][2], fit->between[h][3]);
    if (fit->is_noise_unknown)
        fputs(". One repetition does not show their noise", out);
    else
        fputs(". Standard errors of these, from the scatter of the repetitions:", out);
    for (int h = 0; h < TLP_N_HOGS && !fit->is_noise_unknown; h++)
        fprintf(out, "%s %s %.3f", h ? "," : "", tlp_hog_name((tlp_hog)h),
                tlp_interference_noise(fit, (tlp_hog)h));
    fputs(".\n", out);
}

tl_status tlp_interference_write(const tlp_interfere_result *result, const tlp_interference *fit,
                                 const char *base, const char *path, tl_error *err)
{
    char origin[400];
    const measured what = {result, fit};
    snprintf(origin, sizeof origin,
             TLP_INTERFERENCE_ORIGIN "%.200s: ", tl_printable(result->program));
    const tlp_model_change classes = {.what = &what,
                                      .change = change,
                                      .wrong =
                                          "'interference' is not a group with a list 'classes'; "
                                          "timeless-model(5) shows the form",
                                      .origin = origin,
                                      .write_origin = write_origin};
    return tlp_model_write(&classes, base, path, err);
}
