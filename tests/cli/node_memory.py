"""node_memory.py TIMELESS ENGINE PLATFORM RANKS PER_HOST FILE...: the laws of node_memory.sh, for tables of `timeless study collectives`."""
import collections
import csv
import os
import re
import subprocess
import sys

timeless, engine, platform, ranks, per_host = *sys.argv[1:4], int(sys.argv[4]), int(sys.argv[5])
folder, _, calibration = os.path.join(os.environ["TIMELESS_PLATFORMS"], platform).partition("@")
options = open(f"{folder}/options.conf").read()
if os.path.exists(own := f"{folder}/calibrations/{calibration}/options.conf"):
    options += open(own).read()
memory_Bps = float(re.search("^timeless/memory-bandwidth:(.*)", options, re.M)[1])
# Bytes that ranks receive at least, in bytes of the call.
LEAST = {"allgather": ranks * (ranks - 1), "alltoall": ranks * (ranks - 1), "allreduce": ranks, "reduce_scatter": ranks - 1,
         "bcast": ranks - 1, "reduce": ranks - 1, "gather": ranks - 1, "scatter": ranks - 1}
# Algorithms that divide few bytes among the ranks send messages of 0 bytes in other places.
ROUNDING = 2e-3
# SimGrid overlaps the overheads of long messages with copies: where one copy replaces two, it may take so much less.
PROTOCOL = 0.15 if engine == "smpi" else 0


def message_s(size):
    with open("message.skel", "w") as out:
        out.write(f"skeleton 1\nranks 2\nif rank {{\nMPI_Recv peer=0 count={size}\n}} else {{\nMPI_Send peer=1 count={size}\n}}\n")
    return float(subprocess.run([timeless, "replay", "-q", "message.skel", "-p", platform, "--ranks-per-host", "1", "--engine", engine],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)


# Between nodes: by how much one message falls where the platform states another protocol, or else where SMPI has other factors.
if "smpi/bw-factor:" not in options:
    options += "smpi:257;732;1426;3484;5776;9376;15424;65472;\n"
falls = {n: 1 - message_s(n + 32) / message_s(n - 32)
         for n in {int(n) for n in re.findall(r"[:;](\d+)(?=[:;\n])", "".join(re.findall(r"^smpi.*\n", options, re.M)))} if n > 32 and per_host == 1}


def may_fall(before, at):
    """The messages of an algorithm have the bytes of the call, a part of them, or those of all ranks."""
    return max([0] + [fall for n, fall in falls.items() if before / ranks <= n + 32 and n - 32 <= at * ranks]) if falls else PROTOCOL


def changes_itself(operation, algorithm, sizes):
    """A rule, an algorithm that has one inside, or one that chooses other segments: it falls between nodes of another
    platform, too, where this has an effect."""
    if algorithm.startswith("rule ") or algorithm in ("ompi_pipeline", "ompi_split_bintree"):
        return True
    if engine == "smpi" and (operation, algorithm) == ("reduce", "ompi_binomial"): # 1 KiB, or one piece
        return True
    other = "fat-tree" if platform == "star-1g" and per_host == 1 else "star-1g"
    subprocess.run([timeless, "study", "collectives", "--op", operation, "--algorithms", algorithm, "--ranks", str(ranks),
                    "--bytes", ",".join(map(str, sizes)), "-p", other, "--ranks-per-host", "1", "--engine", engine,
                    "--csv", "apart.csv"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    times = {int(r["bytes"]): float(r["makespan_s"]) for r in csv.DictReader(open("apart.csv")) if r["algorithm"] == algorithm}
    return times[sizes[1]] < times[sizes[0]] * (1 - ROUNDING)


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
            if seconds < before[1] * (1 - ROUNDING - may_fall(before[0], at)) and not changes_itself(operation, algorithm, (before[0], at)):
                broken.append(f"{operation} {algorithm}: {before[0]} B {before[1]:.6g} s, {at} B {seconds:.6g} s")
            if seconds < least * (1 - ROUNDING):
                broken.append(f"{operation} {algorithm}: {at} B {seconds:.6g} s, the memory needs {least:.6g} s")
            before = (at, seconds)
print(points, "points, broken:", len(broken))
print("\n".join("  " + line for line in broken))
sys.exit(bool(broken) or not points)
