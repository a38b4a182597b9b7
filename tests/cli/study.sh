#!/usr/bin/env bash
# timeless study collectives: the points are single replays; the best, the rule, the files, the picture; resumed.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
study() { "$timeless" study collectives "$@"; }
dahu() { study -p dahu --ranks-per-host 1 "$@"; }

check 'alltoall by some algorithms is studied' dahu --op alltoall --ranks 8,12 --bytes 8,4K \
    --algorithms pair,ring,bruck,basic_linear -o points.csv --csv all.csv --json=all.json --plot all.svg
cp out printed
"$timeless" make call_alltoall -n 12 --bytes 4096 -o a.tl
for name in ring bruck basic_linear; do
    echo "$name $("$timeless" replay a.tl -p dahu --ranks-per-host 1 --coll-selector ompi-4.1 --coll alltoall=$name -q)"
done >single
echo "rule $("$timeless" replay a.tl -p dahu --ranks-per-host 1 --coll-selector ompi-4.1 -q)" >>single
check 'the times are those of single replays, the best is the least, and the rule is compared with it' python3 -c '
import csv, json
single = {a: float(s) for a, s in (line.split() for line in open("single"))}
rows = [r for r in csv.DictReader(open("all.csv")) if r["ranks"] == "12" and r["bytes"] == "4096"]
assert [r["algorithm"] for r in rows] == ["rule ompi-4.1", "pair", "ring", "bruck", "basic_linear"], rows
for r in rows:
    if r["algorithm"] == "pair":
        assert not r["makespan_s"] and "power of two" in r["error"]
    else:
        assert float(r["makespan_s"]) == single[r["algorithm"].split()[0]], r
best = min((s, a) for a, s in single.items() if a != "rule")
assert [r["algorithm"] for r in rows if r["is_best"] == "1"] == [best[1]]
(case,) = [c for c in json.load(open("all.json"))["cases"] if c["ranks"] == 12 and c["bytes"] == 4096]
assert case["best"] == best[1] and case["rule"]["algorithm"] == "linear_sync"
assert case["rule"]["times_best"] == single["rule"] / best[0]
assert "not_possible" in case["algorithms"][0]'
check 'the text has the best, the rule and how much slower that is' python3 -c '
import json, re
case = json.load(open("all.json"))["cases"][0]
loses = 100 * (case["rule"]["times_best"] - 1)
line = next(l for l in open("printed") if re.match(" +8 ", l))
words = line.split()
shown = {"fast": 0, "slower": 1, "faster": -1}[words[-1]] * (words[-1] != "fast" and float(words[-3]))
assert words[1] == case["best"] and abs(shown - loses) <= 0.005 * abs(loses) + 0.05, line'
sed -i 's/^\(call_alltoall,8,8,ring,\)[^,]*/\142/' points.csv
check 'a study is resumed from its file' dahu --op alltoall --ranks 8,12 --bytes 8,4K \
    --algorithms pair,ring,bruck,basic_linear -o points.csv --csv again.csv
check 'points of the file are not run again' grep -q ',42,' again.csv

check 'small messages: the rule of 64 B is not the linear algorithm, and the linear one is not the best' python3 -c '
import csv
rows = {r["algorithm"]: r for r in csv.DictReader(open("all.csv")) if r["ranks"] == "8" and r["bytes"] == "8"}
assert rows["bruck"]["is_best"] == "1" and float(rows["basic_linear"]["times_best"]) > 1.5'

