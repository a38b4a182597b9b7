"""rows.py - a program that calls every row of mpi_calls.def with known arguments, made from the rows, and
what its trace must hold.

    rows.py SCHEMA c|fortran                  prints the program
    rows.py SCHEMA large                      prints that in C, with MPI_Name_c where the library has it
    rows.py SCHEMA check TIMELESS TRACE MODE  compares the trace of a run on two ranks in that mode

What a row is given follows from the kinds of its parameters (KINDS) and from their names where the kind
does not say (NAMES).  What must stand before and after the call to make it legal is in CASES; the
arguments that are special are there, too.  A row that these tables do not cover ends the program.

An expression is written as both languages understand it, after '&' is dropped and a[rank] made a(:, rank)
for Fortran; numbers are computed here from the same text.  The program's variables are declared in
frame.c and frame.F90.
"""
import itertools
import os
import re
import subprocess
import sys

RANKS = 2
TYPE_BYTES = {"MPI_INT": 4, "MPI_2INT": 8}
CONSTANTS = {"MPI_MODE_CREATE": 1, "MPI_MODE_RDONLY": 2, "MPI_MODE_WRONLY": 4, "MPI_MODE_RDWR": 8,
             "MPI_MODE_NOCHECK": 1, "MPI_MODE_NOSUCCEED": 16}

# Neighbours on the graph: 0 sends to 1 and itself, 1 sends to 0.
SOURCES = [[0, 1], [0]]
DESTINATIONS = [[1, 0], [0]]
ALL = [[0, 1], [0, 1]]


def to_each(destinations):
    return [[2 * (1 + r + 2 * d) for d in destinations[r]] for r in range(RANKS)]


def from_each(sources):
    return [[1 + s + 2 * r for s in sources[r]] for r in range(RANKS)]


# The arrays of counts by rank; elements sent are of 4 bytes, those received of 8.
ARRAYS = {
    "s_all": to_each(ALL), "r_all": from_each(ALL),
    "s_graph": to_each(DESTINATIONS), "r_graph": from_each(SOURCES),
    "s_each": [[2, 4]] * RANKS, "r_each": [[1, 2]] * RANKS,
    "r_sources": [[s + 1 for s in SOURCES[r]] for r in range(RANKS)],
    "sources": SOURCES, "destinations": DESTINATIONS,
}

KINDS = {
    "SBUF": "in", "RBUF": "out", "COUNT": "4", "TYPE": "MPI_INT", "RCOUNT": "2", "RTYPE": "MPI_2INT",
    "BYTES": "some_bytes", "FETCH": "MPI_INT", "SWAP": "MPI_INT", "COUNTS": "s_all[rank]",
    "RCOUNTS": "r_all[rank]", "DISPLS": "displs", "ADISPLS": "adispls", "TYPES": "stypes",
    "RTYPES": "rtypes", "DEST": "partner", "SRC": "partner", "RSRC": "partner", "ROOT": "1", "TAG": "40",
    "RTAG": "40", "OP": "MPI_SUM", "RMAOP": "MPI_SUM", "COMM": "comm", "WIN": "win", "FILE": "file",
    "NEWTAG": "7", "NAME": "path", "MODE": "0", "LOCK": "MPI_LOCK_EXCLUSIVE", "GROUP": "partner_group",
    "MESSAGE": "&message", "REQ": "&request", "REQS": "requests", "STATUS": "MPI_STATUS_IGNORE",
    "FLAG": "&flag", "INDEX": "&which", "NUMBER": "2", "NEWCOMM": "&newcomm", "NEWWIN": "&newwin",
    "NEWFILE": "&newfile", "LEVEL": "1077", "CODE": "5",
}

