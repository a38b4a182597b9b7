#!/usr/bin/env bash
# timeless study scaling: efficiencies by hand, of programs with planted causes; what limits them; weak scaling;
# traces. What is refused stands in scaling_refused.transcript.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
# A unit of computation takes a nanosecond.
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >ns.conf
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --model ns.conf)
scaling() { "$timeless" study scaling "$@"; }

# Rank 0 computes twice as long as the others. Then a token goes from rank to rank, and each rank computes while it has it.
cat >planted.skel <<'END'
skeleton 1
ranks 2
unit "cpu-ns"
param work = 8000000
param held = 1000000
let own = work / ranks * (rank == 0 ? 2 : 1)
compute own
if rank > 0 {
    MPI_Recv peer=rank - 1 count=0
}
compute held
if rank < ranks - 1 {
    MPI_Send peer=rank + 1 count=0
}
END
check 'a program with planted causes' scaling planted.skel --ranks 2..16:2 "${loggops[@]}" --json=planted.json
cp out planted.txt
by_hand='
def near(a, b): assert abs(a / b - 1) < 1e-6, (a, b)
def expected(p, work, held=1e-3, hop=2e-6 + 5e-6 + 2e-6):
    w = work / p
    total, most, ideal = (p + 1) * w + p * held, 2 * w + held, 2 * w + p * held
    return {"total": total, "load_balance": total / p / most, "serialisation": most / ideal,
            "transfer": ideal / (ideal + (p - 1) * hop), "makespan": ideal + (p - 1) * hop}
def check(row, e, names=("load_balance", "serialisation", "transfer")):
    for name in names: near(row["parallel_efficiency"][name], e[name])
    near(row["parallel_efficiency"]["parallel"], e["total"] / row["ranks"] / row["makespan_s"])
'
check '... has the efficiencies of a calculation by hand' json planted.json "$by_hand"'
first, rows = expected(2, 8e-3), d["rows"]
assert d["scaling"] == "strong" and [r["ranks"] for r in rows] == [2, 4, 8, 16]
for row in rows:
    e = expected(row["ranks"], 8e-3)
    check(row, e)
    near(row["makespan_s"], e["makespan"])
    near(row["speed_up"], first["makespan"] / e["makespan"])
    near(row["efficiency"], row["speed_up"] * 2 / row["ranks"])
    near(row["computation"], first["total"] / e["total"])
    near(row["efficiency"] * rows[0]["parallel_efficiency"]["parallel"], row["parallel_efficiency"]["parallel"] * row["computation"])'
check 'each row names its smallest factor, and the first row below 50 % ends the scaling' json planted.json '
for row in d["rows"]:
    factors = {k.replace("_", " "): v for k, v in row["parallel_efficiency"].items() if k != "parallel"}
    factors["computation"] = row["computation"]
    assert row["limit"] == min(factors, key=factors.get), row
assert [r["limit"] for r in d["rows"]][0::3] == ["load balance", "serialisation"]
assert d["ends_at_ranks"] == min(r["ranks"] for r in d["rows"] if r["efficiency"] < .5)'
check 'the text has the same' python3 -c '
import json
d, lines = json.load(open("planted.json")), open("planted.txt").read().splitlines()
for row in d["rows"]:
    (line,) = [l for l in lines if l.split()[:1] == [str(row["ranks"])]]
    assert "%.1f %%" % (100 * row["parallel_efficiency"]["serialisation"]) in line and line.endswith("  " + row["limit"]), line
assert "scaling ends at %d ranks: they take longer than 4 ranks" % d["ends_at_ranks"] in lines, lines
assert "  the problem is the same on each number of ranks" in lines'
check 'SimGrid has the same load balance and serialisation' scaling planted.skel --ranks 2..16:2 -p star-1g --ranks-per-host 1 \
    --json=smpi.json
check '... and another transfer' json smpi.json "$by_hand"'
for row in d["rows"]: check(row, expected(row["ranks"], 8e-3), ("load_balance", "serialisation"))'
for ranks in 2 16; do
    "$timeless" replay planted.skel --ranks $ranks -p star-1g --ranks-per-host 1 --details --json >r$ranks.json
