#!/usr/bin/env bash
# timeless calibrate WHAT --for TRACE: only what the trace has is measured, and all else stays in the model. (needs MPI)
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

trace() { # NAME LINE...: of rank 0
    local name=$1 line i=0
    shift
    { printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"'
      for line in "$@"; do echo "0 $((i++)) $line"; done
      echo 'end cut clock_ns=0'; } | "$timeless" undump - -o "$name.tl"
}

# ---- kernels ----
trace app 'dgemm m=100 n=100 k=50' 'dgemm m=200 n=100 k=50' 'daxpy n=1000' 'daxpy n=1000' 'dgemm m=20000 n=20000 k=50'
model() { # a model of which nothing was measured here; dgemm with two pieces, the first one for small calls
    printf '%s\n' '# made up' 'version = 2; reference_flops = 1e9; units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' \
        'kernels = ({kernel = "dgemm"; median_error = 0.3;' \
        'pieces = ({max = {work = 600000;}; seconds = {work = 1e-9;};}, {seconds = {work = 2e-9;};});},' \
        '{kernel = "daxpy"; intercept_s = 1e-6; per_work_s = 3e-9;}, {kernel = "dscal"; seconds = {one = 7e-6;};});' \
        'parallel = {bound = "arithmetic"; shared_region_s = 0.0; cores = ({cores = 1; region_s = 0.0; arithmetic = 1.0;});};' >"$1"
}
mkdir here && cp "$top_srcdir/platforms/local/platform.xml" here && model here/model.conf
sed -i 's/speed="[^"]*"/speed="1Gf"/' here/platform.xml
# Measurements of calls of the trace: dgemm with 5e-10 s a unit of work, daxpy with 5 us.
{
    echo kernel,d0,d1,d2,work,core,repeats,seconds
    for i in $(seq 60); do for m in 100 200; do
        echo "dgemm,$m,100,50,0,0,1,$(awk -v m=$m 'BEGIN { print m * 100 * 50 * 5e-10 }')"; done; done
    for i in $(seq 60); do echo daxpy,1000,0,0,0,0,1,5e-6; done
} >made.csv
check 'measurements of calls of a trace are put into a model' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o here
cp err said
check 'the kernels are reported' grep -q 'with the sizes of app.tl: dgemm (median error 0.0%), daxpy (median error 0.0%)$' said
check 'and what cannot be measured' grep -q '^timeless: 1 calls, such as of dgemm, have a kernel or sizes that cannot be measured' said
seconds() { trace one "$1" && "$timeless" replay one.tl -p ./here -q; }
check 'a call of the trace takes its measured time' near "$(seconds 'dgemm m=100 n=100 k=50')" 2.5e-4 1e-4
check 'a call of a size between those of the trace, too' near "$(seconds 'dgemm m=150 n=100 k=50')" 3.75e-4 1e-4
check 'a smaller call has the time of its old piece' near "$(seconds 'dgemm m=50 n=100 k=50')" 2.5e-4 1e-4
check 'a larger call, too' near "$(seconds 'dgemm m=1000 n=100 k=50')" 1e-2 1e-4
check 'and one with another shape' near "$(seconds 'dgemm m=100 n=200 k=50')" 2e-3 1e-4
check 'a kernel with one size has the mean of its calls' near "$(seconds 'daxpy n=1000')" 5e-6 1e-4
check 'other sizes of it have the old line' near "$(seconds 'daxpy n=2000')" 7e-6 1e-4
check 'a kernel that the trace does not call stays' near "$(seconds 'dscal n=5')" 7e-6 1e-4
check 'the group parallel stays' grep -q '^parallel = ' here/model.conf
check 'the head of the model names the trace' grep -q "^# Calls with the sizes of app.tl: 'timeless calibrate kernels --for'" \
    here/model.conf
check 'the head states machine, moment and number of calls' \
    grep -qE "^# Calls with the sizes of app.tl: 'timeless calibrate kernels --for' [0-9.]+.* on .* at an unknown moment, [0-9]+ calls\.$" \
    here/model.conf
check 'it keeps its first line' grep -qx '# made up' here/model.conf
check 'the budget has the error of the new measurements' sh -c '"$0" budget app.tl -p ./here --json |
    grep -A1 "kernel:daxpy" |
    grep -q "\"uncertainty\": 0.05"' "$timeless"
