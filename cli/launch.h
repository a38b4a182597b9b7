/* launch.h - starts mpirun for a program of ours that measures, and reads its output. */
#ifndef CLI_LAUNCH_H
#define CLI_LAUNCH_H

#include <stdbool.h>
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
 * the names of the hosts are too long. */
int cli_launcher_words(const cli_launcher *launcher, char texts[2][CLI_LAUNCH_TEXT], char **argv,
                       tl_error *err);
/* The path of a program of ours that measures: the given one (NULL: none), or the installed one,
 * which a build tree has in the folder `built`. what: "the measuring program"; option: of `given`.
 */
tl_status cli_launch_program(const char *given, const char *name, const char *built,
                             const char *what, const char *option, char *path, tl_error *err);
/* Runs the command in a process group of its own, and gives each line of its output to take_line,
 * up to that for which it returns true: then everything has been measured. to_end: it also has
 * after an exit with code 0. */
tl_status cli_launch_run(char **argv, bool to_end, bool (*take_line)(void *arg, const char *line),
                         void *arg, tl_error *err);

#endif
