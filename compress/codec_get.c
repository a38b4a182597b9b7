/* codec_get.c - decodes events. */
#include "core/codec_value.h"

/* ---- values ---- */

static int32_t narrow(uint64_t v, bool *bad)
{
    *bad |= v != tl_widen((int32_t)v);
    return (int32_t)v;
}

static uint32_t narrow_unsigned(uint64_t v, uint32_t max, bool *bad)
{
    *bad |= v > max;
    return (uint32_t)v;
}

static int32_t get_peer(const tl_codec *codec, uint32_t slots, uint64_t v, bool *bad)
{
    if (!(slots & TL_RELATIVE))
        return narrow(v, bad);
    bool is_rank = !(v & 1);
    uint64_t half = v >> 1 | (0 - (v >> 63)) << 63; /* with its sign */
    int32_t peer = narrow(is_rank ? half + codec->rank : half, bad);
    *bad |= is_rank != (peer >= 0);
    return peer;
}

/* Fills an event from its values, except the elements of the list. False if a value is out of
 * range. */
static bool scatter(const tl_codec *codec, tl_event *e, uint32_t slots, const uint64_t *v)
{
    bool bad = false;
    e->polls = narrow_unsigned(*v++, UINT32_MAX, &bad);
    if (slots & TL_SLOT_PEER)
        e->peer = get_peer(codec, slots, *v++, &bad);
    if (slots & TL_SLOT_TAG)
        e->tag = narrow(*v++, &bad);
    if (slots & TL_SLOT_RECV_PEER)
        e->recv_peer = get_peer(codec, slots, *v++, &bad);
    if (slots & TL_SLOT_RECV_TAG)
        e->recv_tag = narrow(*v++, &bad);
    if (slots & TL_SLOT_COMM)
        e->comm = narrow_unsigned(*v++, UINT32_MAX, &bad);
    if (slots & TL_SLOT_COUNT)
        e->count = (int64_t)*v++;
    if (slots & TL_SLOT_TYPE)
        e->type_bytes = (int64_t)*v++;
    if (slots & TL_SLOT_RECV_COUNT)
        e->recv_count = (int64_t)*v++;
    if (slots & TL_SLOT_RECV_TYPE)
        e->recv_type_bytes = (int64_t)*v++;
    if (slots & TL_SLOT_REQUEST)
        e->request = narrow_unsigned(*v++, UINT32_MAX, &bad);
    if (slots & TL_SLOT_NEW_COMM)
        e->new_comm = narrow_unsigned(*v++, UINT32_MAX, &bad);
    if (slots & TL_SLOT_FLAGS)
        e->flags = (uint16_t)narrow_unsigned(*v++, UINT16_MAX, &bad);
    if (slots & TL_SLOT_LIST)
        e->list_len = narrow_unsigned(*v, TL_MAX_LIST, &bad);
    return !bad;
}

/* The counterpart of put_values. */
static void get_values(tl_codec *codec, tl_context *c, uint64_t surprises,
                       tl_input streams[TL_N_STREAMS], uint64_t *v)
{
    tl_remembered *r = &codec->values[c->first_value];
    if (!surprises && !c->n_unsettled) {
        for (unsigned i = 0; i < c->n_values; i++)
            v[i] = r[i].last += r[i].stride;
        if (c->peer_at)
            codec->peer = v[c->peer_at];
        return;
    }
    for (unsigned i = 0; i < c->n_values; i++) {
        uint64_t difference = 0;
        if (surprises >> i & 1)
            difference = tl_unzigzag(tl_get_varint(&streams[tl_stream_of(c->streams, i)]));
        if (tl_is_plain(codec, &r[i])) {
            v[i] = r[i].last + r[i].stride + difference;
            if (!difference && r[i].settled == TL_SETTLED)
                r[i].last = v[i];
            else
                tl_codec_learn_plain(c, &r[i], v[i]);
        } else {
            const tl_guess guess = tl_codec_guess(codec, &r[i]);
            v[i] = guess.best + difference;
            tl_codec_learn(codec, c, &r[i], &guess, v[i]);
        }
        if (i == c->peer_at && i)
            codec->peer = v[i];
    }
}