check 'the same measurements once more' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o here
cp here/model.conf once
check 'and a third time' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o here
check 'give the same model: its pieces are replaced' cmp once here/model.conf
check 'a model file gets them, too' sh -c 'cp once file.conf &&
    "$0" calibrate kernels --for app.tl --reuse made.csv -o file.conf --archive none && cmp once file.conf' "$timeless"
model lacks.conf && sed -i 's/{kernel = "daxpy"[^}]*}, //' lacks.conf
check 'a kernel that the model lacks is added' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o lacks.conf --archive none
check 'with the time of its calls' near "$(trace one 'daxpy n=1000' && "$timeless" replay one.tl -p ./here --model lacks.conf -q)" 5e-6 1e-4

# ---- kernels without a line in the model ----
{ printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'kernel 1 name="assemble"' \
    'counter 1 name="kernel:ddot" value=6000000' \
    'counter 2 name="kernel:user:assemble" value=1000000000' 'counter 3 name="kernel:of a newer version" value=500000000' \
    '0 0 ddot n=1000' '0 1 ddot n=2000' \
    '0 2 user kernel=1 list=[5]' '0 3 unknown list=[1]' '0 4 zhemv n=100' '0 5 sgemm m=100 n=100 k=100' \
    'end cut clock_ns=0'; } | "$timeless" undump - -o recorded.tl
model roofline.conf && sed -i 's/{kernel = "dscal"/{kernel = "dgemv"; intercept_s = 0.0; per_work_s = 8e-9;}, &/' roofline.conf
# The volumes of the recording; zhemv 10^4 x 16 bytes, sgemm 2 x 10^6 / 2 operations of 1 ns.
for engine in smpi loggops; do
    on=(-p ./here --model roofline.conf --engine $engine)
    check "$engine: the recording and the roofline give the time of kernels without a line" near \
        "$("$timeless" replay recorded.tl "${on[@]}" -q)" 1.50716 1e-4
    check "$engine: half of it with --scale kernels=0.5" near \
        "$("$timeless" replay recorded.tl "${on[@]}" --scale kernels=0.5 -q)" 0.75358 1e-4
    check "$engine: the prediction states both shares" sh -c '"$@" --json >shares.json && python3 -c "
