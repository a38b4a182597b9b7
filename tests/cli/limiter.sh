# timeless/limiter-from: messages below this size do not pass the limiters of hosts, which bound both directions together.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/messages.sh"
cd "$scratch" || exit 99

# Links of 125 MB/s, both directions together as well; 20 us from host to host; messages of 1 ms, and nothing else.
bytes=124984 latency=20e-6
limited_of() { # EAGER: the folder platform
    platform_of "$1" 0 && sed -i 's/bandwidth_Bps = 125.0e6; latency_s = 10.0e-6;/& limiter_Bps = 125.0e6;/' description &&
        rm -r platform && "$timeless" platform description -o platform
}
limited_of 400000
limited() { "$timeless" replay "$1" -p platform -q "${@:2}"; }
takes() { near "$(limited "$1" "${@:3}")" "$latency + $2 * 1e-3" 1e-6; }
above=(--cfg timeless/limiter-from:$bytes) below=(--cfg timeless/limiter-from:$((bytes + 1))) two=(--ranks-per-host 2)

messages both.tl "0 2 $bytes" "3 1 $bytes"
check 'both directions share the limiter' takes both.tl 2 "${two[@]}"
check 'messages of the stated size, too' takes both.tl 2 "${two[@]}" "${above[@]}"
check 'shorter ones do not' takes both.tl 1 "${two[@]}" "${below[@]}"
check 'the same with full updates' takes both.tl 1 "${two[@]}" "${below[@]}" --cfg network/optim:Full
check 'the same with an order of messages' takes both.tl 1 "${two[@]}" "${below[@]}" --cfg timeless/eager-order:yes
check '0 bytes: all do' takes both.tl 2 "${two[@]}" --cfg timeless/limiter-from:0
# The short one leaves the limiter to the long one of the other direction, of 3 ms.
messages mixed.tl "0 2 $bytes" "3 1 374984"
check 'a short message takes nothing from a long one of the other direction' takes mixed.tl 3 "${two[@]}" "${below[@]}"
check 'without the option it does' takes mixed.tl 4 "${two[@]}"
messages same.tl "0 2 $bytes" "1 3 $bytes"
check 'one direction is as before' takes same.tl 2 "${two[@]}" "${below[@]}"
limited_of 1000
check 'messages that wait for their receiver are as long' takes both.tl 2 "${two[@]}" "${above[@]}"
check 'or as short' takes both.tl 1 "${two[@]}" "${below[@]}"
check 'of twelve ranks, all twelve limiters are known' sh -c '"$1" make alltoall -n 12 --bytes 100000 -o all.tl &&
    sed -i "s/nodes = 4/nodes = 12/" description &&
    rm -r platform && "$1" platform description -o platform && a=$("$1" replay all.tl -p platform --no-compute -q) &&
    b=$("$1" replay all.tl -p platform --no-compute -q --cfg timeless/limiter-from:200000) &&
    echo "$a $b" && awk -v a="$a" -v b="$b" "BEGIN { exit !(a > 1.9 * b && a < 2.1 * b) }"' - "$timeless"
# ---- the same in the LogGOPS engine, for long messages ----
limited_of 65536
sed -i 's/nodes = 4/nodes = 16/; s/limiter_Bps = 125.0e6/limiter_Bps = 150.0e6/' description
check 'a platform of 16 hosts' sh -c 'rm -r platform && "$1" platform description -o platform' - "$timeless"
# agree TOLERANCE FACTOR OPTION...: both engines; the limiter takes FACTOR times as long
agree() {
    local tolerance=$1 factor=$2 smpi loggops free
    shift 2
    smpi=$(limited p.tl --no-compute --cfg timeless/limiter-from:4096 "$@") loggops=$(limited p.tl --no-compute --engine loggops "$@")
    free=$(limited p.tl --no-compute --cfg timeless/limiter-from:1000000000 "$@")
    awk -v s="$smpi" -v l="$loggops" -v f="$free" -v t="$tolerance" -v factor="$factor" \
        'BEGIN { print "SimGrid", s, "LogGOPS", l, "without limiter", f
        exit !(s > 0 && (s - l) / s < t && (l - s) / s < t && s > (factor - 0.01) * f && s < (factor + 0.01) * f) }'
}
"$timeless" make ring -n 16 -o p.tl
check 'the prediction states it' prints 'both directions of a node have 1.2 bandwidths for messages of 4096 bytes' \
    "$timeless" replay p.tl -p platform --engine loggops
for pattern in alltoall ring stencil2d doubling; do
    "$timeless" make $pattern -n 16 --bytes 3200000 --iterations 3 -o p.tl
    check "$pattern: as in SimGrid" agree 3e-3 1.667 --ranks-per-host 1
    check "$pattern, two threads: the same bytes" sh -c \
        '[ "$("$1" replay p.tl -p platform --engine loggops -q)" = \
            "$("$1" replay p.tl -p platform --engine loggops --threads 2 -q)" ]' - "$timeless"
done
"$timeless" make binomial -n 16 --bytes 3200000 --iterations 3 -o p.tl
check 'in one direction at a time it takes nothing' agree 1e-3 1 --ranks-per-host 1
"$timeless" make alltoall -n 16 --bytes 60000 -o p.tl
check 'eager messages that share the adapter pass it, too' agree 1e-2 1.667 --ranks-per-host 1
echo timeless/limiter-from:65536 >>platform/options.conf
check 'unless it holds for longer ones only' near "$(limited p.tl --no-compute --ranks-per-host 1)" \
    "$(limited p.tl --no-compute --ranks-per-host 1 --engine loggops)" 1e-2
"$timeless" make alltoall -n 16 --bytes 4000 -o p.tl
sed -i '/limiter-from/d' platform/options.conf
check 'short messages do not' agree 1e-2 1 --ranks-per-host 1

limited_of 1000
check 'no number of bytes exits 3, and is named' refused 3 \
    'timeless/limiter-from:short: .*not a number' \
    limited both.tl "${two[@]}" --cfg timeless/limiter-from:short
tap_done
