/* fuzz_dumpi.c - the input is what two ranks recorded with DUMPI: the calls of rank 0, two bytes
 * that are 1, and those of rank 1; or whole files, if it begins with their magic. */
#include "config.h"

#include "fuzz.h"

#include <string.h>

#include "../../compress/core/bytes.h"
#include "../../compress/exchange/import.h"

enum { N_CALLS = 290 }; /* that DUMPI numbers; counted in the footer */

static void put(tl_buffer *b, uint64_t value, unsigned bytes)
{
    FUZZ_CHECK(tl_buffer_reserve(b, bytes));
    while (bytes--)
        b->data[b->size++] = (uint8_t)(value >> 8 * bytes);
}

/* A whole file: magic, calls, header, footer without counts, table of sizes, index. */
static void make_file(tl_buffer *b, const uint8_t *calls, size_t size)
{
    static const char magic[] = "\xff\xaa\xdd"
                                "DUMPI";
    FUZZ_CHECK(tl_buffer_reserve(b, size + 3000) && b->data);
    memcpy(b->data, magic, 8);
    b->size = 8;
    put(b, 0, 8);
    if (size)
        memcpy(b->data + b->size, calls, size);
    b->size += size;
    put(b, N_CALLS + 3, 2);
    const uint64_t header = b->size;
    put(b, 0x010000, 3);
    put(b, 0, 8);
    put(b, 0, 4); /* two empty texts */
    put(b, 0, 8); /* two empty arrays */
    const uint64_t footer = b->size;
    put(b, 0xf007fee7, 8);
    for (int i = 0; i < 2 * (N_CALLS + 1); i++)
        put(b, 0, 4);
    const uint64_t sizes = b->size;
    put(b, 40, 4);
    for (unsigned i = 0; i < 40; i++)
        put(b, i, 4);
    FUZZ_CHECK(tl_buffer_reserve(b, 64));
    memcpy(b->data + b->size, magic, 8);
    b->size += 8;
    const uint64_t index[] = {sizes, 0, 0, header, 8, footer, 0};
    for (size_t i = 0; i < 7; i++)
        put(b, index[i], 8);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char name[] = "dumpi";
    char *names[] = {name, name};
    tl_buffer files[2] = {{0}};
    FILE *in[2];
    const bool whole = size > 8 && data[0] == 0xff && data[1] == 0xaa;
    const uint8_t *split = memmem(data, size, "\1\1", 2);
    const uint8_t *end = data + size;
    for (int i = 0; i < 2; i++) {
        if (whole) {
            FUZZ_CHECK(tl_buffer_reserve(&files[i], size));
            memcpy(files[i].data, data, size);
            files[i].size = size;
        } else if (!i) {
            make_file(&files[i], data, split ? (size_t)(split - data) : size);
        } else {
            make_file(&files[i], split ? split + 2 : data,
                      split ? (size_t)(end - split - 2) : size);
        }
        in[i] = fmemopen(files[i].data, files[i].size, "r");
        FUZZ_CHECK(in[i]);
    }
    static const tl_dumpi_options options = {.rate = 1};
    tl_error err = {0};
    tl_status status = tl_import_dumpi_files(in, names, 2, &options, fuzz_path(0), &err);
    FUZZ_CHECK(status == err.status && (!status || *err.text));
    if (!status)
        fuzz_check_text(fuzz_path(0));
    for (int i = 0; i < 2; i++) {
        fclose(in[i]);
        tl_buffer_free(&files[i]);
    }
    return 0;
}
