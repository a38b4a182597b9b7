#!/usr/bin/env bash
# distributions.sh [--install|--all|--whole|--mpich|--without-mpi] [--limit SECONDS] [RELEASE...]: builds the last commit and
# runs its tests in a bare system of each Debian release, which debootstrap installs into a folder from the mirror of this
# machine. bookworm is Debian 12, trixie is Debian 13. Without RELEASE it takes the one of the two that this machine does not
# run.
#
#   without option  the first command of the README, and the core of the tests (CORE below), without the packages in the last
#                   two parts of packages.txt
#   --install       installs the system and these packages, and runs nothing
#   --all           the README's test command
#   --whole         all tests and the checker, a script at a time, on a clean clone; prints which checks were skipped. Each
#                   script has a log in ROOTS/RELEASE.COMMIT. If this is ended, the next run goes on from there; it also repeats
#                   scripts that failed, once, and keeps what they said at first (SCRIPT.failed). The variable SCRIPTS names the
#                   scripts to run, if not all.
#   --mpich         the tests that run programs of MPI, with MPICH's (with_mpich.sh), on a clean clone that is built by
#                   configure --without-openmpi. The next run goes on, and SCRIPTS names tests, as above.
#   --without-mpi   configure --without-mpi, with the packages in the first and last part of packages.txt: the tests that need no
#                   MPI; then, with ORACLE_TRACES=FOLDER (of tests/mpi/oracle.sh --keep), the oracle by the installed smpirun.
#                   For a release whose MPI is too new, such as sid, which is Debian's unstable
#   --limit SECONDS a release is skipped if its system and packages are not installed after a third of this time, and fails if
#                   its build and tests have not ended after two thirds of it (with --whole: the build, or one script)
#
# The systems are kept in the folder ROOTS (default: distributions/ in the build folder), so that the next run is faster.
# Prints "RELEASE: N passed, M failed" for each.  Exit code 0: nothing failed.  1: something failed.  77: the system cannot be
# installed or entered on this machine; the last line, "skipped: ...", gives the reason.
set -u
cd "$(dirname "$0")/.." || exit 4
install='' all='' whole='' mpich='' replay='' limit_s=0
while :; do
    case ${1:-} in
    --install) install=1 ;;
    --all) all=1 ;;
    --whole) whole=1 ;;
    --mpich) mpich=1 ;;
    --without-mpi) replay=1 ;;
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
    tests/cli/usage.sh tests/cli/calibrations.sh tests/cli/adapter_order.sh tests/cli/turns.sh tests/cli/eager_order.sh
    tests/cli/send_buffer.sh tests/cli/what_if.sh tests/cli/sweep.sh
    tests/mpi/symbols.sh tests/mpi/record.sh tests/mpi/folded.sh tests/mpi/calls.sh tests/mpi/fortran.sh'

cannot() { echo "skipped: the other Debian release: $*"; exit 77; }
command -v debootstrap >/dev/null || cannot "debootstrap is not installed"
[ "$(id -u)" = 0 ] || cannot "debootstrap and chroot need the rights of root"
unshare --mount true 2>/dev/null || cannot "there are no mount namespaces here"

# install_in ROOT: fetches the packages from the mirror, which setup.sh installs, and git, which with_mpich.sh asks for the commit
install_in() {
    local packages further='' only=--download-only
    [ -z "$install" ] || only=
    [ -n "$all$whole$mpich" ] || further='/^# What further/,$d;'
    [ -z "$replay" ] || further='/^# What recording/,/^# What replays/d;'
    packages=$(sed "${further}s/#.*//" tests/packages.txt | tr '\n' ' ')
    inside_for $((limit_s / 3)) "$1" "apt-get update -qq -o APT::Update::Error-Mode=any &&
        apt-get install -qq -y --no-install-recommends $only $packages &&
        { [ -z '$mpich' ] || apt-get install -qq -y --no-install-recommends git; }" >"$1.log" 2>&1 && return
    [ $? != 124 ] || echo "the mirror took more than $((limit_s / 3)) seconds" >>"$1.log"
    return 1
}

