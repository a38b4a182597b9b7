/* model_read.c - read a compute model from its file. */
#include "rank_model.h"
#include "setting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { NEWEST_VERSION = 2 };

/* The settings of files of version 1, which may leave out the version, and of version 2. */
static const char *const top_names[][11] = {
    {"version", "reference_flops", "seconds_per_flop", "units", "kernels"},
    {"version", "reference_flops", "seconds_per_flop", "units", "kernels", "hosts", "variability",
     "parallel", "kernel_threads", "interference"}};
static const char *const unit_names[][5] = {{"unit", "seconds_per_unit"},
                                            {"unit", "seconds_per_unit", "relative_sd", "classes"}};
static const char *const class_names[] = {"from", "to", "seconds_per_unit", NULL};
static const char *const kernel_names[][20] = {
    {"kernel", "intercept_s", "per_work_s", "samples", "r_squared", "median_error"},
    {"kernel", "intercept_s", "per_work_s", "samples", "r_squared", "median_error", "model",
     "seconds", "noise", "pieces", "host_sd", "day_sd"}};
static const char *const piece_names[] = {"side", "min", "max", "seconds", "noise", NULL};
static const char *const noise_names[] = {"shape", "sd", "modes", NULL};
static const char *const mode_names[] = {"weight", "mean", "sd", NULL};
static const char *const host_names[] = {"hosts", "factor", "units", "kernels", NULL};
static const char *const variability_names[] = {"host_sd", "day_sd", NULL};
static const char *const bound_names[] = {"m", "n", "k", "work", NULL};
static const char *const term_names[] = {
#define TL_TERM(name, expression) #name,
#include <terms.def>
    NULL};

/* "user:assemble": a kernel of the program. */
#define USER_PREFIX "user:"

typedef struct model_reading {
    tlr_reading in;
    int version;
    tlr_model *model;
    tlr_rates *rates; /* at hand */
} model_reading;

/* ---- units ---- */

static tl_status read_class(const void *reading, const config_setting_t *group, void *element,
                            size_t i)
{
    const model_reading *m = reading;
    tlr_burst_class *out = element;
    const char *from = NULL, *to = NULL;
    (void)i;
    TL_TRY(tlr_setting_check(&m->in, group, class_names, NULL));
    TL_TRY(tlr_setting_string(&m->in, group, "from", &from));
    TL_TRY(tlr_setting_string(&m->in, group, "to", &to));
    TL_TRY(tlr_setting_number(&m->in, group, "seconds_per_unit", 0, &out->s_per_unit));
    out->from = strdup(from);
    out->to = strdup(to);
    return out->from && out->to ? TL_OK : tl_no_memory(m->in.err, m->in.path);
}

static tl_status read_classes(const model_reading *m, const config_setting_t *group,
                              tlr_unit_rate *unit)
{
    TL_TRY(tlr_setting_items(&m->in, group, "classes", read_class, m, sizeof *unit->classes,
                             &unit->classes, &unit->n_classes));
    qsort(unit->classes, unit->n_classes, sizeof *unit->classes, tlr_compare_classes);
    for (size_t i = 1; i < unit->n_classes; i++)
        if (tlr_compare_classes(&unit->classes[i - 1], &unit->classes[i]) == 0)
            return tlr_refuse(
                &m->in, config_setting_source_line(config_setting_get_member(group, "classes")),
                "the bursts from '%s' to '%s' appear twice; remove one", unit->classes[i].from,
                unit->classes[i].to);
    return TL_OK;
}

