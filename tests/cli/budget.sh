#!/usr/bin/env bash
# timeless budget: against closed formulas and against the replays that it stands for.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# ---- computation alone: the parts are known ----
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "instructions"' 'rank 0 host="h"' 'kernel 1 name="assemble"' '0 0 MPI_Init clock_ns=0' \
        '0 1 dgemm m=100 n=100 k=100 volume=300000' '0 2 user kernel=1 list=[100,3]' '0 3 MPI_Finalize clock_ns=1' 'end finalized clock_ns=1'
} >text
"$timeless" undump text -o kernels.tl
sed s/instructions/cpu-ns/ text | "$timeless" undump - -o timed.tl
mkdir one && cp "$top_srcdir/platforms/star-1g/platform.xml" one
# model MEDIAN_ERROR OTHER: dgemm takes 1 ms, assemble 0.2 ms, the burst 0.3 ms
model() {
    printf '%s\n' 'version = 2; reference_flops = 1e9;' "units = ({unit = \"instructions\"; seconds_per_unit = 1e-9; ${2:-}}, {unit = \"cpu-ns\"; seconds_per_unit = 1e-9;});" \
        "kernels = ({kernel = \"dgemm\"; median_error = $1; seconds = {mnk = 1e-9;};}, {kernel = \"user:assemble\"; seconds = {one = 2e-4;};});" >one/model.conf
}
model 0.02
sed -i 's/speed="[^"]*"/speed="1Gf"/' one/platform.xml
budget() { "$timeless" budget kernels.tl --platform one "$@"; }
check 'a budget of computation alone' budget --json=b.json
cp out said
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
check 'CPU time is assumed to be less certain' sh -c '"$0" budget timed.tl --platform one | grep -q "^bursts  *20 %  assumed "' "$timeless"
check 'the first input is the one with the largest part' grep -q '^next: timeless calibrate kernels' said
check 'the table says where the numbers come from' sh -c 'grep -q "^kernel:dgemm  *4.88 %  stated " said && grep -q "^bursts  *5 %  assumed " said'
check 'what to measure next is followed by what it gains' grep -qE '^      \(with half of the uncertainty of [a-z:]+, the interval is \+-[0-9.]+ %\)$' said
check 'what is assumed is named' grep -q '^assumed, state them with --uncertain NAME=PERCENT: bursts' said
check 'what has no effect is named' grep -q '^no effect: bandwidth, latency, loopback, order of wildcards$' said
check 'all kernels' budget --uncertain kernels=1 --json=b.json
check 'have the given uncertainty' agree kernel:dgemm=0.01 kernel:user:assemble=0.01 bursts=0.05
check 'one kernel' budget --uncertain kernels=1 --uncertain kernel:user:assemble=40% --uncertain bursts=2 --json=b.json
cp out said
check 'overrides its group' agree kernel:dgemm=0.01 kernel:user:assemble=0.4 bursts=0.02
check 'and comes first' sh -c 'grep -A1 "^input" said | tail -n 1 | grep -q "^kernel:user:assemble "'
check 'bursts first' sh -c '"$0" budget kernels.tl --platform one --uncertain bursts=50 | grep -qx "next: timeless calibrate cpu -o FOLDER -- mpirun -np N PROGRAM"' "$timeless"
check '--no-compute leaves them out' sh -c '! "$0" budget kernels.tl --platform one --no-compute --json | grep -q dgemm' "$timeless"

