/* beside.h - the parts of timeless calibrate cpu. */
#ifndef CLI_CALIBRATE_BESIDE_H
#define CLI_CALIBRATE_BESIDE_H

#include "calibrate/model.h"

#include <calibrate/archive.h>
#include <timeless.h>

/* timeless record -q --volume VOLUME -o PATH -- COMMAND; with a processor that is not negative,
 * with
 * --folded on this processor alone. */
tl_status calibrate_record(char **command, const char *volume, const char *path, int processor,
                           tl_error *err);

typedef struct interference_arguments {
    char **command;   /* NULL: */
    const char *from; /* the measurements are there */
    unsigned n_repetitions;
    unsigned long seed;
    size_t max_bytes;
} interference_arguments;

/* Measures how the program of the command bends beside busy cores, and writes it to the model.
 * folder: for temporary files. archive: NULL: none. */
tl_status calibrate_interference(const interference_arguments *a, const calibrated_model *model,
                                 const char *folder, tlp_archive *archive, tl_error *err);

#endif
