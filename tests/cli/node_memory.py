"""node_memory.py TIMELESS ENGINE PLATFORM RANKS PER_HOST FILE...: the laws of node_memory.sh, for tables of `timeless study collectives`."""
import collections
import csv
import functools
import math
import os
import re
import subprocess
import sys

timeless, engine, platform, ranks, per_host = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])


def options_of(name):
    """The options.conf of a platform; that of a calibration replaces it."""
    folder, _, calibration = os.path.join(os.environ["TIMELESS_PLATFORMS"], name).partition("@")
    own = f"{folder}/calibrations/{calibration}/options.conf"
    with open(own if os.path.exists(own) else f"{folder}/options.conf") as lines:
        return lines.read()


memory_Bps = float(re.search("^timeless/memory-bandwidth:(.*)", options_of(platform), re.M)[1])
# Bytes that ranks receive at least, in bytes of the call.
LEAST = {"allgather": ranks * (ranks - 1), "alltoall": ranks * (ranks - 1), "allreduce": ranks, "reduce_scatter": ranks - 1,
         "bcast": ranks - 1, "reduce": ranks - 1, "gather": ranks - 1, "scatter": ranks - 1}
# Algorithms that divide few bytes among the ranks send messages of 0 bytes in other places.
ROUNDING = 2e-3
# SimGrid overlaps the overheads of long messages with copies: where one copy replaces two, it may take so much less.
PROTOCOL = 0.15 if engine == "smpi" else 0


def message_s(name, size):
    with open("message.skel", "w") as out:
        out.write(f"skeleton 1\nranks 2\nif rank {{\nMPI_Recv peer=0 count={size}\n}} else {{\nMPI_Send peer=1 count={size}\n}}\n")
    return float(subprocess.run([timeless, "replay", "-q", "message.skel", "-p", name, "--ranks-per-host", "1", "--engine", engine],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


@functools.lru_cache(maxsize=None)
def falls_of(name):
    """Between nodes: by how much one message falls where the platform states another protocol, or else where SMPI has other factors."""
    options = options_of(name)
    if "smpi/bw-factor:" not in options:
        options += "smpi:257;732;1426;3484;5776;9376;15424;65472;\n"
    sizes = {int(n) for n in re.findall(r"[:;](\d+)(?=[:;\n])", "".join(re.findall(r"^smpi.*\n", options, re.M)))}
    return {n: 1 - message_s(name, n + 32) / message_s(name, n - 32) for n in sizes if n > 32}


def may_fall(name, before, at):
    """Between nodes: the messages of an algorithm have the bytes of the call, a part of them, or those of all ranks."""
    return max([0] + [fall for n, fall in falls_of(name).items() if before / ranks <= n + 32 and n - 32 <= at * ranks])


def segment(operation, algorithm, size):
    """In pieces of how many bytes an algorithm sends a call, if this depends on the bytes; infinite: one piece, or by another
    algorithm. From SimGrid 3.32's reduce-ompi.cpp, bcast-ompi-pipeline.cpp and bcast-ompi-split-bintree.cpp; LogGOPS has the two
    broadcasts, and reduces in one piece."""
    if (operation, algorithm) == ("bcast", "ompi_split_bintree"):
        piece = 1024 if size < 370728 else 8192
        return piece if piece <= size // 2 else math.inf
    if (operation, algorithm) == ("bcast", "ompi_pipeline"):
        rules = (128, 1.6134e-6, 2.1102), (64, 2.3679e-6, 1.1787), (16, 3.2118e-6, 8.7936), (128, 0, math.inf)
        return next(1024 * kib for kib, a, b in rules if ranks < a * size + b)
    if engine == "smpi" and (operation, algorithm) == ("reduce", "ompi_pipeline"):
        rules = (1, 0.0410 / 1024, 9.7128), (32, 0.0033 / 1024, 1.6761), (64, 0, -math.inf)
        return next(1024 * kib for kib, a, b in rules if ranks > a * size + b)
    if engine == "smpi" and (operation, algorithm) == ("reduce", "ompi_binomial"):
        is_whole = (ranks < 8 and size < 20480) or size < 2048
        return 1024 if not is_whole and ranks > 0.6016 / 1024 * size + 1.3496 else math.inf
    return math.inf


def changes_itself(operation, algorithm, sizes):
    """A rule, an algorithm that sends other pieces, or one that has another one inside: it falls between nodes of another
    platform, too, by more than a message does there."""
    if algorithm.startswith("rule "):
        return True
    pieces = [segment(operation, algorithm, size) for size in sizes]
    if pieces[0] != pieces[1] and (pieces[0] < sizes[0] or pieces[1] < sizes[1]):
        return True
    other = "fat-tree" if platform == "star-1g" and per_host == 1 else "star-1g"
    subprocess.run([timeless, "study", "collectives", "--op", operation, "--algorithms", algorithm, "--ranks", str(ranks),
                    "--bytes", ",".join(map(str, sizes)), "-p", other, "--ranks-per-host", "1", "--engine", engine,
                    "--csv", "apart.csv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times = {int(r["bytes"]): float(r["makespan_s"]) for r in csv.DictReader(open("apart.csv")) if r["algorithm"] == algorithm}
    return times[sizes[1]] < times[sizes[0]] * (1 - ROUNDING - may_fall(other, *sizes))


points, broken = 0, []
for name in sys.argv[6:]:
    curves = collections.defaultdict(list)
    for row in csv.DictReader(open(name)):
        if row["makespan_s"]:
            curves[row["operation"], row["algorithm"]].append((int(row["bytes"]), float(row["makespan_s"])))
    for (operation, algorithm), curve in curves.items():
        before = (0, 0)
        for at, seconds in sorted(curve):
            points += 1
            least = 2 * LEAST[operation] * at / memory_Bps if per_host == ranks else 0
            fall = may_fall(platform, before[0], at) if per_host == 1 else PROTOCOL
            if seconds < before[1] * (1 - ROUNDING - fall) and not changes_itself(operation, algorithm, (before[0], at)):
                broken.append(f"{operation} {algorithm}: {before[0]} B {before[1]:.6g} s, {at} B {seconds:.6g} s")
            if seconds < least * (1 - ROUNDING):
                broken.append(f"{operation} {algorithm}: {at} B {seconds:.6g} s, the memory needs {least:.6g} s")
            before = (at, seconds)
print(points, "points, broken:", len(broken))
print("\n".join("  " + line for line in broken))
sys.exit(bool(broken) or not points)
