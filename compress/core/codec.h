/* codec.h - encodes and decodes events, one frame at a time (doc/FORMAT.md, "Frames of events").
 *
 * Both sides keep the same memory of the frame so far (codec_memory.c) and predict the next event
 * from it. Only the differences from the prediction are written. A frame starts with an empty
 * memory. */
#ifndef TL_CODEC_H
#define TL_CODEC_H

#include "bytes.h"
#include "format.h"
#include "timeless.h"

#include <stdbool.h>

/* Similar data is stored together, so that zstd compresses it well. */
enum tl_stream {
    TL_STREAM_CONTROL, /* which context, and whether a value differs from its prediction */
    TL_STREAM_MASKS,   /* which values differ */
    TL_STREAM_POLLS,   /* differences of slots, in this and the next streams: polls, ... */
    TL_STREAM_PEERS,
    TL_STREAM_NAMES, /* tags, communicators, requests, flags, lengths of lists */
    TL_STREAM_COUNTS,
    TL_STREAM_TYPES,
    TL_STREAM_ELEMENTS, /* of the heads of lists */
    TL_STREAM_LISTS,    /* elements of lists beyond the head */
    TL_STREAM_VOLUMES,
    TL_STREAM_CLOCKS,
    TL_N_STREAMS,
    TL_N_SAME_STREAMS = TL_STREAM_VOLUMES /* streams before this one have no volumes and clocks */
};

enum { TL_MAX_CONTEXT_VALUES = 1 + 12 + 1 + TL_LIST_HEAD }; /* polls, slots, length, head */

/* Control byte. */
enum {
    TL_HOW_PREDICTED = 0, /* the context that followed an equal history */
    TL_HOW_FOLLOWED = 1,  /* the context that followed the last two contexts last time */
    TL_HOW_KNOWN = 2,     /* the number of a context follows */
    TL_HOW_NEW = 3,       /* a new context: its call, site and slots follow */
    TL_HOW_MASK = 3,
    TL_SURPRISE = 4, /* a mask of the values that differ from their predictions follows */
    TL_RUN = 8,      /* a number of events are as predicted: bits 4-7, or a varint */
    TL_RUN_SHIFT = 4,
    TL_RUN_LONG = 15
};

/* The memory of one value of a context. There are three predictions: the last value plus the stride
 * (straight), and the value of an exception: if the stride was wrong in an equal situation before,
 * the value that came then. A situation is the last two values (past), or the last peer (peer). */
typedef struct tl_remembered {
    uint64_t last, delta;
    uint64_t stride; /* the last difference that came twice */
    uint8_t settled; /* number of right predictions by stride in a row, at most TL_SETTLED */
    uint8_t straight_score, past_score, peer_score; /* recent success of each prediction */
} tl_remembered;

/* The value that came in a situation where the stride was wrong. */
typedef struct tl_exception {
    uint64_t value;
    uint32_t check; /* of the situation; 0: unused */
} tl_exception;

/* A context: the calls of one kind at one call site, and their remembered values. */
typedef struct tl_context {
    uint16_t call;
    uint8_t n_values;
    uint8_t n_unsettled;
    uint32_t site;
    uint32_t slots; /* TL_SLOT_* that are stored, and TL_RELATIVE, TL_AT_END */
    uint16_t first_value;
    uint8_t peer_at;                              /* index of the value that is the peer, or 0 */
    bool is_to_or_from;                           /* on MPI_COMM_WORLD, its peers are relative */
    uint16_t list_first, list_capacity, list_len; /* remembered elements beyond the head */
    uint64_t streams; /* of its values, 3 bits each from TL_STREAM_POLLS, the first one lowest */
    uint64_t volume;
} tl_context;

/* An encoder or decoder of the events of one rank. */
typedef struct tl_codec {
    uint32_t rank;
    bool end_known;
    bool no_times;       /* encoder: took_ns is ignored */
    uint64_t end_ns;     /* clock at the rank's end, if it is known */
    uint32_t n_contexts; /* entry 0 stands for the start of the frame */
    uint32_t n_values, n_list;
    uint32_t last, before_last; /* contexts of the last two events */
    uint64_t clock_ns;          /* of the last event that had one */
    uint64_t peer;              /* the last peer, as stored */
    uint64_t run;          /* events as predicted: encoder: not yet written; decoder: to come */
    uint64_t same_volumes; /* the same for volumes that did not change */
    size_t n_bytes;        /* encoder: bytes of this frame so far */
    uint64_t check;        /* encoder: a hash of the events of this frame */
    uint16_t hashed[2 * TL_MAX_CONTEXTS];   /* encoder: contexts by call and site */
    uint16_t followed[2 * TL_MAX_CONTEXTS]; /* context that followed the last two */
    uint32_t n_events;
    uint32_t recent;              /* a hash of the last four contexts */
    uint16_t match;               /* 1 + place in the history after an equal series; 0: none */
    uint16_t history[TL_HISTORY]; /* contexts of the last events */
    uint16_t seen[TL_MAX_SEEN];   /* by `recent`: 1 + the place after it in the history */
    tl_context contexts[TL_MAX_CONTEXTS];
    uint32_t n_noted, n_useful; /* exceptions; values that an exception predicted */
    bool hopeless;              /* exceptions are not worth their time in this frame */
    tl_exception exceptions[TL_EXCEPTION_SETS][TL_EXCEPTION_WAYS];
    tl_remembered values[TL_MAX_VALUES];
    int64_t list[TL_MAX_REMEMBERED];
} tl_codec;

/* Adds a number to a hash. It has only three instructions, because the tracer does this for each
 * number that it writes. It detects lost bytes, but not bytes that an attacker has chosen. */
