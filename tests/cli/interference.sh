#!/usr/bin/env bash
# Computation that depends on what other cores of the host compute: closed formulas with models that are written here.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# machine NAME HOSTS CORES: hosts without costs of messages
machine() {
    mkdir -p "$1"
    cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-$(($2 - 1))" speed="1Gf" core="$3" bw="1GBps" lat="1ns" sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
END
    cp two.conf "$1/model.conf"
}
head='version = 2; reference_flops = 1.0e9; units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );'
# class WHICH ROWS PRESSURE; row CORES ARITHMETIC CACHE STREAM CHASE
row() { echo "{ cores = $1; arithmetic = $2; cache = $3; stream = $4; chase = $5; }"; }
class() { echo "{ $1 beside = ( $2 ); acts_as = { $3 }; }"; }
from() { echo "from = \"$1\"; to = \"$2\";"; }
A=$(class "$(from '?' app+0x10)" "$(row 1 1.0 1.2 2.0 1.0)" 'stream = 1.0;')
B=$(class "$(from '?' app+0x20)" "$(row 1 1.0 1.2 1.4 1.0)" 'stream = 0.5;')
model() { printf '%s\n' "$head" "interference = { classes = ( $1 ); };"; }
model "$A, $B" >two.conf
echo "$head" >none.conf
machine two 1 2; machine one 1 1; machine apart 2 1; machine four 1 4

