/* extrapolate.c - timeless extrapolate: the trace of a program on a grid, with more ranks. */
#include "cli.h"
#include "progress.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPT_GRID = 256, OPT_NEW_GRID, OPT_VOLUMES, OPT_SEED, OPT_SOURCES, OPT_ALLOW_FEWER };

struct extrapolate_options {
    const char *path, *out, *sources;
    tl_extrapolate_options how;
    int quiet, has_seed;
};

static const struct argp_option option_table[] = {
    {"ranks", 'n', "N", 0, "number of ranks of the new trace", 0},
    {"output", 'o', "FILE", 0, "the trace to write", 0},
    {"volumes", OPT_VOLUMES, "HOW", 0,
     "which recorded volumes a new rank gets: draw (default), typical or repeat", 0},
    {"seed", OPT_SEED, "N", 0, "seed of --volumes draw (default: 1)", 0},
    {"process-grid", OPT_GRID, "SIZES", 0,
     "grid of the recorded ranks, slowest dimension first, as in 4x4 or, if it is periodic, 4px4p "
     "(default: the grid that fits partners and communicators)",
     0},
    {"new-grid", OPT_NEW_GRID, "SIZES", 0,
     "grid of the new ranks (default: the one that MPI_Dims_create returns for N)", 0},
    {"sources", OPT_SOURCES, "FILE", 0,
     "write the recorded rank whose volumes each new rank has (CSV)", 0},
    {"allow-fewer", OPT_ALLOW_FEWER, NULL, 0, "accept fewer ranks than the trace has", 0},
    {"quiet", 'q', NULL, 0, "print nothing on success", 0},
    {0}};

static const char *const volume_choices[] = {
    [TL_VOLUMES_DRAW] = "draw", [TL_VOLUMES_TYPICAL] = "typical", [TL_VOLUMES_REPEAT] = "repeat"};

