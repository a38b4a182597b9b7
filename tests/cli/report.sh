#!/usr/bin/env bash
# timeless report: a page that needs nothing else, holds the prediction, and works in a browser.
. "$(dirname "$0")/../tap.sh"
if is_of_other_mpi "$HPCC"; then skip "reports of hpcc" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
read_back="python3 $top_srcdir/tests/cli/report_read.py"
# render PAGE DOM [OPTION...]: what Chromium makes of it
render() {
    local page=$1 dom=$2; shift 2
    [ -s "$page" ] && timeout 120 chromium --headless "$@" --no-sandbox --disable-gpu --disable-dev-shm-usage \
        --user-data-dir="$scratch/profile" \
        --window-size=1200,900 --virtual-time-budget=10000 --dump-dom "file://$scratch/$page" >"$dom" && grep -q '<canvas' "$dom"
}

"$top_srcdir/tests/hpcc_input.sh" 200 2 2 >hpccinf.txt
check 'hpcc is recorded' "$timeless" record -q -o hpcc.tl -- "$MPIRUN" -np 4 "$HPCC"
check 'HPL is cut out of the recording' "$timeless" cut hpcc.tl --section last -o hpl.tl
check 'a report of HPL is written' "$timeless" report hpl.tl -p star-1g --ranks-per-host 1 -o hpl.html
cp out printed; cp err said
check 'with --quiet behind --versus, it names no page' sh -c \
    '"$0" report hpl.tl -p star-1g -o quiet.html --versus --host-speed 2x -q 2>&1 >quiet.txt | cmp - /dev/null' "$timeless"
check 'report names the page' grep -qx 'timeless: wrote hpl.html' said
check 'report prints what replay prints' grep -q '^makespan  ' printed
check 'HPL is replayed with details and links' "$timeless" replay hpl.tl -p star-1g --ranks-per-host 1 --details --links --json=hpl.json
check 'the page contains the prediction and refers to nothing outside' $read_back page hpl.html hpl.json
cp hpl.html first.html
check 'the report is written again' "$timeless" report hpl.tl -p star-1g --ranks-per-host 1 -o hpl.html -q
check 'the page has the same bytes each time' cmp hpl.html first.html
check 'a browser shows the page' render hpl.html hpl.dom
check 'the page in the browser has the totals of the prediction' $read_back dom hpl.dom hpl.json
$read_back poke hpl.html poked.html '
    const canvas = byId("timeline"), pen = canvas.getContext("2d"), { LEFT, AXIS } = view;
    const pixels = pen.getImageData(LEFT, 0, canvas.width - LEFT, canvas.height - AXIS - 2).data, seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels.slice(i, i + 3).join("-"));
    byId("view").dataset.colours = [...seen].join(" ");
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.left + box.width / 2, clientY: box.top + 30, bubbles: true, cancelable: true };
    for (let i = 0; i < 8; i++) canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, ...at }));
    byId("in").click();
    view.drawAll();
    canvas.dispatchEvent(new PointerEvent("pointermove", at));'
check 'the page zooms by wheel and button' render poked.html poked.dom
check 'zoomed: the page shows fewer states, and names the one below the pointer' $read_back zoom poked.dom hpl.dom

# A page stays small when states are many: short ones are shown together.
check 'a trace with many events is made' "$timeless" make ring --ranks 2 --iterations 120000 -o ring.tl
check 'many events: a report is written' "$timeless" report ring.tl -p star-1g --no-compute --details --json=ring.json -q -o ring.html
check 'many events: short states are merged' grep -qE '"merge_s":[1-9]' ring.html
check 'many events: short states that take no time are no computation' sh -c 'grep -q "short states, " ring.html &&
    ! grep -q "short states, compute" ring.html'
check 'many events: the page has less than 12 MB' test "$(wc -c <ring.html)" -lt 12000000
check 'many events: the page contains the prediction' $read_back page ring.html ring.json
check 'many events: a browser shows the page' render ring.html ring.dom
check 'many events: the page in the browser has the totals' $read_back dom ring.dom ring.json

