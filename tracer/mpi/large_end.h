/* large_end.h - rows are declared as MPI_Name has them. */
#undef TLT_COUNT
#undef TLT_DISPL
#define TLT_COUNT int
#define TLT_DISPL int
