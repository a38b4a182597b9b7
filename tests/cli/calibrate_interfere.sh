#!/usr/bin/env bash
# timeless calibrate cpu --interfere: the fit of measurements that are written here, and a short measurement of a program, of
# which no time is expected.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/calibrate_paths.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

hogs='arithmetic cache stream chase'
# samples PROBE HOG CORES FROM TO WORK SECONDS...: a repetition for each of the seconds
samples() { local i=0 s; for s in "${@:7}"; do echo "$1,$2,$3,$i,$4,$5,$s,$6,0"; i=$((i + 1)); done; }
# hog HOG BESIDE SLOWER: its rate beside another one; alone, a part of work takes 10 us. Three repetitions agree, two are far off.
hog() { local s; s=$(awk -v s="$3" 'BEGIN { print 0.01 * s }'); samples hog "$2" "$([ "$2" = none ] && echo 0 || echo 1)" "$1" '' 1000 "$s" 1 "$s" 0.001 "$s"; }
# The stream takes 2 times as long beside another stream, the loop in the cache 1.5 times beside a stream.
raw() {
    local h k
    printf '%s\n' '# seed 7' '# processor made up' '# ranks 2' '# repetitions 3' '# cache_bytes 1000' '# memory_bytes 4000' '# stolen 0' \
        '# program ./p' 'probe,hog,cores,repetition,from,to,seconds,work,stolen'
    for h in $hogs; do
        hog "$h" none 1
        for k in $hogs; do
            case $h-$k in
            stream-stream) hog "$h" "$k" 2 ;;
            cache-stream) hog "$h" "$k" 1.5 ;;
            *) hog "$h" "$k" 1 ;;
            esac
        done
    done
    samples timed none 0 p+0x1 p+0x2 0 1 1.1 9
    samples timed none 0 p+0x2 p+0x1 0 2 2 2
    samples timed none 0 p+0x3 p+0x1 0 0.001 0.001 0.001
    for h in $hogs; do
        samples timed "$h" 1 p+0x1 p+0x2 0 "$([ "$h" = stream ] && echo 1.65 || echo 1.05)" 9 0.1
        samples timed "$h" 1 p+0x2 p+0x1 0 2 2.2 2.2
        samples timed "$h" 3 p+0x1 p+0x2 0 3.3 3.3 3.3
        samples timed "$h" 3 p+0x2 p+0x1 0 4 4 4
        samples pressed "$h" 1 p+0x1 p+0x2 1000 "$(case $h in stream) echo 0.015 ;; cache) echo 0.0125 ;; *) echo 0.01 ;; esac)"
        samples pressed "$h" 1 p+0x2 p+0x1 1000 0.01
    done
}
raw >raw.csv
check 'measurements are fitted' "$timeless" calibrate cpu --interfere --reuse raw.csv -o fitted.conf
cp err said
check 'the classes are reported' grep -q '1.1 s  1.000 1.000 1.500 1.000  0.00 0.00 0.50 0.00  p+0x1 .. p+0x2' said
check 'a class beside one hog: ratio of medians, none below 1' python3 - <<'END'
import re
text = open('fitted.conf').read()
classes = text.split('from = ')[1:]
first = next(c for c in classes if c.startswith('"p+0x1"'))
second = next(c for c in classes if c.startswith('"p+0x2"'))
number = lambda c, name: [float(x) for x in re.findall(name + r' = ([-0-9.e+]+)', c)]
assert number(first, 'cores') == [1, 3]
assert abs(number(first, 'stream')[0] - 1.5) < 1e-6 and number(first, 'cache')[0] == 1, first
assert abs(number(first, 'stream')[1] - 3) < 1e-6
assert abs(number(second, 'chase')[0] - 1.1) < 1e-6
assert abs(number(first, 'stream')[2] - 0.5) < 1e-3, 'half a stream slows the stream by 1.5 and the cache by 1.25'
assert len(number(second, 'stream')) == 2, 'no weight for what slows no hog'
assert 'p+0x3' not in text, 'a class of a thousandth of the time is left to the program'
END
check 'the head states the measurement' grep -qE "^# Interference of ./p: 'timeless calibrate cpu --interfere' .* on made up, 2 ranks on one core, seed 7, 3 repetitions .* stream 1.000 1.000 2.000 1.000; chase" fitted.conf
check 'the head keeps the measurement of the kernels' grep -q "^# Measured by 'timeless calibrate kernels'" fitted.conf
check 'the noise of repetitions that agree is the least one' grep -q '^timeless: standard errors of the slowdowns of hogs beside hogs: 0.010 0.011 0.013 0.010; ' said
check '... and in the head' grep -q 'repetitions: arithmetic 0.010, cache 0.011, stream 0.013, chase 0.010.$' fitted.conf
check 'a replay reads it' "$timeless" replay "$top_srcdir/traces/wavefront-16.tl" -p local --model fitted.conf -q --ranks-per-host 16
check 'measured again, it is the same' "$timeless" calibrate cpu --interfere --reuse raw.csv -o fitted.conf
check 'with one class each' test "$(grep -c 'from = ' fitted.conf)" = 2
check 'and one measurement' test "$(grep -c '^# Interference of ' fitted.conf)" = 1
sed 's/p+0x/q+0x/g; s/# program .*/# program .\/q/' raw.csv >other.csv
check 'another program' "$timeless" calibrate cpu --interfere --reuse other.csv -o fitted.conf
check 'is added' test "$(grep -c 'from = ' fitted.conf) $(grep -c '^# Interference of ' fitted.conf)" = '4 2'

