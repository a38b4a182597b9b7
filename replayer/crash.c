/* crash.c - where a process crashed: in SimGrid, or in our own code.
 *
 * The search goes from the fault outwards. The crash belongs to the first object on the stack that
 * is not part of the system. For example, a crash in memcpy belongs to the object that called
 * memcpy. */
#include "config.h"

#include "crash.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tlr_crash *record;

static bool is_of_system(const char *object)
{
    static const char *const names[] = {"libc.so",     "libm.so",  "libpthread", "libstdc++",
                                        "libgcc_s.so", "ld-linux", "linux-vdso", "libasan",
                                        "libubsan",    "libboost_"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strncmp(object, names[i], strlen(names[i])))
            return 1;
    return 0;
}

/* The object that contains an address; 0 if no object does. */
static int find_object(const void *address, const char **name, uintptr_t *offset)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return 0;
    const char *slash = strrchr(info.dli_fname, '/');
    *name = slash ? slash + 1 : info.dli_fname;
    *offset = (uintptr_t)address - (uintptr_t)info.dli_fbase;
    return 1;
}

/* The frames up to the system's return from the handler belong to the handler itself or to a
 * sanitizer. */
static void handle(int signal_number)
{
    enum { MOST = 64 };
    void *frames[MOST];
    const char *name = "";
    uintptr_t offset = 0;
    const int n = backtrace(frames, MOST);
    int i = 0;
    while (i < n && frames[i] != __builtin_return_address(0))
        i++;
    for (i++; i < n; i++)
        if (find_object(frames[i], &name, &offset) && !is_of_system(name))
            break;
    if (i >= n)
        name = "";
    record->is_in_simgrid = !strncmp(name, "libsimgrid", strlen("libsimgrid"));
    record->offset = offset;
    strncpy(record->object, name, sizeof record->object - 1);
    record->signal = signal_number;
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void tlr_crash_watch(tlr_crash *where)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    static char stack[1 << 16];
    void *frame;
    record = where;
    backtrace(&frame, 1); /* loads what it needs */
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before,
            ours = {.sa_handler = handle, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &ours, NULL);
    }
}

void tlr_crash_text(const tlr_crash *where, char *text, size_t size)
{
    snprintf(text, size, "%s+0x%zx: %s", *where->object ? where->object : "?",
             (size_t)where->offset, strsignal(where->signal));
}
