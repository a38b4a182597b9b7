/* fuzz_goal.c - the input is a file of GOAL: what becomes of it is written as GOAL again. */
#include "fuzz.h"

#include <unistd.h>

#include "../../compress/exchange/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_error err = {0};
    FILE *in = size ? fmemopen((void *)(uintptr_t)data, size, "r") : fopen("/dev/null", "r");
    FUZZ_CHECK(in);
    tl_status status = tl_import_goal_file(in, "goal", fuzz_path(0), &err);
    fclose(in);
    FUZZ_CHECK(status == err.status && (!status || *err.text));
    if (status)
        return 0;
    tl_reader *r;
    FUZZ_CHECK(!tl_reader_open(fuzz_path(0), &r, &err));
    /* What a text of few bytes says of millions of ranks would take the fuzzer's time. */
    if (tl_reader_run(r)->n_ranks <= 64) {
        static const tl_rates rates = {.per_unit = 1};
        FUZZ_CHECK(!tl_export_goal(r, &rates, NULL, fuzz_path(1), &err));
        fuzz_check_text(fuzz_path(0));
        in = fopen(fuzz_path(1), "r");
        FUZZ_CHECK(in);
        FUZZ_CHECK(!tl_import_goal_file(in, "goal", fuzz_path(1), &err));
        fclose(in);
    }
    tl_reader_close(r);
    return 0;
}
