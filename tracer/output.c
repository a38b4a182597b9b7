/* output.c - which file the trace goes to, and that all ranks write to it or none does. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmpi.h"
#include "runtime.h"
#include "select.h"

/* What rank 0 tells the others. */
typedef struct announcement {
    int32_t created;
    char path[PATH_MAX];
    char boot_id[64]; /* of the machine on which the file is written */
} announcement;

/* Reads up to size-1 bytes of a small file; "" if that is not possible. */
static size_t read_text(const char *path, char *text, size_t size)
{
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, size - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    return n > 0 ? (size_t)n : 0;
}

static void read_boot_id(char *text, size_t size)
{
    read_text("/proc/sys/kernel/random/boot_id", text, size);
}

/* "./prog\0-n\0" 3\0" -> "./prog -n 3" */
static void read_command_line(char *text, size_t size)
{
    size_t n = read_text("/proc/self/cmdline", text, size);
    for (size_t i = 0; i + 1 < n; i++)
        if (!text[i])
            text[i] = ' ';
}

/* TIMELESS_OUTPUT, or PROGRAM.tl; absolute, since other ranks may stand in other folders. */
static void choose_path(char *path, size_t size)
{
    char folder[PATH_MAX] = "";
    const char *given = getenv("TIMELESS_OUTPUT");
    bool named = given && *given;
    if (!(named && given[0] == '/') && !getcwd(folder, sizeof folder))
        folder[0] = '\0';
    int n = snprintf(path, size, "%s%s%s%s", folder, *folder ? "/" : "",
                     named ? given : program_invocation_short_name, named ? "" : ".tl");
    if (n < 0 || (size_t)n >= size)
        path[0] = '\0';
}

static bool create(const char *path, int n_ranks, const char *volume_unit,
                   const char *volume_source)
{
    char program[4096], library[MPI_MAX_LIBRARY_VERSION_STRING], writer[64], origin[1024];
    int length = 0;
    read_command_line(program, sizeof program);
    tlt_pmpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    tlt_select_text(origin, sizeof origin);
    snprintf(writer, sizeof writer, "timeless %s", tl_version());
    tl_run run = {.n_ranks = (uint32_t)n_ranks,
                  .volume_unit = volume_unit,
                  .volume_source = volume_source,
                  .program = program,
                  .mpi_library = library,
                  .writer = writer,
                  .origin = origin};
    tl_error err = {0};
    if (tl_trace_create(path, &run, &err) == TL_OK)
        return true;
    tlt_say("no trace: %s", err.text);
    return false;
}

/* Ranks append to the file at the same time, which only one kernel keeps in order. */
static bool same_machine(const announcement *a)
{
    char own[sizeof a->boot_id];
    read_boot_id(own, sizeof own);
    return !strcmp(own, a->boot_id);
}

/* Least value over all ranks. */
static int least_of(int mine)
{
    int least = 0;
    tlt_pmpi.Allreduce(&mine, &least, 1, tlt_pmpi.integer, tlt_pmpi.min, tlt_pmpi.comm_world);
    return least;
}

tl_writer *tlt_output_open(int rank, int n_ranks, const char *volume_unit,
                           const char *volume_source)
{
    announcement a = {0};
    if (rank == 0) {
        choose_path(a.path, sizeof a.path);
        read_boot_id(a.boot_id, sizeof a.boot_id);
        a.created = create(a.path, n_ranks, volume_unit, volume_source);
    }
    tlt_pmpi.Bcast(&a, (int)sizeof a, tlt_pmpi.byte, 0, tlt_pmpi.comm_world);
    if (!a.created)
        return NULL;

    if (!least_of(same_machine(&a))) {
        if (rank == 0) {
            tlt_say("no trace: the ranks run on several machines, which cannot write one file "
                    "together; run them on one");
            unlink(a.path);
        }
        return NULL;
    }

    char host[HOST_NAME_MAX + 1] = "";
    tl_writer *writer = NULL;
    tl_error err = {0};
    gethostname(host, sizeof host - 1);
    int opened = tl_writer_open(a.path, (uint32_t)rank, host, &writer, &err) == TL_OK;
    int first_failed = least_of(opened ? n_ranks : rank);
    if (first_failed == n_ranks)
        return writer;
    if (rank == first_failed)
        tlt_say("no trace: %s", err.text);
    tl_writer_abandon(writer);
    return NULL;
}
