/* campaign.c - the way of every calibration. */
#include "calibrate/campaign.h"

#include "cli.h"
#include "installed.h"
#include "replayer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <timeless_files.h>

/* ---- the model that gets the result ---- */

static tl_status check_model(const char *path, tl_error *err)
{
    tlr_model *model = NULL;
    const tl_status status = tlr_model_load(path, &model, err);
    tlr_model_free(model);
    return status;
}

tl_status campaign_check_writable(const char *path, tl_error *err)
{
    tl_replacement file;
    TL_TRY(tl_replace_begin(path, &file, err));
    tl_replace_end(&file, TL_ERR_SYSTEM, NULL);
    return TL_OK;
}

tl_status campaign_make_folder(const char *path, tl_error *err)
{
    struct stat there;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be made: %s; check the path", path,
                       strerror(errno));
    if (stat(path, &there) == 0 && !S_ISDIR(there.st_mode))
        return tl_fail(err, TL_ERR_SYSTEM, "%s: is no folder; give one, which may be new", path);
    return TL_OK;
}

bool campaign_is_model(const char *path)
{
    const size_t length = strlen(path);
    return length > 5 && !strcmp(path + length - 5, ".conf");
}

/* Before anything is measured, so that a wrong path is reported at once. The old model is that of
 * --model, or that of the folder, or FILE.conf if it exists, or that of the platform local. A file
 * of the user is not overwritten. */
static tl_status choose_model(campaign *c, tl_error *err)
{
    struct stat entry;
    tl_error reason;
    char platforms[PATH_MAX];
    const int exists = stat(c->output, &entry) == 0, is_folder = exists && S_ISDIR(entry.st_mode);
    const bool is_file = exists && S_ISREG(entry.st_mode) && entry.st_size;
    if (!is_folder && !campaign_is_model(c->output))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "'%s': is no folder; make one with 'timeless calibrate kernels', or give a "
                       "FILE.conf",
                       c->output);
    snprintf(c->model, sizeof c->model, is_folder ? "%s/model.conf" : "%s", c->output);
    tlr_platforms_folder(platforms, sizeof platforms);
    if (c->base || is_folder || is_file)
        snprintf(c->old, sizeof c->old, "%s", c->base ? c->base : c->model);
    else
        snprintf(c->old, sizeof c->old, "%s/local/model.conf", platforms);
    if (is_file && check_model(c->output, &reason) != TL_OK)
        return tl_fail(err, TL_ERR_USAGE,
                       "%s: exists and is not a compute model, so it is not overwritten; give "
                       "another --output, or remove it",
                       c->output);
    TL_TRY(check_model(c->old, err));
    return campaign_check_writable(c->model, err);
}

/* ---- the archive ---- */

/* In the folder of the result by default; a result on standard output has none, and neither have
 * measurements that are archived already. */
static tl_status begin_archive(campaign *c, int argc, char **argv, tl_error *err)
{
    char path[PATH_MAX];
    const char *slash = c->output ? strrchr(c->output, '/') : NULL;
    if (c->archive_path ? !strcmp(c->archive_path, "none") : c->from || !c->output)
        return TL_OK;
    if (c->archive_path)
        snprintf(path, sizeof path, "%s", c->archive_path);
    else if (!campaign_is_model(c->output))
        snprintf(path, sizeof path, "%s/", c->output);
    else
        snprintf(path, sizeof path, "%.*s", slash ? (int)(slash + 1 - c->output) : 2,
                 slash ? c->output : "./");
    return tlp_archive_begin(path, c->kind->what, argc, argv, &c->archive, err);
}

static tl_status write_rows(const void *arg, FILE *out, tl_error *err)
{
    const campaign *c = arg;
    return tlp_raw_write(c->kind->raw, c->all, out, err);
}