NAMES = {
    "info": "MPI_INFO_NULL", "color": "0", "key": "rank", "split_type": "MPI_COMM_TYPE_SHARED",
    "group": "world_group", "tag": "7", "ndims": "1", "dims": "dims", "periods": "periods", "reorder": "no",
    "remain_dims": "keep", "nnodes": "2", "index": "graph_index", "edges": "graph_edges", "n": "1",
    "degrees": "one", "weights": "MPI_UNWEIGHTED", "sourceweights": "MPI_UNWEIGHTED",
    "destweights": "MPI_UNWEIGHTED", "indegree": "2 - rank", "outdegree": "2 - rank",
    "sources": "sources[rank]", "destinations": "destinations[rank]", "bridge_comm": "comm",
    "remote_leader": "partner", "high": "is_high", "base": "memory", "size": "window_bytes",
    "disp_unit": "1", "baseptr": "&base", "origin_addr": "in", "result_addr": "out",
    "compare_addr": "out", "op": "MPI_SUM", "target_disp": "no_aint", "target_count": "4", "target_datatype": "MPI_INT",
    "offset": "no_offset", "whence": "MPI_SEEK_SET", "disp": "no_offset", "etype": "MPI_INT",
    "filetype": "MPI_INT", "buf": "out", "message": "&message", "statuses": "MPI_STATUSES_IGNORE",
    "indices": "indices", "datarep": '"native"',
}


def S(row, **arguments):
    """A call of a row; arguments by kind or by name."""
    return row, arguments


OTHER = dict(REQ="&other")
SEND = S("Isend", **OTHER)
RECV = S("Irecv", **OTHER)
DONE = S("Wait", **OTHER)
WAIT = S("Wait")
BARRIER = S("Barrier")
FREE = S("Request_free")
FIRST, SECOND = dict(REQ="&requests[0]"), dict(REQ="&requests[1]")
BOTH = [S("Irecv", **FIRST), S("Isend", **SECOND)]
BOTH_DONE = [S("Wait", **FIRST), S("Wait", **SECOND)]
SOME = [RECV, S("Isend", **FIRST)]  # MPI_REQUEST_NULL stands second
CREATE = dict(MODE="MPI_MODE_CREATE + MPI_MODE_RDWR")
RMA = dict(RCOUNT="4", RTYPE="MPI_INT")
GRAPH = dict(COMM="graph", COUNTS="s_graph[rank]", RCOUNTS="r_graph[rank]")
NEW = dict(COMM="&newcomm")
NEWWIN = dict(WIN="&newwin")
NEWFILE = dict(FILE="&newfile")
LOCK, UNLOCK = S("Win_lock_all"), S("Win_unlock_all")
POST, START, COMPLETE, AWAIT = S("Win_post"), S("Win_start"), S("Win_complete"), S("Win_wait")
EACH = dict(COUNT="2 * (rank + 1)", RCOUNTS="r_each[rank]")

