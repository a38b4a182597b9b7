/* fuzz_text.c - the input is a text: if a trace can be made of it, its text is canonical. */
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_path(0);
    if (fuzz_undump((const char *)data, size, path))
        return 0;
    tl_reader *r;
    tl_error err;
    FUZZ_CHECK(!tl_reader_open(path, &r, &err));
    /* What a text of few bytes says of millions of ranks would take the fuzzer's time. */
    uint32_t n_ranks = tl_reader_run(r)->n_ranks;
    size_t n_damages = tl_reader_n_damages(r);
    tl_reader_close(r);
    if (n_ranks <= 64) {
        FUZZ_CHECK(!n_damages);
        fuzz_check_text(path);
    }
    unlink(path);
    return 0;
}
