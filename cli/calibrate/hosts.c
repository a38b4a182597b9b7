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

/* Appends the files of all hosts, FOLDER/HOST.csv, to `out`, unless it is NULL, and then removes
 * them. Returns how many were appended. */
static size_t gather_files(const char *folder, FILE *out)
{
    struct dirent **entries = NULL;
    char path[2 * PATH_MAX];
    size_t n_read = 0;
    const int n = scandir(folder, &entries, NULL, versionsort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        FILE *in = out && *entries[i]->d_name != '.' ? fopen(path, "r") : NULL;
        n_read += in && tlp_copy_stream(in, out, NULL) == TL_OK;
        if (in)
            fclose(in);
        unlink(path); /* leaves folders */
        free(entries[i]);
    }
    free(entries);
    return n_read;
}

/* What the processes print. */
typedef struct started {
    char *folder;
    size_t n; /* that have measured: each prints the path of its file */
} started;

static bool take_line(void *arg, const char *line)
{
    started *s = arg;
    if (strstr(line, s->folder))
        s->n++;
    else
        fputs(line, stderr);
    return 0;
}

static tl_status measure_into(const cli_launcher *launcher, char *const *options, started *s,
                              tl_error *err)
{
    char texts[2][CLI_LAUNCH_TEXT] = {""}, self[PATH_MAX] = "", *argv[CLI_LAUNCH_WORDS + 32];
    static const char *const unbound[] = {"--bind-to", "none"};
    int n = cli_launcher_words(launcher, texts, argv, err);
    if (!n)
        return err->status;
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "/proc/self/exe: cannot be read; mount /proc");
    for (int i = 0; i < 2 && !launcher->n_words; i++)
        argv[n++] = (char *)unbound[i];
    argv[n++] = self;
    argv[n++] = (char *)"calibrate";
    argv[n++] = (char *)"kernels";
    for (int i = 0; options[i]; i++)
        argv[n++] = options[i];
    argv[n++] = (char *)"--raw";
    argv[n++] = s->folder;
    argv[n] = NULL;
    return cli_launch_run(argv, 1, take_line, s, err);
}

tl_status hosts_measure(const cli_launcher *launcher, char *const *options, const char *folder,
                        tlp_result **out, tl_error *err)
{
    char whole[PATH_MAX], path[PATH_MAX + 32], all[PATH_MAX + 64];
    started s = {path, 0};
    if (!realpath(folder, whole))
        snprintf(whole, sizeof whole, "%s", folder);
    snprintf(path, sizeof path, "%s/measuring-XXXXXX", whole);
    if (!mkdtemp(path))
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written; check the folder", path);
    snprintf(all, sizeof all, "%s.csv", path);
    strcat(path, "/");
    tl_status status = measure_into(launcher, options, &s, err);
    FILE *file = status == TL_OK ? fopen(all, "w") : NULL;
    const size_t n = gather_files(path, file);
    const bool failed = !file || ferror(file);
    if (status == TL_OK && ((file && fclose(file) != 0) || failed))
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written; check the disk", all);
    else if (status == TL_OK && n < s.n)
        status = tl_fail(err, TL_ERR_SYSTEM,
                         "%s: has the measurements of %zu of %zu hosts; give -o in a file system "
                         "that all hosts share",
                         path, n, s.n);
    *out = status == TL_OK ? tlp_raw_open(&tlp_raw_kernels, all, err) : NULL;
    if (status == TL_OK && !*out)
        status = err->status;
    unlink(all);
    rmdir(path);
    return status;
}

/* ---- judging ---- */

enum { LEAST_UNITS = 4, N_TESTS = 2 * TLP_UNIT_QUANTITIES };
#define CONFIDENCE 0.95
/* A smaller difference of either is not named, however small the spread of the others. */
#define LEAST_SHIFT 0.05

/* Marks the units that the test calls unlike in this quantity, of themselves or with all of their
 * host: if sockets differ much, the mean of a host shows what each of them hides. Each quantity is
 * tested alone: slow hosts stretch the region of both along the line on which they are, so that
 * others seem to be out. room, is_out: for as many values as units and hosts. */
