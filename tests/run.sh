#!/usr/bin/env bash
# Installs what is missing, builds in ./build, runs all tests and the checker; the last line tells how many passed.
cd "$(dirname "$0")/.." || exit 4
bash tests/setup.sh "$@" || { echo "tests/run.sh: the build failed" >&2; echo "0 passed, 1 failed"; exit 1; }
log=build/test-suite.log
rm -f $log
make -C build --no-print-directory check
status=$?

# totals LOG: "passed skipped failed", as automake's header of the log has them
totals() {
    awk '/^# PASS:/ { pass = $3 } /^# SKIP:/ { skip = $3 } /^# (FAIL|XPASS|ERROR):/ { fail += $3 }
         END { print pass + 0, skip + 0, fail + 0 }' "$1"
}
passed=0 skipped=0 failed=0
[ ! -f $log ] || read -r passed skipped failed < <(totals $log)
# The checker is no part of `make check`: it reads all sources, which takes a minute of CPU time.
if make -C build --no-print-directory lint; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
# make can also fail before or beside the tests; no test at all is a failure too.
if [ "$failed" = 0 ] && { [ $status != 0 ] || [ "$passed" -le 1 ]; }; then failed=1; fi
if [ "$failed" != 0 ] && [ -f $log ]; then grep -E '^(not ok|ERROR|FAIL)' $log; fi
[ "$skipped" = 0 ] || { grep -hE '^ok .*# SKIP' build/tests/*/*.log; echo "$skipped skipped"; }
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
