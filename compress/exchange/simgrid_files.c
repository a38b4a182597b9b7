/* simgrid_files.c - the files of a text trace of SimGrid: a list of them, or one file with the
 * actions of all ranks; and the trace that is made of them. */
#include "config.h"

#include "import.h"

#include "core/bytes.h"
#include "core/error.h"
#include "core/format.h"
#include "text.h"
#include "timeless_files.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One file for each rank, or one file with the actions of all ranks. */
typedef struct file_list {
    char **names;
    size_t n;
    uint32_t n_ranks;
    bool without_compute;
} file_list;

static tl_status import_file(void *arg, uint32_t rank, const char *out_path, tl_error *err)
{
    const file_list *files = arg;
    const bool is_shared = files->n != files->n_ranks;
    const char *path = files->names[is_shared ? 0 : rank];
    FILE *in;
    tl_writer *w;
    TL_TRY(tl_import_open(path, &in, err));
    tl_status status = tl_writer_open(out_path, rank, "", &w, err);
    if (!status) {
        status = tl_import_simgrid_rank(in, path, rank, files->n_ranks, is_shared,
                                        files->without_compute, w, err);
        status = tl_import_close(w, out_path, status, TL_END_FINALIZED, 0, err);
    }
    fclose(in);
    return status;
}

/* Whether the line is one of a file of actions, "RANK init" or the like, and not a file's name. */
static bool is_action(char *line, uint64_t *rank)
{
    char *rest = line;
    const char *word = tl_text_word(&rest);
    return word && tl_text_unsigned(word, UINT32_MAX, rank) && (word = tl_text_word(&rest)) &&
           word[strspn(word, "abcdefghijklmnopqrstuvwxyzRI_")] == '\0';
}

/* One more than the highest rank that has an action in the file; 0 if the file has no actions. */
static tl_status count_ranks(const char *path, uint32_t *n_ranks, tl_error *err)
{
    FILE *in;
    TL_TRY(tl_import_open(path, &in, err));
    char *line = NULL;
    size_t capacity = 0;
    uint64_t rank, n = 0;
    bool has_others = false;
    while (!has_others && n <= TL_MAX_RANKS && getline(&line, &capacity, in) >= 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (is_action(line, &rank))
            n = rank >= n ? rank + 1 : n;
        else
            has_others = n == 0 && line[strspn(line, " \t")] && *line != '#';
    }
    free(line);
    fclose(in);
    if (n > TL_MAX_RANKS)
        return tl_fail(err, TL_ERR_INPUT, "%s: has an action of rank %" PRIu64 "; correct it", path,
                       n - 1);
    *n_ranks = has_others ? 0 : (uint32_t)n;
    return TL_OK;
}

