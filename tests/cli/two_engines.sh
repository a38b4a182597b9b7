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

# platform NAME BANDWIDTH [HOSTS]: 16 hosts, 10 us from each other
platform() {
    mkdir -p "$1"
    cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-$((${3:-16} - 1))" speed="1Gf" bw="$2" lat="5us" sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
END
    printf '%s\n' smpi/bw-factor:0:1 smpi/lat-factor:0:1 network/bandwidth-factor:1 network/latency-factor:1 \
        network/TCP-gamma:0 network/crosstraffic:0 network/weight-S:0 smpi/os:0:0:0 smpi/ois:0:0:0 smpi/or:0:0:0 \
        smpi/async-small-thresh:1000000000 smpi/send-is-detached-thresh:1000000000 >"$1/options.conf"
}
platform latency 1e18Bps
platform both 1e9Bps
platform many 1e18Bps 300

# agree PLATFORM G OPTION...: makespans of p.tl, to 1e-3
agree() {
    "$timeless" replay p.tl -p ./"$1" -q "${@:3}" >a &&
        "$timeless" replay p.tl -q --engine loggops --params L=10us,o=0,g=0,G="$2",O=0 "${@:3}" >b && equal_to_1e_3 a b
}
equal_to_1e_3() { awk '{ t[NR] = $1 } END { print "SimGrid", t[1], "LogGOPS", t[2]; d = (t[1] - t[2]) / t[1];
    exit !(NR == 2 && t[1] > 0 && d < 1e-3 && d > -1e-3) }' "$@"; }
# table PLATFORM G OPTION...: replays the points of a grid by both engines; without G, LogGOPS takes its parameters from the platform
table() {
    local loggops=(-p ./"$1")
    [ -z "$2" ] || loggops=(--params "L=10us,o=0,g=0,G=$2,O=0")
    "$timeless" sweep -p ./"$1" "${@:3}" >a.csv
    "$timeless" sweep --engine loggops "${loggops[@]}" "${@:3}" >b.csv
}
# agree_at POINT: the makespans of both engines there, to 1e-3
agree_at() {
    awk -F, -v point="$1," 'index($0, point) == 1 { print $(split(point, f, ",")) }' a.csv b.csv >makespans && equal_to_1e_3 makespans
}
of() { local IFS=,; echo "$*"; } # VALUE...: those of an axis

patterns=(dissemination binomial binomial_reduce scatter gather doubling ring stencil2d sweep token alltoall random)
table latency 0 --grid make="$(of "${patterns[@]}")" --grid make.ranks=16 --grid make.iterations=3 --grid make.bytes=100000
for pattern in "${patterns[@]}"; do check "$pattern, latency alone" agree_at "$pattern,16,3,100000"; done
table both 1ns --grid make=dissemination,doubling,ring,token --grid make.ranks=16 --grid make.iterations=3 --grid make.bytes=1600000
for pattern in dissemination doubling ring token; do check "$pattern, latency and bandwidth" agree_at "$pattern,16,3,1600000"; done

# algorithms latency|both COLLECTIVE ALGORITHM...
algorithms() {
    local name='latency alone' G=0 algorithm
    [ "$1" = latency ] || name='latency and bandwidth' G=1ns
    table "$1" $G --grid make=call_"$2" --grid make.ranks=16 --grid make.iterations=3 --grid make.bytes=160000 \
        --grid coll."$2"="$(of "${@:3}")"
    for algorithm in "${@:3}"; do check "$2=$algorithm, $name" agree_at "call_$2,16,3,160000,$algorithm"; done
}
algorithms latency barrier ompi_bruck ompi_recursivedoubling
algorithms latency bcast binomial_tree scatter_LR_allgather flattree ompi_pipeline ompi_split_bintree
algorithms latency allreduce rdb lr rab_rdb
algorithms latency alltoall ring pair bruck basic_linear
algorithms both allreduce rdb lr rab_rdb
algorithms both alltoall ring pair bruck
"$timeless" make call_bcast -n 16 --bytes 100000 -o p.tl
check 'bcast=ompi_pipeline in one segment, latency and bandwidth' agree both 1ns --coll bcast=ompi_pipeline

# Open MPI 4.1's choices, among more than 128 ranks and where the ranks are no power of two.
table many 0 --coll-selector ompi-4.1 --grid make=call_bcast --grid make.ranks=13,130,300 --grid make.bytes=8,3000,20000,100000
for n in 13 130 300; do
    for bytes in 8 3000 20000 100000; do check "ompi-4.1: $n ranks broadcast $bytes bytes, latency alone" agree_at \
        "call_bcast,$n,$bytes"; done
