/* pack.c - packs the recorded trace, in a process of its own. If this fails, the file as it was
 * recorded remains. */
#include "config.h"

#include "cli.h"
#include "record.h"
#include "symbols.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <timeless_files.h>
#include <unistd.h>

/* The number of bytes by which a packed trace may exceed the recorded one: its origin, and the
 * source of its call sites. */
enum { MORE_BYTES = 1 << 20 };

typedef struct packing {
    const char *path;
    const record_packing *wanted;
    rlim_t max_bytes;
    tl_error *err; /* shared with the process that packs, as is the number of this process */
    pid_t *packer;
} packing;

tl_status record_pack_to(tl_reader *r, const record_packing *wanted, const char *origin,
                         const char *path, tl_error *err)
{
    char remark[256] = "";
    tls_symbols *symbols = tls_symbols_create();
    const tl_pack_options options = {.volume_precision = wanted->volume_precision,
                                     .statistical = wanted->statistical,
                                     .origin = origin,
                                     .find_sources = symbols ? tls_find_sources : NULL,
                                     .sources_of = symbols,
                                     .remark = remark,
                                     .remark_bytes = sizeof remark};
    const tl_status status = tl_pack(r, &options, path, err);
    if (!status && *remark)
        fprintf(stderr, "timeless: %s: %s\n", tl_printable(tl_reader_path(r)), remark);
    if (!status && symbols && !wanted->quiet)
        tls_report(symbols, path, stderr);
    tls_symbols_free(symbols);
    return status;
}

static tl_status pack(tl_reader *r, const packing *p)
{
    char origin[1024], precision[32] = "statistical";
    const record_packing *wanted = p->wanted;
    const char *before = tl_reader_run(r)->origin;
    if (!wanted->statistical)
        snprintf(precision, sizeof precision, "%g", wanted->volume_precision);
    snprintf(origin, sizeof origin, "timeless record --volume-precision %s%s%s", precision,
             *before ? "; " : "", before);
    const bool is_lossy = wanted->volume_precision > 0 || wanted->statistical;
    return record_pack_to(r, wanted, is_lossy ? origin : NULL, p->path, p->err);
}

/* If a file cannot be read or is not complete, record_summarise reports it, and the file is not
 * packed. */
static int pack_within_limits(void *argument)
{
    const packing *p = argument;
    struct rlimit limit = {.rlim_cur = p->max_bytes, .rlim_max = p->max_bytes};
    tl_reader *r;
    if (tl_reader_open(p->path, &r, NULL) != TL_OK)
        return 0;
    *p->packer = getpid();
    signal(SIGXFSZ, SIG_IGN); /* a write that fails tells more */
    signal(SIGALRM, SIG_DFL);
    setrlimit(RLIMIT_FSIZE, &limit);
    alarm(p->wanted->max_s);
    tl_status status = tl_reader_complete(r) ? pack(r, p) : TL_OK;
    tl_reader_close(r);
    return status != TL_OK;
}

static void say_why_not(const packing *p, int status)
{
    if (WIFEXITED(status))
        fprintf(stderr, "timeless: %s; %s stays as it was recorded\n", p->err->text, p->path);
    else if (WTERMSIG(status) == SIGALRM)
        fprintf(
            stderr,
            "timeless: %s: packing takes more than %u s; the trace stays as it was recorded, for "
            "'timeless pack'\n",
            p->path, p->wanted->max_s);
    else
        fprintf(stderr,
                "timeless: %s: packing was ended by signal %d (%s); the trace stays as it was "
                "recorded, for 'timeless pack'\n",
                p->path, WTERMSIG(status), strsignal(WTERMSIG(status)));
}

void record_pack(const char *path, const record_packing *wanted)
{
    struct stat st;
    char part[PATH_MAX];
    if (stat(path, &st) != 0)
        return;
    struct shared {
        tl_error err;
        pid_t packer;
    } *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) {
        cli_fail_text(TL_ERR_MEMORY, "%s: not packed: out of memory", path);
        return;
    }
    packing p = {.path = path,
                 .wanted = wanted,
                 .max_bytes = (rlim_t)st.st_size + MORE_BYTES,
                 .err = &shared->err,
                 .packer = &shared->packer};
    int status = record_fork(pack_within_limits, &p);
    if (status < 0) {
        cli_fail_text(TL_ERR_SYSTEM, "%s: not packed: %s", path, strerror(errno));
    } else if (status) {
        say_why_not(&p, status);
        /* A signal that ended it left its file (tl_replace_begin). */
        snprintf(part, sizeof part, "%s.%ld-0.part", path, (long)shared->packer);
        unlink(part);
    }
    munmap(shared, sizeof *shared);
}
