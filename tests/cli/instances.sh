#!/usr/bin/env bash
# SimGrid's description of several instances is replayed as it is: every instance ends when a program on SimGrid's own
# functions says so.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

cat >cluster.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="c" prefix="h-" suffix="" radical="0-6" speed="2kf" bw="30kBps" lat="70ms"/>
</platform>
END
mkdir -p run/first run/second run/third
printf '0 %s\n' init 'compute 10000' 'send 1 0 90000 1' 'allreduce 500 700 1' finalize >run/first/0.txt
printf '1 %s\n' init 'compute 30000' 'recv 0 0 90000 1' 'allreduce 500 700 1' finalize >run/first/1.txt
printf '0 %s\n' init 'recv 1 3 40000 1' 'compute 5000' finalize >run/second/0.txt
printf '1 %s\n' init 'compute 3000' 'send 0 3 40000 1' finalize >run/second/1.txt
for r in 0 1 2; do
    printf "$r %s\n" init "compute 1${r}000" barrier 'alltoall 3000 3000 1 1' finalize >run/third/$r.txt
done
for name in first second third; do (cd run && printf '%s\n' $name/*.txt >$name.list); done
cat >run/description <<'END'
1 first.list 2 0
two second.list 2 70000
3 third.list 3 12345.5
END
printf 'h-%d\n' 6 0 3 2 1 5 4 >hosts

# The deployment: each rank on the next line of the host file.
deployment() {
    printf '%s\n' "<?xml version='1.0'?>" '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' '<platform version="4.1">'
    local n=0 id list size delay r
    while read -r id list size delay; do
        for ((r = 0; r < size; r++)); do
            n=$((n + 1))
            echo "<actor host=\"$(sed -n ${n}p hosts)\" function=\"$id\"><prop id=\"instance_id\" value=\"$id\"/><prop id=\"rank_id\" value=\"$r\"/>"
            for word in "$id" $r "run/$(sed -n $((r + 1))p "run/$list")" "$delay"; do echo "<argument value=\"$word\"/>"; done
            echo '</actor>'
        done
    done <run/description
    echo '</platform>'
}
deployment >deployment.xml
gcc -O1 -I/usr/include/smpi "$top_srcdir/tests/cli/instances_oracle.c" -o oracle -lsimgrid || exit 99
./oracle cluster.xml deployment.xml 1 2 two 2 3 3 --cfg=smpi/host-speed:1f --cfg=network/model:SMPI >online 2>&1
# The end of the last rank of each instance.
sed -n 's/^end //p' online | sort -k1,1 -k2,2g | awk '{ end[$1] = $2 } END { print end[1], end["two"], end[3] }' >ends

check "SimGrid's own functions replay the three instances" test "$(grep -c '^end ' online)" = 7
check 'a description in place of traces is replayed' "$timeless" replay run/description --platform cluster.xml --hostfile hosts --json=out.json
check 'each instance ends when it ends in SimGrid, by its clock' python3 -c "
import json
jobs = json.load(open('out.json'))['jobs']
assert [len(j['ranks']) for j in jobs] == [2, 2, 3], jobs
assert [j['start_s'] for j in jobs] == [0, 35, 12345.5 / 2000], jobs
ours, theirs = [j['start_s'] + j['makespan_s'] for j in jobs], list(map(float, open('ends').read().split()))
assert len(theirs) == 3 and all(abs(a - b) < 1e-8 for a, b in zip(ours, theirs)), (ours, theirs)
assert min(ours) > 10"
check 'where the traces are, too' sh -c 'cd run && "$0" replay description --platform ../cluster.xml --hostfile ../hosts --json=../again.json && cd .. &&
    grep -o "\"makespan_s\":[^,]*" out.json >one && grep -o "\"makespan_s\":[^,]*" again.json | diff - one' "$timeless"
check 'seconds on the command line say the same' sh -c '"$0" replay run/first.list run/second.list@35 run/third.list@6.17275 --platform cluster.xml --hostfile hosts \
    --json=again.json && grep -o "\"makespan_s\":[^,]*" out.json >one && grep -o "\"makespan_s\":[^,]*" again.json | diff - one' "$timeless"
cut -d' ' -f1-3 run/description >run/together
check 'a description without delays' "$timeless" replay run/together --platform cluster.xml --hostfile hosts --json=together.json
check 'starts all at once' json together.json "assert [j['start_s'] for j in d['jobs']] == [0, 0, 0]"

sed 's/^3 third.list 3/3 third.list 4/' run/description >run/wrong
check 'a wrong number of ranks is refused: with both numbers' refused 3 \
    'third.list: has 3 ranks, and the description of the instances states 4; correct' \
    "$timeless" replay run/wrong --platform cluster.xml
sed 's/third.list/fourth.list/' run/description >run/missing
check 'a missing trace is refused: by its name' refused 4 'fourth.list' "$timeless" replay run/missing --platform cluster.xml
cat >uneven.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="z" routing="Full">
    <host id="a" speed="1kf" core="4"/><host id="b" speed="3kf" core="4"/>
    <link id="l" bandwidth="30kBps" latency="70ms"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
END
check 'a delay on hosts that differ in speed is refused: with the remedy' refused 3 \
    'give the start in seconds, as TRACE@10' \
    "$timeless" replay run/description --platform uneven.xml
check 'without a delay it is replayed there' "$timeless" replay run/together --platform uneven.xml -q
tap_done
