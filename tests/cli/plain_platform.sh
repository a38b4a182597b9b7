#!/usr/bin/env bash
# A SimGrid user brings an XML file and a text trace: the replay is that of smpirun, without any file of ours.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1

# Slow links and hosts: smpirun prints six digits behind the point.
cat >cluster.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config>
    <prop id="smpi/os" value="0:1e-2:1e-5"/>
    <prop id="smpi/init" value="7"/>
    <prop id="network/model" value="CM02"/>
  </config>
  <zone id="z" routing="Full">
    <host id="a" speed="1kf"/><host id="b" speed="3kf"/>
    <link id="l" bandwidth="30kBps" latency="70ms"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
  </zone>
</platform>
END
printf '%s\n' a b >hosts
mkdir app
for rank in 0 1; do
    printf "$rank %s\n" init "compute $((1000000 * (rank + 1)))" "$([ $rank = 0 ] && echo send 1 || echo recv 0) 0 100000 1" \
        'allreduce 5000 700 1' "compute 12345" barrier finalize >app/$rank.txt
    echo app/$rank.txt >>list
done
"$timeless" import --from simgrid list -o app.tl || exit 99
replay() { "$timeless" replay app.tl --platform cluster.xml "$@"; }
smpirun -replay list -platform cluster.xml -hostfile hosts -np 2 --cfg=smpi/host-speed:1f >online 2>&1
# Not the clock before it, in which smpi/init counts.
simulated() { sed -n 's/.*Simulation time //p' "$1"; }
wanted=$(simulated online)
check "an XML file as the platform: the replay succeeds" replay --hostfile hosts --json=app.json
cp out said
check "an XML file as the platform: the makespan is that of smpirun -replay" \
    near "$(python3 -c 'import json; print(json.load(open("app.json"))["makespan_s"])')" "$wanted" 1e-8
check "volumes in flops without a model: the result names the speeds of the hosts" grep -q '^model  *speeds of the hosts$' said
check "an XML file as the platform: the result names it" grep -q '^platform  *cluster.xml, xxh64' said
mkdir folder && cp cluster.xml folder/platform.xml
check "a folder with platform.xml alone: the same makespan" \
    sh -c '"$0" replay app.tl --platform folder --hostfile hosts | grep "^makespan" >one && grep "^makespan" said | diff - one' "$timeless"
sed 's|</config>|<prop id="smpi/coll-selector" value="mpich"/></config>|' cluster.xml >mpich.xml
check "a selector in <config>: the makespan is that of --coll-selector" \
    sh -c '"$0" replay app.tl --platform mpich.xml --hostfile hosts >mpich &&
        "$0" replay app.tl --platform cluster.xml --hostfile hosts --coll-selector mpich |
        grep "^makespan" >one && grep "^makespan" mpich | diff - one && ! grep "^makespan" said | diff - one >differ' "$timeless"
check "a selector in <config>: the result names it" grep -q 'network model SMPI, collectives mpich' mpich
sed 's/ value="7"//' cluster.xml >broken.xml
check_exit 3 "a setting without a value: exit code 3" "$timeless" replay app.tl --platform broken.xml
check "a model has priority over the speeds of the hosts" \
    sh -c 'echo "reference_flops = 1e3; units = ({unit = \"flops\"; seconds_per_unit = 1e-2;});" >slow.conf &&
        "$0" replay app.tl --platform cluster.xml --hostfile hosts --model slow.conf |
        awk -v least='"$wanted"' "\$1 == \"makespan\" { found = \$2 > 5 * least } END { exit !found }"' "$timeless"
check "the LogGOPS engine uses the speeds of the hosts" sh -c \
    '"$0" replay app.tl --platform cluster.xml --hostfile hosts --engine loggops >loggops &&
    grep -q "^model  *speeds of the hosts$" loggops' "$timeless"
"$timeless" make ring --ranks 2 -o none.tl || exit 99
sed 's/volume_unit "none"/volume_unit "cpu-ns"/; s/volume=0/volume=5/' <<<"$("$timeless" dump none.tl)" >ns.txt
"$timeless" undump ns.txt -o ns.tl || exit 99
check_exit 3 "volumes in cpu-ns without a model: exit code 3" "$timeless" replay ns.tl --platform cluster.xml
# ---- options: applied, refused, or listed ----
app_makespan() { "$timeless" replay app.tl --hostfile hosts -q "$@"; }
check "smpi/init: a prediction counts from the end of MPI_Init, in both engines" bash -c \
    '"$0" replay app.tl -p cluster.xml --hostfile hosts --cfg smpi/init:0.5 >one &&
    grep "^makespan" one | diff - <(grep "^makespan" said) &&
    "$0" replay app.tl -p cluster.xml --hostfile hosts --engine loggops >two &&
    grep "^without effect.*smpi/init" one && grep "^without effect.*smpi/init" two' "$timeless"
