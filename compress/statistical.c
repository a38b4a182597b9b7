/* statistical.c - gives the events of a rank the volumes of the blocks that were kept. */
#include "statistical.h"

#include "core/error.h"

#include <inttypes.h>
#include <math.h>

/* Volumes are rounded to a step: a part of the mean difference between one volume and the next at
 * the same call site, and at most this part of the volume. */
static const double step_of_difference = 1.0 / 6, step_of_volume = 1.0 / 128;
/* A time between two looks at the clock is kept to this part of it. */
static const double clock_precision = 1e-3;
/* What the last event of a rank may take of its total. All ranks wait for one that takes more. */
static const double rest_aim = 2e-5, rest_most = 1e-4, rest_limit = 1e-2;
enum { MAX_TRIES = 8 };

/* ---- burst classes ---- */

static tl_burst_class *class_of(tl_sampler *s, const tl_event *e)
{
    return tl_map_item(&s->class_of, (uint64_t)e->site << 16 | e->call, &s->classes, &s->n_classes,
                       &s->classes_capacity, sizeof *s->classes);
}

static bool observe(tl_sampler *s, const tl_event *e)
{
    tl_burst_class *c = class_of(s, e);
    if (!c)
        return false;
    if (c->n++)
        c->differences += fabs((double)e->volume - (double)c->last);
    c->last = e->volume;
    return true;
}

/* Scales and rounds a volume. What rounding takes away from a volume is given to the next ones of
 * the block. */
static uint64_t scale(tl_sampler *s, const tl_burst_class *c, uint64_t volume)
{
    if (volume >> 53)
        return volume; /* not exact in double */
    const double exact = (double)volume * s->factor;
    double step = c->n > 1 ? c->differences / (double)(c->n - 1) * step_of_difference : 0;
    if (step > exact * step_of_volume)
        step = exact * step_of_volume;
    step = step > 1 ? exp2(floor(log2(step))) : 1;
    double more = s->rounded;
    more = more > step ? step : more < -step ? -step : more;
    double v = rint((exact + more) / step) * step;
    if (v < 0) /* a small volume behind a large one that was rounded up */
        v = 0;
    if (v >= 0x1p63) {
        s->is_out_of_range = true;
        return volume;
    }
    s->rounded += exact - v;
    return (uint64_t)v;
}

/* ---- blocks ---- */

/* The first block is the beginning of the run, and the last one its end: they stay as they are. */
static bool is_outer(const tl_sampler *s)
{
    return !s->block || s->block + 1 >= s->plan->n_blocks;
}

static bool is_kept(const tl_sampler *s)
{
    return s->plan->source[s->block] == s->block;
}

static tl_sample *sample_of(tl_sampler *s, uint32_t block)
{
    const uint64_t *place = tl_map_find(&s->places, block);
    tl_sample *sample = place ? &s->samples[*place] : NULL;
    return sample && sample->block == block ? sample : NULL;
}

static bool begin_sample(tl_sampler *s)
{
    uint64_t *place = tl_map_at(&s->places, s->block);
    if (!place)
        return false;
    *place = s->n_kept++ % TL_SAMPLES;
    tl_sample *sample = &s->samples[*place];
    sample->block = s->block;
    sample->n_volumes = sample->n_steps = 0;
    return true;
}

static bool enter_block(tl_sampler *s)
{
    s->n_taken = s->n_looks = 0;
    s->rounded = 0;
    return is_outer(s) || !is_kept(s) || begin_sample(s);
}

/* ---- events ---- */

static bool keep_number(uint64_t **numbers, size_t *n, size_t *capacity, uint64_t value)
{
    if (*n == TL_SAMPLE_VOLUMES)
        return true;
    if (!tl_make_room(numbers, *n, capacity, sizeof **numbers))
        return false;
    (*numbers)[(*n)++] = value;
    return true;
}

static bool set_volume(tl_sampler *s, tl_sample *sample, tl_event *event)
{
    const uint64_t exact = event->volume;
    if (is_kept(s)) {
        const tl_burst_class *c = class_of(s, event);
        if (!c)
            return false;
        event->volume = scale(s, c, exact);
        if (!keep_number(&sample->volumes, &sample->n_volumes, &sample->volumes_capacity,
                         event->volume))
            return false;
    } else if (sample && s->n_taken < sample->n_volumes) {
        event->volume = sample->volumes[s->n_taken];
    }
    s->n_taken++;
    if (__builtin_add_overflow(s->scaled, event->volume, &s->scaled) ||
        __builtin_add_overflow(s->carry, exact, &s->carry) ||
        __builtin_sub_overflow(s->carry, event->volume, &s->carry))
        s->is_out_of_range = true;
    return true;
}

/* A time between clocks that is a little shorter, so that it has fewer digits. */
static uint64_t shorten(uint64_t step, uint64_t exact)
{
    const uint64_t slack = (uint64_t)((double)exact * clock_precision);
    return slack ? step - step % (UINT64_C(1) << (63 - __builtin_clzll(slack))) : step;
}

/* The first look at the clock in a block is where it was, unless the block before has already
 * passed this time: then the clock waits. */
