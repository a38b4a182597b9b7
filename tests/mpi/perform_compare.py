"""perform_compare.py PRINT_EVENTS TRACE PERFORMED RANKS: does the trace of a performance contain the performed calls?

What is expected to differ: kernels are no calls; a receive from any source is performed as one from the source that it
had in the run, a persistent one anew for each start; two constructors are performed by others with the same result.
"""
import re
import subprocess
import sys

print_events, trace, performed, ranks = sys.argv[1:]
RENAMED = {"MPI_Comm_split_type": "MPI_Comm_split", "MPI_Dist_graph_create": "MPI_Dist_graph_create_adjacent"}
MADE = "{source} {tag}"


def lines_of(path, rank):
    return subprocess.run([print_events, path, str(rank)], check=True, capture_output=True, text=True).stdout.splitlines()


def value(line, slot):
    found = re.search(rf" {slot}=(\S+)", line)
    return found and found.group(1)


def is_open(line):
    return line.startswith(("MPI_Irecv ", "MPI_Recv_init ")) and (value(line, "peer") == "any" or value(line, "tag") == "any") \
        and value(line, "peer") != "null"


def with_source(line, source, tag):
    """The receive as it is performed."""
    line = re.sub(r" peer=\S+", f" peer={source}", line)
    return re.sub(r" tag=any", f" tag={tag}", line)


def expected(lines):
    out, pending, persistent = [], {}, {}
    for line in lines:
        name = line.split(" ", 1)[0]
        if name == "Match":
            at = pending.pop(value(line, "request"), None)
            if at is not None:
                source = value(line, "peer")
                out[at] = with_source(out[at], source, "any" if source == "null" else value(line, "tag"))
            continue
        if not name.startswith("MPI_") and name not in ("comm", "Sleep", "end"):
            continue
        if name in RENAMED:
            line = line.replace(name, RENAMED[name], 1)
        request = value(line, "request")
        if name.endswith("_init"): # the number may have been that of a receive before
            persistent.pop(request, None)
        if name == "MPI_Recv_init" and is_open(line):
            persistent[request] = line
        elif name == "MPI_Irecv" and is_open(line):
            pending[request] = len(out)
        started = [request] if name == "MPI_Start" else (value(line, "list") or "[]").strip("[]").split(",") \
            if name == "MPI_Startall" else []
        for request in started:
            if request in persistent:
                out.append(f"MPI_Request_free request={request}")
                pending[request] = len(out)
                out.append(persistent[request])
        out.append(line)
    for at in pending.values(): # never completed: it takes nothing
        out[at] = with_source(out[at], "null", "any")
    return out


for rank in range(int(ranks)):
    want, got = expected(lines_of(trace, rank)), lines_of(performed, rank)
    for i in range(max(len(want), len(got))):
        a, b = (x[i] if i < len(x) else "nothing" for x in (want, got))
        if a != b:
            sys.exit(f"rank {rank}, call {i}: traced '{a}', performed '{b}'")
