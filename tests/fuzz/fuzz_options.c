/* fuzz_options.c - the input is a platform's options.conf, a host file, and the text of an option
 * of timeless replay and timeless sweep. */
#include "fuzz.h"

#include "loggops/loggops.h"
#include "machine/mapping.h"
#include "study/sweep.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_hosts(const char *path)
{
    static const tlr_host hosts[] = {{"n0", 2}, {"n1", 2}, {"n2", 1}};
    static const tlr_options options[] = {{.n_seeds = 0}, {.ranks_per_host = 2, .round_robin = 1}};
    for (size_t i = 0; i < 2; i++) {
        uint32_t host_of[4];
        tl_error err = {0};
        const tl_status status = tlr_map_ranks(hosts, 3, path, &options[i], 4, host_of, &err);
        FUZZ_CHECK(err.status == status);
        for (size_t r = 0; r < 4 && !status; r++)
            FUZZ_CHECK(host_of[r] < 3);
    }
}

static void read_platform(const uint8_t *data, size_t size)
{
    char folder[96], xml[128], options[128];
    tlr_platform *platform = NULL;
    tl_error err = {0};
    snprintf(folder, sizeof folder, "%s", fuzz_path(1));
    snprintf(xml, sizeof xml, "%s/platform.xml", folder);
    snprintf(options, sizeof options, "%s/options.conf", folder);
    FUZZ_CHECK(!mkdir(folder, 0700));
    fuzz_write_file(xml, "<platform/>", strlen("<platform/>"));
    fuzz_write_file(options, data, size);
    const tl_status status = tlr_platform_load(folder, &platform, &err);
    FUZZ_CHECK(err.status == status);
    for (size_t i = 0; !status && i < platform->n_options; i++)
        FUZZ_CHECK(strchr(platform->options[i], ':'));
    tlr_platform_free(platform);
    unlink(options);
    unlink(xml);
    rmdir(folder);
}

static void read_words(const char *text)
{
    tlr_change change[2];
    loggops_params params;
    tlr_axis axis = {0};
    char out[512];
    size_t n = 0;
    if (!tlr_change_parse(text, &change[0], NULL)) {
        FUZZ_CHECK(tlr_change_text(&change[0], out, sizeof out) > 0);
        FUZZ_CHECK(tlr_change_apply(&change[0], 1) > 0);
    }
    if (!tlr_change_scale("network", text, change, &n, NULL))
        FUZZ_CHECK(n == 2);
    if (!loggops_parse_params(text, &params, NULL))
        FUZZ_CHECK(params.L_ps + params.o_ps > 0);
    /* A range of a few bytes can have millions of values. */
    if (!strchr(text, ':') && !tlr_axis_parse(text, &axis, NULL)) {
        FUZZ_CHECK(axis.n > 0);
        tlr_axis_free(&axis);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = strndup((const char *)data, size);
    FUZZ_CHECK(text);
    fuzz_write_file(fuzz_path(0), data, size);
    read_hosts(fuzz_path(0));
    read_platform(data, size);
    read_words(text);
    free(text);
    return 0;
}
