#!/usr/bin/env bash
# timeless extrapolate: a hot rank is neither multiplied, nor averaged away, nor copied without a word.
#
# The oracle: traces of 16, 4 and 64 ranks that are made with one law of volumes.  In each iteration a rank
# computes 1 ms; ranks differ by 2 %, iterations by 5 %; a hot rank computes five times as much.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# loaded PATTERN RANKS OUT HOT_RANK...
loaded() {
    local pattern=$1 ranks=$2 out=$3
    shift 3
    "$timeless" make "$pattern" -n "$ranks" --bytes 1024 --iterations 10 -o bare.tl &&
        "$timeless" dump bare.tl | awk -v hot=" $* " '
            function noise(a, b) { return (a * 7919 + b * 104729) * 31 % 1000003 / 1000003 - 0.5 }
            /^rank / { n = 0; tag = "" }
            /^volume_unit/ { $0 = "volume_unit \"cpu-ns\"" }
            match($0, / tag=[0-9]+/) && substr($0, RSTART, RLENGTH) != tag {
                tag = substr($0, RSTART, RLENGTH)
                load = (1 + 0.04 * noise($1 + 1, 0)) * (1 + 0.1 * noise($1 + 1, ++n)) * (index(hot, " " $1 " ") ? 5 : 1)
                sub(/ volume=0/, " volume=" int(1e6 * load))
            }
            { print }' | "$timeless" undump - -o "$out"
}
grow() { "$timeless" extrapolate "$1" -n 64 -o "$2" "${@:3}"; }
volumes() { "$timeless" info --all "$1" | awk '/^ +rank +events/ { on = 1; next } !NF { on = 0 } on { print $3 }'; }
hot() { volumes "$1" | awk '$1 > 25e6 { n++ } END { print n + 0 }'; }
# like_volumes A B RELATIVE: each quantile of the ranks' volumes is near
like_volumes() {
    paste <(volumes "$1" | sort -n) <(volumes "$2" | sort -n) | awk -v e="$3" '
        $1 > $2 * (1 + e) || $1 < $2 * (1 - e) { print NR, $0; bad = 1 }
        END { exit bad || NR != 64 }'
}
# has_sources RECORDED NEW SOURCES: volumes by rank
has_sources() {
    awk -F, 'FILENAME == ARGV[1] { recorded[FNR - 1] = $1; next } FILENAME == ARGV[2] { new[FNR - 1] = $1; next }
        FNR > 1 { n++; d = recorded[$3] * $4 - new[$1]; if (d < -1 || d > 1) { print; bad = 1 } }
        END { exit bad || n != 64 }' "$@"
}
unmixed() { volumes "$1" | awk '$1 > 11.5e6 && $1 < 45e6 { print; bad = 1 } END { exit bad || NR != 64 }'; }

# ---- one hot rank of 16, four of 64 ----

loaded sweep 16 sweep.16.tl 5 && loaded sweep 64 sweep.64.tl 5 22 41 60
loaded stencil2d 16 stencil.16.tl 5 && loaded stencil2d 64 stencil.64.tl 5 22 41 60
for name in sweep stencil; do
    check "$name: 16 ranks become 64" bash -c "'$timeless' extrapolate $name.16.tl -n 64 -o $name.tl >report"
    check "$name: 1 hot rank of 16 becomes 4 of 64" equal "$(hot $name.tl)" 4
    check "$name: the ranks' volumes are distributed as in a run of 64" like_volumes $name.tl $name.64.tl 0.06
    check "$name: the report names the hot rank and counts its copies" \
        grep -qE '^rank 5 computes (4\.9|5|5\.0)[0-9]* times the volume of a typical rank at its place; new ranks that do so: 4 of 64$' report
    grow $name.16.tl new.tl -q --sources sources.csv
    volumes $name.16.tl >recorded.txt
    volumes new.tl >new.txt
    check "$name: each new rank has the volume of its source, times the factor" has_sources recorded.txt new.txt sources.csv
done
check 'the report states that CPU time contains noise' bash -c \
    "'$timeless' extrapolate stencil.16.tl -n 64 -o new.tl | grep -q '^CPU time contains noise'"
network=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns -p star-1g)
check 'stencil: the makespan is that of a run of 64' near "$(makespan stencil.tl "${network[@]}")" \
    "$(makespan stencil.64.tl "${network[@]}")" 0.05
# In a sweep, hot ranks on one path add up: their places count, which the seed draws.
for seed in 1 2 3 4 5; do
    grow sweep.16.tl seed.tl -q --seed $seed
    makespan seed.tl "${network[@]}"
done | sort -g >makespans
check 'sweep: the makespan of a run of 64 is among those of five seeds' \
    awk -v real="$(makespan sweep.64.tl "${network[@]}")" \
    'NR == 1 { least = $1 } { most = $1; print } END { print real; exit !(least < real && real < most) }' makespans
check 'sweep: the same seed writes the same bytes' bash -c "'$timeless' extrapolate sweep.16.tl -n 64 -q -o same.tl && cmp same.tl sweep.tl"
check 'sweep: another seed writes other bytes' bash -c "! cmp -s seed.tl sweep.tl"

check '--volumes typical: 16 ranks become 64' bash -c "'$timeless' extrapolate sweep.16.tl -n 64 -o typical.tl --volumes typical >report"
check '--volumes typical: the trace has no hot rank' equal "$(hot typical.tl)" 0
check '--volumes typical: the report states that the hot rank is left out' grep -qE '^rank 5 .*; new ranks that do so: 0 of 64$' report
check '--volumes repeat: 16 ranks become 64' bash -c "'$timeless' extrapolate sweep.16.tl -n 64 -o repeat.tl --volumes repeat >report"
check '--volumes repeat: 9 of 36 inner ranks are hot' equal "$(hot repeat.tl)" 9
check '--volumes repeat: the report counts them' grep -qE '^rank 5 .*; new ranks that do so: 9 of 64$' report

