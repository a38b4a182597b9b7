/* progress.c - how far a command with many points is, on a terminal. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Short commands print nothing. */
#define QUIET_S 2.0
#define STEP_S 0.5

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

cli_progress cli_progress_begin(const char *what, size_t n)
{
    const double now = now_s();
    return (cli_progress){
        .what = what, .n = n, .start_s = now, .next_s = now + QUIET_S, .is_on = isatty(2) != 0};
}

void cli_progress_step(cli_progress *p)
{
    const double now = p->is_on ? now_s() : 0;
    p->n_done++;
    if (!p->is_on || now < p->next_s)
        return;
    const double left_s = (now - p->start_s) / (double)p->n_done *
                          (double)(p->n - (p->n_done < p->n ? p->n_done : p->n));
    fprintf(stderr, "\r\033[Ktimeless: %zu of %zu %s, about %.0f s left", p->n_done, p->n, p->what,
            left_s);
    p->next_s = now + STEP_S;
    p->has_line = 1;
}

void cli_progress_end(cli_progress *p)
{
    if (p->has_line)
        fputs("\r\033[K", stderr);
    p->has_line = 0;
}
