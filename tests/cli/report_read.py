#!/usr/bin/env python3
"""Reads a report: `page FILE PREDICTION` needs no browser, `dom FILE PREDICTION` is what one made of it,
`poke FROM TO SCRIPT` is the page with something done to it."""
import base64
import html
import json
import re
import sys


def parts(path):
    page = open(path, encoding="utf-8").read()
    texts = re.findall(r"<script[^>]*>(.*?)</script>", page, re.S)
    assert len(texts) == 3, len(texts)
    return page, json.loads(texts[0]), texts[1], texts[2]


def numbers(text):
    value, shift = 0, 0
    for byte in base64.b64decode(text):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value, shift = 0, 0


def check_page(path, prediction_path):
    page, data, library, script = parts(path)
    prediction, line = json.load(open(prediction_path)), data["timeline"]
    assert data["prediction"] == prediction
    own = page[:page.index('<script type="application/json"')] + script
    assert not re.search(r"https?:|//\w|\bsrc=|\bhref=|url\(|@import|\bimport\b|fetch\(|XMLHttp", own)
    assert "default-src 'none'" in page and "Chart.js" in library
    assert len(line["ranks"]) == prediction["n_ranks"]
    n_states, sums = 0, {}
    for text, rank in zip(line["ranks"], prediction["ranks"]):
        row, now = list(numbers(text)), 0
        assert len(row) % 6 == 0
        for gap, ticks, name, site, size, peer in zip(*[iter(row)] * 6):
            kind = line["kinds"][line["names"][name][1]]
            assert site < len(line["sites"]) and peer <= prediction["n_ranks"]
            now += gap + ticks
            sums[kind] = sums.get(kind, 0) + ticks * line["tick_s"]
            n_states += 1
        assert abs(now * line["tick_s"] - rank["end_s"]) <= 1e-9 * prediction["makespan_s"]
    path, jumps = line["path"], prediction["details"]["critical_path"]["jumps"]
    assert len(path["ranks"]) == jumps + 1 or path["left_out_s"] > 0
    last = prediction["ranks"][path["ranks"][-1]]["end_s"]
    assert path["left_out_s"] > 0 or abs(path["to"][-1] * line["tick_s"] - last) <= 1e-9 * last and last == prediction["makespan_s"]
    assert path["from"][0] == 0 or path["left_out_s"] > 0
    for before, after in zip(zip(path["from"], path["to"]), zip(path["from"][1:], path["to"][1:])):
        assert before[0] <= before[1] <= after[0] <= after[1]
    if line["merge_s"]:
        assert n_states < 1000000 < 3 * line["n_states"], n_states
    else:
        for kind, key in (("wait", "wait_s"), ("collective", "collective_s"), ("kernel", "kernel_s")):
            total = sum(r[key] for r in prediction["ranks"])
            assert abs(sums.get(kind, 0) - total) <= 1e-5 * prediction["makespan_s"], (kind, total)


def text_of(dom, element_id):
    found = re.search(r'id="%s"[^>]*>(.*?)</(?:p|output|span|div|table)>' % element_id, dom, re.S)
    return html.unescape(re.sub(r"<[^>]*>", " ", found.group(1))).strip()


def four(value):
    """Four significant digits, as JavaScript prints a number."""
    text = "%.4g" % value
    return "%d" % float(text) if "e+" in text else text


def size_text(value):
    power = 0
    while value / 1024 ** power >= 1024:
        power += 1
    return "%s %s" % (four(value / 1024 ** power), ["B", "KiB", "MiB", "GiB", "TiB"][power])


def count_text(value):
    if value < 10000:
        return str(value)
    return "{:,d}".format(int(float("%.4g" % value))) if value < 1e6 else four(value / 1e6) + " million"


def seconds_text(value):
    for scale, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if value >= scale or scale == 1e-9:
            return "%s %s" % (four(value / scale), unit)


def check_share(text, title, part, whole):
    """The page shows four digits of a percentage."""
    exact = 100 * part / whole
    if 0 < exact < 0.001:
        assert "%s below 0.001 %%" % title in text, (title, text)
        return
    shown = float(re.search(r"\b%s ([\d.e-]+) %%" % title, text).group(1))
    assert abs(shown - exact) <= 5.1e-4 * abs(exact) + 1e-12, (title, shown, exact)


