# timeless calibrate: a short real measurement, its files, and wrong arguments.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# What the last checked command said on standard error, which the check of it overwrites.
keep() { cp "$scratch/err" "$scratch/said"; }
says() { grep -q -- "$1" "$scratch/said"; }
model_is_complete() {
    [ "$(grep -c 'kernel = ' "$1")" = 20 ] && grep -q '^reference_flops = 1.0e+09;' "$1" &&
    grep -q 'unit = "cpu-ns"; seconds_per_unit = 1.0e-9' "$1"
}
# Each value of every kernel is in a range that no machine leaves.
model_is_sane() {
    model_is_complete "$1" &&
    awk '/kernel = /  { gsub(";", ""); if ($7 < 0 || $7 > 1e-3 || $10 <= 0 || $10 > 1e-6) exit 1 }' "$1"
}
raw_is_sane() {
    awk -F, 'NR == 1 { if ($0 != "kernel,d0,d1,d2,work,core,repeats,seconds") exit 1; next }
             NF != 8 || $2 < 1 || $5 <= 0 || $7 < 1 || $8 <= 0 { exit 1 }
             END { if (NR < 181) exit 1 }' "$1"
}

check 'measures for two seconds' "$timeless" calibrate kernels --max-seconds 2 --seed 3 --nb 64 \
    --raw "$scratch/raw.csv" -o "$scratch/here"
keep
check 'says what it did' says 'calls timed'
check 'the model has every kernel' model_is_sane "$scratch/here/model.conf"
check 'the raw measurements are complete' raw_is_sane "$scratch/raw.csv"
check 'the folder has this number of cores' grep -q "core=\"$(nproc)\"" "$scratch/here/platform.xml"
check 'the folder has the shipped options' \
    cmp "$top_srcdir/platforms/local/options.conf" "$scratch/here/options.conf"
check 'the folder says where it comes from' grep -q 'timeless calibrate kernels' "$scratch/here/README.md"
check 'the folder keeps what was calibrated' test "$(grep -c ',kernels,dgemm s per unit of work,' "$scratch/here/history.csv")" = 1
check 'measures once more, later' "$timeless" calibrate kernels --max-seconds 0 -o "$scratch/here"
check 'and keeps both' test "$(grep ',kernels,dgemm s per unit of work,' "$scratch/here/history.csv" | cut -d, -f1 | uniq | wc -l)" = 2
check 'which can be compared' "$timeless" compare --history "$scratch/here"

"$timeless" calibrate kernels --max-seconds 0 --cores 1 --seed 3 --raw "$scratch/one.csv" >"$scratch/one.conf" 2>"$scratch/err"
"$timeless" calibrate kernels --max-seconds 0 --cores 1 --seed 3 --raw "$scratch/two.csv" >"$scratch/two.conf" 2>"$scratch/err"
sizes() { cut -d, -f1-5 "$1"; }
same_sizes() { [ "$(sizes "$1")" = "$(sizes "$2")" ]; }
# So few calls do not always give every line a slope.
check 'the model goes to standard output' model_is_complete "$scratch/one.conf"
check 'the same seed gives the same sizes' same_sizes "$scratch/one.csv" "$scratch/two.csv"

check_exit 2 'nothing to calibrate' "$timeless" calibrate
check_exit 2 'something that cannot be calibrated' "$timeless" calibrate weather
check 'what can be calibrated' "$timeless" calibrate --help
check_exit 2 'an argument too many' "$timeless" calibrate kernels dgemm
check_exit 2 'no core' "$timeless" calibrate kernels --cores 0
check_exit 2 'more cores than there are' "$timeless" calibrate kernels --cores 4096
check_exit 2 'a seed that is none' "$timeless" calibrate kernels --seed x
check_exit 2 'a block size of 1' "$timeless" calibrate kernels --nb 64,1
check_exit 2 'an empty list of block sizes' "$timeless" calibrate kernels --nb ''
check_exit 4 'an output that cannot be written' "$timeless" calibrate kernels -o /nowhere/model.conf
keep
check 'names it' says '^timeless: /nowhere/model.conf: cannot be written: .*; check the path$'
check_exit 4 'a folder that cannot be made' "$timeless" calibrate kernels --max-seconds 0 -o /nowhere/here
check_exit 4 'no shipped platforms' env TIMELESS_PLATFORMS=/nowhere "$timeless" calibrate kernels -o "$scratch/there"
tap_done
