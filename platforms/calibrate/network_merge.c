/* network_merge.c - puts measurements behind those of an earlier one. */
#include "config.h"

#include "network.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static tl_status read_file(const char *path, tlp_probe_data *out, tl_error *err)
{
    *out = (tlp_probe_data){0};
    FILE *in = fopen(path, "r");
    if (!in)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be opened: %s; check the folder", path,
                       strerror(errno));
    const tl_status status = tlp_probe_read(in, path, out, err);
    fclose(in);
    return status;
}

/* Of a second file, what is copied: its measurements, how long they took, and their moment, which
 * is then the one that holds. */
static int is_of_launch(const char *line)
{
    return isdigit((unsigned char)*line) || !strncmp(line, "# moment ", 9) ||
           !strncmp(line, "# seconds ", 10);
}

/* Copies a file up to its last line. What mpirun printed before the probe's first line is no
 * measurement. Returns 0 if the file cannot be read. */
static int copy(const char *path, int is_second, FILE *out)
{
    static const char first[] = "# timeless-network-probe ";
    char *line = NULL;
    size_t size = 0;
    int is_probe = 0;
    FILE *in = fopen(path, "r");
    while (in && getline(&line, &size, in) >= 0 && strncmp(line, "# end ", 6) != 0) {
        is_probe |= !strncmp(line, first, sizeof first - 1);
        if (!is_second || (is_probe && is_of_launch(line)))
            fputs(line, out);
    }
    const int good = in && !ferror(in);
    if (in)
        fclose(in);
    free(line);
    return good;
}

static tl_status write_both(const char *old, const char *added, size_t n_rows, const char *path,
                            tl_error *err)
{
    FILE *out = fopen(path, "w");
    int failed = !out;
    if (out) {
        failed = !copy(old, 0, out) || !copy(added, 1, out);
        fprintf(out, "# end %zu\n", n_rows);
        failed |= ferror(out);
        failed |= fclose(out) != 0;
    }
    return failed ? tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be written: %s; check the disk", path,
                            strerror(errno))
                  : TL_OK;
}

tl_status tlp_probe_join(const char *old, const char *added, const char *path, tl_error *err)
{
    tlp_probe_data before = {0}, after = {0};
    tl_status status = read_file(old, &before, err);
    if (status == TL_OK)
        status = read_file(added, &after, err);
    if (status == TL_OK && (before.n_hosts != after.n_hosts || before.n_ranks != after.n_ranks ||
                            strcmp(before.mpi, after.mpi) != 0))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s: was measured by %d ranks on %d hosts with %s, and now by %d on %d "
                         "with %s; measure as then, or into another folder",
                         old, before.n_ranks, before.n_hosts, before.mpi, after.n_ranks,
                         after.n_hosts, after.mpi);
    if (status == TL_OK && before.per_host != after.per_host)
        status =
            tl_fail(err, TL_ERR_INPUT,
                    "%s: was measured with --per-host %d, and now with %d; measure as then, or "
                    "into another folder",
                    old, before.per_host, after.per_host);
    if (status == TL_OK)
        status = write_both(old, added, before.n_rows + after.n_rows, path, err);
    tlp_probe_clear(&before);
    tlp_probe_clear(&after);
    return status;
}
