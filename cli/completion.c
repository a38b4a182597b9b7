/* completion.c - timeless completion: the scripts by which shells complete commands and options,
 * printed from the tables that parse them. */
#include "completion.h"

#include "cli.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <timeless_convert.h>
#include <unistd.h>

static const struct command {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} commands[] = {
#define COMMAND(name, summary) {#name, summary, cmd_##name},
#include "commands.def"
};
enum { N_COMMANDS = sizeof commands / sizeof *commands };

/* Commands whose first word is the kind of their work. */
static const struct group {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *(*target)(int i);
} groups[] = {{"calibrate", cmd_calibrate, cli_calibrate_target},
              {"study", cmd_study, cli_study_target}};
enum { N_GROUPS = sizeof groups / sizeof *groups };

static bool is_group(int (*run)(int, char **))
{
    for (int i = 0; i < N_GROUPS; i++)
        if (groups[i].run == run)
            return 1;
    return 0;
}

/* ---- options ---- */

/* Collects each option that --help prints, including those of the child parsers. */
static void each_option(const struct argp *argp, void (*take)(const struct argp_option *))
{
    const struct argp_option *o = argp->options;
    for (; o && (o->name || o->key || o->doc || o->group); o++)
        if (o->name && !(o->flags & (OPTION_DOC | OPTION_HIDDEN)))
            take(o);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        each_option(child->argp, take);
}

static bool has_letter(const struct argp_option *o)
{
    return o->key > 0 && o->key <= UCHAR_MAX && isalnum(o->key);
}

static void (*take_option)(const struct argp_option *);

static void take_options(const struct argp *argp)
{
    each_option(argp, take_option);
}

/* Prints the options of a command, in a process of its own: a command builds its table and calls
 * cli_parse, which ends the process. */
static int print_options(int (*run)(int, char **), const char *argument,
                         void (*take)(const struct argp_option *))
{
    fflush(stdout);
    const pid_t child = fork();
    if (!child) {
        char *argv[] = {(char *)"timeless", (char *)argument, NULL};
        take_option = take;
        cli_take_options(take_options);
        exit(run(argument ? 2 : 1, argv));
    }
    int status = 0;
    return child > 0 && waitpid(child, &status, 0) == child && !status;
}

/* Calls `print` for each command: "replay", "calibrate network". */
static int print_cases(int (*print)(const char *name, int (*run)(int, char **),
                                    const char *argument))
{
    int ok = 1;
    const char *target;
    for (int i = 0; i < N_COMMANDS; i++)
        if (!is_group(commands[i].run))
            ok &= print(commands[i].name, commands[i].run, NULL);
    for (int g = 0; g < N_GROUPS; g++)
        for (int i = 0; (target = groups[g].target(i)); i++) {
            char name[64];
            snprintf(name, sizeof name, "%s %s", groups[g].name, target);
            ok &= print(name, groups[g].run, target);
        }
    return ok;
}

/* The names of what the command does, with blanks between. */
static void print_targets(const struct group *group)
{
    const char *target;
    for (int i = 0; (target = group->target(i)); i++)
        printf("%s%s", i ? " " : "", target);
}

/* ---- bash ---- */

static void print_for_bash(const struct argp_option *o)
{
    if (has_letter(o))
        printf(" -%c", o->key);
    printf(" --%s%s", o->name, o->arg && !(o->flags & OPTION_ARG_OPTIONAL) ? "=" : "");
}

static int print_bash_case(const char *name, int (*run)(int, char **), const char *argument)
{
    printf("    '%s') echo '", name);
    const int ok = print_options(run, argument, print_for_bash);
    puts(" -? --help --usage' ;;");
    return ok;
}

