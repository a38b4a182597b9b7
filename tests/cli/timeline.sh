#!/usr/bin/env bash
# timeless replay --timeline: what each rank does when, in three formats that agree with the prediction.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
read_back="python3 $top_srcdir/tests/cli/timeline_read.py"

# Four ranks: bursts and kernels, blocking, nonblocking and persistent messages, collectives on two
# communicators, two regions.
{
    printf '%s\n' 'timeless-text 1' 'ranks 4' 'volume_unit "cpu-ns"'
    for r in 0 1 2 3; do
        echo "rank $r host=\"h\""
        echo "comm 3 parent=1 call=MPI_Comm_split members=[$((r % 2)),$((r % 2 + 2))]"
        n=0
        event() { echo "$r $n $*"; n=$((n + 1)); }
        event MPI_Init clock_ns=0
        event MPI_Comm_split new_comm=3 comm=1
        event MPI_Pcontrol level=1 clock_ns=1 volume=50000
        for bytes in 1 1000 200000; do
            event MPI_Irecv count=$bytes type_bytes=1 peer=$(((r + 3) % 4)) tag=1 comm=1 request=1 volume=$((100000 * (r + 1)))
            event dgemm m=100 n=100 k=$((100 * (r + 1))) volume=1000
            event MPI_Send count=$bytes type_bytes=1 peer=$(((r + 1) % 4)) tag=1 comm=1 volume=500
            event MPI_Wait request=1
            event MPI_Allreduce count=$bytes type_bytes=1 comm=3 volume=123457
        done
        event MPI_Pcontrol level=2 clock_ns=2
        event MPI_Send_init count=10 type_bytes=8 peer=$((r ^ 1)) tag=2 comm=1 request=1
        event MPI_Recv_init count=10 type_bytes=8 peer=$((r ^ 1)) tag=2 comm=1 request=2
        for _ in 1 2 3; do
            event MPI_Startall list=[1,2]
            event MPI_Waitall list=[1,2]
        done
        event MPI_Finalize clock_ns=3 volume=77
        echo 'end finalized clock_ns=3'
    done
} >text
check 'a trace is written by hand' "$timeless" undump text -o a.tl
check 'a timeline is written as CSV' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --json=a.json --timeline a.csv
check 'CSV: the states fill every rank and sum up to the prediction' $read_back csv a.csv a.json
check 'CSV: the messages are those of the trace' $read_back messages a.csv
check 'a timeline does not change the prediction' bash -c "'$timeless' replay a.tl -p star-1g --ranks-per-host 1 --json | cmp - a.json"
started() {
    "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --engine "$1" --json --details | python3 -c '
import json, sys
bytes = {c["name"]: c["bytes"] for c in json.load(sys.stdin)["details"]["calls"]}
print(bytes)
sys.exit([bytes["MPI_" + c] for c in ("Send_init", "Recv_init", "Startall")] != [0, 0, 4 * 3 * 80])'
}
for engine in smpi loggops; do check "$engine: the start of a persistent request has its bytes" started $engine; done
cp a.csv first.csv
check 'the timeline is written again' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline a.csv -q
check 'the timeline has the same bytes each time' cmp a.csv first.csv
check 'a timeline is written as trace events' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline b.json -q
check 'the trace events have the states of the CSV' $read_back chrome b.json a.csv
check 'a timeline is written as Paje' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --timeline a.paje -q
check 'Paje: the file is well formed, in order, and has the states of the CSV' $read_back paje a.paje a.csv b.json
# vite [OPTION...] [FILE]: without a screen
vite() { QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$scratch timeout 60 vite "$@"; }
if vite -h >/dev/null 2>&1; then
    opens() {
        vite -e vite.svg a.paje >vite.txt 2>&1 && grep -q '^0 errors and 0 warnings' vite.txt &&
            for rank in 0 1 2 3; do grep -q ">rank $rank<" vite.svg || return; done
    }
    check 'Paje: ViTE opens the file without a complaint, and draws its ranks' opens
    drawn_by_vite() { python3 - <<'END'
import csv, re
svg, defined = open("vite.svg").read(), dict(re.findall(r'^2 (\S+) STATE "[^"]*" "(.*)"$', open("a.paje").read(), re.M))
used = {row["state"] for row in csv.DictReader(open("a.csv")) if float(row["end_s"]) - float(row["begin_s"]) > 1e-5} - {"other"}
boxes = [list(map(int, rgb)) for rgb in re.findall(r'fill="rgb\((\d+),(\d+),(\d+)\)"', svg)]
for state in used:
    wanted = [float(x) * 255 for x in defined[state].split()]
    assert any(all(abs(a - b) < 3 for a, b in zip(box, wanted)) for box in boxes), (state, wanted)
assert len(used) >= 4 and "<line" in svg, used
END
    }
    check 'Paje: ViTE draws its states in their colours, and its messages' drawn_by_vite
