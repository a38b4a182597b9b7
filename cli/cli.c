/* cli.c - what the subcommands share: messages, exit codes, numbers and the one argument. */
#include "cli.h"
#include "progress.h"

#include <ctype.h>
#include <errno.h>
#include <core/format.h>
#include <inttypes.h>
#include <plot.h>
#include <replayer.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <text_file.h>
#include <timeless_files.h>
#include <unistd.h>

static int exit_code(tl_status status)
{
    return status == TLR_ERR_NOT_COMPARABLE ? CLI_NOT_COMPARABLE : tl_status_exit_code(status);
}

int cli_fail(const tl_error *err)
{
    cli_progress_clear();
    fprintf(stderr, "timeless: %s\n", tl_printable(err->text));
    return exit_code(err->status);
}

int cli_fail_text(tl_status status, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char text[8192];
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cli_progress_clear();
    fprintf(stderr, "timeless: %s\n", tl_printable(text));
    return exit_code(status);
}

/* A run that did not end as it should, in a file that is not damaged. */
static void warn_unfinished(const tl_reader *r)
{
    uint32_t n_ranks = tl_reader_run(r)->n_ranks, n_unfinished = 0, first = 0;
    uint64_t n_events = 0;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        tl_rank_summary summary = {0};
        const tl_status status = tl_reader_rank(r, rank, &summary);
        n_events += summary.n_events;
        if (status != TL_OK || summary.end == TL_END_FINALIZED || summary.end == TL_END_CUT)
            continue;
        if (!n_unfinished++)
            first = rank;
    }
    if (!n_events) {
        fprintf(stderr,
                "timeless: %s: contains no events: the run ended before any rank's first MPI call "
                "was written; record it again, and let it reach MPI_Init\n",
                tl_reader_path(r));
        return;
    }
    fprintf(stderr,
            "timeless: %s: %" PRIu32 " of %" PRIu32
            " rank%s did not reach MPI_Finalize (first: rank "
            "%" PRIu32 "); what was recorded is intact, record the run again for the rest\n",
            tl_reader_path(r), n_unfinished, n_ranks, n_ranks == 1 ? "" : "s", first);
}

int cli_open_trace(const char *path, tl_reader **out)
{
    enum { MAX_LINES = 10 };
    tl_error err;
    if (tl_reader_open(path, out, &err))
        return cli_fail(&err);
    cli_progress_clear();
    size_t n = tl_reader_n_damages(*out);
    for (size_t i = 0; i < n && i < MAX_LINES; i++)
        fprintf(stderr, "timeless: %s\n", tl_printable(tl_reader_damage(*out, i)->text));
    if (n > MAX_LINES)
        fprintf(stderr, "timeless: %s: %zu more damaged or missing parts\n", path, n - MAX_LINES);
    if (!n && !tl_reader_complete(*out))
        warn_unfinished(*out);
    return CLI_OK;
}

