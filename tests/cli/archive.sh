#!/usr/bin/env bash
# What a calibration archives: everything that is needed to make its result again, and no secrets.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
export OMP_PROC_BIND=close SLURM_JWT=s3cret-1 OMPI_MCA_some_token=s3cret-2 AWS_SECRET_ACCESS_KEY=s3cret-3 MY_PASSWORD=s3cret-4

keep() { cp err said; }
# holds ARCHIVE ENTRY...
holds() {
    local archive=$1 entry; shift
    for entry in calibration.txt command.txt environment.txt machine.txt machine-after.txt "$@"; do
        grep -qa . "$archive/$entry" || { echo "no $entry"; return 1; }
    done
}
no_secrets() { # ARCHIVE: not in any entry
    ! grep -ra 's3cret' "$1"
}
page_is_sane() { # ARCHIVE PLOTS
    cat "$1/fingerprint.html" >page.html
    python3 -c 'import sys, xml.dom.minidom
text = open("page.html").read().replace("<!DOCTYPE html>", "")
page = xml.dom.minidom.parseString(text)
sys.exit(len(page.getElementsByTagName("svg")) != int(sys.argv[1]) or "http" in text or len(page.getElementsByTagName("script")))' "$2"
}
# Each group has one first, in place 0; nothing has another category; every operation has some.
repetitions_are_sane() {
    cat "$1/repetitions.csv" | python3 -c 'import csv, sys, collections
rows = list(csv.DictReader(sys.stdin))
firsts = collections.Counter((r["operation"], r["group"]) for r in rows if r["category"] == "first")
sys.exit(not rows or {r["category"] for r in rows} - {"first", "warm-up", "outlier", "good"}
         or set(firsts) != {(r["operation"], r["group"]) for r in rows} or set(firsts.values()) != {1}
         or any((r["category"] == "first") != (r["repetition"] == "0") for r in rows))'
}
note() { cat "$1/calibration.txt" | sed -n "s/^$2: //p"; }
is_measured_on() { cat "$1/machine.txt" >machine && for name in host kernel processor 'cores online' memory governor 'load average'; do
    grep -q "^$name: ." machine || { echo "no $name"; return 1; }; done; }

# ---- kernels ----
check 'kernels are calibrated with a seed' "$timeless" calibrate kernels --max-seconds 0 --nb 32 --seed 7 -o kernels
archive=$(echo kernels/kernels-*Z)
check 'kernels: the archive is complete' holds "$archive" {fingerprint.html,repetitions.csv} raw/kernels.csv result/model.conf
check 'kernels: the archive describes the machine' is_measured_on "$archive"
check 'kernels: the archive contains the seed' test "$(note "$archive" seed)" = 7
check 'kernels: the archive contains the version' test -n "$(note "$archive" timeless)"
check 'kernels: the archive contains the BLAS' test -n "$(note "$archive" BLAS)"
check 'kernels: the archive contains the moment' test -n "$(note "$archive" begun)"
check 'kernels: the archive contains variables that matter' bash -c "cat '$archive/environment.txt' | grep -qx OMP_PROC_BIND=close"
check 'kernels: the archive reports that a secret was set' bash -c \
    "cat '$archive/environment.txt' | grep -qx 'SLURM_JWT is set, its value withheld'"
check 'kernels: the archive contains no secrets' no_secrets "$archive"
check 'kernels: repetitions have their categories' repetitions_are_sane "$archive"
check 'kernels: the fingerprint shows 20 kernels' page_is_sane "$archive" 20
check 'kernels: the archive is fitted again' "$timeless" calibrate kernels --reuse "$archive" -o again.conf
check 'kernels: a fit from the archive gives the same model, byte for byte' cmp kernels/model.conf again.conf
check 'kernels: the archive contains the model' bash -c "cat '$archive/result/model.conf' | cmp - again.conf"
check 'a fit measures nothing and archives nothing' test "$(find . -name '*-20*Z' | wc -l)" = 1
check 'a fit writes an archive with --archive' "$timeless" calibrate kernels --reuse "$archive" --archive refit -o again.conf
check 'the archive of a fit is complete' holds refit raw/kernels.csv result/model.conf
check 'the archive of a fit has the same measurements' bash -c \
    "cmp <(cat '$archive/raw/kernels.csv') <(cat refit/raw/kernels.csv)"
check 'a model on standard output writes no archive' bash -c \
    "'$timeless' calibrate kernels --reuse '$archive' >/dev/null && [ \$(find . -name '*-20*Z' | wc -l) = 1 ]"

# ---- network ----
measure() {
    local seconds token=(-x MY_TOKEN=s3cret-5)
    ! uses_mpich || token=(-genv MY_TOKEN s3cret-5)
    for seconds in 4 30 90; do "$timeless" calibrate network --max-seconds $seconds -o net -- "$MPIRUN" "${token[@]}" -np 2 && return; done
}
if is_of_other_mpi "$top_builddir/platforms/timeless-network-probe"; then
    skip 'the archive of a network' 'the program that measures it was built with Open MPI'
