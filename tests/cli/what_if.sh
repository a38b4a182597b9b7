#!/usr/bin/env bash
# timeless replay: changes of the platform on the command line give what the edited files give.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

# Four ranks: computation, a ring of messages of 1 B to 200 kB, collectives.
{
    printf '%s\n' 'timeless-text 1' 'ranks 4' 'volume_unit "cpu-ns"'
    for r in 0 1 2 3; do
        echo "rank $r host=\"h\""
        n=0
        event() { echo "$r $n $*"; n=$((n + 1)); }
        event MPI_Init clock_ns=0
        for bytes in 1 1000 30000 200000; do
            event MPI_Irecv count=$bytes type_bytes=1 peer=$(((r + 3) % 4)) tag=1 comm=1 request=1 volume=$((1000 * (r + 1)))
            event MPI_Send count=$bytes type_bytes=1 peer=$(((r + 1) % 4)) tag=1 comm=1
            event MPI_Wait request=1
            event MPI_Allreduce count=$bytes type_bytes=1 comm=1 volume=123457
        done
        event MPI_Finalize clock_ns=1
        echo 'end finalized clock_ns=1'
    done
} >text
check 'a trace by hand' "$timeless" undump text -o a.tl

# platform NAME BANDWIDTH LATENCY SPEED: four hosts of two cores around a switch
platform() {
    mkdir -p "$1"
    cat >"$1/platform.xml" <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="$4" core="1" bw="$2" lat="$3"
  loopback_bw="5GBps" loopback_lat="200ns" bb_bw="${5:-1GBps}" bb_lat="${6:-1us}"/></zone></platform>
XML
    printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >"$1/model.conf"
}
# same NAME PLATFORM OPTIONS...: the replay on `plain` with the options ends as on PLATFORM, bit by bit
same() {
    local name=$1 other=$2; shift 2
    check "$name" equal "$("$timeless" replay a.tl -p plain -q "$@")" "$("$timeless" replay a.tl -p "$other" -q)"
    check "$name: makes a difference" test "$("$timeless" replay a.tl -p plain -q "$@")" != "$("$timeless" replay a.tl -p plain -q)"
}
platform plain 125MBps 20us 2Gf
platform wide 1GBps 20us 2Gf
same 'bandwidth of links by name' wide --set 'link:c_link_*.bandwidth=8Gbps'
same 'by a factor' wide --set 'link:c_link_*.bandwidth=8x'
platform far 125MBps 500us 2Gf
same 'latency of links by name' far --set 'link:c_link_*.latency=500us'
platform slow 12.5MBps 200us 2Gf 100MBps 10us
same 'a tenth of the network' slow --scale network 0.1
same 'the same with =' slow --scale network=0.1
same 'the same as one word' slow --scale 'network 0.1'
same 'as two changes' slow --scale bandwidth 0.1 --scale latency 10
same 'as two settings' slow --set link.bandwidth=0.1x --set link.latency=10x
platform even 1GBps 1us 2Gf
same 'all links alike' even --set link.bandwidth=1GBps --set link.latency=1us
# A limiter of both directions keeps its ratio to the bandwidth of its link, and has no latency.
limited() { # NAME BANDWIDTH LATENCY LIMITER
    platform "$1" "$2" "$3" 2Gf && sed -i "s/loopback_bw/sharing_policy=\"SPLITDUPLEX\" limiter_link=\"$4\" loopback_bw/" "$1/platform.xml"
}
cp -r plain unlimited
limited plain 125MBps 20us 150MBps
limited twice 250MBps 20us 300MBps
same 'a limiter grows with its link' twice --set 'link:c_link_*.bandwidth=250MBps'
same 'by a factor, too' twice --set 'link:c_link_*.bandwidth=2x'
limited later 125MBps 500us 150MBps
same 'a limiter has no latency' later --set 'link:c_link_*.latency=500us'
limited tighter 125MBps 20us 75MBps
same 'a pattern that names limiters changes them' tighter --set 'link:*_limiter.bandwidth=75MBps'
same 'by a factor as well' tighter --set 'link:*_limiter.bandwidth=0.5x'
cabinets() { # NAME BANDWIDTH LIMITER
    printf '%s\n' 'topology = "cabinets"; cabinets = [ 2, 2 ];' 'node = { cores = 1; speed_flops = 1e9; };' \
        'link = { bandwidth_Bps = 1.25e8; latency_s = 2e-5; };' \
        "uplink = { bandwidth_Bps = $2; latency_s = 1e-6; limiter_Bps = $3; };" >"$1.conf"
    rm -rf "./$1" && "$timeless" platform "$1.conf" -o "$1" && cp unlimited/model.conf "$1"
}
cabinets plain 1.25e8 1.25e8 && cabinets wider 2.5e8 2.5e8
same 'the limiter of a cabinet grows with its uplink' wider --set 'link:uplink-*.bandwidth=250MBps'
rm -r plain && mv unlimited plain
platform fast 125MBps 20us 4Gf
same 'hosts twice as fast' fast --host-speed 2x
same 'hosts of a speed' fast --host-speed 4Gf
same 'the same by --set' fast --set host.speed=4Gf
same 'the same by --scale' fast --scale hosts 2
same 'a pattern for all' fast --set 'host:n[0-3].speed=2x'
platform longer 125MBps 20us 2Gf && sed -i 's/1e-9;}/3e-9;}/' longer/model.conf
same 'bursts that take three times as long' longer --scale bursts 3
same 'the same by a setting' longer --set burst.time=3x
# Kernels: of a line in the model, of the operation count alone, of the program.
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'kernel 1 name="assemble"' \
        '0 0 MPI_Init clock_ns=0' \
        '0 1 dgemm m=200 n=100 k=50 volume=1000' '0 2 dgemm m=20 n=10 k=5' '0 3 dger m=300 n=200' '0 4 user kernel=1 list=[100,3]' \
        '0 5 MPI_Finalize clock_ns=1' 'end finalized clock_ns=1'
} >text
check 'a trace of kernels by hand' "$timeless" undump text -o kernels.tl
# kernel_model FOLDER DGEMM ASSEMBLE FLOP
kernel_model() {
    mkdir -p "$1" && cp plain/* "$1"
    printf '%s\n' 'version = 2; reference_flops = 1e9;' "seconds_per_flop = $4;" 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' \
        "kernels = ({kernel = \"dgemm\"; seconds = {one = ${2}e-6; mnk = ${2}e-9;};}," \
        "{kernel = \"user:assemble\"; seconds = {work = ${3}e-7;};});" >"$1/model.conf"
}
kernel_model k1 1 1 1e-9; kernel_model k2 4 1 1e-9; kernel_model k3 1 4 1e-9; kernel_model k4 4 4 4e-9; kernel_model k5 4 4 1e-9
# same_kernels NAME PLATFORM OPTIONS...: on k1 with the options as on PLATFORM, in both engines
same_kernels() {
    local name=$1 other=$2 engine; shift 2
    for engine in smpi loggops; do
        check "$name, $engine" equal "$("$timeless" replay kernels.tl -p k1 -q --engine $engine "$@")" \
            "$("$timeless" replay kernels.tl -p "$other" -q --engine $engine)"
    done
    check "$name: makes a difference" test "$("$timeless" replay kernels.tl -p k1 -q "$@")" != "$("$timeless" replay kernels.tl -p k1 -q)"
}
same_kernels 'all kernels take four times as long' k4 --scale kernels 4
same_kernels 'one kernel takes four times as long' k2 --set kernel:dgemm.time=4x
same_kernels 'a kernel of the program' k3 --set kernel:user:assemble.time=4x
same_kernels 'two kernels' k5 --set kernel:dgemm.time=4x --set 'kernel:user:*.time=4x'
mkdir rdb && cp plain/* rdb && echo smpi/allreduce:rdb >rdb/options.conf
same 'an algorithm' rdb --coll allreduce=rdb
mkdir two && cp plain/* two && printf '%s\n' smpi/allreduce:lr smpi/barrier:ompi_tree >two/options.conf
same 'two algorithms' two --coll allreduce=lr --coll barrier=ompi_tree

# What sends and receives cost: plain has no such options, so that nothing changes there.
# costly FOLDER SEND START RECEIVE: seconds, a hundredth of a nanosecond for each of them a byte
costly() { mkdir -p "$1" && cp plain/* "$1" &&
    printf 'smpi/%s\n' "os:0:${2}e-6:${2}e-11;20000:${2}e-5:0" "ois:0:${3}e-6:0" "or:0:${4}e-6:${4}e-10" >"$1/options.conf"; }
costly once 2 3 5; costly thrice 6 9 15
overheads_of() { "$timeless" replay a.tl -p "$@" -q; }
check 'overheads that are three times as long' equal "$(overheads_of once --scale overheads 3)" "$(overheads_of thrice)"
check 'the same by a setting' equal "$(overheads_of once --set message.overhead=3x)" "$(overheads_of thrice)"
check 'of the command line, too' equal "$(overheads_of plain --cfg smpi/os:0:1e-6:1e-10 --scale overheads 7)" \
    "$(overheads_of plain --cfg smpi/os:0:7e-6:7e-10)"
check 'overheads: makes a difference' test "$(overheads_of once --scale overheads 3)" != "$(overheads_of once)"
check 'a platform without overheads stays as it is' equal "$(overheads_of plain --scale overheads 3)" "$(overheads_of plain)"

check 'JSON keeps what was changed' "$timeless" replay a.tl -p plain --scale network 0.1 --host-speed 2x --coll bcast=mpich --json=b.json
cp out printed
check 'the JSON has the changes' grep -q '"changes": "link.bandwidth=0.1x link.latency=10x host.speed=2x"' b.json
check 'the JSON has the algorithm' grep -q '"options": "smpi/bcast:mpich"' b.json
check 'the text has the changes' grep -q '^changed  *link.bandwidth=0.1' printed
check 'the text says that computation is CPU time' grep -q '^volumes  *cpu-ns, CPU time of the cores that recorded' printed
check 'what it says can be given again' equal \
    "$("$timeless" replay a.tl -p plain -q --set link.bandwidth=0.1x --set link.latency=10x --set host.speed=2x)" \
    "$("$timeless" replay a.tl -p plain -q --scale network 0.1 --host-speed 2x)"
check 'compare reads a prediction with changes' "$timeless" compare b.json

# The engine loggops changes all links of a platform, its overheads and hosts. In this program, no two messages share a link.
"$timeless" make sweep --ranks 4 --bytes 4096 --iterations 5 -o sweep.tl
# changes_alike OPTION...: both engines predict the same change of the makespan, and there is one
changes_alike() {
    local engine with without all=()
    for engine in smpi loggops; do
        without=$("$timeless" replay sweep.tl -p "$top_srcdir/platforms/fat-tree" --ranks-per-host 2 -q --engine $engine) &&
            with=$("$timeless" replay sweep.tl -p "$top_srcdir/platforms/fat-tree" --ranks-per-host 2 -q --engine $engine "$@") || return
        [ "$with" != "$without" ] || return
        all+=("$with / $without")
    done
    near "${all[0]}" "${all[1]}" 0.02
}
for change in 'network 0.1' 'bandwidth 0.5' 'latency 3' 'overheads 3'; do
    check "both engines scale $change alike" changes_alike --scale $change
done
check 'both engines change loopbacks alike' changes_alike --set 'link:*loopback*.bandwidth=0.1x'
check 'the loggops engine changes the speed of hosts' sh -c \
    'test "$("$0" replay a.tl -p plain --engine loggops -q)" != \
        "$("$0" replay a.tl -p plain --engine loggops -q --host-speed 0.5x)"' "$timeless"
tap_done
