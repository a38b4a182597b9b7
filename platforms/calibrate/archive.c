/* archive.c - the archive of a calibration. */
#include "config.h"

#include "archive.h"

#include "machine.h"

#include <dlfcn.h>
#include <errno.h>
#include <gnu/libc-version.h>
#include <gsl/gsl_version.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zip.h>

extern char **environ;

/* The longest entry that can be read back. */
#define MAX_ENTRY_BYTES (1UL << 30)

/* The functions of libzip, which is loaded when the first archive is opened. */
/* clang-format off */
#define CALLS(X) \
    X(close) X(discard) X(fclose) X(file_add) X(fopen) X(fread) X(open) X(source_buffer) \
    X(source_file) X(source_free) X(stat) X(strerror)
/* clang-format on */

static struct {
#define POINTER(name) __typeof__(zip_##name) *name;
    CALLS(POINTER)
} libzip;

struct tlp_archive {
    zip_t *zip;
    char path[PATH_MAX];
    char what[32];
    struct timespec begun;
    char *notes; /* of calibration.txt */
    size_t notes_bytes;
    FILE *notes_file;
};

static tl_status load_libzip(tl_error *err)
{
    void *library = dlopen(LIBZIP_SONAME, RTLD_LAZY | RTLD_LOCAL), *found;
    if (!library)
        return tl_fail(err, TL_ERR_SYSTEM, "%s; install libzip, which archives need", dlerror());
#define FIND(call)                                                                                 \
    if (!(found = dlsym(library, "zip_" #call)))                                                   \
        return tl_fail(err, TL_ERR_SYSTEM, "%s; install another libzip", dlerror());               \
    memcpy(&libzip.call, &found, sizeof found);
    CALLS(FIND)
    return TL_OK;
}

static void moment_text(const struct timespec *moment, const char *format, char *text, size_t size)
{
    struct tm utc;
    strftime(text, size, format, gmtime_r(&moment->tv_sec, &utc));
}

/* ---- entries ---- */

static tl_status add_source(tlp_archive *a, const char *entry, zip_source_t *source, tl_error *err)
{
    if (source && libzip.file_add(a->zip, entry, source, ZIP_FL_ENC_UTF_8) >= 0)
        return TL_OK;
    const char *why = libzip.strerror(a->zip);
    tl_error_set(err, TL_ERR_SYSTEM, "%s: %s cannot be added: %s; check the file", a->path, entry,
                 why);
    libzip.source_free(source);
    return TL_ERR_SYSTEM;
}

tl_status tlp_archive_add_file(tlp_archive *a, const char *entry, const char *path, tl_error *err)
{
    if (access(path, R_OK) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be archived: %s; check the file", path,
                       strerror(errno));
    return add_source(a, entry, libzip.source_file(a->zip, path, 0, -1), err);
}

tl_status tlp_archive_add(tlp_archive *a, const char *entry, tl_writing write, const void *arg,
                          tl_error *err)
{
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    tl_status status = out ? write(arg, out, err) : TL_ERR_MEMORY;
    if (out && fclose(out) != 0 && status == TL_OK)
        status = TL_ERR_MEMORY;
    zip_source_t *source = status == TL_OK ? libzip.source_buffer(a->zip, text, bytes, 1) : NULL;
    if (!source)
        free(text);
    if (status == TL_OK)
        return add_source(a, entry, source, err);
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

/* The entries at the beginning and at the end. */
typedef enum own_entry {
    MACHINE,
    ENVIRONMENT,
    COMMAND,
    N_AT_BEGIN,
    NOTES = N_AT_BEGIN,
    MACHINE_AFTER,
    REPETITIONS,
    FINGERPRINT,
    N_OWN
} own_entry;

typedef struct own {
    own_entry entry;
    int argc;
    char *const *argv;
    const tlp_archive *archive;
    const tlp_repetition_list *repetitions;
} own;

static tl_status write_own(const void *arg, FILE *out, tl_error *err)
{
    const own *o = arg;
    char title[64];
    (void)err;
    snprintf(title, sizeof title, "Fingerprint: %s", o->archive->what);
    switch (o->entry) {
    case ENVIRONMENT: tlp_describe_environment(environ, out); break;
    case COMMAND: tlp_describe_command(o->argc, o->argv, out); break;
    case NOTES: fputs(o->archive->notes, out); break;
    case REPETITIONS: tlp_write_repetitions(o->repetitions, out); break;
    case FINGERPRINT: tlp_write_fingerprint(o->repetitions, title, o->archive->notes, out); break;
    default: tlp_describe_machine(out); break;
    }
    return TL_OK;
}

static tl_status add_own(tlp_archive *a, own o, own_entry end, tl_error *err)
{
    static const char *const names[N_OWN] = {
        "machine.txt",       "environment.txt", "command.txt",     "calibration.txt",
        "machine-after.txt", "repetitions.csv", "fingerprint.html"};
    tl_status status = TL_OK;
    o.archive = a;
    for (; o.entry < end && status == TL_OK; o.entry++)
        status = tlp_archive_add(a, names[o.entry], write_own, &o, err);
    return status;
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
                         ? snprintf(a->path, sizeof a->path, "%s%s%s-%s.%03ldZ.zip", path,
                                    path[length - 1] == '/' ? "" : "/", a->what, moment,
                                    a->begun.tv_nsec / 1000000)
                         : snprintf(a->path, sizeof a->path, "%s", path);
    if (used >= (int)sizeof a->path)
        return tl_fail(err, TL_ERR_USAGE, "%.100s: is too long a path; give a shorter one", path);
    snprintf(folder, sizeof folder, "%s", a->path);
    char *slash = strrchr(folder, '/');
    if (slash)
        slash[1] = '\0';
    else
        snprintf(folder, sizeof folder, ".");
    if (!is_folder && stat(a->path, &there) == 0 && there.st_size && !tlp_is_archive(a->path))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: exists and is not an archive, so it is not overwritten; give another "
                       "--archive, or remove it",
                       a->path);
    if (access(folder, W_OK) != 0)
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
    tl_status status = load_libzip(err);
    if (status == TL_OK)
        status = choose_path(a, path, err);
    if (status == TL_OK && !(a->notes_file = open_memstream(&a->notes, &a->notes_bytes)))
        status = tl_no_memory(err, "archiving the calibration");
    if (status == TL_OK && !(a->zip = libzip.open(a->path, ZIP_CREATE | ZIP_TRUNCATE, NULL)))
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written; check the path", a->path);
    if (status == TL_OK) {
        begin_notes(a);
        status = add_own(a, (own){.argc = argc, .argv = argv}, N_AT_BEGIN, err);
    }
    if (status == TL_OK) {
        *out = a;
        a = NULL;
    }
    tlp_archive_free(a);
    return status;
}

tl_status tlp_archive_finish(tlp_archive *a, tlp_repetition_list *repetitions, tl_error *err)
{
    struct timespec now;
    char text[64];
    clock_gettime(CLOCK_REALTIME, &now);
    moment_text(&now, "%Y-%m-%dT%H:%M:%SZ", text, sizeof text);
    tlp_archive_note(a, "ended", "%s", text);
    if (fflush(a->notes_file) != 0 || tlp_categorise_all(repetitions) != TL_OK)
        return tl_no_memory(err, "archiving the calibration");
    const tl_status status = add_own(a, (own){.entry = NOTES, .repetitions = repetitions},
                                     repetitions->n ? N_OWN : REPETITIONS, err);
    if (status != TL_OK)
        return status;
    if (libzip.close(a->zip) != 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the disk", a->path,
                       libzip.strerror(a->zip));
    a->zip = NULL;
    return TL_OK;
}

void tlp_archive_free(tlp_archive *a)
{
    if (!a)
        return;
    if (a->zip)
        libzip.discard(a->zip);
    if (a->notes_file)
        fclose(a->notes_file);
    free(a->notes);
    free(a);
}

/* ---- back again ---- */

bool tlp_is_archive(const char *path)
{
    char magic[4] = "";
    FILE *file = fopen(path, "rb");
    const bool is_archive =
        file && fread(magic, 1, 4, file) == 4 && !memcmp(magic, "PK\3\4", sizeof magic);
    if (file)
        fclose(file);
    return is_archive;
}

static tl_status read_entry(zip_t *zip, const char *path, const char *entry, FILE **out,
                            tl_error *err)
{
    zip_stat_t stat;
    if (libzip.stat(zip, entry, 0, &stat) != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: has no %s; give an archive of the same kind of calibration", path,
                       entry);
    /* Measurements shrink to a tenth. What shrinks to a thousandth would take much memory. */
    enum { GREATEST_RATIO = 100, SHORT_BYTES = 1 << 20 };
    const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
    if ((stat.valid & wanted) != wanted || stat.size > MAX_ENTRY_BYTES ||
        stat.size / GREATEST_RATIO > stat.comp_size + SHORT_BYTES / GREATEST_RATIO)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: %s has %llu bytes, which is above %llu or %d times its size in the "
                       "archive; unpack it",
                       path, entry, (unsigned long long)stat.size,
                       (unsigned long long)MAX_ENTRY_BYTES, GREATEST_RATIO);
    FILE *text = fmemopen(NULL, (size_t)stat.size + 1, "w+");
    zip_file_t *file = text ? libzip.fopen(zip, entry, 0) : NULL;
    char bytes[1 << 14];
    zip_int64_t n = 0, total = 0;
    while (file && (n = libzip.fread(file, bytes, sizeof bytes)) > 0)
        total += (zip_int64_t)fwrite(bytes, 1, (size_t)n, text);
    const bool is_whole = file && n == 0 && total == (zip_int64_t)stat.size;
    if (file)
        libzip.fclose(file);
    if (!text)
        return tl_no_memory(err, "archiving the calibration");
    if (!is_whole) {
        fclose(text);
        return tl_fail(err, TL_ERR_INPUT, "%s: %s is damaged; measure again", path, entry);
    }
    rewind(text);
    *out = text;
    return TL_OK;
}

tl_status tlp_open_raw(const char *path, const char *entry, FILE **out, tl_error *err)
{
    if (!tlp_is_archive(path)) {
        *out = fopen(path, "r");
        return *out ? TL_OK
                    : tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the path", path,
                              strerror(errno));
    }
    tl_status status = load_libzip(err);
    if (status != TL_OK)
        return status;
    zip_t *zip = libzip.open(path, ZIP_RDONLY, NULL);
    if (!zip)
        return tl_fail(err, TL_ERR_INPUT, "%s: is a damaged archive; measure again", path);
    status = read_entry(zip, path, entry, out, err);
    libzip.discard(zip);
    return status;
}

tl_status tlp_copy_stream(const void *in, FILE *out, tl_error *err)
{
    char bytes[1 << 14];
    (void)err;
    for (size_t n; (n = fread(bytes, 1, sizeof bytes, (FILE *)in));)
        fwrite(bytes, 1, n, out);
    return TL_OK;
}

tl_status tlp_archive_add_raw(tlp_archive *a, const char *entry, const char *path, tl_error *err)
{
    FILE *in = NULL;
    if (!tlp_is_archive(path))
        return tlp_archive_add_file(a, entry, path, err);
    tl_status status = tlp_open_raw(path, entry, &in, err);
    if (status == TL_OK) {
        status = tlp_archive_add(a, entry, tlp_copy_stream, in, err);
        fclose(in);
    }
    return status;
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
