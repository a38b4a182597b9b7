# SPDX-FileCopyrightText: 2026 the Timeless authors
# SPDX-License-Identifier: BSD-3-Clause
"""Traces and predictions of Timeless as columns: NumPy arrays or pandas frames, and .npz files.

    import timeless

    with timeless.Trace("app.tl") as trace:
        events = trace.events()             # Columns: events["call"], events["volume"], ...
        sizes = events.numpy("count") * events.numpy("type_bytes")
        prediction = trace.replay(platform="star-1g", timeline=True)
    prediction.makespan_s
    prediction.ranks.pandas()
    prediction.timeline.save_npz("timeline.npz")

The module reads traces with libtimeless (ctypes), and replays with the program ``timeless``. NumPy and pandas are
optional: without them, columns are lists, and .npz files are written nevertheless.

TIMELESS_LIBRARY and TIMELESS_PROGRAM name the library and the program, if they are not where the system finds them.
"""
from __future__ import annotations

import array
import csv
import ctypes
import ctypes.util
import json
import os
import shutil
import struct
import subprocess
import tempfile
import zipfile
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

__all__ = ["Columns", "Error", "Prediction", "Rank", "Trace", "NONE"]

#: Value of peer, tag, recv_peer and recv_tag of calls that have none. Other negative values are those of the trace:
#: -1 for MPI_PROC_NULL (peers) and MPI_ANY_TAG (tags), -2 for MPI_ANY_SOURCE, -3 for MPI_ROOT.
NONE = -9

Column = Union[array.array, List[Any]]


class Error(Exception):
    """What the library or the program reports."""


# ---- columns ----


class Columns(Mapping[str, Column]):
    """A table by columns, all of the same length: arrays of numbers, or lists of texts and tuples."""

    def __init__(self, columns: Dict[str, Column]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Column:
        if name not in self._columns:
            raise KeyError("there is no column '%s'; there are %s" % (name, ", ".join(self._columns)))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        """Number of columns."""
        return len(self._columns)

    @property
    def n_rows(self) -> int:
        return len(next(iter(self._columns.values()), []))

    def numpy(self, name: Optional[str] = None) -> Any:
        """One column as an array; without a name, a dictionary of all. Texts and tuples have the dtype object."""
        numpy = _need("numpy", "python3-numpy")
        if name is None:
            return {column: self.numpy(column) for column in self}
        column = self._columns[name]
        if isinstance(column, array.array):
            return numpy.array(column, dtype=column.typecode)
        result = numpy.empty(len(column), dtype=object)
        result[:] = column
        return result

    def pandas(self) -> Any:
        """A DataFrame with these columns."""
        pandas = _need("pandas", "python3-pandas")
        return pandas.DataFrame({name: self.numpy(name) for name in self})

    def save_npz(self, path: str) -> None:
        """Writes an .npz file (numpy.load). A text is an array of bytes in UTF-8; a column of tuples becomes two
        arrays: NAME, all values one behind the other, and NAME_end, the end of each row's values."""
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
            for name, column in self._columns.items():
                for array_name, data in _npy(name, column).items():
                    out.writestr(array_name + ".npy", data)


def _need(module: str, package: str) -> Any:
    try:
        return __import__(module)
    except ImportError:
        raise Error(
            f"this needs {module}, which is not installed: install the package {package}, or 'pip install {module}'; "
            "without it, columns are lists, and save_npz works"
        ) from None


def _npy(name: str, column: Column) -> Dict[str, bytes]:
    """The .npy files of a column, by name (numpy.lib.format, version 1.0)."""

    def file(descr: str, n: int, data: bytes) -> bytes:
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({n},), }}".encode()
        header += b" " * (-(10 + len(header) + 1) % 64) + b"\n"
        return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data

    def numbers(values: array.array) -> bytes:
        kind = "f" if values.typecode in "fd" else "u" if values.typecode.isupper() else "i"
        order = "<" if struct.pack("=H", 1) == b"\x01\x00" else ">"
        return file(f"{order}{kind}{values.itemsize}", len(values), values.tobytes())

    if isinstance(column, array.array):
        return {name: numbers(column)}
    if column and isinstance(column[0], tuple):
        flat, ends = array.array("q"), array.array("q")
        for values in column:
            flat.extend(values)
            ends.append(len(flat))
        return {name: numbers(flat), name + "_end": numbers(ends)}
    texts = [str(text).encode() for text in column]
    width = max([1] + [len(text) for text in texts])
    return {name: file(f"|S{width}", len(texts), b"".join(text.ljust(width, b"\0") for text in texts))}


