/* join.c - timeless join: joins the files that the hosts of a run have written. */
#include "cli.h"
#include "record/record.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <timeless_files.h>

struct join_options {
    const char *out;
    char **parts;
    size_t n_parts;
    int allows_missing;
};

enum { OPT_ALLOW_MISSING = 256, MOST_NAMED = 8 };

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"allow-missing", OPT_ALLOW_MISSING, NULL, 0,
     "if the parts of some hosts are lost, join the others; the trace is then incomplete", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct join_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
    case OPT_ALLOW_MISSING: o->allows_missing = 1; return 0;
    case ARGP_KEY_ARGS:
        o->parts = &state->argv[state->next];
        o->n_parts = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_END:
        if (!o->n_parts)
            argp_error(state, "which parts?");
        if (!o->out)
            argp_error(state, "where to? Give -o FILE");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The ranks of missing parts: those of which the trace does not even have the host. */
static void say_missing(const char *path, const char *hosts)
{
    char ranks[128] = "";
    size_t used = 0, n = 0;
    tl_reader *r;
    if (tl_reader_open(path, &r, NULL) != TL_OK)
        return;
    for (uint32_t rank = 0; rank < tl_reader_run(r)->n_ranks; rank++) {
        tl_rank_summary summary;
        if (tl_reader_rank(r, rank, &summary) != TL_OK || *summary.host || summary.n_events)
            continue;
        const int added =
            n++ < MOST_NAMED ? snprintf(ranks + used, sizeof ranks - used, " %" PRIu32, rank) : 0;
        used += added > 0 ? (size_t)added : 0;
    }
    fprintf(stderr,
            "timeless: %s: the part of %s is missing: the trace has no events of %zu rank%s "
            "(%s%s)\n",
            path, tl_printable(hosts), n, n == 1 ? "" : "s", ranks + (used > 0),
            n > MOST_NAMED ? " ..." : "");
    tl_reader_close(r);
}

/* Removes empty parts from the list, which dead nodes leave: they are missing. */
static void leave_out_empty(struct join_options *o)
{
    size_t n = 0;
    struct stat st;
    for (size_t i = 0; i < o->n_parts; i++)
        if (stat(o->parts[i], &st) == 0 && S_ISREG(st.st_mode) && !st.st_size)
            fprintf(stderr, "timeless: %s: is empty, and counts as a missing part\n",
                    tl_printable(o->parts[i]));
        else
            o->parts[n++] = o->parts[i];
    o->n_parts = n;
}

int cmd_join(int argc, char **argv)
{
    struct join_options o = {0};
    tl_error err;
    cli_parse(option_table, parse_option, NULL, "PART...",
              "Join the parts that the hosts of one run have written.", argc, argv, &o);
    const int code = cli_check_output(o.out);
    if (code)
        return code;
    char missing[256] = "";
    uint32_t n_losers = 0;
    if (o.allows_missing)
        leave_out_empty(&o);
    if (!o.n_parts)
        return cli_fail_text(TL_ERR_INPUT, "all parts are empty; there is nothing to join");
    const tl_status status =
        tl_join_left((const char *const *)o.parts, o.n_parts, o.out,
                     o.allows_missing ? missing : NULL, sizeof missing, &n_losers, &err);
    if (status != TL_OK)
        return cli_fail(&err);
    /* As record does with the parts that it joins. Without a limit: nobody waits for an allocation.
     */
    record_pack(o.out, &(record_packing){.max_s = 0});
    if (*missing)
        say_missing(o.out, missing);
    record_say_incomplete(o.out, n_losers);
    return CLI_OK;
}
