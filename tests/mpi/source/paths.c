/* paths.c - one wrapper of MPI, called on many paths; the tag of a message tells which. With -DBARE
 * one function alone, to be compiled without unwind tables. */
#define _GNU_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* The body of a function that remains one, and whose last action is no call. */
#define FUNCTION __attribute__((noinline)) void
#define END __asm__ volatile("" ::: "memory")

void wrap(int tag);
void bare(void);

#ifdef BARE
void bare(void)
{
    wrap(9);
    END;
}
#else

FUNCTION wrap(int tag)
{
    MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, tag, MPI_COMM_WORLD);
    END;
}

static FUNCTION direct(void)
{
    wrap(1);
    END;
}

static FUNCTION with_array(int n)
{
    volatile char array[n];
    array[n - 1] = 0;
    wrap(2);
    array[0] = array[n - 1];
}

static FUNCTION first(int n)
{
    with_array(n);
    END;
}

static FUNCTION second(int n)
{
    with_array(n + 1); /* the compiler would merge two equal functions */
    END;
}

static FUNCTION realigned(int n)
{
    _Alignas(64) volatile double line[8];
    volatile char array[n];
    line[0] = array[n - 1] = 0;
    wrap(3);
    array[0] = line[0] > 0;
}

static FUNCTION recurse(int depth)
{
    if (depth > 1)
        recurse(depth - 1);
    else
        wrap(4);
    END;
}

static int compare(const void *a, const void *b)
{
    wrap(5);
    return *(const int *)a - *(const int *)b;
}

static void handler(int number)
{
    (void)number;
    wrap(6);
    END;
}

static ucontext_t program, coroutine;

static void in_coroutine(void)
{
    wrap(7);
    END;
}

static void *in_thread(void *unused)
{
    wrap(8);
    return unused;
}

static FUNCTION pass(void (*function)(int), int argument)
{
    function(argument);
    END;
}

static void on_other_stacks(void)
{
    stack_t stack = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    sigaltstack(&stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    getcontext(&coroutine);
    coroutine.uc_stack.ss_sp = malloc(1 << 18);
    coroutine.uc_stack.ss_size = 1 << 18;
    coroutine.uc_link = &program;
    makecontext(&coroutine, in_coroutine, 0);
    swapcontext(&program, &coroutine);
}

int main(int argc, char **argv)
{
    int level, numbers[2] = {2, 1};
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    direct();
    for (int n = 16; n < 500; n += 16) {
        first(n);
        second(500 - n);
    }
    realigned(100);
    recurse(4);
    qsort(numbers, 2, sizeof *numbers, compare);
    on_other_stacks();
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    bare();
    pass(recurse, 2);
    const pid_t child = fork();
    if (!child) {
        int flag;
        MPI_Initialized(&flag);
        _exit(!flag);
    }
    int status = 1;
    waitpid(child, &status, 0);
    MPI_Finalize();
    return status;
}
#endif
