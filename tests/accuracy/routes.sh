#!/usr/bin/env bash
# routes.sh FOLDER [PAIRS] - compares the routes of our reader of platforms with those of SimGrid for all XML files below a
# folder: latency and smallest bandwidth of random pairs of hosts. Prints a row for each file, and how many differ.
# The folder is, for example, examples/platforms of SimGrid's source ('apt-get source simgrid').
set -u
folder=${1:?routes.sh FOLDER [PAIRS]} pairs=${2:-1000}
: "${top_srcdir:=$(cd "$(dirname "$0")/../.." && pwd)}" "${top_builddir:=$top_srcdir/build}"
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT
# shellcheck disable=SC2046
${CC:-cc} -O1 -D_GNU_SOURCE -DTIMELESS_EXPERIMENTAL -I"$top_builddir" -I"$top_srcdir/compress" -I"$top_srcdir/replayer" \
    "$top_srcdir/tests/accuracy/routes.c" \
    -o "$scratch/routes" "$top_builddir/replayer/.libs/libengine.a" -L"$top_builddir/compress/.libs" -ltimeless \
    -Wl,-rpath,"$(cd "$top_builddir/compress/.libs" && pwd)" $(pkg-config --libs expat simgrid gsl jansson) -lm -lpthread || exit 4
n_different=0
while read -r file; do
    said=$(cd "$(dirname "$file")" && timeout 120 "$scratch/routes" "$(basename "$file")" "$pairs" 2>"$scratch/err")
    code=$?
    [ "$code" != 1 ] || n_different=$((n_different + 1))
    printf '%s: %s%s\n' "${file#"$folder"/}" "$(tail -n 1 <<<"$said")" \
        "$([ -s "$scratch/err" ] && echo " SimGrid: $(grep -v '^$' "$scratch/err" | head -n 1 | cut -c 1-200)")"
done < <(grep -rlE --include='*.xml' '<(zone|AS|cluster)[ >]' "$folder" | sort)
echo "$n_different files differ"
[ "$n_different" = 0 ]
