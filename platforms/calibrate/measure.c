/* measure.c - times the kernels, with one process on each core or group of cores. */
#include "config.h"

#include "calibrate.h"

#include "clock.h"

#include <errno.h>
#include <kernels.h>
#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gsl/gsl_rng.h>

/* A call is run once before it is timed. If the timed one is shorter than WARM_S, it is repeated
 * for BATCH_S and timed over all repetitions. So the part of a matrix that fits into the caches is
 * there, as in HPL, whose trailing matrix was just used by the update before. */
#define WARM_S 1e-3
#define BATCH_S 100e-6
enum { MAX_REPEATS = 20000, MAX_SAMPLES = 1 << 17 };

/* Shared by the measuring processes. */
struct board {
    atomic_uint ready;  /* processes whose BLAS is open */
    atomic_uint failed; /* a process could not begin: nobody shall wait for it */
    struct lane {
        uint32_t n;
        tl_error err;
        tlp_sample samples[MAX_SAMPLES];
    } lanes[];
};

unsigned tlp_n_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return 1;
    return (unsigned)CPU_COUNT(&set);
}

void tlp_pin(unsigned first, unsigned n)
{
    cpu_set_t allowed, chosen;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    CPU_ZERO(&chosen);
    unsigned nth = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &allowed))
            continue;
        if (nth >= first && nth - first < n)
            CPU_SET(cpu, &chosen);
        nth++;
    }
    if (CPU_COUNT(&chosen))
        sched_setaffinity(0, sizeof chosen, &chosen);
}

/* ---- clock, temperature and power beside a measurement ---- */

enum { MOST_ZONES = 8 };

/* The number in a file of the system; -1: there is none. */
static double read_number(const char *format, int number)
{
    char path[128], value[TLP_VALUE_BYTES];
    snprintf(path, sizeof path, format, number);
    return tlp_read_value(path, value) ? strtod(value, NULL) : -1;
}

static double sum_energy_j(void)
{
    double sum = 0, microjoules;
    for (int i = 0; i < MOST_ZONES; i++)
        if ((microjoules = read_number("/sys/class/powercap/intel-rapl:%d/energy_uj", i)) > 0)
            sum += 1e-6 * microjoules;
    return sum;
}

/* The state of this core now. *energy_j, at *energy_s: of the last one, 0 at first. */
static tlp_state read_state(double *energy_j, double *energy_s)
{
    tlp_state state = {0};
    const int cpu = sched_getcpu();
    const double now_s = tl_now_s(CLOCK_MONOTONIC), joules = sum_energy_j();
    state.clock_Hz =
        fmax(0, 1e3 * read_number("/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", cpu));
    for (int i = 0; i < MOST_ZONES; i++)
        state.celsius =
            fmax(state.celsius, 1e-3 * read_number("/sys/class/thermal/thermal_zone%d/temp", i));
    /* The counter begins anew now and then. */
    if (*energy_j > 0 && joules > *energy_j)
        state.watts = (joules - *energy_j) / (now_s - *energy_s);
    *energy_j = joules;
    *energy_s = now_s;
    return state;
}

/* ---- calls ---- */

/* What calls the kernels. */
typedef struct callers {
    tlp_blas *blas;
    perform_kernels *others;   /* NULL: there are none */
    double energy_j, energy_s; /* read_state */
    /* All cores work at the same time, as in an MPI run that uses all of them, until all are ready
     * and until warm_s. */
    struct board *board;
    unsigned cores;
    double warm_s;
    bool is_ready; /* this process */
} callers;

static bool is_warm(const callers *c)
{
    return atomic_load(&c->board->failed) ||
           (c->is_ready && atomic_load(&c->board->ready) >= c->cores &&
            tl_now_s(CLOCK_MONOTONIC) >= c->warm_s);
}

static void run(callers *c, const tlp_call *call, size_t offset)
{
    int64_t sizes[TLP_CALL_SIZES];
    const tl_event kernel = tlp_call_event(call, sizes);
    if (call->is_other)
        perform_kernels_call(c->others, &kernel);
    else
        tlp_blas_run(c->blas, call, offset);
}

static void time_call(callers *c, clockid_t clock, const tlp_call *call, size_t offset,
                      tlp_sample *out)
{
    run(c, call, offset); /* the warm-up */
    double before_s = tl_now_s(clock);
    run(c, call, offset);
    double seconds = tl_now_s(clock) - before_s;
    uint32_t repeats = 1;
    if (seconds < WARM_S) {
        double wanted = seconds > 0 ? BATCH_S / seconds : MAX_REPEATS;
        repeats = wanted < MAX_REPEATS ? 1 + (uint32_t)wanted : MAX_REPEATS;
        before_s = tl_now_s(clock);
        for (uint32_t i = 0; i < repeats; i++)
            run(c, call, offset);
        seconds = (tl_now_s(clock) - before_s) / repeats;
    }
    *out = (tlp_sample){
        .call = *call, .repeats = repeats, .work = tlp_call_work(call), .seconds = seconds};
}

/* Plans and times one round. Round 0 is the warm-up and gives no sample; it ends when all is warm.
 */
