/* sample.c - replays parts of a run and predicts the whole run.
 *
 * The first and the last steps are always replayed. The steps between are divided into strata, and
 * one window of each stratum is replayed: some steps to warm up, then the steps that count. The
 * time of a window is the progress of the last rank, the front. Differences of fronts add up to the
 * makespan. More windows follow until the error is as small as wanted. */
#include "sample/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "machine/rank_model.h"
#include "results/usage.h"
#include "sample/window.h"

enum {
    N_WINDOWS = 6,   /* at first */
    LEAST_STEPS = 8, /* that a window counts, and that it warms up for */
    MOST_WINDOWS = 4096
};
/* Shares of the steps. If windows of whole periods exceeded the first share, windows are shorter.
 * If an error is wanted, the second share applies, because whole periods give a smaller error for
 * the same share. If windows exceeded the last share, the run is replayed in full. These numbers
 * and those above were chosen, not derived; tests/accuracy/sample.sh measures the errors that
 * they give. */
static const double AT_FIRST = 0.08, AT_FIRST_IF_WANTED = 0.2, WORTHWHILE = 0.6;

/* A spread that is tested again and again is small by chance at some time. The error must therefore
 * be smaller than the wanted one by this factor; the prediction then states the wanted error. The
 * factor is assumed. */
static const double SAFETY = 1.25;

typedef struct sampling {
    tlr_steps steps;
    tlr_window_replay how;
    size_t length;     /* steps that a window counts */
    size_t warm_up;    /* steps before them */
    size_t unit;       /* a window begins at a multiple of it */
    size_t begin, end; /* of the strata: the steps before and behind are replayed as they are */
    size_t n, room;
    tlr_stratum *strata;
    tlr_window *windows; /* of each stratum */
    tlr_window first, last;
    tlr_time_estimate estimate; /* of the strata */
} sampling;

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

/* The number of steps that are replayed with this number of windows. */
static size_t n_replayed(const sampling *s, size_t n_windows)
{
    return s->begin + (s->length + s->warm_up) * n_windows + s->steps.known.n_steps - s->end +
           s->warm_up;
}

static bool is_worthwhile(const sampling *s, size_t n_windows)
{
    return (double)n_replayed(s, n_windows) < WORTHWHILE * (double)s->steps.known.n_steps;
}

static size_t at_least(size_t n)
{
    return n > LEAST_STEPS ? n : LEAST_STEPS;
}

/* Windows count whole periods and begin where a period begins. If a period is too long, windows
 * count a part of a period and begin anywhere. Zero: the run is too short. */
static int plan_windows(sampling *s)
{
    const size_t n_steps = s->steps.known.n_steps;
    const double share = s->how.options->sample_error > 0 ? AT_FIRST_IF_WANTED : AT_FIRST;
    const size_t most = (size_t)(share * (double)n_steps / N_WINDOWS);
    s->unit = s->steps.period;
    s->length = round_up(LEAST_STEPS, s->unit);
    s->warm_up = at_least(s->length / 2);
    if (s->length > LEAST_STEPS && s->length + s->warm_up > most) {
        s->unit = 1;
        s->length = at_least(2 * most / 3);
        s->warm_up = at_least(most / 3);
    }
    s->begin = round_up(s->steps.first_cut + s->warm_up, s->unit);
    if (n_steps < s->begin + s->length)
        return 0;
    s->end = n_steps - s->length;
    return s->end > s->begin + N_WINDOWS * s->length && is_worthwhile(s, N_WINDOWS);
}

/* ---- strata ---- */

/* The share of the strata before a step. The number of steps and their work count half each, so
 * that neither long steps nor many short steps are in few windows. */
static double measure(const sampling *s, size_t step)
{
    const tlr_step_sums *known = &s->steps.known;
    const size_t work = known->n_terms - 1;
    return 0.5 * (double)(step - s->begin) / (double)(s->end - s->begin) +
           0.5 * tlr_step_sum(known, work, s->begin, step) /
               tlr_step_sum(known, work, s->begin, s->end);
}

/* Draws the steps that the window of a stratum counts. A window of whole periods begins at a
 * multiple of the period. */
