# slurm.sh - runs that Slurm starts, under Open MPI and MPICH; a job that is killed at its time limit; sweeps in jobs.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
. "$top_srcdir/tests/slurm.sh"
top_srcdir=$(cd "$top_srcdir" && pwd) here=$(cd "$here" && pwd) timeless=$(cd "$(dirname "$timeless")" && pwd)/timeless
tracer=$(cd "$(dirname "$tracer")" && pwd)/libtimeless-tracer.so
trap 'slurm_down; rm -rf "$scratch"' EXIT
cd "$scratch" || exit 99
if ! slurm_up "$scratch/slurm"; then
    skip "runs that Slurm starts" "$(slurm_reason)"; tap_done; exit
fi
# The two nodes are one machine, where Open MPI mixes up the shared memory of both, and the ranks of two jobs: it uses TCP, and
# runs one job at a time.
export OMPI_MCA_btl=self,tcp OMPI_MCA_btl_tcp_if_include=lo TIMELESS_VOLUME=none
unset TIMELESS_QUIET
compile steps

# batch NAME OPTION... <SCRIPT: submits a job; its output goes to NAME.txt, its number to NAME.job
batch() {
    local name=$1; shift
    { echo '#!/bin/bash'; cat; } >"$name.sh"
    sbatch --parsable --export=ALL -o "$name.txt" "$@" "$name.sh" >"$name.job"
}
# done_within SECONDS NAME: the job has ended
done_within() {
    local i
    for ((i = 0; i < $1 * 5; i++)); do
        squeue -h -j "$(cat "$2.job")" -o %T 2>/dev/null | grep -q . || return 0
        sleep 0.2
    done
    squeue; cat "$2.txt"; return 1
}
running() { # NAME FILE: the job runs, and the file exists
    local i
    for ((i = 0; i < 150; i++)); do
        [ "$(squeue -h -j "$(cat "$1.job")" -o %T)" = RUNNING ] && [ -s "$2" ] && return
        sleep 0.2
    done
    squeue; return 1
}
# The events, without what tells of the run and the clock.
events() { $timeless dump "$1" |
    sed -E '/^(run_id|folding|program|clock|writer|mpi_library|site) /d; s/ ?(clock_ns|site)=[0-9]+//g; s/ host="[^"]*"//'; }
same_calls() { events "$1" >one && [ "$(wc -l <one)" -gt 100 ] && events "$2" | diff one -; }

pmi=pmix
! uses_mpich || pmi=pmi2
check "srun starts 8 ranks on two nodes" $timeless record -o srun.tl -- srun --mpi=$pmi -N 2 -n 8 ./steps 40
cp "$scratch/err" said
check "the trace is complete" says '~8 ranks, .* complete' said
$timeless record -o mpirun.tl -- $MPIRUN -np 8 ./steps 40 >/dev/null 2>&1
check "it has the events of a run that mpirun starts" same_calls mpirun.tl srun.tl
check "it is replayed" $timeless replay srun.tl --platform "$top_srcdir/platforms/star-1g" --no-compute

# A job that waits until it is killed. Slurm looks at the limits each 30 s.
batch limit -N 1 -n 4 -t 1 <<X
exec $timeless record -o $scratch/limit.tl -- srun --mpi=$pmi ./steps 40 wait
X
check "a batch script records a run" running limit limit.tl
sleep 1
scontrol update job="$(cat limit.job)" EndTime=now+2

if command -v "$MPICC_MPICH" >/dev/null && grep -q tlt_mpich_family "$tracer"; then
    $MPICC_MPICH -O1 -w -o mpich "$here/steps.c"
    for pmi in pmi2 hydra; do
        launch="srun --mpi=pmi2 -N 2 -n 4"
        [ $pmi = pmi2 ] || launch="salloc -Q -N 2 -n 4 $MPIRUN_MPICH"
        # shellcheck disable=SC2086
        check "MPICH, $pmi: 4 ranks on two nodes" timeout -k 9 180 $timeless record --folded -o $pmi.tl -- $launch ./mpich 20
        cp "$scratch/err" said
        check "MPICH, $pmi: the trace is complete" says '~4 ranks, .* complete' said
    done
    check "MPICH: both traces have the same events" same_calls pmi2.tl hydra.tl
    plain() { srun -n 4 ./mpich 3; }
    check "MPICH without a PMI: the program runs" plain
    traced() { $timeless record -o split.tl -- srun -n 4 ./mpich 3; }
    check_exit 3 "MPICH without a PMI: record exits 3" traced
    cp "$scratch/err" said
    check "MPICH without a PMI: one line gives the reason" \
        test "$(grep -c 'timeless: no trace: srun started 4 tasks, but MPI runs each of them alone; choose' said)" = 1
    check "MPICH without a PMI: there is no trace" test ! -e split.tl
else
    skip "MPICH under Slurm" "$MPICC_MPICH is not installed, or the tracer was built without MPICH"
fi

on_nodes() { TIMELESS_PLATFORMS=$top_srcdir/platforms $timeless calibrate kernels --max-seconds 0 --cores 1 --nb 32 -o nodes -- srun -N 2 --ntasks-per-node=1; }
check "the kernels of two nodes are measured" on_nodes
check "each node has its fits" test "$(grep -c '^{ hosts = "node-[01]";$' nodes/model.conf)" = 2

rows() { grep -c '^[0-9]' "$1"; }
# The job is ended when it has done some points, as at a time limit; the same job goes on from there.
$timeless make call_allreduce -n 32 --bytes 100000 --iterations 2000 -o long.tl
more="$timeless sweep long.tl --platform $top_srcdir/platforms/star-1g --no-compute --grid scale.latency=$(seq -s, 1 20)"
has_rows() { # FILE: within 30 s it has a row
    local i
    for ((i = 0; i < 300; i++)); do
        [ "$(rows "$1" 2>/dev/null)" -gt 0 ] 2>/dev/null && return
        sleep 0.1
    done
    squeue; return 1
}
for job in first second; do
    batch $job -N 1 -n 1 <<X
srun $more -j 1 -o $scratch/jobs.csv
X
    [ $job = second ] && continue
    check "a long sweep begins" has_rows jobs.csv.part
    scancel "$(cat first.job)"
    check "its job is ended" done_within 20 first
    done_before=$(rows jobs.csv.part 2>/dev/null)
done
check "its job is ended before the last point" test "${done_before:-0}" -gt 0 -a "${done_before:-0}" -lt 20 -a ! -e jobs.csv
check "the same job runs again" done_within 90 second
check "the table has all points" equal "$(rows jobs.csv)" 20

check "the job of the time limit ends" done_within 90 limit
check "it was killed at the limit" says '~CANCELLED AT .* DUE TO TIME LIMIT' limit.txt
incomplete() { $timeless info limit.tl >info 2>&1; [ $? = 3 ] && says '~^complete +no' info; }
check "its trace is incomplete" incomplete
cuts() { $timeless cut limit.tl --section 0:39 -o part.tl &&
    $timeless replay part.tl --platform "$top_srcdir/platforms/star-1g" --no-compute; }
check "its trace replays up to the last reduction" cuts
tap_done
