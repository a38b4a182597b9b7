#!/usr/bin/env bash
# timeless calibrate memory: the fit of measurements that are written here, and a short measurement of
# this machine, of which no time is expected.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/calibrate_paths.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# rows LOOP CORES BYTES VALUE...: repetitions without interruption
rows() { local v; for v in "${@:4}"; do echo "$1,$2,$3,$v,0"; done; }
# Two cores with caches of 32 KiB, 1 MiB and, for both, 4 MiB; largest working set 8 MiB.
raw() { # OTHER [LINE...]
    printf '%s\n' '# seed 7' '# processor made up' '# nodes 0' '# runtime libgomp.so.1' '# caches /sys' '# cores 2' "# other $1" \
        '# stolen 0' \
        '# cache 1 32768 1' '# cache 2 1048576 1' '# cache 3 4194304 2' 'loop,cores,bytes,value,lost'
    rows arithmetic 1 0 1e9 2e9 3e9; rows arithmetic 2 0 3e9 9e9 3.8e9
    rows triad 1 4096 1e10 1e10 1e10; rows triad 2 4096 1e10 1e10 1e10
    rows triad 1 16384 4e10 4e10 4e10; rows triad 2 16384 8.4e10 8.4e10 8.4e10
    rows triad 1 524288 2e10 2e10 2e10; rows triad 2 524288 3.9e10 3.9e10 3.9e10
    rows triad 1 8388608 1e10 1e10 1e10; rows triad 2 8388608 1.2e10 1.2e10 1.2e10
    rows chase 1 8388608 9e-8 9e-8 9e-8; rows chase 2 8388608 1e-7 1e-7 1e-7
    rows region 1 0 1e-7 1e-7 1e-7; rows region 2 0 1.6e-6 1.6e-6 1.6e-6
    rows shared-region 1 0 1e-7 1e-7 1e-7; rows shared-region 2 0 5.1e-6 5.1e-6 5.1e-6
    printf '%s\n' "${@:2}"
}
raw 0.01 >quiet.csv
check 'measurements are fitted' "$timeless" calibrate memory --reuse quiet.csv -o fitted.conf
cp err said
check 'the speedups are reported' grep -q \
    '2 cores relative to one: arithmetic 1.90, L1 2.00, L2 1.95, memory 1.20; a parallel region starts and ends in 1.5 us' said
has() { grep -qF -- "$1" fitted.conf; }
check 'one core is once as fast' has '{ cores = 1; region_s = 0.0000e+00; arithmetic = 1.0000; L1 = 1.0000; L2 = 1.0000; memory = 1.0000; }'
check 'two cores, by medians; L3 has no working set of its own' has \
    '{ cores = 2; region_s = 1.5000e-06; arithmetic = 1.9000; L1 = 2.0000; L2 = 1.9500; memory = 1.2000; }'
check 'two cores that are 2.1 times as fast count as two' has 'arithmetic = 1.9000; L1 = 2.0000;'
check 'a region with two threads on one core' has 'shared_region_s = 5.0000e-06;'
check 'the curve has bandwidth and latency' has '{ cores = 2; bytes = 8388608.0; bytes_per_s = 1.2000e+10; latency_s = 1.0000e-07; }'
check 'the source of the sizes of caches' has '# Sizes of caches: from /sys.'
check 'a column is named with its measurement' has '# memory: triad a = b + s c (STREAM), working set of each core 8388608 bytes.'
check 'the head of the model states the measurement' \
    grep -qE "^# Group parallel: 'timeless calibrate memory' [0-9.]+.* on made up at an unknown moment, 2 cores, .* seed 7; medians, [0-9]+ repetitions" fitted.conf
check 'the head keeps the measurement of the kernels' has "# Measured by 'timeless calibrate kernels'"
check 'the bound of a region is assumed' has '# bound: assumed;'
check 'the model keeps its rates' has 'unit = "cpu-ns"'

# 0.4 s outside and 0.8 s in a region, on 2 threads
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
    echo '0 0 Parallel list=[400000000,0,0,800000000] volume=1200000000 site=0'
    echo 'end cut clock_ns=0'
} | "$timeless" undump - -o t.tl
mkdir here
cp "$top_srcdir/platforms/local/model.conf" here
sed 's/core="[0-9]*"/core="2"/' "$top_srcdir/platforms/local/platform.xml" >here/platform.xml
check 'a platform folder gets the result' "$timeless" calibrate memory --reuse quiet.csv -o here
for engine in smpi loggops; do
    check "$engine: a replay uses it" near "$("$timeless" replay t.tl -p ./here -q --engine $engine --rank-threads 2)" \
        0.8210541315789473 1e-9
    check "$engine: by what limits the region" near \
        "$("$timeless" replay t.tl -p ./here -q --engine $engine --rank-threads 2 --set region.bound=memory)" 1.0666681666666667 \
        1e-9
