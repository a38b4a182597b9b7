#!/usr/bin/env bash
# GOAL with several CPUs and NICs in a rank, as text and in the binary form: closed formulas of LogGOPS, the same times as the
# import where one CPU suffices, and files that are damaged in every way.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
params=L=5us,o=2us,g=3us,G=2.5ns,O=1ns
# The binary form, by the description in doc/timeless-import.1.
cat >binary.py <<'END'
import struct, sys
ranks = []
for line in open(sys.argv[1]):
    w = line.split('//')[0].split()
    if not w or w[0] == '}': continue
    if w[0] == 'num_ranks': n = int(w[1])
    elif w[0] == 'rank': ranks.append(([], {}, []))
    elif w[1] in ('requires', 'irequires'): ranks[-1][2].append(w)
    else:
        ranks[-1][1][w[0][:-1]] = len(ranks[-1][0])
        rest = w[3:] if w[1] == 'calc' else w[5:]
        a = dict(zip(rest[::2], map(int, rest[1::2])))
        kind = {'send': 1, 'recv': 2, 'calc': 3}[w[1]]
        ranks[-1][0].append((kind, int(w[4]) if kind < 3 else 0, int(w[2].rstrip('b')), a.get('tag', 0), a.get('cpu', 0), a.get('nic', 0)))
body = table = b''
for ops, label, dependencies in ranks:
    need, ends, starts = [0] * len(ops), [[] for _ in ops], [[] for _ in ops]
    for to, kind, frm in dependencies:
        need[label[to]] += 1
        (ends if kind == 'requires' else starts)[label[frm]].append(label[to])
    roots = [i for i, count in enumerate(need) if not count]
    part, appendix = struct.pack('<%dI' % (2 + len(roots)), len(ops), len(roots), *roots), []
    for i, o in enumerate(ops):
        part += struct.pack('<IBIQIBBIIII', need[i], *o, len(ends[i]), len(appendix), len(starts[i]), len(appendix) + len(ends[i]))
        appendix += ends[i] + starts[i]
    part += struct.pack('<%dI' % len(appendix), *appendix)
    table += struct.pack('<QQ', 6 + 16 * n + len(body), 6 + 16 * n + len(body) + len(part))
    body += part
everything = [o for r in ranks for o in r[0]]
open(sys.argv[2], 'wb').write(struct.pack('<QIBB', 4223, n, max(o[4] for o in everything), max(o[5] for o in everything)) + table + body)
END
replay() { "$timeless" replay -q --engine loggops --params "${2:-$params}" "$1" "${@:3}"; }
# takes SECONDS LINE...: the makespan of a schedule, of text and of the binary form. Lines before "--" are rank 0's.
takes() {
    local seconds=$1 p=$params; shift
    case $1 in S=*) p=$params,$1; shift ;; esac
    { echo 'num_ranks 2'; echo 'rank 0 {'; for l in "$@"; do [ "$l" = -- ] && printf '}\nrank 1 {\n' || echo "$l"; done; echo '}'; } >f.goal
    python3 binary.py f.goal f.bin || return
    local text binary
    text=$(replay f.goal "$p") && binary=$(replay f.bin "$p") || return
    echo "text $text, binary $binary, formula $seconds"
    [ "$text" = "$binary" ] && awk -v a="$text" -v b="$seconds" 'BEGIN { exit !((a > b ? a - b : b - a) < 1e-13) }'
}
check 'computations on one CPU: one after the other' takes 170e-6 'a: calc 100000' 'b: calc 70000' --
check 'computations on two CPUs: side by side' takes 100e-6 'a: calc 100000 cpu 0' 'b: calc 70000 cpu 1' --
check 'requires: behind both CPUs' takes 110e-6 'a: calc 100000 cpu 0' 'b: calc 70000 cpu 1' 'c: calc 10000 cpu 1' \
    'c requires a' 'c requires b' --
