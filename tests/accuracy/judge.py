#!/usr/bin/env python3
"""Judges predictions: judge.py [--bar NAME=VALUE,...] FILE...

A FILE has one of two forms:
  - the table that cluster.sh prints; text before its header is ignored, and the table ends at an empty line or at ```,
    so that a page with such a table is a FILE, too
  - CSV with the columns group,program,case,measured_s,predicted_s[,naive_bytes_s,naive_hockney_s]; the naive ones may
    be empty
Lines that begin with # are ignored.  The error of a row is predicted / measured - 1.  For each group of rows, and for
all rows, judge.py prints
  bias      mean of the signed errors
  median    of the absolute errors
  p90       90th percentile of the absolute errors, interpolated between the two nearest rows
  worst     the largest absolute error, with its sign and its row
and for bias and median an interval of 95 %, by a bootstrap over programs: the rows of a sweep are not independent, so
whole programs are drawn, each with all its rows, 10,000 times with a fixed seed.  A program is one name: in "all" its
rows of all groups are drawn together.  With few programs such an interval is too narrow rather than too wide.

Where rows have naive predictions, judge.py prints for each of the two
  skill = 1 - (mean of |log(predicted / measured)|) / (mean of |log(naive / measured)|)
over these rows: 1 is a perfect prediction, 0 one that is as good as the naive one.  It also prints the mean factor
between each prediction and the measurement, exp(mean of |log|).  Why logarithms: naive predictions are wrong by factors.
As relative errors, a tenth of the time is an error of 90 %, and ten times the time one of 900 %; their logarithms have
the same size.  Bytes over bandwidth misses short messages by orders of magnitude, so that the skill over it is high for
any prediction that knows the latency; the skill over Hockney is the harder one.

--bar fails if a figure of all rows is beyond it: bias, median, p90, worst (absolute, in percent), skill (the lower one).
Exit code: 0, 1 a bar is missed, 2 usage, 3 bad input."""
import argparse
import collections
import csv
import math
import random
import re
import statistics
import sys

COLUMNS = ("group", "program", "case", "measured_s", "predicted_s")
NAIVE = ("naive_bytes_s", "naive_hockney_s")
HEADER = re.compile(r"hosts\s+program\s+row\s+median s\s")
DRAWS, SEED = 10000, 1


class BadInput(Exception):
    pass


class Row:
    def __init__(self, texts, where):
        self.group, self.program, self.case = (texts[c] for c in COLUMNS[:3])
        measured, predicted = (seconds(texts[c], c, where) for c in COLUMNS[3:])
        self.error = 100 * (predicted / measured - 1)
        self.log = abs(math.log(predicted / measured))
        self.naive_log = {c: abs(math.log(seconds(texts[c], c, where) / measured)) for c in NAIVE if texts.get(c)}


def seconds(text, column, where):
    try:
        value = float(text)
    except ValueError:
        value = 0
    if not 0 < value < math.inf:
        raise BadInput(f"{where}: {column} is '{text}'; it must be a positive number of seconds")
    return value


def rows_of_csv(lines, path):
    reader = csv.reader(text for _, text in lines)
    header = next(reader)
    if not set(COLUMNS) <= set(header) <= set(COLUMNS + NAIVE) or len(set(header)) < len(header):
        raise BadInput(f"{path}:{lines[0][0]}: the columns must be {','.join(COLUMNS)} and possibly {','.join(NAIVE)}")
    for fields in reader:
        where = f"{path}:{lines[reader.line_num - 1][0]}"
        if len(fields) != len(header):
            raise BadInput(f"{where}: {len(fields)} columns; the header has {len(header)}")
        yield dict(zip(header, fields)), where


def rows_of_table(lines, path):
    is_in_table = False
    for number, text in lines:
        if HEADER.match(text):
            is_in_table = True
        elif not text or text == "```":
            is_in_table = False
        elif is_in_table:
            fields = text.split()
            if len(fields) != 9:
                raise BadInput(f"{path}:{number}: {len(fields)} columns; a row of cluster.sh has 9")
            yield dict(zip(COLUMNS, fields[:4] + fields[7:8])), f"{path}:{number}"


