#!/usr/bin/env python3
"""Further random programs and platforms for both engines: what engines_random.py does not draw.

The commands are those of engines_random.py; the families are others, so its programs stay as they are:
- requests: receives from any source or with any tag, probes, tests, MPI_Waitany and the like, MPI_Startall, requests that
  are freed, messages of a rank to itself, MPI_PROC_NULL, MPI_Sendrecv_replace, sleeps.
- comms: messages and collectives on communicators, whose ranks are in any order.
- algorithms: every collective that both engines have an algorithm for, blocking or not, with blocks of different and of 0
  bytes, on communicators of 1 rank and more.  Collectives that do not block overlap.  This family is a search: some algorithms
  have another tree or order in LogGOPS, or another one for few elements, so it is no part of engines_wider.sh.
- hosts: hosts of different speed, ranks placed by a host file or in turn, kernels, parallel regions, changes of
  the compute model.  No detours: LogGOPS lets them lengthen sleeps.
- links: one message at a time, on links with a bandwidth: with a backbone, shared by both directions, between hosts without a cluster.
  A message has a byte at the least, which LogGOPS sends for 0 bytes.  With network/crosstraffic, LogGOPS takes a link of one direction to be busy in both, which costs a long message alone 5 %.
- windows, files: engines_windows.py.

A difference that the LogGOPS engine announces ("not modelled" in its output) counts as none.
"""
import json
import re
import shutil
import subprocess
import sys

import engines_random as base
import engines_windows as windows_of
from engines_random import Draw, SENDS, TAIL_NS

class Rank(base.Rank):
    def __init__(self):
        super().__init__()
        self.comm, self.matches = None, {}  # comm: id and members, for the calls that follow

    def add_plain(self, call, volume=0, **slots):
        self.events.append(call + "".join(" %s=%s" % item for item in slots.items()) + (" volume=%d" % volume if volume else ""))

    def add(self, call, volume=0, **slots):
        if self.comm:
            number, members = self.comm
            for key in ("peer", "recv_peer"):
                if isinstance(slots.get(key), int):
                    slots[key] = members.index(slots[key])
            if "comm" in slots:
                slots["comm"] = number
        if call in ("Match", "Sleep"):
            self.add_plain(call, volume, **slots)
        else:
            super().add(call, volume, **slots)

    def open_any(self, source, tag, count, is_any_tag, is_any_source, volume):
        request = self.new()
        self.add("Irecv", volume, count=count, type_bytes=1, peer="any" if is_any_source else source,
                 tag="any" if is_any_tag else tag, comm=1, request=request)
        self.matches[request] = (source, tag)
        self.open.append(request)

    def wait(self, requests, at_once=True, volume=0, how=None, polls=0):
        for request in requests:
            if request in self.matches:
                source, tag = self.matches.pop(request)
                self.add("Match", peer=source, tag=tag, request=request)
        if not how or not requests:
            super().wait(requests, at_once, volume)
            return
        more = dict(polls=polls) if polls else {}
        if how in ("Wait", "Test"):
            for request in requests:
                self.add(how, volume, request=request, **more)
        elif how in ("Waitany", "Testany"):
            for request in requests:
                self.add(how, volume, list="[%d]" % request, **more)
        else:
            self.add(how, volume, list="[%s]" % ",".join(map(str, requests)), **more)
        self.open = [r for r in self.open if r not in requests]


COMPLETIONS = ("Wait", "Test", "Waitany", "Testany", "Waitsome", "Testsome", "Waitall", "Testall")


