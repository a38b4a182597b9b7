# info_ranks.sh - info of many ranks: a summary unless --all is given, and bounded memory.
. "$top_srcdir/tests/tap.sh"
cd "$scratch" || exit 99
"$timeless" make token -n 64 -o screen.tl && "$timeless" make token -n 65 -o more.tl || exit 99
"$timeless" info screen.tl >screen && "$timeless" info more.tl >more && "$timeless" info --all more.tl >all || exit 99
check '64 ranks have a line each' test "$(grep -cE '^ +[0-9]+ .*finalized' screen)" = 64
check '65 ranks have a line for all' test "$(grep -cE '^ +[0-9]+ .*finalized' more)" = 1
check '65 ranks: the line for all has their number' says '~^ +65 .* finalized +0$' more
check '65 ranks: the line for all refers to --all' says '~--all prints each rank' more
check '--all prints each' test "$(grep -cE '^ +[0-9]+ .*finalized' all)" = 65
check 'JSON has each' python3 -c '
import json, subprocess, sys
assert len(json.loads(subprocess.check_output([sys.argv[1], "info", "--json", "more.tl"]))["ranks"]) == 65' "$timeless"

# A header of 2^24 ranks, of which one has left something.
printf '%s\n' 'timeless-text 1' 'ranks 16777216' 'volume_unit "none"' 'rank 7 host="h"' '7 0 MPI_Init clock_ns=0 volume=0' \
    'end finalized clock_ns=1' | "$timeless" undump - -o many.tl || exit 99
if [ -z "${SANITIZE:-}" ]; then
    for option in '' --json; do
        check_exit 3 "2^24 ranks${option:+, $option}: exit code 3, in 512 MB" bash -c \
            "ulimit -v 600000; timeout 120 '$timeless' info $option many.tl >out"
        check "2^24 ranks${option:+, $option}: a few lines" test "$(wc -c <out)" -lt 10000
    done
else
    skip '2^24 ranks in 512 MB' 'sanitizers need more memory'
fi
# Recorded in part: 25 and 75 of 100 ns.
"$timeless" undump - -o "$scratch/part.tl" <<'TEXT'
timeless-text 1
ranks 2
origin "recorded in part: regions=solve"
rank 0 host="a"
counter 65536 name="timeless:recorded-ns" value=25
0 0 MPI_Init clock_ns=0 volume=0
0 1 MPI_Finalize clock_ns=100 volume=0
end finalized clock_ns=100
rank 1 host="a"
counter 65536 name="timeless:recorded-ns" value=75
1 0 MPI_Init clock_ns=0 volume=0
1 1 MPI_Finalize clock_ns=100 volume=0
end finalized clock_ns=100
TEXT
shares() { # COMMAND...: the JSON has the shares of the text as numbers
    "$@" >"$scratch/part.json" && python3 -c 'import json, sys
part = json.load(open(sys.argv[1]))
print(part["recorded_in_part"], part["recorded_share"])
sys.exit(not (part["recorded_in_part"].startswith("50 % of the time (regions=solve), 25 to 75 %") and
              part["recorded_share"] == {"all": 0.5, "least": 0.25, "most": 0.75}))' "$scratch/part.json"
}
check 'JSON has the recorded shares of a run in part as numbers' shares "$timeless" info --json "$scratch/part.tl"
check 'that of replay has them, too' shares "$timeless" replay --json "$scratch/part.tl" -p "$top_srcdir/platforms/star-1g"
printf '%s\n' 'timeless-text 1' 'ranks 1' 'rank 0 host="h"' 'counter 1 name="c" value=18446744073709551615' \
    '0 0 MPI_Wtime clock_ns=0 volume=18446744073709551614' 'end cut clock_ns=9' | "$timeless" undump - -o "$scratch/huge.tl"
check 'JSON has numbers above 2^63 - 1 as texts, as that of dump' equal '18446744073709551614 18446744073709551615' \
    "$("$timeless" info --json "$scratch/huge.tl" |
    python3 -c 'import json, sys; rank, = json.load(sys.stdin)["ranks"]; print(rank["volume"], rank["counters"]["c"])')"
tap_done
