# exact.sh - instructions counted in QEMU: as many as there are, and as many again.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
if why=$(no_exact_counts); then skip "exact instructions" "$why"; tap_done; exit; fi
# Names are bound before main: to look up fork among the libraries of an MPI takes thousands of instructions.
compile exact -pthread -Wl,-z,now
parts='plain strings pages signals threads children'
# start RANKS: with a launcher that has no option for the emulator, record must know where the program begins
start() { if [ "${MPI:-}" = mpich ]; then echo "-n $1"; else echo "-- $MPIRUN -np $1"; fi; }

# counts RUN: records; $scratch/RUN has a line "PART EXPECTED COUNTED" for each part
counts() {
    local trace=$scratch/$1.tl
    $timeless record --volume exact -o "$trace" $(start 2) "$scratch/exact" >"$scratch/expected" || return 1
    "$print_events" "$trace" 0 run | grep -qx 'unit instructions' || return 1
    "$print_events" "$trace" 0 run | grep -qx 'source exact:qemu' || return 1
    "$print_events" "$trace" 0 volumes | awk '$1 == "MPI_Barrier" && ++n > 1 { print $2 }' |
        paste -d ' ' "$scratch/expected" - >"$scratch/$1"
    cat "$scratch/$1"
}
field() { awk -v part="$2" -v n="$3" '$1 == part { print $n }' "$scratch/$1"; }

check "--list-volumes reports that it works" grep -Eq '^exact:qemu .* works$' <($timeless record --list-volumes)
check "the program is recorded" counts first
for part in $parts; do
    check "$part has the expected instructions within 0.1 %" near "$(field first $part 3)" "$(field first $part 2)" 1e-3
done
check "the program is recorded a second time" counts second
# How many signals the timer sends differs.
for part in ${parts/signals/}; do
    check "$part repeats within 0.1 %" near "$(field second $part 3)" "$(field first $part 3)" 1e-3
done

export PATH=$scratch:$PATH
by_name() { $timeless record --volume exact -o "$scratch/n.tl" $(start 1) exact >/dev/null &&
    "$print_events" "$scratch/n.tl" 0 run | grep -qx 'program exact'; }
check "a program that PATH finds is counted" by_name
alone() { $timeless record --volume exact -o "$scratch/n.tl" -- exact >/dev/null && "$print_events" "$scratch/n.tl" 0 run |
    grep -qx 'source exact:qemu'; }
check "a program without launcher is counted" alone
[ "${MPI:-}" = mpich ] || check "a program whose launcher is in a script is counted" $timeless record \
    --volume exact -o "$scratch/n.tl" -- sh -c "$MPIRUN -np 1 exact"
check "without the emulator there is no trace" not env TIMELESS_VOLUME=exact TIMELESS_OUTPUT="$scratch/n.tl" LD_PRELOAD="$tracer" \
    sh -c 'rm "$TIMELESS_OUTPUT"; exact; test -e "$TIMELESS_OUTPUT"'
tap_done
