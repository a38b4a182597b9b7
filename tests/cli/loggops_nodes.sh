#!/usr/bin/env bash
# Nodes in the LogGOPS engine: equal to the engine without nodes where each rank has one to itself,
# near SimGrid where ranks share them, for every shipped platform, whatever the number of threads.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

loggops() { "$timeless" replay "$1" --engine loggops -q "${@:2}"; }
# same A B: the ranks of two predictions are equal to the last digit, but for their hosts
same() {
    python3 - "$@" <<'END'
import json, sys
first, second = ([{k: v for k, v in rank.items() if k != "host"} for rank in json.load(open(name))["ranks"]]
                 for name in sys.argv[1:])
sys.exit(first != second or max(rank["end_s"] for rank in first) <= 0)
END
}
alone() {
    loggops p.tl --params "$1" --json=without.json >out &&
        loggops p.tl --params "$1" -p fat-tree --ranks-per-host 1 --json=with.json >out && same without.json with.json
}
threads() {
    loggops big.tl "$@" --json=one.json >out && loggops big.tl "$@" --threads 2 --json=two.json >out && same one.json two.json
}
nodes='L=2us,o=1us,g=0.5us,G=0.1ns,O=0.1ns;local:L=0.2us,o=0.3us'
moves="L=2us,o=1us,g=0.1us,G=0.1ns,O=0.1ns,or=1us,S=20000;from=8000,L=4us;$nodes"
moves=${moves%;L=*};local=';local:L=0.2us,o=0.3us,B=0.2ns'
for pattern in dissemination scatter gather stencil2d sweep random call_allreduce call_alltoall; do
    "$timeless" make $pattern -n 64 --iterations 3 --bytes 3000 -o p.tl
    check "$pattern: a rank on each node is as without nodes" alone L=5us,o=2us,g=9us,G=2.5ns,O=4ns
    check "$pattern: likewise with messages that wait for their receive" alone L=1us,o=2us,g=0,G=25ns,O=1ns,R=1ns,S=100
done
for pattern in stencil2d dissemination random; do
    "$timeless" make $pattern -n 1024 --iterations 2 --bytes 10000 -o big.tl
    check "$pattern: two threads predict the same, ranks on nodes" threads --params "$nodes" -p fat-tree
    check "$pattern: likewise where adapters move the bytes" threads --params "$moves$local" -p fat-tree
    check "$pattern: likewise with the platform's links" threads -p fat-tree
done

# ---- long messages that share adapters: 1 ms of bytes each, 10 us ----
long='L=1us,o=0,g=0,G=1ns,O=0,or=0,S=10000;from=10000,L=10us'
# takes MILLISECONDS LINES...: ranks 0 and 1 send these messages to ranks 2, 3, 4, from hosts of their own
takes() {
    local ms=$1; shift
    printf '%s\n' 'skeleton 1' 'ranks 5' 'if rank < 2 {' "$@" 'MPI_Waitall request=r' '} else {' >sharing.skel
    printf '%s\n' "$@" | awk -F'[=, ]' '{ n[$3]++ } END { for (to in n) { print "if rank == " to " {"
        for (i = 0; i < n[to]; i++) for (from = 0; from < 2; from++) print "MPI_Irecv peer=" from " count=1000001 request=r"
        print "}" } print "MPI_Waitall request=r"; print "}" }' >>sharing.skel
    awk -v got="$(loggops sharing.skel -p star-1g --ranks-per-host 1 --params "$long")" -v want="$ms" 'BEGIN {
        printf "%.9g expected, %.9g replayed\n", want / 1000 + 1e-5, got; d = got - want / 1000 - 1e-5; exit !(d < 1e-9 && d > -1e-9) }'
}
send() { local to; for to; do echo "MPI_Isend peer=$to count=1000001 request=r"; done; }
mapfile -t one < <(send 2)
mapfile -t two < <(send 2 3)
check 'two long messages to one host arrive after the time of both' takes 2 "${one[@]}"
ends() { # of the ranks 0 and 2 in ms
    loggops sharing.skel -p star-1g --ranks-per-host 1 --params "$long" --json=ends.json >out &&
        python3 -c 'import json, sys; got = [1e3 * rank["end_s"] for rank in json.load(open("ends.json"))["ranks"]]
print(got); sys.exit(any(abs(got[r] - float(want)) > 1e-6 for r, want in zip((0, 2), sys.argv[1:])))' "$@"
}
check '... their sends end before (timeless-replay(1), Limits)' ends 1.01 2.01
check 'likewise if each shares the adapter that it leaves with one to another host' takes 2 "${two[@]}"

