/* perform.c - timeless-perform: runs a trace as a real MPI program. 'timeless perform' starts it.
 *
 *     mpirun -np RANKS timeless-perform [OPTIONS] TRACE
 */
#include "config.h"

#include "check.h"
#include "clock.h"
#include "measure.h"
#include "performer.h"

#include <argp.h>
#include <dlfcn.h>
#include <link.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <timeless_files.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    KEY_MODEL = 1000,
    KEY_COMPUTE,
    KEY_WINDOW,
    KEY_DILATE,
    KEY_SEED,
    KEY_JSON,
    KEY_MEASURE,
    KEY_COUNTERS,
    KEY_INSIDE
};

typedef struct arguments {
    const char *trace, *model, *json;
    perform_compute compute;
    double dilation;
    uint64_t seed;
    int64_t window_bytes; /* the largest access of all ranks */
    const char *measure;  /* how repetitions begin, if each is timed; NULL: none is */
    const char *counters; /* of each repetition */
    unsigned inside_hz;   /* of samples of the stack; 0: none */
} arguments;

static const struct argp_option options[] = {
    {"model", KEY_MODEL, "FILE", 0, "compute model: the time of bursts and kernels", 0},
    {"compute", KEY_COMPUTE, "HOW", 0, "none, wait, spin or kernels", 0},
    {"dilate", KEY_DILATE, "FACTOR", 0, "multiply the time of computation by this", 0},
    {"seed", KEY_SEED, "N", 0, "draw the noise of computation from this seed", 0},
    {"window-bytes", KEY_WINDOW, "N", 0, "size of all windows", 0},
    {"json", KEY_JSON, "FILE", 0, "write JSON to FILE; '-': print it instead of text", 0},
    {"measure", KEY_MEASURE, "START", 0,
     "print times: of the repetitions of a skeleton, which begin by window or barrier; or of calls",
     0},
    {"counters", KEY_COUNTERS, "LIST", 0, "variables of MPI_T of each repetition: mpit:NAME,...",
     0},
    {"inside", KEY_INSIDE, "HZ", 0, "print samples of the stack of each repetition", 0},
    {0}};

