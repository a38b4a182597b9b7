/* names.h - names of functions as people write them. */
#ifndef TLS_NAMES_H
#define TLS_NAMES_H

/* The name of a function in a symbol table: C++ names are demangled and lose their arguments
 * ("_ZN4halo8exchangeEi" is "halo::exchange"), names of Fortran lose what the compiler added
 * ("__grid_MOD_exchange" is "grid::exchange", "step_" is "step"). The result is the caller's
 * (free); NULL without memory. */
char *tls_function_name(const char *symbol);

#endif
