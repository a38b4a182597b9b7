/* volumes.c - what a trace states about volumes that it does not have as they were, as numbers. */
#include "config.h"

#include "volumes.h"

#include "json_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The numbers of a text such as "900 sampled, 0 rounded, of 1000", which compress/pack.c writes: so
 * many, with the words between them. The text is from a file, and may be anything. */
static int read_counts(const char *text, const char *const *words, size_t n, uint64_t *out)
{
    for (size_t i = 0; text && i < n; i++) {
        char *end;
        errno = 0;
        if (!isdigit((unsigned char)*text))
            return 0;
        out[i] = strtoull(text, &end, 10);
        const size_t length = strlen(words[i]);
        if (errno || strncmp(end, words[i], length) != 0)
            return 0;
        text = end + length;
    }
    return text && !*text;
}

static int read_bursts(const char *text, uint64_t out[3])
{
    static const char *const words[] = {" sampled, ", " rounded, of ", ""};
    return read_counts(text, words, 3, out);
}

static int read_blocks(const char *text, uint64_t out[2])
{
    static const char *const words[] = {" of ", ""};
    return read_counts(text, words, 2, out);
}

static void set_count(json_t *object, const char *name, uint64_t n)
{
    json_object_set_new(object, name, tlr_json_unsigned(n));
}

void tlr_volumes_text(const char *volume_bursts, char *text, size_t size)
{
    uint64_t n[3];
    if (size)
        *text = 0;
    if (read_bursts(volume_bursts, n))
        snprintf(text, size,
                 "%" PRIu64 " of %" PRIu64 " have the volume of another block; %" PRIu64
                 " were rounded instead",
                 n[0], n[2], n[1]);
}

void tlr_volumes_json(json_t *root, const char *volume_sample, const char *volume_bursts)
{
    uint64_t blocks[2], bursts[3];
    json_t *counts = json_object();
    if (volume_sample && *volume_sample)
        json_object_set_new(root, "volume_sample", tlr_json_text(volume_sample));
    if (volume_bursts && *volume_bursts)
        json_object_set_new(root, "volume_bursts", tlr_json_text(volume_bursts));
    if (read_blocks(volume_sample, blocks)) {
        set_count(counts, "kept_blocks", blocks[0]);
        set_count(counts, "blocks", blocks[1]);
    }
    if (read_bursts(volume_bursts, bursts)) {
        set_count(counts, "sampled_bursts", bursts[0]);
        set_count(counts, "rounded_bursts", bursts[1]);
        set_count(counts, "bursts", bursts[2]);
    }
    if (json_object_size(counts))
        json_object_set_new(root, "volume_counts", counts);
    else
        json_decref(counts);
}
