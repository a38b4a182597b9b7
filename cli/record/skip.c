/* skip.c - options of timeless record for runs that do not compute. They are checked here and
 * passed to the tracer in TIMELESS_SKIP, as words separated by blanks. */
#include "cli.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_groups.h"
#include "record/record.h"

enum { SKIP_KERNELS = 768, SKIP, FOLD_MEMORY };

/* Where a run without numbers gets lost, and what computes nothing else: see the manual page. */
#define DEFAULT_KERNELS "blas2,blas3,lapack"

static const struct argp_option options[] = {
    {"skip-kernels", SKIP_KERNELS, "LIST", OPTION_ARG_OPTIONAL,
     "record the sizes of these routines, and do not compute (default: " DEFAULT_KERNELS ")", 0},
    {"skip", SKIP, "SYMBOL[:N,...]", 0, "do not run this function of the program", 0},
    {"fold-memory", FOLD_MEMORY, "BYTES", OPTION_ARG_OPTIONAL,
     "let large blocks of the program share memory", 0},
    {0}};

static record_words words = {
    .variable = "TIMELESS_SKIP", .size = 4096, .too_long = "what is to be skipped"};
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

/* "NAME" or "NAME:1,2" */
static void check_function(struct argp_state *state, const char *text)
{
    const size_t length = strcspn(text, ":");
    bool right = length > 0 && !strpbrk(text, " =");
    for (const char *at = text + length; right && *at; at += 2)
        right = (at == text + length ? *at == ':' : *at == ',') && at[1] >= '1' && at[1] <= '6';
    if (!right)
        argp_error(state,
                   "--skip %s: give the name of a function, and which of its first six integer "
                   "arguments are sizes, as in scale or scale:1,2",
                   text);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    enum { LEAST_BYTES = 262144, DEFAULT_BYTES = 16777216 };
    switch (key) {
    case SKIP_KERNELS:
        if (skips)
            argp_error(state, "--skip-kernels: give one list");
        check_kernels(state, arg ? arg : DEFAULT_KERNELS);
        record_add_word(&words, "kernels=%s", arg && *arg ? arg : DEFAULT_KERNELS);
        skips = true;
        return 0;
    case SKIP:
        check_function(state, arg);
        record_add_word(&words, "function=%s", arg);
        return 0;
    case FOLD_MEMORY:
        record_add_word(&words, "memory=%llu",
                        arg ? (unsigned long long)cli_parse_number_from(
                                  state, "bytes of a block to fold", arg, LEAST_BYTES, UINT64_MAX)
                            : DEFAULT_BYTES);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

bool record_skips_kernels(void)
{
    return skips;
}

const struct argp cli_skip = {options, parse_option, NULL, NULL, NULL, NULL, NULL};
