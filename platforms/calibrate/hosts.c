/* hosts.c - kernels on several hosts: the cores of each socket are a unit with times of their own.
 */
#include "config.h"

#include "calibrate.h"

#include "core/room.h"

#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gsl/gsl_statistics_double.h>

/* ---- hosts and units ---- */

/* The socket of the nth processor that this process may use. */
static int find_socket(unsigned nth)
{
    char path[128], value[TLP_VALUE_BYTES];
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set) || nth-- > 0)
            continue;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/physical_package_id",
                 cpu);
        return tlp_read_value(path, value) ? (int)strtol(value, NULL, 10) : 0;
    }
    return 0;
}

void tlp_host_name(char *name, size_t size)
{
    const char *of_slurm = getenv("SLURMD_NODENAME"); /* as Slurm knows it */
    *name = '\0';
    if (of_slurm)
        snprintf(name, size, "%s", of_slurm);
    else if (gethostname(name, size) != 0)
        snprintf(name, size, "unknown");
    name[size - 1] = '\0';
}

tl_status tlp_name_host(tlp_result *result, tl_error *err)
{
    tlp_kernel_host *host = result->hosts = calloc(1, sizeof *host);
    if (!host)
        return tl_no_memory(err, "calibrating");
    result->n_hosts = 1;
    host->instruction_s = result->instruction_s;
    snprintf(host->processor, sizeof host->processor, "%s", result->processor);
    tlp_host_name(host->name, sizeof host->name);
    size_t used = 0;
    for (unsigned core = 0; core < tlp_n_cores() && used + 16 < sizeof host->sockets; core++)
        used += (size_t)snprintf(host->sockets + used, sizeof host->sockets - used, "%s%d",
                                 core ? "," : "", find_socket(core));
    return TL_OK;
}

unsigned tlp_host_cores(const tlp_kernel_host *host)
{
    unsigned n = *host->sockets ? 1 : 0;
    for (const char *at = host->sockets; (at = strchr(at, ',')); at++)
        n++;
    return n;
}

/* The socket of a group of cores of a host. */
static int socket_of(const tlp_result *result, unsigned host, unsigned group)
{
    const char *at = result->hosts[host].sockets;
    for (unsigned i = 0; i < group * result->threads; i++) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    return (int)strtol(at, NULL, 10);
}

static const char *platform_name(const tlp_result *result, const tlp_unit *unit)
{
    const tlp_kernel_host *host = result->n_hosts ? &result->hosts[unit->host] : NULL;
    return !host ? "*" : *host->alias ? host->alias : host->name;
}

const char *tlp_unit_name(const tlp_result *result, const tlp_unit *unit,
                          char name[TLP_UNIT_NAME_BYTES])
{
    snprintf(name, TLP_UNIT_NAME_BYTES, "%s %s %d",
             result->n_hosts ? result->hosts[unit->host].name : "this host",
             result->has_core_units ? "core" : "socket", unit->part);
    return name;
}

void tlp_unit_pattern(const tlp_result *result, const tlp_unit *unit, FILE *out)
{
    const char *name = platform_name(result, unit), *before = "@(";
    if (result->n_hosts && unit->is_last) { /* cores that were not measured, too */
        fputs(name, out);
        return;
    }
    fprintf(out, "%s:", name);
    if (result->has_core_units) {
        fprintf(out, "%d", unit->part);
        return;
    }
    const unsigned n = tlp_host_cores(&result->hosts[unit->host]) / result->threads;
    for (unsigned core = 0; core < n; core++) {
        if (socket_of(result, unit->host, core) != unit->part)
            continue;
        fprintf(out, "%s%u", before, core);
        before = "|";
    }
    fputc(')', out);
}

