# safe_text.sh - strings of a trace, of a prediction and of a measurement do no harm: on a terminal, in
# XML, in a spreadsheet.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
evil='\x1b]0;x\x07\x0acomplete         yes\x0d'
cat >t.txt <<END
timeless-text 1
ranks 1
volume_unit "cpu-ns$evil"
volume_source "v$evil"
program "p$evil"
mpi_library "m$evil"
writer "w$evil"
origin "o$evil"
run_id "i$evil"
folding "f$evil"
rank 0 host="h$evil"
site 1 object="s$evil" offset=1
kernel 1 name="k$evil"
counter 1 name="c$evil" value=3
clock "x$evil"
0 0 MPI_Init clock_ns=0 volume=0 site=1
0 1 MPI_Barrier comm=1 clock_ns=5 volume=0 site=1
0 2 user kernel=1 list=[1] volume=0 site=1
0 3 MPI_Finalize clock_ns=5000 volume=0 site=1
remark "r$evil"
end exited clock_ns=5000
END
"$timeless" undump t.txt -o t.tl || exit 99
sed 's/^end exited/end finalized/' t.txt | "$timeless" undump - -o good.tl || exit 99
# harmless FILE: no control characters but line ends, and no line that the trace has made up
harmless() { [ -s "$1" ] && python3 - "$1" <<'END'
import sys
text = open(sys.argv[1], encoding="utf-8").read()
bad = [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]
assert not bad, bad
assert not [line for line in text.splitlines() if line.startswith("complete         yes")], text
END
}
# prints_safely NAME COMMAND...: both its outputs are harmless
prints_safely() {
    local name=$1; shift
    "$@" >printed 2>&1
    check "$name" harmless printed
}
prints_safely 'info prints no control characters' "$timeless" info --sections t.tl
check 'info prints printable characters unchanged' grep -q '^program *p?\]0;x??complete         yes?$' printed
prints_safely 'dump prints no control characters' "$timeless" dump t.tl
prints_safely 'replay prints none' "$timeless" replay good.tl -p star-1g --no-compute --details
prints_safely 'messages have none' "$timeless" replay t.tl --engine loggops --params $params
prints_safely 'nor those of what is not there' "$timeless" info "$(printf 'no\033]0;x\007such\nfile')"
"$timeless" replay good.tl -p star-1g --no-compute --json=p.json --timeline p.csv >/dev/null 2>&1 || exit 99
prints_safely 'compare prints none' "$timeless" compare --all p.json
check 'the timeline as CSV has none' harmless p.csv

# Measurements of others: control characters, markup and formulas in their names.
python3 - <<'END'
names = ["a\x1b[31m\x07", "<b>&\"'", "=1+cmd|' /C calc'!A0", "@x", "+x", "-x", "plain"]
open("m.csv", "w").write("".join(f"{name},{i + 1}\n" for i, name in enumerate(names)))
END
"$timeless" compare --baseline m.csv --measured m.csv --junit j.xml --csv c.csv >printed 2>&1
check 'the table of measurements has none' harmless printed
for file in j.xml; do
    check "$file is well-formed" python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' $file
    check "$file has no control characters" harmless $file
done
check 'JUnit has the names' python3 -c '
import xml.etree.ElementTree as e
names = [c.get("name") for c in e.parse("j.xml").getroot()]
assert "a?[31m?" in names and "<b>&\"" + chr(39) in names, names'
check 'no cell of the CSV begins a formula' python3 -c '
import csv
cells = [row[0] for row in csv.reader(open("c.csv"))]
assert chr(39) + "@x" in cells and not [c for c in cells if c[0] in "=+-@"], cells'
# A sweep reads its own cells back.
"$timeless" make token -n 4 -o d.tl; cp d.tl ./=d.tl
for round in 1 2; do "$timeless" sweep =d.tl d.tl --engine loggops --params $params --grid seed=1 -o r.csv >/dev/null || exit 99; done
check 'a cell of a sweep begins no formula' grep -q "^'=d.tl,1," r.csv
for seed in 2 1; do "$timeless" sweep =d.tl d.tl --engine loggops --params $params --grid seed=$seed -o r.csv >/dev/null || exit 99; done
check 'a results file is read back unchanged' test "$(grep -c "^'=d.tl,1," r.csv) $(grep -c "''" r.csv)" = '1 0'
tap_done
