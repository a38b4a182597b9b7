/* export_goal.c - GOAL, the schedules of LogGOPSim: the sends, receives and computation (calc, in
 * nanoseconds) of each rank, with the operations that each of them requires. If an operation may
 * still be under way when the program continues, the wait requires it, and the next operation of
 * the program only requires its start (irequires). GOAL has neither communicators nor collectives:
 * partners become ranks in MPI_COMM_WORLD, collectives the messages of their algorithms. */
#include "config.h"

#include "core/error.h"
#include "export.h"
#include "timeless_files.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static void begin_rank(tl_export *x)
{
    x->label = x->last_label = 0;
    x->rest = 0;
    x->last_may_be_under_way = false;
    if (x->out)
        fprintf(x->out, "rank %" PRIu32 " {\n", x->rank);
}

static void end_rank(tl_export *x)
{
    if (x->out)
        fputs("}\n", x->out);
}

/* The last label is the last operation in the order of the program. */
static uint64_t follow(tl_export *x, bool may_be_under_way)
{
    uint64_t label = ++x->label;
    if (x->last_label && x->out)
        fprintf(x->out, "l%" PRIu64 " %s l%" PRIu64 "\n", label,
                x->last_may_be_under_way ? "irequires" : "requires", x->last_label);
    x->last_label = label;
    x->last_may_be_under_way = may_be_under_way;
    return label;
}

/* In whole nanoseconds. What rounding adds or takes goes to the next computation, so that many
 * short ones keep their sum. */
static void compute(tl_export *x, double amount)
{
    const double whole = fmax(0, rint(amount + x->rest));
    x->rest += amount - whole;
    if (x->out)
        fprintf(x->out, "l%" PRIu64 ": calc %.0f\n", x->label + 1, whole);
    follow(x, false);
}

static void say_sleep(tl_export *x, int64_t ns)
{
    compute(x, (double)ns);
}

static void put_transfer(tl_export *x, const tl_transfer *t)
{
    if (x->out)
        fprintf(x->out, "l%" PRIu64 ": %s %" PRId64 "b %s %" PRId32 " tag %" PRId32 "\n",
                x->label + 1, t->is_recv ? "recv" : "send", t->bytes, t->is_recv ? "from" : "to",
                t->peer, t->tag);
}

static void transfer(tl_export *x, const tl_transfer *t)
{
    put_transfer(x, t);
    follow(x, false);
}

static void put_begin(tl_export *x, tl_transfer *t)
{
    put_transfer(x, t);
    t->handle = follow(x, true);
}

static void wait_all(tl_export *x, tl_transfer *const *all, uint32_t n)
{
    if (x->out)
        fprintf(x->out, "l%" PRIu64 ": calc 0\n", x->label + 1);
    uint64_t label = follow(x, false);
    for (uint32_t i = 0; i < n && x->out; i++)
        fprintf(x->out, "l%" PRIu64 " requires l%" PRIu64 "\n", label, all[i]->handle);
}

static void collective(tl_export *x, const tl_event *e, const tl_call_info *row)
{
    (void)row;
    if (x->algorithms)
        tl_export_steps(x, e);
    else
        tl_export_refuse(x, "");
}

static const tl_export_target goal = {.name = "GOAL",
                                      .begin_rank = begin_rank,
                                      .end_rank = end_rank,
                                      .compute = compute,
                                      .sleep = say_sleep,
                                      .transfer = transfer,
                                      .begin = put_begin,
                                      .wait = wait_all,
                                      .collective = collective};

tl_status tl_export_goal(tl_reader *r, const tl_rates *rates, const tl_algorithms *algorithms,
                         const char *path, tl_error *err)
{
    tl_export x = {.r = r, .rates = rates, .algorithms = algorithms, .target = &goal, .err = err};
    tl_status status = tl_export_look(&x, err);
    if (status)
        goto cleanup;
    tl_output out;
    status = tl_output_open(path, &out, err);
    if (status)
        goto cleanup;
    x.out = out.file;
    fprintf(x.out, "num_ranks %" PRIu32 "\n", x.n_ranks);
    if (x.n_constructions)
        fprintf(x.out, "// left out: %" PRIu64 " calls that make communicators\n",
                x.n_constructions);
    for (uint32_t rank = 0; rank < x.n_ranks && !status; rank++)
        status = tl_export_rank(&x, rank, err);
    status = tl_output_close(&out, path, status, err);
cleanup:
    tl_export_free(&x);
    return status;
}
