# cluster_nodes_short.sh - the short blind validation of two hosts with two ranks each, time dilated: calibrated with
# `calibrate network --per-host 2`, predicted by both engines, hashed, measured, judged.  The median error of the rows whose
# runs spread at most 10 % is at most 10 % in each engine.  A busy machine has few steady rows: then it skips.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cluster.sh"
export top_builddir MPICC
if is_of_other_mpi "$HPCC"; then skip "the short blind validation of nodes" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
if [ -n "$SANITIZE" ]; then skip "blind validation of nodes" \
    "the sanitizers slow down what is measured; the plain build is tested"; tap_done; exit; fi
# median GROUP: of the |errors| of the steady rows in percent
median() {
    awk -v group="$1" 'NR == FNR { if ($1 ~ /^100mbit:2x2/ && $6 <= 1.1 * $5) steady[$2, $3] = 1; next }
        { split($0, f, ","); gsub(/"/, "", f[3]); e = 100 * (f[5] / f[4] - 1)
          if (f[1] == group && (f[2], f[3]) in steady) print e < 0 ? -e : e }' "$scratch/table" "$work/rows.csv" | sort -g |
        awk '{ e[NR] = $1 } END { print NR ? (e[int((NR + 1) / 2)] + e[int(NR / 2) + 1]) / 2 : "none" }'
}
error_is_small() { local error; error=$(median "$1"); echo "median error $error %"
    awk -v e="$error" 'BEGIN { exit !(e + 0 == e && e <= 10) }'; }
# Load that comes and goes during the calibration alone cannot be told from a wrong model by one attempt.
for work in "$scratch/first" "$scratch/second"; do
    bash "${CLUSTER_SH:-$top_srcdir/tests/accuracy/cluster.sh}" -s -e -w "$work" 100mbit:2x2/5 >"$scratch/table" 2>"$scratch/log"
    code=$?
    sed 's/^/# /' "$scratch/table"
    steady=$(awk '/^100mbit:2x2/ && $6 <= 1.1 * $5' "$scratch/table" | wc -l)
    [ $code = 0 ] && [ "$steady" -ge 10 ] || break
    { ! error_is_small 100mbit:2x2/5 || ! error_is_small 100mbit:2x2/5-loggops; } >/dev/null || break
done
if [ $code = 77 ]; then skip "blind validation of nodes" "$(cluster_reason "$scratch/log")"; tap_done; exit; fi
ended() { cat "$scratch/log"; test $code = 0; }
check "it comes to its end" ended
check "with all its rows" test "$(grep -c '^100mbit:2x2/5 ' "$scratch/table")" = 28
check "the predictions of both engines have a hash before the first row" awk '/^# SHA-256 / && length($NF) == 64 { n++ }
    /^100mbit:2x2/ { exit }
    END { exit n != 2 }' "$scratch/table"
check "both are judged" test "$(awk -F, '$1 ~ /^100mbit:2x2/' "$work/rows.csv" | wc -l)" = 56
if [ "$steady" -lt 10 ]; then skip "the steady rows are predicted" "the machine is too busy: only $steady of 28 rows are steady"
else for group in 100mbit:2x2/5 100mbit:2x2/5-loggops; do
    check "$group: the median error of the steady rows is at most 10 %" error_is_small $group; done; fi
tap_done
