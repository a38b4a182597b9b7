/* what_if.c - changes of a platform as users write them: "link.bandwidth=10Gbps", "network 0.1". */
#include "config.h"

#include "replayer.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

static const struct quantity {
    const char *item, *name;
    const char *unit; /* of its values */
    const char *example;
    tl_quantity kind;
    bool may_be_zero;
} quantities[] = {
    [TLR_LINK_BANDWIDTH] = {"link", "bandwidth", "Bps", "10Gbps", TL_BANDWIDTH, 0},
    [TLR_LINK_LATENCY] = {"link", "latency", "s", "5us", TL_DURATION, 1},
    [TLR_HOST_SPEED] = {"host", "speed", "f", "3Gf", TL_SPEED, 0},
    [TLR_KERNEL_TIME] = {"kernel", "time", "x", "1.1x", TL_DURATION, 0},
    [TLR_BURST_TIME] = {"burst", "time", "x", "1.1x", TL_DURATION, 0},
    [TLR_RANK_THREADS] = {"rank", "threads", "", "2", TL_DURATION, 0},
    [TLR_REGION_BOUND] = {"region", "bound", "", "memory", TL_DURATION, 1},
    [TLR_MESSAGE_OVERHEAD] = {"message", "overhead", "x", "1.1x", TL_DURATION, 1},
    [TLR_RENDEZVOUS_PROGRESS] = {"rendezvous", "progress", "", "calls", TL_DURATION, 1},
    [TLR_ENERGY_WAIT] = {"energy", "wait", "", "idle", TL_DURATION, 1},
    [TLR_RETRANSMISSION_LOSS] = {"retransmission", "loss", "", "1e-6", TL_DURATION, 1},
    [TLR_RETRANSMISSION_TIMEOUT] = {"retransmission", "timeout", "s", "200ms", TL_DURATION, 1},
    [TLR_RETRANSMISSION_FLOWS] = {"retransmission", "flows", "", "2", TL_DURATION, 0},
};
enum { N_QUANTITIES = sizeof quantities / sizeof *quantities, MOST_COUNTED = 65536 };

static tl_status parse_count(const char *text, const char *what, tlr_change *out, tl_error *err)
{
    char *rest;
    const long n = strtol(text, &rest, 10);
    if (rest == text || *rest || n < 1 || n > MOST_COUNTED)
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a number of %s; give 1 to %d", text, what,
                       MOST_COUNTED);
    out->value = (double)n;
    return TL_OK;
}

static tl_status parse_loss(const char *text, tlr_change *out, tl_error *err)
{
    char *rest;
    out->value = strtod(text, &rest);
    if (rest == text || *rest || !(out->value >= 0 && out->value < 1))
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s' is not the probability that a packet is lost; give 0 to less than 1, "
                       "as 1e-6",
                       text);
    return TL_OK;
}

static tl_status parse_bound(const char *text, tlr_change *out, tl_error *err)
{
    tlr_limit bound;
    if (!tlr_limit_find(text, &bound))
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s' does not limit regions; give arithmetic, L1, L2, L3 or memory", text);
    out->value = bound;
    return TL_OK;
}

/* The words of a quantity that has two. */
static const struct {
    const char *words[2], *what;
} choices[] = {[TLR_RENDEZVOUS_PROGRESS] =
                   {{[TLR_PROGRESS_OFFLOAD] = "offload", [TLR_PROGRESS_CALLS] = "calls"},
                    "progress of a rendezvous"},
               [TLR_ENERGY_WAIT] = {{[TLR_WAITING_BUSY] = "busy", [TLR_WAITING_IDLE] = "idle"},
                                    "state of cores that wait"}};

static bool has_words(tlr_quantity quantity)
{
    return quantity == TLR_RENDEZVOUS_PROGRESS || quantity == TLR_ENERGY_WAIT;
}

static tl_status parse_word(const char *text, tlr_change *out, tl_error *err)
{
    const char *const *words = choices[out->quantity].words;
    out->value = !strcmp(text, words[1]);
    return out->value != 0 || !strcmp(text, words[0])
               ? TL_OK
               : tl_fail(err, TL_ERR_USAGE, "'%s' is not the %s; give %s or %s", text,
                         choices[out->quantity].what, words[1], words[0]);
}

