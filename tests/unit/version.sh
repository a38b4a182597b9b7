# version.sh - the version is that of configure.ac wherever it is named, and what a project has is complete.
. "$top_srcdir/tests/tap.sh"
version=$(sed -n 's/^AC_INIT(\[timeless\], \[\([^]]*\)\].*/\1/p' "$top_srcdir/configure.ac")
check 'configure.ac has a version' test -n "$version"
check 'timeless --version prints it' equal "$("$timeless" --version | sed -nE '1s/^timeless ([0-9.]+).*/\1/p')" "$version"
header() { # NAME: what timeless.h defines it as
    printf '#include "timeless.h"\n%s\n' "TIMELESS_VERSION$1" | ${CC:-cc} -E -P -I"$top_srcdir/compress" - | tail -1 | tr -d '"'
}
check 'timeless.h has it' equal "$(header '')" "$version"
check 'timeless.h has its parts' equal "$(header _MAJOR).$(header _MINOR).$(header _PATCH)" "$version"
check 'CITATION.cff has it' equal "$(sed -n 's/^version: //p' "$top_srcdir/CITATION.cff")" "$version"
date=$(sed -n 's/^date-released: //p' "$top_srcdir/CITATION.cff")
check 'CHANGELOG.md has a section for it, of the date in CITATION.cff' grep -qxF "## [$version] - $date" "$top_srcdir/CHANGELOG.md"
check 'CHANGELOG.md has a section for what comes' grep -qxF '## [Unreleased]' "$top_srcdir/CHANGELOG.md"
# An archive of the sources has no folder debian/: what is in it belongs to a distribution.
debian=$top_srcdir/debian
if [ -d "$debian" ]; then
    check 'debian/changelog has it' grep -qE "^timeless \\($version-" "$debian/changelog"
    check 'debian/changelog has its date' equal "$(sed -n '1,/^ -- /s/^ -- .*>  //p' "$debian/changelog" | date -f - -u +%F)" "$date"
    # copyright_of FILE: its paragraphs on files
    copyright_of() { awk -v RS= -v ORS='\n\n' '/^Files:/' "$1"; }
    check 'debian/copyright has the licences of .reuse/dep5' equal "$(copyright_of "$debian/copyright")" \
        "$(copyright_of "$top_srcdir/.reuse/dep5")"
    mapped() { sed -n 's/^ *\(tl_[a-z0-9_]*\);$/\1/p' "$top_srcdir/compress/timeless.map" | LC_ALL=C sort; }
    symbols() { sed -n 's/^ \(tl_[a-z0-9_]*\)@TIMELESS_[0A-Z]* .*/\1/p' "$debian/libtimeless0.symbols" | LC_ALL=C sort; }
    check 'debian/libtimeless0.symbols has every function of compress/timeless.map' equal "$(symbols)" "$(mapped)"
fi
no_other() { ! grep -nE '^\.TH .*[0-9]+\.[0-9]+\.[0-9]+' "$top_srcdir"/doc/*.[135] | grep -vF "$version"; }
check 'no man page names another' no_other

# Licences: each file has one.  The tool reads what git knows, so it needs a checkout.
if ! reuse --version >/dev/null 2>&1; then skip 'reuse lint' 'there is no reuse: install the Debian package reuse'
elif ! git -C "$top_srcdir" rev-parse 2>/dev/null; then skip 'reuse lint' 'this is no checkout that git reads'
else check 'reuse lint: each file has a licence' reuse --root "$top_srcdir" lint; fi
tap_done