# ---- a rank alone at its place; ranks that are combined ----

loaded sweep 16 alone.tl 0
grow alone.tl new.tl >report
check 'a hot first rank stays the only one' equal "$(hot new.tl)" 1
check 'the report states that a hot first rank is alone at its place' \
    grep -qE '^rank 0, alone at its place, computes .* of a typical rank; new ranks that do so: 1 of 64$' report
loaded sweep 4 four.tl 3
grow four.tl new.tl >report
check 'ranks combined from four have the volume of one of them, not a mean' unmixed new.tl
check 'ranks combined from four: about a quarter is hot' bash -c "n=$(hot new.tl); [ \$n -ge 8 ] && [ \$n -le 24 ]"
check '--volumes repeat: ranks combined from four have a mean' bash -c \
    "'$timeless' extrapolate four.tl -n 64 -o mean.tl --volumes repeat --sources sources.csv >report && [ \$(grep -c ',mean,1\$' sources.csv) = 60 ]"
"$timeless" make sweep -n 16 -o new.tl
check 'a trace without volumes: the report states it' bash -c \
    "'$timeless' extrapolate new.tl -n 64 -o out.tl | grep -qx 'the trace contains no computation: the new ranks compute nothing either'"

# ---- parallel regions of OpenMP ----

# regions PATTERN RANKS OUT: each rank has two regions, with threads and work of its own
regions() {
    "$timeless" make "$1" -n "$2" --iterations 2 -o bare.tl && "$timeless" dump bare.tl | awk '
        function region(rank) {
            print rank, n++, "Parallel list=[" rank + 1 ",7,3," 100 * rank + n ",50" (rank % 2 ? ",60" : "") \
                "] volume=" 101 * rank + 58 + n + rank % 2 * 60 " site=0" }
        /^volume_unit/ { $0 = "volume_unit \"cpu-ns\"" }
        /^rank / { n = 0 }
        !/^[0-9]/ { print; next }
        $3 == "MPI_Finalize" { region($1) }
        { rest = $0; sub(/^[0-9]+ [0-9]+ /, "", rest); print $1, n++, rest }
        $3 == "MPI_Init" { region($1) }' | "$timeless" undump - -o "$3"
}
# has_threads RECORDED NEW SOURCES: the lists of the regions are those of the rank that is copied
has_threads() {
    awk -F '[ ,]' -v sources="$3" 'BEGIN { while ((getline <sources) > 0) from[$1] = $3 }
        $3 != "Parallel" { next }
        FILENAME == ARGV[1] { recorded[$1, ++seen[$1]] = $0; next }
        { n++; old = recorded[from[$1], ++count[$1]]; new = $0; gsub(/^[0-9]+ [0-9]+ | volume.*/, "", old)
          gsub(/^[0-9]+ [0-9]+ | volume.*/, "", new); if (old == "" || old != new) { print $1, old, new; bad = 1 } }
        END { print n; exit bad || n != 128 }' <("$timeless" dump "$1") <("$timeless" dump "$2")
}
for ranks in 16 4; do
    regions sweep $ranks regions.tl
    for volumes in draw typical; do
        check "regions: $ranks ranks with unlike threads become 64, --volumes $volumes" grow regions.tl new.tl --volumes $volumes --sources sources.csv
        check "regions: new ranks have the threads of the ranks that they copy, $ranks ranks, --volumes $volumes" \
            has_threads regions.tl new.tl sources.csv
    done
done
check 'regions: ranks combined from four without a source are made, too' grow regions.tl new.tl --volumes repeat
check 'regions: a replay with other threads accepts them' "$timeless" replay new.tl -q -p star-1g --host-speed 1Gf --rank-threads 4
regions sweep 16 regions.tl
"$timeless" dump regions.tl | sed 's/^5 \([0-9]*\) Parallel list=[^ ]*/5 \1 Sleep count=1/' | "$timeless" undump - -o unlike.tl
check 'regions: a rank without them is refused' refused 3 'is Sleep of one rank and Parallel of the other' grow unlike.tl new.tl

# ---- fewer ranks, wrong words ----

rm -f fewer.tl
check '--ranks 9 of 16 is refused: the message names --allow-fewer' refused 2 \
    '~^timeless: sweep[.]16[.]tl: 9 ranks are fewer than the 16 of the trace; give more, or --allow-fewer if fewer are meant$' \
    "$timeless" extrapolate sweep.16.tl -n 9 -o fewer.tl
check_exit 2 '--new-grid 3x3 of 16 ranks is refused' "$timeless" extrapolate sweep.16.tl --new-grid 3x3 -o fewer.tl
check 'nothing is written' test ! -e fewer.tl
check '--allow-fewer accepts it' "$timeless" extrapolate sweep.16.tl -n 9 --allow-fewer -o fewer.tl
check '16 of 16 ranks need no --allow-fewer' "$timeless" extrapolate sweep.16.tl -n 16 -o new.tl
check 'a draw of 16 of 16 ranks takes each rank once' equal "$(hot new.tl)" 1
check_exit 2 '--volumes with an unknown word is a usage error' "$timeless" extrapolate sweep.16.tl -n 64 -o new.tl --volumes mean
check_exit 4 '--sources to a full disk exits 4' "$timeless" extrapolate sweep.16.tl -n 64 -o new.tl --sources /dev/full
tap_done
