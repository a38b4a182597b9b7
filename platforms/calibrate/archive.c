/* archive.c - the archive of a calibration. */
#include "config.h"

#include "archive.h"

#include "core/room.h"
#include "machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* A file of the archive, which is written at the end: a text, or a copy of another file. */
typedef struct entry {
    char *name; /* "raw/kernels.csv" */
    char *text;
    size_t bytes;
    char *copied; /* path; NULL: the text */
} entry;

struct tlp_archive {
    char path[PATH_MAX / 2];
    char what[32];
    struct timespec begun;
    size_t n_entries, room;
    entry *entries;
    char *notes; /* of calibration.txt */
    size_t notes_bytes;
    FILE *notes_file;
};

static void moment_text(const struct timespec *moment, const char *format, char *text, size_t size)
{
    struct tm utc;
    strftime(text, size, format, gmtime_r(&moment->tv_sec, &utc));
}

/* ---- entries ---- */

static void free_entry(const entry *e)
{
    free(e->name);
    free(e->text);
    free(e->copied);
}

/* Takes over the entry. */
static tl_status add_entry(tlp_archive *a, entry e, tl_error *err)
{
    if (e.name && (e.text || e.copied) &&
        tl_make_room(&a->entries, a->n_entries, &a->room, sizeof e)) {
        a->entries[a->n_entries++] = e;
        return TL_OK;
    }
    free_entry(&e);
    return tl_no_memory(err, "archiving the calibration");
}

tl_status tlp_archive_add_file(tlp_archive *a, const char *name, const char *path, tl_error *err)
{
    if (access(path, R_OK) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be archived: %s; check the file", path,
                       strerror(errno));
    return add_entry(a, (entry){.name = strdup(name), .copied = strdup(path)}, err);
}

/* The stream of a new text; NULL without memory. */
static FILE *begin_text(entry *e, const char *name)
{
    *e = (entry){.name = strdup(name)};
    return open_memstream(&e->text, &e->bytes);
}

static tl_status end_text(tlp_archive *a, entry *e, FILE *text, tl_error *err)
{
    if (text && fclose(text) == 0)
        return add_entry(a, *e, err);
    free_entry(e);
    return tl_no_memory(err, "archiving the calibration");
}

tl_status tlp_archive_add(tlp_archive *a, const char *name, tl_writing write, const void *arg,
                          tl_error *err)
{
    entry e;
    FILE *out = begin_text(&e, name);
    const tl_status status = out ? write(arg, out, err) : TL_OK;
    if (status == TL_OK)
        return end_text(a, &e, out, err);
    fclose(out);
    free_entry(&e);
    return status == TL_ERR_MEMORY ? tl_no_memory(err, "archiving the calibration") : status;
}

void tlp_archive_note(tlp_archive *a, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(a->notes_file, "%s: ", name);
    vfprintf(a->notes_file, format, arguments);
    fputc('\n', a->notes_file);
    va_end(arguments);
}

/* ---- what every archive has ---- */

/* The BLAS that programs get, and its description of itself. */
static void note_blas(tlp_archive *a)
{
    void *library = dlopen("libblas.so.3", RTLD_LAZY | RTLD_LOCAL);
    void *routine = library ? dlsym(library, "dgemm_") : NULL;
    const char *(*config)(void) = NULL;
    void *symbol = library ? dlsym(library, "openblas_get_config") : NULL;
    Dl_info info;
    memcpy(&config, &symbol, sizeof config);
    if (routine && dladdr(routine, &info) && info.dli_fname) {
        char file[PATH_MAX];
        tlp_archive_note(a, "BLAS", "%s", realpath(info.dli_fname, file) ? file : info.dli_fname);
    }
    if (config)
        tlp_archive_note(a, "BLAS configuration", "%s", config());
    if (library)
        dlclose(library);
}

static tl_status add_machine(tlp_archive *a, const char *name, tl_error *err)
{
    entry e;
    FILE *out = begin_text(&e, name);
    if (out)
        tlp_describe_machine(out);
    return end_text(a, &e, out, err);
}

