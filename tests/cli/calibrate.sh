# timeless calibrate: a short real measurement, its files, and wrong arguments.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# What the last checked command said on standard error, which the check of it overwrites.
keep() { cp "$scratch/err" "$scratch/said"; }
model_is_complete() {
    [ "$(grep -c 'kernel = ' "$1")" = 20 ] && grep -q '^reference_flops = 1.0e+09;' "$1" &&
    grep -q 'unit = "cpu-ns"; seconds_per_unit = 1.0e-9' "$1"
}
# The seconds per unit of work of every kernel, in the table of errors, are those of some model.
model_is_sane() {
    model_is_complete "$1" && grep -q '^version = 2;' "$1" && [ "$(grep -c '^# .*%.*%.*%.*%' "$1")" = 20 ]
}
raw_is_sane() {
    awk -F, 'NR == 1 { next } NR == 2 { if ($0 != "kernel,d0,d1,d2,work,core,repeats,seconds,at_s,clock_Hz,celsius,watts") exit 1; next }
             NF != 12 || $9 < 1e9 || $2 < 1 || $5 <= 0 || $7 < 1 || $8 <= 0 { exit 1 }
             END { if (NR < 181) exit 1 }' "$1"
}

check 'measures for two seconds' "$timeless" calibrate kernels --max-seconds 2 --warm-up 1 --operands constant --seed 3 --nb 64 \
    --raw "$scratch/raw.csv" -o "$scratch/here"
keep
check 'the command reports what it did' says 'calls timed' "$scratch/said"
check 'the model has every kernel' model_is_sane "$scratch/here/model.conf"
head_has() { sed '/^[^#]/,$d' "$1" | grep -qE -- "$2"; } # MODEL PATTERN: the comments at the beginning
check 'the model states command, version, machine and seed of its measurement' head_has "$scratch/here/model.conf" \
    "^# Measured by 'timeless calibrate kernels' [0-9.]+.* on .*: [0-9]+ process(es)? at once, seed 3,"
check 'the model states the number of calls' head_has "$scratch/here/model.conf" '^# [0-9]+ calls of the BLAS'
check 'the model states the moment of the measurement' head_has "$scratch/here/model.conf" '^# Measured at 20[0-9-]+T[0-9:]+Z, '
check_exit 2 'a warm-up longer than the measurement is refused' "$timeless" calibrate kernels --max-seconds 2 --warm-up 3
check 'the model states its warm-up and operands' head_has "$scratch/here/model.conf" \
    ', after 1 s of unmeasured calls, with constant operands\.$'
check 'the page shows four kernels by work and over time' test "$(grep -c '>measured / fitted<' "$scratch/here/kernels.html")" = 4
check 'the model states which of its constants are not measured' head_has "$scratch/here/model.conf" \
    '^# reference_flops: a reference speed, not measured; cpu-ns: by definition'
check 'the raw measurements are complete' raw_is_sane "$scratch/raw.csv"
check 'the folder has this number of cores' grep -q "core=\"$(nproc)\"" "$scratch/here/platform.xml"
check 'and no watts of another machine' sh -c '! grep -q wattage_per_state "$1"' - "$scratch/here/platform.xml"
check 'the folder has the shipped options' \
    cmp "$top_srcdir/platforms/local/options.conf" "$scratch/here/options.conf"
check 'the folder says where it comes from' grep -q 'timeless calibrate kernels' "$scratch/here/README.md"
check 'the folder keeps what was calibrated' test "$(grep -c ',kernels,dgemm s per unit of work,' "$scratch/here/history.csv")" = 1
check 'measures once more, later' "$timeless" calibrate kernels --max-seconds 0 --nb 32 -o "$scratch/here"
check 'the folder keeps both calibrations' test \
    "$(grep ',kernels,dgemm s per unit of work,' "$scratch/here/history.csv" | cut -d, -f1 | uniq | wc -l)" = 2
check 'two calibrations of a folder can be compared' "$timeless" compare --history "$scratch/here"

"$timeless" calibrate kernels --max-seconds 0 --nb 32 --cores 1 --seed 3 --raw "$scratch/one.csv" >"$scratch/one.conf" 2>"$scratch/err"
"$timeless" calibrate kernels --max-seconds 0 --nb 32 --cores 1 --seed 3 --raw "$scratch/two.csv" >"$scratch/two.conf" 2>"$scratch/err"
check 'replays with what was measured' test \
    "$(printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' '0 0 dgemm m=100 n=100 k=64' 'end cut clock_ns=0' |
    "$timeless" undump - -o "$scratch/t.tl" && "$timeless" replay "$scratch/t.tl" -p "$scratch/here" -q)" != 0
