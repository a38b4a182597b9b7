/* launch.h - starts mpirun for a program of ours that measures, and reads its output. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
#include <timeless.h>

enum { CLI_LAUNCH_WORDS = 256, CLI_LAUNCH_TEXT = 4096 };

/* How mpirun is started: by the user's own words, or with n_each ranks on each host "a,b" (NULL:
 * this one). */
typedef struct cli_launcher {
    const char *hosts;
    int n_each;
    char **words;
    int n_words;
} cli_launcher;

/* The first words of the command, of which two are put into `texts`. Returns how many there are; 0:
 * no host is named, or too many. */
int cli_launcher_words(const cli_launcher *launcher, char texts[2][CLI_LAUNCH_TEXT], char **argv);
/* Starts the command in a process group of its own, with its output in a pipe. NULL after an error.
 */
FILE *cli_launch(char **argv, pid_t *pid, tl_error *err);
/* Waits for the end and returns the exit code. is_complete: everything has been measured; then it
 * does not wait for mpirun, which can remain for a minute between network namespaces. */
int cli_launch_end(pid_t pid, bool is_complete);
/* Does both, and gives each line of output to take_line, up to that for which it returns true: then
 * everything has been measured. to_end: so it has after an exit with code 0. */
tl_status cli_launch_run(char **argv, bool to_end, bool (*take_line)(void *arg, const char *line),
                         void *arg, tl_error *err);

#endif
