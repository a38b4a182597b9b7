#!/usr/bin/env bash
# timeless replay --noise network: the time of each message in the network times a factor from noise.conf, against
# closed formulas, in both engines. What is refused stands in model_refused.transcript.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99

# Overheads of 1 and 2 us; a message of b bytes takes 20 us + b / (125 MB/s) between hosts, as much within one.
cat >description <<CONF
topology = "star";
nodes = 4;
node = { cores = 2; speed_flops = 1.0e9; };
link = { bandwidth_Bps = 125.0e6; latency_s = 10.0e-6; };
loopback = { bandwidth_Bps = 125.0e6; latency_s = 20.0e-6; };
options = [ "smpi/async-small-thresh:65536", "smpi/send-is-detached-thresh:65536", "smpi/os:0:1e-6:0",
            "smpi/ois:0:1e-6:0", "smpi/or:0:2e-6:0", "smpi/lat-factor:0:1", "smpi/bw-factor:0:1",
            "network/crosstraffic:no", "network/TCP-gamma:1e15" ];
CONF
check 'a platform' "$timeless" platform description -o platform
printf '%s\n' 'skeleton 1' 'ranks 2' 'param n = 1' 'param size = 1000' 'for i = 1 to n {' \
    'if rank == 0 {' 'MPI_Send peer=1 count=size' 'MPI_Recv peer=1 count=size' '} else {' \
    'MPI_Recv peer=0 count=size' 'MPI_Send peer=0 count=size' '}' '}' >pong.skel
printf '%s\n' 'skeleton 1' 'ranks 4' 'param size = 1000' 'if rank % 2 == 0 {' 'MPI_Send peer=rank+1 count=size' '} else {' \
    'MPI_Recv peer=rank-1 count=size' '}' >pairs.skel
# Messages that could overtake one another, received in the order of their sends.
printf '%s\n' 'skeleton 1' 'ranks 2' 'param n = 50' 'for i = 1 to n {' 'if rank == 0 {' 'MPI_Send peer=1 count=i*100' \
    '} else {' 'MPI_Recv peer=0 count=i*100' '}' '}' >row.skel

skeletons=$top_srcdir/traces/skeletons
noise() { cat >platform/noise.conf; }
replay() { "$timeless" replay "$1" -p platform --no-compute --ranks-per-host "${per_host:-1}" --engine "$engine" "${@:2}"; }
noisy() { replay "$@" --noise network; }
# within GOT WANT TOLERANCE: |GOT - WANT| is not more
within() { awk -v got="$1" -v want="$2" -v t="$3" 'BEGIN { print got " is to be " want " +- " t; d = got - want;
    exit !(d <= t && d >= -t) }'; }
# message SIZE FACTOR: seconds of one message, with SMPI's envelope of 16 bytes
message() { awk -v b="$1" -v f="$2" 'BEGIN { printf "%.12g", 3e-6 + f * (20e-6 + (b + 16) / 125e6) }'; }
slack=1e-10
# spread_of FILE: mean, deviation and the quantiles of 5, 50 and 95 % of the makespans of all seeds
spread_of() {
    python3 -c 'import json, sys, statistics
m = sorted(json.load(open(sys.argv[1]))["spread"]["makespan_s"])
print(statistics.mean(m), statistics.stdev(m), *[m[int(p * len(m))] for p in (0.05, 0.5, 0.95)])' "$1"
}
without_names() { grep -vE '"(network_noise|seed|cluster_seed|platform_hash)"' "$1"; }

for engine in smpi loggops; do
    rm -f platform/noise.conf
    replay pong.skel --json=quiet.json >/dev/null
    replay row.skel --json=row.json >/dev/null

    noise <<<'between = ( { above_bytes = 0; least = 1.0; modes = ( [ 1.0, 1.0, 0.0 ] ); } ); between_run_sd = 0;'
    for program in pong row; do
        replay $program.skel --json=plain.json >/dev/null
        noisy $program.skel --json=one.json >/dev/null
        check "$engine, $program: factors of 1 give the same result, byte for byte" \
            cmp <(without_names plain.json) <(without_names one.json)
    done
    for bytes in 8 100000; do
        check "$engine: so do messages of $bytes bytes that share adapters" sh -c 'test -n "$1" && test "$1" = "$2"' - \
            "$(per_host=2 replay "$skeletons/stencil3d.skel" --set bytes=$bytes --ranks 8 -q)" \
            "$(per_host=2 noisy "$skeletons/stencil3d.skel" --set bytes=$bytes --ranks 8 -q)"
    done
    check "$engine: without the option noise.conf changes nothing" cmp <(grep -v platform_hash row.json) <(grep -v platform_hash plain.json)
    check "$engine: the prediction says that messages vary" grep -q '"network_noise": true' one.json
    check "$engine: the text, too" sh -c "grep -q '^network noise ' <<EOT
