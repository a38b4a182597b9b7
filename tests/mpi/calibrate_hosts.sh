# calibrate_hosts.sh - timeless calibrate kernels on hosts, of which one has a slow BLAS.
#
# The hosts are emulated, tests/cluster.sh.
. "$top_srcdir/tests/tap.sh" || exit 99 # as root it would write elsewhere
. "$top_srcdir/tests/mpi/tracer.sh"
. "$top_srcdir/tests/cluster.sh"
trap 'cluster_down; rm -rf "$scratch"' EXIT
if ! CLUSTER_PIN=1 cluster_up "$scratch" 5 >"$scratch/log" 2>&1; then
    skip "several hosts" "no emulated hosts here: $(cluster_reason "$scratch/log")"; tap_done; exit
fi
[ "${timeless#/}" = "$timeless" ] && timeless=$PWD/$timeless
export TIMELESS_PLATFORMS=$(cd "$top_srcdir/platforms" && pwd)
on=(-H "$(cluster_hosts 1)" --bind-to none)
twice=(-H node1:2)
! uses_mpich || twice=() on=(-launcher rsh -launcher-exec "$scratch/agent" -hosts "$(cluster_hosts 1)")
# OpenBLAS takes old vector instructions on one of them.
cat >"$scratch/slow.sh" <<'EOS'
[ "$(hostname)" != node3 ] || export OPENBLAS_CORETYPE=Nehalem
exec "$@"
EOS
cd "$scratch" || exit 99
check 'five hosts measure at the same time' cluster_run "$timeless" calibrate kernels --max-seconds 0 --cores 1 --nb 32 -o "$scratch/here" \
    -- $MPIRUN "${on[@]}" -np 5 sh "$scratch/slow.sh"
check 'each has its fits' equal "$(grep -c '^{ hosts = "node-[0-4]";$' here/model.conf)" 5
check 'the files of the hosts are in the archive' equal "$(grep -c '^# host node' here/kernels-*/raw/kernels.csv)" 5
check 'and nowhere else' sh -c '! ls -d here/measuring*'
# On a machine with other work, hosts differ so much that the test for outliers finds none; tests/cli/calibrate_hosts.sh tests it.
trace one 'dgemm m=500 n=500 k=64'
slowest() {
    local i
    for i in 0 1 2 3 4; do
        echo node-$i >hostfile
        echo "$(makespan one.tl -p here --hostfile hostfile) node-$i"
    done | sort -g | tee times | tail -n 1 | grep -q ' node-2$' || { cat times; return 1; }
}
check 'a replay is slowest on the slow one' slowest
check 'two processes on a host are refused' ends_with 4 'start one process on each host' cluster_run "$timeless" calibrate kernels \
    --max-seconds 0 --cores 1 --nb 32 -o "$scratch/twice" -- $MPIRUN "${twice[@]}" -np 2
tap_done
