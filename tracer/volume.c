/* volume.c - choose a volume source. */
#include "config.h"

#include "volume.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Best first: exact and time-independent, then cheap, then whatever is left.  What stands after
 * none is never taken unasked. */
static const tlt_volume_source *const sources[] = {
    /* clang-format off */
    &tlt_volume_papi,
    &tlt_volume_rseq,
    &tlt_volume_perf,
    &tlt_volume_cputime,
    &tlt_volume_none,
    &tlt_volume_exact_valgrind,
    &tlt_volume_exact_qemu,
    /* clang-format on */
};
enum { N_SOURCES = sizeof sources / sizeof *sources };

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size,
                                                         const char *format, ...)
{
    size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, args);
    va_end(args);
}

/* "exact" asks for "exact:qemu" too. */
static bool asks_for(const char *wanted, const char *option)
{
    size_t n = strlen(wanted);
    return !strncmp(wanted, option, n) && (!option[n] || option[n] == ':');
}

const tlt_volume_source *tlt_volume_choose(const char *wanted, char *why, size_t why_size)
{
    int any = !wanted || !*wanted || !strcmp(wanted, "auto");
    int known = any;
    for (int i = 0; i < N_SOURCES; i++) {
        const tlt_volume_source *s = sources[i];
        if (!any && !asks_for(wanted, s->option))
            continue;
        known = 1;
        const char *reason = s->start();
        if (!reason)
            return s;
        append(why, why_size, "%snot %s: %s", *why ? "; " : "", s->name, reason);
    }
    if (!known)
        append(why, why_size, "'%s' is no volume source", wanted);
    return NULL;
}

int tlt_volume_number(const tlt_volume_source *source)
{
    for (int i = 0; i < N_SOURCES; i++)
        if (sources[i] == source)
            return i;
    return -1;
}

void tlt_volume_list(const char *wanted)
{
    bool any = !strcmp(wanted, "auto");
    for (int i = 0; i < N_SOURCES; i++) {
        if (any ? i > tlt_volume_number(&tlt_volume_none) : !asks_for(wanted, sources[i]->option))
            continue;
        const char *reason = sources[i]->start();
        printf("%-14s %-24s %-13s %s%s\n", sources[i]->option, sources[i]->name, sources[i]->unit,
               reason ? "no: " : "works", reason ? reason : "");
        if (!reason)
            sources[i]->stop();
    }
    fflush(stdout);
}
