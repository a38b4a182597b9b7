#!/usr/bin/env bash
# measure.sh - timeless measure: rows of real ranks, their clocks, a hog on one core.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
here=$top_srcdir/tests/mpi
if is_of_other_mpi "$top_builddir/perform/.libs/timeless-perform"; then
    skip 'measurements' 'timeless-perform was built with Open MPI; configure --without-openmpi builds it with MPICH'; tap_done; exit
fi
measure() { timeout 120 $timeless measure "$@"; }

# ---- rows ----

has_rows() {
    measure allreduce --bytes 8,1000 --launches 2 --repetitions 30 --seed 5 -o rows.csv -- $MPIRUN -n 3 --oversubscribe >text && cat text &&
        equal "$(grep -c '^[0-9]' rows.csv)" $((2 * 2 * 30 * 3)) &&
        grep -q '3 ranks on 1 host, Open MPI v.*, 2 launches, start by window' text
}
check 'a row for each rank and repetition' has_rows
# No rank leaves an allreduce before the last one has entered it.
in_order() {
    awk -F, '/^[0-9]/ { k = $1 " " $3 " " $4; if (!(k in last) || $11 > last[k]) last[k] = $11;
        if (!(k in first) || $12 < first[k]) first[k] = $12; u[k] = $13 > u[k] ? $13 : u[k] }
        END { for (k in last) { n++; bad += first[k] < last[k] - u[k] }; print n, bad; exit !(n == 120 && !bad) }' "$1"
}
check 'no rank ends an allreduce before the last one has begun, within the uncertainty' in_order rows.csv
by_barrier() { measure bcast --start barrier --bytes 64 --launches 1 --repetitions 20 -o b.csv -- $MPIRUN -n 2 >/dev/null &&
    equal "$(grep '^[0-9]' b.csv | cut -d, -f9 | sort -u)" barrier; }
check '--start barrier is a column' by_barrier
in_loop() { measure bcast --start loop --bytes 64,1K --launches 1 --repetitions 20 -o l.csv --json=l.json -- $MPIRUN -n 2 >text && cat text &&
    equal "$(grep -c '^0,default,[0-9]*,[0-9]*,[01],.*,loop,.*,,,,,,$' l.csv)" 80 && grep -q "mean of the ranks' own times" text &&
    python3 - <<'END'
import csv, json
own, last = {}, 0
for r in csv.DictReader(l for l in open("l.csv") if l[0] != "#"):
    begin, end = float(r["begin_s"]), float(r["end_s"])
    assert r["rank"] == "1" or begin >= last, r
    last = end
    own.setdefault((int(r["bytes"]), int(r["repetition"])), []).append(end - begin)
for c in json.load(open("l.json"))["cases"]:
    means = sorted(sum(v) / len(v) for k, v in own.items() if k[0] == c["bytes"])
    assert means[0] - 2e-9 <= c["low_s"] <= c["median_s"] <= c["high_s"] <= means[-1] + 2e-9, (c, means)
END
}
check '--start loop has one call after the other, each the mean of the ranks, and no counters' in_loop
check '--start loop takes no operation of two calls' sh -c '! "$0" measure pingpong --start loop -o l.csv -- false 2>said &&
    grep -q "give window or barrier" said' $timeless
counted() { measure allreduce --bytes 64 --counters mpit:coll_monitoring_a2a_count,mpit:coll_monitoring_o2a_count --launches 1 \
    --repetitions 20 -o n.csv -- $MPIRUN -n 3 --oversubscribe >/dev/null && grep -q '^# counters mpit:coll_monitoring_a2a_count,mpit:coll_' n.csv &&
    equal "$(grep '^0,' n.csv | sed 's/.*,//' | sort -u)" '1;0'; }
check 'an allreduce is one call more in a variable of MPI_T of each rank, and none in another' counted
only_calls() { # rank 1 makes no call
    measure put --bytes 64K --inside=10000 --launches 1 --repetitions 300 -o p.csv -- $MPIRUN -n 2 >/dev/null &&
        [ "$(grep -c '^# inside [0-9]* P*MPI_' p.csv)" -gt 5 ] && ! grep -E '^# inside .*(MPI_Bcast|skel_next|tl_cursor)' p.csv
}
check 'samples are taken in the calls alone' only_calls
unknown() { ! measure allreduce --counters mpit:none -o n2.csv -- $MPIRUN -n 2 2>said && grep -q 'has no variable mpit:none' said; }
check 'a variable that the library does not have is named' unknown
others() {
    local operation
    for operation in iallreduce alltoallv pingpong issend sendrecv_replace put accumulate; do
        measure $operation --bytes 64 --launches 1 --repetitions 12 -o o.csv -- $MPIRUN -n 2 >text || return
        equal "$(grep -c '^[0-9]' o.csv)" 24 || return
    done
}
check 'nonblocking collectives, those with a size for each rank, messages and one-sided operations are measured' others
traced() {
    $timeless make ring --ranks 3 --iterations 20 -o made.tl >/dev/null &&
        $timeless dump made.tl | sed 's/^\([0-9]*\) \([0-9]*\) MPI_Finalize/\1 \2 Sleep count=1000\n\1 XX MPI_Finalize/' |
        awk '$2 == "XX" { $2 = last + 1 } { last = $2; print }' | $timeless undump - -o ring.tl && measure ring.tl --launches 2 -o t.csv -- $MPIRUN -n 3 \
        --oversubscribe >text && cat text && grep -q '3  MPI_Sendrecv at ring+0x8  *480 ' text &&
        equal "$(grep -c '^[01],MPI_Sendrecv at ring+0x8,3,79,[012],' t.csv)" 6 &&
        sort -t, -k11,11g t.csv | awk -F, '/^0,/ && $5 == 1 { if ($11 < last) exit 1; last = $12; n++ } END { exit n != 80 }'
}
check 'each call of a trace is a row: its repetitions have numbers, and none begins before the one before has ended' traced