static tl_status find_unit(tlp_result *result, size_t *room, unsigned host, int part, uint16_t *out,
                           tl_error *err)
{
    size_t u = 0;
    while (u < result->n_units && (result->units[u].host != host || result->units[u].part != part))
        u++;
    *out = (uint16_t)u;
    if (u < result->n_units)
        return TL_OK;
    if (u > UINT16_MAX)
        return tl_fail(err, TL_ERR_INPUT, "the hosts have more than %d %s; measure on fewer",
                       UINT16_MAX + 1, result->has_core_units ? "cores" : "sockets");
    if (!tl_make_room(&result->units, u, room, sizeof *result->units))
        return tl_no_memory(err, "fitting");
    for (size_t i = 0; i < u; i++)
        result->units[i].is_last &= result->units[i].host != host;
    result->units[result->n_units++] =
        (tlp_unit){.host = (uint16_t)host, .part = part, .is_last = 1};
    return TL_OK;
}

static tl_status make_units(tlp_result *result, bool per_core, tl_error *err)
{
    size_t room = 0;
    result->has_core_units = per_core;
    for (size_t i = 0; i < result->n_samples; i++) {
        tlp_sample *s = &result->samples[i];
        const int part = per_core ? s->core : socket_of(result, s->host, s->core);
        TL_TRY(find_unit(result, &room, s->host, part, &s->unit, err));
    }
    return TL_OK;
}

/* ---- their differences ---- */

/* The shifts of one kernel. The points, the units and the room are for as many as all calls. */
static tl_status find_shifts(tlp_result *result, unsigned k, tlp_points *points, uint16_t *units,
                             double *room)
{
    double terms[TLP_N_TERMS];
    points->n = 0;
    for (size_t i = 0; i < result->n_samples; i++)
        if (result->samples[i].call.kernel == TL_KERNEL_dgemm + k) {
            units[points->n] = result->samples[i].unit;
            points->at[points->n++] = tlp_point_of(&result->samples[i]);
        }
    if (points->n)
        TL_TRY(tlp_fit_terms(points, TLP_M2_TERMS, terms));
    for (size_t u = 0; u < result->n_units; u++) {
        size_t n = 0;
        for (size_t i = 0; i < points->n; i++) {
            const double fitted = tlp_sum_terms(terms, points->at[i].terms);
            if (units[i] == u && fitted > 0)
                room[n++] = log(points->at[i].seconds / fitted);
        }
        result->units[u].shift[k] = n ? tlp_median(room, n) : 0;
    }
    return TL_OK;
}

tl_status tlp_find_units(tlp_result *result, bool per_core, tl_error *err)
{
    const size_t n = result->n_samples + 1;
    TL_TRY(make_units(result, per_core, err));
    tlp_points points = {.at = calloc(n, sizeof *points.at)};
    uint16_t *units = calloc(n, sizeof *units);
    double *room = calloc(n, sizeof *room);
    tl_status status = points.at && units && room ? TL_OK : TL_ERR_MEMORY;
    for (unsigned k = 0; k < TLP_FIT_ROOM && status == TL_OK && result->n_hosts; k++)
        status = find_shifts(result, k, &points, units, room);
    free(points.at);
    free(units);
    free(room);
    return status == TL_OK ? TL_OK : tl_no_memory(err, "fitting");
}

/* ---- variability ---- */

const uint16_t tlp_unit_kernels[TLP_UNIT_QUANTITIES] = {TL_KERNEL_dgemm, TL_KERNEL_dgemv};

double tlp_unit_shift(const tlp_unit *unit, int which)
{
    return unit->shift[tlp_unit_kernels[which] - TL_KERNEL_dgemm];
}

/* A quantity of a unit in the history. */
static tlp_quantity quantity(const tlp_result *result, const tlp_unit *unit, int which)
{
    char name[TLP_UNIT_NAME_BYTES];
    const uint16_t kernel = tlp_unit_kernels[which];
    tlp_quantity q = {.value = tlp_result_fit(result, kernel)->slope_s *
                               exp(tlp_unit_shift(unit, which))};
    /* One that is out has another name, so that day_sd of a later calibration leaves it out. */
    snprintf(q.name, sizeof q.name, "%s s per unit of work of %s%s", tl_call_by_code(kernel)->name,
             tlp_unit_name(result, unit, name), unit->is_out ? " (unlike the others)" : "");
    return q;
}

