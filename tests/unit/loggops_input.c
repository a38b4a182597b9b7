/* What the LogGOPS engine reads: parameters and noise. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "loggops/loggops.h"
#include "machine/noise.h"

static tl_error err;

static uint64_t noise_end(const char *text, uint64_t start_ps, uint64_t busy_ps)
{
    tlr_noise *noise = NULL;
    assert_int_equal(tlr_noise_read(text, 1, &noise, &err), TL_OK);
    /* The period begins somewhere: begin where it does. */
    uint64_t begin_ps = 0;
    while (tlr_noise_end(noise, 0, begin_ps, 1) == begin_ps + 1)
        begin_ps += 1000;
    begin_ps =
        tlr_noise_end(noise, 0, begin_ps, 1) - 1 + noise->period_ps - noise->detours[0].duration_ps;
    const uint64_t end_ps = tlr_noise_end(noise, 0, begin_ps + start_ps, busy_ps);
    tlr_noise_free(noise);
    return end_ps - begin_ps;
}

/* A detour of 2 us each 10 us: work is put off while one lasts, and by each that begins before it
 * is done. */
static void detours(void **state)
{
    (void)state;
    static const struct {
        uint64_t start_us, busy_us, end_us;
    } cases[] = {{0, 0, 0},   {0, 1, 3},    {1, 1, 3},  {2, 1, 3},  {2, 8, 10},
                 {2, 9, 13},  {5, 5, 10},   {5, 6, 13}, {0, 8, 10}, {0, 16, 20},
                 {0, 17, 23}, {5, 80, 105}, {9, 1, 10}, {9, 2, 13}, {13, 7, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(
            noise_end("100000Hz:2us", cases[i].start_us * 1000000, cases[i].busy_us * 1000000),
            cases[i].end_us * 1000000);
}

static void parameters(void **state)
{
    (void)state;
    loggops_params p;
    assert_int_equal(
        loggops_parse_params("L=5.3us,o=2300ns,g=2us,G=2.5ns,O=1000ps,S=65536", &p, &err), TL_OK);
    assert_int_equal(p.L_ps, 5300000);
    assert_int_equal(p.o_ps, 2300000);
    assert_true(p.G_ps_byte == 2500 && p.O_ps_byte == 1000 && p.S_bytes == 65536);
    assert_int_equal(
        loggops_parse_params("L=1us,o=1us,g=1us,G=1ns,O=0,S=64K;from=1M,G=2ns", &p, &err), TL_OK);
    assert_int_equal(p.S_bytes, 65536);
    static const char *const wrong[] = {"",
                                        "L=1us,o=1us,g=1us,G=1ns,O=0,S=64X",
                                        "L=1us,o=1us,g=1us,G=1ns,O=0,S=64KB",
                                        "L=1us,o=1us,g=1us,G=1ns,O=0,S=99999999999999999G",
                                        "L=1us",
                                        "L=1us,o=1us,g=1us,G=1ns",
                                        "L=1,o=1us,g=1us,G=1ns,O=0",
                                        "L=-1us,o=1us,g=1us,G=1ns,O=0",
                                        "L=0,o=0,g=1us,G=1ns,O=0",
                                        "X=1us",
                                        "L=1us o=1us"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(loggops_parse_params(wrong[i], &p, &err), TL_ERR_USAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(detours),
        cmocka_unit_test(parameters),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
