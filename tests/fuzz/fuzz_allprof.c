/* fuzz_allprof.c - the input is what liballprof wrote of two ranks, with a line "#" between them.
 */
#include "config.h"

#include "fuzz.h"

#include <string.h>
#include <unistd.h>

#include <timeless_convert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char list[512];
    const uint8_t *split = memmem(data, size, "\n#\n", 3);
    const size_t n = split ? (size_t)(split + 1 - data) : size;
    fuzz_write_file(fuzz_path(3), data, n);
    fuzz_write_file(fuzz_path(1), data + n, size - n);
    const int length = snprintf(list, sizeof list, "%s\n%s\n", fuzz_path(3), fuzz_path(1));
    fuzz_write_file(fuzz_path(2), list, (size_t)length);
    tl_error err = {0};
    static const tl_dumpi_options options = {.rate = 1};
    tl_status status = tl_import_liballprof(fuzz_path(2), &options, fuzz_path(0), &err);
    FUZZ_CHECK(status == err.status && (!status || *err.text));
    unlink(fuzz_path(2)); /* fuzz_check_text writes a trace there */
    if (!status)
        fuzz_check_text(fuzz_path(0));
    return 0;
}