/* The entries at the beginning. */
static tl_status add_surroundings(tlp_archive *a, int argc, char *const *argv, tl_error *err)
{
    entry e;
    TL_TRY(add_machine(a, "machine.txt", err));
    FILE *out = begin_text(&e, "environment.txt");
    if (out)
        tlp_describe_environment(environ, out);
    TL_TRY(end_text(a, &e, out, err));
    if ((out = begin_text(&e, "command.txt")))
        tlp_describe_command(argc, argv, out);
    return end_text(a, &e, out, err);
}

/* Those at the end. */
static tl_status add_results(tlp_archive *a, const tlp_repetition_list *repetitions, tl_error *err)
{
    entry e;
    char title[64];
    FILE *out = begin_text(&e, "calibration.txt");
    if (out)
        fputs(a->notes, out);
    TL_TRY(end_text(a, &e, out, err));
    TL_TRY(add_machine(a, "machine-after.txt", err));
    if (!repetitions->n)
        return TL_OK;
    if ((out = begin_text(&e, "repetitions.csv")))
        tlp_write_repetitions(repetitions, out);
    TL_TRY(end_text(a, &e, out, err));
    snprintf(title, sizeof title, "Fingerprint: %s", a->what);
    if ((out = begin_text(&e, "fingerprint.html")))
        tlp_write_fingerprint(repetitions, title, a->notes, out);
    return end_text(a, &e, out, err);
}

static void begin_notes(tlp_archive *a)
{
    char text[64], name[128];
    moment_text(&a->begun, "%Y-%m-%dT%H:%M:%SZ", text, sizeof text);
    tlp_archive_note(a, "calibrated", "%s", a->what);
    tlp_archive_note(a, "begun", "%s", text);
    tlp_archive_note(a, "timeless", "%s", tl_version());
    tlp_archive_note(a, "compiler", "%s", __VERSION__);
    tlp_archive_note(a, "C library", "glibc %s", gnu_get_libc_version());
    tlp_archive_note(a, "GSL", "%s", gsl_version);
    note_blas(a);
    tlp_cpu_name(name, sizeof name);
    tlp_archive_note(a, "processor", "%s", name);
}

static tl_status choose_path(tlp_archive *a, const char *path, tl_error *err)
{
    char folder[PATH_MAX], moment[32];
    const size_t length = strlen(path);
    struct stat there;
    const bool is_folder = stat(path, &there) == 0 && S_ISDIR(there.st_mode);
    moment_text(&a->begun, "%Y%m%dT%H%M%S", moment, sizeof moment);
    const int used = path[length - 1] == '/' || is_folder
                         ? snprintf(a->path, sizeof a->path, "%s%s%s-%s.%03ldZ", path,
                                    path[length - 1] == '/' ? "" : "/", a->what, moment,
                                    a->begun.tv_nsec / 1000000)
                         : snprintf(a->path, sizeof a->path, "%s", path);
    if (used >= (int)sizeof a->path)
        return tl_fail(err, TL_ERR_USAGE, "%.100s: is too long a path; give a shorter one", path);
    snprintf(folder, sizeof folder, "%s", a->path);
    if (stat(a->path, &there) == 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: exists, so it is not overwritten; give another --archive, or remove it",
                       a->path);
    if (access(dirname(folder), W_OK) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", a->path,
                       strerror(errno));
    return TL_OK;
}

tl_status tlp_archive_begin(const char *path, const char *what, int argc, char *const *argv,
                            tlp_archive **out, tl_error *err)
{
    tlp_archive *a = calloc(1, sizeof *a);
    if (!a)
        return tl_no_memory(err, "archiving the calibration");
    clock_gettime(CLOCK_REALTIME, &a->begun);
    snprintf(a->what, sizeof a->what, "%s", what);
    tl_status status = choose_path(a, path, err);
    if (status == TL_OK && !(a->notes_file = open_memstream(&a->notes, &a->notes_bytes)))
        status = tl_no_memory(err, "archiving the calibration");
    if (status == TL_OK) {
        begin_notes(a);
        status = add_surroundings(a, argc, argv, err);
    }
    if (status == TL_OK)
        *out = a;
    else
        tlp_archive_free(a);
    return status;
}

