/* Platform folders, the placing of ranks, and what is read from a simulator that died. */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "machine/mapping.h"
#include "replayer.h"
#include "sandbox.h"

static char folder[] = "/tmp/timeless-platform.XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"platform.xml", "options.conf", "model.conf", "hosts"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static void write_file(const char *name, const char *text)
{
    FILE *out = fopen(path_of(name), "w");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

static void loads_a_folder(void **state)
{
    (void)state;
    tl_error err;
    tlr_platform *p = NULL;
    assert_int_equal(tlr_platform_load(folder, &p, &err), TL_ERR_INPUT);
    assert_null(p);
    write_file("platform.xml", "<platform version=\"4.1\"/>");
    assert_int_equal(tlr_platform_load(folder, &p, &err), TL_OK);
    assert_int_equal(p->n_options, 0);
    assert_null(p->model);
    const uint64_t bare_hash = p->hash;
    tlr_platform_free(p);

    write_file("options.conf", "# comment\n\n  smpi/os:0:1:2;5:1:2 # why\n\tsmpi/init:1\n");
    write_file("model.conf", "reference_flops = 1e9; units = (); kernels = ();\n");
    assert_int_equal(tlr_platform_load(folder, &p, &err), TL_OK);
    assert_int_equal(p->n_options, 2);
    assert_string_equal(p->options[0], "smpi/os:0:1:2;5:1:2");
    assert_string_equal(p->options[1], "smpi/init:1");
    assert_non_null(p->model);
    assert_true(p->hash != bare_hash);
    tlr_platform_free(p);

    write_file("options.conf", "smpi/init:1\nno option\n");
    p = NULL;
    assert_int_equal(tlr_platform_load(folder, &p, &err), TL_ERR_INPUT);
    assert_non_null(strstr(err.text, "options.conf:2: 'no option'"));
    assert_null(p);
}

static void finds_platforms_by_name(void **state)
{
    (void)state;
    tl_error err;
    tlr_platform *p = NULL;
    char shipped[512];
    snprintf(shipped, sizeof shipped, "%s/platforms", getenv("top_srcdir"));
    setenv("TIMELESS_PLATFORMS", shipped, 1);
    assert_int_equal(tlr_platform_load("star-1g", &p, &err), TL_OK);
    assert_non_null(strstr(p->xml_path, "/star-1g/platform.xml"));
    assert_non_null(p->model);
    tlr_platform_free(p);
    assert_int_equal(tlr_platform_load("no-such", &p, &err), TL_ERR_INPUT);
}

static const tlr_host hosts[] = {{"a", 1}, {"b", 4}, {"c", 2}};

static int round_robin;

static void check_map(const char *hostfile, unsigned ranks_per_host, const char *expected)
{
    uint32_t host_of[16];
    tl_error err;
    const uint32_t n = (uint32_t)strlen(expected);
    if (hostfile)
        write_file("hosts", hostfile);
    const tlr_options options = {.ranks_per_host = ranks_per_host, .round_robin = round_robin};
    assert_int_equal(
        tlr_map_ranks(hosts, 3, hostfile ? path_of("hosts") : NULL, &options, n, host_of, &err),
        TL_OK);
    for (uint32_t r = 0; r < n; r++)
        assert_int_equal(hosts[host_of[r]].name[0], expected[r]);
}

static void check_no_map(const char *hostfile, unsigned ranks_per_host, uint32_t n_ranks,
                         const char *said)
{
    uint32_t host_of[16];
    tl_error err;
    if (hostfile)
        write_file("hosts", hostfile);
    const tlr_options options = {.ranks_per_host = ranks_per_host, .round_robin = round_robin};
    assert_int_equal(tlr_map_ranks(hosts, 3, hostfile ? path_of("hosts") : NULL, &options, n_ranks,
                                   host_of, &err),
                     TL_ERR_INPUT);
    assert_non_null(strstr(err.text, said));
}

static void places_ranks(void **state)
{
    (void)state;
    check_map(NULL, 0, "abbbbcc");
    check_map(NULL, 0, "abb");
    check_map(NULL, 2, "aabbcc");
    check_map("c\na\n\n# not this\nc\n", 0, "cac");
    check_map("c\na\n", 2, "ccaa");
    check_map("b:3\nc slots=2\na", 7, "bbbccaaa");
    check_no_map(NULL, 0, 8, "3 hosts have room for 7 ranks, but the trace has 8");
    check_no_map(NULL, 1, 4, "room for 3 ranks");
    check_no_map("a\n", 0, 2, "has room for 1 ranks, but the trace has 2");
    check_no_map("a\nd\n", 0, 2, "hosts:2: the platform has no host 'd'");
    check_no_map("a:\n", 0, 1, "hosts:1: not a host and its slots");
    check_no_map("a:-1\n", 0, 1, "hosts:1: not a host and its slots");
    check_no_map("a 3\n", 0, 1, "hosts:1: not a host and its slots");
    check_no_map("a:0\n", 0, 1, "hosts:1: not a host and its slots");
}

static void places_ranks_in_turn(void **state)
{
    (void)state;
    round_robin = 1;
    check_map(NULL, 0, "abcbcbb");
    check_map(NULL, 2, "abcabc");
    check_map("c:2\na:1\n", 0, "cac");
    check_no_map(NULL, 0, 8, "room for 7 ranks, but the trace has 8");
    round_robin = 0;
}

static void places_each_rank_by_its_line(void **state)
{
    (void)state;
    check_map("rank 1=b\nrank 0 = c slot=1:0\nrank 2=a # last\n", 0, "cba");
    check_no_map("rank 1=b\n", 0, 2, "names the hosts of 1 ranks, but the trace has 2");
    check_no_map("rank 0=b\nrank 0=c\n", 0, 2, "hosts:2: rank 0 has a host already");
    check_no_map("rank 0=b\nrank 2=c\n", 0, 2, "hosts:2: rank 2 is not in the trace");
    check_no_map("rank 0=b\nc\n", 0, 2, "give each rank a line");
    check_no_map("rank 0=d\n", 0, 1, "hosts:1: the platform has no host 'd'");
}

static void gives_a_single_host_all_ranks(void **state)
{
    (void)state;
    uint32_t host_of[5];
    tlr_options options = {0};
    assert_int_equal(tlr_map_ranks(hosts, 1, NULL, &options, 5, host_of, NULL), TL_OK);
    options.ranks_per_host = 4;
    assert_int_equal(tlr_map_ranks(hosts, 1, NULL, &options, 5, host_of, NULL), TL_ERR_INPUT);
}

static void finds_the_reason(void **state)
{
    (void)state;
    char reason[64];
    tlr_sandbox_reason("[0.1] [xbt/INFO] x\n[0.0] a.cpp:3: [ker/CRITICAL] Too bad.\nBacktrace\n",
                       reason, sizeof reason);
    assert_string_equal(reason, "Too bad");
    tlr_sandbox_reason("[0.0] a.cpp:3: [ker/CRITICAL] Uncaught exception std::range_error: no\n",
                       reason, sizeof reason);
    assert_string_equal(reason, "no");
    tlr_sandbox_reason("terminate called\n  what():  wrong key\nAborted\n", reason, sizeof reason);
    assert_string_equal(reason, "wrong key");
    tlr_sandbox_reason("one\nlast\n", reason, sizeof reason);
    assert_string_equal(reason, "last");
    tlr_sandbox_reason("", reason, sizeof reason);
    assert_string_equal(reason, "");
    tlr_sandbox_reason("0123456789", reason, 5);
    assert_string_equal(reason, "0123");
}

static void die(void *how, int terminal)
{
    (void)terminal;
    if (!how)
        return;
    fputs("[x/CRITICAL] as told\n", stderr);
    fflush(stderr);
    if (*(const char *)how == 'a')
        abort();
    _exit(3);
}

static void survives_the_death_of_the_simulator(void **state)
{
    (void)state;
    tl_error err;
    char abort_it[] = "a", exit_it[] = "e";
    assert_int_equal(tlr_sandbox_run(die, NULL, "here", &err), TL_OK);
    /* The abort is called outside of libsimgrid: a defect of ours. */
    assert_int_equal(tlr_sandbox_run(die, abort_it, "here", &err), TL_ERR_SYSTEM);
    assert_non_null(strstr(err.text, "here: timeless crashed ("));
    assert_int_equal(tlr_sandbox_run(die, exit_it, "here", &err), TL_ERR_INPUT);
    assert_string_equal(err.text, "here: SimGrid: as told; check the platform's files and the "
                                  "SimGrid options");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_a_folder),
        cmocka_unit_test(finds_platforms_by_name),
        cmocka_unit_test(places_ranks),
        cmocka_unit_test(places_ranks_in_turn),
        cmocka_unit_test(places_each_rank_by_its_line),
        cmocka_unit_test(gives_a_single_host_all_ranks),
        cmocka_unit_test(finds_the_reason),
        cmocka_unit_test(survives_the_death_of_the_simulator),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
