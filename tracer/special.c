/* special.c - start and end of the run, regions, clocks, and communicators that go. */
#include "config.h"

#include "call.h"
#include "hosts.h"

TLT_API int MPI_Init(int *argc, char ***argv)
{
    tlt_roll_call_answer();
    int result = tlt_real()->Init(argc, argv);
    if (result == MPI_SUCCESS)
        tlt_start(TL_MPI_Init, TLT_CALLER());
    return result;
}
TLT_PMPI_TOO(Init)

TLT_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    tlt_roll_call_answer();
    int result = tlt_real()->Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        tlt_start(TL_MPI_Init_thread, TLT_CALLER());
    return result;
}
TLT_PMPI_TOO(Init_thread)

/* What MPI_Finalize calls back (attribute destructors) is no longer recorded. */
TLT_API int MPI_Finalize(void)
{
    if (tlt_enter()) {
        tl_event event = {.call = TL_MPI_Finalize, .site = TLT_SITE(), .clock_ns = tlt_clock_ns()};
        tlt_put(&event);
        tlt_stop(TL_END_FINALIZED, event.clock_ns);
        tlt_leave();
    }
    return tlt_real()->Finalize();
}
TLT_PMPI_TOO(Finalize)

TLT_API int MPI_Abort(MPI_Comm comm, int errorcode)
{
    if (tlt_enter()) {
        const tlt_comm *c = tlt_comm_find(comm);
        tl_event event = {.call = TL_MPI_Abort,
                          .site = TLT_SITE(),
                          .comm = c ? c->id : TL_COMM_NULL,
                          .tag = errorcode,
                          .clock_ns = tlt_clock_ns()};
        tlt_put(&event);
        tlt_stop(TL_END_ABORTED, event.clock_ns);
        tlt_leave();
    }
    return tlt_real()->Abort(comm, errorcode);
}
TLT_PMPI_TOO(Abort)

/* Arguments after the level are the profiling library's own; none are passed on. */
TLT_API int MPI_Pcontrol(const int level, ...)
{
    if (!tlt_enter())
        return tlt_real()->Pcontrol(level);
    tl_event event = {.call = TL_MPI_Pcontrol, .site = TLT_SITE(), .tag = level};
    int result = TLT_OUTSIDE(NULL, tlt_pmpi.Pcontrol(level));
    event.clock_ns = tlt_clock_ns();
    tlt_put(&event);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Pcontrol)

TLT_API double MPI_Wtime(void)
{
    if (!tlt_enter())
        return tlt_real()->Wtime();
    tl_event event = {.call = TL_MPI_Wtime, .site = TLT_SITE()};
    double result = TLT_OUTSIDE(NULL, tlt_pmpi.Wtime());
    event.clock_ns = tlt_clock_ns();
    tlt_put(&event);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Wtime)

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
    TLT_API int MPI_##name(type *handle)                                                           \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_real()->name(handle);                                                       \
        record_end(TL_MPI_##name, TLT_SITE(), *handle);                                            \
        int result = TLT_OUTSIDE(NULL, tlt_pmpi.name(handle));                                     \
        tlt_leave();                                                                               \
        return result;                                                                             \
    }                                                                                              \
    TLT_PMPI_TOO(name)
END(Comm_free, MPI_Comm)
END(Comm_disconnect, MPI_Comm)
END(Win_free, MPI_Win)
END(File_close, MPI_File)
/* clang-format on */

/* An epoch that is over is an event, the questions before are polls. */
TLT_API int MPI_Win_test(MPI_Win win, int *flag)
{
    if (!tlt_enter())
        return tlt_real()->Win_test(win, flag);
    int result = TLT_OUTSIDE(NULL, tlt_pmpi.Win_test(win, flag));
    if (result == MPI_SUCCESS && !*flag) {
        tlt_leave_poll();
        return result;
    }
    if (result == MPI_SUCCESS) {
        const tlt_comm *c = tlt_comm_find(win);
        tl_event event = {
            .call = TL_MPI_Win_test, .site = TLT_SITE(), .comm = c ? c->id : TL_COMM_NULL};
        tlt_put(&event);
    }
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Win_test)
