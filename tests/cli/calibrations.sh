#!/usr/bin/env bash
# Several calibrations of one platform, and factors of messages within a host.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_QUIET=1 TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

mkdir -p cluster/calibrations/{slow,far,model}
xml() { # BANDWIDTH LATENCY
    cat <<XML
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-1" speed="1Gf" core="2" bw="$1" lat="$2"
  loopback_bw="4GBps" loopback_lat="300ns"/></zone></platform>
XML
}
xml 1GBps 10us >cluster/platform.xml
xml 100MBps 10us >cluster/calibrations/slow/platform.xml
xml 1GBps 1ms >cluster/calibrations/far/platform.xml
factors='smpi/lat-factor:0:1;1000:2
smpi/bw-factor:0:0.5;1000:0.9'
echo "$factors" >cluster/options.conf
echo 'smpi/lat-factor:0:3' >cluster/calibrations/far/options.conf
"$timeless" make token -n 2 --bytes 500 -o small.tl
"$timeless" make token -n 2 --bytes 1000000 -o large.tl
printf '%s\n' n0 n1 >apart
printf '%s\n' n0 n0 >together
seconds() { local trace=$1 platform=$2 hosts=$3; shift 3
    "$timeless" replay "$trace.tl" -p "$platform" --hostfile "$hosts" --no-compute -q "$@"; }
# there_and_back LATENCY BANDWIDTH BYTES: SMPI adds 16 bytes to a message
there_and_back() { echo "2 * ($1 + ($3 + 16) / $2)"; }

check 'without a calibration, the files of the folder count' \
    near "$(seconds large ./cluster apart)" "$(there_and_back 4e-5 0.9e9 1e6)" 1e-9
check 'a calibration replaces the files that it has' \
    near "$(seconds large ./cluster@slow apart)" "$(there_and_back 4e-5 0.9e8 1e6)" 1e-9
check 'its options replace all options' test "$(seconds large ./cluster@far apart)" != "$(seconds large ./cluster apart)"
check 'of two calibrations with the same file, the last one counts' \
    near "$(seconds large ./cluster@far+slow apart --cfg 'smpi/lat-factor:0:1;1000:2' --cfg 'smpi/bw-factor:0:0.5;1000:0.9')" \
    "$(there_and_back 4e-5 0.9e8 1e6)" 1e-9
seconds large ./cluster@slow apart --json=slow.json >out
check 'the prediction names the calibration' grep -q '"platform": "./cluster@slow"' slow.json
check 'an unknown calibration exits 3: an unknown calibration: the message lists those of the platform' refused 3 \
    "no calibration 'other'; .*(far, model, slow)" \
    seconds small ./cluster@other apart
check_exit 3 'a calibration is not a path' seconds small ./cluster@../x apart
mkdir cluster/calibrations/{net-2019-03,net-2020-07-01,net-2020-07-03,net-2020-07-02-slow,speed-2020}
cp cluster/calibrations/slow/platform.xml cluster/calibrations/net-2020-07-01
# chosen DATE: the calibrations, and how far away they are
chosen() {
    seconds large "./cluster@$1" apart --json=date.json >/dev/null &&
        python3 -c 'import json; p = json.load(open("date.json")); print(p["platform"], p.get("nearest_calibrations"))'
}
check 'a date chooses the nearest calibration of each kind, and the prediction states how far it is away' equal \
    "$(chosen 2020-07)" './cluster@net-2020-07-03 2020-07 net-2020-07-03 (-12 days)'
check 'of two that are equally near, the earlier one' equal "$(chosen 2020-07-02)" \
    './cluster@net-2020-07-01 2020-07-02 net-2020-07-01 (-1 days)'
check 'which has its own files' equal "$(seconds large ./cluster@2020-07-02 apart)" "$(seconds large ./cluster@slow apart)"
check 'the end of a year is nearer to a later March than to July' equal "$(chosen 2019-10-01)" \
    './cluster@net-2019-03 2019-10-01 net-2019-03 (-200 days)'
