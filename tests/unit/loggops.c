/* The LogGOPS engine against closed formulas, and its collectives against what they are for. */
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
#include "replayer.h"

static tl_error err;

/* Two clusters of Hoefler's talk (system noise, 2011), in picoseconds. */
static const loggops_params odin = {5300000, 2300000, 2000000, 2500, 1000, UINT64_MAX, 0};
static const loggops_params big_red = {2900000, 2400000, 1700000, 5000, 2000, UINT64_MAX, 0};

/* ---- running one program on all ranks ---- */

enum { MAX_OPS = 32 };

static uint64_t run_program(const loggops_op *ops, size_t n_ops, int64_t *list, uint32_t n_ranks,
                            const loggops_params *params, const tlr_noise *noise,
                            loggops_rank_result *ranks)
{
    loggops_op copy[MAX_OPS + 1] = {{0}};
    assert_true(n_ops <= MAX_OPS);
    memcpy(copy, ops, n_ops * sizeof *ops);
    loggops_program program = {copy, list, n_ops + 1, 0, 9};
    loggops_comm world = {n_ranks, NULL, NULL, 0};
    uint32_t *program_of = calloc(n_ranks, sizeof *program_of);
    const loggops_run run = {n_ranks, 1,    &program, program_of, 1,   &world,
                             0,       NULL, NULL,     NULL,       NULL};
    loggops_result result = {.ranks = ranks ? ranks : calloc(n_ranks, sizeof *ranks)};
    assert_int_equal(loggops_simulate(&run, params, noise, 1, &result, &err), TL_OK);
    if (!ranks)
        free(result.ranks);
    free(program_of);
    return result.makespan_ps;
}

static uint64_t run_ops(const loggops_op *ops, size_t n_ops, int64_t *list, uint32_t n_ranks,
                        const loggops_params *params, loggops_rank_result *ranks)
{
    return run_program(ops, n_ops, list, n_ranks, params, NULL, ranks);
}

static uint64_t run_noisy(const loggops_op *ops, size_t n_ops, uint32_t n_ranks,
                          const loggops_params *params, const tlr_noise *noise)
{
    return run_program(ops, n_ops, NULL, n_ranks, params, noise, NULL);
}

static uint64_t run_collective(uint8_t algorithm, uint32_t n_ranks, uint64_t bytes,
                               const loggops_params *params)
{
    const loggops_op op = {.kind = LOGGOPS_COLLECTIVE, .algorithm = algorithm, .amount = bytes};
    return run_ops(&op, 1, NULL, n_ranks, params, NULL);
}

/* ---- closed formulas ---- */

static uint64_t max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

typedef struct costs {
    uint64_t send, gap, receive, hop; /* CPU of a send; interface; CPU of a receive; end to end */
    uint64_t kO, m;
} costs;

static costs costs_of(const loggops_params *p, uint64_t bytes)
{
    const uint64_t k = bytes - 1, kO = k * (uint64_t)p->O_ps_byte, kG = k * (uint64_t)p->G_ps_byte;
    const uint64_t m = max(kO, kG);
    return (costs){p->o_ps + kO, p->g_ps + kG, p->o_ps + m, 2 * p->o_ps + p->L_ps + m, kO, m};
}

/* A rank's message to the k-th child starts k gaps after it has the data itself. */
static uint64_t binomial(uint64_t v, unsigned round, uint64_t n_ranks, const costs *c)
{
    uint64_t latest = 0, start = 0;
    for (; v + (UINT64_C(1) << round) < n_ranks; round++, start += max(c->send, c->gap))
        latest = max(latest,
                     start + c->hop + binomial(v + (UINT64_C(1) << round), round + 1, n_ranks, c));
    return latest;
}

/* The same where the parent is v without its lowest bit, and the largest subtree comes first. */
static uint64_t in_order(uint64_t v, uint64_t width, uint64_t n_ranks, const costs *c)
{
    uint64_t latest = 0, start = 0;
    for (width /= 2; width; width /= 2) {
        if (v + width >= n_ranks)
            continue;
        latest = max(latest, start + c->hop + in_order(v + width, width, n_ranks, c));
        start += max(c->send, c->gap);
    }
    return latest;
}

