/* symbols.c - the source lines of call sites: each place of each object file is looked up once. */
#include "config.h"

#include "symbols.h"

#include "object.h"
#include "timeless_files.h"

#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct place {
    uint64_t offset;
    uint32_t n;
    tl_source sources[TL_MAX_SOURCES];
} place;

typedef struct object {
    tl_object is;
    tls_file *file; /* NULL: nothing can be found in it */
    tls_lack lack;
    bool has_lines; /* of one place at least */
    void *places;   /* tree of `place` */
} object;

struct tls_symbols {
    object *objects;
    size_t n;
};

static int by_offset(const void *a, const void *b)
{
    const uint64_t x = ((const place *)a)->offset, y = ((const place *)b)->offset;
    return (x > y) - (x < y);
}

/* tl_source has the texts as const, but those of a place are its own. */
static void free_text(const char *text)
{
    free((void *)(uintptr_t)text);
}

static void free_place(void *node)
{
    place *p = node;
    for (uint32_t i = 0; i < p->n; i++) {
        free_text(p->sources[i].function);
        free_text(p->sources[i].file);
    }
    free(p);
}

tls_symbols *tls_symbols_create(void)
{
    return calloc(1, sizeof(tls_symbols));
}

void tls_symbols_free(tls_symbols *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->n; i++) {
        object *o = &s->objects[i];
        tdestroy(o->places, free_place);
        tls_file_close(o->file);
        free_text(o->is.name);
        free_text(o->is.path);
        free_text(o->is.build_id);
    }
    free(s->objects);
    free(s);
}

static object *find_object(tls_symbols *s, const tl_object *wanted)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->objects[i].is.path, wanted->path) &&
            !strcmp(s->objects[i].is.build_id, wanted->build_id))
            return &s->objects[i];
    object *more = realloc(s->objects, (s->n + 1) * sizeof *more);
    if (!more)
        return NULL;
    s->objects = more;
    object *o = &more[s->n];
    *o = (object){.is = {strdup(wanted->name), strdup(wanted->path), strdup(wanted->build_id)}};
    if (!o->is.name || !o->is.path || !o->is.build_id) {
        free_text(o->is.name);
        free_text(o->is.path);
        free_text(o->is.build_id);
        return NULL;
    }
    o->file = tls_file_open(&o->is, &o->lack);
    s->n++;
    return o;
}

static const place *look_up(object *o, uint64_t offset)
{
    place *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->offset = offset;
    p->n = tls_file_find(o->file, offset, p->sources);
    if (!tsearch(p, &o->places, by_offset)) {
        free_place(p);
        return NULL;
    }
    o->has_lines |= p->n && *p->sources[0].file;
    return p;
}

uint32_t tls_find_sources(void *symbols, const tl_object *wanted, uint64_t offset,
                          const tl_source **out)
{
    object *o = find_object(symbols, wanted);
    if (!o || !o->file)
        return 0;
    const place key = {.offset = offset};
    place *const *known = tfind(&key, &o->places, by_offset);
    const place *found = known ? *known : look_up(o, offset);
    if (!found)
        return 0;
    *out = found->sources;
    return found->n;
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

bool tls_is_of_system(const char *path)
{
    return begins(path, "/usr/lib") || begins(path, "/lib") || begins(path, "/usr/bin/python");
}

/* The reason why an object file has no lines. */
static tls_lack lack_of(const object *o)
{
    const char *path = o->is.path;
    if (o->has_lines || tls_is_of_system(path))
        return TLS_LINES;
    if (o->lack != TLS_LINES && o->lack != TLS_NO_LINES)
        return o->lack;
    return begins(path, "/usr/") && !begins(path, "/usr/local/") ? TLS_NO_DBGSYM : TLS_NO_LINES;
}

void tls_report(const tls_symbols *s, const char *path, FILE *out)
{
    static const char *const texts[][2] = {
        [TLS_NO_DBGSYM] = {"no line numbers in", "; install its package NAME-dbgsym, or set "
                                                 "DEBUGINFOD_URLS, and pack the trace again"},
        [TLS_NO_LINES] = {"no line numbers in", "; compile with -g"},
        [TLS_ABSENT] = {"without source lines: cannot read", ""},
        [TLS_CHANGED] = {"without source lines: the run had another version of", ""},
        [TLS_NO_LIBDW] = {"without source lines, because this build lacks libdw:", ""}};
    for (tls_lack lack = TLS_NO_LINES; lack <= TLS_NO_DBGSYM; lack++) {
        size_t n = 0;
        for (size_t i = 0; i < s->n; i++) {
            if (lack_of(&s->objects[i]) != lack)
                continue;
            if (!n++)
                fprintf(out, "timeless: %s: %s ", path, texts[lack][0]);
            else
                fputs(", ", out);
            fputs(tl_printable(s->objects[i].is.name), out);
        }
        if (n)
            fprintf(out, "%s\n", texts[lack][1]);
    }
}
