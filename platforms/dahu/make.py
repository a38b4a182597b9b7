#!/usr/bin/env python3
"""make.py - writes the files of the platform dahu out of published/*.csv; run it in this folder.

README.md says where the figures come from.  Writes calibrations/NAME/ for each network and each set
of dgemm models, and copies the defaults to platform.xml, options.conf and model.conf.
make.py --own-noise gives each set of dgemm models the standard deviations that were published with it,
make.py --published-terms gives each set its own terms of M, N and K."""
import csv
import pathlib
import shutil
import statistics
import sys

NODES, CPUS = 32, 2
WATTS = "164:164:328"  # idle, least load, all cores: README.md
# Name here: the platform and the options in network_platforms.csv.  A name that ends with a date is one that
# a date can choose: the last form of what was measured then.
NETWORKS = {
    "network-2018-10-first": ("2018-10 first", "net01"),
    "network-2018-10-old": ("2019-02 old (dahu_old.xml)", "net05"),
    "network-2018-10-slow-loopback": ("2019-03-07", "net06"),
    "network-2018-10-latency": ("2019-03-08", "net08"),
    "network-2018-10": ("dahu.xml, hosts 0-31 (2019-03..2020-07)", "net08"),
    "network-2020-08-17": ("2020-08-17 remote_calibration", "net21"),
    "network-2020-08-remote": ("2020-08 remote", "remote"),
    "network-2020-08-20-first": ("dahu_ringrong.xml", "net22"),
    "network-2020-08-20": ("dahu_ringrong_fixed_no-TCP-gamma.xml", "net24"),
    "network-2020-10-15": ("2020-10-15 remote_calibration", "net25"),
}
DGEMM = {  # name here: set in dgemm.csv
    "dgemm-2019-03-28": "linear2019-03-28",
    "dgemm-2019-04-01": "poly2019-04-01",
    "dgemm-2019-04-01-linear": "linear2019-04-01",
    "dgemm-2019-04-03": "poly2019-04-03",
    "dgemm-2019-04-03-linear": "linear2019-04-03",
    "dgemm-2019-04-03-hybrid": "hybrid2019-04-03",
    "dgemm-2019-04-03-hybrid-linear": "hybridlinear2019-04-03",
    "dgemm-2019-04-05": "poly2019-04-05",
    "dgemm-2019-04-05-linear": "linear2019-04-05",
    "dgemm-2019-07": "poly2019-07",
    "dgemm-2019-07-linear": "linear2019-07",
    "dgemm-2019-10": "poly2019-10",
    "dgemm-2020-01-14": "K128-2020-01-14",
    "dgemm-2020-02": "mean of 2019-11..2020-02",
    "dgemm-2020-07": "poly2020-07",
}
# Nearest to January 2020, when most of the published runs of HPL ran.
DEFAULT_NETWORK, DEFAULT_DGEMM = "network-2020-08-17", "dgemm-2020-01-14"
# A set of a few nodes: the other CPUs have the mean of the measured ones, times their share in this set.
COMPLETED_BY = {"K128-2020-01-14": "mean of 2019-11..2020-02"}
# Sets measured with K = 128 alone: from these K on, a unit of work costs more by what K = 256 and 512 cost in December
# 2020 (dgemm_by_k.csv).  The bounds are halfway between the measured K.
MEASURED_AT_128 = ("K128-2020-01-14", "poly2020-07")
BOUNDS_OF_K = {"256": 192, "512": 384}
# A set whose terms of M K and N K are not determined: it takes those of this set, and keeps its seconds (README.md).
TERMS_FROM = {"poly2020-07": "K128-2020-01-14"}
# The deviations of a set with M N K and a constant alone are those of its fit: they contain what the
# shape of a matrix explains.  Calls of HPL have nearly one shape, which does not differ by chance.
# Sets with all terms have deviations that are those of calls; the others take those of this set.
NOISE_OF = "poly2019-10"
TERMS = ("one", "mnk", "mn", "mk", "nk")
# smpi/host-speed is about computation that SimGrid measures, which a replay does not have.
LEFT_OUT = ("smpi/host-speed",)
# Of 2 x 6 channels of DDR4-2666 (the processor's data sheet: 256 GB/s), 0.75: assumed.
MEMORY_BANDWIDTH = "1.92e11"
# For the calibration that states none.
LOOPBACK_OF_2018 = {"loopback_bw": "18.348422228142745GBps", "loopback_lat": "0.0us"}
# HPL's routines whose seconds are not published, and the published one that is taken instead: the one
# that reads and writes the same numbers of elements in the same order.
TAKEN_FOR = {
    "HPL_dlaswp00N": "HPL_dlaswp02N", "HPL_dlaswp01N": "HPL_dlaswp01T", "HPL_dlaswp03N": "HPL_dlaswp03T",
    "HPL_dlaswp04N": "HPL_dlaswp04T", "HPL_dlaswp05N": "HPL_dlaswp05T", "HPL_dlaswp06N": "HPL_dlaswp05T",
    "HPL_dlaswp06T": "HPL_dlaswp05T", "HPL_dlaswp10N": "HPL_dlacpy",
}


