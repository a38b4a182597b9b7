/* order.c - eager messages go one after the other.
 *
 * In SimGrid all messages on a link share it. Two consecutive messages to the same receiver
 * therefore arrive together, when both are complete. On a connection (of TCP, or a queue pair), the
 * second message begins when the first one is complete: the second one arrives at the same time as
 * with sharing, the first one sooner. The option timeless/eager-order:yes gives this behaviour.
 * Long messages are sent in parts that take turns, so they share as before.
 *
 * The same is true of the adapter of a host: if two of its ranks send a short message each at the
 * same time, the adapter sends one of them first. The option timeless/adapter-order:BYTES gives
 * this behaviour to eager messages below this size from the ranks of one host to those of another
 * one. Messages to several hosts share the adapter as before.
 *
 * So a message stands in up to two queues: of its sender and receiver, and of their hosts. When its
 * latency has passed, it gets its share of the link only if all messages before it in these queues
 * are complete. Latencies overlap.
 *
 * The functions below use the issuer and the mailbox of a send; with another
 * version of SimGrid they do nothing else than call the original functions. */
#include "config.h"

#include "shims.h"
#include "smpi/state.h"

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

typedef enum queue { OF_PAIR, OF_HOSTS, N_QUEUES } queue;

/* Names a queue: who sends, and who receives. */
typedef struct key {
    const void *from; /* NULL: no queue */
    uintptr_t to;
} key;

/* A message's place in a queue. Only the last message of a queue is in the table. */
typedef struct place {
    smpi_entry last; /* by the key; in the table if no other message follows */
    key key;
    struct message *previous, *next;
} place;

/* A message under way. Its share of the links is a variable of SimGrid's solver. */
typedef struct message {
    smpi_entry entry;            /* by its variable */
    struct message *next_unused; /* of those that are unused */
    place places[N_QUEUES];
    void *variable;
    double penalty; /* of the variable, once the latency has passed; 0 before */
} message;

static bool is_ordering; /* one of the two */
static smpi_table by_variable, last_of[N_QUEUES];
static size_t eager_bytes; /* shorter messages are eager */
static message *unused;
static const send_call *sending; /* what SimGrid is about to start */

void smpi_order_prepare(void)
{
    const int threshold = sg_cfg_get_int("smpi/send-is-detached-thresh");
    is_ordering =
        (smpi_own.eager_order || smpi_own.adapter_order > 0) && smpi_shim_holds(SMPI_SHIM_ORDER);
    eager_bytes = threshold > 0 ? (size_t)threshold : 0;
}

static message *find(const void *variable)
{
    return smpi_find(&by_variable, (uintptr_t)variable, 0);
}

static message *find_last(queue q, const key *k)
{
    return smpi_find(&last_of[q], (uintptr_t)k->from, k->to);
}

/* The process of the receiving rank. It has two mailboxes, "SMPI-17" and "small-17". An eager
 * message is in the first one if its receive is posted. */
static long receiver_of(const send_call *call)
{
    const char *name = sg_mailbox_get_name(call->mailbox), *number = strrchr(name, '-');
    return number ? strtol(number + 1, NULL, 10) : 0;
}

/* The queues in which an eager message stands; 0: none. */
static int find_queues(const send_call *call, key keys[N_QUEUES])
{
    const long receiver = receiver_of(call);
    keys[OF_PAIR] = keys[OF_HOSTS] = (key){0};
    if (smpi_own.eager_order)
        keys[OF_PAIR] = (key){call->issuer, (uintptr_t)receiver};
    if ((double)call->source_bytes < smpi_own.adapter_order) {
        const smpi_sender *from = smpi_sender_of(call->issuer), *to = smpi_sender_by_pid(receiver);
        if (from && to && from->host != to->host)
            keys[OF_HOSTS] = (key){from->host, (uintptr_t)to->host};
    }
    return keys[OF_PAIR].from || keys[OF_HOSTS].from;
}

static bool has_earlier(const key keys[N_QUEUES])
{
    for (queue q = 0; q < N_QUEUES; q++)
        if (keys[q].from && find_last(q, &keys[q]))
            return 1;
    return 0;
}

static bool is_first(const message *m)
{
    return !m->places[OF_PAIR].previous && !m->places[OF_HOSTS].previous;
}