# build_clone ROOT NAME [OPTION]: builds a clean clone of the commit in ROOT/NAME, once, with the OPTION of configure
build_clone() {
    [ "$(cat "$1/$2/build/whole" 2>/dev/null)" != "$commit" ] || return 0
    rm -rf "${1:?}/$2"
    git clone -q . "$1/$2" && git -C "$1/$2" checkout -q "$commit" &&
        inside_for $((limit_s * 2 / 3)) "$1" "cd /$2 && bash tests/setup.sh ${3:-}" &&
        echo "$commit" >"$1/$2/build/whole"
}
# names_of_tests ROOT: of the build in ROOT/timeless
names_of_tests() {
    inside "$1" "printf 'include Makefile\nnames:\n\t@echo \$(TESTS)\n' | make -s -C /timeless/build -f - names" && echo tests/lint.sh
}

# one_in ROOT SCRIPT: runs it and prints its results; exit code 124: it did not end
one_in() {
    local run="make -C build --no-print-directory check TESTS=$2"
    if [ "$2" = tests/lint.sh ]; then # it speaks no TAP
        run='bash tests/lint.sh && echo "# PASS: 1" || { [ $? = 77 ] && echo "SKIP: tests/lint.sh 1 - clang-tidy"; }'
    fi
    inside_for $((limit_s * 2 / 3)) "$1" "cd /timeless && $run"
}
failed_in() { grep -qaE '^# (FAIL|XPASS|ERROR): +[1-9]' "$@"; }