done
"$timeless" make call_bcast -n 24 --bytes 2000000 -o p.tl
check 'ompi-4.1: 24 ranks scatter 2 MB and double it, latency alone' agree many 0 --coll-selector ompi-4.1
# call RANKS CALL SLOTS: a program of one collective call, in p.tl
call() {
    local r
    {
        printf 'timeless-text 1\nranks %d\nvolume_unit "none"\nvolume_source "none"\n' "$1"
        for ((r = 0; r < $1; r++)); do
            printf 'rank %d host="h"\n%d 0 %s comm=1 %s\nend finalized clock_ns=0\n' "$r" "$r" "$2" "$3"
        done
    } >p.txt
    "$timeless" undump p.txt -o p.tl
}
# Few elements: what Open MPI's rings and Rabenseifner's algorithm leave to others.
for case in '13 1' '20 5' '24 7' '40 20' '150 3'; do
    call ${case% *} MPI_Allreduce "count=${case#* } type_bytes=8"
    check "ompi-4.1: ${case% *} ranks reduce ${case#* } elements for all, latency alone" agree many 0 --coll-selector ompi-4.1
done
for n in 40 130; do
    call $n MPI_Reduce 'count=3000 type_bytes=8 peer=0'
    check "ompi-4.1: $n ranks reduce 24000 bytes, latency alone" agree many 0 --coll-selector ompi-4.1
done
call 13 MPI_Allgather 'count=3 type_bytes=8 recv_count=3 recv_type_bytes=8'
check 'ompi-4.1: 13 ranks gather blocks for all, latency alone' agree many 0 --coll-selector ompi-4.1

call 12 MPI_Alltoall 'count=8 type_bytes=8 recv_count=8 recv_type_bytes=8'
check 'ompi-4.1: 12 ranks exchange blocks, latency alone' agree many 0 --coll-selector ompi-4.1
call 12 MPI_Scatter 'count=0 type_bytes=0 recv_count=30000 recv_type_bytes=1 peer=0'
sed -i 's/^0 0 MPI_Scatter comm=1 count=0 type_bytes=0/0 0 MPI_Scatter comm=1 count=30000 type_bytes=1/' p.txt &&
    "$timeless" undump p.txt -o p.tl
check 'ompi-4.1: 12 ranks get blocks of the root, latency alone' agree many 0 --coll-selector ompi-4.1
# A rank is asked for its block when that of the one before is there: twice the latency each.
call 7 MPI_Gather 'count=300000 type_bytes=1 recv_count=0 recv_type_bytes=0 peer=0'
sed -i 's/^\(0 0 MPI_Gather .*\) recv_count=0 recv_type_bytes=0/\1 recv_count=300000 recv_type_bytes=1/' p.txt &&
    "$timeless" undump p.txt -o p.tl
synchronised() {
    local s
    s=$("$timeless" replay p.tl -p ./many -q --coll-selector ompi-4.1) && echo "$s" &&
        awk -v s="$s" 'BEGIN {exit !(s > 119.9e-6 && s < 120.1e-6)}'
}
check 'ompi-4.1: the root asks 6 ranks for a block, one after the other' synchronised

chosen() { # as without the selector, and not as with it alone
    local a b c
    a=$("$timeless" replay p.tl -p ./many -q --coll-selector ompi-4.1 --coll alltoall=ring) &&
        b=$("$timeless" replay p.tl -p ./many -q --coll alltoall=ring) &&
        c=$("$timeless" replay p.tl -p ./many -q --coll-selector ompi-4.1) && echo "$a $b $c" && [ "$a" = "$b" ] && [ "$a" != "$c" ]
}
call 12 MPI_Alltoall 'count=8 type_bytes=8 recv_count=8 recv_type_bytes=8'
check '--coll goes before ompi-4.1' chosen

# Both engines name what stands in for an algorithm of Open MPI.
call 2 MPI_Reduce_scatter 'type_bytes=8 list=[5000,5000]'
names() { # SELECTOR OPTIONS...
    "$timeless" replay p.tl "${@:2}" --coll-selector ompi-4.1 --json=p.json -q >/dev/null && grep -qF "\"coll_selector\": \"$1\"" p.json
}
check 'smpi names a stand-in' names 'ompi-4.1 (reduce_scatter ompi_ring for butterfly)' -p ./many
check 'loggops names a stand-in' names 'ompi-4.1 (reduce_scatter ompi_basic_recursivehalving for butterfly)' --engine loggops \
    --params L=10us,o=0,g=0,G=0,O=0
call 12 MPI_Barrier clock_ns=0
check 'smpi names no stand-in if there is none' names ompi-4.1 -p ./many

# Open MPI 5.0 has the rules of 4.1, but not those of its component han.
as_41() {
    local makespan
    makespan=$("$timeless" replay p.tl "$@" --coll-selector ompi-5.0 -q) &&
        equal "$("$timeless" replay p.tl "$@" --coll-selector ompi-4.1 -q)" "$makespan"
}
selects() { # SELECTOR NAME OPTIONS...
    "$timeless" replay p.tl "${@:3}" --coll-selector "$1" --json=p.json -q >/dev/null && grep -F '"coll_selector"' p.json &&
        grep -qF "\"coll_selector\": \"$2\"" p.json
}
recorded_by() { sed "s/^timeless-text 1/&\nmpi_library \"$1\"/" p.txt >q.txt && "$timeless" undump q.txt -o p.tl; }
for case in '20 MPI_Allreduce count=5 type_bytes=8' '13 MPI_Bcast count=20000 type_bytes=1 peer=0' \
    '13 MPI_Allgather count=3 type_bytes=8 recv_count=3 recv_type_bytes=8' \
    '12 MPI_Alltoall count=8 type_bytes=8 recv_count=8 recv_type_bytes=8' '40 MPI_Reduce count=3000 type_bytes=8 peer=0'; do
    read -r n collective slots <<<"$case"
    call "$n" "$collective" "$slots"
    check "ompi-5.0: $n ranks call $collective as with ompi-4.1" as_41 -p ./many
    check "ompi-5.0: loggops, $n ranks call $collective as with ompi-4.1" as_41 --engine loggops --params L=10us,o=0,g=0,G=1ns,O=0