static bool set_clock(tl_sampler *s, tl_sample *sample, uint64_t *clock_ns)
{
    const uint64_t now = *clock_ns, before = s->clock_ns;
    uint64_t step = now > s->written_ns ? now - s->written_ns : 0;
    s->waits = (s->waits || !s->n_looks) && s->written_ns > now;
    if (!is_outer(s) && s->n_looks) {
        if (is_kept(s))
            step = shorten(step, now > before ? now - before : 0);
        else if (sample && s->n_looks < sample->n_steps && !s->waits)
            step = sample->steps[s->n_looks];
    }
    if (!is_outer(s) && is_kept(s) &&
        !keep_number(&sample->steps, &sample->n_steps, &sample->steps_capacity, step))
        return false;
    s->n_looks++;
    s->clock_ns = now;
    *clock_ns = s->written_ns += step;
    return true;
}

bool tl_sampler_begins(const tl_sampler *s)
{
    return s->n_passed && !s->n_taken;
}

bool tl_sampler_apply(tl_sampler *s, tl_event *event)
{
    const tl_call_info *row = tl_call_by_code(event->call);
    tl_sample *sample = is_outer(s) ? NULL : sample_of(s, s->plan->source[s->block]);
    if (row && row->slots & TL_SLOT_CLOCK && !set_clock(s, sample, &event->clock_ns))
        return false;
    if (is_outer(s))
        s->n_taken++;
    else if (!set_volume(s, sample, event))
        return false;
    if (++s->n_passed == s->n_events &&
        (s->carry >= 0 || event->volume >= 0 - (uint64_t)s->carry)) {
        event->volume += (uint64_t)s->carry;
        s->carry = 0;
    }
    if (!tl_is_anchor(s->plan, s->site, event) || s->n_anchors++ % s->plan->every)
        return true;
    s->block++;
    return enter_block(s);
}

/* ---- the factor ---- */

static void rewind_sampler(tl_sampler *s)
{
    s->n_anchors = s->n_passed = 0;
    s->block = s->n_kept = 0;
    s->n_taken = s->n_looks = 0;
    s->carry = 0;
    s->rounded = 0;
    s->scaled = s->clock_ns = s->written_ns = 0;
}

static tl_status observe_all(tl_sampler *s, tl_reader *r, uint32_t rank, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(r, rank, &c, err));
    tl_status status;
    tl_event e;
    while ((status = tl_cursor_next(c, &e)) == TL_OK)
        if (!observe(s, &e)) {
            status = tl_no_memory(err, tl_reader_path(r));
            break;
        }
    status = tl_cursor_end(c, status, err);
    tl_cursor_close(c);
    return status;
}

/* Goes through the events without writing. *rest gets what the last event would take. */
static tl_status try_factor(tl_sampler *s, tl_reader *r, uint32_t rank, int64_t *rest,
                            uint64_t *total, tl_error *err)
{
    tl_cursor *c;
    TL_TRY(tl_cursor_open(r, rank, &c, err));
    tl_status status;
    tl_event e;
    rewind_sampler(s);
    *rest = 0;
    *total = 0;
    while ((status = tl_cursor_next(c, &e)) == TL_OK) {
        if (__builtin_add_overflow(*total, e.volume, total))
            s->is_out_of_range = true;
        const bool is_last = s->n_passed + 1 == s->n_events;
        const uint64_t exact = e.volume;
        if (!tl_sampler_apply(s, &e)) {
            status = tl_no_memory(err, tl_reader_path(r));
            break;
        }
        if (is_last) /* of the outer block, which is exact */
            *rest = s->carry ? s->carry : (int64_t)(e.volume - exact);
    }
    status = tl_cursor_end(c, status, err);
    tl_cursor_close(c);
    return status;
}

tl_status tl_sampler_open(tl_sampler *s, const tl_sampling *plan, tl_reader *r, uint32_t rank,
                          tl_error *err)
{
    tl_rank_summary summary;
    tl_reader_rank(r, rank, &summary);
    *s = (tl_sampler){.plan = plan,
                      .site = tl_sampling_site(plan, r, rank),
                      .n_events = summary.n_events,
                      .factor = 1};
    double least = 1, best = 1;
    tl_status status = observe_all(s, r, rank, err);
    for (int i = 0; i < MAX_TRIES && !status; i++) {
        int64_t rest;
        uint64_t total;
        status = try_factor(s, r, rank, &rest, &total, err);
        if (!status && s->is_out_of_range)
            status = tl_fail(err, TL_ERR_LIMIT,
                             "%s: rank %" PRIu32
                             ": its volumes are too large for statistical volumes; give a fraction",
                             tl_reader_path(r), rank);
        if (status)
            break;
        const double share = total ? (double)rest / (double)total : 0;
        if (rest >= 0 && share < least) {
            least = share;
            best = s->factor;
        }
        if (least <= rest_most)
            break;
        s->factor += ((double)rest - rest_aim * (double)total) / (double)(s->scaled + 1);
        if (!(s->factor > 0))
            break;
    }
    rewind_sampler(s);
    s->factor = best;
    if (status || least < rest_limit)
        return status;
    return tl_fail(err, TL_ERR_LIMIT,
                   "%s: rank %" PRIu32
                   ": its total volume cannot be kept with statistical volumes; give a fraction",
                   tl_reader_path(r), rank);
}

void tl_sampler_free(tl_sampler *s)
{
    for (size_t i = 0; i < TL_SAMPLES; i++) {
        free(s->samples[i].volumes);
        free(s->samples[i].steps);
    }
    tl_map_free(&s->places);
    tl_map_free(&s->class_of);
    free(s->classes);
    *s = (tl_sampler){0};
}
