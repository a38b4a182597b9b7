/* rank.c - the body of a simulated rank: replays one event after the other. */
#include "config.h"

#include "actions.h"
#include "smpi/shims/shims.h"
#include "calls.h"
#include "hosts.h"
#include "notes.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>
#include <unistd.h>

enum { PROGRESS_EVERY = 1 << 18 };

MPI_Datatype smpi_type(int bytes)
{
    enum { N_SMALL = 4096 };
    static MPI_Datatype made[N_SMALL];
    switch (bytes) {
    case 0:
    case 1: return MPI_BYTE;
    case 2: return MPI_SHORT;
    case 4: return MPI_INT;
    case 8: return MPI_DOUBLE;
    case 16: return MPI_C_DOUBLE_COMPLEX;
    default: break;
    }
    MPI_Datatype type = bytes < N_SMALL ? made[bytes] : NULL;
    if (!type) {
        MPI_Type_contiguous(bytes, MPI_BYTE, &type);
        MPI_Type_commit(&type);
        if (bytes < N_SMALL)
            made[bytes] = type;
    }
    return type;
}

int smpi_count(const smpi_rank *r, int64_t count)
{
    if (count < 0 || count > INT_MAX)
        smpi_give_up_at(r, TL_ERR_UNSUPPORTED,
                        "more than 2^31 - 1 elements or bytes in one (%" PRId64
                        "), which SimGrid cannot count",
                        count);
    return (int)count;
}

/* ---- computation ---- */

/* Computation of another class is simulated by itself, because it bends otherwise. */
static void choose_bending(smpi_rank *r, uint32_t before, uint16_t kernel, double seconds)
{
    if (!tlr_interferes(replay.model) || r->n_threads || seconds <= 0)
        return;
    const tlr_disturbance *bending = tlr_find_bending(&r->model, before, r->event.site, kernel);
    if (bending != r->bending)
        smpi_compute(r);
    r->bending = bending;
}

static void add_more(smpi_rank *r)
{
    r->more_s += r->model.sums.more_s;
    r->model.sums.more_s = 0;
}

static void add_computation(smpi_rank *r)
{
    if (!replay.model)
        return;
    const uint32_t before = r->model.site; /* the model moves on */
    const double burst_s = tlr_rank_burst_s(&r->model, &r->event, r->index);
    choose_bending(r, before, 0, burst_s);
    r->burst_s += burst_s;
    add_more(r);
    if (replay.options->timeline)
        smpi_note_piece(r, 0, before, burst_s);
    if (r->info->action != TL_ACTION_KERNEL)
        return;
    const double kernel_s = tlr_rank_kernel_s(&r->model, &r->event, r->index);
    choose_bending(r, before, r->event.call, kernel_s);
    r->kernel_s += kernel_s;
    add_more(r);
    if (replay.options->timeline)
        smpi_note_piece(r, 1, before, kernel_s);
}

/* The factor by which detours of the system lengthen the computation that begins now. */
static double slow_down(smpi_rank *r, double reference_s)
{
    const double ps_per_s = 1e12;
    if (!replay.noise)
        return 1;
    const uint64_t from_ps = (uint64_t)((simgrid_get_clock() - r->job->start_s) * ps_per_s);
    const double speed = sg_host_get_speed(sg_host_self());
    const uint64_t busy_ps = (uint64_t)(reference_s * r->flops_per_s / speed * ps_per_s);
    if (!busy_ps)
        return 1;
    const uint32_t rank = r->job->first_rank + r->rank;
    const uint64_t taken_ps =
        tlr_noise_end(replay.noise, rank, from_ps, busy_ps) - from_ps - busy_ps;
    r->result->times.noise_s += (double)taken_ps / ps_per_s;
    return 1 + (double)taken_ps / (double)busy_ps;
}

/* Consecutive bursts and kernels are simulated as one, because nothing can happen to the rank
 * between them. */
