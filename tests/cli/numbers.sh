#!/usr/bin/env bash
# The numbers of a report agree with each other, and with what a program counts that sends the messages.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
[ -z "${SANITIZE:-}" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0 # of Open MPI
on=(-p star-1g --ranks-per-host 1)
check 'a program that counts its messages compiles' "$MPICC" -O1 -o numbers "$top_srcdir/tests/cli/numbers.c"
check 'it is recorded' "$timeless" record -q -o numbers.tl -- "$MPIRUN" -np 4 ./numbers
check 'it is replayed' "$timeless" replay numbers.tl "${on[@]}" --no-compute --details --links --json=numbers.json
check 'a report is written' "$timeless" report numbers.tl "${on[@]}" --no-compute -q -o numbers.html
check 'messages, calls, states, seconds and links agree with the count of the program' \
    python3 "$top_srcdir/tests/cli/numbers_read.py" numbers.json numbers.html counts.?
tap_done
