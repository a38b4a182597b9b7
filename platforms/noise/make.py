#!/usr/bin/env python3
"""Writes the noise of this folder: a file of detours for each system (README.md)."""
import pathlib
import random

folder = pathlib.Path(__file__).parent


def write(name, head, detours):
    """detours: (start, duration) in nanoseconds, in order; the list begins again after the last."""
    with open(folder / name, "w") as out:
        out.write(f"# {head}, published; when and how long: assumed (README.md). Written by make.py.\n")
        out.writelines(f"{start} {duration}\n" for start, duration in detours)


def regular(hertz, duration):
    period = 1_000_000_000 // hertz
    return [(period - duration, duration)]


def rare(seed, n, gap, duration):
    """n detours whose gaps and durations are exponential with these means."""
    draw, at, out = random.Random(seed), 0, []
    for _ in range(n):
        at += round(draw.expovariate(1 / gap))
        out.append((at, round(draw.expovariate(1 / duration))))
        at += out[-1][1]
    # The share of the time is the published one: the gaps are scaled to it.
    free = out[-1][0] + out[-1][1] - sum(d for _, d in out)
    wanted = sum(d for _, d in out) * gap / duration
    scaled, taken = [], 0
    for start, length in out:
        scaled.append((round((start - taken) * wanted / free) + taken, length))
        taken += length
    return scaled


def ticks_and_daemon(hertz, tick, daemon):
    """A second of ticks; a daemon runs for some time before the last one."""
    period = 1_000_000_000 // hertz
    out = [(i * period + period - tick, tick) for i in range(hertz)]
    return out[:-1] + [(out[-1][0] - daemon, daemon), out[-1]]


write("zeptoos", "BG/P, ZeptoOS: 0.08 % of the time", regular(100, 8_000))
write("altix", "SGI Altix, Linux 2.6.16: 0.05 % of the time", regular(250, 2_000))
write("chic", "CHiC, Linux 2.6.18: 0.21 % of the time", ticks_and_daemon(250, 6_000, 600_000))
write("jaguar", "Cray XT-4, CNL: 0.02 % of the time", rare(1, 100, 4_999_000_000, 1_000_000))
