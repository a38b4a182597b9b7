/* model_merge.c - puts the fits of some calls of some kernels into a model that has others. */
#include "config.h"

#include "calibrate.h"
#include "model_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

#define OWN_PREFIX "user:"

typedef struct merge {
    const tlp_result *result;
    const tlp_needs *needs;
    FILE *out;
    unsigned char *is_written; /* [TLP_FIT_ROOM] */
} merge;

/* The fit of a kernel with this name; NULL if it was not measured. *needed: its calls. */
static const tlp_fit *fit_of(const merge *m, const char *name, const tlp_needed_kernel **needed)
{
    const tl_call_info *info = name ? tl_call_by_name(name) : NULL;
    const tlp_fit *fit = info ? tlp_result_fit(m->result, info->code) : NULL;
    if (!fit || !fit->n)
        return NULL;
    *needed = &m->needs->kernels[info->code - TL_KERNEL_dgemm];
    return fit;
}

/* Whether the recording has the time of this kernel of the program. */
static bool is_own(const merge *m, const char *name)
{
    for (size_t i = 0; name && i < m->needs->n_own; i++)
        if (!strncmp(name, OWN_PREFIX, strlen(OWN_PREFIX)) && m->needs->own[i].n > 0 &&
            !strcmp(name + strlen(OWN_PREFIX), m->needs->own[i].name))
            return 1;
    return 0;
}

static double number_in(const config_setting_t *group, const char *name, double otherwise)
{
    const config_setting_t *found = group ? config_setting_get_member(group, name) : NULL;
    return found ? config_setting_get_float(found) : otherwise;
}

/* Whether no call of an old piece is outside of the sizes that were measured now. */
static bool is_inside(const config_setting_t *piece, const tlp_needed_kernel *needed)
{
    static const char *const names[TLP_N_BOUNDS] = {"m", "n", "k", "work"};
    const config_setting_t *min = config_setting_get_member(piece, "min"),
                           *max = config_setting_get_member(piece, "max");
    for (int b = 0; b < TLP_N_BOUNDS; b++)
        if (number_in(min, names[b], 0) < needed->min[b] ||
            number_in(max, names[b], INFINITY) > needed->max[b])
            return 0;
    return 1;
}

/* The fit holds for the measured sizes only; calls of others find a piece behind. */
static void write_new_pieces(const merge *m, const tlp_fit *fit, const tlp_needed_kernel *needed)
{
    for (size_t i = 0; i < fit->n_pieces; i++) {
        tlp_piece piece = fit->pieces[i];
        for (int b = 0; b < TLP_N_BOUNDS; b++) {
            piece.min[b] = fmax(piece.min[b], needed->min[b]);
            piece.max[b] = fmin(piece.max[b], needed->max[b]);
        }
        tlp_write_piece(m->out, &piece);
        fputs(i + 1 < fit->n_pieces ? ",\n" : "", m->out);
    }
}

static void write_member(const merge *m, const config_setting_t *group, const char *name)
{
    const config_setting_t *member = config_setting_get_member(group, name);
    if (!member)
        return;
    fprintf(m->out, " %s = ", name);
    tlp_setting_write(m->out, member, 2);
    fputc(';', m->out);
}

/* The old model of all calls, as a piece. */
static void write_old_line(const merge *m, const config_setting_t *kernel)
{
    fputs(",\n    {", m->out);
    if (config_setting_get_member(kernel, "seconds"))
        write_member(m, kernel, "seconds");
    else
        fprintf(m->out, " seconds = { one = %.16e; work = %.16e; };",
                number_in(kernel, "intercept_s", 0), number_in(kernel, "per_work_s", 0));
    write_member(m, kernel, "noise");
    fputs(" }", m->out);
}

static void write_old_pieces(const merge *m, const config_setting_t *pieces,
                             const tlp_needed_kernel *needed)
{
    const int n = config_setting_length(pieces);
    for (int i = 0; i < n; i++) {
        const config_setting_t *piece = config_setting_get_elem(pieces, (unsigned)i);
        /* The last one takes all calls that no other takes. */
        if (i + 1 < n && is_inside(piece, needed))
            continue;
        fputs(",\n    ", m->out);
        tlp_setting_write(m->out, piece, 2);
    }
}

static void write_merged(merge *m, const config_setting_t *kernel, const char *name,
                         const tlp_fit *fit, const tlp_needed_kernel *needed)
{
    const config_setting_t *pieces = config_setting_get_member(kernel, "pieces");
    tlp_write_kernel_head(m->out, name, fit);
    write_member(m, kernel, "host_sd");
    write_member(m, kernel, "day_sd");
    fputs("\n    pieces = (\n", m->out);
    write_new_pieces(m, fit, needed);
    if (pieces)
        write_old_pieces(m, pieces, needed);
    else
        write_old_line(m, kernel);
    fputs(" ); }", m->out);
    m->is_written[needed - m->needs->kernels] = 1;
}

