#!/usr/bin/env bash
# timeless replay --set rendezvous.progress: whether a long message begins while its ranks compute, against the closed
# formulas of timeless-replay(1), RENDEZVOUS.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

# Short messages take 1 us, the engine's window; long ones 10 us and 1 ns for each further byte: three ways of a request, its
# answer and the data. Two of them have a window of the 10 us.
params='L=1us,o=0,g=0,G=1ns,O=0,or=0,S=10000;from=10000,L=10us'
bytes=1000001 bytes_s=1e-3
skeleton() { # RANKS LINES...: rank 0, then --, rank 1, ...
    local n=$1 r=0
    shift
    echo 'skeleton 1'; echo "ranks $n"; echo "param size = $bytes"; echo 'if rank == 0 {'
    for line; do
        if [ "$line" = -- ]; then r=$((r + 1)); echo '}'; echo "if rank == $r {"; else echo "$line"; fi
    done
    echo '}'
}
skeleton 2 'MPI_Send peer=1 count=size' -- 'MPI_Irecv peer=0 count=size request=a' 'Sleep count=5000000' 'MPI_Wait request=a' >receiver.skel
skeleton 2 'MPI_Isend peer=1 count=size request=a' 'Sleep count=5000000' 'MPI_Wait request=a' -- 'MPI_Recv peer=0 count=size' >sender.skel
skeleton 2 'MPI_Isend peer=1 count=size request=a' 'Sleep count=5000000' 'MPI_Wait request=a' -- \
    'MPI_Irecv peer=0 count=size request=a' 'Sleep count=2000000' 'MPI_Wait request=a' >both.skel
skeleton 3 'MPI_Isend peer=1 count=size request=a' 'Sleep count=2000000' 'MPI_Send peer=2 count=1' 'Sleep count=3000000' \
    'MPI_Wait request=a' -- \
    'MPI_Recv peer=0 count=size' 'Sleep count=10000000' -- 'MPI_Recv peer=0 count=1' >call.skel
skeleton 2 'MPI_Send peer=1 count=size' -- 'Sleep count=5000000' 'MPI_Recv peer=0 count=size' >late.skel
# Everybody sends to both neighbours and computes, some longer than others.
printf '%s\n' 'skeleton 1' 'ranks 256' 'param size = 400000' 'for i = 1 to 3 {' \
    'MPI_Irecv peer=(rank + 1) % ranks count=size tag=i request=a' 'MPI_Isend peer=(rank + ranks - 1) % ranks count=size tag=i request=b' \
    'Sleep count=(rank % 7) * 100000' 'MPI_Wait request=a' 'Sleep count=(rank % 5) * 100000' 'MPI_Wait request=b' \
    'MPI_Iallreduce count=4000 type_bytes=8 request=c' 'Sleep count=(rank % 3) * 50000' 'MPI_Wait request=c' '}' >many.skel

replay() { # SKELETON OPTIONS...
    "$timeless" replay "$1" -p star-1g --ranks-per-host 1 --no-compute --engine loggops --params "$params" "${@:2}" || echo "failed $RANDOM"
}
calls=(--set rendezvous.progress=calls) offload=(--set rendezvous.progress=offload)
# takes SECONDS SKELETON OPTIONS...: besides those of the bytes; to a picosecond
takes() {
    awk -v want="$1" -v bytes="$bytes_s" -v got="$(replay "${@:2}" -q)" 'BEGIN {
        printf "%.12g expected, %.12g replayed\n", want + bytes, got; d = got - want - bytes; exit !(d < 2e-12 && d > -2e-12) }'
}
check 'offload: a message moves while its receiver computes' takes 4e-3 receiver.skel "${offload[@]}"
check 'calls: it begins when its receiver waits for it' takes 5.009e-3 receiver.skel "${calls[@]}"
check 'offload: a message moves while its sender computes' takes 4e-3 sender.skel "${offload[@]}"
check 'calls: it begins when its sender waits for it' takes 5.008e-3 sender.skel "${calls[@]}"
check 'calls: the later one of both counts' takes 5.008e-3 both.skel "${calls[@]}"
check 'calls: another call between computations is enough' takes 12.008e-3 call.skel "${calls[@]}"
check 'offload: which makes no difference there' takes 10.01e-3 call.skel "${offload[@]}"
check 'calls: a receive that is posted late begins the message' takes 5.009e-3 late.skel "${calls[@]}"
check 'offload: as well' takes 5.009e-3 late.skel "${offload[@]}"
check 'calls: within a host, the receiver alone moves a message' takes 4e-3 sender.skel "${calls[@]}" --ranks-per-host 2
check 'calls: within a host, it begins when its receiver waits' takes 5.009e-3 receiver.skel "${calls[@]}" --ranks-per-host 2
check 'calls: short messages move at once' equal "$(replay sender.skel,size=9000 -q)" "$(replay sender.skel,size=9000 -q "${calls[@]}")"
for skel in receiver sender both call; do
    check "$skel: the default is offload" equal "$(replay $skel.skel -q)" "$(replay $skel.skel -q "${offload[@]}")"
