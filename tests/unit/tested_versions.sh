# tested_versions.sh - configure names the versions of libraries that are tested, and warns of others. (needs MPI)
. "$top_srcdir/tests/tap.sh"
source=$(cd "$top_srcdir" && pwd)
# Sources that were configured in their own folder cannot be configured elsewhere.
if [ -e "$source/config.status" ]; then
    cp -as "$source" "$scratch/source" && source=$scratch/source && rm "$source/config.status" || exit 99
fi
mkdir "$scratch/build" && cd "$scratch/build" || exit 99
cat >pkg-config <<'EOS'
#!/bin/sh
case $* in
"--modversion simgrid") echo 9.1 ;;
"--modversion ompi-c") echo 5.0.99 ;;
"--modversion libzstd") echo 1.50.1 ;;
*) exec pkg-config "$@" ;;
esac
EOS
chmod +x pkg-config
unset MPICC MPIRUN MPIFORT MPI_CFLAGS MPICC_MPICH MPIRUN_MPICH # of the build that is tested
# Without Chart.js configure stops before it writes files.
set_up() { "$source/configure" PKG_CONFIG="$PWD/pkg-config" CHART_JS=/nowhere >said 2>warned; }
check_exit 1 'configure stops as Chart.js is missing' set_up
check 'it names the tested versions of SimGrid' grep -q '^    SimGrid 3.32 and 4.0 and 4.1 (found: 9.1)$' said
check 'it warns of another version of SimGrid' grep -q 'WARNING: SimGrid 9.1 is not tested, SimGrid 3.32 and 4.0 and 4.1 is' warned
check 'it warns of zstd 1.50, of which 1.5 is tested' grep -q 'WARNING: zstd 1.50.1 is not tested, zstd 1.5 is' warned
check 'it names the tested versions of Open MPI' grep -q '^    Open MPI 4.1 and 5.0 (found: 5.0.99)$' said
check 'it does not warn of Open MPI 5.0.99, as 5.0 is tested' equal "$(grep -c 'WARNING: Open MPI' warned)" 0
for library in PAPI MPICH; do check "it names the versions of $library" grep -q "^    $library .* (found: [0-9]" said; done
tap_done
