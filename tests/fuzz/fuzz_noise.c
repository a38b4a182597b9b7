/* fuzz_noise.c - the input is a file of detours, and the text of --noise. */
#include "fuzz.h"

#include "machine/noise.h"

#include <string.h>

static void use(const char *text)
{
    tlr_noise *noise = NULL;
    tl_error err = {0};
    const tl_status status = tlr_noise_read(text, 1, &noise, &err);
    FUZZ_CHECK(err.status == status);
    if (status)
        return;
    /* Work of a few periods, on two ranks. */
    const uint64_t period_ps = noise->period_ps < (1ull << 60) ? noise->period_ps : 1ull << 60;
    for (uint32_t rank = 0; rank < 2; rank++) {
        const uint64_t busy_ps = period_ps / 3;
        FUZZ_CHECK(tlr_noise_end(noise, rank, period_ps / 2, busy_ps) >= period_ps / 2 + busy_ps);
    }
    tlr_noise_free(noise);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    FUZZ_CHECK(text);
    fuzz_write_file(fuzz_path(0), data, size);
    use(fuzz_path(0));
    if (!strchr(text, '/')) /* no file of the system */
        use(text);
    free(text);
    return 0;
}
