/* platform.c - a platform: an XML file of SimGrid, or a folder of platform.xml, options.conf,
 * model.conf, and further calibrations of the same machine, each in a folder of
 * calibrations/ with some of these files. */
#include "config.h"

#include "replayer.h"

#include "installed.h"
#include "machine/cluster.h"
#include "machine/network_noise.h"
#include "machine/segments.h"
#include "machine/simgrid_options.h"
#include "text_file.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Whether the first character of the file, behind blanks and a byte order mark, is "<". A file that
 * cannot be read counts, too: its reader reports the reason. */
static bool is_xml(const char *path)
{
    FILE *in = fopen(path, "r");
    int c = in ? ' ' : '<';
    while (in && (isspace(c) || c == 0xef || c == 0xbb || c == 0xbf))
        c = fgetc(in);
    if (in)
        fclose(in);
    return c == '<' || c == EOF;
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* " (NAME, NAME)" of the entries of a folder that contain `file` (NULL: of all visible entries), as
 * many as fit; "" if there are none. */
static void list_entries(const char *folder, const char *file, char *text, size_t size)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, NULL, alphasort);
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        char *path = NULL;
        const size_t length = strlen(name);
        if (name[0] != '.' &&
            (!file || (asprintf(&path, "%s/%s/%s", folder, name, file) >= 0 && is_file(path))) &&
            used + length + 4 < size)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : " (", name);
        free(path);
        free(entries[i]);
    }
    if (used)
        snprintf(text + used, size - used, ")");
    if (n >= 0)
        free(entries);
}

/* The folder that `name` means: the name itself if it is a file, the folder itself if it contains a
 * platform.xml, otherwise the installed platform with this name. */
static tl_status find_folder(const char *name, char **out, tl_error *err)
{
    char installed[PATH_MAX];
    if (is_file(name) && !is_xml(name))
        return tl_fail(
            err, TL_ERR_INPUT,
            "%s: is a file, but not an XML file; a platform is an XML file of SimGrid, a "
            "folder that holds a platform.xml, or the name of an installed one",
            name);
    if (is_file(name))
        return (*out = strdup(name)) ? TL_OK : tl_no_memory(err, name);
    tlr_platforms_folder(installed, sizeof installed);
    char *candidates[2] = {strdup(name), strchr(name, '/') ? NULL : join(installed, name)};
    for (int i = 0; i < 2; i++) {
        char *xml = candidates[i] ? join(candidates[i], "platform.xml") : NULL;
        int found = xml && is_file(xml);
        free(xml);
        if (found) {
            *out = candidates[i];
            free(candidates[1 - i]);
            return TL_OK;
        }
    }
    free(candidates[0]);
    free(candidates[1]);
    char names[256];
    struct stat st;
    list_entries(installed, "platform.xml", names, sizeof names);
    const char *lack = stat(name, &st) == 0 ? "is a folder without a platform.xml, and no platform"
                                            : "is no file and no folder, and no platform";
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: %s has this name in %s%s; give an XML file of SimGrid, or a folder that "
                   "holds a platform.xml",
                   name, lack, installed, names);
}

static tl_status add_option(tlr_platform *p, const char *option, tl_error *err)
{
    char **more = realloc(p->options, (p->n_options + 1) * sizeof *more);
    if (more)
        p->options = more;
    if (!more || !(p->options[p->n_options] = strdup(option)))
        return tl_no_memory(err, p->folder);
    p->n_options++;
    return TL_OK;
}

/* One "key:value" a line; # starts a comment. */
static tl_status parse_options(tlr_platform *p, const char *path, char *text, tl_error *err)
{
    size_t line_number = 0;
    for (char *line; (line = tlr_next_line(&text, &line_number));) {
        const char *colon = strchr(line, ':');
        if (!colon || colon == line || strpbrk(line, " \t"))
            return tl_fail(err, TL_ERR_INPUT,
                           "%s:%zu: '%s' is not an option; write key:value, one a line", path,
                           line_number, line);
        TL_TRY(add_option(p, line, err));
    }
    return TL_OK;
}

/* Adds the name, length and bytes of a file to the hash, so that a byte cannot move from one file
 * to another unnoticed. */
static void hash_file(XXH64_state_t *state, const char *name, const char *text, size_t size)
{
    uint64_t length = size;
    XXH64_update(state, name, strlen(name) + 1);
    XXH64_update(state, &length, sizeof length);
    XXH64_update(state, text, size);
}

