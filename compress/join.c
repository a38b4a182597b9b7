/* join.c - joins the files that the hosts of a run have written. */
#include "config.h"

#include "core/append.h"
#include "core/error.h"
#include "core/format.h"
#include "reader.h"
#include "timeless_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

typedef struct join {
    tl_reader **parts;
    size_t n_parts;
    char *missing; /* where the names of missing hosts go; NULL: none may be missing */
    size_t missing_bytes;
    uint32_t *n_losers; /* killed ranks without their last events; NULL: not wanted */
    tl_error *err;
} join;

/* The first part, beginning with `from`, that contains this rank; the number of parts if there is
 * none. */
static size_t holder(const join *j, uint32_t rank, size_t from)
{
    size_t i = from;
    while (i < j->n_parts && !tl_reader_part(j->parts[i], rank))
        i++;
    return i;
}

static tl_status check_one_run(const join *j)
{
    const tl_reader *first = j->parts[0];
    for (size_t i = 0; i < j->n_parts; i++) {
        const tl_reader *part = j->parts[i];
        if (!*part->header.run.parts)
            return tl_fail(j->err, TL_ERR_INPUT,
                           "%s:0: is not a part of a run on several hosts; leave it out",
                           part->path);
        if (part->header.seed != first->header.seed)
            return tl_fail(j->err, TL_ERR_INPUT,
                           "%s:0: belongs to another run than %s; give the parts of one run",
                           part->path, first->path);
    }
    return TL_OK;
}

static tl_status check_no_rank_twice(const join *j)
{
    uint32_t n_ranks = j->parts[0]->header.run.n_ranks;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        size_t i = holder(j, rank, 0), again = holder(j, rank, i + 1);
        if (i < j->n_parts && again < j->n_parts)
            return tl_fail(j->err, TL_ERR_INPUT,
                           "%s: has rank %" PRIu32 ", as %s has; give each part once",
                           j->parts[again]->path, rank, j->parts[i]->path);
    }
    return TL_OK;
}

static bool has_host(const join *j, const char *name, size_t length)
{
    uint32_t n_ranks = j->parts[0]->header.run.n_ranks;
    for (uint32_t rank = 0; rank < n_ranks; rank++) {
        size_t i = holder(j, rank, 0);
        const char *host =
            i < j->n_parts ? tl_reader_part(j->parts[i], rank)->definitions->host : NULL;
        if (host && strlen(host) == length && !memcmp(host, name, length))
            return true;
    }
    return false;
}

/* Names the hosts whose parts are missing. They are an error unless the caller wants their names.
 */
static tl_status check_all_hosts(const join *j)
{
    const char *name = j->parts[0]->header.run.parts;
    char missing[256] = "";
    size_t used = 0, n_missing = 0;
    while (*name) {
        size_t length = strcspn(name, " ");
        if (!has_host(j, name, length)) {
            int n = snprintf(missing + used, sizeof missing - used, "%s%.*s", n_missing ? ", " : "",
                             (int)length, name);
            used = n > 0 && used + (size_t)n < sizeof missing ? used + (size_t)n : used;
            n_missing++;
        }
        name += length + strspn(name + length, " ");
    }
    if (j->missing)
        snprintf(j->missing, j->missing_bytes, "%s", missing);
    if (!n_missing || j->missing)
        return TL_OK;
    return tl_fail(j->err, TL_ERR_INPUT,
                   "the part%s of %s %s missing; give the parts of all hosts, or "
                   "--allow-missing if they are lost",
                   n_missing > 1 ? "s" : "", missing, n_missing > 1 ? "are" : "is");
}

/* Ranks without an end whose last events are in no open file. */
static uint32_t count_losers(const join *j)
{
    uint32_t n = 0;
    tl_rank_summary s;
    for (size_t i = 0; i < j->n_parts; i++)
        for (uint32_t rank = 0; rank < j->parts[i]->header.run.n_ranks; rank++)
            n += tl_reader_rank(j->parts[i], rank, &s) == TL_OK && s.end == TL_END_NONE &&
                 !s.kept_open && (*s.host || s.n_events); /* otherwise it is in another part */
    return n;
}

