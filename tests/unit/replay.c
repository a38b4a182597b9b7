/* Replay of small hand-made traces: what the engine computes, and what it refuses. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replayer.h"
#include "results/json_text.h"
#include "results/prediction_json.h"

static char folder[] = "/tmp/timeless-replay.XXXXXX";
static tl_error err;

/* Two hosts of one core and different speed; 1 Gb/s and 50 us between them. */
static const char xml[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><zone id=\"z\" routing=\"Full\">\n"
    "<host id=\"fast\" speed=\"2Gf\"/><host id=\"slow\" speed=\"1Gf\"/>\n"
    "<link id=\"l\" bandwidth=\"125MBps\" latency=\"50us\"/>\n"
    "<route src=\"fast\" dst=\"slow\"><link_ctn id=\"l\"/></route></zone></platform>\n";
static const char model[] = "reference_flops = 1e9;\n"
                            "units = ({unit = \"cpu-ns\"; seconds_per_unit = 1e-9;});\n"
                            "kernels = ({kernel = \"dgemm\"; intercept_s = 0.5; per_work_s = "
                            "0.001;});\n";

static const char *path_of(const char *name)
{
    static char paths[4][128];
    static int turn;
    turn = (turn + 1) % 4;
    snprintf(paths[turn], sizeof paths[turn], "%s/%s", folder, name);
    return paths[turn];
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    write_file("platform.xml", xml);
    write_file("model.conf", model);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"platform.xml", "model.conf", "options.conf",
                                        "trace.tl",     "one.json",   "two.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

/* ---- traces ---- */

enum { MAX_EVENTS = 16 };

typedef struct script {
    const tl_comm *comm;         /* one definition, or NULL */
    tl_event events[MAX_EVENTS]; /* up to the first without a call */
} script;

/* Writes a trace with a script for each rank, between Init and Finalize. */
static void write_trace(const script *scripts, uint32_t n_ranks)
{
    const tl_run run = {.n_ranks = n_ranks,
                        .volume_unit = "cpu-ns",
                        .volume_source = "clock",
                        .program = "hand-made",
                        .mpi_library = "none",
                        .writer = "test",
                        .origin = ""};
    const tl_site site = {1, "app", 0x12};
    const char *path = path_of("trace.tl");
    assert_int_equal(tl_trace_create(path, &run, &err), TL_OK);
    for (uint32_t r = 0; r < n_ranks; r++) {
        tl_writer *w = NULL;
        assert_int_equal(tl_writer_open(path, r, "here", &w, &err), TL_OK);
        assert_int_equal(tl_writer_define_site(w, &site), TL_OK);
        if (scripts[r].comm)
            assert_int_equal(tl_writer_define_comm(w, scripts[r].comm), TL_OK);
        const tl_event init = {.call = TL_MPI_Init, .site = 1};
        assert_int_equal(tl_writer_put(w, &init), TL_OK);
        for (int i = 0; i < MAX_EVENTS && scripts[r].events[i].call; i++)
            assert_int_equal(tl_writer_put(w, &scripts[r].events[i]), TL_OK);
        const tl_event finalize = {.call = TL_MPI_Finalize, .site = 1, .clock_ns = 1000000000 + r};
        assert_int_equal(tl_writer_put(w, &finalize), TL_OK);
        assert_int_equal(tl_writer_close(w, TL_END_FINALIZED, 1000000000 + r), TL_OK);
    }
}

static tl_status replay_with(const tlr_options *options, tlr_prediction **out)
{
    tl_reader *trace = NULL;
    tlr_platform *platform = NULL;
    *out = NULL;
    assert_int_equal(tl_reader_open(path_of("trace.tl"), &trace, &err), TL_OK);
    tl_status status = tlr_platform_load(folder, &platform, &err);
    if (status == TL_OK)
        status = tlr_replay(trace, platform, NULL, options, out, &err);
    tlr_platform_free(platform);
    tl_reader_close(trace);
    return status;
}

static const tlr_options plain;

static tlr_prediction *predict(const tlr_options *options)
{
    tlr_prediction *p;
    if (replay_with(options, &p) != TL_OK)
        fail_msg("%s", err.text);
    return p;
}

/* The replay fails like this and says both. */
static void refuses(const tlr_options *options, tl_status status, const char *said,
                    const char *said_too)
{
    tlr_prediction *p;
    assert_int_equal(replay_with(options, &p), status);
    assert_null(p);
    if (!strstr(err.text, said) || !strstr(err.text, said_too))
        fail_msg("said: %s", err.text);
}

#define SEND(to, bytes)                                                                            \
    {                                                                                              \
        .call = TL_MPI_Send, .comm = TL_COMM_WORLD, .peer = (to), .count = (bytes),                \
        .type_bytes = 1, .site = 1                                                                 \
    }
#define RECV(from, bytes)                                                                          \
    {                                                                                              \
        .call = TL_MPI_Recv, .comm = TL_COMM_WORLD, .peer = (from), .count = (bytes),              \
        .type_bytes = 1, .site = 1                                                                 \
    }

/* ---- what is computed ---- */

/* SMPI's published default factors for a large message: 11.6436 latencies, 0.940694 of the
 * bandwidth, and 5% of traffic the other way. */
static void times_a_message(void **state)
{
    (void)state;
    static const script scripts[2] = {{.events = {SEND(1, 1000000)}},
                                      {.events = {RECV(0, 1000000)}}};
    write_trace(scripts, 2);
    tlr_prediction *p = predict(&plain);
    const double expected_s = 11.6436 * 50e-6 + 1.05 * 1000016 / (0.940694 * 125e6);
    assert_float_equal(p->makespan_s / expected_s, 1, 1e-6);
    assert_float_equal(p->ranks[1].p2p_s, p->ranks[1].end_s, 1e-12);
    assert_string_equal(p->ranks[0].host, "fast");
    assert_string_equal(p->network_model, "SMPI");
    assert_int_equal(p->n_events, 6);
    tlr_prediction_free(p);
}

/* A burst of 1 s and a kernel of 0.5 + 0.001 * 8 s at 1 Gflop/s. */
static const int64_t sizes[] = {2, 2, 2};
static const script computing = {
    .events = {{.call = TL_KERNEL_dgemm, .volume = 1000000000, .list = sizes, .list_len = 3}}};

static void times_computation(void **state)
{
    (void)state;
    const script scripts[2] = {computing, computing};
    write_trace(scripts, 2);
    tlr_prediction *p = predict(&plain);
    assert_float_equal(p->ranks[0].compute_s, 1.508 / 2, 1e-9);
    assert_float_equal(p->ranks[1].compute_s, 1.508, 1e-9);
    assert_float_equal(p->ranks[1].kernel_s, 0.508, 1e-9);
    assert_float_equal(p->makespan_s, 1.508, 1e-9);
    tlr_prediction_free(p);
    /* Two ranks share the core of the first host. */
    p = predict(&(tlr_options){.ranks_per_host = 2});
    assert_string_equal(p->ranks[1].host, "fast");
    assert_float_equal(p->makespan_s, 1.508, 1e-9);
    tlr_prediction_free(p);
    p = predict(&(tlr_options){.no_compute = 1});
    assert_float_equal(p->makespan_s, 0, 0);
    assert_string_equal(p->model, "none");
    tlr_prediction_free(p);
}

static void keeps_marks_of_all_ranks(void **state)
{
    (void)state;
    static const script scripts[2] = {
        {.events = {{.call = TL_MPI_Wtime, .site = 1}, {.call = TL_MPI_Wtime, .site = 1}}},
        {.events = {{.call = TL_MPI_Wtime, .site = 1},
                    {.call = TL_MPI_Barrier, .site = 1, .comm = TL_COMM_SELF}}}};
    write_trace(scripts, 2);
    tlr_prediction *p = predict(&plain);
    /* Not on all ranks equally often: Wtime, Barrier. */
    assert_int_equal(p->n_marks, 2);
    assert_int_equal(p->marks[0].call, TL_MPI_Init);
    assert_int_equal(p->marks[1].call, TL_MPI_Finalize);
    assert_string_equal(p->marks[1].site, "app+0x12");
    assert_float_equal(p->marks[1].measured_s[1], 1.000000001, 1e-15);
    /* Reading the clock costs 10 ns in SMPI. */
    assert_float_equal(p->marks[1].predicted_s[0], 2e-8, 1e-12);
    assert_float_equal(p->marks[1].predicted_s[1], 1e-8, 1e-12);
    tlr_prediction_free(p);
}

/* Communicators whose ranks are in another order; requests; a collective selector with SMP-aware
 * algorithms, whose first use exchanges data. */
static void replays_communicators(void **state)
{
    (void)state;
    static const int32_t members[] = {1, 0};
    static const tl_comm comm = {.id = 3,
                                 .parent = TL_COMM_WORLD,
                                 .call = TL_MPI_Comm_split,
                                 .n_members = 2,
                                 .members = members};
    static const int64_t both[] = {1, 2};
    static const script scripts[2] = {
        {&comm,
         {{.call = TL_MPI_Comm_split, .comm = TL_COMM_WORLD, .new_comm = 3},
          {.call = TL_MPI_Irecv, .comm = 3, .peer = 0, .count = 3, .type_bytes = 24, .request = 1},
          {.call = TL_MPI_Isend, .comm = 3, .peer = 0, .count = 8, .type_bytes = 8, .request = 2},
          {.call = TL_MPI_Waitall, .list = both, .list_len = 2},
          {.call = TL_MPI_Allreduce, .comm = 3, .count = 1000, .type_bytes = 24},
          {.call = TL_MPI_Comm_free, .comm = 3}}},
        {&comm,
         {{.call = TL_MPI_Comm_split, .comm = TL_COMM_WORLD, .new_comm = 3},
          {.call = TL_MPI_Send, .comm = 3, .peer = 1, .count = 72, .type_bytes = 1},
          {.call = TL_MPI_Recv, .comm = 3, .peer = 1, .count = 64, .type_bytes = 1},
          {.call = TL_MPI_Allreduce, .comm = 3, .count = 1000, .type_bytes = 24},
          {.call = TL_MPI_Comm_free, .comm = 3}}}};
    write_trace(scripts, 2);
    static const char *const selectors[] = {NULL, "ompi", "mvapich2"};
    for (size_t i = 0; i < sizeof selectors / sizeof *selectors; i++) {
        tlr_prediction *p = predict(&(tlr_options){.coll_selector = selectors[i]});
        assert_true(p->makespan_s > 1e-4 && p->makespan_s < 1e-1);
        assert_true(p->ranks[0].collective_s > 0 && p->ranks[0].wait_s > 0);
        assert_string_equal(p->coll_selector, selectors[i] ? selectors[i]
                                                           : "default (no rules for none; see "
                                                             "--coll-selector)");
        tlr_prediction_free(p);
    }
}

static char *contents(const char *name)
{
    FILE *in = fopen(path_of(name), "r");
    assert_non_null(in);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    return text;
}

/* smpirun itself divides by zero here. */
static void takes_no_time_for_empty_collectives(void **state)
{
    (void)state;
    static const script one = {
        .events = {{.call = TL_MPI_Bcast, .comm = TL_COMM_WORLD, .type_bytes = 4},
                   {.call = TL_MPI_Reduce, .comm = TL_COMM_WORLD, .type_bytes = 4},
                   {.call = TL_MPI_Allreduce, .comm = TL_COMM_WORLD, .type_bytes = 4}}};
    const script scripts[2] = {one, one};
    write_trace(scripts, 2);
    static const char *const selectors[] = {"ompi", "impi"};
    for (size_t i = 0; i < 2; i++) {
        tlr_prediction *p = predict(&(tlr_options){.coll_selector = selectors[i]});
        assert_float_equal(p->makespan_s, 0, 1e-12);
        tlr_prediction_free(p);
    }
}

static void write_json(const tlr_prediction *p, const char *name)
{
    FILE *out = fopen(path_of(name), "w");
    assert_non_null(out);
    assert_int_equal(tlr_json_write(tlr_prediction_json(p), TLR_JSON_EXACT, out, &err), TL_OK);
    fclose(out);
}

static void writes_the_same_json_each_time(void **state)
{
    (void)state;
    const script scripts[2] = {computing, {.events = {RECV(TL_PROC_NULL, 8)}}};
    write_trace(scripts, 2);
    static const char *const cfg[] = {"smpi/wtime:1e-6"};
    const tlr_options options = {.cfg = cfg, .n_cfg = 1};
    tlr_prediction *first = predict(&options), *second = predict(&options), *read = NULL;
    write_json(first, "one.json");
    write_json(second, "two.json");
    char *one = contents("one.json"), *two = contents("two.json");
    assert_string_equal(one, two);
    assert_int_equal(tlr_prediction_read_json(path_of("one.json"), &read, &err), TL_OK);
    assert_float_equal(read->makespan_s, first->makespan_s, 0);
    assert_int_equal(read->trace_hash, first->trace_hash);
    assert_string_equal(read->options, cfg[0]);
    write_json(read, "two.json");
    free(two);
    two = contents("two.json");
    assert_string_equal(one, two);
    free(one);
    free(two);
    tlr_prediction_free(first);
    tlr_prediction_free(second);
    tlr_prediction_free(read);

    read = NULL;
    write_file("one.json", "{\"format\": \"timeless-prediction-1\", \"ranks\": 3}");
    assert_int_equal(tlr_prediction_read_json(path_of("one.json"), &read, &err), TL_ERR_INPUT);
    write_file("one.json", "[");
    assert_int_equal(tlr_prediction_read_json(path_of("one.json"), &read, &err), TL_ERR_INPUT);
    assert_null(read);
}

/* ---- what is refused ---- */

static void reports_deadlock(void **state)
{
    (void)state;
    static const script scripts[2] = {{.events = {RECV(1, 8)}}, {.events = {RECV(0, 8)}}};
    write_trace(scripts, 2);
    refuses(&plain, TLR_ERR_DEADLOCK, "rank 0 in MPI_Recv (event 1, app+0x12)",
            "rank 1 in MPI_Recv (event 1, app+0x12)");
}

static void refuses_what_has_no_model(void **state)
{
    (void)state;
    static const script scripts[1] = {
        {.events = {{.call = TL_KERNEL_daxpy, .list = sizes, .list_len = 1}}}};
    write_trace(scripts, 1);
    refuses(&plain, TL_ERR_INPUT, "no model of the kernel 'daxpy'", "timeless calibrate kernels");
    write_file("model.conf", "reference_flops = 1e9; units = (); kernels = ();\n");
    write_trace(&computing, 1);
    refuses(&plain, TL_ERR_INPUT, "no rate for the unit 'cpu-ns'", "--no-compute");
    unlink(path_of("model.conf"));
    refuses(&plain, TL_ERR_INPUT, "no compute model (model.conf)", "--no-compute");
    write_file("model.conf", model);
}

static void refuses_opaque_calls(void **state)
{
    (void)state;
    /* What is done with a communicator that came from one of them is not known either. */
    static const script scripts[1] = {{.events = {{.call = TL_MPI_Comm_accept},
                                                  {.call = TL_MPI_Comm_spawn},
                                                  {.call = TL_MPI_Comm_spawn},
                                                  {.call = TL_MPI_Isend},
                                                  {.call = TL_MPI_Wait},
                                                  {.call = TL_MPI_Barrier},
                                                  {.call = TL_MPI_Comm_disconnect}}}};
    write_trace(scripts, 1);
    refuses(&plain, TL_ERR_UNSUPPORTED,
            "(MPI_Isend 1x, MPI_Barrier 1x, MPI_Comm_accept 1x, MPI_Comm_spawn 2x)",
            "--allow-opaque");
    tlr_prediction *p = predict(&(tlr_options){.allow_opaque = 1});
    assert_int_equal(p->n_opaque, 5);
    tlr_prediction_free(p);
}

static void refuses_a_communicator_that_a_member_lacks(void **state)
{
    (void)state;
    static const int32_t members[] = {0, 1};
    static const tl_comm comm = {.id = 3,
                                 .parent = TL_COMM_WORLD,
                                 .call = TL_MPI_Comm_dup,
                                 .n_members = 2,
                                 .members = members};
    static const script scripts[2] = {
        {&comm, {{.call = TL_MPI_Comm_dup, .comm = TL_COMM_WORLD, .new_comm = 3}}}, {.comm = NULL}};
    write_trace(scripts, 2);
    refuses(&plain, TL_ERR_CORRUPT, "communicator of 2 ranks", "not to rank 1");
    static const script undefined[1] = {{.events = {{.call = TL_MPI_Barrier, .comm = 9}}}};
    write_trace(undefined, 1);
    refuses(&plain, TL_ERR_CORRUPT, "rank 0, event 1", "communicator 9");
}

static void refuses_wrong_calls(void **state)
{
    (void)state;
    static const script scripts[2] = {{.events = {SEND(7, 8)}}, {.comm = NULL}};
    write_trace(scripts, 2);
    refuses(&plain, TL_ERR_CORRUPT, "rank 0, event 1 (MPI_Send", "there is no rank 7 among 2");
    static const script counts[1] = {
        {.events = {
             {.call = TL_MPI_Allgatherv, .comm = TL_COMM_WORLD, .list_len = 2, .list = sizes}}}};
    write_trace(counts, 1);
    refuses(&plain, TL_ERR_CORRUPT, "MPI_Allgatherv", "2 counts instead of 1");
}

static void refuses_wrong_platforms_and_options(void **state)
{
    (void)state;
    const script scripts[3] = {computing, computing, computing};
    write_trace(scripts, 3);
    refuses(&plain, TL_ERR_INPUT, "have room for 2 ranks", "the trace has 3");
    static const char *const cfg[] = {"no/such:1"};
    refuses(&(tlr_options){.cfg = cfg, .n_cfg = 1}, TL_ERR_INPUT, "no such option", "no/such");
    refuses(&(tlr_options){.coll_selector = "nobody", .ranks_per_host = 2}, TL_ERR_INPUT,
            "SimGrid: ", "nobody");
    write_file("platform.xml", "<platform>");
    refuses(&plain, TL_ERR_INPUT, "platform.xml:1", "<platform>");
    write_file("platform.xml", xml);
}

static void refuses_an_incomplete_run(void **state)
{
    (void)state;
    const tl_run run = {.n_ranks = 2,
                        .volume_unit = "none",
                        .volume_source = "none",
                        .program = "hand-made",
                        .mpi_library = "none",
                        .writer = "test",
                        .origin = ""};
    tl_writer *w = NULL;
    assert_int_equal(tl_trace_create(path_of("trace.tl"), &run, &err), TL_OK);
    for (uint32_t r = 0; r < 2; r++) {
        assert_int_equal(tl_writer_open(path_of("trace.tl"), r, "here", &w, &err), TL_OK);
        assert_int_equal(tl_writer_close(w, r ? TL_END_EXITED : TL_END_FINALIZED, 0), TL_OK);
    }
    refuses(&plain, TL_ERR_TRUNCATED, "trace.tl", "rank 1 did not reach MPI_Finalize");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_a_message),
        cmocka_unit_test(times_computation),
        cmocka_unit_test(keeps_marks_of_all_ranks),
        cmocka_unit_test(replays_communicators),
        cmocka_unit_test(takes_no_time_for_empty_collectives),
        cmocka_unit_test(writes_the_same_json_each_time),
        cmocka_unit_test(reports_deadlock),
        cmocka_unit_test(refuses_what_has_no_model),
        cmocka_unit_test(refuses_opaque_calls),
        cmocka_unit_test(refuses_a_communicator_that_a_member_lacks),
        cmocka_unit_test(refuses_wrong_calls),
        cmocka_unit_test(refuses_wrong_platforms_and_options),
        cmocka_unit_test(refuses_an_incomplete_run),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
