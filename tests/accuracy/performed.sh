#!/usr/bin/env bash
# Predictions of programs on 8 and 16 emulated hosts, beside performances of their traces there.
#
#   performed.sh [-s] [-e] [-p] [-x HPL] [-r RUNS] [-c SECONDS] [-w FOLDER] [-P 'PROGRAM ...'] [RATE:HOSTS/FACTOR ...]
#
#   -s           short: four hosts, two small programs, no bars; for CI.  Exit code 77 when the machine is too busy
#   -e           predict with the engine loggops, too: rows of a group of their own, against the same runs
#   -p           on a busy machine: let the runs go before other load
#   -x HPL       a program that build_hpl.sh made; without it, HPL is left out
#   -r RUNS      performances of each program, default 3
#   -c SECONDS   calibrate the network for so long; default 240
#   -w FOLDER    work there and keep everything; what is there already is not done again
#   -P PROGRAMS  only these
#
# RATE:HOSTS/FACTOR (default: 100mbit:8/200 100mbit:16/200) is as for cluster.sh: all but the cores takes FACTOR times as long.
# A host has one rank.  The hosts share the cores of this machine, so nothing is computed there: the programs are recorded
# folded, on shared memory, and `timeless perform` makes their calls and waits for the time of their computation, FACTOR
# times as long as well.  The network is calibrated between two hosts, and the prediction uses nothing else.  At FACTOR, the
# calibration would take hours to reach long messages.  It is made once for each RATE, 40 times slowed down (-s: 10), and all
# of its times are multiplied by FACTOR / 40.  So the cores of the prediction are too slow: their 20 us for a message are up
# to 1 % of its latency there.
#
# Predictions are written to predictions.tsv, and the SHA-256 of this file is printed, before the first performance.  Hockney, a
# naive prediction, is a replay in which a message of n bytes takes 50 us + n / RATE, times FACTOR.
#
# Connections are made before the first call (mpi_preconnect_mpi): a replay has none.
# Prints each row, and what judge.py finds.  Exit code 1 if the median error is above 4 %, the worst above 15 %, or the skill
# below 0.8; 4 if a program failed, 77 where no hosts can be emulated.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
: "${top_builddir:=$here/..}" "${MPICC:=mpicc}"
PATH=$(cd "$top_builddir" && pwd)/cli:$PATH
export TIMELESS_PLATFORMS=${TIMELESS_PLATFORMS:-$here/../platforms} TIMELESS_QUIET=1
. "$here/mpi_env.sh"
. "$here/cluster.sh"
. "$here/accuracy/rows.sh"
programs='jacobi2d wave3d unstructured pencil samplesort amr'
short=0 also='' priority='' hpl='' runs=3 calibrate_s=240 calibrated_at=40 work='' chosen=''
while getopts sepx:r:c:w:P: option; do
    case $option in
    s) short=1 runs=2 calibrate_s=12 calibrated_at=10 programs='jacobi2d unstructured' ;;
    e) also=loggops ;;
    p) priority=1 ;;
    x) hpl=$(realpath "$OPTARG") ;;
    r) runs=$OPTARG ;;
    c) calibrate_s=$OPTARG ;;
    w) mkdir -p "$OPTARG"; work=$(cd "$OPTARG" && pwd) ;;
    P) chosen=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# != 0 ] || if [ $short = 1 ]; then set -- 100mbit:4/10; else set -- 100mbit:8/200 100mbit:16/200; fi
[ ! "$hpl" ] || programs="hpl $programs"
programs=${chosen:-$programs}
keep=$work
[ "$work" ] || work=$(mktemp -d "${TMPDIR:-/tmp}/performed.XXXXXX")
trap 'cluster_down; [ "$keep" ] || rm -rf "$work"' EXIT

