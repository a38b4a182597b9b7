/* cli.h - shared by the subcommands of `timeless`. */
#ifndef TL_CLI_H
#define TL_CLI_H

#include <argp.h>
#include <results/json_text.h>
#include <stdbool.h>
#include <stdio.h>
#include <timeless_files.h>

/* Exit codes of every command. */
enum {
    CLI_OK = 0,
    CLI_COMPARISON_FAILED = 1,
    CLI_USAGE = 2,
    CLI_BAD_INPUT = 3,
    CLI_SYSTEM = 4,
    CLI_NOT_COMPARABLE = 5 /* the recording's clock says nothing about the prediction */
};

/* Each subcommand: argv[0] is "timeless NAME", for messages.  Returns the exit code. */
#define COMMAND(name, summary) int cmd_##name(int argc, char **argv);
#include "commands.def"

/* The kinds of `timeless calibrate`; argv[0] is "timeless calibrate WHAT". */
int calibrate_cpu(int argc, char **argv);
int calibrate_kernels(int argc, char **argv);
int calibrate_memory(int argc, char **argv);
int calibrate_network(int argc, char **argv);
int calibrate_noise(int argc, char **argv);

/* Prints "timeless: <text of err>" and returns the exit code for its status. */
int cli_fail(const tl_error *err);
/* The same for a message of the command itself. */
int cli_fail_text(tl_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Of a message about a part that a build without MPI (configure --without-mpi) does not have. */
#ifdef HAVE_MPI
#define CLI_IS_MISSING "is missing; install Timeless"
#else
#define CLI_IS_MISSING                                                                             \
    "is missing, as this Timeless was built without MPI; use one that was built with MPI"
#endif

/* record: the options for runs that do not compute (skip.c). */
extern const struct argp cli_skip;

/* Opens a trace. Reports damaged or missing parts on standard error, a line each. A trace of which
 * anything can be read is opened nevertheless (ask tl_reader_complete). Returns CLI_OK and *out, or
 * the exit code after reporting the error. */
int cli_open_trace(const char *path, tl_reader **out);

/* The same, of a trace from which another one is made: checks first that this may be written to
 * `out` (cli_check_output). */
int cli_open_for(const char *path, const char *out, tl_reader **reader);

/* To be called before a trace is written to `path`. CLI_OK if the path does not exist, or if it is
 * a trace, an empty file or not a regular file. Otherwise reports that a file of the user is not
 * overwritten, and returns the exit code. */
int cli_check_output(const char *path);

/* The origin of a trace that a command makes of another one: "timeless COMMAND VALUE of FILE
 * (HASH)", and the origin of that one. */
tl_status cli_origin(tl_reader *r, const char *command, const char *value, char *text, size_t size,
                     tl_error *err);

/* --json[=FILE], the same in all commands: JSON goes to FILE, or to standard output instead of the
 * text. */
typedef struct cli_json {
    bool is_wanted;
    const char *path; /* NULL: standard output */
} cli_json;
#define CLI_JSON_OPTION(key)                                                                       \
    {                                                                                              \
        "json", key, "FILE", OPTION_ARG_OPTIONAL, "write JSON to FILE, or instead of text", 0      \
    }
/* Whether the command prints its text, too. */
int cli_json_leaves_text(const cli_json *json);
/* Writes the JSON that --json requests, and releases it (tlr_json_write). To be called with --json
 * alone. */
tl_status cli_json_write(const cli_json *json, json_t *root, size_t flags, tl_error *err);
/* The same for what `write` writes. Does nothing without the option. */
tl_status cli_json_write_by(const cli_json *json, tl_writing write, const void *arg, tl_error *err);

/* A pattern for glob(): the first `length` bytes of a path literally, then `rest`, which may have
 * wildcards. NULL without memory. */
char *cli_pattern(const char *path, size_t length, const char *rest);

/* Parses the command line: `words` are those besides options, `doc` is what the command does. The
 * options of `children` (NULL: none) are accepted, too. */
void cli_parse(const struct argp_option *options, argp_parser_t parser,
               const struct argp_child *children, const char *words, const char *doc, int argc,
               char **argv, void *input);
/* Handles the one positional argument of a command, a `what`: stores it, refuses a second one, and
 * reports at the end if it is missing. For the keys for which a parser has no case of its own. */
error_t cli_argument(int key, char *arg, struct argp_state *state, const char *what,
                     const char **kept);

/* Parses an unsigned decimal number; calls argp_error if the text is none, or if it is above max.
 */
uint64_t cli_parse_number(struct argp_state *state, const char *what, const char *text,
                          uint64_t max);
/* The same for a number of at least min. */
uint64_t cli_parse_number_from(struct argp_state *state, const char *what, const char *text,
                               uint64_t min, uint64_t max);
/* A size of the problem, "NAME=VALUE" with a blank or the end of the text behind it. Returns the
 * length of the name, or 0 if the text is something else. */
size_t cli_read_parameter(const char *text, int64_t *value);
/* The file of --plot, whose name must end in .svg, .pdf or .png. */
const char *cli_picture(struct argp_state *state, const char *path);
/* The volume precision of a packed trace (tl_pack_options). */
double cli_parse_precision(struct argp_state *state, const char *text, int *statistical);
/* Texts of the command line, in the order of their words. */
typedef struct cli_texts {
    size_t n;
    const char **texts;
} cli_texts;
void cli_add_text(struct argp_state *state, cli_texts *list, const char *text);
/* --jobs N */
unsigned cli_parse_jobs(struct argp_state *state, const char *text);
/* A number above 0. */
double cli_parse_rate(struct argp_state *state, const char *text);

/* ---- commands that take the kind of their work as the first word: targets.c ---- */

typedef struct cli_target {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} cli_target;

typedef struct cli_targets {
    const char *command; /* "calibrate" */
    const char *done;    /* "calibrated" */
    const char *kinds;   /* "calibrations" */
    const char *manual;  /* the end of the help: which page describes them */
    const cli_target *targets;
    size_t n;
} cli_targets;

/* Runs the target that argv[1] names, prints the list for --help, or reports wrong usage. Returns
 * the exit code. */
int cli_run_target(const cli_targets *all, int argc, char **argv);

#endif
