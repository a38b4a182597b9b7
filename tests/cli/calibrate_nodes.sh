# timeless calibrate network --per-host: nodes with several ranks that SimGrid simulates are found again, in both engines; and
# wrong arguments.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/known_network.sh"
if is_of_other_mpi "$top_builddir/platforms/timeless-network-probe"; then
    skip 'a network of nodes' 'the program that measures it was built with Open MPI; configure --without-openmpi builds it with MPICH'
    tap_done; exit
fi
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# fails CODE NAME COMMAND...: and keeps what it said
fails() { check_exit "$1" "$2" "${@:3}"; cp "$scratch/err" said; }
option() { sed -n "s|^$2:||p" "$1/options.conf"; }

known_network 2GBps 5us
printf 'node-0\nnode-0\nnode-1\nnode-1\n' >hosts
check 'SMPI compiles the measuring program' "$SMPICC" -D_GNU_SOURCE -O2 -I"$top_builddir" -I"$top_srcdir/platforms" \
    -o probe "$top_srcdir"/platforms/calibrate/{network_probe,network_kinds,network_draw,network_hosts,machine}.c -lm
simulate() { # PER_HOST SECONDS
    local args=() line
    while read -r line; do args+=("--cfg=$line"); done <known.conf
    "$SMPIRUN" -np 4 -platform known.xml -hostfile hosts --cfg=smpi/simulate-computation:no "${args[@]}" \
        --log=root.thres:critical ./probe "$2" 1 100000000 - "$1"
}
check 'the measuring program runs on simulated nodes' bash -c "$(declare -f simulate); SMPIRUN='$SMPIRUN'; simulate 2 60 >known.csv"
check 'the measurements state the ranks on each host' grep -qx '# per_host 2' known.csv
check 'pairs of ranks are measured one and two at a time' awk -F, '$3 ~ /^multi/ { n[$3 $9]++ }
    END { exit !(n["multi1"] > 50 && n["multi2"] > 50 && n["multi_both1"] > 20 && n["multi_both2"] > 20) }' known.csv
check 'they are fitted' "$timeless" calibrate network --reuse known.csv -o found
factor() { option found "$1" | tr ';' '\n' | sed -n "$2p" | cut -d: -f"$3"; }
loopback() { sed -n "s/^loopback = .*$1 = \([^;]*\);.*/\1/p" found/platform.conf; }
check 'within a host: three segments are found' test "$(option found timeless/loopback-os | tr ';' '\n' | wc -l)" = 3
check 'within a host: the break is found' near "$(factor timeless/loopback-os 2 1)" 1420 0.05
check 'within a host: the latency is found' near "$(loopback latency_s) * $(factor timeless/loopback-lat-factor 1 2)" 5e-6 0.05
check 'within a host: that of the last segment' near "$(loopback latency_s) * $(factor timeless/loopback-lat-factor 3 2)" 30e-6 0.02
check 'within a host: the bandwidth is found' near "$(loopback bandwidth_Bps) * $(factor timeless/loopback-bw-factor 3 2)" 1.88e9 0.02
check 'within a host: os is found' near "$(factor timeless/loopback-os 1 2)" 8e-6 0.02
check 'within a host: its slope is found' near "$(factor timeless/loopback-os 1 3)" 5e-10 0.05
check 'within a host: or of the second segment is found' near "$(factor timeless/loopback-or 2 2)" 8e-6 0.02
check 'within a host: ois is found' near "$(factor timeless/loopback-ois 3 2)" 2e-5 0.02
value() { sed -n "s/^adapter = .* $1 = \([^;]*\);.*/\1/p" found/network.conf; }
check 'one pair has the rate of the link' near "$(value one_Bps)" 117.5e6 0.02
check 'two pairs together have no more' near "$(value all_Bps)" 117.5e6 0.02
check 'two pairs in both directions have that of the limiter' near "$(value both_Bps)" 176.25e6 0.02
check 'the limiter is written' near "$(sed -n 's/.*limiter_Bps = \([^;]*\);.*/\1/p' found/platform.conf)" 176.25e6 0.02
check 'a pair that fills the adapter needs no bound' test -z "$(option found timeless/bw-factor-bound)"
check 'messages that share the adapter give no order' test -z "$(option found timeless/adapter-order)"
for figure in 'within a host |' 'one pair of ranks' '2 pairs of ranks' '2 pairs in both directions' \
    'eager messages of two ranks of a host'; do
    check "README.md states the source of: $figure" grep -q "^| $figure.* measured" found/README.md
