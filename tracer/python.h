/* python.h - call sites in Python programs: lines of Python instead of places in the interpreter.
 */
#ifndef TLT_PYTHON_H
#define TLT_PYTHON_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the process contains an interpreter whose frames this version can read. */
extern bool tlt_has_python;

/* Looks for the interpreter, at the start of the recording. */
void tlt_python_start(void);

/* Whether an address is in an extension module of Python or in the interpreter. */
bool tlt_in_python(const void *address);

/* The call site of the Python line that this thread executes, with up to `depth` callers in Python;
 * 0: the thread executes no Python. */
uint32_t tlt_python_site(unsigned depth);

#endif
