/* skeleton_evaluate.c - the values of a skeleton's expressions: whole numbers of 64 bits. A result
 * that has no place in them is refused, and so is a number that a function is not defined for. */
#include "config.h"

#include "skeleton.h"

#include "extrapolate/extrapolate.h"

#include <inttypes.h>
#include <stdio.h>

/* An expression while it is evaluated. */
typedef struct evaluation {
    const skeleton *s;
    int64_t *slots;
    int64_t rank;
    tl_status status;
    tl_error *err;
} evaluation;

static int64_t wrong(evaluation *v, const skel_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int64_t wrong(evaluation *v, const skel_node *node, const char *format, ...)
{
    char text[300], who[40] = "";
    va_list args;
    if (v->status != TL_OK)
        return 0;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (v->rank >= 0)
        snprintf(who, sizeof who, "rank %" PRId64 ": ", v->rank);
    v->status = skel_fail(v->err, v->s, node->line, "%s%s", who, text);
    return 0;
}

static int64_t value_of(evaluation *v, uint32_t number);

/* A value that must be a number. */
static int64_t number_of(evaluation *v, uint32_t number)
{
    const skel_node *node = (const skel_node *)v->s->nodes.items + number;
    const int64_t value = value_of(v, number);
    if (value == SKEL_NULL)
        return wrong(v, node, "null is not a number; compare it by == or !=, or give it as a peer");
    return value;
}

static int64_t too_large(evaluation *v, const skel_node *node)
{
    return wrong(v, node, "a result has more than 63 bits; divide before you multiply");
}

/* Rounds down; the remainder has the sign of the divisor. */
static int64_t divide(evaluation *v, const skel_node *node, int64_t a, int64_t b)
{
    if (!b)
        return wrong(v, node, "division of %" PRId64 " by zero; guard it by a condition", a);
    int64_t quotient = a / b, rest = a % b;
    if (rest && (rest < 0) != (b < 0)) {
        quotient--;
        rest += b;
    }
    return node->op == SKEL_DIVIDE ? quotient : rest;
}

static int64_t shift(evaluation *v, const skel_node *node, int64_t a, int64_t b)
{
    if (b < 0 || b > 62)
        return wrong(v, node, "a shift by %" PRId64 " bits; shift by 0 to 62", b);
    if (a < 0)
        return wrong(v, node,
                     "a shift of the negative number %" PRId64 "; shift numbers of at least 0", a);
    if (node->op == SKEL_SHIFT_RIGHT)
        return a >> b;
    return a > INT64_MAX >> b ? too_large(v, node) : a << b;
}

static int64_t arithmetic(evaluation *v, const skel_node *node, int64_t a, int64_t b)
{
    int64_t result = 0;
    bool fails = false;
    switch (node->op) {
    case SKEL_ADD: fails = __builtin_add_overflow(a, b, &result); break;
    case SKEL_SUBTRACT: fails = __builtin_sub_overflow(a, b, &result); break;
    case SKEL_MULTIPLY: fails = __builtin_mul_overflow(a, b, &result); break;
    case SKEL_DIVIDE:
    case SKEL_MODULO: return divide(v, node, a, b);
    case SKEL_SHIFT_LEFT:
    case SKEL_SHIFT_RIGHT: return shift(v, node, a, b);
    case SKEL_BELOW: return a < b;
    case SKEL_ABOVE: return a > b;
    case SKEL_AT_MOST: return a <= b;
    case SKEL_AT_LEAST: return a >= b;
    default:
        if (a < 0 || b < 0)
            return wrong(v, node,
                         "a bit operation on the negative number %" PRId64
                         "; use numbers of at least 0",
                         a < 0 ? a : b);
        return node->op == SKEL_BIT_AND ? a & b : node->op == SKEL_BIT_OR ? a | b : a ^ b;
    }
    return fails || result == SKEL_NULL ? too_large(v, node) : result;
}

/* The number of binary digits. */
static int64_t bits(evaluation *v, const skel_node *node, int64_t a)
{
    if (a < 0)
        return wrong(v, node, "bits(%" PRId64 ") is not defined; give a number of at least 0", a);
    return a ? 64 - __builtin_clzll((unsigned long long)a) : 0;
}

/* Whether x^n is at most a. */
static bool power_fits(int64_t x, int64_t n, int64_t a)
{
    int64_t power = 1;
    for (int64_t i = 0; i < n; i++)
        if (__builtin_mul_overflow(power, x, &power) || power > a)
            return false;
    return true;
}

/* The largest whole number of which the n-th power is at most a. */
static int64_t root(evaluation *v, const skel_node *node, int64_t a, int64_t n)
{
    if (a < 0 || n < 1 || n > 62)
        return wrong(v, node,
                     "root(%" PRId64 ", %" PRId64
                     ") is not defined; give a number of at least 0, and a root from 1 to 62",
                     a, n);
    if (n == 1)
        return a;
    int64_t low = 0, high = a < INT64_C(3037000499) ? a : INT64_C(3037000499);
    while (low < high) {
        const int64_t middle = low + (high - low + 1) / 2;
        if (power_fits(middle, n, a))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* owner(i, nb, p): who has the i-th element if blocks of nb are dealt out to p in turn. */
static int64_t owner(evaluation *v, const skel_node *node, int64_t i, int64_t nb, int64_t p)
{
    if (i < 0 || nb < 1 || p < 1)
        return wrong(
            v, node,
            "owner(%" PRId64 ", %" PRId64 ", %" PRId64
            ") is not defined; give an index of at least 0, a block and a number of owners of "
            "at least 1",
            i, nb, p);
    return i / nb % p;
}

/* local(n, nb, q, p): how many of n elements q has of p, likewise. */
static int64_t local(evaluation *v, const skel_node *node, const int64_t *a)
{
    const int64_t n = a[0], nb = a[1], q = a[2], p = a[3];
    if (n < 0 || nb < 1 || q < 0 || q >= p)
        return wrong(
            v, node,
            "local(%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
            ") is not defined; give a size of at least 0, a block of at least 1, and an owner "
            "from 0 to below the number of owners",
            n, nb, q, p);
    const int64_t blocks = n / nb, more = blocks % p;
    return blocks / p * nb + (q < more ? nb : q == more ? n % nb : 0);
}

/* dims(n, k, d): the size of dimension d of n ranks in k dimensions, as of MPI_Dims_create. */
static int64_t dims(evaluation *v, const skel_node *node, int64_t n, int64_t k, int64_t d)
{
    int32_t size[TL_MAX_DIMS];
    if (n < 1 || n > INT32_MAX || k < 1 || k > TL_MAX_DIMS || d < 0 || d >= k)
        return wrong(v, node,
                     "dims(%" PRId64 ", %" PRId64 ", %" PRId64
                     ") is not defined; give a number of ranks, 1 to %d dimensions, and one of "
                     "them, from 0",
                     n, k, d, TL_MAX_DIMS);
    tl_grid_create(n, (int)k, size);
    return size[d];
}

/* permute(i, n, key): the i-th number of a random permutation of 0 .. n-1, which every rank
 * computes for itself; unpermute: where i stands in it.  A Feistel network over the next even power
 * of two, applied until the number is in range (Black and Rogaway, "Ciphers with Arbitrary Finite
 * Domains", 2002). */
static uint32_t mix(uint64_t key, uint32_t half)
{
    uint64_t x = key + half * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)(x >> 32);
}

/* From the last round to the first, with the halves exchanged, the network undoes itself. */
static int64_t permute(evaluation *v, const skel_node *node, int64_t i, int64_t n, int64_t key)
{
    const bool back = node->op == SKEL_UNPERMUTE;
    if (i < 0 || i >= n)
        return wrong(v, node,
                     "the place %" PRId64 " in a permutation of %" PRId64
                     " numbers is not defined; count them from 0",
                     i, n);
    unsigned n_bits = 1;
    while (n_bits < 31 && (INT64_C(1) << (2 * n_bits)) < n)
        n_bits++;
    const uint32_t mask = (UINT32_C(1) << n_bits) - 1;
    do {
        const uint32_t high = (uint32_t)(i >> n_bits), low = (uint32_t)i & mask;
        uint32_t a = back ? low : high, b = back ? high : low;
        for (int r = 0; r < 4; r++) {
            const uint32_t next = a ^ (mix((uint64_t)key + (uint64_t)(back ? 3 - r : r), b) & mask);
            a = b;
            b = next;
        }
        i = back ? (int64_t)b << n_bits | a : (int64_t)a << n_bits | b;
    } while (i >= n);
    return i;
}

/* coord(grid, dimension), neighbour(grid, dimension, distance): of the rank itself. */
static int64_t in_grid(evaluation *v, const skel_node *node, int64_t dimension, int64_t distance)
{
    const skel_grid *grid = (const skel_grid *)v->s->grids.items + node->value;
    int64_t stride = 1, moved;
    if (dimension < 0 || dimension >= grid->n_dimensions)
        return wrong(v, node,
                     "dimension %" PRId64 " of a grid that has %" PRIu32 "; count them from 0",
                     dimension, grid->n_dimensions);
    for (uint32_t d = grid->n_dimensions - 1; d > dimension; d--)
        stride *= grid->size[d];
    const int64_t size = grid->size[dimension], at = v->slots[0] / stride % size;
    if (node->op == SKEL_COORD)
        return at;
    if (grid->periodic[dimension]) {
        const int64_t rest = distance % size;
        moved = (at + rest + size) % size;
    } else if (__builtin_add_overflow(at, distance, &moved) || moved < 0 || moved >= size) {
        return SKEL_NULL;
    }
    return v->slots[0] + (moved - at) * stride;
}

/* around(grid, k): the rank at the k-th of the offsets -1, 0 and 1 in all dimensions; the last
 * dimension varies fastest. */
static int64_t around(evaluation *v, const skel_node *node, int64_t k)
{
    const skel_grid *grid = (const skel_grid *)v->s->grids.items + node->value;
    int64_t n = 1, result = 0, stride = 1, rest = v->slots[0];
    for (uint32_t d = 0; d < grid->n_dimensions; d++)
        n *= 3;
    if (k < 0 || k >= n)
        return wrong(v, node,
                     "around(..., %" PRId64 ") is not defined; give a number from 0 to %" PRId64, k,
                     n - 1);
    for (uint32_t d = grid->n_dimensions; d-- > 0;) {
        const int64_t size = grid->size[d];
        int64_t moved = rest % size + k % 3 - 1;
        if (grid->periodic[d])
            moved = (moved + size) % size;
        else if (moved < 0 || moved >= size)
            return SKEL_NULL;
        result += moved * stride;
        stride *= size;
        rest /= size;
        k /= 3;
    }
    return result;
}

/* rank_in(comm), null outside of it; ranks_in(comm), then 0: of the rank itself. */
static int64_t in_comm(const evaluation *v, const skel_node *node)
{
    const skel_comm *comm = (const skel_comm *)v->s->comms.items + node->value;
    const uint32_t size = comm->size[v->slots[0]];
    if (node->op == SKEL_RANKS_IN)
        return size;
    return size ? comm->place[v->slots[0]] : SKEL_NULL;
}

static int64_t function(evaluation *v, const skel_node *node)
{
    int64_t a[4] = {0};
    for (int i = 0; i < 4 && node->operand[i]; i++)
        a[i] = number_of(v, node->operand[i]);
    if (v->status != TL_OK)
        return 0;
    switch (node->op) {
    case SKEL_MIN: return a[0] < a[1] ? a[0] : a[1];
    case SKEL_MAX: return a[0] > a[1] ? a[0] : a[1];
    case SKEL_ABS: return a[0] < 0 ? -a[0] : a[0];
    case SKEL_BITS: return bits(v, node, a[0]);
    case SKEL_ROOT: return root(v, node, a[0], a[1]);
    case SKEL_OWNER: return owner(v, node, a[0], a[1], a[2]);
    case SKEL_LOCAL: return local(v, node, a);
    case SKEL_DIMS: return dims(v, node, a[0], a[1], a[2]);
    case SKEL_PERMUTE:
    case SKEL_UNPERMUTE: return permute(v, node, a[0], a[1], a[2]);
    case SKEL_AROUND: return around(v, node, a[0]);
    case SKEL_RANK_IN:
    case SKEL_RANKS_IN: return in_comm(v, node);
    case SKEL_DRAW: return skel_drawn(v->s, node->value, (uint64_t)v->slots[SKEL_KEY]);
    case SKEL_COPIED: return skel_copied(v->s, v->slots, node->value);
    case SKEL_PARTNER: return skel_partner(v->s, v->slots, node->value, a[0]);
    default: return in_grid(v, node, a[0], a[1]);
    }
}

static int64_t value_of(evaluation *v, uint32_t number)
{
    const skel_node *node = (const skel_node *)v->s->nodes.items + number;
    const uint32_t *operand = node->operand;
    if (v->status != TL_OK)
        return 0;
    switch (node->op) {
    case SKEL_NUMBER: return node->value;
    case SKEL_VARIABLE: return v->slots[node->value];
    case SKEL_NEGATE: return -number_of(v, operand[0]);
    case SKEL_NOT: return !number_of(v, operand[0]);
    case SKEL_OR: return number_of(v, operand[0]) || number_of(v, operand[1]);
    case SKEL_AND: return number_of(v, operand[0]) && number_of(v, operand[1]);
    case SKEL_EQUAL: return value_of(v, operand[0]) == value_of(v, operand[1]);
    case SKEL_UNEQUAL: return value_of(v, operand[0]) != value_of(v, operand[1]);
    case SKEL_CONDITION: return value_of(v, operand[number_of(v, operand[0]) ? 1 : 2]);
    default: break;
    }
    if (node->op >= SKEL_MIN)
        return function(v, node);
    const int64_t a = number_of(v, operand[0]), b = number_of(v, operand[1]);
    return v->status == TL_OK ? arithmetic(v, node, a, b) : 0;
}

tl_status skel_evaluate(const skeleton *s, int64_t *slots, uint32_t node, int64_t rank,
                        int64_t *out, tl_error *err)
{
    const skel_node *first = (const skel_node *)s->nodes.items + node;
    if (first->op == SKEL_NUMBER) { /* as most are */
        *out = first->value;
        return TL_OK;
    }
    evaluation v = {.s = s, .slots = slots, .rank = rank, .err = err};
    const int64_t value = value_of(&v, node);
    if (v.status == TL_OK)
        *out = value;
    return v.status;
}
