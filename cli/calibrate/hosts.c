/* hosts.c - timeless calibrate kernels on several hosts at the same time. */
#include "config.h"

#include "calibrate/hosts.h"

#include "cli.h"

#include <dirent.h>
#include <limits.h>
#include <machine/cluster.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <study/compare.h>
#include <unistd.h>

/* ---- measuring ---- */

/* Puts the files of all hosts into one. */
static tl_status join_files(const char *folder, const char *path, tl_error *err)
{
    struct dirent **entries = NULL;
    const int n = scandir(folder, &entries, NULL, versionsort);
    FILE *out = fopen(path, "w");
    tl_status status = n >= 0 && out ? TL_OK : TL_ERR_SYSTEM;
    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name, *end = strrchr(name, '.');
        FILE *in =
            status == TL_OK && end && !strcmp(end, ".csv") ? tlp_open_in(folder, name, err) : NULL;
        if (in) {
            status = tlp_copy_stream(in, out, err);
            fclose(in);
        }
        free(entries[i]);
    }
    free(entries);
    if (!out || fclose(out) != 0 || status != TL_OK)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written; check the disk", path);
    return TL_OK;
}

static void remove_folder(const char *folder)
{
    struct dirent **entries = NULL;
    char path[PATH_MAX];
    const int n = scandir(folder, &entries, NULL, NULL);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (*entries[i]->d_name != '.')
            unlink(path);
        free(entries[i]);
    }
    free(entries);
    rmdir(folder);
}

/* Runs the command to its end; its output is that of the launcher. */
static tl_status run(char **argv, tl_error *err)
{
    char line[1024];
    pid_t pid = 0;
    FILE *in = cli_launch(argv, &pid, err);
    if (!in)
        return TL_ERR_SYSTEM;
    while (fgets(line, sizeof line, in))
        fputs(line, stderr);
    fclose(in);
    const int code = cli_launch_end(pid, 0);
    if (code)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s ended with code %d before all was measured; see its message above, "
                       "check that it starts programs on these hosts",
                       tl_printable(argv[0]), code);
    return TL_OK;
}

static tl_status measure_into(const cli_launcher *launcher, char *const *options, char *folder,
                              unsigned *n_hosts, tl_error *err)
{
    char texts[2][CLI_LAUNCH_TEXT] = {""}, self[PATH_MAX] = "", *argv[CLI_LAUNCH_WORDS + 32];
    static const char *const unbound[] = {"--bind-to", "none"};
    int n = cli_launcher_words(launcher, texts, argv);
    if (!n || readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return tl_fail(err, TL_ERR_USAGE, "--hosts '%s': name hosts, with commas between them",
                       tl_printable(launcher->hosts));
    *n_hosts = (unsigned)strtoul(texts[0], NULL, 10);
    for (int i = 0; i < 2 && !launcher->n_words; i++)
        argv[n++] = (char *)unbound[i];
    argv[n++] = self;
    argv[n++] = (char *)"calibrate";
    argv[n++] = (char *)"kernels";
    for (int i = 0; options[i]; i++)
        argv[n++] = options[i];
    argv[n++] = (char *)"--raw";
    argv[n++] = folder;
    argv[n] = NULL;
    return run(argv, err);
}

tl_status hosts_measure(const cli_launcher *launcher, char *const *options, const char *folder,
                        tlp_result **out, tl_error *err)
{
    char made[PATH_MAX], path[PATH_MAX + 2], all[PATH_MAX + 16];
    unsigned n_wanted = 0;
    snprintf(made, sizeof made, "%s/measuring-XXXXXX", folder);
    if (!mkdtemp(made) || !realpath(made, path))
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written; check the folder", made);
    snprintf(all, sizeof all, "%s/all", path);
    strcat(path, "/");
    tl_status status = measure_into(launcher, options, path, &n_wanted, err);
    if (status == TL_OK)
        status = join_files(path, all, err);
    tlp_result *result = status == TL_OK ? tlp_raw_open(&tlp_raw_kernels, all, err) : NULL;
    *out = result;
    if (status == TL_OK && !result)
        status = err->status;
    const size_t n = result ? result->n_hosts : 0;
    if (result && n < n_wanted)
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: has the measurements of %zu of %u hosts; give -o in a file system "
                         "that all hosts share",
                         folder, n, n_wanted);
    remove_folder(path);
    return status;
}

