#!/usr/bin/env bash
# calibrate_hosts.sh - timeless calibrate kernels on several hosts: fits by host and socket, outliers, days, from made-up measurements.
. "$(dirname "$0")/../tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99

# made SEED HOST:FACTOR...: dgemm and dgemv on 8 (hosts) hosts of two sockets; hosts differ by 0.7 % (of_hosts), sockets of a host by
# 0 (of_sockets).  Some hosts take FACTOR times as long.  Sockets have cores 0, 2 and 1, 3.
made() {
    echo "# seed 1 instruction_s 2e-10 threads 1 moment 2026-${day:-11-30}T00:00:00Z processor Made Up"
    echo kernel,d0,d1,d2,work,core,repeats,seconds
    awk -v seed="$1" -v slow="${*:2}" -v hosts=${hosts:-8} -v host_sd=${of_hosts:-0.007} -v socket_sd=${of_sockets:-0} 'function gauss() { return sqrt(-2 * log(1 - rand())) * cos(6.2831853 * rand()) }
        BEGIN { srand(seed); n = split(slow, list, " "); for (i = 1; i <= n; i++) { split(list[i], p, ":"); factor[p[1]] = p[2] }
            for (h = 1; h <= hosts; h++) {
                print "# host n" h " sockets 0,1,0,1"
                of_host = (h in factor ? factor[h] : 1) * (1 + host_sd * gauss())
                for (c = 0; c < 2 && socket_sd; c++) of_socket[c] = socket_sd * gauss()
                for (c = 0; c < 4; c++) for (i = 0; i < 30; i++) {
                    m = int(50 + 2000 * rand()); k = 32 * int(1 + 8 * rand())
                    t = of_host * (1 + of_socket[c % 2]) * (1 + 0.01 * gauss())
                    printf "dgemm,%d,%d,%d,1,%d,1,%.9g\n", m, m, k, c, t * (1e-6 + 7e-11 * m * m * k)
                    printf "dgemv,%d,%d,0,1,%d,1,%.9g\n", m, k, c, t * (1e-6 + 1e-9 * m * k) } } }'
}
fit() { keep_outputs "$timeless" calibrate kernels --reuse "$1" --model-form m1 --noise-form n1 "${@:2}"; }
named() { sed -n 's/^timeless: \(n[0-9]* socket [0-9]\): dgemm takes .* on the others.*/\1/p' said | tr '\n' ','; }

made 1 3:1.1 5:1.18 >slow.csv
check 'measurements of several hosts are fitted' fit slow.csv -o here
check 'hosts that are 10 and 18 % slower are named, by socket' equal "$(named)" 'n3 socket 0,n3 socket 1,n5 socket 0,n5 socket 1,'
check 'the message states by how much' says '~^timeless: n5 socket 1: dgemm takes 1[6-9]\.[0-9]% longer, dgemv takes 1[6-9]' said
check 'the model states the spread of the other hosts' between \
    "$(sed -n 's/^variability = { host_sd = \([0-9.]*\); day_sd = 0.00000; };/\1/p' here/model.conf)" 0.003 0.012
check 'there are 8 hosts of 4 cores' sh -c 'tr -d "\n" <here/platform.xml | grep -q "radical=\"0-7\".*core=\"4\""'
check 'the folder keeps each socket' equal "$(grep -c 'dgem[mv] s per unit of work of n[1-8] socket [01]' here/history.csv)" 32
check 'the page shows them' grep -q '<td>n5 socket 1</td>.*unlike the others' here/kernels.html

# The time of a product on a core of a host, from 0 on; one rank a core.
seconds_on() { # FOLDER HOST
    trace one 'dgemm m=1000 n=1000 k=64'
    echo "$2" >hostfile
    makespan one.tl -p "$1" --hostfile hostfile
}
check 'a slow host takes longer in a replay' near "$(seconds_on here node-4)" "1.18 * $(seconds_on here node-1)" 0.04
check 'the pattern of a socket lists its cores' grep -q '^{ hosts = "node-4:@(0|2)";$' here/model.conf
check 'the last socket of a host takes all other cores' grep -q '^{ hosts = "node-4";$' here/model.conf

