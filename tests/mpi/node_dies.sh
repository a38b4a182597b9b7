# node_dies.sh - a node of a run dies: the parts of the other nodes are intact, and what its own ranks had written is used.
#
# The nodes are emulated, tests/cluster.sh.  All processes of a node are killed at once, its daemon of the launcher included,
# while the launcher is stopped, so that what the others do does not depend on when it notices.
. "$top_srcdir/tests/tap.sh" || exit 99
. "$top_srcdir/tests/mpi/tracer.sh"
. "$top_srcdir/tests/cluster.sh"
trap 'cluster_down; rm -rf "$scratch"' EXIT
if ! cluster_up "$scratch" 2 >"$scratch/log" 2>&1; then
    skip "a node dies" "no emulated hosts here: $(cluster_reason "$scratch/log")"; tap_done; exit
fi
compile node_dies
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
clusters=$(cd "$top_srcdir" && pwd)/doc/CLUSTERS.md
platform=$(cd "$top_srcdir" && pwd)/platforms/star-1g
on=(-H "$(cluster_hosts 3)" --bind-to none) # Open MPI 5 refuses to bind 3 ranks to 2 cores
! uses_mpich || on=(-launcher rsh -launcher-exec "$scratch/agent" -hosts "$(cluster_hosts 3)")
# The launcher, which leaves its exit code in the file launched: that of Open MPI 5 is 0 now and then after a node died.
mkdir "$scratch/bin"
launcher=$scratch/bin/$(basename "${MPIRUN%% *}")
printf '#!/bin/sh\n%s "$@"\ncode=$?\necho $code >%s/launched\nexit $code\n' "$MPIRUN" "$scratch" >"$launcher"
chmod +x "$launcher"
# on_hosts OUTPUT ARGUMENTS...: 3 ranks on each host, recorded by `timeless record` on the first
on_hosts() {
    local output=$1; shift
    (cd "$scratch" && cluster_run "$timeless" record --volume none -o "$output" -- "$launcher" "${on[@]}" -np 6 "$scratch/node_dies" "$@")
}
number() { od -An -td8 "$1" 2>/dev/null | tr -d ' '; }
# until_true COMMAND...: within 120 s
until_true() {
    local i
    for ((i = 0; i < 1200; i++)); do "$@" && return; sleep 0.1; done
    echo "not within 120 s: $*"; return 1
}
all_doomed() { [ -s "$runs/doomed.3" ] && [ -s "$runs/doomed.4" ] && [ -s "$runs/doomed.5" ]; }
# What the exit of a process leaves until its parent, which is stopped, asks for it; or nothing at all.
has_exited() { local state; state=$(awk '{print $3}' "/proc/$1/stat" 2>/dev/null); [ -z "$state" ] || [ "$state" = Z ]; }
at_their_ends() { local r; [ -s "$runs/waits.0" ] && for r in 1 2; do [ -s "$runs/exits.$r" ] &&
    has_exited "$(number "$runs/exits.$r")" || return; done; }
launchers() { ip netns pids $cluster_prefix-node1 | xargs ps -o pid=,comm= -p |
    awk '$2 ~ /^(mpirun|orterun|prterun|prte|mpiexec|hydra)/ {print $1}'; }
# node_dies OUTPUT COMMAND...: a run whose node2 dies; then COMMAND, before the launcher notices.  Its exit code is that of record
node_dies() {
    local output=$1 run stopped; shift
    runs=$(mktemp -d "$scratch/life.XXXXXX")
    mkfifo "$runs/dead"
    on_hosts "$output" "$runs" node2 >"$scratch/said" 2>&1 &
    run=$!
    if until_true all_doomed; then
        stopped=$(launchers)
        # shellcheck disable=SC2086
        kill -STOP $stopped
        ip netns pids $cluster_prefix-node2 | xargs kill -KILL
        exec 9<>"$runs/dead"
        until_true at_their_ends || echo "the other ranks do not end"
        exec 9>&-
        "$@"
        # shellcheck disable=SC2086
        kill -CONT $stopped
    fi
    wait $run; local code=$?
    cat "$scratch/said"
    return $code
}
# as_launcher CODE COMMAND...: its exit code is that of the launcher, or CODE if that is 0
as_launcher() {
    local expected=$1 code; shift
    rm -f "$scratch/launched"
    "$@"
    code=$?
    echo "exit code $code, of the launcher $(cat "$scratch/launched")"
    [ "$(cat "$scratch/launched")" = 0 ] || expected=$(cat "$scratch/launched")
    equal $code "$expected"
}

