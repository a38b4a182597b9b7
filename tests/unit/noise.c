/* Whom detours hold up and in what, how they are drawn, and the time that reductions take. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "loggops/loggops.h"
#include "machine/noise.h"

static tl_error err;
static const loggops_params network = {5300000, 2300000, 2000000, 2500, 1000, UINT64_MAX, 0};

static tlr_noise *noise_of(const char *text, uint64_t seed)
{
    tlr_noise *noise = NULL;
    assert_int_equal(tlr_noise_read(text, seed, &noise, &err), TL_OK);
    return noise;
}

static void refused(const char *text, const char *why)
{
    tlr_noise *noise = NULL;
    assert_int_equal(tlr_noise_read(text, 1, &noise, &err), TL_ERR_USAGE);
    assert_null(noise);
    assert_non_null(strstr(err.text, why));
}

/* ---- who and what ---- */

static void chosen_ranks(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t ranks; /* bits of the first 20 */
    } cases[] = {{"1000Hz:100us", 0xfffff},
                 {"1kHz:100us", 0xfffff},
                 {"1000Hz:100us,ranks=3", 0x8},
                 {"1000Hz:100us,ranks=0-3,8,12-15", 0xf10f},
                 {"1000Hz:100us,ranks=12-15,coscheduled,ranks=8,0-3", 0xf10f},
                 {"1000Hz:100us,ranks=2-5,4-7,7,7", 0xfc},
                 {"1000Hz:100us,ranks=19-4000000000", 0x80000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tlr_noise *noise = noise_of(cases[i].text, 1);
        for (uint32_t r = 0; r < 20; r++) /* ten periods: none is missed */
            assert_int_equal(tlr_noise_end(noise, r, 0, 9000000000) > 9000000000,
                             cases[i].ranks >> r & 1);
        tlr_noise_free(noise);
    }
    refused("1000Hz:100us,ranks=3-2", "'ranks=3-2' is unknown");
    refused("1000Hz:100us,ranks=1,2x", "'2x' is unknown");
    refused("1000Hz:100us,coscheduled,7", "'7' is unknown");
    refused("1000Hz:100us,loud", "'loud' is unknown");
}

static uint64_t makespan(const loggops_op *op, uint32_t n_ranks, const loggops_params *params,
                         const tlr_noise *noise)
{
    loggops_op ops[] = {*op, {0}};
    loggops_program program = {ops, NULL, 2, 0, 1};
    loggops_comm world = {n_ranks, NULL, NULL, 0};
    uint32_t *program_of = calloc(n_ranks, sizeof *program_of);
    const loggops_run run = {n_ranks, 1,    &program, program_of, 1,   &world,
                             0,       NULL, NULL,     NULL,       NULL};
    loggops_result result = {.ranks = calloc(n_ranks, sizeof *result.ranks)};
    assert_int_equal(loggops_simulate(&run, params, noise, 1, &result, &err), TL_OK);
    free(result.ranks);
    free(program_of);
    return result.makespan_ps;
}

static const loggops_op compute = {.kind = LOGGOPS_COMPUTE, .amount = 50000000000};
static const loggops_op sum = {
    .kind = LOGGOPS_COLLECTIVE, .algorithm = TLR_ALLREDUCE_DOUBLING, .amount = 1 << 20};

/* Noise in one kind of work delays that one, and no other. */
static void chosen_work(void **state)
{
    (void)state;
    static const char *const kinds[] = {"application", "overheads", "reductions"};
    loggops_params combining = network;
    combining.R_ps_byte = 500;
    for (unsigned i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "1000Hz:200us,%s", kinds[i]);
        tlr_noise *noise = noise_of(text, 1);
        assert_int_equal(noise->disturbs, 1 << i);
        assert_int_equal(
            makespan(&compute, 4, &network, noise) > makespan(&compute, 4, &network, NULL), i == 0);
        assert_int_equal(makespan(&sum, 8, &network, noise) > makespan(&sum, 8, &network, NULL),
                         i == 1);
        assert_int_equal(makespan(&sum, 8, &combining, noise) > makespan(&sum, 8, &combining, NULL),
                         i != 0);
        tlr_noise_free(noise);
    }
    tlr_noise *all = noise_of("1000Hz:200us", 1);
    assert_int_equal(all->disturbs, TLR_WORK_ALL);
    tlr_noise_free(all);
}

