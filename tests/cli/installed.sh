#!/usr/bin/env bash
# What `make install` puts in place works there: the commands, the library for C and C++, its example.
. "$(dirname "$0")/../tap.sh"
: "${SANITIZE:=}"
root=$scratch/root
check 'make install writes a tree' env -u MAKEFLAGS make -C "$top_builddir" --no-print-directory install DESTDIR="$root"
check 'the tree is copied to another folder' cp -a "$root" "$scratch/moved"
check 'make uninstall works' env -u MAKEFLAGS make -C "$top_builddir" --no-print-directory uninstall DESTDIR="$root"
left() { find "$root" \( ! -type d -o -name timeless \) | grep .; }
check_exit 1 'make uninstall leaves no file and no folder of its own' left
root=$scratch/moved
program=$(find "$root" -path '*/bin/timeless' -print -quit)
library=$(find "$root" -name 'libtimeless.so.0' -print -quit) pc=$(find "$root" -name timeless.pc -print -quit)
platforms=$(find "$root" -type d -path '*/timeless/platforms' -print -quit)
check 'program, library, pkg-config file, platforms' test -x "$program" -a -e "$library" -a -f "$pc" -a -d "$platforms"
if [ -z "$program" ] || [ -z "$library" ] || [ -z "$pc" ]; then tap_done; exit; fi
cd "$scratch" || exit 99
# The program finds what belongs to it from where it lies: no variable helps.
unset TIMELESS_TRACER TIMELESS_PLATFORMS LD_LIBRARY_PATH
[ -z "$SANITIZE" ] || export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0

check 'the installed program prints its version' sh -c '"$1" --version | grep "^timeless [0-9]"' - "$program"
printf '%s\n' '#include <mpi.h>' \
    'int main(int c, char **v) { int n = 1; MPI_Init(&c, &v); MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);' \
    'MPI_Finalize(); return 0; }' >run.c
