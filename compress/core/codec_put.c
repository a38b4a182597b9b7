/* codec_put.c - encodes events. */
#include "codec_value.h"

/* Appends a number to a stream, and to the check of the frame. */
static void put_number(tl_codec *codec, tl_buffer *out, uint64_t v)
{
    size_t before = out->size;
    tl_buffer_put_varint(out, v);
    codec->n_bytes += out->size - before;
    codec->check = tl_check_mix(codec->check, v);
}

/* ---- values ---- */

/* A rank as its distance from the own rank: even. Constants such as MPI_ANY_SOURCE: odd. */
static uint64_t relative(const tl_codec *codec, int32_t peer)
{
    return peer >= 0 ? 2 * ((uint64_t)peer - codec->rank) : 2 * tl_widen(peer) + 1;
}

/* The values of an event in the order of the format; returns their number. */
static unsigned gather(const tl_codec *codec, const tl_event *e, uint32_t slots, uint64_t *v)
{
    unsigned n = 0;
    bool is_relative = slots & TL_RELATIVE;
    v[n++] = e->polls;
    if (slots & TL_SLOT_PEER)
        v[n++] = is_relative ? relative(codec, e->peer) : tl_widen(e->peer);
    if (slots & TL_SLOT_TAG)
        v[n++] = tl_widen(e->tag);
    if (slots & TL_SLOT_RECV_PEER)
        v[n++] = is_relative ? relative(codec, e->recv_peer) : tl_widen(e->recv_peer);
    if (slots & TL_SLOT_RECV_TAG)
        v[n++] = tl_widen(e->recv_tag);
    if (slots & TL_SLOT_COMM)
        v[n++] = e->comm;
    if (slots & TL_SLOT_COUNT)
        v[n++] = (uint64_t)e->count;
    if (slots & TL_SLOT_TYPE)
        v[n++] = (uint64_t)e->type_bytes;
    if (slots & TL_SLOT_RECV_COUNT)
        v[n++] = (uint64_t)e->recv_count;
    if (slots & TL_SLOT_RECV_TYPE)
        v[n++] = (uint64_t)e->recv_type_bytes;
    if (slots & TL_SLOT_REQUEST)
        v[n++] = e->request;
    if (slots & TL_SLOT_NEW_COMM)
        v[n++] = e->new_comm;
    if (slots & TL_SLOT_FLAGS)
        v[n++] = e->flags;
    if (slots & TL_SLOT_LIST) {
        v[n++] = e->list_len;
        for (unsigned i = 0; i < TL_LIST_HEAD; i++)
            v[n++] = i < e->list_len ? (uint64_t)e->list[i] : 0;
    }
    return n;
}

/* Writes a value that does not follow its stride, or has not done so for long, if it differs from
 * its prediction, and learns from it. True if it differs. Not inlined, so that the loop over the
 * other values is short. */
static __attribute__((noinline)) bool put_value(tl_codec *codec, tl_context *c,
                                                tl_buffer streams[TL_N_STREAMS], unsigned i,
                                                uint64_t value)
{
    tl_remembered *r = &codec->values[c->first_value + i];
    uint64_t difference;
    if (tl_is_plain(codec, r)) {
        difference = value - (r->last + r->stride);
        tl_codec_learn_plain(c, r, value);
    } else {
        const tl_guess guess = tl_codec_guess(codec, r);
        difference = value - guess.best;
        tl_codec_learn(codec, c, r, &guess, value);
    }
    if (difference)
        put_number(codec, &streams[tl_stream_of(c->streams, i)], tl_zigzag(difference));
    return difference != 0;
}

/* Writes the values that differ from their predictions, and learns from all values. Returns the
 * mask of those that differ. */
