"""Compares the text form of two runs of HPL: hpl_skipped.py COMPLETE SKIPPED (see hpl_skipped.sh)."""
import collections
import sys


def read(path):
    """Calls by rank and name; work by kernel; bytes sent."""
    calls, work, sent = collections.Counter(), collections.Counter(), 0
    for line in open(path):
        words = line.split()
        if len(words) < 3 or not words[0].isdigit() or not words[1].isdigit():
            continue
        rank, name = words[0], words[2]
        slots = dict(w.split("=", 1) for w in words[3:] if "=" in w)
        if name.startswith("MPI_"):
            if name != "MPI_Iprobe":
                calls[rank, name] += 1
            if name.endswith("end"):  # Send, Ssend, Isend, Issend
                sent += int(slots.get("count", 0)) * int(slots.get("type_bytes", 0))
        elif name != "user":
            product = 1
            for size in ("m", "n", "k", "order"):
                product *= int(slots.get(size, 1))
            work[name] += product
    return calls, work, sent


# HPL sends no rows where the pivots leave none to send.
OF_SWAPS = ("MPI_Send", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Ssend", "MPI_Issend")
complete, skipped = read(sys.argv[1]), read(sys.argv[2])
failed = False
print("%-16s %14s %14s" % ("", "complete", "skipped"))
for name in sorted({name for _, name in complete[0] | skipped[0]}):
    counts = [sum(n for (_, other), n in run[0].items() if other == name) for run in (complete, skipped)]
    ranks = [rank for rank, other in complete[0] | skipped[0]
             if other == name and complete[0][rank, name] != skipped[0][rank, name]]
    failed |= abs(counts[1] - counts[0]) > (0.01 * counts[0] if name in OF_SWAPS else 0) or (
        bool(ranks) and name not in OF_SWAPS)
    print("%-16s %14d %14d%s" % (name, *counts, "  differs on %d ranks" % len(ranks) if ranks else ""))
for name in sorted(complete[1] | skipped[1]):
    works = complete[1][name], skipped[1][name]
    failed |= works[0] != works[1]
    print("%-16s %14d %14d%s" % (name, *works, "  differs" if works[0] != works[1] else ""))
off = skipped[2] / complete[2] - 1
failed |= abs(off) > 0.01
print("%-16s %14d %14d  %+.3f %%" % ("bytes sent", complete[2], skipped[2], 100 * off))
print("differs" if failed else "equal, but for what the pivots decide")
sys.exit(failed)