# The bar of a rank that sleeps is as long as the rank runs.
UNIT=flops trace sleeps 'Sleep count=300000000
    MPI_Barrier comm=1 volume=100000000 clock_ns=0' 'MPI_Barrier comm=1 clock_ns=0'
check 'a sleep: a report is written' "$timeless" report sleeps.tl -p "$TIMELESS_PLATFORMS/star-1g/platform.xml" -o sleeps.html
cp out printed
$read_back poke sleeps.html poked.html '
    const sets = Chart.getChart("bars").data.datasets;
    byId("view").dataset.bars = sets.map(s => s.label + ": " + s.data.map(v => v.toFixed(0)).join(" ")).join("; ");'
check 'a sleep: a browser shows the page' render poked.html poked.dom
check 'a sleep: the table of seconds has it' grep -qE '^other calls +0 +0\.15 +0\.3$' printed
check 'a sleep is a part of the bar of its rank' grep -qE 'data-bars="compute: 100 0; [^"]*other calls: 300 0; ' poked.dom

# The page follows the style of the browser.
$read_back poke sleeps.html paper.html 'byId("view").dataset.paper = getComputedStyle(document.body).backgroundColor;'
check 'a browser with a light style shows the page' render paper.html light.dom
check 'the page is light' grep -q 'data-paper="rgb(255, 255, 255)"' light.dom
check 'a browser with a dark style shows the page' render paper.html dark.dom --force-dark-mode --blink-settings=preferredColorScheme=0
check 'the page is dark' grep -q 'data-paper="rgb(22, 24, 28)"' dark.dom

# What stands in a trace cannot leave its place in the page.
printf '%s\n' 'timeless-text 1' 'ranks 1' 'program "</script><script>throw 1</script><!--"' 'rank 0 host="h"' \
    '0 0 MPI_Barrier comm=1 clock_ns=0' 'end cut clock_ns=0' | "$timeless" undump - -o odd.tl
check 'a program with HTML in its name is reported' "$timeless" report odd.tl -p star-1g --json=odd.json -q -o odd.html --no-compute
"$timeless" replay odd.tl -p star-1g --details --links --json=odd.json --no-compute >/dev/null
check 'HTML in a name is data in the page' $read_back page odd.html odd.json
check 'HTML in a name: a browser shows the page' render odd.html odd.dom
check 'HTML in a name is shown as text' grep -qF '&lt;/script&gt;&lt;script&gt;throw 1' odd.dom

# A message to MPI_PROC_NULL is none.
printf '%s\n' 'timeless-text 1' 'ranks 1' 'program "null"' 'rank 0 host="h"' '0 0 MPI_Send count=4 type_bytes=8 peer=null tag=5 comm=1' \
    '0 1 MPI_Barrier comm=1 clock_ns=0' 'end cut clock_ns=0' | "$timeless" undump - -o null.tl
check 'a trace that sends to MPI_PROC_NULL is replayed' "$timeless" replay null.tl -p star-1g --no-compute --details --json=null.json
check 'MPI_PROC_NULL gets no message and no bytes' python3 -c 'import json
d = json.load(open("null.json"))["details"]
assert not d["traffic"] and not d["message_sizes"], d
assert [(c["count"], c["bytes"]) for c in d["calls"] if c["name"] == "MPI_Send"] == [(1, 0)], d["calls"]'