static tl_status finish_archive(campaign *c, tl_error *err)
{
    if (c->kind->add)
        TL_TRY(c->kind->add(c, err));
    if (c->kind->raw && c->kind->raw->write_rows)
        TL_TRY(tlp_archive_add(c->archive, c->kind->raw->entry, write_rows, c, err));
    if (*c->model)
        TL_TRY(tlp_archive_add_file(c->archive, "result/model.conf", c->model, err));
    return tlp_archive_finish(c->archive, &c->repetitions, err);
}

/* ---- the whole ---- */

/* The words behind "--". */
static void parse_launcher(struct argp_state *state, campaign *c)
{
    char **words = state->argv + state->next;
    if (!c->kind->words || strcmp(words[-1], "--") != 0)
        argp_error(state, "'%s': this command takes no argument%s%s", *words,
                   c->kind->words ? ", but " : "", c->kind->words ? c->kind->words : "");
    c->launcher.words = words;
    c->launcher.n_words = state->argc - state->next;
    if (c->launcher.n_words > CLI_LAUNCH_WORDS / 2)
        argp_error(state, "too many arguments for mpirun");
    state->next = state->argc;
}

bool campaign_has_hosts(struct argp_state *state, const campaign *c)
{
    const bool has_words = c->launcher.n_words > 0;
    if ((c->launcher.hosts != NULL) + has_words + (c->from != NULL) > 1)
        argp_error(state, "give only one of --hosts, '-- mpirun ARGUMENTS' and --reuse");
    return c->launcher.hosts || has_words;
}

error_t campaign_parse(int key, char *value, struct argp_state *state)
{
    campaign *c = state->input;
    switch (key) {
    case 'o': c->output = value; break;
    case KEY_MODEL: c->base = value; break;
    case KEY_REUSE: c->from = value; break;
    case KEY_ARCHIVE: c->archive_path = value; break;
    case KEY_SEED:
        c->measured_by = "--seed";
        c->seed = cli_parse_number(state, "--seed", value, UINT32_MAX);
        break;
    case KEY_SECONDS:
        c->measured_by = "--max-seconds";
        c->seconds =
            cli_parse_number_from(state, "--max-seconds", value, c->kind->least_seconds, 86400);
        break;
    case KEY_BYTES:
        c->max_bytes = cli_parse_number_from(state, "--max-bytes", value, c->kind->least_bytes,
                                             c->kind->most_bytes);
        break;
    case KEY_HOSTS:
        if (!value[strspn(value, ",")])
            argp_error(state, "--hosts '%s': name hosts, with commas between them", value);
        c->launcher.hosts = value;
        break;
    case ARGP_KEY_ARGS: parse_launcher(state, c); break;
    default: return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static tl_status measure(campaign *c, tl_error *err)
{
    if (!c->kind->raw || !c->from)
        return c->kind->measure(c, err);
    c->all = tlp_raw_open(c->kind->raw, c->from, err);
    return c->all ? TL_OK : err->status;
}

static tl_status run(campaign *c, int argc, char **argv, tl_error *err)
{
    const campaign_kind *kind = c->kind;
    if (kind->changes_model)
        TL_TRY(choose_model(c, err));
    if (kind->begin)
        TL_TRY(kind->begin(c, err));
    TL_TRY(begin_archive(c, argc, argv, err));
    TL_TRY(measure(c, err));
    TL_TRY(kind->write(c, err));
    if (c->archive)
        TL_TRY(finish_archive(c, err));
    if (kind->report)
        kind->report(c);
    return TL_OK;
}

int campaign_run(campaign *c, const campaign_kind *kind, int argc, char **argv)
{
    const struct argp argp = {
        .options = kind->options, .parser = kind->parse, .args_doc = kind->words, .doc = kind->doc};
    tl_error err;
    c->kind = kind;
    argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, c);
    const tl_status status = run(c, argc, argv, &err);
    if (kind->end)
        kind->end(c);
    tlp_archive_free(c->archive);
    tlp_clear_repetitions(&c->repetitions);
    if (kind->raw)
        kind->raw->free(c->all);
    return status == TL_OK ? CLI_OK : cli_fail(&err);
}
