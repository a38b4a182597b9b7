#!/usr/bin/env python3
"""Two naive predictions of rows: naive.py ROWS IDEAL.json IDEAL.csv HOCKNEY.json BYTES_PER_S

ROWS has the name of a row on each line, as timeless compare prints it: the time between two marks.  IDEAL.json and
IDEAL.csv are prediction and timeline of a replay with a network that takes no time, HOCKNEY.json is the prediction of
one in which a message of n bytes takes L + n / BYTES_PER_S.  Prints for each row, separated by a tab:
  - bytes over bandwidth: what the busiest host sends or receives in the row, whichever is more, / BYTES_PER_S, + the
    row in IDEAL.json: its computation.  Each rank has a host.  A collective counts as the data of its arguments,
    whatever its algorithm: this predictor knows none
  - Hockney: the row in HOCKNEY.json
Exit code 3: a call of the row cannot be counted, or a row is not in the predictions."""
import collections
import csv
import json
import sys

SENDS = {"MPI_" + how for how in "Send Isend Ssend Issend Bsend Ibsend Rsend Irsend Sendrecv Sendrecv_replace".split()}
RECEIVES = {"MPI_Recv", "MPI_Irecv"}


def fail(reason):
    print(f"naive.py: {reason}", file=sys.stderr)
    sys.exit(3)


def mark_seconds(path):
    """{name of a mark: seconds by rank}"""
    with open(path) as file:
        return {f"{m['call']} {m['site']} #{m['ordinal']}": m["predicted_s"] for m in json.load(file)["marks"]}


def sent_and_received(call, size, root, rank, n_ranks):
    """bytes that the collective's arguments require of a rank's link; n_ranks: None if not known"""
    if call == "MPI_Bcast":
        return (size, 0) if rank == root else (0, size)
    if call == "MPI_Reduce":
        return (0, size) if rank == root else (size, 0)
    if call == "MPI_Allreduce":
        return size, size
    if call == "MPI_Alltoall" and n_ranks:
        return (n_ranks - 1) * size, (n_ranks - 1) * size
    fail(f"{call}: its bytes are not counted" + ("" if n_ranks else " on a part of the ranks"))


def bytes_at_marks(path, marks, n_ranks):
    """{mark: by rank, (bytes sent before it, {receiver: bytes before it})}; a message counts where it is sent"""
    sent = [0] * n_ranks
    to = [collections.Counter() for _ in sent]
    ordinals = collections.Counter()
    at = collections.defaultdict(dict)
    with open(path, newline="") as file:
        for state in csv.DictReader(file):
            rank, call, size = int(state["rank"]), state["call"], int(state["bytes"])
            place = f"{call} {state['site']}"
            if call == "MPI_Wtime":
                mark = f"{place} #{ordinals[rank, place]}"
                ordinals[rank, place] += 1
                if mark in marks:
                    at[mark][rank] = sent[rank], to[rank].copy()
            elif size and call in SENDS:
                if int(state["peer"]) != rank:
                    sent[rank] += size
                    to[rank][int(state["peer"])] += size
            elif size and state["state"] == "collective":
                members = n_ranks if state["communicator"] == "0" else None
                out, into = sent_and_received(call, size, int(state["peer"] or -1), rank, members)
                sent[rank] += out
                to[rank][rank] += into
            elif size and call.startswith("MPI_") and call not in RECEIVES:
                fail(f"{call}: its bytes are not counted")
    return at


def busiest(begin, end, n_ranks):
    received = collections.Counter()
    for rank in range(n_ranks):
        received.update(end[rank][1] - begin[rank][1])
    return max(max(end[rank][0] - begin[rank][0], received[rank]) for rank in range(n_ranks))


def main():
    names, ideal_json, ideal_csv, hockney_json, rate = sys.argv[1:]
    with open(names) as file:
        rows = [line.rstrip("\n").split(" .. ") for line in file]
    ideal, hockney = mark_seconds(ideal_json), mark_seconds(hockney_json)
    n_ranks = len(next(iter(ideal.values())))
    for mark in sum(rows, []):
        if mark not in ideal or mark not in hockney:
            fail(f"{names}: the mark {mark} is not in the predictions")
    counted = bytes_at_marks(ideal_csv, {mark for row in rows for mark in row}, n_ranks)
    for a, b in rows:
        computation, messages = (max(end - begin for begin, end in zip(s[a], s[b])) for s in (ideal, hockney))
        print(f"{busiest(counted[a], counted[b], n_ranks) / float(rate) + computation:.9g}\t{messages:.9g}")


main()
