/* codec.c - how fast a trace is written and read, and in how much memory:  codec [EVENTS [FILE]]
 *
 * CPU seconds of this process, the best of 3 repetitions.  Beside the rates stand those of memcpy
 * and of zstd at level 3 on the events as structures, in the same run: machines differ, ratios
 * less. `regular` is a loop over 6 call sites with sizes that move, `random` draws everything. With
 * EVENTS, one run of so many regular events: the memory at 1 % and at the end, and the time to find
 * an event. */
#include <malloc.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <zstd.h>

#include "timeless.h"

enum { N_RANDOM = 4096, REPETITIONS = 3 };

static tl_event events[N_RANDOM];
static int64_t lists[N_RANDOM][3];
static const char *path = "codec.tl";

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void check(int status, const tl_error *err)
{
    if (!status)
        return;
    fprintf(stderr, "codec: %s\n", err ? err->text : tl_status_text((tl_status)status));
    exit(4);
}

static unsigned long draw(unsigned long n)
{
    static unsigned long state = 1;
    state = state * 6364136223846793005UL + 1442695040888963407UL;
    return (state >> 33) % n;
}

static int make_regular(void)
{
    for (int i = 0; i < 384; i++) {
        int64_t step = i / 6;
        tl_event e = {.volume = 1000, .site = 1 + (uint32_t)i % 6, .comm = TL_COMM_WORLD};
        switch (i % 6) {
        case 0:
            e.call = TL_KERNEL_dgemm;
            e.comm = 0;
            lists[i][0] = 100000 - step;
            lists[i][1] = lists[i][2] = 64;
            e.list = lists[i];
            e.list_len = 3;
            break;
        case 1:
        case 2:
            e.call = i % 6 == 1 ? TL_MPI_Irecv : TL_MPI_Send;
            e.count = 5000 - step;
            e.type_bytes = 8;
            e.peer = 1;
            e.tag = 7;
            e.request = i % 6 == 1;
            break;
        case 3:
            e.call = TL_MPI_Wait;
            e.comm = 0;
            e.request = 1;
            break;
        case 4:
            e.call = TL_MPI_Allreduce;
            e.count = 1;
            e.type_bytes = 8;
            break;
        default:
            e.call = TL_MPI_Bcast;
            e.count = 100;
            e.type_bytes = 4;
        }
        events[i] = e;
    }
    return 384;
}

static int make_random(void)
{
    static const uint16_t calls[] = {TL_MPI_Send, TL_MPI_Recv,      TL_MPI_Isend,   TL_MPI_Irecv,
                                     TL_MPI_Wait, TL_MPI_Allreduce, TL_KERNEL_dgemm};
    for (int i = 0; i < N_RANDOM; i++) {
        tl_event e = {.call = calls[draw(7)], .site = (uint32_t)draw(50), .volume = draw(1 << 20)};
        uint32_t slots = tl_call_by_code(e.call)->slots;
        e.count = slots & TL_SLOT_COUNT ? (int64_t)draw(100000) : 0;
        e.type_bytes = slots & TL_SLOT_TYPE ? 8 : 0;
        e.peer = slots & TL_SLOT_PEER ? (int32_t)draw(256) : 0;
        e.tag = slots & TL_SLOT_TAG ? (int32_t)draw(1000) : 0;
        e.comm = slots & TL_SLOT_COMM ? 1 : 0;
        e.request = slots & TL_SLOT_REQUEST ? (uint32_t)draw(64) : 0;
        if (slots & TL_SLOT_LIST) {
            for (int k = 0; k < 3; k++)
                lists[i][k] = (int64_t)draw(2000);
            e.list = lists[i];
            e.list_len = 3;
        }
        events[i] = e;
    }
    return N_RANDOM;
}