# Events and definitions of a rank, without clocks and without what only a later call makes known.
events_of() { $timeless dump --rank "$1" "$2" 2>/dev/null | sed -n "s/ clock_ns=[0-9]*//; s/ site=[0-9]*//; /^$1 [0-9]/p"; }
for_ranks() { local command=$1 rank; shift; for rank in $ranks; do "$command" "$rank" "$@" || return; done; }
# is_beginning RANK TRACE: the events of a rank are a beginning of those of the undisturbed run
is_beginning() {
    local n
    events_of "$1" "$2" >"$scratch/now"; n=$(wc -l <"$scratch/now")
    test "$n" -gt 1000 && cmp "$scratch/now" <(head -n "$n" "$scratch/whole.$1")
}
alone_of() { events_of "$1" "$2" | grep -c ' comm=2 '; }
# has_all RANK TRACE: the rank has all messages to itself that it has counted.
has_all() { equal "$(alone_of "$1" "$2")" $((30000 + $1 + $(number "$runs/count.$1"))); }
has_doomed() { equal "$(alone_of "$1" "$2")" $((30000 + $1)); }
is_shorter() { test "$(events_of "$1" "$2" | wc -l)" -lt "$(events_of "$1" "$3" | wc -l)"; }
# same_bytes RANK TRACE PART: dump prints the same of both, clocks included
lines_of() { $timeless dump --rank "$1" "$2" 2>/dev/null | sed -n '/^rank /,$p'; }
same_bytes() { lines_of "$1" "$2" >"$scratch/one"; test -s "$scratch/one" && lines_of "$1" "$3" | cmp - "$scratch/one"; }
# ends RANK AS TRACE: timeless info prints how the rank ends
ends() { $timeless info "$3" 2>/dev/null | grep -Eq "^ +$1 .* $2"; }
unusable() { # NAME TRACE
    check_exit 3 "$1: info exits 3" $timeless info "$2"
    check_exit 3 "$1: replay refuses the trace" $timeless replay "$2" --platform "$platform" --no-compute
    check_exit 3 "$1: dump prints it and exits 3" $timeless dump "$2"
}
survivors_whole() {
    ranks='0 1 2'
    check "$1: the ranks of the other node have the events up to their end" for_ranks has_all "$2"
    check "$1: they are those of an undisturbed run" for_ranks is_beginning "$2"
    check "$1: a rank that was killed with the run is not damaged" ends 0 'killed +node1' "$2"
    check "$1: ranks that exited have this end" ends '[12]' 'exited without MPI_Finalize node1' "$2"
}
# in_clusters N: runs the Nth command of the section of doc/CLUSTERS.md on a node that died
in_clusters() {
    local command
    command=$(awk '/^## After a node died/ {here = 1} here && /^```/ {n++; next} here && n == 1' "$clusters" | sed -n "$1p")
    [ "${command%% *}" = timeless ] && eval "$timeless ${command#* }"
}
parts="$scratch/parts" # of the run whose parts are on the disks of the nodes
fresh() { rm -rf "$parts"; mkdir "$parts"; cp "$scratch"/disk-node?/run.* "$parts/"; cd "$parts" || exit 99; }

check "an undisturbed run" on_hosts "$scratch/whole.tl" "$scratch"
for rank in 0 1 2 3 4 5; do events_of $rank "$scratch/whole.tl" >"$scratch/whole.$rank"; done

check "a node dies, disks of their own: record ends as the launcher" as_launcher 3 node_dies "$scratch/private/run.tl" true
check "a node dies, disks of their own: record names the missing part, and what to do" says \
    '~the part of node2 is missing; give the parts of all hosts, or --allow-missing' "$scratch/said"
fresh
check "both parts are readable: they are joined" in_clusters 1
cp "$scratch/err" "$scratch/said"
check "both parts are readable: one line names the ranks, where they end and why" test \
    "$(grep -Ec '^timeless: run.tl: incomplete: rank 0 on node1 was killed after [0-9]+ events, ranks 1-2 on node1 exited without MPI_Finalize after [0-9]+ to [0-9]+ events, ranks 3-5 on node2 were killed after [0-9]+ to [0-9]+ events$' "$scratch/said")" = 1
survivors_whole "both parts are readable" run.tl
ranks='3 4 5'
check "both parts are readable: the ranks of the dead node have all calls that had returned" for_ranks has_doomed run.tl
check "both parts are readable: they are those of an undisturbed run" for_ranks is_beginning run.tl
ranks='0 1 2'
check "both parts are readable: the ranks of the other node have the same bytes as in their part" for_ranks same_bytes run.tl run.node1.tl
unusable "both parts are readable" run.tl
cuts() { $timeless cut "$1" --section 0:9 -o part.tl && $timeless replay part.tl --platform "$platform" --no-compute; }
check "both parts are readable: the sections before the death are replayed" cuts run.tl
cp run.tl "$scratch/joined.tl"

