#!/usr/bin/env python3
"""A random program, in the text form of timeless undump, of what SimGrid's own text can say.

    simgrid_program.py SEED MAX_RANKS > text

All ranks go through the same steps in the same order and none waits for a later one, so nothing can
deadlock.  What SMPI's replay finds by partner and tag has a tag of its own; computation is in flops, drawn so
that no two ranks are ready at the same time by design.  SimGrid takes for simultaneous what happens within a
nanosecond; a program runs for some seconds.

Where receiving costs time (smpi/or), SMPI 3.32's replay is not what its online simulation is, to which ours is
equal: reductions have no operator in the text, without which their receives are completed in another order, and
the requests of a Waitall have no order in it.  Programs of odd seeds have neither.
"""
import random
import sys

seed, max_ranks = int(sys.argv[1]), int(sys.argv[2])
draw = random.Random(seed)
n = min(max_ranks, max(2, int(2 * (max_ranks / 2 + 0.5) ** draw.random())))
is_strict = seed % 2 == 1
WIDTHS = (1, 2, 4, 8, 16)
lines = [[] for _ in range(n)]
volumes = [0] * n
pending = [{} for _ in range(n)]  # request: still to wait for


def put(rank, text):
    volume = f" volume={volumes[rank]}" if volumes[rank] else ""
    volumes[rank] = 0
    lines[rank].append(text + volume)


def size(most):
    """Half of them short, a few of them empty."""
    return draw.choice((0, 1, draw.randrange(64), int(2 ** draw.uniform(0, 21)))) % (most + 1)


def request(rank):
    r = next(i for i in range(1, 10 ** 6) if i not in pending[rank])
    pending[rank][r] = True
    return r


def slots(count, width, peer, tag):
    return f"count={count} type_bytes={width} peer={peer} tag={tag} comm=1"


def wait(rank, requests):
    if len(requests) > 1 and not is_strict:
        put(rank, f"MPI_Waitall list=[{','.join(map(str, requests))}]")
    else:
        for r in requests:
            put(rank, f"MPI_Wait request={r}")
    for r in requests:
        del pending[rank][r]


def post(rank, call, text):
    put(rank, f"{call} {text} request={request(rank)}")


def message(tag):
    source, target = draw.sample(range(n), 2)
    count, width = size(200000), draw.choice(WIDTHS)
    if draw.random() < 0.5:
        post(target, "MPI_Irecv", slots(count, width, source, tag))
        received = True
    else:
        received = False
    if draw.random() < 0.5:
        post(source, "MPI_Isend", slots(count, width, target, tag))
    else:
        put(source, "MPI_Send " + slots(count, width, target, tag))
    if not received:
        put(target, "MPI_Recv " + slots(count, width, source, tag))


def burst(tag):
    distances = draw.sample(range(1, n), min(n - 1, draw.choice((1, 2, 4, n - 1))))
    count, width, leaves = size(2000000 // n), draw.choice(WIDTHS), draw.random() < 0.3
    for rank in range(n):
        before = set(pending[rank])
        for d in distances:
            post(rank, "MPI_Irecv", slots(count + d, width, (rank - d) % n, tag))
        for d in distances:
            post(rank, "MPI_Isend", slots(count + d, width, (rank + d) % n, tag))
        if not leaves:
            wait(rank, [r for r in pending[rank] if r not in before])


def shift(_):
    count, width, d = size(200000), draw.choice(WIDTHS), draw.randrange(1, n)
    for rank in range(n):
        put(rank, "MPI_Sendrecv " + slots(count, width, (rank + d) % n, 0) + f" recv_count={count} "
            f"recv_type_bytes={width} recv_peer={(rank - d) % n} recv_tag=0")


def complete(_):
    for rank in range(n):
        waiting = list(pending[rank])
        draw.shuffle(waiting)
        if waiting and draw.random() < 0.7:
            wait(rank, waiting[:draw.randrange(1, len(waiting) + 1)] if draw.random() < 0.5 else waiting)


def compute(_):
    for rank in range(n):
        volumes[rank] += draw.randrange(300000000)


def collective(_):
    kinds = "Barrier Bcast Gather Scatter Allgather Alltoall Gatherv Scatterv Allgatherv Alltoallv"
    kind = draw.choice((kinds + (" Reduce Allreduce Scan Exscan Reduce_scatter" * (not is_strict))).split())
    root, width = draw.randrange(n), draw.choice(WIDTHS)
    plain = kind in ("Bcast", "Reduce", "Allreduce", "Scan", "Exscan")
    count = max(1, size(200000 if plain else 400000 // n))
    if kind == "Alltoall" and n & (n - 1):  # SMPI takes an algorithm for powers of two only for long ones
        count = min(count, 3000 // width)
    counts = [max(1, count + draw.randrange(-count // 2, count // 2 + 1)) for _ in range(n)]
    if draw.random() < 0.3:
        counts = [count] * n
    text = ",".join(map(str, counts))
    for me in range(n):
        at_root, mine = me == root, f"count={count} type_bytes={width}"
        all_recv = f"recv_count={count} recv_type_bytes={width}"
        nothing = "recv_count=0 recv_type_bytes=0"
        one = f"count={counts[me]} type_bytes={width}"
        other = ",".join(str(counts[max(me, j)]) for j in range(n))
        put(me, f"MPI_{kind} comm=1 " + {
            "Barrier": "clock_ns=0", "Bcast": f"{mine} peer={root}", "Reduce": f"{mine} peer={root}",
            "Allreduce": mine, "Scan": mine, "Exscan": mine,
            "Gather": f"{mine} peer={root} {all_recv if at_root else nothing}",
            "Scatter": f"{mine if at_root else 'count=0 type_bytes=0'} peer={root} {all_recv}",
            "Allgather": f"{mine} {all_recv}", "Alltoall": f"{mine} {all_recv}",
            "Gatherv": f"{one} peer={root} recv_type_bytes={width if at_root else 0} "
                       f"list=[{text if at_root else ''}]",
            "Scatterv": f"type_bytes={width if at_root else 0} peer={root} recv_count={counts[me]} "
                        f"recv_type_bytes={width} list=[{text if at_root else ''}]",
            "Allgatherv": f"{one} recv_type_bytes={width} list=[{text}]",
            "Alltoallv": f"type_bytes={width} recv_type_bytes={width} list=[{other},{other}]",
            "Reduce_scatter": f"type_bytes={width} list=[{text}]"}[kind])


for rank in range(n):
    put(rank, "MPI_Init clock_ns=0")
for step in range(draw.randrange(8, 60)):
    compute(step)
    draw.choice((message, message, message, burst, shift, complete, collective, collective, collective))(100 + step)
for rank in range(n):
    wait(rank, list(pending[rank]))
    volumes[rank] += 1000
    put(rank, "MPI_Finalize clock_ns=0")

print(f'timeless-text 1\nranks {n}\nvolume_unit "flop"\nprogram "seed {seed}"')
for rank in range(n):
    print(f'rank {rank} host="h"')
    for i, line in enumerate(lines[rank]):
        print(rank, i, line)
    print("end finalized clock_ns=0")
