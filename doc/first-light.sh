#!/usr/bin/env bash
# First light: capture a small real HPL run here, predict it here and on another machine, and set the
# prediction beside the measurement.  Does all the set-up that a fresh Debian 12 needs.
#
#   doc/first-light.sh [N [P Q]]      order of the matrix (2000), process grid (1 2)
#
# HPL runs three times, because runs on one machine differ: the table has the range of both sides.
set -eu
N=${1:-2000} P=${2:-1} Q=${3:-2}
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/tests/setup.sh"
export PATH=$here/build/cli:$PATH TIMELESS_PLATFORMS=$here/platforms
. "$here/tests/mpi_env.sh"
work=$(mktemp -d "${TMPDIR:-/tmp}/first-light.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
step() { printf '\n== %s\n' "$*"; }

read -r _ _ _ running _ </proc/loadavg
if [ "${running%/*}" -gt "$(nproc)" ]; then
    printf '\n%s\n' "Other programs keep the $(nproc) cores busy: the clock will be later than the prediction, which has them free."
fi

step "1. Capture: HPL (N=$N, ${P}x$Q) out of Debian's unmodified hpcc"
"$here/tests/hpcc_input.sh" "$N" "$P" "$Q" >hpccinf.txt
for run in 1 2 3; do
    timeless record -o hpcc.tl -- mpirun -np $((P * Q)) hpcc
    timeless cut hpcc.tl --section last -o hpl-$run.tl
done
timeless info hpl-3.tl

step "2. Calibrate: this machine's cores and BLAS kernels"
timeless calibrate kernels --max-seconds 20 -o here

step "3. Predict the runs on this machine, and compare with the clock"
for run in 1 2; do timeless replay hpl-$run.tl --platform here --seeds 5 --json=here-$run.json -q >run.txt; done
timeless replay hpl-3.tl --platform here --seeds 5 --json=here-3.json
timeless compare here-1.json here-2.json here-3.json
echo "HPL itself printed, for what runs between its two looks at the clock (the longest row):"
grep -A2 '^T/V .*Gflops' hpccoutf.txt

step "4. Predict it on another machine: 16 nodes on 1 Gb/s Ethernet, one rank a node"
for run in 1 2; do timeless replay hpl-$run.tl --platform star-1g --ranks-per-host 1 --json=star-$run.json -q >run.txt; done
timeless replay hpl-3.tl --platform star-1g --ranks-per-host 1 --json=star-3.json
echo "The measurement is still this machine's:"
timeless compare star-1.json star-2.json star-3.json
