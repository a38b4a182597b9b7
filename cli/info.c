/* info.c - timeless info: prints what a trace contains. */
#include "cli.h"
#include "progress.h"

#include <inttypes.h>
#include <results/volumes.h>
#include <sampled.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>

struct info_options {
    const char *path;
    cli_json json;
    int sections, all;
};

/* If a trace has more ranks than this, they are summed up unless --all is given: on the screen, and
 * in JSON. */
enum { RANKS_OF_SCREEN = 64, RANKS_OF_JSON = 65536 };

struct call_count {
    const tl_call_info *row;
    uint64_t n;
};

/* The events of a kernel that the program named. Equal names are the same pointer. */
struct user_count {
    const char *name;
    uint64_t n;
};

/* All results of info. */
struct facts {
    tl_reader *r;
    const tl_run *run;
    uint64_t hash, n_events;
    uint64_t n_recovered;                   /* of the events */
    uint64_t n_timed;                       /* events with a duration */
    uint32_t most_ranks;                    /* more are summed up */
    uint64_t *last_mark_ns;                 /* by rank: 0 where no event carries a clock */
    bool *damaged;                          /* by rank */
    struct call_count calls[TL_CALL_LIMIT]; /* by code, then sorted by n */
    size_t n_calls;
    struct user_count *users;
    size_t n_users;
    tl_section *sections;
    size_t n_sections;
};

enum { OPT_JSON = 256 };

static const struct argp_option option_table[] = {
    CLI_JSON_OPTION(OPT_JSON),
    {"all", 'a', NULL, 0, "print each rank, even if there are many", 0},
    {"sections", 's', NULL, 0, "list the sections (between synchronising collectives)", 0},
    {0}};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct info_options *o = state->input;
    switch (key) {
    case OPT_JSON: o->json = (cli_json){1, arg}; return 0;
    case 's': o->sections = 1; return 0;
    case 'a': o->all = 1; return 0;
    default: return cli_argument(key, arg, state, "trace", &o->path);
    }
}

/* A rank of a run on several hosts, of whose part the trace has nothing. */
enum { IS_LOST = TL_END_CUT + 1, N_ENDS };

static int end_of(const struct facts *f, const tl_rank_summary *s)
{
    const bool is_lost = *f->run->parts && !*s->host && !s->n_events && s->end == TL_END_NONE;
    return is_lost ? IS_LOST : (int)s->end;
}

static const char *end_text(int end)
{
    switch (end) {
    case IS_LOST:
        return "lost with its host (join --allow-missing), or in a part that is not joined";
    case TL_END_NONE: return "killed";
    case TL_END_FINALIZED: return "finalized";
    case TL_END_EXITED: return "exited without MPI_Finalize";
    case TL_END_ABORTED: return "aborted";
    case TL_END_FAILED: return "tracer failed";
    case TL_END_CUT: return "cut";
    }
    return "?";
}

static int by_count(const void *a, const void *b)
{
    const struct call_count *x = a, *y = b;
    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return x->row && y->row ? (x->row->code > y->row->code) - (x->row->code < y->row->code) : 0;
}

/* The kernels that all ranks have defined, each once. */
static int list_users(struct facts *f)
{
    size_t room = 0;
    const tl_user_kernel *kernels;
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++)
        room += tl_reader_kernels(f->r, rank, &kernels);
    f->users = calloc(room + 1, sizeof *f->users);
    for (uint32_t rank = 0; f->users && rank < f->run->n_ranks; rank++) {
        size_t n = tl_reader_kernels(f->r, rank, &kernels);
        for (size_t i = 0; i < n; i++) {
            size_t known = 0;
            while (known < f->n_users && f->users[known].name != kernels[i].name)
                known++;
            f->users[known].name = kernels[i].name;
            f->n_users += known == f->n_users;
        }
    }
    return f->users != NULL;
}

static void count_user(struct facts *f, uint32_t rank, const tl_event *e)
{
    const char *name = tl_reader_kernel_name(f->r, rank, e);
    for (size_t i = 0; name && i < f->n_users; i++)
        f->users[i].n += f->users[i].name == name;
}