done
call 2 MPI_Reduce_scatter 'type_bytes=8 list=[5000,5000]'
check 'ompi-5.0: the result names han if the ranks are on two hosts' selects ompi-5.0 \
    'ompi-5.0 (reduce_scatter ompi_ring for butterfly; tuned for han)' -p ./many --ranks-per-host 1
check 'ompi-5.0: it does not if they are on one host' selects ompi-5.0 'ompi-5.0 (reduce_scatter ompi_ring for butterfly)' \
    -p ./many --ranks-per-host 2
call 12 MPI_Barrier clock_ns=0
for case in 'Open MPI v4.1.4, package=ompi-4.1' 'Open MPI v5.0.7, package=ompi-5.0 (tuned for han)' 'MPICH Version: 4.0.2=mpich' \
    'Intel(R) MPI Library 2021.9=impi' 'MVAPICH2 Version: 2.3=mvapich2'; do
    recorded_by "${case%=*}"
    check "--coll-selector recorded: ${case%%[,=]*}" selects recorded "${case#*=}" -p ./many
done
call 13 MPI_Bcast 'count=100000 type_bytes=1 peer=0'
cp p.tl made.tl && recorded_by 'Open MPI v4.1.4, package'
loggops=(--engine loggops --params L=10us,o=0,g=0,G=1ns,O=0)
# by_default SELECTOR OPTIONS...: the default is this selector, and not that of the other ones
by_default() {
    local makespan other
    makespan=$("$timeless" replay p.tl "${@:2}" -q) && equal "$makespan" "$("$timeless" replay p.tl "${@:2}" -q --coll-selector "$1")" &&
        for other in default ompi-4.1 mpich; do [ "$other" = "$1" ] ||
        [ "$makespan" != "$("$timeless" replay p.tl "${@:2}" -q --coll-selector "$other")" ] || return; done
}
check 'a trace is replayed with the algorithms of the library that recorded it' by_default ompi-4.1 -p ./both
check '... by loggops, too' by_default ompi-4.1 "${loggops[@]}"
# default_named NAME TRACE OPTIONS...: what the result names without --coll-selector
default_named() { "$timeless" replay "${@:2}" --json=p.json -q >/dev/null && grep -F '"coll_selector"' p.json &&
    grep -qF "\"coll_selector\": \"$1\"" p.json; }
check '... and the result names them' default_named ompi-4.1 p.tl -p ./both
check 'a trace of no library has the default algorithms' default_named default made.tl -p ./both
cp -r both chosen && echo smpi/coll-selector:mpich >>chosen/options.conf
check 'a selector of the platform has priority over that of the recording' default_named mpich p.tl -p ./chosen
check '... and the engine loggops takes its own rules for it, which the result says' \
    default_named mpich p.tl -p ./chosen --engine loggops
check 'that of --cfg has priority over both' default_named impi p.tl -p ./chosen --cfg smpi/coll-selector:impi
recorded_by 'Other MPI 2.0, build 7'
check 'a library without a selector: the result says so' default_named \
    'default (no rules for Other MPI 2.0; see --coll-selector)' p.tl -p ./both
check '... by loggops, too' default_named \
    "default (own algorithms for SMPI's; no rules for Other MPI 2.0; see --coll-selector)" p.tl "${loggops[@]}"
call 2 MPI_Barrier clock_ns=0
recorded_by 'Open MPI v4.1.4' && cp p.tl four.tl && recorded_by 'MPICH Version: 4.0.2'
check 'two traces of two libraries have the default algorithms, and the result says so' default_named \
    'default (the libraries of the traces differ; see --coll-selector)' p.tl four.tl -p ./both
call 12 MPI_Barrier clock_ns=0
recorded_by 'Open MPI v6.0.0'
check '--coll-selector recorded: without a selector for the library, the message names it' refused 2 \
    'there is no selector for the MPI library of the trace (Open MPI v6.0.0); name a selector' \
    "$timeless" replay p.tl -p ./many --coll-selector recorded
recorded_by 'Open MPI v4.1.4' && cp p.tl four.tl && recorded_by 'MPICH Version: 4.0.2'
check '--coll-selector recorded: two traces of two libraries are refused' refused 2 \
    'four.tl: --coll-selector recorded: this trace needs ompi-4.1, but another trace needs mpich' \
    "$timeless" replay p.tl four.tl -p ./many --coll-selector recorded
check '--coll-selector recorded: a skeleton, which has no library, takes the selector of the platform' equal \
    "$("$timeless" replay "$top_srcdir/traces/skeletons/call_allreduce.skel" --ranks 4 -p "$top_srcdir/platforms/star-1g" \
    -q --coll-selector recorded)" \
    "$("$timeless" replay "$top_srcdir/traces/skeletons/call_allreduce.skel" --ranks 4 -p "$top_srcdir/platforms/star-1g" -q)"
