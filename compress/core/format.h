/* format.h - the numbers of the trace file, as doc/FORMAT.md states them. */
#ifndef TL_FORMAT_H
#define TL_FORMAT_H

#include <stdint.h>

enum { TL_FORMAT_MAJOR = 1, TL_FORMAT_MINOR = 12 };

/* File header. */
#define TL_FILE_MAGIC "\x89TLS\r\n\x1a\n"
enum {
    TL_FILE_MAGIC_BYTES = 8,
    TL_FILE_FIXED_BYTES = 24, /* before the pairs */
    TL_FILE_HEADER_MAX_BYTES = 1 << 20,
    TL_MAX_PAIRS = 1024
};

/* Chunks. */
#define TL_CHUNK_MAGIC "TLck"
enum {
    TL_CHUNK_MAGIC_BYTES = 4,
    TL_CHUNK_HEADER_BYTES = 56,
    TL_CHUNK_DEFINITIONS = 1,
    TL_CHUNK_EVENTS = 2,
    TL_CHUNK_END = 3,
    TL_CHUNK_BLOCK = 4,
    TL_CHUNK_OPTIONAL = 0x80, /* bit of types that a reader may skip */
    TL_CHUNK_INDEX = 0x81,
    TL_PACKING_NONE = 0,
    TL_PACKING_ZSTD = 1,
    TL_END_PAYLOAD_BYTES = 12
};

/* Definitions. */
enum {
    TL_DEFINE_HOST = 1,
    TL_DEFINE_COMM = 2,
    TL_DEFINE_SITE = 3,
    TL_DEFINE_KERNEL = 4,
    TL_DEFINE_COUNTER = 5,
    TL_DEFINE_REMARK = 6,
    TL_DEFINE_CLOCK = 7,
    TL_DEFINE_OBJECT = 8
};

/* Limits. */
#define TL_MAX_RANKS (UINT32_C(1) << 24)
#define TL_MAX_LIST (UINT32_C(1) << 22)
#define TL_MAX_CHUNK_RAW_BYTES (UINT32_C(64) << 20)
enum {
    TL_FRAME_BYTES = 60 * 1024, /* a frame that has reached this is written */
    TL_FRAME_EVENTS = 1 << 16,  /* or this: what a killed run may lose */
    TL_MAX_FRAME_EVENTS = 1 << 20,
    TL_MAX_BLOCK_BYTES = 512 * 1024,
    TL_MAX_BLOCK_CHUNKS = 1024,
    TL_FREE_RAW_BYTES = 64 * 1024,
    TL_MAX_EXPANSION = 1024,    /* beyond TL_FREE_RAW_BYTES raw <= this * stored */
    TL_MAX_TEXT_BYTES = 1 << 16 /* host and object names */
};

/* Codec: the memory of one frame. */
enum {
    TL_MAX_CONTEXTS = 512,
    TL_MAX_VALUES = 2560,
    TL_MAX_REMEMBERED = 4096,
    TL_HISTORY = 8192,
    TL_SEEN_BITS = 11,
    TL_MAX_SEEN = 1 << TL_SEEN_BITS,
    TL_EXCEPTION_BITS = 9,
    TL_EXCEPTION_SETS = 1 << TL_EXCEPTION_BITS,
    TL_EXCEPTION_WAYS = 4,
    TL_LIST_HEAD = 3, /* elements of a list that are predicted as slots are */
    TL_SETTLED = 32,
    TL_NOTED_TRIAL = 4096, /* exceptions after which their use is judged */
    TL_MAX_SCORE = 15,
    /* Bits of a context's slots: */
    TL_RELATIVE = 1 << 20, /* peers count from one's own rank */
    TL_AT_END = 1 << 21    /* clocks count from that of the rank's end */
};

#endif
