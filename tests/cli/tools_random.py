#!/usr/bin/env python3
"""Random traces, and what must hold for the tools that change or summarise them, whatever the trace is.

`tools_random.py TIMELESS PLATFORMS FIRST N [FAMILY...]` draws the programs FIRST to FIRST + N - 1 of each family (plain: point to
point in MPI_COMM_WORLD; world: also its collectives; rich: also communicators, wildcards, regions, kernels, polls), prints a line
for each invariant that does not hold, and fails if there is one.  `tools_random.py write FAMILY NUMBER` prints a program.

Messages, bytes, calls and volumes are counted here, while a program is drawn:
- dump prints the events as they were drawn, and undump makes the same trace of them;
- info counts the calls, events, volumes and clocks, as JSON and as text;
- pack changes nothing; with a precision, volumes and clocks change by at most this, and totals by nothing; statistical volumes
  keep all events and the total of each rank;
- the sections of a trace have its events and volumes, each volume once; clocks of a part are those of the run, moved;
- both engines replay the messages that were drawn; details change no time; paths, calls and ranks add up; text and JSON agree;
- timelines have the states of the whole run;
- a trace takes as long after an export to SimGrid's text or to GOAL and an import;
- join makes the trace of its parts.
"""
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tools_trace import Trace

PARAMS = "L=5us,o=2us,g=2us,G=2.5ns,O=1ns"
MODEL = """seconds_per_flop = 1e-10; reference_flops = 1.0e9;
units = ({unit = "cpu-ns"; seconds_per_unit = 1.0e-9;}, {unit = "flops"; seconds_per_unit = 1.0e-9;});
"""
SYNC = {"MPI_Barrier", "MPI_Allreduce", "MPI_Allgather", "MPI_Alltoall"}  # they open a section
failures = []
stats = {"simgrid": {}, "goal": {}}
where = ""


def fail(text):
    failures.append(where + ": " + text)
    print("FAIL", where + ":", text, flush=True)


