/* object_dw.c - one object file and its debug information, read with libdw of elfutils. */
#include "config.h"

#include "names.h"
#include "object.h"
#include "symbols.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_BYTES = 512, MAX_BUILD_ID = 64, SERVER_S = 5 };

struct tls_file {
    Dwfl *dwfl;
    Dwfl_Module *module;
    Dwarf *dwarf;    /* NULL: no debug information */
    Dwarf_Addr bias; /* address in the module - address in `dwarf` */
    uint64_t begin;  /* address in the module where offset 0 is loaded */
};

static char *debug_folders; /* NULL: the folders that GDB searches, too */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .debuginfo_path = &debug_folders,
    .section_address = dwfl_offline_section_address,
};

/* Offsets count from the page where the first segment is loaded. */
static bool find_begin(Dwfl_Module *module, uint64_t *out)
{
    GElf_Addr bias;
    size_t n;
    Elf *elf = dwfl_module_getelf(module, &bias);
    if (!elf || elf_getphdrnum(elf, &n) != 0)
        return false;
    bool found = false;
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr room, *segment = gelf_getphdr(elf, (int)i, &room);
        if (!segment || segment->p_type != PT_LOAD)
            continue;
        const uint64_t page = segment->p_align > 1 ? segment->p_align : 1;
        const uint64_t begin = segment->p_vaddr / page * page + bias;
        if (!found || begin < *out)
            *out = begin;
        found = true;
    }
    return found;
}

/* The file that was loaded has the build ID of the recording. Without an ID nothing shows a
 * difference. */
static bool same_build(Dwfl_Module *module, const char *build_id)
{
    const unsigned char *bits;
    GElf_Addr address;
    char digits[2 * MAX_BUILD_ID + 1] = "";
    const int n = dwfl_module_build_id(module, &bits, &address);
    for (int i = 0; i < n && i < MAX_BUILD_ID; i++)
        snprintf(digits + 2 * (size_t)i, 3, "%02x", bits[i]);
    return !strcmp(digits, build_id) || !strcmp(build_id, TLS_ANY_BUILD);
}

/* The debug information of a file, from this machine or, for programs, from the servers that the
 * user has set. libdw waits up to 90 seconds for a server by default; here it waits for 5. After a
 * server that did not answer in this time, no server is asked again. */
static Dwarf *ask_for_dwarf(tls_file *file, const char *path)
{
    static const char name[] = "DEBUGINFOD_URLS";
    const char *now = getenv(name);
    char *servers = now ? strdup(now) : NULL;
    setenv("DEBUGINFOD_TIMEOUT", "5", 0);
    if (tls_is_of_system(path))
        unsetenv(name);
    const time_t begin = time(NULL);
    Dwarf *dwarf = dwfl_module_getdwarf(file->module, &file->bias);
    if (servers && (dwarf || time(NULL) - begin < SERVER_S - 1))
        setenv(name, servers, 1);
    else
        unsetenv(name);
    free(servers);
    return dwarf;
}

tls_file *tls_file_open(const tl_object *object, tls_lack *lack)
{
    *lack = TLS_ABSENT;
    tls_file *file = calloc(1, sizeof *file);
    const int fd = open(object->path, O_RDONLY | O_CLOEXEC);
    if (!file || fd < 0 || !(file->dwfl = dwfl_begin(&callbacks)))
        goto failed;
    dwfl_report_begin(file->dwfl);
    /* The module takes the descriptor if it is accepted. */
    file->module = dwfl_report_elf(file->dwfl, object->name, object->path, fd, 0, true);
    dwfl_report_end(file->dwfl, NULL, NULL);
    if (!file->module || !find_begin(file->module, &file->begin))
        goto failed;
    if (!same_build(file->module, object->build_id)) {
        *lack = TLS_CHANGED;
        goto failed;
    }
    file->dwarf = ask_for_dwarf(file, object->path);
    *lack = file->dwarf ? TLS_LINES : TLS_NO_LINES;
    return file;
failed:
    if (fd >= 0 && !(file && file->module))
        close(fd);
    tls_file_close(file);
    return NULL;
}

void tls_file_close(tls_file *file)
{
    if (!file)
        return;
    if (file->dwfl)
        dwfl_end(file->dwfl);
    free(file);
}

/* ---- functions ---- */

/* The entry that declares a function: it is inside of its class or namespace. */
static Dwarf_Die declaration_of(Dwarf_Die function)
{
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) {
        Dwarf_Attribute link;
        Dwarf_Die next;
        if (dwarf_attr(&function, links[i], &link) && dwarf_formref_die(&link, &next))
            function = next;
    }
    return function;
}

static const char *name_of(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_name, &attribute));
    return name ? name : "";
}

