# perform.sh - a trace, run as a real MPI program: the trace of the performance contains the calls that were performed.
#
#     perform.sh           in 'make check'
#     perform.sh --all     the programs of 60 seeds, all patterns, all sample traces
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
if is_of_other_mpi "$top_builddir/perform/.libs/timeless-perform"; then
    skip 'performances' 'timeless-perform was built with Open MPI; configure --without-openmpi builds it with MPICH'; tap_done; exit
fi
export PYTHONDONTWRITEBYTECODE=1
avoid_osc_rdma
seeds='3 8' patterns='random sweep call_alltoall call_gather call_scatter' samples='irregular-16'
if [ "${1-}" = --all ]; then
    seeds=$(seq 60)
    patterns=$($timeless make --help | sed -n '/^Patterns:/,/^$/s/^  \([a-z_0-9]*\)  *.*/\1/p')
    samples='irregular-16 wavefront-16 stencil-64'
fi

# performed TRACE RANKS: records the performance of a trace, and compares it with the trace
performed() {
    timeout 120 $timeless perform --no-compute "$1" -- \
        $timeless record -q --volume none -o "$scratch/performed.tl" -- $MPIRUN -np "$2" || return
    python3 "$here/perform_compare.py" "$print_events" "$1" "$scratch/performed.tl" "$2"
}

# ---- the same calls ----

