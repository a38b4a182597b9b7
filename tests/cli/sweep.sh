#!/usr/bin/env bash
# timeless sweep: the points of a grid are the replays that they stand for; resumed.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
"$timeless" make dissemination -n 16 --bytes 1000 --iterations 5 -o d.tl
"$timeless" make token -n 8 --bytes 1000 -o token.tl

sweep() { "$timeless" sweep "$@"; }
loggops() { sweep --engine loggops --params $params "$@"; }

# Each point beside the replay.
check 'SimGrid: a grid of two axes is swept' sweep d.tl -p star-1g --grid scale.network=0.1,1,10 \
    --grid coll-selector=ompi,mpich -o s.csv -j 2
for scale in 0.1 1 10; do
    for selector in ompi mpich; do
        "$timeless" replay d.tl -p star-1g --scale network $scale --coll-selector $selector -q
    done
done >expected
check 'SimGrid: the points are the single replays, and the last axis changes fastest' equal "$(cat expected)" "$(column s.csv makespan_s)"
check 'SimGrid: the part file is removed at the end' test ! -e s.csv.part
check 'the table has the same bytes with another number of jobs' bash -c \
    "'$timeless' sweep d.tl -p star-1g --grid scale.network=0.1,1,10 --grid coll-selector=ompi,mpich -j 1 | cmp - s.csv"
check 'LogGOPS: a grid of traces, a parameter, noise and seeds is swept' loggops d.tl token.tl --grid params.L=1us,5us \
    --grid 'noise=none;1000Hz:100us,coscheduled' --grid seed=1:2 -o l.csv --json=l.json --plot l.svg
for trace in d token; do
    for L in 1us 5us; do
        for noise in '' --noise=1000Hz:100us,coscheduled; do
            for seed in 1 2; do
                "$timeless" replay $trace.tl --engine loggops --params ${params/L=5us/L=$L} $noise --seed $seed -q
            done
        done
    done
done >expected
check 'LogGOPS: the points are the single replays' equal "$(cat expected)" "$(column l.csv makespan_s)"
check 'the JSON has the rows of the table' python3 -c '
import csv, json
rows, points = list(csv.DictReader(open("l.csv"))), json.load(open("l.json"))["points"]
assert len(rows) == len(points) == 16
for r, p in zip(rows, points):
    assert float(r["makespan_s"]) == p["makespan_s"] and int(r["seed"]) == p["at"]["seed"], (r, p)
    assert bool(r["makespan_without_noise_s"]) == ("makespan_without_noise_s" in p) == (r["noise"] != "none")'
# plot FILE CODE: with the texts in order, and the number of series that are drawn
plot() {
    python3 -c '
import sys, xml.etree.ElementTree as e
svg = e.parse(sys.argv[1]).getroot()
texts = ["".join(t.itertext()).strip() for t in svg.iter("{http://www.w3.org/2000/svg}text")]
places = [g.get("transform") for g in svg.iter("{http://www.w3.org/2000/svg}g") if g.find("{http://www.w3.org/2000/svg}text") is not None]
exec(sys.argv[2])' "$@"
}
check 'the plot has a legend of all combinations except traces and seeds, and the traces below the axis' plot l.svg '
for name in "params.L=1us noise=none", "params.L=5us noise=1000Hz:100us,coscheduled", "d.tl", "token.tl", "trace":
    assert texts.count(name) == 1, (name, texts)
assert sum(t.startswith("params.L=") for t in texts) == 4 and not any("rotate" in (p or "") for p, t in zip(places, texts) if t == "d.tl")'
check 'the plot has a title, and axes with units that name their scale' plot l.svg '
assert texts.count("replay --engine=loggops --params='$params'") == 1, texts
assert [t for t in texts if t.startswith("makespan [")] , texts'
check 'make=: patterns of many sizes are swept' loggops --grid make=dissemination,binomial --grid make.ranks=4,64 \
    --grid make.bytes=1000 --grid make.iterations=5 -o m.csv
