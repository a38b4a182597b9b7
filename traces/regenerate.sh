#!/usr/bin/env bash
# regenerate.sh [NAME...]: records the sample traces again, all or those named, into this folder.
# Needs `timeless` on PATH (make regenerate-traces sets it).  README.md describes each trace.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/traces.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
. "$here/../tests/mpi_env.sh"

compile() { # NAME [FLAG...]
    local name=$1
    shift
    "${MPICC:-mpicc}" -O2 -g -o "$name" "$@" "$here/$name.c" -lm
}
hpl_4() {
    "$here/../tests/hpcc_input.sh" 600 2 2 60 >hpccinf.txt
    timeless record --folded -n 4 -o hpcc.tl -- hpcc
    timeless cut hpcc.tl --section last -o hpl-4.tl
}
stencil_64() { compile stencil; timeless record --folded -n 64 -o stencil-64.tl -- ./stencil 16 20; }
wavefront_16() { compile wavefront; timeless record --folded -n 16 -o wavefront-16.tl -- ./wavefront 32 20 5; }
irregular_16() { compile irregular; timeless record --folded -n 16 -o irregular-16.tl -- ./irregular 20 1; }
hybrid_4() {
    compile hybrid -fopenmp
    OMP_NUM_THREADS=2 timeless record --folded -n 4 -o hybrid-4.tl -- ./hybrid 256 20
}

[ $# != 0 ] || set -- hpl-4 stencil-64 wavefront-16 irregular-16 hybrid-4
for name; do
    "${name//-/_}"
    timeless pack "$name.tl" -o "$here/$name.tl"
    echo "$name: $(stat -c %s "$here/$name.tl") bytes"
done