static message *new_message(void)
{
    enum { N_AT_ONCE = 256 };
    if (!unused) {
        message *some = smpi_alloc(N_AT_ONCE, sizeof *some);
        for (size_t i = 0; i < N_AT_ONCE; i++) {
            some[i].next_unused = unused;
            unused = &some[i];
        }
    }
    message *m = unused;
    unused = m->next_unused;
    return m;
}

static void enter_last(queue q, message *m)
{
    place *p = &m->places[q];
    smpi_add(&last_of[q], &p->last, (uintptr_t)p->key.from, p->key.to, m);
}

/* Adds the message behind the last one of a queue, and replaces that one in the table. */
static void append_to(queue q, message *m, const key *k)
{
    message *last = find_last(q, k);
    m->places[q] = (place){.key = *k, .previous = last};
    if (last) {
        last->places[q].next = m;
        smpi_remove(&last_of[q], &last->places[q].last);
    }
    enter_last(q, m);
}

static void append(void *variable, const key keys[N_QUEUES], double penalty)
{
    message *m = new_message();
    *m = (message){.variable = variable, .penalty = penalty};
    for (queue q = 0; q < N_QUEUES; q++)
        if (keys[q].from)
            append_to(q, m, &keys[q]);
    smpi_add(&by_variable, &m->entry, (uintptr_t)variable, 0, m);
}

/* Removes the message from a queue. Returns the next one. */
static message *take_from(queue q, const message *m)
{
    const place *p = &m->places[q];
    if (p->previous)
        p->previous->places[q].next = p->next;
    if (p->next) {
        p->next->places[q].previous = p->previous;
        return p->next;
    }
    smpi_remove(&last_of[q], &p->last);
    if (p->previous)
        enter_last(q, p->previous);
    return NULL;
}

/* Removes the message from the tables and from its queues. Sets the messages that may begin now, or
 * NULL. */
static void take_out(message *m, message *next[N_QUEUES])
{
    smpi_remove(&by_variable, &m->entry);
    for (queue q = 0; q < N_QUEUES; q++)
        next[q] = m->places[q].key.from ? take_from(q, m) : NULL;
    for (queue q = 0; q < N_QUEUES; q++)
        if (next[q] && (!is_first(next[q]) || next[q]->penalty <= 0))
            next[q] = NULL;
    if (next[OF_PAIR] == next[OF_HOSTS])
        next[OF_HOSTS] = NULL;
    m->next_unused = unused;
    unused = m;
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

void (*smpi_send_watcher)(const void *sender, long receiver, double bytes);

#ifdef __x86_64__
void *isend(void *result, const send_call *call)
{
    static void *(*theirs)(void *, const send_call *);
    SMPI_BEHIND(theirs, SG_COMM_ISEND);
    if (smpi_send_watcher)
        smpi_send_watcher(call->issuer, receiver_of(call), (double)call->source_bytes);
    sending = call;
    smpi_noise_send(call->issuer, receiver_of(call), (double)call->source_bytes);
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
    key keys[N_QUEUES];
    const bool is_ordered = is_ordering && sending && sending->is_detached &&
                            sending->source_bytes < eager_bytes && find_queues(sending, keys);
    const int waits = is_ordered && has_earlier(keys);
    void *variable = theirs(system, action, waits ? 0 : penalty, bound, n + smpi_copies_room());
    if (is_ordered)
        append(variable, keys, penalty);
    smpi_buffer_flow(action);
    return variable;
}

void set_penalty(void *system, void *variable, double penalty)
{
    message *m = is_ordering && penalty > 0 ? find(variable) : NULL;
    if (m && !is_first(m))
        m->penalty = penalty;
    else
        set_their_penalty(system, variable, penalty);
}

void variable_free(void *system, void *variable)
{
    static void (*theirs)(void *, void *);
    SMPI_BEHIND(theirs, SG_VARIABLE_FREE);
    theirs(system, variable);
    message *m = is_ordering ? find(variable) : NULL, *next[N_QUEUES] = {NULL};
    if (m)
        take_out(m, next);
    for (queue q = 0; q < N_QUEUES; q++)
        if (next[q])
            set_their_penalty(system, next[q]->variable, next[q]->penalty);
}
