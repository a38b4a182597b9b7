/* unknown.c - MPI functions that the program may call and that are in no row of the schema: their
 * calls do not pass through the tracer.
 *
 * The program was linked against a newer MPI than this tracer knows. A loaded object names each
 * function that it calls among its undefined symbols; these stand before all others in its table
 * of symbols. Functions that the program looks up by dlsym, or in an object that it loads after
 * MPI_Init, are not found. */
#include "config.h"

#include "mpi/unknown.h"

#include <ctype.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "mpi/interface.h"

/* One text instead of a table of pointers: nothing to relocate in every process of a run. */
static const char recorded[] =
#define TL_CALL(code, name, ...) #name "\0"
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#define TL_OPAQUE TL_CALL
#include "mpi_calls.def"
    ;
/* Those that have a twin with large counts, MPI_Name_c. */
static const char twins[] =
#define TL_CALL(code, name, ...) LARGE_##name(#name "\0")
#define TL_SPECIAL TL_CALL
#define TL_EXTENSION TL_CALL
#include "mpi_calls.def"
    ;
static const char local[] =
#define TL_LOCAL(name) #name "\0"
#include "mpi_calls.def"
    ;

static bool is_in(const char *names, const char *name, size_t length)
{
    for (; *names; names += strlen(names) + 1)
        if (!strncasecmp(names, name, length) && !names[length])
            return true;
    return false;
}

/* "MPI_Send", "PMPIX_Send", "mpi_send_": behind the prefix; NULL: it has none. */
static const char *behind_prefix(const char *symbol)
{
    symbol += *symbol == 'P' || *symbol == 'p';
    if (strncasecmp(symbol, "mpi", 3) != 0)
        return NULL;
    symbol += 3;
    symbol += *symbol == 'X' || *symbol == 'x';
    return *symbol == '_' && isalpha((unsigned char)symbol[1]) ? symbol + 1 : NULL;
}

static bool cut_end(const char *name, size_t *length, const char *end)
{
    const size_t n = strlen(end);
    if (*length <= n || strncasecmp(name + *length - n, end, n) != 0)
        return false;
    *length -= n;
    return true;
}

/* Whether the symbol is no function of MPI, or one that the schema has: under its name in C or
 * Fortran. */
static bool mpi_knows(const char *symbol)
{
    const char *name = behind_prefix(symbol);
    if (!name)
        return true;
    size_t length = strlen(name);
    while (name[length - 1] == '_')
        length--;
    const bool is_large = cut_end(name, &length, "_large");
    static const char *const of_bindings[] = {"_f08ts", "_f08", "_f", "_cptr"};
    for (size_t i = 0; i < sizeof of_bindings / sizeof *of_bindings; i++)
        cut_end(name, &length, of_bindings[i]);
    /* The tools' interface and Fortran's MPI_Sizeof, which has a function for each type. */
    if (!strncasecmp(name, "T_", 2) || !strncasecmp(name, "sizeof_", 7))
        return true;
    if (!is_large && is_in(recorded, name, length))
        return true;
    if (is_in(local, name, length))
        return true;
    if (!is_large && !cut_end(name, &length, "_c"))
        return false;
    return is_in(twins, name, length) || is_in(local, name, length);
}

/* ---- the loaded objects ---- */

typedef struct dynamic {
    const ElfW(Sym) * symbols;
    const char *texts;
    const uint32_t *gnu_hash;
    const ElfW(Word) * hash;
} dynamic;

static bool read_dynamic(const struct dl_phdr_info *object, dynamic *d)
{
    memset(d, 0, sizeof *d);
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        /* The loader has added the object's address, but for objects that it cannot write to. */
        uintptr_t address = entry->d_un.d_ptr;
        address += address < object->dlpi_addr ? object->dlpi_addr : 0;
        switch (entry->d_tag) {
        case DT_SYMTAB: d->symbols = (const void *)address; break;
        case DT_STRTAB: d->texts = (const void *)address; break;
        case DT_GNU_HASH: d->gnu_hash = (const void *)address; break;
        case DT_HASH: d->hash = (const void *)address; break;
        default: break;
        }
    }
    return d->symbols && d->texts && (d->gnu_hash || d->hash);
}