/* For each rank, the number of ranks that are counted with it: all ranks that share its calls; 0 if
 * it shares those of another rank. The clocks of ranks that share are not read; they are needed
 * only for ranks without an end, and in JSON. Each rank defines the names of the program's kernels
 * for itself. */
static uint32_t *count_alike(const struct facts *f, bool needs_clocks)
{
    uint32_t *n_alike = calloc(f->run->n_ranks, sizeof *n_alike);
    const int shares = !needs_clocks && !f->n_users && tl_reader_complete(f->r);
    for (uint32_t rank = 0; n_alike && rank < f->run->n_ranks; rank++)
        n_alike[shares ? tl_reader_leader(f->r, rank, 0) : rank]++;
    return n_alike;
}

static void add_user(struct facts *f, uint32_t rank, const struct tl_user_count *counted)
{
    const tl_user_kernel *kernels;
    const size_t n = tl_reader_kernels(f->r, rank, &kernels);
    for (size_t k = 0; k < n; k++)
        for (size_t i = 0; kernels[k].id == counted->id && i < f->n_users; i++)
            f->users[i].n += f->users[i].name == kernels[k].name ? counted->n : 0;
}

/* Adds the counts of a rank from the index, if the trace has one. */
static bool add_counts(struct facts *f, uint32_t rank, uint32_t n_alike)
{
    tl_call_counts *counts = malloc(sizeof *counts);
    const bool known = counts && tl_reader_counts(f->r, rank, counts);
    for (unsigned code = 0; known && code < TL_CALL_LIMIT; code++)
        f->calls[code].n += n_alike * counts->calls[code];
    for (size_t i = 0; known && i < counts->n_users; i++)
        add_user(f, rank, &counts->users[i]);
    if (known) {
        f->n_events += n_alike * counts->n_events;
        f->last_mark_ns[rank] = counts->clock_ns;
        tl_call_counts_free(counts);
    }
    free(counts);
    return known;
}

/* Whether the first calls have durations, which the index does not count. */
static bool has_times(tl_reader *r, uint32_t rank)
{
    enum { N_FIRST = 64 }; /* computation and MPI_Init have none */
    bool has = false;
    tl_cursor *c = NULL;
    tl_event e;
    tl_error ignored;
    if (tl_cursor_open(r, rank, &c, &ignored) != TL_OK)
        return false;
    for (int i = 0; i < N_FIRST && !has && tl_cursor_next(c, &e) == TL_OK; i++)
        has = e.took_ns > 0;
    tl_cursor_close(c);
    return has;
}

/* Damage was reported when the trace was opened. Only further damage that the cursor finds is
 * reported here. */
static tl_status count_calls(struct facts *f, const uint32_t *n_alike, tl_error *err)
{
    tl_status worst = TL_OK;
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++) {
        tl_cursor *c;
        tl_rank_summary part;
        /* A rank may appear in the header only. */
        if (!n_alike[rank] || tl_reader_rank(f->r, rank, &part) != TL_OK ||
            (!part.n_events && part.end == TL_END_NONE && !*part.host &&
             tl_reader_n_damages(f->r) == 0))
            continue;
        if (!has_times(f->r, rank) && add_counts(f, rank, n_alike[rank]))
            continue;
        tl_status status = tl_cursor_open(f->r, rank, &c, err);
        if (status)
            return status;
        tl_event e;
        while ((status = tl_cursor_next(c, &e)) == TL_OK) {
            f->calls[e.call].n += n_alike[rank];
            if (e.call == TL_KERNEL_user)
                count_user(f, rank, &e);
            f->n_events += n_alike[rank];
            f->n_timed += e.took_ns > 0 ? n_alike[rank] : 0;
            if (e.clock_ns)
                f->last_mark_ns[rank] = e.clock_ns;
        }
        if (status != TL_END) {
            worst = status;
            f->damaged[rank] = true;
            *err = *tl_cursor_error(c);
        }
        tl_cursor_close(c);
    }
    for (unsigned code = 0; code < TL_CALL_LIMIT; code++) {
        f->calls[code].row = tl_call_by_code(code);
        f->n_calls += f->calls[code].n > 0;
    }
    qsort(f->calls, TL_CALL_LIMIT, sizeof *f->calls, by_count);
    return worst;
}

