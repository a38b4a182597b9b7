# bad_input.sh - damaged and wrong input: one clear line, the right exit code, never a crash.
. "$top_srcdir/tests/tap.sh"
here=$top_srcdir/tests/mpi
# In a build with sanitizers the tracer is loaded into a program that knows nothing of them.
export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0
cd "$scratch" || exit 99

# ends_well CODE COMMAND...: that exit code; standard error has a line or a few, all of ours
ends_well() {
    local code=$1 got lines; shift
    "$@" >ends.out 2>ends.err; got=$?
    lines=$(wc -l <ends.err)
    if [ $got != "$code" ] || [ "$lines" -lt 1 ] || [ "$lines" -gt 3 ] || grep -qv '^timeless: ..*' ends.err; then
        echo "$*: exit code $got, $lines lines"; head -n 20 ends.err
        return 1
    fi
}

"$MPICC" -O1 -o program -I"$top_srcdir/tracer" "$here"/oracle.c "$here"/oracle_{p2p,coll,nbc,window,schedule}.c \
    -lgsl -lgslcblas -lm -ldl || exit 99
$timeless record -q --volume cputime -o good.tl -- "$MPIRUN" -np 3 ./program 4 >record.log 2>&1 || { cat record.log; exit 99; }
$timeless dump good.tl >good.dump || exit 99
replay_on() { local platform=$1; shift; $timeless replay "$@" --platform "$platform"; }
star=$here/oracle/star
check 'the intact trace is replayed' replay_on "$star" good.tl --no-compute

# ---- traces ----
# What a damaged trace still gives is right: its events are among those of the intact one.
salvaged() { ends_well 3 $timeless dump "$1" && ! grep -qvxFf good.dump ends.out; }
for ((n = 0; n < $(wc -c <good.tl); n += 64)); do
    head -c $n good.tl >cut.tl
    salvaged cut.tl || break
    [ $((n % 256)) != 0 ] || ends_well 3 $timeless info cut.tl || break
    [ $((n % 512)) != 0 ] || ends_well 3 replay_on "$star" cut.tl --no-compute || break
done >truncated.log
check 'a trace truncated at every 64th byte' test ! -s truncated.log
sed 's/^/# /' truncated.log
python3 "$top_srcdir/tests/cli/flip_bits.py" good.tl 200 flip || exit 99
for ((i = 0; i < 200; i++)); do
    salvaged flip.$i || break
    [ $((i % 20)) != 0 ] || ends_well 3 replay_on "$star" flip.$i --no-compute || break
done >flipped.log
check 'one bit flipped at 200 places' test ! -s flipped.log
sed 's/^/# /' flipped.log
echo 'not a trace' >text.tl; : >empty.tl; mkdir folder.tl
for command in info dump 'cut -o part.tl --section 0' "replay --platform $star"; do
    for bad in text.tl empty.tl folder.tl; do
        check "$bad given to ${command%% *}" refused 3 "~^timeless: $bad:" $timeless $command $bad
    done
    check "a missing trace given to ${command%% *}" refused 4 '~^timeless: missing.tl: .*No such file' $timeless $command missing.tl
done
check 'a cut that is refused leaves no file' test ! -e part.tl

# ---- platforms ----
# platform NAME: a copy of the star to be spoilt
platform() { rm -rf "$1"; cp -r "$star" "$1"; chmod -R u+w "$1"; }
printf 'node-0\nnode-1\n' >two.hosts
check 'a host file with too few hosts' refused 3 '~^timeless: two.hosts: .*2 ranks.*3' replay_on "$star" good.tl --no-compute \
    --hostfile two.hosts
echo 'nowhere' >unknown.hosts
check 'a host that the platform lacks' refused 3 "~^timeless: unknown.hosts:1: .*'nowhere'" replay_on "$star" good.tl \
    --no-compute --hostfile unknown.hosts
