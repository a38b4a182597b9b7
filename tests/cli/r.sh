#!/usr/bin/env bash
# R reads the CSV files of dump, sweep and replay: the example of timeless-dump(1), columns, quotation marks, sums.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
if ! Rscript -e 'invisible(1)' 2>/dev/null; then
    skip 'R reads the CSV files' 'no Rscript'
    tap_done
    exit
fi
trace=$top_srcdir/traces/hpl-4.tl
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns

# The lines of the man page, with a check behind them.
sed -n '/the lines of R$/,/the end of the lines of R$/{/^\./!p}' "$top_srcdir/doc/timeless-dump.1" >page.R
check 'the man page has lines of R' grep -q 'read.csv' page.R
check 'dump writes the events' "$timeless" dump --csv=events.csv "$trace"
check 'the lines of the man page run' Rscript page.R
cat page.R - >sums.R <<'END'
for (call in names(table(events$call))) cat("count", call, table(events$call)[[call]], "\n", file = "sums", append = TRUE)
sums <- aggregate(bytes ~ call, events, sum)
cat(sprintf("bytes %s %.17g\n", sums$call, sums$bytes), file = "sums", append = TRUE, sep = "")
END
check 'their sums are written' Rscript sums.R
"$timeless" info --json "$trace" >info.json
"$timeless" dump "$trace" >text
check 'the events of each call are those of timeless info, the bytes those of the text' python3 -c '
import json, re
rows = [line.split() for line in open("sums")]
assert {r[1]: int(r[2]) for r in rows if r[0] == "count"} == json.load(open("info.json"))["calls"]
bytes = {}
for line in open("text"):
    pairs = dict(p.split("=", 1) for p in line.split()[3:] if "=" in p)
    if re.match(r"\d+ \d+ \S", line) and "count" in pairs and "type_bytes" in pairs:
        call = line.split()[2]
        bytes[call] = bytes.get(call, 0) + int(pairs["count"]) * int(pairs["type_bytes"])
assert {r[1]: float(r[2]) for r in rows if r[0] == "bytes"} == bytes and bytes["MPI_Send"] > 1e6, (rows, bytes)'

# Names with commas and quotation marks, and sums of bytes above 2^31.
trace big 'MPI_Send count=2000000000 type_bytes=8 peer=1 tag=0 comm=1' 'MPI_Recv count=2000000000 type_bytes=8 peer=0 tag=0 comm=1'
"$timeless" dump --csv=events.csv big.tl
rm -f sums
check 'bytes above 2^31 are read' sh -c 'Rscript sums.R && grep -qx "bytes MPI_Send 16000000000" sums'
"$timeless" make ring -n 4 --iterations 200 -o ring.tl
check 'a sweep with commas in its values' "$timeless" sweep ring.tl --engine loggops --params $params -p star-1g \
    --grid 'noise=none;1000Hz:100us,coscheduled' \
    --grid ranks-per-host=1,2 -o sweep.csv
cat >sweep.R <<'END'
sweep <- read.csv("sweep.csv", na.strings = "", check.names = FALSE)
stopifnot(nrow(sweep) == 4, names(sweep)[1:3] == c("noise", "ranks-per-host", "makespan_s"), is.numeric(sweep$makespan_s))
stopifnot(sweep$noise[3:4] == "1000Hz:100us,coscheduled", is.na(sweep$error))
cat(sprintf("%.17g\n", sweep$makespan_s), sep = "")
END
check 'R reads it' Rscript sweep.R
for noise in none 1000Hz:100us,coscheduled; do
    for n in 1 2; do
        "$timeless" replay ring.tl --engine loggops --params $params -p star-1g --ranks-per-host $n $([ $noise = none ] ||
            echo --noise $noise) -q
    done
done >expected
check 'with the makespans of single replays' sh -c 'Rscript sweep.R | diff expected -'
check 'states of a timeline' "$timeless" replay "$trace" -p star-1g --timeline states.csv --json=p.json
cat >states.R <<'END'
states <- read.csv("states.csv", na.strings = "")
cat(sprintf("%.17g\n", max(states$end_s)))
END
check 'R reads them: the last end is the makespan' sh -c 'Rscript states.R >end && python3 -c "
import json
assert float(open(\"end\").read()) == json.load(open(\"p.json\"))[\"makespan_s\"]"'
tap_done
