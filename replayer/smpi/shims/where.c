/* where.c - the ranks that send messages, by SimGrid's object of a process and by its number. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include <simgrid/actor.h>

/* SimGrid's object of the process that calls it. */
const void *actor_self(void) SMPI_THEIRS(SG_ACTOR_SELF);

static smpi_table by_actor, by_pid;

void smpi_senders_join(const smpi_rank *r)
{
    if (!actor_self)
        return;
    smpi_sender *s = smpi_alloc(1, sizeof *s);
    s->host = sg_host_self();
    s->pid = sg_actor_self_get_pid();
    s->rank = r;
    smpi_add(&by_actor, &s->of_actor, (uintptr_t)actor_self(), 0, s);
    smpi_add(&by_pid, &s->of_pid, (uintptr_t)s->pid, 0, s);
}

smpi_sender *smpi_sender_of(const void *actor)
{
    return smpi_find(&by_actor, (uintptr_t)actor, 0);
}

const smpi_sender *smpi_sender_by_pid(long pid)
{
    return smpi_find(&by_pid, (uintptr_t)pid, 0);
}
