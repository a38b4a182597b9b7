#!/usr/bin/env bash
# timeless budget: against closed formulas and against the replays that it stands for. Its text, and what is refused, stand in
# budget_output.transcript.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# ---- computation alone: the parts are known ----
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "instructions"' 'rank 0 host="h"' 'kernel 1 name="assemble"' \
        '0 0 MPI_Init clock_ns=0' \
        '0 1 dgemm m=100 n=100 k=100 volume=300000' '0 2 user kernel=1 list=[100,3]' '0 3 MPI_Finalize clock_ns=1' \
        'end finalized clock_ns=1'
} >text
"$timeless" undump text -o kernels.tl
sed s/instructions/cpu-ns/ text | "$timeless" undump - -o timed.tl
mkdir one && cp "$top_srcdir/platforms/star-1g/platform.xml" one
# model MEDIAN_ERROR OTHER: dgemm takes 1 ms, assemble 0.2 ms, the burst 0.3 ms
model() {
    printf '%s\n' 'version = 2; reference_flops = 1e9;' \
        "units = ({unit = \"instructions\"; seconds_per_unit = 1e-9; ${2:-}}, {unit = \"cpu-ns\"; seconds_per_unit = 1e-9;});" \
        "kernels = ({kernel = \"dgemm\"; median_error = $1; seconds = {mnk = 1e-9;};}," \
        "{kernel = \"user:assemble\"; seconds = {one = 2e-4;};});" >one/model.conf
}
model 0.02
sed -i 's/speed="[^"]*"/speed="1Gf"/' one/platform.xml
budget() { "$timeless" budget kernels.tl --platform one "$@"; }
check 'a budget of computation alone' budget --json=b.json
# agree: prediction, parts and interval
agree() {
    python3 - "$@" <<'END'
import json, math, sys
b = json.load(open("b.json"))
wanted = {k: float(v) for k, v in (w.split("=") for w in sys.argv[1:])}
parts = {"kernel:dgemm": 1e-3, "kernel:user:assemble": 2e-4, "bursts": 3e-4}
assert abs(b["makespan_s"] / 1.5e-3 - 1) < 1e-9, b["makespan_s"]
half = {}
for i in b["inputs"]:
    half[i["input"]] = (i["high_s"] - i["low_s"]) / 2 if i["high_s"] > i["low_s"] else (i["low_s"] - i["high_s"]) / 2
for name, seconds in parts.items():
    assert abs(half[name] / (seconds * wanted[name]) - 1) < 1e-6, (name, half[name])
total = math.sqrt(sum((s * wanted[n]) ** 2 for n, s in parts.items()))
assert abs((b["high_s"] - b["makespan_s"]) / total - 1) < 1e-6 and abs((b["makespan_s"] - b["low_s"]) / total - 1) < 1e-6
assert abs(sum(i["share"] for i in b["inputs"]) - 1) < 1e-12
shares = [i["share"] for i in b["inputs"]]
assert shares == sorted(shares, reverse=True), shares
END
}
# 1.6448536 / 0.6744898: from the median of the absolute errors to the half of the 90 % interval
check 'the stated error, and assumed ones' agree kernel:dgemm=0.048773289 kernel:user:assemble=0.05 bursts=0.05
check 'all kernels' budget --uncertain kernels=1 --json=b.json
check 'have the given uncertainty' agree kernel:dgemm=0.01 kernel:user:assemble=0.01 bursts=0.05
check 'one kernel' budget --uncertain kernels=1 --uncertain kernel:user:assemble=40% --uncertain bursts=2 --json=b.json
check 'overrides its group' agree kernel:dgemm=0.01 kernel:user:assemble=0.4 bursts=0.02