/* An incomplete element is freed with the model, too. */
static tl_status read_unit(const void *reading, const config_setting_t *group, void *element,
                           size_t i)
{
    const model_reading *m = reading;
    const char *name = NULL;
    tlr_unit_rate *rate = element;
    (void)i;
    TL_TRY(tlr_setting_check(&m->in, group, unit_names[m->version - 1], unit_names[1]));
    TL_TRY(tlr_setting_string(&m->in, group, "unit", &name));
    TL_TRY(tlr_setting_number(&m->in, group, "seconds_per_unit", 0, &rate->s_per_unit));
    TL_TRY(tlr_setting_optional(&m->in, group, "relative_sd", 0, &rate->relative_sd));
    if (tlr_rates_unit(m->rates, name))
        return tlr_refuse(&m->in, config_setting_source_line(group),
                          "the unit '%s' appears twice; remove one", name);
    if (!(rate->unit = strdup(name)))
        return tl_no_memory(m->in.err, m->in.path);
    m->model->is_random |= rate->relative_sd > 0;
    return read_classes(m, group, rate);
}

/* ---- kernels ---- */

/* The group `name` of coefficients; coefficients that are absent are 0. */
static tl_status read_terms(const model_reading *m, const config_setting_t *group, const char *name,
                            double min, double *out)
{
    const config_setting_t *terms = NULL;
    TL_TRY(tlr_setting_group(&m->in, group, name, &terms));
    if (!terms)
        return tlr_refuse(&m->in, config_setting_source_line(group),
                          "'%s' is missing; add '%s = { work = NUMBER; ... };'", name, name);
    TL_TRY(tlr_setting_check(&m->in, terms, term_names, NULL));
    for (int t = 0; t < TLR_N_TERMS; t++)
        TL_TRY(tlr_setting_optional(&m->in, terms, term_names[t], min, &out[t]));
    return TL_OK;
}

/* Shifts and scales the modes to mean 0 and standard deviation 1, because the file gives the mean
 * of a call by its seconds. */
static tl_status standardise(const model_reading *m, const config_setting_t *list, tlr_piece *piece)
{
    double weight = 0, mean = 0, square = 0;
    for (size_t i = 0; i < piece->n_modes; i++)
        weight += piece->modes[i].weight;
    for (size_t i = 0; i < piece->n_modes; i++) {
        tlr_mode *mode = &piece->modes[i];
        mode->weight /= weight;
        mean += mode->weight * mode->mean;
        square += mode->weight * (mode->mean * mode->mean + mode->sd * mode->sd);
    }
    const double sd = sqrt(square - mean * mean);
    if (!(weight > 0) || !(sd > 0))
        return tlr_refuse(&m->in, config_setting_source_line(list),
                          "the modes have no weight or no spread; give modes that differ");
    for (size_t i = 0; i < piece->n_modes; i++) {
        piece->modes[i].mean = (piece->modes[i].mean - mean) / sd;
        piece->modes[i].sd /= sd;
    }
    return TL_OK;
}

static tl_status read_modes(const model_reading *m, const config_setting_t *noise, tlr_piece *piece)
{
    const config_setting_t *list = NULL;
    TL_TRY(tlr_setting_list(&m->in, noise, "modes", &list));
    const int n = list ? config_setting_length(list) : 0;
    if (n < 1 || n > TLR_MAX_MODES)
        return tlr_refuse(&m->in, config_setting_source_line(noise),
                          "a mixture has 1 to %d modes; write 'modes = ( { weight = 0.9; mean = "
                          "0.0; sd = 1.0; }, ... );'",
                          TLR_MAX_MODES);
    for (int i = 0; i < n; i++) {
        const config_setting_t *mode = config_setting_get_elem(list, (unsigned)i);
        tlr_mode *to = &piece->modes[piece->n_modes++];
        TL_TRY(tlr_setting_check(&m->in, mode, mode_names, NULL));
        TL_TRY(tlr_setting_number(&m->in, mode, "weight", 0, &to->weight));
        TL_TRY(tlr_setting_number(&m->in, mode, "mean", -INFINITY, &to->mean));
        TL_TRY(tlr_setting_number(&m->in, mode, "sd", 0, &to->sd));
    }
    return standardise(m, list, piece);
}

/* A fit may have negative terms. But a polynomial without a positive term is no standard deviation.
 */
