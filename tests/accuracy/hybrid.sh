#!/usr/bin/env bash
# hybrid.sh - programs with threads: recorded with 1 thread, predicted with 2, measured with 2.
#
#     tests/accuracy/hybrid.sh [-P] [-r RUNS] TABLE.csv      (from the build folder, after make)
#
# First the cores and the kernels are calibrated, with one and with two threads. Then each program is recorded, predicted,
# and measured with one thread and with two, and this is repeated, because a machine may not keep its speed for long.
# TABLE.rounds.csv has each repetition with the distance of the cores (core_distance.c). Rows that the table has are not made
# again. The calibrated models are kept beside the table (TABLE.conf, TABLE-1.conf, TABLE-2.conf). Of the recordings and of
# the runs the fastest counts. Rows "predicted-bound" of the stencil name what limits it: the smallest cache of the model with
# room for its two arrays, or memory. stencil_normal is the stencil without subnormal numbers. The BLAS is predicted by its
# calls and the kernels with two threads. -P: before other load, as root: recordings by nice, measurements by the real-time
# class (rows "measured-nice" of an older table: by nice). The machine needs two cores.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
runs=7 priority=
if [ "$(id -u)" = 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
while getopts Pr: option; do
    case $option in
    P) priority=yes ;;
    r) runs=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
table=$(realpath -m "${1:?name the table}")
timeless=$(realpath "$top_builddir")/cli/timeless
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -e "$table" ] || echo 'program,size,steps,ranks,what,threads,seconds,runs,load' >"$table"
rounds=${table%.csv}.rounds.csv
[ -e "$rounds" ] || echo 'program,size,steps,ranks,round,replayed_s,predicted_s,threads,measured_s,distance_ns,load' >"$rounds"
cd "$work" || exit 1
compile() { "${MPICC:-mpicc}" -O2 -fopenmp -o "$1" "$top_srcdir/tests/accuracy/$2.c" "${@:3}" || exit 1; }
compile hybrid_stencil hybrid_stencil
compile stencil_normal hybrid_stencil -DSTART=1.0
compile blas_threads blas_threads -l:libopenblas.so.0
"${CC:-cc}" -O2 -D_GNU_SOURCE -o core_distance "$top_srcdir/tests/accuracy/core_distance.c" -lpthread || exit 1
mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full"><host id="here" speed="1Gf" core="2"/></zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >p/model.conf
# First step: what two busy cores get, and the start and end of regions.
model=${table%.csv}.conf
if [ -e "$model" ]; then cp "$model" p/model.conf
else
    "$timeless" calibrate memory -o p --archive none --allow-busy --max-seconds 30 || exit 1
    cp p/model.conf "$model"
fi
for threads in 1 2; do
    kernels=${table%.csv}-$threads.conf
    [ -e "$kernels" ] || "$timeless" calibrate kernels --cores $threads --threads $threads --nb any --max-seconds 30 \
        --archive none -o "$kernels" || exit 1
    cp "$kernels" "$threads.conf"
done
# bound_of BYTES: the smallest cache of the model with room for them
bound_of() {
    tr ';{' '\n\n' <p/model.conf | awk -F'[ ="]+' -v bytes="$1" '
        $2 == "cache" { cache = $3 } $2 == "bytes" && cache { if ($3 >= bytes && (!least || $3 < least)) { least = $3; name = cache }; cache = "" }
        END { print name ? name : "memory" }'
}
export OMP_PROC_BIND=true OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1

