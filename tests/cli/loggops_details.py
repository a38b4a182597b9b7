#!/usr/bin/env python3
"""Holds what the LogGOPS engine says of ranks and calls against closed formulas and the SimGrid engine.

`states CSV PREDICTION`: the states fill every rank up to its end. `same SIMGRID LOGGOPS`: both count the same
messages, bytes and calls. `path PREDICTION`: the critical path has no gap. `formula PATTERN RANKS ITERATIONS BYTES
PREDICTION`, for L=5us, o=2us, g=2us, G=2.5ns, O=1ns. `waits FOLDER`: the programs of waits_cases.py, without
transfer times. `chosen RANKS@FROM:TO ALL.csv FEW.csv ALL.json FEW.json`: the states of some ranks and a time are
those of a timeline of all, and the sums are those of all."""
import collections
import csv
import json
import os
import runpy
import sys

L, o, G, O = 5e-6, 2e-6, 2.5e-9, 1e-9


def load(path):
    with open(path) as file:
        return json.load(file)


def near(a, b):
    return abs(a - b) < 1e-12


def states(csv_path, path):
    ranks, now, last = load(path)["ranks"], collections.Counter(), 0.0
    with open(csv_path, newline="") as file:
        for row in csv.DictReader(file):
            rank = int(row["rank"])
            assert near(float(row["begin_s"]), now[rank]), (now[rank], row)
            now[rank] = float(row["end_s"])
            assert now[rank] >= last, ("the states are not in order", row)
            last = now[rank]
    for number, rank in enumerate(ranks):
        assert near(now[number], rank["end_s"]), (number, now[number], rank)


def same(simgrid, loggops):
    a, b = load(simgrid)["details"], load(loggops)["details"]
    assert a["traffic"] and a["traffic"] == b["traffic"]
    assert a["message_sizes"] == b["message_sizes"]
    for table in ("calls", "sites", "communicators", "regions"):
        rows = [sorted((r["name"], r["count"], r["bytes"]) for r in d[table]) for d in (a, b)]
        assert rows[0] == rows[1], (table, set(rows[0]) ^ set(rows[1]))


def path(prediction):
    p = load(prediction)
    found, whole = p["details"]["critical_path"], p["makespan_s"]
    for sum_s in (found["length_s"], sum(found["parts"].values()), sum(found["ranks_s"]),
                  sum(s["time_s"] for s in found["sites"])):
        assert near(sum_s, whole), (sum_s, whole, found)


def formula(pattern, ranks, iterations, size, prediction):
    ranks, iterations, k = int(ranks), int(iterations), int(size) - 1
    p = load(prediction)
    details, late = p["details"], [r["late_sender_s"] for r in p["details"]["ranks"]]
    send, hop = o + k * O, 2 * o + L + k * max(G, O)
    if pattern == "token":  # each rank but the first waits from the start for the one before
        whole = iterations * ranks * hop
        around = (ranks - 1) * hop - send
        expected = [iterations * around] + [(r - 1) * hop + (iterations - 1) * around for r in range(1, ranks)]
    else:  # late: rank 0 computes for 5 ms, then sends
        whole = 5e-3 + hop
        expected = [0, 5e-3]
    assert near(p["makespan_s"], whole), (p["makespan_s"], whole)
    assert all(near(a, b) for a, b in zip(late, expected)), (late, expected)
    assert all(r["late_receiver_s"] == r["collective_wait_s"] == 0 for r in details["ranks"])
    found = details["critical_path"]
    assert near(found["parts"]["message_s"], whole - (5e-3 if pattern == "late" else 0)), found
    assert found["jumps"] == (1 if pattern == "late" else iterations * ranks), found


def ranks_of(text):
    for part in text.split(","):
        first, _, last = part.partition("-")
        yield from range(int(first), int(last or first) + 1)


def chosen(text, all_csv, few_csv, all_json, few_json):
    ranks, _, time = text.partition("@")
    wanted = set(ranks_of(ranks))
    begin, end = (1e-6 * float(t[:-2]) for t in time.split(":")) if time else (0, 1e9)
    with open(all_csv, newline="") as file:
        expected = [r for r in csv.DictReader(file) if int(r["rank"]) in wanted and
                    float(r["end_s"]) >= begin and float(r["begin_s"]) <= end]
    with open(few_csv, newline="") as file:
        assert list(csv.DictReader(file)) == expected and expected
    a, b = load(all_json), load(few_json)
    assert a["ranks"] == b["ranks"] and b["details"]["chosen"] == text
    a, b = a["details"], b["details"]
    for one, other in list(zip(a["ranks"], b["ranks"])) + [(a["critical_path"]["parts"], b["critical_path"]["parts"])]:
        assert one.keys() == other.keys() and all(near(one[k], other[k]) for k in one), (one, other)
    assert a["critical_path"]["jumps"] == b["critical_path"]["jumps"]
    rows = [sorted((r["name"], r["count"], r["bytes"]) for r in d["calls"]) for d in (a, b)]
    assert rows[0] == rows[1]
    assert all(near(x["time_s"], y["time_s"]) for x, y in zip(*(sorted(d["calls"], key=lambda r: r["name"]) for d in (a, b))))
    if not time:
        assert b["traffic"] == [t for t in a["traffic"] if t["from"] in wanted]


# The CPU of a LogGOPS rank receives long messages, and not while it computes; MPI_Bsend is no call of its own.
OTHERWISE = {"a receive posted early is not late", "a transfer beside computation", "nor does a buffered one"}


def waits(folder):
    sys.argv[1:] = ["write", folder]
    cases = runpy.run_path(os.path.join(os.path.dirname(__file__), "waits_cases.py"))
    keys, n = ("late_sender_s", "late_receiver_s", "collective_wait_s"), 0
    for number, (name, ranks) in enumerate(sorted(cases["CASES"].items())):
        file = "%s/%02d.json" % (folder, number)
        job = load(file)
        n += 1
        path(file)
        for r, (_, expected) in enumerate(ranks):
            found = [1e3 * job["details"]["ranks"][r][k] for k in keys]
            assert not expected or name in OTHERWISE or all(
                abs(f - e) < 1e-6 for f, e in zip(found, expected)), (name, r, found)
        if name in cases["PATHS"] and name not in OTHERWISE:
            computed, on_ranks, jumps = cases["PATHS"][name]
            found = job["details"]["critical_path"]
            assert abs(1e3 * found["parts"]["compute_s"] - computed) < 1e-6, (name, found)
            assert jumps is None or found["jumps"] == jumps, (name, found)
            for rank, expected in on_ranks.items():
                assert abs(1e3 * found["ranks_s"][rank] - expected) < 1e-6, (name, found)
    assert n == len(cases["CASES"]), n


{"states": states, "same": same, "path": path, "formula": formula, "waits": waits, "chosen": chosen}[sys.argv[1]](*sys.argv[2:])