static void draw_window(const sampling *s, tlr_stratum *stratum)
{
    const size_t first = round_up(stratum->from - s->warm_up, s->unit) + s->warm_up;
    const size_t last = stratum->past - s->length;
    const tlr_draw_key key = {.seed = s->how.options->seed,
                              .purpose = TLR_DRAW_WINDOW,
                              .index = stratum->from << 24 ^ stratum->past};
    const size_t n_places = last > first ? (last - first) / s->unit + 1 : 1;
    stratum->at = first + (size_t)(tlr_draw_uniform(&key) * (double)n_places) * s->unit;
    stratum->past_counted = stratum->at + s->length;
}

/* The least length of a stratum in which a window that begins at a multiple of its unit fits. */
static size_t least_steps(const sampling *s)
{
    return s->length + s->unit;
}

static tl_status make_strata(sampling *s, tl_error *err)
{
    s->room = N_WINDOWS;
    s->strata = calloc(s->room, sizeof *s->strata);
    s->windows = calloc(s->room, sizeof *s->windows);
    if (!s->strata || !s->windows)
        return tl_no_memory(err, "windows of a sample");
    size_t step = s->begin;
    for (s->n = 0; s->n < N_WINDOWS; s->n++) {
        const size_t left = N_WINDOWS - s->n - 1;
        tlr_stratum *stratum = &s->strata[s->n];
        *stratum = (tlr_stratum){.from = step};
        step += least_steps(s);
        while (step + left * least_steps(s) < s->end &&
               measure(s, step) < (double)(s->n + 1) / N_WINDOWS)
            step++;
        stratum->past = step = left ? step : s->end;
        draw_window(s, stratum);
    }
    return TL_OK;
}

/* ---- replays ---- */

/* Lags become shorter with the steps, roughly by the square root of their work. */
static double scale_of(const sampling *s, size_t from, size_t to)
{
    const tlr_step_sums *known = &s->steps.known;
    const size_t work = known->n_terms - 1;
    const double before = tlr_step_sum(known, work, from, from + 1);
    return before > 0 ? fmin(1, sqrt(tlr_step_sum(known, work, to, to + 1) / before)) : 0;
}

/* The last window that ends before a step. */
static const tlr_window *window_before(const sampling *s, size_t step)
{
    const tlr_window *best = &s->first;
    for (size_t h = 0; h < s->n; h++)
        if (s->windows[h].prediction && s->windows[h].past <= step &&
            s->windows[h].past > best->past)
            best = &s->windows[h];
    return best;
}

static tl_status replay_from(const sampling *s, size_t at, size_t past, tlr_window *out,
                             tl_error *err)
{
    const size_t from = at - s->warm_up;
    const tlr_window *before = window_before(s, from);
    return tlr_window_replay_steps(&s->steps, &s->how, s->unit, from, past, before,
                                   scale_of(s, before->past - 1, from), out, err);
}

static tl_status replay_strata(sampling *s, tl_error *err)
{
    for (size_t h = 0; h < s->n; h++) {
        tlr_stratum *stratum = &s->strata[h];
        tlr_window *w = &s->windows[h];
        if (w->prediction)
            continue;
        TL_TRY(replay_from(s, stratum->at, stratum->past_counted, w, err));
        stratum->seconds = w->front_s[w->past - w->from] - w->front_s[s->warm_up];
    }
    if (tlr_sample_fit(&s->steps.known, s->strata, s->n, &s->estimate) != TL_OK)
        return tl_no_memory(err, "windows of a sample");
    return TL_OK;
}

static tl_status replay_ends(sampling *s, tl_error *err)
{
    const tl_status status =
        tlr_window_replay_steps(&s->steps, &s->how, s->unit, 0, s->begin, NULL, 0, &s->first, err);
    return status;
}

static double rest_s(const sampling *s)
{
    return s->last.prediction->makespan_s - s->last.front_s[s->warm_up];
}

static double makespan_s(const sampling *s)
{
    return s->first.front_s[s->begin] + s->estimate.seconds + rest_s(s);
}

/* ---- more windows ---- */

/* The step at which a stratum is divided, so that its window stays in one of the two parts; 0: it
 * is too short. */
static size_t cut_of(const sampling *s, const tlr_stratum *stratum)
{
    const size_t least = least_steps(s), middle = (stratum->from + stratum->past) / 2;
    const size_t before = stratum->at - stratum->from,
                 behind = stratum->past - stratum->past_counted;
    size_t cut = middle;
    if (before < least && behind < least)
        return 0;
    if (before > behind && cut > stratum->at)
        cut = stratum->at;
    if (before <= behind && cut < stratum->past_counted)
        cut = stratum->past_counted;
    return cut;
}

