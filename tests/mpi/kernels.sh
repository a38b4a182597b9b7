# kernels.sh - every row of kernels.def by every symbol, and which calls are left to the volumes.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
libraries=/usr/lib/$(gcc -dumpmachine)

# check_kernels PROGRAM WHICH-LIBRARY: same results as without the tracer, the events as expected
check_kernels() {
    local name=$1 library=$2 plain traced
    plain=$("$scratch/$name" "$scratch/expected") && [ -n "$plain" ]
    check "$name, $library: runs without the tracer" test $? = 0
    traced=$(TIMELESS_KERNELS=all LD_PRELOAD=$tracer TIMELESS_OUTPUT=$scratch/$name.tl \
        "$scratch/$name" "$scratch/expected")
    check "$name, $library: computes the same with the tracer" test "$plain" = "$traced"
    check "$name, $library: the events are the expected ones" same_text "$scratch/expected" "$print_events" "$scratch/$name.tl" 0
    cat "$scratch/expected" >>"$scratch/all"
}
compile kernels -I"$top_srcdir/compress" -llapacke -llapack -lblas -lm
compile kernels_fftw -lfftw3 -lfftw3f -lfftw3l -lm
check_kernels kernels default
LD_LIBRARY_PATH=$libraries/blas:$libraries/lapack check_kernels kernels reference
check_kernels kernels_fftw Debian

every_row() {
    local name missing=0 rows=0
    for name in $(sed -nE 's/^TL_KERNEL\([0-9]+, (\w+),.*/\1/p' "$top_srcdir/compress/kernels.def"); do
        rows=$((rows + 1))
        case $name in user | unknown) continue ;; esac # in user_kernels.sh; of other versions
        grep -q "^$name " "$scratch/all" || { echo "$name is not exercised"; missing=1; }
    done
    [ $rows -gt 20 ] && return $missing
}
check "every row of kernels.def is called" every_row
# The traces of all rows, of BLAS, LAPACK and FFTW.
export TIMELESS_PLATFORMS=$top_srcdir/platforms
for model in "$top_srcdir"/platforms/*/model.conf; do
    platform=$(basename "$(dirname "$model")")
    for name in kernels kernels_fftw; do
        check "$platform: $name replays" timeout 100 "$timeless" replay "$scratch/$name.tl" -p "$platform" --engine loggops -q
    done
done
check "star-1g: plans of FFTW replay with SMPI" timeout 100 "$timeless" replay "$scratch/kernels_fftw.tl" -p star-1g -q
check_exit 3 "--model-strict refuses what the platform has no line for" "$timeless" replay "$scratch/kernels_fftw.tl" -p star-1g \
    --model-strict -q
all_have_volumes() {
    "$timeless" info --json "$scratch/kernels.tl" | python3 -c '
import json, sys
info = json.load(sys.stdin)
names = {c["call"] if isinstance(c, dict) else c for c in info["calls"]}
recorded = {n[7:] for n in info["ranks"][0]["counters"] if n.startswith("kernel:")}
missing = {n for n in names if not n.startswith("MPI_")} - recorded
print(missing, len(recorded))
sys.exit(len(missing) > 5 or len(recorded) < 100)'
}
check "the trace has the volume of each kernel" all_have_volumes
unique_codes() { [ -z "$(grep -oE '^TL_KERNEL\([0-9]+' "$top_srcdir/compress/kernels.def" | sort | uniq -d)" ]; }
check "no code appears twice in kernels.def" unique_codes

# sizes_of WHICH: the vectors of the events with --kernels WHICH
compile vectors -lblas
sizes_of() {
    local which=$1; shift
    $timeless record -o "$scratch/vectors.tl" "$@" -- "$scratch/vectors" &&
        [ "$("$print_events" "$scratch/vectors.tl" 0 | grep -v MPI_ | tr '\n' ' ')" = "$which" ]
}
check "default: kernels on short vectors are part of the volume" sizes_of 'daxpy n=1024 dgemv m=2 n=2 end 1 '
check "--kernels all: every kernel is an event" sizes_of 'daxpy n=1023 daxpy n=1024 dgemv m=2 n=2 end 1 ' --kernels all
check "--kernels none: no kernel is an event" sizes_of 'end 1 ' --kernels none
check_exit 2 "--kernels with another word exits 2" $timeless record --kernels some -- "$scratch/vectors"
tap_done
