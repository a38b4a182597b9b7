/* run.c - runs the command of `timeless record`, and passes signals on. */
#include "record.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static const int forwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
enum { N_FORWARDED = sizeof forwarded / sizeof *forwarded };

static volatile pid_t child;
static struct sigaction inherited[N_FORWARDED]; /* from before the first child */
static bool is_forwarding;

/* The terminal sends its signals to the child, too. Other signals are passed on. */
static void forward_signal(int number, siginfo_t *info, void *context)
{
    (void)context;
    if (info->si_code <= 0 && child > 0)
        kill(child, number);
}

/* Blocks the signals until there is a child to which to pass them. *before is the mask without
 * this. */
static void forward_signals(sigset_t *before)
{
    struct sigaction action = {.sa_sigaction = forward_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigset_t held;
    sigemptyset(&action.sa_mask);
    sigemptyset(&held);
    for (size_t i = 0; i < N_FORWARDED; i++)
        sigaddset(&held, forwarded[i]);
    sigprocmask(SIG_BLOCK, &held, before);
    for (size_t i = 0; i < N_FORWARDED; i++)
        sigaction(forwarded[i], &action, is_forwarding ? NULL : &inherited[i]);
    is_forwarding = true;
}

void record_restore_signals(void)
{
    for (size_t i = 0; is_forwarding && i < N_FORWARDED; i++)
        sigaction(forwarded[i], &inherited[i], NULL);
    is_forwarding = false;
}

/* The status of the child from waitpid; -1 if waiting fails. */
static int wait_for(pid_t pid, const sigset_t *before)
{
    int status = 0;
    child = pid;
    sigprocmask(SIG_SETMASK, before, NULL);
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) {
            status = -1;
            break;
        }
    child = 0;
    return status;
}

int record_run(char **argv)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t mask;
    pid_t pid;
    forward_signals(&mask);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &mask);
    posix_spawn_file_actions_init(&actions);
    /* mpirun would read what the user types, or pastes, for the next command. */
    if (isatty(STDIN_FILENO))
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int error = posix_spawnp(&pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    if (error) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        errno = error;
        return -1;
    }
    int status = wait_for(pid, &mask);
    if (status < 0)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int record_fork(int (*work)(void *), void *argument)
{
    sigset_t mask;
    forward_signals(&mask);
    pid_t pid = fork();
    if (pid == 0) {
        record_restore_signals();
        sigprocmask(SIG_SETMASK, &mask, NULL);
        _exit(work(argument));
    }
    if (pid < 0) {
        sigprocmask(SIG_SETMASK, &mask, NULL);
        return -1;
    }
    return wait_for(pid, &mask);
}
