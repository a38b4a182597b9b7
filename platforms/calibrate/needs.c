/* needs.c - the calls of kernels that a trace has, as a plan of what to measure. */
#include "config.h"

#include "calibrate.h"

#include <kernels.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

#include <gsl/gsl_rng.h>

/* Of a kernel, so many calls are remembered, drawn from all of the trace's with the same chance. */
enum { MOST_CALLS = 512 };

/* The operands of a call need no more in each measuring process. */
#define MOST_BYTES (INT64_C(1) << 30)

tl_event tlp_call_event(const tlp_call *call, int64_t sizes[TLP_CALL_SIZES])
{
    for (int i = 0; i < TLP_CALL_SIZES; i++)
        sizes[i] = call->sizes[i];
    return (tl_event){
        .call = call->kernel, .list = sizes, .list_len = call->is_other ? call->n_sizes : 3};
}

double tlp_call_work(const tlp_call *call)
{
    int64_t sizes[TLP_CALL_SIZES];
    const tl_event e = tlp_call_event(call, sizes);
    return tl_kernel_work(e.call, e.list, e.list_len);
}

/* A call of any other kernel, or size, that a library of this machine has. */
static int take_other(tlp_needs *needs, const tl_event *e, tlp_call *out)
{
    *out = (tlp_call){.kernel = e->call, .is_other = 1, .n_sizes = (uint8_t)e->list_len};
    if (e->call >= TL_KERNEL_user || e->list_len > TLP_CALL_SIZES ||
        !(tl_kernel_work(e->call, e->list, e->list_len) > 0))
        return 0;
    const int64_t bytes = perform_kernel_bytes(e);
    for (uint32_t i = 0; i < e->list_len; i++)
        out->sizes[i] = (int32_t)e->list[i];
    return bytes >= 0 && bytes <= MOST_BYTES && perform_need_kernel(needs->operands, e);
}

/* A call with these sizes, if the buffers of blas.c have room for it. */
static int take_call(const tl_event *e, tlp_call *out)
{
    *out = (tlp_call){.kernel = e->call};
    for (uint32_t i = 0; i < 3 && i < e->list_len; i++) {
        if (e->list[i] < 0 || e->list[i] > TLP_MAX_SIZE)
            return 0;
        out->sizes[i] = (int32_t)e->list[i];
    }
    const int32_t *d = out->sizes;
    const bool is_solve = e->call == TL_KERNEL_dtrsm || e->call == TL_KERNEL_strsm,
               is_small = e->call == TL_KERNEL_dtrsv || e->call == TL_KERNEL_strsv;
    out->right = is_solve && d[2] == d[1] && d[2] != d[0];
    return d[2] <= TLP_MAX_INNER && !(is_small && d[0] > TLP_MAX_INNER) && tlp_call_work(out) > 0;
}

/* A kernel of the list: keeps its call, or puts it in the place of another (reservoir sampling). */
static void remember(tlp_needs *needs, gsl_rng *rng, const tlp_call *call)
{
    tlp_needed_kernel *k = &needs->kernels[call->kernel - TL_KERNEL_dgemm];
    const double terms[TLP_N_BOUNDS] = {call->sizes[0], call->sizes[1], call->sizes[2],
                                        tlp_call_work(call)};
    for (int b = 0; b < TLP_N_BOUNDS; b++) {
        /* Whole numbers, as the model has them; the work of a transform is none. */
        k->min[b] = k->n_all ? fmin(k->min[b], floor(terms[b])) : floor(terms[b]);
        k->max[b] = k->n_all ? fmax(k->max[b], ceil(terms[b])) : ceil(terms[b]);
    }
    k->n_all++;
    if (k->n < MOST_CALLS) {
        k->calls[k->n++] = *call;
        return;
    }
    const unsigned long at = (unsigned long)(gsl_rng_uniform(rng) * (double)k->n_all);
    if (at < MOST_CALLS)
        k->calls[at] = *call;
}

/* ---- kernels of the program ---- */

#define OWN_PREFIX "kernel:user:"

/* Returns NULL if the recording has no time of a kernel with this name. */
static tlp_own_kernel *find_own(const tlp_needs *needs, const char *name)
{
    for (size_t i = 0; name && i < needs->n_own; i++)
        if (!strcmp(needs->own[i].name, name))
            return &needs->own[i];
    return NULL;
}

/* The volumes of a rank, which are times if the unit of the trace is the nanosecond of CPU time. */
static tl_status add_own(tlp_needs *needs, const tl_reader *trace, uint32_t rank, tl_error *err)
{
    const tl_counter *counters = NULL;
    const size_t n = tl_reader_counters(trace, rank, &counters);
    const char *unit = tl_reader_run(trace)->volume_unit;
    for (size_t i = 0; i < n && unit && !strcmp(unit, "cpu-ns"); i++) {
        if (strncmp(counters[i].name, OWN_PREFIX, strlen(OWN_PREFIX)) != 0)
            continue;
        const char *name = counters[i].name + strlen(OWN_PREFIX);
        tlp_own_kernel *own = find_own(needs, name);
        if (!own) {
            tlp_own_kernel *more = reallocarray(needs->own, needs->n_own + 1, sizeof *more);
            char *copy = strdup(name);
            needs->own = more ? more : needs->own;
            if (!more || !copy) {
                free(copy);
                return tl_no_memory(err, "kernels of the program");
            }
            own = &needs->own[needs->n_own++];
            *own = (tlp_own_kernel){.name = copy};
        }
        own->seconds += 1e-9 * (double)counters[i].value;
    }
    return TL_OK;
}

/* ---- reading ---- */

