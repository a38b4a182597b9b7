/* next.c - the routines behind the wrappers that do not go through the table of pmpi.h. */
#include "config.h"

#include "runtime.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The next one in the global scope, or the one that the caller's object was linked with: extension
 * modules keep their libraries to themselves. */
void *tlt_next(const char *symbol, void *return_address)
{
    void *address = dlsym(RTLD_NEXT, symbol);
    Dl_info caller;
    if (!address && dladdr(return_address, &caller)) {
        void *object = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
        address = object ? dlsym(object, symbol) : NULL;
    }
    if (!address) {
        fprintf(stderr,
                "timeless: %s is not in this process, the call cannot be passed on; run without "
                "the tracer\n",
                symbol);
        abort();
    }
    return address;
}
