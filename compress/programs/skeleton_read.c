/* skeleton_read.c - parses the statements of a skeleton. */
#include "config.h"

#include "skeleton.h"

#include "core/error.h"
#include "core/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void skel_out_of_memory(skel_parser *p)
{
    if (p->status == TL_OK)
        p->status = tl_no_memory(p->err, p->s->path);
    p->token.kind = SKEL_T_END;
}

skel_statement *skel_statement_at(const skel_parser *p, uint32_t number)
{
    return (skel_statement *)p->s->statements.items + number;
}

void *skel_new(skel_parser *p, skel_array *array, size_t size)
{
    void *made = p->status == TL_OK ? skel_push(array, size) : NULL;
    if (!made)
        skel_out_of_memory(p);
    return made;
}

/* A new statement; its number, 0 after a failure. */
uint32_t skel_add(skel_parser *p, skel_kind kind, uint32_t line)
{
    skel_statement *made = skel_new(p, &p->s->statements, sizeof *made);
    if (!made)
        return 0;
    made->kind = kind;
    made->line = line;
    return (uint32_t)(p->s->statements.n - 1);
}

/* A copy of a word that lives as long as the skeleton; kept in `texts`. */
char *skel_keep(skel_parser *p, const skel_token *token, skel_array *texts)
{
    char *text = strndup(token->start, token->size);
    char **at = text ? skel_push(texts, sizeof *at) : NULL;
    if (!at) {
        free(text);
        skel_out_of_memory(p);
        return NULL;
    }
    return *at = text;
}

/* ---- names ---- */

/* Takes the name that a statement defines. */
static skel_token new_name(skel_parser *p)
{
    const skel_token token = p->token;
    char text[64];
    if (token.kind != SKEL_T_NAME)
        skel_wrong(p, token.line, "%s instead of a name; names consist of letters, digits and _",
                   skel_found(p, text));
    else if (skel_is_reserved(&token))
        skel_wrong(p, token.line, "%s is a word of the language; choose another name",
                   skel_found(p, text));
    else if (skel_find_name(p, &token))
        skel_wrong(p, token.line, "%s is defined already; choose another name",
                   skel_found(p, text));
    skel_advance(p);
    return token;
}

static void define(skel_parser *p, const skel_token *token, uint32_t slot, bool is_constant,
                   skel_thing thing)
{
    skel_name *name = skel_new(p, &p->names, sizeof *name);
    if (name)
        *name = (skel_name){.start = token->start,
                            .size = token->size,
                            .slot = slot,
                            .is_constant = is_constant,
                            .thing = thing};
}

static int64_t evaluate_now(skel_parser *p, uint32_t line, uint32_t node)
{
    int64_t value = 0;
    if (p->status != TL_OK)
        return 0;
    p->status = skel_evaluate(p->s, p->s->values.items, node, -1, &value, p->err);
    if (p->status != TL_OK)
        p->token.kind = SKEL_T_END;
    else if (value == SKEL_NULL)
        skel_wrong(p, line, "null is not a number; write a number");
    return value;
}

/* The value of an expression that is the same for all ranks. */
static int64_t read_constant(skel_parser *p, uint32_t *node)
{
    const uint32_t line = p->token.line;
    p->is_constant = true;
    *node = skel_expression(p);
    p->is_constant = false;
    return evaluate_now(p, line, *node);
}

int64_t skel_constant(skel_parser *p)
{
    uint32_t node;
    return read_constant(p, &node);
}

/* A name with a value that is the same for all ranks. */
void skel_define_constant(skel_parser *p, const skel_token *token, int64_t value)
{
    if (p->s->values.n < p->s->n_slots)
        skel_wrong(p, token->line,
                   "param is behind a statement that differs between ranks; write it before");
    int64_t *slot = skel_new(p, &p->s->values, sizeof *slot);
    if (!slot)
        return;
    *slot = value;
    define(p, token, p->s->n_slots++, true, SKEL_A_NUMBER);
}

/* ---- the head: statements that hold for all ranks ---- */

static void set_ranks(skel_parser *p, int64_t n, uint32_t line)
{
    if (n < 1 || n > TL_MAX_RANKS)
        skel_wrong(p, line, "%" PRId64 " ranks; give a number from 1 to %" PRIu32, n, TL_MAX_RANKS);
    p->s->n_ranks = n;
    ((int64_t *)p->s->values.items)[1] = n;
}

