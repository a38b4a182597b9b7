#!/usr/bin/env python3
"""Programs whose waiting times are known: `write FOLDER` makes their texts, `check PREDICTION` holds the
details of their replay, a job for each, against what is computed by hand.

`mixed SEED own|mean` prints a program with all kinds of calls, whose ranks compute for what is drawn or,
each, for the mean of all in each phase; `planted NAME own|mean` one whose imbalance is in phases and cancels
in sum, for `balanced PREDICTION MAKESPAN`; `bounds PREDICTION NETWORK CPU MEAN` holds what a prediction says of other
machines against replays on them.

A rank computes for some milliseconds before each call, so that it is known when each call is entered;
what messages take on the way does not matter for how long one rank waits until another is there."""
import json
import random
import sys

MS = 1000000  # of the volume unit, cpu-ns
BIG, SMALL = 100000, 1000  # bytes beyond and below the eager limit
EAGER = 16383  # the longest eager message on fat-tree


def send(ms, to, size=SMALL, call="MPI_Send", tag=0, comm=1, **more):
    return (call, dict(count=size, type_bytes=1, peer=to, tag=tag, comm=comm, volume=ms * MS, **more))


def recv(ms, source, size=SMALL, call="MPI_Recv", tag=0, **more):
    return send(ms, source, size, call, tag, **more)


def wait(ms, *requests):
    if len(requests) == 1:
        return ("MPI_Wait", dict(request=requests[0], volume=ms * MS))
    return ("MPI_Waitall", dict(list=list(requests), volume=ms * MS))


def coll(ms, call, root=None, size=SMALL, comm=1, **more):
    slots = dict(count=size, type_bytes=1)
    if call in ("MPI_Barrier", "MPI_Ibarrier"):
        slots = dict(clock_ns=0)
    if call in ("MPI_Alltoall", "MPI_Gather", "MPI_Scatter", "MPI_Allgather", "MPI_Neighbor_alltoall"):
        slots.update(recv_count=size, recv_type_bytes=1)
    if root is not None:
        slots["peer"] = root
    return (call, dict(slots, comm=comm, volume=ms * MS, **more))


def comm(members, call="MPI_Comm_split", **more):
    """What a rank knows of communicator 3."""
    lists = dict(dict(members=members), **more)
    return "comm 3 parent=1 call=%s %s" % (call, " ".join(
        "%s=[%s]" % (k, ",".join(map(str, v))) for k, v in lists.items()))


def chain(rank):
    """Four ranks in a row: their neighbours."""
    near = [r if 0 <= r < 4 else "null" for r in (rank - 1, rank + 1)]
    return comm(range(4), "MPI_Cart_create", sources=near, destinations=near)


