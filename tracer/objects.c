/* objects.c - the object files of the call sites: the trace names them, so that packing can find
 * the source lines of the sites. */
#include "config.h"

#include "objects.h"
#include "runtime.h"
#include "timeless_source.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_OBJECTS = 64, MAX_BUILD_ID = 64 };

static const void *known[MAX_OBJECTS]; /* where they are loaded */
static size_t n_known;

void tlt_objects_reset(void)
{
    n_known = 0;
}

static size_t padded(size_t bytes)
{
    return (bytes + 3) & ~(size_t)3;
}

/* The build ID in a segment of notes, as hexadecimal digits; "" if there is none. */
static void find_in_notes(const char *notes, size_t size, char digits[2 * MAX_BUILD_ID + 1])
{
    ElfW(Nhdr) note;
    for (size_t at = 0; size - at >= sizeof note;) {
        memcpy(&note, notes + at, sizeof note);
        const size_t name = at + sizeof note, id = name + padded(note.n_namesz);
        if (note.n_namesz > size || note.n_descsz > size || id + note.n_descsz > size)
            return;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            !memcmp(notes + name, "GNU", 4) && note.n_descsz <= MAX_BUILD_ID)
            for (size_t i = 0; i < note.n_descsz; i++)
                snprintf(digits + 2 * i, 3, "%02x", (unsigned char)notes[id + i]);
        at = id + padded(note.n_descsz);
        if (at > size)
            return;
    }
}

/* The file begins where the object is loaded: its header, then the list of its segments. */
static void find_build_id(const char *loaded, const struct link_map *map,
                          char digits[2 * MAX_BUILD_ID + 1])
{
    ElfW(Ehdr) header;
    digits[0] = 0;
    memcpy(&header, loaded, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
        return;
    for (size_t i = 0; i < header.e_phnum; i++) {
        ElfW(Phdr) segment;
        memcpy(&segment, loaded + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type == PT_NOTE && segment.p_align <= 4)
            find_in_notes((const char *)map->l_addr + segment.p_vaddr, segment.p_memsz, digits);
    }
}

/* An absolute path. The linker names the program as it was called. */
static void find_path(const struct link_map *map, const char *name, char path[PATH_MAX])
{
    if (!*map->l_name) {
        const ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - 1);
        path[n > 0 ? n : 0] = 0;
    } else if (!realpath(map->l_name, path)) {
        path[0] = 0;
    }
    if (!*path)
        snprintf(path, PATH_MAX, "%s", *map->l_name ? map->l_name : name);
}

void tlt_define_object(const void *begin, const struct link_map *map, const char *name)
{
    static char path[PATH_MAX], valid[3 * PATH_MAX]; /* a thread may have a small stack */
    char digits[2 * MAX_BUILD_ID + 1];
    for (size_t i = 0; i < n_known; i++)
        if (known[i] == begin)
            return;
    if (!map || !begin || n_known == MAX_OBJECTS)
        return;
    known[n_known++] = begin;
    find_path(map, name, path);
    find_build_id(begin, map, digits);
    const tl_object object = {
        .name = name, .path = tlt_utf8(path, valid, sizeof valid), .build_id = digits};
    tl_writer_define_object(tlt.writer, &object);
}
