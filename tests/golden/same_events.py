"""same_events.py TIMELESS TRACE: does the reader written from doc/FORMAT.md see what 'timeless dump' does?"""
import json
import subprocess
import sys

import read_trace

M64 = (1 << 64) - 1
ranks = read_trace.read(sys.argv[2])
names = {}
total = 0
dump = subprocess.Popen([sys.argv[1], "dump", "--json", sys.argv[2]], stdout=subprocess.PIPE)
for line in dump.stdout:
    theirs = json.loads(line)
    ours = ranks[theirs["rank"]]["events"][theirs["event"]]
    assert names.setdefault(ours["call"], theirs["call"]) == theirs["call"]
    for name, value in ours.items():
        if name == "list":
            assert value == theirs["list"], (ours, theirs)
        elif name not in ("call", "site"):
            assert value & M64 == theirs[name] & M64, (name, ours, theirs)
    total += 1
assert dump.wait() == 0
assert total == sum(len(r["events"]) for r in ranks) > 0
print(total, "events of", len(names), "calls are the same")
