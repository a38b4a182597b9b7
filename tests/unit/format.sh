# format.sh - the sources stand as .clang-format says.
. "$top_srcdir/tests/tap.sh"

# Not the headers of Fortran programs.
sources() {
    (cd "$top_srcdir" && find compress symbols plots tracer replayer platforms perform cli tests -path '*/fortran' -prune -o \
        \( -name '*.c' -o -name '*.h' \) -print | sort)
}
formatted() { (cd "$top_srcdir" && sources | xargs clang-format --dry-run -Werror); }
# Another version would format some lines in another way.  In CI a missing one is a failure.
version=$(clang-format --version 2>/dev/null | sed -n 's/.*version \([0-9]*\)\..*/\1/p')
if [ -z "$version${CI:-}" ]; then skip 'the sources are formatted' 'there is no clang-format 14: install the Debian package clang-format'
elif [ -n "$version" ] && [ "$version" != 14 ]; then skip 'the sources are formatted' "needs clang-format 14, not $version"
else check 'the sources are formatted' formatted; fi
tap_done