# ---- the network: what the replays at the bounds say ----
"$timeless" make ring -n 8 --bytes 100000 -o ring.tl
ring() { "$timeless" "$1" ring.tl -p star-1g --ranks-per-host 1 "${@:2}"; }
check 'a budget of a ring' ring budget --uncertain bandwidth=20 --uncertain latency=30 --json=r.json
cp out said
for at in bandwidth=0.8 bandwidth=1.2 latency=0.7 latency=1.3; do ring replay -q --scale "${at%=*}" "${at#*=}"; done >bounds
check 'has the makespans of the replays at the bounds' python3 -c '
import json
b = {i["input"]: i for i in json.load(open("r.json"))["inputs"]}
wanted = [float(l) for l in open("bounds")]
assert [b["bandwidth"]["low_s"], b["bandwidth"]["high_s"], b["latency"]["low_s"], b["latency"]["high_s"]] == wanted'
check 'the bandwidth is first' sh -c 'grep -A1 "^input" said | tail -n 1 | grep -q "^bandwidth "'
check 'the same prediction again' sh -c '"$0" budget ring.tl -p star-1g --ranks-per-host 1 --uncertain bandwidth=20 --uncertain latency=30 --json | cmp - r.json' "$timeless"

# ---- messages within a host, and what messages cost the ranks ----
cp -r "$TIMELESS_PLATFORMS/star-1g" wide && sed -i /memory-bandwidth/d wide/options.conf # the memory would limit the eight
near() { "$timeless" "$1" ring.tl -p ./wide --ranks-per-host 8 "${@:2}"; }
check 'a budget of ranks that share hosts' near budget --uncertain network=20 --uncertain overheads=40 --json=n.json
for change in --set='link:*loopback*.bandwidth=0.8x' --set='link:*loopback*.bandwidth=1.2x' --scale=overheads=0.6 --scale=overheads=1.4; do near replay -q "$change"; done >bounds
check 'has the makespans of the replays at their bounds' python3 -c '
import json
b = {i["input"]: i for i in json.load(open("n.json"))["inputs"]}
wanted = [float(l) for l in open("bounds")]
assert [b["loopback"]["low_s"], b["loopback"]["high_s"], b["overheads"]["low_s"], b["overheads"]["high_s"]] == wanted
assert wanted[0] != wanted[1] and wanted[2] != wanted[3], wanted
assert b["latency"]["uncertainty"] == 0.2'
check 'overheads of the command line are an input' sh -c '"$0" budget ring.tl -p one --ranks-per-host 8 --cfg smpi/or:0:1e-6:0 --json | grep -q overheads' "$timeless"

# ---- the engine loggops: a message of 1,001 bytes ten times around 4 ranks, 40 (L + 2 o + 1000 max(G, O)) ----
"$timeless" make token -n 4 --bytes 1001 --iterations 10 -o token.tl
logp=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
token() { "$timeless" budget token.tl --engine loggops --params "$1" --uncertain L=20 --uncertain o=30 --uncertain G=8 --uncertain O=5 --json=l.json; }
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
    return float(subprocess.check_output([sys.argv[1], "replay", "token.tl", "-q", "--engine", "loggops", "-p", "star-1g", "--ranks-per-host", "2", "--params", params]))
wanted = {"L": replay("L=5.5us,o=2us,g=2us,G=2.5ns,O=1ns,oi=3us;from=1000,L=7.7us,or=4us,B=4ns;local:L=1.1us"),
          "o": replay("L=5us,o=2.2us,g=2us,G=2.5ns,O=1ns,oi=3.3us;from=1000,L=7us,or=4.4us,B=4ns;local:L=1us"),
          "G": replay("L=5us,o=2us,g=2us,G=2.75ns,O=1ns,oi=3us;from=1000,L=7us,or=4us,B=4.4ns;local:L=1us")}
for name, seconds in wanted.items():
    assert inputs[name]["high_s"] == seconds, (name, inputs[name], seconds)' "$timeless"

