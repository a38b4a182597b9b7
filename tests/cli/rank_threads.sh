#!/usr/bin/env bash
# timeless replay: parallel regions of OpenMP, on as many threads and cores as are asked for. What is
# expected is computed by the rule of timeless-replay(1), THREADS, from traces that are written here.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf" core="4"/><host id="n1" speed="1Gf" core="4"/>
<link id="l" bandwidth="1GBps" latency="0us"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route>
</zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >p/model.conf

# regions NAME RANKS EVENT...: each of the ranks has these events ("LIST VOLUME" is a region)
regions() {
    local name=$1 ranks=$2 rank n event; shift 2
    {
        printf '%s\n' 'timeless-text 1' "ranks $ranks" 'volume_unit "cpu-ns"'
        for ((rank = 0; rank < ranks; rank++)); do
            echo "rank $rank host=\"h\""; n=0
            for event; do
                case $event in
                MPI_*) echo "$rank $n $event" ;;
                *) echo "$rank $n Parallel list=[${event% *}] volume=${event#* } site=0" ;;
                esac
                n=$((n + 1))
            done
            echo 'end cut clock_ns=0'
        done
    } >"$name.txt"
    "$timeless" undump "$name.txt" -o "$name.tl"
}
seconds() { "$timeless" replay "$1.tl" -p p -q "${@:2}" || echo failed; }
takes() {
    local engine
    for engine in smpi loggops; do check "$engine: $1" near "$(seconds "${@:3}" --engine $engine)" "$2" 1e-9; done
}
# same NAME TRACE OPTION...: the options change nothing, with both engines, bit by bit
same() {
    local name=$1 trace=$2 engine; shift 2
    for engine in smpi loggops; do
        check "$engine: $name" test "$(seconds "$trace" --engine $engine)" = "$(seconds "$trace" --engine $engine "$@")"
    done
}

# 0.1 s before the region, 0.2 s of one thread while the other waits, two threads of 1 s and 3 s
regions one 1 '100000000,200000000,300000000,1000000000,3000000000 4300000000'
takes 'a region ends with its last thread' 3.3 one
same 'as many threads as in the run change nothing' one --rank-threads 2
takes 'one thread does the work of all' 4.3 one --rank-threads 1
takes 'three threads keep the imbalance' 2.3 one --rank-threads 3
takes 'four threads keep the imbalance' 1.8 one --rank-threads 4
takes 'eight threads on four cores share these' 1.3 one --rank-threads 8
takes '--set rank.threads is the same option' 1.8 one --set rank.threads=4

regions uneven 1 '0,0,0,100000001,300000007,70000003 470000011'
same 'as many threads as in the run: the same last digit' uneven --rank-threads 3
regions locked 1 '0,0,1700000000,1000000000,1000000000 2000000000'
takes 'work of one at a time does not shrink' 1.7 locked --rank-threads 4
takes 'nor does it take longer than all work' 2 locked --rank-threads 1
regions eight 1 "0,0,0$(printf ',1000000000%.0s' 1 2 3 4 5 6 7 8) 8000000000"
takes 'more threads in the run than the host has cores' 2 eight
regions serial 1 '500000000,0,0,1000000000 1500000000'
takes 'a run with one thread' 1.5 serial
takes 'a run with one thread, on two' 1 serial --rank-threads 2
regions scaled 1 '500000000,0,0,1000000000 3000000000'
takes 'a volume that was changed keeps its parts' 2 scaled --rank-threads 2
regions several 1 '0,0,0,1000000000 1000000000' 'MPI_Barrier comm=1 clock_ns=0 volume=500000000' '0,0,0,2000000000 2000000000'
takes 'computation outside of regions remains' 2 several --rank-threads 2