static uint32_t put_values(tl_codec *codec, tl_context *c, const uint64_t *v, unsigned n,
                           tl_buffer streams[TL_N_STREAMS])
{
    tl_remembered *r = &codec->values[c->first_value];
    const unsigned peer_at = c->peer_at ? c->peer_at : n;
    uint32_t surprises = 0;
    for (unsigned i = 0; i < n; i++) {
        if (r[i].settled == TL_SETTLED && v[i] == r[i].last + r[i].stride)
            r[i].last = v[i];
        else if (put_value(codec, c, streams, i, v[i]))
            surprises |= UINT32_C(1) << i;
        if (i == peer_at)
            codec->peer = v[i];
    }
    return surprises;
}

/* ---- lists ---- */

static bool tail_is_predicted(const tl_codec *codec, const tl_context *c, const int64_t *tail,
                              uint32_t n)
{
    return n <= c->list_len && !memcmp(&codec->list[c->list_first], tail, n * sizeof *tail);
}

/* Whether the tail of the list differs from the prediction. */
static bool put_tail(tl_codec *codec, tl_context *c, tl_buffer *out, const int64_t *tail,
                     uint32_t n)
{
    bool surprise = !tail_is_predicted(codec, c, tail, n);
    if (surprise) {
        for (uint32_t i = 0; i < n; i++)
            put_number(codec, out,
                       tl_zigzag((uint64_t)tail[i] - tl_codec_predict_element(codec, c, tail, i)));
    }
    tl_codec_remember_tail(codec, c, tail, n);
    return surprise;
}

/* ---- contexts ---- */

static unsigned hash_of(uint32_t call, uint32_t site)
{
    return ((site * 2048 + call) * UINT32_C(0x9e3779b1)) >> 22; /* 10 bits */
}

/* What events of one call and call site may differ in, so that they have different contexts. */
enum { TL_EXTRAS = TL_RELATIVE | TL_SLOT_TOOK };

static bool is_context(const tl_codec *codec, uint32_t c, const tl_event *event, uint32_t extras)
{
    const tl_context *context = &codec->contexts[c];
    return c && context->call == event->call && context->site == event->site &&
           (context->slots & TL_EXTRAS) == extras;
}

static uint32_t find_context(const tl_codec *codec, const tl_event *event, uint32_t extras,
                             unsigned *slot)
{
    unsigned i = hash_of(event->call, event->site);
    for (uint32_t c; (c = codec->hashed[i]); i = (i + 1) % (2 * TL_MAX_CONTEXTS))
        if (is_context(codec, c, event, extras))
            return c;
    *slot = i;
    return 0;
}

/* Finds or makes the context of the event, and writes the control byte for it. Returns 0 if the
 * context does not fit into the frame. */
static uint32_t put_context(tl_codec *codec, uint8_t **p, const tl_event *event,
                            const tl_call_info *row)
{
    uint8_t *control = (*p)++;
    uint32_t predicted = tl_codec_predicted(codec);
    uint32_t extras = tl_has_neighbours(event, row) ? TL_RELATIVE : 0;
    if (event->took_ns >= 1 && !codec->no_times)
        extras |= TL_SLOT_TOOK;
    if (is_context(codec, predicted, event, extras)) {
        *control = TL_HOW_PREDICTED;
        return predicted;
    }
    uint32_t followed = *tl_codec_followed(codec);
    if (is_context(codec, followed, event, extras)) {
        *control = TL_HOW_FOLLOWED;
        return followed;
    }
    unsigned slot = 0;
    uint32_t c = find_context(codec, event, extras, &slot);
    if (c) {
        *control = TL_HOW_KNOWN;
        *p = tl_put_varint(*p, c);
        return c;
    }
    uint32_t slots = row->slots | extras;
    if (codec->end_known && row->action == TL_ACTION_FINALIZE && (slots & TL_SLOT_CLOCK))
        slots |= TL_AT_END;
    if (!tl_codec_has_room(codec, tl_codec_count_values(slots)))
        return 0;
    *control = TL_HOW_NEW;
    *p = tl_put_varint(*p, event->call);
    *p = tl_put_varint(*p, event->site);
    *p = tl_put_varint(*p, slots);
    c = tl_codec_add_context(codec, event->call, event->site, slots);
    codec->hashed[slot] = (uint16_t)c;
    codec->check = tl_check_mix(codec->check, (uint64_t)event->site << 32 | event->call);
    return c;
}