/* How many symbols come before the first that others may find. */
static size_t first_defined(const dynamic *d)
{
    return d->gnu_hash ? d->gnu_hash[1] : d->hash[1];
}

static size_t count_symbols(const dynamic *d)
{
    if (d->hash)
        return d->hash[1];
    const uint32_t n_buckets = d->gnu_hash[0], first = d->gnu_hash[1], n_words = d->gnu_hash[2];
    const uint32_t *buckets =
        (const uint32_t *)(const void *)((const ElfW(Addr) *)(const void *)(d->gnu_hash + 4) +
                                         n_words);
    const uint32_t *chains = buckets + n_buckets;
    uint32_t last = 0;
    for (uint32_t i = 0; i < n_buckets; i++)
        last = buckets[i] > last ? buckets[i] : last;
    if (last < first)
        return first;
    while (!(chains[last - first] & 1))
        last++;
    return (size_t)last + 1;
}

/* Libraries that define functions of MPI: the MPI library, its Fortran bindings, tools. */
static bool is_part_of_mpi(const dynamic *d)
{
    const size_t n = count_symbols(d);
    for (size_t i = 1; i < n; i++) {
        const ElfW(Sym) *s = &d->symbols[i];
        if (s->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(s->st_info) == STT_FUNC &&
            behind_prefix(d->texts + s->st_name))
            return true;
    }
    return false;
}

enum { MOST_UNKNOWN = 256 };
typedef struct findings {
    bool behind_program; /* the first object is the program */
    size_t n;
    const char *symbols[MOST_UNKNOWN];
} findings;

static bool is_listed(const findings *f, const char *symbol)
{
    for (size_t i = 0; i < f->n; i++)
        if (!strcmp(f->symbols[i], symbol))
            return true;
    return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *of)
{
    (void)size;
    findings *f = of;
    const bool is_program = !f->behind_program;
    const size_t n_before = f->n;
    dynamic d;
    f->behind_program = true;
    if (!read_dynamic(object, &d))
        return 0;
    const size_t n = first_defined(&d);
    for (size_t i = 1; i < n && f->n < MOST_UNKNOWN; i++) {
        const char *symbol = d.texts + d.symbols[i].st_name;
        if (d.symbols[i].st_shndx == SHN_UNDEF && !mpi_knows(symbol) && !is_listed(f, symbol))
            f->symbols[f->n++] = symbol;
    }
    if (f->n > n_before && !is_program && is_part_of_mpi(&d))
        f->n = n_before;
    return 0;
}

/* Not data, and not a symbol that the program only asks for where it is there. */
static bool is_function(const char *symbol)
{
    void *address = tlt_find_function(symbol), *found = NULL;
    Dl_info info;
    return address && dladdr1(address, &info, &found, RTLD_DL_SYMENT) && found &&
           ELF64_ST_TYPE(((const ElfW(Sym) *)found)->st_info) == STT_FUNC;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void tlt_mpi_list_unknown(char *text, size_t size)
{
    static findings found;
    size_t used = 0;
    text[0] = '\0';
    found.n = 0;
    found.behind_program = false;
    dl_iterate_phdr(look_at, &found);
    qsort(found.symbols, found.n, sizeof *found.symbols, by_name);
    for (size_t i = 0; i < found.n; i++) {
        if (!is_function(found.symbols[i]))
            continue;
        const int n = snprintf(text + used, size - used, "%s%s", used ? " " : "", found.symbols[i]);
        if (n < 0 || (size_t)n >= size - used) {
            text[used] = '\0'; /* the names before */
            return;
        }
        used += (size_t)n;
    }
}
