/* text.c - the canonical line of an event. */
#include "timeless.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct line {
    char *buf;
    size_t size, length;
} line;

static void add(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(line *l, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(l->length < l->size ? l->buf + l->length : NULL,
                      l->length < l->size ? l->size - l->length : 0, format, args);
    va_end(args);
    if (n > 0)
        l->length += (size_t)n;
}

static void add_peer(line *l, const char *name, int32_t peer)
{
    switch (peer) {
    case TL_PROC_NULL: add(l, " %s=null", name); break;
    case TL_ANY_SOURCE: add(l, " %s=any", name); break;
    case TL_ROOT: add(l, " %s=root", name); break;
    default: add(l, " %s=%" PRId32, name, peer);
    }
}

static void add_tag(line *l, const char *name, int32_t tag)
{
    if (tag == TL_ANY_TAG)
        add(l, " %s=any", name);
    else
        add(l, " %s=%" PRId32, name, tag);
}

static void add_list(line *l, const tl_event *e, const char *dimensions)
{
    for (uint32_t i = 0; dimensions && *dimensions && i < e->list_len; i++) {
        size_t length = strcspn(dimensions, " ");
        add(l, " %.*s=%" PRId64, (int)length, dimensions, e->list[i]);
        dimensions += length + (dimensions[length] == ' ');
        if (!*dimensions && i + 1 == e->list_len)
            return;
    }
    add(l, " list=[");
    for (uint32_t i = 0; i < e->list_len; i++)
        add(l, "%s%" PRId64, i ? "," : "", e->list[i]);
    add(l, "]");
}

static void add_flags(line *l, uint16_t flags)
{
    if (flags & TL_IN_PLACE)
        add(l, " in_place=1");
    if (flags & TL_NONCOMMUTATIVE)
        add(l, " noncommutative=1");
    if (flags & ~(TL_IN_PLACE | TL_NONCOMMUTATIVE))
        add(l, " flags=%u", flags);
}

size_t tl_event_text(const tl_event *e, char *buf, size_t size)
{
    line l = {.buf = buf, .size = size};
    if (size)
        buf[0] = 0;
    const tl_call_info *row = tl_call_by_code(e->call);
    if (!row) {
        add(&l, "call=%u", e->call);
        return l.length;
    }
    uint32_t slots = row->slots;
    add(&l, "%s", row->name);
    if (slots & TL_SLOT_COUNT)
        add(&l, " count=%" PRId64, e->count);
    if (slots & TL_SLOT_TYPE)
        add(&l, " type_bytes=%" PRId64, e->type_bytes);
    if (slots & TL_SLOT_PEER)
        add_peer(&l, "peer", e->peer);
    if (slots & TL_SLOT_TAG) {
        if (row->action == TL_ACTION_REGION)
            add(&l, " level=%" PRId32, e->tag);
        else if (row->action == TL_ACTION_ABORT)
            add(&l, " code=%" PRId32, e->tag);
        else
            add_tag(&l, "tag", e->tag);
    }
    if (slots & TL_SLOT_RECV_COUNT)
        add(&l, " recv_count=%" PRId64, e->recv_count);
    if (slots & TL_SLOT_RECV_TYPE)
        add(&l, " recv_type_bytes=%" PRId64, e->recv_type_bytes);
    if (slots & TL_SLOT_RECV_PEER)
        add_peer(&l, "recv_peer", e->recv_peer);
    if (slots & TL_SLOT_RECV_TAG)
        add_tag(&l, "recv_tag", e->recv_tag);
    if (slots & TL_SLOT_COMM)
        add(&l, " comm=%" PRIu32, e->comm);
    if (slots & TL_SLOT_REQUEST)
        add(&l, " request=%" PRIu32, e->request);
    if (slots & TL_SLOT_NEW_COMM)
        add(&l, " new_comm=%" PRIu32, e->new_comm);
    if (slots & TL_SLOT_FLAGS)
        add_flags(&l, e->flags);
    if (slots & TL_SLOT_LIST)
        add_list(&l, e, row->dimensions);
    if (slots & TL_SLOT_CLOCK)
        add(&l, " clock_ns=%" PRIu64, e->clock_ns);
    add(&l, " volume=%" PRIu64, e->volume);
    if (e->polls)
        add(&l, " polls=%" PRIu32, e->polls);
    add(&l, " site=%" PRIu32, e->site);
    return l.length;
}
