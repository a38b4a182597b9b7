#!/usr/bin/env bash
# timeless report: a page that needs nothing else, holds the prediction, and works in a browser.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
read_back="python3 $top_srcdir/tests/cli/report_read.py"
# render PAGE DOM: what Chromium makes of it
render() {
    [ -s "$1" ] && timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" \
        --window-size=1200,900 --virtual-time-budget=10000 --dump-dom "file://$scratch/$1" >"$2" && grep -q '<canvas' "$2"
}

"$top_srcdir/tests/hpcc_input.sh" 200 2 2 >hpccinf.txt
check 'a run of hpcc' "$timeless" record -q -o hpcc.tl -- "$MPIRUN" -np 4 "$HPCC"
check 'its HPL' "$timeless" cut hpcc.tl --section last -o hpl.tl
check 'its report' "$timeless" report hpl.tl -p star-1g --ranks-per-host 1 -o hpl.html
cp out printed
check 'what replay prints is printed' grep -q '^makespan  ' printed
check 'its prediction' "$timeless" replay hpl.tl -p star-1g --ranks-per-host 1 --details --links --json=hpl.json
check 'the page holds all of it and refers to nothing outside' $read_back page hpl.html hpl.json
cp hpl.html first.html
check 'again' "$timeless" report hpl.tl -p star-1g --ranks-per-host 1 -o hpl.html -q
check 'the same bytes each time' cmp hpl.html first.html
check 'a browser shows it' render hpl.html hpl.dom
check 'with the right totals' $read_back dom hpl.dom hpl.json
$read_back poke hpl.html poked.html '
    const pixels = pen.getImageData(LEFT, 0, canvas.width - LEFT, canvas.height - AXIS - 2).data, seen = new Set();
    for (let i = 0; i < pixels.length; i += 4) seen.add(pixels.slice(i, i + 3).join("-"));
    byId("view").dataset.colours = [...seen].join(" ");
    const box = canvas.getBoundingClientRect();
    const at = { clientX: box.left + box.width / 2, clientY: box.top + 5, bubbles: true, cancelable: true };
    for (let i = 0; i < 8; i++) canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -1, ...at }));
    byId("in").click();
    drawTimeline();
    canvas.dispatchEvent(new PointerEvent("pointermove", at));'
check 'it zooms by wheel and button' render poked.html poked.dom
check 'to fewer states, in their colours, and names the one below the pointer' $read_back zoom poked.dom hpl.dom

# A page stays small when states are many: short ones are shown together.
check 'many events' "$timeless" make ring --ranks 2 --iterations 120000 -o ring.tl
check 'their report' "$timeless" report ring.tl -p star-1g --no-compute --details --json=ring.json -q -o ring.html
check 'shows short ones together' grep -qE '"merge_s":[1-9]' ring.html
check 'and is small' test "$(wc -c <ring.html)" -lt 12000000
check 'holds what matters' $read_back page ring.html ring.json
check 'a browser shows that, too' render ring.html ring.dom
check 'with its totals' $read_back dom ring.dom ring.json

# What stands in a trace cannot leave its place in the page.
printf '%s\n' 'timeless-text 1' 'ranks 1' 'program "</script><script>throw 1</script><!--"' 'rank 0 host="h"' \
    '0 0 MPI_Barrier comm=1 clock_ns=0' 'end cut clock_ns=0' | "$timeless" undump - -o odd.tl
check 'an odd program' "$timeless" report odd.tl -p star-1g --json=odd.json -q -o odd.html --no-compute
"$timeless" replay odd.tl -p star-1g --details --links --json=odd.json --no-compute >/dev/null
check 'is data' $read_back page odd.html odd.json
check 'also in a browser' render odd.html odd.dom
check 'which shows it' grep -qF '&lt;/script&gt;&lt;script&gt;throw 1' odd.dom

check_exit 2 'no report of two traces' "$timeless" report hpl.tl ring.tl -p star-1g
check_exit 2 'nor by another engine' "$timeless" report hpl.tl --engine loggops --params L=1us,o=1us,g=1us,G=1ns,O=0ns -p star-1g
check_exit 4 'nowhere to write' "$timeless" report hpl.tl -p star-1g -o no/page.html
check_exit 2 'no platform' "$timeless" report hpl.tl
check 'the help speaks of one trace' sh -c '"$1" report --help >help.txt && grep -q "timeless report .OPTION.... TRACE --platform NAME" help.txt && grep -q -e --coll help.txt && ! grep -q START help.txt' - "$timeless"
tap_done