static unsigned rounds(uint32_t n_ranks)
{
    unsigned n = 0;
    while ((UINT64_C(1) << n) < n_ranks)
        n++;
    return n;
}

static void check_formulas(const loggops_params *params, uint32_t n_ranks, uint64_t bytes)
{
    const costs c = costs_of(params, bytes);
    assert_int_equal(run_collective(TLR_SCATTER_LINEAR, n_ranks, bytes, params),
                     (n_ranks - 2) * max(c.send, c.gap) + c.hop);
    assert_int_equal(run_collective(TLR_GATHER_LINEAR, n_ranks, bytes, params),
                     (n_ranks - 2) * max(c.receive, c.gap) + c.hop);
    assert_int_equal(run_collective(TLR_BARRIER_DISSEMINATION, n_ranks, bytes, params),
                     rounds(n_ranks) * (2 * params->o_ps + max(params->L_ps, c.kO) + c.m));
    assert_int_equal(run_collective(TLR_BCAST_BINOMIAL_AT_ONCE, n_ranks, bytes, params),
                     binomial(0, 0, n_ranks, &c));
    assert_int_equal(run_collective(TLR_BCAST_BINOMIAL, n_ranks, bytes, params),
                     in_order(0, UINT64_C(1) << rounds(n_ranks), n_ranks, &c));
}

static void closed_formulas(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {2,  3,  4,  5,   7,   8,   13,   16,   17,
                                     31, 32, 64, 100, 128, 256, 1000, 1024, 4096};
    static const uint64_t bytes[] = {1, 2, 8, 64, 1024, 8192, 65535, 131072};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t j = 0; j < sizeof bytes / sizeof *bytes; j++) {
            check_formulas(&odin, sizes[i], bytes[j]);
            check_formulas(&big_red, sizes[i], bytes[j]);
        }
}

/* Nanoseconds that LogGOPSim prints, sorted stably. */
static void published_values(void **state)
{
    (void)state;
    assert_int_equal(run_collective(TLR_BCAST_BINOMIAL_AT_ONCE, 100, 131072, &big_red), 4635385000);
    assert_int_equal(run_collective(TLR_BARRIER_DISSEMINATION, 100, 131072, &odin), 3243439500);
    assert_int_equal(run_collective(TLR_GATHER_LINEAR, 64, 1024, &odin), 313622500);
    assert_int_equal(run_collective(TLR_SCATTER_LINEAR, 64, 1024, &big_red), 435345000);
}

/* A receive that is posted late keeps the sender of a long message, but not of a short or buffered
 * one. */
static void rendezvous(void **state)
{
    (void)state;
    loggops_params p = odin;
    p.S_bytes = 1000;
    for (int kind = 0; kind < 3; kind++) {
        const int is_long = kind > 0, is_buffered = kind > 1;
        const uint64_t bytes = is_long ? 1000 : 999, late = 50000000;
        const costs c = costs_of(&p, bytes);
        loggops_op sender[] = {
            {.kind = LOGGOPS_SEND, .peer = 1, .amount = bytes, .is_buffered = is_buffered != 0},
            {0}};
        loggops_op receiver[] = {{.kind = LOGGOPS_COMPUTE, .amount = late},
                                 {.kind = LOGGOPS_RECV, .peer = 1, .amount = bytes},
                                 {0}};
        loggops_program programs[] = {{sender, NULL, 2, 0, 1}, {receiver, NULL, 3, 0, 1}};
        uint32_t program_of[] = {0, 1};
        loggops_comm world = {2, NULL, NULL, 0};
        loggops_rank_result ranks[2];
        const loggops_run run = {2, 2, programs, program_of, 1, &world, 0, NULL, NULL, NULL, NULL};
        loggops_result result = {.ranks = ranks};
        assert_int_equal(loggops_simulate(&run, &p, NULL, 1, &result, &err), TL_OK);
        assert_int_equal(ranks[1].end_ps, late + c.receive);
        assert_int_equal(ranks[0].end_ps,
                         is_long && !is_buffered ? late + p.o_ps + p.L_ps : c.send);
    }
}

