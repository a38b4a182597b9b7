/* loopback.c - factors of bandwidth and latency for messages within a host, and factors as bounds.
 *
 * SMPI 3.32 applies smpi/bw-factor and smpi/lat-factor to every message. But messages within a host
 * go through its memory, whose speed depends on their size in another way. The options
 * timeless/loopback-bw-factor and timeless/loopback-lat-factor give the factors of these messages,
 * in the form of SMPI's options. Cornebize (thesis draft, section 8.2) patched SimGrid for this
 * purpose.
 *
 * In SimGrid 3.32 a factor of bandwidth scales the progress of a message on its share of the links.
 * If many messages of factor 0.1 share a link, they use a tenth of its bandwidth. In the versions
 * that were used for calibrations of 2018 to 2020, such as dahu's, the factor limited each message
 * by itself: ten of them fill the link. The option timeless/bw-factor-bound:yes gives this
 * behaviour. SimGrid then gets the factor 1, and the next bound that it sets for the message is
 * multiplied by the real factor.
 *
 * SimGrid's network model can call functions for its factors (kernel/resource/NetworkModelIntf.hpp,
 * public; in SimGrid 4.0 it is inside). It then refuses SMPI's options, so this file reads all four
 * options. The factor is chosen as in SMPI: that of the last segment that begins below the size, 1
 * if there is none. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <stdlib.h>
#include <string.h>

#include <simgrid/zone.h>
#include <xbt/config.h>

typedef enum quantity { BANDWIDTH, LATENCY, N_QUANTITIES } quantity;

static const char *const smpi_keys[N_QUANTITIES] = {"smpi/bw-factor:", "smpi/lat-factor:"};
static const tlr_segments *const loopback[N_QUANTITIES] = {&smpi_own.loopback_bw_factor,
                                                           &smpi_own.loopback_lat_factor};
static tlr_segments others[N_QUANTITIES];
static double limit = 1.0; /* of the message whose bound comes next */

double smpi_loopback_bound(double bytes_per_s)
{
    const double factor = limit;
    limit = 1;
    return bytes_per_s > 0 ? bytes_per_s * factor : bytes_per_s;
}

static bool is_used(void)
{
    return smpi_own.memory_bandwidth > 0 || loopback[BANDWIDTH]->n || loopback[LATENCY]->n ||
           smpi_own.bw_factor_bound || smpi_noise_is_wanted() || smpi_own.limiter_from > 0;
}

/* A bandwidth cannot have the factor 0. */
void smpi_read_factors(const char *option, const char *text, bool are_of_bandwidth,
                       tlr_segments *out)
{
    smpi_read_segments(option, text, TLR_FACTORS, out);
    for (unsigned i = 0; are_of_bandwidth && i < out->n; i++)
        if (out->value[i] == 0)
            smpi_give_up(TL_ERR_INPUT, "option %s: a bandwidth of 0; correct the value", option);
}

int smpi_loopback_takes(const char *option)
{
    if (!is_used())
        return 0;
    for (quantity q = 0; q < N_QUANTITIES; q++) {
        const size_t length = strlen(smpi_keys[q]);
        if (!strncmp(option, smpi_keys[q], length)) {
            smpi_read_factors(option, option + length, q == BANDWIDTH, &others[q]);
            return 1;
        }
    }
    return 0;
}

/* Of the slowest link of a route, a std::vector of links. */
static double slowest_Bps(const const_sg_link_t *const *links)
{
    double Bps = 0;
    for (const const_sg_link_t *at = links[0]; at < links[1]; at++) {
        const double here_Bps = sg_link_get_bandwidth(*at);
        Bps = at == links[0] || here_Bps < Bps ? here_Bps : Bps;
    }
    return Bps;
}

/* ---- std::function<double(double, const Host *, const Host *, const vector &, const set &)> ----
 */

/* libstdc++'s layout of a std::function: its content, the function that copies it, the function
 * that calls it. */
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
    (void)zones;
    smpi_limiter_message(*bytes);
    const quantity q = *(const quantity *)what;
    const bool is_local = *from == *to;
    const double noise = smpi_noise_factor(is_local);
    double factor = tlr_factor_at(is_local && loopback[q]->n ? loopback[q] : &others[q], *bytes);
    if (q == LATENCY)
        return factor * noise;
    factor = smpi_copies_message(is_local ? *from : NULL, *bytes, factor / noise,
                                 is_local ? slowest_Bps(links) : 0, smpi_own.bw_factor_bound);
    if (!smpi_own.bw_factor_bound)
        return factor;
    limit = factor;
    return 1;
}

#if SG_HAS_NETWORK_INTERFACE
/* The first word of a C++ object with virtual functions is the table of these functions, in the
 * order in which NetworkModelIntf declares them. */
typedef struct network_model {
    void (*const *functions)(void *model, const factor_function *function);
} network_model;
enum { SET_LATENCY_FACTOR, SET_BANDWIDTH_FACTOR };

static void set_factors(void *model, const factor_function *latency,
                        const factor_function *bandwidth)
{
    network_model *interface = model;
    interface->functions[SET_LATENCY_FACTOR](model, latency);
    interface->functions[SET_BANDWIDTH_FACTOR](model, bandwidth);
}
#else
/* The C++ ABI's description of a class with several bases. */
typedef struct class_type {
    const void *functions;
    const char *name;
    unsigned flags, n_bases;
    struct {
        const void *type;
        long offset_and_flags;
    } bases[];
} class_type;

void set_latency_factor(void *base, const factor_function *function)
    SMPI_THEIRS(SG_SET_LATENCY_FACTOR);
void set_bandwidth_factor(void *base, const factor_function *function)
    SMPI_THEIRS(SG_SET_BANDWIDTH_FACTOR);
extern const class_type network_type SMPI_THEIRS(SG_NETWORK_TYPE);
extern const char factors_type SMPI_THEIRS(SG_FACTORS_TYPE);

/* SimGrid 4.0: the functions are of a base of the model, which begins within it. */
static void set_factors(void *model, const factor_function *latency,
                        const factor_function *bandwidth)
{
    enum { FLAG_BITS = 8 };
    for (unsigned i = 0; i < network_type.n_bases; i++) {
        if (network_type.bases[i].type != &factors_type)
            continue;
        char *base = (char *)model + (network_type.bases[i].offset_and_flags >> FLAG_BITS);
        set_latency_factor(base, latency);
        set_bandwidth_factor(base, bandwidth);
    }
}
#endif

void *network_model_of(const void *zone) SMPI_THEIRS(SG_NETWORK_MODEL);

void smpi_loopback_apply(void)
{
    if (!is_used())
        return;
    if (!others[BANDWIDTH].n)
        smpi_read_factors("smpi/bw-factor", TLR_BANDWIDTH_FACTORS, 1, &others[BANDWIDTH]);
    if (!others[LATENCY].n)
        smpi_read_factors("smpi/lat-factor", TLR_LATENCY_FACTORS, 0, &others[LATENCY]);
    if (smpi_own.bw_factor_bound && !(sg_cfg_get_double("network/TCP-gamma") > 0))
        smpi_give_up(TL_ERR_INPUT, "option timeless/bw-factor-bound has no effect with "
                                   "network/TCP-gamma:0; set network/TCP-gamma:1e15");
    static const factor_function bandwidth = {BANDWIDTH, "", manage, call},
                                 latency = {LATENCY, "", manage, call};
    set_factors(network_model_of(sg_zone_get_root()), &latency, &bandwidth);
}