# By name or action: what comes before, what comes after, special arguments.
CASES = {
    "SEND": ([RECV], [DONE]),
    "Rsend": ([RECV, BARRIER], [DONE]),
    "ISEND": ([RECV], [WAIT, DONE]),
    "Irsend": ([RECV, BARRIER], [WAIT, DONE]),
    "SEND_INIT": ([RECV, BARRIER], [S("Start"), WAIT, DONE, FREE]),
    "RECV": ([SEND], [DONE]),
    "Mrecv": ([SEND, S("Mprobe")], [DONE]),
    "IRECV": ([SEND], [WAIT, DONE]),
    "Imrecv": ([SEND, S("Mprobe")], [WAIT, DONE]),
    "RECV_INIT": ([SEND], [S("Start"), WAIT, DONE, FREE]),
    "SENDRECV": ([], [], dict(TAG="40 + rank", RTAG="40 + partner")),
    "Start": ([SEND, S("Recv_init")], [WAIT, DONE, FREE]),
    "Startall": ([S("Recv_init", **FIRST), S("Send_init", **SECOND)],
                 BOTH_DONE + [S("Request_free", **FIRST), S("Request_free", **SECOND)]),
    "PROBE": ([SEND], [S("Recv"), DONE]),
    "Mprobe": ([SEND], [S("Mrecv"), DONE]),
    "Improbe": ([SEND], [S("Mrecv"), DONE]),
    "Wait": ([S("Isend")], [S("Recv")]),
    "Test": ([S("Isend")], [S("Recv")]),
    "Waitall": (BOTH, []), "Testall": (BOTH, []),
    "Waitany": (SOME, [DONE]), "Testany": (SOME, [DONE]),
    "Waitsome": (SOME, [DONE], dict(indices="indices")),
    "Testsome": (SOME, [DONE], dict(indices="indices")),
    "Request_free": ([S("Send_init")], []),
    "Cancel": ([S("Irecv", TAG="99")], [S("Match", peer="null", tag="any"), WAIT]),
    "Alltoallw": ([], [], dict(DISPLS="bdispls")),
    "Ialltoallw": ([], [WAIT], dict(DISPLS="bdispls")),
    "COMM_DUP": ([], [S("Comm_free", **NEW)]),
    "Comm_idup": ([], [WAIT, S("Comm_free", **NEW)]),
    "Comm_idup_with_info": ([], [WAIT, S("Comm_free", **NEW)]),
    "COMM_SPLIT": ([], [S("Comm_free", **NEW)]),
    "COMM_CREATE": ([], [S("Comm_free", **NEW)]),
    "Cart_sub": ([S("Cart_create", NEWCOMM="&cart")],
                 [S("Comm_free", **NEW), S("Comm_free", COMM="&cart")], dict(COMM="cart")),
    "Dist_graph_create": ([], [S("Comm_free", **NEW)],
                          dict(sources="me", destinations="them")),
    "INTERCOMM_CREATE": ([], [S("Comm_free", **NEW)], dict(COMM="MPI_COMM_SELF", ROOT="0")),
    "INTERCOMM_MERGE": ([S("Intercomm_create", COMM="MPI_COMM_SELF", ROOT="0", NEWCOMM="&inter")],
                        [S("Comm_free", **NEW), S("Comm_free", COMM="&inter")], dict(COMM="inter")),
    "COMM_FREE": ([S("Comm_dup")], [], NEW),
    "WIN_CREATE": ([], [S("Win_free", **NEWWIN)]),
    "WIN_FREE": ([S("Win_create")], [], NEWWIN),
    "WIN_FENCE": ([], [], dict(MODE="MPI_MODE_NOSUCCEED")),
    "WIN_POST": ([], [START, COMPLETE, AWAIT]),
    "WIN_START": ([POST], [COMPLETE, AWAIT]),
    "WIN_COMPLETE": ([POST, START], [AWAIT]),
    "WIN_WAIT": ([POST, START, COMPLETE], []),
    "WIN_LOCK": ([], [S("Win_unlock")]),
    "WIN_LOCK_ALL": ([], [UNLOCK], dict(MODE="MPI_MODE_NOCHECK")),
    "WIN_UNLOCK": ([S("Win_lock", LOCK="MPI_LOCK_SHARED")], []),
    "WIN_UNLOCK_ALL": ([LOCK], []),
    "FILE_OPEN": ([], [S("File_close", **NEWFILE)], CREATE),
    "FILE_CLOSE": ([S("File_open", **CREATE)], [], NEWFILE),
    "FILE_DELETE": ([S("File_open", COMM="MPI_COMM_SELF", NAME="own_path", **CREATE), S("File_close", **NEWFILE)],
                    [], dict(NAME="own_path")),
    "FILE_SETUP": ([], [], dict(size="some_bytes")),
}
for action in ("PUT", "GET", "ACCUMULATE", "GET_ACCUMULATE"):
    CASES[action] = ([LOCK], [UNLOCK], RMA)
    CASES["R" + action.lower()] = ([LOCK], [WAIT, UNLOCK], RMA)
for action in ("FLUSH", "FLUSH_ALL", "FLUSH_LOCAL", "FLUSH_LOCAL_ALL", "SYNC"):
    CASES["WIN_" + action] = ([LOCK], [UNLOCK])
for kind in ("read", "write"):
    for how in ("all", "at_all", "ordered"):
        begin, end = f"File_{kind}_{how}_begin", f"File_{kind}_{how}_end"
        CASES[begin] = ([], [S(end)])
        CASES[end] = ([S(begin)], [])

# Elsewhere than in the list of cases: these begin and end the program.
FRAME = ("Init", "Init_thread", "Finalize", "Abort")
SETUP = [S("Dist_graph_create_adjacent", NEWCOMM="&graph"), S("Win_create", NEWWIN="&win"),
         S("File_open", NEWFILE="&file", **CREATE)]
TEARDOWN = [S("File_close", FILE="&file"), S("Win_free", WIN="&win"), S("Comm_free", COMM="&graph")]


# The MPI functions of the library, one a line.
FUNCTIONS = set(os.environ["MPI_FUNCTIONS"].split())


