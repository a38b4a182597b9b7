/* goal_text.c - reads the text of GOAL's schedules, word by word. */
#include "config.h"

#include "goal.h"

#include "core/error.h"
#include "core/format.h"
#include "core/frame.h"

#include <ctype.h>
#include <inttypes.h>

/* ---- words ---- */

static int next_char(tl_goal *g)
{
    const int c = getc_unlocked(g->in);
    if (c == '\n')
        g->line++;
    return c;
}

/* Passes a comment behind its first slash: to the end of the line, or to a star and a slash. False:
 * it is none. */
static bool pass_comment(tl_goal *g)
{
    int c = getc_unlocked(g->in);
    if (c != '/' && c != '*') {
        ungetc(c, g->in);
        return false;
    }
    const bool is_long = c == '*';
    for (int last = 0; (c = next_char(g)) != EOF; last = c)
        if (is_long ? c == '/' && last == '*' : c == '\n')
            break;
    return true;
}

static bool is_space(int c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Passes spaces and comments, and returns what comes first behind them. */
static int first_char(tl_goal *g)
{
    int c;
    do
        while ((c = next_char(g)) != EOF && is_space(c))
            ;
    while (c == '/' && pass_comment(g));
    return c;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* False at the end of the file. Colons and braces are words of their own, and a number ends at its
 * last digit: spaces are needed between two names only. */
static bool read_word(tl_goal *g)
{
    if (g->has_word) {
        g->has_word = false;
        return true;
    }
    int c = first_char(g);
    if (c == EOF)
        return false;
    const bool is_number = c == '-' || is_digit(c), is_mark = c == ':' || c == '{' || c == '}';
    size_t length = 0;
    do {
        if (length + 1 < sizeof g->word)
            g->word[length++] = (char)(c ? c : '?');
        c = is_mark ? EOF : getc_unlocked(g->in);
    } while (c != EOF && (is_number ? is_digit(c) : !is_space(c) && !strchr(":{}/", c)));
    if (c != EOF)
        ungetc(c, g->in);
    g->word[length] = 0;
    return true;
}

static bool parse_number(const char *text, uint64_t max, uint64_t *out)
{
    uint64_t value = 0;
    const char *p = text;
    for (; is_digit(*p); p++)
        if (__builtin_mul_overflow(value, 10u, &value) ||
            __builtin_add_overflow(value, (uint64_t)(*p - '0'), &value) || value > max)
            return false;
    *out = value;
    return p > text && !*p;
}

static tl_status take_number(tl_goal *g, const char *what, uint64_t max, uint64_t *out)
{
    if (!read_word(g))
        return tl_goal_wrong(g, g->line, "the file ends where there should be", what);
    if (!parse_number(g->word, max, out))
        return tl_goal_wrong(g, g->line, what, g->word);
    return TL_OK;
}

/* Of a receive, -1 is any. */
static tl_status take_number_or_any(tl_goal *g, const char *what, uint64_t max, bool is_receive,
                                    uint64_t *out)
{
    *out = UINT64_MAX;
    g->has_word = read_word(g);
    if (!is_receive || !g->has_word || strcmp(g->word, "-1") != 0)
        return take_number(g, what, max, out);
    g->has_word = false;
    return TL_OK;
}

static tl_status take_keyword(tl_goal *g, const char *keyword)
{
    if (!read_word(g) || strcmp(g->word, keyword) != 0)
        return tl_goal_wrong(g, g->line, "this word is missing:", keyword);
    return TL_OK;
}

tl_status tl_goal_begin_text(tl_goal *g)
{
    uint64_t n = 0;
    if (!read_word(g) || strcmp(g->word, "num_ranks") != 0)
        return tl_fail(g->err, TL_ERR_NOT_A_TRACE,
                       "%s:%" PRIu64 ": this word is missing: 'num_ranks'; give a file of GOAL",
                       g->name, g->line);
    const tl_status status = take_number(g, "no number of ranks:", TL_MAX_RANKS, &n);
    g->n_ranks = (uint32_t)n;
    return status || n ? status : tl_goal_wrong(g, g->line, "no number of ranks:", "0");
}

/* ---- one rank's schedule ---- */

static uint64_t hash_of(const char *label)
{
    return tl_hash_of(label, strlen(label), 0);
}

/* Where the text is kept. */
static bool keep_name(tl_goal *g, const char *text, size_t *out)
{
    *out = g->names.size;
    return tl_buffer_put(&g->names, text, strlen(text) + 1);
}

/* The attributes behind an operation: tag, cpu, nic. */
static tl_status read_attributes(tl_goal *g, tl_goal_operation *o)
{
    uint64_t number = 0;
    while ((g->has_word = read_word(g))) {
        const bool is_tag = o->call && !strcmp(g->word, "tag"), is_cpu = !strcmp(g->word, "cpu");
        if (!is_tag && !is_cpu && strcmp(g->word, "nic") != 0)
            break;
        g->has_word = false;
        if (is_tag) {
            TL_TRY(take_number_or_any(g, "no tag:", INT64_MAX, o->call == TL_MPI_Recv, &o->tag));
            continue;
        }
        TL_TRY(take_number(g, "no number of a CPU or NIC:", UINT16_MAX, &number));
        *(is_cpu ? &o->cpu : &o->nic) = (uint16_t)number;
    }
    return TL_OK;
}

static tl_status name_operation(tl_goal *g, const char *label)
{
    uint64_t *index = tl_map_at(&g->by_label, hash_of(label));
    size_t at;
    if (!index || !keep_name(g, label, &at))
        return tl_goal_out_of_memory(g);
    if (*index)
        return tl_goal_wrong(g, g->operations[g->n].place, "a label that is there twice:", label);
    *index = g->n + 1;
    g->labels[g->n] = at + 1;
    return TL_OK;
}

static tl_status read_operation(tl_goal *g, const char *label)
{
    static const uint64_t most = UINT64_C(1) << 53;
    tl_goal_operation o = {.place = g->line};
    uint64_t number = 0;
    if (strcmp(g->word, "calc") != 0)
        o.call = !strcmp(g->word, "send") ? TL_MPI_Send : TL_MPI_Recv;
    if (o.call == TL_MPI_Recv && strcmp(g->word, "recv") != 0)
        return tl_goal_wrong(g, g->line, "no operation of GOAL:", g->word);
    if (!o.call) {
        TL_TRY(take_number(g, "no time in nanoseconds:", most, &o.amount));
    } else {
        const bool is_receive = o.call == TL_MPI_Recv;
        TL_TRY(take_number(g, "no size as in 8b:", most, &o.amount));
        TL_TRY(take_keyword(g, "b"));
        TL_TRY(take_keyword(g, is_receive ? "from" : "to"));
        TL_TRY(take_number_or_any(g, "no rank:", g->n_ranks - 1, is_receive, &number));
        o.peer = number == UINT64_MAX ? TL_ANY_SOURCE : (int32_t)number;
    }
    TL_TRY(read_attributes(g, &o));
    if (g->n >= INT32_MAX || !tl_make_room(&g->operations, g->n, &g->capacity, sizeof o) ||
        !tl_make_room(&g->labels, g->n, &g->labels_capacity, sizeof *g->labels))
        return tl_goal_out_of_memory(g);
    g->operations[g->n] = o;
    g->labels[g->n] = 0;
    const tl_status status = label ? name_operation(g, label) : TL_OK;
    g->n++;
    return status;
}

static bool find_label(const tl_goal *g, const char *label, uint32_t *out)
{
    const uint64_t *index = tl_map_find(&g->by_label, hash_of(label));
    if (!index || strcmp((const char *)g->names.data + g->labels[*index - 1] - 1, label) != 0)
        return false;
    *out = (uint32_t)(*index - 1);
    return true;
}

/* The text may use a label behind "requires" before it defines it. */
static tl_status read_edge(tl_goal *g, const char *to)
{
    tl_goal_edge e = {.ends = !strcmp(g->word, "requires")};
    const uint64_t line = g->line;
    if (!e.ends && strcmp(g->word, "irequires") != 0)
        return tl_goal_wrong(g, line, "neither an operation nor requires nor irequires:", g->word);
    if (!find_label(g, to, &e.to))
        return tl_goal_wrong(g, line, "no operation has the label", to);
    if (!read_word(g))
        return tl_goal_wrong(g, g->line, "the file ends behind", "requires");
    if (!tl_make_room(&g->edges, g->n_edges, &g->edges_capacity, sizeof *g->edges))
        return tl_goal_out_of_memory(g);
    if (!find_label(g, g->word, &e.from)) {
        tl_goal_open_edge open = {.edge = g->n_edges, .line = line};
        if (!tl_make_room(&g->open_edges, g->n_open_edges, &g->open_capacity, sizeof open) ||
            !keep_name(g, g->word, &open.label))
            return tl_goal_out_of_memory(g);
        g->open_edges[g->n_open_edges++] = open;
    }
    g->edges[g->n_edges++] = e;
    return TL_OK;
}

static tl_status close_edges(tl_goal *g)
{
    for (size_t i = 0; i < g->n_open_edges; i++) {
        const char *label = (const char *)g->names.data + g->open_edges[i].label;
        if (!find_label(g, label, &g->edges[g->open_edges[i].edge].from))
            return tl_goal_wrong(g, g->open_edges[i].line, "no operation has the label", label);
    }
    return TL_OK;
}

static tl_status read_schedule(tl_goal *g)
{
    tl_status status = TL_OK;
    while (!status) {
        if (!read_word(g))
            return tl_goal_wrong(g, g->line, "the file ends within", "rank");
        if (!strcmp(g->word, "}"))
            return close_edges(g);
        const size_t length = strlen(g->word);
        char label[sizeof g->word];
        memcpy(label, g->word, length + 1);
        if (!strcmp(label, "calc") || !strcmp(label, "send") || !strcmp(label, "recv")) {
            status = read_operation(g, NULL);
            continue;
        }
        if (!read_word(g))
            return tl_goal_wrong(g, g->line, "the file ends behind", label);
        if (strcmp(g->word, ":") != 0)
            status = read_edge(g, label);
        else if (!read_word(g))
            return tl_goal_wrong(g, g->line, "the file ends behind", label);
        else
            status = read_operation(g, label);
    }
    return status;
}

tl_status tl_goal_read_text(tl_goal *g)
{
    uint64_t number = 0;
    tl_map_free(&g->by_label);
    g->by_label = (tl_map){0};
    g->names.size = g->n_open_edges = 0;
    TL_TRY(take_keyword(g, "rank"));
    TL_TRY(take_number(g, "no rank in its order:", g->rank, &number));
    if (number != g->rank)
        return tl_goal_wrong(g, g->line, "this rank has been there:", g->word);
    TL_TRY(take_keyword(g, "{"));
    return read_schedule(g);
}
