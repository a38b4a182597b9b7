"""hpl_phases.py PROGRAM SMPI.json LOGGOPS.json: the phases of a window of HPL by both engines (hpl_phases.sh)."""
import json
import sys

PHASES = {"factorisation": ("HPL_pdfact", "HPL_pdmxswp"), "broadcast": ("HPL_bcast",), "swap": ("HPL_pdlaswp",),
          "update": ("HPL_pdupdate",)}


def phases(prediction):
    """Seconds of each phase, mean over the ranks."""
    seconds = dict.fromkeys(PHASES, 0.0)
    for site in prediction["details"]["sites"]:
        function = site["name"].split()[1].split("+")[0]
        for phase, functions in PHASES.items():
            if function in functions:
                seconds[phase] += site["time_s"] / prediction["n_ranks"]
    return seconds


def difference(smpi, loggops):
    return f"{100 * (loggops / smpi - 1):+.1f} %" if smpi else "-"


program, smpi, loggops = sys.argv[1], *(json.load(open(name)) for name in sys.argv[2:4])
print(program)
rows = [("makespan", smpi["makespan_s"], loggops["makespan_s"])]
by_smpi, by_loggops = phases(smpi), phases(loggops)
rows += [(phase, by_smpi[phase], by_loggops[phase]) for phase in PHASES]
for name, of_smpi, of_loggops in rows:
    print(f"  {name:13} SimGrid {of_smpi:10.4f} s  LogGOPS {of_loggops:10.4f} s  {difference(of_smpi, of_loggops):>8}")
