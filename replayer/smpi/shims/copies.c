/* copies.c - messages within a host share its memory, and long ones the cores that copy them.
 *
 * SimGrid's loopback gives each message the whole bandwidth. But the cores copy the bytes: a short
 * message into shared memory and out of it, a long one (smpi/send-is-detached-thresh) once. A copy
 * reads and writes each byte; timeless/memory-bandwidth is what the memory of a host reads and
 * writes in all. SMPI also has no overheads for long messages, because adapters move them. Within
 * a host, overheads continue (overheads.c): the sender's core spends that of a nonblocking send,
 * the receiver's core that of a receive and the time of the copy. A core does so for one message
 * after the other, on average; a message that shares no core and no memory takes the sum.
 *
 * So a message has up to three more constraints in SimGrid's solver, whose usage is in bytes per
 * second: the memory of the host, and both cores. A core has the bandwidth of the loopback. Their
 * weights stay near 1, because the solver has an absolute precision. */
#include "config.h"

#include "shims.h"
#include "smpi/hash.h"
#include "smpi/state.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <xbt/config.h>

enum { ENVELOPE_BYTES = 16, N_SHARED = 3 };

/* What the message that begins uses for each byte per second of the solver; owner 0: nothing. */
typedef struct usage {
    uintptr_t owner;
    double weight, bound;
} usage;

static double long_bytes;
static usage uses[N_SHARED];
static smpi_table constraints; /* by the host, or the number of a process */

bool smpi_copies_is_long(double bytes)
{
    return smpi_own.memory_bandwidth > 0 && bytes >= long_bytes;
}

void smpi_copies_prepare(void)
{
    long_bytes = sg_cfg_get_int("smpi/send-is-detached-thresh");
}

/* With is_bound, the solver's bytes per second are those of the message; otherwise the factor
 * multiplies them. */
double smpi_copies_message(const void *host, double bytes, double factor, double Bps, bool is_bound)
{
    memset(uses, 0, sizeof uses);
    const double payload = bytes - ENVELOPE_BYTES;
    if (!host || !(smpi_own.memory_bandwidth > 0) || !(payload > 0))
        return factor;
    const bool is_long = smpi_copies_is_long(payload);
    const double copies = is_long ? 1 : 2,
                 copy_s = bytes / ((is_bound && factor > 1 ? 1 : factor) * Bps);
    double receive_s;
    const double send_s = smpi_overheads_of_copy(payload, &receive_s);
    if (is_long)
        factor = bytes / Bps / (send_s + copy_s + receive_s);
    const double moved = is_bound ? 1 : factor;
    uses[0] = (usage){(uintptr_t)host, 2 * copies * moved, smpi_own.memory_bandwidth};
    long from, to;
    if (is_long && smpi_noise_ends(&from, &to)) {
        const double weight = moved * Bps / bytes;
        uses[1] = (usage){(uintptr_t)from, weight * send_s, Bps};
        uses[2] = (usage){(uintptr_t)to, weight * (receive_s + copy_s), Bps};
    }
    return factor;
}

size_t smpi_copies_room(void)
{
    return smpi_own.memory_bandwidth > 0 ? N_SHARED : 0;
}

void smpi_copies_expand(void *system, void *variable, smpi_expand *expand)
{
    static void *(*constraint_new)(void *, void *, double);
    SMPI_BEHIND(constraint_new, SG_CONSTRAINT_NEW);
    for (unsigned i = 0; i < N_SHARED; i++) {
        const usage u = uses[i];
        uses[i].owner = 0;
        if (!u.owner || !(u.weight > 0))
            continue;
        void *constraint = smpi_find(&constraints, u.owner, 0);
        if (!constraint) {
            constraint = constraint_new(system, NULL, u.bound);
            smpi_add(&constraints, smpi_alloc(1, sizeof(smpi_entry)), u.owner, 0, constraint);
        }
        expand(system, constraint, variable, u.weight, false);
    }
}
