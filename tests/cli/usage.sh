#!/usr/bin/env bash
# timeless replay --links --energy: against values computed by hand.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# Three hosts, two links: a, b and c send over "shared" to one another; 100 W idle, 250 W at work.
mkdir watts
cat >watts/platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <host id="a" speed="1Gf"><prop id="wattage_per_state" value="100:250"/></host>
    <host id="b" speed="1Gf"><prop id="wattage_per_state" value="100:250"/></host>
    <host id="c" speed="1Gf"><prop id="wattage_per_state" value="40:90"/></host>
    <host id="d" speed="1Gf"/>
    <link id="shared" bandwidth="100MBps" latency="1us"><prop id="wattage_range" value="10:30"/></link>
    <link id="wide" bandwidth="1GBps" latency="1us"/>
    <route src="a" dst="c" symmetrical="NO"><link_ctn id="shared"/></route>
    <route src="c" dst="a" symmetrical="NO"><link_ctn id="wide"/></route>
    <route src="b" dst="c" symmetrical="NO"><link_ctn id="shared"/></route>
    <route src="c" dst="b" symmetrical="NO"><link_ctn id="wide"/></route>
    <route src="a" dst="b"><link_ctn id="wide"/></route>
  </zone>
</platform>
END
cp "$top_srcdir/platforms/star-1g/model.conf" watts
printf 'network/crosstraffic:no\nsmpi/bw-factor:0:1\nsmpi/lat-factor:0:1\n' >watts/options.conf
trace() { # RANKS: events on standard input
    { printf '%s\n' 'timeless-text 1' "ranks $1" 'volume_unit "cpu-ns"'; cat; } | "$timeless" undump - -o "$2"
}
said() { python3 -c "import json; p = json.load(open('$1')); links = {l['name']: l for l in p.get('links', [])}; $2"; }
rank() { printf 'rank %d host="h"\n' "$1"; cat; echo 'end cut clock_ns=0'; }

# a and b send 50 MB each at the same time: the link is full for a second.
send='MPI_Send count=50000000 type_bytes=1 peer=2 tag=0 comm=1'
recv='MPI_Irecv count=50000000 type_bytes=1 tag=0 comm=1'
{
    rank 0 <<<"0 0 $send"
    rank 1 <<<"1 0 $send"
    rank 2 <<<"2 0 $recv peer=0 request=1
2 1 $recv peer=1 request=2
2 2 MPI_Waitall list=[1,2]
2 3 MPI_Barrier comm=2 clock_ns=0 volume=1000000000"
} | trace 3 both.tl
printf 'a\nb\nc\n' >hosts
check 'two messages over a link' "$timeless" replay both.tl -p watts --hostfile hosts --links --json=both.json -q
check 'their bytes, half of the time, full for half of it' said both.json '
l = links["shared"]
assert abs(l["bytes"] / 1e8 - 1) < 1e-3, l
assert l["sent_bytes"] == 100000000, l
assert abs(l["mean_use"] - 0.5) < 1e-3 and abs(l["saturated_s"] - 1) < 1e-3, l
assert list(links) == ["shared"] and "energy" not in p, p.keys()'
check 'two messages, with the traffic in the other direction' "$timeless" replay both.tl -p watts --hostfile hosts --links \
    --cfg=network/crosstraffic:yes --json=cross.json -q
check 'the bytes of the messages are the same, those of the model are more' said cross.json '
assert links["shared"]["sent_bytes"] == 100000000 and links["wide"]["sent_bytes"] == 0, links
assert links["wide"]["bytes"] > 1e6, links'
check 'the prediction is the same without' bash -c "'$timeless' replay both.tl -p watts --hostfile hosts -q |
    python3 -c 'import json; assert float(input()) == json.load(open(\"both.json\"))[\"makespan_s\"]'"
# One after the other: a's message alone takes half a second, as the link is its own.
sed 's/^1 0 MPI_Send/& volume=700000000/' <<<"$(
    rank 0 <<<"0 0 $send"
    rank 1 <<<"1 0 $send"
    rank 2 <<<"2 0 $recv peer=0 request=1
2 1 $recv peer=1 request=2
2 2 MPI_Waitall list=[1,2]")" | trace 3 after.tl
check 'one after the other' "$timeless" replay after.tl -p watts --hostfile hosts --links --energy --json=after.json -q
check 'the link rests in between' said after.json '
assert abs(p["makespan_s"] - 1.2) < 1e-3, p["makespan_s"]
assert abs(links["shared"]["mean_use"] - 1 / 1.2) < 1e-3, links
hosts = {h["name"]: h["energy_j"] for h in p["energy"]["hosts"]}
# a sends until 0.5 s and has ended for 0.7 s; b computes for 0.7 s and sends; c polls; the link at work for 1 s.
for name, joules in (("a", 0.5 * 250 + 0.7 * 100), ("b", 300), ("c", 108)):
    assert abs(hosts[name] / joules - 1) < 1e-3, (name, hosts)
