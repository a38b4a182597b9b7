#!/usr/bin/env bash
# replay_speed.sh - timeless replay beside smpirun -replay: events a second of the processor's time, peak
# memory, and the same simulated time, on the same trace, platform and options.
#
#     tests/bench/replay_speed.sh [RANKS...]       (from the build folder, after make; 16 256 1024)
#
# The peer reads the text that 'timeless export --to simgrid' writes, with its log silenced.  Both run in
# turn, RUNS times (3), and the shortest counts: of each whole command, user and system time of all its
# processes, and the largest one's resident set.  A difference of the simulated times of more than 1e-9 is
# an error.  A small run's memory is that of libsimgrid, which both load: the columns with + tell what is above
# the same command for two ranks and one message.  LARGE=1 then replays 100 steps of a stencil on 16,384 ranks,
# a token ring of 100,000, and tells how start-up grows (4,096, 16,384, 65,536 ranks); that takes minutes and
# two gigabytes.
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
here=$top_srcdir/tests/bench
# Not libtool's script around it.
if [ -x "$top_builddir/cli/.libs/timeless" ]; then
    timeless=$top_builddir/cli/.libs/timeless
    export LD_LIBRARY_PATH=$top_builddir/compress/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
cd "$scratch" || exit 99
[ $# -gt 0 ] || set -- 16 256 1024

# make_platform HOSTS: a star of so many, of 1 Gb/s; a flop of the trace takes 1 ns
make_platform() {
    mkdir -p star
    cat >star/platform.xml <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="star" prefix="node-" suffix="" radical="0-$(($1 - 1))" speed="1Gf" bw="125MBps" lat="24us"
             bb_bw="1.25GBps" bb_lat="500ns"/>
  </zone>
</platform>
END
    : >star/options.conf
    echo 'reference_flops = 1.0e9; units = ( { unit = "flop"; seconds_per_unit = 1.0e-9; } );' >star/model.conf
    seq -f 'node-%g' 0 $(($1 - 1)) >hosts
}
# timed COMMAND...: seconds of the processor, kilobytes; what it says is in `said`
timed() {
    python3 - "$@" <<'END'
import resource, subprocess, sys
with open("said", "w") as said:
    subprocess.run(sys.argv[1:], check=True, stdout=said, stderr=subprocess.STDOUT)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
END
}
coll='' # CALL:ALGORITHM of both
ours() { timed "$timeless" replay "$1" --platform star --ranks-per-host 1 -q ${coll:+--coll "${coll/:/=}"}; }
peer() {
    timed "$SMPIRUN" -replay "$1/list.txt" -np "$2" -platform star/platform.xml -hostfile hosts \
        --log=root.thres:critical --log=smpi_replay.thres:info '--log=root.fmt:%.17r%e%m%n' --cfg=smpi/host-speed:1Gf \
        ${coll:+--cfg="smpi/$coll"}
}

# compare NAME TRACE RANKS: a line of the table
compare() {
    local name=$1 trace=$2 ranks=$3 i
    rm -rf text ours peer
    "$timeless" export --to simgrid -o text "$trace" || return
    make_platform "$ranks"
    for ((i = 0; i < ${RUNS:-3}; i++)); do
        ours "$trace" >>ours || { cat said >&2; return 1; }
        cp said ours.said
        peer text "$ranks" >>peer || { cat said >&2; return 1; }
    done
    sed -n 's/^\([0-9.]*\) Simulation time.*/\1/p' said >peer.said
    local events
    events=$("$timeless" info "$trace" | awk '$1 == "events" { print $2; exit }')
    awk -v name="$name" -v ranks="$ranks" -v events="$events" -v ours="$(sort -n ours | head -1)" -v peer="$(sort -n peer | head -1)" \
        -v t="$(cat ours.said)" -v u="$(cat peer.said)" -v ours_bare="$ours_bare" -v peer_bare="$peer_bare" 'BEGIN {
        split(ours, a, " "); split(peer, b, " "); d = (t - u) / u; if (d < 0) d = -d
        printf "%-26s %6d %9d %10.0f %10.0f %6.2f %8.1f %8.1f %6.2f %8.1f %8.1f %9.2g\n", name, ranks, events, events / a[1],
            events / b[1], b[1] / a[1], a[2] / 1024, b[2] / 1024, a[2] / b[2], (a[2] - ours_bare) / 1024, (b[2] - peer_bare) / 1024, d
        exit !(d <= 1e-9) }'
}
# Kilobytes of the smallest replay.
"$timeless" make token -n 2 --bytes 1 -o bare.tl && "$timeless" export --to simgrid -o text bare.tl || exit 99
make_platform 2
ours_bare=$(ours bare.tl | cut -d' ' -f2) peer_bare=$(peer text 2 | cut -d' ' -f2)
status=0
printf '%-26s %6s %9s %10s %10s %6s %8s %8s %6s %8s %8s %9s\n' pattern ranks events 'ours /s' 'peer /s' ratio 'ours MB' 'peer MB' ratio \
    'ours +MB' 'peer +MB' difference
# sizes RANKS: iterations of ring, stencil, allreduce, HPL's process rows, panels and their width: seconds each
sizes() {
    case $1 in
    16) echo 600 3000 10000 4 96 96 ;;
    256) echo 2 60 60 16 32 16 ;;
    *) echo 1 20 20 32 64 8 ;;
    esac
}
for n; do
    read -r rings stencils allreduces p panels width < <(sizes "$n")
    "$timeless" make ring -n "$n" --bytes $((100 * n)) --iterations "$rings" -o ring.tl && compare ring ring.tl "$n" || status=1
    "$timeless" make stencil2d -n "$n" --bytes 1000 --iterations "$stencils" -o stencil.tl && compare stencil stencil.tl "$n" || status=1
    python3 "$here/hpl_messages.py" "$p" $((n / p)) "$panels" "$width" >hpl.txt && "$timeless" undump hpl.txt -o hpl.tl &&
        compare HPL hpl.tl "$n" || status=1
    "$timeless" make call_allreduce -n "$n" --bytes 1000 --iterations "$allreduces" -o allreduce.tl &&
        compare allreduce allreduce.tl "$n" || status=1
done
for n in ${COLL_RANKS:-128 256}; do
    "$timeless" make call_alltoall -n "$n" --bytes 32768 -o alltoall.tl &&
        "$timeless" make call_allgather -n "$n" --bytes 1048576 -o allgather.tl
    for coll in ${COLLS:-alltoall:bruck alltoall:ring allgather:bruck allgather:ring}; do
        compare "$coll" "${coll%:*}.tl" "$n" || status=1
    done
done
coll=''
[ "${LARGE:-}" ] || exit $status

printf '\n%-28s %9s %9s %8s\n' 'ours alone' events 'CPU s' MB
# alone NAME TRACE RANKS
alone() {
    make_platform "$3"
    echo "$(ours "$2")" "$("$timeless" info "$2" | awk '$1 == "events" { print $2; exit }')" |
        awk -v name="$1" '{ printf "%-28s %9d %9.1f %8.0f\n", name, $3, $1, $2 / 1024 }'
}
for n in 4096 16384 65536; do
    "$timeless" make token -n $n --bytes 1 -o token.tl && alone "token, $n ranks" token.tl $n || status=1
done
"$timeless" make stencil2d -n 16384 --bytes 1000 --iterations 100 -o large.tl && alone 'stencil, 16384 ranks' large.tl 16384 || status=1
"$timeless" make token -n 100000 --bytes 1 -o token.tl && alone 'token, 100000 ranks' token.tl 100000 || status=1
exit $status