# ---- the library ----


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("text", ctypes.c_char * 512)]


class _Event(ctypes.Structure):
    _fields_ = [
        ("call", ctypes.c_uint16),
        ("flags", ctypes.c_uint16),
        ("site", ctypes.c_uint32),
        ("volume", ctypes.c_uint64),
        ("polls", ctypes.c_uint32),
        ("comm", ctypes.c_uint32),
        ("new_comm", ctypes.c_uint32),
        ("request", ctypes.c_uint32),
        ("peer", ctypes.c_int32),
        ("tag", ctypes.c_int32),
        ("recv_peer", ctypes.c_int32),
        ("recv_tag", ctypes.c_int32),
        ("count", ctypes.c_int64),
        ("type_bytes", ctypes.c_int64),
        ("recv_count", ctypes.c_int64),
        ("recv_type_bytes", ctypes.c_int64),
        ("clock_ns", ctypes.c_uint64),
        ("list_len", ctypes.c_uint32),
        ("took_ns", ctypes.c_float),
        ("list", ctypes.POINTER(ctypes.c_int64)),
    ]


class _Run(ctypes.Structure):
    _fields_ = [("n_ranks", ctypes.c_uint32)] + [
        (name, ctypes.c_char_p) for name in ("volume_unit", "volume_source", "program", "mpi_library", "writer", "origin")
    ]


class _Summary(ctypes.Structure):
    _fields_ = [
        ("n_events", ctypes.c_uint64),
        ("volume", ctypes.c_uint64),
        ("clock_ns", ctypes.c_uint64),
        ("end", ctypes.c_int),
        ("host", ctypes.c_char_p),
        ("remark", ctypes.c_char_p),
        ("clock", ctypes.c_char_p),
        ("kept_open", ctypes.c_int),
        ("n_recovered", ctypes.c_uint64),
    ]


class _CallInfo(ctypes.Structure):
    _fields_ = [
        ("code", ctypes.c_uint16),
        ("name", ctypes.c_char_p),
        ("action", ctypes.c_int),
        ("slots", ctypes.c_uint32),
        ("traits", ctypes.c_uint32),
        ("dimensions", ctypes.c_char_p),
    ]


_TL_OK, _TL_END = 0, 1
_PEER, _TAG, _RECV_PEER, _RECV_TAG = 1 << 2, 1 << 3, 1 << 6, 1 << 7
_library: Optional[ctypes.CDLL] = None


def _load() -> ctypes.CDLL:
    """The library; loaded once."""
    global _library
    if _library is not None:
        return _library
    here = os.path.dirname(os.path.abspath(__file__))
    beside = os.path.join(here, "..", "..", "..", "libtimeless.so.0")  # lib/pythonX.Y/site-packages/timeless
    beside = os.path.normpath(os.path.join(here, "..", beside)) if not os.path.exists(beside) else beside
    names = [os.environ.get("TIMELESS_LIBRARY"), beside, ctypes.util.find_library("timeless"), "libtimeless.so.0"]
    reasons = []
    for name in names:
        try:
            library = ctypes.CDLL(name) if name else None
        except OSError as error:
            reasons.append(str(error))
            continue
        if library is not None:
            break
    else:
        raise Error("libtimeless.so.0 cannot be loaded; set TIMELESS_LIBRARY to its path: " + "; ".join(reasons))
    library.tl_call_by_code.restype = ctypes.POINTER(_CallInfo)
    library.tl_reader_run.restype = ctypes.POINTER(_Run)
    library.tl_cursor_error.restype = ctypes.POINTER(_Error)
    library.tl_reader_open.argtypes = [ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(_Error)]
    library.tl_reader_run.argtypes = library.tl_reader_close.argtypes = library.tl_reader_complete.argtypes = [
        ctypes.c_void_p
    ]
    library.tl_reader_rank.argtypes = [ctypes.c_void_p, ctypes.c_uint32, ctypes.POINTER(_Summary)]
    library.tl_cursor_open.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.POINTER(ctypes.c_void_p),
        ctypes.POINTER(_Error),
    ]
    library.tl_cursor_next.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Event)]
    library.tl_cursor_error.argtypes = library.tl_cursor_close.argtypes = [ctypes.c_void_p]
    library.tl_site_name.argtypes = [
        ctypes.c_void_p,
        ctypes.c_uint32,
        ctypes.c_uint32,
        ctypes.c_char_p,
        ctypes.c_size_t,
    ]
    library.tl_site_name.restype = None
    _library = library
    return library


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode("utf-8", "replace")


