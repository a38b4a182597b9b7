#!/usr/bin/env bash
# windows.sh - a run that is recorded in windows: every call across a border has both of its sides,
# and the share of the time whose computation is missing is printed wherever the trace is used.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
compile windows
trace=$scratch/windows.tl
check "the whole run is recorded" $timeless record --volume cputime -o "$scratch/whole.tl" -- $MPIRUN -np 2 "$scratch/windows" 2 100 50
check "two windows are recorded" $timeless record --volume cputime --regions -o "$trace" -- $MPIRUN -np 2 "$scratch/windows" 2 100 50
calls() { for rank in 0 1; do "$print_events" "$1" $rank; done; }
same_calls() { calls "$scratch/whole.tl" >"$scratch/expected"; calls "$trace" | diff "$scratch/expected" - &&
    test "$(wc -l <"$scratch/expected")" -gt 100; }
check "the trace has every call of the whole run, across borders too" same_calls
check "info prints the share of the time" $timeless info "$trace"
cp "$scratch/out" "$scratch/info"
check "info names the selection and the share" says \
    '~^recorded in part +the trace has the computation of [0-9.]+ % of the time \(regions\), [0-9.]+ to [0-9.]+ % on each rank$' \
    "$scratch/info"
check "the clock is not comparable" says '~not comparable: .*recorded in part' "$scratch/info"
share() { local s; s=$(sed -nE 's/^recorded in part .*computation of ([0-9]+).*/\1/p' "$scratch/info"); echo "share $s"
    [ "$s" -ge 1 ] && [ "$s" -le 99 ]; }
check "the share is neither nothing nor all" share
for engine in loggops smpi; do
    check "$engine: the windows are replayed" $timeless replay "$trace" --engine $engine --platform star-1g --no-compute
    cp "$scratch/err" "$scratch/said"; cp "$scratch/out" "$scratch/prediction"
    check "$engine: a warning names the share" says \
        '~warning: .*windows.tl: the trace has the computation of [0-9.]+ % of the time \(regions\), .*; the rest takes no time in the prediction' \
        "$scratch/said"
    check "$engine: the prediction has it, too" says '~^recorded in part +[0-9.]+ % of the time' "$scratch/prediction"
done
check "a whole run has no such line" test -z "$($timeless info "$scratch/whole.tl" | grep 'recorded in part')"
check "until a time far ahead: the run is recorded" $timeless record --volume cputime --until 1000s -o "$trace" -- $MPIRUN -np 2 \
    "$scratch/windows" 1 10 10
check "until a time far ahead: nothing is missing" test -z "$($timeless info "$trace" | grep 'recorded in part  ')"
check "--exclude alone: the run is recorded" $timeless record --volume cputime --exclude MPI_Wtime -o "$trace" -- $MPIRUN -np 2 \
    "$scratch/windows" 1 10 10
check "--exclude alone: no computation is missing" test -z "$($timeless info "$trace" | grep 'recorded in part  ')"
tap_done
