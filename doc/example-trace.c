/* example-trace.c - write a trace, read it again: bytes that each rank sends, and its computation.
 *
 *     cc example-trace.c -o example-trace $(pkg-config --cflags --libs timeless)
 *     ./example-trace pair.tl       writes pair.tl, a message between two ranks, and reads it
 *     ./example-trace - other.tl    reads a trace that is there
 *
 * SPDX-FileCopyrightText: 2026 the Timeless authors
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <timeless.h>

enum { N_RANKS = 2, BYTES_OF_A_DOUBLE = 8 };

/* Rank 0 computes a million instructions and sends 1000 numbers to rank 1. */
static tl_status write_rank(const char *path, uint32_t rank, tl_error *err)
{
    tl_writer *w;
    tl_status status = tl_writer_open(path, rank, "myhost", &w, err);
    if (status)
        return status;
    tl_event e;
    memset(&e, 0, sizeof e); /* slots that a call does not fill are 0 */
    e.call = TL_MPI_Init;
    tl_writer_put(w, &e); /* fails for ever once it has failed: closing tells */
    e.call = rank == 0 ? TL_MPI_Send : TL_MPI_Recv;
    e.volume = rank == 0 ? 1000000 : 0;
    e.comm = TL_COMM_WORLD;
    e.peer = rank == 0 ? 1 : 0;
    e.count = 1000;
    e.type_bytes = BYTES_OF_A_DOUBLE;
    tl_writer_put(w, &e);
    memset(&e, 0, sizeof e);
    e.call = TL_MPI_Finalize;
    tl_writer_put(w, &e);
    status = tl_writer_close(w, TL_END_FINALIZED, 0);
    if (status)
        tl_error_set(err, status, "%s: rank %" PRIu32 ": %s", path, rank, tl_status_text(status));
    return status;
}

static tl_status write_trace(const char *path, tl_error *err)
{
    tl_run run;
    memset(&run, 0, sizeof run);
    run.n_ranks = N_RANKS;
    run.volume_unit = "instructions";
    run.volume_source = "example";
    tl_status status = tl_trace_create(path, &run, err);
    for (uint32_t rank = 0; rank < N_RANKS && !status; rank++)
        status = write_rank(path, rank, err);
    return status;
}

static tl_status read_rank(tl_reader *r, uint32_t rank, tl_error *err)
{
    tl_cursor *c;
    tl_status status = tl_cursor_open(r, rank, &c, err);
    if (status)
        return status;
    uint64_t sent_bytes = 0, volume = 0;
    tl_event e;
    while ((status = tl_cursor_next(c, &e)) == TL_OK) {
        const tl_call_info *call = tl_call_by_code(e.call);
        if (call->action == TL_ACTION_SEND || call->action == TL_ACTION_ISEND)
            sent_bytes += (uint64_t)(e.count * e.type_bytes);
        volume += e.volume;
    }
    if (status != TL_END) /* damage: what came before it is intact */
        *err = *tl_cursor_error(c);
    else
        printf("rank %" PRIu32 ": %" PRIu64 " events, %" PRIu64 " bytes sent, %" PRIu64 " %s\n",
               rank, tl_cursor_position(c), sent_bytes, volume, tl_reader_run(r)->volume_unit);
    tl_cursor_close(c);
    return status == TL_END ? TL_OK : status;
}

int main(int argc, char **argv)
{
    if (argc < 2 || (strcmp(argv[1], "-") == 0 && argc < 3)) {
        fprintf(stderr, "usage: example-trace NEW.tl | - TRACE.tl\n");
        return 2;
    }
    const int is_new = strcmp(argv[1], "-") != 0;
    const char *path = is_new ? argv[1] : argv[2];
    tl_error err;
    tl_reader *r = NULL;
    tl_status status = is_new ? write_trace(path, &err) : TL_OK;
    if (!status)
        status = tl_reader_open(path, &r, &err);
    for (uint32_t rank = 0; !status && rank < tl_reader_run(r)->n_ranks; rank++)
        status = read_rank(r, rank, &err);
    if (status)
        fprintf(stderr, "example-trace: %s\n", err.text);
    tl_reader_close(r); /* NULL is accepted */
    return status ? 1 : 0;
}