"$MPICC" -o run run.c || exit 99
check 'the installed program records a run' "$program" record -q -o run.tl --volume cputime -- "$MPIRUN" -np 2 ./run
check 'the installed program prints the trace' sh -c '"$1" info run.tl | grep -E "complete +yes"' - "$program"
check 'replay on a platform that was installed, too' "$program" replay run.tl --platform star-1g --no-compute
missing=
for page in "$top_srcdir"/doc/*.[135]; do
    [ -n "$(find "$root" -name "$(basename "$page")" -print -quit)" ] || missing="$missing $(basename "$page")"
done
check "every manual page${missing:+ but$missing}" test -z "$missing"
# named: the pages and files that the installed manual pages name, a line each
named() {
    find "$root" -path '*/man/*' -name 'timeless*.[135]' -exec cat {} + | sed 's/\\-/-/g' >pages
    grep -oE '\btimeless[a-z_.-]*[ "]*\([135]\)' pages | sed -E 's/[ "]*\(([135])\)/.\1/'
    grep -oE '\b[A-Za-z-]+\.md\b|\bexample-trace\.c\b' pages
}
absent() {
    local name
    while read -r name; do [ -n "$(find "$root" -name "$name" -print -quit)" ] || echo "$name"; done <names | grep .
}
named | sort -u >names
check 'manual pages name other pages and documents' sh -c 'grep -qxF timeless-replay.1 names && grep -qxF FORMAT.md names'
check_exit 1 'every page and document that they name is installed' absent

# The tutorials, in a folder that their list makes of an installed copy.
sed -n '/^```sh$/,/^```$/{/^```/!p}' "$(find "$root" -path '*/tutorials/README.md' -print -quit)" >tour.sh
# shellcheck disable=SC2016 # the other shell has the arguments
tour() { PREFIX=$(dirname "$(dirname "$program")") bash \
    -euc '. ./tour.sh && "$1" platform doc/tutorials/offer-a.conf -o offer-a && "$1" replay -q traces/stencil-64.tl --platform ./offer-a &&
    "$1" replay -q traces/wavefront-16.tl --platform doc/tutorials/cluster.xml --model platforms/local/model.conf && test -f doc/ci/gate.sh -a -f doc/lab/ring.c' - "$program"; }
check 'the tutorials work beside an installed copy' tour

# ---- the library ----
export LD_LIBRARY_PATH=$(dirname "$library")
export PKG_CONFIG_PATH=$(dirname "$pc")
unset PKG_CONFIG_SYSROOT_DIR
header=$(find "$root" -name timeless.h -print -quit) version=$("$timeless" --version | sed -n '1s/^timeless //p')
check 'pkg-config has the version' equal "$(pkg-config --modversion timeless)" "$version"
check 'pkg-config names the folder of the headers' equal "$(realpath "$(pkg-config --variable=includedir timeless)")/timeless" \
    "$(dirname "$header")"
check 'pkg-config names the folder of the library' equal "$(realpath "$(pkg-config --variable=libdir timeless)")" "$(dirname "$library")"
check 'pkg-config names what a static library needs' sh -c 'pkg-config --static --libs timeless | grep -e "-lzstd.*-lm\|-lm.*-lzstd"'
read -ra flags < <(pkg-config --cflags --libs timeless)
warn="-Wall -Wextra -Wpedantic -Werror"
example=$(find "$root" -name example-trace.c -print -quit)
check 'the example in C99' cc -std=c99 -D_XOPEN_SOURCE=700 $warn $SANITIZE -o example "$example" "${flags[@]}"
check 'the example compiles as C++11' c++ -std=c++11 $warn $SANITIZE -x c++ -o example++ "$example" "${flags[@]}"
cat >expected <<'END'
rank 0: 3 events, 8000 bytes sent, 1000000 instructions
rank 1: 3 events, 0 bytes sent, 0 instructions
END
check 'the example writes and reads a trace' sh -c './example pair.tl | diff -u expected - && ./example++ - pair.tl | diff -u expected -'
check 'the trace of the example is valid for the commands' "$program" replay pair.tl --platform star-1g --no-compute
check_exit 1 'the example reports a file that is not a trace' ./example - expected
sed -n '/^\.EX$/,/^\.EE$/ { /^\.E[XE]$/d; s/\\e/\\/g; s/\\-/-/g; p; }' "$(find "$root" -name timeless.h.3 -print -quit)" >page.c
check 'the program in the manual page compiles' cc -std=c99 $warn $SANITIZE -o page page.c "${flags[@]}"
printf 'rank 0: 3 events, volume 1000000\nrank 1: 3 events, volume 0\n' >expected.page
check 'the program in the manual page reads a trace' sh -c './page pair.tl | diff -u expected.page -'
check 'the name of the library' sh -c 'readelf -d "$1" | grep -F "soname: [libtimeless.so.0]"' - "$library"
# Functions by name and version, each from where it says: the headers, the map of the linker, the library itself.
in_header() { sed -n "s/^TL_API[^(]*[ *]\(tl_[a-z_]*\)(.*/\1$1/p" "${@:2}"; }
declared() { (cd "$(dirname "$header")" && in_header '' timeless.h timeless_{source,convert,files}.h) | LC_ALL=C sort -u; }
declared_so() { (cd "$(dirname "$header")" && in_header @TIMELESS_0 timeless.h timeless_source.h &&
    in_header @TIMELESS_EXPERIMENTAL timeless_{convert,files}.h) | LC_ALL=C sort -u; }
mapped() { awk '$2 == "{" { version = $1 } sub(/^ *tl_/, "tl_") { sub(/;/, "@" version); print }' \
    "$top_srcdir/compress/timeless.map" | LC_ALL=C sort; }
exported() { nm -D --defined-only --with-symbol-versions "$library" | sed -n 's/.* T \(.*\)@@\(TIMELESS_.*\)$/\1@\2/p' | LC_ALL=C sort; }
not_versioned() { nm -D --defined-only --with-symbol-versions "$library" | sed 's/.* //' |
    grep -v '@@TIMELESS_[0A-Z]*$\|^TIMELESS_[0A-Z]*\|^__\|^_init\|^_fini'; }
same() { diff -u <("$1") <("$2"); }
# The functions that return a status, from the headers; their lines in a table, joined by one blank.
page=$(find "$root" -name timeless.h.3 -print -quit)
fallible() { sed -n 's/^TL_API tl_status \(tl_[a-z_]*\)(.*/\1/p' "$(dirname "$header")"/timeless{,_convert,_files,_source}.h |
    LC_ALL=C sort -u; }
table() { # FILE...: of " *   NAME STATUS...", where a line without a name goes on
    sed -nE 's/^( \*   )?(tl_[a-z_]+|       ) +((END|[A-Z_]{5,})( [A-Z_]+)*)$/\2 \3/p' "$@" |
        awk '/^tl_/ { printf "%s%s", n++ ? "\n" : "", $0; next } { for (i = 1; i <= NF; i++) printf " %s", $i }
            END { print "" }' | LC_ALL=C sort
}
in_headers() { table "$(dirname "$header")"/timeless{,_convert,_files,_source}.h; }
in_page() { table "$page"; }
with_row() { in_headers | sed 's/ .*//'; }
named_in_page() { sed -n '/^\.SH DESCRIPTION/,/^\.SH STATUS/p' "$page" | grep -oE '\btl_[a-z_]+' |
    grep -vx 'tl_status\|tl_error\|tl_event' | LC_ALL=C sort -u; }
check 'the headers list the statuses of each function that returns one' same fallible with_row
check 'the manual page lists the same statuses' same in_headers in_page
check 'the manual page describes every function of the headers, and no other' same declared named_in_page
check 'the headers declare functions' test "$(declared | wc -l)" -gt 80
check 'every function of the headers is in compress/timeless.map as stable or experimental, and no other' same declared_so mapped
check 'the library exports these functions with these versions' same mapped exported
in_debian() { sed -n 's/^ \(tl_[a-z_]*@TIMELESS_[0A-Z]*\) .*/\1/p' "$top_srcdir/debian/libtimeless0.symbols" | LC_ALL=C sort; }
# A release's archive has no debian/.
[ ! -d "$top_srcdir/debian" ] || check "Debian's list of symbols has the same functions" same mapped in_debian
check_exit 1 'it exports nothing without a version' not_versioned
tap_done
