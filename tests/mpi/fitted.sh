#!/usr/bin/env bash
# fitted.sh - a program recorded at three sizes, which the traces contain, and its skeleton at a fourth size.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
cd "$scratch" || exit 99
compile fitted
# capture NAME RANKS N STEPS: NAME.tl has the sizes N and steps
capture() { $timeless record -q --volume none --parameter N="$3" --parameter steps="$4" -o "$1.tl" -- $MPIRUN -np "$2" ./fitted "$3" "$4"; }
check 'four ranks are recorded' capture 1 4 66 11
check 'two ranks' capture 2 2 51 23
check 'three ranks' capture 3 3 40 15
check 'six ranks' capture other 6 75 31
check 'the trace has the parameters' prints '~^parameters       N=66 steps=11$' "$timeless" info 1.tl
check 'so has the JSON of info' prints '"parameters": "N=66 steps=11"' "$timeless" info --json 1.tl
check 'so has the trace of its text' sh -c '"$0" dump 1.tl | "$0" undump - -o text.tl && "$0" dump 1.tl >a &&
    "$0" dump text.tl | cmp a -' "$timeless"
check 'three captures have a skeleton, with these parameters' "$timeless" fit 1.tl 2.tl 3.tl -o fitted.skel
# Without call sites and clocks.
events() { "$timeless" dump "$1" | sed -n 's/ site=[0-9]*$//; s/ clock_ns=[0-9]*//; /^[0-9]/p'; }
same_calls() { events "$1" >fitted.text && events "$2" >expected && [ -s expected ] && diff fitted.text expected; }
check 'no report on a multiple of the ranks' sh -c '! grep "is a multiple" fitted.skel'
check 'it has the calls of six ranks' same_calls fitted.skel,ranks=6,N=75,steps=31 other.tl
# With computation: the capture that the budget suggests can be made, and the fit takes it.
timed() { $timeless record -q --folded --volume cputime --parameter N="$3" --parameter steps="$4" -n "$2" -o "$1.tl" -- ./fitted \
    "$3" "$4"; }
check 'four ranks with computation' timed t1 4 66 11
check 'two' timed t2 2 51 23
check 'three' timed t3 3 40 15
check 'five' timed t4 5 58 19
check 'have a skeleton' "$timeless" fit t1.tl t2.tl t3.tl t4.tl -o timed.skel
check 'that states the error of captures left out' grep -q '^# fitted without .* of its [0-9]* calls; computation [-+0-9.e]* %$' timed.skel
check 'a budget at another size' env TIMELESS_PLATFORMS="$top_srcdir/platforms" "$timeless" budget timed.skel --ranks 6 \
    --set N=75 --set steps=31 -p star-1g --json=budget.json
next=$(python3 -c 'import json; print(*[i["remedy"] for i in json.load(open("budget.json"))["inputs"] if i["input"] == "extrapolation"])')
check 'suggests a capture of this size' grep -qxF \
    'timeless record --folded --volume cputime -n 6 --parameter N=75 --parameter steps=31 -o next.tl -- PROGRAM, then timeless fit of all captures and next.tl' <<<"$next"
next=${next%, then*}
check 'which is recorded by this command' env PATH="$(dirname "$timeless"):$PATH" bash -c "${next/PROGRAM/.\/fitted 75 31}"
check 'and fitted with the others' "$timeless" fit t1.tl t2.tl t3.tl t4.tl next.tl -o timed.skel
even() { "$timeless" make ring -n 4 --bytes 800 -o e1.tl; "$timeless" make ring -n 5 --bytes 500 -o e2.tl
    "$timeless" make ring -n 8 --bytes 168 -o e3.tl; "$timeless" fit e?.tl -P bytes=800,500,168 -o even.skel; }
check 'captures without a remainder' even
check 'are reported' grep -q \
    "^# bytes is a multiple of the ranks in all captures: its share of a rank may be wrong for other values" even.skel
check 'a value on the command line comes first' sh -c '"$0" fit 1.tl 2.tl 3.tl --parameter N=66,51,40 -q -o given.skel &&
    "$0" fit 1.tl 2.tl 3.tl --parameter N=66,51,41 -o other.skel; [ $? = 3 ]' "$timeless"
$timeless record -q --volume none --parameter N=40 -o 3.tl -- "$MPIRUN" -np 3 ./fitted 40 15
check 'a capture without a parameter of the first one is named' ends_with 2 \
    '~^timeless: 3.tl: was recorded without the parameter steps that 1.tl has; give --parameter steps= ' \
    "$timeless" fit 1.tl 2.tl 3.tl -o none.skel
for wrong in N 1=2 N= N=1.5 N=-1 =3 'N M=1'; do
    check_exit 2 "refused: --parameter '$wrong'" "$timeless" record --parameter "$wrong" -- true
    cp "$scratch/err" said
done
check 'with a line that says why' grep -q 'give NAME=VALUE' said
tap_done
