#!/usr/bin/env bash
# timeless tolerance: against makespans that are linear in the latency.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
"$timeless" make token -n 8 --bytes 1000 -o token.tl

# exact SLOPE BASE: the factors in out.json are 1 + growth * BASE / SLOPE, for SLOPE seconds per factor
exact() {
    python3 -c '
import json, sys
slope, base = map(float, sys.argv[1:])
found = json.load(open("out.json"))
assert found["makespan_s"] == base and len(found["growths"]) == 3, found
for row in found["growths"]:
    assert abs((row["latency_factor"] - 1) / (row["growth"] * base / slope) - 1) < 2e-3, row
    assert row["makespan_s"] <= base * (1 + row["growth"]), row' "$@"
}
base=$("$timeless" replay token.tl --engine loggops --params $params -q)
check 'a token in the LogGOPS model' "$timeless" tolerance token.tl --engine loggops --params $params --json=out.json
check 'passes through 8 latencies' exact 40e-6 "$base"
star() { "$timeless" "$1" token.tl -p star-1g --no-compute --ranks-per-host 1 "${@:2}"; }
base=$(star replay -q) twice=$(star replay -q --scale latency 2)
check 'the tolerance of a token on links is printed' star tolerance --json=out.json
cp out out.txt
check 'the makespan is linear in the latency of the links' exact "$(python3 -c "print($twice - $base)")" "$base"
# Each row has the latency of the platform times its factor.
check 'the latency between hosts is printed in microseconds' awk '$2 == "%" && $5 == "us" { n++; one = $4 / $3;
    if (!first) first = one; if (one / first > 1.001 || first / one > 1.001) bad = 1 }
    END { exit !(n == 3 && first > 1 && !bad) }' out.txt
# The text is for people: four significant digits.
check 'the text has the numbers of the JSON, with four digits' python3 -c '
import json, re
text, found = open("out.txt").read(), json.load(open("out.json"))
def four(number): return "%.4g" % number
assert text.startswith("makespan %s s\n" % four(found["makespan_s"])), text
rows = ["%6.4g %%  %sx  %s us  %s s" % (100 * r["growth"], four(r["latency_factor"]), four(1e6 * r["latency_s"]), four(r["makespan_s"])) for r in found["growths"]]
assert text.splitlines()[3:] == rows, (text, rows)'
"$timeless" make token -n 8 --bytes 1000 --iterations 2000 -o long.tl
check 'on a terminal, a long search prints its progress' python3 - "$timeless" <<'END'
import os, pty, sys
words = [sys.argv[1], "tolerance", "long.tl", "-p", "star-1g", "--no-compute", "--ranks-per-host", "1",
         "--growth", "1,2,3", "--precision", "1e-6"]
said = b""
def read(fd):
    global said
    data = os.read(fd, 1024)
    said += data
    return data
assert pty.spawn(words, read) == 0
assert b"replays, about" in said, said[-300:]
END
# HPL polls for panels: a little latency changes its order of messages.
hpl() {
    "$timeless" tolerance hpl:N=1000,NB=64,P=2,Q=4 -p dahu --ranks-per-host 1 --engine loggops --growth "$1" 2>&1 >/dev/null |
        grep -c 'warning: with more latency, the makespan also falls, by up to 0[.][0-9]* %'
}
check 'a program whose makespan also falls: the command warns' equal 1 "$(hpl 0.5)"
check '... not if the growth is much larger' equal 0 "$(hpl 50)"
check '--growth 100 prints a row of 100 %' bash -c \
    "'$timeless' tolerance token.tl --engine loggops --params $params --growth 100 --precision 0.1 | grep -q '^ *100 %  '"

printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' '0 0 MPI_Init clock_ns=0' '0 1 MPI_Finalize clock_ns=9' \
    'end finalized clock_ns=9' | "$timeless" undump - -o alone.tl
check 'a rank alone tolerates all' prints 'more than 1000000x' "$timeless" tolerance alone.tl --engine loggops --params $params
check 'without hosts, none are blamed' bash -c '[ -s printed ] && ! grep -q ranks-per-host printed said'
check 'ranks on one host' prints 'all ranks may be on one host (see --ranks-per-host)' "$timeless" tolerance token.tl -p star-1g \
    --no-compute --ranks-per-host 8
check 'mpirun'"'"'s own option' refused 2 'write -n N PROGRAM, or -- mpirun -np N PROGRAM' "$timeless" record -np 2 true
check 'a network without latency is refused' refused 2 'L is 0' "$timeless" tolerance token.tl --engine loggops \
    --params L=0,o=2us,g=2us,G=0,O=0
check 'a trace that does not exist is refused' refused 4 'none.tl' "$timeless" tolerance none.tl --engine loggops --params $params
check 'a growth of 0 is refused' refused 2 'above 0' "$timeless" tolerance token.tl -p star-1g --growth 1,0
check 'a precision of 2 is refused' refused 2 'below 1' "$timeless" tolerance token.tl -p star-1g --precision 2
tap_done
