/* replays.h - replays in a harness. */
#ifndef TEST_FUZZ_REPLAYS_H
#define TEST_FUZZ_REPLAYS_H

#include <stddef.h>
#include <stdint.h>

/* Replays the trace with both engines, SMPI in a child; or with the one that the environment
 * variable FUZZ_ENGINE names.  A finding is a crash of ours, a refusal without a reason, or a
 * prediction that is no number. */
void fuzz_replay_trace(const char *path);

/* text_mutator.c, for libFuzzer */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#endif
