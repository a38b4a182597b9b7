# goal_order.py SEED [KIND]: a random program of point-to-point messages, as the text form of a trace.
# All ranks make their calls in one common order of messages, so no program waits forever, whatever is sent by rendezvous.
# KIND: letters for what may occur: w waits in the middle, c computation.
import random
import sys

seed, kind = int(sys.argv[1]), "".join(sys.argv[2:])
draw = random.Random(seed)
n_ranks, n_messages = draw.randint(2, 4), draw.randint(3, 14)
sizes = draw.sample([1, 200, 999, 1000, 3000, 20000], 3)
calls = [[] for _ in range(n_ranks)]
open_requests = [[] for _ in range(n_ranks)]
n_requests = [0] * n_ranks


def call(rank, text):
    volume = draw.choice([0, 0, 500, 2000, 9000, 30000]) if "c" in kind else 0
    calls[rank].append(f"{text} volume={volume}")


def begin(rank):
    n_requests[rank] += 1
    open_requests[rank].append(n_requests[rank])
    return n_requests[rank]


def wait(rank, n):
    done, open_requests[rank] = open_requests[rank][:n], open_requests[rank][n:]
    if len(done) == 1:
        call(rank, f"MPI_Wait request={done[0]}")
    elif done:
        call(rank, f"MPI_Waitall list=[{','.join(map(str, done))}]")


for _ in range(n_messages):
    sender, receiver = draw.sample(range(n_ranks), 2)
    tag, size = draw.choice([0, 0, 0, 1]), draw.choice(sizes)
    what = f"count={size} type_bytes=1 peer=%d tag={tag} comm=1"
    if draw.random() < 0.5:
        call(sender, f"MPI_Send {what % receiver}")
    else:
        call(sender, f"MPI_Isend {what % receiver} request={begin(sender)}")
    if draw.random() < 0.5:
        call(receiver, f"MPI_Recv {what % sender}")
    else:
        call(receiver, f"MPI_Irecv {what % sender} request={begin(receiver)}")
    if "w" in kind:
        for rank in sender, receiver:
            if draw.random() < 0.3:
                wait(rank, draw.randint(1, 3))

print(f'timeless-text 1\nranks {n_ranks}\nvolume_unit "cpu-ns"')
for rank in range(n_ranks):
    wait(rank, len(open_requests[rank]))
    print(f'rank {rank} host="h{rank}"')
    for i, text in enumerate(calls[rank]):
        print(f"{rank} {i} {text}")
    print("end cut clock_ns=0")
