#!/usr/bin/env python3
"""The messages and the work of HPL's solve on a P x Q grid, in the text form of timeless undump.

    hpl_messages.py P Q PANELS NB > text

As HPL's defaults have it: the columns of a panel are factored with a binary exchange of the pivot row over
the process column (a receive posted, a send, a wait, as HPL_sdrv does); the panel goes round the row by an
increasing ring; rows are swapped by a binary exchange over the column; the trailing matrix is updated.  A
unit of volume is a flop.  Ranks count column-major, and all is on MPI_COMM_WORLD, the one communicator
that SimGrid's text knows.
"""
import sys

P, Q, panels, NB = map(int, sys.argv[1:5])
N = panels * NB
n_levels = P.bit_length() - 1
assert P == 1 << n_levels, "P must be a power of two"
out = sys.stdout.write


def share(blocks, first, me, n):
    """Rows or columns of the blocks from `first` on that are mine."""
    return sum(1 for b in range(first, blocks) if b % n == me) * NB


class Rank:
    def __init__(self, rank):
        self.rank, self.n, self.flops = rank, 0, 0

    def put(self, call, slots=""):
        out(f"{self.rank} {self.n} {call} {slots}volume={int(self.flops)} site=1\n")
        self.n, self.flops = self.n + 1, 0

    def exchange(self, peer, values, tag):
        slots = f"count={values} type_bytes=8 peer={peer} tag={tag} comm=1 "
        self.put("MPI_Irecv", slots + "request=1 ")
        self.put("MPI_Send", slots)
        self.put("MPI_Wait", "request=1 ")

    def move(self, call, peer, values, tag):
        self.put(call, f"count={values} type_bytes=8 peer={peer} tag={tag} comm=1 ")


def solve(r, row, column):
    at = lambda i, j: j * P + i
    for k in range(panels):
        owner = k % Q
        rows = share(panels, k, row, P)
        if column == owner:
            for _ in range(NB):
                r.flops += rows * NB
                for level in range(n_levels):
                    r.exchange(at(row ^ 1 << level, column), 2 * NB + 4, 1)
        values = rows * NB + NB * NB + NB + 1
        if column != owner:
            r.move("MPI_Recv", at(row, (column - 1) % Q), values, 2)
        if (column + 1) % Q != owner:
            r.move("MPI_Send", at(row, (column + 1) % Q), values, 2)
        columns = share(panels, k + 1, column, Q)
        if not columns:
            continue
        for level in range(n_levels):
            r.exchange(at(row ^ 1 << level, column), columns * NB // 2 + 1, 3)
        r.flops += NB * NB * columns + 2 * rows * NB * columns


out(f'timeless-text 1\nranks {P * Q}\nvolume_unit "flop"\nvolume_source "none"\n'
    f'program "HPL, N={N}, NB={NB}, {P} x {Q}"\nmpi_library ""\nwriter "hpl_messages.py"\norigin ""\n')
for rank in range(P * Q):
    out(f'rank {rank} host=""\nsite 1 object="hpl" offset=0\n')
    r = Rank(rank)
    r.put("MPI_Init", "clock_ns=0 ")
    solve(r, rank % P, rank // P)
    r.put("MPI_Finalize", "clock_ns=0 ")
    out("end finalized clock_ns=0\n")
