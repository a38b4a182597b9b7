/* skeleton.c - a skeleton as a program that is opened in place of a trace:
 * "skel:FILE,NAME=VALUE,...", FILE alone, or "pattern:NAME,..." of a shipped one. */
#include "config.h"

#include "skeleton.h"

#include "core/error.h"
#include "core/frame.h"
#include "text.h"
#include "timeless_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char first_word[] = "skeleton ";

static const struct pattern {
    const char *name, *summary, *text;
} patterns[] = {
#include "compress/programs/patterns.inc"
};
enum { N_PATTERNS = sizeof patterns / sizeof *patterns };

size_t tl_pattern_list(size_t i, const char **name, const char **summary)
{
    if (i < N_PATTERNS) {
        *name = patterns[i].name;
        *summary = patterns[i].summary;
    }
    return N_PATTERNS;
}

/* Opens a regular file; O_NONBLOCK: a named pipe must not block the caller. */
static int open_regular(const char *path, struct stat *st)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd >= 0 && !fstat(fd, st) && S_ISREG(st->st_mode))
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Length of the path in "FILE,NAME=VALUE,...": the longest file that exists; otherwise all before
 * the first comma. */
static size_t length_of_path(const char *text)
{
    struct stat st;
    size_t length = strlen(text);
    for (;;) {
        char *path = strndup(text, length);
        const bool exists = path && !stat(path, &st);
        free(path);
        if (exists)
            return length;
        while (length && text[length - 1] != ',')
            length--;
        if (!length)
            return strcspn(text, ",");
        length--;
    }
}

/* The path may be followed by ",NAME=NUMBER,...". */
static bool is_skeleton(const char *path)
{
    char start[sizeof first_word - 1];
    struct stat st;
    char *file = strndup(path, length_of_path(path));
    const int fd = file ? open_regular(file, &st) : -1;
    free(file);
    if (fd < 0)
        return 0;
    const ssize_t n = read(fd, start, sizeof start);
    close(fd);
    return n == (ssize_t)sizeof start && !memcmp(start, first_word, sizeof start);
}

/* ---- the file, and what follows it ---- */

static tl_status add_given(const skeleton *s, skel_array *given, char *word, tl_error *err)
{
    char *value = strchr(word, '=');
    int64_t number;
    if (value)
        *value++ = '\0';
    if (!value || !*word || !tl_text_signed(value, INT64_MIN + 1, INT64_MAX, &number))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: %s=%s: a parameter is not NAME=NUMBER; write N=1000, with a whole "
                       "number",
                       s->path, word, value ? value : "");
    skel_parameter *kept = skel_push(given, sizeof *kept);
    if (!kept || !(kept->name = strdup(word)))
        return tl_no_memory(err, s->path);
    kept->value = number;
    return TL_OK;
}

/* The words of ",NAME=VALUE,NAME=VALUE". */
static tl_status read_given(const skeleton *s, const char *text, skel_array *given, tl_error *err)
{
    tl_status status = TL_OK;
    while (status == TL_OK && *text) {
        const size_t size = strcspn(++text, ",");
        char *word = strndup(text, size);
        status = word ? add_given(s, given, word, err) : tl_no_memory(err, s->path);
        free(word);
        text += size;
    }
    return status;
}

/* Refuses what was given for a parameter that does not exist. */
static tl_status check_given(const skeleton *s, const skel_array *given, tl_error *err)
{
    const skel_parameter *own = s->parameters.items, *others = given->items;
    char names[200] = "ranks";
    size_t used = strlen(names);
    for (size_t k = 0; k < s->parameters.n && used < sizeof names; k++)
        used += (size_t)snprintf(names + used, sizeof names - used, ", %s", own[k].name);
    for (size_t i = 0; i < given->n; i++) {
        bool is_known = !strcmp(others[i].name, "ranks");
        for (size_t k = 0; k < s->parameters.n; k++)
            is_known |= !strcmp(others[i].name, own[k].name);
        if (!is_known)
            return tl_fail(err, TL_ERR_USAGE, "%s: has no parameter '%s'; it has: %s", s->path,
                           others[i].name, names);
    }
    return TL_OK;
}

