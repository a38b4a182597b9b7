/* wrappers.c - the MPI calls whose wrapper follows from their row in mpi_calls.def. */
#include "config.h"

#include "call.h"
#include "rows.h"

/* Each kind: where it is stored, which bit says so. */
#define STORE_SBUF(x) args.sbuf = x;
#define STORE_RBUF(x) args.rbuf = x;
#define STORE_COUNT(x) args.count = x;
#define STORE_TYPE(x) args.type = x;
#define STORE_RCOUNT(x) args.rcount = x;
#define STORE_RTYPE(x) args.rtype = x;
#define STORE_COUNTS(x) args.counts = x;
#define STORE_RCOUNTS(x) args.rcounts = x;
#define STORE_TCOUNT(x)
#define STORE_UNIT(x)
#define STORE_DISPLS(x)
#define STORE_TYPES(x) args.types = x;
#define STORE_RTYPES(x) args.rtypes = x;
#define STORE_ADISPLS(x)
#define STORE_DEST(x) args.peer = x;
#define STORE_SRC(x) args.peer = x;
#define STORE_ROOT(x) args.peer = x;
#define STORE_TAG(x) args.tag = x;
#define STORE_OP(x) args.op = x;
#define STORE_COMM(x) args.on = TLT_HANDLE(x);
#define STORE_WIN(x) args.on = TLT_HANDLE(x);
#define STORE_FILE(x) args.on = TLT_HANDLE(x);
#define STORE_NAME(x) args.name = x;
#define STORE_NEWTAG(x) args.tag = x;
#define STORE_MODE(x) args.tag = x;
#define STORE_LOCK(x) args.lock = x;
#define STORE_GROUP(x) args.group = x;
#define STORE_BYTES(x) args.count = x;
#define STORE_FETCH(x) args.count = args.rcount = 1, args.type = args.rtype = x;
#define STORE_SWAP(x) args.count = 2, args.rcount = 1, args.type = args.rtype = x;
#define STORE_RMAOP(x) args.op = x;
#define STORE_REQ(x) args.request = x;
#define STORE_STATUS(x)
#define STORE_NEWCOMM(x) args.made = x;
#define STORE_NEWWIN(x) args.made = x;
#define STORE_NEWFILE(x) args.made = x;
#define STORE_ARG(t, x)

#define BIT_SBUF(x) HAS_SBUF
#define BIT_RBUF(x) HAS_RBUF
#define BIT_COUNT(x) HAS_COUNT
#define BIT_TYPE(x) HAS_TYPE
#define BIT_RCOUNT(x) HAS_RCOUNT
#define BIT_RTYPE(x) HAS_RTYPE
#define BIT_COUNTS(x) HAS_COUNTS
#define BIT_RCOUNTS(x) HAS_RCOUNTS
#define BIT_TCOUNT(x) 0
#define BIT_UNIT(x) 0
#define BIT_DISPLS(x) 0
#define BIT_ADISPLS(x) 0
#define BIT_TYPES(x) HAS_TYPES
#define BIT_RTYPES(x) HAS_RTYPES
#define BIT_DEST(x) HAS_PEER
#define BIT_SRC(x) HAS_PEER
#define BIT_ROOT(x) HAS_PEER
#define BIT_TAG(x) HAS_TAG
#define BIT_OP(x) HAS_OP
#define BIT_COMM(x) 0
#define BIT_WIN(x) 0
#define BIT_FILE(x) 0
#define BIT_NAME(x) 0
#define BIT_NEWTAG(x) HAS_NEWTAG
#define BIT_MODE(x) HAS_MODE
#define BIT_LOCK(x) HAS_LOCK
#define BIT_GROUP(x) HAS_GROUP
#define BIT_BYTES(x) HAS_COUNT
#define BIT_FETCH(x) (HAS_COUNT | HAS_TYPE | HAS_RCOUNT | HAS_RTYPE)
#define BIT_SWAP BIT_FETCH
#define BIT_RMAOP(x) HAS_RMAOP
#define BIT_REQ(x) HAS_REQ
#define BIT_STATUS(x) 0
#define BIT_NEWCOMM(x) HAS_NEWCOMM
#define BIT_NEWWIN(x) HAS_NEWWIN
#define BIT_NEWFILE(x) HAS_NEWFILE
#define BIT_ARG(t, x) 0

#define T_NONE 0
#define T_NB TL_TRAIT_NB
#define T_SYNC TL_TRAIT_SYNC
#define T_MARK TL_TRAIT_MARK
#define T_SIZED TL_TRAIT_SIZED
#define T_PERSISTENT TL_TRAIT_PERSISTENT

/* clang-format off */
#define WRAPPER(large, code, name, member, action, traits, ...)                                    \
    int TLT_WRAPPER(name)(LIST(DECL_, __VA_ARGS__))                                                \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_pmpi.member(LIST(PASS_, __VA_ARGS__));                                      \
        enum { has = (large) | BITS(BIT_, __VA_ARGS__) };                                          \
        call_args args = {0};                                                                      \
        STEPS(STORE_, __VA_ARGS__)                                                                 \
        tl_event event;                                                                            \
        tlt_event_init(&event, (code), TLT_SITE());                                                \
        describe(&event, &args, has, TL_ACTION_##action);                                          \
        int result = TLT_OUTSIDE(BEGUN(&event), tlt_pmpi.member(LIST(PASS_, __VA_ARGS__)));        \
        conclude(&event, &args, has, TL_ACTION_##action, traits, result);                          \
        return result;                                                                             \
    }

#define TL_CALL(code, name, ...) WRAPPER(0, code, name, name, __VA_ARGS__)
#define TL_EXTENSION(code, name, ...) WRAPPER(0, code, name, X##name, __VA_ARGS__)
#define TL_TRANSLATED(code, name, ...)

/* Recorded by name only. */
#define TL_OPAQUE(code, name, ...)                                                                 \
    int TLT_WRAPPER(name)(LIST(DECL_, __VA_ARGS__))                                                \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_pmpi.name(LIST(PASS_, __VA_ARGS__));                                        \
        tl_event event;                                                                            \
        tlt_event_init(&event, (code), TLT_SITE());                                                \
        int result = TLT_OUTSIDE(NULL, tlt_pmpi.name(LIST(PASS_, __VA_ARGS__)));                   \
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
