/* measured.h - measured runs, and which input of the prediction they make suspect. */
#ifndef CLI_BUDGET_MEASURED_H
#define CLI_BUDGET_MEASURED_H

#include "budget/inputs.h"

enum { BUDGET_MOST_RUNS = 64 };

typedef struct budget_run {
    double measured_s;
    unsigned line;         /* of the file; 0: the command line states the time */
    char *words;           /* of the line, to which the others point; NULL: none */
    const char *trace;     /* NULL: that of the command line */
    tlr_scenario scenario; /* its replay */
} budget_run;

typedef struct budget_runs {
    const char *path; /* of the file */
    size_t n;
    budget_run runs[BUDGET_MOST_RUNS];
} budget_runs;

/* `text`: the seconds of the run that the command line predicts, or a file with a line
 * "SECONDS [TRACE] [OPTION...]" for each run; # begins a comment. The scenarios of the runs begin
 * with that of the command line. */
tl_status budget_read_runs(const char *text, const tlr_scenario *base, budget_runs *out,
                           tl_error *err);
void budget_free_runs(budget_runs *runs);
/* Replays the measured runs with each input at its bounds, and puts the suspicion to the inputs and
 * the range of measured / predicted to *out. noise: relative half of the 90 % interval of a
 * prediction. */
tl_status budget_suspect(budget_inputs *b, const budget_runs *runs, double noise, tlr_budget *out,
                         tl_error *err);

#endif
