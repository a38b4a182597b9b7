# sources_of_constants.sh - every file of constants states the source of its constants, or names the README that does.
. "$top_srcdir/tests/tap.sh"
export TIMELESS_PLATFORMS=$top_srcdir/platforms
source='[Mm]easured|[Pp]ublished|[Cc]opied|[Aa]ssumed|[Dd]escription states|README\.md'

# heads FILE...: their first five lines have a comment that names a source
heads() {
    local file without=0
    for file; do head -n 5 "$file" | grep -qE "^(#|<!--|     ).*($source)" || { echo "$file: names no source"; without=1; }; done
    return $without
}
# described FOLDER: its README has a table, or a paragraph, of what is measured, published or assumed
described() { grep -qE '[Mm]easured|[Pp]ublished' "$1/README.md" && grep -qi 'assumed' "$1/README.md"; }

for folder in "$top_srcdir"/platforms/*/; do
    [ -e "$folder/platform.xml" ] || continue
    name=$(basename "$folder")
    check "$name: every file of constants names a source" heads $(find "$folder" -name model.conf -o -name options.conf -o -name platform.conf -o -name platform.xml)
    check "$name: README.md tells measured, published and assumed figures apart" described "$folder"
done
check 'noise: every file names a source' heads "$top_srcdir"/platforms/noise/{altix,chic,jaguar,zeptoos}
check 'noise: README.md tells published and assumed figures apart' described "$top_srcdir/platforms/noise"

printf 'version = 2;\n' >"$scratch/bare.conf"
is_found() { ! heads "$scratch/bare.conf"; }
check 'a file without a source is found' is_found
check 'kernels are calibrated' "$timeless" calibrate kernels --nb 32 --max-seconds 0 --archive none -o "$scratch/here"
check 'the fresh model names a source' heads "$scratch/here/model.conf"
check 'it states its command and the moment of its measurement' \
    test "$(sed -n 1,3p "$scratch/here/model.conf" | grep -cE "^# Measured (by 'timeless calibrate kernels' |at 20)")" = 2
tap_done
