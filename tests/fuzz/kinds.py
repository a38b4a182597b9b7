"""kinds.py FOLDER [short]: writes the text of a trace of each kind that mutate.c starts from, FOLDER/KIND.txt;
short: each loop once, as seeds of fuzz_replay_text and fuzz_replay_chunks.

Each is a correct run of four ranks, which the SMPI engine replays; together they have every action of the
schema.  The loggops engine replays messages, collectives and kernels, and the others with --allow-opaque.
"""
import sys

N = 4
ALL = "[0-3]"


def times(n):
    return range(1 if len(sys.argv) > 2 else n)


class Rank:
    def __init__(self, number):
        self.number, self.lines, self.definitions, self.n = number, [], [], 0

    def comm(self, text):
        self.definitions.append("comm " + text)

    def call(self, name, text="", volume=0):
        if not name.startswith(("MPIX_", "Match", "Thread", "Enter", "Return", "d", "z", "fft")):
            name = "MPI_" + name
        if name in ("MPI_Init", "MPI_Finalize", "MPI_Barrier", "MPI_Pcontrol", "MPI_Wtime", "MPI_Init_thread"):
            text += f" clock_ns={1000 * self.n}"
        self.lines.append(f"{self.number} {self.n} {name} {text} volume={volume} site={1 + self.n % 3}")
        self.n += 1


def messages(r):
    to, back = (r.number + 1) % N, (r.number - 1) % N
    size = "count=3000 type_bytes=8"
    for i in times(4):
        r.call("Irecv", f"{size} peer={back} tag={i} comm=1 request=1", 1000)
        r.call("Irecv", f"{size} peer=any tag=any comm=1 request=2")
        r.call("Isend", f"{size} peer={to} tag={i} comm=1 request=3")
        r.call("Issend", f"{size} peer={to} tag=9 comm=1 request=4", 20)
        r.call("Match", f"request=2 peer={back} tag=9")
        r.call("Waitall", "list=[1,2,3,4]")
        r.call("Sendrecv", f"count=10 type_bytes=4 peer={to} tag=1 recv_count=10 recv_type_bytes=4 recv_peer={back} recv_tag=1 comm=1")
        r.call("Sendrecv_replace", f"count=10 type_bytes=16 peer={back} tag=2 recv_peer={to} recv_tag=2 comm=1")
        r.call("Isend", f"count=1 type_bytes=1 peer={to} tag=3 comm=1 request=1")
        r.call("Iprobe", f"peer={back} tag=3 comm=1")
        r.call("Recv", f"count=1 type_bytes=1 peer={back} tag=3 comm=1")
        r.call("Wait", "request=1")
        r.call("Isend", f"count=1 type_bytes=1 peer=null tag=3 comm=1 request=1")
        r.call("Request_free", "request=1")
        r.call("Irecv", f"count=1 type_bytes=1 peer={back} tag=77 comm=1 request=1")
        r.call("Cancel", "request=1")
        r.call("Match", "request=1 peer=null tag=any")
        r.call("Waitany", "list=[1]")
        if r.number == 0:
            for k in range(1, N):
                r.call("Match", f"request=0 peer={k} tag=5")
                r.call("Recv", "count=70000 type_bytes=1 peer=any tag=5 comm=1", 5000)
        else:
            r.call("Ssend", "count=70000 type_bytes=1 peer=0 tag=5 comm=1", 100 * r.number)


def persistent(r):
    to, back = (r.number + 1) % N, (r.number - 1) % N
    r.call("Recv_init", f"count=20 type_bytes=8 peer={back} tag=1 comm=1 request=1")
    r.call("Send_init", f"count=20 type_bytes=8 peer={to} tag=1 comm=1 request=2")
    r.call("Recv_init", f"count=20 type_bytes=8 peer=any tag=2 comm=1 request=5")
    r.call("Ssend_init", f"count=20 type_bytes=8 peer={to} tag=2 comm=1 request=3")
    r.call("MPIX_Allreduce_init", "count=30 type_bytes=8 comm=1 request=4")
    r.call("MPIX_Bcast_init", "count=30 type_bytes=8 peer=2 comm=1 request=7")
    r.call("MPIX_Gatherv_init", "count=3 type_bytes=8 recv_type_bytes=8 peer=1 comm=1 request=6 list="
           + ("[3,3,3,3]" if r.number == 1 else "[]"))
    for i in times(4):
        r.call("Startall", "list=[1,2,5,3]", 100)
        r.call("Start", "request=4")
        r.call("Wait", "request=1")
        r.call("Match", f"request=5 peer={back} tag=2")
        r.call("Waitsome", "list=[2,5,3]")
        r.call("Wait", "request=4")
        r.call("Start", "request=7")
        r.call("Start", "request=6")
        r.call("Waitall", "list=[7,6]")
        r.call("Wait", "request=6")
    for i in range(1, 8):
        r.call("Request_free", f"request={i}")


def counts(r, values, at=None):
    return "list=[" + (",".join(map(str, values)) if at is None or r.number == at else "") + "]"