check 'a missing host file' ends_well 4 replay_on "$star" good.tl --no-compute --hostfile missing.hosts
platform small; sed -i 's/radical="0-31"/radical="0-1"/' small/platform.xml
check 'a platform with fewer hosts than ranks' refused 3 '~^timeless: .*2 hosts.*3' replay_on small good.tl --no-compute
platform broken; head -c 300 "$star/platform.xml" >broken/platform.xml
check 'XML that is cut off' refused 3 '~^timeless: broken' replay_on broken good.tl --no-compute
platform broken; sed -i 's/radical="0-31"/radical="many"/' broken/platform.xml
check 'XML with a wrong attribute' refused 3 '~^timeless: broken' replay_on broken good.tl --no-compute
platform broken; sed -i '/<zone/,/<\/zone/d' broken/platform.xml
check 'a platform.xml without hosts is reported' refused 3 '~^timeless: ' replay_on broken good.tl --no-compute
platform broken; rm broken/platform.xml
check 'a platform without XML' ends_well 3 replay_on broken good.tl --no-compute
platform broken; echo 'no-colon-here' >broken/options.conf
check 'options that are none' refused 3 '~options.conf:1' replay_on broken good.tl --no-compute
platform broken; echo 'smpi/os:0:banana' >broken/options.conf
check 'an option with a wrong value' refused 3 '~^timeless: ' replay_on broken good.tl --no-compute
platform broken; echo 'smpi/no-such-option:1' >broken/options.conf
check 'an option that SimGrid does not know' refused 3 '~^timeless: ' replay_on broken good.tl --no-compute
check 'an unknown platform exits with 3' ends_well 3 replay_on no-such-platform good.tl --no-compute
check 'a name with a line break' refused 3 '~^timeless: no.such: is no file and no folder' replay_on $'no\nsuch' good.tl --no-compute
check 'an unknown --cfg key' refused 3 '~^timeless: --cfg no/such:key: ' replay_on "$star" good.tl --no-compute --cfg \
    surf/precision:1e-9 --cfg no/such:key

# ---- models ----
check 'a platform without a model' refused 3 '~^timeless: ' replay_on "$star" good.tl
sed 's/"cpu-ns"/"furlongs"/' "$top_srcdir/platforms/star-1g/model.conf" >other.conf
check "a model without the trace's unit" refused 3 '~cpu-ns' replay_on "$star" good.tl --model other.conf
echo 'reference_flops = banana' >wrong.conf
check 'a model that is none' refused 3 '~^timeless: wrong.conf' replay_on "$star" good.tl --model wrong.conf

head -c $(($(stat -c %s good.tl) - 20)) good.tl >damaged.tl
check 'a part that reaches the damage' sh -c '"$1" cut damaged.tl --section 0:last -o no.tl 2>cut.err; [ $? = 3 ] &&
    [ ! -e no.tl ]' - "$timeless"
check 'says each thing once' sh -c '! sort cut.err | uniq -d | grep . && grep "was not written" cut.err'

# ---- outputs ----
# kept COMMAND...: does not overwrite what is no trace, and replaces an empty file and a trace
kept() {
    echo 'my notes' >notes
    refused 2 '~^timeless: notes: exists and is not a trace, so it is not overwritten; give another' "$timeless" "$@" -o notes <dump.txt &&
        grep -qx 'my notes' notes || return
    : >fresh.tl
    "$timeless" "$@" -o fresh.tl <dump.txt && "$timeless" info fresh.tl &&
        "$timeless" "$@" -o fresh.tl <dump.txt && "$timeless" info fresh.tl
}
"$timeless" dump good.tl >dump.txt
part() { printf '%s\n' 'timeless-text 1' 'ranks 1' 'parts "a"' 'rank 0 host="a"' 'end cut clock_ns=0'; }
part | "$timeless" undump - -o part.a.tl
"$timeless" make ring -n 9 -o ring.tl
printf '%s\n' 'num_ranks 1' 'rank 0 {' 'l1: calc 5' '}' >one.goal
for command in 'pack good.tl' 'cut good.tl --section 0' 'join part.a.tl' 'import --from goal one.goal' \
    'extrapolate ring.tl --ranks 16' 'make token -n 4' 'undump -'; do
    check "${command%% *} keeps a file of the user's" kept $command
done

# ---- usage ----
usage() { "$@" >usage.out 2>usage.err; [ $? = 2 ] && [ -s usage.err ] || { cat usage.err; return 1; }; }
check 'timeless without a command exits with 2' usage $timeless
check 'an unknown command exits with 2' usage $timeless nonesuch
check 'an unknown option exits with 2' usage $timeless info --nonesuch good.tl
check 'info without a trace exits with 2' usage $timeless info
check 'replay without a platform exits with 2' usage $timeless replay good.tl
check 'an unknown selector exits with 2' usage $timeless replay good.tl -p "$star" --coll-selector nonesuch
check 'a cut of nothing' usage $timeless cut good.tl
check 'a number that is none' usage $timeless dump --rank x good.tl
check 'dump of two traces exits with 2' usage $timeless dump good.tl good.tl
check 'no ranks on a host' usage $timeless replay good.tl -p "$star" --ranks-per-host -1
check 'says how many there may be' grep -q 'from 1 to' usage.err
check 'help of a command' prints '~^Usage: timeless cut' "$timeless" help cut
check 'help of what is none' usage $timeless help nonesuch

# ---- numbers ----
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' \
    '0 0 MPI_Finalize clock_ns=18446744073709551615 volume=9223372036854775808' 'end finalized clock_ns=0' >large.txt
"$timeless" undump large.txt -o large.tl
check 'JSON of numbers beyond 2^63' sh -c '"$1" dump --json large.tl |
    grep "\"clock_ns\":\"18446744073709551615\".*\"volume\":\"9223372036854775808\""' - "$timeless"
tap_done