# The slow rank of 40 is named, although it is a hundredth of the mean.
{
    printf '%s\n' 'timeless-text 1' 'ranks 40' 'program "slow"' 'volume_unit "flops"'
    for rank in $(seq 0 39); do
        printf '%s\n' "rank $rank host=\"h\"" "$rank 0 MPI_Barrier comm=1 volume=$((rank == 17 ? 9000000 : 1000000)) clock_ns=0" \
            'end cut clock_ns=0'
    done
} | "$timeless" undump - -o slow.tl
check 'one slow rank of 40: a report is written' "$timeless" report slow.tl -p "$TIMELESS_PLATFORMS/star-1g/platform.xml" -q -o slow.html
check 'one slow rank of 40: a browser shows the page' render slow.html slow.dom
check 'one slow rank of 40: the page names it' grep -q 'Without waiting for other ranks: rank 17 is the slowest (9' slow.dom


# Ranks that are alike; several ranks in a cell of the matrix.
"$timeless" dump slow.tl | sed 's/volume=[19]000000/volume=1000000000/' | "$timeless" undump - -o alike.tl
check '40 ranks that are alike: a report is written' "$timeless" report alike.tl -p "$TIMELESS_PLATFORMS/star-1g/platform.xml" \
    -q -o alike.html
check '40 ranks that are alike: a browser shows the page' render alike.html alike.dom
check '40 ranks that are alike: none is the slowest' grep -q 'id="busy">Without waiting for other ranks, all ranks take 1 s\.<' alike.dom
check '1024 ranks: a report is written' sh -c '"$1" make stencil2d --ranks 1024 -o many.tl &&
    "$1" report many.tl -p fat-tree --no-compute -q -o many.html' - "$timeless"
sed 's|<script>|<script>const texts = [], write = CanvasRenderingContext2D.prototype.fillText; CanvasRenderingContext2D.prototype.fillText = function (text, ...at) { texts.push(text); write.call(this, text, ...at); };</script>&|' many.html >hooked.html
$read_back poke hooked.html poked.html 'byId("view").dataset.texts = texts.join("; ") + "; ";'
check '1024 ranks: a browser shows the page' render poked.html many.dom
# What ranks do has one name and one colour in the page, the picture, and the file for ViTE.
check 'HPL is drawn' "$timeless" replay hpl.tl -p star-1g --ranks-per-host 1 --timeline hpl.svg -q
check 'HPL is written as Paje' "$timeless" replay hpl.tl -p star-1g --ranks-per-host 1 --timeline hpl.paje -q
check 'what ranks do has one name and one colour in pages, pictures and traces' python3 -c '
import json, re
page, picture = (open(name, encoding="utf-8").read() for name in ("hpl.html", "hpl.svg"))
names = json.loads(re.search(r"NAMES = (\{.*?), \}", page).group(1) + "}")
light, dark = (dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block)) for block in re.findall(r":root \{(.*?) \}", page)[:2])
assert light.keys() == dark.keys() == names.keys() and len(names) >= 17
for colours in light, dark:
    assert len(set(colours.values())) == len(names) == len(set(names.values())), colours
drawn = {"#%02x%02x%02x" % tuple(map(int, c)) for c in re.findall(r"<polygon fill = .rgb\( *(\d+), *(\d+), *(\d+)\)", picture)}
legend = {text for text in re.findall(r"<text><tspan[^>]*>([a-z ]+)</tspan></text>", picture)} | {t for t in re.findall(r">([a-z ]+)<", picture)}
shown = {i for i in names if names[i] in legend}
assert {"compute", "send", "receive", "wait", "collective"} <= shown and drawn == {light[i] for i in shown}, (shown, drawn)
for name, label, rgb in re.findall(r"^2 (\S+) \S+ \"(.*)\" \"(.*)\"$", open("hpl.paje").read(), re.M):
    assert label == names[name] and all(abs(int(light[name][k:k + 2], 16) / 255 - float(c)) < 0.006 for k, c in zip((1, 3, 5), rgb.split())), name'
