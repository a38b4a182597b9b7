/* codec_memory.c - the memory of a frame, which encoder and decoder share, and the predictions from
 * it. */
#include "codec.h"

void tl_codec_init(tl_codec *codec, uint32_t rank)
{
    codec->rank = rank;
    codec->end_known = codec->no_times = false;
    codec->end_ns = 0;
    tl_codec_reset(codec);
}

void tl_codec_reset(tl_codec *codec)
{
    codec->n_contexts = 1;
    codec->n_values = codec->n_list = 0;
    codec->last = codec->before_last = 0;
    codec->clock_ns = codec->peer = 0;
    codec->run = codec->same_volumes = 0;
    codec->n_bytes = codec->check = 0;
    codec->n_events = codec->recent = 0;
    codec->match = 0;
    memset(codec->seen, 0, sizeof codec->seen);
    memset(codec->hashed, 0, sizeof codec->hashed);
    memset(codec->followed, 0, sizeof codec->followed);
    codec->n_noted = codec->n_useful = 0;
    codec->hopeless = false;
    memset(codec->exceptions, 0, sizeof codec->exceptions);
    codec->contexts[0] = (tl_context){0};
}

/* ---- contexts ---- */

unsigned tl_codec_count_values(uint32_t slots)
{
    uint32_t plain =
        slots & ~(uint32_t)(TL_SLOT_CLOCK | TL_SLOT_LIST | TL_SLOT_TOOK | TL_RELATIVE | TL_AT_END);
    return 1 + (unsigned)__builtin_popcount(plain) + (slots & TL_SLOT_LIST ? 1 + TL_LIST_HEAD : 0);
}

bool tl_codec_has_room(const tl_codec *codec, unsigned n_values)
{
    return codec->n_contexts < TL_MAX_CONTEXTS && codec->n_values + n_values <= TL_MAX_VALUES;
}

/* The streams that contain the values of a context with these slots, in the order of the values. */
static uint64_t find_streams(uint32_t slots)
{
    static const struct {
        uint32_t slot;
        uint8_t stream;
    } order[] = {
        {TL_SLOT_PEER, TL_STREAM_PEERS},      {TL_SLOT_TAG, TL_STREAM_NAMES},
        {TL_SLOT_RECV_PEER, TL_STREAM_PEERS}, {TL_SLOT_RECV_TAG, TL_STREAM_NAMES},
        {TL_SLOT_COMM, TL_STREAM_NAMES},      {TL_SLOT_COUNT, TL_STREAM_COUNTS},
        {TL_SLOT_TYPE, TL_STREAM_TYPES},      {TL_SLOT_RECV_COUNT, TL_STREAM_COUNTS},
        {TL_SLOT_RECV_TYPE, TL_STREAM_TYPES}, {TL_SLOT_REQUEST, TL_STREAM_NAMES},
        {TL_SLOT_NEW_COMM, TL_STREAM_NAMES},  {TL_SLOT_FLAGS, TL_STREAM_NAMES},
        {TL_SLOT_LIST, TL_STREAM_NAMES},      {TL_SLOT_LIST, TL_STREAM_ELEMENTS},
        {TL_SLOT_LIST, TL_STREAM_ELEMENTS},   {TL_SLOT_LIST, TL_STREAM_ELEMENTS},
    };
    uint64_t streams = 0;
    unsigned n = 1;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (slots & order[i].slot)
            streams |= (uint64_t)(order[i].stream - TL_STREAM_POLLS) << 3 * n++;
    return streams;
}

uint32_t tl_codec_add_context(tl_codec *codec, uint16_t call, uint32_t site, uint32_t slots)
{
    unsigned n_values = tl_codec_count_values(slots);
    codec->contexts[codec->n_contexts] = (tl_context){.call = call,
                                                      .streams = find_streams(slots),
                                                      .site = site,
                                                      .slots = slots,
                                                      .n_values = (uint8_t)n_values,
                                                      .n_unsettled = (uint8_t)n_values,
                                                      .first_value = (uint16_t)codec->n_values,
                                                      .peer_at = slots & TL_SLOT_PEER ? 1 : 0};
    memset(&codec->values[codec->n_values], 0, n_values * sizeof *codec->values);
    codec->n_values += n_values;
    return codec->n_contexts++;
}

/* ---- values ---- */

void tl_codec_add_exception(tl_codec *codec, tl_exception set[TL_EXCEPTION_WAYS], uint32_t check,
                            uint64_t value)
{
    if (++codec->n_noted % TL_NOTED_TRIAL == 0 && codec->n_useful < codec->n_noted / 4)
        codec->hopeless = true;
    /* Each one takes the next place, until an empty place takes one, or the last one is dropped. */
    tl_exception moved = {.value = value, .check = check};
    for (unsigned i = 0; i < TL_EXCEPTION_WAYS && moved.check; i++) {
        const tl_exception before = set[i];
        set[i] = moved;
        moved = before;
    }
}

/* ---- lists ---- */

uint64_t tl_codec_predict_element(const tl_codec *codec, const tl_context *c, const int64_t *tail,
                                  uint32_t i)
{
    if (i < c->list_len)
        return (uint64_t)codec->list[c->list_first + i];
    return (uint64_t)tail[(int64_t)i - 1]; /* i = 0: the last element of the head */
}

void tl_codec_remember_tail(tl_codec *codec, tl_context *c, const int64_t *tail, uint32_t n)
{
    if (n > c->list_capacity) {
        uint32_t capacity = 4;
        while (capacity < n)
            capacity *= 2;
        if (capacity <= TL_MAX_REMEMBERED - codec->n_list) {
            c->list_first = (uint16_t)codec->n_list;
            c->list_capacity = (uint16_t)capacity;
            codec->n_list += capacity;
        }
    }
    c->list_len = (uint16_t)(n < c->list_capacity ? n : c->list_capacity);
    memcpy(&codec->list[c->list_first], tail, c->list_len * sizeof *tail);
}

/* ---- frames ---- */

bool tl_frame_join(const tl_buffer streams[TL_N_STREAMS], tl_buffer *raw)
{
    size_t size = (size_t)TL_N_STREAMS * TL_VARINT_MAX_BYTES;
    for (int i = 0; i < TL_N_STREAMS; i++)
        size += streams[i].size;
    raw->size = 0;
    if (!tl_buffer_reserve(raw, size))
        return false;
    for (int i = 0; i < TL_N_STREAMS; i++)
        tl_buffer_put_varint(raw, streams[i].size);
    for (int i = 0; i < TL_N_STREAMS; i++)
        tl_buffer_put(raw, streams[i].data, streams[i].size);
    return true;
}

bool tl_frame_split(const uint8_t *raw, size_t size, tl_input streams[TL_N_STREAMS])
{
    tl_input in = {.p = raw, .end = raw + size};
    uint64_t lengths[TL_N_STREAMS];
    for (int i = 0; i < TL_N_STREAMS; i++)
        lengths[i] = tl_get_varint(&in);
    for (int i = 0; i < TL_N_STREAMS; i++) {
        if (in.bad || lengths[i] > (size_t)(in.end - in.p))
            return false;
        streams[i] = (tl_input){.p = in.p, .end = in.p + lengths[i]};
        in.p += lengths[i];
    }
    return in.p == in.end;
}
