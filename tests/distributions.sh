#!/usr/bin/env bash
# distributions.sh [--all] [--limit SECONDS] [RELEASE...]: builds the last commit and runs its tests in a bare system of each
# Debian release, which debootstrap installs into a folder from the mirror of this machine. bookworm is Debian 12, trixie is
# Debian 13. Without RELEASE it takes the one of the two that this machine does not run.
#
#   without --all   the first command of the README, and the core of the tests (CORE below), with the packages in the first
#                   part of packages.txt
#   --all           the README's test command
#   --limit SECONDS a release is skipped if its system and packages are not installed after a third of this time, and fails if
#                   its build and tests have not ended after two thirds of it
#
# The systems are kept in the folder ROOTS (default: distributions/ in the build folder), so that the next run is faster.
# Prints "RELEASE: N passed, M failed" for each.  Exit code 0: nothing failed.  1: something failed.  77: the system cannot be
# installed or entered on this machine; the last line, "skipped: ...", gives the reason.
set -u
cd "$(dirname "$0")/.." || exit 4
all='' limit_s=0
while :; do
    case ${1:-} in
    --all) all=1 ;;
    --limit) limit_s=${2:?SECONDS}; shift ;;
    *) break ;;
    esac
    shift
done
case ${1:-} in
-*) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
'') if [ "$(. /etc/os-release && echo "$VERSION_CODENAME")" = trixie ]; then set -- bookworm; else set -- trixie; fi ;;
esac
roots=${ROOTS:-$PWD/build/distributions}
if [ "${TAP_GUARDS:-}" ]; then roots=$(mktemp -d) && trap 'rm -rf "$roots"' EXIT || exit 4; fi
. tests/roots.sh
CORE='tests/unit/roundtrip tests/unit/damage tests/unit/stream tests/unit/pack tests/unit/replay tests/unit/platform tests/unit/model
    tests/unit/loggops tests/unit/noise tests/golden/format.sh tests/golden/releases.sh tests/cli/replay_calls.sh tests/cli/module.sh
    tests/cli/usage.sh tests/cli/calibrations.sh tests/cli/eager_order.sh tests/cli/send_buffer.sh tests/cli/what_if.sh tests/cli/sweep.sh
    tests/mpi/symbols.sh tests/mpi/record.sh tests/mpi/folded.sh tests/mpi/calls.sh tests/mpi/fortran.sh'

cannot() { echo "skipped: the other Debian release: $*"; exit 77; }
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ "$(id -u)" = 0 ] || cannot "debootstrap and chroot need the rights of root"
unshare --mount true 2>/dev/null || cannot "there are no mount namespaces here"

# install_in ROOT: fetches the packages from the mirror; setup.sh installs them
install_in() {
    local packages further=
    [ -n "$all" ] || further='/^# What further/,$d;'
    packages=$(sed "${further}s/#.*//" tests/packages.txt | tr '\n' ' ')
    inside_for $((limit_s / 3)) "$1" "apt-get update -qq -o APT::Update::Error-Mode=any &&
        apt-get install -qq -y --no-install-recommends --download-only $packages" >"$1.log" 2>&1 && return
    [ $? != 124 ] || echo "the mirror took more than $((limit_s / 3)) seconds" >>"$1.log"
    return 1
}

# test_in ROOT: the tests; prints their log
test_in() {
    rm -rf "$1/timeless" && mkdir "$1/timeless" && git archive HEAD | tar -x -C "$1/timeless" || return
    if [ -n "$all" ]; then
        inside_for $((limit_s * 2 / 3)) "$1" 'cd /timeless && bash tests/run.sh'
    else
        inside_for $((limit_s * 2 / 3)) "$1" "export TIMELESS_PACKAGES=core; cd /timeless && bash doc/first-light.sh 1000 &&
            { ! grep 'warning:' build/make.log; } && make -C build --no-print-directory check TESTS='$(echo $CORE)'"
    fi
}

status=0
for release; do
    root=$roots/$release
    limit_of_root_s=$((limit_s / 3)) make_root "$release" "$root" || cannot "$release: debootstrap failed: $(tail -n 1 "$root.log")"
    inside "$root" true 2>"$root.log" || cannot "$release: it cannot be entered: $(tail -n 1 "$root.log")"
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    install_in "$root" || cannot "$release: its packages cannot be installed: $(tail -n 1 "$root.log")"
    test_in "$root" >"$root.log" 2>&1
    ended=$?
    passed=$(awk '/^# PASS:/ { n = $3 } END { print n + 0 }' "$root.log")
    failed=$(awk '/^# (FAIL|XPASS|ERROR):/ { n += $3 } END { print n + 0 }' "$root.log")
    [ -z "$all" ] || [ $ended = 124 ] || IFS=' ' read -r passed _ failed _ < <(tail -n 1 "$root.log")
    if [ $ended = 124 ]; then
        echo "$release: the build and the tests took more than $((limit_s * 2 / 3)) seconds; the last that ended: $(grep -aE '^(PASS|FAIL|SKIP): ' "$root.log" | tail -n 1)"
        failed=$((failed + 1))
    elif [ $ended != 0 ] && [ "$failed" = 0 ]; then
        failed=1
        tail -n 30 "$root.log"
    fi
    grep -aE '^(FAIL|XPASS|ERROR): .* [0-9]+ - ' "$root.log"
    echo "$release: $passed passed, $failed failed"
    [ "$failed" = 0 ] || status=1
done
exit $status