/* ---- lists ---- */

/* Fills event->list: its head from v, its tail from the stream or from the memory of the context.
 */
static tl_status get_list(tl_codec *codec, tl_context *c, tl_input *in, bool surprise,
                          const uint64_t *head, tl_event *event, tl_buffer *list)
{
    uint32_t n = tl_tail_len(event->list_len);
    /* An element that is not remembered takes a byte at least. So a damaged length cannot make this
     * function reserve too much memory. */
    if (surprise ? n > (size_t)(in->end - in->p) : n > c->list_len)
        return TL_ERR_CORRUPT;
    list->size = 0;
    if (!tl_buffer_reserve(list, ((size_t)n + TL_LIST_HEAD) * sizeof(int64_t)))
        return TL_ERR_MEMORY;
    int64_t *element = (int64_t *)(void *)list->data;
    memcpy(element, head, TL_LIST_HEAD * sizeof *element);
    event->list = element;
    if (!n)
        return TL_OK;
    int64_t *tail = element + TL_LIST_HEAD;
    if (!surprise) {
        memcpy(tail, &codec->list[c->list_first], n * sizeof *tail);
    } else {
        for (uint32_t i = 0; i < n; i++)
            tail[i] = (int64_t)(tl_codec_predict_element(codec, c, tail, i) +
                                tl_unzigzag(tl_get_varint(in)));
    }
    tl_codec_remember_tail(codec, c, tail, n);
    return in->bad ? TL_ERR_CORRUPT : TL_OK;
}

/* ---- contexts ---- */

static tl_status get_new_context(tl_codec *codec, tl_input *in, uint32_t *out)
{
    uint64_t call = tl_get_varint(in), site = tl_get_varint(in), slots = tl_get_varint(in);
    const tl_call_info *row = call <= UINT16_MAX ? tl_call_by_code((unsigned)call) : NULL;
    if (in->bad || site > UINT32_MAX)
        return TL_ERR_CORRUPT;
    /* The row of a newer writer may have more slots. Without these slots the event would have
     * another meaning. */
    if (!row || slots & ~(uint64_t)(row->slots | TL_SLOT_TOOK | TL_RELATIVE | TL_AT_END))
        return TL_ERR_VERSION;
    bool is_to_or_from = tl_may_have_neighbours(row->slots, row->action);
    uint32_t needed = row->slots & (TL_SLOT_PEER | TL_SLOT_RECV_PEER | TL_SLOT_COMM);
    if (is_to_or_from ? (slots & needed) != needed : slots & TL_RELATIVE)
        return TL_ERR_CORRUPT;
    if (!tl_codec_has_room(codec, tl_codec_count_values((uint32_t)slots)))
        return TL_ERR_CORRUPT;
    *out = tl_codec_add_context(codec, (uint16_t)call, (uint32_t)site, (uint32_t)slots);
    codec->contexts[*out].is_to_or_from = is_to_or_from;
    return TL_OK;
}

static tl_status get_context(tl_codec *codec, tl_input *in, unsigned how, uint32_t *out)
{
    uint64_t c = 0;
    switch (how) {
    case TL_HOW_PREDICTED: c = tl_codec_predicted(codec); break;
    case TL_HOW_FOLLOWED: c = *tl_codec_followed(codec); break;
    case TL_HOW_KNOWN: c = tl_get_varint(in); break;
    default: return get_new_context(codec, in, out);
    }
    if (!c || c >= codec->n_contexts)
        return TL_ERR_CORRUPT;
    *out = (uint32_t)c;
    return TL_OK;
}

/* Reads the context of the next event and the mask of its values that differ from the prediction.
 */
