/* oracle.c - a random MPI program, as the seed says (see oracle.h).
 *
 *     oracle SEED            run it: as many ranks as were started
 *     oracle SEED --ranks N  print the number of ranks of this seed's program, N at most
 *     oracle SEED --list N   print its steps for N ranks
 *     oracle BYTES --collectives   run every collective that SMPI has several algorithms for
 *     oracle SEED --job R    run it, as a job whose first rank is printed as R, on a duplicate of
 *                            the world: SMPI 3.32 stops where one of several jobs receives from
 *                            any source on the world itself
 *
 * Compiled by smpicc with -DORACLE_ONLINE each rank prints its simulated time at the end, counted
 * from its start.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "oracle_run.h"

#ifndef ORACLE_ONLINE
#include <timeless_kernel.h>
#else
#include <simgrid/engine.h>
#endif

void oracle_compute(const oracle_step *step, int me, int64_t units)
{
    units = (int64_t)(oracle_draw(step->salt, (unsigned)me, 77) % (uint64_t)(units + 1));
#ifdef ORACLE_ONLINE
    smpi_execute_flops((double)units * ORACLE_UNIT_FLOPS);
#else
    TIMELESS_KERNEL_BEGIN("oracle", units);
    timeless_kernel_end();
#endif
}

static void combine(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)in;
    (void)inout;
    (void)count;
    (void)type;
}

static void open_rank(oracle_rank *self, const oracle_schedule *schedule)
{
    /* Displacements and the elements behind the last block stay inside. */
    size_t bytes = (size_t)ORACLE_BUFFER_BYTES + 65536;
    size_t attached =
        (size_t)(ORACLE_BSEND_BYTES + MPI_BSEND_OVERHEAD) * (ORACLE_BSEND_MESSAGES + 1);
    memset(self, 0, sizeof *self);
    self->schedule = schedule;
    MPI_Comm_rank(MPI_COMM_WORLD, &self->rank);
    self->comms[0] = MPI_COMM_WORLD;
    for (int i = 1; i < ORACLE_MAX_COMMS; i++)
        self->comms[i] = MPI_COMM_NULL;
    self->types[TYPE_CHAR] = MPI_SIGNED_CHAR;
    self->types[TYPE_INT] = MPI_INT;
    self->types[TYPE_DOUBLE] = MPI_DOUBLE;
    MPI_Type_contiguous(3, MPI_SIGNED_CHAR, &self->types[TYPE_3_CHARS]);
    MPI_Type_contiguous(7, MPI_INT, &self->types[TYPE_7_INTS]);
    MPI_Type_contiguous(1023, MPI_SIGNED_CHAR, &self->types[TYPE_1023_CHARS]);
    MPI_Type_contiguous(0, MPI_INT, &self->types[TYPE_EMPTY]);
    for (int i = TYPE_3_CHARS; i <= TYPE_EMPTY; i++)
        MPI_Type_commit(&self->types[i]);
    self->ops[OP_SUM] = MPI_SUM;
    self->ops[OP_MAX] = MPI_MAX;
    MPI_Op_create(combine, 1, &self->ops[OP_COMMUTATIVE]);
    MPI_Op_create(combine, 0, &self->ops[OP_NONCOMMUTATIVE]);
    self->out = calloc(1, bytes);
    self->in = calloc(1, bytes);
    self->attached = malloc(attached);
    if (!self->out || !self->in || !self->attached)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Buffer_attach(self->attached, (int)attached);
}

static void close_rank(oracle_rank *self)
{
    int size = 0;
    void *attached = NULL;
    oracle_step last = {.kind = STEP_WAIT, .mode = WAIT_ALL};
    oracle_run_p2p(self, &last, 0);
    MPI_Buffer_detach(&attached, &size);
    for (int i = TYPE_3_CHARS; i <= TYPE_EMPTY; i++)
        MPI_Type_free(&self->types[i]);
    MPI_Op_free(&self->ops[OP_COMMUTATIVE]);
    MPI_Op_free(&self->ops[OP_NONCOMMUTATIVE]);
    free(self->out);
    free(self->in);
    free(self->attached);
}

