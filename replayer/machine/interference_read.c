/* interference_read.c - reads the group `interference` of a model file. */
#include "config.h"

#include "setting.h"
#include "rank_model.h"

#include <stdlib.h>
#include <string.h>

static const char *const group_names[] = {"classes", NULL};
static const char *const class_names[] = {"from",    "to",      "kernel", "beside",
                                          "acts_as", "alone_s", NULL};
static const char *const row_names[] = {"cores", "arithmetic", "cache", "stream", "chase", NULL};
static const char *const hog_names[] = {"arithmetic", "cache", "stream", "chase", NULL};

static tl_status read_row(const void *reading, const config_setting_t *group, void *element,
                          size_t i)
{
    const tlr_reading *in = reading;
    tlr_beside *out = element;
    TL_TRY(tlr_setting_check(in, group, row_names, NULL));
    TL_TRY(tlr_setting_number(in, group, "cores", 1, &out->cores));
    for (int h = 0; h < TLR_N_HOGS; h++)
        TL_TRY(tlr_setting_number(in, group, hog_names[h], 1, &out->slowdown[h]));
    if (i && out->cores <= out[-1].cores)
        return tlr_refuse(in, config_setting_source_line(group),
                          "the 'cores' of the rows of 'beside' do not rise; sort them");
    return TL_OK;
}

static tl_status read_rows(const tlr_reading *in, const config_setting_t *group,
                           tlr_disturbance *out)
{
    TL_TRY(tlr_setting_items(in, group, "beside", read_row, in, sizeof *out->rows, &out->rows,
                             &out->n));
    if (!out->n)
        return tlr_refuse(in, config_setting_source_line(group),
                          "a class has no rows; add 'beside = ( { cores = 1; arithmetic = 1.0; "
                          "cache = 1.1; stream = 1.5; chase = 1.3; }, ... );'");
    return TL_OK;
}

static tl_status read_pressure(const tlr_reading *in, const config_setting_t *group,
                               tlr_disturbance *out)
{
    const config_setting_t *pressure = NULL;
    TL_TRY(tlr_setting_group(in, group, "acts_as", &pressure));
    if (!pressure)
        return tlr_refuse(in, config_setting_source_line(group),
                          "'acts_as' is missing; add 'acts_as = { stream = 0.8; };', or "
                          "'acts_as = {};' for a class that slows no other");
    TL_TRY(tlr_setting_check(in, pressure, hog_names, NULL));
    for (int h = 0; h < TLR_N_HOGS; h++)
        TL_TRY(tlr_setting_optional(in, pressure, hog_names[h], 0, &out->acts_as[h]));
    return TL_OK;
}

/* `from` and `to`, or `kernel`, or nothing. */
static tl_status read_subject(const tlr_reading *in, const config_setting_t *group,
                              tlr_disturbance *out)
{
    const char *name[3] = {NULL, NULL, NULL};
    static const char *const settings[3] = {"from", "to", "kernel"};
    for (int i = 0; i < 3; i++)
        if (config_setting_get_member(group, settings[i]))
            TL_TRY(tlr_setting_string(in, group, settings[i], &name[i]));
    const int line = config_setting_source_line(group);
    if (!name[0] != !name[1] || (name[0] && name[2]))
        return tlr_refuse(in, line,
                          "a class has both 'from' and 'to', or 'kernel' alone, or none of them");
    if (name[2]) {
        const tl_call_info *info = tl_call_by_name(name[2]);
        if (!info || info->action != TL_ACTION_KERNEL)
            return tlr_refuse(in, line, "'%s' is not a kernel; timeless-model(5) lists the kernels",
                              name[2]);
        out->kernel = info->code;
    }
    if (name[0] && (!(out->from = strdup(name[0])) || !(out->to = strdup(name[1]))))
        return tl_no_memory(in->err, in->path);
    return TL_OK;
}

/* Those without call sites first, by kernel, then those with. */
static int compare(const void *a, const void *b)
{
    const tlr_disturbance *x = a, *y = b;
    if (!x->from || !y->from)
        return x->from || y->from ? (x->from ? 1 : -1) : (int)x->kernel - (int)y->kernel;
    const int from = strcmp(x->from, y->from);
    return from ? from : strcmp(x->to, y->to);
}

static tl_status read_class(const void *reading, const config_setting_t *group, void *element,
                            size_t i)
{
    const tlr_reading *in = reading;
    tlr_disturbance *out = element;
    double alone_s; /* describes the measurement */
    (void)i;
    TL_TRY(tlr_setting_check(in, group, class_names, NULL));
    TL_TRY(read_subject(in, group, out));
    TL_TRY(tlr_setting_optional(in, group, "alone_s", 0, &alone_s));
    TL_TRY(read_rows(in, group, out));
    return read_pressure(in, group, out);
}

static tl_status check_twice(const tlr_reading *in, int line, const tlr_interference *all)
{
    for (size_t i = 1; i < all->n; i++) {
        const tlr_disturbance *c = &all->classes[i];
        if (compare(c - 1, c) != 0)
            continue;
        if (c->from)
            return tlr_refuse(in, line, "the bursts from '%s' to '%s' appear twice; remove one",
                              c->from, c->to);
        return tlr_refuse(in, line, "%s appears twice; remove one",
                          c->kernel ? tl_call_by_code(c->kernel)->name
                                    : "the class of all other computation");
    }
    return TL_OK;
}

tl_status tlr_interference_read(const tlr_reading *in, const config_setting_t *root,
                                tlr_interference *out)
{
    const config_setting_t *group = NULL;
    tl_status status = tlr_setting_group(in, root, "interference", &group);
    if (status != TL_OK || !group)
        return status;
    TL_TRY(tlr_setting_check(in, group, group_names, NULL));
    TL_TRY(tlr_setting_items(in, group, "classes", read_class, in, sizeof *out->classes,
                             &out->classes, &out->n));
    if (!out->n)
        return tlr_refuse(in, config_setting_source_line(group),
                          "'interference' has no classes; add one, or remove the group");
    qsort(out->classes, out->n, sizeof *out->classes, compare);
    if (!out->classes[0].from && !out->classes[0].kernel)
        out->rest = &out->classes[0];
    return check_twice(in, config_setting_source_line(config_setting_get_member(group, "classes")),
                       out);
}