# name: per rank its events, and what it waits (late sender, late receiver, at collectives), in ms
CASES = {
    "late sender": [([send(10, 1)], (0, 0, 0)), ([recv(3, 0)], (7, 0, 0))],
    "sender in time": [([send(3, 1)], (0, 0, 0)), ([recv(10, 0)], (0, 0, 0))],
    "late receiver": [([send(1, 1, BIG)], (0, 5, 0)), ([recv(6, 0, BIG)], (0, 0, 0))],
    "late receiver of a synchronous send": [
        ([send(1, 1, call="MPI_Ssend")], (0, 5, 0)), ([recv(6, 0)], (0, 0, 0))],
    "an eager send waits for nobody": [([send(1, 1)], (0, 0, 0)), ([recv(6, 0)], (0, 0, 0))],
    "nor does a buffered one": [
        ([send(1, 1, BIG, "MPI_Bsend")], (0, 0, 0)), ([recv(6, 0, BIG)], (0, 0, 0))],
    "late sender in a wait": [
        ([send(5, 1)], (0, 0, 0)),
        ([recv(0, 0, call="MPI_Irecv", request=1), wait(2, 1)], (3, 0, 0))],
    "late receiver in a wait": [
        ([send(0, 1, BIG, "MPI_Isend", request=1), wait(1, 1)], (0, 3, 0)),
        ([recv(4, 0, BIG)], (0, 0, 0))],
    "a receive posted early is not late": [
        ([send(2, 1, BIG)], (0, 0, 0)),
        ([recv(0, 0, BIG, "MPI_Irecv", request=1), wait(40, 1)], (0, 0, 0))],
    "the last of several senders": [
        ([send(2, 2)], (0, 0, 0)), ([send(5, 2, tag=1)], (0, 0, 0)),
        ([recv(0, 1, call="MPI_Irecv", tag=1, request=1), recv(0, 0, call="MPI_Irecv", request=2),
          wait(1, 1, 2)], (4, 0, 0))],
    "messages in order": [
        ([send(2, 1), send(4, 1)], (0, 0, 0)), ([recv(1, 0), recv(10, 0)], (1, 0, 0))],
    "both at once": [
        ([("MPI_Sendrecv", dict(count=BIG, type_bytes=1, peer=1, tag=0, recv_count=SMALL, recv_type_bytes=1,
                                recv_peer=1, recv_tag=0, comm=1, volume=2 * MS))], None),
        ([("MPI_Sendrecv", dict(count=SMALL, type_bytes=1, peer=0, tag=0, recv_count=BIG, recv_type_bytes=1,
                                recv_peer=0, recv_tag=0, comm=1, volume=7 * MS))], (0, 0, 0))],
    "persistent": [
        ([send(0, 1, BIG, "MPI_Send_init", request=3),
          ("MPI_Start", dict(request=3, volume=MS)), wait(0, 3)], (0, 8, 0)),
        ([recv(0, 0, BIG, "MPI_Recv_init", request=2),
          ("MPI_Startall", dict(list=[2], volume=9 * MS)), wait(0, 2)], (0, 0, 0))],
    "barrier": [([coll(r, "MPI_Barrier")], (0, 0, 3 - r)) for r in range(4)],
    "all to all": [([coll(3 * r, "MPI_Alltoall")], (0, 0, 6 - 3 * r)) for r in range(3)],
    "a root that is late": [
        ([coll(1, "MPI_Bcast", 1)], (0, 0, 4)), ([coll(5, "MPI_Bcast", 1)], (0, 0, 0)),
        ([coll(2, "MPI_Bcast", 1)], (0, 0, 3))],
    "a root that is early": [
        ([coll(1, "MPI_Gather", 0)], (0, 0, 7)), ([coll(8, "MPI_Gather", 0)], (0, 0, 0)),
        ([coll(2, "MPI_Gather", 0)], (0, 0, 0))],
    "lower ranks": [
        ([coll(2, "MPI_Scan")], (0, 0, 0)), ([coll(1, "MPI_Scan")], (0, 0, 1)),
        ([coll(0, "MPI_Scan")], (0, 0, 2))],
    "a collective that is waited for later": [
        ([coll(1, "MPI_Iallreduce", request=1), wait(3, 1)], (0, 0, 2)),
        ([coll(6, "MPI_Iallreduce", request=1), wait(3, 1)], (0, 0, 0))],
    "two communicators": [
        ([comm([r % 2, r % 2 + 2]), coll(ms, "MPI_Allreduce", comm=3)], (0, 0, waits))
        for r, (ms, waits) in enumerate([(1, 5), (4, 0), (6, 0), (3, 1)])],
    "neighbours": [
        ([chain(r), coll(ms, "MPI_Neighbor_alltoall", comm=3)], (0, 0, waits))
        for r, (ms, waits) in enumerate([(9, 0), (2, 7), (3, 0), (1, 2)])],
    "two groups": [
        ([comm([0], "MPI_Intercomm_create", remote=[1]), send(2, 0, BIG, comm=3)], (0, 5, 0)),
        ([comm([1], "MPI_Intercomm_create", remote=[0]), recv(7, 0, BIG, comm=3)], (0, 0, 0))],
    "taken back": [
        ([send(1, 1, tag=7), send(4, 1)], (0, 0, 0)),
        ([recv(0, 0, call="MPI_Irecv", request=1), ("MPI_Cancel", dict(request=1)),
          ("Match", dict(request=1, peer=-1, tag=-1)), wait(0, 1), recv(2, 0)], (3, 0, 0))],
}