static tl_status parse_value(const char *text, tlr_change *out, tl_error *err)
{
    const struct quantity *q = &quantities[out->quantity];
    char *rest;
    const double number = strtod(text, &rest);
    if (out->quantity == TLR_RANK_THREADS)
        return parse_count(text, "threads", out, err);
    if (out->quantity == TLR_RETRANSMISSION_FLOWS)
        return parse_count(text, "flows", out, err);
    if (out->quantity == TLR_RETRANSMISSION_LOSS)
        return parse_loss(text, out, err);
    if (out->quantity == TLR_REGION_BOUND)
        return parse_bound(text, out, err);
    if (has_words(out->quantity))
        return parse_word(text, out, err);
    out->is_factor = rest > text && !strcmp(rest, "x");
    out->value = number;
    if (!out->is_factor && (tlr_change_is_of_model(out) || out->quantity == TLR_MESSAGE_OVERHEAD))
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a factor of the %s of a %s; give one, as %s",
                       text, q->name, q->item, q->example);
    /* A bare "2" is a factor or 2 B/s; a bare "-1" is wrong as either. */
    if (!out->is_factor && (*rest || number >= 0) && !tl_quantity_parse(text, q->kind, &out->value))
        return tl_fail(
            err, TL_ERR_USAGE,
            "'%s' is not a %s of a %s; give a number and a unit, as %s, or a factor, as 2x", text,
            q->name, q->item, q->example);
    if (!isfinite(out->value) || out->value < 0 || (out->value == 0 && !q->may_be_zero))
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a %s of a %s; it must be %s", text, q->name,
                       q->item, q->may_be_zero ? "zero or more" : "positive");
    return TL_OK;
}

tl_status tlr_change_parse(const char *text, tlr_change *out, tl_error *err)
{
    const char *equals = strrchr(text, '=');
    for (int i = 0; equals && i < N_QUANTITIES; i++) {
        const struct quantity *q = &quantities[i];
        const size_t item = strlen(q->item), name = strlen(q->name);
        const size_t length = (size_t)(equals - text);
        /* "link.bandwidth", "link:PATTERN.bandwidth" */
        if (length < item + 1 + name || strncmp(text, q->item, item) != 0 ||
            strncmp(equals - name, q->name, name) != 0 || equals[-(ptrdiff_t)name - 1] != '.')
            continue;
        tlr_change change = {.quantity = (tlr_quantity)i, .pattern = "*"};
        const size_t rest = length - item - 1 - name;
        if (rest && (text[item] != ':' || rest < 2 || rest > sizeof change.pattern))
            continue;
        if (rest && (i == TLR_BURST_TIME || i == TLR_RANK_THREADS || i == TLR_MESSAGE_OVERHEAD ||
                     has_words(change.quantity) || tlr_change_is_of_retransmission(&change)))
            return tl_fail(err, TL_ERR_USAGE, "'%s': %s has no names; write %s.%s=%s", text,
                           q->item, q->item, q->name, q->example);
        if (rest)
            snprintf(change.pattern, sizeof change.pattern, "%.*s", (int)rest - 1, text + item + 1);
        TL_TRY(parse_value(equals + 1, &change, err));
        *out = change;
        return TL_OK;
    }
    return tl_fail(err, TL_ERR_USAGE,
                   "'%s' is not a change of a platform; write link.bandwidth=VALUE, "
                   "link.latency=VALUE, host.speed=VALUE, kernel.time=FACTORx, "
                   "burst.time=FACTORx, message.overhead=FACTORx, rank.threads=NUMBER, "
                   "region.bound=memory, rendezvous.progress=calls, energy.wait=idle, "
                   "retransmission.loss=PROBABILITY, or "
                   "link:NAME.bandwidth=VALUE",
                   text);
}

