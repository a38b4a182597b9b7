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

/* *is_said: the program failed, and err says why. */
static tl_status write_rank(tl_reader *r, tl_writer *writer, uint32_t rank, bool *is_said,
                            tl_error *err)
{
    const tl_site *sites;
    const tl_user_kernel *kernels;
    const tl_comm *comms;
    const size_t n_comms = tl_reader_comms(r, rank, &comms);
    const size_t n_sites = tl_reader_sites(r, rank, &sites);
    const size_t n_kernels = tl_reader_kernels(r, rank, &kernels);
    tl_cursor *cursor = NULL;
    tl_event event;
    tl_status status = tl_cursor_open(r, rank, &cursor, err);
    for (size_t i = 0; i < n_comms && status == TL_OK; i++)
        status = tl_writer_define_comm(writer, &comms[i]);
    for (size_t i = 0; i < n_sites && status == TL_OK; i++)
        status = tl_writer_define_site(writer, &sites[i]);
    for (size_t i = 0; i < n_kernels && status == TL_OK; i++)
        status = tl_writer_define_kernel(writer, &kernels[i]);
    while (status == TL_OK && (status = tl_cursor_next(cursor, &event)) == TL_OK)
        status = tl_writer_put(writer, &event);
    *is_said =
        status != TL_OK && status != TL_END && cursor && tl_cursor_error(cursor)->status == status;
    if (*is_said && err)
        *err = *tl_cursor_error(cursor);
    tl_cursor_close(cursor);
    return status == TL_END ? TL_OK : status;
}

/* If frames share nothing, reading one unpacks its whole block. Blocks are therefore small. */
static tl_status keep_blocks_small(tl_blocks *blocks)
{
    enum { ENOUGH_BYTES = 8192 };
    size_t bytes = 0;
    for (int i = 0; i < TL_N_STREAMS; i++)
        bytes += blocks->streams[i].size;
    return bytes < ENOUGH_BYTES ? TL_OK : tl_blocks_flush(blocks);
}

/* Under `path`, a part of the file `out_path`. */
static tl_status write_program(tl_reader *r, const char *path, const char *out_path, tl_error *err)
{
    const tl_run *run = tl_reader_run(r);
    tl_blocks blocks;
    tl_writer *writer = NULL;
    bool is_said = false;
    tl_status status = tl_blocks_create(&blocks, path, run, err);
    if (status != TL_OK)
        return tl_blocks_close(&blocks, path, status, err);
    status = tl_writer_open_in_blocks(&blocks, 0, run->n_ranks, &writer);
    for (uint32_t rank = 0; rank < run->n_ranks && status == TL_OK; rank++) {
        if (rank)
            status = tl_writer_move_on(writer, TL_END_FINALIZED, 0, rank);
        if (status == TL_OK)
            status = keep_blocks_small(&blocks);
        if (status == TL_OK)
            status = write_rank(r, writer, rank, &is_said, err);
    }
    if (status == TL_OK)
        status = tl_writer_close(writer, TL_END_FINALIZED, 0);
    else
        tl_writer_abandon(writer);
    if (status != TL_OK && !is_said)
        tl_fail_write(err, out_path, status);
    return tl_blocks_close(&blocks, path, status, err);
}

tl_status tl_program_write(tl_reader *r, const char *out_path, tl_error *err)
{
    tl_replacement file;
    const tl_status status = tl_replace_begin(out_path, &file, err);
    if (status != TL_OK)
        return status;
    return tl_replace_end(&file, write_program(r, file.part, out_path, err), err);
}