static tl_status get_control(tl_codec *codec, tl_input *in, tl_input *masks, uint32_t *index,
                             uint64_t *surprises)
{
    unsigned byte = TL_HOW_PREDICTED;
    *surprises = 0;
    if (!codec->run) {
        if (in->p == in->end)
            return TL_ERR_CORRUPT;
        byte = *in->p++;
        if (byte & TL_RUN) {
            codec->run = 1 + (byte >> TL_RUN_SHIFT);
            if (codec->run > TL_RUN_LONG)
                codec->run += tl_get_varint(in);
            byte &= TL_RUN - 1;
            if (byte || in->bad || codec->run > TL_MAX_FRAME_EVENTS)
                return TL_ERR_CORRUPT;
        } else if (byte > (TL_HOW_MASK | TL_SURPRISE)) {
            return TL_ERR_CORRUPT;
        }
    }
    if (codec->run)
        codec->run--;
    TL_TRY(get_context(codec, in, byte & TL_HOW_MASK, index));
    if (byte & TL_SURPRISE) {
        const tl_context *c = &codec->contexts[*index];
        *surprises = tl_get_varint(masks);
        if (*surprises >> (c->n_values + (c->slots & TL_SLOT_LIST ? 1 : 0)))
            return TL_ERR_CORRUPT;
    }
    return TL_OK;
}

/* ---- events ---- */

static void get_volume(tl_codec *codec, tl_context *c, tl_input *in)
{
    if (codec->same_volumes) {
        codec->same_volumes--;
        return;
    }
    uint64_t difference = tl_unzigzag(tl_get_varint(in));
    if (!difference)
        codec->same_volumes = tl_get_varint(in);
    c->volume += difference;
}

tl_status tl_codec_get(tl_codec *codec, tl_input streams[TL_N_STREAMS], tl_event *event,
                       tl_buffer *list)
{
    uint32_t index = 0;
    uint64_t surprises;
    TL_TRY(get_control(codec, &streams[TL_STREAM_CONTROL], &streams[TL_STREAM_MASKS], &index,
                       &surprises));
    tl_context *c = &codec->contexts[index];
    uint64_t v[TL_MAX_CONTEXT_VALUES] = {0};
    get_values(codec, c, surprises, streams, v);
    *event = (tl_event){.call = c->call, .site = c->site};
    if (!scatter(codec, event, c->slots, v) ||
        (c->is_to_or_from && (event->comm == TL_COMM_WORLD) != !!(c->slots & TL_RELATIVE)))
        return TL_ERR_CORRUPT;
    if (c->slots & TL_SLOT_LIST)
        TL_TRY(get_list(codec, c, &streams[TL_STREAM_LISTS], surprises >> c->n_values & 1,
                        v + c->n_values - TL_LIST_HEAD, event, list));
    get_volume(codec, c, &streams[TL_STREAM_VOLUMES]);
    event->volume = c->volume;
    if (c->slots & TL_SLOT_CLOCK) {
        if (c->slots & TL_AT_END && !codec->end_known)
            return TL_ERR_CORRUPT;
        event->clock_ns =
            tl_codec_clock_base(codec, c) + tl_unzigzag(tl_get_varint(&streams[TL_STREAM_CLOCKS]));
        codec->clock_ns = event->clock_ns;
    }
    if (c->slots & TL_SLOT_TOOK) {
        const uint64_t took_ns = tl_get_varint(&streams[TL_STREAM_CLOCKS]);
        if (took_ns > TL_MAX_TOOK_NS)
            return TL_ERR_CORRUPT;
        event->took_ns = (float)took_ns;
    }
    tl_codec_advance(codec, index);
    bool bad = false;
    for (int i = 0; i < TL_N_STREAMS; i++)
        bad |= streams[i].bad;
    return bad ? TL_ERR_CORRUPT : TL_OK;
}

bool tl_codec_is_used_up(const tl_codec *codec, const tl_input streams[TL_N_STREAMS])
{
    bool used_up = !codec->run && !codec->same_volumes;
    for (int i = 0; i < TL_N_STREAMS; i++)
        used_up = used_up && streams[i].p == streams[i].end;
    return used_up;
}