ls -d "$PWD"/app/* >texts
sed 's|</config>|<prop id="smpi/simulate-computation" value="0"/></config>|' cluster.xml >idle.xml
smpirun -replay texts -platform idle.xml -hostfile hosts -np 2 --cfg=smpi/host-speed:1f >online 2>&1
without=$(simulated online)
text() { "$timeless" replay texts --hostfile hosts -q "$@"; }
check "smpi/simulate-computation:0 in <config>: the makespan is that of smpirun -replay" near "$(text -p idle.xml)" "$without" 1e-7
check "the same by --cfg" near "$(text -p cluster.xml --cfg smpi/simulate-computation:no)" "$without" 1e-7
mkdir quiet && cp cluster.xml quiet/platform.xml && echo smpi/simulate-computation:off >quiet/options.conf
check "the same in options.conf" near "$(text -p ./quiet)" "$without" 1e-7
check "the command line has the last word" near "$(text -p idle.xml --cfg smpi/simulate-computation:yes)" "$wanted" 1e-7
check "LogGOPS takes the option, too" sh -c 'awk -v a="$0" -v b="$1" "BEGIN { exit !(a < 0.8 * b) }"' \
    "$(text -p idle.xml --engine loggops)" "$(text -p cluster.xml --engine loggops)"
check "volumes that are not of a text take no time at all" equal "$(app_makespan -p idle.xml)" "$(app_makespan -p cluster.xml --no-compute)"
names() { # ENGINE OPTION NAME: refused, and the nearest name is NAME
    "$timeless" replay app.tl -p cluster.xml --hostfile hosts --engine "$1" --cfg "$2" >names 2>&1
    [ $? = 3 ] && grep -qF "there is no such option; the nearest one is $3" names
}
for engine in smpi loggops; do
    check "$engine: a name that SimGrid had before is refused, with the new one" names $engine smpi/running-power:1 smpi/host-speed
    check "$engine: a mistake is refused, with the nearest name" names $engine smpi/bw_factor:0:1 smpi/bw-factor
    check "$engine: so is one without its first part" names $engine bw-factor:0:1 smpi/bw-factor
    sed 's|smpi/os|smpi/bw_factor|' cluster.xml >old.xml
    check_exit 3 "$engine: a name in <config> that SimGrid does not have is refused" "$timeless" replay app.tl -p old.xml \
        --hostfile hosts --engine $engine
    check_exit 3 "$engine: a value of the wrong kind is refused" "$timeless" replay app.tl -p cluster.xml --hostfile hosts \
        --engine $engine --cfg network/TCP-gamma:wide
done
check "LogGOPS: an overhead by --cfg is applied" sh -c '[ "$0" != "$1" ]' "$(app_makespan -p cluster.xml --engine loggops)" \
    "$(app_makespan -p cluster.xml --engine loggops --cfg smpi/ois:0:1:0)"
check "LogGOPS: an algorithm in <config> is that of --coll" equal \
    "$(sed 's|</config>|<prop id="smpi/allreduce" value="ring"/></config>|' cluster.xml >ring.xml; app_makespan -p ring.xml \
    --engine loggops)" \
    "$(app_makespan -p cluster.xml --engine loggops --coll allreduce=ring)"
check "LogGOPS: a selector in <config> is that of --coll-selector" equal "$(app_makespan -p mpich.xml --engine loggops)" \
    "$(app_makespan -p cluster.xml --engine loggops --coll-selector mpich)"
check "names of SimGrid 4.0 count" equal "$(app_makespan -p cluster.xml --cfg precision/timing:0.1 --cfg smpi/barrier-finalization:yes)" \
    "$(app_makespan -p cluster.xml --cfg surf/precision:0.1 --cfg smpi/finalization-barrier:yes)"
check "JSON lists what has no effect" sh -c \
    '"$0" replay app.tl -p cluster.xml --hostfile hosts --engine loggops --cfg smpi/wtime:1 --json=idle.json &&
    grep -q "\"options_without_effect\": \"smpi/init network/model smpi/wtime\"" idle.json' "$timeless"
cat >options.c <<'END'
#include <simgrid/engine.h>
void smpi_init_options(void);
int main(int argc, char **argv) { smpi_init_options(); simgrid_init(&argc, argv); return 0; }
END
${CC:-gcc} options.c -o options -lsimgrid && ./options --help 2>&1 | sed -n 's/^   \([A-Za-z0-9_/-]*\): .*/\1/p' >of_simgrid
check "the table has all options of this SimGrid" bash -c '[ -s of_simgrid ] &&
    sed "s|^model-check/.*|model-check/|" of_simgrid | sort -u |
    comm -23 - <(LC_ALL=C; { sed -n "s/^TLR_OPTION(\"\([^\"]*\)\".*/\1/p" "$0"; grep -o "+[a-z0-9/-]*" "$0" | tr -d +; } |
    sort -u) | grep . && exit 1; exit 0' "$top_srcdir/replayer/machine/simgrid_options.def"
