# skip.sh - runs that do not compute: routines and functions that return at once, and what the trace says of it.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile skip -llapack -lblas

# run NAME OPTION...: 4 ranks; what they print goes to NAME.said
run() {
    local name=$1; shift
    $timeless record --folded -n 4 --volume none -o "$scratch/$name.tl" "$@" -- "$scratch/skip" >"$scratch/$name.said"
}
# computed NAME: the routines that rank 3 computed; all ranks must have done the same
computed() {
    for rank in 0 1 2 3; do
        sed -n "s/^$rank \(.*\) computed/\1/p" "$scratch/$1.said" | tr '\n' ' ' >"$scratch/$rank.computed"
        cmp "$scratch/0.computed" "$scratch/$rank.computed" >&2
    done
    cat "$scratch/3.computed"
}
computes() { equal "$(computed "$1")" "$2"; }
kernels() { $timeless dump "$scratch/$1.tl" | sed -nE 's/^([0-9]+) [0-9]+ ((d[a-z]+|idamax) [^v]*) volume=.*/\1 \2/p'; }
same_kernels() { kernels honest >"$scratch/one"; test -s "$scratch/one" && kernels "$1" | diff "$scratch/one" -; }
info_says() { $timeless info "$scratch/$1.tl" >"$scratch/info" && says "~$2" "$scratch/info"; }

all='dgemm dger dscal idamax dgetrf scale twice '
check "a run without the options is recorded" run honest
check "a run without the options computes everything" computes honest "$all"
check "a run without the options: info prints no origin" not info_says honest '^origin'

check "--skip-kernels: the run is recorded" run kernels --skip-kernels
check "--skip-kernels: BLAS 2, BLAS 3 and LAPACK are skipped, and nothing else" computes kernels 'dscal idamax scale twice '
check "--skip-kernels: dgetrf reports success and pivots that are rows" not grep 'left info' "$scratch/kernels.said"
check "--skip-kernels: the trace has the kernels with the sizes of an honest run" same_kernels kernels
check "--skip-kernels: info prints what was skipped" info_says kernels '^origin +recorded without computing: kernels=blas2,blas3,lapack$'
check "--skip-kernels: info prints that the clock is not comparable" info_says kernels '^clock +not comparable'
check "--skip-kernels: the trace is replayed" $timeless replay "$scratch/kernels.tl" --platform "$top_srcdir/platforms/fat-tree" \
    --no-compute
packed_origin() { $timeless pack "$scratch/kernels.tl" -o "$scratch/packed.tl" && info_says packed '^origin +recorded without computing'; }
check "--skip-kernels: a packed trace keeps the mark" packed_origin
cut_origin() { $timeless cut "$scratch/kernels.tl" --section last -o "$scratch/cut.tl" &&
    info_says cut '^origin .*recorded without computing'; }
check "--skip-kernels: a part of the trace keeps the mark" cut_origin

check "--skip-kernels with a list: the run is recorded" run list --skip-kernels=dscal,dgemm
check "--skip-kernels with a list: these routines are skipped" computes list 'dger idamax dgetrf scale twice '
check "--skip-kernels with a list: the kernels are those of an honest run" same_kernels list

if [ "$(uname -m)" = x86_64 ]; then
    check "--skip: the run is recorded" run functions --skip scale:1,3 --skip twice
    check "--skip: the functions return at once" computes functions 'dgemm dger dscal idamax dgetrf '
    check "--skip NAME:1,3: info prints the calls as kernels of the program" info_says functions '^ +4  user:scale$'
    check "--skip NAME: no event" not info_says functions 'user:twice'
    sizes() { [ "$($timeless dump "$scratch/functions.tl" | grep -cE '^[0-3] [0-9]+ user .*list=\[3,4\]')" = 4 ]; }
    check "--skip NAME:1,3: the sizes are the arguments" sizes
    check "--skip with a name that the program does not have: the program runs" run unknown --skip no_such_function
    cp "$scratch/err" "$scratch/said"
    check "--skip with a name that the program does not have: one line reports it" \
        test "$(grep -c '^timeless: --skip no_such_function: not skipped: the program has no such function' "$scratch/said")" = 1
else
    skip "--skip" "functions can be skipped on x86-64 only"
fi

# memory EXPECTED BYTES PROGRAM OPTION...: which blocks of so many bytes are folded
memory() {
    local expected=$1 bytes=$2 program=$3; shift 3
    $timeless record --folded -n 2 -o "$scratch/memory.tl" "$@" -- "$scratch/$program" memory "$bytes" >"$scratch/blocks" || return 1
    equal "$(tr '\n' ',' <"$scratch/blocks")" "$expected"
}
whole='malloc whole,realloc whole,posix_memalign whole,calloc whole,MPI_Alloc_mem whole,'
if [ -z "${SANITIZE:-}" ]; then
    folded='malloc folded,realloc whole,posix_memalign folded,calloc whole,MPI_Alloc_mem whole,'
    check "--fold-memory: blocks that the program allocates are folded" memory "$folded" 67108864 skip --skip-kernels --fold-memory
    check "--fold-memory: info prints the least size of a block" info_says memory '^origin .* memory=16777216$'
    check "--fold-memory=BYTES: smaller blocks are whole" memory "$whole" 3000000 skip --fold-memory=3000001
    check "--fold-memory=BYTES: larger blocks are folded" memory "$folded" 3000000 skip --fold-memory=3000000
    for flags in -Wl,-z,now,-z,relro -fno-plt -no-pie; do
        $MPICC -O1 -g -w "$flags" -o "$scratch/linked" "$here/skip.c" -llapack -lblas
        check "--fold-memory: also in a program that was linked with $flags" memory "$folded" 3000000 linked --fold-memory=262144
    done
else
    skip "--fold-memory" "the sanitizers have a malloc() of their own"
fi
check "no block is folded without --fold-memory" memory "$whole" 67108864 skip --skip-kernels
check_exit 2 "--fold-memory with few bytes exits 2" $timeless record --fold-memory=1000 -- "$scratch/skip"

# Without the option, the ranks that wait use the whole cores.
sleeps() { $timeless record --folded -n 4 --skip-kernels -o "$scratch/wait.tl" -- "$scratch/skip" wait >"$scratch/ms" &&
    awk '{ n++; if ($2 >= 100) bad = 1 } END { exit bad || n != 2 }' "$scratch/ms"; }
check "--skip-kernels: a rank that waits 2 s needs less than 0.1 s of CPU time" sleeps

for wrong in --skip-kernels=ddot --skip-kernels=nosuch --skip=:1 --skip=f:0 --skip=f:1,7 --skip=f:1+2; do
    check_exit 2 "$wrong exits 2" $timeless record "$wrong" -- "$scratch/skip"
done
check_exit 2 "--skip-kernels with --kernels none exits 2" $timeless record --skip-kernels --kernels none -- "$scratch/skip"
tap_done
