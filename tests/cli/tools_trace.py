"""Random traces whose messages, bytes, calls and volumes are counted while they are drawn, for tools_random.py.

A trace depends on its family and its number alone.  None can wait forever: its steps have one order, each rank does its part of them
in this order, and a step needs nothing of those that follow.
"""
import engines_random

SLOTS = ("count type_bytes peer tag recv_count recv_type_bytes recv_peer recv_tag comm request new_comm "
         "level list m n k kernel clock_ns").split()
SENDS = ("Send", "Ssend", "Bsend", "Isend", "Issend", "Send_init")
RECEIVES = ("Recv", "Irecv", "Recv_init")


class Draw(engines_random.Draw):
    """Of whole numbers."""

    def between(self, low, high):
        return int(super().between(low, high))


class Rank:
    def __init__(self, number):
        self.number, self.events, self.open, self.persistent = number, [], {}, {}
        self.clock = 0

    def request(self):
        r = 1
        while r in self.open or r in self.persistent.values():
            r += 1
        return r


class Trace:
    """With its ranks, and the messages between each two of them."""

    def __init__(self, family, seed, most_ranks=9):
        d = self.d = Draw("%s %d" % (family, seed))
        self.family, self.seed = family, seed
        self.n = n = 1 + d.below(most_ranks) if d.chance(0.9) else 1
        self.ranks = [Rank(r) for r in range(n)]
        self.messages = {}  # (from, to): [messages, bytes]
        rich = family == "rich"
        self.huge = d.chance(0.1)
        self.has_kernels = rich and d.chance(0.4)
        self.has_clocks = d.chance(0.6)
        self.comms = {1: [list(range(n))]}
        if rich and n > 1 and d.chance(0.7):
            self.comms[3] = [list(range(n // 2)), list(range(n // 2, n))]
            self.comms[4] = [list(range(n))[::-1]]
        self.wildcards = rich and d.chance(0.4)
        self.tag = 0
        for r in self.ranks:
            self.put(r, "Init", clock_ns=0)
            for c in sorted(self.comms):
                if c != 1:
                    self.put(r, "Comm_split", comm=1, new_comm=c)
        steps = dict(message=8, shift=2, wait=4, compute=1)
        if family != "plain":
            steps.update(collective=4)
        if rich:
            steps.update(region=1, kernel=2 * self.has_kernels)
        kinds = [k for k, w in steps.items() for _ in range(w)]
        for _ in range(d.below(60) if d.chance(0.95) else 0):
            getattr(self, d.one(kinds))()
        for r in self.ranks:
            self.finish(r)
            self.put(r, "Finalize", clock_ns=self.tick(r))

    # ---- events ----
    def volume(self):
        d = self.d
        kind = d.below(10)
        if kind < 4:
            return 0
        if kind < 6:
            return 1 + d.below(9)
        if self.huge and kind == 9:
            return d.one((2 ** 31 - 1, 2 ** 31, 2 ** 32 + 1, 2 ** 40 + 1))
        return d.between(10, 1e8)

    def put(self, rank, call, **slots):
        volume = self.volume()
        polls = self.d.below(5) if self.family == "rich" and self.d.chance(0.05) else 0
        rank.events.append((call, slots, volume, polls))

    def tick(self, rank):
        if self.has_clocks:
            rank.clock += self.d.between(1, 1e9)
        return rank.clock

    def size(self):
        d = self.d
        if self.huge and d.chance(0.1):
            return d.one(((2 ** 31 - 1, 1), (2 ** 31, 1), (2 ** 30, 8), (2 ** 31 + 1, 1)))
        return d.one((0, 1, d.below(100), d.between(1, 300000), 65536)), d.one((1, 4, 8))

    def count(self, a, b, size):
        both = self.messages.setdefault((a, b), [0, 0])
        both[0] += 1
        both[1] += size[0] * size[1]

    # ---- steps ----
    def group(self):
        """A communicator, its members and whether there are two at least."""
        c = self.d.one(sorted(self.comms))
        return c, self.d.one(self.comms[c])

    def message(self):
        d = self.d
        comm, members = self.group()
        if len(members) < 2:
            return
        a, b = d.some(members, 2)
        size, self.tag = self.size(), self.tag + 1
        send, receive = d.one(SENDS), d.one(RECEIVES)
        self.count(a, b, size)
        self.transfer(self.ranks[a], send, comm, members.index(b), size, self.tag)
        any_source = self.wildcards and d.chance(0.3) and receive == "Irecv"
        self.transfer(self.ranks[b], receive, comm, members.index(a), size, self.tag, any_source)

    def transfer(self, rank, call, comm, peer, size, tag, any_source=False):
        slots = dict(count=size[0], type_bytes=size[1], peer="any" if any_source else peer, tag="any" if any_source else tag, comm=comm)
        if call.endswith("_init"):
            r = rank.request()
            rank.persistent[(call, comm, peer, size, tag)] = r
            self.put(rank, call, **slots, request=r)
            if self.d.chance(0.5):
                self.put(rank, "Start", request=r)
            else:
                self.put(rank, "Startall", list=[r])
            rank.open[r] = None
        elif call[0] == "I":
            r = rank.request()
            self.put(rank, call, **slots, request=r)
            rank.open[r] = (peer, tag) if any_source else None
        else:
            if any_source:
                self.put(rank, "Match", peer=peer, tag=tag, request=0)
            self.put(rank, call, **slots)

    def complete(self, rank, requests, at_once):
        for r in requests:
            if rank.open[r]:
                self.put(rank, "Match", peer=rank.open[r][0], tag=rank.open[r][1], request=r)
        if at_once:
            self.put(rank, "Waitall", list=list(requests))
        else:
            for r in requests:
                self.put(rank, "Wait", request=r)
        for r in requests:
            del rank.open[r]

    def wait(self):
        d, rank = self.d, self.d.one(self.ranks)
        if rank.open:
            # The oldest first, as SimGrid's text needs.
            requests = list(rank.open)[:1 + d.below(len(rank.open))]
            self.complete(rank, requests, d.chance(0.5))

    def finish(self, rank):
        if rank.open:
            self.complete(rank, list(rank.open), self.d.chance(0.5))
        for r in rank.persistent.values():
            self.put(rank, "Request_free", request=r)
        rank.persistent = {}

    def shift(self):
        d = self.d
        comm, members = self.group()
        k = len(members)
        distance = d.below(k)
        size, self.tag = self.size(), self.tag + 1
        if distance == 0 and k > 1:
            distance = 1
        if k == 1:
            return
        for i, r in enumerate(members):
            to, source = (i + distance) % k, (i - distance) % k
            self.count(r, members[to], size)
            self.put(self.ranks[r], "Sendrecv", count=size[0], type_bytes=size[1], peer=to, tag=self.tag, recv_count=size[0],
                     recv_type_bytes=size[1], recv_peer=source, recv_tag=self.tag, comm=comm)

    def compute(self):
        rank = self.d.one(self.ranks)
        self.put(rank, "Wtime", clock_ns=self.tick(rank))

    def region(self):
        level = self.d.below(3)
        for r in self.ranks:
            self.put(r, "Pcontrol", level=level, clock_ns=self.tick(r))

    def kernel(self):
        d, rank = self.d, self.d.one(self.ranks)
        self.put(rank, "dgemm", m=d.below(100), n=d.below(100), k=d.below(100))

    def collective(self):
        d = self.d
        comm, members = self.group()
        name = d.one(("Barrier", "Barrier", "Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall", "Scan"))
        count, width = d.one((0, 1, d.below(100), d.between(1, 20000))), d.one((1, 4, 8))
        root = d.below(len(members))
        for r in members:
            slots = dict(count=count, type_bytes=width)
            if name == "Barrier":
                slots = dict(clock_ns=self.tick(self.ranks[r]))
            elif name in ("Bcast", "Reduce"):
                slots.update(peer=root)
            elif name in ("Allgather", "Alltoall"):
                slots.update(recv_count=count, recv_type_bytes=width)
            self.put(self.ranks[r], name, **slots, comm=comm)

    # ---- the text ----
    def event_lines(self, rank):
        lines = []
        for k, (call, slots, volume, polls) in enumerate(rank.events):
            name = call if call in ("Match", "dgemm") else "MPI_" + call
            pairs = ["%s=%s" % (s, str(slots[s]).replace(" ", "")) for s in SLOTS if s in slots]
            lines.append("%d %d %s %s" % (rank.number, k, name, " ".join(pairs + ["volume=%d" % volume] + (["polls=%d" % polls] if polls else []) +
                                                                         ["site=%d" % self.site(call)])))
        return lines

    def site(self, call):
        return 1 + (sum(call.encode()) * 7 + self.seed) % 5

    def text(self, unit="cpu-ns", run=()):
        lines = ["timeless-text 1", "ranks %d" % self.n, 'volume_unit "%s"' % unit, *run]
        for r in self.ranks:
            lines += self.rank_text(r)
        return "\n".join(lines) + "\n"

    def host(self, r):
        return "host %d" % (r // 2)

    def rank_text(self, r):
        lines = ['rank %d host="%s"' % (r.number, self.host(r.number))]
        for c, groups in sorted(self.comms.items()):
            for g in groups:
                if c != 1 and r.number in g:
                    lines.append("comm %d parent=1 call=MPI_Comm_split members=[%s]" % (c, ",".join(map(str, g))))
        lines.append('object name="a.out" path="/tmp/a.out" build_id=""')
        lines += ['site %d object="a.out" offset=%d function="f%d" file="f.c" line=%d' % (s, 16 * s, s, s) for s in range(1, 6)]
        return lines + self.event_lines(r) + ["end finalized clock_ns=%d" % r.clock]

    # ---- counts ----
    def volumes(self):
        return [sum(e[2] for e in r.events) for r in self.ranks]

    def calls(self):
        out = {}
        for r in self.ranks:
            for e in r.events:
                name = e[0] if e[0] in ("Match", "dgemm") else "MPI_" + e[0]
                out[name] = out.get(name, 0) + 1
        return out