/* Whether the user gave a value for this name. */
static bool is_given(const skel_parser *p, const char *name, size_t size, int64_t *value)
{
    for (size_t i = p->n_given; i-- > 0;)
        if (strlen(p->given[i].name) == size && !memcmp(p->given[i].name, name, size)) {
            *value = p->given[i].value;
            return true;
        }
    return false;
}

/* ranks EXPRESSION: it must be the first statement, so that all others can use it. */
static void read_ranks(skel_parser *p)
{
    static const char name[] = "ranks";
    const uint32_t line = p->token.line;
    skel_expect(p, name, "'ranks NUMBER' in the second line: how many there are by default");
    int64_t n = skel_constant(p);
    if (!is_given(p, name, sizeof name - 1, &n) || p->status != TL_OK) {
        set_ranks(p, n, line);
        return;
    }
    if (n < 1 || n > INT32_MAX)
        p->status =
            tl_fail(p->err, TL_ERR_USAGE, "%s: ranks=%" PRId64 ": give a number from 1 to %d",
                    p->s->path, n, INT32_MAX);
    set_ranks(p, n, line);
}

static void read_parameter(skel_parser *p)
{
    const skel_token token = new_name(p);
    skel_expect(p, "=", "param NAME = DEFAULT");
    const bool is_captured = skel_accept(p, "captured");
    int64_t value = is_captured ? 0 : skel_constant(p);
    const bool is_needed = !is_given(p, token.start, token.size, &value) && is_captured;
    skel_parameter *kept = skel_new(p, &p->s->parameters, sizeof *kept);
    if (!kept || !(kept->name = strndup(token.start, token.size))) {
        skel_out_of_memory(p);
        return;
    }
    kept->value = value;
    skel_define_constant(p, &token, value);
    skel_name *name = p->status == TL_OK ? (skel_name *)p->names.items + p->names.n - 1 : NULL;
    if (name) {
        name->is_captured = is_captured;
        name->needs_value = is_needed;
    }
}

/* grid NAME = SIZE [periodic], ... */
static void read_grid(skel_parser *p)
{
    const uint32_t line = p->token.line;
    const skel_token token = new_name(p);
    skel_grid grid = {0};
    int64_t places = 1;
    skel_expect(p, "=", "grid NAME = SIZE [periodic], ..., with the fastest dimension last");
    do {
        const uint32_t d = grid.n_dimensions;
        if (d == SKEL_MAX_DIMENSIONS) {
            skel_wrong(p, line, "a grid has more than %d dimensions; join some",
                       SKEL_MAX_DIMENSIONS);
            return;
        }
        grid.size[d] = read_constant(p, &grid.expression[d]);
        grid.periodic[d] = skel_accept(p, "periodic");
        if (p->status == TL_OK && grid.size[d] < 1)
            skel_wrong(p, line,
                       "dimension %" PRIu32 " of the grid has the size %" PRId64
                       "; give sizes of at least 1",
                       d, grid.size[d]);
        if (__builtin_mul_overflow(places, grid.size[d], &places))
            places = INT64_MAX;
        grid.n_dimensions++;
    } while (skel_accept(p, ","));
    if (places != p->s->n_ranks)
        skel_wrong(p, line,
                   "the grid has %" PRId64 " places for %" PRId64
                   " ranks; choose sizes whose product is the number of ranks",
                   places, p->s->n_ranks);
    skel_grid *kept = skel_new(p, &p->s->grids, sizeof *kept);
    if (!kept)
        return;
    *kept = grid;
    define(p, &token, (uint32_t)(p->s->grids.n - 1), true, SKEL_A_GRID);
}

/* comm NAME = COLOUR [, KEY] */
static void read_comm(skel_parser *p)
{
    const uint32_t line = p->token.line;
    const skel_token token = new_name(p);
    skel_expect(p, "=", "comm NAME = COLOUR [, KEY]");
    const uint32_t number = skel_read_comm(p, &token, line);
    define(p, &token, number, true, SKEL_A_COMM);
}

