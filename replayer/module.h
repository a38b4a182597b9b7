/* module.h - an engine that lies in a shared object of its own and is loaded when it first replays.
 *
 * SimGrid takes 33 MB and 20 ms of CPU time to load, more than many a replay by another engine. */
#ifndef TLR_MODULE_H
#define TLR_MODULE_H

#include "replayer.h"

/* What the shared object defines under the name TLR_MODULE_SYMBOL. */
typedef struct tlr_module {
    const char *version; /* of its build; another one may have other structures */
    size_t options_bytes, prediction_bytes;
    const tlr_engine *engine;
} tlr_module;

#define TLR_MODULE_SYMBOL "timeless_module"

#endif