$(noisy pong.skel)
EOT"

    noise <<<'between = ( { above_bytes = 0; least = 0.5; modes = ( [ 1.0, 2.5, 0.0 ] ); }, { above_bytes = 5000; least = 0.5;
        modes = ( [ 1.0, 0.6, 0.0 ] ); } ); within = ( { above_bytes = 0; least = 0.5; modes = ( [ 1.0, 4.0, 0.0 ] ); } );'
    for size in 1 1000 5000; do
        check "$engine: $size bytes, a factor of 2.5" within "$(noisy pairs.skel,size=$size -q)" "$(message $size 2.5)" $slack
    done
    for size in 5001 60000; do
        check "$engine: $size bytes are another class, of 0.6" within "$(noisy pairs.skel,size=$size -q)" "$(message $size 0.6)" $slack
    done
    # Long messages have no overheads in SimGrid, and 16 bytes more.
    for size in 70000 1000000; do
        check "$engine: $size bytes, by rendezvous" within \
            "$(awk -v a="$(noisy pairs.skel,size=$size -q)" -v b="$(replay pairs.skel,size=$size -q)" 'BEGIN { print a - b }')" \
            "$(awk -v b=$size 'BEGIN { print -0.4 * (20e-6 + b / 125e6) }')" 6e-8
    done
    per_host=2
    check "$engine: a message within a host has a class of its own" within "$(noisy pairs.skel -q)" "$(message 1000 4)" $slack
    unset per_host

    # One message, its factor normal with mean 1 and deviation 0.2: quantiles of 5 and 95 % at -+1.645 deviations. Of 400
    # seeds, the mean has a deviation of 0.01, that of the deviation is 0.007, those of the quantiles 0.0211 and 0.0125.
    noise <<<'between = ( { above_bytes = 0; least = 0.1; modes = ( [ 1.0, 1.0, 0.2 ] ); } );'
    noisy pairs.skel,size=60000 --ranks 2 --seeds 400 --json=spread.json >/dev/null
    read -r mean sd low median high <<<"$(spread_of spread.json)"
    network_s=0.0005
    check "$engine: the mean over seeds is that of the noise" within "$mean" "$(message 60000 1)" \
        "$(awk "BEGIN { print 5 * 0.01 * $network_s }")"
    check "$engine: so is the deviation" within "$sd" "$(awk "BEGIN { print 0.2 * $network_s }")" \
        "$(awk "BEGIN { print 5 * 0.007 * $network_s }")"
    check "$engine: and the median" within "$median" "$(message 60000 1)" "$(awk "BEGIN { print 5 * 0.0125 * $network_s }")"
    check "$engine: and the quantile of 5 %" within "$low" "$(message 60000 0.671)" "$(awk "BEGIN { print 5 * 0.0211 * $network_s }")"
    check "$engine: and the quantile of 95 %" within "$high" "$(message 60000 1.329)" "$(awk "BEGIN { print 5 * 0.0211 * $network_s }")"
    # 4,000 messages of one run: the mean of their factors has a deviation of 0.2 / 63.
    check "$engine: a long run has the mean of the noise" within "$(noisy pong.skel,n=2000,size=1000 -q)" \
        "$(awk "BEGIN { print 4000 * $(message 1000 1) }")" "$(awk 'BEGIN { print 4000 * (5 * 0.2 / 63 * 28e-6) }')"

    # One message in 20 takes 6 times as long: mean 1.25, 200 of 4,000 messages, with a deviation of 13.8.
    noise <<<'between = ( { above_bytes = 0; least = 0.1; modes = ( [ 0.95, 1.0, 0.0 ], [ 0.05, 6.0, 0.0 ] ); } );'
    check "$engine: rare slow messages come as often as stated" within "$(noisy pong.skel,n=2000,size=1000 -q)" \
        "$(awk "BEGIN { print 4000 * $(message 1000 1.25) }")" "$(awk 'BEGIN { print 4000 * 5 * 13.8 * 5 * 28e-6 }')"

    # The factor of a run: all of its messages have it. 100 seeds: the deviation of a deviation is 0.1 / sqrt(200).
    noise <<<'between = ( { above_bytes = 0; least = 1.0; modes = ( [ 1.0, 1.0, 0.0 ] ); } ); between_run_sd = 0.1;'
    noisy pong.skel,n=100 --seeds 100 --json=run.json >/dev/null
    read -r mean sd _ <<<"$(spread_of run.json)"
    check "$engine: runs differ by the factor of a run" within "$sd" "$(awk 'BEGIN { print 0.1 * 200 * 28e-6 }')" \
        "$(awk 'BEGIN { print 5 * 0.0071 * 200 * 28e-6 }')"
    check "$engine: and their mean stays" within "$mean" "$(awk "BEGIN { print 200 * $(message 1000 1) }")" \
        "$(awk 'BEGIN { print 200 * (5 * 0.01 * 28e-6) }')"

    noise <<<'between = ( { above_bytes = 0; least = 1.0; run_sd = 0.1; modes = ( [ 1.0, 1.0, 0.0 ] ); },
        { above_bytes = 5000; least = 1.0; run_sd = 0.02; modes = ( [ 1.0, 1.0, 0.0 ] ); } ); between_run_sd = 0.3;'
    short=$(noisy pong.skel,size=1000 -q) long=$(noisy pong.skel,size=60000 -q)
    check "$engine: a run is slow by as many deviations in each class" awk -v a="$short" -v a1="$(message 1000 1)" -v b="$long" \
        -v b1="$(message 60000 1)" 'BEGIN {
        x = (a / 2 - a1) / (a1 - 3e-6) / 0.1; y = (b / 2 - b1) / (b1 - 3e-6) / 0.02; print x, y
        exit !(x > -3 && x < 3 && x != 0 && x - y < 1e-6 && y - x < 1e-6) }'

    noise <<<'between = ( { above_bytes = 0; least = 0.2; modes = ( [ 0.9, 1.0, 0.3 ], [ 0.1, 3.0, 1.0 ] ); } ); between_run_sd = 0.05;'
    noisy row.skel --json=a.json >/dev/null
    noisy row.skel --json=b.json >/dev/null
    noisy row.skel --seed 2 --json=c.json >/dev/null
    check "$engine: the same seed gives the same bytes" cmp a.json b.json
    check "$engine: another seed another makespan" sh -c '! cmp -s a.json c.json'
    noisy row.skel -q >"$engine.row"
    noisy pong.skel -q >"$engine.pong"
    # What other ranks send changes no draw: ranks 0 and 1 of four, and of two.
    noisy pairs.skel --json=four.json >/dev/null
    noisy pairs.skel --ranks 2 --json=two.json >/dev/null
    check "$engine: a draw depends on its rank and number alone" python3 -c 'import json
