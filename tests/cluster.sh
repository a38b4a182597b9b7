# cluster.sh - sourced: hosts emulated on this machine, for what wants a network that is real.
#
#   cluster_up FOLDER N [RATE]   hosts node1 ... nodeN, their files in FOLDER; RATE is that of a link in
#                                one direction, 1gbit or 100mbit; without it links are as fast as the
#                                machine copies.  Fails with the reason on standard error
#   cluster_hosts RANKS          prints node1:RANKS,node2:RANKS,... for `mpirun -H`
#   cluster_on HOST COMMAND...   runs it there, in FOLDER, in a clean environment
#   cluster_run COMMAND...       runs it on node1, in this folder; mpirun in it reaches all hosts;
#                                settings of Open MPI, OpenBLAS and Timeless go along
#                                ended after CLUSTER_TIMEOUT seconds, default 300
#   cluster_down                 ends everything that runs there, and removes the hosts
#   cluster_reason LOG           prints why cluster_up failed, out of what it printed: the last line that is no advice
#
# A host is a network namespace with a host name, an /etc/hosts and a disk of its own (FOLDER/private
# is another folder on each).  Names that nothing resolves would cost Open MPI 20 s at a time, and
# mpirun a minute at the end: hence /etc/hosts.
#
# With a RATE, links are those of tests/wire.c, which is compiled; without one, of the kernel.  With CLUSTER_WIRE=kernel and a
# RATE, they are links of the kernel with a token bucket at each end (tc-tbf(8)): bursts of 64 KiB pass at once, packets
# beyond 20 ms are dropped, and the latency is what the kernel takes.  No slowdown then.
#
# Open MPI sends long messages as ordinary fragments (btl_tcp_flags=1).  As it comes, the receiver asks for each
# part of a long message (PUT); where both sides send, these requests wait behind the data of their own
# direction, and two long messages that cross take as long as one after the other.  With CLUSTER_STOCK=1, Open MPI
# keeps its own setting.
#
# Its daemons stay in the session of the caller: where sessions are scheduling groups (autogroup), a rank that
# yields would not yield to one of another session.
#
# With CLUSTER_PIN set, host i has the core (i - 1) modulo the number of cores, and so has its end of the wire.
#
# With CLUSTER_SLOWDOWN=K and a RATE, the network is K times slower in everything: hosts that share cores then
# seem to have K times as fast ones (Gupta et al., To Infinity and Beyond: Time-Warped Network Emulation, NSDI 2006).
cluster_prefix=timeless-$$
cluster_network=10.77.0.0/16

# Hosts joined by a router with links of the kernel, of RATE if it is given.
cluster_link_by_kernel() { # [RATE]
    local i router=$cluster_prefix-router
    ip netns add $router && ip netns exec $router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward' || return
    for i in $(seq "$cluster_size"); do
        ip link add name to$i netns $router type veth peer name eth0 netns $cluster_prefix-node$i &&
            ip -n $router addr add 10.77.$i.1/24 dev to$i && ip -n $router link set to$i up || return
        [ -z "${1:-}" ] || {
            ip netns exec $router tc qdisc add dev to$i root tbf rate "$1" burst 64k latency 20ms &&
                ip netns exec $cluster_prefix-node$i tc qdisc add dev eth0 root tbf rate "$1" burst 64k latency 20ms
        } || return
    done
}

# A host has no more than a millisecond of data waiting before its link (TCP small queues, BQL), in which short
# packets wait too: what acknowledges the other direction.  The wire's device takes packets from their socket as
# soon as they are there, so that a whole window would wait.  Windows are therefore about a millisecond (a socket
# lends half of tcp_rmem); what is sent beyond that waits in the socket.  Nothing is lost: a device drops what
# its ring has no room for.
cluster_link_by_wire() { # RATE
    local mbit=${1%mbit} mtu=1500 send=131072 receive=32768 i
    [ "$1" != 1gbit ] || mbit=1000 mtu=9000 send=524288 receive=131072
    ${CC:-cc} -O2 -pthread -o "$cluster_folder/wire" "$(dirname "${BASH_SOURCE[0]}")/wire.c" || return
    rm -f "$cluster_folder/wire.out"
    "$cluster_folder/wire" "$mbit" 50 $mtu $([ -z "${CLUSTER_PIN-}" ] && echo 0 ||
        nproc) "${CLUSTER_SLOWDOWN:-1}" $(seq -f "$cluster_prefix-node%g" "$cluster_size") >"$cluster_folder/wire.out" 2>&1 &
    cluster_wire=$!
    for i in $(seq 400); do
        ! grep -qs '^ready' "$cluster_folder/wire.out" || break
        sleep 0.05
    done
    for i in $(seq "$cluster_size"); do
        ip -n $cluster_prefix-node$i link set eth0 mtu $mtu txqueuelen 1000 || { cat "$cluster_folder/wire.out" >&2; return 1; }
        ip netns exec $cluster_prefix-node$i sh -c "cd /proc/sys/net/ipv4
            echo 4096 65536 $send >tcp_wmem && echo 4096 $receive $receive >tcp_rmem" || return
    done
}

