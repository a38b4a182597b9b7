#!/usr/bin/env bash
# timeless replay --engine loggops --set retransmission.loss=P: messages that wait for TCP's timeout, against the rule of
# timeless-replay(1), RETRANSMISSION.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms

printf '%s\n' 'skeleton 1' 'ranks 2' 'param n = 1' 'param size = 1' 'for i = 1 to n {' \
    'if rank == 0 {' 'MPI_Send peer=1 count=size' 'MPI_Recv peer=1 count=1' '} else {' \
    'MPI_Recv peer=0 count=size' 'MPI_Send peer=0 count=1' '}' '}' >pong.skel
printf '%s\n' 'skeleton 1' 'ranks 4' 'if rank == 0 {' 'for i = 1 to ranks - 1 {' \
    'MPI_Irecv peer=i count=60000 request=all_of_them' '}' 'MPI_Waitall request=all_of_them' '} else {' \
    'MPI_Send peer=0 count=60000' '}' >fan.skel
printf '%s\n' 'skeleton 1' 'ranks 2' 'param n = 5' 'for i = 1 to n {' 'if rank == 0 {' 'MPI_Send peer=1 count=1 tag=i' \
    '} else {' 'MPI_Recv peer=0 count=1 tag=i' '}' '}' >row.skel

options=(-p graphene --ranks-per-host 1 --no-compute --engine loggops)
replay() { "$timeless" replay "$1" "${options[@]}" "${@:2}" || echo failed; } # SKELETON OPTIONS...
certain=(--set retransmission.loss=0.9999999999 --set retransmission.flows=1)
waited() { replay "$@" | grep -oE '[0-9]+ messages waited' | cut -d' ' -f1; } # SKELETON OPTIONS...: how many messages
# longer SECONDS SKELETON OPTIONS...: than without losses, to 1e-6 s
longer() {
    local want=$1; shift
    awk -v w="$want" -v a="$(replay "$1" -q)" -v b="$(replay "$@" -q)" 'BEGIN {
        print w " more than " a " expected, " b " replayed"; d = b - a - w; exit !(d < 1e-6 && d > -1e-6) }'
}
# waits_between LEAST MOST SKELETON OPTIONS...
waits_between() { local n; n=$(waited "${@:3}"); echo "$n messages waited"; [ "$n" -ge "$1" ] && [ "$n" -le "$2" ]; }

check 'a message waits for 200 ms' longer 0.4 pong.skel "${certain[@]}"
check 'or for the given timeout' longer 0.02 pong.skel "${certain[@]}" --set retransmission.timeout=10ms
check 'a timeout may be a factor of 200 ms' longer 0.8 pong.skel "${certain[@]}" --set retransmission.timeout=2x
check 'the last of several losses counts' longer 0 pong.skel "${certain[@]}" --set retransmission.loss=0
check 'what follows a message that waits arrives behind it, not 200 ms later' longer 0.2 row.skel "${certain[@]}"
check 'and these messages are not counted' equal "$(waited row.skel "${certain[@]}")" 1
# Three messages arrive at once: one finds no other flow, one finds one, one finds two.
for flows in 1 2 3 4; do
    check "of three messages to one host, $((4 - flows)) wait from flow $flows on" \
        equal "$(waited fan.skel "${certain[@]}" --set retransmission.flows=$flows)" $((4 - flows))
done
# n draws with probability p: 1000 p plus or minus five standard deviations
check 'a message of one packet is lost with the given probability' waits_between 421 579 \
    pong.skel,n=500 --set retransmission.flows=1 --set retransmission.loss=0.5
# 500 answers of one packet (p = 0.1) and 500 messages of three (1 - 0.9^3 = 0.271): 185.5 +- 5 * 12.1
check 'a message of three packets with 1 - (1 - p)^3' waits_between 125 246 \
    pong.skel,n=500,size=4000 --set retransmission.flows=1 --set retransmission.loss=0.1
half=(--set retransmission.flows=1 --set retransmission.loss=0.5)
check 'the same seed gives the same makespan' equal "$(replay pong.skel,n=50 "${half[@]}" -q)" "$(replay pong.skel,n=50 "${half[@]}" -q)"
check 'on two threads, too' equal "$(replay "$top_srcdir/traces/skeletons/gather.skel" --ranks 100 "${half[@]}" -q)" \
    "$(replay "$top_srcdir/traces/skeletons/gather.skel" --ranks 100 "${half[@]}" -q --threads 2)"
check 'another seed gives another one' sh -c '[ "$1" != "$2" ]' - "$(waited pong.skel,n=50 "${half[@]}")" \
    "$(waited pong.skel,n=50 "${half[@]}" --seed 2)"
check 'a prediction with losses names its seed' sh -c '"$0" replay row.skel "$@" --json | grep -q "\"seed\""' "$timeless" \
    "${options[@]}" "${half[@]}"
check 'messages within a host lose nothing' equal "$(replay pong.skel -q --ranks-per-host 2)" \
    "$(replay pong.skel -q --ranks-per-host 2 "${certain[@]}")"
check 'a loss of 0 changes nothing' equal "$(replay fan.skel -q)" "$(replay fan.skel -q --set retransmission.loss=0)"
check 'sweep has it as an axis' sh -c '"$0" sweep fan.skel "$@" --grid set.retransmission.loss=0,0.9999999999 | cut -d, -f1-2 | tail -n 1 |
    awk -F, "{exit !(\$2 > 0.2)}"' "$timeless" "${options[@]}"

tap_done