# Others that pass the receiving adapter while a long message moves take their own time of it, no more: a long message is known
# there when its last byte comes.
# meets MICROSECONDS COUNT OTHERS...: rank 1 sends COUNT bytes to rank 0 from second 0 on; OTHERS are "MICROSECOND BYTES" of rank 2
meets() {
    local want=$1 count=$2 last=0 other sends='' receives=''
    shift 2
    for other; do
        sends+="Sleep count=$(((${other% *} - last) * 1000))"$'\n'"MPI_Isend peer=0 count=${other#* } request=r"$'\n'
        receives+="MPI_Irecv peer=2 count=${other#* } request=r"$'\n'
        last=${other% *}
    done
    printf '%s\n' 'skeleton 1' 'ranks 3' 'if rank == 0 {' "MPI_Irecv peer=1 count=$count request=r" "${receives}MPI_Waitall request=r" '}' \
        'if rank == 1 {' "MPI_Send peer=0 count=$count" '}' 'if rank == 2 {' "${sends}MPI_Waitall request=r" '}' >meets.skel
    awk -v got="$(loggops meets.skel -p star-1g --ranks-per-host 1 --params "$long")" -v want="$want" 'BEGIN {
        printf "%.12g expected, %.12g replayed\n", want / 1e6, got; d = 1e6 * got - want; exit !(d < 0.01 && d > -0.01) }'
}
check 'a byte that comes in the middle does not delay a long message' meets 1010 1000001 '600 1'
check 'nor do many, one after the other' meets 1010 1000001 '100 1' '200 1' '300 1' '400 1' '500 1' '600 1' '700 1' '800 1' '900 1'
check 'short messages delay it by their own time' meets 1026 1000001 '200 4001' '300 4001' '400 4001' '500 4001'
check 'many that were there before it do not' meets 2010 2000001 '1 1' '2 1' '3 1' '4 1' '5 1' '6 1' '7 1'
check 'a long one that comes later and ends first delays it by its own time' meets 2510 2000001 '1000 500001'
check 'long ones that fill the adapter between them wait for one another' meets 3010 2000001 '500 500001' '1100 500001'

# ---- beside SimGrid ----

engines_near() { near "$(makespan "${@:2}")" "$(loggops "${@:2}")" "$1"; } # SHARE ARGUMENTS...
hpl=hpl:NB=128,PFACT=1,RFACT=2,NBMIN=2,NDIV=2,BCAST=2,SWAP=0,DEPTH=1,RECEIVE=0
check 'HPL on two nodes of dahu: within 5 % of SimGrid' engines_near 0.05 $hpl,N=6000,P=4,Q=8 -p dahu --ranks-per-host 16
check 'HPL on one node of dahu: within 5 % of SimGrid' engines_near 0.05 $hpl,N=6000,P=4,Q=4 -p dahu
check 'HPL on dahu of 2020, with factors within a node: within 5 % of SimGrid' engines_near 0.05 $hpl,N=6000,P=4,Q=4 \
    -p dahu@network-2020-08-20 --ranks-per-host 8
"$timeless" make ring -n 32 --bytes 3000000 --iterations 3 -o ring.tl
check 'a ring, all of it on one node at a time: within 5 % of SimGrid' engines_near 0.05 ring.tl -p dahu@network-2018-10

adaptive=${hpl%,RECEIVE=0}
check 'HPL on dahu, panels received when they have come: within 5 % of SimGrid' engines_near 0.05 $adaptive,N=6000,P=4,Q=8 \
    -p dahu --ranks-per-host 8