def draw_requests(d, n, limit):
    channels, steps = [], []
    kinds = d.one((("message", "any", "complete", "complete"), ("message", "self", "null", "complete"), ("message", "probe", "replace", "complete"),
                   ("channel", "startall", "message", "complete"), ("message", "free", "any", "probe", "complete", "sleep"),
                   ("message", "any", "self", "null", "probe", "free", "replace", "sleep", "channel", "startall", "complete", "complete", "exchange")))
    for _ in range(4 + d.below(30)):
        kind = d.one(kinds)
        (a, b), size, tag, volumes = d.some(range(n), 2), base.draw_size(d, limit), d.below(3), [base.draw_volume(d), base.draw_volume(d)]
        if kind == "message":
            steps.append(base.draw_message(d, range(n), limit, channels))
        elif kind == "exchange":
            steps.append(dict(kind="exchange", a=a, b=b, sizes=[size, base.draw_size(d, limit)], tag=tag,
                              sends=[d.one(("Send", "Ssend", "Bsend", "Isend")) for _ in "ab"], volumes=volumes))
        elif kind == "any":
            steps.append(dict(kind=kind, a=a, b=b, size=size, tag=tag, volumes=volumes, any_tag=d.chance(0.5), any_source=d.chance(0.7),
                              send=d.one(("Send", "Ssend", "Isend", "Bsend", "Issend"))))
        elif kind == "self":
            steps.append(dict(kind=kind, a=a, size=size, tag=tag, volumes=volumes, first=d.one(("Irecv", "Isend", "Ibsend", "Issend")),
                              send=d.one(("Send", "Ssend", "Bsend", "Isend"))))
        elif kind == "null":
            steps.append(dict(kind=kind, a=a, size=size, tag=tag, volume=volumes[0], call=d.one(("Send", "Recv", "Isend", "Irecv", "Ssend", "Sendrecv")),
                              b=b, half=d.below(3)))
        elif kind == "probe":
            steps.append(dict(kind=kind, a=a, b=b, size=size, tag=tag, volumes=volumes, how=d.one(("Probe", "Iprobe", "Mprobe", "Improbe")),
                              polls=d.below(5), send=d.one(("Send", "Ssend", "Isend", "Bsend"))))
        elif kind == "free":
            steps.append(dict(kind=kind, a=a, b=b, size=size, tag=tag, volumes=volumes, send=d.one(("Isend", "Ibsend", "Issend"))))
        elif kind == "replace":
            steps.append(dict(kind=kind, a=a, b=b, size=size, tag=tag, volumes=volumes))
        elif kind == "sleep":
            steps.append(dict(kind=kind, a=a, ns=int(d.between(100, 1e6))))
        elif kind == "channel":
            steps.append(dict(kind=kind, a=a, b=b, size=size, tag=tag, send=d.one(("Send_init", "Ssend_init", "Bsend_init", "Rsend_init"))))
        elif kind == "startall":
            steps.append(dict(kind=kind, pick=d.real(), n=1 + d.below(3), volumes=volumes))
        else:
            steps.append(dict(kind=kind, rank=d.below(n), how=d.one(COMPLETIONS), n=1 + d.below(4), pick=d.real(), polls=d.below(4),
                              volume=base.draw_volume(d)))
    return steps