def run(*args, code=0):
    done = subprocess.run([TIMELESS, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if code is not None and done.returncode != code and not (args[0] == "replay" and "which SimGrid cannot count" in done.stderr):
        fail("exit %d: %s: %s" % (done.returncode, " ".join(map(str, args)), done.stderr[-400:]))
    return done


def events(path):
    """rank -> list of (call, {slot: text}, volume, polls), of dump."""
    out = {}
    for line in run("dump", path, code=None).stdout.split("\n"):
        w = line.split(" ")
        if len(w) > 2 and w[0].isdigit() and w[1].isdigit():
            slots = dict(x.split("=", 1) for x in w[3:])
            volume, polls = int(slots.pop("volume", 0)), int(slots.pop("polls", 0))
            out.setdefault(int(w[0]), []).append((w[2], slots, volume, polls))
    return out


def check_roundtrip(t):
    dump = run("dump", "t.tl").stdout
    got = [l for l in dump.split("\n") if re.match(r"^\d+ \d+ ", l)]
    want = [l for r in t.ranks for l in t.event_lines(r)]
    if got != want:
        for g, w in zip(got, want):
            if g != w:
                fail("dump: %s instead of %s" % (g, w))
                break
        else:
            fail("dump: %d events of %d" % (len(got), len(want)))
    with open("again.txt", "w") as f:
        f.write(dump)
    run("undump", "again.txt", "-o", "again.tl")
    if run("dump", "again.tl").stdout != dump:
        fail("dump of undump differs")


def check_info(t, path="t.tl"):
    info = json.loads(run("info", "--json", path).stdout)
    if info["calls"] != t.calls():
        fail("info: calls %s != %s" % (info["calls"], t.calls()))
    if info.get("events", info.get("n_events")) != sum(len(r.events) for r in t.ranks):
        fail("info: events")
    for r, (got, rank) in enumerate(zip(info["ranks"], t.ranks)):
        if (got["events"], got["volume"], got["clock_ns"]) != (len(rank.events), t.volumes()[r], rank.clock):
            fail("info: rank %d %s" % (r, got))
    text = run("info", path).stdout
    calls = dict((m[1], int(m[0])) for m in re.findall(r"^ *(\d+)  ((?:MPI_\w+|Match|dgemm))$", text, re.M))
    if calls != t.calls():
        fail("info text: %s" % calls)
    rows = re.findall(r"^ *(\d+) +(\d+) +(\d+) +([\d.e-]+)  finalized", text, re.M)
    for (r, n, v, s), rank in zip(rows, t.ranks):
        if int(n) != len(rank.events) or int(v) != t.volumes()[int(r)] or abs(float(s) - rank.clock * 1e-9) > 5.1e-4 * rank.clock * 1e-9:
            fail("info text: rank %s" % r)
    if len(rows) != t.n:
        fail("info text: %d ranks" % len(rows))


def same_but_volumes(a, b, what, precision):
    for r in a:
        if len(a[r]) != len(b.get(r, [])):
            fail("%s: rank %d has %d events instead of %d" % (what, r, len(b.get(r, [])), len(a[r])))
            return
        if sum(e[2] for e in a[r]) != sum(e[2] for e in b[r]):
            fail("%s: rank %d: total volume" % (what, r))
        clock = clock_b = None
        for k, (x, y) in enumerate(zip(a[r], b[r])):
            sx, sy = dict(x[1]), dict(y[1])
            cx, cy = int(sx.pop("clock_ns", -1)), int(sy.pop("clock_ns", -1))
            if x[0] != y[0] or sx != sy or x[3] != y[3]:
                fail("%s: rank %d event %d" % (what, r, k))
            last = k + 1 == len(a[r])
            if precision is not None and not last and abs(x[2] - y[2]) > precision * x[2]:
                fail("%s: rank %d event %d: volume %d of %d" % (what, r, k, y[2], x[2]))
            if precision is not None and cx >= 0:
                if clock is None or last:
                    bad = cx != cy
                else:
                    bad = not (cx - precision * (cx - clock) - 1 <= cy <= cx)
                if bad:
                    fail("%s: rank %d event %d: clock %d of %d (before %s)" % (what, r, k, cy, cx, clock))
                clock = cx


def check_pack(t):
    a = events("t.tl")
    run("pack", "t.tl", "-o", "p.tl")
    if run("dump", "p.tl").stdout != run("dump", "t.tl").stdout:
        fail("pack: dump differs")
    for precision in (1e-3, t.d.one((0.5, 0.1, 1e-6))):
        run("pack", "--volume-precision", precision, "t.tl", "-o", "q.tl")
        same_but_volumes(a, events("q.tl"), "pack %g" % precision, precision)
    run("pack", "--volume-precision", "statistical", "t.tl", "-o", "s.tl")
    same_but_volumes(a, events("s.tl"), "pack statistical", None)


def within(all_events, lo, hi):
    """Without completions of requests that began before lo."""
    open_, out = {}, []
    for k, e in enumerate(all_events[:hi]):
        call, s = e[0], {k: v for k, v in e[1].items() if k != "clock_ns"}
        rs = [int(x) for x in s.get("list", "[]").strip("[]").split(",") if x] if call in ("MPI_Waitall", "MPI_Startall") else []
        r = int(s.get("request", 0))
        before = lambda q: open_.get(q, lo) < lo
        if call in ("MPI_Wait", "Match") and r and before(r):
            keep = False
        elif call == "MPI_Waitall":
            left = [q for q in rs if not before(q)]
            keep = bool(left)
            s = dict(s, list="[" + ",".join(map(str, left)) + "]")
        else:
            keep = True
        if k >= lo and keep:
            out.append((call, s))
        if call in ("MPI_Isend", "MPI_Issend", "MPI_Irecv", "MPI_Start"):
            open_[r] = k
        for q in rs:
            if call == "MPI_Startall":
                open_[q] = k
            else:
                open_.pop(q, None)
        if call == "MPI_Wait":
            open_.pop(r, None)
    return out


def check_cut(t):
    info = json.loads(run("info", "--json", "--sections", "t.tl").stdout)
    sections = info["sections"]
    opening = {}
    full = events("t.tl")
    for r in full:
        opening[r] = [k for k, e in enumerate(full[r]) if e[0] in SYNC and e[1]["comm"] in ("1", "4")]
    # Communicator 4 has all ranks, too, in another order.
    world = {r: [k for k in opening[r] if full[r][k][1]["comm"] == "1"] for r in full}
    if len(sections) - 1 not in (len(world[0]), len(opening[0])):
        fail("sections: %d" % len(sections))
        return
    bounds = world if len(sections) - 1 == len(world[0]) else opening
    if sum(s["events"] for s in sections) != sum(len(full[r]) for r in full):
        fail("sections: events %d" % sum(s["events"] for s in sections))
    run("cut", "--section", "0:last", "t.tl", "-o", "c.tl")
    c = events("c.tl")
    if c != full:
        fail("cut 0:last is not the whole")
    run("cut", "--events", "0:1000000", "t.tl", "-o", "c.tl")
    if events("c.tl") != full:
        fail("cut --events 0: is not the whole")
    total = {r: 0 for r in full}
    done = True
    for i in range(len(sections)):
        cut = run("cut", "--section", i, "t.tl", "-o", "c.tl", code=None)
        if cut.returncode:
            done = False
            if cut.returncode != 3:
                fail("cut: exit %d %s" % (cut.returncode, cut.stderr))
            continue
        part = events("c.tl")
        run("info", "c.tl")
        for r in full:
            lo = bounds[r][i - 1] if i else 0
            hi = bounds[r][i] + 1 if i < len(bounds[r]) else len(full[r])
            want = within(full[r], lo, hi)
            got = [(e[0], {k: v for k, v in e[1].items() if k != "clock_ns"}) for e in part[r]]
            # persistent requests that are made again
            extra = 0
            while got and extra < len(got) and i and got[extra][0].endswith("_init") and got[extra:] != want:
                extra += 1
            if got[extra:] != want:
                fail("cut section %d: rank %d: %s instead of %s" % (i, r, got[extra:][:5], want[:5]))
            volume = sum(e[2] for e in part[r])
            expected = sum(e[2] for e in full[r][lo + (1 if i else 0):hi])
            if want != [(e[0], {k: v for k, v in e[1].items() if k != "clock_ns"}) for e in full[r][lo:hi]]:
                # the volume of a completion that is left out counts for the next event
                if full[r][hi - 1][0] in ("MPI_Wait", "MPI_Waitall", "Match"):
                    expected = volume
            if volume != expected:
                fail("cut section %d: rank %d: volume %d instead of %d" % (i, r, volume, expected))
            total[r] += volume
            base = None
            clocks = lambda l: [e for e in l if "clock_ns" in e[1]]
            for e, f in zip(clocks(part[r][extra:]), clocks(full[r][lo:hi])):
                if True:
                    d = int(f[1]["clock_ns"]) - int(e[1]["clock_ns"])
                    if base is None:
                        base = d
                    elif base != d:
                        fail("cut section %d: rank %d: clocks" % (i, r))
    if done and list(total.values()) != t.volumes():
        fail("cuts: volumes %s of %s" % (total, t.volumes()))


def ends(path, *args, code=0):
    done = run("replay", path, "-q", *args, "--json=r.json", code=code)
    if done.returncode:
        return done.stderr
    with open("r.json") as f:
        j = json.load(f)
    return j["makespan_s"], [r["end_s"] for r in j["ranks"]], j


def check_replay(t):
    for engine in (["-p", "star-1g"], ["--engine", "loggops", "--params", PARAMS, "--model", "m.conf"]):
        got = ends("t.tl", *engine, "--details")
        if isinstance(got, str):
            return
        j = got[2]
        traffic = {(x["from"], x["to"]): [x["messages"], x["bytes"]] for x in j["details"]["traffic"]}
        if traffic != t.messages:
            fail("%s: traffic %s != %s" % (engine[0], traffic, t.messages))
        n = sum(m for m, _ in t.messages.values())
        sizes = j["details"]["message_sizes"]
        if sum(s["messages"] for s in sizes) != n or sum(s["bytes"] for s in sizes) != sum(b for _, b in t.messages.values()):
            fail("%s: message sizes" % engine[0])
        calls = {c["name"]: c["count"] for c in j["details"]["calls"]}
        want = t.calls()
        for name, k in want.items():
            if name.startswith("MPI_") and name not in ("MPI_Init", "MPI_Finalize", "MPI_Wtime", "MPI_Pcontrol", "MPI_Request_free",
                                                        "MPI_Comm_split") and calls.get(name, 0) != k:
                fail("%s: %s %s of %d" % (engine[0], name, calls.get(name), k))
        if j["n_events"] != sum(want.values()):
            fail("%s: events %d of %d" % (engine[0], j["n_events"], sum(want.values())))
        plain = ends("t.tl", *engine)
        if plain[:2] != got[:2]:
            fail("%s: details change the ends" % engine[0])
        path = j["details"]["critical_path"]
        span = j["makespan_s"]
        for what, value in (("length", path["length_s"]), ("parts", sum(path["parts"].values())), ("ranks", sum(path["ranks_s"])),
                            ("sites", None)):
            if value is not None and abs(value - span) > 1e-9 * span:
                fail("%s: path %s %.17g of %.17g" % (engine[0], what, value, span))
        whole = sum(r["end_s"] for r in j["ranks"])
        for what in ("calls", "sites", "regions"):
            rows = j["details"][what]
            s = sum(x["time_s"] for x in rows)
            if rows and what != "sites" and abs(s - whole) > 1e-9 * whole:
                fail("%s: %s take %.17g of %.17g" % (engine[0], what, s, whole))
        for r in j["ranks"]:
            s = r["compute_s"] + r["p2p_s"] + r["wait_s"] + r["collective_s"] + r["io_s"]
            if s > r["end_s"] * (1 + 1e-9):
                fail("%s: rank takes %.17g of %.17g" % (engine[0], s, r["end_s"]))
        text = run("replay", "t.tl", *engine, "--details").stdout
        m = re.search(r"^makespan +([\d.e+-]+) s$", text, re.M)
        if not m or abs(float(m[1]) - span) > 5.001e-4 * span:
            fail("text: makespan %s of %.17g" % (m and m[1], span))
        for name, key in (("compute", "compute_s"), ("point-to-point", "p2p_s"), ("wait", "wait_s"), ("collective", "collective_s"),
                          ("end of rank", "end_s"), ("  in kernels", "kernel_s")):
            m = re.search(r"^%s +([\d.e+-]+) +([\d.e+-]+) +([\d.e+-]+)$" % re.escape(name), text, re.M)
            values = [r[key] for r in j["ranks"]]
            want3 = (min(values), sum(values) / len(values), max(values))
            if not m or any(abs(float(a) - b) > 5.001e-4 * max(b, 1e-12) for a, b in zip(m.groups(), want3)):
                fail("text: %s: %s of %s" % (name, m and m.groups(), want3))
        if engine[0] == "-p":
            check_timeline(t, engine, j)


def check_timeline(t, engine, j):
    run("replay", "t.tl", "-q", *engine, "--timeline", "x.csv")
    rows = list(csv.DictReader(open("x.csv")))
    per = {}
    for row in rows:
        if row["state"] == "message":
            continue
        per.setdefault(int(row["rank"]), 0)
        per[int(row["rank"])] += float(row["end_s"]) - float(row["begin_s"])
    for r, x in enumerate(j["ranks"]):
        if abs(per.get(r, 0) - x["end_s"]) > 1e-9 * max(x["end_s"], 1e-3):
            fail("timeline: rank %d: %.17g of %.17g" % (r, per.get(r, 0), x["end_s"]))
    run("replay", "t.tl", "-q", *engine, "--timeline", "x.json")
    chrome = json.load(open("x.json"))["traceEvents"]
    n = sum(e["ph"] == "X" for e in chrome)
    if n != len(rows):
        fail("chrome: %d states of %d" % (n, len(rows)))
    run("replay", "t.tl", "-q", *engine, "--timeline", "x.prv")
    run("replay", "t.tl", "-q", *engine, "--timeline", "x.paje")


def check_exchange(t):
    """Export, import, replay."""
    done = run("export", "--to", "simgrid", "tf.tl", "-o", "sg", code=None)
    if done.returncode == 0:
        run("import", "--from", "simgrid", "sg/list.txt", "-o", "i.tl")
        a, b = ends("tf.tl", "-p", "flat"), ends("i.tl", "-p", "flat")
        if isinstance(a, str) or isinstance(b, str):
            if not (isinstance(a, str) and isinstance(b, str)) and "which SimGrid cannot count" not in str(a) + str(b):
                fail("simgrid: %s / %s" % (a[:300], b[:300]))
        elif len(t.comms) == 1 and abs(a[0] - b[0]) > 1e-9 * a[0]:
            fail("simgrid: %.17g %.17g" % (a[0], b[0]))
        va = [sum(e[2] for e in events("tf.tl")[r]) for r in range(t.n)]
        vb = [sum(e[2] for e in events("i.tl")[r]) for r in range(t.n)]
        if va != vb:
            fail("simgrid: volumes %s %s" % (va, vb))
    elif done.returncode != 3:
        fail("export simgrid: %d %s" % (done.returncode, done.stderr))
    stats["simgrid"][done.returncode] = stats["simgrid"].get(done.returncode, 0) + 1
    done = run("export", "--to", "goal", "t.tl", "-o", "t.goal", code=None)
    stats["goal"][done.returncode] = stats["goal"].get(done.returncode, 0) + 1
    if done.returncode == 0:
        imported = run("import", "--from", "goal", "t.goal", "-o", "g.tl", code=None)
        lg = ["--engine", "loggops", "--params", PARAMS]
        a = ends("t.tl", *lg, "--model", "m.conf")
        goal = ends("t.goal", *lg)
        if not isinstance(a, str) and len(t.comms) == 1:
            if isinstance(goal, str) or abs(a[0] - goal[0]) > 1e-12 * a[0] + 1e-12:
                fail("goal: %s %s" % (a[0], goal[0] if not isinstance(goal, str) else goal))
        if imported.returncode == 0:
            b = ends("g.tl", *lg, "--model", "m.conf")
            if not isinstance(a, str) and len(t.comms) == 1 and abs(a[0] - b[0]) > 1e-12 * a[0] + 1e-12:
                fail("goal import: %s %s" % (a[0], b[0]))
        else:
            fail("goal import: " + imported.stderr)
    elif done.returncode != 3:
        fail("export goal: %d %s" % (done.returncode, done.stderr))


def check_join(t):
    """Parts of hosts."""
    hosts = sorted({t.host(r).replace(" ", "") for r in range(t.n)})
    if len(hosts) < 2:
        return
    head = ['timeless-text 1', 'ranks %d' % t.n, 'volume_unit "cpu-ns"', 'run_id "A"', 'parts "%s"' % " ".join(hosts)]
    names = []
    for h in hosts:
        lines = list(head)
        for r in t.ranks:
            if t.host(r.number).replace(" ", "") == h:
                rank = t.rank_text(r)
                rank[0] = 'rank %d host="%s"' % (r.number, h)
                lines += rank
        with open(h + ".txt", "w") as f:
            f.write("\n".join(lines) + "\n")
        run("undump", h + ".txt", "-o", h + ".tl")
        names.append(h + ".tl")
    run("join", *t.d.some(names, len(names)), "-o", "j.tl")
    if events("j.tl") != events("t.tl"):
        fail("join: other events")
    check_info(t, "j.tl")


def main(first, n, families):
    global where
    with open("m.conf", "w") as f:
        f.write(MODEL)
    shutil.copytree(os.environ["TIMELESS_PLATFORMS"] + "/star-1g", "flat")
    with open("flat/options.conf", "a") as f:  # what the text of SimGrid and GOAL leave out takes no time
        f.write("smpi/wtime:0\nsmpi/test:0\nsmpi/iprobe:0\n")
    with open("flat/model.conf", "w") as f:
        f.write(MODEL)
    for seed in range(first, first + n):
        for family in families:
            where = "%s %d" % (family, seed)
            t = Trace(family, seed)
            for name, unit in (("t", "cpu-ns"), ("tf", "flops")):
                with open(name + ".txt", "w") as f:
                    f.write(t.text(unit))
                run("undump", name + ".txt", "-o", name + ".tl")
            for check in (check_roundtrip, check_info, check_pack, check_cut, check_replay, check_exchange, check_join):
                check(t)
    print("# %d invariants failed; exports by exit code: %s" % (len(failures), stats))
    return bool(failures)


if sys.argv[1] == "write":
    print(Trace(sys.argv[2], int(sys.argv[3])).text(), end="")
    sys.exit()
TIMELESS = os.path.abspath(sys.argv[1])
os.environ["TIMELESS_PLATFORMS"] = os.path.abspath(sys.argv[2])
with tempfile.TemporaryDirectory(prefix="timeless-tools.") as folder:
    os.chdir(folder)
    result = main(int(sys.argv[3]), int(sys.argv[4]), sys.argv[5:] or ["plain", "world", "rich"])
    os.chdir("/")
sys.exit(result)
