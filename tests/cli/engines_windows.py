"""Two families of engines_wider.py.

- windows: epochs of accesses, each with its synchronisation, on links without a limit.  What the models do differently does not occur:
  In LogGOPS no rank waits for another one's exclusive lock or atomic access, and in SMPI also for a flush of a rank that waits itself:
  a barrier ends all epochs but fences.  In SMPI the target waits for puts, in LogGOPS their origin: there are none in fences and between
  post and complete.  SMPI does not know that the origin of an access
  is on the same host, so there are no overheads of their own within a host.  To flush all targets
  is to wait for what other ranks flush there: only windows of two ranks do so.
- files: calls on files at --io-bandwidth.
"""
import engines_random as base


def draw_window_steps(d, comms, limit):
    steps = []
    for _ in range(2 + d.below(8)):
        c = d.below(len(comms))
        members = comms[c]
        kind = d.one(("compute", "message", "fence", "fence", "locks", "locks", "all", "group"))
        if kind == "compute":
            steps.append(dict(kind=kind, rank=d.one(members), volume=int(d.between(100, 1e7))))
        elif len(members) < 2:
            continue
        elif kind == "message":
            s = dict(base.draw_message(d, range(len(comms[0])), limit, []), send="Isend", receive="Irecv")
            steps.append(s)
        else:
            order = d.some(members, 2 + d.below(len(members) - 1))
            s = dict(kind=kind, comm=c, volumes=[base.draw_volume(d) for _ in members], pairs=[])
            pairs = list(zip(order[::2], order[1::2])) if kind == "fence" or d.chance(0.5) else [(order[0], order[1])]
            calls = ("Get",) if kind == "group" else ("Get", "Accumulate", "Get_accumulate", "Fetch_and_op") if kind == "fence" else (
                "Put", "Get", "Accumulate", "Rput", "Rget", "Raccumulate", "Get_accumulate", "Fetch_and_op", "Compare_and_swap", "Rget_accumulate",
                "Win_flush", "Win_flush_local", "Win_flush_local_all")
            if kind == "all" and len(members) > 2:
                kind = s["kind"] = "locks"
            for a, b in pairs:
                if kind != "group" and kind != "fence" and d.chance(0.1):
                    b = a
                s["pairs"].append((a, b, [(d.one(calls), base.draw_size(d, limit), base.draw_volume(d), d.chance(0.3)) for _ in range(1 + d.below(5))]))
            steps.append(s)
    return steps


def add_accesses(r, target, calls):
    for call, size, volume, flag in calls:
        if call.startswith("Win_flush"):
            r.add(call, volume, **({} if call.endswith("all") else dict(peer=target)), comm=1)
            continue
        slots = dict(count=size, type_bytes=1, peer=target, comm=1)
        if call == "Fetch_and_op":
            slots.update(count=1, type_bytes=8, recv_count=1, recv_type_bytes=8)
        elif call == "Compare_and_swap":
            slots = dict(recv_count=1, recv_type_bytes=8, count=1, type_bytes=8, peer=target, comm=1, **(dict(flags=16) if flag else {}))
        elif call.endswith("et_accumulate"):
            slots.update(recv_count=size, recv_type_bytes=1)
        if call[0] == "R":
            slots["request"] = r.new()
        r.add(call, volume, **slots)
        if call[0] == "R":
            r.add("Wait", request=slots["request"])


def add_window_step(ranks, s, comms):
    if s["kind"] not in ("fence", "locks", "all", "group"):
        base.add_step(ranks, s)
        return
    members = comms[s["comm"]]
    n_comms = len(comms)
    for r in ranks:
        r.comm = (2 + n_comms + s["comm"], members)
    each = [ranks[m] for m in members]
    if s["kind"] == "fence":
        for r, volume in zip(each, s["volumes"]):
            r.add("Win_fence", volume, mode=0, comm=1)
    for a, b, calls in s["pairs"]:
        r = ranks[a]
        if s["kind"] == "locks":
            r.add("Win_lock", s["volumes"][0], peer=b, mode=0, comm=1)
        elif s["kind"] == "all":
            r.add("Win_lock_all", s["volumes"][0], comm=1, mode=0)
        elif s["kind"] == "group":
            ranks[b].add("Win_post", s["volumes"][0], list="[%d]" % members.index(a), mode=0, comm=1)
            r.add("Win_start", s["volumes"][1], list="[%d]" % members.index(b), mode=0, comm=1)
        add_accesses(r, b, calls)
        if s["kind"] == "locks":
            r.add("Win_unlock", s["volumes"][1], peer=b, comm=1)
        elif s["kind"] == "all":
            r.add("Win_unlock_all", s["volumes"][1], comm=1)
        elif s["kind"] == "group":
            r.add("Win_complete", comm=1)
            ranks[b].add("Win_wait", comm=1)
    if s["kind"] == "fence":
        for r in each:
            r.add("Win_fence", mode=0, comm=1)
    else:
        for r in each:
            r.comm = (2 + s["comm"] if s["comm"] else 1, members)
            r.add("Barrier", clock_ns=0, comm=1)
    for r in ranks:
        r.comm = None


FILE_CALLS = ("File_read", "File_write_at", "File_read_all", "File_write_at_all", "File_iread", "File_iwrite_all", "File_set_view", "File_sync",
              "File_read_all_begin")


def draw_file_steps(d, n):
    steps = []
    for _ in range(3 + d.below(12)):
        call = d.one(FILE_CALLS + ("compute",))
        if call == "compute":
            steps.append(dict(kind=call, rank=d.below(n), volume=int(d.between(100, 1e8))))
        else:
            steps.append(dict(kind="file", call=call, ranks=d.some(range(n), 1 + d.below(n)), sizes=[int(d.between(1, 1e8)) for _ in range(n)],
                              volumes=[base.draw_volume(d) for _ in range(n)]))
    return steps


def add_file_step(ranks, s):
    if s["kind"] == "compute":
        base.add_step(ranks, s)
        return
    call = s["call"]
    everyone = call.endswith("_all") or call in ("File_set_view", "File_sync", "File_read_all_begin")
    for i in range(len(ranks)) if everyone else s["ranks"]:
        r = ranks[i]
        slots = dict(comm=3) if call in ("File_set_view", "File_sync") else dict(comm=3, count=s["sizes"][i], type_bytes=1)
        if call[5] == "i":
            slots["request"] = r.new()
        r.add(call, **slots)
        if call[5] == "i":
            r.add("Wait", s["volumes"][i], request=slots["request"])
        elif call.endswith("begin"):
            r.add("File_read_all_end", s["volumes"][i], comm=3)