# The table of regions: the slowest thread takes 3 s, the mean one 2 s. A receive from any source, whose outcome is an event, is
# before the region.
{
    printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'site 1 object="app" offset=16' \
        '0 0 MPI_Irecv count=1 type_bytes=1 peer=any tag=0 comm=1 request=1 volume=70000000' '0 1 Match request=1 peer=1 tag=0' \
        '0 2 MPI_Wait request=1' '0 3 Parallel list=[100000000,200000000,300000000,1000000000,3000000000] volume=4300000000 site=1' \
        '0 4 Parallel list=[0,0,0,1000000000,3000000000] volume=4000000000 site=1' 'end cut clock_ns=0' 'rank 1 host="h"' \
        '1 0 MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1' 'end cut clock_ns=0'
} | "$timeless" undump - -o table.tl
table() { # ENGINE SLOWEST IMBALANCE [OPTION...]
    "$timeless" replay table.tl -p p --ranks-per-host 1 --engine "$1" --details "${@:4}" --json=table.json >table.txt &&
        grep -E '^parallel region +number +threads +slowest s +balance +imbalance s$' table.txt &&
        python3 - "$2" "$3" <<'END'
import json, sys
rows = json.load(open("table.json"))["details"]["parallel_regions"]
print(rows)
row, (slowest, imbalance) = rows[0], map(float, sys.argv[1:])
assert len(rows) == 1 and row["name"] == "Parallel app+0x10" and row["count"] == 2
assert abs(row["slowest_s"] - slowest) < 1e-6 and abs(row["imbalance_s"] - imbalance) < 1e-6 and abs(row["balance"] - 2 / 3) < 1e-6
END
}
for engine in smpi loggops; do
    check "$engine: the details have the slowest threads of regions, and their balance" table $engine 6 2
    check "$engine: with more threads than in the run, too" table $engine 3 1 --rank-threads 4
done
regions replaced 2 'MPI_Barrier comm=1 clock_ns=0' '0,0,0,1000000000,3000000000 4000000000' 'MPI_Barrier comm=1 clock_ns=0' \
    '0,0,0,1000000000,3000000000 4000000000'
regions_of() { "$timeless" replay replaced.tl -p p --ranks-per-host 1 --engine "$1" --details "${@:2}" | grep -A1 '^parallel region '; }
for engine in smpi loggops; do
    check "$engine: a schedule in place of a collective leaves the table of regions as it is" equal "$(regions_of $engine)" \
        "$(regions_of $engine --coll "barrier=$top_srcdir/traces/schedules/barrier_dissemination.sched")"
done
no_table() { ! grep parallel_regions <("$timeless" replay serial.tl -p p --details --json --no-compute); }
check 'without computation there is no table' no_table

# Ranks of a host have equal parts of its cores.
regions two 2 '0,0,0,1000000000,1000000000,1000000000,1000000000 4000000000'
takes 'two ranks on a host: two of its four cores each' 2 two --ranks-per-host 2
takes 'two ranks on two hosts: four cores each' 1 two --ranks-per-host 1
shared() {
    local engine
    for engine in smpi loggops; do
        "$timeless" replay two.tl -p p --engine $engine "$@" >shown 2>said && grep -Fx 'warning           2 ranks of up to 4 threads share the 4 cores of a host' shown &&
            grep -F 'to give each thread a core: --ranks-per-host 1' said || return 1
    done
}
check 'threads that share cores: a warning with the remedy' shared
check 'the remedy states the hosts that it needs' grep -F -- '--ranks-per-host 1, on at least 2 hosts' said
check_exit 1 'the remedy works' shared --ranks-per-host 1
filled() { printf 'n0 slots=2\n' >hosts; "$timeless" replay two.tl -p p --hostfile hosts 2>said >shown; cat said; grep -q 'regions take longer$' said; }
check 'with a file of hosts the warning has no remedy' filled
check_exit 1 'fewer threads do not share cores' shared --rank-threads 2
check_exit 1 'without computation regions take no time' shared --no-compute
check 'the JSON has what shares the cores' prints '"crowded_host":{"cores":4,"ranks":2,"threads":4}' bash -c \
    '"$0" replay two.tl -p p --json | tr -d " \n"' "$timeless"