void smpi_compute(smpi_rank *r)
{
    const double reference_s = r->burst_s + r->kernel_s;
    if (reference_s <= 0)
        return;
    const double from_s = simgrid_get_clock();
    const double noisy_s = reference_s * slow_down(r, reference_s),
                 more_cores = r->more_s / reference_s;
    if (r->n_threads)
        smpi_compute_beside(r, noisy_s, more_cores);
    else if (tlr_interferes(replay.model))
        smpi_compute_among(r, noisy_s * r->flops_per_s / sg_host_get_speed(sg_host_self()),
                           more_cores);
    else
        smpi_compute_flops(r, noisy_s * r->flops_per_s, more_cores);
    const double took_s = simgrid_get_clock() - from_s;
    r->result->times.compute_s += took_s;
    r->result->times.kernel_s += took_s * (r->kernel_s / reference_s);
    if (replay.options->timeline)
        smpi_note_computation(r, from_s, reference_s);
    r->burst_s = r->kernel_s = r->more_s = 0;
}

/* ---- one event ---- */

static void record_mark(const smpi_rank *r)
{
    if (r->step.mark != TLR_NO_MARK)
        r->job->predicted_s[r->step.mark * r->job->plan->n_ranks + r->rank] =
            simgrid_get_clock() - r->job->start_s;
}

/* The tests before the event, and itself if it is one, take the time that SMPI gives MPI_Test:
 * tests without success take longer and longer, over all ranks. */
static void pay_for_tests(const smpi_rank *r)
{
    static unsigned n_sleeps = 1;
    for (uint32_t i = 0; i < r->event.polls; i++) {
        sg_actor_sleep_for(n_sleeps * replay.test_s);
        n_sleeps += replay.tests_grow ? 1 : 0;
    }
    if (r->event.call != TL_MPI_Test)
        return;
    sg_actor_sleep_for(n_sleeps * replay.test_s);
    n_sleeps = 1;
}

/* Issues the calls of the event. *account is the account of the time that they take. */
static int issue(smpi_rank *r, double **account)
{
    tlr_rank_prediction *result = &r->result->times;
    static double nowhere_s;
    *account = &nowhere_s;
    switch (r->info->action) {
    case TL_ACTION_REGION:
    case TL_ACTION_INIT: return MPI_SUCCESS;
    case TL_ACTION_FINALIZE:
    case TL_ACTION_ABORT:
        return replay.finalize_barrier ? MPI_Barrier(r->comms[TL_COMM_WORLD]) : MPI_SUCCESS;
    case TL_ACTION_CLOCK: MPI_Wtime(); return MPI_SUCCESS;
    case TL_ACTION_SLEEP:
        smpi_change_load(r->host, -replay.waiting_cores);
        sg_actor_sleep_for((double)r->event.count * 1e-9);
        smpi_change_load(r->host, replay.waiting_cores);
        return MPI_SUCCESS;
    case TL_ACTION_SEND: *account = &result->p2p_s; return smpi_send(r);
    case TL_ACTION_SEND_INIT: *account = &result->p2p_s; return smpi_keep(r);
    case TL_ACTION_ISEND: *account = &result->p2p_s; return smpi_begin_send(r);
    case TL_ACTION_RECV_INIT:
    case TL_ACTION_IRECV:
    case TL_ACTION_RECV: *account = &result->p2p_s; return smpi_receive(r);
    case TL_ACTION_SENDRECV: *account = &result->p2p_s; return smpi_sendrecv(r);
    case TL_ACTION_START: *account = &result->p2p_s; return smpi_start(r);
    case TL_ACTION_WAIT: *account = &result->wait_s; return smpi_wait(r);
    case TL_ACTION_REQUEST_FREE: return smpi_free_request(r);
    case TL_ACTION_CANCEL: return smpi_cancel(r);
    case TL_ACTION_COMM_DUP:
    case TL_ACTION_COMM_SPLIT:
    case TL_ACTION_COMM_CREATE:
    case TL_ACTION_INTERCOMM_CREATE:
    case TL_ACTION_INTERCOMM_MERGE: *account = &result->collective_s; return smpi_construct(r);
    default: break;
    }
    if (tl_is_on_window(r->info->action)) {
        *account = tl_meaning_of(r->info->action)->kind == TL_KIND_ACCESS ? &result->p2p_s
                                                                          : &result->wait_s;
        return smpi_window_event(r);
    }
    if (tl_is_on_file(r->info->action)) {
        *account = &result->io_s;
        smpi_change_load(r->host, -replay.waiting_cores);
        const int rc = smpi_file_event(r);
        smpi_change_load(r->host, replay.waiting_cores);
        return rc;
    }
    *account = &result->collective_s;
    return smpi_any_collective(r);
}