static const char bash_rest[] =
    "_timeless()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]-} option='' i name\n"
    "    COMPREPLY=()\n"
    "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
    "        COMPREPLY=($(compgen -W \"$_timeless_commands --help --version\" -- \"$current\"))\n"
    "        return\n"
    "    fi\n"
    "    if [ \"$COMP_CWORD\" = 2 ]; then\n"
    "        case $command in\n"
    "        calibrate | study) local -n targets=_timeless_$command\n"
    "            COMPREPLY=($(compgen -W \"$targets --help\" -- \"$current\")); return ;;\n"
    "        make) COMPREPLY=($(compgen -W \"$_timeless_patterns\" -- \"$current\")) ;;\n"
    "        help) COMPREPLY=($(compgen -W \"$_timeless_commands\" -- \"$current\")); return ;;\n"
    "        completion) COMPREPLY=($(compgen -W 'bash zsh' -- \"$current\")); return ;;\n"
    "        esac\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do\n"
    "        [ \"${COMP_WORDS[i]}\" != -- ] || return # what follows is a program\n"
    "    done\n"
    "    case $command in calibrate | study) command=\"$command ${COMP_WORDS[2]}\" ;; esac\n"
    "    # bash takes --name=value as three words\n"
    "    if [ \"$current\" = = ]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 1]} current=''\n"
    "    elif [ \"${COMP_WORDS[COMP_CWORD - 1]}\" = = ]; then\n"
    "        option=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    else\n"
    "        option=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    fi\n"
    "    if [ \"$option\" = --platform ] || [ \"$option\" = -p ]; then\n"
    "        # the names of folders: quoted, because bash inserts them as they are\n"
    "        while IFS= read -r name; do\n"
    "            printf -v name %q \"${name%%  *}\"\n"
    "            [[ $name != \"$current\"* ]] || COMPREPLY+=(\"$name\")\n"
    "        done < <(timeless platform --list 2>/dev/null)\n"
    "        return\n"
    "    fi\n"
    "    [[ $current == -* ]] || return\n"
    "    COMPREPLY=($(compgen -W \"$(_timeless_options \"$command\")\" -- \"$current\"))\n"
    "    [[ ${#COMPREPLY[@]} != 1 || ${COMPREPLY[0]} != *= ]] || compopt -o nospace 2>/dev/null\n"
    "}\n"
    "complete -o bashdefault -o default -F _timeless timeless\n";

static void print_patterns(void)
{
    const char *name, *summary;
    fputs("hpl", stdout);
    for (size_t i = 0; i < tl_pattern_list(i, &name, &summary); i++)
        printf(" %s", name);
}

static int print_bash(void)
{
    puts("# bash completion of timeless; 'timeless completion bash' prints it.");
    fputs("_timeless_commands='", stdout);
    for (int i = 0; i < N_COMMANDS; i++)
        printf("%s%s", i ? " " : "", commands[i].name);
    for (int g = 0; g < N_GROUPS; g++) {
        printf("'\n_timeless_%s='", groups[g].name);
        print_targets(&groups[g]);
    }
    fputs("'\n_timeless_patterns='", stdout);
    print_patterns();
    puts("'\n_timeless_options()\n{\n    case $1 in");
    const int ok = print_cases(print_bash_case);
    puts("    esac\n}");
    fputs(bash_rest, stdout);
    return ok;
}

/* ---- zsh ---- */

/* The text of an option in '...[TEXT]', or of a word in '...:TEXT'. */
static void print_text(const char *text)
{
    for (const char *p = text ? text : ""; *p; p++)
        if (*p == '\'')
            fputs("'\\''", stdout);
        else if (strchr("\\[]:", *p))
            printf("\\%c", *p);
        else
            putchar(*p == '\n' ? ' ' : *p);
}

static void print_zsh_spec(const struct argp_option *o, const char *name, const char *end)
{
    printf(" \\\n            '*%s%s[", name, end);
    print_text(o->doc);
    putchar(']');
    if (o->arg) {
        fputs(o->flags & OPTION_ARG_OPTIONAL ? "::" : ":", stdout);
        print_text(o->arg);
        fputs(!strcmp(o->name, "platform") ? ":_timeless_platforms" : ":_files", stdout);
    }
    putchar('\'');
}

