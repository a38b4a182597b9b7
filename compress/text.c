/* text.c - the line of an event in the text form. */
#include "text.h"

#include "core/codec.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

const tl_text_field tl_text_fields[TL_N_TEXT_FIELDS] = {
    {TL_SLOT_COUNT, TL_TEXT_INT64, offsetof(tl_event, count), "count"},
    {TL_SLOT_TYPE, TL_TEXT_INT64, offsetof(tl_event, type_bytes), "type_bytes"},
    {TL_SLOT_PEER, TL_TEXT_PEER, offsetof(tl_event, peer), "peer"},
    {TL_SLOT_TAG, TL_TEXT_TAG, offsetof(tl_event, tag), "tag"},
    {TL_SLOT_RECV_COUNT, TL_TEXT_INT64, offsetof(tl_event, recv_count), "recv_count"},
    {TL_SLOT_RECV_TYPE, TL_TEXT_INT64, offsetof(tl_event, recv_type_bytes), "recv_type_bytes"},
    {TL_SLOT_RECV_PEER, TL_TEXT_PEER, offsetof(tl_event, recv_peer), "recv_peer"},
    {TL_SLOT_RECV_TAG, TL_TEXT_TAG, offsetof(tl_event, recv_tag), "recv_tag"},
    {TL_SLOT_COMM, TL_TEXT_UINT32, offsetof(tl_event, comm), "comm"},
    {TL_SLOT_REQUEST, TL_TEXT_UINT32, offsetof(tl_event, request), "request"},
    {TL_SLOT_NEW_COMM, TL_TEXT_UINT32, offsetof(tl_event, new_comm), "new_comm"},
};

const char *tl_text_field_name(const tl_text_field *field, const tl_call_info *row)
{
    if (field->slot != TL_SLOT_TAG)
        return field->name;
    switch (row->action) {
    case TL_ACTION_REGION: return "level";
    case TL_ACTION_ABORT: return "code";
    case TL_ACTION_KERNEL: return "kernel";
    case TL_ACTION_WIN_FENCE:
    case TL_ACTION_WIN_POST:
    case TL_ACTION_WIN_START:
    case TL_ACTION_WIN_LOCK:
    case TL_ACTION_WIN_LOCK_ALL:
    case TL_ACTION_FILE_OPEN: return "mode";
    default: return field->name;
    }
}

unsigned tl_text_n_dimensions(const tl_call_info *row)
{
    unsigned n = row->dimensions && *row->dimensions;
    for (const char *p = row->dimensions; p && *p; p++)
        n += *p == ' ';
    return n;
}

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

static int64_t field_value(const tl_event *e, const tl_text_field *field)
{
    const char *at = (const char *)e + field->offset;
    int64_t wide;
    int32_t narrow;
    uint32_t natural;
    switch (field->kind) {
    case TL_TEXT_INT64: memcpy(&wide, at, sizeof wide); return wide;
    case TL_TEXT_UINT32: memcpy(&natural, at, sizeof natural); return natural;
    default: memcpy(&narrow, at, sizeof narrow); return narrow;
    }
}

static void add_field(line *l, const tl_event *e, const tl_text_field *field,
                      const tl_call_info *row)
{
    const char *name = tl_text_field_name(field, row);
    int64_t value = field_value(e, field);
    const char *word = NULL;
    if (field->kind == TL_TEXT_PEER)
        word = value == TL_PROC_NULL    ? "null"
               : value == TL_ANY_SOURCE ? "any"
               : value == TL_ROOT       ? "root"
                                        : NULL;
    else if (field->kind == TL_TEXT_TAG && name == field->name && value == TL_ANY_TAG)
        word = "any";
    if (word)
        add(l, " %s=%s", name, word);
    else
        add(l, " %s=%" PRId64, name, value);
}

/* The sizes of a kernel with their names, if there are as many sizes as names. */
static void add_list(line *l, const tl_event *e, const tl_call_info *row)
{
    unsigned n_dimensions = tl_text_n_dimensions(row);
    const char *name = row->dimensions;
    if (n_dimensions && e->list_len == n_dimensions) {
        for (unsigned i = 0; i < n_dimensions; i++) {
            size_t length = strcspn(name, " ");
            add(l, " %.*s=%" PRId64, (int)length, name, e->list[i]);
            name += length + (name[length] == ' ');
        }
        return;
    }
    add(l, " list=[");
    for (uint32_t i = 0; i < e->list_len; i++)
        add(l, "%s%" PRId64, i ? "," : "", e->list[i]);
    add(l, "]");
}

static void add_flags(line *l, const tl_event *e)
{
    const uint16_t flags = e->flags;
    const int swaps = e->call == TL_MPI_Compare_and_swap ? TL_SWAPPED | TL_NOT_SWAPPED : 0;
    if (flags & TL_IN_PLACE)
        add(l, " in_place=1");
    if (flags & TL_NONCOMMUTATIVE)
        add(l, " noncommutative=1");
    if (flags & TL_EXCLUSIVE)
        add(l, " exclusive=1");
    if (flags & swaps & TL_SWAPPED)
        add(l, " swapped=1");
    if (flags & swaps & TL_NOT_SWAPPED)
        add(l, " not_swapped=1");
    if (flags & ~(TL_IN_PLACE | TL_NONCOMMUTATIVE | TL_EXCLUSIVE | swaps))
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
    add(&l, "%s", row->name);
    /* An event may fill slots that its row does not have. They are printed. */
    for (size_t i = 0; i < TL_N_TEXT_FIELDS; i++)
        if (row->slots & tl_text_fields[i].slot || field_value(e, &tl_text_fields[i]))
            add_field(&l, e, &tl_text_fields[i], row);
    add_flags(&l, e);
    if (row->slots & TL_SLOT_LIST || e->list_len)
        add_list(&l, e, row);
    if (row->slots & TL_SLOT_CLOCK || e->clock_ns)
        add(&l, " clock_ns=%" PRIu64, e->clock_ns);
    if (tl_took_ns(e))
        add(&l, " took_ns=%" PRIu64, tl_took_ns(e));
    add(&l, " volume=%" PRIu64, e->volume);
    if (e->polls)
        add(&l, " polls=%" PRIu32, e->polls);
    add(&l, " site=%" PRIu32, e->site);
    return l.length;
}
