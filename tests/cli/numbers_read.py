#!/usr/bin/env python3
"""Compares the numbers of a prediction with those that tests/cli/numbers.c counted, and with each other:
numbers_read.py PREDICTION.json PAGE.html COUNTS..."""
import base64
import collections
import json
import re
import sys

prediction, page = json.load(open(sys.argv[1])), open(sys.argv[2], encoding="utf-8").read()
details, ranks = prediction["details"], prediction["ranks"]
calls, messages, sizes = collections.Counter(), collections.defaultdict(list), collections.defaultdict(list)
for name in sys.argv[3:]:
    for line in open(name):
        word = line.split()
        if word[0] == "call":
            calls[word[1]] += 1
            continue
        source, target, size = map(int, word[1:])
        messages[source, target].append(size)
        sizes[1 << (size.bit_length() - 1) if size else 0].append(size)
assert len(messages) >= 8 and sum(map(len, messages.values())) > 100, "the program counted too little"

# Messages and bytes, by pair of ranks and by size.
assert {(t["from"], t["to"]): (t["messages"], t["bytes"]) for t in details["traffic"]} == \
    {pair: (len(m), sum(m)) for pair, m in messages.items()}, details["traffic"]
assert {s["from_bytes"]: (s["messages"], s["bytes"]) for s in details["message_sizes"]} == \
    {size: (len(m), sum(m)) for size, m in sizes.items()}, details["message_sizes"]

# Calls: each once.
counted = {c["name"]: c["count"] for c in details["calls"]}
for name, count in calls.items():
    assert counted[name] == count, (name, counted[name], count)

# States: as many as calls and pieces of computation, in the table and on the page.
line = json.loads(re.search(r'id="data">(.*?)</script>', page, re.S).group(1))["timeline"]
n_drawn = 0
for text in line["ranks"]:
    n_numbers = sum(byte < 128 for byte in base64.b64decode(text))
    assert n_numbers % 6 == 0
    n_drawn += n_numbers // 6
assert not line["merge_s"]
n_states = sum(counted.values())
assert line["n_states"] == n_states and n_drawn == n_states, (line["n_states"], n_drawn, n_states)
if details["regions"]:
    assert sum(r["count"] for r in details["regions"]) == n_states

# Seconds: all tables have those of the ranks.
whole_s = sum(r["end_s"] for r in ranks)
for kind in ("calls", "regions"):
    if details[kind]:
        total_s = sum(row["time_s"] for row in details[kind])
        assert abs(total_s - whole_s) <= 1e-9 * whole_s, (kind, total_s, whole_s)
for key in ("late_sender_s", "late_receiver_s", "collective_wait_s"):
    by_rank, by_call = (sum(row[key] for row in rows) for rows in (details["ranks"], details["calls"]))
    assert abs(by_rank - by_call) <= 1e-9 * whole_s, (key, by_rank, by_call)

# Links: each rank has a host of its own, so its links carry its messages, and those of its collectives.
links = {l["name"]: l for l in prediction["links"]}
for rank in range(prediction["n_ranks"]):
    out = sum(sum(m) for (source, target), m in messages.items() if source == rank)
    into = sum(sum(m) for (source, target), m in messages.items() if target == rank)
    for name, size in (("UP", out), ("DOWN", into)):
        link = links["cluster_link_%d_%s" % (rank, name)]
        assert 4 <= link["sent_bytes"] - size <= 64, (link, size)  # of MPI_Comm_split and MPI_Allreduce
        assert link["bytes"] > link["sent_bytes"], link
