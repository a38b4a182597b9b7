#!/usr/bin/env bash
# statistical.sh - pack --volume-precision statistical: predictions stay as they were, and who reads the trace is told.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$(cd "$top_srcdir" && pwd)/platforms
table=$scratch/table
WITHOUT_MPI='' bash "$top_srcdir/tests/bench/statistical_volumes.sh" planted >"$table" 2>"$scratch/said" # it runs no program of MPI
# close COLUMN: in each row of the table
close() { awk -v c="$1" 'NR > 1 { n++; if ($c > 0.5 || $c < -0.5) exit 1 } END { exit n != 6 }' "$table"; }
check 'planted correlation 0, 0.5 and 1: the makespan changes by at most 0.5 % in both engines' close 8
check 'planted correlation 0, 0.5 and 1: the time in MPI changes by at most 0.5 % in both engines' close 10
check 'a trace has at most 0.15 bytes a call' awk 'NR > 1 && $4 > 0.15 { exit 1 }' "$table"

"$timeless" make token -n 4 -o "$scratch/none.tl"
loop=$scratch/loop.tl sample=$scratch/sample.tl
awk 'BEGIN {
    print "timeless-text 1\nranks 2\nvolume_unit \"cpu-ns\"\nprogram \"loop\""
    for (r = 0; r < 2; r++) {
        print "rank " r " host=\"h\"\nsite 1 object=\"a\" offset=1\n" r " 0 MPI_Init clock_ns=0 volume=0"
        for (i = 1; i <= 2000; i++)
            print r " " i " MPI_Allreduce count=1 type_bytes=8 comm=1 volume=" (100000 + i * i * (r + 7) % 9973) " site=1"
        print r " 2001 MPI_Finalize clock_ns=9 volume=3\nend finalized clock_ns=9"
    }
}' | "$timeless" undump - -o "$loop"
check 'pack --volume-precision statistical writes a trace' "$timeless" pack --volume-precision statistical "$loop" -o "$sample"
[ -s "$sample" ] || exit 1
check 'info prints how many blocks have their own volumes' says \
    '~^volume sample +[0-9]+ of [0-9]+ blocks have their own volumes$' <("$timeless" info "$sample")
check 'info --json has it' says '~"volume_sample": "[0-9]+ of [0-9]+"' <("$timeless" info --json "$sample")
check 'the origin names the option' says '~^origin +timeless pack --volume-precision statistical of loop.tl' <("$timeless" info "$sample")
replay() { "$timeless" replay "$sample" -p star-1g "$@"; }
check 'replay prints it' says '~^volume sample +[0-9]+ of [0-9]+ blocks have their own volumes$' <(replay)
check 'replay --json has it' says '~"volume_sample": "[0-9]+ of [0-9]+"' <(replay --json)
report() { "$timeless" report "$sample" -p star-1g -o "$scratch/page.html" && grep -q '"volume_sample": *"[0-9]* of' "$scratch/page.html"; }
check 'report has it' report
check 'only volumes differ' cmp <("$timeless" dump "$loop" | sed 's/ volume=[0-9]*//' | grep -v '^origin') \
    <("$timeless" dump "$sample" | sed 's/ volume=[0-9]*//' | grep -v '^origin\|^volume_sample\|^volume_bursts')
