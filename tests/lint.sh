#!/usr/bin/env bash
# lint.sh [--quick] [FILE...] - clang-tidy 14, as .clang-tidy says, over all C sources or those given.  Exit code 1
# if it reports anything; 77 and a reason if there is no clang-tidy 14, which is a failure (4) where CI is set.
# --quick: the analyzer, which takes nine tenths of the time, follows a function to 20,000 states instead of 225,000.
# 'make lint' calls it; it needs what the build has made (config.h, ...).
cd "$(dirname "$0")/.." || exit 4
: "${top_builddir:=$PWD/build}"
[ -e "$top_builddir/config.h" ] || { echo "$top_builddir/config.h: not there; build first" >&2; exit 4; }
if ! clang-tidy --version 2>/dev/null | grep -q 'version 14\.'; then
    reason='clang-tidy 14 is missing: install the Debian package clang-tidy'
    [ -z "${CI:-}" ] || { echo "$reason" >&2; exit 4; }
    echo "skipped: $reason"
    exit 77
fi

depth=()
[ "${1:-}" != --quick ] || { depth=(-Xclang -analyzer-config -Xclang max-nodes=20000); shift; }
includes=("$top_builddir" "$top_builddir/tracer" compress symbols plots tracer replayer platforms perform cli)
# At debug level 1 xxhash states by assertions what it takes.
flags=(-std=gnu11 "${includes[@]/#/-I}" -DXXH_DEBUGLEVEL=1 -DTIMELESS_EXPERIMENTAL -DTLT_WITH_OPENMPI
    '-DBINDIR=""' '-DPKGLIBDIR=""' '-DPKGLIBEXECDIR=""' '-DPKGDATADIR=""'
    '-DREPORT_FOLDER="/dev"' '-DCHART_JS="/dev/null"'
    $(pkg-config --cflags libzstd libxxhash jansson libconfig gsl expat simgrid ompi-c pmix cmocka))
# Programs that stand for those of users are written as users write; frame.c includes what its tests generate.
[ $# != 0 ] || set -- $(find compress symbols plots tracer replayer platforms perform cli tests -name '*.c' \
    ! -path 'tests/accuracy/unseen/*' ! -path tests/mpi/rows/frame.c | sort)
# One process a file: version 14 keeps state from one to the next.
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -I{} clang-tidy --quiet {} -- "${flags[@]}" "${depth[@]}" \
    2> >(grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated|^[0-9]+ warnings? treated as' >&2)
found=$?
[ $found != 0 ] || echo "lint: $# files, nothing found"
[ $found = 0 ]
