/* reader.h - what reader.c found in a file, for the cursor. */
#ifndef TL_READER_H
#define TL_READER_H

#include "definitions.h"
#include "frame.h"
#include "run.h"

/* An intact frame of events. */
typedef struct tl_frame_ref {
    uint64_t offset; /* of its chunk in the file */
    uint64_t first_event;
    uint32_t part; /* index in tl_reader.parts */
    uint32_t n_events;
} tl_frame_ref;

/* A rank of which the file holds something. */
typedef struct tl_part {
    uint32_t rank;
    uint32_t next_sequence;
    tl_rank_summary summary;
    tl_definitions definitions;
    size_t first_frame, n_frames;
    bool named;      /* a damage has been reported for it */
    tl_error damage; /* status TL_OK: none; otherwise it stands after the last intact event */
} tl_part;

struct tl_reader {
    int fd;
    char *path;
    uint64_t file_bytes;
    tl_run_header header;
    tl_pool pool;
    tl_map part_of_rank; /* index + 1 */
    tl_part **parts;
    size_t n_parts, parts_capacity;
    tl_frame_ref *frames; /* in the end grouped by part, each in order */
    size_t n_frames, frames_capacity;
    tl_error *damages;
    size_t n_damages, damages_capacity;
    bool complete;
};

/* The part of a rank; NULL if the file holds nothing of it. */
tl_part *tl_reader_part(const tl_reader *r, uint32_t rank);
/* A communicator that a rank has defined; NULL if it has not (WORLD and SELF are never defined). */
const tl_comm *tl_reader_comm(const tl_reader *r, uint32_t rank, uint32_t id);
/* A call site that a rank has defined; NULL if it has not. */
const tl_site *tl_reader_site(const tl_reader *r, uint32_t rank, uint32_t id);

#endif
