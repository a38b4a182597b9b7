# volume_events.sh - volumes by events of PAPI, and what threads that a rank starts add to its volume.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile helpers -fopenmp
trace=$scratch/helpers.tl
# volume N: before the N-th barrier
volume() { "$print_events" "$trace" 0 volumes | awk -v n="$1" '{ volume += $2 }
    $1 == "MPI_Barrier" { if (++seen == n) { print volume; exit }; volume = 0 }'; }
header() { "$print_events" "$trace" 0 run | grep -x "$1 $2"; }
record_by() { rm -f "$trace"; $timeless record --volume "$1" -o "$trace" -- $MPIRUN -np 1 "$scratch/helpers"; }
not_counted() { rm -f "$trace"; check "$1 is refused" refused 2 "~^timeless: $2" record_by "$1"; } # VOLUME REGEX

check "cputime counts each thread of OpenMP" record_by cputime
check "cputime: the threads computed 200 ms" between "$(volume 1)" 199000000 230000000
check "process counts all threads" record_by process
check "process: the threads computed 200 ms" between "$(volume 1)" 199000000 300000000
check "process: the header names the clock of the process" header source clock:process-cputime

not_counted papi:NO_SUCH_EVENT 'not papi:NO_SUCH_EVENT: PAPI knows no event NO_SUCH_EVENT here'
not_counted papi: 'not papi:PAPI_TOT_INS: name an event'
not_counted rseq:x "'rseq:x' is no volume source"
# The tracer answers when it is loaded into a program of its own, which a builtin of the shell is not.
if TIMELESS_CHECK_VOLUME=papi:perf::PAGE-FAULTS LD_PRELOAD=$tracer env true 2>/dev/null; then
    check "page faults" env OMP_NUM_THREADS=1 $timeless record --volume papi:perf::PAGE-FAULTS -o "$trace" -- $MPIRUN -np 1 \
        "$scratch/helpers"
    check "page faults: one for each page" between "$(volume 2)" 1000 1010
    check "page faults: the header has the unit" header unit perf::PAGE-FAULTS
    check "page faults: the header has the source" header source papi:perf::PAGE-FAULTS
else
    skip "page faults" "PAPI does not count them here"
fi

# A stand-in for PAPI counts where this machine may have no counter.
papi=$(readelf -d "$(cc -print-file-name=libpapi.so)" | sed -n 's/.*(SONAME).*\[\(.*\)\].*/\1/p')
cc -shared -fPIC -o "$scratch/$papi" "$here/stand_in_papi.c"
export LD_LIBRARY_PATH=$scratch${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
record_with() { rm -f "$trace"; env $1 $timeless record --volume "$2" -o "$trace" -- $MPIRUN -np 1 "$scratch/helpers"; }
check "stand-in for PAPI: the program is recorded" record_with OMP_NUM_THREADS=1 papi
check "stand-in for PAPI: the unit is instructions" header unit instructions
check "stand-in for PAPI: the instructions of each OpenMP thread count" between "$(volume 1)" 1990000000 3000000000
check "stand-in for PAPI: the program is recorded with another event" record_with OMP_NUM_THREADS=1 papi:OTHER
check "stand-in for PAPI: the unit is the other event" header unit OTHER
check "stand-in for PAPI: the header names the other event" header source papi:OTHER
export STAND_IN_PAPI=still
not_counted papi 'not papi:PAPI_TOT_INS: the counter stands still'
check "stand-in for PAPI: another event may not advance" record_with OMP_NUM_THREADS=1 papi:OTHER
export STAND_IN_PAPI=alone
check "stand-in for PAPI: threads that count for themselves need no inheritance" record_with OMP_NUM_THREADS=2 papi
# Of the threads of another runtime than those of GCC and LLVM nothing is known.
echo 'int omp_get_max_threads(void) { return 2; }' | cc -shared -fPIC -x c -o "$scratch/other_runtime.so" -
compile helpers -Wl,--no-as-needed "$scratch/other_runtime.so"
check "threads that cannot be counted: record exits 3, the message names the reason" ends_with 3 \
    '~no trace: not papi:PAPI_TOT_INS: PAPI cannot count PAPI_TOT_INS for the threads that OpenMP starts: so it was told; OMP_NUM_THREADS=1' \
    record_with OMP_NUM_THREADS=2 papi
unset STAND_IN_PAPI

# Neither the name of the build nor that of programs is a library; then the latter is.
mv "$scratch/$papi" "$scratch/working" && touch "$scratch/$papi" "$scratch/libpapi.so"
not_counted papi "not papi:PAPI_TOT_INS: the PAPI library cannot be loaded, neither $papi nor libpapi.so; install PAPI"
compile helpers -fopenmp
by_itself() { env -u TIMELESS_QUIET $timeless record -o "$trace" -- $MPIRUN -np 1 "$scratch/helpers" 2>"$scratch/said" &&
    says '~^timeless: volumes: [a-z:-]* .unit [a-z-]*.$' "$scratch/said" && ! grep -i papi "$scratch/said"; }
check "without PAPI the volumes are those of another source; no line mentions PAPI" by_itself
mv "$scratch/working" "$scratch/libpapi.so"
check "PAPI under the name that programs are built with" record_with OMP_NUM_THREADS=1 papi
check "PAPI under that name: the unit is instructions" header unit instructions
tap_done
