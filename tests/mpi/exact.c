/* exact.c - what instruction counters in emulators get wrong, each part with a known number of
 * instructions, one MPI_Barrier after it.  Rank 0 prints the numbers. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char from[1 << 16], to[1 << 16];
static volatile sig_atomic_t n_signals;
static __thread int is_main;

/* 2 instructions a turn. */
static void turn(int64_t turns)
{
    __asm__ volatile("1: dec %0\n jnz 1b" : "+r"(turns)::"cc");
}

static int64_t plain(void)
{
    turn(3000000);
    return 6000000;
}

/* 6 instructions a turn, one of which moves 16 bytes; then some that fill 64 KiB. */
static int64_t strings(void)
{
    const int64_t turns = 200000;
    __asm__ volatile("mov %0, %%r8\n"
                     "1: lea %1, %%rsi\n"
                     "lea %2, %%rdi\n"
                     "mov $16, %%ecx\n"
                     "rep movsb\n"
                     "dec %%r8\n"
                     "jnz 1b\n"
                     :
                     : "r"(turns), "m"(from), "m"(to)
                     : "rcx", "rsi", "rdi", "r8", "memory", "cc");
    for (int repeat = 0; repeat < 50; repeat++)
        __asm__ volatile("lea %0, %%rdi\n"
                         "mov $8192, %%ecx\n"
                         "xor %%eax, %%eax\n"
                         "rep stosq\n"
                         :
                         : "m"(to)
                         : "rax", "rcx", "rdi", "memory", "cc");
    return turns * 6;
}

/* Code over several pages in instructions of 10 bytes, which lie across the ends of pages. */
static int64_t pages(void)
{
    for (int repeat = 0; repeat < 1000; repeat++)
        __asm__ volatile(".rept 4000\n"
                         "movabs $0x1122334455667788, %%rax\n"
                         ".endr\n" ::
                             : "rax");
    return 4000000;
}

/* MPI has threads of its own, in which what is done counts for nobody. */
static void handle(int number)
{
    (void)number;
    if (!is_main)
        return;
    n_signals++;
    turn(100000);
}

/* Signals at points that the program chooses, and at others. */
static int64_t signals(void)
{
    struct itimerval often = {{0, 3000}, {0, 3000}}, never = {0};
    n_signals = 0;
    for (int i = 0; i < 20; i++)
        raise(SIGALRM);
    setitimer(ITIMER_REAL, &often, NULL);
    turn(1000000);
    setitimer(ITIMER_REAL, &never, NULL);
    return 2000000 + 200000 * (int64_t)n_signals;
}

static void *help(void *turns)
{
    turn((int64_t)(intptr_t)turns);
    return NULL;
}

static void *help_twice(void *turns)
{
    pthread_t thread;
    pthread_create(&thread, NULL, help, turns);
    help(turns);
    pthread_join(thread, NULL);
    return NULL;
}

/* Threads of threads count; so does one that goes where another has been. */
static int64_t threads(void)
{
    pthread_t thread[2];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&thread[i], NULL, help_twice, (void *)(intptr_t)4000000);
        for (int i = 0; i < 2; i++)
            pthread_join(thread[i], NULL);
    }
    return 64000000;
}

static void fork_child(int64_t turns)
{
    pid_t child = fork();
    if (child == 0) {
        turn(turns);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

/* Another process does not. */
static int64_t children(void)
{
    turn(4000000);
    fork_child(4000000);
    return 8000000;
}

int main(int argc, char **argv)
{
    static int64_t (*const parts[])(void) = {plain, strings, pages, signals, threads, children};
    static const char *const names[] = {"plain",   "strings", "pages",
                                        "signals", "threads", "children"};
    enum { N_PARTS = sizeof parts / sizeof *parts };
    int64_t expected[N_PARTS];
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_main = 1;
    signal(SIGALRM, handle);
    /* The first fork has instructions of its own: in it, UCX 1.18 (in MPICH of Debian 13) gives up
     * the memory that it has registered, which takes 20,000. */
    fork_child(1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < N_PARTS; i++) {
        expected[i] = parts[i]();
        MPI_Barrier(MPI_COMM_WORLD);
    }
    for (int i = 0; rank == 0 && i < N_PARTS; i++)
        printf("%s %lld\n", names[i], (long long)expected[i]);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
