/* fuzz.h - what the fuzzing harnesses share.  Each harness is one function that libFuzzer (run.sh),
 * AFL++ (by its libFuzzer driver) or replay.c call. */
#ifndef TEST_FUZZ_H
#define TEST_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <timeless.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A finding: stops the program so that the fuzzer keeps the input. */
#define FUZZ_CHECK(condition)                                                                      \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Bytes of the input that become numbers. */
typedef struct fuzz_input {
    const uint8_t *p, *end;
} fuzz_input;
uint8_t fuzz_byte(fuzz_input *in); /* 0 at the end */
/* A number of any size, small ones likely. */
uint64_t fuzz_number(fuzz_input *in);

/* Path of a file of this process (i: 0 to 3) in a folder that is removed at exit. */
const char *fuzz_path(unsigned i);
void fuzz_write_file(const char *path, const void *data, size_t size);

/* Reads everything of a trace in every way: all cursors, text, sections, parts.  False if it does
 * not open. */
int fuzz_read_trace(const char *path);
/* The text of a trace; *status is that of tl_text_write. Free it. */
char *fuzz_dump(const char *path, tl_status *status);
/* Makes a trace of a text. */
tl_status fuzz_undump(const char *text, size_t size, const char *path);
/* dump, undump, dump: the same text. */
void fuzz_check_text(const char *path);

#endif
