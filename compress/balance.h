/* balance.h - checks whether a part of a run contains both sides of every message and collective.
 */
#ifndef TL_BALANCE_H
#define TL_BALANCE_H

#include "core/bytes.h"
#include "reader.h"

#include <stdbool.h>

/* The two accounts: the part, and the run before it. A message that begins before the part and ends
 * in it leaves a surplus in both. */
enum { TL_BEFORE, TL_WITHIN, TL_N_ACCOUNTS };

/* Messages from one rank to another on one communicator. */
typedef struct tl_pair {
    uint32_t from, to;
    struct tl_account {
        int64_t surplus; /* sends without receives */
        uint64_t tags;   /* sum of the hashed tags of the sends less that of the receives */
        bool any_tag;    /* a receive did not tell its tag: tags are not compared */
    } accounts[TL_N_ACCOUNTS];
} tl_pair;

/* Collectives on one communicator, as the first rank had them. */
typedef struct tl_order {
    uint32_t rank;
    uint64_t identity;                              /* of the communicator */
    uint64_t n[TL_N_ACCOUNTS], hash[TL_N_ACCOUNTS]; /* number; order of the calls */
} tl_order;

typedef struct tl_balance {
    tl_reader *r;
    tl_map pair_index, order_index; /* position + 1 */
    tl_pair *pairs;
    tl_order *orders;
    size_t n_pairs, pairs_capacity, n_orders, orders_capacity;
    /* of the current rank */
    uint32_t rank;
    tl_map identities;  /* communicator's id -> the same number on all its ranks */
    tl_map own_numbers; /* that number -> position + 1 in own */
    tl_order *own;
    size_t n_own, own_capacity;
    /* Messages before the part are not counted by pair, but in sums that are 0 if no pair has a
     * surplus (with hashes, so that it is practically certain). */
    bool is_summed, any_tag;
    uint64_t flow, tags;
} tl_balance;

tl_status tl_balance_begin_rank(tl_balance *b, uint32_t rank, tl_error *err);
/* Counts a message that this rank sends to `peer` of a communicator (by_sender) or receives from
 * it. `times` is -1 to remove it. */
tl_status tl_balance_message(tl_balance *b, int account, bool by_sender, uint32_t comm,
                             int32_t peer, int32_t tag, int times, tl_error *err);
tl_status tl_balance_collective(tl_balance *b, int account, const tl_event *e, tl_error *err);
/* Saves the account before the part of a rank, which is summed; adds a saved one to the current
 * rank's. */
tl_status tl_balance_save(const tl_balance *b, tl_buffer *out);
tl_status tl_balance_load(tl_balance *b, tl_input *in);
/* Compares the collectives of this rank with those of earlier ranks. */
tl_status tl_balance_end_rank(tl_balance *b, tl_error *err);
/* To be called after all ranks: refuses messages and collectives of which one side is missing. */
tl_status tl_balance_check(const tl_balance *b, tl_error *err);
void tl_balance_free(tl_balance *b);

#endif
