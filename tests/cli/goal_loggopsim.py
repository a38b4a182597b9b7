# goal_loggopsim.py NAME SEED N: N random graphs of operations side by side, as NAME.goal. Standard output: the parameters of the
# network, then for each rank the nanoseconds at which it ends in LogGOPSim. The simulator below does what LogGOPSim does, in the
# simplest way: one queue for all ranks, by time and insertion; what finds its CPU or interface busy is inserted again; lists of
# messages and receives, searched from the front. (Messages of 0 bytes are left out, because LogGOPSim has an underflow there;
# operations that become ready together are sorted by a stable sort.)
import heapq
import random
import sys

SEND, RECV, CALC, MESSAGE = range(4)


def simulate(ranks, n_cpus, n_nics, L, o, g, G, O, S):
    # ranks: (operations, edges); an operation is [kind, size, partner, tag, cpu, nic], an edge (from, to, whether from must end)
    n = len(ranks)
    cpu = [[0] * n_cpus for _ in range(n)]
    sends_until, receives_until = [[0] * n_nics for _ in range(n)], [[0] * n_nics for _ in range(n)]
    unmet = [[0] * len(ops) for ops, _ in ranks]
    for r, (_, edges) in enumerate(ranks):
        for _, to, _ in edges:
            unmet[r][to] += 1
    posted, unexpected = [[] for _ in range(n)], [[] for _ in range(n)]
    queue, inserted, done = [], 0, [0] * n
    waiting = [[[] for _ in ops] for ops, _ in ranks]
    for r, (_, edges) in enumerate(ranks):
        for frm, to, ends in edges:
            waiting[r][frm].append((to, ends))
    free = [[i for i in range(len(ops)) if not unmet[r][i]] for r, (ops, _) in enumerate(ranks)]

    def insert_free(r):
        nonlocal inserted
        for i in sorted(free[r], key=lambda i: ranks[r][0][i][0]):
            kind, size, peer, tag, c, nic = ranks[r][0][i]
            heapq.heappush(queue, (max(cpu[r][c], sends_until[r][nic] if kind == SEND else 0), inserted, kind, r, i, size, peer, tag, c, nic))
            inserted += 1
        free[r] = []

    def release(r, i, ended):
        for to, ends in waiting[r][i]:
            if ends == ended:
                unmet[r][to] -= 1
                if not unmet[r][to]:
                    free[r].append(to)

    def end(r, i):
        done[r] += 1
        release(r, i, True)

    def take(lst, source, tag):
        for k, (s, t, i) in enumerate(lst):
            if (-1 in (s, source) or s == source) and (-1 in (t, tag) or t == tag):
                return lst.pop(k)
        return None

    def answer(r, i, c, nic, now):  # the sender of a long message
        end(r, i)
        cpu[r][c], sends_until[r][nic] = max(cpu[r][c], now), max(sends_until[r][nic], now)

    for r in range(n):
        insert_free(r)
    while queue:
        now, number, kind, r, i, size, peer, tag, c, nic = heapq.heappop(queue)
        touched = {r}
        until = {SEND: sends_until, MESSAGE: receives_until}.get(kind)
        possible = max(cpu[r][c], until[r][nic] if until else 0)
        if kind != RECV and possible > now:
            heapq.heappush(queue, (possible, number, kind, r, i, size, peer, tag, c, nic))
            continue
        if kind == CALC:
            cpu[r][c] = now + size
            release(r, i, False)
            end(r, i)
        elif kind == SEND:
            release(r, i, False)
            cpu[r][c] = now + o + (size - 1) * O
            sends_until[r][nic] = now + g + (size - 1) * G
            heapq.heappush(queue, (now + o + L, inserted, MESSAGE, peer, i, size, r, tag, c, nic))
            inserted += 1
            if size <= S:
                end(r, i)
        elif kind == RECV:
            release(r, i, False)
            message = take(unexpected[r], peer, tag)
            if message:
                if size > S:
                    answer(message[0], message[2], c, nic, now)
                    touched.add(message[0])
                end(r, i)
            else:
                posted[r].append((peer, tag, i))
        else:
            cpu[r][c] = now + o + (size - 1) * max(O, G)
            receives_until[r][nic] = now + g + (size - 1) * G
            receive = take(posted[r], peer, tag)
            if receive:
                if size > S:
                    answer(peer, i, c, nic, now)
                    touched.add(peer)
                end(r, receive[2])
            else:
                unexpected[r].append((peer, tag, i))
        for t in sorted(touched):
            insert_free(t)
    return [max(c) for c in cpu] if done == [len(ops) for ops, _ in ranks] else None


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