else
    check 'a network is calibrated' measure
    archive=$(ls -d net/network-*Z | tail -n 1)
    check 'network: the archive is complete' holds "$archive" {fingerprint.html,repetitions.csv} raw/network.csv \
        result/{platform.conf,platform.xml,options.conf,network.conf,model.conf,README.md}
    check 'network: the archive contains no secrets' no_secrets "$archive"
    check 'network: the archive reports that a value is withheld' bash -c \
        "cat '$archive/command.txt' | tr '\n' ' ' | grep -q ' MY_TOKEN[= ](withheld) '"
    check 'network: repetitions have their categories' repetitions_are_sane "$archive"
    check 'network: the measurements describe every host' bash -c \
        "cat '$archive/raw/network.csv' | grep -q '^# machine 0 load average: '"
    check 'network: the archive has the measurements of the folder' bash -c "cat '$archive/raw/network.csv' | cmp - net/network.csv"
    check 'network: the archive is fitted again' "$timeless" calibrate network --reuse "$archive" -o net2
    for file in platform.xml options.conf network.conf; do check "to the same $file" cmp net/$file net2/$file; done
fi

# ---- noise ----
check 'noise is measured' "$timeless" calibrate noise --max-seconds 1 --archive noise-archive -o noise
check 'noise: the archive has the name of --archive' holds noise-archive raw/noise.0
check 'noise: no other archive is written' test "$(find noise -type d | wc -l)" = 1
check 'noise: the measurements of the archive are the result' bash -c 'cat noise-archive/raw/noise.0 | cmp - noise/noise.0'

# ---- memory ----
{
    printf '# cores 1\nloop,cores,bytes,value,lost\n'
    for ((i = 0; i < 20; i++)); do echo "region,1,0,$((1000 + i % 7))e-9,0"; done
} >memory.csv
check 'memory is fitted with an archive' "$timeless" calibrate memory --reuse memory.csv --archive memory-archive -o memory.conf
check 'memory: repetitions have their categories' repetitions_are_sane memory-archive
check 'memory: the fingerprint shows the region' page_is_sane memory-archive 1
check 'memory: the five quantiles are marked in the panel of the distribution, in the left column' python3 -c '
import re
page = open("page.html").read()
width = float(re.search(r"viewBox=.0 0 (\d+) ", page).group(1))
paths = re.findall(r"<path stroke=.rgb\(176, *96, *0\).[^>]* d=.([^/]*)", page)
places = [float(x) for path in paths for x in re.findall(r"[ML]([\d.]+),", path)]
assert len(places) == 10 and max(places) < 0.45 * width, (width, places)'
check 'memory: the page prints durations with their units, in columns' python3 -c '
import re
cells = re.findall(r"<td>([^<]*)</td>", re.sub(r"<pre>.*?</pre>", "", open("page.html").read(), flags=re.S))
assert len(cells) == 10 and all(re.fullmatch(r"[\d.e+]+ (ns|µs|ms|s)", c) for c in cells), cells'
styled() { # OPTION...: the colours of the page in a browser
    sed 's|</body>|<script>const of = e => getComputedStyle(e); document.body.dataset.style = [of(document.body).backgroundColor, of(document.querySelector("svg")).filter].join(" ");</script></body>|' page.html >styled.html
    timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir="$scratch/profile" "$@" \
        --dump-dom "file://$scratch/styled.html" |
        grep -o 'data-style="[^"]*"'
}
check 'memory: the page is light' equal "$(styled)" 'data-style="rgb(255, 255, 255) none"'
check 'memory: in a dark style, page and pictures are dark' equal "$(styled --force-dark-mode --blink-settings=preferredColorScheme=0)" \
    'data-style="rgb(22, 24, 28) invert(0.9) hue-rotate(180deg)"'
check 'memory: the pictures have no background of their own' sh -c '! grep -qiE "<rect[^>]*fill=.#ffffff" page.html'

# ---- cpu ----
trace() { # FILE UNIT VOLUME
    {
        printf 'timeless-text 1\nranks 1\nvolume_unit "%s"\nprogram "p"\nrank 0 host="h"\n' "$2"
        printf 'site 1 object="app" offset=16 function="step<int>" file="app.cc" line=7\n'
        for ((i = 0; i < 20; i++)); do printf '0 %d MPI_Wtime clock_ns=0 site=1 volume=%d\n' $i $((i ? $3 : 9 * $3)); done
        printf 'end cut clock_ns=0\n'
    } | "$timeless" undump - -o "$1"
}
trace timed.tl cpu-ns 1000
trace counted.tl instructions 3000
check 'rates are fitted from two traces' "$timeless" calibrate cpu timed.tl counted.tl --archive cpu-archive -o cpu.conf
check 'cpu: the archive has both traces' holds cpu-archive raw/timed.tl raw/counted.tl result/model.conf
check 'cpu: the archive is fitted again' "$timeless" calibrate cpu --reuse cpu-archive -o cpu2.conf
check 'cpu: a fit from the archive gives the same model' cmp cpu.conf cpu2.conf

# ---- what goes wrong ----
check 'an archive of another calibration: the missing file is named' ends_with 3 '~^timeless: noise-archive: has no raw/kernels.csv; ' \
    "$timeless" calibrate kernels --reuse noise-archive -o x.conf
check_exit 3 'a file that is not an archive exits with 3' "$timeless" calibrate cpu --reuse timed.tl
check_exit 4 'an archive that does not exist exits with 4' "$timeless" calibrate network --reuse none -o x
check_exit 4 'an archive that cannot be written exits with 4' "$timeless" calibrate noise --max-seconds 1 --archive /nowhere/x -o noise
# A file of at most 32 KB: the model fits, the fingerprint does not.
grows_too_long() { (trap '' XFSZ; ulimit -f 32; "$timeless" calibrate memory --reuse memory.csv --archive long -o long.conf); }
check_exit 4 'an archive that cannot be written to its end exits with 4' grows_too_long
check 'and nothing of it remains' test ! -e long
check_exit 2 '--reuse together with a command exits with 2' "$timeless" calibrate cpu --reuse cpu-archive -- true
tap_done
