#!/usr/bin/env bash
# Programs drawn at random, on platforms drawn at random: both engines must agree on the end of each rank; and SMPI with
# itself, if messages of different sizes have the same tag.
#
# engines_random.py says what is drawn, and which differences of the models are left out.
#   N_PROGRAMS=5000   of each family, instead of a few
#   FIRST=1           number of the first one
. "$(dirname "$0")/../tap.sh"
cd "$scratch" || exit 99
agree() { python3 "$top_srcdir/tests/cli/engines_random.py" compare "$timeless" "$top_srcdir/platforms/local/model.conf" "$1" \
    "${FIRST:-1}" "${N_PROGRAMS:-$2}"; }
check 'messages of all sizes with one tag, and collectives that are open together' agree tags 12
if [ "$(simgrid_version)" -ge 400 ]; then
    skip 'random programs by both engines' 'the engine loggops computes as SMPI of SimGrid 3.32, and that of 4.0 differs'
    tap_done; exit
fi
check 'messages of all kinds, on links without a limit' agree calls 24
check 'collectives, too' agree collectives 12
check 'messages one after the other, on links with a bandwidth' agree chains 12
tap_done
