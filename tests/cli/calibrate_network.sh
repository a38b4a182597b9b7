# timeless calibrate network: a short measurement between two ranks here; a network that SimGrid
# simulates, measured by the same program, is found again; and wrong arguments.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cli/known_network.sh"
if is_of_other_mpi "$top_builddir/platforms/timeless-network-probe"; then
    skip 'a network between two ranks' \
        'the program that measures it was built with Open MPI; configure --without-openmpi builds it with MPICH'
    tap_done; exit
fi
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

keep() { cp "$scratch/err" "$scratch/said"; }
# option FILE KEY: its value
option() { sed -n "s|^$2:||p" "$1/options.conf"; }

# ---- between two ranks here ----
# A busy machine measures little in that time: then for longer.
measure() {
    local seconds
    for seconds in 6 30 90; do "$timeless" calibrate network --max-seconds $seconds -o here && return; done
}
check 'two ranks on this host are measured' measure
keep
check 'the command reports what it found' says 'timeless: here: .* operations, .* segments; latency ' "$scratch/said"
for file in platform.conf platform.xml options.conf model.conf network.conf noise.conf network.csv README.md; do
    check "writes $file" test -s "here/$file"
done
check 'every measurement is kept in network.csv' awk -F, '/^[0-9]/ { n++; if (NF != 11 || $11 < 0) exit 1 }
    /^# end/ { split($0, end, " "); if (end[3] != n) exit 1 } END { exit n < 200 }' here/network.csv
check 'ranks that share memory give no eager order' test -z "$(option here timeless/eager-order)"
check 'network.conf states command, moment, ranks and number of operations' bash -c 'head -n 2 here/network.conf |
    paste -sd" " |
    grep -qE "^# Measured by .timeless calibrate network. [0-9.]+.* at 20[0-9-]+T[0-9:]+Z: 2 ranks on 1 host, .* [0-9]+ operations"'
for figure in latency bandwidth 'eager below' breaks iprobe network/crosstraffic 'L, o, g, G, O' 'speed of a node' topology \
    nodes 'cores of a node' model.conf; do
    check "README.md states the source of: $figure" grep -q "^| $figure.* | [^|]*[a-z][^|]* |$" here/README.md
done
ping() { # ping BYTES: 10 round trips
    awk -v bytes="$1" 'BEGIN { print "timeless-text 1\nranks 2"
        for (r = 0; r < 2; r++) { print "rank " r " host=\"h" r "\""
            for (i = 0; i < 20; i++)
                printf "%d %d MPI_%s count=%d type_bytes=1 peer=%d tag=0 comm=1\n", r, i, (i + r) % 2 ? "Recv" : "Send", bytes, 1 - r
            print "end cut clock_ns=0" } }' | "$timeless" undump - -o ping.tl
}
ping 1000
check 'the SMPI engine replays on the folder' "$timeless" replay ping.tl -p here
check 'the LogGOPS engine replays on the folder' "$timeless" replay ping.tl -p here --engine loggops
check '--reuse fits measurements again' "$timeless" calibrate network --reuse here/network.csv -o again
check '--reuse makes the same platform, byte for byte' cmp here/platform.xml again/platform.xml

# ---- a known network ----
known_network 5GBps 200ns
printf 'node-0\nnode-1\n' >hosts
# simulate XML OPTIONS SECONDS: the measuring program on that network
simulate() {
    local args=() line
    while read -r line; do case $line in '' | \#*) ;; *) args+=("--cfg=$line") ;; esac; done <"$2"
    "$SMPIRUN" -np 2 -platform "$1" -hostfile hosts --cfg=smpi/simulate-computation:no "${args[@]}" \
        --log=root.thres:critical ./probe "$3" 1 100000000
}
check 'SMPI compiles the measuring program' "$SMPICC" -D_GNU_SOURCE -O2 -I"$top_builddir" -I"$top_srcdir/platforms" \
    -o probe "$top_srcdir"/platforms/calibrate/{network_probe,network_kinds,network_draw,network_hosts,machine}.c -lm
check 'the measuring program runs on a simulated network' bash -c \
    "$(declare -f simulate); SMPIRUN='$SMPIRUN'; simulate known.xml known.conf 60 >known.csv"
