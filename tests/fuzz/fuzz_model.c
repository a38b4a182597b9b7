/* fuzz_model.c - the input is a compute model, model.conf. */
#include "fuzz.h"

#include "replayer.h"

#include <math.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int64_t sizes[] = {100, 20, 30};
    const tl_event kernel = {.call = TL_KERNEL_dgemm, .list = sizes, .list_len = 3};
    tlr_model *model = NULL;
    tl_error err = {0};
    fuzz_write_file(fuzz_path(0), data, size);
    const tl_status status = tlr_model_load(fuzz_path(0), &model, &err);
    FUZZ_CHECK(err.status == status);
    if (status)
        return 0;
    FUZZ_CHECK(!isnan(tlr_model_unit_s(model, "instructions")));
    FUZZ_CHECK(!isnan(tlr_model_kernel_s(model, NULL, 0, &kernel)));
    tlr_model_free(model);
    return 0;
}
