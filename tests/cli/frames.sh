#!/usr/bin/env bash
# dump --csv and the Python module: the events of the sample traces, predictions and timelines, as columns.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 1
export TIMELESS_PLATFORMS=$top_srcdir/platforms PYTHONPATH=$top_srcdir/python PYTHONDONTWRITEBYTECODE=1
export TIMELESS_LIBRARY=$top_builddir/compress/.libs/libtimeless.so.0 TIMELESS_PROGRAM=$timeless
[ -z "$SANITIZE" ] || export LD_PRELOAD=$(gcc -print-file-name=libasan.so) ASAN_OPTIONS=detect_leaks=0
# The Python that has the distribution's NumPy and pandas; another one without site packages has neither.
with=/usr/bin/python3 without="/usr/bin/python3 -S"
trace=$top_srcdir/traces/hpl-4.tl

check 'Python: a trace that is not closed keeps no file open' /usr/bin/python3 -c 'import os, sys, timeless
for _ in range(300): timeless.Trace(sys.argv[1]).rank(0)
sys.exit(len(os.listdir("/proc/self/fd")) > 20)' "$trace"
check 'dump --csv writes a file' "$timeless" dump --csv=events.csv "$trace"
cp out said
check 'dump --csv=FILE prints nothing' test ! -s said
"$timeless" dump "$trace" >text; "$timeless" dump --csv "$trace" >printed
check 'dump --csv prints the same' cmp events.csv printed
check 'dump --csv and --json both to standard output are refused' sh -c '! "$0" dump --csv --json "$1"' "$timeless" "$trace"
check 'dump --csv of a part has its rows' sh -c '"$0" dump --csv --rank 1 --events 5:7 "$1" | cut -d, -f1,2 | tr "\n" " " |
    grep -qx "rank,event 1,5 1,6 "' "$timeless" "$trace"

# Each row is the event of the text form: the values of its pairs stand in the columns of their names.
cat >rows.py <<'END'
import csv, re, sys
names = {"any": {"peer": "-2", "tag": "-1", "recv_peer": "-2", "recv_tag": "-1"}, "null": "-1", "root": "-3"}
events = [line.rstrip("\n") for line in open("text") if re.match(r"\d+ \d+ \S", line)]
rows = list(csv.DictReader(open("events.csv")))
assert len(rows) == len(events) > 1000, (len(rows), len(events))
for line, row in zip(events, rows):
    rank, number, call, *pairs = line.split(" ")
    assert [row["rank"], row["event"], row["call"]] == [rank, number, call], line
    for pair in pairs:
        name, value = pair.split("=", 1)
        if name == "list":
            assert row["list"].split() == value.strip("[]").split(","), (line, row)
        elif name in row and name != "site":
            value = names[value][name] if value == "any" else names.get(value, value)
            assert row[name] == value, (line, row)
END
check 'dump --csv: the rows are the events of the text form' $with rows.py
cat >same.py <<'END'
import csv, os, subprocess, sys, timeless
for path in sys.argv[1:]:
    rows = list(csv.DictReader(subprocess.run([os.environ["TIMELESS_PROGRAM"], "dump", "--csv", path],
                                              stdout=subprocess.PIPE, text=True).stdout.splitlines()))
    with timeless.Trace(path) as trace:
        events = trace.events()
        assert trace.is_complete and events.n_rows == len(rows) == sum(trace.rank(r).n_events for r in range(trace.n_ranks))
        for name in ("rank", "event", "call", "volume", "polls", "peer", "tag", "recv_peer", "recv_tag",
                     "count", "type_bytes", "list", "clock_ns"):
            none = timeless.NONE if "peer" in name or "tag" in name else 0
            for value, row in zip(events[name], rows):
                text = " ".join(map(str, value)) if name == "list" else str(value)
                assert text == row[name] or (row[name] == "" and (value == none or name == "list")), (path, name, value, row)
