/* model.c - the compute model: a rate per unit of volume, and for each kernel a line over its
 * leading operation count.  The line is modelling option M-1 of Cornebize (thesis draft, section
 * 4.1: T ~ alpha S + beta with S = M N K); as in "Emulating HPL at supercomputer scale", section
 * V-A, the kernel's sizes alone tell its time. */
#include "replayer.h"

#include "text_file.h"

#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reading one file: where it stands for messages. */
typedef struct reading {
    const char *path;
    tl_error *err;
} reading;

static const char *const top_names[] = {"reference_flops", "seconds_per_flop", "units", "kernels",
                                        NULL};
static const char *const unit_names[] = {"unit", "seconds_per_unit", NULL};
static const char *const kernel_names[] = {"kernel",    "intercept_s",  "per_work_s", "samples",
                                           "r_squared", "median_error", NULL};

/* "user:assemble": a kernel of the program. */
#define USER_PREFIX "user:"

/* Refuses what stands in a line of the file. */
#define refuse(in, line, format, ...)                                                              \
    tl_fail((in)->err, TL_ERR_INPUT, "%s:%d: " format, (in)->path, line, ##__VA_ARGS__)

/* Refuses settings that nobody reads: a misspelt name must not be lost. */
static tl_status check_names(const reading *in, const config_setting_t *group,
                             const char *const *known)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        const char *const *k = known;
        while (*k && (!name || strcmp(*k, name) != 0))
            k++;
        if (!*k)
            return refuse(in, config_setting_source_line(setting),
                          "unknown setting '%s'; timeless-model(5) lists the settings",
                          name ? name : "");
    }
    return TL_OK;
}

/* A required number that is finite and at least 0. */
static tl_status get_number(const reading *in, const config_setting_t *group, const char *name,
                            double *out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    if (!setting)
        return refuse(in, config_setting_source_line(group), "'%s' is missing; add '%s = NUMBER;'",
                      name, name);
    if (!config_setting_is_number(setting))
        return refuse(in, config_setting_source_line(setting), "'%s' is not a number; give one",
                      name);
    double value = config_setting_type(setting) == CONFIG_TYPE_FLOAT
                       ? config_setting_get_float(setting)
                       : (double)config_setting_get_int64(setting);
    if (!isfinite(value) || value < 0)
        return refuse(in, config_setting_source_line(setting),
                      "'%s' is %g; give a finite number that is not negative", name, value);
    *out = value;
    return TL_OK;
}

static tl_status get_string(const reading *in, const config_setting_t *group, const char *name,
                            const char **out)
{
    const config_setting_t *setting = config_setting_get_member(group, name);
    const char *value = setting ? config_setting_get_string(setting) : NULL;
    if (!value || !*value)
        return refuse(in, config_setting_source_line(setting ? setting : group),
                      "'%s' is missing or not a string; add '%s = \"...\";'", name, name);
    *out = value;
    return TL_OK;
}

/* The list `name` of groups; *out is NULL when the file has none. */
static tl_status get_list(const reading *in, const config_setting_t *root, const char *name,
                          const config_setting_t **out)
{
    const config_setting_t *list = config_setting_get_member(root, name);
    *out = list;
    if (!list)
        return TL_OK;
    if (!config_setting_is_list(list))
        return refuse(in, config_setting_source_line(list),
                      "'%s' is not a list; write '%s = ( { ... }, ... );'", name, name);
    for (int i = 0; i < config_setting_length(list); i++) {
        const config_setting_t *group = config_setting_get_elem(list, (unsigned)i);
        if (!config_setting_is_group(group))
            return refuse(in, config_setting_source_line(group),
                          "an entry of '%s' is not in braces; write '{ name = value; ... }'", name);
    }
    return TL_OK;
}

static tl_status read_unit(const reading *in, const config_setting_t *group, tlr_model *model)
{
    const char *name = NULL;
    double rate = 0;
    tl_status status = check_names(in, group, unit_names);
    if (status == TL_OK)
        status = get_string(in, group, "unit", &name);
    if (status == TL_OK)
        status = get_number(in, group, "seconds_per_unit", &rate);
    if (status != TL_OK)
        return status;
    if (tlr_model_unit_s(model, name) >= 0)
        return refuse(in, config_setting_source_line(group),
                      "unit '%s' stands here a second time; remove one", name);
    char *copy = strdup(name);
    if (!copy)
        return tl_fail(in->err, TL_ERR_MEMORY, "%s: out of memory", in->path);
    model->units[model->n_units].unit = copy;
    model->units[model->n_units].s_per_unit = rate;
    model->n_units++;
    return TL_OK;
}

static tl_status read_units(const reading *in, const config_setting_t *root, tlr_model *model)
{
    const config_setting_t *list = NULL;
    tl_status status = get_list(in, root, "units", &list);
    if (status != TL_OK || !list)
        return status;
    int n = config_setting_length(list);
    model->units = calloc((size_t)n + 1, sizeof *model->units);
    if (!model->units)
        return tl_fail(in->err, TL_ERR_MEMORY, "%s: out of memory", in->path);
    for (int i = 0; i < n && status == TL_OK; i++)
        status = read_unit(in, config_setting_get_elem(list, (unsigned)i), model);
    return status;
}

/* `user` NULL: it is no kernel of the program. */
static int is_line_of(const tlr_kernel_model *line, uint16_t call, const char *user)
{
    if (line->call != call || !line->user != !user)
        return 0;
    return !line->user || !user || !strcmp(line->user, user);
}

