/* select.c - which part of the run is recorded in full. */
#include "config.h"

#include "select.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <timeless_files.h>

#include "comparable.h"
#include "mpi/interface.h"
#include "runtime.h"

/* A place in the run: a section, or seconds since MPI_Init. */
typedef struct moment {
    bool given, in_seconds;
    double at;
    bool reached; /* of one in seconds: all ranks know */
} moment;

/* What the ranks tell each other, the least counts: all are negative. */
enum { SIGNALS, FROM, UNTIL, LEAVES, N_VOICES };

static struct {
    bool full;    /* now */
    bool is_mine; /* this rank is selected */
    bool by_region, in_region;
    moment from, until;
    bool by_signal, signalled_on;
    bool in_part;                 /* something but calls is left out */
    uint64_t full_ns, changed_ns; /* time in full so far; when `full` changed last */
    int handled;                  /* signals */
    uint32_t section;
    enum tlt_kernels kernels;          /* in full */
    bool agrees;                       /* there is something that the ranks cannot know alone */
    int mine[N_VOICES], all[N_VOICES]; /* of an agreement; nobody may wait for its end */
    uint8_t excluded[TL_CALL_LIMIT / 8];
    uint8_t *spanning; /* bit by id of communicator */
    uint32_t n_spanning;
} selection;

static volatile sig_atomic_t n_signals;

static void count_signal(int number)
{
    (void)number;
    n_signals++;
}

/* ---- what is selected ---- */

static bool read_moment(const char *text, moment *out)
{
    char *end;
    *out = (moment){.given = true, .at = strtod(text, &end)};
    out->in_seconds = *end == 's';
    return end != text && out->at >= 0 && !end[out->in_seconds];
}

/* "0-3,7" */
static bool read_ranks(const char *text)
{
    char *end;
    long greatest = 0;
    selection.is_mine = false;
    do {
        long first = strtol(text, &end, 10), last = first;
        if (end == text)
            return false;
        if (*end == '-')
            last = strtol(text = end + 1, &end, 10);
        if (end == text)
            return false;
        selection.is_mine |= tlt.rank >= first && tlt.rank <= last;
        greatest = last > greatest ? last : greatest;
        text = end + 1;
    } while (*end == ',');
    if (greatest >= tlt.n_ranks && tlt.rank == 0)
        tlt_say("--ranks: there is no rank %ld in a run of %d ranks; the others are recorded",
                greatest, tlt.n_ranks);
    return !*end;
}