def collectives(r, form=lambda r, name, text: r.call(name, text, 50)):
    both = "count=100 type_bytes=8 recv_count=100 recv_type_bytes=8"
    four = [100, 7, 0, 30]
    me = four[r.number]
    form(r, "Barrier", "comm=1")
    form(r, "Bcast", "count=5000 type_bytes=8 peer=1 comm=1")
    form(r, "Reduce", "count=5000 type_bytes=8 peer=2 comm=1 noncommutative=1")
    form(r, "Allreduce", "count=500 type_bytes=8 comm=1 in_place=1")
    form(r, "Gather", "count=100 type_bytes=8 peer=0 comm=1 "
         + ("recv_count=100 recv_type_bytes=8" if r.number == 0 else "recv_count=0 recv_type_bytes=0"))
    form(r, "Scatter", ("count=100 type_bytes=8" if r.number == 3 else "count=0 type_bytes=0")
         + " peer=3 comm=1 recv_count=100 recv_type_bytes=8")
    form(r, "Gatherv", f"count={me} type_bytes=8 peer=2 comm=1 recv_type_bytes={8 if r.number == 2 else 0} " + counts(r, four, 2))
    form(r, "Scatterv", f"type_bytes={8 if r.number == 1 else 0} peer=1 comm=1 recv_count={me} recv_type_bytes=8 " + counts(r, four, 1))
    form(r, "Allgather", both + " comm=1")
    form(r, "Allgatherv", f"count={me} type_bytes=8 recv_type_bytes=8 comm=1 " + counts(r, four))
    form(r, "Alltoall", both + " comm=1")
    form(r, "Alltoallv", "type_bytes=8 recv_type_bytes=8 comm=1 " + counts(r, [me + 1] * N + [k + 1 for k in four]))
    form(r, "Alltoallw", "comm=1 " + counts(r, [8 * me] * N + [8 * k for k in four]))
    form(r, "Reduce_scatter", "type_bytes=8 comm=1 " + counts(r, four))
    form(r, "Reduce_scatter_block", "count=100 type_bytes=8 comm=1")
    form(r, "Scan", "count=100 type_bytes=8 comm=1")
    form(r, "Exscan", "count=100 type_bytes=8 comm=1")


def nonblocking(r):
    state = [0]

    def form(r, name, text):
        state[0] += 1
        r.call("I" + name.lower(), f"{text} request={state[0]}", 40)
        if state[0] == 5:
            r.call("Waitall", "list=[1,2,3,4,5]", 100)
            state[0] = 0
    for _ in times(2):
        collectives(r, form)
    r.call("Testall", "list=[" + ",".join(str(i + 1) for i in range(state[0])) + "]")


def communicators(r):
    half = r.number // 2
    own, other = ("[0-1]", "[2-3]") if half == 0 else ("[2-3]", "[0-1]")
    r.comm(f"3 parent=1 call=MPI_Comm_split members={own}")
    r.comm(f"4 parent=1 call=MPI_Comm_dup members={ALL}")
    neighbours = f"{(r.number - 1) % N},{(r.number + 1) % N}"
    r.comm(f"5 parent=4 call=MPI_Cart_create members={ALL} sources=[{neighbours}] destinations=[{neighbours}]")
    r.comm(f"6 parent=3 call=MPI_Intercomm_create members={own} remote={other}")
    r.comm(f"7 parent=6 call=MPI_Intercomm_merge members={ALL}")
    both = "count=100 type_bytes=8 recv_count=100 recv_type_bytes=8"
    r.call("Comm_split", "comm=1 new_comm=3", 10)
    r.call("Comm_dup", "comm=1 new_comm=4")
    r.call("Cart_create", "comm=4 new_comm=5")
    r.call("Intercomm_create", "peer=0 tag=4 comm=3 new_comm=6")
    r.call("Intercomm_merge", "comm=6 new_comm=7")
    for i in times(3):
        r.call("Allreduce", "count=100 type_bytes=8 comm=3")
        r.call("Bcast", "count=100 type_bytes=8 peer=1 comm=7")
        r.call("Sendrecv", f"count=9 type_bytes=4 peer={1 - r.number % 2} tag=1 recv_count=9 recv_type_bytes=4 "
               f"recv_peer={1 - r.number % 2} recv_tag=1 comm=6")
        r.call("Allreduce", "count=100 type_bytes=8 comm=6")
        root = "root" if r.number == 0 else "null" if half == 0 else "0"
        sends = "count=0 type_bytes=0" if r.number == 1 else "count=100 type_bytes=8"
        r.call("Bcast", f"{sends} peer={root} comm=6")
        r.call("Alltoallv", "type_bytes=8 recv_type_bytes=8 comm=6 list=[5,5,5,5]")
        r.call("Neighbor_allgather", both + " comm=5")
        r.call("Neighbor_alltoallv", "type_bytes=8 recv_type_bytes=8 comm=5 list=[5,5,5,5]")
        r.call("Ineighbor_alltoall", both + " comm=5 request=1")
        r.call("Ibarrier", "comm=3 request=2")
        r.call("Waitall", "list=[1,2]")
    r.call("Comm_free", "comm=3")