# ---- measured runs: which input do they make suspect? ----
model 0
"$timeless" budget kernels.tl --platform one --uncertain kernels=2 --uncertain bursts=2 --measured 0.00165 --json=m.json >said
check 'a run that is 10 % too slow: what has the largest part would be 15 % slower' python3 -c '
import json
b = json.load(open("m.json"))
inputs = {i["input"]: i for i in b["inputs"]}
assert b["measured_runs"] == 1 and abs(b["least_ratio"] - 1.1) < 1e-9, b
# 1 ms of 1.5 ms: 15 % slower make the run 10 % slower
assert 1.12 < inputs["kernel:dgemm"]["suspected_factor"] < 1.17, inputs["kernel:dgemm"]
suspects = [i for i in b["inputs"] if "suspicion" in i]
assert max(suspects, key=lambda i: i["suspicion"])["input"] == "kernel:dgemm"
assert abs(sum(i["suspicion"] for i in suspects) + b["no_suspect"] - 1) < 1e-9'
check 'the text names it first, and what to measure' sh -c 'grep -A2 "^suspect " said | grep -q "^kernel:dgemm  *+1[2-6]" && grep -q "^measure first: timeless calibrate kernels" said'
# Two runs of other parts: the burst alone is 15 % slower.
printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' '0 0 MPI_Init clock_ns=0' '0 1 MPI_Finalize clock_ns=1 volume=1000000' 'end finalized clock_ns=1' >text
"$timeless" undump text -o burst.tl
printf '%s\n' '# two runs' '0.001545 kernels.tl # 1.2 ms + 0.345 ms' '' '0.00115 burst.tl --ranks-per-host 1' >runs
check 'a file of runs' budget --uncertain kernels=2 --uncertain bursts=2 --measured runs --json=m.json
cp out said
check 'separates inputs that one run does not' python3 -c '
import json
inputs = {i["input"]: i for i in json.load(open("m.json"))["inputs"]}
assert inputs["bursts"]["suspicion"] > 0.95 and 1.14 < inputs["bursts"]["suspected_factor"] < 1.16, inputs["bursts"]'
check 'says of how many runs' grep -q '^measured: 2 runs, 1.03 to 1.15 times the prediction' said
check 'runs as predicted make nothing suspect' budget --measured 0.0015 --json=m.json
cp out said
check 'none is the likeliest' python3 -c '
import json
b = json.load(open("m.json"))
assert all(b["no_suspect"] > i.get("suspicion", 0) for i in b["inputs"])'
check 'and then no measurement is recommended' sh -c 'grep -q "^most likely, no input is wrong by more than is stated$" said && ! grep -q "^measure first" said'
check 'one run has one ratio' grep -q '^measured: 1 run, 1 times the prediction' said
check 'a measured time in milliseconds' budget --measured 1.65 --json=m.json
cp out said
check 'makes the user check the time' grep -q 'wrong by far more than 10 times its uncertainty: check that these are seconds of the same run$' said
check 'a measured time of no run at all' budget --uncertain kernels=2 --measured 1e300 --json=m.json
cp out said
check 'gives no infinite numbers' sh -c '! grep -qw "[+-]*inf\|[+-]*nan" said && grep -q "^kernel:dgemm  *over 100 x" said'
check 'and none is left out of the JSON' python3 -c '
import json
suspects = [i for i in json.load(open("m.json"))["inputs"] if "suspicion" in i]
assert len(suspects) == 6 and all(i["suspected_factor"] <= 1e6 for i in suspects), suspects'
# unclear CODE PATTERN: the file runs
unclear() {
    check_exit "$1" "measured runs: $2" budget --measured runs
    cp err said
    check "says $2" grep -q -e "$2" said
}
echo 'soon kernels.tl' >runs; unclear 3 "runs:1: 'soon' is not a measured time; write SECONDS"
echo '1.5 kernels.tl --platform star-1g' >runs; unclear 3 'runs:1: --platform=star-1g: all runs are of the same machine'
echo '1.5 kernels.tl --plat star-1g' >runs; unclear 3 'runs:1: --platform=star-1g: all runs are of the same machine'
echo '1.5 kernels.tl --timeline=out.json' >runs; unclear 3 'runs:1: --timeline shows a single replay'
check 'and nothing is written' test ! -e out.json
echo '1.5 kernels.tl --help' >runs; unclear 3 'runs:1: has .* an option that replay lacks'
echo '1.5 kernels.tl burst.tl' >runs; unclear 3 'runs:1: has more than one trace'
echo '0.00115 --ranks-per-host 1 burst.tl' >runs
check 'a trace may stand behind the options of its run' budget --measured runs
echo '# none' >runs; unclear 3 'runs: has no measured run'
echo '1.5 nothing.tl' >runs; unclear 4 'nothing.tl'
printf '%s\n' '' '1.5 kernels.tl --nonsense' >runs; unclear 3 'runs:2: has more than one trace, or an option that replay lacks'
printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'end cut clock_ns=0' >text
"$timeless" undump text -o empty.tl
printf '%s\n' '0.0015' '1.5 empty.tl' >runs; unclear 3 'runs:2: the makespan of this run is 0'
for i in $(seq 65); do echo 0.0015; done >runs; unclear 3 'runs:65: give at most 64 runs'
check_exit 4 'measured runs: a folder' budget --measured one
cp err said
check 'says that it is one' grep -q '^timeless: one: cannot be read: Is a directory; give the seconds of a run, or a file of runs$' said
check_exit 2 'measured runs: an empty name' budget --measured ''
check 'a measured time with its unit' sh -c '"$0" budget kernels.tl --platform one --measured 0.0015s | grep -q "^measured: 1 run"' "$timeless"
printf '0.0015\r\n0.0016 kernels.tl\r\n' >runs
check 'a file of runs with line ends of Windows' sh -c '"$0" budget kernels.tl --platform one --measured runs | grep -q "^measured: 2 runs"' "$timeless"
rm runs; unclear 4 'give the seconds of a run, or a file of runs'
check_exit 2 'a measured time of 0' budget --measured 0

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
assert b is None if sys.argv[1] == "-" else all(abs(b[name] / float(s) - 1) < 1e-9 for name, s in zip(["low_s", "high_s"], sys.argv[1:])), b' "$@"; }
check 'a budget of a region with another number of threads' region --rank-threads 2
check 'has the least and the greatest makespan of other bounds' bounded 1.1666666666666667 1.3
check 'as many threads as in the run' region
check 'have no such input' bounded -
check 'a bound that is named' region --rank-threads 2 --set region.bound=L3
check 'is no input' bounded -
mkdir between && cp one/platform.xml between
sed 's/memory = 1.25;})/memory = 1.25;}, {cores = 4; arithmetic = 1.6; L3 = 3.5; memory = 2.0;})/; s/parallel = {/& bound = "L3";/' cores/model.conf >between/model.conf
check 'other bounds are faster and slower than the assumed one' region --platform between --rank-threads 2
check 'both count, for so many threads' bounded 1.125 1.3