static tl_status copy_bytes(const join *j, tl_reader *part, uint64_t from, uint64_t end, int fd,
                            const char *out_path)
{
    enum { BLOCK_BYTES = 1 << 16 };
    uint8_t *block = malloc(BLOCK_BYTES);
    if (!block)
        return tl_no_memory(j->err, out_path);
    tl_status status = TL_OK;
    while (!status && from < end) {
        uint64_t left = end - from;
        size_t size = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
        if ((status = tl_reader_read_at(part, from, block, size)))
            tl_error_set(j->err, status, "%s:%" PRIu64 ": cannot be read; try again", part->path,
                         from);
        else if ((status = tl_write_all(fd, block, size)))
            tl_error_set_errno(j->err, "%s: cannot be written", out_path);
        from += size;
    }
    free(block);
    return status;
}

/* Copies the bytes of a part, beginning at `from`, and the events of its killed ranks from its open
 * file. If these make up for an incomplete chunk, so that the part is not damaged, then the joined
 * file, which has no open file, must not have this chunk. */
static tl_status copy(const join *j, tl_reader *part, uint64_t from, int fd, const char *out_path)
{
    tl_status status = TL_OK;
    for (size_t i = 0; !status && !part->n_damages && i < part->n_regions; i++) {
        status = copy_bytes(j, part, from, part->regions[i].from, fd, out_path);
        from = part->regions[i].to;
    }
    return status
               ? status
               : copy_bytes(j, part, from, part->file_bytes + part->recovered.size, fd, out_path);
}

static tl_status write_joined(const join *j, const char *out_path)
{
    tl_replacement file;
    TL_TRY(tl_replace_begin(out_path, &file, j->err));
    tl_status status = TL_OK;
    int fd = open(file.part, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        status = tl_fail_errno(j->err, "%s: cannot be opened for writing", file.part);
    for (size_t i = 0; !status && i < j->n_parts; i++)
        status = copy(j, j->parts[i], i ? j->parts[i]->header.bytes : 0, fd, file.part);
    if (fd >= 0 && close(fd) && !status)
        status = tl_fail_errno(j->err, "%s: cannot be written", file.part);
    return tl_replace_end(&file, status, j->err);
}

/* Says what to do about a file that is not readable as a part: the node of it may have died. */
static tl_status advise_leaving_out(tl_error *err, tl_status status)
{
    char problem[sizeof err->text];
    if (!err || (status != TL_ERR_NOT_A_TRACE && status != TL_ERR_TRUNCATED &&
                 status != TL_ERR_CORRUPT && status != TL_ERR_INPUT))
        return status;
    snprintf(problem, sizeof problem, "%s", err->text);
    char *advice = strrchr(problem, ';');
    if (advice)
        *advice = '\0';
    return tl_fail(err, status,
                   "%s; give each part as the run left it, or leave this one out and give "
                   "--allow-missing, if its node died",
                   problem);
}

static tl_status join_all(join j, const char *const *paths, const char *out_path)
{
    const size_t n_paths = j.n_parts;
    tl_error *err = j.err;
    if (!n_paths)
        return tl_fail(err, TL_ERR_USAGE, "no parts are given");
    j.parts = calloc(n_paths, sizeof *j.parts);
    if (!j.parts)
        return tl_no_memory(err, out_path);
    tl_status status = TL_OK;
    for (size_t i = 0; !status && i < n_paths; i++)
        status = tl_reader_open(paths[i], &j.parts[i], err);
    if (status)
        status = advise_leaving_out(err, status);
    if (!status)
        status = check_one_run(&j);
    if (!status)
        status = check_no_rank_twice(&j);
    if (!status)
        status = check_all_hosts(&j);
    if (!status && j.n_losers)
        *j.n_losers = count_losers(&j);
    if (!status)
        status = write_joined(&j, out_path);
    for (size_t i = 0; i < n_paths; i++)
        tl_reader_close(j.parts[i]);
    free(j.parts);
    return status;
}

tl_status tl_join(const char *const *paths, size_t n_paths, const char *out_path, tl_error *err)
{
    return join_all((join){.n_parts = n_paths, .err = err}, paths, out_path);
}

tl_status tl_join_left(const char *const *paths, size_t n_paths, const char *out_path,
                       char *missing, size_t missing_bytes, uint32_t *n_losers, tl_error *err)
{
    const join j = {.n_parts = n_paths,
                    .missing = missing,
                    .missing_bytes = missing_bytes,
                    .n_losers = n_losers,
                    .err = err};
    return join_all(j, paths, out_path);
}
