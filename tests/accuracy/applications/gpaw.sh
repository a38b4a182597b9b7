# GPAW: a hydrogen molecule on a grid, Python with ScaLAPACK and FFTW below.
packages='gpaw gpaw-data python3-ase'
prepare() {
    cat >h2.py <<'IN'
from ase import Atoms
from gpaw import GPAW
from gpaw.mpi import world

atoms = Atoms("H2", positions=[(0, 0, 0), (0, 0, 0.74)])
atoms.center(vacuum=2.0)
atoms.calc = GPAW(mode="fd", h=0.25, txt=None, convergence={"density": 1e-3, "eigenstates": 1e-5})
energy = atoms.get_potential_energy()
if world.rank == 0:
    print("energy %.4f" % energy)
IN
    export GPAW_SETUP_PATH=/usr/share/gpaw-setups OMP_NUM_THREADS=1
    command=(/usr/bin/python3 h2.py)
}
findings() { grep '^energy' "$1"; }
