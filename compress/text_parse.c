/* text_parse.c - converts words of the text form to values. */
#include "text.h"

#include "core/codec.h"
#include "core/error.h"
#include "core/format.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

/* ---- words and numbers ---- */

char *tl_text_word(char **rest)
{
    char *p = *rest;
    while (*p == ' ' || *p == '\t')
        p++;
    if (!*p) {
        *rest = p;
        return NULL;
    }
    char *word = p;
    bool quoted = false;
    for (; *p && (quoted || (*p != ' ' && *p != '\t')); p++) {
        if (quoted && *p == '\\' && p[1])
            p++;
        else if (*p == '"')
            quoted = !quoted;
    }
    if (*p)
        *p++ = 0;
    *rest = p;
    return word;
}

char *tl_text_value(char *word, const char *name)
{
    size_t length = strlen(name);
    return !strncmp(word, name, length) && word[length] == '=' ? word + length + 1 : NULL;
}

bool tl_text_unsigned(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)(*text - '0');
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *out = value;
    return value <= max;
}

bool tl_text_signed(const char *text, int64_t min, int64_t max, int64_t *out)
{
    bool negative = *text == '-';
    uint64_t size;
    if (!tl_text_unsigned(text + negative, (uint64_t)INT64_MAX + negative, &size))
        return false;
    *out = (int64_t)(negative ? 0 - size : size);
    return *out >= min && *out <= max;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

char *tl_text_unquote(char *text)
{
    if (*text != '"')
        return NULL;
    char *in = text + 1, *out = text;
    while (*in != '"') {
        if (!*in)
            return NULL;
        if (*in != '\\') {
            *out++ = *in++;
            continue;
        }
        in++;
        if (*in == '"' || *in == '\\') {
            *out++ = *in++;
        } else if (*in == 'x' && hex_digit(in[1]) >= 0 && hex_digit(in[2]) >= 0) {
            *out++ = (char)(hex_digit(in[1]) << 4 | hex_digit(in[2]));
            if (!out[-1])
                return NULL;
            in += 3;
        } else {
            return NULL;
        }
    }
    if (in[1])
        return NULL;
    *out = 0;
    return text;
}

/* ---- members ---- */

static bool add_member(tl_buffer *members, int64_t rank)
{
    const int32_t member = (int32_t)rank;
    return tl_buffer_put(members, &member, sizeof member);
}

/* A number within a text; moves *p behind it. */
static bool take_number(const char **p, uint64_t max, int64_t *out)
{
    uint64_t value = 0;
    const char *start = *p;
    while (**p >= '0' && **p <= '9') {
        value = value * 10 + (unsigned)(**p - '0');
        if (value > max)
            return false;
        ++*p;
    }
    *out = (int64_t)value;
    return *p != start;
}

tl_status tl_text_parse_members(const char *text, uint32_t n_ranks, tl_buffer *members)
{
    const char *p = text;
    members->size = 0;
    if (*p++ != '[')
        return TL_ERR_INPUT;
    if (!strcmp(p, "]"))
        return TL_OK;
    for (;;) {
        int64_t first, last, stride = 1;
        if (!take_number(&p, n_ranks - 1, &first))
            return TL_ERR_INPUT;
        last = first;
        if (*p == '-' && (p++, !take_number(&p, n_ranks - 1, &last)))
            return TL_ERR_INPUT;
        if (*p == '/' && (p++, !take_number(&p, n_ranks, &stride) || !stride))
            return TL_ERR_INPUT;
        int64_t step = last < first ? -stride : stride;
        if ((last - first) % stride)
            return TL_ERR_INPUT;
        for (int64_t rank = first;; rank += step) {
            if (members->size / sizeof(int32_t) == n_ranks)
                return TL_ERR_INPUT;
            if (!add_member(members, rank))
                return TL_ERR_MEMORY;
            if (rank == last)
                break;
        }
        if (*p == ']')
            return p[1] ? TL_ERR_INPUT : TL_OK;
        if (*p++ != ',')
            return TL_ERR_INPUT;
    }
}

tl_status tl_text_parse_neighbours(char *text, uint32_t n_members, tl_buffer *neighbours)
{
    size_t length = strlen(text);
    neighbours->size = 0;
    if (length < 2 || *text != '[' || text[length - 1] != ']')
        return TL_ERR_INPUT;
    text[length - 1] = 0;
    for (char *next = text + 1; next && *next;) {
        char *element = next, *comma = strchr(next, ',');
        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        int64_t rank = TL_PROC_NULL;
        if ((comma && !*next) || (strcmp(element, "null") != 0 &&
                                  !tl_text_signed(element, 0, (int64_t)n_members - 1, &rank)))
            return TL_ERR_INPUT;
        if (!add_member(neighbours, rank))
            return TL_ERR_MEMORY;
    }
    return TL_OK;
}

/* ---- events ---- */

typedef struct event_parser {
    tl_event *event;
    const tl_call_info *row;
    tl_buffer *list;
    uint32_t seen;    /* TL_SLOT_* */
    unsigned n_sizes; /* sizes of a kernel given by name */
    uint32_t extras;  /* seen of what is no slot: volume, polls, site, and the flags by name */
    char *text;       /* of the error */
    size_t size;
} event_parser;

#define wrong(p, ...) (snprintf((p)->text, (p)->size, __VA_ARGS__), TL_ERR_INPUT)

static bool parse_field(const tl_text_field *field, bool is_tag, const char *text, tl_event *e)
{
    int64_t value;
    char *at = (char *)e + field->offset;
    if (field->kind == TL_TEXT_PEER && !strcmp(text, "null"))
        value = TL_PROC_NULL;
    else if (field->kind == TL_TEXT_PEER && !strcmp(text, "any"))
        value = TL_ANY_SOURCE;
    else if (field->kind == TL_TEXT_PEER && !strcmp(text, "root"))
        value = TL_ROOT;
    else if (is_tag && !strcmp(text, "any"))
        value = TL_ANY_TAG;
    else if (field->kind == TL_TEXT_INT64) {
        if (!tl_text_signed(text, INT64_MIN, INT64_MAX, &value))
            return false;
    } else if (field->kind == TL_TEXT_UINT32) {
        if (!tl_text_signed(text, 0, UINT32_MAX, &value))
            return false;
    } else if (!tl_text_signed(text, INT32_MIN, INT32_MAX, &value)) {
        return false;
    }
    uint32_t natural = (uint32_t)value;
    if (field->kind == TL_TEXT_INT64)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &natural, sizeof natural); /* int32_t in the same bits */
    return true;
}