static bool is_never_positive(const double *coefficients)
{
    bool is_negative = 0;
    for (int t = 0; t < TLR_N_TERMS; t++) {
        if (coefficients[t] > 0)
            return 0;
        is_negative |= coefficients[t] < 0;
    }
    return is_negative;
}

static tl_status read_noise(const model_reading *m, const config_setting_t *group, tlr_piece *piece)
{
    static const struct {
        const char *name;
        tlr_shape shape;
    } shapes[] = {
        {"normal", TLR_NORMAL}, {"half-normal", TLR_HALF_NORMAL}, {"mixture", TLR_MIXTURE}};
    const config_setting_t *noise = NULL;
    const char *name = NULL;
    TL_TRY(tlr_setting_group(&m->in, group, "noise", &noise));
    if (!noise)
        return TL_OK;
    TL_TRY(tlr_setting_check(&m->in, noise, noise_names, NULL));
    TL_TRY(tlr_setting_string(&m->in, noise, "shape", &name));
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!strcmp(shapes[i].name, name))
            piece->shape = shapes[i].shape;
    if (piece->shape == TLR_NO_NOISE)
        return tlr_refuse(&m->in, config_setting_source_line(noise),
                          "shape '%s' is unknown; give normal, half-normal or mixture", name);
    m->model->is_random = 1;
    TL_TRY(read_terms(m, noise, "sd", -INFINITY, piece->sd_s));
    if (is_never_positive(piece->sd_s))
        return tlr_refuse(&m->in, config_setting_source_line(noise),
                          "no coefficient of 'sd' is positive; give one that is");
    if (piece->shape == TLR_MIXTURE)
        TL_TRY(read_modes(m, noise, piece));
    return TL_OK;
}

static tl_status read_bounds(const model_reading *m, const config_setting_t *group,
                             const char *name, double *bounds)
{
    const config_setting_t *found = NULL;
    tl_status status = tlr_setting_group(&m->in, group, name, &found);
    if (status != TL_OK || !found)
        return status;
    TL_TRY(tlr_setting_check(&m->in, found, bound_names, NULL));
    for (int b = 0; b < TLR_N_BOUNDS; b++)
        TL_TRY(tlr_setting_optional(&m->in, found, bound_names[b], 0, &bounds[b]));
    return TL_OK;
}

static tl_status read_side(const model_reading *m, const config_setting_t *group, tlr_piece *piece)
{
    const char *side = NULL;
    if (!config_setting_get_member(group, "side"))
        return TL_OK;
    TL_TRY(tlr_setting_string(&m->in, group, "side", &side));
    if (strcmp(side, "left") != 0 && strcmp(side, "right") != 0)
        return tlr_refuse(&m->in, config_setting_source_line(group),
                          "side '%s' is unknown; give left or right", side);
    piece->side = side[0];
    return TL_OK;
}

static void unbound(tlr_piece *piece)
{
    for (int b = 0; b < TLR_N_BOUNDS; b++)
        piece->max[b] = INFINITY;
}

static tl_status read_piece(const void *reading, const config_setting_t *group, void *element,
                            size_t i)
{
    const model_reading *m = reading;
    tlr_piece *piece = element;
    (void)i;
    unbound(piece);
    TL_TRY(tlr_setting_check(&m->in, group, piece_names, NULL));
    TL_TRY(read_side(m, group, piece));
    TL_TRY(read_bounds(m, group, "min", piece->min));
    TL_TRY(read_bounds(m, group, "max", piece->max));
    TL_TRY(read_terms(m, group, "seconds", -INFINITY, piece->mean_s));
    return read_noise(m, group, piece);
}

