/* algorithms.h - the algorithms that SimGrid has for a collective, and what they need. */
#ifndef SMPI_ALGORITHMS_H
#define SMPI_ALGORITHMS_H

#include "plan.h"

/* The collectives that have a choice of algorithms. */
enum { SMPI_N_COLLECTIVES = 11 };
typedef struct smpi_choice {
    const char *name;
    tl_action action;
    const char *flat; /* serves every call, wherever the ranks are */
} smpi_choice;
extern const smpi_choice smpi_choices[SMPI_N_COLLECTIVES];

/* tlr_engine.algorithms */
tl_status smpi_algorithms(const char *collective, char **out, tl_error *err);
/* TL_ERR_USAGE: an algorithm that --coll chooses does not serve a call of the trace. The text
 * begins with TLR_NOT_POSSIBLE. */
tl_status smpi_check_algorithms(const tlr_plan *plan, const tlr_options *options, tl_error *err);
/* Records once, behind the name of the selector, that an algorithm replaces another one:
 * "ompi-4.1 (reduce_scatter ompi_ring for butterfly)". */
void smpi_note_stand_in(const char *collective, const char *instead, const char *algorithm);
/* The replay has failed, perhaps in an algorithm that the selector chose: the collective in which a
 * rank was gets an algorithm that serves all calls. 0: it has one, or options chose one. */
int smpi_replace_algorithm(tl_status status);
/* The options of these algorithms, at most SMPI_N_COLLECTIVES; the number of them is returned. */
size_t smpi_replacements(const char **options);
/* The result names them. `selector`: what they replace. */
void smpi_note_replacements(const char *selector);
/* SimGrid ended with the error *err in a blocking collective with this action. If --coll chose the
 * algorithm, the algorithm is the reason: TL_ERR_UNSUPPORTED. Otherwise the error stays. */
tl_status smpi_blame_algorithm(tl_action action, const tlr_options *options, tl_error *err);
/* SimGrid's "Collective 'NAME' has no algorithm 'CHOICE'! Valid algorithms: LIST" about a choice of
 * the command line: wrong usage, not wrong input. */
tl_status smpi_blame_choice(const tlr_options *options, tl_error *err);

#endif
