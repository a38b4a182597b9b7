/* import.h - the inside of the importers, for the fuzzing harnesses. */
#ifndef TL_IMPORT_H
#define TL_IMPORT_H

#include "timeless.h"

/* Reads the actions of one rank from SimGrid's text and puts them as events. */
tl_status tl_import_simgrid_rank(FILE *in, const char *name, uint32_t rank, uint32_t n_ranks,
                                 tl_writer *w, tl_error *err);

#endif