check 'HPL with an adapter for each rank: within 2 % of SimGrid' engines_near 0.02 $adaptive,N=3000,P=16,Q=1 -p dahu --ranks-per-host 1
big() { loggops $adaptive,N=8000,P=16,Q=32 -p dahu "$@"; }
check 'HPL of 512 ranks: two threads predict the same' equal "$(big)" "$(big --threads 2)"
frugal() {
    python3 - "$timeless" replay $adaptive,N=4000,P=32,Q=32 -p dahu --engine loggops -q <<'END'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
kilobytes = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(kilobytes, "kB")
sys.exit(kilobytes > 200000)
END
}
check 'HPL of 1,024 ranks takes less than 200 MB' frugal

# With timeless/bw-factor-bound, which dahu has, a factor above 1 gives a message no more than its link.
grep -v bw-factor-bound "$top_srcdir/platforms/dahu/options.conf" >options.conf
mkdir unbound && cp options.conf "$top_srcdir"/platforms/dahu/{platform.xml,model.conf} unbound/
"$timeless" make token -n 2 --bytes 20000 --iterations 10 -o token.tl
check 'a message on dahu: SimGrid to 0.1 %' engines_near 0.001 token.tl -p dahu --ranks-per-host 1
check 'a message where factors change the links: SimGrid to 0.1 %' engines_near 0.001 token.tl -p ./unbound --ranks-per-host 1

# ---- platforms ----