regions three 3 '0,0,0,1000000000,1000000000,1000000000,1000000000 4000000000'
takes 'the rank that has a host to itself waits for nobody' 2 three --ranks-per-host 2
alone() { "$timeless" replay three.tl -p p --ranks-per-host 2 --engine "$1" --json |
    python3 -c 'import json, sys; print(*["%.17g" % r["end_s"] for r in json.load(sys.stdin)["ranks"]])'; }
for engine in smpi loggops; do
    check "$engine: hosts with fewer ranks have more cores for each" test "$(alone $engine)" = '2 2 1'
done
no_host() { local s; s=$("$timeless" replay one.tl --engine loggops --params L=1us,o=0,g=0,G=0,O=0 --model p/model.conf \
    -q --rank-threads 20) && echo "$s" && awk -v s="$s" 'BEGIN { exit !(s > 0.5999999 && s < 0.6000001) }'; }
check 'loggops: without hosts each thread has a core' no_host

# Cores that work at the same time, and the start and end of regions: rows of the model.
model() { # NAME ROWS [SETTINGS]
    printf '%s\n' 'version = 2;' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' \
        "parallel = { ${3:-} cores = ( $2 ); };" >"$1.conf"
}
rows='{ cores = 1; region_s = 0.0; arithmetic = 1.0; memory = 1.0; },
    { cores = 2; region_s = 0.1; arithmetic = 1.6; memory = 1.25; },
    { cores = 4; region_s = 0.3; arithmetic = 2.5; memory = 1.25; }'
model busy "$rows" 'shared_region_s = 0.5;'
model limited "$rows" 'bound = "memory";'
model arithmetic "$(sed 's/ memory = [0-9.]*;//' <<<"$rows")"
with() { takes "$1" "$2" "$3" --model busy.conf "${@:4}"; }
with 'two busy cores are 1.6 times as fast as one' '0.5 + 1 / 1.6 + 0.1' serial --rank-threads 2
with 'four cores' '0.5 + 1 / 2.5 + 0.3' serial --rank-threads 4
with 'three cores are between two and four' '0.5 + 1 / 2.05 + 0.2' serial --rank-threads 3
with 'one core works as in the run, and has no start and end' 1.5 serial
with 'eight threads on four cores: these, and two threads on a core' '0.5 + 0.25 * 4 / 2.5 + 0.5' serial --rank-threads 8
with 'as many threads as in the run: start and end alone' '3.3 + 0.1' one
with 'fewer threads than in the run have faster cores' '0.3 + 4 * 1.6 / 2' one --rank-threads 1
with 'slower cores keep the imbalance' '0.3 + 2 * (3 / 2.05) / (2 / 1.6) + 0.2' one --rank-threads 3
with 'work of one at a time is not slower' '1.7 + 0.3' locked --rank-threads 4
with 'each region starts and ends' '1 / 1.6 + 0.5 + 2 / 1.6 + 0.2' several --rank-threads 2
with 'cores of other ranks are busy, too' '4 * (2 / 1.6) / (4 / 2.5)' two --ranks-per-host 2 --rank-threads 1
with 'two ranks share four cores' '2 + 0.5' two --ranks-per-host 2
with 'a rank that has a host to itself has its cores' '4 * 1 / (4 / 2.5)' two --ranks-per-host 1 --rank-threads 1
sed 's/reference_flops = 1e9/reference_flops = 5e8/' busy.conf >slow.conf
takes 'seconds of start and end are of the reference host' 0.6125 serial --model slow.conf --rank-threads 2
with 'bursts that take half as long start regions as before' '(0.5 + 1 / 1.6) / 2 + 0.1' serial --rank-threads 2 --scale bursts 0.5
with 'a region bound by memory' '0.5 + 1 / 1.25 + 0.1' serial --rank-threads 2 --set region.bound=memory
takes 'a model whose regions are bound by memory' 1.4 serial --model limited.conf --rank-threads 2
takes 'and a region that is not' 1.225 serial --model limited.conf --rank-threads 2 --set region.bound=arithmetic
regions idle 1 '0,0,0,0,0 0'
with 'a region without work starts and ends' 0.1 idle
{
    printf '%s\n' 'timeless-text 1' 'ranks 1' 'volume_unit "cpu-ns"' 'rank 0 host="h"' 'site 1 object="app" offset=16' \
        'site 2 object="app" offset=256'
    for n in 0 1 2 3; do echo "0 $n Parallel list=[0,0,0,1000000000] volume=1000000000 site=$((1 + n % 2))"; done
    echo 'end cut clock_ns=0'
} | "$timeless" undump - -o sites.tl
with 'regions of one call site are bound by memory' '2 / 1.6 + 2 / 1.25 + 0.4' sites --rank-threads 2 --set region:app+0x100.bound=memory
with 'the last of several bounds counts' '2 / 1.6 + 2 / 1.25 + 0.4' sites --rank-threads 2 --set region.bound=memory \
    --set 'region:*x10.bound=arithmetic'
