# cluster_short.sh - the short blind validation runs from calibration to table, and every program's prediction is of
# the order of its measurement; how near it is on a quiet machine is the matter of tests/accuracy/README.md.
. "$top_srcdir/tests/tap.sh"
export top_builddir MPICC
if [ -n "${SANITIZE:-}" ]; then skip "blind validation" "the sanitizers slow down what is measured; the plain build is tested"; tap_done; exit; fi
rows() { grep -c '^100mbit:2 ' "$scratch/table"; }
near() { awk '/^100mbit:2/ { n++; if ($(NF - 1) > 3 * $4 || 3 * $(NF - 1) < $4) wrong++ } END { exit !(n && wrong <= n / 3) }' "$scratch/table"; }
bash "$top_srcdir/tests/accuracy/cluster.sh" -s >"$scratch/table" 2>"$scratch/log"
code=$?
if [ $code = 77 ]; then skip "blind validation" "$(tail -n 1 "$scratch/log")"; tap_done; exit; fi
sed 's/^/# /' "$scratch/table"
check "it comes to its end" test $code = 0
check "with all its rows" test "$(rows)" = 28
check "two thirds of the predictions are within a factor of 3, on however busy a machine" near
tap_done
