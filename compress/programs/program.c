/* program.c - the kinds of programs that make events, and writing them into a file. */
#include "config.h"

#include "program.h"

#include "core/error.h"
#include "core/writer.h"
#include "timeless_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const tl_program_kind *const kinds[] = {&tl_program_hpl, &tl_program_skeleton,
                                               &tl_program_pattern};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

const tl_program_kind *tl_program_find(const char *path, const char **parameters)
{
    struct stat st;
    for (size_t i = 0; i < N_KINDS; i++) {
        const size_t size = strlen(kinds[i]->name);
        if (strncmp(path, kinds[i]->name, size) != 0 || path[size] != ':' || !stat(path, &st))
            continue;
        *parameters = path + size + 1;
        return kinds[i];
    }
    for (size_t i = 0; i < N_KINDS; i++) {
        if (!kinds[i]->is_file || !kinds[i]->is_file(path))
            continue;
        *parameters = path;
        return kinds[i];
    }
    return NULL;
}

bool tl_is_program(const char *path)
{
    const char *parameters;
    return tl_program_find(path, &parameters) != NULL;
}

/* ---- into a file ---- */

tl_status tl_define_as(tl_writer *writer, tl_reader *r, uint32_t rank)
{
    const tl_comm *comms;
    const tl_site *sites;
    const tl_user_kernel *kernels;
    const tl_counter *counters;
    for (size_t i = 0, n = tl_reader_comms(r, rank, &comms); i < n; i++)
        TL_TRY(tl_writer_define_comm(writer, &comms[i]));
    for (size_t i = 0, n = tl_reader_sites(r, rank, &sites); i < n; i++)
        TL_TRY(tl_writer_define_site(writer, &sites[i]));
    for (size_t i = 0, n = tl_reader_kernels(r, rank, &kernels); i < n; i++)
        TL_TRY(tl_writer_define_kernel(writer, &kernels[i]));
    for (size_t i = 0, n = tl_reader_counters(r, rank, &counters); i < n; i++)
        TL_TRY(tl_writer_define_counter(writer, &counters[i]));
    return TL_OK;
}

static tl_status write_events(tl_cursor *cursor, tl_writer *writer, const char *out_path,
                              tl_error *err)
{
    tl_event event;
    tl_status status;
    while ((status = tl_cursor_next(cursor, &event)) == TL_OK)
        if ((status = tl_writer_put(writer, &event)) != TL_OK)
            return tl_fail_write(err, out_path, status);
    if (status == TL_END)
        return TL_OK;
    if (err)
        *err = *tl_cursor_error(cursor);
    return status;
}

/* The next rank. If frames share nothing, reading one unpacks its whole block. Blocks are therefore
 * small. */
static tl_status move_on(tl_writer *writer, tl_blocks *blocks, uint32_t rank)
{
    enum { ENOUGH_BYTES = 8192 };
    size_t bytes = 0;
    if (rank)
        TL_TRY(tl_writer_move_on(writer, TL_END_FINALIZED, 0, rank));
    for (int i = 0; i < TL_N_STREAMS; i++)
        bytes += blocks->streams[i].size;
    return bytes < ENOUGH_BYTES ? TL_OK : tl_blocks_flush(blocks);
}

static tl_status write_rank(tl_reader *r, tl_blocks *blocks, tl_writer *writer, uint32_t rank,
                            const char *out_path, tl_error *err)
{
    tl_cursor *cursor = NULL;
    tl_status status = move_on(writer, blocks, rank);
    if (status != TL_OK || (status = tl_define_as(writer, r, rank)) != TL_OK)
        return tl_fail_write(err, out_path, status);
    TL_TRY(tl_cursor_open(r, rank, &cursor, err));
    status = write_events(cursor, writer, out_path, err);
    tl_cursor_close(cursor);
    return status;
}

/* Under `path`, a part of the file `out_path`. */
static tl_status write_program(tl_reader *r, const char *path, const char *out_path, tl_error *err)
{
    const tl_run *run = tl_reader_run(r);
    tl_blocks blocks;
    tl_writer *writer = NULL;
    tl_status status = tl_blocks_create(&blocks, path, run, err);
    if (status == TL_OK && (status = tl_writer_open_in_blocks(&blocks, 0, run->n_ranks, &writer)))
        tl_fail_write(err, out_path, status);
    for (uint32_t rank = 0; rank < run->n_ranks && status == TL_OK; rank++)
        status = write_rank(r, &blocks, writer, rank, out_path, err);
    if (status != TL_OK)
        tl_writer_abandon(writer);
    else if ((status = tl_writer_close(writer, TL_END_FINALIZED, 0)))
        tl_fail_write(err, out_path, status);
    return tl_blocks_close(&blocks, path, status, err);
}

tl_status tl_program_write(tl_reader *r, const char *out_path, tl_error *err)
{
    tl_replacement file;
    TL_TRY(tl_replace_begin(out_path, &file, err));
    return tl_replace_end(&file, write_program(r, file.part, out_path, err), err);
}
