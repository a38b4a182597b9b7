/* codec.c - events to bytes and back: the memory that both sides share, and the prediction. */
#include "codec.h"

/* Control byte. */
enum {
    HOW_FOLLOWED = 0,  /* the context that followed the last two contexts last time */
    HOW_SUCCESSOR = 1, /* the context that followed the last context last time */
    HOW_KNOWN = 2,     /* its number follows */
    HOW_NEW = 3,       /* its call, site and slots follow */
    HOW_MASK = 3,
    SURPRISE = 4 /* a mask of what differs from the prediction follows */
};

void tl_codec_reset(tl_codec *codec)
{
    codec->n_contexts = 1;
    codec->n_values = codec->n_list = 0;
    codec->last = codec->before_last = 0;
    codec->clock_ns = 0;
    memset(codec->hashed, 0, sizeof codec->hashed);
    memset(codec->followed, 0, sizeof codec->followed);
    codec->contexts[0] = (tl_context){0};
}

/* ---- contexts ---- */

static unsigned hash_of(uint32_t call, uint32_t site)
{
    return ((site * 2048 + call) * UINT32_C(0x9e3779b1)) >> 22; /* 10 bits */
}

static uint16_t *followed_at(tl_codec *codec)
{
    return &codec->followed[(codec->before_last * 67 + codec->last) % (2 * TL_MAX_CONTEXTS)];
}

static unsigned count_values(uint32_t slots)
{
    uint32_t plain = slots & ~(uint32_t)(TL_SLOT_CLOCK | TL_SLOT_LIST);
    return 1 + (unsigned)__builtin_popcount(plain) + (slots & TL_SLOT_LIST ? 1 + TL_LIST_HEAD : 0);
}

static bool has_room(const tl_codec *codec, unsigned n_values)
{
    return codec->n_contexts < TL_MAX_CONTEXTS && codec->n_values + n_values <= TL_MAX_VALUES;
}

static uint32_t add_context(tl_codec *codec, uint16_t call, uint32_t site, uint32_t slots)
{
    unsigned n_values = count_values(slots);
    codec->contexts[codec->n_contexts] = (tl_context){.call = call,
                                                      .site = site,
                                                      .slots = slots,
                                                      .n_values = (uint16_t)n_values,
                                                      .first_value = (uint16_t)codec->n_values};
    memset(&codec->values[codec->n_values], 0, n_values * sizeof *codec->values);
    codec->n_values += n_values;
    return codec->n_contexts++;
}

/* Remembers the order of contexts after an event in `context`. */
static void advance(tl_codec *codec, uint32_t context)
{
    *followed_at(codec) = (uint16_t)context;
    codec->contexts[codec->last].successor = (uint16_t)context;
    codec->before_last = codec->last;
    codec->last = context;
}

/* ---- values ---- */

static uint64_t widen(int32_t v)
{
    return (uint64_t)(int64_t)v;
}