check 'known network: the measurements are fitted' "$timeless" calibrate network --reuse known.csv -o found
factor() { option found "$1" | tr ';' '\n' | sed -n "$2p" | cut -d: -f"$3"; }
latency() { sed -n 's/^latency_s = \(.*\);/\1/p' found/network.conf; }
bandwidth() { sed -n 's/^bandwidth_Bps = \(.*\);/\1/p' found/network.conf; }
check 'known network: three segments are found' test "$(option found smpi/lat-factor | tr ';' '\n' | wc -l)" = 3
check 'known network: the eager threshold is found' near "$(option found smpi/async-small-thresh)" 65536 0.05
check 'known network: the detached threshold is found' near "$(option found smpi/send-is-detached-thresh)" 65536 0.05
check 'known network: the other break is found' near "$(factor smpi/os 2 1)" 1420 0.05
check 'known network: the latency is found' near "$(latency)" 20e-6 0.02
check 'known network: the latency of the second segment is found' near "$(latency) * $(factor smpi/lat-factor 2 2)" 38e-6 0.02
check 'known network: the latency of the third segment is found' near "$(latency) * $(factor smpi/lat-factor 3 2)" 120e-6 0.02
check 'known network: the bandwidth of the first segment is found' near "$(bandwidth) * $(factor smpi/bw-factor 1 2)" 62.5e6 0.02
check 'known network: the bandwidth of the second segment is found' near "$(bandwidth) * $(factor smpi/bw-factor 2 2)" 100e6 0.02
check 'known network: the bandwidth of the third segment is found' near "$(bandwidth) * $(factor smpi/bw-factor 3 2)" 117.5e6 0.02
check 'known network: os of the first segment is found' near "$(factor smpi/os 1 2)" 8e-6 0.02
check 'known network: the slope of os is found' near "$(factor smpi/os 1 3)" 5e-10 0.02
check 'known network: or of the second segment is found' near "$(factor smpi/or 2 2)" 8e-6 0.02
check 'known network: the slope of or is found' near "$(factor smpi/or 2 3)" 4e-10 0.02
check 'known network: ois is found' near "$(factor smpi/ois 3 2)" 2e-5 0.02
check 'known network: the limiter is found' near "$(sed -n 's/^saturation = \(.*\);/\1/p' found/network.conf)" 1.5 0.02
check 'known network: both directions at once take as long as in SMPI' awk '/^exchange/ { gsub(/[],;[]/, ""); for (i = 3; i <= NF; i++)
    if ($i < 0.94 || $i > 1.02) exit 1; exit NF < 5 }' found/network.conf
check 'known network: the limiter is one of all messages' test -z "$(option found timeless/limiter-from)"
# The same, as if short messages (16 KiB and more are mostly bytes) went without the limiter: 75 MB/s become 100.
awk -F, -v OFS=, '$3 == "both" && $8 < 65536 {
    $11 = sprintf("%.9e", $11 - ($8 > 1420 ? ($8 + 16) * (1 / 75e6 - 1 / 100e6) : ($8 + 16) * (1 / 46.875e6 - 1 / 62.5e6))) }
    { print }' known.csv >long.csv
check 'a limiter of long messages' "$timeless" calibrate network --reuse long.csv -o long
check 'has the size from which it acts, and the bandwidth of all' sh -c \
    'grep -q "^timeless/limiter-from:65[0-9][0-9][0-9]$" long/options.conf && [ "$1" = "$2" ]' - \
    "$(grep ^saturation long/network.conf)" "$(grep ^saturation found/network.conf)"
check 'README.md says so' grep -q '^| timeless/limiter-from | 65[0-9]* B | measured: shorter exchanges |$' long/README.md
check 'its exchanges take as long as measured' awk '/^exchange/ { gsub(/[],;[]/, ""); for (i = 3; i <= NF; i++)
    if ($i < 0.94 || $i > 1.02) exit 1; exit NF < 5 }' long/network.conf
check 'known network: the cost of a test is found' near "$(option found smpi/test)" 3e-7 0.02
check 'known network: the cost of a probe is found' near "$(option found smpi/iprobe)" 5e-7 0.02
# Round trips of sizes that were not measured, by both platforms.
mkdir known
cp known.xml known/platform.xml
cp known.conf known/options.conf
ping() { makespan ping.tl -p "$1" --ranks-per-host 1; }
for bytes in 1 700 1400 1450 30000 64000 70000 1000000 30000000; do
    ping $bytes
    check "a round trip of $bytes B takes as long" near "$(ping found)" "$(ping known)" 0.01
done

