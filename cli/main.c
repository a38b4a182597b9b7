/* timeless - capture an MPI run once, replay it anywhere.  Dispatch only: one file per subcommand.
 */
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
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n'timeless COMMAND --help' tells the options of a command; 'man timeless-COMMAND' "
          "tells more.\n",
          out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        print_usage(stdout);
        return CLI_OK;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        printf("timeless %s\n", tl_version());
        return CLI_OK;
    }
    argp_err_exit_status = CLI_USAGE;
    for (int i = 0; i < N_COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "timeless %s", commands[i].name);
        argv[1] = name;
        return commands[i].run(argc - 1, argv + 1);
    }
    fprintf(stderr, "timeless: '%s' is not a command; 'timeless --help' lists them\n", argv[1]);
    return CLI_USAGE;
}
