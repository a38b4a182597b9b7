/* row_parameters.h - the kinds of parameters in the rows of mpi_calls.def, and macros that iterate
 * over the parameters of a row.
 *
 * Internal: for the schema, and for the tracer's wrappers and the performer, which make C of the
 * rows. */
#ifndef TL_ROW_PARAMETERS_H
#define TL_ROW_PARAMETERS_H

/* clang-format off */

/* A kind in columns: name of the parameter; its declaration (TLT_COUNT is int or MPI_Count,
 * TLT_DISPL int or MPI_Aint); what a wrapper of the tracer stores (call.h); the bit that says so;
 * slots of the event; the program's requests, for Fortran. */
#define KIND_SBUF(x)    x, const void *x,          args.sbuf = x, HAS_SBUF, TL_SLOT_FLAGS,
#define KIND_RBUF(x)    x, void *x,                args.rbuf = x, HAS_RBUF, TL_SLOT_FLAGS,
#define KIND_COUNT(x)   x, TLT_COUNT x,            args.count = x, HAS_COUNT, TL_SLOT_COUNT,
#define KIND_TYPE(x)    x, MPI_Datatype x,         args.type = x, HAS_TYPE, TL_SLOT_TYPE,
#define KIND_RCOUNT(x)  x, TLT_COUNT x,            args.rcount = x, HAS_RCOUNT, TL_SLOT_RECV_COUNT,
#define KIND_RTYPE(x)   x, MPI_Datatype x,         args.rtype = x, HAS_RTYPE, TL_SLOT_RECV_TYPE,
#define KIND_BYTES(x)   x, MPI_Offset x,           args.count = x, HAS_COUNT, TL_SLOT_COUNT,
#define KIND_FETCH(x)   x, MPI_Datatype x,         STORE_ELEMENT(1, x), HAS_ELEMENT, TL_SLOTS_FETCH,
#define KIND_SWAP(x)    x, MPI_Datatype x,         STORE_ELEMENT(2, x), HAS_ELEMENT, TL_SLOTS_SWAP,
#define KIND_COUNTS(x)  x, const TLT_COUNT x[],    args.counts = x, HAS_COUNTS, TL_SLOT_LIST,
#define KIND_RCOUNTS(x) x, const TLT_COUNT x[],    args.rcounts = x, HAS_RCOUNTS, TL_SLOT_LIST,
#define KIND_TCOUNT(x)  x, TLT_COUNT x,            , 0, 0,
#define KIND_UNIT(x)    x, TLT_DISPL x,            , 0, 0,
#define KIND_DISPLS(x)  x, const TLT_DISPL x[],    , 0, 0,
#define KIND_ADISPLS(x) x, const MPI_Aint x[],     , 0, 0,
#define KIND_TYPES(x)   x, const MPI_Datatype x[], args.types = x, HAS_TYPES, 0,
#define KIND_RTYPES(x)  x, const MPI_Datatype x[], args.rtypes = x, HAS_RTYPES, 0,
#define KIND_DEST(x)    x, int x,                  args.peer = x, HAS_PEER, TL_SLOT_PEER,
#define KIND_SRC(x)     x, int x,                  args.peer = x, HAS_PEER, TL_SLOT_PEER,
#define KIND_ROOT(x)    x, int x,                  args.peer = x, HAS_PEER, TL_SLOT_PEER,
#define KIND_RSRC(x)    x, int x,                  , 0, TL_SLOT_RECV_PEER,
#define KIND_TAG(x)     x, int x,                  args.tag = x, HAS_TAG, TL_SLOT_TAG,
#define KIND_RTAG(x)    x, int x,                  , 0, TL_SLOT_RECV_TAG,
#define KIND_OP(x)      x, MPI_Op x,               args.op = x, HAS_OP, TL_SLOT_FLAGS,
#define KIND_RMAOP(x)   x, MPI_Op x,               args.op = x, HAS_RMAOP, 0,
#define KIND_COMM(x)    x, MPI_Comm x,             args.on = TLT_HANDLE(x), 0, TL_SLOT_COMM,
#define KIND_WIN(x)     x, MPI_Win x,              args.on = TLT_HANDLE(x), 0, TL_SLOT_COMM,
#define KIND_FILE(x)    x, MPI_File x,             args.on = TLT_HANDLE(x), 0, TL_SLOT_COMM,
#define KIND_MESSAGE(x) x, MPI_Message *x,         , 0, TL_SLOTS_MESSAGE,
#define KIND_REQ(x)     x, MPI_Request *x,         args.request = x, HAS_REQ, TL_SLOT_REQUEST, x ?:
#define KIND_ASREQ(x)   x, MPI_Request *x,         , 0, 0, x ?:
#define KIND_REQS(x)    x, MPI_Request x[],        , 0, TL_SLOT_LIST, x ?:
#define KIND_STATUS(x)  x, MPI_Status *x,          , 0, 0,
#define KIND_FLAG(x)    x, int *x,                 , 0, 0,
#define KIND_INDEX(x)   x, int *x,                 , 0, 0,
#define KIND_NUMBER(x)  x, int *x,                 , 0, 0,
#define KIND_NEWCOMM(x) x, MPI_Comm *x,            args.made = x, HAS_NEWCOMM, TL_SLOT_NEW_COMM,
#define KIND_NEWWIN(x)  x, MPI_Win *x,             args.made = x, HAS_NEWWIN, TL_SLOT_NEW_COMM,
#define KIND_NEWFILE(x) x, MPI_File *x,            args.made = x, HAS_NEWFILE, TL_SLOT_NEW_COMM,
#define KIND_NAME(x)    x, const char *x,          args.name = x, 0, 0,
#define KIND_NEWTAG(x)  x, int x,                  args.tag = x, HAS_NEWTAG, 0,
#define KIND_MODE(x)    x, int x,                  args.tag = x, HAS_MODE, TL_SLOT_TAG,
#define KIND_LOCK(x)    x, int x,                  args.lock = x, HAS_LOCK, TL_SLOT_FLAGS,
#define KIND_GROUP(x)   x, MPI_Group x,            args.group = x, HAS_GROUP, TL_SLOT_LIST,
#define KIND_LEVEL(x)   x, const int x,            , 0, TL_SLOT_TAG,
#define KIND_CODE(x)    x, int x,                  , 0, TL_SLOT_TAG,
#define KIND_ARG(t, x)  x, t x,                    , 0, 0,
#define KIND_NOARGS(x)  x, void,                   , 0, 0,