static tl_status put_element(event_parser *p, int64_t value)
{
    if (!tl_buffer_put(p->list, &value, sizeof value))
        return TL_ERR_MEMORY;
    p->event->list_len++;
    return TL_OK;
}

static tl_status parse_list(event_parser *p, char *text)
{
    if (*text != '[' || text[strlen(text) - 1] != ']')
        return wrong(p, "the list must stand in brackets; write list=[1,2,3]");
    text[strlen(text) - 1] = 0;
    char *next = text + 1;
    while (next && (p->event->list_len || *next)) {
        char *element = next, *comma = strchr(next, ',');
        next = comma ? comma + 1 : NULL;
        if (comma)
            *comma = 0;
        int64_t value;
        if (!tl_text_signed(element, INT64_MIN, INT64_MAX, &value))
            return wrong(p, "'%.20s' in the list is no whole number; correct it", element);
        if (p->event->list_len == TL_MAX_LIST)
            return wrong(p, "the list has more than %" PRIu32 " elements; shorten it", TL_MAX_LIST);
        TL_TRY(put_element(p, value));
    }
    return TL_OK;
}

/* A size of a kernel by its name; *known is whether the kernel has this size. */
static tl_status parse_size(event_parser *p, const char *name, size_t length, const char *text,
                            bool *known)
{
    const char *d = p->row->dimensions;
    for (unsigned i = 0; d && *d; i++) {
        size_t size = strcspn(d, " ");
        if (size == length && !memcmp(d, name, size)) {
            *known = true;
            int64_t value;
            if (i != p->n_sizes)
                return wrong(p, "the size '%.*s' is out of order; write the sizes as \"%s\"",
                             (int)length, name, p->row->dimensions);
            if (!tl_text_signed(text, INT64_MIN, INT64_MAX, &value))
                return wrong(p, "%.*s='%.20s' is no whole number; correct it", (int)length, name,
                             text);
            p->n_sizes++;
            return put_element(p, value);
        }
        d += size + (d[size] == ' ');
    }
    *known = false;
    return TL_OK;
}

/* Fields of all events, and flags. *known: whether `word` is one of them. */
static tl_status parse_extra(event_parser *p, char *word, bool *known)
{
    enum { VOLUME, POLLS, SITE, TOOK_NS, FLAGS };
    static const struct {
        const char *name;
        uint64_t max;
        uint16_t flag;
    } extras[] = {[VOLUME] = {"volume", UINT64_MAX, 0},
                  [POLLS] = {"polls", UINT32_MAX, 0},
                  [SITE] = {"site", UINT32_MAX, 0},
                  [TOOK_NS] = {"took_ns", TL_MAX_TOOK_NS, 0},
                  [FLAGS] = {"flags", UINT16_MAX, 0},
                  {"in_place", 1, TL_IN_PLACE},
                  {"noncommutative", 1, TL_NONCOMMUTATIVE},
                  {"exclusive", 1, TL_EXCLUSIVE},
                  {"swapped", 1, TL_SWAPPED},
                  {"not_swapped", 1, TL_NOT_SWAPPED}};
    unsigned i = 0;
    const char *text = NULL;
    while (i < sizeof extras / sizeof *extras && !(text = tl_text_value(word, extras[i].name)))
        i++;
    *known = text != NULL;
    if (!text)
        return TL_OK;
    uint64_t value;
    if (!tl_text_unsigned(text, extras[i].max, &value))
        return wrong(p, "'%.40s': give a whole number from 0 to %" PRIu64, word, extras[i].max);
    if (p->extras >> i & 1)
        return wrong(p, "'%.40s' is given twice; remove one", word);
    p->extras |= UINT32_C(1) << i;
    switch (i) {
    case VOLUME: p->event->volume = value; break;
    case POLLS: p->event->polls = (uint32_t)value; break;
    case SITE: p->event->site = (uint32_t)value; break;
    case TOOK_NS: p->event->took_ns = (float)value; break;
    default: p->event->flags |= i == FLAGS ? (uint16_t)value : value ? extras[i].flag : 0;
    }
    const bool fits = !(extras[i].flag & (TL_SWAPPED | TL_NOT_SWAPPED)) ||
                      p->event->call == TL_MPI_Compare_and_swap;
    if (i >= FLAGS && (!(p->row->slots & TL_SLOT_FLAGS) || !fits))
        return wrong(p, "%s has no '%s'; remove it", p->row->name, extras[i].name);
    return TL_OK;
}

