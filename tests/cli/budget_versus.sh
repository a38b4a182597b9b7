#!/usr/bin/env bash
# timeless budget --versus: the interval of a difference, against formulas and against the replays that it stands for.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
for unit in cpu-ns instructions; do
    printf '%s\n' 'timeless-text 1' 'ranks 1' "volume_unit \"$unit\"" 'rank 0 host="h"' '0 0 MPI_Init clock_ns=0' \
        '0 1 dgemm m=100 n=100 k=100' \
        '0 2 MPI_Finalize clock_ns=1 volume=1000000' 'end finalized clock_ns=1' | "$timeless" undump - -o $unit.tl
done
# platform NAME NANOSECONDS: what dgemm takes of 1e6 multiplications; a burst takes 1 ms
platform() {
    mkdir "$1" && sed 's/speed="[^"]*"/speed="1Gf"/' "$top_srcdir/platforms/star-1g/platform.xml" >"$1/platform.xml"
    printf '%s\n' 'version = 2; reference_flops = 1e9;' \
        'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;}, {unit = "instructions"; seconds_per_unit = 1e-9;});' \
        "kernels = ({kernel = \"dgemm\"; seconds = {mnk = ${2}e-9;};});" >"$1/model.conf"
}
platform one 1
platform two 0.5

# ---- what is the same on both sides cancels ----
check 'the same machine, twice as fast' "$timeless" budget cpu-ns.tl -p ./one --uncertain bursts=50 --uncertain kernels=40 \
    --versus --host-speed 2x --json=b.json
cp out said
check 'is certain, whatever is uncertain on both sides' json b.json '
assert abs(d["ratio"] - 0.5) < 1e-9 and abs(d["low_ratio"] - 0.5) < 1e-9 and abs(d["high_ratio"] - 0.5) < 1e-9, d
assert [s["makespan_s"] for s in d["sides"]] == [0.002, 0.001], d["sides"]
assert "bursts" in [i["input"] for i in d["inputs"]]'
check 'and printed in words' says 'B is faster than A by 50 to 50 % of the time of A (90 % interval; predicted: 50 % faster)' said
check 'the options of each side are printed' sh -c 'grep -qx "A: makespan 0.002 s, --platform=./one" said &&
    grep -qx "B: makespan 0.001 s, with --host-speed=2x" said'
check 'the same machine twice' prints 'A and B take the same time' "$timeless" budget cpu-ns.tl -p ./one --versus -p ./one

# ---- what each side has of its own does not ----
check 'two models' "$timeless" budget cpu-ns.tl -p ./one --uncertain kernels=10 --uncertain B:kernel:dgemm=20 --versus -p ./two \
    --json=b.json
check 'have kernels of their own, and the same CPU time' json b.json '
i = {i["input"]: i for i in d["inputs"]}
assert {"A:kernel:dgemm", "B:kernel:dgemm", "bursts"} <= set(i) and not {"kernel:dgemm", "A:bursts", "B:bursts"} & set(i), list(i)
def near(name, low, high):
    assert abs(i[name]["low_ratio"] - low) < 1e-9 and abs(i[name]["high_ratio"] - high) < 1e-9, i[name]
near("A:kernel:dgemm", 1.5 / 1.9, 1.5 / 2.1)
near("B:kernel:dgemm", 1.4 / 2, 1.6 / 2)
near("bursts", 1.3 / 1.8, 1.7 / 2.2)
above = sum((max(x["low_ratio"], x["high_ratio"]) - 0.75) ** 2 for x in i.values())
assert abs(d["high_ratio"] - 0.75 - above ** 0.5) < 1e-9, (d["high_ratio"], above)'
cp -r two slow && sed -i '/cpu-ns/s/1e-9;}, /2e-9;}, /' slow/model.conf
check 'CPU time is that of each CPU, if the models have another one' "$timeless" budget cpu-ns.tl -p ./one --versus -p ./slow --json=b.json
check '... and does not cancel' json b.json '
i = {i["input"]: i for i in d["inputs"]}
assert {"A:bursts", "B:bursts"} <= set(i) and "bursts" not in i, list(i)'
check 'the time of an instruction is that of each model' prints '"B:bursts"' \
    "$timeless" budget instructions.tl -p ./one --versus -p ./two --json