#define TL_SLOTS_FETCH (TL_SLOT_COUNT | TL_SLOT_TYPE | TL_SLOT_RECV_COUNT | TL_SLOT_RECV_TYPE)
#define TL_SLOTS_SWAP (TL_SLOTS_FETCH | TL_SLOT_FLAGS)
#define TL_SLOTS_MESSAGE (TL_SLOT_PEER | TL_SLOT_TAG | TL_SLOT_COMM)

/* clang-format on */

/* A column of a parameter. */
#define COLUMN(which, ...) which(__VA_ARGS__)
#define FIRST_COLUMN(name, declaration, store, bit, slots, requests) name
#define SECOND_COLUMN(name, declaration, store, bit, slots, requests) declaration
#define THIRD_COLUMN(name, declaration, store, bit, slots, requests) store
#define FOURTH_COLUMN(name, declaration, store, bit, slots, requests) bit
#define FIFTH_COLUMN(name, declaration, store, bit, slots, requests) slots
#define LAST_COLUMN(name, declaration, store, bit, slots, requests) requests
#define PASS(parameter) COLUMN(FIRST_COLUMN, KIND_##parameter)
#define DECL(parameter) COLUMN(SECOND_COLUMN, KIND_##parameter)
#define STORE(parameter) COLUMN(THIRD_COLUMN, KIND_##parameter)
#define BIT(parameter) COLUMN(FOURTH_COLUMN, KIND_##parameter)
#define SLOTS(parameter) COLUMN(FIFTH_COLUMN, KIND_##parameter)
#define REQUESTS(parameter) COLUMN(LAST_COLUMN, KIND_##parameter)

/* Traits of rows. */
#define T_NONE 0
#define T_NB TL_TRAIT_NB
#define T_SYNC TL_TRAIT_SYNC
#define T_MARK TL_TRAIT_MARK
#define T_SIZED TL_TRAIT_SIZED
#define T_PERSISTENT TL_TRAIT_PERSISTENT

/* LIST(DECL, COMM(comm), TAG(tag)) = DECL(COMM(comm)), DECL(TAG(tag)); STEPS puts a semicolon
 * behind each, WORDS puts nothing, BITS puts | between. */
#define MAP_1(m, s, a) m(a)
#define MAP_2(m, s, a, ...) m(a) s() MAP_1(m, s, __VA_ARGS__)
#define MAP_3(m, s, a, ...) m(a) s() MAP_2(m, s, __VA_ARGS__)
#define MAP_4(m, s, a, ...) m(a) s() MAP_3(m, s, __VA_ARGS__)
#define MAP_5(m, s, a, ...) m(a) s() MAP_4(m, s, __VA_ARGS__)
#define MAP_6(m, s, a, ...) m(a) s() MAP_5(m, s, __VA_ARGS__)
#define MAP_7(m, s, a, ...) m(a) s() MAP_6(m, s, __VA_ARGS__)
#define MAP_8(m, s, a, ...) m(a) s() MAP_7(m, s, __VA_ARGS__)
#define MAP_9(m, s, a, ...) m(a) s() MAP_8(m, s, __VA_ARGS__)
#define MAP_10(m, s, a, ...) m(a) s() MAP_9(m, s, __VA_ARGS__)
#define MAP_11(m, s, a, ...) m(a) s() MAP_10(m, s, __VA_ARGS__)
#define MAP_12(m, s, a, ...) m(a) s() MAP_11(m, s, __VA_ARGS__)
#define MAP_13(m, s, a, ...) m(a) s() MAP_12(m, s, __VA_ARGS__)
#define PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, name, ...) name
#define MAP(m, s, ...)                                                                             \
    PICK(__VA_ARGS__, MAP_13, MAP_12, MAP_11, MAP_10, MAP_9, MAP_8, MAP_7, MAP_6, MAP_5, MAP_4,    \
         MAP_3, MAP_2, MAP_1, )                                                                    \
    (m, s, __VA_ARGS__)
#define SEP_COMMA() ,
#define SEP_NONE()
#define SEP_SEMICOLON() ;
#define SEP_OR() |
#define LIST(m, ...) MAP(m, SEP_COMMA, __VA_ARGS__)
#define WORDS(m, ...) MAP(m, SEP_NONE, __VA_ARGS__)
#define STEPS(m, ...) MAP(m, SEP_SEMICOLON, __VA_ARGS__);
#define BITS(m, ...) (MAP(m, SEP_OR, __VA_ARGS__))

#endif