# ---- messages that vary: each takes its time in the network times a normal factor of deviation 0.1, and one of 50 five
# times as long; a round trip has two messages ----
plant() { # NAME SHARE_OF_SLOW_ROUND_TRIPS FACTOR_OF_RUN
    awk -F, -v OFS=, -v slow="$2" -v run="$3" '
        function normal() { return sqrt(-2 * log(1 - rand())) * cos(6.283185307179586 * rand()) }
        function network(b) {
            if (b <= 1420) return 20e-6 + (b + 16) / 62.5e6
            return b < 65536 ? 38e-6 + (b + 16) / 100e6 : 120e-6 + (b + 16) / 117.5e6
        }
        BEGIN { srand(1) }
        $3 == "pingpong" { n = network($8); if (i++ % 100 == 0) all = run * normal()
            $11 = sprintf("%.9e", $11 + n * (0.1 * (normal() + normal()) + 2 * all + (rand() < slow ? 4 : 0))) } { print }' \
                known.csv >"$1.csv"
    "$timeless" calibrate network --reuse "$1.csv" -o "$1"
}
# moments NAME: of each class: mean and deviation of its modes, and the share of outliers
moments() {
    python3 - "$1" <<'END'
import re, sys
text = open(sys.argv[1] + "/noise.conf").read()
for outliers, samples, modes in re.findall(r"(\d+) outliers.*?samples = (\d+);.*?modes = \((.*?)\);", text, re.S):
    modes = [[float(x) for x in m.split(",")] for m in re.findall(r"\[(.*?)\]", modes)]
    mean = sum(m[0] * m[1] for m in modes)
    print(mean, sum(m[0] * (m[2] ** 2 + (m[1] - mean) ** 2) for m in modes) ** 0.5, int(outliers) / (int(samples) + int(outliers)))
END
}
check 'messages that vary are fitted' plant varied 0.04 0
check 'the mean of the factors is 1' bash -c \
    "$(declare -f moments); moments varied | awk '{ if (\$1 < 0.9999 || \$1 > 1.0001) exit 1 } END { exit NR < 3 }'"
# The classes have 60 transfers and more: three deviations of a deviation are 27 %.
check 'the deviation of one message is found' bash -c \
    "$(declare -f moments); moments varied | awk '{ print; if (\$2 < 0.073 || \$2 > 0.127) exit 1 }'"
check 'slow messages are counted and left out' bash -c "$(declare -f moments); moments varied | awk '{ print; n++; share += \$3 }
    END { print share / n; exit !(share / n > 0.016 && share / n < 0.064) }'"
# run_sd NAME: of all classes
run_sd() { sed -n 's/.*samples = \(.*\); least.* run_sd = \(.*\);/\1 \2/p' "$1/noise.conf" | awk '{ n += $1;
    sum += $1 * $2 ^ 2 } END { print sqrt(sum / n) }'; }
check 'messages that vary alone give runs that hardly differ' awk -v sd="$(run_sd varied)" 'BEGIN { print sd; exit !(sd < 0.015) }'
plant drifting 0 0.05 2>/dev/null
check 'a factor that drifts is found as that of a run' awk -v sd="$(run_sd drifting)" 'BEGIN { print sd; exit !(sd > 0.02 && sd < 0.09) }'
# Longer messages take less time in the network than the shortest ones, which vary: from 200 us to 20 us.
plant faster 0 0.25 2>/dev/null
awk -F, -v OFS=, '$3 == "pingpong" && $8 <= 64 { $11 = sprintf("%.9e", $11 * 10) } { print }' faster.csv >fastest.csv
check 'messages that become faster with their size are fitted' "$timeless" calibrate network --reuse fastest.csv -o fastest
check 'no class has a deviation of a run that is refused' "$timeless" replay ping.tl -p fastest --ranks-per-host 1 -q --noise network
check 'neither here' "$timeless" replay ping.tl -p here -q --noise network
check 'the noise is replayed' sh -c \
    '[ "$("$0" replay ping.tl -p varied --ranks-per-host 1 -q --noise network)" != \
        "$("$0" replay ping.tl -p varied --ranks-per-host 1 -q)" ]' "$timeless"

# ---- a network without latency, as one that lets bursts pass ----
awk -F, -v OFS=, '$3 == "pingpong" { $11 = sprintf("%.9e", 2 * ($8 < 20000 ? 5e-6 + $8 / 1e9 : $8 / 12.5e6)) }
    $3 == "send" || $3 == "isend" || $3 == "recv" { $11 = 5e-7 } { print }' known.csv >bursts.csv
