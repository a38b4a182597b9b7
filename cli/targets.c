/* targets.c - commands that take the kind of their work as the first word. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

static void print_usage(const cli_targets *all, FILE *out)
{
    int width = 9; /* two blanks follow the longest name */
    for (size_t i = 0; i < all->n; i++)
        if ((int)strlen(all->targets[i].name) > width)
            width = (int)strlen(all->targets[i].name);
    fprintf(out, "usage: timeless %s WHAT [OPTION...]\n\n", all->command);
    for (size_t i = 0; i < all->n; i++)
        fprintf(out, "  %-*s  %s\n", width, all->targets[i].name, all->targets[i].summary);
    fprintf(out, "\n'timeless %s WHAT --help' prints the options of each; ", all->command);
}

int cli_run_target(const cli_targets *all, int argc, char **argv)
{
    const int wants_help = argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-?") ||
                                        !strcmp(argv[1], "--usage"));
    if (argc < 2 || wants_help) {
        FILE *out = wants_help ? stdout : stderr;
        print_usage(all, out);
        fprintf(out, "%s\n", all->manual);
        return wants_help ? CLI_OK : CLI_USAGE;
    }
    for (size_t i = 0; i < all->n; i++) {
        if (strcmp(argv[1], all->targets[i].name) != 0)
            continue;
        char name[64];
        snprintf(name, sizeof name, "timeless %s %s", all->command, all->targets[i].name);
        argv[1] = name;
        return all->targets[i].run(argc - 1, argv + 1);
    }
    return cli_fail_text(TL_ERR_USAGE, "'%s' cannot be %s; 'timeless %s --help' lists the %s",
                         argv[1], all->done, all->command, all->kinds);
}
