#!/usr/bin/env bash
# energy.sh - the watts of the shipped platforms, and the energy and cost of a job, by closed formulas in both engines.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
platforms=$(cd "$top_srcdir/platforms" && pwd)
export TIMELESS_PLATFORMS=$platforms

# trace FILE SECONDS...: a trace whose ranks only compute, one for each number
trace() {
    local file=$1 r=0 s
    shift
    { printf '%s\n' 'timeless-text 1' "ranks $#" 'volume_unit "cpu-ns"'
      for s in "$@"; do
          printf 'rank %d host="h"\n%d 0 MPI_Wtime clock_ns=0 volume=%d000000000\nend cut clock_ns=0\n' $r $r "$s"
          r=$((r + 1))
      done; } | "$timeless" undump - -o "$file"
}
# said JSON CODE: reads the prediction as p
said() { python3 -c "
import json
p = json.load(open('$1'))
near = lambda a, b: abs(a - b) <= 1e-6 * abs(b)
$2"; }
watts_of() { sed -n 's/.*wattage_per_state" value="\([0-9.]*:[0-9.]*:[0-9.]*\)".*/\1/p' "$platforms/$1/platform.xml" | sort -u; }
cores_of() { sed -n 's/.* core="\([0-9]*\)".*/\1/p' "$platforms/$1/platform.xml" | sort -u; }

# SimGrid's power of a host: idle, or LEAST + the share of the cores at work * (ALL - LEAST). Two ranks compute for 1 s and 2 s:
# on one host if it has two cores.
trace both.tl 1 2 || exit 99
for xml in "$platforms"/*/platform.xml; do
    name=$(basename "$(dirname "$xml")")
    watts=$(watts_of "$name")
    check "$name: all hosts state the same watts" test "$(wc -w <<<"$watts")" = 1
    for engine in smpi loggops; do
        check "$name: a replay with $engine prints the energy" "$timeless" replay both.tl -p "$name" --engine $engine \
            --model "$platforms/star-1g/model.conf" --json="$name.json"
        check "$name: joules of the job by the formula, $engine" said "$name.json" "
idle, least, full = map(float, '$watts'.split(':'))
cores = $(cores_of "$name")
assert 0 < idle <= least < full, '$watts'
at = lambda n: least + (full - least) * n / cores
joules = at(2) + at(1) if cores > 1 else at(1) + idle + 2 * at(1)
e = p['energy']
assert near(e['job_j'], joules), (e, joules)
assert len(e['hosts']) == (1 if cores > 1 else 2) and near(sum(h['energy_j'] for h in e['hosts']), joules), e
assert e['hosts_j'] >= e['job_j'] and 'at_least' not in e, e"
    done
    check "$name: README.md has the watts and where they come from" \
        grep -qE '^\| watts of a (node|host|machine) \|.*[0-9] W.*\| .*(published|stated)' \
        "$platforms/$name/README.md"
    for watt in ${watts//:/ }; do
        check "$name: the $watt W of the file are in README.md" grep -qE "^\| watts of a.*[^0-9.]$watt W" "$platforms/$name/README.md"
    done
done
# All hosts of the platform count, and those of the job alone: 16 hosts of star-1g, 62 W idle, four cores of the first at work.
trace four.tl 1 1 1 1 || exit 99
for engine in smpi loggops; do
    check "a full host and 15 idle ones, $engine" "$timeless" replay four.tl -p star-1g --engine $engine --json=four.json
    check "are 124 J of the job and 1054 J, $engine" said four.json \
        "assert near(p['energy']['job_j'], 124) and near(p['energy']['hosts_j'], 124 + 15 * 62)"
done

# An hour of a host at 124 W and the price of a kWh.
trace hour.tl 3600 3600 3600 3600 || exit 99
for engine in smpi loggops; do
    check "--energy=0.30/kWh,2/host-hour, $engine" "$timeless" replay hour.tl -p star-1g --engine $engine --energy=0.30/kWh,2/host-hour
    cp out text
    check "prints the cost, $engine" grep -qxE 'cost of the job   2\.037: energy 0\.0372, hosts 2' text
    check "and kWh, $engine" grep -qE '^of the job .* J of the 1 hosts with ranks, 0\.124 kWh$' text
    check "--energy=0.30/kWh alone, $engine" "$timeless" replay hour.tl -p star-1g --engine $engine --energy=0.30/kWh --json=cost.json
    check "is the cost of the energy, $engine" said cost.json "c = p['cost']; assert near(c['total'], 0.0372) and c['hosts'] == 0, c"
done
check 'without a price there is no cost' "$timeless" replay hour.tl -p star-1g --json=none.json
check 'in the JSON' said none.json "assert 'cost' not in p and 'energy' in p"
for price in 0.3 0.3/Wh /kWh -1/kWh 0.3/kWh, nan/kWh 0.3/kWh,x; do
    check_exit 2 "--energy=$price is refused" "$timeless" replay hour.tl -p star-1g "--energy=$price"
done

# A sweep has the energy and the cost of each of its points: those of single replays.
price=0.30/kWh,2/host-hour
for engine in smpi loggops; do
    rm -f sweep.csv
    check "a sweep over platforms and placements, $engine" "$timeless" sweep four.tl --model "$platforms/star-1g/model.conf" \
        --engine $engine --energy=$price \
        --grid platform=star-1g,dahu --grid ranks-per-host=1,4 -o sweep.csv --json=sweep.json
    for platform in star-1g dahu; do
        for n in 1 4; do
            "$timeless" replay four.tl --model "$platforms/star-1g/model.conf" --engine $engine --energy=$price -p $platform \
                --ranks-per-host $n \
                --json=single-$platform-$n.json
        done
    done
    check "energy and cost of the points are those of single replays, and their sums, too, $engine" python3 -c '
import csv, json
rows, points = list(csv.DictReader(open("sweep.csv"))), json.load(open("sweep.json"))["points"]
single = [json.load(open("single-%s-%d.json" % (p, n))) for p in ("star-1g", "dahu") for n in (1, 4)]
energy, cost = [p["energy"]["job_j"] for p in single], [p["cost"]["total"] for p in single]
assert energy[0] > energy[1] > 0 and cost[0] > cost[1] > 0
assert [float(r["job_energy_j"]) for r in rows] == energy == [p["job_energy_j"] for p in points]
assert [float(r["job_cost"]) for r in rows] == cost == [p["job_cost"] for p in points]
assert sum(float(r["job_energy_j"]) for r in rows) == sum(energy)
assert all(r["energy_is_at_least"] == "" for r in rows) and all("energy_is_at_least" not in p for p in points)'
done
cp sweep.csv again.csv
check 'a sweep without a new point' "$timeless" sweep four.tl --model "$platforms/star-1g/model.conf" --engine loggops --energy=$price \
    --grid platform=star-1g,dahu --grid ranks-per-host=1,4 -o again.csv
check 'keeps energies and costs' cmp sweep.csv again.csv
for column in job_energy_j job_cost energy_is_at_least; do
    python3 - $column <<'END'
import csv, sys
table = list(csv.reader(open("sweep.csv")))
table[1][table[0].index(sys.argv[1])] = "2x"
csv.writer(open("wrong.csv", "w"), lineterminator="\n").writerows(table)
END
    check "$column '2x' in a results file is refused: $column: the line is named" refused 3 \
        "wrong.csv:2: '2x' is not a $column of a result" \
        "$timeless" sweep four.tl --grid platform=star-1g,dahu --grid ranks-per-host=1,4 -o wrong.csv
done
check 'a platform without watts' sh -c 'mkdir -p bare && sed "/wattage/d" "$1/star-1g/platform.xml" >bare/platform.xml &&
    cp "$1/star-1g/model.conf" bare' - "$platforms"
check 'is swept' "$timeless" sweep four.tl --grid platform=./bare,star-1g -o bare.csv --json=bare.json
check 'and has no energy, the other platform has' python3 -c '
import csv, json
rows = list(csv.DictReader(open("bare.csv")))
assert [r["job_energy_j"] for r in rows] == ["", rows[1]["job_energy_j"]] and float(rows[1]["job_energy_j"]) > 0, rows
assert ["job_energy_j" in p for p in json.load(open("bare.json"))["points"]] == [False, True]
assert all(r["job_cost"] == "" for r in rows)'
check_exit 2 'a wrong price is refused before the sweep' "$timeless" sweep four.tl -p star-1g --grid seed=1 --energy=0.3

# A report of several platforms has them, too: on the terminal, as JSON and on the page.
check 'a report of two platforms with a price' "$timeless" report four.tl -p star-1g -p dahu \
    --model "$platforms/star-1g/model.conf" --energy=$price \
    --json=ab.json -o ab.html
cp out text
check 'prints energies and costs' python3 -c '
import json, re
for letter, side in zip("AB", json.load(open("ab.json"))["predictions"]):
    line = re.search("^%s .*$" % letter, open("text").read(), re.M).group(0)
    assert line.endswith(", %.4g J, cost %.4g" % (side["energy"]["job_j"], side["cost"]["total"])), line'
for platform in star-1g dahu; do
    "$timeless" replay four.tl -p $platform --model "$platforms/star-1g/model.conf" --energy=$price --json=two-$platform.json
done
check 'which are those of single replays' python3 -c '
import json
for side, name in zip(json.load(open("ab.json"))["predictions"], ("star-1g", "dahu")):
    single = json.load(open("two-%s.json" % name))
    assert side["energy"]["job_j"] == single["energy"]["job_j"] > 0 and side["cost"] == single["cost"], (side, single)'
check 'a browser shows the page' sh -c \
    'timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$1/profile" \
    --virtual-time-budget=10000 --dump-dom "file://$1/ab.html" >ab.dom && grep -q "<canvas" ab.dom' - "$scratch"
check 'the page has the energies and the costs' python3 -c '
import json, re
table = re.search("id=\"makespans\"[^>]*>(.*?)</table>", open("ab.dom", encoding="utf-8").read(), re.S).group(1)
assert "energy of the job, J" in table and ">cost<" in table, table
titles = [float(t) for t in re.findall("title=\"([0-9.e+-]+)\"", table)]
for side in json.load(open("ab.json"))["predictions"]:
    assert side["energy"]["job_j"] in titles and side["cost"]["total"] in titles, titles'

# The least load draws more than the share of a core: LogGOPS does not know when ranks that sleep wait, and says so where it matters.
cat >step.conf <<'END'
topology = "star"; nodes = 2;
node = { cores = 2; speed = "1Gf"; watts = [ 100, 160, 200 ]; };
link = { bandwidth = "1GBps"; latency = "1us"; };
END
"$timeless" platform step.conf -o step >/dev/null && cp "$platforms/star-1g/model.conf" step || exit 99
check 'loggops: two ranks on a host with a step of power: exact' prints '~^energy +560 J of 2 hosts' \
    "$timeless" replay both.tl -p ./step --engine loggops
printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' '0 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000' \
    'end cut clock_ns=0' 'rank 1 host="h"' '1 0 MPI_Barrier comm=1 clock_ns=0 volume=2000000000' 'end cut clock_ns=0' |
    "$timeless" undump - -o wait.tl || exit 99
check 'loggops: one of them polls: exact' prints '~^energy +600 J of 2 hosts' "$timeless" replay wait.tl -p ./step --engine loggops
check 'loggops: it sleeps: "at least"' prints '~^energy +at least 560 J of 2 hosts' \
    "$timeless" replay wait.tl -p ./step --engine loggops --set energy.wait=idle
check 'loggops: one rank on each host is exact' prints '~^energy +580 J of 2 hosts' \
    "$timeless" replay both.tl -p ./step --engine loggops --ranks-per-host 1
check 'smpi: one rank on each host: the same' prints '~^energy +580(\.0[0-9]*)? J of 2 hosts' \
    "$timeless" replay both.tl -p ./step --ranks-per-host 1
check 'a sweep of such a platform' "$timeless" sweep wait.tl -p ./step --engine loggops --set energy.wait=idle --grid ranks-per-host=1,2 \
    -o step.csv --json=step.json
check 'marks the lower limit' python3 -c '
import csv, json
rows, points = list(csv.DictReader(open("step.csv"))), json.load(open("step.json"))["points"]
assert [(round(float(r["job_energy_j"])), r["energy_is_at_least"]) for r in rows] == [(580, ""), (360, "1")], rows
assert [p.get("energy_is_at_least") for p in points] == [None, True]'
sed 's/100:120:200/100:x/; s/wattage_per_state" value="[^"]*"/wattage_per_state" value="100:x"/' step/platform.xml >bad.xml
check 'loggops: watts that are none: are named' refused 3 \
    'wattage_per_state "100:x" is not IDLE:FULL' \
    "$timeless" replay both.tl -p bad.xml --engine loggops --model "$platforms/star-1g/model.conf"
check_exit 2 'loggops: --energy without a platform' "$timeless" replay both.tl --engine loggops \
    --no-compute --params L=1us,o=1us,g=1us,G=1ns,O=0ns --energy
check 'smpi: watts that are none: are named' refused 3 \
    'host "node-0": wattage_per_state "100:x" is not IDLE:FULL' \
    "$timeless" replay both.tl -p bad.xml --model "$platforms/star-1g/model.conf"

# The energy that SimGrid's plugin counts for smpirun -replay, which takes waiting as idle: cores that ranks have to themselves, and that they share.
mkdir plugin
cat >plugin/platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="world" routing="Full">
    <cluster id="star" prefix="node-" suffix="" radical="0-3" speed="1Gf" core="4" bw="125MBps" lat="24us" bb_bw="1.25GBps" bb_lat="500ns">
      <prop id="wattage_per_state" value="40:70:163"/>
    </cluster>
  </zone>
</platform>
END
: >plugin/options.conf
echo 'reference_flops = 1.0e9; units = ( { unit = "flop"; seconds_per_unit = 1.0e-9; } );' >plugin/model.conf
python3 "$top_srcdir/tests/bench/hpl_messages.py" 2 8 12 16 >hpl.txt && "$timeless" undump hpl.txt -o hpl.tl &&
    "$timeless" export --to simgrid hpl.tl -o flops || exit 99
same_joules() { # RANKS_PER_HOST
    local theirs
    for ((i = 0; i < 16; i++)); do echo node-$((i / $1)); done >hosts
    theirs=$("$SMPIRUN" -replay flops/list.txt -np 16 -platform plugin/platform.xml -hostfile hosts \
        --cfg=smpi/host-speed:1Gf --cfg=plugin:host_energy \
        --log=root.thres:critical --log=host_energy.thres:info 2>&1 | sed -n 's/.*Total energy consumption: \([0-9.]*\) Joules.*/\1/p')
    "$timeless" replay hpl.tl -p ./plugin --hostfile hosts --set energy.wait=idle --json=plugin.json >out &&
        said plugin.json "assert near(p['energy']['hosts_j'], $theirs), (p['energy'], '$theirs')"
}
check 'the energy is that of smpirun -replay with a plugin' same_joules 4
check 'the energy of ranks that share cores, too' same_joules 8
tap_done
