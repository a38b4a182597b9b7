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

/* A message from its send until it begins. */
typedef struct letter {
    smpi_entry entry; /* by SimGrid's object of the communication */
    const smpi_sender *from;
    long to; /* number of the receiving process */
    uint64_t number;
    double bytes;
} letter;

static tlr_message_noise noise;
static bool is_asked; /* who sends a message */
static smpi_table letters;
static letter sent;   /* by the send that SimGrid handles; from NULL: none */
static letter begins; /* the message that may begin; from NULL: none */
static bool has_begun;

bool smpi_noise_is_wanted(void)
{
    return replay.options->network_noise;
}

void smpi_noise_prepare(void)
{
    static const smpi_shim needed[] = {SMPI_SHIM_LOOPBACK, SMPI_SHIM_ORDER, SMPI_SHIM_BUFFER};
    if (!smpi_noise_is_wanted() && !(smpi_own.memory_bandwidth > 0))
        return;
    is_asked = 1;
    if (!smpi_noise_is_wanted())
        return;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (!smpi_shim_holds(needed[i]))
            smpi_give_up(TL_ERR_UNSUPPORTED, "--noise network has no effect: %s; leave it out",
                         smpi_shim_reason(needed[i]));
    noise = tlr_message_noise_begin(replay.platform, replay.options);
}

void smpi_noise_send(const void *actor, long to, double bytes)
{
    const bool counts =
        is_asked && replay.has_begun && (smpi_noise_is_wanted() || smpi_copies_is_long(bytes));
    smpi_sender *s = counts ? smpi_sender_of(actor) : NULL;
    sent = (letter){.from = s, .to = to, .number = s ? s->n_sent++ : 0, .bytes = bytes};
}

void smpi_noise_sent(void)
{
    sent.from = NULL;
}

static void take_out(letter *l)
{
    smpi_remove(&letters, &l->entry);
    free(l);
}

void smpi_noise_begin(const void *comm)
{
    if (!is_asked)
        return;
    letter *l = smpi_find(&letters, (uintptr_t)comm, 0);
    has_begun = 0;
    begins = sent.from ? sent : l ? *l : (letter){0};
    if (sent.from && l) /* of a communication that ended before it began */
        take_out(l);
}

void smpi_noise_end(const void *comm)
{
    if (!is_asked)
        return;
    letter *l = smpi_find(&letters, (uintptr_t)comm, 0);
    if (has_begun && l) {
        take_out(l);
    } else if (!has_begun && sent.from) {
        l = smpi_alloc(1, sizeof *l);
        *l = sent;
        smpi_add(&letters, &l->entry, (uintptr_t)comm, 0, l);
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
    const smpi_rank *r = begins.from->rank;
    return tlr_message_factor(&noise, (uint32_t)(r->job - replay.jobs), r->rank, begins.number,
                              is_local ? TLR_WITHIN_HOST : TLR_BETWEEN_HOSTS, begins.bytes);
}

int smpi_noise_ends(long *from, long *to)
{
    if (!begins.from)
        return 0;
    *from = begins.from->pid;
    *to = begins.to;
    return 1;
}