static tl_status add_event(tlp_needs *needs, const tl_reader *trace, uint32_t rank, gsl_rng *rng,
                           const tl_event *e, tl_error *err)
{
    const tl_call_info *info = tl_call_by_code(e->call);
    tlp_call call;
    if (!info || info->action != TL_ACTION_KERNEL)
        return TL_OK;
    tlp_own_kernel *own =
        e->call == TL_KERNEL_user ? find_own(needs, tl_reader_kernel_name(trace, rank, e)) : NULL;
    if (own) {
        own->n++;
        own->work += tl_kernel_work(e->call, e->list, e->list_len);
        return TL_OK;
    }
    if (!(tlp_is_measured(e->call) && take_call(e, &call)) && !take_other(needs, e, &call)) {
        needs->n_others +=
            e->call >= TL_KERNEL_user || tl_kernel_work(e->call, e->list, e->list_len) > 0;
        needs->other = info->name;
        return TL_OK;
    }
    tlp_needed_kernel *k = &needs->kernels[e->call - TL_KERNEL_dgemm];
    if (!k->calls && !(k->calls = calloc(MOST_CALLS, sizeof *k->calls)))
        return tl_no_memory(err, "calls of the trace");
    remember(needs, rng, &call);
    return TL_OK;
}

static tl_status read_rank(tl_reader *trace, uint32_t rank, gsl_rng *rng, tlp_needs *needs,
                           tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_event e;
    tl_status read = TL_OK, status = add_own(needs, trace, rank, err);
    if (status == TL_OK)
        status = tl_cursor_open(trace, rank, &cursor, err);
    if (status != TL_OK)
        return status;
    while (status == TL_OK && (read = tl_cursor_next(cursor, &e)) == TL_OK)
        status = add_event(needs, trace, rank, rng, &e, err);
    if (status == TL_OK && read != TL_END) {
        status = read;
        *err = *tl_cursor_error(cursor);
    }
    tl_cursor_close(cursor);
    return status;
}

uint64_t tlp_n_needed(const tlp_needs *needs)
{
    uint64_t n = 0;
    for (int k = 0; k < TLP_FIT_ROOM; k++)
        n += needs->kernels[k].n_all;
    return n;
}

static tl_status read_trace(const char *path, gsl_rng *rng, tlp_needs *needs, tl_error *err)
{
    tl_reader *trace = NULL;
    tl_status status = tl_reader_open(path, &trace, err);
    for (uint32_t r = 0; status == TL_OK && r < tl_reader_run(trace)->n_ranks; r++)
        status = read_rank(trace, r, rng, needs, err);
    tl_reader_close(trace);
    if (status == TL_OK && !tlp_n_needed(needs) && !needs->n_own)
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: calls no kernel that can be measured here; timeless-calibrate-kernels"
                         "(1) lists them, and 'timeless calibrate cpu' measures other computation",
                         tl_printable(path));
    return status;
}

/* "dgemm,100,200,64": a call that can be measured. */
static tl_status read_sizes_line(char *line, gsl_rng *rng, tlp_needs *needs, tl_error *err)
{
    int64_t sizes[TLP_CALL_SIZES] = {0};
    const uint64_t n_before = tlp_n_needed(needs);
    char *rest = line;
    const tl_call_info *info = tl_call_by_name(strsep(&rest, ","));
    tl_event e = {.call = info ? info->code : 0, .list = sizes};
    for (char *cell; e.list_len < TLP_CALL_SIZES && (cell = strsep(&rest, ","));) {
        double size;
        if (!tlp_cell_number(cell, 0, INT32_MAX, &size))
            return TL_ERR_INPUT;
        sizes[e.list_len++] = (int64_t)size;
    }
    if (rest || !tlp_is_measured(e.call) || add_event(needs, NULL, 0, rng, &e, err) != TL_OK)
        return TL_ERR_INPUT;
    return tlp_n_needed(needs) > n_before ? TL_OK : TL_ERR_INPUT;
}

static tl_status read_sizes(const char *path, gsl_rng *rng, tlp_needs *needs, tl_error *err)
{
    char *line = NULL;
    size_t size = 0;
    unsigned number = 0;
    FILE *in = fopen(path, "r");
    tl_status status =
        in ? TL_OK
           : tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read; check the path", tl_printable(path));
    while (status == TL_OK && getline(&line, &size, in) >= 0) {
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        if (*line && *line != '#' && read_sizes_line(line, rng, needs, err) != TL_OK)
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s:%u: not KERNEL,D0[,D1[,D2]] of a call that can be measured here",
                             tl_printable(path), number);
    }
    if (status == TL_OK && !tlp_n_needed(needs))
        status = tl_fail(err, TL_ERR_INPUT, "%s: has no calls", tl_printable(path));
    free(line);
    if (in)
        fclose(in);
    return status;
}

tl_status tlp_needs_read(const char *path, bool is_list, unsigned long seed, tlp_needs **out,
                         tl_error *err)
{
    tlp_needs *needs = calloc(1, sizeof *needs);
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    if (needs)
        needs->operands = calloc(1, sizeof *needs->operands);
    tl_status status = needs && needs->operands && rng ? TL_OK : tl_no_memory(err, path);
    if (status == TL_OK) {
        gsl_rng_set(rng, seed);
        status = (is_list ? read_sizes : read_trace)(path, rng, needs, err);
    }
    gsl_rng_free(rng);
    if (status == TL_OK)
        *out = needs;
    else
        tlp_needs_free(needs);
    return status;
}

void tlp_needs_free(tlp_needs *needs)
{
    if (!needs)
        return;
    for (int k = 0; k < TLP_FIT_ROOM; k++)
        free(needs->kernels[k].calls);
    for (size_t i = 0; i < needs->n_own; i++)
        free(needs->own[i].name);
    free(needs->own);
    free(needs->operands);
    free(needs);
}
