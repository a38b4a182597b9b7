/* turns.h - the turns of the ranks that share a core. */
#ifndef TLT_TURNS_H
#define TLT_TURNS_H

/* In a folded run, the calling thread and those that it starts later take turns as long as Linux
 * permits. To be called in MPI_Init. */
void tlt_take_long_turns(void);

#endif
