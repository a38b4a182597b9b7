/* codec.h - events to bytes and back, one frame at a time (doc/FORMAT.md, "Frames of events").
 *
 * Both sides keep the same memory of the frame so far and predict the next event from it; only what
 * differs from the prediction is written.  A frame starts with an empty memory.
 */
#ifndef TL_CODEC_H
#define TL_CODEC_H

#include "bytes.h"
#include "format.h"
#include "timeless.h"

/* Like things lie together, so that zstd finds them. */
enum tl_stream {
    TL_STREAM_CONTROL, /* which context, what differs */
    TL_STREAM_VALUES,  /* differences of slots */
    TL_STREAM_VOLUMES,
    TL_STREAM_CLOCKS,
    TL_STREAM_LISTS, /* elements of lists beyond the head */
    TL_N_STREAMS
};

enum { TL_MAX_CONTEXT_VALUES = 1 + 12 + 1 + TL_LIST_HEAD }; /* polls, slots, length, head */

/* What a frame remembers of a slot of a context.  The stride follows once a difference repeats. */
typedef struct tl_remembered {
    uint64_t last, delta, stride;
} tl_remembered;

/* A call at a call site. */
typedef struct tl_context {
    uint16_t call;
    uint16_t successor; /* context that followed last time; 0: none yet */
    uint32_t site;
    uint32_t slots; /* TL_SLOT_* that are stored */
    uint16_t n_values;
    uint16_t first_value;
    uint16_t list_first, list_capacity, list_len; /* remembered elements beyond the head */
    uint64_t volume;
} tl_context;

typedef struct tl_codec {
    uint32_t n_contexts; /* entry 0 stands for the start of the frame */
    uint32_t n_values, n_list;
    uint32_t last, before_last;             /* contexts of the last two events */
    uint64_t clock_ns;                      /* of the last event that had one */
    uint16_t hashed[2 * TL_MAX_CONTEXTS];   /* encoder: contexts by call and site */
    uint16_t followed[2 * TL_MAX_CONTEXTS]; /* context that followed the last two */
    tl_context contexts[TL_MAX_CONTEXTS];
    tl_remembered values[TL_MAX_VALUES];
    int64_t list[TL_MAX_REMEMBERED];
} tl_codec;

void tl_codec_reset(tl_codec *codec);

/* Appends an event.  False: its context does not fit into this frame any more; nothing has been
 * written, write the frame and reset.  Each stream must have room for TL_EVENT_MAX_BYTES, and the
 * lists for TL_VARINT_MAX_BYTES an element. */
bool tl_codec_put(tl_codec *codec, tl_buffer streams[TL_N_STREAMS], const tl_event *event,
                  const tl_call_info *row);
enum { TL_EVENT_MAX_BYTES = 256 };

/* Takes the next event.  `list` grows as needed and holds event->list. */
tl_status tl_codec_get(tl_codec *codec, tl_input streams[TL_N_STREAMS], tl_event *event,
                       tl_buffer *list);

/* A frame as one piece: lengths of all streams, then the streams. */
bool tl_frame_join(const tl_buffer streams[TL_N_STREAMS], tl_buffer *raw);
bool tl_frame_split(const uint8_t *raw, size_t size, tl_input streams[TL_N_STREAMS]);

#endif