first() { # COMMAND... before other load, where asked for
    if [ "$priority" ]; then setsid -w bash -c 'echo -20 >/proc/self/autogroup 2>/dev/null; exec nice -n -20 "$@"' first "$@"
    else "$@"; fi
}
with() { # THREADS COMMAND...
    OMP_NUM_THREADS=$1 OPENBLAS_NUM_THREADS=$1 first "${@:2}"
}
# A run for the clock. Threads of two ranks on the same cores must not spin, nor may they keep others from them.
clocked() { # THREADS RANKS COMMAND...
    local threads=$1 ranks=$2 before=(); shift 2
    if [ "$ranks" -gt 1 ]; then
        OMP_PROC_BIND=false OMP_WAIT_POLICY=passive with "$threads" mpirun -np "$ranks" "$@"
    else
        [ -z "$priority" ] || before=(chrt -f 10)
        OMP_NUM_THREADS=$threads OPENBLAS_NUM_THREADS=$threads mpirun -np 1 "${before[@]}" "$@"
    fi
}
load() { cut -d ' ' -f 1 /proc/loadavg; }
least() { sort -g | head -n 1; }
has() { grep -q "^$row,$1," "$table"; }
add() { echo "$row,$1,$2,$3,$runs,$(load)" >>"$table"; }

# A recording, its predictions, a run with 1 thread and one with 2, so often.
both() { # PROGRAM SIZE STEPS RANKS
    local row=$1,$2,$3,$4 one=() two=(--rank-threads 2) bound=() without=(--kernels none) name threads i
    has measured && return
    rm -f serial.txt two.txt bound.txt measured-?.txt
    if [ "$1" = blas_threads ]; then without=() one=(--model 1.conf) two=(--model 2.conf)
    else
        name=$(bound_of $((16 * $2 * $2)))
        ! grep -q "; $name = " p/model.conf || bound=("${two[@]}" --set "region.bound=$name")
    fi
    for ((i = 0; i < runs; i++)); do
        rm -f t.tl
        with 1 "$timeless" record -q --volume cputime "${without[@]}" -o t.tl -- mpirun -np "$4" "./$1" "$2" "$3" >/dev/null || exit 1
        "$timeless" replay t.tl -p p -q "${one[@]}" >>serial.txt && "$timeless" replay t.tl -p p -q "${two[@]}" >>two.txt || exit 1
        [ -z "${bound[*]}" ] || "$timeless" replay t.tl -p p -q "${bound[@]}" >>bound.txt || exit 1
        for threads in 1 2; do
            distance=$(./core_distance)
            clocked $threads "$4" "./$1" "$2" "$3" | sed -n 's/^seconds \([0-9.]*\).*/\1/p' >>measured-$threads.txt
            echo "$row,$i,$(tail -n 1 serial.txt),$(tail -n 1 two.txt),$threads,$(tail -n 1 \
                measured-$threads.txt),$distance,$(load)" >>"$rounds"
        done
    done
    add replayed 1 "$(least <serial.txt)"
    add predicted 2 "$(least <two.txt)"
    [ ! -e bound.txt ] || add predicted-bound 2 "$(least <bound.txt)"
    add measured 1 "$(least <measured-1.txt)"
    add measured 2 "$(least <measured-2.txt)"
}
both hybrid_stencil 512 1500 1
both hybrid_stencil 1500 150 1
both hybrid_stencil 512 1500 2 # four threads on two cores
both stencil_normal 512 1500 1 # the first one without subnormal numbers
both blas_threads 1000 20 1
both blas_threads 400 200 1
awk -F, 'NR > 1 { key = $1 "," $2 "," $3 "," $4; keys[key]; value[key, $5, $6] = $7; load[key, $5] = $9 }
    END {
        printf "%-15s %6s %6s %5s %11s %11s %12s %11s %8s %8s %6s\n", "program", "size", "steps", "ranks", "1: replayed", "1: measured", "2: predicted", "2: measured", "error %", "bound %", "load"
        for (key in keys) {
            split(key, k, ",")
            p = value[key, "predicted", 2]; b = value[key, "predicted-bound", 2]; m = value[key, "measured", 2]
            printf "%-15s %6d %6d %5d %11.4f %11.4f %12.4f %11.4f %+8.1f %8s %6s\n", k[1], k[2], k[3], k[4], value[key, "replayed", 1], value[key, "measured", 1], p, m, m ? 100 * (p / m - 1) : 0, b && m ? sprintf("%+.1f", 100 * (b / m - 1)) : "", load[key, "measured"]
        }
    }' "$table"