check 'a network without latency' "$timeless" calibrate network --reuse bursts.csv -o bursts
keep
check '... is told, with a reason' says \
    '~^timeless: warning: no latency was found between the hosts; .*bursts.* predicted too long$' "$scratch/said"
"$timeless" calibrate network --reuse known.csv -o quiet 2>said
check 'a network with latency is not' sh -c '! grep -q "no latency" said'

# ---- messages within a host do not pay for the network ----
local_makespan() { "$timeless" replay ping.tl -p found -q "$@"; }
ping 1
check 'within a host a message takes the time of the loopback only' awk -v t="$(local_makespan)" 'BEGIN { print t;
    exit !(t > 1e-6 && t < 2e-5) }'
check 'with timeless/local-overheads:yes a message within a host takes the overheads' awk \
    -v t="$(local_makespan --cfg timeless/local-overheads:yes)" \
    'BEGIN { print t; exit !(t > 20 * 14e-6 && t < 20 * 16e-6) }'
check 'between hosts timeless/local-overheads has no effect' equal "$(local_makespan --ranks-per-host 1)" \
    "$(local_makespan --ranks-per-host 1 --cfg timeless/local-overheads:yes)"

# ---- sends that are over before their bytes have arrived: 300,000 of them are in buffers ----
check 'sends that wait for their end give no send buffer' test -z "$(option found timeless/send-buffer)"
awk -F, -v OFS=, '$3 == "send" && $8 >= 65536 { t = $11 - 300000 / 117.5e6; $11 = sprintf("%.9e", t > 8e-4 ? t : 8e-4) }
    { print }' known.csv >buffered.csv
check 'sends that leave the rest in a buffer are fitted' "$timeless" calibrate network --reuse buffered.csv -o buffered
check 'the size of the send buffer is found' near "$(option buffered timeless/send-buffer)" 300000 0.05
awk -F, -v OFS=, '$3 == "send" && $8 >= 65536 { $11 = 8e-4 } { print }' known.csv >unkept.csv
"$timeless" calibrate network --reuse unkept.csv -o unkept 2>/dev/null
check 'if no send waits, the buffer is the largest message' near "$(option unkept timeless/send-buffer)" \
    "$(awk -F, '$3 == "send" && $2 == 0 && $8 > most { most = $8 } END { print most }' known.csv)" 0.001

# ---- eager messages behind each other: SimGrid's share the link, a connection's do not ----
check 'messages that share the link give no eager order' test -z "$(option found timeless/eager-order)"
# The first one of two is through as soon as it is alone: a line through those that were alone.
awk -F, -v OFS=, '
    NR == FNR { if ($3 == "order" && $2 == 0 && $9 == 1 && $8 > 8192 && $8 < 60000) {
        n++; x += $8; y += $11; xx += $8 * $8; xy += $8 * $11 } next }
    FNR == 1 { b = (n * xy - x * y) / (n * xx - x * x); a = (y - b * x) / n }
    $3 == "order" && $9 == 2 { $11 = sprintf("%.9e", a + b * $8) } { print }' known.csv known.csv >ordered.csv
check 'a connection that keeps the order is fitted' "$timeless" calibrate network --reuse ordered.csv -o ordered
check 'eager messages in order give timeless/eager-order:yes' test "$(option ordered timeless/eager-order)" = yes
awk -F, -v OFS=, '$3 == "order" && !($2 == 0 && $6 == 0 && $8 > 8192 && $8 < 60000 && n[$9]++ < 6) { $2 = 1 } { print }' \
    ordered.csv >six.csv
"$timeless" calibrate network --reuse six.csv -o six 2>/dev/null
check 'six measurements of one and of two messages suffice' test "$(option six timeless/eager-order)" = yes
awk -F, -v OFS=, '$3 == "order" { $2 = 1 } { print }' ordered.csv >warm.csv
"$timeless" calibrate network --reuse warm.csv -o warm 2>/dev/null
check 'without measurements the eager order is not set' test -z "$(option warm timeless/eager-order)"

# ---- receives that cost 1 ns a byte, and nothing at 1,420 B: the slope is the link's, what remains below 0 ----
awk -F, -v OFS=, '$3 == "recv" && $8 > 1420 { $11 = sprintf("%.9e", ($8 - 1420) * 1e-9) } { print }' known.csv >negative.csv
check 'receives with a steep line are fitted' "$timeless" calibrate network --reuse negative.csv -o negative
check 'no overhead is negative' bash -c \
    "grep -q '^smpi/or:' negative/options.conf && ! grep -E '^smpi/(os|ois|or):.*:-' negative/options.conf"