"$timeless" make stencil2d -n 16 --bytes 1000 -o p.tl
for platform in "$top_srcdir"/platforms/*/platform.xml; do
    platform=$(basename "$(dirname "$platform")")
    loggops_says() { "$timeless" replay p.tl --engine loggops -p "$platform" --json=p.json >out &&
        grep -q "derived from the platform's links and options" out; }
    check "$platform: the engine derives its network, and the prediction says so" loggops_says
done
"$timeless" make ring --ranks 4 -o four.tl && "$timeless" replay four.tl -p star-1g --engine loggops >short
check 'parameters of several lines are among the details only' sh -c 'grep -q "^engine .* (its parameters: --details)" short'
check 'the result names the hosts that the ranks fill' grep -q '^hosts  *1, with up to 4 ranks each; see --ranks-per-host$' short
check 'a rank on each host needs no such line' sh -c '! "$0" replay four.tl -p star-1g --ranks-per-host 1 | grep -q ^hosts' "$timeless"
check_exit 2 'replay without a network and a platform exits 2' loggops p.tl
check_exit 2 'parameters of nodes without a platform' loggops p.tl --params "$nodes"
check_exit 2 'places without a platform' loggops p.tl --params L=1us,o=1us,g=0,G=0,O=0 --ranks-per-host 2
mkdir strange
echo '<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/></zone></platform>' \
    >strange/platform.xml
check_exit 3 'a platform without links is refused' loggops p.tl -p ./strange
# ---- the limiter of both directions, which graphene has and star-1g has not ----
"$timeless" make stencil2d -n 4 -o p.tl
limiter() { # PLATFORM OPTION...: how many of standard error, text and JSON state that it is ignored
    "$timeless" replay p.tl -p "$@" --json=limiter.json >text 2>said || return
    echo $(($(grep -c '^timeless: warning: .* ignores the limiter of both directions (limiter_link)' said) +
        $(grep -c '^not modelled .*limiter_link' text) +
        $(grep -c '"ignores_limiter": true' limiter.json)))
}
check 'a limiter that is ignored is reported: warning, text and JSON' equal 3 "$(limiter graphene --engine loggops --ranks-per-host 1)"
check 'for messages that share no adapter' sh -c 'grep -q "(limiter_link) for messages below 4096 B" text &&
    grep -q "ignores_limiter_below\": 4096" limiter.json &&
    grep -q "(limiter_link) for messages below 4096 B: hosts" said'
cp -r "$top_srcdir/platforms/graphene" bypassed
from() { sed -i '/limiter-from/d' bypassed/options.conf && echo "timeless/limiter-from:$1" >>bypassed/options.conf; }
from 4096
check 'not if short messages pass by in SimGrid, too' equal 0 "$(limiter ./bypassed --engine loggops --ranks-per-host 1)"
from 4095
check 'but if only some do' equal 3 "$(limiter ./bypassed --engine loggops --ranks-per-host 1)"
from many
check 'a limiter from a size that is no number exits 3, and is named' refused 3 \
    'options.conf: .*timeless/limiter-from:many: .*not a number' \
    loggops p.tl -p ./bypassed --ranks-per-host 1
check 'not if all ranks are on one host' equal 0 "$(limiter graphene --engine loggops --ranks-per-host 4)"
check 'not if the platform has none' equal 0 "$(limiter star-1g --engine loggops --ranks-per-host 1)"
check 'not in SimGrid, which honours it' equal 0 "$(limiter graphene --ranks-per-host 1)"
# ---- links between switches, and memories, that messages would have to share ----
cluster() { # NAME ATTRIBUTES: 16 hosts of 4 cores, 1 GB/s
    mkdir "$1"
    echo "<?xml version='1.0'?><!DOCTYPE platform SYSTEM 'https://simgrid.org/simgrid.dtd'>
        <platform version='4.1'><zone id='z' routing='Full'><cluster id='c' prefix='n' suffix='' \
            radical='0-15' speed='1Gf' core='4' bw='1GBps' \
        lat='1us' sharing_policy='SPLITDUPLEX' $2/></zone></platform>" >"$1/platform.xml"
    printf '%s\n' smpi/async-small-thresh:65536 smpi/bw-factor:0:1 smpi/lat-factor:0:1 >"$1/options.conf"
}
cluster few "topology='FAT_TREE' topo_parameters='2;4,4;1,1;1,1'"
cluster enough "topology='FAT_TREE' topo_parameters='2;4,4;1,4;1,1'"
cluster backbone "bb_bw='4GBps' bb_lat='1us'"
cluster wide "bb_bw='16GBps' bb_lat='1us'"
mkdir memory
cat >memory/platform.xml <<'END'
<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf" core="16"/>
<link id="l" bandwidth="10GBps" latency="1us"/><route src="a" dst="a"><link_ctn id="l"/></route></zone></platform>
END
# overload KIND TRACE PLATFORM OPTION...: how many of standard error, text and JSON name what is overloaded
overload() {
    local kind=$1 words='links between switches'
    [ "$kind" = links ] || words=memory
    "$timeless" replay "$2" --engine loggops -p "${@:3}" --json=over.json >text 2>said || return
    echo $(($(grep -c "^timeless: warning: .*$words.* B/s where one has" said) +
        $(grep -c "^not modelled .*$words.* B/s where one has" text) +
        $(grep -c "\"overloaded_$kind\": {" over.json)))
}
# adds_up KIND HAS AT_LEAST: the worst one has so many bytes a second, and is asked for so many times as many
adds_up() {
    python3 -c 'import json, sys
o = json.load(open("over.json"))["overloaded_" + sys.argv[1]]
late_s = o["bytes"] / o["has_bytes_s"] - o["bytes"] / o["asked_bytes_s"]
print(o)
sys.exit(not (o["has_bytes_s"] == float(sys.argv[2]) and o["asked_bytes_s"] > float(sys.argv[3]) * o["has_bytes_s"]
              and abs(o["late_s"] - late_s) < 1e-9 * late_s + 1e-15))' "$@"
}
"$timeless" make call_alltoall -n 16 --bytes 1000 --iterations 5 -o all.tl
"$timeless" make ring -n 16 --bytes 1000 --iterations 5 -o ring.tl
check 'short messages to all, one link above 4 hosts: warning, text and JSON' equal 3 "$(overload links all.tl ./few --ranks-per-host 1)"
check 'with its bandwidth, and what it is asked for' adds_up links 1e9 1
check '... to neighbours pass' equal 0 "$(overload links ring.tl ./few --ranks-per-host 1)"
check '... to all pass where there are 4 such links' equal 0 "$(overload links all.tl ./enough --ranks-per-host 1)"
check '... star-1g has no such links' equal 0 "$(overload links all.tl star-1g --ranks-per-host 1)"
check '... share a backbone' equal 3 "$(overload links all.tl ./backbone --ranks-per-host 1)"
check 'of 4 GB/s' adds_up links 4e9 1
sed 's/^smpi.bw-factor:.*/smpi\/bw-factor:0:0.25;100000:1/' backbone/options.conf >options && cp -r backbone slow && mv options slow/options.conf
check '... of which they get a quarter, as of the links of hosts' equal 3 "$(overload links all.tl ./slow --ranks-per-host 1)"
check '... so that it has 1 GB/s' adds_up links 1e9 1
"$timeless" sweep all.tl --engine loggops --grid platform=./wide,./slow --ranks-per-host 1 2>said >/dev/null
check '... and a sweep warns of the points where they do' grep -q '^timeless: warning: 1 of 2 points .*(platform=./slow)' said
check '... pass a wide one' equal 0 "$(overload links all.tl ./wide --ranks-per-host 1)"
# Longer ones share them: as in SimGrid, the same for two threads, without a warning; the prediction has the share.
for bytes in 30000 1000000; do
    "$timeless" make alltoall -n 16 --bytes $bytes --iterations 5 -o all.tl
    for platform in few backbone; do
        check "$bytes B to all over $platform: SimGrid to 3 %" engines_near 0.03 all.tl -p ./$platform --ranks-per-host 1
        check '... no warning' equal 0 "$(overload links all.tl ./$platform --ranks-per-host 1)"
        cp over.json one.json
        check '... which links limit for most of it' python3 -c \
            'import json; assert 0.8 < json.load(open("one.json"))["limited_by_links"] <= 1'
        check '... in the text, too' grep -q '^links  *limited messages in [0-9]' text
        overload links all.tl ./$platform --ranks-per-host 1 --threads 3 >out
        check '... three threads find the same' cmp one.json over.json
    done
    "$timeless" make ring -n 16 --bytes $((16 * bytes)) -o ring.tl
    check "$bytes B to neighbours: no link limits them" equal 0 \
        "$("$timeless" replay ring.tl -p ./few --ranks-per-host 1 --engine loggops --json | grep -c limited_by)"
