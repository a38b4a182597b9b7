/* fuzz_simgrid.c - the input is SimGrid's text of rank 0 of 3. */
#include "fuzz.h"

#include <unistd.h>

#include "../../compress/exchange/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_error err = {0};
    tl_run run = {.n_ranks = 3, .volume_unit = "flops"};
    tl_writer *w;
    FUZZ_CHECK(!tl_trace_create(fuzz_path(0), &run, &err));
    FUZZ_CHECK(!tl_writer_open(fuzz_path(0), 0, "", &w, &err));
    FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    FUZZ_CHECK(in);
    tl_status status = tl_import_simgrid_rank(in, "text", 0, 3, false, false, w, &err);
    fclose(in);
    FUZZ_CHECK(status == err.status && (!status || *err.text));
    FUZZ_CHECK(!tl_writer_close(w, TL_END_FINALIZED, 0));
    fuzz_check_text(fuzz_path(0));
    return 0;
}