# ---- parameters that the LogGOPS engine derives from the options of a platform ----
# Factors and overheads by size; the latency of long messages has room for their question and its answer.
platform steps 1e9Bps
cat >steps/options.conf <<'END'
smpi/async-small-thresh:65536
smpi/send-is-detached-thresh:65536
smpi/os:0:1e-6:1e-10;1420:2e-6:2e-10;65536:0:0
smpi/ois:0:2e-6:1e-10;65535:3e-6:0
smpi/or:0:1e-6:3e-10;1420:5e-6:1e-10;65536:0:0
smpi/lat-factor:0:1;1436:2;65551:6
smpi/bw-factor:0:0.5;1436:0.8;65551:0.9
network/TCP-gamma:0
network/crosstraffic:no
END
# Like InfiniBand: the overhead of short messages is longer than the latency of long ones.
mkdir -p fabric && sed 's/bw="1e9Bps" lat="5us"/bw="1e10Bps" lat="0.5us"/' both/platform.xml >fabric/platform.xml
sed 's/thresh:.*/thresh:8192/; s/^smpi.os:.*/smpi\/os:0:3e-6:0/; s/^smpi.ois:.*/smpi\/ois:0:3e-6:0/; s/^smpi.or:.*/smpi\/or:0:1e-6:0/' \
    both/options.conf >fabric/options.conf
printf '%s\n' 'skeleton 1' 'ranks 2' 'param size = 1' 'if rank == 0 {' 'MPI_Send peer=1 count=size' \
    'MPI_Irecv peer=1 count=size request=r' \
    'MPI_Wait request=r' '} else {' 'MPI_Recv peer=0 count=size' 'MPI_Isend peer=0 count=size request=r' 'MPI_Wait request=r' \
    '}' >there.skel
# alike PLATFORM RANKS_ON_A_HOST CHECK NAME SIZE...
alike() {
    local size
    table "$1" '' there.skel --ranks-per-host "$2" --grid set.size="$(of "${@:5}")"
    for size in "${@:5}"; do $3 "${4/SIZE/$size}" agree_at "$size"; done
}
alike steps 1 check "there and back by derived parameters, SIZE bytes" 1 100 1403 1404 1405 1419 1420 1421 1422 30000 65534 \
    65535 65536 65537 1000000
alike fabric 1 check "there and back where short messages have the longer overhead, SIZE bytes" 1 8191 8192 10000 100000
# Sizes below the first segment: its overheads apply, its factors do not.
cp -r steps later && sed -i 's/^\(smpi.[^:]*\):0:/\1:1000:/' later/options.conf
# as_of_332 NAME COMMAND...: a check of what SMPI of SimGrid 3.32 does
simgrid=$(simgrid_version)
as_of_332() {
    if [ "$simgrid" -ge 400 ]; then skip "$1" "the engine loggops computes as SMPI of SimGrid 3.32, and that of 4.0 differs"
    else check "$@"; fi
}
alike later 1 as_of_332 "there and back where segments begin at 1000 bytes, SIZE bytes" 1 983 984 985 999 1000 1001 1500
# Within a host, where the latency is shorter than half of a short message's.
sed 's/sharing_policy/loopback_bw="1e9Bps" loopback_lat="0.2us" sharing_policy/' fabric/platform.xml >steps/inside.xml
cp -r fabric inside && mv steps/inside.xml inside/platform.xml &&
    sed -i 's/^smpi.o\(s\|is\|r\):.*/smpi\/o\1:0:0:0/; s/thresh:.*/thresh:100/' inside/options.conf &&
    echo 'timeless/loopback-lat-factor:0:20;1000:1' >>inside/options.conf
alike inside 2 as_of_332 "there and back within a host, SIZE bytes" 100 985 986 4000 100000
# ---- links: a slow backbone, links that both directions share, TCP's window, messages within a host ----
# links NAME CLUSTER-ATTRIBUTES OPTION...: two hosts of a cluster; with "" instead of attributes, hosts with a link between them
links() {
    mkdir -p "$1" && {
        printf '%s\n' '<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
            '<platform version="4.1"><zone id="all" routing="Full">'
        if [ "$2" ]; then
            echo "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-1\" speed=\"1Gf\" core=\"2\" bw=\"1e9Bps\" lat=\"5us\" $2/>"
        else
            printf '%s\n' '<host id="n0" speed="1Gf" core="2"/><host id="n1" speed="1Gf" core="2"/>' \
                '<link id="l" bandwidth="1e9Bps" latency="5us"/>' \
                '<route src="n0" dst="n1"><link_ctn id="l"/></route>'
        fi
        echo '</zone></platform>'
    } >"$1/platform.xml"
    sed '/crosstraffic\|TCP-gamma\|^network.*-factor/d; s/thresh:.*/thresh:65536/' both/options.conf >"$1/options.conf"
    printf '%s\n' "${@:3}" >>"$1/options.conf"
}
backbone='bb_bw="1e8Bps" bb_lat="1us"'
links slow "$backbone" network/crosstraffic:no
links slow_back "$backbone"
links one_way 'sharing_policy="SHARED"'
links window '' network/crosstraffic:no network/TCP-gamma:2000
links routed '' network/crosstraffic:no
links stated '' network/crosstraffic:no network/loopback-bw:1e8 network/loopback-lat:1e-6
for name in slow slow_back one_way window routed; do
    alike $name 1 check "a message of SIZE bytes alone between hosts, $name" 1000 60000; done