/* distribution NAME = SIZE, SIZE... [seed NUMBER] */
static void read_distribution(skel_parser *p)
{
    const uint32_t line = p->token.line;
    const skel_token token = new_name(p);
    skel_expect(p, "=", "distribution NAME = SIZE, SIZE, ...");
    const uint32_t number = skel_read_distribution(p, line);
    define(p, &token, number, true, SKEL_A_DISTRIBUTION);
}

/* The grid behind `by` or `in`. NULL: it is none. */
static const skel_grid *read_grid_name(skel_parser *p)
{
    const skel_name *name = skel_name_of(p, SKEL_A_GRID);
    if (!name)
        skel_wrong(p, p->token.line,
                   "copies has no grid behind by or in; write copies NAME by GRID = NUMBER, ...");
    skel_advance(p);
    return name ? (skel_grid *)p->s->grids.items + name->slot : NULL;
}

/* copies NAME [by GRID | in GRID] = ROWS: the place of a rank in its row is a slot. */
static void read_copies(skel_parser *p)
{
    const uint32_t line = p->token.line;
    const skel_token token = new_name(p);
    const bool in_blocks = skel_accept(p, "in");
    const skel_grid *grid = in_blocks || skel_accept(p, "by") ? read_grid_name(p) : NULL;
    skel_expect(p, "=", "copies NAME = NUMBER, ...");
    const uint32_t number = skel_read_copies(p, line, grid, in_blocks);
    if (p->status == TL_OK)
        ((skel_copies *)p->s->copies.items)[number].slot = p->s->n_slots;
    skel_define_constant(p, &token, 0);
    if (p->status != TL_OK)
        return;
    skel_name *name = (skel_name *)p->names.items + p->names.n - 1;
    name->slot = number;
    name->thing = SKEL_COPIED_ROWS;
}

/* require CONDITION, "what is required": a condition on ranks and parameters. */
static void read_require(skel_parser *p)
{
    static const char how[] = "require CONDITION, \"what is required\"";
    const uint32_t line = p->token.line;
    const char *rule = p->token.start;
    const int64_t holds = skel_constant(p);
    const int length = (int)(p->token.start - rule); /* up to the comma */
    skel_expect(p, ",", how);
    if (p->token.kind != SKEL_T_TEXT)
        skel_wrong(p, line, "require has no text; write %s", how);
    if (!holds)
        skel_wrong(p, line, "not fulfilled: %.*s (require %.*s); give other --ranks or parameters",
                   p->token.size < 200 ? (int)p->token.size : 200, p->token.start,
                   length < 200 ? length : 200, rule);
    skel_advance(p);
}

/* Takes the text of a statement that may be there once. */
static void read_text(skel_parser *p, char **out, const char *what, const char *how)
{
    char text[64];
    if (p->token.kind != SKEL_T_TEXT || !p->token.size || *out)
        skel_wrong(p, p->token.line, "%s instead of %s; write %s, once", skel_found(p, text), what,
                   how);
    if (p->status == TL_OK && !(*out = strndup(p->token.start, p->token.size)))
        skel_out_of_memory(p);
    skel_advance(p);
}

static void read_unit(skel_parser *p)
{
    read_text(p, &p->s->unit, "the unit", "unit \"instructions\"");
}

/* mpi "LIBRARY": what MPI_Get_library_version returned in the captures. */
static void read_mpi(skel_parser *p)
{
    read_text(p, &p->s->mpi, "the MPI library", "mpi \"Open MPI v4.1.4\"");
}

/* ---- blocks ---- */

static uint32_t read_block(skel_parser *p, uint32_t depth);

uint32_t skel_read_braces(skel_parser *p, uint32_t depth)
{
    const size_t n_names = p->names.n;
    skel_expect(p, "{", "{ before the statements of a block, and } behind them");
    if (depth == SKEL_MAX_BLOCKS)
        skel_wrong(p, p->token.line, "blocks are nested more than %d deep; join some",
                   SKEL_MAX_BLOCKS);
    const uint32_t first = p->status == TL_OK ? read_block(p, depth + 1) : 0;
    skel_expect(p, "}", "a } for each {");
    p->names.n = n_names;
    return first;
}