static tl_status write_entry(const void *arg, FILE *out, tl_error *err)
{
    const entry *e = arg;
    FILE *in = e->copied ? fopen(e->copied, "r") : NULL;
    if (e->copied && !in)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be archived: %s; check the file", e->name,
                       strerror(errno));
    if (!in) {
        fwrite(e->text, 1, e->bytes, out);
        return TL_OK;
    }
    tlp_copy_stream(in, out, err);
    fclose(in);
    return TL_OK;
}

static const char *const folders[] = {"", "raw", "result"};
enum { N_FOLDERS = sizeof folders / sizeof *folders };

/* Removes what write_all has made, if it could not write the rest. */
static void remove_all(const tlp_archive *a)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < a->n_entries; i++) {
        snprintf(path, sizeof path, "%s/%s", a->path, a->entries[i].name);
        unlink(path);
    }
    for (int i = N_FOLDERS - 1; i >= 0; i--) {
        snprintf(path, sizeof path, "%s/%s", a->path, folders[i]);
        rmdir(path);
    }
}

static tl_status write_all(const tlp_archive *a, tl_error *err)
{
    char path[PATH_MAX];
    tl_status status = TL_OK;
    for (int i = 0; i < N_FOLDERS && status == TL_OK; i++) {
        snprintf(path, sizeof path, "%s/%s", a->path, folders[i]);
        if (mkdir(path, 0777) != 0) {
            status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path", path,
                             strerror(errno));
            if (i == 0)
                return status; /* the folder is not this archive's */
        }
    }
    for (size_t i = 0; i < a->n_entries && status == TL_OK; i++)
        status = tlp_write_in(a->path, a->entries[i].name, write_entry, &a->entries[i], err);
    if (status != TL_OK)
        remove_all(a);
    return status;
}

tl_status tlp_archive_finish(tlp_archive *a, tlp_repetition_list *repetitions, tl_error *err)
{
    char moment[TLP_MOMENT_BYTES];
    tlp_moment(moment);
    tlp_archive_note(a, "ended", "%s", moment);
    if (fflush(a->notes_file) != 0 || tlp_categorise_all(repetitions) != TL_OK)
        return tl_no_memory(err, "archiving the calibration");
    TL_TRY(add_results(a, repetitions, err));
    return write_all(a, err);
}

void tlp_archive_free(tlp_archive *a)
{
    if (!a)
        return;
    for (size_t i = 0; i < a->n_entries; i++)
        free_entry(&a->entries[i]);
    free(a->entries);
    if (a->notes_file)
        fclose(a->notes_file);
    free(a->notes);
    free(a);
}

/* ---- back again ---- */

bool tlp_is_archive(const char *path)
{
    struct stat there;
    return stat(path, &there) == 0 && S_ISDIR(there.st_mode);
}

tl_status tlp_open_raw(const char *path, const char *name, FILE **out, tl_error *err)
{
    char file[PATH_MAX];
    const bool is_archive = tlp_is_archive(path);
    snprintf(file, sizeof file, is_archive ? "%s/%s" : "%s", path, name);
    if ((*out = fopen(file, "r")))
        return TL_OK;
    if (is_archive && errno == ENOENT)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: has no %s; give an archive of the same kind of calibration", path,
                       name);
    return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", file,
                   strerror(errno));
}

tl_status tlp_copy_stream(const void *in, FILE *out, tl_error *err)
{
    char bytes[1 << 14];
    (void)err;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, (FILE *)in));)
        fwrite(bytes, 1, n, out);
    return TL_OK;
}

tl_status tlp_archive_add_raw(tlp_archive *a, const char *name, const char *path, tl_error *err)
{
    char file[PATH_MAX];
    snprintf(file, sizeof file, tlp_is_archive(path) ? "%s/%s" : "%s", path, name);
    return tlp_archive_add_file(a, name, file, err);
}

/* ---- folders ---- */

FILE *tlp_open_in(const char *folder, const char *name, tl_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "r");
    if (!file)
        tl_error_set(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the folder", path,
                     strerror(errno));
    return file;
}

tl_status tlp_write_in(const char *folder, const char *name, tl_writing write, const void *arg,
                       tl_error *err)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return tl_output_write(path, write, arg, err);
}
