#!/usr/bin/env python3
"""The messages with which Open MPI makes a communicator, written from its rounds, not from replayer/.

    ompi_making.py messages CALL RANKS [COMPARED]    lines "FROM TO BYTES MESSAGES", as Open MPI's monitoring counts them
    ompi_making.py hops CALL RANKS                   how many messages follow each other on the longest way

CALL: dup, idup, dup_with_info, create, cart, graph, adjacent, split, sub, split_type. COMPARED: bytes that
MPI_Comm_split_type compares (16 in Open MPI 4.1, 24 in 5.0). Messages of several calls: cart+sub.
"""
import sys
from collections import defaultdict


def up_and_down(me, n):
    """A binomial tree to rank 0 (the parent loses its lowest bit), and one back (its highest bit)."""
    mask = 1
    while mask < n and not me & mask:
        if me + mask < n:
            yield 'receive', me + mask, 4
        mask *= 2
    if me:
        yield 'send', me - mask, 4
        yield 'receive', me - (1 << me.bit_length() - 1), 4
    mask = 1 << me.bit_length()
    while me + mask < n:
        yield 'send', me + mask, 4
        mask *= 2


def allgather(me, n):
    """Two ints of each rank: doubling for powers of two, otherwise Bruck's algorithm (tuned, fewer than 64 ranks)."""
    distance = 1
    while distance < n:
        if n & (n - 1) == 0:
            yield 'send', me ^ distance, 8 * distance
            yield 'receive', me ^ distance, 0
        else:
            yield 'send', (me - distance) % n, 8 * min(distance, n - distance)
            yield 'receive', (me + distance) % n, 0
        distance *= 2


def allreduce(me, n):
    """What is compared, by doubling; of the ranks beyond a power of two, each even one leaves its part to the next."""
    core = 1 << n.bit_length() - 1
    extra = n - core
    if me < 2 * extra and me % 2 == 0:
        yield 'send', me + 1, compared
        yield 'receive', me + 1, compared
        return
    if me < 2 * extra:
        yield 'receive', me - 1, compared
    own = me // 2 if me < 2 * extra else me - extra
    mask = 1
    while mask < core:
        other = own ^ mask
        peer = 2 * other + 1 if other < extra else other + extra
        yield 'send', peer, compared
        yield 'receive', peer, compared
        mask *= 2
    if me < 2 * extra:
        yield 'send', me - 1, compared


def rounds(call, me, n):
    if call in ('split', 'sub'):
        yield from allgather(me, n)
    if call == 'split_type':
        yield from allreduce(me, n)
    for _ in range(3):
        yield from up_and_down(me, n)


def messages(calls, n):
    total = defaultdict(lambda: [0, 0])
    for call in calls.split('+'):
        for me in range(n):
            for kind, peer, size in rounds(call, me, n):
                if kind == 'send':
                    total[me, peer][0] += size
                    total[me, peer][1] += 1
    return total


def hops(call, n):
    """Each message takes one unit of time, and nothing else takes any."""
    steps = [list(rounds(call, me, n)) for me in range(n)]
    at, clock, flying = [0] * n, [0] * n, defaultdict(list)
    while any(at[me] < len(steps[me]) for me in range(n)):
        for me in range(n):
            while at[me] < len(steps[me]):
                kind, peer, _ = steps[me][at[me]]
                if kind == 'send':
                    flying[me, peer].append(clock[me] + 1)
                elif flying[peer, me]:
                    clock[me] = max(clock[me], flying[peer, me].pop(0))
                else:
                    break
                at[me] += 1
    return max(clock)


what, call, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
compared = int(sys.argv[4]) if len(sys.argv) > 4 else 16
if what == 'hops':
    print(hops(call, n))
else:
    for (sender, receiver), (size, count) in sorted(messages(call, n).items()):
        print(sender, receiver, size, count)
