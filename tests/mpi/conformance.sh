#!/usr/bin/env bash
# conformance.sh [OPTIONS] [PROGRAM...]: runs the C programs of MPICH's test suite (Debian's source package) with and without
# the tracer, under Open MPI and under MPICH, and replays their traces.
#
#   --folder FOLDER     sources, programs and traces (default: conformance/ in the build folder); the next run reuses them
#   --mpi NAME          openmpi or mpich only
#   --results FOLDER    openmpi.csv and mpich.csv (default: tests/mpi/conformance/); programs that are in them do not run again
#   --limit SECONDS     of each run and of each replay (default: 20); more on a machine that has other work
#   --summary           print the summary of the results and end
#
# Needs the network for the first run, and an hour of a core for each MPI.  On a machine with other work, --limit 100. PROGRAM
# is a name such as coll/bcast: it runs again.
# Exit code 0: at least 450 programs of each MPI run alike twice without the tracer, and all of these run alike with it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
: "${top_srcdir:=$(cd "$here/../.." && pwd)}" "${top_builddir:=$PWD/build}"
. "$top_srcdir/tests/mpi_env.sh"
. "$top_srcdir/tests/source_package.sh"
export PYTHONDONTWRITEBYTECODE=1
folder=$top_builddir/conformance results=$here/conformance mpis='openmpi mpich' summary='' limit=20
while [ $# -gt 0 ]; do
    case $1 in
    --folder) folder=$2; shift 2 ;;
    --mpi) mpis=$2; shift 2 ;;
    --results) results=$2; shift 2 ;;
    --limit) limit=$2; shift 2 ;;
    --summary) summary=yes; shift ;;
    -*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) break ;;
    esac
done
mkdir -p "$results" || exit 4
suite=$folder/source/test/mpi

# The source package.
get_source() {
    mkdir -p "$folder/source" && source_package "$folder" mpich &&
        tar -xJf "$folder"/apt/mpich_*.orig.tar.xz -C "$folder/source" --strip-components=1 --wildcards '*/test/mpi/*'
}
# configured MPI: the suite's own library, compiled for this MPI
configured() {
    local build=$folder/$1 mpicc=$2 file
    mkdir -p "$build" && cd "$build" || return
    # This configure takes a top_srcdir of the environment for its own.
    [ -e include/mpitestconf.h ] || env -u top_srcdir -u top_builddir "$suite/configure" CC="$mpicc" \
        --disable-fortran --disable-cxx >configure.log 2>&1 || return
    for file in util/mtest.c util/mtest_common.c util/dtypes.c dtpools/src/*.c; do
        set -- "$suite"/$file
        for file; do $mpicc -c -O1 -w $(includes "$build") "$file" || return; done
    done
    for file in single thread; do $mpicc -c -O1 -w $(includes "$build") "$suite/util/mtest_$file.c" || return; done
    mv mtest_single.o mtest_thread.o util/ && rm -f libmtest.a && ar cr libmtest.a ./*.o
}
includes() { echo "-include $here/conformance/removed.h -I$1/include -I$suite/include -I$suite/dtpools/include -I$1/dtpools/include"; }

status=0
for mpi in $mpis; do
    case $mpi in
    openmpi) mpicc=${MPICC:-mpicc} mpirun="${MPIRUN:-mpirun} -np" ;;
    mpich) mpicc=${MPICC_MPICH:-mpicc.mpich} mpirun="${MPIRUN_MPICH:-mpiexec.hydra} -n" ;;
    *) echo "conformance.sh: --mpi: openmpi or mpich" >&2; exit 2 ;;
    esac
    build=$folder/$mpi
    if [ -z "$summary" ]; then
        mkdir -p "$folder" && exec 9>"$folder/$mpi.lock" && flock -n 9 || { echo "conformance.sh: $folder is in use" >&2; exit 4; }
        [ -d "$suite" ] || get_source || { echo "conformance.sh: no source package of mpich" >&2; exit 4; }
        [ -e "$build/libmtest.a" ] || configured "$mpi" "$mpicc" ||
            { echo "conformance.sh: $mpi: the suite is not configured: $build/configure.log" >&2; exit 4; }
        [ -e "$folder/yield.so" ] || gcc -shared -fPIC -o "$folder/yield.so" "$here/conformance/yield.c" -ldl || exit 4
    fi
    export LIMIT=$limit TIMELESS="$top_builddir/cli/timeless" PLATFORM="$top_srcdir/platforms/star-1g" \
        COMPILE="$mpicc -O1 -w $(includes "$build")"
    python3 "$here/conformance/run.py" ${summary:+--summary} "$mpi" "$mpirun" "$suite" "$build" "$results/$mpi.csv" "$@" || status=1
done
exit $status