four, two = (json.load(open(n))["ranks"] for n in ("four.json", "two.json"))
assert [r["end_s"] for r in four[:2]] == [r["end_s"] for r in two] and four[1]["end_s"] != four[3]["end_s"]'
done
check 'both engines draw the same factors' within "$(cat smpi.pong)" "$(cat loggops.pong)" 4e-7
# Ranks that vary do not go in step: long messages meet the short ones of a barrier, and each other. SimGrid has no window of one
# message, and shares the links otherwise.
printf '%s\n' 'skeleton 1' 'ranks 4' 'for i = 1 to 20 {' 'MPI_Irecv peer=(rank+1)%4 count=200000 request=a' \
    'MPI_Isend peer=(rank+3)%4 count=200000 request=a' \
    'MPI_Wait request=a' 'MPI_Wait request=a' 'MPI_Barrier' '}' | sed '/Irecv/s/=a$/=b/; 0,/Wait request=a/s//Wait request=b/' >meet.skel
meeting() { engine=$1 noisy meet.skel --seeds 5 -q; }
check 'long messages that meet short ones: both engines vary alike' near "$(meeting smpi)" "$(meeting loggops)" 0.06
alltoall=$skeletons/alltoall.skel
check 'loggops: two threads give the same bytes' equal "$(noisy "$alltoall" --ranks 4 -q)" "$(noisy "$alltoall" --ranks 4 -q --threads 2)"
# With interference: four ranks on two hosts compute 2 s instead of 1 s; then one message of factor 2.5. The engine loggops knows the
# mean load.
noise <<<'between = ( { above_bytes = 0; least = 0.5; modes = ( [ 1.0, 2.5, 0.0 ] ); } );'
cat >beside.conf <<CONF
version = 2; reference_flops = 1.0e9; units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );
interference = { classes = ( { beside = ( { cores = 1; arithmetic = 1.0; cache = 1.0; stream = 2.0; chase = 1.0; } );
    acts_as = { stream = 1.0; }; } ); };
