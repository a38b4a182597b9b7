/* duration.c - durations as users write them. */
#include "machine/duration.h"

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