/* Records that a slot of the row is given. */
static tl_status note_slot(event_parser *p, uint32_t slot, const char *word)
{
    if (!(p->row->slots & slot))
        return wrong(p, "%s has no '%.*s'; remove it", p->row->name, (int)strcspn(word, "="), word);
    if (p->seen & slot)
        return wrong(p, "'%.40s' is given twice; remove one", word);
    p->seen |= slot;
    return TL_OK;
}

static tl_status parse_pair(event_parser *p, char *word)
{
    bool known = false;
    TL_TRY(parse_extra(p, word, &known));
    if (known)
        return TL_OK;
    char *equals = strchr(word, '=');
    if (!equals)
        return wrong(p, "'%.40s' is not of the form name=value; correct it", word);
    for (size_t i = 0; i < TL_N_TEXT_FIELDS; i++) {
        const tl_text_field *field = &tl_text_fields[i];
        const char *name = tl_text_field_name(field, p->row);
        const char *text = tl_text_value(word, name);
        if (!text)
            continue;
        TL_TRY(note_slot(p, field->slot, word));
        return parse_field(field, field->kind == TL_TEXT_TAG && name == field->name, text, p->event)
                   ? TL_OK
                   : wrong(p, "'%.40s' is no number that a trace can hold; correct it", word);
    }
    if (tl_text_value(word, "list")) {
        if (p->n_sizes)
            return wrong(p, "sizes and a list; give one of them");
        TL_TRY(note_slot(p, TL_SLOT_LIST, word));
        return parse_list(p, equals + 1);
    }
    if (tl_text_value(word, "clock_ns")) {
        TL_TRY(note_slot(p, TL_SLOT_CLOCK, word));
        return tl_text_unsigned(equals + 1, UINT64_MAX, &p->event->clock_ns)
                   ? TL_OK
                   : wrong(p, "'%.40s' is no whole number; correct it", word);
    }
    if (!(p->seen & TL_SLOT_LIST))
        TL_TRY(parse_size(p, word, (size_t)(equals - word), equals + 1, &known));
    if (known)
        return TL_OK;
    return wrong(p, "%s has no '%.*s'; remove it", p->row->name, (int)(equals - word), word);
}

static tl_status check_all_given(event_parser *p)
{
    uint32_t missing = p->row->slots & ~p->seen & ~(uint32_t)TL_SLOT_FLAGS;
    if (p->n_sizes && p->n_sizes == tl_text_n_dimensions(p->row))
        missing &= ~(uint32_t)TL_SLOT_LIST;
    for (size_t i = 0; i < TL_N_TEXT_FIELDS; i++)
        if (missing & tl_text_fields[i].slot)
            return wrong(p, "%s lacks '%s'; add it", p->row->name,
                         tl_text_field_name(&tl_text_fields[i], p->row));
    if (missing & TL_SLOT_LIST)
        return wrong(p, "%s lacks '%s'; add it", p->row->name,
                     tl_text_n_dimensions(p->row) ? p->row->dimensions : "list");
    if (missing & TL_SLOT_CLOCK)
        return wrong(p, "%s lacks 'clock_ns'; add it (0 if unknown)", p->row->name);
    return TL_OK;
}

tl_status tl_text_parse_event(char *text, tl_event *event, tl_buffer *list, char *buf, size_t size)
{
    event_parser p = {.event = event, .list = list, .text = buf, .size = size};
    char *word = tl_text_word(&text);
    p.row = word ? tl_call_by_name(word) : NULL;
    if (!p.row)
        return wrong(&p, "'%.40s' is no call that this version knows; correct its name",
                     word ? word : "");
    *event = (tl_event){.call = p.row->code};
    list->size = 0;
    while ((word = tl_text_word(&text)))
        TL_TRY(parse_pair(&p, word));
    TL_TRY(check_all_given(&p));
    event->list = (const int64_t *)(const void *)list->data;
    return TL_OK;
}
