#!/usr/bin/env bash
# timeless replay: several runs on one platform at once, and where their ranks are.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="1" bw="1GBps" lat="1us"
  loopback_bw="5GBps" loopback_lat="200ns" bb_bw="100MBps" bb_lat="10us"/></zone></platform>
XML
printf '%s\n' 'reference_flops = 1e9;' 'units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});' >p/model.conf

# trace NAME VOLUME BYTES: two ranks compute, and one sends to the other
trace() {
    printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' '0 0 MPI_Init clock_ns=0' \
        "0 1 MPI_Send count=$3 type_bytes=1 peer=1 tag=0 comm=1 volume=$2" '0 2 MPI_Finalize clock_ns=5' \
        'end finalized clock_ns=5' 'rank 1 host="h"' '1 0 MPI_Init clock_ns=0' \
        "1 1 MPI_Recv count=$3 type_bytes=1 peer=0 tag=0 comm=1 volume=$2" '1 2 MPI_Finalize clock_ns=5' \
        'end finalized clock_ns=5' | "$timeless" undump - -o "$1"
}
# ends ARGUMENTS...: the makespan of each job
ends() { "$timeless" replay -p p -q "$@"; }
# ends_near NAME EXPECTED ARGUMENTS...: the makespans are these; a message without bytes takes 24 us
ends_near() {
    local name=$1 expected=$2; shift 2
    check "$name" awk -v want="$expected" -v got="$(ends "$@" | tr '\n' ' ')" 'BEGIN {
        n = split(want, a, " "); m = split(got, b, " "); print want " expected, " got " replayed"
        for (i = 1; i <= n; i++) { d = b[i] / a[i] - 1; if (d > 5e-5 || d < -1e-6) exit 1 }
        exit n != m }'
}
check 'a trace of computation is made' trace compute.tl 1000000000 0
check 'a message of 100 MB' trace message.tl 0 100000000
alone=$(ends message.tl)
printf 'n%d\n' 0 1 >first; printf 'n%d\n' 2 3 >last; echo n0:4 >one

ends_near 'computation alone' '1' compute.tl
ends_near 'jobs on hosts of their own do not meet' '1 1' compute.tl compute.tl
ends_near 'two jobs on one core: each takes twice as long' '2 2' compute.tl compute.tl --hostfile first --hostfile first
ends_near 'half a second later' '1.5 1.5' compute.tl compute.tl@0.5 --hostfile first --hostfile first
ends_near 'one after the other' '1 1' compute.tl compute.tl@1 --hostfile first --hostfile first
ends_near 'the start has a unit if one likes, the order is free' '1.5 1.5' compute.tl@0.5s compute.tl --hostfile first --hostfile first
ends_near 'one host file for all: the second job takes what is left' '4 4' compute.tl compute.tl --hostfile one
ends_near 'messages over one backbone share it' "$(awk -v a="$alone" 'BEGIN {
    # factors of SMPI for messages of this size: 0.940694 of the bandwidth, and 1.05 for the data against acknowledgements
    s = 1.05 * 1e8 / (0.940694 * 1e8); printf "%.9g %.9g", a + s, a + s }')" message.tl message.tl
ends_near 'or do not, later' "$alone $alone" message.tl message.tl@10 --hostfile first --hostfile last
ends_near 'three jobs' '1 2 2' compute.tl compute.tl@1.0 compute.tl@1 --hostfile first --hostfile last --hostfile last

check 'JSON of all jobs' "$timeless" replay -p p message.tl compute.tl@2 --json=a.json
cp out printed
check 'the text has all jobs' test "$(grep -c '^makespan ' printed)" = 2
check 'the text of a job has its start' grep -q '^started at  *2 s' printed
check 'the JSON is one object with all jobs' json a.json '
assert d["format"] == "timeless-predictions-1"
assert [j["start_s"] for j in d["jobs"]] == [0, 2]
assert [j["trace"] for j in d["jobs"]] == ["message.tl", "compute.tl"]
assert d["makespan_s"] == max(j["start_s"] + j["makespan_s"] for j in d["jobs"])
assert [[r["host"] for r in j["ranks"]] for j in d["jobs"]] == [["n0", "n1"], ["n2", "n3"]]'
"$timeless" replay -p p message.tl compute.tl@2 --json >b.json
check 'two predictions of jobs have the same bytes' cmp a.json b.json
hosts() { "$timeless" replay -p p --json "$@" | sed -n 's/^ *"host": "\(.*\)",*$/\1/p' | tr '\n' ' '; }
check '--round-robin places the ranks of two jobs' test "$(hosts compute.tl compute.tl --round-robin --ranks-per-host 2)" = 'n0 n1 n2 n3 '
check 'ranks on each host' test "$(hosts compute.tl compute.tl --ranks-per-host 2)" = 'n0 n0 n1 n1 '
printf 'rank 1=n3 slot=0\nrank 0=n2\n' >ranks
check 'ranks by a rank file' test "$(hosts compute.tl --hostfile ranks)" = 'n2 n3 '
cp compute.tl run@5
check 'a file whose name looks like a start' test "$(hosts run@5)" = 'n0 n1 '
check 'a start that is none: a wrong start is answered by TRACE@10' refused 2 \
    "'compute.tl@soon': give the start in seconds, as TRACE@10" \
    "$timeless" replay -p p compute.tl@soon
check_exit 2 'a negative start exits with 2' "$timeless" replay -p p compute.tl@-1
check_exit 2 'two host files for three jobs' "$timeless" replay -p p compute.tl compute.tl compute.tl --hostfile first --hostfile last
check 'more ranks than places: counted over all jobs' refused 3 \
    '4 hosts have room for 4 ranks, but the trace has 6' \
    "$timeless" replay -p p compute.tl compute.tl compute.tl
check_exit 3 'a comparison is of one job' "$timeless" compare a.json
tap_done
