#!/usr/bin/env bash
# Tools that change or summarise a trace, on random traces (tools_random.py): what must hold for every trace.
#
# 'make check' tries N_PROGRAMS (2) of each family from FIRST (1) on. For many: N_PROGRAMS=200 FIRST=1000 tests/cli/tools_random.sh
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$PWD}"
. "$top_srcdir/tests/tap.sh"
: "${N_PROGRAMS:=2}" "${FIRST:=1}"
for family in plain world rich; do
    check "$family programs: what the tools print and write agrees with what was drawn" \
        python3 -B "$top_srcdir/tests/cli/tools_random.py" "$timeless" "$top_srcdir/platforms" "$FIRST" "$N_PROGRAMS" $family
done
# A sweep that is killed at some moment, and run again, has the table of one that is not.
cd "$scratch" || exit 99
params=L=5us,o=2us,g=2us,G=2.5ns,O=1ns
"$timeless" make alltoall -n 24 --iterations 4 -o a.tl || exit 99
sweep() { "$timeless" sweep a.tl --engine loggops --params $params --grid params.L=1us,2us,3us,4us,5us,6us \
    --grid params.o=1us,2us,3us --noise 1kHz:100us --grid seed=1,2 -j 1 "$@"; }
check 'a sweep is run' sweep -o whole.csv
for moment in 0.02 0.1 0.2 0.4; do
    rm -f killed.csv*
    timeout -s KILL $moment "$timeless" sweep a.tl --engine loggops --params $params --grid params.L=1us,2us,3us,4us,5us,6us \
        --grid params.o=1us,2us,3us --noise 1kHz:100us --grid seed=1,2 -j 1 -o killed.csv
    check "killed after $moment s: it is run again" sweep -o killed.csv
    check "killed after $moment s: the table is that of the whole sweep" cmp whole.csv killed.csv
done 2>/dev/null
tap_done