/* What the text of a platform.xml adds to a platform. */
typedef struct xml_contents {
    tlr_platform *platform;
    XXH64_state_t *state;
} xml_contents;

static tl_status add_setting(void *contents, const char *option, tl_error *err)
{
    return add_option(((const xml_contents *)contents)->platform, option, err);
}

/* SimGrid looks for a profile in the working folder, then beside the platform.xml. It reports a
 * profile that is in neither place. */
static tl_status hash_profile(void *contents, const char *name, tl_error *err)
{
    const xml_contents *c = contents;
    const char *xml_path = c->platform->xml_path, *slash = strrchr(xml_path, '/');
    char *beside = NULL, *text = NULL;
    size_t size;
    if (asprintf(&beside, "%.*s%s", slash ? (int)(slash + 1 - xml_path) : 0, xml_path, name) < 0)
        return tl_no_memory(err, xml_path);
    const char *path = is_file(name) ? name : name[0] != '/' && is_file(beside) ? beside : NULL;
    const tl_status status = path ? tlr_read_text(path, &text, &size, err) : TL_OK;
    if (path && status == TL_OK)
        hash_file(c->state, name, text, size);
    free(text);
    free(beside);
    return status;
}

/* Splits "NAME@CALIBRATION+CALIBRATION". The name itself may contain '@', so a folder with the
 * whole name has priority. Returns the calibrations, "" if there are none; `name` ends before them.
 */
static const char *split_calibrations(char *name)
{
    char *xml = join(name, "platform.xml"), *at = strrchr(name, '@');
    const bool is_whole = xml && is_file(xml);
    free(xml);
    if (!at || !at[1] || is_whole || strchr(at, '/'))
        return "";
    *at = '\0';
    return at + 1;
}

/* The path of a file of the platform: in the last of its calibrations that has the file, otherwise
 * in the folder itself. NULL without memory. */
static char *find_file(const char *folder, const char *calibrations, const char *file)
{
    char *found = join(folder, file);
    for (const char *at = calibrations; found && *at; at += strcspn(at, "+"), at += *at == '+') {
        char *path = NULL;
        if (asprintf(&path, "%s/calibrations/%.*s/%s", folder, (int)strcspn(at, "+"), at, file) < 0)
            path = NULL;
        if (!path || is_file(path)) {
            free(found);
            found = path;
        } else {
            free(path);
        }
    }
    return found;
}

/* The day of a date, YYYY-MM-DD or YYYY-MM (its 15th day), counted from 1970. Returns whether the
 * text is a date. */
static int read_date(const char *text, long *day)
{
    struct tm date = {.tm_mday = 15}, same;
    const size_t length = strlen(text);
    const char *end = length == 10  ? strptime(text, "%Y-%m-%d", &date)
                      : length == 7 ? strptime(text, "%Y-%m", &date)
                                    : NULL;
    if (!end || *end)
        return 0;
    same = date;
    *day = (long)(timegm(&same) / 86400);
    return same.tm_mday == date.tm_mday;
}

/* Where the "-DATE" begins that ends the name of a calibration: the kind is before. 0: no date. */
static size_t kind_length(const char *name, long *day)
{
    const size_t length = strlen(name);
    for (size_t date = 10; date >= 7; date -= 3)
        if (length > date + 1 && name[length - date - 1] == '-' &&
            read_date(name + length - date, day))
            return length - date - 1;
    return 0;
}

/* Whether entry `i` is of a kind and the nearest one of its kind, the earlier one of two. */
static bool is_nearest(struct dirent **entries, int n, int i, long day)
{
    long own, other;
    const size_t kind = kind_length(entries[i]->d_name, &own);
    for (int j = 0; kind && j < n; j++)
        if (kind_length(entries[j]->d_name, &other) == kind &&
            !strncmp(entries[i]->d_name, entries[j]->d_name, kind) &&
            (labs(other - day) < labs(own - day) ||
             (labs(other - day) == labs(own - day) && other < own)))
            return 0;
    return kind > 0;
}

/* Writes the nearest calibration of each kind to `names`, and to `dated` which and how far away.
 * Returns whether there is one. */
static int write_nearest(struct dirent **entries, int n, const char *date, FILE *names, FILE *dated)
{
    long day, own = 0;
    int found = 0;
    for (int i = 0; i < n; i++)
        if (!strcmp(entries[i]->d_name, date))
            return 0; /* a calibration whose whole name is the date */
    for (int i = 0; read_date(date, &day) && i < n; i++) {
        const char *name = entries[i]->d_name;
        if (!is_nearest(entries, n, i, day))
            continue;
        kind_length(name, &own);
        fprintf(names, "%s%s", found ? "+" : "", name);
        fprintf(dated, "%s %s (%+ld days)", found ? "," : date, name, own - day);
        found = 1;
    }
    return found;
}