static tl_volume_choice parse_volumes(struct argp_state *state, const char *text)
{
    for (int i = TL_VOLUMES_DRAW; i <= TL_VOLUMES_REPEAT; i++)
        if (!strcmp(text, volume_choices[i]))
            return (tl_volume_choice)i;
    argp_error(state, "--volumes '%s': give draw, typical or repeat", text);
    return TL_VOLUMES_DRAW;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct extrapolate_options *o = state->input;
    switch (key) {
    case 'n':
        o->how.n_ranks = (uint32_t)cli_parse_number_from(state, "--ranks", arg, 1, 1 << 24);
        return 0;
    case 'o': o->out = arg; return 0;
    case 'q': o->quiet = 1; return 0;
    case OPT_GRID: o->how.grid = arg; return 0;
    case OPT_NEW_GRID: o->how.new_grid = arg; return 0;
    case OPT_VOLUMES: o->how.volumes = parse_volumes(state, arg); return 0;
    case OPT_SEED:
        o->has_seed = 1;
        o->how.seed = cli_parse_number(state, "--seed", arg, UINT64_MAX);
        return 0;
    case OPT_SOURCES: o->sources = arg; return 0;
    case OPT_ALLOW_FEWER: o->how.allow_fewer = 1; return 0;
    case ARGP_KEY_SUCCESS:
        if (!o->out || (!o->how.n_ranks && !o->how.new_grid))
            argp_error(state, "give --ranks N and -o FILE");
        if (o->has_seed && o->how.volumes != TL_VOLUMES_DRAW)
            argp_error(state, "--seed is for --volumes draw; without it nothing is drawn");
        return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

/* ---- what was done ---- */

static void print_rules(const tl_extrapolation *done)
{
    printf("grid %s to %s\n", done->grid, done->new_grid);
    if (done->merged)
        puts("inner ranks are combined from outer ranks, because the recorded grid has two ranks "
             "along a dimension; record three or more to do without this rule");
    if (done->n_ordered)
        printf("%" PRIu64
               " times, no rank shows which of two calls comes first; the order is by call site\n",
               done->n_ordered);
    if (done->folded)
        puts("along periodic dimensions with one or two ranks, the order of the receives gives the "
             "directions of messages");
}

/* The ranks of a group, as in "1-2,5-6". */
static char *list_ranks(const tl_extrapolation *done, const tl_like_ranks *group)
{
    const uint32_t *ranks = done->members + group->first;
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    for (uint32_t i = 0, past; i < group->n_ranks; i = past) {
        past = i + 1;
        while (past < group->n_ranks && ranks[past] == ranks[past - 1] + 1)
            past++;
        fprintf(out, "%s%" PRIu32, i ? "," : "", ranks[i]);
        if (past > i + 1)
            fprintf(out, "-%" PRIu32, ranks[past - 1]);
    }
    fclose(out);
    return text;
}

static void print_groups(const tl_extrapolation *done)
{
    printf("%-18s %9s %20s %20s %20s  %s\n", "place", "new ranks", "least volume", "typical",
           "most", "recorded ranks");
    for (size_t i = 0; i < done->n_groups; i++) {
        const tl_like_ranks *group = &done->groups[i];
        char *ranks = list_ranks(done, group);
        printf("%-18s %9" PRIu32 " %20" PRIu64 " %20" PRIu64 " %20" PRIu64 "  %s\n", group->place,
               group->n_new, group->least, group->median, group->most, ranks ? ranks : "");
        free(ranks);
    }
}

/* A rank is unlike the others if it computes a quarter more than the typical rank, or a fifth less.
 */
static bool is_unlike(const tl_recorded_rank *rank)
{
    return rank->relative >= 1.25 || rank->relative <= 0.8;
}

static double unlikeness(const tl_recorded_rank *rank)
{
    return rank->relative >= 1 ? rank->relative
                               : (rank->relative > 0 ? 1 / rank->relative : INFINITY);
}

/* The unlike rank after `last`, the most unlike first; -1 if there is none. */
static int64_t next_unlike(const tl_extrapolation *done, int64_t last)
{
    int64_t next = -1;
    for (uint32_t i = 0; i < done->n_recorded; i++) {
        const tl_recorded_rank *rank = &done->recorded[i];
        const double own = unlikeness(rank);
        const double bound = last < 0 ? INFINITY : unlikeness(&done->recorded[last]);
        const bool is_after = last < 0 || own < bound || (own == bound && i > last);
        if (is_unlike(rank) && is_after && (next < 0 || own > unlikeness(&done->recorded[next])))
            next = i;
    }
    return next;
}

static void print_unlike(const tl_extrapolation *done)
{
    enum { MAX_LINES = 8 };
    int64_t rank = -1;
    uint32_t n_unlike = 0;
    for (uint32_t i = 0; i < done->n_recorded; i++)
        n_unlike += is_unlike(&done->recorded[i]) != 0;
    for (int n = 0; n < MAX_LINES && (rank = next_unlike(done, rank)) >= 0; n++) {
        const tl_recorded_rank *r = &done->recorded[rank];
        const bool is_alone = done->groups[r->group].n_ranks == 1;
        printf("rank %" PRId64 "%s computes %.3g times the volume of a typical rank%s; new ranks "
               "that do so: %" PRIu32 " of %" PRIu32 "\n",
               rank, is_alone ? ", alone at its place," : "", r->relative,
               is_alone ? "" : " at its place", r->n_new, done->n_new);
    }
    if (n_unlike > MAX_LINES)
        printf("%" PRIu32 " more ranks are unlike the typical ones\n", n_unlike - MAX_LINES);
}

static void print_volumes(const tl_extrapolation *done, const struct extrapolate_options *o,
                          const char *unit)
{
    uint64_t most = 0;
    for (size_t i = 0; i < done->n_groups; i++)
        most = done->groups[i].most > most ? done->groups[i].most : most;
    if (!most) {
        puts("the trace contains no computation: the new ranks compute nothing either");
        return;
    }
    if (o->how.volumes == TL_VOLUMES_DRAW)
        printf("volumes (%s): drawn from the recorded ranks, seed %" PRIu64 "\n",
               tl_printable(unit), o->how.seed);
    else
        printf("volumes (%s): %s\n", tl_printable(unit),
               o->how.volumes == TL_VOLUMES_TYPICAL ? "those of the typical rank at each place"
                                                    : "those of the recorded ranks in turn");
    print_groups(done);
    print_unlike(done);
    if (!strcmp(unit, "cpu-ns"))
        puts("CPU time contains noise: new ranks with the same source have it at the same moments, "
             "and wait less for each other than real ranks do");
}

static tl_status write_sources(const tl_extrapolation *done, const char *path, tl_error *err)
{
    tl_output output;
    const tl_status status = tl_output_open(path, &output, err);
    FILE *out = output.file;
    if (status)
        return status;
    fputs("rank,drawn,volumes_of,factor\n", out);
    for (uint32_t i = 0; i < done->n_new; i++) {
        const tl_new_rank *source = &done->sources[i];
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",", i, source->drawn);
        if (source->source == TL_MEAN)
            fputs("mean", out);
        else
            fprintf(out, "%" PRIu32, source->source);
        fprintf(out, ",%.17g\n", source->factor);
    }
    return tl_output_close(&output, path, TL_OK, err);
}

int cmd_extrapolate(int argc, char **argv)
{
    struct extrapolate_options o = {.how = {.seed = 1}};
    cli_parse(option_table, parse_option, NULL, "TRACE",
              "Write the trace of the same program on a larger grid of ranks (weak scaling).", argc,
              argv, &o);
    tl_reader *r;
    int code = cli_open_for(o.path, o.out, &r);
    if (code)
        return code;
    tl_error err;
    tl_extrapolation done;
    tl_status status = tl_extrapolate(r, &o.how, o.out, &done, &err);
    cli_progress_stop();
    if (!status && !o.quiet) {
        print_rules(&done);
        print_volumes(&done, &o, tl_reader_run(r)->volume_unit);
    }
    tl_reader_close(r);
    if (status)
        return cli_fail(&err);
    if (o.sources)
        status = write_sources(&done, o.sources, &err);
    tl_extrapolation_free(&done);
    return status ? cli_fail(&err) : CLI_OK;
}
