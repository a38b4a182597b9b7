/* skeleton_expression.c - parses the expressions of a skeleton. */
#include "config.h"

#include "skeleton.h"

#include "core/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* In the order of skel_op; a higher level binds more. */
static const struct {
    const char *sign;
    int level;
} operators[] = {{"||", 1}, {"&&", 2}, {"==", 3}, {"!=", 3}, {"<=", 3}, {">=", 3},
                 {"<<", 7}, {">>", 7}, {"<", 3},  {">", 3},  {"|", 4},  {"^", 5},
                 {"&", 6},  {"+", 8},  {"-", 8},  {"*", 9},  {"/", 9},  {"%", 9}};
enum { N_OPERATORS = sizeof operators / sizeof *operators, COMPARISON = 3, HIGHEST = 9 };

/* Likewise. */
static const struct {
    const char *name;
    uint32_t n_arguments;
} functions[] = {{"min", 2},   {"max", 2},       {"abs", 1},    {"bits", 1},    {"root", 2},
                 {"owner", 3}, {"local", 4},     {"dims", 3},   {"permute", 3}, {"unpermute", 3},
                 {"coord", 1}, {"neighbour", 2}, {"around", 1}, {"rank_in", 0}, {"ranks_in", 0},
                 {"draw", 0},  {"copied", 0},    {"partner", 0}};
enum { N_FUNCTIONS = sizeof functions / sizeof *functions };

/* By skel_thing. */
static const struct {
    const char *what, *how, *use;
} things[] = {{NULL, NULL, NULL},
              {"grid", "grid NAME = SIZE, ...", "coord or neighbour"},
              {"communicator", "comm NAME = COLOUR, KEY", "rank_in or ranks_in"},
              {"distribution", "distribution NAME = SIZE, SIZE, ...", "draw"},
              {"name of copies", "copies NAME = NUMBER, ...", "copied or partner"}};

static const char *const words[] = {"skeleton", "ranks",    "rank",         "param",   "unit",
                                    "grid",     "periodic", "require",      "let",     "for",
                                    "to",       "by",       "repeat",       "if",      "else",
                                    "compute",  "null",     "world",        "self",    "all",
                                    "request",  "comm",     "distribution", "capture", "copies"};

static bool is_word(const skel_token *name, const char *word)
{
    return name->size == strlen(word) && !memcmp(name->start, word, name->size);
}

bool skel_is_reserved(const skel_token *name)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (is_word(name, words[i]))
            return true;
    for (size_t i = 0; i < N_FUNCTIONS; i++)
        if (is_word(name, functions[i].name))
            return true;
    return false;
}

const skel_name *skel_find_name(const skel_parser *p, const skel_token *name)
{
    const skel_name *names = p->names.items;
    for (size_t i = p->names.n; i-- > 0;)
        if (names[i].size == name->size && !memcmp(names[i].start, name->start, name->size))
            return &names[i];
    return NULL;
}

const skel_name *skel_name_of(const skel_parser *p, skel_thing thing)
{
    const skel_name *found = p->token.kind == SKEL_T_NAME ? skel_find_name(p, &p->token) : NULL;
    return found && found->thing == thing ? found : NULL;
}

/* A new node; 0 after a failure. */
static uint32_t add(skel_parser *p, skel_op op, uint32_t line, int64_t value)
{
    if (p->status != TL_OK)
        return 0;
    if (++p->n_nodes > SKEL_MAX_NODES) {
        skel_wrong(p, line, "an expression has more than %d parts; divide it by let",
                   SKEL_MAX_NODES);
        return 0;
    }
    skel_node *node = skel_new(p, &p->s->nodes, sizeof *node);
    if (!node)
        return 0;
    node->op = op;
    node->line = line;
    node->value = value;
    return (uint32_t)(p->s->nodes.n - 1);
}

static void set_operand(skel_parser *p, uint32_t node, uint32_t i, uint32_t operand)
{
    if (p->status == TL_OK)
        ((skel_node *)p->s->nodes.items)[node].operand[i] = operand;
}