/* ---- events ---- */

static void put_run(tl_codec *codec, tl_buffer *control)
{
    if (!codec->run)
        return;
    uint8_t *p = control->data + control->size;
    if (codec->run < TL_RUN_LONG + 1) {
        *p++ = (uint8_t)(TL_RUN | (codec->run - 1) << TL_RUN_SHIFT);
    } else {
        *p++ = TL_RUN | TL_RUN_LONG << TL_RUN_SHIFT;
        p = tl_put_varint(p, codec->run - (TL_RUN_LONG + 1));
    }
    codec->n_bytes += (size_t)(p - control->data) - control->size;
    control->size = (size_t)(p - control->data);
    codec->run = 0;
}

/* Writes how the volume differs from the previous volume of this context. Equal volumes are only
 * counted: a 0 begins their series, and their number - 1 is written before the next change. */
static void put_volume_change(tl_codec *codec, tl_context *c, uint64_t volume, tl_buffer *out)
{
    if (volume == c->volume) {
        if (!codec->same_volumes++)
            put_number(codec, out, 0);
        return;
    }
    if (codec->same_volumes)
        put_number(codec, out, codec->same_volumes - 1);
    codec->same_volumes = 0;
    put_number(codec, out, tl_zigzag(volume - c->volume));
    c->volume = volume;
}

bool tl_codec_put(tl_codec *codec, tl_buffer streams[TL_N_STREAMS], const tl_event *event,
                  const tl_call_info *row)
{
    uint8_t head[1 + 3 * TL_VARINT_MAX_BYTES], *p = head;
    uint32_t index = put_context(codec, &p, event, row);
    if (!index)
        return false;
    codec->check = tl_check_mix(codec->check, index);
    tl_context *c = &codec->contexts[index];
    uint64_t v[TL_MAX_CONTEXT_VALUES];
    unsigned n = gather(codec, event, c->slots, v);
    uint32_t surprises = put_values(codec, c, v, n, streams);
    uint32_t n_tail = c->slots & TL_SLOT_LIST ? tl_tail_len(event->list_len) : 0;
    if (n_tail && put_tail(codec, c, &streams[TL_STREAM_LISTS], event->list + TL_LIST_HEAD, n_tail))
        surprises |= UINT32_C(1) << n;

    if (!surprises && head[0] == TL_HOW_PREDICTED) {
        codec->run++;
    } else {
        tl_buffer *control = &streams[TL_STREAM_CONTROL];
        put_run(codec, control);
        if (surprises) {
            head[0] |= TL_SURPRISE;
            put_number(codec, &streams[TL_STREAM_MASKS], surprises);
        }
        memcpy(control->data + control->size, head, (size_t)(p - head));
        control->size += (size_t)(p - head);
        codec->n_bytes += (size_t)(p - head);
    }
    put_volume_change(codec, c, event->volume, &streams[TL_STREAM_VOLUMES]);
    if (c->slots & TL_SLOT_CLOCK) {
        put_number(codec, &streams[TL_STREAM_CLOCKS],
                   tl_zigzag(event->clock_ns - tl_codec_clock_base(codec, c)));
        codec->clock_ns = event->clock_ns;
    }
    if (c->slots & TL_SLOT_TOOK)
        put_number(codec, &streams[TL_STREAM_CLOCKS], tl_took_ns(event));
    tl_codec_advance(codec, index);
    return true;
}

void tl_codec_finish(tl_codec *codec, tl_buffer streams[TL_N_STREAMS])
{
    put_run(codec, &streams[TL_STREAM_CONTROL]);
    if (codec->same_volumes)
        tl_buffer_put_varint(&streams[TL_STREAM_VOLUMES], codec->same_volumes - 1);
    codec->same_volumes = 0;
}