static void print_for_zsh(const struct argp_option *o)
{
    const bool is_optional = (o->flags & OPTION_ARG_OPTIONAL) != 0;
    char name[64];
    snprintf(name, sizeof name, "-%c", o->key);
    if (has_letter(o))
        print_zsh_spec(o, name, !o->arg ? "" : is_optional ? "-" : "+");
    snprintf(name, sizeof name, "--%s", o->name);
    print_zsh_spec(o, name, !o->arg ? "" : is_optional ? "=-" : "=");
}

static int print_zsh_case(const char *name, int (*run)(int, char **), const char *argument)
{
    printf("    '%s')\n        _arguments -s -S", name);
    const int ok = print_options(run, argument, print_for_zsh);
    printf(" \\\n            '(- *)-?[print the options]' '(- *)--help[print the options]' "
           "'(- *)--usage[print a short summary]' \\\n            '*:%s' ;;\n",
           run == cmd_make ? "pattern:_timeless_patterns" : "file:_files");
    return ok;
}

static void print_zsh_words(void)
{
    const char *name, *summary;
    puts("#compdef timeless\n# zsh completion of timeless; 'timeless completion zsh' prints it.");
    puts("_timeless_platforms()\n{\n"
         "    local -a platforms=(${${(f)\"$(timeless platform --list 2>/dev/null)\"}%%  *})\n"
         "    compadd -a platforms\n    _files -/\n}");
    puts("_timeless_patterns()\n{\n    local -a patterns=(\n        'hpl:a run of HPL'");
    for (size_t i = 0; i < tl_pattern_list(i, &name, &summary); i++) {
        printf("        '%s:", name);
        print_text(summary);
        puts("'");
    }
    puts("    )\n    _describe -t patterns pattern patterns\n}");
    puts("_timeless()\n{\n    local -a commands=(");
    for (int i = 0; i < N_COMMANDS; i++) {
        printf("        '%s:", commands[i].name);
        print_text(commands[i].summary);
        puts("'");
    }
    puts("    )");
    for (int g = 0; g < N_GROUPS; g++) {
        printf("    local -a %s=(", groups[g].name);
        print_targets(&groups[g]);
        puts(")");
    }
}

static const char zsh_middle[] = "    if (( CURRENT == 2 )); then\n"
                                 "        _describe -t commands 'command of timeless' commands\n"
                                 "        return\n"
                                 "    fi\n"
                                 "    local command=$words[2]\n"
                                 "    if [[ $command == (calibrate|study) ]]; then\n"
                                 "        if (( CURRENT == 3 )); then\n"
                                 "            compadd -a $command\n"
                                 "            return\n"
                                 "        fi\n"
                                 "        command=\"$command $words[3]\"\n"
                                 "        shift words\n"
                                 "        (( CURRENT-- ))\n"
                                 "    fi\n"
                                 "    shift words\n"
                                 "    (( CURRENT-- ))\n"
                                 "    case $command in\n";

static int print_zsh(void)
{
    print_zsh_words();
    fputs(zsh_middle, stdout);
    const int ok = print_cases(print_zsh_case);
    puts("    help) _describe -t commands 'command of timeless' commands ;;");
    puts("    completion) compadd bash zsh ;;\n    esac\n}");
    puts("if [[ $funcstack[1] == _timeless ]]; then\n    _timeless \"$@\"\n"
         "elif (( $+functions[compdef] )); then\n    compdef _timeless timeless\nfi");
    return ok;
}

int completion(int argc, char **argv)
{
    const char *shell = argc == 2 ? argv[1] : "";
    if (strcmp(shell, "bash") != 0 && strcmp(shell, "zsh") != 0) {
        fputs("usage: timeless completion bash|zsh\n", stderr);
        return CLI_USAGE;
    }
    if (!strcmp(shell, "bash") ? print_bash() : print_zsh())
        return CLI_OK;
    return cli_fail_text(TL_ERR_SYSTEM, "the options of a command could not be printed");
}