# Chase slows itself by 4 %, and its rate scatters by 10 %: the program that makes it 20 % slower does not act as 5 of it.
{
    grep -vE '^(hog,(none|chase),[01],[0-9],chase,|pressed,chase,1,.,p\+0x1,)' raw.csv
    samples hog none 0 chase '' 1000 0.01 0.011 0.009
    samples hog chase 1 chase '' 1000 0.0104 0.0115 0.0094
    samples pressed chase 1 p+0x1 p+0x2 1000 0.012 0.0132 0.0108
} >noisy.csv
check 'a hog whose rate scatters is fitted' "$timeless" calibrate cpu --interfere --reuse noisy.csv -o noisy.conf
cp err said
check '... gets no huge weight' python3 -c '
import re
w = [float(x) for x in re.search(r"  ([0-9. ]{19})  p.0x1 .. p.0x2", open("said").read()).group(1).split()]
assert w[3] < 1 and abs(w[2] - 0.5) < 0.01, w'
check '... and its noise is reported' grep -q '^timeless: standard errors of the slowdowns of hogs beside hogs: 0.010 0.011 0.013 0.061; ' said
awk -F , '/^#/ || $4 == "repetition" || $4 == 0' raw.csv >once.csv
check 'one repetition' "$timeless" calibrate cpu --interfere --reuse once.csv -o once.conf
cp err said
check '... does not show the noise' grep -q '^timeless: one repetition does not show the noise of the slowdowns, .*; use --repetitions 2 or more$' said
check '... and the head says so' grep -q 'One repetition does not show their noise.$' once.conf

check_exit 2 'neither a command nor --reuse' "$timeless" calibrate cpu --interfere
check_exit 2 'both' "$timeless" calibrate cpu --interfere --reuse raw.csv -- true
check_exit 2 'two traces' "$timeless" calibrate cpu --interfere a.tl b.tl
check_exit 2 'no repetition' "$timeless" calibrate cpu --interfere --repetitions 0 -- true
check_exit 4 'a file that is not there' "$timeless" calibrate cpu --interfere --reuse none.csv
head -n 9 raw.csv >empty.csv
check_exit 3 'no measurements' "$timeless" calibrate cpu --interfere --reuse empty.csv -o no.conf
grep -v ^pressed raw.csv >gentle.csv
check 'hogs that nobody timed beside the program are named' refused 3 \
    "no rate of the hog 'arithmetic' beside the program; measure again" \
    "$timeless" calibrate cpu --interfere --reuse gentle.csv -o no.conf
grep -v '^timed,chase' raw.csv >part.csv
check 'a hog beside which the program did not run is named' refused 3 \
    "no run of the program beside 1 hogs 'chase'" \
    "$timeless" calibrate cpu --interfere --reuse part.csv -o no.conf
# bad LINE: it is refused with its number
bad() { { cat raw.csv; echo "$1"; } >bad.csv; "$timeless" calibrate cpu --interfere --reuse bad.csv -o no.conf 2>said; [ $? = 3 ] && grep -q "bad.csv:$(wc -l <bad.csv): " said; }
check 'a line that is too short' bad 'timed,chase,1,0,a,b,1,0'
check 'a line that is too long' bad 'timed,chase,1,0,a,b,1,0,0,0'
check 'an unknown hog' bad 'timed,pig,1,0,a,b,1,0,0'
check 'a time that is no number' bad 'timed,chase,1,0,a,b,nan,0,0'
check 'a hog on no core' bad 'timed,chase,0,0,a,b,1,0,0'
check 'no result is written' test ! -e no.conf
mkdir empty
refuses_paths "$timeless" calibrate cpu --interfere -- sleep 60

if [ "$(nproc)" -lt 2 ]; then
    skip 'a program is measured beside hogs' 'this process may use one processor only'
elif uses_mpich; then
    skip 'a program is measured beside hogs' "the command is that of Open MPI"
else
    cat >program.c <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    volatile double x = 1;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 1000000; j++)
            x = 1 / (x + 3);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return x < 0;
}
END
    check 'a program compiles' "$MPICC" -O1 -o program program.c
    check 'a program is measured beside hogs' "$timeless" calibrate cpu --interfere --repetitions 1 --max-bytes 1048576 -o real.conf -- "$MPIRUN" -np 2 ./program
    check 'all runs are in the archive' python3 - <<'END'
import csv, glob, io, zipfile
text = zipfile.ZipFile(glob.glob('cpu-*.zip')[0]).read('raw/interference.csv').decode()
rows = list(csv.DictReader(io.StringIO('\n'.join(l for l in text.split('\n') if not l.startswith('#')))))
hogs = ['arithmetic', 'cache', 'stream', 'chase']
runs = {(r['probe'], r['hog'], r['cores']) for r in rows if r['probe'] != 'hog'}
assert ('timed', 'none', '0') in runs, runs
for h in hogs:
    assert ('timed', h, '1') in runs, runs
assert {(r['from'], r['hog']) for r in rows if r['probe'] == 'hog'} == {(a, b) for a in hogs for b in hogs + ['none']}
# On a busy machine, a hog may do nothing during the bursts.
assert {r['hog'] for r in rows if r['probe'] == 'pressed'} <= set(hogs)
assert all(0 <= float(r['seconds']) < 100 for r in rows)
END
    check 'the model has the classes of the program' grep -q 'from = "program+0x' real.conf
    check 'the archive gives the same model' "$timeless" calibrate cpu --interfere --reuse cpu-*.zip -o again.conf
    check '... to the last byte' cmp real.conf again.conf
fi
tap_done
