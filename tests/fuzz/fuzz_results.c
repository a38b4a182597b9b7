/* fuzz_results.c - the input is the results file of a sweep. */
#include "fuzz.h"

#include "study/sweep.h"
#include "study/sweep_table.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tlr_axis *axis = calloc(1, sizeof *axis); /* the sweep takes it over */
    tlr_sweep sweep = {0};
    tl_error err = {0};
    FUZZ_CHECK(axis && !tlr_axis_parse("params.L=1us,2us", axis, &err));
    FUZZ_CHECK(!tlr_sweep_create(axis, 1, &sweep, &err));
    sweep.points[0].key = 0x0123456789abcdef;
    sweep.points[1].key = 7;
    fuzz_write_file(fuzz_path(0), data, size);
    tlr_rows rows = {0};
    sweep.command = "replay";
    tl_status status = tlr_rows_read(&rows, fuzz_path(0), size % 2, &sweep, &err);
    FUZZ_CHECK(err.status == status);
    for (size_t i = 0; i < sweep.n_points && !status; i++)
        FUZZ_CHECK(!sweep.points[i].known || *sweep.points[i].error ||
                   (isfinite(sweep.points[i].makespan_s) && sweep.points[i].makespan_s >= 0));
    FILE *nowhere = fopen("/dev/null", "w");
    FUZZ_CHECK(nowhere);
    FUZZ_CHECK(status || !tlr_sweep_write_csv(&sweep, &rows, nowhere, &err));
    fclose(nowhere);
    tlr_rows_free(&rows);
    tlr_sweep_free(&sweep);
    return 0;
}