def rows(name):
    with open(f"published/{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def seconds(terms):
    """A group of libconfig; terms that are 0 are left out."""
    return "{ " + " ".join(f"{t} = {v};" for t, v in terms if float(v or 0)) + " }"


def with_noise(mean, deviation):
    noise = f' noise = {{ shape = "half-normal"; sd = {deviation}; }};' if "=" in deviation else ""
    return f"seconds = {mean};{noise}"


def polynomials(row):
    return with_noise(seconds((t, row[t]) for t in TERMS), seconds((t, row["sd_" + t]) for t in TERMS))


def at_k(row, ratio):
    """The seconds for K = 128 times `ratio` times K / 128, of larger K.  M N has no K, so that M N K takes its part."""
    scaled = {t: f"{ratio * float(row[t] or 0):.6e}" for t in ("mk", "nk")}
    return {**row, **scaled, "mn": "0", "mnk": f"{ratio * (float(row['mnk']) + float(row['mn'] or 0) / 128):.6e}"}


def with_terms(row, terms):
    """The row with the M K and N K of `terms`, and as long as before for the shapes of dgemm_by_k.csv with K = 128."""
    shapes = next(r for r in rows("dgemm_by_k") if r["k"] == "128")
    m, n, mn = (float(shapes[c]) for c in ("mean_m", "mean_n", "mean_mn"))
    less = (float(row["mk"]) - float(terms["mk"])) * m + (float(row["nk"]) - float(terms["nk"])) * n
    return {**row, "mnk": f"{float(row['mnk']) + less / mn:.6e}", "mk": terms["mk"], "nk": terms["nk"]}


def dgemm_of(row, published):
    if published not in MEASURED_AT_128:
        return f'{{ kernel = "dgemm"; {polynomials(row)} }}'
    pieces = [polynomials(row)]
    for k, bound in BOUNDS_OF_K.items():
        cost = {(r["k"], r["cpu"]): float(r["median_s_per_mnk"]) for r in rows("dgemm_by_k")}
        cpus = [row["cpu"]] if row["cpu"] else map(str, range(CPUS))
        ratio = statistics.mean(cost[k, cpu] / cost["128", cpu] for cpu in cpus)
        pieces.insert(0, f"min = {{ k = {bound}; }}; " + polynomials(at_k(row, ratio)))
    return '{ kernel = "dgemm"; pieces = ( ' + ", ".join(f"{{ {p} }}" for p in pieces) + " ); }"


def mean_of(models, cpu=""):
    columns = [p + t for p in ("", "sd_") for t in TERMS]
    return {"cpu": cpu, **{c: f"{statistics.mean(float(r[c] or 0) for r in models):.6e}" for c in columns}}


def dgemm_models(published):
    """The rows of a set by node and CPU, with the noise that they get, and without holes."""
    by_cpu = {(r["node"], r["cpu"]): r for r in rows("dgemm") if r["set"] == published}
    if published in TERMS_FROM and "--published-terms" not in sys.argv:
        terms = mean_of([r for r in rows("dgemm") if r["set"] == TERMS_FROM[published]])
        by_cpu = {place: with_terms(r, terms) for place, r in by_cpu.items()}
    default = by_cpu.pop(("default", ""), None)
    measured = list(by_cpu.values())
    if published in COMPLETED_BY:
        other = {(r["node"], r["cpu"]): float(r["mnk"]) for r in rows("dgemm") if r["set"] == COMPLETED_BY[published]}
        base = statistics.mean(other[place] for place in by_cpu)
    noise = {(r["node"], r["cpu"]): r for r in rows("dgemm") if r["set"] == NOISE_OF}
    for node in range(1, NODES + 1):
        for cpu in map(str, range(CPUS)):
            place = str(node), cpu
            row = by_cpu.get(place)
            if not row and published in COMPLETED_BY:
                row = mean_of(measured)
                row.update({t: f"{float(row[t]) * other[place] / base:.6e}" for t in TERMS})
            elif not row:
                row = default or mean_of([r for r in measured if r["cpu"] == cpu])
            row = {**row, "node": place[0], "cpu": cpu}
            if not float(row["mn"] or 0) and "--own-noise" not in sys.argv:
                row.update({"sd_" + t: noise[place]["sd_" + t] for t in TERMS})
            yield row


def other_kernels():
    published = {r["kernel"]: r for r in rows("kernels")}
    noise = {r["kernel"]: r for r in rows("kernels_noise")}
    for name, like in list(published.items()) + [(n, published[l]) for n, l in TAKEN_FOR.items()]:
        terms = seconds((("one", like["seconds_per_call"]), ("work", like["seconds_per_unit"])))
        deviation = noise.get(like["kernel"], {"sd": "0"})["sd"]
        term = "one" if float(like["seconds_per_call"]) else "work"
        prefix = "user:" if name.startswith("HPL_") else ""
        about = with_noise(terms if "=" in terms else "{ one = 0.0; }", seconds(((term, deviation),)))
        yield f'{{ kernel = "{prefix}{name}"; {about} }}'


def write_model(folder, published):
    models = list(dgemm_models(published))
    text = [f"# dgemm as in '{published}', by node and CPU: published (README.md).",
            "# Kernels besides dgemm: constants of the instrumented HPL, published; of some routines of HPL: assumed (README.md).",
            "# reference_flops: a reference speed, not measured; cpu-ns: by definition.",
            "# Written by make.py from published/*.csv; timeless-model(5) describes this file.",
            "version = 2;", "reference_flops = 1.0e9;",
            'units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );', "kernels = ("]
    text.append(",\n".join("  " + k for k in [dgemm_of(mean_of(models), published), *other_kernels()]))
    text.append(");")
    # Ranks take the cores in turn; CPU 0 has the even ones, CPU 1 the odd ones.
    parity = {"0": "*[02468]", "1": "*[13579]"}
    text.append("hosts = (")
    text.append(",\n".join(
        f'  {{ hosts = "dahu-{r["node"]}:{parity[r["cpu"]]}"; kernels = ( {dgemm_of(r, published)} ); }}'
        for r in models))
    text.append(");")
    (folder / "model.conf").write_text("\n".join(text) + "\n")


def option_text(segments):
    def numbers(row):
        return ":".join(v for v in (row["from_bytes"], row["value"], row["per_byte"]) if v)
    return ";".join(numbers(r) for r in segments)


def write_network(folder, published, options_id):
    options = {}
    for row in rows("network"):
        if row["id"] == options_id and row["option"] not in LEFT_OUT:
            options.setdefault(row["option"], []).append(row)
    lines = [f"# {published}: published (README.md); written by make.py"]
    for key, segments in options.items():
        key = key.replace("smpi/loopback-", "timeless/loopback-")
        lines.append(f"{key}:{option_text(segments)}")
    lines.append("# As in the SimGrid of these calibrations: README.md")
    lines.append("timeless/bw-factor-bound:yes")
    lines.append("# What the memory of a node reads and writes: README.md")
    lines.append(f"timeless/memory-bandwidth:{MEMORY_BANDWIDTH}")
    (folder / "options.conf").write_text("\n".join(lines) + "\n")
    cluster = next(r for r in rows("network_platforms") if (r["platform"], r["options_id"]) == (published, options_id))
    cluster = {**cluster, **{k: cluster[k] or v for k, v in LOOPBACK_OF_2018.items()}}
    loopback = f'loopback_bw="{cluster["loopback_bw"]}" loopback_lat="{cluster["loopback_lat"]}"'
    (folder / "platform.xml").write_text(f"""<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- Dahu: {NODES} nodes of 32 cores, Omni-Path; {published}; written by make.py.
     README.md states the sources of the figures. -->
<platform version="4.1">
  <zone id="platform" routing="Full">
    <cluster id="cluster" prefix="dahu-" suffix="" radical="1-{NODES}" speed="1Gf" core="32"
             bw="{cluster["bw"]}" lat="{cluster["lat"]}" sharing_policy="SPLITDUPLEX"
             {loopback}>
      <prop id="wattage_per_state" value="{WATTS}"/>
    </cluster>
  </zone>
</platform>
""")


def folder_of(name):
    folder = pathlib.Path("calibrations") / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


for name_here, of_dgemm in DGEMM.items():
    write_model(folder_of(name_here), of_dgemm)
for name_here, of_network in NETWORKS.items():
    write_network(folder_of(name_here), *of_network)
for default, files in ((DEFAULT_NETWORK, ("platform.xml", "options.conf")), (DEFAULT_DGEMM, ("model.conf",))):
    for file in files:
        shutil.copy(f"calibrations/{default}/{file}", file)