static bool is_regular(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* Reads the first line that is neither blank nor a comment. The caller frees it. NULL: none, or a
 * line of more than 4096 bytes, or a zero byte. */
static char *first_line(const char *path)
{
    enum { MAX_LINE_BYTES = 4096 };
    char *line = malloc(MAX_LINE_BYTES);
    FILE *in = line && is_regular(path) ? fopen(path, "r") : NULL;
    bool is_found = false;
    while (in && !is_found && fgets(line, MAX_LINE_BYTES, in)) {
        const size_t length = strcspn(line, "\r\n");
        if (!line[length])
            break;
        line[length] = '\0';
        is_found = line[strspn(line, " \t")] && line[strspn(line, " \t")] != '#';
    }
    if (in)
        fclose(in);
    if (is_found)
        return line;
    free(line);
    return NULL;
}

/* Whether the file begins with an action, and of which rank. */
static bool has_actions(const char *path, uint64_t *rank)
{
    char *line = first_line(path);
    const bool is_one = line && is_action(line, rank);
    free(line);
    return is_one;
}

/* A name in a list is relative to the working folder, as for smpirun, or else to the list. */
static tl_status find_in_list(const char *list, char **name, tl_error *err)
{
    const char *slash = strrchr(list, '/');
    char *beside = NULL;
    if (**name == '/' || !slash || !access(*name, F_OK))
        return TL_OK;
    if (asprintf(&beside, "%.*s/%s", (int)(slash - list), list, *name) < 0)
        return tl_no_memory(err, list);
    if (access(beside, F_OK) != 0) {
        free(beside);
        return TL_OK;
    }
    free(*name);
    *name = beside;
    return TL_OK;
}

/* The names and the files of what is no list of traces are not printed: they may be anybody's. */
static tl_status check_named(const char *list, size_t i, const char *name, tl_error *err)
{
    char *line = first_line(name);
    uint64_t rank;
    const bool is_empty = !line && is_regular(name);
    const bool is_trace = line && is_action(line, &rank);
    free(line);
    return is_trace || is_empty
               ? TL_OK
               : tl_fail(err, TL_ERR_INPUT,
                         "%s: is no text trace, and line %zu names no file that begins with an "
                         "action (RANK ACTION NUMBER...); give a list with a file for each rank",
                         list, i + 1);
}

static tl_status read_list(const char *path, file_list *files, tl_error *err)
{
    TL_TRY(tl_import_read_list(path, &files->names, &files->n, err));
    for (size_t i = 0; i < files->n; i++) {
        TL_TRY(find_in_list(path, &files->names[i], err));
        TL_TRY(check_named(path, i, files->names[i], err));
    }
    return TL_OK;
}

/* The files that `path` stands for: those in a list, or itself if it has actions. */
static tl_status find_files(const char *path, file_list *files, tl_error *err)
{
    size_t capacity = 0;
    TL_TRY(count_ranks(path, &files->n_ranks, err));
    tl_status status = TL_OK;
    if (!files->n_ranks)
        status = read_list(path, files, err);
    else if (!tl_make_room(&files->names, 0, &capacity, sizeof *files->names) ||
             !(files->names[0] = strdup(path)))
        status = tl_no_memory(err, path);
    else
        files->n = 1;
    if (status || files->n != 1 || files->n_ranks)
        return status;
    return count_ranks(files->names[0], &files->n_ranks, err);
}

static tl_status import(const char *path, bool without_compute, const char *out_path, tl_error *err)
{
    file_list files = {.without_compute = without_compute};
    tl_status status = find_files(path, &files, err);
    if (!status && files.n != 1)
        files.n_ranks = (uint32_t)files.n;
    if (!status && !files.n_ranks)
        files.n_ranks = 1; /* the reader of the file says what is wrong */
    tl_run run = {.n_ranks = files.n_ranks,
                  .volume_unit = "flops",
                  .volume_source = "import:simgrid",
                  .origin = "timeless import --from simgrid"};
    if (!status)
        status = tl_import_write(out_path, &run, import_file, &files, err);
    tl_import_free_list(files.names, files.n);
    return status;
}

tl_status tl_import_simgrid(const char *path, const char *out_path, tl_error *err)
{
    return import(path, false, out_path, err);
}

/* ---- without a file of ours ---- */

static bool is_text_trace(const char *path)
{
    uint64_t rank;
    tl_error ignored;
    char *line = first_line(path);
    bool is_one = line && is_action(line, &rank);
    if (line && !is_one && !find_in_list(path, &line, &ignored))
        is_one = has_actions(line, &rank);
    free(line);
    return is_one;
}

tl_status tl_import_simgrid_reductions(const char *path, const char *out_path, tl_error *err)
{
    return is_text_trace(path) ? import(path, true, out_path, err)
                               : tl_fail(err, TL_ERR_NOT_A_TRACE,
                                         "%s: is no text trace of SimGrid; give one", path);
}

tl_status tl_simgrid_convert(const char *path, int *fd, tl_error *err)
{
    char *name;
    int made;
    *fd = -1;
    if (!is_text_trace(path))
        return TL_OK;
    TL_TRY(tl_temporary_file("text", &name, &made, err));
    close(made);
    tl_status status = tl_import_simgrid(path, name, err);
    if (!status && (*fd = open(name, O_RDONLY | O_CLOEXEC)) < 0)
        status = tl_fail_errno(err, "%s: cannot be opened", name);
    unlink(name);
    free(name);
    return status;
}
