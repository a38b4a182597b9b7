/* threads.c - the lock, and calls that others overlap. */
#include "config.h"

#include "threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "actions.h"
#include "mpi/interface.h"
#include "requests.h"
#include "runtime.h"
#include "samples.h"
#include "stacks.h"
#include "teams.h"
#include "workers.h"

__thread tlt_thread tlt_self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t at_thread_end;
static tlt_thread *first;    /* all recorded threads */
static uint32_t last_number; /* thread of the last event */

/* ---- threads come and go ---- */

static uint32_t free_number(void)
{
    uint32_t number = 0;
    for (const tlt_thread *t = first; t;) {
        if (t->number == number) {
            number++;
            t = first;
        } else {
            t = t->next;
        }
    }
    return number;
}

static void enlist(void)
{
    tlt_self.number = free_number();
    tlt_self.next = first;
    first = &tlt_self;
}

static void thread_ends(void *unused)
{
    (void)unused;
    tlt_lock();
    if (tlt_role == TLT_RECORDING && tlt.writer) {
        tlt_end_burst();
        tlt_worker_leaves(tlt_self.volume_kept);
    }
    tlt_thread **link = &first;
    while (*link && *link != &tlt_self)
        link = &(*link)->next;
    if (*link)
        *link = tlt_self.next;
    tlt_stacks_stop();
    tlt_stop_volume();
    tlt_unlock();
    tlt_mpi->completion_free();
    tlt_kernel_queue_free();
    free(tlt_self.list);
    tlt_self = (tlt_thread){0};
    tlt_role = TLT_BYSTANDER;
}

bool tlt_threads_start(void)
{
    if (pthread_key_create(&at_thread_end, thread_ends) != 0 ||
        pthread_setspecific(at_thread_end, &tlt_self) != 0)
        return false;
    last_number = 0;
    enlist();
    return true;
}

bool tlt_thread_join(void)
{
    tlt_lock();
    const char *trouble = NULL;
    if (!tlt.writer) {
        tlt_unlock();
        return false;
    }
    if (pthread_setspecific(at_thread_end, &tlt_self) != 0)
        trouble = "out of memory for threads";
    else
        trouble = tlt_start_volume();
    if (!trouble && !tlt_reserve_list(2 * (size_t)tlt.n_ranks))
        trouble = "out of memory for threads";
    if (trouble)
        tlt_fail(trouble);
    else
        enlist();
    if (!trouble)
        tlt_samples_start(0);
    tlt_unlock();
    return !trouble;
}

/* ---- the lock ---- */

void tlt_lock(void)
{
    pthread_mutex_lock(&lock);
    tlt_self.holds_lock = true;
}

void tlt_unlock(void)
{
    if (!tlt_self.holds_lock)
        return;
    tlt_self.holds_lock = false;
    pthread_mutex_unlock(&lock);
}

void tlt_let_go(const tl_event *event)
{
    tlt_self.pending = event;
    tlt_unlock();
}

void tlt_take_up(void)
{
    tlt_lock();
    tlt_self.pending = NULL;
}

void tlt_threads_before_fork(void)
{
    /* A signal handler that forks may have interrupted its own thread here. */
    if (!tlt_self.holds_lock)
        pthread_mutex_lock(&lock);
}

void tlt_threads_after_fork(void)
{
    if (!tlt_self.holds_lock)
        pthread_mutex_unlock(&lock);
}

/* ---- calls that others overlap ---- */

static void name_thread(const tlt_thread *t)
{
    if (t->number == last_number)
        return;
    last_number = t->number;
    tl_event event = {.call = TL_MPI_Thread, .tag = (int32_t)t->number};
    tlt_write(&event);
}

/* A request in place of the call. */
static uint32_t take_request(tlt_thread *t)
{
    uint32_t id = tlt_request_reserve();
    if (id)
        t->requests[t->n_requests++] = id;
    return id;
}

static bool is_any(int32_t peer, int32_t tag)
{
    return peer == TL_ANY_SOURCE || (peer != TL_PROC_NULL && tag == TL_ANY_TAG);
}

static uint16_t nonblocking(uint16_t call)
{
    switch (call) {
    case TL_MPI_Bsend: return TL_MPI_Ibsend;
    case TL_MPI_Ssend: return TL_MPI_Issend;
    case TL_MPI_Rsend: return TL_MPI_Irsend;
    case TL_MPI_Recv: return TL_MPI_Irecv;
    case TL_MPI_Mrecv: return TL_MPI_Imrecv;
    default: return TL_MPI_Isend;
    }
}

/* MPI_Sendrecv_replace receives as much as it sends. */
tl_event tlt_receive_of(const tl_event *e)
{
    const bool replaces = e->call == TL_MPI_Sendrecv_replace;
    return (tl_event){.call = TL_MPI_Irecv,
                      .site = e->site,
                      .comm = e->comm,
                      .peer = e->recv_peer,
                      .tag = e->recv_tag,
                      .count = replaces ? e->count : e->recv_count,
                      .type_bytes = replaces ? e->type_bytes : e->recv_type_bytes};
}

static void begin_sendrecv(tlt_thread *t, tl_event *e)
{
    tl_event receive = tlt_receive_of(e);
    e->call = TL_MPI_Isend;
    e->request = take_request(t);
    tlt_write(e);
    t->takes_any = is_any(receive.peer, receive.tag);
    receive.request = take_request(t);
    tlt_write(&receive);
}

