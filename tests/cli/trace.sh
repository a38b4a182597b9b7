#!/usr/bin/env bash
# info, dump and cut on traces that are whole, damaged, killed, or no traces at all.
. "$(dirname "$0")/../tap.sh"

cd "$scratch" || exit 1
# 100 messages around a ring of three ranks, a barrier after every 50.
check "a trace of a ring is made" "$top_builddir/tests/golden/make_trace" ring ring.tl

try() { # as check_exit, and keeps what the command said in said.out and said.err
    check_exit "$@"
    cp out said.out
    cp err said.err
}
one_line() { # it said one line, which begins as a message of ours
    [ "$(wc -l <said.err)" = 1 ] && grep -q '^timeless: [^:]*:' said.err
}

try 0 "info" "$timeless" info --sections ring.tl
check "info names the calls" grep -Eq '^ +300  MPI_Send$' said.out
"$timeless" info --sections ring.tl >info.txt
check "info lists three sections" test "$(grep -Ec '^ +[0-2] (\(start\)|MPI_Barrier)' info.txt)" = 3
"$timeless" info --json --sections ring.tl >info.json
check "info --json is JSON" json info.json '
assert d["complete"] and d["n_ranks"] == 3 and d["calls"]["MPI_Irecv"] == 300, d
assert [r["end"] for r in d["ranks"]] == ["finalized"] * 3 and len(d["sections"]) == 3, d'
try 0 "dump" "$timeless" dump ring.tl
"$timeless" dump ring.tl >all.txt
"$timeless" dump --rank 1 ring.tl >one.txt
check "dump --rank prints the events of one rank" equal "$(grep -c '^1 ' all.txt)" "$(grep -c '^[0-9]' one.txt)"
check "dump says the slots" \
    grep -Eq '^1 [0-9]+ MPI_Send count=1 type_bytes=4 peer=2 tag=5 comm=1 volume=[0-9]+( polls=[0-9]+)? site=[0-9]+$' one.txt
"$timeless" dump --json --rank 1 ring.tl >one.json
check "dump --json has the same events" python3 -c '
import json
events = [json.loads(line) for line in open("one.json")]
calls = [line.split()[2] for line in open("one.txt") if line[0].isdigit()]
assert [e["call"] for e in events] == calls
assert all(e["site"].startswith("ring+0x") for e in events if e["call"] == "MPI_Send")'

{
    printf 'timeless-text 1\nranks 1\nprogram "caf\xe9 \xc3\xa9"\nrank 0 host="h"\nsite 1 object="caf\xe9" offset=16\n'
    printf '0 0 MPI_Init clock_ns=0 site=1\n0 1 MPI_Finalize clock_ns=9\nend finalized clock_ns=9\n'
} | "$timeless" undump - -o latin.tl
try 0 "info --json of names that are no UTF-8" "$timeless" info --json latin.tl
check "info --json of names that are no UTF-8 is JSON" python3 -c \
    'import json; assert json.load(open("said.out", "rb"))["program"] == "caf? ??"'
try 0 "so is dump --json" "$timeless" dump --json latin.tl
check "dump --json of such names has the site" grep -qF '"site":"caf?+0x10"' said.out
try 0 "so is a prediction" "$timeless" replay latin.tl --engine loggops --params L=5us,o=2us,g=2us,G=0,O=0 --json
check "a prediction of such names has the command" grep -qF '"command": "caf? ??"' said.out
star=$top_srcdir/platforms/star-1g
try 0 "so is a timeline" "$timeless" replay latin.tl --platform "$star" --no-compute --timeline latin.json
check "a timeline of such names has the process" grep -qF '"name":"caf? ??"' latin.json
try 0 "so is a report" "$timeless" report latin.tl --platform "$star" --no-compute -o latin.html

try 0 "cut --section" "$timeless" cut ring.tl --section 1 -o part.tl
try 0 "info of the part" "$timeless" info part.tl
check "the part says where it is from" grep -q '^origin .*cut --section 1 of ring.tl' said.out
check "the part has half of the sends" grep -Eq '^ +150  MPI_Send$' said.out
try 0 "cut --section last" "$timeless" cut ring.tl --section last -o part.tl
try 0 "cut --section A:last" "$timeless" cut ring.tl --section 1:last -o part.tl
try 0 "cut --section A:B" "$timeless" cut ring.tl --section 1:2 -o same.tl
"$timeless" dump part.tl | grep -v origin >part.txt
"$timeless" dump same.tl | grep -v origin >same.txt
check "the last one is number 2" cmp part.txt same.txt
try 3 "cut through a message" "$timeless" cut ring.tl --events 0:2 -o no.tl
check "cut through a message is refused in one line" one_line
check "cut through a message leaves no file" test -z "$(compgen -G "no.tl*")"
try 2 "cut of a section that is not there" "$timeless" cut ring.tl --section 9 -o no.tl
try 2 "cut without a part" "$timeless" cut ring.tl -o no.tl
try 2 "cut onto itself" "$timeless" cut ring.tl --section 1 -o ring.tl
try 4 "cut into a folder that is not there" "$timeless" cut ring.tl --section 1 -o no/such.tl
try 2 "dump of a rank that is not there" "$timeless" dump --rank 3 ring.tl

size=$(stat -c %s ring.tl)
head -c $((size - 20)) ring.tl >short.tl
try 3 "sections of a truncated trace" "$timeless" info --sections short.tl
check "sections of a truncated trace: one line is printed" one_line
check "sections: those that are intact" grep -Eq '^ +1 MPI_Barrier' said.out
echo "no trace, but a text that goes on for more than a header has bytes" >text.tl
: >empty.tl
for command in info dump; do
    try 3 "$command of a truncated trace" "$timeless" $command short.tl
    check "$command: one line with the place" grep -Eq '^timeless: short.tl:[0-9]+: the file ends' said.err
    check "$command: no second line" one_line
    check "$command: shows what is intact" grep -q MPI_Send said.out
    try 3 "$command of a text" "$timeless" $command text.tl
    check "$command of a text: one line" one_line
    try 3 "$command of an empty file" "$timeless" $command empty.tl
    check "$command of an empty file: one line" one_line
    try 4 "$command of no file" "$timeless" $command missing.tl
    check "$command of no file: one line" one_line
    try 2 "$command of nothing" "$timeless" $command
    try 2 "$command of two" "$timeless" $command ring.tl ring.tl
done
tap_done
