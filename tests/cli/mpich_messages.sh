#!/usr/bin/env bash
# With the selector mpich both engines send the same messages, and scans with ompi and ompi-4.1, too. Over each link go as many with
# as many bytes, and where links have no limit, the times are equal.
#
# To each message SMPI 3.32 adds 16 bytes, and LogGOPS counts all of its bytes but one: the bytes on the link and those that were
# sent give the number of messages. LogGOPS counts no messages below 4 KiB.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
# platform NAME BANDWIDTH
platform() {
    mkdir "$1"
    cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-39" speed="1Gf" bw="$2" lat="5us" loopback_bw="$2" loopback_lat="10us"
        sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
END
    printf '%s\n' smpi/bw-factor:0:1 smpi/lat-factor:0:1 network/bandwidth-factor:1 network/latency-factor:1 \
        network/TCP-gamma:0 network/crosstraffic:0 network/weight-S:0 smpi/os:0:0:0 smpi/ois:0:0:0 smpi/or:0:0:0 \
        smpi/async-small-thresh:1000000000 smpi/send-is-detached-thresh:1000000000 >"$1/options.conf"
}
printf 'n%d\n' 0 1 2 3 >four
platform latency 1e18Bps
platform both 1e9Bps
# replay PLATFORM CALL RANKS PLACEMENT SIZE...: a program that makes the call with these sizes, by both engines
replay() {
    local engine bytes
    {
        printf 'skeleton 1\nranks 4\n'
        for bytes in "${@:5}"; do echo "${2//BYTES/$bytes}"; done
    } >c.skel
    for engine in smpi loggops; do
        "$timeless" replay c.skel --ranks "$3" -p ./"$1" --ranks-per-host "$4" --coll-selector "${selector:-mpich}" --engine $engine --links \
            ${more:-} --json=$engine.json -q >/dev/null 2>err || { cat err; return 1; }
    done
}
cat >same.py <<'END'
import json, os, re, sys
def read(engine):
    d = json.load(open(engine + ".json"))
    links = {}
    for link in d["links"]:
        sent, seen = round(link["sent_bytes"]), round(link["bytes"])
        if engine == "smpi":
            key = re.fullmatch(r"c_link_(\d+)_(UP|DOWN|loopback)", link["name"]).groups()
        else:
            source, to, k = re.fullmatch(r"n(\d+) to n(\d+), link ([12])", link["name"]).groups()
            key = (source, "UP") if k == "1" else (to, "DOWN")
        links[key] = (seen - sent) / 16 if engine == "smpi" else sent - seen, sent
    return d["makespan_s"], links, d["coll_selector"]
(a, a_links, a_name), (b, b_links, b_name) = read("smpi"), read("loggops")
what = "%s: SMPI %s, LogGOPS %s"
b_links = {k: v for k, v in b_links.items() if v[1]}
a_links = {k: v for k, v in a_links.items() if v[1] and k[1] != "loopback"}
for key in sorted(set(a_links) | set(b_links)) if sys.argv[1] == "both" else []:
    if a_links.get(key) != b_links.get(key):
        sys.exit(what % ("messages and bytes of " + " ".join(key), a_links.get(key), b_links.get(key)))
names = [name.replace(" (ompi-4.1 for SMPI's ompi)", "") for name in (a_name, b_name)]
if sys.argv[1] == "latency" and abs(a / b - 1) > 1e-3 or names != 2 * [os.environ.get("selector", "mpich")]:
    sys.exit(what % ("time", (a, a_name), (b, b_name)))
END
# same CALL PLACEMENT RANKS...
same() {
    local n
    for n in "${@:3}"; do
        { replay latency "$1" "$n" "$2" 8 1000 3000 20000 100000 700000 && python3 same.py latency &&
            replay both "$1" "$n" "$2" 80000 200000 700000 && python3 same.py both; } || { echo "$n ranks"; return 1; }
    done
}
latency_alone() { replay latency "$1" "$2" "$3" "${@:4}" && python3 same.py latency; }
on_hosts() { same "$1" 2 8 12 24 && same "$1" 4 12 36; }
while read -r name line; do
    check "$name, a host for each rank" same "$line" 1 5 8 9 12
