/* fuzz_replay_chunks.c - the input is what stands in a file between the checksums (chunks.h): the
 * trace is replayed. */
#include "chunks.h"
#include "replays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_write_chunks(data, size, fuzz_path(0));
    fuzz_replay_trace(fuzz_path(0));
    return 0;
}