check 'with one model for both, it is the same' prints '"bursts"' \
    "$timeless" budget instructions.tl -p ./one --model one/model.conf --versus -p ./two --json
check 'a difference that may be none' prints \
    'B may be faster or slower than A: from .* % of the time of A faster to .* % slower (90 % interval; predicted: 25 % faster)' \
    "$timeless" budget cpu-ns.tl -p ./one --uncertain kernels=90 --versus -p ./two
check 'the slower side may be B' prints '~^B is slower than A by 33.3 to 33.3 % ' "$timeless" budget cpu-ns.tl -p ./two \
    --uncertain bursts=0 --uncertain kernels=0 --versus -p ./one

# ---- LogGOPS: a message of 1,001 bytes ten times around 4 ranks, 40 (L + 2 o + 1000 G) ----
"$timeless" make token -n 4 --bytes 1001 --iterations 10 -o token.tl
logp=o=2us,g=2us,G=2.5ns,O=1ns
check 'parameters of two networks' "$timeless" budget token.tl --engine loggops --params L=5us,$logp --uncertain L=20 \
    --versus --params L=10us,$logp --json=b.json
check 'have the parts of the formula' json b.json '
i = {i["input"]: i for i in d["inputs"]}
def near(name, low, high):
    assert abs(i[name]["low_ratio"] - low) < 1e-6 and abs(i[name]["high_ratio"] - high) < 1e-6, i[name]
near("A:L", 16.5 / 10.5, 16.5 / 12.5)
near("B:L", 14.5 / 11.5, 18.5 / 11.5)'

# ---- platforms ----
# apart ENGINE: star-1g and fat-tree, into ENGINE.json
apart() { "$timeless" budget token.tl --engine "$1" -p star-1g --ranks-per-host 1 --versus -p fat-tree --json="$1.json"; }
check 'two platforms' apart smpi
replays() { "$timeless" replay token.tl --ranks-per-host 1 -q "$@"; }
check 'have the ratios of the replays at the bounds' json smpi.json "
i = {i['input']: i for i in d['inputs']}
a, b = $(replays -p star-1g), $(replays -p fat-tree)
assert d['ratio'] == b / a
assert i['A:latency']['low_ratio'] == b / $(replays -p star-1g --scale latency \
    0.9) and i['B:latency']['high_ratio'] == $(replays -p fat-tree --scale latency 1.1) / a, i"
check 'two platforms, with the engine loggops' apart loggops
check 'have the same inputs and nearly the same interval' json loggops.json '
s = json.load(open("smpi.json"))
assert {i["input"] for i in d["inputs"]} == {i["input"] for i in s["inputs"]} - {"order of wildcards"}
assert all(abs(d[k] / s[k] - 1) < 0.03 for k in ("ratio", "low_ratio", "high_ratio")), (d, s)'
"$timeless" make sweep --ranks 4 --bytes 4096 --iterations 200 -o long.tl
check 'sampled replays' "$timeless" budget long.tl -p star-1g --ranks-per-host 1 --no-compute --sample 5% --versus -p fat-tree --json=b.json
check 'have what sampling leaves open, on each side' json b.json '
i = {i["input"]: i for i in d["inputs"]}
assert all(i[n]["high_ratio"] > i[n]["low_ratio"] > 0 for n in ("A:sampling", "B:sampling")), list(i)'
check 'noise is of each side, and from other seeds' sh -c \
    '"$0" budget token.tl -p star-1g --noise 1kHz:10us --versus -p fat-tree --json | grep -c ":noise\"" | grep -qx 2' "$timeless"
tap_done
