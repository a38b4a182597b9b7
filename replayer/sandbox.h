/* sandbox.h - run code that may abort in a process of its own.
 *
 * SimGrid ends the process if it refuses its input, and cannot be started twice in one process.
 * Each replay therefore runs in a child process. The results come back through memory that parent
 * and child share. */
#ifndef TLR_SANDBOX_H
#define TLR_SANDBOX_H

#include <timeless.h>

/* Memory that a child process shares with its parent, zeroed; NULL if there is no memory. */
void *tlr_shared_alloc(size_t size);
void tlr_shared_free(void *memory, size_t size);

/* Runs body(arg, terminal) in a child. The standard output and error of the body do not go to the
 * terminal; the descriptor `terminal` is the original standard error. Returns TL_OK if the body
 * returned or called _exit(0). Otherwise `err` is `what` and the reason. A crash in our own code is
 * TL_ERR_SYSTEM. A crash in SimGrid, or an exit with a message, is TL_ERR_INPUT, with the object
 * that crashed or the last message on standard error. */
tl_status tlr_sandbox_run(void (*body)(void *arg, int terminal), void *arg, const char *what,
                          tl_error *err);

/* The most useful sentence in the output of a SimGrid program that died, shortened to `size`. */
void tlr_sandbox_reason(const char *output, char *reason, size_t size);

#endif
