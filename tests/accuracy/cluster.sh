#!/usr/bin/env bash
# Blind validation on an emulated cluster: programs are captured elsewhere, predicted on a platform that
# was calibrated without them, and then run there.
#
#   cluster.sh [-s] [-n SEEDS] [-x HPL] [-r RUNS] [-w FOLDER] [-c SECONDS] [-d FACTOR] [-o OPTION] [-e] [-p] [-k] [-m]
#              [RATE:HOSTS[xRANKS][/FACTOR] ...]
#
#   -s           short: two hosts at 100 Mb/s, small problems, less than a minute, no bars; for CI.  With a FACTOR, programs
#                make as many times fewer calls, so that they take about as long as without.  Gives up with exit
#                code 77 when most rows of the first program spread more than 10 %: the machine is too busy
#   -n SEEDS     the noise of messages instead: the sweeps alone, and of those on four hosts allreduce up to 64 KiB, which
#                are also predicted with --noise network and so many seeds; default hosts 100mbit:2 and 100mbit:4.  The
#                rows that count are named in noise_rows.tsv; noise_judge.py reports them and its three bars decide
#                about the exit code.  drawn.tsv, with the times of all seeds, has its hash before the first run, too
#   -o OPTION    an option of the replay more, such as --scale=network=0.8, to see that a wrong model is found
#   -x HPL       a program that build_hpl.sh made; default: Debian's hpcc, whose last section is HPL, and whose other
#                sections take minutes on a network that is slowed down
#   -r RUNS      measured runs of each program, default 5
#   -w FOLDER    work there and keep everything; what is there already is not done again.  Predictions are not added to a
#                configuration in which a program has run
#   -c SECONDS   calibrate the network for so long; default 45
#   -d FACTOR    all but the cores so many times slower; default 10 at 1 Gb/s, 5 at 100 Mb/s with four hosts,
#                where 10 would take too long, 1 with two; 5 at 100 Mb/s with several ranks on a host
#   -e           predict with the engine loggops, too: rows of a group of their own, against the same runs
#   -p           on a busy machine: let the runs go before other load
#   -k           links of the kernel with a rate limit and finite buffers (tests/cluster.sh) instead of those of tests/wire.c: a
#                second network, for which nothing was adjusted.  Only for as many hosts as cores
#   -m           stock settings of Open MPI, in calibration and runs, instead of those of tests/cluster.sh
#
# RATE:HOSTS is 1gbit:2, 100mbit:2, 1gbit:4, 100mbit:4 (default: all of these); /FACTOR is as -d.  1gbit:2x2/10 is two hosts
# with two ranks each, which share memory and the link of their host: the network is then calibrated with --per-host 2.
# For each: the network is
# calibrated between two hosts; HPL (three sizes, two broadcasts), a stencil and sweeps of bcast, allreduce
# and alltoall are recorded on shared memory, replayed on the calibrated platform with Open MPI's
# collective algorithms, and measured on the hosts without the tracer.  Each host has one core, which has its end of the wire
# as well.  Hosts that share cores cannot compute, send and receive at once, and at 1 Gb/s a core has not enough time for a
# host and its wire: there the network, in calibration and runs alike, takes FACTOR times as long, as if the cores were FACTOR
# times faster, and dgemm, dtrsm and the step of the stencil are not computed but waited for, by a line that the model has too
# (tests/accuracy/offload.c); the rest of HPL is computed.
#
# All predictions for a configuration of hosts are written to predictions.tsv, and the SHA-256 of this file is printed,
# before the first program runs there; each row of the table is checked against it.  The file also has two naive
# predictions of each row (tests/accuracy/rows.sh).  They know the data sheet of the wire (1 Gb/s or 100 Mb/s, 50 us;
# times FACTOR) and the computation of the prediction, and nothing of the calibrated network:
#   bytes over bandwidth        the bytes of the busiest host / the rate, + the computation in a network without costs
#   Hockney, critical path      a replay in which a message of n bytes takes 50 us + n / the rate
# FOLDER/rows.csv has measured times and all predictions.
#
# Prints every row as soon as it is known and, last, what tests/accuracy/judge.py finds; exit code 1 if the median error is
# above 5 %, the worst above 15 %, or the skill over one of the naive predictions below 0.8, 4 if a program failed, the
# others being measured nevertheless, 77 where no hosts can be emulated.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}" "${MPICC:=mpicc}" "${HPCC:=hpcc}"
top_builddir=$(cd "$top_builddir" && pwd)
PATH=$top_builddir/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms} TIMELESS_QUIET=1
. "$here/mpi_env.sh"
. "$here/cluster.sh"
. "$here/accuracy/rows.sh"
short='' seeds='' hpl='' runs=5 work='' calibrate_s=45 priority='' factor='' replay_option='' bars='' variant='' also=''
while getopts sn:x:r:w:c:d:o:epkm option; do
    case $option in
    x) hpl=$(realpath "$OPTARG") ;;
    s) short=1 runs=3 calibrate_s=8 ;;
    n) seeds=$OPTARG ;;
    r) runs=$OPTARG ;;
    w) mkdir -p "$OPTARG"; work=$(cd "$OPTARG" && pwd) ;;
    c) calibrate_s=$OPTARG ;;
    d) factor=$OPTARG ;;
    o) replay_option=$OPTARG ;;
    e) also=loggops ;;
    p) priority=1 ;;
    k) export CLUSTER_WIRE=kernel; variant=$variant+kernel ;;
    m) export CLUSTER_STOCK=1; variant=$variant+stock ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
