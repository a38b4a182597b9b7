/* campaign.c - measures an operation: launches of timeless-perform in random order, for each of
 * which a skeleton has the sizes in random order (Cornebize, thesis draft, section 8.2.1). */
#include "config.h"

#include "measure/measure.h"

#include "installed.h"
#include "launch.h"
#include "study/study.h"

#include <actions.h>
#include <calibrate/network_draw.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <unistd.h>

enum { MAX_WORDS = 256, MAX_ALGORITHMS = 32, MAX_SIZES = 1000 };

static const measure_algorithm algorithms[] = {
#define MEASURED(operation, name, id, mpich, smpi, loggops)                                        \
    {#operation, name, id, mpich, smpi, loggops},
#include "measure/algorithms.def"
};
static const measure_algorithm own_choice = {"", "default", 0, "", "", ""};

const measure_algorithm *measure_algorithm_of(const char *operation, size_t i)
{
    if (!i)
        return &own_choice;
    for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++)
        if (!strcmp(algorithms[k].operation, operation) && !--i)
            return &algorithms[k];
    return NULL;
}

/* A launch of the measuring program. */
typedef struct job {
    unsigned launch;
    const measure_algorithm *algorithm;
} job;

typedef struct plan {
    const measure_campaign *c;
    char program[PATH_MAX], skeleton[PATH_MAX];
    tlr_axis sizes;
    size_t n_chosen, n_jobs;
    const measure_algorithm *chosen[MAX_ALGORITHMS];
    job *jobs;
} plan;

/* ---- what is measured ---- */

/* The MPI call of an operation, as MPI_Allreduce of allreduce; NULL: it cannot be measured. */
static const tl_call_info *find_call(const char *operation)
{
    char name[80];
    if (!strcmp(operation, "pingpong"))
        operation = "send";
    if (!strcmp(operation, "ring"))
        operation = "sendrecv";
    snprintf(name, sizeof name, "MPI_%c%.60s", toupper((unsigned char)*operation), operation + 1);
    const tl_call_info *info = tl_call_by_name(name);
    if (!info || info->traits & TL_TRAIT_PERSISTENT || info->action == TL_ACTION_ALLTOALLW)
        return NULL;
    switch (info->action) {
    case TL_ACTION_SEND:
    case TL_ACTION_ISEND: /* a ready send needs an open receive */
        return info->code == TL_MPI_Rsend || info->code == TL_MPI_Irsend ? NULL : info;
    case TL_ACTION_SENDRECV: return info;
    case TL_ACTION_PUT:
    case TL_ACTION_GET:
    case TL_ACTION_ACCUMULATE: return info->traits & TL_TRAIT_NB ? NULL : info;
    default: return tl_meaning_of(info->action)->kind == TL_KIND_COLLECTIVE ? info : NULL;
    }
}

/* A message from rank 0 to rank 1 and back. */
static void write_message(const tl_call_info *info, unsigned long long bytes, FILE *out)
{
    const bool waits = info->action == TL_ACTION_ISEND;
    const char *request = waits ? " request=a\nMPI_Wait request=a" : "";
    for (int rank = 0; rank < 2; rank++) {
        fprintf(out, "if rank == %d {\n", rank);
        if (rank)
            fprintf(out, "MPI_Recv peer=0 count=%llu\n", bytes);
        fprintf(out, "%s peer=%d count=%llu%s\n", info->name, 1 - rank, bytes, request);
        if (!rank)
            fprintf(out, "MPI_Recv peer=1 count=%llu\n", bytes);
        fputs("}\n", out);
    }
}

