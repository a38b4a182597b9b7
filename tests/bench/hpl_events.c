/* hpl_events.c - how fast the events of a program are made: hpl_events PROGRAM [STRIDE]
 *
 * Reads ranks 0, STRIDE, 2 STRIDE, ... one after the other (default: all), and prints their events,
 * CPU seconds, events a second and the greatest memory of the process. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include <timeless.h>

int main(int argc, char **argv)
{
    tl_reader *reader;
    tl_error err;
    const uint32_t stride = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 1;
    uint64_t n = 0;
    uint32_t n_ranks = 0;
    if (argc < 2 || !stride || tl_reader_open(argv[1], &reader, &err) != TL_OK) {
        fprintf(stderr, "usage: hpl_events PROGRAM [STRIDE]%s%s\n", argc < 2 ? "" : ": ",
                argc < 2 || !stride ? "" : err.text);
        return 2;
    }
    for (uint32_t r = 0; r < tl_reader_run(reader)->n_ranks; r += stride, n_ranks++) {
        tl_cursor *cursor;
        tl_event event;
        if (tl_cursor_open(reader, r, &cursor, &err) != TL_OK)
            return 1;
        while (tl_cursor_next(cursor, &event) == TL_OK)
            n++;
        tl_cursor_close(cursor);
    }
    tl_reader_close(reader);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const double seconds = (double)clock() / CLOCKS_PER_SEC;
    printf("%s: %" PRIu32 " ranks, %" PRIu64 " events, %.2f CPU s, %.1f M events/s, %.1f MB\n",
           argv[1], n_ranks, n, seconds, 1e-6 * (double)n / seconds,
           (double)usage.ru_maxrss / 1024);
    return 0;
}