/* let NAME = EXPRESSION: in the head, one that is the same for all ranks is known from now on. */
static uint32_t read_let(skel_parser *p, uint32_t depth)
{
    const uint32_t line = p->token.line;
    const skel_token token = new_name(p);
    skel_expect(p, "=", "let NAME = EXPRESSION");
    const uint32_t value = skel_expression(p);
    if (!depth && !p->varies && p->s->values.n == p->s->n_slots) {
        skel_define_constant(p, &token, evaluate_now(p, line, value));
        return 0;
    }
    const uint32_t number = skel_add(p, SKEL_LET, line);
    if (!number)
        return 0;
    skel_statement_at(p, number)->expressions[0] = value;
    skel_statement_at(p, number)->slot = p->s->n_slots;
    define(p, &token, p->s->n_slots++, false, SKEL_A_NUMBER);
    return number;
}

/* for NAME = FIRST to LAST [by STEP] { ... }, repeat N { ... } */
static uint32_t read_loop(skel_parser *p, uint32_t depth, bool is_for)
{
    const uint32_t line = p->token.line, number = skel_add(p, SKEL_FOR, line);
    const size_t n_names = p->names.n;
    skel_token token = {0};
    uint32_t expressions[3] = {0};
    if (is_for) {
        token = new_name(p);
        skel_expect(p, "=", "for NAME = FIRST to LAST [by STEP] {");
        expressions[0] = skel_expression(p);
        skel_expect(p, "to", "for NAME = FIRST to LAST [by STEP] {");
    }
    expressions[1] = skel_expression(p);
    if (is_for && skel_accept(p, "by"))
        expressions[2] = skel_expression(p);
    if (p->status != TL_OK)
        return 0;
    memcpy(skel_statement_at(p, number)->expressions, expressions, sizeof expressions);
    skel_statement_at(p, number)->slot = p->s->n_slots;
    if (is_for)
        define(p, &token, p->s->n_slots, false, SKEL_A_NUMBER);
    p->s->n_slots++;
    const uint32_t body = skel_read_braces(p, depth);
    skel_statement_at(p, number)->body = body;
    p->names.n = n_names;
    return number;
}

static uint32_t read_if(skel_parser *p, uint32_t depth)
{
    const uint32_t number = skel_add(p, SKEL_IF, p->token.line), test = skel_expression(p);
    const uint32_t body = skel_read_braces(p, depth);
    uint32_t other = 0;
    if (skel_accept(p, "else")) {
        if (depth == SKEL_MAX_BLOCKS)
            skel_wrong(p, p->token.line, "more than %d times else if; join some", SKEL_MAX_BLOCKS);
        else
            other = skel_accept(p, "if") ? read_if(p, depth + 1) : skel_read_braces(p, depth);
    }
    if (p->status != TL_OK)
        return 0;
    skel_statement_at(p, number)->expressions[0] = test;
    skel_statement_at(p, number)->body = body;
    skel_statement_at(p, number)->other = other;
    return number;
}

static uint32_t read_compute(skel_parser *p)
{
    const uint32_t number = skel_add(p, SKEL_COMPUTE, p->token.line);
    if (!p->s->unit)
        skel_wrong(p, p->token.line,
                   "compute has no unit; write unit \"instructions\" or another "
                   "one in a line before");
    const uint32_t volume = skel_expression(p);
    if (p->status == TL_OK)
        skel_statement_at(p, number)->expressions[0] = volume;
    return number;
}

static uint32_t read_statement(skel_parser *p, uint32_t depth)
{
    if (skel_accept(p, "let"))
        return read_let(p, depth);
    if (skel_accept(p, "for"))
        return read_loop(p, depth, true);
    if (skel_accept(p, "if"))
        return read_if(p, depth);
    return p->s->language->read_statement(p, depth);
}

/* A statement that a schedule does not have. */
static uint32_t read_other(skel_parser *p, uint32_t depth)
{
    static const char *const heads[] = {"param", "grid",         "unit",    "require", "mpi",
                                        "comm",  "distribution", "capture", "copies"};
    static void (*const readers[])(skel_parser *) = {
        read_parameter, read_grid,         read_unit,         read_require, read_mpi,
        read_comm,      read_distribution, skel_read_capture, read_copies};
    char text[64];
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        if (skel_accept(p, heads[i])) {
            if (depth)
                skel_wrong(p, p->token.line, "%s is in a block; write it before all blocks",
                           heads[i]);
            readers[i](p);
            return 0;
        }
    if (skel_accept(p, "repeat"))
        return read_loop(p, depth, false);
    if (skel_accept(p, "compute"))
        return read_compute(p);
    if (p->token.kind == SKEL_T_NAME)
        return skel_read_call(p);
    skel_wrong(p, p->token.line, "%s instead of a statement; write one in each line",
               skel_found(p, text));
    return 0;
}

