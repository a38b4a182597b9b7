/* fuzz_chunks.c - the input is what stands in a file between the checksums (chunks.h): they are
 * made right, so that everything behind them is reached. */
#include "chunks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_write_chunks(data, size, fuzz_path(0));
    if (fuzz_read_trace(fuzz_path(0)))
        fuzz_check_text(fuzz_path(0));
    return 0;
}
