/* special.c - start and end of the run, regions, clocks, and communicators that go. */
#include "config.h"

#include "call.h"

TLT_API int MPI_Init(int *argc, char ***argv)
{
    int result = tlt_real()->Init(argc, argv);
    if (result == MPI_SUCCESS)
        tlt_start(TL_MPI_Init, TLT_CALLER());
    return result;
}
TLT_PMPI_TOO(Init)

TLT_API int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
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
        tlt_stop(TL_END_FINALIZED);
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
        tlt_stop(TL_END_ABORTED);
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
    int result = tlt_pmpi.Pcontrol(level);
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
    double result = tlt_pmpi.Wtime();
    event.clock_ns = tlt_clock_ns();
    tlt_put(&event);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Wtime)

/* Before the call: MPI may give the handle to another communicator right after. */
static void record_end_of_comm(uint16_t call, uint32_t site, MPI_Comm comm)
{
    const tlt_comm *c = tlt_comm_find(comm);
    tl_event event = {.call = call, .site = site, .comm = c ? c->id : TL_COMM_NULL};
    tlt_put(&event);
    if (c && c->id >= TL_COMM_FIRST)
        tlt_comm_remove(comm);
}

TLT_API int MPI_Comm_free(MPI_Comm *comm)
{
    if (!tlt_enter())
        return tlt_real()->Comm_free(comm);
    record_end_of_comm(TL_MPI_Comm_free, TLT_SITE(), *comm);
    int result = tlt_pmpi.Comm_free(comm);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Comm_free)

TLT_API int MPI_Comm_disconnect(MPI_Comm *comm)
{
    if (!tlt_enter())
        return tlt_real()->Comm_disconnect(comm);
    record_end_of_comm(TL_MPI_Comm_disconnect, TLT_SITE(), *comm);
    int result = tlt_pmpi.Comm_disconnect(comm);
    tlt_leave();
    return result;
}
TLT_PMPI_TOO(Comm_disconnect)
