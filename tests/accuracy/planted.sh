#!/usr/bin/env bash
# planted.sh - which planted causes does timeless measure name? `planted.sh [CAMPAIGNS]` (default 10) prints for each cause in how
# many campaigns it was named, and what was named without a cause. Run it from the build folder, as root (about 4 minutes). With
# CAUSES="timer:10 none", these only.
#
#     touch      every 40th call finds its receive buffer without memory
#     timer:MS   a timer takes 200 us of rank 0 every MS ms
#     choice     Open MPI takes linear below 4 KiB and ring from there, by a file of rules
#     none       nothing
set -u
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}"
n=${1:-10}
timeless=$PWD/cli/timeless
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
. "$top_srcdir/tests/mpi_env.sh"
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
chmod +x rules

long="allreduce --bytes 256K --launches 2 --repetitions"
campaign() { # CAUSE: other work does not disturb ranks of real-time priority
    case $1 in
    choice) chrt -r 1 "$timeless" measure allreduce --algorithms all --bytes 64,256K --launches 2 --repetitions 300 -o m.csv -- \
        ./rules mpirun -n 2 ;;
    *) PLANT=$1 chrt -r 1 "$timeless" measure $long 10000 -o m.csv -- mpirun -n 2 -x PLANT -x LD_PRELOAD="$scratch/plant.so" ;;
    esac 2>/dev/null
}
names() { # CAUSE, in the text
    case $1 in
    touch) grep -q 'page faults:' text ;;
    timer:*) grep -q "they come every ${1#timer:} ms" text ;;
    choice) sed -n '/own choice/,/^$/p' text >own; grep -qE '^ +64  linear' own && grep -qE '^ +262144  .*\<ring' own &&
        ! grep -qE '^ +64  .*recursive|^ +262144  .*linear' own ;;
    none) ! grep -q '; p = ' text ;;
    esac
}
for cause in ${CAUSES:-touch timer:10 timer:20 choice none}; do
    n_named=0
    for ((i = 0; i < n; i++)); do
        campaign $cause >text
        if names $cause; then n_named=$((n_named + 1)); fi
        sed -n "s/^  \(.*\): .*; p = .*/# $cause: \1/p" text
    done >named
    sort named | uniq -c
    echo "$cause: $n_named of $n"
done
