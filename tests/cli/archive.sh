#!/usr/bin/env bash
# What a calibration archives: everything that is needed to make its result again, and no secrets.
. "$top_srcdir/tests/tap.sh"
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
export OMP_PROC_BIND=close SLURM_JWT=s3cret-1 OMPI_MCA_some_token=s3cret-2 AWS_SECRET_ACCESS_KEY=s3cret-3 MY_PASSWORD=s3cret-4

keep() { cp err said; }
# holds ARCHIVE ENTRY...: and can be unpacked
holds() {
    local archive=$1 entry; shift
    unzip -tq "$archive" && for entry in calibration.txt command.txt environment.txt fingerprint.html machine.txt machine-after.txt repetitions.csv "$@"; do
        unzip -p "$archive" "$entry" | grep -qa . || { echo "no $entry"; return 1; }
    done
}
no_secrets() { # ARCHIVE: not in any entry
    rm -rf unpacked && unzip -q "$1" -d unpacked && ! grep -ra 's3cret' unpacked
}
page_is_sane() { # ARCHIVE PLOTS
    unzip -p "$1" fingerprint.html >page.html
    python3 -c 'import sys, xml.dom.minidom
text = open("page.html").read().replace("<!DOCTYPE html>", "")
page = xml.dom.minidom.parseString(text)
sys.exit(len(page.getElementsByTagName("svg")) != int(sys.argv[1]) or "http" in text or len(page.getElementsByTagName("script")))' "$2"
}
# Each group has one first, in place 0; nothing has another category; every operation has some.
repetitions_are_sane() {
    unzip -p "$1" repetitions.csv | python3 -c 'import csv, sys, collections
rows = list(csv.DictReader(sys.stdin))
firsts = collections.Counter((r["operation"], r["group"]) for r in rows if r["category"] == "first")
sys.exit(not rows or {r["category"] for r in rows} - {"first", "warm-up", "outlier", "good"}
         or set(firsts) != {(r["operation"], r["group"]) for r in rows} or set(firsts.values()) != {1}
         or any((r["category"] == "first") != (r["repetition"] == "0") for r in rows))'
}
note() { unzip -p "$1" calibration.txt | sed -n "s/^$2: //p"; }
is_measured_on() { unzip -p "$1" machine.txt >machine && for name in host kernel processor 'cores online' memory governor 'load average'; do
    grep -q "^$name: ." machine || { echo "no $name"; return 1; }; done; }

# ---- kernels ----
check 'kernels are calibrated' "$timeless" calibrate kernels --max-seconds 0 --seed 7 -o kernels
archive=$(echo kernels/kernels-*Z.zip)
check 'the archive is complete' holds "$archive" raw/kernels.csv result/model.conf
check 'it tells the machine' is_measured_on "$archive"
check 'it tells the seed' test "$(note "$archive" seed)" = 7
check 'it tells the version' test -n "$(note "$archive" timeless)"
check 'it tells the BLAS' test -n "$(note "$archive" BLAS)"
check 'it tells the moment' test -n "$(note "$archive" begun)"
check 'it holds variables that matter' bash -c "unzip -p '$archive' environment.txt | grep -qx OMP_PROC_BIND=close"
check 'it says that a secret was set' bash -c "unzip -p '$archive' environment.txt | grep -qx 'SLURM_JWT is set, its value withheld'"
check 'it holds no secrets' no_secrets "$archive"
check 'repetitions have their categories' repetitions_are_sane "$archive"
check 'the fingerprint shows 20 kernels' page_is_sane "$archive" 100
check 'it is fitted again' "$timeless" calibrate kernels --from "$archive" -o again.conf
check 'to the same model, to the byte' cmp kernels/model.conf again.conf
check 'which the archive has, too' bash -c "unzip -p '$archive' result/model.conf | cmp - again.conf"
check 'a fit measures nothing and archives nothing' test "$(find . -name '*.zip' | wc -l)" = 1
check 'unless it is asked to' "$timeless" calibrate kernels --from "$archive" --archive refit.zip -o again.conf
check 'the archive of a fit' holds refit.zip raw/kernels.csv result/model.conf
check 'has the same measurements' bash -c "cmp <(unzip -p '$archive' raw/kernels.csv) <(unzip -p refit.zip raw/kernels.csv)"
check 'none for standard output' bash -c "'$timeless' calibrate kernels --from '$archive' >/dev/null && [ \$(ls ./*.zip | wc -l) = 1 ]"

