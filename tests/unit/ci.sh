# ci.sh - what .ci/run and tests/accuracy/compare_prediction.sh decide.  A machine that is steady or unsteady on demand
# does not exist: HPL and the command are stand-ins here, whose times are given.
. "$top_srcdir/tests/tap.sh"
fake=$scratch/fake
mkdir -p "$fake/cli"
# Prints the next of the times of $TIMES, which begin again at its end.
cat >"$fake/cli/mpirun" <<'END'
#!/bin/bash
n=$(cat "$RUNS" 2>/dev/null || echo 0)
set -- $TIMES
shift $((n % $#))
echo $((n + 1)) >"$RUNS"
printf 'HPL_time=%s\nSuccess=1\n' "$1"
END
# One dgemm of 1 s is the prediction; the run of the trace took 1 s.
cat >"$fake/cli/timeless" <<'END'
#!/bin/bash
case $1 in
record) touch whole.tl; shift 5; exec "$@" ;;
calibrate)
    while [ $# -gt 0 ]; do
        case $1 in
        --raw) printf 'kernel,seconds\ndgemm,1.0\n' >"$2" ;;
        --reuse) awk -F, '$1 == "dgemm" { print $NF; exit }' "$2" >model.conf ;;
        esac
        shift
    done ;;
replay) cp model.conf hpl.json ;;
compare) printf '"solve",1.0,1,1,1,%s\n' "$(cat hpl.json)" >rows.csv ;;
esac
END
chmod +x "$fake/cli/mpirun" "$fake/cli/timeless"
touch "$scratch/xhpl"
# compare TIMES [OPTION...]: the first run of each rank count is the recorded one, three follow in each attempt
compare() {
    rm -f "$scratch/runs"
    PATH=$fake/cli:$PATH TIMES=$1 RUNS=$scratch/runs top_builddir=$fake bash "$top_srcdir/tests/accuracy/compare_prediction.sh" \
        -x "$scratch/xhpl" "${@:2}"
}
check_exit 0 'a prediction within 8 % of steady runs is right' compare '1.0 1.02 1.03 1.04'
check_exit 1 'one that is 13 % off in three attempts is wrong' compare "1.0 $(yes 1.15 | head -n 9 | tr '\n' ' ')"
check_exit 1 'a line of dgemm that is 15 % faster is wrong' compare '1.0 1.0 1.0 1.0' -f 0.85
check_exit 0 'one that is off once and right on the average is right' \
    compare "1.0 1.09 1.09 1.16 $(yes 1.01 | head -n 21 | tr '\n' ' ')"
unsteady='1.0 1.0 1.2 1.0 1.05'
check_exit 0 'attempts that are unsteady are right if their mean is' compare "$unsteady"
check_exit 1 'they are wrong if it is 15 % off' compare "$unsteady" -f 0.85
rough='1.0 1.0 1.4 0.7 0.7 1.4 1.3'
check_exit 77 'attempts whose errors are unlike each other are unsteady' compare "$rough"
strict() { TIMELESS_STRICT=1 compare "$@"; }
check_exit 1 'they fail where TIMELESS_STRICT is 1' strict "$rough"
check_exit 4 'an HPL that fails is a failure' compare ''

# ci SAYS RUN COMPARE [OTHER]: .ci/run with a suite, a comparison and a run on the other release that exit so
mkdir -p "$scratch/tree/.ci" "$scratch/tree/tests/accuracy"
cp "$top_srcdir/.ci/run" "$scratch/tree/.ci/"
ci() {
    printf 'echo "%s"; exit %d\n' "$1" "$2" >"$scratch/tree/tests/run.sh"
    printf 'echo so; exit %d\n' "$3" >"$scratch/tree/tests/accuracy/compare_prediction.sh"
    printf 'echo "$1" >>"%s/asked"; echo "skipped: the other Debian release: why"; exit %d\n' "$scratch" "${4:-77}" \
        >"$scratch/tree/tests/distributions.sh"
    echo 'echo built' >"$scratch/tree/tests/setup.sh"
    bash "$scratch/tree/.ci/run" >"$scratch/said"
    local code=$?
    tail -n 1 "$scratch/said" >"$scratch/last"
    return $code
}
last() { equal "$(cat "$scratch/last")" "$1"; }
check_exit 0 'CI: all pass' ci '7 passed, 0 failed' 0 0
check 'CI: the other Debian release is installed beside the tests, and then tested' equal "$(paste -sd ' ' "$scratch/asked")" \
    '--install --limit'
