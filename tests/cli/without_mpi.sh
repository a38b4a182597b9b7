# without_mpi.sh - a build without MPI (configure --without-mpi): it replays, and says what it cannot do.
needs_no_mpi=yes # read by tap.sh
. "$top_srcdir/tests/tap.sh"
if [ "${WITHOUT_MPI:-}" != yes ]; then skip "commands of a build without MPI" "this build has an MPI"; tap_done; exit; fi
# stops NAME PATTERN COMMAND...: it exits with 4, and a line of its message matches
stops() {
    local name=$1 pattern=$2; shift 2
    check "$name stops: $name names the reason" refused 4 "~$pattern" "$@"
}
trace=$top_srcdir/traces/hpl-4.tl
check 'a trace is replayed' $timeless replay "$trace" --platform "$top_srcdir/platforms/star-1g" --ranks-per-host 1
without='is missing, as this Timeless was built without MPI; use one that was built with MPI'
stops record "libtimeless-tracer.so: the tracer $without" $timeless record -o "$scratch/t.tl" -- true
check 'a trace is made' $timeless make call_barrier -n 2 -o "$scratch/made.tl"
stops perform "timeless-perform: the performing program $without" $timeless perform "$scratch/made.tl" -- true
stops 'calibrate network' "timeless-network-probe: the measuring program $without" $timeless calibrate network \
    --max-seconds 1 -o "$scratch/p"
check 'nothing of MPI is linked' equal \
    "$(find "$top_builddir" -name '*.so*' -o -name timeless -type f | xargs ldd 2>/dev/null | grep -c 'libmpi')" 0
tap_done