check 'requires: behind the end on another CPU' takes 130e-6 'a: calc 100000 cpu 0' 'b: calc 30000 cpu 1' 'b requires a' --
check 'irequires: behind the beginning on another CPU' takes 100e-6 'a: calc 100000 cpu 0' 'b: calc 30000 cpu 1' 'b irequires a' --
check 'a message of 1000 bytes: 2o + L + 999 G' takes 11.4975e-6 's: send 1000b to 1' -- 'r: recv 1000b from 0'
# Two messages: 999 G = 2.4975 us; an interface is taken for g + 999 G, a CPU of the receiver for o + 999 G.
pair() { # SECONDS SEND2 RECV2: attributes of the second ones
    takes "$1" 's: send 1000b to 1 tag 1 cpu 0 nic 0' "t: send 1000b to 1 tag 2 $2" -- 'r: recv 1000b from 0 tag 1 cpu 0 nic 0' \
        "q: recv 1000b from 0 tag 2 $3"
}
check 'two messages, CPUs and NICs of their own: as one' pair 11.4975e-6 'cpu 1 nic 1' 'cpu 1 nic 1'
check 'two messages through one sending NIC: g + 999 G later' pair 16.995e-6 'cpu 1 nic 0' 'cpu 1 nic 1'
check 'two messages through one receiving NIC: g + 999 G later' pair 16.995e-6 'cpu 1 nic 1' 'cpu 1 nic 0'
check 'two messages to one CPU: o + 999 G later' pair 15.995e-6 'cpu 1 nic 1' 'cpu 0 nic 1'
check 'two messages from one CPU: o + 999 O later' pair 14.4965e-6 'cpu 0 nic 1' 'cpu 1 nic 1'
check 'a receive on a free CPU does not wait for the busy one' takes 71.4975e-6 's: send 1000b to 1' -- \
    'c: calc 50000 cpu 0' 'r: recv 1000b from 0 cpu 1' 'd: calc 60000 cpu 1' 'd requires r'
check 'a message that its CPU took in early: nothing left to do' takes 30e-6 's: send 1000b to 1' -- 'c: calc 30000 cpu 1' \
    'r: recv 1000b from 0' 'r requires c'
check 'receives on two CPUs with the same tag: taken in when posted' takes 34.4975e-6 's: send 1000b to 1' 't: send 1000b to 1' \
    't requires s' -- \
    'c: calc 30000 cpu 2' 'r: recv 1000b from 0 cpu 0' 'q: recv 1000b from 0 cpu 1' 'q requires c'
check 'rendezvous: the send ends o + L behind the beginning of the receive' takes 47e-6 S=500 's: send 1000b to 1' \
    'd: calc 10000' 'd requires s' -- \
    'c: calc 30000' 'r: recv 1000b from 0' 'r requires c'
# The CPU is busy when both arrive. The short one was sent first, and belongs to the receive that d requires: d begins at 102 us.
check 'rendezvous: a long message does not take the receive of a short one that was sent before' takes 152e-6 S=1000 \
    's: send 1b to 1' 't: send 3000b to 1' 't requires s' -- \
    'r: recv 1b from 0' 'q: recv 3000b from 0' 'c: calc 100000' 'd: calc 50000 cpu 1' 'd requires r'
check 'chains on one CPU that no sequence of calls expresses' takes 21.995e-6 's: send 1000b to 1 tag 1' \
    't: send 1000b to 1 tag 2 nic 1' -- \
    'a: recv 1000b from 0 tag 1' 'b: calc 5000' 'b requires a' 'c: recv 1000b from 0 tag 2' 'd: calc 1000' 'd requires c'
check 'tags beyond 32 bits, comments of both kinds' eval \
    'printf "/* a\n b */ num_ranks 2\nrank 0 { // x\ns: send 1000b to 1 tag 12000012345 }\nrank 1 { r: recv 1000b from 0 tag 12000012345 }\n" >tag.goal &&
        awk -v t="$(replay tag.goal)" "BEGIN { exit !(t > 11.4974e-6 && t < 11.4976e-6) }"'
