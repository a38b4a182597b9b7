#!/usr/bin/env bash
# timeless replay: events with great numbers, kernels of unknown forms, times that cannot be counted. What is refused stands in
# hostile_events_output.transcript.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="10us"/></platform>
XML
loggops=(--engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --allow-opaque)
smpi=(--platform ./p)

size='count=1 type_bytes=8'
message="$size tag=0 comm=1"

window='comm 3 parent=1 call=MPI_Win_create members=[0-1]'

# ---- great numbers take no memory ----
many=100000000
trace far "MPI_Isend $message peer=1 request=$many
    MPI_Irecv $message peer=any request=$((many + 1))
    Match request=$((many + 1)) peer=1 tag=0
    MPI_Waitall list=[$many,$((many + 1))]" \
    "MPI_Isend $message peer=0 request=4294967295"$'\n'"MPI_Recv $message peer=0"$'\nMPI_Wait request=4294967295'
trace near "MPI_Isend $message peer=1 request=1
    MPI_Irecv $message peer=any request=2
    Match request=2 peer=1 tag=0
    MPI_Waitall list=[1,2]" \
    "MPI_Isend $message peer=0 request=1"$'\n'"MPI_Recv $message peer=0"$'\nMPI_Wait request=1'
# kilobytes TRACE OPTION...: the most memory that a process of the replay took; its output goes to `out`
kilobytes() {
    python3 - "$timeless" replay "$@" -q 3>kilobytes >out <<'END'
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
os.write(3, str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss).encode())
sys.exit(code)
END
}
for engine in smpi loggops; do
    declare -n options=$engine
    kilobytes near.tl "${options[@]}" && mv out near.out && mv kilobytes near.kilobytes
    check "$engine: a request with the number $many" kilobytes far.tl "${options[@]}"
    cp "$scratch/out" far.out
    check "$engine: and one with 1 end at the same time" sh -c '"$@" >far.out && cmp far.out near.out' - "$timeless" replay \
        far.tl -q "${options[@]}"
    check "$engine: and take the same memory" awk -v a="$(<near.kilobytes)" -v b="$(<kilobytes)" 'BEGIN { print a, b;
        exit !(b < 1.2 * a + 10000) }'
done

# ---- kernels: n <= 0 does nothing, a transform has any number of dimensions, an unknown form is no obstacle ----
echo 'reference_flops = 1e9; seconds_per_flop = 1e-3; units = ({unit = "none"; seconds_per_unit = 1.0;});
kernels = ({kernel = "daxpy"; intercept_s = 10.0; per_work_s = 1.0;},
    {kernel = "dgemm"; intercept_s = 0.0; per_work_s = 1.0;});' >kernels.conf
trace kernels 'daxpy n=-1
    dgemm list=[5,5,-5]
    fftw_dft list=[1,4,4,4]
    fftwl_dft howmany=2 n=8
    fftw_dft list=[5]
    dgemm list=[5]
    unknown list=[1,2]' ''
for engine in smpi loggops; do
    declare -n options=$engine
    check "$engine: kernels take the time of their work" sh -c '"$@" >out && awk "{ print; exit !(\$1 > 2.184 && \$1 < 2.186) }" out' - \
        "$timeless" replay kernels.tl --model kernels.conf -q "${options[@]}" # 5 (64 x 6 + 2 x 8 x 3 + 5) operations of 1 ms
    check "$engine: two calls are of an unknown form" sh -c '"$@" --json | grep -qx " \"n_unknown_kernels\": 2,"' - "$timeless" \
        replay kernels.tl --no-compute "${options[@]}"
done
check 'the text of a prediction states them' sh -c '"$@" | grep -q "^unknown kernels  *2 calls"' - "$timeless" replay kernels.tl \
    --no-compute "${loggops[@]}"

# ---- times that cannot be counted ----
echo 'reference_flops = 1e9; units = ({unit = "none"; seconds_per_unit = 1e-9;});' >model.conf
trace late "MPI_Send $message peer=1 volume=$((2 ** 62))" "MPI_Recv $message peer=0"
check 'loggops: 146 years: the message' refused 3 \
    'takes more than 53 simulated days' \
    "$timeless" replay late.tl --model model.conf "${loggops[@]}"

# ---- requests of calls that the engine does not have ----
trace skipped "$window"$'\n'"MPI_Rput $size peer=1 comm=3 request=9"$'\nMPI_Wait request=9' "$window"
check 'loggops: a request of a call that --allow-opaque takes as free' "$timeless" replay skipped.tl "${loggops[@]}"
tap_done