def check_dom(path, prediction_path):
    dom, prediction = open(path, encoding="utf-8").read(), json.load(open(prediction_path))
    assert text_of(dom, "errors") == "", text_of(dom, "errors")
    assert dom.index('id="timeline"') < dom.index('id="about"')
    assert re.search(r"<details><summary>Provenance", dom)
    assert repr(prediction["makespan_s"]) in text_of(dom, "about")
    assert prediction["trace_hash"] in text_of(dom, "about")
    assert prediction["platform_hash"] in text_of(dom, "about")
    assert text_of(dom, "makespan").startswith(seconds_text(prediction["makespan_s"]) + " on ")
    ranks, waiting = prediction["ranks"], prediction["details"]["ranks"]
    total = sum(r["end_s"] for r in ranks)
    totals = text_of(dom, "totals")
    parts = (("waits", sum(r["wait_s"] for r in ranks)),
             ("kernels", sum(r["kernel_s"] for r in ranks)),
             ("point to point", sum(r["p2p_s"] for r in ranks)),
             ("collectives", sum(r["collective_s"] for r in ranks)),
             ("compute", sum(r["compute_s"] - r["kernel_s"] for r in ranks)))
    for title, seconds in parts:
        check_share(totals, title, seconds, total)
    waits = ("late_sender_s", "late_receiver_s", "collective_wait_s")
    for title, key in zip(("late sender", "late receiver", "wait at collective"), waits):
        check_share(text_of(dom, "waits"), title, sum(r[key] for r in waiting), total)
    busy = [r["end_s"] - w[waits[0]] - w[waits[1]] - w[waits[2]] for r, w in zip(ranks, waiting)]
    slowest = busy.index(max(busy))
    alike = min(busy) >= max(busy) * (1 - 1e-4)
    assert ("all ranks take %s." if alike else "rank {} is the slowest (%s)".format(slowest)) % seconds_text(busy[slowest]) in text_of(dom, "busy")
    walk = prediction["details"]["critical_path"]
    for part, seconds in walk["parts"].items():
        if seconds > 0:
            name = {"kernel": "kernels", "message": "messages", "collective": "collectives", "io": "files", "other": "other calls"}.get(part[:-2], part[:-2])
            check_share(text_of(dom, "path"), name, seconds, prediction["makespan_s"])
    assert walk["sites"][0]["name"] in text_of(dom, "path-sites") or not walk["length_s"]
    assert "an ideal network" in text_of(dom, "what-if")
    computed, ideal = [r["compute_s"] for r in ranks], prediction["details"]["what_if"]["ideal_network"]["at_least_s"]
    mean, factors = sum(computed) / len(ranks), (("load balance", sum(computed) / len(ranks), max(computed)),
                                                 ("serialisation", max(computed), ideal), ("transfer", ideal, prediction["makespan_s"]))
    if mean > 0 and ideal >= max(computed) * (1 - 1e-6):
        check_share(text_of(dom, "efficiency"), "efficiency", mean, prediction["makespan_s"])
        for title, part, whole in factors:
            check_share(text_of(dom, "efficiency"), title, part, whole)
    for link in prediction["links"][:1]:
        assert link["name"] in text_of(dom, "links") and size_text(link["bytes"]) in text_of(dom, "links")
    traffic = prediction["details"]["traffic"]
    messages, size = (sum(t[k] for t in traffic) for k in ("messages", "bytes"))
    assert text_of(dom, "traffic") == "%s messages, %s" % (count_text(messages), size_text(size))
    for kind in ("calls", "sites", "communicators"):
        assert dom[dom.index('id="%s"' % kind):].count("<tr>") >= len(prediction["details"][kind])
    assert prediction["details"]["calls"][0]["name"] in text_of(dom, "calls")
    assert re.search(r'<canvas id="bars" width="\d\d', dom)
    assert re.search(r'<canvas id="sizes" width="\d\d', dom) or not traffic


def check_zoom(path, whole_path):
    """A wheel and a button have narrowed the view, and a pointer found a state."""
    drawn = {}
    for name in (path, whole_path):
        dom = open(name, encoding="utf-8").read()
        assert text_of(dom, "errors") == ""
        drawn[name] = int(re.search(r'data-states="(\d+)"', dom).group(1))
    assert 0 < drawn[path] < drawn[whole_path], drawn
    states = re.search(r"states\s+(\d+)", text_of(open(whole_path, encoding="utf-8").read(), "about"))
    assert drawn[whole_path] == int(states.group(1)), (drawn, states)
    dom = open(path, encoding="utf-8").read()
    assert re.match(r"rank 0: \S+ ", text_of(dom, "hover")), text_of(dom, "hover")
    colours = set(re.search(r'data-colours="([^"]*)"', dom).group(1).split())
    assert len(colours) >= 3 and "208-28-139" in colours, colours


def poke(path, out_path, script):
    page = open(path, encoding="utf-8").read()
    open(out_path, "w", encoding="utf-8").write(
        page.replace("</body>", "<script>%s</script></body>" % script))


{"page": check_page, "dom": check_dom, "zoom": check_zoom, "poke": poke}[sys.argv[1]](*sys.argv[2:])
