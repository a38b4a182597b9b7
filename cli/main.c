/* main.c - timeless: capture an MPI run once, replay it anywhere.  Dispatch only: one file per
 * subcommand. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

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
    fputs("\n'timeless COMMAND --help' tells the options of a command; 'man timeless-COMMAND' "
          "tells more.\n",
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

/* argv[0] of a command is "timeless NAME". */
static int run(const struct command *command, int argc, char **argv)
{
    char name[64];
    snprintf(name, sizeof name, "timeless %s", command->name);
    argv[0] = name;
    return command->run(argc, argv);
}

static int help(const char *name)
{
    const struct command *command = find(name);
    char *argv[] = {NULL, (char *)"--help", NULL};
    return command ? run(command, 2, argv) : CLI_USAGE;
}

int main(int argc, char **argv)
{
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