check "an unknown platform: exit code 3: the error names both forms" refused 3 \
    'give an XML file of SimGrid, or a folder that holds a platform.xml' \
    "$timeless" replay app.tl --platform clusters.xml

# One file for all ranks, receives from any rank, as SMPI's header (-555, -444) and 'smpirun -trace-ti' (-333) write them.
for rank in 0 1 2; do
    echo "$rank init"
    case $rank in
    0) printf '0 %s\n' 'recv -555 -444 50000 1' 'irecv -555 3 1000 1' 'recv -555 -444 70000 1' 'wait -555 0 3' ;;
    *) printf "$rank %s\n" "compute 1000$rank" "send 0 $rank ${rank}0000 1" ;;
    esac
    [ $rank != 2 ] || echo '2 send 0 3 1000 1'
    printf "$rank %s\n" barrier finalize
done >shared.txt
echo shared.txt >shared
printf '%s\n' a b a >three
sed /smpi.init/d cluster.xml >at-once.xml # smpirun aborts with one file for all ranks and smpi/init
smpirun -replay shared -platform at-once.xml -hostfile three -np 3 --cfg=smpi/host-speed:1f >online 2>&1
wanted=$(simulated online)
check "one file for all ranks is imported" "$timeless" import --from simgrid shared -o shared.tl
check "receives from any rank: the makespan is that of smpirun -replay" near \
    "$(makespan shared.tl --platform at-once.xml --hostfile three)" "$wanted" 1e-7
check "the file of all ranks itself is imported" sh -c '"$0" import --from simgrid shared.txt -o one.tl && cmp one.tl shared.tl' "$timeless"
for rank in 0 1 2; do
    grep "^$rank " shared.txt | sed 's/-555/-333/' >own-$rank.txt
    echo own-$rank.txt
done >own
check "a file for each rank and what -trace-ti writes for any rank: the same trace" \
    sh -c '"$0" import --from simgrid own -o one.tl && cmp one.tl shared.tl' "$timeless"
sed 's/^2 send 0 2/2 send -555 2/' shared.txt >to-any.txt
check_exit 3 "a send to any rank is refused" "$timeless" import --from simgrid to-any.txt -o no.tl
sed 's/^1 barrier/99999999 barrier/' shared.txt >many.txt
check_exit 3 "an action of rank 99,999,999 is refused" "$timeless" import --from simgrid many.txt -o no.tl
# The engine loggops takes from an XML file what SimGrid takes, or refuses it.
ring() { "$timeless" replay ring.tl --ranks-per-host 1 -q "$@"; }
"$timeless" make ring -n 4 --bytes 100 -o ring.tl || exit 99
cluster() { # LATENCY
    mkdir -p "$1" && cat >"$1/platform.xml" <<END
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="$1"/>
</zone></platform>
END
}
cluster 20us; cluster 2e-5; cluster 1mn
check 'loggops: a latency without a unit is in seconds' equal "$(ring -p ./20us --engine loggops)" "$(ring -p ./2e-5 --engine loggops)"
check "and is not 0: loggops takes as long as SimGrid, to 5 %" near "$(ring -p ./2e-5)" "$(ring -p ./2e-5 --engine loggops)" 0.05
check_exit 3 'loggops: a latency with an unknown unit is refused' ring -p ./1mn --engine loggops
mkdir profiled && sed \
    's|<cluster.*|<host id="a" speed="1Gf" core="4"/><host id="b" speed="1Gf"/>\n<link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="slow.txt"/>\n<route src="a" dst="b"><link_ctn id="l"/></route>|' \
    20us/platform.xml >profiled/platform.xml