static int make_room(sampling *s)
{
    const size_t room = s->room + 1;
    tlr_stratum *strata = realloc(s->strata, room * sizeof *strata);
    if (strata)
        s->strata = strata;
    tlr_window *windows = realloc(s->windows, room * sizeof *windows);
    if (windows)
        s->windows = windows;
    s->room = room;
    return strata && windows;
}

static tl_status split(sampling *s, size_t h, size_t cut, tl_error *err)
{
    if (!make_room(s))
        return tl_no_memory(err, "windows of a sample");
    const int keeps_first = s->strata[h].past_counted <= cut;
    memmove(s->strata + h + 1, s->strata + h, (s->n - h) * sizeof *s->strata);
    memmove(s->windows + h + 1, s->windows + h, (s->n - h) * sizeof *s->windows);
    s->n++;
    s->strata[h].past = s->strata[h + 1].from = cut;
    s->windows[keeps_first ? h + 1 : h] = (tlr_window){0};
    draw_window(s, &s->strata[keeps_first ? h + 1 : h]);
    return TL_OK;
}

/* Divides the stratum whose window contributes most to the error. 0 in *done: no stratum can be
 * divided. */
static tl_status split_widest(sampling *s, bool *done, tl_error *err)
{
    double most = 0;
    size_t widest = 0, cut = 0;
    for (size_t h = 0; h < s->n; h++) {
        const size_t here = cut_of(s, &s->strata[h]);
        const double seconds = s->windows[h].prediction ? s->strata[h].estimate_s : 0;
        if (!here || seconds <= most)
            continue;
        most = seconds;
        widest = h;
        cut = here;
    }
    *done = cut > 0;
    return cut ? split(s, widest, cut, err) : TL_OK;
}

/* The number of windows for the wanted error, if the error shrinks with the square root of this
 * number. At most twice the present number. */
static tl_status add_windows(sampling *s, double wanted, bool *done, tl_error *err)
{
    const double times = SAFETY * s->estimate.half_s / (wanted * makespan_s(s));
    const size_t now = s->n, more = 1 + (size_t)((double)now * fmin(1, times * times - 1));
    tl_status status = TL_OK;
    *done = is_worthwhile(s, now + more) && now < MOST_WINDOWS;
    for (size_t i = 0; i < more && *done && status == TL_OK; i++)
        status = split_widest(s, done, err);
    *done = s->n > now;
    return status;
}

/* ---- the prediction ---- */

/* Adds what a rank did in a window, multiplied by `times`. */
static void add_rank(tlr_rank_prediction *to, const tlr_rank_prediction *from, double times)
{
    to->compute_s += times * from->compute_s;
    to->kernel_s += times * from->kernel_s;
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        to->estimated_s[by] += times * from->estimated_s[by];
    to->p2p_s += times * from->p2p_s;
    to->wait_s += times * from->wait_s;
    to->collective_s += times * from->collective_s;
    to->io_s += times * from->io_s;
    to->n_events += from->n_events;
}

/* Adds the results of a window for the time `seconds` that it represents. The window begins with a
 * warm-up. */
static void add_window(tlr_rank_prediction *ranks, const tlr_window *w, double seconds)
{
    const tlr_prediction *p = w->prediction;
    for (uint32_t r = 0; r < p->n_ranks; r++)
        if (p->makespan_s > 0)
            add_rank(&ranks[r], &p->ranks[r], seconds / p->makespan_s);
}

static tl_status add_ranks(const sampling *s, tlr_prediction *out, tl_error *err)
{
    tlr_rank_prediction *ranks = calloc(out->n_ranks, sizeof *ranks);
    if (!ranks)
        return tl_no_memory(err, "windows of a sample");
    add_window(ranks, &s->first, s->first.front_s[s->begin]);
    for (size_t h = 0; h < s->n; h++)
        add_window(ranks, &s->windows[h], s->strata[h].estimate_s);
    add_window(ranks, &s->last, rest_s(s));
    const double later_s = makespan_s(s) - out->makespan_s;
    for (uint32_t r = 0; r < out->n_ranks; r++) {
        ranks[r].host = out->ranks[r].host;
        ranks[r].end_s = out->ranks[r].end_s + later_s;
        out->ranks[r] = ranks[r];
    }
    free(ranks);
    return TL_OK;
}

