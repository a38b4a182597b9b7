#!/usr/bin/env bash
# The LogGOPS engine against SimGrid where both models say the same.
#
# The platform's hosts have a link in each direction and no costs of SMPI's own: a message of s bytes
# takes L + (s + 16) / B there, SMPI 3.32 adding 16 bytes to each.  In the LogGOPS model with o, g and
# O of 0 it takes L + (s - 1) G.  They differ where a rank has several messages at a time, which pass
# its interface one after the other in the LogGOPS model and share its links in SimGrid's; and where
# a receive is late, for an eager message passes the LogGOPS receiver's CPU when it arrives.  So all
# patterns must agree without bandwidth, and with it those in which a rank sends and receives one
# message at a time.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

# platform NAME BANDWIDTH: 16 hosts, 10 us from each other
platform() {
    mkdir -p "$1"
    cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-15" speed="1Gf" bw="$2" lat="5us" sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
END
    printf '%s\n' smpi/bw-factor:0:1 smpi/lat-factor:0:1 network/bandwidth-factor:1 network/latency-factor:1 \
        network/TCP-gamma:0 network/crosstraffic:0 network/weight-S:0 smpi/os:0:0:0 smpi/ois:0:0:0 smpi/or:0:0:0 \
        smpi/async-small-thresh:1000000000 smpi/send-is-detached-thresh:1000000000 >"$1/options.conf"
}
platform latency 1e18Bps
platform both 1e9Bps

# agree PLATFORM G OPTION...: makespans of p.tl, to 1e-3
agree() {
    local platform=$1 G=$2 a b
    shift 2
    a=$("$timeless" replay p.tl -p ./"$platform" -q "$@") && b=$("$timeless" replay p.tl --engine loggops --params L=10us,o=0,g=0,G=$G,O=0 -q "$@") || return 1
    awk -v a="$a" -v b="$b" 'BEGIN {print "SimGrid", a, "LogGOPS", b; exit !(a > 0 && (a - b) / a < 1e-3 && (b - a) / a < 1e-3)}'
}

for pattern in dissemination binomial binomial_reduce scatter gather doubling ring stencil2d sweep token alltoall random; do
    "$timeless" make $pattern -n 16 --iterations 3 --bytes 100000 -o p.tl
    check "$pattern, latency alone" agree latency 0
done
for pattern in dissemination doubling ring token; do
    "$timeless" make $pattern -n 16 --iterations 3 --bytes 1600000 -o p.tl
    check "$pattern, latency and bandwidth" agree both 1ns
done

for choice in barrier=ompi_bruck barrier=ompi_recursivedoubling bcast=binomial_tree bcast=scatter_LR_allgather bcast=flattree \
    bcast=ompi_pipeline bcast=ompi_split_bintree \
    allreduce=rdb allreduce=lr allreduce=rab_rdb alltoall=ring alltoall=pair alltoall=bruck alltoall=basic_linear; do
    "$timeless" make call_${choice%%=*} -n 16 --iterations 3 --bytes 160000 -o p.tl
    check "$choice, latency alone" agree latency 0 --coll "$choice"
    case $choice in
        allreduce=* | alltoall=ring | alltoall=pair | alltoall=bruck)
            check "$choice, latency and bandwidth" agree both 1ns --coll "$choice" ;;
    esac
done
"$timeless" make call_bcast -n 16 --bytes 100000 -o p.tl
check 'bcast=ompi_pipeline in one segment, latency and bandwidth' agree both 1ns --coll bcast=ompi_pipeline
tap_done