echo '0 1e6' >profiled/slow.txt
check 'SimGrid replays a platform whose links change with time' "$timeless" replay ring.tl -p ./profiled -q
check 'loggops refuses it, and names the profiles' refused 3 \
    '~^timeless: ./profiled/platform.xml: names profiles, ' \
    "$timeless" replay ring.tl -p ./profiled -q --engine loggops
check 'with --params it replays' "$timeless" replay ring.tl -p ./profiled -q --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# The engine loggops gives each pair of hosts its own route, and reads the XML that SimGrid reads.
for rank in 0 1 2 3; do
    echo "$rank init"
    case $rank in 0) echo '0 send 3 0 1000000 6' ;; 3) echo '3 recv 0 0 1000000 6' ;; esac
    echo "$rank finalize"
done >far.txt
"$timeless" import --from simgrid far.txt -o far.tl || exit 99
xml() { # NAME; the content of a zone is read from standard input
    { printf '%s\n' "<?xml version='1.0'?>" '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
        '<platform version="4.1">'; cat; echo '</platform>'; } >"$1.xml"
}
alike() { # NAME: one message takes as long in both engines; loggops counts 5 % for acknowledgements on each adapter
    check "both engines: $1" near "$(makespan far.tl -p "./$1.xml" --ranks-per-host 1)" \
        "$(makespan far.tl -p "./$1.xml" --engine loggops --ranks-per-host 1)" 0.02
}
xml line-of-hosts <<'END'
<zone id = "z" routing = "Floyd">
<host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/><host id="h2" speed="1Gf,2Gf"/><host id="h3" speed="1Gf"/>
<link id="a" bandwidth="1Gbps" latency="1us"/><link id="b" bandwidth="10Mbps" latency="100ms"/>
<link id="c" bandwidth="1e-9EBps" latency="1us"/>
<route src="h0" dst="h1"><link_ctn id="a"/></route><route src="h1" dst="h2"><link_ctn id="b"/></route>
<route src="h2" dst="h3"><link_ctn id="c"/></route>
</zone>
END
xml graph <<'END'
<zone id="z" routing="DijkstraCache">
<host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/><host id="h2" speed="1Gf"/><host id="h3" speed="1Gf"/><router id="r"/>
<link id="a" bandwidth="1GBps" latency="1ms"/><link id="b" bandwidth="20MBps" latency="2ms" sharing_policy="SPLITDUPLEX"/>
<route src="h0" dst="h1"><link_ctn id="a"/></route><route src="h1" dst="h2"><link_ctn id="a"/></route>
<route src="h2" dst="h3"><link_ctn id="a"/></route>
<route src="h0" dst="r"><link_ctn id="b" direction="UP"/></route><route src="r" dst="h3"><link_ctn id="b" direction="DOWN"/></route>
</zone>
END
xml cabinets <<'END'
<zone id="z" routing="Cluster"><host id="h0" speed="1Gf"/><link id="l" bandwidth="10MBps" latency="1ms"/>
<host_link id="h0" up="l" down="l"/>
<cabinet id="c" prefix="h" suffix="" radical="1-3" speed="1Gf" bw="100MBps" lat="3ms"/>
<backbone id="b" bandwidth="1GBps" latency="5ms"/></zone>
END
xml halves <<'END'
<AS id="grid" routing="Full">
<cluster id="one" prefix="a" suffix="&#x2e;x" radical="0-2" speed="1Gf" bw="1Gbps" lat="1us"/>
<zone id="two" routing="Full"><host id="b" speed="1Gf"/></zone>
<link id="wan" bandwidth="1MiBps" latency="10ms"/>
<ASroute src="one" dst="two" gw_src="aone_router.x" gw_dst="b"><link_ctn id="wan"/></ASroute>
</AS>
END
sed 's/gw_src="[^"]*"/gw_src="b"/' halves.xml >swapped.xml
check_exit 3 'platform --check: a gateway that is not in its zone is refused, as by SimGrid' "$timeless" platform --check swapped.xml
for shape in 'TORUS 2,2' 'FAT_TREE 2;2,2;1,2;1,1' 'DRAGONFLY 2,1;1,1;2,1;1'; do
    xml "${shape%% *}" <<END
