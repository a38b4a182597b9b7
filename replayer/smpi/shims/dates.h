/* dates.h - what dates.c and cores.c share: the heap of the dates at which actions end. */
#ifndef TLR_SMPI_DATES_H
#define TLR_SMPI_DATES_H

#include "inside.h"

/* The dates of one model. */
typedef struct smpi_dates smpi_dates;

/* Sets the date of the action. Of two actions with the same date, the one with the smaller order
 * ends first. */
void smpi_dates_put(smpi_dates *h, sg_action *a, double at_s, uint64_t order);
void smpi_dates_take(smpi_dates *h, sg_action *a);
/* The first of n orders behind all earlier ones. */
uint64_t smpi_dates_order(smpi_dates *h, size_t n);
/* Subtracts from what remains of an action; what is hardly anything becomes 0. */
void smpi_dates_subtract(double *remains, double done);
/* The least duration of a sleep. */
double smpi_dates_precision(void);
void smpi_dates_no_end(void) __attribute__((noreturn));

/* ---- cores.c ---- */

/* The first date of an action of computation: its model and its host become known. */
void smpi_cores_learn(smpi_dates *h, const sg_action *a);
/* The variable of an action gets the penalty 0. */
void smpi_cores_sleep(const sg_variable *v);
/* Whether cores.c uses these dates. */
int smpi_cores_use(const smpi_dates *h);
/* Sets the dates of what has changed since the last call. */
void smpi_cores_update(double now_s);
/* The action ends. 0: it is SimGrid's own. */
int smpi_cores_end(sg_action *a);
/* Whether the computation or the sleep of a rank has ended that is not awake; wakes all of these.
 */
int smpi_cores_have_ended(void);
void smpi_cores_wake(void);

#endif
