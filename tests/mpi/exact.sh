# exact.sh - instructions counted in QEMU and in Valgrind: as many as there are, the same in both, again.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
if [ -n "${SANITIZE:-}" ]; then
    skip "exact instructions" "the sanitizers' memory does not fit into an emulator; the plain build is tested"
    tap_done
    exit
fi
# Names are bound before main: to look up fork among the libraries of an MPI takes thousands of instructions.
compile exact -pthread -Wl,-z,now
sources=exact:valgrind
if $timeless record --list-volumes | grep -q '^exact:qemu .* does not take plugins'; then skip "exact:qemu" "this QEMU takes no plugins"
else sources="exact:qemu $sources"; fi
parts='plain strings pages signals threads children'
not() { ! "$@"; }
# start RANKS: with a launcher that has no option for the emulator, record must know where the program begins
start() { if [ "${MPI:-}" = mpich ]; then echo "-n $1"; else echo "-- $MPIRUN -np $1"; fi; }

# counts SOURCE RUN: records; $scratch/SOURCE.RUN has a line "PART EXPECTED COUNTED" for each part
counts() {
    local trace=$scratch/$1.$2.tl
    $timeless record --volume "$1" -o "$trace" $(start 2) "$scratch/exact" >"$scratch/expected" || return 1
    "$print_events" "$trace" 0 run | grep -qx 'unit instructions' || return 1
    "$print_events" "$trace" 0 run | grep -qx "source $1" || return 1
    "$print_events" "$trace" 0 volumes | awk '$1 == "MPI_Barrier" && ++n > 1 { print $2 }' |
        paste -d ' ' "$scratch/expected" - >"$scratch/$1.$2"
    cat "$scratch/$1.$2"
}
# near A B: to 0.1 %
near() { echo "$1 $2"; awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && (a - b) ^ 2 <= (0.001 * b) ^ 2) }'; }
field() { awk -v part="$2" -v n="$3" '$1 == part { print $n }' "$scratch/$1"; }

for source in $sources; do
    check "$source: --list-volumes reports that it works" grep -Eq "^$source .* works\$" <($timeless record --list-volumes)
    check "$source: the program is recorded" counts $source 1
    for part in $parts; do
        check "$source: $part has the expected instructions within 0.1 %" near "$(field $source.1 $part 3)" "$(field $source.1 $part 2)"
    done
    check "$source: the program is recorded a second time" counts $source 2
done
# How many signals the timer sends differs.
for part in ${parts/signals/}; do
    for source in $sources; do
        check "$source: $part repeats within 0.1 %" near "$(field $source.2 $part 3)" "$(field $source.1 $part 3)"
    done
    [ "$sources" = exact:valgrind ] || check "$part: QEMU and Valgrind agree within 0.1 %" near "$(field exact:qemu.1 $part 3)" "$(field exact:valgrind.1 $part 3)"
done

export PATH=$scratch:$PATH
by_name() { $timeless record --volume exact -o "$scratch/n.tl" $(start 1) exact >/dev/null && "$print_events" "$scratch/n.tl" 0 run | grep -qx 'program exact'; }
check "a program that PATH finds is counted" by_name
alone() { $timeless record --volume exact -o "$scratch/n.tl" -- exact >/dev/null && "$print_events" "$scratch/n.tl" 0 run | grep -qx "source ${sources%% *}"; }
check "a program without launcher is counted" alone
# Valgrind does not start in itself.
[ "$sources" = exact:valgrind ] || [ "${MPI:-}" = mpich ] || check "a program whose launcher is in a script is counted" $timeless record --volume exact -o "$scratch/n.tl" -- sh -c "$MPIRUN -np 1 exact"
check "without the emulator there is no trace" not env TIMELESS_VOLUME=exact TIMELESS_OUTPUT="$scratch/n.tl" LD_PRELOAD="$tracer" \
    sh -c 'rm "$TIMELESS_OUTPUT"; exact; test -e "$TIMELESS_OUTPUT"'
tap_done
