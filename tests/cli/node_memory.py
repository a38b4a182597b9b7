"""node_memory.py TIMELESS ENGINE RANKS BYTES_PER_S FILE...: the laws of node_memory.sh, for tables of `timeless study collectives`."""
import collections
import csv
import subprocess
import sys

timeless, engine, ranks, memory_Bps = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
# Bytes that ranks receive at least, in bytes of the call.
LEAST = {"allgather": ranks * (ranks - 1), "alltoall": ranks * (ranks - 1), "allreduce": ranks, "reduce_scatter": ranks - 1,
         "bcast": ranks - 1, "reduce": ranks - 1, "gather": ranks - 1, "scatter": ranks - 1}
# Algorithms that divide few bytes among the ranks send messages of 0 bytes in other places.
ROUNDING = 2e-3
# SimGrid overlaps the overheads of long messages with copies: where one copy replaces two, it may take so much less.
PROTOCOL = 0.15 if engine == "smpi" else 0


def changes_itself(operation, algorithm, sizes):
    """A rule, an algorithm that has one inside, or one that chooses other segments: it falls between nodes, too."""
    if algorithm.startswith("rule "):
        return True
    subprocess.run([timeless, "study", "collectives", "--op", operation, "--algorithms", algorithm, "--ranks", str(ranks),
                    "--bytes", ",".join(map(str, sizes)), "-p", "star-1g", "--ranks-per-host", "1", "--engine", engine,
                    "--csv", "apart.csv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times = {int(r["bytes"]): float(r["makespan_s"]) for r in csv.DictReader(open("apart.csv")) if r["algorithm"] == algorithm}
    return times[sizes[1]] < times[sizes[0]] * (1 - ROUNDING)


points, broken = 0, []
for name in sys.argv[5:]:
    curves = collections.defaultdict(list)
    for row in csv.DictReader(open(name)):
        if row["makespan_s"]:
            curves[row["operation"], row["algorithm"]].append((int(row["bytes"]), float(row["makespan_s"])))
    for (operation, algorithm), curve in curves.items():
        before = (0, 0)
        for at, seconds in sorted(curve):
            points += 1
            least = 2 * LEAST[operation] * at / memory_Bps
            if seconds < before[1] * (1 - ROUNDING - PROTOCOL) and not changes_itself(operation, algorithm, (before[0], at)):
                broken.append(f"{operation} {algorithm}: {before[0]} B {before[1]:.6g} s, {at} B {seconds:.6g} s")
            if seconds < least * (1 - ROUNDING):
                broken.append(f"{operation} {algorithm}: {at} B {seconds:.6g} s, the memory needs {least:.6g} s")
            before = (at, seconds)
print(points, "points, broken:", len(broken))
print("\n".join("  " + line for line in broken))
sys.exit(bool(broken) or not points)
