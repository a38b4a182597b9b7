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
#
# A host is a network namespace with a host name, an /etc/hosts and a disk of its own (FOLDER/private
# is another folder on each), joined to the others by a router's namespace.  Names that nothing
# resolves would cost Open MPI 20 s at a time, and mpirun a minute at the end: hence /etc/hosts.
#
# Each direction of a link is shaped at its sender.  A token bucket of 64 KiB, as is often written, lets a
# message of that size through at no cost: a ping-pong sees twice the rate.  Here the bucket is empty
# after one packet, and the next waits for as long as a wire of that rate would have been busy with it
# (htb takes tokens that it will have only later, tbf does not).  Packets of 8 KiB at 1 Gb/s, since a
# timer for each frame would cost more than the cores have.
#
# Open MPI sends long messages as ordinary fragments (btl_tcp_flags=1).  As it comes, the receiver asks for each
# part of a long message (PUT); where both sides send, these requests wait behind the data of their own
# direction, and two long messages that cross take as long as one after the other.
#
# With CLUSTER_PIN set, host i has the core (i - 1) modulo the number of cores.
cluster_prefix=timeless-$$
cluster_network=10.77.0.0/16

cluster_shape() { # NAMESPACE DEVICE
    local segment=1500 queue=250kb
    [ -n "$cluster_rate" ] || return 0
    [ "$cluster_rate" != 1gbit ] || segment=8192 queue=2500kb
    ip -n "$1" link set "$2" gso_max_size $segment &&
        ip netns exec "$1" tc qdisc add dev "$2" root handle 1: htb default 1 &&
        ip netns exec "$1" tc class add dev "$2" parent 1: classid 1:1 htb rate "$cluster_rate" burst 1600 cburst 1600 \
            quantum 20000 &&
        ip netns exec "$1" tc qdisc add dev "$2" parent 1:1 bfifo limit $queue
}

cluster_up() {
    cluster_folder=$1 cluster_size=$2 cluster_rate=${3:-}
    local i ns router=$cluster_prefix-router
    [ "$(id -u)" = 0 ] || { echo "only root may make network namespaces" >&2; return 1; }
    { command -v ip && command -v tc && command -v unshare; } >/dev/null ||
        { echo "there is no ip, tc or unshare (iproute2, util-linux)" >&2; return 1; }
    ip netns add $router && ip netns exec $router sh -c 'echo 1 >/proc/sys/net/ipv4/ip_forward' || return
    echo "127.0.0.1 localhost" >"$cluster_folder/hosts"
    for i in $(seq "$cluster_size"); do
        ns=$cluster_prefix-node$i
        ip netns add $ns &&
            ip link add name to$i netns $router type veth peer name eth0 netns $ns &&
            ip -n $router addr add 10.77.$i.1/24 dev to$i && ip -n $router link set to$i up &&
            ip -n $ns addr add 10.77.$i.2/24 dev eth0 && ip -n $ns link set eth0 up && ip -n $ns link set lo up &&
            ip -n $ns route add default via 10.77.$i.1 &&
            cluster_shape $ns eth0 && cluster_shape $router to$i || return
        echo "10.77.$i.2 node$i" >>"$cluster_folder/hosts"
        mkdir -p "$cluster_folder/disk-node$i"
    done
    mkdir -p "$cluster_folder/private"
    # What stands for ssh: HOST COMMAND...; nothing of the environment gets through.
    cat >"$cluster_folder/agent" <<END
#!/bin/sh
host=\$1; shift
[ -z "${CLUSTER_PIN-}" ] || taskset -pc \$(((\${host#node} - 1) % $(nproc))) \$\$ >/dev/null
exec env -i PATH="\$PATH" ASAN_OPTIONS="\$ASAN_OPTIONS" ip netns exec $cluster_prefix-\$host unshare --uts sh -c '
    hostname "\$0" && mount --bind "$cluster_folder/hosts" /etc/hosts &&
        mount --bind "$cluster_folder/disk-\$0" "$cluster_folder/private" && cd "$cluster_folder" && exec sh -c "\$*"' \$host "\$@"
END
    chmod +x "$cluster_folder/agent"
    cluster_on node1 true
}

cluster_hosts() { seq -s, -f "node%g:$1" "$cluster_size"; }

cluster_on() { "$cluster_folder/agent" "$@"; }

cluster_run() {
    local name
    {
        for name in $(env | sed -n 's/^\(\(OMPI\|OPENBLAS\|TIMELESS\)_[A-Za-z_]*\)=.*/\1/p'); do echo "export $name='${!name}'"; done
        echo "export OMPI_MCA_plm_rsh_agent='$cluster_folder/agent' OMPI_MCA_btl=self,vader,tcp"
        echo "export OMPI_MCA_btl_tcp_flags=1 OMPI_MCA_btl_tcp_if_include=$cluster_network OMPI_MCA_oob_tcp_if_include=$cluster_network"
        echo "cd '$PWD'"
        printf 'exec'; printf " '%s'" "$@"; echo
    } >"$cluster_folder/command"
    timeout "${CLUSTER_TIMEOUT:-300}" "$cluster_folder/agent" node1 sh "$cluster_folder/command"
}

cluster_down() {
    local name
    for name in $(ip netns list 2>/dev/null | sed 's/ .*//' | grep -x "$cluster_prefix-[a-z0-9]*"); do
        ip netns pids "$name" | xargs -r kill -KILL 2>/dev/null
        ip netns del "$name"
    done
}
