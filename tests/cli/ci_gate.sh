#!/usr/bin/env bash
# doc/ci: the commands of both workflows gate a program on prediction and on measurement.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1
export TIMELESS_PLATFORMS=$top_srcdir/platforms GATE_REPLAY=--no-compute GATE_RUNS=3 GATE_TOLERANCE=60%
mkdir bin ci && ln -s "$timeless" bin/timeless && cp "$top_srcdir/doc/ci/gate.sh" ci/ || exit 99
oversubscribe=--oversubscribe
! uses_mpich || oversubscribe=
printf '#!/bin/sh\nexec %s %s "$@"\n' "$(command -v "$MPIRUN")" "$oversubscribe" >bin/mpirun && chmod +x bin/mpirun
export PATH=$PWD/bin:$PATH
cat >app.c <<'END'
#include <mpi.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    char buffer[1000] = "";
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++)
        MPI_Bcast(buffer, sizeof buffer, MPI_CHAR, i % 2, MPI_COMM_WORLD);
    usleep(SLEEP);
    MPI_Finalize();
    return 0;
}
END
build() { $MPICC $SANITIZE -DMESSAGES="$1" -DSLEEP="$2" app.c -o app; }
# run FILE KIND: the command of this kind in the workflow
run() { bash -euc "$(sed -n "s/.*\(bash ci\/gate.sh $2 .*\)/\1/p" "$top_srcdir/doc/ci/$1")"; }

build 20 0 || exit 99
check 'github.yml: the baseline is stored' run github.yml baseline
check 'the baseline has a prediction and three measurements' sh -c 'grep -c . baseline/predicted.csv baseline/measured.csv | tr "\n" " " |
    grep -qx "baseline/predicted.csv:1 baseline/measured.csv:3 "'
build 200 0
check_exit 1 'github.yml: ten times the messages fail by the prediction' run github.yml check
check 'the JUnit file names the failed row' grep -q '<testcase [^>]*name="predicted on star-1g"[^>]*><failure' baseline/predicted.xml
build 2 0
check 'gitlab.yml: fewer messages pass' run gitlab.yml check
sed -i 's/measured,.*/measured,0.001/; 2s/$/1/' baseline/measured.csv
check_exit 1 'gitlab.yml: a longer measured time fails' run gitlab.yml check
check 'the measured row is the failed one' sh -c 'grep -q "name=\"measured\"[^>]*><failure" baseline/measured.xml && ! grep "<failure" baseline/predicted.xml'
check 'both workflows have the same commands' test "$(grep -ho 'bash ci/gate.sh.*' "$top_srcdir/doc/ci/github.yml")" = \
    "$(grep -ho 'bash ci/gate.sh.*' "$top_srcdir/doc/ci/gitlab.yml")"
check_exit 2 'gate.sh without arguments prints how to use it' bash ci/gate.sh
tap_done