/* All calls of a kernel of the program take the same time for a unit of work, or the same time if
 * there is no work. */
static void write_own(const merge *m, const char *comma)
{
    for (size_t i = 0; i < m->needs->n_own; i++) {
        const tlp_own_kernel *own = &m->needs->own[i];
        if (!(own->n > 0))
            continue;
        fprintf(m->out, "%s  { kernel = \"" OWN_PREFIX, comma);
        tlp_string_write(m->out, own->name);
        fprintf(m->out, "\"; seconds = { %s = %.6e; }; }", own->work > 0 ? "work" : "one",
                own->seconds / (own->work > 0 ? own->work : own->n));
        comma = ",\n";
    }
}

static void write_kernels(const config_t *config, const void *what, FILE *out)
{
    unsigned char is_written[TLP_FIT_ROOM] = {0};
    merge in_file = *(const merge *)what, *m = &in_file;
    const config_setting_t *kernels = config_lookup(config, "kernels");
    m->out = out;
    m->is_written = is_written;
    const int n = kernels ? config_setting_length(kernels) : 0;
    const char *comma = "";
    fputs("kernels = (\n", m->out);
    for (int i = 0; i < n; i++) {
        const config_setting_t *kernel = config_setting_get_elem(kernels, (unsigned)i);
        const char *name = NULL;
        const tlp_needed_kernel *needed = NULL;
        config_setting_lookup_string(kernel, "kernel", &name);
        const tlp_fit *fit = fit_of(m, name, &needed);
        if (is_own(m, name))
            continue;
        fputs(comma, m->out);
        comma = ",\n";
        if (fit) {
            write_merged(m, kernel, name, fit, needed);
            continue;
        }
        fputs("  ", m->out);
        tlp_setting_write(m->out, kernel, 1);
    }
    /* Kernels that the model lacks. Their last piece takes all calls. */
    for (int k = 0; k < TLP_FIT_ROOM; k++) {
        const tl_call_info *info = tl_call_by_code((uint16_t)(TL_KERNEL_dgemm + k));
        const tlp_needed_kernel *needed = NULL;
        const tlp_fit *fit = m->is_written[k] || !info ? NULL : fit_of(m, info->name, &needed);
        if (!fit)
            continue;
        fputs(comma, m->out);
        comma = ",\n";
        tlp_write_kernel_head(m->out, info->name, fit);
        fputs("\n    pieces = (\n", m->out);
        write_new_pieces(m, fit, needed);
        fputs(" ); }", m->out);
    }
    write_own(m, comma);
    fputs("\n);\n", m->out);
}

/* Rates of hosts come before those of all, so that the new ones would have no effect there. */
static int check_hosts(config_t *config, const void *what)
{
    const config_setting_t *hosts = config_lookup(config, "hosts");
    const int n = hosts ? config_setting_length(hosts) : 0;
    for (int i = 0; i < n; i++) {
        const config_setting_t *kernels =
            config_setting_get_member(config_setting_get_elem(hosts, (unsigned)i), "kernels");
        const int n_kernels = kernels ? config_setting_length(kernels) : 0;
        for (int k = 0; k < n_kernels; k++) {
            const char *name = NULL;
            const tlp_needed_kernel *needed = NULL;
            config_setting_lookup_string(config_setting_get_elem(kernels, (unsigned)k), "kernel",
                                         &name);
            if (fit_of(what, name, &needed) || is_own(what, name))
                return 0;
        }
    }
    return 1;
}

static void write_origin(const void *what, FILE *out)
{
    const tlp_result *result = ((const merge *)what)->result;
    fprintf(out, "'timeless calibrate kernels --for' %s on %s at %s, %zu calls", tl_version(),
            result->processor, *result->moment ? result->moment : "an unknown moment",
            result->n_samples);
    fputs(((const merge *)what)->needs->n_own
              ? "; kernels of the program as recorded, where that was.\n"
              : ".\n",
          out);
}

tl_status tlp_merge_model(const tlp_result *result, const tlp_needs *needs, const char *trace,
                          const char *base, const char *path, tl_error *err)
{
    char *origin = NULL;
    const merge m = {.result = result, .needs = needs};
    /* Pieces of earlier measurements for other traces may remain, and so do their lines. */
    if (asprintf(&origin, "# Calls with the sizes of %s: ", tl_printable(trace)) < 0)
        return tl_no_memory(err, path);
    const tlp_model_change calls = {
        .what = &m,
        .change = check_hosts,
        .wrong = "has kernels of the trace for single hosts or cores, which a measurement for a "
                 "trace does not change; leave out --for",
        .origin = origin,
        .write_origin = write_origin,
        .left_out = "kernels",
        .write_tail = write_kernels};
    const tl_status status = tlp_model_write(&calls, base, path, err);
    free(origin);
    return status;
}
