/* output.c - which file the trace goes to, and that all ranks write to it or none does.
 *
 * The ranks of one host append to one file at the same time, which only one kernel keeps in order.
 * A run on several hosts therefore writes a part on each, NAME.HOST.tl instead of NAME.tl;
 * `timeless record` or `timeless join` puts them together.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "hosts.h"
#include "mpi/interface.h"
#include "mpi/unknown.h"
#include "runtime.h"
#include "skip/skip.h"
#include "timeless_files.h"
#include "teams.h"

/* What rank 0 tells the others, so that all parts have the same header. */
typedef struct announcement {
    char path[PATH_MAX];
    char run_id[64];
    char program[4096];
    char origin[1024];
    char library[256];
    char untraced[4096];
    char parameters[1024];
} announcement;

static char run_id[sizeof((announcement *)0)->run_id];

size_t tlt_read_text(const char *path, char *text, size_t size)
{
    ssize_t n = -1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, size - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return n > 0 ? (size_t)n : 0;
}

/* "./prog\0-n\0" 3\0" -> "./prog -n 3", without secrets. */
static void read_command_line(char *text, size_t size)
{
    static char words[sizeof((announcement *)0)->program], room[sizeof words];
    const size_t n = tlt_read_text("/proc/self/cmdline", words, sizeof words);
    size_t used = 0;
    int next = 0;
    text[0] = '\0';
    for (size_t at = 0; at < n && used + 1 < size; at += strlen(words + at) + 1) {
        if (at)
            text[used++] = ' ';
        const size_t length = tl_public_word(words + at, &next, text + used, size - used);
        used += length < size - used ? length : size - used - 1;
    }
    if (tlt_utf8(text, room, sizeof room) != text)
        snprintf(text, size, "%s", room);
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

/* TIMELESS_RUN_ID, by which `timeless record` knows the parts of its run again, and a number, since
 * it may start several programs. */
static void choose_run_id(char *id, size_t size)
{
    const char *given = getenv("TIMELESS_RUN_ID");
    uint64_t number = 0;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number)
        number = tlt_monotonic_ns();
    snprintf(id, size, "%.32s%s%016" PRIx64, given ? given : "", given && *given ? "." : "",
             number);
}

/* "/a/x.tl" -> "/a/x.HOST.tl"; false if that is too long. */
static bool name_part(char *path, size_t size, const char *label)
{
    char name[PATH_MAX];
    size_t length = strlen(path);
    bool suffixed = length > 3 && !strcmp(path + length - 3, ".tl");
    int n = snprintf(name, sizeof name, "%.*s.%s.tl", (int)(suffixed ? length - 3 : length), path,
                     label);
    if (n < 0 || (size_t)n >= sizeof name || (size_t)n >= size)
        return false;
    memcpy(path, name, (size_t)n + 1);
    return true;
}

static tl_status create(const announcement *a, const tlt_hosts *hosts, const char *volume_unit,
                        const char *volume_source, tl_error *err)
{
    char writer[64];
    snprintf(writer, sizeof writer, "timeless %s", tl_version());
    tl_run run = {.n_ranks = (uint32_t)tlt.n_ranks,
                  .volume_unit = volume_unit,
                  .volume_source = volume_source,
                  .program = a->program,
                  .mpi_library = a->library,
                  .writer = writer,
                  .origin = a->origin,
                  .run_id = a->run_id,
                  .parts = hosts->parts,
                  .folding = hosts->folding,
                  .untraced = a->untraced,
                  .parameters = a->parameters};
    return tl_trace_create(a->path, &run, err);
}

/* Ranks may run different programs: the names are those of the first rank that has any, which
 * passes them to rank 0. */
static void find_untraced(char *names, size_t size)
{
    tlt_mpi_list_unknown(names, size);
    const int first = tlt_least(*names ? tlt.rank : tlt.n_ranks);
    if (first == tlt.n_ranks)
        return;
    if (tlt.rank == first)
        tlt_say("calls of %s are not traced: this version of Timeless does not know these "
                "functions; the trace names them, and replay leaves their time out",
                names);
    tlt_mpi->share(names, size, first);
}

/* The sizes of the problem that the user has named. */
static void read_parameters(char *text, size_t size)
{
    char room[sizeof((announcement *)0)->parameters];
    const char *given = getenv("TIMELESS_PARAMETERS");
    snprintf(text, size, "%s", given ? tlt_utf8(given, room, sizeof room) : "");
}

