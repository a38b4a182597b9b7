#!/usr/bin/env python3
"""Random programs on random platforms, replayed by both engines: the ends of all ranks must agree to 1e-3.

`compare TIMELESS MODEL FAMILY FIRST N` draws the programs FIRST to FIRST + N - 1 of a family, prints a line for each
that disagrees, and fails if one does.  The LogGOPS engine also replays each with --threads=2 and with --details, and
must not give other ends.  `write FAMILY NUMBER FOLDER` writes one program.  `shrink TIMELESS MODEL FAMILY NUMBER
FOLDER` looks for its least part that disagrees, and prints it.

Of the family `tags`, SMPI replays each program twice: as it is drawn, where messages of different sizes have different
tags, and collectives that are open together have communicators of their own; and with one tag and one communicator,
where some receives have more room than their message needs.  MPI matches both alike, so all ends are equal to the last
digit.  LogGOPS must reach the end of the second one.

A program depends on its family and its number alone: Python keeps the sequence of random.random() of a seed.  None can
wait forever: its steps have one order, each rank does its part of them in this order, and a step needs nothing of those
that follow.  No receive has a wildcard.

What the models do differently on purpose does not occur:
- SimGrid shares a link among messages, LogGOPS lets them pass one after the other.  In the families `calls` and
  `collectives` links have no limit.  In `chains` they have one, and a host has one message at a time.
- In LogGOPS a message that would overtake an earlier one of the same tag waits for it.  In SMPI it may go on.  So messages of different sizes have different tags, and synchronous ones tags of their own.
- The least latency of LogGOPS is 10 ns.
- Eager messages are those that SMPI detaches: in a platform with another smpi/async-small-thresh, SMPI would let some of
  them begin only with their receives.
- SMPI forgets the host of a sender that has ended, on which overheads may depend: all ranks end late.
- Of most collectives, trees and order of LogGOPS are not those of SMPI: ALGORITHMS are.
"""
import json
import math
import os
import random
import re
import shutil
import subprocess
import sys

BORDERS = (100, 1420, 8000, 15798, 64000)
TAIL_NS = 1000000000  # of computation, which ends each rank
ALGORITHMS = ["--coll=barrier=ompi_bruck", "--coll=bcast=flattree", "--coll=allreduce=rdb", "--coll=alltoall=ring"]


class Draw:
    def __init__(self, seed):
        self.real = random.Random(seed).random

    def below(self, n):
        return int(self.real() * n)

    def one(self, items):
        return items[self.below(len(items))]

    def chance(self, p):
        return self.real() < p

    def between(self, low, high):
        """Of all magnitudes alike."""
        return low * math.exp(self.real() * math.log(high / low))

    def some(self, items, n):
        left = list(items)
        return [left.pop(self.below(len(left))) for _ in range(n)]


# ---- platforms ----

def borders(d):
    return ([0] if d.chance(0.9) else []) + [b for b in BORDERS if d.chance(0.4)] or [0]


def overheads(d):
    """Seconds, and seconds per byte, from each size on: nothing, alike, growing, or with long jumps."""
    kind = d.below(4)
    rows = []
    for b in borders(d):
        if kind == 0 or (b and d.chance(0.1)):
            rows.append((b, 0, 0))
        elif kind == 1:
            rows.append((b, d.between(1e-7, 1e-5), 0))
        elif kind == 2:
            rows.append((b, d.between(1e-7, 1e-5), d.between(1e-12, 1e-9)))
        else:
            rows.append((b, d.between(1e-4, 1e-3) if d.chance(0.3) else d.between(1e-7, 1e-5), 0))
    return ";".join("%d:%.6g:%.6g" % row for row in rows)


def factors(d, low, high):
    return ";".join("%d:%.6g" % (b, d.between(low, high)) for b in borders(d))


def draw_platform(d, family, n_hosts):
    """The texts of platform.xml and options.conf; every latency is above 0.1 us."""
    bandwidth = 1e18 if family != "chains" else d.between(1e8, 1e11)
    latency = d.between(1e-7, 2e-5)
    loopback = ""
    if d.chance(0.5):
        loopback = ' loopback_bw="%.6gBps" loopback_lat="%.6gs"' % (
            1e18 if family != "chains" else d.between(1e8, 1e11), d.between(1e-7, 5e-6))
    xml = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
    <cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" core="16" bw="%.6gBps" lat="%.6gs"%s sharing_policy="SPLITDUPLEX"/>
  </zone>