# Spaces are needed only where two names meet; a tag is 0 unless it is given.
cat >spaced.goal <<'END'
num_ranks 2
rank 0 {
l1 : calc 100
l2 : send 10b to 1 tag 3
l3 : send 10b to 1 tag 0
l2 requires l1
}
rank 1 {
l1 : recv 10b from 0 tag 3
l2 : recv 10b from 0 tag 0
}
END
cat >dense.goal <<'END'
num_ranks 2// two
rank 0{// the first
l1:calc 100/* ns */
l2:send 10 b to 1 tag 3
l3:send 10b to 1
l2 requires l1}
rank 1{
l1:recv 10b from 0 tag 3
l2:recv 10b from 0}
END
check 'GOAL without spaces round braces and colons, without tags' equal "$(replay spaced.goal)" "$(replay dense.goal)"

# A receive from any source, or with any tag, takes what comes first: 1 byte from rank 2 at 9 us, or from rank 0 at 59 us; then
# 10 us of work.
in_ns() { "$@" | awk "{ printf \"%.0f\", \$1 * 1e9 }"; }
comes_first() { # SOURCE TAG
    printf 'num_ranks 3\nrank 0 {\nc: calc 50000\ns: send 1b to 1 tag 7\ns requires c\n}\nrank 1 {\n'
    printf 'r: recv 1b from %s tag %s\nq: recv 1b from -1 tag 7\nw: calc 10000\nw requires r\n}\nrank 2 {\ns: send 1b to 1 tag 7\n}\n' "$@"
}
for pair in '-1 7' '-1 -1' '2 -1' '2 7'; do
    comes_first $pair >any.goal
    check "a receive from '$pair' takes the early message of rank 2" equal 59000 "$(in_ns replay any.goal)"
done
comes_first 0 7 >any.goal
check 'a receive of the late message leaves the early one to a receive from any source' equal 69000 "$(in_ns replay any.goal)"
comes_first -1 7 >any.goal
sed 's/-1/4294967295/' any.goal >wide.goal && python3 binary.py wide.goal any.bin
check 'the binary form has receives from any source, too' equal 59000 "$(in_ns replay any.bin)"
check 'the import has them, too' eval '"$timeless" import --from goal any.goal -o any.tl &&
    equal 2 "$("$timeless" dump any.tl | grep -c "recv.*peer=any")"'
# refused_goal PLACE PATTERN LINE...: of rank 0; rank 1 has two receives from any source
refused_goal() {
    local place=$1 pattern=$2; shift 2
    { printf '%s\n' 'num_ranks 2' 'rank 0 {' "$@" '}' 'rank 1{' 'recv 1b from -1' 'recv 1b from -1' '}'; } >no.goal
    refused 3 "timeless: no.goal:$place: $pattern" replay no.goal
}
check 'more receives from any source than messages are refused' refused_goal 3 \
    'rank 1 receives 2 messages, and 1 are sent to it; ' 'send 1b to 1'
check 'a send to any rank is refused' refused_goal 3 "no rank: '-1'; " 'send 1b to -1'
check 'a send with any tag is refused' refused_goal 3 "no tag: '-1'; " 'send 1b to 1 tag -1'
check 'a size without its unit is refused' refused_goal 3 "this word is missing: 'b'; " 'send 1 to 1'

# Random graphs of up to 64 ranks: each rank ends at the nanosecond that goal_graphs.py computes by a direct loop. A file has 25
# graphs; N_GRAPHS=500 compares 500.
as_loop() {
    local seed
    for seed in $(seq "$((${N_GRAPHS:-100} / 25))"); do
        python3 "$top_srcdir/tests/cli/goal_graphs.py" drawn "$seed" 25 >peer.txt &&
            replay drawn.goal "$(head -n 1 peer.txt)" --json=mine.json || return
        python3 -c 'import json
for r in json.load(open("mine.json"))["ranks"]: print(round(r["end_s"] * 1e9))' | diff <(tail -n +2 peer.txt) - || return
    done
}
check 'random graphs: all ranks end as in a direct loop' as_loop
noisy() { "$timeless" replay -q --engine loggops --params $params --noise 1kHz:100us,coscheduled two.goal; }
printf 'num_ranks 1\nrank 0 {\na: calc 10000000 cpu 0\nb: calc 9000000 cpu 1\n}\n' >two.goal
check 'noise delays a computation of 10 ms by 1 ms and the rest of a detour' eval \
    'awk -v t="$(noisy)" "BEGIN { exit !(t > 0.0109 && t < 0.0113) }"'
