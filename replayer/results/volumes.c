/* volumes.c - what a trace states about volumes that it does not have as they were, as numbers. */
#include "config.h"

#include "volumes.h"

#include "json_text.h"

#include <inttypes.h>
#include <stdio.h>

/* What compress/pack.c writes. The texts are from a file, and may be anything. */
static int read_bursts(const char *text, uint64_t *sampled, uint64_t *rounded, uint64_t *all)
{
    return text && sscanf(text, "%" SCNu64 " sampled, %" SCNu64 " rounded, of %" SCNu64, sampled,
                          rounded, all) == 3;
}

void tlr_volumes_text(const char *volume_bursts, char *text, size_t size)
{
    uint64_t sampled, rounded, all;
    if (size)
        *text = 0;
    if (read_bursts(volume_bursts, &sampled, &rounded, &all))
        snprintf(text, size,
                 "%" PRIu64 " of %" PRIu64 " have the volume of another block; %" PRIu64
                 " were rounded instead",
                 sampled, all, rounded);
}

void tlr_volumes_json(json_t *root, const char *volume_sample, const char *volume_bursts)
{
    uint64_t kept, blocks, sampled, rounded, all;
    json_t *counts = json_object();
    if (volume_sample && *volume_sample)
        json_object_set_new(root, "volume_sample", tlr_json_text(volume_sample));
    if (volume_bursts && *volume_bursts)
        json_object_set_new(root, "volume_bursts", tlr_json_text(volume_bursts));
    if (volume_sample && sscanf(volume_sample, "%" SCNu64 " of %" SCNu64, &kept, &blocks) == 2) {
        json_object_set_new(counts, "kept_blocks", json_integer((json_int_t)kept));
        json_object_set_new(counts, "blocks", json_integer((json_int_t)blocks));
    }
    if (read_bursts(volume_bursts, &sampled, &rounded, &all)) {
        json_object_set_new(counts, "sampled_bursts", json_integer((json_int_t)sampled));
        json_object_set_new(counts, "rounded_bursts", json_integer((json_int_t)rounded));
        json_object_set_new(counts, "bursts", json_integer((json_int_t)all));
    }
    if (json_object_size(counts))
        json_object_set_new(root, "volume_counts", counts);
    else
        json_decref(counts);
}

void tlr_recorded_json(json_t *root, const char *selection, const tl_recorded_share *share)
{
    if (!selection || !*selection)
        return;
    json_object_set_new(root, "recorded_in_part", tlr_json_text(selection));
    if (share->all >= 0)
        json_object_set_new(root, "recorded_share",
                            json_pack("{s:f,s:f,s:f}", "all", share->all, "least", share->least,
                                      "most", share->most));
}
