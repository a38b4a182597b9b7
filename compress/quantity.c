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
static const unit times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}, {"ps", 1e-12}};
static const unit speeds[] = {{"f", 1}, {"flops", 1}};
static const unit frequencies[] = {{"Hz", 1}};
static const unit prefixes[] = {{"", 1},        {"k", 1e3},    {"M", 1e6},     {"G", 1e9},
                                {"T", 1e12},    {"P", 1e15},   {"Ki", 0x1p10}, {"Mi", 0x1p20},
                                {"Gi", 0x1p30}, {"Ti", 0x1p40}};

static const struct kind {
    const unit *units;
    size_t n_units;
    size_t n_prefixes; /* how many of the prefixes the units take */
} kinds[] = {
    [TL_BANDWIDTH] = {bandwidths, sizeof bandwidths / sizeof *bandwidths, 10},
    [TL_DURATION] = {times, sizeof times / sizeof *times, 1},
    [TL_SPEED] = {speeds, sizeof speeds / sizeof *speeds, 6},
    [TL_FREQUENCY] = {frequencies, sizeof frequencies / sizeof *frequencies, 5},
};

static int find_unit(const struct kind *kind, const char *name, double *out)
{
    for (size_t p = 0; p < kind->n_prefixes; p++) {
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
    if (rest == text || (!*rest && number != 0) ||
        (*rest && !find_unit(&kinds[kind], rest, &scale)))
        return 0;
    *out = number * scale;
    return isfinite(*out);
}