/* Adds the energy of a window for the time that it represents. */
static tl_status add_energy(const tlr_window *w, double seconds, tlr_resource **sum, size_t *n,
                            tl_error *err)
{
    const double window_s = w->prediction->makespan_s;
    return tlr_usage_add(w->usage, window_s > 0 ? seconds / window_s : 0, sum, n, err);
}

static tl_status take_energy(const sampling *s, tl_error *err)
{
    tlr_resource *sum = NULL;
    size_t n = 0;
    tl_status status = add_energy(&s->first, s->first.front_s[s->begin], &sum, &n, err);
    for (size_t h = 0; h < s->n && status == TL_OK; h++)
        status = add_energy(&s->windows[h], s->strata[h].estimate_s, &sum, &n, err);
    if (status == TL_OK)
        status = add_energy(&s->last, rest_s(s), &sum, &n, err);
    if (status == TL_OK)
        status = tlr_usage_put(s->how.options->usage, makespan_s(s), sum, n, err);
    free(sum);
    return status;
}

/* The beginning and the end of the run: MPI_Init with the following barrier, and MPI_Finalize. */
static tl_status take_marks(const sampling *s, tlr_prediction *out, tl_error *err)
{
    static const uint16_t of_beginning[] = {TL_MPI_Init, TL_MPI_Barrier};
    tlr_prediction *first = s->first.prediction;
    const double later_s = makespan_s(s) - out->makespan_s;
    tlr_mark *marks = calloc(3, sizeof *marks);
    size_t n = 0;
    if (!marks)
        return tl_no_memory(err, "windows of a sample");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < first->n_marks; i++)
            if (first->marks[i].call == of_beginning[k] && first->marks[i].predicted_s &&
                !first->marks[i].ordinal && n == k) {
                marks[n++] = first->marks[i];
                first->marks[i] = (tlr_mark){0};
            }
    for (size_t i = 0; i < out->n_marks; i++) {
        tlr_mark *mark = &out->marks[i];
        for (uint32_t r = 0; r < out->n_ranks && mark->predicted_s; r++)
            mark->predicted_s[r] += later_s;
        if (mark->call == TL_MPI_Finalize && n < 3) {
            marks[n++] = *mark;
            *mark = (tlr_mark){0};
        }
        free(mark->site);
        free(mark->measured_s);
        free(mark->predicted_s);
    }
    free(out->marks);
    out->marks = marks;
    out->n_marks = n;
    return TL_OK;
}

/* The number of events that a window counts, and of those in its stratum. */
static void count_events(const sampling *s, uint64_t *replayed, double *all)
{
    const uint64_t first = s->first.prediction->n_events, last = s->last.prediction->n_events;
    *replayed = first + last;
    *all = (double)first + (double)last / 2;
    for (size_t h = 0; h < s->n; h++) {
        const uint64_t n = s->windows[h].prediction->n_events;
        *replayed += n;
        *all += (double)n / (double)(s->windows[h].past - s->windows[h].from) *
                (double)(s->strata[h].past - s->strata[h].from);
    }
}

static tl_status name_trace(const tlr_steps *steps, tlr_prediction *out, tl_error *err)
{
    free(out->trace_path);
    free(out->command);
    out->trace_path = strdup(tl_reader_path(steps->trace));
    out->command = strdup(tl_reader_run(steps->trace)->program);
    if (!out->trace_path || !out->command)
        return tl_no_memory(err, "windows of a sample");
    return tl_reader_hash(steps->trace, &out->trace_hash, err);
}

static tl_status predict(sampling *s, double wanted, tlr_prediction **out, tl_error *err)
{
    tlr_prediction *p = s->last.prediction;
    const double seconds = makespan_s(s);
    double all = 0;
    uint64_t n_events = 0;
    count_events(s, &n_events, &all);
    tlr_sampled *sampled = p->sampled = calloc(1, sizeof *sampled);
    if (!sampled)
        return tl_no_memory(err, "windows of a sample");
    *sampled = (tlr_sampled){.n_windows = s->n,
                             .n_steps = s->steps.known.n_steps,
                             .n_steps_replayed = n_replayed(s, s->n),
                             .share = all > 0 ? (double)n_events / all : 1,
                             .low_s = fmax(0, seconds - s->estimate.half_s),
                             .high_s = seconds + s->estimate.half_s,
                             .wanted = wanted};
    if (s->how.options->usage)
        TL_TRY(take_energy(s, err));
    TL_TRY(add_ranks(s, p, err));
    TL_TRY(take_marks(s, p, err));
    TL_TRY(name_trace(&s->steps, p, err));
    p->n_events = n_events;
    for (size_t h = 0; h < s->n; h++)
        p->wall_s += s->windows[h].prediction->wall_s;
    p->wall_s += s->first.prediction->wall_s;
    p->makespan_s = seconds;
    *out = p;
    s->last.prediction = NULL;
    return TL_OK;
}

