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

const char *tlt_skip_list(void)
{
    static const char key[] = "kernels=";
    const size_t length = sizeof key - 1;
    return strncmp(words(), key, length) ? NULL : words() + length;
}

void tlt_skip_text(char *text, size_t size)
{
    snprintf(text, size, "%s%s", *words() ? "recorded without computing: " : "", words());
}

void tlt_skip_start(void)
{
    if (!*words())
        return;
    tlt_skip_waits = true;
    tlt_not_comparable("kernels were skipped");
}
