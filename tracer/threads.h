/* threads.h - several recorded threads in one process.
 *
 * Where MPI_Init_thread granted MPI_THREAD_SERIALIZED or more, every thread that calls MPI is
 * recorded.  A rank has one stream of events, in an order that really happened; a Thread
 * pseudo-event stands where the events change from one thread to another.
 *
 * One lock protects all state of the tracer but each thread's own (tlt_thread).  It is held from
 * tlt_enter to tlt_leave, except during the MPI function itself (TLT_OUTSIDE), where the thread
 * leaves its event, as far as it is known, for others to see.  A call that nobody else's
 * communication overlaps becomes one event, when it has returned.  Otherwise its beginning is
 * written by the first other thread that has something to write, and its end at its return:
 *
 *     Isend, Start, Put, ...  the event itself; nothing at the return
 *     Send, Recv, Sendrecv    the nonblocking counterparts; a Return for each
 *     collectives,            Enter, the event itself; Return
 *     constructors of communicators
 *     windows' synchronisation, files: the event itself at the return, as without others
 *
 * So in the stream of each rank every operation begins before whatever could depend on it ends, and
 * a replay in this order does not wait for itself.
 */
#ifndef TLT_THREADS_H
#define TLT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeless.h"

/* What belongs to one thread. */
typedef struct tlt_thread {
    uint64_t volume_kept; /* computed since the last event, before calls without event */
    uint32_t polls;
    uint64_t n_calls; /* of MPI, written */
    tl_event look;    /* a look at the clock, kept until the next event; no call: there is none */
    int64_t *list;    /* scratch for tl_event.list, of list_size elements */
    size_t list_size;
    bool is_measured; /* the volume source counts for it */

    /* If several threads are recorded: */
    uint32_t number;
    bool holds_lock;
    bool is_begun;  /* the call's beginning is written */
    bool takes_any; /* and it is a receive whose source or tag its status tells */
    const tl_event
        *pending;        /* the call in which the thread is, if its beginning matters to others */
    uint32_t n_requests; /* that stand for the call, once it is begun */
    uint32_t requests[2];
    struct tlt_thread *next;
} tlt_thread;

extern __thread tlt_thread tlt_self __attribute__((tls_model("initial-exec")));

/* Prepares for further threads. The calling thread has number 0. False if that is impossible. */
bool tlt_threads_start(void);

/* The calling thread has not called MPI before; it is recorded from here on. */
bool tlt_thread_join(void);

void tlt_lock(void);
void tlt_unlock(void); /* nothing if this thread does not hold it */

/* The thread enters MPI with this event (NULL: only its end can be written), and returns from MPI.
 */
void tlt_let_go(const tl_event *event);
void tlt_take_up(void);

/* Writes the beginnings of the calls in which other threads are. To be called before the thread
 * writes anything, and before it frees the id of a request, because one of the calls might take
 * that id. */
void tlt_thread_take_turn(void);
/* To be called before the thread writes an event: writes the beginnings of the calls of other
 * threads, and names the thread. False: the call was begun before, and has now been ended; nothing
 * is to be written. */
bool tlt_thread_turn(const tl_event *event);
/* The call whose beginning another thread has written has failed. */
void tlt_thread_forget_call(void);
/* The id with which the beginning of the thread's nonblocking call was written; 0: it was not. */
uint32_t tlt_thread_begun_request(void);
/* The same for a call that sends and receives: the id of its receive. */
uint32_t tlt_thread_begun_receive(void);
/* The receive in the event of a call that sends and receives. */
tl_event tlt_receive_of(const tl_event *sendrecv);

/* Around fork(): the lock is free in the child, and the data that it protects is consistent. */
void tlt_threads_before_fork(void);
void tlt_threads_after_fork(void);

#endif
