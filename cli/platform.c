/* platform.c - timeless platform: makes a platform folder from a short description. */
#include "cli.h"
#include "installed.h"

#include <generate/generate.h>
#include <limits.h>
#include <stdlib.h>

enum { OPT_LIST = 256, OPT_LAYOUT, OPT_DOT };

struct platform_options {
    const char *path, *folder;
    int what;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FOLDER", 0, "folder for platform.xml, options.conf and model.conf", 0},
    {"layout", OPT_LAYOUT, 0, 0, "print the place of each node", 0},
    {"dot", OPT_DOT, 0, 0, "print the network for Graphviz: ... | dot -Tsvg > platform.svg", 0},
    {"list", OPT_LIST, 0, 0, "list the installed platforms", 0},
    {0}};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct platform_options *o = state->input;
    switch (key) {
    case 'o': o->folder = arg; return 0;
    case OPT_LIST:
    case OPT_LAYOUT:
    case OPT_DOT: o->what = key; return 0;
    case ARGP_KEY_END:
        if (o->what == OPT_LIST)
            return 0;
        if (!o->path)
            argp_error(state, "which description? see timeless-platform(5)");
        if (!o->folder && !o->what)
            argp_error(state, "give -o FOLDER, --layout or --dot");
        return 0;
    case ARGP_KEY_NO_ARGS: return 0;
    default: return cli_argument(key, arg, state, "description", &o->path);
    }
}

static tl_status make(const struct platform_options *o, tl_error *err)
{
    tlp_description *d = NULL;
    tl_status status = tlp_description_read(o->path, &d, err);
    if (status == TL_OK && o->folder)
        status = tlp_generate_folder(d, o->folder, err);
    if (status == TL_OK && o->what == OPT_LAYOUT)
        tlp_write_layout(d, stdout);
    if (status == TL_OK && o->what == OPT_DOT)
        tlp_write_graph(d, stdout);
    tlp_description_free(d);
    return status;
}

int cmd_platform(int argc, char **argv)
{
    static const struct argp argp = {
        option_table,
        parse,
        "DESCRIPTION",
        "Make a platform folder for 'timeless replay' from a short description of a machine, "
        "timeless-platform(5).",
        NULL,
        NULL,
        NULL};
    struct platform_options o = {0};
    tl_error err;
    cli_parse(&argp, argc, argv, 0, &o);
    char installed[PATH_MAX];
    tlr_platforms_folder(installed, sizeof installed);
    const tl_status status =
        o.what == OPT_LIST ? tlp_list_platforms(installed, stdout, &err) : make(&o, &err);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
