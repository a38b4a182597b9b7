#!/usr/bin/env bash
# timeless replay: laws that hold for every trace, tried on TRACES (6) random ones, with the seeds from FIRST (1) on.
#   - In a symmetric platform hosts are alike: other names, or the ranks on other hosts, change nothing.
#   - With bandwidths and speeds K times and latencies and overheads a K-th, everything takes a K-th of the time.
# K is a power of two, and SimGrid's precision, a time, is divided as well; so both hold to the last digits.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
: "${TRACES:=6}" "${FIRST:=1}"
cd "$scratch" || exit 99
K=4
tenth() { awk -v v="$1" -v k="$2" 'BEGIN { printf "%.17g", v / k }'; } # a K-th

# platform NAME PREFIX K
platform() {
    local k=$3
    mkdir -p "$1"
    cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="$2" suffix="" radical="0-7" speed="${k}Gf" bw="$((k * 125000000))Bps" lat="$(tenth 24e-6 $k)s"
  bb_bw="$((k * 500000000))Bps" bb_lat="$(tenth 1e-6 $k)s"/>
</zone></platform>
END
    cat >"$1/options.conf" <<END
smpi/os:0:$(tenth 4e-6 $k):$(tenth 2e-10 $k);1000:$(tenth 8e-6 $k):$(tenth 1e-10 $k)
smpi/or:0:$(tenth 3e-6 $k):$(tenth 2e-10 $k);1000:$(tenth 6e-6 $k):$(tenth 1e-10 $k)
smpi/ois:0:$(tenth 2e-6 $k):0
smpi/wtime:$(tenth 1e-8 $k)
smpi/iprobe:$(tenth 1e-7 $k)
smpi/test:$(tenth 1e-7 $k)
surf/precision:$(tenth 1e-9 $k)
END
    echo 'reference_flops = 1e9; units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >"$1/model.conf"
}
platform as_is node- 1
platform renamed zz 1
platform faster node- $K
printf 'node-%d\n' 5 2 7 0 3 1 6 4 >elsewhere
sed 's/1e-9/2.5e-10/' as_is/model.conf >faster.conf # a host of K times the speed, as there are no hosts
loggops() { # K
    "$timeless" replay t.tl -q --engine loggops --params "L=$(tenth 4096 $1)ns,o=$(tenth 1024 $1)ns,g=$(tenth 2048 \
        $1)ns,G=$(tenth 2.5 $1)ns,O=$(tenth 1 $1)ns,S=65536" --model "$2"
}
# equal A B RELATIVE
equal() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = (a - b) / a; print a, b, d; exit !(a > 0 && d <= most && d >= -most) }'; }

for ((seed = FIRST; seed < FIRST + TRACES; seed++)); do
    python3 "$top_srcdir/tests/cli/laws_trace.py" $seed >t.txt && "$timeless" undump t.txt -o t.tl || exit 99
    here=$("$timeless" replay t.tl -q -p ./as_is --ranks-per-host 1)
    check "trace $seed: other names of hosts change nothing" equal "$here" "$("$timeless" replay t.tl -q -p ./renamed --ranks-per-host 1)" 0
    check "trace $seed: nor do other hosts" equal "$here" "$("$timeless" replay t.tl -q -p ./as_is --hostfile elsewhere)" 0
    there=$("$timeless" replay t.tl -q -p ./faster --ranks-per-host 1)
    check "trace $seed: all $K times as fast takes 1/$K of the time" equal "$here" \
        "$(awk -v v="$there" 'BEGIN { printf "%.17g", '$K' * v }')" 1e-12
    # In whole picoseconds, each of which may be rounded.
    there=$(loggops $K faster.conf)
    check "trace $seed: and with loggops" equal "$(loggops 1 as_is/model.conf)" \
        "$(awk -v v="$there" 'BEGIN { printf "%.17g", '$K' * v }')" 1e-6
done
tap_done
