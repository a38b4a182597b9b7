#!/usr/bin/env bash
# timeless replay --details: who waits for whom.
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
export TIMELESS_PLATFORMS=$top_srcdir/platforms
cases="python3 $top_srcdir/tests/cli/waits_cases.py"
check 'programs whose waits are known' $cases write .
undump_all() {
    local text
    for text in ??.txt; do "$timeless" undump "$text" -o "${text%.txt}.tl" || return 1; done
}
check 'as traces' undump_all
check 'their replay' "$timeless" replay ??.tl -p star-1g --details --json=waits.json -q
check 'each rank waits for as long as computed by hand' $cases check waits.json
tap_done