static uint32_t condition(skel_parser *p);

/* draw(DISTRIBUTION): its number. */
static int64_t drawn_from(skel_parser *p, uint32_t line)
{
    const skel_name *found = skel_name_of(p, SKEL_A_DISTRIBUTION);
    if (!p->may_draw)
        skel_wrong(p, line,
                   "draw is in another place than count=, recv_count=, counts= or recv_counts= of "
                   "a message or collective; draw there");
    else if (p->draw)
        skel_wrong(p, line, "draw appears twice in a size; draw once");
    else if (!found)
        skel_wrong(p, line,
                   "the argument of draw is not a distribution; define one: distribution NAME = "
                   "SIZE, SIZE, ...");
    if (!found || p->status != TL_OK)
        return 0;
    skel_advance(p);
    p->varies = true;
    p->draw = found->slot + 1;
    return found->slot;
}

/* The grid, communicator or copies that a function is about; its number. */
static int64_t named_argument(skel_parser *p, uint32_t line, const char *name, skel_op op)
{
    const skel_thing thing = op >= SKEL_COPIED    ? SKEL_COPIED_ROWS
                             : op >= SKEL_RANK_IN ? SKEL_A_COMM
                                                  : SKEL_A_GRID;
    const skel_name *found = skel_name_of(p, thing);
    if (!found) {
        skel_wrong(p, line, "an argument of %s is not a %s; define one: %s", name,
                   things[thing].what, things[thing].how);
        return 0;
    }
    p->varies = true;
    if (p->is_constant)
        skel_wrong(p, line, "%s differs between ranks, and this value is the same for all; use let",
                   name);
    skel_advance(p);
    return found->slot;
}

static uint32_t parse_call(skel_parser *p, uint32_t which)
{
    const uint32_t line = p->token.line, n = functions[which].n_arguments;
    const char *name = functions[which].name;
    const skel_op op = (skel_op)(which + SKEL_MIN);
    const bool has_name = op == SKEL_RANK_IN || op == SKEL_RANKS_IN || op >= SKEL_COPIED;
    const bool in_grid = op >= SKEL_COORD && op < SKEL_RANK_IN;
    int64_t of = 0;
    skel_advance(p);
    skel_expect(p, "(", "the arguments of a function in parentheses");
    if (in_grid || has_name)
        of = named_argument(p, line, name, op);
    if (op == SKEL_DRAW)
        of = drawn_from(p, line);
    if (in_grid)
        skel_expect(p, ",", "a comma behind the grid");
    if (p->status != TL_OK)
        return 0;
    const uint32_t node = add(p, op, line, of);
    if (op == SKEL_PARTNER && skel_accept(p, ",")) {
        const int64_t comm = named_argument(p, line, name, SKEL_RANK_IN);
        set_operand(p, node, 0, add(p, SKEL_NUMBER, line, comm + 1));
    }
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            skel_expect(p, ",", "all arguments of the function");
        set_operand(p, node, i, condition(p));
    }
    if (skel_is(p, ","))
        skel_wrong(p, line, "%s has too many arguments; give %" PRIu32 "%s", name, n,
                   in_grid ? " behind the grid" : "");
    skel_expect(p, ")", "all arguments of the function, and a parenthesis");
    return node;
}

static const char *shown(const skel_token *name, char text[64])
{
    snprintf(text, 64, "'%.*s'", name->size < 40 ? (int)name->size : 40, name->start);
    return text;
}

