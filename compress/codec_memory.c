/* codec_memory.c - the memory of a frame, which encoder and decoder share, and the predictions from
 * it. */
#include "codec.h"

void tl_codec_init(tl_codec *codec, uint32_t rank)
{
    codec->rank = rank;
    codec->end_known = false;
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
    codec->n_bytes = 0;
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
    uint32_t plain = slots & ~(uint32_t)(TL_SLOT_CLOCK | TL_SLOT_LIST | TL_RELATIVE | TL_AT_END);
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

/* The exception of a situation. A set has at most one of it. */
static inline tl_exception *find_exception(tl_exception set[TL_EXCEPTION_WAYS], uint32_t check)
{
    _Static_assert(TL_EXCEPTION_WAYS == 4, "one comparison for each");
    return set[0].check == check   ? &set[0]
           : set[1].check == check ? &set[1]
           : set[2].check == check ? &set[2]
           : set[3].check == check ? &set[3]
                                   : NULL;
}

static inline struct tl_place find_place(tl_codec *codec, uint64_t id, uint64_t a, uint64_t b)
{
    uint64_t h = id * UINT64_C(0x9e3779b97f4a7c15) + a * UINT64_C(0xc2b2ae3d27d4eb4f) +
                 b * UINT64_C(0x165667b19e3779f9);
    h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    tl_exception *set = codec->exceptions[h >> (64 - TL_EXCEPTION_BITS)];
    const uint32_t check = (uint32_t)h | 1;
    return (struct tl_place){.set = set, .found = find_exception(set, check), .check = check};
}

void tl_codec_guess(tl_codec *codec, uint32_t id, tl_guess *guess)
{
    const tl_remembered *r = &codec->values[id];
    const uint64_t straight = r->last + r->stride;
    guess->past = find_place(codec, 2 * (uint64_t)id, r->last, r->delta);
    guess->peer = find_place(codec, 2 * (uint64_t)id + 1, codec->peer, 0);
    guess->straight = straight;
    guess->by_past = guess->past.found ? guess->past.found->value : straight;
    guess->by_peer = guess->peer.found ? guess->peer.found->value : straight;
    guess->best = straight;
    uint8_t score = r->straight_score;
    if (r->past_score >= score) {
        guess->best = guess->by_past;
        score = r->past_score;
    }
    if (r->peer_score >= score)
        guess->best = guess->by_peer;
}

/* Keeps an exception of a situation that has none. */
static void add_exception(tl_codec *codec, struct tl_place *place, uint64_t value)
{
    unsigned n = 0; /* up to an empty place */
    while (n < TL_EXCEPTION_WAYS - 1 && place->set[n].check)
        n++;
    memmove(&place->set[1], &place->set[0], n * sizeof *place->set);
    if (++codec->n_noted % TL_NOTED_TRIAL == 0 && codec->n_useful < codec->n_noted / 4)
        codec->hopeless = true;
    place->set[0] = (tl_exception){.value = value, .check = place->check};
}

static inline void note(tl_codec *codec, struct tl_place *place, uint64_t value, bool is_exception)
{
    if (!place->found) {
        if (is_exception)
            add_exception(codec, place, value);
    } else if (place->found->value != value) {
        if (is_exception)
            place->found->value = value;
        else
            place->found->check = 0;
    }
}

static inline uint8_t new_score(uint8_t score, bool is_right)
{
    return (uint8_t)(!is_right ? (score + 1) / 2 : score < TL_MAX_SCORE ? score + 1 : score);
}

static void follow(tl_remembered *r, uint64_t value)
{
    uint64_t delta = value - r->last;
    if (delta == r->delta)
        r->stride = delta;
    r->delta = delta;
    r->last = value;
}

void tl_codec_learn(tl_codec *codec, tl_context *c, uint32_t id, tl_guess *guess, uint64_t value)
{
    tl_remembered *r = &codec->values[id];
    const bool straight = value == guess->straight;
    codec->n_useful += !straight && value == guess->best;
    r->straight_score = new_score(r->straight_score, straight);
    r->past_score = new_score(r->past_score, value == guess->by_past);
    r->peer_score = new_score(r->peer_score, value == guess->by_peer);
    note(codec, &guess->past, value, !straight);
    note(codec, &guess->peer, value, !straight);
    if (!straight)
        r->settled = 0;
    else if (++r->settled == TL_SETTLED)
        c->n_unsettled--;
    follow(r, value);
}

void tl_codec_learn_plain(tl_context *c, tl_remembered *r, uint64_t value)
{
    if (r->settled == TL_SETTLED) {
        r->settled = 0;
        c->n_unsettled++;
    }
    follow(r, value);
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
    for (int i = 0; i < TL_N_STREAMS; i++) {
        if (streams[i].size)
            memcpy(raw->data + raw->size, streams[i].data, streams[i].size);
        raw->size += streams[i].size;
    }
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
