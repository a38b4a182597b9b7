# folded.sh - more ranks than cores: what is recorded does not depend on how many share one.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
compile folded -lblas
unset OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_mpi_yield_when_idle OMPI_MCA_hwloc_base_binding_policy
unset PRTE_MCA_rmaps_default_mapping_policy PRTE_MCA_hwloc_default_binding_policy

# The CPUs that may be used, and the first one.
cpus=$(taskset -pc $$ | sed 's/.*: //') cpu=${cpus%%[-,]*}
# recorded NAME CPUS OPTION...: 4 ranks on these
recorded() {
    local trace=$scratch/$1.tl on=$2; shift 2
    taskset -c "$on" $timeless record --folded -n 4 -o "$trace" "$@" -- "$scratch/folded"
}
# The events without what the clock says, and what else belongs to one run.
events() { $timeless dump "$1" | sed -E 's/ ?clock_ns=[0-9]+//; /^(run_id|folding|clock) /d'; }
same_calls() { events "$scratch/$1.tl" >"$scratch/one" && test -s "$scratch/one" && events "$scratch/$2.tl" | diff "$scratch/one" -; }
kernels() { $timeless dump "$1" | sed -nE 's/^([0-9]+) [0-9]+ (dgemm .*) volume=.*/\1 \2/p'; }
same_kernels() { kernels "$scratch/$1.tl" | diff "$scratch/expected" -; }
# Of each burst to 0.1 %, of everything else the words.
volumes_near() {
    paste -d '|' <(events "$scratch/$1.tl" | sed 's/value=/volume=/') <(events "$scratch/$2.tl" | sed 's/value=/volume=/') | awk -F '|' '
        { a = b = 0; x = $1; y = $2
          if (match(x, /volume=[0-9]+/)) { a = substr(x, RSTART + 7, RLENGTH - 7); sub(/volume=[0-9]+/, "", x) }
          if (match(y, /volume=[0-9]+/)) { b = substr(y, RSTART + 7, RLENGTH - 7); sub(/volume=[0-9]+/, "", y) }
          total += a
          if (x != y || (a - b) ^ 2 > (0.001 * a + 50) ^ 2) { print $1; print $2; bad = 1 } }
        END { exit bad || total < 1000000 }'
}
for rank in 0 1 2 3; do
    for i in 0 1 2 3 4; do n=$((16 + rank * 4)); echo "$rank dgemm m=$n n=$n k=$((n - i))"; done
done >"$scratch/expected"

check "4 ranks are recorded on 1 core" recorded one "$cpu" --volume none
check "4 ranks are recorded on all cores" recorded all "$cpus" --volume none
check "1 core: the kernels are those that the program called" same_kernels one
check "all cores: the kernels are those that the program called" same_kernels all
check "1 core and all cores: the events are the same" same_calls one all
if why=$(no_exact_counts); then skip "exact instructions" "$why"
else
    check "1 core: exact instructions are recorded" recorded exact1 "$cpu" --volume exact:qemu
    check "all cores: exact instructions are recorded" recorded exact2 "$cpus" --volume exact:qemu
    check "1 core and all cores: the instructions of each burst agree within 0.1 %" volumes_near exact1 exact2
fi

check "16 ranks are recorded on the cores of this machine" $timeless record --folded -n 16 -o "$scratch/16.tl" -- "$scratch/folded"
check "16 ranks: the trace is complete" $timeless info "$scratch/16.tl"
cp "$scratch/out" "$scratch/info"
check "16 ranks: info prints the number of ranks and cores" says '~^folding +16 ranks on [0-9]+ cores?$' "$scratch/info"
check "16 ranks: the trace is replayed" $timeless replay "$scratch/16.tl" --platform "$top_srcdir/platforms/fat-tree" --ranks-per-host 1

# Without --folded, with more ranks than this machine has cores: -n folds by itself, mpirun refuses.
more=$(($(nproc) + 1))
unset TIMELESS_QUIET
check "-n with more ranks than cores: the run is folded" \
    env -u SLURM_JOB_ID $timeless record -n $more --volume none -o "$scratch/self.tl" -- "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "-n with more ranks than cores: a line reports the folding" \
    grep -qE "^timeless: $more ranks share [0-9]+ cores?, as with --folded" "$scratch/said"
check "-n with more ranks than cores: the trace is complete" $timeless info "$scratch/self.tl"
cp "$scratch/out" "$scratch/info"
check "-n with more ranks than cores: info prints the number of ranks" says "~^folding +$more ranks on " "$scratch/info"
if uses_mpich; then
    skip "mpirun refuses more ranks than cores" "that of MPICH starts them"
