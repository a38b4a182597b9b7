/* extrapolate.c - makes the trace that a program on a grid of ranks would leave with more ranks
 * (weak scaling). doc/EXTRAPOLATION.md has the rules. */
#include "config.h"

#include "core/error.h"
#include "extrapolate.h"
#include "core/writer.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_RANKS = 1 << 24 }; /* of the format */

/* ---- the new grid ---- */

static bool is_created(const tl_grid *g, int64_t n_ranks, bool reversed)
{
    int32_t size[TL_MAX_DIMS];
    tl_grid_create(n_ranks, g->n_dims, size);
    for (int d = 0; d < g->n_dims; d++)
        if (g->size[d] != size[reversed ? g->n_dims - 1 - d : d])
            return false;
    return true;
}

/* The grid that MPI_Dims_create returns, if it also returns the grid of the trace. */
static tl_status create_new_grid(tl_extrapolating *x, int64_t n_ranks)
{
    int32_t size[TL_MAX_DIMS];
    char text[TL_GRID_TEXT_BYTES];
    const bool same = is_created(&x->from, x->n_ranks, false);
    tl_grid_text(&x->from, text);
    if (!same && !is_created(&x->from, x->n_ranks, true))
        return tl_fail(x->err, TL_ERR_USAGE,
                       "%s: the grid %s is not the one that MPI_Dims_create returns for %" PRIu32
                       " ranks; give the new grid with --new-grid",
                       tl_reader_path(x->r), text, x->n_ranks);
    x->to = x->from;
    tl_grid_create(n_ranks, x->from.n_dims, size);
    for (int d = 0; d < x->from.n_dims; d++)
        x->to.size[d] = size[same ? d : x->from.n_dims - 1 - d];
    return TL_OK;
}

static tl_status take_new_grid(tl_extrapolating *x, const tl_extrapolate_options *o)
{
    if (!tl_grid_parse(o->new_grid, &x->to) || x->to.n_dims != x->from.n_dims)
        return tl_fail(x->err, TL_ERR_USAGE,
                       "the new grid '%s': give %d sizes joined by x, as in 8x8", o->new_grid,
                       x->from.n_dims);
    memcpy(x->to.periodic, x->from.periodic, sizeof x->to.periodic);
    const int64_t n = tl_grid_n_ranks(&x->to);
    if (n > MAX_RANKS || (o->n_ranks && n != o->n_ranks))
        return tl_fail(x->err, TL_ERR_USAGE, "the new grid '%s' does not have %s%" PRIu32 " ranks",
                       o->new_grid, o->n_ranks ? "" : "at most ",
                       o->n_ranks ? o->n_ranks : (uint32_t)MAX_RANKS);
    return TL_OK;
}

static tl_status check_new_grid(const tl_extrapolating *x)
{
    char from[TL_GRID_TEXT_BYTES], to[TL_GRID_TEXT_BYTES];
    tl_grid_text(&x->from, from);
    tl_grid_text(&x->to, to);
    for (int d = 0; d < x->from.n_dims; d++) {
        const int32_t size = x->from.size[d], new_size = x->to.size[d];
        if ((size > 1) != (new_size > 1) && (size > 1 || (!x->from.periodic[d] && x->has_null)))
            return tl_refuse(
                x,
                "dimension %d has %d ranks in the grid %s and %d in the new grid %s: the trace "
                "does not show what neighbours along it do; give another grid with --new-grid",
                d + 1, size, from, new_size, to);
    }
    return TL_OK;
}

/* With fewer ranks, recorded ranks would be lost, which is seldom intended. */
static tl_status check_growth(const tl_extrapolating *x)
{
    const int64_t n = tl_grid_n_ranks(&x->to);
    if (n >= x->n_ranks || x->options->allow_fewer)
        return TL_OK;
    return tl_fail(x->err, TL_ERR_USAGE,
                   "%s: %" PRId64 " ranks are fewer than the %" PRIu32
                   " of the trace; give more, or --allow-fewer if fewer are meant",
                   tl_reader_path(x->r), n, x->n_ranks);
}

static tl_status find_grids(tl_extrapolating *x, const tl_extrapolate_options *o)
{
    tl_grid given;
    if (o->grid && (!tl_grid_parse(o->grid, &given) || tl_grid_n_ranks(&given) != x->n_ranks))
        return tl_fail(
            x->err, TL_ERR_USAGE,
            "the grid '%s': give one of %" PRIu32
            " ranks, sizes joined by x and a p after each periodic dimension, as in 4x4 or 2px2p",
            o->grid, x->n_ranks);
    TL_TRY(tl_partners_find(x));
    TL_TRY(tl_grid_find(x, o->grid ? &given : NULL));
    TL_TRY(o->new_grid ? take_new_grid(x, o) : create_new_grid(x, o->n_ranks));
    TL_TRY(check_growth(x));
    TL_TRY(check_new_grid(x));
    return tl_comm_kinds_find(x);
}

