/* fuzz_file.c - the input is a trace file. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_write_file(fuzz_path(0), data, size);
    fuzz_read_trace(fuzz_path(0));
    return 0;
}
