/* report.c - timeless report: a replay, and the page that shows it. */
#include "config.h"

#include "replay.h"

#include <errno.h>
#include <report/report.h>
#include <stdio.h>
#include <string.h>

typedef struct arguments {
    replay_arguments replay;
    const char *page_path;
} arguments;

static error_t parse(int key, char *value, struct argp_state *state)
{
    arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &a->replay; break;
    case 'o': a->page_path = value; break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static tl_status write_page(const replay_arguments *replay, const tlr_prediction *prediction,
                            tl_error *err)
{
    const arguments *a = replay->keep_arg;
    FILE *out = fopen(a->page_path, "w");
    if (!out)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the path",
                       a->page_path, strerror(errno));
    tl_status status =
        tlr_report_write(replay->options.timeline, replay->jobs, prediction, out, err);
    if (fclose(out) != 0 && status == TL_OK)
        status =
            tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s", a->page_path, strerror(errno));
    return status;
}

int cmd_report(int argc, char **argv)
{
    static const struct argp_option own[] = {
        {"output", 'o', "FILE", 0, "the page to write (default: report.html)", 0}, {0}};
    const struct argp one = {replay_argp.options, replay_argp.parser, NULL, NULL, NULL, NULL, NULL};
    const struct argp_child replay_options[] = {{&one, 0, "As for replay:", 1}, {0}};
    const struct argp parser = {own,
                                parse,
                                "TRACE --platform NAME",
                                "Replay a trace and show on an HTML page where the time goes.",
                                replay_options,
                                NULL,
                                NULL};
    arguments a = {.replay = {.details = 1, .links = 1, .keep = write_page, .keep_arg = &a},
                   .page_path = "report.html"};
    int code = replay_begin(&a.replay, argc);
    if (code == CLI_OK) {
        cli_parse(&parser, argc, argv, 0, &a);
        code = replay_run(&a.replay);
    }
    replay_end(&a.replay);
    return code;
}
