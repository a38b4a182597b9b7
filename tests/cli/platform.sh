#!/usr/bin/env bash
# timeless platform: each topology is generated, loads in SimGrid and gives a message the time that its
# links say; what cannot be built is refused in one line; the shipped folders are what their files make.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_QUIET=1 TIMELESS_PLATFORMS=$top_srcdir/platforms
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
cd "$scratch" || exit 99

latency=1e-5 bandwidth=1e9
# describe NAME SETTINGS...: a description on such links, without the kind of network
describe() {
    local name=$1; shift
    printf '%s\n' "$@" "node = { cores = 2; speed_flops = 1.0e9; };" \
        "link = { bandwidth_Bps = $bandwidth; latency_s = $latency; ${limiter:-} };" \
        "loopback = { bandwidth_Bps = 4e9; latency_s = 3e-7; };" \
        'options = [ "smpi/lat-factor:0:1;1000:2", "smpi/bw-factor:0:0.5;1000:0.9" ];' >"$name.conf"
}
generates() { describe "$@"; check "$1 is generated" "$timeless" platform "$1.conf" -o "$1"; }

"$timeless" make token -n 2 --bytes 500 -o small.tl
"$timeless" make token -n 2 --bytes 1000000 -o large.tl
# takes PLATFORM FROM TO LATENCY BANDWIDTH: there and back, in the two ranges of the options; SMPI adds 16
# bytes to a message
takes() {
    local t
    printf '%s\n' "$2" "$3" >hosts
    t=$("$timeless" replay small.tl -p "./$1" --hostfile hosts --no-compute -q) || return 1
    near "$t" "2 * ($4 + 516 / (0.5 * $5))" 1e-9 || return 1
    t=$("$timeless" replay large.tl -p "./$1" --hostfile hosts --no-compute -q) || return 1
    near "$t" "2 * (2 * $4 + 1000016 / (0.9 * $5))" 1e-9
}

generates star 'title = "Bob'"'"'s <own> cluster & more";' 'topology = "star"; nodes = 5; first = 1;'
check 'its title is in a comment of the platform' grep -q "Bob's <own> cluster & more: 5 nodes" star/platform.xml
check 'star: within a node' takes star node-1 node-1 3e-7 4e9
check 'star: across the switch' takes star node-1 node-5 2e-5 1e9
generates slow 'topology = "star"; nodes = 5; backbone = { bandwidth_Bps = 5e8; latency_s = 1e-6; };'
# The switch is one link for both directions: replies take 5 % of it (ANCHORS, section 3: 1.05).
check 'star: through a slow switch' takes slow node-0 node-4 2.1e-5 "$(awk 'BEGIN { printf "%.17g", 5e8 / 1.05 }')"
limiter='limiter_Bps = 1.5e9;' generates cabinets 'topology = "cabinets"; cabinets = [ 3, 2, 4 ]; prefix = "c"; suffix = ".lan";' \
    'uplink = { bandwidth_Bps = 8e8; latency_s = 2e-6; limiter_Bps = 1.3e9; };'
check 'cabinets: within a node' takes cabinets c4.lan c4.lan 3e-7 4e9
check 'cabinets: within a cabinet' takes cabinets c3.lan c4.lan 2e-5 1e9
check 'cabinets: from one cabinet to another' takes cabinets c0.lan c8.lan 2.4e-5 8e8
generates tree 'topology = "fat-tree"; children = [ 4, 3 ]; parents = [ 1, 2 ]; parallel = [ 1, 2 ]; ports = [ 8, 6 ];'
check 'fat tree: within a node' takes tree node-0 node-0 3e-7 4e9
check 'fat tree: under a leaf' takes tree node-0 node-3 2e-5 1e9
check 'fat tree: from one leaf to another' takes tree node-0 node-11 4e-5 1e9
generates torus 'topology = "torus"; dimensions = [ 4, 3, 5 ]; nodes = 60;'
check 'torus: within a node' takes torus node-7 node-7 3e-7 4e9
check 'torus: round the first dimension' takes torus node-0 node-3 1e-5 1e9
check 'torus: the far corner, 2 + 1 + 2 hops' takes torus node-0 node-30 5e-5 1e9
generates fly 'topology = "dragonfly"; groups = 3; chassis_per_group = 2; blades_per_chassis = 4; nodes_per_blade = 2;'
check 'dragonfly: within a node' takes fly node-0 node-0 3e-7 4e9
check 'dragonfly: on a blade' takes fly node-0 node-1 2e-5 1e9
check 'dragonfly: within a chassis' takes fly node-0 node-6 3e-5 1e9
# SimGrid 3.32 forgets the link to the first chassis on the way back: 4 links there, 3 back.
check 'dragonfly: within a group' takes fly node-0 node-14 3.5e-5 1e9
check 'dragonfly: from one group to another' takes fly node-0 node-16 4e-5 1e9