static bool read_excluded(char *text)
{
    char *rest = NULL;
    for (char *name = strtok_r(text, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        const tl_call_info *row = tl_call_by_name(name);
        if (!row)
            return false;
        selection.excluded[row->code / 8] |= (uint8_t)(1U << row->code % 8);
    }
    return true;
}

static bool read_signal(const char *name)
{
    const int number = !strcmp(name, "USR1") ? SIGUSR1 : !strcmp(name, "USR2") ? SIGUSR2 : 0;
    struct sigaction action = {.sa_handler = count_signal, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    selection.by_signal = true;
    return number && sigaction(number, &action, NULL) == 0;
}

static bool read_word(char *word)
{
    char *value = strchr(word, '=');
    if (!strcmp(word, "regions"))
        return selection.in_part = selection.by_region = true;
    if (!value)
        return false;
    *value++ = '\0';
    selection.in_part |= strcmp(word, "exclude") != 0;
    if (!strcmp(word, "from"))
        return read_moment(value, &selection.from);
    if (!strcmp(word, "until"))
        return read_moment(value, &selection.until);
    if (!strcmp(word, "ranks"))
        return read_ranks(value);
    if (!strcmp(word, "exclude"))
        return read_excluded(value);
    return !strcmp(word, "signal") && read_signal(value);
}

/* ---- now ---- */

static bool has_passed(const moment *m, double section)
{
    return m->in_seconds ? m->reached : section >= m->at;
}

/* Adds the time since the last change. */
static void count_time(void)
{
    const uint64_t now_ns = tlt_clock_ns();
    if (selection.full)
        selection.full_ns += now_ns - selection.changed_ns;
    selection.changed_ns = now_ns;
}

static void decide(void)
{
    const bool full =
        selection.is_mine && (!selection.by_region || selection.in_region) &&
        (!selection.by_signal || selection.signalled_on) &&
        (!selection.from.given || has_passed(&selection.from, selection.section)) &&
        /* the section named last is still recorded */
        (!selection.until.given || !has_passed(&selection.until, selection.section - 1.0));
    if (full != selection.full)
        count_time();
    selection.full = full;
    __atomic_store_n(&tlt.kernels, selection.full ? selection.kernels : TLT_KERNELS_NONE,
                     __ATOMIC_RELAXED);
}

/* A rank that has stopped recording must not keep the others waiting, whatever stopped it. */
static bool all_answer(void)
{
    const uint64_t patience_ns = 20 * UINT64_C(1000000000), start_ns = tlt_monotonic_ns();
    for (int done = 0; !done; sched_yield()) {
        if (!tlt_mpi->agreement_test(&done))
            return false;
        if (!done && tlt_monotonic_ns() - start_ns > patience_ns) {
            tlt_say("rank %d: not all ranks answer; the selection does not change any more",
                    tlt.rank);
            return false;
        }
    }
    return true;
}

/* What one rank has seen all act on: a signal may have reached some before this collective and
 * others after it, and clocks differ. */
static void agree(void)
{
    const double now_s = (double)tlt_clock_ns() * 1e-9;
    const int *all = selection.all;
    selection.mine[SIGNALS] = -(int)n_signals;
    selection.mine[FROM] = -(now_s >= selection.from.at);
    selection.mine[UNTIL] = -(now_s >= selection.until.at);
    selection.agrees = tlt_mpi->agreement_begin(selection.mine, selection.all, N_VOICES) &&
                       all_answer() && !all[LEAVES];
    if (!selection.agrees)
        return;
    if ((-all[SIGNALS] - selection.handled) % 2)
        selection.signalled_on = !selection.signalled_on;
    selection.handled = -all[SIGNALS];
    selection.from.reached |= all[FROM] != 0;
    selection.until.reached |= all[UNTIL] != 0;
}

void tlt_select_leave(void)
{
    if (!tlt.selecting || !selection.agrees)
        return;
    selection.agrees = false;
    selection.mine[LEAVES] = -1;
    /* It ends when the others come to their next agreement. */
    tlt_mpi->agreement_begin(selection.mine, selection.all, N_VOICES);
}

void tlt_select_write(tl_writer *writer)
{
    if (!tlt.selecting || !selection.in_part)
        return;
    count_time();
    const tl_counter counter = {
        .id = TL_COUNTER_SELECTED, .name = TL_COUNTER_SELECTED_NAME, .value = selection.full_ns};
    tl_writer_define_counter(writer, &counter);
    if (selection.full_ns < selection.changed_ns)
        tlt_not_comparable("the run was recorded in part");
}

static bool spans_all_ranks(uint32_t comm)
{
    return comm == TL_COMM_WORLD || (comm == TL_COMM_SELF && tlt.n_ranks == 1) ||
           (comm < selection.n_spanning && (selection.spanning[comm / 8] >> comm % 8 & 1));
}

bool tlt_select_excludes(uint16_t call)
{
    return selection.excluded[call / 8] >> call % 8 & 1;
}

static bool is_boundary(const tl_event *event)
{
    return (tl_call_by_code(event->call)->traits & TL_TRAIT_SYNC) && spans_all_ranks(event->comm);
}

void tlt_select_begun(tl_event *event)
{
    const bool was_full = selection.full;
    if (is_boundary(event)) {
        selection.section++;
        decide();
    }
    if (!was_full)
        event->volume = 0;
    if (!was_full && !selection.full)
        event->site = 0;
}

bool tlt_select_event(tl_event *event, bool begun)
{
    const bool was_full = selection.full;
    if (tlt_select_excludes(event->call))
        return false;
    if (is_boundary(event)) {
        selection.section += !begun;
        if (selection.agrees)
            agree();
        decide();
    } else if (event->call == TL_MPI_Pcontrol && selection.by_region) {
        selection.in_region = event->tag > 0;
        decide();
    } else if (event->call == TL_MPI_Finalize) {
        selection.agrees = false;
    }
    if (!was_full)
        tlt_self.volume_kept = 0;
    if (!was_full && !selection.full)
        event->site = 0;
    return true;
}

bool tlt_select_is_full(void)
{
    return !tlt.selecting || selection.full;
}

void tlt_select_spanning(uint32_t comm)
{
    if (!tlt.selecting)
        return;
    if (comm >= selection.n_spanning) {
        const uint32_t n = 2 * (comm + 8) / 8 * 8;
        uint8_t *spanning = realloc(selection.spanning, n / 8);
        if (!spanning) {
            tlt_fail("out of memory");
            return;
        }
        memset(spanning + selection.n_spanning / 8, 0, (n - selection.n_spanning) / 8);
        selection.spanning = spanning;
        selection.n_spanning = n;
    }
    selection.spanning[comm / 8] |= (uint8_t)(1U << comm % 8);
}

/* ---- the beginning ---- */

void tlt_select_text(char *text, size_t size)
{
    const char *given = getenv("TIMELESS_SELECT");
    snprintf(text, size, "%s%s", given && *given ? "recorded in part: " : "", given ? given : "");
}

void tlt_select_start(void)
{
    char text[1024] = "", *rest = NULL;
    const char *given = getenv("TIMELESS_SELECT");
    free(selection.spanning);
    memset(&selection, 0, sizeof selection);
    selection.is_mine = true;
    selection.kernels = tlt.kernels;
    /* Rank 0's for all: a launcher may give others another one. */
    snprintf(text, sizeof text, "%s", given ? given : "");
    tlt_mpi->share(text, sizeof text, 0);
    tlt.selecting = *text;
    if (!tlt.selecting)
        return;
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!read_word(word) && tlt.rank == 0)
            tlt_say("TIMELESS_SELECT: '%s' is unknown, and is ignored", word);
    selection.agrees =
        selection.by_signal || selection.from.in_seconds || selection.until.in_seconds;
    if (selection.agrees)
        tlt_mpi->agreement_open();
    decide();
    selection.changed_ns = 0; /* the clock starts when the ranks have met */
}