/* ---- which ranks a new one is like ---- */

/* Whether inner ranks along a dimension are made from the two recorded ranks. */
static bool is_paired(const tl_extrapolating *x, int dim)
{
    return x->from.size[dim] == 2 && x->to.size[dim] > 2 && !tl_grid_is_folded(&x->from, dim);
}

/* The recorded place along a dimension to which a new place is like; -1: between the two recorded
 * places. */
static int32_t like_place(const tl_extrapolating *x, int dim, int32_t at)
{
    const int32_t size = x->from.size[dim], new_size = x->to.size[dim];
    if (size == 1)
        return 0;
    if (tl_grid_is_folded(&x->from, dim))
        return at > 0;
    if (at == 0 || at == new_size - 1)
        return at ? size - 1 : 0;
    return size == 2 ? -1 : 1 + (at - 1) % (size - 2);
}

/* Adds to each rank of *like the other rank along a dimension with two. */
static void add_corners(const tl_extrapolating *x, int dim, int32_t at, tl_likeness *like)
{
    unsigned shown = 0;
    for (int i = 0, n = like->n; i < n; i++) {
        tl_coords corner = tl_grid_coords(&x->from, like->ranks[i]);
        corner.at[dim] = 1;
        like->ranks[like->n++] = tl_grid_rank(&x->from, corner);
        if (like->shown & 1U << i)
            shown |= (at != 1 ? 1U << i : 0) | (at != 0 ? 1U << (n + i) : 0);
    }
    like->shown = shown;
    like->dims |= 1U << dim;
}

/* If a rank is made of several corners, a rank at a side is made of all corners, too: some of them
 * show the order of the calls that it has in common with inner ranks. */
static tl_likeness find_likeness(const tl_extrapolating *x, uint32_t rank)
{
    const tl_coords place = tl_grid_coords(&x->to, rank);
    tl_likeness like = {.n = 1, .shown = 1};
    tl_coords at = {{0}}, base = {{0}};
    bool merged = false;
    for (int d = 0; d < x->from.n_dims; d++) {
        at.at[d] = like_place(x, d, place.at[d]);
        like.key = like.key * (uint64_t)(x->from.size[d] + 1) + (uint64_t)(at.at[d] + 1);
        merged |= at.at[d] < 0;
    }
    for (int d = 0; d < x->from.n_dims; d++)
        base.at[d] = merged && is_paired(x, d) ? 0 : at.at[d];
    like.ranks[0] = tl_grid_rank(&x->from, base);
    for (int d = 0; d < x->from.n_dims && merged; d++)
        if (is_paired(x, d))
            add_corners(x, d, at.at[d], &like);
    return like;
}

/* ---- writing ---- */

typedef struct output {
    tl_extrapolating *x;
    const char *path;
    tl_blocks blocks;
    tl_writer *writer;
    tl_map message_index; /* tl_likeness.key -> position + 1 */
    tl_messages **messages;
    size_t n_messages, messages_capacity;
    const tl_messages **of_rank;
    tl_buffer list;
} output;

static tl_status written(const output *o, tl_status status)
{
    return status ? tl_fail_write(o->x->err, o->path, status) : TL_OK;
}

/* Writes the definitions of the recorded rank whose events the new one has. It writes call sites
 * only if the new rank has those of no other rank. */
static tl_status define(output *o, const tl_likeness *like, uint32_t rank)
{
    const tl_site *sites;
    const tl_object *objects;
    const tl_user_kernel *kernels;
    const size_t n_objects = tl_reader_objects(o->x->r, like->sources[0], &objects);
    const size_t n_sites = tl_reader_sites(o->x->r, like->sources[0], &sites);
    const size_t n_kernels = tl_reader_kernels(o->x->r, like->sources[0], &kernels);
    TL_TRY(tl_comm_kinds_define(o->x, like->sources[0], rank, o->writer));
    for (size_t i = 0; i < n_objects; i++)
        TL_TRY(tl_writer_define_object(o->writer, &objects[i]));
    for (size_t i = 0; i < n_kernels; i++)
        TL_TRY(tl_writer_define_kernel(o->writer, &kernels[i]));
    for (size_t i = 0; i < n_sites && like->n == 1; i++)
        TL_TRY(tl_writer_define_site(o->writer, &sites[i]));
    return TL_OK;
}