check '--no-compute leaves computation out' equal 0 "$("$timeless" replay -q --engine loggops --params $params --no-compute two.goal)"
check 'JSON of a replay of GOAL is JSON' eval '"$timeless" replay --engine loggops --params $params --json f.goal | python3 -m json.tool'
check 'the text of a replay counts CPUs and NICs' eval '"$timeless" replay --engine loggops --params $params two.goal |
    grep -q "2 CPUs and 1 NICs"'

# One CPU: the same as the import in the same engine, with the messages of a recorded stencil and of collectives. (With its
# computation, the import may take up to 1 % less or more: a wait for nothing is a call that takes its turn, a graph has none.)
model=$top_srcdir/platforms/star-1g/model.conf schedules=$top_srcdir/traces/schedules
same_as_import() { # GOAL PARAMS
    "$timeless" import --from goal "$1" -o again.tl &&
        equal "$("$timeless" replay -q again.tl --engine loggops --model "$model" --params "$2")" "$(replay "$1" "$2")"
}
"$timeless" export --to goal --no-compute "$top_srcdir/traces/stencil-64.tl" \
    --coll allreduce="$schedules/allreduce_doubling.sched" -o stencil.goal
"$timeless" make call_alltoall -n 16 --bytes 5000 -o all.tl &&
    "$timeless" export --to goal all.tl --coll alltoall="$schedules/alltoall_bruck.sched" -o alltoall.goal
for p in L=5us,o=2us,g=2us,G=2.5ns,O=1ns L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=1000 L=1us,o=3us,g=4us,G=1ns,O=3ns; do
    check "a stencil takes as long as its import, $p" same_as_import stencil.goal $p
    check "an all-to-all takes as long as its import, $p" same_as_import alltoall.goal $p
done
# On a platform: messages share adapters, memories and links. A graph whose sends are those of MPI_Isend takes as long as its
# import, with short and long messages.
exchange() { # BYTES: 32 ranks, in steps of computation and of messages to and from two partners
    local r k d
    echo 'num_ranks 32'
    for r in $(seq 0 31); do
        echo "rank $r {"
        for k in 0 1 2 3; do
            echo "c$k: calc 2000"
            [ $k = 0 ] || printf "c$k requires %s$((k - 1))\n" a b x y
            d=$((k + 1))
            echo "a$k: recv $1b from $(((r + 32 - d) % 32)) tag $k"
            echo "b$k: recv $1b from $(((r + 3 * d) % 32)) tag $k"
            echo "x$k: send $1b to $(((r + d) % 32)) tag $k"
            echo "y$k: send $1b to $(((r + 96 - 3 * d) % 32)) tag $k"
            printf "%s$k requires c$k\n" a b x y
        done
        echo '}'
    done
}
on_platform() { TIMELESS_PLATFORMS=$top_srcdir/platforms "$timeless" replay "$@" --engine loggops 2>warnings.txt; }
same_on_platform() { # BYTES
    local where
    exchange "$1" >ex.goal && "$timeless" import --from goal ex.goal -o ex.tl || return
    for where in 'dahu --ranks-per-host 4' 'fat-tree --ranks-per-host 1' 'graphene --ranks-per-host 2' 'theta --ranks-per-host 32' 'star-1g --ranks-per-host 2'; do
        equal "$(on_platform -q ex.tl --model "$model" -p $where)" "$(on_platform -q ex.goal -p $where)" || return
    done
}
for bytes in 1 1000 20000 1000000; do check "messages of $bytes bytes on platforms: as the import" same_on_platform $bytes; done
check '... and with two threads' equal "$(on_platform -q ex.goal -p fat-tree)" "$(on_platform -q ex.goal -p fat-tree --threads 2)"
links() { on_platform "$@" -p fat-tree --ranks-per-host 1 --links | awk '/^link/, !NF { print $1, $2, $3, $4, $5, $6 }'; }
check 'the use of links: as that of the import' eval 'links ex.goal | grep -q "^node" && equal "$(links ex.tl --model "$model")" "$(links ex.goal)"'
check 'a faster network' eval 'awk -v a="$(on_platform -q ex.goal -p fat-tree)" -v b="$(on_platform -q ex.goal -p fat-tree --scale network=2)" "BEGIN { exit !(a > 1.5 * b) }"'
check 'CPUs of their own on a platform: side by side' eval '
    printf "num_ranks 1\nrank 0 {\na: calc 1000000\nb: calc 900000 cpu 1\nc: calc 100000 cpu 1\nc requires a\n}\n" >cpus.goal &&
        equal 1100000 "$(in_ns on_platform -q cpus.goal -p fat-tree)"'