done
check 'calibrated again, it is the same' "$timeless" calibrate memory --reuse quiet.csv -o here
check 'with one group' test "$(grep -c '^parallel = ' here/model.conf)" = 1
check 'and one measurement of it' test "$(grep -c '^# Group parallel: ' here/model.conf)" = 1

raw 0.2 >busy.csv
check 'other programs are refused: the refusal names them' refused 4 \
    'the machine was busy: other programs took 20% of the time' \
    "$timeless" calibrate memory --reuse busy.csv -o no.conf
check 'no result is written' test ! -e no.conf
raw 0.01 'arithmetic,3,0,1e9,0.5' >interrupted.csv
check_exit 4 'interruptions are refused' "$timeless" calibrate memory --reuse interrupted.csv -o no.conf
check 'unless they are allowed' "$timeless" calibrate memory --reuse busy.csv --allow-busy -o busy.conf
check 'the result says so' grep -q 'The machine was busy' busy.conf
echo 'triad,1,x,1,0' >>quiet.csv
check_exit 3 'a line that is none' "$timeless" calibrate memory --reuse quiet.csv
check_exit 4 'a folder that is not there' "$timeless" calibrate memory --reuse busy.csv --allow-busy -o nowhere
check_exit 4 'a model that is not there' "$timeless" calibrate memory --reuse busy.csv --allow-busy --model none.conf

# Mistakes are found before anything is measured, and leave the files of the user.
mkdir empty
refuses_paths "$timeless" calibrate memory --max-seconds 60
cp busy.conf kept.conf
timeout -s INT 0.5 "$timeless" calibrate memory --max-seconds 60 -o kept.conf 2>said
check 'an interrupted measurement leaves the model' cmp busy.conf kept.conf
check '... and nothing else' sh -c '! ls -d kept.conf?* memory-*Z 2>/dev/null'
sed 's/^reference_flops = .*/reference_flops = 3e9;/' busy.conf >mine.conf
check 'a model gets the result' "$timeless" calibrate memory --reuse busy.csv --allow-busy -o mine.conf
check '... and keeps all else' grep -q '^reference_flops = 3' mine.conf

# This machine, whatever else it does.
check 'measures the cores' "$timeless" calibrate memory --max-seconds 1 --max-bytes 1048576 --allow-busy -o real.conf --archive real
short_numbers() {
    cp real/fingerprint.html page.html && says '[GB/s]' page.html && never_says '~>[0-9.]*e[+][0-9]*</text>' page.html
}
check 'the pictures of its page have short numbers' short_numbers
check 'and makes the same result again from the archive' sh -c \
    '"$0" calibrate memory --reuse real --allow-busy -o again.conf && cmp real.conf again.conf' "$timeless"
check 'a replay reads the result' "$timeless" replay t.tl -p local --model real.conf -q --rank-threads 2
plausible() {
    awk -v cores="$(nproc)" '
        function value(name) {
        return match($0, "[ {]" name " = [^;]*;") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5) + 0 : 0 }
        /region_s = / && /arithmetic = / {
            n = value("cores"); last = n; rows++
            if (n == 1 && value("arithmetic") != 1) bad = bad " one core"
            if (value("arithmetic") <= 0 || value("arithmetic") > 2 * n) bad = bad " arithmetic of " n
            if (value("region_s") < 0 || value("region_s") > 0.1) bad = bad " region of " n
        }
        /latency_s = / {
            curve++
            if (value("bytes_per_s") < 1e7 || value("latency_s") <= 0 || value("latency_s") > 1e-4) bad = bad " curve " $0
            if (value("cores") == 1 && value("bytes") == 4096) first = value("latency_s")
            if (value("cores") == 1 && value("bytes") == 1048576) far = value("latency_s")
        }
        END { print rows, curve, first, far, bad;
        exit !(rows && curve >= 9 * rows && last == cores && far > first && bad == "") }' real.conf
}
check 'units and order of the numbers are plausible' plausible
tap_done