/* The values of an event in the order of the format; returns their number. */
static unsigned gather(const tl_event *e, uint32_t slots, uint64_t *v)
{
    unsigned n = 0;
    v[n++] = e->polls;
    if (slots & TL_SLOT_COUNT)
        v[n++] = (uint64_t)e->count;
    if (slots & TL_SLOT_TYPE)
        v[n++] = (uint64_t)e->type_bytes;
    if (slots & TL_SLOT_PEER)
        v[n++] = widen(e->peer);
    if (slots & TL_SLOT_TAG)
        v[n++] = widen(e->tag);
    if (slots & TL_SLOT_RECV_COUNT)
        v[n++] = (uint64_t)e->recv_count;
    if (slots & TL_SLOT_RECV_TYPE)
        v[n++] = (uint64_t)e->recv_type_bytes;
    if (slots & TL_SLOT_RECV_PEER)
        v[n++] = widen(e->recv_peer);
    if (slots & TL_SLOT_RECV_TAG)
        v[n++] = widen(e->recv_tag);
    if (slots & TL_SLOT_COMM)
        v[n++] = e->comm;
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

static int32_t narrow(uint64_t v, bool *bad)
{
    *bad |= v != widen((int32_t)v);
    return (int32_t)v;
}

static uint32_t narrow_unsigned(uint64_t v, uint32_t max, bool *bad)
{
    *bad |= v > max;
    return (uint32_t)v;
}

/* The reverse of gather but for the elements of the list; false if a value is out of its range. */
static bool scatter(tl_event *e, uint32_t slots, const uint64_t *v)
{
    bool bad = false;
    e->polls = narrow_unsigned(*v++, UINT32_MAX, &bad);
    if (slots & TL_SLOT_COUNT)
        e->count = (int64_t)*v++;
    if (slots & TL_SLOT_TYPE)
        e->type_bytes = (int64_t)*v++;
    if (slots & TL_SLOT_PEER)
        e->peer = narrow(*v++, &bad);
    if (slots & TL_SLOT_TAG)
        e->tag = narrow(*v++, &bad);
    if (slots & TL_SLOT_RECV_COUNT)
        e->recv_count = (int64_t)*v++;
    if (slots & TL_SLOT_RECV_TYPE)
        e->recv_type_bytes = (int64_t)*v++;
    if (slots & TL_SLOT_RECV_PEER)
        e->recv_peer = narrow(*v++, &bad);
    if (slots & TL_SLOT_RECV_TAG)
        e->recv_tag = narrow(*v++, &bad);
    if (slots & TL_SLOT_COMM)
        e->comm = narrow_unsigned(*v++, UINT32_MAX, &bad);
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

static void remember(tl_remembered *r, uint64_t value)
{
    uint64_t delta = value - r->last;
    if (delta == r->delta)
        r->stride = delta;
    r->delta = delta;
    r->last = value;
}

/* ---- lists ---- */

static uint32_t tail_len(uint32_t list_len)
{
    return list_len > TL_LIST_HEAD ? list_len - TL_LIST_HEAD : 0;
}

/* Prediction of element i of a tail: the same element last time, else the element before it. */
static uint64_t predict_element(const tl_codec *codec, const tl_context *c, const int64_t *tail,
                                uint32_t i)
{
    if (i < c->list_len)
        return (uint64_t)codec->list[c->list_first + i];
    return (uint64_t)tail[(int64_t)i - 1]; /* i = 0: the last element of the head */
}

static void remember_tail(tl_codec *codec, tl_context *c, const int64_t *tail, uint32_t n)
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

static bool tail_is_predicted(const tl_codec *codec, const tl_context *c, const int64_t *tail,
                              uint32_t n)
{
    return n <= c->list_len && !memcmp(&codec->list[c->list_first], tail, n * sizeof *tail);
}

/* ---- encoding ---- */

static uint32_t find_context(const tl_codec *codec, uint16_t call, uint32_t site, unsigned *slot)
{
    unsigned i = hash_of(call, site);
    for (uint32_t c; (c = codec->hashed[i]); i = (i + 1) % (2 * TL_MAX_CONTEXTS))
        if (codec->contexts[c].call == call && codec->contexts[c].site == site)
            return c;
    *slot = i;
    return 0;
}

static bool is_context(const tl_codec *codec, uint32_t c, const tl_event *event)
{
    return c && codec->contexts[c].call == event->call && codec->contexts[c].site == event->site;
}

/* Finds or makes the event's context and writes what tells it to the reader after the control byte.
 * Returns 0 if it does not fit. */
static uint32_t put_context(tl_codec *codec, uint8_t **p, const tl_event *event,
                            const tl_call_info *row)
{
    uint8_t *control = (*p)++;
    uint32_t followed = *followed_at(codec);
    if (is_context(codec, followed, event)) {
        *control = HOW_FOLLOWED;
        return followed;
    }
    uint32_t successor = codec->contexts[codec->last].successor;
    if (is_context(codec, successor, event)) {
        *control = HOW_SUCCESSOR;
        return successor;
    }
    unsigned slot = 0;
    uint32_t c = find_context(codec, event->call, event->site, &slot);
    if (c) {
        *control = HOW_KNOWN;
        *p = tl_put_varint(*p, c);
        return c;
    }
    if (!has_room(codec, count_values(row->slots)))
        return 0;
    *control = HOW_NEW;
    *p = tl_put_varint(*p, event->call);
    *p = tl_put_varint(*p, event->site);
    *p = tl_put_varint(*p, row->slots);
    c = add_context(codec, event->call, event->site, row->slots);
    codec->hashed[slot] = (uint16_t)c;
    return c;
}

static void put_tail(const tl_codec *codec, const tl_context *c, tl_buffer *out,
                     const int64_t *tail, uint32_t n)
{
    uint8_t *p = out->data + out->size;
    for (uint32_t i = 0; i < n; i++)
        p = tl_put_varint(p, tl_zigzag((uint64_t)tail[i] - predict_element(codec, c, tail, i)));
    out->size = (size_t)(p - out->data);
}

bool tl_codec_put(tl_codec *codec, tl_buffer streams[TL_N_STREAMS], const tl_event *event,
                  const tl_call_info *row)
{
    tl_buffer *control = &streams[TL_STREAM_CONTROL], *values = &streams[TL_STREAM_VALUES];
    uint8_t *control_byte = control->data + control->size, *p = control_byte;
    uint32_t index = put_context(codec, &p, event, row);
    if (!index)
        return false;
    tl_context *c = &codec->contexts[index];

    uint64_t v[TL_MAX_CONTEXT_VALUES];
    unsigned n = gather(event, c->slots, v);
    tl_remembered *r = &codec->values[c->first_value];
    uint8_t *out = values->data + values->size;
    uint32_t surprises = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t difference = v[i] - (r[i].last + r[i].stride);
        if (difference) {
            surprises |= UINT32_C(1) << i;
            out = tl_put_varint(out, tl_zigzag(difference));
        }
        remember(&r[i], v[i]);
    }
    values->size = (size_t)(out - values->data);

    uint32_t n_tail = c->slots & TL_SLOT_LIST ? tail_len(event->list_len) : 0;
    if (n_tail) {
        const int64_t *tail = event->list + TL_LIST_HEAD;
        if (!tail_is_predicted(codec, c, tail, n_tail)) {
            surprises |= UINT32_C(1) << n;
            put_tail(codec, c, &streams[TL_STREAM_LISTS], tail, n_tail);
        }
        remember_tail(codec, c, tail, n_tail);
    }
    if (surprises) {
        *control_byte |= SURPRISE;
        p = tl_put_varint(p, surprises);
    }
    control->size = (size_t)(p - control->data);

    tl_buffer_put_varint(&streams[TL_STREAM_VOLUMES], tl_zigzag(event->volume - c->volume));
    c->volume = event->volume;
    if (c->slots & TL_SLOT_CLOCK) {
        tl_buffer_put_varint(&streams[TL_STREAM_CLOCKS],
                             tl_zigzag(event->clock_ns - codec->clock_ns));
        codec->clock_ns = event->clock_ns;
    }
    advance(codec, index);
    return true;
}

/* ---- decoding ---- */

static tl_status get_context(tl_codec *codec, tl_input *in, unsigned how, uint32_t *out)
{
    uint64_t c = 0;
    switch (how) {
    case HOW_FOLLOWED: c = *followed_at(codec); break;
    case HOW_SUCCESSOR: c = codec->contexts[codec->last].successor; break;
    case HOW_KNOWN: c = tl_get_varint(in); break;
    default: {
        uint64_t call = tl_get_varint(in), site = tl_get_varint(in), slots = tl_get_varint(in);
        if (in->bad || site > UINT32_MAX)
            return TL_ERR_CORRUPT;
        if (call > UINT16_MAX || !tl_call_by_code((unsigned)call) || slots >= 2UL * TL_SLOT_LIST)
            return TL_ERR_VERSION;
        if (!has_room(codec, count_values((uint32_t)slots)))
            return TL_ERR_CORRUPT;
        *out = add_context(codec, (uint16_t)call, (uint32_t)site, (uint32_t)slots);
        return TL_OK;
    }
    }
    if (!c || c >= codec->n_contexts)
        return TL_ERR_CORRUPT;
    *out = (uint32_t)c;
    return TL_OK;
}

/* Fills event->list from the head in v and the tail in the stream or the memory. */
static tl_status get_list(tl_codec *codec, tl_context *c, tl_input *in, bool surprise,
                          const uint64_t *head, tl_event *event, tl_buffer *list)
{
    uint32_t n = tail_len(event->list_len);
    /* An element takes at least a byte unless it is remembered: no room without cause. */
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
            tail[i] =
                (int64_t)(predict_element(codec, c, tail, i) + tl_unzigzag(tl_get_varint(in)));
    }
    remember_tail(codec, c, tail, n);
    return in->bad ? TL_ERR_CORRUPT : TL_OK;
}