/* ---- distributions ---- */

static double sd_of_durations(const tlr_noise *noise)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < noise->n; i++) {
        const double x = (double)noise->detours[i].duration_ps;
        mean += x / (double)noise->n;
        square += x * x / (double)noise->n;
    }
    return sqrt(fmax(square - mean * mean, 0)) / mean;
}

/* They take the share of the time that is said; an exponential distribution's deviation is its
 * mean. */
static void drawn_detours(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double sd;
    } cases[] = {{"1000Hz:100us,durations=exponential", 1},
                 {"1000Hz:100us,intervals=exponential", 0},
                 {"1000Hz:100us,intervals=exponential,durations=exponential", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            tlr_noise *noise = noise_of(cases[i].text, seed), *again, *other;
            again = noise_of(cases[i].text, seed);
            other = noise_of(cases[i].text, seed + 1);
            const double share = (double)noise->total_ps / (double)noise->period_ps;
            assert_true(share > 0.092 && share < 0.108);
            assert_true(fabs(sd_of_durations(noise) - cases[i].sd) < 0.1);
            for (size_t j = 1; j < noise->n; j++)
                assert_true(noise->detours[j].start_ps >=
                            noise->detours[j - 1].start_ps + noise->detours[j - 1].duration_ps);
            assert_int_equal(again->n, noise->n);
            assert_memory_equal(again->detours, noise->detours, noise->n * sizeof *noise->detours);
            assert_int_not_equal(other->period_ps, noise->period_ps);
            tlr_noise_free(noise);
            tlr_noise_free(again);
            tlr_noise_free(other);
        }
    char file[] = "/tmp/tlr_noise.XXXXXX";
    const int descriptor = mkstemp(file);
    assert_true(descriptor >= 0 && write(descriptor, "0 1\n5 2\n", 8) == 8);
    close(descriptor);
    char text[64];
    snprintf(text, sizeof text, "%s,durations=exponential", file);
    refused(text, "the detours of a file are not drawn");
    unlink(file);
}

/* ---- reductions ---- */

/* On a power of two of ranks all go in step: each byte that is combined on a rank's way adds R. */
static void combining_takes_time(void **state)
{
    (void)state;
    enum { BYTES = 1 << 16, R_PS = 300 };
    loggops_params combining = network;
    combining.R_ps_byte = R_PS;
    for (uint32_t size = 2, rounds = 1; size <= 64; size *= 2, rounds++) {
        const struct {
            uint8_t algorithm;
            uint64_t combined_bytes;
        } cases[] = {
            {TLR_ALLREDUCE_DOUBLING, (uint64_t)rounds * BYTES},
            {TLR_ALLREDUCE_RING, (uint64_t)(size - 1) * (BYTES / size)},
            {TLR_ALLREDUCE_RABENSEIFNER, (uint64_t)(size - 1) * (BYTES / size)},
            {TLR_ALLREDUCE_LR, (uint64_t)(size - 1) * (BYTES / size)},
            {TLR_ALLREDUCE_TREES, (uint64_t)rounds * BYTES},
            {TLR_ALLREDUCE_REDBCAST, (uint64_t)(size - 1) * BYTES},
            {TLR_REDUCE_BINOMIAL, (uint64_t)rounds * BYTES},
            {TLR_REDUCE_SCATTER_PAIRWISE, (uint64_t)(size - 1) * BYTES},
            {TLR_REDUCE_SCATTER_HALVING, (uint64_t)(size - 1) * BYTES},
            {TLR_SCAN_LINEAR, (uint64_t)(size - 1) * BYTES},
            {TLR_BCAST_BINOMIAL, 0},
            {TLR_ALLGATHER_RING, 0},
        };
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const loggops_op op = {
                .kind = LOGGOPS_COLLECTIVE, .algorithm = cases[i].algorithm, .amount = BYTES};
            assert_int_equal(makespan(&op, size, &combining, NULL) -
                                 makespan(&op, size, &network, NULL),
                             cases[i].combined_bytes * R_PS);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_ranks),
        cmocka_unit_test(chosen_work),
        cmocka_unit_test(drawn_detours),
        cmocka_unit_test(combining_takes_time),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
