# hybrid.sh - volumes of ranks with threads: what the threads compute, however they wait.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export OMP_NUM_THREADS=2
runs=5 thousands=10000
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')

# shares FILE: a line "PART SHARE" for each part and rank of a trace of hybrid: the part's volume in
# that of the work that the first thread did alone, before and after it
shares() {
    local rank ranks
    ranks=$("$timeless" info "$1" | awk '$1 == "ranks" { print $2; exit }')
    for ((rank = 0; rank < ranks; rank++)); do
        "$print_events" "$1" $rank volumes |
            awk '$1 == "MPI_Init_thread" { next } { volume += $2 }
                $1 == "MPI_Barrier" { v[n++] = volume; volume = 0 }
                END { for (i = 2; i < n; i += 2) print 2 * v[i] / (v[i - 1] + v[i + 1]) }' |
            paste -d ' ' "$scratch/parts" -
    done
}
# medians FILE: "PART SHARE" lines, the median of each part
medians() {
    sort -k1,1 -k2,2g "$1" | awk 'function flush() { if (n) print part, n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2; n = 0 }
        $1 != part { flush(); part = $1 } { v[++n] = $2 } END { flush() }'
}
# all_near A B: the parts of two files of medians are within 5 % of each other
all_near() {
    join "$1" "$2" | awk -v parts="$(wc -l <"$scratch/parts")" '
        { bad = $2 / $3 > 1.05 || $3 / $2 > 1.05; wrong += bad; printf "%-12s %.4f %.4f%s\n", $1, $2, $3, bad ? " <-" : "" }
        END { exit !(NR == parts && !wrong) }'
}
# once WAY PROGRAM SOURCE: a run of it
once() {
    local way=$1 program=$2 source=$3 trace=$scratch/$1.tl
    rm -f "$trace"
    case $way in
    free) $timeless record --volume "$source" -o "$trace" -- $MPIRUN -np 1 --bind-to none "$scratch/$program" $thousands ;;
    one-core) taskset -c "$cpu" $timeless record --volume "$source" -o "$trace" -- $MPIRUN -np 1 --bind-to none "$scratch/$program" $thousands ;;
    folded) $timeless record --volume "$source" --folded -n 4 -o "$trace" -- "$scratch/$program" $thousands ;;
    exact) $timeless record --volume "$source" -o "$trace" -- $MPIRUN -np 1 --bind-to none "$scratch/$program" $((thousands / 4)) ;;
    esac >"$scratch/parts" && shares "$trace" >>"$scratch/$way.$program"
}
# repeated PROGRAM SOURCE: the ways by turns, so that the machine is the same for each
repeated() {
    local run way
    for ((run = 0; run < runs; run++)); do
        for way in free one-core folded; do once $way "$1" "$2" || return 1; done
    done
    for way in free one-core folded; do medians "$scratch/$way.$1" >"$scratch/$way"; done
}
volumes_are_right() {
    local program=$1 source=$2
    rm -f "$scratch"/{free,one-core,folded}."$program"
    check "$program, $source: recorded" repeated "$program" "$source"
    check "$program, $source: a part has the same volume on one core as on two" all_near "$scratch/one-core" "$scratch/free"
    check "$program, $source: and with more ranks than cores" all_near "$scratch/folded" "$scratch/free"
    [ -s "$scratch/exact" ] || return 0
    for way in free one-core folded; do
        check "$program, $source: $way: as many as instructions" all_near "$scratch/$way" "$scratch/exact"
    done
}

compile hybrid -fopenmp
if [ -n "${SANITIZE:-}" ]; then
    skip "instructions of the parts" "the sanitizers' memory does not fit into an emulator; the plain build is tested"
else
    check "instructions of the parts" once exact hybrid exact
    medians "$scratch/exact.hybrid" >"$scratch/exact"
    awk '{ print $1, 1 }' "$scratch/exact" >"$scratch/equal"
    check "are the same, as the program says" all_near "$scratch/exact" "$scratch/equal"
fi
volumes_are_right hybrid auto
tap_done
