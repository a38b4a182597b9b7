# cluster_short.sh - the short blind validation runs from calibration to table, and what it measures steadily is predicted:
# the median error of the rows whose runs spread at most 10 % is at most 10 %.  On a quiet machine nearly all rows are
# steady, and the median is 2 to 6 %.  A busy machine has few steady rows: then it skips.  A short run for the noise of messages
# (cluster.sh -n) goes on with its recordings and its calibration; no bar of it depends on the clock.
. "$top_srcdir/tests/tap.sh"
. "$top_srcdir/tests/cluster.sh"
export top_builddir MPICC
if is_of_other_mpi "$HPCC"; then skip "the short blind validation" "Debian's hpcc is linked with Open MPI"; tap_done; exit; fi
if [ -n "$SANITIZE" ]; then skip "blind validation" "the sanitizers slow down what is measured; the plain build is tested"
    tap_done; exit; fi
rows() { grep -c '^100mbit:2 ' "$1"; }
# median TABLE: "STEADY ERROR", how many rows are steady, and their median error in percent
median() {
    awk '/^100mbit:2 / && $6 <= 1.1 * $5 { print $NF < 0 ? -$NF : $NF }' "$1" | sort -g |
        awk '{ e[NR] = $1 } END { print NR, NR ? (e[int((NR + 1) / 2)] + e[int(NR / 2) + 1]) / 2 : "none" }'
}
# validate FOLDER: runs it there; "$code", "$steady" and "$error"
validate() {
    bash "${CLUSTER_SH:-$top_srcdir/tests/accuracy/cluster.sh}" -s -w "$1" >"$scratch/table" 2>"$scratch/log"
    code=$?
    sed 's/^/# /' "$scratch/table"
    read -r steady error < <(median "$scratch/table")
    echo "# $steady steady rows, median error $error %"
}
error_is_small() { echo "median error $error %"; awk -v e="$error" 'BEGIN { exit !(e <= 10) }'; }
# Load that comes and goes during the calibration alone cannot be told from a wrong model by one attempt.
for work in "$scratch/first" "$scratch/second"; do
    validate "$work"
    [ "$code" = 0 ] && [ "$steady" -ge 10 ] && ! error_is_small >/dev/null || break
done
ended() { cat "$scratch/log"; test $code = 0; }
if [ $code = 77 ]; then skip "blind validation" "$(cluster_reason "$scratch/log")"
else
    check "it comes to its end" ended
    check "with all its rows" test "$(rows "$scratch/table")" = 28
    check "the predictions have a hash before the first row" awk '/^# SHA-256 / && length($NF) == 64 { n++ }
        /^100mbit:2 / { exit }
        END { exit n != 1 }' "$scratch/table"
    check "and is judged" grep -qE '^  all +28 .*100mbit:2' "$scratch/table"
    check "with a skill over both naive predictions" test "$(grep -cE '^  all +28 +(bytes|hockney) ' "$scratch/table")" = 2
    if [ "$steady" -lt 10 ]; then skip "the steady rows are predicted" "the machine is too busy: only $steady of 28 rows are steady"
    else check "the steady rows are predicted: their median error is at most 10 %" error_is_small; fi
fi

# The judgement itself, on tables: a right one, one with a wrong model, one of a busy machine.
table() { # ERROR SPREAD
    local i
    for i in $(seq 28); do echo "100mbit:2 bcast ${i}B 1.0 0.9 $(awk -v s="$2" 'BEGIN { print 0.9 * s }') 3 1.0 $1"; done
}
table +4.0 1.05 >"$scratch/right"; table -18.0 1.05 >"$scratch/wrong"; table +4.0 1.3 >"$scratch/busy"
check "a table of errors of 4 % is near" test "$(median "$scratch/right")" = "28 4"
error=18
check_exit 1 "a median error of 18 % is not" error_is_small
check "it is found" test "$(median "$scratch/wrong")" = "28 18"
check "rows that spread 30 % do not count" test "$(median "$scratch/busy")" = "0 none"

# ---- the noise of messages ----
noise=$scratch/noise folder=$scratch/noise/100mbit-2-1
with_noise() { bash "$top_srcdir/tests/accuracy/cluster.sh" -s -n 3 -r 2 -w "$noise" 100mbit:2; }
if [ ! -e "$work/100mbit-2-1/platform/done" ]; then
    skip "a short run with noise" "no network was calibrated: $(cluster_reason "$scratch/log")"; tap_done; exit
fi
mkdir -p "$folder"
cp -r "$work"/traces-2-1 "$work/kernels.csv" "$noise" && cp -r "$work/100mbit-2-1/platform" "$folder"
with_noise >"$scratch/table" 2>"$scratch/log"
code=$?
if [ $code = 77 ]; then skip "a short run with noise" "$(cluster_reason "$scratch/log")"; tap_done; exit; fi
check "a short run with noise comes to its end" ended
check "predictions and draws have a hash before the first row" awk '/^# SHA-256 / && length($NF) == 64 { n++ }
    /^100mbit:2 / { exit } END { exit n != 2 }' "$scratch/table"
check "the draws are those with the hash" sh -c "cd '$folder' && sha256sum --quiet --check predictions.sha256"
check "each row has each seed once" test "$(cut -f1-3 "$folder/drawn.tsv" | sort -u | wc -l)" = 81
check "the seeds differ" sh -c "test \"\$(grep -P '^bcast\t65536B\t' '$folder/drawn.tsv' | cut -f4 | sort -u | wc -l)\" = 3"
check "the rows are judged" says '~^medians: [0-9]* of 27 rows' "$scratch/table"
again() { with_noise >"$scratch/again" 2>&1 && says '~^medians: ' "$scratch/again" && never_says '~, run 1$' "$scratch/again"; }
check "a second call measures nothing again" again
tap_done
