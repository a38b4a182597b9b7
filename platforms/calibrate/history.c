/* history.c - the calibrations of a platform over time. */
#include "config.h"

#include "calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

tl_status tlp_add_to_history(const char *folder, const char *what, const tlp_quantity *quantities,
                             size_t n, tl_error *err)
{
    char *path = NULL, when[32];
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    if (asprintf(&path, "%s/history.csv", folder) < 0)
        return tl_no_memory(err, folder);
    tl_status status = TL_OK;
    FILE *out = fopen(path, "a");
    int failed = !out;
    if (out) {
        if (fseek(out, 0, SEEK_END) == 0 && ftell(out) == 0)
            fputs("when,what,name,value\n", out);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s.%03dZ,%s,%s,%.9g\n", when, (int)(now.tv_nsec / 1000000), what,
                    quantities[i].name, quantities[i].value);
        failed = ferror(out);
        failed |= fclose(out) != 0;
    }
    if (failed)
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the folder", path,
                         strerror(errno));
    free(path);
    return status;
}

void tlp_read_history(const char *folder, const char *what,
                      void (*take)(void *arg, const char *name, double value), void *arg)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in = tlp_open_in(folder, "history.csv", NULL);
    while (in && getline(&line, &size, in) >= 0) {
        char *rest = line;
        strsep(&rest, ",");
        const char *kind = strsep(&rest, ","), *name = strsep(&rest, ",");
        if (rest && !strcmp(kind, what))
            take(arg, name, strtod(rest, NULL));
    }
    free(line);
    if (in)
        fclose(in);
}