# ---- the network: what the replays at the bounds say ----
"$timeless" make ring -n 8 --bytes 100000 -o ring.tl
ring() { "$timeless" "$1" ring.tl -p star-1g --ranks-per-host 1 "${@:2}"; }
check 'a budget of a ring' ring budget --uncertain bandwidth=20 --uncertain latency=30 --json=r.json
cp out said
for at in bandwidth=0.8 bandwidth=1.2 latency=0.7 latency=1.3; do ring replay -q --scale "${at%=*}" "${at#*=}"; done >bounds
check 'the network is measured next, by a command that works as it is printed' sh -c 'command=$(sed -n "s/^next: timeless \(.*\)/\1/p" said | sed "s/max-seconds 60/max-seconds 6/") &&
    eval "\"$0\" $command" && test -s FOLDER/platform.xml' "$timeless"
check 'has the makespans of the replays at the bounds' python3 -c '
import json
b = {i["input"]: i for i in json.load(open("r.json"))["inputs"]}
wanted = [float(l) for l in open("bounds")]
assert [b["bandwidth"]["low_s"], b["bandwidth"]["high_s"], b["latency"]["low_s"], b["latency"]["high_s"]] == wanted'
check 'the bandwidth is first' sh -c 'grep -A1 "^input" said | tail -n 1 | grep -q "^bandwidth "'
check 'the same prediction again' sh -c \
    '"$0" budget ring.tl -p star-1g --ranks-per-host 1 --uncertain bandwidth=20 --uncertain latency=30 --json | cmp - r.json' "$timeless"

# ---- messages within a host, and what messages cost the ranks ----
cp -r "$TIMELESS_PLATFORMS/star-1g" wide && sed -i /memory-bandwidth/d wide/options.conf # the memory would limit the eight
near() { "$timeless" "$1" ring.tl -p ./wide --ranks-per-host 8 "${@:2}"; }
check 'a budget of ranks that share hosts' near budget --uncertain network=20 --uncertain overheads=40 --json=n.json
for change in --set='link:*loopback*.bandwidth=0.8x' --set='link:*loopback*.bandwidth=1.2x' --scale=overheads=0.6 \
    --scale=overheads=1.4; do near replay -q "$change"; done >bounds
check 'has the makespans of the replays at their bounds' python3 -c '
import json
b = {i["input"]: i for i in json.load(open("n.json"))["inputs"]}
wanted = [float(l) for l in open("bounds")]
assert [b["loopback"]["low_s"], b["loopback"]["high_s"], b["overheads"]["low_s"], b["overheads"]["high_s"]] == wanted
assert wanted[0] != wanted[1] and wanted[2] != wanted[3], wanted
assert b["latency"]["uncertainty"] == 0.2'
check 'overheads of the command line are an input' sh -c \
    '"$0" budget ring.tl -p one --ranks-per-host 8 --cfg smpi/or:0:1e-6:0 --json | grep -q overheads' "$timeless"

# ---- the engine loggops: a message of 1,001 bytes ten times around 4 ranks, 40 (L + 2 o + 1000 max(G, O)) ----
"$timeless" make token -n 4 --bytes 1001 --iterations 10 -o token.tl
logp=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
token() { "$timeless" budget token.tl --engine loggops --params "$1" --uncertain L=20 --uncertain o=30 --uncertain G=8 \
    --uncertain O=5 --json=l.json; }
