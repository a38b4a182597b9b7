#!/usr/bin/env python3
"""dumpi_write.py FOLDER - a run of four ranks as DUMPI records it, and spoilt ones.

Written from the description of the format that comes with sst-dumpi (docs/traceformat.dox) and the
order of the fields in its writer, on its own, so that it can tell whether the importer reads that."""
import os, struct, sys

NUMBER = dict(Send=0, Recv=1, Isend=8, Irecv=12, Wait=13, Test=14, Waitany=16, Waitall=18, Waitsome=20,
              Iprobe=22, Probe=23, Send_init=26, Recv_init=30, Startall=32, Sendrecv=33, Type_contiguous=35,
              Type_struct=40, Type_commit=46, Barrier=52, Bcast=53, Gather=54, Gatherv=55, Scatter=56,
              Scatterv=57, Allgather=58, Allgatherv=59, Alltoall=60, Alltoallv=61, Reduce=62, Op_create=63,
              Allreduce=65, Reduce_scatter=66, Scan=67, Comm_size=81, Comm_rank=82, Comm_dup=84, Comm_split=86,
              Comm_free=87, Cart_create=99, Wtime=122, Init=124, Finalize=125, Initialized=126, Put=143, Win_fence=146,
              Request_free=15, Comm_group=72, Group_union=73, Group_incl=76, Group_excl=77, Group_free=80,
              Comm_create=85, Alltoallw=155, Exscan=156)
CALLS = 290  # numbers of calls; then: one unused, function entry and exit, end of the stream
WORLD, SELF, NULL = 2, 3, 1
INT, DOUBLE, BYTE = 9, 14, 5
MAGIC = b"\xff\xaa\xddDUMPI"


def i32(*v): return struct.pack(f">{len(v)}i", *v)
def u16(*v): return struct.pack(f">{len(v)}H", *v)
def array(v): return i32(len(v), *v)
def types(v): return i32(len(v)) + u16(*v)
def text(s): return u16(len(s)) + s.encode()