class Row:
    def __init__(self, macro, code, name, action, traits, parameters):
        self.code, self.name, self.action = int(code), name, action
        self.traits = {t.strip() for t in traits.split("|")}
        self.event_name = "MPI_" + name
        self.symbol = self.event_name
        # Part of MPI, an extension, or neither, by the version of the library.
        if macro == "EXTENSION" and self.symbol not in FUNCTIONS:
            self.symbol = "MPIX_" + name
        self.is_there = macro != "EXTENSION" or (self.symbol in FUNCTIONS and action != "OPAQUE")
        self.parameters = []
        for kind, inside in re.findall(r"(\w+)\(([^()]*)\)", parameters):
            kind_type, _, parameter = inside.rpartition(", ")
            self.parameters.append((kind, kind_type, parameter))
        self.kinds = [p[0] for p in self.parameters]
        # Its twin with large counts, if there is one.
        has_twin = {"COUNT", "RCOUNT", "TCOUNT", "COUNTS", "RCOUNTS", "UNIT"} & set(self.kinds)
        self.large = self.symbol + "_c" if has_twin and self.symbol + "_c" in FUNCTIONS else self.symbol

    def case(self):
        """What comes before, what comes after, and the special arguments."""
        case = CASES.get(self.name, CASES.get(self.action))
        if case:
            return list(case[0]), list(case[1]), dict(case[2]) if len(case) > 2 else {}
        if "T_PERSISTENT" in self.traits:
            return [], [S("Start"), WAIT, FREE], {}
        return [], [WAIT] if "T_NB" in self.traits else [], {}

    def arguments(self, special):
        """(kind, expression) of each parameter."""
        given = {}
        neighbours = "NEIGHBOR" in self.action
        if neighbours:
            given.update(GRAPH)
        if "RCOUNTS" in self.kinds and "COUNTS" not in self.kinds:
            given.update(EACH)
            given["RCOUNTS"] = "r_sources[rank]" if neighbours else "r_each[rank]"
        if "COUNTS" in self.kinds and "RCOUNTS" not in self.kinds:
            given.update(COUNTS="s_each[rank]", RCOUNT="rank + 1")
        if self.name.lower().endswith("alltoallw_init"):
            given["DISPLS"] = "bdispls"
        given.update(special)
        for kind, kind_type, name in self.parameters:
            if kind == "NOARGS":
                continue
            if name in given:
                yield kind, given[name]
            elif kind in given:
                yield kind, given[kind]
            elif kind in KINDS and name not in ("statuses", "indices", "datarep"):
                yield kind, KINDS[kind]
            else:
                yield kind, NAMES[name]


def read_schema(path):
    rows = {}
    pattern = r"^TL_(CALL|SPECIAL|EXTENSION)\((\d+), (\w+), (\w+), ([^,]+), (.*)\)$"
    for fields in re.findall(pattern, open(path).read(), re.M):
        row = Row(*fields)
        if row.is_there:
            rows[row.name] = row
    return rows


def all_cases(rows):
    """(code, statements) in the order of the program: 0 for what ends it, None for what begins it."""
    yield None, SETUP
    for key, row in rows.items():
        if key not in FRAME:
            before, after, special = row.case()
            yield row.code, before + [S(key, **special)] + after
    yield 0, TEARDOWN


# ---- the programs ----

C = dict(
    array="static const {type} {name}[2][2] = {{{{{0[0]}, {0[1]}}}, {{{1[0]}, {1[1]}}}}};", begin="static void run(void)\n{{",
    call="{symbol}({arguments});", wtime="now = MPI_Wtime();", mark="MPI_Pcontrol({arguments});",
    until="do\n{call}\nwhile (!{done});", end="}}")
LARGE = dict(C)
FORTRAN = dict(
    begin="subroutine run", array="integer, save :: {name}(2, 0:1) = reshape([{0[0]}, {0[1]}, {1[0]}, {1[1]}], [2, 2])",
    call="call {symbol}({arguments}, ierr)", wtime="now = MPI_Wtime()", mark="call MPI_Pcontrol({arguments})",
    until="do\n{call}\nif ({done}) exit\nend do", end="end subroutine")


def fortran_expression(text):
    text = re.sub(r"MPI_(2?)INT\b", r"MPI_\1INTEGER", text.replace("&", ""))
    text = text.replace("[rank]", "(:, rank)")
    return re.sub(r"\[(\d)\]", lambda m: f"({int(m[1]) + 1})", text)


