#!/usr/bin/env bash
# export and import: SimGrid's own replay of the exported text takes as long as ours. What a format
# cannot say stands in exchange_refused.transcript.
. "$(dirname "$0")/../tap.sh"

cd "$scratch" || exit 1
# Slow links: smpirun prints six digits behind the point, which are to be ten digits of the makespan.
mkdir star
cat >star/platform.xml <<'END'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="star" prefix="h-" suffix="" radical="0-3" speed="1Gf" bw="30kBps" lat="70ms"/>
</platform>
END
cp "$top_srcdir"/tests/mpi/oracle/star/options.conf star/
printf 'h-%d\n' 0 1 2 3 >star/hosts

# Every call that the text can say, on four ranks.
python3 - >all.txt <<'END'
n = 4
print('timeless-text 1\nranks 4\nvolume_unit "instructions"\nprogram "all"')
for me in range(n):
    right, left, at = (me + 1) % n, (me - 1) % n, 0
    print(f'rank {me} host="h"')
    def e(text):
        global at
        print(me, at, text)
        at += 1
    e("MPI_Init clock_ns=0")
    for size in (0, 1, 1000, 70000, 300000):
        for tag in (5, 0):
            e(f"MPI_Irecv count={size} type_bytes=8 peer={left} tag={tag} comm=1 request=1 volume=7")
            e(f"MPI_Send count={size} type_bytes=8 peer={right} tag={tag} comm=1 volume={1000 * me}")
            e("MPI_Wait request=1")
        e(f"MPI_Irecv count={size} type_bytes=8 peer={left} tag=1 comm=1 request=1")
        e(f"MPI_Irecv count={size} type_bytes=1 peer={right} tag=2 comm=1 request=2")
        e(f"MPI_Irecv count=8 type_bytes=1 peer=null tag=2 comm=1 request=5")
        e(f"MPI_Isend count={size} type_bytes=8 peer={right} tag=1 comm=1 request=3")
        e(f"MPI_Isend count={size} type_bytes=1 peer={left} tag=2 comm=1 request=4")
        e("MPI_Wait request=2")
        e("MPI_Waitall list=[1,3,4,5,0]")
        for tag in (0, 9):
            e(f"MPI_Sendrecv count={size} type_bytes=4 peer={right} tag={tag} "
              f"recv_count={size} recv_type_bytes=4 recv_peer={left} recv_tag={tag} comm=1")
    e(f"MPI_Send_init count=11 type_bytes=2 peer={right} tag=3 comm=1 request=1")
    e(f"MPI_Recv_init count=11 type_bytes=2 peer={left} tag=3 comm=1 request=2")
    for i in range(2):
        e("MPI_Startall list=[1,2]")
        e("MPI_Waitall list=[1,2]")
    e("MPI_Request_free request=1")
    if me == 0:
        for source in (2, 1, 3):
            e(f"Match request=0 peer={source} tag=4")
            e("MPI_Recv count=100 type_bytes=1 peer=any tag=any comm=1")
    else:
        e("MPI_Send count=100 type_bytes=1 peer=0 tag=4 comm=1")
    for count in (1, 3000, 40000):
        for width in (1, 2, 4, 8, 16):
            at_root = me == 2
            e(f"MPI_Barrier comm=1 clock_ns=1")
            e(f"MPI_Bcast count={count} type_bytes={width} peer=1 comm=1")
            e(f"MPI_Reduce count={count} type_bytes={width} peer=2 comm=1")
            e(f"MPI_Allreduce count={count} type_bytes={width} comm=1 in_place=1")
            e(f"MPI_Scan count={count} type_bytes={width} comm=1")
            e(f"MPI_Exscan count={count} type_bytes={width} comm=1")
            r = f"recv_count={count if at_root else 0} recv_type_bytes={width if at_root else 0}"
            e(f"MPI_Gather count={count} type_bytes={width} peer=2 {r} comm=1")
            s = f"count={count if at_root else 0} type_bytes={width if at_root else 0}"
            e(f"MPI_Scatter {s} peer=2 recv_count={count} recv_type_bytes={width} comm=1")
            both = f"count={count} type_bytes={width} recv_count={count} recv_type_bytes={width} comm=1"
            e(f"MPI_Allgather {both}")
            e(f"MPI_Alltoall {both}")
            counts = [count + i for i in range(n)]
            text = ",".join(map(str, counts))
            e(f"MPI_Allgatherv count={counts[me]} type_bytes={width} recv_type_bytes={width} comm=1 list=[{text}]")
            e(f"MPI_Gatherv count={counts[me]} type_bytes={width} peer=2 "
              f"recv_type_bytes={width if at_root else 0} comm=1 list=[{text if at_root else ''}]")
            e(f"MPI_Scatterv type_bytes={width if at_root else 0} peer=2 "
              f"recv_count={counts[me]} recv_type_bytes={width} comm=1 list=[{text if at_root else ''}]")
            e(f"MPI_Reduce_scatter type_bytes={width} comm=1 list=[{text}]")
            each = ",".join(str(count + me + j) for j in range(n))
            e(f"MPI_Alltoallv type_bytes={width} recv_type_bytes={width} comm=1 list=[{each},{each}]")
    e("MPI_Pcontrol level=1 clock_ns=7 volume=3")
    e("MPI_Finalize clock_ns=9 volume=20")
    print("end finalized clock_ns=9")