END
check 'the module reads the events of all sample traces, without NumPy' $without same.py "$top_srcdir"/traces/*.tl
check 'the module reads a program and one of its ranks' $without -c '
import timeless
with timeless.Trace("hpl:N=200,NB=32,P=2,Q=2") as trace:
    events = trace.events(1)
assert trace.n_ranks == 4 and set(events["rank"]) == {1} and "dgemm" in events["call"]
assert len(events["list"][events["call"].index("dgemm")]) == 3'
cat >frames.py <<'END'
import numpy, pandas, sys, timeless
trace = timeless.Trace(sys.argv[1])
events = trace.events()
frame = events.pandas()
assert list(frame.columns) == list(events) and len(frame) == events.n_rows
read = pandas.read_csv("events.csv")
assert (read["volume"] == frame["volume"]).all() and read["peer"].isna().sum() == (frame["peer"] == timeless.NONE).sum()
events.save_npz("events.npz")
with numpy.load("events.npz") as saved:
    for name in events:
        if name == "list":
            parts = numpy.split(saved["list"], saved["list_end"][:-1])
            assert [tuple(p) for p in parts] == events["list"]
        elif name == "call":
            assert [text.decode() for text in saved["call"]] == events["call"]
        else:
            assert (saved[name] == events.numpy(name)).all() and saved[name].dtype == events.numpy(name).dtype
prediction = trace.replay("star-1g", timeline=True, options=["--ranks-per-host", "1"])
assert abs(prediction.ranks.numpy("end_s").max() - prediction.makespan_s) < 1e-12
states = prediction.timeline.pandas()
assert abs(states["end_s"].max() - prediction.makespan_s) < 1e-12 and set(states["rank"]) == {0, 1, 2, 3}
assert len(prediction.marks.pandas()) % 4 == 0
END
check 'NumPy, pandas, .npz, prediction and timeline agree' $with frames.py "$trace"
check 'without NumPy, numpy() names the package' $without -c '
import sys, timeless
try:
    timeless.Trace(sys.argv[1]).events(0).numpy("volume")
except timeless.Error as error:
    assert "python3-numpy" in str(error)
else:
    raise SystemExit("no error")' "$trace"
check 'without NumPy, save_npz writes what NumPy reads' sh -c \
    '$1 -c "import sys, timeless; timeless.Trace(sys.argv[1]).events(0).save_npz(\"plain.npz\")" "$3" &&
    $2 -c "import numpy; assert numpy.load(\"plain.npz\")[\"volume\"].sum() > 0"' - "$without" "$with" "$trace"
check 'errors of the library and of the program are exceptions' $without -c '
import timeless
for call in (lambda: timeless.Trace("nowhere.tl"), lambda: timeless.Trace("hpl:N=50,P=1,Q=1").replay("nowhere")):
    try:
        call()
    except timeless.Error as error:
        assert "nowhere" in str(error), error
    else:
        raise SystemExit("no error")'
check 'the example prints its tables' sh -c 'cd "$0" && cp -r "$1" traces && $2 "$3/python/examples/communication.py"' \
    "$scratch" "$top_srcdir/traces" "$with" "$top_srcdir"
cp out said
check 'the example finds the bytes and writes the timeline' sh -c 'grep -q "^MPI_Send .* bytes, median" said &&
    grep -q "^compute" said && [ -s timeline.npz ]'
check 'a column that does not exist is answered by the names of all' $with -c '
import timeless
try:
    timeless.Columns({"call": [], "volume": []})["calls"]
except KeyError as e:
    assert "there is no column '"'calls'"'; there are call, volume" in str(e), e
else:
    raise AssertionError'
# The commands of python/README.md, as they stand there.
sed -n '/^```python/,/^```/p' "$top_srcdir/python/README.md" | sed '1d;$d' >readme.py
check 'the commands of python/README.md run' $with readme.py

durations() { sed 's/^volume_unit .*/volume_unit "cpu-ns"/;s/^\([0-9]* [0-9]* MPI_[BRS].*\) volume=/\1 took_ns=9223372036854775808 volume=/' text |
    "$timeless" undump - -o took.tl && "$timeless" dump took.tl >text && "$timeless" dump --csv=events.csv took.tl && grep -q took_ns=9 text; }
check 'dump --csv: a trace with the longest durations' durations
check 'dump --csv: and they are those of the text form' $with rows.py
check 'dump --json has them, as texts' grep -q '"took_ns":"9223372036854775808"' <("$timeless" dump --json took.tl)
tap_done
