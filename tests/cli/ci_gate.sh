#!/usr/bin/env bash
# doc/ci: the commands of both workflows gate a program on prediction, and on measurement if they shall.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1
export TIMELESS_PLATFORMS=$top_srcdir/platforms GATE_MEASURED_TOLERANCE=60%
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
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(SLEEP);
    MPI_Finalize();
    return 0;
}
END
build() { $MPICC $SANITIZE -g -DMESSAGES="$1" -DSLEEP="$2" app.c -o app; }
# run FILE KIND: the command of this kind in the workflow
run() { bash -euc "$(sed -n "s/.*\(bash ci\/gate.sh $2 .*\)/\1/p" "$top_srcdir/doc/ci/$1")"; }

build 20 0 || exit 99
check 'github.yml: the baseline is stored' run github.yml baseline
check 'it is a trace and a prediction, and no measurement' sh -c 'test -s baseline/before.tl &&
    grep -c . baseline/predicted.csv baseline/measured.csv | tr "\n" " " |
    grep -qx "baseline/predicted.csv:1 baseline/measured.csv:0 "'
for i in 1 2; do check "the same program passes, $i" run github.yml check; done
check 'its communication is predicted the same' cmp baseline/predicted.csv baseline/predicted-now.csv
check 'and there is no page' test ! -e baseline/report.html
check_exit 0 'and it passes once more' run github.yml check
cp out said
check 'the change of the time with computation is printed' grep -qE '^with computation: [0-9.e-]+ s before, [0-9.e-]+ s now' said
check 'by default, messages between ranks use the network' sh -c 'timeless replay baseline/now.tl -p star-1g --no-compute \
    --ranks-per-host 1 -q | sed "s/^/predicted on star-1g,/" | cmp - baseline/predicted-now.csv'
check_exit 3 'a program that fails is no verdict' bash ci/gate.sh check baseline star-1g -- mpirun -np 2 false
check_exit 3 'nor is a missing baseline' bash ci/gate.sh check nothing star-1g -- mpirun -np 2 ./app
cp err said
check 'whose message names the command' grep -q 'make one with: gate.sh baseline nothing' said
check_exit 3 'nor is one of another number of ranks' bash ci/gate.sh check baseline star-1g -- mpirun -np 3 ./app
export GATE_COMPUTE_TOLERANCE=99%
check 'GATE_COMPUTE_TOLERANCE judges it' run github.yml check
check 'in a JUnit file' grep -q 'name="with computation"' baseline/compute.xml
cp -r "$top_srcdir/platforms/star-1g" bare && rm -f bare/model.conf
check_exit 3 'nor is no prediction with computation, if it shall be judged' bash ci/gate.sh check baseline bare -- mpirun -np 2 ./app
unset GATE_COMPUTE_TOLERANCE
cp err said
check 'whose message names the reason' grep -q '^gate.sh: there is no prediction with computation: .*model' said
check_exit 0 'otherwise it is only reported' bash ci/gate.sh check baseline bare -- mpirun -np 2 ./app
cp err said
check 'with the same message' grep -q '^gate.sh: there is no prediction with computation: .*model' said
touch baseline/mine.xml
check 'a check' run github.yml check
check 'keeps other files of the folder' test -e baseline/mine.xml
timeless dump baseline/now.tl | sed 's/cpu-ns/instructions/' >counted.txt; timeless undump counted.txt -o counted.tl
check 'instructions.conf is a model of counted instructions' timeless replay counted.tl -p star-1g --model "$top_srcdir/doc/ci/instructions.conf"
sed -i '1i /* a line, which moves the calls */' app.c
build 21 0
check_exit 1 'github.yml: 5 % more messages fail' run github.yml check
cp out said
check 'the JUnit file names the failed row' grep -q '<testcase [^>]*name="predicted on star-1g"[^>]*><failure' baseline/predicted.xml
check 'the call site is named, with its line of now' grep -qE '\+[45]\.[0-9]%  site MPI_Bcast main \(app.c:11\)$' said
check 'its neighbour did not change' grep -qE ' [+-]0\.0%  site MPI_Barrier main \(app.c:12\)$' said
check 'and there is a page' sh -c 'grep -qx "page: baseline/report.html" said && grep -q "<html" baseline/report.html'
build 2 0
check 'gitlab.yml: fewer messages pass' run gitlab.yml check
export GATE_RUNS=3
check 'with GATE_RUNS, the baseline is measured' run gitlab.yml baseline
check 'three times' sh -c 'grep -c . baseline/measured.csv | grep -qx 3'
printf '%s\n' '[ ! -e ran ] && touch ran && exec "$@"' >once
check_exit 3 'a measured run that fails is no verdict' bash ci/gate.sh check baseline star-1g -- bash once mpirun -np 2 ./app
cp err said
check 'whose message says so' grep -q '^gate.sh: the program failed in a measured run' said
rm ran; build 21 0
check_exit 1 'a program that became slower is, though a measured run fails' \
    bash ci/gate.sh check baseline star-1g -- bash once mpirun -np 2 ./app
build 2 0
sed -i 's/measured,.*/measured,0.001/; 2s/$/1/' baseline/measured.csv
check_exit 1 'gitlab.yml: a longer measured time fails' run gitlab.yml check
check 'the measured row is the failed one' sh -c 'grep -q "name=\"measured\"[^>]*><failure" baseline/measured.xml &&
    ! grep "<failure" baseline/predicted.xml'
check 'both workflows have the same commands' test "$(grep -ho 'bash ci/gate.sh.*' "$top_srcdir/doc/ci/github.yml")" = \
    "$(grep -ho 'bash ci/gate.sh.*' "$top_srcdir/doc/ci/gitlab.yml")"
check_exit 2 'gate.sh without arguments prints how to use it' bash ci/gate.sh
tap_done