no_host_is_busy() { local s; s=$("$timeless" replay serial.tl --engine loggops --params L=1us,o=0,g=0,G=0,O=0 --model busy.conf \
    -q --rank-threads 2) && echo "$s" && awk -v s="$s" 'BEGIN { exit !(s > 1.2249999 && s < 1.2250001) }'; }
check 'loggops: without hosts as many cores are busy as there are threads' no_host_is_busy
check 'the prediction names the bound' prints 'region:app+0x10.bound=memory' \
    "$timeless" replay serial.tl -p p --model busy.conf --set region:app+0x10.bound=memory --json

# Without a measurement, memory feeds as many cores as the platform's bandwidth is a multiple of a core's: 2 of 24 GB/s.
narrow() { takes "$1" "$2" "$3" "${@:4}" --cfg timeless/memory-bandwidth:24e9 --set region.bound=memory; }
narrow 'two threads bound by memory are twice as fast' '0.5 + 1 / 2' serial --rank-threads 2
narrow 'four are no faster than two' '0.5 + 1 / 2' serial --rank-threads 4
narrow 'three are no faster, either' '0.5 + 1 / 2' serial --rank-threads 3
narrow 'one has the memory for itself that four shared' '8 / 2' eight --rank-threads 1
narrow 'two ranks of a host have half of it each' '4 / 2' two --ranks-per-host 2 --rank-threads 1
narrow 'with two threads they are no faster' '4 / 2' two --ranks-per-host 2 --rank-threads 2
narrow 'a model that states the limit of memory' '0.5 + 1 / 1.25 + 0.3' serial --model busy.conf --rank-threads 4
narrow 'a model that states other limits' '0.5 + 1 / 2 + 0.3' serial --model arithmetic.conf --rank-threads 4
takes 'a platform without memory has 200 GB/s, more than four cores need' 0.75 serial --rank-threads 4 --set region.bound=memory
takes 'a region bound by arithmetic scales on' 0.75 serial --rank-threads 4 --cfg timeless/memory-bandwidth:24e9
narrow_of() { "$timeless" replay serial.tl -p p --rank-threads 4 --set region.bound=memory "$@" 2>&1; }
check 'the platform is named' prints '~assumed 12 GB/s of a core, and 24 GB/s of a node as the platform states' \
    narrow_of --cfg timeless/memory-bandwidth:24e9
check 'an assumed bandwidth is named' prints '~200 GB/s of a node, because the platform does not state' narrow_of
check 'in the text, too' prints '~^regions +bound by memory: 200 GB/s of a node .assumed., 12 GB/s of a core .assumed.' narrow_of
check 'and in the JSON' sh -c '"$0" replay serial.tl -p p --rank-threads 4 --set region.bound=memory --json 2>said |
    python3 -c "import json, sys; m = json.load(sys.stdin)[\"region_memory\"]
