# races.sh - the tracer under ThreadSanitizer, with threads that call MPI at the same time.
#
# Only the tracer is instrumented: what MPI, which is not, does with memory is left alone.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
if uses_mpich; then
    cc=gcc family=(-DTLT_WITH_MPICH '-DTLT_FAMILY_HEADER="mpi/mpich.h"') others=roll_call.c
    read -ra flags < <(pkg-config --cflags mpich)
else
    cc=$($MPICC --showme:command) family=(-DTLT_WITH_OPENMPI) others=
    read -ra flags <<<"$($MPICC --showme:compile) $(pkg-config --cflags pmix)"
fi
libtsan=$($cc -print-file-name=libtsan.so)
# The tracer comes first: its pthread_create then calls that of libtsan, which prepares the new thread before any of our code runs.
# ThreadSanitizer needs its place in memory, which wide address randomisation may have taken.
fixed='setarch -R'
$fixed true 2>/dev/null || fixed=

# build_object SOURCE NAME [FLAGS...]
build_object() {
    local source=$1 name=$2; shift 2
    $cc -std=gnu11 -g -fPIC -fvisibility=hidden -fsanitize=thread -DHAVE_CONFIG_H -DTIMELESS_EXPERIMENTAL -DTL_HIDDEN "${family[@]}" \
        -I"$top_builddir" -I"$top_builddir/tracer" -I"$top_srcdir/tracer" -I"$top_srcdir/compress" \
        "${flags[@]}" "$@" -c "$source" -o "$scratch/objects/$name.o"
}
build_objects() { # SOURCE...
    local source failed=0
    for source; do
        [ "$(basename "$source")" != "$others" ] || continue
        build_object "$source" "$(basename "$(dirname "$source")")-$(basename "$source" .c)" &
        [ "$(jobs -r | wc -l)" -lt "$(nproc)" ] || wait -n || failed=1
    done
    wait && [ $failed = 0 ]
}
# Of compress/, those sources whose objects the tracer takes from the archive.
build_tracer() {
    local archive=$top_builddir/compress/.libs/libtimeless-inner.a names
    mkdir -p "$scratch/objects"
    build_objects "$top_srcdir"/tracer/*.c "$top_srcdir"/tracer/{mpi,skip}/*.c &&
        link_tracer uninstrumented "$archive" -Wl,-Map="$scratch/map" || return
    names=$(sed -n 's/^.*libtimeless-inner\.a([^-]*-\(.*\)\.o)$/\1.c/p' "$scratch/map" | sort -u)
    # shellcheck disable=SC2046,SC2086 # several words
    build_objects $(find "$top_srcdir/compress" -name '*.c' | grep -E "/(${names//$'\n'/|})$") && link_tracer tracer
}
link_tracer() { # NAME [ARGUMENTS...]
    local name=$1; shift
    $cc -shared -fsanitize=thread -o "$scratch/$name.so" "$scratch"/objects/*.o "$@" -lzstd -ldl
}
# under TRACER COMMAND...: on 2 ranks, for limit_s seconds at most
limit_s=600
under() {
    local library=$1; shift
    set_for_ranks LD_PRELOAD="$scratch/$library.so $libtsan"
    TIMELESS_OUTPUT=$scratch/races.tl timeout -k 10 $limit_s $MPIRUN -np 2 "${for_ranks[@]}" $fixed "$scratch/threads" "$@"
}
cat >"$scratch/suppressions" <<'EOS'
called_from_lib:libmpi.so
called_from_lib:libopen-pal.so
called_from_lib:libopen-rte.so
called_from_lib:libmpich.so
called_from_lib:libucp.so
called_from_lib:libucs.so
called_from_lib:libuct.so
called_from_lib:libuct_cma.so
EOS
# Open MPI 5's PMIx wants memory at addresses that ThreadSanitizer uses.
export PMIX_MCA_gds=hash
# UCX's own mmap() crashes under ThreadSanitizer, also without the tracer.
export UCX_MEM_MMAP_HOOK_MODE=none
export TSAN_OPTIONS="ignore_noninstrumented_modules=1 exitcode=66 suppressions=$scratch/suppressions"

compile threads -pthread
check "the tracer builds with ThreadSanitizer" build_tracer
check_exit 0 "8 threads on 2 ranks: ThreadSanitizer finds no race" under tracer 8 4
check "the trace is complete" says '~^complete +yes' <("$timeless" info "$scratch/races.tl")
check "the trace has the calls of all threads" test \
    "$("$timeless" dump --rank 1 "$scratch/races.tl" | grep -c ' MPI_Allreduce ')" = 32

# The same without the tracer's lock must be found out, sooner or later. Races may close a list to a ring, on which the
# threads then run without end.
limit_s=60
build_object "$top_srcdir/tracer/threads.c" tracer-threads -Dpthread_mutex_lock=pthread_mutex_trylock
link_tracer lockless
races() {
    for _ in 1 2 3 4 5; do
        ! under lockless 8 8 2>&1 | grep 'WARNING: ThreadSanitizer: data race' || return 0
    done
    return 1
}
check "without the lock ThreadSanitizer finds races" races
tap_done