check 'a date and a name' equal "$(chosen 2019-03+net-2020-07-01)" './cluster@net-2019-03+net-2020-07-01 2019-03 net-2019-03 (+0 days)'
check 'without a date, the prediction has no such line' equal "$(chosen slow)" './cluster@slow None'
check 'the text of the prediction has the line' prints '~^nearest to        2020-07 net-2020-07-03 \(-12 days\)$' \
    "$timeless" replay large.tl -p ./cluster@2020-07 --hostfile apart --no-compute
mkdir cluster/calibrations/2020-07
check 'a calibration whose whole name is a date comes before the date' equal "$(chosen 2020-07)" './cluster@2020-07 None'
for wrong in 2020-13 2020-02-30 2020-7 20200701; do
    check_exit 3 "no date and no calibration: '$wrong'" seconds small "./cluster@slow+$wrong" apart
done
check_exit 3 'a platform without calibrations has none of a date' seconds small star-1g@2020-07 apart
mkdir 'a@b' && cp cluster/platform.xml cluster/options.conf 'a@b'
check "a folder with '@' in its name is a platform" seconds small './a@b' apart

# Within a host: 4 GB/s, 300 ns.
loopback=(--cfg 'timeless/loopback-bw-factor:0:0.25;1000:0.125' --cfg 'timeless/loopback-lat-factor:0:10;1000:100')
check 'without factors of its own, a message within a host has those of all messages' \
    near "$(seconds large ./cluster together)" "$(there_and_back 6e-7 3.6e9 1e6)" 1e-9
check 'a small message within a host has the factors of its size' \
    near "$(seconds small ./cluster together "${loopback[@]}")" "$(there_and_back 3e-6 1e9 500)" 1e-9
check 'within a host, a large message has the factors of the loopback' near \
    "$(seconds large ./cluster together "${loopback[@]}")" "$(there_and_back 3e-5 5e8 1e6)" 1e-9
for size in small large; do
    check "messages between hosts stay as they were, bit for bit: $size" \
        test "$(seconds $size ./cluster apart "${loopback[@]}")" = "$(seconds $size ./cluster apart)"
done
check 'one kind of factor alone leaves the other as for all messages' \
    near "$(seconds large ./cluster together --cfg 'timeless/loopback-lat-factor:0:10')" "$(there_and_back 3e-6 3.6e9 1e6)" 1e-9
# Overheads within a host: 1 us and 1 ns a byte for a send, 2 us for a receive; others from 1000 bytes on.
own='timeless/loopback-os:0:1e-6:1e-9;1000:9:9
timeless/loopback-or:0:2e-6:0;1000:9:9
timeless/loopback-ois:0:9:9'
network='smpi/os:0:5e-6:0
smpi/or:0:5e-6:0'
# with NAME OPTIONS: the platform with more options
with() { mkdir "$1" && cp cluster/platform.xml "$1" && printf '%s\n' "$factors" "$2" >"$1/options.conf"; }
with own "$own"
with beside "$network
$own"
with free "$network
$own
timeless/local-overheads:no"
# longer SECONDS HOSTS PLATFORM OPTION...: a round trip takes longer by that than without any overhead
longer() {
    awk -v a="$(seconds small ./cluster "$2" "${@:4}")" -v b="$(seconds small "./$3" "$2" "${@:4}")" -v want="$1" \
        'BEGIN { print b - a, want; d = b - a - want; exit !(d < 1e-10 && d > -1e-10) }'
}
for engine in smpi loggops; do
    check "$engine: a message within a host has the overheads of the loopback" longer 7e-6 together own --engine $engine
    check "$engine: likewise beside those of the network" longer 7e-6 together beside --engine $engine
    check "$engine: and if those do not count there" longer 7e-6 together free --engine $engine
    check "$engine: between hosts they do not count" longer 20e-6 apart beside --engine $engine
done
check 'overheads of the loopback are scaled with the others' longer 14e-6 together own --scale overheads=2
check 'overheads may have any order of sizes, as in SMPI, and those that are not positive are none' equal \
    "$(seconds small ./cluster together --cfg 'timeless/loopback-or:10:1e-6:0;0:2e-6:0;5:-1:0;')" \
    "$(seconds small ./cluster together --cfg 'timeless/loopback-or:0:2e-6:0;5:0:0;10:1e-6:0')"