check 'CI: the comparison counts' last '8 passed, 0 failed'
check_exit 0 'CI: an unsteady machine is no failure' ci '7 passed, 0 failed' 0 77
check 'CI: it is named as skipped' grep -qx 'skipped: HPL predicted and measured: so' "$scratch/said"
check_exit 1 'CI: a wrong model is one' ci '7 passed, 0 failed' 0 1
check 'CI: it is counted' last '7 passed, 1 failed'
check_exit 1 'CI: a failed suite is one' ci '7 passed, 2 failed' 1 0
check 'CI: it is counted, too' last '8 passed, 2 failed'
check_exit 1 'CI: a suite that prints no totals is one' ci 'killed' 137 0
check 'CI: so nothing passed' last '0 passed, 1 failed'
not_run() { ! grep 'the other Debian release' "$scratch/said"; }
check 'CI: what does not build here is not tried on the other release' not_run
check_exit 0 'CI: the other Debian release passes' ci '7 passed, 0 failed' 0 0 0
check 'CI: it counts' last '9 passed, 0 failed'
check_exit 0 'CI: one that cannot be installed is no failure' ci '7 passed, 0 failed' 0 0 77
check 'CI: it is skipped by name' grep -qx 'skipped: the other Debian release: why' "$scratch/said"
check 'CI: it does not count' last '8 passed, 0 failed'
check_exit 1 'CI: one that fails is a failure' ci '7 passed, 0 failed' 0 0 1
check 'CI: it is counted, as the others' last '8 passed, 1 failed'
in_no_time() { LIMIT=0 ci '7 passed, 0 failed' 0 0; }
check_exit 1 'CI: more time than its limit is a failure' in_no_time
check 'CI: it is counted, beside what passed' last '8 passed, 1 failed'
check 'CI: the other Debian release is skipped by name if there is no time for it' \
    grep -qx 'skipped: the other Debian release: 1 seconds are left' "$scratch/said"