/* How the beginning of a call is written. */
typedef enum form { AT_RETURN, AS_IT_IS, AS_COUNTERPART, ENTERED } form;

static form form_of(const tl_call_info *row)
{
    if (row->traits & TL_TRAIT_NB)
        return AS_IT_IS;
    switch (tl_meaning_of(row->action)->kind) {
    case TL_KIND_ACCESS: return AS_IT_IS;
    case TL_KIND_SEND:
    case TL_KIND_RECEIVE:
    case TL_KIND_SENDRECV: return AS_COUNTERPART;
    case TL_KIND_COLLECTIVE:
    case TL_KIND_NEIGHBORHOOD:
    case TL_KIND_CONSTRUCTOR: return ENTERED;
    default: return row->action == TL_ACTION_START ? AS_IT_IS : AT_RETURN;
    }
}

/* Writes the beginning of the call in which a thread is. */
static void write_begin(tlt_thread *t)
{
    tl_event e = *t->pending;
    const tl_call_info *row = tl_call_by_code(e.call);
    t->pending = NULL;
    if (form_of(row) == AT_RETURN)
        return;
    t->is_begun = true;
    t->takes_any = false;
    t->n_requests = 0;
    name_thread(t);
    if (t->look.call)
        tlt_write(&t->look);
    t->look.call = 0;
    e.volume = t->volume_kept;
    e.polls = t->polls;
    t->volume_kept = 0;
    t->polls = 0;
    if (row->traits & TL_TRAIT_MARK)
        e.clock_ns = tlt_clock_ns();
    switch (form_of(row)) {
    case AS_COUNTERPART:
        if (row->action == TL_ACTION_SENDRECV) {
            begin_sendrecv(t, &e);
            return;
        }
        t->takes_any = row->action == TL_ACTION_RECV && is_any(e.peer, e.tag);
        e.call = nonblocking(e.call);
        e.request = take_request(t);
        break;
    case ENTERED: {
        tl_event enter = {.call = TL_MPI_Enter, .request = take_request(t)};
        tlt_write(&enter);
        break;
    }
    default:
        if (row->traits & TL_TRAIT_NB)
            e.request = take_request(t);
    }
    tlt_write(&e);
}

/* Local events need no order among those of other threads. */
static bool communicates(const tl_event *e)
{
    if (e->call == TL_MPI_Parallel)
        return false;
    switch (tl_call_by_code(e->call)->action) {
    case TL_ACTION_KERNEL:
    case TL_ACTION_CLOCK:
    case TL_ACTION_SLEEP:
    case TL_ACTION_REGION: return false;
    default: return true;
    }
}

void tlt_thread_take_turn(void)
{
    for (tlt_thread *t = first; t; t = t->next)
        if (t != &tlt_self && t->pending)
            write_begin(t);
}

/* Writes the end of the thread's call that was begun by others. */
static void write_end(const tl_event *e)
{
    const tl_call_info *row = tl_call_by_code(e->call);
    if (tlt_self.takes_any) {
        const bool both = row->action == TL_ACTION_SENDRECV;
        tl_event match = {.call = TL_MPI_Match,
                          .request = tlt_self.requests[tlt_self.n_requests - 1],
                          .peer = both ? e->recv_peer : e->peer,
                          .tag = both ? e->recv_tag : e->tag};
        tlt_write(&match);
    }
    for (uint32_t i = 0; i < tlt_self.n_requests; i++) {
        tl_event back = {.call = TL_MPI_Return,
                         .site = e->site,
                         .request = tlt_self.requests[i],
                         .new_comm = e->new_comm,
                         .took_ns = i ? 0 : e->took_ns};
        tlt_write(&back);
        tlt_request_release(tlt_self.requests[i]);
    }
}

bool tlt_thread_turn(const tl_event *event)
{
    const bool begun = tlt_self.is_begun;
    const tl_call_info *row = tl_call_by_code(event->call);
    const bool begins_only = form_of(row) == AS_IT_IS;
    if (!begun || !begins_only) {
        if (communicates(event))
            tlt_thread_take_turn();
        name_thread(&tlt_self);
    }
    if (begun) {
        if (!begins_only)
            write_end(event);
        tlt_self.is_begun = false;
        tlt_self.n_requests = 0;
    }
    return !begun;
}

uint32_t tlt_thread_begun_request(void)
{
    return tlt_self.is_begun && tlt_self.n_requests ? tlt_self.requests[0] : 0;
}

uint32_t tlt_thread_begun_receive(void)
{
    return tlt_self.is_begun && tlt_self.n_requests == 2 ? tlt_self.requests[1] : 0;
}

void tlt_thread_forget_call(void)
{
    if (!tlt_self.is_begun)
        return;
    tlt_thread_take_turn();
    name_thread(&tlt_self);
    for (uint32_t i = 0; i < tlt_self.n_requests; i++) {
        tl_event event = {.call = TL_MPI_Request_free, .request = tlt_self.requests[i]};
        tlt_write(&event);
        tlt_request_release(tlt_self.requests[i]);
    }
    tlt_self.is_begun = false;
    tlt_self.n_requests = 0;
}