/* Elements of 8 bytes, as most programs reduce, if the bytes are as many. */
static void write_collective(const tl_call_info *info, unsigned long long bytes, FILE *out)
{
    const tl_meaning *m = tl_meaning_of(info->action);
    const unsigned each = bytes % 8 ? 1 : 8;
    fputs(info->name, out);
    if (info->slots & TL_SLOT_PEER)
        fputs(" peer=0", out);
    if (info->slots & TL_SLOT_COUNT && !(tl_is_listed(m->sent)))
        fprintf(out, " count=%llu", bytes / each);
    if (tl_is_listed(m->sent))
        fprintf(out, " counts=%llu", bytes / each);
    if (tl_is_listed(m->received))
        fprintf(out, " recv_counts=%llu", bytes / each);
    if (info->slots & TL_SLOT_TYPE)
        fprintf(out, " type_bytes=%u", each);
    fputs(tl_is_nonblocking(info->action) ? " request=a\nMPI_Wait request=a\n" : "\n", out);
}

void measure_write_block(const char *operation, unsigned long long bytes, unsigned repetitions,
                         FILE *out)
{
    const tl_call_info *info = find_call(operation);
    const unsigned each = bytes % 8 ? 1 : 8;
    fprintf(out, "repeat %u {\nMPI_Pcontrol level=%llu\n", repetitions, bytes);
    if (tl_is_collective(info->action))
        write_collective(info, bytes, out);
    else if (tl_is_on_window(info->action))
        fprintf(out,
                "if rank == 0 {\n%s comm=w peer=1 count=%llu type_bytes=%u\n"
                "MPI_Win_flush comm=w peer=1\n}\n",
                info->name, bytes / each, each);
    else if (info->action == TL_ACTION_SENDRECV)
        fprintf(out, "%s peer=(rank + 1) %% ranks recv_peer=(rank - 1) %% ranks count=%llu\n",
                info->name, bytes);
    else
        write_message(info, bytes, out);
    fputs("}\n", out);
}

/* Changes the order of n things of `size` bytes at random. */
static void shuffle(void *things, size_t n, size_t size)
{
    char *at = things, kept[64];
    for (size_t i = n; i > 1; i--) {
        const size_t k = tlp_draw() % i;
        memcpy(kept, at + (i - 1) * size, size);
        memcpy(at + (i - 1) * size, at + k * size, size);
        memcpy(at + k * size, kept, size);
    }
}

/* The measuring program repeats the call itself. */
static bool is_loop(const measure_campaign *c)
{
    return !strcmp(c->start, "loop");
}

static tl_status write_skeleton(const void *arg, FILE *out, tl_error *err)
{
    const plan *p = arg;
    const bool has_window = tl_is_on_window(find_call(p->c->operation)->action);
    (void)err;
    shuffle(p->sizes.values, p->sizes.n, sizeof *p->sizes.values);
    fputs("skeleton 1\nranks 2\n", out);
    if (has_window)
        fputs("comm w = 0\nMPI_Win_allocate new_comm=w\nMPI_Win_lock_all comm=w\n", out);
    for (size_t i = 0; i < p->sizes.n; i++)
        measure_write_block(p->c->operation, strtoull(p->sizes.values[i], NULL, 10),
                            is_loop(p->c) ? 1 : p->c->repetitions, out);
    if (has_window) /* a mark below 0 ends the last repetition */
        fputs("MPI_Pcontrol level=-1\nMPI_Win_unlock_all comm=w\nMPI_Win_free comm=w\n", out);
    return TL_OK;
}

/* ---- a launch ---- */