changed() { equal "$(on_platform -q ex.tl --model "$model" -p fat-tree "$@")" "$(on_platform -q ex.goal -p fat-tree "$@")"; }
for change in '--host-speed 2x' '--scale bursts=3' '--set host:node-1.speed=0.5x' '--cfg smpi/ois:0:9e-6:0' --no-compute; do
    check "$change: as the import" changed $change
done
on_platform_refused() { on_platform -q ex.goal -p fat-tree "$@" || { local code=$?; cat warnings.txt >&2; return $code; }; }
for option in '--host-speed 2Gf' '--scale kernels=2' '--rank-threads 2' '--set region.bound=L1' '--set rendezvous.progress=calls' \
    '--coll bcast=ompi' '--coll-selector ompi' --model-strict --sample '--wildcards first' --allow-opaque '--cluster-seed 1' \
    '--io-bandwidth 1MBps'; do
    check "$option is refused" refused 2 "timeless: ex.goal: is a schedule of GOAL, for which ${option%% *}.* has no meaning" \
        on_platform_refused $option
done
check 'an option of SimGrid is refused by its name' refused 2 'for which --cfg smpi/coll-selector has no meaning' \
    on_platform_refused --cfg smpi/coll-selector:ompi
check 'a computation of years is refused' refused 2 'timeless: ex.goal: a computation would take' on_platform_refused --scale bursts=1e20
cp -r "$top_srcdir/platforms/fat-tree" noisy && chmod -R u+w noisy
echo 'between = ( { above_bytes = 0; least = 0.8; modes = ( [ 0.9, 0.95, 0.04 ], [ 0.1, 1.45, 0.1 ] ); } ); between_run_sd = 0.05;' \
    >noisy/noise.conf
check 'noise of messages: as the import' eval 'for seed in 1 2 3; do
        equal "$(on_platform -q ex.tl --model "$model" -p ./noisy --noise network --seed $seed)" \
            "$(on_platform -q ex.goal -p ./noisy --noise network --seed $seed)" || exit
    done'
budget() { "$timeless" budget "$@" -p "$top_srcdir/platforms/fat-tree" --engine loggops | grep -vE '^(next:|assumed)'; }
check 'a budget: as that of the import' eval 'budget ex.goal >goal.txt && grep -q ^bursts goal.txt &&
    budget ex.tl --model "$model" | diff - goal.txt'
check 'a sweep' eval '"$timeless" sweep ex.goal -p "$top_srcdir/platforms/fat-tree" --engine loggops --grid scale.bursts=1,2 >sweep.csv &&
    equal "$(awk -F, "NR > 1 { print \$2 }" sweep.csv)" "$(for f in 1 2; do on_platform -q ex.goal -p fat-tree --scale bursts=$f; echo; done | grep .)"'