# parts G O: nanoseconds a byte
parts() {
    python3 - "$@" <<'END'
import json, math, sys
G, O = (float(x) * 1e-9 for x in sys.argv[1:])
b = json.load(open("l.json"))
inputs = {i["input"]: i for i in b["inputs"]}
steps = 40
parts = {"L": 5e-6 * 0.2, "o": 2 * 2e-6 * 0.3, "G": 1000 * G * 0.08 * (G > O), "O": 1000 * O * 0.05 * (O > G), "g": 0}
assert abs(b["makespan_s"] / (steps * (5e-6 + 4e-6 + 1000 * max(G, O))) - 1) < 1e-9, b["makespan_s"]
for name, seconds in parts.items():
    half = (inputs[name]["high_s"] - inputs[name]["low_s"]) / 2
    assert abs(half - steps * seconds) < 1e-12, (name, half, steps * seconds)
half = steps * math.sqrt(sum(s * s for s in parts.values()))
assert abs(b["high_s"] - b["makespan_s"] - half) < 1e-12 and abs(b["makespan_s"] - b["low_s"] - half) < 1e-12
END
}
check 'a budget of the engine loggops' token $logp
check 'has the parts of the closed formula' parts 2.5 1
check 'a budget where the overhead of a byte is larger than its gap' token ${logp/O=1ns/O=4ns}
check 'has the parts of the formula there' parts 2.5 4
check 'parameters by size and within nodes' "$timeless" budget token.tl --engine loggops -p star-1g --ranks-per-host 2 --json=t.json \
    --params "$logp,oi=3us;from=1000,L=7us,or=4us,B=4ns;local:L=1us"
check 'change together' python3 -c '
import json, subprocess, sys
inputs = {i["input"]: i for i in json.load(open("t.json"))["inputs"]}
def replay(params):
    return float(subprocess.check_output([sys.argv[1], "replay", "token.tl", "-q", "--engine", "loggops", "-p", "star-1g",
                                          "--ranks-per-host", "2", "--params", params]))
wanted = {"L": replay("L=5.5us,o=2us,g=2us,G=2.5ns,O=1ns,oi=3us;from=1000,L=7.7us,or=4us,B=4ns;local:L=1.1us"),
          "o": replay("L=5us,o=2.2us,g=2us,G=2.5ns,O=1ns,oi=3.3us;from=1000,L=7us,or=4.4us,B=4ns;local:L=1us"),
          "G": replay("L=5us,o=2us,g=2us,G=2.75ns,O=1ns,oi=3us;from=1000,L=7us,or=4us,B=4.4ns;local:L=1us")}
for name, seconds in wanted.items():
    assert inputs[name]["high_s"] == seconds, (name, inputs[name], seconds)' "$timeless"

# ---- noise: nine seeds ----
model 0 'relative_sd = 0.1;'
check 'a budget with noise' budget --seed 5 --json=b.json
for seed in 5 6 7 8 9 10 11 12 13; do "$timeless" replay kernels.tl --platform one -q --seed $seed; done >seeds
check 'has the 90 % interval of nine seeds' python3 -c '
import json, statistics
b = {i["input"]: i for i in json.load(open("b.json"))["inputs"]}
s = [float(l) for l in open("seeds")]
half = 1.6448536269514722 * statistics.stdev(s)
for key, value in (("low_s", statistics.mean(s) - half), ("high_s", statistics.mean(s) + half)):
    assert abs(b["noise"][key] / value - 1) < 1e-12, (key, value)
assert b["noise"]["uncertainty"] is None and b["noise"]["from"] == "replayed"'

# ---- losses: another seed loses other packets ----
printf '%s\n' 'skeleton 1' 'ranks 2' 'for i = 1 to 100 {' 'if rank == 0 {' 'MPI_Send peer=1 count=1' 'MPI_Recv peer=1 count=1' '} else {' \
    'MPI_Recv peer=0 count=1' 'MPI_Send peer=0 count=1' '}' '}' >pong.skel
lossy() {
    "$timeless" "$1" pong.skel -p star-1g --ranks-per-host 1 --no-compute --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns,or=2us \
        --set retransmission.flows=1 --set retransmission.loss=0.05 "${@:2}"
}
check 'a budget with losses' lossy budget --json=b.json
for seed in 1 2 3 4 5 6 7 8 9; do lossy replay -q --seed $seed; done >seeds
check 'has their noise, of nine seeds' python3 -c '
import json, statistics
b = {i["input"]: i for i in json.load(open("b.json"))["inputs"]}
s = [float(l) for l in open("seeds")]
half = 1.6448536269514722 * statistics.stdev(s)
assert half > 0.1 and abs((b["noise"]["high_s"] - b["noise"]["low_s"]) / 2 / half - 1) < 1e-9, (b["noise"], half)'

