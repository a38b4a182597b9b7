"""run.py - called by conformance.sh for one MPI: compiles, runs and replays each program, and appends a line to the results.

Columns of the results:
  untraced  "exit N": two runs without the tracer had the same output and this exit code; otherwise why not
  traced    "equal": output and exit code of a run under `timeless record` are these; otherwise what differs.  A program
            without MPI_Init has no trace: `timeless record` then exits with 3 instead of 0, as documented
  trace     "complete", "incomplete", or the reason why there is none
  replay    "replayed", or the reason
"""

import collections
import csv
import hashlib
import os
import pathlib
import re
import shlex
import signal
import subprocess
import sys

LIMIT_S = int(os.environ["LIMIT"])
MAX_RANKS = 8
ENOUGH = 450
COLUMNS = ["program", "ranks", "untraced", "traced", "trace", "replay"]
NOT_ITS_FOLDERS = {"f77", "f90", "f08", "cxx", "ckpoint", "ft", "perf", "manual"}


def variants(folder):
    """Programs that are made from the source of another one: name -> (source, flags)."""
    text = (folder / "Makefile.am").read_text() if (folder / "Makefile.am").exists() else ""
    text = text.replace("\\\n", " ")
    found = {}
    for name, sources in re.findall(r"^(\w+)_SOURCES *= *(.*)$", text, re.M):
        if len(sources.split()) != 1:
            continue
        flags = re.search(rf"^{name}_CPPFLAGS *= *(.*)$", text, re.M)
        flags = [word for word in shlex.split(flags.group(1)) if word.startswith("-D")] if flags else []
        found[name] = (folder / sources.strip(), flags)
    return found


def programs(suite):
    """(name, source, flags, ranks, arguments) of each program, with the first arguments that the suite has for it."""
    typed = {}  # programs that take a datatype, with their number of ranks
    for line in (suite / "maint/dtp-test-config.txt").read_text().splitlines():
        if not line.startswith("#") and line.count(":") > 4:
            typed.setdefault(line.split(":")[0], int(line.split(":")[4]))
    typed_arguments = ["-type=MPI_INT", "-count=17", "-sendcnt=17", "-recvcnt=17", "-seed=1", "-testsize=4"]
    found = {}

    def walk(folder):
        lists = [folder / name for name in ("testlist.in", "testlist") if (folder / name).exists()]
        made = variants(folder)
        for line in lists[0].read_text().splitlines() if lists else []:
            words = re.sub(r"@(\w+)tests?@", "", line.lstrip("#") if folder == suite else line.split("#")[0]).split()
            if not words:
                continue
            if len(words) == 1 or not words[1].isdigit():
                below = folder / re.sub(r"@(\w+)dir@", r"\1", words[0])
                if below.is_dir() and below.name not in NOT_ITS_FOLDERS:
                    walk(below)
                continue
            name = str((folder / words[0]).relative_to(suite))
            source, flags = made.get(words[0], (folder / f"{words[0]}.c", []))
            if name in found or not source.exists():
                continue
            arguments = typed_arguments if name in typed else [word[4:] for word in words[2:] if word.startswith("arg=")]
            found[name] = (name, source, flags, min(int(words[1]), MAX_RANKS), arguments)

    walk(suite)
    for name, ranks in typed.items():
        source, flags = variants((suite / name).parent).get((suite / name).name, (suite / f"{name}.c", []))
        if name not in found and source.exists():
            found[name] = (name, source, flags, min(ranks, MAX_RANKS), typed_arguments)
    # In an order that mixes the parts of the suite: a run that is interrupted has some of each.
    return sorted(found.values(), key=lambda program: hashlib.sha256(program[0].encode()).digest())


def end_processes(build):
    """Ends what a run has left behind: the processes whose program is in this folder."""
    for entry in pathlib.Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and os.readlink(entry / "exe").startswith(f"{build}/bin/"):
                os.kill(int(entry.name), signal.SIGKILL)
        except OSError:
            pass


