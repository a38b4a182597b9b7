/* hpl_options.c - the parameters of HPL as a text: "N=50000,NB=128,P=32,Q=32". */
#include "hpl.h"

#include "core/error.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* The ranks: ten times the cores of the largest runs of HPL. A replay needs more than a kilobyte
 * for each. */
enum { MOST_ROWS = 65535, MOST_RANKS = 1 << 24 };

#define NARROW(key, field, min, max)                                                               \
    {                                                                                              \
        key, offsetof(tl_hpl, field), 0, min, max                                                  \
    }
static const hpl_parameter parameters[] = {
    {"N", offsetof(tl_hpl, n), 1, 1, INT32_MAX - 1},
    NARROW("NB", nb, 1, HPL_MAX_NB),
    NARROW("P", p, 1, MOST_ROWS),
    NARROW("Q", q, 1, MOST_ROWS),
    NARROW("PMAP", column_major, 0, 1),
    NARROW("PFACT", pfact, 0, 2),
    NARROW("NBMIN", nbmin, 1, HPL_MAX_NB),
    NARROW("NDIV", ndiv, 2, HPL_MAX_NB),
    NARROW("RFACT", rfact, 0, 2),
    NARROW("BCAST", bcast, 0, 5),
    NARROW("DEPTH", depth, 0, HPL_MAX_DEPTH),
    NARROW("SWAP", swap, 0, 2),
    {"THRESHOLD", offsetof(tl_hpl, threshold), 1, 0, INT32_MAX},
    NARROW("L1", l1_no_transpose, 0, 1),
    NARROW("U", u_no_transpose, 0, 1),
    NARROW("EQUIL", equilibrate, 0, 1),
    NARROW("MOVES", moves, 0, 1),
    {"SEED", offsetof(tl_hpl, seed), 1, 0, INT64_MAX},
    {"FROM", offsetof(tl_hpl, from), 1, 0, INT32_MAX},
    {"PAST", offsetof(tl_hpl, past), 1, 0, INT32_MAX},
};
enum { N_PARAMETERS = sizeof parameters / sizeof *parameters, OF_WINDOWS = 2 };

void tl_hpl_default(tl_hpl *o)
{
    *o = (tl_hpl){.nb = 128,
                  .pfact = HPL_RIGHT,
                  .nbmin = 4,
                  .ndiv = 2,
                  .rfact = HPL_CROUT,
                  .bcast = HPL_1RING_M,
                  .depth = 1,
                  .swap = HPL_SWAP_MIX,
                  .threshold = 64,
                  .equilibrate = 1,
                  .moves = 1,
                  .seed = 1,
                  .receive = -1};
}

int64_t tl_hpl_panels(const tl_hpl *o)
{
    return (o->n + o->nb - 1) / o->nb;
}

int64_t tl_hpl_first_cut(const tl_hpl *o)
{
    return o->q > 1 && o->depth > 1 ? o->depth : 1;
}

