/* quantity.c - reads numbers with a unit: "10Gbps", "5us", "3Gf", "1kHz". */
#include "timeless_files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double value;
} unit;

/* The units of SimGrid, and hertz. */
static const unit bandwidths[] = {{"Bps", 1}, {"bps", 0.125}};
static const unit times[] = {{"s", 1},     {"ms", 1e-3},   {"us", 1e-6},
                             {"ns", 1e-9}, {"ps", 1e-12},  {"m", 60.0},
                             {"h", 3600},  {"d", 86400.0}, {"w", 7 * 86400.0}};
static const unit speeds[] = {{"f", 1}, {"flops", 1}};
static const unit frequencies[] = {{"Hz", 1}};
static const unit prefixes[] = {
    {"kilo", 1e3},  {"mega", 1e6},   {"giga", 1e9},   {"tera", 1e12}, {"peta", 1e15},
    {"exa", 1e18},  {"zetta", 1e21}, {"yotta", 1e24}, {"", 1},        {"k", 1e3},
    {"M", 1e6},     {"G", 1e9},      {"T", 1e12},     {"P", 1e15},    {"E", 1e18},
    {"Z", 1e21},    {"Y", 1e24},     {"Ki", 0x1p10},  {"Mi", 0x1p20}, {"Gi", 0x1p30},
    {"Ti", 0x1p40}, {"Pi", 0x1p50},  {"Ei", 0x1p60},  {"Zi", 0x1p70}, {"Yi", 0x1p80}};
enum { NO_PREFIX = 8, N_PREFIXES = sizeof prefixes / sizeof *prefixes };

static const struct kind {
    const unit *units;
    size_t n_units;
    size_t first, end; /* the prefixes that the units take */
} kinds[] = {
    [TL_BANDWIDTH] = {bandwidths, sizeof bandwidths / sizeof *bandwidths, NO_PREFIX, N_PREFIXES},
    [TL_DURATION] = {times, sizeof times / sizeof *times, NO_PREFIX, NO_PREFIX + 1},
    [TL_SPEED] = {speeds, sizeof speeds / sizeof *speeds, 0, NO_PREFIX + 9},
    [TL_FREQUENCY] = {frequencies, sizeof frequencies / sizeof *frequencies, NO_PREFIX,
                      NO_PREFIX + 5},
};

static int find_unit(const struct kind *kind, const char *name, double *out)
{
    for (size_t p = kind->first; p < kind->end; p++) {
        const size_t length = strlen(prefixes[p].name);
        for (size_t i = 0; i < kind->n_units && !strncmp(name, prefixes[p].name, length); i++)
            if (!strcmp(name + length, kind->units[i].name)) {
                *out = prefixes[p].value * kind->units[i].value;
                return 1;
            }
    }
    return 0;
}

int tl_quantity_parse(const char *text, tl_quantity kind, double *out)
{
    char *rest;
    double scale = 1;
    const double number = strtod(text, &rest);
    if (rest == text || (!*rest && number != 0) || strcspn(text, "xX") < (size_t)(rest - text) ||
        (*rest && !find_unit(&kinds[kind], rest, &scale)))
        return 0;
    *out = number * scale;
    return isfinite(*out);
}
