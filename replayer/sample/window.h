/* window.h - some steps of a run, replayed. */
#ifndef TLR_SAMPLE_WINDOW_H
#define TLR_SAMPLE_WINDOW_H

#include "sample/steps.h"
#include "seeds.h"

/* How a window is replayed. */
typedef struct tlr_window_replay {
    tlr_replay_function *replay;
    const tlr_platform *platform;
    const char *engine;
    const tlr_options *options;
} tlr_window_replay;

typedef struct tlr_window {
    size_t from, past;          /* steps, those to warm up included */
    tlr_prediction *prediction; /* its marks, but for those of the steps */
    tlr_usage *usage;           /* its energy; NULL: not wanted */
    double *front_s;            /* [past - from + 1] when the last rank begins a step */
    double *lag_s; /* [n_ranks] behind the first rank, at the last step that begins so many units
                      behind the first one */
} tlr_window;

/* Windows begin at multiples of `unit` steps. If `before` is NULL, all ranks begin at the same
 * time. Otherwise their lags are those at the end of `before`, multiplied by `scale`. */
tl_status tlr_window_replay_steps(const tlr_steps *steps, const tlr_window_replay *how, size_t unit,
                                  size_t from, size_t past, const tlr_window *before, double scale,
                                  tlr_window *out, tl_error *err);
void tlr_window_close(tlr_window *w);

#endif