/* Reads intercept_s and per_work_s, or seconds: both give one piece. */
static tl_status read_single(const model_reading *m, const config_setting_t *group,
                             tlr_piece *piece)
{
    unbound(piece);
    if (config_setting_get_member(group, "seconds")) {
        TL_TRY(read_terms(m, group, "seconds", -INFINITY, piece->mean_s));
    } else {
        TL_TRY(tlr_setting_number(&m->in, group, "intercept_s", 0, &piece->mean_s[TLR_TERM_one]));
        TL_TRY(tlr_setting_number(&m->in, group, "per_work_s", 0, &piece->mean_s[TLR_TERM_work]));
    }
    return read_noise(m, group, piece);
}

static tl_status read_pieces(const model_reading *m, const config_setting_t *group,
                             tlr_kernel_model *kernel)
{
    const config_setting_t *list = config_setting_get_member(group, "pieces");
    TL_TRY(tlr_setting_items(&m->in, group, "pieces", read_piece, m, sizeof *kernel->pieces,
                             &kernel->pieces, &kernel->n_pieces));
    if (list && !kernel->n_pieces)
        return tlr_refuse(&m->in, config_setting_source_line(list),
                          "'pieces' is empty; give at least one");
    if (list)
        return TL_OK;
    kernel->n_pieces = 1; /* the array has room for it */
    return read_single(m, group, kernel->pieces);
}

/* The call with this kernel name; for a kernel of the program, *user is its name. */
static tl_status read_name(const model_reading *m, const config_setting_t *group, uint16_t *call,
                           const char **full_name, const char **user)
{
    TL_TRY(tlr_setting_string(&m->in, group, "kernel", full_name));
    const char *name = *full_name;
    *user = !strncmp(name, USER_PREFIX, strlen(USER_PREFIX)) ? strchr(name, ':') + 1 : NULL;
    const tl_call_info *info = *user ? tl_call_by_code(TL_KERNEL_user) : tl_call_by_name(name);
    if (!info || info->action != TL_ACTION_KERNEL || (!*user && info->code == TL_KERNEL_user))
        return tlr_refuse(&m->in, config_setting_source_line(group),
                          "'%s' is not a kernel; timeless-model(5) lists the kernels", name);
    *call = info->code;
    return TL_OK;
}

/* An incomplete element is freed with the model, too. */
static tl_status read_kernel(const void *reading, const config_setting_t *group, void *element,
                             size_t i)
{
    const model_reading *m = reading;
    const char *name = NULL, *user = NULL;
    uint16_t call = 0;
    tlr_kernel_model *kernel = element;
    const int line = config_setting_source_line(group);
    (void)i;
    TL_TRY(tlr_setting_check(&m->in, group, kernel_names[m->version - 1], kernel_names[1]));
    TL_TRY(read_name(m, group, &call, &name, &user));
    if (tlr_rates_kernel(m->rates, call, user))
        return tlr_refuse(&m->in, line, "the kernel '%s' appears twice; remove one", name);
    if (m->rates != &m->model->pool && !tlr_rates_kernel(&m->model->pool, call, user))
        return tlr_refuse(&m->in, line,
                          "kernel '%s' is given for some hosts only; add it to 'kernels'", name);
    kernel->call = call;
    if (user && !(kernel->user = strdup(user)))
        return tl_no_memory(m->in.err, m->in.path);
    TL_TRY(tlr_setting_optional(&m->in, group, "host_sd", 0, &kernel->host_sd));
    TL_TRY(tlr_setting_optional(&m->in, group, "day_sd", 0, &kernel->day_sd));
    TL_TRY(tlr_setting_optional(&m->in, group, "median_error", 0, &kernel->median_error));
    m->model->is_random |= kernel->host_sd > 0 || kernel->day_sd > 0;
    return read_pieces(m, group, kernel);
}

/* ---- hosts and the whole ---- */

static tl_status read_rates(const model_reading *m, const config_setting_t *group, tlr_rates *rates)
{
    model_reading of = *m;
    of.rates = rates;
    TL_TRY(tlr_setting_items(&m->in, group, "units", read_unit, &of, sizeof *rates->units,
                             &rates->units, &rates->n_units));
    return tlr_setting_items(&m->in, group, "kernels", read_kernel, &of, sizeof *rates->kernels,
                             &rates->kernels, &rates->n_kernels);
}