/* A wildcard receive may meet another, longer message than in the run. Its time is simulated
 * nevertheless. */
static int takes_messages(const smpi_rank *r)
{
    return r->info->action == TL_ACTION_RECV || r->info->action == TL_ACTION_SENDRECV ||
           r->info->action == TL_ACTION_WAIT;
}

/* Local events leave the computation before them pending. */
static void play_event(smpi_rank *r)
{
    tl_error err;
    const tl_status status = tlr_walk_step(&r->walk, &r->event, &r->step, &err);
    if (status != TL_OK)
        smpi_give_up_at(r, status, "%s", err.text);
    r->info = r->step.info;
    if (r->info->action == TL_ACTION_THREAD)
        smpi_switch_thread(r);
    if (r->step.kind == TLR_STEP_NOTHING)
        return;
    add_computation(r);
    if (r->step.kind == TLR_STEP_LOCAL)
        return;
    smpi_compute(r);
    smpi_check_room(r);
    const int marks_entry =
        r->info->action == TL_ACTION_FINALIZE || r->info->action == TL_ACTION_ABORT;
    if (marks_entry)
        record_mark(r);
    double *account;
    const double from_s = simgrid_get_clock();
    if (replay.options->timeline)
        smpi_begin_waits(r);
    if (r->job->pays_tests && replay.test_s > 0)
        pay_for_tests(r);
    const int rc = issue(r, &account);
    if (rc != MPI_SUCCESS && !(rc == MPI_ERR_TRUNCATE && takes_messages(r))) {
        char text[MPI_MAX_ERROR_STRING];
        int length;
        MPI_Error_string(rc, text, &length);
        smpi_give_up_at(r, TL_ERR_UNSUPPORTED, "SimGrid refuses the call: %s", text);
    }
    *account += simgrid_get_clock() - from_s;
    if (replay.options->timeline)
        smpi_note_call(r, from_s, account);
    r->ready_s = simgrid_get_clock();
    if (!marks_entry)
        record_mark(r);
}

static void tell_progress(void)
{
    if (++replay.n_done % PROGRESS_EVERY != 0 || !replay.options->progress)
        return;
    /* A program has no known number of events. */
    if (replay.n_events < replay.n_done)
        dprintf(replay.terminal, "timeless: %.4g million events, %.4g simulated seconds\n",
                1e-6 * (double)replay.n_done, simgrid_get_clock());
    else
        dprintf(replay.terminal, "timeless: %.0f%% of the events, %.4g simulated seconds\n",
                100.0 * (double)replay.n_done / (double)replay.n_events, simgrid_get_clock());
}

/* Replays the event in r->event, which has this number in the rank's trace. */
static void play(smpi_rank *r, uint64_t index)
{
    r->index = index;
    r->n_regions += r->event.call == TL_MPI_Parallel;
    r->is_running = 1;
    play_event(r);
    r->is_running = 0;
    tell_progress();
}

/* This operator represents all reductions, because SMPI uses nothing but the commutativity of an
 * operator. */
static void no_operation(void *in, void *inout, int *length, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)length, (void)type;
}