static double bytes_per_event(const struct facts *f)
{
    return f->n_events ? (double)tl_reader_file_bytes(f->r) / (double)f->n_events : 0;
}

/* ---- text ---- */

static void print_line(const char *name, const char *value)
{
    if (value && *value)
        printf("%-16s %s\n", name, tl_printable(value));
}

static void print_sections(const struct facts *f)
{
    printf("\n%7s %-20s %-28s %12s %14s\n", "section", "opened by", "site (rank 0)", "events",
           "wall s");
    for (size_t i = 0; i < f->n_sections; i++) {
        const tl_section *s = &f->sections[i];
        const tl_call_info *row = s->call ? tl_call_by_code(s->call) : NULL;
        char site[512];
        tl_site_name(f->r, 0, s->site, site, sizeof site);
        printf("%7zu %-20s %-28s %12" PRIu64, i, row ? row->name : "(start)",
               row ? tl_printable(site) : "", s->n_events);
        if (s->clock_ns)
            printf(" %14.4g\n", (double)s->clock_ns * 1e-9);
        else
            printf(" %14s\n", "unknown");
    }
}

/* Samples of the stack are a table of their own, in a prediction. */
static size_t counters_of(const tl_reader *r, uint32_t rank, const tl_counter **out)
{
    size_t n = tl_reader_counters(r, rank, out);
    while (n && !strncmp((*out)[n - 1].name, TL_SAMPLED_NAME, strlen(TL_SAMPLED_NAME)))
        n--;
    return n;
}

static void print_counters(const struct facts *f)
{
    uint32_t n_ranks = 0;
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++) {
        const tl_counter *counters;
        size_t n = counters_of(f->r, rank, &counters);
        if (n && !n_ranks)
            printf("\n%8s %20s  %s\n", "rank", "count", "counter");
        if (n && n_ranks++ >= f->most_ranks)
            continue;
        for (size_t i = 0; i < n; i++)
            printf("%8" PRIu32 " %20" PRIu64 "  %s\n", rank, counters[i].value,
                   tl_printable(counters[i].name));
    }
    if (n_ranks > f->most_ranks)
        printf("%8s %" PRIu32 " more ranks have counters; --all prints them\n", "...",
               n_ranks - f->most_ranks);
}

/* Of a clock that nothing makes incomparable. */
static const char *clock_text(const struct facts *f)
{
    return tl_is_program(tl_reader_path(f->r)) ? "none" : "comparable";
}

/* The clock at the end, in seconds; for a killed rank and a part, that of the last mark, after
 * which there may be more. */
static const char *wall_text(const struct facts *f, uint32_t rank, const tl_rank_summary *s,
                             char *text, size_t size)
{
    if (s->end == TL_END_CUT && s->clock_ns)
        snprintf(text, size, "> %.4g", (double)s->clock_ns * 1e-9);
    else if (s->end != TL_END_NONE)
        snprintf(text, size, "%.4g", (double)s->clock_ns * 1e-9);
    else if (f->last_mark_ns[rank])
        snprintf(text, size, "> %.4g", (double)f->last_mark_ns[rank] * 1e-9);
    else
        snprintf(text, size, "unknown");
    return text;
}

static void print_rank(const struct facts *f, uint32_t rank, const tl_rank_summary *s)
{
    char wall[32];
    printf("%8" PRIu32 " %12" PRIu64 " %20" PRIu64 " %14s  %-12s %s%s%s\n", rank, s->n_events,
           s->volume, wall_text(f, rank, s, wall, sizeof wall),
           f->damaged[rank] ? "damaged" : end_text(end_of(f, s)), tl_printable(s->host),
           *s->remark ? "  " : "", tl_printable(s->remark));
}

