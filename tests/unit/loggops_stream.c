/* A trace that is read while it is simulated gives what it gives when it is read before. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "loggops/program.h"

static tl_error err;

/* What a stream has to know of the events that follow, or to keep of those before. */
static const char everything[] =
    "timeless-text 1\n"
    "ranks 2\n"
    "volume_unit \"none\"\n"
    "rank 0 host=\"a\"\n"
    "comm 3 parent=1 call=MPI_Win_create members=[0,1]\n"
    "comm 4 parent=1 call=MPI_File_open members=[0,1] name=\"f\"\n"
    "0 0 MPI_Irecv count=8 type_bytes=1 peer=any tag=any comm=1 request=1\n"
    "0 1 MPI_Irecv count=90000 type_bytes=1 peer=any tag=2 comm=1 request=2\n"
    "0 2 Sleep count=3000\n"
    "0 3 Match peer=1 tag=1 request=1\n"
    "0 4 Match peer=1 tag=2 request=2\n"
    "0 5 MPI_Waitall list=[1,2]\n"
    "0 6 MPI_Recv_init count=8 type_bytes=1 peer=any tag=3 comm=1 request=1\n"
    "0 7 MPI_Start request=1\n"
    "0 8 Match peer=1 tag=3 request=1\n"
    "0 9 MPI_Wait request=1\n"
    "0 10 MPI_Request_free request=1\n"
    "0 11 MPI_Ialltoallv type_bytes=8 recv_type_bytes=8 list=[0,900,0,20] comm=1 request=4\n"
    "0 12 MPI_Ibcast count=70000 type_bytes=1 peer=0 comm=1 request=5\n"
    "0 13 MPI_Waitall list=[5,4]\n"
    "0 14 MPI_Win_create comm=1 new_comm=3\n"
    "0 15 MPI_Win_lock_all mode=0 comm=3\n"
    "0 16 MPI_Put count=90000 type_bytes=1 peer=1 comm=3\n"
    "0 17 MPI_Rget count=8 type_bytes=1 peer=1 comm=3 request=6\n"
    "0 18 MPI_Wait request=6\n"
    "0 19 MPI_Win_unlock_all comm=3\n"
    "0 20 MPI_Win_free comm=3\n"
    "0 21 MPI_File_open mode=4 comm=1 new_comm=4\n"
    "0 22 MPI_File_iwrite count=90000 type_bytes=1 comm=4 request=7\n"
    "0 23 MPI_File_write_all count=900 type_bytes=1 comm=4\n"
    "0 24 MPI_Wait request=7\n"
    "0 25 MPI_File_close comm=4\n"
    "end cut clock_ns=0\n"
    "rank 1 host=\"a\"\n"
    "comm 3 parent=1 call=MPI_Win_create members=[0,1]\n"
    "comm 4 parent=1 call=MPI_File_open members=[0,1] name=\"f\"\n"
    "1 0 MPI_Isend count=8 type_bytes=1 peer=0 tag=1 comm=1 request=900000\n"
    "1 1 MPI_Wait request=900000\n"
    "1 2 MPI_Ssend count=90000 type_bytes=1 peer=0 tag=2 comm=1\n"
    "1 3 MPI_Send count=8 type_bytes=1 peer=0 tag=3 comm=1\n"
    "1 4 MPI_Ialltoallv type_bytes=8 recv_type_bytes=8 list=[20,0,900,0] comm=1 request=7\n"
    "1 5 MPI_Ibcast count=70000 type_bytes=1 peer=0 comm=1 request=8\n"
    "1 6 MPI_Waitall list=[7,8]\n"
    "1 7 MPI_Win_create comm=1 new_comm=3\n"
    "1 8 MPI_Win_free comm=3\n"
    "1 9 MPI_File_open mode=4 comm=1 new_comm=4\n"
    "1 10 MPI_File_write_all count=90000 type_bytes=1 comm=4\n"
    "1 11 MPI_File_close comm=4\n"
    "end cut clock_ns=0\n";

static const char *sample(const char *name)
{
    static char path[1000];
    const char *top = getenv("top_srcdir");
    snprintf(path, sizeof path, "%s/traces/%s", top ? top : ".", name);
    return path;
}

static loggops_rank_result *simulate(tl_reader *trace, int is_stream)
{
    static const tlr_options options = {.no_compute = 1, .io_bandwidth = 1e9};
    const loggops_params params = {.L_ps = 5000000,
                                   .o_ps = 2000000,
                                   .g_ps = 2000000,
                                   .G_ps_byte = 2500,
                                   .O_ps_byte = 1000,
                                   .S_bytes = 65536};
    loggops_choice choice = {0};
    tlr_plan *plan = NULL;
    loggops_streams *streams = NULL;
    loggops_run *run = NULL;
    assert_int_equal(loggops_read_choice(NULL, &options, &choice, &err), TL_OK);
    choice.S_bytes = params.S_bytes;
    assert_int_equal(tlr_plan_make(trace, NULL, &options, &plan, &err), TL_OK);
    double *measured_s = calloc(plan->n_marks * plan->n_ranks + 1, sizeof *measured_s);
    loggops_result result = {.ranks = calloc(plan->n_ranks, sizeof *result.ranks)};
    const loggops_source source = {.trace = trace,
                                   .plan = plan,
                                   .options = &options,
                                   .choice = &choice,
                                   .measured_s = measured_s};
    if (is_stream) {
        assert_int_equal(loggops_streams_open(&source, &streams, &err), TL_OK);
        assert_int_equal(loggops_streams_run(streams, &run, &err), TL_OK);
    } else {
        assert_int_equal(loggops_read_trace(&source, &run, &err), TL_OK);
    }
    assert_int_equal(loggops_simulate(run, &params, NULL, 1, &result, &err), TL_OK);
    assert_true(result.makespan_ps > 0);
    loggops_run_free(run);
    loggops_streams_close(streams);
    tlr_plan_free(plan);
    free(measured_s);
    free(choice.stand_ins);
    return result.ranks;
}

static void both_ways_agree(const char *path)
{
    tl_reader *trace = NULL;
    assert_int_equal(tl_reader_open(path, &trace, &err), TL_OK);
    loggops_rank_result *whole = simulate(trace, 0), *stream = simulate(trace, 1);
    for (uint32_t r = 0; r < tl_reader_run(trace)->n_ranks; r++)
        assert_memory_equal(&whole[r], &stream[r], sizeof whole[r]);
    free(whole);
    free(stream);
    tl_reader_close(trace);
}

static void samples(void **state)
{
    (void)state;
    static const char *const names[] = {"hpl-4.tl", "irregular-16.tl", "stencil-64.tl",
                                        "wavefront-16.tl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        both_ways_agree(sample(names[i]));
}

static void calls_of_all_kinds(void **state)
{
    (void)state;
    char path[] = "/tmp/loggops_stream.XXXXXX";
    const int fd = mkstemp(path);
    FILE *text = fmemopen((void *)everything, strlen(everything), "r");
    assert_true(fd >= 0 && text);
    assert_int_equal(tl_text_read(text, "everything", path, &err), TL_OK);
    both_ways_agree(path);
    fclose(text);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples),
                                       cmocka_unit_test(calls_of_all_kinds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