</platform>
""" % (n_hosts - 1, bandwidth, latency, loopback)
    limit = d.one((1, 1000, 8000, 64000))
    options = ["surf/precision:1e-12", "smpi/wtime:0", "network/TCP-gamma:0", "network/crosstraffic:no", "network/weight-S:0",
               "smpi/async-small-thresh:%d" % limit, "smpi/send-is-detached-thresh:%d" % limit,
               "smpi/os:" + overheads(d), "smpi/ois:" + overheads(d), "smpi/or:" + overheads(d),
               "smpi/lat-factor:" + factors(d, 1, d.one((2, 50, 1000))), "smpi/bw-factor:" + factors(d, 0.3, 1)]
    if d.chance(0.3):
        options += ["timeless/loopback-lat-factor:" + factors(d, 1, 30), "timeless/loopback-bw-factor:" + factors(d, 0.3, 1)]
    if d.chance(0.2):
        options.append("timeless/local-overheads:no")
    elif d.chance(0.3):
        options += ["timeless/loopback-%s:%s" % (name, overheads(d)) for name in ("os", "ois", "or")]
    return xml, "\n".join(options) + "\n", limit


# ---- programs: lists of steps ----

SENDS = ("Send", "Send", "Send", "Ssend", "Bsend", "Rsend", "Isend", "Isend", "Issend", "Ibsend",
         "Send_init", "Ssend_init", "Bsend_init")
SYNCHRONOUS = ("Ssend", "Issend", "Ssend_init")
RECEIVES = ("Recv", "Recv", "Irecv", "Irecv", "Recv_init")


def draw_size(d, limit):
    at = d.below(4)
    if at == 0:
        return d.below(200)
    if at == 1:
        return int(d.between(1, 200000))
    border = limit if at == 2 else d.one(BORDERS)
    return max(0, border + d.one((-17, -16, -15, -1, 0, 1, 2)))


def draw_volume(d):
    return int(d.between(100, 1e6)) if d.chance(0.3) else 0


def draw_message(d, ranks, limit, channels):
    a, b = d.some(ranks, 2)
    step = dict(kind="message", a=a, b=b, size=draw_size(d, limit), tag=d.below(3), send=d.one(SENDS), receive=d.one(RECEIVES),
                volumes=[draw_volume(d), draw_volume(d)])
    if channels and d.chance(0.2):
        step.update(d.one(channels))
    elif step["send"].endswith("_init") or step["receive"].endswith("_init"):
        channels.append({key: step[key] for key in ("a", "b", "size", "tag", "send", "receive")})
    return step


def draw_steps(d, family, n, limit):
    channels, steps = [], []
    weights = d.one((dict(message=10, wait=4), dict(message=6, wait=3, exchange=3, ring=1, compute=2), dict(exchange=6, message=3, wait=2)))
    if family == "collectives":
        weights = d.one((dict(collective=1), dict(message=5, wait=2, exchange=2, compute=2, collective=2)))
    if family == "tags":
        weights = dict(message=8, wait=3, exchange=2, ring=1, overlap=2)
    kinds = [kind for kind, weight in weights.items() for _ in range(weight)]
    for _ in range(5 + d.below(40)):
        kind = d.one(kinds)
        if kind == "message":
            steps.append(draw_message(d, range(n), limit, channels))
        elif kind == "wait":
            steps.append(dict(kind="wait", rank=d.below(n), at_once=d.chance(0.5), n=1 + d.below(4), pick=d.real(), volume=draw_volume(d)))
        elif kind == "exchange":
            a, b = d.some(range(n), 2)
            steps.append(dict(kind="exchange", a=a, b=b, sizes=[draw_size(d, limit), draw_size(d, limit)], tag=d.below(3),
                              sends=[d.one(("Send", "Send", "Ssend", "Bsend", "Isend")) for _ in "ab"], volumes=[draw_volume(d), draw_volume(d)]))
        elif kind == "ring":
            members = d.some(range(n), 2 + d.below(n - 1))
            size = draw_size(d, limit)
            steps.append(dict(kind="ring", members=members, tag=d.below(3), volumes=[draw_volume(d) for _ in members],
                              sizes=[size if d.chance(0.5) else draw_size(d, limit) for _ in members]))
        elif kind == "overlap":
            steps.append(dict(kind="overlap", call=d.one(("Ibcast", "Iallreduce", "Ialltoall", "Igather")), volumes=[draw_volume(d) for _ in range(n)],
                              sizes=[8 * (draw_size(d, limit) // 8) for _ in range(2)]))
        elif kind == "compute":
            steps.append(dict(kind="compute", rank=d.below(n), volume=int(d.between(100, 1e7))))
        else:
            steps.append(dict(kind="collective", call=d.one(("Barrier", "Bcast", "Allreduce", "Alltoall")), size=8 * (draw_size(d, limit) // 8)))
    return steps


def draw_chains(d, n, n_hosts, per_host, limit):
    """Where links have a bandwidth: a host has one message at a time.  Hosts form groups; in each, one message
    follows the other: who has received sends next."""
    hosts = list(range(n_hosts))
    groups = [hosts[:2], hosts[2:]] if n_hosts == 4 and d.chance(0.5) else [hosts]
    steps, holders = [], []
    for group in groups:
        ranks = [r for r in range(n) if r // per_host in group]
        holders.append([d.one(ranks), ranks])
    for _ in range(5 + d.below(30)):
        chain = d.one(holders)
        if len(chain[1]) < 2:
            continue
        others = [r for r in chain[1] if r != chain[0]]
        b = d.one(others)
        steps.append(dict(kind="message", a=chain[0], b=b, size=draw_size(d, limit) * d.one((1, 1, 30)), tag=d.below(3),
                          send=d.one(SENDS), receive="Recv", volumes=[draw_volume(d), draw_volume(d)], follows=True))
        chain[0] = b
    return steps


def draw(family, seed):
    d = Draw("%s %d" % (family, seed))
    n_hosts = 1 + d.below(4)
    least = max(2, n_hosts)
    n = least + (d.below(13 - least) if d.chance(0.7) else 0)
    per_host = -(-n // n_hosts)
    n_hosts = -(-n // per_host)
    xml, options, limit = draw_platform(d, family, n_hosts)
    steps = draw_chains(d, n, n_hosts, per_host, limit) if family == "chains" else draw_steps(d, family, n, limit)
    return dict(family=family, seed=seed, n=n, per_host=per_host, xml=xml, options=options, steps=steps)


# ---- the text of a program ----

class Rank:
    def __init__(self):
        self.events, self.open, self.next, self.kept = [], [], 1, {}

    def add(self, call, volume=0, **slots):
        text = "MPI_" + call + "".join(" %s=%s" % item for item in slots.items())
        self.events.append(text + (" volume=%d" % volume if volume else ""))

    def new(self):
        self.next += 1
        return self.next - 1

    def message(self, call, key, volume, slots):
        """A call with one message; its request, if it has one, stays open."""
        if call.endswith("_init"):
            if key not in self.kept:
                self.kept[key] = self.new()
                self.add(call, **slots, request=self.kept[key])
            request = self.kept[key]
            if request in self.open:
                self.wait([request])
            self.add("Start", volume, request=request)
        elif call[0] == "I":
            request = self.new()
            self.add(call, volume, **slots, request=request)
        else:
            self.add(call, volume, **slots)
            return
        self.open.append(request)

    def wait(self, requests, at_once=True, volume=0):
        if len(requests) > 1 and at_once:
            self.add("Waitall", volume, list="[%s]" % ",".join(map(str, requests)))
        else:
            for request in requests:
                self.add("Wait", volume, request=request)
        self.open = [r for r in self.open if r not in requests]


def slots_of(size, peer, tag, call="Send"):
    """Messages with one tag are of one size, and all of them are synchronous or none."""
    return dict(count=size, type_bytes=1, peer=peer, tag=2 * (3 * size + tag) + (call in SYNCHRONOUS), comm=1)


def add_step(ranks, s):
    kind = s["kind"]
    if kind == "message":
        a, b = ranks[s["a"]], ranks[s["b"]]
        key = (s["a"], s["b"], s["size"], s["tag"])
        a.message(s["send"], ("to", s["send"]) + key, s["volumes"][0], slots_of(s["size"], s["b"], s["tag"], s["send"]))
        b.message(s["receive"], ("from", s["send"]) + key, s["volumes"][1], slots_of(s["size"], s["a"], s["tag"], s["send"]))
        if s.get("follows"):
            a.wait(a.open[:])
            b.wait(b.open[:])
    elif kind == "wait":
        r = ranks[s["rank"]]
        left = r.open[int(s["pick"] * len(r.open)):][:s["n"]]
        if left:
            r.wait(left, s["at_once"], s["volume"])
    elif kind == "exchange":
        for side in (0, 1):
            me, other = (s["a"], s["b"]) if side == 0 else (s["b"], s["a"])
            r = ranks[me]
            r.message("Irecv", None, s["volumes"][side], slots_of(s["sizes"][1 - side], other, s["tag"], s["sends"][1 - side]))
            own = r.open[-1:]
            r.message(s["sends"][side], None, 0, slots_of(s["sizes"][side], other, s["tag"], s["sends"][side]))
            if s["sends"][side] == "Isend":
                own.append(r.open[-1])
            r.wait(own)
    elif kind == "ring":
        m = s["members"]
        for i, me in enumerate(m):
            to, source = m[(i + 1) % len(m)], m[i - 1]
            received = slots_of(s["sizes"][i - 1], source, s["tag"])
            ranks[me].add("Sendrecv", s["volumes"][i], **slots_of(s["sizes"][i], to, s["tag"]),
                          **{"recv_" + key: received[key] for key in ("count", "type_bytes", "peer", "tag")})
    elif kind == "overlap":
        for i, r in enumerate(ranks):
            for comm, size in zip((1, 3), s["sizes"]):
                more = dict(Ibcast=dict(count=size, type_bytes=1, peer=0), Iallreduce=dict(count=size // 8, type_bytes=8),
                            Ialltoall=dict(count=size, type_bytes=1, recv_count=size, recv_type_bytes=1),
                            Igather=dict(count=size, type_bytes=1, recv_count=size, recv_type_bytes=1, peer=0))
                r.open.append(r.new())
                r.add(s["call"], s["volumes"][i], comm=comm, **more[s["call"]], request=r.open[-1])
    elif kind == "compute":
        ranks[s["rank"]].add("Wtime", s["volume"], clock_ns=0)
    else:
        size = s["size"]
        more = dict(Barrier=dict(clock_ns=0), Bcast=dict(count=size, type_bytes=1, peer=0), Allreduce=dict(count=size // 8, type_bytes=8),
                    Alltoall=dict(count=size, type_bytes=1, recv_count=size, recv_type_bytes=1))
        for r in ranks:
            r.add(s["call"], comm=1, **more[s["call"]])


def text_of(case):
    ranks = [Rank() for _ in range(case["n"])]
    for s in case["steps"]:
        add_step(ranks, s)
    lines = ["timeless-text 1", "ranks %d" % case["n"], 'volume_unit "cpu-ns"']
    for i, r in enumerate(ranks):
        r.wait(r.open[:])
        lines.append('rank %d host="h%d"' % (i, i // case["per_host"]))
        if case["family"] == "tags":
            lines.append("comm 3 parent=1 call=MPI_Comm_dup members=[%s]" % ",".join(map(str, range(case["n"]))))
            r.events.insert(0, "MPI_Comm_dup comm=1 new_comm=3")
        r.add("Wtime", TAIL_NS, clock_ns=0)
        lines += ["%d %d %s" % (i, k, event) for k, event in enumerate(r.events)]
        lines.append("end cut clock_ns=0")
    return "\n".join(lines) + "\n"


def one_tag(case):
    """The same program with one tag and one communicator; some receives have room for more."""
    d = Draw("room %d" % case["seed"])
    text = re.sub(r"tag=\d+", "tag=0", text_of(case)).replace(" comm=3", " comm=1")
    return re.sub(r"(MPI_I?[Rr]ecv(?:_init)? count=| recv_count=)(\d+)(?=.* (?:recv_)?tag=)",
                  lambda m: m[1] + str(int(m[2]) + d.one((0, 0, 200000))), text)


# ---- both engines ----

def write(case, folder, program=text_of):
    os.makedirs(folder + "/platform", exist_ok=True)
    for name, text in (("platform/platform.xml", case["xml"]), ("platform/options.conf", case["options"]), ("program.txt", program(case))):
        with open(folder + "/" + name, "w") as out:
            out.write(text)


def ends(timeless, model, case, folder, *more):
    """Of all ranks, without their last computation; or a message."""
    command = [timeless, "replay", folder + "/program.tl", "-p", folder + "/platform", "--model", model, "-q", *ALGORITHMS,
               "--ranks-per-host", str(case["per_host"]), "--json=" + folder + "/out.json"]
    done = subprocess.run(command + list(more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return done.stdout
    with open(folder + "/out.json") as read:
        return [rank["end_s"] - TAIL_NS * 1e-9 for rank in json.load(read)["ranks"]]


def pack(timeless, case, folder, program=text_of):
    write(case, folder, program)
    subprocess.run([timeless, "undump", folder + "/program.txt", "-o", folder + "/program.tl"], check=True)


def depends_on_tags(timeless, model, case, folder):
    """None, or what differs."""
    pack(timeless, case, folder)
    a = ends(timeless, model, case, folder)
    pack(timeless, case, folder, one_tag)
    b = ends(timeless, model, case, folder)
    loggops = ends(timeless, model, case, folder, "--engine=loggops")
    if isinstance(loggops, str):
        return "LogGOPS: " + loggops
    return None if a == b and not isinstance(a, str) else "with several tags: %s; with one: %s" % (a, b)


def disagreement(timeless, model, case, folder):
    """None, or what differs most."""
    if case["family"] == "tags":
        return depends_on_tags(timeless, model, case, folder)
    pack(timeless, case, folder)
    a = ends(timeless, model, case, folder)
    b = ends(timeless, model, case, folder, "--engine=loggops")
    if isinstance(a, str) or isinstance(b, str):
        return "SimGrid: %s; LogGOPS: %s" % (a, b)
    worst, rank = max((abs(x - y) / max(1e-3 * max(x, y), 1e-9), i) for i, (x, y) in enumerate(zip(a, b)))
    if not worst <= 1:
        return "rank %d ends at %.9g s with SimGrid, at %.9g s with LogGOPS" % (rank, a[rank], b[rank])
    for option in ("--threads=2", "--details"):
        other = ends(timeless, model, case, folder, "--engine=loggops", option)
        if other != b:
            return "LogGOPS: %s, with %s: %s" % (b, option, other)
    return None


def shrink(timeless, model, case, folder):
    """Leaves out what can be left out, in ever smaller parts."""
    part = len(case["steps"])
    while part:
        at = 0
        while at < len(case["steps"]):
            less = dict(case, steps=case["steps"][:at] + case["steps"][at + part:])
            if less["steps"] and disagreement(timeless, model, less, folder):
                case = less
            else:
                at += part
        part //= 2
    for s in case["steps"]:
        for key in ("volumes", "volume"):
            old = s.get(key)
            if old:
                s[key] = [0] * len(old) if key == "volumes" else 0
                if not disagreement(timeless, model, case, folder):
                    s[key] = old
    return case


def main():
    if sys.argv[1] == "write":
        write(draw(sys.argv[2], int(sys.argv[3])), sys.argv[4])
        return 0
    timeless, model, family, seed = sys.argv[2:5] + [int(sys.argv[5])]
    if sys.argv[1] == "shrink":
        case = shrink(timeless, model, draw(family, seed), sys.argv[6])
        print(disagreement(timeless, model, case, sys.argv[6]))
        print(text_of(case) + case["options"] + case["xml"].split("\n")[4].strip())
        return 0
    n_wrong, n = 0, int(sys.argv[6])
    scratch = "random.%s.%d" % (family, seed)
    for i in range(seed, seed + n):
        case = draw(family, i)
        wrong = disagreement(timeless, model, case, scratch)
        if wrong:
            n_wrong += 1
            print("%s %d: %s" % (family, i, wrong), flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print("%d of %d programs disagree" % (n_wrong, n))
    return n_wrong != 0


if __name__ == "__main__":
    sys.exit(main())
