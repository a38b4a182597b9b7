#!/usr/bin/env python3
"""paraver_read.py FILE.prv [TIMELINE.csv] - reads FILE.prv, .pcf and .row by the published description of Paraver's
traces alone, checks them, and compares them with the timeline as CSV."""
import csv
import re
import sys

path = sys.argv[1]
lines = open(path).read().splitlines()
head = re.fullmatch(r"#Paraver \((\d\d/\d\d/\d{4}) at (\d\d:\d\d)\):(\d+)_ns:(\d+)\(([\d,]+)\):(\d+):(.*)", lines[0])
assert head, lines[0]
end, cpus = int(head[3]), [int(n) for n in head[5].split(",")]
assert len(cpus) == int(head[4])
applications = re.findall(r"(\d+)\(([\d:,]+)\)", head[7])
assert len(applications) == int(head[6])
node_of_cpu = [node for node, n in enumerate(cpus, 1) for _ in range(n)]
threads = {}
for appl, (n_tasks, tasks) in enumerate(applications, 1):
    tasks = tasks.split(",")
    assert len(tasks) == int(n_tasks)
    for task, text in enumerate(tasks, 1):
        n_threads, node = map(int, text.split(":"))
        assert n_threads == 1
        threads[appl, task, 1] = node

states, calls, messages, last = {}, {}, [], 0


def place(fields):
    cpu, *thread = fields
    assert node_of_cpu[cpu - 1] == threads[tuple(thread)], fields
    return tuple(thread)


for line in lines[1:]:
    kind, *fields = map(int, line.split(":"))
    if kind == 1:
        begin, until, state = fields[4:]
        of = states.setdefault(place(fields[:4]), [])
        assert begin < until <= end and (not of or of[-1][1] <= begin), line
        of.append((begin, until, state))
        time = begin
    elif kind == 2:
        time, pairs = fields[4], fields[5:]
        assert len(pairs) == 2, line
        calls.setdefault(place(fields[:4]), []).append((time, *pairs))
    else:
        assert kind == 3 and len(fields) == 14, line
        sender, receiver = place(fields[:4]), place(fields[6:10])
        time, physical, posted, arrived = fields[4], fields[5], fields[10], fields[11]
        assert sender != receiver and physical >= time and arrived >= max(posted, physical), line
        messages.append((sender, receiver, time, posted, arrived, fields[12]))
    assert time >= last, line
    last = time
assert max(of[-1][1] for of in states.values()) == end and set(states) == set(threads) and messages

stem = path[: -len(".prv")]
sections, section = {}, None
for line in open(stem + ".pcf"):
    words = line.split(None, 1)
    if words and not words[0][0].isdigit():
        section = words[0]
    elif words and section:
        sections.setdefault(section, {})[int(words[0])] = words[1].strip()
event_type = int(sections["EVENT_TYPE"][0].split()[0])
rows = re.findall(r"LEVEL (\w+) SIZE (\d+)\n((?:.+\n)*)", open(stem + ".row").read())
sizes = {level: (int(n), text.splitlines()) for level, n, text in rows}
assert all(n == len(names) for n, names in sizes.values()), sizes
assert sizes["CPU"][0] == sum(cpus) and sizes["NODE"][0] == len(cpus) and sizes["THREAD"][0] == len(threads)
for of in states.values():
    assert all(state in sections["STATES"] for _, _, state in of)
for of in calls.values():
    assert all(kind == event_type and value in sections["VALUES"] for _, kind, value in of)

if len(sys.argv) > 2:
    wanted = {"compute": 1, "kernel": 1, "receive": 3, "send": 4, "wait": 8, "io": 12, "collective": 13, "other": 15}
    for (appl, task, _), of in states.items():
        mine = []
        for row in csv.DictReader(open(sys.argv[2])):
            begin, until = round(1e9 * float(row["begin_s"])), round(1e9 * float(row["end_s"]))
            if int(row["rank"]) == task - 1 and until > begin:
                mine.append((begin, until, wanted[row["state"]], row["call"]))
        mine.sort()
        names = [sections["VALUES"][value].replace("computation", "compute") for _, _, value in calls[appl, task, 1]]
        assert [row[:3] for row in mine] == of, (mine[:3], of[:3])
        assert names == [row[3] for row in mine], list(zip(names, mine))[:5]
    late = [row for row in csv.DictReader(open(sys.argv[2])) if row["wait"] == "late sender"]
    ended = {(receiver[1] - 1, arrived) for _, receiver, _, _, arrived, _ in messages}
    assert late and all((int(row["rank"]), round(1e9 * float(row["end_s"]))) in ended for row in late)
