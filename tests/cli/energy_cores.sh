#!/usr/bin/env bash
# energy_cores.sh - the energy of threads, of ranks that wait, sleep and end early: by hand, in both engines, to 1e-9.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

# c busy cores of the host need 60 + 10 c watts, and no busy core 40 watts.
mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<host id="n0" speed="1Gf" core="4"><prop id="wattage_per_state" value="40:60:100"/></host>
<host id="n1" speed="1Gf" core="4"><prop id="wattage_per_state" value="40:60:100"/></host>
<link id="l" bandwidth="1GBps" latency="0us"/>
<route src="n0" dst="n1"><link_ctn id="l"/></route>
</zone></platform>
XML
model() { printf '%s\n' 'version = 2;' 'reference_flops = 1e9;' 'units = ( { unit = "cpu-ns"; seconds_per_unit = 1e-9; } );' \
    'kernels = ( { kernel = "dgemm"; seconds = { mnk = 1e-6; }; } );' "$@"; }
model >p/model.conf
model 'kernel_threads = 4;' >blas.conf

# trace NAME RANK...: the events of a rank are separated by ';', without their time
trace() {
    local name=$1 r=0 n event rank; shift
    { printf '%s\n' 'timeless-text 1' "ranks $#" 'volume_unit "cpu-ns"'
      for rank; do
          echo "rank $r host=\"h\""; n=0
          while read -rd ';' event; do echo "$r $n $event"; n=$((n + 1)); done <<<"$rank;"
          echo 'end cut clock_ns=0'; r=$((r + 1))
      done; } | "$timeless" undump - -o "$name.tl" || exit 99
}
# needs NAME JOULES TRACE OPTION...: of the hosts with ranks; JOULES may name the ends of the ranks, e[0] ..., and the makespan
needs() {
    local name=$1 joules=$2 trace=$3 engine; shift 3
    for engine in smpi loggops; do
        check "$engine: $name" sh -c '"$0" replay "$@" --json=p.json >/dev/null && python3 -c "
import json
p = json.load(open(\"p.json\"))
e, makespan = [r[\"end_s\"] for r in p[\"ranks\"]], p[\"makespan_s\"]
wanted = '"$joules"'
print(p[\"energy\"], wanted)
assert abs(p[\"energy\"][\"job_j\"] - wanted) <= 1e-9 * wanted"' "$timeless" $trace.tl -p p --engine $engine "$@"
    done
}
idle='--set energy.wait=idle'
s=000000000 # nanoseconds of a second

# 1. Threads of a region: 1 s before it, then 1 s of four threads; with two threads, 2 s.
region="Parallel list=[1$s,0,0,1$s,1$s,1$s,1$s] volume=5$s site=0"
trace region "$region"
needs 'each thread of a region has a core' '70 + 100' region
needs 'no thread waits: the same with libraries that sleep' '70 + 100' region $idle
needs 'two threads have two cores' '70 + 2 * 80' region --rank-threads 2
needs 'eight threads have the four cores of the host' '70 + 100' region --rank-threads 8
trace both "$region" "$region"
needs 'two ranks have two cores each' '80 + 2 * 100' both
needs 'on a host each: twice the energy of one' '2 * (70 + 100)' both --ranks-per-host 1

# 2. One thread works for 1 s, the other for 3 s; before, 1 s of one thread while the other waits.
trace uneven "Parallel list=[0,1$s,0,1$s,3$s] volume=5$s site=0"
needs 'a thread polls at the end of its region' '4 * 80' uneven
needs 'or sleeps' '70 + 80 + 2 * 70' uneven $idle

# 3. A kernel of 2 s of a BLAS with four threads; two ranks share them, and it takes twice as long.
kernel='dgemm list=[1000,1000,2]'
trace kernel "$kernel"
trace kernels "$kernel" "$kernel"
needs 'a kernel of one thread' '2 * 70' kernel
needs 'a kernel of four threads' '2 * 100' kernel --model blas.conf
needs 'two of them share the cores' '4 * 100' kernels --model blas.conf

# 4. A rank waits 2 s for a message of the other, and so does one on another host.
trace wait "MPI_Recv count=1 type_bytes=1 peer=1 tag=0 comm=1 volume=1$s" "MPI_Send count=1 type_bytes=1 peer=0 tag=0 comm=1 volume=3$s"
needs 'a rank polls while it waits' '40 * makespan + 20 * max(e) + 10 * (e[0] + e[1])' wait
needs 'on its own host, too' '2 * 40 * makespan + 30 * (e[0] + e[1])' wait --ranks-per-host 1
check 'these are 3 s of 80 W' sh -c '"$0" replay wait.tl -p p | grep -qE "^of the job +240 J"' "$timeless"
check 'a rank that sleeps: 1 s of 80 W and 2 s of 70 W' sh -c '"$0" replay wait.tl -p p $1 | grep -qE "^of the job +220 J"' "$timeless" "$idle"

# 5. One that ends early, one that sleeps for 1 s: no library polls then.
trace early "Parallel list=[0,0,0,1$s] volume=1$s site=0" "Parallel list=[0,0,0,3$s] volume=3$s site=0"
needs 'a rank that has ended needs no core' '80 + 2 * 70' early
needs 'nor with libraries that sleep' '80 + 2 * 70' early $idle
trace asleep "Sleep count=1$s volume=2$s"
needs 'nor one that sleeps' '2 * 70 + 40' asleep
needs 'nor one that sleeps, with libraries that do' '2 * 70 + 40' asleep $idle

# Threads that call MPI. Thread 0 computes for 1 s; then it does for 1 s, and thread 1 for 3 s.
mpi='MPI_Barrier comm=2 clock_ns=0'
trace threads "$mpi volume=1$s;Thread tag=1;$mpi volume=3$s;Thread tag=0;$mpi volume=1$s"
needs 'a thread computes while another one polls' '70 + 3 * 80' threads
needs 'or sleeps' '70 + 80 + 2 * 70' threads $idle

needs 'by the options of the platform, too' '70 + 80 + 2 * 70' uneven --cfg timeless/idle-waits:yes
needs 'an option of the command line has priority' '4 * 80' uneven --cfg timeless/idle-waits:yes --set energy.wait=busy
cp -r p idle && echo timeless/idle-waits:yes >idle/options.conf
of_job() { "$timeless" replay uneven.tl "$@" | grep '^of the job'; }
check 'in options.conf' equal "$(of_job -p idle)" "$(of_job -p p $idle)"

check 'another word is refused' refused 2 "'often' is not the state of cores that wait; give idle or busy" \
    "$timeless" replay early.tl -p p --set energy.wait=often
check 'a name is refused' refused 2 'energy has no names; write energy.wait=idle' \
    "$timeless" replay early.tl -p p --set energy:n0.wait=idle
check 'a sweep has it as an axis' sh -c '"$0" sweep wait.tl -p p --grid set.energy.wait=busy,idle -o s.csv &&
    test "$(grep -cE "^(busy|idle),.*,(240|220)\.0*[0-9]*," s.csv)" = 2' "$timeless"
tap_done