/* MPI_Iprobe. As in SMPI, it takes longer after those of all ranks that found nothing. */
static int probe_message(const smpi_rank *r, const tl_event *probe)
{
    static unsigned n_before = 1;
    const double cores = replay.probe_cores * (1 - replay.waiting_cores);
    int flag = 0;
    if (replay.probe_s > 0)
        smpi_compute_flops(r, n_before * replay.probe_s * sg_host_get_speed(r->host->host), 0);
    else
        smpi_change_load(r->host, cores);
    MPI_Iprobe(probe->peer + (int)r->peer_offset[probe->comm], probe->tag, r->comms[probe->comm],
               &flag, MPI_STATUS_IGNORE);
    if (!(replay.probe_s > 0))
        smpi_change_load(r->host, -cores);
    n_before = flag || !replay.tests_grow ? 1 : n_before + 1;
    return flag;
}

/* Whether the message of a probe is there, on this platform (a tl_asker). */
static int has_arrived(void *rank, const tl_event *probe)
{
    smpi_rank *r = rank;
    smpi_compute(r);
    if (probe->peer < 0 || r->comms[probe->comm] == MPI_COMM_NULL)
        return 1;
    return probe_message(r, probe);
}

/* Prepares the rank before the trace begins. Then all ranks begin at the same moment in the order
 * of their numbers, as after MPI_Init. This order decides between messages that are ready at the
 * same time. */
static void get_ready(smpi_rank *r)
{
    const smpi_job *job = r->job;
    MPI_Init(NULL, NULL);
    smpi_build_comms(r);
    if (r == replay.ranks) {
        MPI_Op_create(no_operation, 1, &replay.commutative);
        MPI_Op_create(no_operation, 0, &replay.noncommutative);
        smpi_begin_traces();
        smpi_shortcuts_take();
    }
    sg_barrier_wait(replay.barrier);
    MPI_Buffer_attach(replay.send_buffer, INT_MAX);
    if (!replay.moves_payload)
        smpi_replay_init(job->instance, (int)r->rank, 0);
    if (!replay.moves_payload && r == replay.ranks)
        smpi_memory_share();
    if (job->start_s > 0)
        sg_actor_sleep_until(job->start_s);
    smpi_payload_join();
    smpi_senders_join(r);
    /* The last rank releases, too: without this step it would be at the barrier before its
     * predecessor. */
    sg_sem_acquire(job->turn[r->rank]);
    sg_sem_release(job->turn[(r->rank + 1) % job->plan->n_ranks]);
    sg_barrier_wait(job->barrier);
    smpi_change_load(r->host, replay.waiting_cores);
}

void smpi_rank_main(int argc, char **argv)
{
    if (argc < 2)
        smpi_give_up(TL_ERR_SYSTEM, "SimGrid started a rank without its number");
    smpi_rank *r = &replay.ranks[strtoul(argv[1], NULL, 10)];
    get_ready(r);
    tlr_streams *streams = r->job->streams;
    tl_status status = TL_OK;
    size_t n_calls = 0;
    if (tl_reader_calls(r->job->trace, &n_calls))
        status = tlr_streams_set_asker(streams, r->rank, has_arrived, r);
    while (status == TL_OK && (status = tlr_streams_next(streams, r->rank, &r->event)) == TL_OK)
        play(r, tlr_streams_position(streams, r->rank) - 1);
    if (status != TL_END)
        smpi_give_up(status, "%s", tlr_streams_error(streams)->text);
    smpi_compute(r);
    smpi_change_load(r->host, -replay.waiting_cores);
    r->result->times.end_s = simgrid_get_clock() - r->job->start_s;
    r->result->times.n_events = tlr_streams_position(streams, r->rank);
    for (int by = 0; by < TLR_N_ESTIMATES; by++)
        r->result->times.estimated_s[by] =
            r->model.sums.estimated_s[by] * r->flops_per_s / sg_host_get_speed(sg_host_self());
    replay.result->n_finished++;
    tlr_streams_leave(streams, r->rank);
    tlr_rank_model_close(&r->model);
    smpi_close_sends(r);
    tlr_walk_close(&r->walk);
    smpi_close_notes(r);
    smpi_close_waits(r);
    MPI_Finalize();
}
