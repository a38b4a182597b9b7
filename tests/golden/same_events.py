"""same_events.py TIMELESS TRACE [every]: does the reader written from doc/FORMAT.md see what 'timeless dump' does?"""
import json
import subprocess
import sys

import read_trace

M64 = (1 << 64) - 1
ranks = read_trace.read(sys.argv[2])
pairs = read_trace.read_pairs(sys.argv[2])
names = {}
total = 0


def ranks_of(text):
    """The ranks in "[0-3,7,9-15/2,null]"."""
    for part in filter(None, text.strip("[]").split(",")):
        span, _, step = part.partition("/")
        if span == "null":
            yield -1
            continue
        first, _, last = span.partition("-")
        way = -1 if last and int(last) < int(first) else 1
        yield from range(int(first), int(last or first) + way, way * int(step or 1))


comms = kernels = counters = clocks = objects = sources = 0
text = subprocess.run([sys.argv[1], "dump", sys.argv[2]], stdout=subprocess.PIPE, text=True)
exit_code = 0 if all(r["end"] for r in ranks) else 3
assert text.returncode == exit_code
for line in text.stdout.splitlines():
    words = line.split()
    if words[0] in ("folding", "untraced", "parameters", "volume_sample"):
        assert line == f'{words[0]} "{pairs.pop(words[0])}"'
    if words[0] == "rank":
        rank = ranks[int(words[1])]
        ours_objects = iter(rank["objects"])
        expected = iter(sorted(rank["comms"], key=lambda c: c["id"]))
    if words[0] == "kernel":
        assert rank["kernels"][int(words[1])] == words[2][len('name="'):-1]
        kernels += 1
    if words[0] == "counter":
        assert rank["counters"].pop(words[2][len('name="'):-1]) == int(words[3][len("value="):])
        counters += 1
    if words[0] == "object":
        theirs = dict(w.split("=", 1) for w in words[1:])
        assert {k: v.strip('"') for k, v in theirs.items()} == next(ours_objects)
        objects += 1
    if words[0] == "site":
        site = rank["sites"].pop(int(words[1]))
        assert words[2:4] == [f'object="{site["object"]}"', f"offset={site['offset']}"]
        lines = [w for function, file, at in site["source"]
                 for w in (f'function="{function}"', f'file="{file}"', f"line={at}")]
        if site["caller"]:
            lines.insert(0, f"caller={site['caller']}")
        assert words[4:] == " ".join(lines).split(), (words, lines)
        sources += len(site["source"])
    if words[0] == "clock":
        assert line == f'clock "{rank["clock"]}"'
        clocks += 1
    if words[0] != "comm":
        continue
    theirs = dict(w.split("=", 1) for w in words[2:])
    ours = next(expected)
    assert ours["id"] == int(words[1]) and ours["parent"] == int(theirs["parent"])
    for name in ("members", "remote", "sources", "destinations"):
        assert ours[name] == list(ranks_of(theirs.get(name, "[]"))), (name, ours, theirs)
    assert ours["name"] == theirs.get("name", '""').strip('"'), (ours, theirs)
    assert str(ours["tag"]) == theirs.get("tag", "None"), (ours, theirs)
    comms += 1
assert not any(pairs.get(key) for key in ("folding", "untraced", "parameters", "volume_sample"))
assert not any(r["counters"] for r in ranks)
assert comms == sum(len(r["comms"]) for r in ranks)
assert not any(r["sites"] for r in ranks)
assert objects == sum(len(r["objects"]) for r in ranks)
assert clocks == sum(r["clock"] != "" for r in ranks)
assert kernels == sum(len(r["kernels"]) for r in ranks)
if sys.argv[3:] == ["every"]:  # kind of definition is in the trace
    assert counters and comms and kernels and clocks and objects and sources
dump = subprocess.Popen([sys.argv[1], "dump", "--json", sys.argv[2]], stdout=subprocess.PIPE)
for line in dump.stdout:
    theirs = json.loads(line)
    ours = ranks[theirs["rank"]]["events"][theirs["event"]]
    assert names.setdefault(ours["call"], theirs["call"]) == theirs["call"]
    for name, value in ours.items():
        if name == "list":
            assert value == theirs["list"], (ours, theirs)
        elif name not in ("call", "site"):
            assert value & M64 == int(theirs[name]) & M64, (name, ours, theirs)
    total += 1
assert dump.wait() == exit_code
assert total == sum(len(r["events"]) for r in ranks) > 0
print(total, "events of", len(names), "calls and", comms, "communicators are the same")
