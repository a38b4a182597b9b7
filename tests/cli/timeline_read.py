#!/usr/bin/env python3
"""Reads a timeline back and holds it against the prediction, or against the same one as CSV."""
import collections
import csv
import json
import sys

ACCOUNTS = {"compute": "compute_s", "kernel": "compute_s", "send": "p2p_s", "receive": "p2p_s",
            "wait": "wait_s", "collective": "collective_s", "io": "io_s"}


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def near(a, b, scale=1.0):
    return abs(a - b) <= 1e-9 * scale


def check_csv(path, prediction_path):
    prediction = json.load(open(prediction_path))
    ranks = collections.defaultdict(list)
    for row in rows_of(path):
        ranks[int(row["rank"])].append(row)
    assert sorted(ranks) == list(range(prediction["n_ranks"]))
    for rank, states in ranks.items():
        expected, sums, now = prediction["ranks"][rank], collections.Counter(), 0.0
        for s in states:
            begin, end = float(s["begin_s"]), float(s["end_s"])
            assert near(begin, now) and end >= begin, (rank, now, s)
            now = end
            if s["state"] in ACCOUNTS:
                sums[ACCOUNTS[s["state"]]] += end - begin
            if s["state"] == "kernel":
                sums["kernel_s"] += end - begin
        assert near(now, expected["end_s"]), (rank, now)
        for key in ("compute_s", "kernel_s", "p2p_s", "wait_s", "collective_s", "io_s"):
            assert near(sums[key], expected[key]), (rank, key, sums[key], expected[key])
        assert {"compute", "kernel", "send", "wait", "collective"} <= {s["state"] for s in states}


def check_messages(path):
    sent = collections.Counter()
    for row in rows_of(path):
        if row["peer"] and (row["call"] == "MPI_Send" or row["state"] == "message"):
            sent[int(row["rank"]), int(row["peer"])] += int(row["bytes"])
            sent["messages"] += 1
    ring = 1 + 1000 + 200000
    for r in range(4):
        expected = collections.Counter({(r + 1) % 4: ring})
        expected[r ^ 1] += 240
        for peer in range(4):
            assert sent[r, peer] == expected[peer], (r, peer, sent[r, peer])
    assert sent["messages"] == 24, sent["messages"]


def check_arrows(events, rows):
    """Each arrow begins in a state of one rank, in a call or before it, and ends in a call of another that a message
    ended; every rank that waited for a late sender has one."""
    ends = {(e["ph"], e["id"]): e for e in events if e["ph"] in "sf"}
    arrows = [(ends["s", id], e) for (ph, id), e in ends.items() if ph == "f"]
    assert len(arrows) * 2 == len([e for e in events if e["ph"] in "sf"]) > 0
    for begin, end in arrows:
        row = rows[end["id"]]
        assert begin["tid"] != end["tid"] == int(row["rank"]) and begin["ts"] <= end["ts"] and end["bp"] == "e"
        assert float(row["begin_s"]) <= end["ts"] * 1e-6 < float(row["end_s"]), (end, row)
        assert row["state"] in ("send", "receive", "wait"), row
    late = [i for i, row in enumerate(rows) if row["wait"] == "late sender"]
    assert late and set(late) <= {end["id"] for _, end in arrows}


def check_chrome(path, csv_path):
    events = json.load(open(path))["traceEvents"]
    states, rows = [e for e in events if e["ph"] == "X"], rows_of(csv_path)
    assert len(states) == len(rows) > 0
    for e, row in zip(states, rows):
        assert near(e["ts"] * 1e-6, float(row["begin_s"])) and e["tid"] == int(row["rank"])
        assert e["name"] == row["call"] and e["cat"] == row["state"]
        assert e["args"].get("bytes", 0) == int(row["bytes"])
    check_arrows(events, rows)
    names = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
    assert sorted(names) == [0, 1, 2, 3] and names[2].startswith("rank 2 (")


def read_paje(path):
    """The states of each container and the links, from the definitions that the file itself gives."""
    link_types, begun, links = {}, {}, []
    fields, current, containers, values, types, states = {}, None, {}, set(), set(), {}
    last = 0.0
    ends = {}
    for line in open(path):
        if line.startswith("%EventDef"):
            _, name, number = line.split()
            current = fields[number] = (name, [])
        elif line.startswith("%EndEventDef"):
            current = None
        elif line.startswith("%"):
            current[1].append(line[1:].split()[0])
        else:
            parts = next(csv.reader([line.rstrip("\n")], delimiter=" "))
            name, keys = fields[parts[0]]
            assert len(parts) == len(keys) + 1, line
            e = dict(zip(keys, parts[1:]))
            if "Time" in e:
                assert float(e["Time"]) >= last, line
                last = float(e["Time"])
            if name == "PajeDefineLinkType":
                assert {e["Type"], e["StartContainerType"], e["EndContainerType"]} <= types, line
                link_types[e["Alias"]] = e
                types.add(e["Alias"])
            elif name.startswith("PajeDefine"):
                assert e["Type"] == "0" or e["Type"] in types, line
                (values if name == "PajeDefineEntityValue" else types).add(e["Alias"])
            elif name == "PajeCreateContainer":
                assert e["Type"] in types and (e["Container"] == "0" or e["Container"] in containers)
                containers[e["Alias"]] = e["Type"]
            elif name == "PajeSetState":
                assert e["Container"] in containers and e["Container"] not in ends, line
                assert e["Value"] in values and e["Type"] in types
                states.setdefault(e["Container"], []).append(
                    (float(e["Time"]), e["Value"], e["Call"]))
            elif name in ("PajeStartLink", "PajeEndLink"):
                side, type = name[4:-4], link_types[e["Type"]]
                place = e[side + "Container"]
                assert containers[place] == type[side + "ContainerType"] and place not in ends, line
                assert containers[e["Container"]] == type["Type"] and e["Value"] in values, line
                if side == "Start":
                    assert begun.setdefault(e["Key"], e) is e, line
                else:
                    links.append((begun.pop(e["Key"]), e))
            else:
                assert name == "PajeDestroyContainer" and containers[e["Name"]] == "RANK"
                ends[e["Name"]] = last
    assert not begun, begun
    return states, ends, links


