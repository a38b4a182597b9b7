# hosts.sh - a run on several hosts: each writes its part, which record or join makes one trace of.
#
# The hosts are emulated, tests/cluster.sh.
. "$top_srcdir/tests/tap.sh" || exit 99 # as root it would write elsewhere
. "$top_srcdir/tests/mpi/tracer.sh"
. "$top_srcdir/tests/cluster.sh"
n_hosts=3
trap 'cluster_down; rm -rf "$scratch"' EXIT
if ! cluster_up "$scratch" $n_hosts >"$scratch/log" 2>&1; then
    skip "several hosts" "no emulated hosts here: $(cluster_reason "$scratch/log")"; tap_done; exit
fi

compile folded -lblas
compile ends -pthread
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
on=(-H "$(cluster_hosts 2)")
! uses_mpich || on=(-launcher rsh -launcher-exec "$scratch/agent" -hosts "$(cluster_hosts 2)")
# on_hosts OUTPUT PROGRAM...: recorded by `timeless record` on the first host, 2 ranks on each
on_hosts() {
    local output=$1; shift
    # shellcheck disable=SC2086
    (cd "$scratch" && cluster_run "$timeless" record --volume none -o "$output" -- \
        $MPIRUN "${on[@]}" -np $((2 * n_hosts)) "$@")
}
# The events, without what tells of the run, the hosts and the clock.
events() { $timeless dump "$1" | sed -E 's/ ?clock_ns=[0-9]+//; s/ host="[^"]*"//; /^(run_id|parts|folding|program|clock) /d'; }
same_calls() { events "$scratch/one.tl" >"$scratch/expected" && test "$(wc -l <"$scratch/expected")" -gt 100 && events "$1" |
    diff "$scratch/expected" -; }
replayed() { $timeless replay "$1" --platform "$top_srcdir/platforms/fat-tree" --no-compute --json="$scratch/$2.json" &&
    grep -o '"makespan_s": *[0-9.e-]*' "$scratch/$2.json" >"$scratch/$2.time"; }
parts_in() { ls "$1" | grep -c '\.node[0-9]*\.tl$'; }

check "the program is recorded on one host" $timeless record --folded -n $((2 * n_hosts)) --volume none -o "$scratch/one.tl" \
    -- "$scratch/folded"

check "the program is recorded on $n_hosts hosts with a common file system" on_hosts "$scratch/all.tl" "$scratch/folded"
check "the parts are joined to a complete trace" $timeless info "$scratch/all.tl"
cp "$scratch/out" "$scratch/info"
check "the joined trace names the hosts" says '~^hosts +node1 node2 node3$' "$scratch/info"
check "the joined trace has the host of each rank" says '~^ +5 .* node3$' "$scratch/info"
check "the parts are removed after joining" test "$(parts_in "$scratch")" = 0
check "the joined trace has the same events as the trace of one host" same_calls "$scratch/all.tl"
check "the joined trace is replayed" replayed "$scratch/all.tl" all
check "the trace of one host is replayed" replayed "$scratch/one.tl" one
check "both traces have the same predicted time" cmp "$scratch/all.time" "$scratch/one.time"

check "without a common file system: record exits 3, record names the missing parts" ends_with 3 \
    '~the parts of node2, node3 are missing' on_hosts "$scratch/private/x.tl" "$scratch/folded"
check "without a common file system: record recommends timeless join" says "~bring their parts, .*run 'timeless join'" "$scratch/said"
check "without a common file system: each host has its own part" test -e "$scratch/disk-node1/x.node1.tl" -a -e \
    "$scratch/disk-node2/x.node2.tl" -a -e "$scratch/disk-node3/x.node3.tl"
check "timeless join joins the parts" $timeless join "$scratch"/disk-node*/x.node*.tl -o "$scratch/joined.tl"
check "timeless join writes a complete trace" $timeless info "$scratch/joined.tl"
check "timeless join writes the same events as on one host" same_calls "$scratch/joined.tl"

# MPICH's launcher exits with 9, or with 255 if one of its parts ends before the others.  A rank of Open MPI 5 that sees the
# others' connections close before it is killed itself ends the run with the code of this error.
killed() {
    local said code
    said=$(on_hosts "$scratch/killed.tl" "$scratch/ends" kill 2>&1)
    code=$?
    printf '%s\nexit code %s\n' "$said" $code
    [ $code = "$(exit_of_killed)" ] || { uses_mpich && [ $code = 255 ]; } ||
        { [ $code != 0 ] && grep -q 'An error occurred in Socket closed' <<<"$said"; }
}
check "all ranks are killed: record exits as mpirun" killed
check "all ranks are killed: the parts are joined" test "$(parts_in "$scratch")" = 0 -a -e "$scratch/killed.tl"
check_exit 3 "all ranks are killed: the trace is incomplete" $timeless info "$scratch/killed.tl"

rm -f "$scratch"/disk-node*/x.*
mkdir "$scratch/disk-node1/there" "$scratch/disk-node3/there"
check_exit 3 "one host cannot write: the program runs" on_hosts "$scratch/private/there/x.tl" "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "one host cannot write: one rank reports it once" test "$(grep -c 'timeless: no trace: .*x.node2.tl' "$scratch/said")" = 1
# As where LD_PRELOAD is set for mpirun, which does not take it to other hosts.
cat >"$scratch/first.sh" <<'EOS'
[ "$(hostname)" != node1 ] || export LD_PRELOAD=$1
shift; exec "$@"
EOS
if uses_mpich; then skip "only one host has the tracer" "MPICH's ranks of other hosts are not asked; timeless-record(1) states it"
else
    check "only one host has the tracer: the program runs" cluster_run $MPIRUN "${on[@]}" -np $((2 * n_hosts)) \
        sh "$scratch/first.sh" "$(cd "$(dirname "$tracer")" && pwd)/libtimeless-tracer.so" "$scratch/folded"
    cp "$scratch/err" "$scratch/said"
    check "only one host has the tracer: one message names the ranks of the others" test \
        "$(grep -c 'timeless: no trace: ranks 2, 3, 4, 5 run without the tracer' "$scratch/said")" = 1
    check "only one host has the tracer: no part remains" test \
        "$(parts_in "$scratch/disk-node1/there")$(parts_in "$scratch/disk-node3/there")" = 00
fi
tap_done