# other APT TESTS [OPTION...]: distributions.sh, for which the mirror and the tests do so
mkdir -p "$scratch/system"
printf '#!/bin/sh\nmkdir -p "$3"\n' >"$scratch/system/debootstrap"
printf '#!/bin/sh\necho 0\n' >"$scratch/system/id"
cat >"$scratch/system/unshare" <<'END'
#!/bin/bash
script=${!###*TESTS=}
case ${!#} in *lint.sh*) script=lint ;; esac
case ${!#} in
*names:*) echo a.sh b.sh ;;
*TESTS=* | *lint.sh* | *--without-mpi*) eval "$TESTS" ;;
*apt-get*) eval "$APT" ;;
esac
END
cat >"$scratch/system/git" <<'END'
#!/bin/bash
case $1 in
archive) exec tar -cf - -T /dev/null ;;
clone) mkdir -p "${!#}/build" ;;
rev-parse) echo 0123abc ;;
esac
END
chmod +x "$scratch"/system/*
other() {
    rm -rf "$scratch/roots"
    other_again "$@"
}
other_again() {
    APT=$1 TESTS=$2 ROOTS=$scratch/roots MIRROR=http://mirror.invalid PATH=$scratch/system:$PATH \
        bash "$top_srcdir/tests/distributions.sh" "${@:3}" trixie >"$scratch/said"
    local code=$?
    tail -n 1 "$scratch/said" >"$scratch/last"
    return $code
}
check_exit 0 'the other release: tests pass' other : 'echo "# PASS: 7"' --limit 60
check 'the other release: they are counted' last 'trixie: 7 passed, 0 failed'
check_exit 1 'the other release: a test fails' other : 'echo "# PASS: 7"; echo "# FAIL: 1"; exit 2'
check 'the other release: it is counted' last 'trixie: 7 passed, 1 failed'
check_exit 1 'the other release: tests that hang fail' other : 'echo "PASS: a.sh 1 - a"; sleep 1000' --limit 3
check 'the other release: the last one that ended is named' grep -q 'more than 2 seconds; the last that ended: PASS: a.sh 1 - a' \
    "$scratch/said"
check_exit 77 'the other release: a mirror that does not answer is no failure' other 'sleep 1000' : --limit 3
check 'the other release: it is a named skip' \
    grep -q '^skipped: the other Debian release: trixie: its packages cannot be installed: the mirror took more than 1 seconds' \
    "$scratch/last"
check_exit 77 'the other release: nor is one that lacks a package' other 'echo "E: no a"; exit 100' :
check 'the other release: the package is named' grep -q 'E: no a$' "$scratch/last"
one='echo "$script" >>"$ROOTS/ran"; printf "SKIP: $script 2 - c # SKIP no\\n# PASS: 3\\n"'
check_exit 1 'the whole suite: one script fails' other : "$one"'; [ $script != b.sh ] || { echo "# FAIL: 1"; exit 2; }' --whole
check 'the whole suite: all are counted' last 'trixie: 9 passed, 1 failed'
check 'the whole suite: what is skipped is named' grep -qx 'SKIP: a.sh 2 - c # SKIP no' "$scratch/said"
check_exit 0 'the whole suite: the next run passes' other_again : "$one" --whole
check 'the whole suite: it repeated only what failed' equal "$(paste -sd ' ' "$scratch/roots/ran")" 'a.sh b.sh lint b.sh'
check 'the whole suite: and says so' grep -qx 'trixie: commit 0123abc, 3 of 3 scripts, 1 of them run twice, 3 checks skipped' \
    "$scratch/said"
check_exit 1 'the whole suite: a script that hangs fails' other : 'sleep 1000' --whole --limit 3
check 'the whole suite: each counts' last 'trixie: 0 passed, 3 failed'

check_exit 0 'without MPI: the tests pass' other : 'echo "# PASS: 5"' --without-mpi
check 'without MPI: they are counted' last 'trixie: 5 passed, 0 failed'
check_exit 1 'without MPI: no test at all is a failure' other : : --without-mpi

# with_mpich TAP [OPTION...]: with_mpich.sh in a folder with two tests that run programs of MPI and one that does not; they print TAP
mkdir -p "$scratch/mpich"/{tests/{mpi,cli,unit},build}
cp "$top_srcdir"/tests/{with_mpich,runs_mpi}.sh "$scratch/mpich/tests/"
echo '$MPIRUN -np 2 ./a' >"$scratch/mpich/tests/mpi/a.sh"
echo '. "$top_srcdir/tests/mpi/tracer.sh"' >"$scratch/mpich/tests/cli/b.sh"
echo 'true' >"$scratch/mpich/tests/unit/c.sh"
printf '%s\n' 'TESTS = tests/mpi/a.sh tests/cli/b.sh tests/unit/c.sh' 'check:' \
    "	@mkdir -p \$(dir \$(TESTS)); echo \$(TESTS) \$\$MPI >>ran; printf \"\$\$TAP\" >\$(TESTS:.sh=.log)" >"$scratch/mpich/build/Makefile"
cp "$scratch/system/id" "$scratch/system/mpicc.mpich"; cp "$scratch/system/id" "$scratch/system/mpiexec.hydra"
with_mpich() {
    rm -f "$scratch/mpich/build/ran"
    TAP=$1 PATH=$scratch/system:$PATH bash "$scratch/mpich/tests/with_mpich.sh" "${@:2}" >"$scratch/said"
    local code=$?
    tail -n 1 "$scratch/said" >"$scratch/last"
    return $code
}
ran() { equal "$(paste -sd ' ' "$scratch/mpich/build/ran")" "$1"; }
check 'with MPICH: tests that run no program of MPI are left out' with_mpich '' --list
check 'with MPICH: the others are listed' equal "$(paste -sd ' ' "$scratch/said")" 'tests/mpi/a.sh tests/cli/b.sh'
check_exit 1 'with MPICH: a check fails' with_mpich 'ok 1 - x\nnot ok 2 - y\n1..2\n'
check 'with MPICH: it is counted' last '2 passed, 0 skipped by name, 2 failed'
check 'with MPICH: it is named' grep -qx 'FAIL: tests/cli/b.sh: y' "$scratch/said"
check_exit 1 'with MPICH: a test ends before its plan' with_mpich 'ok 1 - x\n' tests/mpi/a.sh
check 'with MPICH: it counts as failed' last '1 passed, 0 skipped by name, 1 failed'
check_exit 0 'with MPICH: one test passes' with_mpich 'ok 1 - x\nok 2 - y # SKIP no z\n1..2\n' tests/mpi/a.sh
check 'with MPICH: the skipped check is named' grep -qx 'SKIP: tests/mpi/a.sh: y: no z' "$scratch/said"
check_exit 0 'with MPICH: the other passes, too' with_mpich 'ok 1 - x\n1..1\n'
check 'with MPICH: only what failed ran again' ran 'tests/cli/b.sh mpich'
check 'with MPICH: both are counted' last '2 passed, 1 skipped by name, 0 failed'
check 'with MPICH: the summary runs nothing' with_mpich '' --summary
check 'with MPICH: it prints the same' last '2 passed, 1 skipped by name, 0 failed'
tap_done