# Host 1 has more cores, a slow host another rate of instructions, and the last one no counter.
sed -e 's/^# host n1 .*/# host n1 sockets 0,1,0,1,0,1 instruction_s 3e-10/' -e 's/^# host n5 .*/& instruction_s 9e-10/' \
    -e 's/^# host n8 .*/& instruction_s -1/' -e 's/^# host n[23467] .*/& instruction_s 2e-10/' slow.csv >uneven.csv
check 'measurements of hosts that are not alike are fitted' fit uneven.csv --raw again.csv -o uneven
check 'the rate of instructions is the median of hosts like the others' \
    grep -q 'unit = "instructions"; seconds_per_unit = 2.0000e-10;' uneven/model.conf
check 'a host has as many cores as the largest' grep -q 'core="6"' uneven/platform.xml
check 'its pattern lists its own cores' grep -q '^{ hosts = "node-0:@(0|2|4)";$' uneven/model.conf
check 'and that of another one only those' grep -q '^{ hosts = "node-1:@(0|2)";$' uneven/model.conf
check 'the measurements that are written again keep all' fit again.csv -o rewritten --archive none
check 'and give the same model' cmp uneven/model.conf rewritten/model.conf

none_is_named() {
    local seed
    for seed in $(seq 10 15); do
        made $seed >none.csv
        fit none.csv --archive none -o none.conf || return
        [ -z "$(named)" ] || { echo "$seed: $(named)"; return 1; }
    done
}
check 'no host is named where none was planted' none_is_named

# With seeds 1 to 20, a test of single sockets finds both sockets of both hosts 13 times, with one of hosts beside it 19 times.
hosts=32 of_hosts=0 of_sockets=0.02 made 16 3:1.1 5:1.18 >wide.csv
fit wide.csv --archive none -o wide.conf
check 'slow hosts are named where sockets differ by 2 %' equal "$(named)" 'n3 socket 0,n3 socket 1,n5 socket 0,n5 socket 1,'

# Of an earlier day, sockets that were unlike the others are no part of the spread between days.
made 3 5:1.18 >cool.csv
day=12-01 made 3 >repaired.csv
fit cool.csv -o cooled
fit repaired.csv -o cooled
check 'a host that was slow on another day does not widen the spread of days' \
    between "$(sed -n 's/^variability = .* day_sd = \([0-9.]*\); };/\1/p' cooled/model.conf)" 0 0.003

for i in 1 2 3 4; do
    day=11-0$i made $i >even.csv
    fit even.csv -o slowed
done
fit cool.csv -o slowed
check_exit 1 'a host that becomes slow fails the comparison of the history' "$timeless" compare --history slowed
keep_outputs "$timeless" compare --history slowed
check 'its sockets keep their names there' says '~\+1[5-9]\.[0-9]%. kernels: dgemm s per unit of work of n5 socket 1$' printed

# Another day: each host 2 % faster or slower.
made 2 >first.csv
day=12-01 made 2 1:1.02 2:0.98 3:1.02 4:0.98 5:1.02 6:0.98 7:1.02 8:0.98 >second.csv
fit first.csv -o days
check 'a second calibration gives the spread between days' fit second.csv -o days
day_sd=$(sed -n 's/^variability = .* day_sd = \([0-9.]*\); };/\1/p' days/model.conf)
check 'which is that between the two' near "$day_sd" 'sqrt(2) * 0.01' 0.15
cp days/model.conf model.conf && cp days/history.csv history.csv
check 'the same measurements are fitted once more' fit second.csv -o days
check 'they are no third calibration' cmp history.csv days/history.csv
check 'and give the same spread' equal "$(grep '^variability' days/model.conf)" "$(grep '^variability' model.conf)"
check 'the history can be compared' prints 'n4 socket 1' "$timeless" compare --history days

