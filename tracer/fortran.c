/* fortran.c - the Fortran names of the recorded calls: mpif.h and `use mpi` (mpi_send_), `use
 * mpi_f08` (mpi_send_f08_, and MPICH's mpi_send_f08ts_ of calls with buffers).
 *
 * All bindings of Open MPI and MPICH end in the C function, under its own name or that of PMPI,
 * with C's handles, sentinels, statuses and indices.  There the call is recorded by the wrapper
 * that C programs use, once.  What is left to do here is to remember where the program called and
 * where it keeps its requests, and to keep the binding's own work out of the volumes.
 *
 * Every argument is a pointer; the hidden lengths of character arguments come after all of them.
 * Names of other forms (mpi_send__, MPI_SEND, pmpi_send_) are recorded as well, with a call site
 * inside the binding.
 */
#include "config.h"

#include "fortran_names.h"
#include "large_counts.h"
#include "core/row_parameters.h"
#include "runtime.h"

/* False for calls that MPI makes back from inside another (attribute and operator functions). */
static bool enter(void *caller, const void *frame, const void *requests)
{
    if (tlt_role == TLT_INSIDE || tlt_binding.caller)
        return false;
    tlt_binding = (tlt_binding_call){.caller = caller, .frame = frame, .requests = requests};
    if (tlt_role == TLT_IN_KERNEL)
        tlt_dissolve_kernel();
    if (tlt_enter_kernel())
        tlt_role = TLT_BINDING;
    return true;
}

/* A binding returns at once, without calling C, when an array of requests is empty. */
static void leave(uint16_t call)
{
    if (tlt_role == TLT_BINDING && tlt_binding.requests) {
        if (TLT_UNLIKELY(tlt.shared))
            tlt_lock();
        tl_event event;
        tlt_event_init(&event, call, TLT_SITE());
        tlt_put(&event);
    }
    bool after_poll = tlt_binding.after_poll;
    tlt_binding = (tlt_binding_call){0};
    if (tlt_role != TLT_BYSTANDER)
        tlt_leave_and_mark(after_poll);
}

/* clang-format off */

