#!/usr/bin/env python3
"""make.py - writes the files of the platform dahu out of published/*.csv; run it in this folder.

README.md says where the figures come from.  Writes calibrations/NAME/ for each network and each set
of dgemm models, and copies the defaults to platform.xml, options.conf and model.conf.
make.py --own-noise gives each set of dgemm models the standard deviations that were published with it."""
import csv
import pathlib
import shutil
import sys

NODES, CPUS = 32, 2
WATTS = "164:164:328"  # idle, least load, all cores: README.md
NETWORKS = {  # calibration in network.csv: name here
    "2018 simple (the published simulations)": "network-2018",
    "2020-08 remote": "network-2020-08-remote",
    "2020-08 realistic with loopback (the geometry study)": "network-2020-08",
}
DGEMM = {
    "linear2019-07": "dgemm-2019-07",
    "poly2019-10": "dgemm-2019-10",
    "mean of 2019-11..2020-02": "dgemm-2020-02",
}
DEFAULT_NETWORK, DEFAULT_DGEMM = "network-2018", "dgemm-2020-02"
# The deviations of a set with M N K and a constant alone are those of its fit: they contain what the
# shape of a matrix explains.  Calls of HPL have nearly one shape, which does not differ by chance.
# The set with all terms is the one whose deviations are those of calls.
NOISE_OF = "poly2019-10"
TERMS = ("one", "mnk", "mn", "mk", "nk")
# smpi/host-speed is about computation that SimGrid measures, which a replay does not have.
LEFT_OUT = ("smpi/host-speed",)
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
    return "{ " + " ".join(f"{t} = {v};" for t, v in terms if float(v)) + " }"


def dgemm(mean, deviation):
    noise = f' noise = {{ shape = "half-normal"; sd = {deviation}; }};' if "=" in deviation else ""
    return f'{{ kernel = "dgemm"; seconds = {mean};{noise} }}'


def dgemm_of(row):
    return dgemm(seconds((t, row[t]) for t in TERMS if row[t]),
                 seconds((t, row["sd_" + t]) for t in TERMS if row["sd_" + t]))


def dgemm_models(published):
    """The rows of a set, with the noise that they get."""
    models = [r for r in rows("dgemm") if r["set"] == published]
    noise = {(r["node"], r["cpu"]): r for r in rows("dgemm") if r["set"] == NOISE_OF}
    if "--own-noise" not in sys.argv:
        for row in models:
            row.update({"sd_" + t: noise[row["node"], row["cpu"]]["sd_" + t] for t in TERMS})
    return models


def dgemm_mean(models):
    def mean(column):
        return f"{sum(float(r[column] or 0) for r in models) / len(models):.6e}"
    return dgemm(seconds((t, mean(t)) for t in TERMS), seconds((t, mean("sd_" + t)) for t in TERMS))


def other_kernels():
    published = {r["kernel"]: r for r in rows("kernels")}
    for name, like in list(published.items()) + [(n, published[l]) for n, l in TAKEN_FOR.items()]:
        terms = seconds((("one", like["seconds_per_call"]), ("work", like["seconds_per_unit"])))
        prefix = "user:" if name.startswith("HPL_") else ""
        yield f'{{ kernel = "{prefix}{name}"; seconds = {terms if "=" in terms else "{ one = 0.0; }"}; }}'


def write_model(folder, title, models, by_host):
    text = [f"# {title}: published (README.md).",
            "# Kernels besides dgemm: constants of the instrumented HPL, published; of some routines of HPL: assumed (README.md).",
            "# reference_flops: a reference speed, not measured; cpu-ns: by definition.",
            "# Written by make.py from published/*.csv; timeless-model(5) describes this file.",
            "version = 2;", "reference_flops = 1.0e9;",
            'units = ( { unit = "cpu-ns"; seconds_per_unit = 1.0e-9; } );', "kernels = ("]
    text.append(",\n".join("  " + k for k in [dgemm_mean(models), *other_kernels()]))
    text.append(");")
    if by_host:
        # Ranks take the cores in turn; CPU 0 has the even ones, CPU 1 the odd ones.
        parity = {"0": "*[02468]", "1": "*[13579]"}
        text.append("hosts = (")
        text.append(",\n".join(
            f'  {{ hosts = "dahu-{r["node"]}:{parity[r["cpu"]]}"; kernels = ( {dgemm_of(r)} ); }}'
            for r in models))
        text.append(");")
    (folder / "model.conf").write_text("\n".join(text) + "\n")


def write_models():
    for published, name in DGEMM.items():
        models = dgemm_models(published)
        assert len(models) == NODES * CPUS, published
        for suffix, by_host in (("", True), ("-equal", False)):
            folder = pathlib.Path("calibrations") / (name + suffix)
            folder.mkdir(parents=True, exist_ok=True)
            about = "by node and CPU" if by_host else "the mean of all nodes, on each"
            write_model(folder, f"dgemm as in '{published}', {about}", models, by_host)


def option_text(segments):
    def numbers(row):
        return ":".join(v for v in (row["from_bytes"], row["value"], row["per_byte"]) if v)
    return ";".join(numbers(r) for r in segments)


def write_network(published, name):
    folder = pathlib.Path("calibrations") / name
    folder.mkdir(parents=True, exist_ok=True)
    options, cluster = {}, {}
    for row in rows("network"):
        if row["calibration"] != published or row["option"] in LEFT_OUT:
            continue
        key = row["option"].removeprefix("cluster ")
        if key != row["option"]:
            cluster[key] = row["value"]
        else:
            options.setdefault(key, []).append(row)
    lines = [f"# {published}: published (README.md); written by make.py"]
    for key, segments in options.items():
        key = key.replace("smpi/loopback-", "timeless/loopback-")
        lines.append(f"{key}:{option_text(segments)}")
    lines.append("# As in the SimGrid of these calibrations: README.md")
    lines.append("timeless/bw-factor-bound:yes")
    (folder / "options.conf").write_text("\n".join(lines) + "\n")
    cluster = {**LOOPBACK_OF_2018, **cluster}
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


write_models()
for published_name, here in NETWORKS.items():
    write_network(published_name, here)
for default, files in ((DEFAULT_NETWORK, ("platform.xml", "options.conf")), (DEFAULT_DGEMM, ("model.conf",))):
    for file in files:
        shutil.copy(f"calibrations/{default}/{file}", file)