"$timeless" make dissemination -n 64 --bytes 1000 --iterations 5 -o d64.tl
check 'make=: the points are replays of traces of timeless make' equal \
    "$(column m.csv makespan_s | sed -n 2p)" "$("$timeless" replay d64.tl --engine loggops --params $params -q)"

# Plots.
long=$PWD/$(printf 'folder%.0s' 1 2 3 4 5 6 7 8 9)
mkdir "$long"
"$timeless" make token -n 4 -o "$long/<é>.tl"
check 'a plot over long names is written' loggops d.tl token.tl d64.tl "$long/<é>.tl" --grid params.o=1us,2us --plot n.svg
check 'a plot shortens and turns long names' plot n.svg '
names = [t for t in texts if t.endswith(".tl") and not t.startswith("replay")]
assert names[:3] == ["d.tl", "token.tl", "d64.tl"] and len(names) == 4, texts
assert len(names[3]) == 29 and names[3][14] == "…" and names[3].endswith("/<é>.tl"), names
assert any("rotate(-45" in (p or "") for p in places), places'
check 'a plot over very many names and one over very many lines are written' bash -c '
    "$1" sweep token.tl --engine loggops --params '$params' --grid "params.L=$(seq -s, -f %gus 1 40)" --grid threads=1,2 \
        --plot many.svg >many.csv &&
    "$1" sweep token.tl --engine loggops --params '$params' --grid "params.L=$(seq -s, -f %gus 1 40)" --grid params.o=1us \
        --plot n.svg >many.csv' - "$timeless"
check 'a plot lists very many lines' plot many.svg 'assert sum(t.startswith("params.L=") for t in texts) == 40, texts'
check 'a plot has very many names' plot n.svg 'assert sum(t.endswith("us") and t[:-2].isdigit() for t in texts) == 40, texts'
check 'numbers over more than a decade get a logarithmic axis with decades' bash -c '
    "$1" sweep --engine loggops --params '$params' --grid make=call_bcast --grid make.ranks=8 --grid make.bytes=1,1000,1000000 \
        --plot log.svg >log.csv' - "$timeless"
check 'the axis says so' plot log.svg '
for t in "make.bytes, logarithmic", "makespan, logarithmic", "1 B", "10 B", "1 kB", "1 MB":
    assert texts.count(t) == 1, (t, texts)'
check 'points that are not possible get a cross, which the legend explains' bash -c '
    "$1" sweep -p graphene --ranks-per-host 1 --grid make=call_alltoall --grid make.ranks=4,6 --grid coll.alltoall=pair,ring \
        --plot cross.svg >cross.csv &&
    grep -q "not possible, or failed" cross.svg && ! grep -q "not possible, or failed" log.svg' - "$timeless"
check 'an axis of few whole numbers has no ticks between them' plot cross.svg \
    'assert "4" in texts and "5" in texts and "4.5" not in texts, texts'
check 'a plot as PDF and PNG' bash -c 'for f in pdf png; do
    "$1" sweep token.tl --engine loggops --params '$params' --grid params.L=1us,2us --plot kind.$f >kind.csv &&
        head -c 8 kind.$f | grep -aqi $f || exit 1; done' - "$timeless"

# Resumed: a made-up result of a point that is known stays, what changed is run again.
known() { sed -i 's/^1,ompi,[^,]*/1,ompi,42/' s.csv; }
grid() { sweep d.tl -p star-1g --grid scale.network="$1" --grid coll-selector=ompi -o s.csv "${@:2}"; }
known
check 'a sweep is resumed from its results file' grid 1,2
check 'points of the results file are not run again' test "$(column s.csv makespan_s | head -n 1)" = 42
check 'points that the results file lacks are run' equal \
    "$(column s.csv makespan_s | sed -n 2p)" "$("$timeless" replay d.tl -p star-1g --scale network 2 --coll-selector ompi -q)"