tl_status tlr_change_scale(const char *what, const char *factor, tlr_change out[2], size_t *n,
                           tl_error *err)
{
    char *rest;
    const double number = strtod(factor, &rest);
    if (!*factor)
        return tl_fail(err, TL_ERR_USAGE, "'%s' has no factor; write WHAT=FACTOR, as network=4",
                       what);
    if (rest == factor || (*rest && strcmp(rest, "x") != 0) || !isfinite(number) || number <= 0)
        return tl_fail(err, TL_ERR_USAGE, "'%s' is not a factor; give a positive number", factor);
    const bool is_network = !strcmp(what, "network");
    *n = 0;
    if (is_network || !strcmp(what, "bandwidth"))
        out[(*n)++] = (tlr_change){TLR_LINK_BANDWIDTH, "*", number, 1};
    if (is_network || !strcmp(what, "latency"))
        out[(*n)++] = (tlr_change){TLR_LINK_LATENCY, "*", is_network ? 1 / number : number, 1};
    if (!strcmp(what, "overheads"))
        out[(*n)++] = (tlr_change){TLR_MESSAGE_OVERHEAD, "*", number, 1};
    if (!strcmp(what, "hosts"))
        out[(*n)++] = (tlr_change){TLR_HOST_SPEED, "*", number, 1};
    if (!strcmp(what, "kernels"))
        out[(*n)++] = (tlr_change){TLR_KERNEL_TIME, "*", number, 1};
    if (!strcmp(what, "bursts"))
        out[(*n)++] = (tlr_change){TLR_BURST_TIME, "*", number, 1};
    if (!*n)
        return tl_fail(err, TL_ERR_USAGE,
                       "'%s' cannot be scaled; give network, bandwidth, latency, overheads, hosts, "
                       "kernels or bursts",
                       what);
    return TL_OK;
}

/* The shortest text of value / unit that has the same value again; false: there is none. */
static bool write_shortest(double value, double unit, char *text, size_t size)
{
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value / unit);
        if (strtod(text, NULL) * unit == value)
            return true;
    }
    return false;
}

size_t tlr_change_text(const tlr_change *change, char *text, size_t size)
{
    const struct quantity *q = &quantities[change->quantity];
    const int all = !strcmp(change->pattern, "*");
    char value[32];
    const bool in_giga = change->quantity == TLR_LINK_BANDWIDTH && !change->is_factor &&
                         change->value >= 1e8 &&
                         write_shortest(change->value, 1e9, value, sizeof value);
    if (!in_giga)
        write_shortest(change->value, 1, value, sizeof value);
    if (change->quantity == TLR_REGION_BOUND)
        snprintf(value, sizeof value, "%s", tlr_limit_name((tlr_limit)change->value));
    if (has_words(change->quantity))
        snprintf(value, sizeof value, "%s", choices[change->quantity].words[change->value != 0]);
    const int length = snprintf(text, size, "%s%s%s.%s=%s%s%s", q->item, all ? "" : ":",
                                all ? "" : change->pattern, q->name, value, in_giga ? "G" : "",
                                change->is_factor ? "x" : q->unit);
    return length > 0 ? (size_t)length : 0;
}

double tlr_change_apply(const tlr_change *change, double value)
{
    return change->is_factor ? value * change->value : change->value;
}

bool tlr_change_is_of_model(const tlr_change *change)
{
    return change->quantity == TLR_KERNEL_TIME || change->quantity == TLR_BURST_TIME ||
           change->quantity == TLR_RANK_THREADS || change->quantity == TLR_REGION_BOUND;
}

bool tlr_change_is_of_retransmission(const tlr_change *change)
{
    return change->quantity >= TLR_RETRANSMISSION_LOSS;
}

/* What the last change of the quantity sets it to. */
static double last_value(const tlr_change *changes, size_t n, tlr_quantity quantity,
                         double fallback)
{
    while (n-- > 0)
        if (changes[n].quantity == quantity)
            return changes[n].value;
    return fallback;
}

tlr_progress tlr_change_progress(const tlr_change *changes, size_t n)
{
    return (tlr_progress)last_value(changes, n, TLR_RENDEZVOUS_PROGRESS, TLR_PROGRESS_OFFLOAD);
}

tlr_waiting tlr_change_waiting(const tlr_change *changes, size_t n, tlr_waiting fallback)
{
    return (tlr_waiting)last_value(changes, n, TLR_ENERGY_WAIT, fallback);
}

int tlr_changes_lose_packets(const tlr_change *changes, size_t n)
{
    return last_value(changes, n, TLR_RETRANSMISSION_LOSS, 0) > 0;
}

unsigned tlr_change_threads(const tlr_change *changes, size_t n)
{
    return (unsigned)last_value(changes, n, TLR_RANK_THREADS, 0);
}

double tlr_change_factor(const tlr_change *changes, size_t n, tlr_quantity quantity,
                         const char *name)
{
    double factor = 1;
    for (size_t i = 0; i < n; i++)
        if (changes[i].quantity == quantity && (!name || fnmatch(changes[i].pattern, name, 0) == 0))
            factor *= changes[i].value;
    return factor;
}
