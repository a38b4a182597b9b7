#!/usr/bin/env python3
"""noise_judge.py - judges predictions with the noise of messages against measured runs (cluster.sh -n).

    noise_judge.py [--short] NOISE_ROWS.tsv HOSTS=FOLDER...

NOISE_ROWS.tsv names the rows that count: hosts, program, case.  FOLDER of cluster.sh has drawn.tsv (program, case, seed,
seconds), predictions.tsv (program, case, seconds without noise, ...) and PROGRAM.RUN.times (lines "case seconds").

Prints each row, then three bars:
  medians   the median of the runs is in the 90 % interval of the seeds in at least 34 of 40 rows
  cover     of the single runs, 50 and 90 % are in the intervals of these shares, within 5 points
  width     the 90 % interval of the seeds is at most 3 times that of the runs (3.29 standard deviations) in the median
Exit code 1 if one is missed; with --short no bar counts, and rows that were not measured may be missing.
"""
import glob
import re
import statistics
import sys

NORMAL_90 = 3.29  # width of the 90 % interval of a normal distribution, in standard deviations


def quantile(values, p):
    """Linear interpolation between the order statistics."""
    ordered = sorted(values)
    at = p * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def read_folder(folder):
    drawn, plain, measured = {}, {}, {}
    for line in open(f"{folder}/drawn.tsv"):
        program, case, _, seconds = line.rstrip("\n").split("\t")
        drawn.setdefault((program, case), []).append(float(seconds))
    for line in open(f"{folder}/predictions.tsv"):
        fields = line.rstrip("\n").split("\t")
        if fields[0] != "program":
            plain[fields[0], fields[1]] = float(fields[2])
    for path in glob.glob(f"{folder}/*.times"):
        program = re.fullmatch(r"(.*)\.\d+\.times", path.rsplit("/", 1)[1]).group(1)
        for line in open(path):
            case, seconds = line.split()
            measured.setdefault((program, case), []).append(float(seconds))
    return drawn, plain, measured


def judge_row(where, key, drawn, plain, measured):
    q05, q25, q50, q75, q95 = (quantile(drawn, p) for p in (0.05, 0.25, 0.5, 0.75, 0.95))
    median, sd = statistics.median(measured), statistics.stdev(measured) if len(measured) > 1 else 0
    row = {"is_in": q05 <= median <= q95,
           "in_50": sum(q25 <= m <= q75 for m in measured),
           "in_90": sum(q05 <= m <= q95 for m in measured),
           "n": len(measured),
           "ratio": (q95 - q05) / (NORMAL_90 * sd) if sd > 0 else float("inf")}
    print(f"{where:<10} {key[0]:<10} {key[1]:>9} {plain:11.6f} {q05:11.6f} {q50:11.6f} {q95:11.6f} {median:11.6f} "
          f"{min(measured):11.6f} {max(measured):11.6f} {100 * (plain / median - 1):+7.1f} {100 * (q50 / median - 1):+7.1f} "
          f"{row['in_50']:>3}{row['in_90']:>3} {row['ratio']:7.2f} {'in' if row['is_in'] else 'OUT'}")
    return row


def main():
    arguments = sys.argv[1:]
    is_short = arguments[0] == "--short"
    names, *folders = arguments[is_short:]
    data = {}
    for argument in folders:
        where, folder = argument.split("=", 1)
        data[where] = read_folder(folder)
    print(f"{'hosts':<10} {'program':<10} {'case':>9} {'no noise s':>11} {'5 % s':>11} {'50 % s':>11} {'95 % s':>11} "
          f"{'measured s':>11} {'low s':>11} {'high s':>11} {'error %':>7} {'noisy %':>7} 50 90   width median")
    rows, n_missing = [], 0
    for line in open(names):
        where, program, case = line.rstrip("\n").split("\t")
        drawn, plain, measured = data.get(where, ({}, {}, {}))
        key = program, case
        if key not in drawn or key not in measured:
            n_missing += 1
            if not is_short:
                print(f"{where:<10} {program:<10} {case:>9} was not measured")
            continue
        rows.append(judge_row(where, key, drawn[key], plain[key], measured[key]))
    if not rows:
        sys.exit("noise_judge.py: no named row was measured")
    n_runs, n_in = sum(r["n"] for r in rows), sum(r["is_in"] for r in rows)
    shares = [100 * sum(r[k] for r in rows) / n_runs for k in ("in_50", "in_90")]
    width = statistics.median(r["ratio"] for r in rows)
    n_narrow = sum(r["ratio"] <= 3 for r in rows)
    bars = [(f"medians: {n_in} of {len(rows)} rows in the 90 % interval", "at least 34 of 40",
             n_in >= 34 and not n_missing),
            (f"cover: {shares[0]:.0f} % and {shares[1]:.0f} % of {n_runs} runs in the 50 % and 90 % intervals",
             "within 5 points", abs(shares[0] - 50) <= 5 and abs(shares[1] - 90) <= 5),
            (f"width: {width:.2f} times that of the runs in the median, at most 3 times in {n_narrow} of {len(rows)} rows",
             "at most 3", width <= 3)]
    print()
    for text, bar, is_met in bars:
        print(f"{text} (bar: {bar}): {'met' if is_met else 'missed'}")
    sys.exit(0 if is_short or all(b[2] for b in bars) else 1)


main()
