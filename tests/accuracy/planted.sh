#!/usr/bin/env bash
# planted.sh - which planted causes does timeless measure name? `planted.sh [CAMPAIGNS]` (default 10) prints for each cause in how
# many campaigns it was named, and what was named without a cause. Run it from the build folder, as root (about 5 minutes). With
# CAUSES="host none", these only.
#
#     touch      every 40th call finds its receive buffer without memory
#     timer:MS   a timer takes 200 us of rank 0 every MS ms
#     host       the host of rank 1 (a name of its own) has 7 ms of CPU in each 10 ms, by a cgroup
#     names      the same names of the hosts, and no limit: named is that no host is named
#     choice     Open MPI takes linear below 4 KiB and ring from there, by a file of rules
#     none       nothing
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
n=${1:-10}
timeless=$PWD/cli/timeless
scratch=$(mktemp -d)
group=/sys/fs/cgroup/cpu/timeless-$$
trap 'rmdir $group 2>/dev/null; rm -rf "$scratch"' EXIT
. "$top_srcdir/tests/mpi_env.sh"
unset OMPI_MCA_mpi_yield_when_idle OMPI_MCA_hwloc_base_binding_policy # two ranks have two cores
mpicc -O2 -D_GNU_SOURCE -shared -fPIC -o "$scratch/plant.so" "$top_srcdir/tests/accuracy/plant.c" || exit
cd "$scratch" || exit
cat >host <<END
#!/bin/sh
[ \$OMPI_COMM_WORLD_RANK = 1 ] || exec unshare -u sh -c 'hostname quick && exec "\$0" "\$@"' "\$@"
echo \$\$ >$group/cgroup.procs
exec unshare -u sh -c 'hostname slow && exec "\$0" "\$@"' "\$@"
END
cat >rules <<'END'
#!/bin/sh
if [ -z "${OMPI_MCA_coll_tuned_allreduce_algorithm-}" ]; then
    printf '%s\n' 1 2 1 2 2 '0 1 0 0' '4096 4 0 0' >rules.conf
    export OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_han_priority=0 OMPI_MCA_coll_tuned_dynamic_rules_filename=$PWD/rules.conf
fi
exec "$@"
END
chmod +x host rules

long="allreduce --bytes 256K --launches 2 --repetitions"
campaign() { # CAUSE: ranks of real-time priority are not disturbed by other work, and have no quota
    case $1 in
    host | names) nice -n -19 "$timeless" measure $long 3000 -o m.csv -- mpirun -n 2 ./host ;;
    choice) chrt -r 1 "$timeless" measure allreduce --algorithms all --bytes 64,256K --launches 2 --repetitions 300 -o m.csv -- \
        ./rules mpirun -n 2 ;;
    *) PLANT=$1 chrt -r 1 "$timeless" measure $long 10000 -o m.csv -- mpirun -n 2 -x PLANT -x LD_PRELOAD="$scratch/plant.so" ;;
    esac 2>/dev/null
}
names() { # CAUSE, in the text
    case $1 in
    touch) grep -q 'page faults:' text ;;
    timer:*) grep -q "they come every ${1#timer:} ms" text ;;
    host) grep -q 'on host slow' text ;;
    names) ! grep -q 'on host .*; p = ' text ;;
    choice) sed -n '/own choice/,/^$/p' text >own; grep -qE '^ +64  linear' own && grep -qE '^ +262144  .*\<ring' own &&
        ! grep -qE '^ +64  .*recursive|^ +262144  .*linear' own ;;
    none) ! grep -q '; p = ' text ;;
    esac
}
for cause in ${CAUSES:-touch timer:10 timer:20 host names choice none}; do
    n_named=0
    mkdir -p $group && echo 200000 >$group/cpu.shares || continue # more than all other work of the machine
    if [ $cause = host ]; then echo 10000 >$group/cpu.cfs_period_us && echo 7000 >$group/cpu.cfs_quota_us; else echo -1 >$group/cpu.cfs_quota_us; fi
    for ((i = 0; i < n; i++)); do
        campaign $cause >text
        if names $cause; then n_named=$((n_named + 1)); fi
        sed -n "s/^  \(.*\): .*; p = .*/# $cause: \1/p" text
    done >named
    sort named | uniq -c
    echo "$cause: $n_named of $n"
done