# Programs that are there for their critical path alone.
CASES.update({
    "a chain": [
        ([send(10, 1)], None), ([recv(0, 0), send(5, 2)], None),
        ([recv(3, 1), coll(1, "MPI_Barrier", comm=2)], None)],
    "a transfer beside computation": [
        ([send(1, 1, 500000000)], None),
        ([recv(0, 0, 500000000, "MPI_Irecv", request=1), wait(20, 1), coll(7, "MPI_Barrier", comm=2)], None)],
    "regions": [
        ([("MPI_Pcontrol", dict(level=4, clock_ns=0, volume=6 * MS)), send(3, 1)], None),
        ([("MPI_Pcontrol", dict(level=4, clock_ns=0, volume=2 * MS)), recv(1, 0),
          ("MPI_Pcontrol", dict(level=5, clock_ns=1, volume=8 * MS)), coll(4, "MPI_Barrier", comm=2)], None)],
})

# name: ms of computation on the critical path; where no message counts for a rank, its ms there; jumps
PATHS = {
    "late sender": (10, {0: 10}, 1), "sender in time": (10, {0: 0}, 0),
    "late receiver in a wait": (4, {}, None), "late sender in a wait": (5, {0: 5}, 1),
    "a receive posted early is not late": (40, {0: 0, 1: 40}, 0),
    "the last of several senders": (5, {0: 0, 1: 5}, 1), "persistent": (9, {}, None),
    "barrier": (3, {}, None), "all to all": (6, {}, None), "a root that is late": (5, {}, None),
    "a root that is early": (8, {}, 1), "a collective that is waited for later": (9, {}, None),
    "a chain": (16, {0: 10}, 2), "a transfer beside computation": (8, {0: 1}, 1),
    "regions": (21, {0: 9}, 1),
}


def line(rank, number, event):
    call, slots = event
    text = " ".join("%s=%s" % (k, "[%s]" % ",".join(map(str, v)) if isinstance(v, list) else v)
                    for k, v in slots.items())
    return "%d %d %s %s" % (rank, number, call, text)


def mixed(seed, share):
    draw = random.Random(int(seed))
    n_ranks, n_rounds = 8, 12
    volumes = [[int(draw.expovariate(1 / (MS * (1 + r % 4)))) for _ in range(3 * n_rounds)]
               for r in range(n_ranks)]
    sizes = [draw.choice([8, 3000, 70000, 400000]) for _ in range(n_rounds)]
    kinds = ["MPI_Allreduce", "MPI_Barrier", "MPI_Alltoall", "MPI_Scan", None, None]
    if int(seed) % 2:
        kinds += ["MPI_Bcast", "MPI_Reduce"]
    calls = [draw.choice(kinds) for _ in range(n_rounds)]
    if share == "mean":
        phases = [[]]
        for i, call in enumerate(calls):
            phases[-1] += [3 * i, 3 * i + 1]  # before the calls that exchange messages
            phases.append([3 * i + 2])
            if call in kinds[:4]:
                phases.append([])
        for phase in phases:
            own = [sum(row[i] for i in phase) for row in volumes]
            for row, s in zip(volumes, own):
                for i in phase:
                    row[i] = round(row[i] * sum(own) / n_ranks / s)
    print("timeless-text 1\nranks %d\nvolume_unit \"cpu-ns\"" % n_ranks)
    for r in range(n_ranks):
        left, right, number = (r - 1) % n_ranks, (r + 1) % n_ranks, 0
        print('rank %d host="h"' % r)
        for size, call, volume in zip(sizes, calls, zip(*[iter(volumes[r])] * 3)):
            events = [recv(0, left, size, "MPI_Irecv", request=1), recv(0, right, size, "MPI_Irecv", tag=1, request=2),
                      send(0, right, size, "MPI_Isend", request=3), send(0, left, size, "MPI_Isend", tag=1, request=4),
                      wait(0, 1, 2, 3, 4), send(0, r ^ 1, size) if r % 2 else recv(0, r ^ 1, size)]
            if call:
                root = size % n_ranks if call in ("MPI_Bcast", "MPI_Reduce") else None
                events.append(coll(0, call, root, size % 4999))
            for i, ms in zip((0, 4, 5), volume):
                events[i][1]["volume"] = ms
            for event in events:
                print(line(r, number, event))
                number += 1
        print("end cut clock_ns=0")


