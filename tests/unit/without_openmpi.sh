# without_openmpi.sh - configure --without-openmpi: what is built needs MPICH alone; --without-mpi: no MPI.
. "$top_srcdir/tests/tap.sh"
source=$(cd "$top_srcdir" && pwd)
# Sources that were configured in their own folder cannot be configured elsewhere.
if [ -e "$source/config.status" ]; then
    cp -as "$source" "$scratch/source" && source=$scratch/source && rm "$source/config.status" || exit 99
    find "$source" \( -name '*.o' -o -name '*.lo' -o -name '*.la' \) -delete
fi
unset MPICC MPIRUN MPIFORT MPI_CFLAGS MPICC_MPICH MPIRUN_MPICH # of the build that is tested
mkdir "$scratch/build" && cd "$scratch/build" || exit 99
# What the build that is tested found of compilers and libraries holds here too, but for what concerns MPI and PAPI.
log=$(cd "$OLDPWD" && cd "$top_builddir" && pwd)/config.log
set_up() {
    sed -nE '/^## Cache variables/,/^## Output variables/ { /^ac_cv_env_|mpi|MPI|pmix|papi/d; /^[a-z_]*_cv_/p; }' "$log" >config.cache
    "$source/configure" --quiet --cache-file=config.cache --disable-dependency-tracking "$@" >said 2>&1
}
check_exit 1 'without both MPIs configure stops' set_up --without-openmpi --without-mpich
check 'it names the two options' grep -q 'without-openmpi and --without-mpich: one of them is needed; give --without-mpi' said
check_exit 1 '--without-mpi and --with-mpich contradict each other' set_up --without-mpi --with-mpich
check 'configure says so' grep -q 'without-mpi contradicts' said
# A machine whose pkg-config knows no MPI, without compilers of MPI.
printf '#!/bin/sh\ncase " $* " in *ompi-c*|*mpich*|*pmix*) exit 1 ;; esac\nexec pkg-config "$@"\n' >pkg-config && chmod +x pkg-config
check 'without any MPI configure succeeds' set_up --without-mpi PKG_CONFIG="$PWD/pkg-config" MPICC=/none MPIRUN=/none ac_cv_header_papi_h=no
no_mpi() {
    make -n all >steps && grep -q cli/timeless steps &&
        ! grep -E 'mpich|openmpi|pmix|-lmpi( |$)|libtimeless-tracer|perform/timeless-perform|timeless-network-probe|timeless-qemu' steps
}
check 'nothing that needs MPI is built' no_mpi
rm -f Makefile config.status
if pkg-config --exists mpich; then
    check 'without Open MPI configure succeeds' set_up --without-openmpi
    programs() { sed -nE 's/^(MPICC|MPIRUN) = .*\///p' Makefile; }
    check "the MPI programs are MPICH's" equal "$(programs 2>&1)" $'mpicc.mpich\nmpiexec.hydra'
    only_mpich() { make -n tracer/libtimeless-tracer.la platforms/timeless-network-probe >steps && grep -q mpich.h steps &&
        ! grep -E 'openmpi|pmix|-lmpi( |$)' steps; }
    check "nothing is compiled or linked with Open MPI" only_mpich
else
    check_exit 1 'without Open MPI configure stops' set_up --without-openmpi
    check 'it names the package of MPICH' grep -q libmpich-dev said
fi
tap_done