for name in slow slow_back one_way stated; do alike $name 2 check "a message of SIZE bytes alone within a host, $name" 1000 60000; done
alike routed 2 check 'a message within a host that has no loopback and no cluster' 1000000
alike slow 1 check 'a long message through a slow backbone' 1000000
links bound 'sharing_policy="SHARED"' smpi/bw-factor:0:0.5 timeless/bw-factor-bound:yes
links slowest 'sharing_policy="SHARED"' smpi/bw-factor:0:0.99 timeless/bw-factor-bound:yes
for name in bound slowest; do alike $name 1 check "a factor that bounds a message, on a link of both directions, $name" 60000; done
# ---- kinds of sends: what takes the CPU, and who waits for whom ----
cp -r fabric calls && sed -i 's/^smpi.ois:.*/smpi\/ois:0:3e-5:0/' calls/options.conf
# two_ranks 'CALL|CALL...' 'CALL|CALL...': calls of rank 0 and of rank 1, in calls.tl
two_ranks() {
    local rank=0 calls
    {
        printf 'timeless-text 1\nranks 2\nvolume_unit "cpu-ns"\n'
        for calls; do
            printf 'rank %d host="h%d"\n' $rank $rank
            tr '|' '\n' <<<"$calls" | awk -v r=$rank '{ print r, NR - 1, $0 }'
            echo 'end cut clock_ns=0'
            rank=$((rank + 1))
        done
    } | "$timeless" undump - -o calls.tl
}
# same_ends: of the ranks in a.json and b.json, to 1e-3
same_ends() {
    awk '$1 == "\"end_s\":" { t[FILENAME, n[FILENAME]++] = $2 + 0 } END {
        for (i = 0; i < n["a.json"]; i++) { x = t["a.json", i]; y = t["b.json", i]; print x, y;
        if (x - y > 1e-3 * x || y - x > 1e-3 * x) exit 1 }
        exit !(i && i == n["b.json"]) }' a.json b.json
}
ends_alike() { # ends of both ranks, to 1e-3
    "$timeless" replay calls.tl -p ./calls --model "$top_srcdir/platforms/local/model.conf" --ranks-per-host 1 -q --json=a.json &&
        "$timeless" replay calls.tl -p ./calls --model "$top_srcdir/platforms/local/model.conf" --ranks-per-host 1 \
        -q --json=b.json --engine loggops &&
        same_ends
}
# sends CALL SIZE [SLOTS]: a message to rank 1, whose receive has these slots
sends() {
    local calls="MPI_$1 count=$2 type_bytes=1 peer=1 tag=0 comm=1"
    case $1 in
    *_init) calls+=' request=1|MPI_Start request=1|MPI_Wait request=1' ;;
    I*) calls+=' request=1|MPI_Wait request=1' ;;
    esac
    two_ranks "$calls" "MPI_Recv count=$2 type_bytes=1 peer=0 tag=0 comm=1 ${3:-}" && ends_alike
}
for size in 1 10000; do
    for call in {S,Ss,Rs,Bs,Is,Iss,Irs,Ibs}end {S,Ss,Rs,Bs}end_init; do
        check "MPI_$call of $size bytes takes as long in both engines" sends $call $size; done
done
check 'a buffered send does not wait for a late receiver' sends Bsend 10000 volume=1000000000
# MPI_Sendrecv of SMPI sends before it posts its receive, which takes 30 us here.
two_ranks "MPI_Sendrecv count=1 type_bytes=1 peer=1 tag=0 comm=1 recv_count=10000 recv_type_bytes=1 recv_peer=1 recv_tag=0" \
    "MPI_Send count=10000 type_bytes=1 peer=0 tag=0 comm=1|MPI_Recv count=1 type_bytes=1 peer=0 tag=0 comm=1"
check 'the overhead of a send in MPI_Sendrecv delays its receive in both engines' ends_alike
# With one partner, MPI_Sendrecv of SMPI is MPI_Send or MPI_Recv.
for half in 'peer=1 tag=0 comm=1 recv_count=8 recv_type_bytes=1 recv_peer=null recv_tag=0|MPI_Recv' \
    'peer=null tag=0 comm=1 recv_count=8 recv_type_bytes=1 recv_peer=1 recv_tag=0|MPI_Send'; do
    two_ranks "MPI_Sendrecv count=8 type_bytes=1 ${half%|*}" "${half#*|} count=8 type_bytes=1 peer=0 tag=0 comm=1"
    check "MPI_Sendrecv without a partner for one half, with ${half#*|}, takes as long in both engines" ends_alike