static tl_status run_round(const tlp_measure_options *options, callers *c, gsl_rng *offsets,
                           unsigned core, unsigned round, double end_s, struct lane *lane)
{
    tlp_call *calls = NULL;
    size_t n_calls = 0;
    TL_TRY(tlp_plan_round(options, core, round, &calls, &n_calls, &lane->err));
    const clockid_t clock = options->threads > 1 ? CLOCK_MONOTONIC : CLOCK_THREAD_CPUTIME_ID;
    gsl_rng_set(offsets, options->seed + core + 1000003UL * round);
    tlp_blas_refresh(c->blas);
    for (size_t i = 0; i < n_calls && lane->n < MAX_SAMPLES; i++) {
        tlp_sample sample;
        if (round == 0 && is_warm(c))
            break;
        if (options->needs && round != 1 && tl_now_s(CLOCK_MONOTONIC) >= end_s)
            break;
        time_call(c, clock, &calls[i], gsl_rng_get(offsets), &sample);
        sample.core = (uint16_t)core;
        sample.at_s = tl_now_s(CLOCK_REALTIME);
        sample.state = read_state(&c->energy_j, &c->energy_s);
        if (round > 0 && sample.seconds > 0)
            lane->samples[lane->n++] = sample;
    }
    free(calls);
    return TL_OK;
}

/* One measuring process. */
static tl_status measure_here(const tlp_measure_options *options, unsigned core, unsigned cores,
                              struct board *board)
{
    struct lane *lane = &board->lanes[core];
    callers c = {.board = board, .cores = cores};
    gsl_rng *offsets = gsl_rng_alloc(gsl_rng_mt19937);
    /* Before the BLAS starts its threads, which take over the cores. */
    tlp_pin(core * options->threads, options->threads);
    tl_status status = offsets ? tlp_blas_open(options, &c.blas, &lane->err)
                               : tl_no_memory(&lane->err, "measuring");
    if (status == TL_OK && options->needs)
        status =
            perform_kernels_open(options->needs->operands, options->seed, &c.others, &lane->err);
    const double begin_s = tl_now_s(CLOCK_MONOTONIC), end_s = begin_s + options->max_seconds;
    c.warm_s = begin_s + options->warm_s;
    while (status == TL_OK && !is_warm(&c)) {
        status = run_round(options, &c, offsets, core, 0, end_s, lane);
        atomic_fetch_add(&board->ready, !c.is_ready);
        c.is_ready = 1;
    }
    if (status != TL_OK)
        atomic_store(&board->failed, 1);
    for (unsigned round = 1; status == TL_OK && !atomic_load(&board->failed); round++) {
        if (round > 1 && tl_now_s(CLOCK_MONOTONIC) >= end_s)
            break;
        status = run_round(options, &c, offsets, core, round, end_s, lane);
    }
    if (status != TL_OK)
        atomic_store(&board->failed, 1);
    perform_kernels_close(c.others);
    tlp_blas_close(c.blas);
    gsl_rng_free(offsets);
    return status;
}

/* Waits for the processes. The others shall not wait for one that was killed. The result is the
 * first failure of one of them. */
static tl_status wait_for_all(const pid_t *pids, unsigned cores, struct board *board, tl_error *err)
{
    tl_status status = TL_OK;
    unsigned n_left = 0;
    while (n_left < cores && pids[n_left] > 0)
        n_left++;
    while (n_left) {
        unsigned i = 0;
        int result = 0;
        const pid_t pid = waitpid(-1, &result, 0);
        if (pid < 0 && errno != EINTR)
            break;
        while (i < cores && pids[i] != pid)
            i++;
        if (pid < 0 || i == cores)
            continue;
        n_left--;
        if (!WIFEXITED(result) || WEXITSTATUS(result) != 0)
            atomic_store(&board->failed, 1);
        if (status == TL_OK && (!WIFEXITED(result) || WEXITSTATUS(result) != 0)) {
            const tl_error *theirs = &board->lanes[i].err;
            status = theirs->status != TL_OK
                         ? tl_fail(err, theirs->status, "%s", theirs->text)
                         : tl_fail(err, TL_ERR_SYSTEM,
                                   "a measuring process ended early; look for a lack of memory");
        }
    }
    return status;
}

static tl_status gather(const struct board *board, unsigned cores, tlp_sample **out, size_t *n,
                        tl_error *err)
{
    size_t total = 0;
    for (unsigned i = 0; i < cores; i++)
        total += board->lanes[i].n;
    tlp_sample *samples = malloc((total + 1) * sizeof *samples);
    if (!samples)
        return tl_no_memory(err, "measuring");
    *n = 0;
    for (unsigned i = 0; i < cores; i++) {
        memcpy(samples + *n, board->lanes[i].samples, board->lanes[i].n * sizeof *samples);
        *n += board->lanes[i].n;
    }
    *out = samples;
    return TL_OK;
}

unsigned tlp_n_groups(const tlp_measure_options *options)
{
    return (options->cores ? options->cores : tlp_n_cores()) / options->threads;
}

tl_status tlp_measure(const tlp_measure_options *options, tlp_sample **out, size_t *n,
                      tl_error *err)
{
    unsigned cores = tlp_n_groups(options);
    size_t bytes = sizeof(struct board) + cores * sizeof(struct lane);
    pid_t *pids = calloc(cores, sizeof *pids);
    struct board *board = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    tl_status status = TL_OK;
    if (!pids || board == MAP_FAILED) {
        status = tl_no_memory(err, "measuring");
        goto cleanup;
    }
    for (unsigned i = 0; i < cores; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            _exit(measure_here(options, i, cores, board) == TL_OK ? 0 : 1);
        if (pids[i] < 0) {
            status = tl_fail(err, TL_ERR_SYSTEM, "no process can be started: %s; try --cores 1",
                             strerror(errno));
            atomic_store(&board->failed, 1);
            break;
        }
    }
    tl_status waited = wait_for_all(pids, cores, board, status == TL_OK ? err : NULL);
    if (status == TL_OK)
        status = waited;
    if (status == TL_OK)
        status = gather(board, cores, out, n, err);
cleanup:
    if (board != MAP_FAILED)
        munmap(board, bytes);
    free(pids);
    return status;
}
