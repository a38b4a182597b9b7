# include_rules.sh - the include rules of doc/ARCHITECTURE.md.
. "$top_srcdir/tests/tap.sh"

# may_include FOLDER: the folders whose headers it may include, besides its own
may_include() {
    case $1 in
    tracer | plots | symbols) echo compress ;;
    replayer) echo plots compress ;;
    platforms) echo plots perform compress ;;
    perform) echo replayer symbols tracer/stacks.h compress ;;
    cli) echo replayer perform platforms symbols plots compress ;;
    esac
}
# includes PATTERN FILE...: "FILE:HEADER" of every include whose header matches
includes() {
    local pattern=$1; shift
    [ $# = 0 ] || sed -nE "s|^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]([^>\"]*)[>\"].*|\1|; T; /$pattern/ { F; p; }" "$@" |
        paste -d: - -
}
sources_of() { find "$1" -name '*.[ch]' -o -name '*.def'; }

# Every header of ours that a folder includes lies in the folder itself or in one that it may include.
ours() {
    local root=$1 folder=$2 file header other bad=0 allowed
    allowed=$(may_include "$2")
    while IFS=: read -r file header; do
        [ -e "$root/$folder/$header" ] || [ -e "${file%/*}/$header" ] && continue
        for other in $allowed; do
            [ -e "$root/$other/$header" ] || [[ $other == */"$header" ]] && continue 2
        done
        for other in compress symbols plots tracer replayer platforms perform cli; do
            [ ! -e "$root/$other/$header" ] || { echo "$file includes $header of $other/"; bad=1; }
        done
    done < <(includes '.' $(sources_of "$root/$folder"))
    return $bad
}
# only_in ROOT HEADERS PLACES: no file but those whose path matches includes them
only_in() {
    local root=$1 headers=$2 places=$3 found
    found=$(includes "$headers" $(for f in compress symbols plots tracer replayer platforms perform cli; do sources_of "$root/$f"; done) |
        sed "s|^$root/||" | grep -vE "^$places")
    [ -z "$found" ] || { echo "$found"; return 1; }
}
simgrid='^(simgrid|smpi|xbt)[\/]'
simgrid_files='replayer/smpi/([a-z]+/)?[a-z_]+\.[ch]:'
# inside ROOT FOLDER ALLOWED: what FOLDER of replayer/ includes of its sister folders is in ALLOWED
inside() {
    local root=$1 folder=$2 allowed=$3 found
    found=$(includes '^(machine|smpi|loggops|results|report|sample|study)[\/]' $(sources_of "$root/replayer/$folder") |
        grep -vE ":($folder${allowed:+|$allowed})/")
    [ -z "$found" ] || { echo "$found"; return 1; }
}
# A C++ name of libsimgrid as the linker sees it.
mangled_only_in() {
    local found
    found=$(cd "$1" && grep -lE '\b_Z[NTSKdanmw0-9]' $(sources_of replayer) | grep -v "^$2")
    [ -z "$found" ] || { echo "$found"; return 1; }
}
house='^(elfutils[\/]|dwarf\.h|jansson\.h|libconfig\.h|argp\.h|gsl[\/]|zstd\.h|xxhash\.h|mpi\.h|papi\.h|simgrid[\/]|smpi[\/]|xbt[\/]|cmocka\.h)'
trace_library() { # libc, zstd and xxhash
    local found
    found=$(includes "$house" $(sources_of "$1/compress") | grep -vE ':(zstd|xxhash)\.h$')
    [ -z "$found" ] || { echo "$found"; return 1; }
}
# core_is_closed ROOT: of compress/, the core includes public headers alone, so that the tracer carries nothing else
core_is_closed() {
    local file header bad=0
    while IFS=: read -r file header; do
        [ ! -e "$1/compress/$header" ] || [[ $header =~ ^(timeless[a-z_]*\.h|[a-z_]*\.def)$ ]] || { echo "$file includes $header"; bad=1; }
    done < <(includes '.' $(sources_of "$1/compress/core"))
    return $bad
}
check 'compress/core/ includes itself and public headers' core_is_closed "$top_srcdir"
for folder in compress symbols plots tracer replayer platforms perform cli; do
    check "$folder/ includes what it may" ours "$top_srcdir" $folder
done
check 'SimGrid stands in the SMPI engine alone' only_in "$top_srcdir" "$simgrid" "$simgrid_files"
check 'OTF2 stands in its export and its import alone' only_in "$top_srcdir" '^otf2[\/]' \
    '(replayer/results/otf2[a-z_]*\.[ch]|compress/exchange/otf2_read\.h):'
check 'libtimeless does not contain the import of OTF2' eval \
    '! sed -n "/^TIMELESS_SOURCES/,/^$/p" "$top_srcdir/compress/local.mk" | grep -q otf2'
check 'replayer/machine/ includes no engine, no result and no study' inside "$top_srcdir" machine ''
check 'nor does replayer/collectives/' inside "$top_srcdir" collectives ''
check 'replayer/smpi/ does not include the LogGOPS engine' inside "$top_srcdir" smpi 'machine|results'
check 'replayer/loggops/ does not include the SMPI engine' inside "$top_srcdir" loggops 'machine|results'
check 'replayer/results/ includes no engine' inside "$top_srcdir" results 'machine'
check 'replayer/report/ includes no engine' inside "$top_srcdir" report 'results|study'
check 'replayer/sample/ includes no engine' inside "$top_srcdir" sample 'machine|results'
check 'replayer/study/ includes no engine' inside "$top_srcdir" study 'machine|results'
check "only replayer/smpi/shims/ names SimGrid's C++ symbols" mangled_only_in "$top_srcdir" 'replayer/smpi/shims/'
check 'libdw stands in symbols/ alone' only_in "$top_srcdir" '^(elfutils[\/]|dwarf\.h$)' 'symbols/object_dw\.c:'
check 'PAPI stands in tracer/ alone' only_in "$top_srcdir" '^papi\.h$' 'tracer/'
check "MPI's header stands in tracer/, perform/ and the network's probe" only_in "$top_srcdir" '^mpi\.h$' \
    '(tracer/|perform/|platforms/calibrate/network_(probe|kinds|multi|hosts)\.c:)'
check 'the trace library needs libc, zstd and xxhash' trace_library "$top_srcdir"

# The rules notice when they are broken.
broken=$scratch/broken
mkdir -p "$broken"/{compress,symbols,tracer,replayer,platforms,perform,cli,tests}
touch "$broken"/compress/timeless.h "$broken"/tracer/volume.h "$broken"/replayer/replayer.h
printf '#include "volume.h"\n' >"$broken/replayer/a.c"
printf '#  include <replayer.h>\n#include <mpi.h>\n' >"$broken/compress/b.c"
printf '#include <simgrid/engine.h>\n' >"$broken/cli/c.c"
check_exit 1 'a header of the wrong folder is noticed' ours "$broken" replayer
check_exit 1 'so is one that is found by the search path' ours "$broken" compress
check_exit 1 'and MPI outside of the tracer' only_in "$broken" '^mpi\.h$' 'tracer/'
check_exit 1 'and MPI in the trace library' trace_library "$broken"
check_exit 1 'and SimGrid outside of its engine' only_in "$broken" "$simgrid" "$simgrid_files"
mkdir -p "$broken"/replayer/{machine,smpi/shims}
printf '#include "smpi/state.h"\n' >"$broken/replayer/machine/e.c"
printf '__asm__("_ZN7simgrid3fooEv");\n' >"$broken/replayer/smpi/f.c"
check_exit 1 'and an engine below the machine' inside "$broken" machine ''
check_exit 1 'and a C++ symbol of SimGrid outside of the shims' mangled_only_in "$broken" 'replayer/smpi/shims/'
tap_done