done
# Long messages begin when both sides are ready, however little later the receive is.
for late in 100 1000 3000 100000; do
    check "a receive $late ns later than a long send takes as long in both engines" sends Send 10000 volume=$late
    check "... a synchronous one, too" sends Ssend 1 volume=$((late + 3000))
    two_ranks "MPI_Send count=10000 type_bytes=1 peer=1 tag=0 comm=1 volume=10|MPI_Send count=20000 type_bytes=1 peer=1 tag=1 comm=1" \
        "MPI_Irecv count=10000 type_bytes=1 peer=0 tag=0 comm=1 request=1|MPI_Irecv count=20000 type_bytes=1 peer=0 tag=1 comm=1 request=2 volume=$late|MPI_Waitall list=[1,2]"
    check '... a receive with a later one behind it, too' ends_alike
done
swap() { # PEER
    echo "MPI_Bsend count=10000 type_bytes=1 peer=$1 tag=0 comm=1|MPI_Recv count=10000 type_bytes=1 peer=$1 tag=0 comm=1"
}
check 'two ranks send long messages by MPI_Bsend, then receive' two_ranks "$(swap 1)" "$(swap 0)"
check '... and both engines take as long' ends_alike
for engine in smpi loggops; do
    for wrong in x nan 1e30 -1 64k ''; do
        rm -rf wrong && cp -r calls wrong &&
            sed -i "s/^smpi.send-is-detached-thresh:.*/smpi\/send-is-detached-thresh:$wrong/" wrong/options.conf
        check_exit 3 "$engine: a threshold of '$wrong' bytes exits 3" "$timeless" replay there.skel,size=1 -p ./wrong --engine $engine -q
        [ $engine = smpi ] || cp "$scratch/err" said
        [ $engine = smpi ] || check '... and names the file, the option and the remedy' \
            grep -qE "^timeless: ./wrong: .*smpi/send-is-detached-thresh:$wrong[:,].*; correct (it|one of them)\$" said
    done
done
# ---- collectives: their calls of SMPI, whose sends that do not block take ten times as long here ----
p_on=calls
ends_of_p() { # OPTION...: of all ranks, to 1e-3
    "$timeless" replay p.tl -p ./$p_on --ranks-per-host 1 -q --json=a.json "$@" &&
        "$timeless" replay p.tl -p ./$p_on --ranks-per-host 1 -q --json=b.json --engine loggops "$@" &&
        same_ends
}
# overheads RANKS CALL SLOTS OPTION...
overheads() { call "$1" "$2" "$3" && ends_of_p "${@:4}"; }
for size in 8 16000; do
    for n in 7 8; do
        each="$n ranks, $size bytes"
        check "bcast=flattree, $each" overheads $n MPI_Bcast "count=$size type_bytes=1 peer=0" --coll bcast=flattree
        check "bcast=ompi_pipeline, $each" overheads $n MPI_Bcast "count=$size type_bytes=1 peer=0" --coll bcast=ompi_pipeline
        check "allreduce=rdb, $each" overheads $n MPI_Allreduce "count=$size type_bytes=1" --coll allreduce=rdb
        check "alltoall=ring, $each" overheads $n MPI_Alltoall "count=$size type_bytes=1 recv_count=$size recv_type_bytes=1" \
            --coll alltoall=ring
        check "alltoall=bruck, $each" overheads $n MPI_Alltoall "count=$size type_bytes=1 recv_count=$size recv_type_bytes=1" \
            --coll alltoall=bruck
        check "allgather=ring, $each" overheads $n MPI_Allgather "count=$size type_bytes=1 recv_count=$size recv_type_bytes=1" \
            --coll allgather=ring
        check "ompi-4.1: broadcast, $each" overheads $n MPI_Bcast "count=$size type_bytes=1 peer=0" --coll-selector ompi-4.1
        check "ompi-4.1: allreduce, $each" overheads $n MPI_Allreduce "count=$((size / 8)) type_bytes=8" --coll-selector ompi-4.1
        check "ompi-4.1: allgather, $each" overheads $n MPI_Allgather \
            "count=$size type_bytes=1 recv_count=$size recv_type_bytes=1" --coll-selector ompi-4.1
    done
done
for n in 7 8; do
    as_of_332 "barrier=ompi_bruck, $n ranks" overheads $n MPI_Barrier clock_ns=0 --coll barrier=ompi_bruck
    as_of_332 "barrier=ompi_recursivedoubling, $n ranks" overheads $n MPI_Barrier clock_ns=0 --coll barrier=ompi_recursivedoubling
done
check 'reduce_scatter=ompi_basic_recursivehalving, 8 ranks' overheads 8 MPI_Reduce_scatter \
    'type_bytes=8 list=[100,100,100,100,100,100,100,100]' \
    --coll reduce_scatter=ompi_basic_recursivehalving
