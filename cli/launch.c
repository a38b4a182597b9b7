/* launch.c - starts mpirun for a program of ours that measures, and reads its output. */
#include "config.h"

#include "launch.h"

#include "cli.h"
#include "installed.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* "a,b" to "a:2,b:2"; returns the number of hosts, 0 if the text is too long. */
static int some_on_each(const char *hosts, int n_each, char *out, size_t size)
{
    size_t used = 0;
    int n = 0;
    for (const char *at = hosts; *at;) {
        size_t length = strcspn(at, ",");
        if (used + length + 5 > size)
            return 0;
        if (length) {
            used += (size_t)snprintf(out + used, size - used, "%s%.*s:%d", n ? "," : "",
                                     (int)length, at, n_each);
            n++;
        }
        at += length + (at[length] == ',');
    }
    return n;
}

int cli_launcher_words(const cli_launcher *launcher, char texts[2][CLI_LAUNCH_TEXT], char **argv,
                       tl_error *err)
{
    int n = 0;
    while (n < launcher->n_words) {
        argv[n] = launcher->words[n];
        n++;
    }
    if (n)
        return n;
    argv[n++] = (char *)"mpirun";
    argv[n++] = (char *)"-np";
    argv[n++] = texts[0];
    snprintf(texts[0], CLI_LAUNCH_TEXT, "%d", launcher->n_each);
    if (!launcher->hosts)
        return n;
    const int n_hosts = some_on_each(launcher->hosts, launcher->n_each, texts[1], CLI_LAUNCH_TEXT);
    snprintf(texts[0], CLI_LAUNCH_TEXT, "%d", launcher->n_each * n_hosts);
    argv[n++] = (char *)"--host";
    argv[n++] = texts[1];
    if (!n_hosts)
        tl_error_set(err, TL_ERR_USAGE,
                     "--hosts: the list is too long; give '-- mpirun ARGUMENTS'");
    return n_hosts ? n : 0;
}

tl_status cli_launch_program(const char *given, const char *name, const char *built,
                             const char *what, const char *option, char *path, tl_error *err)
{
    if (given)
        snprintf(path, PATH_MAX, "%s", given);
    else if (!tlr_installed(TLR_PLACE_PROGRAMS, name, built, path, PATH_MAX))
        return tl_fail(err, TL_ERR_SYSTEM, "%.200s: %s " CLI_IS_MISSING ", or give %s", path, what,
                       option);
    return TL_OK;
}

/* Starts the command in a process group of its own, with its output in a pipe. NULL after an error.
 */
static FILE *start(char **argv, pid_t *pid, tl_error *err)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    FILE *out = NULL;
    err->status = TL_ERR_SYSTEM;
    snprintf(err->text, sizeof err->text, "no pipe: %s; close some files", strerror(errno));
    if (pipe(ends) != 0)
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    int failed = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(ends[1]);
    if (failed)
        snprintf(err->text, sizeof err->text,
                 "%.200s: cannot be started: %s; install Open MPI, or name another after '--'",
                 argv[0], strerror(failed));
    else if ((out = fdopen(ends[0], "r")))
        return out;
    close(ends[0]);
    return NULL;
}

/* Waits for the end and returns the exit code. is_complete: everything has been measured; then it
 * does not wait for mpirun, which can remain for a minute between network namespaces. */
static int end_launch(pid_t pid, bool is_complete)
{
    int result = 0, rounds = 0;
    while (waitpid(pid, &result, is_complete ? WNOHANG : 0) == 0) {
        if (++rounds == 30)
            kill(-pid, SIGTERM);
        if (rounds == 60)
            kill(-pid, SIGKILL);
        usleep(100000);
    }
    return WIFEXITED(result) ? WEXITSTATUS(result) : 128;
}

tl_status cli_launch_run(char **argv, bool to_end, bool (*take_line)(void *arg, const char *line),
                         void *arg, tl_error *err)
{
    char line[CLI_LAUNCH_TEXT];
    bool is_complete = 0;
    pid_t pid = 0;
    FILE *in = start(argv, &pid, err);
    if (!in)
        return TL_ERR_SYSTEM;
    while (!is_complete && fgets(line, sizeof line, in))
        is_complete = take_line(arg, line);
    const int code = end_launch(pid, is_complete);
    fclose(in);
    if (is_complete || (to_end && code == 0))
        return TL_OK;
    while (argv[1] && (!strcmp(argv[0], "env") || strchr(argv[0], '=')))
        argv++;
    return tl_fail(err, TL_ERR_SYSTEM,
                   "%.100s ended with code %d before all was measured; see its message above, "
                   "check that it starts programs on these hosts",
                   argv[0], code);
}