static long resident_kib(void)
{
    char line[128] = "", *second = line;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fgets(line, sizeof line, f))
            strtol(line, &second, 10);
        fclose(f);
    }
    return strtol(second, NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

static double write_all(int period, long n, long *early_kib)
{
    tl_error err;
    tl_run run = {.n_ranks = 1, .volume_unit = "none"};
    tl_writer *w;
    check(tl_trace_create(path, &run, &err), &err);
    check(tl_writer_open(path, 0, "h", &w, &err), &err);
    double start_s = cpu_s();
    for (long i = 0, k = 0; i < n; i++) {
        check(tl_writer_put(w, &events[k]), NULL);
        k = k + 1 == period ? 0 : k + 1;
        if (i == n / 100)
            *early_kib = resident_kib();
    }
    check(tl_writer_close(w, TL_END_FINALIZED, 0), NULL);
    return cpu_s() - start_s;
}

static double read_all(long n, long *early_kib, size_t *cursor_bytes)
{
    tl_error err;
    tl_reader *r;
    tl_cursor *c;
    tl_event e;
    check(tl_reader_open(path, &r, &err), &err);
    size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
    double start_s = cpu_s();
    check(tl_cursor_open(r, 0, &c, &err), &err);
    for (long i = 0; i < n; i++) {
        check(tl_cursor_next(c, &e), NULL);
        if (i == n / 100)
            *early_kib = resident_kib();
    }
    double time_s = cpu_s() - start_s;
    *cursor_bytes = mallinfo2().uordblks + mallinfo2().hblkhd - before;
    tl_cursor_close(c);
    tl_reader_close(r);
    return time_s;
}

/* Random places: CPU milliseconds and bytes of the file for each, the mean and the most. */
static void seek_all(long n)
{
    enum { N_SEEKS = 1000 };
    tl_error err;
    tl_reader *r;
    tl_cursor *c;
    tl_event e;
    double sum_ms = 0, most_ms = 0;
    uint64_t most_bytes = 0;
    double start_s = cpu_s();
    check(tl_reader_open(path, &r, &err), &err);
    check(tl_cursor_open(r, 0, &c, &err), &err);
    double open_ms = 1e3 * (cpu_s() - start_s);
    for (int i = 0; i < N_SEEKS; i++) {
        uint64_t event = draw(1UL << 31) % (uint64_t)n, before = tl_cursor_bytes_read(c);
        start_s = cpu_s();
        check(tl_cursor_seek(c, event), tl_cursor_error(c));
        check(tl_cursor_next(c, &e), tl_cursor_error(c));
        double ms = 1e3 * (cpu_s() - start_s);
        uint64_t bytes = tl_cursor_bytes_read(c) - before;
        sum_ms += ms;
        most_ms = ms > most_ms ? ms : most_ms;
        most_bytes = bytes > most_bytes ? bytes : most_bytes;
    }
    tl_cursor_close(c);
    tl_reader_close(r);
    printf("opened in %.2f ms; %d random places: %.2f ms each, %.2f at most, %lu bytes read at "
           "most\n",
           open_ms, N_SEEKS, sum_ms / N_SEEKS, most_ms, (unsigned long)most_bytes);
}

static long file_bytes(void)
{
    FILE *f = fopen(path, "rb");
    long size = f && !fseek(f, 0, SEEK_END) ? ftell(f) : 0;
    if (f)
        fclose(f);
    return size;
}

/* CPU seconds of the same amount of structures by memcpy and zstd. */
static void yardsticks(int period, double *copy_ns, double *zstd_ns)
{
    size_t bytes = (size_t)period * sizeof *events, bound = ZSTD_compressBound(bytes);
    char *to = malloc(bound);
    int rounds = 1 + 400000 / period, packings = 1 + 100000 / period;
    double start_s = cpu_s();
    for (int i = 0; i < rounds; i++) {
        memcpy(to, events, bytes);
        __asm__ volatile("" ::: "memory");
    }
    *copy_ns = (cpu_s() - start_s) / rounds / period * 1e9;
    start_s = cpu_s();
    for (int i = 0; i < packings; i++)
        ZSTD_compress(to, bound, events, bytes, 3);
    *zstd_ns = (cpu_s() - start_s) / packings / period * 1e9;
    free(to);
}

static void measure(const char *name, int period, long n)
{
    double put_s = 1e9, get_s = 1e9, copy_ns = 1e9, zstd_ns = 1e9;
    size_t cursor_bytes = 0;
    for (int i = 0; i < REPETITIONS; i++) {
        long kib;
        double s = write_all(period, n, &kib), a, b;
        put_s = s < put_s ? s : put_s;
        s = read_all(n, &kib, &cursor_bytes);
        get_s = s < get_s ? s : get_s;
        yardsticks(period, &a, &b);
        copy_ns = a < copy_ns ? a : copy_ns;
        zstd_ns = b < zstd_ns ? b : zstd_ns;
    }
    double put_ns = put_s / (double)n * 1e9, get_ns = get_s / (double)n * 1e9;
    printf("%-8s %9.4f %9.1f %9.1f %11.1f %11.1f %11.2f %11.2f %8zu\n", name,
           (double)file_bytes() / (double)n, 1e3 / put_ns, 1e3 / get_ns, put_ns / copy_ns,
           get_ns / copy_ns, put_ns / zstd_ns, get_ns / zstd_ns, cursor_bytes / 1024);
}

int main(int argc, char **argv)
{
    long n = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (argc > 2)
        path = argv[2];
    if (n <= 0) {
        printf("%-8s %9s %9s %9s %11s %11s %11s %11s %8s\n", "stream", "B/event", "M put/s",
               "M get/s", "put/memcpy", "get/memcpy", "put/zstd-3", "get/zstd-3", "cursor K");
        measure("regular", make_regular(), 10000000);
        measure("random", make_random(), 1000000);
    } else {
        long early_kib = 0, read_kib = 0;
        size_t cursor_bytes;
        double put_s = write_all(make_regular(), n, &early_kib);
        long late_kib = resident_kib();
        printf("%ld events written in %.1f s of CPU: %ld KiB resident at 1 %%, %ld at the end, %ld "
               "bytes\n",
               n, put_s, early_kib, late_kib, file_bytes());
        double get_s = read_all(n, &read_kib, &cursor_bytes);
        printf("read in %.1f s: %ld KiB at 1 %%, %ld at the end, cursor %zu KiB\n", get_s, read_kib,
               resident_kib(), cursor_bytes / 1024);
        seek_all(n);
    }
    unlink(path);
    return 0;
}
