/* join.c - timeless join: joins the files that the hosts of a run have written. */
#include "cli.h"
#include "record/record.h"

#include <stddef.h>

struct join_options {
    const char *out;
    char **parts;
    size_t n_parts;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FILE", 0, "the trace to write", 0}, {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct join_options *o = state->input;
    switch (key) {
    case 'o': o->out = arg; return 0;
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

int cmd_join(int argc, char **argv)
{
    struct join_options o = {0};
    struct argp argp = {
        option_table, parse, "PART...", "Join the parts that the hosts of one run have written.",
        NULL,         NULL,  NULL};
    tl_error err;
    cli_parse(&argp, argc, argv, 0, &o);
    const int code = cli_check_output(o.out);
    if (code)
        return code;
    if (tl_join((const char *const *)o.parts, o.n_parts, o.out, &err) != TL_OK)
        return cli_fail(&err);
    /* As record does with the parts that it joins. Without a limit: nobody waits for an allocation.
     */
    record_pack(o.out, &(record_packing){.max_s = 0});
    return CLI_OK;
}