/* ---- all of it ---- */

static tl_status check(const tlr_job *jobs, size_t n_jobs, const tlr_options *options,
                       tl_error *err)
{
    if (n_jobs != 1 || jobs[0].start_s > 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "--sample replays one trace, from second 0; replay several in full");
    if (options->timeline || (options->usage && options->usage->has_links))
        return tl_fail(err, TL_ERR_USAGE,
                       "a timeline, details, links or a report are of all events; leave --sample "
                       "out");
    if (options->network_noise || tlr_changes_lose_packets(options->changes, options->n_changes))
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: the interval of a sampled replay does not contain the noise of "
                       "messages; leave it or --sample out",
                       options->network_noise ? "--noise network" : "--set retransmission.loss");
    if (options->noise)
        return tl_fail(err, TL_ERR_USAGE,
                       "--noise: detours have a clock of their own, which windows do not keep; "
                       "leave --sample out");
    return TL_OK;
}

static tl_status replay_all(tlr_replay_function *replay, const tlr_job *jobs,
                            const tlr_platform *platform, const char *engine,
                            const tlr_options *options, size_t n_steps, tlr_prediction **out,
                            tl_error *err)
{
    TL_TRY(replay(jobs, 1, platform, engine, options, out, err));
    tlr_sampled *sampled = out[0]->sampled = calloc(1, sizeof *sampled);
    if (!sampled)
        return tl_no_memory(err, "windows of a sample");
    *sampled = (tlr_sampled){.n_steps = n_steps,
                             .n_steps_replayed = n_steps,
                             .share = 1,
                             .low_s = out[0]->makespan_s,
                             .high_s = out[0]->makespan_s,
                             .wanted = options->sample_error};
    return TL_OK;
}

static void close_sampling(sampling *s)
{
    for (size_t h = 0; h < s->n; h++)
        tlr_window_close(&s->windows[h]);
    tlr_window_close(&s->first);
    tlr_window_close(&s->last);
    free(s->windows);
    free(s->strata);
    tlr_steps_close(&s->steps);
}

tl_status tlr_replay_sampled(tlr_replay_function *replay, const tlr_job *jobs, size_t n_jobs,
                             const tlr_platform *platform, const char *engine,
                             const tlr_options *options, tlr_prediction **out, tl_error *err)
{
    sampling s = {.how = {replay, platform, engine, options}};
    const double wanted = options->sample_error;
    bool is_enough = 1;
    tl_status status = check(jobs, n_jobs, options, err);
    if (status == TL_OK)
        status = tlr_steps_open(jobs[0].trace, &s.steps, err);
    if (status == TL_OK && !plan_windows(&s)) {
        status =
            replay_all(replay, jobs, platform, engine, options, s.steps.known.n_steps, out, err);
        close_sampling(&s);
        return status;
    }
    if (status == TL_OK && (status = replay_ends(&s, err)) == TL_OK &&
        (status = make_strata(&s, err)) == TL_OK && (status = replay_strata(&s, err)) == TL_OK)
        status = replay_from(&s, s.end, s.steps.known.n_steps, &s.last, err);
    while (status == TL_OK && wanted > 0 && is_enough &&
           SAFETY * s.estimate.half_s > wanted * makespan_s(&s)) {
        status = add_windows(&s, wanted, &is_enough, err);
        if (status == TL_OK && is_enough)
            status = replay_strata(&s, err);
    }
    if (status == TL_OK && wanted > 0)
        s.estimate.half_s = wanted * makespan_s(&s);
    if (status == TL_OK)
        status = is_enough ? predict(&s, wanted, out, err)
                           : replay_all(replay, jobs, platform, engine, options,
                                        s.steps.known.n_steps, out, err);
    close_sampling(&s);
    return status;
}