# Timelines, details and reports: a chain of 100 us, a message and 5 us of work, beside a computation of 70 us on another CPU.
cat >chain.goal <<'END'
num_ranks 2
rank 0 {
a: calc 100000
s: send 1000b to 1
s requires a
b: calc 70000 cpu 1
}
rank 1 {
r: recv 1000b from 0
c: calc 5000
c requires r
}
END
replay chain.goal $params --details --timeline chain.csv --json=chain.json >/dev/null
check 'the states of the ranks follow from the formula: the message takes 11.4975 us' python3 -c '
import csv
us = lambda t: round(float(t) * 1e6, 4)
rows = [(int(r["rank"]), r["call"], us(r["begin_s"]), us(r["end_s"]), int(r["bytes"]), us(r["wait_s"])) for r in csv.DictReader(open("chain.csv"))]
assert sorted(rows) == [(0, "MPI_Send", 100, 102.999, 1000, 0), (0, "compute", 0, 100, 0, 0), (0, "compute", 100, 100, 0, 0),
    (1, "MPI_Recv", 0, 111.4975, 1000, 100), (1, "compute", 111.4975, 116.4975, 0, 0)], rows'
check 'details: path, waits and an ideal network by hand' python3 -c '
import json
p = json.load(open("chain.json")); d = p["details"]; us = lambda t: round(t * 1e6, 4)
path = d["critical_path"]; parts = path["parts"]
assert (us(path["length_s"]), us(parts["compute_s"]), us(parts["message_s"]), path["jumps"]) == (116.4975, 105, 11.4975, 1), path
assert us(d["what_if"]["ideal_network"]["at_least_s"]) == 105, d["what_if"]
assert {c["name"]: (c["count"], us(c["time_s"])) for c in d["calls"]} == {"MPI_Send": (1, 2.999), "MPI_Recv": (1, 111.4975), "compute": (3, 105)}, d["calls"]
assert [(t["from"], t["to"], t["messages"], t["bytes"]) for t in d["traffic"]] == [(0, 1, 1, 1000)], d["traffic"]'
# Layers of 300 us compute on CPU 0 while CPU 1 sends what the layer before has made: rank 0 shows its overhead, as the send begins
# before the next layer; rank 1 shows the last message alone.
{
    printf 'num_ranks 2\n'
    for r in 0 1; do
        echo "rank $r {"
        for k in 0 1 2 3; do
            echo "c$k: calc 300000"
            [ $k = 0 ] || echo "c$k requires c$((k - 1))"
            [ $r = 0 ] && echo "s$k: send 1000b to 1 tag $k cpu 1" || echo "s$k: recv 1000b from 0 tag $k cpu 1"
            echo "s$k requires c$k"
        done
        echo '}'
    done
} >hidden.goal
replay hidden.goal $params --details --json=hidden.json >/dev/null
check 'a message that arrives while another CPU computes takes no time' python3 -c '
import json
p = json.load(open("hidden.json")); us = lambda t: round(t * 1e6, 4)
assert us(p["makespan_s"]) == 1211.4975, p["makespan_s"]
assert {c["name"]: (c["count"], us(c["time_s"])) for c in p["details"]["calls"]} == {"compute": (8, 2391.003), "MPI_Send": (4, 11.996),
    "MPI_Recv": (4, 11.4975)}, p["details"]["calls"]
assert us(p["details"]["efficiency"]["parallel"] * p["makespan_s"]) == 1200'
check 'a rank with a receive from any source: the path has the length of the makespan' eval 'comes_first -1 7 >any.goal
    replay any.goal $params --details --json=any.json >/dev/null && python3 -c "