def both_ways(r, receive, send_call):
    """Messages between each rank of four and its neighbours in a ring."""
    left, right = (r + 3) % 4, (r + 1) % 4
    return [recv(0, left, EAGER, receive, request=1), recv(0, right, EAGER, receive, tag=1, request=2),
            send(0, right, EAGER, send_call, request=3), send(0, left, EAGER, send_call, tag=1, request=4)]


# name: the call that ends each phase, by rank; whether each rank exchanges with its neighbours there
PLANTED = {
    "barriers": lambda r: [coll(0, "MPI_Barrier")],
    "reduce and bcast": lambda r: [coll(0, "MPI_Reduce", 0), coll(0, "MPI_Bcast", 0)],
    "sendrecv": lambda r: [send(0, (r + 1) % 4, call="MPI_Sendrecv", recv_count=SMALL, recv_type_bytes=1,
                                recv_peer=(r + 3) % 4, recv_tag=0)],
    "requests": lambda r: [recv(0, (r + 3) % 4, call="MPI_Irecv", request=1), send(0, (r + 1) % 4), wait(0, 1)],
    "groups": lambda r: [coll(0, "MPI_Allreduce", comm=3)],
    "long eager messages": lambda r: both_ways(r, "MPI_Irecv", "MPI_Isend") + [wait(0, 1, 2, 3, 4)],
    "persistent requests": lambda r: [("MPI_Startall", dict(list=[1, 2, 3, 4])), wait(0, 1, 2, 3, 4)],
    "a line": lambda r: [swap for other in (r - 1, r + 1) if 0 <= other < 4 for swap in [
        send(0, other, call="MPI_Sendrecv", recv_count=SMALL, recv_type_bytes=1, recv_peer=other, recv_tag=0)]],
    "a chain": lambda r: ([recv(0, r - 1)] if r else []) + ([send(0, r + 1)] if r < 3 else []) + [coll(0, "MPI_Barrier")],
}


def planted(name, share):
    """Four ranks: in each of four phases another one computes for 40 ms, or all for 10 ms.

    In a line, the ranks at its ends have fewer exchanges; all compute in each phase, one for longer."""
    most, least = (34, 2) if name == "a line" else (40, 0)
    print("timeless-text 1\nranks 4\nvolume_unit \"cpu-ns\"")
    for r in range(4):
        print('rank %d host="h"\n%s' % (r, comm([r % 2, r % 2 + 2])))
        events = both_ways(r, "MPI_Recv_init", "MPI_Send_init") if name == "persistent requests" else []
        for phase in range(4):
            first, *rest = PLANTED[name](r)
            ms = 10 if share == "mean" else most if phase == r else least
            events += [(first[0], dict(first[1], volume=ms * MS))] + rest
        for number, event in enumerate(events):
            print(line(r, number, event))
        print("end cut clock_ns=0")


def pipeline():
    """Four ranks compute for 1 ms, one after the other, beside a rank that computes for 14 ms: longer with 3.6 ms each."""
    print("timeless-text 1\nranks 5\nvolume_unit \"cpu-ns\"")
    for r in range(5):
        print('rank %d host="h"' % r)
        events = ([recv(14 if r == 4 else 0, r - 1)] if r else []) + ([send(1, r + 1)] if r < 4 else [])
        for number, event in enumerate(events):
            print(line(r, number, event))
        print("end cut clock_ns=0")


def balanced(path, makespan_s):
    balance = json.load(open(path))["details"]["what_if"]["balance"]
    assert balance["phases"] == 4, balance
    # The ranks enter their calls at other moments, and messages differ by so much.
    assert abs(balance["about_s"] / float(makespan_s) - 1) < 5e-3, (balance, makespan_s)