/* Writes the calibrations to `out`, with "NAME+NAME", the nearest one of each kind, in place of
 * each date, and to p->dated what was chosen. */
static tl_status choose_by_date(tlr_platform *p, const char *calibrations, char **out,
                                tl_error *err)
{
    struct dirent **entries = NULL;
    char *folder = join(p->folder, "calibrations"), *copy = strdup(calibrations), *item;
    const int n = folder ? scandir(folder, &entries, NULL, alphasort) : -1;
    size_t size, dated_size;
    FILE *names = open_memstream(out, &size), *dated = open_memstream(&p->dated, &dated_size);
    for (char *rest = copy; names && dated && (item = strsep(&rest, "+"));) {
        fputs(item != copy ? "+" : "", names);
        if (!write_nearest(entries, n, item, names, dated))
            fputs(item, names);
    }
    for (int i = 0; i < n; i++)
        free(entries[i]);
    free(entries);
    free(folder);
    int failed = !copy || !names || !dated;
    free(copy);
    failed |= names && fclose(names);
    failed |= dated && fclose(dated);
    return failed ? tl_no_memory(err, p->folder) : TL_OK;
}

static tl_status check_calibrations(const char *folder, const char *calibrations, tl_error *err)
{
    for (const char *at = calibrations; *at; at += strcspn(at, "+"), at += *at == '+') {
        const int length = (int)strcspn(at, "+");
        struct stat st;
        char *path = NULL;
        if (asprintf(&path, "%s/calibrations/%.*s", folder, length, at) < 0)
            return tl_no_memory(err, folder);
        const bool is_known = length > 0 && !memchr(at, '/', (size_t)length) && !stat(path, &st) &&
                              S_ISDIR(st.st_mode);
        free(path);
        if (is_known)
            continue;
        char names[512];
        if (!(path = join(folder, "calibrations")))
            return tl_no_memory(err, folder);
        list_entries(path, NULL, names, sizeof names);
        free(path);
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: the platform has no calibration '%.*s'; choose one of its own%s",
                       folder, length, at, *names ? names : " (it has none)");
    }
    return TL_OK;
}

/* Reads a further file of the platform, in place of the text before, and adds it to the hash. *text
 * is NULL if there is no such file. */
static tl_status read_further(XXH64_state_t *state, const char *name, const char *path, char **text,
                              tl_error *err)
{
    size_t size;
    free(*text);
    *text = NULL;
    if (!is_file(path))
        return TL_OK;
    TL_TRY(tlr_read_text(path, text, &size, err));
    hash_file(state, name, *text, size);
    return TL_OK;
}

static tl_status load_files(tlr_platform *p, const char *calibrations, tl_error *err)
{
    char *options_path = find_file(p->folder, calibrations, "options.conf");
    char *model_path = find_file(p->folder, calibrations, "model.conf"), *text = NULL;
    char *noise_path = find_file(p->folder, calibrations, "noise.conf");
    char *params_path = find_file(p->folder, calibrations, "loggops.params");
    size_t size = 0;
    XXH64_state_t state;
    XXH64_reset(&state, 0);
    tl_status status = TL_OK;
    p->xml_path =
        is_file(p->folder) ? strdup(p->folder) : find_file(p->folder, calibrations, "platform.xml");
    if (!p->xml_path || !options_path || !model_path || !noise_path || !params_path) {
        status = tl_no_memory(err, p->folder);
        goto cleanup;
    }
    if (is_file(params_path)) {
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: is no longer read; remove it, and give its content with --params",
                         params_path);
        goto cleanup;
    }
    if ((status = tlr_read_text(p->xml_path, &text, &size, err)) != TL_OK)
        goto cleanup;
    hash_file(&state, "platform.xml", text, size);
    xml_contents of_xml = {p, &state};
    tlr_xml_contents contents = {add_setting, hash_profile, &of_xml, 0, 0};
    if ((status = tlr_cluster_contents(text, size, p->xml_path, &contents, err)) != TL_OK)
        goto cleanup;
    p->has_watts = contents.has_watts;
    p->has_profiles = contents.has_profiles;
    p->n_settings = p->n_options;
    if ((status = read_further(&state, "options.conf", options_path, &text, err)) == TL_OK && text)
        status = parse_options(p, options_path, text, err);
    if (status == TL_OK &&
        (status = read_further(&state, "model.conf", model_path, &text, err)) == TL_OK && text)
        status = tlr_model_load(model_path, &p->model, err);
    if (status == TL_OK &&
        (status = read_further(&state, "noise.conf", noise_path, &text, err)) == TL_OK && text)
        status = tlr_network_noise_load(noise_path, &p->network_noise, err);
    p->hash = XXH64_digest(&state);
