# h5py on parallel HDF5: a file that all ranks write and read.
packages='python3-h5py-mpi python3-mpi4py'
prepare() {
    cat >file.py <<'IN'
import h5py._debian_h5py_mpi as h5py
import numpy as np
from mpi4py import MPI

comm = MPI.COMM_WORLD
n = 20000
with h5py.File("all.h5", "w", driver="mpio", comm=comm) as f:
    for step in range(5):
        d = f.create_dataset("x%d" % step, (comm.size, n), dtype="f8")
        with d.collective:
            d[comm.rank, :] = np.arange(n) * (comm.rank + 1)
comm.Barrier()
with h5py.File("all.h5", "r", driver="mpio", comm=comm) as f:
    mine = sum(float(f["x%d" % step][(comm.rank + 1) % comm.size, :].sum()) for step in range(5))
total = comm.allreduce(mine)
if comm.rank == 0:
    print("total %.0f" % total)
IN
    command=(/usr/bin/python3 file.py)
}
findings() { grep '^total' "$1"; }