head -n 2 s.csv >s.csv.part
printf '2,ompi,17' >>s.csv.part
rm s.csv
check 'a sweep is resumed from a part whose last row was cut' grid 1,2
check 'a whole row of a part counts as known' test "$(column s.csv makespan_s | head -n 1)" = 42
check 'a cut row of a part is run again' equal \
    "$(column s.csv makespan_s | sed -n 2p)" "$("$timeless" replay d.tl -p star-1g --scale network 2 --coll-selector ompi -q)"
check 'a sweep with another option is run' grid 1,2 --no-compute
check 'another option makes another point' bash -c 'row=$(sed -n 2p s.csv) && [ -n "$row" ] && [[ $row != *,42,* ]]'
check 'the row of the point without the option is kept' grep -q ,42, s.csv
cp -r "$TIMELESS_PLATFORMS/star-1g" mine
chmod -R u+w mine
own() { sweep d.tl -p ./mine --grid scale.network=1 -o o.csv; }
check 'a sweep over a platform is run' own
sed -i 's/^1,[^,]*/1,42/' o.csv
echo '# a change' >>mine/options.conf
check 'a sweep is run after its platform changed' own
check 'a changed platform makes another point' bash -c '[ -s o.csv ] && ! grep -q ,42, o.csv'
printf '0 1000\n5000 1000\n' >detours
noisy() { loggops d.tl --grid 'noise=detours;detours,coscheduled' -o n.csv; }
check 'a sweep over a file of noise is run' noisy
sed -i -E 's/^(detours|"detours,coscheduled"),[^,]*/\1,42/' n.csv
check 'with the same file of noise, the points are known' test "$(noisy && column n.csv makespan_s | tr '\n' ' ')" = '42 42 '
echo '9000 1000' >>detours
check 'a sweep is run after its file of noise changed' noisy
check 'a changed file of noise makes other points' bash -c '[ -s n.csv ] && ! grep -q ,42, n.csv'
mkdir -p installed/noise && cp -r "$TIMELESS_PLATFORMS/star-1g" installed && mv detours installed/noise/ours
kibibytes() { loggops token.tl --grid params.S=64K,65536 -o bytes.csv && test "$(column bytes.csv makespan_s | uniq | wc -l)" = 1; }
check 'an axis takes bytes as --params does' kibibytes
named() { TIMELESS_PLATFORMS=$PWD/installed loggops d.tl --grid 'noise=ours;ours,coscheduled' -o i.csv; }
check 'a sweep over noise that the platforms know by name is run' named
sed -i -E 's/^(ours|"ours,coscheduled"),[^,]*/\1,42/' i.csv
check 'with the same noise of this name, the points are known' test "$(named && column i.csv makespan_s | tr '\n' ' ')" = '42 42 '
echo '19000 1000' >>installed/noise/ours
check 'a sweep is run after the noise of this name changed' named
check 'changed noise of this name makes other points' bash -c '[ -s i.csv ] && ! grep -q ,42, i.csv'

# What is refused stands in sweep_refused.transcript.
# lists COMMAND: its help has the options of a replay that it takes, and none that it refuses
lists() {
    "$timeless" "$1" --help >help.txt && grep -q -e '--coll-selector=NAME' help.txt || return
    local name n=0
    for name in $(sed -n '/^ Platform and placement/,$s/^ *\(-., \)\?--\([a-z-]*\).*/\2/p' help.txt); do
        case $name in help | usage) continue ;; esac
        n=$((n + 1))
        { "$timeless" "$1" d.tl "--$name=1"; "$timeless" "$1" d.tl "--$name"; } 2>&1 | grep -q 'shows a single replay' &&
            echo "--$name is refused" && return 1
    done
    [ $n -gt 15 ]
}
check 'the help of sweep lists the options that it accepts' lists sweep
check 'the help of tolerance lists the options that it accepts' lists tolerance
tap_done
