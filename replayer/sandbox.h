/* sandbox.h - run code that may abort in a process of its own.
 *
 * SimGrid ends the process on input that it does not like, and cannot be started twice in one.  So
 * each replay runs in a child; what it finds comes back through memory that both share.
 */
#ifndef TLR_SANDBOX_H
#define TLR_SANDBOX_H

#include <timeless.h>

/* Memory that a child process shares with its parent, zeroed; NULL if there is none left. */
void *tlr_shared_alloc(size_t size);
void tlr_shared_free(void *memory, size_t size);

/* Runs body(arg, terminal) in a child; the body's standard output and error are kept from the
 * terminal, whose own standard error is the descriptor `terminal`.  Returns TL_OK when the body
 * returned or called _exit(0).  Otherwise `err` says why it ended, ahead of it `what`: a crash in
 * our own code is TL_ERR_SYSTEM; one in SimGrid, or an exit with a message, is TL_ERR_INPUT, with
 * the object that crashed or what was last said on standard error. */
tl_status tlr_sandbox_run(void (*body)(void *arg, int terminal), void *arg, const char *what,
                          tl_error *err);

/* The sentence that tells most in the output of a SimGrid program that died; cut to size. */
void tlr_sandbox_reason(const char *output, char *reason, size_t size);

#endif
