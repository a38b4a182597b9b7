/* skip.c - options of timeless record for runs that do not compute. They are checked here and
 * passed to the tracer in TIMELESS_SKIP. */
#include "cli.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_groups.h"
#include "record/record.h"

enum { SKIP_KERNELS = 768 };

/* Where a run without numbers gets lost, and what computes nothing else: see the manual page. */
#define DEFAULT_KERNELS "blas2,blas3,lapack"

static const struct argp_option options[] = {
    {"skip-kernels", SKIP_KERNELS, "LIST", OPTION_ARG_OPTIONAL,
     "record the sizes of these routines, and do not compute (default: " DEFAULT_KERNELS ")", 0},
    {0}};

static bool skips;

static bool is_group(const char *word)
{
    static const char *const groups[] = {"blas2", "blas3", "lapack"};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (!strcmp(groups[i], word))
            return true;
    return false;
}

static void check_kernels(struct argp_state *state, const char *list)
{
    char name[32];
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (is_group(name) || tl_kernel_group_of(name) != TL_KERNELS_NONE)
            continue;
        argp_error(state,
                   "--skip-kernels=%s: give blas2, blas3, lapack, or routines of BLAS or LAPACK "
                   "whose result is not a number that the program tests, as in dgemm,dscal",
                   name);
    }
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    char text[4096];
    if (key != SKIP_KERNELS)
        return ARGP_ERR_UNKNOWN;
    if (skips)
        argp_error(state, "--skip-kernels: give one list");
    check_kernels(state, arg ? arg : DEFAULT_KERNELS);
    if (snprintf(text, sizeof text, "kernels=%s", arg && *arg ? arg : DEFAULT_KERNELS) >=
        (int)sizeof text)
        argp_error(state, "--skip-kernels: the list has more than %zu bytes", sizeof text - 9);
    setenv("TIMELESS_SKIP", text, 1);
    skips = true;
    return 0;
}

bool record_skips_kernels(void)
{
    return skips;
}

const struct argp cli_skip = {options, parse_option, NULL, NULL, NULL, NULL, NULL};