static tl_status read_kernel(const reading *in, const config_setting_t *group, tlr_model *model)
{
    const char *name = NULL;
    tlr_kernel_model kernel = {0};
    tl_status status = check_names(in, group, kernel_names);
    if (status == TL_OK)
        status = get_string(in, group, "kernel", &name);
    if (status == TL_OK)
        status = get_number(in, group, "intercept_s", &kernel.intercept_s);
    if (status == TL_OK)
        status = get_number(in, group, "per_work_s", &kernel.per_work_s);
    if (status != TL_OK)
        return status;
    const char *user =
        !strncmp(name, USER_PREFIX, strlen(USER_PREFIX)) ? strchr(name, ':') + 1 : NULL;
    const tl_call_info *call = user ? tl_call_by_code(TL_KERNEL_user) : tl_call_by_name(name);
    if (!call || call->action != TL_ACTION_KERNEL || (!user && call->code == TL_KERNEL_user))
        return refuse(in, config_setting_source_line(group),
                      "'%s' is no kernel that traces record; timeless-model(5) lists them", name);
    for (size_t i = 0; i < model->n_kernels; i++)
        if (is_line_of(&model->kernels[i], call->code, user))
            return refuse(in, config_setting_source_line(group),
                          "kernel '%s' stands here a second time; remove one", name);
    kernel.call = call->code;
    kernel.user = user ? strdup(user) : NULL;
    if (user && !kernel.user)
        return tl_fail(in->err, TL_ERR_MEMORY, "%s: out of memory", in->path);
    model->kernels[model->n_kernels++] = kernel;
    return TL_OK;
}

static tl_status read_kernels(const reading *in, const config_setting_t *root, tlr_model *model)
{
    const config_setting_t *list = NULL;
    tl_status status = get_list(in, root, "kernels", &list);
    if (status != TL_OK || !list)
        return status;
    int n = config_setting_length(list);
    model->kernels = calloc((size_t)n + 1, sizeof *model->kernels);
    if (!model->kernels)
        return tl_fail(in->err, TL_ERR_MEMORY, "%s: out of memory", in->path);
    for (int i = 0; i < n && status == TL_OK; i++)
        status = read_kernel(in, config_setting_get_elem(list, (unsigned)i), model);
    return status;
}

static tl_status read_model(const reading *in, const config_setting_t *root, tlr_model *model)
{
    tl_status status = check_names(in, root, top_names);
    if (status == TL_OK)
        status = get_number(in, root, "reference_flops", &model->reference_flops);
    if (status == TL_OK && model->reference_flops == 0)
        status = refuse(
            in, config_setting_source_line(config_setting_get_member(root, "reference_flops")),
            "'reference_flops' is 0; give the speed of the host it was measured on");
    if (status == TL_OK)
        status = read_units(in, root, model);
    if (status == TL_OK)
        status = read_kernels(in, root, model);
    model->s_per_flop = -1;
    if (status == TL_OK && config_setting_get_member(root, "seconds_per_flop"))
        status = get_number(in, root, "seconds_per_flop", &model->s_per_flop);
    return status;
}

tl_status tlr_model_load(const char *path, tlr_model **out, tl_error *err)
{
    const reading in = {path, err};
    tlr_model *model = NULL;
    char *text = NULL;
    config_t config;
    config_init(&config);
    tl_status status = tlr_read_text(path, &text, NULL, err);
    if (status != TL_OK)
        goto cleanup;
    if (config_read_string(&config, text) != CONFIG_TRUE) {
        status = refuse(&in, config_error_line(&config), "%s; timeless-model(5) shows the form",
                        config_error_text(&config));
        goto cleanup;
    }
    model = calloc(1, sizeof *model);
    char *copy = strdup(path);
    if (!model || !copy) {
        free(copy);
        status = tl_fail(err, TL_ERR_MEMORY, "%s: out of memory", path);
        goto cleanup;
    }
    model->path = copy;
    status = read_model(&in, config_root_setting(&config), model);
    if (status == TL_OK) {
        *out = model;
        model = NULL;
    }
cleanup:
    tlr_model_free(model);
    config_destroy(&config);
    free(text);
    return status;
}

void tlr_model_free(tlr_model *model)
{
    if (!model)
        return;
    for (size_t i = 0; i < model->n_units; i++)
        free(model->units[i].unit);
    free(model->units);
    for (size_t i = 0; i < model->n_kernels; i++)
        free(model->kernels[i].user);
    free(model->kernels);
    free(model->path);
    free(model);
}

double tlr_model_unit_s(const tlr_model *model, const char *unit)
{
    for (size_t i = 0; i < model->n_units; i++)
        if (!strcmp(model->units[i].unit, unit))
            return model->units[i].s_per_unit;
    return -1;
}

double tlr_model_kernel_s(const tlr_model *model, const tl_reader *trace, uint32_t rank,
                          const tl_event *kernel)
{
    const char *user =
        kernel->call == TL_KERNEL_user ? tl_reader_kernel_name(trace, rank, kernel) : NULL;
    const double work = tl_kernel_work(kernel->call, kernel->list, kernel->list_len);
    for (size_t i = 0; i < model->n_kernels; i++) {
        const tlr_kernel_model *line = &model->kernels[i];
        if (!is_line_of(line, kernel->call, user))
            continue;
        /* An empty call returns at once.  HPL makes thousands of them while it polls for a panel.
         */
        return work > 0 ? line->intercept_s + line->per_work_s * work : 0;
    }
    const double flops_per_work = tl_kernel_flops_per_work(kernel->call);
    return model->s_per_flop >= 0 && flops_per_work > 0 ? model->s_per_flop * flops_per_work * work
                                                        : -1;
}
