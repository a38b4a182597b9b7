/* parallel_read.c - reads the group `parallel` of a model file. */
#include "config.h"

#include "setting.h"

static const char *const group_names[] = {"bound",  "shared_region_s", "cores",
                                          "caches", "curves",          NULL};
static const char *const row_names[] = {"cores", "region_s", "arithmetic", "L1",
                                        "L2",    "L3",       "memory",     NULL};
static const char *const cache_names[] = {"cache", "bytes", "cores", NULL};
static const char *const curve_names[] = {"cores", "bytes", "bytes_per_s", "latency_s", NULL};

static tl_status read_row(const void *reading, const config_setting_t *group, void *element,
                          size_t index)
{
    const tlr_reading *in = reading;
    tlr_busy_cores *out = element;
    const tlr_busy_cores *before = index ? out - 1 : NULL;
    const int line = config_setting_source_line(group);
    TL_TRY(tlr_setting_check(in, group, row_names, NULL));
    TL_TRY(tlr_setting_number(in, group, "cores", 1, &out->cores));
    TL_TRY(tlr_setting_optional(in, group, "region_s", 0, &out->region_s));
    for (int i = 0; i < TLR_N_LIMITS; i++)
        TL_TRY(tlr_setting_optional(in, group, tlr_limit_name((tlr_limit)i), 0, &out->speedup[i]));
    if (before ? out->cores <= before->cores : out->cores != 1)
        return tlr_refuse(in, line, "the rows of 'cores' do not begin with 1 and rise; sort them");
    for (int i = 0; i < TLR_N_LIMITS; i++) {
        const char *name = tlr_limit_name((tlr_limit)i);
        if (!before && out->speedup[i] != 0 && out->speedup[i] != 1)
            return tlr_refuse(in, line, "'%s' of one core is not 1; divide the column by it", name);
        if (before && (before->speedup[i] > 0) != (out->speedup[i] > 0))
            return tlr_refuse(in, line, "'%s' is given in some rows of 'cores' only; complete it",
                              name);
    }
    return TL_OK;
}

/* What only describes the machine: the names are checked. */
static tl_status check_list(const tlr_reading *in, const config_setting_t *group, const char *name,
                            const char *const *names)
{
    const config_setting_t *list = NULL;
    tl_status status = tlr_setting_list(in, group, name, &list);
    const int n = status == TL_OK && list ? config_setting_length(list) : 0;
    for (int i = 0; i < n && status == TL_OK; i++)
        status = tlr_setting_check(in, config_setting_get_elem(list, (unsigned)i), names, NULL);
    return status;
}

static tl_status read_bound(const tlr_reading *in, const config_setting_t *group, tlr_parallel *p)
{
    const char *name = "arithmetic";
    if (config_setting_get_member(group, "bound"))
        TL_TRY(tlr_setting_string(in, group, "bound", &name));
    if (!tlr_limit_find(name, &p->bound) || !(p->rows[0].speedup[p->bound] > 0))
        return tlr_refuse(in, config_setting_source_line(group),
                          "the bound '%s' is not a column of 'cores'; name one of its columns "
                          "except region_s",
                          name);
    return TL_OK;
}

tl_status tlr_parallel_read(const tlr_reading *in, const config_setting_t *root, tlr_parallel *p)
{
    const config_setting_t *group = NULL;
    tl_status status = tlr_setting_group(in, root, "parallel", &group);
    if (status != TL_OK || !group)
        return status;
    TL_TRY(tlr_setting_check(in, group, group_names, NULL));
    TL_TRY(tlr_setting_optional(in, group, "shared_region_s", 0, &p->shared_region_s));
    TL_TRY(check_list(in, group, "caches", cache_names));
    TL_TRY(check_list(in, group, "curves", curve_names));
    TL_TRY(tlr_setting_items(in, group, "cores", read_row, in, sizeof *p->rows, &p->rows, &p->n));
    if (!p->n)
        return tlr_refuse(in, config_setting_source_line(group),
                          "'parallel' has no rows; add 'cores = ( { cores = 1; region_s = 0.0; "
                          "arithmetic = 1.0; }, ... );'");
    return read_bound(in, group, p);
}
