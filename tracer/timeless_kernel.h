/* timeless_kernel.h - kernels of your own in the traces of Timeless.
 *
 *     #include <timeless_kernel.h>
 *
 *     TIMELESS_KERNEL_BEGIN("assemble", n_elements, order);
 *     ... computation whose time the sizes tell ...
 *     timeless_kernel_end();
 *
 * Under `timeless record` what lies between becomes one event with its name and sizes, and counts
 * as no volume; kernels inside are not recorded.  Otherwise both calls do nothing.  MPI must not be
 * called between them: if it is, the kernel is computation as usual.  There is nothing to link; C
 * libraries older than glibc 2.34 need -ldl.  With TIMELESS_NO_KERNELS defined nothing is left of
 * it. A C or C++ header, without any other of Timeless.  Fortran programs compile
 * timeless_kernel.f90.
 *
 * SPDX-FileCopyrightText: 2026 the Timeless authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef TIMELESS_KERNEL_H
#define TIMELESS_KERNEL_H

#include <stdint.h>

#ifdef TIMELESS_NO_KERNELS

static inline void timeless_kernel_begin(const char *name, int n_sizes, const int64_t *sizes)
{
    (void)name;
    (void)n_sizes;
    (void)sizes;
}
static inline void timeless_kernel_end(void)
{
}

#else

#include <dlfcn.h>
#include <stddef.h>

/* Once per file that includes this: what the tracer exports under that name, NULL without it. */
static inline void *timeless_kernel_find_(void **found, int *searched, const char *name)
{
    if (!__atomic_load_n(searched, __ATOMIC_ACQUIRE)) {
        /* A null handle is RTLD_DEFAULT, which glibc hides from strict C. */
        __atomic_store_n(found, dlsym((void *)0, name), __ATOMIC_RELAXED);
        __atomic_store_n(searched, 1, __ATOMIC_RELEASE);
    }
    return __atomic_load_n(found, __ATOMIC_RELAXED);
}

/* Begins the kernel `name` with up to 16 sizes; the same sizes must take the same time. */
static inline void timeless_kernel_begin(const char *name, int n_sizes, const int64_t *sizes)
{
    static void *found;
    static int searched;
    void (*begin)(const char *, int, const int64_t *);
    *(void **)&begin = timeless_kernel_find_(&found, &searched, "timeless_kernel_begin");
    if (begin)
        begin(name, n_sizes, sizes);
}

/* Ends the kernel that the thread began last. */
static inline void timeless_kernel_end(void)
{
    static void *found;
    static int searched;
    void (*end)(void);
    *(void **)&end = timeless_kernel_find_(&found, &searched, "timeless_kernel_end");
    if (end)
        end();
}

#endif

/* timeless_kernel_begin with the sizes, at least one, as arguments. */
#define TIMELESS_KERNEL_BEGIN(name, ...)                                                           \
    do {                                                                                           \
        const int64_t timeless_sizes_[] = {__VA_ARGS__};                                           \
        timeless_kernel_begin(name, (int)(sizeof timeless_sizes_ / sizeof *timeless_sizes_),       \
                              timeless_sizes_);                                                    \
    } while (0)

#endif