# A quantity with its unit is the number that it stands for.
units() { # SPEED LINK LOOPBACK
    printf '%s\n' 'topology = "star"; nodes = 5;' "node = { cores = 2; $1 };" "link = { $2 };" "loopback = { $3 };"
}
units 'speed_flops = 3e9;' 'bandwidth_Bps = 1.25e9; latency_s = 5e-6; limiter_Bps = 1.5e8;' \
    'bandwidth_Bps = 4294967296.0; latency_s = 0;' >numbers.conf
units 'speed = "3Gf";' 'bandwidth = "10Gbps"; latency = "5us"; limiter = "150MBps";' 'bandwidth = "4GiBps"; latency = "0";' >units.conf
check 'a description with units is generated' "$timeless" platform units.conf -o units
check 'a description with numbers is generated' "$timeless" platform numbers.conf -o numbers
check 'units and numbers make the same platform' cmp <(sed 1,5d units/platform.xml) <(sed 1,5d numbers/platform.xml)

# Two flows in opposite directions share the limiter: 1.5 B for both (smpi-approach, section 3.2).  Each also
# takes 5 % of its way back.
limiter='limiter_Bps = 1.5e9;' generates both 'topology = "star"; nodes = 2;'
generates free 'topology = "star"; nodes = 2;'
"$timeless" make alltoall -n 2 --bytes 100000000 -o exchange.tl
# exchanges PLATFORM BANDWIDTH: what is left of the way for each direction
exchanges() {
    near "$("$timeless" replay exchange.tl -p "./$1" --ranks-per-host 1 --no-compute -q)" \
        "4e-5 + 1.05 * 100000016 / (0.9 * $2)" 1e-9
}
check 'both ways at once' exchanges free 1e9
check 'both ways through a limiter' exchanges both 0.75e9

for file in "$top_srcdir"/platforms/*/platform.conf; do
    folder=$(dirname "$file") name=$(basename "$(dirname "$file")")
    check "$name is generated again" "$timeless" platform "$file" -o "again-$name"
    for part in platform.xml options.conf model.conf; do
        [ ! -e "again-$name/$part" ] || check "$name/$part is what its file makes" cmp "$folder/$part" "again-$name/$part"
    done
    check "$name has a README and a model" test -s "$folder/README.md" -a -s "$folder/model.conf"
    check "$name replays" "$timeless" replay large.tl -p "$name" --ranks-per-host 1
    check "$name is listed" bash -c '"$1" platform --list | grep "^$2  *[^ ]"' - "$timeless" "$name"
    check "$name takes little room" test "$(wc -c <"$folder/platform.xml")" -lt 5000
done
states() { "$timeless" platform "$1" --check >said 2>warned && ! grep -v '327680: a message of a size in between' warned &&
    grep -qx 'overheads of messages: smpi/os, smpi/ois, smpi/or' said; }
for folder in "$top_srcdir"/platforms/*/platform.xml; do
    name=$(basename "$(dirname "$folder")")
    check "$name states the overheads of messages" states "$name"
done
mkdir cheap && cp "$top_srcdir/platforms/star-1g/platform.xml" cheap && echo 'smpi/or:0:1e-6:0' >cheap/options.conf
check 'a platform without overheads of sending is checked' "$timeless" platform ./cheap --check
cp err cheap.err
check 'it is warned of, and nothing else' bash -c 'grep -q "warning: options.conf has no smpi/os, so MPI_Send" cheap.err &&
    grep -q "no smpi/ois" cheap.err && ! grep -q "no smpi/or," cheap.err'
