/* import_dumpi.c - makes traces from DUMPI's, in two passes: first the members of the
 * communicators, then the events. */
#include "config.h"

#include "dumpi_convert.h"

#include "core/error.h"
#include "core/format.h"
#include "import.h"

#include <inttypes.h>
#include <unistd.h>

typedef struct run_files {
    FILE *const *files; /* NULL: opened by name, one at a time */
    char *const *names;
    uint32_t n_ranks;
    tl_dumpi_options options;
    tl_dumpi_comms comms;
    uint64_t refused[TL_DUMPI_N_CALLS], ignored[TL_DUMPI_N_CALLS];
    uint32_t first_refused[TL_DUMPI_N_CALLS], first_ignored[TL_DUMPI_N_CALLS];
} run_files;

/* Opens f and makes one pass over it. */
static tl_status with_file(run_files *all, uint32_t rank,
                           tl_status (*body)(run_files *all, uint32_t rank, tl_dumpi_file *f,
                                             void *arg),
                           void *arg, tl_error *err)
{
    FILE *in = all->files ? all->files[rank] : NULL;
    if (!in)
        TL_TRY(tl_import_open(all->names[rank], &in, err));
    tl_dumpi_file f;
    tl_status status = tl_dumpi_open(&f, in, all->names[rank], err);
    if (!status)
        status = body(all, rank, &f, arg);
    tl_dumpi_close(&f);
    if (!all->files)
        fclose(in);
    return status;
}

/* The source of the volumes, by the first call that has a time. */
static void choose_volume(run_files *all, tl_dumpi_file *f)
{
    tl_status status = tl_dumpi_next(f);
    all->options.volume = status                 ? "none"
                          : f->record.cpu.known  ? "cpu"
                          : f->record.wall.known ? "wall"
                                                 : "none";
}

static tl_status look(run_files *all, uint32_t rank, tl_dumpi_file *f, void *arg)
{
    (void)arg;
    bool refused = false;
    for (size_t i = 0; i < TL_DUMPI_N_CALLS; i++) {
        const tl_dumpi_kind kind = tl_dumpi_rows[i].kind;
        if (kind == TL_DUMPI_IS_NONE && f->called[i]) {
            if (!all->refused[i])
                all->first_refused[i] = rank;
            all->refused[i] += f->called[i];
            refused = true;
        }
        const bool counts = kind != TL_DUMPI_IS_LOCAL || (strchr(tl_dumpi_rows[i].fields, 'U') &&
                                                          f->called[TL_DUMPI_Comm_create]);
        if (counts && i != TL_DUMPI_Wtime && f->ignored[i]) {
            if (!all->ignored[i])
                all->first_ignored[i] = rank;
            all->ignored[i] += f->ignored[i];
        }
    }
    if (!all->options.volume)
        choose_volume(all, f);
    if (refused)
        return TL_OK; /* the calls cannot be followed: reported when all ranks have been seen */
    tl_dumpi_convert m = {.f = f,
                          .options = &all->options,
                          .comms = &all->comms,
                          .rank = rank,
                          .n_ranks = all->n_ranks};
    return tl_dumpi_pass(&m);
}

static tl_status report(const run_files *all, const uint64_t *n, const uint32_t *first,
                        const char *what, tl_error *err)
{
    char text[400] = "";
    size_t length = 0;
    uint32_t rank = UINT32_MAX;
    for (size_t i = 0; i < TL_DUMPI_N_CALLS; i++) {
        if (!n[i])
            continue;
        if (length < sizeof text)
            length += (size_t)snprintf(text + length, sizeof text - length,
                                       "%s%s (%" PRIu64 " calls, first by rank %" PRIu32 ")",
                                       length ? ", " : "", tl_dumpi_rows[i].name, n[i], first[i]);
        rank = rank < first[i] ? rank : first[i];
    }
    if (rank == UINT32_MAX)
        return TL_OK;
    return tl_fail(err, TL_ERR_UNSUPPORTED,
                   "%s: %s: %.300s; record the program with 'timeless "
                   "record'",
                   all->names[rank], what, text);
}

typedef struct destination {
    tl_writer *w;
    tl_end_reason end;
    uint64_t clock_ns;
} destination;

static tl_status convert_rank(run_files *all, uint32_t rank, tl_dumpi_file *f, void *arg)
{
    destination *to = arg;
    const char *volume = all->options.volume;
    const bool is_counter =
        strcmp(volume, "cpu") != 0 && strcmp(volume, "wall") != 0 && strcmp(volume, "none") != 0;
    if (is_counter && !tl_dumpi_find_counter(f, volume))
        return tl_fail(f->err, TL_ERR_INPUT, "%s: has no counter '%.40s'; choose another --volume",
                       f->name, volume);
    tl_dumpi_convert m = {.f = f,
                          .w = to->w,
                          .options = &all->options,
                          .comms = &all->comms,
                          .rank = rank,
                          .n_ranks = all->n_ranks,
                          .end = TL_END_EXITED};
    tl_status status = tl_dumpi_pass(&m);
    to->end = m.end;
    to->clock_ns = m.clock_ns;
    return status;
}

static tl_status host_of(run_files *all, uint32_t rank, tl_dumpi_file *f, void *arg)
{
    (void)all;
    (void)rank;
    memcpy(arg, f->host, sizeof f->host);
    return TL_OK;
}

