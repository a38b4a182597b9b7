/* module.h - loads the shared object of an engine when this engine first replays.
 *
 * Loading SimGrid takes 33 MB and 20 ms of CPU time. Many replays by another engine need less than
 * that. */
#ifndef TLR_MODULE_H
#define TLR_MODULE_H

#include "replayer.h"

/* The object that the shared object defines under the name TLR_MODULE_SYMBOL. */
typedef struct tlr_module {
    const char *version; /* of its build; another one may have other structures */
    size_t options_bytes, prediction_bytes;
    const tlr_engine *engine;
} tlr_module;

#define TLR_MODULE_SYMBOL "timeless_module"

#endif
