/* events.h - synthetic events and traces for the tests of the trace file. */
#ifndef TEST_EVENTS_H
#define TEST_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <timeless.h>

#include "same_event.h"

/* Under AddressSanitizer the memory of the process says nothing about ours. */
#ifdef __SANITIZE_ADDRESS__
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

/* A small generator that gives the same numbers everywhere. */
typedef struct test_random {
    uint64_t state;
} test_random;
uint64_t test_next(test_random *r);
/* 0 .. n-1 */
uint64_t test_below(test_random *r, uint64_t n);

enum { TEST_MAX_LIST = 3000 };

/* An event of the given call with every slot of its row drawn at random, extremes included.  The
 * list is put into `list`, which has room for TEST_MAX_LIST elements. */
tl_event test_random_event(test_random *r, unsigned call, int64_t *list);
/* The next code that has a row, after `call`; begins again at the end. */
unsigned test_next_call(unsigned call);
/* Event i of rank r of a regular loop: sends, receives, kernels with shrinking sizes, barriers. */
tl_event test_regular_event(uint32_t rank, uint64_t i, int64_t *list);

/* Creates a trace of n_ranks ranks with n events each from test_regular_event, written in turns
 * with a flush every `flush` events, ended by Finalize; definitions included. */
void test_write_trace(const char *path, uint32_t n_ranks, uint64_t n, uint64_t flush);

/* Opens a trace that must be readable; to be closed. */
tl_reader *test_open_trace(const char *path);

/* Name of a scratch file of this test program; removed by test_remove_scratch. */
const char *test_scratch(const char *name);

/* The bytes of a file; `data` is to be freed. */
typedef struct test_file {
    uint8_t *data;
    size_t size;
} test_file;

test_file test_load(const char *path);
void test_store(const char *path, const uint8_t *data, size_t size);

#endif