cluster_up() {
    cluster_folder=$1 cluster_size=$2
    local i ns
    [ "$(id -u)" = 0 ] || { echo "only root may make network namespaces" >&2; return 1; }
    { command -v ip && command -v unshare; } >/dev/null || { echo "there is no ip or unshare (iproute2, util-linux)" >&2; return 1; }
    for i in $(seq "$cluster_size"); do ip netns add $cluster_prefix-node$i || return; done
    local by_kernel=
    [ "${3:-}" ] && [ "${CLUSTER_WIRE-}" != kernel ] || by_kernel=1
    if [ "$by_kernel" ]; then cluster_link_by_kernel "${3:-}"; else cluster_link_by_wire "$3"; fi || return
    echo "127.0.0.1 localhost" >"$cluster_folder/hosts"
    for i in $(seq "$cluster_size"); do
        ns=$cluster_prefix-node$i
        ip -n $ns addr add 10.77.$i.2/$([ "$by_kernel" ] && echo 24 || echo 16) dev eth0 && ip -n $ns link set eth0 up &&
            ip -n $ns link set lo up && { [ ! "$by_kernel" ] || ip -n $ns route add default via 10.77.$i.1; } || return
        # TCP waits at least 200 ms before it sends again.
        [ "${CLUSTER_SLOWDOWN:-1}" = 1 ] ||
            ip -n $ns route change $cluster_network dev eth0 src 10.77.$i.2 rto_min $((200 * CLUSTER_SLOWDOWN))ms || return
        echo "10.77.$i.2 node$i" >>"$cluster_folder/hosts"
        mkdir -p "$cluster_folder/disk-node$i"
    done
    mkdir -p "$cluster_folder/private"
    # What stands for ssh: HOST COMMAND...; nothing of the environment gets through.
    cat >"$cluster_folder/agent" <<END
#!/bin/sh
host=\$1; shift
[ -z "${CLUSTER_PIN-}" ] || taskset -pc \$(((\${host#node} - 1) % $(nproc))) \$\$ >/dev/null
exec env -i HOME="\$HOME" PATH="\$PATH" ASAN_OPTIONS="\$ASAN_OPTIONS" ip netns exec $cluster_prefix-\$host unshare --uts sh -c '
    hostname "\$0" && mount --bind "$cluster_folder/hosts" /etc/hosts &&
        mount --bind "$cluster_folder/disk-\$0" "$cluster_folder/private" && cd "$cluster_folder" && exec sh -c "\$*"' \$host "\$@"
END
    chmod +x "$cluster_folder/agent"
    cluster_on node1 true
}

cluster_reason() { grep -vE '^ready|dmesg\(1\)|^ *$' "$1" | tail -n 1 | sed 's/^ *//'; }

cluster_hosts() { seq -s, -f "node%g:$1" "$cluster_size"; }

cluster_on() { "$cluster_folder/agent" "$@"; }

cluster_run() {
    local name
    {
        for name in $(env | sed -n 's/^\(\(OMPI\|OPENBLAS\|TIMELESS\)_[A-Za-z_]*\)=.*/\1/p'); do echo "export $name='${!name}'"; done
        echo "export OMPI_MCA_plm_rsh_agent='$cluster_folder/agent' PRTE_MCA_plm_ssh_agent='$cluster_folder/agent' OMPI_MCA_btl=self,vader,tcp"
        [ "${CLUSTER_STOCK-}" ] || echo "export OMPI_MCA_btl_tcp_flags=1"
        echo "export OMPI_MCA_orte_leave_session_attached=1 OMPI_MCA_btl_tcp_if_include=$cluster_network OMPI_MCA_oob_tcp_if_include=$cluster_network"
        echo "cd '$PWD'"
        printf 'exec'; printf " '%s'" "$@"; echo
    } >"$cluster_folder/command"
    timeout "${CLUSTER_TIMEOUT:-300}" "$cluster_folder/agent" node1 sh "$cluster_folder/command"
}

cluster_down() {
    local name
    # It may have failed; in a trap of a script with `set -e` a kill in vain would be the exit code.
    [ -z "${cluster_wire-}" ] || kill "$cluster_wire" 2>/dev/null || true
    cluster_wire=
    for name in $(ip netns list 2>/dev/null | sed 's/ .*//' | grep -x "$cluster_prefix-[a-z0-9]*"); do
        ip netns pids "$name" | xargs -r kill -KILL 2>/dev/null
        ip netns del "$name"
    done
}
