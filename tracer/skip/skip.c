/* skip.c - what is skipped in this run, as TIMELESS_SKIP says it. */
#include "config.h"

#include "skip/skip.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "comparable.h"

static const char *words(void)
{
    const char *given = getenv("TIMELESS_SKIP");
    return given ? given : "";
}

bool tlt_skip_word(const char *key, int n, char *value, size_t size)
{
    const size_t key_length = strlen(key);
    for (const char *at = words(); *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length > key_length && !strncmp(at, key, key_length) && at[key_length] == '=' &&
            n-- == 0)
            return snprintf(value, size, "%.*s", (int)(length - key_length - 1),
                            at + key_length + 1) < (int)size;
        at += length;
    }
    return false;
}

void tlt_skip_text(char *text, size_t size)
{
    snprintf(text, size, "%s%s", *words() ? "recorded without computing: " : "", words());
}

void tlt_skip_start(void)
{
    if (!*words())
        return;
    tlt_skip_functions();
    tlt_fold_memory();
    tlt_skip_waits = true;
    tlt_not_comparable("kernels were skipped");
}