tl_status tl_codec_get(tl_codec *codec, tl_input streams[TL_N_STREAMS], tl_event *event,
                       tl_buffer *list)
{
    tl_input *control = &streams[TL_STREAM_CONTROL], *values = &streams[TL_STREAM_VALUES];
    if (control->p == control->end || *control->p > (HOW_MASK | SURPRISE))
        return TL_ERR_CORRUPT;
    unsigned byte = *control->p++;
    uint32_t index = 0;
    tl_status status = get_context(codec, control, byte & HOW_MASK, &index);
    if (status)
        return status;
    tl_context *c = &codec->contexts[index];
    unsigned n = c->n_values;
    uint64_t surprises = byte & SURPRISE ? tl_get_varint(control) : 0;
    if (surprises >> (n + (c->slots & TL_SLOT_LIST ? 1 : 0)))
        return TL_ERR_CORRUPT;

    uint64_t v[TL_MAX_CONTEXT_VALUES] = {0};
    tl_remembered *r = &codec->values[c->first_value];
    for (unsigned i = 0; i < n; i++) {
        v[i] = r[i].last + r[i].stride;
        if (surprises >> i & 1)
            v[i] += tl_unzigzag(tl_get_varint(values));
        remember(&r[i], v[i]);
    }
    *event = (tl_event){.call = c->call, .site = c->site};
    if (!scatter(event, c->slots, v))
        return TL_ERR_CORRUPT;
    if (c->slots & TL_SLOT_LIST) {
        status = get_list(codec, c, &streams[TL_STREAM_LISTS], surprises >> n & 1,
                          v + n - TL_LIST_HEAD, event, list);
        if (status)
            return status;
    }
    event->volume = c->volume + tl_unzigzag(tl_get_varint(&streams[TL_STREAM_VOLUMES]));
    c->volume = event->volume;
    if (c->slots & TL_SLOT_CLOCK) {
        event->clock_ns = codec->clock_ns + tl_unzigzag(tl_get_varint(&streams[TL_STREAM_CLOCKS]));
        codec->clock_ns = event->clock_ns;
    }
    advance(codec, index);
    for (int i = 0; i < TL_N_STREAMS; i++)
        if (streams[i].bad)
            return TL_ERR_CORRUPT;
    return TL_OK;
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
