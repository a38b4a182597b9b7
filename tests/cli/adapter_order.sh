# timeless/adapter-order: short eager messages from one host to another go one after the other, whoever sends them.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99

# Messages of 1 ms, links of 125 MB/s, 20 us from host to host, nothing else. Ranks 0 and 1 are on one host, 2 and 3 on another one.
bytes=124984 twice=249984 latency=20e-6
platform_of 400000 0
ordered() { "$timeless" replay "$1" -p platform -q "${@:2}"; }
takes() { near "$(ordered "$1" "${@:4}")" "$2 * $latency + $3 * 1e-3" 1e-6; }
two=(--ranks-per-host 2) one=(--ranks-per-host 1)
all=(--cfg timeless/adapter-order:1000000) pairs=(--cfg timeless/eager-order:yes)

# Rank 2 answers while the message from 1 to 3 is still coming.
messages beside.tl "0 2 $bytes" "1 3 $bytes" "2 0 $bytes"
check 'messages of two ranks of a host share the link' takes beside.tl 2 3 "${two[@]}"
check 'with the order of pairs, too' takes beside.tl 2 3 "${two[@]}" "${pairs[@]}"
check 'or the second one begins when the first one is through' takes beside.tl 2 2 "${two[@]}" "${all[@]}"
check 'the same with both orders' takes beside.tl 2 2 "${two[@]}" "${all[@]}" "${pairs[@]}"
check 'the same with full updates' takes beside.tl 2 2 "${two[@]}" "${all[@]}" --cfg network/optim:Full
check 'those without latency are in order' takes beside.tl 0 2 "${two[@]}" "${all[@]}" --cfg smpi/lat-factor:0:0
check 'a message of the stated size shares' takes beside.tl 2 3 "${two[@]}" --cfg timeless/adapter-order:$bytes
check 'a message below it does not' takes beside.tl 2 2 "${two[@]}" --cfg timeless/adapter-order:$((bytes + 1))
check '0 bytes: all share' takes beside.tl 2 3 "${two[@]}" --cfg timeless/adapter-order:0
check 'one that waits for its receiver shares' takes beside.tl 2 3 "${two[@]}" "${all[@]}" \
    --cfg smpi/async-small-thresh:1000 --cfg smpi/send-is-detached-thresh:1000
messages many.tl "0 2 $bytes" "1 3 $bytes" "0 3 $bytes" "1 2 $bytes" "0 2 $bytes"
check 'all arrive when they arrived' takes many.tl 1 5 "${two[@]}"
check 'in order as well: latencies overlap' takes many.tl 1 5 "${two[@]}" "${all[@]}"
messages apart.tl "0 1 $bytes" "0 2 $bytes" "1 3 $bytes"
check 'messages to two hosts share the link of their sender' takes apart.tl 2 3 "${one[@]}" "${all[@]}"
messages both.tl "0 2 $bytes" "3 1 $bytes"
check 'a message does not wait for one of the other direction' takes both.tl 1 1 "${two[@]}" "${all[@]}"
messages within.tl "0 1 $bytes" "0 1 $bytes"
check 'within a host there is no adapter' takes within.tl 1 1 "${two[@]}" "${all[@]}"
# The first message, of 2 ms, is none of the adapter's; the third one follows it and the second one.
messages mixed.tl "0 2 $twice" "1 3 $bytes" "2 1 $bytes" "0 2 $bytes"
check 'one that waits for two others begins when both are through' takes mixed.tl 2 4 "${two[@]}" \
    --cfg timeless/adapter-order:$twice "${pairs[@]}"
check 'or, without the order of pairs, when the shorter one is' takes mixed.tl 2 5 "${two[@]}" --cfg timeless/adapter-order:$twice
check 'an adapter-order that is no number exits 3, and is named' refused 3 \
    'timeless/adapter-order:yes: the value is not a number' \
    ordered beside.tl "${two[@]}" --cfg timeless/adapter-order:yes
tap_done