# Pictures.
picture() { python3 -c '
import sys, xml.etree.ElementTree as e
svg = e.parse(sys.argv[1]).getroot()
texts = ["".join(t.itertext()).strip() for t in svg.iter("{http://www.w3.org/2000/svg}text")]
exec(sys.argv[2])' "$@"; }
check 'the picture has a title, axes with units that name their scale, and decades' picture all.svg '
assert "alltoall, 4 algorithms, dahu, ranks per host: 1" in texts, texts
assert texts.count("bytes of the call, logarithmic") == texts.count("ranks, logarithmic") == 2, texts
assert texts.count("makespan, logarithmic") == 4, texts
for tick in "1 kB", "10 µs": assert tick in texts, texts
assert "8 ranks" in texts and "12 ranks" in texts'
check 'the legend has each algorithm and the rule once, and explains the crosses' picture all.svg '
for name in "the rule ompi-4.1", "pair", "ring", "bruck", "basic_linear", "not possible, or failed":
    assert texts.count(name) == 1, (name, texts)'
check 'if the ranks vary, it is also drawn over them, for the fewest and the most bytes' picture all.svg '
assert "8 B" in texts and "4096 B" in texts and texts.count("8") >= 2 and texts.count("12") >= 2, texts'
check 'a picture with a schedule' \
    study --op alltoall --ranks 4,64 --bytes 1K..2M:32 --engine loggops --params $params \
    --algorithms "bruck,$top_srcdir/traces/schedules/alltoall_bruck.sched" --plot own.svg
check '... has the same ticks in both panels of a row, at whole decades' picture own.svg '
ends = [i for i, t in enumerate(texts) if t == "makespan, logarithmic"]
ticks = [[t for t in texts[a:b] if t.endswith("s") and t[0].isdigit() and "ranks" not in t] for a, b in zip([0] + ends, ends)]
assert ticks[0] == ticks[1] and ticks[2] == ticks[3] and len(ticks[0]) > 2, ticks
assert all(texts.count(t) == 2 for t in ("1 kB", "10 kB", "100 kB", "1 MB")), texts'
check '... and draws an own algorithm thicker than all others' python3 -c '
import re
widths = [float(w) for w in re.findall("stroke-width=.([0-9.]+)", open("own.svg").read())]
assert max(widths) == 4 and sorted(set(widths))[-2] == 2.5, set(widths)'
for format in pdf png; do
    check "a picture is drawn as $format" study --op bcast --ranks 4 --bytes 1,1K --engine loggops --params $params --plot p.$format
    check "it is a $format file" bash -c "head -c 8 p.$format | grep -aqi $format"
done
mkdir empty
check 'without gnuplot a study says what to install' ends_with 4 'install gnuplot (Debian: gnuplot-nox)' \
    env PATH="$PWD/empty" "$timeless" study collectives --op bcast --ranks 4 --bytes 1 --engine loggops --params $params --plot none.svg
check 'and leaves no picture' test ! -e none.svg

check 'every operation is studied by LogGOPS' bash -c \
    'for op in allgather allreduce alltoall barrier bcast gather reduce reduce_scatter scatter; do
    "$1" study collectives --op $op --ranks 3,12 --bytes $([ $op = barrier ] || echo 64,)0 \
        --engine loggops --params '$params' >out || exit 1; grep -q "^12 ranks" out || exit 1; done' - "$timeless"
check 'ranges of ranks and bytes' python3 -c '
import json, subprocess, sys
text = subprocess.run([sys.argv[1], "study", "collectives", "--op", "bcast", "--engine", "loggops", "--params", sys.argv[2], "--json",
    "--ranks", "2..9", "--bytes", "0..8:2,1K"], check=True, capture_output=True).stdout
cases = json.loads(text)["cases"]
assert sorted({c["ranks"] for c in cases}) == [2, 8, 9] and sorted({c["bytes"] for c in cases}) == [0, 1, 2, 4, 8, 1024], cases' \
    "$timeless" "$params"
# About a million messages each, so that two seconds are too few on any machine.
many() {
    study --op alltoall --ranks 4,1024 --bytes 64K,128K,256K,512K -p stampede --engine loggops -j 1 --algorithms pair,ring \
        --max-seconds 2 -o some.csv >some.txt 2>some.err
}
check 'after --max-seconds the tables of what has ended are printed' many
check '... and what had no time is counted' says 'of 24 points had no time in --max-seconds 2; the same command goes on' some.err
check '... and marked' says ' ?' some.txt
lines() { dahu --op bcast --bytes 1 --progress >/dev/null 2>lines.err; }
check '--progress prints lines without a terminal' lines
check '... on standard error' says '~timeless: 1 of [0-9]* points, about [0-9]* s left' lines.err
tap_done