class File:
    def __init__(self, counter=False, clocks=12):
        self.now, self.calls, self.body = 7_000_000_500, [0] * (CALLS + 1), b""
        self.mask = 3 | clocks | 64 | (128 if counter else 0)
        self.ignored = [0] * (CALLS + 1)

    def call(self, name, fields=b"", before=1000, took=50):
        number = NUMBER[name]
        self.calls[number] += 1
        self.now += before
        start, self.now = self.now, self.now + took
        self.body += u16(number) + bytes([self.mask]) + u16(0)
        for bit, scale in ((4, 1), (8, 2)):  # CPU time, wall time
            if self.mask & bit:
                for t in (start, self.now):
                    t = t // 1 if scale == 1 else t * 2
                    self.body += struct.pack(">HI", t // 10**9 % 65536, t % 10**9)
        if self.mask & 128:
            self.body += bytes([2]) + struct.pack(">4Q", 1, 2, start * 3, start * 3 + 10)
        self.body += fields

    def status(self, source=None, tag=0):
        if source is None:
            return i32(0)
        return i32(1, 8, source) + b"\0\0" + i32(tag)

    def bytes(self, version=(1, 0, 0), sizes=(), labels=("PAPI_L1_DCM", "PAPI_TOT_INS")):
        out = MAGIC + i32(100, 200)
        out += self.body + u16(CALLS + 3)
        header = len(out)
        out += bytes(version) + struct.pack(">Q", 1296777956) + text("node") + text("someone") + i32(0) + i32(0)
        footer = len(out)
        out += struct.pack(">Q", 0xf007fee7) + struct.pack(f">{CALLS + 1}I", *self.calls)
        out += struct.pack(f">{CALLS + 1}I", *self.ignored)
        keyval = len(out)
        out += i32(0)
        perf = len(out)
        out += i32(len(labels)) + b"".join(text(l) for l in labels)
        size = len(out)
        out += array(sizes)
        return out + MAGIC + struct.pack(">7Q", size, 0, perf, header, 8, footer, keyval)


def program(me, n=4, **kind):
    """Every kind of call; the fields in the order of DUMPI's writer."""
    f = File(**kind)
    right, left = (me + 1) % n, (me - 1) % n
    f.call("Initialized", i32(0))
    f.call("Init", i32(2) + i32(3) + b"./a" + i32(1) + b"5")
    f.call("Comm_rank", u16(WORLD) + i32(me))
    f.call("Comm_size", u16(WORLD) + i32(n))
    f.call("Irecv", i32(10) + u16(INT) + i32(left, 7) + u16(WORLD) + i32(2), before=300)
    f.call("Send", i32(10) + u16(INT) + i32(right, 7) + u16(WORLD))
    f.call("Test", i32(2, 0) + f.status())
    f.call("Wait", i32(2) + f.status(left, 7), before=25)
    f.call("Comm_split", u16(WORLD) + i32(me % 2, -me) + u16(4))
    f.call("Comm_dup", u16(4) + u16(5))
    f.call("Comm_split", u16(WORLD) + i32(-32766 if me else 0, 0) + u16(NULL if me else 6))
    f.call("Cart_create", u16(WORLD) + i32(1) + array([n]) + array([1]) + i32(0) + u16(7))
    f.call("Allreduce", i32(3) + u16(DOUBLE) + b"\x03" + u16(4))
    f.call("Op_create", i32(0) + b"\x0f")
    f.call("Allreduce", i32(3) + u16(DOUBLE) + b"\x0f" + u16(5))
    f.call("Comm_free", u16(4))
    f.call("Type_contiguous", i32(6) + u16(INT, 28))
    f.call("Type_struct", i32(2) + array([2, 1]) + array([0, 48]) + types([28, DOUBLE]) + u16(29))
    f.call("Type_commit", u16(29))
    f.call("Bcast", i32(2) + u16(29) + i32(1) + u16(7))
    # Two sends that the library gave one handle, and a receive from any source.
    f.call("Isend", i32(1) + u16(BYTE) + i32(right, 1) + u16(WORLD) + i32(9))
    f.call("Isend", i32(2) + u16(BYTE) + i32(right, 1) + u16(WORLD) + i32(9))
    f.call("Recv", i32(2) + u16(BYTE) + i32(-1, -1) + u16(WORLD) + f.status(left, 1))
    f.call("Irecv", i32(2) + u16(BYTE) + i32(-1, 1) + u16(WORLD) + i32(3))
    f.call("Waitall", i32(3) + array([9, 9, 3]) + i32(3) + b"".join(
        i32(8, s) + b"\0\0" + i32(1) for s in (77, 88, left)))
    f.call("Iprobe", i32(left, 0) + u16(WORLD) + i32(0) + f.status())
    f.call("Sendrecv", i32(4) + u16(INT) + i32(right, 2, 8) + u16(DOUBLE) + i32(left, 2) + u16(WORLD) + f.status())
    f.call("Send_init", i32(4) + u16(INT) + i32(right, 5) + u16(WORLD) + i32(4))
    f.call("Recv_init", i32(4) + u16(INT) + i32(left, 5) + u16(WORLD) + i32(6))
    for _ in range(2):
        f.call("Startall", i32(2) + array([4, 6]))
        f.call("Waitsome", i32(3) + array([4, 6, 1]) + i32(1) + array([1]) + f.status(left, 5))
        f.call("Waitany", i32(2) + array([4, 6]) + i32(0) + f.status())
    f.call("Request_free", i32(4))
    f.call("Request_free", i32(6))
    f.call("Send", i32(4) + u16(INT) + i32(-2, 5) + u16(WORLD))
    f.call("Barrier", u16(WORLD))
    root = me == 2
    f.call("Gather", i32(me, 5) + u16(INT) + i32(2) + u16(WORLD) + (i32(5) + u16(INT) if root else b""))
    f.call("Gatherv", i32(me, n, 5 + me) + u16(INT) + i32(2) + u16(WORLD) +
           (array([5, 6, 7, 8]) + array([0, 5, 11, 18]) if root else b"") + u16(INT))
    f.call("Scatter", i32(me, 5) + u16(INT) + i32(2) + u16(WORLD) + (i32(5) + u16(INT) if root else b""))
    f.call("Scatterv", i32(me, n) + u16(INT) + i32(5) + u16(INT) + i32(2) + u16(WORLD) +
           (array([5] * n) + array([0, 5, 10, 15]) if root else b""))
    f.call("Allgather", i32(5) + u16(INT) + i32(5) + u16(INT) + u16(WORLD))
    f.call("Allgatherv", i32(n, 5 + me) + u16(INT) + array([5, 6, 7, 8]) + array([0, 5, 11, 18]) + u16(INT, WORLD))
    f.call("Alltoall", i32(5) + u16(INT) + i32(5) + u16(INT) + u16(WORLD))
    f.call("Alltoallv", i32(n) + array([3] * n) + array([0, 3, 6, 9]) + u16(INT) + array([3] * n) +
           array([0, 3, 6, 9]) + u16(INT, WORLD))
    f.call("Alltoallw", i32(n) + array([3] * n) + array([0] * n) + types([INT] * n) + array([3] * n) +
           array([0] * n) + types([INT] * n) + u16(WORLD))
    f.call("Reduce", i32(5) + u16(INT) + b"\x03" + i32(2) + u16(WORLD))
    f.call("Reduce_scatter", i32(n) + array([5] * n) + u16(INT) + b"\x03" + u16(WORLD))
    f.call("Scan", i32(5) + u16(INT) + b"\x03" + u16(WORLD))
    f.call("Exscan", i32(5) + u16(INT) + b"\x03" + u16(WORLD))
    f.call("Wtime")
    f.call("Finalize", took=100)
    return f


def groups(me, n=4):
    """Communicators of groups; a number of a group is used again when the group is free."""
    f = File()
    f.call("Init", i32(0))
    f.call("Comm_group", u16(WORLD, 3))
    pair = [2, 0] if me % 2 == 0 else [3, 1]
    f.call("Group_incl", u16(3) + i32(2) + array(pair) + u16(4))
    f.call("Comm_create", u16(WORLD, 4, 4))
    f.call("Group_free", u16(4))
    f.call("Group_excl", u16(3) + i32(1) + array([0]) + u16(4))
    f.call("Comm_create", u16(WORLD, 4, 5 if me else NULL))
    # The ranks 3 and 1: of a group of a group, and of the group of another communicator.
    f.call("Group_incl", u16(4) + i32(2) + array([2, 0]) + u16(5))
    f.call("Comm_create", u16(WORLD, 5, 6 if me % 2 else NULL))
    f.call("Comm_group", u16(5 if me else 4, 6))
    f.call("Group_incl", u16(6) + i32(2) + array([2, 0] if me else []) + u16(7 if me else 2))
    f.call("Comm_create", u16(WORLD, 7 if me else 2, 7 if me % 2 else NULL))
    # The second rank of each pair; a rank that gets nothing may have any group.
    f.call("Comm_group", u16(4, 6))
    f.call("Group_excl", u16(6) + i32(1) + array([0]) + u16(7))
    if me > 1:
        f.call("Group_union", u16(7, 7, 7))
    f.call("Comm_create", u16(4, 7, NULL if me > 1 else 8))
    f.call("Comm_group", u16(WORLD, 3))
    f.call("Group_excl", u16(3) + i32(1) + array([3]) + u16(6))
    f.call("Group_excl", u16(6) + i32(1) + array([0]) + u16(7))
    f.call("Comm_create", u16(WORLD, 7, 9 if me in (1, 2) else NULL))
    f.call("Barrier", u16(4))
    f.call("Finalize")
    return f


def create(ranks, made=4):
    f = File()
    f.call("Comm_group", u16(WORLD, 3))
    f.call("Group_incl", u16(3) + i32(len(ranks)) + array(ranks) + u16(4))
    f.call("Comm_create", u16(WORLD, 4, made))
    return f


def write(name, files, **how):
    for rank, f in enumerate(files):
        with open(f"{name}-{rank:04d}.bin", "wb") as out:
            out.write(f.bytes(**how))
    with open(f"{name}.meta", "w") as meta:
        meta.write(f"hostname=node\nusername=someone\nfileprefix={os.path.basename(name)}\nversion=1\n"
                   f"subversion=0\nsubsubversion=0\nnumprocs={len(files)}\n")


if __name__ == "__main__":
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/all", [program(me) for me in range(4)])
    write(f"{folder}/counted", [program(me, counter=True) for me in range(4)])
    write(f"{folder}/wall", [program(me, clocks=8) for me in range(4)])
    write(f"{folder}/timeless", [program(me, clocks=0) for me in range(4)])
    write(f"{folder}/old", [program(0, 1)], version=(0, 6, 8))
    put = program(1, 2)
    put.call("Win_fence", b"\0" + u16(1))
    put.call("Put", i32(1) + u16(INT) + i32(0, 0, 1) + u16(INT, 1))
    put.call("Put", i32(1) + u16(INT) + i32(0, 0, 1) + u16(INT, 1))
    write(f"{folder}/put", [program(0, 2), put])
    ignored = program(0, 1)
    ignored.ignored[NUMBER["Isend"]] = 12
    write(f"{folder}/ignored", [ignored])
    unlike = program(1, 2)
    unlike.call("Comm_dup", u16(WORLD) + u16(9))
    write(f"{folder}/unlike", [program(0, 2), unlike])
    write(f"{folder}/groups", [groups(me) for me in range(4)])
    united = [create([0, 1]), File()]
    united[1].call("Comm_group", u16(WORLD, 3))
    united[1].call("Group_union", u16(3, 3, 4))
    united[1].call("Comm_create", u16(WORLD, 4, 4))
    write(f"{folder}/united", united)
    write(f"{folder}/outside", [create([0, 1]), create([0, 1, 2])])
    write(f"{folder}/twice", [create([0, 1]), create([0, 1, 1])])
    write(f"{folder}/without", [create([0, 1]), create([0])])
    write(f"{folder}/null", [create([0, 1]), create([0, 1], NULL)])
    write(f"{folder}/swapped", [create([0, 1]), create([1, 0])])
    lost = [create([0, 1]), create([0, 1])]
    lost[1].ignored[NUMBER["Group_incl"]] = 1
    write(f"{folder}/lost", lost)
    sized = File()
    sized.call("Send", i32(2) + u16(40) + i32(0, 0) + u16(SELF))
    write(f"{folder}/sized", [sized], sizes=[0] * 40 + [12])
    write(f"{folder}/unsized", [sized])
