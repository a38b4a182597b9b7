#!/usr/bin/env bash
# distributions.sh [--all] [RELEASE...]: builds the last commit and runs its tests in a bare system of each Debian release, which
# debootstrap installs into a folder from the mirror of this machine. bookworm is Debian 12, trixie is Debian 13. Without
# RELEASE it takes the one of the two that this machine does not run.
#
#   without --all   the first command of the README, and the core of the tests (CORE below), with the packages in the first
#                   part of packages.txt
#   --all           the README's test command
#
# The systems are kept in the folder ROOTS (default: distributions/ in the build folder), so that the next run is faster.
# Prints "RELEASE: N passed, M failed" for each.  Exit code 0: nothing failed.  1: something failed.  77: the system cannot be
# installed or entered on this machine; the last line, "skipped: ...", gives the reason.
set -u
cd "$(dirname "$0")/.." || exit 4
all=
[ "${1:-}" != --all ] || { all=1; shift; }
case ${1:-} in
-*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
'') if [ "$(. /etc/os-release && echo "$VERSION_CODENAME")" = trixie ]; then set -- bookworm; else set -- trixie; fi ;;
esac
roots=${ROOTS:-$PWD/build/distributions}
if [ "${TAP_GUARDS:-}" ]; then roots=$(mktemp -d) && trap 'rm -rf "$roots"' EXIT || exit 4; fi
. tests/roots.sh
# Without calls.sh and fortran.sh: MPI_Dist_graph_create of Debian 13's Open MPI 5.0.7 waits forever in some runs.
CORE='tests/unit/roundtrip tests/unit/damage tests/unit/stream tests/unit/pack tests/unit/replay tests/unit/platform tests/unit/model
    tests/unit/loggops tests/unit/noise tests/golden/format.sh tests/golden/releases.sh tests/cli/replay_calls.sh tests/cli/module.sh
    tests/cli/usage.sh tests/cli/calibrations.sh tests/cli/eager_order.sh tests/cli/send_buffer.sh tests/cli/what_if.sh tests/cli/sweep.sh
    tests/mpi/symbols.sh tests/mpi/record.sh tests/mpi/folded.sh'

cannot() { echo "skipped: the other Debian release: $*"; exit 77; }
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ "$(id -u)" = 0 ] || cannot "debootstrap and chroot need the rights of root"
unshare --mount true 2>/dev/null || cannot "there are no mount namespaces here"

# test_in ROOT: the tests; prints their log
test_in() {
    rm -rf "$1/timeless" && mkdir "$1/timeless" && git archive HEAD | tar -x -C "$1/timeless" || return
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
    inside "$root" true 2>"$root.log" || cannot "$release: it cannot be entered: $(tail -n 1 "$root.log")"
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    inside "$root" 'apt-get update -qq -o APT::Update::Error-Mode=any' >"$root.log" 2>&1 ||
        cannot "$release: its mirror cannot be reached: $(tail -n 1 "$root.log")"
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