else
    more_in_a_job() { SLURM_JOB_ID=1 $timeless record -n $more -o "$scratch/job.tl" -- "$scratch/folded"; }
    check "-n with more ranks than cores, in a batch job: mpirun decides" not more_in_a_job
    cp "$scratch/err" "$scratch/said"
    check "-n with more ranks than cores, in a batch job: mpirun reports too few slots" grep -q slots "$scratch/said"
    check "-n with more ranks than cores, in a batch job: no line reports a folding" not grep -q 'as with --folded' "$scratch/said"
    as_user_types() { OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 $timeless record -o "$scratch/refused.tl" \
        -- mpirun -np $more "$scratch/folded"; }
    check "mpirun with more ranks than cores: the command fails as without timeless" not as_user_types
    cp "$scratch/err" "$scratch/said"
    check "mpirun with more ranks than cores: a line recommends --folded" \
        grep -qF "timeless: mpirun was asked for $more ranks" "$scratch/said"
    last_line() { tail -n 1 "$scratch/said" | grep -q "^timeless: mpirun was asked for $more ranks.*timeless record --folded -- mpirun"; }
    check "mpirun with more ranks than cores: this line is the last one, below those of mpirun" last_line
    # As root, mpirun refuses before it counts cores.
    without_permission() { env -u OMPI_ALLOW_RUN_AS_ROOT -u OMPI_ALLOW_RUN_AS_ROOT_CONFIRM -u PRTE_ALLOW_RUN_AS_ROOT \
        -u PRTE_ALLOW_RUN_AS_ROOT_CONFIRM "$@"; }
    for how in "-- mpirun -np $more" "-n 1"; do
        # shellcheck disable=SC2086
        without_permission $timeless record -o "$scratch/refused.tl" $how "$scratch/folded" >"$scratch/said" 2>&1
        if [ "$(id -u)" = 0 ]; then
            last_is_root() { tail -n 1 "$scratch/said" |
                grep -qx 'timeless: mpirun refuses to start programs as root; become another user, or, in a container, type: timeless record -- mpirun --allow-run-as-root \.\.\.'; }
            check "$how, as root without permission: the last line names the reason and the remedy" last_is_root
            check "$how, as root without permission: no line recommends --folded" not grep -q 'record --folded' "$scratch/said"
        else
            check "$how, as a user: no line is about root" not grep -q 'as root' "$scratch/said"
        fi
    done
    if [ "$(id -u)" = 0 ]; then
        allowed() { without_permission $timeless record --volume none -o "$scratch/allowed.tl" -- mpirun \
            --allow-run-as-root -np 1 "$scratch/folded"; }
        check "as root with --allow-run-as-root: the run is recorded" allowed
    fi
fi
export TIMELESS_QUIET=1

# Turns are a matter of Linux alone; no time is measured.
compile turns
turns() { $timeless record "$@" >"$scratch/turns.txt" && cat "$scratch/turns.txt"; }
if [ "${MPI:-}" = mpich ]; then
    check "with --folded: the turns of MPICH's ranks remain as they are" turns --folded -n 1 -o "$scratch/turns.tl" -- "$scratch/turns"
    check "... before MPI_Init and after it" grep -qxE 'turns of ([0-9]+) ns, then of \1 ns' "$scratch/turns.txt"
elif [ "$(printf '%s\n' 6.12 "$(uname -r)" | sort -V | head -n 1)" = 6.12 ]; then
    check "with --folded: a rank computes for 100 ms before another one gets its core" turns \
        --folded -n 1 -o "$scratch/turns.tl" -- "$scratch/turns"
    check "with --folded: these turns begin in MPI_Init" grep -qxE 'turns of [0-9]+ ns, then of 100000000 ns' "$scratch/turns.txt"
    check "without --folded: a rank is recorded" turns -o "$scratch/turns.tl" -- $MPIRUN -np 1 "$scratch/turns"
    check "without --folded: the turns remain as they are" grep -qxE 'turns of ([0-9]+) ns, then of \1 ns' "$scratch/turns.txt"
else
    skip "long turns" "Linux before 6.12 has turns of one length"
fi

# Without --folded the tracer tells of it, once.
unset TIMELESS_QUIET
. "$top_srcdir/tests/mpi_env.sh"
check "2 ranks on 1 core without --folded are recorded" taskset -c "$cpu" $timeless record -o "$scratch/2.tl" -- $MPIRUN -np 2 \
    "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "2 ranks on 1 core without --folded: one rank recommends --folded" test \
    "$(grep -c "^timeless: 2 ranks on 1 core: .*'timeless record --folded'" "$scratch/said")" = 1
check "with --folded: ranks on 1 core are recorded" recorded quiet "$cpu"
cp "$scratch/err" "$scratch/said"
check "with --folded: no rank recommends it" not grep -q 'on 1 core' "$scratch/said"
check "1 rank on 1 core is recorded" taskset -c "$cpu" $timeless record -o "$scratch/1.tl" -- $MPIRUN -np 1 "$scratch/folded"
cp "$scratch/err" "$scratch/said"
check "1 rank on 1 core: no rank recommends --folded" not grep -q 'on 1 core' "$scratch/said"
tap_done