def statement(language, row, special):
    is_c = language is not FORTRAN
    arguments = ", ".join(e if is_c else fortran_expression(e) for _, e in row.arguments(special))
    form = {"Wtime": "wtime", "Pcontrol": "mark"}.get(row.name, "call")
    symbol = row.large if language is LARGE else row.symbol
    call = language[form].format(symbol=symbol, arguments=arguments)
    if row.name == "Testsome":
        return language["until"].format(call=call, done="which" if is_c else "which > 0")
    return language["until"].format(call=call, done="flag") if "FLAG" in row.kinds else call


def print_program(language, rows):
    print(language["begin"].format())
    for name, lists in ARRAYS.items():
        kind = "MPI_Count" if language is LARGE and name not in ("sources", "destinations") else "int"
        print(language["array"].format(*[(one + [0])[:2] for one in lists], name=name, type=kind))
    for code, statements in all_cases(rows):
        if code is not None:
            print(language["mark"].format(arguments=code))
        for name, special in statements:
            if name != "Match":
                print(statement(language, rows[name], special))
    print(language["end"].format())


# ---- the trace ----

class Expected:
    """The events of one rank, from the calls and their arguments."""

    TAGS = {"TAG": "tag", "MODE": "mode", "LEVEL": "level", "CODE": "code", "RTAG": "recv_tag"}
    PEERS = {"DEST": "peer", "SRC": "peer", "ROOT": "peer", "RSRC": "recv_peer"}

    def __init__(self, rows, rank):
        self.rows, self.rank = rows, rank
        self.ids = {"comm": 1, "MPI_COMM_SELF": 2}
        self.next_id = 3
        self.requests, self.persistent = {}, set()
        self.definitions = []

    def number(self, text):
        names = dict(CONSTANTS, rank=self.rank, partner=1 - self.rank, some_bytes=4096)
        return eval(text, {}, names)

    def array(self, text):
        return ARRAYS[text.partition("[")[0]][self.rank]

    def start_request(self, variable, persistent):
        self.requests[variable] = min(set(range(1, 9)) - set(self.requests.values()))
        if persistent:
            self.persistent.add(variable)
        return self.requests[variable]

    def end_request(self, variable, row):
        """Its id in an event of this row."""
        number = self.requests.get(variable, 0)
        if row.action == "REQUEST_FREE" or (row.action == "WAIT" and variable not in self.persistent):
            self.requests.pop(variable, None)
            self.persistent.discard(variable)
        return number

    def event(self, row, special):
        e = {"call": row.event_name}
        lists, types = {}, {}
        for kind, text in row.arguments(special):
            text = text.lstrip("&")
            if kind in ("COUNT", "BYTES"):
                e["count"] = self.number(text)
            elif kind == "RCOUNT":
                e["recv_count"] = self.number(text)
            elif kind == "TYPE":
                e["type_bytes"] = TYPE_BYTES[text]
            elif kind == "RTYPE":
                e["recv_type_bytes"] = TYPE_BYTES[text]
            elif kind in ("FETCH", "SWAP"):
                e.update(count=1 + (kind == "SWAP"), type_bytes=TYPE_BYTES[text], recv_count=1,
                         recv_type_bytes=TYPE_BYTES[text])
                if kind == "SWAP":  # the window has what the call compares with
                    e["swapped"] = 1
            elif kind in ("COUNTS", "RCOUNTS"):
                lists[kind] = self.array(text)
            elif kind in ("TYPES", "RTYPES"):
                types[kind[:-5] + "COUNTS"] = TYPE_BYTES[{"TYPES": "MPI_INT", "RTYPES": "MPI_2INT"}[kind]]
            elif kind == "GROUP":
                lists[kind] = [1 - self.rank]
            elif kind in self.PEERS:
                e[self.PEERS[kind]] = self.number(text)
            elif kind in self.TAGS:
                e[self.TAGS[kind]] = self.number(text)
            elif kind in ("COMM", "WIN", "FILE"):
                e["comm"] = self.ids[text]
            elif kind == "MESSAGE":
                e.update(peer=1 - self.rank, tag=40, comm=1)
            elif kind == "LOCK" and text == "MPI_LOCK_EXCLUSIVE":
                e["exclusive"] = 1
            elif kind == "REQ":
                e["request"] = self.start_request(text, "T_PERSISTENT" in row.traits) \
                    if "T_NB" in row.traits else self.end_request(text, row)
            elif kind == "REQS":
                both = [self.end_request(f"requests[{i}]", row) for i in range(2)]
                lists[kind] = [number for number in both if number]
            elif kind in ("NEWCOMM", "NEWWIN", "NEWFILE"):
                self.ids[text] = e["new_comm"] = self.next_id
                self.define(row, special, e["comm"])
                self.next_id += 1
        for kind in lists:
            e["list"] = e.get("list", []) + [n * types.get(kind, 1) for n in lists[kind]]
        return self.at_root_only(row, e)

    def define(self, row, special, parent):
        """A file has the name that its opener gave, without blanks from Fortran."""
        names = {"path": "file", "own_path": f"file.{self.rank}"}
        name = names[special.get("NAME", KINDS["NAME"])] if row.name == "File_open" else ""
        self.definitions.append((self.next_id, parent, row.symbol, name))

    def at_root_only(self, row, e):
        """The other side of a rooted collective has no say in what the root alone is given."""
        plain = re.sub("^I", "", row.action)
        if self.rank != self.number(KINDS["ROOT"]) and plain.startswith(("GATHER", "SCATTER")):
            absent = ("recv_count", "recv_type_bytes") if plain.startswith("GATHER") else ("count", "type_bytes")
            e.update({name: 0 for name in absent if name in e})
            if "list" in e:
                e["list"] = []
        return e

    def cases(self):
        for code, statements in all_cases(self.rows):
            events = []
            for name, special in statements:
                if name == "Match":
                    events.append(dict(call="Match", request=self.requests["request"], **special))
                else:
                    events.append(self.event(self.rows[name], special))
            yield code, events