done
check 'network.conf is a file of libconfig' python3 - <<'END'
text = open("found/network.conf").read()
assert text.count("within_transfer = (") == 1 and text.count("within = {") == 1, text[:200]
END

# Round trips of sizes that were not measured, in both engines.
mkdir known
cp known.xml known/platform.xml
cp known.conf known/options.conf
ping() { # ping BYTES: 10 round trips
    awk -v bytes="$1" 'BEGIN { print "timeless-text 1\nranks 2"
        for (r = 0; r < 2; r++) { print "rank " r " host=\"h" r "\""
            for (i = 0; i < 20; i++)
                printf "%d %d MPI_%s count=%d type_bytes=1 peer=%d tag=0 comm=1\n", r, i, (i + r) % 2 ? "Recv" : "Send", bytes, 1 - r
            print "end cut clock_ns=0" } }' | "$timeless" undump - -o ping.tl
}
replayed() { "$timeless" replay "$3" -p "$1" --ranks-per-host "$2" -q "${@:4}"; }
for bytes in 1 1000 1480 30000 70000 1000000; do
    ping $bytes
    check "a round trip of $bytes B within a host takes as long" near "$(replayed found 2 ping.tl)" "$(replayed known 2 ping.tl)" 0.01
    check "a round trip of $bytes B between hosts takes as long" near "$(replayed found 1 ping.tl)" "$(replayed known 1 ping.tl)" 0.01
    check "a round trip of $bytes B within a host takes as long in LogGOPS" near "$(replayed found 2 ping.tl --engine loggops)" \
        "$(replayed known 2 ping.tl)" 0.02
done
"$timeless" make stencil2d -n 4 --bytes 100000 --iterations 5 -o stencil.tl
check 'a stencil on two nodes takes as long' near "$(replayed found 2 stencil.tl)" "$(replayed known 2 stencil.tl)" 0.02

# ---- an adapter that sends one message after the other: the first of two arrives as soon as one that is alone ----
# ordered FILE BYTES [LAST]: below BYTES; with LAST, the last one as well
ordered() {
    awk -F, -v OFS=, -v below="$2" -v last="${3-}" '
        NR == FNR { if ($3 == "beside" && $2 == 0 && $9 == 1) { k = int(log($8) / log(2) + 1e-9); n[k]++; s[k] += $11 / $8 } next }
        ($3 == "beside" || (last && $3 == "beside_last")) && $9 == 2 && $8 < below { k = int(log($8) / log(2) + 1e-9)
            $11 = sprintf("%.9e", $8 * s[k] / n[k]) } { print }' known.csv known.csv >"$1"
}
ordered all.csv 1000000
ordered short.csv 16384
ordered apart.csv 1000000 last
for kind in all short apart; do
    check "$kind messages in order: they are fitted" "$timeless" calibrate network --reuse $kind.csv -o order-$kind
done
check 'one message after the other gives timeless/adapter-order, up to the largest eager one' \
    test "$(option order-all timeless/adapter-order)" = 65536
check 'it is written to platform.conf and README.md' sh -c 'grep -q "^  \"timeless/adapter-order:65536\",$" order-all/platform.conf &&
    grep -q "^| eager messages of two ranks of a host | in order below 65536 B |" order-all/README.md'
check 'or up to the size that shares the adapter' test "$(option order-short timeless/adapter-order)" = 16384
check 'messages that do not meet give none' test -z "$(option order-apart timeless/adapter-order)"

# ---- an adapter that one pair does not fill: two pairs take as long as one ----
awk -F, -v OFS=, '$3 == "multi" && $9 == 2 { $11 = sprintf("%.9e", $11 / 2 + 10e-6) } $3 == "pairs" { next } { print }' known.csv |
    awk '/^[0-9]/ { n++ } /^# end/ { print "# end " n; next } { print }' >shared.csv
