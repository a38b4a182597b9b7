/* removed.h - included before each program: the functions that MPI-3 removed, by those that replace
 * them. */
#include <mpi.h>
#ifdef OPEN_MPI
#undef MPI_Address
#define MPI_Address MPI_Get_address
#undef MPI_Errhandler_create
#define MPI_Errhandler_create MPI_Comm_create_errhandler
#undef MPI_Errhandler_get
#define MPI_Errhandler_get MPI_Comm_get_errhandler
#undef MPI_Errhandler_set
#define MPI_Errhandler_set MPI_Comm_set_errhandler
#undef MPI_Type_hindexed
#define MPI_Type_hindexed MPI_Type_create_hindexed
#undef MPI_Type_hvector
#define MPI_Type_hvector MPI_Type_create_hvector
#undef MPI_Type_struct
#define MPI_Type_struct MPI_Type_create_struct
#undef MPI_Type_extent
#define MPI_Type_extent(type, extent) MPI_Type_get_extent(type, &(MPI_Aint){0}, extent)
#undef MPI_Type_lb
#define MPI_Type_lb(type, bound) MPI_Type_get_extent(type, bound, &(MPI_Aint){0})
#endif