class Rank:
    """One rank of a trace: host, number of events, sum of the volumes, and whether its part ended as it should."""

    def __init__(self, summary: _Summary) -> None:
        self.host = _text(summary.host)
        self.n_events = int(summary.n_events)
        self.volume = int(summary.volume)
        self.is_finalized = summary.end == 1


class Trace:
    """An opened trace: a file, a program ("hpl:N=1000,P=2,Q=2"), or a text trace of SimGrid."""

    def __init__(self, path: Union[str, "os.PathLike[str]"]) -> None:
        self.path = os.fspath(path)
        self._reader = ctypes.c_void_p()
        error = _Error()
        if _load().tl_reader_open(os.fsencode(self.path), ctypes.byref(self._reader), ctypes.byref(error)):
            raise Error(_text(error.text))
        run = _load().tl_reader_run(self._reader).contents
        self.n_ranks = int(run.n_ranks)
        self.volume_unit = _text(run.volume_unit)
        self.volume_source = _text(run.volume_source)
        self.program = _text(run.program)
        self._names: Dict[int, _CallInfo] = {}

    def __enter__(self) -> "Trace":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_reader", None):
            self.close()

    def close(self) -> None:
        """Closes the file. A trace that is no longer used is closed, too."""
        if self._reader:
            _load().tl_reader_close(self._reader)
        self._reader = ctypes.c_void_p()

    def _opened(self) -> ctypes.c_void_p:
        if not self._reader:
            raise Error(f"{self.path}: the trace was closed; open it again")
        return self._reader

    @property
    def is_complete(self) -> bool:
        """Whether every rank is there, undamaged, and reached MPI_Finalize (or is a cut)."""
        return bool(_load().tl_reader_complete(self._opened()))

    def rank(self, rank: int) -> Rank:
        summary = _Summary()
        if not 0 <= rank < self.n_ranks or _load().tl_reader_rank(self._opened(), rank, ctypes.byref(summary)):
            raise Error(f"{self.path}: there is no rank {rank}; give one from 0 to {self.n_ranks - 1}")
        return Rank(summary)

    def _call(self, code: int) -> _CallInfo:
        if code not in self._names:
            self._names[code] = _load().tl_call_by_code(code).contents
        return self._names[code]

    def site(self, rank: int, site: int) -> str:
        """A call site of a rank, for people: "exchange (halo.c:66)"; "?" if it is unknown."""
        text = ctypes.create_string_buffer(512)
        _load().tl_site_name(self._opened(), rank, site, text, len(text))
        return _text(text.value)

    def events(self, ranks: Union[None, int, Sequence[int]] = None) -> Columns:
        """The events of all ranks, of one, or of some: one a row, in the order of the ranks.

        Columns: rank, event (number within the rank), call (name), site (number, see site()), volume (computation
        since the previous event, in volume_unit), polls, comm, new_comm, request, peer, tag, recv_peer, recv_tag,
        count, type_bytes, recv_count, recv_type_bytes, flags, clock_ns, took_ns, list (a tuple: counts, requests, ranks or
        sizes of a kernel). See struct tl_event in timeless.h."""
        if ranks is None:
            ranks = range(self.n_ranks)
        elif isinstance(ranks, int):
            ranks = [ranks]
        signed = ("peer", "tag", "recv_peer", "recv_tag")
        wide = ("count", "type_bytes", "recv_count", "recv_type_bytes")
        small = ("site", "polls", "comm", "new_comm", "request", "flags")
        columns: Dict[str, Column] = {"rank": array.array("I"), "event": array.array("Q"), "call": []}
        columns.update({name: array.array("I") for name in small})
        columns.update({name: array.array("i") for name in signed})
        columns.update({name: array.array("q") for name in wide})
        columns.update(volume=array.array("Q"), clock_ns=array.array("Q"), took_ns=array.array("f"), list=[])
        for rank in ranks:
            self.rank(rank)
            self._read(rank, columns)
        return Columns(columns)

    def _read(self, rank: int, columns: Dict[str, Column]) -> None:
        library, cursor, error, event = _load(), ctypes.c_void_p(), _Error(), _Event()
        if library.tl_cursor_open(self._opened(), rank, ctypes.byref(cursor), ctypes.byref(error)):
            raise Error(_text(error.text))
        calls, lists, at = columns["call"], columns["list"], ctypes.byref(event)
        slots_of = (("peer", _PEER), ("tag", _TAG), ("recv_peer", _RECV_PEER), ("recv_tag", _RECV_TAG))
        plain = [
            (name, column.append)
            for name, column in columns.items()
            if name not in ("rank", "event", "call", "list", "peer", "tag", "recv_peer", "recv_tag")
        ]
        number = 0
        try:
            status = library.tl_cursor_next(cursor, at)
            while status == _TL_OK:
                info = self._call(event.call)
                columns["rank"].append(rank)
                columns["event"].append(number)
                calls.append(_text(info.name))
                for name, append in plain:
                    append(getattr(event, name))
                for name, slot in slots_of:
                    columns[name].append(getattr(event, name) if info.slots & slot else NONE)
                lists.append(tuple(event.list[: event.list_len]) if event.list_len else ())
                number += 1
                status = library.tl_cursor_next(cursor, at)
            if status != _TL_END:
                raise Error(_text(library.tl_cursor_error(cursor).contents.text))
        finally:
            library.tl_cursor_close(cursor)

    def replay(
        self, platform: Optional[str] = None, timeline: bool = False, options: Sequence[str] = ()
    ) -> "Prediction":
        """Predicts with 'timeless replay'; `options` are further ones of its command line, as ["--no-compute"]."""
        return _replay(self.path, platform, timeline, options)


