#!/usr/bin/env bash
# Text traces of SimGrid are replayed as they are: a list, a file of all ranks. Tests cost
# what they cost in SMPI. The makespans are those of smpirun -replay.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1

# Slow links and hosts: smpirun prints six digits behind the point.
cat >cluster.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <config><prop id="smpi/test" value="0.7"/></config>
  <zone id="z" routing="Full">
    <host id="a" speed="1kf"/><host id="b" speed="3kf"/><host id="c" speed="2kf"/>
    <link id="l" bandwidth="30kBps" latency="70ms"/>
    <link id="m" bandwidth="20kBps" latency="90ms"/>
    <route src="a" dst="b"><link_ctn id="l"/></route>
    <route src="a" dst="c"><link_ctn id="m"/></route>
    <route src="b" dst="c"><link_ctn id="l"/><link_ctn id="m"/></route>
  </zone>
</platform>
END
printf '%s\n' c a b >hosts
mkdir -p run/actions
# Rank 0 tests in vain, computes, and waits; rank 1 tests when the message has come, and never waits for it;
# rank 2 sleeps and receives from any rank.
printf '0 %s\n' init 'irecv 1 3 60000 1' 'test 1 0 3' 'test 1 0 3' 'compute 5000' 'test 1 0 3' 'wait 1 0 3' \
    'send 1 4 90000 1' 'send 2 5 2000 1' 'allreduce 5000 700 1' finalize >run/actions/zero.txt
printf '1 %s\n' init 'compute 30000' 'send 0 3 60000 1' 'irecv 0 4 90000 1' 'test 0 1 4' 'compute 900000' 'test 0 1 4' \
    'compute 100' 'send 2 6 1000 1' 'allreduce 5000 700 1' finalize >run/actions/one.txt
printf '2 %s\n' init 'sleep 2.125' 'recv -333 -444 3000 1' 'recv -333 -444 3000 1' 'allreduce 5000 700 1' finalize \
    >run/actions/two.txt
(cd run && printf '%s\n' actions/zero.txt actions/one.txt actions/two.txt >list)
sed 's/-333/-555/' run/actions/{zero,one,two}.txt >shared.txt

# simgrid OPTION...: the simulated time that smpirun prints
simgrid() {
    sed 's/-333/-555/' -i run/actions/two.txt # smpirun does not read what -trace-ti writes
    (cd run && smpirun -replay list -platform ../cluster.xml -hostfile ../hosts -np 3 --cfg=smpi/host-speed:1f "$@" 2>&1) |
        sed -n 's/.*Simulation time \([0-9.]*\).*/\1/p'
    sed 's/-555/-333/' -i run/actions/two.txt
}
wanted=$(simgrid)
# agrees TRACE OPTION...: the makespan is that of smpirun, to the digits that it prints
agrees() {
    "$timeless" replay "$1" --platform cluster.xml --hostfile hosts "${@:2}" >said &&
        near "$(makespan "$1" --platform cluster.xml --hostfile hosts "${@:2}")" "$wanted" 3e-9
}
check 'a list in another folder: names are relative to the list' agrees run/list
check 'a text trace: the result names the path that was given' grep -q '^trace  *run/list' said
check 'a file of all ranks' agrees shared.txt
check 'a list of files, where smpirun runs' sh -c 'cd run && "$0" replay list --platform ../cluster.xml --hostfile ../hosts -q |
    awk -v wanted='"$wanted"' "{ d = \$1 - wanted; found = d < 1e-6 && d > -1e-6 } END { exit !found }"' "$timeless"
check 'a text trace: info prints the number of ranks' prints '~^ranks  *3' "$timeless" info run/list
check 'a test without success is a poll, a test with success completes its request' \
    sh -c '"$0" dump --rank 1 run/list >one && grep -q "MPI_Test request=1 .*polls=1" one && test $(grep -c MPI_Test one) = 1 &&
        "$0" dump --rank 0 run/list | grep -q "MPI_Wait request=1 .*polls=3"' "$timeless"
plain=$wanted wanted=$(simgrid --cfg=smpi/test:0)
check 'the cost of a test is in the makespan of smpirun' test "$plain" != "$wanted"
check 'smpi/test:0: the makespan is that of smpirun -replay' agrees run/list --cfg smpi/test:0

check 'a folder is refused' refused 3 'run/actions' "$timeless" replay run/actions --platform cluster.xml
printf '0 init\n0 jump\n' >bad.txt
check 'an unknown action is refused: an unknown action: the error names file and line' refused 3 \
    "bad.txt:2: 'jump' is no action" \
    "$timeless" replay bad.txt --platform cluster.xml
mkfifo pipe
printf 's3cret line\n' >private.txt
for name in /dev/zero pipe private.txt no-such-file; do
    printf '%s\n' "$name" >hostile.txt
    check_exit 3 "a list that names $name is refused" timeout 60 "$timeless" import --from simgrid hostile.txt -o x.tl
    cp err said
    check "$name: the error contains none of the file" bash -c 'grep -q "^timeless: hostile.txt: " said && ! grep -q s3cret said'
done
check_exit 3 'a file that is no trace is refused' "$timeless" import --from simgrid private.txt -o x.tl
cp err said
check 'a file that is no trace: the error contains none of it' bash -c '! grep s3cret said'
check_exit 3 'a device is refused' timeout 60 "$timeless" import --from simgrid /dev/zero -o x.tl
check 'export to a timeline is refused: export to a timeline: the error names the command that writes one' refused 2 \
    'Paraver, .*timeless replay --timeline' \
    "$timeless" export run/actions/zero.txt --to prv -o x
printf '0 init\n0 send 1 0 1e6\n0 finalize\n' >lone.txt
check 'the file of one rank of several is refused: one rank of several: the error asks for the others' refused 3 \
    "lone.txt:2: the partner '1' is not in this trace of one rank; give the list" \
    "$timeless" replay lone.txt --platform cluster.xml
tap_done