else skip 'Paje: ViTE opens the file' 'it is not installed: Debian package vite'; fi
# A message of 3,000 B, received by a blocking call that waits for it.
printf '%s\n' 'timeless-text 1' 'ranks 2' 'volume_unit "cpu-ns"' 'rank 0 host="h"' \
    '0 0 MPI_Send count=3000 type_bytes=1 peer=1 tag=0 comm=1 volume=9000000' 'end cut clock_ns=0' 'rank 1 host="h"' \
    '1 0 MPI_Recv count=3000 type_bytes=1 peer=0 tag=0 comm=1' 'end cut clock_ns=0' | "$timeless" undump - -o one.tl || exit 99
check 'Paje: a message is a link from its send to the end of its receive' sh -c \
    '"$0" replay one.tl -p star-1g --ranks-per-host 1 --timeline one.paje -q >took &&
    awk -v took="$(cat took)" "\$1 == 7 { sent = \$2; ok += /LINK job0 job0.rank0 message [0-9]+ 3000\$/ }
        \$1 == 8 { ok += /LINK job0 job0.rank1 message [0-9]+ 3000\$/; d = \$2 - took }
        END { exit !(ok == 2 && sent - 0.009 < 1e-6 && 0.009 - sent < 1e-6 && d < 1e-9 && d > -1e-9) }" one.paje' "$timeless"
check 'a timeline is written for Paraver' "$timeless" replay a.tl -p star-1g --ranks-per-host 2 --timeline a.prv -q
"$timeless" replay a.tl -p star-1g --ranks-per-host 2 --timeline shared.csv -q >/dev/null || exit 99
check 'Paraver: an independent reader finds the states, calls and messages of the CSV' python3 \
    "$top_srcdir/tests/cli/paraver_read.py" a.prv shared.csv
check 'a timeline of two jobs is written for Paraver' "$timeless" replay a.tl a.tl@2 -p star-1g --ranks-per-host 2 --timeline two.prv -q
check 'Paraver: two jobs are two applications' python3 "$top_srcdir/tests/cli/paraver_read.py" two.prv
check 'a timeline of two jobs is written, the second one later' "$timeless" replay a.tl a.tl@2 -p star-1g --ranks-per-host 1 \
    --timeline two.paje --json=two.json
check 'two jobs end at their moments in the timeline' $read_back jobs two.paje two.json
check 'a replay with --details is written as JSON' "$timeless" replay a.tl -p star-1g --ranks-per-host 1 --details --json=details.json
check 'the details are the sums of the states' $read_back details details.json a.csv
check 'two jobs have details' bash -c \
    "'$timeless' replay a.tl a.tl@2 -p star-1g --details --json |
        python3 -c 'import json, sys; assert all(j[\"details\"][\"calls\"] for j in json.load(sys.stdin)[\"jobs\"])'"
