/* order.c - eager messages from one rank to another go one after the other.
 *
 * In SimGrid all messages on a link share it. Two consecutive messages to the same receiver
 * therefore arrive together, when both are complete. On a connection (of TCP, or a queue pair), the
 * second message begins when the first one is complete: the second one arrives at the same time as
 * with sharing, the first one sooner. The option timeless/eager-order:yes gives this behaviour.
 * Long messages are sent in parts that take turns, so they share as before.
 *
 * When the latency of a message has passed, it gets its share of the link only if the message
 * before it, from the same sender to the same receiver, is complete. Latencies overlap.
 *
 * The functions below replace functions of libsimgrid, and call them: symbols are looked up in the
 * module first (replayer/module.c). They use the issuer and the mailbox of a send; with another
 * version of SimGrid they do nothing else than call the original functions. */
#include "config.h"

#include "shims.h"
#include "smpi/rank.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/mailbox.h>
#include <xbt/config.h>

/* The beginning of simgrid::kernel::actor::CommIsendSimcall. A mailbox begins with the mailbox
 * object that the user sees. */
typedef struct send_call {
    const void *methods, *issuer;
    const_sg_mailbox_t mailbox;
    double payload_bytes, rate;
    const void *source;
    size_t source_bytes;
    const void *request;
    bool is_detached; /* nobody waits for its end */
} send_call;

/* A message under way. Its share of the links is a variable of SimGrid's solver. */
typedef struct message {
    struct message *same_variable, *same_pair; /* in the same place of the table */
    struct message *previous, *next;           /* of its pair; only the last one is in the table */
    void *variable;
    const void *sender;
    long receiver;
    double penalty; /* of the variable, once the latency has passed; 0 before */
} message;

static int is_wanted;
static message **by_variable, **last_of_pair; /* [1 << table_bits], or NULL: nothing is ordered */
static unsigned table_bits;
static size_t eager_bytes; /* shorter messages are eager */
static message *unused;
static const send_call *sending; /* what SimGrid is about to start */

void smpi_order_set(int is_yes)
{
    is_wanted = is_yes;
}

void smpi_order_prepare(uint32_t n_ranks)
{
    const int threshold = sg_cfg_get_int("smpi/send-is-detached-thresh");
    if (!is_wanted || !smpi_shim_holds(SMPI_SHIM_ORDER))
        return;
    eager_bytes = threshold > 0 ? (size_t)threshold : 0;
    table_bits = 10;
    while (table_bits < 22 && (UINT32_C(1) << table_bits) < 2 * (uint64_t)n_ranks)
        table_bits++;
    by_variable = calloc((size_t)1 << table_bits, sizeof *by_variable);
    last_of_pair = calloc((size_t)1 << table_bits, sizeof *last_of_pair);
    if (!by_variable || !last_of_pair)
        smpi_give_up(TL_ERR_MEMORY, "out of memory for the order of messages");
}

static size_t place_of(uintptr_t a, uintptr_t b)
{
    uint64_t h = a * UINT64_C(0x9e3779b97f4a7c15);
    h = (h ^ h >> 32 ^ b) * UINT64_C(0xbf58476d1ce4e5b9);
    return h >> (64 - table_bits);
}

static message **find(const void *variable)
{
    message **at = &by_variable[place_of((uintptr_t)variable, 0)];
    while (*at && (*at)->variable != variable)
        at = &(*at)->same_variable;
    return at;
}

static message **find_last(const void *sender, long receiver)
{
    message **at = &last_of_pair[place_of((uintptr_t)sender, (uintptr_t)receiver)];
    while (*at && ((*at)->sender != sender || (*at)->receiver != receiver))
        at = &(*at)->same_pair;
    return at;
}

/* The process of the receiving rank. It has two mailboxes, "SMPI-17" and "small-17". An eager
 * message is in the first one if its receive is posted. */
static long receiver_of(const send_call *call)
{
    const char *name = sg_mailbox_get_name(call->mailbox), *number = strrchr(name, '-');
    return number ? strtol(number + 1, NULL, 10) : 0;
}

static message *new_message(void)
{
    enum { N_AT_ONCE = 256 };
    if (!unused) {
        message *some = smpi_alloc(N_AT_ONCE, sizeof *some);
        for (size_t i = 0; i < N_AT_ONCE; i++) {
            some[i].next = unused;
            unused = &some[i];
        }
    }
    message *m = unused;
    unused = m->next;
    return m;
}

