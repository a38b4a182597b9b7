#!/usr/bin/env bash
# arm64.sh [--compiler native|arm64]: builds the last commit for arm64 in a root of Debian 12 for arm64, and runs tests there
# under QEMU's user mode. Compares bytes of traces with the build of this machine (amd64), in build/. Does not replay (see left_out).
#
# The root is a folder with Debian's packages, unpacked. Emulated, a shell or a compiler is 10 to 40 times slower; the
# cross compiler, the shell and make are therefore packages of amd64, in the folder opt/amd64 of the root. With
# "--compiler arm64" it is the root's own GCC, emulated: hours. All else is emulated: what is built, the tests, Python, MPI.
#
# The root is kept in the folder ROOTS (default: distributions/ in the build folder), so that the next run is faster.
# Prints "arm64: N passed, M failed".  Exit code 0: nothing failed.  1: something failed.  77: this machine cannot do it; the
# last line, "skipped: arm64: ...", gives the reason.
#
# Not part of `make check`: it needs a mirror of Debian, and takes a quarter of an hour or more.
set -u
cd "$(dirname "$0")/.." || exit 4
compiler=native
case $* in
'' | '--compiler native') ;;
'--compiler arm64') compiler=arm64 ;;
*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
roots=${ROOTS:-$PWD/build/distributions}
root=$roots/bookworm.arm64 log=$roots/arm64.log
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT || exit 4
if [ "${TAP_GUARDS:-}" ]; then root=$scratch/root log=$scratch/log; fi
. tests/roots.sh
. tests/arm64_root.sh

cannot() { echo "skipped: arm64: $*"; exit 77; }
[ "$(id -u)" = 0 ] || cannot "chroot needs the rights of root"
[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || cannot "the compiler and QEMU come from Debian's packages for amd64"
unshare --user --mount true 2>/dev/null || cannot "there are no user and mount namespaces here"
enter_namespaces mount -t binfmt_misc none /proc/sys/fs/binfmt_misc 2>/dev/null ||
    cannot "user namespaces have no binfmt_misc of their own here; Linux 6.7 and later have"
mkdir -p "${root%/*}" || exit 4
make_arm64_root "$root" >"$log" 2>&1 || cannot "the root cannot be made: $(grep -E '^E: ' "$log" | tail -n 1)"
[ "$(in_arm64 "$root" 'uname -m' 2>>"$log")" = aarch64 ] || cannot "arm64 programs do not run: $(tail -n 1 "$log")"
[ -z "${TAP_GUARDS:-}" ] || exit 0

passed=0 failed=0
# check NAME COMMAND...: passes when the command succeeds; otherwise prints the end of its output
check() {
    if "${@:2}" >"$scratch/out" 2>&1; then echo "ok - $1"; passed=$((passed + 1))
    else echo "not ok - $1"; tail -n 20 "$scratch/out" | sed 's/^/# /'; failed=$((failed + 1)); fi
}
equal() { printf '%s\n' "first:  $1" "second: $2"; [ "$1" = "$2" ]; }
finish() { echo "skipped: unit tests under QEMU: $left_out"; echo "arm64: $passed passed, $failed failed"; [ "$failed" = 0 ]; exit; }

# ---- the build ----

# Under QEMU 7.2 a replay takes more memory than a machine has, in both engines, and the memory of a process includes QEMU's.
left_out='replay tolerance sandbox loggops loggops_nodes loggops_turns loggops_order loggops_feed noise stream'
programs=$(sed -nE 's/^(check_PROGRAMS \+=|TRACE_TESTS =) //p' tests/unit/local.mk | grep -v TRACE_TESTS | tr ' ' '\n' |
    grep -vxE "tests/unit/($(tr ' ' '|' <<<"$left_out"))" | tr '\n' ' ')
variables="CONFIG_SHELL=$ARM64_SHELL SHELL=$ARM64_SHELL"
get_sources() {
    rm -rf "$root/timeless" && mkdir -p "$root/timeless/build" && git archive HEAD | tar -x -C "$root/timeless" &&
        (cd "$root/timeless" && autoreconf -fi)
}
build() {
    use_arm64_compiler "$root" "$compiler"
    in_arm64 "$root" "cd /timeless/build && export $variables && $ARM64_SHELL ../configure --quiet --build=aarch64-linux-gnu &&
        make -j$(nproc) $variables && make -j$(nproc) $variables $programs" >"$log" 2>&1
    local code=$?
    [ $code = 0 ] || tail -n 20 "$log"
    return $code
}
check 'the sources' get_sources
check 'the build' build
[ "$failed" = 0 ] || finish

# ---- tests of the suite ----

# The others of tests/unit look at the sources.
tests="$programs tests/golden/numbers.sh"
# `make check` would build the programs of all other tests, too.
# shellcheck disable=SC2016 # expanded there
in_arm64 "$root" "tests='$tests'"'
    cd /timeless/build && export CMOCKA_MESSAGE_OUTPUT=TAP top_srcdir=/timeless top_builddir=/timeless/build
    for test in $tests; do
        case $test in *.sh) timeout 1800 bash /timeless/$test ;; *) timeout 1800 bash /timeless/tests/cmocka.sh ./$test ;; esac 2>&1
        code=$?
        [ $code -le 1 ] || echo "not ok - $test: exit code $code"
        echo "ended: $test"
    done' >"$log"