# ---- the order of calls ----
irregular() { "$timeless" "$1" "$top_srcdir/traces/irregular-16.tl" -p star-1g --ranks-per-host 4 --no-compute "${@:2}"; }
check 'a budget of a program that receives from any source' irregular budget --json=i.json
check 'has the makespan of the other order' python3 -c '
import json, sys
b = {i["input"]: i for i in json.load(open("i.json"))["inputs"]}
assert b["order of wildcards"]["low_s"] == float(sys.argv[1])' "$(irregular replay -q --wildcards first)"

# Rank 0 takes the message of rank 1 first, as it did in the run; rank 2's comes earlier.
{
    printf '%s\n' 'timeless-text 1' 'ranks 3' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
        '0 0 MPI_Irecv count=8 type_bytes=1 peer=any tag=1 comm=1 request=1' '0 1 Match peer=1 tag=1 request=1' '0 2 MPI_Wait request=1' \
        '0 3 MPI_Recv count=8 type_bytes=1 peer=2 tag=1 comm=1' 'end cut clock_ns=0' \
        'rank 1 host="h"' '1 0 MPI_Send count=8 type_bytes=1 peer=0 tag=1 comm=1 volume=1000000' 'end cut clock_ns=0' \
        'rank 2 host="h"' '2 0 MPI_Send count=8 type_bytes=1 peer=0 tag=1 comm=1' 'end cut clock_ns=0'
} >text
"$timeless" undump text -o strict.tl
check 'a budget of a program that waits forever in another order' "$timeless" budget strict.tl -p one --ranks-per-host 3 --json=s.json
cp out said; cp err warned
check 'warns of it' grep -q '^timeless: order of wildcards is no part of the interval: .*wait forever' warned
check 'does not call it an order without effect' sh -c '! grep -q wildcards said'
check 'and has no such input' python3 -c '
import json
names = [i["input"] for i in json.load(open("s.json"))["inputs"]]
assert "order of wildcards" not in names, names'

# ---- what limits a parallel region ----
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
        '0 0 Parallel list=[500000000,0,0,1000000000] volume=1500000000 site=0' 'end cut clock_ns=0'
} >text
"$timeless" undump text -o region.tl
mkdir cores && cp one/platform.xml cores
cat >cores/model.conf <<'END'
version = 2; reference_flops = 1e9; units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});
parallel = { cores = ({cores = 1; arithmetic = 1.0; L3 = 1.0; memory = 1.0;}, {cores = 2; arithmetic = 1.6; L3 = 1.5; memory = 1.25;}); };
END
region() { "$timeless" budget region.tl --platform cores --json=r.json "$@"; }
# bounded LEAST [GREATEST]: the makespans with other bounds; -: there is no such input
bounded() { python3 -c '
import json, sys
b = {i["input"]: i for i in json.load(open("r.json"))["inputs"]}.get("bound of regions")
wanted = zip(["low_s", "high_s"], sys.argv[1:])
assert b is None if sys.argv[1] == "-" else all(abs(b[name] / float(s) - 1) < 1e-9 for name, s in wanted), b' "$@"; }
check 'a budget of a region with another number of threads' region --rank-threads 2
check 'has the least and the greatest makespan of other bounds' bounded 1.1666666666666667 1.3
check 'as many threads as in the run' region
check 'have no such input' bounded -
check 'a bound that is named' region --rank-threads 2 --set region.bound=L3
check 'is no input' bounded -
mkdir between && cp one/platform.xml between
sed 's/memory = 1.25;})/memory = 1.25;}, {cores = 4; arithmetic = 1.6; L3 = 3.5; memory = 2.0;})/
    s/parallel = {/& bound = "L3";/' cores/model.conf >between/model.conf
check 'other bounds are faster and slower than the assumed one' region --platform between --rank-threads 2
check 'both count, for so many threads' bounded 1.125 1.3

tap_done
