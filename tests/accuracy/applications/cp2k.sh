# CP2K: two water molecules in a box, density functional theory with Gaussians and plane waves.
packages='cp2k cp2k-data'
prepare() {
    cat >water.inp <<'IN'
&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY_FORCE
  PRINT_LEVEL LOW
&END GLOBAL
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_SET
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF 140
    &END MGRID
    &SCF
      EPS_SCF 1.0E-5
      MAX_SCF 10
      SCF_GUESS ATOMIC
    &END SCF
    &XC
      &XC_FUNCTIONAL PADE
      &END XC_FUNCTIONAL
    &END XC
  &END DFT
  &SUBSYS
    &CELL
      ABC 6.0 6.0 6.0
    &END CELL
    &COORD
      O  0.000000  0.000000 -0.065587
      H  0.000000 -0.757136  0.520545
      H  0.000000  0.757136  0.520545
      O  2.900000  0.000000  0.065587
      H  3.400000 -0.757136 -0.520545
      H  3.400000  0.757136 -0.520545
    &END COORD
    &KIND H
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q1
    &END KIND
    &KIND O
      BASIS_SET DZVP-GTH-PADE
      POTENTIAL GTH-PADE-q6
    &END KIND
  &END SUBSYS
&END FORCE_EVAL
IN
    export CP2K_DATA_DIR=/usr/share/cp2k OMP_NUM_THREADS=1
    command=(cp2k.psmp -i water.inp)
}
findings() { sed -nE 's/^ *(ENERGY\| .*): *(-?[0-9]+\.[0-9]{7}).*/\1 \2/p' "$1"; }