def run(command, build, preload=""):
    """(exit code or 'time limit', output).  The output has its lines sorted; numbers of processes and of jobs, addresses and
    the stacks of crashes are left out."""
    environment = dict(os.environ, LD_PRELOAD=preload, TMPDIR=str(build))
    process = subprocess.Popen(command, cwd=build / "work", env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        output, _ = process.communicate(timeout=LIMIT_S)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.terminate()
        try:
            process.communicate(timeout=2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        end_processes(build)
        process.communicate()
        return "time limit", ""
    end_processes(build)
    text = output[-200000:].decode("latin-1")
    text = re.sub(r"0x[0-9a-f]+|\bpid:? *\d+|:\d+\]|PID \d+|\(pid \d+\)|\[\d{5,},\d+\]|\[\[\d+,\d+\],\d+\]", "#", text)
    text = re.sub(r"^\[\S+# \[ *\d+\] .*\n", "", text, flags=re.M)  # stack of a rank that crashed
    text = re.sub(r"^-{60,}\n.*?^-{60,}\n", "", text, flags=re.M | re.S)  # of the launcher: which rank ended first
    lines = sorted(line for line in text.splitlines() if not line.startswith("timeless: "))
    return code, "\n".join(lines)


def first_message(text):
    """The reason in a message of Timeless, without what differs from run to run."""
    lines = [line for line in text.splitlines() if line.startswith("timeless: ")]
    return re.sub(r"^timeless: (\S+\.tl(:\d+)?: )?", "", lines[-1])[:160] if lines else "no message"


def trace_of(trace):
    if not trace.exists():
        return "no trace"
    info = subprocess.run([os.environ["TIMELESS"], "info", trace], capture_output=True, text=True)
    found = re.search(r"^complete +(.*)", info.stdout, re.M)
    if not found:
        return first_message(info.stderr)
    return "complete" if found.group(1).startswith("yes") else f"incomplete: {found.group(1)}"[:160]


def replay(trace, ranks):
    command = [os.environ["TIMELESS"], "replay", trace, "--platform", os.environ["PLATFORM"], "--io-bandwidth", "100MBps"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return "time limit"
    return "replayed" if done.returncode == 0 else f"exit {done.returncode}: {first_message(done.stderr)}"


def try_program(program, mpirun, build):
    name, source, flags, ranks, arguments = program
    binary = build / "bin" / name
    binary.parent.mkdir(parents=True, exist_ok=True)
    binary.unlink(missing_ok=True)
    threads = name.startswith("threads/") or "mpithreadtest.h" in source.read_text(errors="replace")
    own = [str(build / f"util/mtest_{'thread' if threads else 'single'}.o"), str(build / "libmtest.a"), "-lm", "-lpthread"]
    compiled = subprocess.run([*shlex.split(os.environ["COMPILE"]), f"-I{source.parent}", *flags, "-o", binary, source, *own],
                              capture_output=True, text=True)
    if compiled.returncode:
        return ["does not build", "", "", ""]
    preload = str(build.parent / "yield.so") if build.name == "mpich" else ""
    command = [*shlex.split(mpirun), str(ranks), str(binary), *arguments]
    trace = build / "work.tl"
    for old in build.glob("work.tl*"):
        old.unlink()
    first = run(command, build, preload)
    if first[0] == "time limit":
        return ["time limit", "", "", ""]
    if run(command, build, preload) != first:
        return ["differs from run to run", "", "", ""]
    traced = run([os.environ["TIMELESS"], "record", "-o", str(trace), "--", *command], build, preload)
    if traced[0] == 3 and first[0] == 0 and not trace.exists():
        traced = (0, traced[1])
    if traced != first:
        # Not each program that ran alike twice does so always.
        again = [run(command, build, preload) for _ in range(3)]
        if any(other != first for other in again):
            return ["differs from run to run", "", "", ""]
        (build / "differs").mkdir(exist_ok=True)
        (build / "differs" / name.replace("/", "-")).write_text(f"{first[0]}\n{first[1]}\n--- traced\n{traced[0]}\n{traced[1]}\n")
    state = trace_of(trace)
    equal = "equal" if traced == first else f"exit {traced[0]}" if traced[0] != first[0] else "other output"
    replayed = replay(trace, ranks) if state.startswith(("complete", "incomplete")) else ""
    return [f"exit {first[0]}", equal, state, replayed]


def summary(rows, mpi):
    built = [row for row in rows if row["untraced"] != "does not build"]
    alike = [row for row in built if row["untraced"].startswith("exit")]
    equal = [row for row in alike if row["traced"] == "equal"]
    complete = [row for row in alike if row["trace"] == "complete"]
    replayed = [row for row in alike if row["replay"] == "replayed"]
    print(f"{mpi}: {len(built)} programs built, {len(alike)} ran alike twice without the tracer, {len(equal)} of these ran alike "
          f"with it, {len(complete)} traces are complete, {len(replayed)} were replayed")
    for title, column, good in (("untraced", "untraced", None), ("traced", "traced", "equal"), ("trace", "trace", "complete"),
                                ("replay", "replay", "replayed")):
        reasons = collections.Counter(row[column] for row in (rows if column == "untraced" else alike))
        for reason, count in reasons.most_common():
            if reason != good and not (column == "untraced" and reason.startswith("exit")):
                print(f"  {title}: {count} {reason or 'no trace'}")
    return len(alike) >= ENOUGH and len(equal) == len(alike)


def main():
    only_summary = sys.argv[1] == "--summary"
    mpi, mpirun, suite, build, results, *names = sys.argv[2:] if only_summary else sys.argv[1:]
    build, results = pathlib.Path(build), pathlib.Path(results)
    rows = list(csv.DictReader(results.open())) if results.exists() else []
    if not only_summary:
        (build / "work").mkdir(exist_ok=True)
        rows = [row for row in rows if row["program"] not in names]
        done = {row["program"] for row in rows}
        for program in programs(pathlib.Path(suite)):
            if program[0] in done or (names and program[0] not in names):
                continue
            rows.append(dict(zip(COLUMNS, [program[0], program[3], *try_program(program, mpirun, build)])))
            print(",".join(str(field) for field in rows[-1].values()), flush=True)
            new = results.with_suffix(".new")
            with new.open("w", newline="") as file:
                writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
                writer.writeheader()
                writer.writerows(sorted(rows, key=lambda row: row["program"]))
            new.replace(results)
    return 0 if summary(rows, mpi) else 1


if __name__ == "__main__":
    sys.exit(main())
