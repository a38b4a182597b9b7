#!/usr/bin/env python3
"""Errors of predicted seconds of HPL: dahu_compare.py PREDICTED.csv MEASURED.csv

Joins the table of dahu.sh with measurements by N, NB, P, Q, bcast, swap and depth.  Predictions of several seeds are
averaged.  For each experiment and each way of predicting it prints
  bias, median, worst, sd    of (predicted / measured - 1): mean, median and largest of the absolute values, deviation
  within 5 %                 rows
  tau                        Kendall's tau-b between measured and predicted seconds
  cost                       what the row predicted fastest costs more than the fastest one, as measured
and how predicted and measured seconds change with DEPTH and NB where all else is the same."""
import collections
import csv
import itertools
import statistics
import sys

SHAPE = ("N", "NB", "P", "Q", "bcast", "swap", "depth")
WAY = ("dgemm", "network", "variant", "engine", "options")


def shape_of(row):
    return tuple(int(row[c]) for c in SHAPE)


def sign(x):
    return (x > 0) - (x < 0)


def kendall(pairs):
    """tau-b; None if all are equal on a side"""
    both = ties_a = ties_b = n = 0
    for (a, b), (c, d) in itertools.combinations(pairs, 2):
        n += 1
        ties_a += a == c
        ties_b += b == d
        both += sign(a - c) * sign(b - d)
    scale = ((n - ties_a) * (n - ties_b)) ** 0.5
    return both / scale if scale else None


def effects(rows, column):
    """[(shape of the lower value, measured change, predicted change)]"""
    at = SHAPE.index(column)
    for (one, m1, p1), (two, m2, p2) in itertools.permutations(rows, 2):
        if one[at] < two[at] and one[:at] + one[at + 1:] == two[:at] + two[at + 1:]:
            yield m2 / m1 - 1, p2 / p1 - 1


def summary(rows):
    errors = [p / m - 1 for _, m, p in rows]
    sizes = [abs(e) for e in errors]
    tau = kendall([(m, p) for _, m, p in rows])
    chosen = min(rows, key=lambda r: r[2])[1]
    print(f"  {len(rows)} rows: bias {statistics.mean(errors):+.1%}, median {statistics.median(sizes):.1%}, "
          f"worst {max(sizes):.1%}, sd {statistics.pstdev(errors):.1%}, within 5 %: {sum(s <= 0.05 for s in sizes)}, "
          f"tau {'none' if tau is None else format(tau, '.2f')}, cost {chosen / min(m for _, m, _ in rows) - 1:.1%}")
    for column in ("depth", "NB"):
        changes = list(effects(rows, column))
        if changes:
            right = sum(sign(m) == sign(p) for m, p in changes)
            print(f"  {column}: measured {statistics.mean(m for m, _ in changes):+.1%}, predicted "
                  f"{statistics.mean(p for _, p in changes):+.1%}, the same sign in {right} of {len(changes)} pairs")


def main():
    predicted = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(open(sys.argv[1], newline="")):
        predicted[tuple(row[c] for c in WAY)][shape_of(row)].append(row)
    measured = collections.defaultdict(dict)
    for row in csv.DictReader(open(sys.argv[2], newline="")):
        measured[row["experiment"]][shape_of(row)] = float(row["median_s"])
    n = 0
    for experiment, runs in measured.items():
        for way, table in predicted.items():
            rows = [(s, runs[s], statistics.mean(float(r["seconds"]) for r in table[s])) for s in runs if s in table]
            if not rows:
                continue
            n += len(rows)
            print(f"{experiment}: " + " ".join(w for w in way if w))
            print("  " + " ".join(f"{c:>6}" for c in SHAPE) + "   measured  predicted   error      CPU seconds")
            for shape, m, p in rows:
                cpu = sum(float(r["cpu_s"]) for r in table[shape])
                print("  " + " ".join(f"{v:6d}" for v in shape) + f" {m:10.2f} {p:10.2f} {p / m - 1:+7.1%} {cpu:12.0f}")
            summary(rows)
    if not n:
        sys.exit("dahu_compare.py: no row has been predicted and measured")


main()