static uint32_t named(skel_parser *p)
{
    char text[64];
    const skel_token token = p->token;
    const skel_name *name = skel_find_name(p, &token);
    for (uint32_t i = 0; i < N_FUNCTIONS; i++)
        if (is_word(&token, functions[i].name))
            return parse_call(p, i);
    p->uses_captured |= name && name->needs_value;
    skel_advance(p);
    if (is_word(&token, "null"))
        return add(p, SKEL_NUMBER, token.line, SKEL_NULL);
    if (name && name->thing != SKEL_A_NUMBER)
        skel_wrong(p, token.line, "%s is a %s, not a number; use %s", shown(&token, text),
                   things[name->thing].what, things[name->thing].use);
    else if (!name)
        skel_wrong(p, token.line,
                   "%s is not defined here; define it by param or let, or correct the name",
                   shown(&token, text));
    else if (p->is_constant && !name->is_constant)
        skel_wrong(p, token.line,
                   "%s differs between ranks or in time, and this value is the same for all; use "
                   "parameters and ranks",
                   shown(&token, text));
    p->varies |= name && !name->is_constant;
    return p->status == TL_OK ? add(p, SKEL_VARIABLE, token.line, name->slot) : 0;
}

static uint32_t operand(skel_parser *p)
{
    const skel_token token = p->token;
    char text[64];
    uint32_t node = 0;
    if (p->status != TL_OK)
        return 0;
    if (++p->depth > SKEL_MAX_DEPTH)
        skel_wrong(p, token.line, "an expression is nested more than %d deep; divide it by let",
                   SKEL_MAX_DEPTH);
    if (token.kind == SKEL_T_NUMBER) {
        skel_advance(p);
        node = add(p, SKEL_NUMBER, token.line, token.number);
    } else if (token.kind == SKEL_T_NAME) {
        node = named(p);
    } else if (skel_accept(p, "(")) {
        node = condition(p);
        skel_expect(p, ")", "a closing parenthesis for each opening one");
    } else if (skel_is(p, "-") || skel_is(p, "!")) {
        node = add(p, skel_is(p, "-") ? SKEL_NEGATE : SKEL_NOT, token.line, 0);
        skel_advance(p);
        set_operand(p, node, 0, operand(p));
    } else {
        skel_wrong(p, token.line,
                   "%s instead of an expression; write a number, a name or a "
                   "parenthesis",
                   skel_found(p, text));
    }
    p->depth--;
    return node;
}

/* The operator of this level that is next; N_OPERATORS: none. */
static uint32_t next_operator(const skel_parser *p, int level)
{
    uint32_t i = 0;
    while (i < N_OPERATORS && (operators[i].level != level || !skel_is(p, operators[i].sign)))
        i++;
    return i;
}

static uint32_t binary(skel_parser *p, int level)
{
    if (level > HIGHEST)
        return operand(p);
    uint32_t left = binary(p, level + 1);
    for (uint32_t n = 0, i; (i = next_operator(p, level)) < N_OPERATORS; n++) {
        if (n && level == COMPARISON)
            skel_wrong(p, p->token.line, "two comparisons in a row; join comparisons by && or ||");
        const uint32_t node = add(p, (skel_op)(i + SKEL_OR), p->token.line, 0);
        skel_advance(p);
        set_operand(p, node, 0, left);
        set_operand(p, node, 1, binary(p, level + 1));
        left = node;
    }
    return left;
}

static uint32_t condition(skel_parser *p)
{
    if (p->status == TL_OK && ++p->depth > SKEL_MAX_DEPTH)
        skel_wrong(p, p->token.line, "an expression is nested more than %d deep; divide it by let",
                   SKEL_MAX_DEPTH);
    const uint32_t test = binary(p, 1), line = p->token.line;
    uint32_t node = test;
    if (skel_accept(p, "?")) {
        node = add(p, SKEL_CONDITION, line, 0);
        set_operand(p, node, 0, test);
        set_operand(p, node, 1, condition(p));
        skel_expect(p, ":", "CONDITION ? VALUE : VALUE");
        set_operand(p, node, 2, condition(p));
    }
    p->depth--;
    return node;
}

uint32_t skel_expression(skel_parser *p)
{
    p->depth = 0;
    p->n_nodes = 0;
    p->varies = false;
    p->draw = 0;
    return condition(p);
}
