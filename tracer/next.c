/* next.c - finds the original routines for wrappers that do not use the table of pmpi.h. */
#include "config.h"

#include "runtime.h"
#include "skip/skip.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

/* The next routine in the global scope, or the routine with which the caller's object was linked,
 * because extension modules keep their libraries out of the global scope. */
void *tlt_next(const char *symbol, void *return_address)
{
    Dl_info caller;
    void *address = tlt_skipped_kernel(symbol);
    if (!address)
        address = dlsym(RTLD_NEXT, symbol);
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

/* Each thread caches a few of them. */
static void *find_for_caller(const char *symbol, void *caller)
{
    enum { N_PLACES = 32 };
    static __thread struct {
        const char *symbol;
        void *caller, *address;
    } places[N_PLACES] __attribute__((tls_model("initial-exec")));
    size_t i = ((uintptr_t)caller ^ (uintptr_t)symbol >> 3) % N_PLACES;
    if (places[i].symbol != symbol || places[i].caller != caller) {
        places[i].address = tlt_next(symbol, caller);
        places[i].symbol = symbol;
        places[i].caller = caller;
    }
    return places[i].address;
}

void *tlt_next_known(void **known, const char *symbol, void *return_address, void (*see)(void *))
{
    void *address = dlsym(RTLD_NEXT, symbol);
    if (!address)
        return find_for_caller(symbol, return_address);
    if (see)
        see(address);
    __atomic_store_n(known, address, __ATOMIC_RELAXED);
    return address;
}