/* The command: for an algorithm, "env" sets the parameters of the MPI libraries. */
static void build_command(plan *p, const measure_algorithm *algorithm, char (*texts)[160],
                          char **argv)
{
    int n = 0;
    if (algorithm->id) {
        argv[n++] = (char *)"env";
        argv[n++] = (char *)"OMPI_MCA_coll_tuned_use_dynamic_rules=1";
        argv[n++] = (char *)"OMPI_MCA_coll_han_priority=0";
        snprintf(texts[0], sizeof *texts, "OMPI_MCA_coll_tuned_%s_algorithm=%d",
                 algorithm->operation, algorithm->id);
        argv[n++] = texts[0];
    }
    if (*algorithm->mpich) {
        snprintf(texts[1], sizeof *texts, "MPIR_CVAR_%s_INTRA_ALGORITHM=%s", algorithm->operation,
                 algorithm->mpich);
        for (char *at = texts[1]; *at != '='; at++)
            *at = (char)toupper((unsigned char)*at);
        argv[n++] = texts[1];
    }
    for (int i = 0; i < p->c->n_launcher; i++)
        argv[n++] = p->c->launcher[i];
    argv[n++] = p->program;
    if (p->c->counters) {
        argv[n++] = (char *)"--counters";
        argv[n++] = (char *)p->c->counters;
    }
    if (p->c->inside) {
        argv[n++] = (char *)"--inside";
        argv[n++] = (char *)p->c->inside;
    }
    argv[n++] = (char *)"--measure";
    snprintf(texts[2], sizeof *texts, is_loop(p->c) ? "%s:%u" : "%s", p->c->start,
             p->c->repetitions);
    argv[n++] = texts[2];
    argv[n++] = p->c->trace ? (char *)p->c->trace : p->skeleton;
    argv[n] = NULL;
}

static bool is_without(const char *mpi, const measure_algorithm *algorithm)
{
    return algorithm->id && !*algorithm->mpich && strncmp(mpi, "Open MPI", 8) != 0;
}

/* The rows of a launch. Nothing is copied if the library does not have the algorithm. */
typedef struct rows {
    const job *job;
    FILE *out;
    long n;
    bool are_left_out;
} rows;

/* Whether the line is the last one, and no row before it is missing. */
static bool copy_row(void *arg, const char *line)
{
    rows *r = arg;
    const job *j = r->job;
    if (!strncmp(line, "# mpi ", 6))
        r->are_left_out = is_without(line + 6, j->algorithm);
    if (!strncmp(line, "# end ", 6))
        return r->are_left_out || strtol(line + 6, NULL, 10) == r->n;
    if (r->are_left_out)
        return 0;
    if (!strncmp(line, "# clock ", 8))
        fprintf(r->out, "# clock launch %u algorithm %s %s", j->launch, j->algorithm->name,
                line + 8);
    else if (*line == '#')
        fputs(line, r->out);
    else if (isdigit((unsigned char)*line) && ++r->n)
        fprintf(r->out, "%u,%s,%s", j->launch, j->algorithm->name, line);
    else if (!strncmp(line, "MPI_", 4) && ++r->n) /* of a trace: the call is the algorithm */
        fprintf(r->out, "%u,%s", j->launch, line);
    return 0;
}

static tl_status run_job(plan *p, const job *j, FILE *out, tl_error *err)
{
    char texts[3][160], *argv[MAX_WORDS];
    rows r = {.job = j, .out = out};
    tl_status status = p->c->trace ? TL_OK : tl_output_write(p->skeleton, write_skeleton, p, err);
    if (status != TL_OK)
        return status;
    build_command(p, j->algorithm, texts, argv);
    status = cli_launch_run(argv, 0, copy_row, &r, err);
    if (status == TL_OK && r.are_left_out && !j->launch)
        fprintf(
            stderr,
            "timeless: the algorithm %s is left out, as this MPI library has no parameter for it\n",
            j->algorithm->name);
    return status;
}

/* ---- all launches ---- */

static tl_status choose_algorithms(plan *p, tl_error *err)
{
    const char *wanted = p->c->algorithms;
    char *copy = strdup(wanted ? wanted : "default"), *save = NULL;
    if (!copy)
        return tl_no_memory(err, "the command");
    tl_status status = TL_OK;
    const measure_algorithm *a;
    for (char *name = strtok_r(copy, ",", &save); name && status == TL_OK;
         name = strtok_r(NULL, ",", &save)) {
        const size_t before = p->n_chosen;
        for (size_t i = 0; (a = measure_algorithm_of(p->c->operation, i)); i++)
            if ((!strcmp(name, "all") || !strcmp(name, a->name)) && p->n_chosen < MAX_ALGORITHMS)
                p->chosen[p->n_chosen++] = a;
        if (p->n_chosen == before)
            status = tl_fail(err, TL_ERR_USAGE,
                             "--algorithms '%.60s': %.60s has no such algorithm; "
                             "timeless-measure(1) lists them",
                             name, p->c->operation);
    }
    free(copy);
    return status;
}