# whole_in ROOT: the scripts that have not passed yet; prints all logs
whole_in() {
    local logs=$1.$commit test log ended
    mkdir -p "$logs"
    { build_clone "$1" timeless >"$logs/build" && names_of_tests "$1" >"$logs/tests"; } || { cat "$logs/build"; return 1; }
    for test in ${SCRIPTS:-$(cat "$logs/tests")}; do
        log=$logs/${test//\//.}
        [ -e "$log.log" ] && ! failed_in "$log.log" && continue
        if [ -e "$log.log" ]; then
            [ ! -e "$log.failed" ] || continue
            mv "$log.log" "$log.failed"
        fi
        one_in "$1" "$test" >"$log.part" 2>&1
        ended=$?
        # One that was ended, or that make could not run, has no totals.
        [ $ended = 0 ] || failed_in "$log.part" || printf 'ERROR: %s 0 - exit code %d\n# ERROR: 1\n' "$test" $ended >>"$log.part"
        [ ! -e "$1/timeless/build/${test%.*}.log" ] || cp "$1/timeless/build/${test%.sh}.log" "$log.out"
        mv "$log.part" "$log.log"
        echo "$test: $(grep -aE '^# (PASS|SKIP|FAIL|ERROR):' "$log.log" | tr -s '# \n' ' ')"
    done
    cat "$logs"/*.log
    ! failed_in "$logs"/*.log
}

# mpich_in ROOT: the tests of a build without Open MPI, with MPICH; prints their log
mpich_in() {
    build_clone "$1" timeless-mpich --without-openmpi &&
        inside_for $((limit_s * 2 / 3)) "$1" "cd /timeless-mpich && bash tests/with_mpich.sh ${SCRIPTS:-}"
}

# describe_whole ROOT: what was skipped, and how much was run
describe_whole() {
    [ -e "$1.$commit/tests" ] || return 0 # the build failed
    grep -aE '^SKIP: ' "$1.log"
    echo "$release: commit $commit, $(logs_of "$1" log) of $(wc -w <"$1.$commit/tests") scripts," \
        "$(logs_of "$1" failed) of them run twice, $(grep -c '^SKIP: ' "$1.log") checks skipped"
}
logs_of() { find "$1.$commit" -name "*.$2" | wc -l; }

# replay_in ROOT: the tests of a build without MPI; prints their log
replay_in() {
    local oracle=true
    rm -rf "$1/timeless" "$1/traces" && mkdir "$1/timeless" && git archive HEAD | tar -x -C "$1/timeless" || return
    if [ "${ORACLE_TRACES:-}" ]; then
        cp -r "$ORACLE_TRACES" "$1/traces" || return
        oracle='{ top_builddir=$PWD/build bash tests/mpi/oracle.sh --traces /traces >oracle.log; failed=$?; cat oracle.log
            echo "# PASS: $(grep "^ok " oracle.log | grep -vc "# SKIP")"; echo "# FAIL: $(grep -c "^not ok " oracle.log)"; [ $failed = 0 ]; }'
    fi
    inside_for $((limit_s * 2 / 3)) "$1" "export TIMELESS_PACKAGES=replay; cd /timeless && bash tests/setup.sh --without-mpi &&
        { make -C build --no-print-directory -k check; status=\$?; $oracle && [ \$status = 0 ]; }"
}

# test_in ROOT: the tests; prints their log
test_in() {
    [ -z "$whole" ] || { whole_in "$1"; return; }
    [ -z "$mpich" ] || { mpich_in "$1"; return; }
    [ -z "$replay" ] || { replay_in "$1"; return; }
    rm -rf "$1/timeless" && mkdir "$1/timeless" && git archive HEAD | tar -x -C "$1/timeless" || return
    if [ -n "$all" ]; then
        inside_for $((limit_s * 2 / 3)) "$1" 'cd /timeless && bash tests/run.sh'
    else
        inside_for $((limit_s * 2 / 3)) "$1" "export TIMELESS_PACKAGES=core; cd /timeless && bash doc/first-light.sh 1000 &&
            { ! grep 'warning:' build/make.log; } && make -C build --no-print-directory -j\$(nproc) check TESTS='$(echo $CORE)'"
    fi
}

status=0
[ -z "$whole$mpich" ] || commit=$(git rev-parse HEAD) || exit 4
for release; do
    root=$roots/$release
    limit_of_root_s=$((limit_s / 3)) make_root "$release" "$root" || cannot "$release: debootstrap failed: $(tail -n 1 "$root.log")"
    inside "$root" true 2>"$root.log" || cannot "$release: it cannot be entered: $(tail -n 1 "$root.log")"
    cp /etc/resolv.conf "$root/etc/" 2>/dev/null
    install_in "$root" || cannot "$release: its packages cannot be installed: $(tail -n 1 "$root.log")"
    [ -z "$install" ] || continue
    test_in "$root" >"$root.log" 2>&1
    ended=$?
    passed=$(awk '/^# PASS:/ { n += $3 } END { print n + 0 }' "$root.log")
    failed=$(awk '/^# (FAIL|XPASS|ERROR):/ { n += $3 } END { print n + 0 }' "$root.log")
    if [ -n "$all$mpich" ] && [ $ended != 124 ]; then
        # shellcheck disable=SC2016 # $ is the last line
        IFS=' ' read -r passed failed < <(sed -nE '$s/^([0-9]+) passed,.* ([0-9]+) failed$/\1 \2/p' "$root.log")
        : "${passed:=0}" "${failed:=0}"
    fi
    if [ $ended = 124 ]; then
        echo "$release: the build and the tests took more than $((limit_s * 2 / 3)) seconds; the last that ended: $(grep \
            -aE '^(PASS|FAIL|SKIP): ' "$root.log" | tail -n 1)"
        failed=$((failed + 1))
    elif { [ $ended != 0 ] || [ "$passed" = 0 ]; } && [ "$failed" = 0 ]; then
        failed=1
        tail -n 30 "$root.log"
    fi
    grep -aE '^(FAIL|XPASS|ERROR): .* [0-9]+ - ' "$root.log"
    [ -z "$whole" ] || describe_whole "$root"
    [ -z "$mpich" ] || { grep -aE '^(FAIL|SKIP): ' "$root.log"; echo "$release: commit $commit, $(tail -n 1 "$root.log")"; }
    echo "$release: $passed passed, $failed failed"
    [ "$failed" = 0 ] || status=1
done
exit $status