/* The logarithms of dgemm of one unit, by campaign. */
typedef struct past {
    tlp_quantity now;
    double n, sum, squares;
} past;

typedef struct pasts {
    size_t n;
    past *at;
    const char *moment; /* of this campaign */
} pasts;

static void add_value(past *p, double value)
{
    if (!(value > 0))
        return;
    p->n++;
    p->sum += log(value);
    p->squares += log(value) * log(value);
}

static void take_value(void *all, const char *when, const char *name, double value)
{
    pasts *p = all;
    for (size_t u = 0; u < p->n && strcmp(when, p->moment) != 0; u++)
        if (!strcmp(p->at[u].now.name, name))
            add_value(&p->at[u], value);
}

/* Variance components of a one-way layout: days within units; hosts, whose means contain a part of
 * the days. */
static void split_variance(tlp_result *result, const pasts *all, double *means)
{
    double within = 0, freedom = 0, n_days = 0;
    size_t n_in = 0, n_hosts = 0;
    for (size_t u = 0; u < all->n; u++) {
        const past *p = &all->at[u];
        if (result->units[u].is_out || !p->n)
            continue;
        within += p->squares - p->sum * p->sum / p->n;
        freedom += p->n - 1;
        n_days += p->n;
        n_in++;
    }
    for (size_t h = 0; h < result->n_hosts; h++) {
        double sum = 0, n = 0;
        for (size_t u = 0; u < all->n; u++)
            if (result->units[u].host == h && !result->units[u].is_out && all->at[u].n) {
                sum += all->at[u].sum / all->at[u].n;
                n++;
            }
        if (n)
            means[n_hosts++] = sum / n;
    }
    const double day = freedom > 0 ? fmax(0, within / freedom) : 0,
                 between = n_hosts > 1 ? gsl_stats_variance(means, 1, n_hosts) : 0;
    result->day_sd = sqrt(day);
    result->host_sd = n_in ? sqrt(fmax(0, between - day * (double)n_in / n_days)) : 0;
}

/* Of the hosts that count instructions and have a unit that is not out. */
static void find_instruction_s(tlp_result *result, double *room)
{
    size_t n = 0;
    for (size_t h = 0; h < result->n_hosts; h++) {
        bool is_in = 0;
        for (size_t u = 0; u < result->n_units; u++)
            is_in |= result->units[u].host == h && !result->units[u].is_out;
        if (is_in && result->hosts[h].instruction_s > 0)
            room[n++] = result->hosts[h].instruction_s;
    }
    result->instruction_s = n ? tlp_median(room, n) : -1;
}

tl_status tlp_find_variability(tlp_result *result, const char *folder, tl_error *err)
{
    pasts all = {result->n_units, calloc(result->n_units + 1, sizeof *all.at), result->moment};
    double *means = calloc(result->n_hosts + 1, sizeof *means);
    for (size_t u = 0; all.at && u < all.n; u++) {
        all.at[u].now = quantity(result, &result->units[u], 0);
        add_value(&all.at[u], all.at[u].now.value);
    }
    if (all.at && means && folder)
        tlp_read_history(folder, "kernels", take_value, &all);
    if (all.at && means) {
        split_variance(result, &all, means);
        find_instruction_s(result, means);
    }
    const tl_status status = all.at && means ? TL_OK : tl_no_memory(err, "fitting");
    free(all.at);
    free(means);
    return status;
}

size_t tlp_unit_quantities(const tlp_result *result, tlp_quantity *out)
{
    size_t n = 0;
    for (size_t u = 0; u < result->n_units && result->n_hosts; u++)
        for (int i = 0; i < TLP_UNIT_QUANTITIES; i++) {
            out[n] = quantity(result, &result->units[u], i);
            n += out[n].value > 0;
        }
    return n;
}