/* Counts the messages of ranks with this likeness, if *is_new. */
static tl_messages *find_messages(output *o, uint64_t key, bool *is_new)
{
    uint64_t *known = tl_map_at(&o->message_index, key);
    if (!known ||
        !tl_make_room(&o->messages, o->n_messages, &o->messages_capacity, sizeof *o->messages))
        return NULL;
    *is_new = !*known;
    if (!*is_new)
        return o->messages[*known - 1];
    tl_messages *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    o->messages[o->n_messages++] = m;
    *known = o->n_messages;
    return m;
}

static tl_status put_step(output *o, const tl_step *step, uint32_t rank)
{
    tl_event e;
    TL_TRY(written(o, tl_step_put(o->x, step, rank, &o->list, &e)));
    e.took_ns = 0; /* the call of another run */
    return written(o, tl_writer_put(o->writer, &e));
}

static tl_status put_events(output *o, tl_merge *m, uint32_t rank, tl_messages *count)
{
    tl_step step;
    tl_status status;
    while (!(status = tl_merge_next(m, &step))) {
        if (m->n > 1 && step.event.site && step.event.site == m->n_defined + 1) {
            tl_site site = *step.site;
            site.id = step.event.site;
            site.caller = 0; /* the sites of several ranks have no callers in common */
            m->n_defined++;
            TL_TRY(written(o, tl_writer_define_site(o->writer, &site)));
        }
        if (count && !tl_messages_count(count, &step))
            return tl_no_memory(o->x->err, tl_reader_path(o->x->r));
        TL_TRY(put_step(o, &step, rank));
    }
    return status == TL_END ? TL_OK : status;
}

static tl_status write_rank(output *o, uint32_t rank, tl_end_reason *end)
{
    tl_likeness like = find_likeness(o->x, rank);
    bool is_new;
    tl_messages *messages = find_messages(o, like.key, &is_new);
    if (!messages)
        return tl_no_memory(o->x->err, tl_reader_path(o->x->r));
    o->of_rank[rank] = messages;
    TL_TRY(tl_volumes_choose(o->x, rank, &like));
    if (rank)
        TL_TRY(written(o, tl_writer_move_on(o->writer, *end, 0, rank)));
    TL_TRY(written(o, define(o, &like, rank)));
    tl_merge m;
    tl_status status = tl_merge_open(&m, o->x, &like);
    if (!status)
        status = put_events(o, &m, rank, is_new ? messages : NULL);
    o->x->done.n_ordered += is_new ? m.n_ordered : 0;
    tl_merge_close(&m);
    tl_messages_end(messages);
    tl_rank_summary summary;
    tl_reader_rank(o->x->r, like.sources[0], &summary);
    *end = summary.end;
    return status;
}

static tl_status write_ranks(output *o)
{
    const uint32_t n = (uint32_t)tl_grid_n_ranks(&o->x->to);
    tl_end_reason end = TL_END_NONE;
    o->of_rank = calloc(n, sizeof *o->of_rank);
    if (!o->of_rank)
        return tl_no_memory(o->x->err, tl_reader_path(o->x->r));
    tl_status status = written(o, tl_writer_open_in_blocks(&o->blocks, 0, n, &o->writer));
    for (uint32_t rank = 0; rank < n && !status; rank++)
        status = write_rank(o, rank, &end);
    for (uint32_t rank = 0; rank < n && !status; rank++)
        status = tl_messages_check(o->x, o->of_rank, rank);
    if (!status)
        return written(o, tl_writer_close(o->writer, end, 0));
    tl_writer_abandon(o->writer);
    return status;
}

static void free_output(output *o)
{
    for (size_t i = 0; i < o->n_messages; i++) {
        tl_messages_end(o->messages[i]);
        free(o->messages[i]);
    }
    free(o->messages);
    free(o->of_rank);
    tl_map_free(&o->message_index);
    tl_buffer_free(&o->list);
}

