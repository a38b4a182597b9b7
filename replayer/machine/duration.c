/* duration.c - durations and sizes as users write them. */
#include "machine/duration.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double tlr_parse_ps(const char *text, const char **end)
{
    static const struct {
        const char *name;
        double ps;
    } units[] = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    char *after;
    const double value = strtod(text, &after);
    if (after == text || !isfinite(value) || value < 0 ||
        strcspn(text, "xX") < (size_t)(after - text))
        return NAN;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const size_t n = strlen(units[i].name);
        if (!strncmp(after, units[i].name, n)) {
            *end = after + n;
            return value * units[i].ps;
        }
    }
    *end = after;
    return value == 0 ? 0 : NAN;
}

int tlr_parse_bytes(const char *text, const char **end, uint64_t *out)
{
    static const char units[] = "KMG";
    char *after;
    errno = 0;
    *out = strtoull(text, &after, 10);
    if (*text < '0' || *text > '9' || errno) /* strtoull takes -1 as 2^64 - 1 */
        return 0;
    const char *unit = *after ? strchr(units, toupper((unsigned char)*after)) : NULL;
    const unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
    *end = after + (unit != NULL);
    if (*out > UINT64_MAX >> shift)
        return 0;
    *out <<= shift;
    return 1;
}
