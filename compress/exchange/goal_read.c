/* goal_read.c - reads the text of GOAL's schedules, word by word. */
#include "config.h"

#include "goal.h"

#include "error.h"
#include "frame.h"

#include <ctype.h>
#include <inttypes.h>

tl_status tl_goal_wrong(tl_goal *m, uint64_t line, const char *what, const char *word)
{
    return tl_fail(m->err, TL_ERR_INPUT, "%s:%" PRIu64 ": %s '%.40s'; correct it", m->name, line,
                   what, word);
}

tl_status tl_goal_out_of_memory(tl_goal *m)
{
    return tl_fail(m->err, TL_ERR_MEMORY, "%s: out of memory", m->name);
}

/* ---- words ---- */

static int next_char(tl_goal *m)
{
    int c = getc(m->in);
    if (c == '\n')
        m->line++;
    return c;
}

/* False at the end of the file. A comment extends from two slashes to the end of the line. */
static bool read_word(tl_goal *m)
{
    if (m->has_word) {
        m->has_word = false;
        return true;
    }
    int c;
    size_t length = 0;
    for (;;) {
        while ((c = next_char(m)) != EOF && isspace(c))
            ;
        int next = c == '/' ? getc(m->in) : 0;
        if (c != '/' || next != '/') {
            if (c == '/')
                ungetc(next, m->in);
            break;
        }
        while ((c = next_char(m)) != EOF && c != '\n')
            ;
    }
    for (; c != EOF && !isspace(c); c = getc(m->in))
        if (length + 1 < sizeof m->word)
            m->word[length++] = (char)(c ? c : '?');
    if (c != EOF)
        ungetc(c, m->in);
    m->word[length] = 0;
    return length > 0;
}

static bool parse_number(const char *text, const char *suffix, int64_t max, int64_t *out)
{
    int64_t value = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(value, 10, &value) ||
            __builtin_add_overflow(value, *p - '0', &value) || value > max)
            return false;
    *out = value;
    return p > text && !strcmp(p, suffix);
}

tl_status tl_goal_take_number(tl_goal *m, const char *what, const char *suffix, int64_t max,
                              int64_t *out)
{
    if (!read_word(m))
        return tl_goal_wrong(m, m->line, "the file ends where there should be", what);
    if (!parse_number(m->word, suffix, max, out))
        return tl_goal_wrong(m, m->line, what, m->word);
    return TL_OK;
}

tl_status tl_goal_take_keyword(tl_goal *m, const char *keyword)
{
    if (!read_word(m) || strcmp(m->word, keyword) != 0)
        return tl_goal_wrong(m, m->line, "this word is missing:", keyword);
    return TL_OK;
}

/* ---- one rank's schedule ---- */

static uint64_t hash_of(const char *label)
{
    return tl_hash_of(label, strlen(label), 0);
}

static tl_status read_operation(tl_goal *m, const char *label)
{
    tl_goal_operation o = {.line = m->line};
    int64_t number = 0;
    tl_status status;
    o.kind = !strcmp(m->word, "calc")   ? TL_GOAL_CALC
             : !strcmp(m->word, "send") ? TL_GOAL_SEND
                                        : TL_GOAL_RECV;
    if (o.kind == TL_GOAL_RECV && strcmp(m->word, "recv") != 0)
        return tl_goal_wrong(m, m->line, "no operation of GOAL:", m->word);
    status = tl_goal_take_number(
        m, o.kind == TL_GOAL_CALC ? "no time in nanoseconds:" : "no size as in 8b:",
        o.kind == TL_GOAL_CALC ? "" : "b", INT64_C(1) << 53, &o.amount);
    if (o.kind != TL_GOAL_CALC) {
        status = status ? status : tl_goal_take_keyword(m, o.kind == TL_GOAL_SEND ? "to" : "from");
        status = status ? status : tl_goal_take_number(m, "no rank:", "", m->n_ranks - 1, &number);
        o.peer = (int32_t)number;
    }
    while (!status && (m->has_word = read_word(m))) {
        const bool is_tag = o.kind != TL_GOAL_CALC && !strcmp(m->word, "tag");
        if (!is_tag && strcmp(m->word, "cpu") != 0 && strcmp(m->word, "nic") != 0)
            break;
        m->has_word = false;
        status =
            tl_goal_take_number(m, is_tag ? "no tag:" : "more than one CPU or NIC of a rank:", "",
                                is_tag ? INT32_MAX : 0, &number);
        if (is_tag)
            o.tag = (int32_t)number;
    }
    if (status)
        return status;
    if (m->n >= UINT32_MAX - 1 ||
        !tl_make_room(&m->operations, m->n, &m->capacity, sizeof *m->operations))
        return tl_goal_out_of_memory(m);
    if (label) {
        uint64_t *index = tl_map_at(&m->by_label, hash_of(label));
        if (!index || !(o.label = strdup(label)))
            return tl_goal_out_of_memory(m);
        if (*index) {
            free(o.label);
            return tl_goal_wrong(m, o.line, "a label that is there twice:", label);
        }
        *index = m->n + 1;
    }
    m->operations[m->n++] = o;
    return TL_OK;
}

/* The index of a label. The file may use a label before it defines it. */
tl_status tl_goal_find_label(tl_goal *m, uint64_t line, const char *label, uint32_t *out)
{
    const uint64_t *index = tl_map_find(&m->by_label, hash_of(label));
    if (!index || strcmp(m->operations[*index - 1].label, label) != 0)
        return tl_goal_wrong(m, line, "no operation has the label", label);
    *out = (uint32_t)(*index - 1);
    return TL_OK;
}

static tl_status read_edge(tl_goal *m, const char *to)
{
    tl_goal_edge e = {.line = m->line, .ends = !strcmp(m->word, "requires")};
    if (!e.ends && strcmp(m->word, "irequires") != 0)
        return tl_goal_wrong(m, m->line,
                             "neither an operation nor requires nor irequires:", m->word);
    tl_status status = tl_goal_find_label(m, m->line, to, &e.to);
    if (status)
        return status;
    if (!read_word(m))
        return tl_goal_wrong(m, m->line, "the file ends behind", "requires");
    if (!tl_make_room(&m->edges, m->n_edges, &m->edges_capacity, sizeof *m->edges) ||
        !(e.from_label = strdup(m->word)))
        return tl_goal_out_of_memory(m);
    m->edges[m->n_edges++] = e;
    return TL_OK;
}

tl_status tl_goal_read_schedule(tl_goal *m)
{
    tl_status status = TL_OK;
    while (!status) {
        if (!read_word(m))
            return tl_goal_wrong(m, m->line, "the file ends within", "rank");
        if (!strcmp(m->word, "}"))
            return TL_OK;
        const size_t length = strlen(m->word);
        char label[sizeof m->word];
        memcpy(label, m->word, length + 1);
        const bool defines = length > 1 && label[length - 1] == ':';
        if (!strcmp(label, "calc") || !strcmp(label, "send") || !strcmp(label, "recv")) {
            status = read_operation(m, NULL);
            continue;
        }
        if (defines)
            label[length - 1] = 0;
        if (!read_word(m))
            return tl_goal_wrong(m, m->line, "the file ends behind", label);
        status = defines ? read_operation(m, label) : read_edge(m, label);
    }
    return status;
}