cleanup:
    free(text);
    free(options_path);
    free(model_path);
    free(noise_path);
    free(params_path);
    return status;
}

/* The name of the platform in predictions: "FOLDER@CALIBRATIONS". */
static tl_status name_platform(tlr_platform *p, const char *calibrations, tl_error *err)
{
    if (!*calibrations)
        return TL_OK;
    char *name = NULL;
    if (asprintf(&name, "%s@%s", p->folder, calibrations) < 0)
        return tl_no_memory(err, p->folder);
    free(p->folder);
    p->folder = name;
    return TL_OK;
}

tl_status tlr_platform_load(const char *name, tlr_platform **out, tl_error *err)
{
    tlr_platform *p = calloc(1, sizeof *p);
    char *folder = strdup(name), *calibrations = NULL;
    tl_status status = TL_OK;
    if (!p || !folder) {
        status = tl_no_memory(err, name);
        goto cleanup;
    }
    const char *named = split_calibrations(folder);
    if ((status = find_folder(folder, &p->folder, err)) != TL_OK ||
        (status = choose_by_date(p, named, &calibrations, err)) != TL_OK ||
        (status = check_calibrations(p->folder, calibrations, err)) != TL_OK ||
        (status = load_files(p, calibrations, err)) != TL_OK ||
        (status = name_platform(p, calibrations, err)) != TL_OK)
        goto cleanup;
    *out = p;
    p = NULL;
cleanup:
    free(folder);
    free(calibrations);
    tlr_platform_free(p);
    return status;
}

/* ---- factors of messages ---- */

/* The factor, if messages of all sizes have the same one ("1", "0:1", "0:1;1000:1"); otherwise -1.
 */
static double only_factor(const char *text)
{
    tlr_segments all;
    char *end;
    const double alone = strtod(text, &end);
    if (end != text && !*end)
        return alone;
    if (tlr_segments_read("", text, TLR_FACTORS, &all, NULL) != TL_OK || !all.n ||
        all.from_bytes[0] != 0)
        return -1;
    for (unsigned i = 1; i < all.n; i++)
        if (all.value[i] != all.value[0])
            return -1;
    return all.value[0];
}

static bool are_same_factors(const char *a, const char *b)
{
    const double factor = only_factor(a);
    return !strcmp(a, b) || (factor >= 0 && factor == only_factor(b));
}

/* SimGrid 3.32 has two options, of which only that of SMPI counts for messages of MPI. In later
 * versions both are names of one option, whose last value counts. */
tl_status tlr_platform_check_factors(const tlr_platform *platform, const tlr_options *options,
                                     tl_error *err)
{
    static const char *const pairs[][2] = {{"network/bandwidth-factor", "smpi/bw-factor"},
                                           {"network/latency-factor", "smpi/lat-factor"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *general = tlr_option_value(platform, options, pairs[i][0]);
        const char *of_mpi = tlr_option_value(platform, options, pairs[i][1]);
        if (!general || (of_mpi && are_same_factors(general, of_mpi)))
            continue;
        if (of_mpi)
            return tl_fail(err, TL_ERR_INPUT,
                           "%s: %s:%.60s and %s:%.60s differ, but SimGrid 4.0 takes them as one "
                           "option (SimGrid 3.32 uses %s); remove %s",
                           platform->folder, pairs[i][0], general, pairs[i][1], of_mpi, pairs[i][1],
                           pairs[i][0]);
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: %s:%.60s has no effect on messages of MPI in SimGrid 3.32, but has one "
                       "in SimGrid 4.0; write %s:%s%.60s, or remove it",
                       platform->folder, pairs[i][0], general, pairs[i][1],
                       strchr(general, ':') ? "" : "0:", general);
    }
    return TL_OK;
}

void tlr_platform_free(tlr_platform *platform)
{
    if (!platform)
        return;
    for (size_t i = 0; i < platform->n_options; i++)
        free(platform->options[i]);
    free(platform->options);
    tlr_model_free(platform->model);
    tlr_network_noise_free(platform->network_noise);
    free(platform->xml_path);
    free(platform->dated);
    free(platform->folder);
    free(platform);
}