totals() { "$timeless" dump "$1" | awk '{ for (i = 4; i <= NF; i++) if (sub(/^volume=/, "", $i)) sum[$1] += $i }
    END { print sum[0], sum[1] }'; }
check 'the total of each rank is exact' equal "$(totals "$loop")" "$(totals "$sample")"
again() { "$timeless" pack --volume-precision statistical "$loop" -o "$scratch/again.tl" && cmp "$sample" "$scratch/again.tl"; }
check 'the same trace gives the same bytes' again
text() { "$timeless" dump "$sample" >"$scratch/a.txt" && "$timeless" undump "$scratch/a.txt" -o "$scratch/b.tl" &&
    "$timeless" dump "$scratch/b.tl" | cmp - "$scratch/a.txt"; }
check 'the text form keeps it' text
check 'a trace without iterations is packed, too' "$timeless" pack --volume-precision statistical "$scratch/none.tl" -o "$scratch/none2.tl"
cp "$scratch/err" "$scratch/remark"
check 'and a remark says that it has no volumes' says '~^timeless: .*none.tl: has no volumes that could be sampled$' "$scratch/remark"
lossless() { "$timeless" pack --volume-precision lossless "$loop" -o "$scratch/c.tl" &&
    "$timeless" pack "$loop" -o "$scratch/d.tl" && cmp "$scratch/c.tl" "$scratch/d.tl"; }
check 'lossless is the default' lossless
damaged() {
    local at
    for at in 300 700 1500; do
        head -c $at "$sample" >"$scratch/e.tl"
        printf X >>"$scratch/e.tl"
        tail -c +$((at + 2)) "$sample" >>"$scratch/e.tl"
        "$timeless" replay "$scratch/e.tl" -p star-1g >/dev/null 2>"$scratch/e.txt"
        [ $? = 3 ] || return 1
    done
}
check 'damaged volumes are refused' damaged
# Ranks with different numbers of iterations: the last call of rank 1 is at another place.
"$timeless" dump "$loop" | sed '/^rank 1/a site 2 object="a" offset=2' | sed '/^1 2000 /s/site=1/site=2/' |
    "$timeless" undump - -o "$scratch/uneven.tl"
statistical() { "$timeless" pack --volume-precision statistical "$1" -o "$2" 2>"$scratch/remark"; }
statistical "$scratch/uneven.tl" "$scratch/rounded.tl"
check 'pack prints that no volumes are sampled, and why' says \
    '~^timeless: .*uneven.tl: no volumes are sampled: there is no call that all ranks make equally often, at least 16 times; all 4004 volumes are rounded by at most 0.001' "$scratch/remark"
check 'info counts the bursts that were rounded instead' says \
    '~^volume bursts +0 of 4004 have the volume of another block; 4004 were rounded' <("$timeless" info "$scratch/rounded.tl")
# numbers FILE EXPRESSION: of the JSON of info, which replay has, too
numbers() {
    "$timeless" info --json "$1" >"$scratch/info.json" && "$timeless" replay "$1" -p star-1g --json >"$scratch/replay.json" &&
        python3 -c 'import json, sys
a, b = (json.load(open(p))["volume_counts"] for p in sys.argv[2:])
print(a)
sys.exit(not (a == b and eval(sys.argv[1], dict(a))))' "$2" "$scratch/info.json" "$scratch/replay.json"
}
check 'JSON has it as numbers' numbers "$scratch/rounded.tl" 'bursts == rounded_bursts == 4004 and sampled_bursts == 0'
check 'JSON of a sample has blocks and bursts as numbers' numbers "$sample" \
    'bursts == 4004 and rounded_bursts == 0 and 0 < kept_blocks < blocks and 2000 < sampled_bursts < 4004'
taken() { # as many volumes differ from the recorded ones as were sampled or rounded: at most
    local differ
    differ=$(paste <("$timeless" dump "$loop" | grep -o ' volume=[0-9]*') <("$timeless" dump "$sample" |
        grep -o ' volume=[0-9]*') | awk '$1 != $2' | wc -l)
    numbers "$sample" "sampled_bursts * 0.9 < $differ"
}
check 'most of the sampled volumes differ from those of the run' taken
statistical "$sample" "$scratch/twice.tl"
check 'a sample is not sampled again: pack prints it' says \
    '~^timeless: .*sample.tl: its volumes are statistical already, and stay as they are$' "$scratch/remark"
check 'and keeps volumes and header' cmp \
    <("$timeless" dump "$sample" | grep -v ^origin) <("$timeless" dump "$scratch/twice.tl" | grep -v ^origin)
statistical "$loop" "$scratch/quiet.tl"
check 'a sample is made without a remark' test ! -s "$scratch/remark"

check 'an unknown word exits 2, and the message has the valid ones' ends_with 2 '~statistical' \
    "$timeless" pack --volume-precision statistic "$loop" -o "$scratch/x.tl"
tap_done
