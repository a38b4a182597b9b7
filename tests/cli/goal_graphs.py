# goal_graphs.py NAME SEED N: N random graphs of operations side by side, as NAME.goal. Standard output: the parameters of the
# network, then for each rank the nanoseconds at which it ends. The simulator below works in the simplest way: one queue for all
# ranks; lists of messages and receives, searched from the front.
import heapq
import random
import sys

SEND, RECV, CALC = range(3)
MESSAGE_COMES, OPERATION, CPU_LOOKS = range(3)


def simulate(ranks, n_cpus, n_nics, L, o, g, G, O, S):
    """A CPU does what became possible first; at one moment, messages before operations."""
    ops = [(r, *op) for r, (own, _) in enumerate(ranks) for op in own]  # rank, kind, size, partner, tag, cpu, nic
    first = [sum(len(own) for own, _ in ranks[:r]) for r in range(len(ranks))]
    edges = [(first[r] + frm, first[r] + to, ends) for r, (_, own) in enumerate(ranks) for frm, to, ends in own]
    unmet, waiting = [0] * len(ops), [[] for _ in ops]
    for frm, to, ends in edges:
        unmet[to] += 1
        waiting[frm].append((to, ends))
    takes_any = {op[0] for op in ops if op[1] == RECV and -1 in op[3:5]}

    def lists(receiver, sender, tag):  # what matches together
        return receiver if receiver in takes_any else (receiver, sender, tag)

    places = {}  # the CPUs and interfaces of all receives of a list
    for r, kind, _, peer, tag, cpu, nic in ops:
        if kind == RECV:
            places.setdefault(lists(r, peer, tag), set()).add((r, cpu, nic))
    ready, done, bound, taken = [0] * len(ops), [False] * len(ops), {}, set()
    posted, unexpected = {}, {}
    cpu_free, side_free, queues, end = {}, {}, {}, [0] * len(ranks)
    events = [(0, OPERATION, i) for i in range(len(ops)) if not unmet[i]]

    def release(i, ended, at):
        cpu = (ops[i][0], ops[i][5])
        for to, ends in waiting[i]:
            if ends == ended:
                same = not ended and (ops[to][0], ops[to][5]) == cpu
                ready[to] = max(ready[to], at, cpu_free.get(cpu, 0) if same else 0)
                unmet[to] -= 1
                if not unmet[to]:
                    heapq.heappush(events, (ready[to], OPERATION, to))

    def finish(i, at):
        done[i] = True
        end[ops[i][0]] = max(end[ops[i][0]], at)
        release(i, True, at)

    def fits(receive, message):
        return ops[receive][3] in (-1, ops[message][0]) and ops[receive][4] in (-1, ops[message][4])

    def take(among, fitting):
        for k, i in enumerate(among):
            if fitting(i):
                return among.pop(k)
        return None

    def can_lie(m):
        return ops[m][2] >= S or len(places[lists(ops[m][3], ops[m][0], ops[m][4])]) > 1

    def do(kind, i, now):
        r, what, size, peer, tag, cpu, nic = ops[i]
        if kind == MESSAGE_COMES:
            r, cpu, nic = place_of(i)
            side_free[r, nic, RECV] = now + g + (size - 1) * G
            cpu_free[r, cpu] = now + o + (size - 1) * max(O, G)
            if size >= S:
                finish(i, now + o + L)
            if i in bound:
                finish(bound[i], cpu_free[r, cpu])
            else:
                taken.add(i)
            return
        if what == SEND:
            side_free[r, nic, SEND] = now + g + (size - 1) * G
            cpu_free[r, cpu] = now + o + (size - 1) * O
            heapq.heappush(events, (now + o + L, MESSAGE_COMES, i))
            if size < S:
                finish(i, cpu_free[r, cpu])
        elif what == CALC:
            if size:
                cpu_free[r, cpu] = now + size
            finish(i, now + size)
        else:
            m = take(unexpected.setdefault(lists(r, peer, tag), []), lambda m: fits(i, m))
            if m is None:
                posted.setdefault(lists(r, peer, tag), []).append(i)
            elif m in taken:
                finish(i, now)
            else:
                bound[m] = i
                if can_lie(m):
                    heapq.heappush(events, (now, MESSAGE_COMES, m))
        release(i, False, now)

    def place_of(m):
        if m in bound:
            return ops[bound[m]][0], ops[bound[m]][5], ops[bound[m]][6]
        return next(iter(places[lists(ops[m][3], ops[m][0], ops[m][4])]))

    def offer(kind, i, now):
        r, cpu, side = ops[i][0], ops[i][5], (ops[i][0], ops[i][6], SEND) if ops[i][1] == SEND else None
        if kind == MESSAGE_COMES:
            r, cpu, nic = place_of(i)
            side = (r, nic, RECV)
        own = queues.setdefault((r, cpu), {})
        if not any(own.values()) and max(cpu_free.get((r, cpu), 0), side_free.get(side, 0)) <= now:
            do(kind, i, now)
            return
        own.setdefault(side, []).append((now, kind, i))
        heapq.heappush(events, (now, CPU_LOOKS, r, cpu))

    def look(r, cpu, now):
        while any(queues[r, cpu].values()):
            firsts = [(max(own[0][0], side_free.get(side, 0)), *own[0][1:], side) for side, own in queues[r, cpu].items() if own]
            possible, kind, i, side = min(firsts, key=lambda task: task[:3])
            if max(possible, cpu_free.get((r, cpu), 0)) > now:
                heapq.heappush(events, (max(possible, cpu_free.get((r, cpu), 0)), CPU_LOOKS, r, cpu))
                return
            queues[r, cpu][side].pop(0)
            do(kind, i, now)

    heapq.heapify(events)
    while events:
        now, kind, i, *cpu = heapq.heappop(events)
        if kind == CPU_LOOKS:
            look(i, cpu[0], now)
        elif kind == OPERATION and ops[i][1:3] == (CALC, 0):
            do(kind, i, now)
        elif kind == OPERATION:
            offer(kind, i, now)
        else:
            where = lists(ops[i][3], ops[i][0], ops[i][4])
            receive = bound.get(i)
            if receive is None:
                receive = take(posted.setdefault(where, []), lambda r: fits(r, i))
                if receive is None:
                    unexpected.setdefault(where, []).append(i)
                    if can_lie(i):
                        continue
                else:
                    bound[i] = receive
            offer(kind, i, now)
    return end if all(done) else None


