// operators.cpp - a reduction with an operator of Open MPI's C++ bindings.
#include <mpi.h>

static void add(const void *in, void *in_out, int n, const MPI::Datatype &)
{
    for (int i = 0; i < n; i++)
        static_cast<int *>(in_out)[i] += static_cast<const int *>(in)[i];
}

int main()
{
    MPI::Init();
    MPI::Op op;
    const int mine = 1;
    int sum = 0;
    op.Init(add, true);
    MPI::COMM_WORLD.Allreduce(&mine, &sum, 1, MPI::INT, op);
    op.Free();
    const bool is_wrong = sum != MPI::COMM_WORLD.Get_size();
    MPI::Finalize();
    return is_wrong;
}