log() { printf '%s %s\n' "$(date +%T)" "$*" >&2; }
# command_of PROGRAM: what each rank runs
command_of() {
    case $1 in
    hpl) echo "$hpl" ;;
    jacobi2d) echo "$work/jacobi2d 400 60" ;;
    wave3d) echo "$work/wave3d 40 10 5" ;;
    unstructured) echo "$work/unstructured 1000 25" ;;
    pencil) echo "$work/pencil 32 4" ;;
    samplesort) echo "$work/samplesort 400000" ;;
    amr) echo "$work/amr 300 40" ;;
    *) echo "performed.sh: $1 is no program" >&2; exit 2 ;;
    esac
}
build() {
    local name source
    for name in $programs; do
        [ "$name" != hpl ] || continue
        source=$here/accuracy/unseen/$name.c
        [ "$name" != unstructured ] || source=$here/accuracy/unstructured.c
        $MPICC -O2 -o "$work/$name" "$source" -lm
    done
    cat >"$work/rank" <<END
#!/bin/sh
[ -z "$priority" ] || { echo -20 >/proc/self/autogroup; renice -n -15 -p \$\$; } >/dev/null
exec "\$@"
END
    chmod +x "$work/rank"
}
recorded() { # PROGRAM
    [ ! -e "$1.tl" ] || return 0
    log "record $1, $hosts ranks on shared memory"
    [ "$1" != hpl ] || "$here/hpcc_input.sh" 400 $((hosts / 4)) 4 40 >hpccinf.txt
    # shellcheck disable=SC2046
    timeless record -q --folded --kernels=none -n "$hosts" -o recorded.tl -- $(command_of "$1") >out </dev/null
    mv recorded.tl "$1.tl"
}
calibrated() { # RATE: $work/network-RATE
    local folder=$work/network-$1
    [ ! -e "$folder/done" ] || return 0
    log "calibrate the network, $1"
    mkdir -p "$folder/hosts"
    (
        cd "$folder"
        export CLUSTER_PIN=1 CLUSTER_SLOWDOWN=$calibrated_at CLUSTER_TIMEOUT=$((300 + calibrate_s))
        cluster_up "$PWD/hosts" 2 "$1" || { echo "no emulated hosts here" >&2; exit 77; }
        trap cluster_down EXIT
        cluster_run timeless calibrate network -o platform --max-seconds "$calibrate_s" -- mpirun -H node1,node2 -np 2 "$work/rank" \
            >calibrate.log 2>&1 || { cat calibrate.log >&2; exit 77; }
    ) || return
    touch "$folder/done"
}
# platform_made: the calibrated network, FACTOR / $calibrated_at times slower, for $hosts hosts
platform_made() {
    [ ! -e platform/done ] || return 0
    rm -rf platform
    cp -r "$work/network-$rate/platform" platform
    python3 - "$slowdown" "$calibrated_at" "$hosts" <<'END'
import re, sys
times, hosts = float(sys.argv[1]) / float(sys.argv[2]), int(sys.argv[3])
with open("platform/platform.xml") as file:
    xml = file.read()
xml = re.sub(r' (bw|limiter_link)="([^"B]*)Bps"', lambda m: f' {m[1]}="{float(m[2]) / times:.9g}Bps"', xml)
xml = re.sub(r' lat="([^"s]*)s"', lambda m: f' lat="{float(m[1]) * times:.9g}s"', xml)
xml = re.sub(r'radical="[^"]*"', f'radical="0-{hosts - 1}"', xml)
with open("platform/platform.xml", "w") as file:
    file.write(xml)
with open("platform/options.conf") as file:
    lines = file.read().splitlines()
for i, line in enumerate(lines):
    name, _, value = line.partition(":")
    if name in ("smpi/os", "smpi/or", "smpi/ois"):
        pieces = [piece.split(":") for piece in value.split(";")]
        lines[i] = name + ":" + ";".join(":".join([p[0]] + [f"{float(v) * times:.9g}" for v in p[1:]]) for p in pieces)
with open("platform/options.conf", "w") as file:
    file.write("\n".join(lines) + "\n")
END
    # The time of a burst is its time on a core of this machine, as it was recorded.
    printf 'version = 2;\nreference_flops = 1e9;\nunits = ({unit = "cpu-ns"; seconds_per_unit = %se-9;});\n' "$slowdown" \
        >platform/model.conf
    touch platform/done
}
replayed() { # PROGRAM OPTION...: prints the makespan
    timeless replay "$1.tl" --platform platform --ranks-per-host 1 --coll-selector ompi-4.1 -q --json=replay.json "${@:2}" >/dev/null
    python3 -c 'import json; print(json.load(open("replay.json"))["makespan_s"])'
}
foretold() {
    [ ! -e predictions.sha256 ] || return 0
    local mbit=${rate%mbit} program engine bytes_per_s predicted_s hockney_s
    [ "$rate" != 1gbit ] || mbit=1000
    bytes_per_s=$((mbit * 125000 / slowdown))
    for engine in smpi $also; do
        for program in $programs; do
            predicted_s=$(replayed "$program" --engine "$engine")
            hockney_s=$(replayed "$program" --engine loggops --params \
                "L=$((50 * slowdown))us,G=$((1000000000000 / bytes_per_s))ps,o=0s,or=0s,g=0s,O=0s")
            printf '%s\t%s\t%s\t%s\n' "$engine" "$program" "$predicted_s" "$hockney_s"
        done
    done >predictions.new
    mv predictions.new predictions.tsv
    sha256sum predictions.tsv >predictions.sha256
}
performed() { # PROGRAM RUN
    [ ! -e "$1.$2.seconds" ] || return 0
    log "$rate, $hosts hosts: perform $1, run $2"
    OMPI_MCA_mpi_preconnect_mpi=1 cluster_run timeless perform --model platform/model.conf "$1.tl" -- mpirun \
        -H "$(cluster_hosts 1)" -np "$hosts" "$work/rank" >out </dev/null || return
    sed -n 's/^performed .* in \([0-9.]*\) s;.*/\1/p' out >"$1.$2.new"
    [ -s "$1.$2.new" ] && mv "$1.$2.new" "$1.$2.seconds"
}
# rows PROGRAM: its rows for judge.py, and for people
rows() {
    sort -n "$1".*.seconds >measured
    awk -F'\t' -v program="$1" -v where="$where" -v hosts="$hosts" -v csv="$work/rows.csv" 'NR == FNR { measured[++n] = $1; next }
        $2 == program {
            median = n % 2 ? measured[(n + 1) / 2] : (measured[n / 2] + measured[n / 2 + 1]) / 2
            group = where ($1 == "smpi" ? "" : "-" $1)
            printf "%-20s %-13s %10.4f %10.4f %10.4f %10.4f %+7.1f\n", group, program, median, measured[1], measured[n], $3, 100 * ($3 / median - 1)
            printf "%s,%s,%d hosts,%s,%s,,%s\n", group, program, hosts, median, $3, $4 >>csv
        }' measured predictions.tsv
}
mkdir -p "$work/trial" && cluster_up "$work/trial" 2 "${1%:*}" && cluster_down && rm -rf "$work/trial" || exit 77
build
failed=
echo group,program,case,measured_s,predicted_s,naive_bytes_s,naive_hockney_s >"$work/rows.csv"
printf '%-20s %-13s %10s %10s %10s %10s %7s\n' hosts program 'median s' 'low s' 'high s' 'predicted' 'error %'
for where; do
    slowdown=${where#*/} rate=${where%:*} hosts=${where#*:}
    hosts=${hosts%/*}
    mkdir -p "$work/$rate-$hosts-$slowdown/hosts"
    cd "$work/$rate-$hosts-$slowdown"
    for program in $programs; do recorded "$program"; done
    calibrated "$rate" || exit 77
    platform_made
    foretold
    sed "s|^\([0-9a-f]*\) .*|# SHA-256 of the predictions for $where: \1|" predictions.sha256
    export CLUSTER_PIN=1 CLUSTER_TIMEOUT=600 CLUSTER_SLOWDOWN=$slowdown
    cluster_up "$PWD/hosts" "$hosts" "$rate" || { echo "no emulated hosts here" >&2; exit 77; }
    for program in $programs; do
        for run in $(seq "$runs"); do performed "$program" "$run" || { log "$program failed"; failed=1; }; done
        ! compgen -G "$program.*.seconds" >/dev/null || rows "$program"
    done
    sha256sum --quiet --check predictions.sha256
    cluster_down
    unset CLUSTER_PIN CLUSTER_SLOWDOWN
done
bars='--bar median=4,worst=15,skill=0.8'
[ $short = 0 ] || bars=
# shellcheck disable=SC2086
python3 "$here/accuracy/judge.py" $bars "$work/rows.csv" || exit
[ ! "$failed" ] || exit 4
