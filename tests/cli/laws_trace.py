"""laws_trace.py SEED: writes the text of a random trace that is correct: the ranks pass the same steps, which
compute, exchange with neighbours, blocking or not, and call collectives on all or half of the ranks."""
import random
import sys

rng = random.Random(int(sys.argv[1]))
n = rng.choice([2, 4, 6, 8])
lines = [[] for _ in range(n)]
numbers = [0] * n


def call(rank, text):
    volume = rng.choice([0, 0, rng.randrange(10 ** 6), rng.randrange(10 ** 8)])
    lines[rank].append(f"{rank} {numbers[rank]} MPI_{text} volume={volume}")
    numbers[rank] += 1


def size():
    return f"count={rng.choice([0, 1, 7, 500, 20000, 300000])} type_bytes={rng.choice([1, 4, 8])}"


def shift():
    bytes_, distance, tag = size(), rng.randrange(1, n), rng.randrange(3)
    blocking = rng.random() < 0.3
    for r in range(n):
        to, back = (r + distance) % n, (r - distance) % n
        if blocking:
            recv = bytes_.replace("count", "recv_count").replace("type", "recv_type")
            call(r, f"Sendrecv {bytes_} peer={to} tag={tag} {recv} recv_peer={back} recv_tag={tag} comm=1")
            continue
        call(r, f"Irecv {bytes_} peer={back} tag={tag} comm=1 request=1")
        call(r, f"{rng.choice(['Isend', 'Issend'])} {bytes_} peer={to} tag={tag} comm=1 request=2")
        if rng.random() < 0.5:
            call(r, "Waitall list=[2,1]")
        else:
            call(r, "Wait request=1")
            call(r, "Wait request=2")


def collective():
    comm = rng.choice([1, 1, 3])
    bytes_ = size()
    recv = bytes_.replace("count", "recv_count").replace("type", "recv_type")
    name = rng.choice(["Bcast", "Reduce", "Allreduce", "Allgather", "Alltoall", "Scan", "Ibcast", "Iallreduce"])
    root = rng.randrange(n if comm == 1 else n // 2)
    for r in range(n):
        text = f"{name} {bytes_}"
        if name in ("Allgather", "Alltoall"):
            text += " " + recv
        if name in ("Bcast", "Reduce", "Ibcast"):
            text += f" peer={root}"
        text += f" comm={comm}"
        call(r, text + (" request=1" if name[0] == "I" else ""))
        if name[0] == "I":
            call(r, "Wait request=1")


for r in range(n):
    call(r, "Init clock_ns=0")
    call(r, "Comm_split comm=1 new_comm=3")
for _ in range(rng.randrange(5, 30)):
    rng.choice([shift, collective])()
for r in range(n):
    call(r, "Finalize clock_ns=0")
print(f'timeless-text 1\nranks {n}\nvolume_unit "cpu-ns"')
for r in range(n):
    half = f"[0-{n // 2 - 1}]" if r < n // 2 else f"[{n // 2}-{n - 1}]"
    print(f'rank {r} host="h"\ncomm 3 parent=1 call=MPI_Comm_split members={half}')
    print("\n".join(lines[r]))
    print("end finalized clock_ns=0")