CONF
{ printf '%s\n' 'timeless-text 1' 'ranks 4' 'volume_unit "cpu-ns"'
  for r in 0 1 2 3; do
      echo "rank $r host=\"h\""; echo 'site 1 object="app" offset=16'
      case $r in
      0) echo "0 0 MPI_Send count=60000 type_bytes=1 peer=2 tag=0 comm=1 volume=1000000000 site=1" ;;
      2) echo "2 0 MPI_Recv count=60000 type_bytes=1 peer=0 tag=0 comm=1 volume=1000000000 site=1" ;;
      *) echo "$r 0 MPI_Wtime clock_ns=0 volume=1000000000 site=1" ;;
      esac
      echo 'end cut clock_ns=0'
  done; } >beside.txt
check 'a trace of four ranks that compute' "$timeless" undump beside.txt -o beside.tl
beside() { "$timeless" replay beside.tl -p platform --model beside.conf --ranks-per-host 2 --noise network -q "$@"; }
check 'smpi: bursts beside others, and the noise of a message' within "$(beside)" \
    "$(engine=smpi message 60000 2.5 | awk '{ printf "%.12g", 2 + $1 }')" $slack
check 'loggops: likewise' near "$(beside)" "$(beside --engine loggops)" 0.001
check 'loggops: with interference, two threads give the same bytes' equal "$(beside --engine loggops)" \
    "$(beside --engine loggops --threads 2)"
check 'detours and the noise of messages go together' sh -c '[ "$1" != "$2" ]' \
    - "$(noisy pong.skel,n=100 -q)" "$(replay pong.skel,n=100 -q --noise 1kHz:100us,network)"
check '--params has the noise, too' within \
    "$(noise <<<'between = ( { above_bytes = 0; least = 0.5; modes = ( [ 1.0, 0.7, 0.0 ] ); } );'; noisy pairs.skel,size=1001 \
    -q --params L=20us,o=1us,g=0us,G=8ns,O=0ns)" \
    "$(awk 'BEGIN { print 2e-6 + 0.7 * 28e-6 }')" 1e-10
noise <<<'between = ( { above_bytes = 0; least = 0.2; modes = ( [ 1.0, 1.0, 0.3 ] ); } );'
check 'budget has the noise as an input' sh -c \
    "'$timeless' budget row.skel -p platform --ranks-per-host 1 --no-compute --noise network >budget 2>&1
        grep '^ *noise' budget || { cat budget; exit 1; }"
check 'sweep takes the option' sh -c \
    "'$timeless' sweep row.skel -p platform --ranks-per-host 1 --no-compute --noise network --grid seed=1,2 >sweep.csv &&
        [ \"\$(cut -d, -f2 sweep.csv | sort -u | wc -l)\" = 3 ]"

sed -n '/^\.SH THE NOISE OF MESSAGES/,/^\.SH CAL/p' "$top_srcdir/doc/timeless-platform.5" | sed -n '/^\.nf/,/^\.fi/p' |
    grep -v '^\.' >platform/noise.conf
check 'the example of timeless-platform(5) is read' sh -c \
    "test \$(wc -l <platform/noise.conf) = 5 && '$timeless' replay pong.skel -p platform --ranks-per-host 1 --no-compute --noise network -q"
tap_done
