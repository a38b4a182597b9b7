/* fuzz_measurements.c - the input is a CSV file of durations, a history of calibrations, what the
 * network probe wrote, or a prediction as JSON. */
#include "fuzz.h"

#include "calibrate/network.h"
#include "replayer.h"
#include "study/runs.h"

#include <sys/stat.h>
#include <unistd.h>

static void read_history(const uint8_t *data, size_t size)
{
    char folder[96], path[128];
    tlr_runs before = {0}, last = {0};
    tl_error err = {0};
    snprintf(folder, sizeof folder, "%s", fuzz_path(1));
    snprintf(path, sizeof path, "%s/history.csv", folder);
    FUZZ_CHECK(!mkdir(folder, 0700));
    fuzz_write_file(path, data, size);
    const tl_status status = tlr_runs_read_history(&before, &last, folder, &err);
    FUZZ_CHECK(err.status == status);
    tlr_runs_clear(&before);
    tlr_runs_clear(&last);
    unlink(path);
    rmdir(folder);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tlr_runs runs = {0};
    tlr_prediction *prediction = NULL;
    tl_error err = {0};
    fuzz_write_file(fuzz_path(0), data, size);
    tl_status status = tlr_runs_read(&runs, fuzz_path(0), &err);
    FUZZ_CHECK(err.status == status);
    tlr_runs_clear(&runs);
    read_history(data, size);
    status = tlr_prediction_read_json(fuzz_path(0), &prediction, NULL);
    FUZZ_CHECK(status || prediction);
    tlr_prediction_free(prediction);
    tlp_probe_free(tlp_raw_open(&tlp_raw_network, fuzz_path(0), NULL));
    return 0;
}
