#!/usr/bin/env python3
"""Is the clock of Dahu's cores that of their own work?  dahu_clock.py PREDICTED.csv FREQUENCY.csv

PREDICTED.csv is a table of dahu.sh, FREQUENCY.csv has the columns P, Q and median_GHz of the geometry runs.  Prints for each
grid the share of dgemm and dtrsm in the predicted seconds, and the clock of cores that have 2.18 GHz in these kernels and
2.8 GHz otherwise, whatever their neighbours do; then the errors, and the line through the measured clocks."""
import csv
import pathlib
import re
import statistics
import sys

N, NB = 250000, 128
DGEMM_GHZ, OTHER_GHZ, AVX2_GHZ = 2.18, 2.8, 2.4
MODEL = pathlib.Path(__file__).parents[2] / "platforms/dahu/calibrations/dgemm-2020-07/model.conf"


def seconds_of(kernel):
    """The terms of the mean CPU; the last piece is the one of K = 128."""
    line = next(l for l in MODEL.read_text().splitlines() if f'kernel = "{kernel}"' in l)
    terms = re.findall(r"seconds = \{([^}]*)\}", line)[-1]
    return {name: float(value) for name, value in re.findall(r"(\w+) = ([^;]+);", terms)}


def share(p, q, total):
    dgemm, dtrsm = seconds_of("dgemm"), seconds_of("dtrsm")
    busy = 0
    for left in range(NB, N, NB):
        m, n = left / p, left / q
        busy += dgemm["mnk"] * m * n * NB + dgemm["mn"] * m * n + (dgemm["mk"] * m + dgemm["nk"] * n) * NB
        busy += dtrsm["work"] * NB * NB * n
    return busy / total


def read(name):
    with open(name, newline="") as file:
        return list(csv.DictReader(file))


predicted = {}
for r in read(sys.argv[1]):
    if r["block"] == "geometry" and r["swap"] == "0":
        predicted.setdefault((r["P"], r["Q"]), []).append(float(r["seconds"]))
rows = []
for r in read(sys.argv[2]):
    x = share(int(r["P"]), int(r["Q"]), statistics.mean(predicted[r["P"], r["Q"]]))
    rows.append((int(r["P"]), x, float(r["median_GHz"])))
    print(f"{r['P']:>4} x {r['Q']:<4} share {x:.2f}  measured {rows[-1][2]:.3f}  "
          f"own work {x * DGEMM_GHZ + (1 - x) * OTHER_GHZ:.3f} GHz")
for ghz in (DGEMM_GHZ, AVX2_GHZ):
    errors = [(x * ghz + (1 - x) * OTHER_GHZ) / clock - 1 for _, x, clock in rows]
    print(f"{ghz} GHz in dgemm: bias {statistics.mean(errors):+.1%}, root mean square "
          f"{statistics.mean(e * e for e in errors) ** 0.5:.1%}, worst {max(map(abs, errors)):.1%}")
shares, clocks = zip(*((x, clock) for p, x, clock in rows if p >= 10))
slope, start = statistics.linear_regression(shares, clocks)
deviation = statistics.pstdev(c - start - slope * x for x, c in zip(shares, clocks))
print(f"P >= 10: {start:.2f} GHz at share 0, {start + slope:.2f} GHz at share 1, standard deviation {deviation:.3f} GHz")