done
check 'links: the link above 4 hosts is the busiest, as in SimGrid' python3 - "$timeless" <<'END'
import json, subprocess, sys
def busiest(engine):
    p = json.loads(subprocess.run([sys.argv[1], "replay", "all.tl", "-p", "./few", "--ranks-per-host", "1", "--links", "--engine", engine,
                                   "--json"], check=True, capture_output=True).stdout)
    return max(p["links"], key=lambda l: l["saturated_s"])
a, b = busiest("smpi"), busiest("loggops")
print(a, b)
assert a["sent_bytes"] == b["sent_bytes"] and abs(a["saturated_s"] / b["saturated_s"] - 1) < 0.1, (a, b)
END
"$timeless" make call_alltoall -n 16 --bytes 1000000 --iterations 5 -o all.tl
cp -r "$TIMELESS_PLATFORMS/dahu" no-memory && sed -i /memory-bandwidth/d no-memory/options.conf
check '1 MB to all 16 ranks of a node: more than its memory is assumed to move' equal 3 \
    "$(overload memories all.tl ./no-memory --ranks-per-host 16)"
check 'with what is assumed' adds_up memories 1e11 2
check 'in its text, too' grep -q 'assumed: 0.2 TB/s' text
check 'a memory that the platform describes counts' equal 3 "$(overload memories all.tl ./memory)"
check 'with its bandwidth' adds_up memories 1e10 4
check 'messages share a memory whose bandwidth is stated' equal 0 "$(overload memories all.tl dahu --ranks-per-host 16)"
check 'slow copies of few ranks pass' equal 0 "$(overload memories all.tl fat-tree --ranks-per-host 4)"
overload links all.tl ./few --ranks-per-host 1 >out && cp over.json one.json &&
    overload links all.tl ./few --ranks-per-host 1 --threads 2 >out
check 'two threads count the same' cmp one.json over.json
tap_done