/* A summary of many ranks, with a line for each kind of end. */
static void sum_up_ranks(const struct facts *f)
{
    struct {
        uint32_t n, first;
        tl_rank_summary least, most;
    } ends[N_ENDS] = {0};
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++) {
        tl_rank_summary s;
        if (tl_reader_rank(f->r, rank, &s) != TL_OK || s.end > TL_END_CUT)
            continue;
        const int end = end_of(f, &s);
        tl_rank_summary *least = &ends[end].least, *most = &ends[end].most;
        if (!ends[end].n++) {
            ends[end].first = rank;
            *least = *most = s;
        }
        least->n_events = s.n_events < least->n_events ? s.n_events : least->n_events;
        most->n_events = s.n_events > most->n_events ? s.n_events : most->n_events;
        least->volume = s.volume < least->volume ? s.volume : least->volume;
        most->volume = s.volume > most->volume ? s.volume : most->volume;
        least->clock_ns = s.clock_ns < least->clock_ns ? s.clock_ns : least->clock_ns;
        most->clock_ns = s.clock_ns > most->clock_ns ? s.clock_ns : most->clock_ns;
    }
    printf("\n%8s %25s %41s %25s  %-12s %s\n", "ranks", "events", "volume", "wall s", "end",
           "first rank");
    for (int end = 0; end < N_ENDS; end++) {
        const tl_rank_summary *least = &ends[end].least, *most = &ends[end].most;
        if (ends[end].n)
            printf("%8" PRIu32 " %12" PRIu64 " %12" PRIu64 " %20" PRIu64 " %20" PRIu64
                   " %12.4g %12.4g  %-12s %" PRIu32 "\n",
                   ends[end].n, least->n_events, most->n_events, least->volume, most->volume,
                   (double)least->clock_ns * 1e-9, (double)most->clock_ns * 1e-9, end_text(end),
                   ends[end].first);
    }
    puts("least and most of the ranks that end alike; --all prints each rank");
}

static void print_ranks(const struct facts *f)
{
    if (f->run->n_ranks > f->most_ranks) {
        sum_up_ranks(f);
        return;
    }
    printf("\n%8s %12s %20s %14s  %-12s %s\n", "rank", "events", "volume", "wall s", "end", "host");
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++) {
        tl_rank_summary s;
        if (tl_reader_rank(f->r, rank, &s) == TL_OK)
            print_rank(f, rank, &s);
    }
}

static void print_text(const struct facts *f)
{
    print_line("trace", tl_reader_path(f->r));
    print_line("program", f->run->program);
    print_line("MPI library", f->run->mpi_library);
    print_line("written by", f->run->writer);
    print_line("origin", f->run->origin);
    print_line("parameters", f->run->parameters);
    print_line("run", f->run->run_id);
    print_line("hosts", f->run->parts);
    print_line("folding", f->run->folding);
    print_line("not traced", f->run->untraced);
    printf("%-16s %s (%s)\n", "volumes", tl_printable(f->run->volume_unit),
           tl_printable(f->run->volume_source));
    if (*f->run->volume_sample)
        printf("%-16s %s blocks have their own volumes\n", "volume sample",
               tl_printable(f->run->volume_sample));
    char bursts[160];
    tlr_volumes_text(f->run->volume_bursts, bursts, sizeof bursts);
    print_line("volume bursts", bursts);
    if (f->n_timed)
        printf("%-16s %" PRIu64 " calls have their measured time\n", "call times", f->n_timed);
    printf("%-16s %016" PRIx64 "\n", "hash", f->hash);
    printf("%-16s %" PRIu32 "\n", "ranks", f->run->n_ranks);
    printf("%-16s %" PRIu64 "\n", "events", f->n_events);
    printf("%-16s %" PRIu64 " (%.4g per event)\n", "bytes", tl_reader_file_bytes(f->r),
           bytes_per_event(f));
    printf("%-16s %s", "complete", tl_reader_complete(f->r) ? "yes" : "no");
    if (tl_reader_n_damages(f->r))
        printf(", damaged in %zu places", tl_reader_n_damages(f->r));
    char reason[640];
    const bool comparable = !tl_reader_clock(f->r, reason, sizeof reason);
    printf("\n%-16s %s%s\n", "clock",
           comparable ? clock_text(f) : "not comparable: ", tl_printable(reason));
    if (tl_reader_uncounted(f->r, reason, sizeof reason))
        printf("%-16s the trace has the computation of %s\n", "recorded in part",
               tl_printable(reason));
    if (f->n_recovered)
        printf("%-16s %" PRIu64 " events of killed ranks, from %s.open\n", "recovered",
               f->n_recovered, tl_reader_path(f->r));
    print_ranks(f);
    printf("\n%12s  %s\n", "events", "call");
    for (size_t i = 0; i < f->n_calls; i++)
        printf("%12" PRIu64 "  %s%s\n", f->calls[i].n, f->calls[i].row->name,
               f->calls[i].row->action == TL_ACTION_OPAQUE ? " (not modelled)" : "");
    for (size_t i = 0; i < f->n_users; i++)
        printf("%12" PRIu64 "  user:%s\n", f->users[i].n, tl_printable(f->users[i].name));
    print_counters(f);
    if (f->sections)
        print_sections(f);
}

