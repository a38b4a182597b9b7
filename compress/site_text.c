/* site_text.c - the text of a call site: for programs, and for people. */
#include "reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* A text of limited size. */
typedef struct line {
    char *text;
    size_t used, size;
} line;

static void add(line *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add(line *to, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int n = vsnprintf(to->text + to->used, to->size - to->used, format, args);
    va_end(args);
    to->used = n < 0 || (size_t)n >= to->size - to->used ? to->size - 1 : to->used + (size_t)n;
}

static void add_object(line *to, const tl_site *site)
{
    add(to, "%s+0x%" PRIx64, site->object, site->offset);
}

/* What is at the begin of its object is named by it alone: a routine of HPL's generated events. */
static void add_place(line *to, const tl_site *site)
{
    if (site->offset)
        add_object(to, site);
    else
        add(to, "%s", site->object);
}

static void add_sources(line *to, const tl_site *site)
{
    for (uint32_t i = 0; i < site->n_sources; i++) {
        const tl_source *s = &site->sources[i];
        const bool is_place = !*s->function && *s->file; /* as in a skeleton: nothing else */
        add(to, "%s", i ? " < " : "");
        if (!is_place)
            add(to, "%s (", *s->function ? s->function : "?");
        if (!*s->file)
            add_place(to, site);
        else if (s->line)
            add(to, "%s:%" PRIu32, s->file, s->line);
        else
            add(to, "%s", s->file);
        add(to, "%s", is_place ? "" : ")");
    }
    if (!site->n_sources)
        add_place(to, site);
}

void tl_site_text(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size)
{
    const tl_site *found = tl_reader_site(r, rank, site);
    line to = {text, 0, size};
    if (found)
        add_object(&to, found);
    else
        add(&to, "?");
}

/* A caller in short: without the file, which its function mostly tells. */
static void add_caller(line *to, const tl_site *site)
{
    for (uint32_t i = 0; i < site->n_sources; i++) {
        const tl_source *s = &site->sources[i];
        add(to, " < %s", *s->function ? s->function : *s->file ? s->file : "?");
        if (s->line)
            add(to, ":%" PRIu32, s->line);
    }
    if (!site->n_sources) {
        add(to, " < ");
        add_place(to, site);
    }
}

void tl_site_name(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size)
{
    const tl_site *at = tl_reader_site(r, rank, site);
    line to = {text, 0, size};
    if (!at) {
        add(&to, "?");
        return;
    }
    add_sources(&to, at);
    for (int i = 0; i < TL_MAX_CALLERS && at->caller; i++) {
        at = tl_reader_site(r, rank, at->caller);
        if (!at)
            return;
        add_caller(&to, at);
    }
}
