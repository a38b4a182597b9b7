/* noise.c - the noise of messages (machine/network_noise.h) in SimGrid: --noise network.
 *
 * Each message gets a factor of its own. loopback.c multiplies the latency by it and divides the
 * bandwidth by it, when SimGrid asks for the factors of the message that begins. The draw needs the
 * sender and the number of the message among those of the sender, which are known when the rank
 * sends (order.c). A message that must wait for its receive begins later (buffer.c), so it is kept
 * until then, by SimGrid's object of the communication.
 *
 * The functions here replace nothing: they are called by those of order.c, buffer.c and loopback.c.
 */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

#include "machine/network_noise.h"

#include <stdlib.h>

#include <simgrid/actor.h>

/* A rank. */
typedef struct sender {
    struct sender *next; /* in the same place of the table */
    const void *actor;   /* SimGrid's object */
    long process;        /* its number */
    uint32_t job, rank;
    uint64_t n_sent;
} sender;

/* A message from its send until it begins. */
typedef struct letter {
    struct letter *next; /* in the same place of the table */
    const void *comm;    /* SimGrid's object */
    const sender *from;
    long to; /* number of the receiving process */
    uint64_t number;
    double bytes;
} letter;

enum { TABLE_BITS = 14 };

static tlr_message_noise noise;
static sender **senders; /* [1 << TABLE_BITS]; NULL: nobody asks who sends a message */
static letter **letters; /* likewise */
static letter sent;      /* by the send that SimGrid handles; from NULL: none */
static letter begins;    /* the message that may begin; from NULL: none */
static bool has_begun;

static size_t place_of(const void *key)
{
    return (uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TABLE_BITS);
}

bool smpi_noise_is_wanted(void)
{
    return replay.options->network_noise;
}

void smpi_noise_prepare(void)
{
    static const smpi_shim needed[] = {SMPI_SHIM_LOOPBACK, SMPI_SHIM_ORDER, SMPI_SHIM_BUFFER};
    if (!smpi_noise_is_wanted() && !smpi_copies_are_shared())
        return;
    senders = smpi_alloc((size_t)1 << TABLE_BITS, sizeof *senders);
    letters = smpi_alloc((size_t)1 << TABLE_BITS, sizeof *letters);
    if (!smpi_noise_is_wanted())
        return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!smpi_shim_holds(needed[i]))
            smpi_give_up(TL_ERR_UNSUPPORTED, "--noise network has no effect: %s; leave it out",
                         smpi_shim_reason(needed[i]));
    noise = tlr_message_noise_begin(replay.platform, replay.options);
}

void smpi_noise_join(uint32_t job, uint32_t rank)
{
    if (!senders)
        return;
    sender *s = smpi_alloc(1, sizeof *s), **at = &senders[place_of(smpi_actor_self())];
    *s = (sender){*at, smpi_actor_self(), sg_actor_self_get_pid(), job, rank, 0};
    *at = s;
}

void smpi_noise_send(const void *actor, long to, double bytes)
{
    const bool is_asked = smpi_noise_is_wanted() || smpi_copies_is_long(bytes);
    sender *s = senders && is_asked && replay.has_begun ? senders[place_of(actor)] : NULL;
    while (s && s->actor != actor)
        s = s->next;
    sent = (letter){.from = s, .to = to, .number = s ? s->n_sent++ : 0, .bytes = bytes};
}

void smpi_noise_sent(void)
{
    sent.from = NULL;
}

static letter **find(const void *comm)
{
    letter **at = &letters[place_of(comm)];
    while (*at && (*at)->comm != comm)
        at = &(*at)->next;
    return at;
}

static void take_out(letter **at)
{
    letter *l = *at;
    *at = l->next;
    free(l);
}

void smpi_noise_begin(const void *comm)
{
    if (!letters)
        return;
    letter **at = find(comm);
    has_begun = 0;
    begins = sent.from ? sent : *at ? **at : (letter){0};
    if (sent.from && *at) /* of a communication that ended before it began */
        take_out(at);
}

void smpi_noise_end(const void *comm)
{
    if (!letters)
        return;
    letter **at = find(comm);
    if (has_begun && *at) {
        take_out(at);
    } else if (!has_begun && sent.from) {
        letter *l = smpi_alloc(1, sizeof *l);
        *l = sent;
        l->comm = comm;
        l->next = *at;
        *at = l;
    }
    begins.from = NULL;
}

double smpi_noise_factor(bool is_local)
{
    if (!begins.from)
        return 1;
    has_begun = 1;
    if (!smpi_noise_is_wanted())
        return 1;
    return tlr_message_factor(&noise, begins.from->job, begins.from->rank, begins.number,
                              is_local ? TLR_WITHIN_HOST : TLR_BETWEEN_HOSTS, begins.bytes);
}

int smpi_noise_ends(long *from, long *to)
{
    if (!begins.from)
        return 0;
    *from = begins.from->process;
    *to = begins.to;
    return 1;
}
