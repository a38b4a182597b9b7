/* stacks.c - a timer for each thread, and the handler of its signal. */
#include "config.h"

#include "stacks.h"

#include "frames.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

enum { MAX_KEPT = 256 };

/* The samples of a thread. */
typedef struct keeper {
    int timer; /* -1: none */
    struct keeper *next;
    uint32_t n;
    uint32_t weight, n_skipped; /* one signal of `weight` is kept */
    tlt_stack kept[MAX_KEPT];
} keeper;

static __thread keeper *mine __attribute__((tls_model("initial-exec")));
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static keeper *first; /* of all threads */
static tlt_stacks_settings settings;
static atomic_int taken; /* the signal; 0: none yet; -1: the program took it */
static pid_t owner;      /* the process that took it */

/* Signals wait as long, because a handler of the program may call sigaction(). */
static void lock_keepers(sigset_t *blocked)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, blocked);
    pthread_mutex_lock(&lock);
}

static void unlock_keepers(const sigset_t *blocked)
{
    pthread_mutex_unlock(&lock);
    pthread_sigmask(SIG_SETMASK, blocked, NULL);
}

/* ---- in the handler ---- */

/* Every second sample goes, and the others count twice: so there is always room, and no moment is
 * preferred. */
static void thin_out(keeper *k)
{
    for (k->n = 0; k->n < MAX_KEPT / 2; k->n++) {
        k->kept[k->n] = k->kept[2 * k->n + 1];
        k->kept[k->n].weight *= 2;
    }
    k->weight *= 2;
}

#ifdef __x86_64__

static const bool is_supported = true;

typedef struct walk {
    tlt_climb climb; /* first */
    const char *low; /* lowest word that may be read */
    uintptr_t fp;    /* of the innermost function */
} walk;

__attribute__((no_sanitize("address"))) static bool read_word(tlt_climb *climb, const char *at,
                                                              uintptr_t *value)
{
    const walk *w = (const walk *)climb;
    const bool is_register = at == (const char *)&w->fp;
    if (!is_register &&
        ((uintptr_t)at % sizeof *value || at < w->low || at > tlt_own_stack.end - sizeof *value))
        return false;
    *value = *(const uintptr_t *)at;
    return true;
}

/* Functions of the C library that the program calls have callers, those that call main have not. */
static void take_stack(const ucontext_t *context, tlt_stack *out)
{
    const greg_t *registers = context->uc_mcontext.gregs;
    const char *stack = (const char *)registers[REG_RSP];
    walk w = {.climb = {.stack = stack, .read = read_word},
              .low = stack,
              .fp = (uintptr_t)registers[REG_RBP]};
    w.climb.fp_at = (const char *)&w.fp;
    out->addresses[0] = (char *)registers[REG_RIP] + 1;
    out->n = 1;
    if (!settings.depth || stack < tlt_own_stack.begin || stack >= tlt_own_stack.end)
        return;
    tlt_frame frame = tlt_frame_find(out->addresses[0]);
    bool is_inner = frame.in_c_library;
    while (out->n <= settings.depth) {
        void *address = tlt_climb_up(&w.climb, frame);
        if (!address)
            return;
        frame = tlt_frame_find(address);
        if (frame.kind == TLT_FRAME_OUTSIDE || (frame.in_c_library && !is_inner))
            return;
        is_inner &= frame.in_c_library;
        out->addresses[out->n++] = address;
    }
}

#elif defined __aarch64__

static const bool is_supported = true;

static void take_stack(const ucontext_t *context, tlt_stack *out)
{
    out->addresses[0] = (char *)(uintptr_t)context->uc_mcontext.pc + 1;
    out->n = 1;
}

#else

static const bool is_supported = false;

static void take_stack(const ucontext_t *context, tlt_stack *out)
{
    (void)context;
    out->n = 0;
}

#endif

static void keep(int signal, siginfo_t *info, void *context)
{
    keeper *k = mine;
    (void)signal;
    (void)info;
    if (!k || !settings.is_wanted() || ++k->n_skipped < k->weight)
        return;
    k->n_skipped = 0;
    if (k->n == MAX_KEPT)
        thin_out(k);
    tlt_stack *stack = &k->kept[k->n];
    stack->weight = k->weight;
    take_stack(context, stack);
    k->n++;
}

/* ---- outside ---- */

/* The last signal that the program leaves alone. A program blocks those for which it waits. */
static const char *choose_signal(const sigset_t *blocked)
{
    struct sigaction now,
        own = {.sa_sigaction = keep, .sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK};
    sigemptyset(&own.sa_mask);
    for (int s = SIGRTMAX - 1; s > SIGRTMIN; s--) {
        if (sigismember(blocked, s) || sigaction(s, NULL, &now) != 0 ||
            (now.sa_flags & SA_SIGINFO) || now.sa_handler != SIG_DFL)
            continue;
        if (sigaction(s, &own, NULL) != 0)
            break;
        taken = s;
        owner = getpid();
        return NULL;
    }
    return "the program uses or blocks all real-time signals";
}