tl_status skel_load(const char *path, const char *what, char **source, tl_error *err)
{
    enum { MAX_BYTES = 1 << 24 };
    struct stat st = {0};
    const int fd = open_regular(path, &st);
    FILE *in = fd < 0 ? NULL : fdopen(fd, "r");
    *source = NULL;
    if (!in) {
        if (fd >= 0)
            close(fd);
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened as a file; give the path of a %s",
                       path, what);
    }
    tl_status status = TL_OK;
    if (st.st_size > MAX_BYTES)
        status = tl_fail(err, TL_ERR_LIMIT, "%s: is larger than %d bytes; shorten the %s", path,
                         MAX_BYTES, what);
    else if (!(*source = calloc((size_t)st.st_size + 1, 1)))
        status = tl_no_memory(err, path);
    const size_t size = *source ? fread(*source, 1, (size_t)st.st_size, in) : 0;
    if (ferror(in))
        status = tl_fail_errno(err, "%s: cannot be read", path);
    fclose(in);
    if (status == TL_OK && strlen(*source) < size)
        status = tl_fail(err, TL_ERR_INPUT, "%s:%zu: the file contains a byte 0; give a text", path,
                         strlen(*source));
    return status;
}

/* ---- the program ---- */

/* Each call has a site: its line. */
static tl_status list_sites(skeleton *s, tl_error *err)
{
    const skel_statement *st = s->statements.items;
    const char *slash = strrchr(s->path, '/'), *file = slash ? slash + 1 : s->path;
    s->sites = calloc(s->n_sites + 1, sizeof *s->sites);
    s->sources = calloc(s->n_sites + 1, sizeof *s->sources);
    if (!s->sites || !s->sources)
        return tl_no_memory(err, s->path);
    for (size_t i = 0; i < s->statements.n; i++) {
        if (st[i].kind != SKEL_CALL || !st[i].site)
            continue;
        tl_source *source = &s->sources[st[i].site - 1];
        *source = (tl_source){.function = "", .file = file, .line = st[i].line};
        s->sites[st[i].site - 1] = (tl_site){.id = st[i].site,
                                             .object = file,
                                             .offset = st[i].line,
                                             .n_sources = 1,
                                             .sources = source};
    }
    return TL_OK;
}

/* "skel:FILE,ranks=16,N=1000" */
static tl_status make_text(skeleton *s, tl_error *err)
{
    const skel_parameter *parameters = s->parameters.items;
    size_t size;
    FILE *out = open_memstream(&s->text, &size);
    if (out) {
        fprintf(out, "%s:%s,ranks=%" PRId64, s->is_pattern ? "pattern" : "skel", s->path,
                s->n_ranks);
        for (size_t i = 0; i < s->parameters.n; i++)
            fprintf(out, ",%s=%" PRId64, parameters[i].name, parameters[i].value);
    }
    if (!out || fclose(out) != 0)
        return tl_no_memory(err, s->path);
    return TL_OK;
}

static void free_parameters(skel_array *array)
{
    skel_parameter *parameters = array->items;
    for (size_t i = 0; i < array->n; i++)
        free(parameters[i].name);
    free(parameters);
}

void skel_clear(skeleton *s)
{
    char **requests = s->requests.items;
    for (size_t i = 0; i < s->requests.n; i++)
        free(requests[i]);
    free(requests);
    free_parameters(&s->parameters);
    free(s->nodes.items);
    free(s->statements.items);
    free(s->fields.items);
    free(s->grids.items);
    skel_free_comms(s);
    skel_free_distributions(s);
    skel_free_copies(s);
    free(s->values.items);
    free(s->captured.items);
    free(s->sites);
    free(s->sources);
    free(s->path);
    free(s->text);
    free(s->unit);
    free(s->mpi);
}

static void close_program(void *program)
{
    if (program)
        skel_clear(program);
    free(program);
}

/* Reads the text of the skeleton: of the pattern, or of the file. */
static tl_status read_text(skeleton *s, const skel_array *given, const char *text, tl_error *err)
{
    char *source = NULL;
    tl_status status = text ? TL_OK : skel_load(s->path, "skeleton", &source, err);
    if (status == TL_OK) {
        text = text ? text : source;
        s->hash = tl_hash_of(text, strlen(text), 0);
        status = skel_read(s, text, given->items, given->n, err);
    }
    free(source);
    return status;
}