check '1024 ranks: all messages are in cells of two ranks' python3 -c '
import json, re
page = json.loads(re.search(r"id=\"data\">(.*?)</script>", open("many.html", encoding="utf-8").read(), re.S).group(1))
cells = page["prediction"]["details"]["traffic"]
assert all(c["from"] % 2 == c["to"] % 2 == 0 for c in cells) and len(cells) < 4096 and sum(c["messages"] for c in cells) == 4096 and sum(c["bytes"] for c in cells) == 8 * 4096, len(cells)'
check '1024 ranks: the matrix ends at the last rank' sh -c 'grep -q "; to 1023; " many.dom && ! grep -q "; to 1022; " many.dom'

# The map joins what SimGrid's names of links join, by both engines.
describe() { # NAME TOPOLOGY
    printf '%s\n' "topology = $2" 'node = { cores = 1; speed = "1Gf"; };' \
        'link = { bandwidth = "12.5GBps"; latency = "0.5us"; };' 'loopback = { bandwidth = "10GBps"; latency = "0.2us"; };' >"$1.conf"
    "$timeless" platform "$1.conf" -o "$1"
}
describe torus '"torus"; dimensions = [ 4, 3, 2 ];'
describe fly '"dragonfly"; groups = 2; chassis_per_group = 2; blades_per_chassis = 3; nodes_per_blade = 2;'
describe tree '"fat-tree"; children = [ 4, 2, 3 ]; parents = [ 1, 2, 2 ];'
"$timeless" make alltoall -n 24 --bytes 20000 -o all.tl
for name in torus fly tree; do
    for engine in smpi loggops; do
        check "a map: a report of $name by $engine" "$timeless" report all.tl -p "./$name" --engine $engine -q -o $name.$engine.html
    done
done
cat >map.py <<'END'
import json, re
def page(name):
    return json.loads(re.search(r'id="data">(.*?)</script>', open(name, encoding="utf-8").read(), re.S).group(1))
def ends(name):
    return sorted([a, b] for a, b, _ in page(name)["map"]["links"])
for name in "torus", "fly", "tree":
    found = page(name + ".smpi.html")
    assert ends(name + ".smpi.html") == ends(name + ".loggops.html"), name
    assert len(found["map"]["links"]) == len(found["prediction"]["links"]), name
    for (a, b, use), link in zip(found["map"]["links"], found["prediction"]["links"]):
        assert use == link["mean_use"]
        named = [int(n) for n in re.findall(r"\d+", link["name"])]
        if name == "torus":
            assert [a, b] == named, link
        elif link["name"].startswith("local"): # router and host
            assert b - 24 == named[0] and a == 2 * named[0] + named[1], link
        elif link["name"].startswith("green"): # two blades of a chassis
            assert (a - 24) // 3 == (b - 24) // 3 and [a % 3, b % 3] == named[1:3], link
        elif link["name"].startswith("blue"):
            assert [a - 24, b - 24] == named[2:4], link
        elif name == "tree" and named[0] < 24:
            assert [a, b] == [named[0], 24 + a // 4], link
END
check 'a map joins the same hosts and switches by both engines, as the names of links say' python3 map.py
for name in torus fly tree; do
    $read_back poke $name.loggops.html poked.html \
        'byId("map").dispatchEvent(new PointerEvent("pointermove", { clientX: 99, clientY: 99 }));'
    check "a map of $name: a browser shows it" render poked.html map.dom
    check "a map of $name names the link at the pointer" \
        grep -qE 'id="map-link"[^>]*>(host|switch) [0-9]+ .* to (host|switch) [0-9]+ .* %<' map.dom
done

check 'a report by the loggops engine names the engine' sh -c \
    '"$1" report hpl.tl --engine loggops --params L=1us,o=1us,g=1us,G=1ns,O=0ns -p star-1g -o loggops.html >loggops.txt &&
        grep -q "^engine  *loggops" loggops.txt && grep -q "engine.*loggops" loggops.html' - "$timeless"
check 'the help of report describes a single trace' sh -c '"$1" report --help >help.txt &&
    grep -q "timeless report .OPTION.... TRACE --platform NAME" help.txt && grep -q -e --coll help.txt &&
    ! grep -q START help.txt' - "$timeless"
tap_done
