/* fuzz_replay_text.c - the input is a text: the trace that it describes is replayed. */
#include "fuzz.h"
#include "replays.h"

#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path(0);
    if (fuzz_undump((const char *)data, size, path))
        return 0;
    fuzz_replay_trace(path);
    unlink(path);
    return 0;
}
