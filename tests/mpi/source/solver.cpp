// solver.cpp - MPI calls in a method of a template, in a namespace without a name, and in an operator.
#include <mpi.h>

namespace solver
{
template <class T> struct Field {
    T cells[100];
    __attribute__((noinline)) void exchange(int right, int left)
    {
        MPI_Sendrecv_replace(cells, sizeof cells, MPI_BYTE, right, 1, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        cells[0]++;
    }
};
namespace
{
__attribute__((noinline)) double total(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}
} // namespace
struct Tell {
    __attribute__((noinline)) int operator()(int value) const
    {
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        return value;
    }
};
} // namespace solver

int main(int argc, char **argv)
{
    static solver::Field<float> field;
    int rank, n_ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    field.exchange((rank + 1) % n_ranks, (rank + n_ranks - 1) % n_ranks);
    const int told = solver::Tell()(3);
    const double all = solver::total(1);
    MPI_Finalize();
    return told != 3 || all != n_ranks;
}