/* The command 'timeless perform' has checked these texts. */
static error_t parse_option(int key, char *value, struct argp_state *state)
{
    static const char *const names[] = {"none", "wait", "spin", "kernels"};
    arguments *a = state->input;
    switch (key) {
    case KEY_MODEL: a->model = value; return 0;
    case KEY_JSON: a->json = value; return 0;
    case KEY_MEASURE: a->measure = value; return 0;
    case KEY_COUNTERS: a->counters = value; return 0;
    case KEY_INSIDE: a->inside_hz = (unsigned)strtoul(value, NULL, 10); return 0;
    case KEY_SEED: a->seed = strtoull(value, NULL, 10); return 0;
    case KEY_WINDOW: a->window_bytes = strtoll(value, NULL, 10); return 0;
    case KEY_DILATE:
        a->dilation = strtod(value, NULL);
        if (!(a->dilation > 0 && a->dilation <= 1e6))
            argp_error(state, "--dilate '%s': give a factor above 0", value);
        return 0;
    case KEY_COMPUTE:
        for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
            if (strcmp(value, names[i]) == 0) {
                a->compute = (perform_compute)i;
                return 0;
            }
        argp_error(state, "--compute '%s': give none, wait, spin or kernels", value);
        return 0;
    case ARGP_KEY_ARG:
        if (a->trace)
            argp_error(state, "one trace at a time, please");
        a->trace = value;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which trace? give a file"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The line is written at once: another rank that gives up may end this one in between. */
void perform_give_up(const performer *p, const char *format, ...)
{
    char reason[8192]; /* with a path of the longest size */
    va_list list;
    va_start(list, format);
    vsnprintf(reason, sizeof reason, format, list);
    va_end(list);
    fprintf(stderr, "timeless: rank %u, event %llu: %s\n", p->rank, (unsigned long long)p->index,
            reason);
    MPI_Abort(MPI_COMM_WORLD, 4);
    abort();
}

/* ---- preparation ---- */

/* Launchers say which rank this is before MPI_Init. -1: this one does not. */
static long rank_before_init(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        if (text && *text)
            return strtol(text, NULL, 10);
    }
    return -1;
}

/* What the program called first, on rank 0: the same on all ranks in practice. */
static int wants_threads(tl_reader *trace)
{
    tl_cursor *cursor = NULL;
    tl_event event;
    int wanted = 0;
    if (tl_cursor_open(trace, 0, &cursor, NULL) == TL_OK)
        while (tl_cursor_next(cursor, &event) == TL_OK)
            if (tl_call_by_code(event.call)->action == TL_ACTION_INIT) {
                wanted = event.call == TL_MPI_Init_thread;
                break;
            }
    tl_cursor_close(cursor);
    return wanted;
}

static void *zeros(const performer *p, int64_t bytes)
{
    void *memory = mmap(NULL, (size_t)bytes + 4096, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        perform_give_up(p, "no memory for messages of %lld bytes; use fewer ranks on a host",
                        (long long)bytes);
    return memory;
}

static void do_nothing(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
}

/* Nothing that follows communicates: a tracer would take it for a call of the program. */
static void prepare(performer *p, const perform_needs *needs, int64_t window_bytes)
{
    p->window_bytes = window_bytes > needs->window_bytes ? window_bytes : needs->window_bytes;
    p->sent = zeros(p, needs->message_bytes);
    p->received = zeros(p, needs->message_bytes);
    memset(p->sent, 0, (size_t)needs->message_bytes); /* pages of its own, as a program has */
    MPI_Op_create(do_nothing, 1, &p->commutative);
    MPI_Op_create(do_nothing, 0, &p->ordered);
    if (needs->buffered_bytes) {
        const int64_t most = INT32_MAX;
        const int64_t bytes = needs->buffered_bytes < most ? needs->buffered_bytes : most;
        MPI_Buffer_attach(zeros(p, bytes), (int)bytes);
    }
    perform_open_objects(p, needs->is_made);
    perform_request_of(p, 0);
}

static tl_status open_model(performer *p, const arguments *a, tlr_model **model, tl_error *err)
{
    char host[256] = "";
    const tlr_options model_options = {.seed = a->seed};
    gethostname(host, sizeof host - 1);
    const tlr_place place = {.host = host};
    if (a->model)
        TL_TRY(tlr_model_load(a->model, model, err));
    p->compute = *model || p->kernels ? a->compute : PERFORM_NONE;
    p->dilation = a->dilation;
    return tlr_rank_model_open(&p->model, *model, p->trace, 0, p->rank, &place, &model_options,
                               err);
}

/* What the rank needs, and the operands of its kernels. Ranks have different ones. */
static tl_status check_rank(performer *p, const arguments *a, uint32_t rank, perform_needs *needs,
                            tl_error *err)
{
    perform_forget(needs);
    perform_kernels_close(p->kernels);
    p->kernels = NULL;
    *needs = (perform_needs){.calls_kernels = a->compute == PERFORM_KERNELS};
    TL_TRY(perform_check(p->trace, rank, needs, err));
    return needs->calls_kernels
               ? perform_kernels_open(&needs->kernels, a->seed + rank, &p->kernels, err)
               : TL_OK;
}

static tl_status open_rank(performer *p, const arguments *a, const perform_needs *needs,
                           tlr_model **model, tl_error *err)
{
    if (needs->n_refused)
        return perform_refuse(p->trace, needs, err);
    TL_TRY(open_model(p, a, model, err));
    if (needs->calls_kernels)
        TL_TRY(perform_check_model(p->trace, needs, *model, err));
    return tl_cursor_open(p->trace, p->rank, &p->cursor, err);
}

/* ---- the performance ---- */

/* Takes what the tracer wrote by itself into account. Zero: the event is a call. */
static bool is_note(performer *p)
{
    const tl_action action = tl_call_by_code(p->event.call)->action;
    return action == TL_ACTION_MATCH || action == TL_ACTION_THREAD || action == TL_ACTION_NONE ||
           action == TL_ACTION_KERNEL || action == TL_ACTION_INIT || action == TL_ACTION_FINALIZE;
}

/* Whether the arguments of the call are in special.c, not in its row. */
static bool is_special(uint16_t call)
{
    switch (call) {
#define TL_SPECIAL(code, ...) case code:
#define TL_PSEUDO TL_SPECIAL
#include <mpi_calls.def>
        return 1;
    default: return 0;
    }
}

static int perform_call(performer *p)
{
    const int special = is_special(p->event.call);
    int rc;
    do {
        if (p->measure && special) /* perform_row has it when the arguments are known */
            perform_measure_before(p);
        rc = special ? perform_special(p) : perform_row(p);
        if (p->measure)
            perform_measure_after(p);
    } while (p->measure && perform_measure_again(p));
    if (special)
        return rc;
    perform_keep_object(p);
    if (tl_call_by_code(p->event.call)->traits & TL_TRAIT_PERSISTENT) {
        perform_request *r = perform_request_of(p, p->event.request);
        r->is_open = tlr_receive_is_open(&p->event); /* its source is known when it is started */
        r->event = p->event;
        r->event.list = NULL;
    }
    return rc;
}

static void perform_event(performer *p)
{
    const tl_event *e = &p->event;
    perform_burst(p);
    if (is_note(p))
        return;
    if (p->measure && tl_call_by_code(e->call)->action == TL_ACTION_REGION) {
        perform_measure_mark(p, e->tag);
        return;
    }
    perform_prepare(p);
    p->source = perform_peer(e->peer);
    p->tag = e->tag == TL_ANY_TAG ? MPI_ANY_TAG : p->tag;
    if (tlr_receive_is_open(e) && e->call == TL_MPI_Irecv)
        perform_find_source(p);
    const int rc = perform_call(p);
    if (rc != MPI_SUCCESS)
        perform_give_up(p, "%s fails with error %d of MPI; see its message above",
                        tl_call_by_code(e->call)->name, rc);
    p->n_calls++;
}

static void perform_all(performer *p)
{
    tl_status status;
    while ((status = tl_cursor_next(p->cursor, &p->event)) == TL_OK) {
        if (!tlr_renumber(&p->renumbering, &p->event))
            perform_give_up(p, "out of memory for requests; use fewer ranks on a host");
        perform_event(p);
        p->index++;
    }
    if (status != TL_END)
        perform_give_up(p, "%s", tl_cursor_error(p->cursor)->text);
}

/* ---- results ---- */

typedef struct outcome {
    double seconds, computed_s;
    uint64_t n_calls;
} outcome;

static double slowest(const outcome *all, int n, int *which)
{
    *which = 0;
    for (int i = 1; i < n; i++)
        if (all[i].seconds > all[*which].seconds)
            *which = i;
    return all[*which].seconds;
}

static void print_json(FILE *out, const outcome *all, int n)
{
    int which;
    fprintf(out, "{\n  \"makespan_s\": %.9f,\n  \"ranks\": [\n", slowest(all, n, &which));
    for (int i = 0; i < n; i++)
        fprintf(out,
                "    {\"rank\": %d, \"seconds\": %.9f, \"compute_s\": %.9f, \"calls\": %llu}%s\n",
                i, all[i].seconds, all[i].computed_s, (unsigned long long)all[i].n_calls,
                i + 1 < n ? "," : "");
    fprintf(out, "  ]\n}\n");
}

/* Prints or writes. Zero: the file cannot be written. */
static int print(const arguments *a, const outcome *all, int n, uint64_t n_calls)
{
    int which;
    const double makespan_s = slowest(all, n, &which);
    const bool is_json = a->json && strcmp(a->json, "-") == 0;
    tl_output out;
    if (is_json)
        print_json(stdout, all, n);
    else
        printf("performed %llu calls on %d ranks in %.4g s; rank %d is the slowest, with %.4g s of "
               "computation\n",
               (unsigned long long)n_calls, n, makespan_s, which, all[which].computed_s);
    if (fflush(stdout) != 0)
        return 0;
    if (!a->json || is_json)
        return 1;
    if (tl_output_open(a->json, &out, NULL))
        return 0;
    print_json(out.file, all, n);
    return tl_output_close(&out, a->json, TL_OK, NULL) == TL_OK;
}

typedef int gather(const void *, int, MPI_Datatype, void *, int, MPI_Datatype, int, MPI_Comm);

/* MPI_Gather behind the tracer, if there is one: in the last object that has it, as a preloaded
 * one comes before the library. */
static gather *real_gather(void)
{
    gather *found = PMPI_Gather;
    struct link_map *first = NULL;
    void *self = dlopen(NULL, RTLD_LAZY);
    if (!self || dlinfo(self, RTLD_DI_LINKMAP, &first) != 0)
        return found;
    for (const struct link_map *object = first; object; object = object->l_next) {
        void *handle = *object->l_name ? dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        void *symbol = handle ? dlsym(handle, "PMPI_Gather") : NULL;
        Dl_info owner;
        if (symbol && dladdr(symbol, &owner) && strcmp(owner.dli_fname, object->l_name) == 0)
            memcpy(&found, &symbol, sizeof found);
        if (handle)
            dlclose(handle);
    }
    dlclose(self);
    return found;
}

/* Rank 0 prints. Nonzero: the results could not be written. */
static int report(const performer *p, double seconds, const arguments *a)
{
    const outcome mine = {seconds, p->computed_s, p->n_calls};
    int n, failed = 0;
    uint64_t n_calls = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    outcome *all = calloc((size_t)n, sizeof *all);
    if (!all)
        perform_give_up(p, "out of memory for the results");
    real_gather()(&mine, (int)sizeof mine, MPI_BYTE, all, (int)sizeof mine, MPI_BYTE, 0,
                  MPI_COMM_WORLD);
    for (int i = 0; i < n; i++)
        n_calls += all[i].n_calls;
    if (p->rank == 0 && !print(a, all, n, n_calls)) {
        fprintf(stderr, "timeless: %s: the results cannot be written; check the path\n",
                a->json ? a->json : "standard output");
        failed = 1;
    }
    free(all);
    return failed;
}

/* A skeleton whose repetitions are measured has as many ranks as the launcher has started. */
static tl_status open_trace(const arguments *a, int *argc, char ***argv, tl_reader **out,
                            tl_error *err)
{
    char *text = NULL;
    int n_ranks;
    if (!a->measure)
        return tl_reader_open(a->trace, out, err);
    MPI_Init(argc, argv);
    if (!strcmp(a->measure, "calls"))
        return tl_reader_open(a->trace, out, err);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (asprintf(&text, "%s,ranks=%d", a->trace, n_ranks) < 0)
        return tl_no_memory(err, "the skeleton");
    const tl_status status = tl_reader_open(text, out, err);
    free(text);
    return status;
}

/* Returns 0 if the results could not be written. */
static int perform_and_report(performer *p, const arguments *a)
{
    const double begin_s = tl_now_s(CLOCK_MONOTONIC);
    if (a->measure)
        perform_measure_open(p, a->measure, a->counters, a->inside_hz);
    perform_all(p);
    return a->measure ? perform_measure_close(p)
                      : !report(p, tl_now_s(CLOCK_MONOTONIC) - begin_s, a);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {
        .options = options,
        .parser = parse_option,
        .args_doc = "TRACE",
        .doc = "One rank of the performance of a trace; 'timeless perform' starts it."};
    arguments a = {.compute = PERFORM_WAIT, .dilation = 1, .seed = 1};
    static performer p;
    static perform_needs needs;
    tlr_model *model = NULL;
    tl_error err;
    int rank, n_ranks, provided;
    argp_parse(&argp, argc, argv, 0, NULL, &a);
    if (open_trace(&a, &argc, &argv, &p.trace, &err) != TL_OK) {
        fprintf(stderr, "timeless: %s\n", err.text);
        return tl_status_exit_code(err.status);
    }
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0); /* sleeps end when they should */

    /* A tracer's clock starts with MPI_Init: the trace is read before. */
    const long guess = rank_before_init();
    tl_status status = TL_OK;
    if (guess >= 0 && guess < (long)tl_reader_run(p.trace)->n_ranks)
        status = check_rank(&p, &a, (uint32_t)guess, &needs, &err);
    if (status == TL_OK && !a.measure && wants_threads(p.trace))
        MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    else if (!a.measure)
        MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    p.rank = (uint32_t)rank;
    if ((uint32_t)n_ranks != tl_reader_run(p.trace)->n_ranks)
        perform_give_up(&p, "the trace has %u ranks and MPI started %d; give mpirun -np %u",
                        tl_reader_run(p.trace)->n_ranks, n_ranks, tl_reader_run(p.trace)->n_ranks);
    if (status == TL_OK && guess != rank)
        status = check_rank(&p, &a, p.rank, &needs, &err);
    if (status == TL_OK)
        status = open_rank(&p, &a, &needs, &model, &err);
    if (status != TL_OK)
        perform_give_up(&p, "%s", err.text);
    if (a.measure)
        PMPI_Allreduce(&needs.window_bytes, &a.window_bytes, 1, MPI_INT64_T, MPI_MAX,
                       MPI_COMM_WORLD);
    prepare(&p, &needs, a.window_bytes);
    if (a.measure) /* no repetition is the first to touch the buffers */
        memset(p.received, 0, (size_t)needs.message_bytes);
    const bool is_reported = perform_and_report(&p, &a);
    MPI_Finalize();
    perform_forget(&needs);
    perform_kernels_close(p.kernels);
    tlr_rank_model_close(&p.model);
    tlr_model_free(model);
    tl_cursor_close(p.cursor);
    tl_reader_close(p.trace);
    return is_reported ? 0 : 4;
}