# trace FILE 'SITE SECONDS [SITE SECONDS...]'...: a rank for each word; SITE is the number behind "app+"
trace() {
    local file=$1 r=0 bursts b n
    shift
    {
        printf '%s\n' 'timeless-text 1' "ranks $#" 'volume_unit "cpu-ns"'
        for bursts; do
            printf 'rank %d host="h"\n' $r
            # shellcheck disable=SC2086
            set -- $bursts
            n=0
            while [ $# -gt 0 ]; do
                printf 'site %d object="app" offset=%d\n' $((n + 1)) "$1"
                printf '%d %d MPI_Wtime clock_ns=0 volume=%.0f site=%d\n' $r $n "${2}e9" $((n + 1))
                n=$((n + 1)); shift 2
            done
            echo 'end cut clock_ns=0'
            r=$((r + 1))
        done
    } >"$file.txt"
    "$timeless" undump "$file.txt" -o "$file"
}
takes() { near "$(makespan "$2" "${@:3}")" "$1" 1e-7; }
trace ab.tl '16 3' '32 1'
# B ends at 1.4; until then A does 1.4 of its 3 s at 1.5 times its time: 1.4 + 3 - 1.4 / 1.5
check 'a burst goes on as if alone when the other one ends' takes 3.4666666667 ab.tl -p ./two
check 'without the group each is alone' takes 3 ab.tl -p ./two --model none.conf
check 'ranks of one core take turns and do not slow each other' takes 4 ab.tl -p ./one
check 'ranks of different hosts do not slow each other' takes 3 ab.tl -p ./apart
trace other.tl '32 1' '64 0.5'
check 'a burst of no class neither slows nor is slowed' takes 1 other.tl -p ./two
# From 0.5 on, A has 0.5 s left and takes 0.75; until then B, which began at 0.5, does 0.75 / 1.4.
trace late.tl '16 1' '64 0.5 32 1'
model "$A, $(class "$(from app+0x40 app+0x20)" "$(row 1 1.0 1.2 1.4 1.0)" 'stream = 0.5;')" >late.conf
check 'another one begins in the middle of a burst' takes 1.7142857143 late.tl -p ./two --model late.conf
# Three ranks on two cores: each runs 2/3 of the time, beside one of the two others at a time.
trace three.tl '16 2' '16 2' '16 2'
check 'three ranks on two cores' takes 6 three.tl -p ./two # 2 * 3/2 * (1 + 1)
check 'on four cores, each beside two: the last line of a curve goes on' takes 6 three.tl -p ./four # 2 * (1 + 2)
model "$(class "$(from '?' app+0x10)" "$(row 1 1.0 1.2 2.0 1.0), $(row 3 1.0 1.2 3.0 1.0)" 'stream = 1.0; cache = 0.5;')" >curve.conf
# two others: of stream two hogs, 2.5; of cache one, 1.2
check 'lines between rows, and the effects of kinds are added' takes 5.4 three.tl -p ./four --model curve.conf
model "$(class '' "$(row 1 1.5 1.0 1.0 1.0)" 'arithmetic = 1.0;')" >rest.conf
check 'a class without call sites holds for all other bursts' takes 3.5 ab.tl -p ./two --model rest.conf
model "$A, $(class '' "$(row 1 1.0 1.0 1.0 1.0)" '')" >first.conf
check 'a class with call sites comes first' takes 3 ab.tl -p ./two --model first.conf
check 'twice the speed, half the time' takes 1.7333333333 ab.tl -p ./two --set host.speed=2x
trace a.tl '16 3'
trace b.tl '32 1'
jobs() { "$timeless" replay a.tl b.tl@0 -p ./two >said && grep -q '3\.467' said; }
check 'two jobs on one host slow each other' jobs

# The engine loggops knows the mean load of the others: ranks that compute all the time are exact.
trace aa.tl '16 3' '16 3'
check 'loggops: two ranks that compute all the time' takes 6 aa.tl -p ./two --engine loggops
# B computes 1.4 s beside A, and A is slowed by B in the mean over its own time: e = 3 (1 + 0.5 * 1.4 / e).
check 'loggops: the mean load of a rank that ends earlier' near "$(makespan ab.tl -p ./two --engine loggops)" 3.585 4e-4
# A (1 s) is beside B for 1 s of its e seconds: e = 1 + 20 / e = 5. Each simulation corrects 4/5 of the error of the one before
# in the other direction, so six of them leave 1.3 s.
trace short.tl '16 1' '32 1'
model "$(class "$(from '?' app+0x10)" "$(row 1 1.0 1.0 21.0 1.0)" ''), $(class "$(from '?' app+0x20)" "$(row 1 1.0 1.0 1.0 1.0)" \
    'stream = 1.0;')" >steep.conf
check 'loggops: simulates until the load of the hosts has settled' \
    near "$(makespan short.tl -p ./two --engine loggops --model steep.conf)" 5 1e-3
quiet_load() { "$timeless" replay short.tl -p ./two --engine loggops --model steep.conf --json >load.json 2>said &&
    [ ! -s said ] && ! grep -q load_change load.json; }
check 'loggops: without a remark' quiet_load
sed 's/21\.0/1001.0/' steep.conf >steeper.conf
unsettled() {
    "$timeless" replay short.tl -p ./two --engine loggops --model steeper.conf --json=load.json >text 2>said &&
        grep -q '^timeless: warning: short.tl: the engine loggops did not find the mean load of the hosts (interference): .* by [1-9][0-9.]* % of the makespan' said &&
        grep -q '^warning .*the mean load of the hosts is not found' text && grep -q '"load_change": 0\.[0-9]' load.json
}
check 'loggops: a load that does not settle is reported: warning, text and JSON' unsettled
check 'loggops: ranks of different hosts do not slow each other' takes 3 ab.tl -p ./apart --engine loggops
check 'loggops: without places there is nobody beside' takes 3 ab.tl --engine loggops --model two.conf --params L=1us,o=0,g=0,G=0,O=0
check 'loggops: without the group each is alone' takes 3 ab.tl -p ./two --model none.conf --engine loggops

# Two ranks for 6 s on two cores: 200 W.
printf '%s\n' 'topology = "star"; nodes = 1; node = { cores = 2; speed_flops = 1.0e9; watts = [ 100, 120, 200 ]; };' \
    'link = { bandwidth_Bps = 1.0e9; latency_s = 1.0e-6; };' >watts
check 'a platform with power' "$timeless" platform watts -o watts.d
energy() { "$timeless" replay aa.tl -p ./watts.d --model two.conf --ranks-per-host 2 --engine "$1" --energy >said &&
    grep -qE '^energy +(1200|1199.9999[0-9]*|1200.0000[0-9]*) J' said; }
for engine in smpi loggops; do
    check "$engine: slowed bursts keep their cores at work" energy $engine
done

tap_done