<cluster id="c" prefix="h" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="1ms" topology="${shape%% *}"
  topo_parameters="${shape#* }" loopback_bw="1GBps" loopback_lat="1us"/>
END
done
for name in line-of-hosts graph cabinets halves TORUS FAT_TREE DRAGONFLY; do alike "$name"; done
xml apart <<'END'
<zone id="z" routing="Full"><host id="h0" speed="1Gf"/><host id="h1" speed="1Gf"/><host id="h2" speed="1Gf"/><host id="h3" speed="1Gf"/>
<link id="a" bandwidth="1Gbps" latency="1us"/><route src="h0" dst="h1"><link_ctn id="a"/></route></zone>
END
check 'loggops: a pair without a route is refused, and named' refused 3 \
    "apart.xml: has no route from host 'h0' to 'h3'" \
    "$timeless" replay far.tl -p ./apart.xml --engine loggops --ranks-per-host 1
elements_refused() { # NAME ELEMENTS
    xml refused <<<"$2"
    check_exit 3 "loggops: $1 is refused" timeout 20 "$timeless" replay ring.tl -p ./refused.xml -q --engine loggops
}
of_cluster() { echo "<cluster id=\"c\" prefix=\"n\" suffix=\"\" radical=\"0-7\" speed=\"1Gf\" bw=\"1GBps\" lat=\"1us\" $1/>"; }
for sizes in '2;2;2' 2x2x2 -8,2,2 '' 2,2,; do
    elements_refused "the torus '$sizes'" "$(of_cluster "topology=\"TORUS\" topo_parameters=\"$sizes\"")"; done
elements_refused "a fat tree of -2 levels" "$(of_cluster 'topology="FAT_TREE" topo_parameters="-2;4;4;1"')"
for shape in 'DRAGONFLY" topo_parameters="65536,1;65536,1;65536,1;65536' 'DRAGONFLY" topo_parameters="1,1;1,1;65536,1;1' \
    'FAT_TREE" topo_parameters="3;2,2,2;4000000,4000000,1;1,1,1'; do
    for engine in smpi loggops; do
        xml refused <<<"$(of_cluster "topology=\"$shape\"")"
        check_exit 3 "$engine: ${shape/*=?/} is more than fits" sh -c \
            'ulimit -v 4000000; timeout 20 "$0" replay ring.tl -p ./refused.xml -q --engine '$engine "$timeless"
    done
done
elements_refused "a core of 4294967297" "$(of_cluster 'core="4294967297"')"
elements_refused "a misspelt attribute" "$(of_cluster 'cores="2"')"
elements_refused "power that is not finite" "$(of_cluster '' | sed 's|/>|><prop id="wattage_per_state" value="62:inf:124"/></cluster>|')"
for i in 1 2 3 4 5 6 7; do of_cluster '' | sed "s/0-7/0-16777216/; s/\"c\"/\"c$i\"/; s/\"n\"/\"n$i-\"/"; done |
    sed '1i <zone id="z" routing="Full">' | { cat; echo '</zone>'; } >many
check_exit 3 "more hosts than fit are refused before there is memory for them" sh -c \
    '{ echo "<platform version=\"4.1\">"; cat many; echo "</platform>"; } >many.xml
    ulimit -v 500000; "$0" replay ring.tl -p many.xml -q --engine loggops' "$timeless"
cp "$scratch/err" said
check "in one line, which names the bound" sh -c 'test $(wc -l <said) = 1 && grep -q 4194304 said'
check_exit 2 "a latency in hexadecimal is refused" ring -p ./20us --engine loggops --params L=0x10us,o=2us,g=2us,G=2.5ns,O=1ns

# What if: limiters of a torus keep their ratio to its links.
sed 's|lat="1ms"|lat="1ms" limiter_link="50MBps"|' TORUS.xml >limited.xml
sed 's|bw="125MBps" lat="1ms"|bw="250MBps" lat="500us"|; s|"50MBps"|"100MBps"|' limited.xml >twice.xml
check "a torus with limiters and a network twice as good: as the XML with these figures" \
    equal "$(makespan far.tl -p ./limited.xml --scale network=2 --ranks-per-host 1)" "$(makespan far.tl -p ./twice.xml --ranks-per-host 1)"
check "a bandwidth of its links: likewise" \
    equal "$(makespan far.tl -p ./limited.xml --set link.bandwidth=250MBps --set link.latency=500us --ranks-per-host 1)" \
    "$(makespan far.tl -p ./twice.xml --ranks-per-host 1)"
tap_done