ping 30000
check 'the LogGOPS engine replays on the folder' "$timeless" replay ping.tl -p negative --ranks-per-host 1 --engine loggops

# ---- a receiver that needs longer for each message of a burst: 10 us ----
awk -F, -v OFS=, '$3 == "burst" && $9 > 1 { $11 = sprintf("%.9e", $11 + ($9 - 1) * 10e-6) } { print }' known.csv >slow.csv
check 'bursts that arrive slowly are fitted' "$timeless" calibrate network --reuse slow.csv -o slow
gap() { sed -n 's/^loggops = .* g_s = \([^;]*\);.*/\1/p' "$1/network.conf"; }
check 'slow bursts: the gap is longer by the extra time' near "$(gap slow)" "$(gap found) + 10e-6" 0.02
check 'slow bursts: the receiver overhead has the extra time' near "$(option slow smpi/or | cut -d: -f2)" "$(gap slow)" 0.02
check 'slow bursts: a single message takes as long as before' near "$(ping slow)" "$(ping found)" 0.001
burst() { # 33 messages of a byte, acknowledged by one
    awk 'BEGIN { print "timeless-text 1\nranks 2"
        for (r = 0; r < 2; r++) { print "rank " r " host=\"h" r "\""
            for (i = 0; i < 34; i++)
                printf "%d %d MPI_%s count=1 type_bytes=1 peer=%d tag=0 comm=1\n", r, i, (i == 33) == r ? "Send" : "Recv", 1 - r
            print "end cut clock_ns=0" } }' | "$timeless" undump - -o ping.tl
}
burst
check 'slow bursts: a burst of 32 messages takes 32 times 10 us longer' near "$(ping slow)" "$(ping found) + 320e-6" 0.05

# ---- a model beside the network, and the other way round ----
cp -r found both
check 'kernels are calibrated into the folder of a network' "$timeless" calibrate kernels --nb 32 --max-seconds 0 --raw raw.csv -o both
for file in platform.conf platform.xml options.conf network.conf README.md; do
    check "the folder keeps its $file" cmp found/$file both/$file
done
check 'the folder of a network gets a model of measured kernels' grep -q "^# Measured by 'timeless calibrate kernels'" both/model.conf
check 'the history has both calibrations' test "$(cut -d, -f2 both/history.csv | uniq | paste -sd,)" = what,network,kernels
check 'kernels are calibrated into a new folder' "$timeless" calibrate kernels --reuse raw.csv -o later
cp later/model.conf measured.conf
check 'a network is calibrated into the folder of kernels' "$timeless" calibrate network --reuse known.csv -o later
check 'calibrating the network keeps the model' cmp measured.conf later/model.conf
check 'calibrating the network writes the platform' cmp found/platform.xml later/platform.xml
check 'calibrating the network writes the options' cmp found/options.conf later/options.conf

# ---- what goes wrong ----
check_exit 2 'an empty list of hosts exits with 2' "$timeless" calibrate network -o x --hosts ,
check_exit 4 'a folder that cannot be created exits with 4' "$timeless" calibrate network -o /nowhere/x
check 'a launcher that does not exist is named' ends_with 4 \
    '~^timeless: /nowhere/mpirun: cannot be started: No such file or directory; ' \
    "$timeless" calibrate network -o x -- /nowhere/mpirun -np 2
check 'the exit code of a launcher that fails is reported' ends_with 4 '~^timeless: sh ended with code 7 before all was measured; ' \
    "$timeless" calibrate network -o x -- sh -c 'exit 7'
check 'a measurement with one rank reports that it needs two' ends_with 3 '~^timeless: the measuring program needs 2 ranks or more' \
    "$timeless" calibrate network -o x -- "$MPIRUN" -np 1
check_exit 3 'a file of another kind exits with 3' "$timeless" calibrate network --reuse known.xml -o x
head -n 3000 known.csv >cut.csv
check 'measurements that break off are reported as such' ends_with 3 \
    '~^timeless: cut.csv: the measurements break off; measure again$' "$timeless" calibrate network --reuse cut.csv -o x
sed '100s/,/;/' known.csv >damaged.csv
check 'a damaged line is named' ends_with 3 '~^timeless: damaged.csv:100: ' "$timeless" calibrate network --reuse damaged.csv -o x
{ head -n 40 known.csv; echo '# end 30'; } >few.csv
check_exit 3 'too few measurements exit with 3' "$timeless" calibrate network --reuse few.csv -o x
tap_done