static inline uint64_t tl_check_mix(uint64_t hash, uint64_t v)
{
    return (hash + v + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* Prepares a codec. The clock at the end of the rank is unknown. */
void tl_codec_init(tl_codec *codec, uint32_t rank);
/* Begins a frame: clears the memory. */
void tl_codec_reset(tl_codec *codec);

/* Appends an event. Returns false and writes nothing if its context does not fit into this frame;
 * the caller then writes the frame and begins the next one. Each stream must have room for
 * TL_EVENT_MAX_BYTES, and TL_STREAM_LISTS also for TL_VARINT_MAX_BYTES for each element. */
bool tl_codec_put(tl_codec *codec, tl_buffer streams[TL_N_STREAMS], const tl_event *event,
                  const tl_call_info *row);
/* Ends a frame: writes the numbers that are still counted. */
void tl_codec_finish(tl_codec *codec, tl_buffer streams[TL_N_STREAMS]);
enum { TL_EVENT_MAX_BYTES = 256 };

/* Takes the next event.  `list` grows as needed and holds event->list. */
tl_status tl_codec_get(tl_codec *codec, tl_input streams[TL_N_STREAMS], tl_event *event,
                       tl_buffer *list);
/* Whether all streams are used up, after the last event of a frame. */
bool tl_codec_is_used_up(const tl_codec *codec, const tl_input streams[TL_N_STREAMS]);

/* Convert between the streams and one piece: the lengths of all streams, then the streams. */
bool tl_frame_join(const tl_buffer streams[TL_N_STREAMS], tl_buffer *raw);
bool tl_frame_split(const uint8_t *raw, size_t size, tl_input streams[TL_N_STREAMS]);

/* ---- the memory that both sides share ---- */

unsigned tl_codec_count_values(uint32_t slots);
static inline unsigned tl_stream_of(uint64_t streams, unsigned value)
{
    return TL_STREAM_POLLS + (unsigned)(streams >> 3 * value & 7);
}
bool tl_codec_has_room(const tl_codec *codec, unsigned n_values);
uint32_t tl_codec_add_context(tl_codec *codec, uint16_t call, uint32_t site, uint32_t slots);

static inline uint16_t *tl_codec_followed(tl_codec *codec)
{
    return &codec->followed[(codec->before_last * 67 + codec->last) % (2 * TL_MAX_CONTEXTS)];
}

/* The context that should come next; 0: none. */
static inline uint32_t tl_codec_predicted(tl_codec *codec)
{
    return codec->match ? codec->history[codec->match - 1] : *tl_codec_followed(codec);
}

/* Updates the order of contexts after an event in `context`. */
static inline void tl_codec_advance(tl_codec *codec, uint32_t context)
{
    *tl_codec_followed(codec) = (uint16_t)context;
    codec->before_last = codec->last;
    codec->last = context;
    bool right = codec->match && codec->history[codec->match - 1] == context;
    codec->history[codec->n_events % TL_HISTORY] = (uint16_t)context;
    codec->n_events++;
    codec->recent = codec->recent << 8 ^ context;
    uint16_t *seen = &codec->seen[codec->recent * UINT32_C(0x9e3779b1) >> (32 - TL_SEEN_BITS)];
    codec->match = (uint16_t)(right ? codec->match % TL_HISTORY + 1 : *seen);
    *seen = (uint16_t)(codec->n_events % TL_HISTORY + 1);
}

/* The clock from which the clock of an event is counted. */
static inline uint64_t tl_codec_clock_base(const tl_codec *codec, const tl_context *c)
{
    return c->slots & TL_AT_END ? codec->end_ns : codec->clock_ns;
}

/* Adds an exception at the front of its set. The situation must not have one. */
void tl_codec_add_exception(tl_codec *codec, tl_exception set[TL_EXCEPTION_WAYS], uint32_t check,
                            uint64_t value);

/* The prediction of element i of the tail of a list: the remembered element at this place,
 * otherwise the element before it. */
uint64_t tl_codec_predict_element(const tl_codec *codec, const tl_context *c, const int64_t *tail,
                                  uint32_t i);
void tl_codec_remember_tail(tl_codec *codec, tl_context *c, const int64_t *tail, uint32_t n);

/* Whether peers of the call are stored as distances from the own rank, because many ranks have
 * equal calls to their neighbours. Roots are not: they do not depend on the own rank. */
static inline bool tl_may_have_neighbours(uint32_t slots, tl_action action)
{
    switch (action) {
    case TL_ACTION_SEND:
    case TL_ACTION_RECV:
    case TL_ACTION_SENDRECV:
    case TL_ACTION_ISEND:
    case TL_ACTION_IRECV:
    case TL_ACTION_SEND_INIT:
    case TL_ACTION_RECV_INIT:
    case TL_ACTION_PROBE: return slots & TL_SLOT_PEER && slots & TL_SLOT_COMM;
    default: return false;
    }
}

static inline bool tl_has_neighbours(const tl_event *event, const tl_call_info *row)
{
    return event->comm == TL_COMM_WORLD && tl_may_have_neighbours(row->slots, row->action);
}

static inline uint32_t tl_tail_len(uint32_t list_len)
{
    return list_len > TL_LIST_HEAD ? list_len - TL_LIST_HEAD : 0;
}

/* A duration in a file. A program may have set it to anything. */
#define TL_MAX_TOOK_NS (UINT64_C(1) << 63)
static inline uint64_t tl_took_ns(const tl_event *event)
{
    const float ns = event->took_ns;
    return !(ns >= 1) ? 0 : ns < (float)TL_MAX_TOOK_NS ? (uint64_t)ns : TL_MAX_TOOK_NS;
}

static inline uint64_t tl_widen(int32_t v)
{
    return (uint64_t)(int64_t)v;
}

#endif
