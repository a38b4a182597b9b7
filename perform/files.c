/* files.c - calls on files, in files of the performance's own (--files).
 *
 * The trace has the sizes of accesses, not their offsets. Accesses by offset, and those by the file
 * pointer of a rank, are to the beginning of the file; those by a shared pointer go on. */
#include "config.h"

#include "performer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Noreturn void give_up(const performer *p, const char *path)
{
    perform_give_up(p, "%.200s: cannot be made: %s; check the folder of --files", path,
                    strerror(errno));
}

/* Where the file of this name is: files of one name in several folders remain different ones. */
static void find_path(performer *p, const char *name)
{
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name;
    const bool is_no_file = !*base || strcmp(base, ".") == 0 || strcmp(base, "..") == 0;
    const int used = snprintf(p->path, sizeof p->path, "%s/%016llx", p->files,
                              (unsigned long long)tlr_hash_name(name));
    if (used >= (int)sizeof p->path - 2)
        perform_give_up(p, "%.200s: is too long a path; give a shorter one for --files", p->files);
    if (mkdir(p->path, 0777) != 0 && errno != EEXIST)
        give_up(p, p->path);
    snprintf(p->path + used, sizeof p->path - (size_t)used, "/%s", is_no_file ? "file" : base);
}

/* Every access finds as many bytes as it reads. Ranks may do this at the same time. */
static void make_file(const performer *p, int64_t bytes)
{
    struct stat found;
    const int file = open(p->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file < 0 || fstat(file, &found) != 0 ||
        (found.st_size < bytes && ftruncate(file, bytes) != 0))
        give_up(p, p->path);
    close(file);
}

static int mode_of(int mode)
{
    static const perform_flag flags[] = {{TL_MODE_CREATE, MPI_MODE_CREATE},
                                         {TL_MODE_RDONLY, MPI_MODE_RDONLY},
                                         {TL_MODE_WRONLY, MPI_MODE_WRONLY},
                                         {TL_MODE_RDWR, MPI_MODE_RDWR},
                                         {TL_MODE_DELETE_ON_CLOSE, MPI_MODE_DELETE_ON_CLOSE},
                                         {TL_MODE_UNIQUE_OPEN, MPI_MODE_UNIQUE_OPEN},
                                         {TL_MODE_EXCL, MPI_MODE_EXCL},
                                         {TL_MODE_APPEND, MPI_MODE_APPEND},
                                         {TL_MODE_SEQUENTIAL, MPI_MODE_SEQUENTIAL}};
    return perform_flags(mode, flags, sizeof flags / sizeof *flags);
}

/* A file that must not exist is removed. MPI_File_open makes it when all ranks have called it. */
static void prepare_open(performer *p)
{
    const tl_comm *definition = p->objects[p->event.new_comm].definition;
    find_path(p, definition ? definition->name : "file");
    p->tag = mode_of(p->event.tag);
    if (!(p->event.tag & TL_MODE_EXCL))
        make_file(p, p->file_bytes);
    else if (unlink(p->path) != 0 && errno != ENOENT)
        give_up(p, p->path);
    p->made.name = p->path;
}

/* The trace does not have the name: a file of the rank's own is deleted. */
static void prepare_delete(performer *p)
{
    char name[32];
    snprintf(name, sizeof name, "deleted-%u", p->rank);
    find_path(p, name);
    make_file(p, 0);
    p->made.name = p->path;
}

static bool is_by_own_pointer(uint16_t call)
{
    switch (call) {
    case TL_MPI_File_read:
    case TL_MPI_File_iread:
    case TL_MPI_File_read_all:
    case TL_MPI_File_iread_all:
    case TL_MPI_File_read_all_begin:
    case TL_MPI_File_write:
    case TL_MPI_File_iwrite:
    case TL_MPI_File_write_all:
    case TL_MPI_File_iwrite_all:
    case TL_MPI_File_write_all_begin: return 1;
    default: return 0;
    }
}

void perform_prepare_file(performer *p)
{
    p->made.size = p->file_bytes;
    switch (p->event.call) {
    case TL_MPI_File_open: prepare_open(p); return;
    case TL_MPI_File_delete: prepare_delete(p); return;
    default:
        /* Sequential files have no such pointer, and go on. */
        if (is_by_own_pointer(p->event.call))
            MPI_File_seek(p->objects[p->event.comm].file, 0, MPI_SEEK_SET);
    }
}
