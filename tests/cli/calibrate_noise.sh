#!/usr/bin/env bash
# timeless calibrate noise, and detours in both engines.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
check 'measures the cores' "$timeless" calibrate noise --max-seconds 1 -o noise
cp err said
check 'tells of each' test "$(grep -c 'noise/noise\.[0-9]*: [0-9]* detours' said)" = "$(nproc)"
check 'the file states command, machine, moment and threshold' test "$(sed -n 1,3p noise/noise.0 |
    grep -cE "'timeless calibrate noise' [0-9.]+|^# Measured on .*, until 20[0-9-]+T[0-9:]+Z\.|took more than 9 times")" = 3
# Detours begin one after the other and do not overlap.
in_order() { awk '!/^#/ { if ($1 < end || $2 <= 0 || NF != 2) exit 1; end = $1 + $2 }' "$@"; }
for file in noise/noise.*; do check "$file is in order" in_order "$file"; done

# Two ranks compute for 1 s: one detour of 100 us in each millisecond.
{
    printf 'timeless-text 1\nranks 2\nvolume_unit "cpu-ns"\n'
    for rank in 0 1; do
        printf 'rank %d host="h"\n' $rank
        for i in 0 1 2 3 4 5 6 7 8 9; do printf '%d %d MPI_Wtime clock_ns=0 volume=100000000\n' $rank $i; done
        printf 'end cut clock_ns=0\n'
    done
} | "$timeless" undump - -o t.tl
smpi() { "$timeless" replay t.tl -p star-1g --ranks-per-host 1 "$@"; }
loggops() { "$timeless" replay t.tl --model "$top_srcdir/platforms/star-1g/model.conf" --engine loggops \
    --params L=1us,o=0,g=0,G=0,O=0 "$@"; }
for engine in smpi loggops; do
    check "without noise, $engine" near "$($engine -q)" 1 1e-3
    # A millisecond of which a tenth is lost has 0.9 ms left.
    check "with noise, $engine" near "$($engine -q --noise 1000Hz:100us)" 1.1111 1e-3
    check "the same of one rank, $engine" near "$($engine -q --noise 1000Hz:100us,ranks=1-1)" 1.1111 1e-3
    check_exit 2 "of a rank that is not there, $engine" $engine -q --noise 1000Hz:100us,ranks=7-7
done
smpi --noise 1000Hz:100us --json=a.json -q >a
smpi --noise 1000Hz:100us --json=b.json -q >b
check 'the same seed, the same bytes' cmp a.json b.json
noise_of() { json a.json 'p = d; print(p["noise"]["detours"], [round(r["noise_s"], 3) for r in p["ranks"]])'; }
check 'the prediction tells it' test "$(noise_of)" = '1000Hz:100us [0.111, 0.111]'
printf '100000\t1000\n900000\t99000\n999000\t1000\n' >file
check 'detours of a file, SimGrid' near "$(smpi -q --noise file)" 1.1124 1e-3
check 'detours of a file, LogGOPS' near "$(loggops -q --noise file)" 1.1124 1e-3
for engine in smpi loggops; do
    check "in application time alone, $engine" near "$($engine -q --noise 1000Hz:100us,application)" 1.1111 1e-3
    check "of a list of ranks, $engine" near "$($engine -q --noise 1000Hz:100us,ranks=1,0-0)" 1.1111 1e-3
done
check 'overheads: of a program that computes, none' near "$(loggops -q --noise 1000Hz:100us,overheads)" 1 1e-3
"$timeless" make call_allreduce -n 4 -o quiet.tl
check 'noise that delays nothing is reported, with the engine in which it would' prints \
    'detours: 0 s in the mean; they delay computation, .*--engine loggops' \
    "$timeless" replay quiet.tl -p "$top_srcdir/platforms/star-1g" --noise 1kHz:25us
check 'SimGrid has none of them: the refusal of overheads says that smpi has noise in application time only' refused 2 \
    "noise '1000Hz:100us,overheads': the smpi engine has noise in application time only" \
    smpi --noise 1000Hz:100us,overheads
drawn=$(loggops -q --noise 1000Hz:100us,durations=exponential)
check 'durations that are drawn, both engines alike' near "$(smpi -q --noise 1000Hz:100us,durations=exponential)" "$drawn" 1e-3
check_exit 2 'noise that is none' smpi --noise 1000Hz:
# Mistakes are found before anything is measured, and leave the files of the user.
echo 'notes of the user' >notes
cp -r noise before
# leaves_all CODE TEXT OPTION...
leaves_all() { refused "$1" "$2" "$timeless" calibrate noise --max-seconds 1 "${@:3}" &&
    [ "$(cat notes)" = 'notes of the user' ] && diff -r before noise; }
check 'a file in place of the folder' leaves_all 4 'notes: is no folder' -o notes
check 'a file in place of the archive' leaves_all 2 'notes: exists, so it is not overwritten' -o noise --archive notes
check 'a folder of the archive that is not there' leaves_all 4 'nowhere/a: cannot be written' -o noise --archive nowhere/a
timeout -s INT 0.5 "$timeless" calibrate noise -o noise --max-seconds 20 2>said
check 'an interrupted measurement leaves the files of the one before' diff -r before noise
mkdir archives
check 'an archive goes into a folder' "$timeless" calibrate noise --max-seconds 1 -o noise --archive archives
check '... with a name of its own' sh -c 'ls -d archives/noise-*Z'
tap_done
