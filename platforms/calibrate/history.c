/* history.c - the calibrations of a platform over time. */
#include "config.h"

#include "calibrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Now, with milliseconds. */
static void print_now(char *when, size_t size)
{
    struct timespec now;
    struct tm utc;
    clock_gettime(CLOCK_REALTIME, &now);
    const size_t n = strftime(when, size, "%Y-%m-%dT%H:%M:%S", gmtime_r(&now.tv_sec, &utc));
    snprintf(when + n, size - n, ".%03dZ", (int)(now.tv_nsec / 1000000));
}

/* *moment: NULL when the history has it. */
static void look_for(void *moment, const char *when, const char *name, double value)
{
    (void)name;
    (void)value;
    const char **wanted = moment;
    if (*wanted && !strcmp(*wanted, when))
        *wanted = NULL;
}

tl_status tlp_add_to_history(const char *folder, const char *what, const char *moment,
                             const tlp_quantity *quantities, size_t n, tl_error *err)
{
    char *path = NULL, now[32];
    print_now(now, sizeof now);
    const char *when = *moment ? moment : now, *lacking = when;
    tlp_read_history(folder, what, look_for, &lacking);
    if (!lacking)
        return TL_OK;
    if (asprintf(&path, "%s/history.csv", folder) < 0)
        return tl_no_memory(err, folder);
    tl_status status = TL_OK;
    FILE *out = fopen(path, "a");
    int failed = !out;
    if (out) {
        if (fseek(out, 0, SEEK_END) == 0 && ftell(out) == 0)
            fputs("when,what,name,value\n", out);
        for (size_t i = 0; i < n; i++)
            fprintf(out, "%s,%s,%s,%.9g\n", when, what, quantities[i].name, quantities[i].value);
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
                      void (*take)(void *arg, const char *when, const char *name, double value),
                      void *arg)
{
    char *line = NULL;
    size_t size = 0;
    FILE *in = tlp_open_in(folder, "history.csv", NULL);
    while (in && getline(&line, &size, in) >= 0) {
        char *rest = line;
        const char *when = strsep(&rest, ","), *kind = strsep(&rest, ","),
                   *name = strsep(&rest, ",");
        if (rest && !strcmp(kind, what))
            take(arg, when, name, strtod(rest, NULL));
    }
    free(line);
    if (in)
        fclose(in);
}
