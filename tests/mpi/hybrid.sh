# hybrid.sh - volumes of ranks with threads: what the threads compute, however they wait.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
export OMP_NUM_THREADS=2
runs=5 rounds=3 thousands=4000
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')

# shares TRACE: a line "PART SHARE" for each part, round and rank of a trace of hybrid: the part's
# volume in that of the work that the first thread did alone, before and after it
shares() {
    local rank ranks
    ranks=$("$timeless" info "$1" | awk '$1 == "ranks" { print $2; exit }')
    for ((rank = 0; rank < ranks; rank++)); do
        "$print_events" "$1" $rank volumes |
            awk '$1 == "MPI_Init_thread" { next } { volume += $2 }
                $1 == "MPI_Barrier" { v[n++] = volume; volume = 0 }
                END { for (i = 2; i < n; i += 2) print 2 * v[i] / (v[i - 1] + v[i + 1]) }' |
            paste -d ' ' "$scratch/parts" -
    done
}
# medians FILE: "PART SHARE" lines, the median of each part
medians() {
    sort -k1,1 -k2,2g "$1" | awk 'function flush() { if (n) print part, n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2; n = 0 }
        $1 != part { flush(); part = $1 } { v[++n] = $2 } END { flush() }'
}
# all_near A B [MOST]: the parts of B are in A, and within 5 % (MOST: 1.05) of each other
all_near() {
    join "$1" "$2" | awk -v most="${3:-1.05}" -v parts="$(wc -l <"$2")" '
        { bad = $2 / $3 > most || $3 / $2 > most; wrong += bad; printf "%-12s %.4f %.4f%s\n", $1, $2, $3, bad ? " <-" : "" }
        END { exit !(NR > 0 && NR == parts && !wrong) }'
}
# once WAY PROGRAM [OPTION...]: a run of it, whose medians are added to $scratch/WAY.PROGRAM
once() {
    local way=$1 program=$2 trace=$scratch/$1.tl; shift 2
    local command=("$scratch/$program" $rounds $thousands) under=()
    rm -f "$trace"
    case $way in
    folded) set -- "$@" --folded -n 4 ;;
    exact) set -- "$@" -n 1 ;; # with every launcher
    *) command=($MPIRUN -np 1 --bind-to none "${command[@]}") ;;
    esac
    [ "$way" != one-core ] || under=(taskset -c "$cpu")
    "${under[@]}" $timeless record --no-pack -o "$trace" "$@" -- "${command[@]}" >"$scratch/parts" &&
        shares "$trace" >"$scratch/shares" && medians "$scratch/shares" >>"$scratch/$way.$program"
}
# repeated PROGRAM WAYS [OPTION...]: the ways by turns, so that the machine is the same for each
repeated() {
    local program=$1 ways=$2 run way; shift 2
    for ((run = 0; run < runs; run++)); do
        for way in $ways; do once "$way" "$program" "$@" || return 1; done
    done
    for way in $ways; do medians "$scratch/$way.$program" >"$scratch/$way"; done
}
# near_after_more PROGRAM WAYS A B MOST [OPTION...]: all_near. While it is not, the WAYS are repeated, up to three times as many
# runs in all: what other programs take of the cores and caches averages out, a wrong volume does not.
near_after_more() {
    local program=$1 ways=$2 a=$3 b=$4 most=$5 attempt; shift 5
    for attempt in 1 2 3; do
        ! all_near "$scratch/$a" "$scratch/$b" "$most" || return 0
        [ $attempt = 3 ] || repeated "$program" "$ways" "$@" || return
    done
    return 1
}
# volumes_are_right PROGRAM
volumes_are_right() {
    local program=$1 way
    check "$program: the program is recorded" repeated "$program" "free one-core folded"
    check "$program: a part has the same volume on one core as on two" near_after_more "$program" "free one-core" one-core free 1.05
    check "$program: a part has the same volume with more ranks than cores" near_after_more "$program" "free folded" folded free 1.05
    if why=$(no_exact_counts); then skip "$program: instructions" "$why"; return; fi
    check "$program: instructions are counted" once exact "$program" --volume exact
    check "$program: every part has instructions" test \
        "$(medians "$scratch/exact.$program" | wc -l)" = "$(sort -u "$scratch/parts" | wc -l)"
    skip "$program: nested: instructions" "the emulator misses one of four threads in some rounds"
    medians "$scratch/exact.$program" | grep -v '^nested ' >"$scratch/exact"
    for way in free one-core folded; do
        check "$program: $way: volumes agree with instructions" all_near "$scratch/$way" "$scratch/exact" 1.1
    done
    awk '{ print $1, 1 }' "$scratch/exact" >"$scratch/equal"
    check "$program: the parts have equal instructions, as the program intends" all_near "$scratch/exact" "$scratch/equal"
}

compile hybrid -fopenmp
mv "$scratch/hybrid" "$scratch/hybrid-gcc"
volumes_are_right hybrid-gcc
not_comparable() { "$timeless" info "$1" | grep -F "$2"; }
check "the trace reports that threads shared a core" not_comparable "$scratch/one-core.tl" "2 threads on 1 core"
OMPI_CC=clang MPICH_CC=clang compile hybrid -fopenmp
mv "$scratch/hybrid" "$scratch/hybrid-llvm"
check "the second program has LLVM's runtime" grep -q libomp <(ldd "$scratch/hybrid-llvm")
volumes_are_right hybrid-llvm

