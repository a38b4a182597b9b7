#!/usr/bin/env bash
# The differential oracle.  A program runs online under SimGrid's plain smpirun, and under Open MPI with
# the tracer followed by a replay; computation is what the program says.  The end of every rank must agree
# to 1e-9 relative.  The programs:
#   - of a seed (oracle.h), at random, on each platform;
#   - every collective that SMPI has several algorithms for, with each of these in turn, with 13, 16 and 30
#     ranks, of which several share a host (from 16 on);
#   - two instances of a seed's program on the same links.
#
#     oracle.sh [FIRST [COUNT]] [--max-ranks N] [--platform FOLDER]...   programs of seeds
#     oracle.sh --algorithms [PATTERN]    all algorithms, ranks and sizes; those whose name matches
#     oracle.sh --all                     all of it, seeds 1 to 200
#
#   --keep FOLDER     the traces are kept there
#   --traces FOLDER   the traces are those of another run with --keep; nothing is recorded, so no MPI is needed
#
# 'make check' runs a part: a few seeds with few ranks, and each algorithm once.
# tests/mpi/oracle/known lists the cases that differ, and why.  Such a case is expected to fail.
#
# SimGrid joins what happens within surf/precision (1e-9 s).  Rounding of the last digits can therefore move
# an end by more than the tolerance.  A program of a seed that differs is run again on both sides with a
# precision of 1e-12 s; if the ends are equal then, it agrees, and the result says so.
[[ " $* " != *" --traces "* ]] || needs_no_mpi=yes # read by tap.sh
. "${top_srcdir:-$(cd "$(dirname "$0")/../.." && pwd)}/tests/tap.sh"
. "$top_srcdir/tests/mpi/tracer.sh"
tolerance=1e-9
first=1 count=7 max_ranks=8 keep= traces= platforms=() n_positional=0 wants_seeds=1 algorithms=some pattern=.
while [ $# -gt 0 ]; do
    case $1 in
    --max-ranks) max_ranks=$2; shift 2 ;;
    --platform) platforms+=("$(realpath "$2")"); shift 2 ;;
    --keep) keep=$(realpath "$2"); shift 2 ;;
    --traces) traces=$(realpath "$2"); shift 2 ;;
    --algorithms) wants_seeds=0 algorithms=all pattern=${2:-.}; break ;;
    --all) algorithms=all count=200 max_ranks=24; shift ;;
    -*) echo "oracle.sh: unknown option $1" >&2; exit 2 ;;
    *) if [ $n_positional = 0 ]; then first=$1; else count=$1; fi
       algorithms=none; n_positional=$((n_positional + 1)); shift ;;
    esac
