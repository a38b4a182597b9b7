# volumes.sh - volumes hold what was computed, not what was waited for.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile volumes
trace=$scratch/volumes.tl
# volume RANK CALL: of its first event of that name
volume() { "$print_events" "$trace" "$1" volumes | awk -v call="$2" '$1 == call {print $2; exit}'; }
between() { echo "$2 <= $1 <= $3"; [ "$1" -ge "$2" ] && [ "$1" -le "$3" ]; }

for source in cputime auto; do
    export TIMELESS_VOLUME=$source
    check "$source: recorded" record volumes 2
    unit=$("$print_events" "$trace" 0 run | sed -n 's/^unit //p')
    if [ "$unit" = cpu-ns ]; then
        check "$source: 100 ms of computing are 100 ms" between "$(volume 0 MPI_Send)" 99000000 110000000
    else
        check "$source: instructions are counted" between "$(volume 0 MPI_Send)" 1000000 100000000000
    fi
    check "$source: waiting is none" between "$(volume 1 MPI_Recv)" 0 2000000
    check "$source: polling hardly any" between "$(volume 1 MPI_Iprobe)" 0 20000000
done
export TIMELESS_VOLUME=none
check "none: recorded" record volumes 2
check "none: no volume" test "$(volume 0 MPI_Send)" = 0
export TIMELESS_VOLUME=absent
check_exit 3 "a source that does not exist: the program runs, without a trace" record volumes 2
cp "$scratch/err" "$scratch/said"
check "and one rank says that there is no trace" test "$(grep -c "no trace: 'absent' is no volume source" "$scratch/said")" = 1
tap_done