static tl_status read_host(const void *reading, const config_setting_t *group, void *element,
                           size_t i)
{
    const model_reading *m = reading;
    tlr_host_rates *host = element;
    const char *pattern = NULL;
    (void)i;
    host->factor = 1;
    TL_TRY(tlr_setting_check(&m->in, group, host_names, NULL));
    TL_TRY(tlr_setting_string(&m->in, group, "hosts", &pattern));
    if (!(host->pattern = strdup(pattern)))
        return tl_no_memory(m->in.err, m->in.path);
    TL_TRY(tlr_setting_optional(&m->in, group, "factor", 0, &host->factor));
    return read_rates(m, group, &host->rates);
}

static tl_status read_variability(const model_reading *m, const config_setting_t *root)
{
    const config_setting_t *group = NULL;
    tlr_model *model = m->model;
    TL_TRY(tlr_setting_group(&m->in, root, "variability", &group));
    if (!group)
        return TL_OK;
    TL_TRY(tlr_setting_check(&m->in, group, variability_names, NULL));
    TL_TRY(tlr_setting_optional(&m->in, group, "host_sd", 0, &model->host_sd));
    TL_TRY(tlr_setting_optional(&m->in, group, "day_sd", 0, &model->day_sd));
    model->is_random |= model->host_sd > 0 || model->day_sd > 0;
    return TL_OK;
}

static tl_status read_version(model_reading *m, const config_setting_t *root)
{
    double version = 1;
    TL_TRY(tlr_setting_optional(&m->in, root, "version", 1, &version));
    if (version != 1 && version != NEWEST_VERSION)
        return tlr_refuse(
            &m->in, config_setting_source_line(config_setting_get_member(root, "version")),
            "version %g of model files is not known here; use a newer Timeless", version);
    m->version = (int)version;
    return TL_OK;
}

static tl_status read_model(const tlr_reading *in, const config_setting_t *root, void *out)
{
    tlr_model *model = out;
    model_reading reading = {.in = *in, .version = 1, .model = model}, *m = &reading;
    TL_TRY(read_version(m, root));
    TL_TRY(tlr_setting_check(&m->in, root, top_names[m->version - 1], top_names[1]));
    TL_TRY(tlr_setting_number(&m->in, root, "reference_flops", 0, &model->reference_flops));
    if (model->reference_flops == 0)
        return tlr_refuse(
            &m->in, config_setting_source_line(config_setting_get_member(root, "reference_flops")),
            "'reference_flops' is 0; give the speed of the host on which the seconds were "
            "measured");
    TL_TRY(read_rates(m, root, &model->pool));
    TL_TRY(tlr_setting_items(&m->in, root, "hosts", read_host, m, sizeof *model->hosts,
                             &model->hosts, &model->n_hosts));
    TL_TRY(read_variability(m, root));
    TL_TRY(tlr_parallel_read(&m->in, root, &model->parallel));
    TL_TRY(tlr_interference_read(&m->in, root, &model->interference));
    model->s_per_flop = -1;
    TL_TRY(tlr_setting_optional(&m->in, root, "seconds_per_flop", 0, &model->s_per_flop));
    tlr_find_roofline(model);
    model->kernel_threads = 1;
    return tlr_setting_optional(&m->in, root, "kernel_threads", 1, &model->kernel_threads);
}

tl_status tlr_model_load(const char *path, tlr_model **out, tl_error *err)
{
    const tlr_reading in = {path, "timeless-model(5)", err};
    tlr_model *model = calloc(1, sizeof *model);
    tl_status status = model && (model->path = strdup(path))
                           ? tlr_setting_load(&in, read_model, model)
                           : tl_no_memory(err, path);
    if (status == TL_OK)
        *out = model;
    else
        tlr_model_free(model);
    return status;
}
