#!/usr/bin/env bash
# with_mpich.sh [--list | --summary | TEST...]: runs the tests that run programs of MPI with those of MPICH, all or those
# named, in the folder build (or BUILD).  A test without such a program does the same with each MPI and is left out, as is
# mpich_suite.sh, which runs some of the others with MPICH itself.
#
#   --list      prints the tests
#   --summary   runs nothing, prints what the last run of each test gave
#
# The result of each test is kept in build/with_mpich with its commit: a run that was interrupted goes on, and a test runs
# again on another commit, after changes that are not committed, or if it failed.  Tests of programs of Timeless's own that
# call MPI are skipped by name if these were built with Open MPI; a build by `configure --without-openmpi` has all.
# The last line is "N passed, M skipped by name, K failed".  Exit code 0: nothing failed.  1: something failed.
set -u
cd "$(dirname "$0")/.." || exit 4
. tests/runs_mpi.sh
build=${BUILD:-build}
results=$build/with_mpich
unset MAKEFLAGS MFLAGS # of a make that runs this script: its TESTS are others
[ -f "$build/Makefile" ] || { echo "with_mpich.sh: $build: has no Makefile; 'bash tests/setup.sh' builds" >&2; exit 4; }
for program in mpicc.mpich mpiexec.hydra; do
    command -v $program >/dev/null ||
        { echo "with_mpich.sh: $program: not found; the Debian packages mpich and libmpich-dev have it" >&2; exit 4; }
done
mkdir -p "$results"

# all_tests: those whose script runs a program of MPI
all_tests() {
    local test
    for test in $(make -s -C "$build" --eval='print_tests:;@echo $(TESTS)' print_tests); do
        [ "$test" = tests/mpi/mpich_suite.sh ] || ! [[ $test == *.sh ]] || ! runs_mpi "$test" || echo "$test"
    done
}
result_of() { local name=${1%.sh}; echo "$results/${name//\//_}"; }
# has_ended RESULT: the test printed its plan, and as many results
has_ended() { [ "$(sed -n 's/^1\.\.//p' "$1")" = "$(grep -cE '^(not )?ok ' "$1")" ]; }
commit() { echo "$(git rev-parse HEAD) $(git diff HEAD | cksum)"; }
# is_done TEST: it ran on this commit without a failure
is_done() {
    local result; result=$(result_of "$1")
    [ -e "$result" ] && [ "$(sed -n 's/^commit: //p' "$result")" = "$(commit)" ] && has_ended "$result" && ! grep -q '^not ok' "$result"
}
run_test() {
    local result; result=$(result_of "$1")
    rm -f "$build/${1%.sh}.log" "$result"
    MPI=mpich make -C "$build" --no-print-directory check TESTS="$1" >"$results/make.log" 2>&1
    { echo "commit: $(commit)"; cat "$build/${1%.sh}.log"; } >"$result"
    echo "$1: $(count "$1" | tail -n 1)"
}
# count TEST...: the failures, the skips and how many of each
count() {
    local test result passed=0 skipped=0 failed=0
    for test; do
        result=$(result_of "$test")
        if [ ! -e "$result" ]; then echo "FAIL: $test: has not run"; failed=$((failed + 1)); continue; fi
        sed -nE "s|^not ok [0-9]* - |FAIL: $test: |p; s|^ok [0-9]* - (.*) # SKIP |SKIP: $test: \1: |p" "$result"
        has_ended "$result" || { echo "FAIL: $test: did not run to its end"; failed=$((failed + 1)); }
        failed=$((failed + $(grep -c '^not ok' "$result")))
        skipped=$((skipped + $(grep -cE '^ok .* # SKIP ' "$result")))
        passed=$((passed + $(grep -E '^ok ' "$result" | grep -vc ' # SKIP ')))
    done
    echo "$passed passed, $skipped skipped by name, $failed failed"
    [ $failed = 0 ]
}

summary=
case ${1-} in
--list) all_tests; exit ;;
--summary) summary=yes; shift ;;
-*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
[ $# != 0 ] || mapfile -t tests < <(all_tests)
[ $# = 0 ] || tests=("$@")
for test in "${tests[@]}"; do
    [ -n "$summary" ] || is_done "$test" || run_test "$test"
done
count "${tests[@]}"