/* ---- judging ---- */

enum { N_TESTED = 2, LEAST_UNITS = 4 };
/* A smaller difference of either is not named, however small the spread of the others. */
#define LEAST_SHIFT 0.05

static const unsigned tested[N_TESTED] = {TL_KERNEL_dgemm, TL_KERNEL_dgemv};

static double shift_of(const tlp_unit *unit, int which)
{
    return unit->shift[tested[which] - TL_KERNEL_dgemm];
}

/* Marks the units that the test calls unlike in this quantity. Each is tested alone: slow hosts
 * stretch the region of both along the line on which they are, so that others seem to be out. */
static tl_status judge(tlp_result *result, int which, double *room, bool *is_out, tl_error *err)
{
    const double confidence = 1 - (1 - TLP_UNITS_CONFIDENCE) / N_TESTED;
    const size_t n = result->n_units;
    for (size_t u = 0; u < n; u++)
        room[u] = shift_of(&result->units[u], which);
    const tl_status status = tlr_find_outliers(room, n, 1, confidence, is_out, err);
    const double middle = tlp_median(room, n);
    for (size_t u = 0; u < n && status == TL_OK; u++)
        result->units[u].is_out |=
            is_out[u] && fabs(shift_of(&result->units[u], which) - middle) >= LEAST_SHIFT;
    return status;
}

tl_status hosts_judge(tlp_result *result, tl_error *err)
{
    const size_t n = result->n_units;
    double *room = calloc(n + 1, sizeof *room);
    bool *is_out = calloc(n + 1, sizeof *is_out);
    tl_status status = room && is_out ? TL_OK : tl_no_memory(err, "testing");
    for (int i = 0; i < N_TESTED && n >= LEAST_UNITS && status == TL_OK; i++)
        status = judge(result, i, room, is_out, err);
    free(room);
    free(is_out);
    return status;
}

/* ---- names ---- */

static bool has_host(const tlr_cluster *cluster, const char *name)
{
    for (size_t i = 0; i < cluster->n_hosts; i++)
        if (!strcmp(cluster->hosts[i].name, name))
            return 1;
    return 0;
}

tl_status hosts_find_names(tlp_result *result, const char *folder, tl_error *err)
{
    char path[PATH_MAX];
    tlr_cluster cluster = {0};
    snprintf(path, sizeof path, "%s/platform.xml", folder);
    const tl_status status = tlr_cluster_read(path, &cluster, err);
    bool has_own = 0;
    for (size_t h = 0; h < result->n_hosts && status == TL_OK; h++)
        has_own |= has_host(&cluster, result->hosts[h].name);
    for (size_t h = 0; h < result->n_hosts && !has_own && status == TL_OK; h++)
        if (h < cluster.n_hosts)
            snprintf(result->hosts[h].alias, sizeof result->hosts[h].alias, "%s",
                     cluster.hosts[h].name);
    tlr_cluster_free(&cluster);
    return status;
}

/* ---- report ---- */

static void report_unit(const tlp_result *result, const tlp_unit *unit)
{
    fputs("timeless: ", stderr);
    tlp_unit_name(result, unit, stderr);
    for (int i = 0; i < N_TESTED; i++) {
        const double ratio = exp(shift_of(unit, i));
        fprintf(stderr, "%s %s takes %.1f%% %s", i ? "," : ":",
                tl_call_by_code((uint16_t)tested[i])->name, 100 * fabs(ratio - 1),
                ratio > 1 ? "longer" : "less");
    }
    fputs(" than on the others; the fits of all hosts leave it out\n", stderr);
}

void hosts_report(const tlp_result *result)
{
    fprintf(stderr, "timeless: %zu hosts; the time of dgemm differs by %.2f%% between hosts",
            result->n_hosts, 100 * result->host_sd);
    if (result->day_sd > 0)
        fprintf(stderr, " and by %.2f%% between calibrations", 100 * result->day_sd);
    fputs(" (standard deviations)\n", stderr);
    for (size_t u = 0; u < result->n_units; u++)
        if (result->units[u].is_out)
            report_unit(result, &result->units[u]);
    if (result->n_units < LEAST_UNITS)
        fprintf(stderr,
                "timeless: %zu sockets are too few to test whether one is unlike the "
                "others\n",
                result->n_units);
}
