/* special.c - start and end of the run, regions, clocks, and communicators that go. */
#include "config.h"

#include "call.h"
#include "swaps.h"
#include "workers.h"

int TLT_WRAPPER(Init)(int *argc, char ***argv)
{
    tlt_workers_expect_mpi();
    TLT_BEFORE_INIT();
    int result = tlt_pmpi.Init(argc, argv);
    if (result == MPI_SUCCESS)
        tlt_start(TL_MPI_Init, TLT_PLACE());
    return result;
}

int TLT_WRAPPER(Init_thread)(int *argc, char ***argv, int required, int *provided)
{
    tlt_workers_expect_mpi();
    TLT_BEFORE_INIT();
    int result = tlt_pmpi.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        tlt_start(TL_MPI_Init_thread, TLT_PLACE());
    return result;
}

/* What MPI_Finalize calls back (attribute destructors) is no longer recorded. */
int TLT_WRAPPER(Finalize)(void)
{
    if (tlt_enter()) {
        tl_event event = {.call = TL_MPI_Finalize, .site = TLT_SITE(), .clock_ns = tlt_clock_ns()};
        tlt_put(&event);
        tlt_stop(TL_END_FINALIZED, event.clock_ns);
        tlt_leave();
    }
    return tlt_pmpi.Finalize();
}

int TLT_WRAPPER(Abort)(MPI_Comm comm, int errorcode)
{
    if (tlt_enter()) {
        const tlt_comm *c = tlt_comm_find(TLT_HANDLE(comm));
        tl_event event = {.call = TL_MPI_Abort,
                          .site = TLT_SITE(),
                          .comm = c ? c->id : TL_COMM_NULL,
                          .tag = errorcode,
                          .clock_ns = tlt_clock_ns()};
        tlt_put(&event);
        tlt_stop(TL_END_ABORTED, event.clock_ns);
        tlt_leave();
    }
    return tlt_pmpi.Abort(comm, errorcode);
}

/* Arguments after the level are the profiling library's own; none are passed on. */
int TLT_WRAPPER(Pcontrol)(const int level, ...)
{
    if (!tlt_enter())
        return tlt_pmpi.Pcontrol(level);
    tl_event event = {.call = TL_MPI_Pcontrol, .site = TLT_SITE(), .tag = level};
    int result = TLT_OUTSIDE(NULL, tlt_pmpi.Pcontrol(level));
    event.clock_ns = tlt_clock_ns();
    tlt_put(&event);
    tlt_leave();
    return result;
}

static inline void count_look(void)
{
    tlt_self.look.polls += tlt_self.look.polls < UINT32_MAX;
}

double TLT_WRAPPER(Wtime)(void)
{
    const bool is_counted = TLT_LIKELY(tlt_is_further_look());
    if (is_counted)
        count_look();
    if (is_counted || !tlt_enter())
        return tlt_pmpi.Wtime();
    double result = TLT_OUTSIDE(NULL, tlt_pmpi.Wtime());
    if (tlt_self.look.call) {
        count_look();
    } else {
        tl_event event;
        tlt_event_init(&event, TL_MPI_Wtime, TLT_SITE());
        event.clock_ns = tlt_clock_ns();
        tlt_put_look(&event);
    }
    tlt_leave();
    return result;
}

/* ---- what goes: recorded before the call, for MPI may give the handle to another right after ----
 */

static void record_end(uint16_t call, uint32_t site, const void *handle)
{
    const tlt_comm *c = tlt_comm_find(handle);
    tl_event event = {.call = call, .site = site, .comm = c ? c->id : TL_COMM_NULL};
    tlt_put(&event);
    if (c && c->id >= TL_COMM_FIRST)
        tlt_comm_remove(handle);
}

/* clang-format off */
#define END(name, type)                                                                            \
    int TLT_WRAPPER(name)(type *handle)                                                            \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_pmpi.name(handle);                                                       \
        record_end(TL_MPI_##name, TLT_SITE(), TLT_HANDLE(*handle));                                \
        int result = TLT_OUTSIDE(NULL, tlt_pmpi.name(handle));                                     \
        tlt_leave();                                                                               \
        return result;                                                                             \
    }
END(Comm_free, MPI_Comm)
END(Comm_disconnect, MPI_Comm)
END(Win_free, MPI_Win)
END(File_close, MPI_File)
/* clang-format on */

static void put_end_of_epoch(MPI_Win win, uint32_t site)
{
    const tlt_comm *c = tlt_comm_find(TLT_HANDLE(win));
    tl_event event = {.call = TL_MPI_Win_test, .site = site, .comm = c ? c->id : TL_COMM_NULL};
    tlt_put(&event);
}

/* An epoch that is over is an event, the questions before are polls. */
int TLT_WRAPPER(Win_test)(MPI_Win win, int *flag)
{
    if (!tlt_enter())
        return tlt_pmpi.Win_test(win, flag);
    FINISH(tlt_pmpi.Win_test(win, flag), !*flag, result == MPI_SUCCESS,
           put_end_of_epoch(win, TLT_SITE()), MPI_SUCCESS)
}

int TLT_WRAPPER(Compare_and_swap)(const void *origin_addr, const void *compare_addr,
                                  void *result_addr, MPI_Datatype datatype, int target_rank,
                                  MPI_Aint target_disp, MPI_Win win)
{
    if (!tlt_enter())
        return tlt_pmpi.Compare_and_swap(origin_addr, compare_addr, result_addr, datatype,
                                         target_rank, target_disp, win);
    call_args args = {.count = 2,
                      .rcount = 1,
                      .type = datatype,
                      .rtype = datatype,
                      .peer = target_rank,
                      .on = TLT_HANDLE(win)};
    tl_event event;
    tlt_event_init(&event, TL_MPI_Compare_and_swap, TLT_SITE());
    describe(&event, &args, HAS_ELEMENT | HAS_PEER, TL_ACTION_GET_ACCUMULATE);
    const tlt_swap access = tlt_swaps_expect(&event, result_addr, compare_addr);
    int result = TLT_OUTSIDE(BEGUN(&event),
                             tlt_pmpi.Compare_and_swap(origin_addr, compare_addr, result_addr,
                                                       datatype, target_rank, target_disp, win));
    if (result == MPI_SUCCESS && access.bytes)
        tlt_swaps_put(&event, &access);
    else if (took_part(result))
        tlt_put(&event);
    tlt_leave();
    return result;
}