grep -a '^not ok' "$log"
passed=$((passed + $(grep -a '^ok ' "$log" | grep -acv '# SKIP')))
failed=$((failed + $(grep -ac '^not ok' "$log")))
check 'all tests of the suite ended' equal "$(grep -ac '^ended: ' "$log")" "$(wc -w <<<"$tests")"

# ---- the same bytes as on amd64 ----

# both NAME ARGUMENTS: passes when timeless, with these arguments, prints the same on both machines, and writes the same to
# the file that it finds in OUT, if any
both() {
    local name=$1 where
    for where in amd64 arm64; do : >"$scratch/$where.out"; done
    rm -f "$root/timeless/OUT" "$scratch/OUT"
    (export TIMELESS_PLATFORMS=platforms OUT=$scratch/OUT; eval "build/cli/timeless $2") >"$scratch/amd64.out" 2>"$scratch/amd64.err"
    in_arm64 "$root" "cd /timeless; export TIMELESS_PLATFORMS=platforms OUT=OUT; timeout 120 build/cli/timeless $2" \
        >"$scratch/arm64.out" 2>"$scratch/arm64.err"
    check "$name" are_same
}
are_same() {
    cat "$scratch"/*.err
    [ -s "$scratch/amd64.out" ] || [ -s "$scratch/OUT" ] || { echo "timeless printed nothing on amd64"; return 1; }
    diff "$scratch/amd64.out" "$scratch/arm64.out" || return
    [ ! -e "$scratch/OUT" ] || cmp "$scratch/OUT" "$root/timeless/OUT"
}
if [ -x build/cli/timeless ]; then
    # shellcheck disable=SC2016 # expanded by both
    for arguments in 'stencil3d -n 27 --iterations 20' 'random -n 64 --seed 7' 'hpl N=2000 NB=128 P=2 Q=2'; do
        both "timeless make $arguments: the same bytes" "make $arguments"' -o $OUT'
    done
    for trace in hpl-4 irregular-16 stencil-64 wavefront-16; do
        both "timeless dump $trace: the same text" "dump traces/$trace.tl"
        # shellcheck disable=SC2016
        both "timeless pack $trace: the same bytes" "pack traces/$trace.tl"' -o $OUT'
    done
else
    echo "build/cli/timeless is missing: nothing to compare with"; failed=$((failed + 1))
fi

# ---- two ranks ----

# mpi_ranks COMPILER LAUNCHER: a sample program
mpi_ranks() {
    in_arm64 "$root" "export $OPEN_MPI_AS_ROOT; cd /tmp && $1 -o two /timeless/traces/stencil.c -lm &&
        timeout 300 /timeless/build/cli/timeless record -q -o two.tl -- $2 -n 2 ./two 4 3 &&
        /timeless/build/cli/timeless info two.tl | grep -E '^complete +yes'"
}
check 'Open MPI: two ranks are recorded' mpi_ranks mpicc 'mpirun --oversubscribe'
check 'MPICH: two ranks are recorded' mpi_ranks mpicc.mpich mpiexec.hydra
finish
