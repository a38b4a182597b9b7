/* main.c - timeless: calls the command; there is one file for each. */
#include "cli.h"
#include "progress.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>
#include <unistd.h>

static const struct command {
    const char *name;
    const char *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary) {#name, summary, cmd_##name},
#include "commands.def"
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

static void print_usage(FILE *out)
{
    fputs("usage: timeless COMMAND [OPTION...] [ARGUMENT...]\n\n", out);
    for (int i = 0; i < N_COMMANDS; i++)
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'timeless COMMAND --help' prints the options of a command, 'man timeless-COMMAND' "
          "describes them.\n",
          out);
}

static const struct command *find(const char *name)
{
    for (int i = 0; i < N_COMMANDS; i++)
        if (!strcmp(name, commands[i].name))
            return &commands[i];
    fprintf(stderr, "timeless: '%s' is not a command; 'timeless --help' lists them\n", name);
    return NULL;
}

/* Removes argp's note that arguments of long options also apply to short ones from --help. argp
 * reads this setting from the environment only. `record` passes the environment to a program, and
 * keeps the note. */
static void shorten_help(const struct command *command, int argc, char **argv)
{
    for (int i = 1; i < argc && command->run != cmd_record; i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-?"))
            setenv("ARGP_HELP_FMT", "no-dup-args-note", 0);
}

/* Most users mean --help by -h. With a word behind it, as for the host file of another program, a
 * message names both options. Returns 0 after the message. `record` passes words to a program, and
 * replaces only its first. */
static int replace_h(const struct command *command, int argc, char **argv)
{
    const int last = command->run == cmd_record ? 2 : argc;
    for (int i = 1; i < argc && i < last && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") != 0)
            continue;
        if (i + 1 < argc && argv[i + 1][0] != '-') {
            cli_fail_text(TL_ERR_USAGE,
                          "-h %s: is not an option; 'timeless %s --help' prints the options, and "
                          "--hostfile, where a command has it, names a file of hosts",
                          argv[i + 1], command->name);
            return 0;
        }
        argv[i] = (char *)"--help";
    }
    return 1;
}

/* record passes the terminal to a program, calibrate measures machines that nothing should disturb,
 * and the others count their points (grid.c). */
static int shows_itself(const struct command *command)
{
    static int (*const own[])(int, char **) = {cmd_record, cmd_sweep,     cmd_study,
                                               cmd_budget, cmd_tolerance, cmd_calibrate};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (command->run == own[i])
            return 1;
    return 0;
}

/* ---- outputs never replace inputs ---- */

typedef struct named {
    struct stat file;
    const char *path;
    int word;
} named;

static int compare_files(const void *a, const void *b)
{
    const named *x = a, *y = b;
    if (x->file.st_dev != y->file.st_dev)
        return x->file.st_dev < y->file.st_dev ? -1 : 1;
    if (x->file.st_ino != y->file.st_ino)
        return x->file.st_ino < y->file.st_ino ? -1 : 1;
    return x->word - y->word;
}

/* The next path that a word may contain: "FILE", "--json=FILE", "-oFILE". */
static const char *next_path(const char *word, const char *path)
{
    const char *equals = strchr(path, '=');
    if (path == word && word[0] == '-' && word[1] && word[1] != '-')
        return word + 2;
    return equals ? equals + 1 : NULL;
}

/* Notes as inputs: standard input, and each file that two words name, one of which is the output
 * then. Paths may differ, as links do. */
static void note_inputs(int argc, char **argv)
{
    named *all = NULL;
    size_t n = 0;
    tl_input_note("/dev/stdin");
    for (int i = 1; i < argc; i++)
        for (const char *path = argv[i]; path; path = next_path(argv[i], path)) {
            named next = {.path = path, .word = i};
            named *more = stat(path, &next.file) == 0
                              ? realloc(all, (n + 1) * sizeof *more) /* few words are files */
                              : NULL;
            if (more)
                (all = more)[n++] = next;
        }
    if (n)
        qsort(all, n, sizeof *all, compare_files);
    for (size_t i = 1; i < n; i++)
        if (all[i].file.st_dev == all[i - 1].file.st_dev &&
            all[i].file.st_ino == all[i - 1].file.st_ino && all[i].word != all[i - 1].word)
            tl_input_note(all[i].path);
    free(all);
}

/* ---- the command ---- */

/* An interrupted command leaves no incomplete file. */
static void abandon_files(int number)
{
    tl_replace_abandon();
    raise(number); /* SA_RESETHAND: this ends the process */
}

static void watch_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    const struct sigaction action = {.sa_handler = abandon_files, .sa_flags = SA_RESETHAND};
    struct sigaction old;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler == SIG_DFL)
            sigaction(signals[i], &action, NULL);
}

/* argv[0] of a command is "timeless NAME". */
static int run(const struct command *command, int argc, char **argv)
{
    static char name[64]; /* argv[0] remains after this function */
    snprintf(name, sizeof name, "timeless %s", command->name);
    argv[0] = name;
    if (!replace_h(command, argc, argv))
        return CLI_USAGE;
    shorten_help(command, argc, argv);
    /* record's words are those of a program; pack may write over its own trace. */
    if (command->run != cmd_record && command->run != cmd_pack)
        note_inputs(argc, argv);
    watch_signals();
    if (!shows_itself(command))
        cli_progress_watch(command->name);
    const int code = command->run(argc, argv);
    cli_progress_stop();
    return code;
}

static int help(const char *name)
{
    const struct command *command = find(name);
    char *argv[] = {NULL, (char *)"--help", NULL};
    return command ? run(command, 2, argv) : CLI_USAGE;
}

/* A file that a command opens must not get the number of a closed standard descriptor, because
 * output would go into it. The file that replaces a closed standard output cannot be written, so
 * printing fails as on a closed descriptor. */
static int open_standard_files(void)
{
    static const int flags[] = {O_RDONLY, O_RDONLY, O_WRONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
            return 0;
    return 1;
}

/* Runs at exit, also after argp has printed --help: if the output did not reach its file, the exit
 * code is an error. An earlier error keeps its exit code. */
static void check_output(int code, void *arg)
{
    (void)arg;
    const int failed = fflush(stdout) != 0 || ferror(stdout);
    if (fclose(stdout) == 0 && !failed)
        return;
    const int exit_code = cli_fail_text(TL_ERR_SYSTEM, "standard output: cannot be written; check "
                                                       "the disk's free space, or that it is open");
    if (code == CLI_OK)
        _exit(exit_code);
}

int main(int argc, char **argv)
{
    if (!open_standard_files() || on_exit(check_output, NULL) != 0)
        return CLI_SYSTEM;
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    argp_err_exit_status = CLI_USAGE;
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        if (argc > 2)
            return help(argv[2]);
        print_usage(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("timeless %s\n", tl_version());
        return CLI_OK;
    }
    const struct command *command = find(argv[1]);
    return command ? run(command, argc - 1, argv + 1) : CLI_USAGE;
}