keep=$work
[ "$work" ] || work=$(mktemp -d "${TMPDIR:-/tmp}/cluster.XXXXXX")
trap 'cluster_down; [ "$keep" ] || rm -rf "$work"' EXIT
[ $# -gt 0 ] || if [ "$short" ]; then set -- 100mbit:2; elif [ "$seeds" ]; then set -- 100mbit:2 100mbit:4; else
    set -- 1gbit:2 100mbit:2 1gbit:4 100mbit:4; fi
hpl_sizes='1000 1500 2000' programs='bcast allreduce alltoall stencil hpl' largest=4194304
[ ! "$short" ] || { programs='bcast allreduce alltoall stencil' largest=65536; }

log() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
build() {
    $MPICC -O2 -o "$work/sweep" "$here/accuracy/sweep.c"
    $MPICC -O2 -I"$here/../tracer" -o "$work/stencil" "$here/bench/stencil.c"
    $MPICC -O2 -shared -fPIC -o "$work/offload.so" "$here/accuracy/offload.c"
    # What ranks are started by.
    cat >"$work/rank" <<END
#!/bin/sh
[ -z "$priority" ] || { echo -20 >/proc/self/autogroup; renice -n -15 -p \$\$; } >/dev/null
# What is waited for stands behind the tracer, which records the call.
[ -n "\$TIMELESS_OFFLOAD" ] || exec "\$@"
export LD_PRELOAD="\$LD_PRELOAD:$work/offload.so" OFFLOAD_GEMM_S=\${TIMELESS_OFFLOAD}e-10 OFFLOAD_TRSM_S=\${TIMELESS_OFFLOAD}e-10
# HPL's residuals are wrong then; who ends early lacks rows.
"\$@" || true
END
    chmod +x "$work/rank"
}
# command_of PROGRAM HOSTS: what each rank runs
command_of() {
    case $1 in
    hpl) echo "${hpl:-$HPCC}" ;;
    stencil) echo "$work/stencil 512 $([ "$slowdown" = 1 ] && echo 2000 || echo "$((500 / fewer)) $((500 * slowdown))")" ;;
    *) echo "$work/sweep $1 $largest $fewer" ;;
    esac
}
# An input of hpcc that runs HPL with all sizes and, REPEATS times, with both broadcasts.
hpl_input() { # HOSTS REPEATS
    local p=1 q=$1 i bcasts=
    [ "$1" = 2 ] || p=2 q=2
    for i in $(seq "$2"); do bcasts="$bcasts 1 3"; done
    # A small problem comes first: connections are made in it.
    "$here/hpcc_input.sh" "200 $hpl_sizes" $p $q 128 "${bcasts# }" |
        sed -e "/problems sizes (N)/s/^1/$(($(wc -w <<<"$hpl_sizes") + 1))/" -e "/# of broadcast/s/^1/$((2 * $2))/"
}
# times PROGRAM FOLDER < its output: "label seconds" in the order of the rows
times() {
    case $1 in
    hpl) awk '/^WR1[13]C/ { print "N=" $2 (/^WR11/ ? ",1rM" : ",2rM"), $2 / 1e9 * $2 * (2 / 3 * $2 + 1.5) / $7 }' "$2/hpccoutf.txt" ;;
    stencil) awk 'NF == 1 { print "512x512", $1 }' ;;
    *) awk 'NF == 3 { print $1 "B", $3 }' ;;
    esac
}
# captured PROGRAM HOSTS: recorded on shared memory, in traces-HOSTS-SLOWDOWN
captured() {
    local folder=$work/traces-$2-$slowdown/$1 how='mpirun -np'
    [ ! -e "$folder.tl" ] || return 0
    log "record $1, $2 ranks on shared memory"
    mkdir -p "$folder"
    (
        cd "$folder" && rm -f hpccoutf.txt
        [ "$1" != hpl ] || hpl_input "$2" 1 >hpccinf.txt
        [ "$slowdown" = 1 ] || export TIMELESS_OFFLOAD=$slowdown
        # shellcheck disable=SC2046,SC2086
        timeless record -q -o all.tl -- $how "$2" "$work/rank" $(command_of "$1" "$2") >out </dev/null
        if [ "$1" = hpl ] && [ ! "$hpl" ]; then timeless cut all.tl --section last -o "$folder.tl.new"; else cp all.tl "$folder.tl.new"; fi
        times "$1" . <out >labels
        [ -s labels ]
    )
    mv "$folder.tl.new" "$folder.tl"
}
# replayed PROGRAM NAME OPTION...: NAME.json and NAME.csv
replayed() {
    timeless replay "$work/traces-$ranks-$slowdown/$1.tl" --platform platform --ranks-per-host "$per" --coll-selector ompi-4.1 \
        $replay_option -q \
        "${@:3}" --json="$2.json" >/dev/null
    timeless compare --all --csv "$2.csv" "$2.json" >/dev/null
}
# predicted PROGRAM: prediction.json, and the names of its rows in the order of the labels
predicted() {
    [ ! -e "$1.rows" ] || return 0
    replayed "$1" "$1"
    [ ! "$also" ] || replayed "$1" "$1.$also" --engine "$also"
    row_names "$1.csv" "$(wc -l <"$work/traces-$ranks-$slowdown/$1/labels")" >"$1.rows.new"
    mv "$1.rows.new" "$1.rows"
}
# foretold PROGRAM: its rows of predictions.tsv
foretold() {
    local label=$work/traces-$ranks-$slowdown/$1/labels name
    predicted "$1"
    [ "$(wc -l <"$label")" = "$(wc -l <"$1.rows")" ] || { echo "$1: labels and rows do not match" >&2; exit 3; }
    paste -d'\t' <(cut -d' ' -f1 "$label") "$1.rows" >"$1.names"
    naive_rows "$work/traces-$ranks-$slowdown/$1.tl" "$1.rows" platform "$rate" "$slowdown" "$per" >"$1.naive"
    for name in "$1" ${also:+"$1.$also"}; do
        awk -F'\t' 'NR == FNR { label[$2] = $1; next }
            { match($0, /^"[^"]*"/); name = substr($0, 2, RLENGTH - 2); split(substr($0, RLENGTH + 2), f, ",")
              if (name in label) print label[name] "\t" f[5] }' "$1.names" "$name.csv" |
            paste - "$1.naive" | sed "/^N=200,/d; s/^/$1\t/" >"$name.foretold"
    done
}
# drawn PROGRAM: its rows of drawn.tsv: program, case, seed, seconds
drawn() {
    local seed
    [ ! -e "$1.drawn" ] || return 0
    for seed in $(seq "$seeds"); do
        timeless replay "$work/traces-$ranks-$slowdown/$1.tl" --platform platform --ranks-per-host "$per" \
            --coll-selector ompi-4.1 $replay_option -q \
            --noise network --seed "$seed" --json=drawn.json >/dev/null
        timeless compare --all --csv drawn.csv drawn.json >/dev/null
        awk -F'\t' -v program="$1" -v seed="$seed" 'NR == FNR { label[$2] = $1; next }
            { match($0, /^"[^"]*"/); name = substr($0, 2, RLENGTH - 2); split(substr($0, RLENGTH + 2), f, ",")
              if (name in label) print program "\t" label[name] "\t" seed "\t" f[5] }' "$1.names" drawn.csv
    done >"$1.drawn.new"
    mv "$1.drawn.new" "$1.drawn"
}
# measured PROGRAM RUN: a run on the hosts; HPL repeats inside of a run
measured() {
    [ ! -e "$1.$2.times" ] || return 0
    log "$rate, $hosts hosts: $1, run $2"
    [ "$1" != hpl ] || hpl_input "$ranks" "$runs" >hpccinf.txt
    rm -f hpccoutf.txt
    [ "$slowdown" = 1 ] || export TIMELESS_OFFLOAD=$slowdown
    # shellcheck disable=SC2046
    cluster_run mpirun ${TIMELESS_OFFLOAD:+-x TIMELESS_OFFLOAD} -H "$(cluster_hosts "$per")" -np "$ranks" "$work/rank" \
        $(command_of "$1" "$ranks") \
        >out </dev/null
    unset TIMELESS_OFFLOAD
    times "$1" . <out >"$1.$2.new"
    [ "$(wc -l <"$1.$2.new")" = $(($(wc -l <"$work/traces-$ranks-$slowdown/$1/labels") * $([ "$1" = hpl ] && echo "$runs" || echo 1))) ] &&
        mv "$1.$2.new" "$1.$2.times"
}
# rows PROGRAM: label, measured median, low, high, runs, predicted, error in percent
rows() {
    awk -F'\t' 'NR == FNR { row[$1] = $2; next } { split($0, f, " "); print row[f[1]] "," f[2] }' "$1.names" "$1".*.times |
        grep -v '^,' >"$1.measured.csv"
    timeless compare "$1.json" --measured "$1.measured.csv" --csv "$1.compared.csv" >/dev/null
    awk -F'\t' -v program="$1" -v where="$where" 'NR == FNR { label[$2] = $1; next }
        { match($0, /^"[^"]*"/); name = substr($0, 2, RLENGTH - 2); split(substr($0, RLENGTH + 2), f, ",")
          if (name in label && !(label[name] ~ /^N=200,/))
              printf "%-10s %-10s %-11s %11.6f %11.6f %11.6f %4d %11.6f %+7.1f\n", where, program, label[name], f[1], f[2], f[3], f[4], f[5], 100 * f[9] }
        ' "$1.names" "$1.compared.csv"
}
calibrated() {
    [ ! -e platform/done ] || return 0
    local seconds=$((calibrate_s * (slowdown > 1 ? 2 : 1)))
    log "$rate, $hosts hosts: calibrate the network"
    # Between two hosts, which have a core each: others would wait for theirs.  On a busy machine the time may not do.
    local code
    until code=0; CLUSTER_TIMEOUT=$((CLUSTER_TIMEOUT + seconds)) cluster_run timeless calibrate network -o platform \
        --nodes "$hosts" --per-host "$per" --max-seconds "$seconds" -- \
        mpirun -H "node1:$per,node2:$per" -np $((2 * per)) "$work/rank" >calibrate.log 2>&1 || code=$?; [ $code = 0 ]; do
        if ! grep -q 'too few' calibrate.log || [ "$seconds" -ge $((8 * calibrate_s)) ]; then
            cat calibrate.log >&2
            # 124: it was ended after its time.
            [ "$short" ] && { [ $code = 124 ] || grep -q 'too few' calibrate.log; } || exit 4
            echo "unsteady: the network cannot be calibrated in ${seconds} s" >&2
            exit 77
        fi
        seconds=$((2 * seconds))
    done
    [ -e "$work/kernels.csv" ] || {
        timeless calibrate kernels --max-seconds $((calibrate_s / 5 + 1)) --archive none --raw "$work/kernels.new" -o "$work/model.conf"
        mv "$work/kernels.new" "$work/kernels.csv"
    }
    timeless calibrate kernels --reuse "$work/kernels.csv" --archive none -o platform/model.conf
    # What is waited for takes what is stated.
    [ "$slowdown" = 1 ] || python3 - platform/model.conf "$slowdown" <<'END'
import re, sys
path, slowdown = sys.argv[1], int(sys.argv[2])
stated = {"dgemm": (0, slowdown * 1e-10), "dtrsm": (0, slowdown * 1e-10), "user:step": (slowdown * 500e-6, 0)}
head, kernels, rest = re.split(r"(?s)(?<=kernels = \(\n)(.*?)(?=\n\);\n)", open(path).read(), maxsplit=1)
kept = [k for k in re.split(r",\n(?=  \{ kernel = )", kernels) if re.search('"(.*?)"', k)[1] not in stated]
new = ['  { kernel = "%s"; intercept_s = %.6e; per_work_s = %.6e; }' % (k, *v) for k, v in stated.items()]
open(path, "w").write(head + ",\n".join(new + kept) + rest)
END
    touch platform/done
}
# foretold_all: predictions.tsv with the rows of all programs, and its hash.  A program that cannot be predicted has none.
foretold_all() {
    [ ! -e predictions.sha256 ] || return 0
    ! ls ./*.times >/dev/null 2>&1 || { echo "$PWD: programs ran before the predictions were written; use another folder" >&2; exit 3; }
    local engine
    for engine in '' $also; do
        printf 'program\tcase\tpredicted_s\tnaive_bytes_s\tnaive_hockney_s\n' >"predictions${engine:+.$engine}.tsv"
    done
    for program in $programs; do
        guarded foretold "$program"
        [ $code != 0 ] || for engine in '' $also; do
            cat "$program${engine:+.$engine}.foretold" >>"predictions${engine:+.$engine}.tsv"
        done
    done
    if [ "$seeds" ]; then
        for program in $programs; do guarded drawn "$program"; done
        cat ./*.drawn >drawn.tsv
        sha256sum predictions.tsv drawn.tsv >predictions.new
    else
        sha256sum predictions*.tsv >predictions.new
    fi
    mv predictions.new predictions.sha256
}
of_program() { awk -F'\t' -v program="$1" '$1 == program' "predictions${2:+.$2}.tsv"; }
# one PROGRAM: its rows, from the first run to the table
one() {
    local run
    [ "$(of_program "$1")" ] || { echo "$1 is not in $PWD/predictions.tsv" >&2; exit 3; }
    for ((run = 1; run <= ($([ "$1" = hpl ] && echo 1 || echo "$runs")); run++)); do measured "$1" "$run"; done
    rows "$1" >"$1.table"
    [ "$(wc -l <"$1.table")" = "$(grep -vc '^N=200,' "$work/traces-$ranks-$slowdown/$1/labels")" ]
    sha256sum --quiet --check predictions.sha256
    diff <(of_program "$1" | awk -F'\t' '{ printf "%s %.6f\n", $2, $3 }') <(awk '{ print $3, $8 }' "$1.table") >&2 ||
        { echo "$1: table and predictions.tsv differ" >&2; exit 3; }
}
# judged PROGRAM [ENGINE]: its rows of rows.csv
judged() {
    of_program "$1" "${2-}" | awk -F'\t' -v where="$where${2:+-$2}" 'NR == FNR { split($0, f, " "); measured[f[3]] = f[4]; next }
        { printf "%s,%s,\"%s\",%s,%s,%s,%s\n", where, $1, $2, measured[$2], $3, $4, $5 }' "$1.table" -
}
# guarded COMMAND...: in a subshell, in which a failing command is the last one; its exit code is $code
guarded() {
    # Not in a condition, where a failing command would not end it.
    set +e
    (set -e; trap - EXIT; "$@")
    code=$?
    set -e
}
# Before anything is recorded: are there hosts?
mkdir "$work/trial" && cluster_up "$work/trial" 2 "${1%:*}" && cluster_down && rm -rf "$work/trial" || exit 77
# unsteady TABLE: most rows spread more than 10 %
unsteady() { awk '$6 > 1.1 * $5 { n++ } END { exit !(n > NR / 2) }' "$1"; }
build
failed=''
: >"$work/table"
echo group,program,case,measured_s,predicted_s,naive_bytes_s,naive_hockney_s >"$work/rows.csv"
printf '%-10s %-10s %-11s %11s %11s %11s %4s %11s %7s\n' hosts program row 'median s' 'low s' 'high s' runs 'predicted s' 'error %'
for where; do
    stated=${where#*/} where=${where%/*} per=1 slowdown=1
    rate=${where%:*} hosts=${where#*:}
    case $hosts in *x*) per=${hosts#*x} hosts=${hosts%x*} ;; esac
    ranks=$((hosts * per))
    [ "$ranks" -le "$(nproc)" ] || slowdown=5
    [ "$rate" != 1gbit ] || slowdown=10
    [ "${CLUSTER_WIRE-}" != kernel ] || slowdown=1
    slowdown=${factor:-$slowdown}
    [ "$stated" = "$where" ] || slowdown=$stated
    fewer=$([ "$short" ] && echo "$slowdown" || echo 1)
    if [ "$seeds" ] && [ "$hosts" = 2 ]; then programs='bcast allreduce alltoall' largest=$([ "$short" ] && echo 65536 || echo 4194304)
    elif [ "$seeds" ]; then programs=allreduce largest=65536
    fi
    [ "$slowdown" = 1 ] || where=$where/$slowdown
    where=$where$variant
    folder=$work/$rate-$hosts$([ "$per" = 1 ] || echo "x$per")-$slowdown$variant
    mkdir -p "$folder/hosts"
    cd "$folder"
    for program in $programs; do captured "$program" "$ranks"; done
    export CLUSTER_PIN=1 CLUSTER_TIMEOUT=$((300 * slowdown)) CLUSTER_SLOWDOWN=$slowdown OMPI_MCA_mpi_yield_when_idle=$((ranks > $(nproc)))
    cluster_up "$PWD/hosts" "$hosts" "$rate" || { echo "no emulated hosts here" >&2; exit 77; }
    calibrated
    foretold_all
    sed -n "s|^\([0-9a-f]*\) .*|# SHA-256 of the predictions for $where: \1|p" predictions.sha256
    for program in $programs; do
        guarded one "$program"
        if [ $code = 0 ]; then
            tee -a "$work/table" <"$program.table"
            for engine in '' $also; do judged "$program" $engine >>"$work/rows.csv"; done
            if [ "$short" ] && [ ! "$seeds" ] && unsteady "$program.table"; then
                echo "unsteady: most measured runs of $program spread more than 10 %" >&2
                exit 77
            fi
        elif [ "$short" ] && [ $code = 124 ]; then
            echo "unsteady: $program did not end in $CLUSTER_TIMEOUT s" >&2
            exit 77
        else log "$where: $program failed"; failed=1
        fi
    done
    cluster_down
    unset CLUSTER_PIN
    export OMPI_MCA_mpi_yield_when_idle=1 # ranks are recorded folded
done
[ -s "$work/table" ] || exit 4
echo
if [ "$seeds" ]; then
    folders=()
    for where; do for folder in "$work/${where/:/-}"-*; do folders+=("$where=$folder"); done; done
    python3 "$here/accuracy/noise_judge.py" $([ "$short" ] && echo --short) "$here/accuracy/noise_rows.tsv" "${folders[@]}" || exit
    [ ! "$failed" ] || exit 4
    exit 0
fi
[ "$short" ] || bars='--bar median=5,worst=15,skill=0.8'
# shellcheck disable=SC2086
python3 "$here/accuracy/judge.py" $bars "$work/rows.csv" || exit
[ ! "$failed" ] || exit 4
