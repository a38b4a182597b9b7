#!/usr/bin/env bash
# network/bandwidth-factor and network/latency-factor: two options of SimGrid 3.32, other names of smpi/bw-factor and
# smpi/lat-factor in 4.0.
# And network/model, which the engine loggops has not.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
[ "${timeless#/}" = "$timeless" ] && timeless=$(cd "$OLDPWD" && cd "$(dirname "$timeless")" && pwd)/timeless
cp -r "$OLDPWD/$top_srcdir/platforms/star-1g" p 2>/dev/null || cp -r "$top_srcdir/platforms/star-1g" p
chmod -R u+w p
grep -vE '^(smpi/(bw|lat)|network/(bandwidth|latency))-factor' p/options.conf >options.conf
$timeless make ring -n 4 --iterations 2 --bytes 100000 -o ring.tl
options() { { cat options.conf; [ $# = 0 ] || printf '%s\n' "$@"; } >p/options.conf; }
seconds() { $timeless replay ring.tl -p ./p --ranks-per-host 1 -q "$@"; }
both_refuse() { # NAME PATTERN
    check "$1: one line says why" refused 3 "~^timeless: ./p: $2\$" seconds
    check_exit 3 "$1: the engine loggops refuses it, too" seconds --engine loggops
}
options smpi/bw-factor:0:0.5 smpi/lat-factor:0:2
check 'the factors of SMPI alone' seconds
alone=$(seconds)
for latency in '0:2' '0:2;100:2'; do
    options smpi/bw-factor:0:0.5 "smpi/lat-factor:$latency" network/bandwidth-factor:0.5 network/latency-factor:2
    check "both with the same values ($latency): the same prediction" equal "$alone" "$(seconds)"
done
options smpi/bw-factor:0:0.5 network/bandwidth-factor:0.97
both_refuse 'another factor of bandwidth' \
    'network/bandwidth-factor:0.97 and smpi/bw-factor:0:0.5 differ, but SimGrid 4.0 takes them as one option \(SimGrid 3.32 uses smpi/bw-factor\); remove network/bandwidth-factor'
options 'smpi/lat-factor:0:2;1000:3' network/latency-factor:2
both_refuse 'another factor of latency' 'network/latency-factor:2 and smpi/lat-factor:0:2;1000:3 differ, .*; remove network/latency-factor'
options smpi/lat-factor:1000:2 network/latency-factor:2
both_refuse 'a factor of some sizes' 'network/latency-factor:2 and smpi/lat-factor:1000:2 differ, .*'
options network/bandwidth-factor:0.97
both_refuse 'a factor that SimGrid 3.32 ignores' \
    'network/bandwidth-factor:0.97 has no effect on messages of MPI in SimGrid 3.32, but has one in SimGrid 4.0; write smpi/bw-factor:0:0.97, or remove it'
options
check_exit 3 'the same on the command line' seconds --cfg network/latency-factor:3
sed -i 's|<zone |<config><prop id="network/bandwidth-factor" value="0.97"/></config><zone |' p/platform.xml
check 'the same in the XML file' refused 3 '~write smpi/bw-factor:0:0.97, or remove it$' seconds
options smpi/bw-factor:0:0.97
check 'in the XML file with the same value in options.conf: is replayed' seconds
sed -i 's|<config>.*</config>||' p/platform.xml
options network/model:LV08
check 'another network model: the engine smpi replays with it' seconds
check 'another network model: the engine loggops refuses it' refused 3 \
    '~^timeless: ./p: options.conf: option network/model:LV08: the loggops engine has the model SMPI only; leave it out, or replay with --engine smpi$' \
    seconds --engine loggops
options
of_engines() { seconds && seconds --engine loggops; }
without=$(of_engines)
sed -i 's|<zone |<config><prop id="network/model" value="LV08"/></config><zone |' p/platform.xml
uses_none() { [ "$(wc -w <<<"$without")" = 2 ] && equal "$without" "$(of_engines)"; }
check 'a network model in the XML file: no engine uses it, as smpirun' uses_none
tap_done