assert m == {\"core_bytes_per_s\": 12e9, \"node_bytes_per_s\": 200e9, \"node_is_assumed\": True}, m" && [ "$(wc -l <said)" = 1 ]' "$timeless"
for bound in arithmetic 'memory --model busy.conf'; do
    check "no warning with $bound" sh -c '"$0" replay serial.tl -p p --rank-threads 4 -q --set region.bound=$1 2>said && [ ! -s said ]' \
        "$timeless" "$bound"
done
check 'a limit that nobody names is named as an assumption' prints '~does not tell what limits its parallel regions' \
    sh -c '"$0" replay serial.tl -p p --rank-threads 4 -q 2>&1' "$timeless"
check 'in the text, too' prints '~^regions +bound by arithmetic .assumed.' "$timeless" replay serial.tl -p p --rank-threads 4
check 'a model that names memory needs no warning' sh -c '"$0" replay serial.tl -p p --rank-threads 4 -q --model limited.conf 2>said &&
    [ ! -s said ]' "$timeless"

# A kernel of 1 s that was measured with four threads; hosts have four cores.
kernels() { # RANKS
    { printf '%s\n' 'timeless-text 1' "ranks $1"
      for ((rank = 0; rank < $1; rank++)); do
          printf '%s\n' "rank $rank host=\"h\"" "$rank 0 dgemm m=100 n=100 k=100" 'end cut clock_ns=0'
      done; } | "$timeless" undump - -o "kernels-$1.tl"
}
printf '%s\n' 'version = 2;' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' \
    'kernels = ({ kernel = "dgemm"; intercept_s = 0.0; per_work_s = 1e-6; });' >one-thread.conf
sed '$a kernel_threads = 4;' one-thread.conf >four-threads.conf
kernels 1; kernels 8
takes 'a rank with a core for each thread of its kernels' 1 kernels-1 --model four-threads.conf
takes 'ranks with a core and four threads of their kernels' 4 kernels-8 --model four-threads.conf
takes 'ranks with a core and a thread' 1 kernels-8 --model one-thread.conf

check 'the prediction names the threads' prints 'rank.threads=4' "$timeless" replay one.tl -p p --rank-threads 4 --json
# Exports have the computation that a region takes with the threads of the run, a core for each.
check 'a region is exported to GOAL' "$timeless" export --to goal one.tl -o one.goal
check 'GOAL has the time of the region' grep -q 'calc 3300000000$' one.goal
check 'a region is exported to SimGrid' "$timeless" export --to simgrid one.tl -o sg
check "SimGrid's text has the time of the region" grep -rqE 'compute 3\.?3' sg
check 'undump reads a region of dump' sh -c '"$0" dump one.tl >dump.txt && "$0" undump dump.txt -o again.tl &&
    "$0" dump again.tl | diff - dump.txt' "$timeless"
# A region has the name of its place, and not of the calls before and after it.
cat >named.txt <<'END'
timeless-text 1
ranks 1
volume_unit "cpu-ns"
rank 0 host="h"
site 1 object="a" offset=1 function="main" file="a.c" line=16
site 2 object="a" offset=2 function="smooth" file="a.c" line=3 function="main" file="a.c" line=18
site 3 object="a" offset=3 function="main" file="a.c" line=20
0 0 MPI_Barrier comm=1 clock_ns=0 site=1
0 1 Parallel list=[0,0,0,1000000,1000000] volume=2000000 site=2
0 2 MPI_Barrier comm=1 clock_ns=0 volume=500000 site=3
end cut clock_ns=0
END
"$timeless" undump named.txt -o named.tl
named() { # ENGINE
    "$timeless" replay named.tl -p ./p --engine "$1" --details --json=named.json -q && python3 -c '
import json
sites = {s["name"] for s in json.load(open("named.json"))["details"]["critical_path"]["sites"]}
assert sites >= {"compute smooth (a.c:3) < main (a.c:18)", "compute smooth (a.c:3) < main (a.c:18) .. main (a.c:20)"}, sites'
}
for engine in smpi loggops; do check "$engine: a region is named by its function and line" named $engine; done
tap_done