/* "solver::step": the name with the namespaces, classes and modules around it. */
static char *name_function(Dwarf_Die *function)
{
    const char *name = name_of(function);
    Dwarf_Attribute attribute;
    const char *symbol =
        dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
    if (!*name)
        return symbol ? tls_function_name(symbol) : strdup("");
    char text[NAME_BYTES] = "";
    Dwarf_Die declaration = declaration_of(*function), *around = NULL;
    const int n = dwarf_getscopes_die(&declaration, &around);
    for (int i = n - 1; i > 0; i--) {
        const int tag = dwarf_tag(&around[i]);
        const size_t used = strlen(text);
        if (tag != DW_TAG_namespace && tag != DW_TAG_class_type && tag != DW_TAG_structure_type &&
            tag != DW_TAG_module && tag != DW_TAG_union_type)
            continue;
        const char *outer = name_of(&around[i]);
        snprintf(text + used, sizeof text - used, "%s::", *outer ? outer : "(anonymous)");
    }
    free(around);
    const size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s", name);
    return strdup(text);
}

/* ---- lines ---- */

/* The compilation unit of an address. Clang writes no table of addresses, so all units are asked if
 * the table has no answer. */
static Dwarf_Die *unit_of(const tls_file *file, Dwarf_Addr address)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = dwfl_module_addrdie(file->module, address, &bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(file->module, unit, &bias)))
        if (dwarf_haspc(unit, address - bias) == 1)
            return unit;
    return NULL;
}

static char *base_name(const char *path)
{
    const char *slash = path ? strrchr(path, '/') : NULL;
    return strdup(slash ? slash + 1 : path ? path : "");
}

/* Where the call of an inlined function is: in *source. */
static void find_call(Dwarf_Die *inlined, Dwarf_Die *unit, tl_source *source)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0, line = 0;
    Dwarf_Files *files;
    const char *path = NULL;
    dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line);
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &number) == 0 &&
        dwarf_getsrcfiles(unit, &files, NULL) == 0)
        path = dwarf_filesrc(files, number, NULL, NULL);
    source->file = base_name(path);
    source->line = (uint32_t)line;
}

/* dwarf_getscopes, which finds no function inside of one that has other addresses, or of a module
 * of Fortran, which has none. */
static int find_scopes(Dwarf_Die *around, Dwarf_Addr address, Dwarf_Die **scopes)
{
    int n = dwarf_getscopes(around, address, scopes);
    Dwarf_Die inner;
    for (int end = dwarf_child(around, &inner); n <= 0 && !end;
         end = dwarf_siblingof(&inner, &inner)) {
        const int tag = dwarf_tag(&inner);
        if (tag == DW_TAG_module || tag == DW_TAG_subprogram)
            n = find_scopes(&inner, address, scopes);
    }
    return n;
}

/* Names the functions around an address, from the innermost one to the one that was not inlined.
 * sources[0] has its file and line. */
static uint32_t find_functions(Dwarf_Die *unit, Dwarf_Addr address,
                               tl_source sources[TL_MAX_SOURCES])
{
    Dwarf_Die *innermost = NULL, *around = NULL;
    uint32_t n = 0;
    if (find_scopes(unit, address, &innermost) > 0) {
        const int n_around = dwarf_getscopes_die(&innermost[0], &around);
        for (int i = 0; i < n_around && n < TL_MAX_SOURCES; i++) {
            const int tag = dwarf_tag(&around[i]);
            if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram &&
                tag != DW_TAG_entry_point)
                continue;
            sources[n++].function = name_function(&around[i]);
            if (tag != DW_TAG_inlined_subroutine)
                break;
            if (n < TL_MAX_SOURCES)
                find_call(&around[i], unit, &sources[n]);
        }
    }
    /* No function follows the call that was found last. */
    if (n && n < TL_MAX_SOURCES && sources[n].file) {
        free((void *)(uintptr_t)sources[n].file);
        sources[n] = (tl_source){0};
    }
    free(innermost);
    free(around);
    return n;
}

static bool complete(tl_source *s)
{
    if (!s->function)
        s->function = strdup("");
    if (!s->file)
        s->file = strdup("");
    return s->function && s->file;
}

/* The function in the symbol table, of which the file and the line are unknown. */
static uint32_t find_symbol(const tls_file *file, uint64_t address, tl_source *source)
{
    const char *symbol = dwfl_module_addrname(file->module, address);
    if (!symbol || !*symbol)
        return 0;
    *source = (tl_source){.function = tls_function_name(symbol)};
    return complete(source) ? 1 : 0;
}

uint32_t tls_file_find(tls_file *file, uint64_t offset, tl_source sources[TL_MAX_SOURCES])
{
    const uint64_t address = file->begin + offset;
    memset(sources, 0, TL_MAX_SOURCES * sizeof *sources);
    Dwarf_Die *unit = file->dwarf ? unit_of(file, address) : NULL;
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - file->bias) : NULL;
    int number = 0;
    if (!line)
        return find_symbol(file, address, sources);
    dwarf_lineno(line, &number);
    sources[0].file = base_name(dwarf_linesrc(line, NULL, NULL));
    sources[0].line = number > 0 ? (uint32_t)number : 0;
    uint32_t n = find_functions(unit, address - file->bias, sources);
    if (!n) { /* there are lines but no functions: compiled with -g1, or in assembly language */
        const char *symbol = dwfl_module_addrname(file->module, address);
        sources[0].function = symbol ? tls_function_name(symbol) : NULL;
        n = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!complete(&sources[i]))
            return 0;
    return n;
}