done
check 'the makespans and efficiencies are those of replay --details' json smpi.json '
for row in d["rows"][0::3]:
    one = json.load(open("r%d.json" % row["ranks"]))
    assert row["makespan_s"] == one["makespan_s"] and row["parallel_efficiency"] == one["details"]["efficiency"]'
check 'replay --details prints them' prints 'parallel efficiency .* = load balance .* x serialisation .* x transfer .* (metrics of POP)' \
    "$timeless" replay planted.skel --ranks 16 "${loggops[@]}" --details

# One cause in each program.
limits() { # WORDS LINES OPTION...: each row but the first is limited by this
    local words=$1
    printf '%s\n' 'skeleton 1' 'ranks 2' 'unit "cpu-ns"' "$2" >one.skel
    scaling one.skel --ranks 1..16 "${loggops[@]}" --json >one.json || return
    json one.json 'assert {r.get("limit") for r in d["rows"][1:]} == {sys.argv[3]}, d' "$words"
}
check 'repeated work limits by computation' limits computation 'compute 1000000 + 1000000 / ranks'
check 'large messages limit by transfer' limits transfer $'compute 16000000 / ranks\nMPI_Allreduce count=4000000'
check 'work of one rank limits by load balance' limits 'load balance' $'if rank == 0 {\ncompute 1000000\n}\nMPI_Barrier'
check 'what has no limit has none, and does not end' bash -c '
    printf "%s\n" "skeleton 1" "ranks 2" "unit \"cpu-ns\"" "compute 16000000 / ranks" >free.skel
    "$@" study scaling free.skel --ranks 1..16 --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --model ns.conf |
    tee free.txt | grep "^ *16 .* 100.0 %  -$" &&
    grep -qx "scaling does not end up to 16 ranks" free.txt' - "$timeless"
check 'an efficiency below 50 % ends the scaling' bash -c '
    printf "%s\n" "skeleton 1" "ranks 2" "unit \"cpu-ns\"" "compute 2000000 + 16000000 / ranks" >part.skel
    "$@" | grep -qx "scaling ends at 16 ranks: the efficiency is below 50 %"' - "$timeless" study scaling part.skel \
        --ranks 1..64:2 "${loggops[@]}"
check 'more ranks that take longer end the scaling' prints 'scaling ends at 64 ranks: they take longer than 16 ranks' \
    scaling planted.skel --set held=0 --set work=2000000 --ranks 16,64 "${loggops[@]}"
check 'a program without computation has no split, and the text says so' prints \
    '2 of 2 numbers of ranks have no split of their efficiency: no rank computes' \
    scaling pattern:ring --ranks 4,8 "${loggops[@]}"

# ---- a file of points ----
kept() { scaling planted.skel --ranks "$1" -p star-1g --ranks-per-host 8 -o points.csv --json="$2"; }
check '-o keeps the points' kept 2..4:2 part.json
check '... as the table of a sweep, with efficiencies' python3 -c '
import csv, json
rows = json.load(open("part.json"))["rows"]
for row, kept in zip(rows, csv.DictReader(open("points.csv")), strict=True):
    assert kept["ranks"] == str(row["ranks"]) and float(kept["makespan_s"]) == row["makespan_s"], kept
    assert all(float(kept[k]) == row["parallel_efficiency"][k] for k in ("load_balance", "serialisation", "transfer")), kept'
sed -i 's/^\(2,\)[^,]*/\18/' points.csv
check 'points of the file are not repeated' kept 2..64:2 more.json
check '... and the rest, with its notes, is as without a file' json more.json '
rows = d["rows"]
assert rows[0]["makespan_s"] == 8 and rows[1]["makespan_s"] == json.load(open("part.json"))["rows"][1]["makespan_s"]'
check 'all points of the file' kept 2..64:2 all.json
check '... give the same' cmp more.json all.json
check 'among them that ranks share cores' json all.json 'assert any(n.startswith("from 8 ranks on, ranks share cores") for n in d["assumed"]), d["assumed"]'