cat >plain.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config><prop id="smpi/or" value="0:1e-6:0"/></config>
  <cluster id="c" prefix="n" suffix="" radical="0-7" speed="5Gf" bw="1.25GBps" lat="10us"/>
</platform>
END
check 'a plain XML file is checked' "$timeless" platform ./plain.xml --check
cp err plain.err
check 'the warnings name its <config>, and no file that it lacks' bash -c \
    'grep -q "warning: its <config> has no smpi/os, so MPI_Send" plain.err && ! grep -q "options.conf\|no smpi/or," plain.err'
late='a message of a size in between leaves only when its receive is posted'
check 'SimGrid lets short messages wait for their receives: it is warned of' grep -q "$late" plain.err
for name in star-1g tibidabo; do check "$name does not" bash -c '! "$0" platform $1 --check 2>&1 | grep "$2"' "$timeless" $name \
    "$late"; done
printf '%s\n' 'skeleton 1' 'ranks 2' 'param N = 200' 'for i = 1 to N {' 'if rank == 0 {' \
    'MPI_Send peer=1 count=8 type_bytes=1 tag=0' '} else {' \
    'MPI_Recv peer=0 count=8 type_bytes=1 tag=0' '}' '}' >oneway.skel
a_message() { # ENGINE: 9 us and 0.7 ns a byte, of the CPU that receives
    local short long
    short=$("$timeless" replay oneway.skel -p star-1g --ranks-per-host 1 -q --engine "$1") &&
        long=$("$timeless" replay oneway.skel --set N=400 -p star-1g --ranks-per-host 1 -q --engine "$1") &&
        awk -v a="$short" -v b="$long" 'BEGIN {us = (b - a) / 200 * 1e6; print us; exit !(us > 9.005 && us < 9.006)}'
}
for engine in smpi loggops; do check "star-1g, $engine: of messages in a stream each costs what the CPUs do" a_message $engine; done
check 'graphene does so from 64 KiB to 320 KiB, as published' bash -c '"$0" platform graphene --check 2>&1 | grep "$1"' "$timeless" "$late"
check 'platform writes no such options' bash -c '! "$0" platform ./star --check 2>&1 | grep "$1"' "$timeless" "$late"
sed 's/smpi.or/smpi\/orr/' plain.xml >misspelt.xml
check_exit 3 'an option that does not exist fails as in a replay' "$timeless" platform ./misspelt.xml --check
sed 's/smpi.or/smpi\/async-small-thresh/; s/0:1e-6:0/70000/' plain.xml >late.xml
check_exit 3 'so do messages that leave at once and whose sends wait' "$timeless" platform ./late.xml --check
check_exit 3 'a platform that does not exist cannot be checked' "$timeless" platform ./nowhere --check
# An alltoall of 64 B: 15 sends of each rank cost more than the 4 rounds of bruck.
"$timeless" make call_alltoall -n 16 --bytes 64 -o alltoall.tl
for name in star-1g fat-tree graphene cloud stampede theta tibidabo; do
    check "$name: an alltoall of 64 B is faster by bruck than by basic_linear" bash -c \
        '[ "$(printf "%s\n" "$("$1" replay alltoall.tl -p $2 --ranks-per-host 1 --coll alltoall=bruck -q) bruck" \
            "$("$1" replay alltoall.tl -p $2 --ranks-per-host 1 --coll alltoall=basic_linear -q) linear" |
            sort -g | head -n 1 | cut -d" " -f2)" = bruck ]' - "$timeless" $name
done
check 'at least five shipped platforms have a description' test "$(ls -d again-* | wc -l)" -ge 5
check 'graphene: options.conf has its four breaks' bash -c 'for b in 1420 32768 65536 327680; do grep ":$b\b\|;$b:" "$1" ||
    exit 1; done' - "$top_srcdir/platforms/graphene/options.conf"
mkdir man && awk '/^\.SH THE NOISE/ {exit} /^\.nf/ {on = 1; next} /^\.fi/ {on = 0} on' "$top_srcdir/doc/timeless-platform.5" |
    sed "s|\.\./local|$top_srcdir/platforms/local|" >man/platform.conf
check 'the example of the manual' "$timeless" platform man/platform.conf -o man
check 'the example of the manual replays' "$timeless" replay large.tl -p ./man --ranks-per-host 1
tap_done
