# mpi4py: pickled objects, buffers and a master that serves its workers in any order.
packages='python3-mpi4py python3-numpy'
prepare() {
    cat >farm.py <<'IN'
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
tasks, total, status = list(range(40)), 0, MPI.Status()
if comm.rank == 0:
    for _ in range(len(tasks) + comm.size - 1):
        total += comm.recv(source=MPI.ANY_SOURCE, tag=1, status=status)
        comm.send(tasks.pop() if tasks else None, dest=status.Get_source(), tag=2)
else:
    value = 0
    while value is not None:
        comm.send(0 if value is None else value * value, dest=0, tag=1)
        value = comm.recv(source=0, tag=2)
        if value is not None:
            np.linalg.solve(np.eye(60) * 2 + 1, np.ones(60))
sums = np.zeros(4)
comm.Allreduce(np.arange(4.0) + comm.rank, sums)
if comm.rank == 0:
    print("total", total, sums.tolist())
IN
    command=(/usr/bin/python3 farm.py)
}
findings() { grep '^total' "$1"; }
