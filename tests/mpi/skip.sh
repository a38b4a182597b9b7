# skip.sh - runs that do not compute: routines that return at once, and what the trace says of it.
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

all='dgemm dger dscal idamax dgetrf '
check "a run without the options is recorded" run honest
check "a run without the options computes everything" computes honest "$all"
check "a run without the options: info prints no origin" not info_says honest '^origin'

check "--skip-kernels: the run is recorded" run kernels --skip-kernels
check "--skip-kernels: BLAS 2, BLAS 3 and LAPACK are skipped, and nothing else" computes kernels 'dscal idamax '
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
check "--skip-kernels with a list: these routines are skipped" computes list 'dger idamax dgetrf '
check "--skip-kernels with a list: the kernels are those of an honest run" same_kernels list
long=$(printf 'dsyrk,%.0s' {1..600})dscal
check "--skip-kernels with a list of 3,605 bytes: the run is recorded" run long --skip-kernels="$long"
check "--skip-kernels with a list of 3,605 bytes: its last routine is skipped" computes long 'dgemm dger idamax dgetrf '

# Without the option, the ranks that wait use the whole cores.
sleeps() { $timeless record --folded -n 4 --skip-kernels -o "$scratch/wait.tl" -- "$scratch/skip" wait >"$scratch/ms" &&
    awk '{ n++; if ($2 >= 100) bad = 1 } END { exit bad || n != 2 }' "$scratch/ms"; }
check "--skip-kernels: a rank that waits 2 s needs less than 0.1 s of CPU time" sleeps

for wrong in --skip-kernels=ddot --skip-kernels=nosuch; do
    check_exit 2 "$wrong exits 2" $timeless record "$wrong" -- "$scratch/skip"
done
check_exit 2 "--skip-kernels with --kernels none exits 2" $timeless record --skip-kernels --kernels none -- "$scratch/skip"
tap_done
