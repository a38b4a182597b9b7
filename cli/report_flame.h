/* report_flame.h - the options --flame and --folded-stacks of timeless report. */
#ifndef CLI_REPORT_FLAME_H
#define CLI_REPORT_FLAME_H

#include "replay.h"

/* Where to write; NULL: nowhere. */
typedef struct flame_files {
    const char *flame, *folded;
} flame_files;

/* Writes what is wanted of a replay with a timeline. */
tl_status flame_write_files(const flame_files *files, const replay_arguments *replay,
                            const tlr_prediction *prediction, tl_error *err);

#endif