#define ENTRY(...) EXPANDED_ENTRY(__VA_ARGS__)
#define EXPANDED_ENTRY(code, symbol, requests, params, args)                                       \
    TLT_API void symbol params;                                                                    \
    TLT_API void symbol params                                                                     \
    {                                                                                              \
        static __typeof__(&symbol) real;                                                           \
        if (TLT_UNLIKELY(!real))                                                                   \
            real = (__typeof__(real))tlt_next(#symbol, __builtin_return_address(0));               \
        bool outermost =                                                                           \
            enter(__builtin_return_address(0), __builtin_frame_address(0), requests);              \
        real args;                                                                                 \
        if (outermost)                                                                             \
            leave(code);                                                                           \
    }

/* Those of mpif.h and `use mpi`, and of `use mpi_f08`.  LOWER_Send is send (fortran_names.h). */
#define PASTE(a, b, c) a##b##c
#define SYMBOL(prefix, lower, suffix) PASTE(prefix, lower, suffix)
#define PREFIXED_ENTRIES(prefix, code, lower, requests, params, args)                              \
    ENTRY(code, SYMBOL(prefix, lower, _), requests, params, args)                                  \
    ENTRY(code, SYMBOL(prefix, lower, _f08_), requests, params, args)                              \
    ENTRY(code, SYMBOL(prefix, lower, _f08ts_), requests, params, args)
#define ENTRIES(...) PREFIXED_ENTRIES(mpi_, __VA_ARGS__)

#define SEP_POINTER() , void *
/* The requests that a row names, or NULL. */
#define REQUESTS_OF(...) (WORDS(REQUESTS, __VA_ARGS__) NULL)
#define POINTERS(...) void *MAP(PASS, SEP_POINTER, __VA_ARGS__)

/* No call has more than two character arguments; their lengths do no harm where there are none. */
#define PREFIXED_ROW(prefix, code, name, requests, ...)                                            \
    PREFIXED_ENTRIES(prefix, code, LOWER_##name, requests,                                         \
                     (POINTERS(__VA_ARGS__), void *ierror, size_t length_1, size_t length_2),      \
                     (LIST(PASS, __VA_ARGS__), ierror, length_1, length_2))
#define ROW(code, name, ...)                                                                       \
    PREFIXED_ROW(mpi_, code, name, REQUESTS_OF(__VA_ARGS__), __VA_ARGS__)                          \
    LARGE_##name(LARGE_ROW(code, LOWER_##name, REQUESTS_OF(__VA_ARGS__), __VA_ARGS__))
/* With large counts, which only `use mpi_f08` has; MPICH 4.2 names them as in C, with _c. */
#define LARGE_ROW(...) EXPANDED_LARGE_ROW(__VA_ARGS__)
#define EXPANDED_LARGE_ROW(code, lower, requests, ...)                                             \
    LARGE_ENTRY(code, lower, _f08_large_, requests, __VA_ARGS__)                                   \
    LARGE_ENTRY(code, lower, _f08ts_large_, requests, __VA_ARGS__)                                 \
    LARGE_ENTRY(code, lower, _c_f08_, requests, __VA_ARGS__)                                       \
    LARGE_ENTRY(code, lower, _c_f08ts_, requests, __VA_ARGS__)
#define LARGE_ENTRY(code, lower, suffix, requests, ...)                                            \
    ENTRY(code, SYMBOL(mpi_, lower, suffix), requests,                                             \
          (POINTERS(__VA_ARGS__), void *ierror, size_t length_1, size_t length_2),                 \
          (LIST(PASS, __VA_ARGS__), ierror, length_1, length_2))

#define TL_CALL(code, name, action, traits, ...) ROW(code, name, __VA_ARGS__)
#define TL_EXTENSION(code, name, action, traits, ...)                                              \
    ROW(code, name, __VA_ARGS__)                                                                   \
    PREFIXED_ROW(mpix_, code, name, REQUESTS_OF(__VA_ARGS__), __VA_ARGS__)
#define TL_SPECIAL(code, name, action, traits, ...) SPECIAL_##action(code, name, __VA_ARGS__)
#define TL_OPAQUE(code, name, ...) PREFIXED_ROW(mpi_, code, name, NULL, __VA_ARGS__)

#define SPECIAL_ABORT ROW
#define SPECIAL_RECV ROW
#define SPECIAL_IRECV ROW
#define SPECIAL_SENDRECV ROW
#define SPECIAL_START ROW
#define SPECIAL_PROBE ROW
#define SPECIAL_WAIT ROW
#define SPECIAL_REQUEST_FREE ROW
#define SPECIAL_CANCEL ROW
#define SPECIAL_COMM_FREE ROW
#define SPECIAL_WIN_FREE ROW
#define SPECIAL_WIN_WAIT ROW
#define SPECIAL_FILE_CLOSE ROW
#define SPECIAL_GET_ACCUMULATE ROW

/* Those whose arguments are not C's. */
#define SPECIAL_INIT(...)
#define SPECIAL_FINALIZE(...)
#define SPECIAL_REGION(...)
#define SPECIAL_CLOCK(...)
ENTRIES(TL_MPI_Init, init, NULL, (void *ierror), (ierror))
ENTRIES(TL_MPI_Init_thread, init_thread, NULL, (void *required, void *provided, void *ierror),
        (required, provided, ierror))
ENTRIES(TL_MPI_Finalize, finalize, NULL, (void *ierror), (ierror))
/* With an error code in MPICH's `use mpi_f08`. */
ENTRIES(TL_MPI_Pcontrol, pcontrol, NULL, (void *level, void *ierror), (level, ierror))
/* What `use mpi` calls when the memory is to come back as a C pointer. */
ENTRY(TL_MPI_Win_allocate, mpi_win_allocate_cptr_, NULL,
      (void *size, void *disp_unit, void *info, void *comm, void *base, void *win, void *ierror),
      (size, disp_unit, info, comm, base, win, ierror))
ENTRY(TL_MPI_Win_allocate_shared, mpi_win_allocate_shared_cptr_, NULL,
      (void *size, void *disp_unit, void *info, void *comm, void *base, void *win, void *ierror),
      (size, disp_unit, info, comm, base, win, ierror))

#include "mpi_calls.def"
/* clang-format on */

/* `use mpi_f08` calls MPI_Wtime itself. */
TLT_API double mpi_wtime_(void);
TLT_API double mpi_wtime_(void)
{
    static double (*real)(void);
    if (TLT_UNLIKELY(!real))
        real = (double (*)(void))tlt_next("mpi_wtime_", __builtin_return_address(0));
    if (TLT_LIKELY(tlt_is_further_look()))
        return real();
    bool outermost = enter(__builtin_return_address(0), __builtin_frame_address(0), NULL);
    double result = real();
    if (outermost)
        leave(TL_MPI_Wtime);
    return result;
}
