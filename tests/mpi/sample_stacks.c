/* sample_stacks.c - ROUNDS of computation, 70 % of it in assemble and 30 % in solve, both by the
 * same function, then a barrier. Further arguments: own: the program has a timer of its own that
 * sends SIGPROF, polls files, forks and dlopens; waits: it blocks the last signals before MPI_Init,
 * and must not get one; all: it takes all signals for itself after the first round, and must not
 * get one; cost: prints what a sample costs (tests/bench/tracer_overhead.sh). */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile double sink;
static volatile sig_atomic_t n_own, n_others;

static __attribute__((noinline)) void iterate(long n)
{
    double x = 1;
    for (long i = 0; i < n; i++)
        x = x * 1.0000001 + 1e-9;
    sink = x;
}

static __attribute__((noinline)) void assemble(long n)
{
    iterate(7 * n);
    sink += 1;
}

static __attribute__((noinline)) void solve(long n)
{
    iterate(3 * n);
    sink += 2;
}

static void count_own(int signal)
{
    (void)signal;
    n_own++;
}

static void count_other(int signal)
{
    (void)signal;
    n_others++;
}

static void start_own_timer(void)
{
    const struct itimerval times = {{0, 10000}, {0, 10000}};
    struct sigaction action = {.sa_handler = count_own, .sa_flags = SA_RESTART};
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &times, NULL);
}

static int restore_signals(void *unused)
{
    (void)unused;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        signal(s, SIG_DFL);
    return 0;
}

/* What a timer could disturb. */
static int is_disturbed(void)
{
    static _Alignas(16) char room[1 << 16];
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        restore_signals(NULL);
        iterate(30000000);
        _exit(7);
    }
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    const pid_t other = clone(restore_signals, room + sizeof room, CLONE_VM | CLONE_VFORK | SIGCHLD,
                              NULL); /* as vfork() */
    while (other > 0 && waitpid(other, NULL, 0) < 0 && errno == EINTR)
        ;
    void *library = dlopen("libm.so.6", RTLD_NOW);
    if (library)
        dlclose(library);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

/* A call that the handler of any signal would interrupt, although it is to be restarted. */
static int is_interrupted(void)
{
    return poll(NULL, 0, 200) != 0;
}

static void block_signals(void)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int s = SIGRTMAX - 8; s <= SIGRTMAX; s++)
        sigaddset(&blocked, s);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
}

static int has_signals(void)
{
    sigset_t pending;
    int n = sigpending(&pending) != 0;
    for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
        n += sigismember(&pending, s);
    return n;
}

/* ---- what a sample costs ---- */

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

/* The CPU time of one signal, with so many callers. */
static __attribute__((noinline)) double cost_of(int number, int depth)
{
    enum { SIGNALS = 20000, AT_ONCE = 200 };
    if (depth) {
        const double ns = cost_of(number, depth - 1);
        sink = ns; /* no tail call */
        return ns;
    }
    double all_ns = 0;
    for (int i = 0; i < SIGNALS; i += AT_ONCE) {
        const double begin_ns = cpu_ns();
        for (int k = 0; k < AT_ONCE; k++)
            raise(number);
        all_ns += cpu_ns() - begin_ns;
        MPI_Barrier(MPI_COMM_SELF); /* which takes the samples */
    }
    return all_ns / SIGNALS;
}

/* The signal of the samples against one whose handler counts. */
static void print_cost(void)
{
    struct sigaction action;
    int sampled = SIGRTMAX;
    signal(SIGUSR1, count_own);
    while (sampled > SIGRTMIN &&
           (sigaction(sampled, NULL, &action) != 0 || !(action.sa_flags & SA_SIGINFO)))
        sampled--;
    printf("callers  a sample costs, CPU ns\n");
    for (int depth = 1; depth <= 8; depth *= 2) {
        double least_ns = 1e9, plain_ns = 1e9;
        for (int i = 0; i < 5; i++) {
            const double ns = cost_of(sampled, depth), plain = cost_of(SIGUSR1, depth);
            least_ns = ns < least_ns ? ns : least_ns;
            plain_ns = plain < plain_ns ? plain : plain_ns;
        }
        printf("%7d  %.0f, and %.0f for the signal\n", depth, least_ns - plain_ns, plain_ns);
    }
}

int main(int argc, char **argv)
{
    const int rounds = (int)strtol(argv[1], NULL, 10);
    const char *how = argc > 2 ? argv[2] : "";
    int wrong = 0, rank;
    if (!strcmp(how, "waits"))
        block_signals();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    wrong |= is_interrupted();
    if (!strcmp(how, "cost"))
        print_cost();
    if (!strcmp(how, "own"))
        start_own_timer();
    for (int i = 0; i < rounds; i++) {
        assemble(3000000);
        solve(3000000);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!strcmp(how, "all") && i == 0)
            for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
                signal(s, count_other);
        if (!strcmp(how, "own") && i == 0)
            wrong |= is_disturbed();
    }
    if (!strcmp(how, "own"))
        wrong |= !n_own;
    wrong |= n_others > 0 || (!strcmp(how, "waits") && has_signals());
    printf("rank %d: %d own signals, %d others%s\n", rank, (int)n_own, (int)n_others,
           wrong ? ", wrong" : "");
    MPI_Finalize();
    return wrong;
}
