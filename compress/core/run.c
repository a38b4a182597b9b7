/* run.c - the header of the file: magic, version, number of ranks, key/value pairs, checksum. */
#include "config.h"

#include "run.h"

#include "error.h"
#include "format.h"
#include "frame.h"

#include <errno.h>
#include <inttypes.h>
#include <unistd.h>

const tl_run_field tl_run_fields[TL_N_RUN_FIELDS] = {
    {"volume_unit", offsetof(tl_run, volume_unit), false},
    {"volume_source", offsetof(tl_run, volume_source), false},
    {"program", offsetof(tl_run, program), false},
    {"mpi_library", offsetof(tl_run, mpi_library), false},
    {"writer", offsetof(tl_run, writer), false},
    {"origin", offsetof(tl_run, origin), false},
    {"run_id", offsetof(tl_run, run_id), true},
    {"parts", offsetof(tl_run, parts), true},
    {"folding", offsetof(tl_run, folding), true},
    {"untraced", offsetof(tl_run, untraced), true},
    {"parameters", offsetof(tl_run, parameters), true},
    {"volume_sample", offsetof(tl_run, volume_sample), true},
    {"volume_bursts", offsetof(tl_run, volume_bursts), true},
};

static const char **field(tl_run *run, size_t i)
{
    return (const char **)(void *)((char *)run + tl_run_fields[i].offset);
}

const char *tl_run_text(const tl_run *run, size_t i)
{
    const char *value = *field((tl_run *)(uintptr_t)run, i);
    return value ? value : "";
}

static bool left_out(const tl_run *run, size_t i)
{
    return tl_run_fields[i].optional && !*tl_run_text(run, i);
}

tl_status tl_read_at(int fd, uint64_t offset, void *data, size_t size)
{
    uint8_t *p = data;
    while (size) {
        ssize_t got = pread(fd, p, size, (off_t)offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return TL_ERR_SYSTEM;
        if (!got)
            return TL_ERR_TRUNCATED;
        p += got;
        offset += (uint64_t)got;
        size -= (size_t)got;
    }
    return TL_OK;
}

tl_status tl_run_encode(const tl_run *run, tl_buffer *out, tl_error *err)
{
    if (!run->n_ranks || run->n_ranks > TL_MAX_RANKS)
        return tl_fail(err, TL_ERR_LIMIT, "%" PRIu32 " ranks: a trace holds 1 to %" PRIu32,
                       run->n_ranks, TL_MAX_RANKS);
    size_t size = TL_FILE_FIXED_BYTES + 8;
    uint32_t n_pairs = 0;
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++) {
        if (left_out(run, i))
            continue;
        size += 6 + strlen(tl_run_fields[i].key) + strlen(tl_run_text(run, i));
        n_pairs++;
    }
    if (size > TL_FILE_HEADER_MAX_BYTES)
        return tl_fail(err, TL_ERR_LIMIT, "the description of the run has %zu bytes; at most %d",
                       size, TL_FILE_HEADER_MAX_BYTES);
    out->size = 0;
    if (!tl_buffer_reserve(out, size))
        return tl_no_memory(err, "the command");
    uint8_t *p = out->data;
    memcpy(p, TL_FILE_MAGIC, TL_FILE_MAGIC_BYTES);
    tl_store16(p + 8, TL_FORMAT_MAJOR);
    tl_store16(p + 10, TL_FORMAT_MINOR);
    tl_store32(p + 12, (uint32_t)size);
    tl_store32(p + 16, run->n_ranks);
    tl_store32(p + 20, n_pairs);
    p += TL_FILE_FIXED_BYTES;
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++) {
        if (left_out(run, i))
            continue;
        const char *key = tl_run_fields[i].key, *value = tl_run_text(run, i);
        size_t key_bytes = strlen(key), value_bytes = strlen(value);
        tl_store16(p, (uint16_t)key_bytes);
        tl_store32(p + 2, (uint32_t)value_bytes);
        memcpy(p + 6, key, key_bytes);
        memcpy(p + 6 + key_bytes, value, value_bytes);
        p += 6 + key_bytes + value_bytes;
    }
    tl_store64(p, tl_hash_of(out->data, size - 8, 0));
    out->size = size;
    return TL_OK;
}

/* Reads the pairs; ignores unknown keys. The strings get their final 0 in `text`. */
static bool parse_pairs(const uint8_t *p, const uint8_t *end, uint32_t n_pairs, tl_run *run,
                        char *text)
{
    for (uint32_t k = 0; k < n_pairs; k++) {
        if (end - p < 6)
            return false;
        size_t key_bytes = tl_load16(p), value_bytes = tl_load32(p + 2);
        p += 6;
        if (key_bytes > (size_t)(end - p) || value_bytes > (size_t)(end - p) - key_bytes)
            return false;
        for (size_t i = 0; i < TL_N_RUN_FIELDS; i++) {
            const char *key = tl_run_fields[i].key;
            if (strlen(key) != key_bytes || memcmp(key, p, key_bytes) != 0)
                continue;
            memcpy(text, p + key_bytes, value_bytes);
            text[value_bytes] = 0;
            *field(run, i) = text;
            text += value_bytes + 1;
        }
        p += key_bytes + value_bytes;
    }
    return p == end;
}

