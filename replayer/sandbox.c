/* sandbox.c - run code that may abort in a process of its own. */
#include "config.h"

#include "crash.h"
#include "sandbox.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void *tlr_shared_alloc(size_t size)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void tlr_shared_free(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

/* Skips "Uncaught exception std::range_error: ", which does not help users. */
static const char *skip_exception(const char *sentence)
{
    static const char sign[] = "Uncaught exception ";
    if (strncmp(sentence, sign, sizeof sign - 1) != 0)
        return sentence;
    const char *type = sentence + sizeof sign - 1;
    const char *text = strstr(type, ": ");
    return text && text - type <= (ptrdiff_t)strcspn(type, "\n ") ? text + 2 : type;
}

/* SimGrid's log lines have the form "[host:actor:(1) 0.1] file:12: [category/CRITICAL] sentence".
 * An exception that nobody catches may appear as "what():  sentence". */
static const char *find_sentence(const char *output)
{
    static const char *const signs[] = {"/CRITICAL] ", "what():  ", "/ERROR] "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *found = strstr(output, signs[i]);
        if (found)
            return skip_exception(found + strlen(signs[i]));
    }
    /* Otherwise takes the last line that is not empty. */
    const char *line = output;
    for (const char *s = output; *s; s++)
        if (*s == '\n' && s[1] && s[1] != '\n')
            line = s + 1;
    return line;
}

void tlr_sandbox_reason(const char *output, char *reason, size_t size)
{
    const char *sentence = find_sentence(output);
    size_t length = strcspn(sentence, "\n");
    if (length >= size)
        length = size - 1;
    memcpy(reason, sentence, length);
    while (length && strchr(" .;:", reason[length - 1]))
        length--;
    reason[length] = '\0';
}

static void read_output(int fd, char *text, size_t size)
{
    ssize_t got = pread(fd, text, size - 1, 0);
    text[got > 0 ? got : 0] = '\0';
}

static void __attribute__((noreturn))
run_child(void (*body)(void *arg, int terminal), void *arg, int output, tlr_crash *crash)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int terminal = dup(STDERR_FILENO);
    if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
        _exit(127);
    tlr_crash_watch(crash);
    body(arg, terminal);
    _exit(0);
}

/* The first line of a sanitizer's report, in builds with sanitizers; NULL if there is none. */
static const char *find_report(const char *output)
{
    const char *found = strstr(output, "ERROR: AddressSanitizer");
    return found ? found : strstr(output, "runtime error: ");
}

/* The reason for the end of the child. */
static tl_status tell_end(int end, int output, const tlr_crash *crash, const char *what,
                          tl_error *err)
{
    char text[16384], reason[440], where[200];
    read_output(output, text, sizeof text);
    tlr_sandbox_reason(text, reason, sizeof reason);
    tlr_crash_text(crash, where, sizeof where);
    const char *report = find_report(text);
    if (report)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s: timeless crashed (%.*s); this is a defect of timeless: report it with "
                       "the trace",
                       what, (int)strcspn(report, "\n"), report);
    if (WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
        return tl_fail(
            err, TL_ERR_MEMORY,
            "%s: the simulation was killed; it may need more memory than the machine has", what);
    if (crash->signal && !crash->is_in_simgrid)
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%s: timeless crashed (%s); this is a defect of timeless, not of the "
                       "platform: report it with the trace",
                       what, where);
    if (crash->signal && crash->signal != SIGABRT)
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: SimGrid crashed (%s), as it does if bandwidths or latencies are "
                       "unrealistic; check the platform's, --scale and --set, and the "
                       "SimGrid options",
                       what, where);
    if (!reason[0])
        return tl_fail(err, TL_ERR_INPUT, "%s: SimGrid ended with %s %d and without a message",
                       what, WIFSIGNALED(end) ? "signal" : "exit code",
                       WIFSIGNALED(end) ? WTERMSIG(end) : WEXITSTATUS(end));
    if (strstr(reason, "The Impossible Did Happen"))
        return tl_fail(err, TL_ERR_INPUT,
                       "%s: SimGrid's solver found no rate for a message, a defect of "
                       "SimGrid; try --cfg=maxmin/precision:0.01, which rounds more, or "
                       "--engine loggops",
                       what);
    return tl_fail(err, TL_ERR_INPUT,
                   "%s: SimGrid: %s; check the platform's files and the SimGrid options", what,
                   reason);
}

tl_status tlr_sandbox_run(void (*body)(void *arg, int terminal), void *arg, const char *what,
                          tl_error *err)
{
    tlr_crash *crash = tlr_shared_alloc(sizeof *crash);
    int output = memfd_create("timeless-output", MFD_CLOEXEC);
    tl_status status = TL_OK;
    if (output < 0 || !crash) {
        status =
            tl_fail(err, TL_ERR_SYSTEM, "%s: no memory for its output: %s", what, strerror(errno));
        goto cleanup;
    }
    pid_t child = fork();
    if (child == 0)
        run_child(body, arg, output, crash);
    int end = 0;
    while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
        ;
    if (child < 0)
        status =
            tl_fail(err, TL_ERR_SYSTEM, "%s: cannot start a process: %s", what, strerror(errno));
    else if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
        status = tell_end(end, output, crash, what, err);
cleanup:
    if (output >= 0)
        close(output);
    tlr_shared_free(crash, sizeof *crash);
    return status;
}