static tl_status judge(tlp_result *result, int which, bool by_host, double *room, bool *is_out,
                       tl_error *err)
{
    const size_t n = result->n_units, n_groups = by_host ? result->n_hosts : n;
    for (size_t u = 0; u < n; u++)
        room[u] = tlp_unit_shift(&result->units[u], which);
    const double middle = tlp_median(room, n);
    for (size_t g = 0; g < n_groups; g++) {
        double sum = 0, n_own = 0;
        for (size_t u = 0; u < n; u++)
            if (g == (by_host ? result->units[u].host : u)) {
                sum += tlp_unit_shift(&result->units[u], which);
                n_own++;
            }
        room[g] = n_own ? sum / n_own : middle;
    }
    const tl_status status =
        tlr_find_outliers(room, n_groups, 1 - (1 - CONFIDENCE) / N_TESTS, is_out, err);
    for (size_t u = 0; u < n && status == TL_OK; u++)
        result->units[u].is_out |=
            is_out[by_host ? result->units[u].host : u] &&
            fabs(tlp_unit_shift(&result->units[u], which) - middle) >= LEAST_SHIFT;
    return status;
}

tl_status hosts_judge(tlp_result *result, tl_error *err)
{
    const size_t n = result->n_units + result->n_hosts;
    double *room = calloc(n + 1, sizeof *room);
    bool *is_out = calloc(n + 1, sizeof *is_out);
    tl_status status = room && is_out ? TL_OK : tl_no_memory(err, "testing");
    for (int i = 0; i < N_TESTS && status == TL_OK; i++)
        if (result->n_units >= LEAST_UNITS)
            status = judge(result, i / 2, i % 2, room, is_out, err);
    free(room);
    free(is_out);
    return status;
}

/* ---- names ---- */

static bool has_host(const tlr_cluster *cluster, const char *name)
{
    size_t i = 0;
    while (i < cluster->n_hosts && strcmp(cluster->hosts[i].name, name) != 0)
        i++;
    return i < cluster->n_hosts;
}

tl_status hosts_find_names(tlp_result *result, const char *folder, tl_error *err)
{
    char path[PATH_MAX];
    tlr_cluster cluster = {0};
    snprintf(path, sizeof path, "%s/platform.xml", folder);
    const tl_status status =
        access(path, F_OK) == 0 ? tlr_cluster_read(path, &cluster, err) : TL_OK;
    const size_t n = cluster.n_hosts ? result->n_hosts : 0;
    size_t n_named = 0;
    for (size_t h = 0; h < n; h++)
        n_named += has_host(&cluster, result->hosts[h].name);
    if (!n_named)
        for (; n_named < n && n_named < cluster.n_hosts; n_named++)
            snprintf(result->hosts[n_named].alias, sizeof result->hosts[n_named].alias, "%s",
                     cluster.hosts[n_named].name);
    for (size_t h = 0; h < n && n_named < n; h++)
        if (!*result->hosts[h].alias && !has_host(&cluster, result->hosts[h].name))
            fprintf(stderr,
                    "timeless: warning: %s: has no host %s and no other for it; its own times are "
                    "used in no replay\n",
                    path, tl_printable(result->hosts[h].name));
    tlr_cluster_free(&cluster);
    return status;
}

/* ---- report ---- */

static void report_unit(const tlp_result *result, const tlp_unit *unit)
{
    char name[TLP_UNIT_NAME_BYTES];
    fprintf(stderr, "timeless: %s", tlp_unit_name(result, unit, name));
    for (int i = 0; i < TLP_UNIT_QUANTITIES; i++) {
        const double ratio = exp(tlp_unit_shift(unit, i));
        fprintf(stderr, "%s %s takes %.1f%% %s", i ? "," : ":",
                tl_call_by_code(tlp_unit_kernels[i])->name, 100 * fabs(ratio - 1),
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
