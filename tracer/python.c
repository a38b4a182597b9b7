/* python.c - call sites in Python programs: lines of Python instead of places in the interpreter.
 *
 * mpi4py releases the lock of the interpreter (the GIL) before it calls MPI, so no function that
 * needs the lock may be called here. A thread reads only its own frames and the code objects that
 * they hold. These do not change while the thread is in MPI. The layouts of the three objects on
 * the way are no part of Python's API. They are known for the versions below, on all 64-bit
 * machines, from the headers of these versions (pycore_frame.h, pystate.h, code.h). The functions
 * that are called read a text and a line table, and allocate nothing. */
#include "config.h"

#include "python.h"

#include "runtime.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { N_PLACES = 1 << 11, N_LINES = 1 << 13, MAX_DEPTH = 64, NAME_BYTES = 256 };

/* Offsets in bytes. */
typedef struct layout {
    const char *version;
    int frame_holder; /* in the thread state: the pointer to what holds `frame`; 0: itself */
    int frame;        /* in the holder: the innermost frame */
    int code, previous, instruction, owner; /* in a frame */
    int bytecode;                           /* in a code object */
} layout;

static const layout layouts[] = {{"3.11.", 56, 8, 32, 48, 56, 69, 184},
                                 {"3.12.", 56, 0, 0, 8, 56, 70, 192},
                                 {"3.13.", 0, 72, 0, 8, 56, 70, 200}};

/* The same in all of these versions. */
enum { TYPE = 8, CODE_FILE = 112, CODE_FUNCTION = 128, OWNED_BY_C = 3 };

static const layout *known;
static struct {
    const void *code_type;
    void *(*thread_state)(void);
    int (*line)(const void *code, int offset);
    intptr_t (*length)(const void *text);
    uint32_t (*character)(const void *text, intptr_t i);
} python;

bool tlt_has_python;

/* The places from which MPI was called. */
static struct {
    const void *address;
    bool in_python;
} places[N_PLACES];
static size_t n_places;

/* A place in Python, with its caller. A code object can be freed, and its memory used again: then
 * the name of the function is most likely another object, too. */
static struct {
    const void *code, *function;
    uint32_t offset, caller, id;
} lines[N_LINES];
static size_t n_lines;

static const char *at(const void *object, int offset)
{
    return (const char *)object + offset;
}

static const void *pointer(const void *object, int offset)
{
    return *(const void *const *)at(object, offset);
}

void tlt_python_start(void)
{
    memset(places, 0, sizeof places);
    memset(lines, 0, sizeof lines);
    n_places = n_lines = 0;
    tlt_has_python = false;
    known = NULL;
    const char *(*version)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "Py_GetVersion");
    *(void **)&python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    *(void **)&python.thread_state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    *(void **)&python.line = dlsym(RTLD_DEFAULT, "PyCode_Addr2Line");
    *(void **)&python.length = dlsym(RTLD_DEFAULT, "PyUnicode_GetLength");
    *(void **)&python.character = dlsym(RTLD_DEFAULT, "PyUnicode_ReadChar");
    if (!version || sizeof(void *) != 8)
        return;
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (!strncmp(version(), layouts[i].version, strlen(layouts[i].version)) &&
            !strstr(version(), "free-threading"))
            known = &layouts[i];
    tlt_has_python = known && python.code_type && python.thread_state && python.line &&
                     python.length && python.character;
    if (!tlt_has_python && tlt_first_to_complain())
        tlt_say("the lines of this Python program are not recorded; its version is %.*s, and those "
                "of CPython 3.11, 3.12 and 3.13 are known",
                (int)strcspn(version(), " "), version());
}

static bool is_python(const void *address)
{
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    return strstr(name, ".cpython-") || strstr(name, ".abi3.") || !strncmp(name, "libpython", 9) ||
           !strncmp(name, "python", 6);
}

bool tlt_in_python(const void *address)
{
    size_t i = (size_t)((uint64_t)(uintptr_t)address * 0x9e3779b97f4a7c15U >> 53);
    while (places[i].address && places[i].address != address)
        i = (i + 1) % N_PLACES;
    if (!places[i].address) {
        if (n_places == N_PLACES / 2)
            return false;
        n_places++;
        places[i].in_python = is_python(address);
        places[i].address = address;
    }
    return places[i].in_python;
}