def check_links(links, rows, chrome_path):
    """The links are the arrows of the JSON: from and to the same ranks, from the same time, until the end of the call,
    with its bytes; those of blocking receives with the bytes that were sent."""
    arrows = {}
    for e in json.load(open(chrome_path))["traceEvents"]:
        if e["ph"] in "sf":
            arrows.setdefault(e["id"], {})[e["ph"]] = e
    assert len(links) == len(arrows) > 0
    for start, end in links:
        arrow, row = arrows.pop(int(end["Key"])), rows[int(end["Key"])]
        assert start["StartContainer"] == "job0.rank%d" % arrow["s"]["tid"] != end["EndContainer"]
        assert end["EndContainer"] == "job0.rank%d" % arrow["f"]["tid"] == "job0.rank%s" % row["rank"]
        assert near(float(start["Time"]), arrow["s"]["ts"] * 1e-6) and near(float(end["Time"]), float(row["end_s"]))
        assert start["Bytes"] == end["Bytes"] == row["bytes"], (start, end, row)
        if row["peer"] and row["state"] == "receive":
            assert start["StartContainer"] == "job0.rank%s" % row["peer"], (start, row)
            assert int(end["Bytes"]) in [int(r["bytes"]) for r in rows if r["call"] == "MPI_Send" and
                                         r["rank"] == row["peer"] and r["peer"] == row["rank"]]


def check_paje(path, csv_path, chrome_path):
    states, ends, links = read_paje(path)
    check_links(links, rows_of(csv_path), chrome_path)
    assert sorted(ends) == ["job0.rank%d" % r for r in range(4)] == sorted(states)
    for rank in range(4):
        rows = [r for r in rows_of(csv_path)
                if int(r["rank"]) == rank and float(r["end_s"]) > float(r["begin_s"])]
        found = states["job0.rank%d" % rank]
        assert len(rows) == len(found)
        for row, (time, value, call) in zip(rows, found):
            assert near(time, float(row["begin_s"])) and value == row["state"] and call == row["call"]


def check_jobs(path, prediction_path):
    jobs = json.load(open(prediction_path))["jobs"]
    ends = read_paje(path)[1]
    for j, job in enumerate(jobs):
        for r, rank in enumerate(job["ranks"]):
            assert near(ends["job%d.rank%d" % (j, r)], 2 * j + rank["end_s"])


def check_details(path, csv_path):
    prediction = json.load(open(path))
    details, rows = prediction["details"], rows_of(csv_path)
    expected = {"calls": {}, "communicators": {}, "regions": {}}
    level = collections.defaultdict(lambda: "before MPI_Pcontrol")
    n_levels = collections.Counter()
    for row in rows:
        if row["state"] == "message":
            continue
        if row["call"] == "MPI_Pcontrol":
            n_levels[row["rank"]] += 1
            level[row["rank"]] = "MPI_Pcontrol(%d)" % n_levels[row["rank"]]
        comm = {"": None, "0": "MPI_COMM_WORLD"}.get(
            row["communicator"], "communicator " + row["communicator"])
        for kind, key in (("calls", row["call"]), ("communicators", comm),
                          ("regions", level[row["rank"]])):
            if key:
                sums = expected[kind].setdefault(key, [0, 0.0, 0])
                sums[0] += 1
                sums[1] += float(row["end_s"]) - float(row["begin_s"])
                sums[2] += int(row["bytes"])
    assert len(expected["regions"]) == 3 and len(expected["communicators"]) == 3
    for kind, sums in expected.items():
        found = details[kind]
        assert [f["time_s"] for f in found] == sorted((f["time_s"] for f in found), reverse=True)
        assert sorted(f["name"] for f in found) == sorted(sums), (kind, found)
        for f in found:
            count, time_s, size = sums[f["name"]]
            assert (f["count"], f["bytes"]) == (count, size) and near(f["time_s"], time_s), f
    total_s = sum(r["end_s"] for r in prediction["ranks"])
    for kind in ("calls", "regions"):
        assert near(sum(f["time_s"] for f in details[kind]), total_s)
    sizes = [(s["from_bytes"], s["to_bytes"], s["messages"], s["bytes"])
             for s in details["message_sizes"]]
    assert sizes == [(1, 1, 4, 4), (64, 127, 12, 960), (512, 1023, 4, 4000),
                     (131072, 262143, 4, 800000)], sizes
    pairs = {(t["from"], t["to"]): (t["messages"], t["bytes"]) for t in details["traffic"]}
    assert pairs == {(0, 1): (6, 201241), (1, 0): (3, 240), (1, 2): (3, 201001),
                     (2, 3): (6, 201241), (3, 2): (3, 240), (3, 0): (3, 201001)}, pairs


{"csv": check_csv, "details": check_details, "messages": check_messages, "chrome": check_chrome, "paje": check_paje,
 "jobs": check_jobs}[sys.argv[1]](*sys.argv[2:])
