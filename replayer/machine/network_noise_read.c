/* network_noise_read.c - reads noise.conf, the noise of a platform's messages. */
#include "network_noise.h"

#include <math.h>
#include <stdlib.h>

#include "setting.h"

/* What weights may differ from 1, because they are written with four decimal places. */
#define WEIGHTS_APART 0.005
/* With more, three standard deviations of the factor of a run would leave little of its messages.
 */
#define MOST_RUN_SD 0.3
/* The windows of the engine 'loggops' get as much shorter. With tiny ones it handles each message
 * by itself: ten times the time, and more with many ranks. */
#define LEAST_FACTOR 0.01

static const char *const top_names[] = {"between", "within", "between_run_sd", "within_run_sd",
                                        NULL};
static const char *const class_names[] = {"above_bytes", "samples", "least",
                                          "run_sd",      "modes",   NULL};

/* One number of a mode; *out is not changed if it is none, or not finite. */
static int read_element(const config_setting_t *mode, int i, double *out)
{
    const config_setting_t *element = config_setting_get_elem(mode, (unsigned)i);
    const int type = config_setting_type(element);
    double value = NAN;
    if (type == CONFIG_TYPE_FLOAT)
        value = config_setting_get_float(element);
    else if (type == CONFIG_TYPE_INT || type == CONFIG_TYPE_INT64)
        value = (double)config_setting_get_int64(element);
    if (!isfinite(value))
        return 0;
    *out = value;
    return 1;
}

static tl_status read_mode(const tlr_reading *in, const config_setting_t *mode, double least,
                           tlr_mode *out)
{
    const int line = config_setting_source_line(mode);
    if (!config_setting_is_aggregate(mode) || config_setting_length(mode) != 3 ||
        !read_element(mode, 0, &out->weight) || !read_element(mode, 1, &out->mean) ||
        !read_element(mode, 2, &out->sd))
        return tlr_refuse(in, line, "not a mode; write three numbers, [ WEIGHT, MEAN, SD ]");
    if (out->weight < 0 || out->weight > 1)
        return tlr_refuse(in, line, "the weight %g of a mode is not from 0 to 1; correct it",
                          out->weight);
    if (out->mean < least)
        return tlr_refuse(in, line, "the mean %g of a mode is below 'least', %g; correct one",
                          out->mean, least);
    if (out->sd < 0)
        return tlr_refuse(in, line, "the deviation %g of a mode is negative; correct it", out->sd);
    return TL_OK;
}

static tl_status read_modes(const tlr_reading *in, const config_setting_t *group,
                            tlr_noise_class *out)
{
    const config_setting_t *list = config_setting_get_member(group, "modes");
    const int line = config_setting_source_line(group);
    const int n = list && config_setting_is_list(list) ? config_setting_length(list) : 0;
    double sum = 0;
    if (n < 1 || n > TLR_MAX_MODES)
        return tlr_refuse(in, line,
                          "'modes' is not a list of 1 to %d modes; write modes = ( [ 1.0, 1.0, "
                          "0.02 ] );",
                          TLR_MAX_MODES);
    for (int i = 0; i < n; i++) {
        const config_setting_t *mode = config_setting_get_elem(list, (unsigned)i);
        TL_TRY(read_mode(in, mode, out->least, &out->modes[i]));
        sum += out->modes[i].weight;
    }
    if (!(fabs(sum - 1) <= WEIGHTS_APART))
        return tlr_refuse(in, line, "the weights of the modes have the sum %g, not 1; correct them",
                          sum);
    for (int i = 0; i < n; i++)
        out->modes[i].weight /= sum;
    out->n_modes = (size_t)n;
    return TL_OK;
}

/* *out is not changed if the group does not state it. */
static tl_status read_run(const tlr_reading *in, const config_setting_t *group, const char *name,
                          double *out)
{
    const tl_status status = tlr_setting_optional(in, group, name, 0, out);
    if (status != TL_OK || *out <= MOST_RUN_SD)
        return status;
    return tlr_refuse(in, config_setting_source_line(config_setting_get_member(group, name)),
                      "'%s' is %g; give at most %g", name, *out, MOST_RUN_SD);
}

/* The file, and a path of it. */
typedef struct path_reading {
    const tlr_reading *in;
    const tlr_noise_path *path;
} path_reading;

static tl_status read_class(const void *reading, const config_setting_t *group, void *element,
                            size_t i)
{
    const path_reading *of = reading;
    const tlr_reading *in = of->in;
    tlr_noise_class *out = element;
    const tlr_noise_class *before = i ? out - 1 : NULL;
    const int line = config_setting_source_line(group);
    double samples = 0;
    out->run_sd = of->path->run_sd;
    TL_TRY(tlr_setting_check(in, group, class_names, NULL));
    TL_TRY(tlr_setting_number(in, group, "above_bytes", 0, &out->above_bytes));
    TL_TRY(tlr_setting_optional(in, group, "samples", 0, &samples));
    TL_TRY(tlr_setting_number(in, group, "least", 0, &out->least));
    TL_TRY(read_run(in, group, "run_sd", &out->run_sd));
    if (before ? out->above_bytes <= before->above_bytes : out->above_bytes != 0)
        return tlr_refuse(in, line,
                          "'above_bytes' does not begin with 0 and rise; sort the classes");
    if (!(out->least >= LEAST_FACTOR && out->least <= 1))
        return tlr_refuse(in, line, "'least' is %g; give a factor from %g to 1", out->least,
                          LEAST_FACTOR);
    return read_modes(in, group, out);
}

static tl_status read_path(const tlr_reading *in, const config_setting_t *root, const char *name,
                           const char *run_name, tlr_noise_path *out)
{
    const path_reading of = {in, out};
    TL_TRY(read_run(in, root, run_name, &out->run_sd));
    return tlr_setting_items(in, root, name, read_class, &of, sizeof *out->classes, &out->classes,
                             &out->n);
}

static tl_status read_noise(const tlr_reading *in, const config_setting_t *root, void *noise)
{
    tlr_noise_path *paths = ((tlr_network_noise *)noise)->paths;
    TL_TRY(tlr_setting_check(in, root, top_names, NULL));
    TL_TRY(read_path(in, root, "between", "between_run_sd", &paths[TLR_BETWEEN_HOSTS]));
    return read_path(in, root, "within", "within_run_sd", &paths[TLR_WITHIN_HOST]);
}

tl_status tlr_network_noise_load(const char *path, tlr_network_noise **out, tl_error *err)
{
    const tlr_reading in = {path, "timeless-platform(5)", err};
    tlr_network_noise *noise = calloc(1, sizeof *noise);
    const tl_status status =
        noise ? tlr_setting_load(&in, read_noise, noise) : tl_no_memory(err, path);
    if (status == TL_OK)
        *out = noise;
    else
        tlr_network_noise_free(noise);
    return status;
}