# Linear algorithms and binomial trees: order, and who waits for whom, also where the root is not rank 0.  Messages share no
# links here.
cp -r calls wide && sed -i 's/bw="1e10Bps"/bw="1e18Bps"/' wide/platform.xml
p_on=wide
blocks() { # RANKS CALL BYTES OPTION...: a gather or scatter with rank 3 as its root
    local all='recv_count' one='count'
    [ "$2" = MPI_Gather ] || all='count' one='recv_count'
    call "$1" "$2" "peer=3 $one=$3 ${one/count/type_bytes}=1 $all=0 ${all/count/type_bytes}=0"
    sed -i "s/^\(3 0 .*\) $all=0 ${all/count/type_bytes}=0/\1 $all=$3 ${all/count/type_bytes}=1/" p.txt &&
        "$timeless" undump p.txt -o p.tl && ends_of_p "${@:4}"
}
for size in 8 16000; do
    for algorithm in ompi_basic_linear ompi_binomial; do
        for call in MPI_Gather MPI_Scatter; do
            name=${call#MPI_}
            check "${name,}=$algorithm, root 3, $size bytes" blocks 7 $call $size --coll "${name,}=$algorithm"
        done
    done
    for n in 2 5 6 7 8 13; do
        root=$((n > 3 ? 3 : 1)) each="$n ranks, $size bytes"
        check "bcast=binomial_tree, $each" overheads $n MPI_Bcast "count=$size type_bytes=1 peer=$root" --coll bcast=binomial_tree
        as_of_332 "bcast=scatter_LR_allgather, $each" overheads $n MPI_Bcast "count=$((size / 8)) type_bytes=1 peer=$root" \
            --coll bcast=scatter_LR_allgather
        check "reduce=binomial, $each" overheads $n MPI_Reduce "count=$size type_bytes=1 peer=$root" --coll reduce=binomial
        for algorithm in lr redbcast; do
            check "allreduce=$algorithm, $each" overheads $n MPI_Allreduce "count=$((size / 8)) type_bytes=8" --coll allreduce=$algorithm
        done
    done
    check "reduce=flat_tree, root 3, $size bytes" overheads 7 MPI_Reduce "count=$size type_bytes=1 peer=3" --coll reduce=flat_tree
    check "bcast=flattree, root 3, $size bytes" overheads 7 MPI_Bcast "count=$size type_bytes=1 peer=3" --coll bcast=flattree
done
# Where the engine loggops has another algorithm, the prediction names both.
stands_in() { # RANKS CALL SLOTS CHOICE TEXT
    call "$1" "$2" "$3" && "$timeless" replay p.tl -p ./wide --ranks-per-host 1 -q --engine loggops --coll "$4" --json=p.json \
        >/dev/null && grep -F '"coll_selector"' p.json && grep -qF "\"coll_selector\": \"default (own algorithms for SMPI's$5)\"" p.json
}
check 'allgather=rdb, 7 ranks: the prediction names bruck' stands_in 7 MPI_Allgather \
    'count=8 type_bytes=1 recv_count=8 recv_type_bytes=1' allgather=rdb '; allgather bruck for rdb'
check 'alltoall=pair, 7 ranks: the prediction names ring' stands_in 7 MPI_Alltoall \
    'count=8 type_bytes=1 recv_count=8 recv_type_bytes=1' alltoall=pair '; alltoall ring for pair'
check 'reduce=ompi_binomial, 12 ranks: the prediction says that SMPI sends segments' stands_in 12 MPI_Reduce \
    'count=16000 type_bytes=1 peer=0' reduce=ompi_binomial '; reduce ompi_binomial for ompi_binomial in segments'
check 'alltoall=pair, 8 ranks: there is nothing to name' stands_in 8 MPI_Alltoall \
    'count=8 type_bytes=1 recv_count=8 recv_type_bytes=1' alltoall=pair ''
for n in 12 15; do
    check "ompi-4.1: broadcast by a binomial tree, $n ranks, root 3" overheads $n MPI_Bcast 'count=20000 type_bytes=1 peer=3' \
        --coll-selector ompi-4.1
    check "ompi-4.1: reduction by an in-order binomial tree, $n ranks, root 3" overheads $n MPI_Reduce \
        'count=10000 type_bytes=1 peer=3' --coll-selector ompi-4.1
done
at_once() { # CALL SLOTS OPTION...: SMPI and LogGOPS return at once from a collective without data
    call 7 "$1" "$2" && for engine in smpi loggops; do
        equal 0 "$("$timeless" replay p.tl -p ./calls --ranks-per-host 1 -q --engine $engine "${@:3}")" || return
    done
}
check 'ompi-4.1: MPI_Bcast of 0 bytes' at_once MPI_Bcast 'count=0 type_bytes=8 peer=0' --coll-selector ompi-4.1
check 'ompi-4.1: MPI_Reduce of 0 bytes' at_once MPI_Reduce 'count=0 type_bytes=8 peer=0' --coll-selector ompi-4.1
check 'ompi-4.1: MPI_Allreduce of 0 bytes' at_once MPI_Allreduce 'count=0 type_bytes=8' --coll-selector ompi-4.1
check 'reduce_scatter=ompi_basic_recursivehalving of 0 bytes' at_once MPI_Reduce_scatter 'type_bytes=8 list=[0,0,0,0,0,0,0]' \
    --coll reduce_scatter=ompi_basic_recursivehalving
check 'mpich: MPI_Reduce of 0 bytes' at_once MPI_Reduce 'count=0 type_bytes=8 peer=0' --coll-selector mpich
check '... by the algorithm alone' at_once MPI_Reduce 'count=0 type_bytes=8 peer=0' --coll reduce=binomial
check 'mpich: MPI_Allreduce of 0 bytes on one host' at_once MPI_Allreduce 'count=0 type_bytes=8' --coll-selector mpich \
    --ranks-per-host 7
check 'mpich: MPI_Allgatherv of 0 bytes' at_once MPI_Allgatherv 'count=0 type_bytes=8 recv_type_bytes=8 list=[0,0,0,0,0,0,0]' \
    --coll-selector mpich
check 'mpich: MPI_Alltoall of 0 bytes' at_once MPI_Alltoall 'count=0 type_bytes=8 recv_count=0 recv_type_bytes=8' \
    --coll-selector mpich
p_on=calls
# beside RANKS CALL SLOTS OPTION...: the same of a collective that does not block, and its wait
beside() {
    call "$1" "$2" "request=1 $3"
    sed -i 's/^\([0-9]*\) 0 MPI_I.*/&\n\1 1 MPI_Wait request=1/' p.txt && "$timeless" undump p.txt -o p.tl && ends_of_p "${@:4}"
}
check 'MPI_Ibcast, 7 ranks' beside 7 MPI_Ibcast 'count=8 type_bytes=1 peer=0' --coll bcast=flattree
check 'MPI_Ialltoall, 7 ranks' beside 7 MPI_Ialltoall 'count=8 type_bytes=1 recv_count=8 recv_type_bytes=1' --coll alltoall=basic_linear
# ---- one adapter for several ranks: a send that holds its CPU holds up no other rank ----
cp -r calls held && sed -i 's/bw="1e10Bps"/bw="1e18Bps"/' held/platform.xml &&
    sed -i 's/^smpi.os:.*/smpi\/os:0:1e-6:0;4000:1e-3:0/' held/options.conf
# 4 ranks on each of two hosts; each has a partner on the other one, and sizes of messages drawn from a seed
partners() { # SEED
    awk -v seed="$1" 'BEGIN {
        srand(seed)
        print "timeless-text 1\nranks 8\nvolume_unit \"none\"\nvolume_source \"none\""
        for (r = 0; r < 8; r++) {
            printf "rank %d host=\"h%d\"\n", r, r / 4
            for (i = 0; i < 10; i++) {
                if (r < 4)
                    size[r, i] = rand() < 0.2 ? 5000 : 100
                same = sprintf("count=%d type_bytes=1 peer=%d tag=0 comm=1", size[r % 4, i], (r + 4) % 8)
                print r, 2 * i, (r < 4 ? "MPI_Send " : "MPI_Recv ") same
                print r, 2 * i + 1, (r < 4 ? "MPI_Recv " : "MPI_Send ") same
            }
            print "end cut clock_ns=0"
        }
    }' | "$timeless" undump - -o calls.tl
}
ends_alike_on_hosts() { # as ends_alike, with 4 ranks on a host
    "$timeless" replay calls.tl -p ./held --ranks-per-host 4 -q --json=a.json &&
        "$timeless" replay calls.tl -p ./held --ranks-per-host 4 -q --json=b.json --engine loggops &&
        same_ends
}
for seed in 1 2 3 4 5; do
    partners $seed
    check "short messages leave a host during sends of 1 ms by other ranks, seed $seed" ends_alike_on_hosts