# ---- predictions ----


class Prediction:
    """A prediction of 'timeless replay --json'.

    json: all of it, as a dictionary; makespan_s; ranks: a row for each rank (host, end_s, compute_s, ...);
    marks: a row for each mark and rank (call, site, ordinal, rank, measured_s, predicted_s);
    timeline: a row for each state of a rank (rank, begin_s, end_s, state, call, site, bytes, peer, ...), or None."""

    def __init__(self, data: Dict[str, Any], timeline: Optional[Columns] = None) -> None:
        if data.get("format") != "timeless-prediction-1":
            raise Error("not a prediction that 'timeless replay --json' wrote")
        self.json = data
        self.makespan_s = float(data["makespan_s"])
        self.timeline = timeline

    @classmethod
    def read(cls, path: str) -> "Prediction":
        with open(path, encoding="utf-8") as file:
            return cls(json.load(file))

    @property
    def ranks(self) -> Columns:
        rows = self.json["ranks"]
        columns: Dict[str, Column] = {"rank": array.array("I", range(len(rows))), "host": [row["host"] for row in rows]}
        for name in sorted(set().union(*rows) - {"host"}) if rows else []:
            kind = "q" if name == "events" else "d"
            columns[name] = array.array(kind, [row.get(name, 0) for row in rows])
        return Columns(columns)

    @property
    def marks(self) -> Columns:
        columns: Dict[str, Column] = {
            "call": [],
            "site": [],
            "ordinal": array.array("I"),
            "rank": array.array("I"),
            "measured_s": array.array("d"),
            "predicted_s": array.array("d"),
        }
        for mark in self.json["marks"]:
            for rank, (measured, predicted) in enumerate(zip(mark["measured_s"], mark["predicted_s"])):
                row = (mark["call"], mark["site"], mark["ordinal"], rank, measured, predicted)
                for column, value in zip(columns.values(), row):
                    column.append(value)
        return Columns(columns)


def _read_timeline(path: str) -> Columns:
    kinds = {"job": "I", "rank": "I", "bytes": "q", "peer": "i", "communicator": "i"}
    kinds.update({name: "d" for name in ("begin_s", "end_s", "wait_s")})
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.reader(file)
        names = next(rows)
        columns: Dict[str, Column] = {name: array.array(kinds[name]) if name in kinds else [] for name in names}
        for row in rows:
            for name, value in zip(names, row):
                kind = kinds.get(name)
                columns[name].append(value if kind is None else float(value) if kind == "d" else int(value or NONE))
    return Columns(columns)


def _replay(path: str, platform: Optional[str], timeline: bool, options: Sequence[str]) -> Prediction:
    program = os.environ.get("TIMELESS_PROGRAM") or shutil.which("timeless")
    if not program:
        raise Error("the program timeless is not in the PATH; set TIMELESS_PROGRAM to its path")
    with tempfile.TemporaryDirectory() as folder:
        result, states = os.path.join(folder, "prediction.json"), os.path.join(folder, "timeline.csv")
        words = [program, "replay", path, "--json=" + result, *options]
        words += ["--platform", platform] if platform else []
        words += ["--timeline", states] if timeline else []
        run = subprocess.run(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
        if run.returncode:
            raise Error(_text(run.stderr).strip().replace("timeless: ", "", 1))
        with open(result, encoding="utf-8") as file:
            data = json.load(file)
        return Prediction(data, _read_timeline(states) if timeline else None)