def windows(r):
    to, back = (r.number + 1) % N, (r.number - 1) % N
    r.comm(f"3 parent=1 call=MPI_Win_create members={ALL}")
    r.comm(f"4 parent=1 call=MPI_Win_allocate members={ALL}")
    r.call("Win_create", "comm=1 new_comm=3")
    r.call("Win_allocate", "comm=1 new_comm=4", 70)
    data = f"count=100 type_bytes=8 peer={to}"
    for i in times(3):
        r.call("Win_fence", "mode=0 comm=3")
        r.call("Put", f"{data} comm=3", 10)
        r.call("Get", f"{data} comm=3")
        r.call("Accumulate", f"{data} comm=3")
        r.call("Win_fence", "mode=0 comm=3")
        r.call("Win_post", f"list=[{back}] mode=0 comm=4")
        r.call("Win_start", f"list=[{to}] mode=0 comm=4")
        r.call("Put", f"{data} comm=4", 100 * r.number)
        r.call("Win_complete", "comm=4")
        r.call("Win_wait", "comm=4")
        r.call("Barrier", "comm=1")
        r.call("Win_lock", f"peer={to} mode=0 comm=3" + (" exclusive=1" if i else ""))
        r.call("Rput", f"{data} comm=3 request=1")
        r.call("Rget", f"{data} comm=3 request=2")
        r.call("Waitall", "list=[1,2]")
        r.call("Fetch_and_op", f"count=1 type_bytes=8 recv_count=1 recv_type_bytes=8 peer={to} comm=3")
        r.call("Compare_and_swap", f"count=2 type_bytes=8 recv_count=1 recv_type_bytes=8 peer={to} comm=3")
        r.call("Get_accumulate", f"count=3 type_bytes=8 recv_count=3 recv_type_bytes=8 peer={to} comm=3")
        r.call("Win_flush", f"peer={to} comm=3")
        r.call("Win_unlock", f"peer={to} comm=3")
        r.call("Barrier", "comm=1")
        r.call("Win_lock_all", "mode=0 comm=4")
        r.call("Put", f"{data} comm=4")
        r.call("Win_flush_all", "comm=4")
        r.call("Win_sync", "comm=4")
        r.call("Win_unlock_all", "comm=4")
        r.call("Barrier", "comm=1")
    r.call("Win_free", "comm=3")
    r.call("Win_free", "comm=4")


def files(r):
    r.comm(f'3 parent=1 call=MPI_File_open members={ALL} name="data"')
    data = "count=1000 type_bytes=8 comm=3"
    r.call("File_open", "mode=4 comm=1 new_comm=3")
    r.call("File_set_view", "comm=3")
    r.call("File_preallocate", "count=100000 comm=3")
    for i in times(5):
        r.call("File_write_at", data, 10)
        r.call("File_iwrite", f"{data} request=1", 100)
        r.call("File_iread", f"{data} request=2")
        r.call("Waitall", "list=[1,2]", 300)
        r.call("File_write_all", data, 5 * r.number)
        r.call("File_read_all_begin", data)
        r.call("Barrier", "comm=1")
        r.call("File_read_all_end", "comm=3")
        r.call("File_sync", "comm=3")
    r.call("File_close", "comm=3")
    r.call("File_delete")


def threads(r):
    to, back = (r.number + 1) % N, (r.number - 1) % N
    for i in times(4):
        r.call("Pcontrol", "level=1", 100)
        r.call("dgemm", "m=100 n=20 k=30", 5000)
        r.call("dtrsm", "m=100 n=20 order=100")
        r.call("drotg", "list=[]")
        r.call("zgemv", "m=10 n=20")
        r.call("Wtime", "")
        r.call("Irecv", f"count=5 type_bytes=8 peer={back} tag=1 comm=1 request=1")
        r.call("Isend", f"count=5 type_bytes=8 peer={to} tag=1 comm=1 request=2")
        if i % 2:
            r.call("Thread", "tag=1")
            r.call("Enter", "request=3")
            r.call("Allreduce", "count=10 type_bytes=8 comm=1", 100)
            r.call("Thread", "tag=0")
            r.call("Waitall", "list=[1,2]", 1000)
            r.call("Thread", "tag=1")
            r.call("Return", "request=3 new_comm=0")
            r.call("Thread", "tag=0")
        else:
            r.call("Waitall", "list=[1,2]", 1000)
        r.call("Pcontrol", "level=0")


KINDS = [messages, persistent, collectives, nonblocking, communicators, windows, files, threads]

for kind in KINDS:
    with open(f"{sys.argv[1]}/{kind.__name__}.txt", "w") as out:
        print(f'timeless-text 1\nranks {N}\nvolume_unit "cpu-ns"\nprogram "{kind.__name__}"', file=out)
        for number in range(N):
            r = Rank(number)
            r.call("Init")
            kind(r)
            r.call("Finalize")
            print(f'rank {number} host="h{number % 2}"', file=out)
            for line in r.definitions + [f'site {i} object="a.out" offset={16 * i}' for i in (1, 2, 3)] + r.lines:
                print(line, file=out)
            print(f"end finalized clock_ns={1000 * r.n}", file=out)