static int64_t get(const tl_hpl *o, const hpl_parameter *p)
{
    const char *at = (const char *)o + p->offset;
    int64_t wide;
    int32_t narrow;
    if (p->is_wide) {
        memcpy(&wide, at, sizeof wide);
        return wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return narrow;
}

void hpl_set(tl_hpl *o, const hpl_parameter *p, int64_t value)
{
    char *at = (char *)o + p->offset;
    const int32_t narrow = (int32_t)value;
    if (p->is_wide)
        memcpy(at, &value, sizeof value);
    else
        memcpy(at, &narrow, sizeof narrow);
}

const hpl_parameter *hpl_find_parameter(const char *key)
{
    for (size_t i = 0; i < N_PARAMETERS; i++)
        if (!strcasecmp(key, parameters[i].key))
            return &parameters[i];
    return NULL;
}

/* RECEIVE: the share of an update after which a panel is received, or "adaptive". */
static tl_status set_receive(tl_hpl *o, const char *value, tl_error *err)
{
    char *end = NULL;
    o->receive = strtod(value, &end);
    if (!strcasecmp(value, "adaptive"))
        o->receive = -1;
    else if (end == value || *end || !(o->receive >= 0 && o->receive <= 1))
        return tl_fail(err, TL_ERR_USAGE,
                       "hpl: RECEIVE=%s: give 'adaptive', or a number from 0 (before the update) "
                       "to 1 (after it)",
                       value);
    return TL_OK;
}

static tl_status set_pivots(tl_hpl *o, const char *value, tl_error *err)
{
    if (!*value)
        return tl_fail(err, TL_ERR_USAGE, "hpl: PIVOTS=%s: give the path of a file", value);
    free(o->pivots);
    o->pivots = strdup(value);
    return o->pivots ? TL_OK : tl_fail(err, TL_ERR_MEMORY, "hpl: out of memory");
}

/* What the words of a text set. */
typedef struct words {
    tl_hpl o;
    int32_t n_ranks; /* 0: no RANKS */
} words;

/* A grid that precedes RANKS does not count. */
static tl_status set_ranks(words *w, const char *value, tl_error *err)
{
    char *end = NULL;
    const long n = strtol(value, &end, 10);
    if (end == value || *end || n < 1 || n > INT32_MAX)
        return tl_fail(err, TL_ERR_USAGE, "hpl: RANKS=%s: give a whole number above 0", value);
    w->n_ranks = (int32_t)n;
    if (w->o.p && w->o.q)
        w->o.p = w->o.q = 0;
    return TL_OK;
}

/* The grid of so many ranks: with the P or Q that is given, or the one that is nearest to a square,
 * P <= Q, as HPL's guide asks. */
static tl_status shape_grid(tl_hpl *o, int32_t n, tl_error *err)
{
    const int32_t given = o->p ? o->p : o->q;
    if (o->p && o->q ? (int64_t)o->p * o->q != n : given && n % given != 0)
        return tl_fail(err, TL_ERR_USAGE,
                       "hpl: RANKS=%d is not P x Q with %s%d%s; give RANKS, or P and Q", (int)n,
                       o->p ? "P=" : "Q=", (int)given, o->p && o->q ? " and this Q" : "");
    for (int32_t p = 1; !given && p <= n / p; p++)
        if (n % p == 0)
            o->p = p;
    if (!o->p)
        o->p = n / o->q;
    o->q = n / o->p;
    return o->p <= MOST_ROWS && o->q <= MOST_ROWS
               ? TL_OK
               : tl_fail(err, TL_ERR_USAGE,
                         "hpl: RANKS=%d: the grid %dx%d is too long; give P and Q", (int)n,
                         (int)o->p, (int)o->q);
}

static tl_status set_by_key(words *w, const char *key, const char *value, tl_error *err)
{
    tl_hpl *o = &w->o;
    if (!strcasecmp(key, "PIVOTS"))
        return set_pivots(o, value, err);
    if (!strcasecmp(key, "RECEIVE"))
        return set_receive(o, value, err);
    if (!strcasecmp(key, "RANKS"))
        return set_ranks(w, value, err);
    const hpl_parameter *p = hpl_find_parameter(key);
    if (p) {
        char *end = NULL;
        const long long number = strtoll(value, &end, 10);
        if (end == value || *end || number < p->min || number > p->max)
            return tl_fail(err, TL_ERR_USAGE, "hpl: %s=%s: give a whole number from %lld to %lld",
                           p->key, value, (long long)p->min, (long long)p->max);
        hpl_set(o, p, number);
        return TL_OK;
    }
    char keys[300] = "";
    size_t used = 0;
    for (size_t i = 0; i < N_PARAMETERS; i++)
        used += (size_t)snprintf(keys + used, sizeof keys - used, "%s, ", parameters[i].key);
    return tl_fail(err, TL_ERR_USAGE,
                   "hpl: unknown parameter '%s'; the parameters are %sRECEIVE, RANKS and PIVOTS",
                   key, keys);
}

static tl_status check_grid(const tl_hpl *o, tl_error *err)
{
    const int64_t n_ranks = (int64_t)o->p * o->q;
    if (!o->n || !o->p || !o->q)
        return tl_fail(err, TL_ERR_USAGE,
                       "hpl: N, and P and Q or RANKS, are required; write hpl:N=1000,P=2,Q=2");
    if (n_ranks > MOST_RANKS)
        return tl_fail(err, TL_ERR_USAGE,
                       "hpl: the grid %dx%d has %lld ranks; give RANKS, or P and Q, for at most %d",
                       (int)o->p, (int)o->q, (long long)n_ranks, MOST_RANKS);
    return TL_OK;
}

/* A run cannot be cut between panels that are factored ahead. */
static tl_status check_window(tl_hpl *o, tl_error *err)
{
    const int64_t n_panels = tl_hpl_panels(o), first = tl_hpl_first_cut(o);
    if (o->from && !o->past)
        o->past = n_panels;
    if (!o->past || (o->from < o->past && o->past >= first && o->past <= n_panels &&
                     (!o->from || o->from >= first)))
        return TL_OK;
    return tl_fail(err, TL_ERR_USAGE,
                   "hpl: FROM=%lld,PAST=%lld: there are panels from 0 to %lld; give FROM=0 or at "
                   "least %lld, and PAST above both and at most %lld",
                   (long long)o->from, (long long)o->past, (long long)n_panels - 1,
                   (long long)first, (long long)n_panels);
}

/* One KEY=VALUE. */
static tl_status set_by_word(words *w, char *word, tl_error *err)
{
    char *value = strchr(word, '=');
    if (!value)
        return tl_fail(err, TL_ERR_USAGE, "hpl: '%s' is not KEY=VALUE; write N=1000,P=2,Q=2", word);
    *value++ = '\0';
    return set_by_key(w, word, value, err);
}

tl_status tl_hpl_parse(const char *text, tl_hpl *out, tl_error *err)
{
    words w = {0};
    tl_status status = TL_OK;
    tl_hpl_default(&w.o);
    while (status == TL_OK && *text) {
        const size_t size = strcspn(text, ",");
        char *word = strndup(text, size);
        status =
            word ? set_by_word(&w, word, err) : tl_fail(err, TL_ERR_MEMORY, "hpl: out of memory");
        free(word);
        text += size + (text[size] == ',');
    }
    if (status == TL_OK && w.n_ranks)
        status = shape_grid(&w.o, w.n_ranks, err);
    if (status == TL_OK)
        status = check_grid(&w.o, err);
    if (status == TL_OK)
        status = check_window(&w.o, err);
    if (status == TL_OK)
        *out = w.o;
    else
        tl_hpl_free(&w.o);
    return status;
}

void tl_hpl_free(tl_hpl *o)
{
    if (!o)
        return;
    free(o->pivots);
    o->pivots = NULL;
}

size_t tl_hpl_text(const tl_hpl *o, char *text, size_t size)
{
    const size_t n = o->past ? N_PARAMETERS : N_PARAMETERS - OF_WINDOWS;
    size_t used = 0;
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(used < size ? text + used : NULL, used < size ? size - used : 0,
                                 "%s%s=%lld", i ? "," : "hpl:", parameters[i].key,
                                 (long long)get(o, &parameters[i]));
    if (o->receive >= 0)
        used += (size_t)snprintf(used < size ? text + used : NULL, used < size ? size - used : 0,
                                 ",RECEIVE=%g", o->receive);
    if (o->pivots)
        used += (size_t)snprintf(used < size ? text + used : NULL, used < size ? size - used : 0,
                                 ",PIVOTS=%s", o->pivots);
    return used;
}
