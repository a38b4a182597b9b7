/* operators.c - the program's own operators of reductions compute inside of MPI calls, and this
 * computation belongs to the rank.
 *
 * MPI gets a function of this file in place of the program's, which it calls. C and Fortran, and
 * functions with large counts, differ only in what the four pointers point to. A function of the
 * program has its place here forever: MPI may still call it after MPI_Op_free.
 *
 * Open MPI calls the function of its C++ bindings with a fifth argument, and that of its Java
 * bindings with seven. So all seven are passed on. A caller that gives only four leaves the others
 * undefined: by the calling conventions of x86-64 and arm64 they are registers, or a word of the
 * caller's stack, and a function that takes only four does not look at them. */
#include "config.h"

#include <pthread.h>

#include "runtime.h"

typedef void operator_function(void *in, void *in_out, void *n, void *type, void *fifth,
                               void *sixth, void *seventh);

enum { N_PLACES = 32 };
static operator_function *of_program[N_PLACES];

/* The volume belongs to the next event: the call in which this thread is may already be written. */
static void operate(int place, void *in, void *in_out, void *n, void *type, void *fifth,
                    void *sixth, void *seventh)
{
    const bool counts = tlt_role == TLT_INSIDE && tlt_self.is_measured;
    const uint64_t began_ns = tlt_self.began_ns; /* of the call, which goes on */
    if (counts)
        tlt.mark(0);
    of_program[place](in, in_out, n, type, fifth, sixth, seventh);
    const uint64_t volume = counts ? tlt.since_mark() : 0;
    if (volume > tlt.volume_bias)
        tlt_self.volume_of_operators += volume - tlt.volume_bias;
    tlt_self.began_ns = began_ns;
}

/* clang-format off */
#define SIXTEEN(X, n)                                                                              \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7) X(n##8) X(n##9) X(n##a)        \
    X(n##b) X(n##c) X(n##d) X(n##e) X(n##f)
#define FUNCTION(n)                                                                                \
    static void operate_##n(void *in, void *in_out, void *length, void *type, void *fifth,         \
                            void *sixth, void *seventh)                                            \
    {                                                                                              \
        operate(0x##n, in, in_out, length, type, fifth, sixth, seventh);                           \
    }
#define NAME(n) operate_##n,
SIXTEEN(FUNCTION, 0)
SIXTEEN(FUNCTION, 1)
static operator_function *const ours[N_PLACES] = {SIXTEEN(NAME, 0) SIXTEEN(NAME, 1)};
/* clang-format on */

/* The function for MPI. Without a place, the program's own. */
static operator_function *replace(operator_function *function)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static bool is_full;
    if (!__atomic_load_n(&tlt.writer, __ATOMIC_RELAXED))
        return function;
    for (int i = 0; i < N_PLACES; i++)
        if (ours[i] == function)
            return function; /* a tool between program and MPI calls PMPI_Op_create */
    pthread_mutex_lock(&lock);
    int place = 0;
    while (place < N_PLACES && of_program[place] && of_program[place] != function)
        place++;
    const bool is_first = place == N_PLACES && !is_full;
    if (place < N_PLACES)
        of_program[place] = function;
    else
        is_full = true;
    pthread_mutex_unlock(&lock);
    if (is_first && tlt_first_to_complain())
        tlt_say("the program gives MPI_Op_create more than %d functions; the volumes lack what "
                "the others compute inside of MPI",
                N_PLACES);
    return place < N_PLACES ? ours[place] : function;
}

#define OP_CREATE(name)                                                                            \
    TLT_API int name(operator_function *function, int commute, void *op);                          \
    TLT_API int name(operator_function *function, int commute, void *op)                           \
    {                                                                                              \
        return TLT_NEXT(name)(replace(function), commute, op);                                     \
    }
OP_CREATE(MPI_Op_create)
OP_CREATE(PMPI_Op_create)
OP_CREATE(MPI_Op_create_c)
OP_CREATE(PMPI_Op_create_c)
