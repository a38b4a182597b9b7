/* loopback.c - factors of bandwidth and latency: for messages within a host, and as bounds.
 *
 * SMPI 3.32 applies smpi/bw-factor and smpi/lat-factor to every message, also to those that stay in
 * the memory of a host, whose speed depends on their size in another way.  The options
 * timeless/loopback-bw-factor and timeless/loopback-lat-factor hold the factors of these messages,
 * in the form of SMPI's options.  Cornebize (thesis draft, section 8.2) had patched SimGrid for it.
 *
 * In SimGrid 3.32 a factor of bandwidth changes what a message makes of its share of the links:
 * where many messages of factor 0.1 share a link, a tenth of its bandwidth is used.  In the
 * versions that calibrations of 2018 to 2020 were made with, such as dahu's, it limited each
 * message alone: ten of them fill the link.  The option timeless/bw-factor-bound:yes says so.
 * SimGrid is then told that the factor is 1, and the bound that it gives the message next is
 * multiplied by it.
 *
 * SimGrid's network model asks functions for factors, if it was given some
 * (kernel/resource/NetworkModelIntf.hpp, public).  It then refuses SMPI's options, so all four
 * options are read here.  A factor is SMPI's own: that of the last segment which begins below the
 * size, 1 if none does. */
#include "config.h"

#include "shims.h"
#include "smpi/rank.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/zone.h>

enum { MAX_SEGMENTS = 64 };

typedef struct factors {
    size_t n;
    double from_bytes[MAX_SEGMENTS], factor[MAX_SEGMENTS];
} factors;

typedef enum quantity { BANDWIDTH, LATENCY, N_QUANTITIES } quantity;

static const char *const smpi_keys[N_QUANTITIES] = {"smpi/bw-factor:", "smpi/lat-factor:"};
static factors loopback[N_QUANTITIES], others[N_QUANTITIES];
static int is_bound;       /* the factor of bandwidth */
static double limit = 1.0; /* of the message whose bound comes next */

void smpi_loopback_bound_set(int is_yes)
{
    is_bound = is_yes;
}

double smpi_loopback_bound(double bytes_per_s)
{
    const double factor = limit;
    limit = 1;
    return bytes_per_s > 0 ? bytes_per_s * factor : bytes_per_s;
}

static int is_used(void)
{
    return loopback[BANDWIDTH].n || loopback[LATENCY].n || is_bound;
}

/* "0:0.5;8133:5.6": bytes and factors.  A bandwidth cannot have the factor 0. */
static void parse(const char *option, const char *text, quantity what, factors *out)
{
    out->n = 0;
    for (const char *at = text; out->n < MAX_SEGMENTS; at++) {
        char *after;
        const double from_bytes = strtod(at, &after);
        if (after == at || *after != ':' || !(from_bytes >= 0))
            break;
        at = after + 1;
        const double factor = strtod(at, &after);
        const int is_ascending = !out->n || from_bytes > out->from_bytes[out->n - 1];
        if (after == at || !(factor >= 0) || (what == BANDWIDTH && factor == 0) || !is_ascending)
            break;
        out->from_bytes[out->n] = from_bytes;
        out->factor[out->n++] = factor;
        at = after;
        if (!*at)
            return;
        if (*at != ';')
            break;
    }
    smpi_give_up(TL_ERR_INPUT,
                 "option %s: not a list of BYTES:FACTOR with ascending bytes, separated by ';' "
                 "(at most %d); correct the value",
                 option, MAX_SEGMENTS);
}

void smpi_loopback_bandwidth(const char *option, const char *value)
{
    parse(option, value, BANDWIDTH, &loopback[BANDWIDTH]);
}

void smpi_loopback_latency(const char *option, const char *value)
{
    parse(option, value, LATENCY, &loopback[LATENCY]);
}

int smpi_loopback_takes(const char *option)
{
    if (!is_used())
        return 0;
    for (quantity q = 0; q < N_QUANTITIES; q++) {
        const size_t length = strlen(smpi_keys[q]);
        if (!strncmp(option, smpi_keys[q], length)) {
            parse(option, option + length, q, &others[q]);
            return 1;
        }
    }
    return 0;
}

static double factor_of(const factors *f, double bytes)
{
    double factor = 1;
    for (size_t i = 0; i < f->n && f->from_bytes[i] < bytes; i++)
        factor = f->factor[i];
    return factor;
}

/* ---- std::function<double(double, const Host *, const Host *, const vector &, const set &)> ----
 */

/* As libstdc++ lays it out: what it holds, how that is copied, how it is called. */
typedef struct factor_function {
    quantity what;
    char rest[16 - sizeof(quantity)];
    int (*manage)(void *to, const void *from, int operation);
    double (*call)(const void *what, const double *bytes, const void *const *from,
                   const void *const *to, const void *links, const void *zones);
} factor_function;

static int manage(void *to, const void *from, int operation)
{
    enum { CLONE = 2 };
    if (operation == CLONE)
        memcpy(to, from, sizeof(quantity));
    return 0;
}

static double call(const void *what, const double *bytes, const void *const *from,
                   const void *const *to, const void *links, const void *zones)
{
    (void)links, (void)zones;
    const quantity q = *(const quantity *)what;
    const double factor =
        factor_of(*from == *to && loopback[q].n ? &loopback[q] : &others[q], *bytes);
    if (q != BANDWIDTH || !is_bound)
        return factor;
    limit = factor;
    return 1;
}

/* The first word of a C++ object with virtual functions: the table of these, in the order in which
 * NetworkModelIntf declares them. */
typedef struct network_model {
    void (*const *functions)(void *model, const factor_function *function);
} network_model;
enum { SET_LATENCY_FACTOR, SET_BANDWIDTH_FACTOR };

static network_model *find_network_model(void)
{
    network_model *(*get)(const void *zone);
    *(void **)&get = dlsym(RTLD_DEFAULT, SG_NETWORK_MODEL);
    return get(sg_zone_get_root());
}

void smpi_loopback_apply(void)
{
    if (!is_used())
        return;
    for (quantity q = 0; q < N_QUANTITIES; q++)
        if (!others[q].n)
            smpi_give_up(TL_ERR_INPUT,
                         "timeless/loopback-bw-factor, timeless/loopback-lat-factor and "
                         "timeless/bw-factor-bound need %.*s as well: the factors of all other "
                         "messages; add it to options.conf",
                         (int)strlen(smpi_keys[q]) - 1, smpi_keys[q]);
    network_model *model = find_network_model();
    static const factor_function bandwidth = {BANDWIDTH, "", manage, call},
                                 latency = {LATENCY, "", manage, call};
    model->functions[SET_LATENCY_FACTOR](model, &latency);
    model->functions[SET_BANDWIDTH_FACTOR](model, &bandwidth);
}
