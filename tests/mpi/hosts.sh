# hosts.sh - a run on several hosts: each writes its part, which record or join makes one trace of.
#
# The hosts are network namespaces with host names of their own, joined by a router's.  Names that
# nothing resolves would cost Open MPI 20 s at a time: each host has its own /etc/hosts.
. "$top_srcdir/tests/tap.sh" || exit 99 # as root it would write elsewhere
. "$top_srcdir/tests/mpi/tracer.sh"
prefix=timeless-$$ n_hosts=3
not() { ! "$@"; }

# Ends what this test has started in its namespaces, and removes them.
take_down() {
    local name
    for name in $(ip netns list 2>/dev/null | sed 's/ .*//' | grep -x "$prefix-[a-z0-9]*"); do
        ip netns pids "$name" | xargs -r kill -KILL 2>/dev/null
        ip netns del "$name"
    done
    rm -rf "$scratch"
}
trap take_down EXIT

set_up() {
    local i ns
    ip netns add $prefix-router && ip netns exec $prefix-router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward' || return
    echo "127.0.0.1 localhost" >"$scratch/hosts"
    for i in $(seq $n_hosts); do
        ns=$prefix-node$i
        ip netns add $ns &&
            ip link add name to$i netns $prefix-router type veth peer name eth0 netns $ns &&
            ip -n $prefix-router addr add 10.77.$i.1/24 dev to$i && ip -n $prefix-router link set to$i up &&
            ip -n $ns addr add 10.77.$i.2/24 dev eth0 && ip -n $ns link set eth0 up && ip -n $ns link set lo up &&
            ip -n $ns route add default via 10.77.$i.1 || return
        echo "10.77.$i.2 node$i" >>"$scratch/hosts"
        mkdir "$scratch/disk-node$i"
    done
    mkdir "$scratch/private"
    # What stands for ssh: HOST COMMAND...; nothing of the environment gets through.
    cat >"$scratch/agent" <<END
#!/bin/sh
host=\$1; shift
exec env -i PATH="\$PATH" ASAN_OPTIONS="\$ASAN_OPTIONS" ip netns exec $prefix-\$host unshare --uts sh -c '
    hostname "\$0" && mount --bind "$scratch/hosts" /etc/hosts &&
        mount --bind "$scratch/disk-\$0" "$scratch/private" && cd "$scratch" && exec sh -c "\$*"' \$host "\$@"
END
    chmod +x "$scratch/agent"
    "$scratch/agent" node1 true
}
why=
[ "$(id -u)" = 0 ] || why="only root may make network namespaces"
[ -n "$why" ] || { command -v ip && command -v unshare; } >/dev/null || why="there is no ip or unshare (iproute2, util-linux)"
[ -n "$why" ] || set_up >"$scratch/log" 2>&1 || why="no network namespaces here: $(tail -n 1 "$scratch/log")"
if [ -n "$why" ]; then skip "several hosts" "$why"; tap_done; exit; fi

compile folded -lblas
compile ends -pthread
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
for i in $(seq $n_hosts); do hosts=${hosts:+$hosts,}node$i:2; done
settings=$(env | sed -n 's/^\(OMPI_[A-Za-z_]*\)=.*/\1/p')
# on_hosts OUTPUT PROGRAM...: recorded by `timeless record` on the first host, 2 ranks on each
on_hosts() {
    local output=$1 name; shift
    {
        for name in $settings; do echo "export $name='${!name}'"; done
        echo "export OMPI_MCA_plm_rsh_agent='$scratch/agent' OMPI_MCA_btl=self,vader,tcp TIMELESS_QUIET=${TIMELESS_QUIET-1}"
        echo "export OMPI_MCA_btl_tcp_if_include=10.77.0.0/16 OMPI_MCA_oob_tcp_if_include=10.77.0.0/16"
        echo "exec '$timeless' record --volume none -o '$output' -- $MPIRUN -H $hosts -np $((2 * n_hosts)) $*"
    } >"$scratch/command"
    timeout 300 "$scratch/agent" node1 sh "$scratch/command"
}
# The events, without what tells of the run, the hosts and the clock.
events() { $timeless dump "$1" | sed -E 's/ ?clock_ns=[0-9]+//; s/ host="[^"]*"//; /^(run_id|parts|folding|program) /d'; }
same_events() { events "$scratch/one.tl" >"$scratch/expected" && test "$(wc -l <"$scratch/expected")" -gt 100 && events "$1" | diff "$scratch/expected" -; }
replayed() { $timeless replay "$1" --platform "$top_srcdir/platforms/fat-tree" --no-compute --json="$scratch/$2.json" && grep -o '"makespan_s": *[0-9.e-]*' "$scratch/$2.json" >"$scratch/$2.time"; }
parts_in() { ls "$1" | grep -c '\.node[0-9]*\.tl$'; }

check "on one host" $timeless record --folded -n $((2 * n_hosts)) --volume none -o "$scratch/one.tl" -- "$scratch/folded"

check "on $n_hosts hosts with a common file system" on_hosts "$scratch/all.tl" "$scratch/folded"
check "the parts are joined to a complete trace" $timeless info "$scratch/all.tl"
cp "$scratch/out" "$scratch/info"
check "which names the hosts" says '^hosts +node1 node2 node3$' "$scratch/info"
check "and tells where each rank ran" says '^ +5 .* node3$' "$scratch/info"
check "the parts are gone" test "$(parts_in "$scratch")" = 0
check "the events are those on one host" same_events "$scratch/all.tl"
check "it is replayed" replayed "$scratch/all.tl" all
check "as the one from one host" replayed "$scratch/one.tl" one
check "in the same time" cmp "$scratch/all.time" "$scratch/one.time"

check_exit 3 "without a common file system there is no trace yet" on_hosts "$scratch/private/x.tl" "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "the command names the parts that are missing" says 'the parts of node2, node3 are missing' "$scratch/said"
check "and says what to do" says "bring their parts, .*run 'timeless join'" "$scratch/said"
check "each host has its own part" test -e "$scratch/disk-node1/x.node1.tl" -a -e "$scratch/disk-node2/x.node2.tl" -a -e "$scratch/disk-node3/x.node3.tl"
check "timeless join joins them" $timeless join "$scratch"/disk-node*/x.node*.tl -o "$scratch/joined.tl"
check "to a complete trace" $timeless info "$scratch/joined.tl"
check "with the same events" same_events "$scratch/joined.tl"

check_exit 137 "all ranks are killed" on_hosts "$scratch/killed.tl" "$scratch/ends" kill
check "what they wrote is joined" test "$(parts_in "$scratch")" = 0 -a -e "$scratch/killed.tl"
check_exit 3 "and incomplete" $timeless info "$scratch/killed.tl"

rm -f "$scratch"/disk-node*/x.*
mkdir "$scratch/disk-node1/there" "$scratch/disk-node3/there"
check_exit 3 "one host cannot write: the program runs" on_hosts "$scratch/private/there/x.tl" "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "one rank says so, once" test "$(grep -c 'timeless: no trace: .*x.node2.tl' "$scratch/said")" = 1
check "no part stays" test "$(parts_in "$scratch/disk-node1/there")$(parts_in "$scratch/disk-node3/there")" = 00
tap_done
