/* site_text.c - the text of a call site: for programs, and for people. */
#include "reader.h"

#include <inttypes.h>
#include <stdio.h>

void tl_site_text(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size)
{
    const tl_site *found = tl_reader_site(r, rank, site);
    if (found)
        snprintf(text, size, "%s+0x%" PRIx64, found->object, found->offset);
    else
        snprintf(text, size, "?");
}

/* The number of characters in `text` after snprintf was given `used` of `size`. */
static size_t add(size_t used, int n, size_t size)
{
    return n < 0 || used + (size_t)n >= size ? size - 1 : used + (size_t)n;
}

void tl_site_name(const tl_reader *r, uint32_t rank, uint32_t site, char *text, size_t size)
{
    const tl_site *found = tl_reader_site(r, rank, site);
    if (!found || !found->n_sources) {
        tl_site_text(r, rank, site, text, size);
        return;
    }
    size_t used = 0;
    for (uint32_t i = 0; i < found->n_sources; i++) {
        const tl_source *s = &found->sources[i];
        used = add(used,
                   snprintf(text + used, size - used, "%s%s (", i ? " < " : "",
                            *s->function ? s->function : "?"),
                   size);
        if (*s->file)
            used = add(used,
                       snprintf(text + used, size - used, s->line ? "%s:%" PRIu32 ")" : "%s)",
                                s->file, s->line),
                       size);
        else
            used = add(used,
                       snprintf(text + used, size - used, "%s+0x%" PRIx64 ")", found->object,
                                found->offset),
                       size);
    }
}