END
check "a trace with every call of SimGrid's text is made" "$timeless" undump all.txt -o all.tl
# to_the_last_digit TRACE: as our replay predicts
to_the_last_digit() {
    "$timeless" replay "$1" --platform star --hostfile star/hosts --no-compute --json |
        python3 -c 'import json, sys; print("%.17g" % json.load(sys.stdin)["makespan_s"])'
}
# theirs LIST: as SimGrid's replay of the text predicts
theirs() {
    mapfile -t cfg < <(sed -n '/^[[:space:]]*#/d; /:/s/^/--cfg=/p' star/options.conf)
    timeout 60 "$SMPIRUN" -np 4 -platform star/platform.xml -hostfile star/hosts -replay "$1" \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1f "${cfg[@]}" >theirs.log 2>&1
    sed -n 's/.*Simulation time \([0-9.]*\).*/\1/p' theirs.log
}
same_time() { # to 1e-9, and both are long enough for that to be seen
    echo "ours $1, theirs $2"
    cat theirs.log | tail -n 3
    awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(b > 500 && d <= 1e-9 * b) }'
}
check 'the trace is exported to SimGrid' "$timeless" export --to simgrid all.tl -o text
check 'the export has a file for each rank' test "$(cat text/list.txt | wc -l)" = 4
check "SimGrid's replay takes as long as ours" same_time "$(to_the_last_digit all.tl)" "$(theirs text/list.txt)"
check "SimGrid's text is imported again" "$timeless" import --from simgrid text/list.txt -o again.tl
check "our replay of the import takes as long as SimGrid's" same_time "$(to_the_last_digit again.tl)" "$(theirs text/list.txt)"
check 'the import is exported again' "$timeless" export --to simgrid again.tl -o again
check 'export, import and export give the same text' sh -c 'for r in 0 1 2 3; do cmp text/rank-$r.txt again/rank-$r.txt || exit 1; done'
"$timeless" export --to simgrid --no-compute all.tl -o still
check '--no-compute leaves computation out' sh -c '! grep compute still/*.txt && grep -q "compute 3000$" text/rank-3.txt'
"$timeless" export --to simgrid --rate 0.5 all.tl -o half
check '--rate multiplies the volumes' grep -q 'compute 1500$' half/rank-3.txt

cat >pair.txt <<'END'
timeless-text 1
ranks 2
rank 0 host="h"
0 0 MPI_Isend count=10 type_bytes=8 peer=1 tag=3 comm=1 request=1 volume=500
0 1 dgemm m=2 n=3 k=4
0 2 MPI_Wait request=1
0 3 MPI_Finalize clock_ns=0 volume=30
end finalized clock_ns=0
rank 1 host="h"
1 0 MPI_Recv count=10 type_bytes=8 peer=0 tag=3 comm=1
1 1 MPI_Finalize clock_ns=0
end finalized clock_ns=0
END
cat >pair.expected <<'END'
num_ranks 2
rank 0 {
l1: calc 1000
l2: send 80b to 1 tag 3
l2 requires l1
l3: calc 24
l3 irequires l2
l4: calc 0
l4 requires l3
l4 requires l2
l5: calc 60
l5 requires l4
}
rank 1 {
l1: recv 80b from 0 tag 3
}
END
"$timeless" undump pair.txt -o pair.tl
check 'a trace is exported to GOAL' "$timeless" export --to goal --rate 2 --kernel dgemm=1 pair.tl -o pair.goal
check 'the export to GOAL has the expected schedules' diff -u pair.expected pair.goal

# Short bursts keep their sum, although GOAL has whole nanoseconds.
{ printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"'
  for ((i = 0; i < 1000; i++)); do
      echo "0 $i MPI_Sendrecv count=1 type_bytes=1 peer=0 tag=0 recv_count=1 recv_type_bytes=1 recv_peer=0 recv_tag=0 comm=1 volume=1"
  done
  echo 'end finalized clock_ns=0'; } | "$timeless" undump - -o short.tl
for rate in 0.3 0.5 0.7; do
    "$timeless" export --to goal --rate $rate short.tl -o short.goal
    check "1000 bursts of 1 unit, $rate ns each, are as many nanoseconds together" awk -v rate=$rate '$2 == "calc" { sum += $3 }
        END { d = sum - 1000 * rate; exit !(d >= -0.5001 && d <= 0.5001) }' short.goal
done

tap_done