# ---- wrong use ----
# refused PATTERN ARGUMENTS...
refused() {
    check_exit 2 "refused: ${*:2}" budget "${@:2}"
    cp err said
    check "says $1" grep -q -e "$1" said
}
refused 'disks: this prediction has no such input; its inputs are kernel:dgemm, kernel:user:assemble, bursts, bandwidth, latency' --uncertain disks=3
refused "'bandwidth': write INPUT=PERCENT" --uncertain bandwidth
refused 'from 0 to 99' --uncertain bandwidth=99.5
check 'the engine loggops without a network is refused' ends_with 2 'a budget needs the links of a platform: give --platform NAME, or --engine loggops --params' "$timeless" budget kernels.tl --engine loggops
refused 'its inputs are bandwidth, latency, loopback, network$' --no-compute --uncertain overheads=3
refused 'loopback, kernels, network$' --uncertain kernel:dgem=3
refused 'is the error of --measured; give both' --uncertain measured=3
refused "'loggop': a budget takes smpi or loggops" --engine loggop
check_exit 2 'an option that no replay takes' budget --seed -1
cp err said
check 'is named as if nothing had been changed' grep -q "^timeless budget: --seed '-1': give a whole number from 0 to [0-9]*$" said
check_exit 3 'a trace without computation and messages' "$timeless" budget empty.tl --platform one --measured 1
cp err said
check 'has no budget' grep -q '^timeless: empty.tl: its makespan is 0, so no input can change it; give a trace with computation or messages$' said
check_exit 2 'a budget without a platform' "$timeless" budget kernels.tl
check_exit 4 'a trace that is not there' "$timeless" budget nothing.tl --platform one
tap_done
