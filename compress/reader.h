/* reader.h - the contents of an open trace: where its frames and definitions are.  scan.c finds
 * them in the file, reader.c arranges them by rank, and the cursor reads their payloads
 * (payload.c). */
#ifndef TL_READER_H
#define TL_READER_H

#include "core/definitions.h"
#include "core/frame.h"
#include "programs/program.h"
#include "core/run.h"

#include <stdbool.h>

/* The place of a chunk's payload: in a chunk of its own, or in a block. */
typedef struct tl_payload_ref {
    uint64_t offset; /* of the chunk in the file */
    uint32_t index;  /* in the block, if it is one */
    bool in_block;
} tl_payload_ref;

/* A frame in a block, to which other frames may refer, with hashes of its content. */
typedef struct tl_base {
    uint64_t offset;  /* of the block */
    uint64_t same;    /* hash of its streams without volumes and clocks */
    uint64_t volumes; /* hash of its volumes */
    uint32_t index;   /* in the block */
} tl_base;

/* An intact frame of events. */
typedef struct tl_frame_ref {
    tl_payload_ref payload;
    uint64_t first_event;
    uint32_t part; /* index in tl_reader.parts */
    uint32_t n_events;
} tl_frame_ref;

/* An intact chunk of another type: definitions, or a type that this version does not know. */
typedef struct tl_extra_ref {
    tl_payload_ref payload;
    uint32_t part; /* index in tl_reader.parts */
    uint8_t type;
} tl_extra_ref;

/* The definitions of one or more ranks. */
typedef struct tl_owned_definitions {
    tl_definitions d;
    bool is_shared; /* it has one chunk, and serves all ranks that have only this chunk */
    uint64_t check; /* a second hash of the chunk */
} tl_owned_definitions;

/* A rank that appears in the file. */
typedef struct tl_part {
    uint32_t rank;
    uint32_t next_sequence;
    struct {
        uint64_t n_events, volume, clock_ns;
        tl_end_reason end;
    } summary; /* without the members that come from definitions */
    uint32_t n_frames;
    size_t first_frame, first_extra;
    uint32_t n_extras;
    bool has_definitions;
    bool kept_open; /* PATH.open has a slot for it */
    uint64_t n_recovered;
    const tl_definitions *definitions; /* owned by the reader; several ranks may share it */
    uint64_t alike[2];  /* hashes of its events: without volumes and clocks; with volumes */
    uint32_t leader[2]; /* the smallest rank with the same hash */
    bool named;         /* a damage was reported for it */
    tl_error *damage;   /* the damage after its last intact event; NULL: none */
} tl_part;

typedef struct tl_region {
    uint64_t from, to;
} tl_region;

struct tl_reader {
    int fd;
    bool is_goal; /* the file is a schedule of GOAL, of which no cursor reads events */
    char *path;
    uint64_t file_bytes;
    tl_buffer recovered; /* chunks from PATH.open; their offsets follow those of the file */
    tl_run_header header;
    tl_pool pool;
    uint32_t *part_of_rank; /* 1 + index; 0: the file has nothing of the rank */
    size_t n_part_of_rank;  /* number of its elements */
    tl_owned_definitions **definitions;
    size_t n_definitions, definitions_capacity;
    tl_part **parts;
    size_t n_parts, parts_capacity;
    /* After the scan, frames and extras are grouped by part, in the order of the file. */
    tl_frame_ref *frames;
    size_t n_frames, frames_capacity;
    tl_extra_ref *extras;
    size_t n_extras, extras_capacity;
    tl_base *bases; /* in the order of the file */
    size_t n_bases, bases_capacity;
    tl_error *damages;
    size_t n_damages, damages_capacity;
    tl_region *regions; /* bytes of the file that belong to no intact chunk, in order */
    size_t n_regions, regions_capacity;
    size_t n_local_damages; /* number of damages that begin in a chunk whose rank is known */
    bool complete;
    const tl_program_kind *kind; /* NULL: a file */
    void *program;
    tl_program_face face;
};

/* Reads the chunk at `offset` again and unpacks it into *raw. Adds the number of bytes that were
 * read from the file to *n_read. */
tl_status tl_payload_read(const tl_reader *r, uint64_t offset, tl_buffer *raw, uint64_t *n_read);
/* Reads exactly `size` bytes of the file, or of the recovered chunks. */
tl_status tl_reader_read_at(const tl_reader *r, uint64_t offset, void *data, size_t size);
/* The frame in a block to which another frame refers; NULL if it does not exist. */
const tl_base *tl_reader_base(const tl_reader *r, uint64_t offset, uint32_t index);

/* Behind a loop over tl_cursor_next, which ended with `status`: TL_OK at the end of the events. An
 * error of the cursor is copied; one of the loop stays. */
tl_status tl_cursor_end(const tl_cursor *c, tl_status status, tl_error *err);

/* The part of a rank; NULL if the file contains nothing of it. */
tl_part *tl_reader_part(const tl_reader *r, uint32_t rank);
/* A communicator that a rank has defined; NULL: it has not. (WORLD and SELF are never defined.) */
const tl_comm *tl_reader_comm(const tl_reader *r, uint32_t rank, uint32_t id);
/* A call site that a rank has defined; NULL if it has not. */
const tl_site *tl_reader_site(const tl_reader *r, uint32_t rank, uint32_t id);

#endif
