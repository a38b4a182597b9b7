#!/usr/bin/env bash
# repeat.sh - timeless record --repeat: several runs of one program, and the budget that takes them together.
. "$(dirname "$0")/../tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 1
cat >runs.c <<'END'
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
/* runs FAILS MORE: counts its runs in a file; run FAILS exits with 7, run MORE makes another call. */
int main(int argc, char **argv)
{
    volatile double sum = 0;
    int run = 0;
    FILE *file = fopen("count", "r");
    if (file && fscanf(file, "%d", &run) != 1)
        return 1;
    if (file)
        fclose(file);
    file = fopen("count", "w");
    fprintf(file, "%d", ++run);
    fclose(file);
    if (argc > 1 && run == atoi(argv[1]))
        return 7;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2000000; i++)
        sum += 1.0 / (i + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2 && run == atoi(argv[2]))
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
$MPICC $SANITIZE -O1 -g runs.c -o runs || exit 99
repeat() { rm -f count; "$timeless" record --repeat "$@"; }

check 'three runs are recorded' repeat 3 --volume cputime -o app.tl -- ./runs
cp err said
check 'each has a file' test -s app.1.tl -a -s app.2.tl -a -s app.3.tl -a ! -e app.tl
check 'the spread is printed' says '~^timeless: 3 runs: the computation of another one differs by at most [0-9.e+]+ %' said
suggestion=$(sed -n 's/^timeless: .* type: timeless \(budget .*\) --platform NAME$/\1/p' said)
check 'and the command that uses it' equal "$suggestion" 'budget app.1.tl app.2.tl app.3.tl'
check 'which works' "$timeless" $suggestion --platform star-1g --json=b.json
cp out said
check 'and has the measured spread' says '~^bursts: measured, 3 runs, [+]-[0-9.e+]+ %$' said
check 'as an input, and as a line' json b.json 'i = {i["input"]: i for i in d["inputs"]}["bursts"]
assert i["from"] == "measured" and i["runs"] == 3 and any(n.startswith("bursts: measured, 3 runs, +-") for n in d["notes"]), d'
check 'of one recording, the next command records more' prints '~^next: timeless record --repeat 5 -o app.1.tl -n 1 ./runs$' \
    "$timeless" budget app.1.tl --platform star-1g

check 'a run that fails is named' ends_with 7 'timeless: run 2 of 3 has failed with exit code 7' repeat 3 -o fails.tl -- ./runs 2
check 'and left out' says 'type: timeless budget fails.1.tl fails.3.tl --platform NAME' said
check 'with the number of good runs' says 'timeless: 2 of 3 runs are complete' said
check_exit 7 'the first run fails' repeat 3 -o first.tl -- ./runs 1
check 'and there is no other' equal "$(cat count)" 1
check 'a program that makes another call' repeat 3 -o calls.tl -- ./runs 0 3
cp err said
check 'is named, with two runs' says 'does not do the same in each run: .*calls.1.tl and .*calls.3.tl have other numbers of calls' said
check 'by the budget, too' prints 'does not do the same in each run: calls.1.tl and calls.3.tl' \
    "$timeless" budget calls.?.tl --platform star-1g
echo text >foreign.2.tl
check 'no file of the user is overwritten' refused 2 foreign.2.tl "$timeless" record --repeat 2 -o foreign.tl -- ./runs
check 'and nothing ran before this was found' test ! -e foreign.1.tl
check 'one run is no repetition' refused 2 'number of runs' "$timeless" record --repeat 1 -- ./runs
tap_done
