#!/usr/bin/env bash
# Further programs and platforms drawn at random: both engines must agree on the end of each rank.
#
# engines_wider.py says what is drawn, beside what engines_random.py draws.
#   N_PROGRAMS=5000   of each family, instead of a few
#   FIRST=1           number of the first one
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
if [ "$(simgrid_version)" -ge 400 ]; then
    skip 'random programs by both engines' 'the engine loggops computes as SMPI of SimGrid 3.32, and that of 4.0 differs'
    tap_done; exit
fi
agree() { python3 "$top_srcdir/tests/cli/engines_wider.py" compare "$timeless" "$top_srcdir/platforms/local/model.conf" "$1" \
    "${FIRST:-1}" "${N_PROGRAMS:-$2}"; }
check 'requests of all kinds, probes, tests, open receives' agree requests 16
check 'communicators in any order' agree comms 16
check 'hosts of different speed, kernels, parallel regions' agree hosts 12
check 'one message at a time on links of all kinds' agree links 16
check 'accesses to windows: fences, groups, locks, flushes, requests' agree windows 12
check 'files at a bandwidth: alone, collective, beside, split' agree files 6
tap_done
