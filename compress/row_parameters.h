/* row_parameters.h - macros that iterate over the parameters of a row in mpi_calls.def.
 *
 * Internal: for the tracer's wrappers and for the performer, which make C of the rows. */
#ifndef TL_ROW_PARAMETERS_H
#define TL_ROW_PARAMETERS_H

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

#endif
