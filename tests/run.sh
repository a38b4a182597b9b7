#!/usr/bin/env bash
# run.sh [--quick] [CONFIGURE OPTION...]
#
# Installs what is missing, builds in ./build, runs all tests and the checker; prints the slowest tests and the skipped
# checks.  The last line is "N passed, N failed".  --quick: only QUICK_CHECKS (tests/local.mk), three minutes on two cores.
#
# The tests run side by side, one more than there are cores, because most wait for starts of mpirun; those of QUIET_TESTS
# (tests/local.mk) compare times, and run one after the other when the rest has ended.
cd "$(dirname "$0")/.." || exit 4
quick=
[ "${1:-}" != --quick ] || { quick=yes; shift; }
bash tests/setup.sh "$@" || { echo "tests/run.sh: the build failed" >&2; echo "0 passed, 1 failed"; exit 1; }
logs=(build/shared-suite.log build/quiet-suite.log)
[ ! $quick ] || logs=(build/quick-suite.log)
rm -f build/{quick,shared,quiet}-suite.log build/lint.log
find build/tests -name '*.trs' -delete
status=0 lint=0
if [ $quick ]; then make -C build --no-print-directory -k -j$(($(nproc) + 1)) check-quick || status=1
else
    # The checker is no part of `make check`: it reads all sources, which takes minutes (`make lint` reads them more deeply). Here
    # it gets the time of the cores that the tests leave.
    nice -n 19 bash tests/lint.sh --quick >build/lint.log 2>&1 &
    make -C build --no-print-directory -k -j$(($(nproc) + 1)) check-shared || status=1
    wait $!; lint=$?
    cat build/lint.log
    make -C build --no-print-directory -k check-quiet || status=1
fi

passed=0 skipped=0 failed=0
for log in "${logs[@]}"; do # totals stand in automake's header
    [ -f "$log" ] || { failed=$((failed + 1)); continue; }
    read -r p s f < <(awk '/^# PASS:/ { pass = $3 } /^# SKIP:/ { skip = $3 } /^# (FAIL|XPASS|ERROR):/ { fail += $3 }
        END { print pass + 0, skip + 0, fail + 0 }' "$log")
    passed=$((passed + p)) skipped=$((skipped + s)) failed=$((failed + f))
done
case $lint in
0) [ $quick ] || passed=$((passed + 1)) ;;
77) skipped=$((skipped + 1)) ;;
*) failed=$((failed + 1)) ;;
esac
# make can also fail before or beside the tests; no test at all is a failure too.
if [ "$failed" = 0 ] && { [ $status != 0 ] || [ "$passed" -le 1 ]; }; then failed=1; fi
echo "slowest tests: seconds, and seconds of processors:"
find build/tests -name '*.trs' -exec awk '/^:seconds:/ { s = $2 } /^:processor:/ { print s, $2, FILENAME }' {} + |
    sed -E 's|build/(.*)\.trs$|\1|' | sort -rn | head -n 20
if [ "$skipped" != 0 ]; then
    grep -hE '^ok .*# (SKIP|skip)' build/tests/*/*.log
    grep -s '^skipped: ' build/lint.log
    echo "$skipped skipped"
fi
# What failed, with what the test said of it.
[ "$failed" = 0 ] || awk '/^(not ok|ERROR|FAIL|XPASS)/ { said = 20; print; next } /^# / && said-- > 0 { print; next }
    { said = 0 }' "${logs[@]}"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
