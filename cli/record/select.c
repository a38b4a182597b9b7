/* select.c - options of timeless record that select a part of the run. They are checked here and
 * passed to the tracer in TIMELESS_SELECT, as words separated by blanks. */
#include "cli.h"

#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/record.h"
#include "timeless.h"

enum { REGIONS = 512, FROM, UNTIL, EXCLUDE, RANKS, ON_SIGNAL, RENAMED };

static const struct argp_option options[] = {
    {"regions", REGIONS, NULL, 0, "from MPI_Pcontrol(1) to MPI_Pcontrol(0)", 0},
    {"since", FROM, "WHEN", 0, "from section WHEN on, or from WHEN seconds (30s)", 0},
    {"until", UNTIL, "WHEN", 0, "to the end of section WHEN, or WHEN seconds", 0},
    {"ranks", RANKS, "LIST", 0, "these ranks, as in 0-3,7", 0},
    {"signal", ON_SIGNAL, "NAME", 0, "begin and end at each signal USR1 or USR2", 0},
    {"exclude", EXCLUDE, "NAMES", 0, "leave out these calls, as in MPI_Iprobe,dgemm", 0},
    {"from", RENAMED, "WHEN", OPTION_HIDDEN, NULL, 0},
    {0}};

/* Calls for which no other rank waits, and without which the program's other calls have the same
 * meaning. */
static bool can_be_left_out(const tl_call_info *row)
{
    if (row->code == TL_MPI_Parallel)
        return true;
    switch (row->action) {
    case TL_ACTION_CLOCK:
    case TL_ACTION_SLEEP:
    case TL_ACTION_REGION:
    case TL_ACTION_PROBE:
    case TL_ACTION_KERNEL: return true;
    default: return false;
    }
}

static void check_excluded(struct argp_state *state, const char *names)
{
    char name[64];
    for (const char *at = names; *at; at += strcspn(at, ","), at += *at == ',') {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        const tl_call_info *row = tl_call_by_name(name);
        if (!row)
            argp_error(state, "--exclude %s: is not a call; 'timeless info' prints names of calls",
                       name);
        else if (!can_be_left_out(row))
            argp_error(state,
                       "--exclude %s: replay needs it, with the calls of other ranks; probes, "
                       "kernels, MPI_Pcontrol and MPI_Wtime can be left out",
                       name);
    }
}

static void check_when(struct argp_state *state, const char *option, const char *text)
{
    char *end;
    double at = strtod(text, &end);
    bool in_seconds = *end == 's';
    bool whole = at == (double)(long)at;
    if (end == text || at < 0 || at > 1e9 || end[in_seconds] || (!in_seconds && !whole))
        argp_error(state, "--%s %s: give the number of a section or seconds, as in 30s", option,
                   text);
}

/* The part would be empty. A section and a time cannot be compared. */
static void check_order(struct argp_state *state, const char *from, const char *until)
{
    if (from && until && !strchr(from, 's') == !strchr(until, 's') &&
        strtod(from, NULL) > strtod(until, NULL))
        argp_error(state, "--since %s is after --until %s; swap them", from, until);
}

static unsigned long n_ranks_named;

unsigned long cli_select_n_ranks(void)
{
    return n_ranks_named;
}

/* Parses a rank and moves behind it; false if there is none. */
static bool take_rank(const char **at, unsigned long *rank)
{
    char *end = NULL;
    if (!isdigit((unsigned char)**at))
        return false;
    *rank = strtoul(*at, &end, 10);
    *at = end;
    return *rank < INT_MAX;
}

/* "0-3,7" */
static bool read_ranks(const char *at)
{
    for (;; at++) {
        unsigned long first = 0, last;
        if (!take_rank(&at, &first))
            return false;
        last = first;
        if (*at == '-') {
            at++;
            if (!take_rank(&at, &last) || last < first)
                return false;
        }
        if (last >= n_ranks_named)
            n_ranks_named = last + 1;
        if (*at != ',')
            return !*at;
    }
}

/* The tracer accepts this number of bytes (tlt_select_start). */
static record_words words = {
    .variable = "TIMELESS_SELECT",
    .size = 1024,
    .too_long = "what selects a part of the run (write ranks that follow each other as 0-63)"};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    static const char *from, *until;
    switch (key) {
    case REGIONS: record_add_word(&words, "regions"); return 0;
    case FROM:
        check_when(state, "since", arg);
        from = arg;
        record_add_word(&words, "from=%s", arg);
        return 0;
    case RENAMED: cli_refuse_renamed(state, "--from", "--since"); return 0;
    case UNTIL:
        check_when(state, "until", arg);
        until = arg;
        record_add_word(&words, "until=%s", arg);
        return 0;
    case RANKS:
        n_ranks_named = 0; /* the last list counts */
        if (!read_ranks(arg))
            argp_error(state, "--ranks %s: give ranks, as in 0-3,7", arg);
        record_add_word(&words, "ranks=%s", arg);
        return 0;
    case ON_SIGNAL:
        if (strcmp(arg, "USR1") != 0 && strcmp(arg, "USR2") != 0)
            argp_error(state, "--signal %s: give USR1 or USR2", arg);
        record_add_word(&words, "signal=%s", arg);
        return 0;
    case ARGP_KEY_END: check_order(state, from, until); return 0;
    case EXCLUDE:
        check_excluded(state, arg);
        record_add_word(&words, "exclude=%s", arg);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

const struct argp cli_select = {options, parse_option, NULL, NULL, NULL, NULL, NULL};
