# tap.sh - sourced by the test scripts: TAP output, a scratch folder, and how to run things here.
#
#   check NAME COMMAND...        passes when the command succeeds
#   check_exit CODE NAME COMMAND...   passes when it exits with CODE; standard error is left in $scratch/err
#   equal A B                    a condition for check: both are the same, and not empty; words.sh has more of them
#   skip NAME REASON             the test needs what this machine does not have; has a row in tests/guards.txt
#   simgrid_version              prints 332 for SimGrid 3.32
#   tap_done                     prints the plan; call last
#
# With TAP_GUARDS=1 the checks do not run: what is left is who skips what (tests/guards.sh).
set -u
: "${top_srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
: "${top_builddir:=$top_srcdir}"
: "${SANITIZE:=}" "${MPICC:=mpicc}" "${MPIFORT:=mpifort}" "${MPIRUN:=mpirun}" "${SMPICC:=smpicc}" "${SMPIRUN:=smpirun}" \
    "${HPCC:=hpcc}" "${MPICC_MPICH:=mpicc.mpich}" "${MPIFORT_MPICH:=mpifort.mpich}" "${MPIRUN_MPICH:=mpiexec.hydra}"
# MPI=mpich: the programs of the test are those of MPICH.
if [ "${MPI:-}" = mpich ]; then MPICC=$MPICC_MPICH MPIFORT=$MPIFORT_MPICH MPIRUN=$MPIRUN_MPICH; fi
# In a build without MPI (configure --without-mpi), a test of programs of MPI has nothing to run. "needs MPI" in a comment of
# its head marks others that have nothing to do there.
. "$top_srcdir/tests/runs_mpi.sh"
if [ "${WITHOUT_MPI:-}" = yes ] && [ "${needs_no_mpi:-}" != yes ] && { runs_mpi "$0" || sed -n 1,12p "$0" | grep -q '^#.*needs MPI'; }; then
    printf '%s\n' "ok 1 - programs of MPI # SKIP this build is without MPI" 1..1
    exit
fi
timeless=$top_builddir/cli/.libs/timeless # not libtool's script, which takes ten times as long
[ -x "$timeless" ] || timeless=$top_builddir/cli/timeless # in a build without shared libraries
scratch=$(mktemp -d "${TMPDIR:-/tmp}/timeless-test.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
# names_of_mpich: mpirun and mpicc are those of MPICH, as on a machine without Open MPI
names_of_mpich() {
    local command
    if [ ! -e "$scratch/names-of-mpich" ]; then
        mkdir "$scratch/names-of-mpich"
        for command in mpirun mpiexec mpicc mpicxx mpifort; do
            ln -s "$(command -v $command.mpich)" "$scratch/names-of-mpich/$command"
        done
        ln -s "$(command -v hydra_pmi_proxy)" "$scratch/names-of-mpich/" # mpirun looks for it in its own folder
    fi
    PATH=$scratch/names-of-mpich:$PATH
}
[ "${MPI:-}" != mpich ] || names_of_mpich
# is_of_other_mpi PROGRAM: it is linked with Open MPI, and the programs of the test are those of MPICH
is_of_other_mpi() { uses_mpich && ldd "$(command -v "$1")" 2>/dev/null | grep -q 'libmpi\.so'; }
# uses_mpich: the programs of the test are those of MPICH
uses_mpich() { echo '#include <mpi.h>' | $MPICC -E -dM -x c - 2>/dev/null | grep -q ' MPICH_VERSION '; }

. "$top_srcdir/tests/mpi_env.sh"
# mpirun and its ranks start in two thirds of the CPU time if Open MPI opens no library of networks that no test has, hwloc looks
# for no graphics and no PCI devices, and PMIx shares no segments of 4 MB with each job.
export OMPI_MCA_pml=^cm,ucx HWLOC_PLUGINS_PATH=/nonexistent HWLOC_COMPONENTS=-linux:pci PMIX_MCA_gds=hash
. "$top_srcdir/tests/quick_starts.sh"
. "$top_srcdir/tests/words.sh"

tap_count=0
tap_result() { tap_count=$((tap_count + 1)); printf '%s %d - %s\n' "$1" "$tap_count" "$2"; }
check() {
    local name=$1; shift
    if [ "${TAP_GUARDS:-}" ]; then tap_result ok "$name # TODO not run"; return; fi
    if "$@" >"$scratch/out" 2>"$scratch/err"; then tap_result ok "$name"
    else tap_result 'not ok' "$name"; sed 's/^/# /' "$scratch/out" "$scratch/err" | tail -n 20; fi
}
check_exit() {
    local code=$1 name=$2 got; shift 2
    if [ "${TAP_GUARDS:-}" ]; then tap_result ok "$name # TODO not run"; return; fi
    "$@" >"$scratch/out" 2>"$scratch/err"; got=$?
    if [ "$got" = "$code" ]; then tap_result ok "$name"
    else tap_result 'not ok' "$name"; echo "# exit code $got, expected $code"; sed 's/^/# /' "$scratch/err" | tail -n 20; fi
}
equal() { printf '%s\n' "first:  $1" "second: $2"; [ -n "$1" ] && [ "$1" = "$2" ]; }
# use_platforms_without_overheads NAME...: copies the shipped platforms into a folder and uses them. The named ones state no
# overheads of messages and no options of ours: networks on which times are computed by hand, or by SimGrid.
use_platforms_without_overheads() {
    local name
    mkdir -p "$scratch/plain-platforms" && cp -r "$top_srcdir"/platforms/*/ "$scratch/plain-platforms" &&
        chmod -R u+w "$scratch/plain-platforms"
    for name; do sed -i '/^smpi\/\(os\|ois\|or\):\|^timeless\//d' "$scratch/plain-platforms/$name/options.conf"; done
    export TIMELESS_PLATFORMS=$scratch/plain-platforms
}
simgrid_version() {
    printf '#include <xbt/base.h>\n#include <simgrid/version.h>\nSIMGRID_VERSION_MAJOR SIMGRID_VERSION_MINOR\n' |
        ${CC:-gcc} -E -P - | awk 'END { print 100 * $1 + $2 }'
}
skip() { tap_result ok "$1 # SKIP $2"; }
tap_done() { echo "1..$tap_count"; }