/* Adds the message behind the last one of its pair, and replaces that one in the table. */
static void append(void *variable, const send_call *call, long receiver, double penalty)
{
    message *m = new_message(), **last = find_last(call->issuer, receiver);
    *m = (message){.variable = variable,
                   .sender = call->issuer,
                   .receiver = receiver,
                   .previous = *last,
                   .penalty = penalty};
    if (*last) {
        (*last)->next = m;
        m->same_pair = (*last)->same_pair;
    }
    *last = m;
    message **place = find(variable);
    m->same_variable = *place;
    *place = m;
}

/* Removes the message at this place from the tables and from its pair. Returns the message that may
 * begin now, or NULL. */
static message *take_out(message **at)
{
    message *m = *at, *next = m->next;
    *at = m->same_variable;
    if (m->previous)
        m->previous->next = next;
    if (next) {
        next->previous = m->previous;
    } else {
        message **last = find_last(m->sender, m->receiver);
        if (m->previous) {
            m->previous->same_pair = m->same_pair;
            *last = m->previous;
        } else {
            *last = m->same_pair;
        }
    }
    const int may_begin = next && !m->previous && next->penalty > 0;
    m->next = unused;
    unused = m;
    return may_begin ? next : NULL;
}

/* ---- what SimGrid calls ---- */

/* CommImpl::isend writes its result to memory of the caller. */
/* On this machine the place of a result is the first argument. On other machines messages are as in
 * SimGrid. */
#ifdef __x86_64__
void *isend(void *result, const send_call *call) SMPI_REPLACES(SG_COMM_ISEND);
#endif
void *variable_new(void *system, void *action, double penalty, double bound, size_t n)
    SMPI_REPLACES(SG_VARIABLE_NEW);
void variable_free(void *system, void *variable) SMPI_REPLACES(SG_VARIABLE_FREE);
void set_penalty(void *system, void *variable, double penalty) SMPI_REPLACES(SG_SET_PENALTY);

#ifdef __x86_64__
void *isend(void *result, const send_call *call)
{
    static void *(*theirs)(void *, const send_call *);
    SMPI_BEHIND(theirs, SG_COMM_ISEND);
    smpi_send_watcher *watcher = smpi_watcher_of_sends();
    if (watcher)
        watcher(call->issuer, receiver_of(call), (double)call->source_bytes);
    sending = call;
    smpi_noise_send(call->issuer, (double)call->source_bytes);
    void *same = theirs(result, call);
    smpi_noise_sent();
    sending = NULL;
    return same;
}
#endif

const void *smpi_order_sending(void)
{
    return sending && !sending->is_detached ? sending->request : NULL;
}

static void set_their_penalty(void *system, void *variable, double penalty)
{
    static void (*theirs)(void *, void *, double);
    SMPI_BEHIND(theirs, SG_SET_PENALTY);
    theirs(system, variable, penalty);
}

/* The penalty of a message is 0 during its latency, and while it waits. */
void *variable_new(void *system, void *action, double penalty, double bound, size_t n)
{
    static void *(*theirs)(void *, void *, double, double, size_t);
    SMPI_BEHIND(theirs, SG_VARIABLE_NEW);
    const int is_eager =
        by_variable && sending && sending->is_detached && sending->source_bytes < eager_bytes;
    const long receiver = is_eager ? receiver_of(sending) : 0;
    const int waits = is_eager && *find_last(sending->issuer, receiver);
    void *variable = theirs(system, action, waits ? 0 : penalty, bound, n);
    if (is_eager)
        append(variable, sending, receiver, penalty);
    smpi_buffer_flow(action);
    return variable;
}

void set_penalty(void *system, void *variable, double penalty)
{
    message *m = by_variable && penalty > 0 ? *find(variable) : NULL;
    if (m && m->previous)
        m->penalty = penalty;
    else
        set_their_penalty(system, variable, penalty);
}

void variable_free(void *system, void *variable)
{
    static void (*theirs)(void *, void *);
    SMPI_BEHIND(theirs, SG_VARIABLE_FREE);
    theirs(system, variable);
    message **at = by_variable ? find(variable) : NULL;
    message *next = at && *at ? take_out(at) : NULL;
    if (next)
        set_their_penalty(system, next->variable, next->penalty);
}