assert len(hosts) == 3 and abs(p["energy"]["hosts_j"] - sum(hosts.values())) < 1e-9
assert abs(p["energy"]["links_j"] - (1.0 * 30 + 0.2 * 10)) < 0.1, p["energy"]'
check 'ranks that sleep while they wait' "$timeless" replay after.tl -p watts --hostfile hosts --energy --set energy.wait=idle \
    --json=idle.json -q
# a idle for 1.2 s; b at work for 0.7 s and idle for 0.5 s; c idle.
check 'need less' said idle.json '
hosts = {h["name"]: h["energy_j"] for h in p["energy"]["hosts"]}
for name, joules in (("a", 120), ("b", 0.7 * 250 + 0.5 * 100), ("c", 48)):
    assert abs(hosts[name] / joules - 1) < 1e-3, (name, hosts)'
check 'as text' "$timeless" replay after.tl -p watts --hostfile hosts --links --energy
cp out text
check 'with both' bash -c 'grep -qE "^shared +100000000 +1[0-9.e+]+ +83\.3[0-9]% " text && grep -qE "^energy +[0-9.]+ J of 3 hosts" text'
check 'energy does not change the prediction' bash -c "'$timeless' replay after.tl -p watts --hostfile hosts -q |
    python3 -c 'import json; assert float(input()) == json.load(open(\"after.json\"))[\"makespan_s\"]'"

check 'a platform with watts prints the energy without an option' sh -c '"$0" replay after.tl -p watts --hostfile hosts >plain &&
    grep "^energy" plain >one && grep "^energy" text | diff - one' "$timeless"
cat >described.conf <<'END'
topology = "star"; nodes = 2;
node = { cores = 2; speed = "1Gf"; watts = [ 100, 160, 200 ]; };
link = { bandwidth = "1GBps"; latency = "1us"; };
END
cp watts/model.conf . && "$timeless" platform described.conf -o described >/dev/null && cp model.conf described || exit 99
{
    rank 0 <<<'0 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000'
    rank 1 <<<'1 0 MPI_Barrier comm=1 clock_ns=0 volume=1000000000'
} | trace 2 second.tl
# A second of computation: two cores of one node, then one core of each.
check 'watts of a description: idle and all cores' sh -c '"$0" replay second.tl -p ./described |
    awk "\$1 == \"energy\" { d = \$2 / 300 - 1; found = d < 1e-3 && d > -1e-3 } END { exit !found }"' "$timeless"
check 'watts of a description: one core' sh -c '"$0" replay second.tl -p ./described --ranks-per-host 1 |
    awk "\$1 == \"energy\" { d = \$2 / 320 - 1; found = d < 1e-3 && d > -1e-3 } END { exit !found }"' "$timeless"
sed 's/100, 160, 200/100, 200/' described.conf >linear.conf
"$timeless" platform linear.conf -o linear >/dev/null && cp model.conf linear || exit 99
check 'watts without those of one core: half of the cores, half of the rise' sh -c '"$0" replay second.tl -p ./linear --ranks-per-host 1 |
    awk "\$1 == \"energy\" { d = \$2 / 300 - 1; found = d < 1e-3 && d > -1e-3 } END { exit !found }"' "$timeless"
check 'watts of a description: LogGOPS reads the platform' "$timeless" replay second.tl -p ./described --engine loggops
for watts in '[ 100 ]' '[ 100, 90 ]' '"100"' '[ 1, 2, 3, 4 ]' '[ -1, 2 ]'; do
    sed "s/watts = .*;  *};/watts = $watts; };/; s/\(watts = \)[^;]*;/\1$watts;/" described.conf >bad.conf
    check_exit 3 "watts = $watts are refused" "$timeless" platform bad.conf -o bad
done
cp -r "$top_srcdir/platforms/star-1g" unpowered && chmod -R u+w unpowered && sed -i /wattage_per_state/d unpowered/platform.xml || exit 99
check_exit 3 'a platform without watts' "$timeless" replay both.tl -p ./unpowered --energy
cp err said
check 'is told so in a line' bash -c 'grep -q "wattage_per_state" said && [ $(wc -l <said) = 1 ]'
check_exit 2 'links of two traces' "$timeless" replay both.tl both.tl -p star-1g --links
check_exit 2 'an engine that knows none' "$timeless" replay both.tl --engine loggops --params L=1us,o=1us,g=1us,G=1ns,O=0ns \
    -p star-1g --links
tap_done
