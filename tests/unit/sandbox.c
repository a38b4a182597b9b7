/* sandbox.c - a crash in the sandbox is told by whose code crashed. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sandbox.h"

/* A sanitizer would report these crashes in its own way. */
/* NOLINTBEGIN(cert-dcl51-cpp): the sanitizer's own name */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "handle_segv=0:handle_abort=0:handle_sigfpe=0:detect_leaks=0";
}
/* NOLINTEND(cert-dcl51-cpp) */

static volatile int *nowhere;

static void __attribute__((no_sanitize("undefined"))) write_nowhere(void *arg, int terminal)
{
    (void)arg, (void)terminal;
    *nowhere = 1;
}

/* The C library crashes, on our behalf. */
static void copy_to_nowhere(void *arg, int terminal)
{
    (void)terminal;
    void *(*volatile copy)(void *, const void *, size_t) = memmove;
    copy((void *)(uintptr_t)nowhere, arg, 4096);
}

static void give_up(void *arg, int terminal)
{
    (void)arg, (void)terminal;
    abort();
}

static void say_and_exit(void *arg, int terminal)
{
    (void)arg, (void)terminal;
    dprintf(STDERR_FILENO, "[0.0] surf.cpp:1: [surf/CRITICAL] Nothing is right.\n");
    _exit(1);
}

static void return_quietly(void *arg, int terminal)
{
    (void)arg, (void)terminal;
}

static void expect(void (*body)(void *, int), tl_status status, const char *a, const char *b)
{
    static char memory[4096];
    static const int signals[] = {SIGSEGV, SIGABRT};
    tl_error err = {0};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], SIG_DFL); /* cmocka has handlers, which the sandbox would leave alone */
    assert_int_equal(tlr_sandbox_run(body, memory, "here", &err), status);
    if (!strstr(err.text, a) || !strstr(err.text, b))
        fail_msg("%s", err.text);
}

static void blames_our_code(void **state)
{
    (void)state;
    expect(write_nowhere, TL_ERR_SYSTEM, "here: timeless crashed (", "+0x");
    expect(write_nowhere, TL_ERR_SYSTEM, "sandbox", ": Segmentation fault); this is a defect of");
}

static void blames_the_caller_of_the_library(void **state)
{
    (void)state;
    expect(copy_to_nowhere, TL_ERR_SYSTEM, "here: timeless crashed (", "Segmentation fault");
    expect(give_up, TL_ERR_SYSTEM, "here: timeless crashed (", "Aborted");
}

static void quotes_simgrid(void **state)
{
    (void)state;
    expect(say_and_exit, TL_ERR_INPUT, "here: SimGrid: Nothing is right; check", "");
}

static void returns(void **state)
{
    (void)state;
    expect(return_quietly, TL_OK, "", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blames_our_code),
        cmocka_unit_test(blames_the_caller_of_the_library),
        cmocka_unit_test(quotes_simgrid),
        cmocka_unit_test(returns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
