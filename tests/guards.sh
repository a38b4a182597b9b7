#!/usr/bin/env bash
# guards.sh [TEST...] - makes the guards of tests/guards.txt fire, all or those of some tests: each must print that
# its check is skipped, and why.  The other checks of the test do not run.
. "$(dirname "$0")/tap.sh"
unset CI # in which a missing checker is no reason to skip
top_builddir=$(cd "$top_builddir" && pwd)
export top_srcdir top_builddir SANITIZE WITHOUT_MPI MPICC MPIFORT MPIRUN SMPICC SMPIRUN HPCC
wanted=" $* "
cc -o "$scratch/deny" "$top_srcdir/tests/deny.c" || exit 4

# run_test TEST: its guards only
run_test() {
    case $1 in
    tests/lint.sh) bash "$top_srcdir/$1" "$top_srcdir/tests/deny.c" ;;
    *.sh) (cd "$top_builddir" && TAP_GUARDS=1 bash "$top_srcdir/$1") ;;
    *) (cd "$top_builddir" && CMOCKA_MESSAGE_OUTPUT=TAP bash "$top_srcdir/tests/cmocka.sh" "./$1") ;;
    esac
}
# stand_in PROGRAM LINE...: a script of these lines, found before the program
stand_in() {
    rm -rf "$scratch/bin"; mkdir "$scratch/bin"
    printf '%s\n' '#!/bin/sh' "${@:2}" >"$scratch/bin/$1"
    chmod +x "$scratch/bin/$1"
}
# changed TEST KIND [ARGUMENT...]
changed() {
    local test=$1 kind=$2; shift 2
    case $kind in
    variable) (export "$1"; run_test "$test") ;;
    fails) stand_in "$1" 'exit 1'; PATH=$scratch/bin:$PATH run_test "$test" ;;
    prints) stand_in "$1" "echo '${*:2}'"; PATH=$scratch/bin:$PATH run_test "$test" ;;
    deny) "$scratch/deny" "$1" bash -c "$(declare -f run_test); run_test $test" ;;
    *) echo "$kind: unknown"; return 1 ;;
    esac
}
# fires TEST NAME CHANGE: the test skips the check and gives a reason
fires() {
    local line
    # shellcheck disable=SC2086
    changed "$1" $3 >"$scratch/log" 2>&1 </dev/null
    line=$(grep -E '^ok [0-9]+ - .*# SKIP .|^skipped: ' "$scratch/log" | grep -F -- "$2" | head -n 1)
    [ -n "$line" ] || { echo "no skip of '$2'"; tail -n 20 "$scratch/log"; return 1; }
}
while IFS='|' read -r test name change <&3; do
    test=${test% } name=${name# } name=${name% }
    case $test in ''|\#*) continue ;; esac
    [ "$change" != ' always' ] || continue
    [ "${WITHOUT_MPI:-}" != yes ] || ! runs_mpi "$top_srcdir/$test" || [ "$name" = 'programs of MPI' ] || continue
    [ $# = 0 ] || case $wanted in *" $test "*) ;; *) continue ;; esac
    check "$test skips '$name':$change" fires "$test" "$name" "$change"
done 3<"$top_srcdir/tests/guards.txt"
tap_done