def add_request_step(ranks, s):
    kind = s["kind"]
    if kind in ("message", "exchange", "wait", "ring", "compute", "collective"):
        base.add_step(ranks, s)
        return
    if kind == "complete":
        r = ranks[s["rank"]]
        left = r.open[int(s["pick"] * len(r.open)):][:s["n"]]
        r.wait(left, True, s["volume"], s["how"], s["polls"])
        return
    if kind == "startall":
        channels = getattr(ranks[0], "channels", [])
        picked = channels[int(s["pick"] * len(channels)):][:s["n"]]
        for side in (0, 1):
            for rank in sorted({c[side] for c in picked}):
                r = ranks[rank]
                mine = [c[2 + side] for c in picked if c[side] == rank]
                r.wait([q for q in mine if q in r.open])
                r.add("Startall", s["volumes"][side], list="[%s]" % ",".join(map(str, mine)))
                r.open += mine
        return
    a = ranks[s["a"]]
    if kind == "sleep":
        a.add("Sleep", count=s["ns"])
        return
    if kind == "null":
        slots = dict(count=s["size"], type_bytes=1, peer="null", tag=s["tag"], comm=1)
        if s["call"] == "Sendrecv":
            # one half has no partner, or neither; the other half is a message with b
            half, b = s["half"], ranks[s["b"]]
            to = base.slots_of(s["size"], s["b"], s["tag"])
            source = base.slots_of(s["size"], s["a"], s["tag"])
            first = to if half == 1 else slots
            second = to if half == 2 else slots
            if half == 2:
                b.message("Isend", None, 0, source)
            a.add("Sendrecv", s["volume"], **first, **{"recv_" + key: second[key] for key in ("count", "type_bytes", "peer", "tag")})
            if half == 1:
                b.message("Recv", None, 0, source)
        else:
            a.message(s["call"], None, s["volume"], slots)
        return
    if kind == "self":
        slots = base.slots_of(s["size"], s["a"], s["tag"], "Ssend" if "s" in (s["first"][1], s["send"][1]) else "Send")
        slots["tag"] = 1000000 + slots["tag"] + (5 if s["first"] != "Irecv" else 0)
        a.message(s["first"], None, s["volumes"][0], slots)
        a.message(s["send"] if s["first"] == "Irecv" else "Recv", None, s["volumes"][1], slots)
        return
    b = ranks[s["b"]]
    if kind == "channel":
        slots = base.slots_of(s["size"], s["b"], 3 + s["tag"], s["send"])
        request = a.new()
        a.add(s["send"], **slots, request=request)
        slots = base.slots_of(s["size"], s["a"], 3 + s["tag"], s["send"])
        other = b.new()
        b.add("Recv_init", **slots, request=other)
        ranks[0].channels = getattr(ranks[0], "channels", []) + [(s["a"], s["b"], request, other)]
        return
    if kind == "replace":
        to = base.slots_of(s["size"], s["b"], s["tag"])
        to.update(recv_peer=s["b"], recv_tag=to["tag"])
        back = base.slots_of(s["size"], s["a"], s["tag"])
        back.update(recv_peer=s["a"], recv_tag=back["tag"])
        a.add("Sendrecv_replace", s["volumes"][0], **to)
        b.add("Sendrecv_replace", s["volumes"][1], **back)
        return
    send = s["send"]
    there, back = base.slots_of(s["size"], s["b"], s["tag"], send), base.slots_of(s["size"], s["a"], s["tag"], send)
    if kind == "any":
        b.open_any(s["a"], back["tag"], s["size"], s["any_tag"], s["any_source"], s["volumes"][1])
        a.message(send, None, s["volumes"][0], there)
    elif kind == "probe":
        a.message(send, None, s["volumes"][0], there)
        polls = dict(polls=s["polls"]) if s["polls"] else {}
        b.add(s["how"], s["volumes"][1], peer=s["a"], tag=back["tag"], comm=1, **polls)
        if s["how"] == "Mprobe":
            b.add("Mrecv", **back)
        elif s["how"] == "Improbe":
            request = b.new()
            b.add("Imrecv", **back, request=request)
            b.open.append(request)
        else:
            b.add("Recv", **back)
    else:  # free
        a.message(send, None, s["volumes"][0], there)
        a.add("Request_free", request=a.open.pop())
        b.message("Recv", None, s["volumes"][1], back)


# ---- communicators ----

def draw_comms(d, n):
    comms = [list(range(n))]
    for _ in range(1 + d.below(3)):
        parent = d.one(comms)
        members = d.some(parent, 1 + d.below(len(parent)))
        comms.append(members if d.chance(0.6) else sorted(members))
    return comms


