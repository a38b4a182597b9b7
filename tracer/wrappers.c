/* wrappers.c - the MPI calls whose wrapper follows from their row in mpi_calls.def. */
#include "config.h"

#include "call.h"

/* LIST(DECL_, COMM(comm), TAG(tag)) = DECL_COMM(comm), DECL_TAG(tag); STEPS puts nothing between,
 * BITS puts |. */
#define MAP_1(p, s, a) p##a
#define MAP_2(p, s, a, ...) p##a s() MAP_1(p, s, __VA_ARGS__)
#define MAP_3(p, s, a, ...) p##a s() MAP_2(p, s, __VA_ARGS__)
#define MAP_4(p, s, a, ...) p##a s() MAP_3(p, s, __VA_ARGS__)
#define MAP_5(p, s, a, ...) p##a s() MAP_4(p, s, __VA_ARGS__)
#define MAP_6(p, s, a, ...) p##a s() MAP_5(p, s, __VA_ARGS__)
#define MAP_7(p, s, a, ...) p##a s() MAP_6(p, s, __VA_ARGS__)
#define MAP_8(p, s, a, ...) p##a s() MAP_7(p, s, __VA_ARGS__)
#define MAP_9(p, s, a, ...) p##a s() MAP_8(p, s, __VA_ARGS__)
#define MAP_10(p, s, a, ...) p##a s() MAP_9(p, s, __VA_ARGS__)
#define MAP_11(p, s, a, ...) p##a s() MAP_10(p, s, __VA_ARGS__)
#define MAP_12(p, s, a, ...) p##a s() MAP_11(p, s, __VA_ARGS__)
#define MAP_13(p, s, a, ...) p##a s() MAP_12(p, s, __VA_ARGS__)
#define PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, name, ...) name
#define MAP(p, s, ...)                                                                             \
    PICK(__VA_ARGS__, MAP_13, MAP_12, MAP_11, MAP_10, MAP_9, MAP_8, MAP_7, MAP_6, MAP_5, MAP_4,    \
         MAP_3, MAP_2, MAP_1, )                                                                    \
    (p, s, __VA_ARGS__)
#define SEP_COMMA() ,
#define SEP_NONE()
#define SEP_OR() |
#define LIST(p, ...) MAP(p, SEP_COMMA, __VA_ARGS__)
#define STEPS(p, ...) MAP(p, SEP_NONE, __VA_ARGS__)
#define BITS(p, ...) (MAP(p, SEP_OR, __VA_ARGS__))

/* Each kind: its declaration, how it is passed on, where it is stored, which bit says so. */
#define DECL_SBUF(x) const void *x
#define DECL_RBUF(x) void *x
#define DECL_COUNT(x) int x
#define DECL_TYPE(x) MPI_Datatype x
#define DECL_RCOUNT(x) int x
#define DECL_RTYPE(x) MPI_Datatype x
#define DECL_COUNTS(x) const int x[]
#define DECL_RCOUNTS(x) const int x[]
#define DECL_DISPLS(x) const int x[]
#define DECL_TYPES(x) const MPI_Datatype x[]
#define DECL_RTYPES(x) const MPI_Datatype x[]
#define DECL_DEST(x) int x
#define DECL_SRC(x) int x
#define DECL_ROOT(x) int x
#define DECL_TAG(x) int x
#define DECL_OP(x) MPI_Op x
#define DECL_COMM(x) MPI_Comm x
#define DECL_REQ(x) MPI_Request *x
#define DECL_NEWCOMM(x) MPI_Comm *x
#define DECL_ARG(t, x) t x

#define PASS_SBUF(x) x
#define PASS_RBUF(x) x
#define PASS_COUNT(x) x
#define PASS_TYPE(x) x
#define PASS_RCOUNT(x) x
#define PASS_RTYPE(x) x
#define PASS_COUNTS(x) x
#define PASS_RCOUNTS(x) x
#define PASS_DISPLS(x) x
#define PASS_TYPES(x) x
#define PASS_RTYPES(x) x
#define PASS_DEST(x) x
#define PASS_SRC(x) x
#define PASS_ROOT(x) x
#define PASS_TAG(x) x
#define PASS_OP(x) x
#define PASS_COMM(x) x
#define PASS_REQ(x) x
#define PASS_NEWCOMM(x) x
#define PASS_ARG(t, x) x

