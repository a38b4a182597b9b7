/* launcher.c - whose launcher a command is: those of Open MPI and of the MPICH family have the same
 * names and other options. */
#include "config.h"

#include "record.h"
#include "text_file.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Another name can be that of a script that runs something whatever its options are. */
bool record_has_name_of_launcher(const char *command)
{
    static const char *const names[] = {"mpirun",          "mpiexec",        "orterun",
                                        "prterun",         "mpirun.openmpi", "mpirun.mpich",
                                        "mpiexec.openmpi", "mpiexec.mpich",  "mpiexec.hydra"};
    const char *name = tlr_base_name(command);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* Starts "COMMAND --version"; returns where its output can be read, or -1. */
static int start_version(const char *command, pid_t *child)
{
    extern char **environ;
    char option[] = "--version";
    char *argv[] = {(char *)command, option, NULL};
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    const int failed = posix_spawnp(child, command, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!failed)
        return ends[0];
    close(ends[0]);
    return -1;
}

/* The beginning of its output, in one text. */
static void read_beginning(int fd, char *text, size_t size)
{
    enum { PATIENCE_MS = 10000 };
    struct pollfd source = {.fd = fd, .events = POLLIN};
    size_t n = 0;
    while (n + 1 < size && poll(&source, 1, PATIENCE_MS) > 0) {
        const ssize_t more = read(fd, text + n, size - 1 - n);
        if (more <= 0)
            break;
        n += (size_t)more;
    }
    text[n] = '\0';
}

record_launcher record_find_launcher(const char *command)
{
    static const char *const names[] = {"Open MPI", "OpenRTE", "PRRTE", "Spectrum MPI"};
    char version[256];
    pid_t child;
    if (!record_has_name_of_launcher(command))
        return RECORD_NO_LAUNCHER;
    const int fd = start_version(command, &child);
    if (fd < 0)
        return RECORD_OTHER_LAUNCHER;
    read_beginning(fd, version, sizeof version);
    close(fd);
    kill(child, SIGKILL); /* it has ended, or has printed enough */
    waitpid(child, NULL, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(version, names[i]))
            return RECORD_OPEN_MPI;
    return RECORD_OTHER_LAUNCHER;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && !strcmp(value, "1");
}

bool record_refuses_root(char **command)
{
    if (geteuid() != 0 ||
        (is_set("OMPI_ALLOW_RUN_AS_ROOT") && is_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")) ||
        (is_set("PRTE_ALLOW_RUN_AS_ROOT") && is_set("PRTE_ALLOW_RUN_AS_ROOT_CONFIRM")))
        return false;
    for (char **word = command; *word; word++)
        if (!strcmp(*word, "--allow-run-as-root") || !strcmp(*word, "-allow-run-as-root"))
            return false;
    return true;
}
