/* openblas.c - measures threads of OpenBLAS outside of recorded kernels.
 *
 * OpenBLAS (for example Debian's openblas-pthread) has threads of its own. They look for work, and
 * wait for each other during the work, by calling sched_yield in a loop. The thread that called
 * OpenBLAS does the same. A thread has worked between two of these calls unless they follow each
 * other immediately.
 *
 * Some versions of OpenBLAS (0.3.29 on x86-64) wait without any call, and all wait so in their own
 * factorisations (dgesv, dpotrf), which start threads by exec_blas_async. These waits are not seen:
 * the first rank prints a line about that.
 *
 * The work of the threads belongs to the thread that called exec_blas. Each thread is measured from
 * its first sched_yield after the first such call. */
#include "config.h"

#include <elf.h>
#include <link.h>
#include <sched.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "skip/skip.h"
#include "teams.h"

enum { LOOP_NS = 3000 }; /* from one sched_yield to the next, at most */

static bool is_armed;              /* there was such a call; atomic */
static bool is_open;               /* the latest call was no recorded kernel; atomic */
static uintptr_t code, code_end;   /* of the library */
static bool yields;                /* its code calls sched_yield */
static tlt_team crew;              /* its threads, without a master */
static uint32_t n_workers, n_calm; /* threads in it; waits that have begun: atomic */

static __thread bool calls __attribute__((tls_model("initial-exec"))); /* exec_blas */
static __thread uint64_t last_ns __attribute__((tls_model("initial-exec")));

/* ---- the library's code ---- */

/* Whether the object imports the function. */
static bool imports(const ElfW(Dyn) * d, const char *function)
{
    const ElfW(Rela) * relocations[2] = {NULL, NULL};
    const ElfW(Sym) *symbols = NULL;
    const char *names = NULL;
    size_t bytes[2] = {0, 0};
    for (; d->d_tag != DT_NULL; d++) {
        void *address = (void *)d->d_un.d_ptr; /* the loader has made it one */
        switch (d->d_tag) {
        case DT_JMPREL: relocations[0] = address; break;
        case DT_PLTRELSZ: bytes[0] = d->d_un.d_val; break;
        case DT_RELA: relocations[1] = address; break;
        case DT_RELASZ: bytes[1] = d->d_un.d_val; break;
        case DT_SYMTAB: symbols = address; break;
        case DT_STRTAB: names = address; break;
        default: break;
        }
    }
    for (size_t table = 0; table < 2 && symbols && names; table++)
        for (size_t i = 0; relocations[table] && i < bytes[table] / sizeof **relocations; i++) {
            const size_t symbol = (size_t)ELF64_R_SYM(relocations[table][i].r_info);
            if (symbol && !strcmp(names + symbols[symbol].st_name, function))
                return true;
        }
    return false;
}

static int find_code(struct dl_phdr_info *object, size_t size, void *wanted)
{
    const uintptr_t address = (uintptr_t)wanted;
    (void)size;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        const uintptr_t start = object->dlpi_addr + part->p_vaddr;
        if (part->p_type != PT_LOAD || address < start || address - start >= part->p_memsz)
            continue;
        code = start;
        code_end = start + part->p_memsz;
        for (int k = 0; k < object->dlpi_phnum; k++)
            if (object->dlpi_phdr[k].p_type == PT_DYNAMIC)
                yields = imports((void *)(object->dlpi_addr + object->dlpi_phdr[k].p_vaddr),
                                 "sched_yield");
        return 1;
    }
    return 0;
}

static void name_unseen_waits(void)
{
    static bool is_named;
    if (!__atomic_exchange_n(&is_named, true, __ATOMIC_RELAXED) && tlt.rank == 0)
        tlt_say("this OpenBLAS waits without a call that can be seen: the volumes of its threaded "
                "calls that are not recorded as kernels contain waits, and lack the work of its "
                "threads; record them as kernels, or set OPENBLAS_NUM_THREADS=1");
}

static void arm(void *function)
{
    if (__atomic_load_n(&is_armed, __ATOMIC_ACQUIRE) || !dl_iterate_phdr(find_code, function))
        return;
    if (!__atomic_exchange_n(&is_armed, true, __ATOMIC_ACQ_REL) && !yields)
        name_unseen_waits();
}

/* ---- waits ---- */

/* A thread of the library that appears for the first time. */
static bool joins(void)
{
    if (tlt_role != TLT_BYSTANDER || tlt_member.team || !tlt_teams_are_measured())
        return false;
    tlt_team_enter(&crew, 0);
    if (!tlt_is_in_team())
        return false;
    __atomic_fetch_add(&n_workers, 1, __ATOMIC_RELAXED);
    last_ns = 0;
    return true;
}

static bool is_worker(void)
{
    return tlt_member.team == &crew && tlt_role == TLT_HELPING;
}

static int yield(void)
{
    return (int)syscall(SYS_sched_yield);
}

static int wait_by_yield(void)
{
    const bool is_new = joins();
    if (!is_new && !is_worker() && !(calls && tlt_is_measured()))
        return yield();
    const bool worked = !is_new && tlt_monotonic_ns() - last_ns > LOOP_NS &&
                        (calls || __atomic_load_n(&is_open, __ATOMIC_RELAXED));
    tlt_stop_working(worked);
    if (is_worker())
        __atomic_fetch_add(&n_calm, 1, __ATOMIC_RELAXED);
    int result = yield();
    tlt_work_on();
    last_ns = tlt_monotonic_ns();
    return result;
}

TLT_API int sched_yield(void)
{
    const uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (TLT_UNLIKELY(__atomic_load_n(&is_armed, __ATOMIC_ACQUIRE)) && caller >= code &&
        caller < code_end)
        return wait_by_yield();
    return TLT_UNLIKELY(tlt_skip_waits) ? tlt_skip_wait() : yield();
}

/* ---- calls ---- */

/* The threads are done, but some may not yet have reached the place where they wait. */
static void let_workers_settle(void)
{
    enum { TRIES = 20 };
    const uint32_t n = __atomic_load_n(&n_workers, __ATOMIC_RELAXED);
    const uint32_t before = __atomic_load_n(&n_calm, __ATOMIC_RELAXED);
    for (int i = 0; i < TRIES && __atomic_load_n(&n_calm, __ATOMIC_RELAXED) - before < 2 * n; i++)
        yield();
}

TLT_API int exec_blas(long n_parts, void *queue);
TLT_API int exec_blas(long n_parts, void *queue)
{
    __typeof__(&exec_blas) real = TLT_NEXT(exec_blas);
    if (n_parts < 2 || calls)
        return real(n_parts, queue);
    if (tlt_role != TLT_BYSTANDER)
        tlt_teams_count((uint32_t)n_parts);
    if (!tlt_is_measured() || !tlt_teams_are_measured()) {
        __atomic_store_n(&is_open, false, __ATOMIC_RELAXED);
        return real(n_parts, queue);
    }
    arm((void *)real);
    __atomic_store_n(&is_open, true, __ATOMIC_RELAXED);
    calls = true;
    last_ns = 0;
    int result = real(n_parts, queue);
    calls = false;
    tlt_stop_working(true);
    let_workers_settle();
    tlt_take_from(&crew);
    tlt_work_on();
    return result;
}

/* exec_blas calls it, too, after which the caller waits in exec_blas. */
TLT_API int exec_blas_async(long position, void *queue);
TLT_API int exec_blas_async(long position, void *queue)
{
    if (!calls && tlt_is_measured())
        name_unseen_waits();
    return TLT_NEXT(exec_blas_async)(position, queue);
}
