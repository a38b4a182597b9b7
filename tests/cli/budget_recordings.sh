#!/usr/bin/env bash
# timeless budget of several recordings: their spread against its formula.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
mkdir one && sed 's/speed="[^"]*"/speed="1Gf"/' "$top_srcdir/platforms/star-1g/platform.xml" >one/platform.xml
printf '%s\n' 'version = 2; reference_flops = 1e9;' \
    'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;}, {unit = "instructions"; seconds_per_unit = 1e-9;});' >one/model.conf
# trace NAME UNIT FIRST SECOND [THIRD [RANKS]]: bursts between the lines 1 and 2, and 2 and 3; with THIRD, another one before the end
trace() {
    local r
    {
        printf '%s\n' 'timeless-text 1' "ranks ${6:-1}" "volume_unit \"$2\"" 'program "./app"'
        for r in $(seq 0 $((${6:-1} - 1))); do
            printf '%s\n' "rank $r host=\"h\"" 'site 1 object="app" offset=16 function="main" file="app.c" line=1' \
                'site 2 object="app" offset=32 function="main" file="app.c" line=2' \
                'site 3 object="app" offset=48 function="main" file="app.c" line=3' \
                "$r 0 MPI_Init clock_ns=0 site=1" "$r 1 MPI_Barrier comm=1 clock_ns=1 volume=$3 site=2" \
                ${5:+"$r 2 MPI_Barrier comm=1 clock_ns=1 volume=$5 site=2"} \
                "$r $((${5:+1} + 2)) MPI_Finalize clock_ns=1 volume=$4 site=3" 'end finalized clock_ns=1'
        done
    } | "$timeless" undump - -o "$1"
}
trace 1.tl cpu-ns 1000000 500000
trace 2.tl cpu-ns 1200000 500000
trace 3.tl cpu-ns 1100000 500000
check 'a budget of three recordings' "$timeless" budget 1.tl 2.tl 3.tl --platform one --json=b.json
cp out said
# Student's quantile of two degrees of freedom: 2.91998558
check 'has the prediction interval of a fourth' json b.json '
half = 2.91998558 * 1e-4 * (4 / 3) ** 0.5
i = {i["input"]: i for i in d["inputs"]}["bursts"]
assert i["from"] == "measured" and i["runs"] == 3 and abs(i["uncertainty"] / (half / 1.6e-3) - 1) < 1e-6, i
assert abs(d["makespan_s"] - 1.6e-3) < 1e-9, d
assert abs(i["low_s"] - 1.6e-3 + half) < 1e-9 and abs(i["high_s"] - 1.6e-3 - half) < 1e-9, (d, half)'
check 'the trace is that with the median computation' says 'makespan: of 3.tl, whose computation is the median of 3 recordings' said
check 'the spread is printed' says '~^bursts: measured, 3 runs, [+]-21.1 %$' said
check 'and the class that makes it' says '~^  68.8 % of them, [+]-30.7 %: from main [(]app.c:1[)] to main [(]app.c:2[)]' said
check 'the JSON has the spread of each class' json b.json '
first, second = d["burst_classes"]
half = 2.91998558 * 1e5 * (4 / 3) ** 0.5
assert first["from"] == "main (app.c:1)" and first["to"] == second["from"] == "main (app.c:2)", d
assert abs(first["uncertainty"] / (half / 1.1e6) - 1) < 1e-6 and second["uncertainty"] == 0, d
assert abs(first["share"] - 1.1 / 1.6) < 1e-9 and abs(second["share"] - 0.5 / 1.6) < 1e-9, d'
check 'the order of the files does not matter' sh -c '"$0" budget 3.tl 2.tl 1.tl --platform one --json >other &&
    "$0" budget 1.tl 3.tl 2.tl --platform one --json | cmp - other' "$timeless"
check 'a number of the user counts more' prints '~^bursts  *3 %  given' \
    "$timeless" budget ?.tl --platform one --uncertain bursts=3
# Counted instructions do not tell how long one takes.
trace i1.tl instructions 1000000 500000
trace i2.tl instructions 1001000 500000
"$timeless" budget i1.tl i2.tl --platform one >said
check 'the time of an instruction stays assumed' says '~^bursts  *5 %  assumed' said
check 'and the spread of their number is printed' says \
    '~^bursts: measured, 2 runs, .* in their number of instructions; the time of an instruction is assumed$' said
trace i3.tl instructions 1500000 500000
check 'a greater spread replaces it' prints '~^bursts .* measured' "$timeless" budget i1.tl i3.tl --platform one
trace other.tl cpu-ns 1100000 500000 100000
"$timeless" budget 1.tl other.tl --platform one >said
check 'other calls are named' says 'the program does not do the same in each run: 1.tl and other.tl have other numbers of calls' said
check 'recordings in another unit are refused' refused 3 \
    "i1.tl: is in 'instructions', 1.tl in 'cpu-ns'; record both with the same --volume" "$timeless" budget 1.tl i1.tl --platform one
trace two.tl cpu-ns 1 1 '' 2
check 'recordings of other ranks are refused' refused 3 'two.tl: has 2 ranks, 1.tl has 1; give recordings of the same run' \
    "$timeless" budget 1.tl two.tl --platform one
"$timeless" dump 2.tl | sed 's/app/other/' | "$timeless" undump - -o stranger.tl
check 'recordings of another program are refused' refused 3 "stranger.tl: is of './other', 1.tl of './app'" "$timeless" budget \
    1.tl stranger.tl --platform one
check '65 recordings are refused' refused 2 'give at most 64 recordings' "$timeless" budget $(yes 1.tl | head -n 65) --platform one
tap_done
