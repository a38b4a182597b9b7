# regions.sh - parallel regions of OpenMP are events with the work of each thread, also on one thread.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
trace=$scratch/regions.tl thousands=64000

# recorded COMPILER THREADS [OPTION...]: a run of hybrid; $scratch/regions has "PART LIST", a line for each region
recorded() {
    local compiler=$1 threads=$2; shift 2
    rm -f "$trace"
    OMP_NUM_THREADS=$threads $timeless record --no-pack -o "$trace" "$@" -- $MPIRUN -np 1 --bind-to none \
        "$scratch/hybrid-$compiler" 1 $thousands >"$scratch/parts" &&
        "$timeless" dump "$trace" | awk -v parts="$(tr '\n' ' ' <"$scratch/parts")" '
            BEGIN { split(parts, name, " ") }
            $3 == "MPI_Barrier" { n++ }
            $3 == "Parallel" && n > 1 { sub("list=\\[", "", $4); sub("\\]", "", $4); gsub(",", " ", $4)
                print name[n / 2], $4 }' >"$scratch/regions"
}
# part NAME CONDITION: an awk condition on the regions of a part, where all is its work, s of single, x of one at a time, t[1..n]
part() {
    awk -v part="$1" '$1 == part { s = $3; x = $4; n = NF - 4; all = s; for (i = 1; i <= n; i++) all += t[i] = $(i + 4)
        print; seen++; if (!('"$2"')) wrong++ } END { exit !seen || wrong }' "$scratch/regions"
}
never() { ! awk -v part="$1" '$1 == part { print; found = 1 } END { exit !found }' "$scratch/regions"; }
volumes_add_up() {
    "$timeless" dump "$trace" | sed -nE 's/.* Parallel list=\[([0-9,]*)\] volume=([0-9]*) .*/\1 \2/p' |
        awk '{ split($1, p, ","); sum = 0; for (i in p) if (i != 3) sum += p[i]; n++; if (sum != $2) { print; wrong++ } }
            END { exit !n || wrong }'
}

for compiler in gcc clang; do
    OMPI_CC=$compiler MPICH_CC=$compiler compile hybrid -fopenmp
    mv "$scratch/hybrid" "$scratch/hybrid-$compiler"
    check "$compiler: 2 threads: the program is recorded" recorded $compiler 2
    check "$compiler: 2 threads: the parts of a region are its volume" volumes_add_up
    check "$compiler: 2 threads: each does half" part even 'n == 2 && t[1] > 0.4 * all && t[2] > 0.4 * all'
    check "$compiler: 2 threads: imbalance is recorded, in the order of the threads" part uneven \
        'n == 2 && t[1] < 0.35 * all && t[2] > 0.65 * all'
    check "$compiler: 2 threads: single is the work of one" part single 's > 0.9 * all'
    check "$compiler: 2 threads: locks let one work at a time" part locks 'x > 0.9 * all && s < 0.1 * all'
    check "$compiler: 2 threads: critical sections let one work at a time" part critical 'x > 0.9 * all && s < 0.1 * all'
    check "$compiler: 2 threads: ordered parts let one work at a time" part ordered 'x > 0.9 * all && s < 0.1 * all'
    check "$compiler: 2 threads: tasks of one thread are the work of all" part tasks 's < 0.1 * all && x < 0.1 * all'
    check "$compiler: 2 threads: a region that calls MPI is no event" never funnelled
    check "$compiler: 1 thread: the program is recorded" recorded $compiler 1
    check "$compiler: 1 thread: the parts of a region are its volume" volumes_add_up
    check "$compiler: 1 thread: it has all of the work" part uneven 'n == 1 && t[1] > 0.9 * all'
    check "$compiler: 1 thread: single is the work of one" part single 's > 0.9 * all'
    check "$compiler: 1 thread: critical sections let one work at a time" part critical 'x > 0.9 * all'
done
tap_done