/* ---- JSON ---- */

/* The names come from the program. */
static void set_count(json_t *object, const char *name, uint64_t n)
{
    json_t *key = tlr_json_text(name);
    const char *text = json_string_value(key);
    const json_int_t alike = json_integer_value(json_object_get(object, text)); /* with '?' */
    json_object_set_new(object, text, tlr_json_unsigned((uint64_t)alike + n));
    json_decref(key);
}

static json_t *counters_json(const tl_reader *r, uint32_t rank)
{
    const tl_counter *counters;
    size_t n = counters_of(r, rank, &counters);
    json_t *object = json_object();
    for (size_t i = 0; i < n; i++)
        set_count(object, counters[i].name, counters[i].value);
    return object;
}

static json_t *ranks_json(const struct facts *f)
{
    json_t *ranks = json_array();
    const int all = f->run->n_ranks <= f->most_ranks;
    for (uint32_t rank = 0; all && rank < f->run->n_ranks; rank++) {
        tl_rank_summary s;
        if (tl_reader_rank(f->r, rank, &s) == TL_OK)
            json_array_append_new(
                ranks,
                json_pack("{s:I,s:o,s:o,s:o,s:s,s:o,s:o,s:o}", "events", (json_int_t)s.n_events,
                          "volume", tlr_json_unsigned(s.volume), "clock_ns",
                          s.end == TL_END_NONE ? json_null() : tlr_json_unsigned(s.clock_ns),
                          "last_mark_ns", tlr_json_unsigned(f->last_mark_ns[rank]), "end",
                          s.end == TL_END_NONE && end_of(f, &s) == IS_LOST ? "lost"
                                                                           : end_text((int)s.end),
                          "host", tlr_json_text(s.host), "remark", tlr_json_text(s.remark),
                          "counters", counters_json(f->r, rank)));
    }
    return ranks;
}

static json_t *sections_json(const struct facts *f)
{
    json_t *sections = json_array();
    for (size_t i = 0; i < f->n_sections; i++) {
        const tl_section *s = &f->sections[i];
        const tl_call_info *row = s->call ? tl_call_by_code(s->call) : NULL;
        char site[512];
        tl_site_name(f->r, 0, s->site, site, sizeof site);
        json_array_append_new(sections, json_pack("{s:s,s:o,s:I,s:I,s:I}", "call",
                                                  row ? row->name : "", "site", tlr_json_text(site),
                                                  "events", (json_int_t)s->n_events, "clock_ns",
                                                  (json_int_t)s->clock_ns, "first_event",
                                                  (json_int_t)s->first_event));
    }
    return sections;
}