# A rank is killed while it writes its next chunk, whose beginning is in the part: what join makes of the part has these bytes.
fresh
$timeless join --allow-missing run.node2.tl -o alone.tl 2>/dev/null
head -c $(($(stat -c %s run.node2.tl) + 1000)) alone.tl >torn; rm alone.tl; cat torn >run.node2.tl
check "killed while it writes: the parts are joined" $timeless join run.*.tl -o run.tl
check "killed while it writes: the trace has every byte of that without the incomplete chunk" cmp run.tl "$scratch/joined.tl"

fresh; rm run.node2.tl.open
check "without the last events of the dead node: the parts are joined" $timeless join run.*.tl -o run.tl
cp "$scratch/err" "$scratch/said"
check "without the last events of the dead node: a line says so" says \
    '~ranks 3-5 on node2 were killed after [0-9 to]+ events; 3 killed ranks lost the last events' "$scratch/said"
survivors_whole "without the last events of the dead node" run.tl
ranks='3 4 5'
check "without the last events of the dead node: what is there is right" for_ranks is_beginning run.tl
check "without the last events of the dead node: and it is less" for_ranks is_shorter run.tl "$scratch/joined.tl"
unusable "without the last events of the dead node" run.tl

fresh; truncate -s -5000 run.node2.tl
check "the part of the dead node is truncated: the parts are joined" $timeless join run.*.tl -o run.tl
cp "$scratch/err" "$scratch/said"
check "the part of the dead node is truncated: one line names the damage" \
    test "$(grep -Ec '^timeless: run.tl:[0-9]+: .* of rank [345]' "$scratch/said")" = 1
survivors_whole "the part of the dead node is truncated" run.tl
ranks='3 4 5'
check "the part of the dead node is truncated: what is there is right" for_ranks is_beginning run.tl
unusable "the part of the dead node is truncated" run.tl
ranks='0 1 2'
check "the part of the dead node is truncated: the ranks of the other node have the same bytes as in their part" for_ranks \
    same_bytes run.tl run.node1.tl

for state in empty missing; do
    fresh; rm run.node2.tl.open
    if [ $state = empty ]; then : >run.node2.tl; else rm run.node2.tl; fi
    check_exit 3 "the part of the dead node is $state: join refuses" in_clusters 1
    cp "$scratch/err" "$scratch/said"
    check "the part of the dead node is $state: one line names --allow-missing" test \
        "$(grep -c '^timeless: .*; .*--allow-missing' "$scratch/said")" = 1 -a "$(wc -l <"$scratch/said")" = 1
    check "the part of the dead node is $state: nothing is written" test ! -e run.tl
    check "the part of the dead node is $state: the others are joined" in_clusters 2
    cp "$scratch/err" "$scratch/said"
    check "the part of the dead node is $state: a line names its ranks" says \
        '~left.tl: the part of node2 is missing: the trace has no events of 3 ranks \(3 4 5\)' "$scratch/said"
    survivors_whole "the part of the dead node is $state" left.tl
    check "the part of the dead node is $state: its ranks are lost, not killed" ends '[345]' 'lost with its host' left.tl
    unusable "the part of the dead node is $state" left.tl
done
cd "$scratch" || exit 99

# On a common file system, record joins.
check "a node dies, common file system: record ends as the launcher" as_launcher 0 node_dies "$scratch/run.tl" true
check "a node dies, common file system: record joins the parts" test -s run.tl -a ! -e run.node1.tl -a ! -e run.node2.tl
check "a node dies, common file system: one line names the ranks, where they end and why" \
    test "$(grep -Ec '^timeless: .*run.tl: incomplete: rank 0 on node1 was killed .*, ranks 3-5 on node2 were killed after [0-9]+ to [0-9]+ events$' "$scratch/said")" = 1
survivors_whole "a node dies, common file system" run.tl
ranks='3 4 5'
check "a node dies, common file system: its ranks have all calls that had returned" for_ranks has_doomed run.tl
unusable "a node dies, common file system" run.tl
rm -f run.*
lose_part() { : >run.node2.tl; rm run.node2.tl.open; }
check "a node dies, its part is empty on the common file system: record ends as the launcher" as_launcher 3 node_dies \
    "$scratch/run.tl" lose_part
check "a node dies, its part is empty on the common file system: record says what to do" says \
    '~the part of node2 is missing; .* or --allow-missing if they are lost' "$scratch/said"
check "a node dies, its part is empty on the common file system: the other part is kept" $timeless join \
    --allow-missing run.node1.tl -o left.tl
survivors_whole "a node dies, its part is empty on the common file system" left.tl
tap_done