# Kernels in regions are events, whichever thread calls them: 16 in each part.
compile hybrid -fopenmp -DBLAS -lblas
mv "$scratch/hybrid" "$scratch/hybrid-blas"
kernels() {
    "$print_events" "$1" 0 volumes | awk '$1 == "dgemm" { n++ } $1 == "MPI_Barrier" { print n + 0; n = 0 }'
}
as_many_kernels() {
    once free hybrid-blas && kernels "$scratch/free.tl" | sort | uniq -c &&
        test "$(kernels "$scratch/free.tl" | grep -vxc 16)" = 1 # what comes before the first part
}
check "kernels in parallel regions are events, from all threads" as_many_kernels
# Otherwise they are as many instructions; their time depends on which caches hold the matrices.
if ! no_exact_counts >/dev/null; then
    rounds=1 thousands=1024 # so that m is a multiple of 32
    check "kernels that are no events: instructions are counted" once exact hybrid-blas --volume exact --kernels none
    printf '%s 1\n' $(sort -u "$scratch/parts") >"$scratch/equal"
    check "kernels that are no events: the parts have as many instructions" all_near "$scratch/exact.hybrid-blas" "$scratch/equal"
fi

# OpenBLAS has threads of its own.  Two do as much as one, but have to fill the caches of two cores.
compile threaded_blas -l:libopenblas.so.0
rounds=5 thousands=512 # n
volume() { "$print_events" "$1" 0 volumes | awk '{ sum += $2 } END { print sum }'; }
no_volume() { echo "$1 $2"; [ $((20 * $1)) -lt "$2" ]; }
check "threaded BLAS: the program is recorded" once one-core threaded_blas
volume=$(volume "$scratch/one-core.tl")
check "threaded BLAS: calls are events" test "$("$print_events" "$scratch/one-core.tl" 0 volumes | grep -c gemm)" = $((2 * rounds + 2))
check "threaded BLAS: the trace reports that its threads shared a core" not_comparable "$scratch/one-core.tl" "2 threads on 1 core"
rm "$scratch/one-core.threaded_blas"
check "threaded BLAS without events: the program is recorded" repeated threaded_blas "free one-core" --kernels none
check "threaded BLAS: the computation of an event is no volume" no_volume "$volume" "$(volume "$scratch/one-core.tl")"
echo blas 1 >"$scratch/equal"
# OpenBLAS 0.3.29 on x86-64 waits in a loop of no-operations, which nothing outside of it can see.
blas=$(ldd "$scratch/threaded_blas" | awk '/openblas/ { print $3 }')
unseen='this OpenBLAS waits without a call that can be seen'
is_named() { once free threaded_blas --kernels none 2>"$scratch/said" && grep -F "$unseen" "$scratch/said"; }
if nm -D "$blas" | grep -q ' sched_yield'; then
    for way in free one-core; do
        check "threaded BLAS without events: $way: two threads have the same volume as one" near_after_more threaded_blas "free one-core" \
            $way equal 1.15 --kernels none
    done
    check_exit 1 "threaded BLAS without events: a library that calls sched_yield is not named" is_named
else
    skip "threaded BLAS without events: two threads have the same volume as one" "$blas waits without sched_yield"
    check "threaded BLAS without events: a library without sched_yield is named" is_named
fi
cat >"$scratch/unseen.c" <<'END'
#include <mpi.h>
int exec_blas(long n, void *queue);
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int failed = exec_blas(2, 0) + exec_blas(2, 0);
    return MPI_Finalize() + failed;
}
END
unseen_waits() {
    echo 'int exec_blas(long n, void *queue) { return n != 2 || queue; }' | gcc -shared -fPIC -x c -o "$scratch/libunseen.so" - &&
        "$MPICC" -o "$scratch/unseen" "$scratch/unseen.c" -L"$scratch" -lunseen -Wl,-rpath,"$scratch" &&
        $timeless record -o "$scratch/unseen.tl" -- $MPIRUN -np 2 "$scratch/unseen" 2>"$scratch/said" &&
        equal "$(grep -cF "$unseen" "$scratch/said")" 1
}
check "threaded BLAS without events: a library whose waits cannot be seen is named once" unseen_waits
# The factorisations of all versions start threads that wait in loops without a call.
cat >"$scratch/solve.c" <<'END'
#include <mpi.h>
void dgesv_(const int *n, const int *n_right, double *a, const int *lda, int *pivots, double *b, const int *ldb, int *info);
int main(int argc, char **argv)
{
    enum { N = 120 };
    static double a[N * N], b[N];
    int n = N, one = 1, pivots[N], info = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < N * N; i++)
        a[i] = 1. / (1 + i % 17) + (i % (N + 1) == 0) * N;
    dgesv_(&n, &one, a, &n, pivots, b, &n, &info);
    return MPI_Finalize() + info;
}
END
factorisation() {
    "$MPICC" -o "$scratch/solve" "$scratch/solve.c" -l:libopenblas.so.0 &&
        OPENBLAS_NUM_THREADS=$1 $timeless record -o "$scratch/solve.tl" -- $MPIRUN -np 2 "$scratch/solve" 2>"$scratch/said" &&
        equal "$(grep -cF "$unseen" "$scratch/said")" "$2"
}
check "a factorisation of OpenBLAS on two threads is named once" factorisation 2 1
check "a factorisation of OpenBLAS on one thread is not named" factorisation 1 0
if why=$(no_exact_counts); then skip "threaded BLAS without events: instructions" "$why"
else
    rounds=1 thousands=256
    check "threaded BLAS without events: instructions are counted" once exact threaded_blas --volume exact --kernels none
    check "threaded BLAS without events: two threads have as many instructions as one" all_near "$scratch/exact.threaded_blas" \
        "$scratch/equal"
fi
tap_done
