/* goal.c - opens files of GOAL, whether text or binary. */
#include "config.h"

#include "goal.h"

#include "core/error.h"

#include <inttypes.h>

tl_status tl_goal_wrong(tl_goal *g, uint64_t place, const char *what, const char *word)
{
    if (g->is_binary)
        return tl_fail(g->err, TL_ERR_INPUT,
                       "%s: byte %" PRIu64 ": %s%s%.40s; make the file again from its text",
                       g->name, place, what, *word ? " " : "", word);
    return tl_fail(g->err, TL_ERR_INPUT, "%s:%" PRIu64 ": %s '%.40s'; correct it", g->name, place,
                   what, word);
}

const char *tl_goal_label(const tl_goal *g, size_t operation)
{
    const size_t label = g->is_binary ? 0 : g->labels[operation];
    if (label)
        return (const char *)g->names.data + label - 1;
    switch (g->operations[operation].call) {
    case TL_MPI_Send: return "send";
    case TL_MPI_Recv: return "recv";
    default: return "calc";
    }
}

/* No text begins with the first byte of a binary file. */
tl_status tl_goal_begin(tl_goal *g)
{
    enum { FIRST_BYTE = 0x7f };
    const int first = getc(g->in);
    ungetc(first, g->in);
    g->is_binary = first == FIRST_BYTE;
    g->line = 1;
    return g->is_binary ? tl_goal_begin_binary(g) : tl_goal_begin_text(g);
}

tl_status tl_goal_read_rank(tl_goal *g)
{
    g->n = g->n_edges = 0;
    const tl_status status = g->is_binary ? tl_goal_read_binary(g) : tl_goal_read_text(g);
    g->rank++;
    return status;
}

void tl_goal_end(tl_goal *g)
{
    free(g->operations);
    free(g->edges);
    free(g->labels);
    free(g->open_edges);
    free(g->block);
    free(g->table);
    free(g->n_required);
    free(g->own_name);
    tl_buffer_free(&g->names);
    tl_map_free(&g->by_label);
}

tl_status tl_goal_open(const char *path, tl_goal **out, tl_error *err)
{
    tl_status status = TL_OK;
    tl_goal *g = *out = calloc(1, sizeof *g);
    if (!g || !(g->own_name = strdup(path)))
        status = tl_no_memory(err, path);
    else if (!(g->in = fopen(path, "rb")))
        status = tl_fail_errno(err, "%s: cannot be opened", path);
    if (!status) {
        g->name = g->own_name;
        g->err = err;
        status = tl_goal_begin(g);
    }
    if (status) {
        tl_goal_close(g);
        *out = NULL;
    }
    return status;
}

uint32_t tl_goal_ranks(const tl_goal *goal)
{
    return goal->n_ranks;
}

tl_status tl_goal_next(tl_goal *goal, const tl_goal_operation **operations, size_t *n,
                       const tl_goal_edge **edges, size_t *n_edges, tl_error *err)
{
    if (goal->rank == goal->n_ranks)
        return TL_END;
    goal->err = err;
    const tl_status status = tl_goal_read_rank(goal);
    *operations = goal->operations;
    *n = status ? 0 : goal->n;
    *edges = goal->edges;
    *n_edges = status ? 0 : goal->n_edges;
    return status;
}

void tl_goal_close(tl_goal *goal)
{
    if (!goal)
        return;
    if (goal->in)
        fclose(goal->in);
    tl_goal_end(goal);
    free(goal);
}