import json
p = json.load(open(\"shares.json\"))
assert abs(p[\"as_recorded\"][\"share\"] - 1.506 / 1.50716) < 1e-6 and p[\"as_recorded\"][\"kernels\"] == \"ddot, user:assemble\", p
assert abs(p[\"by_roofline\"][\"share\"] - 0.00116 / 1.50716) < 1e-6, p
assert p[\"by_roofline\"][\"kernels\"] == \"sgemm, zhemv\", p"' - "$timeless" replay recorded.tl "${on[@]}"
    check_exit 3 "$engine: --model-strict refuses such kernels" "$timeless" replay recorded.tl "${on[@]}" --model-strict -q
done
check 'the budget states the share' prints '99.9 % of the computation rests on the volumes' \
    "$timeless" budget recorded.tl -p ./here --model roofline.conf
# The recording's own time of a kernel of the program, for other traces: 1 s for 5 units of work.
model own.conf
check "a kernel of the program gets the recording's own time" sh -c 'head -n 8 made.csv >few.csv && "$@"' - \
    "$timeless" calibrate kernels --for recorded.tl --reuse few.csv -o own.conf
cp err said
check 'it is reported' says 'user:assemble (as recorded)' said
{ printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' 'kernel 1 name="assemble"' '0 0 user kernel=1 list=[15]' \
    'end cut clock_ns=0'; } | "$timeless" undump - -o other.tl
check 'another trace has it, at another size' near "$("$timeless" replay other.tl -p ./here --model own.conf -q)" 3 1e-4
cp own.conf own-before.conf
check 'the same once more' "$timeless" calibrate kernels --for recorded.tl --reuse few.csv -o own.conf
check 'gives the same model' cmp own.conf own-before.conf
{ printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'kernel 1 name="f"' \
    'counter 1 name="kernel:user:f" value=6000' '0 0 user kernel=1 list=[]' '0 1 user kernel=1 list=[]' 'end cut clock_ns=0'; } |
    "$timeless" undump - -o only.tl
check 'a trace of such kernels alone needs no measurement' timeout 20 "$timeless" calibrate kernels --for only.tl -o own.conf
check 'a kernel without sizes takes the same time in each call' grep -q '"user:f"; seconds = { work = 3.000000e-06; }' own.conf
model lines.conf
check 'a kernel that neither recording nor model knows is refused, and the message names the command that measures it' refused 3 \
    "~kernel 's?[a-z]*' of recorded.tl; measure it with 'timeless calibrate kernels --for recorded.tl'" \
    "$timeless" replay recorded.tl -p ./here --model lines.conf -q

# ---- every kernel can be measured ----
each() { # a small call of every routine
    python3 - "$top_srcdir/compress/kernels.def" <<'END'
import re, sys
size = {"m": 9, "n": 8, "k": 5, "kl": 1, "ku": 2, "nrhs": 3, "order": 9, "howmany": 2}
for name, d in re.findall(r'^TL_KERNEL\(\d+, (\w+), *\w, \w+, *(NULL|"[^"]*")', open(sys.argv[1]).read(), re.M):
    if name not in ("user", "unknown"):
        print(name, "list=[]" if d == "NULL" else " ".join(f"{s}={size[s]}" for s in d.strip('"').split()))
print("fftw_dft list=[1,4,4,4]\nfftwf_r2r list=[2,3,5]\nfftwl_dft_c2r list=[3]")
END
}
mapfile -t calls < <(each)
trace each "${calls[@]}"
cp -r here every && cp once every/model.conf
check 'every routine is measured' "$timeless" calibrate kernels --for each.tl --max-seconds 0 -o every --archive none
cp err said
check 'none is left' sh -c '! grep "cannot be measured" said'
check 'and has its time in the model' "$timeless" replay each.tl -p ./every --model-strict -q

model exact.conf && sed -i \
    's/{kernel = "dscal".*/{kernel = "dscal"; pieces = (\n{max = {work = 12345678904.0;}; seconds = {one = 0.10000000000000001;};}, {seconds = {one = 1.0;};});});/' \
    exact.conf
check 'a model of large calls' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o exact.conf --archive none
check 'keeps the bounds of its pieces to the last digit' python3 -c '
import re
numbers = [float(x) for x in re.findall(r" = ([0-9.e+-]+);", open("exact.conf").read())]
assert 12345678904 in numbers and 0.1 in numbers, numbers'

check 'a short measurement' "$timeless" calibrate kernels --for app.tl --max-seconds 0 -o here --raw raw.csv
check 'has only calls of the trace' sh -c 'grep -v "^#\|^kernel" raw.csv | cut -d, -f1-4 | sort -u | tr "\n" " " |
    grep -qx "daxpy,1000,0,0 dgemm,100,100,50 dgemm,200,100,50 "'
check 'the archive has the model' sh -c \
    'cmp "$(ls -d here/kernels-*Z | tail -n 1)/result/model.conf" here/model.conf'

trace none 'user kernel=1 list=[5]' 2>/dev/null || trace none 'MPI_Init clock_ns=0'
check 'a trace without kernels: is told what to do instead' refused 3 \
    "calls no kernel that can be measured here; .*calibrate cpu" \
    "$timeless" calibrate kernels --for none.tl -o here
cp once hosts.conf && echo 'hosts = ({hosts = "*:0"; kernels = ({kernel = "daxpy"; seconds = {one = 1e-6;};});});' >>hosts.conf
check_exit 3 'a model with the kernel for one core' "$timeless" calibrate kernels --for app.tl --reuse made.csv -o hosts.conf --archive none
check 'the file is not changed' grep -q '^hosts = ({hosts = ' hosts.conf
cp once threads.conf && echo 'kernel_threads = 2;' >>threads.conf
check 'a model of kernels with two threads: is told how many threads it has' refused 3 \
    '~^timeless: threads.conf: has times of kernels with 2 threads; measure with --threads 2$' \
    "$timeless" calibrate kernels --for app.tl --reuse made.csv -o threads.conf --archive none

# ---- all kernels, into a model that has more ----
{
    echo kernel,d0,d1,d2,work,core,repeats,seconds
    for kernel in $(sed -n 's/^  { kernel = "\([a-z]*\)".*/\1/p' "$top_srcdir/platforms/local/model.conf"); do
        for size in 50 60 70 80 90 100 110 120 130 140; do echo "$kernel,$size,$size,$size,0,0,1,$size.0e-6"; done
    done
} >all.csv
mkdir full && cp once full/model.conf && cp here/platform.xml full
sed -i 's/^units = ($/units = ( { unit = "instructions"; seconds_per_unit = 3e-10;\nclasses = ({from = "a"; to = "b"; seconds_per_unit = 4e-10;}); },/' full/model.conf
sed -i '1i # Rates of '"'instructions'"' by call sites: made up\n# Group parallel: made up' full/model.conf
check 'all kernels are measured again' "$timeless" calibrate kernels --reuse all.csv -o full --model-form m1 --noise-form n0
check 'the group parallel of calibrate memory stays' grep -q '^parallel = ' full/model.conf
check 'rates by call site of calibrate cpu stay' grep -q 'seconds_per_unit = 4.0*e-10' full/model.conf
check 'and so do the lines that state how both were measured' \
    test "$(grep -c '^# Rates of .*: made up$\|^# Group parallel: made up$' full/model.conf)" = 2
check 'with one unit of this name' test "$(grep -c 'unit = "instructions"' full/model.conf)" = 1
check 'and the kernels are new' sh -c '! grep -q "one = 7.0*e-06" full/model.conf && test "$(grep -c "kernel = " full/model.conf)" = 20'
check 'the model can be replayed with' "$timeless" replay app.tl -p ./full -q
check 'a model file keeps them, too' sh -c 'cp full/model.conf f.conf &&
    "$0" calibrate kernels --reuse all.csv -o f.conf --archive none && grep -q "^parallel = " f.conf' "$timeless"
# A failure leaves the model as it was, with what calibrate cpu and memory have measured.
echo dgemm >wrong.csv
check_exit 3 'measurements that cannot be read' "$timeless" calibrate kernels --reuse wrong.csv -o f.conf --archive none
check 'leave the model file as it was' sh -c 'grep -q "^parallel = " f.conf && ! ls f.conf.*part'

# ---- network: a launcher that prints measurements in place of mpirun ----
# probe COUNT BYTES...: operations of all kinds with sizes near these; 20 us and 100 MB/s
cat >probe <<'END'
#!/bin/sh
echo "$@" >>words
n=600; [ ! -s words.more ] || n=500
awk -v n=$n 'BEGIN {
    print "# timeless-network-probe 1\n# mpi made up\n# moment then\n# seed 1\n# seconds 60\n# max_bytes 1000000"
    print "# hosts 2\n# rank 0 host 0 cores 1\n# rank 1 host 1 cores 1"
    print "n,warm,kind,from,to,same_host,apart,bytes,count,delay_s,seconds"
    split("pingpong send isend wait recv late both burst iprobe test wtime", kinds, " ")
    for (i = 0; i < n; i++) {
        kind = kinds[i % 11 + 1]; b = int(exp(log(1e6) * (i * 0.6180339887 % 1))) + 1; noise = 1 + ((i * 7919) % 11 - 5) / 500
        t = 5e-6 + (kind == "late" ? 0 : b / 1e10)
        if (kind == "pingpong") t = 2 * (3e-5 + b / 1e8)
        if (kind ~ /iprobe|test|wtime/) t = 1e-7
        if (kind == "burst") t = 6e-5
        if (kind == "both") t = 3e-5 + b / 1e8
        printf "%d,0,%s,0,1,0,0,%d,1,%g,%.9e\n", i, kind, b, kind == "late" ? 1 : 0, t * noise
    }
    print "# end " n }'
END
chmod +x probe
trace sent 'MPI_Send count=1000 type_bytes=1 peer=0 tag=0 comm=1' 'MPI_Send count=1020 type_bytes=1 peer=0 tag=0 comm=1' \
    'MPI_Send count=70000 type_bytes=1 peer=0 tag=0 comm=1' \
    'MPI_Allreduce count=16 type_bytes=8 comm=1' 'MPI_Alltoallv list=[3] recv_type_bytes=1 type_bytes=1 comm=1' 2>/dev/null ||
    trace sent 'MPI_Send count=1000 type_bytes=1 peer=0 tag=0 comm=1' 'MPI_Send count=1020 type_bytes=1 peer=0 tag=0 comm=1' \
    'MPI_Send count=70000 type_bytes=1 peer=0 tag=0 comm=1' 'MPI_Allreduce count=16 type_bytes=8 comm=1'
check 'a network for a trace' "$timeless" calibrate network --for sent.tl --launches 1 -o net --archive none -- ./probe
check 'the measuring program gets the sizes of the trace, and 60 s' grep -q ' 60 1 1310720 \(3,\)\?128,1010,70000$' words
rows() { grep -c '^[0-9]' net/network.csv; }
check 'what was measured is kept' test "$(rows)" = 600
echo more >words.more
check 'a second measurement' "$timeless" calibrate network --for sent.tl --max-seconds 5 -o net --archive none -- ./probe
check 'is added to the first one' test "$(rows)" = 1100
check 'in a file of one measurement' test "$(grep -c '^# end 1100$' net/network.csv)" = 1
check 'the files on the way are removed' sh -c '! ls net | grep -q "added\|both"'
cp -r net chatty
printf '%s\n' '#!/bin/sh' 'echo "2 users are logged in"' 'exec ./probe "$@"' >launcher && chmod +x launcher
check 'what a launcher prints before is no measurement' "$timeless" calibrate network --for sent.tl --max-seconds 5 -o chatty \
    --archive none -- ./launcher
check 'and is not added' test "$(grep -c '^[0-9]' chatty/network.csv)" = 1600
check 'which gives the same platform again' sh -c '"$0" calibrate network --reuse net/network.csv -o same &&
    cmp net/platform.xml same/platform.xml' "$timeless"
cp "$scratch/err" said
check 'half a megabyte is long enough' sh -c '! grep -q "longest message" said'
awk -F, '/^#/ {print; next} $8 <= 8192 || $1 == "n" {print}' net/network.csv |
    sed "s/^# end .*/# end $(awk -F, '/^[0-9]/ && $8 <= 8192' net/network.csv | wc -l)/" >short.csv
check 'a network without long messages' "$timeless" calibrate network --reuse short.csv -o short --archive none
cp "$scratch/err" said
check '... is told' grep -q '^timeless: warning: the longest message measured has [1-8][0-9]* B, .*more --max-seconds or --max-bytes$' said
check 'without --for, a measurement replaces it' "$timeless" calibrate network --launches 1 -o net --archive none -- ./probe
check 'with its own rows' test "$(rows)" = 500
sed -i 's/made up/of another kind/' probe
check 'measurements with another MPI are not mixed: the message names both' ends_with 3 \
    'network.csv: was measured by 2 ranks on 2 hosts with made up, and now by 2 on 2 with of another kind' \
    "$timeless" calibrate network --for sent.tl -o net --archive none -- ./probe
check 'and the file stays' test "$(rows)" = 500
# Several launches of the measuring program.
rm words
check 'by default, one launch for 18 s' "$timeless" calibrate network --max-seconds 44 -o launched --archive none -- ./probe
check 'each gets its seconds, all seconds, and a seed of its own' test "$(cut -d' ' -f2-3 words | tr '\n' ' ')" = '22/44 1 22/44 2 '
check 'all measurements are in one file' sh -c 'test "$(grep -c "^[0-9]" launched/network.csv)" = 1000 &&
    grep -q "^# end 1000$" launched/network.csv'
check 'with the seconds of each launch' test "$(grep -c '^# seconds' launched/network.csv)" = 2
check 'noise.conf states the launches' grep -q '1000 operations in 2 launches' launched/noise.conf
check 'the files on the way are removed' test -z "$(find launched -name '*.added' -o -name '*.more' -o -name '*.both')"
rm words
check '--launches states their number' "$timeless" calibrate network --max-seconds 44 --launches 3 -o launched --archive none -- ./probe
check 'so many are made' test "$(wc -l <words)" = 3
printf '%s\n' '#!/bin/sh' '[ "$(wc -l <words)" -lt 2 ] && exec ./probe "$@"' 'exit 7' >dying && chmod +x dying
cp launched/network.csv kept.csv; rm words; echo >words
check_exit 4 'a launch that fails' "$timeless" calibrate network --max-seconds 44 -o launched --archive none -- ./dying
check 'leaves the measurements' cmp kept.csv launched/network.csv
check 'and nothing beside them' test -z "$(find launched -name '*.added' -o -name '*.more' -o -name '*.both')"
# A launcher that fails leaves the folder as it was.
check_exit 4 'a launcher that measures nothing' "$timeless" calibrate network -o net --archive none -- true
check 'leaves the measurements' test "$(rows)" = 500
check_exit 4 'a launcher that measures nothing in a new folder' "$timeless" calibrate network -o new --archive none -- echo nothing
check 'leaves no measurements there' test ! -e new/network.csv -a ! -e new/network.csv.added
check '--for can measure there after it' "$timeless" calibrate network --for sent.tl -o new --archive none -- ./probe
echo nothing >new/network.csv; rm words
check_exit 3 'a file that has no measurements' "$timeless" calibrate network --for sent.tl -o new --archive none -- ./probe
cp err said
check 'is reported before any are made' test ! -e words
check 'the message has the remedy' grep -q '^timeless: new/network.csv: .*; --for adds to this file: remove it, or leave out --for$' said
check_exit 3 'a trace without messages' "$timeless" calibrate network --for app.tl -o net -- ./probe
tap_done