# A folder that has hosts of these names.
printf '%s\n' 'title = "own";' 'topology = "star";' 'prefix = "n"; first = 1;' 'nodes = 8;' \
    'node = { cores = 4; speed_flops = 1.0e9; };' 'link = { bandwidth_Bps = 1.0e9; latency_s = 1.0e-6; };' >own.txt
"$timeless" platform own.txt -o own >/dev/null 2>err
check 'a folder of a platform keeps it' fit slow.csv -o own
check 'and its hosts have their own names' grep -q '^{ hosts = "n5:@(0|2)";$' own/model.conf
cp "$top_srcdir/platforms/star-1g/platform.xml" own/platform.xml
fit slow.csv -o own
check 'nothing is said of hosts that have a place' sh -c '! grep -q "has no host" said'
check 'hosts of other names are taken in order' grep -q '^{ hosts = "node-4:@(0|2)";$' own/model.conf
check 'a comment has their names' grep -q '^# n5 socket 0: unlike the others' own/model.conf
check 'each core can have its own fit' fit slow.csv --per-core -o cores.conf
check 'of its host' grep -q '^{ hosts = "n5:2";$' cores.conf

sed 's/nodes = 8/nodes = 7/' own.txt >seven.txt
"$timeless" platform seven.txt -o seven >/dev/null 2>err
fit slow.csv -o seven
check 'a host for which the platform has none is named' says '~seven/platform.xml: has no host n8 and no other for it' said
check 'the others keep their names' grep -q '^{ hosts = "n5:@(0|2)";$' seven/model.conf

# A host alone, as the launcher starts it.
mkdir files
check 'a host measures into a folder' keep_outputs "$timeless" calibrate kernels --raw files/ --max-seconds 0 --cores 1 --nb 32
check 'it prints the path of the file' equal "$(cat printed)" "files/$(hostname).csv"
check 'the file has its name' grep -q "^# host $(hostname) sockets [0-9,]* instruction_s [-0-9.e]* processor ." "files/$(hostname).csv"
check 'a second process of a host is refused' refused 4 'start one process on each host' \
    "$timeless" calibrate kernels --raw files/ --max-seconds 0 --cores 1 --nb 32
check 'files of hosts can be put together' sh -c 'cat files/*.csv slow.csv >both.csv'
check 'and fitted' fit both.csv -o both.conf
check 'all hosts are in the model' equal "$(grep -c '^{ hosts = ' both.conf)" 17
check 'hosts and a trace are refused' refused 2 'neither --for nor --raw FOLDER/' \
    "$timeless" calibrate kernels --hosts a,b --for one.tl -o x
check 'a path of measurements must not be empty' refused 4 ':' "$timeless" calibrate kernels --raw '' --max-seconds 0 --cores 1 --nb 32
check 'cores of other hosts may be more than here' ends_with 4 'false ended with code 1' \
    "$timeless" calibrate kernels --cores 4000 --threads 2000 -o x -- false
echo '<platform' >bad.xml && mkdir bad && mv bad.xml bad/platform.xml
check 'a wrong platform is reported before the measurement' refused 3 'bad/platform.xml' "$timeless" calibrate kernels -o bad -- false
printf '%s\n' '"$@" && for last; do :; done && echo "${last}ghost.csv"' >ghost.sh
check 'a host whose measurements are not here is noticed' ends_with 4 'has the measurements of 1 of 2 hosts; give -o in a file system' \
    "$timeless" calibrate kernels --max-seconds 0 --cores 1 --nb 32 -o lost -- sh ghost.sh
check 'hosts without a folder are refused' refused 2 'several hosts: give -o' "$timeless" calibrate kernels --hosts a,b
check 'a folder for measurements and a result are refused' refused 2 'only measures' \
    "$timeless" calibrate kernels --raw files/ -o x
check 'a launcher that fails is reported' ends_with 4 'false ended with code 1' "$timeless" calibrate kernels -o x -- false
tap_done
