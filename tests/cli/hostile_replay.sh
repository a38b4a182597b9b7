#!/usr/bin/env bash
# timeless replay: wrong and hostile traces, platforms, models, host files and options.  Each is told in one
# line that names the file or option, the place in it and what to do, and by the exit code: 2 for wrong
# arguments, 3 for a wrong input or a platform that is none, 4 for a file that is not there.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=handle_segv=0 # SimGrid tells of its crashes itself

# replay_refused CODE NAME REGEX ARGUMENT...
replay_refused() { check "$2" refused "$1" "~^timeless( replay)?: $3" timeout 60 "$timeless" replay "${@:4}"; }
# platform NAME ZONE: a folder whose XML has this in its zone
platform() {
    mkdir -p "$1"
    printf '%s\n' "<?xml version='1.0'?>" '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">' \
        '<platform version="4.1">' '<zone id="world" routing="Full">' "$2" '</zone>' '</platform>' >"$1/platform.xml"
    : >"$1/options.conf"
}
cluster() { echo "<cluster id='c' prefix='n' suffix='' radical='0-7' speed='$1' bw='$2' lat='$3'/>"; }
platform good "$(cluster 1Gf 1GBps 1us)"
"$timeless" make call_allreduce -n 8 --bytes 100 -o t.tl || exit 99
"$timeless" dump t.tl >t.txt
check 'the intact trace is replayed' "$timeless" replay t.tl -p ./good -q

# ---- traces ----
awk '/^rank / { r = $2 } r != 3' t.txt >missing.txt && "$timeless" undump missing.txt -o missing.tl
replay_refused 3 'a rank is missing' 'missing.tl: rank 3 did not reach MPI_Finalize; .*record' missing.tl -p ./good
python3 - t.tl huge.tl <<'END'
import sys
trace = bytearray(open(sys.argv[1], "rb").read())
trace[16:20] = b"\xff" * 4
open(sys.argv[2], "wb").write(trace)
END
replay_refused 3 'a header that has 4 billion ranks' 'huge.tl:' huge.tl -p ./good
sed 's/^2 1 MPI_Allreduce/2 1 MPI_Barrier clock_ns=0/; /^2 1/s/count=.*comm=1/comm=1/' t.txt >differs.txt
"$timeless" undump differs.txt -o differs.tl
replay_refused 3 'a rank calls another collective' 'differs.tl: .*MPI_Barrier' differs.tl -p ./good
sed 's/^2 1 MPI_Allreduce \(.*\)comm=1/2 1 MPI_Allreduce \1comm=77/' t.txt >comm.txt && "$timeless" undump comm.txt -o comm.tl
replay_refused 3 'a communicator that is not defined' 'comm.tl: rank 2, event 1: MPI_Allreduce on communicator 77' comm.tl -p ./good
sed 's/^2 1 MPI_Allreduce \(.*\)count=[0-9]*/2 1 MPI_Allreduce \1count=-5/' t.txt >negative.txt
"$timeless" undump negative.txt -o negative.tl
replay_refused 3 'a negative count' 'negative.tl: rank 2, event 1 .*-5' negative.tl -p ./good
replay_refused 4 'a trace that is not there' 'nothere.tl: .*No such file' nothere.tl -p ./good
replay_refused 2 'a start that is none' ".*'t.tl@never'.*TRACE@10" t.tl@never -p ./good

# ---- platforms ----
replay_refused 3 'a platform that is not there' \
    'nowhere: is no file and no folder, and no platform has this name.*star-1g.*; give an XML file of SimGrid, or a folder' t.tl \
    -p nowhere
mkdir empty
replay_refused 3 'a path to no folder' \
    './none/nowhere: is no file and no folder, .*star-1g.*; give an XML file of SimGrid, or a folder' t.tl -p ./none/nowhere
replay_refused 3 'a folder without XML' \
    './empty: is a folder without a platform.xml, .*; give an XML file of SimGrid, or a folder that holds a platform.xml' t.tl \
    -p ./empty
# spoilt NAME PATTERN ZONE
spoilt() { platform spoilt "$3"; replay_refused 3 "$1" "$2" t.tl -p ./spoilt --ranks-per-host 1 --no-compute; }
xml='./spoilt/platform.xml:'
spoilt 'hosts of no speed' "$xml the host 'n0' has a speed of 0 flop/s; give" "$(cluster 0f 1GBps 1us)"
spoilt 'a speed that is no number' "$xml the host 'n0' has a speed of -?nan flop/s; give" "$(cluster nanf 1GBps 1us)"
spoilt 'a negative speed' "$xml the host 'n0' has a speed of -1e\+09 flop/s; give" "$(cluster -1Gf 1GBps 1us)"
spoilt 'a negative bandwidth' "$xml the link 'c_link_[0-9]+_(UP|DOWN)' has a bandwidth of -1e\+09 B/s; give" "$(cluster 1Gf -1GBps 1us)"
spoilt 'no bandwidth' "$xml the link '.*' has a bandwidth of 0 B/s; give" "$(cluster 1Gf 0Bps 1us)"
spoilt 'a negative latency' "$xml the link '.*' has a latency of -1e-06 s; give" "$(cluster 1Gf 1GBps -1us)"
spoilt 'an unknown unit' ".*platform.xml:5: unknown unit: lightyear; check" "$(cluster 1Gf 1lightyear 1us)"
spoilt 'hosts that are not connected' ".*from h[0-7] to h[0-7] but there is no connecting path.*; check" \
    "$(for i in 0 1 2 3 4 5 6 7; do echo "<host id='h$i' speed='1Gf'/>"; done)"
