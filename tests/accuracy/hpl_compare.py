#!/usr/bin/env python3
"""Compare the events that "hpl:..." makes with those of a real run of HPL, rank by rank.

    timeless dump RUN.tl >run.txt; timeless dump hpl:... >made.txt
    hpl_compare.py run.txt made.txt

The run's events are those between the two calls of MPI_Wtime around HPL_pdgesv: of all such intervals
the one with most messages of HPL_pdfact (tag 1001) and calls of dgemm.  Compared are

  - the messages of the panels' broadcasts (their tags begin at 2001), one by one;
  - all other messages, one by one.  Sizes of those that exchange rows (HPL_pdlaswp*) depend on the
    pivots and are counted apart; where a pivot moves no row at all, a message is absent;
  - the bytes of all messages, to 1 %;
  - the kernels: what dgemm and dtrsm do, which pieces they are cut into depends on when a panel came;
    the others call by call.  The copies of HPL_pdmxswp (dcopy) follow the pivots, and are not compared.

Prints a line; exits with 3 if anything else differs.
"""
import collections
import difflib
import re
import sys

LEVEL = {"dgemm", "dtrsm"}
LOOSE = {"dcopy"}
SHORT = {"daxpy", "dscal", "idamax"}  # on vectors: recorded by --kernels=all alone


def fields(words):
    return dict(w.split("=", 1) for w in words if "=" in w)


def expand(text):
    ranks = []
    for part in text.strip("[]").split(","):
        bounds, _, step = part.partition("/")
        bounds = [int(x) for x in bounds.split("-")]
        ranks += range(bounds[0], bounds[-1] + 1, int(step or 1))
    return ranks


class Rank:
    def __init__(self):
        self.columns, self.rows = [], []  # (call, peer, tag, bytes, exchanges rows)
        self.work = collections.Counter()
        self.calls = collections.Counter()
        self.bytes = 0
        self.weight = 0


def message(rank, call, e, peer, is_swap, requests):
    if call == "MPI_Wait":
        began = requests.pop(e["request"], None)
        if began:
            began[0].append(("MPI_Wait",) + began[1])
        return
    size = int(e["count"]) * int(e["type_bytes"])
    entry = (call, peer, int(e["tag"]), size, is_swap)
    rank.weight += entry[2] == 1001
    to = rank.rows if 2001 <= entry[2] <= 3000 else rank.columns
    to.append(entry)
    if "request" in e:
        requests[e["request"]] = (to, entry[1:])
    if "end" in call.lower():
        rank.bytes += size


def kernel(rank, name, e):
    sizes = tuple(int(e[k]) for k in ("m", "n", "k", "order") if k in e)
    work = 1
    for size in sizes:
        work *= size
    if not work:
        return
    rank.weight += name == "dgemm"
    if name in LEVEL:
        rank.work[name] += work
    elif name not in LOOSE:
        rank.calls[(name,) + sizes] += 1


def read(path):
    """The ranks of a dump; is_run: of a run, not of a program."""
    ranks, comms, swap_sites, current, requests, is_run = [], {}, set(), None, {}, True
    for line in open(path):
        words = line.split()
        if words[0] == "rank":
            current, comms, requests = Rank(), {"1": None}, {}
            ranks.append(Rank())
        elif words[0] == "site" and 'object="HPL_' in line:
            is_run = False
            if "HPL_pdlaswp" in line:
                swap_sites.add(words[1])
        elif words[0] == "comm":
            comms[words[1]] = expand(fields(words)["members"])
        elif words[0].isdigit():
            call, e = words[2], fields(words[3:])
            if call in ("MPI_Wtime", "MPI_Barrier", "MPI_Finalize"):
                if current.weight > ranks[-1].weight:
                    ranks[-1] = current
                current, requests = Rank(), {}
            elif "any" in (e.get("peer"), e.get("tag")):
                continue  # HPL has no wildcards; the other parts of hpcc do
            elif call in ("MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Ssend", "MPI_Issend"):
                peer = int(e.get("peer", -1))
                members = comms.get(e.get("comm", "1"))
                peer = members[peer] if members and peer >= 0 else peer
                message(current, call, e, peer, e["site"] in swap_sites, requests)
            elif not call.startswith("MPI_") and call not in ("user", "Match"):
                kernel(current, call, e)
    return ranks, is_run


def alike(run, made):
    return run[:3] == made[:3] and (made[4] or run[3] == made[3])


class Result:
    def __init__(self):
        self.n = self.resized = self.absent = 0
        self.wrong = []


def resynchronise(run, made, i, j, result):
    """Past a message that one of the two lacks."""
    window = 64
    a = [m[:3] for m in run[i : i + window]]
    b = [m[:3] for m in made[j : j + window]]
    match = difflib.SequenceMatcher(None, a, b, False).find_longest_match(0, len(a), 0, len(b))
    if not match.size:
        return len(run), len(made)
    for m in made[j : j + match.b]:
        if not m[4]:
            result.wrong.append(("made", m))
    result.absent += match.a + match.b
    return i + match.a, j + match.b


def compare(run, made, result):
    i = j = 0
    while i < len(run) and j < len(made):
        if alike(run[i], made[j]):
            result.n += 1
            result.resized += run[i][3] != made[j][3]
            i, j = i + 1, j + 1
            continue
        before = i, j
        i, j = resynchronise(run, made, i, j, result)
        if (i, j) == before or i - before[0] > 12 or j - before[1] > 12:
            result.wrong.append(("run", run[before[0]], "made", made[before[1]]))
            return
    for rest in run[i:] + made[j:]:
        result.wrong.append(("rest", rest))


def main():
    (run, is_run), (made, is_made_run) = read(sys.argv[1]), read(sys.argv[2])
    if not is_run or is_made_run or len(run) != len(made):
        sys.exit("give the dump of a run and that of a program of as many ranks")
    has_short = any(call[0] in SHORT for a in run for call in a.calls)
    for b in made:
        b.calls = collections.Counter({c: n for c, n in b.calls.items() if has_short or c[0] not in SHORT})
    columns, rows, wrong, sent = Result(), Result(), [], [0, 0]
    for number, (a, b) in enumerate(zip(run, made)):
        compare(a.columns, b.columns, columns)
        compare(a.rows, b.rows, rows)
        if a.work != b.work:
            wrong.append((number, "work", dict(a.work), dict(b.work)))
        if a.calls != b.calls:
            wrong.append((number, "kernels", dict(a.calls - b.calls), dict(b.calls - a.calls)))
        sent[0] += a.bytes
        sent[1] += b.bytes
    wrong += columns.wrong + rows.wrong
    if rows.resized or rows.absent:
        wrong.append(("panels differ in size", rows.resized, rows.absent))
    off = sent[1] / sent[0] - 1 if sent[0] else 0.0
    if abs(off) > 0.01:
        wrong.append(("bytes", sent))
    if columns.absent > 0.02 * columns.n + 8:
        wrong.append(("messages on one side alone", columns.absent))
    print(
        "%d panel messages, %d others: %d identical, %d of another size, %d on one side alone; "
        "bytes %+.2f %%; %s"
        % (rows.n, columns.n, columns.n - columns.resized, columns.resized, columns.absent,
           100 * off, "%d differences" % len(wrong) if wrong else "kernels equal")
    )
    for w in wrong[:8]:
        print("  ", re.sub(r"\s+", " ", str(w))[:300])
    sys.exit(3 if wrong else 0)


main()
