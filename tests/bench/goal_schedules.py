#!/usr/bin/env python3
"""A schedule of GOAL in the binary form (doc/timeless-import.1): `stencil SIDE STEPS FILE` on a torus of SIDE x SIDE ranks,
with a computation and four neighbours in each step; `dissemination RANKS TIMES FILE`; `binomial RANKS BYTES FILE`, a broadcast."""
import struct
import sys

SEND, RECV, CALC = 1, 2, 3


def stencil(side, steps):
    """Yields, for each rank, its operations (kind, peer, size, tag), and what each one requires."""
    for rank in range(side * side):
        x, y = rank % side, rank // side
        peers = [(x + 1) % side + y * side, (x - 1) % side + y * side, x + (y + 1) % side * side, x + (y - 1) % side * side]
        ops, needs = [], []
        for step in range(steps):
            before, calc = range(max(0, len(ops) - 8), len(ops)), len(ops)
            ops.append((CALC, 0, 10000, 0))
            needs.append(before)
            for way, peer in enumerate(peers):
                ops += [(SEND, peer, 1000, way), (RECV, peer, 1000, way ^ 1)]
                needs += [[calc], [calc]]
        yield ops, needs


def dissemination(n_ranks, times):
    for rank in range(n_ranks):
        ops, needs = [], []
        for _ in range(times):
            for k in range((n_ranks - 1).bit_length()):
                before = range(max(0, len(ops) - 2), len(ops))
                ops += [(SEND, (rank + (1 << k)) % n_ranks, 8, k), (RECV, (rank - (1 << k)) % n_ranks, 8, k)]
                needs += [before, before]
        yield ops, needs


def binomial(n_ranks, size):
    for rank in range(n_ranks):
        below = rank & -rank or 1 << (n_ranks - 1).bit_length()
        ops = [(RECV, rank - below, size, 0)] if rank else []
        while (below := below >> 1):
            if rank + below < n_ranks:
                ops.append((SEND, rank + below, size, 0))
        yield ops, [[0] if rank and i else [] for i in range(len(ops))]


def part_of(ops, needs):
    after = [[] for _ in ops]
    for op, required in enumerate(needs):
        for other in required:
            after[other].append(op)
    roots = [op for op, required in enumerate(needs) if not len(required)]
    parts, n_after = [struct.pack("<%dI" % (2 + len(roots)), len(ops), len(roots), *roots)], 0
    for op, (kind, peer, size, tag) in enumerate(ops):
        parts.append(struct.pack("<IBIQIBBIIII", len(needs[op]), kind, peer, size, tag, 0, 0, len(after[op]), n_after, 0,
                                 n_after + len(after[op])))
        n_after += len(after[op])
    parts += [struct.pack("<%dI" % len(then), *then) for then in after]
    return b"".join(parts)


pattern, first, second, path = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
made = {"stencil": stencil, "dissemination": dissemination, "binomial": binomial}[pattern](first, second)
n_ranks, n_ops = first * first if pattern == "stencil" else first, 0
with open(path, "wb") as out:
    out.write(struct.pack("<QIBB", 4223, n_ranks, 0, 0))
    table, at = [], 6 + 16 * n_ranks
    out.seek(8 + at)
    for ops, needs in made:
        part = part_of(ops, needs)
        out.write(part)
        table += [at, at + len(part)]
        at += len(part)
        n_ops += len(ops)
    out.seek(14)
    out.write(struct.pack("<%dQ" % len(table), *table))
print(n_ops)