/* Of "NAME,PARAMETER=VALUE,...", the name has `length` characters; text: NULL: it is a file. */
static tl_status open_text(const char *parameters, size_t length, const char *text, void **program,
                           tl_error *err)
{
    skel_array given = {0};
    skeleton *s = calloc(1, sizeof *s);
    if (!s || !(s->path = strndup(parameters, length))) {
        free(s);
        return tl_fail(err, TL_ERR_MEMORY, "skel:%s: out of memory", parameters);
    }
    s->is_pattern = text != NULL;
    tl_status status = read_given(s, parameters + length, &given, err);
    if (status == TL_OK)
        status = read_text(s, &given, text, err);
    if (status == TL_OK)
        status = check_given(s, &given, err);
    if (status == TL_OK)
        status = list_sites(s, err);
    if (status == TL_OK)
        status = skel_define_comms(s, err);
    if (status == TL_OK)
        status = make_text(s, err);
    free_parameters(&given);
    if (status == TL_OK)
        *program = s;
    else
        close_program(s);
    return status;
}

static tl_status open_file(const char *parameters, void **program, tl_error *err)
{
    return open_text(parameters, length_of_path(parameters), NULL, program, err);
}

static tl_status open_pattern(const char *parameters, void **program, tl_error *err)
{
    char names[800] = "";
    size_t used = 0;
    const size_t length = strcspn(parameters, ",");
    for (size_t i = 0; i < N_PATTERNS; i++) {
        if (length == strlen(patterns[i].name) && !memcmp(parameters, patterns[i].name, length)) {
            const tl_status status = open_text(parameters, length, patterns[i].text, program, err);
            /* The text is right: what it refuses was given. */
            if (status == TL_ERR_INPUT && err)
                err->status = TL_ERR_USAGE;
            return status == TL_ERR_INPUT ? TL_ERR_USAGE : status;
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "",
                                 patterns[i].name);
    }
    return tl_fail(err, TL_ERR_USAGE, "'%.*s' is not a pattern; choose one of: %s", (int)length,
                   parameters, names);
}

/* The value is that of a parameter in a skeleton without calls. */
tl_status tl_program_number(const char *expression, uint32_t n_ranks, int64_t *out, tl_error *err)
{
    tl_error wrong = {0};
    char *text = NULL, path[] = "";
    skeleton s = {.path = path};
    if (asprintf(&text, "skeleton 1\nranks %" PRIu32 "\nparam value = %s\n", n_ranks, expression) <
        0)
        return tl_no_memory(err, "the expression");
    tl_status status = skel_read(&s, text, NULL, 0, &wrong);
    if (status == TL_OK && (strpbrk(expression, "\n#{") || s.parameters.n != 1))
        status = tl_fail(&wrong, TL_ERR_INPUT, ":3: it is not a single expression");
    if (status == TL_OK)
        *out = ((const skel_parameter *)s.parameters.items)->value;
    else
        status = tl_fail(err, TL_ERR_USAGE, "'%s'%s", tl_printable(expression), wrong.text + 2);
    s.path = NULL;
    skel_clear(&s);
    free(text);
    return status;
}

static tl_program_face face(const void *program)
{
    const skeleton *s = program;
    return (tl_program_face){.n_ranks = (uint32_t)s->n_ranks,
                             .text = s->text,
                             .unit = s->unit,
                             .mpi = s->mpi,
                             .hash = s->hash,
                             .sites = s->sites,
                             .n_sites = s->n_sites};
}

/* `...`: the name, and how its text is found. */
#define KIND(...)                                                                                  \
    {                                                                                              \
        .close = close_program, .face = face, .start = skel_start, .next = skel_next,              \
        .error = skel_error, .comms = skel_comms, .stop = skel_stop, __VA_ARGS__                   \
    }
const tl_program_kind tl_program_skeleton =
    KIND(.name = "skel", .is_file = is_skeleton, .open = open_file);
const tl_program_kind tl_program_pattern = KIND(.name = "pattern", .open = open_pattern);