spoilt 'two hosts of one name' ".*second host named 'a'; check" "<host id='a' speed='1Gf'/><host id='a' speed='1Gf'/>"
spoilt 'a route to nowhere' ".*platform.xml:5: .*'zz'.*; check" \
    "<host id='a' speed='1Gf'/><route src='a' dst='zz'><link_ctn id='l'/></route>"
spoilt 'XML that is not closed' '.*platform.xml:[0-9]+: is not XML: .*; correct' '<zone id="inner" routing="Full">'
platform options "$(cluster 1Gf 1GBps 1us)"
echo 'smpi/async-small-thresh:many' >options/options.conf
replay_refused 3 'an option that is no number' './options: .*not a whole number; correct' t.tl -p ./options

# ---- models, host files, options ----
"$timeless" undump - -o work.tl < <(sed 's/volume_unit ".*"/volume_unit "cpu-ns"/; s/^\([0-9] 1 .*\)volume=0/\1volume=5/' t.txt)
echo 'reference_flops = -1.0; units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );' >model.conf
replay_refused 3 'a model of negative speed' 'model.conf:' work.tl -p ./good --model model.conf
echo 'units = (' >model.conf
replay_refused 3 'a model that is cut off' 'model.conf:[0-9]+: ' work.tl -p ./good --model model.conf
replay_refused 4 'a model that is not there' 'nothere.conf: .*No such file' work.tl -p ./good --model nothere.conf
replay_refused 3 'computation without a model' 'work.tl: .*; give a platform that has one, --model FILE' work.tl -p ./good
printf 'n0\nn1\nelsewhere\n' >hosts
replay_refused 3 'a host file with an unknown host' "hosts:3: .*'elsewhere'.*'n0'" t.tl -p ./good --hostfile hosts
: >hosts
replay_refused 3 'an empty host file' 'hosts: .*0 ranks, but the trace has 8; add' t.tl -p ./good --hostfile hosts
echo 'rank 99=n0' >hosts
replay_refused 3 'a host for a rank that is not there' 'hosts:1: rank 99 .*' t.tl -p ./good --hostfile hosts
platform few "<host id='a' speed='1Gf'/><host id='b' speed='1Gf'/>"
replay_refused 3 'fewer places than ranks' "the platform's 2 hosts have room for 2 ranks, but the trace has 8; give" t.tl -p ./few
replay_refused 2 'an unknown algorithm' \
    '--coll allreduce=nonesuch: there is no such algorithm; give default, .*rdb.*, automatic$' t.tl -p ./good --coll \
    allreduce=nonesuch
replay_refused 2 'an unknown one of very many' \
    '--coll bcast=none: there is no such algorithm; give default, .*flattree, .*(automatic|[a-zA-Z_]+, \.\.\.)$' t.tl -p ./good \
    --coll reduce=flat_tree --coll bcast=none
platform choosing "$(cluster 1Gf 1GBps 1us)"
echo 'smpi/allreduce:nonesuch' >choosing/options.conf
replay_refused 3 'an unknown algorithm of the platform' \
    "./choosing: .*'allreduce' has no algorithm 'nonesuch'! Valid algorithms: .*; check the platform's files" t.tl -p ./choosing \
    --coll reduce=flat_tree
replay_refused 2 'an unknown collective' ".*'frobnicate=rdb'.*the collectives are .*allreduce" t.tl -p ./good --coll frobnicate=rdb
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns)
check 'noise on the last rank' "$timeless" replay t.tl -q "${loggops[@]}" --noise 1000Hz:100us,ranks=0-1,7
replay_refused 2 'noise on a rank that is not there' ".*'1000Hz:100us,ranks=0-1,8': there is no rank 8 among 8; give" t.tl \
    "${loggops[@]}" --noise 1000Hz:100us,ranks=0-1,8
replay_refused 2 'the same with SimGrid' ".*ranks=6-9': there is no rank 9 among 8; give" t.tl -p ./good --noise \
    1000Hz:100us,application,ranks=6-9
replay_refused 2 'a unit that is none' ".*'10parsec' is not a bandwidth.*10Gbps" t.tl -p ./good --set link.bandwidth=10parsec
replay_refused 2 'a factor of 0' ".*'0' is not a factor; give" t.tl -p ./good --scale network 0
"$timeless" make stencil2d -n 16 --bytes 1000 --iterations 10 -o stencil.tl || exit 99
platform wide "<cluster id='c' prefix='n' suffix='' radical='0-15' speed='1Gf' bw='125MBps' lat='24us' bb_bw='1.25GBps' bb_lat='500ns'/>"
simgrid_says='SimGrid crashed.*; check .*--scale'
[ "$(simgrid_version)" = 332 ] || simgrid_says='SimGrid: Cannot saturate .*; check .*options'
replay_refused 3 'a network on which SimGrid crashes' "./wide: $simgrid_says" stencil.tl -p ./wide --ranks-per-host 1 --scale network 1e8
replay_refused 3 'a pattern that names no link' "./good/platform.xml: has no link that 'nolink' names; the first" t.tl -p ./good \
    --set link:nolink.latency=1us
replay_refused 3 'a value that is none' '--cfg smpi/async-small-thresh:many: .*not a whole number; correct' t.tl -p ./good --cfg \
    smpi/async-small-thresh:many
replay_refused 4 'an output that cannot be written' '/nonexistent/x.json: .*check the folder' t.tl -p ./good --json=/nonexistent/x.json
tap_done