# ---- weak ----
check 'weak: a parameter grows' scaling planted.skel --weak --grow 'work = 4000000 * ranks' --ranks 16,2,4 "${loggops[@]}" --json=weak.json
check '... by its expression, and the efficiency is a ratio of makespans' json weak.json "$by_hand"'
assert d["scaling"] == "weak" and [(r["ranks"], r["parameters"]) for r in d["rows"]] == [(p, {"work": 4000000 * p}) for p in (2, 4, 16)]
assert "work =  4000000 * ranks" in d["assumed"], d["assumed"]
for row in d["rows"]:
    e, first = expected(row["ranks"], 4e-3 * row["ranks"]), expected(2, 8e-3)
    check(row, e)
    near(row["efficiency"], first["makespan"] / e["makespan"])
    near(row["computation"], first["total"] / 2 / e["total"] * row["ranks"])
    assert "speed_up" not in row'
check 'weak: the values are in the text' prints '16   64000000 ' scaling planted.skel --weak --grow 'work=4000000*ranks' \
    --ranks 2,16 "${loggops[@]}"
check 'weak: less computation of a rank is noted' prints \
    'weak scaling keeps the computation of a rank, but at 16 ranks it is .* times that of the first row; give another --grow' \
    scaling planted.skel --weak --ranks 2,16 "${loggops[@]}"
check 'weak: HPL' scaling hpl:NB=32 --weak --grow 'N=root(1000000000*ranks,3)' --ranks 1,4 -p dahu --engine loggops --json=hpl.json
check '... with the volume of each rank kept' json hpl.json '
assert [r["parameters"]["N"] for r in d["rows"]] == [1000, 1587] and abs(d["rows"][1]["computation"] - 1) < 0.2, d'

# ---- traces ----
for ranks in 2 4 8; do "$timeless" make planted.skel ranks=$ranks -o $ranks.tl; done
check 'traces of several numbers of ranks, in any order' scaling 8.tl 2.tl 4.tl "${loggops[@]}" --json=traces.json
check '... have the rows of their skeleton' json traces.json '
whole = json.load(open("planted.json"))["rows"]
for row, other in zip(d["rows"], whole):
    assert row.pop("trace") == "%d.tl" % row["ranks"] and row == other, (row, other)
assert "the traces are runs of one program with the same problem" in d["assumed"]'
for engine in smpi:than\ ranks loggops:as\ if\ it\ had\ one\ alone; do
    check "ranks that share cores are noted with ${engine%%:*}" prints \
        "from 16 ranks on, ranks share cores, as there are fewer cores .*${engine#*:}" \
        scaling planted.skel --ranks 4,16 -p star-1g --ranks-per-host 16 --engine ${engine%%:*}
done
# ---- the picture ----
check 'the picture' scaling planted.skel --ranks 2..16:2 "${loggops[@]}" --plot strong.svg
check 'of weak scaling' scaling planted.skel --weak --grow 'work=4000000*ranks' --ranks 2..16:2 "${loggops[@]}" --plot weak.svg
texts='
import sys, xml.etree.ElementTree as e
def texts(path): return ["".join(t.itertext()).strip() for t in e.parse(path).getroot().iter("{http://www.w3.org/2000/svg}text")]
'
check '... have ideal lines, factors, and a tick for each number of ranks' python3 -c "$texts"'
for path, y in ("strong.svg", "speed-up"), ("weak.svg", "makespan"):
    t = texts(path)
    for name in "ideal", "load balance", "serialisation", "transfer", "computation", "efficiency": assert t.count(name) == 1, (name, t)
    for tick in "2", "4", "8": assert tick in t, t
    assert t.count("16") >= 2 and any(s.startswith(y) for s in t) and t.count("ranks, logarithmic") == 2, t'
check '... and each series, of both panels, has a colour and a mark of its own' python3 -c '
import re
for path in "strong.svg", "weak.svg":
    looks = set(re.findall("gpPt([0-9]+). [^>]* color=.(rgb[^)]*)", open(path).read()))
    assert len(looks) == 7 and all(len(set(of)) == 7 for of in zip(*looks)), looks'
tap_done
