/* network_merge.c - puts measurements behind those of an earlier one. */
#include "config.h"

#include "network.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

/* Of a second file, what is copied: its measurements, how long they took, and their moment, which
 * is then the one that holds. */
static bool is_of_launch(const char *line)
{
    return isdigit((unsigned char)*line) || !strncmp(line, "# moment ", 9) ||
           !strncmp(line, "# seconds ", 10);
}

/* Copies a file up to its last line. What mpirun printed before the probe's first line is no
 * measurement. Returns 0 if the file cannot be read. */
static int copy(const char *path, bool is_second, FILE *out)
{
    static const char first[] = "# timeless-network-probe ";
    char *line = NULL;
    size_t size = 0;
    bool is_probe = 0;
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

static tl_status check_same(const char *old, const tlp_probe_data *before,
                            const tlp_probe_data *after, tl_error *err)
{
    if (before->n_hosts != after->n_hosts || before->n_ranks != after->n_ranks ||
        strcmp(before->mpi, after->mpi) != 0)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: was measured by %d ranks on %d hosts with %s, and now by %d on %d with "
                       "%s; measure as then, or into another folder",
                       old, before->n_ranks, before->n_hosts, before->mpi, after->n_ranks,
                       after->n_hosts, after->mpi);
    if (before->per_host != after->per_host)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: was measured with --per-host %d, and now with %d; measure as then, or "
                       "into another folder",
                       old, before->per_host, after->per_host);
    return TL_OK;
}

static tl_status write_joined(const char *old, const char *added, size_t n_rows, const char *path,
                              tl_error *err)
{
    tl_output out;
    tl_status status = TL_OK;
    TL_TRY(tl_output_open(path, &out, err));
    if ((old && !copy(old, 0, out.file)) || !copy(added, old != NULL, out.file))
        status = tl_fail(err, TL_ERR_SYSTEM, "%s: cannot be read; check the disk", added);
    fprintf(out.file, "# end %zu\n", n_rows);
    return tl_output_close(&out, path, status, err);
}

tl_status tlp_probe_join(const char *old, const char *added, const char *path, tl_error *err)
{
    tlp_probe_data *after = tlp_raw_open(&tlp_raw_network, added, err),
                   *before = after && old ? tlp_raw_open(&tlp_raw_network, old, err) : NULL;
    tl_status status = TL_OK;
    if (!after || (old && !before))
        status = err->status;
    else if (!old || (status = check_same(old, before, after, err)) == TL_OK)
        status = write_joined(old, added, after->n_rows + (old ? before->n_rows : 0), path, err);
    tlp_probe_free(before);
    tlp_probe_free(after);
    return status;
}