/* Statements up to a } or the end; the first one. */
static uint32_t read_block(skel_parser *p, uint32_t depth)
{
    uint32_t first = 0, last = 0;
    char text[64];
    while (p->status == TL_OK && p->token.kind != SKEL_T_END && !skel_is(p, "}")) {
        if (p->token.kind == SKEL_T_LINE) {
            skel_advance(p);
            continue;
        }
        const uint32_t number = read_statement(p, depth);
        if (number && last)
            skel_statement_at(p, last)->next = number;
        first = first ? first : number;
        last = number ? number : last;
        if (p->token.kind != SKEL_T_LINE && p->token.kind != SKEL_T_END && !skel_is(p, "}"))
            skel_wrong(p, p->token.line, "%s behind a statement; begin a new line",
                       skel_found(p, text));
    }
    return first;
}

/* A parameter with the value of a capture needs one. */
static void check_captured(skel_parser *p)
{
    const skel_name *names = p->names.items;
    for (size_t i = 0; !p->s->n_captures && i < p->names.n; i++)
        if (names[i].needs_value)
            skel_wrong(p, p->token.line,
                       "'%.*s' is captured, and there is no capture; write a number, or capture "
                       "ranks = NUMBER, %.*s = NUMBER",
                       (int)names[i].size, names[i].start, (int)names[i].size, names[i].start);
}

void skel_skip_lines(skel_parser *p)
{
    while (p->token.kind == SKEL_T_LINE)
        skel_advance(p);
}

void skel_read_version(skel_parser *p, const char *word, const char *where)
{
    skel_expect(p, word, where);
    if (p->status == TL_OK && (p->token.kind != SKEL_T_NUMBER || p->token.number != 1))
        skel_wrong(p, p->token.line,
                   "the version of the language is not 1; write '%s 1', or use the timeless that "
                   "knows it",
                   word);
    skel_advance(p);
    skel_skip_lines(p);
}

tl_status skel_parse(skel_parser *p)
{
    if (!skel_push(&p->s->nodes, sizeof(skel_node)) ||
        !skel_push(&p->s->statements, sizeof(skel_statement)))
        skel_out_of_memory(p);
    skel_advance(p);
    p->s->language->read_head(p);
    if (p->status == TL_OK)
        p->s->first = read_block(p, 0);
    if (skel_is(p, "}"))
        skel_wrong(p, p->token.line, "a } without a {; remove it");
    check_captured(p);
    skel_check_comms(p);
    free(p->names.items);
    return p->status;
}

static void read_head(skel_parser *p)
{
    static const char rank_name[] = "rank", ranks_name[] = "ranks";
    const skel_token rank = {.start = rank_name, .size = sizeof rank_name - 1};
    const skel_token ranks = {.start = ranks_name, .size = sizeof ranks_name - 1};
    skel_read_version(p, "skeleton", "'skeleton 1' in the first line");
    skel_define_constant(p, &rank, 0);
    skel_define_constant(p, &ranks, 1);
    if (p->status != TL_OK)
        return;
    ((skel_name *)p->names.items)[0].is_constant = false;
    while (p->status == TL_OK && p->s->values.n <= SKEL_KEY)
        skel_new(p, &p->s->values, sizeof(int64_t));
    p->s->n_slots = SKEL_KEY + 1;
    read_ranks(p);
}

tl_status skel_read(skeleton *s, const char *source, const skel_parameter *given, size_t n_given,
                    tl_error *err)
{
    static const skel_language language = {
        .endless = "more than 100000000 statements without a call; shorten the loops",
        .read_head = read_head,
        .read_statement = read_other};
    skel_parser p = {
        .s = s, .at = source, .line = 1, .err = err, .given = given, .n_given = n_given};
    s->language = &language;
    return skel_parse(&p);
}
