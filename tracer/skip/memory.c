/* memory.c - large blocks of the program that consist of one small region, mapped many times.
 *
 * The program calls malloc() and the like through slots of its own, which the dynamic linker has
 * filled. They now lead here. Libraries have their own slots, so no block of the MPI library is
 * folded. glibc maps each block of this size by itself and unmaps it as a whole, whatever is mapped
 * inside: the block can be freed as any other, by the program or by a library. */
#include "config.h"

#include "skip/skip.h"

#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime.h"

enum {
    REGION_BYTES = 1 << 20, /* of a rank */
    EDGE_BYTES = 1 << 16,   /* of a block, at each end: programs put more than numbers there */
    IS_MAPPED = 2           /* in the word before a block of glibc: it is mapped by itself */
};

#if __SIZEOF_POINTER__ == 8
#define ELF_R_SYM ELF64_R_SYM
#else
#define ELF_R_SYM ELF32_R_SYM
#endif

static size_t least_bytes, page_bytes;
static int region = -1;

static void *fold(void *block, size_t size)
{
    size_t head;
    if (!block || size < least_bytes)
        return block;
    memcpy(&head, (char *)block - sizeof head, sizeof head);
    if (!(head & IS_MAPPED))
        return block;
    const uintptr_t mask = ~(uintptr_t)(page_bytes - 1);
    const uintptr_t end = ((uintptr_t)block + size - EDGE_BYTES) & mask;
    uintptr_t at = ((uintptr_t)block + EDGE_BYTES + page_bytes - 1) & mask;
    for (; at < end; at += REGION_BYTES) {
        const size_t n = end - at < REGION_BYTES ? end - at : REGION_BYTES;
        if (mmap((void *)at, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, region, 0) ==
            MAP_FAILED)
            break; /* too many mappings: the rest of the block stays as it is */
    }
    return block;
}

/* ---- the functions for the program's slots ---- */

static void *fold_malloc(size_t size)
{
    return fold(malloc(size), size);
}

static void *fold_memalign(size_t alignment, size_t size)
{
    return fold(memalign(alignment, size), size);
}

static void *fold_aligned_alloc(size_t alignment, size_t size)
{
    return fold(aligned_alloc(alignment, size), size);
}

static int fold_posix_memalign(void **block, size_t alignment, size_t size)
{
    const int result = posix_memalign(block, alignment, size);
    if (result == 0)
        fold(*block, size);
    return result;
}

/* C++: operator new and operator new[], which the program alone may have. */
static void *(*operator_new)(size_t), *(*operator_new_array)(size_t);

static void *fold_new(size_t size)
{
    return fold(operator_new(size), size);
}

static void *fold_new_array(size_t size)
{
    return fold(operator_new_array(size), size);
}

static const struct {
    const char *symbol;
    void *function;
    void *(**original)(size_t);
} functions[] = {{"malloc", (void *)fold_malloc, NULL},
                 {"memalign", (void *)fold_memalign, NULL},
                 {"aligned_alloc", (void *)fold_aligned_alloc, NULL},
                 {"posix_memalign", (void *)fold_posix_memalign, NULL},
                 {"_Znwm", (void *)fold_new, &operator_new},
                 {"_Znam", (void *)fold_new_array, &operator_new_array}};

/* ---- the program's slots ---- */

typedef struct program {
    uintptr_t bias;
    const ElfW(Dyn) * dynamic;
    uintptr_t constant, n_constant; /* the dynamic linker has made these bytes read-only */
} program;

static int see_program(struct dl_phdr_info *info, size_t size, void *out)
{
    (void)size;
    program *p = out;
    p->bias = info->dlpi_addr;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_DYNAMIC)
            p->dynamic = (const void *)(p->bias + part->p_vaddr);
        if (part->p_type == PT_GNU_RELRO) {
            p->constant = p->bias + part->p_vaddr;
            p->n_constant = part->p_memsz;
        }
    }
    return 1; /* the program is the first */
}