done
cp -r "$top_srcdir/platforms/graphene" "$scratch/graphene" && sed -i '/^timeless\//d' "$scratch/graphene/options.conf" # as smpirun wants it
[ ${#platforms[@]} -gt 0 ] || platforms=("$here"/oracle/{star,fat-tree,shared,dragonfly,limited} "$scratch/graphene")
sources=("$here"/oracle.c "$here"/oracle_{p2p,coll,nbc,window,schedule}.c)

# build COMPILER NAME FLAGS...: all programs are one binary
build() {
    local compiler=$1 name=$2; shift 2
    "$compiler" -O0 "$@" -o "$scratch/$name" "${sources[@]}" -I"$top_srcdir/tracer" -lgsl -lgslcblas -lm -ldl
}
# build_jobs: the same with a start of its own
build_jobs() {
    local source
    for source in "${sources[@]}"; do
        gcc -O0 -DORACLE_ONLINE -Dmain=oracle_main -I/usr/include/smpi -c "$source" -o "$scratch/$(basename "$source" .c).o" || return
    done
    gcc -O0 "$here/oracle_jobs.c" "$scratch"/oracle*.o -o "$scratch/oracle_jobs" -lsimgrid -lgsl -lgslcblas -lm
}
# build_ranks: what prints the number of ranks of a seed, without another MPI
build_ranks() { gcc -O0 -DORACLE_ONLINE -I/usr/include/smpi "${sources[@]}" -o "$scratch/oracle_ranks" -lsimgrid -lgsl -lgslcblas -lm; }
# options_of FOLDER: the platform's SMPI options as smpirun wants them
options_of() { sed -n '/^[[:space:]]*#/d; /:/s/^/--cfg=/p' "$1/options.conf"; }
common=(--log=root.thres:warning --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1f)
survives=--cfg=smpi/errors-are-fatal:no # types may differ between the two sides of a message
extra=() # further --cfg of the case
# has_ends RANKS: each rank printed its end
has_ends() { [ "$(grep -c '^end ' "$scratch/online")" = "$1" ]; }
# online FOLDER RANKS HOSTFILE ARGUMENTS...: the program under smpirun.  With an asynchronous threshold
# SMPI 3.32 lets messages of successive collectives overtake each other; a replay goes on, too.
online() {
    local folder=$1 ranks=$2 hosts=$3 cfg; shift 3
    mapfile -t cfg < <(options_of "$folder")
    (cd "$scratch" && timeout 120 "$SMPIRUN" -no-privatize -np "$ranks" -platform "$folder/platform.xml" \
        -hostfile "$hosts" "${common[@]}" $survives "${cfg[@]}" "${extra[@]}" "$scratch/oracle_online" "$@") >"$scratch/online" 2>&1
    has_ends "$ranks"
}
# online_jobs FOLDER SEED RANKS START_S HOSTFILE: two instances of it, the second one on the hosts that
# follow and at that time
online_jobs() {
    local folder=$1 seed=$2 ranks=$3 start_s=$4 hosts=$5 cfg
    mapfile -t cfg < <(options_of "$folder")
    awk -v seed="$seed" -v n="$ranks" -v start="$start_s" 'BEGIN {
            print "<?xml version=\"1.0\"?><!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\"><platform version=\"4.1\">" }
        NR <= 2 * n { job = int((NR - 1) / n)
            printf "<actor host=\"%s\" function=\"oracle\"%s>", $1, (job && start + 0 > 0) ? " start_time=\"" start "\"" : ""
            printf "<argument value=\"%s\"/><argument value=\"--job\"/><argument value=\"%d\"/>", seed, job * n
            printf "<prop id=\"instance_id\" value=\"%d\"/><prop id=\"rank\" value=\"%d\"/></actor>\n", job, (NR - 1) % n }
        END { print "</platform>" }' "$hosts" >"$scratch/deployment.xml"
    timeout 120 "$scratch/oracle_jobs" "$folder/platform.xml" "$scratch/deployment.xml" "$ranks" "$ranks" \
        --cfg=surf/precision:1e-9 --cfg=network/model:SMPI --cfg=smpi/privatization:no "${common[@]}" $survives "${cfg[@]}" \
        >"$scratch/online" 2>&1
    has_ends $((2 * ranks))
}
# replayed FOLDER TRACE... [OPTIONS...]: the same from a replay, with SMPI's own algorithms if the platform has no selector
replayed() {
    local folder=$1; shift
    grep -q '^smpi/coll-selector:' "$folder/options.conf" || set -- "$@" --coll-selector default
    # smpirun exchanges these messages
    timeout 120 $timeless replay "$@" "${extra[@]}" --cfg timeless/host-messages:yes --platform "$folder" --model "$here/oracle/model.conf" --json >"$scratch/replay.json"
}
# Why a case is expected to fail
declare -A known
while IFS=$'\t' read -r name reason; do known[$name]=$reason; done < <(grep -v '^#' "$here/oracle/known")
n_compared=0 n_different=0 n_wanted=0 n_said=0 n_refused=0 n_precise=0 worst=0
# say RESULT NAME: one TAP line; a known failure is marked as such, also when it has gone
say() {
    n_said=$((n_said + 1))
    if [ "${known[$2]:-}" ]; then
        tap_result "$1" "$2 # TODO ${known[$2]}"
    else
        tap_result "$1" "$2"
        [ "$1" = ok ] || n_different=$((n_different + 1))
    fi
}
# differs NAME FILE: cannot be compared, for what the file says
differs() { say 'not ok' "$1"; grep -v '^end ' "$2" | head -n 5 | sed 's/^/# /'; }
# agree: sets makespan online, makespan replayed, worst relative difference and its rank of the caller
agree() {
    read -r online_s replay_s difference rank agrees worst < <(awk -v worst_before="$worst" -v tolerance=$tolerance '
        BEGIN { m = 0 }
        NR == FNR { if ($1 == "end") { a[$2] = $3; n++; if ($3 > max_a) max_a = $3 }; next }
        $1 == "\"end_s\":" { end_s = $2 + 0; if (end_s > max_b) max_b = end_s
            d = a[m] - end_s; if (d < 0) d = -d; if (a[m] > 0) d /= a[m]; if (d > worst) { worst = d; rank = m }; m++ }
        END { if (n != m) worst = 1; agrees = worst <= tolerance
              printf "%.17g %.17g %.3g %d %d %.3g\n", max_a, max_b, worst, rank, agrees, (agrees && worst > worst_before) ? worst : worst_before }' \
        "$scratch/online" "$scratch/replay.json")
    [ "$agrees" = 1 ]
}
# judge NAME [COMMAND...]: what online and replayed left; COMMAND runs both again, more precisely
judge() {
    local name=$1 online_s replay_s difference rank agrees; shift
    n_compared=$((n_compared + 1))
    if agree; then
        say ok "$name"
    elif [ $# -gt 0 ] && ("$@" && agree); then
        n_precise=$((n_precise + 1))
        say ok "$name, with a precision of 1e-12 s"
    else
        say 'not ok' "$name"
        echo "# makespan online $online_s s, replayed $replay_s s; worst rank $rank: $difference relative"
    fi
}
# record TRACE RANKS ARGUMENTS...: the trace of the program, or that of another run
record() {
    local trace=$1 ranks=$2 name; shift 2
    name="$ranks-$*.tl" name=${name// /}
    if [ "$traces" ]; then cp "$traces/$name" "$trace" 2>"$scratch/record"; return; fi
    timeout 300 $timeless record -q --volume none -o "$trace" -- $MPIRUN -np "$ranks" "$scratch/oracle" "$@" >"$scratch/record" \
        2>&1 || return
    [ ! "$keep" ] || cp "$trace" "$keep/$name"
}
# ranks_of SEED MOST: how many ranks its program has
ranks_of() { "$scratch/oracle${traces:+_ranks}" "$1" --ranks "$2"; }

avoid_osc_rdma

# waits_too NAME COMMAND...: the replay found that ranks wait forever, and so does smpirun (doc/simgrid-findings.md)
waits_too() {
    local name=$1; shift
    grep -q 'wait forever' "$scratch/failure" && ! "$@" && grep -q 'Deadlock detected' "$scratch/online" || return
    n_refused=$((n_refused + 1))
    skip "$name" "the ranks wait forever under smpirun, too"
}

# by_tree COMMAND...: smpirun has failed with the selector ompi; with SimGrid 4, may it be the scatter that waits forever in
# doc/simgrid-findings.md?  Then COMMAND, which runs both sides, succeeds with another scatter.
by_tree() {
    [ "$(simgrid_version)" -ge 400 ] && grep -qx 'smpi/coll-selector:ompi' "$folder/options.conf" || return
    extra=(--cfg=smpi/scatter:ompi_binomial)
    "$@"
}

# ---- programs of seeds ----

# run_precisely: as run_both
run_precisely() {
    extra+=(--cfg=surf/precision:1e-12)
    run_both "$@"
}
# run_both SEED RANKS FOLDER TRACE [OPTIONS...]
run_both() {
    local seed=$1 ranks=$2 folder=$3 trace=$4; shift 4
    replayed "$folder" "$trace" "$@" 2>"$scratch/failure" && online "$folder" "$ranks" "$scratch/hosts" "$seed"
}
# try_on SEED RANKS FOLDER TRACE: one platform
try_on() {
    local seed=$1 ranks=$2 folder=$3 trace=$4 hosts=()
    local name="seed $seed, $ranks ranks, ${folder##*/}"
    [ -f "$folder/hosts" ] && hosts=(--hostfile "$folder/hosts")
    if ! replayed "$folder" "$trace" "${hosts[@]}" 2>"$scratch/failure"; then
        waits_too "$name" online "$folder" "$ranks" "$folder/hosts" "$seed" || differs "$name" "$scratch/failure"
        return
    fi
    if [ -f "$folder/hosts" ]; then cp "$folder/hosts" "$scratch/hosts"
    else sed -n 's/^ *"host": "\(.*\)",*$/\1/p' "$scratch/replay.json" >"$scratch/hosts"; fi
    local both=("$seed" "$ranks" "$folder" "$trace" "${hosts[@]}")
    if online "$folder" "$ranks" "$scratch/hosts" "$seed"; then
        judge "$name" run_precisely "${both[@]}"
    elif by_tree run_both "${both[@]}"; then
        judge "$name, with scatter ompi_binomial" run_precisely "${both[@]}"
        extra=()
    else
        extra=()
        differs "$name" "$scratch/online"
    fi
}
# try SEED MAX_RANKS PLATFORM...
try() {
    local seed=$1 ranks trace folder
    ranks=$(ranks_of "$seed" "$2")
    shift 2
    trace=$scratch/oracle-$seed.tl
    n_wanted=$((n_wanted + $#))
    if ! record "$trace" "$ranks" "$seed"; then
        differs "seed $seed, $ranks ranks: record" "$scratch/record"
        return
    fi
    for folder; do try_on "$seed" "$ranks" "$folder" "$trace"; done
    rm -f "$trace"
}
# try_jobs SEED MAX_RANKS START_S PLATFORM...
try_jobs() {
    local seed=$1 ranks start_s=$3 trace=$scratch/jobs.tl folder name
    ranks=$(ranks_of "$seed" "$2")
    shift 3
    n_wanted=$((n_wanted + $#))
    record "$trace" "$ranks" "$seed" --job 0 || { differs "two jobs of seed $seed: record" "$scratch/record"; return; }
    for folder; do
        name="two jobs of seed $seed, $ranks ranks each, the second after $start_s s, ${folder##*/}"
        if ! replayed "$folder" "$trace" "$trace@$start_s" --hostfile "$folder/hosts" 2>"$scratch/failure"; then
            waits_too "$name" online_jobs "$folder" "$seed" "$ranks" "$start_s" "$folder/hosts" || differs "$name" "$scratch/failure"
        elif ! online_jobs "$folder" "$seed" "$ranks" "$start_s" "$folder/hosts"; then
            differs "$name" "$scratch/online"
        else
            judge "$name"
        fi
    done
}

# ---- algorithms of collectives ----

# algorithms_of COLLECTIVE: SMPI names them when it gets a wrong one; 'automatic' measures the others
algorithms_of() {
    extra=("--cfg=smpi/$1:none")
    online "$plain" 1 "$plain/hosts" 1
    extra=()
    sed -n 's/.*Valid algorithms: \([^.]*\)\..*/\1/p' "$scratch/online" | head -n 1 | tr -d , | tr ' ' '\n' | grep -vx automatic
}
# hosts_for RANKS: one rank on each host, two next to each other, or ranks in turn
hosts_for() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "node-" (n == 16 ? int(i / 2) : n == 30 ? i % 8 : i) }'
}
# stuck: the collective that not all ranks have left, in what a failed simulation printed
stuck() {
    awk '$1 == "step" { at[$5] = $2; kind[$2] = $3 }
        END { for (rank in at) if (first == "" || at[rank] < first) first = at[rank]; print kind[first] }' "$scratch/online"
}
# try_algorithm RANKS BYTES COLLECTIVE:ALGORITHM...: one of each collective in one simulation, whose ends agree only if each
# algorithm does.  If they do not, or if smpirun fails, the first one at fault is tried by itself, then the others together.
try_algorithm() {
    local ranks=$1 bytes=$2 case name fault online_s replay_s difference rank agrees others=() ; shift 2
    local trace=$scratch/collectives-$ranks-$bytes.tl
    survives=
    extra=("${@/#/--cfg=smpi/}")
    name="${1/:/ }, $ranks ranks, $bytes B"
    if [ $# = 1 ]; then
        if ! online "$plain" "$ranks" "$scratch/hosts" "$bytes" --collectives; then
            n_refused=$((n_refused + 1))
            skip "$name" "smpirun fails: $(sed -n 's/.*\(CRITICAL\] \|error\] \)//p' "$scratch/online" | head -n 1 | cut -c 1-100)"
        elif replayed "$plain" "$trace" --hostfile "$scratch/hosts" 2>"$scratch/failure"; then
            judge "$name"
        else
            differs "$name" "$scratch/failure"
        fi
    elif ! ORACLE_VERBOSE=1 online "$plain" "$ranks" "$scratch/hosts" "$bytes" --collectives; then
        fault=$(stuck)
    elif ! { replayed "$plain" "$trace" --hostfile "$scratch/hosts" 2>"$scratch/failure" && agree; }; then
        fault=${1%:*}
    else
        for case; do
            n_compared=$((n_compared + 1))
            say ok "${case/:/ }, $ranks ranks, $bytes B"
        done
    fi
    extra=() survives=--cfg=smpi/errors-are-fatal:no
    [ "${fault-}" ] || return 0
    [[ " $*" == *" $fault:"* ]] || fault=${1%:*}
    for case; do if [ "${case%:*}" = "$fault" ]; then name=$case; else others+=("$case"); fi; done
    try_algorithm "$ranks" "$bytes" "$name"
    try_algorithm "$ranks" "$bytes" "${others[@]}"
}
collectives='barrier bcast reduce allreduce gather scatter allgather allgatherv alltoall alltoallv reduce_scatter'
try_algorithms() {
    local collective algorithm size sizes number ranks bytes group groups=() turn=0
    local -A members n_before # by RANKS BYTES and a number; by RANKS BYTES and collective
    plain=$scratch/plain
    mkdir -p "$plain"
    cp "$here/oracle/fat-tree/platform.xml" "$here/oracle/fat-tree/hosts" "$plain"
    echo '# SMPI as it comes' >"$plain/options.conf"
    for collective in $collectives; do
        for algorithm in $(algorithms_of "$collective"); do
            if [ $algorithms = all ]; then sizes=({13,16,30}' '{8,65536,262144})
            else sizes=('16 65536' '13 8' '30 8') sizes=("${sizes[turn++ % 3]}"); fi
            for size in "${sizes[@]}"; do
                [[ "$collective $algorithm, ${size/ / ranks, } B" =~ $pattern ]] || continue
                n_wanted=$((n_wanted + 1))
                number=${n_before[$collective $size]:-0}
                n_before[$collective $size]=$((number + 1))
                group="$size $number"
                [ "${members[$group]:-}" ] || groups+=("$group")
                members[$group]+=" $collective:$algorithm"
            done
        done
    done
    for group in "${groups[@]}"; do
        read -r ranks bytes number <<<"$group"
        [ -f "$scratch/collectives-$ranks-$bytes.tl" ] || record "$scratch/collectives-$ranks-$bytes.tl" "$ranks" "$bytes" --collectives ||
            { differs "collectives of $bytes B: record" "$scratch/record"; continue; }
        hosts_for "$ranks" >"$scratch/hosts"
        # shellcheck disable=SC2086 # several words
        try_algorithm "$ranks" "$bytes" ${members[$group]}
    done
}

# try_limit LIMIT: so many messages at once on a link of star, the others wait
try_limit() {
    local trace=$scratch/collectives-16-65536.tl folder=$here/oracle/star
    local name="every collective, 16 ranks, 65536 B, at most $1 messages on a link, star"
    n_wanted=$((n_wanted + 1))
    extra=("--cfg=maxmin/concurrency-limit:$1")
    if [ ! -f "$trace" ] && ! record "$trace" 16 65536 --collectives; then
        differs "$name: record" "$scratch/record"
    elif ! online "$folder" 16 "$folder/hosts" 65536 --collectives; then
        differs "$name" "$scratch/online"
    elif ! replayed "$folder" "$trace" --hostfile "$folder/hosts" 2>"$scratch/failure"; then
        differs "$name" "$scratch/failure"
    else
        judge "$name"
    fi
    extra=()
}

if [ "$traces" ]; then check 'the programs compile without an MPI' build_ranks
else check 'the programs compile for Open MPI' build "$MPICC" oracle; fi
check 'the programs compile for SMPI' build "$SMPICC" oracle_online -DORACLE_ONLINE
check 'the programs compile for a simulation of two jobs' build_jobs
if [ $wants_seeds = 1 ]; then
    for ((seed = first; seed < first + count; seed++)); do try "$seed" "$max_ranks" "${platforms[@]}"; done
    if [ $n_positional = 0 ]; then
        # Collectives of several ranks at once share SMPI's buffers, which grow.
        try 302 10 "${platforms[0]}"
        try 11 8 "${platforms[@]:0:2}" # MPI_Cart_sub that keeps no dimension
        try 8 8 "${platforms[0]}" # MPI_Compare_and_swap that does not swap, and of 8 bytes
        try 40 8 "${platforms[4]}" # messages that are ready at once, of which a link takes two
        try 113 24 "${platforms[0]}" # windows that a barrier must not ask, since they are made later
        try 15 24 "${platforms[2]}" # a reduction of 0 bytes that was left out
        # Of several jobs SMPI 3.32 crashes in algorithms that ask which ranks share a host.
        try_jobs 3 8 0 "$here"/oracle/{star,shared,limited}
        try_jobs 6 8 0.001 "$here"/oracle/{star,shared,limited}
        try_limit 3
    fi
fi
[ $algorithms = none ] || try_algorithms
echo "# $n_compared compared, $n_different different, worst relative difference of the others $worst, $n_precise equal with a precision of 1e-12 s only, $n_refused refused by smpirun"
check 'each case was run, and at least three of four were compared' test "$((n_said + n_refused))" = \
    $n_wanted -a $((4 * n_compared)) -gt $((3 * n_wanted))
tap_done
[ $n_different = 0 ]