# Calls with two threads: one process on two cores.
if [ "$(nproc)" -ge 2 ]; then
    check 'measures calls of two threads' "$timeless" calibrate kernels --max-seconds 0 --threads 2 --cores 2 --nb 64 \
        --raw "$scratch/pairs.csv" --archive none -o "$scratch/pairs.conf"
    check 'one process measures them' sh -c '! grep -v "^#" "$1" | cut -d, -f6 | grep -qx 1' - "$scratch/pairs.csv"
    check 'the model says so' grep -qx 'kernel_threads = 2;' "$scratch/pairs.conf"
    check 'the measurements say so' prints '~^kernel_threads = 2;$' \
        "$timeless" calibrate kernels --reuse "$scratch/pairs.csv" --archive none
fi
# Made-up measurements on two cores, the second slower, fitted again.
{
    echo kernel,d0,d1,d2,work,core,repeats,seconds
    grep -v '^#\|^kernel' "$scratch/raw.csv" |
        awk -F, -v OFS=, '{ for (c = 0; c < 2; c++) print $1, $2, $3, $4, $5, c, 1, (1 + c) * (1e-6 + 1e-10 * $5) }'
} >"$scratch/made.csv"
fit() { "$timeless" calibrate kernels --reuse "$scratch/made.csv" "$@"; }
check 'earlier measurements are fitted' fit -o "$scratch/pooled.conf"
check 'a line is fitted to points on a line' fit --model-form m1 --noise-form n0 --per-core -o "$scratch/cores.conf"
seconds_of() { # TRACE: of a call of 1e6 units of work; the hosts of star-1g have four cores
    "$timeless" replay "$scratch/$1.tl" -p star-1g --model "$scratch/cores.conf" -q
}
trace "$scratch/one" 'dgemm m=100 n=100 k=100'
trace "$scratch/two" '' 'dgemm m=100 n=100 k=100'
check 'a call on the first core has its measured time' near "$(seconds_of one)" 101e-6 0.02
check 'a call on the second core has its measured time' near "$(seconds_of two)" 202e-6 0.02
awk -F, '++n[$1] < 30' "$scratch/made.csv" >"$scratch/few.csv" # noise is fitted from 40 calls on
check 'a forced noise that cannot be fitted is reported' bash -c '"$@" 2>said &&
    grep -c "warning: dgemm: .* its noise is N-0" said' - "$timeless" calibrate kernels --reuse "$scratch/few.csv" \
    --model-form m1 --noise-form n1 -o "$scratch/n1.conf"
check 'a fit of measurements without a moment states that it is unknown' head_has "$scratch/cores.conf" '^# Measured at an unknown moment'
check 'a kernel is fitted for all cores together, and for each' test "$(grep -c 'kernel = "dtrsm"' "$scratch/cores.conf")" = 3
for option in --cores=1 --threads=1; do
    check "a fit says why it does not take $option" ends_with 2 \
        '~--reuse measures nothing, and FILE states its cores and threads: leave out --cores and --threads$' fit "$option"
done
for option in --seed=2 --nb=32 --max-seconds=1; do
    check "a fit says why it does not take $option" ends_with 2 \
        "~--reuse measures nothing: leave out ${option%=*}\$" fit "$option"
done

# Own sizes.
printf '%s\n' '# own' dgemm,300,200,64 dgemm,100,100,32 dtrsm,32,200,32 >"$scratch/sizes.csv"
check 'own sizes are measured' "$timeless" calibrate kernels --sizes "$scratch/sizes.csv" --max-seconds 0 --raw "$scratch/own.csv" -o "$scratch/own.conf"
check 'and no others' equal "$(grep -v '^#\|^kernel' "$scratch/own.csv" | cut -d, -f1-4 | sort -u | tr '\n' ' ')" \
    'dgemm,100,100,32 dgemm,300,200,64 dtrsm,32,200,32 '
check 'the model has their kernels' equal "$(grep -o 'kernel = "[a-z]*"' "$scratch/own.conf" | tr '\n' ' ')" 'kernel = "dgemm" kernel = "dtrsm" '
echo dgemm,1,x,3 >>"$scratch/sizes.csv"
check 'a line that is no call is named' refused 3 'sizes.csv:5: not KERNEL,D0' "$timeless" calibrate kernels --sizes "$scratch/sizes.csv" -o x.conf

sizes() { grep -v '^#' "$1" | cut -d, -f1-5; }
same_sizes() { [ "$(sizes "$1")" = "$(sizes "$2")" ]; }
# So few calls do not always give every line a slope.
check 'the model goes to standard output' model_is_complete "$scratch/one.conf"
check 'the same seed gives the same sizes' same_sizes "$scratch/one.csv" "$scratch/two.csv"

check 'what can be calibrated' "$timeless" calibrate --help
tap_done
