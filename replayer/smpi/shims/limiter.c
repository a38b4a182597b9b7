/* limiter.c - short messages do not pass the limiter of a host.
 *
 * The limiter of a host (limiter_link of a <cluster>) bounds the bandwidth of both directions
 * together (smpi-approach, section 3.2), for messages of every size. But some limits come from the
 * protocol of long messages: Open MPI's TCP sends the parts of a long message when its receiver
 * asks for them, and these requests wait behind the data of their own direction. Short messages in
 * opposite directions then do not wait for each other. The option timeless/limiter-from:BYTES makes
 * messages below this size pass by.
 *
 * SimGrid asks for the factors of a message (loopback.c) before it adds the message to the
 * constraints of its links. This file replaces the function that adds it. SimGrid calls a limiter
 * "..._limiter", and creates its constraint while it creates the link: the object that the user
 * sees lies within the object that has the constraint. */
#include "config.h"

#include "shims.h"
#include "smpi/hash.h"
#include "smpi/state.h"

#include "core/room.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* SMPI adds it to each message. */
enum { ENVELOPE_BYTES = 16 };

typedef struct owned {
    uintptr_t resource; /* a link or a host */
    const void *constraint;
} owned;

static owned *resources;
static size_t n_resources, n_room;
static smpi_table limiters; /* by constraint */
static bool are_known;      /* the limiters */
static bool passes_by;      /* the message that begins */

void smpi_limiter_message(double bytes)
{
    passes_by = bytes - ENVELOPE_BYTES < smpi_own.limiter_from;
}

/* ---- which constraints are limiters ---- */

static int by_address(const void *a, const void *b)
{
    const owned *x = a, *y = b;
    return (x->resource > y->resource) - (x->resource < y->resource);
}

/* The object with a constraint that begins last before this link, which lies in it. */
static const owned *resource_of(const_sg_link_t link)
{
    size_t first = 0, end = n_resources;
    while (end > first + 1) {
        const size_t middle = first + (end - first) / 2;
        if (resources[middle].resource <= (uintptr_t)link)
            first = middle;
        else
            end = middle;
    }
    return first < n_resources ? &resources[first] : NULL;
}

static int names_limiter(const_sg_link_t link)
{
    static const char suffix[] = "_limiter";
    const char *name = sg_link_get_name(link);
    const size_t length = strlen(name);
    return length >= sizeof suffix && !strcmp(name + length - (sizeof suffix - 1), suffix);
}

/* All links have the same layout: if one lay at another distance, it would not be known. */
static void add_limiters(sg_link_t *links, size_t n)
{
    uintptr_t distance = 0;
    for (size_t i = 0; i < n; i++) {
        if (!names_limiter(links[i]))
            continue;
        const owned *o = resource_of(links[i]);
        const uintptr_t here = o ? (uintptr_t)links[i] - o->resource : 0;
        if (!here || (distance && here != distance))
            smpi_give_up(TL_ERR_UNSUPPORTED,
                         "option timeless/limiter-from has no effect: the limiters of this version "
                         "of SimGrid are not known; leave it out");
        distance = here;
        smpi_add(&limiters, smpi_alloc(1, sizeof(smpi_entry)), (uintptr_t)o->constraint, 0,
                 links[i]);
    }
}

void smpi_limiter_apply(void)
{
    if (!(smpi_own.limiter_from > 0))
        return;
    const size_t n = sg_link_count();
    sg_link_t *links = sg_link_list();
    qsort(resources, n_resources, sizeof *resources, by_address);
    add_limiters(links, n);
    free((void *)links);
    free(resources);
    resources = NULL;
    are_known = 1;
}

/* ---- what SimGrid calls ---- */

void *constraint_new(void *system, void *resource, double bound) SMPI_REPLACES(SG_CONSTRAINT_NEW);
smpi_expand expand SMPI_REPLACES(SG_EXPAND);

void *constraint_new(void *system, void *resource, double bound)
{
    static void *(*theirs)(void *, void *, double);
    SMPI_BEHIND(theirs, SG_CONSTRAINT_NEW);
    void *constraint = theirs(system, resource, bound);
    if (!(smpi_own.limiter_from > 0) || are_known)
        return constraint;
    if (!tl_make_room(&resources, n_resources, &n_room, sizeof *resources))
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the limiters of hosts");
    resources[n_resources++] = (owned){(uintptr_t)resource, constraint};
    return constraint;
}

void expand(void *system, void *constraint, void *variable, double weight, bool is_forced)
{
    static smpi_expand *theirs;
    SMPI_BEHIND(theirs, SG_EXPAND);
    smpi_copies_expand(system, variable, theirs);
    if (!passes_by || !smpi_find(&limiters, (uintptr_t)constraint, 0))
        theirs(system, constraint, variable, weight, is_forced);
}
