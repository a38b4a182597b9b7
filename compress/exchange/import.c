/* import.c - shared by all imports: lists of files, and a trace that is either complete or does not
 * exist. */
#include "config.h"

#include "import.h"

#include "core/bytes.h"
#include "core/error.h"
#include "core/format.h"
#include "timeless_files.h"

#include <sys/stat.h>
#include <unistd.h>

tl_status tl_import_open(const char *path, FILE **out, tl_error *err)
{
    struct stat st;
    *out = NULL;
    if (stat(path, &st) != 0)
        return tl_fail_errno(err, "%s: cannot be opened", path);
    if (!S_ISREG(st.st_mode))
        return tl_fail(err, TL_ERR_INPUT, "%s: is not a regular file; give the path of a file",
                       path);
    tl_input_note(path);
    *out = fopen(path, "rb");
    return *out ? TL_OK : tl_fail_errno(err, "%s: cannot be opened", path);
}

tl_status tl_import_read_list(const char *path, char ***names, size_t *n, tl_error *err)
{
    FILE *list;
    TL_TRY(tl_import_open(path, &list, err));
    tl_status status = TL_OK;
    char *line = NULL;
    size_t line_capacity = 0, capacity = 0;
    while (!status && getline(&line, &line_capacity, list) >= 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (!*line)
            continue;
        if (!tl_make_room(names, *n, &capacity, sizeof **names) || !((*names)[*n] = strdup(line)))
            status = tl_no_memory(err, path);
        else
            ++*n;
    }
    if (!status && ferror(list))
        status = tl_fail_errno(err, "%s: cannot be read", path);
    if (!status && (!*n || *n > TL_MAX_RANKS))
        status = tl_fail(err, TL_ERR_INPUT,
                         "%s:1: names %zu files; give a list with a file for each rank", path, *n);
    free(line);
    fclose(list);
    return status;
}

void tl_import_free_list(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

tl_status tl_import_write(const char *out_path, tl_run *run, tl_import_part *part, void *arg,
                          tl_error *err)
{
    char writer[64];
    tl_replacement file;
    TL_TRY(tl_replace_begin(out_path, &file, err));
    snprintf(writer, sizeof writer, "timeless %s", tl_version());
    run->writer = writer;
    tl_status status = tl_trace_create(file.part, run, err);
    for (uint32_t rank = 0; rank < run->n_ranks && !status; rank++)
        status = part(arg, rank, file.part, err);
    run->writer = NULL;
    return tl_replace_end(&file, status, err);
}

tl_status tl_import_close(tl_writer *w, const char *out_path, tl_status status, tl_end_reason end,
                          uint64_t clock_ns, tl_error *err)
{
    if (status)
        tl_writer_abandon(w);
    else if (tl_writer_close(w, end, clock_ns))
        return tl_fail_errno(err, "%s: cannot be written", out_path);
    return status;
}
