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
# The clock: the "Simulation time" behind it leaves smpi/init out.
wanted=$(sed -n 's/.* \([0-9.]*\)\] .*Simulation time.*/\1/p' online)
check "an XML file as the platform: the replay succeeds" replay --hostfile hosts --json=app.json
cp out said
check "an XML file as the platform: the makespan is that of smpirun -replay" \
    awk -v wanted="$wanted" '$1 == "makespan" { d = $2 / wanted - 1; found = wanted > 0 && d < 1e-8 && d > -1e-8 } END { exit !found }' said
check "volumes in flops without a model: the result names the speeds of the hosts" grep -q '^model  *speeds of the hosts$' said
check "an XML file as the platform: the result names it" grep -q '^platform  *cluster.xml, xxh64' said
mkdir folder && cp cluster.xml folder/platform.xml
check "a folder with platform.xml alone: the same makespan" \
    sh -c '"$0" replay app.tl --platform folder --hostfile hosts | grep "^makespan" >one && grep "^makespan" said | diff - one' "$timeless"
sed 's|</config>|<prop id="smpi/coll-selector" value="mpich"/></config>|' cluster.xml >mpich.xml
check "a selector in <config>: the makespan is that of --coll-selector" \
    sh -c '"$0" replay app.tl --platform mpich.xml --hostfile hosts >mpich && "$0" replay app.tl --platform cluster.xml --hostfile hosts --coll-selector mpich |
        grep "^makespan" >one && grep "^makespan" mpich | diff - one && ! grep "^makespan" said | diff - one >differ' "$timeless"
check "a selector in <config>: the result names it" grep -q 'network model SMPI, collectives mpich' mpich
sed 's/ value="7"//' cluster.xml >broken.xml
check_exit 3 "a setting without a value: exit code 3" "$timeless" replay app.tl --platform broken.xml
check "a model has priority over the speeds of the hosts" \
    sh -c 'echo "reference_flops = 1e3; units = ({unit = \"flops\"; seconds_per_unit = 1e-2;});" >slow.conf &&
        "$0" replay app.tl --platform cluster.xml --hostfile hosts --model slow.conf | awk -v least='"$wanted"' "\$1 == \"makespan\" { found = \$2 > 5 * least } END { exit !found }"' "$timeless"
check "the LogGOPS engine uses the speeds of the hosts" sh -c '"$0" replay app.tl --platform cluster.xml --hostfile hosts --engine loggops >loggops &&
    grep -q "^model  *speeds of the hosts$" loggops' "$timeless"
"$timeless" make ring --ranks 2 -o none.tl || exit 99
sed 's/volume_unit "none"/volume_unit "cpu-ns"/; s/volume=0/volume=5/' <<<"$("$timeless" dump none.tl)" >ns.txt
"$timeless" undump ns.txt -o ns.tl || exit 99
check_exit 3 "volumes in cpu-ns without a model: exit code 3" "$timeless" replay ns.tl --platform cluster.xml
check_exit 3 "an unknown platform: exit code 3" "$timeless" replay app.tl --platform clusters.xml
cp err said
check "an unknown platform: the error names both forms" grep -q 'give an XML file of SimGrid, or a folder that holds a platform.xml' said

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
wanted=$(sed -n 's/.* \([0-9.]*\)\] .*Simulation time.*/\1/p' online)
check "one file for all ranks is imported" "$timeless" import --from simgrid shared -o shared.tl
check "receives from any rank: the makespan is that of smpirun -replay" \
    sh -c '"$0" replay shared.tl --platform at-once.xml --hostfile three | awk -v wanted='"$wanted"' "
        \$1 == \"makespan\" { d = \$2 / wanted - 1; found = wanted > 0 && d < 1e-7 && d > -1e-7 } END { exit !found }"' "$timeless"
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
cluster 20us; cluster 2e-5; cluster 1m
check 'loggops: a latency without a unit is in seconds' equal "$(ring -p ./20us --engine loggops)" "$(ring -p ./2e-5 --engine loggops)"
check "and is not 0: loggops takes as long as SimGrid, to 5 %" awk -v a="$(ring -p ./2e-5)" -v b="$(ring -p ./2e-5 --engine loggops)" 'BEGIN { d = a / b - 1; print a, b; exit !(d < 0.05 && d > -0.05) }'
check_exit 3 'loggops: a latency with an unknown unit is refused' ring -p ./1m --engine loggops
mkdir profiled && sed 's|<cluster.*|<host id="a" speed="1Gf" core="4"/><host id="b" speed="1Gf"/><link id="l" bandwidth="1GBps" latency="1us" bandwidth_file="slow.txt"/><route src="a" dst="b"><link_ctn id="l"/></route>|' 20us/platform.xml >profiled/platform.xml
echo '0 1e6' >profiled/slow.txt
check 'SimGrid replays a platform whose links change with time' "$timeless" replay ring.tl -p ./profiled -q
check_exit 3 'loggops refuses it' "$timeless" replay ring.tl -p ./profiled -q --engine loggops
cp "$scratch/err" said
check 'and names the profiles' grep -q '^timeless: ./profiled/platform.xml: names profiles, ' said
check 'with --params it replays' "$timeless" replay ring.tl -p ./profiled -q --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns
tap_done
