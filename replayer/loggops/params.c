/* params.c - read the parameters of the network. */
#include "config.h"

#include "loggops.h"

#include "machine/duration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static tl_status wrong(const char *text, const char *at, tl_error *err)
{
    return tl_fail(err, TL_ERR_USAGE,
                   "--params '%s': cannot be understood at '%s'; write "
                   "L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=65536,R=0.1ns (S in bytes; S and R may be "
                   "left out)",
                   text, at);
}

tl_status loggops_parse_params(const char *text, loggops_params *out, tl_error *err)
{
    static const char names[] = "LogGO";
    double times_ps[sizeof names - 1];
    unsigned seen = 0;
    loggops_params p = {.S_bytes = UINT64_MAX};
    for (const char *at = text, *end = text; *at; at = *end ? end + 1 : end) {
        const char *name = strchr(names, *at);
        if (at[1] != '=' || (!name && *at != 'S' && *at != 'R'))
            return wrong(text, at, err);
        if (*at != 'S') {
            const double ps = tlr_parse_ps(at + 2, &end);
            if (!(ps <= 1e18))
                return wrong(text, at, err);
            if (!name) {
                p.R_ps_byte = ps;
            } else {
                times_ps[name - names] = ps;
                seen |= 1u << (name - names);
            }
        } else {
            char *after;
            p.S_bytes = strtoull(at + 2, &after, 10);
            end = after;
            if (after == at + 2)
                return wrong(text, at, err);
        }
        if (*end && *end != ',')
            return wrong(text, at, err);
    }
    for (size_t i = 0; names[i]; i++)
        if (!(seen >> i & 1))
            return tl_fail(err, TL_ERR_USAGE, "--params '%s': %c is missing", text, names[i]);
    p.L_ps = (uint64_t)llrint(times_ps[0]);
    p.o_ps = (uint64_t)llrint(times_ps[1]);
    p.g_ps = (uint64_t)llrint(times_ps[2]);
    p.G_ps_byte = times_ps[3];
    p.O_ps_byte = times_ps[4];
    if (!(p.L_ps + p.o_ps))
        return tl_fail(err, TL_ERR_USAGE, "--params '%s': L + o must be over 0", text);
    *out = p;
    return TL_OK;
}