IGNORED = ("clock_ns", "volume", "polls", "site")


def read_trace(timeless, path):
    """By rank, its events and its definitions."""
    ranks, definitions = {}, {}
    text = subprocess.run([timeless, "dump", path], stdout=subprocess.PIPE, text=True).stdout
    for line in text.splitlines():
        words = line.split()
        if words and words[0] == "rank":
            rank = int(words[1])
            definitions[rank] = []
        if words and words[0] == "comm":
            pairs = dict(pair.split("=", 1) for pair in words[2:])
            name = os.path.basename(pairs.get("name", "").strip('"'))
            definitions[rank].append((int(words[1]), int(pairs["parent"]), pairs["call"], name))
        if not (words and words[0].isdigit()):
            continue
        event = {"call": words[2]}
        for pair in words[3:]:
            name, value = pair.split("=", 1)
            if name == "list":
                value = [int(n) for n in value.strip("[]").split(",") if n]
            if name not in IGNORED:
                event[name] = int(value) if isinstance(value, str) and value.lstrip("-").isdigit() else value
        ranks.setdefault(rank, []).append(event)
    return ranks, definitions


def cases_in(events):
    """(code, events): those behind each MPI_Pcontrol; None is the code of those before the first."""
    found = [(None, [])]
    for e in events:
        if e["call"] == "MPI_Pcontrol" and str(e["level"]) != KINDS["LEVEL"]:
            found.append((e["level"], []))
        else:
            found[-1][1].append(e)
    return found


def check(rows, timeless, path, mode):
    """Prints what differs; true if nothing does."""
    trace, definitions = read_trace(timeless, path)
    begin = {"call": "MPI_Init_thread" if mode == "thread" else "MPI_Init"}
    end = {"call": "MPI_Abort", "comm": 1, "code": 5} if mode == "abort" else {"call": "MPI_Finalize"}
    differences = 0
    for rank in sorted(trace):
        program = Expected(rows, rank)
        expected = list(program.cases()) if mode == "all" else [(None, [])]
        if definitions[rank] != program.definitions:
            differences += 1
            print(f"rank {rank}: it defines {definitions[rank]}; expected {program.definitions}")
        expected[0][1].insert(0, begin)
        expected[-1][1].append(end)
        got = cases_in(trace[rank])
        for ours, theirs in itertools.zip_longest(expected, got):
            if ours != theirs:
                differences += 1
                print(f"rank {rank}: the trace has {theirs}; expected {ours}")
    return len(trace) == (RANKS if mode == "all" else 1) and not differences


def main():
    rows = read_schema(sys.argv[1])
    if sys.argv[2] == "check":
        return 0 if check(rows, *sys.argv[3:]) else 1
    print_program({"c": C, "large": LARGE, "fortran": FORTRAN}[sys.argv[2]], rows)
    return 0


sys.exit(main())
