/* sandbox.c - run code that may abort in a process of its own. */
#include "config.h"

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

/* Past "Uncaught exception std::range_error: ", which tells users nothing. */
static const char *skip_exception(const char *sentence)
{
    static const char sign[] = "Uncaught exception ";
    if (strncmp(sentence, sign, sizeof sign - 1) != 0)
        return sentence;
    const char *type = sentence + sizeof sign - 1;
    const char *text = strstr(type, ": ");
    return text && text - type <= (ptrdiff_t)strcspn(type, "\n ") ? text + 2 : type;
}

/* SimGrid's log lines read "[host:actor:(1) 0.1] file:12: [category/CRITICAL] sentence", and an
 * exception that nobody catches may show as "what():  sentence". */
static const char *find_sentence(const char *output)
{
    static const char *const signs[] = {"/CRITICAL] ", "what():  ", "/ERROR] "};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *found = strstr(output, signs[i]);
        if (found)
            return skip_exception(found + strlen(signs[i]));
    }
    /* Otherwise the last line that is not empty. */
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
run_child(void (*body)(void *arg, int terminal), void *arg, int output)
{
    const struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int terminal = dup(STDERR_FILENO);
    if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
        _exit(127);
    body(arg, terminal);
    _exit(0);
}

tl_status tlr_sandbox_run(void (*body)(void *arg, int terminal), void *arg, const char *what,
                          tl_error *err)
{
    int output = memfd_create("timeless-output", MFD_CLOEXEC);
    if (output < 0)
        return tl_fail(err, TL_ERR_SYSTEM, "%s: no memory for its output: %s", what,
                       strerror(errno));
    pid_t child = fork();
    if (child == 0)
        run_child(body, arg, output);
    int end = 0;
    while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
        ;
    tl_status status = TL_OK;
    if (child < 0) {
        status =
            tl_fail(err, TL_ERR_SYSTEM, "%s: cannot start a process: %s", what, strerror(errno));
    } else if (!WIFEXITED(end) || WEXITSTATUS(end) != 0) {
        char text[16384], reason[440];
        read_output(output, text, sizeof text);
        tlr_sandbox_reason(text, reason, sizeof reason);
        if (WIFSIGNALED(end) && WTERMSIG(end) == SIGKILL)
            status = tl_fail(err, TL_ERR_MEMORY,
                             "%s: the simulation was killed; it may need more memory than there "
                             "is",
                             what);
        else if (strstr(text, "egmentation fault"))
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s: SimGrid crashed, as it does where bandwidths or latencies are "
                             "far from those of machines; check the platform's, --scale and --set, "
                             "and the SimGrid options",
                             what);
        else if (!reason[0])
            status = tl_fail(err, TL_ERR_INPUT, "%s: SimGrid ended with %s %d and said nothing",
                             what, WIFSIGNALED(end) ? "signal" : "exit code",
                             WIFSIGNALED(end) ? WTERMSIG(end) : WEXITSTATUS(end));
        else
            status = tl_fail(err, TL_ERR_INPUT,
                             "%s: SimGrid: %s; check the platform's files and the SimGrid options",
                             what, reason);
    }
    close(output);
    return status;
}