#define STORE_SBUF(x) args.sbuf = x;
#define STORE_RBUF(x) args.rbuf = x;
#define STORE_COUNT(x) args.count = x;
#define STORE_TYPE(x) args.type = x;
#define STORE_RCOUNT(x) args.rcount = x;
#define STORE_RTYPE(x) args.rtype = x;
#define STORE_COUNTS(x) args.counts = x;
#define STORE_RCOUNTS(x) args.rcounts = x;
#define STORE_DISPLS(x)
#define STORE_TYPES(x) args.types = x;
#define STORE_RTYPES(x) args.rtypes = x;
#define STORE_DEST(x) args.peer = x;
#define STORE_SRC(x) args.peer = x;
#define STORE_ROOT(x) args.peer = x;
#define STORE_TAG(x) args.tag = x;
#define STORE_OP(x) args.op = x;
#define STORE_COMM(x) args.comm = x;
#define STORE_REQ(x) args.request = x;
#define STORE_NEWCOMM(x) args.newcomm = x;
#define STORE_ARG(t, x)

#define BIT_SBUF(x) HAS_SBUF
#define BIT_RBUF(x) HAS_RBUF
#define BIT_COUNT(x) HAS_COUNT
#define BIT_TYPE(x) HAS_TYPE
#define BIT_RCOUNT(x) HAS_RCOUNT
#define BIT_RTYPE(x) HAS_RTYPE
#define BIT_COUNTS(x) HAS_COUNTS
#define BIT_RCOUNTS(x) HAS_RCOUNTS
#define BIT_DISPLS(x) 0
#define BIT_TYPES(x) HAS_TYPES
#define BIT_RTYPES(x) HAS_RTYPES
#define BIT_DEST(x) HAS_PEER
#define BIT_SRC(x) HAS_PEER
#define BIT_ROOT(x) HAS_PEER
#define BIT_TAG(x) HAS_TAG
#define BIT_OP(x) HAS_OP
#define BIT_COMM(x) 0
#define BIT_REQ(x) HAS_REQ
#define BIT_NEWCOMM(x) HAS_NEWCOMM
#define BIT_ARG(t, x) 0

#define T_NONE 0
#define T_NB TL_TRAIT_NB
#define T_SYNC TL_TRAIT_SYNC
#define T_MARK TL_TRAIT_MARK
#define T_SIZED TL_TRAIT_SIZED

/* clang-format off */
#define TL_CALL(code, name, action, traits, ...)                                                   \
    TLT_API int MPI_##name(LIST(DECL_, __VA_ARGS__))                                               \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_real()->name(LIST(PASS_, __VA_ARGS__));                                     \
        enum { has = BITS(BIT_, __VA_ARGS__) };                                                    \
        call_args args = {0};                                                                      \
        STEPS(STORE_, __VA_ARGS__)                                                                 \
        tl_event event = {.call = (code), .site = TLT_SITE()};                                     \
        describe(&event, &args, has, TL_ACTION_##action);                                          \
        int result = tlt_pmpi.name(LIST(PASS_, __VA_ARGS__));                                      \
        conclude(&event, &args, has, TL_ACTION_##action, traits, result);                          \
        return result;                                                                             \
    }

/* Recorded by name only. */
#define TL_OPAQUE(code, name, ...)                                                                 \
    TLT_API int MPI_##name(LIST(DECL_, __VA_ARGS__))                                               \
    {                                                                                              \
        if (!tlt_enter())                                                                          \
            return tlt_real()->name(LIST(PASS_, __VA_ARGS__));                                     \
        tl_event event = {.call = (code), .site = TLT_SITE()};                                     \
        int result = tlt_pmpi.name(LIST(PASS_, __VA_ARGS__));                                      \
        tlt_put(&event);                                                                           \
        tlt_leave();                                                                               \
        return result;                                                                             \
    }
/* clang-format on */

#include "mpi_calls.def"
