# counters.sh - timeless record --counters: what ranks count beside their volumes.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile helpers -fopenmp
export OMP_NUM_THREADS=1
trace=$scratch/c.tl
record_with() { rm -f "$trace"; $timeless record "$@" -o "$trace" -- $MPIRUN -np 2 "$scratch/helpers"; }
# counter RANK NAME: its value by info --json
counter() {
    $timeless info --json "$trace" | python3 -c 'import json, sys
print(json.load(sys.stdin)["ranks"][int(sys.argv[1])]["counters"].get(sys.argv[2], "none"))' "$1" "$2"
}

# Two barriers in the program, and the library's own collectives of each.
if uses_mpich; then skip "mpit" "Debian's MPICH has no variables of performance"
else
    check "mpit: record counts a variable of the MPI library" record_with --counters mpit:coll_monitoring_a2a_count,mpit:none_such
    cp "$scratch/err" "$scratch/said"
    check "mpit: the variable counts the collectives of the program only" between "$(counter 1 mpit:coll_monitoring_a2a_count)" 2 4
    check "mpit: an unknown variable is reported" says '~counters: the MPI library has no counter mpit:none_such' "$scratch/said"
    check "mpit: the trace has no counter of an unknown variable" test "$(counter 0 mpit:none_such)" = none
    check "mpit: the text form has the counter" says '~^counter 1 name="mpit:coll_monitoring_a2a_count" value=[0-9]+$' \
        <($timeless dump "$trace")
    check "mpit: record accepts a pattern of variables" record_with --counters 'mpit:coll_monitoring_*'
    check "mpit: a pattern counts several variables" test "$($timeless info "$trace" | grep -c ' mpit:coll_monitoring_')" -ge 8
fi
check "PAPI: an unknown event exits 2, the message names the unknown event" ends_with 2 \
    '~^timeless: --counters: PAPI knows no event NO_SUCH_EVENT' record_with --counters NO_SUCH_EVENT

# A stand-in for PAPI, which counts where this machine may have no counter.
papi=$(readelf -d "$(cc -print-file-name=libpapi.so)" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
cc -shared -fPIC -o "$scratch/$papi" "$here/stand_in_papi.c"
export LD_LIBRARY_PATH=$scratch${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
for volume in cputime papi; do
    check "$volume: record counts two events of PAPI" record_with --volume $volume --counters PAPI_TOT_INS,OTHER
    check "$volume: the first event of PAPI has the right value" between "$(counter 0 papi:PAPI_TOT_INS)" 1000000000 100000000000
    check "$volume: the second event of PAPI has the right value" between "$(counter 1 papi:OTHER)" 1000000000 100000000000
done
tap_done