/* Receives meet messages by source and tag, whatever the order in which they come. */
static void matching(void **state)
{
    (void)state;
    int64_t list[] = {2, 1, 2};
    const loggops_op ops[] = {
        {.kind = LOGGOPS_SEND, .peer = 1, .tag = 7, .amount = 1},
        {.kind = LOGGOPS_SEND, .peer = 1, .tag = 8, .amount = 1},
        {.kind = LOGGOPS_RECV, .peer = 3, .tag = 8, .request = 1},
        {.kind = LOGGOPS_RECV, .peer = LOGGOPS_ANY, .tag = LOGGOPS_ANY, .request = 2},
        {.kind = LOGGOPS_WAIT}};
    loggops_rank_result ranks[4];
    run_ops(ops, 5, list, 4, &odin, ranks);
    for (int r = 1; r < 4; r++)
        assert_int_equal(ranks[r].end_ps, ranks[0].end_ps);
}

/* A collective that does not block takes as long if the program does nothing else, and goes on
 * beside what else it does. */
static void collectives_beside_the_program(void **state)
{
    (void)state;
    int64_t list[] = {0, 2, 1, 2};
    for (int algorithm = 1; algorithm < TLR_N_ALGORITHMS; algorithm++)
        for (uint64_t bytes = 8; bytes <= 8192; bytes *= 1024)
            for (uint32_t n = 2; n < 20; n += 3) {
                const loggops_op blocking = {
                    .kind = LOGGOPS_COLLECTIVE, .algorithm = (uint8_t)algorithm, .amount = bytes};
                loggops_op ops[] = {blocking, blocking, {.kind = LOGGOPS_WAIT, .list = 1}};
                loggops_params p = odin;
                p.S_bytes = 1000;
                ops[0].request = ops[0].tag = 1;
                ops[1].request = ops[1].tag = 2;
                list[1] = 1;
                const loggops_op one[] = {ops[0], ops[2]};
                const uint64_t alone_ps = run_ops(&blocking, 1, NULL, n, &p, NULL);
                assert_int_equal(run_ops(one, 2, list, n, &p, NULL), alone_ps);
                list[1] = 2;
                const uint64_t both_ps = run_ops(ops, 3, list, n, &p, NULL);
                assert_true(both_ps >= alone_ps && both_ps <= 2 * alone_ps + 10000000);
            }
    const loggops_op barrier = {.kind = LOGGOPS_COLLECTIVE,
                                .algorithm = TLR_BARRIER_DISSEMINATION,
                                .amount = 1,
                                .request = 1,
                                .tag = 1};
    const loggops_op overlapped[] = {
        barrier, {.kind = LOGGOPS_COMPUTE, .amount = 1000000}, {.kind = LOGGOPS_WAIT, .list = 1}};
    list[1] = 1;
    /* The computation takes the CPU while the first message is on its way: L - 1 us are left. */
    assert_int_equal(run_ops(overlapped, 3, list, 2, &odin, NULL), 2 * odin.o_ps + odin.L_ps);
}

static void deadlock(void **state)
{
    (void)state;
    loggops_op ops[] = {{.kind = LOGGOPS_RECV, .peer = 1}, {0}};
    loggops_program program = {ops, NULL, 2, 0, 1};
    uint32_t program_of[] = {0, 0};
    loggops_comm world = {2, NULL, NULL, 0};
    loggops_rank_result ranks[2];
    const loggops_run run = {2, 1, &program, program_of, 1, &world, 0, NULL, NULL, NULL, NULL};
    loggops_result result = {.ranks = ranks};
    assert_int_equal(loggops_simulate(&run, &odin, NULL, 1, &result, &err), TLR_ERR_DEADLOCK);
    assert_non_null(strstr(err.text, "2 ranks wait forever"));
}

/* ---- noise ---- */

