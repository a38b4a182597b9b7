/* volume.c - chooses a volume source. */
#include "config.h"

#include "volume.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Best first: exact and time-independent sources, then cheap ones, then all others. Sources after
 * `none` are used only if they are requested. */
static const tlt_volume_source *const sources[] = {
    /* clang-format off */
    &tlt_volume_papi,
    &tlt_volume_rseq,
    &tlt_volume_cputime,
    &tlt_volume_none,
    &tlt_volume_process,
    &tlt_volume_exact,
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

/* A request for "exact" also matches "exact:qemu", and "papi:EVENT" matches "papi". */
static bool asks_for(const char *wanted, const tlt_volume_source *s)
{
    size_t n = strlen(wanted), n_option = strlen(s->option);
    if (n > n_option && s->choose_event)
        return !strncmp(wanted, s->option, n_option) && wanted[n_option] == ':';
    return !strncmp(wanted, s->option, n) && (!s->option[n] || s->option[n] == ':');
}

static const char *start_source(const tlt_volume_source *s, const char *wanted)
{
    const char *reason = NULL, *event = wanted ? strchr(wanted, ':') : NULL;
    if (event && s->choose_event)
        reason = s->choose_event(event + 1);
    return reason ? reason : s->start();
}

const tlt_volume_source *tlt_volume_choose(const char *wanted, char *why, size_t why_size)
{
    int any = !wanted || !*wanted || !strcmp(wanted, "auto");
    int known = any;
    for (int i = 0; i < N_SOURCES; i++) {
        const tlt_volume_source *s = sources[i];
        if (!any && !asks_for(wanted, s))
            continue;
        known = 1;
        const char *reason = start_source(s, wanted);
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
    bool any = !strcmp(wanted, "all");
    for (int i = 0; i < N_SOURCES; i++) {
        if (any ? !strncmp(sources[i]->option, "exact", 5) : !asks_for(wanted, sources[i]))
            continue;
        const char *reason = sources[i]->start();
        printf("%-14s %-24s %-13s %s%s\n", sources[i]->option, sources[i]->name, sources[i]->unit,
               reason ? "no: " : "works", reason ? reason : "");
        if (!reason)
            sources[i]->stop();
    }
    fflush(stdout);
}
