/* reader.h - the contents of an open trace.  scan.c finds them in the file and reader.c arranges
 * them by rank; the cursor reads the payloads (payload.c). */
#ifndef TL_READER_H
#define TL_READER_H

#include "core/definitions.h"
#include "core/frame.h"
#include "programs/program.h"
#include "core/run.h"

/* The place of a chunk's payload: in a chunk of its own, or in a block. */
typedef struct tl_payload_ref {
    uint64_t offset; /* of the chunk in the file */
    uint32_t index;  /* in the block, if it is one */
    bool in_block;
} tl_payload_ref;

/* A frame in a block to which others may refer, and hashes of its content. */
typedef struct tl_base {
    uint64_t offset; /* of the block */
    uint64_t same;   /* hash of its streams but for volumes and clocks */
    uint64_t volumes;
    uint32_t index; /* in the block */
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
    bool is_shared; /* it is that of one chunk, and of all ranks that have this chunk alone */
    uint64_t check; /* a second hash of it */
} tl_owned_definitions;

/* A rank that appears in the file. */
typedef struct tl_part {
    uint32_t rank;
    uint32_t next_sequence;
    struct {
        uint64_t n_events, volume, clock_ns;
        tl_end_reason end;
    } summary; /* but for what the definitions tell */
    uint32_t n_frames;
    size_t first_frame, first_extra;
    uint32_t n_extras;
    bool has_definitions;
    bool kept_open; /* a slot of the open frames is its */
    uint64_t n_recovered;
    const tl_definitions *definitions; /* one of the reader's; those of other ranks, too */
    uint64_t alike[2];  /* hash of its events without their volumes and clocks, and with volumes */
    uint32_t leader[2]; /* least rank with the same */
    bool named;         /* a damage has been reported for it */
    tl_error *damage;   /* NULL: none; otherwise it stands after the last intact event */
} tl_part;

typedef struct tl_region {
    uint64_t from, to;
} tl_region;

struct tl_reader {
    int fd;
    char *path;
    uint64_t file_bytes;
    tl_buffer recovered; /* chunks that follow those of the file: what killed ranks kept open */
    tl_run_header header;
    tl_pool pool;
    uint32_t *part_of_rank; /* index + 1; 0: the file holds nothing of it */
    size_t n_part_of_rank;  /* ranks that it has room for */
    tl_owned_definitions **definitions;
    size_t n_definitions, definitions_capacity;
    tl_part **parts;
    size_t n_parts, parts_capacity;
    tl_frame_ref *frames; /* in the end grouped by part, each in order */
    size_t n_frames, frames_capacity;
    tl_extra_ref *extras; /* likewise */
    size_t n_extras, extras_capacity;
    tl_base *bases; /* in the order of the file */
    size_t n_bases, bases_capacity;
    tl_error *damages;
    size_t n_damages, damages_capacity;
    tl_region *regions; /* bytes of the file that belong to no intact chunk, in order */
    size_t n_regions, regions_capacity;
    size_t n_local_damages; /* those that begin in a chunk whose rank is known */
    bool complete;
    const tl_program_kind *kind; /* NULL: a file */
    void *program;
    tl_program_face face;
};

/* Reads the chunk at `offset` again and unpacks it into *raw. Adds the number of bytes that were
 * read from the file to *n_read. */
tl_status tl_payload_read(const tl_reader *r, uint64_t offset, tl_buffer *raw, uint64_t *n_read);
/* Reads exactly this many bytes of the file, or of the recovered chunks that follow it. */
tl_status tl_reader_read_at(const tl_reader *r, uint64_t offset, void *data, size_t size);
/* The frame to which another one in a block refers; NULL if it does not exist. */
const tl_base *tl_reader_base(const tl_reader *r, uint64_t offset, uint32_t index);

/* The part of a rank; NULL if the file contains nothing of it. */
tl_part *tl_reader_part(const tl_reader *r, uint32_t rank);
/* A communicator that a rank has defined; NULL if it has not. (WORLD and SELF are never defined.)
 */
const tl_comm *tl_reader_comm(const tl_reader *r, uint32_t rank, uint32_t id);
/* A call site that a rank has defined; NULL if it has not. */
const tl_site *tl_reader_site(const tl_reader *r, uint32_t rank, uint32_t id);

#endif
