/* threads.h - several recorded threads in one process.
 *
 * If MPI_Init_thread grants MPI_THREAD_SERIALIZED or more, every thread that calls MPI is recorded.
 * The events of all threads are in one stream, in an order that really happened. A pseudo-event
 * Thread precedes the events of another thread.
 *
 * One lock protects all state of the tracer except tlt_thread.  A thread holds it from tlt_enter to
 * tlt_leave, except during the MPI function itself (TLT_OUTSIDE). During this function, other
 * threads can read the event of the thread, as far as it is known.  If no other thread writes an
 * event meanwhile, the call becomes one event when it returns.  Otherwise, the first other thread
 * that writes an event first writes the begin of this call, and the call writes its end when it
 * returns:
 *
 *     Isend, Start, Put, ...  the event itself; nothing at the return
 *     Send, Recv, Sendrecv    the nonblocking counterparts; a Return for each
 *     collectives,            Enter, the event itself; Return
 *     constructors of communicators
 *     windows' synchronisation, files: only the event itself, at the return
 *
 * So in the stream of a rank, an operation begins before the end of all operations that may depend
 * on it, and a replay in this order does not wait for itself.
 */
#ifndef TLT_THREADS_H
#define TLT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeless.h"

/* What belongs to one thread. */
typedef struct tlt_thread {
    uint64_t volume_kept; /* computation since the last event, before calls without an event */
    uint64_t volume_of_operators; /* of the program, inside of the latest call: operators.c */
    uint32_t polls;
    uint64_t polled_ns; /* with call times: of the polls */
    uint64_t began_ns;  /* with call times: the clock when the call began; 0: no call */
    uint64_t n_calls;   /* number of MPI calls written */
    tl_event look;      /* an MPI_Wtime that is kept until the next event; no call: none */
    int64_t *list;      /* scratch for tl_event.list, of list_size elements */
    size_t list_size;
    bool is_measured;      /* the volume source measures this thread */
    bool is_sampled;       /* its stack is sampled while it computes (samples.h) */
    uint32_t sampled_from; /* the call site of its last event */

    /* If several threads are recorded: */
    uint32_t number;
    bool holds_lock;
    bool is_begun;  /* the begin of its call is written */
    bool takes_any; /* ... and the call is a receive with a wildcard */
    const tl_event
        *pending;        /* the call in which the thread is, if its beginning matters to others */
    uint32_t n_requests; /* that stand for the call, once it is begun */
    uint32_t requests[2];
    struct tlt_thread *next;
} tlt_thread;

extern __thread tlt_thread tlt_self __attribute__((tls_model("initial-exec")));

/* Prepares for further threads. The calling thread has number 0. False if that is impossible. */
bool tlt_threads_start(void);

/* Call it at the first MPI call of a thread, which is recorded from now on. */
bool tlt_thread_join(void);

void tlt_lock(void);
void tlt_unlock(void); /* does nothing if this thread does not hold the lock */

/* Call them before and after the MPI function. `event` NULL: the call has no begin to write. */
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
/* Call it if a call failed whose begin another thread has written. */
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