programs=(calls_p2p:2 calls_completion:2 calls_collective:3 calls_comm:4 swaps:2 sleeps:2)
for program in "${programs[@]}"; do
    name=${program%:*} ranks=${program#*:}
    compile "$name"
    record "$name" "$ranks" >/dev/null 2>&1
    check "$name: the performance makes the calls of the trace" performed "$scratch/$name.tl" "$ranks"
done
gcc_oracle() { $MPICC -O0 -o "$scratch/oracle" "$here"/oracle{,_p2p,_coll,_nbc,_window,_schedule}.c \
    -I"$top_srcdir/tracer" -lgsl -lgslcblas -lm -ldl; }
check 'the random programs compile' gcc_oracle
# recorded_and_performed SEED RANKS: the trace of another seed does not remain if a recording fails
recorded_and_performed() {
    rm -f "$scratch/oracle.tl"
    record oracle "$2" "$1" && performed "$scratch/oracle.tl" "$2"
}
for seed in $seeds; do
    ranks=$("$scratch/oracle" "$seed" --ranks 8)
    check "the random program of seed $seed: the same calls on $ranks ranks" recorded_and_performed "$seed" "$ranks"
done
for pattern in $patterns; do
    $timeless make "$pattern" -n 4 --bytes 1000 -o "$scratch/pattern.tl"
    check "the pattern $pattern: the same calls" performed "$scratch/pattern.tl" 4
done
for sample in $samples; do
    trace=$top_srcdir/traces/$sample.tl
    check "the sample $sample: the same calls" performed "$trace" "${sample##*-}"
done

# A persistent receive from any source is made anew at its start; a send that gets its number later is not.
cat >"$scratch/number.txt" <<'END'
timeless-text 1
ranks 2
rank 0 host="h"
0 0 MPI_Init clock_ns=0
0 1 MPI_Recv_init count=4 type_bytes=4 peer=any tag=7 comm=1 request=1
0 2 MPI_Start request=1
0 3 Match peer=1 tag=7 request=1
0 4 MPI_Wait request=1
0 5 MPI_Request_free request=1
0 6 MPI_Send_init count=4 type_bytes=4 peer=1 tag=8 comm=1 request=1
0 7 MPI_Start request=1
0 8 MPI_Wait request=1
0 9 MPI_Request_free request=1
0 10 MPI_Finalize clock_ns=0
end finalized clock_ns=0
rank 1 host="h"
1 0 MPI_Init clock_ns=0
1 1 MPI_Send count=4 type_bytes=4 peer=0 tag=7 comm=1
1 2 MPI_Recv count=4 type_bytes=4 peer=0 tag=8 comm=1
1 3 MPI_Finalize clock_ns=0
end finalized clock_ns=0
END
$timeless undump "$scratch/number.txt" -o "$scratch/number.tl"
check 'a request that is made again with the number of a receive from any source' performed "$scratch/number.tl" 2

# The comparison can fail.
$timeless make random -n 4 --bytes 1000 -o "$scratch/random.tl"
$timeless dump "$scratch/random.tl" | sed '0,/count=1000/s//count=1001/' | $timeless undump - -o "$scratch/other.tl"
differs() { ! python3 "$here/perform_compare.py" "$print_events" "$scratch/random.tl" "$scratch/other.tl" 4 2>"$scratch/why"; }
check 'this test reports a message of another size' differs
check 'this test names both calls' says "~traced '.*count=1000 .*', performed '.*count=1001 " "$scratch/why"

# ---- computation ----

# Two ranks compute for 0.2 s and 0.1 s, the second one waits for a message.
$timeless make token -n 2 -o "$scratch/token.tl"
$timeless dump "$scratch/token.tl" |
    sed 's/^volume_unit .*/volume_unit "cpu-ns"/; 0,/MPI_Send/s/\(MPI_Send.*\) volume=0/\1 volume=200000000/' >"$scratch/token.txt"
$timeless undump "$scratch/token.txt" -o "$scratch/slow.tl"
cp "$top_srcdir/platforms/star-1g/model.conf" "$scratch/model.conf"
seconds() { sed -n "s/^ *\"$1\": \([0-9.e-]*\),*\$/\1/p; s/.*\"$1\": \([0-9.e-]*\),.*/\1/p" "$scratch/run.json"; }
for how in wait spin; do
    check "--compute $how: runs" $timeless perform --model "$scratch/model.conf" --compute $how --json="$scratch/run.json" \
        "$scratch/slow.tl" -- $MPIRUN -np 2
    check "--compute $how: the seconds of the model pass" between "$(seconds makespan_s)" 0.2 2
    check "--compute $how: they are those of the model" equal "$(seconds compute_s | head -n 1)" 0.200000000
done
check '--dilate: runs' $timeless perform --model "$scratch/model.conf" --dilate 2.5 --json="$scratch/run.json" \
    "$scratch/slow.tl" -- $MPIRUN -np 2
check '--dilate: 2.5 times the seconds' equal "$(seconds compute_s | head -n 1)" 0.500000000
check '--platform: runs' $timeless perform --platform "$top_srcdir/platforms/star-1g" --json="$scratch/run.json" \
    "$scratch/slow.tl" -- $MPIRUN -np 2
check '--platform: its model counts' equal "$(seconds compute_s | head -n 1)" 0.200000000
says_of() { local pattern=$1; shift; "$@" >"$scratch/said" 2>&1; says "~$pattern" "$scratch/said"; }
check '--no-compute: the line names calls, ranks, seconds' \
    says_of '^performed 4 calls on 2 ranks in [0-9.e-]+ s; rank [01] is the slowest, with 0 s' $timeless perform \
    --no-compute "$scratch/slow.tl"
check '--json prints JSON instead of text' says_of '^  "makespan_s": 0\.' $timeless perform --no-compute --json "$scratch/slow.tl"
mkdir -p "$scratch/bin" && printf '#!/bin/sh\necho "mpirun $*"\n' >"$scratch/bin/mpirun" && chmod +x "$scratch/bin/mpirun"
"$timeless" make ring --ranks 5000 -o "$scratch/wide.tl"
crowded() { env -u SLURM_JOB_ID -u OMPI_MCA_rmaps_base_oversubscribe -u PRTE_MCA_rmaps_default_mapping_policy \
    PATH="$scratch/bin:$PATH" "$timeless" perform "$@" "$scratch/wide.tl"; }
cores_limit() { ! grep -qs '^[^#]' /etc/openmpi/openmpi-default-hostfile; } # else a list of hosts does
named() { ! cores_limit || says_of '^timeless: note: 5000 ranks, .* add: -- mpirun --oversubscribe -np 5000 ' crowded; }
check 'more ranks than cores: the option for mpirun is named' named
unwritable() { ! $timeless perform --no-compute --json=/dev/full "$scratch/slow.tl"; }
check 'JSON that cannot be written fails, and is named' says_of '^timeless: /dev/full: the results cannot be written' unwritable
check 'communicators from before a cut are made anew' \
    says_of '^performed 4184 calls on 4 ranks' $timeless perform --platform "$top_srcdir/platforms/star-1g" "$top_srcdir/traces/hpl-4.tl"

# ---- kernels that are called ----

# kernels_of TRACE RANK: the routines and their sizes
kernels_of() { "$print_events" "$1" "$2" | grep -E "^($routines) " || true; }
routines=$(sed -nE '/^TL_KERNEL\(1(0|1|2|3[0-3])/s/^TL_KERNEL\([0-9]+, (\w+),.*/\1/p' "$top_srcdir/compress/kernels.def" | paste -sd '|')
# same_kernels TRACE RANKS OPTION...: a performance that calls the kernels makes the calls of the trace, kernels included
same_kernels() {
    local trace=$1 ranks=$2 rank; shift 2
    timeout 120 $timeless perform --compute kernels "$@" "$trace" -- \
        $timeless record -q --volume none --kernels all -o "$scratch/called.tl" -- $MPIRUN -np "$ranks" || return
    for ((rank = 0; rank < ranks; rank++)); do
        [ -n "$(kernels_of "$trace" "$rank")" ] &&
            diff <(kernels_of "$trace" "$rank") <(kernels_of "$scratch/called.tl" "$rank") || return
    done
}
compile kernels -I"$top_srcdir/compress" -llapacke -llapack -lblas -lm
$timeless record -q --volume none --kernels all -o "$scratch/kernels.tl" -- $MPIRUN -np 1 "$scratch/kernels" "$scratch/expected"
all_routines() { [ "$(kernels_of "$scratch/kernels.tl" 0 | sed 's/ .*//' | sort -u |
    paste -sd '|')" = "$(tr '|' '\n' <<<"$routines" | sort | paste -sd '|')" ]; }
check 'a trace has all routines of BLAS and LAPACK' all_routines
check '--compute kernels: the performance calls all routines with the sizes of the trace' same_kernels "$scratch/kernels.tl" 1
check '--compute kernels: the performance of HPL calls the kernels of the trace' \
    same_kernels "$top_srcdir/traces/hpl-4.tl" 4 --platform "$top_srcdir/platforms/star-1g"

# A product, a transform and a routine of the program.
cat >"$scratch/product.txt" <<'END'
timeless-text 1
ranks 1
rank 0 host="h"
kernel 1 name="sort"
0 0 MPI_Init clock_ns=0
0 1 dgemm m=100 n=100 k=100
0 2 fftw_dft list=[1,64]
0 3 user kernel=1 list=[5]
0 4 MPI_Barrier comm=1 clock_ns=0
0 5 MPI_Finalize clock_ns=0
end finalized clock_ns=0
END
sed '/^0 [23]/d; s/^0 4/0 2/; s/^0 5/0 3/' "$scratch/product.txt" | $timeless undump - -o "$scratch/product.tl"
$timeless undump "$scratch/product.txt" -o "$scratch/sort.tl"
cat >"$scratch/sort.conf" <<'END'
reference_flops = 1e9;
kernels = (
  { kernel = "user:sort"; intercept_s = 0.05; per_work_s = 0.0; }
);
END
called() { rm -f "$scratch/run.json"; timeout 120 $timeless perform --compute kernels --json="$scratch/run.json" "$@" -- $MPIRUN -np 1; }
compute_s() { seconds compute_s | head -n 1; }
check '--compute kernels: no model is necessary' called "$scratch/product.tl"
once=$(compute_s)
check '--dilate: the time of a called kernel is multiplied, too' called --dilate 1000 "$scratch/product.tl"
check '--dilate: 1000 times the time is more than 20 times' between "$(compute_s)" "$(awk "BEGIN { print 20 * $once }")" 1e9
check 'kernels that cannot be called take the time of the model, and are named' \
    says_of '^timeless: kernels that cannot be called take the time of the model: user:sort 1x$' called \
    --model "$scratch/sort.conf" "$scratch/sort.tl"
check 'it is the time of the model' between "$(compute_s)" 0.05 1

# ---- every row ----

# All rows of the schema, but for files and the window whose accesses are to addresses.
cat >"$scratch/others.awk" <<'END'
function less(id, g, n) { for (g in gone) n += g + 0 < id + 0; return id - n }
/^rank / { delete gone; delete begun }
/^comm .*call=MPI_(Win_create_dynamic|File_open)/ { gone[$2]; next }
/^comm / {
    $2 = less($2)
    if (match($0, / parent=[0-9]+/)) sub(/ parent=[0-9]+/, " parent=" less(substr($0, RSTART + 8, RLENGTH - 8)))
}
/^[0-9]+ [0-9]+ / {
    request = ""
    for (i = 4; i <= NF; i++) {
        if (split($i, slot, "=") != 2) continue
        if (slot[1] == "request") request = slot[2]
        if (slot[1] ~ /comm$/ && !(slot[2] in gone)) $i = slot[1] "=" less(slot[2])
        else if (slot[1] ~ /comm$/ && $3 !~ /^MPI_File_/) next
    }
    if ($3 ~ /^MPI_File_/) { if (request != "") begun[request]; next }
    if ($3 == "MPI_Wait" && request in begun) { delete begun[request]; next }
    $2 = n[$1]++ + 0
}
{ print }
END
all_rows() {
    echo '#include <mpi.h>
int main(void) { return MPI_Init(0, 0); }' >"$scratch/empty.c"
    $MPICC -o "$scratch/empty" "$scratch/empty.c" || return
    MPI_FUNCTIONS=$(nm -D --defined-only "$(ldd "$scratch/empty" | awk '$1 ~ /^libmpi(ch)?\.so/ { print $3 }')" |
        awk '$3 ~ /^MPIX?_/ { print $3 }') \
        python3 "$here/rows/rows.py" "$top_srcdir/compress/mpi_calls.def" c >"$scratch/run.c" &&
        $MPICC -O1 -w -I "$scratch" -o "$scratch/rows" "$here/rows/frame.c" && record rows 2 all "$scratch/file" &&
        $timeless dump "$scratch/rows.tl" | awk -f "$scratch/others.awk" | $timeless undump - -o "$scratch/others.tl"
}
check 'a trace with all rows of the schema' all_rows
performs_rows() {
    local rank
    timeout 120 $timeless perform --no-compute "$1" -- \
        $timeless record -q --volume none -o "$scratch/performed.tl" -- $MPIRUN -np 2 || return
    for rank in 0 1; do
        "$print_events" "$1" $rank |
            sed 's/^MPI_Comm_split_type /MPI_Comm_split /; s/^MPI_Dist_graph_create /MPI_Dist_graph_create_adjacent /' \
            >"$scratch/performed.$rank"
        same_text "$scratch/performed.$rank" "$print_events" "$scratch/performed.tl" $rank || return
    done
}
check 'every row: the performance makes the calls of the trace' performs_rows "$scratch/others.tl"

# ---- what cannot be performed is named before anything starts ----

compile threads -pthread
record threads 2 >/dev/null 2>&1
check 'several threads' refused 3 '~cannot be performed \(Thread [0-9]+x(, Enter [0-9]+x)?\)' \
    $timeless perform --no-compute "$scratch/threads.tl" -- false
$timeless dump "$scratch/random.tl" | sed '0,/MPI_Finalize.*/s//MPI_Abort code=3 comm=1 clock_ns=0 volume=0 site=1/' |
    $timeless undump - -o "$scratch/abort.tl"
check 'MPI_Abort' refused 3 '~cannot be performed \(MPI_Abort 1x\)' \
    $timeless perform "$scratch/abort.tl" -- false
head -c "$(($(wc -c <"$scratch/oracle.tl") - 200))" "$scratch/oracle.tl" >"$scratch/short.tl"
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' 'comm 3 parent=1 call=MPI_File_open members=[0] name="data"' \
    '0 0 MPI_Init clock_ns=0' '0 1 MPI_File_open mode=2 comm=1 new_comm=3' '0 2 MPI_File_close comm=3' '0 3 MPI_Finalize clock_ns=0' \
    'end finalized clock_ns=0' | $timeless undump - -o "$scratch/file.tl"
check 'calls on files' refused 3 '~cannot be performed \(MPI_File_close 1x, MPI_File_open 1x\); cut them off' \
    $timeless perform --no-compute "$scratch/file.tl" -- false
check 'an incomplete trace' refused 3 'short.tl: is incomplete' \
    $timeless perform "$scratch/short.tl" -- false
check 'computation without a model' refused 3 'contains computation.*no compute model' \
    $timeless perform "$scratch/slow.tl" -- false
check 'kernels that cannot be called, without a model' refused 3 '~kernels that cannot be called \(user:sort 1x\)' \
    $timeless perform --compute kernels "$scratch/sort.tl" -- false
check 'computation besides kernels, without a model' refused 3 'besides its kernels, but there is no compute model' \
    $timeless perform --compute kernels "$scratch/slow.tl" -- false
check 'a model without the unit' refused 3 "no rate for the unit 'cpu-ns'" \
    $timeless perform --compute kernels --model "$scratch/sort.conf" "$scratch/slow.tl" -- false
check 'called kernels in less time' refused 2 'cannot take less time' \
    $timeless perform --compute kernels --dilate 0.5 "$scratch/product.tl"
check 'another word for --compute' refused 2 'give wait, spin or kernels' \
    $timeless perform --compute work "$scratch/product.tl"
check 'two models' refused 2 'give --platform or --model, not both' \
    $timeless perform --platform star-1g --model x "$scratch/slow.tl"
check 'a dilation of 0' refused 2 'give a factor above 0' \
    $timeless perform --dilate 0 "$scratch/slow.tl"
check 'a launcher that does not exist' refused 4 'nothing: cannot be started: No such file' \
    $timeless perform --no-compute "$scratch/slow.tl" -- "$scratch/nothing" -np 2
other_number() { ! $timeless perform --no-compute "$scratch/slow.tl" -- $MPIRUN -np 3 >"$scratch/said" 2>&1; }
check 'another number of ranks: refused' other_number
check 'another number of ranks: says what to type' says '~the trace has 2 ranks and MPI started 3; give mpirun -np 2' "$scratch/said"
tap_done
