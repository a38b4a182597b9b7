#!/usr/bin/env python3
"""Reads a comparison of predictions: `json FILE PREDICTION...` (- for one that is not given), `printed TEXT FILE`,
`dom DOM FILE TIMELINES`, `same FILE FILE`, `equal FILE`, `half FILE`."""
import html
import json
import re
import sys
from decimal import Decimal


def load(path):
    return json.load(open(path, encoding="utf-8"))


def tables(comparison):
    for view in ("critical_path", "mean_rank"):
        for name, rows in comparison[view].items():
            yield view + " " + name, rows


def check_json(path, *predictions):
    comparison, sides = load(path), load(path)["predictions"]
    assert len(sides) == len(predictions)
    makespans = [side["makespan_s"] for side in sides]
    for makespan, prediction in zip(makespans, predictions):
        assert prediction == "-" or makespan == load(prediction)["makespan_s"]
    found = dict(tables(comparison))
    assert "mean_rank parts" in found and ("critical_path parts" in found) == comparison["has_details"]
    if comparison["has_details"]:
        assert {"critical_path sites", "critical_path ranks", "mean_rank calls", "mean_rank sites"} <= set(found)
    for name, rows in found.items():
        for i, makespan in enumerate(makespans):
            total = sum(row["seconds"][i] for row in rows)
            assert abs(total - makespan) <= 2e-12 * makespan, (name, total, makespan)
            gained = sum(row["difference_s"][i] for row in rows)
            assert abs(gained - (makespan - makespans[0])) <= 4e-12 * max(makespans), (name, gained)
    for i, prediction in enumerate(predictions):
        if prediction == "-":
            continue
        ranks = load(prediction)["ranks"]
        computed = sum(r["compute_s"] - r["kernel_s"] for r in ranks) / len(ranks)
        shown = next(row["seconds"][i] for row in found["mean_rank parts"] if row["name"] == "compute")
        assert abs(shown - computed) <= 1e-12 * makespans[i]
        for name, rows in found.items():
            if name == "critical_path parts":
                part = load(prediction)["details"]["critical_path"]["parts"]["message_s"]
                assert part == next(row["seconds"][i] for row in rows if row["name"] == "messages")


def check_printed(text_path, path):
    """The numbers of each block add up to the makespan, to the last digit that is printed."""
    lines, n = open(text_path, encoding="utf-8").read().splitlines(), len(load(path)["predictions"])
    unit = {"s": 1, "ms": 1000, "us": 1000000}[re.search(r"all times in (\w+)", "\n".join(lines)).group(1)]
    blocks, makespan = [], None
    for line in lines:
        words = re.findall(r"\s([+-]?\d+\.\d+)(?=\s|$)", line[44:])
        if line.startswith("makespan"):
            makespan = [Decimal(word) for word in words]
            for value, side in zip(makespan, load(path)["predictions"]):
                assert abs(float(value) / unit - side["makespan_s"]) <= 1e-3 * side["makespan_s"]
        elif line.startswith("  "):
            blocks[-1][1].append([Decimal(word) for word in words])
        elif makespan:
            blocks.append((line, []))
    sums = [title for title, _ in blocks if not title.startswith("ranks")]
    assert len(sums) >= 6, sums
    for title, rows in blocks:
        for row in rows:
            assert len(row) == 2 * n - 1 and row[n] == row[1] - row[0], (title, row)
        if not title.startswith("ranks"):
            assert [sum(column) for column in zip(*rows)] == makespan, (title, rows)


def cells(dom, element_id):
    found = re.search(r'id="%s"[^>]*>(.*?)</table>' % element_id, dom, re.S)
    for row in re.findall(r"<tr>(.*?)</tr>", found.group(1), re.S)[1:]:
        yield [(html.unescape(text), title) for title, text in
               re.findall(r'<td[^>]*?(?: title="([^"]*)")?>(.*?)</td>', row, re.S)]


def check_dom(dom_path, path, n_timelines):
    dom, comparison = open(dom_path, encoding="utf-8").read(), load(path)
    assert re.search(r'id="errors">\s*</p>', dom), "the page failed"
    assert len(re.findall(r'<canvas class="timeline"', dom)) == int(n_timelines)
    assert ("contains no timelines" in dom.split("<script")[0]) == (n_timelines == "0")
    n, quantum = len(comparison["predictions"]), None
    for name, rows in tables(comparison):
        if not rows:
            continue
        shown = list(cells(dom, name.replace("critical_path ", "path-").replace("mean_rank ", "mean-")))
        exact = {row["name"]: row["seconds"] for row in rows}
        for cell in shown:
            quantum = 10.0 ** -len(cell[1][0].split(".")[1])
            if cell[0][0] == "rounding":
                continue
            for i in range(n):
                value = exact[cell[0][0]][i]
                assert float(cell[1 + i][1].split()[0]) == value, (name, cell)
                assert abs(float(cell[1 + i][0]) - value * 1e3) <= 0.5001 * quantum, (name, cell)
        columns = [sum(Decimal(cell[1 + i][0]) for cell in shown) for i in range(2 * n - 1)]
        for total, side in zip(columns, comparison["predictions"]):
            assert abs(float(total) - side["makespan_s"] * 1e3) <= 0.5001 * quantum, (name, columns)
        assert columns[n] == columns[1] - columns[0], (name, columns)


def check_same(path, other_path):
    assert list(tables(load(path))) == list(tables(load(other_path)))
    assert load(path)["ranks"] == load(other_path)["ranks"]


def check_equal(path):
    for name, rows in tables(load(path)):
        assert rows and all(row["difference_s"] == [0, 0] for row in rows), name


def check_half(path):
    rows = {row["name"]: row["seconds"] for row in load(path)["mean_rank"]["parts"]}
    for name in ("compute", "kernels"):
        assert abs(rows[name][1] - rows[name][0] / 2) <= 1e-9 * rows[name][0], rows[name]


{"json": check_json, "printed": check_printed, "dom": check_dom, "same": check_same, "equal": check_equal,
 "half": check_half}[sys.argv[1]](*sys.argv[2:])