done <<'END'
barrier MPI_Barrier
bcast MPI_Bcast peer=1 count=BYTES
reduce MPI_Reduce peer=1 count=BYTES
reduce,noncommutative MPI_Reduce peer=0 count=BYTES noncommutative=1
allreduce MPI_Allreduce count=BYTES
allreduce,noncommutative MPI_Allreduce count=BYTES noncommutative=1
gather MPI_Gather peer=1 count=BYTES
scatter MPI_Scatter peer=1 count=BYTES
allgather MPI_Allgather count=BYTES
alltoall MPI_Alltoall count=BYTES
reduce_scatter_block MPI_Reduce_scatter_block count=BYTES
scan MPI_Scan count=BYTES
reduce_scatter MPI_Reduce_scatter counts=BYTES+10*rank
allgatherv MPI_Allgatherv count=BYTES+10*rank recv_counts=BYTES+10*rank
alltoallv MPI_Alltoallv counts=BYTES recv_counts=BYTES
gatherv MPI_Gatherv peer=1 count=BYTES+10*rank recv_counts=BYTES+10*rank
scatterv MPI_Scatterv peer=1 recv_count=BYTES+10*rank counts=BYTES+10*rank
END
for call in 'Bcast peer=1' 'Bcast peer=0' 'Reduce peer=0' 'Reduce peer=2' 'Reduce peer=5' Allreduce; do
    check "$call, 2 or 4 ranks on each host" on_hosts "MPI_$call count=BYTES"
done
check 'a reduction on one host' latency_alone 'MPI_Reduce peer=1 count=BYTES' 4 4 8 1000
check 'reduce_scatter, noncommutative' same 'MPI_Reduce_scatter counts=BYTES noncommutative=1' 1 5 9 12
divides() { # of the core of the RANKS
    local n
    for n in "$@"; do
        replay both "MPI_Reduce peer=1 count=16 type_bytes=100000" "$n" 1 8 && python3 same.py both || return
    done
}
makespan_is() { # SECONDS: for 5 ranks and 8 bytes, by both engines
    replay latency "MPI_$call count=BYTES" 5 1 8 && python3 -c 'import json, sys
times = [json.load(open(name + ".json"))["makespan_s"] for name in ("smpi", "loggops")]
sys.exit(max(abs(t / float(sys.argv[1]) - 1) for t in times) > 1e-3 and str(times))' "$1"
}
names() { # NAMES CALL RANKS [PLACEMENT [OPTION]]
    more=${5:-} replay latency "$2" "$3" "${4:-1}" 8 && python3 -c 'import json, sys
said = json.load(open("loggops.json"))["coll_selector"]
sys.exit(said != sys.argv[1] and said)' "$1"
}
check 'what LogGOPS has instead is named' names 'mpich (reduce_scatter mpich_rdb for mpich_noncomm)' \
    'MPI_Reduce_scatter counts=BYTES noncommutative=1' 8
check '... also that of a reduction' names 'mpich (reduce binomial for binomial to rank 0 and from there to the root)' \
    'MPI_Reduce peer=1 count=BYTES noncommutative=1' 8
check '... and of a broadcast of ranks that are on hosts in turn' names 'mpich (bcast binomial_tree for SMP_binomial)' \
    'MPI_Bcast peer=0 count=BYTES' 8 2 '--round-robin --hostfile four'
check '... and of an allreduce of hosts with different numbers of ranks' names 'mpich (allreduce rdb for mvapich2_two_level)' \
    'MPI_Allreduce count=BYTES' 7 2
check '... and of a long reduction on one host' names 'mpich (reduce binomial for mvapich2_knomial)' \
    'MPI_Reduce peer=0 count=5000' 8 8
check '... and of a long reduction of fewer elements than ranks' names \
    'mpich (reduce scatter_gather for scatter_gather of fewer elements than ranks)' 'MPI_Reduce peer=1 count=8 type_bytes=1000' 12
check 'a reduction of few long elements that can be divided' divides 8 12 16
check 'a broadcast of hosts with different numbers of ranks is as that of one rank on each' same 'MPI_Bcast peer=1 count=BYTES' 2 7 13
for call in Scan Exscan; do
    for selector in ompi ompi-4.1; do
        export selector
        check "$call, selector $selector" same "MPI_$call count=BYTES" 1 2 5 8
    done
    check "$call of ompi-4.1 is Open MPI's chain" makespan_is 4e-5
done
tap_done
