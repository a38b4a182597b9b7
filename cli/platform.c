/* platform.c - timeless platform: makes a platform folder from a short description, and checks one.
 */
#include "cli.h"
#include "installed.h"
#include "progress.h"

#include <generate/generate.h>
#include <limits.h>
#include <machine/cluster.h>
#include <machine/simgrid_options.h>
#include <replayer.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { OPT_LIST = 256, OPT_CHECK };

struct platform_options {
    const char *path, *folder;
    int what;
};

static const struct argp_option option_table[] = {
    {"output", 'o', "FOLDER", 0, "folder for platform.xml, options.conf and model.conf", 0},
    {"check", OPT_CHECK, 0, 0, "check a platform folder, or an installed platform", 0},
    {"list", OPT_LIST, 0, 0, "list the installed platforms", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct platform_options *o = state->input;
    switch (key) {
    case 'o': o->folder = arg; return 0;
    case OPT_LIST:
    case OPT_CHECK: o->what = key; return 0;
    case ARGP_KEY_END:
        if (o->what == OPT_LIST)
            return 0;
        if (!o->path)
            argp_error(state, o->what == OPT_CHECK ? "which platform? give its name or folder"
                                                   : "which description? see timeless-platform(5)");
        if (!o->folder && !o->what)
            argp_error(state, "give -o FOLDER, or --check");
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
    tlp_description_free(d);
    return status;
}

/* ---- checking ---- */

/* Whether an option of the platform gives small messages a cost: "smpi/os:0:9e-6:7e-10;...". */
static bool has_overhead(const tlr_platform *platform, const char *key)
{
    double first_s = 0;
    const size_t length = strlen(key);
    for (size_t i = 0; i < platform->n_options; i++) {
        const char *option = platform->options[i];
        if (strncmp(option, key, length) != 0 || option[length] != ':')
            continue;
        const char *second = strchr(option + length + 1, ':');
        first_s = second ? strtod(second + 1, NULL) : 0;
    }
    return first_s > 0;
}

/* Warns if messages whose sends do not wait would wait for their receives: SimGrid's defaults. */
static void check_thresholds(const char *name, const tlr_platform *platform)
{
    const char *eager = tlr_option_value(platform, NULL, "smpi/async-small-thresh");
    const char *detached = tlr_option_value(platform, NULL, "smpi/send-is-detached-thresh");
    const long long from = eager ? strtoll(eager, NULL, 0) : 0,
                    to = detached ? strtoll(detached, NULL, 0) : 65536;
    if (from < to)
        fprintf(stderr,
                "timeless: %s: warning: smpi/async-small-thresh is %s%lld, and "
                "smpi/send-is-detached-thresh %s%lld: a message of a size in between leaves only "
                "when its receive is posted, although its send does not wait; state the same "
                "size for both, unless you measured two\n",
                name, eager ? "" : "by default ", from, detached ? "" : "by default ", to);
}

/* Prints what the platform has, and warns of what it lacks. */
static tl_status check(const char *name, tl_error *err)
{
    static const char *const overheads[][2] = {
        {"smpi/os", "MPI_Send"}, {"smpi/ois", "MPI_Isend"}, {"smpi/or", "MPI_Recv"}};
    enum { N_OVERHEADS = sizeof overheads / sizeof *overheads };
    tlr_platform *platform = NULL;
    tlr_cluster cluster = {0};
    tl_status status = tlr_platform_load(name, &platform, err);
    if (status == TL_OK)
        status = tlr_options_check(platform, NULL, NULL, NULL, err);
    if (status == TL_OK)
        status = tlr_cluster_read(platform->xml_path, &cluster, err);
    if (status == TL_OK) {
        int n_missing = 0;
        cli_progress_stop();
        struct stat st;
        const bool is_file = stat(platform->folder, &st) == 0 && S_ISREG(st.st_mode);
        printf("%s: %s\n", name, platform->folder);
        for (int i = 0; i < N_OVERHEADS; i++) {
            if (has_overhead(platform, overheads[i][0]))
                continue;
            n_missing++;
            fprintf(stderr,
                    "timeless: %s: warning: %s no %s, so %s of a small message costs "
                    "the CPU no time, and linear collectives seem too good; measure it with "
                    "timeless calibrate network, or state what you assume%s\n",
                    name, is_file ? "its <config> has" : "options.conf has", overheads[i][0],
                    overheads[i][1], is_file ? " in <config> or by --cfg" : "");
        }
        check_thresholds(name, platform);
        printf("overheads of messages: %s\ncompute model: %s\n",
               !n_missing                 ? "smpi/os, smpi/ois, smpi/or"
               : n_missing == N_OVERHEADS ? "none"
                                          : "not all",
               platform->model ? "model.conf" : "none: computation takes what it takes in SimGrid");
    }
    tlr_cluster_free(&cluster);
    tlr_platform_free(platform);
    return status;
}

int cmd_platform(int argc, char **argv)
{
    struct platform_options o = {0};
    tl_error err;
    cli_parse(option_table, parse_option, NULL, "DESCRIPTION",
              "Make a platform folder for 'timeless replay' from a short description of a machine, "
              "timeless-platform(5).",
              argc, argv, &o);
    char installed[PATH_MAX];
    tlr_platforms_folder(installed, sizeof installed);
    const tl_status status = o.what == OPT_LIST    ? tlp_list_platforms(installed, stdout, &err)
                             : o.what == OPT_CHECK ? check(o.path, &err)
                                                   : make(&o, &err);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
