/* wrappers.c - the MPI calls whose wrapper follows from their row in mpi_calls.def. */
#include "config.h"

#include "call.h"

/* `n` elements there, one back. */
#define STORE_ELEMENT(n, x) (args.count = (n), args.rcount = 1, args.type = args.rtype = (x))

/* clang-format off */
#define WRAPPER(large, code, name, member, action, traits, ...)                                    \
    int TLT_WRAPPER(name)(LIST(DECL, __VA_ARGS__))                                                 \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_pmpi.member(LIST(PASS, __VA_ARGS__));                                       \
        enum { has = (large) | BITS(BIT, __VA_ARGS__) };                                           \
        call_args args = {0};                                                                      \
        STEPS(STORE, __VA_ARGS__)                                                                  \
        tl_event event;                                                                            \
        tlt_event_init(&event, (code), TLT_SITE());                                                \
        describe(&event, &args, has, TL_ACTION_##action);                                          \
        int result = TLT_OUTSIDE(BEGUN(&event), tlt_pmpi.member(LIST(PASS, __VA_ARGS__)));         \
        conclude(&event, &args, has, TL_ACTION_##action, traits, result);                          \
        return result;                                                                             \
    }

#define TL_CALL(code, name, ...) WRAPPER(0, code, name, name, __VA_ARGS__)
#define TL_EXTENSION(code, name, ...) WRAPPER(0, code, name, X##name, __VA_ARGS__)
#define TL_TRANSLATED(code, name, ...)

/* Recorded by name only. */
#define TL_OPAQUE(code, name, ...)                                                                 \
    int TLT_WRAPPER(name)(LIST(DECL, __VA_ARGS__))                                                 \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_pmpi.name(LIST(PASS, __VA_ARGS__));                                         \
        tl_event event;                                                                            \
        tlt_event_init(&event, (code), TLT_SITE());                                                \
        int result = TLT_OUTSIDE(NULL, tlt_pmpi.name(LIST(PASS, __VA_ARGS__)));                    \
        tlt_put(&event);                                                                           \
        tlt_leave();                                                                               \
        return result;                                                                             \
    }
#include "mpi_calls.def"

/* The twins with large counts. */
#include "mpi/large_begin.h"
#define TL_CALL(code, name, ...)                                                                   \
    LARGE_##name(WRAPPER(HAS_LARGE, code, name##_c, name##_c, __VA_ARGS__))
#define TL_EXTENSION TL_CALL
#define TL_TRANSLATED(code, name, ...)
#include "mpi_calls.def"
#include "mpi/large_end.h"
/* clang-format on */