done
check 'the last one of several counts' equal "$(replay receiver.skel -q)" "$(replay receiver.skel -q "${calls[@]}" "${offload[@]}")"
for n in 2 3; do
    "$timeless" make ring -n 16 --bytes 100000 --iterations $n -o ring.tl
    check "ranks that wait for each message, $n rounds: calls are as offload" equal \
        "$(replay ring.tl -q)" "$(replay ring.tl -q "${calls[@]}")"
done
waits_more() { echo "$1 $2"; awk -v a="$1" -v b="$2" 'BEGIN { exit !(b > 1.01 * a) }'; }
many=(-p fat-tree --ranks-per-host 4)
check 'many ranks: calls take longer' waits_more "$(replay many.skel -q "${many[@]}")" "$(replay many.skel -q "${many[@]}" "${calls[@]}")"
check 'many ranks: two threads predict the same' equal "$(replay many.skel -q "${many[@]}" "${calls[@]}")" \
    "$(replay many.skel -q "${many[@]}" "${calls[@]}" --threads 2)"
check 'with a timeline, too' equal "$(replay many.skel -q "${many[@]}" "${calls[@]}")" \
    "$(replay many.skel -q "${many[@]}" "${calls[@]}" --timeline=many.csv)"
derived() { "$timeless" replay receiver.skel -p graphene --ranks-per-host 1 --no-compute --engine loggops -q "$@"; }
check 'the links of a platform have it as well' waits_more "$(derived)" "$(derived "${calls[@]}")"
check 'the prediction says so' sh -c \
    "\"\$0\" replay receiver.skel -p graphene --ranks-per-host 1 --no-compute --engine loggops ${calls[*]} |
    grep -q 'long messages begin in calls of MPI'" "$timeless"
check 'and stores the change' sh -c \
    "\"\$0\" replay receiver.skel -p graphene --ranks-per-host 1 --no-compute --engine loggops ${calls[*]} --json |
    grep -q 'rendezvous.progress=calls'" "$timeless"
check 'sweep has it as an axis' sh -c '"$0" sweep receiver.skel -p graphene --ranks-per-host 1 --no-compute --engine loggops \
    --grid set.rendezvous.progress=offload,calls | cut -d, -f2 | tail -n 2 | sort -u | wc -l | grep -qx 2' "$timeless"
check 'SimGrid: offload is what it does' equal "$("$timeless" replay receiver.skel -p graphene --ranks-per-host 1 --no-compute -q)" \
    "$("$timeless" replay receiver.skel -p graphene --ranks-per-host 1 --no-compute -q "${offload[@]}")"

# With --noise network: of a message whose factor is 2, the 10 us and the bytes take twice as long, whatever part of them is over
# when it begins, and whatever windows the least factor allows.
cp -r "$TIMELESS_PLATFORMS/star-1g" noisy
noisy() { # SECONDS LEAST SKELETON OPTIONS...
    echo "between = ( { above_bytes = 0; least = $2; modes = ( [ 1.0, 2.0, 0.0 ] ); } );" >noisy/noise.conf
    bytes_s=2e-3 takes "$1" "${@:3}" -p ./noisy --noise network
}
for least in 1.0 0.5 0.1; do
    check "noise, least $least, offload: a message moves while its receiver computes" noisy 3e-3 $least receiver.skel "${offload[@]}"
    check "noise, least $least, calls: it begins when its receiver waits for it" noisy 5.019e-3 $least receiver.skel "${calls[@]}"
    check "noise, least $least, calls: it begins when its sender waits for it" noisy 5.018e-3 $least sender.skel "${calls[@]}"
done
echo 'between = ( { above_bytes = 0; least = 0.2; modes = ( [ 1.0, 1.0, 0.3 ] ); } );' >noisy/noise.conf
noise=(-p ./noisy --noise network)
check 'noise: each message keeps its factor, calls or offload' equal "$(replay ring.tl -q "${noise[@]}")" \
    "$(replay ring.tl -q "${noise[@]}" "${calls[@]}")"
sed 's/ranks 256/ranks 32/' many.skel >fewer.skel
check 'noise, calls: two threads predict the same' equal "$(replay fewer.skel -q "${noise[@]}" "${calls[@]}" --ranks-per-host 4)" \
    "$(replay fewer.skel -q "${noise[@]}" "${calls[@]}" --ranks-per-host 4 --threads 2)"

replay_refused() { check "$2" refused "$1" "$3" "$timeless" replay "${@:4}"; } # CODE NAME TEXT ARGUMENTS...
replay_refused 2 'SimGrid with calls' 'whatever its ranks compute; give --engine loggops' receiver.skel -p graphene --no-compute \
    "${calls[@]}"
replay_refused 2 'parameters whose CPUs take in messages' 'leave out --params without or=TIME' receiver.skel -p graphene \
    --no-compute --engine loggops \
    --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns "${calls[@]}"
replay_refused 2 'an unknown progress' "'sometimes' is not the progress of a rendezvous; give calls or offload" receiver.skel -p graphene \
    --set rendezvous.progress=sometimes
replay_refused 2 'a progress with a name' 'rendezvous has no names' receiver.skel -p graphene --set rendezvous:eth0.progress=calls
tap_done