for wrong in 0:1 0:1:2:3 :1:1 0:-1:1 0:nan:0 x; do
    check_exit 3 "wrong overheads within a host exit 3: $wrong" seconds small ./cluster together --cfg "timeless/loopback-or:$wrong"
done
# Two messages at once: 1 GB/s of the link, of which each can use a quarter.
slow=(--cfg smpi/bw-factor:0:0.25)
both() { "$timeless" replay large.tl large.tl -p ./cluster --hostfile apart --hostfile apart --no-compute -q "${slow[@]}" "$@" |
    tail -n 1; }
check 'a factor of bandwidth is one of the link: two messages take twice as long' \
    near "$(both)" "$(there_and_back 4e-5 0.125e9 1e6)" 1e-9
check 'as a bound it is one of the message: two fit the link' \
    near "$(both --cfg timeless/bw-factor-bound:yes)" "$(there_and_back 4e-5 0.25e9 1e6)" 1e-9
check 'alone, a message takes the same time' \
    near "$(seconds large ./cluster apart "${slow[@]}" --cfg timeless/bw-factor-bound:yes)" "$(there_and_back 4e-5 0.25e9 1e6)" 1e-9
check 'as a bound, no factor makes a link faster' \
    near "$(seconds large ./cluster apart --cfg smpi/bw-factor:0:4 --cfg timeless/bw-factor-bound:yes)" \
    "$(there_and_back 4e-5 1e9 1e6)" 1e-9
check 'a bound that SimGrid would not set is refused with the remedy' refused 3 \
    'timeless/bw-factor-bound has no effect with network/TCP-gamma:0; set network/TCP-gamma:1e15' \
    seconds large ./cluster apart "${slow[@]}" --cfg timeless/bw-factor-bound:yes --cfg network/TCP-gamma:0
for wrong in 0:0 0:1,2 :1 0 0:-1 0:nan; do
    check_exit 3 "wrong factors of bandwidth exit 3: $wrong" seconds small ./cluster together --cfg "timeless/loopback-bw-factor:$wrong"
done

# Dahu's files are what make.py writes.
cp -r "$top_srcdir/platforms/dahu" dahu && chmod -R u+w dahu
(cd dahu && python3 make.py)
check 'platforms/dahu is what its make.py writes from the published figures' diff -r "$top_srcdir/platforms/dahu" dahu
replays() { "$timeless" replay "$top_srcdir/traces/hpl-4.tl" -p "dahu@$1" -q; }
for calibration in "$top_srcdir"/platforms/dahu/calibrations/*; do
    check "dahu@${calibration##*/} replays HPL" replays "${calibration##*/}"
done
check 'dahu itself is dahu@2020-01, when most of the published runs ran' equal "$(replays 2020-01)" \
    "$("$timeless" replay "$top_srcdir/traces/hpl-4.tl" -p dahu -q)"
# dgemm M N K: its seconds on the even cores of the node without noise
model=dahu/calibrations/dgemm-2020-01-14/model.conf
check 'dahu: each CPU of 32 nodes has its dgemm, and K above 128 its own' equal "$(grep -c 'dahu-.*k = 384.*k = 192' $model)" 64
check 'dahu: a CPU that was not measured in January 2020 has the mean of those that were, times its share of the later set' \
    python3 - "$top_srcdir/platforms/dahu" <<'END'
import csv, re, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1] + "/published/dgemm.csv")))
of = {(r["set"], r["node"], r["cpu"]): float(r["mnk"]) for r in rows}
january, mean = "K128-2020-01-14", "mean of 2019-11..2020-02"
places = [k[1:] for k in of if k[0] == january]
want = statistics.mean(of[(january, *p)] for p in places) * of[mean, "20", "1"] / statistics.mean(of[(mean, *p)] for p in places)
line = next(l for l in open(sys.argv[1] + "/calibrations/dgemm-2020-01-14/model.conf") if "dahu-20:*[13579]" in l)
assert len(places) == 7 and abs(float(re.findall("mnk = ([^;]*);", line)[-2]) / want - 1) < 1e-5, (want, line)
END
tap_done
