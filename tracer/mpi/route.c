/* route.c - which MPI is in this process, and what its functions go to. */
#include "config.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/entries.h"
#include "runtime.h"

#ifdef TLT_WITH_OPENMPI
extern const tlt_family tlt_openmpi_family;
#endif
#ifdef TLT_WITH_MPICH
extern const tlt_family tlt_mpich_family;
#endif

#if defined TLT_WITH_OPENMPI && defined TLT_WITH_MPICH
#define TLT_FAMILIES "Open MPI and MPICH"
#elif defined TLT_WITH_MPICH
#define TLT_FAMILIES "MPICH"
#else
#define TLT_FAMILIES "Open MPI"
#endif

#ifdef TLT_WITH_OPENMPI
const tlt_family *tlt_mpi = &tlt_openmpi_family;
#else
const tlt_family *tlt_mpi = &tlt_mpich_family;
#endif
static bool is_known;
static void *library; /* where MPI is not in the global scope: what was loaded with it */

bool tlt_mpi_is_known(void)
{
    return is_known;
}

/* The tracer has functions of these names, too. */
void *tlt_find_function(const char *name)
{
    void *address = dlsym(RTLD_NEXT, name);
    return address || !library ? address : dlsym(library, name);
}

/* The program may hold the library's data in its own copy. */
void *tlt_find_data(const char *name)
{
    void *address = dlsym(RTLD_DEFAULT, name);
    return address || !library ? address : dlsym(library, name);
}

/* Programs that load MPI themselves (Python) may have kept it out of the global scope: what the
 * caller was linked with is searched. */
static void find_library(void *caller)
{
    Dl_info info;
    if (dlsym(RTLD_NEXT, "PMPI_Init") || dlsym(RTLD_NEXT, "MPI_Init") || !dladdr(caller, &info))
        return;
    library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
}

/* What the library says it is, its first line. */
static void name_library(char *text, size_t size)
{
    static char whole[1 << 16]; /* each MPI has its own limit: MPICH 8192 */
    int (*get)(char *, int *) =
        (int (*)(char *, int *))tlt_find_function("MPI_Get_library_version");
    int length = 0;
    if (!get || get(whole, &length) != 0)
        snprintf(whole, sizeof whole, "an unknown MPI");
    whole[strcspn(whole, "\n")] = '\0';
    for (char *p = whole; *p; p++)
        if (*p == '\t')
            *p = ' ';
    snprintf(text, size, "%.*s", (int)size - 1, whole);
}

/* MPICH and the libraries with its binary interface; ROMIO's and Fortran's objects of MPICH are in
 * none of another family. */
static bool has_interface_of_mpich(const char *name)
{
    static const char *const families[] = {"MPICH", "Intel(R) MPI", "MVAPICH"};
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (strstr(name, families[i]))
            return true;
    return false;
}

/* NULL: of no family that the tracer was built for. */
static const tlt_family *find_family(const char *name)
{
    const tlt_family *family = NULL;
    if (tlt_find_data("ompi_mpi_comm_world")) {
#ifdef TLT_WITH_OPENMPI
        family = &tlt_openmpi_family;
#endif
    } else if (has_interface_of_mpich(name)) {
#ifdef TLT_WITH_MPICH
        family = &tlt_mpich_family;
#endif
    }
    return family && family->resolve() ? family : NULL;
}

static void absent(void)
{
    fprintf(stderr, "timeless: an MPI function that the program calls is not in this process, the "
                    "call cannot be passed on; run without the tracer\n");
    abort();
}

static void fill_slots(const tlt_family *family)
{
    for (const tlt_entry *e = tlt_entries; e->symbol; e++) {
        void *target =
            family ? (void *)family->wrappers[e->function] : tlt_find_function(e->symbol);
        __atomic_store_n(e->slot, target ? target : (void *)absent, __ATOMIC_RELEASE);
    }
}

void tlt_route(void *caller)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool routed;
    char name[256];
    pthread_mutex_lock(&lock);
    if (!routed) {
        find_library(caller);
        name_library(name, sizeof name);
        const tlt_family *family = find_family(name);
        if (family)
            tlt_mpi = family;
        is_known = family != NULL;
        fill_slots(family);
        if (!family && tlt_first_of_launcher("no trace"))
            tlt_say("no trace: the program runs under %s; this tracer records programs of %s", name,
                    TLT_FAMILIES);
        routed = true;
    }
    pthread_mutex_unlock(&lock);
}
