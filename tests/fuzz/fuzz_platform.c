/* fuzz_platform.c - the input is the description of a platform, platform.conf, from which one is
 * made. */
#include "fuzz.h"

#include "generate/generate.h"

/* A line of text can describe millions of nodes. */
enum { MAX_NODES = 2000 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tlp_description *d = NULL;
    tl_error err = {0};
    fuzz_write_file(fuzz_path(0), data, size);
    const tl_status status = tlp_description_read(fuzz_path(0), &d, &err);
    FUZZ_CHECK(err.status == status);
    if (status)
        return 0;
    FILE *nowhere = fopen("/dev/null", "w");
    FUZZ_CHECK(nowhere && d->n_nodes > 0);
    if (d->n_nodes <= MAX_NODES) {
        tlp_write_xml(d, nowhere);
        tlp_write_options(d, nowhere);
    }
    fclose(nowhere);
    tlp_description_free(d);
    return 0;
}