def bounds(path, network_s, cpu_s, mean_s):
    prediction = json.load(open(path))
    what_if = prediction["details"]["what_if"]
    at_least = {"ideal_network": float(network_s), "cpu_2x": float(cpu_s), "balance": float(mean_s)}
    for key, replayed_s in at_least.items():
        assert 0 < what_if[key]["at_least_s"] <= replayed_s * (1 + 1e-9), (key, replayed_s, what_if)
        if "about_s" in what_if[key]:
            assert abs(what_if[key]["about_s"] / replayed_s - 1) < 0.05, (key, replayed_s, what_if)
        assert what_if[key]["at_least_s"] < prediction["makespan_s"]
    # On a network that takes next to nothing the bound is met, unless ranks forward what is for others.
    calls = {call["name"] for call in prediction["details"]["calls"]}
    assert calls & {"MPI_Bcast", "MPI_Reduce"} or at_least["ideal_network"] <= what_if["ideal_network"]["at_least_s"] * 1.01, (network_s, what_if)


def write(folder):
    for number, (_, ranks) in enumerate(sorted(CASES.items())):
        with open("%s/%02d.txt" % (folder, number), "w") as out:
            print("timeless-text 1\nranks %d\nvolume_unit \"cpu-ns\"" % len(ranks), file=out)
            for r, (events, _) in enumerate(ranks):
                print('rank %d host="h"' % r, file=out)
                for event in events:
                    if isinstance(event, str):
                        print(event, file=out)
                for n, event in enumerate(e for e in events if not isinstance(e, str)):
                    print(line(r, n, event), file=out)
                print("end cut clock_ns=0", file=out)


def check(path):
    jobs = json.load(open(path))["jobs"]
    assert len(jobs) == len(CASES)
    for (name, ranks), job in zip(sorted(CASES.items()), jobs):
        details, sums = job["details"], [0, 0, 0]
        keys = ("late_sender_s", "late_receiver_s", "collective_wait_s")
        for r, (_, expected) in enumerate(ranks):
            found = [1e3 * details["ranks"][r][k] for k in keys]
            sums = [a + b for a, b in zip(sums, found)]
            if expected:
                assert all(abs(f - e) < 1e-6 for f, e in zip(found, expected)), (name, r, found)
        for rows in ("calls", "regions")[:1]:
            total = [1e3 * sum(row[k] for row in details[rows]) for k in keys]
            assert all(abs(a - b) < 1e-9 for a, b in zip(total, sums)), (name, rows, total, sums)
        path = details["critical_path"]
        assert abs(path["length_s"] - job["makespan_s"]) < 1e-12, (name, path)
        for whole in (path["parts"].values(), path["ranks_s"], [s["time_s"] for s in path["sites"]]):
            assert abs(sum(whole) - job["makespan_s"]) < 1e-12, (name, path)
        if name in PATHS:
            computed, on_ranks, jumps = PATHS[name]
            assert abs(1e3 * path["parts"]["compute_s"] - computed) < 1e-6, (name, path)
            assert jumps is None or path["jumps"] == jumps, (name, path)
            for rank, expected in on_ranks.items():
                assert abs(1e3 * path["ranks_s"][rank] - expected) < 1e-6, (name, path)
    regions = dict((r["name"], 1e3 * r["time_s"])
                   for r in jobs[sorted(CASES).index("regions")]["details"]["critical_path"]["regions"])
    # The message's time is that of the receive, which is in the second region.
    assert abs(regions["before MPI_Pcontrol"] - 6) < 1e-6 and abs(regions["MPI_Pcontrol(5)"] - 4) < 1e-6, regions
    assert 3 + 8 < regions["MPI_Pcontrol(4)"] < 3 + 8 + 0.2, regions
    # Rank 0 waits for the message from rank 1, and for the receive of its own, which begin together.
    both = jobs[sorted(CASES).index("both at once")]["details"]["ranks"][0]
    assert abs(1e3 * (both["late_sender_s"] + both["late_receiver_s"]) - 5) < 1e-6, both


{"write": write, "check": check, "mixed": mixed, "bounds": bounds, "planted": planted, "pipeline": pipeline, "balanced": balanced}[sys.argv[1]](*sys.argv[2:])