static tl_status make_plan(plan *p, tl_error *err)
{
    const measure_campaign *c = p->c;
    tl_status status = choose_algorithms(p, err);
    if (status == TL_OK && !c->trace)
        status = study_numbers("make.bytes", "--bytes", c->bytes, &p->sizes, err);
    if (status != TL_OK)
        return status;
    if (p->sizes.n > MAX_SIZES)
        return tl_fail(err, TL_ERR_USAGE, "--bytes: %zu sizes; give at most %d", p->sizes.n,
                       MAX_SIZES);
    if (c->program)
        snprintf(p->program, sizeof p->program, "%s", c->program);
    else if (!tlr_installed(TLR_PLACE_PROGRAMS, "timeless-perform", "perform", p->program,
                            sizeof p->program))
        return tl_fail(err, TL_ERR_SYSTEM,
                       "%.200s: the measuring program " CLI_IS_MISSING ", or give --program",
                       p->program);
    snprintf(p->skeleton, sizeof p->skeleton, "%s.skel", c->output);
    if (!(p->jobs = calloc(c->launches * p->n_chosen, sizeof *p->jobs)))
        return tl_no_memory(err, "the command");
    for (unsigned l = 0; l < c->launches; l++)
        for (size_t k = 0; k < p->n_chosen; k++)
            p->jobs[p->n_jobs++] = (job){l, p->chosen[k]};
    tlp_draw_begin(c->seed);
    shuffle(p->jobs, p->n_jobs, sizeof *p->jobs);
    return TL_OK;
}

static tl_status measure_all(const void *arg, FILE *out, tl_error *err)
{
    plan *p = (plan *)arg;
    char moment[TLP_MOMENT_BYTES];
    tl_status status = TL_OK;
    tlp_moment(moment);
    fprintf(out, TLP_MEASURED_MAGIC "\n# operation %s\n# moment %s\n# seed %llu\n",
            tl_printable(p->c->operation), moment, (unsigned long long)p->c->seed);
    fprintf(out, "# command");
    int next = 0;
    for (int i = 0; i < p->c->n_launcher; i++) {
        char word[512];
        tl_public_word(p->c->launcher[i], &next, word, sizeof word);
        fprintf(out, " %s", tl_printable(word));
    }
    fprintf(out, "\n" TLP_MEASURED_HEADER "\n");
    for (size_t i = 0; i < p->n_jobs && status == TL_OK; i++)
        status = run_job(p, &p->jobs[i], out, err);
    return status;
}

unsigned measure_can(const char *operation)
{
    const tl_call_info *info = find_call(operation);
    if (!info)
        return 0;
    if (tl_is_on_window(info->action)) /* its events would be a part of the prediction */
        return MEASURE_TIMES;
    return MEASURE_TIMES | MEASURE_PREDICTION |
           (tl_is_collective(info->action) && !tl_is_nonblocking(info->action) ? MEASURE_LOOP : 0);
}

tl_status measure_run(const measure_campaign *c, tl_error *err)
{
    plan p = {.c = c};
    tl_status status = make_plan(&p, err);
    if (status == TL_OK && c->trace)
        fprintf(stderr, "timeless: measuring the calls of %s: %u launches\n", c->operation,
                c->launches);
    else if (status == TL_OK)
        fprintf(stderr, "timeless: measuring %s: %zu sizes, %zu algorithms, %u launches of each\n",
                c->operation, p.sizes.n, p.n_chosen, c->launches);
    if (status == TL_OK)
        status = tl_output_write(c->output, measure_all, &p, err);
    if (*p.skeleton)
        unlink(p.skeleton);
    tlr_axis_free(&p.sizes);
    free(p.jobs);
    return status;
}