def read(path, rows):
    """adds the file's rows to {(group, program, case): Row}"""
    try:
        with sys.stdin if path == "-" else open(path, newline="") as file:
            lines = list(enumerate(file.read().splitlines(), 1))
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: {error}") from error
    lines = [(n, text.strip()) for n, text in lines if not text.startswith("#")]
    filled = [(n, text) for n, text in lines if text]
    is_csv = bool(filled) and filled[0][1].startswith("group,")
    count = len(rows)
    for texts, where in rows_of_csv(filled, path) if is_csv else rows_of_table(lines, path):
        key = tuple(texts[c] for c in COLUMNS[:3])
        if key in rows:
            raise BadInput(f"{where}: the row {' '.join(key)} is there twice")
        rows[key] = Row(texts, where)
    if len(rows) == count:
        raise BadInput(f"{path}:1: the file has no rows")


def quantile(values, q):
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def median(errors):
    return statistics.median(map(abs, errors))


def intervals(rows):
    """of bias and median; None for a single program"""
    programs = collections.defaultdict(list)
    for row in rows:
        programs[row.program].append(row.error)
    if len(programs) < 2:
        return None, None
    draw = random.Random(SEED)
    errors = list(programs.values())
    samples = [sum(draw.choices(errors, k=len(errors)), []) for _ in range(DRAWS)]
    return [[quantile(map(figure, samples), q) for q in (0.025, 0.975)] for figure in (statistics.fmean, median)]


def print_errors(name, rows):
    errors = [row.error for row in rows]
    worst = max(rows, key=lambda row: abs(row.error))
    figures = {"bias": statistics.fmean(errors), "median": median(errors), "p90": quantile(map(abs, errors), 0.9),
               "worst": worst.error}
    texts = [f"{i[0]:+.1f} to {i[1]:+.1f}" if i else "" for i in intervals(rows)]
    print(f"  {name:<12} {len(rows):4} {figures['bias']:+7.1f} {texts[0]:>14} {figures['median']:7.1f} "
          f"{texts[1].replace('+', ''):>14} {figures['p90']:7.1f} {figures['worst']:+7.1f}  "
          f"{worst.group} {worst.program} {worst.case}")
    return figures


def print_skills(name, rows):
    skills = {}
    for naive in NAIVE:
        pairs = [(row.log, row.naive_log[naive]) for row in rows if naive in row.naive_log]
        if pairs:
            own, others = (statistics.fmean(column) for column in zip(*pairs))
            skills[naive] = 1 - own / others if others else -math.inf
            print(f"  {name:<12} {len(pairs):4} {naive[6:-2]:>9} {skills[naive]:7.3f} "
                  f"{math.exp(own):10.3f} {math.exp(others):10.3f}")
    return skills


def bars_of(text):
    bars = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        if name not in ("bias", "median", "p90", "worst", "skill") or not re.fullmatch(r"\d+(\.\d+)?", value):
            raise argparse.ArgumentTypeError(f"'{part}': bias, median, p90, worst or skill, and = with a number")
        bars[name] = float(value)
    return bars


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[0].split(": ")[1])
    parser.add_argument("--bar", type=bars_of, default={})
    parser.add_argument("files", nargs="+")
    options, rows = parser.parse_args(), {}
    for path in options.files:
        read(path, rows)
    groups = {name: [row for row in rows.values() if row.group == name] for name, _, _ in rows}
    groups["all"] = list(rows.values())
    print(f"  {'errors in %':<12} {'rows':>4} {'bias':>7} {'95 %':>14} {'median':>7} {'95 %':>14} {'p90':>7} {'worst':>7}")
    figures = [print_errors(*group) for group in groups.items()][-1]
    skills = {}
    if any(row.naive_log for row in groups["all"]):
        print(f"  {'skill':<12} {'rows':>4} {'over':>9} {'skill':>7} {'predicted':>10} {'naive':>10}  (mean factors)")
        skills = [print_skills(*group) for group in groups.items()][-1]
    figures["skill"] = min(skills.values()) if len(skills) == len(NAIVE) else None
    missed = [f"{name} {'unknown' if figures[name] is None else format(figures[name], '.3g')} (bar: {bar:g})"
              for name, bar in options.bar.items()
              if figures[name] is None or (figures[name] < bar if name == "skill" else abs(figures[name]) > bar)]
    if missed:
        print("missed: " + ", ".join(missed))
    return 1 if missed else 0


try:
    sys.exit(main())
except (BadInput, csv.Error) as error:
    print(f"judge.py: {error}", file=sys.stderr)
    sys.exit(3)
