# NWChem on ARMCI-MPI: Hartree-Fock of a water molecule; one-sided communication.
packages='nwchem-openmpi nwchem-data'
prepare() {
    cat >water.nw <<'IN'
start water
geometry units angstroms
  O  0.0  0.000000  0.119748
  H  0.0  0.761561 -0.478993
  H  0.0 -0.761561 -0.478993
end
basis
  * library 6-31g
end
scf
  direct
end
task scf energy
IN
    command=("$(command -v nwchem.openmpi || command -v nwchem)" water.nw)
}
findings() { sed -nE 's/^ *Total SCF energy = *(-?[0-9]+\.[0-9]{7}).*/\1/p' "$1"; }