# ---- order and algorithms ----

cat >launcher <<END
#!/bin/sh
env | grep -E 'coll_tuned_allreduce_algorithm|ALLREDUCE_INTRA' | sort | tr '\n' ' ' >>parameters
echo >>parameters
exec "\$@"
END
chmod +x launcher
order() { measure allreduce --algorithms linear,rabenseifner --bytes 8,64,512 --launches 1 --repetitions 2 --seed "$1" -o s.csv \
    -- ./launcher $MPIRUN -n 2 >/dev/null && awk -F, '$5 == 0 { print $1, $2, $3 }' s.csv | uniq; }
seeds() { order 1 >a && order 1 >b && order 2 >c && equal "$(wc -l <a)" 6 && cmp a b && ! cmp -s a c; }
check 'launches, algorithms and sizes come in an order that the seed draws' seeds
parameters() { equal "$(grep -c 'OMPI_MCA_coll_tuned_allreduce_algorithm=6' parameters) $(grep \
    -c 'MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM=reduce_scatter_allgather' parameters) $(grep -c 'tuned_allreduce_algorithm=1' \
    parameters)" '3 3 3'; }
check 'the MPI library is told which algorithm it uses' parameters

# ---- clocks ----

check 'clock_apart.c compiles' ${CC:-gcc} -D_GNU_SOURCE -O2 -shared -fPIC -o "$scratch/apart.so" "$here/clock_apart.c" -lm
apart() {
    local since
    since=$(cut -d' ' -f1 /proc/uptime)
    measure allreduce --bytes 8..32K:8 --launches 1 --repetitions 200 -o apart.csv -- env CLOCK_APART_SINCE="$since" \
        LD_PRELOAD="$scratch/apart.so" $MPIRUN -n 3 --oversubscribe >/dev/null &&
        awk -v since="$since" -f "$here/clock_apart.awk" apart.csv
}
if [ "${SANITIZE:-}" ]; then skip 'clocks that are apart' 'a library cannot be loaded before the sanitizers'
else check 'clocks that are 1 s and 50 ppm apart agree within the stated uncertainty' apart; fi

# ---- planted causes ----

check 'plant.c compiles' $MPICC -D_GNU_SOURCE -O2 -shared -fPIC -o "$scratch/plant.so" "$top_srcdir/tests/accuracy/plant.c"
inside() { # a function that Open MPI calls to make progress is slow now and then
    chrt -r 1 timeout 120 $timeless measure allreduce --bytes 256K --inside --launches 1 --repetitions 5000 -o i.csv --json=i.json --page i.html -- env -u OMPI_MCA_mpi_yield_when_idle PLANT=progress \
        LD_PRELOAD="$scratch/plant.so" $MPIRUN -n 2 --bind-to core --cpu-list 0,1 >text && cat text && grep -q '^# inside_hz 1999' i.csv &&
        grep -q '^# inside [0-9]* .*PMPI_Allreduce|.*opal_progress|planted_progress|take_time' i.csv &&
        grep -qE '^ +[0-9.]+ %  +[0-9.]+ %  planted_progress$' text && grep -q ' %  planted_progress$' i.html && python3 -c '
import json; f = {f["name"]: f for f in json.load(open("i.json"))["functions"]}["planted_progress"]
assert f["outliers"] > 5 * f["good"], f'
}
# The ranks and the hog come before all other work of the machine, which would be a cause, too.
check 'hog.c compiles' ${CC:-gcc} -D_GNU_SOURCE -O2 -o "$scratch/hog" "$here/hog.c"
first_cpu=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
hogged() { # CPU
    local hog code
    ./hog "$1" >begun & hog=$!
    chrt -r 1 timeout 120 $timeless measure allreduce --bytes 512K --launches 1 --repetitions 2000 -o hog.csv -- $MPIRUN -n 2 \
        --bind-to core --cpu-list 0,1 >text
    code=$?
    kill $hog
    cat text
    [ $code = 0 ] && grep -q "time without the CPU, on CPU $1 of" text && ! grep -q "time without the CPU, on CPU $((1 - $1)) of" text
}
if ! chrt -r 1 true 2>/dev/null || [ "$(nproc)" -lt 2 ] || [ "$first_cpu" != 0 ]; then
    skip 'a hog on one core, and functions inside the calls' 'needs real-time priorities and CPUs 0 and 1'
else
    check 'a hog on CPU 1 is named, and CPU 0 is not' hogged 1
    if [ "${SANITIZE:-}" ]; then skip 'functions inside the calls' 'a library cannot be loaded before the sanitizers'
    else check '--inside names the function that is slow inside the MPI library' inside; fi
fi
tap_done