static tl_status check_fixed(const uint8_t *fixed, const char *path, tl_error *err)
{
    if (!memcmp(fixed, "<?xml", 5) || !memcmp(fixed, "<!DOCTYPE", 9))
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       "%s:0: is an XML file, not a Timeless trace; a platform is given by "
                       "--platform=%s, a trace by the file that 'timeless record' wrote",
                       path, path);
    if (memcmp(fixed, TL_FILE_MAGIC, TL_FILE_MAGIC_BYTES) != 0)
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       "%s:0: is not a Timeless trace; give a file that 'timeless record' wrote",
                       path);
    unsigned major = tl_load16(fixed + 8), minor = tl_load16(fixed + 10);
    if (major != TL_FORMAT_MAJOR)
        return tl_fail(
            err, TL_ERR_VERSION,
            "%s:8: has format version %u.%u, this program reads %d.x; use the version of "
            "timeless that wrote it",
            path, major, minor, TL_FORMAT_MAJOR);
    uint32_t bytes = tl_load32(fixed + 12);
    if (bytes < TL_FILE_FIXED_BYTES + 8 || bytes > TL_FILE_HEADER_MAX_BYTES)
        return tl_fail(err, TL_ERR_CORRUPT,
                       "%s:12: the file header is damaged (its length is %" PRIu32
                       "); record the run again",
                       path, bytes);
    return TL_OK;
}

/* Checks the whole header and fills *out from it. */
static tl_status parse_header(const uint8_t *data, uint32_t bytes, const char *path,
                              tl_run_header *out, tl_error *err)
{
    uint64_t seed = tl_load64(data + bytes - 8);
    uint32_t n_ranks = tl_load32(data + 16), n_pairs = tl_load32(data + 20);
    if (tl_hash_of(data, bytes - 8, 0) != seed)
        return tl_fail(err, TL_ERR_CORRUPT,
                       "%s:0: the file header is damaged (checksum); record the run again", path);
    if (!n_ranks || n_ranks > TL_MAX_RANKS)
        return tl_fail(err, TL_ERR_LIMIT, "%s:16: %" PRIu32 " ranks; a trace holds 1 to %" PRIu32,
                       path, n_ranks, TL_MAX_RANKS);
    tl_run run = {.n_ranks = n_ranks};
    for (size_t i = 0; i < TL_N_RUN_FIELDS; i++)
        *field(&run, i) = "";
    char *text = malloc(bytes + TL_N_RUN_FIELDS);
    if (!text)
        return tl_no_memory(err, path);
    if (n_pairs > TL_MAX_PAIRS ||
        !parse_pairs(data + TL_FILE_FIXED_BYTES, data + bytes - 8, n_pairs, &run, text)) {
        free(text);
        return tl_fail(err, TL_ERR_CORRUPT,
                       "%s:%d: the description of the run breaks the rules of the format", path,
                       TL_FILE_FIXED_BYTES);
    }
    *out = (tl_run_header){.run = run, .bytes = bytes, .seed = seed, .text = text};
    return TL_OK;
}

tl_status tl_run_read(int fd, const char *path, tl_run_header *out, tl_error *err)
{
    uint8_t fixed[TL_FILE_FIXED_BYTES] = {0};
    ssize_t got = pread(fd, fixed, sizeof fixed, 0);
    if (got < 0)
        return tl_fail_errno(err, "%s:0: cannot be read", path);
    if (!got)
        return tl_fail(err, TL_ERR_NOT_A_TRACE,
                       "%s:0: is empty; give a file that 'timeless record' wrote", path);
    if (got < (ssize_t)sizeof fixed) {
        bool starts_well = !memcmp(fixed, TL_FILE_MAGIC,
                                   got < TL_FILE_MAGIC_BYTES ? (size_t)got : TL_FILE_MAGIC_BYTES);
        return starts_well
                   ? tl_fail(err, TL_ERR_TRUNCATED,
                             "%s:%zd: ends within the file header; record the run again", path, got)
                   : tl_fail(err, TL_ERR_NOT_A_TRACE,
                             "%s:0: is not a Timeless trace; give a file that 'timeless record' "
                             "wrote",
                             path);
    }
    TL_TRY(check_fixed(fixed, path, err));
    uint32_t bytes = tl_load32(fixed + 12);
    uint8_t *data = malloc(bytes);
    if (!data)
        return tl_no_memory(err, path);
    tl_status status = tl_read_at(fd, 0, data, bytes);
    if (status == TL_ERR_TRUNCATED)
        tl_error_set(err, status, "%s: ends within the file header; record the run again", path);
    else if (status)
        tl_error_set_errno(err, "%s:0: cannot be read", path);
    else
        status = parse_header(data, bytes, path, out, err);
    free(data);
    return status;
}

void tl_run_free(tl_run_header *header)
{
    free(header->text);
    header->text = NULL;
}
