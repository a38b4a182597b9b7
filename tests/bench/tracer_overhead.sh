#!/usr/bin/env bash
# tracer_overhead.sh - what the tracer adds to a call, and where the nanoseconds go.
#
#     tests/bench/tracer_overhead.sh [REPETITIONS]     (from the build folder, after make; default: 100000)
#     MPI=mpich tests/bench/tracer_overhead.sh         (a program of MPICH)
#     ROUNDS=9 tests/bench/tracer_overhead.sh 10000    (a busy machine: more and shorter rounds; default: 2)
#
# 1. CPU nanoseconds that each MPI call costs more under the tracer than under a PMPI interposer that
#    does nothing, without a volume source and with each that reads a clock; one reading of these. The
#    columns with "paths" record the 10 callers of each call, the others its call site only; those with
#    "times" record how long each call takes (--call-times), as nanoseconds and as a ratio to those without.
# 2. What a sample of the stack costs (--sample-stacks), with 1 to 8 callers.
# 3. Where perf is there: the shares of a call's nanoseconds, from samples.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
tracer=$top_builddir/tracer/.libs/libtimeless-tracer.so
export TIMELESS_QUIET=1 TIMELESS_OUTPUT=$scratch/bench.tl
[ -r "$tracer" ] || { echo "$tracer: not there; run from the build folder after make" >&2; exit 4; }
$MPICC -O2 -Wno-stringop-overflow -o "$scratch/call_cost" "$top_srcdir/tests/bench/call_cost.c"
$MPICC -O2 -fPIC -shared -o "$scratch/empty.so" "$top_srcdir/tests/bench/empty_pmpi.c"

depth=10 repetitions=${1:-100000}
cost() { "$MPIRUN" -np 1 env "$@" "$scratch/call_cost" "$repetitions" all $depth; }
sources='none none,paths none,times rseq rseq,paths rseq,times cputime'
# In rounds, alternating; the best one of each counts.
rounds=${ROUNDS:-2}
for round in $(seq "$rounds"); do
    cost >"$scratch/bare.$round"
    cost LD_PRELOAD="$scratch/empty.so" >"$scratch/empty.$round"
    for source in $sources; do
        paths=0; [ "$source" = "${source%,paths}" ] || paths=$depth
        times=0; [ "$source" = "${source%,times}" ] || times=1
        cost LD_PRELOAD="$tracer" TIMELESS_VOLUME="${source%,*}" TIMELESS_CALL_PATHS=$paths TIMELESS_CALL_TIMES=$times \
            >"$scratch/$source.$round"
    done
done
for run in bare empty $sources; do
    cat "$scratch/$run".[1-9]* |
        awk -v run=$run 'NF == 3 {if (!($1 in ns)) order[++n] = $1; if (!($1 in ns) || $3 < ns[$1]) ns[$1] = $3; calls[$1] = $2}
            END {for (i = 1; i <= n; i++) print run, order[i], calls[order[i]], ns[order[i]]}'
done >"$scratch/all"
echo "CPU ns per call: bare, under an empty interposer, and what the tracer adds to that by volume source"
awk -v sources="$sources" '
    {calls[$2] = $3; ns[$1, $2] = $4; if ($1 == "bare") order[++n] = $2}
    END {
        k = split(sources, source, " ")
        printf "calls bare empty"; for (j = 1; j <= k; j++) printf " +%s", source[j]; print ""
        for (i = 1; i <= n; i++) {
            body = order[i]
            if (!calls[body]) continue
            printf "%s %.0f %.0f", body, ns["bare", body] / calls[body], ns["empty", body] / calls[body]
            for (j = 1; j <= k; j++)
                if ((source[j], body) in ns)
                    printf " %.0f", (ns[source[j], body] - ns["empty", body]) / calls[body]
                else
                    printf " -"
            print ""
        }
    }' "$scratch/all" | command column -t
for source in none rseq; do # of the sum of all calls
    awk -v with="$source,times" -v source=$source '$1 == with {a += $4} $1 == source {b += $4} $1 == "empty" {c += $4}
        END {if (b > c) printf "call times, %s: %.2f times what the tracer adds without them, %.3f times the whole call\n",
            source, (a - c) / (b - c), a / b}' "$scratch/all"
done
awk '$1 == "bare" && $3 == 0 {ns[$2] = $4} END {
    printf "one reading: the wall clock %.0f ns (rseq reads the time stamp counter where it can), cputime %.0f ns (the CPU clock); two for each call\n",
        ns["wall-clock"], ns["cpu-clock"]}' "$scratch/all"
echo "load: $(cut -d' ' -f1 /proc/loadavg), $rounds rounds"
echo "bars: 60 ns without a source; 100 ns and the reading with the default one"

$MPICC -O1 -o "$scratch/sample_stacks" "$top_srcdir/tests/mpi/sample_stacks.c" -ldl
echo
"$MPIRUN" -np 1 env LD_PRELOAD="$tracer" TIMELESS_SAMPLE_STACKS=1 TIMELESS_CALL_PATHS=8 "$scratch/sample_stacks" 1 cost | grep -v own

command -v perf >/dev/null || { echo "perf is not there: no shares"; exit 0; }
body=Isend+Irecv+Waitall
for source in none rseq; do
    perf record -q -e cpu-clock -F 2000 -o "$scratch/perf.data" -- "$MPIRUN" -np 1 env LD_PRELOAD="$tracer" \
        TIMELESS_VOLUME=$source "$scratch/call_cost" $((5 * repetitions)) $body >"$scratch/out" 2>/dev/null ||
        { echo "perf cannot sample here: no shares"; exit 0; }
    perf report -i "$scratch/perf.data" --comm call_cost --stdio --sort symbol,dso 2>/dev/null >"$scratch/report"
    echo; echo "ns per call of $body, volume source $source"
    awk -v ns="$(awk '{print $3 / $2}' "$scratch/out")" '
        /^ *[0-9.]+%/ {
            share = $1 + 0; symbol = $3; object = $4
            if (object !~ /timeless/) what = symbol ~ /clock_gettime/ ? "reading clocks" : object ~ /kernel/ ? "kernel" : "MPI itself"
            else if (symbol ~ /^(tl_|put_|frame|history|code|encode|predict|store)/ || symbol ~ /varint|ZSTD|XXH|HUF|FSE/) what = "encoding the event"
            else if (symbol ~ /request|complete|handles|append|reserve/) what = "requests"
            else if (symbol ~ /site|comm_find/) what = "call sites, communicators"
            else if (symbol ~ /mark|zero/) what = "volume source"
            else what = "wrappers"
            sum[what] += share; all += share
        }
        END {for (what in sum) printf "%6.1f  %s\n", ns * sum[what] / all, what}' "$scratch/report" | sort -rn
done
