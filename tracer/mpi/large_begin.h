/* large_begin.h - until large_end.h rows are declared as MPI_Name_c has them.  Both may be included
 * again; LARGE_Name(...) of large_counts.h is its arguments if MPI_Name has that twin. */
#include "large_counts.h"
#undef TLT_COUNT
#undef TLT_DISPL
#define TLT_COUNT MPI_Count
#define TLT_DISPL MPI_Aint