static void run_step(oracle_rank *self, const oracle_step *step)
{
    const oracle_comm *comm = &self->schedule->comms[step->comm];
    int me = 0;
    while (me < comm->n && comm->members[me] != self->rank)
        me++;
    if (me == comm->n)
        return;
    if (step->kind <= STEP_WAIT)
        oracle_run_p2p(self, step, me);
    else if (step->kind < STEP_SPLIT)
        oracle_run_collective(self, step, me);
    else if (step->kind == STEP_WINDOW)
        oracle_run_window(self, step, me);
    else if (step->kind == STEP_COMPUTE)
        oracle_compute(step, me, step->count);
    else
        oracle_run_communicator(self, step, me);
}

static void list_steps(const oracle_schedule *schedule)
{
    for (int i = 0; i < schedule->n_steps; i++) {
        const oracle_step *s = &schedule->steps[i];
        printf("%d %s comm=%d(%d) from=%d to=%d tag=%d mode=%d type=%d op=%d flags=%x count=%lld "
               "bytes=%lld made=%d\n",
               i, oracle_kind_names[s->kind], s->comm, schedule->comms[s->comm].n, s->from, s->to,
               s->tag, s->mode, oracle_type_bytes[s->type], s->op, s->flags, (long long)s->count,
               (long long)s->count * oracle_type_bytes[s->type], s->n_made);
    }
}

int main(int argc, char **argv)
{
    unsigned long seed = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    int number = argc > 3 ? (int)strtol(argv[3], NULL, 10) : ORACLE_MAX_RANKS;
    /* ORACLE_STEPS=FIRST:PAST runs a part of the program, to find the step that makes a difference;
     * ORACLE_VERBOSE prints the time at which each step begins. */
    int exit_code = 0, first = 0, past = ORACLE_MAX_STEPS, n_ranks = 0;
    const char *steps = getenv("ORACLE_STEPS");
    if (argc > 2 && strcmp(argv[2], "--ranks") == 0) {
        printf("%d\n", oracle_ranks(seed, number));
        return 0;
    }
    oracle_schedule *schedule = calloc(1, sizeof *schedule);
    oracle_rank *self = calloc(1, sizeof *self);
    if (!schedule || !self) {
        exit_code = 4;
        goto cleanup;
    }
    if (argc > 2 && strcmp(argv[2], "--list") == 0) {
        oracle_make(seed, number, schedule);
        list_steps(schedule);
        goto cleanup;
    }
    if (steps) {
        char *rest;
        first = (int)strtol(steps, &rest, 10);
        past = (int)strtol(rest + (*rest == ':'), NULL, 10);
    }
    const int is_job = argc > 3 && strcmp(argv[2], "--job") == 0;
#ifdef ORACLE_ONLINE
    const double began_s = simgrid_get_clock();
    const int first_rank = is_job ? number : 0, is_verbose = getenv("ORACLE_VERBOSE") != NULL;
#endif
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    if (argc > 2 && strcmp(argv[2], "--collectives") == 0)
        oracle_make_collectives((int64_t)seed, n_ranks, schedule);
    else
        oracle_make(seed, n_ranks, schedule);
    open_rank(self, schedule);
    if (is_job)
        MPI_Comm_dup(MPI_COMM_WORLD, &self->comms[0]);
    for (int i = 0; i < schedule->n_steps; i++) {
        const oracle_step *step = &schedule->steps[i];
#ifdef ORACLE_ONLINE
        if (is_verbose) {
            printf("step %d %s rank %d at %.17g\n", i, oracle_kind_names[step->kind], self->rank,
                   simgrid_get_clock() - began_s);
            fflush(stdout); /* before the step crashes */
        }
#endif
        if ((i >= first && i < past) || (step->kind >= STEP_SPLIT && step->kind <= STEP_FREE))
            run_step(self, step);
    }
    close_rank(self);
    MPI_Finalize();
#ifdef ORACLE_ONLINE
    printf("end %d %.17g\n", first_rank + self->rank, simgrid_get_clock() - began_s);
#endif
cleanup:
    free(self);
    free(schedule);
    return exit_code;
}
