/* codec_value.h - the predictions of one value, and what is learned from it (doc/FORMAT.md,
 * "Prediction of a value").
 *
 * Encoder and decoder inline these functions: they are most of the work for a value that does not
 * follow its stride. */
#ifndef TL_CODEC_VALUE_H
#define TL_CODEC_VALUE_H

#include "codec.h"

#include <stdbool.h>

/* Where the exception of a situation is, or would be. */
typedef struct tl_place {
    tl_exception *set, *found; /* found: NULL if there is none */
    uint32_t check;
} tl_place;

/* The predictions of a value, the best one among them, and the places of its exceptions. */
typedef struct tl_guess {
    uint64_t best, straight, by_past, by_peer;
    tl_place past, peer;
} tl_guess;

/* A value that always follows its stride is predicted by the stride only. So are all values, once
 * exceptions have proved useless in this frame. */
static inline bool tl_is_plain(const tl_codec *codec, const tl_remembered *r)
{
    return r->settled == TL_SETTLED || codec->hopeless;
}

/* The exception of a situation. A set has at most one of it. */
static inline tl_exception *tl_find_exception(tl_exception set[TL_EXCEPTION_WAYS], uint32_t check)
{
    _Static_assert(TL_EXCEPTION_WAYS == 4, "one comparison for each");
    return set[0].check == check   ? &set[0]
           : set[1].check == check ? &set[1]
           : set[2].check == check ? &set[2]
           : set[3].check == check ? &set[3]
                                   : NULL;
}

static inline tl_place tl_find_place(tl_codec *codec, uint64_t id, uint64_t a, uint64_t b)
{
    uint64_t h = id * UINT64_C(0x9e3779b97f4a7c15) + a * UINT64_C(0xc2b2ae3d27d4eb4f) +
                 b * UINT64_C(0x165667b19e3779f9);
    h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    tl_exception *set = codec->exceptions[h >> (64 - TL_EXCEPTION_BITS)];
    const uint32_t check = (uint32_t)h | 1;
    return (tl_place){.set = set, .found = tl_find_exception(set, check), .check = check};
}

/* Predicts a value that is not plain. */
static inline tl_guess tl_codec_guess(tl_codec *codec, const tl_remembered *r)
{
    const uint64_t id = (uint64_t)(r - codec->values), straight = r->last + r->stride;
    tl_guess guess = {.past = tl_find_place(codec, 2 * id, r->last, r->delta),
                      .peer = tl_find_place(codec, 2 * id + 1, codec->peer, 0),
                      .straight = straight,
                      .best = straight};
    guess.by_past = guess.past.found ? guess.past.found->value : straight;
    guess.by_peer = guess.peer.found ? guess.peer.found->value : straight;
    uint8_t score = r->straight_score;
    if (r->past_score >= score) {
        guess.best = guess.by_past;
        score = r->past_score;
    }
    if (r->peer_score >= score)
        guess.best = guess.by_peer;
    return guess;
}

static inline void tl_note(tl_codec *codec, const tl_place *place, uint64_t value,
                           bool is_exception)
{
    if (!place->found) {
        if (is_exception)
            tl_codec_add_exception(codec, place->set, place->check, value);
    } else if (place->found->value != value) {
        if (is_exception)
            place->found->value = value;
        else
            place->found->check = 0;
    }
}

static inline uint8_t tl_new_score(uint8_t score, bool is_right)
{
    return (uint8_t)(!is_right ? (score + 1) / 2 : score < TL_MAX_SCORE ? score + 1 : score);
}

static inline void tl_follow(tl_remembered *r, uint64_t value)
{
    const uint64_t delta = value - r->last;
    if (delta == r->delta)
        r->stride = delta;
    r->delta = delta;
    r->last = value;
}

/* Learns what a predicted value was. */
static inline void tl_codec_learn(tl_codec *codec, tl_context *c, tl_remembered *r,
                                  const tl_guess *guess, uint64_t value)
{
    const bool straight = value == guess->straight;
    codec->n_useful += !straight && value == guess->best;
    r->straight_score = tl_new_score(r->straight_score, straight);
    r->past_score = tl_new_score(r->past_score, value == guess->by_past);
    r->peer_score = tl_new_score(r->peer_score, value == guess->by_peer);
    tl_note(codec, &guess->past, value, !straight);
    tl_note(codec, &guess->peer, value, !straight);
    if (!straight)
        r->settled = 0;
    else if (++r->settled == TL_SETTLED)
        c->n_unsettled--;
    tl_follow(r, value);
}

/* Learns from a plain value that was not as predicted. */
static inline void tl_codec_learn_plain(tl_context *c, tl_remembered *r, uint64_t value)
{
    if (r->settled == TL_SETTLED) {
        r->settled = 0;
        c->n_unsettled++;
    }
    tl_follow(r, value);
}

#endif
