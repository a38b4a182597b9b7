#!/usr/bin/env bash
# distributions.sh [--all] RELEASE...: builds the last commit and runs its tests in a bare system of each Debian release, which
# debootstrap installs into a folder from the mirror of this machine. bookworm is Debian 12, trixie is Debian 13.
#
#   without --all   the first command of the README, and the core of the tests (CORE below), with the packages in the first
#                   part of packages.txt
#   --all           the README's test command
#
# The systems are kept in the folder ROOTS (default: distributions/ in the build folder), so that the next run is faster.
# Prints "RELEASE: N passed, M failed" for each.  Exit code 0: nothing failed.  1: something failed.  77: the system cannot be
# installed or entered on this machine; the last line gives the reason.
set -u
cd "$(dirname "$0")/.." || exit 4
all=
[ "${1:-}" != --all ] || { all=1; shift; }
[ $# -gt 0 ] || { sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2; }
roots=${ROOTS:-$PWD/build/distributions}
. tests/roots.sh
CORE='tests/unit/roundtrip tests/unit/damage tests/unit/stream tests/unit/pack tests/unit/replay tests/unit/platform tests/unit/model
    tests/unit/loggops tests/unit/noise tests/golden/format.sh tests/golden/releases.sh tests/cli/replay_calls.sh tests/cli/module.sh
    tests/cli/usage.sh tests/cli/eager_order.sh tests/cli/send_buffer.sh tests/cli/what_if.sh tests/cli/sweep.sh
    tests/mpi/calls.sh tests/mpi/symbols.sh tests/mpi/fortran.sh tests/mpi/record.sh tests/mpi/folded.sh'

cannot() { echo "distributions.sh: skipped: $*"; exit 77; }
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ "$(id -u)" = 0 ] || cannot "debootstrap and chroot need the rights of root"

# test_in ROOT: the tests; prints their log
test_in() {
    rm -rf "$1/timeless" && mkdir "$1/timeless" && git archive HEAD | tar -x -C "$1/timeless" || return
    cp /etc/resolv.conf "$1/etc/" 2>/dev/null
    if [ -n "$all" ]; then
        inside "$1" 'cd /timeless && bash tests/run.sh'
    else
        inside "$1" "export TIMELESS_PACKAGES=core; cd /timeless && bash doc/first-light.sh 1000 &&
            make -C build --no-print-directory check TESTS='$(echo $CORE)'"
    fi
}

status=0
for release; do
    root=$roots/$release
    make_root "$release" "$root" || cannot "$release: debootstrap failed: $(tail -n 1 "$root.log")"
    inside "$root" true 2>"$root.log" || cannot "$release: no mount namespace here: $(tail -n 1 "$root.log")"
    test_in "$root" >"$root.log" 2>&1
    ended=$?
    passed=$(awk '/^# PASS:/ { n = $3 } END { print n + 0 }' "$root.log")
    failed=$(awk '/^# (FAIL|XPASS|ERROR):/ { n += $3 } END { print n + 0 }' "$root.log")
    [ -z "$all" ] || IFS=' ' read -r passed _ failed _ < <(tail -n 1 "$root.log")
    if [ $ended != 0 ] && [ "$failed" = 0 ]; then
        failed=1
        tail -n 30 "$root.log"
    fi
    grep -aE '^(FAIL|XPASS|ERROR): .* [0-9]+ - ' "$root.log"
    echo "$release: $passed passed, $failed failed"
    [ "$failed" = 0 ] || status=1
done
exit $status