/* The origin of the new trace: the command, its rules, and the origin of the old trace. */
static tl_status describe(tl_extrapolating *x, char *text, size_t size)
{
    const tl_extrapolation *done = &x->done;
    uint64_t hash;
    char volumes[64] = "";
    if (x->options->volumes == TL_VOLUMES_DRAW)
        snprintf(volumes, sizeof volumes, ", volumes drawn with seed %" PRIu64, x->options->seed);
    else if (x->options->volumes == TL_VOLUMES_TYPICAL)
        snprintf(volumes, sizeof volumes, ", volumes of typical ranks");
    TL_TRY(tl_reader_hash(x->r, &hash, x->err));
    const char *path = tl_reader_path(x->r), *base = strrchr(path, '/');
    const char *before = tl_reader_run(x->r)->origin;
    snprintf(text, size,
             "timeless extrapolate --ranks %" PRId64 " of %s (%016" PRIx64
             "): weak scaling, grid %s to %s%s%s%s%s%s",
             tl_grid_n_ranks(&x->to), base ? base + 1 : path, hash, done->grid, done->new_grid,
             volumes, done->merged ? ", inner ranks made of outer ones" : "",
             done->folded ? ", folded dimensions taken apart" : "", *before ? "; " : "", before);
    return TL_OK;
}

static tl_status write_trace(tl_extrapolating *x, const char *path)
{
    char origin[2048];
    TL_TRY(describe(x, origin, sizeof origin));
    tl_run run = *tl_reader_run(x->r);
    run.n_ranks = (uint32_t)tl_grid_n_ranks(&x->to);
    run.writer = "timeless " PACKAGE_VERSION;
    run.origin = origin;
    run.run_id = run.parts = run.folding = run.parameters = "";
    output o = {.x = x, .path = path};
    tl_status status = tl_blocks_create(&o.blocks, path, &run, x->err);
    if (!status)
        status = write_ranks(&o);
    status = tl_blocks_close(&o.blocks, path, status, x->err);
    free_output(&o);
    return status;
}

/* The new trace may replace the old one. */
static tl_status write_whole(tl_extrapolating *x, const char *path)
{
    tl_replacement file;
    TL_TRY(tl_replace_begin(path, &file, x->err));
    return tl_replace_end(&file, write_trace(x, file.part), x->err);
}

static tl_status note_rules(tl_extrapolating *x)
{
    tl_extrapolation *done = &x->done;
    char grid[TL_GRID_TEXT_BYTES], new_grid[TL_GRID_TEXT_BYTES];
    tl_grid_text(&x->from, grid);
    tl_grid_text(&x->to, new_grid);
    done->grid = strdup(grid);
    done->new_grid = strdup(new_grid);
    if (!done->grid || !done->new_grid)
        return tl_no_memory(x->err, tl_reader_path(x->r));
    done->n_recorded = x->n_ranks;
    done->n_new = (uint32_t)tl_grid_n_ranks(&x->to);
    for (int d = 0; d < x->from.n_dims; d++) {
        done->folded |= tl_grid_is_folded(&x->from, d);
        done->merged |= is_paired(x, d);
    }
    return TL_OK;
}

static tl_status check_options(tl_reader *r, const tl_extrapolate_options *options, tl_error *err)
{
    if (!options->n_ranks && !options->new_grid)
        return tl_fail(err, TL_ERR_USAGE, "give the number of ranks, or the new grid");
    if (tl_reader_n_damages(r))
        return tl_fail(err, tl_reader_damage(r, 0)->status, "%s", tl_reader_damage(r, 0)->text);
    if (!tl_reader_complete(r))
        return tl_fail(
            err, TL_ERR_UNSUPPORTED,
            "%s: not all ranks reached MPI_Finalize; cut out the part that all ranks have",
            tl_reader_path(r));
    return TL_OK;
}

void tl_extrapolation_free(tl_extrapolation *done)
{
    if (!done)
        return;
    for (size_t i = 0; i < done->n_groups; i++)
        free(done->groups[i].place);
    free(done->grid);
    free(done->new_grid);
    free(done->groups);
    free(done->members);
    free(done->recorded);
    free(done->sources);
    *done = (tl_extrapolation){.merged = 0};
}

static tl_status extrapolate(tl_extrapolating *x, const char *out_path)
{
    TL_TRY(check_options(x->r, x->options, x->err));
    TL_TRY(find_grids(x, x->options));
    TL_TRY(tl_check_alike(x));
    TL_TRY(tl_groups_find(x));
    TL_TRY(tl_volumes_begin(x));
    TL_TRY(note_rules(x));
    return write_whole(x, out_path);
}

tl_status tl_extrapolate(tl_reader *r, const tl_extrapolate_options *options, const char *out_path,
                         tl_extrapolation *done, tl_error *err)
{
    tl_extrapolating x = {
        .r = r, .n_ranks = tl_reader_run(r)->n_ranks, .options = options, .err = err};
    const tl_status status = extrapolate(&x, out_path);
    if (!status && done)
        *done = x.done;
    else
        tl_extrapolation_free(&x.done);
    free(x.kinds);
    free(x.partners);
    free(x.drawn);
    return status;
}