done
# ---- receives that are cancelled ----
receive='count=8 type_bytes=1 peer=1 tag=0 comm=1'
send="MPI_Send count=8 type_bytes=1 peer=0 tag=0 comm=1 volume=1000000"
for start in "MPI_Irecv $receive request=1" "MPI_Recv_init $receive request=1|MPI_Start request=1"; do
    two_ranks "$start|MPI_Cancel request=1|MPI_Request_free request=1|MPI_Recv $receive" "$send"
    check "${start%% *}: a receive that is cancelled and freed takes no message" ends_alike
done
two_ranks "MPI_Irecv $receive request=1|MPI_Request_free request=1|MPI_Recv $receive" "$send|$send"
check 'a receive that is freed alone takes one' ends_alike
# ---- persistent requests ----
"$timeless" undump - -o kept.tl <<'END'
timeless-text 1
ranks 2
volume_unit "cpu-ns"
rank 0 host="h0"
0 0 MPI_Recv_init count=1 type_bytes=1 peer=1 tag=0 comm=1 request=1
0 1 MPI_Start request=1
0 2 MPI_Wait request=1
0 3 MPI_Start request=1
0 4 MPI_Wait request=1
0 5 MPI_Request_free request=1
end cut clock_ns=0
rank 1 host="h1"
1 0 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1 volume=100000000
1 1 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1 volume=100000000
end cut clock_ns=0
END
waits() { # ENGINE: rank 0, for both messages
    "$timeless" replay kept.tl -p ./both --model "$top_srcdir/platforms/local/model.conf" --ranks-per-host 1 --engine "$1" \
        -q --json=kept.json &&
        json kept.json 'end = d["ranks"][0]["end_s"]; print(end); exit(not 0.2 < end < 0.21)'
}
for engine in smpi loggops; do check "$engine: a persistent request that is freed later is waited for each time" waits $engine; done
tap_done
