/* table.c - checks whether libsimgrid calls our functions that replace its own ones. */
#include "config.h"

#include "table.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/engine.h>
#include <simgrid/version.h>

enum how { REPLACED, CALLED, VARIABLE };

static const struct {
    const char *name;
    int first, last;
} parts[] = {
#define SHIM(part, kind, first, last) {#part, first, last},
    SMPI_SHIMS(SHIM)
#undef SHIM
};

static struct row {
    smpi_shim part;
    enum how how;
    const char *symbol;
    bool is_used; /* libsimgrid finds it through a table of the loader */
} rows[] = {
#define ROW(part, how, symbol) {SMPI_SHIM_##part, how, symbol, 0},
#define REPLACED_ROW(part, symbol) ROW(part, REPLACED, symbol)
#define CALLED_ROW(part, symbol) ROW(part, CALLED, symbol)
#define VARIABLE_ROW(part, symbol) ROW(part, VARIABLE, symbol)
    SMPI_SYMBOLS(REPLACED_ROW, CALLED_ROW, VARIABLE_ROW)};
enum { N_ROWS = sizeof rows / sizeof *rows };

static int compare_rows(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return strcmp(x->symbol, y->symbol);
}

/* ---- the relocations of libsimgrid ---- */

static void mark_relocations(const ElfW(Rela) * relocations, size_t bytes,
                             const ElfW(Sym) * symbols, const char *strings)
{
    for (size_t i = 0; relocations && i < bytes / sizeof *relocations; i++) {
        const size_t symbol = (size_t)(relocations[i].r_info >> (sizeof(void *) == 8 ? 32 : 8));
        const struct row key = {.symbol = strings + symbols[symbol].st_name};
        struct row *row = symbol ? bsearch(&key, rows, N_ROWS, sizeof *rows, compare_rows) : NULL;
        /* The same symbol may be in neighbouring rows. */
        while (row && row > rows && !compare_rows(row - 1, &key))
            row--;
        for (; row && row < rows + N_ROWS && !compare_rows(row, &key); row++)
            row->is_used = 1;
    }
}

static void read_relocations(void)
{
    Dl_info info;
    struct link_map *map = NULL;
    const ElfW(Rela) *relocations = NULL, *calls = NULL;
    const ElfW(Sym) *symbols = NULL;
    const char *strings = NULL;
    size_t bytes = 0, call_bytes = 0;
    if (!dladdr1((void *)(uintptr_t)sg_version_get, &info, (void **)&map, RTLD_DL_LINKMAP))
        return;
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++) {
        void *address = (void *)d->d_un.d_ptr; /* the loader has made it one */
        switch (d->d_tag) {
        case DT_RELA: relocations = address; break;
        case DT_RELASZ: bytes = d->d_un.d_val; break;
        case DT_JMPREL: calls = address; break;
        case DT_PLTRELSZ: call_bytes = d->d_un.d_val; break;
        case DT_SYMTAB: symbols = address; break;
        case DT_STRTAB: strings = address; break;
        default: break;
        }
    }
    if (!symbols || !strings)
        return;
    mark_relocations(relocations, bytes, symbols, strings);
    mark_relocations(calls, call_bytes, symbols, strings);
}

/* ---- */

static bool is_ours(const void *address)
{
    Dl_info theirs, ours;
    return dladdr(address, &theirs) && dladdr((void *)(uintptr_t)smpi_shim_holds, &ours) &&
           theirs.dli_fbase == ours.dli_fbase;
}

static bool is_bound(const struct row *row)
{
    /* The address that libsimgrid finds: it searches where the module does. */
    const void *found = dlsym(RTLD_DEFAULT, row->symbol);
    switch (row->how) {
    case REPLACED: return found && row->is_used && is_ours(found);
    case VARIABLE: return found && row->is_used;
    default: return found != NULL;
    }
}

static const struct row *find_unbound(smpi_shim shim)
{
    static bool are_read;
    if (!are_read) {
        qsort(rows, N_ROWS, sizeof *rows, compare_rows);
        read_relocations();
        are_read = 1;
    }
    for (size_t i = 0; i < N_ROWS; i++)
        if (rows[i].part == shim && !is_bound(&rows[i]))
            return &rows[i];
    return NULL;
}

static bool is_known_version(smpi_shim shim)
{
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    const int version = 100 * major + minor;
    return parts[shim].first <= version && version <= parts[shim].last;
}

int smpi_shim_holds(smpi_shim shim)
{
    static signed char known[SMPI_N_SHIMS]; /* 0: not asked yet; otherwise 1, or -1 for no */
    if (!known[shim])
        known[shim] = is_known_version(shim) && !find_unbound(shim) ? 1 : -1;
    return known[shim] > 0;
}

const char *smpi_shim_reason(smpi_shim shim)
{
    static char text[320];
    int major, minor, patch;
    sg_version_get(&major, &minor, &patch);
    const int first = parts[shim].first, last = parts[shim].last;
    if (!is_known_version(shim) && first == last)
        snprintf(text, sizeof text, "it holds for SimGrid %d.%d, and this is %d.%d", first / 100,
                 first % 100, major, minor);
    else if (!is_known_version(shim))
        snprintf(text, sizeof text, "it holds for SimGrid %d.%d to %d.%d, and this is %d.%d",
                 first / 100, first % 100, last / 100, last % 100, major, minor);
    else
        snprintf(text, sizeof text, "this SimGrid %d.%d does not use Timeless' %s", major, minor,
                 find_unbound(shim) ? find_unbound(shim)->symbol : parts[shim].name);
    return text;
}