static uintptr_t dynamic_value(const program *p, ElfW(Sxword) tag)
{
    for (const ElfW(Dyn) *d = p->dynamic; d && d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return d->d_un.d_val;
    return 0;
}

/* glibc has added the bias to addresses. */
static const void *dynamic_address(const program *p, ElfW(Sxword) tag)
{
    const uintptr_t value = dynamic_value(p, tag);
    return (const void *)(value && value < p->bias ? value + p->bias : value);
}

static bool set_slot(const program *p, void **slot, void *function)
{
    const uintptr_t at = (uintptr_t)slot;
    void *page = (void *)(at & ~(uintptr_t)(page_bytes - 1));
    const bool is_constant = at - p->constant < p->n_constant;
    if (is_constant && mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    *slot = function;
    if (is_constant)
        mprotect(page, page_bytes, PROT_READ);
    return true;
}

/* Sets the slots of a table of relocations. Returns how many. */
static unsigned set_slots(const program *p, const ElfW(Rela) * relocations, size_t n)
{
    const ElfW(Sym) *symbols = dynamic_address(p, DT_SYMTAB);
    const char *names = dynamic_address(p, DT_STRTAB);
    unsigned n_set = 0;
    for (size_t i = 0; symbols && names && i < n; i++) {
        const size_t symbol = ELF_R_SYM(relocations[i].r_info);
        const char *name = names + symbols[symbol].st_name;
        for (size_t f = 0; symbol && f < sizeof functions / sizeof *functions; f++)
            if (!strcmp(name, functions[f].symbol) && symbols[symbol].st_shndx == SHN_UNDEF &&
                (!functions[f].original || *functions[f].original))
                n_set += set_slot(p, (void **)(p->bias + relocations[i].r_offset),
                                  functions[f].function);
    }
    return n_set;
}

/* ---- start ---- */

/* A region full of numbers between 1/2 and 1, so that no search for a pivot finds zeros alone. */
static bool make_region(void)
{
    region = memfd_create("timeless-folded", MFD_CLOEXEC);
    if (region < 0 || ftruncate(region, REGION_BYTES) != 0)
        return false;
    double *numbers = mmap(NULL, REGION_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, region, 0);
    if (numbers == MAP_FAILED)
        return false;
    uint64_t state = 88172645463325252U + (uint64_t)tlt.rank; /* xorshift64 */
    for (size_t i = 0; i < REGION_BYTES / sizeof *numbers; i++) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        numbers[i] = 0.5 + (double)(state >> 12) * 0x1p-53;
    }
    munmap(numbers, REGION_BYTES);
    return true;
}

/* The word before a block has its meaning only if nobody has replaced malloc(). */
static bool is_glibc_malloc(void)
{
    void *libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD);
    return libc && dlsym(libc, "malloc") == dlsym(RTLD_DEFAULT, "malloc");
}

static const char *begin_folding(void)
{
    enum { MOST_THRESHOLD = 32 << 20 }; /* more is refused */
    program p = {0};
    if (!is_glibc_malloc())
        return "malloc() is not that of glibc";
    if (!make_region())
        return "there is no memory for the region";
    page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    mallopt(M_MMAP_THRESHOLD, least_bytes < MOST_THRESHOLD ? (int)least_bytes : MOST_THRESHOLD);
    operator_new = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znwm");
    operator_new_array = (void *(*)(size_t))dlsym(RTLD_DEFAULT, "_Znam");
    dl_iterate_phdr(see_program, &p);
    unsigned n = set_slots(&p, dynamic_address(&p, DT_RELA),
                           dynamic_value(&p, DT_RELASZ) / sizeof(ElfW(Rela)));
    if (dynamic_value(&p, DT_PLTREL) == DT_RELA)
        n += set_slots(&p, dynamic_address(&p, DT_JMPREL),
                       dynamic_value(&p, DT_PLTRELSZ) / sizeof(ElfW(Rela)));
    return n ? NULL : "the program itself does not call malloc()";
}

void tlt_fold_memory(void)
{
    char text[32];
    if (region >= 0 || !tlt_skip_word("memory", 0, text, sizeof text))
        return;
    least_bytes = strtoull(text, NULL, 10);
    const char *why =
        least_bytes < 4 * (size_t)EDGE_BYTES ? "give 262144 bytes or more" : begin_folding();
    if (why && tlt.rank == 0)
        tlt_say("--fold-memory: no memory is folded: %s", why);
}
