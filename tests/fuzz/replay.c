/* replay.c - runs a harness on files, without a fuzzer: FILE... */
#include "fuzz.h"

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        FILE *f = fopen(argv[i], "rb");
        if (!f) {
            perror(argv[i]);
            return 1;
        }
        enum { MAX_BYTES = 1 << 20 };
        uint8_t *data = malloc(MAX_BYTES);
        FUZZ_CHECK(data);
        size_t size = fread(data, 1, MAX_BYTES, f);
        fclose(f);
        /* As large as the input, so that the sanitizer sees what is read beyond it. */
        uint8_t *exact = realloc(data, size ? size : 1);
        FUZZ_CHECK(exact);
        fprintf(stderr, "%s\n", argv[i]);
        LLVMFuzzerTestOneInput(exact, size);
        free(exact);
    }
    return 0;
}