def draw_comm_steps(d, comms, limit):
    steps = []
    for _ in range(4 + d.below(25)):
        c = d.below(len(comms))
        members, kind = comms[c], d.one(("message", "message", "exchange", "ring", "collective", "compute", "wait"))
        if kind == "compute":
            steps.append(dict(kind=kind, rank=d.one(members), volume=int(d.between(100, 1e7))))
        elif kind == "wait":
            steps.append(dict(kind="complete", rank=d.one(members), how=d.one(COMPLETIONS), n=1 + d.below(4), pick=d.real(), polls=0, volume=0))
        elif kind == "collective":
            steps.append(dict(kind="on_comm", comm=c, call=d.one(("Barrier", "Bcast", "Allreduce", "Alltoall")), root=d.one(members),
                              size=8 * (base.draw_size(d, limit) // 8)))
        elif len(members) < 2:
            continue
        elif kind == "message":
            s = dict(base.draw_message(d, members, limit, []), comm=c)
            if not s["send"].endswith("_init") and not s["receive"].endswith("_init"):
                steps.append(s)
        elif kind == "exchange":
            a, b = d.some(members, 2)
            steps.append(dict(kind="exchange", comm=c, a=a, b=b, sizes=[base.draw_size(d, limit), base.draw_size(d, limit)], tag=d.below(3),
                              sends=[d.one(("Send", "Ssend", "Bsend", "Isend")) for _ in "ab"], volumes=[base.draw_volume(d), base.draw_volume(d)]))
        else:
            ring = d.some(members, 2 + d.below(len(members) - 1))
            steps.append(dict(kind="ring", comm=c, members=ring, tag=d.below(3), volumes=[base.draw_volume(d) for _ in ring],
                              sizes=[base.draw_size(d, limit) for _ in ring]))
    return steps


def add_comm_step(ranks, s, comms):
    members = comms[s.get("comm", 0)]
    for r in ranks:
        r.comm = (2 + s["comm"], members) if s.get("comm") else None
    if s["kind"] == "on_comm":
        size = s["size"]
        more = dict(Barrier=dict(clock_ns=0), Bcast=dict(count=size, type_bytes=1, peer=s["root"]),
                    Allreduce=dict(count=size // 8, type_bytes=8), Alltoall=dict(count=size, type_bytes=1, recv_count=size, recv_type_bytes=1))
        for r in members:
            ranks[r].add(s["call"], comm=1, **more[s["call"]])
    else:
        add_request_step(ranks, s)
    for r in ranks:
        r.comm = None


# ---- algorithms ----

# Of each collective, those that both engines have under this name.
BOTH = dict(barrier=("ompi_bruck", "ompi_recursivedoubling"),
            bcast=("binomial_tree", "flattree", "scatter_LR_allgather", "ompi_pipeline", "ompi_split_bintree"),
            reduce=("binomial", "flat_tree"), allreduce=("rdb", "lr", "rab_rdb", "redbcast"), gather=("ompi_basic_linear", "ompi_binomial"),
            scatter=("ompi_basic_linear", "ompi_binomial"), allgather=("ring", "rdb", "bruck"),
            alltoall=("ring", "basic_linear", "pair", "bruck"), reduce_scatter=("mpich_pair", "ompi_basic_recursivehalving"))
ROOTED = ("Bcast", "Reduce", "Gather", "Scatter", "Gatherv", "Scatterv")


def draw_block(d, limit):
    return 0 if d.chance(0.2) else 8 * (base.draw_size(d, limit) // 8)


def draw_collective(d, members, limit, calls):
    call = d.one(calls)
    n = len(members)
    s = dict(kind="any_collective", call=call, root=d.one(members), size=draw_block(d, limit), volumes=[base.draw_volume(d) for _ in members])
    if call in ("Gatherv", "Scatterv", "Allgatherv", "Reduce_scatter"):
        s["sizes"] = [draw_block(d, limit) for _ in members]
    if call in ("Alltoallv", "Alltoallw"):
        s["sizes"] = [[draw_block(d, limit) for _ in range(n)] for _ in members]
    return s


def add_collective(ranks, s, members, number):
    call, size = s["call"], s["size"]
    name = call.lstrip("I").capitalize() if call[0] == "I" else call
    for i, rank in enumerate(members):
        r, is_root = ranks[rank], rank == s["root"]
        r.comm = (number, members) if number != 1 else None
        one, listed = dict(count=size // 8, type_bytes=8), lambda sizes: "[%s]" % ",".join(str(x // 8) for x in sizes)
        if name == "Barrier":
            slots = dict(clock_ns=0) if call == "Barrier" else {}
        elif name in ("Bcast", "Reduce"):
            slots = dict(one, peer=s["root"])
        elif name in ("Allreduce", "Reduce_scatter_block", "Scan", "Exscan"):
            slots = one
        elif name in ("Gather", "Scatter"):
            own = dict(count=size // 8, type_bytes=8) if name == "Gather" or is_root else dict(count=0, type_bytes=0)
            other = dict(recv_count=size // 8, recv_type_bytes=8) if name == "Scatter" or is_root else dict(recv_count=0, recv_type_bytes=0)
            slots = dict(own, **other, peer=s["root"])
        elif name == "Gatherv":
            slots = dict(count=s["sizes"][i] // 8, type_bytes=8, recv_type_bytes=8 if is_root else 0, peer=s["root"])
            slots["list"] = listed(s["sizes"]) if is_root else "[]"
        elif name == "Scatterv":
            slots = dict(recv_count=s["sizes"][i] // 8, recv_type_bytes=8, type_bytes=8 if is_root else 0, peer=s["root"])
            slots["list"] = listed(s["sizes"]) if is_root else "[]"
        elif name in ("Allgather", "Alltoall"):
            slots = dict(one, recv_count=size // 8, recv_type_bytes=8)
        elif name == "Allgatherv":
            slots = dict(count=s["sizes"][i] // 8, type_bytes=8, recv_type_bytes=8, list=listed(s["sizes"]))
        elif name == "Reduce_scatter":
            slots = dict(type_bytes=8, list=listed(s["sizes"]))
        elif name == "Alltoallv":
            slots = dict(type_bytes=8, recv_type_bytes=8, list=listed(s["sizes"][i] + [row[i] for row in s["sizes"]]))
        else:  # Alltoallw: bytes
            slots = dict(list="[%s]" % ",".join(map(str, s["sizes"][i] + [row[i] for row in s["sizes"]])))
        if call[0] == "I":
            request = r.new()
            slots = dict(slots, request=request)
            r.open.append(request)
        r.add(call, s["volumes"][i], comm=1, **slots)
        r.comm = None


# ---- hosts ----

HEAD = """<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <zone id="all" routing="Full">
"""
FOOT = "  </zone>\n</platform>\n"


def full_zone(speeds, cores, bandwidth, latency, loopback):
    """Hosts with a link between any two; loopback: bandwidth and latency, or None."""
    n = len(speeds)
    lines = ['    <host id="n%d" speed="%.6gf" core="%d"/>' % (i, speeds[i], cores[i]) for i in range(n)]
    if loopback:
        lines += ['    <link id="loopback%d" bandwidth="%.6gBps" latency="%.6gs" sharing_policy="FATPIPE"/>' % (i, *loopback) for i in range(n)]
    lines += ['    <link id="l%d_%d" bandwidth="%.6gBps" latency="%.6gs" sharing_policy="SPLITDUPLEX"/>' % (i, j, bandwidth, latency)
              for i in range(n) for j in range(i + 1, n)]
    if loopback:
        lines += ['    <route src="n%d" dst="n%d"><link_ctn id="loopback%d"/></route>' % (i, i, i) for i in range(n)]
    lines += ['    <route src="n%d" dst="n%d"><link_ctn id="l%d_%d" direction="UP"/></route>' % (i, j, i, j) for i in range(n) for j in range(i + 1, n)]
    return HEAD + "\n".join(lines) + "\n" + FOOT


KERNELS = (("dgemm", ("m", "n", "k")), ("dtrsm", ("m", "n", "order")), ("daxpy", ("n",)), ("dscal", ("n",)))


def draw_hosts(d):
    n_hosts = 1 + d.below(4)
    speeds = [d.one((1e9, 5e8, 2e9, 3.3e9)) if d.chance(0.6) else 1e9 for _ in range(n_hosts)]
    cores = [16] * n_hosts
    n = n_hosts + d.below(9)
    how = d.below(4)
    options, files = [], {}
    if how == 0:
        options = ["--ranks-per-host", str(-(-n // n_hosts))]
    elif how == 1:
        options = ["--round-robin", "--ranks-per-host", str(-(-n // n_hosts))]
    elif how == 2:
        files["hosts"] = "".join("n%d:%d\n" % (h, 1 + n // n_hosts) for h in d.some(range(n_hosts), n_hosts))
    else:
        files["hosts"] = "".join("rank %d=n%d slot=0\n" % (r, d.below(n_hosts)) for r in range(n))
    if files:
        options = ["--hostfile", "FOLDER/hosts"]
    if d.chance(0.3):
        options.append("--set=burst.time=%.3gx" % d.between(0.5, 3))
    if d.chance(0.3):
        options.append("--scale=kernels=%.3g" % d.between(0.5, 3))
    if d.chance(0.2):
        options.append("--set=kernel:dgemm.time=1.7x")
    has_regions = d.chance(0.3)
    if has_regions and d.chance(0.6):
        options.append("--rank-threads=%d" % d.one((1, 2, 3, 4, 8)))
    xml = full_zone(speeds, cores, 1e18, d.between(1e-6, 2e-5), (1e18, d.between(1e-7, 2e-6)))
    limit = d.one((1000, 64000))
    conf = ["surf/precision:1e-12", "smpi/wtime:0", "network/TCP-gamma:0", "network/crosstraffic:no", "network/weight-S:0",
            "smpi/async-small-thresh:%d" % limit, "smpi/send-is-detached-thresh:%d" % limit,
            "smpi/os:" + base.overheads(d), "smpi/ois:" + base.overheads(d), "smpi/or:" + base.overheads(d),
            "smpi/lat-factor:0:1", "smpi/bw-factor:0:1"]
    steps = []
    for _ in range(4 + d.below(20)):
        kind = d.one(("compute", "compute", "kernel", "sleep", "message", "message") + (("region",) if has_regions else ()))
        if kind == "message" and n > 1:
            steps.append(dict(base.draw_message(d, range(n), limit, []), send="Send", receive="Recv"))
        elif kind == "kernel":
            name, sizes = d.one(KERNELS)
            steps.append(dict(kind=kind, rank=d.below(n), name=name, sizes={x: 1 + int(d.between(1, 300)) for x in sizes}))
        elif kind == "sleep":
            steps.append(dict(kind=kind, a=d.below(n), ns=int(d.between(1000, 1e6))))
        elif kind == "region":
            work = [int(d.between(1000, 1e6)) for _ in range(d.one((1, 2, 4)))]
            steps.append(dict(kind=kind, rank=d.below(n), before=base.draw_volume(d), single=base.draw_volume(d), locked=base.draw_volume(d), work=work))
        else:
            steps.append(dict(kind="compute", rank=d.below(n), volume=int(d.between(1000, 1e7))))
    if has_regions:
        steps.append(dict(kind="region", rank=d.below(n), before=0, single=base.draw_volume(d), locked=0, work=[70000, 30000]))
    return dict(n=n, xml=xml, options="\n".join(conf) + "\n", steps=steps, both=options, files=files, per_host=None)


def add_host_step(ranks, s):
    if s["kind"] == "kernel":
        ranks[s["rank"]].add_plain(s["name"], 0, **s["sizes"])
    elif s["kind"] == "region":
        total = s["before"] + s["single"] + sum(s["work"])
        locked = min(s["locked"], min(s["work"]))
        ranks[s["rank"]].add_plain("Parallel", total, list="[%s]" % ",".join(map(str, [s["before"], s["single"], locked] + s["work"])))
    else:
        add_request_step(ranks, s)


# ---- links ----

def draw_links(d):
    n_hosts = 2 + d.below(3)
    n = n_hosts + (d.below(6) if d.chance(0.6) else 0)
    per_host = -(-n // n_hosts)
    n_hosts = -(-n // per_host)
    bandwidth, latency = d.between(1e7, 1e11), d.between(1e-7, 1e-4)
    loopback = (d.between(1e8, 1e11), d.between(1e-7, 5e-6)) if d.chance(0.5) else None
    kind = d.one(("SPLITDUPLEX", "SPLITDUPLEX", "SHARED", "FATPIPE", "backbone", "backbone", "full"))
    if kind == "backbone" and n_hosts == 4:  # two messages at a time
        kind = "SPLITDUPLEX"
    if kind == "full":
        xml = full_zone([1e9] * n_hosts, [16] * n_hosts, bandwidth, latency, loopback)
    else:
        more = ' loopback_bw="%.6gBps" loopback_lat="%.6gs"' % loopback if loopback else ""
        if kind == "backbone":
            more += ' bb_bw="%.6gBps" bb_lat="%.6gs"' % (bandwidth * d.between(0.2, 5), d.between(1e-7, 1e-4))
            if d.chance(0.5):
                more += ' bb_sharing_policy="%s"' % d.one(("FATPIPE", "SHARED"))
        xml = HEAD + ('    <cluster id="c" prefix="n" suffix="" radical="0-%d" speed="1Gf" core="16" bw="%.6gBps" lat="%.6gs"%s sharing_policy="%s"/>\n' % (
            n_hosts - 1, bandwidth, latency, more, kind if kind.isupper() else "SPLITDUPLEX")) + FOOT
    limit = d.one((1, 1000, 8000, 64000))
    conf = ["surf/precision:1e-12", "smpi/wtime:0", "smpi/async-small-thresh:%d" % limit, "smpi/send-is-detached-thresh:%d" % limit]
    if d.chance(0.7):
        conf += ["smpi/os:" + base.overheads(d), "smpi/ois:" + base.overheads(d), "smpi/or:" + base.overheads(d)]
    if d.chance(0.8):
        conf += ["smpi/lat-factor:" + base.factors(d, 1, d.one((2, 50, 1000))), "smpi/bw-factor:" + base.factors(d, 0.3, d.one((1, 2)))]
        if d.chance(0.3):
            conf.append("timeless/bw-factor-bound:yes")
    if kind not in ("SHARED", "FATPIPE") or d.chance(0.5):
        conf.append("network/crosstraffic:no")
    if d.chance(0.5):
        conf.append("network/TCP-gamma:%s" % d.one(("1e15", "65536") if "timeless/bw-factor-bound:yes" in conf else ("0", "1e15", "65536")))
    if d.chance(0.5):
        conf.append("network/weight-S:0")
    if d.chance(0.2):
        conf.append("timeless/local-overheads:no")
    steps = [dict(s, size=max(1, s["size"])) for s in base.draw_chains(d, n, n_hosts, per_host, limit)]
    return dict(n=n, per_host=per_host, xml=xml, options="\n".join(conf) + "\n", steps=steps)


# ---- all families ----

BLOCKING = ("Barrier", "Bcast", "Reduce", "Allreduce", "Gather", "Scatter", "Gatherv", "Scatterv", "Allgather", "Allgatherv", "Alltoall",
            "Alltoallv", "Alltoallw", "Reduce_scatter", "Reduce_scatter_block")
BESIDE = ("Ibcast", "Ireduce", "Igather", "Iscatter", "Ialltoall")


def draw(family, seed):
    d = Draw("%s %d" % (family, seed))
    case = dict(family=family, seed=seed, both=list(base.ALGORITHMS), smpi=[], files={}, comms=[])
    if family == "hosts":
        return dict(case, **draw_hosts(d))
    if family == "links":
        return dict(case, **draw_links(d))
    n_hosts = 1 + d.below(4)
    least = max(2, n_hosts)
    n = least + (d.below(13 - least) if d.chance(0.7) else 0)
    per_host = -(-n // n_hosts)
    n_hosts = -(-n // per_host)
    xml, options, limit = base.draw_platform(d, "calls", n_hosts)
    case.update(n=n, per_host=per_host, xml=xml, options=options)
    if family == "requests":
        case["steps"] = draw_requests(d, n, limit)
        return case
    case["comms"] = draw_comms(d, n)
    if family == "comms":
        case["steps"] = draw_comm_steps(d, case["comms"], limit)
        return case
    if family == "windows":
        case["options"] = "".join(o + "\n" for o in options.split("\n") if o and not re.match("timeless/(local|loopback-o)", o))
        case["both"].append("--coll=allgather=bruck")
        case["steps"] = windows_of.draw_window_steps(d, case["comms"], limit)
        return case
    if family == "files":
        case["both"].append("--io-bandwidth=%dMBps" % d.one((100, 500, 2000)))
        case.update(comms=[], steps=windows_of.draw_file_steps(d, n))
        return case
    case["both"] = ["--coll=%s=%s" % (name, d.one(found)) for name, found in BOTH.items()]
    case["smpi"] = ["--cfg=smpi/allgatherv:ring", "--cfg=smpi/alltoallv:ring"]
    if "--coll=alltoall=pair" in case["both"]:
        case["both"].remove("--coll=alltoall=pair")
        case["both"].append("--coll=alltoall=ring")
    case["steps"] = []
    if d.chance(0.3):
        case["both"] = ["--coll=bcast=flattree", "--coll=reduce=flat_tree", "--coll=gather=ompi_basic_linear", "--coll=scatter=ompi_basic_linear",
                        "--coll=alltoall=basic_linear"]
    calls = BESIDE if len(case["both"]) == 5 else (d.one(BLOCKING),)
    for _ in range(1 + d.below(4)):
        c = d.below(len(case["comms"]))
        s = draw_collective(d, case["comms"][c], limit, calls)
        case["steps"].append(dict(s, comm=c))
    return case


def text_of(case):
    ranks = [Rank() for _ in range(case["n"])]
    comms = case["comms"]
    windows = list(enumerate(comms)) if case["family"] == "windows" else []
    for i, r in enumerate(ranks):
        for k, members in windows:
            if i in members:
                r.add_plain("MPI_Win_create", comm=2 + k if k else 1, new_comm=2 + len(comms) + k)
        if case["family"] == "files":
            r.add("File_open", mode=4, comm=1, new_comm=3)
    for s in case["steps"]:
        if case["family"] == "comms":
            add_comm_step(ranks, s, comms)
        elif case["family"] == "algorithms":
            add_collective(ranks, s, comms[s["comm"]], 2 + s["comm"] if s["comm"] else 1)
        elif case["family"] == "hosts":
            add_host_step(ranks, s)
        elif case["family"] == "windows":
            windows_of.add_window_step(ranks, s, comms)
        elif case["family"] == "files":
            windows_of.add_file_step(ranks, s)
        else:
            add_request_step(ranks, s)
    lines = ["timeless-text 1", "ranks %d" % case["n"], 'volume_unit "cpu-ns"']
    for i, r in enumerate(ranks):
        r.wait(r.open[:])
        lines.append('rank %d host="h%d"' % (i, i // (case["per_host"] or 4)))
        for k, members in enumerate(comms[1:]):
            if i in members:
                lines.append("comm %d parent=1 call=MPI_Comm_split members=[%s]" % (3 + k, ",".join(map(str, members))))
        for k, members in windows:
            if i in members:
                lines.append("comm %d parent=%d call=MPI_Win_create members=[%s]" % (2 + len(comms) + k, 2 + k if k else 1, ",".join(map(str, members))))
                r.add_plain("MPI_Win_free", comm=2 + len(comms) + k)
        if case["family"] == "files":
            lines.append('comm 3 parent=1 call=MPI_File_open members=[%s] name="f"' % ",".join(map(str, range(case["n"]))))
            r.add("File_close", comm=3)
        r.add("Sleep", count=TAIL_NS)
        lines += ["%d %d %s" % (i, k, event) for k, event in enumerate(r.events)]
        lines.append("end cut clock_ns=0")
    return "\n".join(lines) + "\n"


def write(case, folder):
    base.write(dict(case, steps=[], per_host=1), folder)
    for name, text in [("program.txt", text_of(case))] + list(case["files"].items()):
        with open(folder + "/" + name, "w") as out:
            out.write(text)


def result(timeless, model, case, folder, *more):
    command = [timeless, "replay", folder + "/program.tl", "-p", folder + "/platform", "--model", model, "-q",
               *[o.replace("FOLDER", folder) for o in case["both"]], "--json=" + folder + "/out.json", *more]
    if case["per_host"]:
        command += ["--ranks-per-host", str(case["per_host"])]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if done.returncode:
        return done.stdout, None
    with open(folder + "/out.json") as read:
        found = json.load(read)
    return [rank["end_s"] - TAIL_NS * 1e-9 for rank in found["ranks"]], found


def disagreement(timeless, model, case, folder):
    """None, or what differs most."""
    write(case, folder)
    subprocess.run([timeless, "undump", folder + "/program.txt", "-o", folder + "/program.tl"], check=True)
    a, _ = result(timeless, model, case, folder, *case["smpi"])
    b, found = result(timeless, model, case, folder, "--engine=loggops")
    if isinstance(a, str) or isinstance(b, str):
        return "SimGrid: %s; LogGOPS: %s" % (a, b)
    if any(key.startswith("ignores") and value for key, value in found.items()):
        return None
    worst, rank = max((abs(x - y) / max(1e-3 * max(x, y), 1e-9), i) for i, (x, y) in enumerate(zip(a, b)))
    if not worst <= 1:
        return "rank %d ends at %.9g s with SimGrid, at %.9g s with LogGOPS" % (rank, a[rank], b[rank])
    for option in ("--threads=2", "--details"):
        other, _ = result(timeless, model, case, folder, "--engine=loggops", option)
        if other != b:
            return "LogGOPS: %s, with %s: %s" % (b, option, other)
    return None


def main():
    if sys.argv[1] == "write":
        write(draw(sys.argv[2], int(sys.argv[3])), sys.argv[4])
        return 0
    timeless, model, family, seed = sys.argv[2:5] + [int(sys.argv[5])]
    if sys.argv[1] == "shrink":
        base.disagreement = disagreement
        case = base.shrink(timeless, model, draw(family, seed), sys.argv[6])
        print(disagreement(timeless, model, case, sys.argv[6]))
        print(text_of(case) + case["options"] + case["xml"], case["both"], case["files"])
        return 0
    n_wrong, n = 0, int(sys.argv[6])
    scratch = "wider.%s.%d" % (family, seed)
    for i in range(seed, seed + n):
        wrong = disagreement(timeless, model, draw(family, i), scratch)
        if wrong:
            n_wrong += 1
            print("%s %d: %s" % (family, i, wrong), flush=True)
    shutil.rmtree(scratch, ignore_errors=True)
    print("%d of %d programs disagree" % (n_wrong, n))
    return n_wrong != 0


if __name__ == "__main__":
    sys.exit(main())