int cli_check_output(const char *path)
{
    char start[TL_FILE_MAGIC_BYTES];
    struct stat st;
    if (stat(path, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
        return CLI_OK;
    FILE *in = fopen(path, "rb");
    if (!in)
        return cli_fail_text(TL_ERR_SYSTEM,
                             "%s: exists and cannot be read: %s; give another --output", path,
                             strerror(errno));
    const bool is_trace = fread(start, 1, sizeof start, in) == sizeof start &&
                          !memcmp(start, TL_FILE_MAGIC, sizeof start);
    fclose(in);
    if (is_trace)
        return CLI_OK;
    return cli_fail_text(TL_ERR_USAGE,
                         "%s: exists and is not a trace, so it is not overwritten; give another "
                         "--output, or remove it",
                         path);
}

int cli_open_for(const char *path, const char *out, tl_reader **reader)
{
    const int code = cli_check_output(out);
    return code ? code : cli_open_trace(path, reader);
}

tl_status cli_origin(tl_reader *r, const char *command, const char *value, char *text, size_t size,
                     tl_error *err)
{
    uint64_t hash;
    TL_TRY(tl_reader_hash(r, &hash, err));
    const char *before = tl_reader_run(r)->origin;
    snprintf(text, size, "timeless %s %s of %s (%016" PRIx64 ")%s%s", command, value,
             tlr_base_name(tl_reader_path(r)), hash, *before ? "; " : "", before);
    return TL_OK;
}

void cli_parse(const struct argp_option *options, argp_parser_t parser,
               const struct argp_child *children, const char *words, const char *doc, int argc,
               char **argv, void *input)
{
    const struct argp argp = {options, parser, words, doc, children, NULL, NULL};
    argp_parse(&argp, argc, argv, 0, NULL, input);
}

int cli_json_leaves_text(const cli_json *json)
{
    return !json->is_wanted || json->path;
}

tl_status cli_json_write_by(const cli_json *json, tl_writing write, const void *arg, tl_error *err)
{
    if (!json->is_wanted)
        return TL_OK;
    if (!json->path && isatty(STDOUT_FILENO))
        cli_progress_stop();
    if (!json->path)
        return write(arg, stdout, err); /* main reports what standard output does not take */
    return tl_output_write(json->path, write, arg, err);
}

typedef struct dumped {
    json_t *root;
    size_t flags;
} dumped;

static tl_status write_dumped(const void *arg, FILE *out, tl_error *err)
{
    const dumped *d = arg;
    return tlr_json_write(json_incref(d->root), d->flags, out, err);
}

tl_status cli_json_write(const cli_json *json, json_t *root, size_t flags, tl_error *err)
{
    const tl_status status = cli_json_write_by(json, write_dumped, &(dumped){root, flags}, err);
    json_decref(root);
    return status;
}

error_t cli_argument(int key, char *arg, struct argp_state *state, const char *what,
                     const char **kept)
{
    switch (key) {
    case ARGP_KEY_ARG:
        if (*kept)
            argp_error(state,
                       "'%s': give only one %s, '%s' or '%s'; if it is the value of an option, "
                       "write --OPTION=%s",
                       arg, what, *kept, arg, arg);
        *kept = arg;
        return 0;
    case ARGP_KEY_END:
        if (!*kept)
            argp_error(state, "the %s is missing", what);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

uint64_t cli_parse_number_from(struct argp_state *state, const char *what, const char *text,
                               uint64_t min, uint64_t max)
{
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || text[0] == '-' || errno || value < min || value > max)
        argp_error(state, "%s '%s': give a whole number from %" PRIu64 " to %" PRIu64, what, text,
                   min, max);
    return value;
}

uint64_t cli_parse_number(struct argp_state *state, const char *what, const char *text,
                          uint64_t max)
{
    return cli_parse_number_from(state, what, text, 0, max);
}

unsigned cli_parse_jobs(struct argp_state *state, const char *text)
{
    return (unsigned)cli_parse_number_from(state, "--jobs", text, 1, 4096);
}

void cli_add_text(struct argp_state *state, cli_texts *list, const char *text)
{
    const char **more = reallocarray(list->texts, list->n + 1, sizeof *more);
    if (!more) {
        argp_failure(state, CLI_SYSTEM, 0, "out of memory");
        return;
    }
    list->texts = more;
    list->texts[list->n++] = text;
}

const char *cli_picture(struct argp_state *state, const char *path)
{
    if (!tlg_is_picture(path))
        argp_error(state, "--plot '%s': give a file name that ends in .svg, .pdf or .png", path);
    return path;
}

double cli_parse_precision(struct argp_state *state, const char *text, int *statistical)
{
    char *end;
    *statistical = !strcmp(text, "statistical");
    if (*statistical || !strcmp(text, "lossless"))
        return 0;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= 0 && value <= 0.5))
        argp_error(
            state,
            "volume precision '%s': give a number from 0 to 0.5, such as 1e-3, or lossless or "
            "statistical",
            text);
    return value;
}

double cli_parse_rate(struct argp_state *state, const char *text)
{
    char *end;
    errno = 0;
    double value = strtod(text, &end);
    if (end == text || *end || errno || !(value > 0 && value < 1e30))
        argp_error(state, "rate '%s': give a number above 0", text);
    return value;
}

char *cli_pattern(const char *path, size_t length, const char *rest)
{
    const size_t rest_bytes = strlen(rest) + 1;
    char *pattern = malloc(2 * length + rest_bytes), *end = pattern;
    for (size_t i = 0; pattern && i < length; i++) {
        if (strchr("*?[]\\", path[i]))
            *end++ = '\\';
        *end++ = path[i];
    }
    if (pattern)
        memcpy(end, rest, rest_bytes);
    return pattern;
}

size_t cli_read_parameter(const char *text, int64_t *value)
{
    const size_t length =
        strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789");
    const char *digits = text + length + 1;
    if (!length || isdigit((unsigned char)*text) || text[length] != '=')
        return 0;
    const size_t n_digits = strspn(digits, "0123456789");
    if (!n_digits || n_digits > 18 || (digits[n_digits] && digits[n_digits] != ' '))
        return 0;
    *value = (int64_t)strtoull(digits, NULL, 10);
    return length;
}
