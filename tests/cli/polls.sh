#!/usr/bin/env bash
# timeless replay --polls: a rank that looks for a message between its kernels and passes it on.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99

mkdir p
cat >p/platform.xml <<'XML'
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1"><zone id="z" routing="Full">
<cluster id="c" prefix="n" suffix="" radical="0-3" speed="1Gf" core="1" bw="1GBps" lat="1us"/></zone></platform>
XML
cat >p/model.conf <<'CONF'
reference_flops = 1e9;
units = ({unit = "cpu-ns"; seconds_per_unit = 1e-9;});
kernels = ({kernel = "dgemm"; intercept_s = 1.0; per_work_s = 1e-30;});
CONF

# chain NAME SECONDS KERNELS POLLED: rank 0 sends after SECONDS; rank 1 has ten kernels of 1 s, passes the
# message on after KERNELS of them, and has polled without success before each of POLLED...; rank 2 waits
# for it and computes 20 s.
chain() {
    local name=$1 late=$2 at=$3 n=0 k; shift 3
    {
        printf '%s\n' 'timeless-text 1' 'ranks 3' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
            "0 0 MPI_Send count=8 type_bytes=1 peer=1 tag=0 comm=1 volume=${late}00000000" 'end cut clock_ns=0' 'rank 1 host="h"'
        for ((k = 0; k <= 10; k++)); do
            if [ "$k" = "$at" ]; then
                echo "1 $n MPI_Iprobe peer=0 tag=0 comm=1"
                echo "1 $((n + 1)) MPI_Recv count=8 type_bytes=1 peer=0 tag=0 comm=1"
                echo "1 $((n + 2)) MPI_Send count=8 type_bytes=1 peer=2 tag=0 comm=1"
                n=$((n + 3))
            fi
            [ "$k" -lt 10 ] || continue
            case " $* " in *" $k "*) echo "1 $n dgemm m=1 n=1 k=1 polls=1" ;; *) echo "1 $n dgemm m=1 n=1 k=1" ;; esac
            n=$((n + 1))
        done
        printf '%s\n' "1 $n MPI_Barrier comm=2 clock_ns=0" 'end cut clock_ns=0' 'rank 2 host="h"' \
            '2 0 MPI_Recv count=8 type_bytes=1 peer=1 tag=0 comm=1' '2 1 MPI_Barrier comm=2 volume=20000000000 clock_ns=0' 'end cut clock_ns=0'
    } | "$timeless" undump - -o "$name.tl"
}
# ends NAME TRACE HOW "RANK1 RANK2": when the two ranks end, to 1e-4 s
ends() {
    local name=$1 trace=$2 how=$3 want=$4 got
    got=$("$timeless" replay "$trace.tl" -p p --polls "$how" --json | sed -n 's/^ *"end_s": \([^,]*\),*$/\1/p' | tail -n 2 | tr '\n' ' ')
    check "$name" awk -v want="$want" -v got="$got" 'BEGIN {
        split(want, a, " "); n = split(got, b, " "); print want " expected, " got " replayed"
        for (i = 1; i <= 2; i++) { d = b[i] - a[i]; if (d > 1e-3 || d < -1e-3) exit 1 }
        exit n != 2 }'
}
# In the run the message was there after 5 kernels; rank 1 had looked for it before each.
chain early 25 5 0 1 2 3 4
ends 'recorded: where it was in the run' early recorded '10 25'
ends 'adaptive: a message that comes earlier is passed on at the poll after it' early adaptive '10 23'
chain late 75 5 0 1 2 3 4
ends 'recorded: the rank waits for a late one' late recorded '12.5 27.5'
ends 'adaptive: it computes on, and passes it on at the next kernel' late adaptive '10 28'
chain later 125 5 0 1 2 3 4
ends 'at the latest before the next call it waits' later adaptive '12.5 32.5'
chain seldom 25 5 0 4
ends 'only where the program polled' seldom adaptive '10 24'
chain never 25 5
ends 'nowhere else before' never adaptive '10 25'
chain first 45 0
ends 'from the first kernel on' first adaptive '10 25'
ends 'while recorded waits' first recorded '14.5 24.5'

