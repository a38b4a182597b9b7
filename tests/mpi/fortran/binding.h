/* binding.h - one source for three bindings: -DMPIF_H, -DUSE_MPI or -DUSE_MPI_F08; MPICH, with
 * -DWITHOUT_MPI_EXT, has no module of extensions. */
#ifdef WITHOUT_MPI_EXT
#define USE_MPI_EXTENSIONS(module)
#else
#define USE_MPI_EXTENSIONS(module) use module
#endif
#if defined(USE_MPI_F08)
#define MPI_MODULE use mpi_f08
#define MPI_EXTENSIONS USE_MPI_EXTENSIONS(mpi_f08_ext)
#define MPI_HEADER
#define HANDLE(name) type(name)
#define STATUS(name) type(MPI_Status)::name
#define STATUSES(name, n) type(MPI_Status)::name(n)
#define MEMORY_POINTER type(c_ptr)
#elif defined(USE_MPI)
#define MPI_MODULE use mpi
#define MPI_EXTENSIONS USE_MPI_EXTENSIONS(mpi_ext)
#define MPI_HEADER
#else
#define MPI_MODULE
#define MPI_EXTENSIONS
#define MPI_HEADER include 'mpif.h'
#endif
#ifndef HANDLE
#define HANDLE(name) integer
#define STATUS(name) integer ::name(MPI_STATUS_SIZE)
#define STATUSES(name, n) integer ::name(MPI_STATUS_SIZE, n)
#define MEMORY_POINTER integer(MPI_ADDRESS_KIND)
#endif