check 'an adapter with more than one pair reaches is fitted' "$timeless" calibrate network --reuse shared.csv -o found
check 'each message has a bound' test "$(option found timeless/bw-factor-bound)" = yes
check 'the link has the rate of all pairs' near "$(sed -n 's/^link = { bandwidth_Bps = \([^;]*\);.*/\1/p' found/platform.conf)" 235e6 0.03
ping 1000000
check 'one message takes as long as before' near "$(replayed found 1 ping.tl)" "$(replayed known 1 ping.tl)" 0.01
check 'in LogGOPS, too' near "$(replayed found 1 ping.tl --engine loggops)" "$(replayed known 1 ping.tl)" 0.02
# Ranks 0 and 1 of the first host send to 2 and 3 at the same time.
printf '%s\n' 'skeleton 1' 'ranks 4' 'if rank < 2 {' 'MPI_Send peer=rank + 2 count=1000000' '} else {' \
    'MPI_Recv peer=rank - 2 count=1000000' '}' >two.skel
printf '%s\n' 'skeleton 1' 'ranks 4' 'if rank < 1 {' 'MPI_Send peer=2 count=1000000' '} else {' 'if rank == 2 {' \
    'MPI_Recv peer=0 count=1000000' '}' '}' >one.skel
check "two messages at once take as long as one" near "$(replayed found 2 two.skel)" "$(replayed found 2 one.skel)" 0.03
# A limit of LogGOPS, timeless-calibrate-network(1): what a message takes beyond its share comes after the sharing.
check "in LogGOPS half as long again" near "$(replayed found 2 two.skel --engine loggops)" \
    "1.5 * $(replayed found 2 one.skel --engine loggops)" 0.03

# ---- what goes wrong ----
fails 2 '--per-host 0 exits 2' "$timeless" calibrate network --per-host 0 --hosts a,b -o x
fails 2 '--per-host 65 exits 2' "$timeless" calibrate network --per-host 65 --hosts a,b -o x
fails 2 'ranks on each of no hosts exit 2' "$timeless" calibrate network --per-host 2 -o x
check 'the message asks for hosts' says 'needs several hosts: give --hosts' "$scratch/said"
fails 3 'one host exits 3' "$timeless" calibrate network --per-host 2 --max-seconds 1 -o x -- "$MPIRUN" -np 2
check 'the message says how many it needs' says 'needs 2 hosts or more to measure what 2 ranks on each share' "$scratch/said"
fails 3 'measurements of another number of ranks exit 3' "$timeless" calibrate network --per-host 3 --reuse known.csv -o x
check 'both numbers are named' says 'was measured with --per-host 2, and not with 3' "$scratch/said"
grep -v '^# per_host' known.csv >plain.csv
fails 3 'measurements without --per-host exit 3' "$timeless" calibrate network --per-host 2 --reuse plain.csv -o x
check 'without the option they are fitted as before' "$timeless" calibrate network --reuse plain.csv -o plain
check 'with one loopback' test -z "$(option plain timeless/loopback-os)"
check '--per-host 1 is the default' "$timeless" calibrate network --per-host 1 --reuse plain.csv -o one
for file in platform.conf options.conf platform.xml network.conf README.md; do
    check "--per-host 1 makes the same $file" cmp plain/$file one/$file
done
awk -F, '$3 !~ /^multi/ && !($6 == 1 && ++n > 40) { print }' known.csv | awk '/^[0-9]/ { n++ } /^# end/ { print "# end " n;
    next } { print }' >few.csv
fails 3 'too few measurements within a host exit 3' "$timeless" calibrate network --reuse few.csv -o x
check 'the message asks for more time' says 'between two ranks are too few for a fit; give more --max-seconds' "$scratch/said"
# Hosts with other numbers of ranks than stated.
for wrong in 'node-0 node-0 node-0 node-1:3:1 on the host of rank 3' 'node-0 node-0 node-1:2:1 on the host of rank 2' \
    'node-0 node-1:2:1 on the host of rank 0'; do
    IFS=: read -r names per_host message <<<"$wrong"
    tr ' ' '\n' <<<"$names" >hosts
    "$SMPIRUN" -np "$(wc -l <hosts)" -platform known.xml -hostfile hosts --log=root.thres:critical ./probe 1 1 1000 \
        - "$per_host" >wrong.csv 2>/dev/null
    fails 3 "$names with --per-host $per_host exits 3" "$timeless" calibrate network --reuse wrong.csv -o x
    check "$names with --per-host $per_host: the message names the host" says \
        "needs $per_host ranks on each host, but the launcher placed $message" "$scratch/said"
done
tap_done