static void announce(announcement *a)
{
    memset(a, 0, sizeof *a);
    if (tlt.rank == 0) {
        choose_path(a->path, sizeof a->path);
        choose_run_id(a->run_id, sizeof a->run_id);
        read_command_line(a->program, sizeof a->program);
        tlt_skip_text(a->origin, sizeof a->origin);
        tlt_mpi->library(a->library, sizeof a->library);
        read_parameters(a->parameters, sizeof a->parameters);
    }
    find_untraced(a->untraced, sizeof a->untraced);
    tlt_mpi->share(a, sizeof *a, 0);
    memcpy(run_id, a->run_id, sizeof run_id);
}

/* Whether every rank has succeeded; the lowest that has not says why, for all. */
static bool all_succeeded(bool mine, const tl_error *err)
{
    int first_failed = tlt_least(mine ? tlt.n_ranks : tlt.rank);
    if (tlt.rank == first_failed)
        tlt_say("no trace: %s", err->text);
    return first_failed == tlt.n_ranks;
}

static void mention_folding(const tlt_hosts *hosts)
{
    const char *folded = getenv("TIMELESS_FOLDED"), *quiet = getenv("TIMELESS_QUIET");
    if (*hosts->folding && !(folded && *folded) && !(quiet && *quiet))
        tlt_say("%s: the volumes are right, but the clock is not comparable with a prediction; "
                "'timeless record --folded' sets what such a run needs",
                hosts->folding);
}

/* The ranks record also where a full disk has no room for the file that a killed one would need. */
static void keep_open(tl_writer *writer, bool created, const tl_error *no_open)
{
    tl_error err = *no_open;
    bool kept = tl_writer_keep_open(writer, created && *err.text ? NULL : &err) == TL_OK;
    int first = tlt_least(kept ? tlt.n_ranks : tlt.rank);
    if (first == tlt.rank)
        tlt_say("%s: a rank that is killed loses its last events", err.text);
}

static tl_writer *open_all(const tlt_hosts *hosts, announcement *a, const char *volume_unit,
                           const char *volume_source)
{
    tl_error err = {0};
    tl_writer *writer = NULL;
    bool ok = true;
    if (hosts->n_hosts > 1 && !name_part(a->path, sizeof a->path, hosts->label))
        ok = tl_fail(&err, TL_ERR_USAGE, "%s: the path is too long", a->path) == TL_OK;
    if (ok && hosts->first)
        ok = create(a, hosts, volume_unit, volume_source, &err) == TL_OK;
    bool created = ok && hosts->first;
    tl_error no_open = {0};
    if (created)
        tl_trace_keep_open(a->path, &no_open);
    if (!all_succeeded(ok, &err))
        goto failed;
    ok = tl_writer_open(a->path, (uint32_t)tlt.rank, hosts->label, &writer, &err) == TL_OK;
    if (ok && tlt.call_times)
        tl_writer_keep_times(writer);
    /* At least the name of its host stands in every part. */
    if (ok && hosts->n_hosts > 1 && hosts->first && tl_writer_flush(writer) != TL_OK) {
        err = *tl_writer_error(writer);
        ok = false;
    }
    if (!all_succeeded(ok, &err))
        goto failed;
    keep_open(writer, hosts->first, &no_open);
    return writer;
failed:
    tl_writer_abandon(writer);
    if (created)
        tl_trace_remove(a->path);
    return NULL;
}

tl_writer *tlt_output_open(bool ready, const char *volume_unit, const char *volume_source)
{
    tlt_hosts hosts = {0};
    tl_writer *writer = NULL;
    announcement *a = malloc(sizeof *a);
    if (tlt_least(ready && a) && tlt_hosts_find(tlt.rank, tlt.n_ranks, &hosts)) {
        if (tlt.rank == 0)
            mention_folding(&hosts);
        tlt_teams_seat(&hosts);
        tlt_skip_seat(&hosts);
        announce(a);
        writer = open_all(&hosts, a, volume_unit, volume_source);
    } else if (tlt.rank == 0) {
        tlt_say("no trace: out of memory");
    }
    tlt_hosts_free(&hosts);
    free(a);
    return writer;
}

/* A name that only one process of this host can hold, without a file.  It is held until the process
 * ends. */
static bool holds_name(const char *kind, const char *id)
{
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    int n = snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "timeless%s%s %s",
                     *kind ? " " : "", kind, id);
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
    if (fd < 0 || !bind(fd, (struct sockaddr *)&name, size))
        return true;
    bool taken = errno == EADDRINUSE;
    close(fd);
    return !taken;
}

bool tlt_first_to_complain(void)
{
    return holds_name("", run_id);
}

bool tlt_first_of_launcher(const char *what)
{
    char id[64];
    const char *given = getenv("TIMELESS_RUN_ID");
    snprintf(id, sizeof id, "%.32s.%ld", given ? given : "", (long)getppid());
    return holds_name(what, id);
}