# ---- network ----
measure() {
    local seconds
    for seconds in 4 30 90; do "$timeless" calibrate network --max-seconds $seconds -o net -- "$MPIRUN" -x MY_TOKEN=s3cret-5 -np 2 && return; done
}
check 'a network is calibrated' measure
archive=$(ls net/network-*Z.zip | tail -n 1)
check 'the archive is complete' holds "$archive" raw/network.csv result/{platform.conf,platform.xml,options.conf,network.conf,loggops.params,network.html,model.conf,README.md}
check 'it holds no secrets' no_secrets "$archive"
check 'it says that a value is withheld' bash -c "unzip -p '$archive' command.txt | grep -qx 'MY_TOKEN=(withheld)'"
check 'repetitions have their categories' repetitions_are_sane "$archive"
check 'the measurements tell every host' bash -c "unzip -p '$archive' raw/network.csv | grep -q '^# machine 0 load average: '"
check 'they are those of the folder' bash -c "unzip -p '$archive' raw/network.csv | cmp - net/network.csv"
check 'it is fitted again' "$timeless" calibrate network --from "$archive" -o net2
for file in platform.xml options.conf network.conf loggops.params; do check "to the same $file" cmp net/$file net2/$file; done

# ---- noise ----
check 'noise is measured' "$timeless" calibrate noise --max-seconds 1 --archive noise.zip -o noise
check 'the archive is where it was wanted' holds noise.zip raw/noise.0 raw/quanta.csv
check 'and not elsewhere' test "$(find noise -name '*.zip' | wc -l)" = 0
check 'its raw data are the result' bash -c 'unzip -p noise.zip raw/noise.0 | cmp - noise/noise.0'
check 'repetitions have their categories' repetitions_are_sane noise.zip
check 'the fingerprint shows the quanta' page_is_sane noise.zip 5

# ---- cpu ----
trace() { # FILE UNIT VOLUME
    {
        printf 'timeless-text 1\nranks 1\nvolume_unit "%s"\nprogram "p"\nrank 0 host="h"\nsite 1 object="app" offset=16\n' "$2"
        for ((i = 0; i < 20; i++)); do printf '0 %d MPI_Wtime clock_ns=0 site=1 volume=%d\n' $i $((i ? $3 : 9 * $3)); done
        printf 'end cut clock_ns=0\n'
    } | "$timeless" undump - -o "$1"
}
trace timed.tl cpu-ns 1000
trace counted.tl instructions 3000
check 'rates of two traces' "$timeless" calibrate cpu timed.tl counted.tl --archive cpu.zip -o cpu.conf
check 'the archive has both' holds cpu.zip raw/timed.tl raw/counted.tl result/model.conf
check 'repetitions have their categories' repetitions_are_sane cpu.zip
check 'the rates are fitted again' "$timeless" calibrate cpu --from cpu.zip -o cpu2.conf
check 'to the same model' cmp cpu.conf cpu2.conf

# ---- what goes wrong ----
check_exit 3 'an archive of something else' "$timeless" calibrate kernels --from noise.zip -o x.conf
keep
check 'tells what it lacks' grep -q '^timeless: noise.zip: has no raw/kernels.csv; ' said
head -c 3000 cpu.zip >cut.zip
check_exit 3 'an archive that is cut off' "$timeless" calibrate cpu --from cut.zip
keep
check 'says so' grep -q '^timeless: cut.zip: is a damaged archive; ' said
check_exit 3 'rates of no archive' "$timeless" calibrate cpu --from timed.tl
check_exit 4 'an archive that is not there' "$timeless" calibrate network --from none.zip -o x
check_exit 4 'an archive that cannot be written' "$timeless" calibrate noise --max-seconds 1 --archive /nowhere/x.zip -o noise
check_exit 2 'a command and an archive' "$timeless" calibrate cpu --from cpu.zip -- true
tap_done