check '--details prints text' "$timeless" replay a.tl -p star-1g --details
cp out said
check '--details prints the kinds of waiting' grep -qE '^wait at collective +[0-9]' said
check '--details prints the calls that wait' grep -qE '^MPI_Allreduce +[0-9]' said
# ---- a picture ----
"$timeless" replay one.tl -p star-1g --ranks-per-host 1 -q >took || exit 99
check 'a timeline is drawn' "$timeless" replay one.tl -p star-1g --ranks-per-host 1 --timeline one.svg -q
# The computation takes the first 9 ms of rank 0; rank 1 is in its receive from the beginning to the end.
drawn() {
    python3 - "$1" "$(cat took)" <<'END'
import re, sys, xml.dom.minidom
text, took = open(sys.argv[1]).read(), float(sys.argv[2])
xml.dom.minidom.parseString(text)
def extent(colour):
    points = [p.split(",") for block in re.findall(r"<polygon fill = 'rgb\( *%d, *%d, *%d\)' points = '([^']*)'" % colour, text) for p in block.split()]
    points = [(float(x), float(y)) for x, y in points if float(x) < 905] # the legend is on the right
    xs, ys = zip(*points)
    return min(xs), max(xs), min(ys), max(ys)
compute, receive = extent((89, 178, 102)), extent((232, 212, 77))
print(compute, receive, took)
share = (compute[1] - compute[0]) / (receive[1] - receive[0])
assert abs(share - 0.009 / took) < 2 / 800 and abs(compute[0] - receive[0]) < 1.5 and receive[2] > compute[3], share
END
}
check 'rows and times are those of the states' drawn one.svg
cp one.svg first.svg
check 'the picture is drawn again' "$timeless" replay one.tl -p star-1g --ranks-per-host 1 --timeline one.svg -q
check 'and has the same bytes' cmp one.svg first.svg
check 'title, ranks and kinds are named' sh -c \
    'for text in "2 ranks, 9\.[0-9]* ms, star-1g" "rank 0" "rank 1" compute receive "time \[ms\]"; do
        grep -q ">.*$text" one.svg || { echo "$text"; exit 1; }; done'
check 'two jobs are drawn, and the other formats' sh -c '"$0" replay a.tl a.tl@2 -p star-1g --timeline two.svg -q &&
    grep -q "job 2, rank 0" two.svg &&
    "$0" replay one.tl -p star-1g --timeline one.pdf -q && head -c 4 one.pdf | grep -q %PDF &&
    "$0" replay one.tl -p star-1g --timeline one.png -q && head -c 4 one.png | grep -q PNG' "$timeless"
check 'of 200 ranks, four are a row' sh -c '"$0" make ring --ranks 200 -o many.tl &&
    "$0" replay many.tl --engine loggops --params L=5us,o=2us,g=2us,G=2.5ns,O=1ns --timeline many.svg -q &&
    grep -q "ranks 0 to 3<" many.svg && grep -q "ranks 192 to 195<" many.svg' "$timeless"
check_exit 4 'a picture that cannot be written exits with 4' "$timeless" replay one.tl -p star-1g --timeline no/one.svg -q

check 'an unknown format of a timeline exits with 2: an unknown format of a timeline prints the known ones' refused 2 \
    "a timeline ends in .csv, .json (Perfetto, Chrome), .paje (ViTE, pajeng), .prv (Paraver), or .svg, .pdf or .png (a picture)" \
    "$timeless" replay a.tl -p star-1g --timeline a.bmp
# The same by the other engine.
for format in csv json paje prv; do
    check "loggops: a timeline as .$format" "$timeless" replay a.tl -p star-1g --ranks-per-host 2 --engine loggops \
        --details --json=l.details --timeline l.$format -q
done
check 'loggops: the messages are those of the trace' $read_back messages l.csv
check 'loggops: the details are the sums of the states' $read_back details l.details l.csv
check 'loggops: the states fill every rank and sum up to the prediction' $read_back csv l.csv l.details
check 'loggops: the trace events have the states of the CSV' $read_back chrome l.json l.csv
check 'loggops: Paje has the states of the CSV' $read_back paje l.paje l.csv l.json
check 'loggops: an independent reader of Paraver finds the states, calls and messages of the CSV' python3 \
    "$top_srcdir/tests/cli/paraver_read.py" l.prv l.csv
check_exit 4 'a timeline that cannot be written exits with 4' "$timeless" replay a.tl -p star-1g --timeline no/a.csv
check_exit 4 'a timeline without room for its states exits with 4' env TMPDIR=/dev/null "$timeless" replay a.tl -p star-1g --timeline a.csv
tap_done