static const char *start_timer(int *timer)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = taken};
    const struct timespec period = {.tv_sec = (time_t)(settings.period_ns / 1000000000U),
                                    .tv_nsec = (long)(settings.period_ns % 1000000000U)};
    const pid_t thread = (pid_t)syscall(SYS_gettid);
    /* Threads and ranks that begin together are not interrupted together. */
    const long first_ns = 1 + (long)(settings.period_ns / 64 * ((uint64_t)thread % 64));
    const struct itimerspec times = {.it_interval = period,
                                     .it_value = {first_ns / 1000000000, first_ns % 1000000000}};
    event.sigev_notify_thread_id = thread;
    /* Not by timer_create, which was in another library than the C library for long. */
    if (syscall(SYS_timer_create, settings.clock, &event, timer) != 0)
        return errno == EAGAIN ? "no further signal can be queued (ulimit -i)"
                               : "the system has no such timer";
    syscall(SYS_timer_settime, *timer, 0, &times, NULL);
    return NULL;
}

static const char *start(keeper *k, const tlt_stacks_settings *wanted, const sigset_t *blocked)
{
    const char *why = is_supported ? NULL : "this processor is not supported";
    if (!taken && !why) {
        settings = *wanted;
        /* Finds the tracer, so that the dynamic linker has bound what the handler calls. */
        if (!tlt_frames_are_safe ||
            tlt_frame_find(__builtin_return_address(0)).kind == TLT_FRAME_OUTSIDE)
            settings.depth = 0;
        if (settings.depth >= TLT_STACK_LEVELS)
            settings.depth = TLT_STACK_LEVELS - 1;
        why = choose_signal(blocked);
    }
    if (taken < 0)
        why = "the program uses the signal";
    if (!why)
        why = start_timer(&k->timer);
    if (why)
        return why;
    k->next = first;
    first = k;
    return NULL;
}

const char *tlt_stacks_start(const tlt_stacks_settings *wanted)
{
    if (mine)
        return NULL;
    keeper *k = calloc(1, sizeof *k);
    if (!k)
        return "out of memory";
    k->weight = 1;
    k->timer = -1;
    tlt_find_own_stack();
    sigset_t blocked;
    lock_keepers(&blocked);
    const char *why = start(k, wanted, &blocked);
    unlock_keepers(&blocked);
    if (why)
        free(k);
    else
        mine = k;
    return why;
}

static void delete_timer(keeper *k)
{
    if (k->timer >= 0)
        syscall(SYS_timer_delete, k->timer);
    k->timer = -1;
}

/* Returns whether there was one. */
static bool delete_timers(void)
{
    bool was_sampled = false;
    for (keeper *k = first; k; k = k->next) {
        was_sampled |= k->timer >= 0;
        delete_timer(k);
    }
    return was_sampled;
}

/* The handler stays: a signal may be on its way. */
void tlt_stacks_stop(void)
{
    keeper *k = mine;
    sigset_t blocked;
    if (!k)
        return;
    mine = NULL;
    lock_keepers(&blocked);
    delete_timer(k);
    keeper **link = &first;
    while (*link && *link != k)
        link = &(*link)->next;
    if (*link)
        *link = k->next;
    unlock_keepers(&blocked);
    free(k);
}

void tlt_stacks_stop_all(void)
{
    sigset_t blocked;
    lock_keepers(&blocked);
    delete_timers();
    unlock_keepers(&blocked);
    tlt_stacks_stop();
}

size_t tlt_stacks_take(tlt_stack **out)
{
    keeper *k = mine;
    const size_t n = k ? k->n : 0;
    if (!n)
        return 0;
    *out = k->kept;
    k->n = 0;
    k->weight = 1;
    return n;
}

bool tlt_stacks_give_way(int number)
{
    sigset_t blocked;
    /* The child of vfork() has the memory of its parent, but no timers. */
    if (number <= 0 || number != taken || getpid() != owner)
        return false;
    lock_keepers(&blocked);
    bool was_sampled = false;
    if (number == taken) {
        taken = -1;
        was_sampled = delete_timers();
        /* Before Linux 6.13, the signal of a deleted timer may still come. The first call discards
         * it; after the second, the program finds the signal as it was. */
        signal(number, SIG_IGN);
        signal(number, SIG_DFL);
    }
    unlock_keepers(&blocked);
    return was_sampled;
}

void tlt_stacks_forget(void)
{
    pthread_mutex_init(&lock, NULL); /* another thread may have held it */
    mine = NULL;
    first = NULL;
    if (taken)
        taken = -1;
}
