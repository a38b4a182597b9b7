/* parts.c - after a run on several hosts: joins the parts if all of them can be read here. */
#include "config.h"

#include "cli.h"
#include "record.h"

#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const char *record_new_run_id(void)
{
    static char id[17];
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = (uint64_t)time(NULL) << 32 | (uint32_t)getpid();
    snprintf(id, sizeof id, "%016" PRIx64, number);
    return id;
}

/* Whether the file is a part of this run, whose ids all begin with `run_id`. */
static bool is_part(const char *path, const char *run_id, uint32_t *n_losers)
{
    tl_reader *r;
    if (tl_reader_open(path, &r, NULL) != TL_OK)
        return false;
    const tl_run *run = tl_reader_run(r);
    bool is = *run->parts && !strncmp(run->run_id, run_id, strlen(run_id));
    if (is)
        *n_losers += record_count_losers(r);
    tl_reader_close(r);
    return is;
}

bool record_is_of_run(const char *path, const char *run_id)
{
    tl_reader *r;
    struct stat st;
    if (stat(path, &st) != 0 || !st.st_size)
        return false;
    if (tl_reader_open(path, &r, NULL) != TL_OK)
        return true;
    bool is = !strncmp(tl_reader_run(r)->run_id, run_id, strlen(run_id));
    tl_reader_close(r);
    return is;
}

static bool reach_disk(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool done = fd >= 0 && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    return done;
}

size_t record_join_parts(const char *path, const char *run_id, uint32_t *n_losers)
{
    const size_t length = strlen(path);
    const bool has_end = length > 3 && !strcmp(path + length - 3, ".tl");
    char *pattern = cli_pattern(path, has_end ? length - 3 : length, ".*.tl");
    glob_t found = {0};
    size_t n = 0;
    tl_error err;
    const int failed = !pattern || glob(pattern, 0, NULL, &found);
    free(pattern);
    if (failed)
        return 0;
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (is_part(found.gl_pathv[i], run_id, n_losers)) {
            char *other = found.gl_pathv[n];
            found.gl_pathv[n++] = found.gl_pathv[i];
            found.gl_pathv[i] = other;
        }
    if (n && tl_join((const char *const *)found.gl_pathv, n, path, &err) != TL_OK) {
        cli_fail(&err);
        fprintf(stderr,
                "timeless: %s: the run used several hosts; bring their parts, beginning with %s, "
                "together and run 'timeless join'\n",
                path, found.gl_pathv[0]);
    } else if (n && reach_disk(path)) {
        for (size_t i = 0; i < n; i++)
            tl_trace_remove(found.gl_pathv[i]);
    }
    globfree(&found);
    return n;
}