# Work in pieces: rank 1 does so many pieces of two columns, and the other six columns at once when the
# message has come; a kernel takes a second, however large it is.  Then a kernel on nothing, and a barrier.
# pieces NAME SECONDS PIECES
pieces() {
    local name=$1 late=$2 n=0 k
    {
        printf '%s\n' 'timeless-text 1' 'ranks 3' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
            "0 0 MPI_Send count=8 type_bytes=1 peer=1 tag=0 comm=1 volume=${late}00000000" 'end cut clock_ns=0' 'rank 1 host="h"' \
            'site 1 object="a" offset=1' 'site 2 object="a" offset=2'
        for ((k = 0; k < $3; k++)); do
            echo "1 $n dgemm m=1 n=2 k=1 polls=1 site=1"
            n=$((n + 1))
        done
        echo "1 $n MPI_Iprobe peer=0 tag=0 comm=1"
        echo "1 $((n + 1)) MPI_Recv count=8 type_bytes=1 peer=0 tag=0 comm=1"
        echo "1 $((n + 2)) dgemm m=1 n=6 k=1 site=2"
        echo "1 $((n + 3)) dgemm m=1 n=0 k=1 polls=7 site=1"
        printf '%s\n' "1 $((n + 4)) MPI_Barrier comm=2 clock_ns=0" 'end cut clock_ns=0' 'rank 2 host="h"' \
            'site 1 object="a" offset=2' 'site 2 object="a" offset=1' '2 0 dgemm m=1 n=2 k=1 polls=1 site=2' \
            '2 1 MPI_Iprobe peer=2 tag=0 comm=1' '2 2 MPI_Recv count=8 type_bytes=1 peer=2 tag=0 comm=1' '2 3 dgemm m=1 n=8 k=1 site=1' 'end cut clock_ns=0'
    } | sed '/^2 [12] /s/peer=2/peer=null/' | "$timeless" undump - -o "$name.tl"
}
pieces soon 5 3
ends 'pieces: where they were in the run' soon recorded '4 2'
ends 'what the program would do at once is one kernel' soon adaptive '2 1'
pieces slow 45 3
ends 'what it would do in pieces is cut: three pieces, two more while it waits, the rest' slow adaptive '6 1'
pieces slower 105 3
ends 'with no work left it waits' slower adaptive '10.5 1'
pieces at_once 15 0
ends 'pieces that only another rank was seen to do' at_once adaptive '3 1'

# A call of MPI between the poll and the message: rank 1 makes it, and then the kernels, also when the message
# comes much later; rank 2 waits for the call.  The first time shows that the program does so.
passing() {
    cat <<'TXT'
timeless-text 1
ranks 3
volume_unit "cpu-ns"
rank 0 host="h"
0 0 MPI_Send count=8 type_bytes=1 peer=1 tag=0 comm=1
0 1 MPI_Send count=8 type_bytes=1 peer=1 tag=1 comm=1 volume=20000000000
end cut clock_ns=0
rank 1 host="h"
site 1 object="a" offset=1
site 2 object="a" offset=2
site 5 object="a" offset=5
site 9 object="a" offset=9
1 0 dgemm m=1 n=1 k=1 site=9
1 1 MPI_Send count=8 type_bytes=1 peer=2 tag=7 comm=1 polls=1 site=5
1 2 dgemm m=1 n=2 k=1 polls=1 site=1
1 3 MPI_Iprobe peer=0 tag=0 comm=1
1 4 MPI_Recv count=8 type_bytes=1 peer=0 tag=0 comm=1
1 5 dgemm m=1 n=6 k=1 site=2
1 6 dgemm m=1 n=1 k=1 site=9
1 7 MPI_Iprobe peer=0 tag=1 comm=1
1 8 MPI_Recv count=8 type_bytes=1 peer=0 tag=1 comm=1
1 9 MPI_Send count=8 type_bytes=1 peer=2 tag=7 comm=1 site=5
1 10 dgemm m=1 n=6 k=1 site=2
1 11 MPI_Barrier comm=2 clock_ns=0
end cut clock_ns=0
rank 2 host="h"
2 0 MPI_Recv count=8 type_bytes=1 peer=1 tag=7 comm=1
2 1 MPI_Recv count=8 type_bytes=1 peer=1 tag=7 comm=1
end cut clock_ns=0
TXT
}
passing | "$timeless" undump - -o passing.tl
ends 'recorded: the call waits for the message before it' passing recorded '21 20'
ends 'adaptive: the program goes on to the call as it did before' passing adaptive '20 3'
passing | sed 's/ polls=1//' | "$timeless" undump - -o unseen.tl
ends 'not if it was never seen to' unseen adaptive '21 20'
passing | sed '/^1 7/s/comm=1/& polls=2/' | "$timeless" undump - -o spins.tl
ends 'nor where it polls again and again' spins adaptive '21 20'
# A message that does not pass on what has come stays where it is.
passing | sed 's/^1 5 dgemm.*/1 5 MPI_Send count=8 type_bytes=1 peer=2 tag=7 comm=1/; s/^1 9 .*/1 9 dgemm m=1 n=1 k=1/; s/20000000000/0/' |
    "$timeless" undump - -o stays.tl
ends 'a send of another message does not move with the receive' stays adaptive '5 2'

# Without polls nothing changes: bit by bit, also by rank.
"$top_builddir/tests/golden/make_trace" ring ring.tl
check 'a ring' "$timeless" replay ring.tl -p p --no-compute --json=a.json
check 'a ring, adaptive' "$timeless" replay ring.tl -p p --no-compute --polls adaptive --json=b.json
check 'a program without polls ends the same' cmp <(grep '_s"' a.json) <(grep '_s"' b.json)
check 'what was chosen is kept' grep -q '"options": "polls:adaptive"' b.json
"$timeless" replay late.tl -p p --polls adaptive --json=c.json >/dev/null
"$timeless" replay late.tl -p p --polls adaptive --json=d.json >/dev/null
check 'the same bytes each time' cmp c.json d.json
check_exit 2 'a wrong choice' "$timeless" replay late.tl -p p --polls later
tap_done