def draw_graph(draw, n_cpus, n_nics):
    n = draw.choice([2, 3, 4, 8, 13, 16, 32, 64])
    sizes = draw.sample([1, 2, 50, 1000, 1001, 3000, 20000], 3)
    ranks, size_of = [([], []) for _ in range(n)], {}

    def add(r, *op):
        ranks[r][0].append([*op, draw.randrange(n_cpus), draw.randrange(n_nics)])

    # All ranks have their operations in a common order of messages, and require earlier ones.
    for _ in range(draw.randint(1, 6) * n):
        a, b = draw.sample(range(n), 2)
        tag = draw.choice([0, 0, 1])
        size = size_of.setdefault((a, b, tag), draw.choice(sizes))  # any two of them may match
        add(a, SEND, size, b, tag)
        add(b, RECV, size, a, tag)
        if draw.random() < 0.5:
            add(draw.choice([a, b]), CALC, draw.choice([0, 1, 500, 5000, 30000]), 0, 0)
    for ops, edges in ranks:
        for to in range(1, len(ops)):
            for frm in draw.sample(range(to), min(to, draw.choice([0, 0, 1, 1, 2]))):
                edges.append((frm, to, draw.random() < 0.7))
    if draw.random() < 0.2:  # a rank that takes what comes
        r = draw.randrange(n)
        for op in (op for ops, _ in ranks for op in ops):
            if op[0] == SEND and op[2] == r:
                op[1] = sizes[0]
        for op in (op for op in ranks[r][0] if op[0] == RECV):
            op[1:4] = sizes[0], -1, op[3] if draw.random() < 0.8 else -1
    return ranks


def write(ranks, first, out):
    for r, (ops, edges) in enumerate(ranks):
        print(f"rank {first + r}{{", file=out)
        for i, (kind, size, peer, tag, cpu, nic) in enumerate(ops):
            if kind == CALC:
                what = f"calc {size}"
            else:
                what = f"{['send', 'recv'][kind]} {size}b {['to', 'from'][kind]} {peer + first if peer >= 0 else -1}" + f" tag {tag}" * (tag != 0)
            print(f"l{i}:{what}" + f" cpu {cpu}" * (cpu != 0) + f" nic {nic}" * (nic != 0 and kind != CALC), file=out)
        for frm, to, ends in edges:
            print(f"l{to} {'requires' if ends else 'irequires'} l{frm}", file=out)
        print("}", file=out)


name, draw, n_graphs = sys.argv[1], random.Random(int(sys.argv[2])), int(sys.argv[3])
n_cpus, n_nics = (1, 1) if draw.random() < 0.7 else (draw.randint(1, 3), draw.randint(1, 2))
network = dict(L=draw.choice([1, 5000, 2500]), o=draw.choice([1, 1000, 2000]), g=draw.choice([1, 1000, 3000]),
               G=draw.choice([1, 2, 6]), O=draw.choice([0, 1, 3]), S=draw.choice([1, 1000, 65535]))
graphs, ends = [], []
while len(graphs) < n_graphs:
    ranks = draw_graph(draw, n_cpus, n_nics)
    end = simulate(ranks, n_cpus, n_nics, **network)
    if end is not None:  # with rendezvous, some wait forever
        graphs.append(ranks)
        ends += end
with open(f"{name}.goal", "w") as out:
    print("num_ranks", len(ends), file=out)
    first = 0
    for ranks in graphs:
        write(ranks, first, out)
        first += len(ranks)
print(",".join(f"{k}={v}" + "ns" * (k != "S") for k, v in network.items()), *ends, sep="\n")