/* Beckman's experiment in the LogGOPS model: slowdowns of a loop of barriers. */
static void noise_propagates(void **state)
{
    (void)state;
    static const loggops_params blue_gene = {2500000, 1000000, 1000000, 0, 0, UINT64_MAX, 0};
    static const struct {
        const char *noise;
        double from, to;
    } cases[] = {{"1000Hz:16us", 1.2, 1.7}, {"1000Hz:50us", 2.5, 4}, {"1000Hz:100us", 5, 8}};
    loggops_op ops[MAX_OPS] = {{0}};
    for (int i = 0; i < MAX_OPS; i++)
        ops[i] = (loggops_op){
            .kind = LOGGOPS_COLLECTIVE, .algorithm = TLR_BARRIER_DISSEMINATION, .amount = 1};
    const uint64_t quiet_ps = run_noisy(ops, MAX_OPS, 4096, &blue_gene, NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double sum = 0;
        for (uint64_t seed = 1; seed <= 10; seed++) {
            tlr_noise *noise = NULL;
            assert_int_equal(tlr_noise_read(cases[i].noise, seed, &noise, &err), TL_OK);
            sum += (double)run_noisy(ops, MAX_OPS, 4096, &blue_gene, noise) / (double)quiet_ps;
            tlr_noise_free(noise);
        }
        assert_true(sum / 10 > cases[i].from && sum / 10 < cases[i].to);
    }
}

/* ---- properties ---- */

/* A schedule in which no rank has two messages at once: each parameter can only delay. */
static void slower_parameters_delay(void **state)
{
    (void)state;
    static const uint8_t algorithms[] = {TLR_BARRIER_DISSEMINATION, TLR_BARRIER_DOUBLING,
                                         TLR_ALLREDUCE_DOUBLING,    TLR_ALLREDUCE_RABENSEIFNER,
                                         TLR_ALLGATHER_RING,        TLR_ALLTOALL_PAIR};
    for (size_t i = 0; i < sizeof algorithms; i++)
        for (uint32_t size = 2; size <= 64; size *= 2) {
            uint64_t before[5] = {0};
            for (uint64_t k = 0; k < 8; k++) {
                loggops_params p[5] = {odin, odin, odin, odin, odin};
                p[0].L_ps = k * 1500000;
                p[1].o_ps = (k + 1) * 700000;
                p[2].g_ps = k * 900000;
                p[3].G_ps_byte = (double)(k * 800);
                p[4].O_ps_byte = (double)(k * 600);
                for (int j = 0; j < 5; j++) {
                    const uint64_t end_ps = run_collective(algorithms[i], size, 4096, &p[j]);
                    assert_true(end_ps >= before[j]);
                    before[j] = end_ps;
                }
            }
        }
}

/* Ranks of a communicator in another order do the same, each at its new place. */
static void order_does_not_matter(void **state)
{
    (void)state;
    enum { N = 24, STRIDE = 7 };
    for (int algorithm = 1; algorithm < TLR_N_ALGORITHMS; algorithm++) {
        loggops_op ops[] = {{.kind = LOGGOPS_COLLECTIVE,
                             .algorithm = (uint8_t)algorithm,
                             .peer = 0,
                             .amount = 3000},
                            {0}};
        loggops_program program = {ops, NULL, 2, 0, 1};
        uint32_t program_of[N] = {0};
        int32_t members[N], order[N];
        for (int32_t i = 0; i < N; i++) {
            members[i] = i * STRIDE % N;
            order[members[i]] = i;
        }
        loggops_rank_result in_order[N], renumbered[N];
        loggops_comm comms[] = {{N, NULL, NULL, 0}, {N, members, order, 0}};
        for (int k = 0; k < 2; k++) {
            const loggops_run run = {N, 1,    &program, program_of, 1,   &comms[k],
                                     0, NULL, NULL,     NULL,       NULL};
            loggops_result result = {.ranks = k ? renumbered : in_order};
            assert_int_equal(loggops_simulate(&run, &odin, NULL, 1, &result, &err), TL_OK);
        }
        for (int32_t i = 0; i < N; i++)
            assert_int_equal(renumbered[members[i]].end_ps, in_order[i].end_ps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_formulas),
        cmocka_unit_test(published_values),
        cmocka_unit_test(rendezvous),
        cmocka_unit_test(matching),
        cmocka_unit_test(collectives_beside_the_program),
        cmocka_unit_test(deadlock),
        cmocka_unit_test(noise_propagates),
        cmocka_unit_test(slower_parameters_delay),
        cmocka_unit_test(order_does_not_matter),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