import json
p = json.load(open(\"any.json\"))
assert abs(p[\"details\"][\"critical_path\"][\"length_s\"] - p[\"makespan_s\"]) < 1e-15"'
with_details() { on_platform "$@" -p fat-tree --ranks-per-host 1 --links --details --json="$1.json" >/dev/null; }
with_details ex.tl --model "$model"
with_details ex.goal
check 'with links: path and estimates as of the import' python3 -c '
import json
tl, goal = (json.load(open(n + ".json"))["details"] for n in ("ex.tl", "ex.goal"))
same = lambda a, b: abs(a - b) < 1e-12
assert all(same(v, goal["critical_path"]["parts"][k]) for k, v in tl["critical_path"]["parts"].items()), (tl, goal)
for k in ("ideal_network", "cpu_2x"):
    assert all(same(v, goal["what_if"][k][e]) for e, v in tl["what_if"][k].items()), (tl["what_if"], goal["what_if"])'
check 'details do not change the prediction' equal "$(on_platform -q ex.goal -p fat-tree)" "$(on_platform -q ex.goal -p fat-tree --details)"
check '... of one rank alone, either' equal "$(on_platform -q ex.goal -p fat-tree)" "$(on_platform -q ex.goal -p fat-tree --details=3)"
check 'a report' eval 'TIMELESS_PLATFORMS=$top_srcdir/platforms "$timeless" report ex.goal -p fat-tree --engine loggops -o ex.html && grep -q MPI_Recv ex.html'
check 'noise with several seeds' eval 'replay two.goal $params --noise 1kHz:100us --seeds 3 | grep -q .'

# Programs drawn at random, as traces and as the GOAL that export makes of them: short messages, and long ones by rendezvous,
# with the same tags. (Kind "w", waits between the calls, can differ for the reason above.)
same_as_trace() { # KIND SEED...
    local kind=$1 p seed trace goal; shift
    for seed; do
        python3 "$top_srcdir/tests/cli/goal_order.py" "$seed" "$kind" | "$timeless" undump - -o drawn.tl &&
            "$timeless" export --to goal drawn.tl -o drawn.goal || return
        for p in L=5us,o=2us,g=2us,G=2.5ns,O=1ns,S=1000 L=1us,o=1us,g=4us,G=20ns,O=1ns,S=1000; do
            trace=$("$timeless" replay -q drawn.tl --engine loggops --model "$model" --params $p) && goal=$(replay drawn.goal $p) || return
            echo "seed $seed, $p: trace $trace, GOAL $goal"
            [ "$trace" = "$goal" ] || return
        done
    done
}
check 'random programs with computation take as long as the trace, with two networks' same_as_trace c $(seq 20 40)
check 'those without computation, too' same_as_trace m $(seq 12)
python3 binary.py stencil.goal stencil.bin
check 'the binary form is imported as the text' eval \
    '"$timeless" import --from goal stencil.goal -o t.tl && "$timeless" import --from goal stencil.bin -o b.tl &&
        "$timeless" dump t.tl >t.txt && "$timeless" dump b.tl | cmp t.txt -'

printf 'num_ranks 2\nrank 0 {\na: calc 5 cpu 1\n}\nrank 1 {\n}\n' >cpu.goal
check 'import of a second CPU names line and remedy' refused 3 \
    "timeless: cpu.goal:3: 'a': a rank of a trace has one CPU and one NIC; replay the file itself" "$timeless" import --from \
    goal cpu.goal -o no.tl
check 'the other engine is refused' refused 2 'timeless: cpu.goal: is a schedule of GOAL, .*--engine loggops' "$timeless" replay cpu.goal
check 'missing parameters are refused' refused 2 "timeless: the loggops engine needs the network's parameters" "$timeless" replay cpu.goal \
    --engine loggops
check 'an option without meaning is refused' refused 2 'timeless: cpu.goal: .* --model has no meaning' "$timeless" replay \
    cpu.goal --engine loggops --params $params --model "$model"
printf 'num_ranks 2\nrank 0 {\ns: send 5b to 1 tag 3\n}\nrank 1 {\n}\n' >lost.goal
check 'a send without a receive is refused' refused 3 \
    'timeless: lost.goal:3: rank 0 sends 1 messages to rank 1 with tag 3, which receives 0; ' replay lost.goal
printf 'num_ranks 1\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\n' >circle.goal
check 'a circle is refused' refused 3 \
    'timeless: circle.goal:3: rank 0 waits forever at this operation, and 2 operations do not end; ' replay circle.goal
printf 'num_ranks 2\nrank 0 {\nr: recv 5b from 1\ns: send 5b to 1\ns requires r\n}\nrank 1 {\nr: recv 5b from 0\ns: send 5b to 0\ns requires r\n}\n' \
    >dead.goal
check 'ranks that wait for each other are refused' refused 3 'timeless: dead.goal:3: rank 0 waits forever' replay dead.goal
printf 'num_ranks 1\nrank 0 {\na: calc x\n}\n' >bad.goal
check 'a wrong text is refused by its line' refused 3 "timeless: bad.goal:3: no time in nanoseconds: 'x'; " replay bad.goal

# Damaged binary files: the header has 14 bytes, then 2 x 16; rank 0's schedule of 2 operations begins at byte 46.
takes 15e-6 'a: calc 5000' 's: send 1b to 1 tag 9' 's requires a' -- 'r: recv 1b from 0 tag 9' >/dev/null
damaged() { # PATTERN BYTE HEX: these bytes are other ones
    cp f.bin d.bin && printf "$3" | dd of=d.bin bs=1 seek="$2" conv=notrunc 2>/dev/null && refused 3 "timeless: d.bin: byte $1" replay d.bin
}
check 'damaged: no ranks' damaged '8: the number of ranks is impossible' 8 '\0\0\0\0'
check 'damaged: more ranks than the file has' damaged '.*: the file ends in the table of ranks' 8 '\377\377\0\0'
check 'damaged: a schedule beyond the end' damaged '14: the schedule of a rank is beyond the end of the file' 22 '\377\377\377\0'
check 'damaged: schedules that overlap' damaged '30: the schedules of two ranks overlap' 30 '\46'
check 'damaged: too many operations' damaged '46: there are more operations than the schedule has room for' 46 '\377\377\377\377'
check 'damaged: too many roots' damaged '46: there are more operations than the schedule has room for' 50 '\377\377\377\377'
check 'damaged: an unknown operation' damaged '62: no operation of GOAL' 62 '\7'
check 'damaged: a partner that is no rank' damaged '102: the partner is no rank' 102 '\11'
check 'damaged: an impossible size' damaged '106: an impossible size or time' 113 '\377'
check 'damaged: a send with any tag' damaged '114: a send with any tag, which only a receive can have' 114 '\377\377\377\377'
check 'damaged: dependencies beyond the end' damaged '81: the dependencies are beyond the end of the schedule' 85 '\377'
check 'damaged: a dependency on no operation' damaged '81: a dependency on an operation that does not exist' 136 '\11'
check 'damaged: fewer dependencies than stated' damaged '58: an operation has fewer dependencies than it states' 58 '\1'
check 'damaged: more dependencies than stated' damaged '81: an operation has more dependencies than it states' 97 '\0'
check 'damaged: another first number' eval \
    'cp f.bin d.bin && printf "\0" | dd of=d.bin bs=1 seek=1 conv=notrunc 2>dd.txt &&
        refused 3 "timeless: d.bin: byte 0: is not GOAL" "$timeless" import --from goal d.bin -o no.tl'
truncations() {
    local n
    for n in $(seq 14 7 "$(($(stat -c %s f.bin) - 1))"); do
        head -c "$n" f.bin >cut.bin
        refused 3 '~^timeless: cut.bin: byte [0-9]+: .*; ' replay cut.bin || return
        refused 3 '~^timeless: cut.bin: byte [0-9]+: .*; ' "$timeless" import --from goal cut.bin -o no.tl || return
    done
}
check 'cut off anywhere, a binary file is refused in one line' truncations
tap_done