static tl_status put_rank(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    run_files *all = arg;
    char host[256];
    destination to = {0};
    tl_status status = with_file(all, rank, host_of, host, err);
    if (!status)
        status = tl_writer_open(out_path, rank, host, &to.w, err);
    if (status)
        return status;
    if (all->options.call_times)
        tl_writer_keep_times(to.w);
    status = with_file(all, rank, convert_rank, &to, err);
    return tl_import_close(to.w, out_path, status, to.end, to.clock_ns, err);
}

tl_status tl_import_dumpi_files(FILE *const *files, char *const *names, uint32_t n_ranks,
                                const tl_dumpi_options *options, const char *out_path,
                                tl_error *err)
{
    run_files *all = calloc(1, sizeof *all);
    if (!all)
        return tl_no_memory(err, "the command");
    *all = (run_files){.files = files, .names = names, .n_ranks = n_ranks, .options = *options};
    tl_status status = tl_dumpi_comms_begin(&all->comms, names, n_ranks, err);
    for (uint32_t rank = 0; rank < n_ranks && !status; rank++)
        status = with_file(all, rank, look, NULL, err);
    if (!status)
        status = report(all, all->refused, all->first_refused, "a trace cannot say", err);
    if (!status)
        status = report(all, all->ignored, all->first_ignored, "was told not to record", err);
    if (!status)
        status = tl_dumpi_comms_resolve(&all->comms, err);
    if (!status) {
        char source[160];
        const char *volume = all->options.volume;
        const bool is_time = !strcmp(volume, "cpu") || !strcmp(volume, "wall");
        snprintf(source, sizeof source, "import:dumpi:%s%.80s", is_time ? "clock-" : "", volume);
        if (options->rate != 1)
            snprintf(source + strlen(source), sizeof source - strlen(source), ", rate %g",
                     options->rate);
        tl_run run = {.n_ranks = n_ranks,
                      .volume_unit = is_time                           ? "cpu-ns"
                                     : !strcmp(volume, "PAPI_TOT_INS") ? "instructions"
                                                                       : volume,
                      .volume_source = source,
                      .origin = "timeless import --from dumpi"};
        status = tl_import_write(out_path, &run, put_rank, all, err);
    }
    tl_dumpi_comms_free(&all->comms);
    free(all);
    return status;
}

/* ---- the meta file ---- */

static void put_name(char *name, size_t size, const char *path, const char *prefix, int digits,
                     uint32_t rank)
{
    const char *slash = strrchr(path, '/');
    char number[16];
    snprintf(number, sizeof number, "%0*" PRIu32, digits < 10 ? digits : 10, rank);
    snprintf(name, size, "%.*s%s-%s.bin", slash ? (int)(slash + 1 - path) : 0, path, prefix,
             number);
}

/* The name is PREFIX-0000.bin next to the meta file. The numbers have 4 digits, or as many as the
 * number of rank 0. */
static tl_status names_of(const char *path, const char *prefix, uint32_t n, char ***names,
                          tl_error *err)
{
    const size_t size = strlen(path) + strlen(prefix) + 32;
    int digits = 4;
    *names = calloc(n, sizeof **names);
    for (uint32_t rank = 0; rank < n && *names; rank++) {
        if (!((*names)[rank] = malloc(size)))
            break;
        put_name((*names)[rank], size, path, prefix, digits, rank);
        for (int d = 1; !rank && access((*names)[0], F_OK) && d <= 10; d++) {
            put_name((*names)[0], size, path, prefix, d, 0);
            if (!access((*names)[0], F_OK))
                digits = d;
        }
    }
    return *names && (*names)[n - 1] ? TL_OK : tl_no_memory(err, path);
}

static char *value_of(char **lines, size_t n, const char *key)
{
    const size_t length = strlen(key);
    for (size_t i = 0; i < n; i++)
        if (!strncmp(lines[i], key, length) && lines[i][length] == '=')
            return lines[i] + length + 1;
    return NULL;
}

tl_status tl_import_dumpi(const char *path, const tl_dumpi_options *options, const char *out_path,
                          tl_error *err)
{
    char **lines = NULL, **names = NULL;
    size_t n_lines = 0, n = 0;
    tl_status status = tl_import_read_list(path, &lines, &n_lines, err);
    if (status)
        goto cleanup;
    char *prefix = value_of(lines, n_lines, "fileprefix");
    char *count = value_of(lines, n_lines, "numprocs");
    if (prefix && count) {
        char *end;
        unsigned long ranks = strtoul(count, &end, 10);
        if (end == count || *end || !ranks || ranks > TL_MAX_RANKS)
            status =
                tl_fail(err, TL_ERR_INPUT,
                        "%s: numprocs '%.20s' is not a number of ranks; correct it", path, count);
        if (!status)
            status = names_of(path, prefix, (uint32_t)ranks, &names, err);
        n = names ? ranks : 0;
    }
    if (!status)
        status = tl_import_dumpi_files(NULL, names ? names : lines, (uint32_t)(names ? n : n_lines),
                                       options, out_path, err);
cleanup:
    tl_import_free_list(names, n);
    tl_import_free_list(lines, n_lines);
    return status;
}
