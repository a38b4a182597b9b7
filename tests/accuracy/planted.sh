#!/usr/bin/env bash
# planted.sh - which planted causes does timeless measure name? `planted.sh [CAMPAIGNS]` (default 10) prints for each cause in how
# many campaigns it was named, and what was named without a cause. Run it from the build folder, as root (about 7 minutes). With
# CAUSES="timer:10 none", these only. With RESULTS=FILE, campaigns that are in the file are not run again.
#
#     touch      every 40th call finds its receive buffer without memory
#     progress   a function that Open MPI calls to make progress takes 200 us now and then
#     timer:MS   a timer takes 200 us of rank 0 every MS ms
#     choice     Open MPI takes linear below 4 KiB and ring from there, by a file of rules
#     none       nothing
#     quota      a control group has 6 ms of CPU time in every 10 ms, for the ranks of one of two emulated hosts (cluster.sh)
#     stall      the link to one of two emulated hosts stops for 2 ms at each 20th packet (wire.c)
#     hosts      two emulated hosts, and nothing else
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
n=${1:-10}
timeless=$PWD/cli/timeless
scratch=$(mktemp -d)
trap 'cluster_down; umount "$scratch/cpu" 2>/dev/null; rm -rf "$scratch"' EXIT
. "$top_srcdir/tests/mpi_env.sh"
. "$top_srcdir/tests/cluster.sh"
unset OMPI_MCA_mpi_yield_when_idle OMPI_MCA_hwloc_base_binding_policy # two ranks have two cores
mpicc -O2 -D_GNU_SOURCE -shared -fPIC -o "$scratch/plant.so" "$top_srcdir/tests/accuracy/plant.c" || exit
cd "$scratch" || exit
cat >rules <<'END'
#!/bin/sh
if [ -z "${OMPI_MCA_coll_tuned_allreduce_algorithm-}" ]; then
    printf '%s\n' 1 2 1 2 2 '0 1 0 0' '4096 4 0 0' >rules.conf
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_han_priority=0 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/rules.conf
fi
exec "$@"
END
cat >slow <<'END'
#!/bin/sh
[ "$(hostname)" != node2 ] || echo 0 >cpu/planted/tasks || exit
exec "$@"
END
chmod +x rules slow

# Ranks that wait give their core to the link of their host.
on_hosts() { # CAUSE
    local rate= launcher=(mpirun -n 2 -H node1:1,node2:1) what="256K --repetitions 2500" code
    export CLUSTER_PIN=1 CLUSTER_TIMEOUT=60 OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_hwloc_base_binding_policy=none
    case $1 in
    quota)
        mkdir -p cpu && mount -t cgroup -o cpu none cpu && mkdir -p cpu/planted && echo 10000 >cpu/planted/cpu.rt_period_us &&
            echo 6000 >cpu/planted/cpu.rt_runtime_us || { rmdir cpu/planted; umount cpu; return 1; } 2>/dev/null
        launcher+=(./slow) ;;
    stall) export WIRE_STALL=2:20:2000 rate=1gbit; what="64 --repetitions 3000" ;;
    esac
    cluster_up "$scratch" 2 $rate >/dev/null && cluster_run chrt -r 1 "$timeless" measure allreduce --launches 2 --bytes $what -o m.csv -- \
        "${launcher[@]}"
    code=$?
    cluster_down
    [ "$1" != quota ] || { timeout 5 sh -c 'until rmdir cpu/planted; do sleep 0.1; done' 2>/dev/null; umount cpu; }
    return $code
}

long="allreduce --bytes 256K --launches 2 --repetitions"
campaign() { # CAUSE: other work does not disturb ranks of real-time priority
    local inside=
    [ $1 != progress ] || inside=--inside
    case $1 in
    quota | stall | hosts) (on_hosts $1) ;;
    choice) chrt -r 1 "$timeless" measure allreduce --algorithms all --bytes 64,256K --launches 2 --repetitions 300 -o m.csv -- \
        ./rules mpirun -n 2 ;;
    *) PLANT=$1 chrt -r 1 "$timeless" measure $long 10000 $inside -o m.csv -- mpirun -n 2 -x PLANT -x LD_PRELOAD="$scratch/plant.so" ;;
    esac 2>/dev/null
}
names() { # CAUSE, in the text
    case $1 in
    touch) grep -q 'page faults:' text ;;
    progress) grep -q '%  planted_progress$' text ;;
    timer:*) grep -q "they come every ${1#timer:} ms" text ;;
    choice) sed -n '/own choice/,/^$/p' text >own; grep -qE '^ +64  linear' own && grep -qE '^ +262144  .*\<ring' own &&
        ! grep -qE '^ +64  .*recursive|^ +262144  .*linear' own ;;
    none) ! grep -q '; p = ' text ;;
    quota) grep -q 'time without the CPU, on CPU 1 of node2:' text && ! grep -q 'on CPU 0 of node1:' text ;;
    stall) grep -q 'the last to end is on host node2:' text ;;
    hosts) grep -q '^Outliers' text && ! grep -qE 'on CPU . of|on host node' text ;;
    esac
}
results=${RESULTS:-$scratch/results}
touch "$results"
for cause in ${CAUSES:-touch progress timer:10 timer:20 choice none quota stall hosts}; do
    for ((i = $(grep -c "^$cause [01]$" "$results"); i < n; i++)); do
        campaign $cause >text || { echo "$cause: a campaign failed" >&2; continue; }
        sed -n "s/^  \(.*\): .*; p = .*/# $cause: \1/p" text >>"$results"
        if names $cause; then echo "$cause 1"; else echo "$cause 0"; fi >>"$results"
    done
    grep "^# $cause:" "$results" | sort | uniq -c
    echo "$cause: $(grep -c "^$cause 1$" "$results") of $(grep -c "^$cause [01]$" "$results")"
done