static json_t *make_json(const struct facts *f)
{
    char hash[17], reason[640], uncounted[640];
    snprintf(hash, sizeof hash, "%016" PRIx64, f->hash);
    tl_reader_clock(f->r, reason, sizeof reason);
    tl_reader_uncounted(f->r, uncounted, sizeof uncounted);
    const char *const texts[][2] = {{"trace", tl_reader_path(f->r)},
                                    {"run_id", f->run->run_id},
                                    {"hosts", f->run->parts},
                                    {"folding", f->run->folding},
                                    {"untraced", f->run->untraced},
                                    {"parameters", f->run->parameters},
                                    {"volume_sample", f->run->volume_sample},
                                    {"program", f->run->program},
                                    {"mpi_library", f->run->mpi_library},
                                    {"writer", f->run->writer},
                                    {"origin", f->run->origin},
                                    {"volume_unit", f->run->volume_unit},
                                    {"volume_source", f->run->volume_source},
                                    {"hash", hash},
                                    {"clock", *reason ? reason : clock_text(f)}};
    json_t *calls = json_object(), *users = json_object(), *damages = json_array();
    for (size_t i = 0; i < f->n_calls; i++)
        set_count(calls, f->calls[i].row->name, f->calls[i].n);
    for (size_t i = 0; i < f->n_users; i++)
        set_count(users, f->users[i].name, f->users[i].n);
    for (size_t i = 0; i < tl_reader_n_damages(f->r); i++)
        json_array_append_new(damages, tlr_json_text(tl_reader_damage(f->r, i)->text));
    json_t *root =
        json_pack("{s:i,s:I,s:I,s:I,s:f,s:b,s:o,s:o,s:o,s:o}", "n_ranks", (int)f->run->n_ranks,
                  "n_events", (json_int_t)f->n_events, "n_recovered", (json_int_t)f->n_recovered,
                  "bytes", (json_int_t)tl_reader_file_bytes(f->r), "bytes_per_event",
                  bytes_per_event(f), "complete", tl_reader_complete(f->r), "ranks", ranks_json(f),
                  "calls", calls, "user_kernels", users, "damages", damages);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(root, texts[i][0], tlr_json_text(texts[i][1]));
    tlr_volumes_json(root, f->run->volume_sample, f->run->volume_bursts);
    if (*uncounted)
        json_object_set_new(root, "recorded_in_part", tlr_json_text(uncounted));
    if (f->n_timed)
        json_object_set_new(root, "call_times", tlr_json_unsigned(f->n_timed));
    if (f->sections)
        json_object_set_new(root, "sections", sections_json(f));
    return root;
}

int cmd_info(int argc, char **argv)
{
    struct info_options o = {0};
    cli_parse(option_table, parse_option, NULL, "TRACE", "Print what a trace contains.", argc, argv,
              &o);
    uint32_t *n_alike = NULL;
    struct facts *f = calloc(1, sizeof *f);
    if (!f)
        return cli_fail_text(TL_ERR_MEMORY, "%s: out of memory", o.path);
    int code = cli_open_trace(o.path, &f->r);
    if (code)
        goto cleanup;
    f->run = tl_reader_run(f->r);
    f->last_mark_ns = calloc(f->run->n_ranks, sizeof *f->last_mark_ns);
    f->damaged = calloc(f->run->n_ranks, sizeof *f->damaged);
    if (!f->last_mark_ns || !f->damaged) {
        code = cli_fail_text(TL_ERR_MEMORY, "%s: out of memory", o.path);
        goto cleanup;
    }
    if (!tl_reader_complete(f->r))
        code = CLI_BAD_INPUT;
    for (uint32_t rank = 0; rank < f->run->n_ranks; rank++) {
        tl_rank_summary s;
        if (tl_reader_rank(f->r, rank, &s) == TL_OK)
            f->n_recovered += s.n_recovered;
    }
    tl_error err;
    if (tl_reader_hash(f->r, &f->hash, &err)) {
        code = cli_fail(&err);
        goto cleanup;
    }
    cli_progress_expect(f->r, -1, 0, UINT64_MAX);
    if (!list_users(f) || !(n_alike = count_alike(f, o.json.is_wanted))) {
        code = cli_fail_text(TL_ERR_MEMORY, "%s: out of memory", o.path);
        goto cleanup;
    }
    if (count_calls(f, n_alike, &err) && !tl_reader_n_damages(f->r))
        code = cli_fail(&err);
    if (o.sections && tl_sections_list(f->r, &f->sections, &f->n_sections, &err))
        code = cli_fail(&err);
    cli_progress_stop();
    f->most_ranks = o.all ? UINT32_MAX : RANKS_OF_SCREEN;
    if (cli_json_leaves_text(&o.json))
        print_text(f);
    f->most_ranks = o.all ? UINT32_MAX : RANKS_OF_JSON;
    if (o.json.is_wanted &&
        cli_json_write(&o.json, make_json(f), JSON_INDENT(2) | JSON_SORT_KEYS, &err))
        code = cli_fail(&err);
cleanup:
    free(n_alike);
    free(f->users);
    free(f->sections);
    free(f->last_mark_ns);
    free(f->damaged);
    tl_reader_close(f->r);
    free(f);
    return code;
}
