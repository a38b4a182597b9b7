/* export.h - writes a trace in a simpler format.
 *
 * Such a format has sends, receives, waits, blocking collectives and computation, and only one
 * communicator: partners become ranks in MPI_COMM_WORLD, and tags of different communicators become
 * different. A first pass finds calls that the format cannot express; they are refused by name
 * before anything is written. */
#ifndef TL_EXPORT_H
#define TL_EXPORT_H

#include "core/map.h"
#include "refusals.h"
#include "timeless.h"
#include "timeless_convert.h"

#include <stdbool.h>

/* A send or receive under way, or a persistent one. */
typedef struct tl_transfer {
    uint32_t request;
    bool used, persistent, active, is_recv, is_null;
    int32_t peer, tag;
    int64_t bytes;
    uint64_t serial; /* order in which transfers begin */
    uint64_t handle; /* for the target */
} tl_transfer;

typedef struct tl_export tl_export;

/* The functions that write a target's text. `out` is NULL in the first pass, which only looks for
 * calls that the target cannot express; nothing is written then. */
typedef struct tl_export_target {
    const char *name;
    void (*begin_rank)(tl_export *x);
    void (*end_rank)(tl_export *x);
    void (*compute)(tl_export *x, double amount);
    void (*sleep)(tl_export *x, int64_t ns);
    void (*transfer)(tl_export *x, const tl_transfer *t); /* blocking */
    void (*begin)(tl_export *x, tl_transfer *t);
    void (*wait)(tl_export *x, tl_transfer *const *all, uint32_t n);
    /* False: write the call as two transfers and a wait instead. */
    bool (*exchange)(tl_export *x, const tl_transfer *send, const tl_transfer *recv);
    void (*collective)(tl_export *x, const tl_event *e, const tl_call_info *row);
} tl_export_target;

struct tl_export {
    tl_reader *r;
    const tl_rates *rates;
    const tl_algorithms *algorithms; /* NULL: none */
    const tl_export_target *target;
    FILE *out;
    tl_status status; /* TL_ERR_MEMORY, or that of an algorithm, which has set *err */
    tl_error *err;
    uint32_t rank, n_ranks;
    uint64_t position; /* number of the current event */
    const tl_call_info *row;
    double computed; /* computation since the last call */
    double rest;     /* rounding error so far, if the format has only whole numbers */

    tl_transfer *transfers;
    size_t n_transfers, transfers_capacity;
    tl_map by_request; /* -> index + 1 */
    uint64_t next_serial;
    bool matched; /* the outcome of the next blocking receive is known */
    int32_t match_peer, match_tag;

    tl_refusals refusals;

    const tl_comm *comms; /* of the rank */
    size_t n_comms, comms_capacity;
    uint64_t *comm_numbers;
    tl_map comm_index; /* id -> index + 1 */
    struct tl_export_tag *tags;
    size_t n_tags, tags_capacity;
    tl_map tag_index;
    uint64_t n_constructions; /* number of constructors that are left out */

    uint64_t label, last_label; /* of GOAL */
    bool last_may_be_under_way;
};

/* Records that the target cannot express the current event. */
void tl_export_refuse(tl_export *x, const char *why);
/* Processes one rank: in the first pass with x->out NULL, or in the second pass. */
tl_status tl_export_rank(tl_export *x, uint32_t rank, tl_error *err);
/* Makes the first pass over all ranks. If it fails, the error contains all refusals. */
tl_status tl_export_look(tl_export *x, tl_error *err);
/* Frees the memory of *x. */
void tl_export_free(tl_export *x);

/* ---- export_comms.c ---- */

/* Reads the communicators of x->rank. False without memory. */
bool tl_export_begin_comms(tl_export *x);
void tl_export_free_comms(tl_export *x);
/* A communicator of the rank; NULL if it is not defined. */
const tl_comm *tl_export_find_comm(const tl_export *x, uint32_t comm);
/* Replaces the rank of a partner by its rank in MPI_COMM_WORLD. False: there is no such rank. */
bool tl_export_find_rank(const tl_export *x, uint32_t comm, int32_t *peer);
/* Replaces a tag by the one to write; the first pass only collects tags. False without memory. */
bool tl_export_write_tag(tl_export *x, uint32_t comm, bool is_neighbourhood, int32_t *tag);
/* Ends the first pass. False without memory. */
bool tl_export_choose_tags(tl_export *x);
/* Writes a blocking collective as the messages of its algorithm. */
void tl_export_steps(tl_export *x, const tl_event *e);
/* Writes a blocking neighbourhood collective as messages. */
void tl_export_neighbours(tl_export *x, const tl_event *e, const tl_call_info *row);

#endif
