# StarPU: a Cholesky factorisation by tasks; plain threads compute, one communicates.
packages='starpu-examples'
prepare() {
    export STARPU_NCPU=2 STARPU_WORKERS_NOBIND=1 STARPU_SILENT=1 STARPU_HOSTNAME=timeless STARPU_HOME=$PWD
    export STARPU_MAIN_THREAD_BIND=0
    command=("$(echo /usr/lib/*/starpu/mpi/mpi_cholesky)" -size 960 -nblocks 6 -check)
}
findings() { grep -aiE 'comparing|error|wrong' "$1"; }