/* A text of Python as UTF-8, cut to the size. */
static void copy_text(const void *text, char *out, size_t size)
{
    const intptr_t n = python.length(text);
    size_t used = 0;
    for (intptr_t i = 0; i < n && used + 5 < size; i++) {
        const uint32_t c = python.character(text, i);
        const int more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
        static const uint8_t first[] = {0, 0xc0, 0xe0, 0xf0};
        out[used++] = (char)(first[more] | c >> 6 * more);
        for (int k = more - 1; k >= 0; k--)
            out[used++] = (char)(0x80 | (c >> 6 * k & 0x3f));
    }
    out[used] = 0;
}

static uint32_t define(const void *code, const void *function, uint32_t offset, uint32_t caller)
{
    char path[PATH_MAX], name[NAME_BYTES];
    char valid_path[3 * NAME_BYTES + 1], valid_name[3 * NAME_BYTES + 1];
    copy_text(pointer(code, CODE_FILE), path, sizeof path);
    copy_text(function, name, sizeof name);
    const char *slash = strrchr(path, '/');
    const int line = python.line(code, (int)offset);
    const tl_source source = {.function = tlt_utf8(name, valid_name, sizeof valid_name),
                              .file =
                                  tlt_utf8(slash ? slash + 1 : path, valid_path, sizeof valid_path),
                              .line = line > 0 ? (uint32_t)line : 0};
    return tlt_define_site((tl_site){.object = source.file,
                                     .offset = source.line,
                                     .caller = caller,
                                     .n_sources = 1,
                                     .sources = &source});
}

static uint32_t find_line(const void *code, uint32_t offset, uint32_t caller)
{
    const void *function = pointer(code, CODE_FUNCTION);
    const uint64_t key =
        (uint64_t)(uintptr_t)code ^ (uint64_t)offset << 40 ^ (uint64_t)caller << 52;
    size_t i = (size_t)(key * 0x9e3779b97f4a7c15U >> 51);
    for (; lines[i].code; i = (i + 1) % N_LINES)
        if (lines[i].code == code && lines[i].offset == offset && lines[i].caller == caller &&
            lines[i].function == function)
            return lines[i].id;
    if (n_lines == N_LINES / 2)
        return 0;
    const uint32_t id = define(code, function, offset, caller);
    if (id) {
        lines[i].code = code;
        lines[i].function = function;
        lines[i].offset = offset;
        lines[i].caller = caller;
        lines[i].id = id;
        n_lines++;
    }
    return id;
}

/* The code that imports a module is part of the interpreter ("<frozen importlib._bootstrap>"). */
static bool is_frozen(const void *code)
{
    const void *file = pointer(code, CODE_FILE);
    return python.length(file) > 1 && python.character(file, 0) == '<' &&
           python.character(file, 1) == 'f';
}

uint32_t tlt_python_site(unsigned depth)
{
    struct {
        const void *code;
        uint32_t offset;
    } frames[MAX_DEPTH + 1];
    const void *state = python.thread_state();
    if (!state)
        return 0;
    if (known->frame_holder)
        state = pointer(state, known->frame_holder);
    const void *frame = state ? pointer(state, known->frame) : NULL;
    unsigned n = 0;
    for (; frame && n <= depth && n <= MAX_DEPTH; frame = pointer(frame, known->previous)) {
        if (*at(frame, known->owner) == OWNED_BY_C)
            continue;
        const void *code = pointer(frame, known->code);
        if (!code || pointer(code, TYPE) != python.code_type)
            break;
        if (is_frozen(code))
            continue;
        const char *instruction = pointer(frame, known->instruction);
        const ptrdiff_t offset = instruction - at(code, known->bytecode);
        frames[n].code = code;
        frames[n++].offset = offset > 0 ? (uint32_t)offset : 0;
    }
    uint32_t site = 0;
    while (n-- > 0) {
        site = find_line(frames[n].code, frames[n].offset, site);
        if (!site)
            break;
    }
    return site;
}
